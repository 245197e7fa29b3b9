//! Search and sort in little code, for the page's first download: those of the standard library are faster for long texts and lists, but
//! take some two kilobytes of it each.

use std::collections::BinaryHeap;

/// The byte offset of the first occurrence of `needle`, which is not empty.
pub fn find(text: &str, needle: &str) -> Option<usize> {
    text.as_bytes().windows(needle.len()).position(|window| window == needle.as_bytes())
}

/// The byte offset of the last occurrence of `needle`, which is not empty.
pub fn rfind(text: &str, needle: &str) -> Option<usize> {
    text.as_bytes().windows(needle.len()).rposition(|window| window == needle.as_bytes())
}

/// Whether `needle`, which is not empty, occurs in `text`.
pub fn contains(text: &str, needle: &str) -> bool {
    find(text, needle).is_some()
}

/// Sorts pairs. A type of pairs serves all, so that there is one instance of the sort.
#[must_use]
pub fn sort_pairs(pairs: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    BinaryHeap::from(pairs).into_sorted_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_are_those_of_the_standard_library() {
        for text in ["", "*", "*/", "a*/b*/", "**/", "\u{2212}*/\u{2212}"] {
            for needle in ["*", "*/", "b*/", "\u{2212}"] {
                assert_eq!(find(text, needle), text.find(needle), "{text} {needle}");
                assert_eq!(rfind(text, needle), text.rfind(needle), "{text} {needle}");
                assert_eq!(contains(text, needle), text.contains(needle), "{text} {needle}");
            }
        }
    }
}
