//! The element types of XLA (`PrimitiveType` of `xla_data.proto`): names, widths and classes.
//!
//! Containers (tuple, buffer) and the types without elements (token, opaque) are kinds of [`super::Shape`].

use std::fmt;

use super::Edition;

/// The kind of number of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `pred`.
    Boolean,
    /// `s1` … `s64`, two's complement.
    Signed,
    /// `u1` … `u64`.
    Unsigned,
    /// `f4e2m1fn` … `f64`, `bf16`.
    Float,
    /// `c64`, `c128`: two floats.
    Complex,
}

macro_rules! element_types {
    ($($variant:ident $name:literal $number:literal $bits:literal $class:ident $since:ident $doc:literal;)*) => {
        /// The type of an array's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ElementType { $(#[doc = $doc] $variant,)* }

        impl ElementType {
            /// Every element type, in the order of XLA's enum.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in XLA's text form, e.g. `bf16`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The value of XLA's `PrimitiveType` enum.
            pub const fn number(self) -> u8 {
                match self { $(Self::$variant => $number,)* }
            }

            /// Bits of information in an element: 1 for `pred`; of a complex number both parts.
            pub const fn bits(self) -> u8 {
                match self { $(Self::$variant => $bits,)* }
            }

            /// The kind of number.
            pub const fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// The first edition with the type.
            pub const fn since(self) -> Edition {
                match self { $(Self::$variant => Edition::$since,)* }
            }
        }
    };
}

element_types! {
    Pred "pred" 1 1 Boolean V2017 "Truth value, one byte per element unless the layout has `E(1)`.";
    S8 "s8" 2 8 Signed V2017 "8-bit signed integer.";
    S16 "s16" 3 16 Signed V2017 "16-bit signed integer.";
    S32 "s32" 4 32 Signed V2017 "32-bit signed integer.";
    S64 "s64" 5 64 Signed V2017 "64-bit signed integer.";
    U8 "u8" 6 8 Unsigned V2017 "8-bit unsigned integer.";
    U16 "u16" 7 16 Unsigned V2017 "16-bit unsigned integer.";
    U32 "u32" 8 32 Unsigned V2017 "32-bit unsigned integer.";
    U64 "u64" 9 64 Unsigned V2017 "64-bit unsigned integer.";
    F16 "f16" 10 16 Float V2017 "IEEE half precision.";
    F32 "f32" 11 32 Float V2017 "IEEE single precision.";
    F64 "f64" 12 64 Float V2017 "IEEE double precision.";
    C64 "c64" 15 64 Complex Current "Two `f32`, real then imaginary.";
    BF16 "bf16" 16 16 Float Current "The upper half of an `f32`.";
    C128 "c128" 18 128 Complex Current "Two `f64`, real then imaginary.";
    F8E5M2 "f8e5m2" 19 8 Float Current "5 exponent bits, IEEE-like; largest 57344.";
    F8E4M3FN "f8e4m3fn" 20 8 Float Current "4 exponent bits, no infinity; largest 448.";
    S4 "s4" 21 4 Signed Current "4-bit signed integer, one byte per element unless the layout has `E(4)`.";
    U4 "u4" 22 4 Unsigned Current "4-bit unsigned integer, one byte per element unless the layout has `E(4)`.";
    F8E4M3B11FNUZ "f8e4m3b11fnuz" 23 8 Float Current "4 exponent bits, bias 11, no infinity, no -0; largest 30.";
    F8E5M2FNUZ "f8e5m2fnuz" 24 8 Float Current "5 exponent bits, bias 16, no infinity, no -0; largest 57344.";
    F8E4M3FNUZ "f8e4m3fnuz" 25 8 Float Current "4 exponent bits, bias 8, no infinity, no -0; largest 240.";
    S2 "s2" 26 2 Signed Current "2-bit signed integer.";
    U2 "u2" 27 2 Unsigned Current "2-bit unsigned integer.";
    F8E4M3 "f8e4m3" 28 8 Float Current "4 exponent bits, IEEE-like; largest 240.";
    F8E3M4 "f8e3m4" 29 8 Float Current "3 exponent bits, IEEE-like; largest 15.5.";
    S1 "s1" 30 1 Signed Current "1-bit signed integer: 0 and -1.";
    U1 "u1" 31 1 Unsigned Current "1-bit unsigned integer.";
    F4E2M1FN "f4e2m1fn" 32 4 Float Current "2 exponent bits, neither infinity nor NaN; largest 6.";
    F8E8M0FNU "f8e8m0fnu" 33 8 Float Current "A power of two without sign, 2^-127 … 2^127; all ones is NaN.";
    F6E3M2FN "f6e3m2fn" 35 6 Float Current "3 exponent bits, neither infinity nor NaN; largest 28.";
    F6E2M3FN "f6e2m3fn" 36 6 Float Current "2 exponent bits, neither infinity nor NaN; largest 7.5.";
}

impl ElementType {
    /// The type with this name, in lower case as in XLA's text form.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.name() == name)
    }

    /// The type of 2017 that is nearest: itself, or a wider one of the same class. `None` for complex numbers.
    pub const fn in_2017(self) -> Option<Self> {
        match (self.since(), self.class()) {
            (Edition::V2017, _) => Some(self),
            (Edition::Current, Class::Boolean) => Some(Self::Pred),
            (Edition::Current, Class::Signed) => Some(Self::S8),
            (Edition::Current, Class::Unsigned) => Some(Self::U8),
            (Edition::Current, Class::Float) => Some(Self::F32),
            (Edition::Current, Class::Complex) => None,
        }
    }

    /// Bytes of an element in a layout that does not pack it: `bits` rounded up.
    pub const fn bytes(self) -> i64 {
        (self.bits() as i64 + 7) / 8
    }

    /// Bits of an element in packed memory: those of the type, but a whole byte for `pred`.
    pub const fn storage_bits(self) -> u8 {
        if matches!(self, Self::Pred) { 8 } else { self.bits() }
    }

    /// Signed and unsigned integers; not `pred`.
    pub const fn is_integral(self) -> bool {
        matches!(self.class(), Class::Signed | Class::Unsigned)
    }

    /// `f*` and `bf16`; not complex.
    pub const fn is_floating(self) -> bool {
        matches!(self.class(), Class::Float)
    }

    /// `c64` and `c128`.
    pub const fn is_complex(self) -> bool {
        matches!(self.class(), Class::Complex)
    }

    /// Signed integers and floats.
    pub const fn is_signed(self) -> bool {
        matches!(self.class(), Class::Signed | Class::Float)
    }

    /// The type of the real and the imaginary part of a complex type.
    pub const fn component(self) -> Option<Self> {
        match self {
            Self::C64 => Some(Self::F32),
            Self::C128 => Some(Self::F64),
            _ => None,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
