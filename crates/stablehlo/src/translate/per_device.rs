//! Values that differ between devices: splitting an array into shards, assembling shards, and computing collectives.
//!
//! A manual region (`sdy.manual_computation`, which `shard_map` lowers to) and `SPMDFullToShardShape` are expanded for all
//! devices in one module: a value has one HLO instruction per device, and a collective becomes slices, concatenations and
//! maps of these. [`super::devices`] expands the ops.

use std::rc::Rc;

use super::collectives::Collective;
use super::fields::{braces, joined};
use super::sharding::Tiling;
use super::{Body, Value};
use crate::ast::{Op, Type};
use xla_array::ElementType;

/// One value per device; copies of `value` if it is the same on every device.
pub(super) fn device_values<'a, 's>(value: &Value<'a, 's>, device_count: usize) -> Vec<Value<'a, 's>> {
    value.per_device.as_ref().map_or_else(|| vec![value.clone(); device_count], |values| values.to_vec())
}

/// A value that differs between devices, from its value on each device. `None` without devices.
pub(super) fn per_device_value<'a, 's>(values: Vec<Value<'a, 's>>) -> Option<Value<'a, 's>> {
    let first = values.first()?.clone();
    Some(Value { per_device: Some(Rc::from(values)), constant: None, ..first })
}

/// Emits a slice of an array.
fn emit_slice<'a, 's>(
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

/// Splits an array into shards of type `shard_type`, one per device. Devices with the same tile share an instruction.
/// `None` if the shards do not divide the array evenly.
pub(super) fn split_into_shards<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    array: &Value<'a, 's>,
    tiling: &Tiling,
    shard_type: &Type,
) -> Option<Value<'a, 's>> {
    let shard_sizes = shard_type.sizes();
    let divides_evenly = array
        .ty
        .sizes()
        .iter()
        .zip(shard_sizes.iter().zip(&tiling.tile_counts))
        .all(|(size, (shard_size, tile_count))| shard_size.checked_mul(*tile_count) == Some(*size));
    if !divides_evenly
        || array.ty.element() != shard_type.element()
        || array.ty.sizes().len() != shard_sizes.len()
    {
        return None;
    }
    let mut shards: Vec<Value<'a, 's>> = Vec::new();
    for (device, tile) in tiling.device_tiles.iter().enumerate() {
        let same_tile = tiling.device_tiles.iter().take(device).position(|other| other == tile);
        let shard = match same_tile.and_then(|other_device| shards.get(other_device)) {
            Some(shard) => shard.clone(),
            None if tiling.tile_counts.iter().all(|count| *count == 1) => array.clone(),
            None => {
                let starts: Vec<i64> =
                    tile.iter().zip(&shard_sizes).map(|(index, size)| index * size).collect();
                emit_slice(body, op, array, &starts, &shard_sizes)
            }
        };
        shards.push(shard);
    }
    per_device_value(shards)
}

/// Assembles the shards of all devices into the array of type `array_type`. `None` if a tile is missing, or their array
/// has another type.
pub(super) fn assemble_shards<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    tiling: &Tiling,
    array_type: &Type,
) -> Option<Value<'a, 's>> {
    let shards = device_values(value, tiling.device_tiles.len());
    if shards.len() != tiling.device_tiles.len() {
        return None;
    }
    let mut array = assemble_tiles(body, op, &shards, tiling, &mut Vec::new())?;
    array.per_device = None;
    (array.ty == *array_type).then_some(array)
}

/// Concatenates the tiles whose indices start with `tile_prefix`, dimension by dimension.
fn assemble_tiles<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    shards: &[Value<'a, 's>],
    tiling: &Tiling,
    tile_prefix: &mut Vec<i64>,
) -> Option<Value<'a, 's>> {
    let dimension = tile_prefix.len();
    let Some(tile_count) = tiling.tile_counts.get(dimension) else {
        let device = tiling.device_tiles.iter().position(|tile| tile == tile_prefix)?;
        return shards.get(device).cloned();
    };
    let mut slabs = Vec::new();
    for index in 0..*tile_count {
        tile_prefix.push(index);
        let slab = assemble_tiles(body, op, shards, tiling, tile_prefix);
        tile_prefix.pop();
        slabs.push(slab?);
    }
    concatenate(body, op, &slabs, dimension)
}

/// Emits a concatenation of arrays; a single array remains as it is.
fn concatenate<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    arrays: &[Value<'a, 's>],
    dimension: usize,
) -> Option<Value<'a, 's>> {
    if let [only] = arrays {
        return Some(only.clone());
    }
    let mut sizes = arrays.first()?.ty.sizes();
    let total_size = arrays
        .iter()
        .try_fold(0_i64, |total, array| total.checked_add(array.ty.sizes().get(dimension).copied()?))?;
    *sizes.get_mut(dimension)? = total_size;
    let ty = arrays.first()?.ty.with_sizes(&sizes);
    let text = format!("concatenate({}), dimensions={{{dimension}}}", super::names(arrays));
    Some(Value::new(body.line("gathered", &ty.shape(), &text, op.span), ty))
}

/// Emits an array of zeros.
fn emit_zeros<'a, 's>(body: &mut Body<'a, 's>, op: &Op<'s>, ty: &Type) -> Value<'a, 's> {
    let zero = match ty.element() {
        Some(ElementType::Pred) => "false",
        Some(element) if element.is_complex() => "(0, 0)",
        _ => "0",
    };
    let scalar = body.line("constant", &ty.with_sizes(&[]).shape(), &format!("constant({zero})"), op.span);
    let text = format!("broadcast({scalar}), dimensions={}", braces(&[]));
    Value::new(body.line("zeros", &ty.shape(), &text, op.span), ty.clone())
}

/// Expands a collective for one operand into slices, concatenations and maps; returns the result on each device. `None`
/// if the operands do not fit the collective or its result type.
pub(super) fn expand_collective<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    collective: &Collective,
    operands: &[Value<'a, 's>],
    result_type: &Type,
    reducer: Option<&str>,
) -> Option<Vec<Value<'a, 's>>> {
    let operand_on =
        |device: i64| usize::try_from(device).ok().and_then(|device| operands.get(device)).cloned();
    let mut results: Vec<Option<Value<'a, 's>>> = vec![None; operands.len()];
    let mut set_result = |device: i64, value: Value<'a, 's>| {
        if let Some(slot) = usize::try_from(device).ok().and_then(|device| results.get_mut(device)) {
            *slot = Some(value);
        }
    };
    let dimension = || usize::try_from(collective.dimension).ok();
    for group in &collective.groups {
        let members: Vec<Value<'a, 's>> =
            group.iter().map(|device| operand_on(*device)).collect::<Option<_>>()?;
        match collective.name {
            "collective_permute" => {
                let [source, target] = group[..] else { return None };
                set_result(target, operand_on(source)?);
            }
            "collective_broadcast" => {
                for device in group {
                    set_result(*device, members.first()?.clone());
                }
            }
            "all_gather" => {
                let gathered = concatenate(body, op, &members, dimension()?)?;
                for device in group {
                    set_result(*device, gathered.clone());
                }
            }
            "all_to_all" => {
                let (split_dimension, concat_dimension) =
                    (dimension()?, usize::try_from(collective.concat_dimension).ok()?);
                for (position, device) in (0..).zip(group) {
                    let mut received = Vec::new();
                    for member in &members {
                        received.push(equal_slice(body, op, member, split_dimension, position, group.len())?);
                    }
                    set_result(*device, concatenate(body, op, &received, concat_dimension)?);
                }
            }
            // all_reduce, reduce_scatter
            _ => {
                let mut members = members.into_iter();
                let mut accumulator = members.next()?;
                for member in members {
                    let dims: Vec<i64> = (0..).take(accumulator.ty.sizes().len()).collect();
                    let text = format!(
                        "map({}, {}), dimensions={{{}}}, to_apply={}",
                        accumulator.name,
                        member.name,
                        joined(&dims, ","),
                        reducer?
                    );
                    let name = body.line("all-reduce", &accumulator.ty.shape(), &text, op.span);
                    accumulator = Value::new(name, accumulator.ty);
                }
                for (position, device) in (0..).zip(group) {
                    let value = if collective.name == "reduce_scatter" {
                        equal_slice(body, op, &accumulator, dimension()?, position, group.len())?
                    } else {
                        accumulator.clone()
                    };
                    set_result(*device, value);
                }
            }
        }
    }
    let mut values = Vec::new();
    for result in results {
        // A device that receives nothing has zeros.
        let value = result.unwrap_or_else(|| emit_zeros(body, op, result_type));
        values.push((value.ty == *result_type).then_some(value)?);
    }
    Some(values)
}

/// Emits slice number `position` of `slice_count` equal slices along a dimension. `None` if they are not equal.
fn equal_slice<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    dimension: usize,
    position: i64,
    slice_count: usize,
) -> Option<Value<'a, 's>> {
    let slice_count = i64::try_from(slice_count).ok()?;
    let mut sizes = value.ty.sizes();
    let size = sizes.get_mut(dimension)?;
    if slice_count == 0 || *size % slice_count != 0 {
        return None;
    }
    *size /= slice_count;
    let mut starts = vec![0; sizes.len()];
    *starts.get_mut(dimension)? = position * sizes.get(dimension)?;
    Some(emit_slice(body, op, value, &starts, &sizes))
}
