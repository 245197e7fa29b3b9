//! Tasks as the page starts them.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::environment::Environment;
use super::perform::perform;
use crate::files::zip_writer::ZipWriter;
use crate::i18n::Language;
use crate::state::program::references::{Argument, InstructionKey};
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::argument_files::{ArgumentFiles, OpenFile};
use crate::worker::program::wire::{
    CompareTask, ComparedWith, CutTask, Distance, ExportFormat, ExportTask, FileArgument, Job, Property,
    ResultProgram, ShrinkEnd, ShrinkTask, Shrunk, TaskProgress, TaskReply, TaskRequest, ValueDifferences,
};

/// One archive: `NumPy` files that are stored in a zip file.
struct TestFiles;

impl ArgumentFiles for TestFiles {
    fn open(&self, number: u32) -> Option<OpenFile> {
        let bytes: Vec<u8> = if number == 0 { archive() } else { b"PK no archive".to_vec() };
        Some(OpenFile { length: bytes.len() as u64, content: Box::new(std::io::Cursor::new(bytes)) })
    }
}

/// `y` of [`SMALL`] with another last element, an array of an unknown name, and `x`.
fn archive() -> Vec<u8> {
    let array = |values: [f32; 3]| {
        let mut header = String::from("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    };
    let members =
        [("y.npy", array([0.0, -1.0, 7.0])), ("<b>.npy", array([0.0; 3])), ("x.npy", array([0.0, 1.0, 2.0]))];
    let mut archive = ZipWriter::default();
    for (name, content) in &members {
        archive.add(name, content).unwrap();
    }
    archive.finish().unwrap()
}

const SMALL: &str =
    "HloModule m ENTRY e { x = f32[3] parameter(0) y = f32[3] negate(x) ROOT z = f32[3] abs(y) }";

fn reply(request: TaskRequest) -> (TaskReply, Vec<TaskProgress>) {
    let ((reply, _), reported) = reply_with_file(request);
    (reply, reported)
}

/// The reply with the content of an exported file, and the progress.
fn reply_with_file(request: TaskRequest) -> ((TaskReply, Option<Vec<u8>>), Vec<TaskProgress>) {
    let mut reported = Vec::new();
    let mut report = |progress| reported.push(progress);
    let time = std::cell::Cell::new(0.0);
    let clock = || time.replace(time.get() + 1_000.0);
    let reply = {
        let mut environment = Environment {
            kernels: None,
            clock: &clock,
            report: &mut report,
            files: &TestFiles,
            language: Language::ENGLISH,
        };
        let mut task = pin!(perform(request, &mut environment));
        // Nothing waits for another worker.
        match task.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => reply,
            Poll::Pending => panic!("the task waits"),
        }
    };
    (reply, reported)
}

fn job(text: &str, arguments: Vec<Argument>) -> Job {
    Job {
        text: text.to_owned(),
        arguments,
        seed: 1,
        devices: 1,
        files: Vec::new(),
        language: "en".to_owned(),
    }
}

fn compare(first: &str, second: &str, ulps: u64) -> Result<ValueDifferences, Failure> {
    let task = CompareTask {
        job: job(first, Vec::new()),
        other: ComparedWith::Program(second.to_owned()),
        ulps,
        absolute: 0.0,
    };
    match reply(TaskRequest::Compare(task)).0 {
        TaskReply::Compared(found) => Ok(*found),
        TaskReply::Failed(failure) => Err(failure),
        other => panic!("another reply: {other:?}"),
    }
}

fn shrink(text: &str, arguments: Vec<Argument>, property: Property) -> Result<Shrunk, Failure> {
    let task = ShrinkTask { job: job(text, arguments), property };
    match reply(TaskRequest::Shrink(task)).0 {
        TaskReply::Shrunk(found) => Ok(*found),
        TaskReply::Failed(failure) => Err(failure),
        other => panic!("another reply: {other:?}"),
    }
}

fn cut(text: &str, within: InstructionKey, names: &[&str], depth: u32) -> Result<ResultProgram, Failure> {
    let task = CutTask {
        job: job(text, vec![Argument::Iota]),
        within,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        depth,
        max_constant_elements: 2,
    };
    match reply(TaskRequest::Cut(task)).0 {
        TaskReply::Cut(found, None) => Ok(*found),
        TaskReply::Failed(failure) => Err(failure),
        other => panic!("another reply: {other:?}"),
    }
}

/// Attention-like products around a transpose of a square matrix, whose order no shape decides.
const RIGHT: &str = "HloModule right

ENTRY e {
  x = f32[4,4] parameter(0)
  k = f32[4,4] parameter(1)
  t = f32[4,4] transpose(k), dimensions={1,0}
  s = f32[4,4] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[4,4] exponential(s)
  ROOT y = f32[4,4] add(e, x)
}
";

const GATHER: &str = "HloModule gather

ENTRY e {
  x = f32[4,4] parameter(0)
  i = s32[2,2] constant({{0, 1}, {2, 3}})
  g = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}
  ROOT y = f32[2] negate(g)
}
";

#[test]
fn the_first_instruction_that_differs_is_the_planted_fault() {
    for (right, wrong, name, later) in [
        (RIGHT, RIGHT.replace("dimensions={1,0}", "dimensions={0,1}"), "t", 3),
        (GATHER, GATHER.replace("start_index_map={0,1}", "start_index_map={1,0}"), "g", 1),
    ] {
        let found = compare(right, &wrong, 0).unwrap();
        assert_eq!(found.list[0].names, [name, name]);
        assert!(found.list[0].is_origin && found.list[1..].iter().all(|value| !value.is_origin));
        assert_eq!((found.different, found.list.len()), (1 + later, 1 + later));
        let first = found.list[0].first.as_ref().unwrap();
        assert!(first.values[0] != first.values[1] && first.distance.is_some(), "{first:?}");
        assert!(found.largest.is_some());
        assert_eq!(compare(right, right, 0).unwrap().different, 0);
    }
}

#[test]
fn the_tolerance_counts_in_ulps() {
    let text = |value: &str| {
        format!("HloModule m ENTRY e {{ c = f32[2] constant({{1, {value}}}) ROOT y = f32[2] negate(c) }}")
    };
    // The next number after 1 is 1 + 2^-23.
    let next = text("1.00000012");
    assert_eq!(compare(&text("1"), &next, 0).unwrap().different, 2);
    assert_eq!(compare(&text("1"), &next, 1).unwrap().different, 0);
}

#[test]
fn integers_differ_by_a_number() {
    let text = |ty: &str, value: &str| {
        format!("HloModule m ENTRY e {{ c = {ty}[2] constant({{1, {value}}}) ROOT y = {ty}[2] copy(c) }}")
    };
    for (ty, value, distance) in [
        ("s32", "4", Some(Distance::Integer(3))),
        ("pred", "0", None),
        ("f32", "1.00000012", Some(Distance::Ulps(1))),
    ] {
        let found = compare(&text(ty, "1"), &text(ty, value), 0).unwrap();
        assert_eq!(found.list[0].first.as_ref().unwrap().distance, distance, "{ty}");
    }
}

#[test]
fn compared_programs_have_the_same_random_start_indices() {
    let text = |use_of_i: &str| {
        format!(
            "HloModule m ENTRY e {{ x = f32[9] parameter(0) i = s32[5] parameter(1) n = s32[5] negate(i) {use_of_i} ROOT t = tuple(n, u) }}"
        )
    };
    let gather = text(
        "u = f32[5] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
    );
    let other = text("u = f32[5] convert(i)");
    for (first, second) in [(&gather, &other), (&other, &gather)] {
        let found = compare(first, second, 0).unwrap();
        assert!(found.list.iter().all(|value| !["i", "n"].contains(&value.names[0].as_str())), "{found:?}");
    }
}

#[test]
fn programs_with_other_parameters_are_not_compared() {
    let failure = compare(RIGHT, GATHER, 0).unwrap_err();
    assert_eq!(failure.rule, "compare-parameters");
    let failure = compare(RIGHT, &RIGHT.replace("f32[4,4]", "f32[5,5]"), 0).unwrap_err();
    assert!(failure.message.contains("f32[5,5]"), "{failure:?}");
    assert!(compare(RIGHT, "HloModule <b>", 0).is_err());
}

#[test]
fn values_are_compared_with_an_archive_by_name() {
    let against = |number: u32| {
        let file = FileArgument { file: "dump.npz".to_owned(), member: None, number: Some(number) };
        let task = CompareTask {
            job: Job { files: vec![number], ..job(SMALL, vec![Argument::Iota]) },
            other: ComparedWith::Archive(file),
            ulps: 0,
            absolute: 0.0,
        };
        reply(TaskRequest::Compare(task)).0
    };
    let TaskReply::Compared(found) = against(0) else { panic!("no comparison") };
    // -0 and 0 differ where no distance is allowed.
    assert_eq!((found.compared, found.different, found.list[0].names[0].as_str()), (2, 1, "y"));
    assert_eq!(found.list[0].largest.as_ref().unwrap().values, ["-2".to_owned(), "7".to_owned()]);
    assert_eq!(found.unknown, ["<b>.npy"]);
    assert!(matches!(against(1), TaskReply::Failed(failure) if failure.rule == "array-file"));
}

#[test]
fn instructions_are_cut_out_with_the_values_of_the_run() {
    let entry = InstructionKey { computation: 0, instruction: 0 };
    let text = "HloModule m ENTRY e { x = f32[4] parameter(0) y = f32[4] negate(x) z = f32[4] abs(y)
        ROOT w = f32[4] multiply(z, y) }";
    let found = cut(text, entry, &["z"], 0).unwrap();
    assert_eq!(found.arguments, [Argument::Text("{-0.0, -1, -2, -3}".to_owned())]);
    assert_eq!((found.operations, found.unknown_arguments, found.long_arguments), (1, 0, 0));
    assert!(found.with_comments().starts_with("// parameter 0: {-0.0, -1, -2, -3}\nHloModule"));
    // With its operands it starts at the parameter.
    let found = cut(text, entry, &["%z", "w"], 9).unwrap();
    assert_eq!(found.arguments, [Argument::Text("{0, 1, 2, 3}".to_owned())]);
    assert_eq!(cut(text, entry, &["nonsense"], 0).unwrap_err().rule, "cut-unknown");
    assert_eq!(cut(text, entry, &[], 0).unwrap_err().rule, "cut-nothing");
    assert_eq!(
        cut(text, InstructionKey { computation: 7, instruction: 0 }, &["z"], 0).unwrap_err().rule,
        "cut-nothing"
    );
}

#[test]
fn a_body_is_cut_out_with_the_values_of_its_first_execution() {
    let text = "HloModule m
body { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0 o = s32[] constant(1)
  n = s32[] add(i, o) v = f32[3] get-tuple-element(s), index=1 d = f32[3] add(v, v) ROOT t = tuple(n, d) }
cond { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0 l = s32[] constant(5)
  ROOT c = pred[] compare(i, l), direction=LT }
ENTRY e { x = f32[3] parameter(0) z = s32[] constant(0) t = (s32[], f32[3]) tuple(z, x)
  ROOT w = (s32[], f32[3]) while(t), condition=cond, body=body }";
    let found = cut(text, InstructionKey { computation: 0, instruction: 0 }, &["d"], 0).unwrap();
    assert_eq!(found.arguments, [Argument::Text("{0, 1, 2}".to_owned())], "{}", found.text);
}

#[test]
fn a_nan_is_reduced_to_the_instruction_that_computes_it() {
    let text = "HloModule m ENTRY e { x = f32[8] parameter(0) a = f32[8] negate(x) b = f32[8] cosine(a) c = f32[8] log(a)
        d = f32[8] add(b, c) ROOT y = f32[8] multiply(d, d) }";
    let found = shrink(text, vec![Argument::Iota], Property::Nan).unwrap();
    assert_eq!((found.program.operations, found.original, found.end), (1, 5, ShrinkEnd::Minimal));
    assert!(found.program.text.contains("log("), "{}", found.program.text);
    assert_eq!(found.program.unknown_arguments, 0);
    // The reduced program has the property itself.
    let again = shrink(&found.program.text, found.program.arguments.clone(), Property::Nan).unwrap();
    assert_eq!(again.program.operations, 1);
    let failure = shrink(text, vec![Argument::Iota], Property::Error).unwrap_err();
    assert_eq!(failure.rule, "shrink-not-reproduced");
}

#[test]
fn a_difference_of_two_programs_is_reduced_to_one_instruction() {
    let other = RIGHT.replace("dimensions={1,0}", "dimensions={0,1}");
    let found = shrink(RIGHT, Vec::new(), Property::Differs { text: other, ulps: 0 }).unwrap();
    assert_eq!(found.program.operations, 1, "{}", found.program.text);
    assert!(found.program.text.contains("transpose("));
    let same = Property::Differs { text: RIGHT.to_owned(), ulps: 0 };
    assert_eq!(shrink(RIGHT, Vec::new(), same).unwrap_err().rule, "shrink-not-reproduced");
}

#[test]
fn the_smallest_program_so_far_is_reported() {
    let text = "HloModule m ENTRY e { x = f32[8] parameter(0) a = f32[8] negate(x) c = f32[8] log(a) ROOT y = f32[8] abs(c) }";
    let task = ShrinkTask { job: job(text, vec![Argument::Iota]), property: Property::Nan };
    let (_, reported) = reply(TaskRequest::Shrink(task));
    let mut smallest = reported.iter().filter_map(|progress| match progress {
        TaskProgress::Shrink { smallest, .. } => smallest.as_ref(),
        TaskProgress::Run { .. } => None,
    });
    assert!(smallest.next_back().is_some_and(|program| program.operations == 1));
}

fn export(text: &str, format: ExportFormat) -> Result<(String, Vec<u8>), Failure> {
    let task = ExportTask { job: job(text, vec![Argument::Text("{1, 2, nan}".to_owned())]), format };
    match reply_with_file(TaskRequest::Export(task)).0 {
        (TaskReply::Exported { name, is_complete: true }, Some(content)) => Ok((name, content)),
        (TaskReply::Failed(failure), None) => Err(failure),
        (other, _) => panic!("another reply: {other:?}"),
    }
}

#[test]
fn a_program_is_exported_to_jax_with_its_values() {
    let (name, archive) = export(SMALL, ExportFormat::Jax).unwrap();
    assert_eq!(name, "m-jax.zip");
    let contains = |part: &[u8]| archive.windows(part.len()).any(|window| window == part);
    for member in ["m/run.py", "m/program.mlir", "m/about.json", "m/arguments.npz", "m/values.npz"] {
        assert!(contains(member.as_bytes()), "{member}");
    }
    // -1, -2 and NaN with its sign: y, stored without compression.
    let values: Vec<u8> = [-1.0_f32, -2.0, -f32::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert!(contains(&values) && contains(b"stablehlo.negate"));
    let rejected = export(
        "HloModule m ENTRY e { t = token[] after-all() ROOT i = (f32[3], token[]) infeed(t) }",
        ExportFormat::Jax,
    );
    assert_eq!(rejected.unwrap_err().rule, "export");
}

#[test]
fn a_program_is_exported_as_a_page() {
    let page = |template: &str| ExportFormat::Page {
        template: template.to_owned(),
        link: "https://example.org/#program1/x".to_owned(),
        selected: Some(InstructionKey { computation: 0, instruction: 1 }),
    };
    let template = "<title>XLA Playground</title><script type=\"application/json\" id=\"snapshot\"></script>";
    let (name, html) = export(SMALL, page(template)).unwrap();
    assert_eq!(name, "m.html");
    let html = String::from_utf8(html).unwrap();
    assert!(
        html.starts_with("<title>m</title><script type=\"application/json\" id=\"snapshot\">\""),
        "{html}"
    );
    let damaged = export(SMALL, page("<p>not a template</p>")).unwrap_err();
    assert_eq!(damaged.rule, "export");
}
