//! The module header with its attributes, and the tables of source locations.

use std::collections::HashSet;

use super::nearest::nearest;
use super::state::Parser;
use crate::export::hlo_text;
use crate::lexer::TokenKind;
use crate::locations::Locations;
use crate::module::EntryLayout;
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;

/// The syntax of a header attribute's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Layout,
    Bool,
    /// A positive number of replicas or partitions.
    Count,
    Braces,
    /// `{true,false}` or a single Boolean.
    Bools,
}

/// The attributes of a header. All but the layout are stored as text.
const ATTRIBUTES: [(&str, ValueKind); 13] = [
    ("entry_computation_layout", ValueKind::Layout),
    ("is_scheduled", ValueKind::Bool),
    ("alias_passthrough_params", ValueKind::Bool),
    ("replica_count", ValueKind::Count),
    ("num_partitions", ValueKind::Count),
    ("input_output_alias", ValueKind::Braces),
    ("buffer_donor", ValueKind::Braces),
    ("allow_spmd_sharding_propagation_to_parameters", ValueKind::Bools),
    ("allow_spmd_sharding_propagation_to_output", ValueKind::Bools),
    ("frontend_attributes", ValueKind::Braces),
    ("origin_recovery_table", ValueKind::Braces),
    ("debug_attributes", ValueKind::Braces),
    ("stack_frame_index", ValueKind::Braces),
];

/// The keywords of the tables of source locations.
const TABLES: [&str; 4] = ["FileNames", "FunctionNames", "FileLocations", "StackFrames"];

/// The name of the language of text that is not HLO, if the text begins like a jaxpr or like LLVM IR.
fn other_language(text: &str) -> Option<&'static str> {
    const LLVM_BEGINNINGS: [&str; 7] = [
        "; ModuleID",
        "source_filename",
        "target datalayout",
        "target triple",
        "define ",
        "declare ",
        "attributes #",
    ];
    let text = text.trim_start();
    // Functions that a jaxpr calls may be defined before it.
    let is_definition = text.starts_with("let ") && text.contains("{ lambda ");
    if is_definition || text.starts_with("{ lambda ") || text.starts_with("{lambda ") {
        return Some("jaxpr");
    }
    LLVM_BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)).then_some("LLVM IR")
}

impl Parser<'_> {
    pub(super) fn header(&mut self) {
        if self.eat_word("HloModule") {
            self.module_name();
        } else {
            let token = self.peek();
            if let Some(language) = other_language(self.lexer.source) {
                let message = Message::ops("hlo-other-language").with("language", language);
                let hint = Hint::advice(Message::ops("hlo-hint-export"));
                self.report(Diagnostic::error(token.span, "hlo-header", message).with_hint(hint));
                return self.lexer.abort();
            }
            let error = Diagnostic::error(token.span, "hlo-header", Message::ops("hlo-no-header"));
            self.report_with_fix(error, Span::at(token.span.start), "HloModule m\n\n");
        }
        self.tables();
    }

    fn module_name(&mut self) {
        let token = self.peek();
        if token.kind.is_name() {
            self.bump();
            let name = self.name(token);
            name.clone_into(&mut self.module.name);
        } else {
            self.report_expected("hlo-a-name");
        }
        let mut names = HashSet::new();
        while self.eat(',') {
            self.charge_list_item();
            let token = self.peek();
            if token.kind != TokenKind::AttrName {
                self.report_expected("hlo-an-attribute");
                self.skip_value();
                continue;
            }
            self.bump();
            if !names.insert(self.text(token.span)) {
                let message = Message::ops("hlo-attribute-twice").with("name", self.text(token.span));
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
        if *kind == ValueKind::Layout {
            self.module.entry_layout_at = self.module.header.len();
            self.module.entry_layout = self.entry_layout();
            return;
        }
        let errors = self.errors;
        let value = self.raw_value();
        let text = self.text(value);
        let (is_valid, example) = match kind {
            ValueKind::Bool => (matches!(text, "true" | "false"), "true, false"),
            ValueKind::Count => (text.parse::<u32>().is_ok_and(|count| count > 0), "1"),
            ValueKind::Bools => (text.starts_with('{') || matches!(text, "true" | "false"), "{true,false}"),
            ValueKind::Layout | ValueKind::Braces => (text.starts_with('{'), "{…}"),
        };
        if !is_valid {
            let message = self.expected_message(example, value);
            self.error(value, "hlo-attribute-value", message);
        }
        let text = self.raw_text(value);
        if is_valid && self.errors == errors {
            self.check_annotation(name, value, None);
        }
        self.module.header.push((name.to_owned(), text));
    }

    /// Reports an unknown attribute: an error if it is similar to a known one, else a warning, since XLA may have added
    /// it.
    fn unknown_header_attribute(&mut self, span: Span) {
        let name = self.text(span);
        let known = || ATTRIBUTES.iter().map(|(name, _)| *name);
        let suggestion = nearest(name, known());
        if suggestion.is_none() && self.warning_limit_reached() {
            return;
        }
        let message = Message::ops("hlo-attribute-unknown")
            .with("op", "HloModule")
            .with("name", name)
            .with("allowed", known().collect::<Vec<_>>().join(", "));
        let error = Diagnostic::error(span, "hlo-attribute", message);
        match suggestion {
            Some(suggestion) => self.report_with_fix(error, span, suggestion),
            None => self.report(Diagnostic { severity: Severity::Warning, ..error }),
        }
    }

    /// Parses `{(shape, …)->shape}`.
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
            self.charge_written_shape(&shape, span);
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
            let hint = Message::ops("op-hint-write").with("text", "->");
            let error = Diagnostic::error(arrow.span, "hlo-syntax", message);
            self.report(error.with_hint(Hint::replace(hint, Span::at(arrow.span.start), "->")));
            return None;
        }
        self.bump();
        if !self.at_shape() {
            self.report_expected("hlo-a-shape");
            return None;
        }
        let (result, span) = self.shape();
        let result = result?;
        self.charge_written_shape(&result, span);
        self.expect('}').then_some(EntryLayout { parameters, result })
    }

    /// Parses the tables of source locations, and stores their text for printing.
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
        let text = self.text(Span::new(start, end));
        match Locations::parse(text) {
            Ok(locations) => self.module.locations = locations,
            Err(span) => {
                let span = Span::new(start + span.start, start + span.end);
                self.error(span, "hlo-tables", Message::ops("hlo-tables"));
            }
        }
        self.module.tables = hlo_text(text);
    }
}
