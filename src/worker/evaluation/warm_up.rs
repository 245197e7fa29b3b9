//! The tasks that kernels run before the first job. A browser compiles a module with its baseline compiler first, and
//! optimizes code only after it has run for some time. Without a warm-up, the first large op would take several times as
//! long as the next.
//!
//! One task per important family, each about a millisecond long, so that a job that arrives meanwhile starts soon.

use crate::kernels::task::{
    Array, Binary, Convolution, Dot, Map, Move, Reduce, ReduceWindow, Reducer, Softmax, Sort, Unary, Window,
};
use crate::kernels::{Task, Type, View};

/// Runs per task: enough for the optimizing compiler to start.
pub const REPETITIONS: usize = 3;

fn array(sizes: &[usize]) -> Array {
    Array::row_major(Type::F32, sizes)
}

const fn window(size: usize) -> Window {
    let padding = (size / 2).cast_signed();
    Window { size, stride: 1, low: padding, high: padding, base_dilation: 1, dilation: 1, is_reversed: false }
}

/// The tasks, with the cells of each of their buffers.
pub fn tasks() -> Vec<(Task, Vec<usize>)> {
    let dot = |m: usize, k: usize, n: usize| {
        let task = Task::Dot(Dot::matrix_product([Type::F32; 2], [m, k, n], [false; 3]));
        (task, vec![m * k, k * n, m * n])
    };
    let convolution = |inputs: usize, outputs: usize, size: usize| {
        let task = Task::Convolution(Convolution {
            lhs: array(&[1, inputs, 28, 28]),
            rhs: array(&[outputs, inputs, size, size]),
            out: array(&[1, outputs, 28, 28]),
            window: vec![window(size); 2],
            feature_groups: 1,
            batch_groups: 1,
        });
        (task, vec![inputs * 784, outputs * inputs * size * size, outputs * 784])
    };
    let square = [256, 256];
    let cells = 1 << 16;
    let reduce = |dimensions: &[usize], reducer| {
        let out = if dimensions.len() == 2 { array(&[]) } else { array(&[256]) };
        let count = out.view.elements();
        let task = Reduce { operand: array(&square), out, dimensions: dimensions.to_vec(), reducer };
        (Task::Reduce(task), vec![cells, 1, count])
    };
    let unary =
        |f| (Task::Unary(Map { operands: [array(&square)], out: array(&square), f }), vec![cells, cells]);
    let binary = |f| {
        let operands = [array(&square), array(&square)];
        (Task::Binary(Map { operands, out: array(&square), f }), vec![cells; 3])
    };
    let transpose = Move {
        ty: Type::F32,
        parts: vec![(View::row_major(&square).permuted(&[1, 0]), View::row_major(&square))],
        has_fill: false,
    };
    let pool = ReduceWindow {
        operand: array(&square),
        out: array(&square),
        window: vec![window(3); 2],
        reducer: Reducer::Max,
    };
    let sort = Sort {
        operands: vec![array(&square)],
        outs: vec![View::row_major(&square)],
        dimension: 1,
        is_descending: false,
        is_total_order: false,
        is_stable: true,
    };
    let softmax = Softmax { operand: array(&square), out: array(&square), dimension: 1 };
    vec![
        dot(128, 128, 128),
        convolution(32, 32, 3),
        convolution(32, 32, 1),
        reduce(&[1], Reducer::Add),
        reduce(&[0], Reducer::Add),
        reduce(&[0, 1], Reducer::Max),
        unary(Unary::Exponential),
        unary(Unary::Tanh),
        binary(Binary::Add),
        binary(Binary::Maximum),
        (Task::Move(transpose), vec![cells; 2]),
        (Task::ReduceWindow(pool), vec![cells, 1, cells]),
        (Task::Softmax(softmax), vec![cells; 2]),
        (Task::Sort(sort), vec![cells; 2]),
        dot(1, 512, 512),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::choose;

    #[test]
    fn every_task_has_a_kernel_and_is_short() {
        let mut names = Vec::new();
        for (task, cells) in tasks() {
            let (read, written) = cells.split_at(cells.len() - 1);
            assert!(task.check(read, written), "{task:?}");
            names.extend(choose(&task).map(|kernel| kernel.name));
            assert!(task.steps() <= 8_000_000, "{task:?}");
        }
        assert_eq!(names.len(), tasks().len());
        names.sort_unstable();
        names.dedup();
        assert!(names.len() >= 9, "{names:?}");
    }
}
