//! Values as short texts, for the table of a loop's iterations.

use xla_array::index::multi_index;
use xla_ops::Data;

/// Maximum length of a number's text, so that table columns stay narrow.
const MAX_NUMBER_CHARS: usize = 9;
/// Maximum number of elements that are listed; larger arrays are summarized by their shape.
const MAX_LISTED_ELEMENTS: i64 = 12;

/// The elements of a value if there are few, else its shape.
pub fn summary(data: &Data) -> String {
    match data {
        Data::Array(array) if array.memory_map().elements() <= MAX_LISTED_ELEMENTS => {
            let element_type = array.element_type();
            let sizes = &array.shape().dimensions;
            let indices = (0..array.memory_map().elements()).map(|n| multi_index(n, sizes));
            let text =
                |index: xla_array::Dims| Some(array.get(&index)?.short(element_type, MAX_NUMBER_CHARS));
            let texts: Vec<String> = indices.filter_map(text).collect();
            if array.shape().rank() == 0 { texts.join("") } else { format!("{{{}}}", texts.join(", ")) }
        }
        Data::Array(array) => array.shape().human_string(),
        Data::Tuple(elements) => {
            format!("({})", elements.iter().map(summary).collect::<Vec<_>>().join(", "))
        }
        Data::Token => "token".to_owned(),
    }
}

/// Maximum number of summarized tuple elements, which are the columns of the table.
pub const MAX_SUMMARIES: usize = 32;

/// Summaries of the elements of a tuple, at most [`MAX_SUMMARIES`], or of a value that is not a tuple.
pub fn element_summaries(data: &Data) -> Vec<String> {
    match data {
        Data::Tuple(elements) => elements.iter().take(MAX_SUMMARIES).map(summary).collect(),
        other => vec![summary(other)],
    }
}
