//! Runs divided among workers: in lock-step they give the bits of one worker, whatever is lost on the way.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::rc::Rc;

use test_support::Random;
use xla_array::literal::Equality;
use xla_array::{ArrayLiteral, ElementType, Literal, Shape, Value};
use xla_hlo::{Limits, Module, parse};
use xla_plan::{Observed, Options, Plan, RunError, RunProgress, Runner, Worker};

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Small numbers for every parameter; those of the first `constant` are the same for every seed.
fn arguments(module: &Module, constant: usize, seed: u64) -> Vec<Literal> {
    let one = |(number, shape): (usize, &Shape)| {
        let seed = if number < constant { 1 } else { seed };
        let mut random = Random::new(7 + 31 * seed + number as u64);
        let shape = shape.as_array().unwrap().clone();
        let is_float = shape.element_type == ElementType::F32;
        let mut value = || {
            if is_float {
                Value::Float((random.unit() - 0.5).into())
            } else {
                Value::Int(i64::try_from(random.below(5)).unwrap_or(0))
            }
        };
        Literal::from(ArrayLiteral::from_fn(shape, |_, _| value()).unwrap())
    };
    module.interface().unwrap().parameters.iter().enumerate().map(one).collect()
}

fn runners(plan: &Rc<Plan>, count: usize) -> Vec<Runner> {
    let runner = |index| {
        let mut runner = Runner::new(plan.clone());
        assert!(runner.divide(Worker { index, count }) > 0.0, "nothing is divided");
        runner
    };
    (0..count).map(runner).collect()
}

/// The parts of all workers but one.
fn others(runners: &[Runner], index: usize) -> Vec<u8> {
    let others = runners.iter().enumerate().filter(|(other, _)| *other != index);
    others.flat_map(|(_, runner)| runner.own_part().to_vec()).collect()
}

/// Runs in lock-step up to the exchange with number `stop`, or to the end; returns the progress of each worker and the number of
/// exchanges.
fn run(runners: &mut [Runner], arguments: &[&Literal], stop: usize) -> (Vec<RunProgress>, usize) {
    let start = |runner: &mut Runner| runner.start(arguments, Limits::default(), None, false).unwrap();
    let mut progress: Vec<RunProgress> = runners.iter_mut().map(start).collect();
    let mut exchanges = 0;
    while matches!(progress[0], RunProgress::Exchange) && exchanges < stop {
        assert!(progress.iter().all(|progress| matches!(progress, RunProgress::Exchange)));
        let parts: Vec<Vec<u8>> = (0..runners.len()).map(|index| others(runners, index)).collect();
        let resumed = runners.iter_mut().zip(&parts);
        progress = resumed.map(|(runner, parts)| runner.resume(arguments, parts, None).unwrap()).collect();
        exchanges += 1;
    }
    (progress, exchanges)
}

fn assert_result(progress: &RunProgress, want: &Literal, text: &str) {
    let RunProgress::Finished(got, _) = progress else { panic!("the run waits in {text}") };
    assert!(got.equals(want, Equality::Bits), "other bits in {text}");
}

/// Compares divided runs with those of one worker; returns the number of exchanges of two workers.
fn compared(text: &str) -> usize {
    let module = module(text);
    let mut exchanges_of_two = 0;
    for constant in [0, module.interface().unwrap().parameters.len() / 2] {
        let options = Options { constant_parameters: constant, ..Options::default() };
        let plan = Rc::new(Plan::compile(&module, options).unwrap());
        let mut alone = Runner::new(plan.clone());
        for count in [2, 3] {
            let mut runners = runners(&plan, count);
            // The second run packs constant operands, and the third reads them. Other arguments find the parts of an earlier run.
            for seed in 0..3 {
                let arguments = arguments(&module, constant, seed);
                let arguments: Vec<&Literal> = arguments.iter().collect();
                let want = alone.run(&arguments, Limits::default(), None).unwrap();
                let (progress, exchanges) = run(&mut runners, &arguments, usize::MAX);
                for progress in &progress {
                    assert_result(progress, &want, text);
                }
                if count == 2 {
                    exchanges_of_two = exchanges;
                }
            }
        }
    }
    exchanges_of_two
}

const ATTENTION: &str = "HloModule attention
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] add(a, b) }
ENTRY e {
  wq = f32[384,384] parameter(0) wk = f32[384,384] parameter(1) wv = f32[384,384] parameter(2) x = f32[192,384] parameter(3)
  q = f32[192,384] dot(x, wq), lhs_contracting_dims={1}, rhs_contracting_dims={0} qh = f32[192,6,64] reshape(q)
  k = f32[192,384] dot(x, wk), lhs_contracting_dims={1}, rhs_contracting_dims={0} kh = f32[192,6,64] reshape(k)
  v = f32[192,384] dot(x, wv), lhs_contracting_dims={1}, rhs_contracting_dims={0} vh = f32[192,6,64] reshape(v)
  s = f32[6,192,192] dot(qh, kh), lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  low = f32[] constant(-inf) zero = f32[] constant(0)
  m = f32[6,192] reduce(s, low), dimensions={2}, to_apply=max mb = f32[6,192,192] broadcast(m), dimensions={0,1}
  d = f32[6,192,192] subtract(s, mb) p = f32[6,192,192] exponential(d)
  t = f32[6,192] reduce(p, zero), dimensions={2}, to_apply=sum tb = f32[6,192,192] broadcast(t), dimensions={0,1}
  n = f32[6,192,192] divide(p, tb)
  o = f32[6,64,192] dot(vh, n), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={0}, rhs_contracting_dims={2}
  ot = f32[192,6,64] transpose(o), dimensions={2,0,1} f = f32[192,384] reshape(ot) ROOT r = f32[192,384] add(f, x) }";

#[test]
fn the_rows_of_attention_stay_divided() {
    assert_eq!(compared(ATTENTION), 2, "keys with values, and the result");
}

#[test]
fn element_wise_steps_after_a_product_have_one_exchange() {
    let text = "HloModule m ENTRY e { w = f32[256,512] parameter(0) b = f32[512] parameter(1) x = f32[192,256] parameter(2)
        v = f32[512,256] parameter(3) p = f32[192,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        bb = f32[192,512] broadcast(b), dimensions={1} s = f32[192,512] add(p, bb) t = f32[192,512] tanh(s)
        h = f32[192,512] multiply(t, s)
        q = f32[192,256] dot(h, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT n = f32[192,256] negate(q) }";
    assert_eq!(compared(text), 1);
}

#[test]
fn a_vector_times_a_matrix_divides_columns() {
    let text = "HloModule m ENTRY e { w = f32[2048,4096] parameter(0) x = f32[1,2048] parameter(1)
        ROOT p = f32[1,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";
    assert_eq!(compared(text), 1);
}

#[test]
fn batches_are_divided() {
    let text = "HloModule m ENTRY e { a = f32[7,128,160] parameter(0) b = f32[7,160,96] parameter(1)
        d = f32[7,128,96] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
        ROOT n = f32[7,128,96] abs(d) }";
    assert_eq!(compared(text), 1);
}

#[test]
fn convolutions_are_divided_by_rows_or_features() {
    for (side, features) in [(26, 64), (7, 192)] {
        for (labels, is_minor) in [("b01f_01io->b01f", true), ("bf01_oi01->bf01", false)] {
            let shape = |channels: u32| {
                if is_minor {
                    format!("f32[1,{side},{side},{channels}]")
                } else {
                    format!("f32[1,{channels},{side},{side}]")
                }
            };
            let kernel = |from: u32, to: u32| {
                if is_minor { format!("f32[3,3,{from},{to}]") } else { format!("f32[{to},{from},3,3]") }
            };
            let (x, y, bias) = (shape(64), shape(features), if is_minor { 3 } else { 1 });
            let text = format!(
                "HloModule m ENTRY e {{ w = {w} parameter(0) b = f32[{features}] parameter(1) v = {v} parameter(2)
                 x = {x} parameter(3) c = {y} convolution(x, w), window={{size=3x3 pad=1_1x1_1}}, dim_labels={labels}
                 bb = {y} broadcast(b), dimensions={{{bias}}} s = {y} add(c, bb) z = f32[] constant(0)
                 zb = {y} broadcast(z), dimensions={{}} r = {y} maximum(s, zb)
                 d = {y} convolution(r, v), window={{size=3x3 pad=1_1x1_1}}, dim_labels={labels}
                 ROOT sum = {y} add(d, r) }}",
                w = kernel(64, features),
                v = kernel(features, features),
            );
            assert_eq!(compared(&text), 2, "{side} {labels}");
        }
    }
}

/// A loop with a product in its body, and a conditional.
const LOOP: &str = "HloModule m
c { s = (s32[], f32[128,256], f32[256,256]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3)
  ROOT t = pred[] compare(i, n), direction=LT }
even { a = f32[128,256] parameter(0) ROOT t = f32[128,256] negate(a) }
odd { a = f32[128,256] parameter(0) ROOT t = f32[128,256] abs(a) }
b { s = (s32[], f32[128,256], f32[256,256]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[128,256] get-tuple-element(s), index=1 w = f32[256,256] get-tuple-element(s), index=2
  p = f32[128,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} t = f32[128,256] tanh(p)
  one = s32[] constant(1) j = s32[] add(i, one) two = s32[] constant(2) r = s32[] remainder(i, two)
  y = f32[128,256] conditional(r, t, p), branch_computations={even, odd}
  ROOT next = (s32[], f32[128,256], f32[256,256]) tuple(j, y, w) }
ENTRY e { w = f32[256,256] parameter(0) x = f32[128,256] parameter(1) z = s32[] constant(0)
  s = (s32[], f32[128,256], f32[256,256]) tuple(z, x, w)
  l = (s32[], f32[128,256], f32[256,256]) while(s), condition=c, body=b ROOT y = f32[128,256] get-tuple-element(l), index=1 }";

#[test]
fn products_in_loops_are_divided() {
    assert_eq!(compared(LOOP), 3, "one in each iteration");
}

#[test]
fn a_lost_worker_is_not_needed() {
    for text in [ATTENTION, LOOP] {
        let module = module(text);
        let plan = Rc::new(Plan::compile(&module, Options::default()).unwrap());
        let arguments = arguments(&module, 0, 3);
        let arguments: Vec<&Literal> = arguments.iter().collect();
        let want = Runner::new(plan.clone()).run(&arguments, Limits::default(), None).unwrap();
        let (_, exchanges) = run(&mut runners(&plan, 2), &arguments, usize::MAX);
        for lost_at in 0..exchanges {
            let mut runners = runners(&plan, 2);
            run(&mut runners, &arguments, lost_at);
            assert_result(&runners[0].resume_alone(&arguments, None).unwrap(), &want, text);
            // Further runs are not divided.
            let again = runners[0].start(&arguments, Limits::default(), None, false).unwrap();
            assert_result(&again, &want, text);
            let rejected = runners[0].resume_alone(&arguments, None);
            assert!(matches!(rejected, Err(RunError::Rejected)), "no run waits");
        }
    }
}

#[test]
fn parts_of_another_length_are_rejected() {
    let module = module(LOOP);
    let plan = Rc::new(Plan::compile(&module, Options::default()).unwrap());
    let arguments = arguments(&module, 0, 3);
    let arguments: Vec<&Literal> = arguments.iter().collect();
    let mut runners = runners(&plan, 2);
    run(&mut runners, &arguments, 1);
    let mut part = others(&runners, 0);
    assert_eq!(part.len(), runners[0].other_parts_bytes());
    let last = part.pop().unwrap();
    for parts in [&part[..], &[], &[&part[..], &[last, 0]].concat()] {
        assert!(matches!(runners[0].resume(&arguments, parts, None), Err(RunError::Rejected)));
    }
    part.push(last);
    assert!(matches!(runners[0].resume(&arguments, &part, None), Ok(RunProgress::Exchange)));
}

#[test]
fn the_first_worker_has_the_statistics_of_one() {
    for text in [ATTENTION, LOOP] {
        let module = module(text);
        let observed = Observed::Everything;
        let plan = Rc::new(Plan::compile_observed(&module, Options::default(), observed).unwrap());
        let arguments = arguments(&module, 0, 3);
        let arguments: Vec<&Literal> = arguments.iter().collect();
        let limits = Limits::default();
        let (want, statistics) =
            Runner::new(plan.clone()).run_with_statistics(&arguments, limits, None).unwrap();
        let mut runners = runners(&plan, 2);
        let mut first = runners[0].start(&arguments, limits, None, true).unwrap();
        let mut second = runners[1].start(&arguments, limits, None, false).unwrap();
        while matches!(first, RunProgress::Exchange) {
            let parts = [1, 0].map(|index: usize| runners[index].own_part().to_vec());
            first = runners[0].resume(&arguments, &parts[0], None).unwrap();
            second = runners[1].resume(&arguments, &parts[1], None).unwrap();
        }
        assert_result(&second, &want, text);
        let RunProgress::Finished(got, Some(found)) = first else { panic!("no statistics") };
        assert!(got.equals(&want, Equality::Bits));
        assert_eq!(found, statistics);
    }
}

#[test]
fn small_programs_are_not_divided() {
    let module = module(
        "HloModule m ENTRY e { a = f32[64,64] parameter(0)
         ROOT d = f32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
    );
    let mut runner = Runner::new(Rc::new(Plan::compile(&module, Options::default()).unwrap()));
    for worker in
        [Worker { index: 0, count: 2 }, Worker { index: 0, count: 1 }, Worker { index: 2, count: 2 }]
    {
        assert!(runner.divide(worker) <= 0.0);
    }
    let arguments = arguments(&module, 0, 1);
    let progress = runner.start(&[&arguments[0]], Limits::default(), None, false).unwrap();
    assert!(matches!(progress, RunProgress::Finished(_, None)));
}
