//! Texts in links: percent-encoded, compressed, or the key of text that the tab keeps.

use super::source_text::SourceText;
use crate::state::compression::COMPRESSION;
use crate::state::permalink::{LONG_LINK_CHARS, MAX_READABLE_CHARS, encode};

/// Maximum bytes of text that may fit in a link: HLO compresses about eightfold.
const MAX_PACKED_BYTES: usize = 1 << 16;

/// Packs text as the program of a link.
pub(super) fn pack_text(text: &SourceText) -> String {
    let stored = || format!("!{}", text.key());
    if text.text().len() > MAX_PACKED_BYTES {
        return stored();
    }
    let readable = format!("t.{}", encode(&escape_fields(text.text())));
    if readable.len() <= MAX_READABLE_CHARS {
        return readable;
    }
    let packed = (COMPRESSION.pack)(text.text()).map(|packed| format!("z.{packed}"));
    let shorter = packed.filter(|packed| packed.len() < readable.len()).unwrap_or(readable);
    if shorter.len() <= LONG_LINK_CHARS { shorter } else { stored() }
}

/// Escapes the character that ends a field.
pub(super) fn escape_fields(text: &str) -> String {
    text.replace('%', "%25").replace(';', "%3B")
}

/// The inverse of [`escape_fields`].
pub(super) fn unescape_fields(text: &str) -> String {
    text.replace("%3B", ";").replace("%25", "%")
}
