//! The kernels' WebAssembly module in a worker: a separate instance with its own memory.
//!
//! Operands are copied into its memory and results out of it, once each (`elements`). A module that is not available
//! (`file`) is not an error: the reference evaluator computes the op, and the result states the cause. A crashed
//! instance is replaced (`restarting`).

pub mod elements;
pub mod file;
mod restarting;

pub use restarting::RestartingModule;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use js_sys::{Float32Array, Function, Int32Array, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::array::literal::Buffer;
use crate::cause::{self, Cause};
use crate::hlo::eval::kernel::{Build, KernelsError};
use crate::kernels::{KernelError, Task, choose};
use elements::ElementRange;
pub use elements::{copy_from_memory, copy_to_memory};
use file::{has_substitute, pages, substitute};

/// Observes the progress of a task, from 0 to 1.
type TaskObserver = Rc<RefCell<Option<Box<dyn Fn(f64)>>>>;

/// An instance of the module.
pub struct KernelModule {
    build: Build,
    compiled: WebAssembly::Module,
    memory: WebAssembly::Memory,
    exported_words: Function,
    exported_prepare: Function,
    exported_buffer: Function,
    exported_run: Function,
    exported_dispose: Function,
    exported_name: Function,
    exported_name_length: Function,
    exports: Object,
    /// The kernel name of each handle's task, and the bytes of its buffers.
    tasks: RefCell<BTreeMap<u32, (&'static str, u64)>>,
    /// The steps of the running task: the total, and those done.
    total_steps: Rc<Cell<f64>>,
    done_steps: Rc<Cell<f64>>,
    observer: TaskObserver,
    _tick: Closure<dyn FnMut(f64) -> i32>,
}

/// Why a task could not be prepared or run.
#[derive(Clone, Debug)]
pub enum TaskError {
    /// The kernels rejected it.
    Stopped(KernelError),
    /// The kernel was not available.
    Unavailable(Cause),
}

impl TaskError {
    /// The task is invalid.
    const INVALID: Self = Self::Stopped(KernelError::InvalidTask);
}

impl From<TaskError> for KernelsError {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Stopped(error) => Self::Stopped(error),
            TaskError::Unavailable(cause) => Self::Unavailable(cause),
        }
    }
}

/// Decodes the return value of an export: a number from 0, or the negative code of a [`KernelError`].
fn decode(returned: &JsValue) -> Result<u32, KernelError> {
    #[allow(clippy::cast_possible_truncation, reason = "an i32 of the module")]
    let code = returned.as_f64().ok_or(KernelError::InvalidTask)? as i32;
    u32::try_from(code).map_err(|_| KernelError::from_code(code).unwrap_or(KernelError::InvalidTask))
}

/// Maximum scratch memory of a kernel, in addition to a quarter of the size of its operands (`tests/e2e/kernels_memory.rs`).
const MAX_SCRATCH_BYTES: u64 = 8 << 20;

fn to_address(value: Result<JsValue, JsValue>) -> Option<u32> {
    // Addresses from 2 GiB are negative as an i32.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an i32 of the module, reinterpreted as an address"
    )]
    value.ok()?.as_f64().map(|number| number as i64 as u32)
}

/// The imports of a module: `tick`, which reports steps.
fn imports(tick: &Closure<dyn FnMut(f64) -> i32>) -> Result<Object, JsValue> {
    let (imports, env) = (Object::new(), Object::new());
    Reflect::set(&env, &"tick".into(), tick.as_ref())?;
    Reflect::set(&imports, &"env".into(), &env)?;
    Ok(imports)
}

impl KernelModule {
    /// Loads and instantiates a module.
    ///
    /// # Errors
    /// Why it is not available.
    pub async fn load(build: Build) -> Result<Self, Cause> {
        let compiled = file::compiled(build).await?;
        let (tick, progress) = Self::tick_closure(TaskObserver::default());
        let imports = imports(&tick).map_err(|_| Cause::Corrupt)?;
        let instance = file::instantiate(&compiled, &imports).await?;
        Self::from_instance(build, compiled, &instance, tick, progress)
    }

    /// Loads and instantiates a module, or a substitute if that fails. For a substitute, also returns the cause.
    pub async fn load_or_substitute(requested: Build) -> Result<(Self, Option<Cause>), Cause> {
        let (mut build, mut substitution_cause) = (requested, None);
        loop {
            match Self::load(build).await {
                Ok(module) => return Ok((module, substitution_cause)),
                Err(cause) if has_substitute(build, &cause) => {
                    build = substitute(build);
                    substitution_cause = Some(cause);
                }
                Err(cause) => return Err(cause),
            }
        }
    }

    /// A new instance in place of one that crashed.
    ///
    /// # Errors
    /// Why there is none: out of memory, or a module that is damaged or of another release.
    pub fn new_instance(&self) -> Result<Self, Cause> {
        let (tick, progress) = Self::tick_closure(self.observer.clone());
        let imports = imports(&tick).map_err(|_| Cause::Corrupt)?;
        let instance = file::instantiate_sync(&self.compiled, &imports)?;
        Self::from_instance(self.build, self.compiled.clone(), &instance, tick, progress)
    }

    #[allow(clippy::type_complexity, reason = "the progress counters of a module under construction")]
    fn tick_closure(
        observer: TaskObserver,
    ) -> (Closure<dyn FnMut(f64) -> i32>, (Rc<Cell<f64>>, Rc<Cell<f64>>, TaskObserver)) {
        let (total, done) = (Rc::new(Cell::new(1.0)), Rc::new(Cell::new(0.0)));
        let progress = (total.clone(), done.clone(), observer.clone());
        let tick = Closure::<dyn FnMut(f64) -> i32>::new(move |steps: f64| {
            done.set(done.get() + steps);
            if let Some(observer) = &*observer.borrow() {
                observer((done.get() / total.get()).min(1.0));
            }
            1
        });
        (tick, progress)
    }

    fn from_instance(
        build: Build,
        compiled: WebAssembly::Module,
        instance: &WebAssembly::Instance,
        tick: Closure<dyn FnMut(f64) -> i32>,
        (total_steps, done_steps, observer): (Rc<Cell<f64>>, Rc<Cell<f64>>, TaskObserver),
    ) -> Result<Self, Cause> {
        let exports = instance.exports();
        let function = |name: &str| {
            let export = Reflect::get(&exports, &name.into()).ok();
            export.and_then(|export| export.dyn_into::<Function>().ok()).ok_or(Cause::ReleaseMismatch)
        };
        let memory = Reflect::get(&exports, &"memory".into()).ok();
        Ok(Self {
            build,
            compiled,
            memory: memory.and_then(|memory| memory.dyn_into().ok()).ok_or(Cause::ReleaseMismatch)?,
            exported_words: function("words")?,
            exported_prepare: function("prepare")?,
            exported_buffer: function("buffer")?,
            exported_run: function("run")?,
            exported_dispose: function("dispose")?,
            exported_name: function("kernel_name")?,
            exported_name_length: function("kernel_name_length")?,
            exports,
            tasks: RefCell::default(),
            total_steps,
            done_steps,
            observer,
            _tick: tick,
        })
    }

    /// The build of the module.
    pub fn build(&self) -> Build {
        self.build
    }

    /// Sets the observer of the task's progress.
    pub fn observe(&self, observer: impl Fn(f64) + 'static) {
        *self.observer.borrow_mut() = Some(Box::new(observer));
    }

    /// The error for an export that threw during a task of this kernel with `bytes` of buffers. The instance is unusable
    /// after that.
    ///
    /// A kernel traps if it cannot allocate scratch memory, or if it has a bug. It is the former if the memory can no longer
    /// grow by that much.
    fn crash_error(&self, error: &JsValue, name: &str, bytes: u64) -> TaskError {
        let grow = Reflect::get(&self.memory, &"grow".into()).ok().and_then(|grow| grow.dyn_into().ok());
        let grown =
            grow.map(|grow: Function| grow.apply(&self.memory, &pages(bytes / 4 + MAX_SCRATCH_BYTES)));
        TaskError::Unavailable(match Cause::of_error(cause::Part::Kernels, &file::text_of(error)) {
            Cause::OutOfMemory(_) => Cause::OutOfMemory(Some(bytes)),
            _ if matches!(grown, Some(Err(_))) => Cause::OutOfMemory(Some(bytes)),
            _ => Cause::Crashed(name.to_owned()),
        })
    }

    /// Prepares a task with zeroed buffers of these numbers of elements, and returns its handle.
    pub fn prepare(&self, task: &Task, elements: impl Iterator<Item = usize>) -> Result<u32, TaskError> {
        let mut words = task.to_words().ok_or(TaskError::INVALID)?;
        let (count, elements) = (words.len(), elements.collect::<Vec<_>>());
        let (read, written) = task.types();
        let sizes = read.iter().chain(&written).map(|ty| ty.bytes() as u64);
        let bytes = sizes.zip(&elements).map(|(size, elements)| size.saturating_mul(*elements as u64));
        let bytes = bytes.fold(0, u64::saturating_add);
        let too_large = || TaskError::Unavailable(Cause::OutOfMemory(Some(bytes)));
        for elements in elements {
            words.push(i32::try_from(elements).map_err(|_| too_large())?);
        }
        let (none, name) = (JsValue::UNDEFINED, choose(task).map_or("kernel", |kernel| kernel.name));
        let count = u32::try_from(count).map_err(|_| TaskError::INVALID)?;
        let length = u32::try_from(words.len()).map_err(|_| TaskError::INVALID)?;
        let address = self.exported_words.call1(&none, &length.into());
        let address = to_address(Ok(address.map_err(|error| self.crash_error(&error, name, bytes))?))
            .ok_or(TaskError::INVALID)?;
        Int32Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, length).copy_from(&words);
        let handle = self.exported_prepare.call1(&none, &count.into());
        let returned = handle.map_err(|error| self.crash_error(&error, name, bytes))?;
        let handle = decode(&returned).map_err(|error| match error {
            KernelError::OutOfMemory => too_large(),
            error => TaskError::Stopped(error),
        })?;
        self.tasks.borrow_mut().insert(handle, (name, bytes));
        Ok(handle)
    }

    /// Runs the task of a handle on its buffers.
    pub fn run(&self, handle: u32) -> Result<(), TaskError> {
        let returned = self.exported_run.call1(&JsValue::UNDEFINED, &handle.into()).map_err(|error| {
            // A handle that was disposed of has no task, and its error no details.
            let (name, bytes) = self.tasks.borrow().get(&handle).copied().unwrap_or(("kernel", 0));
            self.crash_error(&error, name, bytes)
        })?;
        decode(&returned).map(drop).map_err(TaskError::Stopped)
    }

    /// A view of a buffer's `f32` elements, valid until the memory grows.
    pub fn floats(&self, handle: u32, buffer: usize, elements: usize) -> Option<Float32Array> {
        let (address, elements) = (self.address(handle, buffer)?, u32::try_from(elements).ok()?);
        Some(Float32Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, elements))
    }

    /// Frees a handle and its memory.
    pub fn dispose(&self, handle: u32) {
        self.tasks.borrow_mut().remove(&handle);
        // It has no return value.
        let _ = self.exported_dispose.call1(&JsValue::UNDEFINED, &handle.into());
    }

    /// Calls an export by name with one argument.
    pub fn call(&self, name: &str, number: f64) -> Option<f64> {
        let export = Reflect::get(&self.exports, &name.into()).ok()?.dyn_into::<Function>().ok()?;
        export.call1(&JsValue::UNDEFINED, &number.into()).ok()?.as_f64()
    }

    fn address(&self, handle: u32, buffer: usize) -> Option<u32> {
        to_address(self.exported_buffer.call2(
            &JsValue::UNDEFINED,
            &handle.into(),
            &u32::try_from(buffer).ok()?.into(),
        ))
    }

    /// The name of the kernel that runs the task of a handle.
    pub fn name(&self, handle: u32) -> Option<String> {
        let address = to_address(self.exported_name.call1(&JsValue::UNDEFINED, &handle.into()))?;
        let length = to_address(self.exported_name_length.call1(&JsValue::UNDEFINED, &handle.into()))?;
        let bytes =
            Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, length).to_vec();
        String::from_utf8(bytes).ok()
    }

    /// A view of a buffer's bytes, valid until the memory grows.
    pub fn bytes(&self, handle: u32, buffer: usize, length: u32) -> Option<Uint8Array> {
        let address = self.address(handle, buffer)?;
        Some(Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, length))
    }

    /// Runs a task on ranges of the buffers that it reads and writes; returns the kernel's name.
    pub fn run_ranges(
        &self,
        task: &Task,
        read: &[ElementRange],
        written: &mut [(&mut Buffer, Range<usize>)],
    ) -> Result<String, TaskError> {
        let read_cells = read.iter().map(|(_, range)| range.len());
        let handle = self.prepare(task, read_cells.chain(written.iter().map(|(_, range)| range.len())))?;
        let result = self.run_copied(handle, task, read, written);
        self.dispose(handle);
        result
    }

    /// Copies operands in, runs, and copies results out.
    fn run_copied(
        &self,
        handle: u32,
        task: &Task,
        read: &[ElementRange],
        written: &mut [(&mut Buffer, Range<usize>)],
    ) -> Result<String, TaskError> {
        let address = |number| self.address(handle, number).ok_or(TaskError::INVALID);
        for (i, (buffer, range)) in read.iter().enumerate() {
            copy_to_memory(buffer, range, &self.memory, address(i)?).ok_or(TaskError::INVALID)?;
        }
        // Cells of a result that the task does not write keep their values.
        for (i, (buffer, range)) in written.iter().enumerate() {
            copy_to_memory(buffer, range, &self.memory, address(read.len() + i)?)
                .ok_or(TaskError::INVALID)?;
        }
        #[allow(clippy::cast_precision_loss, reason = "a fraction for display")]
        self.total_steps.set(task.steps().max(1) as f64);
        self.done_steps.set(0.0);
        self.run(handle)?;
        for (i, (buffer, range)) in written.iter_mut().enumerate() {
            copy_from_memory(&self.memory.buffer(), address(read.len() + i)?, buffer, range)
                .ok_or(TaskError::INVALID)?;
        }
        self.name(handle).ok_or(TaskError::INVALID)
    }
}
