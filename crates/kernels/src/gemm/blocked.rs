//! Blocked matrix products, after Goto and BLIS: the loops around the micro-kernel, on which dots and convolutions are built.
//!
//! Both operands are packed into panels of [`MR`] rows and [`NR`] columns; packing absorbs layouts, strides and narrow types, so
//! that the micro-kernel ([`GemmScalar::tile`]) reads two panels sequentially. Blocks are [`NC`] columns, [`KC`] depths, [`MC`]
//! rows.
//!
//! The order of operations is the same for every size, layout and path: depth is cut into blocks of [`KC`]; in a block products
//! are added one after another, from 0; the sums of the blocks are added in order. So an element of the result depends on its row
//! and its column alone, and a product over a range of rows is bitwise equal to those rows of the full product: it can be split
//! over workers.
//!
//! Read [`crate::gemm::float`] next: the micro-kernel and the packing of `f32`.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formula: matrices a and b of sizes m, n and k"
)]
#![allow(
    unsafe_code,
    reason = "tiles write rows of the result through pointers whose bounds are asserted first"
)]

use crate::gemm::matrix::{DepthBlock, GemmScalar, KC, MR, MatrixOperand, NC, NR, Out};
use crate::gemm::panels::{PanelReuse, Panels};
use crate::support::context::Context;
use crate::support::error::KernelError;

/// Rows of a packed block of the left operand, unless the whole operand is kept packed. Under Miri one panel.
const MC: usize = if cfg!(miri) { MR } else { 128 / MR * MR };
/// Multiply-adds between cancellation checks: about a millisecond.
const CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS: u64 = 1 << 24;

/// The workspace of a sequence of products: panels and tables of offsets.
#[derive(Debug)]
pub struct Workspace {
    /// Packed panels of the left and of the right operand.
    panels: [Panels; 2],
    /// The offsets of a block's rows in the result.
    out_rows: Vec<isize>,
    /// The offsets of a block's rows in the left operand.
    left_offsets: Vec<isize>,
    /// The offsets of a block's columns in the result.
    out_columns: Vec<isize>,
    /// For each panel of columns: whether they are contiguous in the result, and whole vectors.
    contiguous_panels: Vec<bool>,
    /// The offsets of a block's columns in the right operand.
    right_offsets: Vec<isize>,
    /// The offsets of a block's depths in both operands.
    depth_offsets: [Vec<isize>; 2],
    /// Multiply-adds since the last cancellation check.
    unreported_steps: u64,
}

impl Workspace {
    /// Allocates for products of up to `m` rows, `n` columns and depth `k`; `reuse` says how the products share the matrices of
    /// the left and of the right operand.
    pub fn new<E: GemmScalar>(context: &mut Context, [m, n, k]: [usize; 3], reuse: [PanelReuse; 2]) -> Self {
        let kc = k.min(KC);
        let (rows, columns) = (m.next_multiple_of(MR), n.next_multiple_of(NR));
        let block_columns = columns.min(NC);
        let [left, right] = reuse;
        Self {
            panels: [
                Panels::new::<E>(context, left, [rows * k, rows.min(MC) * kc], n > NC),
                Panels::new::<E>(context, right, [columns * k, block_columns * kc], false),
            ],
            out_rows: vec![0; rows.min(MC)],
            left_offsets: vec![0; rows.min(MC)],
            out_columns: vec![0; block_columns],
            contiguous_panels: Vec::with_capacity(block_columns / NR),
            right_offsets: vec![0; block_columns],
            depth_offsets: [vec![0; kc], vec![0; kc]],
            unreported_steps: 0,
        }
    }

    /// Selects the operands of the next product by their index among the left and among the right matrices.
    pub fn select_matrices(&mut self, matrices: [usize; 2]) {
        self.panels.iter_mut().zip(matrices).for_each(|(panels, matrix)| panels.select_matrix(matrix));
    }

    /// Whether all matrices of a side (0 left, 1 right) are packed already, from an earlier run.
    pub fn is_fully_packed(&self, side: usize) -> bool {
        self.panels[side].is_fully_packed()
    }

    /// Returns the memory to the pool.
    pub fn release<E: GemmScalar>(self, context: &mut Context) {
        self.panels.into_iter().for_each(|panels| panels.release::<E>(context));
    }

    /// `out = a · b`. Fails only if cancelled.
    pub fn multiply<E: GemmScalar>(
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
        let [left_panels, right_panels] = &mut self.panels;
        for first_column in (0..n).step_by(NC) {
            let width = NC.min(n - first_column);
            let padded = width.next_multiple_of(NR);
            b.free.fill(first_column, b.offset, &mut self.right_offsets[..padded]);
            let columns = &mut self.out_columns[..padded];
            out.columns.fill(first_column, 0, columns);
            let column_range = columns
                .iter()
                .fold([isize::MAX, isize::MIN], |[low, high], at| [low.min(*at), high.max(*at)]);
            self.contiguous_panels.clear();
            self.contiguous_panels.extend(columns.chunks_exact(NR).enumerate().map(|(j, columns)| {
                let columns = &columns[..NR.min(width - j * NR)];
                columns.len().is_multiple_of(4) && columns.windows(2).all(|pair| pair[1] == pair[0] + 1)
            }));
            for first_depth in (0..k.max(1)).step_by(KC) {
                let kc = KC.min(k - first_depth);
                let depth_block = DepthBlock { is_first: first_depth == 0, is_last: first_depth + kc == k };
                let [a_depth, b_depth] = &mut self.depth_offsets;
                let (a_depth, b_depth) = (&mut a_depth[..kc], &mut b_depth[..kc]);
                a.depth.fill(first_depth, 0, a_depth);
                b.depth.fill(first_depth, 0, b_depth);
                let (packed_columns, is_packed) =
                    right_panels.elements_at::<E>(first_column * k + padded * first_depth, padded * kc);
                if !is_packed {
                    E::pack(b, &self.right_offsets[..padded], b_depth, NR, packed_columns);
                }
                for first_row in (0..m).step_by(MC) {
                    let rows = MC.min(m - first_row);
                    let padded_rows = rows.next_multiple_of(MR);
                    let panel_at = m.next_multiple_of(MR) * first_depth + first_row * kc;
                    let (packed_rows, is_packed) = left_panels.elements_at::<E>(panel_at, padded_rows * kc);
                    if !is_packed {
                        a.free.fill(first_row, a.offset, &mut self.left_offsets[..padded_rows]);
                        E::pack(a, &self.left_offsets[..padded_rows], a_depth, MR, packed_rows);
                    }
                    out.rows.fill(first_row, out.offset, &mut self.out_rows[..rows]);
                    let columns = &self.out_columns[..padded];
                    let block = OutBlock {
                        rows: &self.out_rows[..rows],
                        columns,
                        width,
                        contiguous_panels: &self.contiguous_panels,
                        column_range,
                    };
                    multiply_block::<E>(packed_rows, packed_columns, kc, &block, out.elements, depth_block);
                    self.unreported_steps += (rows * width * kc) as u64;
                    if self.unreported_steps >= CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS {
                        context.tick(std::mem::take(&mut self.unreported_steps))?;
                    }
                }
            }
            left_panels.mark_packed();
        }
        right_panels.mark_packed();
        Ok(())
    }
}

/// The elements of the result that a block writes.
struct OutBlock<'a> {
    /// The offset of each row.
    rows: &'a [isize],
    /// The offset of each column, up to a whole panel.
    columns: &'a [isize],
    /// The number of columns that are written.
    width: usize,
    /// For each panel of columns: whether they are contiguous in the result, and whole vectors.
    contiguous_panels: &'a [bool],
    /// The minimum and the maximum of `columns`.
    column_range: [isize; 2],
}

/// The index of an element in the buffer; task validation has proved that it is in bounds.
fn buffer_index(row: isize, column: isize) -> usize {
    (row + column).cast_unsigned()
}

/// Multiplies a block of packed rows with a block of packed columns, tile by tile.
///
/// Soundness: a tile reads whole panels, whose length follows from `kc`, and writes elements of rows whose bounds are asserted
/// first.
fn multiply_block<E: GemmScalar>(
    a: &[E],
    b: &[E],
    kc: usize,
    to: &OutBlock,
    elements: &mut [E],
    depth_block: DepthBlock,
) {
    let mut tile = [E::default(); MR * NR];
    for (i, rows) in to.rows.chunks(MR).enumerate() {
        let panel_a = &a[i * MR * kc..][..MR * kc];
        let [low, high] = to.column_range;
        assert!(rows.iter().all(|row| row + low >= 0 && (row + high).cast_unsigned() < elements.len()));
        let base = elements.as_mut_ptr();
        let row_starts: [*mut E; MR] = std::array::from_fn(|r| {
            // The pointer of an absent row is never dereferenced; it starts where no column leaves the buffer.
            let row = rows.get(r).map_or(low.wrapping_neg(), |row| *row);
            base.wrapping_offset(row)
        });
        // The leading panels with contiguous columns are multiplied by one call.
        let contiguous_count =
            to.contiguous_panels[..to.width / NR].iter().take_while(|is_contiguous| **is_contiguous).count();
        let columns = &to.columns[..contiguous_count * NR];
        let panels = [panel_a, &b[..contiguous_count * NR * kc]].map(<[E]>::as_ptr);
        // SAFETY: each panel has depth `kc`; the elements of these columns are in bounds in each row, as was asserted.
        unsafe { E::strip(rows.len(), kc, panels, &row_starts, columns, depth_block) };
        for (j, columns) in to.columns.chunks_exact(NR).enumerate().skip(contiguous_count) {
            let panel_b = &b[j * NR * kc..][..NR * kc];
            let width = NR.min(to.width - j * NR);
            let size = [rows.len(), width];
            let columns = &columns[..width];
            if to.contiguous_panels[j] {
                let tile_rows = row_starts.map(|row| row.wrapping_offset(columns[0]));
                // SAFETY: each panel has depth `kc`; the elements of these columns are in bounds in each row, as was asserted.
                unsafe { E::tile(size, kc, panel_a.as_ptr(), panel_b.as_ptr(), &tile_rows, depth_block) };
                continue;
            }
            let base = tile.as_mut_ptr();
            let tile_rows = std::array::from_fn(|r| base.wrapping_add(r * NR));
            // The sums are added to the result below, according to `depth_block`.
            let overwrite = DepthBlock { is_first: true, is_last: false };
            // SAFETY: each panel has depth `kc`; `tile` has `MR` rows of `NR` elements.
            unsafe { E::tile(size, kc, panel_a.as_ptr(), panel_b.as_ptr(), &tile_rows, overwrite) };
            for (r, row) in rows.iter().enumerate() {
                for (column, sum) in columns.iter().zip(&tile[r * NR..]) {
                    let element = &mut elements[buffer_index(*row, *column)];
                    let sum = if depth_block.is_first { *sum } else { element.plus(*sum) };
                    *element = if depth_block.is_last { sum.canonicalized() } else { sum };
                }
            }
        }
    }
}
