//! Random numbers: distributions with fixed seeds; every execution draws new numbers, reproducible by seed; and tracing
//! a run draws the same numbers as the run.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]
#![allow(clippy::cast_precision_loss, reason = "counts are small")]

use std::ops::ControlFlow;

use xla_array::{ArrayLiteral, Literal, Value};
use xla_hlo::{Evaluator, Frame, InstructionId, Limits, Module, Observer, parse};
use xla_ops::{CellAt, Data};

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|d| panic!("{d} in {text}"))
}

fn run(text: &str, seed: u64) -> Literal {
    Evaluator::new(&module(text)).seed(seed).run(&[]).unwrap()
}

fn numbers(literal: &Literal) -> Vec<f64> {
    let of = |value| match value {
        Value::Float(x) => x,
        Value::Int(x) => x as f64,
        Value::Uint(x) => x as f64,
        other => panic!("{other:?}"),
    };
    literal.as_array().unwrap().values().map(of).collect()
}

/// Draws `count` numbers of a type and distribution.
fn draw(count: usize, element_type: &str, distribution: &str, parameters: [&str; 2], seed: u64) -> Vec<f64> {
    let [a, b] = parameters;
    let text = format!(
        "HloModule m ENTRY e {{ a = {element_type}[] constant({a}) b = {element_type}[] constant({b})
        ROOT r = {element_type}[{count}] rng(a, b), distribution={distribution} }}"
    );
    numbers(&run(&text, seed))
}

fn moments(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    (mean, numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count)
}

/// The Kolmogorov–Smirnov statistic times the square root of the sample size, for a distribution function: exceeds 1.63 with
/// probability 1%.
fn kolmogorov_smirnov(numbers: &[f64], distribution: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let distances = sorted.iter().enumerate().map(|(i, x)| {
        let at = distribution(*x);
        (at - i as f64 / count).abs().max(((i + 1) as f64 / count - at).abs())
    });
    distances.fold(0.0, f64::max) * count.sqrt()
}

/// The chi-square statistic of counts for a uniform distribution.
fn chi_square(counts: &[usize]) -> f64 {
    let expected = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

#[test]
fn uniform_floats_are_uniform() {
    for (element_type, seed) in [("f32", 1), ("f64", 2), ("f32", 3)] {
        let numbers = draw(20_000, element_type, "rng_uniform", ["-3", "5"], seed);
        assert!(numbers.iter().all(|x| (-3.0..5.0).contains(x)));
        let (mean, variance) = moments(&numbers);
        assert!((mean - 1.0).abs() < 0.06 && (variance - 64.0 / 12.0).abs() < 0.12, "{mean} {variance}");
        let statistic = kolmogorov_smirnov(&numbers, |x| (x + 3.0) / 8.0);
        assert!(statistic < 1.63, "{element_type} {seed}: {statistic}");
    }
}

#[test]
fn uniform_integers_are_uniform() {
    for (element_type, [a, b], seed) in
        [("s32", ["-5", "15"], 4), ("u8", ["230", "250"], 5), ("s64", ["-9000000000", "-8999999980"], 6)]
    {
        let numbers = draw(20_000, element_type, "rng_uniform", [a, b], seed);
        let low: f64 = a.parse().unwrap();
        let mut counts = [0; 20];
        for x in numbers {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 19, else it fails"
            )]
            let bucket = (x - low) as usize;
            counts[bucket] += 1;
        }
        // With 19 degrees of freedom, exceeds 36.2 with probability 1%.
        let statistic = chi_square(&counts);
        assert!(statistic < 36.2, "{element_type}: {statistic} {counts:?}");
    }
}

#[test]
fn whole_ranges_of_integers_reach_both_ends() {
    for (element_type, ends) in
        [("u64", ["0", "18446744073709551615"]), ("s64", ["-9223372036854775808", "9223372036854775807"])]
    {
        let numbers = draw(2000, element_type, "rng_uniform", ends, 7);
        let [low, high] = ends.map(|end| end.parse::<f64>().unwrap());
        let statistic = kolmogorov_smirnov(&numbers, |x| (x - low) / (high - low));
        assert!(statistic < 1.63, "{element_type}: {statistic}");
    }
}

#[test]
fn normal_numbers_are_normal() {
    for (element_type, seed) in [("f32", 8), ("f64", 9)] {
        let numbers = draw(20_000, element_type, "rng_normal", ["2", "3"], seed);
        let (mean, variance) = moments(&numbers);
        assert!((mean - 2.0).abs() < 0.07 && (variance - 9.0).abs() < 0.25, "{mean} {variance}");
        let statistic = kolmogorov_smirnov(&numbers, |x| {
            0.5 * (1.0 + libm::erf((x - 2.0) / 3.0 / std::f64::consts::SQRT_2))
        });
        assert!(statistic < 1.63, "{element_type}: {statistic}");
        // Consecutive numbers are independent: the correlation of 20,000 pairs exceeds 0.02 with probability 0.5%.
        let pairs = numbers.windows(2).map(|w| (w[0] - mean) * (w[1] - mean));
        let correlation = pairs.sum::<f64>() / variance / numbers.len() as f64;
        assert!(correlation.abs() < 0.02, "{correlation}");
    }
}

#[test]
fn the_upper_bound_of_a_range_is_excluded_despite_rounding() {
    // With so few mantissa bits, many numbers below 1 round to 1.
    for element_type in ["f8e5m2", "f8e4m3fn", "bf16", "f16"] {
        let numbers = draw(5000, element_type, "rng_uniform", ["0", "1"], 10);
        assert!(numbers.iter().all(|x| (0.0..1.0).contains(x)), "{element_type}");
        let negative = draw(5000, element_type, "rng_uniform", ["-1", "0"], 11);
        assert!(negative.iter().all(|x| (-1.0..0.0).contains(x)), "{element_type}");
    }
    let wide = draw(1000, "f64", "rng_uniform", ["-1e308", "1e308"], 12);
    assert!(
        wide.iter().all(|x| x.is_finite()) && wide.iter().any(|x| *x < 0.0) && wide.iter().any(|x| *x > 0.0)
    );
    assert!(draw(9, "f32", "rng_uniform", ["nan", "1"], 13).iter().all(|x| x.is_nan()));
}

const LOOP: &str = "HloModule m
draw { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[2] rng(a, b), distribution=rng_uniform }
ENTRY e {
  zero = s32[] constant(0) many = s32[] constant(1000000)
  first = s32[2] call(zero, many), to_apply=draw
  second = s32[2] call(zero, many), to_apply=draw
  start = s32[6] constant({0, 0, 0, 0, 0, 0})
  state = tuple(zero, start)
  end = while(state),
    condition={ s = (s32[], s32[6]) parameter(0) i = get-tuple-element(s), index=0 n = s32[] constant(3)
                ROOT p = compare(i, n), direction=LT },
    body={ s = (s32[], s32[6]) parameter(0) i = get-tuple-element(s), index=0 x = get-tuple-element(s), index=1
           zero = s32[] constant(0) many = s32[] constant(1000000)
           d = s32[2] call(zero, many), to_apply=draw
           one = s32[] constant(1) two = s32[] constant(2) next = add(i, one) at = multiply(i, two)
           y = s32[6] dynamic-update-slice(x, d, at) ROOT t = tuple(next, y) }
  six = get-tuple-element(end), index=1
  dead = s32[2] rng(zero, many), distribution=rng_uniform
  third = s32[2] call(zero, many), to_apply=draw
  ROOT all = concatenate(first, second, six, third), dimensions={0}
}";

/// An observer that ignores all values.
struct Passive;

impl Observer for Passive {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn every_execution_draws_new_numbers_that_depend_on_the_seed() {
    let all = numbers(&run(LOOP, 1));
    for (i, x) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|y| (x - y).abs() > 0.5), "{all:?}");
    }
    assert_eq!(run(LOOP, 1), run(LOOP, 1));
    assert_ne!(run(LOOP, 1), run(LOOP, 2));
    // With an observer, dead instructions run, too, but the results are the same.
    let (module, mut observer) = (module(LOOP), Passive);
    assert_eq!(Evaluator::new(&module).seed(1).observer(&mut observer).run(&[]).unwrap(), run(LOOP, 1));
    // The same on every machine and in every version: Philox of (element, draw), halved, modulo the range.
    let text = "HloModule m ENTRY e { a = u32[] constant(0) b = u32[] constant(1000)
                ROOT r = u32[4] rng(a, b), distribution=rng_uniform }";
    assert_eq!(run(text, 42).to_string(), "{166, 919, 820, 289}");
}

#[test]
fn a_trace_draws_the_numbers_of_the_run() {
    // Each iteration picks an element by a random index; the result is the maximum of those picked.
    let text = "HloModule m
        pick { x = s32[8] parameter(0) zero = s32[] constant(0) eight = s32[] constant(8)
               i = s32[] rng(zero, eight), distribution=rng_uniform
               ROOT r = s32[1] dynamic-slice(x, i), dynamic_slice_sizes={1} }
        ENTRY e { x = s32[8] parameter(0) zero = s32[] constant(0) start = s32[1] constant({0})
        state = tuple(zero, start, x)
        end = while(state),
          condition={ s = (s32[], s32[1], s32[8]) parameter(0) i = get-tuple-element(s), index=0 n = s32[] constant(5)
                      ROOT p = compare(i, n), direction=LT },
          body={ s = (s32[], s32[1], s32[8]) parameter(0) i = get-tuple-element(s), index=0
                 sum = get-tuple-element(s), index=1 x = get-tuple-element(s), index=2
                 picked = s32[1] call(x), to_apply=pick one = s32[] constant(1) next = add(i, one)
                 more = maximum(sum, picked) ROOT t = tuple(next, more, x) }
        ROOT r = get-tuple-element(end), index=1 }";
    let module = module(text);
    for seed in 0..20 {
        let argument: Literal = "s32[8] {1, 2, 4, 8, 16, 32, 64, 128}".parse().unwrap();
        let mut evaluator = Evaluator::new(&module).seed(seed);
        let outcome = evaluator.run_with_values(std::slice::from_ref(&argument)).unwrap();
        let mut tracer = evaluator.tracer(&outcome);
        let root = module.entry_computation().unwrap().root.unwrap();
        let result = numbers(&outcome.values.get(root).unwrap().to_literal());
        let sources = tracer.origins(root, &CellAt::array(&[0])).unwrap();
        let picked = sources.iter().filter(|s| s.operand == 0).map(|s| 2_f64.powf(s.cell.index[0] as f64));
        let max = picked.fold(0.0, f64::max);
        assert!((max - result[0]).abs() < 0.5, "{seed}: {sources:?} {result:?}");
    }
}

#[test]
fn the_state_continues_through_calls_and_has_128_bits() {
    let text = "HloModule m
        get { ROOT s = u64[2] rng-get-and-update-state(), delta=5 }
        ENTRY e { a = u64[2] call(), to_apply=get b = u64[2] rng-get-and-update-state(), delta=7
                  c = u64[2] call(), to_apply=get ROOT t = tuple(a, b, c) }";
    let of =
        |seed: u64| run(text, seed).as_tuple().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(of(0), ["{117515157, 0}", "{117515162, 0}", "{117515169, 0}"]);
    assert_eq!(of(3)[0], "{117515157, 3}");
}

#[test]
fn random_bits_are_charged_to_the_budget() {
    let text = "HloModule m ENTRY e { s = u64[2] constant({1, 2})
                ROOT r = (u64[2], u8[1000,1000]) rng-bit-generator(s), algorithm=rng_philox }";
    let limits = Limits { steps: 1000, ..Limits::default() };
    let error = Evaluator::new(&module(text)).limits(limits).run(&[]).unwrap_err();
    assert_eq!(error.error.rule, "budget-steps");
}

#[test]
fn the_sources_of_a_word_of_the_next_state_are_the_words_that_affect_it() {
    let text = "HloModule m ENTRY e { s = u64[3] parameter(0)
                ROOT r = (u64[3], u32[5]) rng-bit-generator(s), algorithm=rng_philox }";
    let module = module(text);
    let state = |words: [u64; 3]| -> Literal { ArrayLiteral::from_slice([3], &words).unwrap().into() };
    let before = [7, u64::MAX, 5];
    let mut evaluator = Evaluator::new(&module);
    let outcome = evaluator.run_with_values(&[state(before)]).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let root = module.entry_computation().unwrap().root.unwrap();
    let word = |literal: &Literal, path: usize, i: i64| {
        literal.as_tuple().unwrap()[path].as_array().unwrap().get(&[i]).unwrap()
    };
    let result = outcome.values.get(root).unwrap().to_literal();
    for (path, i, expected) in [(0, 0, vec![0]), (0, 1, vec![1]), (0, 2, vec![1, 2]), (1, 3, vec![0, 1, 2])] {
        let sources = tracer.sources(root, &CellAt::array(&[i]).in_tuple(path)).unwrap();
        let words: Vec<i64> = sources.iter().map(|source| source.cell.index[0]).collect();
        assert_eq!(words, expected);
        for (k, changed) in (0..3_i64).zip(0_usize..) {
            let mut after = before;
            after[changed] = 1;
            let other = Evaluator::new(&module).run(&[state(after)]).unwrap();
            let is_same = word(&result, path, i).same(word(&other, path, i));
            assert_eq!(is_same, !expected.contains(&k), "{path} {i} {k}");
        }
    }
}
