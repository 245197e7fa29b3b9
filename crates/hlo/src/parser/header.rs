//! What stands before the computations: the header with its attributes, and the tables of source locations.

use std::collections::HashSet;

use super::Parser;
use super::nearest::nearest;
use crate::export::hlo_text;
use crate::lexer::TokenKind;
use crate::module::EntryLayout;
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;

/// What the value of a header's attribute is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Layout,
    Bool,
    /// A number of replicas or partitions: positive.
    Count,
    Braces,
    /// `{true,false}` or a bare truth value.
    Bools,
}

/// The attributes of a header. All but the layout are kept as they are written.
const ATTRIBUTES: [(&str, Value); 13] = [
    ("entry_computation_layout", Value::Layout),
    ("is_scheduled", Value::Bool),
    ("alias_passthrough_params", Value::Bool),
    ("replica_count", Value::Count),
    ("num_partitions", Value::Count),
    ("input_output_alias", Value::Braces),
    ("buffer_donor", Value::Braces),
    ("allow_spmd_sharding_propagation_to_parameters", Value::Bools),
    ("allow_spmd_sharding_propagation_to_output", Value::Bools),
    ("frontend_attributes", Value::Braces),
    ("origin_recovery_table", Value::Braces),
    ("debug_attributes", Value::Braces),
    ("stack_frame_index", Value::Braces),
];

/// The tables of source locations.
const TABLES: [&str; 4] = ["FileNames", "FunctionNames", "FileLocations", "StackFrames"];

impl Parser<'_> {
    pub(super) fn header(&mut self) {
        if self.eat_word("HloModule") {
            self.module_name();
        } else {
            let token = self.peek();
            let error = Diagnostic::error(token.span, "hlo-header", Message::engine("hlo-no-header"));
            self.report_with_fix(error, Span::at(token.span.start), "HloModule m\n\n");
        }
        self.tables();
    }

    fn module_name(&mut self) {
        let token = self.peek();
        if token.kind == TokenKind::Name {
            self.bump();
            let name = self.name(token);
            name.clone_into(&mut self.module.name);
        } else {
            self.report_expected("hlo-a-name");
        }
        let mut seen = HashSet::new();
        while self.eat(',') {
            self.charge_entry();
            let token = self.peek();
            if token.kind != TokenKind::AttrName {
                self.report_expected("hlo-an-attribute");
                self.skip_value();
                continue;
            }
            self.bump();
            if !seen.insert(self.text(token.span)) {
                let message = Message::engine("hlo-attribute-twice").with("name", self.text(token.span));
                self.error(token.span, "hlo-attribute", message);
            }
            self.header_attribute(token.span);
        }
    }

    fn header_attribute(&mut self, span: Span) {
        let name = self.text(span);
        let Some((_, kind)) = ATTRIBUTES.iter().find(|(known, _)| *known == name) else {
            self.unknown_header_attribute(span);
            let value = self.raw_value();
            let text = self.raw_text(value);
            self.module.header.push((name.to_owned(), text));
            return;
        };
        if *kind == Value::Layout {
            self.module.entry_layout_at = self.module.header.len();
            self.module.entry_layout = self.entry_layout();
            return;
        }
        let value = self.raw_value();
        let text = self.text(value);
        let (fits, example) = match kind {
            Value::Bool => (matches!(text, "true" | "false"), "true, false"),
            Value::Count => (text.parse::<u32>().is_ok_and(|count| count > 0), "1"),
            Value::Bools => (text.starts_with('{') || matches!(text, "true" | "false"), "{true,false}"),
            Value::Layout | Value::Braces => (text.starts_with('{'), "{…}"),
        };
        if !fits {
            let message = self.expected_message(example, value);
            self.error(value, "hlo-attribute-value", message);
        }
        let text = self.raw_text(value);
        self.module.header.push((name.to_owned(), text));
    }

    /// As for the attributes of ops: near a known name it is a mistake, else something newer than this crate.
    fn unknown_header_attribute(&mut self, span: Span) {
        let name = self.text(span);
        let known = || ATTRIBUTES.iter().map(|(name, _)| *name);
        let near = nearest(name, known());
        if near.is_none() && self.has_enough_warnings() {
            return;
        }
        let message = Message::engine("hlo-attribute-unknown")
            .with("op", "HloModule")
            .with("name", name)
            .with("allowed", known().collect::<Vec<_>>().join(", "));
        let error = Diagnostic::error(span, "hlo-attribute", message);
        match near {
            Some(near) => self.report_with_fix(error, span, near),
            None => self.report(Diagnostic { severity: Severity::Warning, ..error }),
        }
    }

    /// `{(shape, …)->shape}`.
    fn entry_layout(&mut self) -> Option<EntryLayout> {
        let start = self.lexer.offset;
        let layout = self.try_entry_layout();
        if layout.is_none() {
            self.lexer.offset = start;
            self.skip_value();
        }
        layout
    }

    fn try_entry_layout(&mut self) -> Option<EntryLayout> {
        if !self.expect('{') || !self.expect('(') {
            return None;
        }
        let mut parameters = Vec::new();
        while self.kind() != TokenKind::Punct(')') {
            if !self.at_shape() {
                self.report_expected("hlo-a-shape");
                return None;
            }
            let (shape, span) = self.shape();
            let shape = shape?;
            self.charge_operand(parameters.len());
            self.charge_written(&shape, span);
            parameters.push(shape);
            if !self.eat(',') {
                break;
            }
        }
        if !self.expect(')') {
            return None;
        }
        let arrow = self.peek();
        if arrow.kind != TokenKind::Arrow {
            let message = self.expected_message("->", arrow.span);
            let hint = Message::engine("op-hint-write").with("text", "->");
            let error = Diagnostic::error(arrow.span, "hlo-syntax", message);
            self.report(error.hint(Hint::replace(hint, Span::at(arrow.span.start), "->")));
            return None;
        }
        self.bump();
        if !self.at_shape() {
            self.report_expected("hlo-a-shape");
            return None;
        }
        let (result, span) = self.shape();
        let result = result?;
        self.charge_written(&result, span);
        self.expect('}').then_some(EntryLayout { parameters, result })
    }

    /// The tables of source locations, kept as they are.
    fn tables(&mut self) {
        let start = self.peek().span.start;
        let mut end = start;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Name if TABLES.contains(&self.text(token.span)) => {
                    self.bump();
                }
                TokenKind::Int | TokenKind::String if end > start => {
                    self.bump();
                }
                TokenKind::Punct('{') if end > start => {
                    self.bump();
                    self.skip_group();
                }
                _ => break,
            }
            end = self.lexer.offset;
        }
        self.module.tables = hlo_text(self.text(Span::new(start, end)));
    }
}
