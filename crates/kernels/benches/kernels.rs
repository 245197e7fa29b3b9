//! Benchmarks of the native kernels: the algorithms of the WebAssembly modules, compiled for this machine. `cargo bench
//! --bench kernels [PART OF A NAME]`; `cargo xtask bench --screen kernels` measures the modules in a browser.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "a benchmark that cannot continue aborts")]

mod cases;

use std::time::{Duration, Instant};

use cases::{Case, table};
use xla_kernels::scratch::Scratch;
use xla_kernels::support::slice::TypedVec;
use xla_kernels::task::Unit;
use xla_kernels::{Context, Slice, SliceMut, Type, run};

/// Pseudo-random elements, of numbers below 1999; the same in every run.
fn numbers<T>(count: usize, element: impl Fn(u16) -> T) -> Vec<T> {
    #[allow(clippy::cast_possible_truncation, reason = "below 1999")]
    let number = |i: usize| ((i.wrapping_mul(2_654_435_761) >> 7) % 1999) as u16;
    (0..count).map(|i| element(number(i))).collect()
}

/// A buffer of `count` pseudo-random elements.
fn filled(ty: Type, count: usize) -> TypedVec {
    let (float, double) = (|n: u16| f32::from(n) / 1000.0 - 1.0, |n: u16| f64::from(n) / 1000.0 - 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the low bits")]
    match ty {
        Type::Pred => TypedVec::U8(numbers(count, |n| n as u8 & 1)),
        Type::U8 => TypedVec::U8(numbers(count, |n| n as u8)),
        Type::S8 => TypedVec::I8(numbers(count, |n| n as i8)),
        Type::U16 => TypedVec::U16(numbers(count, |n| n)),
        Type::S16 => TypedVec::I16(numbers(count, |n| n as i16)),
        Type::F16 => TypedVec::U16(numbers(count, |n| 0x3800 | n & 0x3ff)),
        Type::BF16 => TypedVec::U16(numbers(count, |n| 0x3f00 | n & 0x7f)),
        Type::U32 => TypedVec::U32(numbers(count, u32::from)),
        Type::S32 => TypedVec::I32(numbers(count, i32::from)),
        Type::U64 => TypedVec::U64(numbers(count, u64::from)),
        Type::S64 => TypedVec::I64(numbers(count, i64::from)),
        Type::F32 => TypedVec::F32(numbers(count, float)),
        Type::F64 => TypedVec::F64(numbers(count, double)),
        Type::C64 => TypedVec::C64(numbers(count, |n| [float(n), 0.5])),
        Type::C128 => TypedVec::C128(numbers(count, |n| [double(n), 0.5])),
    }
}

/// The time for which a task runs before it is measured.
const WARM_UP: Duration = Duration::from_millis(300);
/// The minimum time of a sample, far above the resolution of the clock.
const MIN_SAMPLE_TIME: Duration = Duration::from_millis(100);
const SAMPLES: usize = 10;

/// The time of one call, in seconds: the minimum of the samples, since other load on the machine only slows them down.
fn time_of(mut call: impl FnMut()) -> f64 {
    let (start, mut warm_up_calls) = (Instant::now(), 0);
    while warm_up_calls == 0 || start.elapsed() < WARM_UP {
        call();
        warm_up_calls += 1;
    }
    let seconds_per_call = start.elapsed().as_secs_f64() / f64::from(warm_up_calls);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a saturating count")]
    let calls = (MIN_SAMPLE_TIME.as_secs_f64() / seconds_per_call).ceil().max(1.0) as u32;
    let mut sample = || {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_secs_f64() / f64::from(calls)
    };
    (0..SAMPLES).map(|_| sample()).fold(f64::INFINITY, f64::min)
}

/// Prints a row: the name, the time in microseconds, and the rate.
fn measure(case: &Case) {
    let (reads, writes) = case.task.types();
    let read: Vec<TypedVec> =
        reads.iter().zip(&case.buffer_lengths).map(|(ty, length)| filled(*ty, *length)).collect();
    let mut written: Vec<TypedVec> = writes
        .iter()
        .zip(&case.buffer_lengths[reads.len()..])
        .map(|(ty, length)| filled(*ty, *length))
        .collect();
    let mut scratch = Scratch::default();
    let seconds = time_of(|| {
        let read: Vec<Slice> =
            read.iter().zip(&case.buffer_lengths).map(|(buffer, length)| buffer.prefix(*length)).collect();
        let written_lengths = &case.buffer_lengths[reads.len()..];
        let mut written: Vec<SliceMut> = written
            .iter_mut()
            .zip(written_lengths)
            .map(|(buffer, length)| buffer.prefix_mut(*length))
            .collect();
        let mut context = Context { scratch: &mut scratch, tick: &mut |_| true, packed_operand: None };
        if let Err(error) = run(&case.task, &read, &mut written, &mut context) {
            panic!("{}: {error:?}", case.name);
        }
    });
    let (unit, work) = case.work();
    let unit = if unit == Unit::Flop { "GFLOP/s" } else { "GB/s" };
    #[allow(clippy::cast_precision_loss, reason = "a rate of three digits")]
    let rate = work as f64 / seconds / 1e9;
    println!("{:<40} {:>12.2} µs {rate:>10.2} {unit}", case.name, seconds * 1e6);
}

fn main() {
    // Cargo adds `--bench`.
    let filters: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_selected =
        |case: &Case| filters.is_empty() || filters.iter().any(|filter| case.name.contains(filter.as_str()));
    table().iter().filter(|case| is_selected(case)).for_each(measure);
}
