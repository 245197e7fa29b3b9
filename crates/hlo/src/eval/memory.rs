//! The memory budget of a run: bytes of every array that is alive, each counted once, and of scratch buffers.
//!
//! Arrays are counted by identity through weak references: an array that several values share costs its bytes once,
//! and an array that was dropped costs nothing, whoever dropped it. Everything else, as scratch buffers, small
//! values and queued items, is reserved and released by number.
//!
//! Invariant: a reservation is made before the memory is allocated.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use xla_array::{ArrayLiteral, Literal};
use xla_ops::Data;

/// Arrays of fewer bytes are not tracked one by one: [`PER_VALUE`] covers them.
const LEAST_TRACKED_BYTES: u64 = 512;
/// What an instruction's value costs beside the cells of a tracked array.
pub(super) const PER_VALUE: u64 = 1024;
/// What an instruction of a computation that is running costs before it has a value.
pub(super) const PER_INSTRUCTION: u64 = 128;
/// Tracked arrays from which on those that were dropped are looked for.
const LEAST_SWEPT: usize = 64;

struct Tracked {
    array: Weak<ArrayLiteral>,
    bytes: u64,
}

#[derive(Default)]
struct State {
    limit: u64,
    /// Bytes reserved by number.
    reserved: u64,
    /// The arrays by their address, which stays taken as long as the weak reference to it exists.
    arrays: BTreeMap<usize, Tracked>,
    array_bytes: u64,
    sweep_at: usize,
    peak: u64,
}

impl State {
    fn total(&self) -> u64 {
        self.reserved.saturating_add(self.array_bytes)
    }

    /// Forgets the arrays that were dropped.
    fn sweep(&mut self) {
        self.arrays.retain(|_, tracked| tracked.array.strong_count() > 0);
        self.array_bytes = self.arrays.values().fold(0, |sum, tracked| sum.saturating_add(tracked.bytes));
        self.sweep_at = (self.arrays.len() * 2).max(LEAST_SWEPT);
    }

    fn track(&mut self, array: &Arc<ArrayLiteral>, is_counted: bool) {
        let bytes = array.held_bytes();
        if bytes < LEAST_TRACKED_BYTES {
            return;
        }
        let address = Arc::as_ptr(array) as usize;
        if self.arrays.contains_key(&address) {
            return;
        }
        if self.arrays.len() >= self.sweep_at.max(LEAST_SWEPT) {
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

/// A memory budget; clones share it, as the devices of one run do.
#[derive(Clone, Default)]
pub(super) struct Memory(Rc<RefCell<State>>);

impl Memory {
    pub fn new(limit: u64) -> Self {
        Self(Rc::new(RefCell::new(State { limit, ..State::default() })))
    }

    pub fn limit(&self) -> u64 {
        self.0.borrow().limit
    }

    /// Takes bytes out of the budget; `false`, and nothing taken, where it has no room for them.
    #[must_use]
    pub fn reserve(&self, bytes: u64) -> bool {
        let mut state = self.0.borrow_mut();
        let fits = |state: &State| state.total().saturating_add(bytes) <= state.limit;
        if !fits(&state) {
            state.sweep();
            if !fits(&state) {
                return false;
            }
        }
        // Arrays that were dropped are no part of a peak; they are looked for when it grows by a sixteenth.
        if state.total().saturating_add(bytes) > state.peak.saturating_add(state.peak / 16) {
            state.sweep();
        }
        state.reserved = state.reserved.saturating_add(bytes);
        state.peak = state.peak.max(state.total());
        true
    }

    /// Gives reserved bytes back.
    pub fn release(&self, bytes: u64) {
        let mut state = self.0.borrow_mut();
        state.reserved = state.reserved.saturating_sub(bytes);
    }

    /// Counts the arrays of a value until they are dropped.
    pub fn track(&self, data: &Data) {
        let mut state = self.0.borrow_mut();
        state.track_all(data, true);
    }

    /// Does not count the arrays of a value, which belong to somebody else, unless they are counted already.
    pub fn exempt(&self, data: &Data) {
        self.0.borrow_mut().track_all(data, false);
    }

    /// The most bytes that were counted at one time, to a sixteenth.
    pub fn peak(&self) -> u64 {
        self.0.borrow().peak
    }
}

/// The bytes that a literal takes.
pub(super) fn literal_bytes(literal: &Literal) -> u64 {
    match literal {
        Literal::Array(array) => array.held_bytes().saturating_add(PER_VALUE),
        Literal::Tuple(elements) => elements.iter().map(literal_bytes).fold(PER_VALUE, u64::saturating_add),
        Literal::Token => PER_VALUE,
    }
}

/// The bytes that a value takes, shared arrays included.
pub(super) fn data_bytes(data: &Data) -> u64 {
    match data {
        Data::Array(array) => array.held_bytes().saturating_add(PER_VALUE),
        Data::Tuple(elements) => elements.iter().map(data_bytes).fold(PER_VALUE, u64::saturating_add),
        Data::Token => PER_VALUE,
    }
}

/// The parts of a value: arrays, tokens and the tuples around them.
pub(super) fn parts(data: &Data) -> u64 {
    match data {
        Data::Tuple(elements) => elements.iter().map(parts).fold(1, u64::saturating_add),
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
    fn an_array_counts_once_and_until_it_is_dropped() {
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
    fn arrays_of_somebody_else_cost_nothing() {
        let memory = Memory::new(100);
        let data = array(1000);
        memory.exempt(&data);
        memory.track(&data);
        assert!(memory.reserve(100));
    }

    #[test]
    fn dropped_arrays_are_forgotten() {
        let memory = Memory::new(u64::MAX);
        for _ in 0..10_000 {
            memory.track(&array(100));
        }
        assert!(memory.0.borrow().arrays.len() <= 2 * LEAST_SWEPT);
    }
}
