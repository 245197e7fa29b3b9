//! The ops that can be measured, as a table: a name, what its sizes are called, where it starts, what its rate counts.
//!
//! The form, the link, the limits and the charts read the table; [`super::task`] alone knows what an op does.

use crate::kernels::task::{Binary, Reducer, Unary};

/// What the sizes of an op are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Each has a name: keys of the catalogue.
    Named(&'static [&'static str]),
    /// Those of the dimensions of one array, so many at least and at most.
    Dimensions(usize, usize),
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Products and sums, two a multiply-add.
    Flops,
    /// Bytes read and written, each array once.
    Bytes,
}

/// What the op's list of dimensions says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// It has none.
    None,
    /// Which dimensions go.
    Over,
    /// Which dimension of the operand comes to each place.
    To,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `[m,k] · [k,n]`.
    Dot,
    /// Two-dimensional, stride 1, as large as its input.
    Convolution,
    /// Many elements made one.
    Reduce(Reducer),
    /// Of one element.
    Unary(Unary),
    /// Of two elements.
    Binary(Binary),
    /// Dimensions in another order.
    Transpose,
    /// Along the last dimension.
    Sort,
    /// Along the last dimension.
    Softmax,
}

/// An op that can be measured.
#[derive(Debug)]
pub struct Op {
    /// Its name in links.
    pub name: &'static str,
    /// Its name on the screen, a key of the catalogue.
    pub label: &'static str,
    /// What it does.
    pub kind: Kind,
    /// What its sizes are.
    pub sizes: Sizes,
    /// The sizes it starts with.
    pub start: &'static [u64],
    /// What its list of dimensions says, and how it starts.
    pub dims: (Dims, &'static [usize]),
    /// What a rate counts.
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

/// Every op that can be measured, the first one first.
pub static OPS: &[Op] = &[
    Op {
        name: "dot",
        label: "speed-op-dot",
        kind: Kind::Dot,
        sizes: Sizes::Named(&["speed-size-m", "speed-size-k", "speed-size-n"]),
        start: &[512, 512, 512],
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
        start: &[1, 56, 64, 64, 3],
        dims: NO_DIMS,
        unit: Unit::Flops,
    },
    Op {
        name: "reduce-sum",
        label: "speed-op-sum",
        kind: Kind::Reduce(Reducer::Add),
        sizes: RANKS,
        start: PLANE,
        dims: (Dims::Over, &[1]),
        unit: Unit::Bytes,
    },
    Op {
        name: "reduce-max",
        label: "speed-op-max",
        kind: Kind::Reduce(Reducer::Max),
        sizes: RANKS,
        start: PLANE,
        dims: (Dims::Over, &[1]),
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
        dims: (Dims::To, &[1, 0]),
        unit: Unit::Bytes,
    },
    Op {
        name: "sort",
        label: "speed-op-sort",
        kind: Kind::Sort,
        sizes: RANKS,
        start: PLANE,
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
    Op {
        name: "softmax",
        label: "speed-op-softmax",
        kind: Kind::Softmax,
        sizes: RANKS,
        start: PLANE,
        dims: NO_DIMS,
        unit: Unit::Bytes,
    },
];

impl Op {
    /// The op of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPS.iter().find(|op| op.name == name)
    }
}
