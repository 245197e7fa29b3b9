//! Lanes in a vector of SSE2, which every x86-64 processor has: native builds run on it there.

#![allow(unsafe_code, reason = "vectors are read from and written to memory through pointers")]
#![allow(unused_unsafe, reason = "intrinsics whose arguments are intrinsics")]
#![allow(clippy::cast_possible_wrap, reason = "lanes are bits, reinterpreted as signed or unsigned")]

use core::arch::x86_64 as x;

use crate::simd::lanes::Lanes;

/// A vector of SSE2.
#[derive(Clone, Copy, Debug)]
pub struct Sse2(x::__m128);

/// The immediate of `_mm_shuffle_ps`, which selects two lanes of the first vector, then two of the second.
const fn shuffle_mask(a: i32, b: i32, c: i32, d: i32) -> i32 {
    a | b << 2 | c << 4 | d << 6
}

/// Calls an intrinsic on values.
macro_rules! sse {
    ($f:ident ($($a:expr),* $(,)?)) => {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { x::$f($($a),*) }
    };
    ($f:ident [$n:expr] ($($a:expr),* $(,)?)) => {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { x::$f::<{ $n }>($($a),*) }
    };
}

macro_rules! lanes {
    (binary $($name:ident = $f:ident;)*) => {
        $(#[inline(always)] fn $name(self, b: Self) -> Self { Self(sse!($f(self.0, b.0))) })*
    };
    (integers $($name:ident = $f:ident;)*) => {
        $(#[inline(always)] fn $name(self, b: Self) -> Self { Self::from_bits(sse!($f(self.bits(), b.bits()))) })*
    };
    (shuffle $($name:ident = $a:literal $b:literal $c:literal $d:literal;)*) => {
        $(#[inline(always)]
        fn $name(self, b: Self) -> Self { Self(sse!(_mm_shuffle_ps[shuffle_mask($a, $b, $c, $d)](self.0, b.0))) })*
    };
}

impl Sse2 {
    #[inline(always)]
    fn bits(self) -> x::__m128i {
        sse!(_mm_castps_si128(self.0))
    }

    #[inline(always)]
    fn from_bits(bits: x::__m128i) -> Self {
        Self(sse!(_mm_castsi128_ps(bits)))
    }

    #[inline(always)]
    fn sign(self) -> Self {
        self.and(Self::splat_bits(0x8000_0000))
    }

    /// `whole` with the sign of `self`, where `self` is small enough to have a fraction, else `self`: NaN too.
    #[inline(always)]
    fn rounded_to(self, whole: Self) -> Self {
        whole.or(self.sign()).select(self, self.abs().lt(Self::splat(8_388_608.0)))
    }
}

impl Lanes for Sse2 {
    const IS_SIMD: bool = true;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(sse!(_mm_set1_ps(x)))
    }
    #[inline(always)]
    fn splat_bits(x: u32) -> Self {
        Self::from_bits(sse!(_mm_set1_epi32(x as i32)))
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
        Self(unsafe { x::_mm_loadu_ps(from) })
    }
    #[inline(always)]
    unsafe fn write(self, to: *mut f32) {
        // SAFETY: four numbers can be written at `to`; the instruction takes any alignment.
        unsafe { x::_mm_storeu_ps(to, self.0) }
    }
    #[inline(always)]
    unsafe fn read_splat(from: *const f32) -> Self {
        // SAFETY: a number can be read at `from`.
        Self(unsafe { x::_mm_load1_ps(from) })
    }
    #[inline(always)]
    fn madd(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(sse!(_mm_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.and(Self::splat_bits(0x7fff_ffff))
    }
    #[inline(always)]
    fn neg(self) -> Self {
        self.xor(Self::splat_bits(0x8000_0000))
    }
    #[inline(always)]
    fn trunc(self) -> Self {
        self.rounded_to(Self::from_bits(sse!(_mm_cvttps_epi32(self.0))).from_i32())
    }
    #[inline(always)]
    fn ceil(self) -> Self {
        let whole = self.trunc();
        self.rounded_to(whole.add(whole.lt(self).and(Self::splat(1.0))))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        let whole = self.trunc();
        self.rounded_to(whole.sub(self.lt(whole).and(Self::splat(1.0))))
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        // In sums this large a unit in the last place is 1: the addition rounds.
        let large = Self::splat(8_388_608.0).or(self.sign());
        self.rounded_to(self.add(large).sub(large))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self(sse!(_mm_max_ps(b.0, self.0)))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self(sse!(_mm_min_ps(b.0, self.0)))
    }
    #[inline(always)]
    fn and_not(self, b: Self) -> Self {
        Self(sse!(_mm_andnot_ps(b.0, self.0)))
    }
    #[inline(always)]
    fn select(self, b: Self, mask: Self) -> Self {
        self.and(mask).or(b.and_not(mask))
    }
    #[inline(always)]
    fn any(self) -> bool {
        sse!(_mm_movemask_epi8(sse!(_mm_cmpeq_epi32(self.bits(), sse!(_mm_setzero_si128()))))) != 0xffff
    }
    #[inline(always)]
    fn min_i32(self, b: Self) -> Self {
        self.select(b, Self::from_bits(sse!(_mm_cmplt_epi32(self.bits(), b.bits()))))
    }
    #[inline(always)]
    fn min_u32(self, b: Self) -> Self {
        self.select(b, Self::from_bits(sse!(_mm_cmplt_epi32(self.neg().bits(), b.neg().bits()))))
    }
    #[inline(always)]
    fn max_u32(self, b: Self) -> Self {
        b.select(self, Self::from_bits(sse!(_mm_cmplt_epi32(self.neg().bits(), b.neg().bits()))))
    }
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self::from_bits(sse!(_mm_sll_epi32(self.bits(), sse!(_mm_cvtsi32_si128(by as i32)))))
    }
    #[inline(always)]
    fn sar(self, by: u32) -> Self {
        Self::from_bits(sse!(_mm_sra_epi32(self.bits(), sse!(_mm_cvtsi32_si128(by as i32)))))
    }
    #[inline(always)]
    fn from_i32(self) -> Self {
        Self(sse!(_mm_cvtepi32_ps(self.bits())))
    }
    #[inline(always)]
    fn to_i32(self) -> Self {
        // Numbers out of range become `i32::MIN`; above the range its bits are flipped to `i32::MAX`.
        let whole = Self::from_bits(sse!(_mm_cvttps_epi32(self.0)));
        whole.xor(Self::splat(2_147_483_648.0).le(self)).and(self.eq(self))
    }
    #[inline(always)]
    fn concat_shift3(self, b: Self) -> Self {
        Self::from_bits(sse!(_mm_or_si128(
            sse!(_mm_srli_si128[12](self.bits())),
            sse!(_mm_slli_si128[4](b.bits()))
        )))
    }
    #[inline(always)]
    fn concat_shift1(self, b: Self) -> Self {
        Self::from_bits(sse!(_mm_or_si128(
            sse!(_mm_srli_si128[4](self.bits())),
            sse!(_mm_slli_si128[12](b.bits()))
        )))
    }
    #[inline(always)]
    fn deinterleave3(self, b: Self, c: Self) -> [Self; 3] {
        let (Self(a), Self(b), Self(c)) = (self, b, c);
        let even_lanes = |p, q| Self(sse!(_mm_shuffle_ps[shuffle_mask(0, 2, 0, 2)](p, q)));
        let first = sse!(_mm_shuffle_ps[shuffle_mask(0, 3, 0, 3)](a, a));
        let last = sse!(_mm_shuffle_ps[shuffle_mask(0, 3, 0, 3)](c, c));
        [
            Self(sse!(_mm_shuffle_ps[shuffle_mask(0, 1, 0, 2)](
                first,
                sse!(_mm_shuffle_ps[shuffle_mask(2, 2, 1, 1)](b, c)),
            ))),
            even_lanes(
                sse!(_mm_shuffle_ps[shuffle_mask(1, 1, 0, 0)](a, b)),
                sse!(_mm_shuffle_ps[shuffle_mask(3, 3, 2, 2)](b, c)),
            ),
            Self(sse!(_mm_shuffle_ps[shuffle_mask(0, 2, 0, 1)](
                sse!(_mm_shuffle_ps[shuffle_mask(2, 2, 1, 1)](a, b)),
                last,
            ))),
        ]
    }
    lanes! { binary
        add = _mm_add_ps; sub = _mm_sub_ps; mul = _mm_mul_ps; div = _mm_div_ps;
        lt = _mm_cmplt_ps; le = _mm_cmple_ps; eq = _mm_cmpeq_ps; ne = _mm_cmpneq_ps;
        and = _mm_and_ps; or = _mm_or_ps; xor = _mm_xor_ps;
        zip_low = _mm_unpacklo_ps; zip_high = _mm_unpackhi_ps; low_halves = _mm_movelh_ps;
    }
    lanes! { integers
        add_i32 = _mm_add_epi32; sub_i32 = _mm_sub_epi32;
    }
    lanes! { shuffle
        even = 0 2 0 2; odd = 1 3 1 3; high_halves = 2 3 2 3; concat_shift2 = 2 3 0 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Sse2;
    use crate::simd::lanes::Lanes;
    use crate::simd::scalar::ScalarLanes;

    /// The bits of the results of every operation.
    fn results<L: Lanes>([a, b, c]: [[f32; 4]; 3]) -> Vec<[u32; 4]> {
        let [a, b, c] = [a, b, c].map(|lanes| L::load(&lanes));
        let canonical = |x: L| x.canonicalized();
        let mut results = vec![
            canonical(a.add(b)),
            canonical(a.sub(b)),
            canonical(a.mul(b)),
            canonical(a.div(b)),
            canonical(a.madd(b, c)),
            canonical(a.sqrt()),
            a.abs(),
            a.neg(),
            canonical(a.ceil()),
            canonical(a.floor()),
            canonical(a.trunc()),
            canonical(a.nearest()),
            a.max(b),
            a.min(b),
            a.lt(b),
            a.le(b),
            a.eq(b),
            a.ne(b),
            a.and(b),
            a.or(b),
            a.xor(b),
            a.and_not(b),
            a.select(b, c.lt(a)),
            a.add_i32(b),
            a.sub_i32(b),
            a.min_i32(b),
            a.min_u32(b),
            a.max_u32(b),
            a.shl(7),
            a.sar(7),
            a.from_i32(),
            a.to_i32(),
            a.even(b),
            a.odd(b),
            a.zip_low(b),
            a.zip_high(b),
            a.low_halves(b),
            a.high_halves(b),
            a.concat_shift1(b),
            a.concat_shift2(b),
            a.concat_shift3(b),
        ];
        results.extend(a.deinterleave3(b, c));
        results.extend(L::transposed([a, b, c, a]));
        results.push(L::splat(f32::from(u8::from(a.lt(b).any()))));
        results.into_iter().map(|lanes| lanes.to_array().map(f32::to_bits)).collect()
    }

    #[test]
    fn every_operation_has_the_bits_of_the_scalar_implementation() {
        let special = [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            3.7,
            -3.7,
            8_388_607.5,
            -8_388_608.0,
            1e9,
            3e9,
            -3e9,
            2_147_483_648.0,
            1e-42,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MAX,
            f32::MIN_POSITIVE,
            -1.0,
            7.0,
            0.999_999_94,
        ];
        let at = |i: usize| special[i % special.len()];
        for i in 0..special.len() {
            for j in 0..special.len() {
                let lanes = [i, j, i + j].map(|first| std::array::from_fn(|lane| at(first + 5 * lane)));
                assert_eq!(results::<Sse2>(lanes), results::<ScalarLanes>(lanes), "{lanes:?}");
            }
        }
    }
}
