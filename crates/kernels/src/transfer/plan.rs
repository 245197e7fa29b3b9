//! The plan of a copy from one view to another: dimensions are collapsed, the innermost becomes an operation on a run of cells
//! ([`Step`]), two more are chosen as the inner loops ([`Order`]), and the rest are the outer loops.
//!
//! A copy may visit its indices in any order, so that dimensions are sorted by the destination's strides.

#![allow(unsafe_code, reason = "the inner loops take addresses")]

use crate::simd::bits::Bits;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::view::View;
use crate::transfer::loops::{self as loops, Dim};

/// Cells between cancellation checks. Under Miri fewer than the largest example has, so that it is cancelled too.
const CANCEL_CHECK_CELLS: u64 = if cfg!(miri) { 1 << 8 } else { 1 << 20 };

/// What is copied at each index of the inner and outer loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// One cell.
    Cell,
    /// A contiguous run of this many bytes.
    Run(usize),
    /// A run of bytes, written repeatedly: its length in bytes, and how often it is written.
    Repeat(usize, usize),
    /// One cell, written this many times.
    Fill(usize),
    /// This many cells, in reverse order.
    Reverse(usize),
}

/// The order in which the two inner dimensions are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Nested loops: the second has the smaller stride in source and destination.
    Nested,
    /// In blocks: the first has the smaller stride in the source, the second in the destination.
    Blocks,
    /// In blocks that are transposed in vector registers.
    Transposed,
}

/// How cells are copied from one view to another.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bytes of a cell; adjacent cells that stay together count as one.
    width: usize,
    step: Step,
    order: Order,
    inner: [Dim; 2],
    outer: Vec<Dim>,
    /// The offset of the first cell that is read, in bytes.
    from: isize,
    /// The offset of the first cell that is written, in bytes.
    to: isize,
    /// The bytes that source and destination reach.
    reach: [std::ops::Range<isize>; 2],
    cells: u64,
    /// Cells of one iteration of the outer loops.
    cells_per_iteration: u64,
}

/// The bytes that a view of cells of `bytes` bytes reaches; `None` where a number is out of range.
fn reach(view: &View, bytes: isize) -> Option<std::ops::Range<isize>> {
    let mut low = isize::try_from(view.offset).ok()?.checked_mul(bytes)?;
    let mut high = low.checked_add(bytes)?;
    for (size, stride) in view.sizes.iter().zip(&view.strides) {
        let last = isize::try_from(*size).ok()?.checked_sub(1)?.checked_mul(stride.checked_mul(bytes)?)?;
        let end = if last < 0 { &mut low } else { &mut high };
        *end = end.checked_add(last)?;
    }
    Some(low..high)
}

impl Plan {
    /// Plans a copy between views of the same sizes, of cells of `bytes` bytes; `None` where there is nothing to copy. No two
    /// indices share a cell of the destination.
    pub fn new(bytes: usize, from: &View, to: &View) -> Option<Self> {
        if from.sizes != to.sizes || to.sizes.contains(&0) {
            return None;
        }
        let width = bytes.cast_signed();
        let reach = [reach(from, width)?, reach(to, width)?];
        let (mut start, mut end) = (from.offset.cast_signed() * width, to.offset.cast_signed() * width);
        let mut dims: Vec<Dim> = (to.sizes.iter().zip(from.strides.iter().zip(&to.strides)))
            .filter(|(size, _)| **size > 1)
            .map(|(size, (from, to))| Dim { size: *size, from: from * width, to: to * width })
            .collect();
        for dim in dims.iter_mut().filter(|dim| dim.to < 0) {
            reverse_dimension(dim, &mut start, &mut end);
        }
        dims.sort_by_key(|dim| std::cmp::Reverse(dim.to));
        let dims = collapsed(&dims);
        let cells = dims.iter().map(|dim| dim.size as u64).product();
        let mut plan = Self {
            width: bytes,
            step: Step::Cell,
            order: Order::Nested,
            inner: [Dim::ONE; 2],
            outer: dims,
            from: start,
            to: end,
            reach,
            cells,
            cells_per_iteration: 0,
        };
        plan.choose_step();
        plan.choose_inner();
        plan.cells_per_iteration =
            cells / plan.outer.iter().map(|dim| dim.size as u64).product::<u64>().max(1);
        Some(plan)
    }

    /// Makes the innermost dimension the step, where it is contiguous in the destination.
    fn choose_step(&mut self) {
        let width = self.width.cast_signed();
        let Some(&last) = self.outer.last().filter(|last| last.to == width) else { return };
        let bytes = last.size * self.width;
        if last.from == width && bytes <= 16 && bytes.is_power_of_two() {
            // A few cells that stay together are one wider cell.
            self.width = bytes;
        } else if last.from == width {
            self.step = Step::Run(bytes);
        } else if last.from == 0 {
            self.step = Step::Fill(last.size);
        } else if last.from == -width {
            self.step = Step::Reverse(last.size);
        } else {
            return;
        }
        self.outer.pop();
        let bytes = if self.step == Step::Cell { self.width } else { bytes };
        if let (Step::Cell | Step::Run(_), Some(&next)) = (self.step, self.outer.last())
            && next.from == 0
            && next.to == bytes.cast_signed()
        {
            self.outer.pop();
            self.step =
                if self.step == Step::Cell { Step::Fill(next.size) } else { Step::Repeat(bytes, next.size) };
        }
    }

    /// Chooses the two inner dimensions: the one of the smallest stride in the destination, and outside of it the one of the
    /// smallest stride in the source.
    fn choose_inner(&mut self) {
        let Some(near) = self.outer.pop() else { return };
        let far = |dim: &Dim| if dim.from == 0 { usize::MAX } else { dim.from.unsigned_abs() };
        let nearest = (0..self.outer.len()).min_by_key(|i| far(&self.outer[*i]));
        let Some(nearest) = nearest.filter(|i| far(&self.outer[*i]) < far(&near)) else {
            self.inner = [self.outer.pop().unwrap_or(Dim::ONE), near];
            return;
        };
        let mut first = self.outer.remove(nearest);
        self.order = Order::Blocks;
        let (width, lanes) = (self.width.cast_signed(), 16 / self.width);
        if self.step == Step::Cell && near.to == width && first.from.abs() == width {
            if first.from < 0 {
                reverse_dimension(&mut first, &mut self.from, &mut self.to);
            }
            if first.size >= lanes && near.size >= lanes {
                self.order = Order::Transposed;
            }
        }
        self.inner = [first, near];
        self.move_small_strides_inwards();
    }

    /// Makes dimensions of small strides the innermost outer loops, alternately by the source's and by the destination's strides,
    /// until cache lines are used whole on both sides.
    fn move_small_strides_inwards(&mut self) {
        /// Minimum cells of each side that are visited close together.
        const MIN_NEAR_CELLS: usize = 32;
        let mut cells = self.inner.map(|dim| dim.size);
        let mut taken = Vec::new();
        while cells.iter().any(|cells| *cells < MIN_NEAR_CELLS) && !self.outer.is_empty() {
            // `outer` is not empty.
            let nearest =
                (0..self.outer.len()).min_by_key(|i| self.outer[*i].from.unsigned_abs()).unwrap_or(0);
            let side = usize::from(cells[0] >= cells[1]);
            let dim = self.outer.remove(if side == 0 { nearest } else { self.outer.len() - 1 });
            cells[side] *= dim.size;
            taken.push(dim);
        }
        taken.reverse();
        self.outer.append(&mut taken);
    }

    /// Copies the cells between buffers. `tick` is called between blocks with the number of cells since the last call, and
    /// returns whether to continue. Returns `false` where it was cancelled, or a view would exceed its buffer.
    pub fn run(&self, read: &[u8], written: &mut [u8], tick: &mut dyn FnMut(u64) -> bool) -> bool {
        self.run_from(&[0], [0, 0], read, written, tick)
    }

    /// Copies the cells once for each of `starts`: from the source's view moved by that many bytes, to the destination's view
    /// moved by `to` bytes, and by `step` more each time. Otherwise as [`Self::run`].
    pub fn run_from(
        &self,
        starts: &[isize],
        [to, step]: [isize; 2],
        read: &[u8],
        written: &mut [u8],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let fits = |reach: &std::ops::Range<isize>, [low, high]: [isize; 2], bytes: usize| {
            let (low, high) = (reach.start.checked_add(low), reach.end.checked_add(high));
            low.is_some_and(|low| low >= 0) && high.is_some_and(|high| high <= bytes.cast_signed())
        };
        let (Some(least), Some(most)) = (starts.iter().min(), starts.iter().max()) else { return true };
        let Some(last) =
            step.checked_mul(starts.len().cast_signed() - 1).and_then(|last| last.checked_add(to))
        else {
            return false;
        };
        if !fits(&self.reach[0], [*least, *most], read.len())
            || !fits(&self.reach[1], [to.min(last), to.max(last)], written.len())
        {
            return false;
        }
        let from = read.as_ptr().wrapping_offset(self.from);
        let to = written.as_mut_ptr().wrapping_offset(self.to + to);
        // SAFETY: the bytes that both views reach are in the buffers from each start on, as was just checked.
        unsafe {
            match self.width {
                1 => self.copy_from_starts::<u8>(starts, step, from, to, tick),
                2 => self.copy_from_starts::<u16>(starts, step, from, to, tick),
                4 => self.copy_from_starts::<u32>(starts, step, from, to, tick),
                8 => self.copy_from_starts::<u64>(starts, step, from, to, tick),
                _ => self.copy_from_starts::<u128>(starts, step, from, to, tick),
            }
        }
    }

    /// Visits the starts.
    ///
    /// # Safety
    /// Each cell of both views can be read from each start on, and written.
    unsafe fn copy_from_starts<B: Bits>(
        &self,
        starts: &[isize],
        step: isize,
        from: *const u8,
        to: *mut u8,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let is_one = self.outer.is_empty() && self.inner == [Dim::ONE; 2];
        let is_short = |bytes| is_one && bytes <= 4096;
        let mut to = to;
        for start in starts {
            let from = from.wrapping_offset(*start);
            // SAFETY: the cells of both views can be read and written from each start on, as `run_from` has checked.
            unsafe {
                match self.step {
                    Step::Cell if is_one => B::read(from).write(to),
                    Step::Run(bytes) if is_short(bytes) => loops::copy_run(from, to, bytes),
                    _ => {
                        if !self.copy_outer::<B>(from, to, tick) {
                            return false;
                        }
                    }
                }
            }
            to = to.wrapping_offset(step);
        }
        let is_reported = match self.step {
            Step::Cell => !is_one,
            Step::Run(bytes) => !is_short(bytes),
            _ => true,
        };
        is_reported || tick(self.cells * starts.len() as u64)
    }

    /// Visits the outer dimensions.
    ///
    /// # Safety
    /// Each cell of both views can be read and written.
    unsafe fn copy_outer<B: Bits>(
        &self,
        from: *const u8,
        to: *mut u8,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        if self.outer.is_empty() && self.cells_per_iteration <= CANCEL_CHECK_CELLS {
            // SAFETY: the cells of both views can be read and written from these addresses on.
            unsafe { self.copy_inner::<B>(from, to, self.inner) }
            return tick(self.cells_per_iteration);
        }
        let (mut from, mut to) = (from, to);
        let mut index = vec![0; self.outer.len()];
        let each = self.cells_per_iteration;
        let mut unreported = 0;
        loop {
            if each > CANCEL_CHECK_CELLS {
                // SAFETY: the outer index is within the sizes: the inner cells from here on are cells of the views.
                if !unsafe { self.copy_in_parts::<B>(from, to, each, tick) } {
                    return false;
                }
            } else {
                // SAFETY: the outer index is within the sizes: the inner cells from here on are cells of the views.
                unsafe { self.copy_inner::<B>(from, to, self.inner) }
                unreported += each;
            }
            if unreported >= CANCEL_CHECK_CELLS && !tick(std::mem::take(&mut unreported)) {
                return false;
            }
            let mut d = self.outer.len();
            loop {
                let Some(next) = d.checked_sub(1) else { return unreported == 0 || tick(unreported) };
                d = next;
                let Dim { size, from: x, to: y } = self.outer[d];
                index[d] += 1;
                if index[d] < size {
                    from = from.wrapping_offset(x);
                    to = to.wrapping_offset(y);
                    break;
                }
                index[d] = 0;
                let back = 1 - size.cast_signed();
                from = from.wrapping_offset(x * back);
                to = to.wrapping_offset(y * back);
            }
        }
    }

    /// Visits the inner dimensions, `cells` cells in all, in parts of about [`CANCEL_CHECK_CELLS`] cells.
    ///
    /// # Safety
    /// As of [`Self::copy_inner`].
    unsafe fn copy_in_parts<B: Bits>(
        &self,
        from: *const u8,
        to: *mut u8,
        cells: u64,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let [first, second] = self.inner;
        let each = cells / first.size as u64;
        let most =
            usize::try_from(CANCEL_CHECK_CELLS / each.max(1)).unwrap_or(0).next_multiple_of(64).max(64);
        loops::parts(first.size, B::LANES, most).all(|(i, size)| {
            let i = i.cast_signed();
            let (from, to) = (from.wrapping_offset(i * first.from), to.wrapping_offset(i * first.to));
            // SAFETY: indices `i` to `i + size` of the first dimension, all of which can be read and written.
            unsafe { self.copy_inner::<B>(from, to, [Dim { size, ..first }, second]) }
            tick(each * size as u64)
        })
    }

    /// Visits the inner dimensions.
    ///
    /// # Safety
    /// Each cell of both views from these addresses on can be read and written.
    unsafe fn copy_inner<B: Bits>(&self, from: *const u8, to: *mut u8, inner: [Dim; 2]) {
        let step = |from: *const u8, to: *mut u8, dims: [Dim; 2]| {
            // SAFETY: `dims` are parts of the inner dimensions, all of whose cells can be read and written.
            unsafe {
                match self.step {
                    Step::Cell => loops::cells::<B>(from, to, dims),
                    // Contiguous reads and strided writes are faster than the other way round.
                    Step::Run(bytes) if self.order == Order::Blocks => {
                        loops::runs(from, to, [dims[1], dims[0]], bytes);
                    }
                    Step::Run(bytes) => loops::runs(from, to, dims, bytes),
                    Step::Repeat(bytes, count) => loops::repeats(from, to, dims, bytes, count),
                    Step::Fill(count) => loops::fills::<B>(from, to, dims, count),
                    Step::Reverse(count) => loops::reversals::<B>(from, to, dims, count),
                }
            }
        };
        match self.order {
            Order::Nested => step(from, to, inner),
            Order::Blocks => loops::blocks(from, to, inner, step),
            // SAFETY: all cells can be read and written; `choose_inner` checked that both dimensions have at least a vector of
            // cells.
            Order::Transposed => unsafe { loops::transpose::<B>(from, to, inner) },
        }
    }
}

/// Reverses a dimension: it is iterated from its last index to its first.
fn reverse_dimension(dim: &mut Dim, from: &mut isize, to: &mut isize) {
    let last = dim.size.cast_signed() - 1;
    *from += last * dim.from;
    *to += last * dim.to;
    *dim = Dim { size: dim.size, from: -dim.from, to: -dim.to };
}

/// Merges adjacent dimensions that are contiguous on both sides.
fn collapsed(dims: &[Dim]) -> Vec<Dim> {
    let mut all: Vec<Dim> = Vec::with_capacity(dims.len());
    for dim in dims {
        let size = dim.size.cast_signed();
        match all.last_mut() {
            Some(last) if last.from == dim.from * size && last.to == dim.to * size => {
                *last = Dim { size: last.size * dim.size, ..*dim };
            }
            _ => all.push(*dim),
        }
    }
    all
}

/// Copies cells of `width` bytes from one view to the other. Errors: cancelled, or a view exceeds its buffer.
pub fn move_part(
    width: usize,
    [from, to]: [&View; 2],
    read: &[u8],
    written: &mut [u8],
    context: &mut Context,
) -> Result<(), KernelError> {
    let Some(plan) = Plan::new(width, from, to) else { return Ok(()) };
    if plan.run(read, written, context.tick) { Ok(()) } else { Err(KernelError::Cancelled) }
}

/// Like [`move_part`], as a part of a task whose steps are not these cells: the observer may cancel, and no steps are reported.
pub fn move_beside(
    width: usize,
    [from, to]: [&View; 2],
    read: &[u8],
    written: &mut [u8],
    context: &mut Context,
) -> Result<(), KernelError> {
    let Some(plan) = Plan::new(width, from, to) else { return Ok(()) };
    let goes_on = plan.run(read, written, &mut |_| (context.tick)(0));
    if goes_on { Ok(()) } else { Err(KernelError::Cancelled) }
}
