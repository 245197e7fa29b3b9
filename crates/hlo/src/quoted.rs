//! Detects JSON within HLO text, and escapes its strings.

use std::fmt::Write;

use super::lexer::{Lexer, Token, TokenKind};
use xla_messages::escape;

/// Tracks whether the lexer is within JSON: braces whose first tokens are a quoted key and a colon.
#[derive(Debug, Default)]
pub(super) struct JsonTracker {
    depth: usize,
    /// The depth of the outermost brace of JSON.
    json_depth: Option<usize>,
}

impl JsonTracker {
    /// Whether the last token is within JSON.
    pub fn is_in_json(&self) -> bool {
        self.json_depth.is_some()
    }

    /// Advances by a token; `lexer` is at the offset after it.
    pub fn advance(&mut self, token: Token, lexer: &Lexer) {
        match token.kind {
            TokenKind::Punct('{') => {
                self.depth += 1;
                if self.json_depth.is_none() && begins_json(lexer) {
                    self.json_depth = Some(self.depth);
                }
            }
            TokenKind::Punct('}') => {
                self.json_depth = self.json_depth.filter(|depth| *depth != self.depth);
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// Whether the source after an opening brace is JSON: a quoted key and a colon.
fn begins_json(lexer: &Lexer) -> bool {
    let mut ahead = lexer.clone();
    ahead.next().kind == TokenKind::String && ahead.next().kind == TokenKind::Punct(':')
}

/// A JSON string as written, with hostile characters escaped.
pub(super) fn json_text(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    // Raw line breaks are read as LF, like in any other string.
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
