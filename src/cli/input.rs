//! Parses the shape arguments of a command.

use super::arguments::ShapeArgs;
use super::colour::print_diagnostic;
use super::output::Failure;
use crate::array::text::{Parsed, parse_spec};
use crate::array::{ArrayShape, MemoryMap, PaddingValue, Shape};
use crate::diagnostic::{Diagnostic, Hint, Severity, Span};
use crate::i18n::Message;

/// A valid shape and its source text.
pub(super) struct Input {
    pub source: String,
    pub parsed: Parsed,
    pub shape: Shape,
}

/// Parses the shape and adds the padding of the options; prints warnings on standard error.
pub(super) fn read(args: &ShapeArgs) -> Result<Input, Failure> {
    let input = valid(&args.shape)?;
    let input = match padded_text(&input, args)? {
        Some(text) => valid(&text)?,
        None => input,
    };
    for warning in input.parsed.diagnostics.iter().filter(|d| d.severity == Severity::Warning) {
        print_diagnostic(warning, &input.source);
    }
    Ok(input)
}

/// A shape without further options.
pub(super) fn valid(source: &str) -> Result<Input, Failure> {
    let parsed = parse_spec(source);
    match (parsed.valid().cloned(), parsed.error()) {
        (Some(shape), _) => Ok(Input { source: source.to_owned(), parsed, shape }),
        (None, Some(error)) => Err(Failure::Input {
            diagnostic: Box::new(error.clone()),
            source: source.to_owned(),
            shape: parsed.shape.as_ref().filter(|_| !error.rule.starts_with("text-")).map(Shape::xla_text),
        }),
        (None, None) => {
            let nothing = Diagnostic::error(Span::default(), "text-empty", Message::terminal("text-empty"));
            Err(Failure::input(nothing, source))
        }
    }
}

/// The shape text with the padding of the options, if there are any.
fn padded_text(input: &Input, args: &ShapeArgs) -> Result<Option<String>, Failure> {
    if args.padded.is_none() && args.pad_value.is_none() {
        return Ok(None);
    }
    let Shape::Array(array) = &input.shape else {
        return Err(not_an_array(&input.source));
    };
    let given = array.layout.as_ref().and_then(|layout| layout.padding.clone());
    let sizes = match (&args.padded, &given) {
        (Some(sizes), _) => sizes.trim().trim_start_matches('[').trim_end_matches(']').to_owned(),
        (None, Some(padding)) => padding.dimensions.iter().map(i64::to_string).collect::<Vec<_>>().join(","),
        (None, None) => String::new(),
    };
    let value = args.pad_value.as_deref();
    let value = value.unwrap_or_else(|| given.map_or(PaddingValue::Invalid, |p| p.value).word());
    Ok(Some(format!("{} padded[{sizes}]={value}", array.xla_text())))
}

fn not_an_array(source: &str) -> Failure {
    let span = Span::new(0, source.len());
    let diagnostic = Diagnostic::error(span, "cli-not-an-array", Message::terminal("cli-not-an-array"));
    Failure::input(diagnostic.with_hint(Hint::advice(Message::terminal("cli-hint-one-array"))), source)
}

impl Input {
    /// The single array of the shape (also of a buffer), with its memory map.
    pub fn array(&self) -> Result<(&ArrayShape, MemoryMap), Failure> {
        let array = match &self.shape {
            Shape::Array(array) => array,
            Shape::Buffer(array) => array,
            _ => return Err(not_an_array(&self.source)),
        };
        match MemoryMap::new(array) {
            Ok(map) => Ok((array, map)),
            Err(violation) => {
                Err(Failure::input(self.parsed.diagnose(&self.source, violation), &self.source))
            }
        }
    }
}
