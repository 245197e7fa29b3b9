//! Structural hashes of instructions: of the operations that compute them from the parameters, and of those that use them up to
//! the root.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use xla_hlo::{Computation, Instruction, Module};
use xla_ops::{AttrValue, ComputationId};

/// The hashes of the instructions of one computation, by id.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashes {
    /// The operation alone: opcode, shape and attributes, without callees.
    pub label: Vec<u64>,
    /// The operation and those it depends on, to the parameters.
    pub down: Vec<u64>,
    /// Like `down`, with the structure of the callees.
    pub exact: Vec<u64>,
    /// The operation and those that depend on it, to the root.
    pub up: Vec<u64>,
}

/// The hashes of a module.
#[derive(Clone, Debug)]
pub(super) struct ModuleHashes {
    /// By computation.
    pub instructions: Vec<Hashes>,
    /// The structure of each computation.
    pub computations: Vec<u64>,
}

fn hash_of(parts: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// The hash of an operation, without operands and callees.
fn label_hash(instruction: &Instruction) -> u64 {
    let mut hasher = DefaultHasher::new();
    instruction.opcode.hash(&mut hasher);
    instruction.shape.hash(&mut hasher);
    for (name, value) in instruction.attrs.iter() {
        name.hash(&mut hasher);
        match value {
            AttrValue::Computation(_) => {}
            AttrValue::Computations(ids) => ids.len().hash(&mut hasher),
            value => value.to_string().hash(&mut hasher),
        }
    }
    if instruction.op.is_none() {
        instruction.annotations.hash(&mut hasher);
    }
    hasher.finish()
}

impl Hashes {
    fn of(computation: &Computation, callees: &[u64]) -> Self {
        let count = computation.instructions.len();
        let label: Vec<u64> = computation.instructions.iter().map(label_hash).collect();
        let (mut down, mut exact) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (instruction, label) in computation.instructions.iter().zip(&label) {
            let operands = |hashes: &[u64]| -> Vec<u64> {
                let known = instruction.operands.iter().filter_map(|id| hashes.get(id.index()));
                known.copied().collect()
            };
            let structure = |id: ComputationId| callees.get(id.0 as usize);
            let callee_hashes: Vec<u64> =
                instruction.attrs.computations().filter_map(structure).copied().collect();
            let (down_hash, exact_hash) =
                (hash_of((label, operands(&down))), hash_of((label, operands(&exact), callee_hashes)));
            down.push(down_hash);
            exact.push(exact_hash);
        }
        Self { up: up_hashes(computation, &label), label, down, exact }
    }
}

/// The hash of each instruction and its users.
fn up_hashes(computation: &Computation, label: &[u64]) -> Vec<u64> {
    // The hashes of the users, each with the position of the operand.
    let mut users: Vec<Vec<u64>> = vec![Vec::new(); label.len()];
    let mut up = vec![0; label.len()];
    // Users follow their operands, so that their hashes are known.
    for (id, instruction) in computation.iter().collect::<Vec<_>>().into_iter().rev() {
        let Some(mut user_hashes) = users.get_mut(id.index()).map(std::mem::take) else { continue };
        user_hashes.sort_unstable();
        let hash = hash_of((label.get(id.index()), computation.root == Some(id), user_hashes));
        up[id.index()] = hash;
        for (position, operand) in instruction.operands.iter().enumerate() {
            if let Some(users) = users.get_mut(operand.index()) {
                users.push(hash_of((hash, position)));
            }
        }
    }
    up
}

impl ModuleHashes {
    pub fn of(module: &Module) -> Self {
        let (mut instructions, mut computations) = (Vec::new(), Vec::new());
        // Callees precede callers.
        for computation in &module.computations {
            let hashes = Hashes::of(computation, &computations);
            let mut contents = hashes.exact.clone();
            // The order of the instructions does not matter.
            contents.sort_unstable();
            let root = computation.root.and_then(|root| hashes.exact.get(root.index()));
            computations.push(hash_of((root, contents)));
            instructions.push(hashes);
        }
        Self { instructions, computations }
    }
}
