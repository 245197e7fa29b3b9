//! Packed panels of one side of products, and how long they stay: for a block, for all products of a run, or, of a constant
//! operand, for all runs of the task.

use crate::gemm::matrix::{Number, cells_of, room};
use crate::ground::context::Context;
use crate::ground::scratch::Floats;

/// The most bytes of panels that are kept from product to product. Under Miri those of `f32` fit, those of `[f64; 2]` do not.
pub const MAX_KEPT_BYTES: usize = if cfg!(miri) { 1 << 11 } else { 4 << 20 };

/// What the matrices of a side are, for all products of a run.
#[derive(Clone, Copy, Debug)]
pub struct PanelReuse {
    /// The number of the operand that they are.
    pub operand: usize,
    /// How many there are.
    pub matrices: usize,
    /// Whether one is in more than one product.
    pub is_again: bool,
}

impl PanelReuse {
    /// One that is in one product.
    pub const ONCE: Self = Self { operand: usize::MAX, matrices: 1, is_again: false };
}

/// Panels of one side.
#[derive(Debug)]
pub struct Panels {
    cells: Floats,
    /// Cells of a matrix in its whole depth; 0 where panels are packed block by block.
    whole: usize,
    /// Of each matrix that there is room for, whether its panels are there.
    is_packed: Vec<bool>,
    /// The matrix of the next product.
    matrix: usize,
    /// Whether they are held for the next run.
    is_held: bool,
}

impl Panels {
    /// Memory for matrices of `whole` cells, or for blocks of `block`. With `is_often`, a matrix is visited more than once
    /// in a product.
    pub fn new<E: Number>(
        context: &mut Context,
        keep: PanelReuse,
        [whole, block]: [usize; 2],
        is_often: bool,
    ) -> Self {
        let PanelReuse { operand, matrices, is_again } = keep;
        let panels = |cells, whole, is_packed, is_held| Self { cells, whole, is_packed, matrix: 0, is_held };
        let floats = (whole * matrices * size_of::<E>()).div_ceil(size_of::<f32>());
        if let Some((cells, is_full)) = context.held(operand, E::PACKING, floats) {
            return panels(cells, whole, vec![is_full; matrices], true);
        }
        let fits = |matrices: usize| whole * matrices * size_of::<E>() <= MAX_KEPT_BYTES;
        let count = if is_again && fits(matrices) { matrices } else { 1 };
        let is_whole = (is_again || is_often) && fits(count);
        let (whole, cells) = if is_whole { (whole, whole * count) } else { (0, block) };
        panels(room::<E>(context.scratch, cells), whole, vec![false; count], false)
    }

    /// Whether all that these panels hold for runs to come is there.
    pub fn is_full(&self) -> bool {
        self.is_held && self.is_packed.iter().all(|is_packed| *is_packed)
    }

    /// The next product is of this matrix.
    pub fn choose(&mut self, matrix: usize) {
        if self.is_packed.len() == 1 && matrix != self.matrix {
            self.is_packed[0] = false;
        }
        self.matrix = matrix;
    }

    /// The number of the matrix among those that there is room for.
    fn slot(&self) -> usize {
        if self.is_packed.len() == 1 { 0 } else { self.matrix }
    }

    /// The panels from `at` on, of a whole matrix, or of the block; and whether they are there already.
    pub fn part<E: Number>(&mut self, at: usize, count: usize) -> (&mut [E], bool) {
        let (slot, whole) = (self.slot(), self.whole);
        let at = if whole == 0 { 0 } else { slot * whole + at };
        (&mut cells_of::<E>(&mut self.cells)[at..at + count], self.is_packed[slot])
    }

    /// The matrix was visited.
    pub fn packed(&mut self) {
        let slot = self.slot();
        self.is_packed[slot] = self.whole > 0;
    }

    /// Returns the memory.
    pub fn done<E: Number>(self, context: &mut Context) {
        if self.is_full() {
            context.hold(E::PACKING, self.cells);
        } else if !self.is_held {
            context.scratch.keep(self.cells);
        }
    }
}
