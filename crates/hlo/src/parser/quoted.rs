//! Quoted strings with C's escapes, and attribute values that are stored as text.
//!
//! Invariant: [`Parser::raw_text`] returns one line without comments and control characters, and is idempotent. Strings are
//! normalized like XLA prints them; within JSON, which has other escapes, they are unchanged.

use std::borrow::Cow;
use std::fmt::Write;

use super::state::Parser;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::quoted::{JsonTracker, json_text};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::escape;
use xla_messages::i18n::Message;

/// The end of the string that begins at `start`, even if it has many lines.
fn string_end(source: &str, start: usize) -> Option<usize> {
    let mut characters = source.get(start..)?.char_indices();
    let (_, quote) = characters.next()?;
    let mut is_escaped = false;
    let (end, _) = characters.find(|(_, c)| {
        let ends = *c == quote && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    })?;
    Some(start + end + 1)
}

impl<'s> Parser<'s> {
    /// The unescaped bytes of a string; reports an escape that C does not have.
    pub(super) fn quoted(&mut self, token: Token) -> Option<Cow<'s, [u8]>> {
        let text = self.text(token.span);
        let content = text.get(1..text.len().checked_sub(1)?)?;
        match escape::c::unescape(content) {
            Ok(bytes) => Some(bytes),
            Err(range) => {
                let start = token.span.start + 1 + range.start;
                let span = Span::new(start, token.span.start + 1 + range.end);
                let message = Message::ops("hlo-escape").with("text", self.text(span));
                let hint = Message::ops("hlo-hint-backslash");
                let error = Diagnostic::error(span, "hlo-escape", message);
                self.report(error.with_hint(Hint::replace(hint, Span::at(start), "\\")));
                None
            }
        }
    }

    /// The text of a value, normalized to one line.
    pub(super) fn raw_text(&mut self, span: Span) -> String {
        let source = self.lexer.source;
        let text = self.text(span);
        let is_unescaped = |c: char| !matches!(c, '\\' | '\'') && !escape::is_hostile(c);
        if !text.contains("//") && !text.contains("/*") && text.chars().all(is_unescaped) {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut lexer = Lexer::starting_at(source, span.start);
        let mut end = span.start;
        let mut json = JsonTracker::default();
        loop {
            let mut token = lexer.next();
            if token.kind == TokenKind::End || token.span.start >= span.end {
                return out;
            }
            if token.kind == TokenKind::OpenString
                && let Some(end) = string_end(source, token.span.start).filter(|end| *end <= span.end)
            {
                // A dictionary was skipped by its braces, so its strings may have many lines.
                token = Token { kind: TokenKind::String, span: Span::new(token.span.start, end) };
                lexer.offset = end;
            }
            let gap = source.get(end..token.span.start).unwrap_or_default();
            out.push_str(if gap.bytes().all(|b| b == b' ') { gap } else { " " });
            end = lexer.offset;
            let written = source.get(token.span.start..end).unwrap_or_default();
            json.advance(token, &lexer);
            match token.kind {
                TokenKind::String if json.is_in_json() => out.push_str(&json_text(written)),
                TokenKind::String => {
                    if let Some(bytes) = self.quoted(token) {
                        // Writing to a `String` cannot fail.
                        let _ = write!(out, "\"{}\"", escape::c::escape(&bytes));
                    }
                }
                TokenKind::Punct(c) if escape::is_hostile(c) => {
                    let message = Message::ops("hlo-control").with("code", format!("{:04X}", u32::from(c)));
                    let hint = Hint::replace(Message::ops("hlo-hint-remove"), token.span, "");
                    self.report(Diagnostic::error(token.span, "hlo-control", message).with_hint(hint));
                }
                // Already reported by `bump`.
                TokenKind::OpenString => out.push_str(&escape::comment(written)),
                _ => out.push_str(written),
            }
        }
    }
}
