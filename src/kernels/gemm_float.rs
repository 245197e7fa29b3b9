//! The tile of `f32`, and how panels of `f32` are packed.
//!
//! A tile is 4 x 8: eight sums, two vectors of the right panel, one number of the left in all lanes and one product are what
//! fits the registers. Both panels are read through one pointer each, with constant offsets: anything else is twice as slow in
//! some browsers.

#![allow(
    unsafe_code,
    reason = "tiles and packing read memory whose bounds are proved once for a whole panel"
)]

use super::gemm::{Number, ROWS, Side, Stage, WIDE};
use super::lanes::Lanes;
use super::slice::Slice;
use super::{Best, gemm_typed};

impl Number for f32 {
    fn pack(side: &Side, lines: &[isize], depth: &[isize], width: usize, to: &mut [Self]) {
        if let Slice::F32(cells) = side.cells {
            match width {
                ROWS => pack::<Best, ROWS>(cells, lines, depth, to),
                _ => pack::<Best, WIDE>(cells, lines, depth, to),
            }
        } else {
            gemm_typed::gather(side, lines, depth, width, to);
        }
    }

    unsafe fn tile(
        [rows, columns]: [usize; 2],
        depth: usize,
        a: *const f32,
        b: *const f32,
        to: &[*mut f32; ROWS],
        stage: Stage,
    ) {
        // SAFETY: as this function's.
        unsafe {
            match (rows, columns > 4) {
                (1, true) => tile::<Best, 1, 2>(depth, a, b, to, stage),
                (2, true) => tile::<Best, 2, 2>(depth, a, b, to, stage),
                (3, true) => tile::<Best, 3, 2>(depth, a, b, to, stage),
                (_, true) => tile::<Best, 4, 2>(depth, a, b, to, stage),
                (1, false) => tile::<Best, 1, 1>(depth, a, b, to, stage),
                (2, false) => tile::<Best, 2, 1>(depth, a, b, to, stage),
                (3, false) => tile::<Best, 3, 1>(depth, a, b, to, stage),
                (_, false) => tile::<Best, 4, 1>(depth, a, b, to, stage),
            }
        }
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn plus_product(self, a: Self, b: Self) -> Self {
        let [sum, ..] = Best::splat(a).madd(Best::splat(b), Best::splat(self)).to_array();
        sum
    }
    fn settled(self) -> Self {
        if Self::is_nan(self) { Self::NAN } else { self }
    }
    fn is_nan(self) -> bool {
        Self::is_nan(self)
    }
    fn floats(cells: &mut [Self]) -> Option<&mut [f32]> {
        Some(cells)
    }
}

/// `R` rows of `4 * V` columns. Never inlined: what is called often is compiled well soon.
///
/// # Safety
/// [`Number::tile`].
#[inline(never)]
unsafe fn tile<L: Lanes, const R: usize, const V: usize>(
    depth: usize,
    a: *const f32,
    b: *const f32,
    to: &[*mut f32; ROWS],
    stage: Stage,
) {
    let mut sums = [[L::zero(); V]; R];
    let (mut a, mut b) = (a, b);
    let step = |sums: &mut [[L; V]; R], a: *const f32, b: *const f32, k: usize| {
        // SAFETY: the caller vouches for the panels, of which `k` counts the depth.
        unsafe {
            let mut right = [L::zero(); V];
            for (v, right) in right.iter_mut().enumerate() {
                *right = L::read(b.add(k * WIDE + 4 * v));
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let left = L::read_splat(a.add(k * ROWS + r));
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum = left.madd(right, *sum);
                }
            }
        }
    };
    for _ in 0..depth / UNROLL {
        for k in 0..UNROLL {
            step(&mut sums, a, b, k);
        }
        // SAFETY: within the panels, or at their end.
        unsafe {
            a = a.add(UNROLL * ROWS);
            b = b.add(UNROLL * WIDE);
        }
    }
    for k in 0..depth % UNROLL {
        step(&mut sums, a, b, k);
    }
    for (sums, to) in sums.iter().zip(to) {
        for (v, sum) in sums.iter().enumerate() {
            // SAFETY: the caller vouches for the row.
            unsafe {
                let to = to.add(4 * v);
                let sum = if stage.is_first { *sum } else { L::read(to).add(*sum) };
                if stage.is_last { sum.settled() } else { sum }.write(to);
            }
        }
    }
}

/// Steps of depth in a turn of the tile's loop.
const UNROLL: usize = 4;

/// Depths that are packed for all panels before the next: rows of memory that are read side by side.
const SIDE_BY_SIDE: usize = 8;

/// Packs lines of `f32`. Unsafe: vectors are read without a look at the bounds, since each cell of these lines and depths was
/// proved to lie within; a vector with cells of no line is looked at.
fn pack<L: Lanes, const W: usize>(cells: &[f32], lines: &[isize], depth: &[isize], to: &mut [f32]) {
    let deep = depth.len();
    let (Some(low), Some(high)) = (depth.iter().min(), depth.iter().max()) else { return };
    assert!(lines.len().is_multiple_of(W) && to.len() >= lines.len() * deep);
    let inside = |line: &isize| line + low >= 0 && (line + high).cast_unsigned() < cells.len();
    assert!(lines.iter().all(inside));
    let is_run = |all: &[isize]| all.windows(2).all(|two| two[1] == two[0] + 1);
    let from = cells.as_ptr();
    if deep >= 4 && is_run(depth) && !is_run(&lines[..4]) {
        for (four, lines) in lines.chunks_exact(4).enumerate() {
            // SAFETY: the first depth of four lines that lie within; panels have room for all lines.
            let (rows, to) = unsafe {
                let first = |line: isize| from.offset(line + depth[0]);
                let to = to.as_mut_ptr().add(four * 4 / W * W * deep + four * 4 % W);
                ([first(lines[0]), first(lines[1]), first(lines[2]), first(lines[3])], to)
            };
            for k in (0..deep - 3).step_by(4) {
                // SAFETY: four depths more of each line.
                unsafe {
                    let columns = L::transposed(rows.map(|row| L::read(row.add(k))));
                    for (i, column) in columns.into_iter().enumerate() {
                        column.write(to.add((k + i) * W));
                    }
                }
            }
            for k in deep / 4 * 4..deep {
                for (v, row) in rows.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { *to.add(k * W + v) = *row.add(k) };
                }
            }
        }
        return;
    }
    for start in (0..deep).step_by(SIDE_BY_SIDE) {
        let depth = &depth[start..deep.min(start + SIDE_BY_SIDE)];
        for (four, lines) in lines.chunks_exact(4).enumerate() {
            let to = &mut to[four * 4 / W * W * deep + start * W + four * 4 % W..];
            let to = &mut to[..(depth.len() - 1) * W + 4];
            if is_run(lines) {
                for (k, at) in depth.iter().enumerate() {
                    // SAFETY: the first and the last of the four lines lie within; `to` is that long.
                    unsafe { L::read(from.offset(lines[0] + at)).write(to.as_mut_ptr().add(k * W)) };
                }
            } else if let Some((other, mask)) = Broken::of::<L>(lines, cells.len(), [*low, *high]) {
                for (k, at) in depth.iter().enumerate() {
                    // SAFETY: both vectors were looked at; `to` is that long.
                    unsafe {
                        let (one, two) =
                            (L::read(from.offset(lines[0] + at)), L::read(from.offset(other + at)));
                        one.select(two, mask).write(to.as_mut_ptr().add(k * W));
                    }
                }
            } else {
                for (k, at) in depth.iter().enumerate() {
                    for (v, line) in lines.iter().enumerate() {
                        // SAFETY: a line that lies within; `to` is that long.
                        unsafe { *to.get_unchecked_mut(k * W + v) = *from.offset(line + at) };
                    }
                }
            }
        }
    }
}

/// Four lines that are two runs.
struct Broken;

impl Broken {
    /// Where the vector of the second run begins, and a mask of the first; `None` if it is not so, or if a vector reached
    /// outside of the cells at some depth.
    fn of<L: Lanes>(lines: &[isize], cells: usize, [low, high]: [isize; 2]) -> Option<(isize, L)> {
        let first = 1 + lines.windows(2).take_while(|two| two[1] == two[0] + 1).count();
        let other = lines.get(first)? - first.cast_signed();
        let is_run = (first..4).all(|v| lines[v] == other + v.cast_signed());
        let is_inside = |from: isize| from + low >= 0 && (from + high + 3).cast_unsigned() < cells;
        let mask = [0, 1, 2, 3].map(|v| f32::from_bits(if v < first { u32::MAX } else { 0 }));
        (is_run && is_inside(other) && is_inside(lines[0])).then(|| (other, L::load(&mask)))
    }
}
