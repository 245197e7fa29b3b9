//! Measures the roofline of this machine for the Speed screen: peak multiply-adds in registers, and the bandwidth of copying and
//! reading memory. Only in the WebAssembly modules.

#![allow(unsafe_code, reason = "exported names")]

use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Independent accumulators: enough to hide the latency at two multiply-adds a cycle, and few enough to fit sixteen registers
/// together with factor, term and a product.
const ACCUMULATORS: usize = 12;

/// Floating-point operations of one iteration: a product and a sum for each of the four lanes of each accumulator.
const FLOPS_PER_ITERATION: f64 = (ACCUMULATORS * 4 * 2) as f64;

/// Runs `iterations` iterations of multiply-adds in registers, fused where the module fuses, and returns the number of
/// floating-point operations.
#[unsafe(no_mangle)]
pub extern "C" fn peak(iterations: f64) -> f64 {
    // The sums converge to 1: no number becomes subnormal or infinite.
    let (factor, term) = (F32x4::splat(std::hint::black_box(0.75)), F32x4::splat(std::hint::black_box(0.25)));
    let mut sums: [F32x4; ACCUMULATORS] = std::array::from_fn(|_| factor);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count far below 2^32")]
    for _ in 0..iterations as u32 {
        for sum in &mut sums {
            *sum = sum.madd(factor, term);
        }
    }
    std::hint::black_box(sums.into_iter().fold(term, Lanes::add).sum());
    iterations * FLOPS_PER_ITERATION
}

/// The buffers of the bandwidth measurements.
#[derive(Default)]
struct Buffers {
    source: Vec<u64>,
    destination: Vec<u64>,
    /// The buffer that is read and not copied.
    read_only: Vec<u64>,
}

thread_local! {
    static BUFFERS: std::cell::RefCell<Buffers> = const {
        std::cell::RefCell::new(Buffers { source: Vec::new(), destination: Vec::new(), read_only: Vec::new() })
    };
}

/// Allocates a buffer of this many bytes, in whole words; `None` if memory is exhausted.
fn allocate(bytes: f64) -> Option<Vec<u64>> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count below 2^28")]
    let count = (bytes / 8.0) as usize;
    let mut words = Vec::new();
    words.try_reserve_exact(count).ok()?;
    words.resize(count, 1);
    Some(words)
}

/// Allocates source and destination of a copy of `bytes` bytes; 0 frees all buffers. Returns the bytes that can be copied, 0
/// if memory is exhausted.
#[unsafe(no_mangle)]
pub extern "C" fn copy_room(bytes: f64) -> f64 {
    BUFFERS.take();
    let Some((source, destination)) = allocate(bytes).zip(allocate(bytes)) else { return 0.0 };
    BUFFERS.set(Buffers { source, destination, read_only: Vec::new() });
    bytes
}

/// Allocates `bytes` bytes that [`copy`] also reads, since some ops read more than they write. Returns the bytes that can be read,
/// 0 if memory is exhausted.
#[unsafe(no_mangle)]
pub extern "C" fn read_room(bytes: f64) -> f64 {
    let Some(buffer) = allocate(bytes) else { return 0.0 };
    BUFFERS.with_borrow_mut(|buffers| buffers.read_only = buffer);
    bytes
}

/// Copies source to destination and reads the read-only buffer, `times` times; returns the bytes that were read and written.
#[unsafe(no_mangle)]
pub extern "C" fn copy(times: f64) -> f64 {
    BUFFERS.with_borrow_mut(|Buffers { source, destination, read_only }| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count far below 2^32")]
        for _ in 0..times as u32 {
            std::hint::black_box(&mut *destination).copy_from_slice(std::hint::black_box(source));
            std::hint::black_box(
                std::hint::black_box(&*read_only).iter().fold(0, |checksum, word| checksum ^ word),
            );
        }
        times * (std::mem::size_of_val(&source[..]) * 2 + std::mem::size_of_val(&read_only[..])) as f64
    })
}
