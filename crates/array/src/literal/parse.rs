//! XLA's text form of literals, read with diagnostics: `{ { 1, 2 }, { 3, 4 } }`, `( {1, 2}, 3 )`.
//!
//! Parsing never fails: what could be read is in the literal, what could not is zero and has a diagnostic; a tuple or
//! an array of which much is missing is none. Commas
//! between entries may be missing, as XLA allows. Values left out (`{...}`) are flagged: nothing may be claimed
//! about results that depend on them.

use super::super::value::parse::Style;
use super::super::{ArrayShape, Shape};
use super::lexer::{Lexer, Token};
use super::reader::Reader;
use super::{ArrayLiteral, Literal, LiteralError};
use xla_messages::diagnostic::{Diagnostic, Severity, Span};
use xla_messages::i18n::Message;

/// What could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// The value; `None` where the shape has none ([`LiteralError`]), where a tuple or a large array is not all there,
    /// and where all of it was left out: a diagnostic too.
    pub value: Option<T>,
    /// Whether values were left out of the text, so that the elements are unknown.
    pub elided: bool,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the literal ends in the text.
    pub end: usize,
}

impl<T> Parsed<T> {
    /// Whether nothing is wrong but for warnings.
    pub fn is_ok(&self) -> bool {
        self.diagnostics.iter().all(|d| d.severity != Severity::Error)
    }

    /// The value, if nothing is wrong but for warnings.
    pub fn ok(self) -> Option<T> {
        if self.is_ok() { self.value } else { None }
    }

    pub(super) fn failed(error: LiteralError, at: usize) -> Self {
        let diagnostic = Diagnostic::error(Span::at(at), error.rule, error.message);
        Self { value: None, elided: false, diagnostics: vec![diagnostic], end: at }
    }
}

impl Parsed<Literal> {
    /// Reports what follows the literal in its text, unless it is blanks and comments.
    pub(super) fn check_rest(&mut self, source: &str) {
        let mut lexer = Lexer::new(source, self.end, Style::Hlo);
        let (token, span) = lexer.next();
        if token != Token::End && self.value.is_some() {
            let rest = span.join(Span::at(source.trim_end().len()));
            let error = Diagnostic::error(rest, "literal-syntax", Message::new("literal-extra-text"));
            self.diagnostics.push(error);
        }
    }
}

/// Reads a text that is one literal of this shape. The shape's layouts say how it is held, not how it is written.
pub fn parse(source: &str, shape: &Shape) -> Parsed<Literal> {
    let mut parsed = parse_at(source, 0, shape);
    parsed.check_rest(source);
    parsed
}

/// Reads a literal of this shape that begins at byte `start` of a text, and leaves what follows it. Memory is taken
/// only for arrays that the text is long enough for.
pub fn parse_at(source: &str, start: usize, shape: &Shape) -> Parsed<Literal> {
    // What is left out (`{...}`) takes no memory.
    let is_elided = || source.get(start..).is_some_and(|rest| rest.trim_start().starts_with('{'));
    if let Err(error) = super::check_size(shape)
        && !is_elided()
    {
        return Parsed::failed(error, start);
    }
    let mut reader = Reader::new(source, start, Style::Hlo);
    let value = reader.literal(shape);
    let (elided, end) = (reader.elided, reader.lexer.at);
    let is_told = reader.diagnostics.iter().any(|d| d.severity == Severity::Error);
    if value.is_none() && !elided && !is_told {
        reader.expected(&shape.human_string(), Span::new(start, end));
    }
    Parsed { value, elided, diagnostics: reader.diagnostics, end }
}

impl Reader<'_> {
    /// A literal; `None` where its shape has none or where the text has not all of it.
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
                self.tell(diagnostic);
                None
            }
        }
    }

    fn array_literal(&mut self, shape: &ArrayShape) -> Option<Literal> {
        let remaining = self.lexer.source.len().saturating_sub(self.lexer.at);
        let fits = shape.elements().is_none_or(|count| usize::try_from(count).is_ok_and(|n| n <= remaining));
        if !fits {
            // Each element is a byte at least, so the text has not all of them.
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
                let at = Span::at(self.lexer.at);
                self.array(shape, &mut |_, _| ());
                self.tell(Diagnostic::error(at, error.rule, error.message));
                None
            }
        }
    }

    fn tuple(&mut self, elements: &[Shape]) -> Option<Literal> {
        let (token, open) = self.lexer.next();
        match token {
            Token::Open('(') => {}
            // XLA leaves out a tuple in the form it leaves out an array.
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
                // Nothing could be read here, so nothing after it can be placed.
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
