//! Manual regions (`sdy.manual_computation`, which `shard_map` lowers to, and `SPMDFullToShardShape`), expanded for all devices
//! in one module: a value inside has one HLO instruction per device, an op is translated once per device, and a collective
//! becomes slices, concatenations and maps ([`super::per_device`]).

use super::collectives::{Collective, collective};
use super::per_device::{
    assemble_shards, device_values, expand_collective, per_device_value, split_into_shards,
};
use super::sharding::{MAX_DEVICES, parse_hlo_sharding, parse_sdy_shardings};
use super::{Body, Translator, Value, captured};
use crate::ast::{Attr, Op, Type, Use};
use xla_array::ElementType;
use xla_messages::i18n::Message;

/// Maximum number of ops that inlined functions add to a module: nested calls could multiply them without bound.
const MAX_INLINED_OPS: usize = 1 << 14;

impl<'a, 's> Translator<'a, 's> {
    /// Translates an op, once per device if it depends on the device. `None` if it was rejected, which is reported.
    pub(super) fn op(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let target = match op.attr("call_target_name") {
            Some(Attr::Symbol(target) | Attr::String(target)) if op.is("custom_call") => *target,
            _ => "",
        };
        match (op.name, target) {
            ("sdy.manual_computation", _) => return self.manual_computation(body, op),
            ("sdy.named_computation", _) => return self.named_computation(body, op),
            (_, "SPMDFullToShardShape") => return self.full_to_shard_shape(body, op),
            (_, "SPMDShardToFullShape") => return self.shard_to_full_shape(body, op),
            _ => {}
        }
        let used = self.per_device_uses(body, op);
        if used.is_empty() && !(self.partitions > 1 && self.depends_on_device(op)) {
            return self.op_on_one_device(body, op);
        }
        let device_count = used
            .first()
            .and_then(|used| self.bound_value(body, used)?.per_device.map(|values| values.len()))
            .or(usize::try_from(self.partitions).ok())?;
        if target == "Sharding" || matches!(op.name, "sdy.sharding_constraint" | "sdy.reshard") {
            let operands = self.operands(body, op)?;
            return self.bind(body, op, operands);
        }
        if op.is("partition_id") {
            return self.partition_id(body, op, device_count);
        }
        if let Some(collective) = collective(op) {
            return self.expand_collective(body, op, &collective, device_count);
        }
        if op.is("while") && self.depends_on_device(op) {
            return self.per_device_loop(body, op, device_count);
        }
        if self.depends_on_device(op) {
            let Some(Attr::Symbol(callee)) = op.attr("callee") else {
                let message = Message::stablehlo("stablehlo-device-control").with("op", op.name);
                return self.reject(op, message, Some("stablehlo-hint-one-device"));
            };
            return self.inline(body, op, callee);
        }
        self.once_per_device(body, op, &used, device_count)
    }

    /// The operands and captured values that differ between devices.
    fn per_device_uses(&self, body: &Body<'a, 's>, op: &Op<'s>) -> Vec<Use<'s>> {
        if !body.has_per_device_values {
            return Vec::new();
        }
        let mut used = op.operands.clone();
        used.extend(captured(&op.regions));
        used.retain(|used| self.bound_value(body, used).is_some_and(|value| value.per_device.is_some()));
        used
    }

    /// The value that a name is bound to; unlike `lookup`, reports no error.
    #[allow(clippy::unused_self, reason = "a method, as `lookup`")]
    pub(super) fn bound_value(&self, body: &Body<'a, 's>, used: &Use<'s>) -> Option<Value<'a, 's>> {
        body.values.get(used.name)?.get(used.index).cloned()
    }

    /// Whether an op, or an op in its regions or its callee, is a collective or `partition_id`.
    pub(super) fn depends_on_device(&mut self, op: &'a Op<'s>) -> bool {
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
        // Ends the search in recursive functions, which are rejected elsewhere.
        self.device_functions.insert(callee, false);
        let module = self.module;
        let function = module.functions.iter().find(|known| known.name == *callee);
        let found =
            function.is_some_and(|function| function.body.ops.iter().any(|op| self.depends_on_device(op)));
        self.device_functions.insert(callee, found);
        found
    }

    /// Translates an op once per device, with the values of that device bound to the names that it uses.
    fn once_per_device(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        used: &[Use<'s>],
        device_count: usize,
    ) -> Option<()> {
        let saved: Vec<(Use<'s>, Value<'a, 's>)> =
            used.iter().filter_map(|used| Some((*used, self.bound_value(body, used)?))).collect();
        let set = |body: &mut Body<'a, 's>, used: &Use<'s>, value: Value<'a, 's>| {
            if let Some(slot) = body.values.get_mut(used.name).and_then(|slots| slots.get_mut(used.index)) {
                *slot = value;
            }
        };
        let mut results: Vec<Vec<Value<'a, 's>>> = Vec::new();
        let mut outcome = Some(());
        for device in 0..device_count {
            for (used, value) in &saved {
                let on_device =
                    value.per_device.as_ref().and_then(|values| values.get(device)).unwrap_or(value);
                set(body, used, Value { per_device: None, ..on_device.clone() });
            }
            outcome = self.op_on_one_device(body, op);
            if outcome.is_none() {
                break;
            }
            let device_results = op.results.iter().filter_map(|(name, _)| body.values.get(name)).flatten();
            results.push(device_results.cloned().collect());
        }
        for (used, value) in saved {
            set(body, &used, value);
        }
        outcome?;
        let result_count = results.first().map_or(0, Vec::len);
        let values = (0..result_count).map(|index| {
            let values = results.iter().filter_map(|device_results| device_results.get(index).cloned());
            per_device_value(values.collect())
        });
        let values = values.collect::<Option<Vec<_>>>()?;
        self.bind(body, op, values)
    }

    /// Inlines a called function, so that its collectives find the values of all devices.
    fn inline(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, callee: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let module = self.module;
        let Some(function) = module.functions.iter().find(|function| function.name == callee) else {
            let message = Message::stablehlo("stablehlo-callee").with("name", callee);
            return self.reject(op, message, None);
        };
        self.inlined_ops += function.body.ops.len();
        if self.inlined_ops > MAX_INLINED_OPS || function.body.arguments.len() != operands.len() {
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

    /// Expands `sdy.manual_computation`: splits the operands into shards, and assembles the results.
    fn manual_computation(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ranks: Vec<usize> = operands.iter().map(|value| value.ty.sizes().len()).collect();
        let result_ranks: Vec<usize> = op.types.iter().map(|ty| ty.sizes().len()).collect();
        let meshes = &self.module.meshes;
        let tilings = parse_sdy_shardings(op, "in_shardings", meshes, &ranks);
        let result_tilings = parse_sdy_shardings(op, "out_shardings", meshes, &result_ranks);
        let (Some(tilings), Some(result_tilings), [region]) = (tilings, result_tilings, &op.regions[..])
        else {
            return self.malformed(op, "in_shardings");
        };
        if region.arguments.len() != operands.len() {
            return self.malformed(op, "region");
        }
        body.has_per_device_values = true;
        for ((argument, value), tiling) in region.arguments.iter().zip(&operands).zip(&tilings) {
            let Some(shards) = split_into_shards(body, op, value, tiling, &argument.ty) else {
                return self.malformed(op, "in_shardings");
            };
            body.values.insert(argument.name, vec![shards]);
        }
        let partitions = self.partitions;
        let devices = tilings.iter().chain(&result_tilings).map(|tiling| tiling.device_tiles.len()).max();
        self.partitions = devices.and_then(|count| i64::try_from(count).ok()).unwrap_or(partitions);
        let results = self.with_nesting(op.span, |this| this.ops(body, &region.ops));
        self.partitions = partitions;
        let mut values = Vec::new();
        for ((value, tiling), ty) in results?.iter().zip(&result_tilings).zip(&op.types) {
            let Some(value) = assemble_shards(body, op, value, tiling, ty) else {
                return self.malformed(op, "out_shardings");
            };
            values.push(value);
        }
        self.bind(body, op, values)
    }

    /// Inlines `sdy.named_computation`.
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

    /// `SPMDFullToShardShape`: splits its operand into shards by the operand's sharding.
    fn full_to_shard_shape(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ([operand], [ty]) = (&operands[..], &op.types[..]) else { return self.malformed(op, "operands") };
        let rank = ty.sizes().len();
        let tiling = parse_hlo_sharding(operand.sharding.unwrap_or("{replicated}"), rank, self.partitions);
        body.has_per_device_values = true;
        let value = tiling.and_then(|tiling| split_into_shards(body, op, operand, &tiling, ty));
        let Some(value) = value else { return self.malformed(op, "mhlo.sharding") };
        self.bind(body, op, vec![value])
    }

    /// `SPMDShardToFullShape`: assembles the shards by the op's sharding.
    fn shard_to_full_shape(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ([operand], [ty]) = (&operands[..], &op.types[..]) else { return self.malformed(op, "operands") };
        let sharding = match op.attr("mhlo.sharding") {
            Some(Attr::String(text)) => *text,
            _ => "",
        };
        let tiling = parse_hlo_sharding(sharding, ty.sizes().len(), self.partitions);
        let value = tiling.and_then(|tiling| assemble_shards(body, op, operand, &tiling, ty));
        let Some(value) = value else { return self.malformed(op, "mhlo.sharding") };
        self.bind(body, op, vec![value])
    }

    /// `partition_id`: a constant for each device.
    fn partition_id(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, device_count: usize) -> Option<()> {
        if i64::try_from(device_count).ok().is_none_or(|count| count > MAX_DEVICES) {
            return self.malformed(op, "mhlo.num_partitions");
        }
        body.has_per_device_values = true;
        let ty = Type::Tensor(Vec::new(), ElementType::U32);
        let ids = (0..device_count).map(|device| {
            let name = body.line("partition", "u32[]", &format!("constant({device})"), op.span);
            Value::new(name, ty.clone())
        });
        let value = per_device_value(ids.collect())?;
        self.bind(body, op, vec![value])
    }

    /// Expands a collective, operand by operand.
    fn expand_collective(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        collective: &Collective,
        device_count: usize,
    ) -> Option<()> {
        let operands = self.operands(body, op)?;
        let exists = |device: &i64| usize::try_from(*device).is_ok_and(|device| device < device_count);
        if operands.len() != op.types.len() || !collective.groups.iter().flatten().all(exists) {
            return self.malformed(op, "replica_groups");
        }
        let reducer = match &op.regions[..] {
            [] => None,
            _ => self.bodies(body, op)?.first().cloned(),
        };
        let mut values = Vec::new();
        for (operand, ty) in operands.iter().zip(&op.types) {
            let operands = device_values(operand, device_count);
            let results = expand_collective(body, op, collective, &operands, ty, reducer.as_deref());
            let Some(value) = results.and_then(per_device_value) else {
                return self.malformed(op, "dimension");
            };
            values.push(value);
        }
        self.bind(body, op, values)
    }
}
