//! `eval`, `fmt` and `check`, run as by a user or a script.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use xla_playground::wire::literal;

const SUM: &str = "HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
ENTRY e {
  x = f32[2]{0} parameter(0)
  y = negate(x)
  z = f32[] constant(0)
  ROOT r = reduce(y, z), dimensions={0}, to_apply=add
}
";

/// Exit code, standard output and standard error of the program with these arguments, reading `input`.
pub fn run(args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_xla-playground"))
        .env("LC_ALL", "C")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that reads no input closes the pipe.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn eval_prints_the_result_in_the_form_of_arguments() {
    let argument = "f32[2]{0} {1, 2.5}";
    assert_eq!(run(&["eval", "-", "--arg", argument], SUM), (0, "f32[] -3.5\n".to_owned(), String::new()));
    let (code, out, _) = run(&["eval", "-", "--arg", argument, "--json"], SUM);
    assert_eq!((code, lines(&out)), (0, vec![json!({"shape": "f32[]", "values": [-3.5]})]));
    let json = r#"{"shape":"f32[2]{0}","values":[1,"-0"]}"#;
    assert_eq!(run(&["eval", "-", "--arg", json], SUM).1, "f32[] -1\n");
    let nan = "HloModule m ENTRY e { a = f32[] parameter(0) b = f32[] constant(nan) ROOT m = maximum(a, b) }";
    assert_eq!(run(&["eval", "-", "--arg", "f32[] 1"], nan).1, "f32[] nan\n");
    assert_eq!(run(&["eval", "-", "--arg", "f32[] 1", "--edition", "2017"], nan).1, "f32[] 1\n");
}

#[test]
fn eval_traces_every_instruction_those_of_loops_too() {
    let text = "HloModule m
c { x = s32[2] parameter(0) s = s32[1] slice(x), slice={[0:1]} t = s32[] reshape(s) n = s32[] constant(2)
    ROOT p = pred[] compare(t, n), direction=LT }
b { x = s32[2] parameter(0) ROOT y = s32[2] add(x, x) }
ENTRY e { i = s32[2] constant({1, 3}) ROOT w = s32[2] while(i), condition=c, body=b }";
    let (code, out, _) = run(&["eval", "-", "--trace"], text);
    assert_eq!(code, 0);
    let found: Vec<&str> = out.lines().collect();
    assert_eq!(found.first(), Some(&"i = s32[2]{0} {1, 3}"));
    assert_eq!(found.last(), Some(&"ROOT w = s32[2]{0} {2, 6}"));
    assert!(found.contains(&"  b#2 ROOT y = s32[2]{0} {2, 6}"), "{out}");
    assert_eq!(found.iter().filter(|line| line.contains("ROOT p")).count(), 2);
    let (_, out, _) = run(&["eval", "-", "--trace", "--json"], text);
    let values = lines(&out);
    assert_eq!(values.last(), Some(&json!({"shape": "s32[2]{0}", "values": [2, 6]})));
    let last = &values[values.len() - 2];
    assert_eq!(
        (&last["computation"], &last["instruction"], &last["depth"]),
        (&json!("e"), &json!("w"), &json!(0))
    );
}

#[test]
fn eval_reports_errors_with_their_position() {
    for (args, text, rule, line) in [
        (&["eval", "-"][..], SUM, "arguments", Value::Null),
        (&["eval", "-", "--arg", "f32[3] {1, 2, 3}"], SUM, "arguments", json!(4)),
        (&["eval", "-", "--arg", "f32[2] {1}"], SUM, "literal-count", json!(1)),
        (&["eval", "-", "--arg", "f32[2] {...}"], SUM, "literal-elided", json!(1)),
        (&["eval", "-", "--arg", "{\"shape\":\"f32[2]\"}"], SUM, "json-literal", Value::Null),
        (
            &["eval", "-"],
            "HloModule m ENTRY e {\n ROOT c = f32[20] constant({...}) }",
            "constant-elided",
            json!(2),
        ),
        (&["eval", "-"], "HloModule m ENTRY e {\n ROOT c = f32[20] negat(x) }", "hlo-opcode", json!(2)),
        (&["eval", "no such file"], "", "cli-file", Value::Null),
        (&["eval", "-", "--steps", "10", "--arg", "f32[2] {1, 2}"], SUM, "budget-steps", json!(7)),
    ] {
        let (code, out, err) = run(args, text);
        assert!(code == 2 && out.is_empty() && err.contains(rule), "{args:?}: {out} {err}");
        let (code, out, _) = run(&[args, &["--json"]].concat(), text);
        let error = &lines(&out)[0]["error"];
        assert_eq!((code, &error["rule"], &error["line"]), (2, &json!(rule), &line), "{args:?}: {error}");
        assert!(error["message"].is_string() && error.get("hint").is_some(), "{error}");
    }
}

#[test]
fn fmt_prints_as_xla_does() {
    let (code, out, err) = run(&["fmt", "-"], SUM);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with(
            "HloModule m, entry_computation_layout={(f32[2]{0})->f32[]}\n\nadd {\n  a = f32[] parameter(0)\n"
        ),
        "{out}"
    );
    assert_eq!(run(&["fmt", "-"], &out).1, out);
    let (_, bare, _) = run(&["fmt", "-", "--layouts", "false"], SUM);
    assert!(bare.contains("  y = f32[2] negate(x)\n"), "{bare}");
    let (_, long, _) = run(&["fmt", "-", "--long"], SUM);
    assert!(long.contains("ENTRY %e (x: f32[2]) -> f32[] {"), "{long}");
    let (code, out, err) = run(&["fmt", "-"], "HloModule m ENTRY e { ROOT x = f32[] parametr(0) }");
    assert!(code == 2 && out.is_empty() && err.contains("write parameter"), "{out}{err}");
}

#[test]
fn check_shows_places_and_ends_with_2_on_errors_only() {
    let wrong = SUM.replace("negate(x)", "negat(x)");
    let (code, out, _) = run(&["check", "-"], &wrong);
    assert_eq!(code, 2);
    assert!(out.starts_with("5:7: error [hlo-opcode]"), "{out}");
    for part in ["\n    y = negat(x)\n        ^^^^^\n", "\n    y = negate(x)\n", "\n1 error, 0 warnings\n"] {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
    assert_eq!(run(&["check", "-"], SUM), (0, "0 errors, 0 warnings\n".to_owned(), String::new()));
    let newer = SUM.replace("negate(x)", "negate(x), frobnicate={1}");
    let (code, out, _) = run(&["check", "-"], &newer);
    assert!(code == 0 && out.ends_with("0 errors, 1 warning\n"), "{out}");
    assert_eq!(run(&["check", "no such file"], "").0, 2);
}

#[test]
fn a_batch_answers_every_line() {
    let case =
        |name: &str, hlo: &str, args: Value| json!({"name": name, "hlo": hlo, "args": args}).to_string();
    let copy = |shape: &str| format!("HloModule m\nENTRY e {{ ROOT x = {shape} parameter(0) }}");
    let args = |shape: &str, values: Value| json!([{"shape": shape, "values": values}]);
    let endless = "HloModule m c { x = s32[] parameter(0) ROOT p = pred[] constant(true) }
        b { ROOT x = s32[] parameter(0) } ENTRY e { i = s32[] constant(0) ROOT w = s32[] while(i), condition=c, body=b }";
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        (case("sum", SUM, args("f32[2]", json!([1, 2]))), "sum", None),
        ("{\"name\":\"broken\",".to_owned(), "", Some("json-case")),
        (json!({"name": "fields", "hlo": 7}).to_string(), "fields", Some("json-case")),
        (json!({"hlo": "HloModule m"}).to_string(), "", Some("json-case")),
        ("7".to_owned(), "", Some("json-case")),
        (deep, "", Some("json-case")),
        (case("shape", SUM, args("f32[3]", json!([1, 2, 3]))), "shape", Some("arguments")),
        (case("count", SUM, args("f32[2]", json!([1]))), "count", Some("literal-count")),
        (case("exact", &copy("s64[1]"), args("s64[1]", json!([9_007_199_254_740_993_i64]))), "exact", None),
        (case("range", &copy("s64[1]"), args("s64[1]", json!([9_223_372_036_854_775_808_u64]))), "range", Some("literal-range")),
        (case("nan", &copy("f32[1]"), args("f32[1]", json!(["NaN"]))), "nan", None),
        (case("nan in s32", &copy("s32[1]"), args("s32[1]", json!(["NaN"]))), "nan in s32", Some("json-literal")),
        (case("word", &copy("f32[1]"), args("f32[1]", json!(["nan"]))), "word", Some("json-literal")),
        (case("huge", &copy("f32[99999999999]"), args("f32[99999999999]", json!([1]))), "huge", Some("literal-count")),
        (case("huge result", "HloModule m ENTRY e { c = f32[] constant(1) ROOT b = f32[99999,99999] broadcast(c), dimensions={} }", json!([])), "huge result", Some("literal-size")),
        (case("endless", endless, json!([])), "endless", Some("budget-steps")),
        (case("opcode", "HloModule m\nENTRY e {\n  ROOT x = f32[] parametr(0)\n}", json!([])), "opcode", Some("hlo-opcode")),
        (case("empty", "", json!([])), "empty", Some("hlo-header")),
        (json!({"name": "no args", "hlo": "HloModule m ENTRY e { ROOT c = pred[] constant(true) }", "more": {}}).to_string(), "no args", None),
    ];
    // Blank lines are not cases.
    let mut input = String::from("\n  \n");
    for (line, ..) in &cases {
        input += line;
        input.push('\n');
    }
    let (code, out, err) = run(&["eval", "--batch", "-", "--steps", "200000"], &input);
    assert_eq!((code, err.as_str()), (0, ""));
    let answers = lines(&out);
    assert_eq!(answers.len(), cases.len());
    for (answer, (line, name, rule)) in answers.iter().zip(&cases) {
        let line: String = line.chars().take(200).collect();
        assert_eq!(answer["name"], if name.is_empty() { Value::Null } else { json!(name) }, "{line}");
        let Some(rule) = rule else {
            assert!(answer["outputs"].is_object(), "{line}: {answer}");
            continue;
        };
        let error = answer["error"].as_object().unwrap();
        assert_eq!(error["rule"], *rule, "{line}: {answer}");
        let fields: Vec<&str> = error.keys().map(String::as_str).collect();
        for field in ["message", "rule", "hint", "line", "column"] {
            assert!(fields.contains(&field), "{answer}");
        }
    }
    assert_eq!(answers[8]["outputs"].to_string(), r#"{"shape":"s64[1]{0}","values":[9007199254740993]}"#);
    let opcode = &answers[16]["error"];
    assert_eq!(
        (&opcode["line"], &opcode["column"], &opcode["hint"]),
        (&json!(3), &json!(18), &json!("write parameter"))
    );
    assert_eq!(run(&["eval", "--batch", "no such file"], "").0, 2);
    assert_eq!(run(&["eval"], "").0, 2);
}

#[test]
fn a_batch_runs_the_goldens() {
    let folder = test_support::data().join("goldens");
    let (mut all, mut equal, mut rejected) = (0, 0, 0);
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        let cases = lines(&fs::read_to_string(&file).unwrap());
        let (code, out, err) = run(&["eval", "--batch", file.to_str().unwrap()], "");
        assert_eq!((code, err.as_str()), (0, ""));
        let answers = lines(&out);
        assert_eq!(answers.len(), cases.len(), "{}", file.display());
        for (case, answer) in cases.iter().zip(&answers) {
            assert_eq!(case["name"], answer["name"]);
            assert!(answer["outputs"].is_object() != answer["error"].is_object(), "{answer}");
            all += 1;
            if case.get("error").is_some() {
                assert!(answer["error"]["rule"].is_string(), "{case}: {answer}");
                rejected += 1;
            } else if let (Some(expected), true) = (case.get("expected"), answer["outputs"].is_object()) {
                let [got, want] =
                    [&answer["outputs"], expected].map(|json| literal::parse(&json.to_string()).unwrap());
                assert_eq!(got.shape(), want.shape(), "{}", case["name"]);
                equal += usize::from(got.equals(&want, xla_playground::array::literal::Equality::Same));
            }
        }
    }
    println!("{all} cases: {equal} equal to the last bit, {rejected} rejected");
    assert!(all >= 2279 && equal > 1000 && rejected >= 482, "{all} {equal} {rejected}");
}

#[test]
fn places_are_right_for_every_line_end_and_long_lines_are_cut() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("\u{feff}{}", SUM.replace("negate(x)", "negate(q\u{1b}[31m)").replace('\n', end));
        let (code, out, _) = run(&["check", "-"], &text);
        assert!(code == 2 && out.starts_with("5:14: error"), "{out:?}");
        assert!(!out.contains(['\u{1b}', '\r']), "{out:?}");
        let (_, out, _) = run(&["eval", "-", "--json"], &text);
        assert_eq!([&lines(&out)[0]["error"]["line"], &lines(&out)[0]["error"]["column"]], [5, 14]);
    }
    let long = SUM.replace("negate(x)", &format!("negate({} x)", "@ ".repeat(1 << 19)));
    let (code, out, _) = run(&["check", "-"], &long);
    assert!(code == 2 && out.len() < 1 << 12, "{} bytes", out.len());
    let case = json!({"name": "a", "hlo": "HloModule m ENTRY e { ROOT z = f32[] constant(1) }", "args": []});
    let (_, out, _) = run(&["eval", "--batch", "-"], &format!("\u{feff}{case}\r\n{case}\n"));
    assert!(lines(&out).iter().all(|line| line.get("outputs").is_some()), "{out}");
    assert_eq!(lines(&out).len(), 2);
}

const STABLE: &str = "module @jit_f {
  func.func public @main(%arg0: tensor<2xf32>) -> tensor<f32> {
    %0 = stablehlo.negate %arg0 : tensor<2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
";

#[test]
fn stablehlo_is_told_by_its_content_and_runs() {
    assert_eq!(
        run(&["eval", "-", "--arg", "f32[2] {1, 2.5}"], STABLE),
        (0, "f32[] -3.5\n".to_owned(), String::new())
    );
    let (code, hlo, err) = run(&["fmt", "-"], STABLE);
    assert!(code == 0 && err.is_empty() && hlo.starts_with("HloModule jit_f"), "{hlo}{err}");
    assert_eq!(run(&["eval", "-", "--arg", "f32[2] {1, 2.5}"], &hlo).1, "f32[] -3.5\n");
    let args = vec![json!({"shape": "f32[2]", "values": [1.0, 2.5]})];
    let case = json!({"name": "sum", "mlir": STABLE, "args": args}).to_string();
    let (code, out, _) = run(&["eval", "--batch", "-"], &format!("{case}\n"));
    assert!(code == 0 && out.contains("-3.5"), "{out}");
    // An error is where it is in the text that was given.
    let wrong = STABLE.replace(
        "%0 = stablehlo.negate %arg0 : tensor<2xf32>",
        "%0 = stablehlo.negate %arg0 : tensor<3xf32>",
    );
    let (code, out, err) = run(&["check", "-"], &wrong);
    assert_ne!(code, 0, "{out}");
    assert!(format!("{out}{err}").contains("3:"), "{out}{err}");
}
