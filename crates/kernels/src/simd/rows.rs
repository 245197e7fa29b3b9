//! Functions of lanes on rows of `f32`.

use crate::simd::lanes::Lanes;
use crate::simd::math::FastPath;
use crate::simd::native::F32x4;

/// Floats of a vector.
pub const LANES: usize = 4;

/// Applies a function to a row, vector by vector.
#[inline(always)]
pub fn map(x: &[f32], out: &mut [f32], f: impl Fn(F32x4) -> F32x4) {
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (outs, out_rest) = out.as_chunks_mut::<LANES>();
    for (x, out) in xs.iter().zip(outs) {
        f(F32x4::load(x)).store(out);
    }
    if !out_rest.is_empty() {
        let (mut last, mut to) = ([1.0; LANES], [0.0; LANES]);
        last[..x_rest.len()].copy_from_slice(x_rest);
        f(F32x4::load(&last)).store(&mut to);
        out_rest.copy_from_slice(&to[..x_rest.len()]);
    }
}

/// Floats after which the range of the inputs is checked.
const BLOCK_FLOATS: usize = 64;
/// Floats that take the slow path after an input out of range.
const SLOW_FLOATS: usize = 4 * BLOCK_FLOATS;

/// Applies a function that has a fast path. At the first block with an input out of the fast path's range, it takes the slow path
/// for that block and the next ones, since such inputs are rarely alone.
pub fn map_with_fast_path<F: FastPath<F32x4>>(x: &[f32], out: &mut [f32]) {
    let mut done = 0;
    while done < x.len() {
        done += fast_blocks::<F>(&x[done..], &mut out[done..]);
        let end = x.len().min(done + SLOW_FLOATS);
        slow_path::<F>(&x[done..end], &mut out[done..end]);
        done = end;
    }
}

/// Applies the fast path to whole blocks, up to the first with an input out of its range. Returns the number of floats done. A
/// function of its own, without calls: across a call, WebAssembly engines spill the constants from registers to memory.
#[inline(never)]
fn fast_blocks<F: FastPath<F32x4>>(x: &[f32], out: &mut [f32]) -> usize {
    let f = F::with_constants();
    let (blocks, out_blocks) = (x.as_chunks::<BLOCK_FLOATS>().0, out.as_chunks_mut::<BLOCK_FLOATS>().0);
    for (done, (x, out)) in blocks.iter().zip(out_blocks).enumerate() {
        let mut range = F32x4::zero();
        for (x, out) in x.as_chunks::<LANES>().0.iter().zip(out.as_chunks_mut::<LANES>().0) {
            f.fast(F32x4::load(x), &mut range).store(out);
        }
        if F::is_out_of_range(range) {
            return done * BLOCK_FLOATS;
        }
    }
    blocks.len() * BLOCK_FLOATS
}

#[inline(never)]
fn slow_path<F: FastPath<F32x4>>(x: &[f32], out: &mut [f32]) {
    let f = F::with_constants();
    map(x, out, |x| f.slow(x));
}
