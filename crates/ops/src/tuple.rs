//! `tuple`: see [`Tuple`].

use super::export::tuple;
use super::{
    Category, CellAt, Data, EagerOp, Example, ExportContext, Expression, Formula, History, Language,
    OpContext, OpDef, OpError, OpMeta, Operands, Role, Run, Semantics, Source,
};
use xla_array::Shape;

/// A tuple of any number of values of any shape, nested tuples included.
///
/// Source: XLA's operation semantics, "Tuple".
pub struct Tuple;

static META: OpMeta = OpMeta {
    opcode: "tuple",
    title: "Tuple",
    search_terms: &[],
    sections: &["Tuple"],
    category: Category::Tuple,
    history: History::UNCHANGED,
    summary: "op-tuple",
    formula: Formula::Symbols("out = (operand_0, operand_1, …)"),
    operands: Operands::any("element"),
    inline_attr: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-array-and-scalar",
        hlo: "v = f32[10] constant({0,1,2,3,4,5,6,7,8,9}) s = s32[] constant(5) ROOT t = tuple(v, s)",
        result: "(f32[10], s32[]) ( {0,1,2,3,4,5,6,7,8,9}, 5 )",
    }],
};

struct BoundTuple;

impl EagerOp for BoundTuple {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        Ok(Data::Tuple(operands.into()))
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let Some((element, path)) = cell.path.split_first() else { return Ok(Vec::new()) };
        let cell = CellAt { path: path.into(), index: cell.index.clone() };
        Ok(vec![Source { operand: *element, cell, role: Role::Value }])
    }
}

impl OpDef for Tuple {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        Ok(Shape::Tuple(cx.operands.iter().map(|shape| (*shape).clone()).collect()))
    }

    fn bind(&self, _: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Eager(Box::new(BoundTuple)))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let text = match to.language {
            Language::Rust => format!("b.tuple(&[{}])", to.joined_names()),
            Language::Jax | Language::NumPy => tuple(to.names),
        };
        Some(text.into())
    }
}
