//! `cholesky`: see [`Cholesky`].

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: a matrix a, indices i, j and k"
)]

use super::blocks::{BlockwiseOp, Write, block_index, blockwise};
use super::elementwise::complex::Complex;
use super::field::Field;
use super::{
    AttrKind, AttrSpec, Category, Example, ExportContext, Expression, Formula, History, Language, OpContext,
    OpDef, OpError, OpMeta, Operands, Read, Role, Rule, Semantics,
};
use xla_array::{Class, Dims, ElementType, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Factors symmetric (complex: Hermitian) positive definite matrices: `a = l · l^H`, or `u^H · u` if `lower` is
/// false. All dimensions but the last two are a batch.
///
/// Only the triangle selected by `lower` is read; the other triangle of the result is 0. A negative pivot makes the
/// whole result NaN, so every cell of the result depends on the whole triangle. Source: "Cholesky" of the
/// documentation; `ShapeInference::InferCholeskyShape`, `CholeskyExpander`.
pub struct Cholesky;

/// Whether LAPACK, which JAX calls, supports the element type.
pub(super) fn is_lapack_type(element_type: ElementType) -> bool {
    matches!(element_type, ElementType::F32 | ElementType::F64 | ElementType::C64 | ElementType::C128)
}

/// If a matrix is not positive definite, one triangle of JAX's result is 0; XLA's is all NaN.
const FACTOR: &str = "\
def cholesky(a):
    factor = lax.linalg.cholesky(a, symmetrize_input=False)
    first = factor[..., :1, :1]
    return jnp.where(jnp.isnan(first), first, factor)
";

static META: OpMeta = OpMeta {
    opcode: "cholesky",
    title: "Cholesky",
    search_terms: &[],
    sections: &["Cholesky"],
    category: Category::Contraction,
    history: History::NEWER,
    summary: "op-cholesky",
    formula: Formula::Symbols("a = l · lᴴ"),
    operands: Operands::exactly(&["a"]),
    inline_attr: None,
    attrs: &[AttrSpec::optional("lower", AttrKind::Bool, "attr-cholesky-lower")],
    rules: &[
        Rule {
            identifier: "cholesky-1",
            description: "rule-float-complex",
            violated_by: "x = s32[2,2] parameter(0) ROOT r = cholesky(x), lower=true",
        },
        Rule {
            identifier: "cholesky-2",
            description: "rule-matrices",
            violated_by: "x = f32[2] parameter(0) ROOT r = cholesky(x), lower=true",
        },
        Rule {
            identifier: "cholesky-3",
            description: "rule-square",
            violated_by: "x = f32[2,3] parameter(0) ROOT r = cholesky(x), lower=true",
        },
    ],
    examples: &[
        Example {
            title: "shows-lower",
            hlo: "a = f32[2,2] constant({{4,9},{2,5}}) ROOT r = cholesky(a), lower=true",
            result: "f32[2,2] { {2, 0}, {1, 2} }",
        },
        Example {
            title: "shows-complex-numbers",
            hlo: "a = c64[2,2] constant({{(4,0),(2,-2)},{(9,9),(6,0)}}) ROOT r = cholesky(a)",
            result: "c64[2,2] { {(2, 0), (1, -1)}, {(0, 0), (2, 0)} }",
        },
        Example {
            title: "shows-not-definite",
            hlo: "a = f32[2,2] constant({{1,2},{2,1}}) ROOT r = cholesky(a), lower=true",
            result: "f32[2,2] { {nan, nan}, {nan, nan} }",
        },
    ],
};

/// Checks that operand `i` has square matrices of floats or complex numbers. `rules`: of the type, the rank, the sizes.
pub(super) fn check_square(cx: &OpContext, i: usize, rules: [&'static str; 3]) -> Result<(), OpError> {
    let a = cx.array(i)?;
    if !matches!(a.element_type.class(), Class::Float | Class::Complex) {
        let message = Message::ops("op-element-type")
            .with("op", cx.meta.opcode)
            .with("found", a.element_type.name())
            .with("supported", "floating, complex");
        let error = cx.error(rules[0], message).at_operand(i);
        return Err(cx.with_conversion(error, i, ElementType::F32));
    }
    let shown = |key| Message::ops(key).with("operand", cx.label(i)).with("shape", a.human_string());
    match a.dimensions[..] {
        [.., rows, columns] if rows == columns => Ok(()),
        [.., _, _] => Err(cx.error(rules[2], shown("op-square")).at_operand(i)),
        _ => Err(cx.error(rules[1], shown("op-matrices")).at_operand(i)),
    }
}

struct Factor {
    batch: Dims,
    size: i64,
    lower: bool,
    is_complex: bool,
}

impl Factor {
    /// Writes the factor of one matrix.
    fn factor<F: Field>(&self, block: &[i64], read: &mut dyn Read, write: &mut Write) {
        let n = usize::try_from(self.size).or_bug(0, "a negative size");
        // The lower triangle of the lower factor, row by row.
        let mut l: Vec<F> = Vec::with_capacity(n * (n + 1) / 2);
        let row = |i: usize| i * (i + 1) / 2;
        let at = |i: usize, j: usize| {
            let [i, j] = [i, j].map(|i| i64::try_from(i).or_bug(0, "an index beyond any array"));
            if self.lower { [i, j] } else { [j, i] }
        };
        let mut is_nan = false;
        for i in 0..n {
            for j in 0..=i {
                let a = F::from_value(read.get(0, &block_index(block, &at(i, j)), Role::Value));
                let mut sum = if self.lower { a } else { a.conjugate() };
                for k in 0..j {
                    sum = sum.sub(l[row(i) + k].mul(l[row(j) + k].conjugate()));
                }
                let pivot = if i == j { libm::sqrt(sum.real()) } else { l[row(j) + j].real() };
                is_nan |= i == j && pivot.is_nan();
                if !read.charge_steps(j as u64 / 2) {
                    return;
                }
                let cell = sum.div_real(pivot);
                l.push(cell);
            }
        }
        let nan = if self.is_complex { Value::Complex(f64::NAN, f64::NAN) } else { Value::Float(f64::NAN) };
        for i in 0..n {
            for j in 0..n {
                if is_nan {
                    write(0, &block_index(block, &at(i, j)), nan);
                } else if j <= i {
                    let cell = l[row(i) + j];
                    let cell = if self.lower { cell } else { cell.conjugate() };
                    write(0, &block_index(block, &at(i, j)), cell.to_value());
                }
            }
        }
    }
}

impl BlockwiseOp for Factor {
    fn sizes(&self) -> Dims {
        self.batch.clone()
    }

    fn block_of(&self, _: usize, index: &[i64]) -> Dims {
        index[..self.batch.len()].into()
    }

    fn cost(&self) -> u64 {
        let n = self.size.unsigned_abs();
        n.saturating_mul(n).saturating_mul(n + 6) / 6
    }

    fn scratch_bytes(&self) -> u64 {
        let n = self.size.unsigned_abs();
        n.saturating_mul(n.saturating_add(1)).saturating_mul(size_of::<Complex>() as u64 / 2)
    }

    fn compute(&self, block: &[i64], _: Option<usize>, read: &mut dyn Read, write: &mut Write) {
        if self.is_complex {
            self.factor::<Complex>(block, read, write);
        } else {
            self.factor::<f64>(block, read, write);
        }
    }
}

impl OpDef for Cholesky {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_square(cx, 0, ["cholesky-1", "cholesky-2", "cholesky-3"])?;
        Ok(Shape::Array(cx.array(0)?.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let a = cx.array(0)?;
        let batch = a.dimensions[..a.rank().saturating_sub(2)].into();
        let is_complex = a.element_type.class() == Class::Complex;
        let size = a.dimensions.last().copied().or_bug(0, "a matrix of rank 0");
        blockwise(cx, Factor { batch, size, lower: cx.flag("lower"), is_complex })
    }

    /// `NumPy` raises an error if there is no factor; XLA returns NaN.
    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let a = to.name(0);
        if to.language != Language::Jax || !is_lapack_type(to.array(0)?.element_type) {
            return None;
        }
        let transposed = |a: &str| format!("jnp.matrix_transpose({a})");
        let factor = |a: &str| format!("cholesky({a})");
        let text = if to.cx.flag("lower") { factor(a) } else { transposed(&factor(&transposed(a))) };
        Some(Expression { text, prelude: FACTOR })
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == "lower" && !cx.flag("lower")
    }
}
