//! The ceilings of this machine, for the Speed screen: peak multiply-adds in registers, and the bandwidth of copying and
//! reading memory.
//! Only in the WebAssembly modules.

#![allow(unsafe_code, reason = "exported names")]

use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Independent sums: enough to hide the latency at two multiply-adds a cycle, and few enough to fit sixteen registers together
/// with factor, term and a product.
const SUMS: usize = 12;

/// Floating-point operations of one iteration: a product and a sum for each of the four lanes of each sum.
const FLOPS: f64 = (SUMS * 4 * 2) as f64;

/// Runs `rounds` iterations of multiply-adds in registers, fused where the module fuses, and returns the number of
/// floating-point operations.
#[unsafe(no_mangle)]
pub extern "C" fn peak(rounds: f64) -> f64 {
    // The sums converge to 1, so that no number becomes subnormal or infinite.
    let (factor, term) = (F32x4::splat(std::hint::black_box(0.75)), F32x4::splat(std::hint::black_box(0.25)));
    let mut sums: [F32x4; SUMS] = std::array::from_fn(|_| factor);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count far below 2^32")]
    for _ in 0..rounds as u32 {
        for sum in &mut sums {
            *sum = sum.madd(factor, term);
        }
    }
    std::hint::black_box(sums.into_iter().fold(term, Lanes::add).sum());
    rounds * FLOPS
}

/// Buffers of words.
#[derive(Default)]
struct Room {
    from: Vec<u64>,
    to: Vec<u64>,
    /// What is read and not copied.
    read: Vec<u64>,
}

thread_local! {
    static ROOM: std::cell::RefCell<Room> = const {
        std::cell::RefCell::new(Room { from: Vec::new(), to: Vec::new(), read: Vec::new() })
    };
}

/// A buffer of this many bytes, in whole words; `None` where memory is exhausted.
fn words(bytes: f64) -> Option<Vec<u64>> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count below 2^28")]
    let count = (bytes / 8.0) as usize;
    let mut words = Vec::new();
    words.try_reserve_exact(count).ok()?;
    words.resize(count, 1);
    Some(words)
}

/// Allocates source and destination of a copy of `bytes` bytes; 0 frees all buffers. Returns the bytes that can be copied, 0
/// where memory is exhausted.
#[unsafe(no_mangle)]
pub extern "C" fn copy_room(bytes: f64) -> f64 {
    ROOM.take();
    let Some((from, to)) = words(bytes).zip(words(bytes)) else { return 0.0 };
    ROOM.set(Room { from, to, read: Vec::new() });
    bytes
}

/// Allocates `bytes` bytes that [`copy`] reads besides: some ops read more than they write. Returns the bytes that can be read,
/// 0 where memory is exhausted.
#[unsafe(no_mangle)]
pub extern "C" fn read_room(bytes: f64) -> f64 {
    let Some(read) = words(bytes) else { return 0.0 };
    ROOM.with_borrow_mut(|room| room.read = read);
    bytes
}

/// Copies source to destination and reads the rest, `times` times; returns the bytes that were read and written.
#[unsafe(no_mangle)]
pub extern "C" fn copy(times: f64) -> f64 {
    ROOM.with_borrow_mut(|Room { from, to, read }| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count far below 2^32")]
        for _ in 0..times as u32 {
            std::hint::black_box(&mut *to).copy_from_slice(std::hint::black_box(from));
            std::hint::black_box(std::hint::black_box(&*read).iter().fold(0, |all, word| all ^ word));
        }
        times * (std::mem::size_of_val(&from[..]) * 2 + std::mem::size_of_val(&read[..])) as f64
    })
}
