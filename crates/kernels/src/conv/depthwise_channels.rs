//! Depthwise convolutions of `f32` whose groups are adjacent in input and result: channels minor.
//!
//! A vector holds four groups. Windows of 3 x 3 that cover no padding are summed four groups at a time down a few rows, with the
//! nine weights in registers: each row of cells is read once and added to each position that covers it. At borders, and for other
//! windows, positions are summed one by one from a list of the elements that they cover, without padding. The order of every sum
//! is that of the window.

#![allow(
    unsafe_code,
    reason = "inner loops read through pointers whose bounds are proved once for a row of positions"
)]

use std::ops::Range;

use crate::conv::plan::{Axis, Plan};
use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Rows of positions that are summed for four groups before the next four, so that their cells stay in the L1 cache. Few, since
/// rows are often a power of two apart, and then evict one another.
const TILE_ROWS: usize = 4;
/// Columns of cells that a tile of positions covers, approximately.
const TILE_COLUMNS: usize = 16;
/// Multiply-adds between cancellation checks.
const CANCEL_CHECK_MULTIPLY_ADDS: usize = 1 << 22;

/// The elements that the window covers at a position: the offset of the first group's, and the window's cell on it.
type Covered = Vec<(isize, usize)>;

/// Whether each group has one input and one output feature, and groups are adjacent.
pub fn supports(plan: &Plan) -> bool {
    let [input, _, result] = plan.group_steps;
    plan.groups >= 4 && plan.inputs == 1 && plan.outputs == 1 && input == 1 && result == 1
}

/// The stride, if the two minor axes are those of a window of 3 x 3 that is read in order.
fn stride_of_three(plan: &Plan) -> Option<usize> {
    let [outer @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_three = |axis: &Axis| {
        axis.size == 3
            && axis.dilation == 1
            && axis.base_dilation == 1
            && !axis.is_reversed
            && axis.stride == columns.stride
    };
    let is_one = outer.iter().all(|axis| axis.size == 1);
    (is_one && is_three(rows) && is_three(columns) && columns.stride <= 2).then_some(columns.stride)
}

/// The positions whose three cells all cover elements.
fn inside(axis: &Axis) -> Range<usize> {
    // Negative padding crops: the first position covers none.
    let first = usize::try_from(axis.low).map_or(0, |low| low.div_ceil(axis.stride));
    let last = axis.elements.cast_signed() + axis.low - 3;
    // An input smaller than the window has no such position.
    let end = usize::try_from(last).map_or(0, |last| last / axis.stride + 1).min(axis.positions);
    first.min(end)..end
}

/// Runs the convolution. Errors: cancelled.
pub fn run(plan: &Plan, [lhs, rhs]: [&[f32]; 2], out: &mut [f32], context: &mut Context) -> Result<(), Stop> {
    let (groups, depth) = (plan.groups, plan.depth.len());
    let mut weights = context.scratch.floats(depth * groups);
    for (k, weights) in weights.as_mut_slice().chunks_exact_mut(groups).enumerate() {
        for (group, weight) in weights.iter_mut().enumerate() {
            let [_, offset, _] = plan.group(group);
            *weight = rhs[(offset + plan.rows[0].at(0) + plan.depth.at(k)).cast_unsigned()];
        }
    }
    let done = Across { plan, lhs, weights: weights.as_slice(), groups }.run(out, context);
    context.scratch.recycle(weights);
    done
}

struct Across<'a> {
    plan: &'a Plan,
    lhs: &'a [f32],
    /// A row of all groups for each cell of the window.
    weights: &'a [f32],
    groups: usize,
}

impl Across<'_> {
    fn run(&self, out: &mut [f32], context: &mut Context) -> Result<(), Stop> {
        let Some((columns, outer)) = self.plan.axes.split_last() else { return Err(Stop::InvalidTask) };
        let three = stride_of_three(self.plan);
        let (within, along) = match (three, outer.last()) {
            (Some(_), Some(rows)) => (inside(rows), inside(columns)),
            _ => (0..0, 0..0),
        };
        let edges: Vec<usize> = (0..columns.positions).filter(|x| !along.contains(x)).collect();
        let all: Vec<usize> = (0..columns.positions).collect();
        let covered: Vec<Covered> = all.iter().map(|x| cells(columns, *x).collect()).collect();
        let rows: usize = outer.iter().map(|axis| axis.positions).product();
        let height = outer.last().map_or(1, |axis| axis.positions);
        let (mut at, mut covered_here, mut spare, mut list) =
            (vec![0; outer.len()], Covered::new(), Covered::new(), Covered::new());
        let mut done = 0;
        for number in 0..rows {
            let y = number % height;
            let to = self.row(outer, number, &mut at, &mut covered_here, &mut spare);
            // Along an outer axis the position may cover only padding: then `covered_here` is empty.
            let is_inside = within.contains(&y) && !along.is_empty() && !covered_here.is_empty();
            if let (true, Some(stride), Some((from, _))) = (is_inside, three, covered_here.first())
                && (y - within.start).is_multiple_of(TILE_ROWS)
            {
                let count = TILE_ROWS.min(within.end - y);
                self.inner([*from, to], &along, [stride, count], out);
            }
            for x in if is_inside { &edges } else { &all } {
                list.clear();
                for (from, k) in &covered_here {
                    list.extend(covered[*x].iter().map(|(at, cell)| (from + at, k * columns.size + cell)));
                }
                let slot = (to + x.cast_signed() * columns.out).cast_unsigned();
                one_position::<F32x4>(self.lhs, &list, self.weights, &mut out[slot..][..self.groups]);
            }
            done += columns.positions * self.plan.depth.len() * self.groups;
            if done > CANCEL_CHECK_MULTIPLY_ADDS {
                context.tick(std::mem::take(&mut done) as u64)?;
            }
        }
        Ok(())
    }

    /// Lists in `covered_here` the elements that a row of positions covers along the outer axes; returns the slot of its first
    /// position.
    fn row(
        &self,
        outer: &[Axis],
        number: usize,
        at: &mut [usize],
        covered_here: &mut Covered,
        spare: &mut Covered,
    ) -> isize {
        let [input, _, mut to] = self.plan.offsets;
        let mut rest = number;
        for (at, axis) in at.iter_mut().zip(outer).rev() {
            *at = rest % axis.positions;
            to += at.cast_signed() * axis.out;
            rest /= axis.positions;
        }
        covered_here.clear();
        covered_here.push((input, 0));
        for (at, axis) in at.iter().zip(outer) {
            spare.clear();
            for (from, k) in covered_here.iter() {
                spare.extend(cells(axis, *at).map(|(at, cell)| (from + at, k * axis.size + cell)));
            }
            std::mem::swap(covered_here, spare);
        }
        to
    }

    /// Sums rows of positions whose windows of 3 x 3 cover no padding. `from` is the slot of the first row's top cell at element
    /// 0 of the columns, `to` that of the row's first position.
    fn inner(
        &self,
        [from, to]: [isize; 2],
        along: &Range<usize>,
        [stride, height]: [usize; 2],
        out: &mut [f32],
    ) {
        let [.., rows, columns] = self.plan.axes.as_slice() else { return };
        let first = (along.start * stride).cast_signed() - columns.low;
        let (from, to) = (from + first * columns.input, to + along.start.cast_signed() * columns.out);
        // The bounds are checked here, once: of the cells that are read, and of those that are written.
        let is_there = |at: isize, ends: [isize; 2], cells: usize| {
            let low = at + ends.iter().map(|end| (*end).min(0)).sum::<isize>();
            let high = at + ends.iter().map(|end| (*end).max(0)).sum::<isize>();
            low >= 0 && high + self.groups.cast_signed() <= cells.cast_signed()
        };
        let last = [height - 1, along.len() - 1].map(usize::cast_signed);
        let [down, right] = last.map(|last| last * stride.cast_signed() + 2);
        let is_seen = is_there(from, [down * rows.input, right * columns.input], self.lhs.len());
        let is_written = is_there(to, [last[0] * rows.out, last[1] * columns.out], out.len());
        assert!(is_seen && is_written && self.weights.len() >= 9 * self.groups && self.groups >= 4);
        let strip = if stride == 1 { strip::<F32x4, 1> } else { strip::<F32x4, 2> };
        let most = TILE_COLUMNS / stride;
        for begin in (0..along.len()).step_by(most) {
            let width = most.min(along.len() - begin);
            let begin = begin.cast_signed();
            let (from, to) = (from + begin * stride.cast_signed() * columns.input, to + begin * columns.out);
            for group in (0..self.groups).step_by(4) {
                // The last may overlap the one before: those sums are written twice, with the same bits.
                let group = group.min(self.groups - 4);
                // SAFETY: `is_seen` and `is_written` were just asserted of all positions of these rows and all groups.
                unsafe {
                    strip(
                        self.lhs.as_ptr().offset(from).add(group),
                        [rows.input, columns.input],
                        (self.weights.as_ptr().add(group), self.groups),
                        out.as_mut_ptr().offset(to).add(group),
                        [rows.out, columns.out],
                        [height, width],
                    );
                }
            }
        }
    }
}

/// The elements that the window covers at a position of one axis: the offset of each, and the window's cell on it.
fn cells(axis: &Axis, position: usize) -> impl Iterator<Item = (isize, usize)> {
    (0..axis.size).filter_map(move |cell| {
        let element = axis.element((position * axis.stride + axis.tap_offset(cell)).cast_signed())?;
        Some((element.cast_signed() * axis.input, cell))
    })
}

/// Adds the products of three cells with each sum's three weights.
///
/// Cells are loaded one at a time: the registers hold nine weights, three sums, a cell and a product.
///
/// # Safety
/// Vectors can be read at `from`, `from + apart` and `from + 2 * apart`.
#[inline(always)]
unsafe fn add_row<L: Lanes, const N: usize>(sums: [(&mut L, &[L]); N], from: *const f32, apart: isize) {
    let mut sums = sums;
    for (k, at) in [0, apart, 2 * apart].into_iter().enumerate() {
        // SAFETY: three vectors can be read, `apart` from one another.
        let covered_here = unsafe { L::read(from.wrapping_offset(at)) };
        for (sum, weights) in &mut sums {
            let weight = weights[k];
            **sum = if cfg!(target_feature = "relaxed-simd") {
                weight.madd(covered_here, **sum)
            } else {
                // Unlike `madd`, this keeps compilers from holding more than one product at a time.
                sum.add(weight.mul(covered_here))
            };
        }
    }
}

/// Sums four groups at `width` positions of `height` rows, for a window of 3 x 3 with stride `S`.
///
/// # Safety
/// All cells that these windows cover can be read, four groups each: `row` and `cell` are the strides of rows and columns from
/// `from` on. Nine vectors of weights can be read, `apart` from each other. All positions can be written, four groups each, at
/// the strides `to_row` and `to_position` from `to` on.
#[inline(never)]
unsafe fn strip<L: Lanes, const S: usize>(
    from: *const f32,
    [row, cell]: [isize; 2],
    (weights, apart): (*const f32, usize),
    to: *mut f32,
    [to_row, to_position]: [isize; 2],
    [height, width]: [usize; 2],
) {
    // SAFETY: nine rows of weights can be read, `apart` from one another.
    let weight: [L; 9] = std::array::from_fn(|k| unsafe { L::read(weights.add(k * apart)) });
    let (top, middle, bottom) = (&weight[..3], &weight[3..6], &weight[6..]);
    let (first, mut from, mut to) = (to, from, to);
    // The total of all sums is NaN if one of them is: usually there is nothing to canonicalize.
    let mut all = L::zero();
    for _ in 0..width {
        let (mut below, mut position) = (from, to);
        let [mut done, mut next] = [L::zero(); 2];
        // SAFETY: all cells that windows at `width` positions of `height` rows cover can be read, all positions be written.
        unsafe {
            add_row([(&mut done, top)], below, cell);
            below = below.wrapping_offset(row);
            if S == 1 {
                add_row([(&mut done, middle), (&mut next, top)], below, cell);
            } else {
                add_row([(&mut done, middle)], below, cell);
            }
            for left in (0..height).rev() {
                below = below.wrapping_offset(row);
                let mut sum = std::mem::replace(&mut done, next);
                next = L::zero();
                if S == 1 {
                    add_row([(&mut sum, bottom), (&mut done, middle), (&mut next, top)], below, cell);
                } else {
                    add_row([(&mut sum, bottom), (&mut done, top)], below, cell);
                    if left > 0 {
                        below = below.wrapping_offset(row);
                        add_row([(&mut done, middle)], below, cell);
                    }
                }
                all = all.add(sum);
                sum.write(position);
                position = position.wrapping_offset(to_row);
            }
        }
        (from, to) = (from.wrapping_offset(S.cast_signed() * cell), to.wrapping_offset(to_position));
    }
    if all.ne(all).any() {
        for position in 0..height * width {
            let (row, position) = ((position / width).cast_signed(), (position % width).cast_signed());
            let to = first.wrapping_offset(row * to_row + position * to_position);
            // SAFETY: these were just written.
            unsafe { L::read(to).canonicalized().write(to) };
        }
    }
}

/// Sums all groups at a position: `covered_here` lists the first group's elements; the other groups' are adjacent to each.
#[inline(never)]
fn one_position<L: Lanes>(cells: &[f32], covered_here: &[(isize, usize)], weights: &[f32], to: &mut [f32]) {
    let groups = to.len();
    // The bounds are checked here, once.
    let is_inside = |(at, k): &(isize, usize)| {
        cells[at.cast_unsigned()..].len() >= groups && weights[k * groups..].len() >= groups
    };
    assert!(covered_here.iter().all(is_inside));
    let whole = groups / 4 * 4;
    let mut sum_some = |first: usize, count: usize| {
        let mut sums = [L::zero(); 4];
        for (at, k) in covered_here {
            for (v, sum) in sums[..count].iter_mut().enumerate() {
                // SAFETY: `first + 4 * count` is at most the number of groups.
                unsafe {
                    let cell = L::read(cells.as_ptr().offset(*at).add(first + 4 * v));
                    *sum = L::read(weights.as_ptr().add(k * groups + first + 4 * v)).madd(cell, *sum);
                }
            }
        }
        for (sum, to) in sums[..count].iter().zip(to[first..].as_chunks_mut::<4>().0) {
            sum.canonicalized().store(to);
        }
    };
    let sixteens = groups / 16 * 16;
    for first in (0..sixteens).step_by(16) {
        sum_some(first, 4);
    }
    for first in (sixteens..whole).step_by(4) {
        sum_some(first, 1);
    }
    for (group, to) in to.iter_mut().enumerate().skip(whole) {
        let sum = covered_here.iter().fold(L::zero(), |sum, (at, k)| {
            L::splat(weights[k * groups + group]).madd(L::splat(cells[at.cast_unsigned() + group]), sum)
        });
        *to = sum.canonicalized().to_array()[0];
    }
}
