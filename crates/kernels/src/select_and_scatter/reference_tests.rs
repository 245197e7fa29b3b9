//! Select-and-scatter: every window and layout, ties and NaN, against a loop over the elements of each window.

use crate::task::{Direction, Reducer, SelectAndScatter};
use crate::{Task, View};

use crate::testing::{Random, floats, floats_of, same, slots};
use crate::window::reference_tests::{case, covered_slots};

#[test]
fn sources_are_added_to_selected_elements() {
    let mut random = Random::new(41);
    for round in 0..600 {
        let case = case(&mut random);
        let select = [Direction::Ge, Direction::Gt, Direction::Le, Direction::Lt][round % 4];
        let ((from, elements), (to, out_elements)) = (random.layout(&case.sizes), random.layout(&case.sizes));
        let (source, source_elements) = random.layout(&case.positions);
        let task = SelectAndScatter {
            operand: floats(&from),
            source: floats(&source),
            out: floats(&to),
            window: case.window.clone(),
            select,
            scatter: Reducer::Add,
        };
        let x: Vec<f32> = (0..elements)
            .map(|_| if random.below(9) == 0 { f32::NAN } else { random.below(3) as f32 })
            .collect();
        let source_values: Vec<f32> = (0..source_elements).map(|_| random.float()).collect();
        let out =
            floats_of(&Task::SelectAndScatter(task.clone()), &[&x, &source_values, &[0.5]], out_elements);
        // By number of the element, in row-major order.
        let numbers = covered_slots(&case, &View::row_major(&case.sizes));
        let (from, to) = (slots(&from), slots(&to));
        let mut expected = vec![0.5f32; to.len()];
        for (group, slot) in numbers.iter().zip(slots(&source)) {
            let selected = group.iter().copied().reduce(|selected, next| {
                let (a, b) = (x[from[selected]], x[from[next]]);
                let stays = match select {
                    Direction::Ge => a >= b,
                    Direction::Gt => a > b,
                    Direction::Le => a <= b,
                    _ => a < b,
                };
                if stays { selected } else { next }
            });
            if let Some(selected) = selected {
                expected[selected] += source_values[slot];
            }
        }
        for (slot, expected) in to.iter().zip(&expected) {
            assert!(same(out[*slot], *expected), "{task:?}: {} for {expected}", out[*slot]);
        }
    }
}
