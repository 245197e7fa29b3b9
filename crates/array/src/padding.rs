//! Legacy padding of layouts (XLA 2017): the padded size of each dimension, and the value of padding elements.

use super::Dims;

/// The value of legacy padding elements (`PaddingValue` of `xla_data.proto`).
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
    /// All values, in the order of the proto enum.
    pub const ALL: [Self; 6] =
        [Self::Invalid, Self::Zero, Self::One, Self::Lowest, Self::Highest, Self::Unknown];

    /// The word in shape text, e.g. `zero`.
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

    /// The name in the proto enum, e.g. `ZERO_PAD`.
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

    /// The value of this word or proto name, ignoring case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|v| v.word().eq_ignore_ascii_case(word) || v.proto_name().eq_ignore_ascii_case(word))
    }
}

/// Legacy padding (XLA 2017): always at the high end of a dimension, and not part of the shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// The padded size of each dimension.
    pub dimensions: Dims,
    /// The value of padding elements.
    pub value: PaddingValue,
}
