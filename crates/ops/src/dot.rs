//! `dot`: see [`Dot`].

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: operands a and b, indices i and j"
)]

use super::export::tuple;
use super::products::{Products, higher_precision};
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, AttrValue, Category, Change, DimensionsOf, EditionExample, Example, ExampleOutcome,
    ExportContext, Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart,
    Operands, Role, Rule, Semantics,
};
use xla_array::index::Indices;
use xla_array::{Dims, Edition, ElementType, Shape};
use xla_kernels::{Task, task as kernels};
use xla_messages::i18n::Message;

/// Sums products over the contracting dimensions, separately for each index of the batch dimensions.
///
/// The result has the batch dimensions, then the other dimensions of the left operand, then those of the right. The
/// documents of 2017 have vectors and matrices only, and contract the last dimension of the left operand with the first
/// of the right; without dimension numbers, current XLA contracts nothing. Sums are accumulated in `f64` (integers: 64
/// bits) and rounded once. In current XLA the types of the operands may differ, and the written result may have any
/// type; the default is the operands' type of higher precision. Source: XLA's operation semantics, "Dot";
/// `ShapeInference::InferDotOpShape`.
pub struct Dot;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: Some(Formula::Symbols("out[m, n] = Σₖ lhs[m, k] · rhs[k, n]")),
    v2017: "then-dot",
    current: "now-dot",
    example: EditionExample {
        title: "difference-dot",
        hlo: "a = s32[2,2] constant({{1,2},{3,4}}) b = s32[2,2] constant({{5,6},{7,8}}) ROOT r = dot(a, b)",
        v2017: ExampleOutcome::Value("s32[2,2] { {19, 22}, {43, 50} }"),
        current: ExampleOutcome::Value(
            "s32[2,2,2,2] { { { {5, 6}, {7, 8} }, { {10, 12}, {14, 16} } }, { { {15, 18}, {21, 24} }, { {20, 24}, {28, 32} } } }",
        ),
    },
};

static META: OpMeta = OpMeta {
    opcode: "dot",
    title: "Dot",
    search_terms: &[],
    sections: &["Dot", "DotGeneral"],
    category: Category::Contraction,
    history: History::changed(&CHANGE),
    summary: "op-dot",
    formula: Formula::Symbols("out[(b,) m, n] = Σₖ lhs[(b,) m, k] · rhs[(b,) k, n]"),
    operands: Operands::exactly(&["lhs", "rhs"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("lhs_batch_dims", AttrKind::Ints, "attr-batch-dims")
            .dimensions_of(DimensionsOf::Operand(0))
            .current_only(),
        AttrSpec::optional("lhs_contracting_dims", AttrKind::Ints, "attr-contracting-dims")
            .dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("rhs_batch_dims", AttrKind::Ints, "attr-batch-dims")
            .dimensions_of(DimensionsOf::Operand(1))
            .current_only(),
        AttrSpec::optional("rhs_contracting_dims", AttrKind::Ints, "attr-contracting-dims")
            .dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::optional("operand_precision", AttrKind::Text, "attr-operand-precision").current_only(),
        AttrSpec::optional("algorithm", AttrKind::Text, "attr-dot-algorithm").current_only(),
    ],
    rules: &[
        Rule {
            identifier: "dot-2",
            description: "rule-dimension-range",
            violated_by: "x = f32[3] parameter(0) ROOT r = dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        },
        Rule {
            identifier: "dot-3",
            description: "rule-dimension-once",
            violated_by:
                "x = f32[3,3] parameter(0) ROOT r = dot(x, x), lhs_batch_dims={0}, lhs_contracting_dims={0},
                        rhs_batch_dims={0}, rhs_contracting_dims={1}",
        },
        Rule {
            identifier: "dot-4",
            description: "rule-dot-pairs",
            violated_by: "x = f32[2,3] parameter(0) ROOT r = dot(x, x), lhs_contracting_dims={1}",
        },
        Rule {
            identifier: "dot-5",
            description: "rule-dot-sizes",
            violated_by: "x = f32[2,3] parameter(0) ROOT r = dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        },
    ],
    examples: &[
        Example {
            title: "shows-matrices",
            hlo: "a = s32[2,2] constant({{1,2},{3,4}}) b = s32[2,2] constant({{5,6},{7,8}})
                  ROOT r = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            result: "s32[2,2] { {19, 22}, {43, 50} }",
        },
        Example {
            title: "shows-inner-product",
            hlo: "a = f32[3] constant({1,2,3}) b = f32[3] constant({4,5,6})
                  ROOT r = dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            result: "f32[] 32",
        },
    ],
};

/// The dimensions of one operand: batch, contracting, and the others in ascending order.
pub(super) struct OperandDims {
    pub batch: Vec<usize>,
    pub contracting: Vec<usize>,
    pub free: Vec<usize>,
}

fn operand_dims_from(
    cx: &OpContext,
    operand: usize,
    names: [&'static str; 2],
) -> Result<OperandDims, OpError> {
    let rank = cx.array(operand)?.rank();
    let rules = ["dot-2", "dot-3"];
    let batch = cx.dimensions(names[0], rank, rules)?;
    let contracting = cx.dimensions(names[1], rank, rules)?;
    if let Some(d) = contracting.iter().find(|d| batch.contains(d)) {
        let message = Message::ops("op-dot-batch-contracting")
            .with("dimension", *d)
            .with("batch", names[0])
            .with("contracting", names[1]);
        return Err(cx.error("dot-3", message).at_attr(names[1]));
    }
    let free = (0..rank).filter(|d| !batch.contains(d) && !contracting.contains(d)).collect();
    Ok(OperandDims { batch, contracting, free })
}

/// The dimensions of the 2017 documentation: the last one of `lhs` with the first one of `rhs`, of vectors and matrices.
/// Attributes that state these dimensions are accepted.
fn operand_dims_2017(cx: &OpContext) -> Result<(OperandDims, OperandDims), OpError> {
    let operand_dims = |operand: usize, name: &'static str| {
        let rank = cx.array(operand)?.rank();
        if !matches!(rank, 1 | 2) {
            let message = Message::ops("op-dot-2017-rank")
                .with("operand", cx.meta.operands.name(operand))
                .with("shape", cx.operand(operand)?.human_string());
            return Err(cx.error("dot-2017", message).at_operand(operand));
        }
        let contracted = if operand == 0 { rank - 1 } else { 0 };
        let written = cx.ints(name);
        if !written.is_empty() && written != [i64::from(contracted == 1)] {
            let message =
                Message::ops("op-dot-2017-dimension").with("name", name).with("dimension", contracted);
            let error = cx.error("dot-2017", message).at_attr(name);
            return Err(error.with_fix(OpPart::Attr(name), format!("{{{contracted}}}")));
        }
        let free = (0..rank).filter(|d| *d != contracted).collect();
        Ok(OperandDims { batch: Vec::new(), contracting: vec![contracted], free })
    };
    Ok((operand_dims(0, "lhs_contracting_dims")?, operand_dims(1, "rhs_contracting_dims")?))
}

pub(super) fn operand_dims(cx: &OpContext) -> Result<(OperandDims, OperandDims), OpError> {
    if cx.edition == Edition::V2017 {
        return operand_dims_2017(cx);
    }
    let lhs = operand_dims_from(cx, 0, ["lhs_batch_dims", "lhs_contracting_dims"])?;
    let rhs = operand_dims_from(cx, 1, ["rhs_batch_dims", "rhs_contracting_dims"])?;
    Ok((lhs, rhs))
}

/// The dimensions of both operands, after checking that they match in number and size. Shared by all contractions.
pub(super) fn checked_operand_dims(cx: &OpContext) -> Result<(OperandDims, OperandDims), OpError> {
    let (a, b) = (cx.array(0)?, cx.array(1)?);
    let (lhs, rhs) = operand_dims(cx)?;
    let pairs = [
        ("lhs_contracting_dims", &lhs.contracting, "rhs_contracting_dims", &rhs.contracting),
        ("lhs_batch_dims", &lhs.batch, "rhs_batch_dims", &rhs.batch),
    ];
    for (left_name, left, right_name, right) in pairs {
        if left.len() != right.len() {
            let message = Message::ops("op-dot-pairs")
                .with("left", left_name)
                .with("leftcount", left.len())
                .with("right", right_name)
                .with("rightcount", right.len());
            return Err(cx.error("dot-4", message).at_attr(left_name));
        }
        for (l, r) in left.iter().zip(right) {
            if a.dimensions[*l] != b.dimensions[*r] {
                let message = Message::ops("op-dot-sizes")
                    .with("left", *l)
                    .with("leftsize", a.dimensions[*l])
                    .with("right", *r)
                    .with("rightsize", b.dimensions[*r]);
                let error = cx.error("dot-5", message).at_attr(left_name);
                let mut sizes = [a.dimensions.clone(), b.dimensions.clone()];
                sizes[0][*l] = b.dimensions[*r];
                sizes[1][*r] = a.dimensions[*l];
                let [left, right] = sizes;
                return Err(cx.with_resize_fix(cx.with_resize_fix(error, 1, right), 0, left));
            }
        }
    }
    Ok((lhs, rhs))
}

/// Whether an attribute that lists batch or group dimensions is empty.
pub(super) fn is_empty_dims_attr(name: &str, cx: &OpContext) -> bool {
    let is_empty = cx.attrs.get(name) == Some(&AttrValue::Ints(Dims::new()));
    is_empty && matches!(name, "lhs_batch_dims" | "rhs_batch_dims" | "rhs_group_dims")
}

/// The subscripts of `numpy.einsum`; `None` if there are more dimensions than letters.
fn einsum(ranks: [usize; 2], contracting: [&[i64]; 2], batch: [&[i64]; 2]) -> Option<String> {
    let mut letters = 'a'..='z';
    let mut subscripts = ranks.map(|rank| vec![None; rank]);
    let mut out = String::new();
    for (pairs, is_batch) in [(batch, true), (contracting, false)] {
        for (a, b) in pairs[0].iter().zip(pairs[1]) {
            let letter = letters.next()?;
            *subscripts[0].get_mut(usize::try_from(*a).ok()?)? = Some(letter);
            *subscripts[1].get_mut(usize::try_from(*b).ok()?)? = Some(letter);
            out.extend(is_batch.then_some(letter));
        }
    }
    let mut sides = Vec::new();
    for side in subscripts {
        let mut text = String::new();
        for letter in side {
            let is_free = letter.is_none();
            let letter = if let Some(letter) = letter { letter } else { letters.next()? };
            out.extend(is_free.then_some(letter));
            text.push(letter);
        }
        sides.push(text);
    }
    Some(format!("{}->{out}", sides.join(",")))
}

/// The type of a contraction's result: the written one, else the operands' type of higher precision.
pub(super) fn result_type(written: Option<&Shape>, a: ElementType, b: ElementType) -> ElementType {
    let written_type = written.and_then(Shape::as_array).map(|array| array.element_type);
    written_type.unwrap_or_else(|| higher_precision(a, b))
}

/// The products of a contraction that has passed its check.
pub(super) fn products(cx: &OpContext) -> Result<Products, OpError> {
    let (a, b) = (cx.array(0)?.element_type, cx.array(1)?.element_type);
    Ok(Products::new(a, b, result_type(cx.written, a, b)))
}

/// Products of one sum between two cancellation checks.
const CHECK_INTERVAL_PRODUCTS: u32 = 4096;

impl OpDef for Dot {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        if cx.edition == Edition::V2017 && a.element_type != b.element_type {
            return Err(cx.type_mismatch("dot-2017", 1));
        }
        let (lhs, rhs) = checked_operand_dims(cx)?;
        let sizes: Dims = (lhs.batch.iter().chain(&lhs.free).map(|d| a.dimensions[*d]))
            .chain(rhs.free.iter().map(|d| b.dimensions[*d]))
            .collect();
        let written = cx.written.filter(|_| cx.edition == Edition::Current);
        cx.result(result_type(written, a.element_type, b.element_type), sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        if !products(context.cx).is_ok_and(Products::are_uniform) {
            return Err(Fallback::UnsupportedElementType);
        }
        let (lhs, rhs) = operand_dims(context.cx).map_err(|_| Fallback::NoKernel)?;
        let task = kernels::Dot {
            lhs: context.array(0)?,
            rhs: context.array(1)?,
            out: context.out()?,
            lhs_batch: lhs.batch,
            rhs_batch: rhs.batch,
            lhs_contracting: lhs.contracting,
            rhs_contracting: rhs.contracting,
        };
        Ok(PlannedTask { task: Task::Dot(task), reads: vec![0, 1] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        let (lhs, rhs) = operand_dims(cx)?;
        let ranks = [a.rank(), b.rank()];
        let sizes: Dims = lhs.contracting.iter().map(|d| a.dimensions[*d]).collect();
        let products = products(cx)?;
        Ok(Semantics::per_element(move |out, read| {
            let mut sum = products.zero();
            let (mut i, mut j) = (Dims::from_elem(0, ranks[0]), Dims::from_elem(0, ranks[1]));
            for (o, d) in out.iter().zip(lhs.batch.iter().chain(&lhs.free)) {
                i[*d] = *o;
            }
            let right = out.iter().take(lhs.batch.len()).chain(&out[lhs.batch.len() + lhs.free.len()..]);
            for (o, d) in right.zip(rhs.batch.iter().chain(&rhs.free)) {
                j[*d] = *o;
            }
            let mut contracted = Indices::row_major(&sizes);
            let mut count = 0_u32;
            while let Some(k) = contracted.advance() {
                count = count.wrapping_add(1);
                if count.is_multiple_of(CHECK_INTERVAL_PRODUCTS) && !read.should_continue() {
                    return products.finish(products.zero());
                }
                for (k, (l, r)) in k.iter().zip(lhs.contracting.iter().zip(&rhs.contracting)) {
                    (i[*l], j[*r]) = (*k, *k);
                }
                let a = read.get(0, &i, Role::Lhs);
                let b = read.get(1, &j, Role::Rhs);
                sum = products.accumulate(sum, a, b);
            }
            products.finish(sum)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let dims = |name: &'static str| to.cx.ints(name);
        let contracting = [dims("lhs_contracting_dims"), dims("rhs_contracting_dims")];
        let batch = [dims("lhs_batch_dims"), dims("rhs_batch_dims")];
        let (a, b, result) = (to.array(0)?, to.array(1)?, to.result()?);
        let (lhs, rhs, name) = (to.name(0), to.name(1), to.dtype(result.element_type)?);
        match to.language {
            Language::Rust if to.cx.edition == Edition::V2017 => Some(format!("b.dot({lhs}, {rhs})").into()),
            Language::Rust => {
                let pair = |[a, b]: [&[i64]; 2]| format!("[&{a:?}, &{b:?}]");
                let has_default_precision =
                    ["operand_precision", "algorithm"].iter().all(|n| to.cx.attrs.get(n).is_none());
                let text = format!("b.dot_general([{lhs}, {rhs}], {}, {})", pair(contracting), pair(batch));
                has_default_precision.then(|| text.into())
            }
            // Neither language multiplies different types.
            Language::Jax | Language::NumPy if a.element_type != b.element_type => None,
            Language::Jax => {
                let pair = |[a, b]: [&[i64]; 2]| tuple([tuple(a), tuple(b)]);
                let differs = a.element_type != result.element_type || b.element_type != result.element_type;
                let preferred_type =
                    if differs { format!(", preferred_element_type={name}") } else { String::new() };
                let dims = tuple([pair(contracting), pair(batch)]);
                Some(format!("lax.dot_general({lhs}, {rhs}, {dims}{preferred_type})").into())
            }
            Language::NumPy => {
                // NumPy accumulates narrow floats in their own type, and cannot sum types of other packages.
                let is_exact = |t: ElementType| t.bits() >= 32 || t.is_integral() && t.bits() >= 8;
                if ![a, b, result].iter().all(|s| is_exact(s.element_type)) {
                    return None;
                }
                let spec = einsum([a.rank(), b.rank()], contracting, batch)?;
                Some(format!("np.einsum(\"{spec}\", {lhs}, {rhs}, dtype={name})").into())
            }
        }
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        is_empty_dims_attr(name, cx)
    }
}
