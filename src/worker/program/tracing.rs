//! Traces the cells that a cell was computed from, through the calls and the devices of a run to its parameters, and the cells of
//! the same call that are computed from it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::array::index::Indices;
use crate::hlo::{CallPath, Computation, InstructionId, LocatedCell, Tracer};
use crate::inspect::values::parts;
use crate::ops::{CellAt, HostSetup};

/// Maximum cells of a chain.
const MAX_CELLS: usize = 1 << 13;

/// Maximum cells that are read to find the sources or the uses of a cell.
const MAX_READS: usize = 1 << 20;

/// Maximum cells of a value that is searched for uses.
const MAX_SEARCHED_CELLS: i64 = 1 << 12;

/// An instruction in a call on a device. Ordered as a run executes them: what a call executes precedes the calling instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionOnDevice {
    /// The device.
    pub device: usize,
    /// The calls that lead to the instruction.
    pub path: CallPath,
    /// The instruction.
    pub id: InstructionId,
}

impl InstructionOnDevice {
    fn of(at: &LocatedCell) -> Self {
        Self { device: at.device, path: at.path.clone(), id: at.instruction }
    }

    fn steps(&self) -> impl Iterator<Item = (InstructionId, u64)> + '_ {
        self.path.iter().copied().chain([(self.id, u64::MAX)])
    }
}

impl Ord for InstructionOnDevice {
    fn cmp(&self, other: &Self) -> Ordering {
        self.steps().cmp(other.steps()).then(self.device.cmp(&other.device))
    }
}

impl PartialOrd for InstructionOnDevice {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The cells of an instruction that belong to a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The instruction.
    pub place: InstructionOnDevice,
    /// The number of data-flow edges to the traced instruction, 0 for that itself.
    pub distance: u32,
    /// The cells, in the order in which they were found.
    pub cells: Vec<CellAt>,
}

/// A chain of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The instructions: the nearest first, then in the order of execution.
    pub traced: Vec<Traced>,
    /// Whether these are all cells: there were not too many, and every value was known.
    pub is_complete: bool,
}

/// The tracers of the devices whose values are known, by the number of the device.
pub type Tracers<'t> = BTreeMap<usize, Tracer<'t>>;

/// Cells by instruction.
#[derive(Default)]
struct Found {
    instructions: BTreeMap<InstructionOnDevice, (u32, Vec<CellAt>, BTreeSet<CellAt>)>,
    count: usize,
}

impl Found {
    fn starting_at(start: &LocatedCell) -> Self {
        let mut found = Self::default();
        found.add(&InstructionOnDevice::of(start), 0, &start.cell);
        found
    }

    /// Adds a cell; returns whether it is new.
    fn add(&mut self, place: &InstructionOnDevice, distance: u32, cell: &CellAt) -> bool {
        let (nearest, cells, known) =
            self.instructions.entry(place.clone()).or_insert_with(|| (distance, Vec::new(), BTreeSet::new()));
        *nearest = distance.min(*nearest);
        if !known.insert(cell.clone()) {
            return false;
        }
        cells.push(cell.clone());
        self.count += 1;
        true
    }

    fn has(&self, at: &LocatedCell) -> bool {
        self.instructions
            .get(&InstructionOnDevice::of(at))
            .is_some_and(|(_, _, known)| known.contains(&at.cell))
    }

    fn distance(&self, place: &InstructionOnDevice) -> Option<u32> {
        self.instructions.get(place).map(|(distance, ..)| *distance)
    }

    fn chain(self, start: &LocatedCell, is_complete: bool) -> Chain {
        let start = InstructionOnDevice::of(start);
        let others = self.instructions.into_iter().filter(|(place, _)| *place != start);
        let mut traced: Vec<Traced> =
            others.map(|(place, (distance, cells, _))| Traced { place, distance, cells }).collect();
        traced.sort_by_key(|traced| traced.distance);
        Chain { traced, is_complete }
    }
}

/// Traces the cells that a cell was computed from.
pub fn backward(tracers: &mut Tracers, start: &LocatedCell) -> Chain {
    let mut found = Found::starting_at(start);
    let mut pending = BTreeMap::from([(InstructionOnDevice::of(start), vec![start.cell.clone()])]);
    let (mut is_complete, mut reads) = (true, 0);
    // Sources are executed before what is computed from them, so that all cells of an instruction are known when it is visited.
    while let Some((place, cells)) = pending.pop_last() {
        let Some(nearest) = found.distance(&place) else { continue };
        let Some(tracer) = tracers.get_mut(&place.device) else {
            is_complete = false;
            continue;
        };
        for cell in cells {
            let at =
                LocatedCell { device: place.device, path: place.path.clone(), instruction: place.id, cell };
            // The value of an operand is not known, or there are too many sources.
            let Ok(sources) = tracer.step_back(&at) else {
                is_complete = false;
                continue;
            };
            reads += sources.len();
            for source in sources {
                let of = InstructionOnDevice::of(&source);
                if found.add(&of, nearest.saturating_add(1), &source.cell) {
                    pending.entry(of).or_default().push(source.cell);
                }
            }
            if found.count > MAX_CELLS || reads > MAX_READS {
                return found.chain(start, false);
            }
        }
    }
    found.chain(start, is_complete)
}

/// Traces the cells that are computed from a cell, in the values of later instructions of its call; collectives pass them on to
/// other devices.
pub fn forward(tracers: &mut Tracers, computation: &Computation, start: &LocatedCell) -> Chain {
    let mut found = Found::starting_at(start);
    let (mut is_complete, mut reads) = (true, 0);
    let mut reached = BTreeSet::from([start.device]);
    for (user, instruction) in computation.iter() {
        let setup = instruction.op.map(|op| op.host_setup(&instruction.attrs, &instruction.shape));
        let exchanges = setup == Some(HostSetup::Devices);
        let place =
            |device: usize, id: InstructionId| InstructionOnDevice { device, path: start.path.clone(), id };
        let operand_places = |device: usize| instruction.operands.iter().map(move |id| place(device, *id));
        let distances = reached.iter().flat_map(|device| operand_places(*device));
        let Some(nearest) = distances.filter_map(|place| found.distance(&place)).min() else { continue };
        let devices: Vec<usize> =
            if exchanges { tracers.keys().copied().collect() } else { reached.iter().copied().collect() };
        for device in devices {
            let has_operand = || operand_places(device).any(|place| found.distance(&place).is_some());
            if !exchanges && !has_operand() {
                continue;
            }
            let Some(tracer) = tracers.get_mut(&device) else { continue };
            // The values of a large call are not kept: what is computed from the cell there is not known.
            let values = tracer.call_values(&start.path).ok();
            let Some(value) = values.and_then(|values| values.get(user).cloned()) else {
                is_complete = false;
                continue;
            };
            for part in parts(&value) {
                let sizes = &part.array.shape().dimensions;
                let elements = sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size));
                if elements.is_none_or(|elements| elements > MAX_SEARCHED_CELLS) {
                    is_complete = false;
                    continue;
                }
                let mut indices = Indices::row_major(sizes);
                while let Some(index) = indices.advance() {
                    let cell = CellAt { path: part.path.iter().copied().collect(), index: index.into() };
                    let output = LocatedCell { device, path: start.path.clone(), instruction: user, cell };
                    let Ok(sources) = tracer.sources_in_call(&output) else {
                        is_complete = false;
                        break;
                    };
                    reads += sources.len() + 1;
                    if sources.iter().any(|(_, source)| found.has(source)) {
                        found.add(&InstructionOnDevice::of(&output), nearest.saturating_add(1), &output.cell);
                        reached.insert(device);
                    }
                    if reads > MAX_READS || found.count > MAX_CELLS {
                        return found.chain(start, false);
                    }
                }
            }
        }
    }
    found.chain(start, is_complete)
}

#[cfg(test)]
mod tests;
