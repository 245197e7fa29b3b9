//! Parses the operands of an instruction: names of preceding instructions, or nested instructions.

use super::computation::Body;
use super::instruction::OpenOperation;
use super::nearest::nearest;
use super::state::Parser;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::module::{InstructionId, InstructionSpans};
use xla_array::{ElementType, shape_util};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;

/// Maximum distance of the forward search for the definition of an undefined operand.
const MAX_FORWARD_SEARCH_BYTES: usize = 1 << 16;

/// An operand, as far as it was parsed.
enum Operand {
    Known(InstructionId),
    /// A nested instruction; its operands are next.
    Nested(Box<OpenOperation>),
}

impl Parser<'_> {
    /// Parses operands up to and including the closing parenthesis; a trailing comma is accepted. Returns early at a nested
    /// instruction, whose id the caller must add before it continues.
    pub(super) fn operands(
        &mut self,
        body: &mut Body,
        open: &mut OpenOperation,
    ) -> Option<Box<OpenOperation>> {
        if open.awaits_separator && !self.operand_separator() {
            return None;
        }
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Punct(')') => {
                    self.bump();
                    return None;
                }
                TokenKind::End | TokenKind::Punct('}') => {
                    self.expect(')');
                    return None;
                }
                _ if self.begins_instruction(token) => {
                    self.expect(')');
                    return None;
                }
                _ => {}
            }
            self.charge_operand(open.operands.len());
            open.operand_start = token.span.start;
            if matches!(token.kind, TokenKind::Int | TokenKind::Float) {
                self.number_as_operand(body, &open.operands, token);
                self.skip_operands();
                return None;
            }
            match self.operand(body) {
                Some(Operand::Known(id)) => self.add_operand(open, id),
                Some(Operand::Nested(nested)) => return Some(nested),
                None => {
                    self.skip_operands();
                    return None;
                }
            }
            if !self.operand_separator() {
                return None;
            }
        }
    }

    /// Adds the operand that was just parsed.
    pub(super) fn add_operand(&self, open: &mut OpenOperation, id: InstructionId) {
        open.operands.push(id);
        open.spans.operands.push(Span::new(open.operand_start, self.lexer.offset));
        open.awaits_separator = true;
    }

    /// Consumes the comma after an operand. Returns whether the operand list continues; if not, it reports why.
    fn operand_separator(&mut self) -> bool {
        if self.eat(',') {
            return true;
        }
        let next = self.peek();
        match next.kind {
            TokenKind::Punct(')') => true,
            // Only the parenthesis is missing.
            TokenKind::AttrName | TokenKind::Punct('}') | TokenKind::End => {
                self.expect(')');
                false
            }
            _ if self.begins_instruction(next) => {
                self.expect(')');
                false
            }
            _ => {
                self.expect(',');
                self.skip_operands();
                false
            }
        }
    }

    /// Parses a name or a nested instruction, each optionally preceded by its shape.
    fn operand(&mut self, body: &mut Body) -> Option<Operand> {
        let start = self.peek().span.start;
        let errors = self.errors;
        let (shape, shape_span) = self.written_shape();
        let token = self.peek();
        let spans = |name: Span| InstructionSpans {
            whole: Span::new(start, name.end.max(shape_span.end)),
            name,
            shape: shape_span,
            ..InstructionSpans::default()
        };
        if let Some(shape) = shape.as_ref().filter(|_| body.has_implicit_parameters)
            && matches!(token.kind, TokenKind::Punct(',' | ')'))
        {
            let spans = spans(Span::at(shape_span.end));
            return Some(Operand::Known(self.implicit_parameter(body, "", shape.clone(), spans)));
        }
        if !token.kind.is_name() {
            self.report_expected("hlo-an-operand");
            return None;
        }
        let mut ahead = self.lexer.clone();
        ahead.next();
        let word = self.text(token.span);
        if ahead.peek().kind == TokenKind::Punct('(') && !word.starts_with('%') {
            let spans =
                InstructionSpans { whole: Span::at(start), shape: shape_span, ..InstructionSpans::default() };
            let nested = self.open_operation(String::new(), shape, errors, spans)?;
            return Some(Operand::Nested(Box::new(nested)));
        }
        self.bump();
        let name = word.trim_start_matches('%');
        let Some(id) = body.names.get(name).copied() else {
            if let Some(shape) = shape.filter(|_| body.has_implicit_parameters) {
                return Some(Operand::Known(self.implicit_parameter(body, name, shape, spans(token.span))));
            }
            self.unknown_operand(body, token.span);
            return None;
        };
        if let Some(written) = shape
            && let Some(operand) = body.computation.get(id)
            && !operand.is_invalid
            && !shape_util::compatible(&written, &operand.shape)
        {
            let actual = operand.shape.human_string();
            let message = Message::ops("hlo-operand-shape")
                .with("name", operand.name.as_str())
                .with("written", written.human_string())
                .with("found", actual.as_str());
            self.report_with_fix(
                Diagnostic::error(shape_span, "hlo-operand-shape", message),
                shape_span,
                actual,
            );
        }
        Some(Operand::Known(id))
    }

    /// Reports a number in place of an operand. The fix is a constant, of the element type of the operand before it if possible.
    fn number_as_operand(&mut self, body: &Body, ids: &[InstructionId], token: Token) {
        let before = ids.last().and_then(|id| body.computation.get(*id)).and_then(|i| i.shape.as_array());
        let is_integer = token.kind == TokenKind::Int;
        let element_type = match before.map(|shape| shape.element_type) {
            Some(other) if is_integer || other.is_floating() => other,
            _ if is_integer => ElementType::S32,
            _ => ElementType::F32,
        };
        let number = self.text(token.span);
        let message = Message::ops("hlo-operand-number").with("number", self.excerpt(token.span));
        let constant = format!("{}[] constant({number})", element_type.name());
        self.report_with_fix(Diagnostic::error(token.span, "hlo-syntax", message), token.span, constant);
    }

    /// Reports that no preceding instruction has this name.
    pub(super) fn unknown_operand(&mut self, body: &Body, span: Span) {
        let word = self.text(span);
        let error = |key| Diagnostic::error(span, "hlo-operand", Message::ops(key).with("name", word));
        let name = word.trim_start_matches('%');
        if self.is_defined_below(name) {
            let edits = self.moved_definition(body, name).unwrap_or_default();
            let hint = Hint { message: Message::ops("hlo-hint-define"), edits };
            return self.report(error("hlo-operand-below").with_hint(hint));
        }
        let preceding = &body.computation.instructions;
        let count = self.budget.grant_comparisons(preceding.len());
        let names = preceding.iter().rev().take(count).map(|i| i.name.as_str());
        if let Some(suggestion) = nearest(name, names.filter(|name| !name.is_empty())) {
            let percent = if word.starts_with('%') { "%" } else { "" };
            self.report_with_fix(error("hlo-operand"), span, format!("{percent}{suggestion}"));
        } else {
            let hint = Hint::advice(Message::ops("hlo-hint-define"));
            self.report(error("hlo-operand").with_hint(hint));
        }
    }

    /// Whether an instruction with this name follows in the same body.
    fn is_defined_below(&self, name: &str) -> bool {
        let mut ahead = Lexer::starting_at(self.lexer.source, self.lexer.offset);
        let mut braces = 0_usize;
        while ahead.offset - self.lexer.offset < MAX_FORWARD_SEARCH_BYTES {
            let token = ahead.next();
            match token.kind {
                TokenKind::Punct('{') => braces += 1,
                TokenKind::Punct('}') if braces == 0 => return false,
                TokenKind::Punct('}') => braces -= 1,
                TokenKind::End => return false,
                TokenKind::Name
                    if braces == 0
                        && self.text(token.span).trim_start_matches('%') == name
                        && ahead.peek().kind == TokenKind::Punct('=') =>
                {
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}
