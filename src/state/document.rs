//! The state of the Layout screen: the shape, its values and the view settings.
//!
//! A [`Document`] is what a link restores. Every edit keeps it valid: sizes stay within the limits, padding is at
//! least the size, and the order of dimensions stays a permutation.

use crate::array::memory::{MemoryMap, SlotKind};
use crate::array::value::text::Exactness;
use crate::array::values::ValueSource;
use crate::array::{ArrayShape, Dims, ElementType, Layout, Padding, PaddingValue, Shape, Violation};
use crate::bug::OrBug as _;
use crate::compact::sort_pairs;
use crate::i18n::Message;
use crate::view::axis_assignment::AxisAssignment;

pub use crate::array::values::ValueRule;
pub use crate::view::options::{ColourBy, LINE_BYTES, SlotText, ViewOptions};

/// Maximum number of slots of an array: 64 Mi. XLA's own limit is the address space; a page has to draw them.
pub const MAX_SLOTS: i64 = 1 << 26;

/// Maximum number of dimensions of an array: as many as the form shows without scrolling far.
pub const MAX_RANK: usize = 12;

/// Maximum number of elements whose values are written for the user to change: as many as one would edit by hand.
const MAX_PREFILLED_ELEMENTS: i64 = 1_024;

/// The state of the Layout screen, which a link restores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The shape: an array, or a tuple of them.
    pub shape: Shape,
    /// The index of the shown array among the tuple's arrays in depth-first order; 0 for an array.
    pub leaf: usize,
    /// The values of the elements.
    pub values: ValueRule,
    /// The second layout of the same array, if two are compared.
    pub compare: Option<Layout>,
    /// The settings of how the array is displayed.
    pub view: ViewOptions,
    /// The current memory slot.
    pub cursor: i64,
    /// Slots that stay highlighted, in the order they were pinned.
    pub pins: Vec<i64>,
}

impl Default for Document {
    /// The array of XLA's "Shapes and layout" page, row-major.
    fn default() -> Self {
        Self::with_shape(ArrayShape::new(ElementType::F32, [2, 3]).into())
    }
}

impl Document {
    /// The state on a first visit: the padded column-major array of XLA's "Shapes and layout" page, in which layout and
    /// padding are both visible.
    pub fn first_visit() -> Self {
        let array = ArrayShape::new(ElementType::F32, [2, 3]);
        let mut layout = Layout::ascending(array.rank());
        layout.padding =
            Some(Box::new(Padding { dimensions: Dims::from_slice(&[3, 5]), value: PaddingValue::Zero }));
        Self::with_shape(array.with_layout(layout).into())
    }

    /// A document of this shape with default settings.
    pub fn with_shape(shape: Shape) -> Self {
        Self {
            shape,
            leaf: 0,
            values: ValueRule::default(),
            compare: None,
            view: ViewOptions::default(),
            cursor: 0,
            pins: Vec::new(),
        }
    }

    /// The arrays in the shape, each with its tuple path.
    pub fn leaves(&self) -> Vec<(Vec<usize>, &ArrayShape)> {
        fn walk<'a>(shape: &'a Shape, path: &mut Vec<usize>, out: &mut Vec<(Vec<usize>, &'a ArrayShape)>) {
            match shape {
                Shape::Array(array) => out.push((path.clone(), array)),
                Shape::Buffer(array) => out.push((path.clone(), array)),
                Shape::Token | Shape::Opaque => {}
                Shape::Tuple(elements) => {
                    for (i, element) in elements.iter().enumerate() {
                        path.push(i);
                        walk(element, path, out);
                        path.pop();
                    }
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.shape, &mut Vec::new(), &mut out);
        out
    }

    /// The shown array; `None` if the shape has none.
    pub fn array(&self) -> Option<&ArrayShape> {
        let leaves = self.leaves();
        leaves.get(self.leaf).or_else(|| leaves.first()).map(|(_, array)| *array)
    }

    /// Changes the shown array; `None` if there is none.
    fn change_array(&mut self, change: impl FnOnce(&mut ArrayShape)) -> Option<()> {
        fn walk(shape: &mut Shape, path: &[usize], change: impl FnOnce(&mut ArrayShape)) -> Option<()> {
            match (shape, path) {
                (Shape::Array(array), []) => change(array),
                (Shape::Buffer(array), []) => change(array),
                (Shape::Tuple(elements), [first, rest @ ..]) => {
                    return elements.change(|shapes| walk(shapes.get_mut(*first)?, rest, change));
                }
                _ => return None,
            }
            Some(())
        }
        let path = self.leaves().get(self.leaf).map(|(path, _)| path.clone())?;
        walk(&mut self.shape, &path, change)
    }

    /// Changes the shown array.
    ///
    /// # Errors
    /// The message of the first rule or limit that the change would violate; the document is then unchanged.
    pub fn edit(&mut self, change: impl FnOnce(&mut ArrayShape)) -> Result<(), Message> {
        let mut next = self.clone();
        let changed = next.change_array(|array| {
            if array.layout.is_none() {
                array.layout = Some(Layout::descending(array.rank()));
            }
            change(array);
        });
        changed.ok_or_else(|| Message::new("edit-no-array"))?;
        next.normalize()?;
        next.adapt_values(self.array());
        *self = next;
        Ok(())
    }

    /// The values of the elements as text, for typing; empty if there are too many, or if they are typed already.
    pub fn values_as_text(&self) -> String {
        let few = |array: &&ArrayShape| array.elements().is_some_and(|count| count <= MAX_PREFILLED_ELEMENTS);
        let Some(array) = self.array().filter(few) else { return String::new() };
        // Without a reader of text, typed values are unknown.
        let source = ValueSource::with_reader(&self.values, array, None);
        let Some(source) = source.ok().filter(|source| !source.is_unknown()) else { return String::new() };
        let mut text = String::new();
        for number in 0..array.elements().unwrap_or_default() {
            text += &source.value(number).text(array.element_type, Exactness::RoundTrip);
            text.push(' ');
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Whether its values were typed.
    pub fn has_typed_values(&self) -> bool {
        matches!(self.values, ValueRule::Text(_))
    }

    /// Adapts typed values to new sizes of the array, which was `before`: of as many elements they become a list, which fits; else
    /// letters replace them.
    pub(super) fn adapt_values(&mut self, before: Option<&ArrayShape>) {
        let ValueRule::Text(text) = &self.values else { return };
        let (Some(before), Some(now)) = (before, self.array()) else { return };
        if before.dimensions == now.dimensions {
            return;
        }
        self.values = if before.elements() == now.elements() {
            ValueRule::Text(text.chars().filter(|c| !matches!(c, '{' | '}')).collect())
        } else {
            ValueRule::default()
        };
    }

    /// Selects an array of the tuple, without the cursor, pins and compared layout of the previous one.
    pub fn select_leaf(&mut self, leaf: usize) {
        (self.leaf, self.compare) = (leaf, None);
        self.reset_view();
    }

    /// Resets what belongs to the dimensions of one array: cursor, pins, axes and sliders.
    pub fn reset_view(&mut self) {
        self.cursor = 0;
        self.pins.clear();
        self.view.axes = None;
        self.view.slider_indices.clear();
    }

    /// Moves the sliders to the cursor's cell.
    pub fn reveal_cursor(&mut self) {
        let Some(map) = self.array().and_then(|array| MemoryMap::new(array).ok()) else { return };
        let sliders = AxisAssignment::new(map.padded_sizes(), self.view.axes).sliders;
        if sliders.is_empty() || !(0..map.slot_count()).contains(&self.cursor) {
            return;
        }
        let mut index = Dims::from_elem(0, map.rank());
        if map.index_of(self.cursor, &mut index) != SlotKind::UnindexedPadding {
            for d in sliders {
                self.set_slider_index(d, index[d]);
            }
        }
    }

    /// Brings cursor, axes, pins and the compared layout into range.
    ///
    /// # Errors
    /// The message of the first rule or limit that the shape violates.
    pub fn normalize(&mut self) -> Result<(), Message> {
        check(&self.shape)?;
        let leaves = self.leaves().len();
        self.leaf = self.leaf.min(leaves.saturating_sub(1));
        if !LINE_BYTES.contains(&self.view.line_bytes) {
            self.view.line_bytes = ViewOptions::default().line_bytes;
        }
        let Some(array) = self.array().cloned() else {
            (self.cursor, self.compare) = (0, None);
            self.pins.clear();
            self.view.axes = None;
            self.view.slider_indices.clear();
            return Ok(());
        };
        let map = MemoryMap::new(&array).map_err(|violation| violation.message)?;
        let rank = array.rank();
        self.cursor = self.cursor.clamp(0, (map.slot_count() - 1).max(0));
        self.pins.retain(|slot| (0..map.slot_count()).contains(slot));
        remove_duplicates(&mut self.pins);
        self.view.axes = self.view.axes.filter(|(r, c)| *r < rank && *c < rank && r != c);
        if self.view.slider_indices.len() > rank {
            self.view.slider_indices.truncate(rank);
        }
        for (index, size) in self.view.slider_indices.iter_mut().zip(map.padded_sizes()) {
            *index = (*index).clamp(0, (*size - 1).max(0));
        }
        while self.view.slider_indices.last() == Some(&0) {
            self.view.slider_indices.pop();
        }
        let valid = |layout: &Layout| -> bool {
            let other = array.clone().with_layout(layout.clone());
            check(&Shape::Array(other)).is_ok()
        };
        self.compare = self.compare.take().filter(valid);
        Ok(())
    }

    /// Sets the size of dimension `d`; the padded size grows with it.
    pub fn set_size(&mut self, d: usize, size: i64) -> Result<(), Message> {
        self.edit(|array| {
            if let Some(entry) = array.dimensions.get_mut(d) {
                *entry = size;
            }
            if let Some(padding) = array.layout.as_mut().and_then(|l| l.padding.as_mut())
                && let Some(padded) = padding.dimensions.get_mut(d)
            {
                *padded = (*padded).max(size);
            }
            remove_trivial_padding(array);
        })
    }

    /// Pads dimension `d` to `padded` and removes tiles, which cannot be combined with padding.
    pub fn set_padded(&mut self, d: usize, padded: i64) -> Result<(), Message> {
        self.edit(|array| {
            let sizes = array.dimensions.clone();
            let Some(layout) = array.layout.as_mut() else { return };
            layout.tiles.clear();
            let padding = layout
                .padding
                .get_or_insert_with(|| Box::new(Padding { dimensions: sizes, value: PaddingValue::Zero }));
            if let Some(entry) = padding.dimensions.get_mut(d) {
                *entry = padded;
            }
            remove_trivial_padding(array);
        })
    }

    /// Sets the value of padding elements.
    pub fn set_padding_value(&mut self, value: PaddingValue) -> Result<(), Message> {
        self.edit(|array| {
            if let Some(padding) = array.layout.as_mut().and_then(|l| l.padding.as_mut()) {
                padding.value = value;
            }
        })
    }

    /// Moves the entry at index `from` of `minor_to_major` to index `to`.
    pub fn move_minor_to_major_entry(&mut self, from: usize, to: usize) -> Result<(), Message> {
        self.edit(|array| {
            if let Some(layout) = array.layout.as_mut()
                && from < layout.minor_to_major.len()
                && to < layout.minor_to_major.len()
            {
                let d = layout.minor_to_major.remove(from);
                layout.minor_to_major.insert(to, d);
            }
        })
    }

    /// Sets `minor_to_major` to 0, 1, … if `ascending` (column-major), else to its reverse (row-major).
    pub fn set_minor_to_major(&mut self, ascending: bool) -> Result<(), Message> {
        self.edit(|array| {
            let rank = array.rank();
            let order = if ascending { Layout::ascending(rank) } else { Layout::descending(rank) };
            if let Some(layout) = array.layout.as_mut() {
                layout.minor_to_major = order.minor_to_major;
            }
        })
    }

    /// Appends a dimension of size 2, the most minor one (`AppendMinorDimension`).
    pub fn add_dimension(&mut self) -> Result<(), Message> {
        self.edit(|array| {
            let number = i64::try_from(array.rank()).or_bug(i64::MAX, "a rank exceeds i64");
            array.dimensions.push(2);
            if !array.dynamic.is_empty() {
                array.dynamic.push(crate::array::Dynamic::Static);
            }
            if let Some(layout) = array.layout.as_mut() {
                layout.minor_to_major.insert(0, number);
                if let Some(padding) = layout.padding.as_mut() {
                    padding.dimensions.push(2);
                }
            }
        })
    }

    /// Removes dimension `d` (`DeleteDimension`) and renumbers the higher ones.
    pub fn remove_dimension(&mut self, d: usize) -> Result<(), Message> {
        self.edit(|array| {
            if d >= array.rank() {
                return;
            }
            array.dimensions.remove(d);
            if d < array.dynamic.len() {
                array.dynamic.remove(d);
            }
            if array.is_static() {
                array.dynamic.clear();
            }
            let number = i64::try_from(d).or_bug(i64::MAX, "a dimension exceeds i64");
            if let Some(layout) = array.layout.as_mut() {
                layout.minor_to_major.retain(|e| *e != number);
                for e in &mut layout.minor_to_major {
                    *e -= i64::from(*e > number);
                }
                if let Some(padding) = layout.padding.as_mut() {
                    padding.dimensions.remove(d);
                }
                layout.split_configs.clear();
            }
            remove_trivial_padding(array);
        })
    }

    /// The index of dimension `d` that its slider selects; 0 until it is moved.
    pub fn slider_index(&self, d: usize) -> i64 {
        self.view.slider_indices.get(d).copied().unwrap_or(0)
    }

    /// Moves the slider of dimension `d`.
    pub fn set_slider_index(&mut self, d: usize, index: i64) {
        if self.array().is_none_or(|array| d >= array.rank()) {
            return;
        }
        if self.view.slider_indices.len() <= d {
            self.view.slider_indices.resize(d + 1, 0);
        }
        self.view.slider_indices[d] = index;
        while self.view.slider_indices.last() == Some(&0) {
            self.view.slider_indices.pop();
        }
    }
}

/// Removes padding that equals the array's sizes, so that every shape has a single link.
fn remove_trivial_padding(array: &mut ArrayShape) {
    let sizes = array.dimensions.clone();
    if let Some(layout) = array.layout.as_mut()
        && layout.padding.as_ref().is_some_and(|p| p.dimensions == sizes)
    {
        layout.padding = None;
    }
}

/// Checks that a shape can be shown: every array valid and within [`MAX_SLOTS`] and [`MAX_RANK`].
pub fn check(shape: &Shape) -> Result<(), Message> {
    match shape {
        Shape::Array(array) => check_array(array),
        Shape::Buffer(array) => check_array(array),
        Shape::Token | Shape::Opaque => Ok(()),
        Shape::Tuple(elements) => elements.iter().try_for_each(check),
    }
}

fn check_array(array: &ArrayShape) -> Result<(), Message> {
    if array.rank() > MAX_RANK {
        return Err(Message::new("limit-rank").with("rank", array.rank()).with("limit", MAX_RANK));
    }
    let map = MemoryMap::new(array).map_err(|violation: Violation| violation.message)?;
    if map.slot_count() > MAX_SLOTS {
        return Err(Message::new("limit-cells").with("cells", map.slot_count()).with("limit", MAX_SLOTS));
    }
    Ok(())
}

/// Removes duplicates; the first of each stays in its position.
fn remove_duplicates(numbers: &mut Vec<i64>) {
    let mut numbered = sort_pairs(numbers.iter().copied().zip(0..).collect());
    numbered.dedup_by_key(|(number, _)| *number);
    let unique = sort_pairs(numbered.into_iter().map(|(number, position)| (position, number)).collect());
    numbers.clear();
    numbers.extend(unique.into_iter().map(|(_, number)| number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_keep_their_first_position() {
        let mut numbers = vec![5, 3, 5, 9, 3, 0, 9];
        remove_duplicates(&mut numbers);
        assert_eq!(numbers, [5, 3, 9, 0]);
    }
}
