//! Layouts and sizes that waste less memory than those of a padded array.

use std::collections::BTreeSet;

use crate::performance::bytes::Bytes;
use xla_array::{ArrayShape, Dims, Layout, TileDim};

/// A change of an array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Another order of the dimensions in memory, the most minor first. The array stays the same.
    Order(Dims),
    /// Two adjacent dimensions as one, in the given order. The elements stay the same; the array has another shape.
    Merge {
        /// The first of the two dimensions.
        dimension: usize,
    },
    /// Another size of a dimension. A smaller one loses elements, a larger one may use memory that is padding now.
    Size {
        /// The dimension.
        dimension: usize,
        /// Its new size.
        size: i64,
    },
}

/// A suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The change.
    pub change: Change,
    /// The changed array.
    pub array: ArrayShape,
    /// Its bytes.
    pub bytes: Bytes,
    /// The bytes of memory that it saves; 0 if it only makes use of padding.
    pub saved: u64,
}

/// Maximum number of dimensions that are reordered: the others keep their position.
const MAX_REORDERED_DIMENSIONS: usize = 6;
/// Maximum number of orders that are suggested for an array.
const MAX_ORDERS: usize = 4;

/// Changes of a padded array that waste less, those that save the most bytes first; of equal ones, those that keep the array.
/// None for an array that has no padding by tiles.
pub fn suggestions(array: &ArrayShape) -> Vec<Suggestion> {
    let current_bytes = Bytes::of_array(array);
    let Some(layout) =
        array.layout.as_ref().filter(|layout| !layout.tiles.is_empty() && current_bytes.padding() > 0)
    else {
        return Vec::new();
    };
    let mut suggestions: Vec<Suggestion> =
        order_suggestions(array, layout, current_bytes).into_iter().take(MAX_ORDERS).collect();
    suggestions.extend(merge_suggestions(array, layout, current_bytes));
    suggestions.extend(size_suggestions(array, layout, current_bytes));
    suggestions.sort_by(|a, b| b.saved.cmp(&a.saved).then_with(|| a.change.cmp(&b.change)));
    suggestions
}

fn suggestion(change: Change, array: ArrayShape, current_bytes: Bytes) -> Suggestion {
    let bytes = Bytes::of_array(&array);
    Suggestion { change, bytes, saved: current_bytes.memory.saturating_sub(bytes.memory), array }
}

/// The number of most minor dimensions that the tiles cover.
fn tiled_rank(layout: &Layout) -> usize {
    layout.tiles.iter().map(|tile| tile.0.len()).max().unwrap_or(0)
}

/// Orders with less memory, each amount of memory once, with the order that is most similar to the current one.
fn order_suggestions(array: &ArrayShape, layout: &Layout, current_bytes: Bytes) -> Vec<Suggestion> {
    let current = &layout.minor_to_major;
    // Only dimensions below the tiles affect the padding; sizes of 1 are worst there.
    let mut candidates: Vec<i64> = current.to_vec();
    let size = |d: &i64| usize::try_from(*d).ok().and_then(|d| array.dimensions.get(d)).copied().unwrap_or(1);
    candidates.sort_by_key(|d| std::cmp::Reverse(size(d)));
    candidates.truncate(MAX_REORDERED_DIMENSIONS);
    let mut minors: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..tiled_rank(layout).min(3).min(candidates.len()) {
        minors = minors
            .iter()
            .flat_map(|minor| {
                let rest = candidates.iter().filter(|d| !minor.contains(d));
                rest.map(|d| minor.iter().copied().chain([*d]).collect())
            })
            .collect();
    }
    let mut suggestions: Vec<(u64, usize, Suggestion)> = minors
        .into_iter()
        .map(|minor| {
            let rest = current.iter().copied().filter(|d| !minor.contains(d));
            let order: Dims = minor.iter().copied().chain(rest).collect();
            let moved = order.iter().zip(current).filter(|(a, b)| a != b).count();
            let changed = Layout { minor_to_major: order.clone(), ..layout.clone() };
            let suggestion =
                suggestion(Change::Order(order), array.clone().with_layout(changed), current_bytes);
            (suggestion.bytes.memory, moved, suggestion)
        })
        .filter(|(memory, ..)| *memory > 0 && *memory < current_bytes.memory)
        .collect();
    suggestions.sort_by(|a, b| (a.0, a.1, &a.2.change).cmp(&(b.0, b.1, &b.2.change)));
    suggestions.dedup_by_key(|(memory, ..)| *memory);
    suggestions.into_iter().map(|(.., suggestion)| suggestion).collect()
}

/// The layout with this order. Of a tile that has more dimensions, the major ones are merged, as XLA does: `T(8,128)` of a
/// matrix corresponds to `T(1024)` of a vector.
fn layout_for(layout: &Layout, order: Dims) -> Layout {
    let rank = order.len().max(1);
    let mut changed = Layout { minor_to_major: order, ..layout.clone() };
    if let Some(tile) = changed.tiles.first_mut().filter(|tile| tile.0.len() > rank) {
        let merged = tile.0.len() - rank + 1;
        let sizes = tile.0.iter().take(merged).map(|size| match size {
            TileDim::Size(size) => *size,
            TileDim::Combine => 1,
        });
        let product = sizes.fold(1, i64::saturating_mul);
        let minor = tile.0.iter().skip(merged).copied();
        tile.0 = std::iter::once(TileDim::Size(product)).chain(minor).collect();
    }
    changed
}

/// Merges of two adjacent dimensions, each with its best order.
fn merge_suggestions(array: &ArrayShape, layout: &Layout, current_bytes: Bytes) -> Vec<Suggestion> {
    let merge = |first: usize| {
        let (a, b) = (*array.dimensions.get(first)?, *array.dimensions.get(first + 1)?);
        let mut dimensions = array.dimensions.clone();
        *dimensions.get_mut(first)? = a.checked_mul(b)?;
        dimensions.remove(first + 1);
        let position = i64::try_from(first).ok()?;
        let order: Dims = layout
            .minor_to_major
            .iter()
            .filter(|d| **d != position + 1)
            .map(|d| if *d > position { d - 1 } else { *d })
            .collect();
        let merged = |order: Dims| {
            ArrayShape::new(array.element_type, dimensions.iter().copied())
                .with_layout(layout_for(layout, order))
        };
        let same_order = merged(order);
        let other_orders = order_suggestions(
            &same_order,
            same_order.layout.as_ref()?,
            Bytes { memory: u64::MAX, ..current_bytes },
        );
        let best = other_orders.into_iter().map(|other| other.array).next();
        let change = Change::Merge { dimension: first };
        let suggest = |array| suggestion(change.clone(), array, current_bytes);
        let (same, best) = (suggest(same_order), best.map(suggest));
        let better = best.filter(|best| best.saved > same.saved).unwrap_or(same);
        (better.bytes.memory > 0 && better.saved > 0).then_some(better)
    };
    if !array.is_static() {
        return Vec::new();
    }
    (0..array.rank().saturating_sub(1)).filter_map(merge).collect()
}

/// Sizes rounded down and up to multiples of the tiles' sizes, if that wastes a smaller part of the memory: down if it saves
/// bytes, up if it takes no more.
fn size_suggestions(array: &ArrayShape, layout: &Layout, current_bytes: Bytes) -> Vec<Suggestion> {
    let mut suggestions = Vec::new();
    let multiples: BTreeSet<i64> = layout
        .tiles
        .iter()
        .flat_map(|tile| tile.0.iter())
        .filter_map(|size| match size {
            TileDim::Size(size) if *size > 1 => Some(*size),
            _ => None,
        })
        .collect();
    for (dimension, size) in array.dimensions.iter().copied().enumerate() {
        let down = multiples.iter().map(|multiple| size / multiple * multiple).filter(|down| *down > 0);
        let up = multiples
            .iter()
            .filter_map(|multiple| size.checked_add(multiple - 1).map(|sum| sum / multiple * multiple));
        let candidates: BTreeSet<i64> = down.chain(up).filter(|other| *other != size).collect();
        for other in candidates {
            let mut changed = array.clone();
            if let Some(size) = changed.dimensions.get_mut(dimension) {
                *size = other;
            }
            let change = Change::Size { dimension, size: other };
            let suggestion = suggestion(change, changed, current_bytes);
            let wastes_less = u128::from(suggestion.bytes.padding()) * u128::from(current_bytes.memory)
                < u128::from(current_bytes.padding()) * u128::from(suggestion.bytes.memory);
            let is_useful = if other < size {
                suggestion.saved > 0
            } else {
                suggestion.bytes.memory <= current_bytes.memory
            };
            if suggestion.bytes.memory > 0 && wastes_less && is_useful {
                suggestions.push(suggestion);
            }
        }
    }
    suggestions
}
