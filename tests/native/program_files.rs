//! Arguments of the Program screen from files, and its values as files.

use std::future::Future;
use std::io::Cursor;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use test_support::numpy::{Member, npy, npz};
use xla_playground::i18n::Language;
use xla_playground::state::program::references::{Argument, FileArgument};
use xla_playground::worker::program::argument_files::{ArgumentFiles, OpenFile};
use xla_playground::worker::program::environment::Environment;
use xla_playground::worker::program::planned::OpenPlan;
use xla_playground::worker::program::queries::Program;
use xla_playground::worker::program::running::Execution;
use xla_playground::worker::program::wire::{
    AssignedArguments, FileRequest, Job, RunReply, RunRequest, SaveFormat, ValueQuery,
};

/// Files in memory, by their numbers.
#[derive(Default)]
struct MemoryFiles(Vec<Vec<u8>>);

impl ArgumentFiles for MemoryFiles {
    fn open(&self, number: u32) -> Option<OpenFile> {
        let bytes = self.0.get(number as usize)?.clone();
        Some(OpenFile { length: bytes.len() as u64, content: Box::new(Cursor::new(bytes)) })
    }
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing waits without kernels"),
    }
}

fn with_environment<T>(run: impl FnOnce(&mut Environment) -> T) -> T {
    let plans = || -> Pin<Box<dyn Future<Output = Option<OpenPlan>>>> { Box::pin(std::future::ready(None)) };
    run(&mut Environment { kernels: None, clock: || 0.0, report: Rc::new(|_| {}), plans: &plans })
}

const TEXT: &str = "HloModule m\nENTRY e {\n  w.1 = f32[100]{0} parameter(0)\n  x = f32[2]{0} parameter(1)\n  \
                    s = f32[2]{0} slice(w.1), slice={[98:100]}\n  ROOT r = f32[2]{0} add(s, x)\n}\n";

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn weights() -> Vec<u8> {
    npy("<f4", "(100,)", &floats((0..100_u8).map(f32::from)))
}

/// An archive: every other array is deflated.
fn archive(arrays: &[(&str, &[u8])]) -> Vec<u8> {
    let members = arrays.iter().enumerate().map(|(index, (name, bytes))| match index % 2 {
        0 => Member::stored(name, bytes),
        _ => Member::deflated(name, bytes),
    });
    npz(&members.collect::<Vec<_>>(), false, b"")
}

fn assign(text: &str, file: &str, bytes: &[u8], parameter: Option<usize>) -> AssignedArguments {
    let (program, _) = Program::open(text.to_owned(), Language::ENGLISH);
    let request = FileRequest { file: file.to_owned(), number: 0, parameter, language: "en".to_owned() };
    program.assign(&request, MemoryFiles(vec![bytes.to_vec()]).open(0))
}

fn job(arguments: Vec<Argument>) -> Job {
    Job { text: TEXT.to_owned(), arguments, seed: 1, devices: 1, files: vec![0], language: "en".to_owned() }
}

/// The run of the program with arguments from these files, or the number of the rejected parameter and the sentence.
fn run(arguments: Vec<Argument>, files: Vec<Vec<u8>>) -> Result<Execution, (Option<usize>, String)> {
    let files = Rc::new(MemoryFiles(files));
    let ran = with_environment(|environment| ready(Execution::run(job(arguments), files, environment)));
    let plain = |text: &str| text.replace(['\u{2068}', '\u{2069}'], "");
    ran.map(|(execution, _)| execution).map_err(|failure| (failure.parameter, plain(&failure.message)))
}

fn of_file(file: &str, member: Option<&str>, number: Option<u32>) -> Argument {
    Argument::File(FileArgument { file: file.to_owned(), member: member.map(str::to_owned), number })
}

#[test]
fn an_archive_is_assigned_by_name_and_its_small_arrays_become_text() {
    let small = npy("<f4", "(2,)", &floats([0.5, 1.5]));
    let archive = archive(&[("x.npy", &small[..]), ("w_1.npy", &weights()[..])]);
    let assigned = assign(TEXT, "weights.npz", &archive, None);
    assert_eq!(assigned.problems, []);
    let expected =
        [(0, of_file("weights.npz", Some("w_1.npy"), Some(0))), (1, Argument::Text("{0.5, 1.5}".to_owned()))];
    assert_eq!(assigned.arguments, expected);
    let arguments: Vec<Argument> = assigned.arguments.into_iter().map(|(_, argument)| argument).collect();
    let execution = run(arguments, vec![archive]).ok().unwrap();
    assert_eq!(execution.result(0).unwrap().to_string(), "{98.5, 100.5}");
}

#[test]
fn arrays_without_names_go_to_the_parameters_in_order_and_surplus_ones_are_named() {
    let small = npy("<f4", "(2,)", &floats([0.5, 1.5]));
    let archive = archive(&[("arr_0.npy", &weights()[..]), ("arr_1.npy", &small), ("arr_2.npy", &small)]);
    let assigned = assign(TEXT, "all.npz", &archive, None);
    assert_eq!(assigned.parameters, ["w.1", "x"]);
    assert!(assigned.problems[0].message.contains("arr_2"), "{:?}", assigned.problems);
    // A single array belongs to the only parameter with its shape, or to the one that it was chosen for.
    assert_eq!(assign(TEXT, "any.npy", &weights(), None).arguments[0].0, 0);
    assert_eq!(assign(TEXT, "x.npy", &weights(), None).arguments[0].0, 1);
    assert_eq!(assign(TEXT, "any.npy", &small, Some(1)).arguments[0].0, 1);
}

#[test]
fn files_that_are_no_arguments_are_rejected_at_their_parameter() {
    let doubles =
        npy("<f8", "(100,)", &(0..100_u8).flat_map(|x| f64::from(x).to_le_bytes()).collect::<Vec<_>>());
    let rejected =
        |file: &str, bytes: Vec<u8>| run(vec![of_file(file, None, Some(0))], vec![bytes]).err().unwrap();
    let (parameter, message) = rejected("w.npy", doubles);
    assert_eq!(parameter, Some(0));
    assert!(
        message.contains("f64[100]") && message.contains("f32[100]") && message.contains("astype"),
        "{message}"
    );
    let (parameter, message) = rejected("w.npy", weights()[..300].to_vec());
    assert!(parameter == Some(0) && message.contains("bytes"), "{message}");
    for (file, bytes) in [
        ("w.npz", b"PK\x05\x06 no archive".to_vec()),
        ("w.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr'".to_vec()),
        ("w.json", b"{\"shape\": \"f32[2]\"".to_vec()),
        ("w.raw", vec![1, 2, 3]),
        ("w.txt", b"plain".to_vec()),
    ] {
        let (parameter, message) = rejected(file, bytes.clone());
        assert!(parameter == Some(0) && !message.is_empty(), "{file}");
        // The query worker also reports it, or leaves it to the run.
        assign(TEXT, file, &bytes, None);
    }
    // A link names a file that this tab does not have.
    let (parameter, message) =
        run(vec![Argument::Random, of_file("lost.npy", None, None)], vec![]).err().unwrap();
    assert!(parameter == Some(1) && message.contains("lost.npy"), "{message}");
}

#[test]
fn saved_values_are_arguments_again() {
    let typed = |text: &str| Argument::Text(text.to_owned());
    let first = of_file("w.npy", None, Some(0));
    let mut execution = run(vec![first, typed("{1, -0}")], vec![weights()]).ok().unwrap();
    let (_, opened) = Program::open(TEXT.to_owned(), Language::ENGLISH);
    let query = ValueQuery { at: opened.root.unwrap(), ..ValueQuery::default() };
    for (format, name) in
        [(SaveFormat::Npy, "r.npy"), (SaveFormat::Npz, "r.npz"), (SaveFormat::Json, "r.json")]
    {
        let request = RunRequest::Save(query.clone(), format);
        let answer = with_environment(|environment| ready(execution.answer(request, environment)));
        let Ok((RunReply::Saved(saved), Some(bytes))) = answer else { panic!("{name} is not saved") };
        assert_eq!(saved, name);
        let assigned = assign(TEXT, name, &bytes, Some(1));
        assert_eq!(assigned.arguments, [(1, typed("{99, 99}"))], "{name}: {:?}", assigned.problems);
    }
}
