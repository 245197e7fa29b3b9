//! Random programs whose products are all divided, whatever that costs: the bits are those of one worker.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fmt::Write as _;
use std::rc::Rc;

use test_support::Random;
use xla_array::literal::Equality;
use xla_array::{ArrayLiteral, Literal};
use xla_hlo::{Limits, parse};
use xla_plan::{CostModel, Options, Plan, RunProgress, Runner, Worker};

/// Exchanges cost next to nothing.
const COSTS: CostModel = CostModel { exchange: 1e-3, exchanged_byte: 1e-6, multiply_add: 1.0, element: 1.0 };

/// The size of matrices: two or three workers have at least the minimum of rows.
const SIZE: usize = 96;

/// Instructions on matrices; returns them and the name of the last one.
fn instructions(random: &mut Random, names: &mut Vec<String>, prefix: &str, count: usize) -> String {
    let mut text = String::new();
    let matrix = format!("f32[{SIZE},{SIZE}]");
    for i in 0..count {
        let [x, y, z] = std::array::from_fn(|_| names[random.below(names.len())].clone());
        let name = format!("{prefix}{i}");
        let t = format!("{name}_t");
        let contracting = [random.below(2), random.below(2)];
        let dot = format!(
            "lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
            contracting[0], contracting[1]
        );
        let last = SIZE / 8;
        match random.below(13) {
            0..=4 => writeln!(
                text,
                "{name}_d = {matrix} dot({x}, {y}), {dot} {t}_c = f32[] constant(0.03)
                 {t}_b = {matrix} broadcast({t}_c), dimensions={{}} {name} = {matrix} multiply({name}_d, {t}_b)"
            ),
            5 => writeln!(text, "{name} = {matrix} add({x}, {y})"),
            6 => writeln!(text, "{name} = {matrix} tanh({x})"),
            7 => writeln!(
                text,
                "{t} = {matrix} transpose({x}), dimensions={{1,0}} {name} = {matrix} subtract({t}, {y})"
            ),
            8 => writeln!(
                text,
                "{t} = pred[{SIZE},{SIZE}] compare({x}, {y}), direction=LT {name} = {matrix} select({t}, {y}, {z})"
            ),
            9 => writeln!(
                text,
                "{t}_z = f32[] constant(0) {t} = f32[{SIZE}] reduce({x}, {t}_z), dimensions={{{}}}, to_apply=most
                 {name} = {matrix} broadcast({t}), dimensions={{{}}}",
                random.below(2),
                random.below(2)
            ),
            10 => writeln!(
                text,
                "{t}_a = f32[40,{SIZE}] slice({x}), slice={{[3:43],[0:{SIZE}]}}
                 {t}_b = f32[56,{SIZE}] slice({y}), slice={{[40:96],[0:{SIZE}]}}
                 {name} = {matrix} concatenate({t}_a, {t}_b), dimensions={{0}}"
            ),
            11 => writeln!(
                text,
                "{t}_x = f32[{SIZE},{last},8] reshape({x}) {t}_y = f32[{SIZE},{last},8] reshape({y})
                 {t} = f32[{last},{SIZE},{SIZE}] dot({t}_x, {t}_y), lhs_batch_dims={{1}}, rhs_batch_dims={{1}}, \
                 lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}} {t}_e = f32[{last},{SIZE},{SIZE}] negate({t})
                 {t}_s = f32[1,{SIZE},{SIZE}] slice({t}_e), slice={{[5:6],[0:{SIZE}],[0:{SIZE}]}}
                 {name} = {matrix} reshape({t}_s)"
            ),
            _ => writeln!(
                text,
                "{t}_z = s32[] constant(0) {t}_i = s32[] constant(7)
                 {t} = f32[40,{SIZE}] slice({y}), slice={{[3:43],[0:{SIZE}]}}
                 {name} = {matrix} dynamic-update-slice({x}, {t}, {t}_i, {t}_z)"
            ),
        }
        .unwrap();
        names.push(name);
    }
    text
}

fn program(random: &mut Random) -> String {
    let matrix = format!("f32[{SIZE},{SIZE}]");
    let state = format!("(s32[], {matrix}, {matrix})");
    let mut names = vec!["x".to_owned(), "y".to_owned()];
    let body = instructions(random, &mut names, "b", 5);
    let next = [names[names.len() - 1].clone(), names[random.below(names.len())].clone()];
    let mut names = vec!["p".to_owned(), "q".to_owned()];
    let before = instructions(random, &mut names, "f", 5);
    let init = [names[names.len() - 1].clone(), names[random.below(names.len())].clone()];
    names.push("l1".to_owned());
    let after = instructions(random, &mut names, "a", 6);
    let root = names[names.len() - 1].clone();
    format!(
        "HloModule m
most {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] add(a, b) }}
c {{ s = {state} parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(2)
  ROOT t = pred[] compare(i, n), direction=LT }}
body {{ s = {state} parameter(0) i = s32[] get-tuple-element(s), index=0 x = {matrix} get-tuple-element(s), index=1
  y = {matrix} get-tuple-element(s), index=2
{body}
  one = s32[] constant(1) j = s32[] add(i, one) ROOT r = {state} tuple(j, {}, {}) }}
ENTRY e {{ p = {matrix} parameter(0) q = {matrix} parameter(1)
{before}
  zero = s32[] constant(0) s = {state} tuple(zero, {}, {}) l = {state} while(s), condition=c, body=body
  l1 = {matrix} get-tuple-element(l), index=1 l2 = {matrix} get-tuple-element(l), index=2
{after}
  ROOT result = ({matrix}, {matrix}) tuple({root}, l2) }}",
        next[0], next[1], init[0], init[1]
    )
}

#[test]
fn random_programs_have_the_bits_of_one_worker() {
    let mut random = Random::new(11);
    let mut exchange_count = 0;
    for round in 0..60 {
        let text = program(&mut random);
        let module = parse(&text).into_module().unwrap_or_else(|error| panic!("{error} in {text}"));
        let plan = Rc::new(Plan::compile(&module, Options::default()).unwrap());
        let mut alone = Runner::new(plan.clone());
        let count = 2 + round % 2;
        let mut runners: Vec<Runner> = (0..count).map(|_| Runner::new(plan.clone())).collect();
        for (index, runner) in runners.iter_mut().enumerate() {
            runner.divide_by(Worker { index, count }, COSTS);
        }
        // The second run finds the parts of the first one in its buffers.
        for _ in 0..2 {
            let mut argument = || {
                let x: Vec<f32> = (0..SIZE * SIZE).map(|_| random.unit() - 0.5).collect();
                let size = i64::try_from(SIZE).unwrap();
                Literal::from(ArrayLiteral::from_slice([size, size], &x).unwrap())
            };
            let arguments = [argument(), argument()];
            let arguments: Vec<&Literal> = arguments.iter().collect();
            let limits = Limits::default();
            let want = alone.run(&arguments, limits, None).unwrap();
            let start = |runner: &mut Runner| runner.start(&arguments, limits, None, false).unwrap();
            let mut progress: Vec<RunProgress> = runners.iter_mut().map(start).collect();
            while matches!(progress[0], RunProgress::Exchange) {
                let parts: Vec<Vec<u8>> = runners.iter().map(|runner| runner.own_part().to_vec()).collect();
                let resume = |(index, runner): (usize, &mut Runner)| {
                    let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
                    let others: Vec<u8> = others.flat_map(|(_, part)| part.clone()).collect();
                    runner.resume(&arguments, &others, None).unwrap()
                };
                progress = runners.iter_mut().enumerate().map(resume).collect();
                exchange_count += 1;
            }
            for progress in &progress {
                let RunProgress::Finished(got, _) = progress else { panic!("a worker waits in {text}") };
                assert!(got.equals(&want, Equality::Same), "other bits with {count} workers in {text}");
            }
        }
    }
    assert!(exchange_count > 200, "{exchange_count} exchanges");
}
