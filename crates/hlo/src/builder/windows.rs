//! Windowed operations: convolution, `ReduceWindow`, `SelectAndScatter`.

use smallvec::SmallVec;

use super::{ComputationBuilder, Op};
use crate::module::Module;
use xla_array::{ArrayShape, Edition};
use xla_messages::i18n::Message;
use xla_ops::attrs::{DimLabel, DimLabels, WindowDim};
use xla_ops::window::same_padding;
use xla_ops::{AttrValue, Attrs, OpError};

/// Named padding (`Padding::kSame`, `Padding::kValid`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// The result is as large as the input, if the stride is 1; an odd element of padding is added at the high end.
    Same,
    /// No padding: every window is within the input.
    Valid,
}

impl Padding {
    /// Low and high padding of a dimension of `size` elements. The op itself reports invalid windows and strides.
    pub(crate) fn low_high(self, size: i64, window: i64, stride: i64) -> (i64, i64) {
        match self {
            Self::Same => same_padding(size, window, stride).unwrap_or_default(),
            Self::Valid => (0, 0),
        }
    }
}

/// The parameters of a convolution: the arguments of `ConvGeneralDilated`, and those that current XLA added.
///
/// Every list has one entry per spatial dimension, or is empty for the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvConfig {
    /// Stride, in elements; default 1.
    pub window_strides: Vec<i64>,
    /// Low and high padding of the input, in elements; negative padding crops. Default 0.
    pub padding: Vec<(i64, i64)>,
    /// Dilation of the input: distance between adjacent elements; default 1.
    pub lhs_dilation: Vec<i64>,
    /// Dilation of the kernel: distance between adjacent elements; default 1.
    pub rhs_dilation: Vec<i64>,
    /// Whether the kernel is reversed; default false.
    pub window_reversal: Vec<bool>,
    /// The role of each dimension; default `bf01_oi01->bf01`, for any number of spatial dimensions.
    pub dimension_numbers: Option<DimLabels>,
    /// Number of groups of input features, each with its own output features; default 1.
    pub feature_group_count: i64,
    /// Number of groups of batch elements, each with its own output features; default 1.
    pub batch_group_count: i64,
}

impl Default for ConvConfig {
    fn default() -> Self {
        Self {
            window_strides: Vec::new(),
            padding: Vec::new(),
            lhs_dilation: Vec::new(),
            rhs_dilation: Vec::new(),
            window_reversal: Vec::new(),
            dimension_numbers: None,
            feature_group_count: 1,
            batch_group_count: 1,
        }
    }
}

/// Default labels: batch, feature, spatial dimensions; for the kernel output feature, input feature, spatial dimensions.
/// There are at most 256 spatial labels; the op itself reports missing ones.
fn default_dim_labels(spatial: usize) -> DimLabels {
    let labels = |first: [DimLabel; 2]| -> SmallVec<[DimLabel; 6]> {
        first.into_iter().chain((0..=u8::MAX).take(spatial).map(DimLabel::Spatial)).collect()
    };
    let data = [DimLabel::Batch, DimLabel::Feature];
    DimLabels([labels(data), labels([DimLabel::Output, DimLabel::Input]), labels(data)])
}

/// The sizes of the spatial dimensions, by label.
fn spatial_sizes(shape: &ArrayShape, labels: &[DimLabel], spatial: usize) -> Vec<i64> {
    let size = |n: u8| {
        let dimension = labels.iter().position(|label| *label == DimLabel::Spatial(n));
        dimension.and_then(|d| shape.dimensions.get(d)).copied().unwrap_or(1)
    };
    (0..=u8::MAX).take(spatial).map(size).collect()
}

/// Checks that a list is empty or has one entry per dimension.
fn check_length(op: &'static str, name: &'static str, found: usize, expected: usize) -> Result<(), OpError> {
    if found == 0 || found == expected {
        return Ok(());
    }
    let message = Message::ops("builder-lengths")
        .with("name", name)
        .with("found", found)
        .with("other", "window_dimensions")
        .with("expected", expected);
    Err(OpError::new(op, "window-lengths", message).at_attr("window"))
}

fn window(dims: impl IntoIterator<Item = WindowDim>) -> AttrValue {
    AttrValue::Window(dims.into_iter().collect())
}

/// Operations with windows.
impl ComputationBuilder {
    /// `Conv`: like [`ComputationBuilder::conv_with_general_padding`], with named padding. Section: Conv.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, builder::Padding};
    /// let b = ComputationBuilder::new("e");
    /// let x = b.parameter(0, &"f32[1,3,8,8]".parse()?, "x")?;
    /// let w = b.parameter(1, &"f32[16,3,3,3]".parse()?, "w")?;
    /// assert_eq!(b.shape(b.conv(x, w, &[1, 1], Padding::Same)?)?.human_string(), "f32[1,16,8,8]");
    /// assert_eq!(b.shape(b.conv(x, w, &[1, 1], Padding::Valid)?)?.human_string(), "f32[1,16,6,6]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conv(&self, lhs: Op, rhs: Op, window_strides: &[i64], padding: Padding) -> Result<Op, OpError> {
        let (a, b) = (self.array("convolution", "lhs", 0, lhs)?, self.array("convolution", "rhs", 1, rhs)?);
        let spatial = a.rank().saturating_sub(2);
        let DimLabels([lhs_labels, rhs_labels, _]) = default_dim_labels(spatial);
        let window_sizes = spatial_sizes(&b, &rhs_labels, spatial);
        let sizes = spatial_sizes(&a, &lhs_labels, spatial).into_iter().zip(window_sizes);
        let stride = |d: usize| window_strides.get(d).copied().unwrap_or(1);
        let padding: Vec<_> =
            sizes.enumerate().map(|(d, (size, window))| padding.low_high(size, window, stride(d))).collect();
        self.conv_with_general_padding(lhs, rhs, window_strides, &padding, &[], &[])
    }

    /// `ConvWithGeneralPadding`: a convolution with explicit padding.
    ///
    /// `lhs` is `[batch, feature, spatial…]`, `rhs` `[output feature, input feature, spatial…]`, the result `[batch,
    /// output feature, spatial…]`, with any number of spatial dimensions (`Edition::V2017`: at least one). A padded
    /// size `n` and a dilated window `w` yield `floor((n - w) / stride) + 1`. Lists are as in [`ConvConfig`]. The
    /// kernel is not reversed.
    ///
    /// Errors: `conv-rank`, `window-lengths`, and the rules of `convolution`. Section: `ConvWithGeneralPadding`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let x = b.parameter(0, &"f32[1,1,4,4]".parse()?, "x")?;
    /// let w = b.parameter(1, &"f32[1,1,2,2]".parse()?, "w")?;
    /// let r = b.conv_with_general_padding(x, w, &[1, 1], &[(-1, 0), (0, -1)], &[], &[])?;
    /// assert_eq!(b.shape(r)?.human_string(), "f32[1,1,2,2]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conv_with_general_padding(
        &self,
        lhs: Op,
        rhs: Op,
        window_strides: &[i64],
        padding: &[(i64, i64)],
        lhs_dilation: &[i64],
        rhs_dilation: &[i64],
    ) -> Result<Op, OpError> {
        let config = ConvConfig {
            window_strides: window_strides.to_vec(),
            padding: padding.to_vec(),
            lhs_dilation: lhs_dilation.to_vec(),
            rhs_dilation: rhs_dilation.to_vec(),
            ..ConvConfig::default()
        };
        self.conv_general(lhs, rhs, &config)
    }

    /// `ConvGeneralDilated`: a convolution with all parameters. Fails like
    /// [`ComputationBuilder::conv_with_general_padding`].
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, builder::ConvConfig};
    /// let b = ComputationBuilder::new("e");
    /// let x = b.parameter(0, &"f32[1,8,8,4]".parse()?, "x")?;
    /// let w = b.parameter(1, &"f32[3,3,1,8]".parse()?, "w")?;
    /// let config = ConvConfig {
    ///     dimension_numbers: Some("b01f_01io->b01f".parse()?),
    ///     feature_group_count: 4,
    ///     ..ConvConfig::default()
    /// };
    /// assert_eq!(b.shape(b.conv_general(x, w, &config)?)?.human_string(), "f32[1,6,6,8]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conv_general(&self, lhs: Op, rhs: Op, config: &ConvConfig) -> Result<Op, OpError> {
        let (a, b) = (self.array("convolution", "lhs", 0, lhs)?, self.array("convolution", "rhs", 1, rhs)?);
        let spatial = a.rank().saturating_sub(2);
        if self.edition == Edition::V2017 && spatial == 0 {
            let message = Message::ops("builder-conv-rank").with("shape", a.human_string());
            return Err(OpError::new("convolution", "conv-rank", message).at_operand(0));
        }
        for (name, found) in [
            ("window_strides", config.window_strides.len()),
            ("padding", config.padding.len()),
            ("lhs_dilation", config.lhs_dilation.len()),
            ("rhs_dilation", config.rhs_dilation.len()),
            ("window_reversal", config.window_reversal.len()),
        ] {
            check_length("convolution", name, found, spatial)?;
        }
        let labels = config.dimension_numbers.clone().unwrap_or_else(|| default_dim_labels(spatial));
        let sizes = spatial_sizes(&b, &labels.0[1], spatial);
        let dims = sizes.iter().enumerate().map(|(d, size)| {
            let (pad_low, pad_high) = config.padding.get(d).copied().unwrap_or((0, 0));
            WindowDim {
                size: *size,
                stride: config.window_strides.get(d).copied().unwrap_or(1),
                pad_low,
                pad_high,
                base_dilation: config.lhs_dilation.get(d).copied().unwrap_or(1),
                window_dilation: config.rhs_dilation.get(d).copied().unwrap_or(1),
                reversal: config.window_reversal.get(d).copied().unwrap_or(false),
            }
        });
        let mut attrs = Attrs::new();
        if spatial > 0 {
            attrs.set("window", window(dims));
        }
        attrs.set("dim_labels", AttrValue::DimLabels(labels));
        for (name, groups) in [
            ("feature_group_count", config.feature_group_count),
            ("batch_group_count", config.batch_group_count),
        ] {
            if groups != 1 {
                attrs.set(name, AttrValue::Int(groups));
            }
        }
        self.instruction("convolution", &[lhs, rhs], attrs, None)
    }

    /// The window over every dimension of an array, with named padding.
    fn padded_window(
        &self,
        op: &'static str,
        operand: Op,
        dimensions: &[i64],
        strides: &[i64],
        padding: Padding,
    ) -> Result<Vec<WindowDim>, OpError> {
        let operand_shape = self.array(op, "operand", 0, operand)?;
        check_length(op, "window_strides", strides.len(), dimensions.len())?;
        let dims = dimensions.iter().enumerate().map(|(d, window)| {
            let stride = strides.get(d).copied().unwrap_or(1);
            let size = operand_shape.dimensions.get(d).copied().unwrap_or(1);
            let (pad_low, pad_high) = padding.low_high(size, *window, stride);
            WindowDim { size: *window, stride, pad_low, pad_high, ..WindowDim::default() }
        });
        Ok(dims.collect())
    }

    /// `ReduceWindow`: reduces every window of an array by a computation of two scalars, starting with `init_value`.
    ///
    /// The lists have one entry per dimension; empty strides are all 1. Padding is skipped, so `init_value` is used
    /// once per window. Errors: `window-lengths`, and the rules of `reduce-window`. Section: `ReduceWindow`.
    ///
    /// ```
    /// # use {xla_array::ElementType, xla_hlo::{ComputationBuilder, Evaluator, builder::Padding}};
    /// let max = ComputationBuilder::new("max");
    /// max.max(max.parameter(0, &"s32[]".parse()?, "y")?, max.parameter(1, &"s32[]".parse()?, "x")?, &[])?;
    /// let b = ComputationBuilder::new("reduce_window_2");
    /// let input = b.constant_r1(&[1, 5, 2, 3, 9, 4])?;
    /// b.reduce_window(input, b.min_value(ElementType::S32)?, &max.build()?, &[2], &[2], Padding::Valid)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{5, 3, 9}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reduce_window(
        &self,
        operand: Op,
        init_value: Op,
        computation: &Module,
        window_dimensions: &[i64],
        window_strides: &[i64],
        padding: Padding,
    ) -> Result<Op, OpError> {
        let dims =
            self.padded_window("reduce-window", operand, window_dimensions, window_strides, padding)?;
        self.reduce_window_with_general_padding(operand, init_value, computation, &dims)
    }

    /// `ReduceWindowWithGeneralPadding`: like [`ComputationBuilder::reduce_window`], with explicit padding and
    /// dilations; `window_dims` has one entry per dimension. Errors: the rules of `reduce-window`.
    pub fn reduce_window_with_general_padding(
        &self,
        operand: Op,
        init_value: Op,
        computation: &Module,
        window_dims: &[WindowDim],
    ) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("window", window(window_dims.iter().copied()));
        self.add_call("reduce-window", &[operand, init_value], &[("to_apply", computation)], attrs)
    }

    /// `SelectAndScatter`: selects one element of each window of `operand`, and combines the window's element of
    /// `source` into the result at that position.
    ///
    /// `select` of the selected and another element returns whether to keep the selected one; `scatter` combines the
    /// result's element with the source's. The result has the operand's shape and starts as `init_value`; `source` has
    /// one element per window. Errors: `window-lengths`, and the rules of `select-and-scatter`. Section:
    /// `SelectAndScatter`.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator, builder::Padding};
    /// # let scalar = "s32[]".parse()?;
    /// let ge = ComputationBuilder::new("ge");
    /// ge.ge(ge.parameter(0, &scalar, "x")?, ge.parameter(1, &scalar, "y")?, &[])?;
    /// let add = ComputationBuilder::new("add");
    /// add.add(add.parameter(0, &scalar, "x")?, add.parameter(1, &scalar, "y")?, &[])?;
    /// let b = ComputationBuilder::new("e");
    /// let (operand, source) = (b.constant_r1(&[1, 7, 5, 5])?, b.constant_r1(&[10, 20])?);
    /// let init = b.constant_r0(0)?;
    /// b.select_and_scatter(operand, &ge.build()?, &[2], &[2], Padding::Valid, source, init, &add.build()?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{0, 10, 20, 0}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::too_many_arguments, reason = "the arguments of XLA's method, in its order")]
    pub fn select_and_scatter(
        &self,
        operand: Op,
        select: &Module,
        window_dimensions: &[i64],
        window_strides: &[i64],
        padding: Padding,
        source: Op,
        init_value: Op,
        scatter: &Module,
    ) -> Result<Op, OpError> {
        let dims =
            self.padded_window("select-and-scatter", operand, window_dimensions, window_strides, padding)?;
        let computations = [("select", select), ("scatter", scatter)];
        let attrs = Attrs::new().with("window", window(dims));
        self.add_call("select-and-scatter", &[operand, source, init_value], &computations, attrs)
    }
}
