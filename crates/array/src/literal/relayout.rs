//! Copies the elements of an array from one layout to another.
//!
//! Without tiles both sides are strided: dimensions that are contiguous on both sides are merged, contiguous runs are
//! copied as slices, and a transposition is blocked for the cache. With tiles slots are sums of table entries; if a `*`
//! merges dimensions, each slot is computed.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "slots and sizes are in 0..=MAX_SLOTS"
)]

use super::super::index::Indices;
use super::super::memory::MemoryMap;
use super::super::{ArrayShape, Layout};
use super::storage::match_buffer;
use super::{ArrayLiteral, Buffer, LiteralError, Native};
use xla_messages::bug;
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The side of a block of a transposition: two blocks of 16-byte elements are 8 kB, which fits the L1 cache.
const BLOCK_SIDE_ELEMENTS: usize = 16;

impl ArrayLiteral {
    /// The same elements in another layout; padding has the new layout's padding value.
    ///
    /// # Errors
    ///
    /// The first rule that the layout violates; `literal-size` above [`super::MAX_SLOTS`] slots; `literal-memory`.
    pub fn relayout(&self, layout: Layout) -> Result<Self, LiteralError> {
        self.relayout_to(ArrayShape { layout: Some(layout), ..self.shape().clone() })
    }

    /// The same elements in the layout of `shape`, or in the default one if it has none.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::relayout`]; `literal-relayout` if element type or sizes differ.
    pub fn relayout_to(&self, shape: ArrayShape) -> Result<Self, LiteralError> {
        if shape.element_type != self.element_type() || shape.dimensions != self.shape().dimensions {
            return Err(LiteralError::new("literal-relayout", Message::ops("literal-other-sizes")));
        }
        let mut relaid = Self::zeros(shape)?;
        if relaid.shape().layout == self.shape().layout {
            relaid.buffer_mut().clone_from(self.buffer());
        } else {
            let target = relaid.memory_map().clone();
            match_buffer!(self.buffer(), from => copy(from, relaid.buffer_mut(), self.memory_map(), &target));
        }
        Ok(relaid)
    }
}

/// Copies every element from its slot in `source` to its slot in `target`.
fn copy<T: Native>(from: &[T], to: &mut Buffer, source: &MemoryMap, target: &MemoryMap) {
    let Some(to) = to.as_mut_slice::<T>() else { return bug!("literals of one type in different buffers") };
    if source.elements() == 0 {
        return;
    }
    if let (Some(s), Some(t)) = (source.strides(), target.strides()) {
        copy_strided(from, to, &axes(source, target, &s, &t));
    } else if let (Some(s), Some(t)) = (source.tables(), target.tables()) {
        let order: Vec<usize> = target.minor_to_major().iter().rev().copied().collect();
        let axes: Vec<(&[i64], &[i64])> = order
            .into_iter()
            .map(|d| (d, source.sizes()[d] as usize))
            .filter(|(_, size)| *size > 1)
            .map(|(d, size)| (&s[d][..size], &t[d][..size]))
            .collect();
        copy_by_tables(from, to, &axes, 0, 0);
    } else {
        let mut indices = Indices::row_major(source.sizes());
        while let Some(index) = indices.advance() {
            let slots = source.slot(index).zip(target.slot(index));
            let (s, t) = slots.or_bug((0, 0), "an index within the sizes without a slot");
            to[t as usize] = from[s as usize];
        }
    }
}

/// A dimension, or several merged ones: its size, and its stride on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    size: usize,
    from: usize,
    to: usize,
}

/// The dimensions of size above 1 in the target's major-to-minor order, merged if they are contiguous on both sides.
fn axes(source: &MemoryMap, target: &MemoryMap, from: &[i64], to: &[i64]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for &d in target.minor_to_major().iter().rev() {
        let next = Axis { size: source.sizes()[d] as usize, from: from[d] as usize, to: to[d] as usize };
        match axes.last_mut() {
            _ if next.size == 1 => {}
            Some(outer) if outer.from == next.from * next.size && outer.to == next.to * next.size => {
                *outer = Axis { size: outer.size * next.size, ..next };
            }
            _ => axes.push(next),
        }
    }
    axes
}

fn copy_strided<T: Native>(from: &[T], to: &mut [T], axes: &[Axis]) {
    let Some((inner, outer)) = axes.split_last() else {
        to[0] = from[0];
        return;
    };
    if inner.from == 1 && inner.to == 1 {
        return for_each_offset_pair(outer, 0, 0, &mut |s, t| {
            to[t..t + inner.size].copy_from_slice(&from[s..s + inner.size]);
        });
    }
    // The fastest axis of the source: blocks over it and the fastest axis of the target read every cache line once.
    let fastest = (0..outer.len()).min_by_key(|i| outer[*i].from).filter(|i| outer[*i].from < inner.from);
    let Some(fastest) = fastest else {
        return for_each_offset_pair(outer, 0, 0, &mut |s, t| copy_line(from, to, *inner, s, t));
    };
    let mut rest = outer.to_vec();
    let across = rest.remove(fastest);
    for_each_offset_pair(&rest, 0, 0, &mut |s, t| {
        for a in (0..across.size).step_by(BLOCK_SIDE_ELEMENTS) {
            for b in (0..inner.size).step_by(BLOCK_SIDE_ELEMENTS) {
                let part = Axis { size: BLOCK_SIDE_ELEMENTS.min(inner.size - b), ..*inner };
                for i in a..across.size.min(a + BLOCK_SIDE_ELEMENTS) {
                    let (s, t) = (s + i * across.from + b * inner.from, t + i * across.to + b * inner.to);
                    copy_line(from, to, part, s, t);
                }
            }
        }
    });
}

/// Copies one line of elements.
fn copy_line<T: Native>(from: &[T], to: &mut [T], axis: Axis, s: usize, t: usize) {
    for i in 0..axis.size {
        to[t + i * axis.to] = from[s + i * axis.from];
    }
}

/// Calls `visit` with both offsets at every index of the axes, the last of them fastest.
fn for_each_offset_pair(axes: &[Axis], s: usize, t: usize, visit: &mut impl FnMut(usize, usize)) {
    let Some((outer, inner)) = axes.split_first() else { return visit(s, t) };
    for i in 0..outer.size {
        for_each_offset_pair(inner, s + i * outer.from, t + i * outer.to, visit);
    }
}

fn copy_by_tables<T: Native>(from: &[T], to: &mut [T], axes: &[(&[i64], &[i64])], s: usize, t: usize) {
    match axes.split_first() {
        None => to[t] = from[s],
        Some(((a, b), [])) => {
            for (a, b) in a.iter().zip(*b) {
                to[t + *b as usize] = from[s + *a as usize];
            }
        }
        Some(((a, b), inner)) => {
            for (a, b) in a.iter().zip(*b) {
                copy_by_tables(from, to, inner, s + *a as usize, t + *b as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{ElementType, PaddingValue, Value};
    use super::*;

    fn map(dimensions: &[i64], layout: Layout) -> MemoryMap {
        let shape = ArrayShape::new(ElementType::F32, dimensions.iter().copied()).with_layout(layout);
        MemoryMap::new(&shape).unwrap()
    }

    fn merged(dimensions: &[i64], from: Layout, to: Layout) -> Vec<usize> {
        let (source, target) = (map(dimensions, from), map(dimensions, to));
        let (s, t) = (source.strides().unwrap(), target.strides().unwrap());
        axes(&source, &target, &s, &t).iter().map(|axis| axis.size).collect()
    }

    #[test]
    fn dimensions_contiguous_on_both_sides_are_merged() {
        assert_eq!(merged(&[2, 3, 4], Layout::descending(3), Layout::descending(3)), [24]);
        assert_eq!(merged(&[2, 3, 4], Layout::new([2, 1, 0]), Layout::new([0, 2, 1])), [12, 2]);
        assert_eq!(merged(&[2, 1, 4], Layout::new([1, 2, 0]), Layout::new([2, 1, 0])), [8]);
        let padded = Layout::descending(2).padded([4, 5], PaddingValue::Zero);
        assert_eq!(merged(&[4, 3], Layout::descending(2), padded), [4, 3]);
    }

    #[test]
    fn the_example_of_the_documents() {
        let elements: Vec<Value> = (1..=6).map(Value::Int).collect();
        let shape = ArrayShape::new(ElementType::F32, [2, 3]);
        let literal = ArrayLiteral::from_values(shape, elements).unwrap();
        let padded = literal.relayout(Layout::ascending(2).padded([3, 5], PaddingValue::Zero)).unwrap();
        let cells: Vec<f32> = padded.as_slice::<f32>().unwrap().to_vec();
        assert_eq!(cells, [1., 4., 0., 2., 5., 0., 3., 6., 0., 0., 0., 0., 0., 0., 0.].map(|x: f32| x));
        let kinds: String = padded.cells().map(|cell| if cell.is_some() { 'x' } else { '.' }).collect();
        assert_eq!(kinds, "xx.xx.xx.......");
    }

    #[test]
    fn a_large_transpose_is_blocked_and_keeps_every_element() {
        let (rows, columns) = (37_i64, 53_i64);
        let shape = ArrayShape::new(ElementType::S32, [rows, 2, columns]);
        let literal = ArrayLiteral::from_fn(shape, |number, _| Value::Int(number)).unwrap();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1]] {
            let moved = literal.relayout(Layout::new(order)).unwrap();
            assert!(moved.equals(&literal, super::super::Equality::Bits), "{order:?}");
            assert_eq!(moved.relayout(Layout::descending(3)).unwrap(), literal, "{order:?}");
        }
    }
}
