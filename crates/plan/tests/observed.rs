//! The values that a run can capture: those of every instruction in every execution, equal to the evaluator's.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use xla_array::{ArrayLiteral, Literal};
use xla_hlo::{Evaluator, Frame, InstructionId, Limits, Module, Observer, parse};
use xla_ops::{ComputationId, Data};
use xla_plan::{Observed, Options, Plan, Runner};

/// The values of every instruction, in the order of its executions.
#[derive(Default)]
struct Values(BTreeMap<(u32, u32), Vec<Data>>);

impl Observer for Values {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        self.0.entry((frame.computation.0, id.0)).or_default().push(value.clone());
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// A loop that updates its state in place, a computation that is called twice, a conditional, and views.
const PROGRAM: &str = "HloModule m
twice { a = f32[4] parameter(0) ROOT t = f32[4] add(a, a) }
even { a = f32[4] parameter(0) ROOT t = f32[4] negate(a) }
odd { a = f32[4] parameter(0) z = f32[1] constant({9}) o = s32[] constant(1) ROOT t = f32[4] dynamic-update-slice(a, z, o) }
c { s = (s32[], f32[4], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(4)
  ROOT t = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[4], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[4] get-tuple-element(s), index=1
  y = f32[4] get-tuple-element(s), index=2 one = s32[] constant(1) j = s32[] add(i, one) two = s32[] constant(2)
  r = s32[] remainder(i, two) u = f32[1] constant({5}) w = f32[4] dynamic-update-slice(x, u, i)
  d = f32[4] call(w), to_apply=twice v = f32[4] conditional(r, d, y), branch_computations={even, odd}
  ROOT next = (s32[], f32[4], f32[4]) tuple(j, v, w) }
ENTRY e { p = f32[2,2] parameter(0) t = f32[2,2] transpose(p), dimensions={1,0} f = f32[4] reshape(t)
  g = f32[4] call(f), to_apply=twice z = s32[] constant(0) s = (s32[], f32[4], f32[4]) tuple(z, g, f)
  l = (s32[], f32[4], f32[4]) while(s), condition=c, body=b q = f32[4] get-tuple-element(l), index=1
  h = f32[2] slice(q), slice={[1:3]} zero = f32[2] subtract(h, h) ROOT n = f32[2] divide(h, zero) }";

fn runner(module: &Module, observed: Observed) -> Runner {
    Runner::new(Rc::new(Plan::compile_observed(module, Options::default(), observed).unwrap()))
}

#[test]
fn an_infinity_that_is_given_is_not_the_first_computed_one() {
    let text = "HloModule m ENTRY e { least = f32[2] constant({-inf, -inf}) x = f32[2] parameter(0)
        m = f32[2] maximum(x, least) l = f32[2] log(m) ROOT n = f32[2] negate(l) }";
    let module = parse(text).into_module().unwrap();
    let argument = Literal::from(ArrayLiteral::from_slice([2], &[0.0_f32, 1.0]).unwrap());
    let mut runner = runner(&module, Observed::Everything);
    let (_, statistics) = runner.run_with_statistics(&[&argument], Limits::default(), None).unwrap();
    let infinity = statistics.first_computed_infinity.unwrap();
    let name = &module.entry_computation().unwrap().get(infinity.at.1).unwrap().name;
    assert_eq!((name.as_str(), infinity.is_inherited, infinity.execution), ("l", false, 0));
}

#[test]
fn every_execution_of_every_instruction_can_be_captured() {
    let module = parse(PROGRAM).into_module().unwrap();
    let argument = Literal::from(ArrayLiteral::from_slice([2, 2], &[1.0_f32, -2.0, 3.5, 4.0]).unwrap());
    let mut values = Values::default();
    let want = Evaluator::new(&module).observer(&mut values).run(std::slice::from_ref(&argument)).unwrap();
    let limits = Limits::default();
    let (got, statistics) =
        runner(&module, Observed::Everything).run_with_statistics(&[&argument], limits, None).unwrap();
    assert_eq!(got, want);
    let executions: Vec<_> = values.0.iter().map(|(at, each)| (*at, each.len() as u64)).collect();
    let counted = statistics.executions.iter().map(|((computation, id), n)| ((computation.0, id.0), *n));
    assert_eq!(counted.collect::<Vec<_>>(), executions);
    assert_eq!(statistics.first_nan, None);
    let entry = module.entry_computation().unwrap();
    let infinite = statistics.first_computed_infinity.unwrap();
    assert_eq!((entry.get(infinite.at.1).unwrap().name.as_str(), infinite.is_inherited), ("n", false));
    for ((computation, id), each) in &values.0 {
        let at = (ComputationId(*computation), InstructionId(*id));
        for (execution, want) in (0..).zip(each) {
            let mut runner = runner(&module, Observed::Instructions(&[at]));
            let got = runner.capture(&[&argument], limits, None, (&[at], execution)).unwrap();
            let got = got[0].as_ref().unwrap().to_literal();
            assert_eq!(got, want.to_literal(), "{at:?}, execution {execution}");
        }
        let mut runner = runner(&module, Observed::Instructions(&[at]));
        let beyond = runner.capture(&[&argument], limits, None, (&[at], each.len() as u64)).unwrap();
        assert!(beyond[0].is_none());
    }
}
