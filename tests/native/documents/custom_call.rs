//! *Operation Semantics*, "`CustomCall`".

use std::time::{Duration, Instant};

use xla_playground::ops::find;

use super::{TextFile, terminal};

const CALL: &str = "HloModule m ENTRY e { x = f32[2] parameter(0) y = f32[2,3] parameter(1)
    ROOT z = f32[3,3] custom-call(x, y), custom_call_target=\"myfunc\" }";
const ARGUMENTS: [&str; 4] = ["--arg", "f32[2] {1, 2}", "--arg", "f32[2,3] {{10, 20, 30}, {40, 50, 60}}"];

/// Runs a module with a function in a file.
fn evaluated(module: &str, code: &str, args: &[&str]) -> (i32, String, String) {
    let (module, function) = (TextFile::new("call.hlo", module), TextFile::new("myfunc.js", code));
    let call = format!("myfunc={}", function.path());
    terminal(&[&["eval", module.path(), "--call", &call], args].concat())
}

/// Row 94: the document's example in the terminal, with the code that the Ops screen shows for it.
#[test]
fn the_terminal_calls_a_function_in_a_file() {
    let staged = find("custom-call").unwrap().host_examples();
    let code =
        staged.iter().flat_map(|staged| staged.functions).find(|(name, _)| *name == "myfunc").unwrap().1;
    let (code, out, err) = evaluated(CALL, code, &ARGUMENTS);
    let expected = "f32[3,3]{1,0} { { 42, 52, 62 }, { 11, 21, 31 }, { 42, 52, 62 } }\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
}

/// Row 94: every element type and tuple arrives and returns exactly; one process answers many calls.
#[test]
fn values_cross_exactly_and_calls_repeat() {
    let text = "HloModule m
        c { t = (s32[], (s64[2], pred[1])) parameter(0) n = s32[] get-tuple-element(t), index=0 l = s32[] constant(50)
            ROOT p = compare(n, l), direction=LT }
        b { t = (s32[], (s64[2], pred[1])) parameter(0) n = s32[] get-tuple-element(t), index=0
            v = (s64[2], pred[1]) get-tuple-element(t), index=1 one = s32[] constant(1) m = add(n, one)
            w = (s64[2], pred[1]) custom-call(v), custom_call_target=\"myfunc\" ROOT r = tuple(m, w) }
        ENTRY e { z = s32[] constant(0) x = s64[2] constant({9007199254740993, 0}) p = pred[1] constant({0})
            v = tuple(x, p) init = tuple(z, v) ROOT r = while(init), condition=c, body=b }";
    let code = "output[0].data[0] = inputs[0][0].data[0];
        output[0].data[1] = inputs[0][0].data[1] + 1n;
        output[1].data[0] = 1 - inputs[0][1].data[0];";
    let (code, out, err) = evaluated(text, code, &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "(s32[], (s64[2]{0}, pred[1]{0})) ( 50, ( {9007199254740993, 50}, {0} ) )\n");
    let floats = "HloModule m ENTRY e { x = f32[4] parameter(0)
        ROOT z = f32[4] custom-call(x), custom_call_target=\"myfunc\" }";
    let arguments = ["--arg", "f32[4] {nan, -0.0, inf, 0.1}"];
    let (_, out, _) = evaluated(floats, "output.data = inputs[0].data;", &arguments);
    assert_eq!(out, "f32[4]{0} {nan, -0.0, inf, 0.1}\n");
}

/// Row 94: an error names the file and the line; nothing of Node.js is in reach.
#[test]
fn errors_of_functions_name_file_and_line() {
    for (code, parts) in [
        ("\nthrow new Error('no such row');", &["line 2: Error: no such row"][..]),
        ("output.data[0] = 1;\nlet 1x;", &["line 2: SyntaxError"]),
        ("output.data = [1, 2];", &["output.data has 2 elements, f32[3,3] has 9"]),
        ("return Promise.resolve();", &["the function gave a promise"]),
        ("require('fs');", &["line 1: ReferenceError"]),
        ("fetch('http://localhost');", &["line 1: ReferenceError"]),
        ("process.exit(0);", &["line 1: ReferenceError"]),
        ("this.constructor.constructor('return process')();", &["EvalError"]),
        ("(() => {}).constructor('return 1')();", &["line 1: EvalError"]),
        ("await 1;", &["SyntaxError"]),
    ] {
        let (exit, out, err) = evaluated(CALL, code, &ARGUMENTS);
        assert_eq!((exit, out.as_str()), (2, ""), "{code}");
        assert!(err.contains("myfunc") && parts.iter().all(|part| err.contains(part)), "{code}: {err}");
    }
}

/// Row 94: a function that does not return ends with the time limit of the run, and no process is left waiting.
#[test]
fn a_function_that_does_not_return_is_ended() {
    // The last one is busy in a method of the language, which Node.js does not interrupt.
    for code in ["for (;;);", "Promise.resolve().then(() => { for (;;); });", "new Array(2 ** 29).fill(1.5);"]
    {
        let start = Instant::now();
        let (exit, _, err) = evaluated(CALL, code, &[&ARGUMENTS[..], &["--time-limit", "0.5"]].concat());
        assert!(exit == 2 && err.contains("the time limit of 0.5 s was reached"), "{err}");
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

/// Row 94: a function has the memory of the run.
#[test]
fn a_function_that_needs_too_much_memory_is_an_error() {
    let code = "const kept = []; for (;;) kept.push([0, 1, 2, 3]);";
    let (exit, _, err) =
        evaluated(CALL, code, &[&ARGUMENTS[..], &["--memory", "64", "--time-limit", "60"]].concat());
    assert!(exit == 2 && err.contains("Node.js ended without an answer"), "{err}");
}

/// Row 94: what is missing is said, with the option that gives it.
#[test]
fn a_missing_function_is_said_with_the_option() {
    let module = TextFile::new("missing.hlo", CALL);
    let (code, _, err) = terminal(&[&["eval", module.path()], &ARGUMENTS[..]].concat());
    assert!(code == 2 && err.contains("myfunc") && err.contains("--call"), "{err}");
    let (code, _, err) = terminal(&["eval", module.path(), "--call", "myfunc"]);
    assert!(code == 2 && err.contains("expected NAME=FILE.js"), "{err}");
    let (code, _, err) = terminal(&["eval", module.path(), "--call", "myfunc=no such file"]);
    assert!(code == 2 && err.contains("no such file cannot be read"), "{err}");
}
