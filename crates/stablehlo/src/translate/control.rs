//! Ops with regions. An HLO computation accesses only its parameters: the values that a loop or a branch captures are passed to
//! it, and the bodies of reductions recompute captured constants.

use super::{Body, ComputationKind, Translator, Value, captured, names};
use crate::ast::{Op, Region, Type, Use, tuple_shape};
use xla_messages::i18n::Message;

impl<'a, 's> Translator<'a, 's> {
    /// Translates an op's regions to computations, with the regions' arguments as parameters.
    pub(super) fn bodies(&mut self, outer: &Body<'a, 's>, op: &'a Op<'s>) -> Option<Vec<String>> {
        op.regions.iter().map(|region| self.body(outer, op, region)).collect()
    }

    /// Translates the only region of an op to a computation; another number of regions is reported.
    pub(super) fn only_body(&mut self, outer: &Body<'a, 's>, op: &'a Op<'s>) -> Option<String> {
        let [region] = &op.regions[..] else { return self.malformed(op, "region") };
        self.body(outer, op, region)
    }

    /// Translates a region to a computation; captured constants are recomputed in it, other captures are errors.
    fn body(&mut self, outer: &Body<'a, 's>, op: &'a Op<'s>, region: &'a Region<'s>) -> Option<String> {
        self.with_nesting(op.span, |this| {
            let mut body = Body::default();
            for argument in &region.arguments {
                body.parameter(argument.name, &argument.ty, argument.span, "");
            }
            for capture in captured(std::slice::from_ref(region)) {
                let value = this.lookup(outer, &capture)?;
                let Some(definition) = value.constant else {
                    let message = Message::stablehlo("stablehlo-captured")
                        .with("op", op.name)
                        .with("name", capture.name);
                    this.report(capture.span, "stablehlo-captured", message);
                    return None;
                };
                this.op(&mut body, definition)?;
            }
            let results = this.ops(&mut body, &region.ops)?;
            let root = body.tuple_or_single(&results, op.span);
            Some(this.finish(body, "region", &root, op.span, ComputationKind::Called))
        })
    }

    /// Translates a region to a computation whose only parameter is the tuple of its arguments and captured values, `state`. The
    /// body of a loop gets the number of its loop-carried values: it returns the captured values after its results.
    fn tuple_region(
        &mut self,
        op: &'a Op<'s>,
        region: &'a Region<'s>,
        state: &[(&'s str, usize, Type)],
        loop_carried_count: Option<usize>,
    ) -> Option<String> {
        self.with_nesting(op.span, |this| {
            let mut body = Body::default();
            let types: Vec<Type> = state.iter().map(|(_, _, ty)| ty.clone()).collect();
            let shape = tuple_region_shape(&types);
            let parameter = body.line("state", &shape, "parameter(0)", op.span);
            let values = if let [only] = &types[..] {
                vec![Value::new(parameter, only.clone())]
            } else {
                body.elements(&parameter, &types, op.span)
            };
            for ((name, index, _), value) in state.iter().zip(&values) {
                // Results before `index` that are not captured are placeholders: the region does not use them.
                let results = body.values.entry(name).or_default();
                while results.len() <= *index {
                    results.push(value.clone());
                }
                if let Some(result) = results.get_mut(*index) {
                    *result = value.clone();
                }
            }
            let mut results = this.ops(&mut body, &region.ops)?;
            if let Some(count) = loop_carried_count {
                // A captured value is passed to the next iteration unchanged.
                results.extend(values.iter().skip(count).cloned());
            }
            let root = body.tuple_or_single(&results, op.span);
            Some(this.finish(body, "region", &root, op.span, ComputationKind::Called))
        })
    }

    pub(super) fn while_loop(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let mut operands = self.operands(body, op)?;
        let [condition, loop_body] = &op.regions[..] else { return self.malformed(op, "regions") };
        let count = operands.len();
        if condition.arguments.len() != count || loop_body.arguments.len() != count || op.types.len() != count
        {
            return self.malformed(op, "regions");
        }
        let captures = captured(&op.regions);
        let mut types = op.types.clone();
        let mut captured_state: Vec<(&'s str, usize, Type)> = Vec::new();
        for used in &captures {
            let value = self.lookup(body, used)?;
            types.push(value.ty.clone());
            captured_state.push((used.name, used.index, value.ty.clone()));
            operands.push(value);
        }
        let state = |region: &Region<'s>| -> Vec<(&'s str, usize, Type)> {
            let own = region.arguments.iter().map(|argument| (argument.name, 0, argument.ty.clone()));
            own.chain(captured_state.iter().cloned()).collect()
        };
        let (condition_state, body_state) = (state(condition), state(loop_body));
        let condition = self.tuple_region(op, condition, &condition_state, None)?;
        let loop_body = self.tuple_region(op, loop_body, &body_state, Some(count))?;
        let initial = body.tuple_or_single(&operands, op.span);
        let text = format!("while({initial}), condition={condition}, body={loop_body}");
        let name = self.instruction(body, op, &tuple_region_shape(&types), &text);
        let values = if let [only] = &types[..] {
            vec![Value::new(name, only.clone())]
        } else {
            body.elements(&name, &types, op.span)
        };
        self.bind(body, op, values.into_iter().take(count).collect())
    }

    /// `if` and `case`: the operand of each branch is the tuple of the values that it captures.
    pub(super) fn conditional(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let selector = self.operands(body, op)?;
        let (mut branches, mut operands) = (Vec::new(), names(&selector));
        for region in &op.regions {
            let used: Vec<Use<'s>> = captured(std::slice::from_ref(region));
            let mut values = Vec::new();
            for capture in &used {
                values.push(self.lookup(body, capture)?);
            }
            let state: Vec<(&'s str, usize, Type)> = used
                .iter()
                .zip(&values)
                .map(|(captured, value)| (captured.name, captured.index, value.ty.clone()))
                .collect();
            branches.push(self.tuple_region(op, region, &state, None)?);
            let operand = body.tuple_or_single(&values, op.span);
            operands.push_str(&format!(", {operand}"));
        }
        let computations = match &branches[..] {
            [on_true, on_false] if op.is("if") => {
                format!("true_computation={on_true}, false_computation={on_false}")
            }
            _ => format!("branch_computations={{{}}}", branches.join(", ")),
        };
        self.emit_tuple(body, op, &format!("conditional({operands}), {computations}"))
    }

    /// A call of a function.
    pub(super) fn call(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, callee: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let module = self.module;
        let Some(function) = module.functions.iter().find(|function| function.name == callee) else {
            let message = Message::stablehlo("stablehlo-callee").with("name", callee);
            return self.reject(op, message, None);
        };
        if function.result_count != op.types.len() {
            return self.malformed(op, "results");
        }
        let name = self.function(function, ComputationKind::Called)?;
        self.emit_tuple(body, op, &format!("call({}), to_apply={name}", names(&operands)))
    }
}

/// The shape of a region's only parameter: the only value's, or that of the tuple of all.
fn tuple_region_shape(types: &[Type]) -> String {
    if let [only] = types { only.shape() } else { tuple_shape(types) }
}
