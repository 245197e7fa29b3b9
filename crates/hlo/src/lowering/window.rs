//! Resolves named padding (`SAME`, `VALID`) to explicit padding.

use smallvec::SmallVec;

use crate::builder::Padding;
use xla_array::{ArrayShape, Shape};
use xla_ops::attrs::{DimLabel, DimLabels, WindowDim};
use xla_ops::{AttrValue, Attrs};

/// The window of an instruction.
type Window = SmallVec<[WindowDim; 2]>;

/// The sizes of the spatial dimensions by label.
fn spatial_sizes(shape: &ArrayShape, labels: &[DimLabel]) -> Vec<i64> {
    let sizes = (0..=u8::MAX).map_while(|n| {
        let dimension = labels.iter().position(|label| *label == DimLabel::Spatial(n))?;
        shape.dimensions.get(dimension).copied()
    });
    sizes.collect()
}

/// The sizes of the base area of a window, and the sizes of the window if they are those of an operand (the kernel).
fn base_sizes(opcode: &str, operands: &[&Shape], attrs: &Attrs) -> Option<(Vec<i64>, Option<Vec<i64>>)> {
    let base = operands.first()?.as_array()?;
    if opcode != "convolution" {
        return Some((base.dimensions.to_vec(), None));
    }
    let Some(AttrValue::DimLabels(DimLabels([lhs, rhs, _]))) = attrs.get("dim_labels") else { return None };
    let kernel = operands.get(1)?.as_array()?;
    Some((spatial_sizes(base, lhs), Some(spatial_sizes(kernel, rhs))))
}

/// The window of an instruction with its named padding resolved. `None` if the operands and attributes do not determine it, or if
/// it is dilated: the builder has no named padding for dilated windows.
pub fn padded(opcode: &str, operands: &[&Shape], attrs: &Attrs, padding: Padding) -> Option<Window> {
    let (sizes, kernel) = base_sizes(opcode, operands, attrs)?;
    let mut window: Window = match (attrs.get("window"), kernel) {
        (Some(AttrValue::Window(window)), _) => window.clone(),
        (None, Some(kernel)) => {
            kernel.into_iter().map(|size| WindowDim { size, ..WindowDim::default() }).collect()
        }
        _ => return None,
    };
    if window.len() != sizes.len() || window.iter().any(|d| d.base_dilation != 1 || d.window_dilation != 1) {
        return None;
    }
    for (dim, size) in window.iter_mut().zip(sizes) {
        (dim.pad_low, dim.pad_high) = padding.low_high(size, dim.size, dim.stride);
    }
    Some(window)
}
