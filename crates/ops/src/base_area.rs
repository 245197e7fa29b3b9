//! The geometry of the base area of an op: the operand over which a window slides, or which is padded.
//!
//! An op with a base area returns it from [`OpDef::base_area`](super::OpDef::base_area). Pictures are drawn from it
//! alone, so that they do not depend on the op. A position is an index of the dilated operand, which padding extends below
//! 0: element `x` is at position `x · base_dilation`, the padded area begins at `-pad_low`.
//!
//! Windows are identified by their indices in the *window-index array*, which has one element per window: usually the result
//! of the op, but the source operand of select-and-scatter.

use smallvec::SmallVec;

use super::attrs::WindowDim;
use xla_array::Dims;
use xla_array::index::for_each_combination;

/// How a dimension of the window-index array moves the window along one dimension of the base: index `i` moves it by
/// `i / group_size · stride` positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowMotion {
    /// The dimension of the window-index array.
    pub dimension: usize,
    /// The number of consecutive indices with the same window, e.g. the output features of one feature group.
    pub group_size: i64,
    /// The distance between the windows of adjacent groups, in positions.
    pub stride: i64,
}

impl WindowMotion {
    /// The distance in positions by which index `i` moves the window.
    fn offset(&self, i: i64) -> i64 {
        (i / self.group_size.max(1)).saturating_mul(self.stride)
    }
}

/// One dimension of a base area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseAxis {
    /// The size of the operand's dimension.
    pub size: i64,
    /// The window, with the padding and dilation of the base. Its stride is not used: that of the motions is.
    pub window: WindowDim,
    /// The dimensions of the window-index array that move the window.
    pub motions: SmallVec<[WindowMotion; 2]>,
}

impl BaseAxis {
    /// A window that moves with one dimension of the window-index array.
    pub fn sliding(size: i64, window: WindowDim, dimension: usize) -> Self {
        let motions =
            SmallVec::from_slice(&[WindowMotion { dimension, group_size: 1, stride: window.stride }]);
        Self { size, window, motions }
    }

    /// The size of the dilated operand.
    fn dilated_size(&self) -> i64 {
        let last = (self.size - 1).max(0).saturating_mul(self.window.base_dilation);
        if self.size > 0 { last.saturating_add(1) } else { 0 }
    }

    /// The range of positions in a picture: the padded area and cropped elements. The end is exclusive.
    pub fn position_range(&self) -> (i64, i64) {
        let high = self.dilated_size().saturating_add(self.window.pad_high);
        ((-self.window.pad_low).min(0), high.max(self.dilated_size()))
    }

    /// The content of a position.
    pub fn content(&self, position: i64) -> BaseCell {
        let dilation = self.window.base_dilation.max(1);
        let is_inside = (0..self.dilated_size()).contains(&position);
        let high = self.dilated_size().saturating_add(self.window.pad_high);
        let is_read = position >= -self.window.pad_low && position < high;
        match (is_inside, is_read) {
            (true, is_read) if position % dilation == 0 => {
                BaseCell::Element { index: position / dilation, is_read }
            }
            (true, true) => BaseCell::Hole,
            (true, false) => BaseCell::CroppedHole,
            _ => BaseCell::Padding,
        }
    }

    /// The position at which the window with this index starts.
    pub fn start(&self, index: &[i64]) -> i64 {
        total_offset(&self.motions, index).saturating_sub(self.window.pad_low)
    }
}

/// The distance in positions by which an index of the window-index array moves the window.
fn total_offset(motions: &[WindowMotion], index: &[i64]) -> i64 {
    let offsets = motions.iter().map(|motion| {
        // An index of lower rank does not move the window.
        motion.offset(index.get(motion.dimension).copied().unwrap_or(0))
    });
    offsets.fold(0, i64::saturating_add)
}

/// The content of a position of a base area, along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseCell {
    /// An element; not read if negative padding crops it.
    Element {
        /// The index of the element along this dimension.
        index: i64,
        /// Whether the op reads it.
        is_read: bool,
    },
    /// A hole between two elements, by dilation.
    Hole,
    /// A hole cropped by negative padding.
    CroppedHole,
    /// Before the first or after the last element.
    Padding,
}

/// Maximum number of windows along a dimension for [`BaseArea::windows_covering`], which tests each of them.
const MAX_WINDOWS_PER_DIMENSION: i64 = 4_096;
/// Maximum number of windows that [`BaseArea::windows_covering`] returns.
const MAX_COVERING_WINDOWS: usize = 4_096;

/// A base area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseArea {
    /// The index of the operand that the window slides over.
    pub operand: usize,
    /// The content of the area along each dimension.
    pub axes: Vec<BaseAxis>,
    /// The operand that is the window-index array; `None` if that is the result.
    pub window_index_operand: Option<usize>,
    /// The scalar operand that fills padding and holes, if there is one.
    pub fill: Option<usize>,
}

impl BaseArea {
    /// The position at which the window with this index starts.
    pub fn start(&self, index: &[i64]) -> Dims {
        self.axes.iter().map(|axis| axis.start(index)).collect()
    }

    /// The windows that cover an element, as indices of the window-index array, whose sizes are `sizes`; none if there are
    /// too many, or unless exactly one dimension moves the window along each axis.
    pub fn windows_covering(&self, element: &[i64], sizes: &[i64]) -> Vec<Dims> {
        let covering_indices = |(axis, x): (&BaseAxis, &i64)| -> Option<Vec<i64>> {
            let [motion] = axis.motions.as_slice() else { return None };
            let size = *sizes.get(motion.dimension)?;
            let position = x.saturating_mul(axis.window.base_dilation);
            let dilation = axis.window.window_dilation.max(1);
            let covers = |i: &i64| {
                let start = motion.offset(*i).saturating_sub(axis.window.pad_low);
                let distance = position.saturating_sub(start);
                distance >= 0 && distance % dilation == 0 && distance / dilation < axis.window.size
            };
            (size <= MAX_WINDOWS_PER_DIMENSION).then(|| (0..size).filter(covers).collect())
        };
        let lists: Option<Vec<Vec<i64>>> = self.axes.iter().zip(element).map(covering_indices).collect();
        let Some(lists) = lists else { return Vec::new() };
        let count = lists.iter().try_fold(1_usize, |all, list| all.checked_mul(list.len()));
        let mut found = Vec::new();
        if !lists.is_empty() && count.is_some_and(|count| count <= MAX_COVERING_WINDOWS) {
            for_each_combination(&lists, |window| {
                found.push(window.into());
                true
            });
        }
        found
    }

    /// The window whose start is nearest to `start`. It is reached from the window `index` by changing only the first
    /// dimension that moves it along each axis; an index within a group is kept if the group stays the same. `sizes` are
    /// those of the window-index array.
    pub fn closest_window(&self, start: &[i64], index: &[i64], sizes: &[i64]) -> Dims {
        let mut closest: Dims = index.into();
        for (axis, target) in self.axes.iter().zip(start) {
            let Some((motion, others)) = axis.motions.split_first() else { continue };
            let (Some(i), Some(size)) = (index.get(motion.dimension), sizes.get(motion.dimension)) else {
                continue;
            };
            let (stride, group_size) = (motion.stride.max(1), motion.group_size.max(1));
            let first_start = total_offset(others, index).saturating_sub(axis.window.pad_low);
            let distance = target.saturating_sub(first_start);
            let group = distance.saturating_add(stride / 2).div_euclid(stride);
            let group = group.clamp(0, ((size - 1) / group_size).max(0));
            if i / group_size != group {
                closest[motion.dimension] = group * group_size;
            }
        }
        closest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(size: i64, window: WindowDim) -> BaseAxis {
        BaseAxis::sliding(size, window, 0)
    }

    #[test]
    fn every_position_is_element_hole_padding_or_cropped() {
        let window = WindowDim { pad_low: 1, pad_high: -2, base_dilation: 2, ..WindowDim::default() };
        let axis = axis(3, window);
        assert_eq!(axis.position_range(), (-1, 5));
        let found: Vec<BaseCell> = (-1..5).map(|position| axis.content(position)).collect();
        let element = |index, is_read| BaseCell::Element { index, is_read };
        let expected = [
            BaseCell::Padding,
            element(0, true),
            BaseCell::Hole,
            element(1, true),
            BaseCell::CroppedHole,
            element(2, false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_window_is_found_by_its_start() {
        let window = WindowDim { size: 2, stride: 3, pad_low: 1, ..WindowDim::default() };
        let base = BaseArea {
            operand: 0,
            axes: vec![axis(9, window), axis(9, window)],
            window_index_operand: None,
            fill: None,
        };
        let mut axes = base.axes.clone();
        axes[1].motions[0].dimension = 1;
        let base = BaseArea { axes, ..base };
        let covering: Vec<Vec<i64>> =
            base.windows_covering(&[2, 5], &[3, 3]).iter().map(|w| w.to_vec()).collect();
        assert_eq!(covering, [[1, 2]], "windows start at -1, 2 and 5");
        for index in [[0, 0], [2, 1], [1, 2]] {
            assert_eq!(base.closest_window(&base.start(&index), &[0, 0], &[3, 3])[..], index);
        }
        assert_eq!(base.closest_window(&[100, -100], &[1, 1], &[3, 3])[..], [2, 0]);
        assert_eq!(base.closest_window(&[3, 0], &[0, 0], &[3, 3])[..], [1, 0], "3 is nearer to 2 than to 5");
    }

    #[test]
    fn a_group_of_indices_shares_a_window() {
        let motions = SmallVec::from_slice(&[WindowMotion { dimension: 0, group_size: 2, stride: 4 }]);
        let base = BaseArea {
            operand: 0,
            axes: vec![BaseAxis { size: 8, window: WindowDim { size: 4, ..WindowDim::default() }, motions }],
            window_index_operand: None,
            fill: None,
        };
        assert_eq!([base.start(&[1])[0], base.start(&[2])[0]], [0, 4]);
        assert_eq!(base.closest_window(&[0], &[1], &[4])[..], [1], "an unchanged group keeps the index");
        assert_eq!(base.closest_window(&[4], &[1], &[4])[..], [2]);
    }
}
