//! Runs a case of a measurement.

use std::rc::Rc;

use js_sys::Float32Array;

use super::clock::now;
use super::plan::{Case, Modules};
use super::row_pool::RowPool;
use crate::array::{ArrayLiteral, Literal};
use crate::cause::Cause;
use crate::hlo::parser::parse;
use crate::hlo::{Evaluator, Limits, Module as HloModule};
use crate::kernels::KernelError;
use crate::state::speed::Setup;
use crate::state::speed::measurement::{Implementation, Omission};
use crate::state::speed::task::{PreparedTask, hlo, task};
use crate::worker::kernels::{KernelModule, TaskError};

/// Milliseconds after which a sample of several workers ends, even with fewer runs than requested: on a busy machine
/// a message to a worker and back occasionally takes a hundred times as long.
const MAX_POOL_SAMPLE_MS: f64 = 200.0;

/// Minimum number of rows of a dot per worker.
const MIN_ROWS_PER_WORKER: u64 = 4;

/// The implementation of a case, prepared to run.
pub enum Runner {
    /// A kernel, on the task of a handle.
    Kernel(Rc<KernelModule>, u32),
    /// The reference evaluator.
    Reference(Box<HloModule>, Vec<Literal>),
    /// Kernels in several workers.
    Pool(RowPool),
}

/// Why a case is omitted.
fn omission(why: TaskError) -> Omission {
    match why {
        TaskError::Stopped(KernelError::NoKernel) => Omission::NoKernel,
        TaskError::Stopped(_) => Omission::Failed,
        TaskError::Unavailable(cause) => Omission::Unavailable(cause),
    }
}

impl Runner {
    /// Prepares a case; returns its runner and the kernel's name.
    ///
    /// # Errors
    /// Why the case is omitted.
    pub async fn new(case: &Case, modules: &Modules) -> Result<(Self, String), Omission> {
        let setup = &case.setup;
        if case.implementation == Implementation::Reference && setup.is_too_long_for_reference() {
            return Err(Omission::TooLong);
        }
        let prepared = task(setup, case.orders.as_deref()).ok_or(Omission::Failed)?;
        if case.implementation == Implementation::Reference {
            let runner = reference(setup, &prepared).ok_or(Omission::Failed)?;
            return Ok((runner, String::new()));
        }
        let module = modules.get(case.implementation).map_err(Omission::Unavailable)?;
        if let (Implementation::Workers(count), [m, _, _]) = (case.implementation, setup.sizes.as_slice()) {
            if *m < u64::from(count) * MIN_ROWS_PER_WORKER {
                return Err(Omission::NotSplit);
            }
            if modules.spawn_disabled {
                return Err(Omission::NoWorkers);
            }
            let pool = RowPool::start(count, setup, &prepared.values()).await.ok_or(Omission::NoWorkers)?;
            return Ok((Self::Pool(pool), "dot f32".to_owned()));
        }
        let cells = prepared.input_lengths.iter().copied().chain([prepared.output_length]);
        let handle = module.prepare(&prepared.task, cells).map_err(omission)?;
        let runner = Self::Kernel(module.clone(), handle);
        for (i, values) in prepared.values().iter().enumerate() {
            let memory = module.floats(handle, i, values.len()).ok_or(Omission::Failed)?;
            memory.set(&Float32Array::from(values.as_slice()), 0);
        }
        let name = module.name(handle).ok_or(Omission::Failed)?;
        Ok((runner, name))
    }

    /// Runs the task once.
    async fn run(&mut self) -> Result<(), Omission> {
        match self {
            Self::Kernel(module, handle) => module.run(*handle).map_err(omission),
            Self::Reference(module, arguments) => {
                let limits = Limits { steps: u64::MAX, ..Limits::default() };
                let outcome = Evaluator::new(module).limits(limits).run(arguments);
                // Its steps are not limited: only memory can run out.
                outcome.map(drop).map_err(|_| Omission::Unavailable(Cause::OutOfMemory(None)))
            }
            Self::Pool(pool) => pool.run().await.ok_or(Omission::NoWorkers),
        }
    }

    /// Runs at most `runs` times; returns the milliseconds per run.
    pub async fn sample(&mut self, runs: u32) -> Result<f64, Omission> {
        let (start, mut done) = (now(), 0);
        loop {
            self.run().await?;
            done += 1;
            if done >= runs || matches!(self, Self::Pool(_)) && now() - start > MAX_POOL_SAMPLE_MS {
                return Ok((now() - start) / f64::from(done));
            }
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        if let Self::Kernel(module, handle) = self {
            module.dispose(*handle);
        }
    }
}

/// The reference evaluator with its module and arguments.
fn reference(setup: &Setup, prepared: &PreparedTask) -> Option<Runner> {
    let module = parse(&hlo(setup, None)).into_module().ok()?;
    let entry = module.entry_computation()?;
    let mut arguments = Vec::new();
    for (id, values) in entry.parameters.iter().zip(prepared.values()) {
        let shape = entry.get(*id)?.shape.as_array()?.clone();
        let mut literal = ArrayLiteral::zeros(shape).ok()?;
        literal.as_mut_slice::<f32>()?.copy_from_slice(&values);
        arguments.push(Literal::Array(literal));
    }
    Some(Runner::Reference(Box::new(module), arguments))
}
