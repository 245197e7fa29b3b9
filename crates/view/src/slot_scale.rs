//! The colours of memory slots.

use xla_messages::bug::OrBug as _;

/// The first entry of a colour table for slots; darker ones are hard to distinguish from the dark theme's background.
const FIRST_ENTRY: i64 = 24;

/// Maps slots to entries of a colour table, by a multiplication instead of a division. With at most 2^26 slots, the
/// product fits in 64 bits.
pub(super) struct Scale(i64);

impl Scale {
    /// The scale for a number of slots.
    pub(super) fn new(slot_count: i64) -> Self {
        Self(((255 - FIRST_ENTRY) << 30) / (slot_count - 1).max(1))
    }

    /// The entry of a slot.
    pub(super) fn entry(&self, slot: i64) -> usize {
        let entry = usize::try_from((slot.wrapping_mul(self.0) >> 30) + FIRST_ENTRY);
        entry.or_bug(0, "a negative slot").min(255)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplication_agrees_with_the_division() {
        for cells in [1, 2, 3, 15, 4_096, 1 << 20, (1 << 26) - 1, 1 << 26] {
            let scale = Scale::new(cells);
            for slot in [0, 1, cells / 3, cells / 2, cells - 1] {
                let exact = FIRST_ENTRY + slot * (255 - FIRST_ENTRY) / (cells - 1).max(1);
                let entry = i64::try_from(scale.entry(slot)).unwrap();
                assert!((entry - exact).abs() <= 1, "{slot} of {cells}: {entry} for {exact}");
            }
        }
    }
}
