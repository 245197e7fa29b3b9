//! The description of a convolution.

use crate::description::describe::{Buffer, Describe, Unit, elements};
use crate::description::parts::{Array, Window, has_positions};
use crate::description::words::fields;
use crate::support::element::Type;

/// A convolution; the dimensions of the views are in the order that each field names, whatever the `dim_labels` were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// Input: batch, feature, spatial dimensions.
    pub lhs: Array,
    /// Kernel: output feature, input feature (of one group), spatial dimensions.
    pub rhs: Array,
    /// Result: batch, feature, spatial dimensions.
    pub out: Array,
    /// The window along each spatial dimension.
    pub window: Vec<Window>,
    /// Groups of features.
    pub feature_groups: usize,
    /// Groups of the batch.
    pub batch_groups: usize,
}

fields! { Convolution { lhs rhs out window feature_groups batch_groups } }

impl Describe for Convolution {
    const NAME: &'static str = "convolution";
    const UNIT: Unit = Unit::Flop;

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.lhs), Buffer::array(&self.rhs)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        let (lhs, rhs, out) = (&self.lhs.view.sizes, &self.rhs.view.sizes, &self.out.view.sizes);
        let rank = self.window.len() + 2;
        let (groups, batches) = (self.feature_groups, self.batch_groups);
        if lhs.len() != rank || rhs.len() != rank || out.len() != rank || groups == 0 || batches == 0 {
            return false;
        }
        rhs[1].checked_mul(groups) == Some(lhs[1])
            && out[0].checked_mul(batches) == Some(lhs[0])
            && out[1] == rhs[0]
            && rhs[0].is_multiple_of(groups)
            && rhs[0].is_multiple_of(batches)
            && (groups == 1 || batches == 1)
            && self.window.iter().zip(&rhs[2..]).all(|(window, size)| window.size == *size)
            && has_positions(&lhs[2..], &self.window, &out[2..])
    }

    fn steps(&self) -> u64 {
        let outputs = self.rhs.view.sizes.first().copied().unwrap_or(1).max(1) as u64;
        elements(&self.out.view).saturating_mul(elements(&self.rhs.view) / outputs)
    }

    fn examples() -> Vec<Self> {
        let image = |ty: Type, features, sizes: [usize; 2], window, is_channels_minor| {
            let order = if is_channels_minor { [0, 2, 3, 1] } else { [0, 1, 2, 3] };
            Self::single_image(ty, features, &sizes, window, &order)
        };
        let one = |ty: Type, features, window, side: usize, is_channels_minor| {
            image(ty, features, [side; 2], window, is_channels_minor)
        };
        let three = |stride, padding| Window { stride, ..Window::padded(3, padding) };
        let mut all = Vec::new();
        for ty in [Type::F32, Type::F16, Type::F64, Type::C64, Type::S32] {
            all.push(one(ty, [2, 3, 1], Window::padded(2, 1), 4, false));
            all.push(one(ty, [3, 5, 1], Window::padded(1, 0), 3, true));
        }
        for is_channels_minor in [false, true] {
            // Depthwise, as strips of the window 3x3 and row by row; then a matrix times few positions. Under Miri as many groups
            // and positions as these loops have remainders of: features before positions take any, features after positions four.
            let groups = |[before, after]: [usize; 2], all: usize| match (cfg!(miri), is_channels_minor) {
                (false, _) => all,
                (true, false) => before,
                (true, true) => after,
            };
            let [a, b] = [groups([1, 5], 6), groups([1, 4], 5)];
            all.push(one(
                Type::F32,
                [a, a, a],
                three(1, 1),
                if cfg!(miri) { 9 } else { 11 },
                is_channels_minor,
            ));
            all.push(one(
                Type::F32,
                [b, b, b],
                three(2, 1),
                if cfg!(miri) { 17 } else { 19 },
                is_channels_minor,
            ));
            let c = groups([2, 2], 4);
            all.push(one(Type::F32, [c, 2 * c, c], three(1, 1), 6, is_channels_minor));
            let d = groups([1, 21], 21);
            all.push(image(Type::F32, [d, d, d], [3, 18], Window::padded(2, 0), is_channels_minor));
            all.push(one(Type::F32, [16, 17, 1], Window::padded(1, 0), 2, is_channels_minor));
        }
        all.push(one(Type::F32, [2, 3, 1], Window::padded(2, 0), 1, false));
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let convolution = |features, side, window| {
            Self::single_image(Type::F32, features, &[side, side], window, &[0, 1, 2, 3])
        };
        let three = Window::padded(3, 1);
        vec![
            (
                "conv 7x7 s2 3→64, 224²",
                convolution([3, 64, 1], 224, Window { stride: 2, ..Window::padded(7, 3) }),
            ),
            ("conv 3x3 64→64, 56²", convolution([64, 64, 1], 56, three)),
            (
                "conv 3x3 dilated 64→64, 56²",
                convolution([64, 64, 1], 56, Window { dilation: 2, ..Window::padded(3, 2) }),
            ),
            ("conv 1x1 256→64, 56²", convolution([256, 64, 1], 56, Window::padded(1, 0))),
            ("conv 3x3 depthwise 96, 112²", convolution([96, 96, 96], 112, three)),
        ]
    }
}

impl Convolution {
    /// A convolution of one image of `inputs` features in `groups` with the same window along each spatial dimension; input and
    /// result have their dimensions in this order, major to minor.
    pub fn single_image(
        ty: Type,
        [inputs, outputs, groups]: [usize; 3],
        spatial: &[usize],
        window: Window,
        order: &[usize],
    ) -> Self {
        let with = |batch, features, sizes: &[usize]| [&[batch, features], sizes].concat();
        let positions: Vec<usize> = spatial.iter().filter_map(|size| window.positions(*size)).collect();
        let kernel = vec![window.size; spatial.len()];
        Self {
            lhs: Array::laid_out(ty, &with(1, inputs, spatial), order),
            rhs: Array::row_major(ty, &with(outputs, inputs / groups, &kernel)),
            out: Array::laid_out(ty, &with(1, outputs, &positions), order),
            window: vec![window; spatial.len()],
            feature_groups: groups,
            batch_groups: 1,
        }
    }
}
