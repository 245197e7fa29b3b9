//! Dots: any batch and contracting dimensions, any layout.
//!
//! The dimensions are in four groups: batch, free dimensions of the left operand (rows), free dimensions of the right operand
//! (columns), and contracted dimensions (depth). Each pair of matrices is a product of [`crate::gemm::blocked`], with the
//! operands exchanged if rows are contiguous in the result. Few rows or columns are products of [`crate::gemm::few_rows`]. On
//! every path, cells are summed in the order that `gemm` states, which depends on the depth alone: the dot of some rows or
//! columns has the bits of the whole dot, so that several workers can share it.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, in_kernel_builds};
use crate::dot::task::Dot;
use crate::gemm::blocked::Work;
use crate::gemm::few_rows;
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{MatrixOperand, NC, Out, cells_of, room};
use crate::gemm::panels::PanelReuse;
use crate::gemm::sum::{Sum, is_wider, sum_of};
use crate::gemm::typed::SumType;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};

/// The kernels of [`Dot`].
pub static KERNELS: &[KernelOf<Dot>] = &[
    kernel("dot f32", true, 1.0, |task| matches!(types(task), Some((Type::F32, Type::F32)))),
    kernel("dot f16 bf16 in f32", true, 1.0, |task| {
        types(task).is_some_and(|(from, to)| is_half(from) && (is_half(to) || to == Type::F32))
    }),
    kernel("dot f64 complex", false, 2.0, |task| {
        types(task).is_some_and(|(_, to)| matches!(sum_of(to), Sum::F64 | Sum::C64 | Sum::C128))
    }),
    kernel("dot integer", false, 0.0, |task| types(task).is_some()),
];

const fn kernel(
    name: &'static str,
    is_vector: bool,
    error_bound_ulp: f64,
    supports: fn(&Dot) -> bool,
) -> KernelOf<Dot> {
    KernelOf { kernel: Kernel { name, is_vector, error_bound_ulp }, supports, run: in_kernel_builds(run) }
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16)
}

/// The types of the operands and of the result, if kernels support them.
fn types(dot: &Dot) -> Option<(Type, Type)> {
    let (from, to) = (dot.lhs.ty, dot.out.ty);
    (from == dot.rhs.ty && is_wider(from, to)).then_some((from, to))
}

/// The dimensions of a dot, by group.
struct Plan {
    /// The batch dimensions in both operands and the result.
    batch: [Group; 3],
    /// Rows in the left operand and the result.
    rows: [Group; 2],
    /// Columns in the right operand and the result.
    columns: [Group; 2],
    /// The contracted dimensions in both operands.
    depth: [Group; 2],
}

impl Plan {
    fn of(dot: &Dot) -> Self {
        let (lhs, rhs, out) = (&dot.lhs.view, &dot.rhs.view, &dot.out.view);
        let free = |rank, batch: &[usize], contracting: &[usize]| {
            let is_free = |d: &usize| !batch.contains(d) && !contracting.contains(d);
            (0..rank).filter(is_free).collect::<Vec<usize>>()
        };
        let group = |view: &crate::support::view::View, dims: &[usize]| {
            Group::of(dims.iter().map(|d| (view.sizes[*d], view.strides[*d])))
        };
        let left = free(lhs.rank(), &dot.lhs_batch, &dot.lhs_contracting);
        let right = free(rhs.rank(), &dot.rhs_batch, &dot.rhs_contracting);
        let out_dims: Vec<usize> = (0..out.rank()).collect();
        let (batch, rest) = out_dims.split_at(dot.lhs_batch.len());
        let (rows, columns) = rest.split_at(left.len());
        Self {
            batch: [group(lhs, &dot.lhs_batch), group(rhs, &dot.rhs_batch), group(out, batch)],
            rows: [group(lhs, &left), group(out, rows)],
            columns: [group(rhs, &right), group(out, columns)],
            depth: [group(lhs, &dot.lhs_contracting), group(rhs, &dot.rhs_contracting)],
        }
    }

    /// Exchanges the operands, and so rows and columns. The product has the same bits.
    fn exchanged(self) -> Self {
        let [left, right, out] = self.batch;
        let [a, b] = self.depth;
        Self { batch: [right, left, out], rows: self.columns, columns: self.rows, depth: [b, a] }
    }
}

fn run(task: CheckedTask<Dot>, context: &mut Context) -> Result<(), KernelError> {
    let (dot, [left, right], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    match sum_of(dot.out.ty) {
        Sum::F32 => typed::<f32>(dot, [*left, *right], out, context),
        Sum::F64 => typed::<f64>(dot, [*left, *right], out, context),
        Sum::I32 => typed::<i32>(dot, [*left, *right], out, context),
        Sum::I64 => typed::<i64>(dot, [*left, *right], out, context),
        Sum::C64 => typed::<[f32; 2]>(dot, [*left, *right], out, context),
        Sum::C128 => typed::<[f64; 2]>(dot, [*left, *right], out, context),
    }
}

fn typed<E: SumType>(
    dot: &Dot,
    mut cells: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<(), KernelError> {
    if dot.out.view.sizes.contains(&0) {
        return Ok(());
    }
    let mut plan = Plan::of(dot);
    let mut offsets = [dot.lhs.view.offset, dot.rhs.view.offset].map(usize::cast_signed);
    let [m, n] = [plan.rows[0].len(), plan.columns[0].len()];
    let few = few_rows::MAX_ROWS;
    let is_exchanged = if m.min(n) <= few && m.max(n) > few {
        n < m
    } else {
        plan.columns[1].minor() != 1 && plan.rows[1].minor() == 1
    };
    let mut operands = [0, 1];
    if is_exchanged {
        plan = plan.exchanged();
        cells.reverse();
        offsets.reverse();
        operands.reverse();
    }
    let at = dot.out.view.offset.cast_signed();
    let batches = Batches { plan: &plan, cells, operands, ty: dot.lhs.ty, offsets, at };
    if let Some(cells) = E::view_mut(out).filter(|_| dot.out.ty != Type::Pred) {
        return batches.run::<E>(cells, context);
    }
    batches.narrow::<E>(dot.out.ty, out, context)
}

/// All products of a dot.
struct Batches<'a> {
    plan: &'a Plan,
    cells: [Slice<'a>; 2],
    /// The operand numbers of left and right, which may be exchanged.
    operands: [usize; 2],
    ty: Type,
    offsets: [isize; 2],
    at: isize,
}

/// Batches whose offsets are computed at a time.
const BATCHES_AT_ONCE: usize = 64;

/// Multiply-adds up to which packing costs more than it saves. Under Miri those of 2 x 3 x 2.
const MAX_UNPACKED_MULTIPLY_ADDS: usize = if cfg!(miri) { 12 } else { 256 };

impl Batches<'_> {
    fn size(&self) -> [usize; 3] {
        [self.plan.rows[0].len(), self.plan.columns[0].len(), self.plan.depth[0].len()]
    }

    fn sides(&self, at: [isize; 2]) -> [MatrixOperand<'_>; 2] {
        let plan = self.plan;
        let side = |i: usize, outer| MatrixOperand {
            cells: self.cells[i],
            ty: self.ty,
            offset: at[i],
            outer,
            depth: &plan.depth[i],
        };
        [side(0, &plan.rows[0]), side(1, &plan.columns[0])]
    }

    /// Calls `f` with the offsets of each batch.
    fn each(&self, mut f: impl FnMut([isize; 3]) -> Result<(), KernelError>) -> Result<(), KernelError> {
        let count = self.plan.batch[0].len();
        let offsets = [self.offsets[0], self.offsets[1], self.at];
        for first in (0..count).step_by(BATCHES_AT_ONCE) {
            let mut offsets_here = [[0; BATCHES_AT_ONCE]; 3];
            for ((group, here), offset) in self.plan.batch.iter().zip(&mut offsets_here).zip(offsets) {
                group.fill(first, offset, here);
            }
            let [a, b, out] = offsets_here;
            for i in 0..BATCHES_AT_ONCE.min(count - first) {
                f([a[i], b[i], out[i]])?;
            }
        }
        Ok(())
    }

    /// All products, if the result has the type of the sums.
    fn run<E: SumType>(&self, out: &mut [E], context: &mut Context) -> Result<(), KernelError> {
        let size = self.size();
        let [m, n, k] = size;
        let (rows, columns) = (&self.plan.rows[1], &self.plan.columns[1]);
        if m * n * k <= MAX_UNPACKED_MULTIPLY_ADDS {
            return self.tiny(out, context);
        }
        let [left, right] = self.sides(self.offsets);
        if let Some(mut few) = few_rows::FewRows::of(&left, &right, size, context)
            && let Some(out) = E::floats(out)
        {
            self.each(|[a, b, at]| {
                let [left, right] = self.sides([a, b]);
                few.product(&left, &right, &mut Out { cells: out, offset: at, rows, columns }, context)
            })?;
            few.release(context);
            return Ok(());
        }
        let matrices = self.plan.batch[0].len();
        let reuse = self.operands.map(|operand| PanelReuse { operand, matrices, is_again: false });
        let mut work = Work::new::<E>(context, size, reuse);
        let mut number = 0;
        self.each(|[a, b, at]| {
            let [left, right] = self.sides([a, b]);
            work.choose([number; 2]);
            number += 1;
            work.product(&left, &right, &mut Out { cells: out, offset: at, rows, columns }, context)
        })?;
        work.release::<E>(context);
        Ok(())
    }

    /// Products too small to pack: every element is read in place.
    fn tiny<E: SumType>(&self, out: &mut [E], context: &mut Context) -> Result<(), KernelError> {
        let [m, n, k] = self.size();
        let distances = |group: &Group, size: usize| (0..size).map(|i| group.at(i)).collect::<Vec<isize>>();
        let depth = [distances(&self.plan.depth[0], k), distances(&self.plan.depth[1], k)];
        let rows = [distances(&self.plan.rows[0], m), distances(&self.plan.rows[1], m)];
        let columns = [distances(&self.plan.columns[0], n), distances(&self.plan.columns[1], n)];
        let (mut left, mut right) = (vec![E::default(); m * k], vec![E::default(); n * k]);
        let (mut steps, mut work) = (0, 0);
        self.each(|[a, b, at]| {
            let [one, two] = self.sides([a, b]);
            if k > 0 {
                let moved =
                    |lines: &[isize], by: isize| lines.iter().map(|line| line + by).collect::<Vec<isize>>();
                E::gather(&one, &moved(&rows[0], a), &depth[0], 1, &mut left);
                E::gather(&two, &moved(&columns[0], b), &depth[1], 1, &mut right);
            }
            for (i, row) in rows[1].iter().enumerate() {
                for (j, column) in columns[1].iter().enumerate() {
                    let (left, right) = (&left[i * k..][..k], &right[j * k..][..k]);
                    let add = |sum: E, (a, b): (&E, &E)| sum.plus_product(*a, *b);
                    let sum = left.iter().zip(right).fold(E::default(), add);
                    out[(at + row + column).cast_unsigned()] = sum.canonicalized();
                }
            }
            steps += m * n * k;
            work += m * n * k + 16;
            if work > 1 << 22 {
                work = 0;
                context.tick(std::mem::take(&mut steps) as u64)?;
            }
            Ok(())
        })
    }

    /// All products, if the result is narrower than the sums: blocks of sums are computed in scratch memory, then rounded.
    fn narrow<E: SumType>(
        &self,
        ty: Type,
        out: &mut SliceMut,
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let [m, n, k] = self.size();
        let (height, width) = (m.min(NARROW_ROWS), n.min(NC));
        let mut sums = room::<E>(context.scratch, height * width);
        let mut work = Work::new::<E>(context, [height, width, k], [PanelReuse::ONCE; 2]);
        let mut number = 0;
        let (mut rows, mut columns) = (vec![0; height], vec![0; width]);
        let mut slots = vec![0; width];
        self.each(|[a, b, at]| {
            let [left, right] = self.sides([a, b]);
            for first_row in (0..m).step_by(NARROW_ROWS) {
                let height = NARROW_ROWS.min(m - first_row);
                self.plan.rows[1].fill(first_row, at, &mut rows[..height]);
                for first in (0..n).step_by(NC) {
                    let width = NC.min(n - first);
                    self.plan.columns[1].fill(first, 0, &mut columns[..width]);
                    let own = [Group::of([(height, width.cast_signed())]), Group::of([(width, 1)])];
                    let part = |side: &MatrixOperand, group: &mut Vec<isize>, from: usize, size: usize| {
                        group.resize(size, 0);
                        side.outer.fill(from, 0, group);
                    };
                    let (mut left_lines, mut right_lines) = (Vec::new(), Vec::new());
                    part(&left, &mut left_lines, first_row, height);
                    part(&right, &mut right_lines, first, width);
                    let lines = [left_lines, right_lines].map(|lines| {
                        let mut group = Group::default();
                        group.push(crate::gemm::index_group::Axis::Table(lines));
                        group
                    });
                    let cells = &mut cells_of::<E>(&mut sums)[..height * width];
                    work.choose([number; 2]);
                    number += 1;
                    let mut part = Out { cells, offset: 0, rows: &own[0], columns: &own[1] };
                    let (left, right) = (
                        MatrixOperand { outer: &lines[0], ..left },
                        MatrixOperand { outer: &lines[1], ..right },
                    );
                    work.product(&left, &right, &mut part, context)?;
                    for (row, sums) in rows[..height].iter().zip(part.cells.chunks_exact(width)) {
                        for (slot, column) in slots.iter_mut().zip(&columns[..width]) {
                            *slot = (row + column).cast_unsigned();
                        }
                        E::narrow(sums, ty, &slots, out);
                    }
                }
            }
            Ok(())
        })?;
        work.release::<E>(context);
        context.scratch.recycle(sums);
        Ok(())
    }
}

/// Rows of a block of sums, if the result is narrower than the sums. Under Miri a panel.
const NARROW_ROWS: usize = if cfg!(miri) { 4 } else { 256 };
