//! The array leaves of a value.

use std::sync::Arc;

use xla_array::ArrayLiteral;
use xla_ops::Data;

/// The arrays in a value, each with its tuple path.
pub fn leaves(data: &Data) -> Vec<(Vec<usize>, Arc<ArrayLiteral>)> {
    match data {
        Data::Array(array) => vec![(Vec::new(), array.clone())],
        Data::Tuple(elements) => {
            let prepend = |i: usize, (mut path, array): (Vec<usize>, _)| {
                path.insert(0, i);
                (path, array)
            };
            let element_leaves = |(i, element): (usize, &Data)| {
                leaves(element).into_iter().map(move |leaf| prepend(i, leaf)).collect::<Vec<_>>()
            };
            elements.iter().enumerate().flat_map(element_leaves).collect()
        }
        Data::Token => Vec::new(),
    }
}
