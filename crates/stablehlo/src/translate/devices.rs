//! Programs for several devices (`sdy.manual_computation`, `SPMDFullToShardShape`), computed for all of them by one module: a value
//! within has a lane for each device, ops are translated for each lane, and collectives combine lanes.

use std::rc::Rc;

use super::collectives::{Collective, collective};
use super::fields::{braces, joined};
use super::sharding::{MAX_DEVICES, Tiling, of_hlo, of_mesh};
use super::{Body, Translator, Value, captured};
use crate::ast::{Attr, Op, Region, Type, Use, tuple_shape};
use xla_array::ElementType;
use xla_messages::i18n::Message;

/// Bound on the ops of functions that are written in place of their calls.
const MAX_INLINED: usize = 1 << 14;

/// The lanes of a value, which are the value itself if it is the same on every device.
fn lanes<'a, 's>(value: &Value<'a, 's>, count: usize) -> Vec<Value<'a, 's>> {
    value.lanes.as_ref().map_or_else(|| vec![value.clone(); count], |lanes| lanes.to_vec())
}

/// A value of lanes.
fn of_lanes<'a, 's>(lanes: Vec<Value<'a, 's>>) -> Option<Value<'a, 's>> {
    let first = lanes.first()?.clone();
    Some(Value { lanes: Some(Rc::from(lanes)), constant: None, ..first })
}

impl<'a, 's> Translator<'a, 's> {
    /// Translates an op, for each device if it depends on the device. `None` if it was refused, which is reported.
    pub(super) fn op(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let target = match op.attr("call_target_name") {
            Some(Attr::Symbol(target) | Attr::String(target)) if op.is("custom_call") => *target,
            _ => "",
        };
        match (op.name, target) {
            ("sdy.manual_computation", _) => return self.manual_computation(body, op),
            (_, "SPMDFullToShardShape") => return self.to_shards(body, op),
            (_, "SPMDShardToFullShape") => return self.to_whole(body, op),
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
        if target == "Sharding" || op.name == "sdy.sharding_constraint" {
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
                return self.refuse(op, message, Some("stablehlo-hint-one-device"));
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
        let values = (0..number).map(|at| {
            of_lanes(results.iter().filter_map(|of_device| of_device.get(at).cloned()).collect())
        });
        let values = values.collect::<Option<Vec<_>>>()?;
        self.bind(body, op, values)
    }

    /// A function's ops in place of a call, so that its collectives see all lanes.
    fn inline(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, callee: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let module = self.module;
        let Some(function) = module.functions.iter().find(|function| function.name == callee) else {
            let message = Message::stablehlo("stablehlo-callee").with("name", callee);
            return self.refuse(op, message, None);
        };
        self.inlined += function.body.ops.len();
        if self.inlined > MAX_INLINED || function.body.arguments.len() != operands.len() {
            let message = Message::stablehlo("stablehlo-device-control").with("op", op.name);
            return self.refuse(op, message, Some("stablehlo-hint-one-device"));
        }
        let results = self.deeper(op.span, |this| {
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
        let initial = body.root(&state, op.span, true);
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
        self.deeper(op.span, |this| {
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
                inner.root(&next, op.span, true)
            };
            Some(this.finish(inner, "region", &root, op.span, false))
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
        let (Some(tilings), Some(result_tilings), [region]) = (tilings, result_tilings, &op.regions[..]) else {
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
        let results = self.deeper(op.span, |this| this.ops(body, &region.ops));
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

    /// `SPMDFullToShardShape`: the parts of an array by the sharding of its operand.
    fn to_shards(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
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
    fn to_whole(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
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

/// A part of a dimension: a slice of an array.
fn part<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    starts: &[i64],
    sizes: &[i64],
) -> Value<'a, 's> {
    let ranges: Vec<String> =
        starts.iter().zip(sizes).map(|(start, size)| format!("[{start}:{}]", start + size)).collect();
    let ty = value.ty.with_sizes(sizes);
    let text = format!("slice({}), slice={{{}}}", value.name, ranges.join(", "));
    Value::new(body.line("shard", &ty.shape(), &text, op.span), ty)
}

/// The parts of an array that the devices have.
fn shards<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    tiling: &Tiling,
    ty: &Type,
) -> Option<Value<'a, 's>> {
    let sizes = ty.sizes();
    let fits = value.ty.sizes().iter().zip(sizes.iter().zip(&tiling.counts)).all(|(all, (size, count))| size.checked_mul(*count) == Some(*all));
    if !fits || value.ty.element() != ty.element() || value.ty.sizes().len() != sizes.len() {
        return None;
    }
    let mut lanes: Vec<Value<'a, 's>> = Vec::new();
    for (device, place) in tiling.parts.iter().enumerate() {
        let known = tiling.parts.iter().take(device).position(|other| other == place);
        let lane = match known.and_then(|known| lanes.get(known)) {
            Some(lane) => lane.clone(),
            None if tiling.counts.iter().all(|count| *count == 1) => value.clone(),
            None => {
                let starts: Vec<i64> = place.iter().zip(&sizes).map(|(part, size)| part * size).collect();
                part(body, op, value, &starts, &sizes)
            }
        };
        lanes.push(lane);
    }
    of_lanes(lanes)
}

/// The array of the parts.
fn whole<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    tiling: &Tiling,
    ty: &Type,
) -> Option<Value<'a, 's>> {
    let lanes = lanes(value, tiling.parts.len());
    if lanes.len() != tiling.parts.len() {
        return None;
    }
    let mut place = Vec::new();
    let mut value = assemble(body, op, &lanes, tiling, &mut place)?;
    value.lanes = None;
    (value.ty == *ty).then_some(value)
}

fn assemble<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    lanes: &[Value<'a, 's>],
    tiling: &Tiling,
    place: &mut Vec<i64>,
) -> Option<Value<'a, 's>> {
    let dimension = place.len();
    let Some(count) = tiling.counts.get(dimension) else {
        let device = tiling.parts.iter().position(|part| part == place)?;
        return lanes.get(device).cloned();
    };
    let mut parts = Vec::new();
    for at in 0..*count {
        place.push(at);
        let part = assemble(body, op, lanes, tiling, place);
        place.pop();
        parts.push(part?);
    }
    concatenated(body, op, parts, dimension)
}

/// Arrays joined in a dimension.
fn concatenated<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    parts: Vec<Value<'a, 's>>,
    dimension: usize,
) -> Option<Value<'a, 's>> {
    if let [only] = &parts[..] {
        return Some(only.clone());
    }
    let mut sizes = parts.first()?.ty.sizes();
    let joined = parts
        .iter()
        .try_fold(0_i64, |sum, part| sum.checked_add(part.ty.sizes().get(dimension).copied()?))?;
    *sizes.get_mut(dimension)? = joined;
    let ty = parts.first()?.ty.with_sizes(&sizes);
    let text = format!("concatenate({}), dimensions={{{dimension}}}", super::names(&parts));
    Some(Value::new(body.line("gathered", &ty.shape(), &text, op.span), ty))
}

/// An array of zeros.
fn zeros<'a, 's>(body: &mut Body<'a, 's>, op: &Op<'s>, ty: &Type) -> Value<'a, 's> {
    let zero = match ty.element() {
        Some(ElementType::Pred) => "false",
        Some(element) if element.is_complex() => "(0, 0)",
        _ => "0",
    };
    let scalar = body.line("constant", &ty.with_sizes(&[]).shape(), &format!("constant({zero})"), op.span);
    let text = format!("broadcast({scalar}), dimensions={}", braces(&[]));
    Value::new(body.line("zeros", &ty.shape(), &text, op.span), ty.clone())
}

/// The results of a collective on each device.
fn combined<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    collective: &Collective,
    sources: &[Value<'a, 's>],
    ty: &Type,
    reducer: Option<&str>,
) -> Option<Vec<Value<'a, 's>>> {
    let source = |device: i64| usize::try_from(device).ok().and_then(|device| sources.get(device)).cloned();
    let mut results: Vec<Option<Value<'a, 's>>> = vec![None; sources.len()];
    let mut set = |device: i64, value: Value<'a, 's>| {
        if let Some(slot) = usize::try_from(device).ok().and_then(|device| results.get_mut(device)) {
            *slot = Some(value);
        }
    };
    for group in &collective.groups {
        let members: Vec<Value<'a, 's>> = group.iter().map(|device| source(*device)).collect::<Option<_>>()?;
        match collective.name {
            "collective_permute" => {
                let [from, to] = group[..] else { return None };
                set(to, source(from)?);
            }
            "collective_broadcast" => {
                for device in group {
                    set(*device, members.first()?.clone());
                }
            }
            "all_gather" => {
                let gathered = concatenated(body, op, members, usize::try_from(collective.from).ok()?)?;
                for device in group {
                    set(*device, gathered.clone());
                }
            }
            "all_to_all" => {
                let (split, concat) = (usize::try_from(collective.from).ok()?, usize::try_from(collective.to).ok()?);
                for (rank, device) in (0..).zip(group) {
                    let mut parts = Vec::new();
                    for member in &members {
                        parts.push(share(body, op, member, split, rank, group.len())?);
                    }
                    set(*device, concatenated(body, op, parts, concat)?);
                }
            }
            _ => {
                let mut members = members.into_iter();
                let mut sum = members.next()?;
                for member in members {
                    let dims: Vec<i64> = (0..).take(sum.ty.sizes().len()).collect();
                    let text = format!(
                        "map({}, {}), dimensions={{{}}}, to_apply={}",
                        sum.name,
                        member.name,
                        joined(&dims, ","),
                        reducer?
                    );
                    sum = Value::new(body.line("all-reduce", &sum.ty.shape(), &text, op.span), sum.ty);
                }
                for (rank, device) in (0..).zip(group) {
                    let value = if collective.name == "reduce_scatter" {
                        share(body, op, &sum, usize::try_from(collective.from).ok()?, rank, group.len())?
                    } else {
                        sum.clone()
                    };
                    set(*device, value);
                }
            }
        }
    }
    let mut values = Vec::new();
    for result in results {
        // A device that receives nothing has zeros.
        let value = result.unwrap_or_else(|| zeros(body, op, ty));
        values.push((value.ty == *ty).then_some(value)?);
    }
    Some(values)
}

/// One of equal shares of a dimension.
fn share<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    dimension: usize,
    rank: i64,
    count: usize,
) -> Option<Value<'a, 's>> {
    let count = i64::try_from(count).ok()?;
    let mut sizes = value.ty.sizes();
    let size = sizes.get_mut(dimension)?;
    if count == 0 || *size % count != 0 {
        return None;
    }
    *size /= count;
    let mut starts = vec![0; sizes.len()];
    *starts.get_mut(dimension)? = rank * sizes.get(dimension)?;
    Some(part(body, op, value, &starts, &sizes))
}
