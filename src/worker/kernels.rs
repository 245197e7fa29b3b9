//! The kernels' WebAssembly module, as the worker runs it: an instance of its own, beside the one of the engine.
//!
//! Operands are copied into its memory and results out of it, once each, at the speed of memory; nothing is written
//! text or read cell by cell. The last tasks' memory is kept for the next run. A module that cannot be loaded is no
//! failure: ops then run their bodies.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use js_sys::{
    ArrayBuffer, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Function, Int8Array, Int16Array,
    Int32Array, Object, Reflect, Uint8Array, Uint16Array, Uint32Array, WebAssembly,
};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, WorkerGlobalScope};

use super::evaluate_shares::Share;
use super::files;
use crate::array::literal::Buffer;
use crate::hlo::kernel::{Kernels, Mode};
use crate::kernels::{Stop, Task};

/// Hears how much of a task is done, from 0 to 1.
type Hear = Rc<RefCell<Option<Box<dyn Fn(f64)>>>>;

/// An instance of the module.
pub struct Module {
    mode: Mode,
    memory: WebAssembly::Memory,
    words: Function,
    prepare: Function,
    buffer: Function,
    run: Function,
    dispose: Function,
    name: Function,
    name_length: Function,
    exports: Object,
    /// Steps of the task that is running: all, and done.
    total: Rc<Cell<f64>>,
    done: Rc<Cell<f64>>,
    hear: Hear,
    _tick: Closure<dyn FnMut(f64) -> i32>,
}

/// Why a task cannot be made ready: whether no kernel does it.
#[derive(Clone, Copy, Debug)]
pub(super) struct IsUnserved(pub(super) bool);

/// What `prepare` answers where no kernel does a task.
const NO_KERNEL: f64 = -2.0;

/// The plain name of the file of a mode's module.
fn file(mode: Mode) -> &'static str {
    match mode {
        Mode::Strict => "kernels-strict.wasm",
        Mode::Fast => "kernels-fast.wasm",
    }
}

fn number(value: Result<JsValue, JsValue>) -> Option<u32> {
    // Addresses above 2 GiB come as negative numbers.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an i32 of the module, read as it is meant"
    )]
    value.ok()?.as_f64().map(|number| number as i64 as u32)
}

impl Module {
    /// Loads and starts it. Errors: whatever the browser says, as where it does not know relaxed SIMD.
    pub async fn load(mode: Mode) -> Result<Self, JsValue> {
        Self::load_file(file(mode), mode).await
    }

    /// Loads and starts the module of a file of the site. Errors: as of [`Module::load`].
    pub(super) async fn load_file(file: &str, mode: Mode) -> Result<Self, JsValue> {
        let scope: WorkerGlobalScope = js_sys::global().dyn_into()?;
        let response: Response =
            JsFuture::from(scope.fetch_with_str(&files::address(file))).await?.dyn_into()?;
        if !response.ok() {
            return Err(JsValue::from_str(&response.status_text()));
        }
        let bytes = Uint8Array::new(&JsFuture::from(response.array_buffer()?).await?).to_vec();
        let (total, done) = (Rc::new(Cell::new(1.0)), Rc::new(Cell::new(0.0)));
        let hear = Hear::default();
        let tick = {
            let (total, done, hear) = (total.clone(), done.clone(), hear.clone());
            Closure::<dyn FnMut(f64) -> i32>::new(move |steps: f64| {
                done.set(done.get() + steps);
                if let Some(hear) = &*hear.borrow() {
                    hear((done.get() / total.get()).min(1.0));
                }
                1
            })
        };
        let (imports, env) = (Object::new(), Object::new());
        Reflect::set(&env, &"tick".into(), tick.as_ref())?;
        Reflect::set(&imports, &"env".into(), &env)?;
        let started = JsFuture::from(WebAssembly::instantiate_buffer(&bytes, &imports)).await?;
        let instance: WebAssembly::Instance = Reflect::get(&started, &"instance".into())?.dyn_into()?;
        let exports = instance.exports();
        let function = |name: &str| Reflect::get(&exports, &name.into())?.dyn_into::<Function>();
        Ok(Self {
            mode,
            memory: Reflect::get(&exports, &"memory".into())?.dyn_into()?,
            words: function("words")?,
            prepare: function("prepare")?,
            buffer: function("buffer")?,
            run: function("run")?,
            dispose: function("dispose")?,
            name: function("kernel_name")?,
            name_length: function("kernel_name_length")?,
            exports,
            total,
            done,
            hear,
            _tick: tick,
        })
    }

    /// Who hears how far a task is, until the next one is named.
    pub fn heard_by(&self, hear: impl Fn(f64) + 'static) {
        *self.hear.borrow_mut() = Some(Box::new(hear));
    }

    /// Makes a task ready and answers its handle.
    fn ready(&self, task: &Task, read: &[&Buffer], written: &[&mut Buffer]) -> Result<u32, Stop> {
        let cells = read.iter().map(|buffer| buffer.len()).chain(written.iter().map(|buffer| buffer.len()));
        self.prepared(task, cells).map_err(|_| Stop::Unserved)
    }

    /// Makes a task ready, its buffers of so many cells holding zeros, and answers its handle. Errors: whether it is for
    /// want of a kernel, and not of memory.
    pub(super) fn prepared(
        &self,
        task: &Task,
        cells: impl Iterator<Item = usize>,
    ) -> Result<u32, IsUnserved> {
        let mut words = task.to_words().ok_or(IsUnserved(false))?;
        let count = words.len();
        for cells in cells {
            words.push(i32::try_from(cells).map_err(|_| IsUnserved(false))?);
        }
        let none = JsValue::UNDEFINED;
        let length = u32::try_from(words.len()).map_err(|_| IsUnserved(false))?;
        let at = number(self.words.call1(&none, &length.into())).ok_or(IsUnserved(false))?;
        Int32Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, length).copy_from(&words);
        let handle = self.prepare.call1(&none, &u32::try_from(count).unwrap_or(0).into()).ok();
        let handle = handle.and_then(|handle| handle.as_f64()).ok_or(IsUnserved(false))?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        if handle >= 0.0 {
            Ok(handle as u32)
        } else {
            Err(IsUnserved(handle.to_bits() == NO_KERNEL.to_bits()))
        }
    }

    /// Does the task of a handle on what lies in its buffers; says whether it was done.
    pub(super) fn once(&self, handle: u32) -> bool {
        let answer = self.run.call1(&JsValue::UNDEFINED, &handle.into());
        answer.ok().and_then(|answer| answer.as_f64()) == Some(0.0)
    }

    /// The `f32` cells of a buffer of a handle, until the memory grows.
    pub(super) fn floats(&self, handle: u32, buffer: usize, cells: usize) -> Option<Float32Array> {
        let (at, cells) = (self.address(handle, buffer)?, u32::try_from(cells).ok()?);
        Some(Float32Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, cells))
    }

    /// Lets a handle and its memory go.
    pub(super) fn dispose(&self, handle: u32) {
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
    pub(super) fn run_share(
        &self,
        share: &Share,
        read: &[&Buffer],
        written: &mut Buffer,
    ) -> Result<String, Stop> {
        let cells = share.read.iter().map(Range::len).chain([share.written.len()]);
        let handle = self.prepared(&share.task, cells).map_err(|_| Stop::Unserved)?;
        let read: Vec<Part> = read.iter().copied().zip(share.read.iter().cloned()).collect();
        let result = self.done(handle, &share.task, &read, &mut [(written, share.written.clone())]);
        self.dispose(handle);
        result
    }

    fn done(
        &self,
        handle: u32,
        task: &Task,
        read: &[Part],
        written: &mut [(&mut Buffer, Range<usize>)],
    ) -> Result<String, Stop> {
        for (i, (buffer, range)) in read.iter().enumerate() {
            copied_in(buffer, range, &self.memory, self.address(handle, i).ok_or(Stop::Unserved)?);
        }
        // What lies in no part of a result stays as it is.
        for (i, (buffer, range)) in written.iter().enumerate() {
            let at = self.address(handle, read.len() + i).ok_or(Stop::Unserved)?;
            copied_in(buffer, range, &self.memory, at);
        }
        #[allow(clippy::cast_precision_loss, reason = "a share of the work")]
        self.total.set(task.steps().max(1) as f64);
        self.done.set(0.0);
        if !self.once(handle) {
            return Err(Stop::Invalid);
        }
        for (i, (buffer, range)) in written.iter_mut().enumerate() {
            let at = self.address(handle, read.len() + i).ok_or(Stop::Unserved)?;
            copied_out(&self.memory.buffer(), at, buffer, range);
        }
        self.name(handle).ok_or(Stop::Unserved)
    }
}

impl Kernels for Module {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Stop> {
        let handle = self.ready(task, read, written)?;
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
