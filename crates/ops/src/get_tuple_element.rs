//! `get-tuple-element`: see [`GetTupleElement`].

use super::data::operand;
use super::{
    AttrKind, AttrSpec, Category, CellAt, Data, EagerOp, Example, ExportContext, Expression, Formula,
    History, Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Run, Semantics, Source,
};
use xla_array::Shape;
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Returns an element of a tuple.
///
/// Source: XLA's operation semantics, `GetTupleElement`.
pub struct GetTupleElement;

static META: OpMeta = OpMeta {
    opcode: "get-tuple-element",
    title: "GetTupleElement",
    search_terms: &[],
    sections: &["GetTupleElement"],
    category: Category::Tuple,
    history: History::UNCHANGED,
    summary: "op-get-tuple-element",
    formula: Formula::Symbols("out = operand.index"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[AttrSpec::required("index", AttrKind::Int, "attr-index")],
    rules: &[
        Rule {
            identifier: "get-tuple-element-1",
            description: "rule-tuple",
            violated_by: "x = f32[3] parameter(0) ROOT r = get-tuple-element(x), index=0",
        },
        Rule {
            identifier: "get-tuple-element-2",
            description: "rule-tuple-index",
            violated_by: "x = (f32[3], s32[]) parameter(0) ROOT r = get-tuple-element(x), index=2",
        },
    ],
    examples: &[Example {
        title: "shows-second-element",
        hlo: "v = f32[10] constant({0,1,2,3,4,5,6,7,8,9}) s = s32[] constant(5) t = tuple(v, s)
              ROOT element_1 = get-tuple-element(t), index=1",
        result: "s32[] 5",
    }],
};

struct TupleElement(usize);

impl EagerOp for TupleElement {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        let tuple = operand("get-tuple-element", operands, 0)?;
        Ok(tuple.part(&[self.0]).cloned().or_bug(Data::Token, "no such element of the tuple"))
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        Ok(vec![Source { operand: 0, cell: cell.in_tuple(self.0), role: Role::Value }])
    }
}

impl OpDef for GetTupleElement {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, index) = (cx.operand(0)?, cx.int("index")?);
        let Some(elements) = operand.as_tuple() else {
            let message = Message::ops("op-tuple-wanted").with("shape", operand.human_string());
            return Err(cx.error("get-tuple-element-1", message).at_operand(0));
        };
        usize::try_from(index).ok().and_then(|i| elements.get(i)).cloned().ok_or_else(|| {
            let message = Message::ops("op-tuple-index").with("index", index).with("count", elements.len());
            cx.error("get-tuple-element-2", message).at_attr("index")
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Eager(Box::new(TupleElement(
            usize::try_from(cx.int("index")?).or_bug(usize::MAX, "`infer` accepted a negative index"),
        ))))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, index) = (to.name(0), to.cx.int("index").ok()?);
        let text = match to.language {
            Language::Rust => format!("b.get_tuple_element({x}, {index})"),
            Language::Jax | Language::NumPy => format!("{x}[{index}]"),
        };
        Some(text.into())
    }
}
