//! Programs that JAX lowered to `StableHLO`, in both printed forms, compared with XLA's values.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value as Json;
use test_support::data;
use xla_playground::array::Literal;
use xla_playground::diagnostic::Diagnostic;
use xla_playground::hlo::{Evaluator, Module};
use xla_playground::stablehlo::{Dialect, dialect, parse, print};

use crate::golden::{Tolerance, array, difference, literal};

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

/// What is rejected, by the function of LAPACK that the sentence names.
const REJECTED: [&str; 4] =
    ["lapack_sgeqrf_ffi", "lapack_sgesdd_ffi", "lapack_sgtsv_ffi", "lapack_ssyevd_ffi"];

/// The forms that a case has.
fn forms(case: &Json) -> impl Iterator<Item = &'static str> {
    ["mlir", "generic"].into_iter().filter(|form| case.get(form).is_some())
}

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
        for form in forms(&case) {
            let counts = table.entry(file.clone()).or_default();
            match problem(&case, form) {
                Ok(None) => counts[0] += 1,
                Err(error) if REJECTED.iter().any(|name| error.to_string().contains(name)) => {
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
    assert!(passed > 2_000, "{passed}");
}

/// The value of a module for arguments, or an error's sentence.
fn value(module: &Module, arguments: &[Literal]) -> Result<Literal, String> {
    Evaluator::new(module).run(arguments).map_err(|error| error.to_string())
}

/// The module that a module is read as once it is printed as `StableHLO`.
fn printed(module: &Module) -> Result<Module, String> {
    let text = print(module).map_err(|errors| errors[0].to_string())?;
    parse(&text).into_module().map_err(|error| format!("{error} in\n{text}"))
}

#[test]
fn printed_modules_give_the_same_bits() {
    let mut count = 0;
    for (file, case) in cases() {
        let Some(form) = forms(&case).next() else { continue };
        let Ok(module) = parse(case[form].as_str().unwrap()).into_module() else { continue };
        let again = printed(&module).unwrap_or_else(|error| panic!("{file}/{}: {error}", case["name"]));
        let arguments: Vec<Literal> = case["args"].as_array().unwrap().iter().map(literal).collect();
        let values = [value(&module, &arguments), value(&again, &arguments)].map(Result::unwrap);
        let wrong = difference(&values[1], &values[0], [0.0, 0.0], Tolerance::NONE);
        assert_eq!(wrong, None, "{file}/{}", case["name"]);
        count += 1;
    }
    assert!(count > 1_400, "{count}");
}

#[test]
fn samples_give_the_same_bits_in_both_languages() {
    let folder = data().join("hlo-samples");
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.to_str()?.strip_suffix(".stablehlo.mlir")?.to_owned())).collect();
    names.sort();
    assert_eq!(names.len(), 15);
    for name in names {
        let text = |suffix: &str| fs::read_to_string(folder.join(format!("{name}.{suffix}"))).unwrap();
        let hlo = xla_playground::hlo::parse(&text("lowered.hlo")).into_module().unwrap();
        let stable = parse(&text("stablehlo.mlir")).into_module().unwrap();
        let parameters = hlo.interface().unwrap().parameters;
        let io: Json = serde_json::from_str(&text("io.json")).unwrap();
        let inputs = io["inputs"].as_array().unwrap().iter().zip(&parameters);
        let arguments: Vec<Literal> = inputs.map(|(json, shape)| array(json, shape)).collect();
        let want = value(&hlo, &arguments).unwrap();
        for module in [printed(&hlo).unwrap(), stable] {
            let wrong = difference(&value(&module, &arguments).unwrap(), &want, [0.0, 0.0], Tolerance::NONE);
            assert_eq!(wrong, None, "{name}");
        }
    }
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
