//! A kernel module that is re-instantiated after a crash.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::elements::ElementRange;
use super::{KernelModule, TaskError};
use crate::array::literal::Buffer;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, KernelsError, Mode};
use crate::kernels::Task;

/// A kernel module that is re-instantiated after a crash.
pub struct RestartingModule {
    module: RefCell<Rc<KernelModule>>,
    /// Why it is a substitute, if it is one.
    substitution_cause: Option<Cause>,
}

impl RestartingModule {
    /// Wraps a module; a substitute has the cause of the substitution.
    pub fn new(module: KernelModule, substitution_cause: Option<Cause>) -> Self {
        Self { module: RefCell::new(Rc::new(module)), substitution_cause }
    }

    /// The current instance.
    pub fn module(&self) -> Rc<KernelModule> {
        self.module.borrow().clone()
    }

    /// Restarts the instance if it crashed; returns the result unchanged.
    fn restart_after_crash(&self, result: Result<String, TaskError>) -> Result<String, KernelsError> {
        if matches!(result, Err(TaskError::Unavailable(_))) {
            self.restart();
        }
        result.map_err(KernelsError::from)
    }

    /// Replaces a crashed instance. If that fails, the next task reports why.
    pub fn restart(&self) {
        let restarted = self.module().new_instance();
        if let Ok(module) = restarted {
            self.module.replace(Rc::new(module));
        }
    }

    /// Runs a task on ranges of the buffers that it reads and writes; returns the kernel's name.
    pub fn run_ranges(
        &self,
        task: &Task,
        read: &[ElementRange],
        written: &mut [(&mut Buffer, Range<usize>)],
    ) -> Result<String, KernelsError> {
        self.restart_after_crash(self.module().run_ranges(task, read, written))
    }
}

impl Kernels for RestartingModule {
    fn mode(&self) -> Mode {
        self.module().build().mode()
    }

    fn substitute_build(&self) -> Option<(Build, Cause)> {
        self.substitution_cause.clone().map(|cause| (self.module().build(), cause))
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError> {
        let read: Vec<ElementRange> = read.iter().map(|buffer| (*buffer, 0..buffer.len())).collect();
        let written = written.iter_mut().map(|buffer| (0..buffer.len(), &mut **buffer));
        let mut written: Vec<_> = written.map(|(range, buffer)| (buffer, range)).collect();
        self.run_ranges(task, &read, &mut written)
    }
}
