//! Dots: any batch and contracting dimensions, any layout.
//!
//! There are four kinds of dimensions: batch, free dimensions of the left operand (rows), free dimensions of the right operand
//! (columns), and contracting dimensions (depth). Each pair of matrices is a product of [`crate::gemm::blocked`], transposed if
//! rows are contiguous in the result. Products of few rows or columns use [`crate::gemm::few_rows`]. On every path, elements are
//! summed in the order that `gemm` states, which depends on the depth alone: the dot of a range of rows or columns is bitwise
//! equal to that part of the whole dot, so several workers can split it.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::dot::task::Dot;
use crate::gemm::accumulator_type::{AccumulatorType, accumulator_type, supports_result};
use crate::gemm::blocked::Workspace;
use crate::gemm::few_rows;
use crate::gemm::matrix::{MatrixOperand, NC, Out, elements_of, scratch_for};
use crate::gemm::offset_map::{OffsetDim, OffsetMap};
use crate::gemm::panels::PanelReuse;
use crate::gemm::typed::AccumulatorScalar;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};
use crate::support::view::View;

/// The kernels of [`Dot`].
pub static KERNELS: &[KernelEntry<Dot>] = &[
    kernel("dot f32", true, 1.0, |task| matches!(types(task), Some((Type::F32, Type::F32)))),
    kernel("dot f16 bf16 in f32", true, 1.0, |task| {
        types(task).is_some_and(|(from, to)| is_half(from) && (is_half(to) || to == Type::F32))
    }),
    kernel("dot f64 complex", false, 2.0, |task| {
        types(task).is_some_and(|(_, to)| {
            matches!(
                accumulator_type(to),
                AccumulatorType::F64 | AccumulatorType::C64 | AccumulatorType::C128
            )
        })
    }),
    kernel("dot integer", false, 0.0, |task| types(task).is_some()),
];

const fn kernel(
    name: &'static str,
    is_vector: bool,
    error_bound_ulp: f64,
    supports: fn(&Dot) -> bool,
) -> KernelEntry<Dot> {
    KernelEntry {
        kernel: Kernel { name, is_vector, error_bound_ulp },
        supports,
        run: only_in_kernel_builds(run),
    }
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16)
}

/// The types of the operands and of the result, if kernels support them.
fn types(dot: &Dot) -> Option<(Type, Type)> {
    let (from, to) = (dot.lhs.ty, dot.out.ty);
    (from == dot.rhs.ty && supports_result(from, to)).then_some((from, to))
}

/// The dimensions of a dot, by kind.
pub(super) struct Plan {
    /// The batch dimensions in both operands and the result.
    pub(super) batch: [OffsetMap; 3],
    /// The rows in the left operand and the result.
    pub(super) rows: [OffsetMap; 2],
    /// The columns in the right operand and the result.
    pub(super) columns: [OffsetMap; 2],
    /// The contracting dimensions in both operands.
    pub(super) depth: [OffsetMap; 2],
}

impl Plan {
    fn new(dot: &Dot) -> Self {
        let (lhs, rhs, out) = (&dot.lhs.view, &dot.rhs.view, &dot.out.view);
        let free_dims = |rank, batch: &[usize], contracting: &[usize]| {
            let is_free = |d: &usize| !batch.contains(d) && !contracting.contains(d);
            (0..rank).filter(is_free).collect::<Vec<usize>>()
        };
        let offset_map = |view: &View, dims: &[usize]| {
            OffsetMap::new(dims.iter().map(|d| (view.sizes[*d], view.strides[*d])))
        };
        let left = free_dims(lhs.rank(), &dot.lhs_batch, &dot.lhs_contracting);
        let right = free_dims(rhs.rank(), &dot.rhs_batch, &dot.rhs_contracting);
        let out_dims: Vec<usize> = (0..out.rank()).collect();
        let (batch, rest) = out_dims.split_at(dot.lhs_batch.len());
        let (rows, columns) = rest.split_at(left.len());
        Self {
            batch: [offset_map(lhs, &dot.lhs_batch), offset_map(rhs, &dot.rhs_batch), offset_map(out, batch)],
            rows: [offset_map(lhs, &left), offset_map(out, rows)],
            columns: [offset_map(rhs, &right), offset_map(out, columns)],
            depth: [offset_map(lhs, &dot.lhs_contracting), offset_map(rhs, &dot.rhs_contracting)],
        }
    }

    /// The plan of the transposed product, of exchanged operands; it has the same bits.
    fn transposed(self) -> Self {
        let [left, right, out] = self.batch;
        let [a, b] = self.depth;
        Self { batch: [right, left, out], rows: self.columns, columns: self.rows, depth: [b, a] }
    }
}

/// The plan of a dot, transposed if that is faster.
pub(super) struct Oriented {
    pub(super) plan: Plan,
    /// The slots of the left and the right operand's first elements.
    pub(super) offsets: [isize; 2],
    /// The task's operands that are the left and the right one: exchanged in a transposed product.
    pub(super) operand_indices: [usize; 2],
}

impl Oriented {
    pub(super) fn new(dot: &Dot) -> Self {
        let mut plan = Plan::new(dot);
        let mut operand_indices = [0, 1];
        let [m, n] = [plan.rows[0].len(), plan.columns[0].len()];
        let is_transposed = if m.min(n) <= few_rows::MAX_ROWS && m.max(n) > few_rows::MAX_ROWS {
            n < m
        } else {
            plan.columns[1].minor_stride() != 1 && plan.rows[1].minor_stride() == 1
        };
        if is_transposed {
            plan = plan.transposed();
            operand_indices.reverse();
        }
        let offsets = [&dot.lhs, &dot.rhs].map(|operand| operand.view.offset.cast_signed());
        Self { plan, offsets: operand_indices.map(|i| offsets[i]), operand_indices }
    }
}

fn run(task: CheckedTask<Dot>, context: &mut Context) -> Result<(), KernelError> {
    let (dot, [left, right], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    match accumulator_type(dot.out.ty) {
        AccumulatorType::F32 => run_typed::<f32>(dot, [*left, *right], out, context),
        AccumulatorType::F64 => run_typed::<f64>(dot, [*left, *right], out, context),
        AccumulatorType::I32 => run_typed::<i32>(dot, [*left, *right], out, context),
        AccumulatorType::I64 => run_typed::<i64>(dot, [*left, *right], out, context),
        AccumulatorType::C64 => run_typed::<[f32; 2]>(dot, [*left, *right], out, context),
        AccumulatorType::C128 => run_typed::<[f64; 2]>(dot, [*left, *right], out, context),
    }
}

fn run_typed<E: AccumulatorScalar>(
    dot: &Dot,
    operands: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<(), KernelError> {
    if dot.out.view.sizes.contains(&0) {
        return Ok(());
    }
    let Oriented { plan, offsets, operand_indices } = &Oriented::new(dot);
    let operands = operand_indices.map(|i| operands[i]);
    let out_offset = dot.out.view.offset.cast_signed();
    let (operand_indices, offsets) = (*operand_indices, *offsets);
    let product = BatchedProduct { plan, operands, operand_indices, ty: dot.lhs.ty, offsets, out_offset };
    if let Some(out) = E::view_mut(out).filter(|_| dot.out.ty != Type::Pred) {
        return product.run::<E>(out, context);
    }
    product.run_narrowed::<E>(dot.out.ty, out, context)
}

/// The matrix products of a dot, one for each batch index.
struct BatchedProduct<'a> {
    plan: &'a Plan,
    operands: [Slice<'a>; 2],
    /// The task's operands that are the left and the right one: exchanged in a transposed product.
    operand_indices: [usize; 2],
    /// The element type of the operands.
    ty: Type,
    /// The slots of the operands' first elements.
    offsets: [isize; 2],
    /// The slot of the result's first element.
    out_offset: isize,
}

/// Batch indices whose offsets are computed at a time.
const BATCH_CHUNK: usize = 64;

/// Maximum number of multiply-adds of a product for which packing costs more than it saves. Under Miri those of 2 x 3 x
/// 2.
pub(super) const MAX_UNPACKED_MULTIPLY_ADDS: usize = if cfg!(miri) { 12 } else { 256 };

impl BatchedProduct<'_> {
    fn size(&self) -> [usize; 3] {
        [self.plan.rows[0].len(), self.plan.columns[0].len(), self.plan.depth[0].len()]
    }

    /// The operands of the product at these offsets.
    fn operands(&self, at: [isize; 2]) -> [MatrixOperand<'_>; 2] {
        let plan = self.plan;
        let operand = |i: usize, free| MatrixOperand {
            elements: self.operands[i],
            ty: self.ty,
            offset: at[i],
            free,
            depth: &plan.depth[i],
        };
        [operand(0, &plan.rows[0]), operand(1, &plan.columns[0])]
    }

    /// Calls `f` with the offsets of each batch index in both operands and the result.
    fn for_each_batch(
        &self,
        mut f: impl FnMut([isize; 3]) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let count = self.plan.batch[0].len();
        let offsets = [self.offsets[0], self.offsets[1], self.out_offset];
        for first in (0..count).step_by(BATCH_CHUNK) {
            let mut chunk = [[0; BATCH_CHUNK]; 3];
            for ((map, offsets_of_chunk), offset) in self.plan.batch.iter().zip(&mut chunk).zip(offsets) {
                map.fill(first, offset, offsets_of_chunk);
            }
            let [a, b, out] = chunk;
            for i in 0..BATCH_CHUNK.min(count - first) {
                f([a[i], b[i], out[i]])?;
            }
        }
        Ok(())
    }

    /// All products, if the result has the type of the sums.
    fn run<E: AccumulatorScalar>(&self, out: &mut [E], context: &mut Context) -> Result<(), KernelError> {
        let size = self.size();
        let [m, n, k] = size;
        let (rows, columns) = (&self.plan.rows[1], &self.plan.columns[1]);
        if m * n * k <= MAX_UNPACKED_MULTIPLY_ADDS {
            return self.run_unpacked(out, context);
        }
        let [left, right] = self.operands(self.offsets);
        if let Some(mut few_rows) = few_rows::FewRows::new(&left, &right, size, context)
            && let Some(out) = E::as_f32_mut(out)
        {
            self.for_each_batch(|[a, b, at]| {
                let [left, right] = self.operands([a, b]);
                few_rows.multiply(
                    &left,
                    &right,
                    &mut Out { elements: out, offset: at, rows, columns },
                    context,
                )
            })?;
            few_rows.release(context);
            return Ok(());
        }
        let matrices = self.plan.batch[0].len();
        let reuse = self.operand_indices.map(|operand| PanelReuse { operand, matrices, is_reused: false });
        let mut workspace = Workspace::new::<E>(context, size, reuse);
        let mut batch = 0;
        self.for_each_batch(|[a, b, at]| {
            let [left, right] = self.operands([a, b]);
            workspace.select_matrices([batch; 2]);
            batch += 1;
            workspace.multiply(&left, &right, &mut Out { elements: out, offset: at, rows, columns }, context)
        })?;
        workspace.release::<E>(context);
        Ok(())
    }

    /// Products too small to pack: every element is read in place.
    fn run_unpacked<E: AccumulatorScalar>(
        &self,
        out: &mut [E],
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let [m, n, k] = self.size();
        let offsets = |map: &OffsetMap, size: usize| (0..size).map(|i| map.offset(i)).collect::<Vec<isize>>();
        let depth = [offsets(&self.plan.depth[0], k), offsets(&self.plan.depth[1], k)];
        let rows = [offsets(&self.plan.rows[0], m), offsets(&self.plan.rows[1], m)];
        let columns = [offsets(&self.plan.columns[0], n), offsets(&self.plan.columns[1], n)];
        let (mut left, mut right) = (vec![E::default(); m * k], vec![E::default(); n * k]);
        let (mut unreported_steps, mut work_since_check) = (0, 0);
        self.for_each_batch(|[a, b, at]| {
            let [lhs, rhs] = self.operands([a, b]);
            if k > 0 {
                let shifted = |offsets: &[isize], by: isize| {
                    offsets.iter().map(|offset| offset + by).collect::<Vec<isize>>()
                };
                E::gather(lhs.operand_slice(), &shifted(&rows[0], a), &depth[0], 1, &mut left);
                E::gather(rhs.operand_slice(), &shifted(&columns[0], b), &depth[1], 1, &mut right);
            }
            for (i, row) in rows[1].iter().enumerate() {
                for (j, column) in columns[1].iter().enumerate() {
                    let (left, right) = (&left[i * k..][..k], &right[j * k..][..k]);
                    let add = |sum: E, (a, b): (&E, &E)| sum.plus_product(*a, *b);
                    let sum = left.iter().zip(right).fold(E::default(), add);
                    out[(at + row + column).cast_unsigned()] = sum.canonicalized();
                }
            }
            unreported_steps += m * n * k;
            // A product without depth takes time, too.
            work_since_check += m * n * k + 16;
            if work_since_check > CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS {
                work_since_check = 0;
                context.tick(std::mem::take(&mut unreported_steps) as u64)?;
            }
            Ok(())
        })
    }

    /// All products, if the result is narrower than the sums: blocks of sums are computed in scratch memory, then rounded.
    fn run_narrowed<E: AccumulatorScalar>(
        &self,
        ty: Type,
        out: &mut SliceMut,
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let [m, n, k] = self.size();
        let (height, width) = (m.min(NARROWED_ROWS), n.min(NC));
        let mut sums = scratch_for::<E>(context.scratch, height * width);
        let mut workspace = Workspace::new::<E>(context, [height, width, k], [PanelReuse::ONCE; 2]);
        let mut batch = 0;
        let (mut rows, mut columns) = (vec![0; height], vec![0; width]);
        let mut slots = vec![0; width];
        self.for_each_batch(|[a, b, at]| {
            let [left, right] = self.operands([a, b]);
            for first_row in (0..m).step_by(NARROWED_ROWS) {
                let height = NARROWED_ROWS.min(m - first_row);
                self.plan.rows[1].fill(first_row, at, &mut rows[..height]);
                for first_column in (0..n).step_by(NC) {
                    let width = NC.min(n - first_column);
                    self.plan.columns[1].fill(first_column, 0, &mut columns[..width]);
                    let block_rows = OffsetMap::new([(height, width.cast_signed())]);
                    let block_columns = OffsetMap::new([(width, 1)]);
                    let free_of_block = |operand: &MatrixOperand, first: usize, size: usize| {
                        let mut offsets = vec![0; size];
                        operand.free.fill(first, 0, &mut offsets);
                        let mut map = OffsetMap::default();
                        map.push(OffsetDim::Table(offsets));
                        map
                    };
                    let left_free = free_of_block(&left, first_row, height);
                    let right_free = free_of_block(&right, first_column, width);
                    let elements = &mut elements_of::<E>(&mut sums)[..height * width];
                    workspace.select_matrices([batch; 2]);
                    batch += 1;
                    let mut block = Out { elements, offset: 0, rows: &block_rows, columns: &block_columns };
                    let (left, right) = (
                        MatrixOperand { free: &left_free, ..left },
                        MatrixOperand { free: &right_free, ..right },
                    );
                    workspace.multiply(&left, &right, &mut block, context)?;
                    for (row, sums) in rows[..height].iter().zip(block.elements.chunks_exact(width)) {
                        for (slot, column) in slots.iter_mut().zip(&columns[..width]) {
                            *slot = (row + column).cast_unsigned();
                        }
                        E::narrow(sums, ty, &slots, out);
                    }
                }
            }
            Ok(())
        })?;
        workspace.release::<E>(context);
        context.scratch.recycle(sums);
        Ok(())
    }
}

/// Rows of a block of sums, if the result is narrower than the sums. Under Miri a panel.
const NARROWED_ROWS: usize = if cfg!(miri) { 4 } else { 256 };
/// Multiply-adds between cancellation checks of unpacked products.
const CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS: usize = 1 << 22;
