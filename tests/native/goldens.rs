//! Golden cases from XLA: values, layouts, printed text, and invalid modules.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

use std::cell::Cell;
use std::fs;
use std::rc::Rc;

use crate::golden::{Tolerance, every_case, every_sample};
use serde_json::Value as Json;
use test_support::data;
use xla_playground::array::literal::Buffer;
use xla_playground::hlo::eval::kernel::{InProcess, Kernels, KernelsError, Mode};
use xla_playground::hlo::{PrintOptions, parse};
use xla_playground::kernels::Task;

/// Strict kernels in this process, with the number of tasks that they ran.
#[derive(Default)]
struct Counted(InProcess, Cell<usize>);

impl Kernels for Counted {
    fn mode(&self) -> Mode {
        self.0.mode()
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError> {
        self.1.set(self.1.get() + 1);
        self.0.run(task, read, written, tick)
    }
}

#[test]
fn every_case_passes() {
    every_case(None, Tolerance::NONE);
}

#[test]
fn every_case_passes_with_kernels() {
    let counted = Rc::new(Counted::default());
    let kernels: Rc<dyn Kernels> = counted.clone();
    every_case(Some(&kernels), Tolerance::NONE);
    assert!(counted.1.get() > 1_500, "kernels were given {} tasks only", counted.1.get());
}

/// Prints, parses and prints again, in both forms.
fn assert_stable(text: &str, name: &str) {
    let parsed = parse(text);
    for options in [PrintOptions::SHORT, PrintOptions::LONG] {
        let printed = parsed.module.text(options);
        let again = parse(&printed);
        assert_eq!(again.module.text(options), printed, "{name}");
        // XLA also prints what only the rules of layouts reject.
        let only_of_opcodes = again.diagnostics.iter().all(|d| d.rule.starts_with("layout-"));
        assert!(only_of_opcodes, "{name}: {:?} in\n{printed}", again.diagnostics);
    }
}

#[test]
fn printing_and_parsing_round_trips() {
    let (mut printed_by_xla, mut stable) = (0, 0);
    let folder = data().join("goldens");
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
    let folder = data().join("hlo-samples");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "hlo") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let parsed = parse(&text);
        let diagnostics: Vec<String> = parsed
            .diagnostics
            .iter()
            .filter(|d| d.rule != "hlo-opcode")
            .map(|d| format!("{}:{:?}: {d}", path.display(), d.position(&text)))
            .collect();
        assert!(diagnostics.is_empty(), "{diagnostics:#?}");
        assert_stable(&text, &path.display().to_string());
        // The long form is the input, except for operand shapes and similar, which these texts lack.
        let long = parsed.module.text(PrintOptions::LONG);
        if path.to_string_lossy().contains("compiled") {
            let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(bare(&long), bare(&text), "{}", path.display());
        } else {
            // XLA's order of computations depends on an order of instructions that the text does not contain.
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

#[test]
fn programs_give_the_outputs_of_xla() {
    every_sample(None, Tolerance::NONE);
    let kernels: Rc<dyn Kernels> = Rc::new(InProcess::default());
    every_sample(Some(&kernels), Tolerance::NONE);
}
