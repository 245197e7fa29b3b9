//! The header of a module, its tables, and computations.

use std::collections::HashMap;

use super::{DEEPEST, Parser};
use crate::array::shape_util;
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::hlo::lexer::{Kind, Token};
use crate::hlo::module::{Computation, EntryLayout, InstructionId};
use crate::hlo::verify;
use crate::i18n::Message;
use crate::ops::ComputationId;

/// A body while it is read.
#[derive(Default)]
pub(super) struct Body {
    pub computation: Computation,
    /// Instructions by name.
    pub names: HashMap<String, InstructionId>,
    /// Where each parameter number was read first.
    pub root: Option<Span>,
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
        }
    }
}

impl Parser<'_> {
    pub(super) fn module(&mut self) {
        if self.eat_word("HloModule") {
            self.header();
        } else {
            let token = self.peek();
            let hint = Message::engine("op-hint-write").with("text", "HloModule m");
            let error = Diagnostic::error(token.span, "hlo-header", Message::engine("hlo-no-header"));
            self.tell(error.hint(Hint::replace(hint, Span::at(token.span.start), "HloModule m\n\n")));
        }
        self.tables();
        let mut entry: Option<Span> = None;
        while self.kind() != Kind::End {
            let start = self.peek();
            let is_entry = self.eat_word("ENTRY");
            let Some(id) = self.computation(start) else { continue };
            if is_entry {
                if entry.replace(start.span).is_some() {
                    self.error(start.span, "hlo-entry", Message::engine("hlo-two-entries"));
                }
                self.module.entry = Some(id);
            } else if entry.is_none() {
                // Without a mark it is the last one.
                self.module.entry = Some(id);
            }
        }
        if self.module.entry.is_none() {
            let end = Span::at(self.lexer.source.len());
            self.error(end, "hlo-entry", Message::engine("hlo-no-entry"));
        }
        for diagnostic in verify::interface(&self.module).into_iter().chain(verify::streams(&self.module)) {
            self.tell(diagnostic);
        }
    }

    fn header(&mut self) {
        let token = self.peek();
        if token.kind == Kind::Name {
            self.bump();
            self.module.name = self.text(token.span).trim_start_matches('%').to_owned();
        } else {
            self.expected("a name");
        }
        while self.eat(',') {
            let token = self.peek();
            if token.kind != Kind::AttrName {
                self.expected("name=");
                self.raw_value();
                continue;
            }
            self.bump();
            let name = self.text(token.span);
            if name == "entry_computation_layout" {
                self.module.entry_layout_at = self.module.header.len();
                self.module.entry_layout = self.entry_layout();
            } else {
                let value = self.raw_value();
                self.module.header.push((name.to_owned(), self.text(value).to_owned()));
            }
        }
    }

    /// `{(shape, …)->shape}`.
    fn entry_layout(&mut self) -> Option<EntryLayout> {
        if !self.expect('{') || !self.expect('(') {
            self.raw_value();
            return None;
        }
        let mut parameters = Vec::new();
        while !matches!(self.kind(), Kind::Mark(')') | Kind::End) {
            if !self.at_shape() {
                self.expected("a shape");
                self.skip_group();
                self.skip_group();
                return None;
            }
            parameters.extend(self.shape().0);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(')');
        if self.kind() == Kind::Arrow {
            self.bump();
        } else {
            self.expected("->");
        }
        let result = if self.at_shape() { self.shape().0 } else { None };
        if result.is_none() {
            self.expected("a shape");
        }
        if !self.expect('}') {
            self.skip_group();
        }
        Some(EntryLayout { parameters, result: result? })
    }

    /// The tables of source locations, kept as they are.
    fn tables(&mut self) {
        let start = self.peek().span.start;
        let mut end = start;
        loop {
            let token = self.peek();
            let known = ["FileNames", "FunctionNames", "FileLocations", "StackFrames"];
            match token.kind {
                Kind::Name if known.contains(&self.text(token.span)) => {
                    self.bump();
                }
                Kind::Int | Kind::String if end > start => {
                    self.bump();
                }
                Kind::Mark('{') if end > start => {
                    self.bump();
                    self.skip_group();
                }
                _ => break,
            }
            end = self.lexer.at;
        }
        self.text(Span::new(start, end)).clone_into(&mut self.module.tables);
    }

    /// A computation, from its name on. `None` where there is nothing like one; something was skipped then.
    fn computation(&mut self, start: Token) -> Option<ComputationId> {
        let token = self.peek();
        if token.kind != Kind::Name {
            self.expected("a computation");
            self.bump();
            self.recover_computation();
            return None;
        }
        self.bump();
        let name = self.text(token.span).trim_start_matches('%').to_owned();
        let mut signature = None;
        if self.eat('(') {
            signature = self.signature();
        }
        if !self.expect('{') {
            self.recover_computation();
            return None;
        }
        if self.module.find(&name).is_some() {
            let message = Message::engine("hlo-name-twice").with("name", name.as_str());
            self.error(token.span, "hlo-name", message);
        }
        let mut computation = self.body(start.span)?;
        computation.name = name;
        while self.eat(',') {
            let token = self.bump();
            let value = self.raw_value();
            computation.annotations.push((self.text(token.span).to_owned(), self.text(value).to_owned()));
        }
        if let Some((written, span)) = signature
            && let Some(root) = computation.root_instruction()
            && !root.is_broken
            && !shape_util::compatible(&written, &root.shape)
        {
            let message = Message::engine("op-result-differs")
                .with("inferred", root.shape.human_string())
                .with("written", written.human_string());
            self.error(span, "hlo-signature", message);
        }
        Some(self.add(computation))
    }

    fn add(&mut self, computation: Computation) -> ComputationId {
        self.module.computations.push(computation);
        // A text is too short for more computations than fit.
        ComputationId(u32::try_from(self.module.computations.len() - 1).unwrap_or(u32::MAX))
    }

    /// `name: shape, …) -> shape`; only the result counts.
    fn signature(&mut self) -> Option<(crate::array::Shape, Span)> {
        self.skip_group();
        if self.kind() == Kind::Arrow {
            self.bump();
        } else {
            self.expected("->");
            return None;
        }
        if !self.at_shape() {
            self.expected("a shape");
            return None;
        }
        let (shape, span) = self.shape();
        Some((shape?, span))
    }

    /// Goes to the next line that begins with `ENTRY` or a name and ends in a brace, as a computation does.
    fn recover_computation(&mut self) {
        loop {
            let token = self.peek();
            if token.kind == Kind::End {
                return;
            }
            if token.kind == Kind::Name && self.begins_line(token) {
                let rest = self.lexer.source.get(token.span.start..).unwrap_or_default();
                if rest.lines().next().is_some_and(|line| line.trim_end().ends_with('{')) {
                    return;
                }
            }
            self.bump();
        }
    }

    /// A body written in place of a computation's name, from behind its brace on.
    pub(super) fn inline(&mut self, open: Span) -> Option<ComputationId> {
        let computation = self.body(open)?;
        Some(self.add(computation))
    }

    /// The instructions of a body, from behind its brace to behind the one that closes it.
    fn body(&mut self, start: Span) -> Option<Computation> {
        if self.depth >= DEEPEST {
            let message = Message::engine("hlo-too-deep").with("limit", DEEPEST);
            self.error(start, "hlo-depth", message);
            self.skip_group();
            return None;
        }
        self.depth += 1;
        let mut body = Body::default();
        loop {
            match self.kind() {
                Kind::Mark('}') => {
                    self.bump();
                    break;
                }
                Kind::End => {
                    let end = self.lexer.source.trim_end().len();
                    let hint = Message::engine("op-hint-write").with("text", "}");
                    let error = Diagnostic::error(start, "hlo-syntax", Message::engine("hlo-unclosed"));
                    self.tell(error.hint(Hint::replace(hint, Span::at(end), "\n}")));
                    break;
                }
                _ => self.instruction(&mut body),
            }
        }
        self.depth -= 1;
        let mut computation = body.computation;
        computation.span = Span::new(start.start, self.lexer.at);
        let last = u32::try_from(computation.instructions.len()).ok().and_then(|n| n.checked_sub(1));
        computation.root = computation.root.or(last.map(InstructionId));
        computation.depth = 1 + self.deepest_callee(&computation);
        if computation.depth > DEEPEST {
            let message = Message::engine("hlo-too-deep").with("limit", DEEPEST);
            self.error(start, "hlo-depth", message);
        }
        for diagnostic in verify::computation(&mut computation) {
            self.tell(diagnostic);
        }
        Some(computation)
    }

    fn deepest_callee(&self, computation: &Computation) -> usize {
        let callees = computation.instructions.iter().flat_map(|i| i.attrs.computations());
        callees.filter_map(|id| self.module.get(id)).map(|callee| callee.depth).max().unwrap_or(0)
    }
}
