//! Programs for several devices (`sdy.manual_computation`, `SPMDFullToShardShape`), computed for all of them by one module: a
//! value within has a lane for each device, ops are translated for each lane, and collectives combine lanes.

use super::collectives::{Collective, collective};
use super::lanes::{combined, lanes, of_lanes, shards, whole};
use super::sharding::{MAX_DEVICES, of_hlo, of_mesh};
use super::{Body, ComputationKind, Translator, Value, captured};
use crate::ast::{Attr, Op, Region, Type, Use, tuple_shape};
use xla_array::ElementType;
use xla_messages::i18n::Message;

/// Bound on the ops of functions that are written in place of their calls.
const MAX_INLINED: usize = 1 << 14;

impl<'a, 's> Translator<'a, 's> {
    /// Translates an op, for each device if it depends on the device. `None` if it was refused, which is reported.
    pub(super) fn op(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let target = match op.attr("call_target_name") {
            Some(Attr::Symbol(target) | Attr::String(target)) if op.is("custom_call") => *target,
            _ => "",
        };
        match (op.name, target) {
            ("sdy.manual_computation", _) => return self.manual_computation(body, op),
            ("sdy.named_computation", _) => return self.named_computation(body, op),
            (_, "SPMDFullToShardShape") => return self.divide(body, op),
            (_, "SPMDShardToFullShape") => return self.reassemble(body, op),
            _ => {}
        }
        let used = self.with_lanes(body, op);
        if used.is_empty() && !(self.partitions > 1 && self.depends_on_device(op)) {
            return self.on_one_device(body, op);
        }
        let count = used
            .first()
            .and_then(|used| self.found(body, used)?.lanes.map(|lanes| lanes.len()))
            .or(usize::try_from(self.partitions).ok())?;
        if target == "Sharding" || matches!(op.name, "sdy.sharding_constraint" | "sdy.reshard") {
            let operands = self.operands(body, op)?;
            return self.bind(body, op, operands);
        }
        if op.is("partition_id") {
            return self.partition_numbers(body, op, count);
        }
        if let Some(collective) = collective(op) {
            return self.combine(body, op, &collective, count);
        }
        if op.is("while") && self.depends_on_device(op) {
            return self.loop_of_devices(body, op, count);
        }
        if self.depends_on_device(op) {
            let Some(Attr::Symbol(callee)) = op.attr("callee") else {
                let message = Message::stablehlo("stablehlo-device-control").with("op", op.name);
                return self.reject(op, message, Some("stablehlo-hint-one-device"));
            };
            return self.inline(body, op, callee);
        }
        self.on_each_device(body, op, &used, count)
    }

    /// The operands and captured values that have lanes.
    fn with_lanes(&self, body: &Body<'a, 's>, op: &Op<'s>) -> Vec<Use<'s>> {
        if !body.has_lanes {
            return Vec::new();
        }
        let mut used = op.operands.clone();
        used.extend(captured(&op.regions));
        used.retain(|used| self.found(body, used).is_some_and(|value| value.lanes.is_some()));
        used
    }

    #[allow(clippy::unused_self, reason = "a method, as `lookup`")]
    fn found(&self, body: &Body<'a, 's>, used: &Use<'s>) -> Option<Value<'a, 's>> {
        body.values.get(used.name)?.get(used.index).cloned()
    }

    /// Whether an op or what it calls is a collective or asks for the device's number.
    fn depends_on_device(&mut self, op: &'a Op<'s>) -> bool {
        if op.is("partition_id") || collective(op).is_some() {
            return true;
        }
        if op.regions.iter().any(|region| region.ops.iter().any(|op| self.depends_on_device(op))) {
            return true;
        }
        let Some(Attr::Symbol(callee)) = op.attr("callee") else { return false };
        if let Some(known) = self.device_functions.get(callee) {
            return *known;
        }
        self.device_functions.insert(callee, false);
        let module = self.module;
        let function = module.functions.iter().find(|known| known.name == *callee);
        let found =
            function.is_some_and(|function| function.body.ops.iter().any(|op| self.depends_on_device(op)));
        self.device_functions.insert(callee, found);
        found
    }

    /// The op for each lane of what it uses.
    fn on_each_device(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        used: &[Use<'s>],
        count: usize,
    ) -> Option<()> {
        let before: Vec<(Use<'s>, Value<'a, 's>)> =
            used.iter().filter_map(|used| Some((*used, self.found(body, used)?))).collect();
        let set = |body: &mut Body<'a, 's>, used: &Use<'s>, value: Value<'a, 's>| {
            if let Some(slot) = body.values.get_mut(used.name).and_then(|slots| slots.get_mut(used.index)) {
                *slot = value;
            }
        };
        let mut results: Vec<Vec<Value<'a, 's>>> = Vec::new();
        let mut done = Some(());
        for device in 0..count {
            for (used, value) in &before {
                let lane = value.lanes.as_ref().and_then(|lanes| lanes.get(device)).unwrap_or(value);
                set(body, used, Value { lanes: None, ..lane.clone() });
            }
            done = self.on_one_device(body, op);
            if done.is_none() {
                break;
            }
            let of_device = op.results.iter().filter_map(|(name, _)| body.values.get(name)).flatten();
            results.push(of_device.cloned().collect());
        }
        for (used, value) in before {
            set(body, &used, value);
        }
        done?;
        let number = results.first().map_or(0, Vec::len);
        let values = (0..number)
            .map(|at| of_lanes(results.iter().filter_map(|of_device| of_device.get(at).cloned()).collect()));
        let values = values.collect::<Option<Vec<_>>>()?;
        self.bind(body, op, values)
    }

    /// A function's ops in place of a call, so that its collectives see all lanes.
    fn inline(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, callee: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let module = self.module;
        let Some(function) = module.functions.iter().find(|function| function.name == callee) else {
            let message = Message::stablehlo("stablehlo-callee").with("name", callee);
            return self.reject(op, message, None);
        };
        self.inlined += function.body.ops.len();
        if self.inlined > MAX_INLINED || function.body.arguments.len() != operands.len() {
            let message = Message::stablehlo("stablehlo-device-control").with("op", op.name);
            return self.reject(op, message, Some("stablehlo-hint-one-device"));
        }
        let results = self.with_nesting(op.span, |this| {
            let outer = std::mem::take(&mut body.values);
            for (argument, value) in function.body.arguments.iter().zip(operands) {
                body.values.insert(argument.name, vec![value]);
            }
            let results = this.ops(body, &function.body.ops);
            body.values = outer;
            results
        })?;
        self.bind(body, op, results)
    }

    /// A loop that contains collectives: its state has the lanes of every value. All devices take the same number of iterations,
    /// so that the first one's condition counts.
    fn loop_of_devices(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, count: usize) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [condition, step] = &op.regions[..] else { return self.malformed(op, "regions") };
        let number = operands.len();
        if [condition.arguments.len(), step.arguments.len(), op.types.len()] != [number; 3] {
            return self.malformed(op, "regions");
        }
        let outside = captured(&op.regions);
        let mut state: Vec<Value<'a, 's>> = operands.iter().flat_map(|value| lanes(value, count)).collect();
        for used in &outside {
            state.extend(lanes(&self.lookup(body, used)?, count));
        }
        let types: Vec<Type> = state.iter().map(|value| value.ty.clone()).collect();
        let condition = self.region_of_devices(op, condition, &outside, &types, count, true)?;
        let step = self.region_of_devices(op, step, &outside, &types, count, false)?;
        let initial = body.tuple(&state, op.span);
        let text = format!("while({initial}), condition={condition}, body={step}");
        let name = self.instruction(body, op, &tuple_shape(&types), &text);
        let results = body.elements(&name, &types, op.span);
        let values = results.chunks(count).take(number).map(|lanes| of_lanes(lanes.to_vec()));
        let values = values.collect::<Option<Vec<_>>>()?;
        self.bind(body, op, values)
    }

    /// A region of a loop over the lanes of its arguments and of what it captures.
    fn region_of_devices(
        &mut self,
        op: &'a Op<'s>,
        region: &'a Region<'s>,
        outside: &[Use<'s>],
        types: &[Type],
        count: usize,
        is_condition: bool,
    ) -> Option<String> {
        self.with_nesting(op.span, |this| {
            let mut inner = Body { has_lanes: true, ..Body::default() };
            let parameter = inner.line("state", &tuple_shape(types), "parameter(0)", op.span);
            let values = inner.elements(&parameter, types, op.span);
            let mut states = values.chunks(count);
            for argument in &region.arguments {
                let value = of_lanes(states.next()?.to_vec())?;
                inner.values.insert(argument.name, vec![value]);
            }
            for used in outside {
                let value = of_lanes(states.next()?.to_vec())?;
                let slots = inner.values.entry(used.name).or_default();
                while slots.len() <= used.index {
                    slots.push(value.clone());
                }
                if let Some(slot) = slots.get_mut(used.index) {
                    *slot = value;
                }
            }
            let results = this.ops(&mut inner, &region.ops)?;
            let root = if is_condition {
                lanes(results.first()?, count).first()?.name.clone()
            } else {
                let mut next: Vec<Value<'a, 's>> =
                    results.iter().flat_map(|value| lanes(value, count)).collect();
                next.extend(values.iter().skip(next.len()).cloned());
                inner.tuple(&next, op.span)
            };
            Some(this.finish(inner, "region", &root, op.span, ComputationKind::Called))
        })
    }

    /// `sdy.manual_computation`.
    fn manual_computation(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ranks: Vec<usize> = operands.iter().map(|value| value.ty.sizes().len()).collect();
        let result_ranks: Vec<usize> = op.types.iter().map(|ty| ty.sizes().len()).collect();
        let meshes = &self.module.meshes;
        let tilings = of_mesh(op, "in_shardings", meshes, &ranks);
        let result_tilings = of_mesh(op, "out_shardings", meshes, &result_ranks);
        let (Some(tilings), Some(result_tilings), [region]) = (tilings, result_tilings, &op.regions[..])
        else {
            return self.malformed(op, "in_shardings");
        };
        if region.arguments.len() != operands.len() {
            return self.malformed(op, "region");
        }
        body.has_lanes = true;
        for ((argument, value), tiling) in region.arguments.iter().zip(&operands).zip(&tilings) {
            let Some(shards) = shards(body, op, value, tiling, &argument.ty) else {
                return self.malformed(op, "in_shardings");
            };
            body.values.insert(argument.name, vec![shards]);
        }
        let partitions = self.partitions;
        let devices = tilings.iter().chain(&result_tilings).map(|tiling| tiling.parts.len()).max();
        self.partitions = devices.and_then(|count| i64::try_from(count).ok()).unwrap_or(partitions);
        let results = self.with_nesting(op.span, |this| this.ops(body, &region.ops));
        self.partitions = partitions;
        let mut values = Vec::new();
        for ((value, tiling), ty) in results?.iter().zip(&result_tilings).zip(&op.types) {
            let Some(value) = whole(body, op, value, tiling, ty) else {
                return self.malformed(op, "out_shardings");
            };
            values.push(value);
        }
        self.bind(body, op, values)
    }

    /// `sdy.named_computation`: its ops in place of it.
    fn named_computation(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [region] = &op.regions[..] else { return self.malformed(op, "region") };
        if region.arguments.len() != operands.len() {
            return self.malformed(op, "region");
        }
        for (argument, value) in region.arguments.iter().zip(operands) {
            body.values.insert(argument.name, vec![value]);
        }
        let results = self.with_nesting(op.span, |this| this.ops(body, &region.ops))?;
        self.bind(body, op, results)
    }

    /// `SPMDFullToShardShape`: the parts of an array by the sharding of its operand.
    fn divide(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ([operand], [ty]) = (&operands[..], &op.types[..]) else { return self.malformed(op, "operands") };
        let rank = ty.sizes().len();
        let tiling = of_hlo(operand.sharding.unwrap_or("{replicated}"), rank, self.partitions);
        body.has_lanes = true;
        let value = tiling.and_then(|tiling| shards(body, op, operand, &tiling, ty));
        let Some(value) = value else { return self.malformed(op, "mhlo.sharding") };
        self.bind(body, op, vec![value])
    }

    /// `SPMDShardToFullShape`: the array of the parts, by the op's sharding.
    fn reassemble(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ([operand], [ty]) = (&operands[..], &op.types[..]) else { return self.malformed(op, "operands") };
        let sharding = match op.attr("mhlo.sharding") {
            Some(Attr::String(text)) => *text,
            _ => "",
        };
        let tiling = of_hlo(sharding, ty.sizes().len(), self.partitions);
        let value = tiling.and_then(|tiling| whole(body, op, operand, &tiling, ty));
        let Some(value) = value else { return self.malformed(op, "mhlo.sharding") };
        self.bind(body, op, vec![value])
    }

    /// `partition_id`: a number for each device.
    fn partition_numbers(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, count: usize) -> Option<()> {
        if i64::try_from(count).ok().is_none_or(|count| count > MAX_DEVICES) {
            return self.malformed(op, "mhlo.num_partitions");
        }
        body.has_lanes = true;
        let ty = Type::Tensor(Vec::new(), ElementType::U32);
        let numbers = (0..count).map(|device| {
            let name = body.line("partition", "u32[]", &format!("constant({device})"), op.span);
            Value::new(name, ty.clone())
        });
        let value = of_lanes(numbers.collect())?;
        self.bind(body, op, vec![value])
    }

    /// A collective: the lanes of its groups, combined.
    fn combine(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        collective: &Collective,
        count: usize,
    ) -> Option<()> {
        let operands = self.operands(body, op)?;
        let known = |device: &i64| usize::try_from(*device).is_ok_and(|device| device < count);
        if operands.len() != op.types.len() || !collective.groups.iter().flatten().all(known) {
            return self.malformed(op, "replica_groups");
        }
        let reducer = match &op.regions[..] {
            [] => None,
            _ => self.bodies(body, op)?.first().cloned(),
        };
        let mut values = Vec::new();
        for (operand, ty) in operands.iter().zip(&op.types) {
            let sources = lanes(operand, count);
            let results = combined(body, op, collective, &sources, ty, reducer.as_deref());
            let Some(value) = results.and_then(of_lanes) else { return self.malformed(op, "dimension") };
            values.push(value);
        }
        self.bind(body, op, values)
    }
}
