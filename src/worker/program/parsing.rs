//! Text as a module, in whichever dialect it is written.

use crate::hlo::Parsed;
use crate::stablehlo::{self, Dialect, dialect};

/// Parses text.
pub fn parse(text: &str) -> (Dialect, Parsed) {
    match dialect(text) {
        Dialect::Hlo => (Dialect::Hlo, crate::hlo::parse(text)),
        Dialect::StableHlo => (Dialect::StableHlo, stablehlo::parse(text)),
    }
}
