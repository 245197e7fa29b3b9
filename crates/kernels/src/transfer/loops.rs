//! The inner loops of copies: two dimensions at a time, with strides in bytes.
//!
//! Each function accesses only the elements of its dimensions, relative to the two addresses. Addresses are computed with
//! `wrapping_offset`, because one past the last element may be out of bounds; it is never dereferenced.
//! [`crate::transfer::plan::Plan::run`] has checked that the elements are within their buffers.

#![allow(unsafe_code, reason = "a bounds check of each element costs more than its copy")]

use crate::simd::bits::{Bits, copy_16};
use crate::simd::native::IS_SCALAR_BUILD;

/// A dimension: its size, and its strides in source and destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The number of indices.
    pub size: usize,
    /// The stride of the source, in bytes.
    pub src_stride: isize,
    /// The stride of the destination, in bytes.
    pub dst_stride: isize,
}

impl Dim {
    /// A dimension of one index.
    pub const ONE: Self = Self { size: 1, src_stride: 0, dst_stride: 0 };
}

/// Minimum number of bytes for which `memory.copy` is faster than a loop. Under Miri a row of 20 `c128`.
const MIN_MEMCPY_BYTES: usize = if cfg!(miri) { 320 } else { 1024 };

/// Copies `bytes` bytes.
///
/// # Safety
/// `bytes` bytes can be read from `from` and written to `to`, and they do not overlap.
#[inline(always)]
pub unsafe fn copy_run(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: each access is within the `bytes` that can be read and written: the last one is moved back to end with them, and
    // rewrites some bytes with the same values.
    unsafe {
        if bytes >= MIN_MEMCPY_BYTES {
            to.copy_from_nonoverlapping(from, bytes);
        } else if bytes >= 16 {
            let mut i = 0;
            while i + 64 <= bytes {
                let (from, to) = (from.add(i), to.add(i));
                copy_16(from, to);
                copy_16(from.add(16), to.add(16));
                copy_16(from.add(32), to.add(32));
                copy_16(from.add(48), to.add(48));
                i += 64;
            }
            while i + 16 <= bytes {
                copy_16(from.add(i), to.add(i));
                i += 16;
            }
            if i < bytes {
                copy_16(from.add(bytes - 16), to.add(bytes - 16));
            }
        } else if bytes >= 8 {
            let last = bytes - 8;
            let (first, rest) = (u64::read(from), u64::read(from.add(last)));
            first.write(to);
            rest.write(to.add(last));
        } else if bytes >= 4 {
            let last = bytes - 4;
            let (first, rest) = (u32::read(from), u32::read(from.add(last)));
            first.write(to);
            rest.write(to.add(last));
        } else {
            for i in 0..bytes {
                u8::read(from.add(i)).write(to.add(i));
            }
        }
    }
}

/// Calls `f` with both addresses of each index of two dimensions.
#[inline(always)]
fn for_each_index(from: *const u8, to: *mut u8, [a, b]: [Dim; 2], mut f: impl FnMut(*const u8, *mut u8)) {
    let (mut from, mut to) = (from, to);
    for _ in 0..a.size {
        let (mut x, mut y) = (from, to);
        for _ in 0..b.size {
            f(x, y);
            x = x.wrapping_offset(b.src_stride);
            y = y.wrapping_offset(b.dst_stride);
        }
        from = from.wrapping_offset(a.src_stride);
        to = to.wrapping_offset(a.dst_stride);
    }
}

/// Copies elements one by one.
///
/// # Safety
/// Each element can be read and written.
pub unsafe fn copy_elements<B: Bits>(from: *const u8, to: *mut u8, dims: [Dim; 2]) {
    // SAFETY: `for_each_index` visits the indices of `dims`, whose elements can be read and written.
    for_each_index(from, to, dims, |x, y| unsafe { B::read(x).write(y) });
}

/// Copies runs of bytes.
///
/// # Safety
/// Each run can be read and written.
pub unsafe fn copy_runs(from: *const u8, to: *mut u8, dims: [Dim; 2], bytes: usize) {
    // SAFETY: `for_each_index` visits the indices of `dims`, whose runs can be read and written.
    for_each_index(from, to, dims, |x, y| unsafe { copy_run(x, y, bytes) });
}

/// Fills a run of `count` elements with each element that is read.
///
/// # Safety
/// Each element can be read, and `count` elements can be written for it.
pub unsafe fn fill_runs<B: Bits>(from: *const u8, to: *mut u8, dims: [Dim; 2], count: usize) {
    for_each_index(from, to, dims, |x, y| {
        // SAFETY: `for_each_index` visits the indices of `dims`: an element can be read, `count` elements be written.
        unsafe { fill(B::read(x), y, count) }
    });
}

/// Writes an element `count` times.
///
/// # Safety
/// `count` elements can be written.
#[inline(always)]
pub unsafe fn fill<B: Bits>(element: B, to: *mut u8, count: usize) {
    if count == 2 {
        // The most frequent gap: the padding between two rows of a plane.
        // SAFETY: two elements can be written.
        unsafe {
            element.write(to);
            element.write(to.add(B::BYTES));
        }
        return;
    }
    for i in 0..count {
        // SAFETY: `i` is less than the `count` elements that can be written.
        unsafe { element.write(to.add(i * B::BYTES)) }
    }
}

/// Writes each run of `bytes` bytes `count` times, contiguously.
///
/// # Safety
/// Each run can be read, and `count` runs can be written for it.
pub unsafe fn repeat_runs(from: *const u8, to: *mut u8, dims: [Dim; 2], bytes: usize, count: usize) {
    /// Maximum number of bytes of the destination that are read back for one copy: they are still in the L1 cache.
    const MAX_REPEAT_BYTES: usize = 4096;
    let total_bytes = bytes * count;
    let max_copy_bytes = (MAX_REPEAT_BYTES / bytes.max(1)).max(1) * bytes;
    for_each_index(from, to, dims, |x, y| {
        // SAFETY: a run can be read and `count` runs can be written; the bytes of the destination that are read back have been
        // written, and end where the next write begins.
        unsafe {
            copy_run(x, y, bytes);
            let mut done = bytes;
            while done < total_bytes {
                let next = done.min(max_copy_bytes).min(total_bytes - done);
                copy_run(y, y.add(done), next);
                done += next;
            }
        }
    });
}

/// Copies runs of `count` elements in reverse: the first element that is written is read at `from`, the next one before it.
///
/// # Safety
/// For each index, `count` elements can be read backwards, and written.
pub unsafe fn reverse_runs<B: Bits>(from: *const u8, to: *mut u8, dims: [Dim; 2], count: usize) {
    for_each_index(from, to, dims, |x, y| {
        // SAFETY: `count` elements can be read backwards and written; the last vector is moved back to end with them.
        unsafe {
            if count < B::LANES {
                for i in 0..count {
                    B::read(x.sub(i * B::BYTES)).write(y.add(i * B::BYTES));
                }
                return;
            }
            let vector = |i: usize| B::reverse(x.sub((i + B::LANES - 1) * B::BYTES), y.add(i * B::BYTES));
            let mut i = 0;
            while i + B::LANES <= count {
                vector(i);
                i += B::LANES;
            }
            if i < count {
                vector(count - B::LANES);
            }
        }
    });
}

/// Splits a dimension into parts, each a first index and a number of indices: at most `max_size`, and at least `min_size` unless
/// the whole dimension is shorter. The last part may overlap the one before.
pub fn split(size: usize, min_size: usize, max_size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).step_by(max_size).map(move |start| {
        let end = size.min(start + max_size);
        let start = start.min(end.saturating_sub(min_size));
        (start, end - start)
    })
}

/// Calls `f` with blocks of two dimensions, small enough that both sides stay in the cache.
pub fn for_each_block(
    from: *const u8,
    to: *mut u8,
    [p, q]: [Dim; 2],
    f: impl Fn(*const u8, *mut u8, [Dim; 2]),
) {
    /// Approximate number of indices of a block.
    const BLOCK_INDICES: usize = 1024;
    let block_size = |other_size: usize| (BLOCK_INDICES / other_size.max(1)).max(32);
    for (i, height) in split(p.size, 1, block_size(q.size)) {
        for (j, width) in split(q.size, 1, block_size(p.size)) {
            let (i, j) = (i.cast_signed(), j.cast_signed());
            let from = from.wrapping_offset(i * p.src_stride + j * q.src_stride);
            let to = to.wrapping_offset(i * p.dst_stride + j * q.dst_stride);
            f(from, to, [Dim { size: height, ..p }, Dim { size: width, ..q }]);
        }
    }
}

/// Transposes: `p` is contiguous in the source, `q` in the destination; both have at least a vector of elements.
///
/// If source and destination are far larger than the L1 cache, square tiles as wide as a cache line are staged in a buffer, so
/// that each line is read once and written once: otherwise lines a power of two apart evict one another before their next use.
/// Remainders at the ends, and copies that fit in the cache, are not staged.
///
/// # Safety
/// Each element can be read and written.
pub unsafe fn transpose<B: Bits>(from: *const u8, to: *mut u8, [p, q]: [Dim; 2]) {
    /// Maximum number of bytes that a dimension may span, where it is strided, to be copied without a stage. Under Miri
    /// a few elements.
    const MAX_DIRECT_SPAN_BYTES: usize = if cfg!(miri) { 1 << 9 } else { 1 << 16 };
    let side = CACHE_LINE_BYTES / B::BYTES;
    let spans_little = |dim: Dim, stride: isize| dim.size * stride.unsigned_abs() <= MAX_DIRECT_SPAN_BYTES;
    // Tiles would leave a remainder that is a large part of the dimension.
    let has_large_remainder = |dim: Dim| !dim.size.is_multiple_of(side) && dim.size < 8 * side;
    let fits_cache = spans_little(p, p.dst_stride) && spans_little(q, q.src_stride);
    if IS_SCALAR_BUILD || fits_cache || has_large_remainder(p) || has_large_remainder(q) {
        // SAFETY: all elements of both dimensions can be read and written.
        return unsafe { transpose_direct::<B>(from, to, [p, q]) };
    }
    let at = |i: usize, j: usize| {
        let (i, j) = (i.cast_signed(), j.cast_signed());
        (
            from.wrapping_offset(i * p.src_stride + j * q.src_stride),
            to.wrapping_offset(i * p.dst_stride + j * q.dst_stride),
        )
    };
    let [height, width] = [p, q].map(|dim| dim.size / side * side);
    let mut stage = StagingBuffer([0; CACHE_LINE_BYTES * CACHE_LINE_BYTES]);
    for i in (0..height).step_by(side) {
        for j in (0..width).step_by(side) {
            let (from, to) = at(i, j);
            // SAFETY: the tile is within both dimensions.
            unsafe { transpose_tile::<B>([q.src_stride, p.dst_stride], from, to, &mut stage) }
        }
    }
    // The remainders at the ends: at least a vector, part of which may have been copied already.
    let remainder = |dim: Dim, done: usize| Dim { size: (dim.size - done).max(B::LANES), ..dim };
    for (remaining, dims) in
        [(p.size - height, [remainder(p, height), q]), (q.size - width, [p, remainder(q, width)])]
    {
        if remaining > 0 {
            let (from, to) = at(p.size - dims[0].size, q.size - dims[1].size);
            // SAFETY: this part is within both dimensions.
            unsafe { transpose_direct::<B>(from, to, dims) }
        }
    }
}

/// Bytes of a cache line. Under Miri two vectors.
const CACHE_LINE_BYTES: usize = if cfg!(miri) { 32 } else { 64 };

/// A buffer for a square tile as wide as a cache line, of elements of any width; a tile of bytes has the most rows.
#[repr(align(64))]
struct StagingBuffer([u8; CACHE_LINE_BYTES * CACHE_LINE_BYTES]);

/// Transposes a square tile as wide as a cache line into `stage`, then copies it line by line. `strides` are those of the lines in
/// source and destination.
///
/// # Safety
/// Each element can be read and written.
#[inline(always)]
unsafe fn transpose_tile<B: Bits>(
    strides: [isize; 2],
    from: *const u8,
    to: *mut u8,
    stage: &mut StagingBuffer,
) {
    let (side, stage) = (CACHE_LINE_BYTES / B::BYTES, stage.0.as_mut_ptr());
    // SAFETY: `side` lines of 64 bytes can be read and written; the stage has room for `side` lines.
    unsafe {
        for row in (0..side).step_by(B::LANES) {
            let from = from.wrapping_offset(row.cast_signed() * strides[0]);
            for column in (0..side).step_by(B::LANES) {
                let to = stage.add(column * CACHE_LINE_BYTES + row * B::BYTES);
                B::transpose(from.add(column * B::BYTES), strides[0], to, CACHE_LINE_BYTES.cast_signed());
            }
        }
        for line in 0..side {
            let to = to.wrapping_offset(line.cast_signed() * strides[1]);
            for at in (0..CACHE_LINE_BYTES).step_by(16) {
                copy_16(stage.add(line * CACHE_LINE_BYTES + at), to.add(at));
            }
        }
    }
}

/// Transposes without a stage. Blocks are four cache lines wide in both dimensions; within a block [`Bits::LANES`] rows of the
/// destination are written at a time, from as many columns of the source.
///
/// # Safety
/// As for [`transpose`].
unsafe fn transpose_direct<B: Bits>(from: *const u8, to: *mut u8, [p, q]: [Dim; 2]) {
    /// Bytes of a side. Under Miri two vectors.
    const BLOCK_BYTES: usize = if cfg!(miri) { 32 } else { 256 };
    let side = (BLOCK_BYTES / B::BYTES).max(B::LANES);
    for (i, height) in split(p.size, B::LANES, side) {
        let mut touched = 0;
        for (j, width) in split(q.size, B::LANES, side) {
            // SAFETY: the block is within both dimensions.
            touched |= unsafe {
                let (i, j) = (i.cast_signed(), j.cast_signed());
                prefetch(
                    to.wrapping_offset(i * p.dst_stride + j * q.dst_stride),
                    p.dst_stride,
                    height,
                    width * B::BYTES,
                )
            };
            for (row, _) in split(height, B::LANES, B::LANES) {
                let (i, j) = ((i + row).cast_signed(), j.cast_signed());
                let mut from = from.wrapping_offset(i * p.src_stride + j * q.src_stride);
                let mut to = to.wrapping_offset(i * p.dst_stride + j * q.dst_stride);
                let lanes = B::LANES.cast_signed();
                for _ in 0..width / B::LANES {
                    // SAFETY: the block is within both dimensions.
                    unsafe { B::transpose(from, q.src_stride, to, p.dst_stride) }
                    from = from.wrapping_offset(lanes * q.src_stride);
                    to = to.wrapping_offset(lanes * q.dst_stride);
                }
                let remaining = (width % B::LANES).cast_signed();
                if remaining > 0 {
                    let (from, to) = (
                        from.wrapping_offset((remaining - lanes) * q.src_stride),
                        to.wrapping_offset((remaining - lanes) * q.dst_stride),
                    );
                    // SAFETY: moved back to end with the block, it is within both dimensions.
                    unsafe { B::transpose(from, q.src_stride, to, p.dst_stride) }
                }
            }
        }
        std::hint::black_box(touched);
    }
}

/// Prefetches the cache lines of rows that are written next, by reading a byte of each: loads overlap, while stores that miss the
/// cache would wait for each other. Returns a combination of the bytes: if it is used, the compiler keeps the loads.
///
/// # Safety
/// Each row can be read.
#[inline(always)]
unsafe fn prefetch(to: *const u8, stride: isize, rows: usize, bytes: usize) -> u8 {
    let (mut row, mut touched) = (to, 0);
    for _ in 0..rows {
        for line in (0..bytes).step_by(CACHE_LINE_BYTES) {
            // SAFETY: `line` is less than the `bytes` of a row, which can be read.
            touched |= unsafe { row.add(line).read() };
        }
        row = row.wrapping_offset(stride);
    }
    touched
}
