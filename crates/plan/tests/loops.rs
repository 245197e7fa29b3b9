//! Loops that update their state: random nests of loops, branches and updates give the bits of the evaluator; and which updates
//! copy.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fmt::Write as _;
use std::rc::Rc;

use test_support::Random;
use xla_array::{ArrayLiteral, Literal};
use xla_hlo::eval::kernel::{InProcess, MIN_KERNEL_WORK};
use xla_hlo::{Evaluator, Limits, Module, parse};
use xla_plan::{Options, Plan, Runner};

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The plan of a program with parameters of this size, after its result has been compared with the evaluator's.
fn compared(text: &str, size: usize) -> Plan {
    let module = module(text);
    let argument = |_| {
        let x: Vec<f32> = (0..100_u8).cycle().map(f32::from).take(size).collect();
        Literal::from(ArrayLiteral::from_slice([i64::try_from(size).unwrap()], &x).unwrap())
    };
    let arguments: Vec<Literal> = (0..module.interface().unwrap().parameters.len()).map(argument).collect();
    let kernels = Rc::new(InProcess::default());
    let want = Evaluator::new(&module).kernels(kernels, MIN_KERNEL_WORK).run(&arguments).unwrap();
    let arguments: Vec<&Literal> = arguments.iter().collect();
    let mut runner = Runner::new(Rc::new(Plan::compile(&module, Options::default()).unwrap()));
    for _ in 0..2 {
        let got = runner.run(&arguments, Limits::default(), None).unwrap();
        assert!(got == want, "{got} instead of {want} in {text}");
    }
    Plan::compile(&module, Options::default()).unwrap()
}

/// The shape of the arrays of a random program: large enough for kernels.
const ARRAY: &str = "f32[40]";
/// The number of arrays in a loop's state.
const STATE_ARRAYS: usize = 3;

/// Writes a random program.
struct Writer {
    random: Random,
    computations: String,
    names: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v_{}", self.names)
    }

    fn pick(&mut self, names: &[String]) -> String {
        names[self.random.below(names.len())].clone()
    }

    /// Instructions on these arrays, to which it adds theirs, and on an index `i`, which must be defined.
    fn instructions(&mut self, arrays: &mut Vec<String>, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(4) {
            let (x, y, name) = (self.pick(arrays), self.pick(arrays), self.name());
            let kind = self.random.below(if depth == 0 { 7 } else { 11 });
            match kind {
                0 => writeln!(text, "{name} = {ARRAY} negate({x})"),
                1 => writeln!(text, "{name} = {ARRAY} add({x}, {y})"),
                2..=5 => {
                    let part = self.name();
                    let first = self.random.below(2);
                    let after = first + 30;
                    writeln!(
                        text,
                        "{part} = f32[30] slice({y}), slice={{[{first}:{after}]}}
                        {name} = {ARRAY} dynamic-update-slice({x}, {part}, i)"
                    )
                }
                6 => writeln!(text, "{name} = {ARRAY} reverse({x}), dimensions={{0}}"),
                7 | 8 => {
                    let attributes = self.loop_computations(depth - 1);
                    let [tuple, result] = [self.name(), self.name()];
                    let third = self.pick(arrays);
                    let shape = state_shape();
                    let index = self.random.below(STATE_ARRAYS) + 1;
                    writeln!(
                        text,
                        "{tuple} = {shape} tuple(i, {x}, {y}, {third}) {result} = {shape} while({tuple}), {attributes}
                        {name} = {ARRAY} get-tuple-element({result}), index={index}"
                    )
                }
                _ => {
                    let [one, two] = [self.branch(depth - 1), self.branch(depth - 1)];
                    let second = [&x, &y][usize::from(self.random.below(2) == 0)].clone();
                    writeln!(
                        text,
                        "{name} = {ARRAY} conditional(i, {x}, {second}), branch_computations={{{one}, {two}}}"
                    )
                }
            }
            .unwrap();
            arrays.push(name);
        }
        text
    }

    fn branch(&mut self, depth: u32) -> String {
        let name = self.name();
        let mut arrays = vec!["x".to_owned()];
        let text = self.instructions(&mut arrays, depth);
        let root = self.pick(&arrays);
        writeln!(
            self.computations,
            "{name} {{ x = {ARRAY} parameter(0) i = s32[] constant(1)\n{text} ROOT root = {ARRAY} copy({root}) }}"
        )
        .unwrap();
        name
    }

    /// Writes the condition and body of a loop, and returns the attributes that name them.
    fn loop_computations(&mut self, depth: u32) -> String {
        let (body, condition, shape) = (self.name(), self.name(), state_shape());
        let mut parameters = format!("s = {shape} parameter(0) i = s32[] get-tuple-element(s), index=0\n");
        let mut arrays = Vec::new();
        for number in 1..=STATE_ARRAYS {
            writeln!(parameters, "x{number} = {ARRAY} get-tuple-element(s), index={number}").unwrap();
            arrays.push(format!("x{number}"));
        }
        let mut condition_arrays = arrays.clone();
        let text = self.instructions(&mut arrays, depth);
        // Prefer recent values, to get updates of updates.
        let mut next: Vec<String> = Vec::new();
        for number in 0..STATE_ARRAYS {
            let recent = arrays[arrays.len().saturating_sub(2)..].to_vec();
            next.push(match self.random.below(3) {
                0 => arrays[number].clone(),
                1 => self.pick(&arrays),
                _ => self.pick(&recent),
            });
        }
        let next = next.join(", ");
        writeln!(
            self.computations,
            "{body} {{ {parameters} {text} one = s32[] constant(1) j = s32[] add(i, one) ROOT t = {shape} tuple(j, {next}) }}"
        )
        .unwrap();
        let text = if self.random.below(3) == 0 {
            self.instructions(&mut condition_arrays, 0)
        } else {
            String::new()
        };
        let tested = self.pick(&condition_arrays);
        writeln!(
            self.computations,
            "{condition} {{ {parameters} {text} cell = f32[1] slice({tested}), slice={{[1:2]}} scalar = f32[] reshape(cell)
            limit = f32[] constant(1000) few = pred[] compare(scalar, limit), direction=LT n = s32[] constant(4)
            c = pred[] compare(i, n), direction=LT ROOT both = pred[] and(c, few) }}"
        )
        .unwrap();
        format!("condition={condition}, body={body}")
    }
}

fn state_shape() -> String {
    format!("(s32[], {ARRAY}, {ARRAY}, {ARRAY})")
}

#[test]
fn random_nests_of_loops_have_the_bits_of_the_evaluator() {
    for seed in 0..300 {
        let mut writer = Writer { random: Random::new(seed), computations: String::new(), names: 0 };
        let attributes = writer.loop_computations(2);
        let (computations, shape) = (writer.computations, state_shape());
        compared(
            &format!(
                "HloModule m\n{computations} ENTRY e {{ x = {ARRAY} parameter(0) y = {ARRAY} parameter(1)
                zero = s32[] constant(0) z = {ARRAY} negate(x) t = {shape} tuple(zero, x, y, z)
                ROOT r = {shape} while(t), {attributes} }}"
            ),
            40,
        );
    }
}

/// The bytes of a plan of a loop with a body on an index `i` and an array `x` of 1,000 elements, whose next value is `next`.
fn bytes_of_loop(computations: &str, body: &str) -> u64 {
    let shape = "(s32[], f32[1000])";
    let parameters = "s = (s32[], f32[1000]) parameter(0) i = s32[] get-tuple-element(s), index=0
        x = f32[1000] get-tuple-element(s), index=1";
    let plan = compared(
        &format!(
            "HloModule m
            five {{ {parameters} n = s32[] constant(5) ROOT c = pred[] compare(i, n), direction=LT }}
            {computations}
            body {{ {parameters} one = s32[] constant(1) j = s32[] add(i, one) u = f32[2] constant({{5, 6}})
            {body} ROOT t = {shape} tuple(j, next) }}
            ENTRY e {{ x = f32[1000] parameter(0) zero = s32[] constant(0) t = {shape} tuple(zero, x)
            ROOT r = {shape} while(t), condition=five, body=body }}"
        ),
        1000,
    );
    plan.bytes()
}

/// Bound on the bytes of scalars and updates.
const MAX_SMALL_BYTES: u64 = 200;

#[test]
fn consecutive_updates_of_a_state_are_in_place() {
    let body = "d = f32[1000] dynamic-update-slice(x, u, i) e = f32[1000] dynamic-update-slice(d, u, j)
        next = f32[1000] dynamic-update-slice(e, u, i)";
    assert!(bytes_of_loop("", body) < 4_000 + MAX_SMALL_BYTES);
    // An update that is read after the next one is not the same array.
    let body = "d = f32[1000] dynamic-update-slice(x, u, i) e = f32[1000] dynamic-update-slice(d, u, j)
        next = f32[1000] add(d, e)";
    assert!(bytes_of_loop("", body) >= 8_000);
}

#[test]
fn a_nested_loop_reuses_the_buffer_of_its_initial_state() {
    let inner = "inner { s = (s32[], f32[1000]) parameter(0) i = s32[] get-tuple-element(s), index=0
        x = f32[1000] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
        u = f32[2] constant({7, 8}) y = f32[1000] dynamic-update-slice(x, u, j)
        ROOT t = (s32[], f32[1000]) tuple(j, y) }";
    let nested = |init: &str| {
        format!(
            "zero = s32[] constant(0) t0 = (s32[], f32[1000]) tuple(zero, {init})
            w = (s32[], f32[1000]) while(t0), condition=five, body=inner y = f32[1000] get-tuple-element(w), index=1"
        )
    };
    // The outer and the inner state share a buffer.
    let same = format!("{} next = f32[1000] dynamic-update-slice(y, u, i)", nested("x"));
    assert!(bytes_of_loop(inner, &same) < 4_000 + MAX_SMALL_BYTES);
    // Another value becomes the next state.
    let other = format!("{} next = f32[1000] negate(y)", nested("x"));
    assert!(bytes_of_loop(inner, &other) < 8_000 + MAX_SMALL_BYTES);
    // The initial state is another value.
    let local = format!("n = f32[1000] negate(x) {} next = f32[1000] add(x, y)", nested("n"));
    assert!(bytes_of_loop(inner, &local) < 12_000 + MAX_SMALL_BYTES);
    // The outer state is still needed.
    let read_later = format!("{} next = f32[1000] add(x, y)", nested("x"));
    assert!(bytes_of_loop(inner, &read_later) >= 12_000);
}

/// A recurrent cell whose steps are too small for approximate kernels outside of loops: in the loop's body, and in what that
/// calls, kernels compute them, by plan and by evaluator.
#[test]
fn small_steps_of_loops_are_computed_by_kernels() {
    let text = "HloModule m

cell {
  h = f32[1,96] parameter(0)
  w = f32[96] parameter(1)
  wide = f32[96,96] broadcast(w), dimensions={1}
  scale = f32[] constant(0.001)
  scales = f32[96,96] broadcast(scale), dimensions={}
  weights = f32[96,96] multiply(wide, scales)
  product = f32[1,96] dot(h, weights), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT tanh = f32[1,96] tanh(product)
}

body {
  state = (s32[], f32[1,96], f32[12,96], f32[96]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  h = f32[1,96] get-tuple-element(state), index=1
  all = f32[12,96] get-tuple-element(state), index=2
  w = f32[96] get-tuple-element(state), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  next = s32[] add(i, one)
  new = f32[1,96] call(h, w), to_apply=cell
  updated = f32[12,96] dynamic-update-slice(all, new, i, zero)
  ROOT out = (s32[], f32[1,96], f32[12,96], f32[96]) tuple(next, new, updated, w)
}

condition {
  state = (s32[], f32[1,96], f32[12,96], f32[96]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  count = s32[] constant(12)
  ROOT continues = pred[] compare(i, count), direction=LT
}

ENTRY e {
  w = f32[96] parameter(0)
  zero = s32[] constant(0)
  half = f32[] constant(0.5)
  h = f32[1,96] broadcast(half), dimensions={}
  all = f32[12,96] broadcast(half), dimensions={}
  state = (s32[], f32[1,96], f32[12,96], f32[96]) tuple(zero, h, all, w)
  loop = (s32[], f32[1,96], f32[12,96], f32[96]) while(state), condition=condition, body=body
  results = f32[12,96] get-tuple-element(loop), index=2
  last = f32[1,96] get-tuple-element(loop), index=1
  outside = f32[1,96] tanh(last)
  ROOT both = (f32[12,96], f32[1,96]) tuple(results, outside)
}";
    let plan = compared(text, 96);
    let names: Vec<String> = (0..plan.step_counts().0).map(|step| plan.step_name(step)).collect();
    let count = |start: &str| names.iter().filter(|name| name.starts_with(start)).count();
    // The last tanh is outside of the loop.
    assert_eq!((count("unary map f32 functions"), count("interpreted")), (1, 1), "{names:#?}");
}
