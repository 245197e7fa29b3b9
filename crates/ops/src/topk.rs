//! `topk`: see [`TopK`].

use std::cmp::Ordering;

use super::data::operand_array;
use super::sort::total_order;
use super::{
    AttrKind, AttrSpec, AttrValue, Category, CellAt, Data, EagerOp, Example, ExportContext, Expression,
    Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Run,
    Semantics, Source,
};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Dims, ElementType, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The `k` largest elements along the last dimension, the largest first, and their indices; or the smallest.
///
/// Floats are compared by their total order: NaN is the largest, -0 is less than 0. Of equal elements the one with the
/// lower index comes first. Source: `HloOpcode::kTopK`, `ShapeInference::InferTopK`.
pub struct TopK;

static META: OpMeta = OpMeta {
    opcode: "topk",
    title: "TopK",
    search_terms: &["top k", "beam search"],
    sections: &["TopK"],
    category: Category::Movement,
    history: History::not_in_2017("instead-topk"),
    summary: "op-topk",
    formula: Formula::Words("formula-topk"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("k", AttrKind::Int, "attr-k"),
        AttrSpec::optional("largest", AttrKind::Bool, "attr-largest"),
    ],
    rules: &[
        Rule {
            identifier: "topk-1",
            description: "rule-topk-rank",
            violated_by: "x = f32[] parameter(0) ROOT r = topk(x), k=1, largest=true",
        },
        Rule {
            identifier: "topk-2",
            description: "rule-topk-k",
            violated_by: "x = f32[4] parameter(0) ROOT r = topk(x), k=5, largest=true",
        },
        Rule {
            identifier: "topk-3",
            description: "rule-ordered",
            violated_by: "x = c64[4] parameter(0) ROOT r = topk(x), k=2, largest=true",
        },
    ],
    examples: &[
        Example {
            title: "shows-two-largest",
            hlo: "x = s32[5] constant({3, 1, 4, 1, 5}) ROOT r = topk(x), k=2, largest=true",
            result: "(s32[2], s32[2]) ( {5, 4}, {4, 2} )",
        },
        Example {
            title: "shows-smallest-of-rows",
            hlo: "x = s32[2,3] constant({{5,1,5},{2,2,0}}) t = topk(x), k=2, largest=false
                  ROOT r = get-tuple-element(t), index=1",
            result: "s32[2,2] { {1, 0}, {2, 0} }",
        },
        Example {
            title: "shows-ties-nan",
            hlo: "x = f32[6] constant({1, nan, 3, 3, -1, inf}) ROOT r = topk(x), k=3, largest=true",
            result: "(f32[3], s32[3]) ( {nan, inf, 3}, {1, 5, 2} )",
        },
    ],
};

struct TopKSelection {
    k: usize,
    is_largest: bool,
    /// The sizes of the operand.
    sizes: Dims,
}

impl TopKSelection {
    /// The last dimension, and its size.
    fn last_dimension(&self) -> (usize, usize) {
        let d = self.sizes.len().saturating_sub(1);
        let size = self.sizes.last().and_then(|size| usize::try_from(*size).ok());
        (d, size.or_bug(0, "no dimension to select from"))
    }

    /// The indices and values of the first `k` elements of the sorted row; `index` is the index of any cell in the row.
    fn top_elements(
        &self,
        array: &ArrayLiteral,
        index: &[i64],
        run: &mut dyn Run,
    ) -> Result<Vec<(i64, Value)>, OpError> {
        let (d, length) = self.last_dimension();
        let steps = (length as u64).saturating_mul(1 + u64::from(length.max(1).ilog2()));
        run.spend(steps)?;
        let mut index: Dims = index.into();
        let mut row: Vec<(i64, Value)> = Vec::with_capacity(length);
        for i in (0_i64..).take(length) {
            index[d] = i;
            row.push((i, array.get(&index).or_bug(Value::Int(0), "no such element")));
        }
        row.sort_by(|a, b| {
            let order: Ordering = total_order(a.1, b.1);
            if self.is_largest { order.reverse() } else { order }
        });
        row.truncate(self.k);
        Ok(row)
    }
}

impl EagerOp for TopKSelection {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let array = operand_array("topk", operands, 0)?;
        let (d, _) = self.last_dimension();
        let mut sizes = self.sizes.clone();
        sizes[d] = i64::try_from(self.k).or_bug(0, "k exceeds its dimension");
        let error = |e: xla_array::literal::LiteralError| OpError::new("topk", e.rule, e.message);
        let zeros = |t| ArrayLiteral::zeros(ArrayShape::new(t, sizes.iter().copied())).map_err(error);
        let (mut values, mut indices) = (zeros(array.element_type())?, zeros(ElementType::S32)?);
        // A row with its indices, and half of it for merging.
        run.reserve_bytes(
            (self.last_dimension().1 as u64).saturating_mul(3 * size_of::<(i64, Value)>() as u64 / 2),
        )?;
        if !sizes.contains(&0) {
            sizes[d] = 1;
            let mut rows = Indices::row_major(&sizes);
            while let Some(row) = rows.advance() {
                let mut to = Dims::from_slice(row);
                for (i, (from, value)) in (0_i64..).zip(self.top_elements(array, row, run)?) {
                    to[d] = i;
                    values.set(&to, value);
                    indices.set(&to, Value::Int(from));
                }
            }
        }
        Ok(Data::Tuple([Data::from(values), Data::from(indices)].into()))
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let Some(array) = operands.first().and_then(Data::as_array) else { return Ok(Vec::new()) };
        let (d, length) = self.last_dimension();
        let row = self.top_elements(array, &cell.index, run)?;
        let from = usize::try_from(cell.index[d]).ok().and_then(|i| row.get(i)).map(|(from, _)| *from);
        let is_value = cell.path.first() != Some(&1);
        let mut index = cell.index.clone();
        let mut found = Vec::new();
        for i in (0_i64..).take(length) {
            index[d] = i;
            let role = if is_value && from == Some(i) { Role::Value } else { Role::Choice };
            found.push(Source { operand: 0, cell: CellAt::array(&index), role });
        }
        // The selected element comes first. In a row of one element, the index depends on no cell.
        found.sort_by_key(|source| source.role != Role::Value);
        if length == 1 && !is_value {
            found.clear();
        }
        Ok(found)
    }
}

impl OpDef for TopK {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, k) = (cx.array(0)?, cx.int("k")?);
        let Some(last) = operand.dimensions.last().copied() else {
            let message = Message::ops("op-topk-rank").with("shape", operand.human_string());
            return Err(cx.error("topk-1", message).at_operand(0));
        };
        if !(0..=last).contains(&k) {
            let message = Message::ops("op-topk-k").with("found", k).with("size", last);
            // An unbounded dimension has a negative size.
            let fix = k.min(last).max(0).to_string();
            return Err(cx.error("topk-2", message).at_attr("k").with_fix(OpPart::Attr("k"), fix));
        }
        if operand.element_type.is_complex() {
            let message = Message::ops("op-ordered").with("found", operand.element_type.name());
            return Err(cx.error("topk-3", message).at_operand(0));
        }
        let mut sizes = operand.dimensions.clone();
        if let Some(size) = sizes.last_mut() {
            *size = k;
        }
        let values = cx.result(operand.element_type, sizes.iter().copied())?;
        Ok(Shape::tuple([values, cx.result(ElementType::S32, sizes)?]))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let sizes = cx.array(0)?.dimensions.clone();
        let k = usize::try_from(cx.int("k")?).or_bug(0, "a negative k");
        // XLA's default is the largest.
        let is_largest = cx.attrs.get("largest").is_none() || cx.flag("largest");
        Ok(Semantics::Eager(Box::new(TopKSelection { k, is_largest, sizes })))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let k = to.cx.int("k").ok()?;
        let is_largest = to.cx.attrs.get("largest") != Some(&AttrValue::Bool(false));
        (to.language == Language::Jax && is_largest).then(|| format!("lax.top_k({}, {k})", to.name(0)).into())
    }
}
