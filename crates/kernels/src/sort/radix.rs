//! Stable radix sort by the bits of keys, least significant digit first. An element is a key, or a key with an index in its lower
//! half. Where elements exceed the cache, they are first partitioned by the most significant digit, into pieces that fit.

#![allow(
    unsafe_code,
    reason = "histograms bound the destinations, and word buffers are reused for wider elements"
)]

use crate::simd::native::IS_SCALAR_BUILD;
use crate::support::context::Context;
use crate::support::error::KernelError;

/// An element to sort: a key, or a key with its index in the lower half.
pub trait Sortable: Copy + Ord + Default + 'static {
    /// The element shifted right by `shift` bits, truncated to `usize`.
    fn digit(self, shift: u32) -> usize;
}

macro_rules! elements {
    ($($ty:ty)*) => {
        $(impl Sortable for $ty {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "truncation to the digit")]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize
            }
        })*
    };
}
elements! { u32 u64 u128 }

/// Histograms of [`DIGITS_AT_ONCE`] digits.
#[derive(Debug)]
pub struct Histograms(Vec<[u32; 1 << WIDE_DIGIT_BITS]>);

impl Default for Histograms {
    fn default() -> Self {
        Self(vec![[0; 1 << WIDE_DIGIT_BITS]; DIGITS_AT_ONCE])
    }
}

// Under Miri digits are narrower and thresholds lower: histograms are cleared for each pass, and rows
// of a few dozen elements take every path.

/// Digits that are counted in one pass: three wide ones cover 32 bits, and their histograms fit in the L1 cache.
const DIGITS_AT_ONCE: usize = 3;
/// Bits of a digit of long rows.
const WIDE_DIGIT_BITS: u32 = if cfg!(miri) { 6 } else { 11 };
/// Bits of a digit of rows shorter than [`MIN_WIDE_ELEMENTS`], where histograms of wide digits would cost more than they save.
const NARROW_DIGIT_BITS: u32 = if cfg!(miri) { 4 } else { 8 };
/// Bits of a digit of rows shorter than [`MAX_MEDIUM_ELEMENTS`] where two digits cover the key: floats below their most
/// significant digit.
const MEDIUM_DIGIT_BITS: u32 = if cfg!(miri) { 5 } else { 9 };
/// Below this number of elements, clearing and summing the histograms of wide digits costs more than a narrower digit.
const MAX_MEDIUM_ELEMENTS: usize = 1 << 14;
/// Minimum number of elements for wide digits.
const MIN_WIDE_ELEMENTS: usize = if cfg!(miri) { 40 } else { 800 };
/// Minimum number of elements to partition by the most significant digit first.
const MIN_PARTITIONED_ELEMENTS: usize = if cfg!(miri) { 60 } else { 1 << 16 };
/// Minimum number of bits of the most significant digit: of an `f32` the sign, the exponent and three more.
const MIN_TOP_DIGIT_BITS: u32 = if cfg!(miri) { 2 } else { 12 };
/// Maximum number of bits of the most significant digit.
const MAX_TOP_DIGIT_BITS: u32 = if cfg!(miri) { 3 } else { 14 };
/// Maximum number of elements that are sorted by comparison instead.
const MAX_COMPARISON_SORT_ELEMENTS: usize = if cfg!(miri) { 10 } else { 100 };

/// Sorts by the bits from `low` up to `high`; elements that are equal in these bits are in order already. Returns whether the
/// result is in `other`. Fails only if cancelled.
pub fn sort<E: Sortable>(
    elements: &mut [E],
    other: &mut [E],
    histograms: &mut Histograms,
    [low, high]: [u32; 2],
    context: &mut Context,
) -> Result<bool, KernelError> {
    if elements.len() <= MAX_COMPARISON_SORT_ELEMENTS {
        elements.sort_unstable();
        return Ok(false);
    }
    if elements.len() < MIN_WIDE_ELEMENTS {
        return sort_by_passes::<E, NARROW_DIGIT_BITS>(elements, other, histograms, [low, high], context);
    }
    let bits = high - low;
    if IS_SCALAR_BUILD {
        sort_by_passes::<E, WIDE_DIGIT_BITS>(elements, other, histograms, [low, high], context)
    } else if elements.len() >= MIN_PARTITIONED_ELEMENTS && bits > 2 * WIDE_DIGIT_BITS {
        sort_from_top_digit(elements, other, histograms, [low, high], context)
    } else if elements.len() < MAX_MEDIUM_ELEMENTS && bits <= 2 * MEDIUM_DIGIT_BITS {
        sort_by_passes::<E, MEDIUM_DIGIT_BITS>(elements, other, histograms, [low, high], context)
    } else {
        sort_by_passes::<E, WIDE_DIGIT_BITS>(elements, other, histograms, [low, high], context)
    }
}

/// [`sort`] that partitions by the most significant digit, then sorts each piece by the bits below.
fn sort_from_top_digit<E: Sortable>(
    elements: &mut [E],
    other: &mut [E],
    histograms: &mut Histograms,
    [low, high]: [u32; 2],
    context: &mut Context,
) -> Result<bool, KernelError> {
    // The number of pieces grows with the elements, up to as many as can be written to at random without cache misses.
    let top_bits = (MIN_TOP_DIGIT_BITS + (elements.len() >> 18).max(1).ilog2()).min(MAX_TOP_DIGIT_BITS);
    let below = high - top_bits;
    let mut ends = vec![[0; 1 << MAX_TOP_DIGIT_BITS]];
    count::<E, 1, { 1 << MAX_TOP_DIGIT_BITS }>(elements, &mut ends, top_bits, [below, high], context)?;
    let ends = &mut ends.as_flattened_mut()[..1 << top_bits];
    let digit = |element: &E| element.digit(below) & digit_mask(top_bits, [below, high]);
    if ends.iter().any(|count| *count as usize == elements.len()) {
        return sort(elements, other, histograms, [low, below], context);
    }
    // SAFETY: the digits of these elements were just counted.
    unsafe { scatter(elements, other, ends, digit, context)? }
    let (mut start, mut unreported) = (0, 0);
    for end in ends {
        let piece = start..*end as usize;
        start = piece.end;
        unreported += piece.len();
        let (from, to) = (&mut other[piece.clone()], &mut elements[piece]);
        if sort(from, to, histograms, [low, below], context)? {
            from.copy_from_slice(to);
        }
        if unreported >= PASS_CHUNK_ELEMENTS {
            unreported = 0;
            context.check_cancelled()?;
        }
    }
    Ok(true)
}

/// Elements of a pass between cancellation checks.
const PASS_CHUNK_ELEMENTS: usize = 1 << 19;

fn check_cancelled(elements: usize, context: &mut Context) -> Result<(), KernelError> {
    if elements == PASS_CHUNK_ELEMENTS { context.check_cancelled() } else { Ok(()) }
}

fn sort_by_passes<E: Sortable, const DIGIT: u32>(
    elements: &mut [E],
    other: &mut [E],
    histograms: &mut Histograms,
    [low, high]: [u32; 2],
    context: &mut Context,
) -> Result<bool, KernelError> {
    let (mut from, mut to, mut is_in_other, mut shift) = (elements, other, false, low);
    while shift < high {
        let digit_count = ((high - shift).div_ceil(DIGIT) as usize).min(DIGITS_AT_ONCE);
        let histograms = &mut histograms.0[..digit_count];
        let bits = [shift, high];
        match digit_count {
            1 => count::<E, 1, { 1 << WIDE_DIGIT_BITS }>(from, histograms, DIGIT, bits, context)?,
            2 => count::<E, 2, { 1 << WIDE_DIGIT_BITS }>(from, histograms, DIGIT, bits, context)?,
            _ => {
                count::<E, DIGITS_AT_ONCE, { 1 << WIDE_DIGIT_BITS }>(from, histograms, DIGIT, bits, context)?;
            }
        }
        for histogram in histograms {
            let digit = |element: &E| element.digit(shift) & digit_mask(DIGIT, [shift, high]);
            if from.first().is_none_or(|first| histogram[digit(first)] as usize != from.len()) {
                // SAFETY: the digits of the same elements were counted above; passes since have only permuted them.
                unsafe { scatter(from, to, &mut histogram[..1 << DIGIT], digit, context)? }
                std::mem::swap(&mut from, &mut to);
                is_in_other = !is_in_other;
            }
            shift += DIGIT;
        }
    }
    Ok(is_in_other)
}

/// Moves elements in the order of their digits, given their histogram; stable.
///
/// # Safety
/// `counts` is the histogram of the digits of `from`: every digit is less than its length.
#[inline(always)]
unsafe fn scatter<E: Sortable>(
    from: &[E],
    to: &mut [E],
    counts: &mut [u32],
    digit: impl Fn(&E) -> usize,
    context: &mut Context,
) -> Result<(), KernelError> {
    let mut sum = 0;
    for count in counts.iter_mut() {
        sum += std::mem::replace(count, sum);
    }
    assert!(sum as usize == from.len() && to.len() == from.len(), "each element is counted once");
    for part in from.chunks(PASS_CHUNK_ELEMENTS) {
        for element in part {
            // SAFETY: digits are less than the number of counters. A slot is the number of elements of smaller digits, and of
            // this digit so far, which is less than the number of elements.
            unsafe {
                let slot = counts.get_unchecked_mut(digit(element));
                *to.get_unchecked_mut(*slot as usize) = *element;
                *slot += 1;
            }
        }
        check_cancelled(part.len(), context)?;
    }
    Ok(())
}

/// The mask of a digit of `bits` bits from bit `shift` on, excluding those from `high` on.
#[inline(always)]
fn digit_mask(bits: u32, [shift, high]: [u32; 2]) -> usize {
    (1 << bits.min(high.saturating_sub(shift))) - 1
}

/// Histograms of `N` adjacent digits of `digit` bits each, the lowest from bit `shift` on, in one pass over the elements. `W`, a
/// power of two, is at least the number of values of a digit.
#[inline(always)]
fn count<E: Sortable, const N: usize, const W: usize>(
    elements: &[E],
    histograms: &mut [[u32; W]],
    digit: u32,
    [shift, high]: [u32; 2],
    context: &mut Context,
) -> Result<(), KernelError> {
    let Some(histograms) = histograms.first_chunk_mut::<N>() else { return Ok(()) };
    let mut shifts = [shift; N];
    for d in 1..N {
        shifts[d] = shifts[d - 1] + digit;
    }
    let masks = shifts.map(|shift| digit_mask(digit, [shift, high]));
    for histogram in histograms.iter_mut() {
        histogram[..1 << digit].fill(0);
    }
    for part in elements.chunks(PASS_CHUNK_ELEMENTS) {
        for element in part {
            for (histogram, (shift, mask)) in histograms.iter_mut().zip(shifts.iter().zip(masks)) {
                // `W - 1` avoids a bounds check.
                histogram[element.digit(*shift) & mask & (W - 1)] += 1;
            }
        }
        check_cancelled(part.len(), context)?;
    }
    Ok(())
}

/// The first `count` aligned elements in a buffer of words; `None` if it is too short.
pub fn elements<E: Sortable>(words: &mut [u32], count: usize) -> Option<&mut [E]> {
    // SAFETY: any bits are an element.
    unsafe { words.align_to_mut::<E>() }.1.get_mut(..count)
}

/// The words that `count` elements of `E` need, at any alignment of the first word.
pub fn words<E: Sortable>(count: usize) -> usize {
    (count + 1) * size_of::<E>() / size_of::<u32>()
}
