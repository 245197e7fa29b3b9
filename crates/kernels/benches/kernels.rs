//! The kernels natively: the twin of the modules, as this machine's compiler makes it. `cargo bench --bench kernels
//! [PART OF A NAME]`; what a visitor gets is measured in a browser, by `cargo xtask bench --screen kernels`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "a benchmark that cannot go on ends")]

mod cases;

use std::time::Duration;

use cases::{Case, table};
use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use xla_kernels::ground::slice::Cells;
use xla_kernels::scratch::Scratch;
use xla_kernels::task::Unit;
use xla_kernels::{Context, Slice, SliceMut, Type, run};

/// Cells made of numbers below 1999 that differ, the same every time.
fn numbers<T>(count: usize, cell: impl Fn(u16) -> T) -> Vec<T> {
    #[allow(clippy::cast_possible_truncation, reason = "below 1999")]
    let number = |i: usize| ((i.wrapping_mul(2_654_435_761) >> 7) % 1999) as u16;
    (0..count).map(|i| cell(number(i))).collect()
}

/// The cells of a buffer.
fn filled(ty: Type, count: usize) -> Cells {
    let (float, double) = (|n: u16| f32::from(n) / 1000.0 - 1.0, |n: u16| f64::from(n) / 1000.0 - 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the low bits")]
    match ty {
        Type::Pred => Cells::U8(numbers(count, |n| n as u8 & 1)),
        Type::U8 => Cells::U8(numbers(count, |n| n as u8)),
        Type::S8 => Cells::I8(numbers(count, |n| n as i8)),
        Type::U16 => Cells::U16(numbers(count, |n| n)),
        Type::S16 => Cells::I16(numbers(count, |n| n as i16)),
        Type::F16 => Cells::U16(numbers(count, |n| 0x3800 | n & 0x3ff)),
        Type::BF16 => Cells::U16(numbers(count, |n| 0x3f00 | n & 0x7f)),
        Type::U32 => Cells::U32(numbers(count, u32::from)),
        Type::S32 => Cells::I32(numbers(count, i32::from)),
        Type::U64 => Cells::U64(numbers(count, u64::from)),
        Type::S64 => Cells::I64(numbers(count, i64::from)),
        Type::F32 => Cells::F32(numbers(count, float)),
        Type::F64 => Cells::F64(numbers(count, double)),
        Type::C64 => Cells::C64(numbers(count, |n| [float(n), 0.5])),
        Type::C128 => Cells::C128(numbers(count, |n| [double(n), 0.5])),
    }
}

fn measure(group: &mut BenchmarkGroup<WallTime>, case: &Case) {
    let (reads, writes) = case.task.types();
    let read: Vec<Cells> = reads.iter().zip(&case.cells).map(|(ty, cells)| filled(*ty, *cells)).collect();
    let mut written: Vec<Cells> =
        writes.iter().zip(&case.cells[reads.len()..]).map(|(ty, cells)| filled(*ty, *cells)).collect();
    let mut scratch = Scratch::default();
    group.throughput(match case.work() {
        (Unit::Flop, work) => Throughput::Elements(work as u64),
        (Unit::Byte, work) => Throughput::Bytes(work as u64),
    });
    group.bench_function(&case.name, |bencher| {
        bencher.iter(|| {
            let read: Vec<Slice> =
                read.iter().zip(&case.cells).map(|(cells, count)| cells.first(*count)).collect();
            let written_cells = &case.cells[reads.len()..];
            let mut written: Vec<SliceMut> =
                written.iter_mut().zip(written_cells).map(|(cells, count)| cells.first_mut(*count)).collect();
            let mut context = Context { scratch: &mut scratch, tick: &mut |_| true, held: None };
            if let Err(stop) = run(&case.task, &read, &mut written, &mut context) {
                panic!("{}: {stop:?}", case.name);
            }
        });
    });
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("kernels");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for case in table() {
        measure(&mut group, &case);
    }
    group.finish();
    criterion.final_summary();
}
