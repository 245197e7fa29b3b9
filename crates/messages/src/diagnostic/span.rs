//! A part of a text, and its replacement.

use std::ops::Range;

/// Bytes `start..end` of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte; equal to `start` for a position between two characters.
    pub end: usize,
}

impl Span {
    /// Bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The position before byte `at`.
    pub fn at(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range to slice with.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Sorts by span; items with the same one keep their order. The items move after their places are sorted, so that a
/// program has the code of one sort for all types.
pub fn sort_by_span<T>(items: &mut Vec<T>, span: impl Fn(&T) -> Span) {
    let mut places: Vec<(Span, usize)> =
        items.iter().enumerate().map(|(index, item)| (span(item), index)).collect();
    places.sort_unstable();
    let mut unsorted: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(places.into_iter().filter_map(|(_, index)| unsorted[index].take()));
}

/// A replacement of one part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What to replace.
    pub span: Span,
    /// By what.
    pub text: String,
}
