//! `fft`: see [`Fft`].

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: lengths n and m, a prime p, indices k"
)]

use super::blocks::{BlockwiseOp, Write, block_index, blockwise};
use super::elementwise::complex::{Complex, add, multiply};
use super::export::tuple;
use super::field::Field;
use super::{
    AttrKind, AttrSpec, Category, Example, ExportContext, Expression, Formula, History, Language, OpContext,
    OpDef, OpError, OpMeta, Operands, Read, Role, Rule, Semantics,
};
use xla_array::index::Indices;
use xla_array::{Dims, ElementType, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The discrete Fourier transform over the last one to three dimensions; the others are batch dimensions.
///
/// `RFFT` transforms real numbers and returns the first half of the last dimension, since the other half is its
/// conjugate. `IRFFT` is the inverse: it completes the conjugate half, and ignores imaginary parts that the transform
/// of real numbers cannot have. The inverse transforms divide by the number of elements. Lengths are arbitrary: they
/// are split into prime factors. Every cell of a result depends on every cell of its transform. Source: XLA's operation
/// semantics, "Fft"; `ShapeInference::InferFftShape`.
pub struct Fft;

static META: OpMeta = OpMeta {
    opcode: "fft",
    title: "Fft",
    search_terms: &[],
    sections: &["Fft"],
    category: Category::Contraction,
    history: History::NEWER,
    summary: "op-fft",
    formula: Formula::Symbols("out[k] = Σ_j operand[j] · e^(∓2πi·jk/n)"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("fft_type", AttrKind::Keyword(&["FFT", "IFFT", "RFFT", "IRFFT"]), "attr-fft-type"),
        AttrSpec::required("fft_length", AttrKind::Ints, "attr-fft-length"),
    ],
    rules: &[
        Rule {
            identifier: "fft-1",
            description: "rule-fft-rank",
            violated_by: "x = c64[2,2,2,2] parameter(0) ROOT r = fft(x), fft_type=FFT, fft_length={2,2,2,2}",
        },
        Rule {
            identifier: "fft-2",
            description: "rule-fft-operand-rank",
            violated_by: "x = c64[4] parameter(0) ROOT r = fft(x), fft_type=FFT, fft_length={2,4}",
        },
        Rule {
            identifier: "fft-3",
            description: "rule-fft-type",
            violated_by: "x = f32[4] parameter(0) ROOT r = fft(x), fft_type=FFT, fft_length={4}",
        },
        Rule {
            identifier: "fft-4",
            description: "rule-fft-length",
            violated_by: "x = c64[3] parameter(0) ROOT r = fft(x), fft_type=IRFFT, fft_length={6}",
        },
    ],
    examples: &[
        Example {
            title: "shows-forward-transform",
            hlo: "x = c64[4] constant({(0,0), (1,0), (2,0), (3,0)}) ROOT r = fft(x), fft_type=FFT, fft_length={4}",
            result: "c64[4] {(6, 0), (-2, 2), (-2, 0), (-2, -2)}",
        },
        Example {
            title: "shows-inverse-transform",
            hlo: "x = c64[2,2] constant({{(1,0), (0,1)}, {(0,0), (2,0)}})
                  ROOT r = fft(x), fft_type=IFFT, fft_length={2,2}",
            result: "c64[2,2] { {(0.75, 0.25), (-0.25, -0.25)}, {(-0.25, 0.25), (0.75, -0.25)} }",
        },
        Example {
            title: "shows-real-transform",
            hlo: "x = f64[4] constant({1, 2, 3, 4}) ROOT r = fft(x), fft_type=RFFT, fft_length={4}",
            result: "c128[3] {(10, 0), (-2, 2), (-2, 0)}",
        },
        Example {
            title: "shows-inverse-real-transform",
            hlo: "x = c64[3] constant({(10,0), (-2,2), (-2,0)}) ROOT r = fft(x), fft_type=IRFFT, fft_length={4}",
            result: "f32[4] {1, 2, 3, 4}",
        },
    ],
};

fn smallest_prime_factor(n: usize) -> usize {
    // Without a factor up to its square root, n is prime.
    (2..=n.isqrt()).find(|p| n.is_multiple_of(*p)).unwrap_or(n)
}

/// `e^(2πi·k/n)` for each k, with the angle reduced to the nearest multiple of π/4.
fn roots_of_unity(n: usize, is_inverse: bool) -> Vec<Complex> {
    #[allow(clippy::cast_precision_loss, reason = "lengths are far below 2^53")]
    let root = |k: usize| {
        // Reduced in integers, hence exactly: `rest / n` eighths of the circle remain.
        let (eighth, rest) = (8 * k / n, 8 * k % n);
        let (eighth, rest) =
            if eighth % 2 == 0 { (eighth, rest as f64) } else { (eighth + 1, rest as f64 - n as f64) };
        let angle = std::f64::consts::FRAC_PI_4 * rest / n as f64;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let Complex(re, im) = match eighth % 8 {
            0 => Complex(cos, sin),
            2 => Complex(-sin, cos),
            4 => Complex(-cos, -sin),
            _ => Complex(sin, -cos),
        };
        Complex(re, if is_inverse { im } else { -im })
    };
    (0..n).map(root).collect()
}

/// The transform of every `step`-th number of `line` from `start`, by the prime factors of its length.
/// If the run is cancelled the numbers are arbitrary: the result is not used.
fn transform(
    line: &[Complex],
    start: usize,
    step: usize,
    roots: &[Complex],
    read: &mut dyn Read,
) -> Vec<Complex> {
    let n = roots.len() / step;
    if n == 1 {
        return vec![line[start]];
    }
    let p = smallest_prime_factor(n);
    let m = n / p;
    if !read.should_continue() {
        return vec![Complex(0.0, 0.0); n];
    }
    let parts: Vec<Vec<Complex>> =
        (0..p).map(|r| transform(line, start + r * step, step * p, roots, read)).collect();
    let sum = |k: usize| {
        let term = |(r, part): (usize, &Vec<Complex>)| multiply(roots[r * k % n * step], part[k % m]);
        parts[1..].iter().zip(1..).fold(parts[0][k % m], |sum, (part, r)| add(sum, term((r, part))))
    };
    (0..n)
        .take_while(|_| read.charge_steps(p as u64))
        .map(sum)
        .chain(std::iter::repeat(Complex(0.0, 0.0)))
        .take(n)
        .collect()
}

struct Transform {
    batch: Dims,
    /// The sizes of the transform, the last one not halved.
    sizes: Dims,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fft,
    Ifft,
    Rfft,
    Irfft,
}

impl Transform {
    fn is_inverse(&self) -> bool {
        matches!(self.kind, Kind::Ifft | Kind::Irfft)
    }

    /// The sizes with the last one halved.
    fn half_sizes(&self) -> Dims {
        let mut sizes = self.sizes.clone();
        if let Some(last) = sizes.last_mut() {
            *last = half_spectrum_size(*last);
        }
        sizes
    }

    /// Transforms one dimension of the numbers, which are in row-major order.
    fn transform_dimension(&self, sizes: &[i64], d: usize, numbers: &mut [Complex], read: &mut dyn Read) {
        let count =
            |sizes: &[i64]| usize::try_from(sizes.iter().product::<i64>()).or_bug(0, "a negative size");
        let (n, stride) = (count(&sizes[d..=d]), count(&sizes[d + 1..]));
        let roots = roots_of_unity(n, self.is_inverse());
        for start in (0..numbers.len()).filter(|i| (i / stride).is_multiple_of(n)) {
            if !read.charge_steps(n as u64) {
                return;
            }
            let line: Vec<Complex> = numbers[start..].iter().step_by(stride).take(n).copied().collect();
            for (cell, value) in
                numbers[start..].iter_mut().step_by(stride).zip(transform(&line, 0, 1, &roots, read))
            {
                *cell = value;
            }
        }
    }

    /// Completes the halved last dimension with the conjugates, for the inverse of a real transform.
    fn complete_conjugates(&self, numbers: &[Complex]) -> Vec<Complex> {
        let last =
            self.sizes.last().and_then(|n| usize::try_from(*n).ok()).or_bug(0, "no dimension to transform");
        let half_size = last / 2 + 1;
        let line = |line: &[Complex]| {
            let line = (0..last).map(|k| match k {
                0 => Complex(line[0].0, 0.0),
                k if 2 * k == last => Complex(line[k].0, 0.0),
                k if k < half_size => line[k],
                k => line[last - k].conjugate(),
            });
            line.collect::<Vec<Complex>>()
        };
        numbers.chunks(half_size).flat_map(line).collect()
    }
}

/// The size of the last dimension of a real transform.
fn half_spectrum_size(n: i64) -> i64 {
    if n == 0 { 0 } else { n / 2 + 1 }
}

impl BlockwiseOp for Transform {
    fn sizes(&self) -> Dims {
        // Without elements, there are no blocks.
        if self.sizes.contains(&0) { Dims::from_elem(0, 1) } else { self.batch.clone() }
    }

    fn block_of(&self, _: usize, index: &[i64]) -> Dims {
        index[..self.batch.len()].into()
    }

    fn cost(&self) -> u64 {
        let count = self.sizes.iter().fold(1_u64, |count, n| count.saturating_mul(n.unsigned_abs()));
        let factors = |n: i64| {
            let (mut n, mut sum) = (usize::try_from(n).or_bug(0, "a negative size"), 1);
            while n > 1 {
                let p = smallest_prime_factor(n);
                (n, sum) = (n / p, sum + p);
            }
            sum as u64
        };
        count.saturating_mul(self.sizes.iter().map(|n| factors(*n)).sum())
    }

    fn scratch_bytes(&self) -> u64 {
        // The numbers; a line and its roots of unity; the parts of the line at two levels of recursion.
        let count = self.sizes.iter().fold(1_u64, |count, n| count.saturating_mul(n.unsigned_abs()));
        count.saturating_mul(6 * size_of::<Complex>() as u64)
    }

    fn compute(&self, block: &[i64], _: Option<usize>, read: &mut dyn Read, write: &mut Write) {
        let operand_sizes = if self.kind == Kind::Irfft { self.half_sizes() } else { self.sizes.clone() };
        let (mut indices, mut numbers) = (Indices::row_major(&operand_sizes), Vec::new());
        while let Some(index) = indices.advance() {
            numbers.push(Complex::from_value(read.get(0, &block_index(block, index), Role::Value)));
            if !read.should_continue() {
                return;
            }
        }
        // The halved dimension comes first in a forward transform, last in an inverse one.
        let last = operand_sizes.len() - 1;
        if self.kind != Kind::Irfft {
            self.transform_dimension(&self.sizes, last, &mut numbers, read);
        }
        for d in 0..last {
            self.transform_dimension(&operand_sizes, d, &mut numbers, read);
        }
        if self.kind == Kind::Irfft {
            numbers = self.complete_conjugates(&numbers);
            self.transform_dimension(&self.sizes, last, &mut numbers, read);
        }
        #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let scale = if self.is_inverse() { numbers.len() as f64 } else { 1.0 };
        let result_sizes = if self.kind == Kind::Rfft { self.half_sizes() } else { self.sizes.clone() };
        let mut indices = Indices::row_major(&self.sizes);
        for number in numbers {
            let Some(index) = indices.advance() else { return };
            if index[last] < result_sizes[last] {
                write(0, &block_index(block, index), number.div_real(scale).to_value());
            }
        }
    }
}

fn kind(cx: &OpContext) -> Kind {
    match cx.keyword("fft_type") {
        Some("IFFT") => Kind::Ifft,
        Some("RFFT") => Kind::Rfft,
        Some("IRFFT") => Kind::Irfft,
        _ => Kind::Fft,
    }
}

impl OpDef for Fft {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        use ElementType as T;
        let (operand, length, kind) = (cx.array(0)?, cx.ints("fft_length"), kind(cx));
        if !(1..=3).contains(&length.len()) {
            let message = Message::ops("op-fft-rank").with("found", length.len());
            return Err(cx.error("fft-1", message).at_attr("fft_length"));
        }
        if operand.rank() < length.len() {
            let message = Message::ops("op-fft-operand-rank")
                .with("found", length.len())
                .with("shape", operand.human_string());
            return Err(cx.error("fft-2", message).at_operand(0));
        }
        let to = match (kind, operand.element_type) {
            (Kind::Fft | Kind::Ifft, t @ (T::C64 | T::C128)) => t,
            (Kind::Rfft, T::F32) => T::C64,
            (Kind::Rfft, T::F64) => T::C128,
            (Kind::Irfft, T::C64) => T::F32,
            (Kind::Irfft, T::C128) => T::F64,
            (_, found) => {
                let supported = if kind == Kind::Rfft { "f32, f64" } else { "c64, c128" };
                let message = Message::ops("op-element-type")
                    .with("op", cx.keyword("fft_type").unwrap_or_default())
                    .with("found", found.name())
                    .with("supported", supported);
                let error = cx.error("fft-3", message).at_operand(0);
                let wanted = if kind == Kind::Rfft { T::F32 } else { T::C64 };
                return Err(cx.with_conversion(error, 0, wanted));
            }
        };
        let batch = operand.rank() - length.len();
        let last = length.len() - 1;
        for (d, n) in length.iter().enumerate() {
            let expected = if kind == Kind::Irfft && d == last { half_spectrum_size(*n) } else { *n };
            // XLA compares no lengths of complex transforms; only an empty transform has a defined result.
            let is_empty_transform =
                *n == 0 && (matches!(kind, Kind::Fft | Kind::Ifft) || kind == Kind::Irfft && d == last);
            if !is_empty_transform && (*n < 0 || operand.dimensions[batch + d] != expected) {
                let message = Message::ops("op-fft-length")
                    .with("dimension", batch + d)
                    .with("size", operand.dimensions[batch + d])
                    .with("length", *n);
                return Err(cx.error("fft-4", message).at_attr("fft_length"));
            }
        }
        let mut sizes = operand.dimensions.clone();
        match kind {
            Kind::Rfft => sizes[batch + last] = half_spectrum_size(length[last]),
            Kind::Irfft => sizes[batch + last] = length[last],
            Kind::Fft | Kind::Ifft => {}
        }
        cx.result(to, sizes)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (operand, length) = (cx.array(0)?, cx.ints("fft_length"));
        let batch = operand.rank().saturating_sub(length.len());
        blockwise(
            cx,
            Transform { batch: operand.dimensions[..batch].into(), sizes: length.into(), kind: kind(cx) },
        )
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, length, word) = (to.name(0), to.cx.ints("fft_length"), to.cx.keyword("fft_type")?);
        if length.contains(&0) {
            return None;
        }
        let sizes = tuple(length);
        match to.language {
            Language::Rust => None,
            Language::Jax => Some(format!("lax.fft({x}, \"{word}\", {sizes})").into()),
            Language::NumPy => {
                let (name, axes) = (word.to_lowercase(), tuple(-i64::try_from(length.len()).ok()?..0));
                let dtype = to.dtype(to.result()?.element_type)?;
                // NumPy before version 2 returns every transform in 64 bits.
                Some(format!("np.fft.{name}n({x}, {sizes}, {axes}).astype({dtype})").into())
            }
        }
    }
}
