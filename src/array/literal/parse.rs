//! XLA's text form of literals, read with diagnostics: `{ { 1, 2 }, { 3, 4 } }`, `( {1, 2}, 3 )`.
//!
//! Parsing never fails: what could be read is in the literal, what could not is zero and has a diagnostic. Commas
//! between entries may be missing, as XLA allows. Values left out (`{...}`) are flagged: nothing may be claimed
//! about results that depend on them.

use super::super::value::parse::Style;
use super::super::{Shape, Value};
use super::lexer::Token;
use super::reader::Reader;
use super::{ArrayLiteral, Literal, LiteralError};
use crate::diagnostic::{Diagnostic, Severity, Span};

/// What could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// The value; `None` only where its shape has none ([`LiteralError`]), which is a diagnostic too.
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

/// Reads a text that is one literal of this shape. The shape's layouts say how it is held, not how it is written.
pub fn parse(source: &str, shape: &Shape) -> Parsed<Literal> {
    let mut parsed = parse_at(source, 0, shape);
    Reader::only_blanks_from(source, &mut parsed);
    parsed
}

/// Reads a literal of this shape that begins at byte `start` of a text, and leaves what follows it.
pub fn parse_at(source: &str, start: usize, shape: &Shape) -> Parsed<Literal> {
    let mut literal = match Literal::zeros(shape) {
        Ok(literal) => literal,
        Err(error) => return Parsed::failed(error, start),
    };
    let mut reader = Reader::new(source, start, Style::Hlo);
    reader.literal(&mut literal);
    Parsed {
        value: Some(literal),
        elided: reader.elided,
        diagnostics: reader.diagnostics,
        end: reader.lexer.at,
    }
}

impl Reader<'_> {
    fn literal(&mut self, literal: &mut Literal) {
        match literal {
            Literal::Array(array) => self.array(array),
            Literal::Tuple(elements) => self.tuple(elements),
            Literal::Token => {
                let (token, span) = self.lexer.next();
                if token != Token::Word || self.lexer.text(span) != "token" {
                    self.lexer.at = span.start;
                    self.expected("token", span);
                }
            }
        }
    }

    fn tuple(&mut self, elements: &mut [Literal]) {
        let (token, open) = self.lexer.next();
        match token {
            Token::Open('(') => {}
            // XLA leaves out a tuple in the form it leaves out an array.
            Token::Open('{') if self.lexer.peek().0 == Token::Dots => {
                let (_, dots) = self.lexer.next();
                self.skip_group();
                return self.elide(dots);
            }
            _ => {
                self.lexer.at = open.start;
                return self.expected("(", open);
            }
        }
        for (i, element) in elements.iter_mut().enumerate() {
            if i > 0 && self.lexer.peek().0 == Token::Comma {
                self.lexer.next();
            }
            let (token, span) = self.lexer.peek();
            if matches!(token, Token::Close(_) | Token::End) {
                return self.short_tuple(&element.shape(), token, span, open);
            }
            let before = self.diagnostics.len();
            self.literal(element);
            if self.diagnostics.len() > before && self.lexer.at == span.start {
                // Nothing could be read here, so nothing after it can be placed.
                return self.skip_group();
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
    }

    fn short_tuple(&mut self, missing: &Shape, token: Token, span: Span, open: Span) {
        if token == Token::End {
            return self.unclosed_at(open, ")".to_owned(), span.start);
        }
        let zero = Literal::zeros(missing).map(|zero| zero.to_string()).unwrap_or_default();
        self.expected(&zero, span);
        if token == Token::Close(')') {
            self.lexer.next();
        }
    }
}

/// Reads one element of a type, as people write it.
pub fn parse_element(source: &str, element_type: super::super::ElementType) -> Parsed<Value> {
    let parsed = super::typed::parse_values(source, element_type, &[]);
    let value = parsed.value.as_ref().and_then(|array: &ArrayLiteral| array.get(&[]));
    Parsed { value, elided: parsed.elided, diagnostics: parsed.diagnostics, end: parsed.end }
}
