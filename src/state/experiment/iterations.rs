//! The values that a loop carries, iteration by iteration, seen by an observer of the run.
//!
//! A loop is known by what it does: an instruction calls a computation that takes one value and gives one of the same
//! shape, which is that of the instruction. Nothing here names an op.

use std::ops::ControlFlow;

use super::Experiment;
use super::run::arguments;
use crate::array::shape_util;
use crate::hlo::meter::{Frame, Observer};
use crate::hlo::{Computation, Evaluator, InstructionId, Limits, Module};
use crate::ops::{ComputationId, Data};

/// The most iterations that are kept.
pub const MOST: usize = 4_096;

/// What an instruction's loop carried.
#[derive(Clone, Debug)]
pub struct Iterations {
    /// The computation that is called again and again.
    pub body: ComputationId,
    /// The value before each call, then the value after the last one.
    pub states: Vec<Data>,
    /// Whether the loop went on beyond what is kept.
    pub is_cut: bool,
}

impl Iterations {
    /// How often the computation was called.
    pub fn count(&self) -> usize {
        self.states.len().saturating_sub(1)
    }
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

struct Watch<'m> {
    module: &'m Module,
    focus: InstructionId,
    body: ComputationId,
    states: Vec<Data>,
    last: Option<Data>,
    is_cut: bool,
}

impl Observer for Watch<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if frame.depth == 0 {
            if id == self.focus {
                return ControlFlow::Break(());
            }
            // Calls until now were those of another instruction.
            self.states.clear();
            self.last = None;
        } else if frame.depth == 1 && frame.computation == self.body {
            let Some(body) = self.module.get(self.body) else { return ControlFlow::Continue(()) };
            if body.parameters.first() == Some(&id) {
                self.states.push(value.clone());
                if self.states.len() > MOST {
                    self.is_cut = true;
                    return ControlFlow::Break(());
                }
            }
            if body.root == Some(id) {
                self.last = Some(value.clone());
            }
        }
        ControlFlow::Continue(())
    }
}

/// What the loop of an instruction of the entry computation carries; `None` where it is no loop. A run that is too
/// long for `limits` gives what it carried until then.
pub fn iterations(
    experiment: &Experiment,
    module: &Module,
    focus: InstructionId,
    limits: Limits,
) -> Option<Iterations> {
    let body = carried(module, focus)?;
    let arguments = arguments(experiment, module)?;
    let mut watch = Watch { module, focus, body, states: Vec::new(), last: None, is_cut: false };
    let run = {
        let evaluator = Evaluator::new(module).edition(experiment.edition).limits(limits);
        evaluator.seed(experiment.seed).observer(&mut watch).run_all(&arguments)
    };
    let is_cut = watch.is_cut || run.is_err_and(|error| error.error.rule != "cancelled");
    let mut states = watch.states;
    states.extend(watch.last.filter(|_| !watch.is_cut));
    (!states.is_empty()).then_some(Iterations { body, states, is_cut })
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
        let module = crate::hlo::parse(&text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        iterations(&Experiment::of(text), &module, focus, limits)
    }

    fn texts(found: &Iterations) -> Vec<String> {
        found.states.iter().map(|state| state.to_literal().to_string()).collect()
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
            of("ROOT c = compare(a, a), direction=EQ", Limits { steps: 200, cells: 1 << 20 }).unwrap();
        assert!(found.is_cut && found.count() > 10, "{}", found.count());
        let found = of("ROOT c = compare(a, a), direction=EQ", Limits::default()).unwrap();
        assert!(found.is_cut && found.states.len() > MOST);
        assert_eq!(of("ROOT c = compare(a, k), direction=GT", Limits::default()).map(|i| i.count()), None);
    }

    #[test]
    fn what_calls_nothing_again_is_no_loop() {
        let text = "HloModule m ENTRY e { n = s32[2] constant({1, 2}) ROOT r = negate(n) }";
        let module = crate::hlo::parse(text).into_module().unwrap();
        let focus = module.entry_computation().unwrap().root.unwrap();
        assert!(iterations(&Experiment::of(text), &module, focus, Limits::default()).is_none());
    }
}
