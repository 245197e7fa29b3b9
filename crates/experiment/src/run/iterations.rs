//! The values that a loop carries, iteration by iteration, seen by an observer of the run.
//!
//! A loop is known by what it does: an instruction calls a computation that takes one value and gives one of the same
//! shape, which is that of the instruction. Nothing here names an op.

use std::ops::ControlFlow;

use super::devices::alone;
use crate::Experiment;
use crate::arguments::arguments;
use crate::needs::Needs;
use xla_array::shape_util;
use xla_hlo::eval::meter::{Frame, Observer};
use xla_hlo::{Computation, Evaluator, InstructionId, Limits, Module};
use xla_ops::{ComputationId, Data};

/// The most iterations that are kept.
pub const MAX_ITERATIONS: usize = 4_096;

/// Iterations from one look at the clock to the next.
const CLOCK_CHECK_INTERVAL_ITERATIONS: usize = 16;

/// What became of the question what a loop carries.
#[derive(Clone, Debug)]
pub enum LoopAnswer {
    /// That.
    Carried(Iterations),
    /// A function of the visitor would have to be called once more to tell.
    Calls,
}

/// What an instruction's loop carried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iterations {
    /// The value before each call, then the value after the last one; each in words, one for each part of it.
    pub states: Vec<Vec<String>>,
    /// Whether the loop went on beyond what is kept.
    pub is_cut: bool,
}

impl Iterations {
    /// How often the computation was called.
    pub fn count(&self) -> usize {
        self.states.len().saturating_sub(1)
    }
}

/// A value in words, one for each part of it.
pub type FormatState = fn(&Data) -> Vec<String>;

/// Whether an instruction of the entry computation is a loop.
pub fn is_loop(module: &Module, focus: InstructionId) -> bool {
    carried(module, focus).is_some()
}

/// The computation that a loop of this instruction would call, if it can be one.
fn carried(module: &Module, focus: InstructionId) -> Option<ComputationId> {
    let instruction = module.entry_computation()?.get(focus)?;
    let carries = |id: &ComputationId| {
        let signature = module.get(*id).and_then(Computation::signature);
        signature.is_some_and(|signature| {
            let same = |shape| shape_util::compatible(shape, &instruction.shape);
            matches!(signature.parameters.as_slice(), [only] if same(only)) && same(&signature.result)
        })
    };
    let called: Vec<ComputationId> = instruction.attrs.computations().filter(carries).collect();
    // Of two, as a choice between branches has them, neither is a loop.
    match called.as_slice() {
        [body] => Some(*body),
        _ => None,
    }
}

/// Looks on at a run, and keeps what a loop carries.
pub struct LoopRecorder<'m> {
    module: &'m Module,
    focus: InstructionId,
    body: ComputationId,
    format: FormatState,
    states: Vec<Vec<String>>,
    last: Option<Vec<String>>,
    is_cut: bool,
    is_done: bool,
}

impl<'m> LoopRecorder<'m> {
    /// Of the loop of an instruction of the entry computation; `None` where it is no loop.
    pub fn new(module: &'m Module, focus: InstructionId, format: FormatState) -> Option<Self> {
        let body = carried(module, focus)?;
        let (states, last) = (Vec::new(), None);
        Some(Self { module, focus, body, format, states, last, is_cut: false, is_done: false })
    }

    /// Hears of a value; answers whether there is nothing more to see.
    pub fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> bool {
        if self.is_done {
            return true;
        }
        if frame.depth == 0 {
            self.is_done = id == self.focus;
            if !self.is_done {
                // Calls until now were those of another instruction.
                self.states.clear();
                self.last = None;
            }
        } else if frame.depth == 1
            && frame.computation == self.body
            && let Some(body) = self.module.get(self.body)
        {
            if body.parameters.first() == Some(&id) {
                self.states.push((self.format)(value));
                self.last = None;
                if self.states.len() > MAX_ITERATIONS {
                    self.cut();
                }
            }
            if body.root == Some(id) {
                self.last = Some((self.format)(value));
            }
        }
        self.is_done
    }

    /// Sees no more of it.
    pub fn cut(&mut self) {
        (self.is_cut, self.is_done) = (true, true);
    }

    /// What was seen; `None` where that is nothing.
    pub fn seen(mut self) -> Option<Iterations> {
        self.states.extend(self.last.filter(|_| !self.is_cut));
        (!self.states.is_empty()).then_some(Iterations { states: self.states, is_cut: self.is_cut })
    }
}

/// A run that is only for the loop: it ends with it, and where somebody says so.
struct Only<'m> {
    recorder: LoopRecorder<'m>,
    is_over: &'m dyn Fn() -> bool,
}

impl Observer for Only<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        let before = self.recorder.states.len();
        let is_done = self.recorder.value(frame, id, value);
        let kept = self.recorder.states.len();
        if !is_done && kept > before && kept.is_multiple_of(CLOCK_CHECK_INTERVAL_ITERATIONS) {
            return self.progress(0);
        }
        if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn progress(&mut self, _: u64) -> ControlFlow<()> {
        if (self.is_over)() {
            self.recorder.cut();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// What the loop of an instruction of the entry computation carries, on the replica that is looked at; `None` where it
/// is no loop. A run that is too long for `limits`, that `is_over` says is to end, or that waits for ever, gives what it
/// carried until then.
pub fn iterations(
    experiment: &Experiment,
    module: &Module,
    focus: InstructionId,
    (limits, is_over): (Limits, &dyn Fn() -> bool),
    format: FormatState,
) -> Option<LoopAnswer> {
    let recorder = LoopRecorder::new(module, focus, format)?;
    let needs = Needs::of(module);
    if !needs.functions.is_empty() {
        return Some(LoopAnswer::Calls);
    }
    let mut only = Only { recorder, is_over };
    let error = if needs.need_host_or_devices() {
        let device = experiment.environment.device.min(experiment.environment.replicas.saturating_sub(1));
        let (replicas, arguments) = alone(experiment, module, limits, &needs).ok()?;
        replicas.observer(device, &mut only).run(&arguments).err().map(|error| error.error)
    } else {
        let arguments = arguments(experiment, module).ok()?;
        let evaluator = Evaluator::new(module).edition(experiment.edition).limits(limits);
        evaluator.seed(experiment.seed).observer(&mut only).run_all(&arguments).err()
    };
    if error.is_some_and(|error| error.error.rule != "cancelled") {
        only.recorder.cut();
    }
    only.recorder.seen().map(LoopAnswer::Carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(condition: &str, limits: Limits) -> Option<Iterations> {
        let text = format!(
            "HloModule m ENTRY e {{ n = s32[] constant(1)
             ROOT r = while(n), condition={{ a = s32[] parameter(0) k = s32[] constant(20) {condition} }},
             body={{ b = s32[] parameter(0) ROOT d = add(b, b) }} }}"
        );
        let module = xla_hlo::parse(&text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        match iterations(&Experiment::of(text), &module, focus, (limits, &|| false), format)? {
            LoopAnswer::Carried(found) => Some(found),
            LoopAnswer::Calls => None,
        }
    }

    fn format(state: &Data) -> Vec<String> {
        vec![state.to_literal().to_string()]
    }

    fn texts(found: &Iterations) -> Vec<String> {
        found.states.concat()
    }

    #[test]
    fn every_state_of_a_loop_is_kept() {
        let found = of("ROOT c = compare(a, k), direction=LT", Limits::default()).unwrap();
        assert_eq!(texts(&found), ["1", "2", "4", "8", "16", "32"]);
        assert_eq!((found.count(), found.is_cut), (5, false));
    }

    #[test]
    fn a_loop_without_end_tells_how_far_it_came() {
        let found =
            of("ROOT c = compare(a, a), direction=EQ", Limits { steps: 800, bytes: 64 << 20 }).unwrap();
        assert!(found.is_cut && found.count() > 10, "{}", found.count());
        let found = of("ROOT c = compare(a, a), direction=EQ", Limits::default()).unwrap();
        assert!(found.is_cut && found.states.len() > MAX_ITERATIONS);
        assert_eq!(of("ROOT c = compare(a, k), direction=GT", Limits::default()).map(|i| i.count()), None);
    }

    #[test]
    fn what_calls_nothing_again_is_no_loop() {
        let text = "HloModule m ENTRY e { n = s32[2] constant({1, 2}) ROOT r = negate(n) }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        assert!(
            iterations(&Experiment::of(text), &module, focus, (Limits::default(), &|| false), format)
                .is_none()
        );
    }

    #[test]
    fn who_has_waited_enough_ends_it() {
        let text = "HloModule m ENTRY e { n = s32[] constant(1) ROOT r = while(n),
             condition={ a = s32[] parameter(0) ROOT c = pred[] constant(true) },
             body={ b = s32[] parameter(0) ROOT d = add(b, b) } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        let asked = std::cell::Cell::new(0);
        let is_over = || asked.replace(asked.get() + 1) == 2;
        let found = iterations(&Experiment::of(text), &module, focus, (Limits::default(), &is_over), format);
        let Some(LoopAnswer::Carried(found)) = found else { panic!("{found:?}") };
        assert!(
            found.is_cut && found.count() == 3 * CLOCK_CHECK_INTERVAL_ITERATIONS - 1,
            "{}",
            found.count()
        );
    }

    /// A loop that takes an item of the infeed in each of three iterations.
    const FED: &str = "HloModule m ENTRY e { k = s32[] constant(3) z = s32[] constant(0) n = (s32[], s32[]) tuple(k, z)
         ROOT r = while(n), condition={ a = (s32[], s32[]) parameter(0) i = get-tuple-element(a), index=0
           o = s32[] constant(0) ROOT c = compare(i, o), direction=GT },
         body={ b = (s32[], s32[]) parameter(0) j = get-tuple-element(b), index=0 s = get-tuple-element(b), index=1
           t = token[] after-all() f = (s32[], token[]) infeed(t) x = get-tuple-element(f), index=0
           one = s32[] constant(1) l = subtract(j, one) w = add(s, x) ROOT d = tuple(l, w) } }";

    #[test]
    fn a_loop_is_fed_out_of_its_queue() {
        let module = xla_hlo::parse(FED).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        let of = |items: &[&str]| {
            let mut experiment = Experiment::of(FED);
            experiment.environment.infeed = items.iter().map(|item| (*item).to_owned()).collect();
            match iterations(&experiment, &module, focus, (Limits::default(), &|| false), format) {
                Some(LoopAnswer::Carried(found)) => (texts(&found), found.is_cut),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            of(&["5", "6", "7"]),
            (["( 3, 0 )", "( 2, 5 )", "( 1, 11 )", "( 0, 18 )"].map(str::to_owned).to_vec(), false)
        );
        // One that waits for ever has carried what it has.
        assert_eq!(of(&["5"]), (["( 3, 0 )", "( 2, 5 )"].map(str::to_owned).to_vec(), true));
    }

    #[test]
    fn a_function_of_the_visitor_is_not_called_for_it() {
        let text = "HloModule m ENTRY e { n = s32[] constant(1) ROOT r = while(n),
             condition={ a = s32[] parameter(0) k = s32[] constant(9) ROOT c = compare(a, k), direction=LT },
             body={ b = s32[] parameter(0) ROOT d = s32[] custom-call(b), custom_call_target=\"mine\" } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        let found = iterations(&Experiment::of(text), &module, focus, (Limits::default(), &|| false), format);
        assert!(matches!(found, Some(LoopAnswer::Calls)), "{found:?}");
    }
}
