//! A counter-based generator: every case is a function of its number.

/// `SplitMix64`.
pub struct Random(u64);

impl Random {
    /// The generator of a case.
    pub fn of(number: u64) -> Self {
        Self(number.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `count`; 0 where that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).unwrap()
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of several.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// A count that is mostly small and sometimes as large as `most`.
    pub fn count(&mut self, most: usize) -> usize {
        let most = [3, 10, 70, most][self.below(4)].min(most);
        1 + self.below(most)
    }
}
