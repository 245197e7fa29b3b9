//! The arithmetic of an output cell that depends on several replicas: `out[0] = 1 + 11 + 21 = 33`.

use xla_array::ElementType;
use xla_experiment::run::FinishedRun;
use xla_hlo::{DeviceSource, InstructionId};
use xla_ops::{CellAt, Data};

use super::derivation::{Derivation, Part, delimiters, roles};

/// Bound on the numbers that are written; the others are only counted.
const MAX_LISTED_ENTRIES: usize = 12;

/// The derivation of a cell that depends on other replicas; `None` if it does not.
pub fn replica_derivation(
    finished: &FinishedRun,
    replica: usize,
    id: InstructionId,
    cell: &CellAt,
) -> Option<Derivation> {
    let sources = finished.sources_on_all_replicas(id, cell)?;
    if sources.iter().all(|source| source.device == replica) {
        return None;
    }
    let module = finished.module();
    let instruction = module.entry_computation()?.get(id)?;
    let array = |data: &Data, cell: &CellAt| -> Option<String> {
        let array = data.part(&cell.path)?.as_array()?;
        let element_type: ElementType = array.element_type();
        Some(array.get(&cell.index)?.short(element_type, 9))
    };
    let read = |(index, from): (usize, &DeviceSource)| {
        let operand = *instruction.operands.get(from.source.operand)?;
        let text = array(finished.value_on_replica(from.device, operand)?, &from.source.cell)?;
        Some(Part::Read { text, source: index, role: from.source.role })
    };
    let reads: Vec<Part> = sources.iter().enumerate().filter_map(read).collect();
    let (before, between, after) = delimiters(module, instruction, reads.len());
    let index = cell.index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let subscript = if index.is_empty() { String::new() } else { format!("[{index}]") };
    let mut parts = vec![Part::Plain(format!("out{subscript} = {before}"))];
    let count = reads.len();
    for (index, part) in reads.into_iter().take(MAX_LISTED_ENTRIES).enumerate() {
        if index > 0 {
            parts.push(Part::Plain(between.clone()));
        }
        parts.push(part);
    }
    if count > MAX_LISTED_ENTRIES {
        parts.push(Part::Plain(between));
        parts.push(Part::Omitted(count - MAX_LISTED_ENTRIES));
    }
    parts.push(Part::Plain(format!("{after} = ")));
    parts.push(Part::Result(array(finished.value_on_replica(replica, id)?, cell)?));
    let roles = roles(sources.iter().map(|from| from.source.role));
    Some(Derivation { parts, reads: sources.len(), roles, ..Derivation::default() })
}
