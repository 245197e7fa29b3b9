//! `loc(…)` → `metadata={…}`: the name of the operation, and the innermost line of the source file.

use super::Translator;
use crate::lexer::{Kind, Lexer};
use xla_messages::escape;

/// Maximum number of location aliases (`#loc3`) that are followed for one op: they may form a cycle.
const MAX_FOLLOWED_ALIASES: usize = 64;

impl<'s> Translator<'_, 's> {
    /// The HLO attribute `metadata` of a location, after a comma; empty for an unknown location.
    pub(super) fn location(&self, text: Option<&'s str>) -> String {
        let (mut name, mut file) = (None, None);
        let mut rest = text;
        for _ in 0..MAX_FOLLOWED_ALIASES {
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
        let mut fields = Vec::new();
        if let Some(name) = name {
            fields.push(format!("op_name=\"{}\"", escape::c::escape(name.as_bytes())));
        }
        if let Some((file, line)) = file {
            fields.push(format!("source_file=\"{}\" source_line={line}", escape::c::escape(file.as_bytes())));
        }
        if fields.is_empty() { String::new() } else { format!(", metadata={{{}}}", fields.join(" ")) }
    }
}
