//! Windows that slide along a row of `f32`.

use crate::accumulate::accumulator::SLACK_CELLS;
use crate::accumulate::operators::LaneReducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// [`Accumulator::slide`](crate::accumulate::accumulator::Accumulator::slide); with `NEGATED` the row holds negated numbers.
/// Windows of pooling have loops of their own.
pub fn slide<F: LaneReducer, const NEGATED: bool>(
    from: &[f32],
    to: &mut [f32],
    size: usize,
    stride: usize,
    apart: usize,
    init: f32,
) {
    match (size, stride) {
        (2, 2) => sweep::<F, NEGATED, 2, 2>(from, to, size, apart, init),
        (3, 2) => sweep::<F, NEGATED, 3, 2>(from, to, size, apart, init),
        (_, 2) => sweep::<F, NEGATED, 0, 2>(from, to, size, apart, init),
        (3, _) => sweep::<F, NEGATED, 3, 1>(from, to, size, apart, init),
        _ => sweep::<F, NEGATED, 0, 1>(from, to, size, apart, init),
    }
}

/// A row of windows of `SIZE` cells, or of `size` where that is 0.
#[allow(unsafe_code, reason = "overlapping reads of one row: bounds checks make it slower")]
fn sweep<F: LaneReducer, const NEGATED: bool, const SIZE: usize, const STRIDE: usize>(
    from: &[f32],
    to: &mut [f32],
    size: usize,
    apart: usize,
    init: f32,
) {
    let size = if SIZE == 0 { size } else { SIZE };
    let reach = to.len().saturating_sub(1) * STRIDE + size.saturating_sub(1) * apart + 1;
    assert!(
        from.len() >= reach + SLACK_CELLS && size > 0 && (STRIDE == 1 || apart == 1),
        "a row that is long enough"
    );
    let (turning, sign) = (F::turning(), F32x4::splat_bits(std::hint::black_box(0x8000_0000)));
    let [nan] = std::hint::black_box([f32::NAN]).map(F32x4::splat);
    let turn = |x: F32x4| if NEGATED { x.xor(sign) } else { F::turn(x, turning) };
    let first = turn(F32x4::splat(init));
    // Mostly the initial value changes nothing.
    let is_none = first.to_array()[0].to_bits() == F::START.to_bits();
    let start = from.as_ptr();
    let at = |i: usize| {
        let load = |x: F32x4| turn_in::<F, NEGATED>(x, turning);
        let mut sum;
        // SAFETY: i < positions. With stride 1 the furthest read ends 3 cells beyond the reach; with 2, no more than 8 cells
        // beyond the last position's cells: both within the slack.
        unsafe {
            let from = start.add(STRIDE * i);
            if STRIDE == 1 {
                sum = load(F32x4::read(from));
                for k in 1..size {
                    sum = F::join(sum, load(F32x4::read(from.add(k * apart))));
                }
            } else {
                let (low, high) = (F32x4::read(from), F32x4::read(from.add(4)));
                sum = load(low.even(high));
                if size > 1 {
                    sum = F::join(sum, load(low.odd(high)));
                }
                for k in (2..size).step_by(2) {
                    let (low, high) = (F32x4::read(from.add(k)), F32x4::read(from.add(k + 4)));
                    sum = F::join(sum, load(low.even(high)));
                    if k + 1 < size {
                        sum = F::join(sum, load(low.odd(high)));
                    }
                }
            }
        }
        let sum = turn(if is_none { sum } else { F::join(first, sum) });
        sum.select(nan, sum.eq(sum))
    };
    let (fours, rest) = to.as_chunks_mut::<4>();
    let whole = 4 * fours.len();
    for (i, four) in fours.iter_mut().enumerate() {
        at(4 * i).store(four);
    }
    if !rest.is_empty() {
        let last = at(whole).to_array();
        rest.iter_mut().zip(last).for_each(|(to, x)| *to = x);
    }
}

/// A number of a row in the inner form.
#[inline(always)]
fn turn_in<F: LaneReducer, const NEGATED: bool>(x: F32x4, turning: F32x4) -> F32x4 {
    if NEGATED { x } else { F::turn(x, turning) }
}
