//! Queries: terms that must all match, separated by spaces; `"…"` keeps spaces, `op:dot` restricts a term to a field.

use super::Field;

/// Maximum number of terms of a query; further ones are ignored.
const MAX_TERMS: usize = 8;

/// A term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The field it is restricted to, if any.
    pub field: Option<Field>,
    /// The text to find, in lower case; not empty.
    pub text: String,
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The terms, which must all match; none match nothing.
    pub terms: Vec<Term>,
}

impl Query {
    /// Reads a query. Every text is one.
    pub fn parse(text: &str) -> Self {
        let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
        for c in text.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                '\n' | '\r' => words.push(std::mem::take(&mut word)),
                _ if c.is_whitespace() && !is_quoted => words.push(std::mem::take(&mut word)),
                _ => word.push(c.to_ascii_lowercase()),
            }
        }
        words.push(word);
        let term = |word: String| {
            let prefixed = Field::ALL.iter().find_map(|field| {
                let text = word.strip_prefix(field.prefix())?.strip_prefix(':')?;
                Some((Some(*field), text.to_owned()))
            });
            let (field, text) = prefixed.unwrap_or((None, word));
            Some(Term { field, text: text.trim_start_matches('%').to_owned() })
                .filter(|term| !term.text.is_empty())
        };
        Self { terms: words.into_iter().filter_map(term).take(MAX_TERMS).collect() }
    }
}
