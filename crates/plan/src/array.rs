//! Values at planning time.
//!
//! A *value* is the elements that an argument, a constant or a step defines, like XLA's `HloValue`; several may share a buffer.
//! An [`Array`] is a view of a value: an op that only changes the view, such as a transpose, needs no value. An instruction has
//! a [`ValueTree`] of arrays.

use std::rc::Rc;

use xla_array::{ArrayShape, ElementType, MemoryMap, Shape};
use xla_kernels::View;
use xla_ops::TaskOperand;

/// The index of a value's [`ValueInfo`] in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub usize);

/// Where the elements of a value are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the argument with this number, counting the arrays of tuples one by one.
    Argument(usize),
    /// In a constant of the plan.
    Constant(usize),
    /// Computed once for all runs, from constants alone.
    Precomputed(usize),
    /// In an allocation, which is assigned when the steps are known.
    Allocated,
}

/// The element type, size and location of a value. It has no padding elements.
#[derive(Clone, Copy, Debug)]
pub struct ValueInfo {
    pub element_type: ElementType,
    pub elements: usize,
    pub location: Location,
    /// Whether its elements are the same in every run.
    pub is_constant: bool,
}

/// An array: a view of the elements of a value.
#[derive(Clone, Debug)]
pub struct Array {
    pub value: ValueId,
    pub shape: Rc<ArrayShape>,
    /// Maps each index to an element of the value.
    pub view: View,
}

/// The view of an array that has a value to itself, and its number of elements: the strides are those of the layout. `None` for
/// layouts with tiles or padding.
pub fn dense_view(shape: &ArrayShape) -> Option<(View, usize)> {
    let map = MemoryMap::new(shape).ok().filter(|map| map.padding_slots() == 0)?;
    let elements = usize::try_from(map.slot_count()).ok()?;
    Some((TaskOperand::from_map(&map).view.ok()?, elements))
}

/// Whether two views have the same sizes and strides; offsets may differ.
pub fn has_same_strides(a: &View, b: &View) -> bool {
    let strides = a.sizes.iter().zip(a.strides.iter().zip(&b.strides));
    a.sizes == b.sizes
        && (a.sizes.contains(&0) || strides.into_iter().all(|(size, (a, b))| *size == 1 || a == b))
}

impl Array {
    /// Whether the view has the strides of the shape's layout, at any offset.
    pub fn is_dense(&self) -> bool {
        dense_view(&self.shape).is_some_and(|(view, _)| has_same_strides(&self.view, &view))
    }

    /// Whether the view covers the whole value, in the layout of the shape.
    pub fn is_whole(&self, info: &ValueInfo) -> bool {
        self.view.offset == 0
            && dense_view(&self.shape).is_some_and(|(view, elements)| {
                elements == info.elements && has_same_strides(&self.view, &view)
            })
    }

    /// The array as the operand of a task.
    pub fn task_operand(&self) -> TaskOperand {
        TaskOperand { element_type: self.shape.element_type, view: Ok(self.view.clone()) }
    }

    /// The offset of a scalar's element.
    pub fn scalar_offset(&self) -> usize {
        self.view.offset
    }
}

/// The value of an instruction: a tree of arrays, like XLA's `ShapeTree`.
#[derive(Clone, Debug)]
pub enum ValueTree {
    Array(Array),
    Tuple(Rc<[ValueTree]>),
    Token,
}

impl ValueTree {
    pub fn as_array(&self) -> Option<&Array> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }

    /// Calls `f` with each array, depth first.
    pub fn for_each_array(&self, f: &mut impl FnMut(&Array)) {
        match self {
            Self::Array(array) => f(array),
            Self::Tuple(elements) => elements.iter().for_each(|element| element.for_each_array(f)),
            Self::Token => {}
        }
    }

    /// Its arrays, depth first.
    pub fn arrays(&self) -> Vec<Array> {
        let mut arrays = Vec::new();
        self.for_each_array(&mut |array| arrays.push(array.clone()));
        arrays
    }

    /// The same value with the layouts of a shape. No element moves: the views are already independent of the layout. `None` if
    /// the structures differ.
    pub fn with_layouts_of(&self, shape: &Shape) -> Option<Self> {
        Some(match (self, shape) {
            (Self::Array(array), Shape::Array(to)) => {
                let from = &array.shape;
                if to.layout.is_none() || from.layout == to.layout {
                    self.clone()
                } else if from.dimensions == to.dimensions && from.element_type == to.element_type {
                    Self::Array(Array { shape: Rc::new(to.clone()), ..array.clone() })
                } else {
                    return None;
                }
            }
            (Self::Tuple(elements), Shape::Tuple(to)) if elements.len() == to.len() => Self::Tuple(
                elements.iter().zip(to).map(|(e, to)| e.with_layouts_of(to)).collect::<Option<_>>()?,
            ),
            (Self::Token, Shape::Token) => Self::Token,
            _ => return None,
        })
    }
}
