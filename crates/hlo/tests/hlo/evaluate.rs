//! Running modules: budgets, observers, editions, rejected arguments.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::ops::ControlFlow;

use xla_array::{ArrayLiteral, ArrayShape, Edition, ElementType, Literal, Value};
use xla_hlo::{Evaluator, Frame, InstructionId, Limits, Module, Observer, parse};
use xla_ops::Data;

const SUM: &str = "HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
ENTRY e {
  x = f32[4,4] parameter(0)
  z = f32[] constant(0)
  dead = f32[4,4] negate(x)
  ROOT r = reduce(x, z), dimensions={0,1}, to_apply=add
}";

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap()
}

fn ones() -> Literal {
    ArrayLiteral::filled(ArrayShape::new(ElementType::F32, [4, 4]), Value::Float(1.0)).unwrap().into()
}

fn rule_of(module: &Module, arguments: &[Literal], limits: Limits) -> &'static str {
    Evaluator::new(module).limits(limits).run(arguments).unwrap_err().error.rule
}

#[test]
fn a_run_ends_when_its_budget_is_used_up() {
    let module = module(SUM);
    let mut evaluator = Evaluator::new(&module);
    assert_eq!(evaluator.run(&[ones()]).unwrap().to_string(), "16");
    let outcome = evaluator.run_with_values(&[ones()]).unwrap();
    // 66 steps: one output cell, sixteen elements and the initial value, and sixteen runs of three instructions. 14 steps: the
    // call with its instructions and its argument, each instruction with its operands, and the compiled computation.
    assert_eq!(outcome.steps, 80);
    let limits = Limits { steps: 80, ..Limits::default() };
    assert!(Evaluator::new(&module).limits(limits).run(&[ones()]).is_ok());
    assert_eq!(rule_of(&module, &[ones()], Limits { steps: 79, ..limits }), "budget-steps");
    assert_eq!(rule_of(&module, &[ones()], Limits { bytes: 0, ..limits }), "budget-bytes");
}

#[test]
fn arguments_must_match_the_parameters_of_the_entry() {
    let module = module(SUM);
    assert_eq!(rule_of(&module, &[], Limits::default()), "arguments");
    let scalar = Literal::scalar(ElementType::F32, Value::Float(1.0)).unwrap();
    assert_eq!(rule_of(&module, &[scalar], Limits::default()), "arguments");
}

#[test]
fn an_elided_constant_is_an_error_only_if_it_is_needed() {
    let text = "HloModule m ENTRY e { c = f32[20] constant({...}) ROOT r = negate(c) }";
    assert_eq!(rule_of(&module(text), &[], Limits::default()), "constant-elided");
    let unused = "HloModule m ENTRY e { c = f32[20] constant({...}) ROOT r = f32[] constant(1) }";
    assert!(Evaluator::new(&module(unused)).run(&[]).is_ok());
}

#[test]
fn calls_that_double_at_every_level_exceed_the_budget() {
    for (argument, start) in [("f32[]", "f32[] constant(1)"), ("f32[2]", "f32[2] constant({1, 2})")] {
        let levels = (1..60).map(|i| {
            let below = i - 1;
            format!("g{i} {{ x = {argument} parameter(0) y = call(x), to_apply=g{below} ROOT z = call(y), to_apply=g{below} }}\n")
        });
        let text = format!(
            "HloModule m\ng0 {{ x = {argument} parameter(0) ROOT n = negate(x) }}\n{}ENTRY e {{ a = {start} ROOT r = call(a), to_apply=g59 }}",
            levels.collect::<String>()
        );
        let limits = Limits { steps: 10_000, ..Limits::default() };
        assert_eq!(rule_of(&module(&text), &[], limits), "budget-steps");
    }
}

#[derive(Default)]
struct ValueLog {
    /// Call depth and instruction of each value.
    values: Vec<(usize, u32)>,
    stop_after: Option<usize>,
}

impl Observer for ValueLog {
    fn value(&mut self, frame: Frame, instruction: InstructionId, _: &Data) -> ControlFlow<()> {
        self.values.push((frame.depth, instruction.0));
        if Some(self.values.len()) == self.stop_after {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn an_observer_gets_every_value_and_can_cancel() {
    let text = "HloModule m
        f { x = f32[2] parameter(0) ROOT y = negate(x) }
        ENTRY e { a = f32[2] constant({1, 2}) b = f32[2] call(a), to_apply=f ROOT c = call(b), to_apply=f }";
    let module = module(text);
    let mut log = ValueLog::default();
    Evaluator::new(&module).observer(&mut log).run(&[]).unwrap();
    assert_eq!(log.values, [(0, 0), (1, 0), (1, 1), (0, 1), (1, 0), (1, 1), (0, 2)]);
    let mut stopping = ValueLog { stop_after: Some(2), ..ValueLog::default() };
    let error = Evaluator::new(&module).observer(&mut stopping).run(&[]).unwrap_err();
    assert_eq!(error.error.rule, "cancelled");
}

#[test]
fn editions_differ_as_documented() {
    let module = module(
        "HloModule m ENTRY e { a = f32[] constant(nan) b = f32[] constant(1) ROOT m = maximum(a, b) }",
    );
    let of = |edition| Evaluator::new(&module).edition(edition).run(&[]).unwrap().to_string();
    assert_eq!([of(Edition::Current), of(Edition::V2017)], ["nan", "1"]);
}
