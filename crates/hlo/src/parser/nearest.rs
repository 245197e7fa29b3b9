//! What was meant by a word that is none: the nearest known one.

/// How other interfaces and older texts call opcodes.
const OTHER_NAMES: &[(&str, &str)] = &[
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

/// The word nearest to one that is none, if it is near: one letter of three may differ.
pub(super) fn nearest<'a>(word: &str, of: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = (word.len() / 2).min(1).max(word.len() / 3).min(2);
    of.map(|other| (distance(word, other), other)).filter(|(d, _)| *d <= most).min().map(|(_, other)| other)
}

/// The opcode that was meant by a word that is none.
pub(super) fn opcode(word: &str) -> Option<&'static str> {
    let plain = word.to_ascii_lowercase().replace('_', "-");
    let opcodes = || xla_ops::all().map(|op| op.meta().opcode);
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == plain).map(|(_, opcode)| *opcode);
    let known = opcodes().find(|opcode| *opcode == plain);
    known.or(other.filter(|opcode| xla_ops::find(opcode).is_some())).or_else(|| nearest(&plain, opcodes()))
}

/// How many letters must change (Levenshtein); words of more than 40 letters are no typing mistakes.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > 40 || b.len() > 40 || a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_near() {
        for (word, meant) in [
            ("negat", Some("negate")),
            ("Add", Some("add")),
            ("get_tuple_element", Some("get-tuple-element")),
            ("mul", Some("multiply")),
            ("trnaspose", Some("transpose")),
            ("q", None),
            ("frobnicate", None),
        ] {
            assert_eq!(opcode(word), meant, "{word}");
        }
        assert_eq!(nearest("y", ["x", "z"].into_iter()), None);
        assert_eq!(nearest("xx", ["xs", "y"].into_iter()), Some("xs"));
    }
}
