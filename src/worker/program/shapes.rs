//! Shapes and texts of bounded length.

use crate::array::Shape;

/// Maximum characters of a shape in a list.
const MAX_SHAPE_CHARS: usize = 60;

/// Text of at most this many characters.
pub fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The shape of a value in a list.
pub fn short_shape(shape: &Shape) -> String {
    shorten(&shape.to_string(), MAX_SHAPE_CHARS)
}
