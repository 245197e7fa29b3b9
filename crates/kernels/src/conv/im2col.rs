//! A compact form of im2col: copies the input of a box of positions into a layout in which neighbouring positions read adjacent
//! elements.
//!
//! Each input feature has a box of the base area (the padded and dilated input), in which padding and the gaps of dilation are
//! zeros. Along the minor axis, elements with the same remainder modulo the stride (a phase) are contiguous: a tap reads adjacent
//! elements at neighbouring positions, for every stride.

use crate::conv::plan::{Axis, Plan, PositionBox, split_into_boxes};
use crate::gemm::matrix::{OperandSlice, elements_of, scratch_for};
use crate::gemm::offset_map::{OffsetDim, OffsetMap};
use crate::gemm::typed::AccumulatorScalar;
use crate::support::scratch::{Floats, Scratch};
use crate::support::slice::Slice;

/// Maximum number of elements of a copy, unless the smallest box has more.
const MAX_COPY_ELEMENTS: usize = 1 << 19;
/// Elements after the last that vector loads may read.
const SLACK_ELEMENTS: usize = 16;

/// The elements of the base area that are copied along an axis.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    /// The distance of the copied elements in the base area: the window's stride if it has one tap, else 1.
    step: usize,
    /// The number of base indices that the positions cover.
    base_size: usize,
    /// The number of phases.
    phases: usize,
    /// The number of elements of a phase.
    phase_size: usize,
}

impl Span {
    /// The elements that `positions` positions cover. Along the minor axis a phase has at least `min_phase_size`.
    fn new(axis: &Axis, positions: usize, is_minor: bool, min_phase_size: usize) -> Self {
        let min_size = if is_minor { min_phase_size } else { 0 };
        if axis.size == 1 {
            return Self {
                step: axis.stride,
                base_size: positions,
                phases: 1,
                phase_size: positions.max(min_size),
            };
        }
        let base_size = (positions - 1) * axis.stride + (axis.size - 1) * axis.dilation + 1;
        let phases = if is_minor { axis.stride.min(base_size) } else { 1 };
        Self { step: 1, base_size, phases, phase_size: base_size.div_ceil(phases).max(min_size) }
    }

    /// The size of the copy along this axis.
    fn size(&self) -> usize {
        self.phases * self.phase_size
    }

    /// The offset in the copy of an element of the base area.
    fn copy_offset(&self, base_index: usize) -> usize {
        base_index % self.phases * self.phase_size + base_index / self.phases
    }

    /// The distance between adjacent positions in the copy, in elements.
    fn stride(&self, axis: &Axis) -> usize {
        if axis.size == 1 || self.phases > 1 { 1 } else { axis.stride }
    }
}

/// Additional elements of a copy, for algorithms that read beyond the positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyPadding {
    /// The minimum number of elements of a phase along the minor axis.
    pub min_phase_size: usize,
    /// Elements after the copy.
    pub extra_elements: usize,
}

/// The copied input of a box of positions, and its layout.
#[derive(Debug)]
pub struct Im2colBuffer {
    padding: CopyPadding,
    elements: Floats,
    length: usize,
    row: Row,
    /// The source slot of each row of an input feature; `None` is a row of zeros.
    rows: Vec<Option<isize>>,
    positions: OffsetMap,
    depth: OffsetMap,
    /// Whether padding is zeroed. It is at the same offsets for every group of a box.
    is_zeroed: bool,
}

/// The copy as a matrix of positions x depth.
pub struct Im2colMatrix<'a> {
    /// The elements of the copy.
    pub elements: Slice<'a>,
    /// The offsets of the window positions.
    pub positions: &'a OffsetMap,
    /// Input features and taps of the window.
    pub depth: &'a OffsetMap,
}

fn spans(axes: &[Axis], counts: &[usize], min_phase_size: usize) -> Vec<Span> {
    let minor = axes.len() - 1;
    let axes_and_counts = axes.iter().zip(counts).enumerate();
    axes_and_counts.map(|(d, (axis, count))| Span::new(axis, *count, d == minor, min_phase_size)).collect()
}

impl Im2colBuffer {
    /// The maximum number of positions of a box whose copied input is within [`MAX_COPY_ELEMENTS`]; at most `limit`.
    pub fn max_positions(plan: &Plan, limit: usize) -> usize {
        let mut positions = limit;
        while positions > 16 {
            let (counts, _) = split_into_boxes(&plan.axes, positions);
            let feature_elements: usize = spans(&plan.axes, &counts, 0).iter().map(Span::size).product();
            if feature_elements.saturating_mul(plan.inputs) <= MAX_COPY_ELEMENTS {
                break;
            }
            positions /= 2;
        }
        positions
    }

    /// Allocates for boxes of `counts` positions along each axis.
    pub fn new<E: AccumulatorScalar>(
        plan: &Plan,
        counts: &[usize],
        padding: CopyPadding,
        scratch: &mut Scratch,
    ) -> Self {
        let CopyPadding { min_phase_size, extra_elements } = padding;
        let spans = spans(&plan.axes, counts, min_phase_size);
        let length =
            plan.inputs * spans.iter().map(Span::size).product::<usize>() + SLACK_ELEMENTS + extra_elements;
        Self {
            padding,
            elements: scratch_for::<E>(scratch, length),
            length,
            row: Row::default(),
            rows: Vec::new(),
            positions: OffsetMap::default(),
            depth: OffsetMap::default(),
            is_zeroed: false,
        }
    }

    /// Returns the memory to the pool.
    pub fn release(self, scratch: &mut Scratch) {
        scratch.recycle(self.elements);
    }

    /// Computes the layout of a box's copy.
    pub fn lay_out(&mut self, plan: &Plan, position_box: &PositionBox) {
        let spans = spans(&plan.axes, &position_box.count, self.padding.min_phase_size);
        let starts = plan.axes.iter().zip(&position_box.first).map(|(axis, first)| first * axis.stride);
        let starts: Vec<usize> = starts.collect();
        let minor = spans.len() - 1;
        self.row = Row::new(starts[minor], spans[minor], &plan.axes[minor]);
        let rows: usize = spans[..minor].iter().map(|span| span.base_size).product();
        self.rows.clear();
        self.is_zeroed = false;
        for row in 0..rows {
            let (mut rest, mut slot) = (row, Some(0));
            for d in (0..minor).rev() {
                let (axis, span) = (&plan.axes[d], &spans[d]);
                let base_index = starts[d] + rest % span.base_size * span.step;
                let element = axis.element(base_index.cast_signed());
                slot =
                    slot.zip(element).map(|(slot, element)| slot + element.cast_signed() * axis.input_stride);
                rest /= span.base_size;
            }
            self.rows.push(slot);
        }
        let mut pitches = vec![1; spans.len()];
        let mut pitch = spans[minor].size();
        for d in (0..minor).rev() {
            pitches[d] = pitch;
            pitch *= spans[d].size();
        }
        self.depth = OffsetMap::new([(plan.inputs, pitch.cast_signed())]);
        self.positions = OffsetMap::default();
        for ((axis, span), (pitch, count)) in
            plan.axes.iter().zip(&spans).zip(pitches.iter().zip(&position_box.count))
        {
            self.positions.push(OffsetDim::Strided(*count, (span.stride(axis) * pitch).cast_signed()));
            let tap_offset = |tap| (span.copy_offset(axis.tap_offset(tap)) * pitch).cast_signed();
            self.depth.push(OffsetDim::from_table((0..axis.size).map(tap_offset).collect()));
        }
    }

    /// Copies the input that the windows of the box cover.
    pub fn fill<E: AccumulatorScalar>(&mut self, plan: &Plan, input: OperandSlice) -> Im2colMatrix<'_> {
        let elements = &mut elements_of::<E>(&mut self.elements)[..self.length];
        if !std::mem::replace(&mut self.is_zeroed, true) {
            elements.fill(E::default());
        }
        let mut to = elements.chunks_exact_mut(self.row.span.size().max(1));
        let unconverted = E::view(&input.elements);
        for feature in 0..plan.inputs {
            let offset = input.offset + feature.cast_signed() * plan.feature_stride;
            let rows = self.rows.iter().zip(to.by_ref());
            let rows = rows.filter_map(|(slot, to)| slot.map(|slot| (offset + slot, to)));
            match (unconverted, self.row.run) {
                (Some(elements), Some(run)) => self.row.copy_runs(elements, run, rows),
                _ => rows.for_each(|(slot, to)| self.row.copy_elements(input, slot, to)),
            }
        }
        Im2colMatrix { elements: E::slice(elements), positions: &self.positions, depth: &self.depth }
    }
}

/// The source of a row of the base area along the minor axis.
#[derive(Debug, Default)]
struct Row {
    /// The element at each base index; `None` is padding.
    sources: Vec<Option<usize>>,
    span: Span,
    input_stride: isize,
    /// If the elements are contiguous in the input and in the base area: the first base index of an element, the
    /// number of elements, and the first element. All else is padding.
    run: Option<(usize, usize, usize)>,
    /// The offset of each element in the input.
    element_offsets: Vec<isize>,
}

impl Row {
    fn new(start: usize, span: Span, axis: &Axis) -> Self {
        let element = |i: usize| axis.element((start + i * span.step).cast_signed());
        let sources: Vec<Option<usize>> = (0..span.base_size).map(element).collect();
        let first = sources.iter().position(Option::is_some);
        let count = sources.iter().flatten().count();
        let run = first.and_then(|first| {
            let element = sources[first]?;
            let is_run =
                sources[first..].iter().take(count).enumerate().all(|(i, at)| *at == Some(element + i));
            (is_run && axis.input_stride == 1).then_some((first, count, element))
        });
        let element_offsets =
            sources.iter().flatten().map(|element| element.cast_signed() * axis.input_stride).collect();
        Self { sources, span, input_stride: axis.input_stride, run, element_offsets }
    }

    /// Copies runs of adjacent elements; padding is zero already.
    fn copy_runs<'a, E: AccumulatorScalar>(
        &self,
        elements: &[E],
        (first, count, element): (usize, usize, usize),
        rows: impl Iterator<Item = (isize, &'a mut [E])>,
    ) {
        let (span, element) = (&self.span, element.cast_signed());
        let rows = rows.map(|(slot, to)| (&elements[(slot + element).cast_unsigned()..][..count], to));
        match span.phases {
            1 => rows.for_each(|(from, to)| E::copy(from, &mut to[first..first + count])),
            2 => {
                // Elements alternate between the two phases.
                let (even_at, odd_at) = (span.copy_offset(first), span.copy_offset(first + 1));
                let (even_count, odd_count) = (count.div_ceil(2), count / 2);
                for (from, to) in rows {
                    let (low, high) = to.split_at_mut(span.phase_size);
                    if even_at < odd_at {
                        E::deinterleave(
                            from,
                            &mut low[even_at..even_at + even_count],
                            &mut high[odd_at - span.phase_size..][..odd_count],
                        );
                    } else {
                        E::deinterleave(
                            from,
                            &mut high[even_at - span.phase_size..][..even_count],
                            &mut low[odd_at..odd_at + odd_count],
                        );
                    }
                }
            }
            phases => {
                for (from, to) in rows {
                    for phase in 0..phases.min(count) {
                        let phase_elements = from[phase..].iter().step_by(phases);
                        to[span.copy_offset(first + phase)..]
                            .iter_mut()
                            .zip(phase_elements)
                            .for_each(|(to, from)| *to = *from);
                    }
                }
            }
        }
    }

    /// Copies the elements of a row one by one; padding is zero already.
    fn copy_elements<E: AccumulatorScalar>(&self, input: OperandSlice, offset: isize, to: &mut [E]) {
        let span = &self.span;
        if let Some(from) = E::view(&input.elements) {
            for (base_index, source) in self.sources.iter().enumerate() {
                if let Some(element) = source {
                    to[span.copy_offset(base_index)] =
                        from[(offset + element.cast_signed() * self.input_stride).cast_unsigned()];
                }
            }
            return;
        }
        let mut element_offsets = self.element_offsets.iter();
        for (base_index, source) in self.sources.iter().enumerate() {
            if source.is_some()
                && let Some(element_offset) = element_offsets.next()
            {
                let at = span.copy_offset(base_index);
                E::gather(input, &[offset + element_offset], &[0], 1, &mut to[at..=at]);
            }
        }
    }
}
