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

/// A replacement of one part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What to replace.
    pub span: Span,
    /// By what.
    pub text: String,
}
