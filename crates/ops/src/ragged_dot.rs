//! `ragged-dot`: see [`RaggedDot`].

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: operands a and b, indices i and j, group g"
)]

use super::dot::{OperandDims, checked_operand_dims, is_empty_dims_attr, products, result_type};
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, Formula, History, OpContext, OpDef, OpError, OpMeta,
    Operands, Read, Role, Rule, Semantics,
};
use xla_array::index::Indices;
use xla_array::{Class, Dims, Shape};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// A dot whose left operand has a ragged dimension: adjacent groups, whose sizes are the third operand.
///
/// If the ragged dimension is free, each group has its own slice of the right operand (`rhs_group_dims`), and rows
/// after the last group are 0. If it is contracted, each group is summed separately, and the groups are the first
/// dimension of the result. If it is a batch dimension, this is a plain dot. The group sizes are one list, or a list
/// for every index of the batch dimensions and of the dimensions of the same kind before the ragged one. Source:
/// `RaggedDot` of XLA's operation semantics; `ShapeInference::InferRaggedDotOpShape`.
pub struct RaggedDot;

static META: OpMeta = OpMeta {
    opcode: "ragged-dot",
    title: "RaggedDot",
    search_terms: &[],
    sections: &["RaggedDot"],
    category: Category::Contraction,
    history: History::not_in_2017("instead-dot"),
    summary: "op-ragged-dot",
    formula: Formula::Words("formula-ragged-dot"),
    operands: Operands::exactly(&["lhs", "rhs", "group sizes"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("lhs_batch_dims", AttrKind::Ints, "attr-batch-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("lhs_contracting_dims", AttrKind::Ints, "attr-contracting-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("rhs_batch_dims", AttrKind::Ints, "attr-batch-dims").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::optional("rhs_contracting_dims", AttrKind::Ints, "attr-contracting-dims").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::required("lhs_ragged_dims", AttrKind::Ints, "attr-ragged-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("rhs_group_dims", AttrKind::Ints, "attr-group-dims").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::optional("operand_precision", AttrKind::Text, "attr-operand-precision"),
        AttrSpec::optional("algorithm", AttrKind::Text, "attr-dot-algorithm"),
    ],
    rules: &[
        Rule {
            identifier: "ragged-dot-1",
            description: "rule-ragged-dimension",
            violated_by: "x = f32[3,2] parameter(0) y = f32[2,2] parameter(1) g = s32[1] parameter(2) ROOT r = ragged-dot(x, y, g),
                        lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0,1}",
        },
        Rule {
            identifier: "ragged-dot-2",
            description: "rule-group-dimension",
            violated_by: "x = f32[3,2] parameter(0) y = f32[2,2] parameter(1) g = s32[1] parameter(2) ROOT r = ragged-dot(x, y, g),
                        lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}",
        },
        Rule {
            identifier: "ragged-dot-3",
            description: "rule-group-sizes",
            violated_by: "x = f32[3,2] parameter(0) y = f32[2,2,2] parameter(1) g = s32[3] parameter(2) ROOT r = ragged-dot(x, y, g),
                        lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
        },
        Rule {
            identifier: "ragged-dot-4",
            description: "rule-group-sizes-type",
            violated_by: "x = f32[3,2] parameter(0) y = f32[2,2,2] parameter(1) g = f32[2] parameter(2) ROOT r = ragged-dot(x, y, g),
                        lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
        },
    ],
    examples: &[
Example {
 title: "shows-rows-of-groups",
            hlo: "x = s32[3,1] constant({{1},{2},{3}}) y = s32[2,1,1] constant({{{10}},{{100}}}) g = s32[2] constant({2, 1})
                  ROOT r = ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1},
                  lhs_ragged_dims={0}, rhs_group_dims={0}",
            result: "s32[3,1] { {10}, {20}, {300} }",
        },
Example {
 title: "shows-contracted-groups",
            hlo: "x = s32[1,3] constant({{1,2,3}}) y = s32[3,1] constant({{10},{20},{30}}) g = s32[2] constant({2, 1})
                  ROOT r = ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}",
            result: "s32[2,1,1] { { {50} }, { {90} } }",
        },
Example {
 title: "shows-batched-groups",
            hlo: "x = s32[2,2] constant({{1,2},{3,4}}) y = s32[2,2] constant({{5,6},{7,8}}) g = s32[2] constant({1, 1})
                  ROOT r = ragged-dot(x, y, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},
                  rhs_contracting_dims={1}, lhs_ragged_dims={0}",
            result: "s32[2] {17, 53}",
        },
],
};

/// The kind of the ragged dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RaggedKind {
    Free,
    Contracting,
    Batch,
}

/// The dimensions of both operands, by their kinds.
struct RaggedDims {
    lhs: OperandDims,
    rhs: OperandDims,
    kind: RaggedKind,
    ragged: usize,
    /// The group dimension of the right operand, if it has one; `rhs.free` does not include it.
    group: Option<usize>,
    /// The dimensions of the left operand along which group sizes vary: the dimensions of the sizes before the last.
    prefix: Vec<usize>,
}

fn ragged_dims(cx: &OpContext) -> Result<RaggedDims, OpError> {
    let (lhs, mut rhs) = checked_operand_dims(cx)?;
    let ragged = cx.dimensions("lhs_ragged_dims", cx.array(0)?.rank(), ["ragged-dot-1"; 2])?;
    let &[ragged] = &ragged[..] else {
        let message = Message::ops("op-ragged-dimension").with("found", ragged.len());
        return Err(cx.error("ragged-dot-1", message).at_attr("lhs_ragged_dims"));
    };
    let before = |dimensions: &[usize]| -> Vec<usize> {
        dimensions.iter().copied().take_while(|d| *d != ragged).collect()
    };
    let (kind, mut prefix) = if lhs.batch.contains(&ragged) {
        (RaggedKind::Batch, before(&lhs.batch))
    } else if lhs.contracting.contains(&ragged) {
        (RaggedKind::Contracting, [lhs.batch.clone(), before(&lhs.contracting)].concat())
    } else {
        (RaggedKind::Free, [lhs.batch.clone(), before(&lhs.free)].concat())
    };
    let groups = cx.dimensions("rhs_group_dims", cx.array(1)?.rank(), ["ragged-dot-2"; 2])?;
    let is_free = groups.iter().all(|d| rhs.free.contains(d));
    if groups.len() != usize::from(kind == RaggedKind::Free) || !is_free {
        let message = Message::ops("op-group-dimension").with("found", groups.len());
        return Err(cx.error("ragged-dot-2", message).at_attr("rhs_group_dims"));
    }
    rhs.free.retain(|d| !groups.contains(d));
    // The same group sizes apply to every prefix index.
    if cx.array(2)?.rank() == 1 {
        prefix.clear();
    }
    Ok(RaggedDims { lhs, rhs, kind, ragged, group: groups.first().copied(), prefix })
}

impl RaggedDims {
    /// The range of ragged coordinates of group `g`, for this index of the left operand.
    fn range(&self, g: i64, i: &[i64], read: &mut dyn Read) -> (i64, i64) {
        let mut at: Dims = self.prefix.iter().map(|d| i[*d]).collect();
        at.push(0);
        let last = at.len() - 1;
        let (mut start, mut end) = (0_i64, 0_i64);
        for group in 0..=g {
            if group % 4096 == 4095 && !read.should_continue() {
                break;
            }
            at[last] = group;
            let size = read.get(2, &at, Role::Start).as_index().max(0);
            (start, end) = (end, end.saturating_add(size));
        }
        (start, end)
    }

    /// The group of the ragged coordinate of `i`.
    fn group_of(&self, groups: i64, i: &[i64], read: &mut dyn Read) -> Option<i64> {
        // If the run is cancelled the result is not used.
        (0..groups).find(|g| self.range(*g, i, read).1 > i[self.ragged] || !read.should_continue())
    }
}

impl OpDef for RaggedDot {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (a, b, sizes) = (cx.array(0)?, cx.array(1)?, cx.array(2)?);
        let dims = ragged_dims(cx)?;
        // `ragged-dot-3` below rejects a scalar.
        let groups = sizes.dimensions.last().copied().unwrap_or(0);
        let of_prefix = dims.prefix.iter().map(|d| a.dimensions[*d]);
        let expected: Dims = of_prefix.chain([dims.group.map_or(groups, |d| b.dimensions[d])]).collect();
        if sizes.dimensions != expected {
            let message = Message::ops("op-group-sizes")
                .with("expected", super::infer::comma_separated(&expected))
                .with("found", sizes.human_string());
            return Err(cx.error("ragged-dot-3", message).at_operand(2));
        }
        if !matches!(sizes.element_type.class(), Class::Signed | Class::Unsigned) {
            let message = Message::ops("op-group-sizes-type").with("found", sizes.human_string());
            return Err(cx.error("ragged-dot-4", message).at_operand(2));
        }
        let result: Dims = (dims.kind == RaggedKind::Contracting)
            .then_some(groups)
            .into_iter()
            .chain(dims.lhs.batch.iter().chain(&dims.lhs.free).map(|d| a.dimensions[*d]))
            .chain(dims.rhs.free.iter().map(|d| b.dimensions[*d]))
            .collect();
        cx.result(result_type(cx.written, a.element_type, b.element_type), result)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (a, b, dims) = (cx.array(0)?, cx.array(1)?, ragged_dims(cx)?);
        let ranks = [a.rank(), b.rank()];
        let groups = cx.array(2)?.dimensions.last().copied().or_bug(0, "`infer` accepted scalar group sizes");
        let sizes: Dims = dims.lhs.contracting.iter().map(|d| a.dimensions[*d]).collect();
        let products = products(cx)?;
        Ok(Semantics::per_element(move |out, read| {
            let (group, out) = match dims.kind {
                RaggedKind::Contracting => (out[0], &out[1..]),
                RaggedKind::Free | RaggedKind::Batch => (0, out),
            };
            let (mut i, mut j) = (Dims::from_elem(0, ranks[0]), Dims::from_elem(0, ranks[1]));
            let lhs_rank = dims.lhs.batch.len() + dims.lhs.free.len();
            for (o, d) in out.iter().zip(dims.lhs.batch.iter().chain(&dims.lhs.free)) {
                i[*d] = *o;
            }
            for (o, d) in out.iter().zip(&dims.rhs.batch).chain(out[lhs_rank..].iter().zip(&dims.rhs.free)) {
                j[*d] = *o;
            }
            if let Some(d) = dims.group {
                match dims.group_of(groups, &i, read) {
                    Some(group) => j[d] = group,
                    None => return products.finish(products.zero()),
                }
            }
            let mut sum = products.zero();
            let mut contracted = Indices::row_major(&sizes);
            while let Some(k) = contracted.advance() {
                for (n, (l, r)) in k.iter().zip(dims.lhs.contracting.iter().zip(&dims.rhs.contracting)) {
                    (i[*l], j[*r]) = (*n, *n);
                }
                let is_in_group = dims.kind != RaggedKind::Contracting || {
                    let (start, end) = dims.range(group, &i, read);
                    (start..end).contains(&i[dims.ragged])
                };
                if is_in_group {
                    let a = read.get(0, &i, Role::Lhs);
                    sum = products.accumulate(sum, a, read.get(1, &j, Role::Rhs));
                }
                if !read.should_continue() {
                    break;
                }
            }
            products.finish(sum)
        }))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        is_empty_dims_attr(name, cx)
    }
}
