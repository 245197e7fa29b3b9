//! Parses shapes: recursive descent over the tokens, with recovery.
//!
//! Each method reads its part and leaves the cursor after it. Where a token is missing or unexpected, it reports a diagnostic
//! whose edit repairs the text in the same way as the method recovers, so that applying the edits one after another gives a
//! valid text.

use super::cursor::Parser;
use super::diagnostics::{DiagnosticSink, insert_message, remove_message, write_message};
use super::lexer::{Kind, Token, lex};
use super::list::{Entry, ListKind, MissingClose, Opened};
use super::spans::{ArraySpans, SpanMap};
use super::words;
use crate::{ArrayShape, Dynamic, ElementType, Shape};
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Span};
use xla_messages::i18n::Message;

/// The maximum nesting depth of tuples.
pub const MAX_NESTING: usize = 64;

/// Parses text; the shape is `None` where nothing resembles one.
pub(super) fn shape(text: &str) -> (Option<Shape>, Vec<Diagnostic>, SpanMap) {
    let mut diagnostics = DiagnosticSink::new(text);
    let tokens = lex(text, &mut diagnostics);
    let mut parser = Parser::new(text, tokens, diagnostics);
    let shape = parser.shape();
    if parser.kind() != Kind::End {
        parser.trailing();
    }
    (shape, parser.diagnostics.into_diagnostics(), parser.spans)
}

impl Parser<'_> {
    /// Whether the next tokens look like the beginning of a shape.
    pub fn at_shape(&self) -> bool {
        let word = self.word();
        ElementType::from_name(&word).is_some()
            || matches!(&*word, "token" | "opaque" | "(")
            || &*word == "b" && self.ahead(1).kind == Kind::Punct('(')
            || self.kind() == Kind::Word && self.ahead(1).kind == Kind::Punct('[')
    }

    fn shape(&mut self) -> Option<Shape> {
        if self.diagnostics.is_full() {
            // The limit of diagnostics is reached: further mistakes could not be reported.
            self.skip_all();
            return None;
        }
        if self.depth >= MAX_NESTING {
            let span = self.peek().span;
            let message = Message::new("text-too-deep").with("limit", MAX_NESTING);
            let advice = Hint::advice(Message::new("text-hint-flatten"));
            self.diagnostics.error(span, "text-too-deep", message, vec![advice]);
            self.skip_all();
            return None;
        }
        self.depth += 1;
        let shape = self.shape_unchecked();
        self.depth -= 1;
        shape
    }

    /// A shape nested in a property of a layout, the physical shape `P(…)`: its arrays are not part of the span map.
    pub fn property_shape(&mut self) -> Option<Shape> {
        let arrays = self.spans.arrays.len();
        let shape = self.shape();
        self.spans.arrays.truncate(arrays);
        shape
    }

    /// [`Parser::shape`] after its checks of the limits: parses one shape.
    fn shape_unchecked(&mut self) -> Option<Shape> {
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Punct('(') => return Some(self.tuple()),
                Kind::Word => return self.word_shape(),
                Kind::Punct('[') if matches!(self.ahead(1).kind, Kind::Word | Kind::Punct('(' | '[')) => {
                    self.skip_unexpected();
                }
                // `32[2,3]`: the letters of the type are missing.
                Kind::Int(_) if self.ahead(1).kind == Kind::Punct('[') => return Some(self.unknown_type()),
                Kind::Punct('[' | '?') | Kind::Int(_) | Kind::TooBig | Kind::BadNumber | Kind::LessEqual => {
                    return Some(self.array_without_type());
                }
                Kind::End | Kind::Punct(')' | ',') => {
                    let message = Message::new("text-empty");
                    let text = if self.paren_depth == 0 { "f32[2,3]" } else { "f32[]" };
                    let (span, text) = match token.kind {
                        // The text is empty or a comment, which the hint replaces.
                        Kind::End if self.paren_depth == 0 => (Span::new(0, self.text.len()), text),
                        _ => (Span::at(token.span.start), text),
                    };
                    let hints = vec![Hint::replace(insert_message(text), span, text)];
                    self.diagnostics.error(token.span, "text-empty", message, hints);
                    return None;
                }
                Kind::Punct(_) => self.skip_unexpected(),
            }
        }
    }

    fn word_shape(&mut self) -> Option<Shape> {
        let (token, word) = (self.peek(), self.word());
        let before_parenthesis = self.ahead(1).kind == Kind::Punct('(');
        if let Some(element_type) = ElementType::from_name(&word) {
            self.bump();
            return Some(self.array(element_type, token.span));
        }
        match &*word {
            "token" => return Some(self.token_or_opaque(Shape::Token)),
            "opaque" => return Some(self.token_or_opaque(Shape::Opaque)),
            "b" if before_parenthesis => return self.buffer(),
            _ => {}
        }
        // `f322,3]`: the bracket between the type and its first size is missing.
        let splits = !before_parenthesis && self.ahead(1).kind != Kind::Punct('[');
        if let Some((element_type, first)) = split_number(&word).filter(|_| splits) {
            let middle = self.after_chars(token.span, element_type.name().len());
            self.bump();
            self.prev_token_end = middle;
            self.pending_token =
                Some(Token { kind: Kind::Int(first), span: Span::new(middle, token.span.end) });
            return Some(self.array(element_type, Span::new(token.span.start, middle)));
        }
        if before_parenthesis && &*word == "B" {
            let message = Message::new("text-unknown-type").with("word", "B");
            let hint = Hint::replace(Message::new("text-hint-type").with("type", "b"), token.span, "b");
            self.diagnostics.error(token.span, "text-unknown-type", message, vec![hint]);
            return self.buffer();
        }
        Some(self.unknown_type())
    }

    /// A shape of an unknown type, which is read as the nearest known one.
    fn unknown_type(&mut self) -> Shape {
        let token = self.peek();
        let nearest = words::nearest_type(&self.word());
        let message = Message::new("text-unknown-type").with("word", self.quote(token.span));
        let hint = Hint::replace(Message::new("text-hint-type").with("type", nearest), token.span, nearest);
        self.diagnostics.error(token.span, "text-unknown-type", message, vec![hint]);
        if let Some(element_type) = ElementType::from_name(nearest) {
            self.bump();
            return self.array(element_type, token.span);
        }
        self.token_or_opaque(if nearest == "token" { Shape::Token } else { Shape::Opaque })
    }

    /// `token[]` and `opaque[]`, with the cursor at the word.
    fn token_or_opaque(&mut self, shape: Shape) -> Shape {
        let name = self.word().into_owned();
        let name_end = self.bump().span.end;
        let opened = if self.kind() == Kind::Punct(']') { Opened::Yes } else { self.open('[', ']') };
        if self.kind() == Kind::Punct(']') && self.prev_token_end == name_end {
            self.report_missing("[", Span::at(self.prev_token_end));
            self.bump();
        } else if opened == Opened::No {
            self.report_missing("[]", Span::at(self.prev_token_end));
        } else {
            let close = opened.close_of_wrong_open().unwrap_or(']');
            let mut inside: Option<Span> = None;
            let in_tuple = self.paren_depth > 0;
            let is_end = |kind| match kind {
                Kind::End | Kind::Punct(']') => true,
                Kind::Punct(c) => c == close || matches!(c, ')' | ',') && in_tuple,
                _ => false,
            };
            while !is_end(self.kind()) {
                let token = self.bump();
                inside = Some(inside.map_or(token.span, |span| span.join(token.span)));
            }
            if let Some(span) = inside {
                let message = Message::new("text-no-dimensions").with("type", name.clone());
                let hint = Hint::replace(remove_message(self.quote(span)), span, "");
                self.diagnostics.error(span, "text-no-dimensions", message, vec![hint]);
            }
            if self.kind() == Kind::Punct(']') || self.kind() == Kind::Punct(close) {
                self.bump();
            } else {
                self.report_missing("]", Span::at(self.prev_token_end));
            }
        }
        if self.kind() == Kind::Punct('{') {
            let span = self.skip_group();
            let message = Message::new("text-no-layout").with("type", name);
            let hint = Hint::replace(remove_message(self.quote(span)), span, "");
            self.diagnostics.error(span, "text-no-layout", message, vec![hint]);
        }
        shape
    }

    /// `b(array)`, with the cursor at the `b`.
    fn buffer(&mut self) -> Option<Shape> {
        let head = self.bump().span.join(self.bump().span);
        self.paren_depth += 1;
        let inner = self.shape();
        self.paren_depth -= 1;
        let close = self.eat_span(')');
        if close.is_none() {
            self.report_missing(")", Span::at(self.prev_token_end));
        }
        match inner? {
            Shape::Array(array) => Some(Shape::Buffer(Box::new(array))),
            other => {
                let mut edits = vec![Edit { span: head, text: String::new() }];
                edits.extend(close.map(|span| Edit { span, text: String::new() }));
                let hint = Hint { message: remove_message("b(…)"), edits };
                self.diagnostics.error(head, "text-buffer", Message::new("text-buffer"), vec![hint]);
                Some(other)
            }
        }
    }

    fn tuple(&mut self) -> Shape {
        self.bump();
        self.paren_depth += 1;
        let mut elements = Vec::new();
        if !matches!(self.kind(), Kind::Punct(')')) {
            self.elements(&mut elements);
        }
        self.paren_depth -= 1;
        if !self.eat(')') {
            self.report_missing(")", Span::at(self.prev_token_end));
        }
        Shape::Tuple(elements.into())
    }

    /// The elements of a tuple up to its `)`, which is not consumed, or to the end of the text.
    fn elements(&mut self, elements: &mut Vec<Shape>) {
        loop {
            let before = self.peek().span;
            self.path.push(elements.len());
            elements.extend(self.shape());
            self.path.pop();
            // After an element: a comma, the end, or a mistake.
            loop {
                let token = self.peek();
                match token.kind {
                    Kind::End | Kind::Punct(')') => return,
                    Kind::Punct(',') => {
                        self.bump();
                        if matches!(self.kind(), Kind::Punct(')') | Kind::End) {
                            let hint = Hint::replace(remove_message(","), token.span, "");
                            let message = Message::new("text-comma");
                            self.diagnostics.error(token.span, "text-comma", message, vec![hint]);
                            return;
                        }
                        break;
                    }
                    Kind::Punct(';' | '.' | ':' | '/' | '|') => {
                        let message = Message::new("text-unexpected").with("text", self.quote(token.span));
                        let hint = Hint::replace(write_message(","), token.span, ",");
                        self.diagnostics.error(token.span, "text-unexpected", message, vec![hint]);
                        self.bump();
                        break;
                    }
                    Kind::Word | Kind::Punct('(') if token.span != before && self.at_shape() => {
                        self.report_missing(",", Span::at(self.prev_token_end));
                        break;
                    }
                    _ => {
                        let span = self.skip_group();
                        self.report_unexpected(span);
                    }
                }
            }
        }
    }

    /// Sizes without an element type: `[2,3]` or `2,3`.
    fn array_without_type(&mut self) -> Shape {
        let start = Span::at(self.peek().span.start);
        let bracketed = self.kind() == Kind::Punct('[');
        let message = Message::new("text-no-type");
        let mut edits = vec![Edit { span: start, text: if bracketed { "f32" } else { "f32[" }.to_owned() }];
        if bracketed {
            self.bump();
        } else {
            let run = (0..).take_while(|n| {
                let kind = self.ahead(*n).kind;
                let number = matches!(kind, Kind::Int(_) | Kind::TooBig | Kind::BadNumber | Kind::LessEqual);
                number || matches!(kind, Kind::Punct('?' | ','))
            });
            let last = run.filter(|n| self.ahead(*n).kind != Kind::Punct(',')).last().unwrap_or(0);
            let closed = self.ahead(last + 1).kind == Kind::Punct(']');
            if !closed {
                edits.push(Edit { span: Span::at(self.ahead(last).span.end), text: "]".to_owned() });
            }
        }
        let hint = Hint { message: Message::new("text-hint-type").with("type", "f32"), edits };
        self.diagnostics.error(start, "text-no-type", message, vec![hint]);
        let missing_close = if bracketed { MissingClose::Unreported } else { MissingClose::Reported };
        self.sizes(ElementType::F32, start, None, missing_close)
    }

    /// An array, with the cursor after its type.
    fn array(&mut self, element_type: ElementType, type_span: Span) -> Shape {
        match self.open('[', ']') {
            Opened::No
                if matches!(self.kind(), Kind::Int(_) | Kind::TooBig | Kind::BadNumber | Kind::LessEqual)
                    || matches!(self.kind(), Kind::Punct('?' | ']')) =>
            {
                self.report_missing("[", Span::at(self.prev_token_end));
                self.sizes(element_type, type_span, None, MissingClose::Unreported)
            }
            Opened::No => {
                self.report_missing("[]", Span::at(self.prev_token_end));
                let spans = ArraySpans { brackets: Span::at(self.prev_token_end), ..ArraySpans::default() };
                self.after_sizes(ArrayShape::new(element_type, []), type_span, spans)
            }
            opened => {
                self.sizes(element_type, type_span, opened.close_of_wrong_open(), MissingClose::Unreported)
            }
        }
    }

    /// The sizes of an array, its layout and padding, with the cursor after the bracket. `close_of_wrong_open` closes the sizes
    /// too, without a report.
    fn sizes(
        &mut self,
        element_type: ElementType,
        type_span: Span,
        close_of_wrong_open: Option<char>,
        missing_close: MissingClose,
    ) -> Shape {
        let from = self.prev_mark_start();
        let (entries, _) = self.list(ListKind::Dimensions, close_of_wrong_open, missing_close);
        let mut array = ArrayShape::new(element_type, []);
        let mut spans = ArraySpans::default();
        let mut dynamic = Vec::new();
        for (entry, span) in entries {
            let (size, kind) = match entry {
                Entry::Int(n) => (n, Dynamic::Static),
                Entry::AtMost(n) => (n, Dynamic::Bounded),
                Entry::Unbounded | Entry::Star => (ArrayShape::UNBOUNDED, Dynamic::Unbounded),
            };
            array.dimensions.push(size);
            dynamic.push(kind);
            spans.dimensions.push(span);
        }
        if dynamic.iter().any(|kind| *kind != Dynamic::Static) {
            array.dynamic = dynamic.into_iter().collect();
        }
        spans.brackets = Span::new(from, self.prev_token_end);
        self.after_sizes(array, type_span, spans)
    }

    /// Layout and padding, if they follow.
    fn after_sizes(&mut self, mut array: ArrayShape, type_span: Span, mut spans: ArraySpans) -> Shape {
        array.layout = Some(self.whole_layout(array.rank(), &mut spans));
        if self.at_padding() {
            let padding = self.padding(&mut spans);
            if let Some(layout) = &mut array.layout {
                layout.padding = Some(Box::new(padding));
            }
        }
        spans.path.clone_from(&self.path);
        spans.element_type = type_span;
        spans.whole = Span::new(type_span.start, self.prev_token_end);
        self.spans.arrays.push(spans);
        Shape::Array(array)
    }

    /// Reports text after the shape.
    fn trailing(&mut self) {
        let span = Span::new(self.peek().span.start, self.text.trim_end().len());
        let message = Message::new("text-trailing").with("text", self.quote(span));
        let cut = Span::new(self.prev_token_end, self.text.len());
        let mut hints = vec![Hint::replace(remove_message(self.quote(span)), cut, "")];
        let next = self.text.get(self.ahead(1).span.range()).unwrap_or_default();
        if self.kind() == Kind::Punct(',') && ElementType::from_name(next).is_some() {
            let edit = |at, text: &str| Edit { span: Span::at(at), text: text.to_owned() };
            let last = self.text_token_end();
            let mut edits = vec![edit(0, "(")];
            if !self.text.trim_end().ends_with(')') {
                edits.push(edit(last, ")"));
            }
            hints.insert(0, Hint { message: Message::new("text-hint-tuple"), edits });
        }
        self.diagnostics.error(span, "text-trailing", message, hints);
    }
}

/// Splits a word into a type and the number that follows without a bracket: `f322` is `f32` and `2`.
fn split_number(word: &str) -> Option<(ElementType, i64)> {
    let candidates = ElementType::ALL.iter().filter(|t| {
        let rest = word.strip_prefix(t.name());
        rest.is_some_and(|r| !r.is_empty() && r.bytes().all(|b| b.is_ascii_digit()))
    });
    let element_type = *candidates.max_by_key(|t| t.name().len())?;
    Some((element_type, word.strip_prefix(element_type.name())?.parse().ok()?))
}
