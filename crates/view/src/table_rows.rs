//! The visible rows of a long table: those around the current one, and the last.

use std::ops::Range;

/// Visible rows above and below the current one.
const CONTEXT_ROWS: usize = 3;

/// Bound on the visible rows: those around the current one, a gap, and the last.
const MAX_VISIBLE_ROWS: usize = 2 * CONTEXT_ROWS + 3;

/// The visible rows around row `current` of a table with `count` rows, and whether a gap follows, before the last row.
pub fn visible_rows(current: usize, count: usize) -> (Range<usize>, bool) {
    let first = current.saturating_sub(CONTEXT_ROWS);
    let end = first + 2 * CONTEXT_ROWS + 1;
    if count <= MAX_VISIBLE_ROWS {
        (0..count, false)
    } else if end + 2 > count {
        // Near the end there is no gap; the table keeps its height.
        (count - MAX_VISIBLE_ROWS..count, false)
    } else {
        (first..end, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_always_has_the_current_and_the_last_row() {
        for count in 1..30 {
            for current in 0..count {
                let (range, has_gap) = visible_rows(current, count);
                assert!(range.contains(&current) && (has_gap || range.end == count), "{current} of {count}");
                // The gap replaces at least one row.
                assert!(!has_gap || range.end + 1 < count, "{current} of {count}");
            }
        }
        assert_eq!(visible_rows(0, 8), (0..8, false));
        assert_eq!(visible_rows(700, 1_000), (697..704, true));
        assert_eq!(visible_rows(999, 1_000), (991..1_000, false));
    }
}
