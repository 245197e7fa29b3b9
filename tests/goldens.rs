//! Golden cases from XLA: values, layouts, printed text, and what XLA rejects.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(clippy::cast_precision_loss, reason = "ranges of random integers are small")]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::Value as Json;
use xla_playground::array::{Literal, Value};
use xla_playground::hlo::kernel::{InProcess, Made};
use xla_playground::hlo::{Evaluator, Module, PrintOptions, parse};

fn literal(json: &Json) -> Literal {
    xla_playground::wire::literal::parse(&json.to_string()).unwrap()
}

fn near(got: f64, want: f64, rtol: f64, atol: f64) -> bool {
    got.to_bits() == want.to_bits()
        || got.is_nan() && want.is_nan()
        || rtol + atol > 0.0 && (got - want).abs() <= atol + rtol * want.abs()
}

/// The first difference, if there is one.
fn difference(got: &Literal, want: &Literal, rtol: f64, atol: f64) -> Option<String> {
    match (got, want) {
        (Literal::Tuple(a), Literal::Tuple(b)) if a.len() == b.len() => {
            a.iter().zip(b).find_map(|(a, b)| difference(a, b, rtol, atol))
        }
        (Literal::Array(a), Literal::Array(b)) => {
            if a.shape().to_string() != b.shape().to_string() {
                return Some(format!("shape {} instead of {}", a.shape(), b.shape()));
            }
            let differs = a.values().zip(b.values()).enumerate().find(|(_, (a, b))| match (a, b) {
                (Value::Float(a), Value::Float(b)) => !near(*a, *b, rtol, atol),
                (Value::Complex(a, b), Value::Complex(c, d)) => {
                    !near(*a, *c, rtol, atol) || !near(*b, *d, rtol, atol)
                }
                _ => !a.same(*b),
            })?;
            Some(format!("element {}: {:?} instead of {:?}", differs.0, differs.1.0, differs.1.1))
        }
        (Literal::Token, Literal::Token) => None,
        _ => Some("another structure".to_owned()),
    }
}

/// The values of a module, by the bodies of the ops, or by kernels wherever one serves; and how many of its
/// instructions kernels made.
fn evaluate(module: &Module, arguments: &[Literal], with_kernels: bool) -> Result<(Literal, usize), String> {
    let mut evaluator = Evaluator::new(module);
    if with_kernels {
        evaluator = evaluator.kernels(Rc::new(InProcess::default()), 0);
    }
    let got = evaluator.run(arguments).map_err(|error| error.to_string())?;
    let values = if with_kernels { evaluator.run_all(arguments).ok() } else { None };
    let made = values.iter().flat_map(|values| &values.made);
    let made = made.filter(|made| matches!(made, Some(Made::Kernel(..)))).count();
    Ok((got, made))
}

/// What is wrong with a case, if anything is.
fn run(case: &Json, with_kernels: bool, by_kernels: &mut usize) -> Option<String> {
    let parsed = parse(case["hlo"].as_str().unwrap());
    let problem = parsed.error().map(|d| format!("{d}"));
    if let Some(error) = case.get("error") {
        let said = error.as_str().unwrap();
        // Some are only told when it is known where the module is to run; these come without arguments.
        let refused =
            |module| Evaluator::new(module).run(&[]).is_err_and(|error| error.error.rule != "arguments");
        return (problem.is_none() && !refused(&parsed.module))
            .then(|| format!("accepted, though XLA says {}", &said[said.len().min(60)..]));
    }
    if problem.is_some() {
        return problem;
    }
    if let Some(printed) = case.get("printed").and_then(Json::as_str) {
        // Some were printed by a caller that adds a line end.
        let printed = &format!("{}\n", printed.trim_end());
        if parsed.module.to_string() != *printed {
            return Some(format!("prints {} instead of {printed}", parsed.module));
        }
        let again = parse(printed);
        if let Some(d) = again.diagnostics.first() {
            return Some(format!("its printed text: {d}"));
        }
        if again.module.to_string() != *printed {
            return Some("print ∘ parse is not the identity".to_owned());
        }
    }
    // Some are of text alone.
    case.get("args")?;
    let arguments: Vec<Literal> = case["args"].as_array().unwrap().iter().map(literal).collect();
    let got = match evaluate(&parsed.module, &arguments, with_kernels) {
        Ok((got, made)) => {
            *by_kernels += usize::from(made > 0);
            got
        }
        Err(error) => return Some(error),
    };
    let Some(want) = case.get("expected") else { return outside(&got, case) };
    difference(&got, &literal(want), case["rtol"].as_f64().unwrap(), case["atol"].as_f64().unwrap())
}

/// What of a random result has not the shape or lies outside the range that a case states.
fn outside(got: &Literal, case: &Json) -> Option<String> {
    let got = got.as_array().unwrap();
    let (low, high) = (case["lo"].as_f64().unwrap(), case["hi"].as_f64().unwrap());
    if got.shape().to_string() != case["expected_shape"].as_str().unwrap() {
        return Some(format!("shape {} instead of {}", got.shape(), case["expected_shape"]));
    }
    let is_normal = case["hlo"].as_str().unwrap().contains("rng_normal");
    let wrong = got.values().find(|value| match value {
        // Only uniform floats exclude the end.
        Value::Float(x) => !(low..=high).contains(x) || !is_normal && *x >= high,
        Value::Int(x) => !(low..=high).contains(&(*x as f64)),
        Value::Uint(x) => !(low..=high).contains(&(*x as f64)),
        _ => true,
    })?;
    Some(format!("{wrong:?} is not within {low} and {high}"))
}

#[test]
fn every_case_passes() {
    assert_eq!(every_case(false), 0);
}

#[test]
fn every_case_passes_with_kernels() {
    let by_kernels = every_case(true);
    assert!(by_kernels > 1_500, "kernels made values of {by_kernels} cases only");
}

/// Runs every case, and answers in how many of them kernels made a value.
fn every_case(with_kernels: bool) -> usize {
    let mut by_kernels = 0;
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/goldens"));
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "jsonl") && !f.ends_with("layout_text.jsonl"));
    files.sort();
    assert_eq!(files.len(), 62);
    let (mut table, mut failures) = (String::new(), String::new());
    let mut passed = 0;
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let (mut good, mut bad) = (0, 0);
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            if let Some(problem) = run(&case, with_kernels, &mut by_kernels) {
                bad += 1;
                writeln!(failures, "{name} {}: {problem}", case["name"]).unwrap();
            } else {
                good += 1;
            }
        }
        passed += good;
        writeln!(table, "{name:24} {good:4} pass {bad:4} fail").unwrap();
    }
    println!("{table}");
    assert!(failures.is_empty(), "{table}\n{failures}");
    assert!(passed > 3_900, "{table}");
    by_kernels
}

/// Prints, reads and prints again, in both forms.
fn assert_stable(text: &str, name: &str) {
    let parsed = parse(text);
    for options in [PrintOptions::SHORT, PrintOptions::LONG] {
        let printed = parsed.module.text(options);
        let again = parse(&printed);
        assert_eq!(again.module.text(options), printed, "{name}");
        // What only the rules of layouts refuse, XLA prints too.
        let only_of_opcodes = again.diagnostics.iter().all(|d| d.rule.starts_with("layout-"));
        assert!(only_of_opcodes, "{name}: {:?} in\n{printed}", again.diagnostics);
    }
}

#[test]
fn printing_what_was_parsed_gives_it_back() {
    let (mut printed_by_xla, mut stable) = (0, 0);
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/goldens"));
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        let is_of_modules = file.file_stem().is_some_and(|stem| stem == "hlo_text" || stem == "layout");
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            let (name, hlo) = (case["name"].as_str().unwrap(), case["hlo"].as_str().unwrap());
            let is_read = parse(hlo).diagnostics.iter().all(|d| d.rule == "literal-negative-zero");
            if is_read {
                assert_stable(hlo, name);
                stable += 1;
            } else {
                let is_of_layouts = parse(hlo).diagnostics.iter().all(|d| d.rule.starts_with("layout-"));
                assert!(case.get("error").is_some() || is_of_layouts, "{name}: {:?}", parse(hlo).diagnostics);
            }
            if let Some(printed) = case.get("printed").and_then(Json::as_str).filter(|_| is_of_modules) {
                assert_eq!(parse(printed).module.to_string().trim_end(), printed.trim_end());
                printed_by_xla += 1;
            }
        }
    }
    println!("{stable} modules are stable");
    assert!(printed_by_xla == 162 && stable >= 1700, "{printed_by_xla} {stable}");
}

#[test]
fn every_sample_parses() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hlo-samples"));
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "hlo") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let parsed = parse(&text);
        let told: Vec<String> = parsed
            .diagnostics
            .iter()
            .filter(|d| d.rule != "hlo-opcode")
            .map(|d| format!("{}:{:?}: {d}", path.display(), d.position(&text)))
            .collect();
        assert!(told.is_empty(), "{told:#?}");
        assert_stable(&text, &path.display().to_string());
        // The long form is what was read, but for shapes of operands and the like, which these have not.
        let long = parsed.module.text(PrintOptions::LONG);
        if path.to_string_lossy().contains("compiled") {
            let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(bare(&long), bare(&text), "{}", path.display());
        } else {
            // XLA orders computations by an order of instructions that the text does not keep.
            let blocks = |text: &str| {
                let mut all: Vec<String> = text.trim_end().split("\n\n").map(str::to_owned).collect();
                all.sort();
                all
            };
            assert_eq!(blocks(&parsed.module.to_string()), blocks(&text), "{}", path.display());
        }
        count += 1;
    }
    assert_eq!(count, 30);
}
