//! The elements of a tuple shape, shared so that a tuple of tuples costs one reference each.
//!
//! A chain of `x = tuple(y, y)` doubles the leaves with every instruction. The elements are therefore reference
//! counted, and every tuple stores how many leaves it has and how deep it is nested: both are known without visiting
//! the leaves, and [`super::validate::extent`] refuses a shape before anything walks it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::Shape;

/// The shapes of the elements of a tuple. Cloning shares them.
#[derive(Clone)]
pub struct Elements(Arc<Shared>);

struct Shared {
    shapes: Vec<Shape>,
    leaves: usize,
    depth: usize,
}

/// Up to this depth, elements are dropped by recursion.
const RECURSION_DEPTH: usize = 128;

impl Elements {
    /// The number of parts that are no tuples, where an empty tuple counts as one; `usize::MAX` if it does not fit.
    pub fn leaves(&self) -> usize {
        self.0.leaves
    }

    /// How many tuples are nested in each other, this one included.
    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// Whether both share one allocation, which makes them equal without a comparison.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Changes the elements in place; those shared with other tuples are copied first.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut [Shape]) -> R) -> R {
        let mut shapes = match Arc::get_mut(&mut self.0) {
            Some(shared) => std::mem::take(&mut shared.shapes),
            None => self.to_vec(),
        };
        let result = change(&mut shapes);
        *self = shapes.into();
        result
    }
}

impl From<Vec<Shape>> for Elements {
    fn from(shapes: Vec<Shape>) -> Self {
        let leaves = shapes.iter().map(Shape::leaves).fold(0, usize::saturating_add).max(1);
        let depth = 1 + shapes.iter().map(Shape::depth).max().unwrap_or(0);
        Self(Arc::new(Shared { shapes, leaves, depth }))
    }
}

impl FromIterator<Shape> for Elements {
    fn from_iter<I: IntoIterator<Item = Shape>>(shapes: I) -> Self {
        shapes.into_iter().collect::<Vec<_>>().into()
    }
}

impl Default for Elements {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Deref for Elements {
    type Target = [Shape];

    fn deref(&self) -> &[Shape] {
        &self.0.shapes
    }
}

impl<'a> IntoIterator for &'a Elements {
    type Item = &'a Shape;
    type IntoIter = std::slice::Iter<'a, Shape>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Elements {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || (self.leaves() == other.leaves() && self.depth() == other.depth() && **self == **other)
    }
}

impl Eq for Elements {}

impl Hash for Elements {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.depth <= RECURSION_DEPTH {
            return;
        }
        let mut left = std::mem::take(&mut self.shapes);
        while let Some(shape) = left.pop() {
            if let Shape::Tuple(elements) = shape
                && let Some(mut shared) = Arc::into_inner(elements.0)
            {
                left.append(&mut shared.shapes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrayShape, ElementType, validate};

    fn scalar() -> Shape {
        ArrayShape::new(ElementType::F32, []).into()
    }

    fn doubled(times: usize) -> Shape {
        (0..times).fold(scalar(), |shape, _| Shape::Tuple([shape.clone(), shape].into_iter().collect()))
    }

    #[test]
    fn doubling_shares_what_it_doubles() {
        let shape = doubled(200);
        assert_eq!((shape.leaves(), shape.depth()), (usize::MAX, 200));
        let elements = shape.as_tuple().unwrap();
        let [Shape::Tuple(a), Shape::Tuple(b)] = elements else { panic!("{elements:?}") };
        assert!(a.is_same(b) && a == b);
        // Equal without a walk: 2^200 comparisons would not end.
        assert_eq!(shape, shape.clone());
        assert_eq!(validate::extent(&shape).map_err(|v| v.rule), Err("limit-depth"));
        assert_eq!(validate::extent(&doubled(17)).map_err(|v| v.rule), Err("limit-leaves"));
        assert_eq!(validate::extent(&doubled(16)), Ok(()));
    }

    #[test]
    fn empty_tuples_count_as_leaves() {
        let empty = || Shape::Tuple(Elements::default());
        assert_eq!((empty().leaves(), empty().depth()), (1, 1));
        let row = Shape::Tuple((0..70_000).map(|_| empty()).collect());
        assert_eq!((row.leaves(), row.depth()), (70_000, 2));
        assert_eq!(validate::shape(&row).map_err(|v| v.rule), Err("limit-leaves"));
    }

    #[test]
    fn a_change_copies_what_is_shared_and_counts_again() {
        let mut changed = doubled(2);
        let before = changed.clone();
        let Shape::Tuple(elements) = &mut changed else { panic!() };
        elements.change(|shapes| shapes[0] = scalar());
        assert_eq!((before.leaves(), changed.leaves()), (4, 3));
        assert_eq!(before, doubled(2));
    }

    #[test]
    fn deep_tuples_are_dropped_without_recursion() {
        let deep = (0..1_000_000).fold(scalar(), |shape, _| Shape::Tuple(vec![shape].into()));
        assert_eq!((deep.leaves(), deep.depth()), (1, 1_000_000));
        assert_eq!(validate::shape(&deep).map_err(|v| v.rule), Err("limit-depth"));
        drop(deep);
    }
}
