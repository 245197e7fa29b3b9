//! A finished run: the value of every instruction, and for each cell its sources (cells of the operands), its origins
//! (cells of the parameters) and its uses (cells that depend on it).
//!
//! All answers come from the evaluator in [`xla_hlo`]; nothing is recomputed here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::devices::{ReplicaRun, SelectedReplica, TracerSettings};
use super::limits::{MAX_QUERY_CELLS, QUERY_LIMITS, parameter_bytes, parameters, too_large};
use super::uses::{FIRST_BATCH_READS, UseIndex, UsedArrays};
use crate::Experiment;
use crate::arguments::{ArgumentError, arguments, run_error};
use xla_array::literal::{LiteralError, slots_of};
use xla_array::value::ValueRange;
use xla_array::{ArrayLiteral, Dims, Edition, Literal};
use xla_hlo::eval::kernel::{ComputedBy, Kernels, MIN_KERNEL_WORK};
use xla_hlo::eval::values::Values as RunValues;
use xla_hlo::{DeviceSource, EvalError, Evaluator, InstructionId, Limits, Module, Observer, Outcome, Tracer};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;
use xla_ops::{BaseArea, CellAt, Data, OpContext, OpDef, OpError, RandomPosition, Role, ScalarCall, Source};

fn no_memory(cells: i64) -> EvalError {
    let literal_error =
        LiteralError::no_memory(usize::try_from(cells).or_bug(0, "a negative number of cells"));
    let error = OpError::new("parameter", literal_error.rule, literal_error.message);
    EvalError { at: None, error: Box::new(error.with_hint(Message::ops("eval-hint-smaller"))) }
}

/// The values of a finished run, with queries about their cells.
#[derive(Clone)]
pub struct FinishedRun {
    module: Rc<Module>,
    edition: Edition,
    seed: u64,
    outcome: Rc<Outcome>,
    /// The run of all replicas and the selected one, if it ran on several devices or with a host.
    selected: Option<SelectedReplica>,
    /// The cost of the run, in evaluator steps.
    pub steps: u64,
    /// Whether values that the result needs are missing.
    is_partial: bool,
    ranges: Rc<Vec<(Arc<ArrayLiteral>, ValueRange)>>,
    uses: Rc<RefCell<BTreeMap<(InstructionId, UsedArrays), UseIndex>>>,
}

impl PartialEq for FinishedRun {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.outcome, &other.outcome)
    }
}

impl FinishedRun {
    /// Runs a module without errors on the experiment's arguments.
    pub fn run(experiment: &Experiment, module: &Rc<Module>, limits: Limits) -> Result<Self, EvalError> {
        Self::evaluate(experiment, module, limits, None)
    }

    /// Like [`FinishedRun::run`], with an observer.
    pub fn run_observed(
        experiment: &Experiment,
        module: &Rc<Module>,
        limits: Limits,
        observer: &mut dyn Observer,
    ) -> Result<Self, EvalError> {
        Self::evaluate(experiment, module, limits, Some(observer))
    }

    /// Like [`FinishedRun::run_observed`], with kernels for large instructions; waits for kernels in other workers.
    pub async fn run_with_kernels(
        experiment: &Experiment,
        module: &Rc<Module>,
        limits: Limits,
        observer: &mut dyn Observer,
        kernels: Option<Rc<dyn Kernels>>,
    ) -> Result<Self, EvalError> {
        let arguments = Self::arguments(experiment, module, limits)?;
        let outcome = {
            let mut evaluator =
                Evaluator::new(module).edition(experiment.edition).seed(experiment.seed).limits(limits);
            evaluator = evaluator.observer(observer);
            if let Some(kernels) = kernels {
                evaluator = evaluator.kernels(kernels, MIN_KERNEL_WORK);
            }
            evaluator.run_with_values_owned_async(arguments).await?
        };
        Ok(Self::from_outcome(experiment, module.clone(), outcome))
    }

    fn arguments(
        experiment: &Experiment,
        module: &Module,
        limits: Limits,
    ) -> Result<Vec<Literal>, EvalError> {
        // Arguments are allocated before the memory budget of the run applies.
        let bytes = parameter_bytes(module);
        if bytes.is_none_or(|bytes| bytes > limits.bytes) {
            return Err(too_large(limits.bytes));
        }
        arguments(experiment, module).map_err(|error| match error {
            ArgumentError::Values(error) => run_error(&error),
            ArgumentError::Memory => no_memory(parameters(module).as_ref().map_or(0, slots_of)),
        })
    }

    fn evaluate(
        experiment: &Experiment,
        module: &Rc<Module>,
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Self, EvalError> {
        let arguments = Self::arguments(experiment, module, limits)?;
        let outcome = {
            let mut evaluator =
                Evaluator::new(module).edition(experiment.edition).seed(experiment.seed).limits(limits);
            if let Some(observer) = observer {
                evaluator = evaluator.observer(observer);
            }
            evaluator.run_with_values_owned(arguments)?
        };
        Ok(Self::from_outcome(experiment, module.clone(), outcome))
    }

    /// A run of the same experiment in another worker, from its values.
    pub fn from_values(experiment: &Experiment, module: Rc<Module>, values: RunValues, steps: u64) -> Self {
        Self::from_outcome(experiment, module, Outcome::from_values(values, steps))
    }

    fn from_outcome(experiment: &Experiment, module: Rc<Module>, outcome: Outcome) -> Self {
        Self {
            module,
            edition: experiment.edition,
            seed: experiment.seed,
            steps: outcome.steps,
            outcome: Rc::new(outcome),
            selected: None,
            is_partial: false,
            ranges: Rc::default(),
            uses: Rc::default(),
        }
    }

    /// The values of a replica; `None` if there is no such replica.
    pub fn from_replica(
        experiment: &Experiment,
        module: &Rc<Module>,
        run: Rc<ReplicaRun>,
        replica: usize,
    ) -> Option<Self> {
        let values = run.values(replica)?.clone();
        let finished = Self::from_values(experiment, module.clone(), values, run.steps);
        Some(Self { selected: Some(SelectedReplica { run, replica }), ..finished })
    }

    /// Sets the known ranges of some arrays, so that they need not be computed.
    #[must_use]
    pub fn with_ranges(mut self, ranges: Vec<(Arc<ArrayLiteral>, ValueRange)>) -> Self {
        self.ranges = Rc::new(ranges);
        self
    }

    /// The same run, marked as one in which values that the result needs are missing.
    #[must_use]
    pub fn marked_partial(mut self) -> Self {
        self.is_partial = true;
        self
    }

    /// Whether it ran with a host or on several devices.
    pub fn ran_with_host_or_multiple_devices(&self) -> bool {
        self.selected.is_some()
    }

    /// Whether values that the result needs are missing, because they were too large to transfer from the worker.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// The range of an array's values, if it is already known.
    pub fn range(&self, array: &Arc<ArrayLiteral>) -> Option<ValueRange> {
        self.ranges.iter().find(|(known, _)| Arc::ptr_eq(known, array)).map(|(_, range)| *range)
    }

    /// The edition it ran in.
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// The module that ran.
    pub fn module(&self) -> &Rc<Module> {
        &self.module
    }

    /// The value of an instruction of the entry computation.
    pub fn value(&self, id: InstructionId) -> Option<&Data> {
        self.outcome.values.get(id)
    }

    /// What computed each value: a kernel or the semantics of the op.
    pub fn computed_by(&self) -> &[Option<ComputedBy>] {
        &self.outcome.values.computed_by
    }

    /// The state of the random number generators before each instruction ran.
    pub fn random_positions(&self) -> &[RandomPosition] {
        &self.outcome.values.random_positions
    }

    /// Calls `query` with a tracer of a run on a single device.
    fn with_tracer<T>(
        &self,
        query: impl FnOnce(&mut Tracer) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let evaluator =
            Evaluator::new(&self.module).edition(self.edition).seed(self.seed).limits(QUERY_LIMITS);
        query(&mut evaluator.tracer(&self.outcome).max_cells(MAX_QUERY_CELLS))
    }

    /// Calls `query` with [`FinishedRun::sources`] or [`FinishedRun::origins`] of one instruction; all calls share the limits of one
    /// query.
    fn with_sources<T>(
        &self,
        id: InstructionId,
        arrays: UsedArrays,
        query: impl FnOnce(&mut dyn FnMut(&CellAt) -> Result<Vec<Source>, EvalError>) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        match &self.selected {
            Some(selected) => selected.with_tracer(self.tracer_settings(), |tracer| {
                query(&mut |cell| {
                    let sources = match arrays {
                        UsedArrays::Operands => tracer.sources(selected.replica, id, cell),
                        UsedArrays::Parameters => tracer.origins(selected.replica, id, cell),
                    };
                    Ok(on_selected_replica(selected, sources?))
                })
            }),
            None => self.with_tracer(|tracer| {
                query(&mut |cell| match arrays {
                    UsedArrays::Operands => tracer.sources(id, cell),
                    UsedArrays::Parameters => tracer.origins(id, cell),
                })
            }),
        }
    }

    /// The operand cells that a cell of an instruction was computed from, in the order they were read. Fails like
    /// [`Tracer::sources`], with limits that keep the page responsive.
    pub fn sources(&self, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        if let Some(selected) = &self.selected {
            return Ok(on_selected_replica(selected, selected.sources(self.tracer_settings(), id, cell)?));
        }
        self.with_tracer(|tracer| tracer.sources(id, cell))
    }

    /// The sources of a cell, with the calls of scalar computations for it, in order.
    pub fn sources_and_calls(
        &self,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<ScalarCall>), EvalError> {
        if let Some(selected) = &self.selected {
            return selected.sources_and_calls(self.tracer_settings(), id, cell);
        }
        self.with_tracer(|tracer| tracer.sources_and_calls(id, cell))
    }

    /// Calls `f` with the op of an instruction of the entry computation, and its context.
    fn with_op<T>(
        &self,
        id: InstructionId,
        f: impl FnOnce(&'static dyn OpDef, &OpContext) -> Option<T>,
    ) -> Option<T> {
        let entry = self.module.entry_computation()?;
        let instruction = entry.get(id)?;
        let shapes = Module::operand_shapes(entry, instruction);
        f(instruction.op?, &self.module.infer(instruction, &shapes, Some(&instruction.shape), self.edition)?)
    }

    /// The base area of an instruction of the entry computation, if its op has windows.
    pub fn base_area(&self, id: InstructionId) -> Option<BaseArea> {
        self.with_op(id, OpDef::base_area)
    }

    /// The slice that an output cell is copied from, if the op of the instruction copies slices: its operand, and the first and
    /// last index of each of its parts: a slice that wraps around has several. `sources` are those of the cell.
    pub fn copied_slice(
        &self,
        id: InstructionId,
        out: &[i64],
        sources: &[Source],
    ) -> Option<(usize, Vec<[Dims; 2]>)> {
        let (slice, bounds) = self.with_op(id, |op, cx| {
            let slice = op.copied_slice(cx, out)?;
            let bounds = cx.array(slice.operand).ok()?.dimensions.clone();
            Some((slice, bounds))
        })?;
        let is_source = |source: &&Source| source.operand == slice.operand && source.role == Role::Value;
        let source = sources.iter().find(is_source)?;
        Some((slice.operand, slice.parts(&source.cell.index, &bounds)))
    }

    /// The parameter cells that a cell was computed from, through all instructions between. Fails like
    /// [`FinishedRun::sources`].
    pub fn origins(&self, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        if let Some(selected) = &self.selected {
            return Ok(on_selected_replica(selected, selected.origins(self.tracer_settings(), id, cell)?));
        }
        self.with_tracer(|tracer| tracer.origins(id, cell))
    }

    fn tracer_settings(&self) -> TracerSettings<'_> {
        TracerSettings { module: &self.module, seed: self.seed, edition: self.edition }
    }

    /// Like [`FinishedRun::sources`], on all replicas; `None` for a run on a single device without a host, or if the query fails.
    pub fn sources_on_all_replicas(&self, id: InstructionId, cell: &CellAt) -> Option<Vec<DeviceSource>> {
        self.selected.as_ref()?.sources(self.tracer_settings(), id, cell).ok()
    }

    /// Like [`FinishedRun::origins`], on all replicas; `None` for a run on a single device without a host, or if the query fails.
    pub fn origins_on_all_replicas(&self, id: InstructionId, cell: &CellAt) -> Option<Vec<DeviceSource>> {
        self.selected.as_ref()?.origins(self.tracer_settings(), id, cell).ok()
    }

    /// The index of the selected replica; 0 for a run on a single device.
    pub fn selected_replica(&self) -> usize {
        self.selected.as_ref().map_or(0, |selected| selected.replica)
    }

    /// The value of an instruction of the entry computation on a replica.
    pub fn value_on_replica(&self, replica: usize, id: InstructionId) -> Option<&Data> {
        match &self.selected {
            Some(selected) => selected.run.values(replica)?.get(id),
            None => self.value(id).filter(|_| replica == 0),
        }
    }

    /// The parameters that an instruction depends on, directly or transitively: parameter number and instruction.
    pub fn parameter_dependencies(&self, id: InstructionId) -> Vec<(usize, InstructionId)> {
        let Some(entry) = self.module.entry_computation() else { return Vec::new() };
        let mut reached = std::collections::BTreeSet::from([id]);
        // Operands precede their users.
        for (user, instruction) in entry.iter().collect::<Vec<_>>().into_iter().rev() {
            if reached.contains(&user) {
                reached.extend(instruction.operands.iter().copied());
            }
        }
        entry.parameters.iter().copied().enumerate().filter(|(_, id)| reached.contains(id)).collect()
    }

    /// The cells of an instruction's value that depend on a cell of an operand or of a parameter, by its number. `None` if there are
    /// too many cells to trace, or if tracing is not complete; [`FinishedRun::trace_uses`] continues it.
    pub fn uses(
        &self,
        id: InstructionId,
        arrays: UsedArrays,
        number: usize,
        cell: &CellAt,
    ) -> Option<Vec<CellAt>> {
        self.start_tracing_uses(id, arrays);
        match self.uses.borrow().get(&(id, arrays))? {
            UseIndex::Complete(uses) => Some(uses.get(&(number, cell.clone())).cloned().unwrap_or_default()),
            UseIndex::InProgress(_) | UseIndex::Unavailable => None,
        }
    }

    /// Traces a first batch of the instruction's output cells, unless that is done. Returns whether more cells remain.
    pub fn start_tracing_uses(&self, id: InstructionId, arrays: UsedArrays) -> bool {
        self.trace_uses(id, arrays, 0)
    }

    /// Traces further output cells of an instruction, at a cost of about `reads` reads (the first batch has a fixed
    /// cost). Returns whether more cells remain.
    pub fn trace_uses(&self, id: InstructionId, arrays: UsedArrays, reads: usize) -> bool {
        let mut all_uses = self.uses.borrow_mut();
        let is_first = !all_uses.contains_key(&(id, arrays));
        let index = all_uses.entry((id, arrays)).or_insert_with(|| UseIndex::new(self.value(id)));
        let reads = if is_first { FIRST_BATCH_READS } else { reads };
        let entry = self.module.entry_computation();
        let operands = entry.and_then(|entry| entry.get(id)).map_or(0, |i| i.operands.len());
        if !matches!(index, UseIndex::InProgress(_)) {
            return false;
        }
        let traced = self.with_sources(id, arrays, |sources_of| {
            index.trace_batch(reads, operands, sources_of);
            Ok(())
        });
        if traced.is_err() {
            *index = UseIndex::Unavailable;
        }
        matches!(index, UseIndex::InProgress(_))
    }
}

/// The sources on the selected replica.
fn on_selected_replica(selected: &SelectedReplica, sources: Vec<DeviceSource>) -> Vec<Source> {
    let own_sources = sources.into_iter().filter(|source| source.device == selected.replica);
    own_sources.map(|source| source.source).collect()
}
