//! The displayed value of legacy padding, for each padding value and element type.
//!
//! Source: `PaddingValue` of `xla_data.proto`. The lowest and highest value of a float are the infinities, as in XLA's
//! own constants; types without infinities show their largest finite number.

use std::fmt;

use super::float_format::FloatFormat;
use super::{Class, ElementType, PaddingValue};
use xla_messages::i18n::Message;

/// The displayed value of a padding element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DisplayedValue {
    /// The layout does not set a padding value.
    Unset,
    /// Zero.
    Zero,
    /// One.
    One,
    /// Negative infinity.
    NegInf,
    /// Positive infinity.
    Inf,
    /// The lowest integer of the type.
    Min(i128),
    /// The highest integer of the type.
    Max(i128),
    /// The lowest or highest number of a float that has no infinity.
    Finite(f64),
    /// `pred` false.
    False,
    /// `pred` true.
    True,
    /// Any value, including NaN; or the type has no such value.
    Unknown,
}

impl PaddingValue {
    /// The displayed value for an array of this type. [`DisplayedValue::Unknown`] for extremes of complex types, which
    /// have no order, for one in `s1` and for zero in `f8e8m0fnu`.
    pub fn displayed(self, element_type: ElementType) -> DisplayedValue {
        match self {
            Self::Invalid => DisplayedValue::Unset,
            Self::Unknown => DisplayedValue::Unknown,
            Self::Zero => match element_type {
                ElementType::Pred => DisplayedValue::False,
                ElementType::F8E8M0FNU => DisplayedValue::Unknown,
                _ => DisplayedValue::Zero,
            },
            Self::One => match element_type {
                ElementType::Pred => DisplayedValue::True,
                ElementType::S1 => DisplayedValue::Unknown,
                _ => DisplayedValue::One,
            },
            Self::Lowest => extreme(element_type, true),
            Self::Highest => extreme(element_type, false),
        }
    }
}

/// The lowest or highest value of a type.
fn extreme(element_type: ElementType, lowest: bool) -> DisplayedValue {
    let bits = u32::from(element_type.bits());
    match element_type.class() {
        Class::Boolean => [DisplayedValue::True, DisplayedValue::False][usize::from(lowest)],
        Class::Unsigned if lowest => DisplayedValue::Min(0),
        Class::Unsigned => DisplayedValue::Max((1_i128 << bits) - 1),
        Class::Signed if lowest => DisplayedValue::Min(-(1_i128 << (bits - 1))),
        Class::Signed => DisplayedValue::Max((1_i128 << (bits - 1)) - 1),
        Class::Complex => DisplayedValue::Unknown,
        Class::Float => match FloatFormat::of(element_type) {
            Some(format) if format.infinity().is_none() => {
                DisplayedValue::Finite(format.decode(if lowest { format.lowest() } else { format.max() }))
            }
            _ if lowest => DisplayedValue::NegInf,
            _ => DisplayedValue::Inf,
        },
    }
}

impl DisplayedValue {
    /// A description of [`DisplayedValue::Unset`] and [`DisplayedValue::Unknown`], which are both displayed as `?`.
    pub fn words(self) -> Option<Message> {
        match self {
            Self::Unset => Some(Message::new("padding-cell-unset")),
            Self::Unknown => Some(Message::new("padding-cell-unknown")),
            _ => None,
        }
    }
}

impl fmt::Display for DisplayedValue {
    /// Short enough for a cell of a grid; `?` is unset or unknown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset | Self::Unknown => f.write_str("?"),
            Self::Zero => f.write_str("0"),
            Self::One => f.write_str("1"),
            Self::NegInf => f.write_str("-inf"),
            Self::Inf => f.write_str("inf"),
            Self::Min(integer) | Self::Max(integer) => write!(f, "{integer}"),
            Self::Finite(number) if number.abs() >= 1e6 || number.abs() < 1e-6 => write!(f, "{number:e}"),
            Self::Finite(number) => write!(f, "{number}"),
            Self::False => f.write_str("false"),
            Self::True => f.write_str("true"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_specification() {
        use ElementType::{F32, Pred, S32, U8};
        let shown = |value: PaddingValue| [F32, S32, U8, Pred].map(|t| value.displayed(t).to_string());
        assert_eq!(shown(PaddingValue::Invalid), ["?"; 4]);
        assert_eq!(shown(PaddingValue::Zero), ["0", "0", "0", "false"]);
        assert_eq!(shown(PaddingValue::One), ["1", "1", "1", "true"]);
        assert_eq!(shown(PaddingValue::Lowest), ["-inf", "-2147483648", "0", "false"]);
        assert_eq!(shown(PaddingValue::Highest), ["inf", "2147483647", "255", "true"]);
        assert_eq!(shown(PaddingValue::Unknown), ["?"; 4]);
        assert_ne!(
            PaddingValue::Invalid.displayed(F32).words(),
            PaddingValue::Unknown.displayed(F32).words()
        );
        assert_eq!(PaddingValue::Zero.displayed(F32).words(), None);
    }

    #[test]
    fn types_without_the_value_show_what_they_have() {
        let both = |t| [PaddingValue::Lowest, PaddingValue::Highest].map(|v| v.displayed(t).to_string());
        assert_eq!(both(ElementType::F8E4M3FN), ["-448", "448"]);
        assert_eq!(both(ElementType::F8E8M0FNU)[0], "5.877471754111438e-39");
        assert_eq!(both(ElementType::U64)[1], u64::MAX.to_string());
        assert_eq!(both(ElementType::S1), ["-1", "0"]);
        assert_eq!(both(ElementType::C64), ["?", "?"]);
        assert_eq!(PaddingValue::Zero.displayed(ElementType::F8E8M0FNU), DisplayedValue::Unknown);
        assert_eq!(PaddingValue::One.displayed(ElementType::S1), DisplayedValue::Unknown);
    }
}
