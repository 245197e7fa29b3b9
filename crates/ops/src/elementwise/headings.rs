//! The headings of today's Operation Semantics for the rows, and further names of rows.

/// Titles with a heading of another name, or with none.
const OTHERS: [(&str, &str); 13] = [
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
pub const fn today(title: &'static str) -> &'static str {
    let mut i = 0;
    while i < OTHERS.len() {
        if is_same(OTHERS[i].0.as_bytes(), title.as_bytes()) {
            return OTHERS[i].1;
        }
        i += 1;
    }
    title
}

/// Titles of rows that other frameworks call otherwise, with those names.
const NAMES: [(&str, &[&str]); 4] = [
    ("Logistic", &["sigmoid"]),
    ("Erf", &["gelu"]),
    ("Rsqrt", &["layer norm", "rms norm"]),
    ("PopulationCount", &["bit count"]),
];

/// The names of the row of this title in other frameworks.
pub const fn names(title: &'static str) -> &'static [&'static str] {
    let mut i = 0;
    while i < NAMES.len() {
        if is_same(NAMES[i].0.as_bytes(), title.as_bytes()) {
            return NAMES[i].1;
        }
        i += 1;
    }
    &[]
}

/// Whether two texts are equal; `==` of texts is not constant.
const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::{NAMES, OTHERS, names, today};

    #[test]
    fn rows_have_the_headings_of_today() {
        for (title, heading) in
            [("LogicalAnd", "And"), ("Log", "Log"), ("MulHi", ""), ("", ""), ("Asi", "Asi")]
        {
            assert_eq!(today(title), heading, "{title}");
        }
        let is_row = |title: &str| crate::all().any(|op| op.meta().title == title);
        assert!(OTHERS.iter().all(|(title, _)| is_row(title)));
        assert!(NAMES.iter().all(|(title, own)| is_row(title) && names(title) == *own));
        assert!(names("Log").is_empty());
    }
}
