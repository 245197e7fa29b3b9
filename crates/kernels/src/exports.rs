//! The exports of the kernels' WebAssembly module to JavaScript: memory and tasks; and its one import, the observer.
//!
//! A handle is the index of a prepared task. The only callers are our worker and the benchmark; words that encode no task, and a
//! task that exceeds its buffers, are rejected nevertheless.

#![allow(
    unsafe_code,
    reason = "the boundary to JavaScript: exported names, and memory that is passed by its address"
)]

use crate::description::kernel::Kernel;
use crate::registry::{Task, choose, run_with};
use crate::support::context::{Context, PackedOperand};
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::scratch::Scratch;
use crate::support::slice::{Slice, SliceMut};

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// The observer: called between blocks with the number of steps since the last call; returns whether to continue (not 0).
    safe fn tick(steps: f64) -> i32;
}

/// A cache line, the unit of allocation: its alignment suits every type.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A prepared task: its kernel and its buffers.
struct Prepared {
    task: Task,
    kernel: &'static Kernel,
    read: Vec<Buffer>,
    written: Vec<Buffer>,
    packed_operand: Option<PackedOperand>,
}

/// The state of the module instance.
#[derive(Default)]
struct State {
    scratch: Scratch,
    words: Vec<i32>,
    prepared: Vec<Option<Prepared>>,
}

thread_local! {
    static STATE: std::cell::RefCell<State> = std::cell::RefCell::default();
}

/// Unused cache lines after a buffer, against 4K aliasing. Allocations are adjacent; if a buffer begins one line further in its
/// page than another buffer, a store seems to alias the next load (`e^x` then takes 10 % longer).
const GAP_LINES: usize = 15;

/// Maximum number of elements of one buffer.
const MAX_BUFFER_ELEMENTS: usize = 1 << 28;

/// Maximum number of words of a task and the lengths of its buffers.
const MAX_WORDS: usize = 1 << 20;

/// A buffer: its element type, its memory, and its length in elements.
type Buffer = (Type, Vec<Line>, usize);

/// Calls `$slice_of` with the variant of [`Slice`] and the native type that store an element type.
macro_rules! of_type {
    ($ty:expr, $slice_of:ident) => {
        match $ty {
            Type::Pred | Type::U8 => $slice_of!(U8 u8),
            Type::S8 => $slice_of!(I8 i8),
            Type::U16 | Type::F16 | Type::BF16 => $slice_of!(U16 u16),
            Type::S16 => $slice_of!(I16 i16),
            Type::U32 => $slice_of!(U32 u32),
            Type::S32 => $slice_of!(I32 i32),
            Type::U64 => $slice_of!(U64 u64),
            Type::S64 => $slice_of!(I64 i64),
            Type::F32 => $slice_of!(F32 f32),
            Type::F64 => $slice_of!(F64 f64),
            Type::C64 => $slice_of!(C64 [f32; 2]),
            Type::C128 => $slice_of!(C128 [f64; 2]),
        }
    };
}

fn slice((ty, memory, length): &Buffer) -> Slice<'_> {
    macro_rules! slice_of {
        ($variant:ident $native:ty) => {
            // SAFETY: `allocate` allocated this many elements of this type, aligned for every type, and every bit pattern is a
            // value of these types.
            Slice::$variant(unsafe { std::slice::from_raw_parts(memory.as_ptr().cast::<$native>(), *length) })
        };
    }
    of_type!(ty, slice_of)
}

fn slice_mut((ty, memory, length): &mut Buffer) -> SliceMut<'_> {
    macro_rules! slice_of {
        ($variant:ident $native:ty) => {
            // SAFETY: as in `slice`; the memory is borrowed mutably.
            SliceMut::$variant(unsafe {
                std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<$native>(), *length)
            })
        };
    }
    of_type!(ty, slice_of)
}

/// Allocates a zeroed buffer; `None` if it is too large or memory is exhausted.
fn allocate(ty: Type, length: usize) -> Option<Buffer> {
    let lines = (length <= MAX_BUFFER_ELEMENTS).then(|| (length * ty.bytes()).div_ceil(size_of::<Line>()))?;
    let mut memory = Vec::new();
    memory.try_reserve_exact(lines + GAP_LINES).ok()?;
    memory.resize(lines, Line([0; 64]));
    Some((ty, memory, length))
}

/// Allocates `count` words, which the caller writes next: the words of a task, then the length in elements of each buffer that is
/// read and of each that is written. Returns their address.
#[unsafe(no_mangle)]
pub extern "C" fn words(count: usize) -> *mut i32 {
    STATE.with_borrow_mut(|state| {
        state.words = vec![0; count.min(MAX_WORDS)];
        state.words.as_mut_ptr()
    })
}

/// Prepares the task of the first `count` words, with zeroed memory for its buffers, whose lengths are the words after them.
/// Returns its handle, or [`KernelError::code`].
#[unsafe(no_mangle)]
pub extern "C" fn prepare(count: usize) -> i32 {
    STATE.with_borrow_mut(|state| {
        let words = std::mem::take(&mut state.words);
        prepare_task(count, &words).map_or_else(KernelError::code, |prepared| state.insert(prepared))
    })
}

fn prepare_task(count: usize, words: &[i32]) -> Result<Prepared, KernelError> {
    let (task, lengths) = words.split_at_checked(count).ok_or(KernelError::InvalidTask)?;
    let task = Task::from_words(task).ok_or(KernelError::InvalidTask)?;
    let kernel = choose(&task).ok_or(KernelError::NoKernel)?;
    let (read, written) = task.types();
    if lengths.len() != read.len() + written.len() || lengths.iter().any(|length| *length < 0) {
        return Err(KernelError::InvalidTask);
    }
    let mut lengths = lengths.iter().map(|length| length.unsigned_abs() as usize);
    let mut buffers = |types: Vec<Type>| {
        let buffers = types.into_iter().zip(lengths.by_ref()).map(|(ty, length)| allocate(ty, length));
        buffers.collect::<Option<Vec<_>>>().ok_or(KernelError::OutOfMemory)
    };
    Ok(Prepared { read: buffers(read)?, written: buffers(written)?, task, kernel, packed_operand: None })
}

impl State {
    /// Stores a task, and returns its handle.
    fn insert(&mut self, prepared: Prepared) -> i32 {
        let free = self.prepared.iter().position(Option::is_none);
        let handle = free.unwrap_or(self.prepared.len());
        match self.prepared.get_mut(handle) {
            Some(slot) => *slot = Some(prepared),
            None => self.prepared.push(Some(prepared)),
        }
        i32::try_from(handle).unwrap_or(KernelError::OutOfMemory.code())
    }

    /// The task of a handle; `None` for an unknown handle.
    fn get(&self, handle: usize) -> Option<&Prepared> {
        self.prepared.get(handle)?.as_ref()
    }
}

/// The address of buffer `number` of a task, counting those that are read, then those that are written. 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(handle: usize, number: usize) -> *const u8 {
    STATE.with_borrow(|state| {
        let buffer =
            state.get(handle).and_then(|prepared| prepared.read.iter().chain(&prepared.written).nth(number));
        buffer.map_or(std::ptr::null(), |(_, memory, _)| memory.as_ptr().cast())
    })
}

/// The address of the UTF-8 name of a task's kernel; 0 for an unknown handle. Its length is [`kernel_name_length`].
#[unsafe(no_mangle)]
pub extern "C" fn kernel_name(handle: usize) -> *const u8 {
    STATE.with_borrow(|state| {
        state.get(handle).map_or(std::ptr::null(), |prepared| prepared.kernel.name.as_ptr())
    })
}

/// The length of the name of a task's kernel, in bytes; 0 for an unknown handle, as its name is a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn kernel_name_length(handle: usize) -> usize {
    STATE.with_borrow(|state| state.get(handle).map_or(0, |prepared| prepared.kernel.name.len()))
}

/// Runs a task. Returns 0, or [`KernelError::code`].
#[unsafe(no_mangle)]
pub extern "C" fn run(handle: usize) -> i32 {
    STATE.with_borrow_mut(|state| {
        let Some(Some(prepared)) = state.prepared.get_mut(handle) else {
            return KernelError::InvalidTask.code();
        };
        let read: Vec<Slice> = prepared.read.iter().map(slice).collect();
        let mut written: Vec<SliceMut> = prepared.written.iter_mut().map(slice_mut).collect();
        #[allow(clippy::cast_precision_loss, reason = "steps are far below 2^53")]
        let mut observer = |steps: u64| tick(steps as f64) != 0;
        let mut context = Context {
            scratch: &mut state.scratch,
            tick: &mut observer,
            packed_operand: prepared.packed_operand.as_mut(),
        };
        let outcome = run_with(prepared.kernel, &prepared.task, &read, &mut written, &mut context);
        outcome.map_or_else(KernelError::code, |()| 0)
    })
}

/// Swaps two buffers of two tasks: one task can then read the result of the other. Returns 0, or 1 if a buffer does not exist or
/// types or lengths differ.
#[unsafe(no_mangle)]
pub extern "C" fn exchange(handle: usize, number: usize, other: usize, other_number: usize) -> i32 {
    fn buffer(prepared: &mut Option<Prepared>, number: usize) -> Option<&mut Buffer> {
        let prepared = prepared.as_mut()?;
        prepared.read.iter_mut().chain(&mut prepared.written).nth(number)
    }
    STATE.with_borrow_mut(|state| {
        let Ok([first, second]) = state.prepared.get_disjoint_mut([handle, other]) else { return 1 };
        let (Some(first), Some(second)) = (buffer(first, number), buffer(second, other_number)) else {
            return 1;
        };
        if (first.0, first.2) != (second.0, second.2) {
            return 1;
        }
        std::mem::swap(first, second);
        for handle in [handle, other] {
            if let Some(Some(prepared)) = state.prepared.get_mut(handle) {
                prepared.packed_operand = None;
            }
        }
        0
    })
}

/// Declares an operand of a task constant until the next call: a kernel packs it once. Returns 0, or 1 for an unknown handle.
#[unsafe(no_mangle)]
pub extern "C" fn hold(handle: usize, operand: usize) -> i32 {
    STATE.with_borrow_mut(|state| match state.prepared.get_mut(handle) {
        Some(Some(prepared)) => {
            prepared.packed_operand = Some(PackedOperand::new(operand));
            0
        }
        _ => 1,
    })
}

/// Frees a task and its memory.
#[unsafe(no_mangle)]
pub extern "C" fn dispose(handle: usize) {
    STATE.with_borrow_mut(|state| {
        if let Some(slot) = state.prepared.get_mut(handle) {
            *slot = None;
        }
    });
}

/// The bytes of scratch memory kept for the next task.
#[unsafe(no_mangle)]
pub extern "C" fn scratch_bytes() -> usize {
    STATE.with_borrow(|state| state.scratch.bytes())
}

/// Frees the scratch memory.
#[unsafe(no_mangle)]
pub extern "C" fn clear_scratch() {
    STATE.with_borrow_mut(|state| state.scratch.clear());
}
