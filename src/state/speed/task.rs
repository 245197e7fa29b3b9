//! Converts a setup to a kernel's task, with any layouts, and to HLO text for the reference evaluator.
//!
//! `tests/native/speed.rs` compares what both compute. All elements are `f32`.

// Writing to a string cannot fail.
use std::fmt::Write as _;

use super::ops::Kind;
use super::setup::Setup;
use crate::bug::OrBug as _;
use crate::kernels::task::{
    Array, Binary, Convolution, Dot, Map, Move, Reduce, Reducer, Softmax, Sort, Task, Type, Unary, Window,
};
use crate::kernels::view::View;

/// A task and the lengths of its buffers.
#[derive(Clone, Debug)]
pub struct PreparedTask {
    /// The task to run.
    pub task: Task,
    /// The number of elements of each input.
    pub input_lengths: Vec<usize>,
    /// The number of elements of the output.
    pub output_length: usize,
}

/// An array of these sizes in this layout; `None` on overflow.
fn array(sizes: &[u64], minor_to_major: &[usize]) -> Option<Array> {
    let sizes: Vec<usize> = sizes.iter().map(|size| usize::try_from(*size).ok()).collect::<Option<_>>()?;
    let mut strides = vec![1; sizes.len()];
    let mut stride = 1isize;
    for d in minor_to_major {
        *strides.get_mut(*d)? = stride;
        stride = stride.checked_mul(sizes.get(*d)?.cast_signed())?;
    }
    Some(Array { ty: Type::F32, view: View { offset: 0, sizes, strides } })
}

/// The row-major layout.
fn row_major(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

/// The task of a setup with these layouts of operands and result, or row-major ones; `None` if sizes or strides
/// overflow.
pub fn task(setup: &Setup, layouts: Option<&[Vec<usize>]>) -> Option<PreparedTask> {
    let shapes = setup.shapes();
    let layout = |i: usize| match layouts {
        Some(layouts) => layouts.get(i).cloned(),
        None => Some(row_major(shapes[i].len())),
    };
    let arrays: Vec<Array> =
        shapes.iter().enumerate().map(|(i, shape)| array(shape, &layout(i)?)).collect::<Option<_>>()?;
    let mut input_lengths: Vec<usize> = arrays.iter().map(|array| array.view.elements()).collect();
    let (out, operands) = arrays.split_last()?;
    let (first, second) = (operands.first()?.clone(), operands.get(1).cloned());
    let out = out.clone();
    let output_length = input_lengths.pop()?;
    let task = match setup.op.kind {
        Kind::Dot => Task::Dot(Dot {
            lhs: first,
            rhs: second?,
            out,
            lhs_batch: Vec::new(),
            rhs_batch: Vec::new(),
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
        }),
        Kind::Convolution => {
            let rhs = second?;
            let size = *rhs.view.sizes.first()?;
            let (low, high) = ((size - 1) / 2, size / 2);
            let window = Window {
                size,
                stride: 1,
                low: low.cast_signed(),
                high: high.cast_signed(),
                base_dilation: 1,
                dilation: 1,
                is_reversed: false,
            };
            let permuted =
                |array: &Array, order: &[usize]| Array { ty: array.ty, view: array.view.permuted(order) };
            Task::Convolution(Convolution {
                lhs: permuted(&first, &[0, 3, 1, 2]),
                rhs: permuted(&rhs, &[3, 2, 0, 1]),
                out: permuted(&out, &[0, 3, 1, 2]),
                window: vec![window, window],
                feature_groups: 1,
                batch_groups: 1,
            })
        }
        Kind::Reduce(reducer) => {
            input_lengths.push(1);
            Task::Reduce(Reduce { operand: first, out, dimensions: setup.dims.clone(), reducer })
        }
        Kind::Unary(f) => Task::Unary(Map { operands: [first], out, f }),
        Kind::Binary(f) => Task::Binary(Map { operands: [first, second?], out, f }),
        Kind::Transpose => {
            let source = first.view.permuted(&setup.dims);
            Task::Move(Move { ty: Type::F32, parts: vec![(source, out.view)], has_fill: false })
        }
        Kind::Sort => Task::Sort(Sort {
            dimension: first.view.rank().checked_sub(1)?,
            operands: vec![first],
            outs: vec![out.view],
            is_descending: false,
            is_total_order: true,
            is_stable: true,
        }),
        Kind::Softmax => {
            Task::Softmax(Softmax { dimension: first.view.rank().checked_sub(1)?, operand: first, out })
        }
    };
    Some(PreparedTask { task, input_lengths, output_length })
}

impl PreparedTask {
    /// The values of the inputs: pseudo-random numbers between -1 and 1, and the init value of a
    /// reduction.
    pub fn values(&self) -> Vec<Vec<f32>> {
        let mut state = 1u32;
        let mut next = || {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            #[allow(clippy::cast_precision_loss, reason = "23 bits fit")]
            let x = (state >> 9) as f32 / (1 << 22) as f32 - 1.0;
            x
        };
        let init = match &self.task {
            Task::Reduce(reduce) if reduce.reducer == Reducer::Max => Some(f32::NEG_INFINITY),
            Task::Reduce(_) => Some(0.0),
            _ => None,
        };
        let last = self.input_lengths.len().saturating_sub(1);
        let values = |(i, length): (usize, &usize)| match init {
            Some(init) if i == last => vec![init],
            _ => (0..*length).map(|_| next()).collect(),
        };
        self.input_lengths.iter().enumerate().map(values).collect()
    }
}

/// A shape as text: `f32[2,3]{1,0}`.
fn shape_text(sizes: &[u64], order: &[usize]) -> String {
    let list = |numbers: Vec<String>| numbers.join(",");
    let sizes = list(sizes.iter().map(u64::to_string).collect());
    let order = list(order.iter().map(usize::to_string).collect());
    format!("f32[{sizes}]{{{order}}}")
}

/// A computation that applies `opcode` to two scalars, as HLO text.
fn computation(name: &str, opcode: &str) -> String {
    format!(
        "{name} {{\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] {opcode}(x, y)\n}}\n\n"
    )
}

fn dims_text(dims: impl IntoIterator<Item = usize>) -> String {
    dims.into_iter().map(|d| d.to_string()).collect::<Vec<_>>().join(",")
}

/// The setup as HLO text with these layouts; its operands are parameters.
pub fn hlo(setup: &Setup, orders: Option<&[Vec<usize>]>) -> String {
    let shapes = setup.shapes();
    let order = |i: usize| {
        orders.and_then(|orders| orders.get(i).cloned()).unwrap_or_else(|| row_major(shapes[i].len()))
    };
    let mut texts: Vec<String> =
        shapes.iter().enumerate().map(|(i, shape)| shape_text(shape, &order(i))).collect();
    let out = texts.pop().or_bug(String::new(), "a setup without a result");
    let (mut before, mut body) = (String::new(), String::new());
    let names = ["a", "b"];
    for (number, (shape, name)) in texts.iter().zip(names).enumerate() {
        let _ = writeln!(body, "  {name} = {shape} parameter({number})");
    }
    let root = match setup.op.kind {
        Kind::Dot => "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}".to_owned(),
        Kind::Convolution => {
            let size = setup.sizes.last().copied().or_bug(1, "a convolution without five sizes");
            let (low, high) = (size.saturating_sub(1) / 2, size / 2);
            format!(
                "convolution(a, b), window={{size={size}x{size} pad={low}_{high}x{low}_{high}}}, \
                 dim_labels=b01f_01io->b01f"
            )
        }
        Kind::Reduce(reducer) => {
            let (opcode, init) = if reducer == Reducer::Max { ("maximum", "-inf") } else { ("add", "0") };
            before.push_str(&computation("reducer", opcode));
            let _ = writeln!(body, "  init = f32[] constant({init})");
            let dims = dims_text(setup.dims.iter().copied());
            format!("reduce(a, init), dimensions={{{dims}}}, to_apply=reducer")
        }
        Kind::Unary(f) => format!("{}(a)", if f == Unary::Tanh { "tanh" } else { "exponential" }),
        Kind::Binary(f) => format!("{}(a, b)", if f == Binary::Add { "add" } else { "multiply" }),
        Kind::Transpose => {
            format!("transpose(a), dimensions={{{}}}", dims_text(setup.dims.iter().copied()))
        }
        Kind::Sort => {
            before.push_str(
                "less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  \
                 ROOT z = pred[] compare(x, y), direction=LT, type=TOTALORDER\n}\n\n",
            );
            let last = setup.sizes.len().saturating_sub(1);
            format!("sort(a), dimensions={{{last}}}, is_stable=true, to_apply=less")
        }
        Kind::Softmax => {
            before.push_str(&(computation("max", "maximum") + &computation("sum", "add")));
            let last = setup.sizes.len().saturating_sub(1);
            let kept = &setup.sizes[..last];
            let (row, kept_dims) = (shape_text(kept, &row_major(last)), dims_text(0..last));
            let _ = write!(
                body,
                "  neg_inf = f32[] constant(-inf)\n  zero = f32[] constant(0)\n  \
                 m = {row} reduce(a, neg_inf), dimensions={{{last}}}, to_apply=max\n  \
                 ms = {out} broadcast(m), dimensions={{{kept_dims}}}\n  d = {out} subtract(a, ms)\n  \
                 e = {out} exponential(d)\n  s = {row} reduce(e, zero), dimensions={{{last}}}, to_apply=sum\n  \
                 ss = {out} broadcast(s), dimensions={{{kept_dims}}}\n"
            );
            "divide(e, ss)".to_owned()
        }
    };
    format!("HloModule speed\n\n{before}ENTRY e {{\n{body}  ROOT out = {out} {root}\n}}\n")
}
