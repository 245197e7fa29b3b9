//! Edition checks: under XLA 2017, ops, attributes, operands, types and layouts that it did not have are errors.
//!
//! Rules: `edition-op`, `edition-attribute`, `edition-operands`, `edition-type`, `edition-shape`. An op that was
//! narrower in other ways has its own rule `OPCODE-2017`. Nothing here names an op: each part states the
//! edition it came with.

use super::attrs::AttrValue;
use super::error::{OpError, OpPart};
use super::infer::OpContext;
use super::op_def::OpDef;
use xla_array::newer::NewerFeature;
use xla_array::{ElementType, Shape};
use xla_messages::i18n::Message;

/// Checks that the edition has the op, its attributes and this number of operands.
pub fn check_availability(op: &dyn OpDef, cx: &OpContext) -> Result<(), OpError> {
    let (meta, opcode) = (cx.meta, cx.meta.opcode);
    if meta.history.since > cx.edition {
        let mut error =
            cx.error("edition-op", Message::ops("edition-op").with("op", opcode)).at(OpPart::Opcode);
        if let Some(text) = op.in_2017(cx) {
            error = error.with_described_fix(Message::ops("edition-rewrite"), OpPart::Operation, text);
        }
        return Err(match meta.history.replacement_hint {
            Some(key) => error.with_hint(Message::ops(key)),
            None => error,
        });
    }
    let newer_attr = cx.attrs.iter().find(|(name, value)| {
        let is_newer = meta.attr(name).is_some_and(|spec| spec.since > cx.edition);
        is_newer && !op.is_default_attr(name, cx) && !is_zero_or_empty(value)
    });
    if let Some((name, _)) = newer_attr {
        let message = Message::ops("edition-attribute").with("op", opcode).with("name", name);
        let remove = Message::ops("edition-remove").with("name", name);
        return Err(cx.error("edition-attribute", message).at_attr(name).with_described_fix(
            remove,
            OpPart::WholeAttr(name),
            "",
        ));
    }
    let (operands, found) = (meta.operands, cx.operands.len());
    if operands.allows_count(found, xla_array::Edition::Current) && !operands.allows_count(found, cx.edition)
    {
        let message = Message::ops("edition-operands")
            .with("op", opcode)
            .with("found", found)
            .with("expected", operands.fixed_in(cx.edition).len());
        return Err(cx.error("edition-operands", message));
    }
    Ok(())
}

/// Whether an attribute has the value of an omitted one although XLA prints it, unlike those of
/// [`OpDef::is_default_attr`].
fn is_zero_or_empty(value: &AttrValue) -> bool {
    match value {
        AttrValue::Bool(is_set) => !is_set,
        AttrValue::Ints(list) => list.is_empty(),
        AttrValue::IntLists(lists) => lists.is_empty(),
        _ => false,
    }
}

/// Checks that the edition has the element types, layouts and kinds of shape of a result. If an operand has a newer
/// feature too, that was reported at its own instruction.
pub fn check_shape(cx: &OpContext, shape: &Shape) -> Result<(), OpError> {
    if cx.edition == xla_array::Edition::Current {
        return Ok(());
    }
    let is_reported = cx.operands.iter().any(|operand| operand.first_newer_feature().is_some());
    let Some(feature) = shape.first_newer_feature().filter(|_| !is_reported) else { return Ok(()) };
    let (rule, message) = match feature {
        NewerFeature::Type(element_type) => {
            ("edition-type", Message::ops("edition-type").with("type", element_type.name()))
        }
        NewerFeature::Token => ("edition-shape", Message::ops("edition-token")),
        NewerFeature::Buffer => ("edition-shape", Message::ops("edition-buffer")),
        NewerFeature::Dynamic => ("edition-shape", Message::ops("edition-dynamic")),
        NewerFeature::Property(letter) => {
            ("edition-shape", Message::ops("edition-layout").with("property", letter))
        }
    };
    let error = cx.error(rule, message).at(OpPart::Result);
    let error = match shape.in_2017() {
        Some(older) => error.with_fix(
            OpPart::Result,
            if cx.written.is_some() { older.to_string() } else { older.human_string() },
        ),
        None => error,
    };
    Err(match feature {
        NewerFeature::Type(ElementType::C64 | ElementType::C128) => {
            error.with_hint(Message::ops("instead-complex"))
        }
        NewerFeature::Token => error.with_hint(Message::ops("instead-token")),
        _ => error,
    })
}
