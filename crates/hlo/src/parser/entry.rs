//! The functions that parse or lower a whole text.

use super::lower::{self, Lowered};
use super::parsed::Parsed;
use super::state::MAX_TEXT_BYTES;
use super::steps::parse_once;
use xla_array::Edition;

/// Parses a module by the rules of current XLA.
///
/// ```
/// let parsed = xla_hlo::parse("HloModule m  ENTRY e { x = f32[2,3] parameter(0) ROOT y = negate(x) }");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.module.entry_computation().and_then(|e| e.root_instruction()).map(|r| r.shape.to_string()),
///            Some("f32[2,3]{1,0}".to_owned()));
/// ```
pub fn parse(source: &str) -> Parsed {
    parse_edition(source, Edition::Current)
}

/// Parses a module by the rules of an edition. Forms of the builder of XLA 2017 are lowered in that edition: the module
/// has the lowered instructions, a note says so, and spans are those of the source.
pub fn parse_edition(source: &str, edition: Edition) -> Parsed {
    lower::parsed(source, parse_once(source, edition), |text| parse_once(text, edition))
}

/// Lowers the builder forms of XLA 2017 in the text to plain HLO. The text is returned unchanged if it has errors other than wrong
/// result shapes, and in current XLA, where builder forms are errors with fixes.
///
/// ```
/// use xla_array::Edition;
///
/// let lowered = xla_hlo::lower(
///     "HloModule m ENTRY e { v = f32[4,2,3] parameter(0) ROOT r = collapse(v), dimensions={-2,x} }",
///     Edition::V2017,
/// );
/// assert!(lowered.text.contains("ROOT r = f32[4,6] reshape(v)"), "{}", lowered.text);
/// assert_eq!(lowered.notes[0].rule, "builder-collapse");
/// ```
pub fn lower(source: &str, edition: Edition) -> Lowered {
    if edition == Edition::Current || source.len() > MAX_TEXT_BYTES {
        return Lowered::unchanged(source);
    }
    lower::lower(source, |text| parse_once(text, edition))
}
