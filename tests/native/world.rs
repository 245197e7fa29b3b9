//! Experiments with host and devices: queues drain, replicas communicate or deadlock, functions are called, and every
//! cell has its provenance, across replicas too.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use xla_playground::array::literal::Equality;
use xla_playground::array::{ArrayLiteral, Literal, Value};
use xla_playground::hlo::{Host, InstructionId, Limits, Module, parse};
use xla_playground::ops::{self, CellAt};
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::arguments::replica_arguments;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::run::FinishedRun;
use xla_playground::state::experiment::run::devices::{ReplicaRun, UnfinishedRun, run};
use xla_playground::state::experiment::session::{Action, Session};
use xla_playground::state::experiment::{Experiment, link, preset};
use xla_playground::view::replica_derivation::replica_derivation;

fn module_of(experiment: &Experiment) -> Rc<Module> {
    Rc::new(parse(&experiment.text).into_module().unwrap_or_else(|d| panic!("{d} in {}", experiment.text)))
}

/// Runs an experiment that waits for nothing outside this process.
pub(crate) fn now(
    experiment: &Experiment,
    module: &Rc<Module>,
    host: impl Fn() -> Host,
) -> Result<ReplicaRun, UnfinishedRun> {
    let future = pin!(run(experiment, module, Limits::default(), host, || false));
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a run that waits for nothing that works must end"),
    }
}

fn root(module: &Module) -> InstructionId {
    module.entry_computation().unwrap().root.unwrap()
}

/// The function of XLA's documentation, in Rust.
pub(crate) fn myfunc() -> Host {
    Host::default().custom_call("myfunc", |arguments, shape| {
        let cell = |i: usize, index: &[i64]| match arguments[i].as_array().and_then(|a| a.get(index)) {
            Some(Value::Float(x)) => x,
            _ => f64::NAN,
        };
        let shape = shape.as_array().ok_or("an array is wanted")?.clone();
        let value = |_: i64, index: &[i64]| {
            let row = (index[0] + 1) % 2;
            Value::Float(cell(0, &[row]) + cell(1, &[row, index[1]]))
        };
        Ok(ArrayLiteral::from_fn(shape, value).map_err(|e| e.rule)?.into())
    })
}

#[test]
fn every_example_with_a_host_returns_its_promised_value_on_every_replica() {
    let mut seen = 0;
    for op in ops::all() {
        let meta = op.meta();
        for ((number, staged), experiment) in
            op.host_examples().iter().enumerate().zip(preset::host_examples(op))
        {
            seen += 1;
            let address = format!("#ops1/@{}.{}", meta.opcode, meta.examples.len() + number);
            assert_eq!(link::read(&address).experiment, experiment, "{address}");
            let again = link::read(&link::write(&experiment));
            assert_eq!((again.experiment, again.problems.len()), (experiment.clone(), 0), "{address}");
            let module = module_of(&experiment);
            assert_ne!(Needs::new(&module), Needs::default(), "{address} needs nothing");
            // This test selects its functions by name.
            assert!(staged.functions.iter().all(|(name, _)| *name == "myfunc"), "{address}");
            match now(&experiment, &module_of(&experiment), myfunc) {
                Ok(run) if !staged.results.is_empty() => {
                    assert_eq!((run.replicas(), staged.results.len()), (staged.replicas, staged.replicas));
                    for (device, result) in staged.results.iter().enumerate() {
                        let want: Literal = result.parse().unwrap();
                        let found = run.values(device).unwrap().get(root(&module)).unwrap().to_literal();
                        assert!(found.equals(&want, Equality::Same), "{address}, replica {device}: {found}");
                    }
                }
                Ok(_) => assert!(Needs::new(&module).seed, "{address} promises nothing"),
                Err(stuck) => {
                    assert!(staged.results.is_empty(), "{address}: {}", stuck.error());
                    assert!(stuck.is_waiting(), "{address}: {}", stuck.error());
                    assert!(stuck.host_states.iter().any(|state| state.waits_for.is_some()));
                }
            }
        }
    }
    assert!(seen >= 8, "{seen}");
}

fn staged(opcode: &str, number: usize) -> Experiment {
    let op = ops::all().find(|op| op.meta().opcode == opcode).unwrap();
    preset::host_examples(op).nth(number).unwrap()
}

#[test]
fn a_queue_drains_in_order_and_a_run_waits_until_it_is_full_enough() {
    let mut session = Session::new(staged("infeed", 0));
    let finished = now(session.experiment(), &module_of(session.experiment()), Host::default).unwrap();
    assert_eq!(finished.host_states[0].infeed_items_read, 2);
    for taken in (0..2).rev() {
        let mut world = session.experiment().environment.clone();
        world.infeed.truncate(taken);
        session.apply(Action::SetEnvironment(Box::new(world)));
        let stuck = now(session.experiment(), &module_of(session.experiment()), Host::default).unwrap_err();
        assert!(stuck.is_waiting());
        assert_eq!(
            (stuck.host_states[0].infeed_items_read, stuck.host_states[0].is_waiting_for_item),
            (taken, true)
        );
        let said = stuck.host_states[0].waits_for.as_ref().unwrap().to_string();
        assert!(said.contains(["first", "second"][taken]), "{said}");
    }
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    assert_eq!(session.experiment(), &staged("infeed", 0));
    // A malformed item is reported at its field, and by the run.
    let shape = module_of(session.experiment());
    let needs = Needs::new(&shape);
    assert!(
        xla_playground::state::experiment::arguments::queue_item(needs.item(7).unwrap(), "{1, two}").is_err()
    );
}

#[test]
fn replicas_hold_values_of_their_own_and_cells_light_across_them() {
    let mut session = Session::new(staged("all-reduce", 1));
    session.apply(Action::SelectReplica(2));
    session.apply(Action::SetValues(0, ValueRule::Text("{100, 200, 300}".to_owned())));
    let experiment = session.experiment().clone();
    let module = module_of(&experiment);
    let texts: Vec<String> =
        (0..4).map(|r| replica_arguments(&experiment, &module, r).unwrap()[0].to_string()).collect();
    assert_eq!(texts, ["{1, 2, 3}", "{11, 12, 13}", "{100, 200, 300}", "{31, 32, 33}"]);
    let run = Rc::new(now(&experiment, &module_of(&experiment), Host::default).unwrap());
    assert!(FinishedRun::from_replica(&experiment, &module, run.clone(), 4).is_none());
    let finished = FinishedRun::from_replica(&experiment, &module, run, 2).unwrap();
    let (sum, cell) = (root(&module), CellAt::array(&[1]));
    let origins: Vec<(usize, i64)> = finished
        .origins_on_all_replicas(sum, &cell)
        .unwrap()
        .iter()
        .map(|source| (source.device, source.source.cell.index[0]))
        .collect();
    assert_eq!(origins, [(0, 1), (2, 1)], "the group {{0,2}}, cell 1 of each");
    // The selected replica has only its own.
    assert_eq!(finished.sources(sum, &cell).unwrap().len(), 1);
    assert_eq!(replica_derivation(&finished, 2, sum, &cell).unwrap().text(), "out[1] = 2 + 200 = 202");
}

#[test]
fn each_replica_reports_what_it_waits_for() {
    let two = staged("all-reduce", 2);
    let stuck = now(&two, &module_of(&two), Host::default).unwrap_err();
    let said: Vec<Option<String>> =
        stuck.host_states.iter().map(|state| state.waits_for.as_ref().map(ToString::to_string)).collect();
    assert!(said[0].as_ref().is_some_and(|said| said.contains("waits for device 1")), "{said:?}");
    assert_eq!(said[1], None, "it has finished");
    assert!(stuck.host_states.iter().all(|left| !left.is_waiting_for_item), "it waits for another replica");
}

#[test]
fn values_of_other_replicas_follow_the_rule() {
    let mut experiment = Experiment::from_text(
        "HloModule m ENTRY e { a = pred[2] parameter(0) b = u8[2] parameter(1) c = (s32[1], f32[]) parameter(2)
         d = f32[2] parameter(3) ROOT t = (pred[2], u8[2], f32[2]) tuple(a, b, d) }",
    );
    experiment.set_values(1, ValueRule::Text("{250, 1}".to_owned()));
    experiment.set_values(2, ValueRule::Text("({5}, 1.5)".to_owned()));
    experiment.set_values(3, ValueRule::Random(4));
    let module = module_of(&experiment);
    let of = |replica: usize| replica_arguments(&experiment, &module, replica).unwrap();
    let (first, second) = (of(0), of(1));
    assert_eq!((first[0].to_string(), second[0].to_string()), ("{0, 1}".to_owned(), "{1, 0}".to_owned()));
    assert_eq!(second[1].to_string(), "{4, 11}", "modulo the width of the type");
    assert_eq!(second[2].as_tuple().unwrap()[0].to_string(), "{15}");
    experiment.set_values(3, ValueRule::Random(5));
    let next = replica_arguments(&experiment, &module, 0).unwrap();
    assert_eq!(second[3], next[3], "random ones from the next seed");
}
