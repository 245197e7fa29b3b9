//! `batch-norm-training`, `batch-norm-inference` and `batch-norm-grad`: see [`BatchNormTraining`],
//! [`BatchNormInference`] and [`BatchNormGrad`].

use super::blocks::{BlockwiseOp, Write, blockwise};
use super::infer::OpContext;
use super::{
    AttrKind, AttrSpec, AttrValue, Category, DimensionsOf, Example, Formula, History, OpDef, OpError, OpMeta,
    Operands, Read, Role, Rule, Semantics,
};
use xla_array::index::Indices;
use xla_array::{ArrayShape, Class, Dims, ElementType, Shape, Value};
use xla_messages::bug;
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Normalizes an array over all dimensions but the feature dimension; returns it with the mean and variance of each
/// feature.
///
/// `out = (operand - mean) · scale / √(variance + epsilon) + offset`. An element comes from all elements of its
/// feature. Source: XLA's operation semantics, `BatchNormTraining`; `ShapeInference::InferBatchNormTrainingShape`,
/// `BatchNormExpander`.
pub struct BatchNormTraining;

/// Normalizes an array with given means and variances.
///
/// Source: XLA's operation semantics, `BatchNormInference`; `ShapeInference::InferBatchNormInferenceShape`.
pub struct BatchNormInference;

/// The gradients of [`BatchNormTraining`] with respect to the operand, the scale and the offset.
///
/// Source: XLA's operation semantics, `BatchNormGrad`; `ShapeInference::InferBatchNormGradShape`, `BatchNormExpander`.
pub struct BatchNormGrad;

const ATTRS: &[AttrSpec] = &[
    AttrSpec::required("epsilon", AttrKind::Float, "attr-epsilon"),
    AttrSpec::required("feature_index", AttrKind::Int, "attr-feature-index")
        .dimensions_of(DimensionsOf::Operand(0)),
];

/// The rules that all three ops share, violated by `opcode(x, y, …)` with these further operands.
macro_rules! rules {
    ($opcode:literal, $more:literal $(, $rule:expr)?) => {
        &[
            Rule {
                identifier: "batch-norm-1",
                description: "rule-feature-index",
                violated_by: concat!("x = f32[2,3] parameter(0) y = f32[3] parameter(1)
                    ROOT r = ", $opcode, "(x, y", $more, "), epsilon=0.5, feature_index=2"),
            },
            Rule {
                identifier: "batch-norm-2",
                description: "rule-float",
                violated_by: concat!("x = s32[2,3] parameter(0) y = f32[3] parameter(1)
                    ROOT r = ", $opcode, "(x, y", $more, "), epsilon=0.5, feature_index=1"),
            },
            Rule {
                identifier: "batch-norm-3",
                description: "rule-feature-vector",
                violated_by: concat!("x = f32[2,3] parameter(0) y = f32[3,1] parameter(1)
                    ROOT r = ", $opcode, "(x, y", $more, "), epsilon=0.5, feature_index=1"),
            },
            $($rule,)?
        ]
    };
}

static TRAINING: OpMeta = OpMeta {
    opcode: "batch-norm-training",
    title: "BatchNormTraining",
    search_terms: &["batchnorm", "batch normalization"],
    sections: &["BatchNormTraining"],
    category: Category::Reduction,
    history: History::not_in_2017("instead-batch-norm"),
    summary: "op-batch-norm-training",
    formula: Formula::Symbols("out[i, f] = (operand[i, f] - mean[f]) / √(variance[f] + epsilon) · scale[f] + offset[f]"),
    operands: Operands::exactly(&["operand", "scale", "offset"]),
    inline_attr: None,
    attrs: ATTRS,
    rules: rules!("batch-norm-training", ", y"),
    examples: &[
Example {
 title: "shows-training",
        hlo:
            "x = f32[2,2] constant({{1, 10}, {3, 30}}) s = f32[2] constant({1, 2}) o = f32[2] constant({0, 5})
              ROOT r = batch-norm-training(x, s, o), epsilon=0, feature_index=1",
        result: "(f32[2,2], f32[2], f32[2]) ( { {-1, 3}, {1, 7} }, {2, 20}, {1, 100} )",
    },
Example {
 title: "shows-normalized",
        hlo: "x = f32[2,2] constant({{1, 10}, {3, 30}}) s = f32[2] constant({1, 2}) o = f32[2] constant({0, 5})
              t = batch-norm-training(x, s, o), epsilon=0, feature_index=1
              ROOT r = get-tuple-element(t), index=0",
        result: "f32[2,2] { {-1, 3}, {1, 7} }",
    },
],
};

static INFERENCE: OpMeta = OpMeta {
    opcode: "batch-norm-inference",
    title: "BatchNormInference",
    search_terms: &["batchnorm", "batch normalization"],
    sections: &["BatchNormInference"],
    category: Category::Binary,
    history: History::not_in_2017("instead-batch-norm"),
    summary: "op-batch-norm-inference",
    formula: Formula::Symbols(
        "out[i, f] = (operand[i, f] - mean[f]) / √(variance[f] + epsilon) · scale[f] + offset[f]",
    ),
    operands: Operands::exactly(&["operand", "scale", "offset", "mean", "variance"]),
    inline_attr: None,
    attrs: ATTRS,
    rules: rules!("batch-norm-inference", ", y, y, y"),
    examples: &[Example {
        title: "shows-elements",
        hlo:
            "x = f32[2,2] constant({{1, 10}, {3, 30}}) s = f32[2] constant({1, 2}) o = f32[2] constant({0, 5})
              m = f32[2] constant({2, 20}) v = f32[2] constant({0, 99})
              ROOT r = batch-norm-inference(x, s, o, m, v), epsilon=1, feature_index=1",
        result: "f32[2,2] { {-1, 3}, {1, 7} }",
    }],
};

static GRAD: OpMeta = OpMeta {
    opcode: "batch-norm-grad",
    title: "BatchNormGrad",
    search_terms: &[],
    sections: &["BatchNormGrad"],
    category: Category::Reduction,
    history: History::not_in_2017("instead-batch-norm"),
    summary: "op-batch-norm-grad",
    formula: Formula::Symbols(
        "grad_operand = scale · r · (g - mean(g) - (x - mean) · r² · mean(g · (x - mean))), r = 1 / √(variance + epsilon)",
    ),
    operands: Operands::exactly(&["operand", "scale", "mean", "variance", "grad output"]),
    inline_attr: None,
    attrs: ATTRS,
    rules: rules!(
        "batch-norm-grad",
        ", y, y, x",
        Rule {
            identifier: "batch-norm-4",
            description: "rule-same-sizes",
            violated_by: "x = f32[2,3] parameter(0) y = f32[3] parameter(1) g = f32[3,3] parameter(2)
                        ROOT r = batch-norm-grad(x, y, y, y, g), epsilon=0.5, feature_index=1",
        }
    ),
    examples: &[
        Example {
            title: "shows-gradients",
            hlo: "x = f32[2,1] constant({{1}, {3}}) s = f32[1] constant({2}) m = f32[1] constant({2})
              v = f32[1] constant({3}) g = f32[2,1] constant({{1}, {2}})
              ROOT r = batch-norm-grad(x, s, m, v, g), epsilon=1, feature_index=1",
            result: "(f32[2,1], f32[1], f32[1]) ( { {-0.375}, {0.375} }, {0.5}, {3} )",
        },
        Example {
            title: "shows-one-of-tuple",
            hlo: "x = f32[2,1] constant({{1}, {3}}) s = f32[1] constant({2}) m = f32[1] constant({2})
              v = f32[1] constant({3}) g = f32[2,1] constant({{1}, {2}})
              t = batch-norm-grad(x, s, m, v, g), epsilon=1, feature_index=1
              ROOT r = get-tuple-element(t), index=1",
            result: "f32[1] {0.5}",
        },
    ],
};

/// Checks the rules of all three ops, and returns feature dimension and number of features. Operands `vectors` have one
/// entry per feature.
fn check_features(cx: &OpContext, vectors: std::ops::Range<usize>) -> Result<(usize, i64), OpError> {
    let (operand, index) = (cx.array(0)?, cx.int("feature_index")?);
    let Some(d) = usize::try_from(index).ok().filter(|d| *d < operand.rank()) else {
        return Err(cx.out_of_range("batch-norm-1", "feature_index", index, operand.rank()));
    };
    if operand.element_type.class() != Class::Float {
        let message = Message::ops("op-element-type")
            .with("op", cx.meta.opcode)
            .with("found", operand.element_type.name())
            .with("supported", "floating");
        let error = cx.error("batch-norm-2", message).at_operand(0);
        return Err(cx.with_conversion(error, 0, ElementType::F32));
    }
    for i in vectors {
        let vector = cx.array(i)?;
        if vector.dimensions[..] != [operand.dimensions[d]] || vector.element_type.class() != Class::Float {
            let message = Message::ops("op-feature-vector")
                .with("operand", cx.label(i))
                .with("count", operand.dimensions[d])
                .with("shape", vector.human_string());
            return Err(cx.error("batch-norm-3", message).at_operand(i));
        }
    }
    Ok((d, operand.dimensions[d]))
}

/// The attributes of the ops that read whole features.
struct Feature {
    sizes: Dims,
    dimension: usize,
    epsilon: f64,
}

/// The attribute `epsilon`, which XLA stores as an `f32`, whatever the type of the operands.
fn epsilon(cx: &OpContext) -> f64 {
    let epsilon = match cx.attrs.get("epsilon") {
        Some(AttrValue::Float(epsilon)) => *epsilon,
        other => {
            bug!("epsilon is {other:?}");
            0.0
        }
    };
    Value::Float(epsilon).convert(ElementType::F32).as_float()
}

impl Feature {
    fn new(cx: &OpContext) -> Result<Self, OpError> {
        let dimension = usize::try_from(cx.int("feature_index")?).or_bug(0, "a negative feature_index");
        Ok(Self { sizes: cx.array(0)?.dimensions.clone(), dimension, epsilon: epsilon(cx) })
    }

    /// The elements of a feature of an operand, in row-major order, with their indices.
    fn elements(&self, operand: usize, feature: i64, read: &mut dyn Read) -> Vec<(Dims, f64)> {
        let mut first = Dims::from_elem(0, self.sizes.len());
        first[self.dimension] = feature;
        let others = (0..self.sizes.len()).filter(|d| *d != self.dimension);
        let (mut indices, mut elements) = (Indices::along(&first, &self.sizes, others), Vec::new());
        while let Some(index) = indices.advance() {
            elements.push((Dims::from_slice(index), read.get(operand, index, Role::Value).as_float()));
            // Two more steps per element, for the later passes over the numbers.
            if !read.charge_steps(2) {
                break;
            }
        }
        elements
    }

    /// The bytes of a vector of a feature's elements, whose capacity grows by doubling.
    fn scratch_bytes(&self) -> u64 {
        self.element_count().saturating_mul(2 * size_of::<(Dims, f64)>() as u64)
    }

    fn element_count(&self) -> u64 {
        let others = self.sizes.iter().enumerate().filter(|(d, _)| *d != self.dimension);
        others.fold(1, |count: u64, (_, n)| count.saturating_mul(n.unsigned_abs()))
    }
}

/// The mean; NaN without elements.
fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

struct Training(Feature);

impl BlockwiseOp for Training {
    fn sizes(&self) -> Dims {
        Dims::from_elem(self.0.sizes[self.0.dimension], 1)
    }

    fn block_of(&self, result: usize, index: &[i64]) -> Dims {
        Dims::from_elem(index[if result == 0 { self.0.dimension } else { 0 }], 1)
    }

    fn cost(&self) -> u64 {
        self.0.element_count().saturating_mul(3)
    }

    fn scratch_bytes(&self) -> u64 {
        self.0.scratch_bytes()
    }

    fn compute(&self, block: &[i64], only_result: Option<usize>, read: &mut dyn Read, write: &mut Write) {
        let elements = self.0.elements(0, block[0], read);
        let average = mean(elements.iter().map(|(_, x)| *x));
        let variance = mean(elements.iter().map(|(_, x)| (x - average) * (x - average)));
        write(1, block, Value::Float(average));
        write(2, block, Value::Float(variance));
        if matches!(only_result, None | Some(0)) {
            let scale = read.get(1, block, Role::Value).as_float() / libm::sqrt(variance + self.0.epsilon);
            let offset = read.get(2, block, Role::Value).as_float();
            for (at, x) in elements {
                write(0, &at, Value::Float((x - average) * scale + offset));
            }
        }
    }
}

struct Grad(Feature);

impl BlockwiseOp for Grad {
    fn sizes(&self) -> Dims {
        Dims::from_elem(self.0.sizes[self.0.dimension], 1)
    }

    fn block_of(&self, result: usize, index: &[i64]) -> Dims {
        Dims::from_elem(index[if result == 0 { self.0.dimension } else { 0 }], 1)
    }

    fn cost(&self) -> u64 {
        self.0.element_count().saturating_mul(4)
    }

    fn scratch_bytes(&self) -> u64 {
        self.0.scratch_bytes().saturating_mul(2)
    }

    fn compute(&self, block: &[i64], only_result: Option<usize>, read: &mut dyn Read, write: &mut Write) {
        let gradient = self.0.elements(4, block[0], read);
        write(2, block, Value::Float(gradient.iter().map(|(_, g)| *g).sum()));
        if only_result == Some(2) {
            return;
        }
        let elements = self.0.elements(0, block[0], read);
        let average = read.get(2, block, Role::Value).as_float();
        let shifted_variance = read.get(3, block, Role::Value).as_float() + self.0.epsilon;
        let products = || gradient.iter().zip(&elements).map(|((_, g), (_, x))| g * (x - average));
        write(1, block, Value::Float(products().sum::<f64>() / libm::sqrt(shifted_variance)));
        if only_result == Some(1) {
            return;
        }
        let scale = read.get(1, block, Role::Value).as_float() / libm::sqrt(shifted_variance);
        let (mean_gradient, mean_product) = (mean(gradient.iter().map(|(_, g)| *g)), mean(products()));
        for ((at, x), (_, g)) in elements.into_iter().zip(&gradient) {
            let value = g - mean_gradient - (x - average) / shifted_variance * mean_product;
            write(0, &at, Value::Float(scale * value));
        }
    }
}

/// The result shape: the operand's, and two vectors with an entry per feature.
fn with_feature_vectors(cx: &OpContext, count: i64) -> Result<Shape, OpError> {
    let operand = cx.array(0)?;
    let vector = Shape::Array(ArrayShape::new(operand.element_type, [count]));
    Ok(Shape::tuple([Shape::Array(operand.clone()), vector.clone(), vector]))
}

impl OpDef for BatchNormTraining {
    fn meta(&self) -> &'static OpMeta {
        &TRAINING
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (_, count) = check_features(cx, 1..3)?;
        with_feature_vectors(cx, count)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        blockwise(cx, Training(Feature::new(cx)?))
    }
}

impl OpDef for BatchNormInference {
    fn meta(&self) -> &'static OpMeta {
        &INFERENCE
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_features(cx, 1..5)?;
        Ok(Shape::Array(cx.array(0)?.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let dimension = usize::try_from(cx.int("feature_index")?).or_bug(0, "a negative feature_index");
        let epsilon = epsilon(cx);
        Ok(Semantics::per_element(move |out, read| {
            let x = read.get(0, out, Role::Value).as_float();
            let [scale, offset, mean, variance] =
                [1, 2, 3, 4].map(|i| read.get(i, &out[dimension..=dimension], Role::Value).as_float());
            Value::Float((x - mean) * (scale / libm::sqrt(variance + epsilon)) + offset)
        }))
    }
}

impl OpDef for BatchNormGrad {
    fn meta(&self) -> &'static OpMeta {
        &GRAD
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (_, count) = check_features(cx, 1..4)?;
        let (operand, gradient) = (cx.array(0)?, cx.array(4)?);
        if gradient.dimensions != operand.dimensions || gradient.element_type.class() != Class::Float {
            return Err(cx.size_mismatch("batch-norm-4", 4, 0));
        }
        with_feature_vectors(cx, count)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        blockwise(cx, Grad(Feature::new(cx)?))
    }
}
