//! Shared by the tests of several packages: pseudo-random numbers ([`Random`]), the folder of the test data ([`data`]) and
//! files as `NumPy` saves them ([`numpy`]).

pub mod numpy;

use std::path::{Path, PathBuf};

/// The project's folder of test data.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("data")
}

/// Pseudo-random numbers (`SplitMix64`), the same on every machine for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; adjacent seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`; 0 if `count` is 0.
    #[allow(clippy::cast_possible_truncation, reason = "31 bits are an index on every machine")]
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() >> 33) as usize % count.max(1)
    }

    /// True with probability `1 / count`.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A random element of a non-empty slice.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    /// A count from 1 to `max` that is mostly small.
    pub fn count(&mut self, max: usize) -> usize {
        let max = [3, 10, 70, max][self.below(4)].min(max);
        1 + self.below(max)
    }

    /// A number in `-1..1`.
    #[allow(clippy::cast_precision_loss, reason = "24 bits are the significand of an f32")]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    /// A random permutation of the numbers below `count`.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_another_gives_others() {
        let of = |seed| {
            std::iter::repeat_with({
                let mut random = Random::new(seed);
                move || random.bits()
            })
            .take(4)
            .collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert!(of(1).iter().all(|bits| !of(2).contains(bits)));
    }

    #[test]
    fn numbers_stay_within_their_bounds_and_reach_them() {
        let mut random = Random::new(3);
        let below: Vec<usize> = (0..200).map(|_| random.below(5)).collect();
        assert!((0..5).all(|number| below.contains(&number)) && below.iter().all(|number| *number < 5));
        assert!((0..200).map(|_| random.unit()).all(|number| (-1.0..1.0).contains(&number)));
        let mut order = random.order(9);
        order.sort_unstable();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
        assert_eq!((random.below(0), random.count(1)), (0, 1));
    }

    #[test]
    fn the_data_is_there() {
        assert!(data().join("goldens").is_dir());
    }
}
