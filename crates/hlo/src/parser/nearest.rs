//! Suggestions for misspelled names: the nearest known name by edit distance.

/// Maximum length of compared words: longer ones are slow to compare, and rarely typing errors.
const MAX_WORD_BYTES: usize = 40;

/// Minimum length of an abbreviation: fewer letters begin too many names.
const MIN_ABBREVIATION_BYTES: usize = 3;

/// Names of opcodes in other APIs and in older XLA, with the current opcode.
const ALIASES: &[(&str, &str)] = &[
    ("arccos", "acos"),
    ("arcsin", "asin"),
    ("bitwise-and", "and"),
    ("bitwise-not", "not"),
    ("bitwise-or", "or"),
    ("broadcast-in-dim", "broadcast"),
    ("concat", "concatenate"),
    ("cond", "conditional"),
    ("const", "constant"),
    ("conv", "convolution"),
    ("convert-element-type", "convert"),
    ("cos", "cosine"),
    ("cross-replica-sum", "all-reduce"),
    ("div", "divide"),
    ("dot-general", "dot"),
    ("eq", "compare"),
    ("exp", "exponential"),
    ("expm1", "exponential-minus-one"),
    ("fused-computation", "fusion"),
    ("ge", "compare"),
    ("gt", "compare"),
    ("gte", "get-tuple-element"),
    ("infeed-start", "infeed"),
    ("le", "compare"),
    ("log1p", "log-plus-one"),
    ("logical-and", "and"),
    ("logical-not", "not"),
    ("logical-or", "or"),
    ("lt", "compare"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("mod", "remainder"),
    ("mul", "multiply"),
    ("ne", "compare"),
    ("neg", "negate"),
    ("param", "parameter"),
    ("pow", "power"),
    ("reduce-sum", "reduce"),
    ("rem", "remainder"),
    ("rev", "reverse"),
    ("rng-uniform", "rng"),
    ("rng-normal", "rng"),
    ("shift-right", "shift-right-logical"),
    ("sigmoid", "logistic"),
    ("sin", "sine"),
    ("sub", "subtract"),
    ("top-k", "topk"),
    ("where", "select"),
];

/// The name nearest to `word` by edit distance, if at most a third of its letters differ (two at most).
pub(super) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let max_distance = (word.len() / 2).min(1).max(word.len() / 3).min(2);
    let close = names.map(|name| (distance(word, name), name)).filter(|(d, _)| *d <= max_distance);
    close.min().map(|(_, name)| name)
}

/// The name that `word` abbreviates, such as "subtract" for "subt": the only one that begins with it, or one with which all others
/// begin.
fn abbreviated<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() < MIN_ABBREVIATION_BYTES {
        return None;
    }
    let longer: Vec<&str> = names.filter(|name| name.starts_with(word)).collect();
    let shortest = longer.iter().min_by_key(|name| name.len())?;
    longer.iter().all(|name| name.starts_with(shortest)).then_some(shortest)
}

/// The opcode nearest to a word that is not an opcode: the current name of an alias, the name that it abbreviates, or that of a typing
/// error. Underscores count as hyphens.
pub fn opcode(word: &str) -> Option<&'static str> {
    let normalized = word.to_ascii_lowercase().replace('_', "-");
    let opcodes = || xla_ops::all().map(|op| op.meta().opcode);
    let exact = opcodes().find(|opcode| *opcode == normalized);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == normalized).map(|(_, opcode)| *opcode);
    exact
        .or(alias.filter(|opcode| xla_ops::find(opcode).is_some()))
        .or_else(|| abbreviated(&normalized, opcodes()))
        .or_else(|| nearest(&normalized, opcodes()))
}

/// The edit distance, where a transposition of two adjacent letters counts once; `usize::MAX` if it would be above 2, or for words that are too long to be typing errors.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > MAX_WORD_BYTES || b.len() > MAX_WORD_BYTES || a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let substitution = row[j] + usize::from(x != y);
            next[j + 1] = substitution.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_opcode_is_suggested() {
        for (word, suggestion) in [
            ("negat", Some("negate")),
            ("Add", Some("add")),
            ("get_tuple_element", Some("get-tuple-element")),
            ("mul", Some("multiply")),
            ("trnaspose", Some("transpose")),
            ("subt", Some("subtract")),
            ("mult", Some("multiply")),
            ("Transp", Some("transpose")),
            ("red", Some("reduce")),
            ("con", None),
            ("q", None),
            ("frobnicate", None),
        ] {
            assert_eq!(opcode(word), suggestion, "{word}");
        }
        assert_eq!(nearest("y", ["x", "z"].into_iter()), None);
        assert_eq!(nearest("smu", ["sum", "z"].into_iter()), Some("sum"));
        assert_eq!(nearest("xx", ["xs", "y"].into_iter()), Some("xs"));
    }
}
