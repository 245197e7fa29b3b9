//! HLO text → module and diagnostics. Never fails: errors are reported, and parsing resumes at the next instruction.
//!
//! A recursive-descent parser over [`Lexer`]. Opcodes, operands and attributes come from the ops'
//! [`OpMeta`](xla_ops::OpMeta); the parser knows no op. Its parts:
//!
//! - `steps`: parses a bounded part of the source at a time.
//! - `header` (module header and tables), `headerless` (text without one), `computation`, `instruction`, `operand`,
//!   `attribute` (values), `quoted` (strings): the grammar, top down.
//! - `annotation`, `sharding`: the syntax of values that are stored as text.
//! - `shape`: the extent of a shape in the source.
//! - `form`: builder forms in an instruction; `lower` lowers them.
//! - `fixes`: fixes of mistakes that need more than one token to recognize.
//! - `recover`: resynchronization after an error; `nearest`: suggestions for misspelled names.
//! - `budget`: bounds on time and memory; `charges` reports when they are exceeded.

mod annotation;
mod attribute;
mod budget;
mod charges;
mod computation;
mod fixes;
mod form;
mod header;
mod headerless;
mod instruction;
mod lower;
mod nearest;
mod operand;
mod parsed;
mod quoted;
mod recover;
mod shape;
mod sharding;
mod steps;

use std::collections::HashMap;

pub use lower::Lowered;
pub use parsed::Parsed;
pub use steps::ParseSteps;

use self::budget::Budget;
use self::parsed::{MAX_DIAGNOSTICS, Pass};
use super::lexer::{Lexer, Token, TokenKind};
pub use super::module::MAX_NESTING_DEPTH;
use super::module::Module;
use crate::builder::Padding;
use crate::lowering::text::Names;
use xla_array::Edition;
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Severity, Span};
use xla_messages::i18n::{Arg, Message};
use xla_ops::{ComputationId, OpError, OpHint, OpPart};

/// Bound on the source text: 256 MiB, whose module fits in the memory of a WebAssembly program. Other bounds on the cost of
/// parsing are in the parser's budget.
pub const MAX_TEXT_BYTES: usize = 256 << 20;
/// Bound on the source text that a message quotes.
const MAX_EXCERPT_CHARS: usize = 40;

/// Parses a module by the rules of current XLA.
///
/// ```
/// let parsed = xla_hlo::parse("HloModule m  ENTRY e { x = f32[2,3] parameter(0) ROOT y = negate(x) }");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.module.entry_computation().and_then(|e| e.root_instruction()).map(|r| r.shape.to_string()),
///            Some("f32[2,3]{1,0}".to_owned()));
/// ```
pub fn parse(source: &str) -> Parsed {
    parse_edition(source, Edition::Current)
}

/// Parses a module by the rules of an edition. Forms of the builder of XLA 2017 are lowered in that edition: the module
/// has the lowered instructions, a note says so, and spans are those of the source.
pub fn parse_edition(source: &str, edition: Edition) -> Parsed {
    lower::parsed(source, parse_once(source, edition), |text| parse_once(text, edition))
}

/// Lowers the builder forms of XLA 2017 in a text to plain HLO. A text is returned unchanged if it has errors other than wrong
/// result shapes, and in current XLA, where builder forms are errors with fixes.
///
/// ```
/// use xla_array::Edition;
///
/// let lowered = xla_hlo::lower(
///     "HloModule m ENTRY e { v = f32[4,2,3] parameter(0) ROOT r = collapse(v), dimensions={-2,x} }",
///     Edition::V2017,
/// );
/// assert!(lowered.text.contains("ROOT r = f32[4,6] reshape(v)"), "{}", lowered.text);
/// assert_eq!(lowered.notes[0].rule, "builder-collapse");
/// ```
pub fn lower(source: &str, edition: Edition) -> Lowered {
    if edition == Edition::Current || source.len() > MAX_TEXT_BYTES {
        return Lowered::unchanged(source);
    }
    lower::lower(source, |text| parse_once(text, edition))
}

fn parse_once(source: &str, edition: Edition) -> Pass {
    let mut steps = ParseSteps::with_edition(source, edition);
    steps.step(usize::MAX);
    steps.into_pass()
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
    /// Whether the operands of an unknown opcode are being parsed: their syntax is unknown.
    in_unknown_operands: bool,
    /// Number of open bodies.
    depth: usize,
    budget: Budget,
    /// Number of leaves in the signature of each computation; every call compares them.
    signature_leaves: Vec<usize>,
    edition: Edition,
    /// One note per builder form so far.
    notes: Vec<Diagnostic>,
    /// The named padding of the last window.
    named_padding: Option<Padding>,
    /// The names in use, which the instructions of lowered forms must avoid.
    form_names: Option<Names>,
    /// The start of the top-level computation being parsed.
    computation_start: usize,
    /// The start of the computation marked `ENTRY`.
    entry: Option<Span>,
    /// Whether a call tree that is too deep has been reported.
    is_depth_reported: bool,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, edition: Edition) -> Self {
        Self {
            lexer: Lexer::new(source),
            module: Module::default(),
            computations: HashMap::new(),
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            in_unknown_operands: false,
            depth: 0,
            budget: Budget::default(),
            signature_leaves: Vec::new(),
            edition,
            notes: Vec::new(),
            named_padding: None,
            form_names: None,
            computation_start: 0,
            entry: None,
            is_depth_reported: false,
        }
    }

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
        if self.lexer.is_aborted() || self.in_unknown_operands && diagnostic.rule == "hlo-syntax" {
            return;
        }
        // Errors and warnings have separate limits, so that warnings do not displace errors.
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning | Severity::Note => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
        if self.errors == MAX_DIAGNOSTICS {
            let message = Message::ops("hlo-stopped").with("errors", MAX_DIAGNOSTICS);
            let stopped = Diagnostic::error(Span::at(self.lexer.offset), "hlo-stopped", message);
            self.diagnostics.push(Diagnostic { severity: Severity::Warning, ..stopped });
            self.lexer.abort();
        }
    }

    /// Whether further warnings would be dropped.
    fn warning_limit_reached(&self) -> bool {
        self.warnings >= MAX_DIAGNOSTICS
    }

    fn error(&mut self, span: Span, rule: &'static str, message: Message) {
        self.report(Diagnostic::error(span, rule, message));
    }

    /// Reports an error with the edit that fixes it.
    fn report_with_fix(&mut self, error: Diagnostic, span: Span, text: impl Into<String>) {
        let text = text.into();
        let message = Message::ops("op-hint-write").with("text", text.trim());
        self.report(error.hint(Hint::replace(message, span, text)));
    }

    /// The text of a token, truncated for messages.
    fn excerpt(&self, span: Span) -> String {
        self.text(span).chars().take(MAX_EXCERPT_CHARS).collect()
    }

    fn expected_message(&self, what: impl Into<Arg>, span: Span) -> Message {
        let what = what.into();
        if span.start >= self.lexer.source.len() {
            return Message::ops("hlo-expected-end").with("expected", what);
        }
        Message::ops("hlo-expected").with("expected", what).with("found", self.excerpt(span))
    }

    /// Reports that the next token should be `what`, a message key.
    fn report_expected(&mut self, what: &'static str) {
        let span = self.peek().span;
        let error = Diagnostic::error(span, "hlo-syntax", self.expected_message(Message::ops(what), span));
        // Non-ASCII whitespace looks like a space, but XLA does not accept it.
        match self.text(span).chars().next() {
            Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                let message = Message::ops("hlo-hint-blank");
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
            let at = self.end_of_code_before(span.start, punct);
            self.report_with_fix(error, Span::at(at), punct.to_string());
        }
        matched
    }

    fn unclosed_string(&mut self, span: Span) {
        let message = Message::ops("hlo-open-string");
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

    /// Fills the template of an [`OpPart::Operation`] fix with the texts of operands and attributes.
    fn fill_template(&self, template: &str, spans: &super::module::InstructionSpans) -> String {
        let mut out = String::new();
        let mut parts = template.split('$');
        out.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            let span = match name.parse::<usize>() {
                Ok(number) => spans.operands.get(number).copied(),
                Err(_) => spans.attrs.iter().find(|(n, _)| *n == name).map(|(_, span)| *span),
            };
            out.push_str(span.map_or("", |span| self.text(span)));
            out.push_str(rest);
        }
        out
    }

    /// Reports an error of an op, at the part of the instruction that it concerns.
    fn report_op_error(&mut self, error: OpError, spans: &super::module::InstructionSpans) {
        let diagnostic = self.op_diagnostic(error, spans, &|_| None);
        self.report(diagnostic);
    }

    /// The diagnostic of an op's error, at the part of the instruction that it concerns. `parameter_shape` returns the span of
    /// an operand's written shape if the operand is a parameter.
    fn op_diagnostic(
        &self,
        error: OpError,
        spans: &super::module::InstructionSpans,
        parameter_shape: &dyn Fn(usize) -> Option<Span>,
    ) -> Diagnostic {
        let span_of = |at: &OpPart| match at {
            OpPart::Instruction => spans.whole,
            OpPart::Result if spans.shape.start < spans.shape.end => spans.shape,
            OpPart::Result | OpPart::Opcode => spans.opcode,
            OpPart::Operand(i) => spans.operands.get(*i).copied().unwrap_or(spans.whole),
            OpPart::OperandShape(i) => parameter_shape(*i).unwrap_or(spans.whole),
            OpPart::Attr(name) => {
                spans.attrs.iter().find(|(n, _)| n == name).map_or(spans.whole, |(_, span)| *span)
            }
            OpPart::WholeAttr(name) => {
                let value =
                    spans.attrs.iter().find(|(n, _)| n == name).map_or(spans.whole, |(_, span)| *span);
                let before = self.lexer.source.get(..value.start).unwrap_or_default();
                Span::new(before.rfind(',').unwrap_or(value.start), value.end)
            }
            OpPart::Operation => Span::new(spans.opcode.start, spans.whole.end),
        };
        let is_written = |at: &OpPart| match at {
            OpPart::Attr(name) | OpPart::WholeAttr(name) => spans.attrs.iter().any(|(n, _)| n == name),
            OpPart::Result => spans.shape.start < spans.shape.end,
            OpPart::Operand(i) => spans.operands.get(*i).is_some(),
            OpPart::OperandShape(i) => parameter_shape(*i).is_some(),
            OpPart::Opcode | OpPart::Instruction | OpPart::Operation => true,
        };
        let mut diagnostic = Diagnostic::error(span_of(&error.at), error.rule, error.message);
        // Only the shape of a parameter can be changed; any other shape is inferred.
        let is_applicable =
            |hint: &OpHint| !matches!(&hint.fix, Some((at @ OpPart::OperandShape(_), _)) if !is_written(at));
        for hint in error.hints.into_iter().filter(is_applicable) {
            let edits = match hint.fix {
                Some((OpPart::Operation, template)) => {
                    let text = self.fill_template(&template, spans);
                    vec![Edit { span: span_of(&OpPart::Operation), text }]
                }
                Some((at, text)) if is_written(&at) => vec![Edit { span: span_of(&at), text }],
                _ => Vec::new(),
            };
            diagnostic = diagnostic.hint(Hint { message: hint.message, edits });
        }
        diagnostic
    }
}

#[cfg(test)]
mod tests;
