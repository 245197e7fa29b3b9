//! JSON within HLO text: where it is, and its strings.

use std::fmt::Write;

use super::lexer::{Lexer, Token, TokenKind};
use xla_messages::escape;

/// Whether the tokens that were passed are within JSON: braces that open with a key in quotation marks and a colon.
#[derive(Debug, Default)]
pub(super) struct Json {
    depth: usize,
    /// The depth of the outermost brace of JSON.
    open: Option<usize>,
}

impl Json {
    /// Whether the last token is within JSON.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Passes a token; `lexer` is behind it.
    pub fn pass(&mut self, token: Token, lexer: &Lexer) {
        match token.kind {
            TokenKind::Punct('{') => {
                self.depth += 1;
                if self.open.is_none() && opens(lexer) {
                    self.open = Some(self.depth);
                }
            }
            TokenKind::Punct('}') => {
                self.open = self.open.filter(|open| *open != self.depth);
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// Whether what follows an opening brace is JSON: a key in quotation marks, and a colon.
fn opens(lexer: &Lexer) -> bool {
    let mut ahead = lexer.clone();
    ahead.next().kind == TokenKind::String && ahead.next().kind == TokenKind::Punct(':')
}

/// A string within JSON as it is written, but that no character of it is hostile.
pub(super) fn json_text(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    // Raw line ends are read as LF, as in any other string.
    for c in written.replace("\r\n", "\n").replace('\r', "\n").chars() {
        if escape::is_hostile(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}
