//! `copy`: see [`Copy`].

use super::data::operand;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    Category, CellAt, Data, EagerOp, Example, ExportContext, Expression, Formula, History, Language,
    OpContext, OpDef, OpError, OpMeta, Operands, Role, Run, Semantics, Source,
};
use xla_array::Shape;

/// Copies an array; the layout of the result is the one written before the opcode.
///
/// Source: `HloOpcode::kCopy` of XLA.
pub struct Copy;

static META: OpMeta = OpMeta {
    opcode: "copy",
    title: "Copy",
    search_terms: &[],
    sections: &["Copy"],
    category: Category::Movement,
    history: History::not_in_2017("instead-copy"),
    summary: "op-copy",
    formula: Formula::Symbols("out[i] = operand[i]"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-other-layout",
        hlo: "x = s32[2,2] constant({{1,2},{3,4}}) ROOT r = s32[2,2]{0,1} copy(x)",
        result: "s32[2,2]{0,1} { {1, 2}, {3, 4} }",
    }],
};

struct CopyOperand;

impl EagerOp for CopyOperand {
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
        context.copy_task(0, context.view(0)?, context.out_view()?)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        // A scalar is computed per element, so it can be compiled to a region.
        if cx.array(0).is_ok_and(|array| array.rank() == 0) {
            return Ok(Semantics::per_element(|out, read| read.get(0, out, Role::Value)));
        }
        Ok(Semantics::Eager(Box::new(CopyOperand)))
    }

    fn in_2017(&self, cx: &OpContext) -> Option<String> {
        let operand = cx.operand(0).ok().filter(|shape| shape.as_array().is_some())?;
        // A reshape needs its shape written.
        let shape = if cx.written.is_none() { operand.human_string() + " " } else { String::new() };
        Some(format!("{shape}reshape($0)"))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        (to.language != Language::Rust).then(|| to.name(0).to_owned().into())
    }
}
