//! Follows start indices back to the parameters of the entry computation.

use std::collections::BTreeMap;

use super::bound::Bound;
use super::slices::{int, ints, is_integral, start_operands};
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::ComputationId;

/// Maximum values that are visited; more than the start indices of a large program need.
const MAX_VISITS: usize = 1 << 18;

/// Maximum depth of the expression of a constant.
const MAX_CONSTANT_DEPTH: usize = 4;

/// An array in the value of an instruction: the path through its tuples, the last index first.
type Part = (ComputationId, InstructionId, Vec<usize>);

/// The bounds of the parameters of the entry computation that are arrays of start indices, by number.
pub(super) fn parameters(module: &Module) -> BTreeMap<usize, Bound> {
    let Some((entry, computation)) = module.entry.zip(module.entry_computation()) else {
        return BTreeMap::new();
    };
    let mut parameters = computation.parameters.iter().filter_map(|id| computation.get(*id));
    // Most programs have no integers as parameters.
    if !parameters.any(|parameter| is_integral(&parameter.shape)) {
        return BTreeMap::new();
    }
    let mut walk = Walk { module, callers: callers(module), bounds: BTreeMap::new(), worklist: Vec::new() };
    for (id, computation) in computations(module) {
        for instruction in &computation.instructions {
            for (position, bound) in start_operands(computation, instruction) {
                if let Some(operand) = instruction.operands.get(position) {
                    walk.push((id, *operand, Vec::new()), &bound);
                }
            }
        }
    }
    for _ in 0..MAX_VISITS {
        let Some(part) = walk.worklist.pop() else { break };
        walk.visit(&part);
    }
    let found = computation.parameters.iter().enumerate().filter_map(|(number, id)| {
        let is_array = is_integral(&computation.get(*id)?.shape);
        Some((number, walk.bounds.get(&(entry, *id, Vec::new())).filter(|_| is_array)?.clone()))
    });
    found.collect()
}

fn computations(module: &Module) -> impl Iterator<Item = (ComputationId, &Computation)> {
    (0..).map(ComputationId).zip(&module.computations)
}

/// The instructions that call each computation.
fn callers(module: &Module) -> BTreeMap<ComputationId, Vec<(ComputationId, InstructionId)>> {
    let mut callers: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (id, computation) in computations(module) {
        for (at, instruction) in computation.iter() {
            for callee in instruction.attrs.computations() {
                callers.entry(callee).or_default().push((id, at));
            }
        }
    }
    callers
}

/// Whether a value is a constant, or one that was only converted, reshaped or broadcast.
fn is_constant(computation: &Computation, id: InstructionId, depth: usize) -> bool {
    computation.get(id).is_some_and(|instruction| match instruction.opcode.as_str() {
        "constant" => true,
        "broadcast" | "convert" | "reshape" | "copy" if depth < MAX_CONSTANT_DEPTH => {
            instruction.operands.first().is_some_and(|operand| is_constant(computation, *operand, depth + 1))
        }
        _ => false,
    })
}

struct Walk<'m> {
    module: &'m Module,
    callers: BTreeMap<ComputationId, Vec<(ComputationId, InstructionId)>>,
    /// The bounds of the parts that were reached.
    bounds: BTreeMap<Part, Bound>,
    /// The parts whose bounds have become smaller.
    worklist: Vec<Part>,
}

impl Walk<'_> {
    /// Notes that a part is an array of start indices.
    fn push(&mut self, part: Part, bound: &Bound) {
        let known = self.bounds.get(&part);
        let bound = known.map_or_else(|| bound.clone(), |known| known.meet(bound));
        if known != Some(&bound) {
            self.bounds.insert(part.clone(), bound);
            self.worklist.push(part);
        }
    }

    fn push_some(&mut self, part: Option<Part>, bound: &Bound) {
        if let Some(part) = part {
            self.push(part, bound);
        }
    }

    /// Passes the bound of a part on to the parts that it is made from.
    fn visit(&mut self, part: &Part) {
        let module = self.module;
        let (id, at, path) = part;
        let Some(bound) = self.bounds.get(part).cloned() else { return };
        let Some(computation) = module.get(*id) else { return };
        let Some(instruction) = computation.get(*at) else { return };
        let operand =
            |position: usize, path: Vec<usize>| Some((*id, *instruction.operands.get(position)?, path));
        match instruction.opcode.as_str() {
            "parameter" => {
                let number = computation.parameters.iter().position(|other| other == at);
                for (caller, call) in self.callers.get(id).cloned().unwrap_or_default() {
                    let Some(number) = number else { continue };
                    for argument in arguments(module, (caller, call), *id, number) {
                        self.push((caller, argument, path.clone()), &bound);
                    }
                }
            }
            "get-tuple-element" => {
                let index = int(instruction, "index").and_then(|index| usize::try_from(index).ok());
                let from = index.and_then(|index| operand(0, path.iter().copied().chain([index]).collect()));
                self.push_some(from, &bound);
            }
            "tuple" => {
                let mut path = path.clone();
                let from = path.pop().and_then(|index| operand(index, path));
                self.push_some(from, &bound);
            }
            // Assumes that a loop keeps the value: what its body does to it is not followed.
            "while" | "optimization-barrier" => {
                self.push_some(operand(0, path.clone()), &bound);
            }
            "call" | "fusion" | "conditional" => {
                for callee in instruction.attrs.computations() {
                    if let Some(root) = module.get(callee).and_then(|callee| callee.root) {
                        self.push((callee, root, path.clone()), &bound);
                    }
                }
            }
            _ => {
                for (position, bound) in sources(computation, instruction, &bound) {
                    let from = operand(position, Vec::new()).filter(|(_, operand, _)| {
                        computation.get(*operand).is_some_and(|operand| is_integral(&operand.shape))
                    });
                    self.push_some(from, &bound);
                }
            }
        }
    }
}

/// The operands of a call that are a parameter of the computation that it calls: branches may share a computation.
fn arguments(
    module: &Module,
    (outer, call): (ComputationId, InstructionId),
    callee: ComputationId,
    number: usize,
) -> Vec<InstructionId> {
    let Some(instruction) = module.get(outer).and_then(|outer| outer.get(call)) else { return Vec::new() };
    let positions: Vec<usize> = match instruction.opcode.as_str() {
        "call" | "fusion" => vec![number],
        "while" => vec![0],
        "conditional" => {
            let branches = instruction.attrs.computations().enumerate();
            let own = branches.filter(|(_, branch)| *branch == callee);
            // After the index or predicate, an operand for each branch.
            own.map(|(branch, _)| 1 + branch).collect()
        }
        _ => Vec::new(),
    };
    positions.into_iter().filter_map(|position| instruction.operands.get(position).copied()).collect()
}

/// The operands that the start indices of an op are made from, by position, with their bounds.
fn sources(computation: &Computation, instruction: &Instruction, bound: &Bound) -> Vec<(usize, Bound)> {
    let is_constant = |position: usize| {
        instruction.operands.get(position).is_some_and(|operand| is_constant(computation, *operand, 0))
    };
    let along = |map: &dyn Fn(usize) -> Option<usize>| match bound {
        Bound::Along(dimension, limits) => {
            map(*dimension).map_or_else(|| bound.collapsed(), |d| Bound::Along(d, limits.clone()))
        }
        Bound::Same(_) => bound.clone(),
    };
    let listed = |name: &str, at: usize| usize::try_from(*ints(instruction, name).get(at)?).ok();
    match instruction.opcode.as_str() {
        "copy" | "convert" => vec![(0, bound.clone())],
        // A negative index counts from the end: select(i < 0, i + size, i).
        "select" => vec![(1, bound.clone()), (2, bound.clone())],
        "clamp" => vec![(1, bound.clone())],
        "add" if is_constant(0) => vec![(1, bound.clone())],
        "add" | "subtract" | "remainder" if is_constant(1) => vec![(0, bound.clone())],
        "maximum" | "minimum" => vec![(0, bound.clone()), (1, bound.clone())],
        "reshape" | "bitcast" | "slice" | "dynamic-slice" | "gather" | "reverse" => {
            vec![(0, bound.collapsed())]
        }
        "transpose" => vec![(0, along(&|d| listed("dimensions", d)))],
        "broadcast" => {
            let position = |d: usize| {
                let d = i64::try_from(d).ok()?;
                ints(instruction, "dimensions").iter().position(|other| *other == d)
            };
            vec![(0, along(&position))]
        }
        "concatenate" => parts(computation, instruction, bound),
        _ => Vec::new(),
    }
}

/// The operands of a concatenation, each with its own coordinates if they are what is concatenated.
fn parts(computation: &Computation, instruction: &Instruction, bound: &Bound) -> Vec<(usize, Bound)> {
    let dimension = ints(instruction, "dimensions").first().and_then(|d| usize::try_from(*d).ok());
    let mut start = 0;
    let mut part = |operand: &InstructionId| {
        let size = computation.get(*operand)?.shape.as_array()?.dimensions.get(dimension?).copied()?;
        let size = usize::try_from(size).ok()?;
        let from = start;
        start += size;
        match bound {
            Bound::Along(d, limits) if Some(*d) == dimension => match limits.get(from..start)? {
                [limit] => Some(Bound::Same(*limit)),
                limits => Some(Bound::Along(*d, limits.to_vec())),
            },
            other => Some(other.clone()),
        }
    };
    let bounds: Vec<Option<Bound>> = instruction.operands.iter().map(&mut part).collect();
    bounds.into_iter().enumerate().filter_map(|(position, bound)| Some((position, bound?))).collect()
}
