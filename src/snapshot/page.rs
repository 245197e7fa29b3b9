//! The page that shows a snapshot: a template that the site has (`snapshot.html`), with the snapshot in it. The page is
//! one file, which loads nothing.

use miniz_oxide::deflate::compress_to_vec_zlib;

use super::Snapshot;
use crate::escape::{
    self,
    base64::{self, Alphabet},
};

/// The element of the template that gets the snapshot, a JSON string: base64 of the zlib-compressed bytes.
const ELEMENT: &str = "<script type=\"application/json\" id=\"snapshot\">";

/// The title of the template.
const TITLE: &str = "<title>XLA Playground</title>";

/// The level of compression: 1 to 10, where higher ones are slow and gain little.
const COMPRESSION_LEVEL: u8 = 7;

/// The page of a snapshot; `None` if the template is none.
pub fn page(template: &str, snapshot: &Snapshot) -> Option<String> {
    let (head, rest) = template.split_once(TITLE)?;
    let (before, after) = rest.split_once(ELEMENT)?;
    let title = escape::xml(&snapshot.title);
    let data =
        base64::encode(&compress_to_vec_zlib(&snapshot.to_bytes(), COMPRESSION_LEVEL), Alphabet::Standard);
    Some(format!("{head}<title>{title}</title>{before}{ELEMENT}\"{data}\"{after}"))
}
