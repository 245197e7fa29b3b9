//! Attributes as numbers and lists.

use crate::ast::{Attr, Op};
use crate::lexer::{Kind, Lexer};

/// A list of integers: `[0, 1]`, `array<i64: 0, 1>`, `dense<[0, 1]>`, with a splat repeated.
pub(super) fn integers(attr: &Attr<'_>) -> Option<Vec<i64>> {
    match attr {
        Attr::Word(text) => Some(vec![integer(text)?]),
        Attr::List(items) => {
            let mut all = Vec::new();
            for item in items {
                match item {
                    Attr::List(inner) => {
                        for number in inner {
                            let Attr::Word(text) = number else { return None };
                            all.push(integer(text)?);
                        }
                    }
                    Attr::Word(text) => all.push(integer(text)?),
                    _ => return None,
                }
            }
            Some(all)
        }
        Attr::Dense(text, ty) => {
            let count = ty.sizes().iter().try_fold(1_i64, |count, size| count.checked_mul(*size))?;
            let count = usize::try_from(count).ok().filter(|count| *count < 1 << 20)?;
            let mut numbers = Vec::new();
            let mut lexer = Lexer::new(text, 0);
            loop {
                let token = lexer.bump();
                match token.kind {
                    Kind::Number | Kind::Word => numbers.push(integer(lexer.text(token.span))?),
                    Kind::End => break,
                    Kind::String => return None,
                    _ => {}
                }
            }
            if let [splat] = numbers[..] {
                numbers = vec![splat; count];
            }
            (numbers.len() == count).then_some(numbers)
        }
        _ => None,
    }
}

fn integer(text: &str) -> Option<i64> {
    match text {
        "true" => Some(1),
        "false" => Some(0),
        _ => text.parse().ok(),
    }
}

/// The integers of an op's attribute; `None` if it is missing or has another form.
pub(super) fn list(op: &Op<'_>, name: &str) -> Option<Vec<i64>> {
    integers(op.attr(name)?)
}

/// The integer of an op's attribute; the first of a list.
pub(super) fn one(op: &Op<'_>, name: &str) -> Option<i64> {
    list(op, name)?.first().copied()
}

/// A Boolean; false if it is absent.
pub(super) fn flag(op: &Op<'_>, name: &str) -> bool {
    one(op, name) == Some(1)
}

/// The last word of an attribute that is an enumeration: `LT` of `#stablehlo<comparison_direction LT>`.
pub(super) fn word<'s>(op: &Op<'s>, name: &str) -> Option<&'s str> {
    match op.attr(name)? {
        Attr::Word(text) | Attr::String(text) | Attr::Text(text) => {
            text.trim_end_matches('>').rsplit([' ', '<', '.']).next()
        }
        _ => None,
    }
}

/// The numbers of a field within `#stablehlo.gather<…>`; empty if it has none.
pub(super) fn field(op: &Op<'_>, attribute: &str, name: &str) -> Vec<i64> {
    let Some(Attr::Text(text)) = op.attr(attribute) else { return Vec::new() };
    let mut lexer = Lexer::new(text, 0);
    let mut numbers = Vec::new();
    loop {
        let token = lexer.bump();
        if token.kind == Kind::End {
            return numbers;
        }
        if token.kind != Kind::Word || lexer.text(token.span) != name {
            continue;
        }
        loop {
            let token = lexer.bump();
            match token.kind {
                Kind::Number => numbers.extend(lexer.text(token.span).parse::<i64>()),
                Kind::Punct('[' | '=') => {}
                Kind::Punct(',') if !numbers.is_empty() && is_in_list(text, token.span.start) => {}
                _ => return numbers,
            }
        }
    }
}

/// Whether a comma separates numbers: the bracket before it is open.
fn is_in_list(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('[') > before.rfind(']')
}

/// Numbers in braces.
pub(super) fn braces(numbers: &[i64]) -> String {
    format!("{{{}}}", joined(numbers, ","))
}

/// Numbers joined by a separator.
pub(super) fn joined(numbers: &[i64], separator: &str) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(separator)
}
