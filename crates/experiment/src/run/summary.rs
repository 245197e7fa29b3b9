//! Values as short texts, for tables of what a loop carries.

use xla_array::index::index_of;
use xla_ops::Data;

/// The longest text of a number, in characters.
const MAX_NUMBER_CHARS: usize = 9;

/// A value in few words: its elements where they are few, else its shape. For tables of carried values.
pub fn summary(data: &Data) -> String {
    match data {
        Data::Array(array) if array.map().elements() <= 12 => {
            let of = array.element_type();
            let sizes = &array.shape().dimensions;
            let numbers = (0..array.map().elements()).map(|n| index_of(n, sizes));
            let texts: Vec<String> =
                numbers.filter_map(|index| Some(array.get(&index)?.short(of, MAX_NUMBER_CHARS))).collect();
            if array.shape().rank() == 0 { texts.join("") } else { format!("{{{}}}", texts.join(", ")) }
        }
        Data::Array(array) => array.shape().human_string(),
        Data::Tuple(elements) => {
            format!("({})", elements.iter().map(summary).collect::<Vec<_>>().join(", "))
        }
        Data::Token => "token".to_owned(),
    }
}

/// The most parts of a value that are written.
pub const MAX_PARTS: usize = 32;

/// The parts of a value, each in few words; of many the first [`MAX_PARTS`].
pub fn parts(data: &Data) -> Vec<String> {
    match data {
        Data::Tuple(elements) => elements.iter().take(MAX_PARTS).map(summary).collect(),
        other => vec![summary(other)],
    }
}
