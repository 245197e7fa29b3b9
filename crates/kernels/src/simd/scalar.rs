//! Portable lanes: four floats in an array.

#![allow(clippy::cast_possible_truncation, reason = "the conversion to i32 saturates")]
#![allow(clippy::cast_precision_loss, reason = "the conversion to f32 rounds")]
#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "lanes are bits, reinterpreted as signed or unsigned"
)]
#![allow(unsafe_code, reason = "unchecked loads and stores of the trait")]

use crate::simd::lanes::Lanes;

/// Four floats in an array.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScalarLanes([f32; 4]);

fn mask(is_set: bool) -> f32 {
    f32::from_bits(if is_set { u32::MAX } else { 0 })
}

impl ScalarLanes {
    #[inline]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self(self.0.map(f))
    }

    #[inline]
    fn zip_map(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], b.0[i])))
    }

    #[inline]
    fn zip_map_bits(self, b: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        self.zip_map(b, |a, b| f32::from_bits(f(a.to_bits(), b.to_bits())))
    }
}

impl Lanes for ScalarLanes {
    const IS_SIMD: bool = false;
    fn splat(x: f32) -> Self {
        Self([x; 4])
    }
    fn splat_bits(x: u32) -> Self {
        Self([f32::from_bits(x); 4])
    }
    fn load(from: &[f32; 4]) -> Self {
        Self(*from)
    }
    fn store(self, to: &mut [f32; 4]) {
        *to = self.0;
    }
    unsafe fn read(from: *const f32) -> Self {
        // SAFETY: four numbers can be read at `from`.
        Self(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }
    unsafe fn write(self, to: *mut f32) {
        // SAFETY: four numbers can be written at `to`.
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }
    unsafe fn read_splat(from: *const f32) -> Self {
        // SAFETY: a number can be read at `from`.
        Self::splat(unsafe { from.read() })
    }
    fn add(self, b: Self) -> Self {
        self.zip_map(b, |a, b| a + b)
    }
    fn sub(self, b: Self) -> Self {
        self.zip_map(b, |a, b| a - b)
    }
    fn mul(self, b: Self) -> Self {
        self.zip_map(b, |a, b| a * b)
    }
    fn div(self, b: Self) -> Self {
        self.zip_map(b, |a, b| a / b)
    }
    fn madd(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }
    fn abs(self) -> Self {
        self.and(Self::splat_bits(0x7fff_ffff))
    }
    fn neg(self) -> Self {
        self.xor(Self::splat_bits(0x8000_0000))
    }
    fn ceil(self) -> Self {
        self.map(f32::ceil)
    }
    fn floor(self) -> Self {
        self.map(f32::floor)
    }
    fn trunc(self) -> Self {
        self.map(f32::trunc)
    }
    fn nearest(self) -> Self {
        self.map(f32::round_ties_even)
    }
    fn max(self, b: Self) -> Self {
        self.zip_map(b, |a, b| if a < b { b } else { a })
    }
    fn min(self, b: Self) -> Self {
        self.zip_map(b, |a, b| if b < a { b } else { a })
    }
    fn lt(self, b: Self) -> Self {
        self.zip_map(b, |a, b| mask(a < b))
    }
    fn le(self, b: Self) -> Self {
        self.zip_map(b, |a, b| mask(a <= b))
    }
    fn eq(self, b: Self) -> Self {
        self.zip_map(b, |a, b| mask(a == b))
    }
    fn ne(self, b: Self) -> Self {
        self.zip_map(b, |a, b| mask(a != b))
    }
    fn and(self, b: Self) -> Self {
        self.zip_map_bits(b, |a, b| a & b)
    }
    fn or(self, b: Self) -> Self {
        self.zip_map_bits(b, |a, b| a | b)
    }
    fn xor(self, b: Self) -> Self {
        self.zip_map_bits(b, |a, b| a ^ b)
    }
    fn and_not(self, b: Self) -> Self {
        self.zip_map_bits(b, |a, b| a & !b)
    }
    fn select(self, b: Self, mask: Self) -> Self {
        self.and(mask).or(b.and_not(mask))
    }
    fn any(self) -> bool {
        self.0.iter().any(|lane| lane.to_bits() != 0)
    }
    fn add_i32(self, b: Self) -> Self {
        self.zip_map_bits(b, u32::wrapping_add)
    }
    fn sub_i32(self, b: Self) -> Self {
        self.zip_map_bits(b, u32::wrapping_sub)
    }
    fn min_i32(self, b: Self) -> Self {
        self.zip_map_bits(b, |a, b| (a as i32).min(b as i32) as u32)
    }
    fn min_u32(self, b: Self) -> Self {
        self.zip_map_bits(b, u32::min)
    }
    fn max_u32(self, b: Self) -> Self {
        self.zip_map_bits(b, u32::max)
    }
    fn shl(self, by: u32) -> Self {
        self.map(|a| f32::from_bits(a.to_bits() << by))
    }
    fn sar(self, by: u32) -> Self {
        self.map(|a| f32::from_bits((a.to_bits() as i32 >> by) as u32))
    }
    fn from_i32(self) -> Self {
        self.map(|a| a.to_bits() as i32 as f32)
    }
    fn to_i32(self) -> Self {
        self.map(|a| f32::from_bits(a as i32 as u32))
    }
    fn even(self, b: Self) -> Self {
        Self([self.0[0], self.0[2], b.0[0], b.0[2]])
    }
    fn odd(self, b: Self) -> Self {
        Self([self.0[1], self.0[3], b.0[1], b.0[3]])
    }
    fn zip_low(self, b: Self) -> Self {
        Self([self.0[0], b.0[0], self.0[1], b.0[1]])
    }
    fn zip_high(self, b: Self) -> Self {
        Self([self.0[2], b.0[2], self.0[3], b.0[3]])
    }
    fn low_halves(self, b: Self) -> Self {
        Self([self.0[0], self.0[1], b.0[0], b.0[1]])
    }
    fn high_halves(self, b: Self) -> Self {
        Self([self.0[2], self.0[3], b.0[2], b.0[3]])
    }
    fn concat_shift3(self, b: Self) -> Self {
        Self([self.0[3], b.0[0], b.0[1], b.0[2]])
    }
    fn concat_shift1(self, b: Self) -> Self {
        Self([self.0[1], self.0[2], self.0[3], b.0[0]])
    }
    fn concat_shift2(self, b: Self) -> Self {
        Self([self.0[2], self.0[3], b.0[0], b.0[1]])
    }
    fn deinterleave3(self, b: Self, c: Self) -> [Self; 3] {
        let lanes = [self.0, b.0, c.0];
        let lanes = lanes.as_flattened();
        std::array::from_fn(|first| Self(std::array::from_fn(|i| lanes[first + 3 * i])))
    }
}
