//! Packed panels of one side of products, and their lifetime: a block, all products of a run, or, for a constant operand, all
//! runs of the task.

use crate::gemm::matrix::{Number, cells_of, room};
use crate::support::context::Context;
use crate::support::scratch::Floats;

/// Maximum bytes of panels that are kept from product to product. Under Miri those of `f32` fit, those of `[f64; 2]` do not.
pub const MAX_KEPT_BYTES: usize = if cfg!(miri) { 1 << 11 } else { 4 << 20 };

/// How the products of a run use the matrices of one side.
#[derive(Clone, Copy, Debug)]
pub struct PanelReuse {
    /// The index of the task's operand that the matrices are parts of.
    pub operand: usize,
    /// The number of matrices.
    pub matrices: usize,
    /// Whether a matrix is used by more than one product.
    pub is_again: bool,
}

impl PanelReuse {
    /// One matrix, used by one product.
    pub const ONCE: Self = Self { operand: usize::MAX, matrices: 1, is_again: false };
}

/// Panels of one side.
#[derive(Debug)]
pub struct Panels {
    cells: Floats,
    /// The cells of a packed matrix; 0 where panels are packed block by block.
    whole: usize,
    /// Whether the panels of each matrix that is kept are packed.
    is_packed: Vec<bool>,
    /// The index of the next product's matrix.
    matrix: usize,
    /// Whether the panels are kept for the next run of the task.
    is_kept: bool,
}

impl Panels {
    /// Allocates panels for matrices of `whole` cells, or for blocks of `block` cells. With `is_often`, one product reads a
    /// matrix more than once.
    pub fn new<E: Number>(
        context: &mut Context,
        reuse: PanelReuse,
        [whole, block]: [usize; 2],
        is_often: bool,
    ) -> Self {
        let PanelReuse { operand, matrices, is_again } = reuse;
        let panels = |cells, whole, is_packed, is_kept| Self { cells, whole, is_packed, matrix: 0, is_kept };
        let floats = (whole * matrices * size_of::<E>()).div_ceil(size_of::<f32>());
        if let Some((cells, is_full)) = context.take_packed(operand, E::PACKING, floats) {
            return panels(cells, whole, vec![is_full; matrices], true);
        }
        let fits = |matrices: usize| whole * matrices * size_of::<E>() <= MAX_KEPT_BYTES;
        let count = if is_again && fits(matrices) { matrices } else { 1 };
        let is_whole = (is_again || is_often) && fits(count);
        let (whole, cells) = if is_whole { (whole, whole * count) } else { (0, block) };
        panels(room::<E>(context.scratch, cells), whole, vec![false; count], false)
    }

    /// Whether the panels are held for further runs of the task, and all are packed.
    pub fn is_full(&self) -> bool {
        self.is_kept && self.is_packed.iter().all(|is_packed| *is_packed)
    }

    /// Selects the matrix of the next product.
    pub fn choose(&mut self, matrix: usize) {
        if self.is_packed.len() == 1 && matrix != self.matrix {
            self.is_packed[0] = false;
        }
        self.matrix = matrix;
    }

    /// The index of the matrix among those that are kept.
    fn slot(&self) -> usize {
        if self.is_packed.len() == 1 { 0 } else { self.matrix }
    }

    /// `count` cells of panels, from cell `at` of the whole matrix on or of the block, and whether they are packed already.
    pub fn part<E: Number>(&mut self, at: usize, count: usize) -> (&mut [E], bool) {
        let (slot, whole) = (self.slot(), self.whole);
        let at = if whole == 0 { 0 } else { slot * whole + at };
        (&mut cells_of::<E>(&mut self.cells)[at..at + count], self.is_packed[slot])
    }

    /// Marks the panels of the matrix as packed, if they are kept.
    pub fn packed(&mut self) {
        let slot = self.slot();
        self.is_packed[slot] = self.whole > 0;
    }

    /// Returns the memory to the pool.
    pub fn release<E: Number>(self, context: &mut Context) {
        if self.is_full() {
            context.keep_packed(E::PACKING, self.cells);
        } else if !self.is_kept {
            context.scratch.recycle(self.cells);
        }
    }
}
