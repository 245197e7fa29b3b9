//! Edition checks: under XLA 2017, ops, attributes, operands, types and layouts that came later are errors.
//!
//! Labels: `edition-op`, `edition-attribute`, `edition-operands`, `edition-type`, `edition-shape`. An op whose 2017
//! form is narrower in other ways has a rule `OPCODE-2017` of its own. Nothing here names an op: each part states the
//! edition it came with.

use super::attrs::AttrValue;
use super::error::{OpError, OpPart};
use super::infer::OpContext;
use super::op_def::OpDef;
use xla_array::later::Later;
use xla_array::{ElementType, Shape};
use xla_messages::i18n::Message;

/// Checks that the edition has the op, its attributes and this number of operands.
pub fn check_form(op: &dyn OpDef, cx: &OpContext) -> Result<(), OpError> {
    let (meta, opcode) = (cx.meta, cx.meta.opcode);
    if meta.history.since > cx.edition {
        let mut error =
            cx.error("edition-op", Message::ops("edition-op").with("op", opcode)).at(OpPart::Opcode);
        if let Some(text) = op.in_2017(cx) {
            error = error.rewrite(Message::ops("edition-rewrite"), OpPart::Operation, text);
        }
        return Err(match meta.history.instead {
            Some(key) => error.advise(Message::ops(key)),
            None => error,
        });
    }
    let later = cx.attrs.iter().find(|(name, value)| {
        let is_later = meta.attr(name).is_some_and(|spec| spec.since > cx.edition);
        is_later && !op.omits_attr(name, cx) && !is_default(value)
    });
    if let Some((name, _)) = later {
        let message = Message::ops("edition-attribute").with("op", opcode).with("name", name);
        let remove = Message::ops("edition-remove").with("name", name);
        return Err(cx.error("edition-attribute", message).at_attr(name).rewrite(
            remove,
            OpPart::WholeAttr(name),
            "",
        ));
    }
    let (operands, found) = (meta.operands, cx.operands.len());
    if operands.allows_count(found, xla_array::Edition::Now) && !operands.allows_count(found, cx.edition) {
        let message = Message::ops("edition-operands")
            .with("op", opcode)
            .with("found", found)
            .with("expected", operands.fixed_in(cx.edition).len());
        return Err(cx.error("edition-operands", message));
    }
    Ok(())
}

/// Whether the value of an attribute is the one it has when omitted.
fn is_default(value: &AttrValue) -> bool {
    match value {
        AttrValue::Bool(is_set) => !is_set,
        AttrValue::Ints(list) => list.is_empty(),
        AttrValue::IntLists(lists) => lists.is_empty(),
        _ => false,
    }
}

/// Checks that the edition has the element types, layouts and kinds of shape of a result. If an operand has a later
/// feature too, that was reported at its own instruction.
pub fn check_shape(cx: &OpContext, shape: &Shape) -> Result<(), OpError> {
    let later = |shape: &Shape| if cx.edition == xla_array::Edition::Now { None } else { shape.later() };
    let Some(feature) = later(shape).filter(|_| !cx.operands.iter().any(|operand| later(operand).is_some()))
    else {
        return Ok(());
    };
    let (rule, message) = match feature {
        Later::Type(of) => ("edition-type", Message::ops("edition-type").with("type", of.name())),
        Later::Token => ("edition-shape", Message::ops("edition-token")),
        Later::Buffer => ("edition-shape", Message::ops("edition-buffer")),
        Later::Dynamic => ("edition-shape", Message::ops("edition-dynamic")),
        Later::Property(letter) => ("edition-shape", Message::ops("edition-layout").with("property", letter)),
    };
    let error = cx.error(rule, message).at(OpPart::Result);
    let error = match shape.in_2017() {
        Some(older) => error.write(
            OpPart::Result,
            if cx.written.is_some() { older.to_string() } else { older.human_string() },
        ),
        None => error,
    };
    Err(match feature {
        Later::Type(ElementType::C64 | ElementType::C128) => error.advise(Message::ops("instead-complex")),
        Later::Token => error.advise(Message::ops("instead-token")),
        _ => error,
    })
}
