//! The description of a convolution.

use crate::description::describe::{Buffer, Describe, Unit, elements};
use crate::description::parts::{Array, Window, slides};
use crate::description::words::fields;
use crate::ground::element::Type;
use crate::ground::view::View;

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
        vec![Buffer::of(&self.lhs), Buffer::of(&self.rhs)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::of(&self.out)]
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
            && slides(&lhs[2..], &self.window, &out[2..])
    }

    fn steps(&self) -> u64 {
        let outputs = self.rhs.view.sizes.first().copied().unwrap_or(1).max(1) as u64;
        elements(&self.out.view).saturating_mul(elements(&self.rhs.view) / outputs)
    }

    fn examples() -> Vec<Self> {
        let one = |ty: Type, features: [usize; 3], window: Window, side: usize, is_channels_minor: bool| {
            let [inputs, outputs, groups] = features;
            let places = window.places(side).unwrap_or(0);
            let array = |sizes: [usize; 4]| {
                let [_, c, h, w] = sizes.map(usize::cast_signed);
                let strides = if is_channels_minor {
                    vec![h * w * c, 1, w * c, c]
                } else {
                    vec![c * h * w, h * w, w, 1]
                };
                Array { ty, view: View { offset: 0, sizes: sizes.to_vec(), strides } }
            };
            Self {
                lhs: array([1, inputs, side, side]),
                rhs: Array::row_major(ty, &[outputs, inputs / groups, window.size, window.size]),
                out: array([1, outputs, places, places]),
                window: vec![window; 2],
                feature_groups: groups,
                batch_groups: 1,
            }
        };
        let three = |stride, padding| Window { stride, ..Window::padded(3, padding) };
        let mut all = Vec::new();
        for ty in [Type::F32, Type::F16, Type::F64, Type::C64, Type::S32] {
            all.push(one(ty, [2, 3, 1], Window::padded(2, 1), 4, false));
            all.push(one(ty, [3, 5, 1], Window::padded(1, 0), 3, true));
        }
        for is_channels_minor in [false, true] {
            // Depthwise, as strips of the window 3x3 and row by row; then a matrix times few places.
            all.push(one(Type::F32, [6, 6, 6], three(1, 1), 11, is_channels_minor));
            all.push(one(Type::F32, [5, 5, 5], three(2, 1), 19, is_channels_minor));
            all.push(one(Type::F32, [4, 8, 4], three(1, 1), 6, is_channels_minor));
            all.push(one(Type::F32, [4, 4, 4], Window::padded(2, 0), 9, is_channels_minor));
            all.push(one(Type::F32, [16, 17, 1], Window::padded(1, 0), 2, is_channels_minor));
        }
        all
    }
}
