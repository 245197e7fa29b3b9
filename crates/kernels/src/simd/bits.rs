//! Elements as bits: to move elements, only their width matters.
//!
//! Elements are read and written through addresses of any alignment, so that a few adjacent elements can be moved as
//! one wider element. Vectors have 16 bytes: SIMD128 or an array, with the same operations.

#![allow(unsafe_code, reason = "elements of any width are accessed at addresses that a plan has checked")]

/// An element of some width: `u8`, `u16`, `u32`, `u64`, `u128`.
pub trait Bits: Copy + 'static {
    /// Bytes of an element.
    const BYTES: usize = size_of::<Self>();
    /// Elements of a vector of 16 bytes.
    const LANES: usize = 16 / size_of::<Self>();

    /// Reads an element.
    ///
    /// # Safety
    /// It can be read; any alignment is allowed.
    unsafe fn read(from: *const u8) -> Self;
    /// Writes an element.
    ///
    /// # Safety
    /// It can be written; any alignment is allowed.
    unsafe fn write(self, to: *mut u8);
    /// Transposes `LANES` rows of as many elements; strides are in bytes.
    ///
    /// # Safety
    /// All rows of `from` can be read, all rows of `to` written, 16 bytes each.
    unsafe fn transpose(from: *const u8, from_stride: isize, to: *mut u8, to_stride: isize);
    /// Writes the 16 bytes of elements that begin at `from` to `to`, the last element first.
    ///
    /// # Safety
    /// 16 bytes can be read at `from` and written at `to`.
    unsafe fn reverse(from: *const u8, to: *mut u8);
}

/// Copies 16 bytes.
///
/// # Safety
/// They can be read at `from` and written at `to`; any alignment is allowed.
#[inline(always)]
pub unsafe fn copy_16(from: *const u8, to: *mut u8) {
    // SAFETY: 16 bytes can be read at `from` and written at `to`.
    unsafe { vector::write(vector::read(from), to) }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vector {
    #![allow(clippy::cast_ptr_alignment, reason = "loads and stores of vectors take any alignment")]
    use core::arch::wasm32 as w;

    pub type Vector = w::v128;

    #[inline(always)]
    pub unsafe fn read(from: *const u8) -> Vector {
        // SAFETY: 16 bytes can be read at `from`; the instruction allows any alignment.
        unsafe { w::v128_load(from.cast()) }
    }
    #[inline(always)]
    pub unsafe fn write(x: Vector, to: *mut u8) {
        // SAFETY: 16 bytes can be written at `to`; the instruction allows any alignment.
        unsafe { w::v128_store(to.cast(), x) }
    }

    /// The lower halves interleaved, the upper halves interleaved, and a vector reversed.
    pub trait Shuffle {
        fn interleave(a: Vector, b: Vector) -> [Vector; 2];
        fn reversed(a: Vector) -> Vector;
    }
    macro_rules! shuffles {
        ($($ty:ty, $shuffle:ident, [$($low:literal)*], [$($high:literal)*], [$($reversed:literal)*];)*) => {
            $(impl Shuffle for $ty {
                #[inline(always)]
                fn interleave(a: Vector, b: Vector) -> [Vector; 2] {
                    [w::$shuffle::<$($low),*>(a, b), w::$shuffle::<$($high),*>(a, b)]
                }
                #[inline(always)]
                fn reversed(a: Vector) -> Vector {
                    w::$shuffle::<$($reversed),*>(a, a)
                }
            })*
        };
    }
    shuffles! {
        u8, i8x16_shuffle, [0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23], [8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31],
            [15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0];
        u16, i16x8_shuffle, [0 8 1 9 2 10 3 11], [4 12 5 13 6 14 7 15], [7 6 5 4 3 2 1 0];
        u32, i32x4_shuffle, [0 4 1 5], [2 6 3 7], [3 2 1 0];
        u64, i64x2_shuffle, [0 2], [1 3], [1 0];
    }
    impl Shuffle for u128 {
        #[inline(always)]
        fn interleave(a: Vector, b: Vector) -> [Vector; 2] {
            [a, b]
        }
        #[inline(always)]
        fn reversed(a: Vector) -> Vector {
            a
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod vector {
    pub type Vector = [u8; 16];

    #[inline(always)]
    pub unsafe fn read(from: *const u8) -> Vector {
        // SAFETY: 16 bytes can be read at `from`; bytes are aligned anywhere.
        unsafe { from.cast::<Vector>().read() }
    }
    #[inline(always)]
    pub unsafe fn write(x: Vector, to: *mut u8) {
        // SAFETY: 16 bytes can be written at `to`; bytes are aligned anywhere.
        unsafe { to.cast::<Vector>().write(x) }
    }

    /// The lower halves interleaved, the upper halves interleaved, and a vector reversed.
    pub trait Shuffle: Sized {
        #[inline(always)]
        fn interleave(a: Vector, b: Vector) -> [Vector; 2] {
            let width = size_of::<Self>();
            let byte = |half: usize, i: usize| {
                let (element, byte) = (i / width, i % width);
                let from = if element.is_multiple_of(2) { &a } else { &b };
                from[(half * 8 / width + element / 2) * width + byte]
            };
            if width == 16 {
                return [a, b];
            }
            [0, 1].map(|half| std::array::from_fn(|i| byte(half, i)))
        }
        #[inline(always)]
        fn reversed(a: Vector) -> Vector {
            let width = size_of::<Self>();
            std::array::from_fn(|i| a[16 - width * (i / width + 1) + i % width])
        }
    }
    impl Shuffle for u8 {}
    impl Shuffle for u16 {}
    impl Shuffle for u32 {}
    impl Shuffle for u64 {}
    impl Shuffle for u128 {}
}

use vector::Shuffle as _;

macro_rules! bits {
    ($($ty:ident $lanes:literal)*) => {
        $(impl Bits for $ty {
            #[inline(always)]
            unsafe fn read(from: *const u8) -> Self {
                // SAFETY: an element can be read at `from`.
                unsafe { from.cast::<Self>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn write(self, to: *mut u8) {
                // SAFETY: an element can be written at `to`.
                unsafe { to.cast::<Self>().write_unaligned(self) }
            }
            #[inline(always)]
            unsafe fn transpose(from: *const u8, from_stride: isize, to: *mut u8, to_stride: isize) {
                // SAFETY: row `i` of `LANES` rows of 16 bytes, which can be read.
                let mut rows: [vector::Vector; $lanes] =
                    std::array::from_fn(|i| unsafe { vector::read(from.offset(i.cast_signed() * from_stride)) });
                // Each step interleaves rows with those half a block away; after log2(lanes) steps each element is in the
                // row of its column.
                let mut step = 1;
                while step < $lanes {
                    let before = rows;
                    let (first, second) = before.split_at($lanes / 2);
                    for (i, (a, b)) in first.iter().zip(second).enumerate() {
                        [rows[2 * i], rows[2 * i + 1]] = <$ty>::interleave(*a, *b);
                    }
                    step *= 2;
                }
                for (i, row) in rows.into_iter().enumerate() {
                    // SAFETY: row `i` of `LANES` rows of 16 bytes, which can be written.
                    unsafe { vector::write(row, to.offset(i.cast_signed() * to_stride)) }
                }
            }
            #[inline(always)]
            unsafe fn reverse(from: *const u8, to: *mut u8) {
                // SAFETY: 16 bytes can be read at `from` and written at `to`.
                unsafe { vector::write(<$ty>::reversed(vector::read(from)), to) }
            }
        })*
    };
}

bits! { u8 16 u16 8 u32 4 u64 2 u128 1 }
