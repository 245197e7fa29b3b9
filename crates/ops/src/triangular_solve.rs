//! `triangular-solve`: see [`TriangularSolve`].

#![allow(clippy::many_single_char_names, reason = "the names of the formulas: matrices a, b and x")]

use super::cholesky::{check_square, is_lapack_type};
use super::elementwise::complex::Complex;
use super::field::Field;
use super::{
    AttrKind, AttrSpec, Category, Example, ExportContext, Expression, Formula, History, Language, OpContext,
    OpDef, OpError, OpMeta, Operands, Read, Role, Rule, Semantics,
};
use xla_array::{Class, Dims, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Solves `op(a) · x = b`, or `x · op(a) = b` if `left_side` is false, for triangular matrices `a` by
/// substitution; `op` is `transpose_a`. All dimensions except the last two are batch dimensions.
///
/// Only the triangle that `lower` names is read; with `unit_diagonal` the diagonal counts as 1. A zero on the diagonal
/// is a division by zero. Each cell is computed from those before it in its row or column, which are its provenance.
/// Source: XLA's operation semantics, `TriangularSolve`; `ShapeInference::InferTriangularSolveShape`.
pub struct TriangularSolve;

const TRANSPOSE: &[&str] = &["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"];

static META: OpMeta = OpMeta {
    opcode: "triangular-solve",
    title: "TriangularSolve",
    search_terms: &[],
    sections: &["TriangularSolve"],
    category: Category::Contraction,
    history: History::NEWER,
    summary: "op-triangular-solve",
    formula: Formula::Words("formula-triangular-solve"),
    operands: Operands::exactly(&["a", "b"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("left_side", AttrKind::Bool, "attr-left-side"),
        AttrSpec::optional("lower", AttrKind::Bool, "attr-lower"),
        AttrSpec::optional("unit_diagonal", AttrKind::Bool, "attr-unit-diagonal"),
        AttrSpec::required("transpose_a", AttrKind::Keyword(TRANSPOSE), "attr-transpose-a"),
    ],
    rules: &[
        Rule {
            identifier: "triangular-solve-1",
            description: "rule-float-complex",
            violated_by: "a = s32[2,2] parameter(0) ROOT r = triangular-solve(a, a), left_side=true, transpose_a=NO_TRANSPOSE",
        },
        Rule {
            identifier: "triangular-solve-2",
            description: "rule-same-type",
            violated_by: "a = f32[2,2] parameter(0) b = f64[2,2] parameter(1)
                        ROOT r = triangular-solve(a, b), left_side=true, transpose_a=NO_TRANSPOSE",
        },
        Rule {
            identifier: "triangular-solve-3",
            description: "rule-matrices",
            violated_by: "a = f32[2] parameter(0) ROOT r = triangular-solve(a, a), left_side=true, transpose_a=NO_TRANSPOSE",
        },
        Rule {
            identifier: "triangular-solve-4",
            description: "rule-square",
            violated_by: "a = f32[2,3] parameter(0) ROOT r = triangular-solve(a, a), left_side=true, transpose_a=NO_TRANSPOSE",
        },
        Rule {
            identifier: "triangular-solve-5",
            description: "rule-same-rank",
            violated_by: "a = f32[2,2] parameter(0) b = f32[2] parameter(1)
                        ROOT r = triangular-solve(a, b), left_side=true, transpose_a=NO_TRANSPOSE",
        },
        Rule {
            identifier: "triangular-solve-6",
            description: "rule-shared-dimension",
            violated_by: "a = f32[2,2] parameter(0) b = f32[3,2] parameter(1)
                        ROOT r = triangular-solve(a, b), left_side=true, transpose_a=NO_TRANSPOSE",
        },
        Rule {
            identifier: "triangular-solve-7",
            description: "rule-same-batch",
            violated_by: "a = f32[4,2,2] parameter(0) b = f32[3,2,1] parameter(1)
                        ROOT r = triangular-solve(a, b), left_side=true, transpose_a=NO_TRANSPOSE",
        },
    ],
    examples: &[
        Example {
            title: "shows-from-the-left",
            hlo: "a = f32[2,2] constant({{2,9},{1,4}}) b = f32[2,1] constant({{6},{11}})
                  ROOT r = triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
            result: "f32[2,1] { {3}, {2} }",
        },
        Example {
            title: "shows-from-the-right",
            hlo: "a = f32[2,2] constant({{2,1},{9,4}}) b = f32[1,2] constant({{6,11}})
                  ROOT r = triangular-solve(a, b), transpose_a=NO_TRANSPOSE",
            result: "f32[1,2] { {3, 2} }",
        },
    ],
};

/// The system that is solved for each column of `b` (each row if `left_side` is false): `n` unknowns, of which unknown
/// `i` follows from those before it, counted from the end if `is_backward`.
#[allow(clippy::struct_excessive_bools, reason = "derived from four boolean attributes")]
struct System {
    batch: usize,
    size: i64,
    left_side: bool,
    /// Whether coefficient `(i, k)` of the system is `a[k, i]`.
    reads_transpose: bool,
    is_backward: bool,
    is_adjoint: bool,
    unit_diagonal: bool,
}

impl System {
    fn solve<F: Field>(&self, out: &[i64], read: &mut dyn Read) -> F {
        let (batch, cell) = out.split_at(self.batch);
        let (row, column) = (cell[0], cell[1]);
        let (unknown, other) = if self.left_side { (row, column) } else { (column, row) };
        let at = |row: i64, column: i64| -> Dims { batch.iter().copied().chain([row, column]).collect() };
        let position = |i: i64| if self.is_backward { self.size - 1 - i } else { i };
        let last = position(unknown);
        let mut x: Vec<F> = Vec::new();
        for i in 0..=last {
            let i = position(i);
            let b = if self.left_side { at(i, other) } else { at(other, i) };
            let mut sum = F::from_value(read.get(1, &b, Role::Rhs));
            let mut coefficient = |k: i64| {
                let a = F::from_value(read.get(
                    0,
                    &if self.reads_transpose { at(k, i) } else { at(i, k) },
                    Role::Lhs,
                ));
                if self.is_adjoint { a.conjugate() } else { a }
            };
            for (k, known) in (0..).zip(&x) {
                sum = sum.sub(coefficient(position(k)).mul(*known));
            }
            x.push(if self.unit_diagonal { sum } else { sum.div(coefficient(i)) });
            if !read.should_continue() {
                break;
            }
        }
        x.pop().or_bug(F::from_value(Value::Float(0.0)), "a system without unknowns")
    }
}

impl OpDef for TriangularSolve {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        if a.element_type != b.element_type {
            return Err(cx.type_mismatch("triangular-solve-2", 1));
        }
        check_square(cx, 0, ["triangular-solve-1", "triangular-solve-3", "triangular-solve-4"])?;
        if a.rank() != b.rank() {
            return Err(cx.size_mismatch("triangular-solve-5", 1, 0));
        }
        let batch = a.rank() - 2;
        let shared = if cx.flag("left_side") { batch } else { batch + 1 };
        if a.dimensions[batch] != b.dimensions[shared] {
            let message = Message::ops("op-shared-dimension")
                .with("a", a.human_string())
                .with("b", b.human_string())
                .with("dimension", shared);
            return Err(cx.error("triangular-solve-6", message).at_operand(1));
        }
        if a.dimensions[..batch] != b.dimensions[..batch] {
            return Err(cx.size_mismatch("triangular-solve-7", 1, 0));
        }
        Ok(Shape::Array(b.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let a = cx.array(0)?;
        let is_transposed = cx.keyword("transpose_a") != Some("NO_TRANSPOSE");
        let left_side = cx.flag("left_side");
        let system = System {
            batch: a.rank().saturating_sub(2),
            size: a.dimensions.last().copied().or_bug(0, "a matrix of rank 0"),
            left_side,
            // `x · a = b` is the transposed system for a row.
            reads_transpose: is_transposed == left_side,
            is_backward: (cx.flag("lower") == is_transposed) == left_side,
            is_adjoint: cx.keyword("transpose_a") == Some("ADJOINT"),
            unit_diagonal: cx.flag("unit_diagonal"),
        };
        Ok(if a.element_type.class() == Class::Complex {
            Semantics::per_element(move |out, read| system.solve::<Complex>(out, read).to_value())
        } else {
            Semantics::per_element(move |out, read| system.solve::<f64>(out, read).to_value())
        })
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        if to.language != Language::Jax || !is_lapack_type(to.array(0)?.element_type) {
            return None;
        }
        let mut text = format!("lax.linalg.triangular_solve({}", to.joined_names());
        let word = to.cx.keyword("transpose_a");
        for (name, is_so) in [
            ("left_side", to.cx.flag("left_side")),
            ("lower", to.cx.flag("lower")),
            ("transpose_a", word != Some("NO_TRANSPOSE")),
            ("conjugate_a", word == Some("ADJOINT")),
            ("unit_diagonal", to.cx.flag("unit_diagonal")),
        ] {
            if is_so {
                text = text + ", " + name + "=True";
            }
        }
        Some((text + ")").into())
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name != "transpose_a" && !cx.flag(name)
    }
}
