//! Start indices out of range. Current XLA clamps them so that the slice is inside its operand; in XLA 2017 the indices of a
//! slice wrap around, and an update is truncated.
//!
//! Slices and updates are recognized by their attributes and operands, not by opcode: a slice has `slice_sizes` or
//! `dynamic_slice_sizes`, an update has the operand `update`.

use xla_array::{Edition, Value};
use xla_experiment::run::FinishedRun;
use xla_hlo::InstructionId;
use xla_ops::{AttrValue, Data, Role, Source};

/// A start index at which the slice is not inside its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRangeStart {
    /// The index before it is clamped or wrapped.
    pub given: i64,
    /// The dimension of the operand that it indexes.
    pub dimension: usize,
    /// How XLA handles it.
    pub effect: OutOfRangeEffect,
}

/// How XLA handles a start index out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfRangeEffect {
    /// It uses this index instead.
    Clamped(i64),
    /// The indices of the slice wrap around, modulo this size.
    Wraps(i64),
    /// It reinterprets a negative index as this unsigned number, and indices wrap around, modulo this size.
    WrapsUnsigned(i128, i64),
    /// It drops the part of the update past the end.
    Truncated,
    /// It drops the whole update.
    Dropped,
}

/// The start indices of an output cell that are out of range.
pub fn out_of_range_starts(
    finished: &FinishedRun,
    id: InstructionId,
    sources: &[Source],
) -> Vec<OutOfRangeStart> {
    find(finished, id, sources).unwrap_or_default()
}

fn find(finished: &FinishedRun, id: InstructionId, sources: &[Source]) -> Option<Vec<OutOfRangeStart>> {
    let entry = finished.module().entry_computation()?;
    let instruction = entry.get(id)?;
    let sizes_of = |number: usize| {
        let shape = &entry.get(*instruction.operands.get(number)?)?.shape;
        Some(shape.as_array()?.dimensions.to_vec())
    };
    let ints = |name: &str| match instruction.attrs.get(name)? {
        AttrValue::Ints(numbers) => Some(numbers.to_vec()),
        _ => None,
    };
    let names = instruction.op?.meta().operands.fixed;
    let slice_sizes = ints("slice_sizes").or_else(|| ints("dynamic_slice_sizes"));
    // A scatter has updates too, but no start operands; it ignores updates out of range.
    let updates = || sizes_of(names.iter().position(|name| *name == "update")?);
    let (slice_sizes, operand_sizes) = (slice_sizes.or_else(updates)?, sizes_of(0)?);
    let dimensions = ints("start_index_map");
    let starts = sources.iter().filter(|source| source.role == Role::Start);
    let is_update = names.contains(&"update");
    let out_of_range = |(number, source): (usize, &Source)| {
        let dimension = match &dimensions {
            Some(map) => usize::try_from(*map.get(number)?).ok()?,
            None => number,
        };
        let value = finished.value(*instruction.operands.get(source.operand)?)?.part(&source.cell.path)?;
        let array = Data::as_array(value)?;
        let given = match array.get(&source.cell.index)? {
            Value::Int(given) => given,
            Value::Uint(given) => i64::try_from(given).unwrap_or(i64::MAX),
            _ => return None,
        };
        let size = *operand_sizes.get(dimension)?;
        let last = size.checked_sub(*slice_sizes.get(dimension)?)?.max(0);
        let effect = match finished.edition() {
            Edition::Current => OutOfRangeEffect::Clamped(given.clamp(0, last)),
            Edition::V2017 if is_update && (0..size).contains(&given) => OutOfRangeEffect::Truncated,
            Edition::V2017 if is_update => OutOfRangeEffect::Dropped,
            Edition::V2017 if given < 0 => {
                let modulus = 1_i128 << array.shape().element_type.bits();
                OutOfRangeEffect::WrapsUnsigned(i128::from(given) + modulus, size)
            }
            Edition::V2017 => OutOfRangeEffect::Wraps(size),
        };
        (!(0..=last).contains(&given)).then_some(OutOfRangeStart { given, dimension, effect })
    };
    Some(starts.enumerate().filter_map(out_of_range).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::Experiment;
    use xla_hlo::Limits;
    use xla_hlo::parser::parse_edition;
    use xla_ops::CellAt;

    fn starts_in(edition: Edition, text: &str, index: &[i64]) -> Vec<(i64, usize, OutOfRangeEffect)> {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(parse_edition(&source, edition).into_module().unwrap());
        let root = module.entry_computation().unwrap().root.unwrap();
        let experiment = Experiment { edition, ..Experiment::from_text(source) };
        let finished = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
        let sources = finished.sources(root, &CellAt::array(index)).unwrap();
        let found = out_of_range_starts(&finished, root, &sources);
        found.iter().map(|start| (start.given, start.dimension, start.effect)).collect()
    }

    fn clamped_starts(text: &str, index: &[i64]) -> Vec<(i64, i64, usize)> {
        let clamped = |(given, dimension, effect)| match effect {
            OutOfRangeEffect::Clamped(used) => (given, used, dimension),
            other => panic!("{other:?}"),
        };
        starts_in(Edition::Current, text, index).into_iter().map(clamped).collect()
    }

    #[test]
    fn the_start_of_a_slice_is_clamped() {
        let slice = |i: i64, j: i64| {
            let text = format!(
                "x = s32[4,3] iota(), iota_dimension=0 i = s32[] constant({i}) j = s32[] constant({j})
                 ROOT r = s32[2,2] dynamic-slice(x, i, j), dynamic_slice_sizes={{2,2}}"
            );
            clamped_starts(&text, &[0, 0])
        };
        assert_eq!(slice(2, 1), []);
        assert_eq!(slice(3, -1), [(3, 2, 0), (-1, 0, 1)]);
    }

    #[test]
    fn gather_starts_are_mapped_to_operand_dimensions() {
        let text = "x = s32[3,2] constant({{1,2},{3,4},{5,6}}) i = s32[2] constant({1, 9})
            ROOT r = gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
            index_vector_dim=1, slice_sizes={1,2}";
        assert_eq!(clamped_starts(text, &[0, 0]), []);
        assert_eq!(clamped_starts(text, &[1, 0]), [(9, 2, 0)]);
    }

    #[test]
    fn in_2017_a_slice_wraps_around() {
        let slice = |start: i64| {
            let text = format!(
                "x = s32[5] constant({{0,1,2,3,4}}) i = s32[1] constant({{{start}}})
                 ROOT r = s32[2] dynamic-slice(x, i), dynamic_slice_sizes={{2}}"
            );
            starts_in(Edition::V2017, &text, &[0])
        };
        assert_eq!(slice(3), []);
        assert_eq!(slice(4), [(4, 0, OutOfRangeEffect::Wraps(5))]);
        assert_eq!(slice(7), [(7, 0, OutOfRangeEffect::Wraps(5))]);
        assert_eq!(slice(-1), [(-1, 0, OutOfRangeEffect::WrapsUnsigned((1 << 32) - 1, 5))]);
    }

    #[test]
    fn in_2017_an_update_is_truncated() {
        let update = |start: i64| {
            let text = format!(
                "x = s32[5] constant({{0,1,2,3,4}}) u = s32[2] constant({{8,9}}) i = s32[1] constant({{{start}}})
                 ROOT r = s32[5] dynamic-update-slice(x, u, i)"
            );
            starts_in(Edition::V2017, &text, &[4])
        };
        assert_eq!(update(3), []);
        assert_eq!(update(4), [(4, 0, OutOfRangeEffect::Truncated)]);
        assert_eq!(update(5), [(5, 0, OutOfRangeEffect::Dropped)]);
        assert_eq!(update(-1), [(-1, 0, OutOfRangeEffect::Dropped)]);
    }
}
