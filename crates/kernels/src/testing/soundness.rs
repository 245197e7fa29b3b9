//! Every example of every task in buffers of minimum size: run under Miri, which detects every access outside of them,
//! every pointer that is used beyond its provenance, and every read of uninitialized memory.
//!
//! The registry generates a test that calls [`check_examples`] for each of its lines. Natively it also compares results with new and
//! with dirty scratch memory, and all kernels of a task with one another.

use crate::description::check::check;
use crate::description::describe::Describe;
use crate::description::kernel::KernelEntry;
use crate::scratch::Scratch;
use crate::testing::Random;
use crate::{Context, Kernel, KernelError, PreparedTask, Slice, SliceMut, Task, Type, run_with};

/// A buffer of a task.
#[derive(Clone, Debug)]
enum Buffer {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    C64(Vec<[f32; 2]>),
    C128(Vec<[f64; 2]>),
}

macro_rules! each {
    ($buffer:expr, $elements:ident, $of:ident => $body:expr) => {
        match $buffer {
            Buffer::U8($elements) => $of::U8($body),
            Buffer::I8($elements) => $of::I8($body),
            Buffer::U16($elements) => $of::U16($body),
            Buffer::I16($elements) => $of::I16($body),
            Buffer::U32($elements) => $of::U32($body),
            Buffer::I32($elements) => $of::I32($body),
            Buffer::U64($elements) => $of::U64($body),
            Buffer::I64($elements) => $of::I64($body),
            Buffer::F32($elements) => $of::F32($body),
            Buffer::F64($elements) => $of::F64($body),
            Buffer::C64($elements) => $of::C64($body),
            Buffer::C128($elements) => $of::C128($body),
        }
    };
}

impl Buffer {
    /// Random elements; floats are small numbers, one in six special if `has_specials`. A single special element is the
    /// initial value of a maximum.
    fn new(ty: Type, length: usize, random: &mut Random, has_specials: bool) -> Self {
        let mut number = || match has_specials {
            true if length == 1 => f32::NEG_INFINITY,
            true if random.one_in(6) => random.special(),
            _ => random.unit(),
        };
        let mut codes = || (number() * 100.0) as i64;
        match ty {
            Type::Pred => Self::U8((0..length).map(|_| codes() as u8 & 1).collect()),
            Type::U8 => Self::U8((0..length).map(|_| codes() as u8).collect()),
            Type::S8 => Self::I8((0..length).map(|_| codes() as i8).collect()),
            Type::U16 => Self::U16((0..length).map(|_| codes() as u16).collect()),
            Type::F16 | Type::BF16 => Self::U16((0..length).map(|_| 0x3c00 ^ (codes() as u16)).collect()),
            Type::S16 => Self::I16((0..length).map(|_| codes() as i16).collect()),
            Type::U32 => Self::U32((0..length).map(|_| codes() as u32).collect()),
            Type::S32 => Self::I32((0..length).map(|_| codes() as i32).collect()),
            Type::U64 => Self::U64((0..length).map(|_| codes() as u64).collect()),
            Type::S64 => Self::I64((0..length).map(|_| codes()).collect()),
            Type::F32 => Self::F32((0..length).map(|_| number()).collect()),
            Type::F64 => Self::F64((0..length).map(|_| f64::from(number())).collect()),
            Type::C64 => Self::C64((0..length).map(|_| [number(), number()]).collect()),
            Type::C128 => Self::C128((0..length).map(|_| [f64::from(number()), 0.5]).collect()),
        }
    }

    fn slice(&self) -> Slice<'_> {
        each!(self, elements, Slice => elements)
    }

    fn slice_mut(&mut self) -> SliceMut<'_> {
        each!(self, elements, SliceMut => elements)
    }
}

/// Runs a task on copies of buffers. Returns its outcome and the bytes of the results; `observe` is the observer.
fn run_on_copies(
    kernel: &Kernel,
    task: &Task,
    [read, out]: [&[Buffer]; 2],
    scratch: &mut Scratch,
    observe: &mut dyn FnMut(u64) -> bool,
) -> (Result<(), KernelError>, Vec<Vec<u8>>) {
    let mut out = out.to_vec();
    let read: Vec<Slice> = read.iter().map(Buffer::slice).collect();
    let outcome = {
        let mut written: Vec<SliceMut> = out.iter_mut().map(Buffer::slice_mut).collect();
        run_with(
            kernel,
            task,
            &read,
            &mut written,
            &mut Context { scratch, tick: observe, packed_operand: None },
        )
    };
    (outcome, out.iter().map(|buffer| buffer.slice().as_bytes().to_vec()).collect())
}

/// The bytes of the results of a task that is prepared and run three times; `None` if preparation does not support it.
fn run_prepared(task: &Task, [read, out]: [&[Buffer]; 2]) -> Option<Vec<Vec<u8>>> {
    let mut prepared = PreparedTask::new(task)?;
    assert_eq!(prepared.steps(), task.steps(), "{task:?}");
    let (mut out, read) = (out.to_vec(), read.iter().map(Buffer::slice).collect::<Vec<Slice>>());
    for _ in 0..3 {
        let mut written: Vec<SliceMut> = out.iter_mut().map(Buffer::slice_mut).collect();
        prepared.run(&read, &mut written).unwrap();
        // One element less than the task requires.
        let shorter = written.iter_mut().map(|slice| slice.part(0, slice.len() - 1));
        let mut shorter: Vec<SliceMut> = shorter.collect();
        assert_eq!(prepared.run(&read, &mut shorter), Err(KernelError::InvalidTask), "{task:?}");
    }
    Some(out.iter().map(|buffer| buffer.slice().as_bytes().to_vec()).collect())
}

/// The steps that a kernel itself reports. If they exceeded those of the task, progress would reach its end early.
fn steps_reported<T: Describe>(kernel: &KernelEntry<T>, task: &T, [read, out]: [&[Buffer]; 2]) -> u64 {
    let mut out = out.to_vec();
    let read: Vec<Slice> = read.iter().map(Buffer::slice).collect();
    let mut written: Vec<SliceMut> = out.iter_mut().map(Buffer::slice_mut).collect();
    let (mut scratch, mut reported) = (Scratch::default(), 0);
    let mut observe = |steps| {
        reported += steps;
        true
    };
    let mut context = Context { scratch: &mut scratch, tick: &mut observe, packed_operand: None };
    (kernel.run)(check(task, &read, &mut written).unwrap(), &mut context).unwrap();
    reported
}

/// Runs every example of a task, whose kernels are these.
pub fn check_examples<T: Describe + Into<Task>>(kernels: &'static [KernelEntry<T>]) {
    let mut random = Random::new(T::NAME.len() as u64);
    let mut dirty = Scratch::default();
    let examples = T::examples();
    assert!(!examples.is_empty());
    let mut prepared_count = 0;
    for example in examples {
        let chosen = kernels.iter().find(|entry| (entry.supports)(&example)).unwrap();
        let task: Task = example.clone().into();
        let ((reads, writes), (read_lengths, written_lengths)) = (task.types(), task.smallest_buffers());
        // Special numbers take additional paths.
        for has_specials in if cfg!(miri) { &[true][..] } else { &[false, true] } {
            let mut buffers = |types: &[Type], lengths: &[usize]| -> Vec<Buffer> {
                let all = types.iter().zip(lengths);
                all.map(|(ty, length)| Buffer::new(*ty, *length, &mut random, *has_specials)).collect()
            };
            let (read, out) = (buffers(&reads, &read_lengths), buffers(&writes, &written_lengths));
            let buffers = [&read[..], &out[..]];
            let (mut is_observed, mut reported_steps) = (false, 0);
            let mut observe = |steps| {
                is_observed = true;
                reported_steps += steps;
                true
            };
            let (outcome, expected) =
                run_on_copies(&chosen.kernel, &task, buffers, &mut Scratch::default(), &mut observe);
            assert_eq!(outcome, Ok(()), "{task:?}");
            assert_eq!(reported_steps, task.steps(), "{task:?}");
            if let Some(prepared) = run_prepared(&task, buffers) {
                assert!(prepared == expected, "prepared: {task:?}");
                prepared_count += 1;
            }
            if !cfg!(miri) {
                let kernel_steps = steps_reported(chosen, &example, buffers);
                assert!(kernel_steps <= task.steps(), "{kernel_steps} steps of {}: {task:?}", task.steps());
                let rerun = run_on_copies(&chosen.kernel, &task, buffers, &mut dirty, &mut |_| true);
                assert!(rerun == (Ok(()), expected.clone()), "{task:?}");
            }
            // A run that never calls the observer cannot be cancelled.
            if is_observed {
                let (outcome, _) = run_on_copies(&chosen.kernel, &task, buffers, &mut dirty, &mut |_| false);
                assert!(matches!(outcome, Ok(()) | Err(KernelError::Cancelled)), "{task:?}: {outcome:?}");
            }
            // Kernels with different code, which another build may choose.
            for other in kernels.iter().filter(|other| !std::ptr::fn_addr_eq(other.run, chosen.run)) {
                let (outcome, bytes) =
                    run_on_copies(&other.kernel, &task, buffers, &mut Scratch::default(), &mut |_| true);
                match outcome {
                    Ok(()) => assert!(bytes == expected, "{}: {task:?}", other.kernel.name),
                    _ => {
                        assert_eq!(outcome, Err(KernelError::WrongKernel), "{}: {task:?}", other.kernel.name);
                    }
                }
            }
        }
    }
    let can_be_prepared =
        ["dot", "unary", "binary", "compare", "select", "clamp", "convert", "move"].contains(&T::NAME);
    assert_eq!(prepared_count > 0, can_be_prepared, "{}", T::NAME);
}
