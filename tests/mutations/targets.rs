//! The invariants of any text, and of any file of arrays. The fuzz targets of `fuzz/` call the same functions.

use std::io::Cursor;

use xla_playground::array::literal::shaped::parse_shaped;
use xla_playground::array::value::text::Exactness;
use xla_playground::array::{Literal, MemoryMap, Shape, shape_util, text};
use xla_playground::diagnostic::Diagnostic;
use xla_playground::files::{ArgumentReader, FileError, Format};
use xla_playground::hlo::{Evaluator, Limits, Module, PrintOptions, parse};
use xla_playground::i18n::Language;
use xla_playground::stablehlo;

/// Every diagnostic has a span, applicable fixes, and messages.
fn diagnostics(found: &[Diagnostic], text: &str) {
    for d in found.iter().take(100) {
        assert!(text.get(d.span.range()).is_some(), "{d:?} has no valid span");
        for hint in &d.hints {
            assert!(hint.edits.is_empty() || hint.apply(text).is_some(), "{hint:?} cannot be applied");
        }
    }
    for language in Language::all() {
        assert!(found.first().is_none_or(|d| !d.render(text, language).is_empty()));
    }
}

/// The text of a shape with its layout: if it is valid, it prints to text that parses as the same.
pub fn shape(source: &str) -> bool {
    let parsed = text::parse(source);
    diagnostics(&parsed.diagnostics, source);
    let Some(shape) = parsed.valid() else { return false };
    for printed in [shape.to_string(), shape.xla_text()] {
        let again = text::parse_embedded(&printed);
        assert!(again.error().is_none(), "{:?} in the printed {printed}", again.error());
    }
    let again = text::parse_embedded(&shape.to_string());
    assert_eq!(again.shape.as_ref(), Some(shape), "print ∘ parse is not the identity");
    if let Shape::Array(array) = shape
        && let Ok(map) = MemoryMap::new(array)
    {
        assert!(map.slot_count() >= map.elements() && map.bytes() >= 0);
    }
    true
}

/// Maximum number of elements of a literal to print.
const MAX_PRINTED: i64 = 1 << 16;

/// A shape followed by a literal: if it is valid, it prints to text that parses as the same.
pub fn literal(source: &str) -> bool {
    let parsed = parse_shaped(source);
    diagnostics(&parsed.diagnostics, source);
    let is_ok = parsed.is_ok() && !parsed.elided;
    let Some(value) = parsed.value.filter(|_| is_ok) else { return false };
    if shape_util::elements_in(&value.shape()).is_none_or(|count| count > MAX_PRINTED) {
        return false;
    }
    let printed = value.text_with_shape(Exactness::RoundTrip);
    let again = parse_shaped(&printed);
    assert!(again.is_ok(), "{:?} in the printed {printed}", again.diagnostics);
    let again = again.value.map(|value| value.text_with_shape(Exactness::RoundTrip));
    assert_eq!(again.as_ref(), Some(&printed), "print ∘ parse is not the identity");
    true
}

/// Runs a module on zeros, to a value or an error.
fn run(module: &Module, limits: Limits) -> bool {
    let Some(interface) = module.interface() else { return false };
    let is_small = |shape| shape_util::elements_in(shape).is_some_and(|count| count <= 4096);
    let zeros = |shape| Literal::zeros(shape).ok().filter(|_| is_small(shape));
    let Some(arguments) = interface.parameters.iter().map(zeros).collect::<Option<Vec<_>>>() else {
        return false;
    };
    Evaluator::new(module).limits(limits).run(&arguments).is_ok()
}

/// How far a module got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Came {
    /// It has errors.
    Read,
    /// It was printed and parsed again.
    Printed,
    /// It ran to a value.
    Ran,
}

/// HLO text: if it has no errors, it prints to text that parses as the same module, and runs within `limits`, if
/// given, to a value or an error.
pub fn module(source: &str, options: PrintOptions, limits: Option<Limits>) -> Came {
    let parsed = parse(source);
    diagnostics(&parsed.diagnostics, source);
    if parsed.error().is_some() {
        return Came::Read;
    }
    let printed = parsed.module.text(options);
    let again = parse(&printed);
    assert!(again.error().is_none(), "{:?} in the printed text\n{printed}", again.error());
    assert_eq!(again.module.text(options), printed, "print ∘ parse is not the identity");
    if limits.is_some_and(|limits| run(&parsed.module, limits)) { Came::Ran } else { Came::Printed }
}

/// `StableHLO` text: it is read to a module, which runs within `limits` to a value or an error, or has errors within the text.
pub fn stablehlo(source: &str, limits: Limits) -> Came {
    let parsed = stablehlo::parse(source);
    diagnostics(&parsed.diagnostics, source);
    if parsed.error().is_some() {
        return Came::Read;
    }
    if run(&parsed.module, limits) { Came::Ran } else { Came::Printed }
}

/// Maximum number of bytes of the values of a file.
const MAX_FILE_VALUES_BYTES: u64 = 1 << 20;

/// A file of arrays, read in each form: to at most as many values as there are parameters, within the memory limit, or to an
/// error. Returns whether it is an array or an archive.
pub fn file(bytes: &[u8]) -> bool {
    let parameters = ["f32[12]", "s4[48]", "bf16[24]", "pred[7]{0:E(1)}"].map(|shape| shape.parse().unwrap());
    let parameters: Vec<&Shape> = parameters.iter().collect();
    let read = |form, parameters: &[&Shape], length| {
        let mut reading = ArgumentReader::new(MAX_FILE_VALUES_BYTES, &|| false);
        match reading.read("x", form, &mut Cursor::new(bytes), length, parameters) {
            Ok(values) => {
                let slots: i64 =
                    values.iter().map(|value| shape_util::elements_in(&value.shape()).unwrap()).sum();
                assert!(values.len() <= parameters.len().max(1));
                assert!(u64::try_from(slots).unwrap() <= MAX_FILE_VALUES_BYTES);
                true
            }
            Err(FileError::Rejected { message, .. }) => {
                assert!(Language::all().all(|language| !message.localize(language).is_empty()));
                false
            }
            Err(FileError::Cancelled) => panic!("nothing stops it"),
        }
    };
    let length = Some(bytes.len() as u64);
    let mut is_read = read(Format::Npy, &[], length) | read(Format::Npz, &parameters, length);
    for from in 0..parameters.len() {
        is_read |= read(Format::Npy, &parameters[from..], length);
        read(Format::Raw, &parameters[from..], length);
        // As a pipe.
        assert!(
            read(Format::Raw, &parameters[from..], None) == read(Format::Raw, &parameters[from..], length)
        );
    }
    read(Format::Json, &[], length);
    is_read
}
