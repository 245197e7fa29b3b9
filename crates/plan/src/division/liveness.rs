//! The readers of each value and the basic blocks of a plan's steps.

use crate::array::ValueId;
use crate::plan::Plan;
use crate::step::Action;

/// Iterations that a loop is assumed to have, to weigh its steps against those outside of it.
const ASSUMED_ITERATIONS: f64 = 8.0;

/// Maximum number of nested loops that are weighed.
const MAX_WEIGHED_DEPTH: i32 = 3;

/// Readers and basic blocks.
pub struct Liveness {
    /// The steps that read each value, in order.
    readers: Vec<Vec<usize>>,
    /// Whether the result has elements of the value.
    is_result: Vec<bool>,
    /// Whether a basic block starts at the step.
    starts_block: Vec<bool>,
    /// The number of loops that enclose the step.
    loop_depth: Vec<i32>,
}

impl Liveness {
    pub fn new(plan: &Plan) -> Self {
        let count = plan.steps.len();
        let mut this = Self {
            readers: vec![Vec::new(); plan.values.len()],
            is_result: vec![false; plan.values.len()],
            starts_block: vec![false; count + 1],
            loop_depth: vec![0; count + 1],
        };
        for (index, step) in plan.steps.iter().enumerate() {
            for value in step.read() {
                if let Some(readers) = this.readers.get_mut(value.0) {
                    readers.push(index);
                }
            }
            match &step.action {
                Action::Jump(to) | Action::JumpUnless(to) => this.add_jump(index, std::slice::from_ref(to)),
                Action::Switch(targets) => this.add_jump(index, targets),
                _ => {}
            }
        }
        plan.result.for_each_array(&mut |array| {
            if let Some(is_result) = this.is_result.get_mut(array.value.0) {
                *is_result = true;
            }
        });
        let mut depth = 0;
        for change in &mut this.loop_depth {
            depth += *change;
            *change = depth;
        }
        this
    }

    fn add_jump(&mut self, index: usize, targets: &[usize]) {
        for target in targets.iter().copied().chain([index + 1]) {
            if let Some(starts) = self.starts_block.get_mut(target) {
                *starts = true;
            }
        }
        for target in targets.iter().copied().filter(|target| *target <= index) {
            self.loop_depth[target] += 1;
            self.loop_depth[index + 1] -= 1;
        }
    }

    /// Whether a step is the last one of its basic block.
    pub fn ends_block(&self, index: usize) -> bool {
        self.starts_block.get(index + 1).copied().unwrap_or(true) || index + 2 == self.starts_block.len()
    }

    /// Whether a value that step `written_at` writes is read other than by the steps after it up to `last`.
    pub fn is_read_elsewhere(&self, value: ValueId, written_at: usize, last: usize) -> bool {
        let readers = self.readers.get(value.0).map_or(&[][..], Vec::as_slice);
        self.is_result.get(value.0).copied().unwrap_or(true)
            || readers.iter().any(|reader| *reader > last || *reader <= written_at)
    }

    /// The assumed number of executions of a step.
    pub fn executions(&self, index: usize) -> f64 {
        let depth = self.loop_depth.get(index).copied().unwrap_or(0);
        ASSUMED_ITERATIONS.powi(depth.min(MAX_WEIGHED_DEPTH))
    }
}
