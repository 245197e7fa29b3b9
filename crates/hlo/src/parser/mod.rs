//! HLO text → module and diagnostics. Never fails: errors are reported, and parsing resumes at the next instruction.
//!
//! A recursive-descent parser over [`Lexer`]. Opcodes, operands and attributes come from the ops'
//! [`OpMeta`](xla_ops::OpMeta); the parser knows no op. Its parts:
//!
//! - `header` (module header and tables), `computation`, `instruction`, `operand`, `attribute` (values), `quoted`
//!   (strings): the grammar, from the outside in.
//! - `shape`: the extent of a shape in the source.
//! - `recover`: resynchronization after an error; `nearest`: suggestions for misspelled names.
//! - `budget`: bounds on time and memory; `charges` reports when they are exceeded.

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

/// Bound on the source text: 32 MiB. Other bounds on the cost of parsing are in the parser's budget.
pub const MAX_TEXT_BYTES: usize = 32 << 20;
/// Bound on the nesting of operands, bodies and calls, which parser and evaluator walk recursively.
pub const MAX_NESTING_DEPTH: usize = 64;
/// Bound on errors, after which parsing stops, and on warnings; more would be noise.
const MAX_DIAGNOSTICS: usize = 200;
/// Bound on the source text that a message quotes.
const MAX_EXCERPT_CHARS: usize = 40;

/// The result of parsing.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The module as far as it could be read. If there are errors, it can be inspected and printed, but not run.
    pub module: Module,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The first error; `None` if the module can be run.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }

    /// The module if it has no errors (it may have warnings), else the first error.
    pub fn into_module(self) -> Result<Module, Box<Diagnostic>> {
        match self.error() {
            Some(error) => Err(Box::new(error.clone())),
            None => Ok(self.module),
        }
    }
}

/// Parses a module by the rules of current XLA.
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

/// Parses a module by the rules of an edition.
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
    /// Number of errors so far, including dropped ones.
    errors: usize,
    /// Number of warnings so far, including dropped ones.
    warnings: usize,
    /// Whether the operands of an unknown opcode are being parsed, whose syntax is unknown.
    after_unknown_opcode: bool,
    /// Number of open bodies and operand lists.
    depth: usize,
    budget: Budget,
    /// Number of leaves in the signature of each computation, all of which every call compares.
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

    /// Consumes this punctuation character if it is the next token.
    fn eat(&mut self, punct: char) -> bool {
        let matched = self.kind() == TokenKind::Punct(punct);
        if matched {
            self.bump();
        }
        matched
    }

    /// Consumes this word if it is the next token.
    fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let matched = token.kind == TokenKind::Name && self.text(token.span) == word;
        if matched {
            self.bump();
        }
        matched
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.lexer.is_stopped() || self.after_unknown_opcode && diagnostic.rule == "hlo-syntax" {
            return;
        }
        // Counted separately, so that warnings do not displace errors.
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
            let stopped = Diagnostic::error(Span::at(self.lexer.offset), "hlo-stopped", message);
            self.diagnostics.push(Diagnostic { severity: Severity::Warning, ..stopped });
            self.lexer.stop();
        }
    }

    /// Whether further warnings would be dropped.
    fn has_enough_warnings(&self) -> bool {
        self.warnings >= MAX_DIAGNOSTICS
    }

    fn error(&mut self, span: Span, rule: &'static str, message: Message) {
        self.report(Diagnostic::error(span, rule, message));
    }

    /// Reports an error with the edit that fixes it.
    fn report_with_fix(&mut self, error: Diagnostic, span: Span, text: impl Into<String>) {
        let text = text.into();
        let message = Message::engine("op-hint-write").with("text", text.trim());
        self.report(error.hint(Hint::replace(message, span, text)));
    }

    /// The text of a token, shortened for messages.
    fn excerpt(&self, span: Span) -> String {
        self.text(span).chars().take(MAX_EXCERPT_CHARS).collect()
    }

    fn expected_message(&self, what: impl Into<Arg>, span: Span) -> Message {
        let what = what.into();
        if span.start >= self.lexer.source.len() {
            return Message::engine("hlo-expected-end").with("expected", what);
        }
        Message::engine("hlo-expected").with("expected", what).with("found", self.excerpt(span))
    }

    /// Reports that the next token should have been `what`, a message key.
    fn report_expected(&mut self, what: &'static str) {
        let span = self.peek().span;
        let error = Diagnostic::error(span, "hlo-syntax", self.expected_message(Message::engine(what), span));
        // Other whitespace looks like a space, but XLA does not accept it as one.
        match self.text(span).chars().next() {
            Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                let message = Message::engine("hlo-hint-blank");
                self.report(error.hint(Hint::replace(message, span, " ")));
            }
            _ => self.report(error),
        }
    }

    /// Consumes this punctuation character; if it is missing, reports it with the edit that inserts it.
    fn expect(&mut self, punct: char) -> bool {
        let matched = self.eat(punct);
        if !matched {
            let span = self.peek().span;
            let message = self.expected_message(punct.to_string(), span);
            let error = Diagnostic::error(span, "hlo-syntax", message);
            self.report_with_fix(error, Span::at(span.start), punct.to_string());
        }
        matched
    }

    fn unclosed_string(&mut self, span: Span) {
        let message = Message::engine("hlo-open-string");
        if self.diagnostics.iter().any(|other| other.span == span && other.message == message) {
            // Already reported before the parser backtracked.
            return;
        }
        let text = self.text(span);
        let quote = text.chars().next().unwrap_or('"');
        // Trailing brackets are not part of the string.
        let length = text.trim_end_matches(|c: char| c.is_whitespace() || "})".contains(c)).len().max(1);
        let error = Diagnostic::error(span, "hlo-syntax", message);
        self.report_with_fix(error, Span::at(span.start + length), quote.to_string());
    }

    /// Reports an error of an op, at the part of the instruction that it concerns.
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
        let is_written = |at: &At| match at {
            At::Attr(name) => spans.attrs.iter().any(|(n, _)| n == name),
            At::Result => spans.shape.start < spans.shape.end,
            At::Operand(i) => spans.operands.get(*i).is_some(),
            At::Opcode | At::Instruction => true,
        };
        let mut diagnostic = Diagnostic::error(span_of(&error.at), error.rule, error.message);
        for hint in error.hints {
            let edits = match hint.fix {
                Some((at, text)) if is_written(&at) => vec![Edit { span: span_of(&at), text }],
                _ => Vec::new(),
            };
            diagnostic = diagnostic.hint(Hint { message: hint.message, edits });
        }
        self.report(diagnostic);
    }
}

#[cfg(test)]
mod tests;
