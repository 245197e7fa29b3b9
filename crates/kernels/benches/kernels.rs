//! The kernels natively: the twin of the modules, as this machine's compiler makes it. `cargo bench --bench kernels
//! [PART OF A NAME]`; what a visitor gets is measured in a browser, by `cargo xtask bench --screen kernels`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "a benchmark that cannot go on ends")]

mod cases;

use std::time::Duration;

use cases::{Case, table};
use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use xla_kernels::scratch::Scratch;
use xla_kernels::task::Unit;
use xla_kernels::{Context, Slice, SliceMut, Type, run};

/// The cells of a buffer.
enum Cells {
    U8(Vec<u8>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Numbers that differ, the same every time.
fn filled(ty: Type, cells: usize) -> Cells {
    let number = |i: usize| (i.wrapping_mul(2_654_435_761) >> 7) % 1999;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        reason = "below 2000"
    )]
    match ty {
        Type::F32 => Cells::F32((0..cells).map(|i| number(i) as f32 / 1000.0 - 1.0).collect()),
        Type::F64 => Cells::F64((0..cells).map(|i| number(i) as f64 / 1000.0 - 1.0).collect()),
        Type::S32 => Cells::I32((0..cells).map(|i| number(i) as i32).collect()),
        Type::BF16 => Cells::U16((0..cells).map(|i| 0x3f00 | (number(i) & 0x7f) as u16).collect()),
        Type::Pred => Cells::U8((0..cells).map(|i| (number(i) & 1) as u8).collect()),
        Type::U8 => Cells::U8((0..cells).map(|i| number(i) as u8).collect()),
        other => panic!("no case is of {other:?}"),
    }
}

impl Cells {
    fn read(&self) -> Slice<'_> {
        match self {
            Self::U8(cells) => Slice::U8(cells),
            Self::U16(cells) => Slice::U16(cells),
            Self::I32(cells) => Slice::I32(cells),
            Self::F32(cells) => Slice::F32(cells),
            Self::F64(cells) => Slice::F64(cells),
        }
    }

    fn written(&mut self) -> SliceMut<'_> {
        match self {
            Self::U8(cells) => SliceMut::U8(cells),
            Self::U16(cells) => SliceMut::U16(cells),
            Self::I32(cells) => SliceMut::I32(cells),
            Self::F32(cells) => SliceMut::F32(cells),
            Self::F64(cells) => SliceMut::F64(cells),
        }
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
            let read: Vec<Slice> = read.iter().map(Cells::read).collect();
            let mut written: Vec<SliceMut> = written.iter_mut().map(Cells::written).collect();
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
