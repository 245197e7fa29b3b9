//! Pooling of planes of `f32`: a square window of two or three cells along the two innermost dimensions.
//!
//! The rows that a window covers are read in place and combined in registers, then neighbours within the combined row; the order
//! of a sum is that of [`crate::window::nest`]. Rows outside of the operand are rows of the identity. Two rows of places are
//! reduced at once, so that the rows that both cover are read once.
//!
//! A plane is first reduced with the quick pass, and where that leaves a doubt ([`crate::window::pool`]) as a whole with the exact
//! one. Of the rows that a pair of rows of places covers, those are added up that no pair before it covers.

#![allow(unsafe_code, reason = "overlapping reads of rows: bounds checks make it slower")]

use std::ops::Range;

use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::description::parts::Reducer;
use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::window::pool::{Exact, Pass, Pool, Quick, Seen, ended, has_init, has_nan};
use crate::window::row::Axis;

/// Rows of places that the quick pass reduces at once.
const ROWS_AT_ONCE: usize = 2;
/// Maximum rows of cells that a block of output rows covers.
const MAX_ROWS: usize = 6;

/// Rows of places that a pass reduces at once.
#[inline(always)]
const fn at_once<P: Pass>() -> usize {
    if P::IS_EXACT { 1 } else { ROWS_AT_ONCE }
}

/// What all planes have in common.
struct Planes<'a> {
    axes: [Axis; 2],
    /// A row of the identity.
    none: &'a [f32],
    init: f32,
}

/// Whether the window is one of these.
pub fn supports(axes: &[Axis]) -> bool {
    let [outer @ .., high, wide] = axes else { return false };
    let is_small = |axis: &Axis| {
        let w = axis.window;
        matches!(w.size, 2 | 3)
            && matches!(w.stride, 1..=3)
            && w.dilation == 1
            && w.base_dilation == 1
            && matches!(w.low, 0 | 1)
    };
    outer.iter().all(Axis::is_plain)
        && is_small(high)
        && is_small(wide)
        && high.window.size == wide.window.size
        && wide.to == 1
        && wide.size >= 4
}

/// Pools the planes of an operand in row-major order.
pub fn pool(of: Pool<f32>, context: &mut Context) -> Result<(), Stop> {
    match of.fold {
        // Its quick reduction is the same operation, and it is rare.
        Reducer::Mul => planes::<Exact<Mul>, Mul>(of, context),
        Reducer::Min => planes::<Quick<Min>, Min>(of, context),
        Reducer::Max => planes::<Quick<Max>, Max>(of, context),
        _ => planes::<Quick<Add>, Add>(of, context),
    }
}

fn planes<Q: Pass, F: LaneReducer>(of: Pool<f32>, context: &mut Context) -> Result<(), Stop> {
    let [.., high, wide] = *of.axes else { return Err(Stop::InvalidTask) };
    let none = vec![F::IDENTITY; wide.size];
    let planes = Planes { axes: [high, wide], none: &none, init: of.init };
    // The window's size, its stride along a row, and the rows from one to the other of a pair of rows of places: the stride along
    // the other dimension, but the window's size where they cover none in common.
    let (quick, exact): (Plane, Plane) = match (wide.window.size, wide.window.stride, high.window.stride) {
        (2, 1, 1) => (plane::<Q, 2, 1, 1>, plane::<Exact<F>, 2, 1, 2>),
        (2, 1, _) => (plane::<Q, 2, 1, 2>, plane::<Exact<F>, 2, 1, 2>),
        (2, 2, _) => (plane::<Q, 2, 2, 2>, plane::<Exact<F>, 2, 2, 2>),
        (2, _, _) => (plane::<Q, 2, 3, 2>, plane::<Exact<F>, 2, 3, 2>),
        (_, 1, 1) => (plane::<Q, 3, 1, 1>, plane::<Exact<F>, 3, 1, 3>),
        (_, 1, _) => (plane::<Q, 3, 1, 3>, plane::<Exact<F>, 3, 1, 3>),
        (_, 2, 2) => (plane::<Q, 3, 2, 2>, plane::<Exact<F>, 3, 2, 3>),
        (_, 2, _) => (plane::<Q, 3, 2, 3>, plane::<Exact<F>, 3, 2, 3>),
        _ => (plane::<Q, 3, 3, 3>, plane::<Exact<F>, 3, 3, 3>),
    };
    // Where the quick pass does not join the initial value, one that is not the identity is left to the exact pass.
    let is_quick = has_init::<Q>() || of.init == F::IDENTITY;
    let mut spare = vec![0.0; wide.places];
    of.each(2, |cells, out, to| {
        if !is_quick || !quick(&planes, cells, out, to, &mut spare) {
            exact(&planes, cells, out, to, &mut spare);
        }
        context.tick((cells.len() * 3) as u64)
    })
}

/// A plane; `false` where the results are in doubt. The last is memory for a row of places.
type Plane = fn(&Planes, &[f32], &mut [f32], isize, &mut [f32]) -> bool;

fn plane<P: Pass, const K: usize, const S: usize, const V: usize>(
    planes: &Planes,
    cells: &[f32],
    out: &mut [f32],
    to: isize,
    spare: &mut [f32],
) -> bool {
    let [high, wide] = planes.axes;
    let (width, places, window) = (wide.size, wide.places, high.window);
    // The bounds of the places are checked here, once.
    let ends = [to, to + (high.places - 1).cast_signed() * high.to];
    assert!(
        ends.iter().all(|at| *at >= 0 && at.cast_unsigned() + places <= out.len()) && spare.len() == places
    );
    let cells = &cells[..high.size * width];
    let (out, spare) = (out.as_mut_ptr(), spare.as_mut_ptr());
    let mut seen = Seen::new::<P>();
    let vectors = vectors::<S>(width + usize::from(wide.window.low > 0), width, places);
    // Rows of places that cover no row of padding are reduced in one call, where whole vectors are all of their places.
    let is_whole = S < 3 && 4 * (vectors[0] + vectors[1]) == places;
    let last = high.size.saturating_add_signed(window.low).checked_sub(K);
    let inside = last.map_or(0, |last| (last / window.stride + 1).min(high.places));
    let step = at_once::<P>();
    let mut y = 0;
    while y < high.places {
        let rows: [&[f32]; MAX_ROWS] = std::array::from_fn(|i| {
            // Rows that both cover come once.
            let (second, k) = (usize::from(i >= V), if i >= V { i - V } else { i });
            let at = ((y + second) * window.stride + k).cast_signed() - window.low;
            let at = usize::try_from(at).ok().filter(|at| *at < high.size && i < V + K);
            at.map_or(planes.none, |at| &cells[at * width..][..width])
        });
        let to: [*mut f32; ROWS_AT_ONCE] = std::array::from_fn(|r| {
            let at = to + (y + r).cast_signed() * high.to;
            if y + r < high.places { out.wrapping_offset(at) } else { spare }
        });
        let is_inside = is_whole && (y * window.stride).cast_signed() >= window.low && y + step <= inside;
        let count = if is_inside { (inside - y) / step } else { 1 };
        let again = Again { count, from: step * window.stride * width, to: step.cast_signed() * high.to };
        let (rows, low) = ((cells, rows), wide.window.low);
        row::<P, K, S, V>(rows, low, (to, places), (vectors, again), planes.init, &mut seen);
        y += step * count;
    }
    if P::IS_CHECKED {
        // The others were new to a pair of rows of places.
        let old = K.saturating_sub(V).saturating_add_signed(-window.low).min(high.size);
        if seen.has_nan() || has_nan(&cells[..old * width]) {
            return false;
        }
    }
    P::IS_EXACT || !seen.is_odd::<P>()
}

/// How many vectors of four places from the first on cover no more than a row's cells and the one before it. And, of stride 2,
/// whether one more, the last, covers at most one cell behind those of its eight.
#[inline(always)]
fn vectors<const S: usize>(beyond: usize, width: usize, places: usize) -> [usize; 2] {
    let count = if width < 8 { 0 } else { (beyond.saturating_sub(4) / (4 * S)).min(places / 4) };
    let is_last = S == 2 && count > 0 && 4 * count + 4 == places && 8 * count + 8 <= beyond;
    [count, usize::from(is_last)]
}

/// How often rows of places are reduced, and how many cells further on they are read and written each time.
#[derive(Clone, Copy)]
struct Again {
    count: usize,
    from: usize,
    to: isize,
}

/// Four cells of each row, combined for each row of places; `at + 4` is at most their length. New cells are added up.
#[inline(always)]
fn down<P: Pass, const K: usize, const V: usize>(
    from: [*const f32; MAX_ROWS],
    at: usize,
    seen: &mut Best,
) -> [Best; ROWS_AT_ONCE] {
    // SAFETY: `at + 4` is at most the length of each row.
    joined::<P, K, V>(|k| unsafe { Best::read(from[k].add(at)) }, seen)
}

/// A cell of each row, in every lane, combined.
#[inline(always)]
fn down_one<P: Pass, const K: usize, const V: usize>(
    from: [*const f32; MAX_ROWS],
    at: usize,
    seen: &mut Best,
) -> [Best; ROWS_AT_ONCE] {
    // SAFETY: `at` is less than the length of each row.
    joined::<P, K, V>(|k| unsafe { Best::read_splat(from[k].add(at)) }, seen)
}

/// Rows' cells combined for each row of places, the new ones added up. Which of two comes first changes no result that is not
/// in doubt, and no sum.
#[inline(always)]
fn joined<P: Pass, const K: usize, const V: usize>(
    cells: impl Fn(usize) -> Best,
    seen: &mut Best,
) -> [Best; ROWS_AT_ONCE] {
    let all = if P::IS_EXACT { K } else { V + K };
    let x: [Best; MAX_ROWS] = std::array::from_fn(|k| if k < all { cells(k) } else { Best::zero() });
    // The operand that is not needed afterwards comes second: 3 % faster in Chromium on x64 than the other way round.
    let join =
        |from: usize, to: usize, first: Best| x[from..to].iter().fold(first, |all, x| P::join(*x, all));
    let old = K - V;
    if P::IS_CHECKED {
        *seen = seen.add(x[old + 1..V + K].iter().fold(x[old], |sum, x| sum.add(*x)));
        if old > 1 {
            // The rows that both cover are combined first.
            let both = join(V + 1, K, x[V]);
            return [join(1, V, P::join(both, x[0])), join(K, V + K, both)];
        }
    }
    let first = join(1, K, x[0]);
    [first, if P::IS_EXACT { first } else { join(V + 1, V + K, x[V]) }]
}

/// Two vectors combined, for each row of places that the pass reduces.
#[inline(always)]
fn both<P: Pass>(
    a: [Best; ROWS_AT_ONCE],
    b: [Best; ROWS_AT_ONCE],
    of: impl Fn(Best, Best) -> Best,
) -> [Best; ROWS_AT_ONCE] {
    std::array::from_fn(|r| if r < at_once::<P>() { of(a[r], b[r]) } else { a[r] })
}

/// A row of places, or a pair; and `again` those further on, where whole vectors are all of their places: the caller has checked
/// that they are read and written within the plane.
fn row<P: Pass, const K: usize, const S: usize, const V: usize>(
    (cells, rows): (&[f32], [&[f32]; MAX_ROWS]),
    low: isize,
    (to, places): ([*mut f32; ROWS_AT_ONCE], usize),
    (vectors, again): ([usize; 2], Again),
    init: f32,
    seen: &mut Seen,
) {
    let width = rows[0].len();
    assert!(width >= 4 && rows.iter().all(|row| row.len() == width), "rows are equally long");
    let padded = usize::from(low > 0);
    // Rows further on are read through pointers that are made from the whole plane; rows of padding are not in it.
    let of_plane = |row: &[f32]| cells.as_ptr().with_addr(row.as_ptr().addr());
    let from = rows.map(|row| if again.count > 1 { of_plane(row) } else { row.as_ptr() });
    let behind = from.map(|row| row.wrapping_add(4 - padded));
    let edge = Edge { from, behind, to, width, padded, init };
    let mut place = 0;
    if S == 3 {
        let count = ((width + padded) / 12).min(places / 4);
        // SAFETY: vector `i` reads cells from `12 * i` to `12 * i + 12` of the padded row.
        unsafe { edge.thirds::<P, K, V>([0, count], seen) };
        place = 4 * count;
        if place < places && count > 0 && 3 * places <= width + padded {
            // The last overlaps those before: they are written twice, with the same bits.
            place = places;
            // SAFETY: it reads cells up to `3 * places` of the padded row.
            unsafe { edge.thirds::<P, K, V>([places - 4, 1], seen) };
        }
    } else if vectors[0] > 0 {
        // SAFETY: vector `i` reads up to cell `4 * S * i + 4 * S + 4` of the padded row, which `vectors` made sure is there; `plane`
        // counted `again` so that rows and places are within the plane.
        unsafe { edge.inner::<P, K, S, V>(vectors, again, seen) };
        place = 4 * (vectors[0] + vectors[1]);
    }
    while S < 3 && place < places && places >= 4 {
        // The last may overlap those before: they are written twice, with the same bits.
        let at = place.min(places - 4);
        if !edge.supports::<K, S>(at) {
            break;
        }
        let sum = edge.places::<P, K, S, V>(at, seen);
        // SAFETY: there are four places from `at` on.
        unsafe { put::<P>(sum, edge.to.map(|to| to.wrapping_add(at)), edge.ends::<P>(), &mut seen.results) };
        place = at + 4;
    }
    if place < places {
        edge.single::<P, K, S, V>(&rows, place..places, seen);
    }
}

/// Rows, whether a cell of padding is before them, and the rows of places that they are pooled to.
struct Edge {
    from: [*const f32; MAX_ROWS],
    /// Behind the first four cells of the padded row: computed here, or the function with the loop would compute it in the loop.
    behind: [*const f32; MAX_ROWS],
    to: [*mut f32; ROWS_AT_ONCE],
    width: usize,
    padded: usize,
    init: f32,
}

/// Writes four places of each row.
///
/// # Safety
/// So many can be written at each of those.
#[inline(always)]
unsafe fn put<P: Pass>(
    sum: [Best; ROWS_AT_ONCE],
    to: [*mut f32; ROWS_AT_ONCE],
    ends: [Best; 2],
    seen: &mut [Best; ROWS_AT_ONCE],
) {
    for r in 0..at_once::<P>() {
        // SAFETY: four places can be written at each pointer.
        unsafe { ended::<P>(sum[r], ends, &mut seen[r]).write(to[r]) };
    }
}

impl Edge {
    /// The arguments of [`ended`].
    #[inline(always)]
    fn ends<P: Pass>(&self) -> [Best; 2] {
        // Hidden from the compiler, which else loads the constant again for each vector.
        let nan = if P::IS_EXACT { std::hint::black_box(f32::NAN) } else { 0.0 };
        [self.init, nan].map(Best::splat)
    }

    /// Vectors of four places from the first on, and, of stride 2, one more that covers one cell behind its eight at most; in
    /// these rows and those further on.
    ///
    /// # Safety
    /// With the cell of padding rows have `4 + 4 * S * count` cells, for the last one 4 more; so many places can be written.
    #[inline(never)]
    unsafe fn inner<P: Pass, const K: usize, const S: usize, const V: usize>(
        &self,
        [count, last]: [usize; 2],
        again: Again,
        all_seen: &mut Seen,
    ) {
        let (mut seen, start) = (*all_seen, [Best::splat(P::START); ROWS_AT_ONCE]);
        let ends = self.ends::<P>();
        let [odd, even] = &mut seen.cells;
        let (mut row, mut behind, mut row_to) = (self.from, self.behind, self.to);
        for _ in 0..again.count {
            // Rows have the cells that this function demands, which `down` reads.
            let mut near = down::<P, K, V>(row, 0, odd);
            if self.padded > 0 {
                near = both::<P>(start, near, Best::concat_shift3);
            }
            let (mut from, mut to) = (behind, row_to);
            for _ in 0..count {
                let next = down::<P, K, V>(from, 0, odd);
                let sum = if S == 1 {
                    let sum = both::<P>(near, both::<P>(near, next, Best::concat_shift1), P::join);
                    let third = both::<P>(near, next, Best::concat_shift2);
                    near = next;
                    if K == 3 { both::<P>(sum, third, P::join) } else { sum }
                } else {
                    let far = down::<P, K, V>(from, 4, even);
                    let evens = both::<P>(near, next, Best::even);
                    let sum = both::<P>(evens, both::<P>(near, next, Best::odd), P::join);
                    near = far;
                    if K == 3 {
                        both::<P>(sum, both::<P>(evens, far, Best::concat_shift1), P::join)
                    } else {
                        sum
                    }
                };
                // SAFETY: `count` vectors of places can be written.
                unsafe { put::<P>(sum, to, ends, &mut seen.results) };
                to = to.map(|to| to.wrapping_add(4));
                from = from.map(|row| row.wrapping_add(4 * S));
            }
            if S == 2 && last > 0 {
                let next = down::<P, K, V>(from, 0, odd);
                let evens = both::<P>(near, next, Best::even);
                let mut sum = both::<P>(evens, both::<P>(near, next, Best::odd), P::join);
                if K == 3 {
                    let is_there = 4 + 8 * count - self.padded + 4 < self.width;
                    let far = if is_there { down_one::<P, K, V>(from, 4, even) } else { start };
                    sum = both::<P>(sum, both::<P>(evens, far, Best::concat_shift1), P::join);
                }
                // SAFETY: the places of the last vector can be written, too.
                unsafe { put::<P>(sum, to, ends, &mut seen.results) };
            }
            // After the last rows these may be beyond the plane, and are not read.
            row = row.map(|row| row.wrapping_add(again.from));
            behind = behind.map(|row| row.wrapping_add(again.from));
            row_to = row_to.map(|to| to.wrapping_offset(again.to));
        }
        *all_seen = seen;
    }

    /// `count` vectors of four places from one on, three cells from one place to the next.
    ///
    /// # Safety
    /// With the cell of padding rows have three cells for each place up to the last of these; so many places can be written.
    #[inline(never)]
    unsafe fn thirds<P: Pass, const K: usize, const V: usize>(
        &self,
        [place, count]: [usize; 2],
        all_seen: &mut Seen,
    ) {
        let (mut seen, start) = (*all_seen, [Best::splat(P::START); ROWS_AT_ONCE]);
        let ends = self.ends::<P>();
        // SAFETY: rows have three cells for each place, `place` among them.
        let mut from = self.behind.map(|row| unsafe { row.add(3 * place) });
        for place in (place..place + 4 * count).step_by(4) {
            let near = if place == 0 && self.padded > 0 {
                both::<P>(start, down::<P, K, V>(self.from, 0, &mut seen.cells[0]), Best::concat_shift3)
            } else {
                // SAFETY: `from` is at least four cells behind the beginning of the row.
                down::<P, K, V>(from.map(|row| unsafe { row.sub(4) }), 0, &mut seen.cells[0])
            };
            let next = down::<P, K, V>(from, 0, &mut seen.cells[1]);
            let far = down::<P, K, V>(from, 4, &mut seen.cells[0]);
            from = from.map(|row| row.wrapping_add(12));
            let sum = std::array::from_fn(|r| {
                if r >= at_once::<P>() {
                    return near[r];
                }
                let [first, second, third] = near[r].thirds(next[r], far[r]);
                let sum = P::join(first, second);
                if K == 3 { P::join(sum, third) } else { sum }
            });
            // SAFETY: four places from `place` on can be written.
            unsafe { put::<P>(sum, self.to.map(|to| to.wrapping_add(place)), ends, &mut seen.results) };
        }
        *all_seen = seen;
    }

    /// Whether [`Self::places`] supports the four places from this one on: no more than one cell is out of the row on either side.
    fn supports<const N: usize, const S: usize>(&self, place: usize) -> bool {
        let end = S * (place + 3) + N;
        let beyond = self.width + self.padded;
        let reach = if S == 1 { end } else { S * place + 8 };
        end <= beyond + 1 && (S == 1 || reach <= beyond) && (S == 1 || place > 0 || beyond >= 8)
    }

    /// Four places.
    #[inline(never)]
    fn places<P: Pass, const K: usize, const S: usize, const V: usize>(
        &self,
        place: usize,
        seen: &mut Seen,
    ) -> [Best; ROWS_AT_ONCE] {
        let Self { from, width, padded, .. } = *self;
        let (start, seen) = ([Best::splat(P::START); ROWS_AT_ONCE], &mut seen.cells[0]);
        // Cells of the padded row from `at` on.
        let cells = |at: usize, seen: &mut Best| {
            if at < padded {
                both::<P>(start, down::<P, K, V>(from, 0, seen), Best::concat_shift3)
            } else if at + 4 > width + padded {
                both::<P>(down::<P, K, V>(from, width - 4, seen), start, Best::concat_shift1)
            } else {
                down::<P, K, V>(from, at - padded, seen)
            }
        };
        let begin = S * place;
        let near = cells(begin, seen);
        if S == 1 {
            return (1..K).fold(near, |sum, k| both::<P>(sum, cells(begin + k, seen), P::join));
        }
        let next = cells(begin + 4, seen);
        let evens = both::<P>(near, next, Best::even);
        let sum = both::<P>(evens, both::<P>(near, next, Best::odd), P::join);
        if K < 3 {
            return sum;
        }
        let at = begin + 8 - padded;
        let far = if at < width { down_one::<P, K, V>(from, at, seen) } else { start };
        both::<P>(sum, both::<P>(evens, far, Best::concat_shift1), P::join)
    }

    /// Places one by one.
    #[inline(never)]
    fn single<P: Pass, const K: usize, const S: usize, const V: usize>(
        &self,
        rows: &[&[f32]; MAX_ROWS],
        places: Range<usize>,
        seen: &mut Seen,
    ) {
        let ends = self.ends::<P>();
        for place in places {
            let columns = (S * place).max(self.padded)..(S * place + K).min(self.width + self.padded);
            for r in 0..at_once::<P>() {
                let mut sum = Best::splat(P::START);
                for at in columns.clone() {
                    let mut column = Best::splat(P::START);
                    for row in &rows[r * V..r * V + K] {
                        let x = Best::splat(row[at - self.padded]);
                        if P::IS_CHECKED {
                            seen.cells[r] = seen.cells[r].add(x);
                        }
                        column = P::join(column, x);
                    }
                    sum = P::join(sum, column);
                }
                let [sum, ..] = ended::<P>(sum, ends, &mut seen.results[r]).to_array();
                // SAFETY: the place is there.
                unsafe { *self.to[r].add(place) = sum };
            }
        }
    }
}
