//! Where a window lies, in one dimension.

use super::task::Window;

/// A dimension that a window slides along.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Elements.
    pub size: usize,
    /// Places of the window.
    pub places: usize,
    /// How the window moves.
    pub window: Window,
    /// From one place to the next in the result.
    pub to: isize,
}

impl Axis {
    /// Whether the window is one cell that visits each element.
    pub fn is_plain(&self) -> bool {
        let w = self.window;
        w.size == 1 && w.stride == 1 && w.low == 0 && w.base_dilation == 1 && self.places == self.size
    }

    /// The elements that the window at a place lies on: the first, how many, and from one to the next.
    pub fn taps(&self, place: usize) -> Taps {
        let w = self.window;
        let (base, dilation) = (w.base_dilation, w.dilation);
        let start = (place * w.stride).cast_signed() - w.low;
        let at = |cell: usize| start + (cell * dilation).cast_signed();
        let is_on = |cell: &usize| {
            let at = at(*cell);
            at >= 0 && at.cast_unsigned().is_multiple_of(base) && at.cast_unsigned() / base < self.size
        };
        // Cells that lie on elements recur after so many.
        let period = base / divisor(base, dilation);
        let skipped = if start < 0 { (-start).cast_unsigned() / dilation } else { 0 };
        let Some(first) = (skipped..w.size.min(skipped + period + 1)).find(is_on) else { return (0, 0, 1) };
        let step = period * dilation / base;
        let element = at(first).cast_unsigned() / base;
        let by_size = (self.size - 1 - element) / step + 1;
        (element, by_size.min((w.size - 1 - first) / period + 1), step)
    }

    /// Cells of the dilated and padded base that windows reach.
    pub fn reach(&self) -> usize {
        let last = self.places.saturating_sub(1).saturating_mul(self.window.stride);
        last.saturating_add(self.window.size.saturating_sub(1).saturating_mul(self.window.dilation))
            .saturating_add(1)
    }
}

/// The greatest common divisor.
pub fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Elements that a window lies on: the first, how many, and from one to the next.
pub type Taps = (usize, usize, usize);
