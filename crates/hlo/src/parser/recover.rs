//! Going on after what is wrong: where the next instruction begins, and what is skipped up to there.
//!
//! A name before `=` is an instruction wherever it stands: attributes have no blank there. Invariant: every loop takes
//! a token, and none looks further ahead than [`MAX_LOOKAHEAD_BYTES`], so that a text of many mistakes is read in linear time.

use super::Parser;
use crate::lexer::{Lexer, Token, TokenKind};
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;

/// How far ahead, in bytes, the bracket is looked for that closes what was opened.
const MAX_LOOKAHEAD_BYTES: usize = 1 << 14;

impl Parser<'_> {
    /// Whether a token is the first of its line.
    pub(super) fn begins_line(&self, token: Token) -> bool {
        let before = self.lexer.source.get(..token.span.start).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    }

    /// Skips the group whose opening bracket was just taken; gives whether it is closed. One that is not ends before
    /// the next instruction, unless it is a body, which begins with one.
    pub(super) fn skip_group(&mut self) -> bool {
        let is_body = self.begins_instruction(self.peek());
        let mut open = 1_usize;
        while open > 0 {
            let token = self.peek();
            match token.kind {
                TokenKind::Punct('(' | '[' | '{') => open += 1,
                TokenKind::Punct(')' | ']' | '}') => open -= 1,
                // The bracket was taken for a part of the text.
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

    /// Skips the value of an attribute, whatever it is; gives its text, and whether its brackets are closed. It ends
    /// before a comma or a closing bracket of whatever is around it, and before a new line.
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

    /// Skips a value and gives its text; tells where a bracket of it is not closed.
    pub(super) fn raw_value(&mut self) -> Span {
        let (span, is_closed) = self.skip_value();
        if !is_closed {
            let message = self.expected_message(Message::engine("hlo-a-closing-bracket"), self.peek().span);
            self.error(span, "hlo-syntax", message);
        }
        span
    }

    /// Whether a token looks like the start of an instruction: a name before `=`, `ROOT` before a name, or, at the
    /// start of a line, a name that `=` follows without a blank.
    pub(super) fn begins_instruction(&self, token: Token) -> bool {
        if !matches!(token.kind, TokenKind::Name | TokenKind::AttrName) {
            return false;
        }
        let mut ahead = Lexer::starting_at(self.lexer.source, token.span.start);
        ahead.next();
        let next = ahead.next().kind;
        match token.kind {
            TokenKind::AttrName => next == TokenKind::Name && self.begins_line(token),
            _ if self.text(token.span) == "ROOT" => matches!(next, TokenKind::Name | TokenKind::AttrName),
            _ => next == TokenKind::Punct('='),
        }
    }

    /// Whether a token looks like the head of a computation: `ENTRY` and a name, then a brace or a parameter list, or a
    /// name at the start of a line, then a brace, or a parameter list with a brace at the end of its line.
    pub(super) fn begins_computation(&self, token: Token) -> bool {
        let is_entry = self.text(token.span) == "ENTRY";
        if token.kind != TokenKind::Name || !is_entry && !self.begins_line(token) {
            return false;
        }
        let mut ahead = Lexer::starting_at(self.lexer.source, token.span.start);
        ahead.next();
        if is_entry && ahead.peek().kind != TokenKind::Name {
            return false;
        }
        if is_entry {
            ahead.next();
        }
        match ahead.next().kind {
            TokenKind::Punct('{') => true,
            TokenKind::Punct('(') if is_entry => true,
            // Only once a line, so that the time stays linear.
            TokenKind::Punct('(') => {
                let rest = self.lexer.source.get(ahead.offset..).unwrap_or_default();
                let line = rest.split(['\n', '\r']).next().unwrap_or_default();
                line.trim_end().ends_with('{')
            }
            _ => false,
        }
    }

    /// Goes to what looks like the start of an instruction or the end of a body.
    pub(super) fn recover(&mut self) {
        let start = self.lexer.offset;
        // Braces that open here also close here, so that a body within is not taken for what follows.
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
        // They do not: the lines tell then.
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

    /// Skips to behind the parenthesis that closes the operands, but not what looks like the next instruction or the
    /// end of the body.
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

    /// Goes to what looks like the head of a computation.
    pub(super) fn recover_computation(&mut self) {
        while self.kind() != TokenKind::End && !self.begins_computation(self.peek()) {
            self.lexer.next();
        }
    }
}
