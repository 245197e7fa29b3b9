//! *Operation Semantics*, "Concatenate".

use std::rc::Rc;

use xla_playground::experiment::Experiment;
use xla_playground::experiment::run::FinishedRun;
use xla_playground::hlo::{Limits, parse};
use xla_playground::ops::CellAt;
use xla_playground::view::derivation::derivation;

/// Row 59: the other dimensions must be equal, and the message says which operand differs from which.
#[test]
fn the_message_of_ragged_operands_numbers_them() {
    let message = |shapes: [&str; 3]| {
        let [a, b, c] = shapes;
        let text = format!(
            "HloModule m\nENTRY e {{ a = {a} parameter(0) b = {b} parameter(1) c = {c} parameter(2)
             ROOT r = concatenate(a, b, c), dimensions={{0}} }}"
        );
        let parsed = parse(&text);
        let error = parsed.error().unwrap();
        (error.rule, error.message.to_string())
    };
    let (rule, text) = message(["f32[1,1]", "f32[3,2]", "f32[1,1]"]);
    assert_eq!(rule, "concatenate-4");
    assert_eq!(text, "operand 0 is f32[1,1], operand 1 is f32[3,2]; their sizes must match");
    let (rule, text) = message(["f32[1,1]", "f32[3,1]", "s32[1,1]"]);
    assert_eq!(rule, "concatenate-3");
    assert_eq!(text, "operand 0 is f32[1,1], operand 2 is s32[1,1]; their types must be the same");
}

/// Row 63: the working of a cell of the diagram says which operand it came from.
#[test]
fn the_working_line_numbers_the_operand() {
    let text = "HloModule m\nENTRY e { a = s32[3,2] constant({{1, 2}, {3, 4}, {5, 6}}) b = s32[1,2] constant({{7, 8}})
                ROOT r = concatenate(a, b), dimensions={0} }";
    let module = Rc::new(parse(text).into_module().unwrap());
    let root = module.entry_computation().unwrap().root.unwrap();
    let finished =
        FinishedRun::run(&Experiment::from_text(text.to_owned()), &module, Limits::default()).unwrap();
    let working = |index: &[i64]| {
        let cell = CellAt::array(index);
        let sources = finished.sources(root, &cell).unwrap();
        derivation(&finished, root, &cell, &sources).unwrap().text()
    };
    assert_eq!(working(&[3, 0]), "out[3,0] = operand_1[0,0] = 7");
    assert_eq!(working(&[2, 1]), "out[2,1] = operand_0[2,1] = 6");
}
