//! The values of a program on each of its devices: parts of arrays, arrays of parts, and what collectives make of them.

use std::rc::Rc;

use super::collectives::Collective;
use super::fields::{braces, joined};
use super::sharding::Tiling;
use super::{Body, Value};
use crate::ast::{Op, Type};
use xla_array::ElementType;

/// The lanes of a value, which are the value itself if it is the same on every device.
pub(super) fn lanes<'a, 's>(value: &Value<'a, 's>, count: usize) -> Vec<Value<'a, 's>> {
    value.lanes.as_ref().map_or_else(|| vec![value.clone(); count], |lanes| lanes.to_vec())
}

/// A value of lanes.
pub(super) fn of_lanes<'a, 's>(lanes: Vec<Value<'a, 's>>) -> Option<Value<'a, 's>> {
    let first = lanes.first()?.clone();
    Some(Value { lanes: Some(Rc::from(lanes)), constant: None, ..first })
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
pub(super) fn shards<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    value: &Value<'a, 's>,
    tiling: &Tiling,
    ty: &Type,
) -> Option<Value<'a, 's>> {
    let sizes = ty.sizes();
    let fits = value
        .ty
        .sizes()
        .iter()
        .zip(sizes.iter().zip(&tiling.counts))
        .all(|(all, (size, count))| size.checked_mul(*count) == Some(*all));
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
pub(super) fn whole<'a, 's>(
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
    concatenated(body, op, &parts, dimension)
}

/// Arrays joined in a dimension.
fn concatenated<'a, 's>(
    body: &mut Body<'a, 's>,
    op: &Op<'s>,
    parts: &[Value<'a, 's>],
    dimension: usize,
) -> Option<Value<'a, 's>> {
    if let [only] = parts {
        return Some(only.clone());
    }
    let mut sizes = parts.first()?.ty.sizes();
    let joined = parts
        .iter()
        .try_fold(0_i64, |sum, part| sum.checked_add(part.ty.sizes().get(dimension).copied()?))?;
    *sizes.get_mut(dimension)? = joined;
    let ty = parts.first()?.ty.with_sizes(&sizes);
    let text = format!("concatenate({}), dimensions={{{dimension}}}", super::names(parts));
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
pub(super) fn combined<'a, 's>(
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
        let members: Vec<Value<'a, 's>> =
            group.iter().map(|device| source(*device)).collect::<Option<_>>()?;
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
                let gathered = concatenated(body, op, &members, usize::try_from(collective.from).ok()?)?;
                for device in group {
                    set(*device, gathered.clone());
                }
            }
            "all_to_all" => {
                let (split, concat) =
                    (usize::try_from(collective.from).ok()?, usize::try_from(collective.to).ok()?);
                for (rank, device) in (0..).zip(group) {
                    let mut parts = Vec::new();
                    for member in &members {
                        parts.push(share(body, op, member, split, rank, group.len())?);
                    }
                    set(*device, concatenated(body, op, &parts, concat)?);
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
