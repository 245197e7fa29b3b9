//! What this machine can do at best, for the Speed screen: products and sums that never leave the registers, and memory
//! copied. Only in the WebAssembly modules.

#![allow(unsafe_code, reason = "exported names")]

use crate::simd::best::Best;
use crate::simd::lanes::Lanes;

/// Sums that are under way at the same time: as many as hide the latency of two a cycle, and fit sixteen registers with factor,
/// term and a product.
const SUMS: usize = 12;

/// Floating-point operations of a round: a product and a sum for each lane of each sum.
const FLOPS: f64 = (SUMS * 4 * 2) as f64;

/// Does so many rounds of multiply and add in registers, fused where the module may, and returns the number of
/// floating-point operations.
#[unsafe(no_mangle)]
pub extern "C" fn peak(rounds: f64) -> f64 {
    // Towards 1, so that no number becomes subnormal or infinite.
    let (factor, term) = (Best::splat(std::hint::black_box(0.75)), Best::splat(std::hint::black_box(0.25)));
    let mut sums: [Best; SUMS] = std::array::from_fn(|_| factor);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count far below 2^32")]
    for _ in 0..rounds as u32 {
        for sum in &mut sums {
            *sum = sum.madd(factor, term);
        }
    }
    std::hint::black_box(sums.into_iter().fold(term, Lanes::add).sum());
    rounds * FLOPS
}

thread_local! {
    static ROOM: std::cell::RefCell<(Vec<f64>, Vec<f64>)> = const { std::cell::RefCell::new((Vec::new(), Vec::new())) };
}

/// Makes room for copies of so many bytes, or returns it with 0. Returns the bytes there is room for.
#[unsafe(no_mangle)]
pub extern "C" fn copy_room(bytes: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count below 2^28")]
    let cells = (bytes / 8.0) as usize;
    ROOM.with_borrow_mut(|(from, to)| {
        (*from, *to) = (Vec::new(), Vec::new());
        if from.try_reserve_exact(cells).is_err() || to.try_reserve_exact(cells).is_err() {
            return 0.0;
        }
        from.resize(cells, 1.0);
        to.resize(cells, 0.0);
        bytes
    })
}

/// Copies that memory so many times and returns the bytes that were read and written.
#[unsafe(no_mangle)]
pub extern "C" fn copy(times: f64) -> f64 {
    ROOM.with_borrow_mut(|(from, to)| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count far below 2^32")]
        for _ in 0..times as u32 {
            std::hint::black_box(&mut *to).copy_from_slice(std::hint::black_box(from));
        }
        times * (std::mem::size_of_val(&from[..]) * 2) as f64
    })
}
