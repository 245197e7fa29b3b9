//! Arrays with dimensions added, removed and reordered, and the walk over indices in layout order.
//!
//! The order in memory of the dimensions that stay is kept. Tiles and the other properties stay as they are, as in
//! XLA, except where the documentation says otherwise; padding of 2017 follows its dimension.

use crate::index::Indices;
use crate::{ArrayShape, Dims, Dynamic, Layout, permutation};

/// The array with a dimension of this size inserted as number `at`, standing in memory just before the order entry
/// `place` (counted from the minor end).
fn insert(shape: &ArrayShape, at: usize, place: usize, size: i64) -> Option<ArrayShape> {
    let mut new = shape.clone();
    (at <= shape.rank()).then(|| new.dimensions.insert(at, size))?;
    if !new.dynamic.is_empty() {
        new.dynamic.insert(at, Dynamic::Static);
    }
    if let Some(layout) = &mut new.layout {
        let number = i64::try_from(at).ok()?;
        for d in layout.minor_to_major.iter_mut().filter(|d| **d >= number) {
            *d += 1;
        }
        let place = place.min(layout.minor_to_major.len());
        layout.minor_to_major.insert(place, number);
        if let Some(padding) = &mut layout.padding
            && padding.dimensions.len() >= at
            && !padding.dimensions.is_empty()
        {
            padding.dimensions.insert(at, size);
        }
    }
    Some(new)
}

/// The array with one more dimension, number N, the most major one in memory.
pub fn append_major_dimension(shape: &ArrayShape, size: i64) -> Option<ArrayShape> {
    insert(shape, shape.rank(), usize::MAX, size)
}

/// The array with one more dimension, number 0, the most major one in memory. XLA keeps only the order of the layout,
/// and so does this.
pub fn prepend_major_dimension(shape: &ArrayShape, size: i64) -> Option<ArrayShape> {
    let mut bare = shape.clone();
    bare.dynamic.clear();
    bare.layout = bare.layout.map(|l| Layout::new(l.minor_to_major));
    insert(&bare, 0, usize::MAX, size)
}

/// The array with one more dimension, number N, the most minor one in memory.
pub fn append_minor_dimension(shape: &ArrayShape, size: i64) -> Option<ArrayShape> {
    insert(shape, shape.rank(), 0, size)
}

/// The array with one more dimension, number `at`. In memory it stands just outside the dimension whose number it
/// took, or is the most minor one where it is the last: a descending layout stays descending. `None` where `at` is
/// above N.
pub fn insert_dimension_at_index(shape: &ArrayShape, at: usize, size: i64) -> Option<ArrayShape> {
    let order = shape.layout.as_ref().map(|l| &l.minor_to_major[..]).unwrap_or_default();
    let taken = order.iter().position(|d| usize::try_from(*d) == Ok(at));
    insert(shape, at, taken.map_or(0, |position| position + 1), size)
}

/// The array without dimension `d`; the numbers above it decrease. A split along it goes. `None` where there is no
/// such dimension.
pub fn delete_dimension(shape: &ArrayShape, d: usize) -> Option<ArrayShape> {
    let mut new = shape.clone();
    (d < shape.rank()).then(|| new.dimensions.remove(d))?;
    if d < new.dynamic.len() {
        new.dynamic.remove(d);
    }
    if let Some(layout) = &mut new.layout {
        let number = i64::try_from(d).ok()?;
        if let Some(k) = layout.minor_to_major.iter().position(|m| *m == number) {
            let physical = i64::try_from(layout.minor_to_major.len() - 1 - k).ok()?;
            layout.split_configs.retain(|s| s.dimension != physical);
            for split in layout.split_configs.iter_mut().filter(|s| s.dimension > physical) {
                split.dimension -= 1;
            }
            layout.minor_to_major.remove(k);
        }
        for m in layout.minor_to_major.iter_mut().filter(|m| **m > number) {
            *m -= 1;
        }
        if let Some(padding) = layout.padding.as_mut().filter(|p| d < p.dimensions.len()) {
            padding.dimensions.remove(d);
        }
        // An empty list of padded sizes means none.
        layout.padding = layout.padding.take().filter(|p| !p.dimensions.is_empty());
    }
    Some(new)
}

/// The array without the dimensions for which `keep` is false.
#[must_use]
pub fn filter_dimensions(shape: &ArrayShape, keep: impl Fn(usize) -> bool) -> ArrayShape {
    let dropped = (0..shape.rank()).rev().filter(|d| !keep(*d));
    dropped.fold(shape.clone(), |shape, d| delete_dimension(&shape, d).unwrap_or(shape))
}

/// The array without its dimensions of size 1 (2017 `StripDegenerateDimensions`).
#[must_use]
pub fn drop_degenerate_dimensions(shape: &ArrayShape) -> ArrayShape {
    filter_dimensions(shape, |d| shape.dimensions[d] != 1)
}

/// The array whose dimension i is dimension `p[i]` of this one, laid out so that every element stays where it is: the
/// transpose by `p` is a bitcast. (The function of r1.3 took `p` the other way round, and its layout was no bitcast.)
/// `None` where `p` is no permutation of the dimensions.
pub fn permute_dimensions(shape: &ArrayShape, p: &[i64]) -> Option<ArrayShape> {
    let positions = permutation::positions(p).filter(|p| p.len() == shape.rank())?;
    let inverse = permutation::inverse(p)?;
    let reorder = |sizes: &[i64]| positions.iter().map(|d| sizes.get(*d).copied()).collect::<Option<Dims>>();
    let mut new = shape.clone();
    new.dimensions = reorder(&shape.dimensions)?;
    if !shape.dynamic.is_empty() {
        new.dynamic = positions.iter().map(|d| shape.dynamic_of(*d)).collect();
    }
    if let Some(layout) = &mut new.layout {
        for d in &mut layout.minor_to_major {
            *d = *inverse.get(usize::try_from(*d).ok()?)?;
        }
        if let Some(padding) = layout.padding.as_mut().filter(|p| !p.dimensions.is_empty()) {
            padding.dimensions = reorder(&padding.dimensions)?;
        }
    }
    Some(new)
}

/// Calls `visit` with indices in layout order, the most minor dimension fastest: dimension d steps by `step[d]` from
/// `base[d]` while below `base[d] + count[d]`. True where all were visited, false where `visit` returned false and so
/// ended it. As in XLA: rank 0 makes one call; a dimension of size 0 in the shape makes none; a `count[d]` of 0 still
/// makes one pass at `base[d]`. `None` where a list has another length than the rank, a step is below 1, or a bound
/// overflows. A missing layout stands for the default one.
pub fn for_each_index(
    shape: &ArrayShape,
    base: &[i64],
    count: &[i64],
    step: &[i64],
    mut visit: impl FnMut(&[i64]) -> bool,
) -> Option<bool> {
    let rank = shape.rank();
    if [base, count, step].iter().any(|list| list.len() != rank) || step.iter().any(|s| *s < 1) {
        return None;
    }
    let order = shape
        .layout
        .as_ref()
        .map_or_else(|| Layout::descending(rank).minor_to_major, |l| l.minor_to_major.clone());
    if order.len() != rank || !permutation::is_permutation(&order) {
        return None;
    }
    let end = |(base, count): (&i64, &i64)| base.checked_add((*count).max(1));
    let ends: Dims = base.iter().zip(count).map(end).collect::<Option<_>>()?;
    if shape.dimensions.contains(&0) {
        return Some(true);
    }
    let mut indices = Indices::strided(base, &ends, step, &order)?;
    while let Some(index) = indices.advance() {
        if !visit(index) {
            return Some(false);
        }
    }
    Some(true)
}
