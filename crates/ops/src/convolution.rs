//! `convolution`: see [`Convolution`].

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: operands a and b, indices i and j, feature f"
)]

use super::attrs::{DimLabel, DimLabels, WindowDim};
use super::base_area::{BaseArea, BaseAxis, WindowMotion};
use super::dot::{products, result_type};
use super::export::windows::{jax_convolution, rust_convolution};
use super::infer::comma_separated;
use super::products::Products;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::window::{self, rules_with_window};
use super::{
    AttrKind, AttrSpec, AttrValue, Category, Change, EditionExample, Example, ExampleOutcome, ExportContext,
    Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule,
    Semantics,
};
use xla_array::index::for_each_combination;
use xla_array::{Dims, Edition, Shape};
use xla_kernels::Task;
use xla_kernels::task::{self as kernels, Array};
use xla_messages::i18n::Message;

/// Slides a kernel over a base and sums products: the cross-correlation of neural networks.
///
/// There may be any number of spatial dimensions in any order; `dim_labels` gives the role of each dimension. Negative
/// padding crops the dilated base; padding and holes contribute nothing. `rhs_reversal` reverses the kernel. Features
/// are split into `feature_group_count` independent groups, or the batch into `batch_group_count`. Sums are accumulated
/// in `f64` (integers: 64 bits) and rounded once; types may differ as those of a [`Dot`](super::dot::Dot). The
/// document's `Conv` is the same with `SAME` or `VALID` padding ([`window::same_padding`]). XLA 2017 required a spatial
/// dimension, and had neither groups nor reversal. Source: XLA's operation semantics, `Conv` and
/// `ConvWithGeneralPadding`; `ShapeInference::InferConvolveShape`.
pub struct Convolution;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-groups",
    current: "now-groups",
    example: EditionExample {
        title: "difference-groups",
        hlo: "x = f32[1,2,3] constant({{{1,2,3},{4,5,6}}}) w = f32[2,1,1] constant({{{10}},{{100}}})
              ROOT r = convolution(x, w), window={size=1}, dim_labels=bf0_oi0->bf0, feature_group_count=2",
        v2017: ExampleOutcome::Error("edition-attribute"),
        current: ExampleOutcome::Value("f32[1,2,3] { { {10, 20, 30}, {400, 500, 600} } }"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "convolution",
    title: "Conv",
    search_terms: &["ConvGeneral", "ConvGeneralDilated"],
    sections: &["Conv (Convolution)"],
    category: Category::Contraction,
    history: History::changed(&CHANGE),
    summary: "op-convolution",
    formula: Formula::Symbols("out[b, o, y] = Σ_f,k lhs[b, f, (y · stride + k · rhs_dilate - low) / lhs_dilate] · rhs[o, f, k]"),
    operands: Operands::exactly(&["lhs", "rhs"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("window", AttrKind::Window, "attr-window"),
        AttrSpec::required("dim_labels", AttrKind::DimLabels, "attr-dim-labels"),
        AttrSpec::optional("feature_group_count", AttrKind::Int, "attr-feature-group-count").current_only(),
        AttrSpec::optional("batch_group_count", AttrKind::Int, "attr-batch-group-count").current_only(),
        AttrSpec::optional("operand_precision", AttrKind::Text, "attr-operand-precision").current_only(),
        AttrSpec::optional("convolution_kind", AttrKind::Text, "attr-convolution-kind").current_only(),
    ],
    rules: rules_with_window!(
        "x = f32[1,1,3] parameter(0) w = f32[1,1,1] parameter(1)
         ROOT r = convolution(x, w), dim_labels=bf0_oi0->bf0, window=",
        Rule {
            identifier: "convolution-2",
            description: "rule-group-counts",
            violated_by: "x = f32[2,2,3] parameter(0) w = f32[2,1,1] parameter(1) ROOT r = convolution(x, w),
                        window={size=1}, dim_labels=bf0_oi0->bf0, feature_group_count=2, batch_group_count=2",
        },
        Rule {
            identifier: "convolution-3",
            description: "rule-dim-labels",
            violated_by: "x = f32[1,1,3] parameter(0) w = f32[1,1,1] parameter(1)
                        ROOT r = convolution(x, w), window={size=1}, dim_labels=bf0_oi0->bb0",
        },
        Rule {
            identifier: "convolution-4",
            description: "rule-convolution-rank",
            violated_by: "x = f32[1,1,3] parameter(0) w = f32[1,1] parameter(1)
                        ROOT r = convolution(x, w), window={size=1}, dim_labels=bf0_oi0->bf0",
        },
        Rule {
            identifier: "convolution-5",
            description: "rule-convolution-features",
            violated_by: "x = f32[1,2,3] parameter(0) w = f32[1,1,1] parameter(1)
                        ROOT r = convolution(x, w), window={size=1}, dim_labels=bf0_oi0->bf0",
        },
        Rule {
            identifier: "convolution-6",
            description: "rule-convolution-groups",
            violated_by: "x = f32[3,1,3] parameter(0) w = f32[2,1,1] parameter(1)
                        ROOT r = convolution(x, w), window={size=1}, dim_labels=bf0_oi0->bf0, batch_group_count=2",
        },
        Rule {
            identifier: "convolution-7",
            description: "rule-convolution-kernel",
            violated_by: "x = f32[1,1,3] parameter(0) w = f32[1,1,2] parameter(1)
                        ROOT r = convolution(x, w), window={size=1}, dim_labels=bf0_oi0->bf0",
        },
    ),
    examples: &[
Example {
 title: "shows-valid",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT valid = convolution(x, w), window={size=2x2}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,3,3] { { { {44, 54, 64}, {84, 94, 104}, {124, 134, 144} } } }",
        },
Example {
 title: "shows-same",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT same = convolution(x, w), window={size=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,4,4] { { { {44, 54, 64, 28}, {84, 94, 104, 44}, {124, 134, 144, 60}, {41, 44, 47, 16} } } }",
        },
Example {
 title: "shows-stride-two",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT r = convolution(x, w), window={size=2x2 stride=2x2}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,2,2] { { { {44, 64}, {124, 144} } } }",
        },
Example {
 title: "shows-uneven-padding",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT r = convolution(x, w), window={size=2x2 pad=1_0x0_1}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,4,4] { { { {11, 18, 25, 12}, {44, 54, 64, 28}, {84, 94, 104, 44}, {124, 134, 144, 60} } } }",
        },
Example {
 title: "shows-dilated-kernel",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT r = convolution(x, w), window={size=2x2 rhs_dilate=2x2}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,2,2] { { { {78, 88}, {118, 128} } } }",
        },
Example {
 title: "shows-dilated-image",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT r = convolution(x, w), window={size=2x2 lhs_dilate=2x2}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,6,6] { { { {1, 4, 2, 6, 3, 8}, {15, 24, 18, 28, 21, 32}, {5, 12, 6, 14, 7, 16},
                     {27, 40, 30, 44, 33, 48}, {9, 20, 10, 22, 11, 24}, {39, 56, 42, 60, 45, 64} } } }",
        },
Example {
 title: "shows-reversed-kernel",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT r = convolution(x, w), window={size=2x2 rhs_reversal=1x1}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,3,3] { { { {26, 36, 46}, {66, 76, 86}, {106, 116, 126} } } }",
        },
Example {
 title: "shows-depthwise",
            hlo: "x = s32[2,2,3] constant({{{1,2,3},{4,5,6}},{{1,0,1},{0,1,0}}})
                  w = s32[2,1,2] constant({{{1,1}},{{1,-1}}})
                  ROOT r = convolution(x, w), window={size=2}, dim_labels=bf0_oi0->bf0, feature_group_count=2",
            result: "s32[2,2,2] { { {3, 5}, {-1, -1} }, { {1, 1}, {-1, 1} } }",
        },
Example {
 title: "shows-negative-padding",
            hlo: "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})
                  w = f32[1,1,2,2] constant({{{{1,2},{3,4}}}})
                  ROOT r = convolution(x, w), window={size=2x2 pad=-1_0x0_-1}, dim_labels=bf01_oi01->bf01",
            result: "f32[1,1,2,2] { { { {84, 94}, {124, 134} } } }",
        },
],
};

/// The dimensions of an operand or of the result, by their labels.
struct ArrayDims {
    /// Batch; of the kernel, output feature.
    first: usize,
    /// Feature; of the kernel, input feature.
    second: usize,
    /// The spatial dimensions by number.
    spatial: Vec<usize>,
}

impl ArrayDims {
    /// Reads labels; `None` if one is missing, duplicate or unexpected.
    fn from_labels(labels: &[DimLabel], first: DimLabel, second: DimLabel) -> Option<Self> {
        let at = |label: DimLabel| {
            let mut positions = (0..labels.len()).filter(|i| labels[*i] == label);
            positions.next().filter(|_| positions.next().is_none())
        };
        let spatial = (0..labels.len().checked_sub(2)?).map(|n| at(DimLabel::Spatial(u8::try_from(n).ok()?)));
        Some(Self { first: at(first)?, second: at(second)?, spatial: spatial.collect::<Option<_>>()? })
    }

    /// The sizes of the spatial dimensions.
    fn spatial_sizes(&self, sizes: &[i64]) -> Dims {
        self.spatial.iter().map(|d| sizes[*d]).collect()
    }
}

/// The geometry of a convolution that has passed its checks.
struct Geometry {
    lhs: ArrayDims,
    rhs: ArrayDims,
    out: ArrayDims,
    axes: window::Axes,
    feature_groups: i64,
    batch_groups: i64,
    sizes: Dims,
}

/// The number of groups, from the attribute with this name.
fn group_count(cx: &OpContext, name: &'static str) -> i64 {
    if let Some(AttrValue::Int(n)) = cx.attrs.get(name) { *n } else { 1 }
}

fn check_groups(cx: &OpContext, features: i64, batches: i64) -> Result<(), OpError> {
    for (name, count) in [("feature_group_count", features), ("batch_group_count", batches)] {
        if count < 1 {
            let message = Message::ops("op-group-count").with("name", name).with("found", count);
            return Err(cx.error("convolution-2", message).at_attr(name).with_fix(OpPart::Attr(name), "1"));
        }
    }
    if features > 1 && batches > 1 {
        let message = Message::ops("op-group-counts").with("features", features).with("batches", batches);
        let at = "batch_group_count";
        return Err(cx.error("convolution-2", message).at_attr(at).with_fix(OpPart::Attr(at), "1"));
    }
    Ok(())
}

/// Checks `dim_labels`, and returns the dimensions of both operands and of the result. Rules: `convolution-3`,
/// `convolution-4`.
fn dimension_labels(cx: &OpContext) -> Result<[ArrayDims; 3], OpError> {
    use DimLabel::{Batch, Feature, Input, Output};
    let (Some(AttrValue::DimLabels(labels)), rank) = (cx.attrs.get("dim_labels"), cx.array(0)?.rank()) else {
        return Err(cx.error("convolution-3", Message::ops("rule-dim-labels")));
    };
    let DimLabels([lhs, rhs, out]) = labels;
    let dims = (
        ArrayDims::from_labels(lhs, Batch, Feature),
        ArrayDims::from_labels(rhs, Output, Input),
        ArrayDims::from_labels(out, Batch, Feature),
        lhs.len() == rhs.len() && lhs.len() == out.len(),
    );
    let (Some(lhs), Some(rhs), Some(out), true) = dims else {
        let found = AttrValue::DimLabels(labels.clone()).to_string();
        let message = Message::ops("op-dim-labels").with("found", found);
        let error = cx.error("convolution-3", message).at_attr("dim_labels");
        let digits: String = (0..rank.saturating_sub(2).min(10)).map(|n| n.to_string()).collect();
        return Err(error.with_fix(OpPart::Attr("dim_labels"), format!("bf{digits}_oi{digits}->bf{digits}")));
    };
    for (i, operand) in cx.arrays()?.into_iter().enumerate() {
        if operand.rank() != lhs.spatial.len() + 2 {
            let message = Message::ops("op-convolution-rank")
                .with("operand", cx.label(i))
                .with("found", operand.human_string())
                .with("rank", lhs.spatial.len() + 2);
            return Err(cx.error("convolution-4", message).at_operand(i));
        }
    }
    Ok([lhs, rhs, out])
}

/// Checks that a size is divisible by the group count of attribute `at`. `name`: the message key that describes the
/// size.
fn check_divisible(
    cx: &OpContext,
    at: &'static str,
    name: &'static str,
    size: i64,
    count: i64,
) -> Result<(), OpError> {
    if size % count == 0 {
        return Ok(());
    }
    let message = Message::ops("op-convolution-groups")
        .with("dimension", Message::ops(name))
        .with("size", size)
        .with("name", at)
        .with("count", count);
    Err(cx.error("convolution-6", message).at_attr(at).with_fix(OpPart::Attr(at), "1"))
}

impl Geometry {
    /// Checks all rules, and computes the result sizes.
    fn new(cx: &OpContext) -> Result<Self, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        if cx.edition == Edition::V2017 && a.element_type != b.element_type {
            return Err(cx.type_mismatch("convolution-2017", 1));
        }
        let feature_groups = group_count(cx, "feature_group_count");
        let batch_groups = group_count(cx, "batch_group_count");
        check_groups(cx, feature_groups, batch_groups)?;
        let [lhs, rhs, out] = dimension_labels(cx)?;
        let (batch, features) = (a.dimensions[lhs.first], a.dimensions[lhs.second]);
        let (outputs, inputs) = (b.dimensions[rhs.first], b.dimensions[rhs.second]);
        if features % feature_groups != 0 || features / feature_groups != inputs {
            let message = Message::ops("op-convolution-features")
                .with("features", features)
                .with("groups", feature_groups)
                .with("inputs", inputs);
            let error = cx.error("convolution-5", message).at_operand(1);
            // The number of groups that these sizes imply, if there is one.
            let fits = batch_groups == 1 && inputs > 0 && features > 0 && features % inputs == 0;
            let count = if fits { features / inputs } else { 0 };
            return Err(if count > 0 && outputs % count == 0 {
                error.with_fix(OpPart::Attr("feature_group_count"), count.to_string())
            } else {
                error
            });
        }
        check_divisible(cx, "feature_group_count", "op-output-features", outputs, feature_groups)?;
        check_divisible(cx, "batch_group_count", "op-output-features", outputs, batch_groups)?;
        check_divisible(cx, "batch_group_count", "op-batch", batch, batch_groups)?;
        let kernel = rhs.spatial_sizes(&b.dimensions);
        let axes = window::axes(cx, &lhs.spatial_sizes(&a.dimensions), |d| kernel[d])?;
        let window = cx.window("window");
        if window.iter().map(|dim| dim.size).ne(kernel.iter().copied()) {
            let found: Vec<i64> = window.iter().map(|dim| dim.size).collect();
            let message = Message::ops("op-convolution-kernel")
                .with("found", comma_separated(&found))
                .with("kernel", comma_separated(&kernel));
            let mut fixed = window.to_vec();
            fixed.iter_mut().zip(&kernel).for_each(|(dim, size)| dim.size = *size);
            let error = cx.error("convolution-7", message).at_attr("window");
            return Err(error.with_fix(OpPart::Attr("window"), window::text(&fixed)));
        }
        let is_newer = axes.is_empty() || window.iter().any(|d| d.reversal);
        if cx.edition == Edition::V2017 && is_newer {
            return Err(cx.error("convolution-2017", Message::ops("op-convolution-2017")));
        }
        let mut sizes = Dims::from_elem(0, axes.len() + 2);
        (sizes[out.first], sizes[out.second]) = (batch / batch_groups, outputs);
        for (d, axis) in out.spatial.iter().zip(&axes) {
            sizes[*d] = axis.window_count();
        }
        Ok(Self { lhs, rhs, out, axes, feature_groups, batch_groups, sizes })
    }
}

/// The group that contains `index`, if indices below `size` are split into `groups` equal groups.
fn group_of(index: i64, size: i64, groups: i64) -> i64 {
    index / (size / groups).max(1)
}

impl OpDef for Convolution {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let sizes = Geometry::new(cx)?.sizes;
        let written = cx.written.filter(|_| cx.edition == Edition::Current);
        cx.result(result_type(written, cx.array(0)?.element_type, cx.array(1)?.element_type), sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        if !products(context.cx).is_ok_and(Products::are_uniform) {
            return Err(Fallback::UnsupportedElementType);
        }
        let geometry = Geometry::new(context.cx).map_err(|_| Fallback::NoKernel)?;
        let in_order = |mut array: Array, dims: &ArrayDims| {
            let order: Vec<usize> = [dims.first, dims.second].iter().chain(&dims.spatial).copied().collect();
            array.view = array.view.permuted(&order);
            array
        };
        let task = kernels::Convolution {
            lhs: in_order(context.array(0)?, &geometry.lhs),
            rhs: in_order(context.array(1)?, &geometry.rhs),
            out: in_order(context.out()?, &geometry.out),
            window: tasks::windows(context.cx.window("window"))?,
            feature_groups: tasks::to_usize(geometry.feature_groups)?,
            batch_groups: tasks::to_usize(geometry.batch_groups)?,
        };
        Ok(PlannedTask { task: Task::Convolution(task), reads: vec![0, 1] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let Geometry { lhs, rhs, out: result, axes, feature_groups, batch_groups, sizes } =
            Geometry::new(cx)?;
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        let (products, rank) = (products(cx)?, a.rank());
        let (outputs, inputs, batches) =
            (b.dimensions[rhs.first], b.dimensions[rhs.second], sizes[result.first]);
        Ok(Semantics::per_element(move |out, read| {
            let (mut i, mut j) = (Dims::from_elem(0, rank), Dims::from_elem(0, rank));
            let output = out[result.second];
            i[lhs.first] = out[result.first] + group_of(output, outputs, batch_groups) * batches;
            j[rhs.first] = output;
            let first_feature = group_of(output, outputs, feature_groups) * inputs;
            let mut sum = products.zero();
            for_each_combination(
                &window::elements(&axes, result.spatial.iter().map(|d| out[*d])),
                |elements| {
                    for (n, element) in elements.iter().enumerate() {
                        (i[lhs.spatial[n]], j[rhs.spatial[n]]) = (element.base_index, element.window_index);
                    }
                    for f in 0..inputs {
                        if f % 4096 == 4095 && !read.should_continue() {
                            return false;
                        }
                        (i[lhs.second], j[rhs.second]) = (first_feature + f, f);
                        let a = read.get(0, &i, Role::Lhs);
                        let b = read.get(1, &j, Role::Rhs);
                        sum = products.accumulate(sum, a, b);
                    }
                    read.should_continue()
                },
            );
            products.finish(sum)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        if to.cx.attrs.get("convolution_kind").is_some() {
            return None;
        }
        if to.language != Language::Rust && to.array(0)?.element_type != to.array(1)?.element_type {
            return None;
        }
        match to.language {
            Language::Rust => rust_convolution(to),
            Language::Jax => jax_convolution(to),
            Language::NumPy => None,
        }
    }

    /// The window covers one image and the input features of one group, and slides over the spatial dimensions.
    fn base_area(&self, cx: &OpContext) -> Option<BaseArea> {
        let Geometry { lhs, out, feature_groups, batch_groups, sizes, rhs, .. } = Geometry::new(cx).ok()?;
        let (a, b) = (cx.array(0).ok()?, cx.array(1).ok()?);
        let (outputs, inputs, batches) =
            (b.dimensions[rhs.first], b.dimensions[rhs.second], sizes[out.first]);
        let dense_window = |size: i64| WindowDim { size, ..WindowDim::default() };
        let mut axes: Vec<BaseAxis> =
            a.dimensions.iter().map(|size| BaseAxis::sliding(*size, dense_window(1), out.first)).collect();
        let group_motion = |groups: i64, stride: i64| WindowMotion {
            dimension: out.second,
            group_size: (outputs / groups).max(1),
            stride,
        };
        if batch_groups > 1 {
            axes[lhs.first].motions.push(group_motion(batch_groups, batches));
        }
        axes[lhs.second].window = dense_window(inputs);
        axes[lhs.second].motions = [group_motion(feature_groups, inputs)].into_iter().collect();
        for ((d, y), dim) in lhs.spatial.iter().zip(&out.spatial).zip(cx.window("window")) {
            axes[*d] = BaseAxis::sliding(a.dimensions[*d], *dim, *y);
        }
        Some(BaseArea { operand: 0, axes, window_index_operand: None, fill: None })
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        match (name, cx.attrs.get(name)) {
            ("window", _) => cx.window(name).is_empty(),
            ("feature_group_count" | "batch_group_count", Some(value)) => *value == AttrValue::Int(1),
            ("operand_precision", Some(AttrValue::Text(text))) => {
                let words = text.trim_matches(|c| c == '{' || c == '}').split(',');
                words.map(str::trim).all(|word| word == "default")
            }
            _ => false,
        }
    }
}
