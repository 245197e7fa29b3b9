//! `parameter`: see [`Parameter`].

use super::{
    AttrKind, AttrSpec, Category, Formula, History, OpContext, OpDef, OpError, OpMeta, Operands, Rule,
    Semantics,
};
use xla_array::Shape;
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The argument of the computation with this number.
///
/// The numbers of a computation's parameters are 0 to n-1, each once, in any order (`hlo::verify`). Source:
/// "Parameter" of the computation builder.
pub struct Parameter;

static META: OpMeta = OpMeta {
    opcode: "parameter",
    title: "Parameter",
    search_terms: &[],
    sections: &["Parameter"],
    category: Category::Source,
    history: History::UNCHANGED,
    summary: "op-parameter",
    formula: Formula::Symbols("out[i] = argument[i]"),
    operands: Operands::exactly(&[]),
    inline_attr: Some(AttrSpec::required("parameter_number", AttrKind::Number, "attr-parameter-number")),
    attrs: &[],
    rules: &[Rule {
        identifier: "parameter-1",
        description: "rule-parameter-number",
        violated_by: "ROOT r = f32[] parameter(-1)",
    }],
    examples: &[],
};

impl OpDef for Parameter {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let number = cx.int("parameter_number")?;
        if number < 0 {
            let message = Message::ops("op-parameter-number").with("number", number);
            return Err(cx.error("parameter-1", message).at_attr("parameter_number"));
        }
        cx.require_result_shape().cloned()
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Parameter(
            usize::try_from(cx.int("parameter_number")?)
                .or_bug(usize::MAX, "`infer` accepted a negative number"),
        ))
    }
}
