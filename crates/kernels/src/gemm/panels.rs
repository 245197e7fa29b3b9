//! Packed panels of the left or of the right operands of products, and their lifetime: a block, all products of a run, or, for a
//! constant operand, all runs of the task.

use crate::gemm::matrix::{GemmScalar, elements_of, scratch_for};
use crate::support::context::Context;
use crate::support::scratch::Floats;

/// Maximum number of bytes of panels that are kept from one product to the next. Under Miri those of `f32` fit, those
/// of `[f64; 2]` do not.
pub const MAX_REUSED_BYTES: usize = if cfg!(miri) { 1 << 11 } else { 4 << 20 };

/// How the products of a run share their left, or their right, matrices.
#[derive(Clone, Copy, Debug)]
pub struct PanelReuse {
    /// The index of the task's operand that the matrices are parts of; `usize::MAX` if their panels are never kept.
    pub operand: usize,
    /// The number of matrices.
    pub matrices: usize,
    /// Whether a matrix is used by more than one product.
    pub is_reused: bool,
}

impl PanelReuse {
    /// One matrix, used by one product.
    pub const ONCE: Self = Self { operand: usize::MAX, matrices: 1, is_reused: false };
}

/// Panels of the left, or of the right, matrices of a run's products.
#[derive(Debug)]
pub struct Panels {
    elements: Floats,
    /// The elements of a packed matrix; 0 where panels are packed block by block.
    matrix_elements: usize,
    /// For each matrix that is kept: whether its panels are packed.
    is_packed: Vec<bool>,
    /// The index of the next product's matrix.
    matrix: usize,
    /// Whether the panels are kept for the next run of the task.
    outlives_run: bool,
}

impl Panels {
    /// Allocates panels for matrices of `matrix_elements` elements, or for blocks of `block_elements`. With
    /// `is_read_repeatedly`, one product reads a matrix more than once.
    pub fn new<E: GemmScalar>(
        context: &mut Context,
        reuse: PanelReuse,
        [matrix_elements, block_elements]: [usize; 2],
        is_read_repeatedly: bool,
    ) -> Self {
        let PanelReuse { operand, matrices, is_reused } = reuse;
        let panels = |elements, matrix_elements, is_packed, outlives_run| Self {
            elements,
            matrix_elements,
            is_packed,
            matrix: 0,
            outlives_run,
        };
        let floats = (matrix_elements * matrices * size_of::<E>()).div_ceil(size_of::<f32>());
        if let Some((elements, is_fully_packed)) = context.take_packed(operand, E::PACKING, floats) {
            return panels(elements, matrix_elements, vec![is_fully_packed; matrices], true);
        }
        let fits = |matrices: usize| matrix_elements * matrices * size_of::<E>() <= MAX_REUSED_BYTES;
        let count = if is_reused && fits(matrices) { matrices } else { 1 };
        let packs_whole_matrix = (is_reused || is_read_repeatedly) && fits(count);
        let (matrix_elements, elements) =
            if packs_whole_matrix { (matrix_elements, matrix_elements * count) } else { (0, block_elements) };
        panels(scratch_for::<E>(context.scratch, elements), matrix_elements, vec![false; count], false)
    }

    /// Whether the panels outlive the run, and all are packed.
    pub fn is_fully_packed(&self) -> bool {
        self.outlives_run && self.is_packed.iter().all(|is_packed| *is_packed)
    }

    /// Selects the matrix of the next product.
    pub fn select_matrix(&mut self, matrix: usize) {
        if self.is_packed.len() == 1 && matrix != self.matrix {
            self.is_packed[0] = false;
        }
        self.matrix = matrix;
    }

    /// The index of the matrix among those that are kept.
    fn slot(&self) -> usize {
        if self.is_packed.len() == 1 { 0 } else { self.matrix }
    }

    /// `count` elements of panels, from element `at` on if whole matrices are packed, otherwise of the block; and whether they
    /// are packed already.
    pub fn elements_at<E: GemmScalar>(&mut self, at: usize, count: usize) -> (&mut [E], bool) {
        let (slot, matrix_elements) = (self.slot(), self.matrix_elements);
        let at = if matrix_elements == 0 { 0 } else { slot * matrix_elements + at };
        (&mut elements_of::<E>(&mut self.elements)[at..at + count], self.is_packed[slot])
    }

    /// Marks the panels of the matrix as packed, if they are kept.
    pub fn mark_packed(&mut self) {
        let slot = self.slot();
        self.is_packed[slot] = self.matrix_elements > 0;
    }

    /// Returns the memory to the pool.
    pub fn release<E: GemmScalar>(self, context: &mut Context) {
        if self.is_fully_packed() {
            context.keep_packed(E::PACKING, self.elements);
        } else if !self.outlives_run {
            context.scratch.recycle(self.elements);
        }
    }
}
