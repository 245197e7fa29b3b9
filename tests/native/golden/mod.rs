//! XLA's results compared with this implementation, with or without kernels: the cases of `tests/data/goldens` and
//! the programs of `tests/data/hlo-samples`. Shared by the native tests and the end-to-end tests, whose kernels are
//! the modules of the site, in a browser.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::Value as Json;
use test_support::data;
use xla_playground::array::{ArrayLiteral, Literal, Shape, Value};
use xla_playground::hlo::eval::kernel::Kernels;
use xla_playground::hlo::{Evaluator, Module, parse};

/// The tolerance beyond what a case itself allows.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Relative to the largest finite magnitude of the array (at least 1, which a cancelling sum may have reached),
    /// for elements of at least 32 bits.
    pub wide: f64,
    /// The same for narrower elements: one ULP of bf16 is 2⁻⁸.
    pub narrow: f64,
}

impl Tolerance {
    /// For strict kernels and the reference evaluator: none.
    pub const NONE: Self = Self { wide: 0.0, narrow: 0.0 };

    /// The absolute tolerance of an array.
    fn of(self, want: &ArrayLiteral) -> f64 {
        let magnitudes = want.values().map(|value| match value {
            Value::Float(x) => x.abs(),
            Value::Complex(re, im) => re.abs().max(im.abs()),
            _ => 0.0,
        });
        let largest = magnitudes.filter(|x| x.is_finite()).fold(1.0, f64::max);
        let is_wide = !matches!(want.element_type().bits(), 0..32);
        largest * if is_wide { self.wide } else { self.narrow }
    }
}

pub fn literal(json: &Json) -> Literal {
    xla_playground::wire::literal::parse(&json.to_string()).unwrap()
}

fn near(got: f64, want: f64, relative: f64, absolute: f64) -> bool {
    got.to_bits() == want.to_bits()
        || got.is_nan() && want.is_nan()
        || relative + absolute > 0.0 && (got - want).abs() <= absolute + relative * want.abs()
}

/// The first difference, if there is one.
pub fn difference(
    got: &Literal,
    want: &Literal,
    [rtol, atol]: [f64; 2],
    beyond: Tolerance,
) -> Option<String> {
    match (got, want) {
        (Literal::Tuple(a), Literal::Tuple(b)) if a.len() == b.len() => {
            a.iter().zip(b).find_map(|(a, b)| difference(a, b, [rtol, atol], beyond))
        }
        (Literal::Array(a), Literal::Array(b)) => {
            if a.shape().to_string() != b.shape().to_string() {
                return Some(format!("shape {} instead of {}", a.shape(), b.shape()));
            }
            let atol = atol + beyond.of(b);
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

/// The value of a module, by the bodies of the ops, or by kernels where one supports the task.
fn evaluate(
    module: &Module,
    arguments: &[Literal],
    kernels: Option<&Rc<dyn Kernels + '_>>,
) -> Result<Literal, String> {
    let mut evaluator = Evaluator::new(module);
    if let Some(kernels) = kernels {
        evaluator = evaluator.kernels(kernels.clone(), 0);
    }
    evaluator.run(arguments).map_err(|error| error.to_string())
}

/// The error of a case, if any.
fn problem(case: &Json, kernels: Option<&Rc<dyn Kernels + '_>>, beyond: Tolerance) -> Option<String> {
    let parsed = parse(case["hlo"].as_str().unwrap());
    let problem = parsed.error().map(|d| format!("{d}"));
    if let Some(error) = case.get("error") {
        let said = error.as_str().unwrap();
        // Some errors depend on the target; these cases have no arguments.
        let rejected =
            |module| Evaluator::new(module).run(&[]).is_err_and(|error| error.error.rule != "arguments");
        return (problem.is_none() && !rejected(&parsed.module))
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
    // Some only have text.
    case.get("args")?;
    let arguments: Vec<Literal> = case["args"].as_array().unwrap().iter().map(literal).collect();
    let got = match evaluate(&parsed.module, &arguments, kernels) {
        Ok(got) => got,
        Err(error) => return Some(error),
    };
    let Some(want) = case.get("expected") else { return outside(&got, case) };
    let allowed = [case["rtol"].as_f64().unwrap(), case["atol"].as_f64().unwrap()];
    difference(&got, &literal(want), allowed, beyond)
}

/// The elements of a random result that are outside of the range in the case, or its wrong shape.
#[allow(clippy::cast_precision_loss, reason = "ranges of random integers are small")]
fn outside(got: &Literal, case: &Json) -> Option<String> {
    let got = got.as_array().unwrap();
    let (low, high) = (case["lo"].as_f64().unwrap(), case["hi"].as_f64().unwrap());
    if got.shape().to_string() != case["expected_shape"].as_str().unwrap() {
        return Some(format!("shape {} instead of {}", got.shape(), case["expected_shape"]));
    }
    let is_normal = case["hlo"].as_str().unwrap().contains("rng_normal");
    let wrong = got.values().find(|value| match value {
        // Only uniform floats exclude the upper bound.
        Value::Float(x) => !(low..=high).contains(x) || !is_normal && *x >= high,
        Value::Int(x) => !(low..=high).contains(&(*x as f64)),
        Value::Uint(x) => !(low..=high).contains(&(*x as f64)),
        _ => true,
    })?;
    Some(format!("{wrong:?} is not within {low} and {high}"))
}

/// Runs every case.
pub fn every_case(kernels: Option<&Rc<dyn Kernels + '_>>, beyond: Tolerance) {
    let mut files: Vec<PathBuf> =
        fs::read_dir(data().join("goldens")).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "jsonl") && !f.ends_with("layout_text.jsonl"));
    files.sort();
    assert!(files.len() >= 63, "{} files", files.len());
    let (mut table, mut failures) = (String::new(), String::new());
    let mut passed = 0;
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let (mut good, mut bad) = (0, 0);
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            if let Some(problem) = problem(&case, kernels, beyond) {
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
}

fn number(json: &Json) -> Value {
    match json {
        Json::Bool(truth) => Value::Pred(*truth),
        Json::String(text) => Value::Float(text.parse().unwrap()),
        Json::Number(n) => n.as_i64().map_or_else(|| Value::Float(n.as_f64().unwrap()), Value::Int),
        other => panic!("{other}"),
    }
}

/// The numbers of nested lists, in order.
fn flat(json: &Json, out: &mut Vec<Value>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| flat(item, out)),
        item => out.push(number(item)),
    }
}

/// An array of a sample.
pub fn array(json: &Json, shape: &Shape) -> Literal {
    let mut values = Vec::new();
    flat(&json["value"], &mut values);
    ArrayLiteral::from_values(shape.as_array().unwrap().clone(), values).unwrap().into()
}

/// Runs a sample and compares with XLA's outputs: within 10⁻⁵ (bf16: 10⁻²) of 1 + |value|, plus `beyond`.
fn run_sample(name: &str, dialect: &str, kernels: Option<&Rc<dyn Kernels + '_>>, beyond: Tolerance) {
    let folder = data().join("hlo-samples");
    let parsed = parse(&fs::read_to_string(folder.join(format!("{name}.{dialect}.hlo"))).unwrap());
    assert_eq!(parsed.diagnostics, [], "{name}: a program from XLA has no diagnostics");
    let io: Json =
        serde_json::from_str(&fs::read_to_string(folder.join(format!("{name}.io.json"))).unwrap()).unwrap();
    let interface = parsed.module.interface().unwrap();
    let inputs = io["inputs"].as_array().unwrap();
    let arguments: Vec<Literal> =
        inputs.iter().zip(&interface.parameters).map(|(json, shape)| array(json, shape)).collect();
    let got = evaluate(&parsed.module, &arguments, kernels);
    let got = got.unwrap_or_else(|error| panic!("{name}.{dialect}: {error}"));
    let results: Vec<Literal> = match got {
        Literal::Tuple(elements) => elements,
        one => vec![one],
    };
    let outputs = io["outputs"].as_array().unwrap();
    assert_eq!(results.len(), outputs.len(), "{name}.{dialect}");
    let tolerance = if name.contains("bf16") { 1e-2 } else { 1e-5 };
    for (k, (got, want)) in results.iter().zip(outputs).enumerate() {
        let got = got.as_array().unwrap();
        let of = got.element_type();
        let mut wanted = Vec::new();
        flat(&want["value"], &mut wanted);
        let wanted: Vec<Value> = wanted.into_iter().map(|value| value.convert(of)).collect();
        let want = ArrayLiteral::from_values(got.shape().clone(), wanted).unwrap();
        let wrong = difference(&got.clone().into(), &want.into(), [tolerance, tolerance], beyond);
        assert_eq!(wrong, None, "{name}.{dialect} output {k}");
    }
}

/// Runs every program, as lowered by JAX and as compiled by XLA:CPU.
pub fn every_sample(kernels: Option<&Rc<dyn Kernels + '_>>, beyond: Tolerance) {
    let names = fs::read_dir(data().join("hlo-samples")).unwrap();
    let mut names: Vec<String> = names
        .filter_map(|e| Some(e.unwrap().file_name().to_str()?.strip_suffix(".io.json")?.to_owned()))
        .collect();
    names.sort();
    for name in &names {
        run_sample(name, "lowered", kernels, beyond);
        run_sample(name, "compiled", kernels, beyond);
    }
    assert_eq!(names.len(), 15);
}
