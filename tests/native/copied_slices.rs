//! The slices that pictures frame: each is within the operand, contains the source of its cell, and has the sizes of the op.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use xla_playground::array::index::multi_index;
use xla_playground::array::{Dims, Edition};
use xla_playground::hlo::Limits;
use xla_playground::ops::{CellAt, Role};
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::preset;
use xla_playground::state::experiment::run::FinishedRun;
use xla_playground::state::experiment::session::Session;

/// The slices of the output cells of a program, as text; none for a cell that is not copied from a slice.
fn slices(experiment: &Experiment) -> Vec<Option<String>> {
    let session = Session::new(experiment.clone());
    let module = session.module();
    let limits = Limits { steps: 100_000, bytes: 1 << 20 };
    let finished = FinishedRun::run(experiment, module, limits).unwrap();
    let (focus, instruction) = session.focus().unwrap();
    let shape = instruction.shape.as_array().unwrap();
    let operand = module.entry_computation().unwrap().get(instruction.operands[0]).unwrap();
    let bounds = &operand.shape.as_array().unwrap().dimensions;
    let cells = 0..shape.dimensions.iter().product();
    let slice_of = |cell| {
        let index = multi_index(cell, &shape.dimensions);
        let sources = finished.sources(focus, &CellAt::array(&index)).unwrap();
        let (sliced, parts) = finished.copied_slice(focus, &index, &sources)?;
        let source = sources.iter().find(|source| source.role == Role::Value).unwrap();
        assert_eq!((sliced, source.operand), (0, 0));
        let at = &source.cell.index;
        let contains = |[first, last]: &[Dims; 2]| {
            at.iter().zip(first).zip(last).all(|((x, first), last)| (first..=last).contains(&x))
        };
        assert!(parts.iter().any(contains), "{}: the slice contains the source", experiment.text);
        for [first, last] in &parts {
            let is_inside =
                first.iter().zip(last).zip(bounds).all(|((a, b), bound)| 0 <= *a && a <= b && b < bound);
            assert!(is_inside, "{}: the slice is inside", experiment.text);
        }
        Some(xla_playground::view::sources::slice_text(&parts))
    };
    cells.map(slice_of).collect()
}

/// The slices of an example of an op.
fn slices_of_example(opcode: &str, number: usize) -> Vec<Option<String>> {
    let found = preset::all().find(|preset| preset.meta.opcode == opcode && preset.number == number);
    slices(&found.unwrap().experiment())
}

fn texts(slices: &[Option<String>]) -> Vec<&str> {
    slices.iter().map(|slice| slice.as_deref().unwrap_or("none")).collect()
}

#[test]
fn gather_copies_a_slice_per_index_vector() {
    assert_eq!(texts(&slices_of_example("gather", 0)), ["[2:3,0:2]", "[2:3,0:2]", "[0:1,0:2]", "[0:1,0:2]"]);
    // One per row: along the batching dimension the slice starts at the batch index.
    assert_eq!(texts(&slices_of_example("gather", 1)), ["[0:1,2:3]", "[1:2,1:2]"]);
    // Clamped.
    assert_eq!(texts(&slices_of_example("gather", 2)), ["[0:1]", "[0:1]", "[4:5]", "[4:5]"]);
}

#[test]
fn dynamic_slice_copies_one_slice() {
    assert_eq!(texts(&slices_of_example("dynamic-slice", 1)), ["[2:4,1:3]"; 4]);
    assert_eq!(texts(&slices_of_example("dynamic-slice", 3)), ["[3:5]"; 2]);
}

#[test]
fn of_a_slice_that_wraps_around_every_part_is_framed() {
    let mut experiment = Experiment::from_text(
        "HloModule m ENTRY e { a = s32[8] constant({0,1,2,3,4,5,6,7}) s = s32[1] constant({6})
         ROOT r = s32[4] dynamic-slice(a, s), dynamic_slice_sizes={4} }",
    );
    experiment.edition = Edition::V2017;
    assert_eq!(texts(&slices(&experiment)), ["[6:8], [0:2]"; 4]);
}

#[test]
fn other_ops_copy_no_slices() {
    assert!(slices_of_example("reverse", 0).iter().all(Option::is_none));
}
