//! Functions of lanes on rows of `f32`.

use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::simd::math::Near;

/// Floats of a vector.
pub const LANES: usize = 4;

/// A row made of one row.
#[inline(always)]
pub fn of_one(x: &[f32], out: &mut [f32], f: impl Fn(Best) -> Best) {
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (outs, out_rest) = out.as_chunks_mut::<LANES>();
    for (x, out) in xs.iter().zip(outs) {
        f(Best::load(x)).store(out);
    }
    if !out_rest.is_empty() {
        let (mut last, mut to) = ([1.0; LANES], [0.0; LANES]);
        last[..x_rest.len()].copy_from_slice(x_rest);
        f(Best::load(&last)).store(&mut to);
        out_rest.copy_from_slice(&to[..x_rest.len()]);
    }
}

/// Floats that are checked together.
const BLOCK_FLOATS: usize = 64;
/// Floats that are computed the long way where one of them is far.
const FAR_FLOATS: usize = 4 * BLOCK_FLOATS;

/// A row made of one row by a function that is quicker near to zero: as if all were, and where one is not, once more, and some
/// numbers behind it too: what is far is seldom alone.
pub fn of_near<F: Near<Best>>(x: &[f32], out: &mut [f32]) {
    let mut done = 0;
    while done < x.len() {
        done += near::<F>(&x[done..], &mut out[done..]);
        let end = x.len().min(done + FAR_FLOATS);
        far::<F>(&x[done..end], &mut out[done..end]);
        done = end;
    }
}

/// Blocks up to the first in which a number is far, or to the last whole one. Returns how many numbers are done. Nothing is called
/// here: around a call, engines keep what registers hold in memory, and use it from there.
#[inline(never)]
fn near<F: Near<Best>>(x: &[f32], out: &mut [f32]) -> usize {
    let f = F::prepared();
    let (blocks, out_blocks) = (x.as_chunks::<BLOCK_FLOATS>().0, out.as_chunks_mut::<BLOCK_FLOATS>().0);
    for (done, (x, out)) in blocks.iter().zip(out_blocks).enumerate() {
        let mut seen = Best::zero();
        for (x, out) in x.as_chunks::<LANES>().0.iter().zip(out.as_chunks_mut::<LANES>().0) {
            f.near(Best::load(x), &mut seen).store(out);
        }
        if F::is_far(seen) {
            return done * BLOCK_FLOATS;
        }
    }
    blocks.len() * BLOCK_FLOATS
}

#[inline(never)]
fn far<F: Near<Best>>(x: &[f32], out: &mut [f32]) {
    let f = F::prepared();
    of_one(x, out, |x| f.far(x));
}
