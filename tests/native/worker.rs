//! Evaluation jobs and their replies: values, provenance, limits, messages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use xla_playground::array::ArrayLiteral;
use xla_playground::array::literal::raw::LiteralReceiver;
use xla_playground::hlo::{InstructionId, Limits, Module, parse};
use xla_playground::i18n::Language;
use xla_playground::ops::CellAt;
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::preset;
use xla_playground::state::experiment::run::iterations::MAX_ITERATIONS;
use xla_playground::state::experiment::run::{FinishedRun, UsedArrays, leaves};
use xla_playground::worker::channel::frame::{Body, Frame, Kind};
use xla_playground::worker::evaluation::job::job;
use xla_playground::worker::evaluation::run::run;
use xla_playground::worker::evaluation::transfer::{ExpectedArray, expected_arrays, finished_run};
use xla_playground::worker::evaluation::wire::{Done, Failure, Job, Progress, Reply};

fn module_of(experiment: &Experiment) -> Rc<Module> {
    Rc::new(parse(&experiment.text).into_module().unwrap())
}

fn root_of(module: &Module) -> InstructionId {
    module.entry_computation().unwrap().root.unwrap()
}

/// A body after a round trip through a channel.
fn crossed<T: Body>(kind: Kind, body: &T) -> T {
    let text = Frame::new(kind, &body.to_text().unwrap()).to_text();
    let frame = Frame::from_text(&text).unwrap();
    assert_eq!(frame.kind, kind);
    T::from_text(frame.body).unwrap()
}

/// Sends a job to the worker and back, with all messages serialized.
fn answer(job: &Job) -> (Reply, Vec<Vec<u8>>, Vec<Progress>) {
    let job = crossed(Kind::Request { id: 1, spawn_disabled: false }, job);
    let (time, mut heard) = (Cell::new(0.0), Vec::new());
    let clock = || time.replace(time.get() + 60.0);
    let (reply, memory) = {
        let mut tell = |progress| heard.push(progress);
        let mut run = pin!(run(&job, None, &clock, &mut tell));
        // Nothing blocks without kernels.
        let Poll::Ready(answer) = run.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("it waits")
        };
        answer
    };
    (crossed(Kind::Reply(1), &reply), memory, heard)
}

fn filled(done: &Done, memory: &[Vec<u8>]) -> Vec<Arc<ArrayLiteral>> {
    let fill = |(of, bytes): (ExpectedArray, &Vec<u8>)| {
        let mut filling = LiteralReceiver::new(of.shape).unwrap();
        bytes.chunks(16).for_each(|part| filling.push(part));
        filling.finish().unwrap()
    };
    expected_arrays(done).unwrap().into_iter().zip(memory).map(fill).collect()
}

fn by_worker(experiment: &Experiment, change: impl Fn(&mut Job)) -> FinishedRun {
    let module = module_of(experiment);
    let entry = module.entry_computation().unwrap();
    let focus = entry.find(&experiment.focus).or(entry.root).unwrap();
    let mut job = job(experiment, focus, Language::ENGLISH);
    change(&mut job);
    let (reply, memory, _) = answer(&job);
    let Reply::Done(done) = reply else { panic!("{reply:?}") };
    finished_run(&done, &filled(&done, &memory), experiment, &module).unwrap()
}

fn failed(experiment: &Experiment, change: impl Fn(&mut Job)) -> Failure {
    let mut job = job(experiment, root_of(&module_of(experiment)), Language::ENGLISH);
    change(&mut job);
    let (reply, memory, _) = answer(&job);
    assert!(memory.is_empty());
    let Reply::Failed(failure) = reply else { panic!("{reply:?}") };
    failure
}

const DOT: &str = "HloModule m
ENTRY e {
  a = f32[40,30] parameter(0)
  b = f32[30,40] parameter(1)
  n = f32[40,30] negate(a)
  ROOT r = f32[40,40] dot(n, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}";

#[test]
fn every_example_gives_the_same_by_way_of_the_worker() {
    for preset in preset::all() {
        let experiment = preset.experiment();
        let module = module_of(&experiment);
        let Ok(here) = FinishedRun::run(&experiment, &module, Limits::default()) else { continue };
        let there = by_worker(&experiment, |_| {});
        assert_eq!(there.steps, here.steps, "{}", experiment.text);
        assert!(!there.is_partial());
        let needs = Needs::new(&module);
        let mut asked = false;
        for (id, _) in module.entry_computation().unwrap().iter() {
            let literal =
                |finished: &FinishedRun| finished.value(id).map(xla_playground::ops::Data::to_literal);
            assert_eq!(literal(&there), literal(&here), "{}", experiment.text);
            let first =
                here.value(id).map(leaves).into_iter().flatten().find(|(_, a)| a.memory_map().elements() > 0);
            let Some((path, array)) = first else { continue };
            let index = vec![0; array.shape().rank()];
            let cell = CellAt { path: path.into_iter().collect(), ..CellAt::array(&index) };
            match there.sources(id, &cell) {
                // Results of other devices stay in the worker, which runs such an experiment only if it exceeds the
                // page's limits.
                Err(error) if error.error.rule == "trace-outside" => assert!(needs.requires_simulation()),
                sources => assert_eq!(sources, here.sources(id, &cell), "{}", experiment.text),
            }
            asked = true;
        }
        assert!(asked, "{}", experiment.text);
    }
}

#[test]
fn transferred_values_have_sources_and_uses() {
    let mut experiment = Experiment::from_text(DOT);
    experiment.values = vec![ValueRule::Random(3), ValueRule::Text("2 ".repeat(1_200))];
    let there = by_worker(&experiment, |_| {});
    let module = module_of(&experiment);
    let here = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
    let (root, cell) = (root_of(&module), CellAt::array(&[39, 7]));
    assert_eq!(there.sources(root, &cell).unwrap().len(), 60);
    assert_eq!(there.sources(root, &cell), here.sources(root, &cell));
    assert_eq!(there.origins(root, &cell), here.origins(root, &cell));
    // More than one call's budget: the page requests the rest in chunks.
    let from = CellAt::array(&[3, 4]);
    assert_eq!(there.uses(root, UsedArrays::Operands, 0, &from), None);
    let mut rounds = 0;
    while there.trace_uses(root, UsedArrays::Operands, 1 << 12) {
        rounds += 1;
        assert!(rounds < 1_000);
    }
    assert!(rounds > 3);
    let uses = there.uses(root, UsedArrays::Operands, 0, &from).unwrap();
    assert_eq!(uses, (0..40).map(|column| CellAt::array(&[3, column])).collect::<Vec<_>>());
    let array = there.value(root).map(leaves).unwrap().remove(0).1;
    assert_eq!(there.range(&array), Some(array.value_range()));
}

#[test]
fn a_loop_reports_its_carried_values() {
    let text = "HloModule m ENTRY e { n = s32[] constant(0) ROOT r = while(n),
        condition={ a = s32[] parameter(0) k = s32[] constant(5000) ROOT c = compare(a, k), direction=LT },
        body={ b = s32[] parameter(0) one = s32[] constant(1) ROOT d = add(b, one) } }";
    let experiment = Experiment::from_text(text);
    let (reply, _, _) = answer(&job(&experiment, root_of(&module_of(&experiment)), Language::ENGLISH));
    let Reply::Done(Done { iterations: Some((focus, iterations)), .. }) = reply else { panic!("{reply:?}") };
    assert_eq!(focus, root_of(&module_of(&experiment)).index());
    assert!(
        iterations.is_truncated && iterations.states.len() == MAX_ITERATIONS + 1,
        "{}",
        iterations.states.len()
    );
    assert_eq!(iterations.states[700], ["700"]);
}

#[test]
fn uses_have_a_limit() {
    let text = "HloModule m ENTRY e { a = u8[2000,1000] parameter(0) ROOT r = u8[2000,1000] copy(a) }";
    let finished = by_worker(&Experiment::from_text(text), |_| {});
    let module = finished.module().clone();
    assert!(
        !finished.trace_uses(root_of(&module), UsedArrays::Operands, 1 << 12),
        "there is no use in asking on"
    );
    assert_eq!(finished.uses(root_of(&module), UsedArrays::Operands, 0, &CellAt::array(&[0, 0])), None);
    let whole = "HloModule m ENTRY e { a = s32[100000] parameter(0) z = s32[] constant(0)
        ROOT r = s32[] reduce(a, z), dimensions={0},
            to_apply={ x = s32[] parameter(0) y = s32[] parameter(1) ROOT s = s32[] add(x, y) } }";
    let finished = by_worker(&Experiment::from_text(whole), |_| {});
    let error = finished.sources(root_of(&finished.module().clone()), &CellAt::array(&[])).unwrap_err();
    assert_eq!(error.error.rule, "trace-limit");
}

#[test]
fn random_numbers_follow_the_seed_on_both_ways() {
    let text = "HloModule m ENTRY e { a = f32[] constant(0) b = f32[] constant(1)
        ROOT r = f32[8] rng(a, b), distribution=rng_uniform }";
    let drawn = |seed: u64| {
        let experiment = Experiment { seed, ..Experiment::from_text(text) };
        let module = module_of(&experiment);
        let here = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
        let there = by_worker(&experiment, |_| {});
        let value = |finished: &FinishedRun| finished.value(root_of(&module)).unwrap().to_literal();
        assert_eq!(value(&here), value(&there));
        value(&here)
    };
    assert_eq!(drawn(5), drawn(5));
    assert_ne!(drawn(5), drawn(6));
    assert_ne!(drawn(0), drawn(u64::MAX));
}

#[test]
fn progress_names_the_instruction_and_counts_its_cells() {
    let experiment = Experiment::from_text(DOT);
    let (reply, _, heard) = answer(&job(&experiment, root_of(&module_of(&experiment)), Language::ENGLISH));
    assert!(matches!(reply, Reply::Done(Done { is_partial: false, .. })));
    assert!(heard.len() > 1, "{heard:?}");
    let is_growing = |pair: &[Progress]| pair[0].steps < pair[1].steps && pair[0].cells <= pair[1].cells;
    let in_dot: Vec<Progress> =
        heard.iter().filter(|progress| progress.instruction == "r").cloned().collect();
    assert!(in_dot.len() > 1 && in_dot.windows(2).all(is_growing), "{heard:?}");
    for progress in &heard {
        assert!(["n", "r"].contains(&progress.instruction.as_str()), "{progress:?}");
    }
    for progress in &in_dot {
        let (done, all) = progress.cells.unwrap();
        assert!(done <= all && all == 1_600, "{progress:?}");
    }
}

#[test]
fn each_limit_is_reported_by_name() {
    let experiment = Experiment::from_text(DOT);
    let steps = failed(&experiment, |job| job.max_steps = 10_000);
    assert_eq!((steps.rule.as_str(), steps.at), ("budget-steps", Some(("e".to_owned(), "r".to_owned()))));
    assert!(steps.message.contains("10"), "{}", steps.message);
    assert!(!steps.hints.is_empty());
    let cells = failed(&experiment, |job| job.max_bytes = 20_000);
    assert_eq!(cells.rule, "budget-bytes");
    let parameters = failed(&experiment, |job| job.max_bytes = 400);
    assert_eq!((parameters.rule.as_str(), parameters.at), ("budget-bytes", None));
    let chinese = failed(&experiment, |job| (job.max_steps, job.language) = (10_000, "zh-Hans".to_owned()));
    assert!(chinese.message.contains('步'), "{}", chinese.message);
    assert_ne!(chinese.hints, steps.hints);
    let unread = failed(&experiment, |job| job.text = "HloModule m ENTRY e { ROOT r = f32[ }".to_owned());
    assert!(!unread.message.is_empty() && !unread.rule.is_empty());
}

#[test]
fn observed_values_are_transferred_first() {
    let experiment = Experiment::from_text(DOT);
    // The result and its operands: 1600 + 1200 + 1200.
    let there = by_worker(&experiment, |job| job.max_transferred_cells = 4_000);
    let module = there.module().clone();
    let entry = module.entry_computation().unwrap();
    assert!(there.is_partial());
    for (name, is_there) in [("r", true), ("n", true), ("b", true), ("a", false)] {
        assert_eq!(there.value(entry.find(name).unwrap()).is_some(), is_there, "{name}");
    }
    assert_eq!(there.sources(root_of(&module), &CellAt::array(&[0, 0])).unwrap().len(), 60);
    assert!(there.origins(root_of(&module), &CellAt::array(&[0, 0])).is_err(), "what it needs is not here");
}

#[test]
fn an_array_that_several_values_share_is_transferred_once() {
    let text = "HloModule m ENTRY e { a = f32[64] parameter(0) t = (f32[64], f32[64]) tuple(a, a)
        ROOT g = f32[64] get-tuple-element(t), index=1 }";
    let experiment = Experiment::from_text(text);
    let (reply, memory, _) = answer(&job(&experiment, root_of(&module_of(&experiment)), Language::ENGLISH));
    let Reply::Done(done) = reply else { panic!("{reply:?}") };
    assert_eq!((done.values.len(), memory.len()), (3, 1));
}

#[test]
fn a_malformed_reply_is_rejected() {
    let experiment = Experiment::from_text(DOT);
    let (reply, memory, _) = answer(&job(&experiment, root_of(&module_of(&experiment)), Language::ENGLISH));
    let Reply::Done(done) = reply else { panic!("{reply:?}") };
    let arrays = filled(&done, &memory);
    let module = module_of(&experiment);
    assert!(finished_run(&done, &arrays, &experiment, &module).is_some());
    assert!(finished_run(&done, &arrays[1..], &experiment, &module).is_none());
    let other = module_of(&Experiment::from_text("HloModule m ENTRY e { ROOT c = f32[] constant(1) }"));
    assert!(finished_run(&done, &arrays, &experiment, &other).is_none());
    let mut odd = done.clone();
    odd.values[0].0 = 1_000;
    assert!(finished_run(&odd, &arrays, &experiment, &module).is_none());
}
