//! Select and Sort.

use crate::entry::{Entry, Section, argument};
use crate::example::{documented, example, undocumented};
use xla_array::Edition;

/// The section `Select` of the 2017 Operation Semantics.
pub const SELECT: Section = Section {
    name: "Select",
    builder_method: Some("Select"),
    entries: &[Entry {
        name: "Select",
        opcode: "select",
        signatures: &["Select(pred, on_true, on_false)"],
        arguments: &[
            argument("pred", "ComputationDataHandle", "argument-select-pred"),
            argument("on_true", "ComputationDataHandle", "argument-select-true"),
            argument("on_false", "ComputationDataHandle", "argument-select-false"),
        ],
        text: "entry-select",
        current_docs_anchor: Some("select"),
        search_words: &["where", "mask", "ternary", "if else", "blend"],
        examples: &[
            example(
                "Select(pred, v1, v2)",
                "example-select-array",
                "predicate = pred[4] parameter(0)
                 v1 = s32[4] parameter(1)
                 v2 = s32[4] parameter(2)
                 ROOT selected = s32[4] select(predicate, v1, v2)",
                &[&["{true, false, false, true}", "{1, 2, 3, 4}", "{100, 200, 300, 400}"]],
                documented!("s32[4] {1, 200, 300, 4}"),
            ),
            example(
                "Select(pred, v1, v2)",
                "example-select-scalar",
                "predicate = pred[] parameter(0)
                 v1 = s32[4] parameter(1)
                 v2 = s32[4] parameter(2)
                 ROOT selected = s32[4] select(predicate, v1, v2)",
                &[&["true", "{1, 2, 3, 4}", "{100, 200, 300, 400}"]],
                documented!("s32[4] {1, 2, 3, 4}"),
            ),
            example(
                "Select(pred, v1, v2)",
                "example-select-scalar-false",
                "predicate = pred[] parameter(0)
                 v1 = s32[4] parameter(1)
                 v2 = s32[4] parameter(2)
                 ROOT selected = s32[4] select(predicate, v1, v2)",
                &[&["false", "{1, 2, 3, 4}", "{100, 200, 300, 400}"]],
                undocumented!(reason: "reason-docs-give-no-values", "s32[4] {100, 200, 300, 400}"),
            ),
            example(
                "Select(pred, {v1, 5}, {v2, 6})",
                "example-select-tuples",
                "predicate = pred[] parameter(0)
                 v1 = s32[4] parameter(1)
                 five = s32[] constant(5)
                 on_true = (s32[4], s32[]) tuple(v1, five)
                 v2 = s32[4] parameter(2)
                 six = s32[] constant(6)
                 on_false = (s32[4], s32[]) tuple(v2, six)
                 ROOT selected = (s32[4], s32[]) select(predicate, on_true, on_false)",
                &[&["false", "{1, 2, 3, 4}", "{100, 200, 300, 400}"]],
                undocumented!(reason: "reason-docs-give-no-values", "(s32[4], s32[]) ({100, 200, 300, 400}, 6)"),
            )
            .for_edition(Edition::V2017),
        ],
        ..Entry::EMPTY
    }],
};

/// The comparator of an ascending sort.
const ASCENDING: &str = "ascending {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT comes_first = pred[] compare(a, b), direction=LT
}";

/// The section `Sort` of the 2017 Operation Semantics.
pub const SORT: Section = Section {
    name: "Sort",
    builder_method: Some("Sort"),
    entries: &[Entry {
        name: "Sort",
        opcode: "sort",
        signatures: &["Sort(operand)"],
        arguments: &[argument("operand", "ComputationDataHandle", "argument-sort-operand")],
        text: "entry-sort",
        formula_edition: Some(Edition::V2017),
        current_docs_anchor: Some("sort"),
        search_words: &["order", "rank", "argsort", "median", "top k"],
        examples: &[
            example(
                "Sort(operand)",
                "example-sort",
                "operand = f32[6] parameter(0)
                 ROOT sorted = f32[6] sort(operand), dimensions={0}, to_apply=ascending",
                &[&["{3, 1, 4, 1, 5, 2}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[6] {1, 1, 2, 3, 4, 5}"),
            )
            .with_computations(&[ASCENDING])
            .for_edition(Edition::Current),
            example(
                "Sort(operand)",
                "example-sort-rows",
                "operand = f32[2,3] parameter(0)
                 ROOT sorted = f32[2,3] sort(operand), dimensions={1}, to_apply=ascending",
                &[&["{{3, 1, 2}, {6, 5, 4}}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[2,3] {{1, 2, 3}, {4, 5, 6}}"),
            )
            .with_computations(&[ASCENDING])
            .for_edition(Edition::Current),
        ],
        ..Entry::EMPTY
    }],
};
