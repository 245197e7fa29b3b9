//! Radix sort by the bits of keys, the lowest digit first; stable. Keys are the elements, or stand in front of an index.

use super::kernel::{Context, Stop};

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

/// Digits' counters.
pub type Counts = [u32; COUNTS];
/// As many as a wide digit has values.
pub const COUNTS: usize = 1 << WIDE;
/// Bits of a digit of long rows.
const WIDE: u32 = 11;
/// Bits of a digit of rows shorter than [`LONG`], where counters of wide digits would cost more than they save.
const NARROW: u32 = 8;
/// From so many elements on digits are wide.
const LONG: usize = 800;
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
    passes::<E, WIDE>(elements, other, counts, [low, high], context)
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
    let (mut from, mut to, mut is_other) = (elements, other, false);
    for shift in (low..high).step_by(DIGIT as usize) {
        let mask = (1 << DIGIT.min(high - shift)) - 1;
        let counts = &mut counts[..1 << DIGIT];
        counts.fill(0);
        for part in from.chunks(OFTEN) {
            for element in part {
                counts[element.digit(shift) & mask & ((1 << DIGIT) - 1)] += 1;
            }
            look(part.len(), context)?;
        }
        let first = from.first().map_or(0, |element| element.digit(shift) & mask);
        if counts[first] as usize == from.len() {
            continue;
        }
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += std::mem::replace(count, sum);
        }
        for part in from.chunks(OFTEN) {
            for element in part {
                let place = &mut counts[element.digit(shift) & mask & ((1 << DIGIT) - 1)];
                if let Some(slot) = to.get_mut(*place as usize) {
                    *slot = *element;
                }
                *place += 1;
            }
            look(part.len(), context)?;
        }
        std::mem::swap(&mut from, &mut to);
        is_other = !is_other;
    }
    Ok(is_other)
}

/// Memory of words as so many elements.
#[allow(unsafe_code, reason = "memory is kept as words and used for wider elements too")]
pub fn elements<E: Element>(words: &mut [u32], count: usize) -> Option<&mut [E]> {
    // SAFETY: any bits are an element.
    unsafe { words.align_to_mut::<E>() }.1.get_mut(..count)
}

/// The words that so many elements of `E` take, wherever they begin.
pub fn words<E: Element>(count: usize) -> usize {
    (count + 1) * size_of::<E>() / size_of::<u32>()
}
