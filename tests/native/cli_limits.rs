//! What ends commands: budgets, the time limit, Ctrl+C, a closed pipe; and the independence of a batch's cases.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_support::numpy::{Member, npy, npz};

const ENDLESS: &str = "HloModule m
c { p = s32[] parameter(0) ROOT t = pred[] constant(true) }
b { p = s32[] parameter(0) ROOT q = s32[] add(p, p) }
ENTRY e { z = s32[] constant(1) ROOT forever = s32[] while(z), condition=c, body=b }
";

/// Longer than any command here takes on a slow machine: only a hang exceeds it.
const HANG: Duration = Duration::from_mins(2);

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xla-playground"));
    command.env("LC_ALL", "C");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a command with its input, which it may leave unread.
fn start(command: &mut Command, input: &str) -> Child {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    child
}

fn run(args: &[&str], input: &str) -> (Output, Duration) {
    let since = Instant::now();
    let output = start(&mut program(args), input).wait_with_output().unwrap();
    assert!(since.elapsed() < HANG, "{args:?}");
    (output, since.elapsed())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn answers(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The name of a case and the rule of its error.
fn name_and_rule(answer: &Value) -> (Option<&str>, Option<&str>) {
    (answer["name"].as_str(), answer["error"]["rule"].as_str())
}

fn case(name: &str, hlo: &str) -> String {
    json!({ "name": name, "hlo": hlo, "args": [] }).to_string()
}

#[test]
fn a_loop_without_end_ends_with_its_time() {
    let steps = "1000000000000";
    let (output, took) = run(&["eval", "-", "--time-limit", "0.5", "--steps", steps], ENDLESS);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("time-limit") && err.contains("forever") && err.contains("0.5"), "{err}");
    assert!(took >= Duration::from_millis(500));
    let (output, _) = run(&["eval", "-", "--json", "--time-limit", "0.5", "--steps", steps], ENDLESS);
    let answer = &answers(&output.stdout)[0];
    assert_eq!((&answer["error"]["rule"], &answer["error"]["line"]), (&json!("time-limit"), &json!(4)));
}

#[test]
fn without_a_time_limit_the_steps_end_it() {
    for limit in ["none", "0"] {
        let (output, _) = run(&["eval", "-", "--time-limit", limit, "--steps", "100000"], ENDLESS);
        assert!(text(&output.stderr).contains("budget-steps"));
    }
    for wrong in ["-1", "soon", "nan"] {
        let (output, _) = run(&["eval", "-", &format!("--time-limit={wrong}")], ENDLESS);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("--time-limit"), "{wrong}");
    }
}

#[test]
fn progress_goes_to_standard_error_and_only_on_request() {
    let args = ["eval", "-", "--time-limit", "2.5", "--steps", "1000000000000", "--progress"];
    let (output, _) = run(&args, ENDLESS);
    let lines = text(&output.stderr).lines().filter(|line| line.starts_with("at forever:")).count();
    assert!((1..=2).contains(&lines), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let (output, _) = run(&args[..args.len() - 1], ENDLESS);
    assert!(!text(&output.stderr).contains("\nat ") && !text(&output.stderr).starts_with("at "));
}

#[test]
fn values_that_do_not_fit_are_rejected_by_their_bytes() {
    let wide = |count: usize, of: &str| {
        let one = |i| format!("b{i} = f64[{of}] broadcast(z), dimensions={{}}\n");
        let all: Vec<String> = (0..count).map(|i| format!("b{i}")).collect();
        format!(
            "HloModule m ENTRY e {{ z = f64[] constant(1)\n{} ROOT t = tuple({}) }}",
            (0..count).map(one).collect::<String>(),
            all.join(", ")
        )
    };
    // Values that fit are computed in full, which may exceed the default time limit on a busy machine.
    let args = ["eval", "-", "--memory", "4", "--time-limit", "none"];
    let (output, _) = run(&args, &wide(5, "131072"));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("budget-bytes"), "{}", text(&output.stderr));
    let (output, _) = run(&args, &wide(3, "131072"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn every_case_of_a_batch_has_a_result_regardless_of_others() {
    let good = "HloModule m ENTRY e { ROOT r = f32[] constant(3) }";
    let wide =
        "HloModule m ENTRY e { z = f64[] constant(1) ROOT b = f64[9000000] broadcast(z), dimensions={} }";
    let lines = [
        case("first", good),
        case("endless", ENDLESS),
        "no case".to_owned(),
        case("wide", wide),
        case("last", good),
    ];
    let args = ["eval", "--batch", "-", "--time-limit", "2", "--steps", "1000000000000", "--memory", "16"];
    let (output, _) = run(&args, &lines.join("\n"));
    let answers = answers(&output.stdout);
    let name_and_rule: Vec<_> = answers.iter().map(name_and_rule).collect();
    assert_eq!(
        name_and_rule,
        [
            (Some("first"), None),
            (Some("endless"), Some("time-limit")),
            (None, Some("json-case")),
            (Some("wide"), Some("budget-bytes")),
            (Some("last"), None),
        ]
    );
    assert!(answers[2]["error"]["message"].as_str().unwrap().contains("line 3"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_process_costs_one_case_only() {
    let mut child = start(
        &mut program(&["eval", "--batch", "-", "--time-limit", "none", "--steps", "1000000000000"]),
        &[
            case("first", "HloModule m ENTRY e { ROOT r = f32[] constant(3) }"),
            case("endless", ENDLESS),
            case("last", "HloModule m ENTRY e { ROOT r = f32[] constant(3) }"),
        ]
        .join("\n"),
    );
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(out.next().unwrap().unwrap().contains("first"));
    // The process that runs the cases is the batch's only child.
    let children = format!("/proc/{0}/task", child.id());
    let since = Instant::now();
    let server = loop {
        let found = fs::read_dir(&children).unwrap().find_map(|thread| {
            let list = fs::read_to_string(thread.unwrap().path().join("children")).ok()?;
            Some(list.trim().to_owned()).filter(|list| !list.is_empty())
        });
        if let Some(found) = found {
            break found;
        }
        assert!(since.elapsed() < HANG);
    };
    assert!(Command::new("kill").args(["-KILL", &server]).status().unwrap().success());
    let second: Value = serde_json::from_str(&out.next().unwrap().unwrap()).unwrap();
    assert_eq!(name_and_rule(&second), (Some("endless"), Some("batch-crashed")));
    let third: Value = serde_json::from_str(&out.next().unwrap().unwrap()).unwrap();
    assert_eq!(name_and_rule(&third), (Some("last"), None));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

#[test]
#[cfg(unix)]
fn ctrl_c_reports_the_position_of_a_run() {
    let args = ["eval", "-", "--time-limit", "none", "--steps", "1000000000000", "--progress"];
    let mut child = start(&mut program(&args), ENDLESS);
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    // The progress report shows that the run has started.
    err.read_line(&mut line).unwrap();
    assert!(line.starts_with("at forever:"), "{line}");
    interrupt(&child);
    let mut rest = String::new();
    err.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.contains("interrupted") && rest.contains("at forever") && rest.contains("steps"), "{rest}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_batch_after_the_answer_to_its_case() {
    let args = ["eval", "--batch", "-", "--time-limit", "none", "--steps", "1000000000000"];
    let good = "HloModule m ENTRY e { ROOT r = f32[] constant(3) }";
    let lines = [case("first", good), case("endless", ENDLESS), case("last", good)].join("\n");
    let mut child = start(&mut program(&args), &lines);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    interrupt(&child);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    let answers = answers(rest.as_bytes());
    assert_eq!(
        answers.iter().map(name_and_rule).collect::<Vec<_>>(),
        [(Some("endless"), Some("interrupted"))]
    );
    assert!(err.contains("line 2"), "{err}");
}

/// The exit code of a command whose output is not read.
fn unread(args: &[&str], input: &str) -> Option<i32> {
    let mut child = program(args).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait().unwrap().code()
}

#[test]
fn the_exit_code_reports_errors_without_a_reader() {
    let broken = "HloModule m ENTRY e { ROOT r = f32[] nonsense() }";
    let failing = "HloModule m ENTRY e { c = f32[20] constant({...}) ROOT r = negate(c) }";
    let warned = "HloModule m ENTRY e { ROOT r = f32[] constant(1) }";
    for args in [
        &["check", "-"][..],
        &["fmt", "-"],
        &["eval", "-"],
        &["eval", "-", "--json"],
        &["eval", "-", "--trace"],
    ] {
        assert_eq!(unread(args, broken), Some(2), "{args:?}");
        assert_eq!(unread(args, warned), Some(0), "{args:?}");
    }
    for args in [&["eval", "-"][..], &["eval", "-", "--json"]] {
        assert_eq!(unread(args, failing), Some(2), "{args:?}");
    }
    assert_eq!(unread(&["eval", "/nonexistent/file"], ""), Some(2));
    assert_eq!(unread(&["eval", "--batch", "/nonexistent/file"], ""), Some(2));
    for args in [
        &["layout", "f32[2"][..],
        &["layout", "f32[2", "--json"],
        &["index", "f32[2]", "7"],
        &["at", "f32[2]", "7", "--json"],
        &["svg", "f32[2"],
        &["svg", "f32[100000000]"],
    ] {
        assert_eq!(unread(args, ""), Some(2), "{args:?}");
    }
    assert_eq!(unread(&["layout", "f32[2]"], ""), Some(0));
}

#[test]
fn a_file_beyond_the_memory_limit_is_rejected_before_it_is_read() {
    let folder = std::env::temp_dir().join(format!("xla-playground-files-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.npy");
    // A sparse file: only its header is written.
    let header = npy("<f8", "(786432,)", &[]);
    fs::write(&file, &header).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_len(header.len() as u64 + (6 << 20)).unwrap();
    let module =
        "HloModule m ENTRY e { a = f64[786432] parameter(0) ROOT r = f64[1] slice(a), slice={[0:1]} }";
    let name = file.to_str().unwrap();
    let (output, _) = run(&["eval", "-", "--arg", name, "--memory", "4"], module);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("a.npy takes more than the 4 MiB that all values may have together"), "{err}");
    let (output, _) = run(&["eval", "-", "--arg", name, "--memory", "64"], module);
    assert_eq!(text(&output.stdout), "f64[1]{0} {0}\n", "{}", text(&output.stderr));
    // The time limit holds while it is read, too.
    let (output, _) =
        run(&["eval", "-", "--arg", name, "--memory", "64", "--time-limit", "0.000001"], module);
    assert!(text(&output.stderr).contains("time-limit"), "{}", text(&output.stderr));
    // Every replica has its own members of an archive.
    let archive = folder.join("a.npz");
    let member = |name, value| Member::deflated(name, &npy("|u1", "()", &[value]));
    fs::write(&archive, npz(&[member("a.npy", 3), member("b.npy", 4)], false, &[])).unwrap();
    let module = "HloModule m ENTRY e { ROOT a = u8[] parameter(0) }";
    let (output, _) = run(&["eval", "-", "--arg", archive.to_str().unwrap(), "--replicas", "2"], module);
    assert_eq!(text(&output.stdout), "replica 0: u8[] 3\nreplica 1: u8[] 4\n", "{}", text(&output.stderr));
    fs::remove_dir_all(&folder).unwrap();
}
