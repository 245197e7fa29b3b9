//! Error recovery: resynchronizes at the next instruction or computation.
//!
//! A name followed by a space and `=` always begins an instruction, because attributes have no space there. Invariant:
//! every loop consumes a token, and none looks further ahead than [`MAX_LOOKAHEAD_BYTES`], so that a source with many
//! errors takes linear time.

use super::state::Parser;
use crate::lexer::{Lexer, Token, TokenKind};
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;

/// Maximum distance of the search for a matching brace, so that recovery takes linear time.
const MAX_LOOKAHEAD_BYTES: usize = 1 << 14;
/// Maximum length of a dictionary that is skipped without tokenizing it.
const MAX_DICTIONARY_BYTES: usize = 1 << 18;

/// Whether the text after `=` looks like the shape or the opcode of an instruction.
fn begins_operation(text: &str) -> bool {
    let text = text.trim_start();
    let word =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(text.len());
    text[word..].starts_with('(') || word > 0 && text[word..].starts_with('[')
}

/// The length of a dictionary in braces. Its content is only searched for braces and strings, as in XLA. `None` if it is not
/// closed, or contains what looks like an instruction: then the closing brace is probably that of a later body.
fn dictionary_length(text: &str) -> Option<usize> {
    let mut rest = text.char_indices().take_while(|(at, _)| *at <= MAX_DICTIONARY_BYTES);
    let mut open = 0_usize;
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => {
                let mut is_escaped = false;
                rest.by_ref().find(|(_, c)| {
                    let ends = *c == '"' && !is_escaped;
                    is_escaped = *c == '\\' && !is_escaped;
                    ends
                })?;
            }
            '{' => open += 1,
            '}' if open == 1 => return Some(at + 1),
            '}' => open = open.checked_sub(1)?,
            'R' | 'E' if ["ROOT ", "ENTRY "].iter().any(|word| text[at..].starts_with(word)) => return None,
            '=' if text[..at].ends_with(' ') && begins_operation(&text[at + 1..]) => return None,
            '/' if text[at + 1..].starts_with(['/', '*']) => return None,
            _ if open == 0 => return None,
            _ => {}
        }
    }
    None
}

impl Parser<'_> {
    /// Whether a token is the first of its line.
    pub(super) fn begins_line(&self, token: Token) -> bool {
        let before = self.lexer.source.get(..token.span.start).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    }

    /// Skips the bracketed group whose opening bracket was just consumed, and returns whether it is closed. An unclosed
    /// group ends before the next instruction; a body, which begins with an instruction, ends at the end of the source.
    pub(super) fn skip_group(&mut self) -> bool {
        let is_body = self.begins_instruction(self.peek());
        let mut open = 1_usize;
        while open > 0 {
            let token = self.peek();
            match token.kind {
                TokenKind::Punct('(' | '[' | '{') => open += 1,
                TokenKind::Punct(')' | ']' | '}') => open -= 1,
                // The closing bracket is part of an unterminated string.
                TokenKind::OpenString if self.text(token.span).trim_end().ends_with('}') => {
                    self.bump();
                    return true;
                }
                TokenKind::End => return false,
                _ if !is_body && self.begins_instruction(token) => return false,
                _ => {}
            }
            self.bump();
        }
        true
    }

    /// Skips the value of an attribute of any kind and returns its span, and whether its brackets are closed. It ends
    /// before a comma or a closing bracket of an enclosing group, and before a new line.
    pub(super) fn skip_value(&mut self) -> (Span, bool) {
        let start = self.peek().span.start;
        let mut end = start;
        loop {
            let token = self.peek();
            let ends = match token.kind {
                TokenKind::Punct(',' | ')' | ']' | '}') | TokenKind::End => true,
                _ => end > start && (self.begins_line(token) || self.begins_instruction(token)),
            };
            if ends {
                return (Span::new(start, end), true);
            }
            self.bump();
            let is_closed = !matches!(token.kind, TokenKind::Punct('(' | '[' | '{')) || self.skip_group();
            if !is_closed {
                return (Span::new(start, end.max(token.span.end)), false);
            }
            end = self.lexer.offset;
        }
    }

    /// Skips a value and returns its span; reports unclosed brackets. Braces may contain anything, such as MLIR
    /// attributes or a quoted module.
    pub(super) fn raw_value(&mut self) -> Span {
        let start = self.peek().span.start;
        let before = (self.diagnostics.len(), self.errors, self.warnings);
        let (span, is_closed) = self.skip_value();
        let is_clean = is_closed && self.errors == before.1;
        if !is_clean
            && !self.lexer.is_aborted()
            && let Some(length) = self.lexer.source.get(start..).and_then(dictionary_length)
        {
            self.diagnostics.truncate(before.0);
            (self.errors, self.warnings) = (before.1, before.2);
            self.charge_work(length / 8);
            self.lexer.offset = start + length;
            return Span::new(start, start + length);
        }
        if !is_closed {
            let message = self.expected_message(Message::ops("hlo-a-closing-bracket"), self.peek().span);
            self.error(span, "hlo-syntax", message);
        }
        span
    }

    /// Whether a token looks like the start of an instruction: a name, a space and `=`; `ROOT` and a name; or, at the
    /// start of a line, a name immediately followed by `=`.
    pub(super) fn begins_instruction(&self, token: Token) -> bool {
        if !token.kind.is_name() && token.kind != TokenKind::AttrName {
            return false;
        }
        let mut ahead = Lexer::starting_at(self.lexer.source, token.span.start);
        ahead.next();
        let next = ahead.next().kind;
        match token.kind {
            TokenKind::AttrName => next == TokenKind::Name && self.begins_line(token),
            TokenKind::Name if self.text(token.span) == "ROOT" => {
                next.is_name() || next == TokenKind::AttrName
            }
            _ => next == TokenKind::Punct('='),
        }
    }

    /// Whether a token looks like the head of a computation: `ENTRY`, a name, and a brace or parameter list; or, at the
    /// start of a line, a name, and a brace or a parameter list whose line ends with a brace.
    pub(super) fn begins_computation(&self, token: Token) -> bool {
        let is_entry = token.kind == TokenKind::Name && self.text(token.span) == "ENTRY";
        if !token.kind.is_name() || !is_entry && !self.begins_line(token) {
            return false;
        }
        let mut ahead = Lexer::starting_at(self.lexer.source, token.span.start);
        ahead.next();
        if is_entry && !ahead.peek().kind.is_name() {
            return false;
        }
        if is_entry {
            ahead.next();
        }
        match ahead.next().kind {
            TokenKind::Punct('{') => true,
            TokenKind::Punct('(') if is_entry => true,
            // Checked only at the start of a line, so the time stays linear.
            TokenKind::Punct('(') => {
                let rest = self.lexer.source.get(ahead.offset..).unwrap_or_default();
                let line = rest.split(['\n', '\r']).next().unwrap_or_default();
                line.trim_end().ends_with('{')
            }
            _ => false,
        }
    }

    /// Skips to the apparent start of an instruction or end of a body.
    pub(super) fn recover(&mut self) {
        let start = self.lexer.offset;
        // Match braces, so that the instructions of a nested body are skipped.
        let mut braces = 0_usize;
        while self.lexer.offset - start <= MAX_LOOKAHEAD_BYTES {
            let token = self.peek();
            match token.kind {
                TokenKind::Punct('{') => braces += 1,
                TokenKind::Punct('}') | TokenKind::End if braces == 0 => return,
                TokenKind::Punct('}') => braces -= 1,
                TokenKind::End => break,
                _ if braces == 0 && (self.begins_instruction(token) || self.begins_computation(token)) => {
                    return;
                }
                _ => {}
            }
            self.lexer.next();
        }
        // Braces do not balance within the lookahead: fall back to line starts.
        self.lexer.offset = start;
        loop {
            let token = self.peek();
            let is_start = match token.kind {
                TokenKind::End => true,
                TokenKind::Punct('}') => self.begins_line(token),
                _ => {
                    self.begins_line(token) && self.begins_instruction(token)
                        || self.begins_computation(token)
                }
            };
            if is_start {
                return;
            }
            self.lexer.next();
        }
    }

    /// Skips past the parenthesis that closes the operands, but not beyond the apparent start of the next instruction
    /// or the end of the body.
    pub(super) fn skip_operands(&mut self) {
        let (mut open, mut braces) = (1_usize, 0_usize);
        while open > 0 {
            let token = self.peek();
            match token.kind {
                TokenKind::Punct('(' | '[') => open += 1,
                TokenKind::Punct(')' | ']') => open -= 1,
                TokenKind::Punct('{') => braces += 1,
                TokenKind::Punct('}') if braces == 0 => return,
                TokenKind::Punct('}') => braces -= 1,
                TokenKind::End => return,
                _ if self.begins_instruction(token) => return,
                _ => {}
            }
            self.lexer.next();
        }
    }

    /// Skips to the apparent head of a computation.
    pub(super) fn recover_computation(&mut self) {
        while self.kind() != TokenKind::End && !self.begins_computation(self.peek()) {
            self.lexer.next();
        }
    }
}
