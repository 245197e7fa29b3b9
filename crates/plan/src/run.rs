//! Executes the steps of a plan.

use smallvec::SmallVec;
use xla_array::literal::Buffer;
use xla_array::{Literal, Value};
use xla_hlo::eval::kernel::slice_mut;
use xla_hlo::eval::random::RandomNumbers;
use xla_hlo::{EvalError, InstructionId};
use xla_kernels::scratch::Scratch;
use xla_kernels::task::Move;
use xla_kernels::{Context, Kernel, PackedOperand, PreparedTask, Slice, SliceMut, Task, choose};
use xla_ops::{ComputationId, OpError};

use crate::array::{Array, ValueTree};
use crate::division::divided_plan::Division;
use crate::memory::Memory;
use crate::meter::Meter;
use crate::observation::Capture;
use crate::per_element::{ElementSemantics, compute_per_element};
use crate::run_statistics::StatisticsRecorder;
use crate::step::{Action, Origin, StartIndices, Step};
use crate::step_state::StepState;
use crate::whole::{Services, array_literal, copy_elements, copy_value, literal_error, push_arrays};

/// Why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// The arguments do not match the parameters, or a kernel rejected a task. The evaluator can run the module.
    Rejected,
    /// The run failed.
    Failed(EvalError),
}

impl From<EvalError> for RunError {
    fn from(error: EvalError) -> Self {
        Self::Failed(error)
    }
}

/// Why a step failed.
enum StepError {
    /// A kernel rejected its task.
    Rejected,
    Failed(OpError),
}

impl From<OpError> for StepError {
    fn from(error: OpError) -> Self {
        Self::Failed(error)
    }
}

/// What a run does with the values that its plan observes.
pub enum ValueObserver {
    Ignore,
    Capture(Capture),
    Statistics(StatisticsRecorder),
}

/// The state of one run.
pub struct Run<'a, 'o> {
    pub memory: Memory<'a>,
    pub meter: &'a mut Meter<'o>,
    pub scratch: &'a mut Scratch,
    pub random: &'a mut RandomNumbers,
    pub on_step: Option<&'a dyn Fn(usize)>,
    pub value_observer: &'a mut ValueObserver,
    /// The division of the steps among workers.
    pub division: Option<&'a Division>,
}

/// An error with the instruction of the step that failed.
pub fn located(origin: Option<Origin>, error: OpError) -> EvalError {
    // A cancellation is reported at the instruction of the entry computation, which the user knows.
    let is_cancelled = error.rule == "cancelled";
    let position = |origin: Origin| if is_cancelled { origin.entry } else { origin.at };
    let at: Option<(ComputationId, InstructionId)> = origin.map(position);
    EvalError { at, error: Box::new(error) }
}

impl Run<'_, '_> {
    /// Runs steps from `first` on. Returns the next step if parts must be exchanged before it; `None` at the end.
    pub fn steps(
        &mut self,
        steps: &[Step],
        states: &mut [StepState],
        first: usize,
    ) -> Result<Option<usize>, RunError> {
        let (mut index, mut stateless) = (first, StepState::Stateless);
        while let Some(step) = steps.get(index) {
            self.meter.entry = step.origin.entry.1;
            if let Some(callback) = self.on_step {
                callback(index);
            }
            let state = states.get_mut(index).unwrap_or(&mut stateless);
            let spent = self.meter.spend(1).map_err(StepError::Failed);
            let next = match spent.and_then(|()| self.step(step, index, state)) {
                Ok(next) => next,
                Err(StepError::Rejected) => return Err(RunError::Rejected),
                Err(StepError::Failed(error)) => return Err(located(Some(step.origin), error).into()),
            };
            if let ValueObserver::Statistics(recorder) = self.value_observer {
                step.written().for_each(|value| recorder.invalidate(value));
            }
            if let Some(division) = self.division
                && next == index + 1
                && division.exchange_after(index).is_some()
            {
                return Ok(Some(next));
            }
            index = next;
        }
        Ok(None)
    }

    /// Runs a step; returns the index of the next one.
    fn step(&mut self, step: &Step, index: usize, state: &mut StepState) -> Result<usize, StepError> {
        let (reads, writes) = (&step.reads, &step.writes);
        match &step.action {
            Action::Kernel { kernel, task } => {
                let shard = self.division.and_then(|division| division.shard(index));
                let (kernel, task) = shard.map_or((*kernel, task), |shard| (shard.kernel, &shard.task));
                match state {
                    StepState::Prepared(prepared) => self.prepared(prepared, reads, writes)?,
                    StepState::Packed { operand, was_executed } => {
                        let operand = std::mem::replace(was_executed, true).then_some(operand);
                        self.kernel(kernel, task, reads, writes, operand)?;
                    }
                    StepState::Stateless => self.kernel(kernel, task, reads, writes, None)?,
                }
                if let Some(shard) = shard {
                    self.meter.spend_kernel_steps(shard.other_steps)?;
                }
            }
            Action::Slice { to, from, starts, contiguous_elements: Some(count) } => {
                let from_offset = from.offset + self.offset(starts, reads);
                self.copy_contiguous(&reads[0], &writes[0], [from_offset, to.offset], *count)?;
            }
            Action::Slice { to, from, starts, contiguous_elements: None } => {
                let mut from = from.clone();
                from.offset += self.offset(starts, reads);
                let ty = xla_ops::tasks::copy_type(step.writes[0].shape.element_type);
                let task = Move { ty, parts: vec![(from, to.clone())], has_fill: false };
                self.copy(task, &reads[..1], writes)?;
            }
            Action::Update { task, starts, contiguous_elements } => {
                self.update(task, starts, *contiguous_elements, reads, writes)?;
            }
            Action::Initialize { kernel, task } => {
                if !self.memory.have_same_buffer(reads[0].value, writes[0].value) {
                    self.kernel(kernel, task, reads, writes, None)?;
                }
            }
            Action::PerElement(element) => self.run_per_element(step, &|index, read, results| {
                if let Some(result) = results.first_mut() {
                    *result = element(index, read);
                }
            })?,
            Action::PerElementTuple(elements) => {
                self.run_per_element(step, &|index, read, results| elements(index, read, results))?;
            }
            Action::Eager { .. } => self.run_eager(step)?,
            Action::Swap(from, to) => self.memory.swap(*from, *to),
            Action::Observe(observed) => {
                if self.observe(*observed)? {
                    return Ok(usize::MAX);
                }
            }
            Action::Jump(to) => return Ok(*to),
            Action::JumpUnless(to) => {
                if self.scalar(&reads[0]) != Value::Pred(true) {
                    return Ok(*to);
                }
            }
            Action::Switch(targets) => {
                let last = targets.len().saturating_sub(1);
                let chosen = match self.scalar(&reads[0]) {
                    Value::Pred(truth) => usize::from(!truth),
                    Value::Int(number) => usize::try_from(number).map_or(last, |number| number.min(last)),
                    _ => last,
                };
                return Ok(targets.get(chosen).copied().unwrap_or(index + 1));
            }
        }
        Ok(index + 1)
    }

    /// Passes the value of an observed instruction on. Returns whether the run ends with it.
    fn observe(&mut self, index: usize) -> Result<bool, OpError> {
        let Some(instruction) = self.memory.plan.observed.get(index) else { return Ok(false) };
        match self.value_observer {
            ValueObserver::Ignore => Ok(false),
            ValueObserver::Statistics(recorder) => {
                recorder.record(index, instruction, &self.memory);
                Ok(false)
            }
            ValueObserver::Capture(capture) => {
                if let Some(value) = capture.reached(instruction.at) {
                    *value = Some(copy_value(&self.memory, &instruction.value, "copy")?);
                }
                Ok(capture.is_complete())
            }
        }
    }

    fn scalar(&self, array: &Array) -> Value {
        self.memory.element(array, array.scalar_offset())
    }

    /// The offset of a slice. Start indices are clamped to the bounds of the array.
    fn offset(&self, starts: &StartIndices, reads: &[Array]) -> usize {
        let offsets = starts.locations.iter().zip(&starts.max_starts_and_strides).map(
            |((read, offset), (max_start, stride))| {
                let start = self.memory.element(&reads[*read], *offset).as_index().clamp(0, *max_start);
                usize::try_from(start).unwrap_or(0) * stride.unsigned_abs()
            },
        );
        offsets.sum()
    }

    fn update(
        &mut self,
        task: &Move,
        starts: &StartIndices,
        contiguous_elements: Option<usize>,
        reads: &[Array],
        writes: &[Array],
    ) -> Result<(), StepError> {
        let offset = self.offset(starts, reads);
        let is_in_place = self.memory.have_same_buffer(reads[0].value, writes[0].value);
        if let ([_, (from, to)], Some(count), true) =
            (task.parts.as_slice(), contiguous_elements, is_in_place)
        {
            return self.copy_contiguous(&reads[1], &writes[0], [from.offset, to.offset + offset], count);
        }
        let mut task = task.clone();
        if let Some((_, slice)) = task.parts.get_mut(1) {
            slice.offset += offset;
        }
        if is_in_place {
            task.parts.remove(0);
        }
        let data = if is_in_place { &reads[1..2] } else { &reads[..2] };
        self.copy(task, data, writes)
    }

    fn copy(&mut self, task: Move, reads: &[Array], writes: &[Array]) -> Result<(), StepError> {
        let task = Task::Move(task);
        let kernel = choose(&task).ok_or(StepError::Rejected)?;
        self.kernel(kernel, &task, reads, writes, None)
    }

    /// Calls `f` with the buffers of these arrays.
    fn with_buffers(
        &mut self,
        reads: &[Array],
        writes: &[Array],
        f: impl FnOnce(&[Slice], &mut [SliceMut], &mut Meter, &mut Scratch) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        let mut taken: SmallVec<[Buffer; 1]> =
            writes.iter().map(|array| self.memory.take(array.value)).collect();
        let outcome = {
            let read: SmallVec<[Slice; 3]> = reads.iter().map(|array| self.memory.elements(array)).collect();
            let mut whole: SmallVec<[SliceMut; 1]> = taken.iter_mut().map(slice_mut).collect();
            let lengths = writes.iter().map(|array| self.memory.plan.value_info(array).elements);
            let mut written: SmallVec<[SliceMut; 1]> =
                whole.iter_mut().zip(lengths).map(|(slice, length)| slice.part(0, length)).collect();
            f(&read, &mut written, self.meter, self.scratch)
        };
        for (array, buffer) in writes.iter().zip(taken) {
            self.memory.put(array.value, buffer);
        }
        outcome
    }

    /// Runs a kernel on the buffers of these arrays.
    fn kernel(
        &mut self,
        kernel: &Kernel,
        task: &Task,
        reads: &[Array],
        writes: &[Array],
        packed_operand: Option<&mut PackedOperand>,
    ) -> Result<(), StepError> {
        self.with_buffers(reads, writes, |read, written, meter, scratch| {
            let mut stopped = None;
            let mut tick = |steps: u64| {
                stopped = meter.spend_kernel_steps(steps).err();
                stopped.is_none()
            };
            let mut context = Context { scratch, tick: &mut tick, packed_operand };
            let result = xla_kernels::run_with(kernel, task, read, written, &mut context);
            match stopped {
                Some(error) => Err(StepError::Failed(error)),
                None => result.map_err(|_| StepError::Rejected),
            }
        })
    }

    /// Runs a prepared task on the buffers of these arrays.
    fn prepared(
        &mut self,
        task: &mut PreparedTask,
        reads: &[Array],
        writes: &[Array],
    ) -> Result<(), StepError> {
        self.meter.spend_kernel_steps(task.steps())?;
        self.with_buffers(reads, writes, |read, written, _, _| {
            task.run(read, written).map_err(|_| StepError::Rejected)
        })
    }

    /// Copies contiguous elements from one array's buffer to another's. `offsets` are those of the first to read and to write.
    fn copy_contiguous(
        &mut self,
        from: &Array,
        to: &Array,
        offsets: [usize; 2],
        count: usize,
    ) -> Result<(), StepError> {
        self.meter.spend_kernel_steps(count as u64)?;
        self.with_buffers(std::slice::from_ref(from), std::slice::from_ref(to), |read, written, _, _| {
            let ([read], [written]) = (read, written) else { return Err(StepError::Rejected) };
            let bytes = read.element_bytes();
            let [from, to] = offsets.map(|offset| offset * bytes..(offset + count) * bytes);
            match (read.as_bytes().get(from), written.as_bytes_mut().get_mut(to)) {
                (Some(from), Some(to)) => to.copy_from_slice(from),
                _ => return Err(StepError::Rejected),
            }
            Ok(())
        })
    }

    /// Runs the semantics of an op on the buffers of a step, element by element.
    fn run_per_element(&mut self, step: &Step, semantics: ElementSemantics) -> Result<(), OpError> {
        let writes = &step.writes;
        let mut taken: SmallVec<[Buffer; 1]> =
            writes.iter().map(|array| self.memory.take(array.value)).collect();
        let outcome =
            compute_per_element(&self.memory, &step.reads, writes, &mut taken, self.meter, semantics);
        for (array, buffer) in writes.iter().zip(taken) {
            self.memory.put(array.value, buffer);
        }
        outcome
    }

    /// Runs an op that computes its results eagerly: copies its operands to literals, and its result from literals.
    fn run_eager(&mut self, step: &Step) -> Result<(), OpError> {
        let Action::Eager { op, operands, shape, opcode } = &step.action else { return Ok(()) };
        let bytes_before = self.meter.bytes();
        let bytes = |array: &Array| self.memory.buffer(array.value).bytes();
        let copies = step.reads.iter().chain(&step.writes).map(bytes).fold(0, u64::saturating_add);
        self.meter.reserve(copies, opcode)?;
        let operands: Vec<_> =
            operands.iter().map(|tree| copy_value(&self.memory, tree, opcode)).collect::<Result<_, _>>()?;
        let mut services = Services { meter: &mut *self.meter, random: &mut *self.random, opcode };
        let result = op.evaluate(&operands, &mut services)?;
        let result = result.relayout_to(shape).map_err(|error| literal_error(opcode, error))?;
        let mut arrays = Vec::new();
        push_arrays(&result, &mut arrays);
        for (array, literal) in step.writes.iter().zip(arrays) {
            let mut buffer = self.memory.take(array.value);
            let length = self.memory.plan.value_info(array).elements;
            let from = xla_hlo::eval::kernel::slice(literal.buffer());
            let outcome = copy_elements(
                (from, &array.view),
                (slice_mut(&mut buffer).part(0, length), &array.view),
                &array.shape,
            );
            self.memory.put(array.value, buffer);
            outcome?;
        }
        self.meter.release_to(bytes_before);
        Ok(())
    }

    /// A copy of the value of the entry computation.
    pub fn result(&mut self, tree: &ValueTree) -> Result<Literal, EvalError> {
        Ok(match tree {
            ValueTree::Array(array) => {
                let copied = array_literal(&self.memory, array, "copy");
                Literal::Array(copied.map_err(|error| located(None, error))?)
            }
            ValueTree::Tuple(elements) => {
                Literal::Tuple(elements.iter().map(|element| self.result(element)).collect::<Result<_, _>>()?)
            }
            ValueTree::Token => Literal::Token,
        })
    }
}
