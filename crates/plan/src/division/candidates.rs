//! The dimensions along which a step can be divided, and what the division costs.

use std::collections::BTreeMap;

use super::partition::{Partition, even_bounds};
use crate::array::ValueId;
use crate::plan::{BufferId, Plan};
use crate::step::Step;
use xla_array::literal::Buffer;
use xla_kernels::task::Unit;
use xla_kernels::{Task, View};

/// What steps and exchanges cost, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// An exchange without any data: a message to another worker, measured in both browsers.
    pub exchange: f64,
    /// A byte of the other workers' parts, which is packed, transferred and unpacked.
    pub exchanged_byte: f64,
    /// A multiply-add.
    pub multiply_add: f64,
    /// A step of any other task: an element.
    pub element: f64,
}

impl Default for CostModel {
    fn default() -> Self {
        Self { exchange: 100_000.0, exchanged_byte: 0.5, multiply_add: 0.05, element: 0.5 }
    }
}

impl CostModel {
    fn task(self, task: &Task) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        // A step of a task whose unit is the FLOP is one multiply-add.
        let steps = task.steps() as f64;
        steps * if task.unit() == Unit::Flop { self.multiply_add } else { self.element }
    }
}

/// The divided values whose parts have not been exchanged.
pub type Pending = BTreeMap<ValueId, Partition>;

/// A step divided along a dimension of its result.
pub struct Candidate {
    /// The partition of the result.
    pub partition: Partition,
    /// The task of each worker.
    pub tasks: Vec<Task>,
    /// The values that must be exchanged before the step: it reads elements of them that other workers compute.
    pub exchanged: Vec<ValueId>,
    /// Nanoseconds that it saves, as opposed to the exchange of all divided operands and the execution of the whole step by every
    /// worker. At most 0 if it does not pay.
    pub saved_nanoseconds: f64,
}

/// A step that could be divided.
pub struct DivisibleStep<'a> {
    plan: &'a Plan,
    step: &'a Step,
    task: &'a Task,
    /// The divided operands: each its index and its value.
    pending_reads: Vec<(usize, ValueId)>,
    pending: &'a Pending,
    /// The number of workers.
    count: usize,
    costs: CostModel,
}

/// Whether a step is divided even if no operand is.
fn is_product(task: &Task) -> bool {
    matches!(task, Task::Dot(_) | Task::Convolution(_))
}

/// The bytes of an element of a value.
pub fn element_bytes(plan: &Plan, value: ValueId) -> usize {
    let bytes = plan.values.get(value.0).map_or(0, |info| Buffer::bytes_per_entry(info.element_type));
    usize::try_from(bytes).unwrap_or(0)
}

impl<'a> DivisibleStep<'a> {
    /// A step with this task; `None` if it cannot be divided, or obviously should not.
    pub fn new(
        plan: &'a Plan,
        step: &'a Step,
        task: &'a Task,
        pending: &'a Pending,
        (count, costs): (usize, CostModel),
    ) -> Option<Self> {
        let [write] = step.writes.as_slice() else { return None };
        let out = task.out_view()?;
        // The dimensions may have another order than those of the array.
        let length = plan.value_info(write).elements;
        let is_dense = out.elements() == length && out.min_buffer_length() == length && out.is_injective();
        let is_allocated = matches!(plan.buffer_ids.get(write.value.0)?, BufferId::Allocation(_));
        let reads = step.reads.iter().enumerate();
        let pending_reads: Vec<_> = reads
            .filter(|(_, array)| pending.contains_key(&array.value))
            .map(|(index, array)| (index, array.value))
            .collect();
        let is_worthwhile =
            !pending_reads.is_empty() || is_product(task) && costs.task(task) > costs.exchange;
        (is_dense && is_allocated && is_worthwhile).then_some(Self {
            plan,
            step,
            task,
            pending_reads,
            pending,
            count,
            costs,
        })
    }

    /// The best division; `None` if there is none.
    pub fn best(&self) -> Option<Candidate> {
        let dimensions = self.dimensions();
        let inherited = dimensions.iter().flat_map(|d| {
            let bounds = self.pending_reads.iter().filter_map(|read| self.inherited_bounds(*d, *read));
            bounds.map(|bounds| (*d, bounds))
        });
        let even = dimensions.iter().filter(|_| is_product(self.task)).filter_map(|d| {
            let size = self.task.out_view()?.sizes[*d];
            Some((*d, even_bounds(size, self.count, self.task.min_shard_len(*d)?)?))
        });
        let candidates = inherited.chain(even).filter_map(|(d, bounds)| self.candidate(d, &bounds));
        let mut best: Option<Candidate> = None;
        for candidate in candidates {
            if best.as_ref().is_none_or(|best| candidate.saved_nanoseconds > best.saved_nanoseconds) {
                best = Some(candidate);
            }
        }
        best
    }

    /// The dimensions of the result, those to prefer first: batch dimensions, then those of the operand that is not constant, whose
    /// division later steps can often keep, while weights are read by all workers.
    fn dimensions(&self) -> Vec<usize> {
        let rank = self.task.out_view().map_or(0, View::rank);
        let mut dimensions: Vec<usize> = (0..rank).collect();
        let is_constant = |read: usize| {
            self.step.reads.get(read).is_some_and(|array| self.plan.value_info(array).is_constant)
        };
        match self.task {
            Task::Dot(task) if is_constant(0) && !is_constant(1) => {
                let batch = task.lhs_batch.len();
                let rows = task.lhs.view.rank().saturating_sub(batch + task.lhs_contracting.len());
                if let Some(free) = dimensions.get_mut(batch..) {
                    free.rotate_left(rows.min(free.len()));
                }
            }
            // Output features last: sharding them repeats the layout of the windows on each worker.
            Task::Convolution(_) if rank > 1 => dimensions[1..].rotate_left(1),
            _ => {}
        }
        dimensions
    }

    /// The bounds of dimension `d` that follow from those of an operand: each worker reads its own part.
    fn inherited_bounds(&self, d: usize, (read, value): (usize, ValueId)) -> Option<Vec<usize>> {
        let (partition, size) = (self.pending.get(&value)?, *self.task.out_view()?.sizes.get(d)?);
        if size < 2 {
            return None;
        }
        // The distance in the operand from one index of `d` to the next, from the part of index 1.
        let shifted = self.task.restricted(d, &(1..2))?;
        let offset = |task: &Task| Some(task.read_views().get(read)?.first()?.offset);
        let stride = offset(&shifted)?.checked_sub(offset(self.task)?)?;
        let indices = stride / partition.stride;
        let is_same_dimension = stride > 0
            && stride.is_multiple_of(partition.stride)
            && size.checked_mul(indices) == Some(partition.size)
            && partition.bounds.iter().all(|bound| bound.is_multiple_of(indices));
        is_same_dimension.then(|| partition.bounds.iter().map(|bound| bound / indices).collect())
    }

    fn candidate(&self, d: usize, bounds: &[usize]) -> Option<Candidate> {
        let out = self.task.out_view()?;
        let min_len = self.task.min_shard_len(d)?.max(1);
        let ranges = || bounds.windows(2).map(|pair| pair[0]..pair[1]);
        if bounds.len() != self.count + 1 || ranges().any(|range| range.len() < min_len) {
            return None;
        }
        let tasks: Vec<Task> =
            ranges().map(|range| self.task.restricted(d, &range)).collect::<Option<_>>()?;
        let [write] = self.step.writes.as_slice() else { return None };
        let value_elements = self.plan.value_info(write).elements;
        let lengths: Vec<usize> =
            self.step.reads.iter().map(|array| self.plan.value_info(array).elements).collect();
        if !tasks.iter().all(|task| task.check(&lengths, &[value_elements])) {
            return None;
        }
        let partition = Partition {
            stride: usize::try_from(out.strides[d]).ok().filter(|stride| *stride > 0)?,
            size: out.sizes[d],
            bounds: bounds.into(),
            value_elements,
        };
        let mut exchanged: Vec<ValueId> = Vec::new();
        for (read, value) in &self.pending_reads {
            if !exchanged.contains(value) && !self.reads_own_part(&tasks, *read, *value) {
                exchanged.push(*value);
            }
        }
        let slowest = tasks.iter().map(|task| self.costs.task(task)).fold(0.0, f64::max);
        let divided =
            slowest + self.exchange_nanoseconds(&exchanged) + self.exchange_nanoseconds(&[write.value]);
        let all: Vec<ValueId> = self.pending_reads.iter().map(|(_, value)| *value).collect();
        let whole = self.costs.task(self.task) + self.exchange_nanoseconds(&all);
        Some(Candidate { partition, tasks, exchanged, saved_nanoseconds: whole - divided })
    }

    /// Whether each worker reads only its own part of a divided operand.
    fn reads_own_part(&self, tasks: &[Task], read: usize, value: ValueId) -> bool {
        let Some(partition) = self.pending.get(&value) else { return true };
        tasks.iter().enumerate().all(|(worker, task)| {
            let views = task.read_views();
            views.get(read).is_some_and(|views| {
                !views.is_empty() && views.iter().all(|view| partition.contains(view, worker))
            })
        })
    }

    /// The time of an exchange of these values.
    fn exchange_nanoseconds(&self, values: &[ValueId]) -> f64 {
        if values.is_empty() {
            return 0.0;
        }
        let bytes = values.iter().map(|value| {
            let elements = self.plan.values.get(value.0).map_or(0, |info| info.elements);
            elements.saturating_mul(element_bytes(self.plan, *value))
        });
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let (bytes, count) = (bytes.fold(0, usize::saturating_add) as f64, self.count as f64);
        self.costs.exchange + bytes * (count - 1.0) / count * self.costs.exchanged_byte
    }
}
