//! Elements of tuples, comparison of shapes, and their text.

use crate::layout_util::{self, Ignoring};
use crate::{ArrayShape, Dynamic, Edition, ElementType, Layout, Shape};

/// The element of a tuple at `path`, one position per level; the shape itself if `path` is empty. `None` if there is no
/// such element.
pub fn get_subshape<'s>(shape: &'s Shape, path: &[usize]) -> Option<&'s Shape> {
    path.iter().try_fold(shape, |shape, i| shape.as_tuple()?.get(*i))
}

/// Whether the element at `path` is not a tuple; `None` if there is no such element.
pub fn is_leaf_index(shape: &Shape, path: &[usize]) -> Option<bool> {
    get_subshape(shape, path).map(|s| s.as_tuple().is_none())
}

/// Calls `visit` with the shape and all its elements in pre-order, each with its path.
pub fn for_each_subshape(shape: &Shape, mut visit: impl FnMut(&Shape, &[usize])) {
    fn walk(shape: &Shape, path: &mut Vec<usize>, visit: &mut impl FnMut(&Shape, &[usize])) {
        visit(shape, path);
        for (i, element) in shape.as_tuple().into_iter().flatten().enumerate() {
            path.push(i);
            walk(element, path, visit);
            path.pop();
        }
    }
    walk(shape, &mut Vec::new(), &mut visit);
}

/// The number of leaves; 1 unless it is a tuple.
pub fn get_leaf_count(shape: &Shape) -> usize {
    shape.as_tuple().map_or(1, |elements| elements.iter().map(get_leaf_count).sum())
}

/// The tuple of the elements `start..limit`; `None` unless it is a tuple with `start <= limit <= len`.
pub fn slice_tuple(tuple: &Shape, start: usize, limit: usize) -> Option<Shape> {
    tuple.as_tuple()?.get(start..limit).map(|elements| Shape::tuple(elements.iter().cloned()))
}

/// The shape with another element type, in every element of a tuple. Dimensions and layouts stay, but in current XLA
/// `E(n)` is removed unless the new type is narrower than a byte and not `pred`.
#[must_use]
pub fn change_element_type(shape: &Shape, element_type: ElementType, edition: Edition) -> Shape {
    let mut changed = shape.clone();
    let packs = element_type.bits() < 8 && element_type != ElementType::Pred;
    layout_util::for_each_array_mut(&mut changed, &mut |array| {
        array.element_type = element_type;
        if let Some(layout) = array.layout.as_mut().filter(|_| edition == Edition::Current && !packs) {
            layout.element_size_in_bits = 0;
        }
    });
    changed
}

/// Whether both have the same types, dimensions and layouts, element by element in tuples. In 2017 an empty layout is
/// equal to a missing one.
pub fn equal(a: &Shape, b: &Shape, edition: Edition) -> bool {
    let same_layout = |a: &ArrayShape, b: &ArrayShape| {
        let set = |shape: &ArrayShape| {
            let empty = Layout::new([]);
            shape.layout.clone().filter(|l| edition == Edition::Current || *l != empty)
        };
        match (set(a), set(b)) {
            (Some(a), Some(b)) => layout_util::equal(&a, &b, Ignoring::default()),
            (None, None) => true,
            _ => false,
        }
    };
    both(a, b, &|a, b| {
        let dynamic = |s: &ArrayShape| (0..s.rank()).map(|d| s.dynamic_of(d)).collect::<Vec<_>>();
        a.element_type == b.element_type
            && a.dimensions == b.dimensions
            && dynamic(a) == dynamic(b)
            && same_layout(a, b)
    })
}

/// Whether both have the same types and dimensions, element by element in tuples. Layouts are not compared, nor whether
/// a dimension is dynamic; an unbounded one is compatible with any size.
pub fn compatible(a: &Shape, b: &Shape) -> bool {
    both(a, b, &|a, b| a.element_type == b.element_type && same_array_dimensions(a, b))
}

/// Whether two arrays have the same sizes; an unbounded one equals any. `None` unless both are arrays.
pub fn same_dimensions(a: &Shape, b: &Shape) -> Option<bool> {
    Some(same_array_dimensions(a.as_array()?, b.as_array()?))
}

fn same_array_dimensions(a: &ArrayShape, b: &ArrayShape) -> bool {
    a.rank() == b.rank()
        && (0..a.rank()).all(|d| {
            let unbounded = [a, b].iter().any(|s| s.dynamic_of(d) == Dynamic::Unbounded);
            unbounded || a.dimensions[d] == b.dimensions[d]
        })
}

/// Whether the shapes have the same structure and `same` holds for each pair of arrays.
fn both(a: &Shape, b: &Shape, same: &impl Fn(&ArrayShape, &ArrayShape) -> bool) -> bool {
    match (a, b) {
        (Shape::Array(a), Shape::Array(b)) => same(a, b),
        (Shape::Buffer(a), Shape::Buffer(b)) => same(a, b),
        (Shape::Tuple(a), Shape::Tuple(b)) => {
            a.is_same(b) || a.len() == b.len() && a.iter().zip(b).all(|(a, b)| both(a, b, same))
        }
        (Shape::Token, Shape::Token) | (Shape::Opaque, Shape::Opaque) => true,
        _ => false,
    }
}

/// The shape in XLA's text form without layouts, e.g. `f32[2,3]`.
pub fn human_string(shape: &Shape) -> String {
    shape.human_string()
}

/// The shape in XLA's text form, e.g. `f32[2,3]{1,0}`.
pub fn human_string_with_layout(shape: &Shape) -> String {
    shape.xla_text()
}

/// A program's shape: `(x: f32[2], (unknown): s32[]) -> f32[2]`. A parameter with an empty name is `(unknown)`.
pub fn human_string_of_program(parameters: &[(&str, Shape)], result: &Shape) -> String {
    let parameter = |(name, shape): &(&str, Shape)| {
        let name = if name.is_empty() { "(unknown)" } else { name };
        format!("{name}: {}", shape.human_string())
    };
    let parameters: Vec<String> = parameters.iter().map(parameter).collect();
    format!("({}) -> {}", parameters.join(", "), result.human_string())
}
