//! Plans have the evaluator's bits: every golden case and program of XLA, with kernels for every task, for large ones, and for
//! none but those whose results are exact.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::rc::Rc;

use crate::golden::literal;
use serde_json::Value as Json;
use test_support::data;
use xla_playground::array::Literal;
use xla_playground::hlo::eval::kernel::{InProcess, Kernels, MIN_KERNEL_WORK};
use xla_playground::hlo::{Evaluator, Limits, Module, parse};
use xla_playground::plan::{Options, Plan, RunError, Runner};

/// How many modules had a plan, and why others have none.
#[derive(Default)]
struct Counts {
    planned: usize,
    rejected: BTreeMap<String, usize>,
    /// The modules whose plans rejected to run.
    rejected_runs: BTreeSet<String>,
    /// The modules whose results differ, with the difference.
    wrong: Vec<String>,
}

/// Compares a plan with the evaluator.
fn compare(name: &str, module: &Module, arguments: &[Literal], counts: &mut Counts) {
    let kernels: Rc<dyn Kernels> = Rc::new(InProcess::default());
    for min_kernel_work in [0, MIN_KERNEL_WORK, u64::MAX] {
        for constant_parameters in [0, arguments.len() / 2] {
            let plan = match Plan::compile(module, Options { min_kernel_work, constant_parameters }) {
                Ok(plan) => plan,
                Err(unsupported) => {
                    *counts.rejected.entry(format!("{:?}", unsupported.reason)).or_default() += 1;
                    return;
                }
            };
            let by_evaluator =
                Evaluator::new(module).kernels(kernels.clone(), min_kernel_work).run(arguments);
            let arguments: Vec<&Literal> = arguments.iter().collect();
            let mut runner = Runner::new(Rc::new(plan));
            for _ in 0..3 {
                match (runner.run(&arguments, Limits::default(), None), &by_evaluator) {
                    (Ok(got), Ok(want)) => {
                        if got != *want {
                            counts.wrong.push(format!("{name}, {min_kernel_work}: {got} instead of {want}"));
                        }
                    }
                    (Err(RunError::Failed(got)), Err(want)) => {
                        if got.error.rule != want.error.rule {
                            counts.wrong.push(format!("{name}: {got} instead of {want}"));
                        }
                    }
                    (Err(RunError::Rejected), _) => {
                        counts.rejected_runs.insert(name.to_owned());
                        return;
                    }
                    (got, want) => {
                        counts.wrong.push(format!("{name}, {min_kernel_work}: {got:?} instead of {want:?}"));
                    }
                }
            }
        }
    }
    counts.planned += 1;
}

#[test]
fn plans_have_the_bits_of_the_evaluator() {
    let mut counts = Counts::default();
    let mut files: Vec<_> =
        fs::read_dir(data().join("goldens")).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "jsonl") && !f.ends_with("layout_text.jsonl"));
    files.sort();
    for file in files {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            let parsed = parse(case["hlo"].as_str().unwrap());
            let Some(arguments) = case["args"].as_array().filter(|_| parsed.error().is_none()) else {
                continue;
            };
            let arguments: Vec<Literal> = arguments.iter().map(literal).collect();
            compare(&format!("{file:?} {}", case["name"]), &parsed.module, &arguments, &mut counts);
        }
    }
    println!("{} planned, rejected {:?}", counts.planned, counts.rejected);
    assert!(counts.wrong.is_empty(), "{} differ:\n{}", counts.wrong.len(), counts.wrong.join("\n"));
    // A rejection by a kernel that the plan has chosen is an error.
    assert_eq!(counts.rejected_runs, BTreeSet::new());
    assert!(counts.planned > 3_000, "{} planned, rejected {:?}", counts.planned, counts.rejected);
}
