//! Convolutions: any rank, strides, padding, dilations, reversal, groups and layout.
//!
//! A convolution is a product of matrices: rows are output features, columns are the places of the window (batch and
//! spatial dimensions of the result), depth is input features and cells of the window, in the order of the kernel's
//! dimensions. The columns are cut into boxes; what the windows of a box see of the input is laid out anew beside one
//! another ([`crate::conv::im2col`]), padded with zeros, so that nothing larger than a cache is built. A window of
//! one cell needs none of this. Sums are in the order of [`crate::gemm::blocked`].
//!
//! Padding is no operand: a weight that is infinite or NaN must not meet it. Where such a weight makes NaN of a cell, that cell
//! is summed again without the padding.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::simd::best::Best;
use crate::conv::depthwise;
use crate::conv::few_places;
use crate::conv::im2col::Stage;
use crate::conv::winograd;
use crate::dot::batches::{Sum, is_wider, sum_of};
use crate::gemm::blocked::{COLUMNS, DEPTH, Out, Side, Work, cells_of, room};
use crate::gemm::panels::Keep;
use crate::gemm::typed::Typed;
use crate::gemm::index_group::Group;
use crate::task::kernel::{Context, Kernel, Stop, linked};
use crate::simd::lanes::Lanes;
use crate::ground::slice::{Slice, SliceMut};
use crate::task::description::{Convolution, Task, Type};

/// The kernels of this file.
pub static KERNELS: &[Kernel] = &[
    Kernel {
        name: "convolution f32",
        serves: |task| matches!(types(task), Some((Type::F32, Type::F32))),
        is_vector: true,
        bound: if cfg!(target_feature = "relaxed-simd") { 8.0 } else { 1.0 },
        run: linked(run),
    },
    Kernel {
        name: "convolution f16 bf16 in f32",
        serves: |task| {
            let is_half = |ty| matches!(ty, Type::F16 | Type::BF16);
            types(task).is_some_and(|(from, to)| is_half(from) && (is_half(to) || to == Type::F32))
        },
        is_vector: true,
        bound: 1.0,
        run: linked(run),
    },
    Kernel {
        name: "convolution f64 complex",
        serves: |task| {
            types(task).is_some_and(|(_, to)| matches!(sum_of(to), Sum::F64 | Sum::C64 | Sum::C128))
        },
        is_vector: false,
        bound: 2.0,
        run: linked(run),
    },
    Kernel {
        name: "convolution integer",
        serves: |task| types(task).is_some(),
        is_vector: false,
        bound: 0.0,
        run: linked(run),
    },
];

/// The type of both operands, and that of the result, where there is a kernel for them.
fn types(task: &Task) -> Option<(Type, Type)> {
    let Task::Convolution(convolution) = task else { return None };
    let (from, to) = (convolution.lhs.ty, convolution.out.ty);
    (from == convolution.rhs.ty && is_wider(from, to)).then_some((from, to))
}

fn run(task: &Task, read: &[Slice], written: &mut [SliceMut], context: &mut Context) -> Result<(), Stop> {
    let (Task::Convolution(convolution), [lhs, rhs], [out]) = (task, read, written) else {
        return Err(Stop::Invalid);
    };
    let cells = [*lhs, *rhs];
    match sum_of(convolution.out.ty) {
        Sum::F32 => typed::<f32>(convolution, cells, out, context),
        Sum::F64 => typed::<f64>(convolution, cells, out, context),
        Sum::I32 => typed::<i32>(convolution, cells, out, context),
        Sum::I64 => typed::<i64>(convolution, cells, out, context),
        Sum::C64 => typed::<[f32; 2]>(convolution, cells, out, context),
        Sum::C128 => typed::<[f64; 2]>(convolution, cells, out, context),
    }
}

/// How places are numbered: a dimension of the result that is no feature, and what the window sees along it.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Places.
    pub places: usize,
    /// From one place to the next, in positions of the base area.
    pub stride: usize,
    /// Cells of the window.
    pub size: usize,
    /// From one cell of the window to the next.
    pub dilation: usize,
    /// Whether the window is read backwards.
    pub is_reversed: bool,
    /// Padding below.
    pub low: isize,
    /// From one element of the input to the next, in positions.
    pub base_dilation: usize,
    /// Elements of the input.
    pub elements: usize,
    /// From one element of the input to the next, in cells.
    pub input: isize,
    /// From one place to the next in the result, in cells.
    pub out: isize,
}

impl Axis {
    /// The element at a position of the base area; `None` in padding and in the gaps of dilation.
    pub fn element(&self, position: isize) -> Option<usize> {
        let at = usize::try_from(position - self.low).ok()?;
        let element = at / self.base_dilation;
        (at.is_multiple_of(self.base_dilation) && element < self.elements).then_some(element)
    }

    /// The position that a cell of the window sees from its first place.
    pub fn position(&self, cell: usize) -> usize {
        self.dilation * if self.is_reversed { self.size - 1 - cell } else { cell }
    }

    /// Whether every cell of the window lies on an element at every place.
    pub fn is_full(&self) -> bool {
        let last = ((self.places - 1) * self.stride + (self.size - 1) * self.dilation).cast_signed();
        let is_first_in = self.low <= 0 && self.base_dilation == 1;
        is_first_in && last - self.low < self.elements.cast_signed()
    }
}

/// A convolution in terms of matrices.
#[derive(Debug)]
pub struct Plan {
    /// Batch, then the spatial dimensions.
    pub axes: Vec<Axis>,
    /// Groups, of features or of the batch: each is a convolution of its own.
    pub groups: usize,
    /// Output features of a group.
    pub outputs: usize,
    /// Input features of a group.
    pub inputs: usize,
    /// From one input feature to the next in the input.
    pub feature: isize,
    /// From one group to the next in input, kernel and result.
    pub group_steps: [isize; 3],
    /// Output features in the kernel and in the result.
    pub rows: [Group; 2],
    /// Input features and cells of the window in the kernel.
    pub depth: Group,
    /// The slot of the first cell of input, kernel and result.
    pub offsets: [isize; 3],
}

impl Plan {
    /// Of a task.
    pub fn of(task: &Convolution) -> Self {
        let (lhs, rhs, out) = (&task.lhs.view, &task.rhs.view, &task.out.view);
        let groups = task.feature_groups.max(task.batch_groups);
        let (outputs, inputs) = (rhs.sizes[0] / groups, rhs.sizes[1]);
        let batch = Axis {
            places: out.sizes[0],
            stride: 1,
            size: 1,
            dilation: 1,
            is_reversed: false,
            low: 0,
            base_dilation: 1,
            elements: out.sizes[0],
            input: lhs.strides[0],
            out: out.strides[0],
        };
        let spatial = task.window.iter().enumerate().map(|(i, window)| Axis {
            places: out.sizes[i + 2],
            stride: window.stride,
            size: window.size,
            dilation: window.dilation,
            is_reversed: window.is_reversed,
            low: window.low,
            base_dilation: window.base_dilation,
            elements: lhs.sizes[i + 2],
            input: lhs.strides[i + 2],
            out: out.strides[i + 2],
        });
        let step = |size: usize, stride: isize| size.cast_signed() * stride;
        let input_step = if task.batch_groups > 1 {
            step(out.sizes[0], lhs.strides[0])
        } else {
            step(inputs, lhs.strides[1])
        };
        let kernel = rhs.sizes.iter().copied().zip(rhs.strides.iter().copied());
        Self {
            axes: std::iter::once(batch).chain(spatial).collect(),
            groups,
            outputs,
            inputs,
            feature: lhs.strides[1],
            group_steps: [input_step, step(outputs, rhs.strides[0]), step(outputs, out.strides[1])],
            rows: [Group::of([(outputs, rhs.strides[0])]), Group::of([(outputs, out.strides[1])])],
            depth: Group::of(kernel.skip(1)),
            offsets: [lhs.offset, rhs.offset, out.offset].map(usize::cast_signed),
        }
    }

    /// The slots of the first cells of a group.
    pub fn group(&self, group: usize) -> [isize; 3] {
        std::array::from_fn(|i| self.offsets[i] + group.cast_signed() * self.group_steps[i])
    }

    /// The sum of one cell, without what is no element.
    fn cell<E: Typed>(&self, sides: [&Side; 2], places: &[usize], row: usize) -> E {
        let [input, kernel] = sides;
        let mut sum = E::default();
        let mut block = E::default();
        let fetch = |side: &Side, slot: isize| {
            let mut cell = [E::default()];
            E::gather(side, &[slot], &[0], 1, &mut cell);
            cell[0]
        };
        let depth = self.depth.len();
        for k in 0..depth {
            let (mut rest, mut slot) = (k, Some(input.offset));
            for (axis, place) in self.axes.iter().zip(places).rev() {
                let position = place * axis.stride + axis.position(rest % axis.size);
                let element = axis.element(position.cast_signed());
                slot = slot.zip(element).map(|(slot, element)| slot + element.cast_signed() * axis.input);
                rest /= axis.size;
            }
            if let Some(slot) = slot {
                let a = fetch(kernel, kernel.offset + self.rows[0].at(row) + self.depth.at(k));
                let b = fetch(input, slot + rest.cast_signed() * self.feature);
                block = block.plus_product(a, b);
            }
            if (k + 1).is_multiple_of(DEPTH) || k + 1 == depth {
                sum = sum.plus(block);
                block = E::default();
            }
        }
        sum.settled()
    }
}

/// Some of the places: first and count along each axis.
#[derive(Clone, Debug)]
pub struct Place {
    /// The first along each axis.
    pub first: Vec<usize>,
    /// How many along each axis.
    pub count: Vec<usize>,
}

/// The boxes that all places are cut into, each of at most `most` places or one: whole minor axes, a part of one.
pub fn boxes(axes: &[Axis], most: usize) -> (Vec<usize>, usize) {
    let mut left = most.max(1);
    let mut counts = vec![1; axes.len()];
    for (count, axis) in counts.iter_mut().zip(axes).rev() {
        let parts = axis.places.div_ceil(left.clamp(1, axis.places));
        *count = axis.places.div_ceil(parts);
        left = if parts == 1 { left / axis.places } else { 1 };
    }
    let all = counts.iter().zip(axes).map(|(count, axis)| axis.places.div_ceil(*count)).product();
    (counts, all)
}

/// The box of a number.
pub fn place(axes: &[Axis], counts: &[usize], number: usize) -> Place {
    let (mut rest, mut first) = (number, vec![0; axes.len()]);
    for d in (0..axes.len()).rev() {
        let parts = axes[d].places.div_ceil(counts[d]);
        first[d] = rest % parts * counts[d];
        rest /= parts;
    }
    let count = (0..axes.len()).map(|d| counts[d].min(axes[d].places - first[d])).collect();
    Place { first, count }
}

/// Does convolutions of `f32` that have a way of their own; `false` where it is none of these.
fn special(
    task: &Convolution,
    plan: &Plan,
    cells: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<bool, Stop> {
    let ([Slice::F32(lhs), Slice::F32(rhs)], SliceMut::F32(out)) = (cells, out) else { return Ok(false) };
    if depthwise::serves(plan) {
        let mut mending = Mending::of::<f32>(plan, cells[1], task);
        return depthwise::run(plan, [lhs, rhs], out, &mut mending, context).map(|()| true);
    }
    if few_places::run(plan, [lhs, rhs], out, context)? {
        return Ok(true);
    }
    Ok(cfg!(target_feature = "relaxed-simd")
        && winograd::run_if_right(plan, [lhs, rhs], out, context)?)
}

fn typed<E: Typed>(
    task: &Convolution,
    cells: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<(), Stop> {
    if task.out.view.sizes.contains(&0) {
        return Ok(());
    }
    let plan = Plan::of(task);
    let ty = task.lhs.ty;
    if special(task, &plan, cells, out, context)? {
        return Ok(());
    }
    let is_direct = plan.axes.iter().all(|axis| axis.size == 1 && axis.is_full());
    let k = plan.depth.len();
    // Of little depth, more places are worth a box.
    let wide = COLUMNS * (DEPTH / k.max(1)).clamp(1, 16);
    let most = if is_direct { usize::MAX } else { Stage::most(&plan, wide) };
    let (counts, count) = boxes(&plan.axes, most);
    let columns: usize = counts.iter().product();
    // Where features are what lies side by side in the result, places are the rows.
    let is_exchanged =
        plan.rows[1].minor() == 1 && plan.outputs > 1 && plan.axes.last().is_some_and(|a| a.out != 1);
    let is_narrow = E::view_mut(out).is_none() || task.out.ty == Type::Pred;
    let (m, n) = if is_exchanged { (columns, plan.outputs) } else { (plan.outputs, columns) };
    let weights = Keep { operand: 1, matrices: plan.groups, is_again: count > 1 };
    let exchange = |pair: [Keep; 2]| if is_exchanged { [pair[1], pair[0]] } else { pair };
    let mut work = Work::new::<E>(context, [m, n, k], exchange([weights, Keep::ONCE]));
    let mut stage = (!is_direct).then(|| Stage::new::<E>(&plan, &counts, 0, 0, context.scratch));
    let mut sums = room::<E>(context.scratch, if is_narrow { columns * plan.outputs } else { 0 });
    let mut mending = Mending::of::<E>(&plan, cells[1], task);
    for group in 0..plan.groups {
        let [input, kernel, result] = plan.group(group);
        for number in 0..count {
            let place = place(&plan.axes, &counts, number);
            let seen = group * count + number;
            work.choose(if is_exchanged { [seen, group] } else { [group, seen] });
            let weights =
                Side { cells: cells[1], ty, offset: kernel, lines: &plan.rows[0], depth: &plan.depth };
            let all = Side { cells: cells[0], ty, offset: input, lines: &plan.rows[0], depth: &plan.depth };
            let lines;
            let depth;
            let seen = if let Some(stage) = &mut stage {
                stage.set(&plan, &place, 0);
                let staged = stage.fill::<E>(&plan, &all);
                Side { cells: staged.cells, ty: E::TYPE, offset: 0, lines: staged.lines, depth: staged.depth }
            } else {
                let step = |axis: &Axis| axis.stride.cast_signed() * axis.input;
                lines = Group::of(plan.axes.iter().map(|axis| (axis.places, step(axis))));
                depth = Group::of([(plan.inputs, plan.feature)]);
                let low: isize = plan.axes.iter().map(|axis| -axis.low * axis.input).sum();
                Side { offset: input + low, lines: &lines, depth: &depth, ..all }
            };
            let axes = plan.axes.iter().zip(&place.count);
            let mut rows = plan.rows[1].clone();
            let mut places = Group::of(axes.map(|(axis, count)| (*count, axis.out)));
            let first = plan.axes.iter().zip(&place.first);
            let mut offset =
                result + first.map(|(axis, first)| first.cast_signed() * axis.out).sum::<isize>();
            let own = place.count.iter().product::<usize>();
            let slots = (rows.clone(), places.clone(), offset);
            if is_narrow {
                rows = Group::of([(plan.outputs, own.cast_signed())]);
                places = Group::of([(own, 1)]);
                offset = 0;
            }
            let cells =
                if is_narrow { cells_of::<E>(&mut sums) } else { E::view_mut(out).ok_or(Stop::Invalid)? };
            let (a, b) = if is_exchanged { (&seen, &weights) } else { (&weights, &seen) };
            let (of_a, of_b) = if is_exchanged { (&places, &rows) } else { (&rows, &places) };
            work.product(a, b, &mut Out { cells, offset, rows: of_a, columns: of_b }, context)?;
            mending.mend::<E>(&plan, [&all, &weights], &place, (cells, offset, [&rows, &places]), context)?;
            if is_narrow {
                let (rows, places, offset) = slots;
                let columns: Vec<isize> = (0..own).map(|i| offset + places.at(i)).collect();
                let sums = cells_of::<E>(&mut sums);
                for (row, sums) in (0..plan.outputs).zip(sums.chunks_exact(own)) {
                    let at = rows.at(row);
                    let slots: Vec<usize> =
                        columns.iter().map(|column| (at + column).cast_unsigned()).collect();
                    E::narrow(sums, task.out.ty, &slots, out);
                }
            }
        }
    }
    work.done::<E>(context);
    context.scratch.keep(sums);
    if let Some(stage) = stage {
        stage.done(context.scratch);
    }
    Ok(())
}

/// Whether a weight that is no number may have met padding.
pub struct Mending {
    /// Whether there is padding, or are gaps.
    is_padded: bool,
    /// Whether there are such weights, as far as it is known.
    is_odd: Option<bool>,
}

impl Mending {
    /// Looks at the weights, if they are fewer than the cells of the result; else at a NaN first.
    pub fn of<E: Typed>(plan: &Plan, kernel: Slice, task: &Convolution) -> Self {
        let is_padded = !plan.axes.iter().all(Axis::is_full);
        let mut mending = Self { is_padded, is_odd: None };
        let elements = task.out.view.elements();
        // Mostly all weights are numbers, which is seen at once.
        if let Slice::F32(weights) = kernel
            && is_padded
            && weights.len() <= 4 * elements
            && are_numbers(weights)
        {
            mending.is_odd = Some(false);
            return mending;
        }
        if is_padded && plan.depth.len() * plan.outputs * plan.groups <= elements {
            mending.look::<E>(plan, kernel, task.lhs.ty);
        }
        mending
    }

    fn look<E: Typed>(&mut self, plan: &Plan, cells: Slice, ty: Type) -> bool {
        if let Some(is_odd) = self.is_odd {
            return is_odd;
        }
        let mut is_odd = false;
        let (mut depth, mut numbers) = (vec![0; DEPTH], vec![E::default(); DEPTH]);
        for group in 0..plan.groups {
            let [_, offset, _] = plan.group(group);
            let side = Side { cells, ty, offset, lines: &plan.rows[0], depth: &plan.depth };
            for row in 0..plan.outputs {
                let line = offset + plan.rows[0].at(row);
                for top in (0..plan.depth.len()).step_by(DEPTH) {
                    let deep = DEPTH.min(plan.depth.len() - top);
                    plan.depth.fill(top, 0, &mut depth[..deep]);
                    E::gather(&side, &[line], &depth[..deep], 1, &mut numbers[..deep]);
                    // Zero times what is no number is NaN, and zero times a number is not.
                    let odd = |x: &E| E::default().plus_product(E::default(), *x).is_nan();
                    is_odd |= numbers[..deep].iter().any(odd);
                }
            }
        }
        self.is_odd = Some(is_odd);
        is_odd
    }

    /// Sums those cells of a box again that padding may have made NaN.
    pub fn mend<E: Typed>(
        &mut self,
        plan: &Plan,
        sides: [&Side; 2],
        place: &Place,
        (cells, offset, [rows, places]): (&mut [E], isize, [&Group; 2]),
        context: &mut Context,
    ) -> Result<(), Stop> {
        if !self.is_padded || self.is_odd == Some(false) {
            return Ok(());
        }
        let mut columns = vec![0; places.len()];
        places.fill(0, offset, &mut columns);
        for row in 0..plan.outputs {
            let line = rows.at(row);
            for (i, column) in columns.iter().enumerate() {
                let cell = &mut cells[(column + line).cast_unsigned()];
                if !cell.is_nan() {
                    continue;
                }
                if !self.look::<E>(plan, sides[1].cells, sides[1].ty) {
                    return Ok(());
                }
                let (mut rest, mut at) = (i, place.first.clone());
                for (at, count) in at.iter_mut().zip(&place.count).rev() {
                    *at += rest % count;
                    rest /= count;
                }
                *cell = plan.cell(sides, &at, row);
                context.tick(plan.depth.len() as u64)?;
            }
        }
        Ok(())
    }
}

/// Whether no number is infinite or NaN.
fn are_numbers(all: &[f32]) -> bool {
    let (fours, rest) = all.as_chunks::<4>();
    let mut sums = [Best::zero(); 4];
    for fours in fours.chunks(4) {
        for (sum, four) in sums.iter_mut().zip(fours) {
            *sum = sum.add(Best::load(four).mul(Best::zero()));
        }
    }
    let [a, b, c, d] = sums;
    let sum = a.add(b).add(c.add(d));
    !sum.ne(sum).any() && rest.iter().all(|x| x.is_finite())
}
