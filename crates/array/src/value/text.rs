//! Elements as text: exactly as XLA prints them in literals, and a short form that fits a cell of a picture.
//!
//! XLA prints an `f32` or `f64` with 6 or 15 digits (`digits10`) if these read back as the same value, else with 9 or 17
//! (`max_digits10`); narrower floats always with `max_digits10` (f16 5, bf16 4, f8e4m3fn 3, f8e5m2 2). The notation is C's
//! `%g`.

use super::super::ElementType;
use super::super::decimal::{self, Rounded};
use super::super::float_format::{FloatFormat, FloatKind};
use super::{Value, part_type};

/// Whether to print a value as XLA does, or so that it round-trips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exactness {
    /// As XLA prints it: -0 is `-0`, which XLA reads back as +0.
    #[default]
    Xla,
    /// Text that XLA and this crate read back as the same value: -0 is `-0.0`.
    RoundTrip,
}

impl Value {
    /// The value as XLA prints it in a literal: `0.1`, `1e+10`, `-0`, `nan`, `-inf`, `true`, `(2, 4)`.
    pub fn text(self, element_type: ElementType, exactness: Exactness) -> String {
        match self.convert(element_type) {
            Self::Pred(truth) => truth.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => value.to_string(),
            Self::Float(value) => float(element_type, value, exactness),
            Self::Complex(re, im) => {
                let part = part_type(element_type);
                format!("({}, {})", float(part, re, exactness), float(part, im, exactness))
            }
        }
    }

    /// The value in at most `max_chars` characters: exact where it fits, else with fewer digits, else `…`.
    pub fn short(self, element_type: ElementType, max_chars: usize) -> String {
        let fits = |text: &String| text.chars().count() <= max_chars;
        let placeholder = if max_chars == 0 { String::new() } else { "…".to_owned() };
        match self.convert(element_type) {
            Self::Pred(truth) => {
                let words = [truth.to_string(), u8::from(truth).to_string()];
                words.into_iter().find(fits).unwrap_or(placeholder)
            }
            Self::Int(value) => short_integer(value.into(), max_chars).unwrap_or(placeholder),
            Self::Uint(value) => short_integer(value.into(), max_chars).unwrap_or(placeholder),
            Self::Float(value) => short_float(element_type, value, max_chars).unwrap_or(placeholder),
            Self::Complex(re, im) => {
                let part = part_type(element_type);
                // Each part may have up to `room` characters; the largest `room` whose text fits wins.
                let format_with_room = |room: usize| {
                    let re = short_float(part, re, room)?;
                    let im = short_float(part, im, room)?;
                    let plus = if im.starts_with('-') { "" } else { "+" };
                    Some(format!("{re}{plus}{im}i"))
                };
                (1..=max_chars).rev().filter_map(format_with_room).find(fits).unwrap_or(placeholder)
            }
        }
    }
}

/// A float as XLA prints it.
fn float(element_type: ElementType, value: f64, exactness: Exactness) -> String {
    let Some(format) = FloatFormat::of(element_type) else { return String::new() };
    if value.is_nan() {
        return nan(format, value);
    }
    if value == 0.0 && value.is_sign_negative() && exactness == Exactness::RoundTrip {
        return "-0.0".to_owned();
    }
    let brief = matches!(element_type, ElementType::F32 | ElementType::F64)
        .then(|| general(value, format.digits10()))
        .filter(|text| reads_back(format, text, value));
    brief.unwrap_or_else(|| general(value, format.max_digits10()))
}

/// `nan`, with its sign, and with its payload where the format has payloads and it is not the canonical one.
fn nan(format: FloatFormat, value: f64) -> String {
    let sign = if value.is_sign_negative() && format.is_signed() { "-" } else { "" };
    let bits = format.encode(value);
    let payload = bits & ((1 << format.mantissa_bits) - 1);
    if format.kind == FloatKind::Ieee && format.nan() != Some(bits & format.magnitude_mask()) {
        format!("{sign}nan(0x{payload:x})")
    } else {
        format!("{sign}nan")
    }
}

fn reads_back(format: FloatFormat, text: &str, value: f64) -> bool {
    decimal::parse(text).is_some_and(|read| format.encode(read) == format.encode(value))
}

/// C's `%.{digits}g`: `digits` significant digits without trailing zeros, in exponent notation where the exponent
/// is below -4 or not below the number of digits.
fn general(value: f64, digits: usize) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let rounded = Rounded::new(value, digits).trimmed();
    let exponent = rounded.exponent;
    if exponent < -4 || exponent >= i64::try_from(digits.max(1)).unwrap_or(i64::MAX) {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", rounded.mantissa(), exponent.abs())
    } else {
        rounded.plain()
    }
}

/// The shorter of `%g` and scientific notation; the exponent has no plus sign and no leading zeros.
fn compact(value: f64, digits: usize) -> String {
    let general = general(value, digits);
    let rounded = Rounded::new(value, digits).trimmed();
    let scientific = format!("{}e{}", rounded.mantissa(), rounded.exponent);
    if general.as_bytes().contains(&b'e') || scientific.len() < general.len() { scientific } else { general }
}

fn short_float(element_type: ElementType, value: f64, max_chars: usize) -> Option<String> {
    let fits = |text: &String| text.chars().count() <= max_chars;
    if value.is_nan() {
        return Some("nan".to_owned()).filter(fits);
    }
    if value.is_infinite() {
        let words = if value > 0.0 { ["inf", "∞"] } else { ["-inf", "-∞"] };
        return words.into_iter().map(str::to_owned).find(fits);
    }
    let format = FloatFormat::of(element_type)?;
    let max_digits = format.max_digits10();
    let round_trip_digits = (1..max_digits)
        .find(|digits| reads_back(format, &general(value, *digits), value))
        .unwrap_or(max_digits);
    // Plain notation is preferred where it fits (100, not 1e2), except for small numbers (1e-7).
    let plain = decimal::parse(&general(value, round_trip_digits)).map(decimal::shortest);
    let plain = plain.filter(|text| fits(text) && (value == 0.0 || value.abs() >= 1e-4));
    plain.or_else(|| (1..=round_trip_digits).rev().map(|digits| compact(value, digits)).find(fits))
}

fn short_integer(value: i128, max_chars: usize) -> Option<String> {
    let whole = value.to_string();
    if whole.len() <= max_chars {
        return Some(whole);
    }
    // The precision of a double suffices: at most 17 digits are printed.
    #[allow(clippy::cast_precision_loss, reason = "what does not fit is rounded")]
    let double = value as f64;
    (1..=max_chars.min(17)).rev().map(|digits| compact(double, digits)).find(|text| text.len() <= max_chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as T;

    fn text(element_type: T, value: f64) -> String {
        Value::Float(value).text(element_type, Exactness::Xla)
    }

    #[test]
    fn floats_print_as_in_dumps_of_xla() {
        let single = [
            "0.0833333358",
            "0.1",
            "3.43273939e-07",
            "2.83297682",
            "2.81022636e-08",
            "1e-06",
            "1e-05",
            "1e+09",
            "1.50140941",
            "1.41421354",
            "1.00167406",
            "0.246640727",
            "0.00943887047",
            "0.00573950773",
            "0.00134934322",
            "0.00021858087",
            "0.000100950558",
            "-4.39150654e-06",
            "-3.5233877e-06",
            "-0.99999994",
            "-0.03125",
            "-1e+30",
            "0.333333343",
            "0.0446777344",
            "0",
            "-0",
            "inf",
            "-inf",
            "16777216",
            "1.06535322e+09",
            "3.40282347e+38",
        ];
        for printed in single {
            assert_eq!(text(T::F32, printed.parse().unwrap()), printed);
        }
        assert_eq!(text(T::F32, 1e10), "1e+10");
        assert_eq!(text(T::F32, 1e5), "100000");
        assert_eq!(text(T::F32, 1e6), "1e+06");
        assert_eq!(text(T::BF16, 0.796_875), "0.7969");
        assert_eq!(text(T::BF16, 0.044_677_734_4), "0.04468");
        assert_eq!(text(T::BF16, 1.1016), "1.102");
        assert_eq!(text(T::F16, 0.1), "0.099976");
        assert_eq!(text(T::F16, 65504.0), "65504");
        assert_eq!(text(T::F64, 0.1), "0.1");
        assert_eq!(text(T::F64, 1.0 / 3.0), "0.33333333333333331");
        assert_eq!(text(T::F8E4M3FN, 448.0), "448");
        assert_eq!(text(T::F8E5M2, 57344.0), "5.7e+04");
        assert_eq!(Value::Complex(2.0, -0.5).text(T::C64, Exactness::Xla), "(2, -0.5)");
        assert_eq!(Value::Float(-0.0).text(T::F32, Exactness::RoundTrip), "-0.0");
    }

    #[test]
    fn nans_print_their_sign_and_noncanonical_payload() {
        assert_eq!(text(T::F32, f64::NAN), "nan");
        assert_eq!(text(T::F32, -f64::NAN), "-nan");
        assert_eq!(Value::from_bits(T::F32, 0x7F80_0001).text(T::F32, Exactness::Xla), "nan(0x1)");
        assert_eq!(Value::from_bits(T::F8E5M2, 0xFF).text(T::F8E5M2, Exactness::Xla), "-nan(0x3)");
        assert_eq!(text(T::F8E4M3FNUZ, -f64::NAN), "nan");
        assert_eq!(text(T::F8E4M3FN, -f64::NAN), "-nan");
    }

    #[test]
    fn every_encoding_of_narrow_floats_round_trips() {
        for t in T::ALL.iter().filter(|t| t.is_floating() && t.bits() <= 16) {
            let format = FloatFormat::of(*t).unwrap();
            for bits in (0..1_u64 << t.bits()).filter(|bits| !format.is_nan(*bits)) {
                let value = format.decode(bits);
                if value.is_infinite() {
                    assert_eq!(text(*t, value), if value > 0.0 { "inf" } else { "-inf" });
                    continue;
                }
                assert!(reads_back(format, &text(*t, value), value), "{t} {}", text(*t, value));
            }
        }
    }

    #[test]
    fn the_short_form_fits() {
        let short = |t, value, room| Value::Float(value).short(t, room);
        assert_eq!(short(T::F32, f64::from(0.1_f32), 8), "0.1");
        assert_eq!(short(T::F32, 1.0 / 3.0, 5), "0.333");
        assert_eq!(short(T::F32, 1e10, 6), "1e10");
        assert_eq!(short(T::F32, 1e-5, 6), "1e-5");
        assert_eq!(short(T::F32, 123_456.7, 4), "1e5");
        assert_eq!(short(T::F32, f64::NEG_INFINITY, 3), "-∞");
        assert_eq!(short(T::F32, 12345.0, 2), "…");
        assert_eq!(short(T::BF16, 1.1016, 6), "1.1");
        assert_eq!(Value::Int(-123_456_789).short(T::S32, 6), "-1.2e8");
        assert_eq!(Value::Pred(true).short(T::Pred, 3), "1");
        assert_eq!(Value::Complex(1.0, -2.5).short(T::C64, 8), "1-2.5i");
        for room in 0..12 {
            for value in [0.0, -0.0, 1e300, -1e-300, 123_456_789.123, f64::NAN, f64::INFINITY] {
                for t in T::ALL {
                    let text = Value::Float(value).short(*t, room);
                    assert!(text.chars().count() <= room, "{t} {value} {room}: {text}");
                }
            }
        }
    }
}
