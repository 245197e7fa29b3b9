//! Traces the cells that a cell was computed from, through the instructions of its computation to the parameters, and the cells
//! that are computed from it.

use std::collections::{BTreeMap, BTreeSet};

use crate::array::index::Indices;
use crate::hlo::eval::tracer::Tracer;
use crate::hlo::{Computation, InstructionId, Outcome};
use crate::inspect::values::parts;
use crate::ops::CellAt;

/// Maximum cells of a chain.
const MAX_CELLS: usize = 1 << 13;

/// Maximum cells that are read to find the uses of a cell.
const MAX_READS: usize = 1 << 20;

/// Maximum cells of a value that is searched for uses.
const MAX_SEARCHED_CELLS: i64 = 1 << 12;

/// The cells of an instruction that belong to a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The instruction.
    pub id: InstructionId,
    /// The number of data-flow edges to the traced instruction, 0 for that itself.
    pub distance: u32,
    /// The cells, in the order in which they were found.
    pub cells: Vec<CellAt>,
}

/// A chain of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The instructions: the nearest first, then in the order of the text.
    pub traced: Vec<Traced>,
    /// Whether these are all cells: there were not too many, and every value was known.
    pub is_complete: bool,
}

/// Cells by instruction.
#[derive(Default)]
struct Found {
    instructions: BTreeMap<InstructionId, (u32, Vec<CellAt>, BTreeSet<CellAt>)>,
    count: usize,
}

impl Found {
    /// Adds a cell; returns whether it is new.
    fn add(&mut self, id: InstructionId, distance: u32, cell: &CellAt) -> bool {
        let (nearest, cells, known) =
            self.instructions.entry(id).or_insert_with(|| (distance, Vec::new(), BTreeSet::new()));
        *nearest = distance.min(*nearest);
        if !known.insert(cell.clone()) {
            return false;
        }
        cells.push(cell.clone());
        self.count += 1;
        true
    }

    fn has(&self, id: InstructionId, cell: &CellAt) -> bool {
        self.instructions.get(&id).is_some_and(|(_, _, known)| known.contains(cell))
    }

    fn distance(&self, id: InstructionId) -> Option<u32> {
        self.instructions.get(&id).map(|(distance, ..)| *distance)
    }

    fn chain(self, start: InstructionId, is_complete: bool) -> Chain {
        let others = self.instructions.into_iter().filter(|(id, _)| *id != start);
        let mut traced: Vec<Traced> =
            others.map(|(id, (distance, cells, _))| Traced { id, distance, cells }).collect();
        traced.sort_by_key(|traced| (traced.distance, traced.id));
        Chain { traced, is_complete }
    }
}

/// Traces the cells that a cell was computed from.
pub fn backward(
    tracer: &mut Tracer,
    computation: &Computation,
    start: InstructionId,
    cell: &CellAt,
) -> Chain {
    let mut found = Found::default();
    found.add(start, 0, cell);
    let mut pending = BTreeMap::from([(start, vec![cell.clone()])]);
    let mut is_complete = true;
    // Operands precede their users, so that all cells of an instruction are known when it is visited.
    while let Some((id, cells)) = pending.pop_last() {
        let Some(instruction) = computation.get(id) else { continue };
        let distance = found.distance(id).unwrap_or(0).saturating_add(1);
        for cell in cells {
            // The value of an operand is not known, or there are too many sources.
            let Ok(sources) = tracer.sources(id, &cell) else {
                is_complete = false;
                continue;
            };
            for source in sources {
                let Some(operand) = instruction.operands.get(source.operand) else { continue };
                if found.add(*operand, distance, &source.cell) {
                    pending.entry(*operand).or_default().push(source.cell);
                }
            }
            if found.count > MAX_CELLS {
                return found.chain(start, false);
            }
        }
    }
    found.chain(start, is_complete)
}

/// Traces the cells that are computed from a cell, in the values of later instructions.
pub fn forward(
    tracer: &mut Tracer,
    outcome: &Outcome,
    computation: &Computation,
    start: InstructionId,
    cell: &CellAt,
) -> Chain {
    let mut found = Found::default();
    found.add(start, 0, cell);
    let (mut is_complete, mut reads) = (true, 0);
    for (user, instruction) in computation.iter() {
        let nearest = instruction.operands.iter().filter_map(|operand| found.distance(*operand)).min();
        let Some(distance) = nearest.map(|distance| distance.saturating_add(1)) else { continue };
        let Some(value) = outcome.values.get(user) else { continue };
        for part in parts(value) {
            let sizes = &part.array.shape().dimensions;
            let elements = sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size));
            if elements.is_none_or(|elements| elements > MAX_SEARCHED_CELLS) {
                is_complete = false;
                continue;
            }
            let mut indices = Indices::row_major(sizes);
            while let Some(index) = indices.advance() {
                let output = CellAt { path: part.path.iter().copied().collect(), index: index.into() };
                let Ok(sources) = tracer.sources(user, &output) else {
                    is_complete = false;
                    break;
                };
                reads += sources.len() + 1;
                let is_use = sources.iter().any(|source| {
                    let operand = instruction.operands.get(source.operand);
                    operand.is_some_and(|operand| found.has(*operand, &source.cell))
                });
                if is_use {
                    found.add(user, distance, &output);
                }
                if reads > MAX_READS || found.count > MAX_CELLS {
                    return found.chain(start, false);
                }
            }
        }
    }
    found.chain(start, is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::{Evaluator, parse};

    const TEXT: &str = "HloModule m ENTRY e {
        x = f32[2,2] parameter(0)
        y = f32[2,2] transpose(x), dimensions={1,0}
        z = f32[2] slice(y), slice={[0:1],[0:2]}
        s = f32[2] reshape(z)
        a = f32[2] constant({1,2})
        ROOT r = f32[2] add(s, a) }";

    /// The chains of a cell of an instruction, as text.
    fn chains(name: &str, index: &[i64]) -> [Vec<String>; 2] {
        let text = TEXT.replace("z = f32[2] slice", "z = f32[1,2] slice");
        let module = parse(&text).into_module().unwrap();
        let entry = module.entry_computation().unwrap();
        let mut evaluator = Evaluator::new(&module);
        let argument = "f32[2,2] {{1,2},{3,4}}".parse().unwrap();
        let outcome = evaluator.run_with_values(&[argument]).unwrap();
        let id = entry.iter().find(|(_, i)| i.name == name).unwrap().0;
        let cell = CellAt { path: [].into_iter().collect(), index: index.into() };
        let mut tracer = evaluator.tracer(&outcome);
        let chains =
            [backward(&mut tracer, entry, id, &cell), forward(&mut tracer, &outcome, entry, id, &cell)];
        chains.map(|chain| {
            assert!(chain.is_complete);
            let text = |traced: &Traced| {
                let name = &entry.get(traced.id).unwrap().name;
                let cells: Vec<_> = traced.cells.iter().map(|cell| cell.index.to_vec()).collect();
                format!("{}{cells:?} {}", name, traced.distance)
            };
            chain.traced.iter().map(text).collect()
        })
    }

    #[test]
    fn a_chain_leads_back_to_the_parameter_and_on_to_the_result() {
        let [back, on] = chains("r", &[1]);
        assert_eq!(back, ["s[[1]] 1", "a[[1]] 1", "z[[0, 1]] 2", "y[[0, 1]] 3", "x[[1, 0]] 4"]);
        assert!(on.is_empty());
        let [back, on] = chains("x", &[1, 0]);
        assert!(back.is_empty());
        assert_eq!(on, ["y[[0, 1]] 1", "z[[0, 1]] 2", "s[[1]] 3", "r[[1]] 4"]);
        // Nothing reads the second row of the transpose.
        assert_eq!(chains("x", &[0, 1])[1], ["y[[1, 0]] 1"]);
    }
}
