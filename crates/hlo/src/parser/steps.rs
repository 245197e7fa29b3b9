//! Parsing in steps, so that a caller can report progress and cancel.

use super::computation::OpenComputation;
use super::lower;
use super::parsed::{Parsed, Pass};
use super::state::MAX_TEXT_BYTES;
use super::state::Parser;
use crate::lexer::TokenKind;
use crate::module::Module;
use xla_array::Edition;
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::i18n::Message;

/// The unit of text that the next step parses.
enum Next<'s> {
    Start,
    /// A computation at the top level, in text with or without a header.
    Computation,
    /// An instruction of this computation.
    Instruction(Box<OpenComputation<'s>>),
    /// Nothing: only the checks of the whole module remain.
    Checks,
    Nothing,
}

/// A resumable parse, by the rules of current XLA. To cancel it, drop it.
///
/// A step ends after an instruction of the module's computations; an instruction with nested ones is parsed in one step.
/// The checks of the whole module are the last step.
///
/// ```
/// let text = "HloModule m  ENTRY e { x = f32[2,3] parameter(0) ROOT y = negate(x) }";
/// let mut steps = xla_hlo::parser::ParseSteps::new(text);
/// while steps.step(16) {
///     assert!(steps.consumed_bytes() <= text.len());
/// }
/// assert_eq!(steps.finish().module.to_string(), xla_hlo::parse(text).module.to_string());
/// ```
pub struct ParseSteps<'s> {
    parser: Parser<'s>,
    next: Next<'s>,
    has_header: bool,
}

impl<'s> ParseSteps<'s> {
    /// Begins to parse text.
    pub fn new(source: &'s str) -> Self {
        Self::with_edition(source, Edition::Current)
    }

    pub(super) fn with_edition(source: &'s str, edition: Edition) -> Self {
        let is_too_long = source.len() > MAX_TEXT_BYTES;
        let mut parser = Parser::new(if is_too_long { "" } else { source }, edition);
        if is_too_long {
            let message =
                Message::ops("text-too-long").with("bytes", source.len()).with("limit", MAX_TEXT_BYTES);
            parser.diagnostics.push(Diagnostic::error(Span::new(0, source.len()), "hlo-too-long", message));
        }
        let next = if is_too_long { Next::Nothing } else { Next::Start };
        Self { parser, next, has_header: true }
    }

    /// The number of bytes that have been parsed.
    pub fn consumed_bytes(&self) -> usize {
        self.parser.lexer.offset
    }

    /// Parses at least `bytes` more bytes, or to the end. Returns whether parsing must continue.
    pub fn step(&mut self, bytes: usize) -> bool {
        let end = self.consumed_bytes().saturating_add(bytes);
        while !matches!(self.next, Next::Nothing) {
            let was_last = matches!(self.next, Next::Checks);
            self.advance();
            if !was_last && self.consumed_bytes() >= end {
                break;
            }
        }
        !matches!(self.next, Next::Nothing)
    }

    /// Parses the rest, and returns the result.
    pub fn finish(mut self) -> Parsed {
        self.step(usize::MAX);
        let (source, edition) = (self.parser.lexer.source, self.parser.edition);
        lower::parsed(source, self.into_pass(), |text| parse_once(text, edition))
    }

    /// The result of this pass; the module is empty if it is not complete.
    pub(super) fn into_pass(self) -> Pass {
        let Parser { module, mut diagnostics, notes, .. } = self.parser;
        let module = if matches!(self.next, Next::Nothing) { module } else { Module::default() };
        diagnostics.sort_by_key(|d| d.span.start);
        Pass { parsed: Parsed { module, diagnostics }, notes }
    }

    /// Parses the header, the beginning or the end of a computation, or an instruction.
    fn advance(&mut self) {
        let parser = &mut self.parser;
        self.next = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Start if parser.reports_mlir() => Next::Nothing,
            Next::Start if parser.begins_with_instruction() => {
                parser.single_instruction();
                Next::Checks
            }
            Next::Start => {
                self.has_header = !parser.begins_with_computation();
                if self.has_header {
                    parser.header();
                }
                Next::Computation
            }
            Next::Computation if parser.kind() == TokenKind::End => {
                if !self.has_header
                    && let Some(entry) = parser.module.entry_computation()
                {
                    parser.module.name = format!("module_{}", entry.name);
                }
                Next::Checks
            }
            Next::Computation => match parser.open_computation() {
                Some(open) => Next::Instruction(Box::new(open)),
                None => Next::Computation,
            },
            Next::Instruction(mut open) => {
                if parser.continue_computation(&mut open) {
                    Next::Instruction(open)
                } else {
                    parser.close_computation(*open);
                    Next::Computation
                }
            }
            Next::Checks => {
                parser.check_module();
                Next::Nothing
            }
            Next::Nothing => Next::Nothing,
        };
    }
}

/// Parses a whole text, without lowering its builder forms.
pub(super) fn parse_once(source: &str, edition: Edition) -> Pass {
    let mut steps = ParseSteps::with_edition(source, edition);
    steps.step(usize::MAX);
    steps.into_pass()
}
