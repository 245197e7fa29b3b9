//! The table of benchmark ops: name, sizes and their defaults, and the unit of the rate.
//!
//! The form, the share URL, the limits and the charts are derived from the table; only [`super::task`] knows what an op
//! computes.

use crate::kernels::task::{Binary, Reducer, Unary};

/// The sizes of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Named sizes, by message keys.
    Named(&'static [&'static str]),
    /// The dimensions of one array.
    Dimensions {
        /// The minimum rank.
        min_rank: usize,
        /// The maximum rank.
        max_rank: usize,
    },
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
pub enum DimsRole {
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
    /// Two-dimensional, with stride 1 and SAME padding.
    Convolution,
    /// A reduction over some dimensions.
    Reduce(Reducer),
    /// Elementwise, one operand.
    Unary(Unary),
    /// Elementwise, two operands.
    Binary(Binary),
    /// A transpose by a permutation.
    Transpose,
    /// Sort along the last dimension.
    Sort,
    /// Softmax along the last dimension.
    Softmax,
}

/// A benchmark op.
#[derive(Debug)]
pub struct Op {
    /// Its name in share URLs.
    pub name: &'static str,
    /// The message key of its name.
    pub label: &'static str,
    /// What it computes.
    pub kind: Kind,
    /// The meaning of its sizes.
    pub sizes: Sizes,
    /// The default sizes: small enough for the reference evaluator, so that the reference case is not skipped.
    pub default_sizes: &'static [u64],
    /// The meaning of its list of dimensions.
    pub dims_role: DimsRole,
    /// The default list of dimensions.
    pub default_dims: &'static [usize],
    /// The unit of its rate.
    pub unit: Unit,
}

impl PartialEq for Op {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Op {}

const SQUARE_1024: &[u64] = &[1024, 1024];
const RANK_1_TO_4: Sizes = Sizes::Dimensions { min_rank: 1, max_rank: 4 };

/// All benchmark ops; the first is the default.
pub static OPS: &[Op] = &[
    Op {
        name: "dot",
        label: "speed-op-dot",
        kind: Kind::Dot,
        sizes: Sizes::Named(&["speed-size-m", "speed-size-k", "speed-size-n"]),
        default_sizes: &[128, 128, 128],
        dims_role: DimsRole::None,
        default_dims: &[],
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
        default_sizes: &[1, 28, 16, 16, 3],
        dims_role: DimsRole::None,
        default_dims: &[],
        unit: Unit::Flops,
    },
    Op {
        name: "reduce-sum",
        label: "speed-op-sum",
        kind: Kind::Reduce(Reducer::Add),
        sizes: RANK_1_TO_4,
        default_sizes: SQUARE_1024,
        dims_role: DimsRole::Reduced,
        default_dims: &[1],
        unit: Unit::Bytes,
    },
    Op {
        name: "reduce-max",
        label: "speed-op-max",
        kind: Kind::Reduce(Reducer::Max),
        sizes: RANK_1_TO_4,
        default_sizes: SQUARE_1024,
        dims_role: DimsRole::Reduced,
        default_dims: &[1],
        unit: Unit::Bytes,
    },
    Op {
        name: "add",
        label: "speed-op-add",
        kind: Kind::Binary(Binary::Add),
        sizes: RANK_1_TO_4,
        default_sizes: SQUARE_1024,
        dims_role: DimsRole::None,
        default_dims: &[],
        unit: Unit::Bytes,
    },
    Op {
        name: "exp",
        label: "speed-op-exp",
        kind: Kind::Unary(Unary::Exponential),
        sizes: RANK_1_TO_4,
        default_sizes: SQUARE_1024,
        dims_role: DimsRole::None,
        default_dims: &[],
        unit: Unit::Bytes,
    },
    Op {
        name: "tanh",
        label: "speed-op-tanh",
        kind: Kind::Unary(Unary::Tanh),
        sizes: RANK_1_TO_4,
        default_sizes: SQUARE_1024,
        dims_role: DimsRole::None,
        default_dims: &[],
        unit: Unit::Bytes,
    },
    Op {
        name: "transpose",
        label: "speed-op-transpose",
        kind: Kind::Transpose,
        sizes: Sizes::Dimensions { min_rank: 2, max_rank: 4 },
        default_sizes: SQUARE_1024,
        dims_role: DimsRole::Permutation,
        default_dims: &[1, 0],
        unit: Unit::Bytes,
    },
    Op {
        name: "sort",
        label: "speed-op-sort",
        kind: Kind::Sort,
        sizes: RANK_1_TO_4,
        default_sizes: &[256, 256],
        dims_role: DimsRole::None,
        default_dims: &[],
        unit: Unit::Bytes,
    },
    Op {
        name: "softmax",
        label: "speed-op-softmax",
        kind: Kind::Softmax,
        sizes: RANK_1_TO_4,
        default_sizes: &[512, 512],
        dims_role: DimsRole::None,
        default_dims: &[],
        unit: Unit::Bytes,
    },
];

impl Op {
    /// The op of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        OPS.iter().find(|op| op.name == name)
    }
}
