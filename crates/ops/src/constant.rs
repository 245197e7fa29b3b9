//! `constant`: see [`Constant`].

use super::{
    AttrKind, AttrSpec, AttrValue, Category, Data, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, Operands, Semantics,
};
use xla_array::Shape;
use xla_messages::i18n::Message;

/// A literal in the text (`ConstantLiteral`).
///
/// The shape must be written. If the values are elided (`{...}`), evaluation of anything that depends on them fails with
/// `constant-elided`. Source: "Constants" of the HLO text form.
pub struct Constant;

static META: OpMeta = OpMeta {
    opcode: "constant",
    title: "Constant",
    search_terms: &["ConstantLiteral"],
    sections: &["Constant"],
    category: Category::Source,
    history: History::UNCHANGED,
    summary: "op-constant",
    formula: Formula::Symbols("out[i] = literal[i]"),
    operands: Operands::exactly(&[]),
    inline_attr: Some(AttrSpec::required("literal", AttrKind::Literal, "attr-literal")),
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-two-numbers",
        hlo: "ROOT r = f32[2] constant({1, -0.0})",
        result: "f32[2] {1, -0.0}",
    }],
};

impl OpDef for Constant {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        // The literal was parsed with this shape.
        cx.require_result_shape().cloned()
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let Some(AttrValue::Literal(literal)) = cx.attrs.get("literal") else {
            let advice = Message::ops("literal-hint-full-dump");
            return Err(cx.error("constant-elided", Message::ops("op-constant-elided")).with_hint(advice));
        };
        Ok(Semantics::Constant(Data::from((**literal).clone())))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let Some(AttrValue::Literal(value)) = to.cx.attrs.get("literal") else { return None };
        let text = super::export::literal(to.language, value)?;
        Some(if to.language == Language::Rust { format!("b.constant_literal({text})") } else { text }.into())
    }
}
