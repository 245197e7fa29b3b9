//! The table of measurable ops: name, sizes and their defaults, and the unit of the rate.
//!
//! The form, the link, the limits and the charts are derived from the table; only [`super::task`] knows what an op
//! computes.

use crate::kernels::task::{Binary, Reducer, Unary};

/// The sizes of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Named sizes, by message keys.
    Named(&'static [&'static str]),
    /// The dimensions of one array, with the lowest and the highest rank.
    Dimensions(usize, usize),
}

/// The unit of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Floating-point operations, two per multiply-add.
    Flops,
    /// Bytes read and written, each array once.
    Bytes,
}

/// The meaning of an op's list of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// The op has none.
    None,
    /// The reduced dimensions.
    Reduced,
    /// The permutation of a transpose: the operand's dimension for each dimension of the result.
    Permutation,
}

/// What an op computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `[m,k] · [k,n]`.
    Dot,
    /// Two-dimensional, stride 1, with a result as large as the input.
    Convolution,
    /// Reduction.
    Reduce(Reducer),
    /// Elementwise, one operand.
    Unary(Unary),
    /// Elementwise, two operands.
    Binary(Binary),
    /// Transpose.
    Transpose,
    /// Sort along the last dimension.
    Sort,
    /// Softmax along the last dimension.
    Softmax,
}

/// A measurable op.
#[derive(Debug)]
pub struct Op {
    /// Its name in links.
    pub name: &'static str,
    /// The message key of its name.
    pub label: &'static str,
    /// What it computes.
    pub kind: Kind,
    /// Its sizes.
    pub sizes: Sizes,
    /// The default sizes: small enough for the reference evaluator, so that no row is omitted.
    pub start: &'static [u64],
    /// The meaning of its list of dimensions, and the default list.
    pub dims: (Dims, &'static [usize]),
    /// The unit of its rate.
    pub unit: Unit,
}

impl PartialEq for Op {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Op {}

const NO_DIMS: (Dims, &[usize]) = (Dims::None, &[]);
const PLANE: &[u64] = &[1024, 1024];
const RANKS: Sizes = Sizes::Dimensions(1, 4);

/// All measurable ops; the first is the default.
pub static OPS: &[Op] = &[
    Op {
        name: "dot",
        label: "speed-op-dot",
        kind: Kind::Dot,
        sizes: Sizes::Named(&["speed-size-m", "speed-size-k", "speed-size-n"]),
        start: &[128, 128, 128],
        dims: NO_DIMS,
        unit: Unit::Flops,
    },
    Op {
        name: "convolution",
        label: "speed-op-convolution",
        kind: Kind::Convolution,
        sizes: Sizes::Named(&[
            "speed-size-batch",
            "speed-size-side",
            "speed-size-in",
            "speed-size-out",
            "speed-size-window",
        ]),
        start: &[1, 28, 16, 16, 3],
        dims: NO_DIMS,
        unit: Unit::Flops,
    },
    Op {
        name: "reduce-sum",
        label: "speed-op-sum",
        kind: Kind::Reduce(Reducer::Add),
        sizes: RANKS,
        start: PLANE,
        dims: (Dims::Reduced, &[1]),
        unit: Unit::Bytes,
    },
    Op {
        name: "reduce-max",
        label: "speed-op-max",
        kind: Kind::Reduce(Reducer::Max),
        sizes: RANKS,
        start: PLANE,
        dims: (Dims::Reduced, &[1]),
        unit: Unit::Bytes,
    },
    Op {
        name: "add",
        label: "speed-op-add",
        kind: Kind::Binary(Binary::Add),
        sizes: RANKS,
        start: PLANE,
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
    Op {
        name: "exp",
        label: "speed-op-exp",
        kind: Kind::Unary(Unary::Exponential),
        sizes: RANKS,
        start: PLANE,
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
    Op {
        name: "tanh",
        label: "speed-op-tanh",
        kind: Kind::Unary(Unary::Tanh),
        sizes: RANKS,
        start: PLANE,
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
    Op {
        name: "transpose",
        label: "speed-op-transpose",
        kind: Kind::Transpose,
        sizes: Sizes::Dimensions(2, 4),
        start: PLANE,
        dims: (Dims::Permutation, &[1, 0]),
        unit: Unit::Bytes,
    },
    Op {
        name: "sort",
        label: "speed-op-sort",
        kind: Kind::Sort,
        sizes: RANKS,
        start: &[256, 256],
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
    Op {
        name: "softmax",
        label: "speed-op-softmax",
        kind: Kind::Softmax,
        sizes: RANKS,
        start: &[512, 512],
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
];

impl Op {
    /// The op of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        OPS.iter().find(|op| op.name == name)
    }
}
