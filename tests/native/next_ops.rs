//! The ops that can be applied to a result: what they make of it runs, and the others say why not.

use std::rc::Rc;

use xla_playground::hlo::{Limits, parse};
use xla_playground::i18n::Language;
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::next::{NextOp, next_ops};
use xla_playground::state::experiment::run::FinishedRun;

fn next(shape: &str) -> Vec<NextOp> {
    let text = format!("HloModule m\n\nENTRY e {{\n  ROOT x = {shape} parameter(0)\n}}\n");
    let module = parse(&text).into_module().unwrap();
    next_ops(&Experiment::from_text(text), &module)
}

fn taking(all: &[NextOp]) -> Vec<&'static str> {
    all.iter().filter(|next| next.outcome.is_ok()).map(|next| next.meta.opcode).collect()
}

#[test]
fn the_common_ops_take_a_matrix_with_operands_made_for_it() {
    for shape in ["f32[2,3]", "s32[4,4]", "f32[5]", "bf16[2,3,4]"] {
        let all = next(shape);
        let found = taking(&all);
        for opcode in [
            "add",
            "negate",
            "broadcast",
            "reshape",
            "transpose",
            "reverse",
            "slice",
            "pad",
            "concatenate",
            "reduce",
            "reduce-window",
            "dot",
            "select",
            "clamp",
            "compare",
            "convert",
            "sort",
            "dynamic-slice",
            "dynamic-update-slice",
            "map",
            "gather",
            "scatter",
            "select-and-scatter",
            "copy",
            "call",
        ] {
            let why = all.iter().find(|next| next.meta.opcode == opcode).map(|next| next.outcome.clone());
            assert!(found.contains(&opcode), "{opcode} of {shape}: {why:?}");
        }
    }
    assert!(taking(&next("f32[1,3,8,8]")).contains(&"convolution"));
}

#[test]
fn what_takes_a_value_runs_on_it_and_the_others_say_why() {
    for shape in ["f32[2,3]", "pred[4]", "u8[]", "c64[2,2]", "(f32[2], s32[])"] {
        for NextOp { meta, outcome } in next(shape) {
            let name = format!("{} of {shape}", meta.opcode);
            match outcome {
                Ok(experiment) => {
                    let module = Rc::new(parse(&experiment.text).into_module().unwrap());
                    assert!(experiment.text.contains(&format!("{}(", meta.opcode)), "{name}");
                    // A loop over a value that does not grow has no end.
                    if !Needs::new(&module).requires_simulation() && meta.opcode != "while" {
                        let run = FinishedRun::run(&experiment, &module, Limits::default());
                        assert!(run.is_ok(), "{name}: {:?}\n{}", run.err(), experiment.text);
                    }
                }
                Err(reason) => assert!(reason.localize(Language::ENGLISH).len() > 10, "{name}"),
            }
        }
    }
}

#[test]
fn reasons_name_nothing_that_only_the_example_has() {
    for NextOp { meta, outcome } in next("s32[2,2]") {
        if let Err(reason) = outcome {
            let reason = reason.localize(Language::ENGLISH);
            for internal in ["braces deep", "must be used once", "that it ends"] {
                assert!(!reason.contains(internal), "{}: {reason}", meta.opcode);
            }
        }
    }
}

#[test]
fn an_op_of_another_type_is_rejected_for_its_type() {
    let all = next("f32[2,3]");
    let and = all.iter().find(|next| next.meta.opcode == "and").unwrap();
    let reason = and.outcome.clone().unwrap_err().localize(Language::ENGLISH);
    assert!(reason.contains("f32"), "{reason}");
}
