//! Which rows of a long table are shown: those around the current one, and the last.

use std::ops::Range;

/// Rows of the table above and below the current one.
const AROUND: usize = 3;

/// The rows of a table that leaves some out: those around the current one, a gap, and the last.
const ROWS: usize = 2 * AROUND + 3;

/// The rows around row `at` that are shown of a table with `all` rows, and whether there is a gap before the last one.
pub fn visible_rows(at: usize, all: usize) -> (Range<usize>, bool) {
    let first = at.saturating_sub(AROUND);
    let end = first + 2 * AROUND + 1;
    if all <= ROWS {
        (0..all, false)
    } else if end + 2 > all {
        // The table has the same number of rows at both ends.
        (all - ROWS..all, false)
    } else {
        (first..end, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_always_has_the_current_and_the_last_row() {
        for all in 1..30 {
            for at in 0..all {
                let (range, has_gap) = visible_rows(at, all);
                assert!(range.contains(&at) && (has_gap || range.end == all), "{at} of {all}");
                // The gap stands for at least one row.
                assert!(!has_gap || range.end + 1 < all, "{at} of {all}");
            }
        }
        assert_eq!(visible_rows(0, 8), (0..8, false));
        assert_eq!(visible_rows(700, 1_000), (697..704, true));
        assert_eq!(visible_rows(999, 1_000), (991..1_000, false));
    }
}
