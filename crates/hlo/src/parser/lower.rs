//! Applies the builder's forms to a text: every form becomes plain HLO by the edits that the parser noted.
//!
//! Forms may be nested in each other's operands, so that several passes are needed. Spans of the lowered text are
//! mapped back, so that diagnostics and instructions are at their place in the source.

use super::parsed::{MAX_DIAGNOSTICS, Parsed, Pass};
use crate::module::{MAX_NESTING_DEPTH, Module};
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Severity, Span};

/// A text without forms of the builder.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The text.
    pub text: String,
    /// What the builder did, one note per form, at spans of the source.
    pub notes: Vec<Diagnostic>,
    rewrites: Vec<Rewrite>,
}

/// A replaced part of a text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    old: Span,
    new: Span,
}

/// The edits of one pass, ascending.
#[derive(Clone, Debug, Default)]
struct Rewrite(Vec<Piece>);

impl Rewrite {
    /// The offset before the edits. An offset within a replacement becomes an end of what it replaced.
    fn offset(&self, offset: usize, is_end: bool) -> usize {
        let Self(pieces) = self;
        let starts_before =
            |piece: &Piece| if is_end { piece.new.start < offset } else { piece.new.start <= offset };
        let Some(last) = pieces.partition_point(starts_before).checked_sub(1).and_then(|i| pieces.get(i))
        else {
            return offset;
        };
        match offset.checked_sub(last.new.end) {
            Some(after) => last.old.end + after,
            None if is_end => last.old.end,
            None => last.old.start,
        }
    }
}

/// The text with edits, which are ascending, and what they replaced.
fn rewrite(text: &str, edits: &[Edit]) -> Option<(String, Rewrite)> {
    let hint =
        Hint { message: xla_messages::i18n::Message::ops("lowering-write-hlo"), edits: edits.to_vec() };
    let new_text = hint.apply(text)?;
    let (mut pieces, mut grown, mut shrunk) = (Vec::new(), 0, 0);
    for Edit { span, text } in edits {
        let start = span.start + grown - shrunk;
        pieces.push(Piece { old: *span, new: Span::new(start, start + text.len()) });
        grown += text.len();
        shrunk += span.end - span.start;
    }
    Some((new_text, Rewrite(pieces)))
}

/// The edits of as many notes as do not overlap, ascending, and the positions of these notes.
fn disjoint(notes: &[Diagnostic]) -> (Vec<Edit>, Vec<usize>) {
    let (mut edits, mut applied, mut last_end) = (Vec::new(), Vec::new(), 0);
    for (i, note) in notes.iter().enumerate() {
        let Some(hint) = note.hints.first() else { continue };
        // Computations are added before the one that contains the instruction, where nothing is replaced.
        let own = hint
            .edits
            .iter()
            .skip_while(|edit| edit.span.end == edit.span.start && edit.text.ends_with("}\n"));
        let (start, end) = own
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
    /// A text that has no forms, or keeps them.
    pub(super) fn unchanged(source: &str) -> Self {
        Self { text: source.to_owned(), ..Self::default() }
    }

    /// The span in the source of a span of the lowered text.
    fn original(&self, span: Span) -> Span {
        self.rewrites.iter().rev().fold(span, |span, rewrite| {
            let (start, end) = (rewrite.offset(span.start, false), rewrite.offset(span.end, true));
            Span::new(start, end.max(start))
        })
    }

    fn original_diagnostic(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.span = self.original(diagnostic.span);
        // Fixes of the lowered text do not apply to the source.
        for hint in &mut diagnostic.hints {
            hint.edits.clear();
        }
        diagnostic
    }

    fn relocate(&self, module: &mut Module) {
        for computation in &mut module.computations {
            computation.span = self.original(computation.span);
            for spans in computation.instructions.iter_mut().map(|i| &mut i.spans) {
                let parts = [&mut spans.whole, &mut spans.name, &mut spans.shape, &mut spans.opcode];
                let operands = spans.operands.iter_mut();
                let attrs = spans.attrs.iter_mut().map(|(_, span)| span);
                for span in parts.into_iter().chain(operands).chain(attrs) {
                    *span = self.original(*span);
                }
            }
        }
    }

    /// Applies the notes of a pass; `false` if nothing can be applied.
    fn apply(&mut self, notes: &[Diagnostic]) -> bool {
        let (edits, applied) = disjoint(notes);
        let Some((text, rewrite)) = rewrite(&self.text, &edits).filter(|_| !applied.is_empty()) else {
            return false;
        };
        let is_first = self.rewrites.is_empty();
        for note in applied.iter().filter_map(|i| notes.get(*i)) {
            let note = if is_first { note.clone() } else { self.original_diagnostic(note.clone()) };
            self.notes.push(note);
        }
        self.rewrites.push(rewrite);
        self.text = text;
        true
    }
}

/// Lowers a text from its first pass on, and returns the last pass.
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

/// Whether a text can be lowered: it has no errors but shapes that no longer follow.
fn can_be_lowered(pass: &Pass) -> bool {
    let is_tolerable = |d: &Diagnostic| d.severity != Severity::Error || d.rule == "result-differs";
    !pass.notes.is_empty() && pass.parsed.diagnostics.iter().all(is_tolerable)
}

/// Lowers a text, which `parse` reads once.
pub(super) fn lower(source: &str, parse: impl Fn(&str) -> Pass) -> Lowered {
    let first = parse(source);
    if !can_be_lowered(&first) {
        return Lowered::unchanged(source);
    }
    lower_from(source, first, parse).0
}

/// The module of a text, lowered if it has forms of the builder, with spans of the source.
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
    let others = diagnostics.into_iter().map(|diagnostic| lowered.original_diagnostic(diagnostic));
    let mut diagnostics: Vec<Diagnostic> = others.collect();
    lowered.relocate(&mut module);
    diagnostics.extend(std::mem::take(&mut lowered.notes).into_iter().take(MAX_DIAGNOSTICS));
    diagnostics.sort_by_key(|d| d.span.start);
    Parsed { module, diagnostics }
}
