//! Reads one number of text as an element type, with diagnostics: out of range, wrong kind, not a number.
//!
//! The rules are those of XLA's literal parser (specification of the HLO text, section 6). [`Syntax::UserInput`] is more
//! lenient, for text that users type and paste.

use super::super::float_format::{FloatFormat, FloatKind};
use super::super::scan::{self, Number};
use super::super::{Class, ElementType, decimal};
use super::text::Exactness;
use super::{Value, integer_range};
use xla_messages::bug::OrBug;
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;

/// The syntax of numbers and literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// As XLA reads literals. `-0` is an integer, so it is +0.
    Hlo,
    /// Lenient, for text that users type and paste: also any case, `+1`, `−1`, `∞`, `Infinity`; `1.0` is an integer too, and
    /// `-0` is -0.
    UserInput,
}

/// Reads one number of a type that is not complex. Returns the value (of bits 0 if there is an error) and its diagnostic, an
/// error or a warning.
pub fn number(
    element_type: ElementType,
    token: &str,
    span: Span,
    syntax: Syntax,
) -> (Value, Option<Diagnostic>) {
    let normal = match syntax {
        Syntax::Hlo => token.to_owned(),
        Syntax::UserInput => normalized(token),
    };
    let reading = Reading { element_type, token, text: &normal, span, syntax };
    let result = match normal.as_str() {
        "true" | "false" => reading.truth(),
        "inf" | "-inf" | "nan" | "-nan" => reading.special(),
        word if word.starts_with("nan(") || word.starts_with("-nan(") => reading.special(),
        word if is_all(word, Number::Int) => reading.integer(),
        word if is_all(word, Number::Float) => reading.decimal(),
        // XLA reads no number that begins with a decimal point.
        word if word.starts_with('.') && is_all(&format!("0{word}"), Number::Float) => {
            let error = || reading.error("literal-number", "literal-not-a-number");
            if syntax == Syntax::UserInput {
                reading.decimal()
            } else {
                Err(error().with_hint(reading.replaced(format!("0{word}"))))
            }
        }
        _ => Err(reading.error("literal-number", "literal-not-a-number")),
    };
    match result {
        Ok((value, warning)) => (value.convert(element_type), warning),
        Err(error) => (Value::from_bits(element_type, 0), Some(error)),
    }
}

/// The token in the syntax of [`Syntax::Hlo`]: lower case, ASCII minus, no plus, `inf`, `true` and `false`.
fn normalized(token: &str) -> String {
    let lower = token.to_ascii_lowercase().replace('−', "-").replace('∞', "inf");
    let lower = lower.strip_prefix('+').unwrap_or(&lower);
    match lower {
        "infinity" => "inf".to_owned(),
        "-infinity" => "-inf".to_owned(),
        "t" => "true".to_owned(),
        "f" => "false".to_owned(),
        other => other.to_owned(),
    }
}

/// Whether a word as a whole is one number of this kind.
fn is_all(word: &str, kind: Number) -> bool {
    scan::number(word) == Some((kind, word.len()))
}

type Read = Result<(Value, Option<Diagnostic>), Diagnostic>;

/// A number while it is read.
struct Reading<'a> {
    element_type: ElementType,
    token: &'a str,
    text: &'a str,
    span: Span,
    syntax: Syntax,
}

impl Reading<'_> {
    fn error(&self, rule: &'static str, key: &'static str) -> Diagnostic {
        let message = Message::new(key).with("token", self.token).with("type", self.element_type.name());
        Diagnostic::error(self.span, rule, message)
    }

    fn warning(&self, rule: &'static str, key: &'static str) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..self.error(rule, key) }
    }

    fn replaced(&self, text: impl Into<String>) -> Hint {
        let text = text.into();
        Hint::replace(Message::new("literal-hint-write").with("text", text.as_str()), self.span, text)
    }

    fn truth(&self) -> Read {
        let truth = self.text == "true";
        match self.element_type.class() {
            Class::Boolean => Ok((Value::Pred(truth), None)),
            _ => Err(self
                .error("literal-kind", "literal-truth-for-number")
                .with_hint(self.replaced(u8::from(truth).to_string()))),
        }
    }

    fn integer(&self) -> Read {
        match self.element_type.class() {
            Class::Boolean => match self.text {
                "0" | "1" => Ok((Value::Pred(self.text == "1"), None)),
                _ => Err(self.error("literal-range", "literal-not-a-truth").with_hint(self.replaced("true"))),
            },
            Class::Signed | Class::Unsigned => {
                let (low, high) = integer_range(self.element_type).or_bug((0, 0), "no type of integers");
                match self.text.parse::<i128>() {
                    Ok(value) if (low..=high).contains(&value) => {
                        let value = i64::try_from(value).map_or_else(
                            |_| Value::Uint(u64::try_from(value).or_bug(0, "an integer exceeds 64 bits")),
                            Value::Int,
                        );
                        Ok((value, None))
                    }
                    _ => {
                        let nearest = if self.text.starts_with('-') { low } else { high };
                        Err(self.out_of_range(&low.to_string(), &high.to_string(), &nearest.to_string()))
                    }
                }
            }
            // XLA reads the token as an integer, which has no -0.
            Class::Float | Class::Complex
                if self.text.starts_with('-') && self.text[1..].bytes().all(|b| b == b'0') =>
            {
                if self.syntax == Syntax::UserInput {
                    return self.float(-0.0);
                }
                let warning = self.warning("literal-negative-zero", "literal-negative-zero");
                self.float(0.0).map(|(value, _)| (value, Some(warning.with_hint(self.replaced("-0.0")))))
            }
            Class::Float | Class::Complex => self.float(self.decimal_value()?),
        }
    }

    /// The value of the digits. Errors: there are none, as in `.`.
    fn decimal_value(&self) -> Result<f64, Diagnostic> {
        decimal::parse(self.text).ok_or_else(|| self.error("literal-number", "literal-not-a-number"))
    }

    fn decimal(&self) -> Read {
        let value = self.decimal_value()?;
        match self.element_type.class() {
            Class::Float | Class::Complex => self.float(value),
            class => {
                // A value that saturates at 128 bits is out of range for every type.
                #[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
                let integer = (value.round() as i128).to_string();
                let inner = Reading { text: &integer, ..*self };
                if self.syntax == Syntax::UserInput && value.fract() == 0.0 {
                    return inner.integer();
                }
                let key =
                    if class == Class::Boolean { "literal-not-a-truth" } else { "literal-float-for-integer" };
                let error = self.error("literal-kind", key);
                Err(if inner.integer().is_ok() {
                    error.with_hint(self.replaced(integer.as_str()))
                } else {
                    error
                })
            }
        }
    }

    /// A finite number for a float type.
    fn float(&self, value: f64) -> Read {
        let Some(format) = FloatFormat::of(self.element_type) else { return Ok((Value::Float(value), None)) };
        if format.overflows(value) {
            let bound = |code| Value::Float(format.decode(code)).text(self.element_type, Exactness::Xla);
            let (low, high) = (bound(format.lowest()), bound(format.max()));
            let nearest = if value > 0.0 { &high } else { &low };
            return Err(self.out_of_range(&low, &high, nearest));
        }
        Ok((Value::Float(value), None))
    }

    /// `inf` and `nan`, with sign and payload.
    fn special(&self) -> Read {
        let Some(format) = FloatFormat::of(self.element_type) else {
            return Err(self.error("literal-kind", "literal-special-for-integer"));
        };
        let (negative, word) = self.text.strip_prefix('-').map_or((false, self.text), |word| (true, word));
        let signed = |value: f64| if negative { -value } else { value };
        let value = match word {
            "inf" => signed(f64::INFINITY),
            "nan" => signed(f64::NAN),
            _ => return self.payload(format, negative, word),
        };
        let is_representable =
            if word == "inf" { format.infinity().is_some() } else { format.nan().is_some() };
        if is_representable {
            return Ok((Value::Float(value), None));
        }
        let stored = Value::Float(value).text(self.element_type, Exactness::Xla);
        let mut warning = self.warning("literal-special", "literal-no-such-special");
        warning.message = warning.message.with("held", stored);
        Ok((Value::Float(value), Some(warning)))
    }

    /// `nan(0x1)`.
    fn payload(&self, format: FloatFormat, negative: bool, word: &str) -> Read {
        let digits = word.strip_prefix("nan(0x").and_then(|rest| rest.strip_suffix(')'));
        let payload = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let Some(payload) = payload else {
            return Err(self.error("literal-number", "literal-not-a-number"));
        };
        if format.kind != FloatKind::Ieee || payload == 0 || payload >> format.mantissa_bits != 0 {
            return Err(self.error("literal-range", "literal-nan-payload").with_hint(self.replaced("nan")));
        }
        let sign = if negative { format.sign_mask() } else { 0 };
        let code = sign | format.infinity().or_bug(0, "an IEEE format without infinity") | payload;
        Ok((Value::from_bits(self.element_type, code.into()), None))
    }

    fn out_of_range(&self, low: &str, high: &str, nearest: &str) -> Diagnostic {
        let mut error = self.error("literal-range", "literal-out-of-range");
        error.message = error.message.with("low", low).with("high", high);
        error.with_hint(self.replaced(nearest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as T;

    fn read(t: T, token: &str, syntax: Syntax) -> Result<Value, &'static str> {
        match number(t, token, Span::new(0, token.len()), syntax) {
            (_, Some(d)) if d.severity == Severity::Error => Err(d.rule),
            (value, _) => Ok(value),
        }
    }

    #[test]
    fn numbers_follow_the_rules_of_xla() {
        let cases = [
            (T::S8, "-128", Ok(Value::Int(-128))),
            (T::S8, "128", Err("literal-range")),
            (T::U8, "256", Err("literal-range")),
            (T::U32, "-1", Err("literal-range")),
            (T::U64, "18446744073709551615", Ok(Value::Uint(u64::MAX))),
            (T::S64, "-9223372036854775808", Ok(Value::Int(i64::MIN))),
            (T::S64, "99999999999999999999999999999999999999999999", Err("literal-range")),
            (T::S32, "1.5", Err("literal-kind")),
            (T::S32, "nan", Err("literal-kind")),
            (T::S32, "true", Err("literal-kind")),
            (T::S1, "-1", Ok(Value::Int(-1))),
            (T::S1, "1", Err("literal-range")),
            (T::Pred, "1", Ok(Value::Pred(true))),
            (T::Pred, "2", Err("literal-range")),
            (T::Pred, "1.0", Err("literal-kind")),
            (T::F32, "1e39", Err("literal-range")),
            (T::F64, "1e400", Err("literal-range")),
            (T::F16, "65519", Ok(Value::Float(65504.0))),
            (T::F16, "65520", Err("literal-range")),
            (T::F16, "70000", Err("literal-range")),
            (T::F8E4M3FN, "464", Ok(Value::Float(448.0))),
            (T::F4E2M1FN, "7", Err("literal-range")),
            (T::F8E8M0FNU, "0", Err("literal-range")),
            (T::F32, "-0", Ok(Value::Float(0.0))),
            (T::F32, "-0.0", Ok(Value::Float(-0.0))),
            (T::F32, "-inf", Ok(Value::Float(f64::NEG_INFINITY))),
            (T::F32, "+1", Err("literal-number")),
            (T::F32, "0x10", Err("literal-number")),
            (T::F32, "e5", Err("literal-number")),
            (T::F32, ".5", Err("literal-number")),
            (T::F32, "-.5", Ok(Value::Float(-0.5))),
            (T::F32, "1.e1", Ok(Value::Float(10.0))),
            (T::F32, "infinity", Err("literal-number")),
            (T::F32, "nan(0x1)", Ok(Value::from_bits(T::F32, 0x7F80_0001))),
            (T::F32, "-nan(0x3)", Ok(Value::from_bits(T::F32, 0xFF80_0003))),
            (T::F16, "nan(0x400)", Err("literal-range")),
            (T::F16, "nan(x)", Err("literal-number")),
        ];
        for (t, token, expected) in cases {
            match (read(t, token, Syntax::Hlo), expected) {
                (Ok(got), Ok(want)) => assert_eq!(got.to_bits(t), want.to_bits(t), "{t} {token}: {got:?}"),
                (got, want) => assert_eq!(got, want, "{t} {token}"),
            }
        }
    }

    #[test]
    fn typed_numbers_may_be_loosely_formatted() {
        let same = |t, token, want: Value| {
            assert!(read(t, token, Syntax::UserInput).is_ok_and(|got| got.same(want)), "{t} {token}");
        };
        same(T::F32, "+1", Value::Float(1.0));
        same(T::F32, "−∞", Value::Float(f64::NEG_INFINITY));
        same(T::F32, "NaN", Value::Float(f64::NAN));
        same(T::F32, "-0", Value::Float(-0.0));
        same(T::F32, ".5", Value::Float(0.5));
        same(T::S32, "3.0", Value::Int(3));
        same(T::S32, "-0.0", Value::Int(0));
        same(T::Pred, "TRUE", Value::Pred(true));
        assert_eq!(read(T::S32, "3.5", Syntax::UserInput), Err("literal-kind"));
        assert_eq!(read(T::F32, ".", Syntax::UserInput), Err("literal-number"));
        assert_eq!(read(T::S8, "300.0", Syntax::UserInput), Err("literal-range"));
    }

    #[test]
    fn an_error_offers_an_edit_and_a_missing_special_is_a_warning() {
        let (_, error) = number(T::U8, "256", Span::new(0, 3), Syntax::Hlo);
        assert_eq!(error.unwrap().hints[0].apply("256").as_deref(), Some("255"));
        let (value, warning) = number(T::F4E2M1FN, "inf", Span::new(0, 3), Syntax::Hlo);
        assert_eq!((value, warning.unwrap().severity), (Value::Float(6.0), Severity::Warning));
        let (_, warning) = number(T::F32, "-0", Span::new(0, 2), Syntax::Hlo);
        assert_eq!(warning.unwrap().hints[0].apply("-0").as_deref(), Some("-0.0"));
    }
}
