//! A sorting network on four rows at once, one in each lane: its comparisons do not depend on the keys.
//!
//! Sixteen vectors are sorted in registers, by Green's network; then runs of 16, 32, 64 … are merged pairwise (bitonic merges).
//! A merge compares each vector of the first run with its mirror image in the second, then, within halves, quarters, eighths …,
//! each with the one half the distance away; up to three such steps are done in registers between a load and a store. The
//! smaller key always moves to the front. So the padding of a row, the largest key, never moves, and comparisons beyond the end
//! of a row are omitted: a length that is no power of two costs hardly more than in proportion.
//!
//! The distance between the vectors of a step is a const generic (one addition less per access saves a quarter of the time). The
//! driver is [`crate::sort::four_rows`].

#![allow(
    unsafe_code,
    reason = "eight vectors are loaded and stored for 24 operations: bounds checks are measurable"
)]

use crate::simd::lanes::Lanes;

/// The longest row that the network sorts, in elements. Speed-up over radix sort, measured with up to 1M random `f32` in rows: 5 at
/// 12 elements, 4 at 100, 3 at 1,000, 2 at 4,096, 1.7 at 8,192; at 16,384 it is 1.2 for four rows only, and at 65,536, whose
/// vectors fill the cache, close to 1.
pub const MAX_LENGTH: usize = 1 << 13;
/// Vectors that are sorted in registers.
const NETWORK_VECTORS: usize = 16;
/// Floats of a vector.
const LANES: usize = 4;

/// The vectors that rows of `length` elements need in memory: those from `length` on hold the largest key.
pub fn padded_length(length: usize) -> usize {
    length.next_power_of_two().max(NETWORK_VECTORS)
}

/// Sorts `length` vectors of four keys lane by lane, as unsigned integers. The vectors from `length` up to [`padded_length`] hold
/// the largest key in all lanes. Does nothing where memory is shorter, or rows are longer than [`MAX_LENGTH`].
pub fn sort<L: Lanes>(keys: &mut [f32], length: usize) {
    if length > MAX_LENGTH || keys.len() < LANES * padded_length(length) {
        return;
    }
    // SAFETY: `keys` has at least `padded_length(length)` vectors.
    unsafe { sort_runs::<L>(keys.as_mut_ptr(), length, padded_length(length)) }
}

/// Sorts `size` vectors, a power of two; those from `length` on hold the largest key.
///
/// # Safety
/// `size` vectors can be read and written.
unsafe fn sort_runs<L: Lanes>(keys: *mut f32, length: usize, size: usize) {
    // SAFETY: both halves are within the `size` vectors that can be read and written.
    unsafe {
        if size == NETWORK_VECTORS {
            return sort_sixteen::<L>(keys);
        }
        let half = size / 2;
        sort_runs::<L>(keys, length.min(half), half);
        if length > half {
            sort_runs::<L>(keys.add(LANES * half), length - half, half);
            merge::<L>(keys, length, size);
        }
    }
}

/// Merges two sorted halves of `size` vectors, at least 32 and at most [`MAX_LENGTH`]; those from `length` on hold the largest
/// key.
///
/// # Safety
/// `size` vectors can be read and written.
unsafe fn merge<L: Lanes>(keys: *mut f32, length: usize, size: usize) {
    let mut steps = size.ilog2();
    // SAFETY: a step of `R` vectors at a distance of `S` spans `R · S` vectors, which divides `size`.
    unsafe {
        match steps {
            5 => mirror_steps::<L, 4>(keys),
            6 => mirror_steps::<L, 8>(keys),
            7 => mirror_steps::<L, 16>(keys),
            8 => mirror_steps::<L, 32>(keys),
            9 => mirror_steps::<L, 64>(keys),
            10 => mirror_steps::<L, 128>(keys),
            11 => mirror_steps::<L, 256>(keys),
            12 => mirror_steps::<L, 512>(keys),
            _ => mirror_steps::<L, 1024>(keys),
        }
        steps -= 3;
        while steps > 0 {
            match steps {
                1 => distance_steps::<L, 2, 1>(keys, length),
                2 => distance_steps::<L, 4, 1>(keys, length),
                3 => distance_steps::<L, 8, 1>(keys, length),
                4 => distance_steps::<L, 4, 4>(keys, length),
                5 => distance_steps::<L, 8, 4>(keys, length),
                6 => distance_steps::<L, 8, 8>(keys, length),
                7 => distance_steps::<L, 8, 16>(keys, length),
                8 => distance_steps::<L, 8, 32>(keys, length),
                9 => distance_steps::<L, 8, 64>(keys, length),
                _ => distance_steps::<L, 8, 128>(keys, length),
            }
            // Four remaining steps are done in pairs.
            steps = if steps == 4 { 2 } else { steps.saturating_sub(3) };
        }
    }
}

/// Compare-exchange: moves the smaller key to the front.
#[inline(always)]
fn compare_exchange<L: Lanes>(keys: &mut [L], a: usize, b: usize) {
    let (x, y) = (keys[a], keys[b]);
    keys[a] = x.min_u32(y);
    keys[b] = x.max_u32(y);
}

/// A sequence of compare-exchanges, unrolled so that the vectors stay in registers.
macro_rules! compare_exchange {
    ($keys:ident: $($a:literal $b:literal),*) => { $(compare_exchange(&mut $keys, $a, $b);)* };
}

/// Compare-exchanges each vector with the one `R / 2` further on, then the same within halves, down to adjacent vectors.
#[inline(always)]
fn exchange_halves<L: Lanes, const R: usize>(keys: [L; R]) -> [L; R] {
    let mut keys = keys;
    if R == 8 {
        compare_exchange!(keys: 0 4, 1 5, 2 6, 3 7);
    }
    exchange_quarters(keys)
}

/// The steps of [`exchange_halves`] from a distance of two on.
#[inline(always)]
fn exchange_quarters<L: Lanes, const R: usize>(keys: [L; R]) -> [L; R] {
    let mut keys = keys;
    if R >= 4 {
        compare_exchange!(keys: 0 2, 1 3);
    }
    if R == 8 {
        compare_exchange!(keys: 4 6, 5 7);
    }
    compare_exchange!(keys: 0 1);
    if R >= 4 {
        compare_exchange!(keys: 2 3);
    }
    if R == 8 {
        compare_exchange!(keys: 4 5, 6 7);
    }
    keys
}

/// Sorts sixteen vectors (Green's network: D. Knuth, The Art of Computer Programming, 5.3.4).
///
/// # Safety
/// [`NETWORK_VECTORS`] vectors can be read and written.
unsafe fn sort_sixteen<L: Lanes>(keys: *mut f32) {
    // SAFETY: `k` is less than 16, the number of vectors that can be read.
    let mut v: [L; NETWORK_VECTORS] = std::array::from_fn(|k| unsafe { L::read(keys.add(LANES * k)) });
    compare_exchange!(v: 0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15);
    compare_exchange!(v: 0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15);
    compare_exchange!(v: 0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15);
    compare_exchange!(v: 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15);
    compare_exchange!(v: 5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2);
    compare_exchange!(v: 1 4, 7 13, 2 8, 11 14);
    compare_exchange!(v: 2 4, 5 6, 9 10, 11 13, 3 8, 7 12);
    compare_exchange!(v: 6 8, 10 12, 3 5, 7 9);
    compare_exchange!(v: 3 4, 5 6, 7 8, 9 10, 11 12);
    compare_exchange!(v: 6 7, 8 9);
    for (k, v) in v.into_iter().enumerate() {
        // SAFETY: `k` is less than 16, the number of vectors that can be written.
        unsafe { v.write(keys.add(LANES * k)) }
    }
}

/// The first three steps of a merge of `8 · S` vectors: each with its mirror image, then at distances of `2 · S` and `S`.
///
/// # Safety
/// `8 · S` vectors can be read and written.
unsafe fn mirror_steps<L: Lanes, const S: usize>(keys: *mut f32) {
    let (mut first, mut second) = (keys, keys.wrapping_add(LANES * (5 * S - 1)));
    for _ in 0..S {
        // SAFETY: `first` advances from 0 to `S - 1`, and its vectors are at most `3 · S` further on; `second` decreases from
        // `5 · S - 1` to `4 · S`, likewise.
        unsafe {
            let at =
                |k: usize| if k < 4 { first.add(LANES * S * k) } else { second.add(LANES * S * (k - 4)) };
            let mut v: [L; 8] = std::array::from_fn(|k| L::read(at(k)));
            compare_exchange!(v: 0 7, 1 6, 2 5, 3 4);
            for (k, v) in exchange_quarters(v).into_iter().enumerate() {
                v.write(at(k));
            }
        }
        first = first.wrapping_add(LANES);
        second = second.wrapping_sub(LANES);
    }
}

/// Steps at distances of `R / 2 · S` down to `S`, in each part of `R · S` vectors that begins before `length`.
///
/// # Safety
/// `length` vectors can be read and written, rounded up to whole parts.
unsafe fn distance_steps<L: Lanes, const R: usize, const S: usize>(keys: *mut f32, length: usize) {
    // The last `S` vectors have no partner before the end.
    for start in (0..length.saturating_sub(S)).step_by(R * S) {
        let mut first = keys.wrapping_add(LANES * start);
        // The compiler does not infer that `S == 1` needs no loop; the loop costs a fifth of the time.
        let iterations = if S == 1 { 1 } else { S.min(length - S - start) };
        for _ in 0..iterations {
            // SAFETY: `R` vectors at a distance of `S`, the first of the first `S`, are within the part.
            unsafe {
                let v: [L; R] = std::array::from_fn(|k| L::read(first.add(LANES * S * k)));
                for (k, v) in exchange_halves(v).into_iter().enumerate() {
                    v.write(first.add(LANES * S * k));
                }
            }
            first = first.wrapping_add(LANES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::scalar::ScalarLanes;

    /// Sorts four rows of keys, padded.
    fn sorted(rows: &[Vec<u32>; 4]) -> [Vec<u32>; 4] {
        let length = rows[0].len();
        let mut keys = vec![f32::from_bits(u32::MAX); LANES * padded_length(length)];
        for (lane, row) in rows.iter().enumerate() {
            for (i, key) in row.iter().enumerate() {
                keys[LANES * i + lane] = f32::from_bits(*key);
            }
        }
        sort::<ScalarLanes>(&mut keys, length);
        assert!(keys[LANES * length..].iter().all(|key| key.to_bits() == u32::MAX), "{length}");
        std::array::from_fn(|lane| (0..length).map(|i| keys[LANES * i + lane].to_bits()).collect())
    }

    #[test]
    fn the_network_sorts_all_sequences_of_zeros_and_ones() {
        // The zero-one principle: a network that sorts every sequence of zeros and ones sorts every sequence.
        // Under Miri a few sequences, which run the same code.
        for bits in (0..1_u32 << 16).step_by(if cfg!(miri) { 1 << 13 } else { 4 }) {
            let rows = [0, 1, 2, 3].map(|lane| (0..16).map(|i| (bits + lane) >> i & 1).collect::<Vec<_>>());
            assert!(sorted(&rows).iter().all(|row| row.is_sorted()), "{bits:b}");
        }
    }

    #[test]
    fn rows_of_any_length_are_sorted() {
        let mut noise = 1_u32;
        let all = (0..300).chain([511, 513, 1023, 1025, 1531, 2100, 3000, 4097, 6001, MAX_LENGTH]);
        // Nothing, less than sixteen, one more, and merges of three, of four and of five steps after the first three.
        let few = [0, 3, 17, 33, 70, 130];
        for length in all.filter(|length| !cfg!(miri) || few.contains(length)) {
            let mut rows: [Vec<u32>; 4] = std::array::from_fn(|lane| {
                (0..length)
                    .map(|_| {
                        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        // The last row has few distinct keys, one of which is the largest.
                        if lane == 3 { (noise >> 30).wrapping_sub(1) } else { noise ^ noise >> 15 }
                    })
                    .collect()
            });
            let answer = sorted(&rows);
            for row in &mut rows {
                row.sort_unstable();
            }
            assert!(answer == rows, "{length}");
        }
    }
}
