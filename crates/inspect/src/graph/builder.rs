//! Laying out a graph in steps, so that the caller can do other work between steps, or stop.

use std::collections::{BTreeMap, BTreeSet};

use xla_hlo::{InstructionId, Module};
use xla_ops::ComputationId;

use super::Graph;
use super::layout::{Layout, Steps};
use super::source::Source;
use crate::calls::{CallGraph, CallSite};
use crate::flow::Neighbourhood;
use crate::outline::{Folds, Group};

/// The number of steps that a layout takes, about: an ordering may end early.
const STEPS_PER_LAYOUT: usize = 16;

/// A graph that is being laid out.
#[derive(Debug)]
pub struct Builder {
    graph: Graph,
    /// The drawn instructions of the root, ascending, and one that is drawn in any case.
    drawn: Vec<InstructionId>,
    kept: Option<InstructionId>,
    /// The computations to lay out, callees before callers, and the number of those that are.
    open: Vec<ComputationId>,
    finished: usize,
    current: Option<Steps>,
    /// The steps that the current layout has made.
    steps: usize,
}

/// The ids of a computation's instructions.
fn all_instructions(module: &Module, id: ComputationId) -> Vec<InstructionId> {
    module.get(id).map_or_else(Vec::new, |computation| computation.iter().map(|(id, _)| id).collect())
}

impl Builder {
    /// The drawing of a computation, with the computations that open call sites call.
    pub fn new(source: Source<'_>, root: ComputationId) -> Self {
        Self::with_instructions(source, (root, all_instructions(source.module, root), None))
    }

    /// The drawing of some instructions of a computation, ascending, of which one is drawn in any case.
    fn with_instructions(
        Source { module, calls, folds }: Source<'_>,
        (root, mut drawn, kept): (ComputationId, Vec<InstructionId>, Option<InstructionId>),
    ) -> Self {
        drawn.retain(|id| module.get(root).is_some_and(|computation| computation.get(*id).is_some()));
        // The computations that open calls reach, callees before callers, which have larger ids.
        let mut open = BTreeSet::from([root]);
        let mut stack = vec![root];
        while let Some(caller) = stack.pop() {
            let is_open = |site: CallSite| folds.is_open(Group::Call(site));
            for call in calls.calls_in(caller).iter().filter(|call| is_open(call.site)) {
                let is_drawn = caller != root || drawn.binary_search(&call.site.instruction).is_ok();
                if is_drawn && open.insert(call.callee) {
                    stack.push(call.callee);
                }
            }
        }
        let graph = Graph { root, layouts: BTreeMap::new(), hidden: BTreeMap::new() };
        let open = open.into_iter().collect();
        Self { graph, drawn, kept, open, finished: 0, current: None, steps: 0 }
    }

    /// Makes steps until they have visited about `items` nodes and edges, at least one; returns whether the graph is
    /// finished. The source must be that of [`Self::new`].
    pub fn advance(&mut self, source: Source<'_>, items: usize) -> bool {
        let mut visited = 0;
        while visited < items {
            let Some(id) = self.open.get(self.finished).copied() else { break };
            let Some(steps) = &mut self.current else {
                let layouts = &self.graph.layouts;
                let steps = if id == self.graph.root {
                    Steps::new(source, (id, &self.drawn, self.kept), layouts)
                } else {
                    Steps::new(source, (id, &all_instructions(source.module, id), None), layouts)
                };
                visited += steps.items() + 1;
                (self.current, self.steps) = (Some(steps), 0);
                continue;
            };
            visited += steps.items() + 1;
            self.steps += 1;
            if let Some(layout) = steps.advance() {
                self.finish_layout(id, layout);
            }
        }
        self.is_finished()
    }

    fn finish_layout(&mut self, id: ComputationId, layout: Layout) {
        self.graph.layouts.insert(id, layout);
        self.current = None;
        self.finished += 1;
    }

    /// Whether everything is laid out.
    pub fn is_finished(&self) -> bool {
        self.finished == self.open.len()
    }

    /// The finished fraction, from 0 to 1. Large computations count as much as small ones.
    #[allow(clippy::cast_precision_loss, reason = "a fraction for display")]
    pub fn progress(&self) -> f64 {
        let current = self.steps.min(STEPS_PER_LAYOUT - 1) as f64 / STEPS_PER_LAYOUT as f64;
        let current = if self.current.is_some() { current } else { 0.0 };
        ((self.finished as f64 + current) / self.open.len().max(1) as f64).min(1.0)
    }

    /// The graph, once it is finished; before that, one that lacks the computations that are not laid out.
    pub fn into_graph(self) -> Graph {
        self.graph
    }

    fn finish(mut self, source: Source<'_>) -> Graph {
        while !self.advance(source, usize::MAX) {}
        self.graph
    }
}

impl Graph {
    /// The drawing of a computation, with the computations that open call sites call.
    pub fn new(module: &Module, calls: &CallGraph, root: ComputationId, folds: &Folds) -> Self {
        let source = Source { module, calls, folds };
        Builder::new(source, root).finish(source)
    }

    /// The drawing of an instruction's neighbourhood.
    pub fn from_neighbourhood(
        module: &Module,
        calls: &CallGraph,
        computation: ComputationId,
        neighbourhood: &Neighbourhood,
        folds: &Folds,
    ) -> Self {
        let source = Source { module, calls, folds };
        let drawn: Vec<InstructionId> =
            neighbourhood.instructions.iter().map(|neighbour| neighbour.id).collect();
        let builder = Builder::with_instructions(source, (computation, drawn, Some(neighbourhood.center)));
        let mut graph = builder.finish(source);
        let hidden = neighbourhood.instructions.iter().map(|n| (n.id, (n.more_operands, n.more_users)));
        graph.hidden = hidden.filter(|(_, hidden)| *hidden != (0, 0)).collect();
        graph
    }
}
