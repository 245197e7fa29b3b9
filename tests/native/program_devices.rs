//! The Program screen's runner on several simulated devices: the values of the terminal's `eval --devices`.

use xla_playground::array::Literal;
use xla_playground::state::program::references::{Argument, InstructionKey};
use xla_playground::worker::program::argument_files::NoFiles;
use xla_playground::worker::program::running::Execution;
use xla_playground::worker::program::wire::{
    DeviceCounts, InstructionPath, Job, RunReply, RunRequest, SaveFormat, TraceQuery, ValueQuery,
};

use crate::cli_hlo::run as terminal;
use crate::program_screen::{ask, find, job, open, pictured, ready, run, with_environment};

const SUM: &str = "HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[2,2] parameter(0) ROOT r = f32[2,2] all-reduce(x), replica_groups={{0,2},{1,3}}, to_apply=add }";

const GATHER: &str = "HloModule m
ENTRY e { x = f32[2,2] parameter(0) n = f32[2,2] negate(x)
  ROOT r = f32[8,2] all-gather(n), replica_groups={{0,1,2,3}}, dimensions={0} }";

const PERMUTE: &str = "HloModule m, replica_count=4
ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) z = f32[3] multiply(x, y)
  ROOT r = f32[3] collective-permute(z), source_target_pairs={{0,1},{1,2},{2,0}} }";

const PARTITION: &str = "HloModule m, num_partitions=4
ENTRY e { x = f32[2] parameter(0) p = u32[] partition-id() n = f32[] convert(p)
  b = f32[2] broadcast(n), dimensions={} ROOT r = f32[2] add(x, b) }";

/// A product with a divided contraction, as XLA's SPMD partitioner writes it.
const SPMD: &str = "HloModule jit_f, is_scheduled=true, num_partitions=4

%add.clone (x.1: f32[], y.1: f32[]) -> f32[] {
  %x.1 = f32[] parameter(0)
  %y.1 = f32[] parameter(1)
  ROOT %add.2 = f32[] add(%x.1, %y.1)
}

ENTRY %main.5_spmd (param: f32[2,8], param.1: f32[2,3]) -> f32[2,3] {
  %param.1 = f32[2,3]{1,0} parameter(1), sharding={devices=[4,1]<=[4]}
  %param = f32[2,8]{1,0} parameter(0), sharding={replicated}
  %constant.1 = s32[] constant(0)
  %constant = s32[4]{0} constant({0,2,4,6})
  %partition-id = u32[] partition-id()
  %dynamic-slice.1 = s32[1]{0} dynamic-slice(%constant, %partition-id), dynamic_slice_sizes={1}
  %bitcast = s32[] bitcast(%dynamic-slice.1)
  %dynamic-slice = f32[2,2]{1,0} dynamic-slice(%param, %constant.1, %bitcast), dynamic_slice_sizes={2,2}
  %dot = f32[2,3]{1,0} dot(%dynamic-slice, %param.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %all-reduce = f32[2,3]{1,0} all-reduce(%dot), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=%add.clone
}
";

fn job_on(text: &str, devices: u32, arguments: Vec<Argument>) -> Job {
    Job { devices, ..job(text, arguments) }
}

/// The value of an instruction on a device, as the page saves it.
fn saved(execution: &mut Execution, at: InstructionKey, device: u32) -> String {
    let query = ValueQuery { at, device, ..ValueQuery::default() };
    let request = RunRequest::Save(query, SaveFormat::Json);
    let answer = with_environment(|environment| ready(execution.answer(request, environment)));
    String::from_utf8(answer.unwrap().1.unwrap()).unwrap()
}

/// The results of all devices in the terminal, as JSON.
fn in_terminal(text: &str, arguments: &[Vec<Literal>]) -> Vec<String> {
    let count = arguments.len().to_string();
    let literals: Vec<String> =
        arguments.iter().flatten().map(|literal| format!("{} {literal}", literal.shape())).collect();
    let mut args = vec!["eval", "-", "--json", "--devices", count.as_str()];
    for literal in &literals {
        args.extend(["--arg", literal]);
    }
    let (code, out, err) = terminal(&args, text);
    assert_eq!(code, 0, "{out}{err}");
    let result = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        json["result"].to_string()
    };
    out.lines().map(result).collect()
}

#[test]
fn every_device_has_the_value_of_the_terminal() {
    for text in [SUM, GATHER, PERMUTE, PARTITION, SPMD] {
        let (_, opened) = open(text);
        assert_eq!(opened.error_count, 0, "{:?}", opened.problems);
        for arguments in [vec![], vec![Argument::Iota, Argument::Iota]] {
            let job = job_on(text, 4, arguments);
            let module = xla_playground::hlo::parse(text).into_module().unwrap();
            let values = xla_playground::worker::program::arguments::device_arguments(
                &job,
                &module,
                &NoFiles,
                xla_playground::i18n::Language::ENGLISH,
            );
            let expected = in_terminal(text, &values.unwrap());
            let (mut execution, ran) = run(job).unwrap();
            assert_eq!((ran.events.len(), ran.is_planned, expected.len()), (4, false, 4));
            for (device, expected) in (0..).zip(&expected) {
                let found: serde_json::Value =
                    serde_json::from_str(&saved(&mut execution, opened.root.unwrap(), device)).unwrap();
                assert_eq!(found.to_string(), *expected, "device {device} of {text}");
            }
        }
    }
}

#[test]
fn only_random_arguments_differ_between_devices() {
    let text = "HloModule m, replica_count=3
        ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)
        z = f32[2] parameter(2) ROOT r = (f32[2], f32[2], f32[2]) tuple(x, y, z) }";
    let arguments = vec![Argument::Random, Argument::Iota, Argument::Text("{7, 8}".to_owned())];
    let (execution, _) = run(job_on(text, 3, arguments.clone())).unwrap();
    let results: Vec<Literal> = (0..3).map(|device| execution.result(device).unwrap()).collect();
    let part = |device: usize, number: usize| results[device].as_tuple().unwrap()[number].to_string();
    for number in [1, 2] {
        assert!((1..3).all(|device| part(device, number) == part(0, number)));
    }
    // A device has the values that the first one has with the next seed.
    let next = run(Job { seed: 2, ..job_on(text, 3, arguments) }).unwrap().0;
    assert_ne!(part(0, 0), part(1, 0));
    for device in 1..3 {
        let before = next.result(device - 1).unwrap();
        assert_eq!(part(device, 0), before.as_tuple().unwrap()[0].to_string());
    }
}

#[test]
fn what_a_program_is_for_is_stated() {
    let of = |text: &str| open(text).1.devices;
    assert_eq!(of(SUM), DeviceCounts { declared: 1, partitions: 1, is_distributed: true });
    assert_eq!(of(PERMUTE), DeviceCounts { declared: 4, partitions: 1, is_distributed: true });
    assert_eq!(of(PARTITION), DeviceCounts { declared: 4, partitions: 4, is_distributed: true });
    let stablehlo = "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
        func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> } }";
    assert_eq!(of(stablehlo), DeviceCounts { declared: 2, partitions: 1, is_distributed: false });
    assert_eq!(of("HloModule m ENTRY e { ROOT c = f32[] constant(1) }"), DeviceCounts::SINGLE);
}

const DIVERGING: &str = "HloModule m, replica_count=2
c { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(3)
  ROOT t = pred[] compare(i, n), direction=LT }
b { q = (s32[], f32[]) parameter(0) j = s32[] get-tuple-element(q), index=0 v = f32[] get-tuple-element(q), index=1
  one = s32[] constant(1) k = s32[] add(j, one) root = f32[] sqrt(v) less = f32[] constant(1.5)
  next = f32[] subtract(root, less) ROOT r = (s32[], f32[]) tuple(k, next) }
ENTRY e { id = u32[] replica-id() f = f32[] convert(id) h = f32[] constant(6) m = f32[] multiply(f, h)
  z = s32[] constant(0) s = (s32[], f32[]) tuple(z, m) w = (s32[], f32[]) while(s), condition=c, body=b
  ROOT y = f32[] get-tuple-element(w), index=1 }";

#[test]
fn events_bodies_timelines_and_traces_are_those_of_the_device() {
    let (mut program, _) = open(DIVERGING);
    let (mut execution, ran) = run(job_on(DIVERGING, 2, vec![])).unwrap();
    // √0 - 1.5 is negative; √6 - 1.5 is 0.949, √0.949 - 1.5 is negative.
    let nan = |device: usize| {
        let found = ran.events[device].first_nan.clone().unwrap();
        (found.name, found.execution)
    };
    assert_eq!([nan(0), nan(1)], [("root".to_owned(), 1), ("root".to_owned(), 2)]);
    let root = find(&mut program, "root");
    let value = |execution: &mut Execution, device| {
        let query = ValueQuery { at: root, execution: 1, device, ..ValueQuery::default() };
        match ask(execution, RunRequest::Value(query)) {
            RunReply::Value(page) => page.statistics.unwrap().nans,
            other => panic!("no value: {other:?}"),
        }
    };
    assert_eq!([value(&mut execution, 0), value(&mut execution, 1)], [1, 0]);
    let timeline = |execution: &mut Execution, device| match ask(
        execution,
        RunRequest::Timeline { at: root, leaf: 0, device },
    ) {
        RunReply::Timeline(found) => found.points.iter().map(|point| point.has_nan).collect::<Vec<_>>(),
        other => panic!("no timeline: {other:?}"),
    };
    assert_eq!(timeline(&mut execution, 0), [false, true, true]);
    assert_eq!(timeline(&mut execution, 1), [false, false, true]);
    let query = TraceQuery { at: root, device: 1, ..TraceQuery::default() };
    let RunReply::Trace(back) = ask(&mut execution, RunRequest::TraceBack(query)) else { panic!("no trace") };
    assert!(back.is_complete && back.pictures.iter().all(|picture| picture.device == 1));
    let found: Vec<String> = back.pictures.iter().map(pictured).collect();
    assert_eq!(found.first().unwrap(), "v 0: [] = 6");
    assert_eq!(found.last().unwrap(), "id 0: [] = 1");
}

#[test]
fn sources_of_a_collective_are_on_every_device() {
    let summed = PARTITION.replace(
        "ROOT r = f32[2] add(x, b)",
        "s = f32[2] add(x, b) ROOT r = f32[2] all-reduce(s), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add",
    );
    let text = summed.replace(
        "ENTRY",
        "add { c = f32[] parameter(0) d = f32[] parameter(1) ROOT e = f32[] add(c, d) }\nENTRY",
    );
    assert_eq!(open(&text).1.error_count, 0);
    let (mut program, _) = open(&text);
    let (mut execution, _) = run(job_on(&text, 4, vec![Argument::Iota])).unwrap();
    let at = find(&mut program, "r");
    let query = TraceQuery { at, device: 2, cell: vec![1], ..TraceQuery::default() };
    let RunReply::Sources(found) = ask(&mut execution, RunRequest::Sources(query.clone())) else {
        panic!("no sources")
    };
    let mut found: Vec<_> = found.iter().map(|source| (source.device, source.value.as_str())).collect();
    found.sort_unstable();
    assert_eq!(found, [(0, "1"), (1, "2"), (2, "3"), (3, "4")]);
    let RunReply::Trace(back) = ask(&mut execution, RunRequest::TraceBack(query)) else { panic!("no trace") };
    let devices: Vec<u32> =
        back.pictures.iter().filter(|picture| picture.name == "s").map(|picture| picture.device).collect();
    assert_eq!(devices, [0, 1, 2, 3]);
}

#[test]
fn an_error_names_its_device_and_too_many_devices_are_rejected() {
    let failed = |text: &str, devices| run(job_on(text, devices, vec![])).err().unwrap();
    assert!(failed(PARTITION, 6).contains("multiple of 4"), "{}", failed(PARTITION, 6));
    assert!(failed(SUM, 5000).starts_with("replicas:"));
    let one_sends = "HloModule m, replica_count=2
        ENTRY e { i = u32[] replica-id() z = u32[] constant(0)
        p = pred[] compare(i, z), direction=EQ x = f32[] constant(1)
        ROOT r = f32[] conditional(p, x, x),
          true_computation={ a = f32[] parameter(0) ROOT s = f32[] all-reduce(a), replica_groups={}, to_apply={
            c = f32[] parameter(0) d = f32[] parameter(1) ROOT e = f32[] add(c, d) } },
          false_computation={ b = f32[] parameter(0) ROOT n = f32[] negate(b) } }";
    let waits = failed(one_sends, 2);
    assert!(waits.starts_with("waiting:") && waits.contains("device 0"), "{waits}");
}

#[test]
fn an_infeed_without_items_is_an_error_and_no_endless_wait() {
    let text = "HloModule m ENTRY e { t = token[] after-all() i = (f32[2], token[]) infeed(t)
        ROOT r = f32[2] get-tuple-element(i), index=0 }";
    for devices in [1, 2] {
        let waits = run(job_on(text, devices, vec![])).err().unwrap();
        assert!(waits.starts_with("waiting:") && waits.contains("infeed"), "{waits}");
    }
}

#[test]
fn a_large_program_runs_as_a_plan_on_one_device_only() {
    let text = "HloModule m ENTRY e { i = s32[300,300] iota(), iota_dimension=0 x = f32[300,300] convert(i)
        p = f32[300,300] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} d = u32[] partition-id()
        ROOT r = (f32[300,300], u32[]) tuple(p, d) }";
    let large = text.replace("300", "330");
    let (_, ran) = run(job_on(&large, 2, vec![])).unwrap();
    assert!(ran.is_slower_on_devices && !ran.is_planned && ran.keeps_values);
    let (_, ran) = run(job_on(&text.replace("300", "8"), 2, vec![])).unwrap();
    assert!(!ran.is_slower_on_devices);
}

/// Links to an instruction of a trace lead through the calls that the run made.
#[test]
fn a_picture_in_a_body_has_its_calls_and_its_execution() {
    let (mut program, _) = open(DIVERGING);
    let (mut execution, _) = run(job_on(DIVERGING, 2, vec![])).unwrap();
    let at = find(&mut program, "y");
    let query = TraceQuery { at, ..TraceQuery::default() };
    let RunReply::Trace(back) = ask(&mut execution, RunRequest::TraceBack(query)) else { panic!("no trace") };
    let next = back.pictures.iter().find(|picture| picture.name == "next").unwrap();
    let InstructionPath { at, calls } = &next.instruction;
    assert_eq!((*at, next.execution, next.is_repeated), (find(&mut program, "next"), 2, true));
    assert_eq!((calls.len(), calls[0].at, calls[0].callee_index), (1, find(&mut program, "w"), 1));
    assert_eq!((next.path.as_slice(), next.region.indices()[0].as_slice()), ([].as_slice(), [].as_slice()));
}
