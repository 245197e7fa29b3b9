//! The tokens of literals: brackets, commas, words, and the dots of elided values. Comments are skipped.

use super::super::scan::{self, Number};
use super::super::value::parse::Syntax;
use xla_messages::bug::OrBug as _;
use xla_messages::diagnostic::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `{`, `(`, and in user-entered text `[`.
    Open(char),
    /// `}`, `)`, and in user-entered text `]`.
    Close(char),
    Comma,
    /// `...` or `…`.
    Dots,
    /// Anything else up to whitespace, a bracket or a comma.
    Word,
    End,
}

/// Splits a source text into tokens.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    pub source: &'a str,
    pub at: usize,
    pub syntax: Syntax,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a str, start: usize, syntax: Syntax) -> Self {
        // `start` may be within a character or beyond the end.
        let at = (start..=source.len()).find(|at| source.is_char_boundary(*at)).unwrap_or(source.len());
        Self { source, at, syntax }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).or_bug("", "the offset is inside a character")
    }

    fn skip_trivia(&mut self) {
        self.at += scan::trivia(self.rest(), |c| self.is_whitespace(c)).length;
    }

    fn is_whitespace(&self, c: char) -> bool {
        scan::is_whitespace(c) || self.syntax == Syntax::UserInput && (c == ';' || c.is_whitespace())
    }

    pub fn next(&mut self) -> (Token, Span) {
        self.skip_trivia();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return (Token::End, Span::at(start)) };
        let (token, length) = match first {
            '{' | '(' => (Token::Open(first), 1),
            '}' | ')' => (Token::Close(first), 1),
            '[' if self.syntax == Syntax::UserInput => (Token::Open(first), 1),
            ']' if self.syntax == Syntax::UserInput => (Token::Close(first), 1),
            ',' => (Token::Comma, 1),
            '…' => (Token::Dots, first.len_utf8()),
            _ if rest.starts_with("...") => (Token::Dots, 3),
            _ => (Token::Word, self.word_length(rest)),
        };
        self.at += length;
        (token, Span::new(start, self.at))
    }

    fn word_length(&self, rest: &str) -> usize {
        let ends = |(at, c): (usize, char)| {
            let is_bracket = "{}(),".contains(c) || self.syntax == Syntax::UserInput && "[]".contains(c);
            let is_comment = rest[at..].starts_with("/*") || rest[at..].starts_with("//");
            at > 0 && (is_bracket || is_comment || self.is_whitespace(c))
        };
        let end = rest.char_indices().find(|at| ends(*at)).map_or(rest.len(), |(at, _)| at);
        // A NaN carries its payload in parentheses: nan(0x1).
        match scan::number(rest) {
            Some((Number::Special, length)) => length.max(end),
            _ => end,
        }
    }

    pub fn peek(&self) -> (Token, Span) {
        self.clone().next()
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.source.get(span.range()).or_bug("", "a span that the lexer did not return")
    }
}
