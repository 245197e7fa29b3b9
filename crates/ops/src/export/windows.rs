//! Windows and convolutions: the arguments of the builder's methods, and JAX's convolution.

use std::fmt::Write;

use super::super::attrs::{AttrValue, DimLabel, DimLabels, WindowDim};
use super::super::window::same_padding;
use super::{ExportContext, Expression, padding_pairs, per_dimension, tuple};

/// A list of one number per dimension, as `&[2, 3]`; empty if all are `default`.
fn list(dims: &[WindowDim], default: Option<i64>, number: impl Fn(&WindowDim) -> i64) -> String {
    let numbers: Vec<i64> = dims.iter().map(number).collect();
    if numbers.iter().all(|n| Some(*n) == default) { "&[]".to_owned() } else { format!("&{numbers:?}") }
}

/// The name of the padding over dimensions of these sizes, if it has one.
fn named_padding(dims: &[WindowDim], sizes: &[i64]) -> Option<&'static str> {
    let pads = |expected: fn(i64, &WindowDim) -> Option<(i64, i64)>| {
        dims.len() == sizes.len()
            && dims.iter().zip(sizes).all(|(d, size)| expected(*size, d) == Some((d.pad_low, d.pad_high)))
    };
    if pads(|_, _| Some((0, 0))) {
        return Some("Padding::Valid");
    }
    pads(|size, d| same_padding(size, d.size, d.stride)).then_some("Padding::Same")
}

/// Window sizes, strides and padding over dimensions of these sizes, as the methods of Operation Semantics take them;
/// `None` if the window is dilated or reversed, or its padding has no name.
pub fn named_window(dims: &[WindowDim], sizes: &[i64]) -> Option<String> {
    let is_undilated_in_order =
        |d: &WindowDim| (d.base_dilation, d.window_dilation, d.reversal) == (1, 1, false);
    if !dims.iter().all(is_undilated_in_order) {
        return None;
    }
    let padding = named_padding(dims, sizes)?;
    Some(format!("{}, {}, {padding}", list(dims, None, |d| d.size), list(dims, None, |d| d.stride)))
}

/// Strides and padding of a convolution over spatial dimensions of these sizes, as `Conv` takes them.
fn conv_arguments(dims: &[WindowDim], sizes: &[i64]) -> Option<String> {
    named_window(dims, sizes)?;
    Some(format!("{}, {}", list(dims, None, |d| d.stride), named_padding(dims, sizes)?))
}

/// Pairs of low and high padding, as `[(1, 0), (0, 1)]`.
fn pairs(dims: &[WindowDim]) -> String {
    format!("{:?}", dims.iter().map(|d| (d.pad_low, d.pad_high)).collect::<Vec<_>>())
}

/// Strides, padding and dilations of a convolution, as `ConvWithGeneralPadding` takes them; `None` if the window is
/// reversed.
fn general_conv_arguments(dims: &[WindowDim]) -> Option<String> {
    let (base, window) = (|d: &WindowDim| d.base_dilation, |d: &WindowDim| d.window_dilation);
    let dilations = format!("{}, {}", list(dims, Some(1), base), list(dims, Some(1), window));
    let is_reversed = dims.iter().any(|d| d.reversal);
    (!is_reversed).then(|| format!("{}, &{}, {dilations}", list(dims, None, |d| d.stride), pairs(dims)))
}

/// The fields of a `ConvConfig` that a window sets, each with a comma after it.
fn config_fields(dims: &[WindowDim]) -> String {
    let mut text = String::new();
    for (name, default, number) in [
        ("window_strides", 1, (|d| d.stride) as fn(&WindowDim) -> i64),
        ("lhs_dilation", 1, |d| d.base_dilation),
        ("rhs_dilation", 1, |d| d.window_dilation),
    ] {
        if dims.iter().any(|d| number(d) != default) {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{name}: vec!{:?}, ", dims.iter().map(number).collect::<Vec<_>>());
        }
    }
    if dims.iter().any(|d| (d.pad_low, d.pad_high) != (0, 0)) {
        let _ = write!(text, "padding: vec!{}, ", pairs(dims));
    }
    if dims.iter().any(|d| d.reversal) {
        let reversal: Vec<bool> = dims.iter().map(|d| d.reversal).collect();
        let _ = write!(text, "window_reversal: vec!{reversal:?}, ");
    }
    text
}

/// The convolution in Rust: the first builder method that supports all of its attributes.
pub fn rust_convolution(to: &ExportContext) -> Option<Expression> {
    if to.cx.attrs.get("operand_precision").is_some() {
        return None;
    }
    let labels = to.cx.attrs.get("dim_labels")?.to_string();
    let (dims, operands) = (to.cx.window("window"), to.joined_names());
    let groups: Vec<String> = ["feature_group_count", "batch_group_count"]
        .iter()
        .filter_map(|name| Some(format!("{name}: {}, ", to.cx.int(name).ok().filter(|count| *count != 1)?)))
        .collect();
    let spatial: String = (0..dims.len()).map(|d| d.to_string()).collect();
    let is_default = labels == format!("bf{spatial}_oi{spatial}->bf{spatial}");
    if is_default && groups.is_empty() {
        let sizes = to.array(0)?.dimensions.get(2..)?;
        let named = conv_arguments(dims, sizes).map(|rest| format!("b.conv({operands}, {rest})"));
        let general =
            || Some(format!("b.conv_with_general_padding({operands}, {})", general_conv_arguments(dims)?));
        if let Some(text) = named.or_else(general) {
            return Some(text.into());
        }
    }
    let labels =
        if is_default { String::new() } else { format!("dimension_numbers: Some(\"{labels}\".parse()?), ") };
    let fields = format!("{}{labels}{}", config_fields(dims), groups.concat());
    Some(format!("b.conv_general({operands}, &ConvConfig {{ {fields}..ConvConfig::default() }})").into())
}

/// The convolution in JAX: `lax.conv_general_dilated`.
pub fn jax_convolution(to: &ExportContext) -> Option<Expression> {
    let Some(AttrValue::DimLabels(DimLabels(labels))) = to.cx.attrs.get("dim_labels") else {
        return None;
    };
    let specification = |labels: &[DimLabel]| -> Option<String> {
        let letter = |label: &DimLabel| match label {
            DimLabel::Batch => Some('N'),
            DimLabel::Feature => Some('C'),
            DimLabel::Input => Some('I'),
            DimLabel::Output => Some('O'),
            DimLabel::Spatial(n) => char::from_digit(u32::from(*n), 10),
            DimLabel::Unused => None,
        };
        Some(format!("\"{}\"", labels.iter().map(letter).collect::<Option<String>>()?))
    };
    let numbers = tuple([specification(&labels[0])?, specification(&labels[1])?, specification(&labels[2])?]);
    let dims = to.cx.window("window");
    let reversed: Vec<usize> = (0_u8..)
        .zip(dims)
        .filter(|(_, dim)| dim.reversal)
        .filter_map(|(n, _)| labels[1].iter().position(|label| *label == DimLabel::Spatial(n)))
        .collect();
    let (lhs, mut rhs) = (to.name(0), to.name(1).to_owned());
    if !reversed.is_empty() {
        rhs = format!("lax.rev({rhs}, {})", tuple(reversed));
    }
    // JAX numbers spatial dimensions in the order of the kernel.
    let in_kernel = labels[1].iter().filter_map(|label| match label {
        DimLabel::Spatial(n) => dims.get(usize::from(*n)).copied(),
        _ => None,
    });
    let dims: &[WindowDim] = &in_kernel.collect::<Vec<_>>();
    let (strides, base, window) = (
        per_dimension(dims, |d| d.stride),
        per_dimension(dims, |d| d.base_dilation),
        per_dimension(dims, |d| d.window_dilation),
    );
    let mut text = format!(
        "lax.conv_general_dilated({lhs}, {rhs}, {strides}, {}, {base}, {window}",
        padding_pairs(dims)
    );
    let _ = write!(text, ", dimension_numbers={numbers}");
    for name in ["feature_group_count", "batch_group_count"] {
        if let Ok(count) = to.cx.int(name) {
            let _ = write!(text, ", {name}={count}");
        }
    }
    let result = to.result()?.element_type;
    if to.array(0)?.element_type != result || to.array(1)?.element_type != result {
        let _ = write!(text, ", preferred_element_type={}", to.dtype(result)?);
    }
    Some(format!("{text})").into())
}

/// The expression of a window dimension, without the fields that have their defaults.
pub fn window_dim(dim: &WindowDim) -> String {
    let default = WindowDim::default();
    let fields = [
        ("size", dim.size, default.size),
        ("stride", dim.stride, default.stride),
        ("pad_low", dim.pad_low, default.pad_low),
        ("pad_high", dim.pad_high, default.pad_high),
        ("base_dilation", dim.base_dilation, default.base_dilation),
        ("window_dilation", dim.window_dilation, default.window_dilation),
    ];
    let changed = fields.iter().filter(|(_, n, default)| n != default);
    let mut written: Vec<String> = changed.map(|(name, n, _)| format!("{name}: {n}")).collect();
    written.extend(dim.reversal.then(|| "reversal: true".to_owned()));
    written.push("..WindowDim::default()".to_owned());
    format!("WindowDim {{ {} }}", written.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_named_only_if_it_matches_exactly() {
        let dim = |size, stride, pad_low, pad_high| WindowDim {
            size,
            stride,
            pad_low,
            pad_high,
            ..WindowDim::default()
        };
        let named = |d: WindowDim| named_window(&[d], &[6]);
        assert_eq!(named(dim(2, 2, 0, 0)).as_deref(), Some("&[2], &[2], Padding::Valid"));
        assert_eq!(named(dim(2, 1, 0, 1)).as_deref(), Some("&[2], &[1], Padding::Same"));
        assert_eq!(named(dim(2, 1, 1, 0)), None);
        assert_eq!(named(WindowDim { window_dilation: 2, ..dim(2, 1, 0, 0) }), None);
        assert_eq!(named(WindowDim { reversal: true, ..dim(2, 1, 0, 0) }), None);
        // The padding of one dimension has a name, that of the other has none.
        assert_eq!(named_window(&[dim(2, 1, 0, 1), dim(2, 1, 0, 0)], &[6, 6]), None);
        assert_eq!(named_window(&[], &[]).as_deref(), Some("&[], &[], Padding::Valid"));
    }

    #[test]
    fn default_fields_are_omitted() {
        assert_eq!(
            window_dim(&WindowDim { size: 3, ..WindowDim::default() }),
            "WindowDim { size: 3, ..WindowDim::default() }"
        );
        let dims = [WindowDim { size: 3, pad_low: -1, ..WindowDim::default() }];
        assert_eq!(general_conv_arguments(&dims).as_deref(), Some("&[1], &[(-1, 0)], &[], &[]"));
        assert_eq!(config_fields(&dims), "padding: vec![(-1, 0)], ");
        assert_eq!(config_fields(&[WindowDim::default()]), "");
    }
}
