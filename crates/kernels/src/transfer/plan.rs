//! The plan of a copy from one view to another: dimensions are collapsed, the innermost becomes an operation on a run of elements
//! ([`Innermost`]), two more become the inner loops ([`LoopOrder`]), and the rest are the outer loops.
//! A copy may visit its indices in any order, so dimensions are sorted by the destination's strides.

#![allow(unsafe_code, reason = "the inner loops take pointers")]

use std::ops::Range;

use crate::simd::bits::Bits;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::view::View;
use crate::transfer::loops::{self, Dim};

/// Elements between cancellation checks. Under Miri fewer than those of the largest example, which is cancelled, too.
const CANCEL_CHECK_INTERVAL_ELEMENTS: u64 = if cfg!(miri) { 1 << 8 } else { 1 << 20 };

/// The operation of the innermost dimensions, which is run at each index of the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Innermost {
    /// Copies one element.
    Element,
    /// Copies a contiguous run.
    Run { bytes: usize },
    /// Copies a contiguous run several times, one after another.
    Repeat { bytes: usize, count: usize },
    /// Fills a run of `count` elements with one element.
    Fill { count: usize },
    /// Copies `count` contiguous elements in reverse order.
    Reverse { count: usize },
}

/// The order in which the two inner dimensions are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopOrder {
    /// Nested loops: the second has the smaller stride in source and destination.
    Nested,
    /// In blocks: the first has the smaller stride in the source, the second in the destination.
    Blocks,
    /// In blocks that are transposed in vector registers.
    Transposed,
}

/// How elements are copied from one view to another.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bytes of an element. A few contiguous elements may count as one wider element.
    element_bytes: usize,
    innermost: Innermost,
    loop_order: LoopOrder,
    /// The dimensions of the inner loops.
    inner: [Dim; 2],
    /// The dimensions of the outer loops, major to minor.
    outer: Vec<Dim>,
    /// The byte offset of the first element that is read.
    src_start: isize,
    /// The byte offset of the first element that is written.
    dst_start: isize,
    /// The ranges of bytes that are accessed in source and destination.
    src_range: Range<isize>,
    dst_range: Range<isize>,
    elements: u64,
    /// Elements of one iteration of the outer loops.
    elements_per_iteration: u64,
}

/// Byte offsets in arithmetic progression, one for each copy of [`Plan::run_at`].
#[derive(Clone, Copy, Debug)]
pub struct DstOffsets {
    /// The offset of the first copy.
    pub first: isize,
    /// The distance to the next copy's.
    pub stride: isize,
}

impl DstOffsets {
    /// The offset of a single copy.
    pub const fn single(offset: isize) -> Self {
        Self { first: offset, stride: 0 }
    }
}

/// The range of bytes that a view of elements of `element_bytes` accesses; `None` on overflow.
fn byte_range(view: &View, element_bytes: isize) -> Option<Range<isize>> {
    let mut start = isize::try_from(view.offset).ok()?.checked_mul(element_bytes)?;
    let mut end = start.checked_add(element_bytes)?;
    for (size, stride) in view.sizes.iter().zip(&view.strides) {
        let last_index = isize::try_from(*size).ok()?.checked_sub(1)?;
        let span = last_index.checked_mul(stride.checked_mul(element_bytes)?)?;
        let bound = if span < 0 { &mut start } else { &mut end };
        *bound = bound.checked_add(span)?;
    }
    Some(start..end)
}

/// Reports elements to `tick`. Fails only if cancelled.
fn report(tick: &mut dyn FnMut(u64) -> bool, elements: u64) -> Result<(), KernelError> {
    if tick(elements) { Ok(()) } else { Err(KernelError::Cancelled) }
}

impl Plan {
    /// Plans a copy between views of the same sizes, of elements of `element_bytes`; `None` if there is nothing to copy. No two
    /// indices share an element of the destination.
    pub fn new(element_bytes: usize, from: &View, to: &View) -> Option<Self> {
        if from.sizes != to.sizes || to.sizes.contains(&0) {
            return None;
        }
        let width = element_bytes.cast_signed();
        let (src_range, dst_range) = (byte_range(from, width)?, byte_range(to, width)?);
        let (mut src_start, mut dst_start) =
            (from.offset.cast_signed() * width, to.offset.cast_signed() * width);
        let mut dims: Vec<Dim> = (to.sizes.iter().zip(from.strides.iter().zip(&to.strides)))
            .filter(|(size, _)| **size > 1)
            .map(|(size, (from, to))| Dim { size: *size, src_stride: from * width, dst_stride: to * width })
            .collect();
        for dim in dims.iter_mut().filter(|dim| dim.dst_stride < 0) {
            reverse_dimension(dim, &mut src_start, &mut dst_start);
        }
        dims.sort_by_key(|dim| std::cmp::Reverse(dim.dst_stride));
        let dims = collapse(&dims);
        let elements = dims.iter().map(|dim| dim.size as u64).product();
        let mut plan = Self {
            element_bytes,
            innermost: Innermost::Element,
            loop_order: LoopOrder::Nested,
            inner: [Dim::ONE; 2],
            outer: dims,
            src_start,
            dst_start,
            src_range,
            dst_range,
            elements,
            elements_per_iteration: 0,
        };
        plan.choose_innermost();
        plan.choose_inner_loops();
        plan.elements_per_iteration =
            elements / plan.outer.iter().map(|dim| dim.size as u64).product::<u64>().max(1);
        Some(plan)
    }

    /// Turns the innermost dimension into an operation, if it is contiguous in the destination.
    fn choose_innermost(&mut self) {
        let width = self.element_bytes.cast_signed();
        let Some(&last) = self.outer.last().filter(|last| last.dst_stride == width) else { return };
        let bytes = last.size * self.element_bytes;
        if last.src_stride == width && bytes <= 16 && bytes.is_power_of_two() {
            // A few contiguous elements are one wider element.
            self.element_bytes = bytes;
        } else if last.src_stride == width {
            self.innermost = Innermost::Run { bytes };
        } else if last.src_stride == 0 {
            self.innermost = Innermost::Fill { count: last.size };
        } else if last.src_stride == -width {
            self.innermost = Innermost::Reverse { count: last.size };
        } else {
            return;
        }
        self.outer.pop();
        let Some(&next) = self.outer.last() else { return };
        let repeated = match self.innermost {
            Innermost::Element => (self.element_bytes, Innermost::Fill { count: next.size }),
            Innermost::Run { bytes } => (bytes, Innermost::Repeat { bytes, count: next.size }),
            _ => return,
        };
        let (bytes, innermost) = repeated;
        if next.src_stride == 0 && next.dst_stride == bytes.cast_signed() {
            self.outer.pop();
            self.innermost = innermost;
        }
    }

    /// Chooses the dimensions of the inner loops: that of the smallest stride in the destination and, outside of it, that of the
    /// smallest stride in the source.
    fn choose_inner_loops(&mut self) {
        let Some(dst_minor) = self.outer.pop() else { return };
        // A broadcast dimension does not read adjacent elements.
        let src_distance =
            |dim: &Dim| if dim.src_stride == 0 { usize::MAX } else { dim.src_stride.unsigned_abs() };
        let src_minor = (0..self.outer.len())
            .min_by_key(|i| src_distance(&self.outer[*i]))
            .filter(|i| src_distance(&self.outer[*i]) < src_distance(&dst_minor));
        let Some(src_minor) = src_minor else {
            self.inner = [self.outer.pop().unwrap_or(Dim::ONE), dst_minor];
            return;
        };
        let mut src_minor = self.outer.remove(src_minor);
        self.loop_order = LoopOrder::Blocks;
        let (width, lanes) = (self.element_bytes.cast_signed(), 16 / self.element_bytes);
        let is_contiguous = dst_minor.dst_stride == width && src_minor.src_stride.abs() == width;
        if self.innermost == Innermost::Element && is_contiguous {
            if src_minor.src_stride < 0 {
                reverse_dimension(&mut src_minor, &mut self.src_start, &mut self.dst_start);
            }
            if src_minor.size >= lanes && dst_minor.size >= lanes {
                self.loop_order = LoopOrder::Transposed;
            }
        }
        self.inner = [src_minor, dst_minor];
        self.move_small_strides_inwards();
    }

    /// Makes dimensions of small strides the innermost outer loops, alternately by the source's and by the destination's strides,
    /// until whole cache lines are used in both.
    fn move_small_strides_inwards(&mut self) {
        /// Minimum number of elements that are visited close together, in the source and in the destination.
        const MIN_CLOSE_ELEMENTS: usize = 32;
        let [mut src_elements, mut dst_elements] = self.inner.map(|dim| dim.size);
        let mut innermost_first = Vec::new();
        while src_elements.min(dst_elements) < MIN_CLOSE_ELEMENTS
            && let Some(dst_minor) = self.outer.len().checked_sub(1)
        {
            if src_elements < dst_elements {
                let stride = |i: &usize| self.outer[*i].src_stride.unsigned_abs();
                let src_minor = (0..self.outer.len()).min_by_key(stride).unwrap_or(dst_minor);
                let dim = self.outer.remove(src_minor);
                src_elements *= dim.size;
                innermost_first.push(dim);
            } else {
                let dim = self.outer.remove(dst_minor);
                dst_elements *= dim.size;
                innermost_first.push(dim);
            }
        }
        innermost_first.reverse();
        self.outer.append(&mut innermost_first);
    }

    /// Copies the elements between buffers. `tick` is called between blocks with the number of elements since the last call, and
    /// returns whether to continue. Errors: cancelled; an invalid task if a view exceeds its buffer.
    pub fn run(
        &self,
        source: &[u8],
        destination: &mut [u8],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), KernelError> {
        self.run_at(&[0], DstOffsets::single(0), source, destination, tick)
    }

    /// Copies the elements once for each of `src_offsets`, in bytes, by which the source's view is moved; the destination's
    /// view is moved by `dst_offsets`. Otherwise as [`Self::run`].
    pub fn run_at(
        &self,
        src_offsets: &[isize],
        dst_offsets: DstOffsets,
        source: &[u8],
        destination: &mut [u8],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), KernelError> {
        let fits = |range: &Range<isize>, min_offset: isize, max_offset: isize, bytes: usize| {
            let start = range.start.checked_add(min_offset);
            let end = range.end.checked_add(max_offset);
            start.is_some_and(|start| start >= 0) && end.is_some_and(|end| end <= bytes.cast_signed())
        };
        let (Some(min_src), Some(max_src)) = (src_offsets.iter().min(), src_offsets.iter().max()) else {
            return Ok(());
        };
        let DstOffsets { first, stride } = dst_offsets;
        let last = stride
            .checked_mul(src_offsets.len().cast_signed() - 1)
            .and_then(|span| span.checked_add(first))
            .ok_or(KernelError::InvalidTask)?;
        if !fits(&self.src_range, *min_src, *max_src, source.len())
            || !fits(&self.dst_range, first.min(last), first.max(last), destination.len())
        {
            return Err(KernelError::InvalidTask);
        }
        let from = source.as_ptr().wrapping_offset(self.src_start);
        let to = destination.as_mut_ptr().wrapping_offset(self.dst_start + first);
        // SAFETY: the bytes that both views access are in the buffers at every offset, as was just checked.
        unsafe {
            match self.element_bytes {
                1 => self.copy_at_offsets::<u8>(src_offsets, stride, from, to, tick),
                2 => self.copy_at_offsets::<u16>(src_offsets, stride, from, to, tick),
                4 => self.copy_at_offsets::<u32>(src_offsets, stride, from, to, tick),
                8 => self.copy_at_offsets::<u64>(src_offsets, stride, from, to, tick),
                _ => self.copy_at_offsets::<u128>(src_offsets, stride, from, to, tick),
            }
        }
    }

    /// Copies at each offset of the source; the destination advances by `dst_stride` bytes.
    ///
    /// # Safety
    /// Each element of both views can be read and written at every offset.
    unsafe fn copy_at_offsets<B: Bits>(
        &self,
        src_offsets: &[isize],
        dst_stride: isize,
        from: *const u8,
        to: *mut u8,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), KernelError> {
        /// Maximum number of bytes of a run that is copied without a separate cancellation check.
        const MAX_SHORT_RUN_BYTES: usize = 4096;
        let has_no_loops = self.outer.is_empty() && self.inner == [Dim::ONE; 2];
        let is_short_run = |bytes| has_no_loops && bytes <= MAX_SHORT_RUN_BYTES;
        let mut to = to;
        for offset in src_offsets {
            let from = from.wrapping_offset(*offset);
            // SAFETY: the elements of both views can be read and written at every offset, as `run_at` has checked.
            unsafe {
                match self.innermost {
                    Innermost::Element if has_no_loops => B::read(from).write(to),
                    Innermost::Run { bytes } if is_short_run(bytes) => loops::copy_run(from, to, bytes),
                    _ => self.copy_outer::<B>(from, to, tick)?,
                }
            }
            to = to.wrapping_offset(dst_stride);
        }
        // `copy_outer` has reported its elements.
        let is_unreported = match self.innermost {
            Innermost::Element => has_no_loops,
            Innermost::Run { bytes } => is_short_run(bytes),
            _ => false,
        };
        if is_unreported { report(tick, self.elements * src_offsets.len() as u64) } else { Ok(()) }
    }

    /// Visits the outer dimensions. Fails only if cancelled.
    ///
    /// # Safety
    /// Each element of both views can be read and written.
    unsafe fn copy_outer<B: Bits>(
        &self,
        from: *const u8,
        to: *mut u8,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), KernelError> {
        if self.outer.is_empty() && self.elements_per_iteration <= CANCEL_CHECK_INTERVAL_ELEMENTS {
            // SAFETY: the elements of both views can be read and written from these addresses on.
            unsafe { self.copy_inner::<B>(from, to, self.inner) }
            return report(tick, self.elements_per_iteration);
        }
        let (mut from, mut to) = (from, to);
        let mut index = vec![0; self.outer.len()];
        let mut unreported_elements = 0;
        loop {
            if self.elements_per_iteration > CANCEL_CHECK_INTERVAL_ELEMENTS {
                // SAFETY: the outer index is within the sizes: the inner elements from here on are elements of the views.
                unsafe { self.copy_inner_in_parts::<B>(from, to, tick)? }
            } else {
                // SAFETY: the outer index is within the sizes: the inner elements from here on are elements of the views.
                unsafe { self.copy_inner::<B>(from, to, self.inner) }
                unreported_elements += self.elements_per_iteration;
            }
            if unreported_elements >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                report(tick, std::mem::take(&mut unreported_elements))?;
            }
            let mut d = self.outer.len();
            loop {
                let Some(next) = d.checked_sub(1) else {
                    return if unreported_elements == 0 { Ok(()) } else { report(tick, unreported_elements) };
                };
                d = next;
                let Dim { size, src_stride, dst_stride } = self.outer[d];
                index[d] += 1;
                if index[d] < size {
                    from = from.wrapping_offset(src_stride);
                    to = to.wrapping_offset(dst_stride);
                    break;
                }
                index[d] = 0;
                let to_first = 1 - size.cast_signed();
                from = from.wrapping_offset(src_stride * to_first);
                to = to.wrapping_offset(dst_stride * to_first);
            }
        }
    }

    /// Visits the inner dimensions in parts of about [`CANCEL_CHECK_INTERVAL_ELEMENTS`] elements. Fails only if cancelled.
    ///
    /// # Safety
    /// As for [`Self::copy_inner`].
    unsafe fn copy_inner_in_parts<B: Bits>(
        &self,
        from: *const u8,
        to: *mut u8,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), KernelError> {
        let [first, second] = self.inner;
        let elements_per_index = self.elements_per_iteration / first.size as u64;
        let max_indices = usize::try_from(CANCEL_CHECK_INTERVAL_ELEMENTS / elements_per_index.max(1))
            .unwrap_or(0)
            .next_multiple_of(64)
            .max(64);
        for (i, size) in loops::split(first.size, B::LANES, max_indices) {
            let i = i.cast_signed();
            let from = from.wrapping_offset(i * first.src_stride);
            let to = to.wrapping_offset(i * first.dst_stride);
            // SAFETY: indices `i` to `i + size` of the first dimension, all of which can be read and written.
            unsafe { self.copy_inner::<B>(from, to, [Dim { size, ..first }, second]) }
            report(tick, elements_per_index * size as u64)?;
        }
        Ok(())
    }

    /// Visits the inner dimensions.
    ///
    /// # Safety
    /// Each element of both views from these addresses on can be read and written.
    unsafe fn copy_inner<B: Bits>(&self, from: *const u8, to: *mut u8, inner: [Dim; 2]) {
        let copy = |from: *const u8, to: *mut u8, dims: [Dim; 2]| {
            // SAFETY: `dims` are parts of the inner dimensions, all of whose elements can be read and written.
            unsafe {
                match self.innermost {
                    Innermost::Element => loops::copy_elements::<B>(from, to, dims),
                    // Contiguous reads and strided writes are faster than the reverse.
                    Innermost::Run { bytes } if self.loop_order == LoopOrder::Blocks => {
                        loops::copy_runs(from, to, [dims[1], dims[0]], bytes);
                    }
                    Innermost::Run { bytes } => loops::copy_runs(from, to, dims, bytes),
                    Innermost::Repeat { bytes, count } => loops::repeat_runs(from, to, dims, bytes, count),
                    Innermost::Fill { count } => loops::fill_runs::<B>(from, to, dims, count),
                    Innermost::Reverse { count } => loops::reverse_runs::<B>(from, to, dims, count),
                }
            }
        };
        match self.loop_order {
            LoopOrder::Nested => copy(from, to, inner),
            LoopOrder::Blocks => loops::for_each_block(from, to, inner, copy),
            // SAFETY: all elements can be read and written; `choose_inner_loops` checked that both dimensions have at least a
            // vector of elements.
            LoopOrder::Transposed => unsafe { loops::transpose::<B>(from, to, inner) },
        }
    }
}

/// Reverses a dimension: it is iterated from its last index to its first.
fn reverse_dimension(dim: &mut Dim, src_start: &mut isize, dst_start: &mut isize) {
    let last = dim.size.cast_signed() - 1;
    *src_start += last * dim.src_stride;
    *dst_start += last * dim.dst_stride;
    *dim = Dim { size: dim.size, src_stride: -dim.src_stride, dst_stride: -dim.dst_stride };
}

/// Merges adjacent dimensions that are contiguous in source and destination.
fn collapse(dims: &[Dim]) -> Vec<Dim> {
    let mut collapsed: Vec<Dim> = Vec::with_capacity(dims.len());
    for dim in dims {
        let size = dim.size.cast_signed();
        match collapsed.last_mut() {
            Some(major)
                if major.src_stride == dim.src_stride * size && major.dst_stride == dim.dst_stride * size =>
            {
                *major = Dim { size: major.size * dim.size, ..*dim };
            }
            _ => collapsed.push(*dim),
        }
    }
    collapsed
}

/// Copies elements of `element_bytes` from one view to the other, and reports them as steps. Errors: cancelled; an invalid task
/// if a view exceeds its buffer.
pub fn copy_view(
    element_bytes: usize,
    [from, to]: [&View; 2],
    source: &[u8],
    destination: &mut [u8],
    context: &mut Context,
) -> Result<(), KernelError> {
    let Some(plan) = Plan::new(element_bytes, from, to) else { return Ok(()) };
    plan.run(source, destination, context.tick)
}

/// [`copy_view`] for a task whose steps are not these elements: the observer may cancel, but no steps are reported.
pub fn copy_view_unreported(
    element_bytes: usize,
    [from, to]: [&View; 2],
    source: &[u8],
    destination: &mut [u8],
    context: &mut Context,
) -> Result<(), KernelError> {
    let Some(plan) = Plan::new(element_bytes, from, to) else { return Ok(()) };
    plan.run(source, destination, &mut |_| (context.tick)(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_out_of_bounds_is_an_invalid_task_and_not_cancelled() {
        let view = View::row_major(&[2, 3]);
        let plan = Plan::new(1, &view, &view).unwrap();
        let run = |source: usize, destination: usize, src_offset: isize, first: isize| {
            let (source, mut destination) = (vec![0; source], vec![0; destination]);
            let dst_offsets = DstOffsets::single(first);
            plan.run_at(&[src_offset], dst_offsets, &source, &mut destination, &mut |_| true)
        };
        assert_eq!(run(6, 6, 0, 0), Ok(()));
        for (source, destination, src_offset, first) in
            [(5, 6, 0, 0), (6, 5, 0, 0), (6, 6, 1, 0), (6, 6, -1, 0), (6, 6, 0, 1), (6, 6, 0, -1)]
        {
            assert_eq!(run(source, destination, src_offset, first), Err(KernelError::InvalidTask));
        }
        assert_eq!(plan.run(&[0; 6], &mut [0; 6], &mut |_| false), Err(KernelError::Cancelled));
    }
}
