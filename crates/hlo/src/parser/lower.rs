//! Lowers the builder forms of the text to plain HLO, by applying the edits of the parser's notes.
//!
//! Forms can be nested in operands of other forms, so several passes may be needed. Spans of the lowered text are mapped
//! back to the source.

use super::parsed::{MAX_DIAGNOSTICS, Parsed, Pass};
use crate::module::{MAX_NESTING_DEPTH, Module};
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Severity, Span};

/// Text without builder forms.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The text without builder forms.
    pub text: String,
    /// One note per lowered form, at spans of the source.
    pub notes: Vec<Diagnostic>,
    passes: Vec<AppliedEdits>,
}

/// The span of an edit in the text before and after its pass.
#[derive(Clone, Copy, Debug)]
struct Replacement {
    old: Span,
    new: Span,
}

/// The edits of one pass, in ascending order, to map offsets back.
#[derive(Clone, Debug, Default)]
struct AppliedEdits(Vec<Replacement>);

impl AppliedEdits {
    /// Maps an offset to the text before the edits. An offset within new text maps to the start or the end of the replaced text.
    fn old_offset(&self, offset: usize, is_end: bool) -> usize {
        let Self(replacements) = self;
        let starts_before = |replacement: &Replacement| {
            if is_end { replacement.new.start < offset } else { replacement.new.start <= offset }
        };
        let before = replacements.partition_point(starts_before);
        let Some(last) = before.checked_sub(1).and_then(|i| replacements.get(i)) else {
            return offset;
        };
        match offset.checked_sub(last.new.end) {
            Some(after) => last.old.end + after,
            None if is_end => last.old.end,
            None => last.old.start,
        }
    }
}

/// Applies edits, which are in ascending order and do not overlap.
fn apply_edits(text: &str, edits: &[Edit]) -> Option<(String, AppliedEdits)> {
    let hint =
        Hint { message: xla_messages::i18n::Message::ops("lowering-write-hlo"), edits: edits.to_vec() };
    let new_text = hint.apply(text)?;
    let (mut replacements, mut inserted_bytes, mut removed_bytes) = (Vec::new(), 0, 0);
    for Edit { span, text } in edits {
        let start = span.start + inserted_bytes - removed_bytes;
        replacements.push(Replacement { old: *span, new: Span::new(start, start + text.len()) });
        inserted_bytes += text.len();
        removed_bytes += span.end - span.start;
    }
    Some((new_text, AppliedEdits(replacements)))
}

/// Selects notes whose edits do not overlap; returns the edits, in ascending order, and the positions of the notes.
fn disjoint_edits(notes: &[Diagnostic]) -> (Vec<Edit>, Vec<usize>) {
    let (mut edits, mut applied, mut last_end) = (Vec::new(), Vec::new(), 0);
    for (i, note) in notes.iter().enumerate() {
        let Some(hint) = note.hints.first() else { continue };
        // Added computations are inserted before the one that contains the instruction, and overlap nothing.
        let around_instruction = hint
            .edits
            .iter()
            .skip_while(|edit| edit.span.end == edit.span.start && edit.text.ends_with("}\n"));
        let (start, end) = around_instruction
            .fold((usize::MAX, 0), |(start, end), edit| (start.min(edit.span.start), end.max(edit.span.end)));
        if start >= last_end && end > 0 {
            last_end = end;
            edits.extend(hint.edits.iter().cloned());
            applied.push(i);
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    (edits, applied)
}

impl Lowered {
    /// Text that is not lowered.
    pub(super) fn unchanged(source: &str) -> Self {
        Self { text: source.to_owned(), ..Self::default() }
    }

    /// Maps a span of the lowered text to the source.
    fn source_span(&self, span: Span) -> Span {
        self.passes.iter().rev().fold(span, |span, edits| {
            let (start, end) = (edits.old_offset(span.start, false), edits.old_offset(span.end, true));
            Span::new(start, end.max(start))
        })
    }

    fn source_diagnostic(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.span = self.source_span(diagnostic.span);
        // Fixes of the lowered text do not apply to the source.
        for hint in &mut diagnostic.hints {
            hint.edits.clear();
        }
        diagnostic
    }

    fn map_spans_to_source(&self, module: &mut Module) {
        for computation in &mut module.computations {
            computation.span = self.source_span(computation.span);
            for spans in computation.instructions.iter_mut().map(|i| &mut i.spans) {
                let parts = [&mut spans.whole, &mut spans.name, &mut spans.shape, &mut spans.opcode];
                let operands = spans.operands.iter_mut();
                let attrs = spans.attrs.iter_mut().map(|(_, span)| span);
                for span in parts.into_iter().chain(operands).chain(attrs) {
                    *span = self.source_span(*span);
                }
            }
        }
    }

    /// Applies the edits of a pass's notes; returns `false` if none can be applied.
    fn apply(&mut self, notes: &[Diagnostic]) -> bool {
        let (edits, applied) = disjoint_edits(notes);
        let Some((text, pass)) = apply_edits(&self.text, &edits).filter(|_| !applied.is_empty()) else {
            return false;
        };
        let is_first_pass = self.passes.is_empty();
        for note in applied.iter().filter_map(|i| notes.get(*i)) {
            let note = if is_first_pass { note.clone() } else { self.source_diagnostic(note.clone()) };
            self.notes.push(note);
        }
        self.passes.push(pass);
        self.text = text;
        true
    }
}

/// Lowers text, whose first pass is given, and returns the last pass.
fn lower_from(source: &str, first: Pass, parse: impl Fn(&str) -> Pass) -> (Lowered, Pass) {
    let mut lowered = Lowered::unchanged(source);
    let mut pass = first;
    for _ in 0..2 * MAX_NESTING_DEPTH {
        if pass.notes.is_empty() || !lowered.apply(&pass.notes) {
            break;
        }
        pass = parse(&lowered.text);
    }
    lowered.notes.sort_by_key(|note| note.span.start);
    (lowered, pass)
}

/// Whether the text can be lowered: it has forms, and no errors except for wrong result shapes.
fn can_be_lowered(pass: &Pass) -> bool {
    let is_tolerable = |d: &Diagnostic| d.severity != Severity::Error || d.rule == "result-differs";
    !pass.notes.is_empty() && pass.parsed.diagnostics.iter().all(is_tolerable)
}

/// Lowers text. `parse` parses one pass.
pub(super) fn lower(source: &str, parse: impl Fn(&str) -> Pass) -> Lowered {
    let first = parse(source);
    if !can_be_lowered(&first) {
        return Lowered::unchanged(source);
    }
    lower_from(source, first, parse).0
}

/// The module of the text, lowered if it has builder forms, with spans of the source.
pub(super) fn parsed(source: &str, first: Pass, parse: impl Fn(&str) -> Pass) -> Parsed {
    let is_valid = first.parsed.error().is_none();
    let Pass { mut parsed, notes } = first;
    if notes.is_empty() || !is_valid {
        parsed.diagnostics.extend(notes.into_iter().take(MAX_DIAGNOSTICS));
        parsed.diagnostics.sort_by_key(|d| d.span.start);
        return parsed;
    }
    let (mut lowered, last) = lower_from(source, Pass { parsed, notes }, parse);
    let Parsed { mut module, diagnostics } = last.parsed;
    let others = diagnostics.into_iter().map(|diagnostic| lowered.source_diagnostic(diagnostic));
    let mut diagnostics: Vec<Diagnostic> = others.collect();
    lowered.map_spans_to_source(&mut module);
    diagnostics.extend(std::mem::take(&mut lowered.notes).into_iter().take(MAX_DIAGNOSTICS));
    diagnostics.sort_by_key(|d| d.span.start);
    Parsed { module, diagnostics }
}
