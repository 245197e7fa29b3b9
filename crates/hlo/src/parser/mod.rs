//! HLO text → module and diagnostics. Never fails: what cannot be read is told, and reading goes on at the next
//! instruction.
//!
//! Recursive descent over [`Lexer`]. Opcodes, operands and attributes come from the ops' [`OpMeta`](xla_ops::OpMeta);
//! there is nothing about any op in here. `header` reads what stands before the computations, `computation` those,
//! `instruction` one instruction, `operand` its operands, `attribute` the values of attributes, `shape` finds where a
//! shape ends, `quoted` what stands in quotation marks, `recover` goes on after what is wrong, `nearest` guesses what
//! was meant, `budget` bounds time and memory, `charges` reports what exceeds it.

mod attribute;
mod budget;
mod charges;
mod computation;
mod header;
mod instruction;
mod nearest;
mod operand;
mod quoted;
mod recover;
mod shape;

use std::collections::HashMap;

pub(super) use attribute::is_annotation;

use self::budget::Budget;
use super::lexer::{Lexer, Token, TokenKind};
use super::module::Module;
use xla_array::Edition;
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Severity, Span};
use xla_messages::i18n::{Arg, Message};
use xla_ops::{At, ComputationId, OpError};

/// The longest text that is read, in bytes: 32 MiB.
pub const MAX_TEXT_BYTES: usize = 32 << 20;
/// How deep operands, bodies and calls may be nested.
pub const MAX_NESTING_DEPTH: usize = 64;
/// Errors after which reading stops, and warnings that are kept; what follows so many is noise.
const MAX_DIAGNOSTICS: usize = 200;

/// What was read of a text.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The module as far as it could be read. Where there are errors it may be inspected and printed, not run.
    pub module: Module,
    /// What is wrong, by place in the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The first error; `None` where the module can be run.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }

    /// The module, if nothing is wrong with it (warnings apart), else the first error.
    pub fn into_module(self) -> Result<Module, Box<Diagnostic>> {
        match self.error() {
            Some(error) => Err(Box::new(error.clone())),
            None => Ok(self.module),
        }
    }
}

/// Reads a module by the rules of today's XLA.
///
/// ```
/// let parsed = xla_hlo::parse("HloModule m  ENTRY e { x = f32[2,3] parameter(0) ROOT y = negate(x) }");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.module.entry_computation().and_then(|e| e.root_instruction()).map(|r| r.shape.to_string()),
///            Some("f32[2,3]{1,0}".to_owned()));
/// ```
pub fn parse(source: &str) -> Parsed {
    parse_edition(source, Edition::Now)
}

/// Reads a module by the rules of an edition.
pub fn parse_edition(source: &str, edition: Edition) -> Parsed {
    if source.len() > MAX_TEXT_BYTES {
        let message =
            Message::engine("text-too-long").with("bytes", source.len()).with("limit", MAX_TEXT_BYTES);
        let diagnostic = Diagnostic::error(Span::new(0, source.len()), "hlo-too-long", message);
        return Parsed { module: Module::default(), diagnostics: vec![diagnostic] };
    }
    let mut parser = Parser {
        lexer: Lexer::new(source),
        module: Module::default(),
        computations: HashMap::new(),
        diagnostics: Vec::new(),
        errors: 0,
        warnings: 0,
        after_unknown_opcode: false,
        depth: 0,
        budget: Budget::default(),
        signature_leaves: Vec::new(),
        edition,
    };
    parser.module();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|d| d.span.start);
    Parsed { module: parser.module, diagnostics }
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    module: Module,
    /// Computations by name.
    computations: HashMap<&'s str, ComputationId>,
    diagnostics: Vec<Diagnostic>,
    /// How many errors and warnings there were, those that were not kept included.
    errors: usize,
    warnings: usize,
    /// Whether what is read is what stands behind an unknown opcode, of which nothing is known.
    after_unknown_opcode: bool,
    /// How many bodies and operand lists are open.
    depth: usize,
    budget: Budget,
    /// The leaves in the signature of each computation: every call compares them.
    signature_leaves: Vec<usize>,
    edition: Edition,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token {
        self.lexer.peek()
    }

    fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    fn bump(&mut self) -> Token {
        let token = self.lexer.next();
        if token.kind == TokenKind::OpenString {
            self.unclosed_string(token.span);
        }
        token
    }

    fn text(&self, span: Span) -> &'s str {
        self.lexer.text(span)
    }

    /// Takes the mark if it comes next.
    fn eat(&mut self, mark: char) -> bool {
        let is = self.kind() == TokenKind::Punct(mark);
        if is {
            self.bump();
        }
        is
    }

    /// Takes the word if it comes next.
    fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let is = token.kind == TokenKind::Name && self.text(token.span) == word;
        if is {
            self.bump();
        }
        is
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.lexer.is_stopped() || self.after_unknown_opcode && diagnostic.rule == "hlo-syntax" {
            return;
        }
        // Counted apart: no number of warnings keeps an error from being told.
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
        if self.errors == MAX_DIAGNOSTICS {
            let message = Message::engine("hlo-stopped").with("errors", MAX_DIAGNOSTICS);
            let place = Span::at(self.lexer.offset);
            let stopped = Diagnostic::error(place, "hlo-stopped", message);
            self.diagnostics.push(Diagnostic { severity: Severity::Warning, ..stopped });
            self.lexer.stop();
        }
    }

    /// Whether no further warning is kept, so that none has to be made.
    fn has_enough_warnings(&self) -> bool {
        self.warnings >= MAX_DIAGNOSTICS
    }

    fn error(&mut self, span: Span, rule: &'static str, message: Message) {
        self.report(Diagnostic::error(span, rule, message));
    }

    /// An error with the edit that mends it.
    fn report_with_fix(&mut self, error: Diagnostic, span: Span, text: impl Into<String>) {
        let text = text.into();
        let message = Message::engine("op-hint-write").with("text", text.trim());
        self.report(error.hint(Hint::replace(message, span, text)));
    }

    /// The text of a token as messages show it.
    fn excerpt(&self, span: Span) -> String {
        self.text(span).chars().take(40).collect()
    }

    fn expected_message(&self, what: impl Into<Arg>, span: Span) -> Message {
        let what = what.into();
        if span.start >= self.lexer.source.len() {
            return Message::engine("hlo-expected-end").with("expected", what);
        }
        Message::engine("hlo-expected").with("expected", what).with("found", self.excerpt(span))
    }

    /// That something else should stand at the next token: one of the catalogue's words.
    fn report_expected(&mut self, what: &'static str) {
        let span = self.peek().span;
        let error = Diagnostic::error(span, "hlo-syntax", self.expected_message(Message::engine(what), span));
        // A blank that is none of XLA's looks like one.
        match self.text(span).chars().next() {
            Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                let message = Message::engine("hlo-hint-blank");
                self.report(error.hint(Hint::replace(message, span, " ")));
            }
            _ => self.report(error),
        }
    }

    /// Takes the mark; tells where it is missing, with the edit that inserts it.
    fn expect(&mut self, mark: char) -> bool {
        let is = self.eat(mark);
        if !is {
            let span = self.peek().span;
            let message = self.expected_message(mark.to_string(), span);
            let error = Diagnostic::error(span, "hlo-syntax", message);
            self.report_with_fix(error, Span::at(span.start), mark.to_string());
        }
        is
    }

    fn unclosed_string(&mut self, span: Span) {
        let message = Message::engine("hlo-open-string");
        if self.diagnostics.iter().any(|told| told.span == span && told.message == message) {
            // Read once more from an earlier place.
            return;
        }
        let text = self.text(span);
        let quote = text.chars().next().unwrap_or('"');
        // Brackets at the end of the line are none of the text's.
        let inside = text.trim_end_matches(|c: char| c.is_whitespace() || "})".contains(c)).len().max(1);
        let error = Diagnostic::error(span, "hlo-syntax", message);
        self.report_with_fix(error, Span::at(span.start + inside), quote.to_string());
    }

    /// Tells what an op's rules say, at the parts of the instruction they speak of.
    fn report_op_error(&mut self, error: OpError, spans: &super::module::InstructionSpans) {
        let span_of = |at: &At| match at {
            At::Instruction => spans.whole,
            At::Result if spans.shape.start < spans.shape.end => spans.shape,
            At::Result | At::Opcode => spans.opcode,
            At::Operand(i) => spans.operands.get(*i).copied().unwrap_or(spans.whole),
            At::Attr(name) => {
                spans.attrs.iter().find(|(n, _)| n == name).map_or(spans.whole, |(_, span)| *span)
            }
        };
        let has_place = |at: &At| match at {
            At::Attr(name) => spans.attrs.iter().any(|(n, _)| n == name),
            At::Result => spans.shape.start < spans.shape.end,
            At::Operand(i) => spans.operands.get(*i).is_some(),
            At::Opcode | At::Instruction => true,
        };
        let mut diagnostic = Diagnostic::error(span_of(&error.at), error.rule, error.message);
        for hint in error.hints {
            let edits = match hint.fix {
                Some((at, text)) if has_place(&at) => vec![Edit { span: span_of(&at), text }],
                _ => Vec::new(),
            };
            diagnostic = diagnostic.hint(Hint { message: hint.message, edits });
        }
        self.report(diagnostic);
    }
}

#[cfg(test)]
mod tests;
