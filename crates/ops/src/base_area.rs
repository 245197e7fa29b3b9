//! The geometry of the base area of an op: the operand over which a window slides, or which is padded.
//!
//! An op with a base area returns it from [`OpDef::base_area`](super::OpDef::base_area). Pictures are drawn from it
//! alone, so that they do not depend on the op. Positions are in steps of the dilated operand: element `x` is at
//! position `x · dilation`, the padded area begins at `-low`.

use smallvec::SmallVec;

use super::attrs::WindowDim;
use xla_array::Dims;
use xla_array::index::for_each_combination;

/// A movement of a window along one dimension of the base: index `i` in dimension `dimension` of the counting array,
/// which has one element per window, moves it by `i / repeat · stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slide {
    /// The dimension of the counting array.
    pub dimension: usize,
    /// The number of consecutive indices with the same position.
    pub repeat: i64,
    /// The distance between positions, in steps of the base.
    pub stride: i64,
}

/// One dimension of a base area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseAxis {
    /// The elements of the operand.
    pub size: i64,
    /// The window, with the padding and dilation of the base; its stride is that of the slides.
    pub window: WindowDim,
    /// The dimensions that move the window.
    pub slides: SmallVec<[Slide; 2]>,
}

impl BaseAxis {
    /// A window that moves with one dimension of the counting array.
    pub fn sliding(size: i64, window: WindowDim, dimension: usize) -> Self {
        let slides = SmallVec::from_slice(&[Slide { dimension, repeat: 1, stride: window.stride }]);
        Self { size, window, slides }
    }

    /// The size of the dilated operand.
    fn dilated_size(&self) -> i64 {
        let last = (self.size - 1).max(0).saturating_mul(self.window.base_dilation);
        if self.size > 0 { last.saturating_add(1) } else { 0 }
    }

    /// The range of positions in a picture: the padded area and cropped elements. The end is exclusive.
    pub fn extent(&self) -> (i64, i64) {
        let high = self.dilated_size().saturating_add(self.window.pad_high);
        ((-self.window.pad_low).min(0), high.max(self.dilated_size()))
    }

    /// The content of a position.
    pub fn at(&self, position: i64) -> BaseCell {
        let dilation = self.window.base_dilation.max(1);
        let is_inside = (0..self.dilated_size()).contains(&position);
        let high = self.dilated_size().saturating_add(self.window.pad_high);
        let is_read = position >= -self.window.pad_low && position < high;
        match (is_inside, is_read) {
            (true, is_read) if position % dilation == 0 => {
                BaseCell::Element { index: position / dilation, is_read }
            }
            (true, true) => BaseCell::Hole,
            (true, false) => BaseCell::Cropped,
            _ => BaseCell::Padding,
        }
    }

    /// The start of the window of these indices.
    pub fn start(&self, index: &[i64]) -> i64 {
        let moved = self.slides.iter().map(|slide| {
            // An index of lower rank does not move the window.
            let i = index.get(slide.dimension).copied().unwrap_or(0);
            (i / slide.repeat.max(1)).saturating_mul(slide.stride)
        });
        moved.fold(0, i64::saturating_add).saturating_sub(self.window.pad_low)
    }
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
    Cropped,
    /// Before the first or after the last element.
    Padding,
}

/// The limit of windows along a dimension for [`BaseArea::windows_covering`], which tests each of them.
const MAX_WINDOWS_PER_DIMENSION: i64 = 4_096;
/// The limit of windows that [`BaseArea::windows_covering`] returns.
const MAX_WINDOWS: usize = 4_096;

/// A base area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseArea {
    /// The index of the operand that the window slides over.
    pub operand: usize,
    /// The content of the area along each dimension.
    pub axes: Vec<BaseAxis>,
    /// The operand with one element per window; `None` if that is the result.
    pub counting_operand: Option<usize>,
    /// The scalar operand that fills padding and holes, if there is one.
    pub fill: Option<usize>,
}

impl BaseArea {
    /// The start of a window.
    pub fn start(&self, index: &[i64]) -> Dims {
        self.axes.iter().map(|axis| axis.start(index)).collect()
    }

    /// The windows that cover an element, as indices in the counting array of sizes `sizes`; none if there are too
    /// many, or if several dimensions move a window along one axis.
    pub fn windows_covering(&self, element: &[i64], sizes: &[i64]) -> Vec<Dims> {
        let over = |(axis, x): (&BaseAxis, &i64)| -> Option<Vec<i64>> {
            let [slide] = axis.slides.as_slice() else { return None };
            let size = *sizes.get(slide.dimension)?;
            let position = x.saturating_mul(axis.window.base_dilation);
            let dilation = axis.window.window_dilation.max(1);
            let covers = |y: &i64| {
                let start = (y / slide.repeat.max(1))
                    .saturating_mul(slide.stride)
                    .saturating_sub(axis.window.pad_low);
                let within = position.saturating_sub(start);
                within >= 0 && within % dilation == 0 && within / dilation < axis.window.size
            };
            (size <= MAX_WINDOWS_PER_DIMENSION).then(|| (0..size).filter(covers).collect())
        };
        let lists: Option<Vec<Vec<i64>>> = self.axes.iter().zip(element).map(over).collect();
        let Some(lists) = lists else { return Vec::new() };
        let count = lists.iter().try_fold(1_usize, |all, list| all.checked_mul(list.len()));
        let mut found = Vec::new();
        if !lists.is_empty() && count.is_some_and(|count| count <= MAX_WINDOWS) {
            for_each_combination(&lists, |window| {
                found.push(window.into());
                true
            });
        }
        found
    }

    /// The window whose start is nearest to `start`, from the window at `index`; indices that do not move the window
    /// are kept. `sizes` are those of the counting array.
    pub fn closest_window(&self, start: &[i64], index: &[i64], sizes: &[i64]) -> Dims {
        let mut found: Dims = index.into();
        for (axis, wanted) in self.axes.iter().zip(start) {
            let Some((slide, others)) = axis.slides.split_first() else { continue };
            let (Some(now), Some(size)) = (index.get(slide.dimension), sizes.get(slide.dimension)) else {
                continue;
            };
            let moved = others.iter().fold(0, |sum: i64, other| {
                let i = index.get(other.dimension).copied().unwrap_or(0) / other.repeat.max(1);
                sum.saturating_add(i.saturating_mul(other.stride))
            });
            let (stride, repeat) = (slide.stride.max(1), slide.repeat.max(1));
            let from_first = wanted.saturating_add(axis.window.pad_low).saturating_sub(moved);
            let step = from_first.saturating_add(stride / 2).div_euclid(stride);
            let step = step.clamp(0, ((size - 1) / repeat).max(0));
            if now / repeat != step {
                found[slide.dimension] = step * repeat;
            }
        }
        found
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
        assert_eq!(axis.extent(), (-1, 5));
        let found: Vec<BaseCell> = (-1..5).map(|position| axis.at(position)).collect();
        let element = |index, is_read| BaseCell::Element { index, is_read };
        let expected = [
            BaseCell::Padding,
            element(0, true),
            BaseCell::Hole,
            element(1, true),
            BaseCell::Cropped,
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
            counting_operand: None,
            fill: None,
        };
        let mut axes = base.axes.clone();
        axes[1].slides[0].dimension = 1;
        let base = BaseArea { axes, ..base };
        let over: Vec<Vec<i64>> =
            base.windows_covering(&[2, 5], &[3, 3]).iter().map(|w| w.to_vec()).collect();
        assert_eq!(over, [[1, 2]], "windows start at -1, 2 and 5");
        for index in [[0, 0], [2, 1], [1, 2]] {
            assert_eq!(base.closest_window(&base.start(&index), &[0, 0], &[3, 3])[..], index);
        }
        assert_eq!(base.closest_window(&[100, -100], &[1, 1], &[3, 3])[..], [2, 0]);
        assert_eq!(base.closest_window(&[3, 0], &[0, 0], &[3, 3])[..], [1, 0], "3 is nearer to 2 than to 5");
    }

    #[test]
    fn groups_of_elements_share_a_position() {
        let slides = SmallVec::from_slice(&[Slide { dimension: 0, repeat: 2, stride: 4 }]);
        let base = BaseArea {
            operand: 0,
            axes: vec![BaseAxis { size: 8, window: WindowDim { size: 4, ..WindowDim::default() }, slides }],
            counting_operand: None,
            fill: None,
        };
        assert_eq!([base.start(&[1])[0], base.start(&[2])[0]], [0, 4]);
        assert_eq!(base.closest_window(&[0], &[1], &[4])[..], [1], "an unchanged position keeps the element");
        assert_eq!(base.closest_window(&[4], &[1], &[4])[..], [2]);
    }
}
