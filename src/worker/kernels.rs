//! The kernels' WebAssembly module, as the worker runs it: an instance of its own, beside the one of the engine.
//!
//! Operands are copied into its memory and results out of it, once each, at the speed of memory; nothing is written
//! text or read cell by cell. The last tasks' memory is kept for the next run. A module that is not available is no failure: ops
//! then run their bodies, and the result says the cause.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use js_sys::{
    ArrayBuffer, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Function, Int8Array, Int16Array,
    Int32Array, Object, Reflect, Uint8Array, Uint16Array, Uint32Array, WebAssembly,
};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::evaluate_shares::Share;
use super::kernel_file::{self, has_substitute, pages, substitute};
use crate::array::literal::Buffer;
use crate::cause::{self, Cause};
use crate::hlo::eval::kernel::{Build, Kernels, Mode, Refusal};
use crate::kernels::{Stop, Task, choose};

/// Hears how much of a task is done, from 0 to 1.
type Hear = Rc<RefCell<Option<Box<dyn Fn(f64)>>>>;

/// An instance of the module.
pub struct Module {
    build: Build,
    compiled: WebAssembly::Module,
    memory: WebAssembly::Memory,
    words: Function,
    prepare: Function,
    buffer: Function,
    run: Function,
    dispose: Function,
    name: Function,
    name_length: Function,
    exports: Object,
    /// The kernel of each handle, and the bytes of its buffers.
    tasks: RefCell<BTreeMap<u32, (&'static str, u64)>>,
    /// Steps of the task that is running: all, and done.
    total: Rc<Cell<f64>>,
    done: Rc<Cell<f64>>,
    hear: Hear,
    _tick: Closure<dyn FnMut(f64) -> i32>,
}

/// Why a task cannot be prepared or run.
#[derive(Clone, Debug)]
pub(super) enum NotDone {
    /// No kernel does it.
    NoKernel,
    /// It is no task, or was refused.
    Refused,
    /// The kernel was not available.
    Unavailable(Cause),
}

impl From<NotDone> for Refusal {
    fn from(why: NotDone) -> Self {
        match why {
            NotDone::NoKernel => Self::Stopped(Stop::Unserved),
            NotDone::Refused => Self::Stopped(Stop::Invalid),
            NotDone::Unavailable(cause) => Self::Unavailable(cause),
        }
    }
}

/// What `prepare` answers where no kernel does a task, and where there is no memory for it.
const NO_KERNEL: f64 = -2.0;
const NO_MEMORY: f64 = -3.0;

/// The most that kernels take besides their operands: a quarter of these, and so many bytes (`tests/e2e/kernels_memory.rs`).
const SCRATCH: u64 = 8 << 20;

fn number(value: Result<JsValue, JsValue>) -> Option<u32> {
    // Addresses above 2 GiB come as negative numbers.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an i32 of the module, read as it is meant"
    )]
    value.ok()?.as_f64().map(|number| number as i64 as u32)
}

/// The imports of a module, which report steps.
fn imports(tick: &Closure<dyn FnMut(f64) -> i32>) -> Result<Object, JsValue> {
    let (imports, env) = (Object::new(), Object::new());
    Reflect::set(&env, &"tick".into(), tick.as_ref())?;
    Reflect::set(&imports, &"env".into(), &env)?;
    Ok(imports)
}

impl Module {
    /// Loads and starts a module. Errors: why it is not available.
    pub async fn load(build: Build) -> Result<Self, Cause> {
        let compiled = kernel_file::compiled(build).await?;
        let (tick, heard) = Self::ticking(Hear::default());
        let imports = imports(&tick).map_err(|_| Cause::Damaged)?;
        let instance = kernel_file::started(&compiled, &imports).await?;
        Self::of(build, compiled, &instance, tick, heard)
    }

    /// Loads and starts a module, or another one where the browser cannot run it; answers why, where it is another one.
    pub async fn load_or_substitute(asked: Build) -> Result<(Self, Option<Cause>), Cause> {
        let (mut build, mut why) = (asked, None);
        loop {
            match Self::load(build).await {
                Ok(module) => return Ok((module, why)),
                Err(cause) if has_substitute(build, &cause) => {
                    build = substitute(build);
                    why = Some(cause);
                }
                Err(cause) => return Err(cause),
            }
        }
    }

    /// A new instance in place of one that crashed. Errors: no memory for it.
    pub fn again(&self) -> Result<Self, Cause> {
        let (tick, heard) = Self::ticking(self.hear.clone());
        let imports = imports(&tick).map_err(|_| Cause::Damaged)?;
        let instance = kernel_file::started_again(&self.compiled, &imports)?;
        Self::of(self.build, self.compiled.clone(), &instance, tick, heard)
    }

    #[allow(clippy::type_complexity, reason = "two parts of a module under construction")]
    fn ticking(hear: Hear) -> (Closure<dyn FnMut(f64) -> i32>, (Rc<Cell<f64>>, Rc<Cell<f64>>, Hear)) {
        let (total, done) = (Rc::new(Cell::new(1.0)), Rc::new(Cell::new(0.0)));
        let heard = (total.clone(), done.clone(), hear.clone());
        let tick = Closure::<dyn FnMut(f64) -> i32>::new(move |steps: f64| {
            done.set(done.get() + steps);
            if let Some(hear) = &*hear.borrow() {
                hear((done.get() / total.get()).min(1.0));
            }
            1
        });
        (tick, heard)
    }

    fn of(
        build: Build,
        compiled: WebAssembly::Module,
        instance: &WebAssembly::Instance,
        tick: Closure<dyn FnMut(f64) -> i32>,
        (total, done, hear): (Rc<Cell<f64>>, Rc<Cell<f64>>, Hear),
    ) -> Result<Self, Cause> {
        let exports = instance.exports();
        let function = |name: &str| {
            let export = Reflect::get(&exports, &name.into()).ok();
            export.and_then(|export| export.dyn_into::<Function>().ok()).ok_or(Cause::OtherRelease)
        };
        let memory = Reflect::get(&exports, &"memory".into()).ok();
        Ok(Self {
            build,
            compiled,
            memory: memory.and_then(|memory| memory.dyn_into().ok()).ok_or(Cause::OtherRelease)?,
            words: function("words")?,
            prepare: function("prepare")?,
            buffer: function("buffer")?,
            run: function("run")?,
            dispose: function("dispose")?,
            name: function("kernel_name")?,
            name_length: function("kernel_name_length")?,
            exports,
            tasks: RefCell::default(),
            total,
            done,
            hear,
            _tick: tick,
        })
    }

    /// How it was compiled.
    pub fn build(&self) -> Build {
        self.build
    }

    /// Who hears how far a task is, until the next one is named.
    pub fn heard_by(&self, hear: impl Fn(f64) + 'static) {
        *self.hear.borrow_mut() = Some(Box::new(hear));
    }

    /// Why an export threw, in the task of a kernel whose buffers take so many bytes. The instance is of no use after that.
    ///
    /// A kernel that gets no memory for its scratch ends as one with a bug does; what tells them apart is whether the memory
    /// can still grow by that much.
    fn crashed(&self, error: &JsValue, name: &str, bytes: u64) -> NotDone {
        let grow = Reflect::get(&self.memory, &"grow".into()).ok().and_then(|grow| grow.dyn_into().ok());
        let grown = grow.map(|grow: Function| grow.apply(&self.memory, &pages(bytes / 4 + SCRATCH)));
        NotDone::Unavailable(match Cause::of_error(cause::Part::Kernels, &kernel_file::text_of(error)) {
            Cause::OutOfMemory(_) => Cause::OutOfMemory(Some(bytes)),
            _ if matches!(grown, Some(Err(_))) => Cause::OutOfMemory(Some(bytes)),
            _ => Cause::Trapped(name.to_owned()),
        })
    }

    /// Makes a task ready, its buffers of so many cells holding zeros, and answers its handle.
    pub(super) fn prepared(&self, task: &Task, cells: impl Iterator<Item = usize>) -> Result<u32, NotDone> {
        let mut words = task.to_words().ok_or(NotDone::Refused)?;
        let (count, cells) = (words.len(), cells.collect::<Vec<_>>());
        let (read, written) = task.types();
        let sizes = read.iter().chain(&written).map(|ty| ty.bytes() as u64);
        let bytes = sizes.zip(&cells).map(|(size, cells)| size.saturating_mul(*cells as u64));
        let bytes = bytes.fold(0, u64::saturating_add);
        let too_large = || NotDone::Unavailable(Cause::OutOfMemory(Some(bytes)));
        for cells in cells {
            words.push(i32::try_from(cells).map_err(|_| too_large())?);
        }
        let (none, name) = (JsValue::UNDEFINED, choose(task).map_or("kernel", |kernel| kernel.name));
        let length = u32::try_from(words.len()).map_err(|_| NotDone::Refused)?;
        let at = self.words.call1(&none, &length.into());
        let at =
            number(Ok(at.map_err(|error| self.crashed(&error, name, bytes))?)).ok_or(NotDone::Refused)?;
        Int32Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, length).copy_from(&words);
        let handle = self.prepare.call1(&none, &u32::try_from(count).unwrap_or(0).into());
        let handle = handle.map_err(|error| self.crashed(&error, name, bytes))?.as_f64();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        match handle.ok_or(NotDone::Refused)? {
            handle if handle >= 0.0 => {
                self.tasks.borrow_mut().insert(handle as u32, (name, bytes));
                Ok(handle as u32)
            }
            answer if answer.to_bits() == NO_KERNEL.to_bits() => Err(NotDone::NoKernel),
            answer if answer.to_bits() == NO_MEMORY.to_bits() => Err(too_large()),
            _ => Err(NotDone::Refused),
        }
    }

    /// Does the task of a handle on what lies in its buffers.
    pub(super) fn once(&self, handle: u32) -> Result<(), NotDone> {
        let answer = self.run.call1(&JsValue::UNDEFINED, &handle.into()).map_err(|error| {
            let (name, bytes) = self.tasks.borrow().get(&handle).copied().unwrap_or(("kernel", 0));
            self.crashed(&error, name, bytes)
        })?;
        if answer.as_f64() == Some(0.0) { Ok(()) } else { Err(NotDone::Refused) }
    }

    /// The `f32` cells of a buffer of a handle, until the memory grows.
    pub(super) fn floats(&self, handle: u32, buffer: usize, cells: usize) -> Option<Float32Array> {
        let (at, cells) = (self.address(handle, buffer)?, u32::try_from(cells).ok()?);
        Some(Float32Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, cells))
    }

    /// Lets a handle and its memory go.
    pub(super) fn dispose(&self, handle: u32) {
        self.tasks.borrow_mut().remove(&handle);
        // What it answers says nothing.
        let _ = self.dispose.call1(&JsValue::UNDEFINED, &handle.into());
    }

    /// Calls an export of this name with a number.
    pub(super) fn call(&self, name: &str, number: f64) -> Option<f64> {
        let export = Reflect::get(&self.exports, &name.into()).ok()?.dyn_into::<Function>().ok()?;
        export.call1(&JsValue::UNDEFINED, &number.into()).ok()?.as_f64()
    }

    fn address(&self, handle: u32, buffer: usize) -> Option<u32> {
        number(self.buffer.call2(&JsValue::UNDEFINED, &handle.into(), &u32::try_from(buffer).ok()?.into()))
    }

    /// The name of the kernel that does the task of a handle.
    pub(super) fn name(&self, handle: u32) -> Option<String> {
        let at = number(self.name.call1(&JsValue::UNDEFINED, &handle.into()))?;
        let length = number(self.name_length.call1(&JsValue::UNDEFINED, &handle.into()))?;
        let bytes = Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, length).to_vec();
        String::from_utf8(bytes).ok()
    }

    /// The bytes of a buffer of a handle, until the memory grows.
    pub(super) fn bytes(&self, handle: u32, buffer: usize, length: u32) -> Option<Uint8Array> {
        let at = self.address(handle, buffer)?;
        Some(Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, length))
    }

    /// Does a share of a task: on these cells of what is read, into those of what is written.
    fn run_share(&self, share: &Share, read: &[&Buffer], written: &mut Buffer) -> Result<String, NotDone> {
        let cells = share.read.iter().map(Range::len).chain([share.written.len()]);
        let handle = self.prepared(&share.task, cells)?;
        let read: Vec<Part> = read.iter().copied().zip(share.read.iter().cloned()).collect();
        let result = self.done(handle, &share.task, &read, &mut [(written, share.written.clone())]);
        self.dispose(handle);
        result
    }

    fn run_whole(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
    ) -> Result<String, NotDone> {
        let cells = read.iter().map(|buffer| buffer.len()).chain(written.iter().map(|buffer| buffer.len()));
        let handle = self.prepared(task, cells)?;
        let read: Vec<Part> = read.iter().map(|buffer| (*buffer, 0..buffer.len())).collect();
        let mut written: Vec<_> = written
            .iter_mut()
            .map(|buffer| (0..buffer.len(), &mut **buffer))
            .map(|(range, buffer)| (buffer, range))
            .collect();
        let result = self.done(handle, task, &read, &mut written);
        self.dispose(handle);
        result
    }

    fn done(
        &self,
        handle: u32,
        task: &Task,
        read: &[Part],
        written: &mut [(&mut Buffer, Range<usize>)],
    ) -> Result<String, NotDone> {
        let address = |number| self.address(handle, number).ok_or(NotDone::Refused);
        for (i, (buffer, range)) in read.iter().enumerate() {
            copied_in(buffer, range, &self.memory, address(i)?);
        }
        // What lies in no part of a result stays as it is.
        for (i, (buffer, range)) in written.iter().enumerate() {
            copied_in(buffer, range, &self.memory, address(read.len() + i)?);
        }
        #[allow(clippy::cast_precision_loss, reason = "a share of the work")]
        self.total.set(task.steps().max(1) as f64);
        self.done.set(0.0);
        self.once(handle)?;
        for (i, (buffer, range)) in written.iter_mut().enumerate() {
            copied_out(&self.memory.buffer(), address(read.len() + i)?, buffer, range);
        }
        self.name(handle).ok_or(NotDone::Refused)
    }
}

/// The module that runs tasks, with a new instance after each crash.
pub struct Renewed {
    module: RefCell<Rc<Module>>,
    /// Why it is not the module that was asked for.
    why: Option<Cause>,
}

impl Renewed {
    /// Of a module, and why it is not the one that was asked for.
    pub fn new(module: Module, why: Option<Cause>) -> Self {
        Self { module: RefCell::new(Rc::new(module)), why }
    }

    /// The instance that runs now.
    pub fn module(&self) -> Rc<Module> {
        self.module.borrow().clone()
    }

    /// A result; where it is a crash the next task gets another instance.
    fn after(&self, result: Result<String, NotDone>) -> Result<String, Refusal> {
        if matches!(result, Err(NotDone::Unavailable(_))) {
            self.renew();
        }
        result.map_err(Refusal::from)
    }

    /// Takes a new instance in place of one that crashed; where there is none, the next task says why.
    pub(super) fn renew(&self) {
        let again = self.module().again();
        if let Ok(module) = again {
            self.module.replace(Rc::new(module));
        }
    }

    /// Does a share of a task.
    pub(super) fn run_share(
        &self,
        share: &Share,
        read: &[&Buffer],
        written: &mut Buffer,
    ) -> Result<String, Refusal> {
        self.after(self.module().run_share(share, read, written))
    }
}

impl Kernels for Renewed {
    fn mode(&self) -> Mode {
        self.module().build.mode()
    }

    fn replaced_build(&self) -> Option<(Build, Cause)> {
        self.why.clone().map(|why| (self.module().build, why))
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal> {
        self.after(self.module().run_whole(task, read, written))
    }
}

/// Some cells of a buffer.
type Part<'a> = (&'a Buffer, Range<usize>);

macro_rules! copies {
    ($($variant:ident $array:ident $flat:ident;)*) => {
        /// Copies cells into the module's memory, at an address.
        fn copied_in(buffer: &Buffer, range: &Range<usize>, memory: &WebAssembly::Memory, at: u32) {
            match buffer {
                $(Buffer::$variant(cells) => {
                    let cells = $flat(cells.get(range.clone()).unwrap_or_default());
                    let length = u32::try_from(cells.len()).unwrap_or(0);
                    $array::new_with_byte_offset_and_length(&memory.buffer(), at, length).copy_from(cells);
                })*
            }
        }

        /// Copies cells out of memory, from an address.
        pub(super) fn copied_out(memory: &JsValue, at: u32, buffer: &mut Buffer, range: &Range<usize>) {
            match buffer {
                $(Buffer::$variant(cells) => {
                    let cells = $flat::mutable(cells.get_mut(range.clone()).unwrap_or_default());
                    let length = u32::try_from(cells.len()).unwrap_or(0);
                    $array::new_with_byte_offset_and_length(memory, at, length).copy_to(cells);
                })*
            }
        }

        /// Cells as memory that can be handed over.
        pub(super) fn taken(buffer: &Buffer, range: &Range<usize>) -> ArrayBuffer {
            match buffer {
                $(Buffer::$variant(cells) => {
                    $array::from($flat(cells.get(range.clone()).unwrap_or_default())).buffer()
                })*
            }
        }
    };
}

/// Cells that are numbers.
fn each<T>(cells: &[T]) -> &[T] {
    cells
}

/// Cells that are pairs of numbers.
fn pairs<T>(cells: &[[T; 2]]) -> &[T] {
    cells.as_flattened()
}

mod each {
    pub fn mutable<T>(cells: &mut [T]) -> &mut [T] {
        cells
    }
}

mod pairs {
    pub fn mutable<T>(cells: &mut [[T; 2]]) -> &mut [T] {
        cells.as_flattened_mut()
    }
}

copies! {
    U8 Uint8Array each; I8 Int8Array each; U16 Uint16Array each; I16 Int16Array each; U32 Uint32Array each;
    I32 Int32Array each; U64 BigUint64Array each; I64 BigInt64Array each; F32 Float32Array each; F64 Float64Array each;
    C64 Float32Array pairs; C128 Float64Array pairs;
}
