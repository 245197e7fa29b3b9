//! The properties of a layout, each with the cursor after its letter: `T(…)(…)`, `E(n)`, `#(type)`, `SC(…)` …
//!
//! A mistake is reported as [`recoverable`](super::diagnostics::DiagnosticSink::recoverable) only where XLA's parser would
//! continue after it.

use smallvec::SmallVec;

use super::cursor::Parser;
use super::diagnostics::{insert_message, remove_message, write_message};
use super::lexer::Kind;
use super::list::{Entry, ListKind, MissingClose, Opened, TOO_BIG_REPLACEMENT};
use super::spans::ArraySpans;
use crate::{ElementType, Layout, Shape, SplitConfig, Tile, TileDim};
use xla_messages::diagnostic::{Hint, Span};
use xla_messages::i18n::Message;

impl Parser<'_> {
    /// Reports a property without a value, which XLA ignores.
    fn report_missing_value(&mut self, head: Span) {
        let span = Span::new(head.start, self.prev_token_end);
        let quoted = self.quote(span);
        let message = Message::new("text-property-value").with("property", self.quote(head));
        let hint = Hint::replace(remove_message(quoted), span, "");
        self.diagnostics.recoverable(span, "text-property-value", message, vec![hint]);
    }

    /// `(…)(…)` after `T`.
    pub fn tiles(&mut self, head: Span, layout: &mut Layout, spans: &mut ArraySpans) {
        let from = self.peek().span.start;
        match self.open('(', ')') {
            Opened::No if matches!(self.kind(), Kind::Int(_) | Kind::TooBig | Kind::BadNumber) => {
                self.report_missing("(", Span::at(self.prev_token_end));
                self.tile(from, None, layout, spans);
            }
            Opened::No => {
                layout.tiles.push(Tile(SmallVec::new()));
                spans.tiles.push((head, Vec::new()));
                self.report_missing_value(head);
            }
            opened => self.tile(from, opened.close_of_wrong_open(), layout, spans),
        }
        while self.kind() == Kind::Punct('(') {
            let from = self.bump().span.start;
            self.tile(from, None, layout, spans);
        }
    }

    /// The sizes of one tile, with the cursor after its opening bracket; `close_of_wrong_open` is as in [`Parser::list`].
    pub fn tile(
        &mut self,
        from: usize,
        close_of_wrong_open: Option<char>,
        layout: &mut Layout,
        spans: &mut ArraySpans,
    ) {
        let (entries, _) = self.list(ListKind::Tile, close_of_wrong_open, MissingClose::Unreported);
        let mut tile = Tile::default();
        let mut size_spans = Vec::new();
        for (entry, span) in entries {
            tile.0.push(if let Entry::Int(n) = entry { TileDim::Size(n) } else { TileDim::Combine });
            size_spans.push(span);
        }
        layout.tiles.push(tile);
        spans.tiles.push((Span::new(from, self.prev_token_end), size_spans));
    }

    /// `(n)` after a letter.
    pub fn property_number(&mut self, head: Span) -> Option<i64> {
        let number = |kind| matches!(kind, Kind::Int(_) | Kind::TooBig | Kind::BadNumber);
        let opened = self.open('(', ')');
        if opened == Opened::No {
            if !number(self.kind()) {
                self.report_missing_value(head);
                return None;
            }
            self.report_missing("(", Span::at(self.prev_token_end));
        }
        if !number(self.kind()) {
            let closing = opened.close_of_wrong_open().unwrap_or(')');
            if self.kind() == Kind::Punct(')') || self.kind() == Kind::Punct(closing) {
                self.bump();
                self.report_missing_value_error(head);
            } else if matches!(self.kind(), Kind::Punct('}') | Kind::End) || self.at_property() {
                self.report_missing_value(head);
            } else {
                self.skip_rest_of_property(closing);
                self.report_missing_value_error(head);
            }
            return None;
        }
        let token = self.bump();
        let value = self.repaired_numbers(token, TOO_BIG_REPLACEMENT).first().copied();
        self.close_property(opened.close_of_wrong_open());
        value
    }

    /// Reports a property without a value where XLA's parser stops: `S()`.
    fn report_missing_value_error(&mut self, head: Span) {
        let span = Span::new(head.start, self.prev_token_end);
        let message = Message::new("text-property-value").with("property", self.quote(head));
        let hint = Hint::replace(remove_message(self.quote(span)), span, "");
        self.diagnostics.error(span, "text-property-value", message, vec![hint]);
    }

    /// Skips the rest of a property including `closing`, its closing bracket; never past the layout.
    fn skip_rest_of_property(&mut self, closing: char) {
        while !matches!(self.kind(), Kind::End | Kind::Punct('}' | ')'))
            && self.kind() != Kind::Punct(closing)
        {
            self.bump();
        }
        if self.kind() != Kind::Punct('}') || closing == '}' {
            self.bump();
        }
    }

    /// Reads the `)` of a property, or the bracket that closes its wrong opening bracket.
    fn close_property(&mut self, close_of_wrong_open: Option<char>) {
        let token = self.peek();
        match token.kind {
            Kind::Punct(c) if c == ')' || Some(c) == close_of_wrong_open => {
                self.bump();
            }
            Kind::Punct(']') => {
                let message = Message::new("text-bracket").with("found", "]").with("token", ")");
                let hint = Hint::replace(write_message(")"), token.span, ")");
                self.diagnostics.error(token.span, "text-bracket", message, vec![hint]);
                self.bump();
            }
            Kind::Punct('}') | Kind::End => self.report_missing_close(),
            _ if self.at_property() => self.report_missing_close(),
            _ => {
                let from = token.span.start;
                while !matches!(self.kind(), Kind::End | Kind::Punct('}' | ')')) {
                    self.bump();
                }
                self.report_unexpected(Span::new(from, self.prev_token_end));
                if !self.eat(')') {
                    self.report_missing_close();
                }
            }
        }
    }

    fn report_missing_close(&mut self) {
        let span = Span::at(self.prev_token_end);
        let message = Message::new("text-missing").with("token", ")");
        self.diagnostics.recoverable(
            span,
            "text-missing",
            message,
            vec![Hint::replace(insert_message(")"), span, ")")],
        );
    }

    /// `(type)` after `#` or `*`; XLA accepts it without either bracket, and without the type.
    pub fn property_type(&mut self, head: Span) -> Option<ElementType> {
        let open = self.eat('(');
        let token = self.peek();
        let found = if token.kind == Kind::Word && !self.at_property() {
            let word = self.word().into_owned();
            self.bump();
            Some(ElementType::from_name(&word).filter(|t| t.is_integral()))
        } else {
            None
        };
        let closed = self.eat(')');
        match found {
            Some(Some(element_type)) => {
                if !open {
                    let span = Span::at(token.span.start);
                    let message = Message::new("text-missing").with("token", "(");
                    let hint = Hint::replace(insert_message("("), span, "(");
                    self.diagnostics.recoverable(span, "text-missing", message, vec![hint]);
                }
                if !closed {
                    self.report_missing_close();
                }
                Some(element_type)
            }
            Some(None) => {
                let span = Span::new(head.start, self.prev_token_end);
                let message = Message::new("text-property-type").with("type", self.quote(token.span));
                let hint = Hint::replace(remove_message(self.quote(span)), span, "");
                self.diagnostics.error(token.span, "text-property-type", message, vec![hint]);
                None
            }
            None => {
                self.report_missing_value(head);
                None
            }
        }
    }

    /// `(dimension:indices)(…)` after `SC`.
    pub fn splits(&mut self, head: Span, layout: &mut Layout, spans: &mut ArraySpans) {
        if self.kind() != Kind::Punct('(') {
            return self.report_missing_value(head);
        }
        while self.kind() == Kind::Punct('(') {
            let from = self.bump().span.start;
            let Kind::Int(dimension) = self.kind() else {
                if matches!(self.kind(), Kind::Punct('}') | Kind::End) || self.at_property() {
                    return self.report_missing_value(head);
                }
                self.skip_rest_of_property(')');
                self.report_unexpected(Span::new(from, self.prev_token_end));
                continue;
            };
            self.bump();
            let mut indices = Vec::new();
            match self.kind() {
                Kind::Punct(')') => {
                    self.bump();
                    self.report_unexpected(Span::new(from, self.prev_token_end));
                    continue;
                }
                Kind::Punct('}') | Kind::End => self.report_missing_close(),
                _ if self.at_property() => self.report_missing_close(),
                _ => {
                    if !self.eat(':') {
                        self.report_missing(":", Span::at(self.prev_token_end));
                        self.eat(',');
                    }
                    indices = self.list(ListKind::Split, None, MissingClose::Unreported).0;
                }
            }
            let indices =
                indices.into_iter().filter_map(|(e, _)| if let Entry::Int(n) = e { Some(n) } else { None });
            layout.split_configs.push(SplitConfig { dimension, indices: indices.collect() });
            spans.splits.push(Span::new(from, self.prev_token_end));
        }
    }

    /// `(shape)` after `P`.
    pub fn physical_shape(&mut self, head: Span) -> Option<Box<Shape>> {
        if !self.eat('(') {
            self.report_missing_value_error(head);
            return None;
        }
        self.paren_depth += 1;
        let shape = self.property_shape();
        self.paren_depth -= 1;
        if !self.eat(')') {
            self.report_missing(")", Span::at(self.prev_token_end));
        }
        shape.map(Box::new)
    }

    /// `(D,C+~,…)` after `D`: parsed as XLA does, and ignored.
    pub fn level_types(&mut self, head: Span) {
        if !self.eat('(') {
            return self.report_missing_value(head);
        }
        if self.eat(')') {
            return;
        }
        loop {
            if self.kind() == Kind::Word && matches!(&*self.word(), "D" | "C" | "S" | "H") {
                self.bump();
                self.eat('+');
                self.eat('~');
                if self.eat(',') {
                    continue;
                }
                if self.eat(')') {
                    return;
                }
            }
            if matches!(self.kind(), Kind::Punct('}') | Kind::End) || self.at_property() {
                return self.report_missing_close();
            }
            self.skip_rest_of_property(')');
            let span = Span::new(head.start, self.prev_token_end);
            let message = Message::new("text-level-types");
            let hint = Hint::replace(remove_message(self.quote(span)), span, "");
            return self.diagnostics.error(span, "text-level-types", message, vec![hint]);
        }
    }
}
