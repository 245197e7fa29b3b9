//! Constants: a splat is a scalar and a broadcast, everything else a literal.

use super::{Body, Translator};
use crate::ast::{Attr, Op, Type};
use crate::lexer::{Kind, Lexer};
use xla_array::ElementType;
use xla_array::Value;
use xla_array::value::text::Exactness;
use xla_messages::i18n::Message;

/// Maximum number of elements of one constant.
const MAX_ELEMENTS: i64 = 1 << 24;

impl<'a, 's> Translator<'a, 's> {
    pub(super) fn constant(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let read = match op.attr("value") {
            Some(Attr::Dense(text, ty)) => elements(text, ty).map(|values| (values, ty.clone())),
            Some(Attr::Resource("__elided__", _)) => {
                let message = Message::stablehlo("stablehlo-elided");
                return self.reject(op, message, Some("stablehlo-hint-elided"));
            }
            Some(Attr::Resource(name, ty)) => {
                let blob = self.module.resources.iter().find(|(known, _)| known == name);
                // The first four bytes are the alignment.
                let digits = blob.and_then(|(_, text)| text.strip_prefix("0x")?.get(8..));
                digits.and_then(|digits| elements_from_bytes(digits, ty)).map(|values| (values, ty.clone()))
            }
            _ => None,
        };
        let Some((values, ty)) = read else { return self.malformed(op, "value") };
        let scalar = ty.with_sizes(&[]).shape();
        let dimensions = ty.sizes();
        if let [only] = &values[..]
            && !dimensions.is_empty()
        {
            let name = body.line("constant", &scalar, &format!("constant({only})"), op.span);
            return self.emit(body, op, &format!("broadcast({name}), dimensions={{}}"));
        }
        if values.is_empty() {
            let zero = if ty.element() == Some(ElementType::Pred) { "false" } else { "0" };
            let zero = if ty.element().is_some_and(ElementType::is_complex) { "(0, 0)" } else { zero };
            let name = body.line("constant", &scalar, &format!("constant({zero})"), op.span);
            return self.emit(body, op, &format!("broadcast({name}), dimensions={{}}"));
        }
        let mut text = String::new();
        write_nested(&mut text, &mut values.iter(), &dimensions);
        self.emit(body, op, &format!("constant({text})"))
    }
}

/// Writes values in nested braces.
fn write_nested<'v>(out: &mut String, values: &mut impl Iterator<Item = &'v String>, dimensions: &[i64]) {
    let Some((size, inner)) = dimensions.split_first() else {
        out.push_str(values.next().map_or("0", String::as_str));
        return;
    };
    out.push('{');
    for at in 0..*size {
        if at > 0 {
            out.push_str(", ");
        }
        write_nested(out, values, inner);
    }
    out.push('}');
}

/// The elements of a `dense<…>`; one for a splat.
fn elements(text: &str, ty: &Type) -> Option<Vec<String>> {
    let count = count(ty)?;
    let element = ty.element()?;
    if let Some(digits) = text.trim().strip_prefix("\"0x") {
        return elements_from_bytes(digits.strip_suffix('"')?, ty);
    }
    let mut values = Vec::new();
    let mut lexer = Lexer::new(text, 0);
    loop {
        let token = lexer.bump();
        match token.kind {
            Kind::Number | Kind::Word => values.push(number(lexer.text(token.span), element)?),
            Kind::End => break,
            Kind::Punct('[' | ']' | ',' | '(' | ')') => {}
            _ => return None,
        }
    }
    if element.is_complex() {
        let pairs = values.chunks(2).map(|pair| match pair {
            [re, im] => Some(format!("({re}, {im})")),
            _ => None,
        });
        values = pairs.collect::<Option<_>>()?;
    }
    (values.len() == 1 || values.len() == count).then_some(values)
}

fn count(ty: &Type) -> Option<usize> {
    let mut count = 1_i64;
    for size in ty.sizes() {
        count = count.checked_mul(size).filter(|count| (0..=MAX_ELEMENTS).contains(count))?;
    }
    usize::try_from(count).ok()
}

/// A number as HLO writes it; hexadecimal digits are the bits of a float.
pub(super) fn number(text: &str, element: ElementType) -> Option<String> {
    if element == ElementType::Pred {
        return matches!(text, "true" | "false").then(|| text.to_owned());
    }
    let Some(digits) = text.strip_prefix("0x") else {
        return text.parse::<f64>().ok().map(|_| text.to_owned());
    };
    let bits = u64::from_str_radix(digits, 16).ok()?;
    let element = element.component().unwrap_or(element);
    Some(number_from_bits(bits, element))
}

/// The number with these bits, as HLO writes it.
fn number_from_bits(bits: u64, element: ElementType) -> String {
    Value::from_bits(element, bits.into()).text(element, Exactness::RoundTrip)
}

/// The elements of little-endian bytes in hexadecimal digits; one for a splat. Booleans (`pred`) have a byte or a bit each.
fn elements_from_bytes(digits: &str, ty: &Type) -> Option<Vec<String>> {
    let digits = digits.as_bytes();
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let bytes: Vec<u64> = digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(u64::from(digit(high)? * 16 + digit(low)?)),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let (count, element) = (count(ty)?, ty.element()?);
    if element == ElementType::Pred && bytes.len() != count && bytes.len() == count.div_ceil(8) {
        return Some((0..count).map(|at| (bytes[at / 8] >> (at % 8) & 1 != 0).to_string()).collect());
    }
    let part = element.component().unwrap_or(element);
    let width = usize::from(part.bits()).div_ceil(8);
    let value =
        |bytes: &[u64]| number_from_bits(bytes.iter().rev().fold(0, |all, byte| all << 8 | byte), part);
    let mut values: Vec<String> = bytes.chunks(width).map(value).collect();
    if element.is_complex() {
        values = values.chunks(2).map(|pair| format!("({})", pair.join(", "))).collect();
    }
    (values.len() == count || values.len() == 1).then_some(values)
}
