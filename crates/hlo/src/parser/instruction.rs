//! Parses one instruction: name, shape, opcode, attributes. [`super::operand`] parses its operands.

use std::collections::HashSet;
use std::sync::Arc;

use smallvec::SmallVec;

use super::computation::Body;
use super::form::FormOutcome;
use super::nearest::{self, nearest};
use super::parsed::MAX_DIAGNOSTICS;
use super::state::{OperandTexts, Parser};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::lowering::arguments::{Argument, Arguments, BERNOULLI, COLLAPSE};
use crate::module::{Instruction, InstructionId, InstructionSpans, Module, is_annotation};
use xla_array::Shape;
use xla_array::literal::parse::parse_at;
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrKind, AttrSpec, AttrValue, Attrs, ComputationId, OpDef};

/// An instruction whose operands are being parsed.
pub(super) struct OpenOperation {
    name: String,
    op: Option<&'static dyn OpDef>,
    /// Whether the opcode is one of XLA's or of the documentation's builder.
    is_known: bool,
    written: Option<Shape>,
    /// The number of errors before the instruction's shape: any further one marks it as invalid.
    errors: usize,
    pub spans: InstructionSpans,
    pub operands: SmallVec<[InstructionId; 3]>,
    /// The start of the operand being parsed.
    pub operand_start: usize,
    /// Whether the last operand is complete, and a comma or a parenthesis is next.
    pub awaits_separator: bool,
}

impl Parser<'_> {
    /// Parses an instruction; after an error, skips to the next one.
    pub(super) fn instruction(&mut self, body: &mut Body) {
        let start = self.peek().span;
        let is_root = self.eat_word("ROOT") || self.eat_misspelled_root();
        let token = self.peek();
        let name = match token.kind {
            TokenKind::Name | TokenKind::ParamName => {
                self.bump();
                let name = self.name(token);
                if self.ends_line_without_equals(token.span) {
                    return self.report_stray_word(start.join(token.span));
                }
                if !self.expect('=') {
                    return self.recover();
                }
                name
            }
            TokenKind::AttrName => {
                self.bump();
                let message = Message::ops("hlo-name-equals").with("name", self.text(token.span));
                let hint = Message::ops("op-hint-write").with("text", " =");
                let error = Diagnostic::error(token.span, "hlo-syntax", message);
                self.report(error.with_hint(Hint::replace(hint, Span::at(token.span.end), " ")));
                self.name(token)
            }
            _ => {
                self.report_expected("hlo-an-instruction");
                if token.kind != TokenKind::Punct('}') {
                    self.bump();
                }
                return self.recover();
            }
        };
        let name = name.to_owned();
        body.instruction_start = start.start;
        let errors = self.errors;
        let (shape, shape_span) = self.written_shape();
        let spans =
            InstructionSpans { whole: start, name: token.span, shape: shape_span, ..Default::default() };
        let Some(id) = self.operation(body, name.clone(), shape, errors, spans) else {
            return self.recover();
        };
        if is_root {
            if body.root_span.replace(start).is_some() {
                self.report_second_root(start);
            }
            body.computation.root = Some(id);
        }
        if body.names.insert(name, id).is_some() {
            self.report_name_twice(body, token);
        }
    }

    /// Whether a word is the last of its line, and what follows begins an instruction or ends the computation: then it belongs to neither.
    fn ends_line_without_equals(&mut self, word: Span) -> bool {
        let next = self.peek();
        matches!(next.kind, TokenKind::Name | TokenKind::ParamName | TokenKind::Punct('}'))
            && self.text(Span::new(word.end, next.span.start)).contains('\n')
    }

    fn report_stray_word(&mut self, word: Span) {
        let message = Message::ops("hlo-stray-word").with("word", self.text(word));
        let error = Diagnostic::error(word, "hlo-syntax", message);
        self.report(error.with_hint(Hint::replace(Message::ops("hlo-hint-remove"), word, "")));
    }

    /// Parses the optional shape before an opcode or an operand. An invalid shape is `None`, to avoid follow-up errors.
    pub(super) fn written_shape(&mut self) -> (Option<Shape>, Span) {
        if !self.at_shape() {
            return (None, Span::at(self.peek().span.start));
        }
        let errors = self.errors;
        let (shape, span) = self.shape();
        (shape.filter(|_| self.errors == errors), span)
    }

    /// Parses an instruction from the opcode on and adds it and the instructions nested in its operands to the body. `None` if
    /// there is no opcode. `errors` is the number of errors before the instruction's shape.
    pub(super) fn operation(
        &mut self,
        body: &mut Body,
        name: String,
        written: Option<Shape>,
        errors: usize,
        spans: InstructionSpans,
    ) -> Option<InstructionId> {
        let mut open = Box::new(self.open_operation(name, written, errors, spans)?);
        let in_unknown_operands = self.in_unknown_operands;
        let mut enclosing: Vec<Box<OpenOperation>> = Vec::new();
        loop {
            let mut attrs = Attrs::new();
            if let Some(spec) = open.op.and_then(|op| op.meta().inline_attr.as_ref()) {
                self.argument(spec, open.written.as_ref(), &mut attrs, &mut open.spans);
            } else {
                self.in_unknown_operands = !open.is_known;
                if let Some(nested) = self.operands(body, &mut open) {
                    enclosing.push(std::mem::replace(&mut open, nested));
                    continue;
                }
            }
            self.in_unknown_operands = enclosing.last().map_or(in_unknown_operands, |outer| !outer.is_known);
            let id = self.close_operation(body, *open, attrs, enclosing.is_empty());
            let Some(outer) = enclosing.pop() else { return Some(id) };
            open = outer;
            self.add_operand(&mut open, id);
        }
    }

    /// Parses the opcode of an instruction, and the parenthesis after it.
    pub(super) fn open_operation(
        &mut self,
        name: String,
        written: Option<Shape>,
        errors: usize,
        mut spans: InstructionSpans,
    ) -> Option<OpenOperation> {
        let token = self.peek();
        if token.kind != TokenKind::Name || self.text(token.span).starts_with('%') {
            self.report_expected("hlo-an-opcode");
            return None;
        }
        self.bump();
        spans.opcode = token.span;
        let opcode = self.text(token.span);
        let op = xla_ops::find(opcode);
        let is_known = op.is_some() || opcode == COLLAPSE;
        if !is_known {
            self.unknown_opcode(token.span);
        }
        self.expect('(').then(|| OpenOperation {
            name,
            op,
            is_known,
            written,
            errors,
            spans,
            operands: SmallVec::new(),
            operand_start: 0,
            awaits_separator: false,
        })
    }

    /// Parses the attributes after the operands of an instruction that is not nested, infers its shape, and adds it to the body.
    fn close_operation(
        &mut self,
        body: &mut Body,
        open: OpenOperation,
        mut attrs: Attrs,
        takes_attrs: bool,
    ) -> InstructionId {
        let OpenOperation { name, op, written, errors, mut spans, operands, .. } = open;
        let (mut annotations, mut arguments) = (Vec::new(), Arguments::default());
        if takes_attrs {
            let context = (&mut spans, written.as_ref());
            self.attributes(body, op, (&mut attrs, &mut arguments), &mut annotations, context);
        }
        spans.whole = Span::new(spans.whole.start, self.lexer.offset);
        // In a large module, the spare capacity of many small lists adds up.
        attrs.shrink();
        annotations.shrink_to_fit();
        spans.attrs.shrink_to_fit();
        spans.operands.shrink_to_fit();
        if let Some(written) = &written {
            self.charge_written_shape(written, spans.whole);
        }
        let mut instruction = Instruction {
            name,
            opcode: self.text(spans.opcode).to_owned(),
            op,
            shape: written.clone().unwrap_or(Shape::tuple([])),
            is_invalid: self.errors > errors,
            operands,
            attrs,
            annotations,
            spans,
        };
        self.charge_instruction();
        self.infer(body, &mut instruction, &mut arguments, written.as_ref());
        body.push(instruction)
    }

    fn unknown_opcode(&mut self, span: Span) {
        let opcode = self.text(span);
        let message = Message::ops("hlo-opcode").with("opcode", opcode);
        let error = Diagnostic::error(span, "hlo-opcode", message);
        match nearest::opcode(opcode) {
            Some(suggestion) => self.report_with_fix(error, span, suggestion),
            None => self.report(error),
        }
    }

    /// Infers the shape, and reports violated rules of the op.
    fn infer(
        &mut self,
        body: &Body,
        instruction: &mut Instruction,
        arguments: &mut Arguments,
        written: Option<&Shape>,
    ) {
        let get = |id: &InstructionId| body.computation.get(*id);
        // Follow-up errors are not reported; if a shape is written, it is used.
        let has_invalid_operand =
            instruction.operands.iter().filter_map(get).any(|operand| operand.is_invalid);
        let would_be_dropped = self.errors > MAX_DIAGNOSTICS;
        let is_known = instruction.op.is_some() || instruction.opcode == COLLAPSE;
        if !is_known || has_invalid_operand || instruction.is_invalid || would_be_dropped {
            instruction.is_invalid = written.is_none();
            return;
        }
        let leaves =
            |id: ComputationId| self.signature_leaves.get(id.0 as usize).copied().unwrap_or_default();
        let work = instruction.attrs.computations().map(leaves).fold(0, usize::saturating_add);
        self.charge_work(work);
        if self.lexer.is_aborted() {
            instruction.is_invalid = true;
            return;
        }
        if matches!(self.find_forms(body, instruction, arguments, written), FormOutcome::Handled) {
            return;
        }
        let Some(op) = instruction.op else { return };
        let operands = Module::operand_shapes(&body.computation, instruction);
        let Some(cx) = self.module.infer(instruction, &operands, written, self.edition) else {
            return;
        };
        // Charge the leaves of a tuple result, and of tuple arguments of a call.
        let tuple_leaves = |shape: &Shape| if shape.as_tuple().is_some() { shape.leaves() } else { 0 };
        let is_call = instruction.attrs.computations().next().is_some();
        let call_operands = operands.iter().filter(|_| is_call);
        let argument_leaves = call_operands.map(|shape| tuple_leaves(shape)).fold(0, usize::saturating_add);
        match xla_ops::check(op, &cx) {
            Ok(shape) => {
                let mixed = xla_ops::check_uniform(op, &cx).err();
                let leaves = tuple_leaves(&shape).saturating_add(argument_leaves);
                if self.charge_leaves(leaves, instruction.spans.whole) {
                    instruction.shape = shape;
                } else {
                    instruction.is_invalid = true;
                }
                self.report_unused_argument(instruction, arguments);
                if let Some(error) = mixed.filter(|_| !self.warning_limit_reached()) {
                    let diagnostic = self.op_diagnostic(error, &instruction.spans, &OperandTexts::default());
                    self.report(Diagnostic { severity: Severity::Warning, ..diagnostic });
                }
            }
            Err(error) => {
                let addition = self.missing_attribute(op, &cx, instruction, error.rule);
                instruction.is_invalid = written.is_none();
                let parameter_shape = |i: usize| {
                    let id = instruction.operands.get(i)?;
                    let is_unique = instruction.operands.iter().filter(|other| *other == id).count() == 1;
                    let operand = body.computation.get(*id).filter(|_| is_unique)?;
                    let span = operand.spans.shape;
                    (operand.opcode == "parameter" && span.start < span.end).then_some(span)
                };
                let texts = OperandTexts {
                    parameter_shapes: (0..instruction.operands.len()).map(parameter_shape).collect(),
                    statement_start: Some(body.instruction_start),
                };
                let diagnostic = self.op_diagnostic(error, &instruction.spans, &texts);
                let mut diagnostic = Self::with_surplus_removed(diagnostic, instruction);
                diagnostic.hints.extend(addition);
                self.report(diagnostic);
            }
        }
    }

    /// Parses the argument that some ops have instead of operands, e.g. the literal of a constant.
    fn argument(
        &mut self,
        spec: &'static AttrSpec,
        shape: Option<&Shape>,
        attrs: &mut Attrs,
        spans: &mut InstructionSpans,
    ) {
        let (name, kind) = (spec.name, spec.kind);
        let start = self.peek().span;
        if kind == AttrKind::Literal {
            let Some(shape) = shape else {
                // The op itself reports the missing shape.
                attrs.set(name, AttrValue::Elided);
                return self.skip_operands();
            };
            self.charge_literal(shape);
            let parsed = parse_at(self.lexer.source, self.lexer.offset, shape);
            for diagnostic in parsed.diagnostics {
                self.report(diagnostic);
            }
            self.lexer.offset = parsed.end.max(self.lexer.offset);
            match parsed.value {
                Some(value)
                    if !parsed.elided
                        && self.charge_constant(shape, Span::new(start.start, self.lexer.offset)) =>
                {
                    attrs.set(name, AttrValue::Literal(Arc::new(value)));
                }
                _ => attrs.set(name, AttrValue::Elided),
            }
        } else if let Some(value) = self.attr_value(spec) {
            attrs.set(name, value);
        }
        spans.attrs.push((name, Span::new(start.start, self.lexer.offset)));
        if !self.expect(')') && self.kind() != TokenKind::Punct(',') {
            self.skip_operands();
        }
    }

    /// Parses the attributes after the operands.
    fn attributes(
        &mut self,
        body: &Body,
        op: Option<&'static dyn OpDef>,
        (attrs, arguments): (&mut Attrs, &mut Arguments),
        annotations: &mut Vec<(String, String)>,
        (spans, written): (&mut InstructionSpans, Option<&Shape>),
    ) {
        let mut names: HashSet<&str> = spans.attrs.iter().map(|(name, _)| *name).collect();
        loop {
            if !self.eat(',') && !self.report_missing_comma(op) {
                return;
            }
            self.charge_list_item();
            let token = self.peek();
            match token.kind {
                TokenKind::AttrName => {
                    self.bump();
                }
                TokenKind::Name if self.is_attribute(op, token) && self.eat_spaced_equals(token) => {}
                _ => {
                    self.report_expected("hlo-an-attribute");
                    return self.recover();
                }
            }
            let name = self.text(token.span);
            if !names.insert(name) {
                let message = Message::ops("hlo-attribute-twice").with("name", name);
                self.error(token.span, "hlo-attribute", message);
            }
            let spec = op.and_then(|op| op.meta().attrs.iter().find(|spec| spec.name == name));
            let (start, errors) = (self.peek().span.start, self.errors);
            if let Some(spec) = spec {
                if self.eat_bernoulli(spec) {
                    arguments.is_bernoulli = true;
                } else if let Some(value) = self.attr_value(spec) {
                    attrs.set(spec.name, value);
                    if spec.kind == AttrKind::Text && self.errors == errors {
                        self.check_annotation(spec.name, Span::new(start, self.lexer.offset), written);
                    }
                }
                arguments.padding = self.named_padding.take().or(arguments.padding);
                spans.attrs.push((spec.name, Span::new(start, self.lexer.offset)));
                continue;
            }
            if let Some(argument) = Argument::find(self.text(spans.opcode), name) {
                self.builder_argument(argument, body, arguments);
                spans.attrs.push((argument.name(), Span::new(start, self.lexer.offset)));
                continue;
            }
            let errors = self.errors;
            let value = self.raw_value();
            if let Some(op) = op.filter(|_| !is_annotation(name)) {
                self.unknown_attribute(op, name, Span::new(token.span.start, value.end));
            }
            if name == "control-predecessors" {
                self.check_predecessors(body, value);
            }
            let text = self.raw_text(value);
            if op.is_some() && self.errors == errors {
                self.check_annotation(name, value, written);
            }
            annotations.push((name.to_owned(), text));
        }
    }

    /// Consumes `rng_bernoulli`, which only the builder has, if it is the value of this attribute.
    fn eat_bernoulli(&mut self, spec: &AttrSpec) -> bool {
        spec.name == "distribution" && self.eat_word(BERNOULLI)
    }

    /// Whether a name is an attribute of the op or an annotation.
    fn is_attribute(&self, op: Option<&'static dyn OpDef>, token: Token) -> bool {
        let name = self.text(token.span);
        is_annotation(name) || op.is_some_and(|op| op.meta().attrs.iter().any(|spec| spec.name == name))
    }

    /// If an attribute follows without a comma, reports that and returns `true`.
    fn report_missing_comma(&mut self, op: Option<&'static dyn OpDef>) -> bool {
        let token = self.peek();
        let is_attribute = token.kind == TokenKind::AttrName && self.is_attribute(op, token);
        if is_attribute {
            self.expect(',');
        }
        is_attribute
    }

    /// If `=` follows the name after a space, consumes both, reports the space and returns `true`.
    fn eat_spaced_equals(&mut self, token: Token) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next();
        let equals = ahead.next();
        if equals.kind != TokenKind::Punct('=') {
            return false;
        }
        let name = self.text(token.span);
        let message = Message::ops("hlo-attribute-blank").with("name", name);
        let error = Diagnostic::error(token.span, "hlo-syntax", message);
        self.report_with_fix(error, token.span.join(equals.span), format!("{name}="));
        self.lexer.offset = equals.span.end;
        true
    }

    /// Checks that the control predecessors of an instruction precede it.
    fn check_predecessors(&mut self, body: &Body, value: Span) {
        let mut names = Lexer::starting_at(self.lexer.source, value.start);
        while names.offset < value.end {
            let token = names.next();
            let is_known = || body.names.contains_key(self.text(token.span).trim_start_matches('%'));
            if token.kind.is_name() && !is_known() {
                self.unknown_operand(body, token.span);
            }
        }
    }

    /// Reports an unknown attribute: an error if it is similar to one of the op, else a warning, since XLA may have
    /// added it.
    fn unknown_attribute(&mut self, op: &dyn OpDef, name: &str, span: Span) {
        let specs = op.meta().attrs;
        let has_substring = |other: &&str| name.len() > 3 && other.contains(name);
        let suggestion =
            nearest(name, specs.iter().map(|s| s.name)).or(specs.iter().map(|s| s.name).find(has_substring));
        if suggestion.is_none() && self.warning_limit_reached() {
            return;
        }
        let allowed = specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        let message = Message::ops("hlo-attribute-unknown")
            .with("op", op.meta().opcode)
            .with("name", name)
            .with("allowed", allowed);
        let severity = if suggestion.is_some() { Severity::Error } else { Severity::Warning };
        let mut diagnostic = Diagnostic { severity, ..Diagnostic::error(span, "hlo-attribute", message) };
        if let Some(suggestion) = suggestion {
            let hint = Message::ops("op-hint-write").with("text", suggestion);
            diagnostic = diagnostic.with_hint(Hint::replace(
                hint,
                Span::new(span.start, span.start + name.len()),
                suggestion,
            ));
        }
        self.report(diagnostic);
    }
}
