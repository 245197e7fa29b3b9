//! The types that several tasks share: arrays, windows, reducers, comparisons.

use crate::description::words::{fields, one_of};
use crate::support::element::Type;
use crate::support::view::View;

/// An array of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its element type.
    pub ty: Type,
    /// The view of its elements in the buffer.
    pub view: View,
}

impl Array {
    /// An array in row-major order.
    pub fn row_major(ty: Type, sizes: &[usize]) -> Self {
        Self { ty, view: View::row_major(sizes) }
    }

    /// An array without padding whose dimensions are in this order, major to minor.
    pub fn laid_out(ty: Type, sizes: &[usize], order: &[usize]) -> Self {
        Self { ty, view: View::laid_out(sizes, order) }
    }
}

/// The reduction operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reducer {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Minimum; propagates NaN, and orders -0 below 0.
    Min,
    /// Maximum; propagates NaN, and orders 0 above -0.
    Max,
    /// Logical or bitwise and.
    And,
    /// Logical or bitwise or.
    Or,
    /// Logical or bitwise exclusive or.
    Xor,
}

impl Reducer {
    /// Every value, in the order of their discriminants.
    pub const ALL: [Self; 7] = [Self::Add, Self::Mul, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];
}

/// A window along one dimension (XLA's `WindowDimension`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The number of taps of the window.
    pub size: usize,
    /// The distance from one position of the window to the next, in base indices: in the base area, the padded and dilated
    /// operand.
    pub stride: usize,
    /// Padding below; may be negative.
    pub low: isize,
    /// Padding above; may be negative.
    pub high: isize,
    /// The distance from one element to the next, in base indices.
    pub base_dilation: usize,
    /// The distance from one tap of the window to the next, in base indices.
    pub dilation: usize,
    /// Whether the window is reversed.
    pub is_reversed: bool,
}

impl Window {
    /// A window of adjacent taps with stride 1 and the same padding at both ends.
    pub const fn padded(size: usize, padding: isize) -> Self {
        Self {
            size,
            stride: 1,
            low: padding,
            high: padding,
            base_dilation: 1,
            dilation: 1,
            is_reversed: false,
        }
    }

    /// The number of its positions over a dimension of `size` elements; `None` if a number is out of range.
    pub fn positions(&self, size: usize) -> Option<usize> {
        /// Bound of sizes, strides and paddings: no sum or product of a few overflows.
        const LIMIT: isize = 1 << 30;
        let signed = |x: usize| isize::try_from(x).ok().filter(|x| *x < LIMIT);
        let (stride, dilation) = (signed(self.stride)?, signed(self.dilation)?);
        if stride == 0 || dilation == 0 || self.base_dilation == 0 || self.size == 0 {
            return None;
        }
        let dilated = |size: usize, dilation: usize| {
            signed(size.saturating_sub(1).checked_mul(dilation)?.checked_add(size.min(1))?)
        };
        let limited = |padding: isize| (-LIMIT..LIMIT).contains(&padding).then_some(padding);
        let base = dilated(size, self.base_dilation)? + limited(self.low)? + limited(self.high)?;
        let window = dilated(self.size, self.dilation)?;
        Some(if base < window { 0 } else { ((base - window) / stride + 1).cast_unsigned() })
    }
}

/// How two elements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Direction {
    /// Every value, in the order of their discriminants.
    pub const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge];
}

one_of! { Reducer Direction }

fields! {
    Array { ty view }
    Window { size stride low high base_dilation dilation is_reversed }
}

/// Whether these are distinct dimensions, all less than the rank.
pub fn are_distinct(dimensions: &[usize], rank: usize) -> bool {
    dimensions.iter().enumerate().all(|(i, d)| *d < rank && !dimensions[..i].contains(d))
}

/// Whether a window over dimensions of these sizes has these numbers of positions.
pub fn has_positions(sizes: &[usize], window: &[Window], positions: &[usize]) -> bool {
    sizes.len() == window.len()
        && positions.len() == window.len()
        && (sizes.iter().zip(window).zip(positions))
            .all(|((size, window), positions)| window.positions(*size) == Some(*positions))
}
