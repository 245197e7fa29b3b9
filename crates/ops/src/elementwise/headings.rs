//! The headings of the rows in the current Operation Semantics, and their further names.

/// Titles whose heading differs, or is missing (empty).
const SECTIONS: [(&str, &str); 13] = [
    ("LogicalAnd", "And"),
    ("LogicalOr", "Or"),
    ("LogicalXor", "Xor"),
    ("LogicalNot", "Not"),
    ("RoundNearestAfz", "Round"),
    ("RoundNearestEven", ""),
    ("MulHi", ""),
    ("Asin", ""),
    ("Acos", ""),
    ("Sinh", ""),
    ("Asinh", ""),
    ("Acosh", ""),
    ("Atanh", ""),
];

/// The heading that describes the row of this title; empty if there is none.
pub const fn section(title: &'static str) -> &'static str {
    let mut i = 0;
    while i < SECTIONS.len() {
        if is_equal(SECTIONS[i].0.as_bytes(), title.as_bytes()) {
            return SECTIONS[i].1;
        }
        i += 1;
    }
    title
}

/// Titles of rows that have other names in other frameworks, with these names.
const FURTHER_NAMES: [(&str, &[&str]); 4] = [
    ("Logistic", &["sigmoid"]),
    ("Erf", &["gelu"]),
    ("Rsqrt", &["layer norm", "rms norm"]),
    ("PopulationCount", &["bit count"]),
];

/// The search terms of the row of this title: its names in other frameworks.
pub const fn search_terms(title: &'static str) -> &'static [&'static str] {
    let mut i = 0;
    while i < FURTHER_NAMES.len() {
        if is_equal(FURTHER_NAMES[i].0.as_bytes(), title.as_bytes()) {
            return FURTHER_NAMES[i].1;
        }
        i += 1;
    }
    &[]
}

/// Whether two strings are equal; `==` of strings is not `const`.
const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::{FURTHER_NAMES, SECTIONS, search_terms, section};

    #[test]
    fn rows_have_current_headings() {
        for (title, heading) in
            [("LogicalAnd", "And"), ("Log", "Log"), ("MulHi", ""), ("", ""), ("Asi", "Asi")]
        {
            assert_eq!(section(title), heading, "{title}");
        }
        let is_row = |title: &str| crate::all().any(|op| op.meta().title == title);
        assert!(SECTIONS.iter().all(|(title, _)| is_row(title)));
        assert!(FURTHER_NAMES.iter().all(|(title, own)| is_row(title) && search_terms(title) == *own));
        assert!(search_terms("Log").is_empty());
    }
}
