//! What a measurement observes: ways to compute a setup, limits of the machine, and samples.

use crate::cause::Cause;

/// A way to compute a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// The reference evaluator, one cell after the other.
    Reference,
    /// Kernels without SIMD.
    Scalar,
    /// Kernels with SIMD that give the same bits on every machine.
    Strict,
    /// Kernels that may fuse multiply and add.
    Fast,
    /// Strict kernels in so many workers.
    Workers(u32),
}

/// Why a way is not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The reference evaluator would take too long.
    TooLong,
    /// No kernel supports it yet.
    NoKernel,
    /// The module of its kernels is not available, or a kernel crashed.
    Unavailable(Cause),
    /// Only a dot is shared by workers, and only with enough rows.
    NotSplit,
    /// So many workers do not start, or have no memory.
    NoWorkers,
    /// It was refused.
    Failed,
}

/// A limit of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Multiply, then add, in SIMD registers: billions of operations a second.
    MulAdd,
    /// Both fused.
    Fused,
    /// Memory copied, as much as the op reads and writes: billions of bytes a second, read and written.
    Copy,
}

/// A step of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// A limit of the machine.
    Limit(Limit, f64),
    /// The number of rows that will be measured.
    Rows(u32),
    /// A row is ready to be measured by this kernel, or left out.
    Row {
        /// The way.
        way: Way,
        /// The size or the layout, by its number.
        point: u32,
        /// The kernel, or why not.
        by: Result<String, LeftOut>,
    },
    /// A sample: the milliseconds of one run.
    Sample {
        /// The way.
        way: Way,
        /// The size or the layout.
        point: u32,
        /// One run.
        ms: f64,
    },
}
