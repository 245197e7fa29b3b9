//! A convolution as a product of matrices: its dimensions, and the boxes that its positions are divided into. A *position* (of
//! the window) is an index of the result's batch and spatial dimensions. A *base index* is an index into the padded and dilated
//! input (XLA's base area).

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::conv::task::Convolution;
use crate::gemm::matrix::{KC, OperandSlice};
use crate::gemm::offset_map::OffsetMap;
use crate::gemm::typed::AccumulatorScalar;

/// A dimension of positions, which is the batch or a spatial dimension of the result, and the window along it.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The number of positions.
    pub positions: usize,
    /// The window's stride, in base indices.
    pub stride: usize,
    /// The number of taps of the window.
    pub size: usize,
    /// The window's dilation: the distance of its taps, in base indices.
    pub dilation: usize,
    /// Whether the window is reversed.
    pub is_reversed: bool,
    /// Low padding, in base indices.
    pub low: isize,
    /// Base dilation: the distance of the input's elements, in base indices.
    pub base_dilation: usize,
    /// The number of elements of the input.
    pub elements: usize,
    /// The stride of the input, in elements.
    pub input_stride: isize,
    /// The stride of the result, in elements.
    pub out_stride: isize,
}

impl Axis {
    /// The element at a base index; `None` in padding and in the gaps of dilation.
    pub fn element(&self, base_index: isize) -> Option<usize> {
        let at = usize::try_from(base_index - self.low).ok()?;
        let element = at / self.base_dilation;
        (at.is_multiple_of(self.base_dilation) && element < self.elements).then_some(element)
    }

    /// The base index of a tap at position 0.
    pub fn tap_offset(&self, tap: usize) -> usize {
        self.dilation * if self.is_reversed { self.size - 1 - tap } else { tap }
    }

    /// Whether the window covers elements only, at every position: no padding and no gaps of dilation.
    pub fn covers_only_elements(&self) -> bool {
        let last = ((self.positions - 1) * self.stride + (self.size - 1) * self.dilation).cast_signed();
        let is_first_in = self.low <= 0 && self.base_dilation == 1;
        is_first_in && last - self.low < self.elements.cast_signed()
    }
}

/// The index of the weights among the operands of a convolution.
pub const WEIGHTS: usize = 1;

/// A convolution as a product of matrices.
#[derive(Debug)]
pub struct Plan {
    /// Batch, then the spatial dimensions.
    pub axes: Vec<Axis>,
    /// The number of groups, of features or of the batch: each is a separate convolution.
    pub groups: usize,
    /// The number of output features of a group.
    pub outputs: usize,
    /// The number of input features of a group.
    pub inputs: usize,
    /// The input's stride from one input feature to the next, in elements.
    pub feature_stride: isize,
    /// The strides from one group to the next in input, weights and result, in elements.
    pub group_strides: [isize; 3],
    /// The output features of a group in the weights.
    pub weight_features: OffsetMap,
    /// The output features of a group in the result.
    pub out_features: OffsetMap,
    /// The input features and the taps of the window, in the weights.
    pub depth: OffsetMap,
    /// The slots of the first elements of input, weights and result.
    pub offsets: [isize; 3],
}

impl Plan {
    /// The plan of a task.
    pub fn new(task: &Convolution) -> Self {
        let (lhs, rhs, out) = (&task.lhs.view, &task.rhs.view, &task.out.view);
        let groups = task.feature_groups.max(task.batch_groups);
        let (outputs, inputs) = (rhs.sizes[0] / groups, rhs.sizes[1]);
        let batch = Axis {
            positions: out.sizes[0],
            stride: 1,
            size: 1,
            dilation: 1,
            is_reversed: false,
            low: 0,
            base_dilation: 1,
            elements: out.sizes[0],
            input_stride: lhs.strides[0],
            out_stride: out.strides[0],
        };
        let spatial = task.window.iter().enumerate().map(|(i, window)| Axis {
            positions: out.sizes[i + 2],
            stride: window.stride,
            size: window.size,
            dilation: window.dilation,
            is_reversed: window.is_reversed,
            low: window.low,
            base_dilation: window.base_dilation,
            elements: lhs.sizes[i + 2],
            input_stride: lhs.strides[i + 2],
            out_stride: out.strides[i + 2],
        });
        let step = |size: usize, stride: isize| size.cast_signed() * stride;
        let input_step = if task.batch_groups > 1 {
            step(out.sizes[0], lhs.strides[0])
        } else {
            step(inputs, lhs.strides[1])
        };
        let weights = rhs.sizes.iter().copied().zip(rhs.strides.iter().copied());
        Self {
            axes: std::iter::once(batch).chain(spatial).collect(),
            groups,
            outputs,
            inputs,
            feature_stride: lhs.strides[1],
            group_strides: [input_step, step(outputs, rhs.strides[0]), step(outputs, out.strides[1])],
            weight_features: OffsetMap::new([(outputs, rhs.strides[0])]),
            out_features: OffsetMap::new([(outputs, out.strides[1])]),
            depth: OffsetMap::new(weights.skip(1)),
            offsets: [lhs.offset, rhs.offset, out.offset].map(usize::cast_signed),
        }
    }

    /// The slots of a group's first elements in input, weights and result.
    pub fn group_offsets(&self, group: usize) -> [isize; 3] {
        std::array::from_fn(|i| self.offsets[i] + group.cast_signed() * self.group_strides[i])
    }

    /// One element of the result, at a position along each axis and an output feature of the group: summed over elements
    /// alone, without padding, in the order of [`crate::gemm::blocked`].
    pub fn sum_without_padding<E: AccumulatorScalar>(
        &self,
        [input, weights]: [OperandSlice; 2],
        positions: &[usize],
        output: usize,
    ) -> E {
        let mut sum = E::default();
        let mut block = E::default();
        let load = |operand: OperandSlice, slot: isize| {
            let mut value = [E::default()];
            E::gather(operand, &[slot], &[0], 1, &mut value);
            value[0]
        };
        let depth = self.depth.len();
        for k in 0..depth {
            let (mut rest, mut slot) = (k, Some(input.offset));
            for (axis, position) in self.axes.iter().zip(positions).rev() {
                let base_index = position * axis.stride + axis.tap_offset(rest % axis.size);
                let element = axis.element(base_index.cast_signed());
                slot =
                    slot.zip(element).map(|(slot, element)| slot + element.cast_signed() * axis.input_stride);
                rest /= axis.size;
            }
            if let Some(slot) = slot {
                let a = load(
                    weights,
                    weights.offset + self.weight_features.offset(output) + self.depth.offset(k),
                );
                let b = load(input, slot + rest.cast_signed() * self.feature_stride);
                block = block.plus_product(a, b);
            }
            if (k + 1).is_multiple_of(KC) || k + 1 == depth {
                sum = sum.plus(block);
                block = E::default();
            }
        }
        sum.canonicalized()
    }
}

/// A box of positions.
#[derive(Clone, Debug)]
pub struct PositionBox {
    /// The first position along each axis.
    pub first: Vec<usize>,
    /// The number of positions along each axis.
    pub count: Vec<usize>,
}

/// Divides all positions into boxes of at most `max_positions` (at least one): whole minor axes, then a part of one. Returns the
/// positions of a box along each axis, and the number of boxes.
pub fn split_into_boxes(axes: &[Axis], max_positions: usize) -> (Vec<usize>, usize) {
    let mut remaining = max_positions.max(1);
    let mut counts = vec![1; axes.len()];
    for (count, axis) in counts.iter_mut().zip(axes).rev() {
        let parts = axis.positions.div_ceil(remaining.clamp(1, axis.positions));
        *count = axis.positions.div_ceil(parts);
        remaining = if parts == 1 { remaining / axis.positions } else { 1 };
    }
    let box_count = counts.iter().zip(axes).map(|(count, axis)| axis.positions.div_ceil(*count)).product();
    (counts, box_count)
}

/// Box `index` of those that [`split_into_boxes`] divides positions into.
pub fn position_box(axes: &[Axis], counts: &[usize], index: usize) -> PositionBox {
    let (mut rest, mut first) = (index, vec![0; axes.len()]);
    for d in (0..axes.len()).rev() {
        let parts = axes[d].positions.div_ceil(counts[d]);
        first[d] = rest % parts * counts[d];
        rest /= parts;
    }
    let count = (0..axes.len()).map(|d| counts[d].min(axes[d].positions - first[d])).collect();
    PositionBox { first, count }
}
