//! The arrays of a value.

use std::sync::Arc;

use xla_array::ArrayLiteral;
use xla_ops::Data;

/// The arrays in a value, each with its path through the tuples.
pub fn leaves(data: &Data) -> Vec<(Vec<usize>, Arc<ArrayLiteral>)> {
    match data {
        Data::Array(array) => vec![(Vec::new(), array.clone())],
        Data::Tuple(elements) => {
            let within = |i: usize, (mut path, array): (Vec<usize>, _)| {
                path.insert(0, i);
                (path, array)
            };
            let of = |(i, element): (usize, &Data)| {
                leaves(element).into_iter().map(move |leaf| within(i, leaf)).collect::<Vec<_>>()
            };
            elements.iter().enumerate().flat_map(of).collect()
        }
        Data::Token => Vec::new(),
    }
}
