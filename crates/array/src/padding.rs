//! Padding of the 2017 layout: the sizes that dimensions are padded to, and what the padding holds.

use super::Dims;

/// What padding cells of the 2017 layout hold (`PaddingValue` of `xla_data.proto`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaddingValue {
    /// `INVALID_PAD`: not set.
    #[default]
    Invalid,
    /// `ZERO_PAD`.
    Zero,
    /// `ONE_PAD`.
    One,
    /// `LOWEST_PAD`: the lowest value of the type, -inf for floats; the identity of max.
    Lowest,
    /// `HIGHEST_PAD`: the highest value of the type, +inf for floats; the identity of min.
    Highest,
    /// `UNKNOWN_PAD`: anything, NaN included.
    Unknown,
}

impl PaddingValue {
    /// All six, in the order of the enum.
    pub const ALL: [Self; 6] =
        [Self::Invalid, Self::Zero, Self::One, Self::Lowest, Self::Highest, Self::Unknown];

    /// The word of the text form, as `zero`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Zero => "zero",
            Self::One => "one",
            Self::Lowest => "lowest",
            Self::Highest => "highest",
            Self::Unknown => "unknown",
        }
    }

    /// The enum's name, as `ZERO_PAD`.
    pub const fn proto_name(self) -> &'static str {
        match self {
            Self::Invalid => "INVALID_PAD",
            Self::Zero => "ZERO_PAD",
            Self::One => "ONE_PAD",
            Self::Lowest => "LOWEST_PAD",
            Self::Highest => "HIGHEST_PAD",
            Self::Unknown => "UNKNOWN_PAD",
        }
    }

    /// The value of this word or enum name, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|v| v.word().eq_ignore_ascii_case(word) || v.proto_name().eq_ignore_ascii_case(word))
    }
}

/// Padding of the 2017 layout: always at the high end of a dimension, and not part of the shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// The size each dimension is padded to; one entry a dimension.
    pub dimensions: Dims,
    /// What padding cells hold.
    pub value: PaddingValue,
}
