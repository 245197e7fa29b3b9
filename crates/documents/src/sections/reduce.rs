//! Reduce.

use super::computations::{ADD, ADD_S32};
use crate::entry::{Entry, Section, argument};
use crate::example::{Example, ExpectedResult, documented, example, undocumented};

/// The documentation's matrix.
const MATRIX: &[&[&str]] = &[&["{{1, 2, 3}, {4, 5, 6}}", "0"]];

/// The documentation's array of rank 3: 1 to 6, replicated across dimension 0.
const CUBE: &[&[&str]] = &[&[
    "{{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}}",
    "0",
]];

/// An example that reduces an array by addition.
const fn sum_example(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    values: &'static [&'static [&'static str]],
    expected: ExpectedResult,
) -> Example {
    example(call, title, instructions, values, expected).with_computations(&[ADD])
}

/// Reduces the vector with the evaluator, and in the two association orders that the documentation gives.
const ASSOCIATION_ORDERS: &str = "x = s32[4] parameter(0)
    init_value = s32[] parameter(1)
    reduced = s32[] reduce(x, init_value), dimensions={0}, to_apply=f
    x10 = s32[] constant(10)
    x11 = s32[] constant(11)
    x12 = s32[] constant(12)
    x13 = s32[] constant(13)
    a13 = s32[] call(init_value, x13), to_apply=f
    a12 = s32[] call(x12, a13), to_apply=f
    a11 = s32[] call(x11, a12), to_apply=f
    nested = s32[] call(x10, a11), to_apply=f
    b11 = s32[] call(init_value, x11), to_apply=f
    b10 = s32[] call(x10, b11), to_apply=f
    b12 = s32[] call(init_value, x12), to_apply=f
    b13 = s32[] call(x13, init_value), to_apply=f
    b = s32[] call(b12, b13), to_apply=f
    b_all = s32[] call(b10, b), to_apply=f
    init_repeated = s32[] call(init_value, b_all), to_apply=f
    ROOT all = (s32[], s32[], s32[]) tuple(reduced, nested, init_repeated)";

/// The reducer `f` of [`ASSOCIATION_ORDERS`].
const F: &str = "f {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT sum = s32[] add(a, b)
}";

/// The section `Reduce` of the 2017 Operation Semantics.
pub const REDUCE: Section = Section {
    name: "Reduce",
    builder_method: Some("Reduce"),
    entries: &[Entry {
        name: "Reduce",
        opcode: "reduce",
        other_opcodes: &["tuple"],
        signatures: &["Reduce(operand, init_value, computation, dimensions)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("init_value", "ComputationDataHandle", "argument-reduce-init"),
            argument("computation", "Computation", "argument-reduce-computation"),
            argument("dimensions", "int64 array", "argument-reduce-dimensions"),
        ],
        text: "entry-reduce",
        current_docs_anchor: Some("reduce"),
        search_words: &[
            "sum",
            "fold",
            "mean",
            "reduce_sum",
            "reduce_max",
            "argmax",
            "softmax",
            "norm",
            "aggregate",
        ],
        examples: &[
            sum_example(
                "Reduce(matrix, 0, add, {0})",
                "example-reduce-matrix-0",
                "matrix = f32[2,3] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT reduced = f32[3] reduce(matrix, init_value), dimensions={0}, to_apply=add",
                MATRIX,
                undocumented!(reason: "reason-figure", "f32[3] {5, 7, 9}"),
            ),
            sum_example(
                "Reduce(matrix, 0, add, {1})",
                "example-reduce-matrix-1",
                "matrix = f32[2,3] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT reduced = f32[2] reduce(matrix, init_value), dimensions={1}, to_apply=add",
                MATRIX,
                undocumented!(reason: "reason-figure", "f32[2] {6, 15}"),
            ),
            sum_example(
                "Reduce(cube, 0, add, {0})",
                "example-reduce-cube-0",
                "cube = f32[4,2,3] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT reduced = f32[2,3] reduce(cube, init_value), dimensions={0}, to_apply=add",
                CUBE,
                documented!("f32[2,3] {{4, 8, 12}, {16, 20, 24}}"),
            ),
            sum_example(
                "Reduce(cube, 0, add, {2})",
                "example-reduce-cube-2",
                "cube = f32[4,2,3] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT reduced = f32[4,2] reduce(cube, init_value), dimensions={2}, to_apply=add",
                CUBE,
                documented!("f32[4,2] {{6, 15}, {6, 15}, {6, 15}, {6, 15}}"),
            ),
            sum_example(
                "Reduce(cube, 0, add, {0, 1})",
                "example-reduce-cube-01",
                "cube = f32[4,2,3] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT reduced = f32[3] reduce(cube, init_value), dimensions={0,1}, to_apply=add",
                CUBE,
                documented!("f32[3] {20, 28, 36}"),
            ),
            sum_example(
                "Reduce(cube, 0, add, {0, 1, 2})",
                "example-reduce-cube-all",
                "cube = f32[4,2,3] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT reduced = f32[] reduce(cube, init_value), dimensions={0,1,2}, to_apply=add",
                CUBE,
                documented!("f32[] 84"),
            ),
            example(
                "Reduce([10, 11, 12, 13], init_value, f, {0})",
                "example-reduce-vector",
                "x = s32[4] parameter(0)
                 init_value = s32[] parameter(1)
                 ROOT reduced = s32[] reduce(x, init_value), dimensions={0}, to_apply=add",
                &[&["{10, 11, 12, 13}", "0"]],
                undocumented!(reason: "reason-docs-give-no-values", "s32[] 46"),
            )
            .with_computations(&[ADD_S32]),
            example(
                "f(10, f(11, f(12, f(init_value, 13)))",
                "example-reduce-nestings",
                ASSOCIATION_ORDERS,
                &[&["{10, 11, 12, 13}", "0"]],
                undocumented!(reason: "reason-docs-give-no-values", "(s32[], s32[], s32[]) (46, 46, 46)"),
            )
            .with_computations(&[F]),
            example(
                "f(init_value, f(f(10, f(init_value, 11)), f(f(init_value, 12), f(13, init_value))))",
                "example-reduce-init-anywhere",
                ASSOCIATION_ORDERS,
                &[&["{10, 11, 12, 13}", "1"]],
                undocumented!(reason: "reason-any-order", "(s32[], s32[], s32[]) (47, 47, 50)"),
            )
            .with_computations(&[F]),
            sum_example(
                "Reduce([1e8, 1, -1e8, 1], 0, add, {0})",
                "example-reduce-not-associative",
                "x = f32[4] parameter(0)
                 init_value = f32[] parameter(1)
                 reduced = f32[] reduce(x, init_value), dimensions={0}, to_apply=add
                 reversed = f32[4] reverse(x), dimensions={0}
                 backwards = f32[] reduce(reversed, init_value), dimensions={0}, to_apply=add
                 pairs = f32[2,2] reshape(x)
                 columns = f32[2] reduce(pairs, init_value), dimensions={0}, to_apply=add
                 by_columns = f32[] reduce(columns, init_value), dimensions={0}, to_apply=add
                 ROOT sums = (f32[], f32[], f32[]) tuple(reduced, backwards, by_columns)",
                &[&["{1e8, 1, -1e8, 1}", "0"]],
                undocumented!(reason: "reason-any-order", "(f32[], f32[], f32[]) (1, 0, 2)"),
            ),
        ],
        ..Entry::EMPTY
    }],
};
