//! The Program screen: every sample program, lowered, compiled and as StableHLO, is opened, run and drawn, and its result is
//! that of XLA.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use harness::{Page, Test};
use serde_json::Value;

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};
use crate::program::READY;

// Parser, plan and kernels are the same code in both: Firefox runs each sample in one of its forms.
pub const TESTS: &[Test] = harness::tests![
    every_sample_runs_as_in_xla: IN_CHROME,
    every_sample_in_one_form_runs_as_in_xla: IN_FIREFOX,
];

/// The forms of each sample.
const FORMS: [&str; 3] = ["lowered.hlo", "compiled.hlo", "stablehlo.mlir"];

/// The relative tolerance of floats: XLA sums in another order, and its elementary functions differ by some ulps.
const TOLERANCE: f64 = 1e-4;
/// The relative tolerance of results computed in bf16, whose ulp is 2⁻⁸.
const BF16_TOLERANCE: f64 = 2e-2;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/hlo-samples")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Text as part of a link.
fn encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(letter).collect()
}

/// The program with another name, by which the page shows that it has read this one.
fn renamed(text: &str, name: &str) -> String {
    let start = ["HloModule ", "module @"].iter().find_map(|word| Some(text.find(word)? + word.len()));
    let start = start.expect("a module");
    let length = text[start..].find(|c: char| !(c.is_alphanumeric() || c == '_')).expect("an end");
    format!("{}{name}{}", &text[..start], &text[start + length..])
}

/// The numbers of a result in JSON, in order.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| numbers(part, found)),
        Value::Object(fields) => {
            for part in ["tuple", "values", "value", "outputs"].iter().filter_map(|name| fields.get(*name)) {
                numbers(part, found);
            }
        }
        Value::Bool(truth) => found.push(f64::from(u8::from(*truth))),
        Value::String(text) => found.push(text.parse().unwrap_or_else(|_| panic!("no number: {text}"))),
        other => found.push(other.as_f64().unwrap_or_else(|| panic!("no number: {other}"))),
    }
}

/// The value that the page saves as JSON.
fn saved(page: &Page) -> Vec<f64> {
    page.run(
        "window.saved = null;
         const make = URL.createObjectURL;
         URL.createObjectURL = (blob) => {
             blob.text().then((text) => { window.saved = text; });
             URL.createObjectURL = make;
             return make.call(URL, blob);
         };",
    );
    page.click("#save-json");
    page.wait_for("window.saved !== null");
    let json: String = page.eval("window.saved");
    let mut found = Vec::new();
    numbers(&serde_json::from_str(&json).expect("JSON"), &mut found);
    found
}

fn every_sample_runs_as_in_xla(page: &Page) {
    assert_eq!(run_samples(page, |_| FORMS.to_vec()), 45);
}

fn every_sample_in_one_form_runs_as_in_xla(page: &Page) {
    assert_eq!(run_samples(page, |number| vec![FORMS[number % FORMS.len()]]), 15);
}

/// Runs the samples in the forms that are chosen by their numbers; returns the number of programs.
#[track_caller]
fn run_samples(page: &Page, forms: impl Fn(usize) -> Vec<&'static str>) -> usize {
    let files =
        std::fs::read_dir(folder()).expect("the samples").map(|entry| entry.expect("a file").file_name());
    let mut samples: Vec<String> =
        files.filter_map(|file| Some(file.to_str()?.strip_suffix(".io.json")?.to_owned())).collect();
    samples.sort();
    assert_eq!(samples.len(), 15);
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let mut opened = 0;
    for (number, sample) in samples.iter().enumerate() {
        let known: Value = serde_json::from_str(&read(&format!("{sample}.io.json"))).expect("JSON");
        let mut expected = Vec::new();
        numbers(&known["outputs"], &mut expected);
        let inputs = known["inputs"].as_array().expect("inputs").iter().enumerate();
        let mut arguments = String::new();
        for (place, input) in inputs {
            let literal = input["value"].to_string().replace('[', "{").replace(']', "}");
            let _ = write!(arguments, ";v{place}=typed.{}", encoded(&literal));
        }
        for form in forms(number) {
            opened += 1;
            let name = format!("sample_{opened}");
            let text = renamed(&read(&format!("{sample}.{form}")), &name);
            let fragment = format!("#program1/t.{}{arguments}", encoded(&text));
            page.run(&format!("location.hash = {};", quoted(&fragment)));
            page.wait_for(&format!(
                "document.querySelector('#program-name')?.innerText === {}",
                quoted(&name)
            ));
            page.wait_for(READY);
            page.wait_for("document.querySelector('.run-status')?.dataset.run === 'done'");
            page.wait_for("document.querySelector('#program-grid')");
            let found = saved(page);
            assert_eq!(found.len(), expected.len(), "{sample}.{form}");
            let is_bf16 = sample.contains("bf16");
            let tolerance = if is_bf16 { BF16_TOLERANCE } else { TOLERANCE };
            for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(
                    (found - expected).abs() <= tolerance * expected.abs().max(0.01)
                        || found.total_cmp(expected).is_eq(),
                    "{sample}.{form}: number {place} is {found}, in XLA {expected}"
                );
            }
            page.click("#view-graph");
            page.wait_for(
                "document.querySelector('#graph-surface')?.dataset.version && document.querySelector('.graph-plane canvas')",
            );
        }
    }
    opened
}
