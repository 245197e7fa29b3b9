//! What an experiment gives: the value of every instruction, and for a cell the cells it came from and went to.
//!
//! Everything here is asked of the ops' own bodies through [`xla_hlo`]; nothing is worked out a second time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::devices::{ReplicaRun, TraceSettings, Traced};
use super::limits::{MAX_TRACED_CELLS, QUESTION_LIMITS, parameter_bytes, parameters, too_large};
use super::uses::{Counting, READS_AT_ONCE};
use crate::Experiment;
use crate::arguments::{NoArgument, arguments, refused};
use xla_array::literal::{LiteralError, cells_of};
use xla_array::{ArrayLiteral, Edition, Literal};
use xla_hlo::eval::kernel::{ComputedBy, Kernels, MIN_KERNEL_STEPS};
use xla_hlo::eval::values::Values as RunValues;
use xla_hlo::{
    EvalError, Evaluator, InstructionId, Limits, Module, Observer, Outcome, ReplicaSource, Tracer,
};
use xla_messages::i18n::Message;
use xla_ops::{Applied, Base, CellAt, Data, OpError, RandomPosition, Source};

fn no_memory(cells: i64) -> EvalError {
    let found = LiteralError::no_memory(usize::try_from(cells).unwrap_or_default());
    let error = OpError::new("parameter", found.rule, found.message);
    EvalError { at: None, error: Box::new(error.advise(Message::engine("eval-hint-smaller"))) }
}

/// The smallest and largest finite element of an array.
pub type Range = (f64, f64);

/// The values of a run.
#[derive(Clone)]
pub struct FinishedRun {
    module: Rc<Module>,
    edition: Edition,
    seed: u64,
    outcome: Rc<Outcome>,
    /// The run on several devices or with a host, of which this is one replica.
    replicas: Option<Traced>,
    /// Steps taken.
    pub steps: u64,
    /// Whether values the result needs are missing.
    is_partial: bool,
    ranges: Rc<Vec<(Arc<ArrayLiteral>, Range)>>,
    uses: Rc<RefCell<BTreeMap<InstructionId, Counting>>>,
}

impl PartialEq for FinishedRun {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.outcome, &other.outcome)
    }
}

impl FinishedRun {
    /// Runs a module without errors on the experiment's arguments, within limits. Errors: those of the run.
    pub fn new(experiment: &Experiment, module: &Rc<Module>, limits: Limits) -> Result<Self, EvalError> {
        Self::run(experiment, module, limits, None)
    }

    /// As [`FinishedRun::new`], with an observer.
    pub fn observed(
        experiment: &Experiment,
        module: &Rc<Module>,
        limits: Limits,
        observer: &mut dyn Observer,
    ) -> Result<Self, EvalError> {
        Self::run(experiment, module, limits, Some(observer))
    }

    /// As [`FinishedRun::observed`], with kernels for large instructions, if there are any; it may wait for these.
    pub async fn with_kernels(
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
                evaluator = evaluator.kernels(kernels, MIN_KERNEL_STEPS);
            }
            evaluator.run_all_owned_async(arguments).await?
        };
        Ok(Self::of_outcome(experiment, module.clone(), outcome))
    }

    fn arguments(
        experiment: &Experiment,
        module: &Module,
        limits: Limits,
    ) -> Result<Vec<Literal>, EvalError> {
        // Arguments are allocated before the run counts anything.
        let bytes = parameter_bytes(module);
        if bytes.is_none_or(|bytes| bytes > limits.bytes) {
            return Err(too_large(limits.bytes));
        }
        arguments(experiment, module).map_err(|why| match why {
            NoArgument::Unreadable(unreadable) => refused(&unreadable),
            NoArgument::Memory => no_memory(parameters(module).as_ref().map_or(0, cells_of)),
        })
    }

    fn run(
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
            evaluator.run_all_owned(arguments)?
        };
        Ok(Self::of_outcome(experiment, module.clone(), outcome))
    }

    /// Values that were computed in another process, from the same experiment.
    pub fn of(experiment: &Experiment, module: Rc<Module>, values: RunValues, steps: u64) -> Self {
        Self::of_outcome(experiment, module, Outcome::from_values(values, steps))
    }

    fn of_outcome(experiment: &Experiment, module: Rc<Module>, outcome: Outcome) -> Self {
        Self {
            module,
            edition: experiment.edition,
            seed: experiment.seed,
            steps: outcome.steps,
            outcome: Rc::new(outcome),
            replicas: None,
            is_partial: false,
            ranges: Rc::default(),
            uses: Rc::default(),
        }
    }

    /// The values of a replica; `None` where there is no such replica.
    pub fn of_replica(
        experiment: &Experiment,
        module: &Rc<Module>,
        run: Rc<ReplicaRun>,
        device: usize,
    ) -> Option<Self> {
        let ran = Self::of(experiment, module.clone(), run.values(device)?.clone(), run.steps);
        Some(Self { replicas: Some(Traced { run, device }), ..ran })
    }

    /// With the ranges of some of the arrays, so that they need not be computed.
    #[must_use]
    pub fn with_ranges(mut self, ranges: Vec<(Arc<ArrayLiteral>, Range)>) -> Self {
        self.ranges = Rc::new(ranges);
        self
    }

    /// Without some of the values that the result needs.
    #[must_use]
    pub fn as_partial(mut self) -> Self {
        self.is_partial = true;
        self
    }

    /// Whether it ran with a host or several devices.
    pub fn has_host_or_devices(&self) -> bool {
        self.replicas.is_some()
    }

    /// Whether values that the result needs are missing: they were too large to be brought here.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// The smallest and largest finite element of an array, where it is known already.
    pub fn range(&self, array: &Arc<ArrayLiteral>) -> Option<Range> {
        self.ranges.iter().find(|(of, _)| Arc::ptr_eq(of, array)).map(|(_, range)| *range)
    }

    /// The module that ran.
    pub fn module(&self) -> &Rc<Module> {
        &self.module
    }

    /// The value of an instruction of the entry computation.
    pub fn value(&self, id: InstructionId) -> Option<&Data> {
        self.outcome.values.get(id)
    }

    /// What computed the value of each instruction.
    pub fn computed_by(&self) -> &[Option<ComputedBy>] {
        &self.outcome.values.computed_by
    }

    /// The state of the random number generators before each instruction ran.
    pub fn random_positions(&self) -> &[RandomPosition] {
        &self.outcome.values.random_positions
    }

    fn ask<T>(&self, ask: impl FnOnce(&mut Tracer) -> Result<T, EvalError>) -> Result<T, EvalError> {
        let evaluator =
            Evaluator::new(&self.module).edition(self.edition).seed(self.seed).limits(QUESTION_LIMITS);
        ask(&mut evaluator.tracer(&self.outcome).max_cells(MAX_TRACED_CELLS))
    }

    /// As [`FinishedRun::sources`], of many cells within the limits of one question.
    fn ask_sources<T>(
        &self,
        id: InstructionId,
        ask: impl FnOnce(&mut dyn FnMut(&CellAt) -> Result<Vec<Source>, EvalError>) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        match &self.replicas {
            Some(replicas) => replicas.ask(self.asked(), |tracer| {
                ask(&mut |cell| Ok(own(replicas, tracer.sources(replicas.device, id, cell)?)))
            }),
            None => self.ask(|tracer| ask(&mut |cell| tracer.sources(id, cell))),
        }
    }

    /// The cells of an instruction's operands that a cell of its value came from, in the order they were read.
    /// Errors: as [`Tracer::sources`], within limits that let the page answer at once.
    pub fn sources(&self, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        if let Some(replicas) = &self.replicas {
            return Ok(own(replicas, replicas.sources(self.asked(), id, cell)?));
        }
        self.ask(|tracer| tracer.sources(id, cell))
    }

    /// The sources of a cell, with the calls of computations on elements that made it, in their order.
    pub fn applications(
        &self,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<Applied>), EvalError> {
        if let Some(replicas) = &self.replicas {
            return replicas.applications(self.asked(), id, cell);
        }
        self.ask(|tracer| tracer.applications(id, cell))
    }

    /// The base area of an instruction of the entry computation, where its op has one.
    pub fn base(&self, id: InstructionId) -> Option<Base> {
        let entry = self.module.entry_computation()?;
        let instruction = entry.get(id)?;
        let shapes = Module::operand_shapes(entry, instruction);
        instruction.op?.base(&self.module.infer(
            instruction,
            &shapes,
            Some(&instruction.shape),
            self.edition,
        )?)
    }

    /// The cells of the parameters that a cell came from, through all instructions between. Errors: as
    /// [`FinishedRun::sources`].
    pub fn origins(&self, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        if let Some(replicas) = &self.replicas {
            return Ok(own(replicas, replicas.origins(self.asked(), id, cell)?));
        }
        self.ask(|tracer| tracer.origins(id, cell))
    }

    fn asked(&self) -> TraceSettings<'_> {
        TraceSettings { module: &self.module, seed: self.seed, edition: self.edition }
    }

    /// As [`FinishedRun::sources`], on all replicas; `None` where one device ran alone.
    pub fn sources_everywhere(&self, id: InstructionId, cell: &CellAt) -> Option<Vec<ReplicaSource>> {
        self.replicas.as_ref()?.sources(self.asked(), id, cell).ok()
    }

    /// As [`FinishedRun::origins`], on all replicas; `None` where one device ran alone.
    pub fn origins_everywhere(&self, id: InstructionId, cell: &CellAt) -> Option<Vec<ReplicaSource>> {
        self.replicas.as_ref()?.origins(self.asked(), id, cell).ok()
    }

    /// The selected replica.
    pub fn device(&self) -> usize {
        self.replicas.as_ref().map_or(0, |replicas| replicas.device)
    }

    /// The value of an instruction of the entry computation on a replica.
    pub fn value_on(&self, device: usize, id: InstructionId) -> Option<&Data> {
        match &self.replicas {
            Some(replicas) => replicas.run.values(device)?.get(id),
            None => self.value(id).filter(|_| device == 0),
        }
    }

    /// The parameters that an instruction depends on, through whatever stands between: number and instruction.
    pub fn parameters_behind(&self, id: InstructionId) -> Vec<(usize, InstructionId)> {
        let Some(entry) = self.module.entry_computation() else { return Vec::new() };
        let mut reached = std::collections::BTreeSet::from([id]);
        // Operands stand before their users.
        for (user, instruction) in entry.iter().collect::<Vec<_>>().into_iter().rev() {
            if reached.contains(&user) {
                reached.extend(instruction.operands.iter().copied());
            }
        }
        entry.parameters.iter().copied().enumerate().filter(|(_, id)| reached.contains(id)).collect()
    }

    /// The cells of an instruction's value that came, among others, from a cell of an operand; `None` where there
    /// are too many cells to ask, or where [`FinishedRun::count_uses`] has to be called first.
    pub fn uses(&self, id: InstructionId, operand: usize, cell: &CellAt) -> Option<Vec<CellAt>> {
        self.count_uses(id, 0);
        match self.uses.borrow().get(&id)? {
            Counting::Known(uses) => Some(uses.get(&(operand, cell.clone())).cloned().unwrap_or_default()),
            Counting::Under(_) | Counting::TooMany => None,
        }
    }

    /// Asks more output cells where they came from, as long as they read no more than `reads` cells; with 0 as long
    /// as one waits for it the first time. Says whether there are more to ask.
    pub fn count_uses(&self, id: InstructionId, reads: usize) -> bool {
        let mut all = self.uses.borrow_mut();
        let is_first = !all.contains_key(&id);
        let counting = all.entry(id).or_insert_with(|| Counting::new(self.value(id)));
        let reads = if is_first { READS_AT_ONCE } else { reads };
        let entry = self.module.entry_computation();
        let operands = entry.and_then(|entry| entry.get(id)).map_or(0, |i| i.operands.len());
        if !matches!(counting, Counting::Under(_)) {
            return false;
        }
        let asked = self.ask_sources(id, |sources_of| {
            counting.step(reads, operands, sources_of);
            Ok(())
        });
        if asked.is_err() {
            *counting = Counting::TooMany;
        }
        matches!(counting, Counting::Under(_))
    }
}

/// Those of the selected replica.
fn own(replicas: &Traced, found: Vec<ReplicaSource>) -> Vec<Source> {
    let own = found.into_iter().filter(|source| source.device == replicas.device);
    own.map(|source| source.source).collect()
}
