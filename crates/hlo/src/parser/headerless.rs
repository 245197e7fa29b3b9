//! Text without a header: computations, or a single instruction.
//!
//! Like in XLA, a text is a module without a header if it begins with `ENTRY` or with a name and a brace, and a single
//! instruction if it begins with an instruction or a shape. Undefined operands of a single instruction become parameters
//! with the shapes written before them.

use super::computation::Body;
use super::state::Parser;
use crate::lexer::{Token, TokenKind};
use crate::module::{Instruction, InstructionId, InstructionSpans};
use xla_array::{ElementType, Shape};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Attrs};

/// XLA's name for the module and computation of a single instruction, and for the instruction if it has no name.
const SINGLE_INSTRUCTION_NAME: &str = "_";

impl Parser<'_> {
    /// Whether the text begins with a computation.
    pub(super) fn begins_with_computation(&self) -> bool {
        let token = self.peek();
        if token.kind == TokenKind::Name && self.text(token.span) == "ENTRY" {
            return true;
        }
        let mut ahead = self.lexer.clone();
        ahead.next();
        token.kind.is_name() && ahead.peek().kind == TokenKind::Punct('{')
    }

    /// Whether the text begins with an instruction, or with the shape of one whose name is omitted.
    pub(super) fn begins_with_instruction(&self) -> bool {
        let token = self.peek();
        let mut ahead = self.lexer.clone();
        ahead.next();
        let next = ahead.next();
        let is_type = |token: Token| {
            let word = self.text(token.span);
            token.kind == TokenKind::Name
                && (ElementType::from_name(word).is_some() || matches!(word, "token" | "opaque"))
        };
        match token.kind {
            TokenKind::Punct('(') => is_type(next) || matches!(next.kind, TokenKind::Punct('(' | ')')),
            TokenKind::Name if self.text(token.span) == "ROOT" => {
                next.kind.is_name() && ahead.peek().kind == TokenKind::Punct('=')
            }
            TokenKind::Name if is_type(token) => next.kind == TokenKind::Punct('['),
            kind => kind.is_name() && next.kind == TokenKind::Punct('='),
        }
    }

    /// Parses text that is a single instruction.
    pub(super) fn single_instruction(&mut self) {
        let start = self.peek().span;
        SINGLE_INSTRUCTION_NAME.clone_into(&mut self.module.name);
        self.module.header.push(("is_scheduled".to_owned(), "true".to_owned()));
        self.module.entry_layout_at = 1;
        let mut body = Body { has_implicit_parameters: true, ..Body::default() };
        self.depth += 1;
        if self.at_shape() {
            let errors = self.errors;
            let (shape, span) = self.written_shape();
            let spans = InstructionSpans {
                whole: start,
                name: Span::at(start.start),
                shape: span,
                ..InstructionSpans::default()
            };
            body.instruction_start = start.start;
            self.operation(&mut body, SINGLE_INSTRUCTION_NAME.to_owned(), shape, errors, spans);
        } else {
            self.instruction(&mut body);
        }
        self.depth -= 1;
        let next = self.peek();
        if next.kind != TokenKind::End && self.errors == 0 {
            let error =
                Diagnostic::error(next.span, "hlo-header", Message::ops("hlo-after-single-instruction"));
            let hint = Hint::advice(Message::ops("hlo-hint-header"));
            self.report(error.with_hint(hint));
        }
        let mut computation = self.finish_body(body, start);
        SINGLE_INSTRUCTION_NAME.clone_into(&mut computation.name);
        self.module.entry = Some(self.add_computation(computation));
    }

    /// Adds the parameter for an undefined operand of a single instruction.
    pub(super) fn implicit_parameter(
        &mut self,
        body: &mut Body,
        name: &str,
        shape: Shape,
        spans: InstructionSpans,
    ) -> InstructionId {
        let number = body.parameter_count;
        let name =
            if name.is_empty() { format!("{SINGLE_INSTRUCTION_NAME}{number}") } else { name.to_owned() };
        let mut attrs = Attrs::new();
        let position = i64::try_from(number).unwrap_or(i64::MAX);
        attrs.set("parameter_number", AttrValue::Int(position));
        let id = body.push(Instruction {
            name: name.clone(),
            opcode: "parameter".to_owned(),
            op: xla_ops::find("parameter"),
            shape,
            is_invalid: false,
            operands: [].into_iter().collect(),
            attrs,
            annotations: Vec::new(),
            spans,
        });
        body.names.insert(name, id);
        self.charge_instruction();
        id
    }
}
