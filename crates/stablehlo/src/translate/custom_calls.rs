//! Supported custom calls, by target: shardings, assertions of `StableHLO`'s own tests, and `ApproxTopK`.

use super::fields::{integers, joined};
use super::ops::{has_no_attributes, opcode};
use super::{Body, ComputationKind, Translator, Value, names};
use crate::ast::{Attr, Op, Type};
use xla_array::ElementType;
use xla_messages::i18n::Message;

/// The integer of a key in a dictionary attribute.
fn dictionary_integer(op: &Op<'_>, dictionary: &str, name: &str) -> Option<i64> {
    let Some(Attr::Dict(fields)) = op.attr(dictionary) else { return None };
    let field = fields.iter().find(|field| field.name == name)?;
    integers(&field.value)?.first().copied()
}

/// The integer of a key in a custom call's backend configuration.
pub(super) fn backend_config_integer(op: &Op<'_>, name: &str) -> Option<i64> {
    dictionary_integer(op, "mhlo.backend_config", name)
}

impl<'a, 's> Translator<'a, 's> {
    pub(super) fn custom_call(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let Some(Attr::Symbol(target) | Attr::String(target)) = op.attr("call_target_name") else {
            return self.malformed(op, "call_target_name");
        };
        let target = *target;
        // The element type is the letter after the prefix: `lapack_spotrf_ffi`, or `lapack_spotrf` before the FFI.
        let routine = target.strip_prefix("lapack_").or_else(|| target.strip_prefix("blas_"));
        let function = routine.and_then(|rest| rest.strip_suffix("_ffi").unwrap_or(rest).get(1..));
        match (target, function) {
            ("Sharding", _) => self.sharding(body, op),
            // Assertions without results are omitted: the tests compare the values that they check.
            (_, _) if target.starts_with("check.") && op.types.is_empty() => Some(()),
            ("check.eq", _) => self.all_equal(body, op),
            ("ApproxTopK", _) => self.approximate_top_k(body, op),
            (_, Some("potrf")) => self.potrf(body, op),
            (_, Some("trsm")) => self.trsm(body, op),
            (_, Some("getrf")) => self.getrf(body, op),
            // Ops of MHLO that `StableHLO` lacks are written as calls.
            ("mhlo.topk", _) => {
                let largest = dictionary_integer(op, "mhlo.attributes", "largest") != Some(0);
                let Some(k) = dictionary_integer(op, "mhlo.attributes", "k") else {
                    return self.malformed(op, "k");
                };
                let operands = self.operands(body, op)?;
                self.emit_tuple(body, op, &format!("topk({}), k={k}, largest={largest}", names(&operands)))
            }
            _ if target.strip_prefix("mhlo.").is_some_and(has_no_attributes) => {
                let operands = self.operands(body, op)?;
                let opcode = opcode(target.strip_prefix("mhlo.").unwrap_or_default());
                self.emit_tuple(body, op, &format!("{opcode}({})", names(&operands)))
            }
            _ if target.starts_with("lapack_") || target.starts_with("blas_") => {
                let message = Message::stablehlo("stablehlo-lapack").with("name", target);
                self.reject(op, message, Some("stablehlo-hint-platform"))
            }
            _ => {
                let operands = self.operands(body, op)?;
                let text = format!("custom-call({}), custom_call_target=\"{target}\"", names(&operands));
                self.emit_tuple(body, op, &text)
            }
        }
    }

    /// `@Sharding`: its operand, annotated with the sharding by which `SPMDFullToShardShape` splits it.
    fn sharding(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        self.identity(body, op)?;
        let sharding = match op.attr("mhlo.sharding") {
            Some(Attr::String(text)) => Some(*text),
            _ => None,
        };
        for (name, _) in &op.results {
            for value in body.values.get_mut(name).into_iter().flatten() {
                value.sharding = sharding;
            }
        }
        Some(())
    }

    /// `check.eq`: whether all elements are equal; NaN equals NaN.
    fn all_equal(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [left, right] = &operands[..] else { return self.malformed(op, "operands") };
        let mask_type = left.ty.with_element(ElementType::Pred);
        let shape = mask_type.shape();
        let compare = |body: &mut Body<'a, 's>, a: &str, b: &str, direction: &str| {
            body.line("compare", &shape, &format!("compare({a}, {b}), direction={direction}"), op.span)
        };
        let equal = compare(body, &left.name, &right.name, "EQ");
        let left_nan = compare(body, &left.name, &left.name, "NE");
        let right_nan = compare(body, &right.name, &right.name, "NE");
        let both_nan = body.line("and", &shape, &format!("and({left_nan}, {right_nan})"), op.span);
        let equal = body.line("or", &shape, &format!("or({equal}, {both_nan})"), op.span);
        let yes = body.line("constant", "pred[]", "constant(true)", op.span);
        let reducer = self.scalar_reducer("and", "pred[]", op);
        let dims: Vec<i64> = (0..).take(mask_type.sizes().len()).collect();
        let dims = joined(&dims, ",");
        self.emit(body, op, &format!("reduce({equal}, {yes}), dimensions={{{dims}}}, to_apply={reducer}"))
    }

    /// Writes a reducer: a computation that applies one op to two scalars.
    pub(super) fn scalar_reducer(&mut self, opcode: &str, shape: &str, op: &Op<'s>) -> String {
        let mut inner = Body::default();
        let lhs = inner.line("lhs", shape, "parameter(0)", op.span);
        let rhs = inner.line("rhs", shape, "parameter(1)", op.span);
        let root = inner.line(opcode, shape, &format!("{opcode}({lhs}, {rhs})"), op.span);
        self.finish(inner, "region", &root, op.span, ComputationKind::Called)
    }

    /// `ApproxTopK`, computed exactly: sorts by its comparator, and slices the first elements.
    fn approximate_top_k(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let comparator = match op.attr("called_computations") {
            Some(Attr::List(items)) => match &items[..] {
                [Attr::Symbol(name)] => Some(*name),
                _ => None,
            },
            _ => None,
        };
        let module = self.module;
        let comparator =
            comparator.and_then(|name| module.functions.iter().find(|function| function.name == name));
        let dimension = backend_config_integer(op, "reduction_dim");
        let count = op.types.len();
        let (Some(comparator), Some(dimension), true) = (comparator, dimension, operands.len() == 2 * count)
        else {
            return self.malformed(op, "mhlo.backend_config");
        };
        let comparator = self.function(comparator, ComputationKind::Called)?;
        let sorted = operands.get(..count)?;
        let types: Vec<Type> = sorted.iter().map(|value| value.ty.clone()).collect();
        let shape = if let [only] = &types[..] { only.shape() } else { crate::ast::tuple_shape(&types) };
        let text = format!(
            "sort({}), dimensions={{{dimension}}}, is_stable=true, to_apply={comparator}",
            names(sorted)
        );
        let name = self.instruction(body, op, &shape, &text);
        let values = match &types[..] {
            [only] => vec![Value::new(name, only.clone())],
            _ => body.elements(&name, &types, op.span),
        };
        let mut results = Vec::new();
        for (value, ty) in values.iter().zip(&op.types) {
            let ranges: Vec<String> = ty.sizes().iter().map(|size| format!("[0:{size}]")).collect();
            let text = format!("slice({}), slice={{{}}}", value.name, ranges.join(", "));
            results.push(Value::new(body.line("slice", &ty.shape(), &text, op.span), ty.clone()));
        }
        self.bind(body, op, results)
    }
}
