//! The parts that workers exchange.

use std::ops::Range;

use xla_hlo::eval::kernel::slice_mut;

use super::partition::Partition;
use crate::array::ValueId;
use crate::memory::Memory;

/// A value whose parts are exchanged.
#[derive(Clone, Debug)]
pub struct DividedValue {
    pub value: ValueId,
    pub partition: Partition,
    /// The bytes of an element.
    pub element_bytes: usize,
}

/// The values whose parts the workers exchange at the same time.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pub values: Vec<DividedValue>,
}

impl Exchange {
    /// The bytes of a worker's part.
    pub fn part_bytes(&self, worker: usize) -> usize {
        self.values
            .iter()
            .map(|divided| divided.partition.element_count(worker) * divided.element_bytes)
            .sum()
    }

    /// The value and the range of bytes that are a worker's whole part, if there is only one.
    pub fn adjacent_part(&self, worker: usize) -> Option<(ValueId, Range<usize>)> {
        let [DividedValue { value, partition, element_bytes }] = self.values.as_slice() else { return None };
        let mut runs = partition.runs(worker);
        let (Some(run), None) = (runs.next(), runs.next()) else { return None };
        Some((*value, run.start * element_bytes..run.end * element_bytes))
    }

    /// Appends the worker's part of each value, in order.
    pub fn pack(&self, worker: usize, memory: &Memory, part: &mut Vec<u8>) {
        for DividedValue { value, partition, element_bytes } in &self.values {
            let elements = memory.value_elements(*value);
            for run in partition.runs(worker) {
                part.extend(
                    elements
                        .as_bytes()
                        .get(run.start * element_bytes..run.end * element_bytes)
                        .unwrap_or(&[]),
                );
            }
        }
    }

    /// Writes the parts of another worker; `None` if their length is not [`Self::part_bytes`].
    pub fn unpack(&self, worker: usize, memory: &mut Memory, mut part: &[u8]) -> Option<()> {
        for DividedValue { value, partition, element_bytes } in &self.values {
            let mut buffer = memory.take(*value);
            let written = partition.runs(worker).try_for_each(|run| {
                let (from, rest) = part.split_at_checked(run.len() * element_bytes)?;
                let mut elements = slice_mut(&mut buffer);
                let to =
                    elements.as_bytes_mut().get_mut(run.start * element_bytes..run.end * element_bytes)?;
                to.copy_from_slice(from);
                part = rest;
                Some(())
            });
            memory.put(*value, buffer);
            written?;
        }
        part.is_empty().then_some(())
    }
}
