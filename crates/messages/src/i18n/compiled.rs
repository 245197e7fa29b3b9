//! Shared by the build script and the program: the format of a compiled message, and the plural rules.
//!
//! The build script includes this file too. A compiled catalogue is one text of keys, and for each language one text
//! of patterns in the order of the keys, both separated by [`SEPARATOR`]. A pattern is text with marks:
//!
//! - [`ARGUMENT`] name [`NAME_END`]: the value of an argument.
//! - [`SELECT`] name [`NAME_END`], then [`VARIANT`] key [`NAME_END`] pattern for each variant, then [`DEFAULT`]
//!   pattern [`END`]: the first variant that the argument matches, else the default.

/// Between two keys and between two patterns.
pub const SEPARATOR: char = '\u{7}';
/// Ends the name of an argument and the key of a variant.
pub const NAME_END: char = '\u{1}';
/// Begins the name of an argument whose value is inserted.
pub const ARGUMENT: char = '\u{2}';
/// Begins the name of an argument that selects a variant.
pub const SELECT: char = '\u{3}';
/// Begins the key of a variant.
pub const VARIANT: char = '\u{4}';
/// Begins the default variant.
pub const DEFAULT: char = '\u{5}';
/// Ends the variants.
pub const END: char = '\u{6}';

/// The CLDR plural category of a cardinal integer, by its absolute value.
pub type PluralRule = fn(u64) -> &'static str;

/// The plural rule of a language tag; `None` if this table must be extended.
pub fn plural_rule(tag: &str) -> Option<PluralRule> {
    match tag {
        "en" => Some(|count| if count == 1 { "one" } else { "other" }),
        "zh-Hans" => Some(|_| "other"),
        _ => None,
    }
}
