//! `copy`: see [`Copy`].

use super::data::operand;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    Body, Category, CellAt, Code, Coding, Data, Example, Language, OpContext, OpDef, OpError, OpMeta,
    Operands, Role, Run, Source, WholeOp,
};
use xla_array::Shape;

/// The same value, perhaps in another layout: the one written before the opcode.
///
/// Source: `HloOpcode::kCopy` of XLA.
pub struct Copy;

static META: OpMeta = OpMeta {
    opcode: "copy",
    title: "Copy",
    names: &[],
    sections: &[],
    category: Category::Movement,
    summary: "op-copy",
    formula: "out[i] = operand[i]",
    operands: Operands::exactly(&["operand"]),
    argument: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        hlo: "x = s32[2,2] constant({{1,2},{3,4}}) ROOT r = s32[2,2]{0,1} copy(x)",
        result: "s32[2,2]{0,1} { {1, 2}, {3, 4} }",
    }],
};

struct Same;

impl WholeOp for Same {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        operand("copy", operands, 0).cloned()
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        Ok(vec![Source { operand: 0, cell: cell.clone(), role: Role::Value }])
    }
}

impl OpDef for Copy {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.operand(0).cloned()
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.moves(0, context.view(0)?, context.out_view()?)
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        // A scalar goes cell by cell, so that a region may hold it.
        if cx.array(0).is_ok_and(|array| array.rank() == 0) {
            return Ok(Body::cell(|out, read| read.get(0, out, Role::Value)));
        }
        Ok(Body::Whole(Box::new(Same)))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        (to.language != Language::Rust).then(|| to.name(0).to_owned().into())
    }
}
