//! Slice, `DynamicSlice` and `DynamicUpdateSlice`.

use crate::entry::{Entry, Section, argument};
use crate::example::{documented, example, undocumented};
use xla_array::Edition;

/// The 4×3 matrix `b` of the examples in the Operation Semantics.
const MATRIX_4X3: &str = "{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}";

/// The section `Slice` of the 2017 Operation Semantics.
pub const SLICE: Section = Section {
    name: "Slice",
    builder_method: Some("Slice"),
    entries: &[Entry {
        name: "Slice",
        opcode: "slice",
        signatures: &["Slice(operand, start_indices, limit_indices)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("start_indices", "ArraySlice<int64>", "argument-slice-start"),
            argument("limit_indices", "ArraySlice<int64>", "argument-slice-limit"),
        ],
        text: "entry-slice",
        current_docs_anchor: Some("slice"),
        search_words: &["subarray", "crop", "range", "narrow", "strided slice"],
        examples: &[
            example(
                "Slice(a, {2}, {4})",
                "example-slice-vector",
                "a = f32[5] parameter(0)
                 ROOT sliced = f32[2] slice(a), slice={[2:4]}",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}"]],
                documented!("f32[2] {2, 3}"),
            ),
            example(
                "Slice(b, {2, 1}, {4, 3})",
                "example-slice-matrix",
                "b = f32[4,3] parameter(0)
                 ROOT sliced = f32[2,2] slice(b), slice={[2:4], [1:3]}",
                &[&[MATRIX_4X3]],
                documented!("f32[2,2] {{7, 8}, {10, 11}}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `DynamicSlice` of the 2017 Operation Semantics.
pub const DYNAMIC_SLICE: Section = Section {
    name: "DynamicSlice",
    builder_method: Some("DynamicSlice"),
    entries: &[Entry {
        name: "DynamicSlice",
        opcode: "dynamic-slice",
        signatures: &["DynamicSlice(operand, start_indices, size_indices)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("start_indices", "ComputationDataHandle", "argument-dynamic-start"),
            argument("size_indices", "ArraySlice<int64>", "argument-dynamic-sizes"),
        ],
        text: "entry-dynamic-slice",
        formula_edition: Some(Edition::V2017),
        current_docs_anchor: Some("dynamicslice"),
        search_words: &["subarray", "crop", "index", "lax.dynamic_slice", "gather row"],
        examples: &[
            example(
                "DynamicSlice(a, s, {2})",
                "example-dynamic-slice-vector",
                "a = f32[5] parameter(0)
                 s = s32[1] parameter(1)
                 ROOT sliced = f32[2] dynamic-slice(a, s), dynamic_slice_sizes={2}",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}", "{2}"]],
                documented!("f32[2] {2, 3}"),
            ),
            example(
                "DynamicSlice(b, s, {2, 2})",
                "example-dynamic-slice-matrix",
                "b = f32[4,3] parameter(0)
                 s = s32[2] parameter(1)
                 ROOT sliced = f32[2,2] dynamic-slice(b, s), dynamic_slice_sizes={2,2}",
                &[&[MATRIX_4X3, "{2, 1}"]],
                documented!("f32[2,2] {{7, 8}, {10, 11}}"),
            ),
            example(
                "DynamicSlice(a, {4}, {2})",
                "example-dynamic-slice-wraps",
                "a = f32[5] parameter(0)
                 s = s32[1] parameter(1)
                 ROOT sliced = f32[2] dynamic-slice(a, s), dynamic_slice_sizes={2}",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}", "{4}"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[2] {4, 0}"),
            )
            .for_edition(Edition::V2017),
            example(
                "DynamicSlice(a, {4}, {2})",
                "example-dynamic-slice-clamps",
                "a = f32[5] parameter(0)
                 s = s32[1] parameter(1)
                 ROOT sliced = f32[2] dynamic-slice(a, s), dynamic_slice_sizes={2}",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}", "{4}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[2] {3, 4}"),
            )
            .for_edition(Edition::Current),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `DynamicUpdateSlice` of the 2017 Operation Semantics.
pub const DYNAMIC_UPDATE_SLICE: Section = Section {
    name: "DynamicUpdateSlice",
    builder_method: Some("DynamicUpdateSlice"),
    entries: &[Entry {
        name: "DynamicUpdateSlice",
        opcode: "dynamic-update-slice",
        signatures: &["DynamicUpdateSlice(operand, update, start_indices)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("update", "ComputationDataHandle", "argument-dynamic-update"),
            argument("start_indices", "ComputationDataHandle", "argument-dynamic-start"),
        ],
        text: "entry-dynamic-update-slice",
        formula_edition: Some(Edition::V2017),
        current_docs_anchor: Some("dynamicupdateslice"),
        search_words: &["write", "assign", "kv cache", "index_update", "scatter block"],
        examples: &[
            example(
                "DynamicUpdateSlice(a, u, s)",
                "example-dynamic-update-vector",
                "a = f32[5] parameter(0)
                 u = f32[2] parameter(1)
                 s = s32[1] parameter(2)
                 ROOT updated = f32[5] dynamic-update-slice(a, u, s)",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}", "{5.0, 6.0}", "{2}"]],
                documented!("f32[5] {0, 1, 5, 6, 4}"),
            ),
            example(
                "DynamicUpdateSlice(b, u, s)",
                "example-dynamic-update-matrix",
                "b = f32[4,3] parameter(0)
                 u = f32[3,2] parameter(1)
                 s = s32[2] parameter(2)
                 ROOT updated = f32[4,3] dynamic-update-slice(b, u, s)",
                &[&[MATRIX_4X3, "{{12.0, 13.0}, {14.0, 15.0}, {16.0, 17.0}}", "{1, 1}"]],
                documented!("f32[4,3] {{0, 1, 2}, {3, 12, 13}, {6, 14, 15}, {9, 16, 17}}"),
            ),
            example(
                "DynamicUpdateSlice(a, u, {4})",
                "example-dynamic-update-drops",
                "a = f32[5] parameter(0)
                 u = f32[2] parameter(1)
                 s = s32[1] parameter(2)
                 ROOT updated = f32[5] dynamic-update-slice(a, u, s)",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}", "{5.0, 6.0}", "{4}"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[5] {0, 1, 2, 3, 5}"),
            )
            .for_edition(Edition::V2017),
            example(
                "DynamicUpdateSlice(a, u, {4})",
                "example-dynamic-update-clamps",
                "a = f32[5] parameter(0)
                 u = f32[2] parameter(1)
                 s = s32[1] parameter(2)
                 ROOT updated = f32[5] dynamic-update-slice(a, u, s)",
                &[&["{0.0, 1.0, 2.0, 3.0, 4.0}", "{5.0, 6.0}", "{4}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[5] {0, 1, 2, 5, 6}"),
            )
            .for_edition(Edition::Current),
        ],
        ..Entry::EMPTY
    }],
};
