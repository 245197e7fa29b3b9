//! A kernel module that survives crashes.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::cells::CellRange;
use super::{KernelModule, NotDone};
use crate::array::literal::Buffer;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, Mode, Refusal};
use crate::kernels::Task;

/// A module that gets a new instance after each crash.
pub struct RenewedModule {
    module: RefCell<Rc<KernelModule>>,
    /// Why it is not the requested module.
    why: Option<Cause>,
}

impl RenewedModule {
    /// Of a module, and why it is not the requested one.
    pub fn new(module: KernelModule, why: Option<Cause>) -> Self {
        Self { module: RefCell::new(Rc::new(module)), why }
    }

    /// The instance that runs now.
    pub fn module(&self) -> Rc<KernelModule> {
        self.module.borrow().clone()
    }

    /// A result; where it is a crash the next task gets another instance.
    fn after(&self, result: Result<String, NotDone>) -> Result<String, Refusal> {
        if matches!(result, Err(NotDone::Unavailable(_))) {
            self.renew();
        }
        result.map_err(Refusal::from)
    }

    /// Takes a new instance in place of one that crashed; where there is none, the next task reports why.
    pub fn renew(&self) {
        let restarted = self.module().restarted();
        if let Ok(module) = restarted {
            self.module.replace(Rc::new(module));
        }
    }

    /// Runs a task on some cells of the buffers that are read, into some of those that are written.
    pub fn run_ranges(
        &self,
        task: &Task,
        read: &[CellRange],
        written: &mut [(&mut Buffer, Range<usize>)],
    ) -> Result<String, Refusal> {
        self.after(self.module().run_ranges(task, read, written))
    }
}

impl Kernels for RenewedModule {
    fn mode(&self) -> Mode {
        self.module().build().mode()
    }

    fn replaced_build(&self) -> Option<(Build, Cause)> {
        self.why.clone().map(|why| (self.module().build(), why))
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal> {
        let read: Vec<CellRange> = read.iter().map(|buffer| (*buffer, 0..buffer.len())).collect();
        let written = written.iter_mut().map(|buffer| (0..buffer.len(), &mut **buffer));
        let mut written: Vec<_> = written.map(|(range, buffer)| (buffer, range)).collect();
        self.run_ranges(task, &read, &mut written)
    }
}
