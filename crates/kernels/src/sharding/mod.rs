//! Divides tasks among workers: each computes a shard, the elements of the result in a range of one dimension's indices.
//!
//! Invariant: only dimensions of the result are divided, never a reduced or contracted one, so that each element is summed in
//! the same order as without sharding: results are bit-identical for any number of workers. Exceptions are the fast kernels,
//! whose algorithm may depend on the size.
//!
//! [`restricted`] is the task of a shard in the buffers of the whole task, for workers that have all operands. [`contiguous`]
//! chooses shards on contiguous ranges of the buffers, for workers that get only what they read.

pub mod contiguous;
pub mod restricted;

use std::ops::Range;

use crate::description::parts::Array;

/// Minimum rows, columns or features per shard: with fewer, panels are mostly padding.
pub const MIN_ROWS: usize = 32;

/// Minimum number of output positions per shard along a spatial dimension: shards overlap by the window's size.
pub const MIN_WINDOW_POSITIONS: usize = 8;

/// The array restricted to a range of one dimension's indices.
fn restrict(array: &Array, dimension: usize, range: &Range<usize>) -> Option<Array> {
    let mut restricted = array.clone();
    let start = range.start.cast_signed().checked_mul(*array.view.strides.get(dimension)?)?;
    restricted.view.offset = array.view.offset.checked_add_signed(start)?;
    *restricted.view.sizes.get_mut(dimension)? = range.len();
    Some(restricted)
}
