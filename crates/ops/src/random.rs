//! Counter-based random numbers: Philox4x32-10 and Threefry2x32-20, after "Parallel Random Numbers: As Easy as 1, 2, 3"
//! (Salmon et al., 2011), and the streams that XLA's expanders derive from them.
//!
//! Invariant: every number is a function of key and counter alone, the same on every machine, in any order. The
//! tests are the published known answers. Read `rng` and `rng_bit_generator` next.

use xla_messages::bug::OrBug;

/// The halves of a word, the lower first.
const fn halves(word: u64) -> [u32; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
    [word as u32, (word >> 32) as u32]
}

/// The word with these halves, the lower first.
const fn word([low, high]: [u32; 2]) -> u64 {
    low as u64 | (high as u64) << 32
}

/// Philox4x32-10: four words for a key and a counter.
pub const fn philox(mut key: [u32; 2], mut counter: [u32; 4]) -> [u32; 4] {
    let mut round = 0;
    while round < 10 {
        let [low0, high0] = halves(0xD251_1F53 * counter[0] as u64);
        let [low1, high1] = halves(0xCD9E_8D57 * counter[2] as u64);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
        round += 1;
    }
    counter
}

/// Threefry2x32-20: two words for a key and a counter.
pub const fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let [mut a, mut b] = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    let mut round = 0;
    while round < 20 {
        a = a.wrapping_add(b);
        b = b.rotate_left(ROTATIONS[round % 8]) ^ a;
        round += 1;
        if round % 4 == 0 {
            let injection = round / 4;
            a = a.wrapping_add(keys[injection % 3]);
            #[allow(clippy::cast_possible_truncation, reason = "there are five injections")]
            let number = injection as u32;
            b = b.wrapping_add(keys[(injection + 1) % 3]).wrapping_add(number);
        }
    }
    [a, b]
}

/// Philox with a counter of 128 bits.
pub const fn philox_block(key: u64, counter: u128) -> [u32; 4] {
    #[allow(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
    let ([a, b], [c, d]) = (halves(counter as u64), halves((counter >> 64) as u64));
    philox(halves(key), [a, b, c, d])
}

/// Number `index` of XLA's Philox stream of words of 32 or 64 bits.
pub fn philox_stream(key: u64, counter: u128, is_wide: bool, index: u64) -> u64 {
    let words_per_block = if is_wide { 2 } else { 4 };
    let block = philox_block(key, counter.wrapping_add((index / words_per_block).into()));
    let words = if is_wide {
        [word([block[0], block[1]]), word([block[2], block[3]]), 0, 0]
    } else {
        block.map(u64::from)
    };
    words[usize::try_from(index % words_per_block).or_bug(0, "more than four words")]
}

/// The two 32-bit words of XLA's Threefry at a counter.
pub const fn threefry_pair(key: u64, counter: u64) -> [u32; 2] {
    threefry(halves(key), halves(counter))
}

/// The 64-bit word of XLA's Threefry at a counter.
pub const fn threefry_word(key: u64, counter: u64) -> u64 {
    word(threefry_pair(key, counter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first digits of pi, as counter and key of the known answers.
    const PI: [u32; 6] = [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344, 0xA409_3822, 0x299F_31D0];

    #[test]
    fn philox_matches_the_known_answers() {
        let ones = u32::MAX;
        assert_eq!(philox([0; 2], [0; 4]), [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]);
        assert_eq!(philox([ones; 2], [ones; 4]), [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]);
        let [a, b, c, d, ref key @ ..] = PI;
        assert_eq!(philox(*key, [a, b, c, d]), [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1]);
    }

    #[test]
    fn threefry_matches_the_known_answers() {
        let ones = u32::MAX;
        assert_eq!(threefry([0; 2], [0; 2]), [0x6B20_0159, 0x99BA_4EFE]);
        assert_eq!(threefry([ones; 2], [ones; 2]), [0x1CB9_96FC, 0xBB00_2BE7]);
        let [a, b, c, d, ..] = PI;
        assert_eq!(threefry([c, d], [a, b]), [0xC492_3A9C, 0x483D_F7A0]);
    }

    #[test]
    fn streams_return_the_words_of_each_block_in_order() {
        let block = philox_block(7, u128::MAX);
        let narrow: Vec<u64> = (0..4).map(|i| philox_stream(7, u128::MAX, false, i)).collect();
        assert_eq!(narrow, block.map(u64::from).to_vec());
        let wide = philox_stream(7, u128::MAX, true, 1);
        assert_eq!(wide, u64::from(block[2]) | u64::from(block[3]) << 32);
        // The counter wraps.
        assert_eq!(philox_stream(7, u128::MAX, false, 4), u64::from(philox_block(7, 0)[0]));
        assert_eq!(threefry_word(7, 9) & 0xFFFF_FFFF, u64::from(threefry_pair(7, 9)[0]));
    }
}
