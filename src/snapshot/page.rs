//! The page that shows a snapshot: the site's template (`snapshot.html`) with the snapshot embedded. The page is one file,
//! which loads nothing.

use miniz_oxide::deflate::compress_to_vec_zlib;

use super::Snapshot;
use crate::escape::{
    self,
    base64::{self, Alphabet},
};

/// The start of the element that holds the snapshot: a JSON string with the base64 of the zlib-compressed bytes.
const DATA_ELEMENT: &str = "<script type=\"application/json\" id=\"snapshot\">";

/// The title element of the template, which is replaced.
const TITLE_ELEMENT: &str = "<title>XLA Playground</title>";

/// The zlib level, from 1 to 10: higher ones are slow and gain little.
const COMPRESSION_LEVEL: u8 = 7;

/// The page of a snapshot; `None` if the template is invalid.
pub fn page(template: &str, snapshot: &Snapshot) -> Option<String> {
    let (head, rest) = template.split_once(TITLE_ELEMENT)?;
    let (before, after) = rest.split_once(DATA_ELEMENT)?;
    let title = escape::xml(&snapshot.title);
    let data =
        base64::encode(&compress_to_vec_zlib(&snapshot.to_bytes(), COMPRESSION_LEVEL), Alphabet::Standard);
    Some(format!("{head}<title>{title}</title>{before}{DATA_ELEMENT}\"{data}\"{after}"))
}
