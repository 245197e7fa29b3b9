//! The parser's state: its position, the module so far, and its diagnostics.

use std::collections::HashMap;

use super::budget::Budget;
use super::parsed::MAX_DIAGNOSTICS;
use crate::builder::Padding;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::lowering::text::Names;
use crate::module::{InstructionSpans, Module};
use xla_array::Edition;
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Severity, Span};
use xla_messages::i18n::{Arg, Message};
use xla_ops::{ComputationId, OpError, OpHint, OpPart};

/// Maximum size of the source text: 256 MiB, whose module fits in the memory of a WebAssembly program. Other bounds on the cost of
/// parsing are in the parser's budget.
pub const MAX_TEXT_BYTES: usize = 256 << 20;
/// Maximum length of the source text that a message quotes.
const MAX_EXCERPT_CHARS: usize = 40;

/// A parse in progress.
pub(super) struct Parser<'s> {
    pub(super) lexer: Lexer<'s>,
    pub(super) module: Module,
    /// Computations by name.
    pub(super) computations: HashMap<&'s str, ComputationId>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Number of errors so far, including dropped ones.
    pub(super) errors: usize,
    /// Number of warnings so far, including dropped ones.
    pub(super) warnings: usize,
    /// Whether the operands of an unknown opcode are being parsed: their syntax is unknown.
    pub(super) in_unknown_operands: bool,
    /// Number of open bodies.
    pub(super) depth: usize,
    pub(super) budget: Budget,
    /// Number of leaves in the signature of each computation; every call compares them.
    pub(super) signature_leaves: Vec<usize>,
    pub(super) edition: Edition,
    /// One note per builder form so far.
    pub(super) notes: Vec<Diagnostic>,
    /// The named padding of the last window.
    pub(super) named_padding: Option<Padding>,
    /// The names in use, which the instructions of lowered forms must avoid.
    pub(super) form_names: Option<Names>,
    /// The start of the top-level computation being parsed.
    pub(super) computation_start: usize,
    /// The start of the computation marked `ENTRY`.
    pub(super) entry: Option<Span>,
    /// Whether a call tree that is too deep has been reported.
    pub(super) is_depth_reported: bool,
    /// The names of called computations that were not found, each with the start of the computation that calls it.
    pub(super) missing_callees: Vec<(Span, usize)>,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str, edition: Edition) -> Self {
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
            missing_callees: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> Token {
        self.lexer.peek()
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.lexer.next();
        if token.kind == TokenKind::OpenString {
            self.unclosed_string(token.span);
        }
        token
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        self.lexer.text(span)
    }

    /// Consumes this punctuation character if it is the next token.
    pub(super) fn eat(&mut self, punct: char) -> bool {
        let matched = self.kind() == TokenKind::Punct(punct);
        if matched {
            self.bump();
        }
        matched
    }

    /// Consumes this word if it is the next token.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let matched = token.kind == TokenKind::Name && self.text(token.span) == word;
        if matched {
            self.bump();
        }
        matched
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
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
    pub(super) fn warning_limit_reached(&self) -> bool {
        self.warnings >= MAX_DIAGNOSTICS
    }

    pub(super) fn error(&mut self, span: Span, rule: &'static str, message: Message) {
        self.report(Diagnostic::error(span, rule, message));
    }

    /// Reports an error with the edit that fixes it.
    pub(super) fn report_with_fix(&mut self, error: Diagnostic, span: Span, text: impl Into<String>) {
        let text = text.into();
        let message = Message::ops("op-hint-write").with("text", text.trim());
        self.report(error.with_hint(Hint::replace(message, span, text)));
    }

    /// The text of a token, truncated for messages.
    pub(super) fn excerpt(&self, span: Span) -> String {
        self.text(span).chars().take(MAX_EXCERPT_CHARS).collect()
    }

    pub(super) fn expected_message(&self, what: impl Into<Arg>, span: Span) -> Message {
        let what = what.into();
        if span.start >= self.lexer.source.len() {
            return Message::ops("hlo-expected-end").with("expected", what);
        }
        Message::ops("hlo-expected").with("expected", what).with("found", self.excerpt(span))
    }

    /// Reports that the next token should be `what`, a message key.
    pub(super) fn report_expected(&mut self, what: &'static str) {
        let span = self.peek().span;
        let error = Diagnostic::error(span, "hlo-syntax", self.expected_message(Message::ops(what), span));
        // Non-ASCII whitespace looks like a space, but XLA does not accept it.
        match self.text(span).chars().next() {
            Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                let message = Message::ops("hlo-hint-blank");
                self.report(error.with_hint(Hint::replace(message, span, " ")));
            }
            _ => self.report(error),
        }
    }

    /// Consumes this punctuation character; if it is missing, reports it with the edit that inserts it.
    pub(super) fn expect(&mut self, punct: char) -> bool {
        let matched = self.eat(punct);
        if !matched && !self.lexer.is_aborted() {
            let span = self.peek().span;
            let message = self.expected_message(punct.to_string(), span);
            let error = Diagnostic::error(span, "hlo-syntax", message);
            let at = self.end_of_code_before(span.start, punct);
            self.report_with_fix(error, Span::at(at), punct.to_string());
        }
        matched
    }

    pub(super) fn unclosed_string(&mut self, span: Span) {
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
    pub(super) fn fill_template(&self, template: &str, spans: &InstructionSpans) -> String {
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
    pub(super) fn report_op_error(&mut self, error: OpError, spans: &InstructionSpans) {
        let diagnostic = self.op_diagnostic(error, spans, &OperandTexts::default());
        self.report(diagnostic);
    }

    /// The diagnostic of an op's error, at the part of the instruction that it concerns.
    pub(super) fn op_diagnostic(
        &mut self,
        error: OpError,
        spans: &InstructionSpans,
        operands: &OperandTexts,
    ) -> Diagnostic {
        let parameter_shape = |i: usize| operands.parameter_shapes.get(i).copied().flatten();
        let source = self.lexer.source;
        let span_of = |at: &OpPart| match at {
            OpPart::Instruction => spans.whole,
            OpPart::Result if spans.shape.start < spans.shape.end => spans.shape,
            OpPart::Result | OpPart::Opcode => spans.opcode,
            OpPart::Operand(i) | OpPart::Converted(i) => {
                spans.operands.get(*i).copied().unwrap_or(spans.whole)
            }
            OpPart::OperandShape(i) => parameter_shape(*i).unwrap_or(spans.whole),
            OpPart::Attr(name) => {
                spans.attrs.iter().find(|(n, _)| n == name).map_or(spans.whole, |(_, span)| *span)
            }
            OpPart::WholeAttr(name) => {
                let value =
                    spans.attrs.iter().find(|(n, _)| n == name).map_or(spans.whole, |(_, span)| *span);
                let before = source.get(..value.start).unwrap_or_default();
                Span::new(before.rfind(',').unwrap_or(value.start), value.end)
            }
            OpPart::Operation => Span::new(spans.opcode.start, spans.whole.end),
        };
        let is_written = |at: &OpPart| match at {
            OpPart::Attr(name) | OpPart::WholeAttr(name) => spans.attrs.iter().any(|(n, _)| n == name),
            OpPart::Result => spans.shape.start < spans.shape.end,
            OpPart::Operand(i) => spans.operands.get(*i).is_some(),
            OpPart::OperandShape(i) => parameter_shape(*i).is_some(),
            OpPart::Converted(i) => operands.statement_start.is_some() && spans.operands.get(*i).is_some(),
            OpPart::Opcode | OpPart::Instruction | OpPart::Operation => true,
        };
        let meta = xla_ops::find(error.op).map(xla_ops::OpDef::meta);
        let inline_attr = meta.and_then(|meta| meta.inline_attr.as_ref()).map(|spec| spec.name);
        let mut diagnostic = Diagnostic::error(span_of(&error.at), error.rule, error.message);
        // Only the shape of a parameter can be changed; any other shape is inferred.
        let is_applicable = |hint: &OpHint| {
            let needs_text = |at: &OpPart| matches!(at, OpPart::OperandShape(_) | OpPart::Converted(_));
            hint.fix.as_ref().is_none_or(|(at, _)| !needs_text(at) || is_written(at))
        };
        for hint in error.hints.into_iter().filter(is_applicable) {
            let edits = match hint.fix {
                Some((OpPart::Operation, template)) => {
                    let text = self.fill_template(&template, spans);
                    vec![Edit { span: span_of(&OpPart::Operation), text }]
                }
                Some((OpPart::Converted(i), shape)) => {
                    self.conversion(operands.statement_start, span_of(&OpPart::Converted(i)), &shape)
                }
                Some((at, text)) if is_written(&at) => vec![Edit { span: span_of(&at), text }],
                // An attribute that is missing is added, unless it is written in the parentheses of the operands.
                Some((OpPart::Attr(name), text)) if inline_attr != Some(name) => {
                    vec![Edit { span: Span::at(spans.whole.end), text: format!(", {name}={text}") }]
                }
                _ => Vec::new(),
            };
            diagnostic = diagnostic.with_hint(Hint { message: hint.message, edits });
        }
        diagnostic
    }

    /// The edits that convert an operand by a statement before that at `start`.
    fn conversion(&mut self, start: Option<usize>, operand: Span, shape: &str) -> Vec<Edit> {
        let Some(start) = start else { return Vec::new() };
        let source = self.lexer.source;
        let name = self.form_names.get_or_insert_with(|| Names::used_in(source)).fresh("convert");
        let statement = format!("{name} = {shape} convert({})", self.text(operand));
        vec![
            Edit { span: Span::at(start), text: self.statement_lines(start, &[statement]) },
            Edit { span: operand, text: name },
        ]
    }
}

/// Where the operands of an instruction are written.
#[derive(Default)]
pub(super) struct OperandTexts {
    /// The written shapes of operands that are parameters.
    pub parameter_shapes: Vec<Option<Span>>,
    /// The start of the statement, before which others can be inserted.
    pub statement_start: Option<usize>,
}
