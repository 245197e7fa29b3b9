//! The terminal program, run as by a user or a script.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::process::Command;

use serde_json::{Value, json};

/// Exit code, standard output and standard error of the program with these arguments.
fn run(args: &[&str]) -> (i32, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_xla-playground")).env("LC_ALL", "C").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The JSON on standard output, with the exit code.
fn json_of(args: &[&str]) -> (i32, Value) {
    let (code, out, _) = run(args);
    assert_eq!(out.lines().count(), 1, "{args:?}: {out}");
    (code, serde_json::from_str(&out).unwrap())
}

const PADDED: [&str; 5] = ["f32[2,3]{0,1}", "--padded", "3,5", "--pad-value", "zero"];

#[test]
fn layout_prints_the_strip_of_the_documents() {
    let (code, out, err) = run(&[&["layout"], &PADDED[..]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "f32[2,3]{0,1} padded[3,5]=zero");
    for line in [
        "a d 0 b e 0 c f 0 0 0 0 0 0 0",
        "strides    1,3",
        "slots      15",
        "bytes      60",
        "padding    60.0 %",
    ] {
        assert!(lines.contains(&line), "{line} is not in\n{out}");
    }
    let rows: Vec<Vec<&str>> =
        lines.iter().rev().take(15).rev().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["1", "4", "1,0"]);
    assert_eq!(rows[2], ["2", "8", "2,0", "padding"]);
    assert_eq!(rows[14], ["14", "56", "2,4", "padding"]);
}

#[test]
fn layout_as_json_has_the_fields_of_the_issue() {
    let (code, report) = json_of(&[&["layout", "--json"], &PADDED[..]].concat());
    let memory = json!([
        [0, 0],
        [1, 0],
        null,
        [0, 1],
        [1, 1],
        null,
        [0, 2],
        [1, 2],
        null,
        null,
        null,
        null,
        null,
        null,
        null
    ]);
    let expected = json!({
        "shape": "f32[2,3]{0,1}", "padded": [3, 5], "padding_value": "zero", "rank": 2, "true_rank": 2,
        "documented_true_rank": 2, "letters": ["y", "x"], "order": ["dim 0 is minor", "column-major"],
        "strides": [1, 3], "cells": 15, "bytes": 60, "memory": memory
    });
    assert_eq!((code, report), (0, expected.clone()));
    let (_, from_text) = json_of(&["layout", "f32[2,3]{0,1} padded[3,5]=zero", "--json"]);
    assert_eq!(from_text, expected);
    let (_, overridden) =
        json_of(&["layout", "f32[2,3]{0,1} padded[9,9]=one", "--padded", "[3,5]", "--json"]);
    let kept = json!({"padding_value": "one"});
    let merged = expected.as_object().unwrap().iter().chain(kept.as_object().unwrap());
    assert_eq!(overridden, merged.map(|(name, value)| (name.clone(), value.clone())).collect::<Value>());

    let (_, tiled) = json_of(&["layout", "f32[2,3]{0,1:T(2,2)}", "--json"]);
    assert_eq!(
        (&tiled["strides"], &tiled["padded"], &tiled["cells"]),
        (&Value::Null, &Value::Null, &json!(8))
    );
    assert!(tiled.as_object().unwrap().contains_key("strides"));

    let (_, tuple) = json_of(&["layout", "(f32[], (token[], opaque[]), b(s8[2]))", "--json"]);
    assert_eq!(tuple["shape"], "(f32[], (token[], opaque[]), b(s8[2]{0}))");
    assert_eq!(tuple["elements"][0]["memory"], json!([[]]));
    assert_eq!(tuple["elements"][1]["elements"], json!([{"shape": "token[]"}, {"shape": "opaque[]"}]));
    assert_eq!(tuple["elements"][2]["shape"], "b(s8[2]{0})");
    assert_eq!(tuple["elements"][2]["memory"], json!([[0], [1]]));
}

#[test]
fn many_slots_are_listed_only_on_request() {
    let (_, least) = json_of(&["layout", "pred[65536]", "--json"]);
    assert_eq!(least["memory"].as_array().unwrap().len(), 65_536);
    let (_, more) = json_of(&["layout", "pred[65537]", "--json"]);
    assert_eq!((more.get("memory"), &more["cells"]), (None, &json!(65_537)));
    let (_, all) = json_of(&["layout", "pred[65537]", "--json", "--all"]);
    assert_eq!(all["memory"][65_536], json!([65_536]));
    let (_, plain, _) = run(&["layout", "f32[100]"]);
    assert!(plain.ends_with("36 more, shown with --all\n"), "{plain}");
    let (_, plain, _) = run(&["layout", "f32[100]", "--all"]);
    assert!(plain.ends_with("99   396  99\n"), "{plain}");
    let (code, huge) = json_of(&["layout", "f32[4294967296,2]", "--json"]);
    assert_eq!((code, &huge["bytes"]), (0, &json!(34_359_738_368_i64)));
}

#[test]
fn index_and_at_answer_in_both_directions() {
    assert_eq!(json_of(&["index", "f32[2,3]", "1,2", "--json"]), (0, json!({"linear": 5})));
    assert_eq!(json_of(&["at", "f32[2,3]", "5", "--json"]), (0, json!({"index": [1, 2]})));
    assert_eq!(json_of(&[&["at", "--json"], &PADDED[..], &["2"]].concat()), (0, json!({"padding": true})));
    assert_eq!(json_of(&[&["index", "--json"], &PADDED[..], &["1,2"]].concat()), (0, json!({"linear": 7})));
    assert_eq!(
        json_of(&["index", "bf16[16,256]{1,0:T(8,128)(2,1)}", "1,1", "--json"]),
        (0, json!({"linear": 3}))
    );
    assert_eq!(run(&["index", "f32[2,3]", "[1, 2]"]).1, "5\n");
    assert_eq!(run(&["index", "f32[]"]).1, "0\n");
    assert_eq!(run(&["at", "f32[2,3]{0,1}", "1"]).1, "1,0\n");
    assert_eq!(run(&["at", "f32[2,3]{0,1:T(2,2)}", "7"]).1, "padding\n");
}

#[test]
fn bad_input_exits_with_2_and_marks_the_position() {
    let (code, out, err) = run(&["layout", "f32[2,x]"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("\n  f32[2,x]\n        ^\n") && err.contains("hint: "), "{err}");
    let (code, report) = json_of(&["layout", "float[2]", "--json"]);
    let error = json!({"message": "\"float\" is not an element type", "rule": "text-unknown-type", "hint": "write f32", "column": 1});
    assert_eq!((code, report), (2, json!({"error": error})));
    let (code, report) = json_of(&["layout", "f32[2,3]{0,0}", "--json"]);
    assert_eq!(
        (code, &report["error"]["rule"], &report["error"]["column"]),
        (2, &json!("layout-4"), &json!(12))
    );
    assert_eq!(report["shape"], "f32[2,3]{0,0}");

    for (args, rule, column) in [
        (&["index", "f32[2,3]", "1,3"][..], "cli-index", 3),
        (&["index", "f32[2,3]", "-1,0"], "cli-index", 1),
        (&["index", "f32[2,3]", "1"], "cli-index", 1),
        (&["index", "f32[2,3]", "1,a"], "cli-index", 3),
        (&["index", "f32[0]", "0"], "cli-index", 1),
        (&["index", "(f32[2])", "0"], "cli-not-an-array", 1),
        (&["index", "f32[?]", "0"], "memory-unbounded", 5),
        (&["at", "f32[2,3]", "6"], "cli-slot", 1),
        (&["at", "f32[2,3]", "-1"], "cli-slot", 1),
        (&["at", "f32[2,3]", "five"], "cli-slot", 1),
        (&["at", "f32[0]", "0"], "cli-slot", 1),
        (&["layout", "f32[2,3]", "--padded", "1,5"], "layout-6", 22),
        (&["layout", "f32[2,3]", "--padded", "3"], "layout-5", 15),
        (&["layout", "f32[2,3]", "--padded", "3,5", "--pad-value", "nothing"], "text-padding-value", 27),
        (&["layout", "f32[2]{0:T(2)}", "--padded", "4"], "layout-padded-tiled", 16),
        (&["layout", "token[]", "--padded", "4"], "cli-not-an-array", 1),
        (&["layout", "f32[9223372036854775807,2]"], "shape-3", 4),
        (&["layout", ""], "text-empty", 1),
    ] {
        let (code, report) = json_of(&[args, &["--json"]].concat());
        let error = &report["error"];
        assert_eq!(
            (code, &error["rule"], &error["column"]),
            (2, &json!(rule), &json!(column)),
            "{args:?}: {error}"
        );
        assert!(error["hint"].is_string() && error["message"].is_string(), "{args:?}: {error}");
        let (code, out, err) = run(args);
        assert!(
            code == 2 && out.is_empty() && err.contains(rule) && err.contains("hint: "),
            "{args:?}: {err}"
        );
    }
    assert_eq!(run(&["layout"]).0, 2);
}

#[test]
fn input_that_xla_ignores_is_a_warning() {
    let (code, out, err) = run(&["layout", "f32[2]{0:T(8}"]);
    assert_eq!((code, out.lines().next()), (0, Some("f32[2]{0:T(8)}")));
    assert!(err.starts_with("warning"), "{err}");
}

#[test]
fn every_golden_text_is_answered_with_its_shape_or_an_error() {
    let mut answered = 0;
    for line in include_str!("../data/layout_text.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (code, report) = json_of(&["layout", row["text"].as_str().unwrap(), "--json"]);
        if row.get("printed").is_some() {
            // A layout that violates a rule is still printed in XLA's syntax.
            assert_eq!(report["shape"], row["printed"], "{row}");
            assert_eq!(report.get("error").is_some(), code == 2, "{row}");
        } else {
            assert_eq!(code, 2, "{row}");
            assert!(report["error"]["hint"].is_string(), "{row}");
        }
        answered += 1;
    }
    assert_eq!(answered, 89);
}

#[test]
fn every_layout_case_is_reported_with_its_numbers() {
    for line in include_str!("../data/layouts.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let list = |field: &str| row[field].to_string().trim_matches(['[', ']']).to_owned();
        let text = row["text"].as_str().map_or_else(
            || {
                format!(
                    "{}[{}]{{{}}}",
                    row["element_type"].as_str().unwrap(),
                    list("dimensions"),
                    list("minor_to_major")
                )
            },
            str::to_owned,
        );
        let padding = (list("padded_dimensions"), row["padding_value"].as_str().unwrap_or_default());
        let mut args = vec!["layout", &text, "--json"];
        if row["padded_dimensions"].is_array() {
            args.extend(["--padded", &padding.0, "--pad-value", padding.1]);
        }
        let (code, report) = json_of(&args);
        assert_eq!(code, 0, "{text}");
        for field in ["cells", "bytes", "strides"] {
            assert_eq!(report[field], row[field], "{text}: {field}");
        }
        if row["memory"].is_array() {
            assert_eq!(report["memory"], row["memory"], "{text}");
        }
    }
}

#[test]
fn svg_prints_a_picture() {
    let (code, out, err) = run(&[&["svg"], &PADDED[..]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("<svg ") && out.ends_with("</svg>\n"));
    assert!(out.contains("<title>f32[2,3]{0,1} padded[3,5]=zero</title>"));
    let (_, second, _) = run(&["svg", "(f32[2], f32[3])", "--array", "1", "--dark"]);
    assert!(second.starts_with("<svg "));
    assert_ne!(second, run(&["svg", "(f32[2], f32[3])", "--array", "1"]).1);
    for args in [
        &["svg", "f32[?]"][..],
        &["svg", "f32[2]", "--array", "1"],
        &["svg", "token[]"],
        &["svg", "f32[4294967296]"],
    ] {
        let (code, out, err) = run(args);
        assert!(
            code == 2 && out.is_empty() && err.contains('^') && err.contains("hint: "),
            "{args:?}: {err}"
        );
    }
}
