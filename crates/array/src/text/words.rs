//! Finds the element type or padding value that an unknown word most likely means.

use crate::{ElementType, PaddingValue};

/// Names of types in other systems, in lower case and without punctuation, with XLA's names.
const FOREIGN_NAMES: [(&str, &str); 36] = [
    ("float", "f32"),
    ("single", "f32"),
    ("double", "f64"),
    ("half", "f16"),
    ("fp16", "f16"),
    ("fp32", "f32"),
    ("fp64", "f64"),
    ("float16", "f16"),
    ("float32", "f32"),
    ("float64", "f64"),
    ("bfloat16", "bf16"),
    ("bfloat", "bf16"),
    ("bool", "pred"),
    ("boolean", "pred"),
    ("i1", "pred"),
    ("byte", "u8"),
    ("char", "s8"),
    ("short", "s16"),
    ("int", "s32"),
    ("integer", "s32"),
    ("uint", "u32"),
    ("long", "s64"),
    ("complex", "c64"),
    ("complex64", "c64"),
    ("complex128", "c128"),
    ("c32", "c64"),
    ("cfloat", "c64"),
    ("cdouble", "c128"),
    ("f8", "f8e4m3fn"),
    ("fp8", "f8e4m3fn"),
    ("f8e4m3b11", "f8e4m3b11fnuz"),
    ("f4", "f4e2m1fn"),
    ("opaquetype", "opaque"),
    ("tok", "token"),
    ("real", "f32"),
    ("number", "f32"),
];

/// The name that `word` most likely means: of an element type, `token` or `opaque`.
pub(super) fn nearest_type(word: &str) -> &'static str {
    let plain: String =
        word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let known = || ElementType::ALL.iter().map(|t| t.name()).chain(["token", "opaque"]);
    if let Some(same) = known().find(|name| *name == plain) {
        return same;
    }
    if let Some((_, name)) = FOREIGN_NAMES.iter().find(|(other, _)| *other == plain) {
        return name;
    }
    // int32, i32, sint32 → s32; uint8, ui8 → u8; float8e5m2 → f8e5m2.
    for (prefix, ours) in [("uint", "u"), ("ui", "u"), ("sint", "s"), ("si", "s"), ("int", "s"), ("i", "s")]
        .into_iter()
        .chain([("float", "f"), ("fp", "f"), ("complex", "c")])
    {
        if let Some(rest) = plain.strip_prefix(prefix)
            && let Some(name) = known().find(|name| name.strip_prefix(ours) == Some(rest))
        {
            return name;
        }
    }
    // The most common types first: they win among equally near ones.
    let common = ["f32", "s32", "bf16", "pred", "u8", "f64", "f16", "s64", "u32", "s8"];
    common.into_iter().chain(known()).min_by_key(|name| distance(&plain, name)).unwrap_or("f32")
}

/// The padding value that `word` most likely means.
pub(super) fn nearest_padding(word: &str) -> PaddingValue {
    let plain = word.to_ascii_lowercase();
    let plain = plain.strip_suffix("_pad").unwrap_or(&plain);
    let synonym = match plain {
        "min" | "minimum" | "low" | "-inf" | "neginf" => Some(PaddingValue::Lowest),
        "max" | "maximum" | "high" | "inf" | "posinf" => Some(PaddingValue::Highest),
        "nan" | "any" => Some(PaddingValue::Unknown),
        "none" | "unset" => Some(PaddingValue::Invalid),
        _ => None,
    };
    let near = || PaddingValue::ALL.into_iter().skip(1).min_by_key(|value| distance(plain, value.word()));
    synonym.or_else(near).unwrap_or(PaddingValue::Zero)
}

/// Whether `word` is `target` up to case and an edit distance of 2.
pub(super) fn resembles(word: &str, target: &str) -> bool {
    word.len() <= target.len() + 2 && distance(&word.to_ascii_lowercase(), target) <= 2
}

/// The edit distance with transpositions of adjacent bytes (optimal string alignment), over at most 24 bytes of `a`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (&a.as_bytes()[..a.len().min(24)], b.as_bytes());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_of_other_systems_are_recognised() {
        for (word, expected) in [
            ("F32", "f32"),
            ("float", "f32"),
            ("double", "f64"),
            ("int", "s32"),
            ("i32", "s32"),
            ("int32", "s32"),
            ("int64", "s64"),
            ("bool", "pred"),
            ("i1", "pred"),
            ("half", "f16"),
            ("uint8", "u8"),
            ("ui16", "u16"),
            ("float8_e5m2", "f8e5m2"),
            ("float8_e4m3b11fnuz", "f8e4m3b11fnuz"),
            ("float32", "f32"),
            ("f23", "f32"),
            ("bf61", "bf16"),
            ("f8e4m3fm", "f8e4m3fn"),
            ("perd", "pred"),
            ("opaque_type", "opaque"),
            ("Token", "token"),
            ("BF16", "bf16"),
            ("f32_", "f32"),
        ] {
            assert_eq!(nearest_type(word), expected, "{word}");
        }
        assert_eq!(nearest_padding("zeros"), PaddingValue::Zero);
        assert_eq!(nearest_padding("MIN_PAD"), PaddingValue::Lowest);
        assert!(resembles("Paded", "padded") && !resembles("parameter", "padded"));
    }
}
