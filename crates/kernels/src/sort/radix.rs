//! Radix sort by the bits of keys, the lowest digit first; stable. Keys are the elements, or stand in front of an index. Of what is
//! larger than a cache the highest digit goes first, which leaves pieces that are not.

#![allow(
    unsafe_code,
    reason = "counts prove where elements go, and memory is kept as words and used for wider elements too"
)]

use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::best::IS_SCALAR_BUILD;

/// What is sorted: a key, or a key with the place it came from in its lower half.
pub trait Element: Copy + Ord + Default + 'static {
    /// The lowest bits of the element shifted right by so many.
    fn digit(self, shift: u32) -> usize;
}

macro_rules! elements {
    ($($ty:ty)*) => {
        $(impl Element for $ty {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "a digit is what is taken")]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize
            }
        })*
    };
}
elements! { u32 u64 u128 }

/// Counters of some digits' values.
#[derive(Debug)]
pub struct Counts(Vec<[u32; 1 << WIDE]>);

impl Default for Counts {
    fn default() -> Self {
        Self(vec![[0; 1 << WIDE]; TOGETHER])
    }
}

/// Digits that are counted in one go: three wide ones are 32 bits, and their counters fit in the nearest cache.
const TOGETHER: usize = 3;
/// Bits of a digit of long rows.
const WIDE: u32 = 11;
/// Bits of a digit of rows shorter than [`LONG`], where counters of wide digits would cost more than they save.
const NARROW: u32 = 8;
/// Bits of a digit of up to [`FEW`] elements, where two are enough: what the highest digit leaves of floats.
const MIDDLE: u32 = 9;
/// Fewer elements than that are few beside the counters of wide digits.
const FEW: usize = 1 << 14;
/// From so many elements on digits are wide.
const LONG: usize = 800;
/// From so many elements on the highest digit goes first.
const LARGE: usize = if cfg!(miri) { 1 << 11 } else { 1 << 16 };
/// Bits of that digit, at least: of floats the sign, the exponent and three more.
const TOP: u32 = 12;
/// Its bits at most.
const MOST: u32 = 14;
/// Up to so many elements are compared instead.
const SHORT: usize = 100;

/// Sorts by the bits from `low` to `high`, below which the elements are in order already where the rest is equal. Answers
/// whether the result is in `other`. Errors: cancelled.
pub fn sort<E: Element>(
    elements: &mut [E],
    other: &mut [E],
    counts: &mut Counts,
    [low, high]: [u32; 2],
    context: &mut Context,
) -> Result<bool, Stop> {
    if elements.len() <= SHORT {
        elements.sort_unstable();
        return Ok(false);
    }
    if elements.len() < LONG {
        return passes::<E, NARROW>(elements, other, counts, [low, high], context);
    }
    let bits = high - low;
    if IS_SCALAR_BUILD {
        passes::<E, WIDE>(elements, other, counts, [low, high], context)
    } else if elements.len() >= LARGE && bits > 2 * WIDE {
        pieces(elements, other, counts, [low, high], context)
    } else if elements.len() < FEW && bits <= 2 * MIDDLE {
        passes::<E, MIDDLE>(elements, other, counts, [low, high], context)
    } else {
        passes::<E, WIDE>(elements, other, counts, [low, high], context)
    }
}

/// [`sort`] by the highest digit first, then of each piece by the bits below.
fn pieces<E: Element>(
    elements: &mut [E],
    other: &mut [E],
    counts: &mut Counts,
    [low, high]: [u32; 2],
    context: &mut Context,
) -> Result<bool, Stop> {
    // Of four times as many elements pieces four times as small, as long as these are not too many places to write to.
    let top = (TOP + (elements.len() >> 18).max(1).ilog2()).min(MOST);
    let below = high - top;
    let mut ends = vec![[0; 1 << MOST]];
    count::<E, 1, { 1 << MOST }>(elements, &mut ends, top, [below, high], context)?;
    let ends = &mut ends.as_flattened_mut()[..1 << top];
    let digit = |element: &E| element.digit(below) & mask(top, [below, high]);
    if ends.iter().any(|count| *count as usize == elements.len()) {
        return sort(elements, other, counts, [low, below], context);
    }
    // SAFETY: the digits of these elements were just counted.
    unsafe { scatter(elements, other, ends, digit, context)? }
    let (mut start, mut untold) = (0, 0);
    for end in ends {
        let piece = start..*end as usize;
        start = piece.end;
        untold += piece.len();
        let (from, to) = (&mut other[piece.clone()], &mut elements[piece]);
        if sort(from, to, counts, [low, below], context)? {
            from.copy_from_slice(to);
        }
        if untold >= OFTEN {
            untold = 0;
            context.tick(0)?;
        }
    }
    Ok(true)
}

/// Elements between looks at whether to go on.
const OFTEN: usize = 1 << 19;

fn look(elements: usize, context: &mut Context) -> Result<(), Stop> {
    if elements == OFTEN { context.tick(0) } else { Ok(()) }
}

fn passes<E: Element, const DIGIT: u32>(
    elements: &mut [E],
    other: &mut [E],
    counts: &mut Counts,
    [low, high]: [u32; 2],
    context: &mut Context,
) -> Result<bool, Stop> {
    let (mut from, mut to, mut is_other, mut shift) = (elements, other, false, low);
    while shift < high {
        let together = ((high - shift).div_ceil(DIGIT) as usize).min(TOGETHER);
        let counts = &mut counts.0[..together];
        let bits = [shift, high];
        match together {
            1 => count::<E, 1, { 1 << WIDE }>(from, counts, DIGIT, bits, context)?,
            2 => count::<E, 2, { 1 << WIDE }>(from, counts, DIGIT, bits, context)?,
            _ => count::<E, TOGETHER, { 1 << WIDE }>(from, counts, DIGIT, bits, context)?,
        }
        for counts in counts {
            let digit = |element: &E| element.digit(shift) & mask(DIGIT, [shift, high]);
            if from.first().is_none_or(|first| counts[digit(first)] as usize != from.len()) {
                // SAFETY: counted above, of the same elements: their order is another since, their number is not.
                unsafe { scatter(from, to, &mut counts[..1 << DIGIT], digit, context)? }
                std::mem::swap(&mut from, &mut to);
                is_other = !is_other;
            }
            shift += DIGIT;
        }
    }
    Ok(is_other)
}

/// Moves elements to where their digit belongs, by how often each occurs; stable.
///
/// # Safety
/// Every digit is less than there are counters, which say how often it occurs among these elements; and there is room for as many.
#[inline(always)]
unsafe fn scatter<E: Element>(
    from: &[E],
    to: &mut [E],
    counts: &mut [u32],
    digit: impl Fn(&E) -> usize,
    context: &mut Context,
) -> Result<(), Stop> {
    let mut sum = 0;
    for count in counts.iter_mut() {
        sum += std::mem::replace(count, sum);
    }
    assert!(sum as usize == from.len() && to.len() == from.len(), "each element is counted once");
    for part in from.chunks(OFTEN) {
        for element in part {
            // SAFETY: digits are less than the number of counters. A place is where the elements of lesser digits end, and those of this digit so far.
            unsafe {
                let place = counts.get_unchecked_mut(digit(element));
                *to.get_unchecked_mut(*place as usize) = *element;
                *place += 1;
            }
        }
        look(part.len(), context)?;
    }
    Ok(())
}

/// The bits of a digit of so many, of which those from `high` on do not count.
#[inline(always)]
fn mask(digit: u32, [shift, high]: [u32; 2]) -> usize {
    (1 << digit.min(high.saturating_sub(shift))) - 1
}

/// Counts the values of `N` digits of so many bits, the lowest of which is at `shift`: elements are read once for all of them.
/// `W`, a power of two, is at least as many as there are values.
#[inline(always)]
fn count<E: Element, const N: usize, const W: usize>(
    elements: &[E],
    counts: &mut [[u32; W]],
    digit: u32,
    [shift, high]: [u32; 2],
    context: &mut Context,
) -> Result<(), Stop> {
    let Some(counts) = counts.first_chunk_mut::<N>() else { return Ok(()) };
    let shifts: [u32; N] = std::array::from_fn(|d| shift + digit * u32::try_from(d).unwrap_or(0));
    let masks = shifts.map(|shift| mask(digit, [shift, high]));
    for counts in counts.iter_mut() {
        counts[..1 << digit].fill(0);
    }
    for part in elements.chunks(OFTEN) {
        for element in part {
            for (counts, (shift, mask)) in counts.iter_mut().zip(shifts.iter().zip(masks)) {
                // The last spares a look at the bounds.
                counts[element.digit(*shift) & mask & (W - 1)] += 1;
            }
        }
        look(part.len(), context)?;
    }
    Ok(())
}

/// Memory of words as so many elements.
pub fn elements<E: Element>(words: &mut [u32], count: usize) -> Option<&mut [E]> {
    // SAFETY: any bits are an element.
    unsafe { words.align_to_mut::<E>() }.1.get_mut(..count)
}

/// The words that so many elements of `E` take, wherever they begin.
pub fn words<E: Element>(count: usize) -> usize {
    (count + 1) * size_of::<E>() / size_of::<u32>()
}
