//! Keys: unsigned integers in the order of the values that they encode.
//!
//! A key has as many bits as its value, and is the value's bits with some of them flipped.

use crate::simd::lanes::Lanes;
use crate::sort::radix::Sortable;
use crate::support::element::Type;

/// An unsigned integer of 32 or 64 bits that holds the bits of a value or its key. Narrower ones occupy its low bits.
pub trait Word: Sortable {
    /// A key in the upper half and its position in the row in the lower half.
    type Pair: Sortable;
    /// The bits of the integer.
    const BITS: u32;
    /// Truncates 64 bits.
    fn from_bits(bits: u64) -> Self;
    /// Widens to 64 bits.
    fn to_bits(self) -> u64;
    /// The pair of this key and a position.
    fn with_position(self, position: u32) -> Self::Pair;
    /// The key of a pair.
    fn key_of(pair: Self::Pair) -> Self;
    /// The position of a pair.
    fn position_of(pair: Self::Pair) -> usize;
    /// Bitwise and.
    #[must_use]
    fn and(self, mask: Self) -> Self;
    /// Bitwise exclusive or.
    #[must_use]
    fn xor(self, mask: Self) -> Self;
    /// Bitwise exclusive or if the bit at position `sign_bit` is set; otherwise `self`.
    #[must_use]
    fn xor_if_negative(self, sign_bit: u32, mask: Self) -> Self;
}

macro_rules! words {
    ($($word:ident $pair:ident $bits:literal;)*) => {
        $(#[allow(clippy::cast_possible_truncation, reason = "truncation to the low bits is intended")]
        #[allow(clippy::cast_lossless, reason = "one of the types is as wide as the word")]
        impl Word for $word {
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
            fn with_position(self, position: u32) -> $pair {
                (self as $pair) << $bits | position as $pair
            }
            #[inline(always)]
            fn key_of(pair: $pair) -> Self {
                (pair >> $bits) as Self
            }
            #[inline(always)]
            fn position_of(pair: $pair) -> usize {
                pair as u32 as usize
            }
            #[inline(always)]
            fn and(self, mask: Self) -> Self {
                self & mask
            }
            #[inline(always)]
            fn xor(self, mask: Self) -> Self {
                self ^ mask
            }
            #[inline(always)]
            fn xor_if_negative(self, sign_bit: u32, mask: Self) -> Self {
                self ^ (((self >> sign_bit) & 1).wrapping_neg() & mask)
            }
        })*
    };
}

words! { u32 u64 32; u64 u128 64; }

/// The encoding of a type's values as keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyEncoding {
    /// Bits of a value.
    pub bits: u32,
    /// The bits to flip in negative values; without the sign.
    negative_xor_mask: u64,
    /// The bits to flip in all values.
    xor_mask: u64,
    /// The bits of infinity, for floats in their partial order, where NaN is unordered and zeros are equal.
    partial_order_infinity: Option<u64>,
}

/// Whether values for which the partial order of floats differs from the order of keys are present.
#[derive(Clone, Copy, Debug, Default)]
pub struct Specials {
    /// NaN, which is unordered.
    pub has_nan: bool,
    /// Zeros of both signs, which are equal.
    pub has_both_zeros: bool,
}

#[allow(clippy::cast_possible_truncation, reason = "a narrow value occupies the low bits")]
impl KeyEncoding {
    /// The encoding of `ty` in ascending or descending order; `None` if the type has no order.
    pub fn new(ty: Type, is_descending: bool, is_total_order: bool) -> Option<Self> {
        let bits = 8 * ty.bytes() as u32;
        let (sign_mask, all) = (1 << (bits.min(64) - 1), u64::MAX >> (64 - bits.min(64)));
        let (negative_xor_mask, xor_mask, infinity) = match ty {
            Type::Pred | Type::U8 | Type::U16 | Type::U32 | Type::U64 => (0, 0, None),
            Type::S8 | Type::S16 | Type::S32 | Type::S64 => (0, sign_mask, None),
            Type::F16 => (all ^ sign_mask, sign_mask, Some(0x7c00)),
            Type::BF16 => (all ^ sign_mask, sign_mask, Some(0x7f80)),
            Type::F32 => (all ^ sign_mask, sign_mask, Some(0x7f80_0000)),
            Type::F64 => (all ^ sign_mask, sign_mask, Some(0x7ff0_0000_0000_0000)),
            Type::C64 | Type::C128 => return None,
        };
        let xor_mask = if is_descending { xor_mask ^ all } else { xor_mask };
        let partial_order_infinity = infinity.filter(|_| !is_total_order);
        Some(Self { bits, negative_xor_mask, xor_mask, partial_order_infinity })
    }

    /// The keys of both zeros of a 32-bit type, ascending and adjacent; `None` unless zeros are equal.
    pub fn signed_zero_keys(&self) -> Option<[u32; 2]> {
        let [a, b] = [0, self.sign_mask() as u32].map(|zero| self.encode(zero));
        self.partial_order_infinity.map(|_| [a.min(b), a.max(b)])
    }

    /// [`Self::encode`] of one vector of 32-bit values.
    #[inline(always)]
    pub fn encode_vector<L: Lanes>(&self, values: L) -> L {
        self.xor_if_negative(values).xor(L::splat_bits(self.xor_mask as u32))
    }

    /// [`Self::decode`] of one vector of 32-bit keys.
    #[inline(always)]
    pub fn decode_vector<L: Lanes>(&self, keys: L) -> L {
        self.xor_if_negative(keys.xor(L::splat_bits(self.xor_mask as u32)))
    }

    #[inline(always)]
    fn xor_if_negative<L: Lanes>(&self, bits: L) -> L {
        bits.xor(bits.sar(31).and(L::splat_bits(self.negative_xor_mask as u32)))
    }

    fn sign_bit(&self) -> u32 {
        self.bits - 1
    }

    fn sign_mask(&self) -> u64 {
        1 << self.sign_bit()
    }

    /// Whether special values are among `values`.
    pub fn scan_specials<K: Word>(&self, values: impl Iterator<Item = K>) -> Specials {
        let Some(infinity) = self.partial_order_infinity.map(K::from_bits) else {
            return Specials::default();
        };
        let (sign_mask, magnitude_mask) =
            (K::from_bits(self.sign_mask()), K::from_bits(self.sign_mask() - 1));
        let zero = K::default();
        // Maximum and minimum, which the compiler vectorizes.
        let (mut max_magnitude, mut min_positive, mut min_negative) = (zero, sign_mask, sign_mask);
        for value in values {
            max_magnitude = max_magnitude.max(value.and(magnitude_mask));
            min_positive = min_positive.min(value);
            min_negative = min_negative.min(value.xor(sign_mask));
        }
        Specials {
            has_nan: max_magnitude > infinity,
            has_both_zeros: min_positive == zero && min_negative == zero,
        }
    }

    /// The key of a value.
    #[inline(always)]
    pub fn encode<K: Word>(&self, bits: K) -> K {
        bits.xor_if_negative(self.sign_bit(), K::from_bits(self.negative_xor_mask))
            .xor(K::from_bits(self.xor_mask))
    }

    /// The bits of the value of a key.
    #[inline(always)]
    pub fn decode<K: Word>(&self, key: K) -> K {
        key.xor(K::from_bits(self.xor_mask))
            .xor_if_negative(self.sign_bit(), K::from_bits(self.negative_xor_mask))
    }

    /// The key of a value; both zeros have the same key if they are equal.
    #[inline(always)]
    pub fn encode_merging_zeros<K: Word>(&self, bits: K) -> K {
        let is_zero = self.partial_order_infinity.is_some() && bits == K::from_bits(self.sign_mask());
        self.encode(if is_zero { K::default() } else { bits })
    }

    /// The first and the last key of values that are ordered: keys of NaN are outside.
    pub fn non_nan_key_range<K: Word>(&self) -> [K; 2] {
        let Some(infinity) = self.partial_order_infinity else {
            return [K::default(), K::from_bits(u64::MAX)];
        };
        let ends = [infinity, infinity | self.sign_mask()].map(|end| self.encode(K::from_bits(end)));
        [ends[0].min(ends[1]), ends[0].max(ends[1])]
    }
}
