//! What an evaluation job is: an experiment made into a [`Job`], the job run, and its answer made into values again.
//!
//! Nothing here knows of threads; the page and the worker each use their half of it, and tests both. Invariant: the
//! text and the edition alone decide the numbers of instructions, so that both sides mean the same ones.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use super::messages::{Asked, Differs, Done, Failure, Job, JobValues, MadeBy, Progress, Reply, ValueAt};
use crate::array::{ArrayLiteral, ArrayShape, Edition, Shape, text};
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, ComputedBy, Kernels, Mode};
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::eval::values::Values as RunValues;
use crate::hlo::parser::parse_edition;
use crate::hlo::{EvalError, InstructionId, Limits, Module};
use crate::i18n::Language;
use crate::ops::{Data, Drawn, Fallback};
use crate::state::document::Values;
use crate::state::experiment::Experiment;
use crate::state::experiment::compared::{Compared, compare};
use crate::state::experiment::iterations;
use crate::state::experiment::run::Ran;
use crate::view::inner::parts;

/// What a job may take: the products of ten matrices of 1024 by 1024, and a gigabyte. Who waits for it can
/// end it at any moment.
pub const LIMITS: Limits = Limits { steps: 20_000_000_000, bytes: 1 << 30 };

/// The most cells of all values together that are handed over to the page.
const HANDED: i64 = 1 << 24;

/// Milliseconds from one word on the progress to the next.
pub const EVERY: f64 = 100.0;

/// The memory of arrays, beside a header.
pub type Memory = Vec<Vec<u8>>;

/// The job that runs an experiment.
pub fn job(experiment: &Experiment, focus: InstructionId, epoch: u64, language: Language) -> Job {
    let values = experiment.values.iter().map(|values| match values {
        Values::Letters | Values::Iota => JobValues::Iota,
        Values::Random(seed) => JobValues::Random(*seed),
        Values::Typed(text) => JobValues::Typed(text.clone()),
    });
    Job {
        epoch,
        text: experiment.text.clone(),
        values: values.collect(),
        is_2017: experiment.edition == Edition::V2017,
        seed: experiment.seed,
        focus: focus.index(),
        language: language.tag().to_owned(),
        kernels: Asked::default(),
        compares: false,
        steps: LIMITS.steps,
        bytes: LIMITS.bytes,
        handed: HANDED,
        is_alone: false,
    }
}

fn experiment(job: &Job) -> Experiment {
    let values = job.values.iter().map(|values| match values {
        JobValues::Iota => Values::Iota,
        JobValues::Random(seed) => Values::Random(*seed),
        JobValues::Typed(text) => Values::Typed(text.clone()),
    });
    Experiment {
        values: values.collect(),
        edition: if job.is_2017 { Edition::V2017 } else { Edition::Now },
        seed: job.seed,
        ..Experiment::of(job.text.as_str())
    }
}

/// Looks on while a job runs, and tells how far it is.
struct Watch<'a> {
    epoch: u64,
    module: &'a Module,
    place: Option<Position>,
    clock: &'a dyn Fn() -> f64,
    told: f64,
    tell: &'a mut dyn FnMut(Progress),
    /// The loop that is looked at.
    carried: Option<iterations::Watch<'a>>,
}

impl Observer for Watch<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if let Some(carried) = &mut self.carried {
            carried.value(frame, id, value);
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, place: Position) {
        self.place = Some(place);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        let now = (self.clock)();
        if now - self.told >= EVERY {
            self.told = now;
            let entry = self.module.entry_computation();
            let instruction = self.place.zip(entry).and_then(|(place, entry)| entry.get(place.instruction));
            (self.tell)(Progress {
                epoch: self.epoch,
                steps,
                instruction: instruction.map(|i| i.name.clone()).unwrap_or_default(),
                cells: self.place.and_then(|place| place.cells),
            });
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// Runs a job; `clock` gives milliseconds, and `tell` is called about ten times a second while it runs, and before each
/// kernel, which tells of itself.
pub async fn run(
    job: &Job,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    tell: &mut dyn FnMut(Progress),
) -> (Reply, Memory) {
    let epoch = job.epoch;
    let language = Language::for_tag(&job.language).unwrap_or(Language::ENGLISH);
    let failed = |failure| (Reply::Failed { epoch, failure }, Memory::new());
    let experiment = experiment(job);
    let module = match parse_edition(&job.text, experiment.edition).into_module() {
        Ok(module) => Rc::new(module),
        Err(error) => {
            return failed(Failure {
                message: error.message.say(language),
                rule: error.rule.to_owned(),
                hints: error.hints.iter().map(|hint| hint.message.say(language)).collect(),
                place: None,
            });
        }
    };
    let carried = iterations::Watch::new(&module, focus_of(job), parts);
    let mut watch = Watch { epoch, module: &module, place: None, clock, told: clock(), tell, carried };
    let limits = Limits { steps: job.steps, bytes: job.bytes };
    match Ran::by_kernels(&experiment, &module, limits, &mut watch, kernels).await {
        Ok(ran) => {
            let mut handed = Handed { left: job.handed, ..Handed::default() };
            match handed.done(job, &ran) {
                Ok(mut done) => {
                    let carried = watch.carried.take().and_then(iterations::Watch::seen);
                    done.carried = carried.map(|carried| (job.focus, carried));
                    if job.compares {
                        match Ran::by_kernels(&experiment, &module, limits, &mut watch, None).await {
                            Ok(definition) => done.compared = differs(job, &ran, &definition),
                            Err(error) => return failed(failure(&error, &module, language)),
                        }
                    }
                    (Reply::Done(done), handed.memory)
                }
                Err(error) => failed(Failure {
                    message: error.message.say(language),
                    rule: error.rule.to_owned(),
                    hints: Vec::new(),
                    place: None,
                }),
            }
        }
        Err(error) => failed(failure(&error, &module, language)),
    }
}

/// The instruction that is looked at.
fn focus_of(job: &Job) -> InstructionId {
    u32::try_from(job.focus).map_or_else(|_| InstructionId::default(), InstructionId)
}

/// How the value that is wanted first differs from that of the definitions.
fn differs(job: &Job, ran: &Ran, definition: &Ran) -> Option<Differs> {
    let focus = InstructionId(u32::try_from(job.focus).ok()?);
    let Compared { all, differing, worst } = compare(ran.value(focus)?, definition.value(focus)?)?;
    let worst = worst.map(|w| (w.index.to_vec(), w.kernel, w.definition, w.units));
    Some(Differs { all, differing, worst })
}

/// An error of a run, said.
pub fn failure(error: &EvalError, module: &Module, language: Language) -> Failure {
    let place = error.at.and_then(|(computation, instruction)| {
        let computation = module.get(computation)?;
        Some((computation.name.clone(), computation.get(instruction)?.name.clone()))
    });
    Failure {
        message: error.error.message.say(language),
        rule: error.error.rule.to_owned(),
        hints: error.error.hints.iter().map(|hint| hint.message.say(language)).collect(),
        place,
    }
}

/// What made a value, on its way.
fn made_by(made: &ComputedBy) -> MadeBy {
    match made {
        ComputedBy::Body(Fallback::Unavailable(cause)) => MadeBy::Unavailable(cause.code()),
        ComputedBy::Substitute(name, build, cause) => {
            MadeBy::Substitute(name.clone(), *build == Build::Scalar, cause.code())
        }
        ComputedBy::Body(why) => {
            MadeBy::Body(Fallback::ALL.iter().position(|fallback| fallback == why).unwrap_or_default())
        }
        ComputedBy::Kernel(name, Mode::Strict, workers) => MadeBy::Strict(name.clone(), *workers),
        ComputedBy::Kernel(name, Mode::Fast, workers) => MadeBy::Fast(name.clone(), *workers),
    }
}

fn made_of(made: &MadeBy) -> Option<ComputedBy> {
    Some(match made {
        MadeBy::Body(why) => ComputedBy::Body(Fallback::ALL.get(*why)?.clone()),
        MadeBy::Unavailable(code) => ComputedBy::Body(Fallback::Unavailable(Cause::of_code(code)?)),
        MadeBy::Substitute(name, is_scalar, code) => {
            let build = if *is_scalar { Build::Scalar } else { Build::Strict };
            ComputedBy::Substitute(name.clone(), build, Cause::of_code(code)?)
        }
        MadeBy::Strict(name, workers) => ComputedBy::Kernel(name.clone(), Mode::Strict, *workers),
        MadeBy::Fast(name, workers) => ComputedBy::Kernel(name.clone(), Mode::Fast, *workers),
    })
}

/// Values on their way.
#[derive(Default)]
struct Handed {
    left: i64,
    memory: Memory,
    /// Arrays that are handed over already: values share them.
    known: BTreeMap<*const ArrayLiteral, ValueAt>,
}

impl Handed {
    fn done(&mut self, job: &Job, ran: &Ran) -> Result<Done, crate::array::literal::LiteralError> {
        let focus = focus_of(job);
        let mut order = vec![focus];
        if let Some(entry) = ran.module().entry_computation() {
            order.extend(entry.get(focus).into_iter().flat_map(|i| i.operands.iter()));
            order.extend(&entry.parameters);
            order.extend(entry.iter().map(|(id, _)| id));
        }
        let (mut seen, mut values, mut is_partial) = (BTreeSet::new(), Vec::new(), false);
        for id in order.into_iter().filter(|id| seen.insert(*id)) {
            let Some(value) = ran.value(id) else { continue };
            let cells = self.cells(value);
            if cells > self.left {
                is_partial = true;
                continue;
            }
            self.left -= cells;
            values.push((id.index(), self.hand(value)?));
        }
        #[allow(clippy::cast_possible_truncation, reason = "the halves of a number")]
        let halves = |of: &Drawn| (of.number, (of.advanced >> 64) as u64, of.advanced as u64);
        let drawn = ran.drawn().iter().map(halves).collect();
        let made = ran.computed_by().iter().map(|made| made.as_ref().map(made_by)).collect();
        Ok(Done {
            epoch: job.epoch,
            steps: ran.steps,
            values,
            is_partial,
            drawn,
            made,
            compared: None,
            carried: None,
        })
    }

    /// The cells of a value that are not handed over yet.
    fn cells(&self, value: &Data) -> i64 {
        match value {
            Data::Array(array) if self.known.contains_key(&Arc::as_ptr(array)) => 0,
            Data::Array(array) => array.map().cells(),
            Data::Tuple(elements) => elements.iter().map(|element| self.cells(element)).sum(),
            Data::Token => 0,
        }
    }

    fn hand(&mut self, value: &Data) -> Result<ValueAt, crate::array::literal::LiteralError> {
        Ok(match value {
            Data::Token => ValueAt::Token,
            Data::Tuple(elements) => {
                ValueAt::Tuple(elements.iter().map(|element| self.hand(element)).collect::<Result<_, _>>()?)
            }
            Data::Array(array) => {
                if let Some(known) = self.known.get(&Arc::as_ptr(array)) {
                    return Ok(known.clone());
                }
                let memory = self.memory.len();
                self.memory.push(array.to_raw()?);
                let range = array.finite_range().unwrap_or((0.0, 1.0));
                let handed = ValueAt::Array { shape: array.shape().to_string(), memory, range };
                self.known.insert(Arc::as_ptr(array), handed.clone());
                handed
            }
        })
    }
}

/// What an array is filled with, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its shape.
    pub shape: ArrayShape,
    /// Its smallest and largest finite value.
    pub range: (f64, f64),
}

/// The arrays beside an answer, by the number of their memory; `None` where the answer makes no sense.
pub fn expected(done: &Done) -> Option<Vec<Expected>> {
    fn walk(value: &ValueAt, found: &mut BTreeMap<usize, Expected>) -> Option<()> {
        match value {
            ValueAt::Token => {}
            ValueAt::Tuple(elements) => elements.iter().try_for_each(|element| walk(element, found))?,
            ValueAt::Array { shape, memory, range } => {
                if !found.contains_key(memory) {
                    let shape = text::parse(shape).valid().and_then(Shape::as_array)?.clone();
                    found.insert(*memory, Expected { shape, range: *range });
                }
            }
        }
        Some(())
    }
    let mut found = BTreeMap::new();
    done.values.iter().try_for_each(|(_, value)| walk(value, &mut found))?;
    let is_whole = found.keys().copied().eq(0..found.len());
    is_whole.then(|| found.into_values().collect())
}

fn data(value: &ValueAt, arrays: &[Arc<ArrayLiteral>]) -> Option<Data> {
    Some(match value {
        ValueAt::Token => Data::Token,
        ValueAt::Tuple(elements) => {
            Data::Tuple(elements.iter().map(|element| data(element, arrays)).collect::<Option<_>>()?)
        }
        ValueAt::Array { memory, .. } => Data::Array(arrays.get(*memory)?.clone()),
    })
}

/// The run of an answer whose arrays have arrived; `None` where it is not one of this module.
pub fn ran(
    done: &Done,
    arrays: &[Arc<ArrayLiteral>],
    experiment: &Experiment,
    module: &Rc<Module>,
) -> Option<Ran> {
    let entry = module.entry_computation()?;
    if done.drawn.len() != entry.instructions.len() {
        return None;
    }
    let mut values = vec![None; entry.instructions.len()];
    for (number, value) in &done.values {
        *values.get_mut(*number)? = Some(data(value, arrays)?);
    }
    let drawn = done.drawn.iter().map(|(number, upper, lower)| Drawn {
        number: *number,
        advanced: u128::from(*upper) << 64 | u128::from(*lower),
    });
    let computed_by = done.made.iter().map(|made| made.as_ref().and_then(made_of)).collect();
    let values = RunValues { computation: module.entry?, values, drawn: drawn.collect(), computed_by };
    let ranges = arrays.iter().cloned().zip(expected(done)?).map(|(array, of)| (array, of.range));
    let ran = Ran::of(experiment, module.clone(), values, done.steps).knowing(ranges.collect());
    Some(if done.is_partial { ran.partly() } else { ran })
}
