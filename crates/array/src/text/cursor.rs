//! The cursor over the tokens of the text: look-ahead, consuming, skipping, and reporting unexpected tokens.

use std::borrow::Cow;

use super::diagnostics::{DiagnosticSink, excerpt, insert_message, remove_message};
use super::lexer::{Kind, Token};
use super::spans::SpanMap;
use xla_messages::diagnostic::{Hint, Span};
use xla_messages::i18n::Message;

/// Maximum number of tokens that the parser looks ahead for a closing bracket.
pub(super) const MAX_LOOKAHEAD_TOKENS: usize = 200;

/// The state of the parser: the cursor, and the diagnostics and spans so far. The grammar is in [`super::parse`], `list`,
/// `braces`, `property` and `suffix`.
pub(super) struct Parser<'t> {
    pub text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    /// The second half of a token that was split in two; it precedes `tokens[at]`.
    pub pending_token: Option<Token>,
    /// The byte offset after the last consumed token; see also [`Parser::text_token_end`].
    pub prev_token_end: usize,
    /// The last consumed mark.
    prev_mark: Span,
    pub diagnostics: DiagnosticSink,
    pub spans: SpanMap,
    pub path: Vec<usize>,
    /// The number of open parentheses of tuples, buffers and physical shapes.
    pub paren_depth: usize,
    /// The nesting depth of shapes.
    pub depth: usize,
}

impl<'t> Parser<'t> {
    /// A parser with the cursor before the first token.
    pub fn new(text: &'t str, tokens: Vec<Token>, diagnostics: DiagnosticSink) -> Self {
        let spans = SpanMap::default();
        Self {
            text,
            tokens,
            at: 0,
            pending_token: None,
            prev_token_end: 0,
            prev_mark: Span::at(0),
            diagnostics,
            spans,
            path: vec![],
            paren_depth: 0,
            depth: 0,
        }
    }

    pub fn peek(&self) -> Token {
        self.ahead(0)
    }

    pub fn kind(&self) -> Kind {
        self.peek().kind
    }

    /// The token after `n` others.
    pub fn ahead(&self, n: usize) -> Token {
        if let Some(token) = self.pending_token.filter(|_| n == 0) {
            return token;
        }
        let at = self.at + n - usize::from(self.pending_token.is_some());
        let end = Token { kind: Kind::End, span: Span::at(self.text.len()) };
        self.tokens.get(at).copied().unwrap_or(end)
    }

    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        if self.pending_token.take().is_none() && self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        self.prev_token_end = token.span.end;
        if matches!(token.kind, Kind::Punct(_)) {
            self.prev_mark = token.span;
        }
        token
    }

    /// The byte offset before the last consumed token if that is a mark, which takes several bytes if it is full-width; else the
    /// offset after the token.
    pub fn prev_mark_start(&self) -> usize {
        if self.prev_mark.end == self.prev_token_end { self.prev_mark.start } else { self.prev_token_end }
    }

    /// Undoes the last [`Parser::bump`], which took `token`.
    pub fn unread(&mut self, token: Token) {
        self.at = self.at.saturating_sub(1);
        self.prev_token_end =
            self.tokens.get(self.at.wrapping_sub(1)).map_or(token.span.start, |t| t.span.end);
    }

    /// Consumes the mark `c` if it comes next.
    pub fn eat(&mut self, c: char) -> bool {
        self.eat_span(c).is_some()
    }

    /// Consumes the mark `c` if it comes next; returns its span.
    pub fn eat_span(&mut self, c: char) -> Option<Span> {
        (self.kind() == Kind::Punct(c)).then(|| self.bump().span)
    }

    /// The text of the next token, with full-width characters as ASCII.
    pub fn word(&self) -> Cow<'t, str> {
        let word = self.text.get(self.peek().span.range()).unwrap_or_default();
        if word.is_ascii() {
            return Cow::Borrowed(word);
        }
        let to_ascii = |c: char| char::from_u32(u32::from(c).saturating_sub(0xfee0)).filter(char::is_ascii);
        Cow::Owned(word.chars().map(|c| if c.is_ascii() { c } else { to_ascii(c).unwrap_or('_') }).collect())
    }

    /// The piece of text at `span`, for a message.
    pub fn quote(&self, span: Span) -> String {
        excerpt(self.text, span)
    }

    /// The byte offset after `count` characters of a span: full-width characters are read as ASCII but take more bytes.
    pub fn after_chars(&self, span: Span, count: usize) -> usize {
        let written = self.text.get(span.range()).unwrap_or_default();
        written.char_indices().nth(count).map_or(span.end, |(at, _)| span.start + at)
    }

    /// The position of the next token of this kind, if it is within [`MAX_LOOKAHEAD_TOKENS`].
    pub fn find(&self, kind: Kind) -> Option<Span> {
        (0..MAX_LOOKAHEAD_TOKENS).map(|n| self.ahead(n)).find(|t| t.kind == kind).map(|t| t.span)
    }

    /// Whether the brace of the current layout closes before another opens: the next token is then inside the layout,
    /// whatever its kind.
    pub fn finds_closing_brace(&self) -> bool {
        let brace = (0..MAX_LOOKAHEAD_TOKENS)
            .map(|n| self.ahead(n).kind)
            .find(|k| matches!(k, Kind::Punct('{' | '}') | Kind::End));
        brace == Some(Kind::Punct('}'))
    }

    /// Reports that `token` is missing at `span`, with the edit that inserts it.
    pub fn report_missing(&mut self, token: &str, span: Span) {
        let message = Message::new("text-missing").with("token", token);
        self.diagnostics.error(
            span,
            "text-missing",
            message,
            vec![Hint::replace(insert_message(token), span, token)],
        );
    }

    /// Skips one unexpected token, and reports it.
    pub fn skip_unexpected(&mut self) {
        let token = self.bump();
        self.report_unexpected(token.span);
    }

    /// Reports unexpected text at `span`, with the edit that removes it.
    pub fn report_unexpected(&mut self, span: Span) {
        let quoted = self.quote(span);
        let message = Message::new("text-unexpected").with("text", quoted.clone());
        self.diagnostics.error(
            span,
            "text-unexpected",
            message,
            vec![Hint::replace(remove_message(quoted), span, "")],
        );
    }

    /// Skips a bracketed group, or one token; returns its span.
    pub fn skip_group(&mut self) -> Span {
        let mut span = self.peek().span;
        let mut open = 0_usize;
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => return span,
                Kind::Punct('(' | '[' | '{') => open += 1,
                Kind::Punct(')' | ']' | '}') => open = open.saturating_sub(1),
                _ => {}
            }
            span = span.join(self.bump().span);
            if open == 0 {
                return span;
            }
        }
    }

    /// Moves the cursor to the end of the text.
    pub fn skip_all(&mut self) {
        (self.at, self.pending_token) = (self.tokens.len().saturating_sub(1), None);
    }

    /// The byte offset after the last token of the whole text, wherever the cursor is.
    pub fn text_token_end(&self) -> usize {
        self.tokens.iter().rev().nth(1).map_or(0, |t| t.span.end)
    }
}
