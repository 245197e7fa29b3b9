//! Every example of every task in buffers without a cell to spare: run under Miri, which sees each access outside of them,
//! each pointer that is used beyond the slice it was made from, and each read of memory that was never written.
//!
//! `cargo +nightly miri test -p xla-kernels soundness`. Natively the same tests compare what a kernel writes with scratch memory
//! that is new and that is dirty.

use xla_kernels::scratch::Scratch;
use xla_kernels::{Context, Slice, SliceMut, Stop, Task, Type, kernels, run, run_with};

use crate::support::Random;

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
    ($buffer:expr, $cells:ident, $of:ident => $body:expr) => {
        match $buffer {
            Buffer::U8($cells) => $of::U8($body),
            Buffer::I8($cells) => $of::I8($body),
            Buffer::U16($cells) => $of::U16($body),
            Buffer::I16($cells) => $of::I16($body),
            Buffer::U32($cells) => $of::U32($body),
            Buffer::I32($cells) => $of::I32($body),
            Buffer::U64($cells) => $of::U64($body),
            Buffer::I64($cells) => $of::I64($body),
            Buffer::F32($cells) => $of::F32($body),
            Buffer::F64($cells) => $of::F64($body),
            Buffer::C64($cells) => $of::C64($body),
            Buffer::C128($cells) => $of::C128($body),
        }
    };
}

impl Buffer {
    /// Random cells; of floats small numbers and, if asked for, odd ones.
    fn new(ty: Type, cells: usize, random: &mut Random, is_odd: bool) -> Self {
        let mut number = || if is_odd { random.float() } else { random.plain() };
        let mut codes = || (number() * 100.0) as i64;
        match ty {
            Type::Pred => Self::U8((0..cells).map(|_| codes() as u8 & 1).collect()),
            Type::U8 => Self::U8((0..cells).map(|_| codes() as u8).collect()),
            Type::S8 => Self::I8((0..cells).map(|_| codes() as i8).collect()),
            Type::U16 => Self::U16((0..cells).map(|_| codes() as u16).collect()),
            Type::F16 | Type::BF16 => Self::U16((0..cells).map(|_| 0x3c00 ^ (codes() as u16)).collect()),
            Type::S16 => Self::I16((0..cells).map(|_| codes() as i16).collect()),
            Type::U32 => Self::U32((0..cells).map(|_| codes() as u32).collect()),
            Type::S32 => Self::I32((0..cells).map(|_| codes() as i32).collect()),
            Type::U64 => Self::U64((0..cells).map(|_| codes() as u64).collect()),
            Type::S64 => Self::I64((0..cells).map(|_| codes()).collect()),
            Type::F32 => Self::F32((0..cells).map(|_| number()).collect()),
            Type::F64 => Self::F64((0..cells).map(|_| f64::from(number())).collect()),
            Type::C64 => Self::C64((0..cells).map(|_| [number(), number()]).collect()),
            Type::C128 => Self::C128((0..cells).map(|_| [f64::from(number()), 0.5]).collect()),
        }
    }

    fn slice(&self) -> Slice<'_> {
        each!(self, cells, Slice => cells)
    }

    fn slice_mut(&mut self) -> SliceMut<'_> {
        each!(self, cells, SliceMut => cells)
    }
}

/// The bytes that a task writes, in buffers that hold the same at first.
fn written(task: &Task, read: &[Buffer], out: &[Buffer], scratch: &mut Scratch) -> Vec<Vec<u8>> {
    let mut out = out.to_vec();
    let read: Vec<Slice> = read.iter().map(Buffer::slice).collect();
    {
        let mut written: Vec<SliceMut> = out.iter_mut().map(Buffer::slice_mut).collect();
        let mut context = Context { scratch, tick: &mut |_| true, held: None };
        let outcome = run(task, &read, &mut written, &mut context);
        assert_eq!(outcome, Ok(()), "{task:?}");
    }
    out.iter().map(|buffer| buffer.slice().as_bytes().to_vec()).collect()
}

fn examples(name: &str) {
    let mut random = Random::new(name.len() as u64);
    let mut dirty = Scratch::default();
    let mut count = 0;
    // Element-wise functions have no `unsafe` code of their own: under Miri some of them are enough.
    let is_elementwise = ["unary", "binary", "compare", "select", "clamp", "convert"].contains(&name);
    let step = if cfg!(miri) && is_elementwise { 16 } else { 1 };
    for task in Task::examples_of(name).into_iter().step_by(step) {
        count += 1;
        let ((reads, writes), (read_cells, written_cells)) = (task.types(), task.smallest_buffers());
        for is_odd in if cfg!(miri) { &[true][..] } else { &[false, true] } {
            let mut buffers = |types: &[Type], cells: &[usize]| -> Vec<Buffer> {
                let all = types.iter().zip(cells);
                all.map(|(ty, cells)| Buffer::new(*ty, *cells, &mut random, *is_odd)).collect()
            };
            let (read, out) = (buffers(&reads, &read_cells), buffers(&writes, &written_cells));
            let expected = written(&task, &read, &out, &mut Scratch::default());
            if !cfg!(miri) {
                assert!(written(&task, &read, &out, &mut dirty) == expected, "{task:?}");
            }
            cancelled(&task, &read, &out, &mut dirty);
        }
    }
    assert!(count > 0, "{name}");
}

/// A task that its observer cancels at once.
fn cancelled(task: &Task, read: &[Buffer], out: &[Buffer], scratch: &mut Scratch) {
    let mut out = out.to_vec();
    let read: Vec<Slice> = read.iter().map(Buffer::slice).collect();
    let mut written: Vec<SliceMut> = out.iter_mut().map(Buffer::slice_mut).collect();
    let mut context = Context { scratch, tick: &mut |_| false, held: None };
    let outcome = run(task, &read, &mut written, &mut context);
    assert!(matches!(outcome, Ok(()) | Err(Stop::Cancelled)), "{task:?}: {outcome:?}");
}

macro_rules! tests {
    ($($test:ident $name:literal)*) => {
        $(#[test]
        fn $test() {
            examples($name);
        })*

        #[test]
        fn every_task_has_a_test() {
            for name in Task::NAMES {
                assert!([$($name),*].contains(name), "{name}");
            }
        }
    };
}

tests! {
    dot "dot"
    convolution "convolution"
    reduce "reduce"
    reduce_window "reduce-window"
    select_and_scatter "select-and-scatter"
    unary "unary"
    binary "binary"
    compare "compare"
    select "select"
    clamp "clamp"
    convert "convert"
    copies "move"
    gather "gather"
    sort "sort"
    softmax "softmax"
}

#[test]
fn sort_four_rows_at_once() {
    let kernel = kernels().find(|kernel| kernel.name == "sort four rows at once").unwrap();
    let mut random = Random::new(4);
    let mut count = 0;
    for task in Task::examples_of("sort") {
        let ((reads, writes), (read_cells, written_cells)) = (task.types(), task.smallest_buffers());
        if reads.len() != 1 {
            continue;
        }
        let read = [Buffer::new(reads[0], read_cells[0], &mut random, true)];
        let out = [Buffer::new(writes[0], written_cells[0], &mut random, false)];
        let expected = written(&task, &read, &out, &mut Scratch::default());
        let [read, mut out] = [&read[0], &out[0]].map(Clone::clone);
        let mut scratch = Scratch::default();
        let mut context = Context { scratch: &mut scratch, tick: &mut |_| true, held: None };
        match run_with(kernel, &task, &[read.slice()], &mut [out.slice_mut()], &mut context) {
            Ok(()) => {
                count += 1;
                assert!(out.slice().as_bytes() == expected[0], "{task:?}");
            }
            stop => assert_eq!(stop, Err(Stop::WrongKernel)),
        }
    }
    assert!(count > 0);
}
