//! `loc(…)` → `metadata={…}`: the name of the operation, and the innermost line of the source file.

use super::Translator;
use crate::lexer::{Kind, Lexer};
use xla_messages::escape;

/// Bound on the locations that are followed for one op.
const MAX_STEPS: usize = 64;

impl<'s> Translator<'_, 's> {
    /// The metadata of a location's text, with the comma before it; empty for an unknown one.
    pub(super) fn location(&self, text: Option<&'s str>) -> String {
        let (mut name, mut file) = (None, None);
        let mut rest = text;
        for _ in 0..MAX_STEPS {
            let Some(text) = rest.take() else { break };
            let mut lexer = Lexer::new(text, 0);
            while file.is_none() {
                let token = lexer.bump();
                let text = lexer.text(token.span);
                match token.kind {
                    Kind::End => break,
                    Kind::Hash => {
                        let target = self.aliases.get(text).and_then(|text| text.strip_prefix("loc("));
                        rest = target.map(|text| text.strip_suffix(')').unwrap_or(text));
                        break;
                    }
                    Kind::String => {
                        let text = text.trim_matches('"');
                        let mut ahead = lexer.clone();
                        if ahead.bump().kind == Kind::Punct(':') {
                            let line = ahead.bump();
                            file = Some((text, ahead.text(line.span).parse::<u32>().unwrap_or(0)));
                        } else if name.is_none() {
                            name = Some(text);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut parts = Vec::new();
        if let Some(name) = name {
            parts.push(format!("op_name=\"{}\"", escape::c::escape(name.as_bytes())));
        }
        if let Some((file, line)) = file {
            parts.push(format!("source_file=\"{}\" source_line={line}", escape::c::escape(file.as_bytes())));
        }
        if parts.is_empty() { String::new() } else { format!(", metadata={{{}}}", parts.join(" ")) }
    }
}
