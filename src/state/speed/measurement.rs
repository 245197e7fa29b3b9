//! The observations of a measurement: implementations of a setup, ceilings of the machine, and samples.

use super::ops::Unit;
use crate::cause::Cause;

/// An implementation of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Implementation {
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

/// The reason why an implementation is omitted from a measurement.
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
    /// The kernel or the evaluator rejected it.
    Failed,
}

/// A ceiling of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CeilingKind {
    /// Multiply and add as two operations in SIMD registers: billions of operations per second.
    MulAdd,
    /// Multiply and add fused into one operation.
    Fused,
    /// [`CeilingKind::MulAdd`] in this number of workers at the same time.
    Workers(u32),
    /// Reading and writing as many bytes as the op does, without computing: billions of bytes per second.
    Copy,
}

impl CeilingKind {
    /// The ceiling of an implementation of an op with this unit.
    pub fn new(unit: Unit, implementation: Implementation) -> Self {
        match (unit, implementation) {
            (Unit::Bytes, _) => Self::Copy,
            (Unit::Flops, Implementation::Fast) => Self::Fused,
            (Unit::Flops, Implementation::Workers(count)) => Self::Workers(count),
            (Unit::Flops, _) => Self::MulAdd,
        }
    }
}

/// A progress report of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// A sample of a ceiling of the machine.
    Ceiling {
        /// Which ceiling was measured.
        kind: CeilingKind,
        /// The index of the size; 0 if sizes are not compared.
        point: u32,
        /// The rate, in the unit of the op.
        rate: f64,
    },
    /// The number of cases to measure.
    CaseCount(u32),
    /// A case is prepared, or omitted.
    Case {
        /// The implementation that was measured.
        implementation: Implementation,
        /// The index of the size or layout.
        point: u32,
        /// The kernel's name, or why the case is omitted.
        kernel: Result<String, Omission>,
    },
    /// A sample of the time of an implementation.
    Sample {
        /// The implementation that was measured.
        implementation: Implementation,
        /// The index of the size or layout.
        point: u32,
        /// Milliseconds per run.
        ms: f64,
    },
}
