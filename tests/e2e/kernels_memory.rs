//! The memory of the kernel modules: scratch memory is bounded, and runs leak nothing.

use harness::{Page, Test};
use xla_playground::kernels::Type;
use xla_playground::kernels::task::{Reducer, Unary};

use crate::cases::{
    Case, WindowParams, convert, convolution, dot, large, pool, reduce, softmax, sort, transpose, unary,
};
use crate::module::{measure_memory, start};

use crate::app::{IN_CHROME, IN_FIREFOX};

pub const TESTS: &[Test] = harness::tests![
    scratch_is_at_most_a_quarter_of_the_buffers_plus_8_mib: IN_FIREFOX,
    a_thousand_runs_leave_the_memory_as_it_was: IN_CHROME
];

fn scratch_is_at_most_a_quarter_of_the_buffers_plus_8_mib(page: &Page) {
    start(page);
    for case in large() {
        for module in ["strict", "fast"] {
            let memory = measure_memory(page, module, &case, 1);
            let bytes = 4 * case.buffer_lengths.iter().sum::<usize>();
            assert_eq!(memory.status, 0);
            assert!(memory.scratch <= bytes / 4 + (8 << 20), "{module}, {}: {memory:?}", case.name);
            assert!(memory.scratch > 0 && memory.peak >= bytes, "{module}, {}: {memory:?}", case.name);
        }
    }
}

fn a_thousand_runs_leave_the_memory_as_it_was(page: &Page) {
    start(page);
    let (f32, square) = (Type::F32, [80, 90]);
    let cases = [
        Case::new("dot", dot(f32, [48, 66, 52], [false, true, false])),
        Case::new("few rows", dot(f32, [3, 66, 52], [false; 3])),
        Case::new("dot s64", dot(Type::S64, [16, 17, 18], [false; 3])),
        Case::new(
            "convolution",
            convolution(f32, [16, 32, 1], &[14, 14], WindowParams::same(3, 1, 1), &[0, 1, 2, 3]),
        ),
        Case::new(
            "depthwise",
            convolution(f32, [16, 16, 16], &[14, 14], WindowParams::same(3, 1, 1), &[0, 2, 3, 1]),
        ),
        Case::new("reduce", reduce(f32, &square, &[1, 0], &[0], Reducer::Max)),
        Case::new("pool", pool(f32, &square, &[3, 3], 2, Reducer::Add)),
        Case::new("unary", unary(f32, &square, Unary::Tanh)),
        Case::new("convert", convert(f32, Type::BF16, &square)),
        Case::new("transpose", transpose(f32, &square, &[1, 0])),
        Case::new("sort", sort(f32, &square, 1)),
        Case::new("softmax", softmax(f32, &square, 0)),
    ];
    for module in ["strict", "fast"] {
        // The kernels that differ in the fast module come first.
        for case in cases.iter().take(if module == "fast" { 5 } else { cases.len() }) {
            let memory = measure_memory(page, module, case, 1000);
            assert_eq!(memory.status, 0, "{module}, {}", case.name);
            assert_eq!(memory.after_last_run, memory.after_ten_runs, "{module}, {}: {memory:?}", case.name);
        }
    }
}
