//! The Program screen's runner: XLA's values for every sample, values of bodies, sources, and failures.

use std::cell::RefCell;
use std::fs;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde_json::Value as Json;
use test_support::data;
use xla_playground::array::value::text::Exactness;

use xla_playground::array::{ArrayLiteral, Shape};
use xla_playground::hlo::{Limits, parse};
use xla_playground::i18n::Language;
use xla_playground::ops::Data;
use xla_playground::plan::{RunError, Session};
use xla_playground::state::program::references::{Argument, InstructionKey};
use xla_playground::worker::program::argument_files::NoFiles;
use xla_playground::worker::program::environment::Environment;
use xla_playground::worker::program::ids::reference;
use xla_playground::worker::program::planned::{
    OpenPlan, PlanFailure, PlanObserver, PlanResult, Planned, StatisticsRun,
};
use xla_playground::worker::program::queries::Program;
use xla_playground::worker::program::running::Execution;
use xla_playground::worker::program::wire::{
    Answer, CellRequest, CellTarget, Job, Opened, Query, Ran, RunReply, RunRequest, TracePicture, TraceQuery,
    ValueQuery,
};

use crate::golden::{Tolerance, array, difference};

/// Polls a future that never waits: there are no kernels in other workers.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing waits without kernels"),
    }
}

pub fn with_environment<T>(run: impl FnOnce(&mut Environment) -> T) -> T {
    let plans = || -> Pin<Box<dyn Future<Output = Option<OpenPlan>>>> {
        Box::pin(std::future::ready(Some(Rc::new(InProcessPlan::open) as OpenPlan)))
    };
    run(&mut Environment { kernels: None, clock: || 0.0, report: Rc::new(|_| {}), plans: &plans })
}

pub fn job(text: &str, arguments: Vec<Argument>) -> Job {
    Job {
        text: text.to_owned(),
        arguments,
        seed: 1,
        devices: 1,
        files: Vec::new(),
        language: "en".to_owned(),
    }
}

pub fn run(job: Job) -> Result<(Execution, Ran), String> {
    with_environment(|environment| ready(Execution::run(job, Rc::new(NoFiles), environment)))
        .map_err(|failure| format!("{}: {}", failure.rule, failure.message))
}

pub fn ask(execution: &mut Execution, request: RunRequest) -> RunReply {
    let answer = with_environment(|environment| ready(execution.answer(request, environment)));
    answer.map_or_else(RunReply::Failed, |(reply, _)| reply)
}

pub fn open(text: &str) -> (Program, Opened) {
    Program::open(text.to_owned(), Language::ENGLISH)
}

/// The instruction with this name.
pub fn find(program: &mut Program, name: &str) -> InstructionKey {
    let Answer::Found { rows, .. } = program.answer(Query::Find { needle: name.to_owned(), limit: 99 })
    else {
        panic!("an answer of another kind")
    };
    let found = rows.iter().find(|found| found.row.name == name).unwrap();
    InstructionKey { computation: found.computation, instruction: found.row.instruction }
}

/// A picture as text: name, execution and cells.
pub fn pictured(picture: &TracePicture) -> String {
    format!("{} {}: {}", picture.name, picture.execution, picture.described)
}

#[test]
fn every_sample_has_the_values_of_xla() {
    let folder = data().join("hlo-samples");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".io.json") else { continue };
        let io: Json = serde_json::from_str(&fs::read_to_string(folder.join(&file)).unwrap()).unwrap();
        for end in ["lowered.hlo", "compiled.hlo", "stablehlo.mlir"] {
            let text = fs::read_to_string(folder.join(format!("{name}.{end}"))).unwrap();
            let (_, opened) = open(&text);
            assert_eq!(opened.error_count, 0, "{name}.{end}: {:?}", opened.problems);
            let inputs = io["inputs"].as_array().unwrap();
            let typed = opened.parameters.iter().zip(inputs).map(|(parameter, json)| {
                Argument::Text(array(json, &parameter.shape.parse().unwrap()).text(Exactness::RoundTrip))
            });
            let (execution, ran) = run(job(&text, typed.collect())).unwrap();
            assert!(ran.keeps_values && ran.steps > 0);
            let got = execution.result(0).unwrap();
            let results = got.as_tuple().map_or_else(|| vec![got.clone()], <[_]>::to_vec);
            let outputs = io["outputs"].as_array().unwrap();
            assert_eq!(results.len(), outputs.len(), "{name}.{end}");
            let tolerance = if name.contains("bf16") { 1e-2 } else { 1e-5 };
            for (got, want) in results.iter().zip(outputs) {
                let want = array(want, &got.shape());
                assert_eq!(
                    difference(got, &want, [tolerance, tolerance], Tolerance::NONE),
                    None,
                    "{name}.{end}"
                );
            }
            count += 1;
        }
    }
    assert_eq!(count, 45);
}

const LOOP: &str = "HloModule m
c { i = s32[] parameter(0) n = s32[] constant(5) ROOT t = pred[] compare(i, n), direction=LT }
b { i = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(i, one) }
ENTRY e {
  start = s32[] constant(0)
  unused = f32[2] parameter(0)
  dead = f32[2] negate(unused)
  ROOT w = s32[] while(start), condition=c, body=b
}";

#[test]
fn values_of_bodies_are_computed_for_each_execution() {
    let (mut program, _) = open(LOOP);
    let (mut execution, _) = run(job(LOOP, vec![])).unwrap();
    let next = find(&mut program, "next");
    for number in 0..5_u64 {
        let query = ValueQuery { at: next, execution: number, ..ValueQuery::default() };
        let RunReply::Value(page) = ask(&mut execution, RunRequest::Value(query)) else { panic!("no value") };
        assert_eq!(page.executions, 5);
        assert_eq!(page.statistics.unwrap().max, (number + 1).to_string());
    }
    let beyond = ValueQuery { at: next, execution: 5, ..ValueQuery::default() };
    assert!(
        matches!(ask(&mut execution, RunRequest::Value(beyond)), RunReply::Failed(failure) if failure.rule == "not-executed")
    );
    // What the result does not need runs when it is shown.
    let dead = ValueQuery { at: find(&mut program, "dead"), ..ValueQuery::default() };
    let RunReply::Value(page) = ask(&mut execution, RunRequest::Value(dead)) else { panic!("no value") };
    assert_eq!((page.executions, page.leaves.len()), (0, 1));
}

#[test]
fn cells_of_a_body_are_traced_in_their_iteration() {
    let (mut program, _) = open(LOOP);
    let (mut execution, _) = run(job(LOOP, vec![])).unwrap();
    let query = TraceQuery { at: find(&mut program, "next"), execution: 3, ..TraceQuery::default() };
    let RunReply::Sources(found) = ask(&mut execution, RunRequest::Sources(query.clone())) else {
        panic!("no sources")
    };
    assert_eq!(found.iter().map(|source| source.value.as_str()).collect::<Vec<_>>(), ["3", "1"]);
    let RunReply::Trace(back) = ask(&mut execution, RunRequest::TraceBack(query.clone())) else {
        panic!("no trace")
    };
    let names: Vec<_> = back.pictures.iter().map(pictured).collect();
    // The counter of each iteration is the result of the one before, back to the initial value.
    let chain = [
        "i 3: [] = 3",
        "one 3: [] = 1",
        "next 2: [] = 3",
        "i 2: [] = 2",
        "one 2: [] = 1",
        "next 1: [] = 2",
        "i 1: [] = 1",
        "one 1: [] = 1",
        "next 0: [] = 1",
        "i 0: [] = 0",
        "one 0: [] = 1",
        "start 0: [] = 0",
    ];
    assert_eq!((names, back.is_complete), (chain.map(str::to_owned).to_vec(), true));
    let parameter = TraceQuery { at: find(&mut program, "one"), ..query };
    let RunReply::Trace(on) = ask(&mut execution, RunRequest::TraceOn(parameter)) else { panic!("no trace") };
    assert_eq!((on.pictures[0].name.as_str(), on.pictures[0].described.as_str()), ("next", "[] = 4"));
    let at = find(&mut program, "next");
    let RunReply::Timeline(timeline) = ask(&mut execution, RunRequest::Timeline { at, leaf: 0, device: 0 })
    else {
        panic!("no timeline")
    };
    let heights: Vec<_> = timeline.points.iter().filter_map(|point| point.max).collect();
    assert_eq!((timeline.count, heights), (5, vec![1.0, 2.0, 3.0, 4.0, 5.0]));
}

#[test]
fn the_first_infinity_has_its_iteration() {
    let text = "HloModule m
        c { p = (s32[], bf16[]) parameter(0) i = s32[] get-tuple-element(p), index=0
          n = s32[] constant(6) ROOT t = pred[] compare(i, n), direction=LT }
        b { p = (s32[], bf16[]) parameter(0) i = s32[] get-tuple-element(p), index=0
          v = bf16[] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
          k = bf16[] constant(1e10) w = bf16[] multiply(v, k) ROOT t = (s32[], bf16[]) tuple(j, w) }
        ENTRY e { z = s32[] constant(0) a = bf16[] constant(2) s = (s32[], bf16[]) tuple(z, a)
          ROOT u = (s32[], bf16[]) while(s), condition=c, body=b }";
    let (_, ran) = run(job(text, vec![])).unwrap();
    // 2e30 is finite, 2e40 is not.
    let infinity = ran.events[0].first_computed_infinity.clone().unwrap();
    assert_eq!((infinity.name.as_str(), infinity.execution, infinity.is_inherited), ("w", 3, false));
    let growth = ran.events[0].largest_growth.clone().unwrap();
    // Of the finite values: the infinite one has no magnitude.
    assert!(growth.name == "w" && growth.execution < 3, "{growth:?}");
}

#[test]
fn the_initial_value_of_a_maximum_does_not_hide_a_computed_infinity() {
    let text = "HloModule m
        max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
        ENTRY e { least = f32[] constant(-inf) x = f32[3] constant({1, 0, 2})
          top = f32[] reduce(x, least), dimensions={0}, to_apply=max l = f32[3] log(x) ROOT n = f32[3] negate(l) }";
    let (_, ran) = run(job(text, vec![])).unwrap();
    let infinity = ran.events[0].first_computed_infinity.clone().unwrap();
    assert_eq!((infinity.name.as_str(), infinity.is_inherited), ("l", false));
}

#[test]
fn large_values_are_shown_in_parts_and_tuples_by_element() {
    let text = "HloModule m ENTRY e { x = s32[3,600,700] iota(), iota_dimension=2
        y = f32[] constant(7) ROOT t = (s32[3,600,700], f32[]) tuple(x, y) }";
    let (_, opened) = open(text);
    let (mut execution, _) = run(job(text, vec![])).unwrap();
    let query = ValueQuery { at: opened.root.unwrap(), start: vec![2, 0, 500], ..ValueQuery::default() };
    let RunReply::Value(page) = ask(&mut execution, RunRequest::Value(query.clone())) else {
        panic!("no value")
    };
    let window = page.window.unwrap();
    assert_eq!((window.shape.as_str(), window.start), ("s32[1,256,256]{2,1,0}", vec![2, 0, 444]));
    assert_eq!((window.sizes, window.finite), (vec![3, 600, 700], Some((0.0, 699.0))));
    let second = ValueQuery { leaf: 1, start: vec![], ..query };
    let RunReply::Value(page) = ask(&mut execution, RunRequest::Value(second)) else { panic!("no value") };
    assert_eq!((page.leaves.len(), page.statistics.unwrap().max.as_str()), (2, "7"));
}

#[test]
fn a_cell_can_be_asked_for_by_what_it_holds() {
    let text = "HloModule m ENTRY e { i = s32[3,600,700] iota(), iota_dimension=1
        x = f32[3,600,700] convert(i) c = f32[] constant(450) b = f32[3,600,700] broadcast(c), dimensions={}
        d = f32[3,600,700] subtract(x, b) z = f32[3,600,700] divide(d, d)
        ROOT t = (s32[3,600,700], f32[3,600,700], f32[3,600,700]) tuple(i, d, z) }";
    let (_, opened) = open(text);
    let (mut execution, _) = run(job(text, vec![])).unwrap();
    let mut page = |target: CellTarget| {
        let cell = Some(CellRequest { target, number: 0 });
        let query = ValueQuery { at: opened.root.unwrap(), cell, ..ValueQuery::default() };
        let RunReply::Value(page) = ask(&mut execution, RunRequest::Value(query)) else { panic!("no value") };
        (page.query.leaf, page.cell, page.window.map(|window| window.start))
    };
    // The window is around the cell, and the array is the first one that has such a cell.
    let nan = (2, Some(vec![0, 450, 0]), Some(vec![0, 322, 0]));
    assert_eq!(page(CellTarget::FirstNan), nan);
    let index = |path: Vec<usize>| CellTarget::Index { path, index: vec![2, 599, 699] };
    assert_eq!(page(index(vec![1])), (1, Some(vec![2, 599, 699]), Some(vec![2, 344, 444])));
    // What the value does not have.
    assert_eq!(page(CellTarget::FirstInfinity), (0, None, Some(vec![0, 0, 0])));
    assert_eq!(page(index(vec![3])), (0, None, Some(vec![0, 0, 0])));
    let beyond = CellTarget::Index { path: vec![1], index: vec![3, 0, 0] };
    assert_eq!(page(beyond), (0, None, Some(vec![0, 0, 0])));
}

#[test]
fn sources_are_cells_of_operands_with_their_values() {
    let text = "HloModule m ENTRY e { x = s32[2,2] constant({{1,2},{3,4}}) y = s32[2,2] transpose(x), dimensions={1,0}
        ROOT z = s32[2,2] add(y, x) }";
    let (mut program, opened) = open(text);
    let (mut execution, _) = run(job(text, vec![])).unwrap();
    let mut sources = |at: InstructionKey, cell: Vec<i64>| {
        ask(&mut execution, RunRequest::Sources(TraceQuery { at, cell, ..TraceQuery::default() }))
    };
    let RunReply::Sources(found) = sources(opened.root.unwrap(), vec![0, 1]) else { panic!("no sources") };
    let cells: Vec<_> = found.iter().map(|s| (s.operand, s.index.clone(), s.value.as_str())).collect();
    assert_eq!(cells, [(0, vec![0, 1], "3"), (1, vec![0, 1], "2")]);
    let RunReply::Sources(found) = sources(find(&mut program, "y"), vec![0, 1]) else { panic!("no sources") };
    assert_eq!(found[0].index, [1, 0]);
    assert!(matches!(sources(opened.root.unwrap(), vec![9, 9]), RunReply::Failed(_)));
}

#[test]
fn the_course_of_a_run_finds_special_values_and_failures_name_the_parameter() {
    let text =
        "HloModule m ENTRY e { x = f32[2] parameter(0) zero = f32[2] subtract(x, x) infinite = f32[2] log(zero)
        ROOT bad = f32[2] multiply(zero, infinite) }";
    let (_, ran) = run(job(text, vec![Argument::Text("{1, 2}".to_owned())])).unwrap();
    assert_eq!(ran.events[0].first_computed_infinity.clone().unwrap().name, "infinite");
    let nan = ran.events[0].first_nan.clone().unwrap();
    assert!(nan.name == "bad" && !nan.is_inherited);
    let rejected = run(job(text, vec![Argument::Text("{1}".to_owned())])).err().unwrap();
    assert!(rejected.contains("parameter 0"), "{rejected}");
    let broken = run(job("HloModule m ENTRY e { ROOT x = f32[2] nothing() }", vec![])).err().unwrap();
    assert!(broken.starts_with("hlo-"), "{broken}");
    assert!(run(job("", vec![])).is_err());
}

/// Plans as in the module of plans, in this process.
struct InProcessPlan(RefCell<Session>);

impl InProcessPlan {
    fn open(text: &str, seed: u32, _: PlanObserver) -> Option<Box<dyn Planned>> {
        let session = Session::with_statistics(parse(text).into_module().ok()?, seed.into()).ok()?;
        Some(Box::new(Self(RefCell::new(session))))
    }
}

fn plan_failure(error: RunError) -> PlanFailure {
    match error {
        RunError::Failed(error) if error.error.rule == "budget-bytes" => PlanFailure::Bytes(error.at),
        RunError::Failed(error) if error.error.rule == "budget-steps" => PlanFailure::Steps(error.at),
        _ => PlanFailure::Rejected,
    }
}

impl Planned for InProcessPlan {
    fn write_argument(&self, number: usize, array: &ArrayLiteral) -> Result<(), PlanFailure> {
        let mut session = self.0.borrow_mut();
        *session.argument(number).ok_or(PlanFailure::Rejected)? = array.buffer().clone();
        Ok(())
    }

    fn run_with_statistics<'a>(&'a self, _: &'a Shape, limits: Limits) -> StatisticsRun<'a> {
        let run = self.0.borrow_mut().run_with_statistics(limits, None);
        let run =
            run.map(|(result, statistics)| PlanResult { result: result.into(), statistics, workers: 1 });
        let run = run.map_err(plan_failure);
        Box::pin(std::future::ready(run))
    }

    fn values(
        &self,
        instructions: &[(InstructionKey, Shape)],
        execution: u64,
        limits: Limits,
    ) -> Result<Vec<Option<Data>>, PlanFailure> {
        let ids: Vec<_> = instructions.iter().map(|(at, _)| reference(*at)).collect();
        self.0.borrow().values(&ids, execution, limits, None).map_err(plan_failure)
    }
}

/// A program that is large enough for a plan: a product, a loop on its first row, and a NaN.
const LARGE: &str = "HloModule m
c { s = (s32[], f32[256]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3)
  ROOT t = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[256]) parameter(0) i = s32[] get-tuple-element(s), index=0 row = f32[256] get-tuple-element(s), index=1
  one = s32[] constant(1) j = s32[] add(i, one) double = f32[256] add(row, row)
  ROOT next = (s32[], f32[256]) tuple(j, double) }
ENTRY e {
  x = f32[256,512] parameter(0) w = f32[512,256] parameter(1) dead = f32[512,256] negate(w)
  p = f32[256,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  first = f32[1,256] slice(p), slice={[0:1],[0:256]} row = f32[256] reshape(first) zero = s32[] constant(0)
  state = (s32[], f32[256]) tuple(zero, row) end = (s32[], f32[256]) while(state), condition=c, body=b
  last = f32[256] get-tuple-element(end), index=1 gone = f32[256] subtract(last, last)
  ROOT quotient = f32[256] divide(gone, gone) }";

#[test]
fn a_large_program_runs_as_a_plan_and_shows_every_value() {
    let (mut program, opened) = open(LARGE);
    let arguments = vec![Argument::Iota, Argument::Random];
    let (mut execution, ran) = run(job(LARGE, arguments)).unwrap();
    assert!(ran.is_planned && !ran.keeps_values && ran.steps > 0);
    assert_eq!(ran.events[0].first_nan.clone().unwrap().name, "quotient");
    assert_eq!(ran.events[0].largest_growth.clone().unwrap().name, "p");
    let mut value = |at: InstructionKey, number: u64| {
        let query = ValueQuery { at, execution: number, ..ValueQuery::default() };
        match ask(&mut execution, RunRequest::Value(query)) {
            RunReply::Value(page) => (page.executions, page.statistics.unwrap()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(value(opened.root.unwrap(), 0).1.nans, 256);
    let (executions, first) = value(find(&mut program, "double"), 0);
    let (_, third) = value(find(&mut program, "double"), 2);
    assert_eq!(executions, 3);
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert!((number(&third.max) / number(&first.max) - 4.0).abs() < 1e-3, "{first:?} {third:?}");
    // The result does not need it.
    assert_eq!(value(find(&mut program, "dead"), 0).1.elements, 512 * 256);
    let product = find(&mut program, "p");
    let query = TraceQuery { at: product, cell: vec![1, 2], ..TraceQuery::default() };
    let sources = RunRequest::Sources(query);
    let RunReply::Sources(found) = ask(&mut execution, sources) else { panic!("no sources") };
    assert_eq!(found.len(), 2 * 512);
    assert_eq!((found[0].index.as_slice(), found[0].value.as_str()), (&[1, 0][..], "512"));
}

#[test]
fn a_large_program_has_the_values_of_the_evaluator() {
    // The same program below the limit.
    let small = LARGE.replace("256,512", "256,8").replace("512,256", "8,256");
    let module = parse(&small).into_module().unwrap();
    let session = || Session::with_statistics(module.clone(), 1).unwrap();
    let by_evaluator = run(job(&small, vec![])).unwrap();
    assert!(by_evaluator.1.keeps_values);
    let mut by_plan = session();
    let arguments = xla_playground::worker::program::arguments::arguments(
        &job(&small, vec![]),
        (&module, &module),
        &NoFiles,
        Language::ENGLISH,
    );
    for (number, argument) in arguments.unwrap().iter().enumerate() {
        *by_plan.argument(number).unwrap() = argument.as_array().unwrap().buffer().clone();
    }
    let (result, statistics) = by_plan.run_with_statistics(Limits::default(), None).unwrap();
    assert_eq!(by_evaluator.0.result(0).unwrap().to_string(), result.to_string());
    let name = |(computation, id): (_, _)| module.get(computation).unwrap().get(id).unwrap().name.clone();
    let events = by_evaluator.1.events[0].clone();
    assert_eq!(statistics.first_nan.map(|event| name(event.at)), events.first_nan.map(|event| event.name));
    assert_eq!(
        statistics.largest_growth.map(|growth| name(growth.at)),
        events.largest_growth.map(|growth| growth.name)
    );
}

#[test]
fn the_instruction_that_exceeds_the_memory_of_a_plan_is_named() {
    let text =
        "HloModule m ENTRY e { i = f32[20000,20000] iota(), iota_dimension=0 n = f32[20000,20000] negate(i)
        ROOT s = f32[1,1] slice(n), slice={[0:1],[0:1]} }";
    let rejected =
        with_environment(|s| ready(Execution::run(job(text, vec![]), Rc::new(NoFiles), s))).err().unwrap();
    assert_eq!(rejected.rule, "budget-bytes");
    assert_eq!(rejected.at, Some(("e".to_owned(), "i".to_owned())));
}
