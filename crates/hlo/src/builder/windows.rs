//! Operations that move a window over an array: convolution, windowed reduction, and selecting with scattering.

use smallvec::SmallVec;

use super::{ComputationBuilder, Op};
use crate::module::Module;
use xla_array::{ArrayShape, Edition};
use xla_messages::i18n::Message;
use xla_ops::attrs::{DimLabel, DimLabels, WindowDim};
use xla_ops::window::same_padding;
use xla_ops::{AttrValue, Attrs, OpError};

/// Padding in short hand (`Padding::kSame`, `Padding::kValid`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// As much as makes the result as large as the input, strides not taken into account; the larger half behind.
    Same,
    /// None.
    Valid,
}

impl Padding {
    /// Before and behind a dimension of `size` elements. Windows and strides that are not positive are the op's to
    /// tell.
    fn of(self, size: i64, window: i64, stride: i64) -> (i64, i64) {
        match self {
            Self::Same => same_padding(size, window, stride).unwrap_or_default(),
            Self::Valid => (0, 0),
        }
    }
}

/// How a convolution goes beyond the operands: the arguments of `ConvGeneralDilated`, and today's.
///
/// Every list has an entry a spatial dimension, or none for its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvConfig {
    /// From one window to the next, in elements; 1.
    pub window_strides: Vec<i64>,
    /// Before and behind the input, in elements; negative crops. 0.
    pub padding: Vec<(i64, i64)>,
    /// Neighbours of the input lie so far apart; 1.
    pub lhs_dilation: Vec<i64>,
    /// Neighbours of the kernel lie so far apart; 1.
    pub rhs_dilation: Vec<i64>,
    /// Whether the kernel is read from its end; no.
    pub window_reversal: Vec<bool>,
    /// What each dimension is; `bf01_oi01->bf01`, with as many digits as there are spatial dimensions.
    pub dimension_numbers: Option<DimLabels>,
    /// Groups of input features, each with its own output features; 1.
    pub feature_group_count: i64,
    /// Groups of batches, each with its own output features; 1.
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

/// Batch, feature, then the spatial dimensions; of the kernel output feature, input feature, then those. Beyond what can
/// be numbered there are too few, which the op tells.
fn default_numbers(spatial: usize) -> DimLabels {
    let of = |first: [DimLabel; 2]| -> SmallVec<[DimLabel; 6]> {
        first.into_iter().chain((0..=u8::MAX).take(spatial).map(DimLabel::Spatial)).collect()
    };
    let data = [DimLabel::Batch, DimLabel::Feature];
    DimLabels([of(data), of([DimLabel::Output, DimLabel::Input]), of(data)])
}

/// The size of each spatial dimension, in their order.
fn spatial_sizes(shape: &ArrayShape, labels: &[DimLabel], spatial: usize) -> Vec<i64> {
    let size = |n: u8| {
        let at = labels.iter().position(|label| *label == DimLabel::Spatial(n));
        at.and_then(|d| shape.dimensions.get(d)).copied().unwrap_or(1)
    };
    (0..=u8::MAX).take(spatial).map(size).collect()
}

/// That a list has an entry a dimension, or none.
fn check_length(op: &'static str, name: &'static str, found: usize, expected: usize) -> Result<(), OpError> {
    if found == 0 || found == expected {
        return Ok(());
    }
    let message = Message::engine("builder-lengths")
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
    /// `Conv`: a convolution with padding in short hand; otherwise as
    /// [`ComputationBuilder::conv_with_general_padding`]. Section: Conv.
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
        let DimLabels([of_lhs, of_rhs, _]) = default_numbers(spatial);
        let sizes = spatial_sizes(&a, &of_lhs, spatial).into_iter().zip(spatial_sizes(&b, &of_rhs, spatial));
        let stride = |d: usize| window_strides.get(d).copied().unwrap_or(1);
        let padding: Vec<_> =
            sizes.enumerate().map(|(d, (size, window))| padding.of(size, window, stride(d))).collect();
        self.conv_with_general_padding(lhs, rhs, window_strides, &padding, &[], &[])
    }

    /// `ConvWithGeneralPadding`: sums of products of a kernel with every window of the input.
    ///
    /// `lhs` is `[batch, feature, spatial…]`, `rhs` `[output feature, input feature, spatial…]`, the result `[batch,
    /// output feature, spatial…]`, with any number of spatial dimensions (`Edition::V2017`: at least one). A padded
    /// size `n` and a dilated window `w` give `floor((n - w) / stride) + 1`. Lists have an entry a spatial dimension,
    /// or none: stride 1, padding 0, dilation 1. Padding may be negative. The kernel is not flipped.
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

    /// `ConvGeneralDilated`: a convolution whose dimensions are what `config` says, with groups and reversal.
    ///
    /// Errors: as [`ComputationBuilder::conv_with_general_padding`].
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
            let message = Message::engine("builder-conv-rank").with("shape", a.human_string());
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
        let labels = config.dimension_numbers.clone().unwrap_or_else(|| default_numbers(spatial));
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

    /// The window over every dimension of an array, with padding in short hand.
    fn padded_window(
        &self,
        op: &'static str,
        operand: Op,
        dimensions: &[i64],
        strides: &[i64],
        padding: Padding,
    ) -> Result<Vec<WindowDim>, OpError> {
        let of = self.array(op, "operand", 0, operand)?;
        check_length(op, "window_strides", strides.len(), dimensions.len())?;
        let dims = dimensions.iter().enumerate().map(|(d, window)| {
            let stride = strides.get(d).copied().unwrap_or(1);
            let size = of.dimensions.get(d).copied().unwrap_or(1);
            let (pad_low, pad_high) = padding.of(size, *window, stride);
            WindowDim { size: *window, stride, pad_low, pad_high, ..WindowDim::default() }
        });
        Ok(dims.collect())
    }

    /// `ReduceWindow`: folds every window of an array with a computation of two scalars, from `init_value`.
    ///
    /// The lists have an entry for every dimension (strides may be none: 1). Cells in the padding take no part: the
    /// init counts once. Errors: `window-lengths`, and the rules of `reduce-window`. Section: `ReduceWindow`.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator, builder::Padding};
    /// let max = ComputationBuilder::new("max");
    /// max.max(max.parameter(0, &"s32[]".parse()?, "y")?, max.parameter(1, &"s32[]".parse()?, "x")?, &[])?;
    /// let b = ComputationBuilder::new("reduce_window_2");
    /// let input = b.constant_r1(&[1, 5, 2, 3, 9, 4])?;
    /// b.reduce_window(input, b.constant_r0(i32::MIN)?, &max.build()?, &[2], &[2], Padding::Valid)?;
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

    /// `ReduceWindowWithGeneralPadding`: the same with any padding and, today, dilations; `window` has an entry for
    /// every dimension. Errors: the rules of `reduce-window`.
    pub fn reduce_window_with_general_padding(
        &self,
        operand: Op,
        init_value: Op,
        computation: &Module,
        window_dims: &[WindowDim],
    ) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("window", window(window_dims.iter().copied()));
        self.calling("reduce-window", &[operand, init_value], &[("to_apply", computation)], attrs)
    }

    /// `SelectAndScatter`: takes one cell of every window of `operand` and puts the window's element of `source` there.
    ///
    /// `select` of two cells says whether the first stays the choice; `scatter` makes of the cell of the result and the
    /// source's element the new cell. The result has the operand's shape and is `init_value` elsewhere; `source` has
    /// the sizes of the windowed operand. Errors: `window-lengths`, and the rules of `select-and-scatter`. Section:
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
    #[allow(clippy::too_many_arguments, reason = "the arguments of the documents, in their order")]
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
        self.calling("select-and-scatter", &[operand, source, init_value], &computations, attrs)
    }
}
