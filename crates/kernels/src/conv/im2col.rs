//! A compact form of im2col: copies the input under a box of positions, so that neighbouring positions read adjacent cells.
//!
//! Each input feature has a box of cells of the base area, in which padding and the gaps of dilation are zeros. Along the minor
//! axis, cells with the same remainder modulo the stride (a phase) are contiguous, so that a cell of the window covers adjacent
//! cells at neighbouring positions, whatever the stride.

use crate::conv::plan::{Axis, Plan, PositionBox, boxes};
use crate::gemm::index_group::{self, Group};
use crate::gemm::matrix::{MatrixOperand, cells_of, room};
use crate::gemm::typed::SumType;
use crate::support::scratch::{Floats, Scratch};
use crate::support::slice::Slice;

/// Maximum cells of a copy, unless the smallest box has more.
const MAX_COPY_CELLS: usize = 1 << 19;
/// Cells after the last that vector loads may read.
const SLACK_CELLS: usize = 16;

/// The cells of the base area that are copied along an axis.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    /// The distance between copied cells in the base area: the window's stride if it has one cell, else 1.
    step: usize,
    /// The number of base-area cells that the positions cover.
    base_cells: usize,
    /// The number of phases.
    phases: usize,
    /// The cells of a phase.
    phase_cells: usize,
}

impl Span {
    /// The cells under `positions` positions. Along the minor axis a phase has at least `min_phase_cells`.
    fn of(axis: &Axis, positions: usize, is_minor: bool, min_phase_cells: usize) -> Self {
        let min_cells = if is_minor { min_phase_cells } else { 0 };
        if axis.size == 1 {
            return Self {
                step: axis.stride,
                base_cells: positions,
                phases: 1,
                phase_cells: positions.max(min_cells),
            };
        }
        let base_cells = (positions - 1) * axis.stride + (axis.size - 1) * axis.dilation + 1;
        let phases = if is_minor { axis.stride.min(base_cells) } else { 1 };
        Self { step: 1, base_cells, phases, phase_cells: base_cells.div_ceil(phases).max(min_cells) }
    }

    /// The cells of the copy along this axis.
    fn cells(&self) -> usize {
        self.phases * self.phase_cells
    }

    /// The offset in the copy of a cell of the base area.
    fn at(&self, base_index: usize) -> usize {
        base_index % self.phases * self.phase_cells + base_index / self.phases
    }

    /// The distance between adjacent positions in the copy, in cells.
    fn stride(&self, axis: &Axis) -> usize {
        if axis.size == 1 || self.phases > 1 { 1 } else { axis.stride }
    }
}

/// The buffer of a box's copied input, and its layout.
#[derive(Debug)]
pub struct Stage {
    cells: Floats,
    count: usize,
    row: Row,
    /// The source slot of each row of an input feature; `None` is a row of zeros.
    rows: Vec<Option<isize>>,
    outer: Group,
    depth: Group,
    /// Whether padding has not been zeroed yet; it is at the same cells for every box of this layout.
    is_new: bool,
}

/// The copy as a matrix: positions are lines, input features and cells of the window are depth.
pub struct Staged<'a> {
    /// The cells.
    pub cells: Slice<'a>,
    /// Positions.
    pub outer: &'a Group,
    /// Input features and cells of the window.
    pub depth: &'a Group,
}

fn spans(axes: &[Axis], counts: &[usize], min_phase_cells: usize) -> Vec<Span> {
    let minor = axes.len() - 1;
    let all = axes.iter().zip(counts).enumerate();
    all.map(|(d, (axis, count))| Span::of(axis, *count, d == minor, min_phase_cells)).collect()
}

impl Stage {
    /// The maximum positions of a box whose copied input is within [`MAX_COPY_CELLS`]; at most `limit`.
    pub fn max_positions(plan: &Plan, limit: usize) -> usize {
        let mut positions = limit;
        while positions > 16 {
            let (counts, _) = boxes(&plan.axes, positions);
            let cells: usize = spans(&plan.axes, &counts, 0).iter().map(Span::cells).product();
            if cells.saturating_mul(plan.inputs) <= MAX_COPY_CELLS {
                break;
            }
            positions /= 2;
        }
        positions
    }

    /// Allocates for boxes of `counts` positions along each axis, with phases of at least `min_phase_cells`, and
    /// `extra_cells` after them.
    pub fn new<E: SumType>(
        plan: &Plan,
        counts: &[usize],
        min_phase_cells: usize,
        extra_cells: usize,
        scratch: &mut Scratch,
    ) -> Self {
        let spans = spans(&plan.axes, counts, min_phase_cells);
        let count =
            plan.inputs * spans.iter().map(Span::cells).product::<usize>() + SLACK_CELLS + extra_cells;
        let (row, rows, outer, depth) = Default::default();
        Self { cells: room::<E>(scratch, count), count, row, rows, outer, depth, is_new: true }
    }

    /// Returns the memory to scratch.
    pub fn release(self, scratch: &mut Scratch) {
        scratch.recycle(self.cells);
    }

    /// Computes the layout of a box's copy.
    pub fn lay_out(&mut self, plan: &Plan, positions: &PositionBox, min_phase_cells: usize) {
        let spans = spans(&plan.axes, &positions.count, min_phase_cells);
        let starts = plan.axes.iter().zip(&positions.first).map(|(axis, first)| first * axis.stride);
        let starts: Vec<usize> = starts.collect();
        let outer = spans.len() - 1;
        self.row = Row::of(starts[outer], spans[outer], &plan.axes[outer]);
        let rows: usize = spans[..outer].iter().map(|span| span.base_cells).product();
        self.rows.clear();
        self.is_new = true;
        for number in 0..rows {
            let (mut rest, mut slot) = (number, Some(0));
            for d in (0..outer).rev() {
                let (axis, own) = (&plan.axes[d], &spans[d]);
                let base_index = starts[d] + rest % own.base_cells * own.step;
                let element = axis.element(base_index.cast_signed());
                slot = slot.zip(element).map(|(slot, element)| slot + element.cast_signed() * axis.input);
                rest /= own.base_cells;
            }
            self.rows.push(slot);
        }
        let mut pitches = vec![1; spans.len()];
        let mut pitch = spans[outer].cells();
        for d in (0..outer).rev() {
            pitches[d] = pitch;
            pitch *= spans[d].cells();
        }
        self.depth = Group::of([(plan.inputs, pitch.cast_signed())]);
        self.outer = Group::default();
        for ((axis, span), (pitch, count)) in
            plan.axes.iter().zip(&spans).zip(pitches.iter().zip(&positions.count))
        {
            self.outer.push(index_group::Axis::Steps(*count, (span.stride(axis) * pitch).cast_signed()));
            let at = |cell| (span.at(axis.tap_offset(cell)) * pitch).cast_signed();
            self.depth.push(index_group::Axis::of((0..axis.size).map(at).collect()));
        }
    }

    /// Copies the input that the windows of the box cover.
    pub fn fill<E: SumType>(&mut self, plan: &Plan, input: &MatrixOperand) -> Staged<'_> {
        let cells = &mut cells_of::<E>(&mut self.cells)[..self.count];
        if std::mem::take(&mut self.is_new) {
            cells.fill(E::default());
        }
        let mut to = cells.chunks_exact_mut(self.row.span.cells().max(1));
        let own = E::view(&input.cells);
        for feature in 0..plan.inputs {
            let offset = input.offset + feature.cast_signed() * plan.feature;
            let rows = self.rows.iter().zip(to.by_ref());
            let rows = rows.filter_map(|(slot, to)| slot.map(|slot| (offset + slot, to)));
            match (own, self.row.run) {
                (Some(cells), Some(run)) => self.row.copy(cells, run, rows),
                _ => rows.for_each(|(slot, to)| self.row.fill(input, slot, to)),
            }
        }
        Staged { cells: E::slice(cells), outer: &self.outer, depth: &self.depth }
    }
}

/// How a row of base-area cells along the minor axis is filled.
#[derive(Debug, Default)]
struct Row {
    /// The element at each cell.
    sources: Vec<Option<usize>>,
    span: Span,
    input: isize,
    /// Where elements are adjacent in memory: the first cell that is an element, the number of elements, and the first element.
    /// All other cells are padding.
    run: Option<(usize, usize, usize)>,
    slots: Vec<isize>,
}

impl Row {
    fn of(start: usize, span: Span, axis: &Axis) -> Self {
        let element = |i: usize| axis.element((start + i * span.step).cast_signed());
        let sources: Vec<Option<usize>> = (0..span.base_cells).map(element).collect();
        let first = sources.iter().position(Option::is_some);
        let count = sources.iter().flatten().count();
        let run = first.and_then(|first| {
            let element = sources[first]?;
            let is_run =
                sources[first..].iter().take(count).enumerate().all(|(i, at)| *at == Some(element + i));
            (is_run && axis.input == 1).then_some((first, count, element))
        });
        let slots = sources.iter().flatten().map(|element| element.cast_signed() * axis.input).collect();
        Self { sources, span, input: axis.input, run, slots }
    }

    /// Copies runs of adjacent elements; padding is zero already.
    fn copy<'a, E: SumType>(
        &self,
        cells: &[E],
        (first, count, element): (usize, usize, usize),
        rows: impl Iterator<Item = (isize, &'a mut [E])>,
    ) {
        let (span, element) = (&self.span, element.cast_signed());
        let rows = rows.map(|(slot, to)| (&cells[(slot + element).cast_unsigned()..][..count], to));
        match span.phases {
            1 => rows.for_each(|(from, to)| E::copy(from, &mut to[first..first + count])),
            2 => {
                // Elements alternate between the two phases.
                let (one, two) = (span.at(first), span.at(first + 1));
                let (ones, twos) = (count.div_ceil(2), count / 2);
                for (from, to) in rows {
                    let (low, high) = to.split_at_mut(span.phase_cells);
                    if one < two {
                        E::deinterleave(
                            from,
                            &mut low[one..one + ones],
                            &mut high[two - span.phase_cells..][..twos],
                        );
                    } else {
                        E::deinterleave(
                            from,
                            &mut high[one - span.phase_cells..][..ones],
                            &mut low[two..two + twos],
                        );
                    }
                }
            }
            phases => {
                for (from, to) in rows {
                    for phase in 0..phases.min(count) {
                        let own = from[phase..].iter().step_by(phases);
                        to[span.at(first + phase)..].iter_mut().zip(own).for_each(|(to, from)| *to = *from);
                    }
                }
            }
        }
    }

    /// Copies the elements of a row one by one; padding is zero already.
    fn fill<E: SumType>(&self, input: &MatrixOperand, offset: isize, to: &mut [E]) {
        let span = &self.span;
        if let Some(cells) = E::view(&input.cells) {
            for (base_index, source) in self.sources.iter().enumerate() {
                if let Some(element) = source {
                    to[span.at(base_index)] =
                        cells[(offset + element.cast_signed() * self.input).cast_unsigned()];
                }
            }
            return;
        }
        let mut slots = self.slots.iter();
        for (base_index, source) in self.sources.iter().enumerate() {
            if source.is_some()
                && let Some(slot) = slots.next()
            {
                let at = span.at(base_index);
                E::gather(input, &[offset + slot], &[0], 1, &mut to[at..=at]);
            }
        }
    }
}
