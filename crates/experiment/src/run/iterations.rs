//! Records the values that a loop carries, iteration by iteration, as an observer of the run.
//!
//! A loop is recognized by structure, not by its opcode: an instruction with a condition and a body, which carries a
//! value of the instruction's shape.

use std::ops::ControlFlow;

use super::devices::replicas_without_functions;
use crate::Experiment;
use crate::arguments::arguments;
use crate::needs::Needs;
use xla_array::literal::Equality;
use xla_array::shape_util;
use xla_hlo::eval::meter::{Frame, Observer};
use xla_hlo::{Computation, Evaluator, InstructionId, Limits, Module};
use xla_ops::{AttrValue, ComputationId, Data};

/// Maximum number of recorded iterations, which are the rows of a table.
pub const MAX_ITERATIONS: usize = 4_096;

/// Number of iterations between calls of `should_stop`, which reads the clock.
const CLOCK_CHECK_INTERVAL_ITERATIONS: usize = 16;

/// The result of tracing a loop.
#[derive(Clone, Debug)]
pub enum LoopTrace {
    /// The record of the values that the loop carried.
    Recorded(LoopRecord),
    /// Not traced, because a trace would repeat the call of a user's function.
    NeedsHostCall,
}

/// The record of the values that a loop carried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopRecord {
    /// The value before each iteration and the value after the last one; each as text, one per tuple element.
    pub states: Vec<Vec<String>>,
    /// Whether the loop ran longer than was recorded.
    pub is_truncated: bool,
    /// Whether it never ends: a value repeated, and the carried value alone determines the next one.
    pub is_infinite: bool,
}

impl LoopRecord {
    /// The number of iterations.
    pub fn count(&self) -> usize {
        self.states.len().saturating_sub(1)
    }
}

/// Formats a carried value, as one text per tuple element.
pub type FormatState = fn(&Data) -> Vec<String>;

/// Whether an instruction of the entry computation is a loop.
pub fn is_loop(module: &Module, focus: InstructionId) -> bool {
    loop_body(module, focus).is_some()
}

/// The body of the loop, if the instruction is one.
fn loop_body(module: &Module, focus: InstructionId) -> Option<ComputationId> {
    let instruction = module.entry_computation()?.get(focus)?;
    let called = |name| match instruction.attrs.get(name) {
        Some(AttrValue::Computation(id)) => Some(*id),
        _ => None,
    };
    let body = called("condition").and(called("body"))?;
    let signature = module.get(body).and_then(Computation::signature)?;
    let same = |shape| shape_util::compatible(shape, &instruction.shape);
    let carries_value = matches!(signature.parameters.as_slice(), [only] if same(only));
    (carries_value && same(&signature.result)).then_some(body)
}

/// Maximum number of elements of a carried value that is searched for a cycle: the saved value shares the loop's
/// buffer, so the loop must copy it instead of updating it in place.
const MAX_COMPARED_ELEMENTS: i64 = 1 << 10;

/// Detects a repeated value by Brent's algorithm: each value is compared with a saved earlier one, which is replaced by
/// a later one after 1, 2, 4 … values.
#[derive(Default)]
struct CycleDetector {
    saved: Option<Data>,
    /// The number of values since the saved one.
    values_since_saved: usize,
    /// The number of values after which a later one is saved: 0 before the first value, then a power of two.
    save_interval: usize,
}

impl CycleDetector {
    /// Observes the next value; returns whether it repeats the saved one.
    fn observe(&mut self, value: &Data) -> bool {
        if elements(value) > MAX_COMPARED_ELEMENTS {
            return false;
        }
        if self.saved.as_ref().is_some_and(|saved| saved.equals(value, Equality::Bits)) {
            return true;
        }
        self.values_since_saved += 1;
        if self.values_since_saved > self.save_interval {
            self.save_interval = self.save_interval.saturating_mul(2).max(1);
            self.values_since_saved = 0;
            self.saved = Some(value.clone());
        }
        false
    }
}

/// The number of elements of all arrays of a value.
fn elements(value: &Data) -> i64 {
    match value {
        Data::Array(array) => array.shape().elements().unwrap_or(i64::MAX),
        Data::Tuple(parts) => parts.iter().map(elements).fold(0, i64::saturating_add),
        Data::Token => 0,
    }
}

/// Records the values that a loop carries, as part of an [`Observer`].
pub struct LoopRecorder<'m> {
    module: &'m Module,
    focus: InstructionId,
    body: ComputationId,
    format: FormatState,
    states: Vec<Vec<String>>,
    last: Option<Vec<String>>,
    is_truncated: bool,
    is_done: bool,
    /// `None` if the next value depends on more than the carried one: on the host, other devices or random numbers.
    cycle: Option<CycleDetector>,
    is_infinite: bool,
}

impl<'m> LoopRecorder<'m> {
    /// Creates a recorder for an instruction of the entry computation; `None` if it is not a loop.
    pub fn new(module: &'m Module, focus: InstructionId, format: FormatState) -> Option<Self> {
        let body = loop_body(module, focus)?;
        let needs = Needs::new(module);
        let depends_only_on_state = !needs.requires_simulation() && !needs.seed;
        Some(Self {
            module,
            focus,
            body,
            format,
            states: Vec::new(),
            last: None,
            is_truncated: false,
            is_done: false,
            cycle: depends_only_on_state.then(CycleDetector::default),
            is_infinite: false,
        })
    }

    /// Observes a value; returns whether recording is done.
    pub fn observe(&mut self, frame: Frame, id: InstructionId, value: &Data) -> bool {
        if self.is_done {
            return true;
        }
        if frame.depth == 0 {
            self.is_done = id == self.focus;
            if !self.is_done {
                // The calls so far belong to another instruction.
                self.states.clear();
                self.last = None;
                self.cycle = self.cycle.take().map(|_| CycleDetector::default());
            }
        } else if frame.depth == 1
            && frame.computation == self.body
            && let Some(body) = self.module.get(self.body)
        {
            if body.parameters.first() == Some(&id) {
                self.states.push((self.format)(value));
                self.last = None;
                self.is_infinite = self.cycle.as_mut().is_some_and(|cycle| cycle.observe(value));
                if self.is_infinite || self.states.len() > MAX_ITERATIONS {
                    self.truncate();
                }
            }
            if body.root == Some(id) {
                self.last = Some((self.format)(value));
            }
        }
        self.is_done
    }

    /// Stops recording and marks the record as truncated.
    pub fn truncate(&mut self) {
        (self.is_truncated, self.is_done) = (true, true);
    }

    /// The recorded values; `None` if there are none.
    pub fn finish(mut self) -> Option<LoopRecord> {
        self.states.extend(self.last.filter(|_| !self.is_truncated));
        let (is_truncated, is_infinite) = (self.is_truncated, self.is_infinite);
        (!self.states.is_empty()).then_some(LoopRecord { states: self.states, is_truncated, is_infinite })
    }
}

/// Observes a run only for its loop: ends the run after the loop, or if `should_stop` returns `true`.
struct LoopObserver<'m> {
    recorder: LoopRecorder<'m>,
    should_stop: &'m dyn Fn() -> bool,
}

impl Observer for LoopObserver<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        let count_before = self.recorder.states.len();
        let is_done = self.recorder.observe(frame, id, value);
        let count = self.recorder.states.len();
        if !is_done && count > count_before && count.is_multiple_of(CLOCK_CHECK_INTERVAL_ITERATIONS) {
            return self.progress(0);
        }
        if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn progress(&mut self, _: u64) -> ControlFlow<()> {
        if (self.should_stop)() {
            self.recorder.truncate();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Runs the experiment to trace a loop of the entry computation on the selected replica; `None` if the instruction is
/// not a loop, its body never ran, or the arguments are invalid. If the run exceeds `limits`, is stopped by
/// `should_stop` or waits forever, the result is truncated.
pub fn iterations(
    experiment: &Experiment,
    module: &Module,
    focus: InstructionId,
    (limits, should_stop): (Limits, &dyn Fn() -> bool),
    format: FormatState,
) -> Option<LoopTrace> {
    let recorder = LoopRecorder::new(module, focus, format)?;
    let needs = Needs::new(module);
    if !needs.functions.is_empty() {
        return Some(LoopTrace::NeedsHostCall);
    }
    let mut observer = LoopObserver { recorder, should_stop };
    let error = if needs.requires_simulation() {
        let environment = &experiment.environment;
        let replica = environment.selected_replica.min(environment.replicas.saturating_sub(1));
        let (replicas, arguments) = replicas_without_functions(experiment, module, limits, &needs).ok()?;
        replicas.observer(replica, &mut observer).run(&arguments).err().map(|error| error.error)
    } else {
        let arguments = arguments(experiment, module).ok()?;
        let evaluator = Evaluator::new(module).edition(experiment.edition).limits(limits);
        evaluator.seed(experiment.seed).observer(&mut observer).run_with_values(&arguments).err()
    };
    if error.is_some_and(|error| error.error.rule != "cancelled") {
        observer.recorder.truncate();
    }
    observer.recorder.finish().map(LoopTrace::Recorded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loop_while(condition: &str, limits: Limits) -> Option<LoopRecord> {
        let text = format!(
            "HloModule m ENTRY e {{ n = s32[] constant(1)
             ROOT r = while(n), condition={{ a = s32[] parameter(0) k = s32[] constant(20) {condition} }},
             body={{ b = s32[] parameter(0) ROOT d = add(b, b) }} }}"
        );
        let module = xla_hlo::parse(&text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        match iterations(&Experiment::from_text(text), &module, focus, (limits, &|| false), format)? {
            LoopTrace::Recorded(found) => Some(found),
            LoopTrace::NeedsHostCall => None,
        }
    }

    fn format(state: &Data) -> Vec<String> {
        vec![state.to_literal().to_string()]
    }

    fn texts(found: &LoopRecord) -> Vec<String> {
        found.states.concat()
    }

    #[test]
    fn every_state_of_a_loop_is_recorded() {
        let found = loop_while("ROOT c = compare(a, k), direction=LT", Limits::default()).unwrap();
        assert_eq!(texts(&found), ["1", "2", "4", "8", "16", "32"]);
        assert_eq!((found.count(), found.is_truncated), (5, false));
    }

    /// An infinite loop that counts.
    fn count_forever(limits: Limits) -> LoopRecord {
        let text = "HloModule m ENTRY e { n = s32[] constant(1)
             ROOT r = while(n), condition={ a = s32[] parameter(0) ROOT c = pred[] constant(true) },
             body={ b = s32[] parameter(0) o = s32[] constant(1) ROOT d = add(b, o) } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        match iterations(&Experiment::from_text(text), &module, focus, (limits, &|| false), format) {
            Some(LoopTrace::Recorded(found)) => found,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_infinite_loop_is_truncated() {
        let found = count_forever(Limits { steps: 800, bytes: 64 << 20 });
        assert!(found.is_truncated && !found.is_infinite && found.count() > 10, "{}", found.count());
        let found = count_forever(Limits::default());
        assert!(found.is_truncated && !found.is_infinite && found.states.len() > MAX_ITERATIONS);
    }

    #[test]
    fn a_repeated_value_makes_a_loop_infinite() {
        // 1, 2, 4 … 2^31, 0, 0.
        let found = loop_while("ROOT c = compare(a, a), direction=EQ", Limits::default()).unwrap();
        assert!(found.is_truncated && found.is_infinite, "{found:?}");
        assert!((33..100).contains(&found.count()), "{}", found.count());
        // A cycle of two values; random values do not form a cycle.
        let flips = |body: &str| {
            let text = format!(
                "HloModule m ENTRY e {{ n = s32[] constant(1)
                ROOT r = while(n), condition={{ a = s32[] parameter(0) ROOT c = pred[] constant(true) }},
                body={{ b = s32[] parameter(0) {body} }} }}"
            );
            let module = xla_hlo::parse(&text).into_module().unwrap();
            let focus = module.entry_computation().unwrap().root.unwrap();
            let limits = Limits { steps: 4_000, bytes: 1 << 20 };
            match iterations(&Experiment::from_text(text), &module, focus, (limits, &|| false), format) {
                Some(LoopTrace::Recorded(found)) => found,
                other => panic!("{other:?}"),
            }
        };
        let found = flips("ROOT d = negate(b)");
        assert!(found.is_infinite && found.count() < 5, "{found:?}");
        let found = flips(
            "l = s32[] constant(0) h = s32[] constant(2) ROOT d = s32[] rng(l, h), distribution=rng_uniform",
        );
        assert!(found.is_truncated && !found.is_infinite, "{found:?}");
    }

    #[test]
    fn a_loop_whose_body_never_runs_has_no_record() {
        assert_eq!(loop_while("ROOT c = compare(a, k), direction=GT", Limits::default()), None);
    }

    #[test]
    fn a_call_without_a_condition_is_not_a_loop() {
        let is_loop = |text: &str| {
            let module = xla_hlo::parse(text).into_module().unwrap();
            is_loop(&module, module.entry_computation().unwrap().root.unwrap())
        };
        let body = "{ b = pred[] parameter(0) ROOT d = not(b) }";
        assert!(!is_loop(&format!(
            "HloModule m ENTRY e {{ n = pred[] constant(true) ROOT r = call(n), to_apply={body} }}"
        )));
        // Condition and body have one signature.
        assert!(is_loop(&format!(
            "HloModule m ENTRY e {{ n = pred[] constant(true) ROOT r = while(n), condition={body}, body={body} }}"
        )));
    }

    #[test]
    fn an_instruction_without_calls_is_not_a_loop() {
        let text = "HloModule m ENTRY e { n = s32[2] constant({1, 2}) ROOT r = negate(n) }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        assert!(
            iterations(&Experiment::from_text(text), &module, focus, (Limits::default(), &|| false), format)
                .is_none()
        );
    }

    #[test]
    fn should_stop_ends_the_run() {
        let text = "HloModule m ENTRY e { n = s32[] constant(1) ROOT r = while(n),
             condition={ a = s32[] parameter(0) ROOT c = pred[] constant(true) },
             body={ b = s32[] parameter(0) o = s32[] constant(1) ROOT d = add(b, o) } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        let calls = std::cell::Cell::new(0);
        let should_stop = || calls.replace(calls.get() + 1) == 2;
        let found = iterations(
            &Experiment::from_text(text),
            &module,
            focus,
            (Limits::default(), &should_stop),
            format,
        );
        let Some(LoopTrace::Recorded(found)) = found else { panic!("{found:?}") };
        assert!(
            found.is_truncated && found.count() == 3 * CLOCK_CHECK_INTERVAL_ITERATIONS - 1,
            "{}",
            found.count()
        );
    }

    /// A loop that reads an infeed item in each of three iterations.
    const INFEED_LOOP: &str = "HloModule m ENTRY e { k = s32[] constant(3) z = s32[] constant(0) n = (s32[], s32[]) tuple(k, z)
         ROOT r = while(n), condition={ a = (s32[], s32[]) parameter(0) i = get-tuple-element(a), index=0
           o = s32[] constant(0) ROOT c = compare(i, o), direction=GT },
         body={ b = (s32[], s32[]) parameter(0) j = get-tuple-element(b), index=0 s = get-tuple-element(b), index=1
           t = token[] after-all() f = (s32[], token[]) infeed(t) x = get-tuple-element(f), index=0
           one = s32[] constant(1) l = subtract(j, one) w = add(s, x) ROOT d = tuple(l, w) } }";

    #[test]
    fn a_loop_reads_its_infeed_queue() {
        let module = xla_hlo::parse(INFEED_LOOP).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        let trace = |items: &[&str]| {
            let mut experiment = Experiment::from_text(INFEED_LOOP);
            experiment.environment.infeed = items.iter().map(|item| (*item).to_owned()).collect();
            match iterations(&experiment, &module, focus, (Limits::default(), &|| false), format) {
                Some(LoopTrace::Recorded(found)) => (texts(&found), found.is_truncated),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            trace(&["5", "6", "7"]),
            (["( 3, 0 )", "( 2, 5 )", "( 1, 11 )", "( 0, 18 )"].map(str::to_owned).to_vec(), false)
        );
        // A loop that waits forever is truncated.
        assert_eq!(trace(&["5"]), (["( 3, 0 )", "( 2, 5 )"].map(str::to_owned).to_vec(), true));
    }

    #[test]
    fn tracing_does_not_call_user_functions() {
        let text = "HloModule m ENTRY e { n = s32[] constant(1) ROOT r = while(n),
             condition={ a = s32[] parameter(0) k = s32[] constant(9) ROOT c = compare(a, k), direction=LT },
             body={ b = s32[] parameter(0) ROOT d = s32[] custom-call(b), custom_call_target=\"mine\" } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        let found =
            iterations(&Experiment::from_text(text), &module, focus, (Limits::default(), &|| false), format);
        assert!(matches!(found, Some(LoopTrace::NeedsHostCall)), "{found:?}");
    }
}
