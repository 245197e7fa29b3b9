//! A small element-wise task that is run many times, as in the body of a loop: one call of its row function.

use crate::map::blocks::{MAX_BLOCK_ELEMENTS, dimensions};
use crate::map::dispatch::HasRowFunction;
use crate::map::row::BoxedRowFunction;
use crate::map::task::Map;
use crate::support::slice::{Slice, SliceMut, TypedVec};
use crate::support::view::View;

/// The maximum number of operands.
const MAX_OPERANDS: usize = 3;

/// The row of an operand.
enum Row {
    /// The first slot and the number of the elements that are passed in place.
    InPlace(usize, usize),
    /// The slot of an element that is broadcast, and memory for its copies, which the first run allocates.
    Broadcast(usize, Option<TypedVec>),
}

/// An element-wise task on arrays that are contiguous in the same order, or a single element that is broadcast.
pub struct PreparedMap {
    row_function: BoxedRowFunction,
    rows: Vec<Row>,
    /// The first slot of the result.
    out: usize,
    elements: usize,
}

impl PreparedMap {
    /// Prepares a task that was checked; `None` if its rows are not contiguous, or too long for one call.
    pub fn new<F: HasRowFunction<N>, const N: usize>(map: &Map<F, N>) -> Option<Self> {
        let (method, row_function) = F::row_function(map)?;
        let views: Vec<&View> = map.operands.iter().chain([&map.out]).map(|array| &array.view).collect();
        if N > MAX_OPERANDS || map.out.view.sizes.contains(&0) {
            return None;
        }
        let (dimensions, base) = dimensions(&views);
        let (elements, strides) = match dimensions.as_slice() {
            [] => (1, [1; MAX_OPERANDS + 1]),
            [(elements, strides)] => (*elements, *strides),
            _ => return None,
        };
        if elements > MAX_BLOCK_ELEMENTS || strides[N] != 1 {
            return None;
        }
        let rows = strides[..N].iter().zip(base).map(|(stride, slot)| {
            let slot = slot.cast_unsigned();
            match stride {
                1 => Some(Row::InPlace(slot, elements)),
                0 if method.accepts_scalars(N) => Some(Row::InPlace(slot, 1)),
                0 => Some(Row::Broadcast(slot, None)),
                _ => None,
            }
        });
        Some(Self {
            row_function,
            rows: rows.collect::<Option<_>>()?,
            out: base[N].cast_unsigned(),
            elements,
        })
    }

    /// Runs the task on buffers of the checked sizes.
    pub fn run(&mut self, read: &[Slice], written: &mut SliceMut) {
        let elements = self.elements;
        for (row, read) in self.rows.iter_mut().zip(read) {
            if let Row::Broadcast(slot, copies) = row {
                copies.get_or_insert_with(|| read.zeroed_like(elements)).fill_prefix(read, *slot, elements);
            }
        }
        let mut rows = [Slice::U8(&[]); MAX_OPERANDS];
        for ((row, operand), read) in rows.iter_mut().zip(&self.rows).zip(read) {
            *row = match operand {
                Row::InPlace(slot, length) => read.part(*slot, *length),
                Row::Broadcast(_, Some(copies)) => copies.prefix(elements),
                Row::Broadcast(_, None) => return,
            };
        }
        let rows = rows.get(..self.rows.len()).unwrap_or_default();
        (self.row_function)(rows, &mut written.part(self.out, elements));
    }
}
