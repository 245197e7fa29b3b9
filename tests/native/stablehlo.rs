//! Programs that JAX lowered to `StableHLO`, in both printed forms, compared with XLA's values.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value as Json;
use test_support::data;
use xla_playground::array::Literal;
use xla_playground::diagnostic::Diagnostic;
use xla_playground::hlo::Evaluator;
use xla_playground::stablehlo::{Dialect, dialect, parse};

use crate::golden::{Tolerance, difference, literal};

/// Every case, with the name of its file.
fn cases() -> Vec<(String, Json)> {
    let mut files: Vec<_> =
        fs::read_dir(data().join("stablehlo")).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let lines = |file: &std::path::PathBuf| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(file).unwrap();
        text.lines().map(|line| (name.clone(), serde_json::from_str(line).unwrap())).collect::<Vec<_>>()
    };
    files.iter().flat_map(lines).collect()
}

/// What is refused, by the operation that the sentence names.
const REFUSED: [&str; 15] = [
    "chlo.bessel_i1e",
    "chlo.digamma",
    "chlo.erf_inv",
    "chlo.erfc",
    "chlo.lgamma",
    "chlo.next_after",
    "chlo.polygamma",
    "chlo.zeta",
    "lapack_sgeqrf_ffi",
    "lapack_sgetrf_ffi",
    "lapack_sgtsv_ffi",
    "lapack_spotrf_ffi",
    "lapack_ssyevd_ffi",
    "lapack_strsm_ffi",
    "ApproxTopK",
];

/// The result of a form of a case: an error's sentence, or a difference.
fn problem(case: &Json, form: &str) -> Result<Option<String>, Diagnostic> {
    let text = case[form].as_str().unwrap();
    assert_eq!(dialect(text), Dialect::StableHlo);
    let module = parse(text).into_module().map_err(|error| *error)?;
    let arguments: Vec<Literal> = case["args"].as_array().unwrap().iter().map(literal).collect();
    let got = match Evaluator::new(&module).run(&arguments) {
        Ok(got) => got,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let allowed = [case["rtol"].as_f64().unwrap(), case["atol"].as_f64().unwrap()];
    Ok(difference(&got, &literal(&case["expected"]), allowed, Tolerance::NONE))
}

#[test]
fn programs_of_jax_give_the_values_of_xla() {
    let (mut table, mut failures) = (BTreeMap::<String, [usize; 2]>::new(), Vec::new());
    for (file, case) in cases() {
        for form in ["mlir", "generic"] {
            let counts = table.entry(file.clone()).or_default();
            match problem(&case, form) {
                Ok(None) => counts[0] += 1,
                Err(error) if REFUSED.iter().any(|name| error.to_string().contains(name)) => {
                    counts[1] += 1;
                    assert!(!error.span.range().is_empty());
                }
                Err(error) => failures.push(format!("{file}/{} {form}: {error}", case["name"])),
                Ok(Some(difference)) => {
                    failures.push(format!("{file}/{} {form}: {difference}", case["name"]));
                }
            }
        }
    }
    println!("{table:#?}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    let passed: usize = table.values().map(|counts| counts[0]).sum();
    assert!(passed > 1_000, "{passed}");
}

#[test]
fn deep_nesting_is_an_error() {
    for open in
        ["module { ", "[", "tensor<", "tuple<", "{", "(", "\"a\"() ({ ", "func.func @f(%0: tuple<tuple<"]
    {
        let text = format!("module @m {{\n{}", open.repeat(20_000));
        assert!(parse(&text).error().is_some(), "{open}");
    }
}

#[test]
fn errors_of_ops_are_at_the_op() {
    let text = "func.func @main(%arg0: tensor<2xf32>) -> tensor<3xf32> {\n  %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}";
    let parsed = parse(text);
    assert_eq!(&text[parsed.error().unwrap().span.range()], "stablehlo.add");
    let unknown = text.replace("%arg0, %arg0", "%arg0, %x");
    let parsed = parse(&unknown);
    assert_eq!(&unknown[parsed.error().unwrap().span.range()], "%x");
}
