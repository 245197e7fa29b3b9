//! Adds, removes and permutes dimensions of arrays, and visits indices in layout order.
//!
//! The remaining dimensions keep their order in memory. Tiles and other properties of the layout stay, as in XLA,
//! unless a function says otherwise; legacy padded sizes follow their dimension.

use crate::index::Indices;
use crate::{ArrayShape, Dims, Dynamic, Layout, permutation};
use xla_messages::bug::OrBug as _;

/// The array with a dimension of this size inserted as dimension `d`, and in `minor_to_major` at `position` or at its
/// end.
fn insert(shape: &ArrayShape, d: usize, position: usize, size: i64) -> Option<ArrayShape> {
    let mut new = shape.clone();
    (d <= shape.rank()).then(|| new.dimensions.insert(d, size))?;
    if !new.dynamic.is_empty() {
        new.dynamic.insert(d, Dynamic::Static);
    }
    if let Some(layout) = &mut new.layout {
        let inserted = i64::try_from(d).ok()?;
        for other in layout.minor_to_major.iter_mut().filter(|other| **other >= inserted) {
            *other += 1;
        }
        let position = position.min(layout.minor_to_major.len());
        layout.minor_to_major.insert(position, inserted);
        if let Some(padding) = &mut layout.padding
            && padding.dimensions.len() >= d
            && !padding.dimensions.is_empty()
        {
            padding.dimensions.insert(d, size);
        }
    }
    Some(new)
}

/// The array with an additional dimension N, the most major one in memory.
pub fn append_major_dimension(shape: &ArrayShape, size: i64) -> Option<ArrayShape> {
    insert(shape, shape.rank(), usize::MAX, size)
}

/// The array with an additional dimension 0, the most major one in memory. As in XLA, only the order of the layout is
/// kept.
pub fn prepend_major_dimension(shape: &ArrayShape, size: i64) -> Option<ArrayShape> {
    let mut bare = shape.clone();
    bare.dynamic.clear();
    bare.layout = bare.layout.map(|l| Layout::new(l.minor_to_major));
    insert(&bare, 0, usize::MAX, size)
}

/// The array with an additional dimension N, the most minor one in memory.
pub fn append_minor_dimension(shape: &ArrayShape, size: i64) -> Option<ArrayShape> {
    insert(shape, shape.rank(), 0, size)
}

/// The array with an additional dimension `d`. In memory it is the next more major one of the former dimension `d`, or
/// the most minor one if `d` is N: a descending layout stays descending. `None` if `d` is above N.
pub fn insert_dimension_at_index(shape: &ArrayShape, d: usize, size: i64) -> Option<ArrayShape> {
    let order = shape.layout.as_ref().map(|l| &l.minor_to_major[..]).unwrap_or_default();
    let former = order.iter().position(|other| usize::try_from(*other) == Ok(d));
    let position = if let Some(former) = former { former + 1 } else { 0 };
    insert(shape, d, position, size)
}

/// The array without dimension `d`; higher dimension numbers decrease by 1. A split along it is removed. `None` if
/// there is no such dimension.
pub fn delete_dimension(shape: &ArrayShape, d: usize) -> Option<ArrayShape> {
    let mut new = shape.clone();
    (d < shape.rank()).then(|| new.dimensions.remove(d))?;
    if d < new.dynamic.len() {
        new.dynamic.remove(d);
    }
    if let Some(layout) = &mut new.layout {
        let deleted = i64::try_from(d).ok()?;
        if let Some(k) = layout.minor_to_major.iter().position(|m| *m == deleted) {
            let physical = i64::try_from(layout.minor_to_major.len() - 1 - k).ok()?;
            layout.split_configs.retain(|s| s.dimension != physical);
            for split in layout.split_configs.iter_mut().filter(|s| s.dimension > physical) {
                split.dimension -= 1;
            }
            layout.minor_to_major.remove(k);
        }
        for m in layout.minor_to_major.iter_mut().filter(|m| **m > deleted) {
            *m -= 1;
        }
        if let Some(padding) = layout.padding.as_mut().filter(|p| d < p.dimensions.len()) {
            padding.dimensions.remove(d);
        }
        // An empty list of padded sizes means no padding.
        layout.padding = layout.padding.take().filter(|p| !p.dimensions.is_empty());
    }
    Some(new)
}

/// The array without the dimensions for which `keep` is false.
#[must_use]
pub fn filter_dimensions(shape: &ArrayShape, keep: impl Fn(usize) -> bool) -> ArrayShape {
    let dropped = (0..shape.rank()).rev().filter(|d| !keep(*d));
    dropped.fold(shape.clone(), |shape, d| {
        let without = delete_dimension(&shape, d);
        without.or_bug(shape, "a dimension below the rank cannot be deleted")
    })
}

/// The array without its dimensions of size 1 (2017 `StripDegenerateDimensions`).
#[must_use]
pub fn drop_degenerate_dimensions(shape: &ArrayShape) -> ArrayShape {
    filter_dimensions(shape, |d| shape.dimensions[d] != 1)
}

/// The array whose dimension i is dimension `p[i]` of this one, with the layout for which the transpose by `p` is a
/// bitcast. (The function of r1.3 takes the inverse of `p`, and its layout is not a bitcast.) `None` if `p` is not a
/// permutation of the dimensions.
pub fn permute_dimensions(shape: &ArrayShape, p: &[i64]) -> Option<ArrayShape> {
    let positions = permutation::checked_permutation(p).filter(|p| p.len() == shape.rank())?;
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

/// Calls `visit` with indices in layout order, the most minor dimension fastest, until it returns false: dimension d
/// takes every `step[d]`-th value from `base[d]` on below `base[d] + count[d]`. Returns whether all indices were
/// visited.
///
/// As in XLA, rank 0 has one index, a shape with a size of 0 has none, and a `count[d]` of 0 is one value, `base[d]`. A
/// missing layout is the default one. `None` if the length of a list is not the rank, a step is below 1, or a bound
/// overflows.
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
