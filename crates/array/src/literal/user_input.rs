//! Parses array values that users type or paste: separated by commas or whitespace, flat or nested in braces, in the
//! brackets of `NumPy` and JSON, or without brackets (from a spreadsheet).
//!
//! A source with at most one level of brackets is flat: its values fill the array in row-major order. Deeper brackets must
//! match the dimensions of the array.

use super::super::value::parse::Syntax;
use super::super::{ArrayShape, Dims, ElementType, Value};
use super::ArrayLiteral;
use super::lexer::{Lexer, Token};
use super::parse::Parsed;
use super::reader::{Reader, fill, zero_text};
use xla_messages::bug::OrBug as _;
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Span};
use xla_messages::i18n::Message;

/// Parses the elements of an array of this type and these sizes; the result has the default layout.
pub fn parse_values(source: &str, element_type: ElementType, dimensions: &[i64]) -> Parsed<ArrayLiteral> {
    let shape = ArrayShape::new(element_type, dimensions.iter().copied());
    let mut literal = match ArrayLiteral::zeros(shape) {
        Ok(literal) => literal,
        Err(error) => return Parsed::from_error(error, 0),
    };
    let mut reader = Reader::new(source, 0, Syntax::UserInput);
    if bracket_depth(source, element_type) > 1 {
        reader.array(&literal.shape().clone(), &mut |index, value| {
            let _ = literal.set(index, value);
        });
        let (token, span) = reader.lexer.next();
        if token != Token::End {
            let rest = span.join(Span::at(source.trim_end().len()));
            reader.report(Diagnostic::error(rest, "literal-syntax", Message::new("literal-extra-text")));
        }
    } else {
        // Missing values stay zero; their count is reported.
        let values = reader.flat(&literal);
        literal.write_all(values);
    }
    Parsed { value: Some(literal), elided: reader.elided, diagnostics: reader.diagnostics, end: source.len() }
}

/// Parses one element of a type, as typed by a user.
pub fn parse_element(source: &str, element_type: ElementType) -> Parsed<Value> {
    let parsed = parse_values(source, element_type, &[]);
    let value = parsed.value.as_ref().and_then(|array: &ArrayLiteral| array.get(&[]));
    Parsed { value, elided: parsed.elided, diagnostics: parsed.diagnostics, end: parsed.end }
}

/// Infers the sizes of an array from its source: the lengths of the bracketed groups, one dimension per level; without
/// brackets, several values are one dimension, and a single one is a scalar. `None` if groups of a level differ in length,
/// or if a bracket is unmatched.
pub fn written_sizes(source: &str, element_type: ElementType) -> Option<Dims> {
    let mut lexer = Lexer::new(source, 0, Syntax::UserInput);
    let mut open: Vec<i64> = Vec::new();
    let mut sizes: Vec<Option<i64>> = Vec::new();
    let (mut unbracketed_count, mut value_depth) = (0, None);
    loop {
        let token = lexer.next().0;
        match token {
            Token::Open('(') if element_type.is_complex() => {
                while lexer.next().0 != Token::Close(')') {
                    if lexer.peek().0 == Token::End {
                        return None;
                    }
                }
            }
            Token::Open(_) => {
                if let Some(count) = open.last_mut() {
                    *count += 1;
                }
                open.push(0);
                sizes.resize(sizes.len().max(open.len()), None);
                continue;
            }
            Token::Close(_) => {
                let count = open.pop()?;
                if *sizes.get_mut(open.len())?.get_or_insert(count) != count {
                    return None;
                }
                continue;
            }
            Token::Word => {}
            Token::Comma => continue,
            Token::Dots => return None,
            Token::End => break,
        }
        *open.last_mut().unwrap_or(&mut unbracketed_count) += 1;
        if *value_depth.get_or_insert(open.len()) != open.len() {
            return None;
        }
    }
    let is_consistent = open.is_empty() && value_depth.is_none_or(|depth| depth == sizes.len());
    match unbracketed_count {
        _ if !is_consistent => None,
        0 if sizes.is_empty() => None,
        0 => sizes.into_iter().collect(),
        1 => Some(Dims::new()),
        count => Some([count].into_iter().collect()),
    }
}

/// The span of an element in a source, by its number in row-major order; `None` if the source has fewer.
pub fn element_span(source: &str, element_type: ElementType, number: usize) -> Option<Span> {
    let mut lexer = Lexer::new(source, 0, Syntax::UserInput);
    let mut found = 0_usize;
    loop {
        let (token, mut span) = lexer.next();
        match token {
            Token::Open('(') if element_type.is_complex() => loop {
                let (token, next) = lexer.next();
                span = span.join(next);
                match token {
                    Token::Close(')') => break,
                    Token::End => return None,
                    _ => {}
                }
            },
            Token::Word => {}
            Token::End | Token::Dots => return None,
            Token::Open(_) | Token::Close(_) | Token::Comma => continue,
        }
        if found == number {
            return Some(span);
        }
        found += 1;
    }
}

/// The nesting depth of brackets, except those of complex numbers.
fn bracket_depth(source: &str, element_type: ElementType) -> usize {
    let mut lexer = Lexer::new(source, 0, Syntax::UserInput);
    let (mut depth, mut deepest) = (0_usize, 0);
    loop {
        match lexer.next().0 {
            Token::Open('(') | Token::Close(')') if element_type.is_complex() => {}
            Token::Open(_) => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            Token::Close(_) => depth = depth.saturating_sub(1),
            Token::End => return deepest,
            Token::Comma | Token::Dots | Token::Word => {}
        }
    }
}

impl Reader<'_> {
    /// Reads values in at most one pair of brackets.
    fn flat(&mut self, literal: &ArrayLiteral) -> Vec<Value> {
        let element_type = literal.element_type();
        let elements = literal.memory_map().elements();
        let size = usize::try_from(elements).or_bug(0, "a literal has more than `MAX_SLOTS` slots");
        let mut values = Vec::new();
        let mut bracket: Option<Span> = None;
        let mut found = 0_usize;
        let (mut kept_end, mut last_end) = (0, 0);
        let mut first_extra = None;
        let end = loop {
            let (token, span) = self.lexer.next();
            match token {
                Token::Comma | Token::Word => {}
                Token::Dots => self.elide(span),
                Token::Open('(') if element_type.is_complex() => {}
                Token::Open(_) => {
                    bracket = Some(span);
                    kept_end = if found == 0 { span.end } else { kept_end };
                }
                Token::Close(_) => {
                    if bracket.take().is_none() {
                        let message = Message::new("literal-extra-text");
                        self.report(Diagnostic::error(span, "literal-syntax", message));
                    }
                }
                Token::End => break span.start,
            }
            let is_value = token == Token::Word || token == Token::Open('(') && element_type.is_complex();
            if is_value {
                let value = self.value(element_type, token, span);
                last_end = self.lexer.at;
                if found < size {
                    // A malformed element was reported; it becomes zero.
                    values.push(value.unwrap_or(Value::from_bits(element_type, 0)));
                    kept_end = last_end;
                } else {
                    first_extra.get_or_insert(span.start);
                }
                found += 1;
            }
        };
        if let Some(open) = bracket {
            let close = if self.lexer.text(open) == "[" { "]" } else { "}" };
            self.unclosed_at(open, close.to_owned(), end);
        }
        if found != size && !self.elided {
            let message = Message::new("literal-value-count").with("size", elements).with("found", found);
            let error = |span| Diagnostic::error(span, "literal-count", message);
            let diagnostic = if let Some(first) = first_extra {
                let edits = vec![Edit { span: Span::new(kept_end, last_end), text: String::new() }];
                let hint = Hint { message: Message::new("literal-hint-remove"), edits };
                error(Span::new(first, last_end)).with_hint(hint)
            } else {
                let found = i64::try_from(found).or_bug(0, "fewer values than elements");
                let zero = zero_text(element_type, 1);
                error(Span::at(kept_end)).with_hint(fill(kept_end, found, elements - found, &zero))
            };
            self.report(diagnostic);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_sizes_are_the_lengths_of_nested_groups() {
        let sizes = |text| written_sizes(text, ElementType::S32).map(|sizes| sizes.to_vec());
        assert_eq!(sizes("5"), Some(vec![]));
        assert_eq!(sizes("1, 2 3"), Some(vec![3]));
        assert_eq!(sizes("{1,2,3}"), Some(vec![3]));
        assert_eq!(sizes("[[1, 2, 3], [4, 5, 6]]"), Some(vec![2, 3]));
        assert_eq!(sizes("{{}, {}}"), Some(vec![2, 0]));
        for ragged in ["", "{{1,2},{3}}", "{1,{2}}", "{1", "1}", "{1} 2", "{...}"] {
            assert_eq!(sizes(ragged), None, "{ragged}");
        }
        let complex = written_sizes("{(1, 2), (3, 4)}", ElementType::C64);
        assert_eq!(complex.map(|sizes| sizes.to_vec()), Some(vec![2]));
        assert_eq!(written_sizes("{(1, 2", ElementType::C64), None);
    }
}
