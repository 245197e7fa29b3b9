//! Dot.

use crate::entry::{Entry, Section, argument};
use crate::example::{example, undocumented};

/// The section `Dot` of the 2017 Operation Semantics.
pub const DOT: Section = Section {
    name: "Dot",
    builder_method: Some("Dot"),
    entries: &[Entry {
        name: "Dot",
        opcode: "dot",
        signatures: &["Dot(lhs, rhs)"],
        arguments: &[
            argument("lhs", "ComputationDataHandle", "argument-dot-lhs"),
            argument("rhs", "ComputationDataHandle", "argument-dot-rhs"),
        ],
        text: "entry-dot",
        current_docs_anchor: Some("dot"),
        search_words: &[
            "matmul",
            "gemm",
            "matrix multiplication",
            "inner product",
            "dense",
            "linear layer",
            "einsum",
        ],
        examples: &[
            example(
                "vector [n] dot vector [n]",
                "example-dot-vectors",
                "lhs = f32[3] parameter(0)
                 rhs = f32[3] parameter(1)
                 ROOT product = f32[] dot(lhs, rhs), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                &[&["{1, 2, 3}", "{4, 5, 6}"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[] 32"),
            ),
            example(
                "matrix [m x k] dot vector [k]",
                "example-dot-matrix-vector",
                "lhs = f32[2,3] parameter(0)
                 rhs = f32[3] parameter(1)
                 ROOT product = f32[2] dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                &[&["{{1, 2, 3}, {4, 5, 6}}", "{1, 10, 100}"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[2] {321, 654}"),
            ),
            example(
                "matrix [m x k] dot matrix [k x n]",
                "example-dot-matrices",
                "lhs = f32[2,3] parameter(0)
                 rhs = f32[3,2] parameter(1)
                 ROOT product = f32[2,2] dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                &[&["{{1, 2, 3}, {4, 5, 6}}", "{{1, 2}, {10, 20}, {100, 200}}"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[2,2] {{321, 642}, {654, 1308}}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};
