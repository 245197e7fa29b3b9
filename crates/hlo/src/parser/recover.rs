//! Going on after what is wrong: where the next instruction begins, and what is skipped up to there.
//!
//! A name before `=` is an instruction wherever it stands: attributes have no blank there. Invariant: every loop takes
//! a token, and none looks further ahead than [`FAR`], so that a text of many mistakes is read in linear time.

use super::Parser;
use crate::lexer::{Kind, Lexer, Token};
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;

/// How far ahead, in bytes, the bracket is looked for that closes what was opened.
const FAR: usize = 1 << 14;

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
                Kind::Mark('(' | '[' | '{') => open += 1,
                Kind::Mark(')' | ']' | '}') => open -= 1,
                // The bracket was taken for a part of the text.
                Kind::OpenString if self.text(token.span).trim_end().ends_with('}') => {
                    self.bump();
                    return true;
                }
                Kind::End => return false,
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
                Kind::Mark(',' | ')' | ']' | '}') | Kind::End => true,
                _ => end > start && (self.begins_line(token) || self.begins_instruction(token)),
            };
            if ends {
                return (Span::new(start, end), true);
            }
            self.bump();
            let is_closed = !matches!(token.kind, Kind::Mark('(' | '[' | '{')) || self.skip_group();
            if !is_closed {
                return (Span::new(start, end.max(token.span.end)), false);
            }
            end = self.lexer.at;
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
        if !matches!(token.kind, Kind::Name | Kind::AttrName) {
            return false;
        }
        let mut ahead = Lexer::from(self.lexer.source, token.span.start);
        ahead.next();
        let next = ahead.next().kind;
        match token.kind {
            Kind::AttrName => next == Kind::Name && self.begins_line(token),
            _ if self.text(token.span) == "ROOT" => matches!(next, Kind::Name | Kind::AttrName),
            _ => next == Kind::Mark('='),
        }
    }

    /// Whether a token looks like the head of a computation: `ENTRY` and a name, then a brace or a parameter list, or a
    /// name at the start of a line, then a brace, or a parameter list with a brace at the end of its line.
    pub(super) fn begins_computation(&self, token: Token) -> bool {
        let is_entry = self.text(token.span) == "ENTRY";
        if token.kind != Kind::Name || !is_entry && !self.begins_line(token) {
            return false;
        }
        let mut ahead = Lexer::from(self.lexer.source, token.span.start);
        ahead.next();
        if is_entry && ahead.peek().kind != Kind::Name {
            return false;
        }
        if is_entry {
            ahead.next();
        }
        match ahead.next().kind {
            Kind::Mark('{') => true,
            Kind::Mark('(') if is_entry => true,
            // Only once a line, so that the time stays linear.
            Kind::Mark('(') => {
                let rest = self.lexer.source.get(ahead.at..).unwrap_or_default();
                let line = rest.split(['\n', '\r']).next().unwrap_or_default();
                line.trim_end().ends_with('{')
            }
            _ => false,
        }
    }

    /// Goes to what looks like the start of an instruction or the end of a body.
    pub(super) fn recover(&mut self) {
        let start = self.lexer.at;
        // Braces that open here also close here, so that a body within is not taken for what follows.
        let mut braces = 0_usize;
        while self.lexer.at - start <= FAR {
            let token = self.peek();
            match token.kind {
                Kind::Mark('{') => braces += 1,
                Kind::Mark('}') | Kind::End if braces == 0 => return,
                Kind::Mark('}') => braces -= 1,
                Kind::End => break,
                _ if braces == 0 && (self.begins_instruction(token) || self.begins_computation(token)) => {
                    return;
                }
                _ => {}
            }
            self.lexer.next();
        }
        // They do not: the lines tell then.
        self.lexer.at = start;
        loop {
            let token = self.peek();
            let is_start = match token.kind {
                Kind::End => true,
                Kind::Mark('}') => self.begins_line(token),
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
                Kind::Mark('(' | '[') => open += 1,
                Kind::Mark(')' | ']') => open -= 1,
                Kind::Mark('{') => braces += 1,
                Kind::Mark('}') if braces == 0 => return,
                Kind::Mark('}') => braces -= 1,
                Kind::End => return,
                _ if self.begins_instruction(token) => return,
                _ => {}
            }
            self.lexer.next();
        }
    }

    /// Goes to what looks like the head of a computation.
    pub(super) fn recover_computation(&mut self) {
        while self.kind() != Kind::End && !self.begins_computation(self.peek()) {
            self.lexer.next();
        }
    }
}
