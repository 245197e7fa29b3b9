//! The observations of a measurement: ways to compute a setup, ceilings of the machine, and samples.

use crate::cause::Cause;

/// A way to compute a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// The reference evaluator, cell by cell.
    Reference,
    /// Kernels without SIMD.
    Scalar,
    /// Kernels with SIMD, bit-identical on every machine.
    Strict,
    /// Kernels that may fuse multiply and add.
    Fast,
    /// Strict kernels in this number of workers.
    Workers(u32),
}

/// Why a way is omitted from a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Omission {
    /// The reference evaluator would take too long.
    TooLong,
    /// No kernel supports it.
    NoKernel,
    /// The module of its kernels is not available, or a kernel crashed.
    Unavailable(Cause),
    /// Only a dot with enough rows is divided among workers.
    NotSplit,
    /// Not all workers could be started, or one ran out of memory.
    NoWorkers,
    /// The kernel or the evaluator refused it.
    Failed,
}

/// A ceiling of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Multiply and add as two operations in SIMD registers: billions of operations per second.
    MulAdd,
    /// Multiply and add fused into one operation.
    Fused,
    /// Copying as much memory as the op reads and writes: billions of bytes per second, read and written.
    Copy,
}

/// A progress report of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// A ceiling of the machine.
    Limit(Limit, f64),
    /// The number of rows to measure.
    Rows(u32),
    /// A row is prepared, or omitted.
    Row {
        /// The way to compute it.
        way: Way,
        /// The index of the size or layout.
        point: u32,
        /// The kernel's name, or why the row is omitted.
        by: Result<String, Omission>,
    },
    /// A sample.
    Sample {
        /// The way to compute it.
        way: Way,
        /// The index of the size or layout.
        point: u32,
        /// Milliseconds per run.
        ms: f64,
    },
}
