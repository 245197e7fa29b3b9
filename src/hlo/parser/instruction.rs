//! One instruction: name, shape, opcode, operands, attributes.

use std::sync::Arc;

use smallvec::SmallVec;

use super::computation::Body;
use super::{DEEPEST, Parser};
use crate::array::literal::parse::parse_at;
use crate::array::{Shape, shape_util};
use crate::diagnostic::{Diagnostic, Hint, Severity, Span};
use crate::hlo::lexer::Kind;
use crate::hlo::module::{Instruction, InstructionId, InstructionSpans, Module};
use crate::i18n::Message;
use crate::ops::{self, AttrKind, AttrValue, Attrs, OpDef};

/// The opcode nearest to a word that is none.
fn nearest<'a>(word: &str, of: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    of.map(|other| (distance(word, other), other)).filter(|(d, _)| *d <= 2).min().map(|(_, other)| other)
}

/// How many letters must change (Levenshtein); words of more than 40 letters are no typing mistakes.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > 40 || b.len() > 40 || a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

impl Parser<'_> {
    /// Reads an instruction, or skips to the next one.
    pub(super) fn instruction(&mut self, body: &mut Body) {
        let start = self.peek().span;
        let is_root = self.eat_word("ROOT");
        let token = self.peek();
        let name = match token.kind {
            Kind::Name => {
                self.bump();
                if !self.expect('=') {
                    return self.recover();
                }
                self.text(token.span)
            }
            Kind::AttrName => {
                self.bump();
                let message = Message::engine("hlo-name-equals").with("name", self.text(token.span));
                let hint = Message::engine("op-hint-write").with("text", " =");
                let error = Diagnostic::error(token.span, "hlo-syntax", message);
                self.tell(error.hint(Hint::replace(hint, Span::at(token.span.end), " ")));
                self.text(token.span)
            }
            _ => {
                self.expected("an instruction");
                self.bump();
                return self.recover();
            }
        };
        let name = name.trim_start_matches('%').to_owned();
        let (shape, shape_span) =
            if self.at_shape() { self.shape() } else { (None, Span::at(self.peek().span.start)) };
        let spans =
            InstructionSpans { whole: start, name: token.span, shape: shape_span, ..Default::default() };
        let Some(id) = self.operation(body, name.clone(), shape.as_ref(), spans, true) else {
            return self.recover();
        };
        if is_root {
            if body.root.replace(start).is_some() {
                self.error(start, "hlo-root", Message::engine("hlo-two-roots"));
            }
            body.computation.root = Some(id);
        }
        if body.names.insert(name.clone(), id).is_some() {
            let message = Message::engine("hlo-name-twice").with("name", name);
            self.error(token.span, "hlo-name", message);
        }
    }

    /// From the opcode on; adds the instruction to the body. `None` where there is no opcode.
    fn operation(
        &mut self,
        body: &mut Body,
        name: String,
        written: Option<&Shape>,
        mut spans: InstructionSpans,
        takes_attrs: bool,
    ) -> Option<InstructionId> {
        let errors = self.diagnostics.len();
        let token = self.peek();
        if token.kind != Kind::Name || self.text(token.span).starts_with('%') {
            self.expected("an opcode");
            return None;
        }
        self.bump();
        spans.opcode = token.span;
        let opcode = self.text(token.span);
        let op = ops::find(opcode);
        if op.is_none() {
            let message = Message::engine("hlo-opcode").with("opcode", opcode);
            let mut error = Diagnostic::error(token.span, "hlo-opcode", message);
            if let Some(near) = nearest(opcode, ops::all().map(|op| op.meta().opcode)) {
                let hint = Message::engine("op-hint-write").with("text", near);
                error = error.hint(Hint::replace(hint, token.span, near));
            }
            self.tell(error);
        }
        if !self.expect('(') {
            return None;
        }
        let mut attrs = Attrs::new();
        let mut operands: SmallVec<[InstructionId; 3]> = SmallVec::new();
        match op.and_then(|op| op.meta().argument.as_ref()) {
            Some(spec) => self.argument(spec.name, spec.kind, written, &mut attrs, &mut spans),
            None => self.operands(body, &mut operands, &mut spans),
        }
        let mut annotations = Vec::new();
        if takes_attrs {
            self.attributes(op, &mut attrs, &mut annotations, &mut spans);
        }
        spans.whole = Span::new(spans.whole.start, self.lexer.at);
        let is_broken = self.diagnostics[errors.min(self.diagnostics.len())..]
            .iter()
            .any(|d| d.severity == Severity::Error);
        let mut instruction = Instruction {
            name,
            opcode: opcode.to_owned(),
            op,
            shape: written.cloned().unwrap_or(Shape::Tuple(Vec::new())),
            is_broken,
            operands,
            attrs,
            annotations,
            spans,
        };
        self.infer(body, &mut instruction, written);
        body.computation.instructions.push(instruction);
        let id = InstructionId(u32::try_from(body.computation.instructions.len() - 1).unwrap_or(u32::MAX));
        Some(id)
    }

    /// Finds the shape, and tells which rules are broken.
    fn infer(&mut self, body: &Body, instruction: &mut Instruction, written: Option<&Shape>) {
        let get = |id: &InstructionId| body.computation.get(*id);
        // What follows from a mistake told before is not told again; a written shape stands in for it.
        let on_sand = instruction.operands.iter().filter_map(get).any(|operand| operand.is_broken);
        let (Some(op), false) = (instruction.op, on_sand || instruction.is_broken) else {
            instruction.is_broken = written.is_none();
            return;
        };
        let operands = Module::operand_shapes(&body.computation, instruction);
        let Some(cx) = self.module.infer(instruction, &operands, written, self.edition) else {
            return;
        };
        match ops::check(op, &cx) {
            Ok(shape) => instruction.shape = shape,
            Err(error) => {
                instruction.is_broken = written.is_none();
                let spans = instruction.spans.clone();
                self.tell_op(error, &spans);
            }
        }
    }

    /// What stands in the parentheses in place of operands.
    fn argument(
        &mut self,
        name: &'static str,
        kind: AttrKind,
        shape: Option<&Shape>,
        attrs: &mut Attrs,
        spans: &mut InstructionSpans,
    ) {
        let start = self.peek().span;
        if kind == AttrKind::Literal {
            let Some(shape) = shape else {
                // That the shape is missing is the op's to tell.
                attrs.set(name, AttrValue::Elided);
                return self.skip_operands();
            };
            let parsed = parse_at(self.lexer.source, self.lexer.at, shape);
            for diagnostic in parsed.diagnostics {
                self.tell(diagnostic);
            }
            self.lexer.at = parsed.end.max(self.lexer.at);
            match parsed.value {
                Some(value) if !parsed.elided => attrs.set(name, AttrValue::Literal(Arc::new(value))),
                _ => attrs.set(name, AttrValue::Elided),
            }
        } else if let Some(value) = self.attr_value(kind) {
            attrs.set(name, value);
        }
        spans.attrs.push((name, Span::new(start.start, self.lexer.at)));
        if !self.expect(')') && self.kind() != Kind::Mark(',') {
            self.skip_operands();
        }
    }

    /// Operands up to behind the closing parenthesis.
    fn operands(
        &mut self,
        body: &mut Body,
        ids: &mut SmallVec<[InstructionId; 3]>,
        spans: &mut InstructionSpans,
    ) {
        loop {
            match self.kind() {
                Kind::Mark(')') => {
                    self.bump();
                    return;
                }
                Kind::End | Kind::Mark('}') => {
                    self.expect(')');
                    return;
                }
                _ => {}
            }
            let start = self.peek().span.start;
            match self.operand(body) {
                Some(id) => {
                    ids.push(id);
                    spans.operands.push(Span::new(start, self.lexer.at));
                }
                None => return self.skip_operands(),
            }
            if !self.eat(',') && self.kind() != Kind::Mark(')') {
                self.expected(",");
                return self.skip_operands();
            }
        }
    }

    /// A name, or an instruction without one; either perhaps behind its shape.
    fn operand(&mut self, body: &mut Body) -> Option<InstructionId> {
        let start = self.peek().span.start;
        let (shape, shape_span) = if self.at_shape() { self.shape() } else { (None, Span::at(start)) };
        let token = self.peek();
        if token.kind != Kind::Name {
            self.expected("an operand");
            return None;
        }
        let mut ahead = self.lexer.clone();
        ahead.next();
        let word = self.text(token.span);
        if ahead.peek().kind == Kind::Mark('(') && !word.starts_with('%') {
            if self.depth >= DEEPEST {
                self.error(token.span, "hlo-depth", Message::engine("hlo-too-deep").with("limit", DEEPEST));
                return None;
            }
            self.depth += 1;
            let spans =
                InstructionSpans { whole: Span::at(start), shape: shape_span, ..InstructionSpans::default() };
            let id = self.operation(body, String::new(), shape.as_ref(), spans, false);
            self.depth -= 1;
            return id;
        }
        self.bump();
        let Some(id) = body.names.get(word.trim_start_matches('%')).copied() else {
            self.unknown_operand(body, token.span);
            return None;
        };
        if let Some(written) = shape
            && let Some(operand) = body.computation.get(id)
            && !operand.is_broken
            && !shape_util::compatible(&written, &operand.shape)
        {
            let message = Message::engine("hlo-operand-shape")
                .with("name", operand.name.as_str())
                .with("written", written.human_string())
                .with("found", operand.shape.human_string());
            let text = operand.shape.human_string();
            let hint = Message::engine("op-hint-write").with("text", text.as_str());
            let error = Diagnostic::error(shape_span, "hlo-operand-shape", message);
            self.tell(error.hint(Hint::replace(hint, shape_span, text)));
        }
        Some(id)
    }

    fn unknown_operand(&mut self, body: &Body, span: Span) {
        let word = self.text(span);
        let message = Message::engine("hlo-operand").with("name", word);
        let mut error = Diagnostic::error(span, "hlo-operand", message);
        let names = body.computation.instructions.iter().map(|i| i.name.as_str());
        if let Some(near) = nearest(word.trim_start_matches('%'), names.filter(|name| !name.is_empty())) {
            let hint = Message::engine("op-hint-write").with("text", near);
            error = error.hint(Hint::replace(hint, span, near));
        } else {
            error = error.hint(Hint::advice(Message::engine("hlo-hint-define")));
        }
        self.tell(error);
    }

    /// The attributes, from behind the operands on.
    fn attributes(
        &mut self,
        op: Option<&'static dyn OpDef>,
        attrs: &mut Attrs,
        annotations: &mut Vec<(String, String)>,
        spans: &mut InstructionSpans,
    ) {
        while self.eat(',') {
            let token = self.peek();
            if token.kind != Kind::AttrName {
                self.expected("name=");
                return self.recover();
            }
            self.bump();
            let name = self.text(token.span);
            let is_repeated = attrs.get(name).is_some() || annotations.iter().any(|(n, _)| n == name);
            if is_repeated {
                let message = Message::engine("hlo-attribute-twice").with("name", name);
                self.error(token.span, "hlo-attribute", message);
            }
            let spec = op.and_then(|op| op.meta().attrs.iter().find(|spec| spec.name == name));
            let start = self.peek().span.start;
            if let Some(spec) = spec {
                if let Some(value) = self.attr_value(spec.kind) {
                    attrs.set(spec.name, value);
                }
                spans.attrs.push((spec.name, Span::new(start, self.lexer.at)));
                continue;
            }
            let value = self.raw_value();
            if let Some(op) = op.filter(|_| !super::attribute::ANNOTATIONS.contains(&name)) {
                self.unknown_attribute(op, name, Span::new(token.span.start, value.end));
            }
            annotations.push((name.to_owned(), self.text(value).to_owned()));
        }
    }

    /// A name that looks like one of the op's attributes is a mistake; any other is something newer than this
    /// crate, and is skipped with a warning.
    fn unknown_attribute(&mut self, op: &dyn OpDef, name: &str, span: Span) {
        let specs = op.meta().attrs;
        let contains = |other: &&str| name.len() > 3 && other.contains(name);
        let near =
            nearest(name, specs.iter().map(|s| s.name)).or(specs.iter().map(|s| s.name).find(contains));
        let allowed = specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        let message = Message::engine("hlo-attribute-unknown")
            .with("op", op.meta().opcode)
            .with("name", name)
            .with("allowed", allowed);
        let severity = if near.is_some() { Severity::Error } else { Severity::Warning };
        let mut diagnostic = Diagnostic { severity, ..Diagnostic::error(span, "hlo-attribute", message) };
        if let Some(near) = near {
            let hint = Message::engine("op-hint-write").with("text", near);
            diagnostic =
                diagnostic.hint(Hint::replace(hint, Span::new(span.start, span.start + name.len()), near));
        }
        self.tell(diagnostic);
    }
}
