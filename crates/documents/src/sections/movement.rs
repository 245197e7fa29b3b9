//! Broadcast, Concatenate, `ConvertElementType` and Rev.

use crate::entry::{Entry, Section, argument};
use crate::example::{documented, example, undocumented};

/// The section `Broadcast` of the 2017 Operation Semantics.
pub const BROADCAST: Section = Section {
    name: "Broadcast",
    builder_method: Some("Broadcast"),
    entries: &[Entry {
        name: "Broadcast",
        opcode: "broadcast",
        signatures: &["Broadcast(operand, broadcast_sizes)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-broadcast-operand"),
            argument("broadcast_sizes", "ArraySlice<int64>", "argument-broadcast-sizes"),
        ],
        text: "entry-broadcast",
        current_docs_anchor: Some("broadcast"),
        search_words: &["repeat", "tile", "expand", "broadcast_to", "replicate"],
        examples: &[
            example(
                "Broadcast(2.0f, {2, 3})",
                "example-broadcast-scalar",
                "operand = f32[] parameter(0)
                 ROOT output = f32[2,3] broadcast(operand), dimensions={}",
                &[&["2"]],
                documented!("f32[2,3] {{2, 2, 2}, {2, 2, 2}}"),
            ),
            example(
                "Broadcast({1, 2, 3}, {2})",
                "example-broadcast-vector",
                "operand = f32[3] parameter(0)
                 ROOT output = f32[2,3] broadcast(operand), dimensions={1}",
                &[&["{1, 2, 3}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[2,3] {{1, 2, 3}, {1, 2, 3}}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `Concatenate` of the 2017 Operation Semantics.
pub const CONCATENATE: Section = Section {
    name: "Concatenate",
    builder_method: Some("ConcatInDim"),
    entries: &[Entry {
        name: "Concatenate",
        opcode: "concatenate",
        signatures: &["Concatenate(operands..., dimension)"],
        arguments: &[
            argument("operands", "sequence of N ComputationDataHandle", "argument-concatenate-operands"),
            argument("dimension", "int64", "argument-concatenate-dimension"),
        ],
        text: "entry-concatenate",
        current_docs_anchor: Some("concatindim_concatenate"),
        search_words: &["concat", "concatindim", "join", "stack", "hstack", "vstack", "cat"],
        examples: &[
            example(
                "Concat({ {2, 3}, {4, 5}, {6, 7}}, 0)",
                "example-concatenate-vectors",
                "x = f32[2] parameter(0)
                 y = f32[2] parameter(1)
                 z = f32[2] parameter(2)
                 ROOT joined = f32[6] concatenate(x, y, z), dimensions={0}",
                &[&["{2, 3}", "{4, 5}", "{6, 7}"]],
                documented!("f32[6] {2, 3, 4, 5, 6, 7}"),
            ),
            example(
                "Concat({a, b}, 0)",
                "example-concatenate-matrices",
                "a = f32[3,2] parameter(0)
                 b = f32[1,2] parameter(1)
                 ROOT joined = f32[4,2] concatenate(a, b), dimensions={0}",
                &[&["{{1, 2}, {3, 4}, {5, 6}}", "{{7, 8}}"]],
                documented!("f32[4,2] {{1, 2}, {3, 4}, {5, 6}, {7, 8}}"),
            ),
            example(
                "Concat({a, c}, 1)",
                "example-concatenate-columns",
                "a = f32[3,2] parameter(0)
                 c = f32[3,1] parameter(1)
                 ROOT joined = f32[3,3] concatenate(a, c), dimensions={1}",
                &[&["{{1, 2}, {3, 4}, {5, 6}}", "{{7}, {8}, {9}}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[3,3] {{1, 2, 7}, {3, 4, 8}, {5, 6, 9}}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `ConvertElementType` of the 2017 Operation Semantics.
pub const CONVERT: Section = Section {
    name: "ConvertElementType",
    builder_method: Some("ConvertElementType"),
    entries: &[Entry {
        name: "ConvertElementType",
        opcode: "convert",
        signatures: &["ConvertElementType(operand, new_element_type)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-convert-operand"),
            argument("new_element_type", "PrimitiveType", "argument-convert-type"),
        ],
        text: "entry-convert",
        current_docs_anchor: Some("convertelementtype"),
        search_words: &["cast", "static_cast", "astype", "quantize"],
        examples: &[
            example(
                "convert(a, f32)",
                "example-convert-integers",
                "a = s32[3] parameter(0)
                 ROOT b = f32[3] convert(a)",
                &[&["{0, 1, 2}"]],
                documented!("f32[3] {0, 1, 2}"),
            ),
            example(
                "convert(a, f32)",
                "example-convert-rounds",
                "a = s32[3] parameter(0)
                 ROOT b = f32[3] convert(a)",
                &[&["{16777216, 16777217, 16777219}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[3] {16777216, 16777216, 16777220}"),
            ),
            example(
                "convert(a, s32)",
                "example-convert-truncates",
                "a = f32[4] parameter(0)
                 ROOT b = s32[4] convert(a)",
                &[&["{1.7, -1.7, 0.5, -0.5}"]],
                undocumented!(reason: "reason-docs-have-no-example", "s32[4] {1, -1, 0, 0}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `Rev` of the 2017 Operation Semantics.
pub const REV: Section = Section {
    name: "Rev (reverse)",
    builder_method: Some("Rev"),
    entries: &[Entry {
        name: "Rev",
        opcode: "reverse",
        signatures: &["Rev(operand, dimensions)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("dimensions", "ArraySlice<int64>", "argument-rev-dimensions"),
        ],
        text: "entry-rev",
        current_docs_anchor: Some("rev_reverse"),
        search_words: &["flip", "mirror", "fliplr", "flipud"],
        examples: &[
            example(
                "Rev(operand, {0})",
                "example-rev-vector",
                "operand = f32[4] parameter(0)
                 ROOT reversed = f32[4] reverse(operand), dimensions={0}",
                &[&["{1, 2, 3, 4}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[4] {4, 3, 2, 1}"),
            ),
            example(
                "Rev(operand, {1})",
                "example-rev-rows",
                "operand = f32[2,3] parameter(0)
                 ROOT reversed = f32[2,3] reverse(operand), dimensions={1}",
                &[&["{{1, 2, 3}, {4, 5, 6}}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[2,3] {{3, 2, 1}, {6, 5, 4}}"),
            ),
            example(
                "Rev(weights, {2, 3})",
                "example-rev-weights",
                "weights = f32[1,1,2,2] parameter(0)
                 ROOT reversed = f32[1,1,2,2] reverse(weights), dimensions={2,3}",
                &[&["{{{{1, 2}, {3, 4}}}}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[1,1,2,2] {{{{4, 3}, {2, 1}}}}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};
