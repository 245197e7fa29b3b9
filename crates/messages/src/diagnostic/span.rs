//! Spans and edits of a source text.

use std::ops::Range;

use crate::compact::sort_pairs;

/// The bytes `start..end` of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte. An empty span is an insertion point.
    pub end: usize,
}

impl Span {
    /// The bytes `start..end`; an `end` before `start` gives the empty span at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The empty span before byte `offset`.
    pub fn at(offset: usize) -> Self {
        Self { start: offset, end: offset }
    }

    /// The smallest span covering both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a `Range`, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Sorts by span; stable. Sorts spans and indices as pairs of integers, then moves the items; spans of texts beyond 2 GB count as equal.
pub fn sort_by_span<T>(items: &mut Vec<T>, span: impl Fn(&T) -> Span) {
    let half = |at: usize| i64::from(i32::try_from(at).unwrap_or(i32::MAX));
    let key = |span: Span| half(span.start) << 32 | half(span.end);
    let order = sort_pairs(items.iter().zip(0..).map(|(item, index)| (key(span(item)), index)).collect());
    let mut unsorted: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(
        order.into_iter().filter_map(|(_, index)| unsorted.get_mut(usize::try_from(index).ok()?)?.take()),
    );
}

/// A replacement of a span of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub span: Span,
    /// The text that replaces the span.
    pub text: String,
}
