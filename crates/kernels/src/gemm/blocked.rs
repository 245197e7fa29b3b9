//! Blocked matrix products, after Goto and BLIS: the loops around the micro-kernel, on which dots and convolutions are built.
//!
//! Both operands are packed into panels of [`MR`] rows and [`NR`] columns; packing absorbs layouts, strides and narrow types, so
//! that the micro-kernel ([`Number::tile`]) reads two panels sequentially. Blocks are [`NC`] columns, [`KC`] depths, [`MC`] rows.
//!
//! The order of operations is the same for every size, layout and path: depth is cut into blocks of [`KC`]; in a block products
//! are added one after the other, from 0; the sums of the blocks are added in order. So a cell of the result depends on its row
//! and its column alone, and a product over some of the rows has the bits of the whole product: it can be split over workers.
//!
//! Read [`crate::gemm::float`] next: the micro-kernel and the packing of `f32`.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]
#![allow(unsafe_code, reason = "tiles write rows of the result through pointers that were proved first")]

use crate::gemm::matrix::{DepthBlock, KC, MR, MatrixOperand, NC, NR, Number, Out};
use crate::gemm::panels::{PanelReuse, Panels};
use crate::support::context::Context;
use crate::support::error::KernelError;

/// Rows of a packed block of the left operand, where not the whole operand is kept packed. Under Miri one panel.
const MC: usize = if cfg!(miri) { MR } else { 128 / MR * MR };
/// Multiply-adds between cancellation checks: about a millisecond.
const CANCEL_CHECK_MULTIPLY_ADDS: u64 = 1 << 24;

/// The workspace of a sequence of products of at most one size: panels and tables of offsets.
#[derive(Debug)]
pub struct Work {
    /// Packed panels of the left and of the right operand.
    sides: [Panels; 2],
    /// The offsets of a block's rows in the result, and in the left operand.
    rows: Vec<isize>,
    row_lines: Vec<isize>,
    /// The offsets of a block's columns in the result.
    columns: Vec<isize>,
    /// For each panel of columns: whether they are adjacent in the result, and whole vectors.
    runs: Vec<bool>,
    /// The offsets of a block's columns in the right operand.
    column_lines: Vec<isize>,
    /// The offsets of a block's depths in both operands.
    depth: [Vec<isize>; 2],
    /// Multiply-adds since the last cancellation check.
    done: u64,
}

impl Work {
    /// A workspace for products of up to `m` rows, `n` columns and depth `k`; `reuse` says how long panels of the left and of the
    /// right operand stay packed.
    pub fn new<E: Number>(context: &mut Context, [m, n, k]: [usize; 3], reuse: [PanelReuse; 2]) -> Self {
        let kc = k.min(KC);
        let (rows, all) = (m.next_multiple_of(MR), n.next_multiple_of(NR));
        let columns = all.min(NC);
        let [left, right] = reuse;
        Self {
            sides: [
                Panels::new::<E>(context, left, [rows * k, rows.min(MC) * kc], n > NC),
                Panels::new::<E>(context, right, [all * k, columns * kc], false),
            ],
            rows: vec![0; rows.min(MC)],
            row_lines: vec![0; rows.min(MC)],
            columns: vec![0; columns],
            runs: Vec::with_capacity(columns / NR),
            column_lines: vec![0; columns],
            depth: [vec![0; kc], vec![0; kc]],
            done: 0,
        }
    }

    /// Selects the operands of the next product by their index among the left and among the right matrices.
    pub fn choose(&mut self, matrices: [usize; 2]) {
        self.sides.iter_mut().zip(matrices).for_each(|(side, matrix)| side.choose(matrix));
    }

    /// Whether all matrices of a side (0 left, 1 right) are packed already, from an earlier run.
    pub fn is_full(&self, side: usize) -> bool {
        self.sides[side].is_full()
    }

    /// Returns the memory to the pool.
    pub fn release<E: Number>(self, context: &mut Context) {
        self.sides.into_iter().for_each(|side| side.release::<E>(context));
    }

    /// `out = a · b`. Errors: cancelled.
    pub fn product<E: Number>(
        &mut self,
        a: &MatrixOperand,
        b: &MatrixOperand,
        out: &mut Out<E>,
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let [m, n, k] = [out.rows.len(), out.columns.len(), a.depth.len()];
        if m == 0 || n == 0 {
            return Ok(());
        }
        let [left_panels, right_panels] = &mut self.sides;
        for first_column in (0..n).step_by(NC) {
            let width = NC.min(n - first_column);
            let padded = width.next_multiple_of(NR);
            b.outer.fill(first_column, b.offset, &mut self.column_lines[..padded]);
            let columns = &mut self.columns[..padded];
            out.columns.fill(first_column, 0, columns);
            let reach = columns
                .iter()
                .fold([isize::MAX, isize::MIN], |[low, high], at| [low.min(*at), high.max(*at)]);
            self.runs.clear();
            self.runs.extend(columns.chunks_exact(NR).enumerate().map(|(j, columns)| {
                let columns = &columns[..NR.min(width - j * NR)];
                columns.len().is_multiple_of(4) && columns.windows(2).all(|two| two[1] == two[0] + 1)
            }));
            for first_depth in (0..k.max(1)).step_by(KC) {
                let kc = KC.min(k - first_depth);
                let stage = DepthBlock { is_first: first_depth == 0, is_last: first_depth + kc == k };
                let [a_depth, b_depth] = &mut self.depth;
                let (a_depth, b_depth) = (&mut a_depth[..kc], &mut b_depth[..kc]);
                a.depth.fill(first_depth, 0, a_depth);
                b.depth.fill(first_depth, 0, b_depth);
                let (panels, is_packed) =
                    right_panels.part::<E>(first_column * k + padded * first_depth, padded * kc);
                if !is_packed {
                    E::pack(b, &self.column_lines[..padded], b_depth, NR, panels);
                }
                for first in (0..m).step_by(MC) {
                    let rows = MC.min(m - first);
                    let all = rows.next_multiple_of(MR);
                    let at = m.next_multiple_of(MR) * first_depth + first * kc;
                    let (packed, is_packed) = left_panels.part::<E>(at, all * kc);
                    if !is_packed {
                        a.outer.fill(first, a.offset, &mut self.row_lines[..all]);
                        E::pack(a, &self.row_lines[..all], a_depth, MR, packed);
                    }
                    out.rows.fill(first, out.offset, &mut self.rows[..rows]);
                    let columns = &self.columns[..padded];
                    let block =
                        OutBlock { rows: &self.rows[..rows], columns, width, runs: &self.runs, reach };
                    tiles::<E>(packed, panels, kc, &block, out.cells, stage);
                    self.done += (rows * width * kc) as u64;
                    if self.done >= CANCEL_CHECK_MULTIPLY_ADDS {
                        context.tick(std::mem::take(&mut self.done))?;
                    }
                }
            }
            left_panels.packed();
        }
        right_panels.packed();
        Ok(())
    }
}

/// The cells of the result that a block writes.
struct OutBlock<'a> {
    /// The offset of each row.
    rows: &'a [isize],
    /// The offset of each column, up to a whole panel.
    columns: &'a [isize],
    /// The number of columns that are written.
    width: usize,
    /// For each panel of columns: whether they are adjacent in the result, and whole vectors.
    runs: &'a [bool],
    /// The minimum and the maximum of `columns`.
    reach: [isize; 2],
}

/// The slot of a cell. The task was checked: it is in the buffer.
fn slot(row: isize, column: isize) -> usize {
    (row + column).cast_unsigned()
}

/// All tiles of a block of packed rows and a block of packed columns.
///
/// Soundness: a tile reads whole panels, whose length follows from `kc`, and writes cells of rows whose bounds are asserted
/// first.
fn tiles<E: Number>(a: &[E], b: &[E], kc: usize, to: &OutBlock, cells: &mut [E], stage: DepthBlock) {
    let mut own = [E::default(); MR * NR];
    for (i, rows) in to.rows.chunks(MR).enumerate() {
        let panel_a = &a[i * MR * kc..][..MR * kc];
        let [low, high] = to.reach;
        assert!(rows.iter().all(|row| row + low >= 0 && (row + high).cast_unsigned() < cells.len()));
        let base = cells.as_mut_ptr();
        let first: [*mut E; MR] = std::array::from_fn(|r| {
            let row = rows.get(r).map_or(low.wrapping_neg(), |row| *row);
            base.wrapping_offset(row)
        });
        // The leading panels whose columns are runs.
        let whole = to.runs[..to.width / NR].iter().take_while(|is_run| **is_run).count();
        let columns = &to.columns[..whole * NR];
        let panels = [panel_a, &b[..whole * NR * kc]].map(<[E]>::as_ptr);
        // SAFETY: panels of `kc`; the cells of these columns are within the reach of each row, which was checked.
        unsafe { E::strip(rows.len(), kc, panels, &first, columns, stage) };
        for (j, columns) in to.columns.chunks_exact(NR).enumerate().skip(whole) {
            let panel_b = &b[j * NR * kc..][..NR * kc];
            let width = NR.min(to.width - j * NR);
            let size = [rows.len(), width];
            let columns = &columns[..width];
            if to.runs[j] {
                let rows_at = first.map(|row| row.wrapping_offset(columns[0]));
                // SAFETY: panels of `kc`; the cells of these columns are within the reach of each row, which was checked.
                unsafe { E::tile(size, kc, panel_a.as_ptr(), panel_b.as_ptr(), &rows_at, stage) };
                continue;
            }
            let base = own.as_mut_ptr();
            let rows_at = std::array::from_fn(|r| base.wrapping_add(r * NR));
            let alone = DepthBlock { is_first: true, is_last: false };
            // SAFETY: panels of `kc`; `own` has `MR` rows of `NR` cells.
            unsafe { E::tile(size, kc, panel_a.as_ptr(), panel_b.as_ptr(), &rows_at, alone) };
            for (r, row) in rows.iter().enumerate() {
                for (column, sum) in columns.iter().zip(&own[r * NR..]) {
                    let cell = &mut cells[slot(*row, *column)];
                    let sum = if stage.is_first { *sum } else { cell.plus(*sum) };
                    *cell = if stage.is_last { sum.canonicalized() } else { sum };
                }
            }
        }
    }
}
