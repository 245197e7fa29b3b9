//! The cell of a value that the page asks for by what is in it.

use std::sync::Arc;

use super::window;
use super::wire::{CellTarget, ValueQuery};
use crate::array::{ArrayLiteral, Dims};
use crate::inspect::values::{NonFinite, first_non_finite};

/// Finds the cell that a query asks for in the arrays of a value, and directs the query to a window around it. Returns the
/// index of the cell; `None` if no cell is asked for, or the value has no such cell.
pub(super) fn locate(query: &mut ValueQuery, arrays: &[(Vec<usize>, Arc<ArrayLiteral>)]) -> Option<Vec<i64>> {
    let (leaf, index) = find(&query.cell.as_ref()?.target, arrays)?;
    let sizes = window::sizes(&arrays.get(leaf)?.1.shape().dimensions);
    query.leaf = leaf;
    query.start = index.iter().zip(&sizes).map(|(at, size)| at - size / 2).collect();
    Some(index.to_vec())
}

fn find(target: &CellTarget, arrays: &[(Vec<usize>, Arc<ArrayLiteral>)]) -> Option<(usize, Dims)> {
    let first = |kind: NonFinite| {
        let mut arrays = arrays.iter().enumerate();
        arrays.find_map(|(leaf, (_, array))| Some((leaf, first_non_finite(array, kind)?)))
    };
    match target {
        CellTarget::Index { path, index } => {
            let leaf = arrays.iter().position(|(other, _)| other == path)?;
            let sizes = &arrays.get(leaf)?.1.shape().dimensions;
            let is_inside = index.len() == sizes.len()
                && index.iter().zip(sizes).all(|(at, size)| (0..*size).contains(at));
            is_inside.then(|| (leaf, index.iter().copied().collect()))
        }
        CellTarget::FirstNan => first(NonFinite::Nan),
        CellTarget::FirstInfinity => first(NonFinite::Infinity),
    }
}
