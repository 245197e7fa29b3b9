//! Parses computations: header, body, and the attributes after the body.

use std::collections::HashMap;

use super::state::Parser;
use crate::async_pairs;
use crate::lexer::{Token, TokenKind, is_reserved};
use crate::module::MAX_NESTING_DEPTH;
use crate::module::{Computation, Instruction, InstructionId, computation_id};
use crate::verify;
use xla_array::{Edition, Shape, shape_util};
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;
use xla_ops::ComputationId;

/// A body that is being parsed.
#[derive(Default)]
pub(super) struct Body {
    pub computation: Computation,
    /// Instructions by name.
    pub names: HashMap<String, InstructionId>,
    /// The span of the instruction marked `ROOT`.
    pub root_span: Option<Span>,
    /// The start of the top-level instruction being parsed.
    pub instruction_start: usize,
    /// Whether undefined operands become parameters, as in text that is a single instruction.
    pub has_implicit_parameters: bool,
    /// The number of parameters so far.
    pub parameter_count: usize,
}

impl Body {
    /// Adds an instruction.
    pub fn push(&mut self, instruction: Instruction) -> InstructionId {
        self.parameter_count += usize::from(instruction.opcode == "parameter");
        let instructions = &mut self.computation.instructions;
        instructions.push(instruction);
        InstructionId::from_index(instructions.len() - 1)
    }
}

impl Default for Computation {
    fn default() -> Self {
        Self {
            name: String::new(),
            instructions: Vec::new(),
            root: None,
            parameters: Vec::new(),
            depth: 1,
            annotations: Vec::new(),
            span: Span::default(),
            signature: std::sync::OnceLock::new(),
        }
    }
}

/// A top-level computation whose body is being parsed.
pub(super) struct OpenComputation<'s> {
    body: Body,
    start: Span,
    is_entry: bool,
    name: &'s str,
    name_span: Span,
    /// The result's shape in the signature.
    result: Option<(Shape, Span)>,
}

impl<'s> Parser<'s> {
    /// Parses a computation up to the brace that opens its body. If there is none, skips to the next one and returns `None`.
    pub(super) fn open_computation(&mut self) -> Option<OpenComputation<'s>> {
        let start = self.peek().span;
        let is_entry = self.eat_word("ENTRY");
        self.computation_start = start.start;
        let token = self.peek();
        if !token.kind.is_name() {
            self.report_missing_computation(token);
            return None;
        }
        let mut ahead = self.lexer.clone();
        ahead.next();
        if !matches!(ahead.peek().kind, TokenKind::Punct('{' | '(')) {
            self.report_missing_computation(token);
            return None;
        }
        self.bump();
        let name = self.name(token);
        let result = if self.eat('(') { self.signature() } else { None };
        if !self.expect('{') {
            self.recover_computation();
            return None;
        }
        self.depth += 1;
        Some(OpenComputation { body: Body::default(), start, is_entry, name, name_span: token.span, result })
    }

    /// Parses the next instruction of a computation. Returns whether there may be more.
    pub(super) fn continue_computation(&mut self, open: &mut OpenComputation<'s>) -> bool {
        let continues = !self.ends_body(open.start);
        if continues {
            self.instruction(&mut open.body);
        }
        continues
    }

    /// Parses the attributes after the closing brace, which is consumed; checks the signature, and adds the computation
    /// to the module.
    pub(super) fn close_computation(&mut self, open: OpenComputation<'s>) {
        let OpenComputation { body, start, is_entry, name, name_span, result } = open;
        self.depth -= 1;
        let mut computation = self.finish_body(body, start);
        name.clone_into(&mut computation.name);
        self.trailing_attributes(&mut computation);
        if let Some((written, span)) = result
            && let Some(root) = computation.root_instruction()
            && !root.is_invalid
            && !shape_util::compatible(&written, &root.shape)
        {
            let inferred = root.shape.human_string();
            let message = Message::ops("op-result-differs")
                .with("inferred", inferred.as_str())
                .with("written", written.human_string());
            self.report_with_fix(Diagnostic::error(span, "hlo-signature", message), span, inferred);
        }
        let id = self.add_computation(computation);
        if self.computations.insert(name, id).is_some() {
            let message = Message::ops("hlo-name-twice").with("name", name);
            self.error(name_span, "hlo-name", message);
        }
        if is_entry {
            if self.entry.replace(start).is_some() {
                self.error(start, "hlo-entry", Message::ops("hlo-two-entries"));
            }
            self.module.entry = Some(id);
        } else if self.entry.is_none() {
            // Without `ENTRY`, the last computation is the entry.
            self.module.entry = Some(id);
        }
    }

    /// Checks the module after its last computation.
    pub(super) fn check_module(&mut self) {
        if let Some(start) = self.lexer.unclosed_comment().filter(|_| !self.lexer.is_aborted()) {
            let end = self.lexer.source.len();
            let message = Message::ops("hlo-open-comment");
            let error = Diagnostic::error(Span::new(start, end), "hlo-syntax", message);
            self.report_with_fix(error, Span::at(end), "*/");
        }
        if self.module.entry.is_none() {
            let end = Span::at(self.lexer.source.len());
            self.error(end, "hlo-entry", Message::ops("hlo-no-entry"));
        }
        if self.lexer.is_aborted() {
            return;
        }
        self.offer_callees_below();
        for diagnostic in verify::check_entry_layout(&self.module)
            .into_iter()
            .chain(verify::check_infeed_order(&self.module))
        {
            self.report(diagnostic);
        }
        // After an error, these would be follow-up errors.
        let pair_errors = if self.errors == 0 { async_pairs::check(&self.module) } else { Vec::new() };
        for diagnostic in pair_errors {
            self.report(diagnostic);
        }
        if self.edition == Edition::V2017 {
            for diagnostic in verify::check_nested_loops(&self.module) {
                self.report(diagnostic);
            }
        }
    }

    /// The text of a name, without `%`; reports a reserved word.
    pub(super) fn name(&mut self, token: Token) -> &'s str {
        let text = self.text(token.span);
        if token.kind == TokenKind::Name && is_reserved(text) {
            let message = Message::ops("hlo-reserved").with("name", text);
            self.report_with_fix(
                Diagnostic::error(token.span, "hlo-name", message),
                token.span,
                format!("%{text}"),
            );
        }
        text.strip_prefix('%').unwrap_or(text)
    }

    /// Reports that no computation begins here, and skips to the next one.
    fn report_missing_computation(&mut self, token: Token) {
        self.lexer.next();
        self.recover_computation();
        let end =
            self.lexer.source.get(..self.lexer.offset).map_or(token.span.end, |text| text.trim_end().len());
        let span = Span::new(token.span.start, end.max(token.span.end));
        let message = self.expected_message(Message::ops("hlo-a-computation"), token.span);
        let hint = Hint::replace(Message::ops("hlo-hint-remove"), span, "");
        self.report(Diagnostic::error(token.span, "hlo-syntax", message).with_hint(hint));
    }

    /// Parses the attributes after the closing brace: `, execution_thread="…"`.
    fn trailing_attributes(&mut self, computation: &mut Computation) {
        while self.eat(',') {
            let token = self.peek();
            if token.kind != TokenKind::AttrName {
                self.report_expected("hlo-an-attribute");
                self.skip_value();
                return;
            }
            self.bump();
            self.charge_list_item();
            let name = self.text(token.span);
            let value = self.raw_value();
            if name != "execution_thread" && !self.warning_limit_reached() {
                let message = Message::ops("hlo-attribute-unknown")
                    .with("op", computation.name.as_str())
                    .with("name", name)
                    .with("allowed", "execution_thread");
                let error = Diagnostic::error(token.span, "hlo-attribute", message);
                self.report(Diagnostic { severity: Severity::Warning, ..error });
            }
            computation.annotations.push((name.to_owned(), self.raw_text(value)));
        }
    }

    pub(super) fn add_computation(&mut self, computation: Computation) -> ComputationId {
        self.charge_instruction();
        let parameters = computation.parameters.iter().filter_map(|id| computation.get(*id));
        let shapes = parameters.chain(computation.root_instruction()).map(|i| i.shape.leaves());
        self.signature_leaves.push(shapes.fold(0, usize::saturating_add));
        self.module.computations.push(computation);
        computation_id(self.module.computations.len() - 1)
    }

    /// Parses `name: shape, …) -> shape` and returns the result's shape. The parameters are not compared with the instructions.
    fn signature(&mut self) -> Option<(Shape, Span)> {
        while !self.eat(')') {
            self.charge_list_item();
            let token = self.peek();
            let is_name = match token.kind {
                TokenKind::ParamName => true,
                // Parameter names in older dumps have a `%`.
                TokenKind::Name => self.lexer.source[token.span.end..].trim_start().starts_with(':'),
                _ => false,
            };
            if is_name {
                self.bump();
                self.eat(':');
            } else {
                self.report_expected("hlo-a-parameter");
            }
            if is_name && !self.at_shape() {
                self.report_expected("hlo-a-shape");
            } else if is_name {
                self.shape();
                if self.eat(',') || self.kind() == TokenKind::Punct(')') {
                    continue;
                }
                self.expect(')');
            }
            if !self.skip_group() {
                return None;
            }
            break;
        }
        if self.kind() == TokenKind::Arrow {
            self.bump();
        } else {
            let span = self.peek().span;
            let error = Diagnostic::error(span, "hlo-syntax", self.expected_message("->", span));
            self.report_with_fix(error, Span::at(span.start), "-> ");
        }
        if !self.at_shape() {
            self.report_expected("hlo-a-shape");
            return None;
        }
        let (shape, span) = self.shape();
        Some((shape?, span))
    }

    /// Parses a computation body that is written inline, instead of a name; its opening brace is consumed.
    pub(super) fn inline_body(&mut self, open: Span) -> Option<ComputationId> {
        let computation = self.body(open)?;
        Some(self.add_computation(computation))
    }

    /// Parses a body, up to and including its closing brace; its opening brace is consumed.
    fn body(&mut self, start: Span) -> Option<Computation> {
        if self.depth >= MAX_NESTING_DEPTH {
            let message = Message::ops("hlo-too-deep").with("limit", MAX_NESTING_DEPTH);
            self.error(start, "hlo-depth", message);
            self.skip_body();
            return None;
        }
        self.depth += 1;
        let mut body = Body::default();
        while !self.ends_body(start) {
            self.instruction(&mut body);
        }
        self.depth -= 1;
        Some(self.finish_body(body, start))
    }

    /// Whether the body that begins at `start` ends here; consumes its closing brace, or reports that there is none.
    fn ends_body(&mut self, start: Span) -> bool {
        let token = self.peek();
        if token.kind == TokenKind::Punct('}') {
            self.bump();
            return true;
        }
        let is_unclosed = token.kind == TokenKind::End || self.begins_computation(token);
        if is_unclosed {
            let before = self.lexer.source.get(..token.span.start).unwrap_or_default();
            let end = before.trim_end().len();
            let error = Diagnostic::error(start, "hlo-syntax", Message::ops("hlo-unclosed"));
            self.report_with_fix(error, Span::at(end), "\n}");
        }
        is_unclosed
    }

    /// Finishes the computation of a body that begins at `start`, and checks it as a whole.
    pub(super) fn finish_body(&mut self, body: Body, start: Span) -> Computation {
        let mut computation = body.computation;
        computation.span = Span::new(start.start, self.lexer.offset);
        // A module may have many small computations.
        computation.instructions.shrink_to_fit();
        let last = computation.instructions.len().checked_sub(1).map(InstructionId::from_index);
        computation.root = computation.root.or(last);
        computation.depth = 1 + self.max_callee_depth(&computation);
        // The callers of a computation that is too deep are too deep as well.
        if computation.depth > MAX_NESTING_DEPTH && !std::mem::replace(&mut self.is_depth_reported, true) {
            let message = Message::ops("hlo-too-deep").with("limit", MAX_NESTING_DEPTH);
            self.error(start, "hlo-depth", message);
        }
        for diagnostic in verify::number_parameters(&mut computation) {
            self.report(diagnostic);
        }
        computation
    }

    /// Skips a body whose opening brace is consumed.
    fn skip_body(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.lexer.next().kind {
                TokenKind::Punct('{') => depth += 1,
                TokenKind::Punct('}') => depth -= 1,
                TokenKind::End => return,
                _ => {}
            }
        }
    }

    fn max_callee_depth(&self, computation: &Computation) -> usize {
        let callees = computation.instructions.iter().flat_map(|i| i.attrs.computations());
        callees.filter_map(|id| self.module.get(id)).map(|callee| callee.depth).max().unwrap_or(0)
    }
}
