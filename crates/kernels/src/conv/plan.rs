//! A convolution as a product of matrices: its dimensions, and the boxes that its positions are divided into. A *position* is one
//! of the window: an index of the result's batch and spatial dimensions. A *base index* is an index into the padded and dilated
//! input (XLA's base area).

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::conv::task::Convolution;
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{KC, MatrixOperand};
use crate::gemm::typed::SumType;

/// A dimension of positions, which is the batch or a spatial dimension of the result, and the window along it.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The number of positions.
    pub positions: usize,
    /// The window's stride, in cells of the base area.
    pub stride: usize,
    /// The number of cells of the window.
    pub size: usize,
    /// The window's dilation: from one of its cells to the next, in cells of the base area.
    pub dilation: usize,
    /// Whether the window is reversed.
    pub is_reversed: bool,
    /// Low padding, in cells of the base area.
    pub low: isize,
    /// Base dilation: from one element of the input to the next, in cells of the base area.
    pub base_dilation: usize,
    /// The number of elements of the input.
    pub elements: usize,
    /// The stride of the input, in cells.
    pub input: isize,
    /// The stride of the result, in cells.
    pub out: isize,
}

impl Axis {
    /// The element at a base index; `None` in padding and in the gaps of dilation.
    pub fn element(&self, base_index: isize) -> Option<usize> {
        let at = usize::try_from(base_index - self.low).ok()?;
        let element = at / self.base_dilation;
        (at.is_multiple_of(self.base_dilation) && element < self.elements).then_some(element)
    }

    /// The base index of a cell of the window at position 0.
    pub fn tap_offset(&self, cell: usize) -> usize {
        self.dilation * if self.is_reversed { self.size - 1 - cell } else { cell }
    }

    /// Whether the window covers elements only, at every position: no padding and no gaps of dilation.
    pub fn is_full(&self) -> bool {
        let last = ((self.positions - 1) * self.stride + (self.size - 1) * self.dilation).cast_signed();
        let is_first_in = self.low <= 0 && self.base_dilation == 1;
        is_first_in && last - self.low < self.elements.cast_signed()
    }
}

/// A convolution as a product of matrices.
#[derive(Debug)]
pub struct Plan {
    /// Batch, then the spatial dimensions.
    pub axes: Vec<Axis>,
    /// The number of groups, of features or of the batch: each is a convolution of its own.
    pub groups: usize,
    /// The output features of a group.
    pub outputs: usize,
    /// The input features of a group.
    pub inputs: usize,
    /// The input's stride from one input feature to the next, in cells.
    pub feature: isize,
    /// The strides from one group to the next in input, kernel and result, in cells.
    pub group_steps: [isize; 3],
    /// The output features in the kernel and in the result.
    pub rows: [Group; 2],
    /// The input features and the cells of the window in the kernel.
    pub depth: Group,
    /// The slot of the first cell of input, kernel and result.
    pub offsets: [isize; 3],
}

impl Plan {
    /// The plan of a task.
    pub fn of(task: &Convolution) -> Self {
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
            input: lhs.strides[0],
            out: out.strides[0],
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
            input: lhs.strides[i + 2],
            out: out.strides[i + 2],
        });
        let step = |size: usize, stride: isize| size.cast_signed() * stride;
        let input_step = if task.batch_groups > 1 {
            step(out.sizes[0], lhs.strides[0])
        } else {
            step(inputs, lhs.strides[1])
        };
        let kernel = rhs.sizes.iter().copied().zip(rhs.strides.iter().copied());
        Self {
            axes: std::iter::once(batch).chain(spatial).collect(),
            groups,
            outputs,
            inputs,
            feature: lhs.strides[1],
            group_steps: [input_step, step(outputs, rhs.strides[0]), step(outputs, out.strides[1])],
            rows: [Group::of([(outputs, rhs.strides[0])]), Group::of([(outputs, out.strides[1])])],
            depth: Group::of(kernel.skip(1)),
            offsets: [lhs.offset, rhs.offset, out.offset].map(usize::cast_signed),
        }
    }

    /// The slots of the first cells of a group.
    pub fn group(&self, group: usize) -> [isize; 3] {
        std::array::from_fn(|i| self.offsets[i] + group.cast_signed() * self.group_steps[i])
    }

    /// One cell of the result, at a position along each axis and an output feature `row` of the group: summed over elements
    /// alone, without padding, in the order of [`crate::gemm::blocked`].
    pub fn cell<E: SumType>(&self, sides: [&MatrixOperand; 2], positions: &[usize], row: usize) -> E {
        let [input, kernel] = sides;
        let mut sum = E::default();
        let mut block = E::default();
        let fetch = |side: &MatrixOperand, slot: isize| {
            let mut cell = [E::default()];
            E::gather(side, &[slot], &[0], 1, &mut cell);
            cell[0]
        };
        let depth = self.depth.len();
        for k in 0..depth {
            let (mut rest, mut slot) = (k, Some(input.offset));
            for (axis, position) in self.axes.iter().zip(positions).rev() {
                let base_index = position * axis.stride + axis.tap_offset(rest % axis.size);
                let element = axis.element(base_index.cast_signed());
                slot = slot.zip(element).map(|(slot, element)| slot + element.cast_signed() * axis.input);
                rest /= axis.size;
            }
            if let Some(slot) = slot {
                let a = fetch(kernel, kernel.offset + self.rows[0].at(row) + self.depth.at(k));
                let b = fetch(input, slot + rest.cast_signed() * self.feature);
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

/// Divides all positions into boxes of at most `most` positions (at least one): whole minor axes, then a part of one. Returns the
/// positions of a box along each axis, and the number of boxes.
pub fn boxes(axes: &[Axis], most: usize) -> (Vec<usize>, usize) {
    let mut left = most.max(1);
    let mut counts = vec![1; axes.len()];
    for (count, axis) in counts.iter_mut().zip(axes).rev() {
        let parts = axis.positions.div_ceil(left.clamp(1, axis.positions));
        *count = axis.positions.div_ceil(parts);
        left = if parts == 1 { left / axis.positions } else { 1 };
    }
    let all = counts.iter().zip(axes).map(|(count, axis)| axis.positions.div_ceil(*count)).product();
    (counts, all)
}

/// Box `number` of those that [`boxes`] divides positions into.
pub fn position_box(axes: &[Axis], counts: &[usize], number: usize) -> PositionBox {
    let (mut rest, mut first) = (number, vec![0; axes.len()]);
    for d in (0..axes.len()).rev() {
        let parts = axes[d].positions.div_ceil(counts[d]);
        first[d] = rest % parts * counts[d];
        rest /= parts;
    }
    let count = (0..axes.len()).map(|d| counts[d].min(axes[d].positions - first[d])).collect();
    PositionBox { first, count }
}
