//! Loops in manual regions that contain collectives or `partition_id`: each becomes one HLO loop, whose state has the
//! values of all devices.
//!
//! Devices may have different trip counts where no collective of the loop connects them. The loop then runs until the condition of
//! no device holds, and a device whose condition has failed keeps its state.

use std::collections::HashSet;

use super::per_device::{device_values, per_device_value};
use super::{Body, ComputationKind, Translator, Value, captured};
use crate::ast::{Op, Region, Type, Use, tuple_shape};
use xla_array::ElementType;
use xla_messages::i18n::Message;

/// The result of a computation whose parameter is the loop state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopComputation {
    /// The condition of device 0.
    Condition,
    /// A tuple of the conditions of all devices.
    Conditions,
    /// The next state.
    Body,
}

/// A loop with the values that it uses.
struct DeviceLoop<'a, 's> {
    op: &'a Op<'s>,
    condition: &'a Region<'s>,
    body: &'a Region<'s>,
    captures: Vec<Use<'s>>,
    /// The initial state: for each argument, then for each captured value, its values on all devices.
    state: Vec<Value<'a, 's>>,
    types: Vec<Type>,
    device_count: usize,
}

impl<'a, 's> Translator<'a, 's> {
    /// Translates a loop that depends on the device.
    pub(super) fn per_device_loop(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        device_count: usize,
    ) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [condition, loop_body] = &op.regions[..] else { return self.malformed(op, "regions") };
        let operand_count = operands.len();
        if [condition.arguments.len(), loop_body.arguments.len(), op.types.len()] != [operand_count; 3] {
            return self.malformed(op, "regions");
        }
        let captures = captured(&op.regions);
        let mut state: Vec<Value<'a, 's>> =
            operands.iter().flat_map(|value| device_values(value, device_count)).collect();
        for used in &captures {
            state.extend(device_values(&self.lookup(body, used)?, device_count));
        }
        let types = state.iter().map(|value| value.ty.clone()).collect();
        let device_loop = DeviceLoop { op, condition, body: loop_body, captures, state, types, device_count };
        let results = if self.has_divergent_condition(body, &device_loop, &operands) {
            self.divergent_loop(body, &device_loop, operand_count)?
        } else {
            let condition = self.loop_computation(&device_loop, LoopComputation::Condition)?;
            let loop_body = self.loop_computation(&device_loop, LoopComputation::Body)?;
            let initial = body.tuple(&device_loop.state, op.span);
            let text = format!("while({initial}), condition={condition}, body={loop_body}");
            let name = self.instruction(body, op, &tuple_shape(&device_loop.types), &text);
            body.elements(&name, &device_loop.types, op.span)
        };
        let values =
            results.chunks(device_count).take(operand_count).map(|values| per_device_value(values.to_vec()));
        let values = values.collect::<Option<Vec<_>>>()?;
        self.bind(body, op, values)
    }

    /// Emits a loop whose devices may have different trip counts; returns its final state. The HLO state is followed by a predicate
    /// per device: whether its condition has held in every iteration.
    fn divergent_loop(
        &mut self,
        body: &mut Body<'a, 's>,
        device_loop: &DeviceLoop<'a, 's>,
        operand_count: usize,
    ) -> Option<Vec<Value<'a, 's>>> {
        let DeviceLoop { op, state, types, device_count, .. } = device_loop;
        if types.iter().any(|ty| ty.element().is_none()) {
            let message = Message::stablehlo("stablehlo-device-control").with("op", op.name);
            return self.reject(op, message, Some("stablehlo-hint-one-device"));
        }
        let conditions = self.loop_computation(device_loop, LoopComputation::Conditions)?;
        let loop_body = self.loop_computation(device_loop, LoopComputation::Body)?;
        let predicate = Type::Tensor(Vec::new(), ElementType::Pred);
        let predicates = vec![predicate.clone(); *device_count];
        // Calls a computation whose parameter is the loop state.
        let call = |body: &mut Body<'a, 's>, state: &[Value<'a, 's>], results: &[Type], computation: &str| {
            let state = body.tuple(state, op.span);
            let text = format!("call({state}), to_apply={computation}");
            let called = body.line("call", &tuple_shape(results), &text, op.span);
            body.elements(&called, results, op.span)
        };
        let all_types: Vec<Type> = types.iter().chain(&predicates).cloned().collect();
        let all_shape = tuple_shape(&all_types);
        let parameters = |body: &mut Body<'a, 's>| {
            let parameter = body.line("state", &all_shape, "parameter(0)", op.span);
            let mut values = body.elements(&parameter, &all_types, op.span);
            let active = values.split_off(types.len());
            (values, active)
        };

        let mut any = Body::default();
        let (_, active) = parameters(&mut any);
        let mut is_any_active = String::new();
        for device in active {
            is_any_active = if is_any_active.is_empty() {
                device.name
            } else {
                any.line("any", "pred[]", &format!("or({is_any_active}, {})", device.name), op.span)
            };
        }
        let any = self.finish(any, "any_device", &is_any_active, op.span, ComputationKind::Called);

        let mut step = Body::default();
        let (before, active) = parameters(&mut step);
        let after = call(&mut step, &before, types, &loop_body);
        let mut next = Vec::with_capacity(all_types.len());
        // Captured values do not change.
        let changing = operand_count * device_count;
        for (slot, (old, new)) in before.into_iter().zip(after).enumerate() {
            let Some(predicate_of_device) = active.get(slot % device_count).filter(|_| slot < changing)
            else {
                next.push(old);
                continue;
            };
            let mut is_active = predicate_of_device.name.clone();
            if !old.ty.sizes().is_empty() {
                let ty = predicate.with_sizes(&old.ty.sizes());
                let text = format!("broadcast({is_active}), dimensions={{}}");
                is_active = step.line("active", &ty.shape(), &text, op.span);
            }
            let text = format!("select({is_active}, {}, {})", new.name, old.name);
            next.push(Value::new(step.line("select", &old.ty.shape(), &text, op.span), old.ty));
        }
        let held = call(&mut step, &next, &predicates, &conditions);
        for (device, held) in active.iter().zip(held) {
            let text = format!("and({}, {})", device.name, held.name);
            next.push(Value::new(step.line("active", "pred[]", &text, op.span), held.ty));
        }
        let root = step.tuple(&next, op.span);
        let step = self.finish(step, "device_step", &root, op.span, ComputationKind::Called);

        let mut initial = state.clone();
        initial.extend(call(body, state, &predicates, &conditions));
        let initial = body.tuple(&initial, op.span);
        let text = format!("while({initial}), condition={any}, body={step}");
        let name = self.instruction(body, op, &all_shape, &text);
        Some(body.elements(&name, types, op.span))
    }

    /// Translates the condition or body of a loop to a computation whose parameter is the loop state.
    fn loop_computation(
        &mut self,
        device_loop: &DeviceLoop<'a, 's>,
        computation: LoopComputation,
    ) -> Option<String> {
        let DeviceLoop { op, captures, types, device_count, .. } = device_loop;
        let region = match computation {
            LoopComputation::Body => device_loop.body,
            LoopComputation::Condition | LoopComputation::Conditions => device_loop.condition,
        };
        self.with_nesting(op.span, |this| {
            let mut inner = Body { has_per_device_values: true, ..Body::default() };
            let parameter = inner.line("state", &tuple_shape(types), "parameter(0)", op.span);
            let values = inner.elements(&parameter, types, op.span);
            let mut device_chunks = values.chunks(*device_count);
            for argument in &region.arguments {
                let value = per_device_value(device_chunks.next()?.to_vec())?;
                inner.values.insert(argument.name, vec![value]);
            }
            for used in captures {
                let value = per_device_value(device_chunks.next()?.to_vec())?;
                // Results of the same op with lower indices may not be captured; nothing reads their placeholders.
                let slots = inner.values.entry(used.name).or_default();
                while slots.len() <= used.index {
                    slots.push(value.clone());
                }
                if let Some(slot) = slots.get_mut(used.index) {
                    *slot = value;
                }
            }
            let results = this.ops(&mut inner, &region.ops)?;
            let first = || Some(device_values(results.first()?, *device_count));
            let root = match computation {
                LoopComputation::Condition => first()?.first()?.name.clone(),
                LoopComputation::Conditions => inner.tuple(&first()?, op.span),
                LoopComputation::Body => {
                    let mut next_state: Vec<Value<'a, 's>> =
                        results.iter().flat_map(|value| device_values(value, *device_count)).collect();
                    // Captured values do not change.
                    next_state.extend(values.iter().skip(next_state.len()).cloned());
                    inner.tuple(&next_state, op.span)
                }
            };
            Some(this.finish(inner, "region", &root, op.span, ComputationKind::Called))
        })
    }

    /// Whether the condition may differ between devices. Results of collectives count as different, although they may not be.
    fn has_divergent_condition(
        &mut self,
        body: &Body<'a, 's>,
        device_loop: &DeviceLoop<'a, 's>,
        operands: &[Value<'a, 's>],
    ) -> bool {
        let mut divergent: Vec<bool> = operands.iter().map(|value| value.per_device.is_some()).collect();
        // An argument diverges once the body's result for it does, which may take an iteration per argument to spread.
        loop {
            let results = self.divergent_results(body, device_loop.body, &divergent);
            let next: Vec<bool> =
                divergent.iter().zip(results).map(|(before, found)| *before || found).collect();
            if next == divergent {
                break;
            }
            divergent = next;
        }
        self.divergent_results(body, device_loop.condition, &divergent).contains(&true)
    }

    /// For each result of a region, whether it may differ between devices, by which of its arguments may.
    fn divergent_results(
        &mut self,
        body: &Body<'a, 's>,
        region: &'a Region<'s>,
        divergent_arguments: &[bool],
    ) -> Vec<bool> {
        let arguments = region.arguments.iter().zip(divergent_arguments);
        let mut divergent: HashSet<&str> =
            arguments.filter(|(_, is_divergent)| **is_divergent).map(|(argument, _)| argument.name).collect();
        for op in &region.ops {
            let is_divergent = |used: &Use<'s>| {
                divergent.contains(used.name)
                    || self.bound_value(body, used).is_some_and(|value| value.per_device.is_some())
            };
            if op.name.ends_with(".return") {
                return op.operands.iter().map(is_divergent).collect();
            }
            let uses_divergent =
                op.operands.iter().any(is_divergent) || captured(&op.regions).iter().any(is_divergent);
            if uses_divergent || self.depends_on_device(op) {
                divergent.extend(op.results.iter().map(|(name, _)| *name));
            }
        }
        Vec::new()
    }
}
