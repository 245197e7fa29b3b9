//! The output cells that depend on a cell of an operand, or of a parameter through all instructions between.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::rc::Rc;

use xla_playground::array::index::multi_index;
use xla_playground::hlo::{Limits, parse};
use xla_playground::ops::CellAt;
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::run::{FinishedRun, UsedArrays};

#[test]
fn a_parameter_cell_is_followed_through_the_whole_chain() {
    let text = "HloModule m ENTRY e { x = s32[2,3] parameter(0) t = s32[3,2] transpose(x), dimensions={1,0}
        s = s32[1,2] slice(t), slice={[1:2], [0:2]} ROOT r = s32[1,2] negate(s) }";
    let module = Rc::new(parse(text).into_module().unwrap());
    let finished = FinishedRun::run(&Experiment::from_text(text), &module, Limits::default()).unwrap();
    let root = module.entry_computation().unwrap().root.unwrap();
    let uses = |arrays, cell: &[i64]| -> Vec<Vec<i64>> {
        let uses = finished.uses(root, arrays, 0, &CellAt::array(cell)).unwrap();
        uses.into_iter().map(|cell| cell.index.into_vec()).collect()
    };
    assert_eq!(uses(UsedArrays::Parameters, &[1, 1]), [[0, 1]]);
    assert_eq!(uses(UsedArrays::Parameters, &[1, 2]), Vec::<Vec<i64>>::new(), "the slice leaves it out");
    assert_eq!(uses(UsedArrays::Operands, &[0, 1]), [[0, 1]]);
    // The inverse of the origins.
    for cell in (0..6).map(|number| multi_index(number, &[2, 3])) {
        for output in (0..2).map(|number| multi_index(number, &[1, 2])) {
            let origins = finished.origins(root, &CellAt::array(&output)).unwrap();
            let is_origin = origins.iter().any(|origin| origin.cell.index == cell);
            assert_eq!(uses(UsedArrays::Parameters, &cell).contains(&output.to_vec()), is_origin);
        }
    }
}
