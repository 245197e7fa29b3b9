//! The arrays of a value, which may be a nested tuple.

use std::sync::Arc;

use xla_array::ArrayLiteral;
use xla_ops::Data;

/// An array of a value.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its path of tuple indices; empty if the value is the array.
    pub path: Vec<usize>,
    /// The array.
    pub array: Arc<ArrayLiteral>,
}

/// The arrays of a value in order.
pub fn parts(data: &Data) -> Vec<Part> {
    let mut parts = Vec::new();
    // Without recursion, however deep the tuples are nested.
    let mut worklist = vec![(Vec::new(), data)];
    while let Some((path, data)) = worklist.pop() {
        match data {
            Data::Array(array) => parts.push(Part { path, array: array.clone() }),
            Data::Tuple(elements) => {
                let with_paths = elements.iter().enumerate().rev().map(|(i, element)| {
                    let mut path = path.clone();
                    path.push(i);
                    (path, element)
                });
                worklist.extend(with_paths);
            }
            Data::Token => {}
        }
    }
    parts
}
