//! Ops whose shape is an operand (`dynamic_reshape`), if the result's type or constants determine it. Others are rejected: HLO has
//! no shapes that are computed at run time.

use super::dimension_numbers::{GATHER, dimensions, flags};
use super::fields::list;
use super::{Body, Translator, Value};
use crate::ast::{Op, Type};
use xla_messages::i18n::Message;

/// Whether a tensor type has only static sizes.
fn is_static(ty: &Type) -> bool {
    match ty {
        Type::Tensor(dims, _) => dims.iter().all(|(size, is_bound)| *size >= 0 && !is_bound),
        Type::Tuple(_) | Type::Token => false,
    }
}

/// The elements of an integer constant; `None` for other values.
pub(super) fn constant_integers(value: &Value<'_, '_>) -> Option<Vec<i64>> {
    value.constant.filter(|op| op.is("constant")).and_then(|op| list(op, "value"))
}

impl<'a, 's> Translator<'a, 's> {
    pub(super) fn dynamic(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, name: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let has_static_results = op.types.iter().all(is_static);
        let constant = |operand: usize| operands.get(operand).and_then(constant_integers);
        let first = operands.first().map(|value| value.name.clone()).unwrap_or_default();
        let has_static_operand = operands.first().is_some_and(|value| is_static(&value.ty));
        let text = match name {
            _ if !has_static_results => None,
            "dynamic_reshape" if has_static_operand => Some(format!("reshape({first})")),
            "dynamic_broadcast_in_dim" if has_static_operand => return self.broadcast_in_dim(body, op),
            "dynamic_iota" => list(op, "iota_dimension")
                .and_then(|dims| Some(format!("iota(), iota_dimension={}", dims.first()?))),
            "dynamic_gather" if has_static_operand => constant(2).and_then(|sizes| {
                let indices = operands.get(1)?;
                let sizes = super::fields::braces(&sizes);
                Some(format!(
                    "gather({first}, {}){}, slice_sizes={sizes}{}",
                    indices.name,
                    dimensions(op, "dimension_numbers", &GATHER),
                    flags(op, &["indices_are_sorted"])
                ))
            }),
            "dynamic_pad" if has_static_operand => {
                let edges = constant(2).zip(constant(3)).zip(constant(4));
                edges.and_then(|((low, high), interior)| {
                    let dims = low.iter().zip(&high).zip(&interior);
                    let dims: Vec<String> =
                        dims.map(|((low, high), interior)| format!("{low}_{high}_{interior}")).collect();
                    let value = operands.get(1)?;
                    Some(format!("pad({first}, {}), padding={}", value.name, dims.join("x")))
                })
            }
            "real_dynamic_slice" if has_static_operand => {
                constant(1).zip(constant(2)).zip(constant(3)).map(|((start, limit), strides)| {
                    let ranges = start.iter().zip(&limit).zip(&strides);
                    let ranges: Vec<String> = ranges
                        .map(|((start, limit), stride)| format!("[{start}:{limit}:{stride}]"))
                        .collect();
                    format!("slice({first}), slice={{{}}}", ranges.join(", "))
                })
            }
            _ => None,
        };
        if let Some(text) = text {
            return self.emit(body, op, &text);
        }
        let message = Message::stablehlo("stablehlo-dynamic").with("op", op.name);
        self.reject(op, message, Some("stablehlo-hint-static"))
    }
}
