//! `get-dimension-size`, `set-dimension-size` and `dynamic-reshape`: see [`GetDimensionSize`], [`SetDimensionSize`]
//! and [`DynamicReshape`].
//!
//! `<=n` in a shape is a bound: the array may be smaller at run time, and the ops that read it then work on its actual
//! elements (see `xla_hlo::eval`, which rebinds them to the sizes of their operands).

use super::data::{operand, operand_array};
use super::fill::fill;
use super::infer::OpContext;
use super::{
    AttrKind, AttrSpec, Category, CellAt, Data, DimensionsOf, EagerOp, Example, ExportContext, Expression,
    Formula, History, Language, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Run, Semantics, Source,
};
use xla_array::index::{multi_index, row_major_index};
use xla_array::{ArrayLiteral, ArrayShape, Class, Dims, Dynamic, ElementType, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The size of a dimension at run time.
///
/// Source: XLA's operation semantics, `GetDimensionSize`; `ShapeInference::InferGetDimensionSizeShape`.
pub struct GetDimensionSize;

/// Sets the size of a dimension, which truncates it.
///
/// The result's dimension is bounded by the operand's size; if it is written with a static size, it is not truncated.
/// Source: `SetDimensionSize` of XLA's operation semantics; `ShapeInference::InferSetDimensionSizeShape`.
pub struct SetDimensionSize;

/// A reshape to run-time sizes, one operand per dimension.
///
/// The written shape, which is required, has their bounds. Source: XLA's operation semantics, `DynamicReshape`;
/// `ShapeInference::InferDynamicReshapeShape`.
pub struct DynamicReshape;

const DIMENSION: &[AttrSpec] = &[AttrSpec::required("dimensions", AttrKind::Ints, "attr-size-dimension")
    .dimensions_of(DimensionsOf::Operand(0))];

static GET: OpMeta = OpMeta {
    opcode: "get-dimension-size",
    title: "GetDimensionSize",
    search_terms: &[],
    sections: &["GetDimensionSize"],
    category: Category::Source,
    history: History::not_in_2017("instead-dimension-size"),
    summary: "op-get-dimension-size",
    formula: Formula::Words("formula-get-dimension-size"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: DIMENSION,
    rules: &[
        Rule {
            identifier: "dimension-size-1",
            description: "rule-one-dimension",
            violated_by: "x = f32[2] parameter(0) ROOT r = get-dimension-size(x), dimensions={}",
        },
        Rule {
            identifier: "dimension-size-2",
            description: "rule-dimension-range",
            violated_by: "x = f32[2] parameter(0) ROOT r = get-dimension-size(x), dimensions={1}",
        },
    ],
    examples: &[
Example {
 title: "shows-static-size",
            hlo: "x = f32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = get-dimension-size(x), dimensions={1}",
            result: "s32[] 3",
        },
Example {
 title: "shows-dynamic-size",
            hlo: "x = f32[4] constant({1,2,3,4}) n = s32[] constant(3) y = set-dimension-size(x, n), dimensions={0}
                  m = negate(y) ROOT r = get-dimension-size(m), dimensions={0}",
            result: "s32[] 3",
        },
],
};

static SET: OpMeta = OpMeta {
    opcode: "set-dimension-size",
    title: "SetDimensionSize",
    search_terms: &[],
    sections: &["SetDimensionSize"],
    category: Category::Movement,
    history: History::not_in_2017("instead-dynamic"),
    summary: "op-set-dimension-size",
    formula: Formula::Words("formula-set-dimension-size"),
    operands: Operands::exactly(&["operand", "size"]),
    inline_attr: None,
    attrs: DIMENSION,
    rules: &[
        Rule {
            identifier: "dimension-size-1",
            description: "rule-one-dimension",
            violated_by: "x = f32[2] parameter(0) n = s32[] parameter(1) ROOT r = set-dimension-size(x, n), dimensions={}",
        },
        Rule {
            identifier: "dimension-size-2",
            description: "rule-dimension-range",
            violated_by: "x = f32[2] parameter(0) n = s32[] parameter(1) ROOT r = set-dimension-size(x, n), dimensions={1}",
        },
        Rule {
            identifier: "dimension-size-3",
            description: "rule-size-scalar",
            violated_by: "x = f32[2] parameter(0) n = s64[] parameter(1) ROOT r = set-dimension-size(x, n), dimensions={0}",
        },
    ],
    examples: &[
Example {
 title: "shows-first-three",
            hlo: "x = f32[4] constant({1,2,3,4}) n = s32[] constant(3) ROOT r = set-dimension-size(x, n), dimensions={0}",
            result: "f32[3] {1, 2, 3}",
        },
Example {
 title: "shows-sum-of-dynamic",
            hlo: "x = f32[4] constant({1,2,3,4}) n = s32[] constant(2) y = f32[<=4] set-dimension-size(x, n), dimensions={0}
                  z = f32[] constant(0) ROOT r = reduce(y, z), dimensions={0}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[] 3",
        },
],
};

static RESHAPE: OpMeta = OpMeta {
    opcode: "dynamic-reshape",
    title: "DynamicReshape",
    search_terms: &[],
    sections: &["DynamicReshape"],
    category: Category::Movement,
    history: History::not_in_2017("instead-dynamic"),
    summary: "op-dynamic-reshape",
    formula: Formula::Words("formula-dynamic-reshape"),
    operands: Operands::at_least(&["operand"], "size"),
    inline_attr: None,
    attrs: &[],
    rules: &[
        Rule {
            identifier: "dynamic-reshape-1",
            description: "rule-size-count",
            violated_by: "x = f32[4] parameter(0) n = s32[] parameter(1) ROOT r = f32[2,<=2] dynamic-reshape(x, n)",
        },
        Rule {
            identifier: "dynamic-reshape-2",
            description: "rule-size-scalars",
            violated_by: "x = f32[4] parameter(0) n = f32[] parameter(1) ROOT r = f32[<=4] dynamic-reshape(x, n)",
        },
        Rule {
            identifier: "dynamic-reshape-3",
            description: "rule-same-type",
            violated_by: "x = f32[4] parameter(0) n = s32[] parameter(1) ROOT r = s32[<=4] dynamic-reshape(x, n)",
        },
        Rule {
            identifier: "dynamic-reshape-4",
            description: "rule-same-count",
            violated_by: "x = f32[4] parameter(0) n = s32[] parameter(1) ROOT r = f32[<=3] dynamic-reshape(x, n)",
        },
    ],
    examples: &[
Example {
 title: "shows-dynamic-rows",
        hlo: "x = s32[6] constant({1,2,3,4,5,6}) n = s32[] constant(4) y = set-dimension-size(x, n), dimensions={0}
              two = s32[] constant(2) ROOT r = s32[2,<=3] dynamic-reshape(y, two, two)",
        result: "s32[2,2] { {1, 2}, {3, 4} }",
    },
],
};

/// The dimension whose size is read or set.
fn dimension(cx: &OpContext) -> Result<usize, OpError> {
    // Like XLA, ignores all but the first.
    let Some(d) = cx.ints("dimensions").first() else {
        let message = Message::ops("op-one-dimension").with("found", 0_usize);
        return Err(cx.error("dimension-size-1", message).at_attr("dimensions"));
    };
    let rank = cx.array(0)?.rank();
    let dimension = usize::try_from(*d).ok().filter(|d| *d < rank);
    dimension.ok_or_else(|| cx.out_of_range("dimension-size-2", "dimensions", *d, rank))
}

/// The value of an operand that is a size.
fn size(operand: Option<&Data>) -> i64 {
    let size = operand.and_then(Data::as_array).and_then(|array| array.get(&[]));
    size.or_bug(Value::Int(0), "the size operand is not a scalar").as_index()
}

fn size_error(op: &'static str, size: i64, bound: i64) -> OpError {
    let message = Message::ops("op-dynamic-size").with("size", size).with("bound", bound);
    OpError::new(op, "dynamic-size", message)
}

/// Returns the first elements of a dimension.
struct Truncation {
    dimension: usize,
    is_static: bool,
}

impl EagerOp for Truncation {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let array = operands.first().and_then(Data::as_array);
        let (Some(array), false) = (array, self.is_static) else {
            return operand("set-dimension-size", operands, 0).cloned();
        };
        let (size, mut sizes) = (size(operands.get(1)), array.shape().dimensions.clone());
        if size < 0 || size > sizes[self.dimension] {
            return Err(size_error(SET.opcode, size, sizes[self.dimension]));
        }
        sizes[self.dimension] = size;
        let shape = ArrayShape::new(array.element_type(), sizes.iter().copied());
        fill(SET.opcode, &shape, run, 2, |_, index| array.get(index).or_bug(Value::Int(0), "no such element"))
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        Ok(vec![
            Source { operand: 0, cell: cell.clone(), role: Role::Value },
            Source { operand: 1, cell: CellAt::default(), role: Role::Start },
        ])
    }
}

/// A reshape in row-major order to sizes that are known at run time.
struct RuntimeReshape {
    bounds: ArrayShape,
}

impl RuntimeReshape {
    fn sizes(&self, operands: &[Data]) -> Result<Dims, OpError> {
        let sizes: Dims = (0..self.bounds.rank()).map(|d| size(operands.get(d + 1))).collect();
        for (d, (size, bound)) in sizes.iter().zip(&self.bounds.dimensions).enumerate() {
            let fits = match self.bounds.dynamic_of(d) {
                Dynamic::Static => size == bound,
                Dynamic::Bounded => (0..=*bound).contains(size),
                Dynamic::Unbounded => *size >= 0,
            };
            if !fits {
                return Err(size_error(RESHAPE.opcode, *size, *bound));
            }
        }
        Ok(sizes)
    }
}

impl EagerOp for RuntimeReshape {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let array = operand_array("dynamic-reshape", operands, 0)?;
        let (sizes, from) = (self.sizes(operands)?, &array.shape().dimensions);
        let count = |sizes: &[i64]| sizes.iter().product::<i64>();
        if count(&sizes) != count(from) {
            let message =
                Message::ops("op-reshape-count").with("operand", count(from)).with("result", count(&sizes));
            return Err(OpError::new(RESHAPE.opcode, "dynamic-size", message));
        }
        let shape = ArrayShape::new(array.element_type(), sizes.iter().copied());
        let element = |number, _: &[i64]| {
            array.get(&multi_index(number, from)).or_bug(Value::Int(0), "no such element")
        };
        fill(RESHAPE.opcode, &shape, run, 2, element)
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let Some(array) = operands.first().and_then(Data::as_array) else { return Ok(Vec::new()) };
        let index =
            multi_index(row_major_index(&cell.index, &self.sizes(operands)?), &array.shape().dimensions);
        let value = Source { operand: 0, cell: CellAt::array(&index), role: Role::Value };
        let size = |d| Source { operand: d + 1, cell: CellAt::default(), role: Role::Start };
        Ok([value].into_iter().chain((0..self.bounds.rank()).map(size)).collect())
    }
}

impl OpDef for GetDimensionSize {
    fn meta(&self) -> &'static OpMeta {
        &GET
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        dimension(cx)?;
        cx.result(ElementType::S32, [])
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let size = Value::Int(cx.array(0)?.dimensions[dimension(cx)?]);
        let shape = ArrayShape::new(ElementType::S32, []);
        let literal = ArrayLiteral::from_values(shape, [size]);
        literal
            .map(|l| Semantics::Constant(l.into()))
            .map_err(|e| OpError::new(GET.opcode, e.rule, e.message))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, d, s32) = (to.name(0), dimension(&to.cx).ok()?, to.dtype(ElementType::S32)?);
        match to.language {
            Language::Rust => None,
            Language::Jax => Some(format!("jnp.array({x}.shape[{d}], {s32})").into()),
            Language::NumPy => Some(format!("{s32}({x}.shape[{d}])").into()),
        }
    }
}

impl OpDef for SetDimensionSize {
    fn meta(&self) -> &'static OpMeta {
        &SET
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (d, size) = (dimension(cx)?, cx.array(1)?);
        if size.rank() != 0 || size.element_type != ElementType::S32 {
            let message = Message::ops("op-size-scalar").with("found", size.human_string());
            return Err(cx.error("dimension-size-3", message).at_operand(1));
        }
        let mut shape = cx.array(0)?.clone();
        shape.dynamic =
            (0..shape.rank()).map(|i| if i == d { Dynamic::Bounded } else { shape.dynamic_of(i) }).collect();
        Ok(Shape::Array(shape))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let d = dimension(cx)?;
        let is_static = cx.explicit_result_array()?.dynamic_of(d) == Dynamic::Static;
        Ok(Semantics::Eager(Box::new(Truncation { dimension: d, is_static })))
    }
}

impl OpDef for DynamicReshape {
    fn meta(&self) -> &'static OpMeta {
        &RESHAPE
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, result) = (cx.array(0)?, cx.explicit_result_array()?);
        if cx.operands.len() - 1 != result.rank() {
            let message = Message::ops("op-size-count")
                .with("found", cx.operands.len() - 1)
                .with("rank", result.rank());
            return Err(cx.error("dynamic-reshape-1", message));
        }
        for i in 1..cx.operands.len() {
            let size = cx.array(i)?;
            if size.rank() != 0 || !matches!(size.element_type.class(), Class::Signed | Class::Unsigned) {
                let message = Message::ops("op-size-scalars").with("found", size.human_string());
                return Err(cx.error("dynamic-reshape-2", message).at_operand(i));
            }
        }
        if operand.element_type != result.element_type {
            let message = Message::ops("op-result-type")
                .with("found", result.element_type.name())
                .with("expected", operand.element_type.name());
            return Err(cx.error("dynamic-reshape-3", message).at(OpPart::Result));
        }
        let (elements, found) = (operand.elements(), result.elements());
        // An operand smaller than its bound is checked at run time.
        if elements.is_none() || elements > found || operand.dynamic.is_empty() && elements != found {
            // An unknown number of elements is displayed as 0.
            let message = Message::ops("op-reshape-count")
                .with("operand", elements.unwrap_or(0))
                .with("result", found.unwrap_or(0));
            return Err(cx.error("dynamic-reshape-4", message).at(OpPart::Result));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Eager(Box::new(RuntimeReshape { bounds: cx.explicit_result_array()?.clone() })))
    }
}
