//! Parses attribute values, by kind.

use smallvec::SmallVec;

use super::nearest::nearest;
use super::parsed::MAX_DIAGNOSTICS;
use super::state::Parser;
use crate::lexer::TokenKind;
use crate::lowering::arguments::parse_padding;
use crate::lowering::dimension::letter_dimension;
use xla_array::Dims;
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::ComputationId;
use xla_ops::attrs::{AttrKind, AttrSpec, AttrValue, PaddingDim, SliceDim, WindowDim};

/// Maximum number of a window's dimensions, far above the rank of any array that fits in memory.
const MAX_WINDOW_DIMENSIONS: usize = 64;

impl Parser<'_> {
    /// Parses a value of a kind; if it is malformed, reports it and skips it.
    pub(super) fn attr_value(&mut self, spec: &AttrSpec) -> Option<AttrValue> {
        self.value_or_skip(|parser| match spec.kind {
            AttrKind::Ints if spec.dimensions_of.is_some() => {
                Some(AttrValue::Ints(parser.braced(Self::dimension)?.into_iter().collect()))
            }
            AttrKind::Int if spec.dimensions_of.is_some() => Some(AttrValue::Int(parser.dimension()?)),
            kind => parser.try_value(kind),
        })
    }

    /// Parses dimensions, which may be letters.
    pub(super) fn dimensions(&mut self) -> Option<Dims> {
        self.value_or_skip(|parser| Some(parser.braced(Self::dimension)?.into_iter().collect()))
    }

    /// Parses a list of sizes in an attribute.
    pub(super) fn sizes(&mut self) -> Option<Dims> {
        self.value_or_skip(Self::ints)
    }

    /// Parses a value; if `parse` fails, which it has reported, skips the value.
    pub(super) fn value_or_skip<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.peek().span.start;
        let value = parse(self);
        if value.is_none() {
            // Skip from the start of the value, so that brackets match.
            self.charge_work(self.lexer.offset.saturating_sub(start) / 8);
            self.lexer.offset = start;
            self.skip_value();
        }
        value
    }

    /// Parses a dimension: a number, or a letter, which counts from the end.
    fn dimension(&mut self) -> Option<i64> {
        let token = self.peek();
        let letter = letter_dimension(self.text(token.span)).filter(|_| token.kind == TokenKind::Name);
        if letter.is_some() {
            self.bump();
            return letter;
        }
        self.int()
    }

    fn try_value(&mut self, kind: AttrKind) -> Option<AttrValue> {
        Some(match kind {
            AttrKind::Ints => AttrValue::Ints(self.ints()?),
            AttrKind::IntLists => return self.int_lists(),
            AttrKind::Int | AttrKind::Number => AttrValue::Int(self.int()?),
            AttrKind::Float => {
                let token = self.bump();
                let text = self.text(token.span);
                let is_number = matches!(token.kind, TokenKind::Int | TokenKind::Float);
                // The payload of a NaN is dropped.
                let number = text.split_once('(').map_or(text, |(number, _)| number);
                let Some(value) = number.parse().ok().filter(|_| is_number) else {
                    return self.report_value("1.5", token.span);
                };
                AttrValue::Float(value)
            }
            AttrKind::Bool => {
                let token = self.bump();
                match self.text(token.span) {
                    "true" => AttrValue::Bool(true),
                    "false" => AttrValue::Bool(false),
                    _ => return self.report_value("true, false", token.span),
                }
            }
            AttrKind::Keyword(words) => {
                let token = self.bump();
                let text = self.text(token.span);
                match words.iter().find(|word| **word == text) {
                    Some(word) => AttrValue::Keyword(word),
                    None => return self.report_value(&words.join(", "), token.span),
                }
            }
            AttrKind::Padding => AttrValue::Padding(self.padding()?),
            AttrKind::Window => AttrValue::Window(self.window()?),
            AttrKind::DimLabels => {
                let token = self.bump();
                if token.kind != TokenKind::DimLabels {
                    return self.report_value("bf01_oi01->bf01", token.span);
                }
                AttrValue::DimLabels(self.text(token.span).parse().ok()?)
            }
            AttrKind::Slice => AttrValue::Slice(self.slice()?),
            AttrKind::Computation => AttrValue::Computation(self.callee()?),
            AttrKind::Computations => AttrValue::Computations(self.braced(Self::callee)?),
            AttrKind::String => {
                let token = self.bump();
                if token.kind != TokenKind::String {
                    return self.report_value("\"…\"", token.span);
                }
                AttrValue::from_bytes(&self.quoted(token)?)
            }
            AttrKind::Text | AttrKind::Literal => {
                let span = self.raw_value();
                AttrValue::Text(self.raw_text(span))
            }
        })
    }

    /// Reports that a value of the form `expected` is required here.
    fn report_value<T>(&mut self, expected: &str, span: Span) -> Option<T> {
        let message = self.expected_message(expected, span);
        self.error(span, "hlo-attribute-value", message);
        None
    }

    fn int(&mut self) -> Option<i64> {
        let token = self.bump();
        let text = self.text(token.span);
        // Numbers above `i64::MAX` are stored as the bits of a `u64`.
        let value = text.parse::<i64>().or_else(|_| text.parse::<u64>().map(u64::cast_signed));
        match value {
            Ok(value) if token.kind == TokenKind::Int => Some(value),
            _ => self.report_value("1", token.span),
        }
    }

    /// Parses `{item, …}`; commas between items are optional.
    pub(super) fn braced<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        if !self.eat('{') {
            self.report_missing_brace();
            return None;
        }
        let mut items = Vec::new();
        while !self.eat('}') {
            if self.kind() == TokenKind::End {
                self.expect('}');
                return None;
            }
            self.charge_list_item();
            items.push(item(self)?);
            self.eat(',');
        }
        Some(items)
    }

    fn ints(&mut self) -> Option<Dims> {
        Some(self.braced(Self::int)?.into_iter().collect())
    }

    /// Parses `{{0,1},{2}}`; the iota form `[2,4]<=[8]` and `mesh["a"=2,"b"=4] {"a"}` are stored as text.
    fn int_lists(&mut self) -> Option<AttrValue> {
        if self.kind() == TokenKind::Punct('{') {
            return Some(AttrValue::IntLists(self.braced(Self::ints)?));
        }
        let start = self.peek().span.start;
        if self.eat_word("mesh") {
            let mut is_closed = self.skip_closed('[');
            if self.eat(',') && self.kind() == TokenKind::AttrName {
                self.bump();
                is_closed &= self.skip_closed('(');
                self.eat(',');
            }
            if !is_closed || !self.skip_closed('{') {
                return None;
            }
            return Some(AttrValue::Text(self.raw_text(Span::new(start, self.lexer.offset))));
        }
        let span = self.raw_value();
        Some(AttrValue::Text(self.raw_text(span)))
    }

    /// Skips a group with this opening bracket; reports a missing bracket.
    fn skip_closed(&mut self, open: char) -> bool {
        self.expect(open) && self.skip_group()
    }

    /// Parses the name of a preceding computation, or an inline body.
    fn callee(&mut self) -> Option<ComputationId> {
        let token = self.peek();
        if token.kind == TokenKind::Punct('{') {
            self.bump();
            return self.inline_body(token.span);
        }
        if !token.kind.is_name() {
            self.report_expected("hlo-a-computation");
            return None;
        }
        self.bump();
        let word = self.text(token.span);
        let name = word.trim_start_matches('%');
        let callee = self.computations.get(name).copied();
        if callee.is_none() {
            let message = Message::ops("hlo-computation").with("name", name);
            let error = Diagnostic::error(token.span, "hlo-computation", message);
            if self.missing_callees.len() < MAX_DIAGNOSTICS {
                self.missing_callees.push((token.span, self.computation_start));
            }
            let count = self.budget.grant_comparisons(self.module.computations.len());
            let names = self.module.computations.iter().rev().take(count).map(|c| c.name.as_str());
            let suggestion = nearest(name, names.filter(|name| !name.is_empty()));
            // With a single computation above, there is no doubt which one is meant.
            let only = || {
                let mut above = self.module.computations.iter().filter(|c| !c.name.is_empty());
                above.next().filter(|_| above.next().is_none()).map(|c| c.name.as_str())
            };
            match suggestion.or_else(only).map(str::to_owned) {
                Some(suggestion) => {
                    let percent = if word.starts_with('%') { "%" } else { "" };
                    self.report_with_fix(error, token.span, format!("{percent}{suggestion}"));
                }
                None => self.report(error.with_hint(Hint::advice(Message::ops("hlo-hint-callee")))),
            }
        }
        callee
    }

    /// Parses `1_2_0x0_0_1`. Like in XLA, the empty padding of a scalar is an error.
    fn padding(&mut self) -> Option<SmallVec<[PaddingDim; 4]>> {
        let token = self.bump();
        let example = "1_1x0_0_1";
        if token.kind != TokenKind::Padding {
            return self.report_value(example, token.span);
        }
        let dims: Option<_> = self.text(token.span).split('x').map(parse_padding_dim).collect();
        dims.or_else(|| self.report_value(example, token.span))
    }

    /// Parses `{[0:4], [1:3:2]}`.
    fn slice(&mut self) -> Option<SmallVec<[SliceDim; 4]>> {
        let ranges = self.braced(|parser| {
            let start = parser.peek().span.start;
            if !parser.expect('[') {
                return None;
            }
            let mut numbers = vec![parser.int()?];
            while parser.eat(':') {
                numbers.push(parser.int()?);
            }
            if !parser.expect(']') {
                return None;
            }
            match numbers[..] {
                [start, limit] => Some(SliceDim { start, limit, stride: 1 }),
                [start, limit, stride] => Some(SliceDim { start, limit, stride }),
                _ => parser.report_value("[start:limit:stride]", Span::new(start, parser.lexer.offset)),
            }
        })?;
        Some(ranges.into_iter().collect())
    }

    /// Parses `{size=2x3 stride=2x2 pad=0_0x1_1 …}`.
    fn window(&mut self) -> Option<SmallVec<[WindowDim; 2]>> {
        if !self.expect('{') {
            return None;
        }
        let mut window: SmallVec<[WindowDim; 2]> = SmallVec::new();
        let (start, mut fields) = (self.lexer.offset, Vec::new());
        while !self.eat('}') {
            self.eat(',');
            let token = self.bump();
            if token.kind != TokenKind::AttrName {
                return self.report_value(
                    "size=, stride=, pad=, lhs_dilate=, rhs_dilate=, rhs_reversal=",
                    token.span,
                );
            }
            let value = self.bump();
            let (field, text) = (self.text(token.span), self.text(value.span));
            if fields.contains(&field) {
                return self.report_value("size=2x3 stride=1x1 pad=0_0x1_1", token.span);
            }
            fields.push(field);
            if field == "pad" && parse_padding(text).is_some() {
                self.named_padding = parse_padding(text);
                continue;
            }
            let parts: Vec<&str> = text.split('x').collect();
            if window.is_empty() {
                window.resize(parts.len().min(MAX_WINDOW_DIMENSIONS), WindowDim::default());
            }
            if parts.len() != window.len() {
                let expected = vec!["1"; window.len()].join("x");
                return self.report_value(&expected, value.span);
            }
            for (dim, part) in window.iter_mut().zip(parts) {
                if set_window_field(dim, field, part).is_none() {
                    return self.report_value("size=2x3 stride=1x1 pad=0_0x1_1", token.span.join(value.span));
                }
            }
        }
        if !fields.is_empty() && !fields.contains(&"size") {
            return self.report_value("size=", Span::new(start, self.lexer.offset));
        }
        Some(window)
    }
}

fn parse_padding_dim(text: &str) -> Option<PaddingDim> {
    let numbers: Vec<i64> = text.split('_').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [low, high] => Some(PaddingDim { low, high, interior: 0 }),
        [low, high, interior] => Some(PaddingDim { low, high, interior }),
        _ => None,
    }
}

fn set_window_field(dim: &mut WindowDim, field: &str, text: &str) -> Option<()> {
    let number = || text.parse::<i64>().ok();
    match field {
        "size" => dim.size = number()?,
        "stride" => dim.stride = number()?,
        "lhs_dilate" => dim.base_dilation = number()?,
        "rhs_dilate" => dim.window_dilation = number()?,
        "rhs_reversal" => dim.reversal = number()? == 1,
        "pad" => {
            let PaddingDim { low, high, .. } = parse_padding_dim(text)?;
            (dim.pad_low, dim.pad_high) = (low, high);
        }
        _ => return None,
    }
    Some(())
}
