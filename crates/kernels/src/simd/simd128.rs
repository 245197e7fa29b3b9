//! Lanes in a vector of SIMD128.

#![allow(unsafe_code, reason = "vectors are read from and written to memory through pointers")]
#![allow(clippy::cast_ptr_alignment, reason = "loads and stores of vectors take any alignment")]
#![allow(clippy::cast_possible_wrap, reason = "lanes are bits, reinterpreted as signed or unsigned")]

use core::arch::wasm32 as w;

use crate::simd::lanes::Lanes;

/// A vector of SIMD128.
#[derive(Clone, Copy, Debug)]
pub struct Simd128(w::v128);

macro_rules! lanes {
    (unary $($name:ident = $f:ident;)*) => { $(#[inline(always)] fn $name(self) -> Self { Self(w::$f(self.0)) })* };
    (binary $($name:ident = $f:ident;)*) => {
        $(#[inline(always)] fn $name(self, b: Self) -> Self { Self(w::$f(self.0, b.0)) })*
    };
    (shuffle $($name:ident = $a:literal $b:literal $c:literal $d:literal;)*) => {
        $(#[inline(always)]
        fn $name(self, b: Self) -> Self { Self(w::i32x4_shuffle::<$a, $b, $c, $d>(self.0, b.0)) })*
    };
}

impl Lanes for Simd128 {
    const IS_SIMD: bool = true;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(w::f32x4_splat(x))
    }
    #[inline(always)]
    fn splat_bits(x: u32) -> Self {
        Self(w::u32x4_splat(x))
    }
    #[inline(always)]
    fn load(from: &[f32; 4]) -> Self {
        // SAFETY: a reference to four numbers.
        unsafe { Self::read(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; 4]) {
        // SAFETY: a reference to four numbers.
        unsafe { self.write(to.as_mut_ptr()) }
    }
    #[inline(always)]
    unsafe fn read(from: *const f32) -> Self {
        // SAFETY: four numbers can be read at `from`; the instruction takes any alignment.
        Self(unsafe { w::v128_load(from.cast()) })
    }
    #[inline(always)]
    unsafe fn write(self, to: *mut f32) {
        // SAFETY: four numbers can be written at `to`; the instruction takes any alignment.
        unsafe { w::v128_store(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn read_splat(from: *const f32) -> Self {
        // SAFETY: a number can be read at `from`.
        Self(unsafe { w::v128_load32_splat(from.cast()) })
    }
    #[inline(always)]
    fn madd(self, b: Self, c: Self) -> Self {
        #[cfg(target_feature = "relaxed-simd")]
        return Self(w::f32x4_relaxed_madd(self.0, b.0, c.0));
        #[cfg(not(target_feature = "relaxed-simd"))]
        self.mul(b).add(c)
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // Relaxed: engines may choose any treatment of NaN and zeros. In this order of operands x64 has that of `f32x4_pmax`, and
        // other machines return NaN for NaN.
        #[cfg(target_feature = "relaxed-simd")]
        return Self(w::f32x4_relaxed_max(b.0, self.0));
        #[cfg(not(target_feature = "relaxed-simd"))]
        Self(w::f32x4_pmax(self.0, b.0))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        #[cfg(target_feature = "relaxed-simd")]
        return Self(w::f32x4_relaxed_min(b.0, self.0));
        #[cfg(not(target_feature = "relaxed-simd"))]
        Self(w::f32x4_pmin(self.0, b.0))
    }
    #[inline(always)]
    fn select(self, b: Self, mask: Self) -> Self {
        Self(w::v128_bitselect(self.0, b.0, mask.0))
    }
    #[inline(always)]
    fn any(self) -> bool {
        w::v128_any_true(self.0)
    }
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self(w::u32x4_shl(self.0, by))
    }
    #[inline(always)]
    fn sar(self, by: u32) -> Self {
        Self(w::i32x4_shr(self.0, by))
    }
    #[inline(always)]
    fn deinterleave3(self, b: Self, c: Self) -> [Self; 3] {
        let first = w::i32x4_shuffle::<0, 3, 6, 6>(self.0, b.0);
        let second = w::i32x4_shuffle::<1, 4, 7, 7>(self.0, b.0);
        let third = w::i32x4_shuffle::<2, 5, 5, 5>(self.0, b.0);
        [
            Self(w::i32x4_shuffle::<0, 1, 2, 5>(first, c.0)),
            Self(w::i32x4_shuffle::<0, 1, 2, 6>(second, c.0)),
            Self(w::i32x4_shuffle::<0, 1, 4, 7>(third, c.0)),
        ]
    }
    lanes! { unary
        sqrt = f32x4_sqrt; abs = f32x4_abs; neg = f32x4_neg; ceil = f32x4_ceil; floor = f32x4_floor;
        trunc = f32x4_trunc; nearest = f32x4_nearest; from_i32 = f32x4_convert_i32x4; to_i32 = i32x4_trunc_sat_f32x4;
    }
    lanes! { binary
        add = f32x4_add; sub = f32x4_sub; mul = f32x4_mul; div = f32x4_div;
        lt = f32x4_lt; le = f32x4_le; eq = f32x4_eq; ne = f32x4_ne;
        and = v128_and; or = v128_or; xor = v128_xor; and_not = v128_andnot; add_i32 = i32x4_add; sub_i32 = i32x4_sub;
        min_i32 = i32x4_min; min_u32 = u32x4_min;
        max_u32 = u32x4_max;
    }
    lanes! { shuffle
        even = 0 2 4 6; odd = 1 3 5 7; zip_low = 0 4 1 5; zip_high = 2 6 3 7; low_halves = 0 1 4 5; high_halves = 2 3 6 7;
        concat_shift3 = 3 4 5 6; concat_shift1 = 1 2 3 4; concat_shift2 = 2 3 4 5;
    }
}
