//! Runs divided among several workers in lock-step (SPMD): each executes the same plan on the same arguments, but computes only its
//! shard of the large products. The parts of a value are exchanged before a step reads elements of another worker's part; all
//! other steps are executed by every worker.
//!
//! The division is decided before the run, from plan and number of workers alone ([`analysis`]), so that all workers agree on it. A
//! divided value stays divided as long as its readers can be divided in the same way: an element-wise step that reads only the
//! worker's own part computes only its own part, and a chain of them has one exchange at its end.
//!
//! Modules, bottom up: [`partition`] (the parts of a value), [`exchange`] (the bytes of parts), [`divided_plan`] (what each worker
//! executes), [`liveness`], [`candidates`] (dimensions and what dividing them costs) and [`analysis`].
//!
//! Invariants: jumps have no divided value, so that a value is complete wherever control flow joins. Only dimensions of results
//! are divided, so that the bits are those of one worker (`xla_kernels::sharding`).

pub mod analysis;
pub mod candidates;
pub mod divided_plan;
pub mod exchange;
mod liveness;
mod partition;
