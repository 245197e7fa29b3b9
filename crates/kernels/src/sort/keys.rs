//! Keys: unsigned integers in the order of the values that they encode.

use crate::ground::element::Type;
use crate::simd::lanes::Lanes;
use crate::sort::radix::Element;

/// An unsigned integer of 32 or 64 bits that encodes a value, and its pair with a position.
pub trait Key: Element {
    /// A key in the upper half and its position in the row in the lower half.
    type Pair: Element;
    /// The bits of a key.
    const BITS: u32;
    /// Truncates 64 bits.
    fn from_bits(bits: u64) -> Self;
    /// Its bits.
    fn to_bits(self) -> u64;
    /// The key with a position.
    fn pair(self, position: u32) -> Self::Pair;
    /// The key of a pair.
    fn of(pair: Self::Pair) -> Self;
    /// The position of a pair.
    fn position(pair: Self::Pair) -> usize;
    /// Bitwise and.
    #[must_use]
    fn and(self, mask: Self) -> Self;
    /// Flips the bits `always`, and also the bits `when_set` if the bit at position `sign` is set.
    #[must_use]
    fn flipped(self, sign: u32, when_set: Self, always: Self) -> Self;
}

macro_rules! keys {
    ($($key:ident $pair:ident $bits:literal;)*) => {
        $(#[allow(clippy::cast_possible_truncation, reason = "halves are taken")]
        #[allow(clippy::cast_lossless, reason = "one of the types is as wide as the key")]
        impl Key for $key {
            type Pair = $pair;
            const BITS: u32 = $bits;
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn pair(self, position: u32) -> $pair {
                (self as $pair) << $bits | position as $pair
            }
            #[inline(always)]
            fn of(pair: $pair) -> Self {
                (pair >> $bits) as Self
            }
            #[inline(always)]
            fn position(pair: $pair) -> usize {
                pair as u32 as usize
            }
            #[inline(always)]
            fn and(self, mask: Self) -> Self {
                self & mask
            }
            #[inline(always)]
            fn flipped(self, sign: u32, when_set: Self, always: Self) -> Self {
                self ^ (((self >> sign) & 1).wrapping_neg() & when_set) ^ always
            }
        })*
    };
}

keys! { u32 u64 32; u64 u128 64; }

/// The encoding of a type's values as keys.
#[derive(Clone, Copy, Debug)]
pub struct Coding {
    /// Bits of a value.
    pub bits: u32,
    when_set: u64,
    always: u64,
    /// The bits of infinity, for floats that compare as numbers (not in total order).
    plain: Option<u64>,
}

/// Whether special values are among floats that compare as numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Special {
    /// NaN, which compares with nothing.
    pub has_nan: bool,
    /// Zeros of both signs, which are equal.
    pub has_both_zeros: bool,
}

#[allow(clippy::cast_possible_truncation, reason = "the bits of a narrow type stand in the lower half")]
impl Coding {
    /// Of a type, in ascending or descending order; `None` where it has no order.
    pub fn new(ty: Type, is_descending: bool, is_total: bool) -> Option<Self> {
        let bits = 8 * ty.bytes() as u32;
        let (sign, all) = (1 << (bits.min(64) - 1), u64::MAX >> (64 - bits.min(64)));
        let (when_set, always, infinity) = match ty {
            Type::Pred | Type::U8 | Type::U16 | Type::U32 | Type::U64 => (0, 0, None),
            Type::S8 | Type::S16 | Type::S32 | Type::S64 => (0, sign, None),
            Type::F16 => (all ^ sign, sign, Some(0x7c00)),
            Type::BF16 => (all ^ sign, sign, Some(0x7f80)),
            Type::F32 => (all ^ sign, sign, Some(0x7f80_0000)),
            Type::F64 => (all ^ sign, sign, Some(0x7ff0_0000_0000_0000)),
            Type::C64 | Type::C128 => return None,
        };
        let always = if is_descending { always ^ all } else { always };
        Some(Self { bits, when_set, always, plain: infinity.filter(|_| !is_total) })
    }

    /// The keys of both zeros, which are adjacent, where they are equal as numbers.
    pub fn zeros(&self) -> Option<[u32; 2]> {
        let [a, b] = [0, self.sign() as u32].map(|zero| self.key(zero));
        self.plain.map(|_| [a.min(b), a.max(b)])
    }

    /// [`Self::key`] of four values of 32 bits.
    #[inline(always)]
    pub fn keys<L: Lanes>(&self, values: L) -> L {
        self.flipped(values).xor(L::splat_bits(self.always as u32))
    }

    /// [`Self::value`] of four keys of 32 bits.
    #[inline(always)]
    pub fn values<L: Lanes>(&self, keys: L) -> L {
        self.flipped(keys.xor(L::splat_bits(self.always as u32)))
    }

    /// Flips the bits `when_set` where the sign is set; `when_set` does not include the sign.
    #[inline(always)]
    fn flipped<L: Lanes>(&self, bits: L) -> L {
        bits.xor(bits.sar(31).and(L::splat_bits(self.when_set as u32)))
    }

    fn sign(&self) -> u64 {
        1 << (self.bits - 1)
    }

    /// Whether special values are among `values`.
    pub fn special<K: Key>(&self, values: impl Iterator<Item = K>) -> Special {
        let Some(infinity) = self.plain.map(K::from_bits) else { return Special::default() };
        let (sign, magnitude) = (K::from_bits(self.sign()), K::from_bits(self.sign() - 1));
        let zero = K::default();
        // Maximum and minimum, which the compiler vectorizes.
        let (mut largest, mut positive, mut negative) = (zero, sign, sign);
        for value in values {
            largest = largest.max(value.and(magnitude));
            positive = positive.min(value);
            negative = negative.min(value.flipped(0, zero, sign));
        }
        Special { has_nan: largest > infinity, has_both_zeros: positive == zero && negative == zero }
    }

    /// The key of a value's bits.
    #[inline(always)]
    pub fn key<K: Key>(&self, value: K) -> K {
        value.flipped(self.bits - 1, K::from_bits(self.when_set), K::from_bits(self.always))
    }

    /// The bits of the value of a key.
    #[inline(always)]
    pub fn value<K: Key>(&self, key: K) -> K {
        let value = key.flipped(0, K::default(), K::from_bits(self.always));
        value.flipped(self.bits - 1, K::from_bits(self.when_set), K::default())
    }

    /// The key of a value's bits; both zeros have the same key where they are equal.
    #[inline(always)]
    pub fn merged<K: Key>(&self, value: K) -> K {
        let is_zero = self.plain.is_some() && value == K::from_bits(self.sign());
        self.key(if is_zero { K::default() } else { value })
    }

    /// The range of keys of numbers: those of NaN are outside.
    pub fn numbers<K: Key>(&self) -> [K; 2] {
        let Some(infinity) = self.plain else { return [K::default(), K::from_bits(u64::MAX)] };
        let ends = [self.key(K::from_bits(infinity)), self.key(K::from_bits(infinity | self.sign()))];
        [ends[0].min(ends[1]), ends[0].max(ends[1])]
    }
}
