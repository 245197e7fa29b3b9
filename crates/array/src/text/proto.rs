//! Layouts in protobuf's text format, as XLA's document "Shapes and layout" names the fields:
//! `minor_to_major: [0, 1] padded_dimensions: [3, 5] padding_value: ZERO_PAD`.
//!
//! The fields are those of 2017 and those of current XLA that a dense array has. Repeated fields are read in both forms
//! (`minor_to_major: 0 minor_to_major: 1`), and the fields may be within `layout { … }`. Reading never fails, as in
//! [`super::parse`].

use std::fmt::Write;

use super::cursor::Parser;
use super::diagnostics::{DiagnosticSink, insert_message, remove_message, write_message};
use super::lexer::{Kind, lex};
use super::list::TOO_BIG_REPLACEMENT;
use super::{Parsed, parse};
use crate::{Layout, Padding, PaddingValue, Shape, SplitConfig, Tile, TileDim};
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span, sort_by_span};
use xla_messages::i18n::Message;

/// The names of the fields, in the order they are printed.
const FIELDS: [&str; 9] = [
    "minor_to_major",
    "padded_dimensions",
    "padding_value",
    "tiles",
    "element_size_in_bits",
    "memory_space",
    "tail_padding_alignment_in_elements",
    "split_configs",
    "dynamic_shape_metadata_prefix_bytes",
];

/// The number that encodes `*` in a tile.
const COMBINE: i64 = i64::MIN;

/// The result of parsing a layout in protobuf's text format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedLayout {
    /// The layout as far as it could be read; it may break rules.
    pub layout: Layout,
    /// The diagnostics of the text, sorted by span.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a layout in protobuf's text format. Never fails: text that cannot be read is skipped and reported.
///
/// ```
/// use xla_array::text::parse_layout_proto;
/// let parsed = parse_layout_proto("minor_to_major: 0 minor_to_major: 1 padded_dimensions: [3, 5]");
/// assert_eq!(parsed.layout.to_string(), "{0,1} padded[3,5]");
/// ```
pub fn parse_layout_proto(text: &str) -> ParsedLayout {
    let mut diagnostics = DiagnosticSink::new(text);
    let tokens = lex(text, &mut diagnostics);
    let mut parser = Parser::new(text, tokens, diagnostics);
    let mut layout = Layout::new([]);
    parser.layout_fields(&mut layout, None);
    ParsedLayout { layout, diagnostics: parser.diagnostics.into_diagnostics() }
}

/// Reads a shape like [`parse`], and also one whose layout follows in protobuf's text format:
/// `f32[2,3] minor_to_major: [0, 1]`.
///
/// ```
/// let parsed = xla_array::text::parse_spec("f32[2,3] minor_to_major: [0, 1] padded_dimensions: [3, 5]");
/// assert_eq!(parsed.valid().map(|s| s.to_string()).as_deref(), Some("f32[2,3]{0,1} padded[3,5]"));
/// ```
pub fn parse_spec(text: &str) -> Parsed {
    let Some(start) = proto_start(text).filter(|_| text.len() <= super::MAX_TEXT_BYTES) else {
        return parse(text);
    };
    let (head, proto) = text.split_at(start);
    let before = parse(head);
    let Some(Shape::Array(mut array)) = before.shape else { return parse(text) };
    let ParsedLayout { layout, diagnostics } = parse_layout_proto(proto);
    let mut found = before.diagnostics;
    found.extend(diagnostics.into_iter().map(|diagnostic| shifted(diagnostic, start)));
    if layout.minor_to_major.is_empty() && array.rank() > 0 && found.is_empty() {
        let order = repeated("minor_to_major", &Layout::descending(array.rank()).minor_to_major);
        let span = Span::at(start);
        let message = Message::new("text-missing").with("token", "minor_to_major");
        let hint = Hint::replace(insert_message(&order), span, format!("{order} "));
        found.push(Diagnostic::error(span, "text-missing", message).with_hint(hint));
    }
    array.layout = Some(layout);
    let shape = Shape::Array(array);
    // A violation is found, and fixed, in XLA's text of the same shape.
    let printed = shape.to_string();
    let rules = parse(&printed);
    let all = Span::new(0, text.trim_end().len());
    if found.iter().all(|diagnostic| diagnostic.severity == Severity::Warning)
        && let Some(error) = rules.error()
    {
        let fixed = error.hints.iter().find_map(|hint| hint.apply(&printed)).unwrap_or(printed);
        let hint = Hint::replace(write_message(&fixed), all, fixed);
        found.push(Diagnostic::error(all, error.rule, error.message.clone()).with_hint(hint));
    }
    sort_by_span(&mut found, |diagnostic| diagnostic.span);
    Parsed { shape: Some(shape), diagnostics: found, ..Parsed::default() }
}

/// The offset of the fields after the sizes of an array, if there are fields.
fn proto_start(text: &str) -> Option<usize> {
    let sizes_end = text.find(']')? + 1;
    let rest = text.get(sizes_end..)?.trim_start();
    let is_field = |name: &str| {
        let value = rest.strip_prefix(name).map(str::trim_start);
        value.is_some_and(|value| value.starts_with([':', '{', '<', '[', '=']))
    };
    (FIELDS.into_iter().any(is_field) || is_field("layout") || is_field("Layout"))
        .then_some(text.len() - rest.len())
}

/// The diagnostic with all spans shifted by `by` bytes.
fn shifted(mut diagnostic: Diagnostic, by: usize) -> Diagnostic {
    let span = |span: Span| Span::new(span.start + by, span.end + by);
    diagnostic.span = span(diagnostic.span);
    for edit in diagnostic.hints.iter_mut().flat_map(|hint| &mut hint.edits) {
        edit.span = span(edit.span);
    }
    diagnostic
}

impl Parser<'_> {
    /// Reads fields up to the bracket that closes them, or to the end of the text.
    fn layout_fields(&mut self, layout: &mut Layout, close: Option<char>) {
        while self.next_field(close) {
            match &*self.word() {
                "layout" | "Layout" if close.is_none() => {
                    self.bump();
                    if let Some(close) = self.open_message() {
                        self.layout_fields(layout, Some(close));
                    }
                }
                "minor_to_major" => layout.minor_to_major.extend(self.integers()),
                "padded_dimensions" => padding(layout).dimensions.extend(self.integers()),
                "padding_value" => {
                    if let Some(value) = self.padding_name() {
                        padding(layout).value = value;
                    }
                }
                "tiles" => layout.tiles.push(self.proto_tile()),
                "split_configs" => layout.split_configs.push(self.proto_split()),
                "element_size_in_bits" => self.integer(&mut layout.element_size_in_bits),
                "memory_space" => self.integer(&mut layout.memory_space),
                "tail_padding_alignment_in_elements" => self.integer(&mut layout.tail_padding_alignment),
                "dynamic_shape_metadata_prefix_bytes" => {
                    self.integer(&mut layout.dynamic_shape_metadata_prefix_bytes);
                }
                _ => self.unknown_field(&FIELDS),
            }
        }
    }

    /// Advances to the next field; false after the last one.
    fn next_field(&mut self, close: Option<char>) -> bool {
        loop {
            match self.kind() {
                _ if self.diagnostics.is_full() => {
                    self.skip_all();
                    return false;
                }
                Kind::Word => return true,
                Kind::End => {
                    if let Some(close) = close {
                        self.report_missing(&close.to_string(), Span::at(self.prev_token_end));
                    }
                    return false;
                }
                Kind::Punct(mark) if Some(mark) == close => {
                    self.bump();
                    return false;
                }
                // Fields may be separated.
                Kind::Punct(',' | ';') => {
                    self.bump();
                }
                _ => {
                    let span = self.skip_group();
                    self.report_unexpected(span);
                }
            }
        }
    }

    /// Skips an unknown field and its value, and reports it.
    fn unknown_field(&mut self, fields: &[&str]) {
        let name = self.bump().span;
        if self.eat(':') || self.eat('=') || matches!(self.kind(), Kind::Punct('{' | '<' | '[')) {
            self.skip_group();
        }
        let span = Span::new(name.start, self.prev_token_end);
        let message =
            Message::new("text-proto-field").with("name", self.quote(name)).with("fields", fields.join(", "));
        let hint = Hint::replace(remove_message(self.quote(span)), span, "");
        self.diagnostics.error(name, "text-proto-field", message, vec![hint]);
    }

    /// Consumes the colon after a field's name.
    fn colon(&mut self) {
        let token = self.peek();
        match token.kind {
            Kind::Punct(':') => {
                self.bump();
            }
            Kind::Punct('=') => {
                let message = Message::new("text-unexpected").with("text", "=");
                let hint = Hint::replace(write_message(":"), token.span, ":");
                self.diagnostics.error(token.span, "text-unexpected", message, vec![hint]);
                self.bump();
            }
            _ => self.report_missing(":", Span::at(self.prev_token_end)),
        }
    }

    /// Opens the message of a field; its closing bracket.
    fn open_message(&mut self) -> Option<char> {
        self.eat(':');
        let close = match self.kind() {
            Kind::Punct('{') => '}',
            Kind::Punct('<') => '>',
            _ => {
                self.report_missing("{", Span::at(self.prev_token_end));
                return None;
            }
        };
        self.bump();
        Some(close)
    }

    /// The value of a repeated integer: one, or a list in brackets.
    fn integers(&mut self) -> Vec<i64> {
        self.bump();
        if self.kind() != Kind::Punct('[') {
            self.colon();
        }
        let is_number = |kind| matches!(kind, Kind::Int(_) | Kind::TooBig | Kind::BadNumber);
        let is_list = self.eat('[');
        let mut numbers = Vec::new();
        loop {
            let token = self.peek();
            match token.kind {
                kind if is_number(kind) => {
                    self.bump();
                    numbers.extend(self.repaired_numbers(token, TOO_BIG_REPLACEMENT));
                    if !is_list {
                        return numbers;
                    }
                    if is_number(self.kind()) {
                        self.report_missing(",", Span::at(self.prev_token_end));
                    }
                    self.eat(',');
                }
                Kind::Punct(']') if is_list => {
                    self.bump();
                    return numbers;
                }
                _ => {
                    let token = if is_list { "]" } else { "0" };
                    self.report_missing(token, Span::at(self.prev_token_end));
                    return numbers;
                }
            }
        }
    }

    /// The value of an integer field.
    fn integer(&mut self, value: &mut i64) {
        let name = self.peek().span;
        match self.integers().as_slice() {
            [] => {}
            [number] => *value = *number,
            [number, ..] => {
                *value = *number;
                self.report_unexpected(Span::new(name.start, self.prev_token_end));
            }
        }
    }

    /// The value of `padding_value`: a name of the enum, or its number.
    fn padding_name(&mut self) -> Option<PaddingValue> {
        self.bump();
        self.colon();
        let token = self.peek();
        let word = self.word();
        let value = match token.kind {
            Kind::Word => PaddingValue::ALL.into_iter().find(|value| value.proto_name() == word),
            Kind::Int(number) => usize::try_from(number).ok().and_then(|n| PaddingValue::ALL.get(n).copied()),
            _ => {
                self.report_missing(PaddingValue::Zero.proto_name(), Span::at(self.prev_token_end));
                return None;
            }
        };
        if value.is_none() {
            let nearest = PaddingValue::from_word(&word)
                .unwrap_or_else(|| super::words::nearest_padding(word.trim_end_matches("_PAD")));
            let message = Message::new("text-padding-value").with("word", self.quote(token.span));
            let hint = Hint::replace(write_message(nearest.proto_name()), token.span, nearest.proto_name());
            self.diagnostics.error(token.span, "text-padding-value", message, vec![hint]);
        }
        self.bump();
        value
    }

    fn proto_tile(&mut self) -> Tile {
        self.bump();
        let mut tile = Tile::default();
        let Some(close) = self.open_message() else { return tile };
        while self.next_field(Some(close)) {
            if self.word() == "dimensions" {
                let size = |n| if n == COMBINE { TileDim::Combine } else { TileDim::Size(n) };
                tile.0.extend(self.integers().into_iter().map(size));
            } else {
                self.unknown_field(&["dimensions"]);
            }
        }
        tile
    }

    fn proto_split(&mut self) -> SplitConfig {
        self.bump();
        let mut split = SplitConfig { dimension: 0, indices: [].into_iter().collect() };
        let Some(close) = self.open_message() else { return split };
        while self.next_field(Some(close)) {
            match &*self.word() {
                "dimension" => self.integer(&mut split.dimension),
                "split_indices" => split.indices.extend(self.integers()),
                _ => self.unknown_field(&["dimension", "split_indices"]),
            }
        }
        split
    }
}

/// The padding of a layout, without sizes if it has none yet.
fn padding(layout: &mut Layout) -> &mut Padding {
    layout.padding.get_or_insert_with(|| {
        Box::new(Padding { dimensions: [].into_iter().collect(), value: PaddingValue::Invalid })
    })
}

/// `name: [1, 2]`.
fn repeated(name: &str, numbers: &[i64]) -> String {
    format!("{name}: {numbers:?}")
}

impl Layout {
    /// The layout in protobuf's text format, one field per line; fields with their default value are omitted,
    /// and so are those of sparse arrays, which no valid layout has.
    ///
    /// ```
    /// use xla_array::{Layout, PaddingValue};
    /// let layout = Layout::ascending(2).padded([3, 5], PaddingValue::Zero);
    /// let text = "minor_to_major: [0, 1]\npadded_dimensions: [3, 5]\npadding_value: ZERO_PAD\n";
    /// assert_eq!(layout.proto_text(), text);
    /// ```
    pub fn proto_text(&self) -> String {
        let mut lines = Vec::new();
        if !self.minor_to_major.is_empty() {
            lines.push(repeated("minor_to_major", &self.minor_to_major));
        }
        if let Some(Padding { dimensions, value }) = self.padding.as_deref() {
            if !dimensions.is_empty() {
                lines.push(repeated("padded_dimensions", dimensions));
            }
            if *value != PaddingValue::Invalid {
                lines.push(format!("padding_value: {}", value.proto_name()));
            }
        }
        for Tile(sizes) in &self.tiles {
            let number = |size: &TileDim| if let TileDim::Size(n) = size { *n } else { COMBINE };
            let sizes: Vec<i64> = sizes.iter().map(number).collect();
            lines.push(format!("tiles {{ {} }}", repeated("dimensions", &sizes)));
        }
        for (name, number, default) in [
            ("element_size_in_bits", self.element_size_in_bits, 0),
            ("memory_space", self.memory_space, 0),
            ("tail_padding_alignment_in_elements", self.tail_padding_alignment, 1),
            ("dynamic_shape_metadata_prefix_bytes", self.dynamic_shape_metadata_prefix_bytes, 0),
        ] {
            if number != default {
                lines.push(format!("{name}: {number}"));
            }
        }
        for SplitConfig { dimension, indices } in &self.split_configs {
            let indices = repeated("split_indices", indices);
            lines.push(format!("split_configs {{ dimension: {dimension} {indices} }}"));
        }
        lines.iter().fold(String::new(), |mut text, line| {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{line}");
            text
        })
    }
}
