//! The result of a translation: HLO text with the op that each range comes from.

use xla_messages::diagnostic::{Diagnostic, Span};

/// HLO text translated from `StableHLO`.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    /// The HLO text; as far as it could be translated if there are errors.
    pub hlo: String,
    /// Errors of the `StableHLO` text.
    pub diagnostics: Vec<Diagnostic>,
    /// For ranges of the HLO text, ascending, the op of the `StableHLO` text that they come from.
    pub source_map: Vec<(Span, Span)>,
}

impl Translation {
    /// The span of the op that a position of the HLO text comes from.
    pub fn origin(&self, offset: usize) -> Span {
        let at = self.source_map.partition_point(|(range, _)| range.start <= offset);
        let found = at.checked_sub(1).and_then(|at| self.source_map.get(at));
        found.map_or(Span::default(), |(_, origin)| *origin)
    }
}
