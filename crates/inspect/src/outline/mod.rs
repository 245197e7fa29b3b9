//! The outline of a module: computations as foldable nested groups, in rows for a virtualised list.
//!
//! At the top are the roots of the call graph, the entry first. The rows of an open computation are its instructions by
//! data flow; the computations that an instruction calls are groups below it. [`Outline`] is built once per module in linear
//! time. [`Unfolded::new`] counts the rows for a state of the folds, and [`Unfolded::page`] returns any range of them
//! without visiting those before it, so that a program whose calls expand to 2^40 rows can be scrolled too.
//!
//! A call site that is open is open wherever its computation is shown: the state of the folds is at most linear in the
//! module.

mod folds;
mod page;
mod row;

pub use folds::{Folds, Group};
pub use page::{Page, Unfolded};
pub use row::{GroupRow, InstructionRow, Row, Siblings};

use xla_hlo::{InstructionId, Module};
use xla_ops::ComputationId;

use crate::calls::{Call, CallGraph, CallSite, InstructionRef, computation_ids, index32};
use crate::flow::data_flow_order;

/// A call with its position in the outline.
#[derive(Clone, Copy, Debug)]
struct PlacedCall {
    /// The position of the calling instruction in the order of its computation.
    position: u32,
    call: Call,
}

/// The instructions of a computation in the order of the outline.
#[derive(Clone, Debug, Default)]
struct Body {
    /// The instructions by data flow.
    order: Vec<InstructionId>,
    /// The position of each instruction in `order`.
    positions: Vec<u32>,
    /// The calls by position and callee index.
    calls: Vec<PlacedCall>,
    /// The number of rows that do not depend on the folds: instructions, and a header for each callee of an instruction
    /// with several.
    own_rows: u64,
}

/// The outline of a module, independent of the state of its folds.
#[derive(Clone, Debug)]
pub struct Outline {
    calls: CallGraph,
    bodies: Vec<Body>,
    /// The instructions of each computation, with those of everything it calls.
    totals: Vec<u64>,
}

impl Outline {
    /// The outline of a module.
    pub fn new(module: &Module) -> Self {
        let calls = CallGraph::new(module);
        let totals = calls.total_instructions(module);
        let body = |(id, computation): (ComputationId, _)| {
            let order = data_flow_order(computation);
            let mut positions = vec![0; computation.instructions.len()];
            for (position, id) in (0..).zip(&order) {
                positions[id.index()] = position;
            }
            let with_position =
                |call: &Call| PlacedCall { position: positions[call.site.instruction.index()], call: *call };
            let mut placed: Vec<PlacedCall> = calls.calls_in(id).iter().map(with_position).collect();
            placed.sort_by_key(|placed| (placed.position, placed.call.site.callee_index));
            let headers: usize = placed
                .chunk_by(|a, b| a.position == b.position)
                .map(|siblings| if siblings.len() > 1 { siblings.len() } else { 0 })
                .sum();
            let own_rows = (order.len() + headers) as u64;
            Body { order, positions, calls: placed, own_rows }
        };
        let bodies = computation_ids(module).zip(&module.computations).map(body).collect();
        Self { calls, bodies, totals }
    }

    /// The call graph.
    pub fn calls(&self) -> &CallGraph {
        &self.calls
    }

    /// The instructions of a computation in the order of the outline.
    pub fn order(&self, computation: ComputationId) -> &[InstructionId] {
        self.bodies.get(computation.0 as usize).map_or(&[], |body| &body.order)
    }

    /// The initial state of the folds: only the entry computation is open.
    pub fn initial_folds(&self) -> Folds {
        let mut folds = Folds::all_folded();
        if let Some(entry) = self.calls.roots().first() {
            folds.set_open(Group::Root(*entry), true);
        }
        folds
    }

    /// The groups that contain an instruction that is reached by a call path, from the outside in. `None` if the path does
    /// not lead from a root to its computation.
    pub fn groups_around(&self, (computation, _): InstructionRef, path: &[CallSite]) -> Option<Vec<Group>> {
        let root = path.first().map_or(computation, |site| site.caller);
        let end = match path.last() {
            Some(site) => self.calls.get(*site)?.callee,
            None => root,
        };
        let is_valid = self.calls.roots().contains(&root) && self.calls.is_path(path) && end == computation;
        is_valid.then(|| {
            std::iter::once(Group::Root(root)).chain(path.iter().copied().map(Group::Call)).collect()
        })
    }

    fn body(&self, computation: ComputationId) -> Option<&Body> {
        self.bodies.get(computation.0 as usize)
    }

    fn position(&self, (computation, instruction): InstructionRef) -> Option<u32> {
        self.body(computation)?.positions.get(instruction.index()).copied()
    }
}

impl Body {
    fn len(&self) -> u32 {
        index32(self.order.len())
    }
}
