//! Windows that slide over a base area: their geometry and their rules, shared by every op with a `window`.
//!
//! Invariant, in each dimension: element `k` of window `y` is over element `x` of the base if and only if `y · stride +
//! k · window dilation − low padding = x · base dilation`; every other element of the window is over padding or a hole
//! and is skipped. The elements are solved for, not searched, so wide padding and dilation cost no time.
//!
//! Rules, in the order they are checked: `window-1` (entries), `-2` (size), `-3` (stride), `-4` (base dilation), `-5`
//! (window dilation), `-6` (the padded base); `window-2017` in that edition only, see `check_2017`. Source:
//! `Conv` and `ReduceWindow` of XLA's operation semantics; `InferWindowOutputShape` and `window_util` of XLA. Read
//! `reduce_window` next.

use smallvec::SmallVec;

use super::attrs::{AttrValue, WindowDim};
use super::base_area::{BaseArea, BaseAxis};
use super::{OpContext, OpError, OpPart};
use xla_array::Edition;
use xla_messages::i18n::Message;

/// The limit of sizes, paddings and dilated sizes: a sum of several of them does not overflow.
const MAX_PADDED_SIZE: i64 = 1 << 60;

/// The size of a dimension of `size` elements after dilation; `None` beyond 2^60.
///
/// A size of 0 stays 0; in XLA 2017 it becomes `1 - dilation`. Source: `window_util::DilatedBound`.
pub fn dilated_size(size: i64, dilation: i64, edition: Edition) -> Option<i64> {
    if size == 0 && edition == Edition::Current {
        return Some(0);
    }
    let dilated = size.checked_sub(1)?.checked_mul(dilation)?.checked_add(1)?;
    (-MAX_PADDED_SIZE..=MAX_PADDED_SIZE).contains(&dilated).then_some(dilated)
}

/// The low and high padding of `SAME`, which yields `ceil(size / stride)` windows. Dilation is not considered. `None`
/// for a negative size, or a window size or stride below 1. Source: `MakePadding`.
pub fn same_padding(size: i64, window: i64, stride: i64) -> Option<(i64, i64)> {
    if size < 0 || window < 1 || stride < 1 {
        return None;
    }
    let windows = size / stride + i64::from(size % stride != 0);
    let covered = windows.checked_sub(1)?.checked_mul(stride)?.checked_add(window)?;
    let total = covered.checked_sub(size)?.max(0);
    Some((total / 2, total - total / 2))
}

/// An element of a window that is over an element of the base, in one dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowElement {
    /// Its index in the window, counted from the end if the window is reversed.
    pub window_index: i64,
    /// The index of the base element.
    pub base_index: i64,
}

/// The elements of a window that are over elements of the base, in the order of the base.
pub type WindowElements = SmallVec<[WindowElement; 8]>;

/// The windows over a base, one entry per dimension.
pub type Axes = SmallVec<[Axis; 4]>;

/// The windows along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    dim: WindowDim,
    size: i64,
    window_count: i64,
}

impl Axis {
    /// The window `dim` over `size` elements. `None` if that violates a rule of windows.
    pub fn new(size: i64, dim: WindowDim, edition: Edition) -> Option<Self> {
        let are_positive =
            [dim.size, dim.stride, dim.base_dilation, dim.window_dilation].iter().all(|n| *n > 0);
        let padded = if are_positive && size >= 0 { padded_size(size, &dim, edition) } else { None };
        let window = dilated_size(dim.size, dim.window_dilation, edition)?;
        let room = padded.filter(|padded| *padded >= 0)?.checked_sub(window)?;
        // Windows start at 0, stride, 2 · stride …; none fits into a smaller base.
        let window_count = if room < 0 { 0 } else { room / dim.stride + 1 };
        Some(Self { dim, size, window_count })
    }

    /// The number of windows.
    pub fn window_count(&self) -> i64 {
        self.window_count
    }

    /// The base element under position `position` of window `window`, if there is one. Positions are in the order of
    /// the base, also in a reversed window.
    pub fn base_index(&self, window: i64, position: i64) -> Option<i64> {
        let within = position.checked_mul(self.dim.window_dilation)?;
        let at = self.start(window)?.checked_add(within)?;
        let is_on_element =
            (0..self.dim.size).contains(&position) && at >= 0 && at % self.dim.base_dilation == 0;
        Some(at / self.dim.base_dilation).filter(|x| is_on_element && *x < self.size)
    }

    /// The start of a window relative to the first element, in positions of the dilated base.
    fn start(&self, window: i64) -> Option<i64> {
        window.checked_mul(self.dim.stride)?.checked_sub(self.dim.pad_low)
    }

    /// The elements of a window that are over elements of the base.
    pub fn elements(&self, window: i64) -> WindowElements {
        let WindowDim { size, base_dilation, window_dilation, reversal, .. } = self.dim;
        let start =
            self.start(window).filter(|start| (-4 * MAX_PADDED_SIZE..=4 * MAX_PADDED_SIZE).contains(start));
        let Some(start) = start.filter(|_| self.size > 0) else { return WindowElements::new() };
        let last = (self.size - 1) * base_dilation;
        let from = (-(start.div_euclid(window_dilation))).max(0);
        let to = (last - start).div_euclid(window_dilation).min(size - 1);
        solutions(window_dilation, base_dilation, -start, from, to)
            .map(|position| WindowElement {
                window_index: if reversal { size - 1 - position } else { position },
                base_index: (start + position * window_dilation) / base_dilation,
            })
            .collect()
    }

    /// The windows that have an element over base element `base_index`, ascending.
    pub fn windows_covering(&self, base_index: i64) -> SmallVec<[i64; 8]> {
        let WindowDim { size, stride, window_dilation, .. } = self.dim;
        if !(0..self.size).contains(&base_index) {
            return SmallVec::new();
        }
        let at = base_index * self.dim.base_dilation + self.dim.pad_low;
        let first = at - (size - 1) * window_dilation;
        let from = (-((-first).div_euclid(stride))).max(0);
        let to = at.div_euclid(stride).min(self.window_count - 1);
        solutions(stride, window_dilation, at, from, to).collect()
    }
}

/// The size of the padded base; negative if padding crops more than the whole base.
fn padded_size(size: i64, dim: &WindowDim, edition: Edition) -> Option<i64> {
    let is_in_range = |n: &i64| (-MAX_PADDED_SIZE..=MAX_PADDED_SIZE).contains(n);
    if !is_in_range(&dim.pad_low) || !is_in_range(&dim.pad_high) {
        return None;
    }
    let base = dilated_size(size, dim.base_dilation, edition)?;
    Some(base + dim.pad_low + dim.pad_high).filter(is_in_range)
}

/// The numbers from `from` to `to` with `a · i ≡ c` modulo `m`, ascending; `a` and `m` are positive.
fn solutions(a: i64, m: i64, c: i64, from: i64, to: i64) -> impl Iterator<Item = i64> {
    // The extended Euclidean algorithm; invariant: a · factor ≡ remainder modulo m, for both pairs.
    let (mut remainder, mut factor) = ((a, m), (1, 0));
    while remainder.1 != 0 {
        let quotient = remainder.0 / remainder.1;
        remainder = (remainder.1, remainder.0 % remainder.1);
        factor = (factor.1, factor.0 - quotient * factor.1);
    }
    let (divisor, inverse) = (remainder.0, factor.0);
    let period = m / divisor;
    let any = i128::from(c / divisor) * i128::from(inverse) - i128::from(from);
    let ahead = i64::try_from(any.rem_euclid(i128::from(period))).ok();
    let first = ahead.filter(|_| c % divisor == 0).and_then(|ahead| from.checked_add(ahead));
    let up_to = move |i: &i64| *i <= to;
    std::iter::successors(first.filter(up_to), move |i| i.checked_add(period).filter(up_to))
}

/// The elements, in every dimension, of the window with this index.
pub(super) fn elements(
    axes: &[Axis],
    window: impl IntoIterator<Item = i64>,
) -> SmallVec<[WindowElements; 4]> {
    axes.iter().zip(window).map(|(axis, y)| axis.elements(y)).collect()
}

/// A window as HLO text.
pub(super) fn text(window: &[WindowDim]) -> String {
    if window.is_empty() {
        return "{}".to_owned();
    }
    AttrValue::Window(window.iter().copied().collect()).to_string()
}

/// The window of an instruction over a base of these sizes; checks `window-1` to `window-6`. `fill` is the window size
/// that a fix suggests for a missing or invalid entry.
pub(super) fn axes(cx: &OpContext, sizes: &[i64], fill: impl Fn(usize) -> i64) -> Result<Axes, OpError> {
    let window = cx.window("window");
    let violation = |rule: &'static str, message: Message| cx.error(rule, message).at_attr("window");
    if window.len() != sizes.len() {
        let message =
            Message::ops("op-window-entries").with("found", window.len()).with("expected", sizes.len());
        let complete = (0..sizes.len()).map(|d| {
            let filler = || WindowDim { size: fill(d), ..WindowDim::default() };
            window.get(d).copied().unwrap_or_else(filler)
        });
        let fix = text(&complete.collect::<Vec<_>>());
        return Err(violation("window-1", message).with_fix(OpPart::Attr("window"), fix));
    }
    let mut axes = Axes::new();
    for (d, (dim, size)) in window.iter().zip(sizes).enumerate() {
        let with_dim = |dim: WindowDim| {
            let mut window = window.to_vec();
            window[d] = dim;
            (OpPart::Attr("window"), text(&window))
        };
        let default = WindowDim::default();
        let numbers = [
            ("window-2", "op-window-size", dim.size, WindowDim { size: fill(d).max(1), ..*dim }),
            ("window-3", "op-window-stride", dim.stride, WindowDim { stride: default.stride, ..*dim }),
            (
                "window-4",
                "op-window-base-dilation",
                dim.base_dilation,
                WindowDim { base_dilation: 1, ..*dim },
            ),
            (
                "window-5",
                "op-window-window-dilation",
                dim.window_dilation,
                WindowDim { window_dilation: 1, ..*dim },
            ),
        ];
        for (rule, key, count, fixed) in numbers {
            if count < 1 {
                let message = Message::ops(key).with("dimension", d).with("found", count);
                let (at, fix) = with_dim(fixed);
                return Err(violation(rule, message).with_fix(at, fix));
            }
        }
        let Some(bound) = Axis::new(*size, *dim, cx.edition) else {
            let Some(padded) = padded_size(*size, dim, cx.edition).filter(|padded| *padded < 0) else {
                return Err(violation("window-6", Message::ops("op-window-huge").with("dimension", d)));
            };
            let message = Message::ops("op-window-cropped")
                .with("dimension", d)
                .with("size", *size)
                .with("by", -padded);
            // More padding is cropped than there are elements: reduce it at the end first, then at the start.
            let high = dim.pad_high.saturating_sub(padded).min(dim.pad_high.max(0));
            let low = dim.pad_low.saturating_sub(padded + (high - dim.pad_high));
            let (at, fix) = with_dim(WindowDim { pad_low: low, pad_high: high, ..*dim });
            return Err(violation("window-6", message).with_fix(at, fix));
        };
        axes.push(bound);
    }
    Ok(axes)
}

/// The first operand as the base area of a window with an entry for each of its dimensions. `window_index_operand` is
/// the operand with one element per window; `None` if the result is that array.
pub(super) fn base_area(cx: &OpContext, window_index_operand: Option<usize>) -> Option<BaseArea> {
    let (window, sizes) = (cx.window("window"), &cx.array(0).ok()?.dimensions);
    let axes = window.iter().zip(sizes).enumerate().map(|(d, (dim, size))| BaseAxis::sliding(*size, *dim, d));
    (window.len() == sizes.len()).then(|| BaseArea {
        operand: 0,
        axes: axes.collect(),
        window_index_operand,
        fill: None,
    })
}

/// Checks `window-2017`: in XLA 2017, only the windows of convolutions had dilation and negative padding.
pub(super) fn check_2017(cx: &OpContext) -> Result<(), OpError> {
    let newer =
        |d: &WindowDim| d.pad_low < 0 || d.pad_high < 0 || d.base_dilation > 1 || d.window_dilation > 1;
    let window = cx.window("window");
    if cx.edition == Edition::Current || !window.iter().any(newer) {
        return Ok(());
    }
    let older = window.iter().map(|d| WindowDim {
        pad_low: d.pad_low.max(0),
        pad_high: d.pad_high.max(0),
        base_dilation: 1,
        window_dilation: 1,
        ..*d
    });
    let fix = text(&older.collect::<Vec<_>>());
    let message = Message::ops("op-window-2017").with("op", cx.meta.opcode);
    Err(cx.error("window-2017", message).at_attr("window").with_fix(OpPart::Attr("window"), fix))
}

/// The rules of an op: its own, then those of windows. `text` is an instruction up to its window, which has one
/// dimension over three elements.
macro_rules! rules_with_window {
    ($text:literal, $($own:expr),* $(,)?) => {
        &[
            $($own,)*
            Rule { identifier: "window-1", description: "rule-window-entries", violated_by: concat!($text, "{size=1x1}") },
            Rule { identifier: "window-2", description: "rule-window-size", violated_by: concat!($text, "{size=0}") },
            Rule { identifier: "window-3", description: "rule-window-stride", violated_by: concat!($text, "{size=1 stride=0}") },
            Rule {
                identifier: "window-4",
                description: "rule-window-base-dilation",
                violated_by: concat!($text, "{size=1 lhs_dilate=0}"),
            },
            Rule {
                identifier: "window-5",
                description: "rule-window-window-dilation",
                violated_by: concat!($text, "{size=1 rhs_dilate=0}"),
            },
            Rule {
                identifier: "window-6",
                description: "rule-window-padded",
                violated_by: concat!($text, "{size=1 pad=-2_-2}"),
            },
        ]
    };
}
pub(super) use rules_with_window;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_solutions_of_a_congruence_are_found() {
        for (a, m, c) in (1..7).flat_map(|a| (1..7).flat_map(move |m| (-9..9).map(move |c| (a, m, c)))) {
            let searched: Vec<i64> = (-5..20).filter(|i| (a * i - c) % m == 0).collect();
            assert_eq!(solutions(a, m, c, -5, 19).collect::<Vec<_>>(), searched, "{a} i = {c} mod {m}");
        }
    }

    #[test]
    fn overflowing_windows_are_rejected_and_wide_ones_are_fast() {
        let window = |size, pad_low, base_dilation| WindowDim {
            size,
            pad_low,
            pad_high: 0,
            base_dilation,
            ..WindowDim::default()
        };
        let axis = |size, dim| Axis::new(size, dim, Edition::Current);
        assert_eq!(axis(3, window(1, -4, 1)), None);
        assert_eq!(axis(3, window(1, -3, 1)).map(|axis| axis.window_count()), Some(0));
        assert_eq!(axis(3, window(1, i64::MAX, 1)), None);
        assert_eq!(axis(i64::MAX, window(1, 0, i64::MAX)), None);
        assert_eq!(axis(3, window(i64::MAX, 0, 1)), None);
        let wide = 1 << 59;
        let axis = axis(2, window(wide, wide - 1, wide / 2)).unwrap_or_else(|| unreachable!());
        assert_eq!(
            (axis.window_count(), axis.elements(0).len(), axis.elements(wide / 2).len()),
            (wide / 2 + 1, 1, 2)
        );
        assert_eq!(axis.elements(i64::MAX), WindowElements::new());
    }

    #[test]
    fn same_padding_has_a_window_per_stride() {
        assert_eq!(same_padding(4, 2, 1), Some((0, 1)));
        assert_eq!(same_padding(6, 3, 2), Some((0, 1)));
        assert_eq!(same_padding(5, 3, 2), Some((1, 1)));
        assert_eq!(same_padding(4, 1, 3), Some((0, 0)));
        assert_eq!(same_padding(4, 0, 1), None);
    }

    #[test]
    fn a_dilated_size_of_0_was_negative_in_2017() {
        let dilated_empty = |edition| dilated_size(0, 3, edition);
        assert_eq!((dilated_empty(Edition::Current), dilated_empty(Edition::V2017)), (Some(0), Some(-2)));
    }
}
