//! Windows that slide along a row of `f32`.

use crate::accumulate::accumulator::SLACK_ELEMENTS;
use crate::accumulate::operators::LaneReducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// [`Accumulator::slide`](crate::accumulate::accumulator::Accumulator::slide); with `NEGATED` the row holds negated
/// elements, the internal form of the maximum. Pooling has loops of its own ([`crate::window::pool`]).
pub fn slide<F: LaneReducer, const NEGATED: bool>(
    from: &[f32],
    to: &mut [f32],
    size: usize,
    stride: usize,
    dilation: usize,
    init: f32,
) {
    match (size, stride) {
        (2, 2) => slide_by::<F, NEGATED, 2, 2>(from, to, size, dilation, init),
        (3, 2) => slide_by::<F, NEGATED, 3, 2>(from, to, size, dilation, init),
        (_, 2) => slide_by::<F, NEGATED, 0, 2>(from, to, size, dilation, init),
        (3, _) => slide_by::<F, NEGATED, 3, 1>(from, to, size, dilation, init),
        _ => slide_by::<F, NEGATED, 0, 1>(from, to, size, dilation, init),
    }
}

/// [`slide`] of windows of `SIZE` taps, or of `size` taps if `SIZE` is 0.
#[allow(unsafe_code, reason = "overlapping reads of one row: bounds checks make it slower")]
fn slide_by<F: LaneReducer, const NEGATED: bool, const SIZE: usize, const STRIDE: usize>(
    from: &[f32],
    to: &mut [f32],
    size: usize,
    dilation: usize,
    init: f32,
) {
    let size = if SIZE == 0 { size } else { SIZE };
    let covered_elements = to.len().saturating_sub(1) * STRIDE + size.saturating_sub(1) * dilation + 1;
    assert!(
        from.len() >= covered_elements + SLACK_ELEMENTS && size > 0 && (STRIDE == 1 || dilation == 1),
        "the row is long enough"
    );
    let (sign_mask, sign) = (F::sign_mask(), F32x4::splat_bits(std::hint::black_box(0x8000_0000)));
    let [nan] = std::hint::black_box([f32::NAN]).map(F32x4::splat);
    let change_form = |x: F32x4| if NEGATED { x.xor(sign) } else { F::to_internal(x, sign_mask) };
    let init = change_form(F32x4::splat(init));
    // The initial value is usually the identity, which changes nothing.
    let is_identity = init.to_array()[0].to_bits() == F::INTERNAL_IDENTITY.to_bits();
    let start = from.as_ptr();
    let window_at = |i: usize| {
        let load = |x: F32x4| input_to_internal::<F, NEGATED>(x, sign_mask);
        let mut sum;
        // SAFETY: i < positions. With stride 1 the furthest read ends 3 elements beyond `covered_elements`; with 2, no more
        // than 8 elements beyond the last position's elements: both within the slack.
        unsafe {
            let from = start.add(STRIDE * i);
            if STRIDE == 1 {
                sum = load(F32x4::read(from));
                for k in 1..size {
                    sum = F::combine(sum, load(F32x4::read(from.add(k * dilation))));
                }
            } else {
                let (low, high) = (F32x4::read(from), F32x4::read(from.add(4)));
                sum = load(low.even(high));
                if size > 1 {
                    sum = F::combine(sum, load(low.odd(high)));
                }
                for k in (2..size).step_by(2) {
                    let (low, high) = (F32x4::read(from.add(k)), F32x4::read(from.add(k + 4)));
                    sum = F::combine(sum, load(low.even(high)));
                    if k + 1 < size {
                        sum = F::combine(sum, load(low.odd(high)));
                    }
                }
            }
        }
        let sum = change_form(if is_identity { sum } else { F::combine(init, sum) });
        sum.select(nan, sum.eq(sum))
    };
    let (fours, rest) = to.as_chunks_mut::<4>();
    let whole = 4 * fours.len();
    for (i, four) in fours.iter_mut().enumerate() {
        window_at(4 * i).store(four);
    }
    if !rest.is_empty() {
        let last = window_at(whole).to_array();
        rest.iter_mut().zip(last).for_each(|(to, x)| *to = x);
    }
}

/// A vector of the row in the internal form.
#[inline(always)]
fn input_to_internal<F: LaneReducer, const NEGATED: bool>(x: F32x4, sign_mask: F32x4) -> F32x4 {
    if NEGATED { x } else { F::to_internal(x, sign_mask) }
}
