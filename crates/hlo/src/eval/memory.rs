//! The memory budget of a run: bytes of live arrays and of scratch buffers.
//!
//! Arrays are tracked by identity through weak references: an array shared by several values counts once, and an
//! array counts until it is dropped. Everything else (scratch buffers, small values, queued items) is reserved and
//! released as a number of bytes.
//!
//! Invariant: a reservation is made before the memory is allocated.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use xla_array::{ArrayLiteral, Literal};
use xla_ops::Data;

/// Minimum size of an array that is tracked individually; [`VALUE_BYTES`] covers smaller ones.
const MIN_TRACKED_BYTES: u64 = 512;
/// Bytes charged for an instruction's value in addition to its tracked arrays.
pub(super) const VALUE_BYTES: u64 = 1024;
/// Bytes charged for each instruction of a running computation before it has a value.
pub(super) const INSTRUCTION_BYTES: u64 = 128;
/// Minimum number of tracked arrays for a sweep of dropped ones; with fewer, a sweep costs more than it frees.
const MIN_SWEPT_ARRAYS: usize = 64;

struct Tracked {
    array: Weak<ArrayLiteral>,
    bytes: u64,
}

#[derive(Default)]
struct MemoryState {
    limit: u64,
    /// Bytes that belong to no tracked array.
    reserved: u64,
    /// The arrays by address, which cannot be reused while the weak reference exists.
    arrays: BTreeMap<usize, Tracked>,
    array_bytes: u64,
    /// Number of arrays at which to sweep next.
    sweep_at: usize,
    peak: u64,
}

impl MemoryState {
    fn total(&self) -> u64 {
        self.reserved.saturating_add(self.array_bytes)
    }

    /// Removes the arrays that were dropped.
    fn sweep(&mut self) {
        self.arrays.retain(|_, tracked| tracked.array.strong_count() > 0);
        self.array_bytes = self.arrays.values().fold(0, |sum, tracked| sum.saturating_add(tracked.bytes));
        self.sweep_at = (self.arrays.len() * 2).max(MIN_SWEPT_ARRAYS);
    }

    fn track(&mut self, array: &Arc<ArrayLiteral>, is_counted: bool) {
        let bytes = array.held_bytes();
        if bytes < MIN_TRACKED_BYTES {
            return;
        }
        let address = Arc::as_ptr(array) as usize;
        if self.arrays.contains_key(&address) {
            return;
        }
        if self.arrays.len() >= self.sweep_at.max(MIN_SWEPT_ARRAYS) {
            self.sweep();
        }
        let bytes = if is_counted { bytes } else { 0 };
        self.array_bytes = self.array_bytes.saturating_add(bytes);
        self.arrays.insert(address, Tracked { array: Arc::downgrade(array), bytes });
    }

    fn track_all(&mut self, data: &Data, is_counted: bool) {
        match data {
            Data::Array(array) => self.track(array, is_counted),
            Data::Tuple(elements) => elements.iter().for_each(|e| self.track_all(e, is_counted)),
            Data::Token => {}
        }
    }
}

/// A memory budget; clones share it, e.g. for the devices of one run.
#[derive(Clone, Default)]
pub(super) struct Memory(Rc<RefCell<MemoryState>>);

impl Memory {
    pub fn new(limit: u64) -> Self {
        Self(Rc::new(RefCell::new(MemoryState { limit, ..MemoryState::default() })))
    }

    pub fn limit(&self) -> u64 {
        self.0.borrow().limit
    }

    /// Reserves bytes and returns whether they fit in the budget; if not, nothing is reserved.
    #[must_use]
    pub fn reserve(&self, bytes: u64) -> bool {
        let mut state = self.0.borrow_mut();
        let fits = |state: &MemoryState| state.total().saturating_add(bytes) <= state.limit;
        if !fits(&state) {
            state.sweep();
            if !fits(&state) {
                return false;
            }
        }
        // Dropped arrays must not count towards the peak, so sweep whenever it would grow by a sixteenth.
        if state.total().saturating_add(bytes) > state.peak.saturating_add(state.peak / 16) {
            state.sweep();
        }
        state.reserved = state.reserved.saturating_add(bytes);
        state.peak = state.peak.max(state.total());
        true
    }

    /// Releases reserved bytes.
    pub fn release(&self, bytes: u64) {
        let mut state = self.0.borrow_mut();
        state.reserved = state.reserved.saturating_sub(bytes);
    }

    /// Counts the arrays of a value until they are dropped.
    pub fn track(&self, data: &Data) {
        let mut state = self.0.borrow_mut();
        state.track_all(data, true);
    }

    /// Excludes the arrays of a value, which the caller owns, unless they are tracked already.
    pub fn exclude_from_accounting(&self, data: &Data) {
        self.0.borrow_mut().track_all(data, false);
    }

    /// Whether live arrays and reservations exceed half of the limit.
    pub fn is_half_full(&self) -> bool {
        let mut state = self.0.borrow_mut();
        let exceeds = |state: &MemoryState| state.total() > state.limit / 2;
        if exceeds(&state) {
            state.sweep();
        }
        exceeds(&state)
    }

    /// The peak memory in bytes, to within a sixteenth.
    pub fn peak(&self) -> u64 {
        self.0.borrow().peak
    }
}

/// The bytes of a literal.
pub(super) fn literal_bytes(literal: &Literal) -> u64 {
    match literal {
        Literal::Array(array) => array.held_bytes().saturating_add(VALUE_BYTES),
        Literal::Tuple(elements) => elements.iter().map(literal_bytes).fold(VALUE_BYTES, u64::saturating_add),
        Literal::Token => VALUE_BYTES,
    }
}

/// The bytes of a value, including shared arrays.
pub(super) fn data_bytes(data: &Data) -> u64 {
    match data {
        Data::Array(array) => array.held_bytes().saturating_add(VALUE_BYTES),
        Data::Tuple(elements) => elements.iter().map(data_bytes).fold(VALUE_BYTES, u64::saturating_add),
        Data::Token => VALUE_BYTES,
    }
}

/// The number of arrays, tokens and tuples in a value.
pub(super) fn node_count(data: &Data) -> u64 {
    match data {
        Data::Tuple(elements) => elements.iter().map(node_count).fold(1, u64::saturating_add),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::{ArrayShape, ElementType};

    fn array(elements: i64) -> Data {
        ArrayLiteral::zeros(ArrayShape::new(ElementType::F64, [elements])).unwrap().into()
    }

    #[test]
    fn a_shared_array_counts_once_until_it_is_dropped() {
        let memory = Memory::new(10_000);
        let data = array(1000);
        assert!(memory.reserve(8000));
        memory.track(&data);
        memory.release(8000);
        let shared = Data::Tuple([data.clone(), data.clone()].into());
        memory.track(&shared);
        assert!(memory.reserve(2000) && !memory.reserve(1));
        memory.release(2000);
        drop(data);
        assert!(!memory.reserve(8000), "the tuple still holds it");
        drop(shared);
        assert!(memory.reserve(10_000));
        assert_eq!(memory.peak(), 10_000);
    }

    #[test]
    fn excluded_arrays_do_not_count() {
        let memory = Memory::new(100);
        let data = array(1000);
        memory.exclude_from_accounting(&data);
        memory.track(&data);
        assert!(memory.reserve(100));
    }

    #[test]
    fn dropped_arrays_are_swept() {
        let memory = Memory::new(u64::MAX);
        for _ in 0..10_000 {
            memory.track(&array(100));
        }
        assert!(memory.0.borrow().arrays.len() <= 2 * MIN_SWEPT_ARRAYS);
    }
}
