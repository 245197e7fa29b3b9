//! Broadcasts: `broadcast_in_dim`, and the ops of CHLO that broadcast their operands implicitly.

use super::fields::{braces, list};
use super::{Body, Translator, Value};
use crate::ast::{Attr, Op, Type};
use xla_array::ElementType;
use xla_messages::diagnostic::Span;

/// Broadcasts a value, whose dimension `i` becomes dimension `dims[i]` of the result; returns the text after the shape. HLO does
/// not broadcast dimensions of size 1: a reshape removes them first. `None` if `dims` has another rank than the value.
fn broadcast_text(
    body: &mut Body<'_, '_>,
    value: &Value<'_, '_>,
    dims: &[i64],
    to: &Type,
    span: Span,
) -> Option<String> {
    let (from, to) = (value.ty.sizes(), to.sizes());
    if from.len() != dims.len() {
        return None;
    }
    let target = |dim: i64| usize::try_from(dim).ok().and_then(|dim| to.get(dim)).copied();
    let is_kept = |size: i64, dim: i64| size != 1 || target(dim).is_none_or(|size| size == 1);
    let kept: Vec<(i64, i64)> =
        from.iter().copied().zip(dims.iter().copied()).filter(|(size, dim)| is_kept(*size, *dim)).collect();
    let mut name = value.name.clone();
    if kept.len() < from.len() {
        let sizes: Vec<i64> = kept.iter().map(|(size, _)| *size).collect();
        name = body.line("reshape", &value.ty.with_sizes(&sizes).shape(), &format!("reshape({name})"), span);
    }
    let dims: Vec<i64> = kept.iter().map(|(_, dim)| *dim).collect();
    Some(format!("broadcast({name}), dimensions={}", braces(&dims)))
}

impl<'a, 's> Translator<'a, 's> {
    pub(super) fn broadcast_in_dim(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        // The second operand of the dynamic form is the shape, which the result has.
        let (Some(dims), [operand, ..], [ty]) =
            (list(op, "broadcast_dimensions"), &operands[..], &op.types[..])
        else {
            return self.malformed(op, "broadcast_dimensions");
        };
        let Some(text) = broadcast_text(body, operand, &dims, ty, op.span) else {
            return self.malformed(op, "broadcast_dimensions");
        };
        self.emit(body, op, &text)
    }

    pub(super) fn broadcast(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let (Some(sizes), [operand]) = (list(op, "broadcast_sizes"), &operands[..]) else {
            return self.malformed(op, "broadcast_sizes");
        };
        let dims: Vec<i64> = (0..).skip(sizes.len()).take(operand.ty.sizes().len()).collect();
        self.emit(body, op, &format!("broadcast({}), dimensions={}", operand.name, braces(&dims)))
    }

    /// `chlo.broadcast_add` and its like: broadcasts the operands to the sizes of the result as `NumPy` does, or that of lower rank
    /// along `broadcast_dimensions`, and translates the op `name` of the broadcast operands.
    pub(super) fn broadcasting_op(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        name: &'s str,
    ) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [result] = &op.types[..] else { return self.malformed(op, "type") };
        let rank = result.sizes().len();
        let mut broadcast = Vec::new();
        for operand in &operands {
            if operand.ty.sizes() == result.sizes() {
                broadcast.push(operand.clone());
                continue;
            }
            let operand_rank = operand.ty.sizes().len();
            let trailing = || (0..).skip(rank.saturating_sub(operand_rank)).take(operand_rank).collect();
            let written = list(op, "broadcast_dimensions").filter(|dims| dims.len() == operand_rank);
            let dims: Vec<i64> = written.unwrap_or_else(trailing);
            let ty = operand.ty.with_sizes(&result.sizes());
            let Some(text) = broadcast_text(body, operand, &dims, &ty, op.span) else {
                return self.malformed(op, "broadcast_dimensions");
            };
            let line = body.line("broadcast", &ty.shape(), &text, op.span);
            broadcast.push(Value::new(line, ty));
        }
        // While the op is translated, its operands are those that were broadcast.
        let saved: Vec<_> = op
            .operands
            .iter()
            .map(|operand| (operand.name, body.values.get(operand.name).cloned()))
            .collect();
        for (operand, value) in op.operands.iter().zip(broadcast) {
            let mut values = body.values.get(operand.name).cloned().unwrap_or_default();
            if let Some(slot) = values.get_mut(operand.index) {
                *slot = value;
            }
            body.values.insert(operand.name, values);
        }
        let translated = self.hlo_dialect_op(body, op, name);
        for (name, values) in saved {
            if let Some(values) = values
                && !op.results.iter().any(|(result, _)| *result == name)
            {
                body.values.insert(name, values);
            }
        }
        translated
    }

    /// `chlo.constant_like`: a constant of the sizes of its operand.
    pub(super) fn constant_like(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let (Some(Attr::Word(value)), [ty]) = (op.attr("value"), &op.types[..]) else {
            return self.malformed(op, "value");
        };
        let is_complex = ty.element().is_some_and(ElementType::is_complex);
        let element = ty.element().filter(|_| !is_complex);
        let Some(number) = element.and_then(|element| super::literal::number(value, element)) else {
            return self.malformed(op, "value");
        };
        let scalar = ty.with_sizes(&[]).shape();
        let name = body.line("constant", &scalar, &format!("constant({number})"), op.span);
        self.emit(body, op, &format!("broadcast({name}), dimensions={{}}"))
    }
}
