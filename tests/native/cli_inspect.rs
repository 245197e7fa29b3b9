//! `inspect` of programs and of memory reports, run as by a user or a script.

use std::process::Command;

use serde_json::Value;

/// Exit code, standard output and standard error of `inspect` with these arguments.
fn run(args: &[&str]) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_xla-playground");
    let output = Command::new(program).arg("inspect").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn sample(name: &str) -> String {
    format!("{}/tests/data/hlo-samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn report(name: &str) -> String {
    format!("{}/crates/inspect/tests/data/reports/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn json_of(args: &[&str]) -> Value {
    let (code, out, err) = run(args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_program_is_printed_with_totals_copies_memory_and_sources() {
    let (code, out, err) = run(&[&sample("rnn_scan.compiled.hlo"), "--top", "2"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for line in ["FLOPs                  673", "transcendentals        35", "padding                0 B"] {
        assert!(out.lines().any(|found| found == line), "{line} is not in\n{out}");
    }
    // The copy in the loop is executed seven times.
    assert!(out.contains("copy.4 (copy) × 7"), "{out}");
    assert!(out.contains("models.py:61  "), "{out}");
}

#[test]
fn a_program_as_json_has_the_same_figures() {
    let json = json_of(&[&sample("convnet_grad.compiled.hlo"), "--json", "--top", "1", "--by", "function"]);
    assert_eq!((json["flops"].as_u64(), json["transcendentals"].as_u64()), (Some(173_572), Some(0)));
    assert_eq!(json["bytes_read"].as_u64().unwrap() + json["bytes_written"].as_u64().unwrap(), 241_100);
    assert_eq!((json["copy_count"].as_u64(), json["copies"].as_array().map(Vec::len)), (Some(5), Some(1)));
    assert_eq!(json["copies"][0]["demand"]["reason"], "operand");
    assert_eq!(json["copies"][0]["demand"]["opcode"], "convolution");
    let timeline = json["memory"]["timeline"].as_array().unwrap();
    let peak = timeline.iter().filter_map(Value::as_u64).max();
    assert_eq!(json["memory"]["peak_bytes"].as_u64(), peak);
    assert!(json["sources"][0]["function"].is_string());
}

#[test]
fn stablehlo_is_inspected_too() {
    let json = json_of(&[&sample("softmax_2d.stablehlo.mlir"), "--json"]);
    assert_eq!((json["flops"].as_u64(), json["transcendentals"].as_u64()), (Some(504), Some(128)));
}

#[test]
fn a_memory_report_is_ranked_by_padding() {
    let (code, out, err) = run(&[&report("tpu_hbm.txt")]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("needed                 19.61 GiB"), "{out}");
    let first = out.lines().find(|line| line.contains("f32[33554432,10]{1,0:T(8,128)}")).unwrap();
    assert!(first.trim_start().starts_with("14.75 GiB  of 16.00 GiB"), "{first}");
    assert!(out.contains("f32[33554432,10]{0,1:T(8,128)}  saves 14.00 GiB"), "{out}");
    let json = json_of(&[&report("tpu_hbm.txt"), "--json", "--top", "1"]);
    assert_eq!((json["buffer_count"].as_u64(), json["buffers"].as_array().map(Vec::len)), (Some(4), Some(1)));
    assert!(
        json["buffers"][0]["padding_bytes"].as_u64()
            > json["buffers"][0]["memory_bytes"].as_u64().map(|bytes| bytes / 10 * 9)
    );
}

#[test]
fn what_is_neither_is_an_error() {
    let (code, out, err) = run(&[&sample("stablehlo.py")]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(!err.is_empty());
    let (code, _, err) = run(&["no/such/file"]);
    assert_eq!(code, 2);
    assert!(err.contains("no/such/file"), "{err}");
}
