//! Ops with a shape that is computed, where it is known from the result's type or from constants. Others are rejected: HLO has
//! no shapes that are computed at run time.

use super::fields::list;
use super::windows::{GATHER, dimensions, flags};
use super::{Body, Translator, Value};
use crate::ast::{Op, Type};
use xla_messages::i18n::Message;

/// Whether all sizes of a type are numbers.
fn is_static(ty: &Type) -> bool {
    match ty {
        Type::Tensor(dims, _) => dims.iter().all(|(size, is_bound)| *size >= 0 && !is_bound),
        Type::Tuple(_) | Type::Token => false,
    }
}

/// The numbers of a constant.
pub(super) fn known(value: &Value<'_, '_>) -> Option<Vec<i64>> {
    value.constant.filter(|op| op.is("constant")).and_then(|op| list(op, "value"))
}

impl<'a, 's> Translator<'a, 's> {
    pub(super) fn dynamic(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, name: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let is_fixed = op.types.iter().all(is_static);
        let numbers = |at: usize| operands.get(at).and_then(known);
        let first = operands.first().map(|value| value.name.clone()).unwrap_or_default();
        let has_static_operand = operands.first().is_some_and(|value| is_static(&value.ty));
        let text = match name {
            _ if !is_fixed => None,
            "dynamic_reshape" if has_static_operand => Some(format!("reshape({first})")),
            "dynamic_broadcast_in_dim" if has_static_operand => return self.broadcast_in_dim(body, op),
            "dynamic_iota" => list(op, "iota_dimension")
                .and_then(|dims| Some(format!("iota(), iota_dimension={}", dims.first()?))),
            "dynamic_gather" if has_static_operand => numbers(2).and_then(|sizes| {
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
                let edges = numbers(2).zip(numbers(3)).zip(numbers(4));
                edges.and_then(|((low, high), interior)| {
                    let dims = low.iter().zip(&high).zip(&interior);
                    let dims: Vec<String> =
                        dims.map(|((low, high), interior)| format!("{low}_{high}_{interior}")).collect();
                    let value = operands.get(1)?;
                    Some(format!("pad({first}, {}), padding={}", value.name, dims.join("x")))
                })
            }
            "real_dynamic_slice" if has_static_operand => {
                numbers(1).zip(numbers(2)).zip(numbers(3)).map(|((start, limit), strides)| {
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
