//! XLA's text form of literals, read with diagnostics: `{ { 1, 2 }, { 3, 4 } }`, `( {1, 2}, 3 )`.
//!
//! Parsing never fails: elements that cannot be read are zero and have a diagnostic; there is no value if a tuple is
//! incomplete or the source is too short for an array. Commas between entries may be missing, as in XLA. Elided values
//! (`{...}`) are flagged, as results that depend on them are unknown.

use super::super::value::parse::Syntax;
use super::super::{ArrayShape, Shape};
use super::lexer::{Lexer, Token};
use super::reader::Reader;
use super::{ArrayLiteral, Literal, LiteralError};
use xla_messages::diagnostic::{Diagnostic, Severity, Span};
use xla_messages::i18n::Message;

/// The result of parsing.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// The value. `None`, with a diagnostic, if the shape has no literals ([`LiteralError`]), a tuple is incomplete,
    /// the source is too short for an array, or the whole value is elided.
    pub value: Option<T>,
    /// Whether the source elides values, so that elements are unknown.
    pub elided: bool,
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The byte offset at which the literal ends.
    pub end: usize,
}

impl<T> Parsed<T> {
    /// Whether there are no errors; there may be warnings.
    pub fn is_ok(&self) -> bool {
        self.diagnostics.iter().all(|d| d.severity != Severity::Error)
    }

    /// The value, if there are no errors.
    pub fn ok(self) -> Option<T> {
        if self.is_ok() { self.value } else { None }
    }

    /// The result of a parse that failed at `start` before any value was read.
    pub(super) fn from_error(error: LiteralError, start: usize) -> Self {
        let diagnostic = Diagnostic::error(Span::at(start), error.rule, error.message);
        Self { value: None, elided: false, diagnostics: vec![diagnostic], end: start }
    }
}

impl Parsed<Literal> {
    /// Reports source text after the literal, except whitespace and comments.
    pub(super) fn check_rest(&mut self, source: &str) {
        let mut lexer = Lexer::new(source, self.end, Syntax::Hlo);
        let (token, span) = lexer.next();
        if token != Token::End && self.value.is_some() {
            let rest = span.join(Span::at(source.trim_end().len()));
            let error = Diagnostic::error(rest, "literal-syntax", Message::new("literal-extra-text"));
            self.diagnostics.push(error);
        }
    }
}

/// Parses a source that is one literal of this shape. The value has the shape's layouts, which do not affect the text.
pub fn parse(source: &str, shape: &Shape) -> Parsed<Literal> {
    let mut parsed = parse_at(source, 0, shape);
    parsed.check_rest(source);
    parsed
}

/// Parses a literal of this shape at byte `start` of a source, ignoring what follows it. Allocates an array only if the
/// rest of the source has at least a byte per element.
pub fn parse_at(source: &str, start: usize, shape: &Shape) -> Parsed<Literal> {
    // Elided values (`{...}`) take no memory; whether they are elided is only known afterwards.
    let may_be_elided = || source.get(start..).is_some_and(|rest| rest.trim_start().starts_with('{'));
    if let Err(error) = super::check_size(shape)
        && !may_be_elided()
    {
        return Parsed::from_error(error, start);
    }
    let mut reader = Reader::new(source, start, Syntax::Hlo);
    let value = reader.literal(shape);
    let (elided, end) = (reader.elided, reader.lexer.at);
    let has_error = reader.diagnostics.iter().any(|d| d.severity == Severity::Error);
    if value.is_none() && !elided && !has_error {
        reader.expected(&shape.human_string(), Span::new(start, end));
    }
    Parsed { value, elided, diagnostics: reader.diagnostics, end }
}

impl Reader<'_> {
    /// A literal; `None` if its shape has no literals or the source is incomplete.
    fn literal(&mut self, shape: &Shape) -> Option<Literal> {
        match shape {
            Shape::Array(array) => self.array_literal(array),
            Shape::Tuple(elements) => self.tuple(elements),
            Shape::Token => {
                let (token, span) = self.lexer.next();
                if token != Token::Word || self.lexer.text(span) != "token" {
                    self.lexer.at = span.start;
                    self.expected("token", span);
                }
                Some(Literal::Token)
            }
            Shape::Opaque | Shape::Buffer(_) => {
                let error = Literal::zeros(shape).err()?;
                let diagnostic = Diagnostic::error(Span::at(self.lexer.at), error.rule, error.message);
                self.report(diagnostic);
                None
            }
        }
    }

    fn array_literal(&mut self, shape: &ArrayShape) -> Option<Literal> {
        let remaining = self.lexer.source.len().saturating_sub(self.lexer.at);
        let fits = shape.elements().is_none_or(|count| usize::try_from(count).is_ok_and(|n| n <= remaining));
        if !fits {
            // Each element is at least a byte, so some are missing.
            self.array(shape, &mut |_, _| ());
            return None;
        }
        match ArrayLiteral::zeros(shape.clone()) {
            Ok(mut literal) => {
                self.array(shape, &mut |index, value| {
                    let _ = literal.set(index, value);
                });
                Some(Literal::Array(literal))
            }
            Err(error) => {
                let start = Span::at(self.lexer.at);
                self.array(shape, &mut |_, _| ());
                self.report(Diagnostic::error(start, error.rule, error.message));
                None
            }
        }
    }

    fn tuple(&mut self, elements: &[Shape]) -> Option<Literal> {
        let (token, open) = self.lexer.next();
        match token {
            Token::Open('(') => {}
            // XLA elides a tuple in the same form as an array.
            Token::Open('{') if self.lexer.peek().0 == Token::Dots => {
                let (_, dots) = self.lexer.next();
                self.skip_group();
                self.elide(dots);
                return None;
            }
            _ => {
                self.lexer.at = open.start;
                self.expected("(", open);
                return None;
            }
        }
        let mut read = Vec::with_capacity(elements.len());
        for (i, element) in elements.iter().enumerate() {
            if i > 0 && self.lexer.peek().0 == Token::Comma {
                self.lexer.next();
            }
            let (token, span) = self.lexer.peek();
            if matches!(token, Token::Close(_) | Token::End) {
                self.short_tuple(element, token, span, open);
                return None;
            }
            let before = self.diagnostics.len();
            read.push(self.literal(element));
            if self.diagnostics.len() > before && self.lexer.at == span.start {
                // Nothing was read, so the following entries cannot be assigned to elements.
                self.skip_group();
                return None;
            }
        }
        let (token, span) = self.lexer.next();
        match token {
            Token::Close(')') => {}
            Token::End => self.unclosed_at(open, ")".to_owned(), span.start),
            _ => {
                self.lexer.at = span.start;
                self.expected(")", span);
                self.skip_group();
            }
        }
        read.into_iter().collect::<Option<Vec<_>>>().map(Literal::Tuple)
    }

    fn short_tuple(&mut self, missing: &Shape, token: Token, span: Span, open: Span) {
        if token == Token::End {
            return self.unclosed_at(open, ")".to_owned(), span.start);
        }
        self.expected(&missing.human_string(), span);
        if token == Token::Close(')') {
            self.lexer.next();
        }
    }
}
