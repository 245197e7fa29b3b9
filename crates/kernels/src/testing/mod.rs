//! Random numbers and layouts for tests, and functions that run a task.

mod packed_operands;
pub mod soundness;

use std::ops::{Deref, DerefMut};

use crate::scratch::Scratch;
use crate::task::Array;
use crate::{Context, KernelError, Slice, SliceMut, Task, Type, View, run};

/// The shared pseudo-random numbers, with the arrays of tasks.
pub struct Random(test_support::Random);

impl Deref for Random {
    type Target = test_support::Random;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(test_support::Random::new(seed))
    }

    /// A number from -1 to 1, one in twelve a special one.
    pub fn float(&mut self) -> f32 {
        if self.one_in(12) { self.special() } else { self.unit() }
    }

    /// NaN, an infinity, a zero, a subnormal or another number with an edge case.
    pub fn special(&mut self) -> f32 {
        const SPECIALS: [f32; 10] = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0,
            -0.0,
            1e-42,
            -1e-45,
            f32::MAX,
            f32::MIN_POSITIVE,
            -1.0,
        ];
        SPECIALS[self.below(SPECIALS.len())]
    }

    /// Sizes of a rank, each at most `max`.
    pub fn sizes(&mut self, rank: usize, max: usize) -> Vec<usize> {
        (0..rank).map(|_| self.below(max) + 1).collect()
    }

    /// A view of these sizes in a random order of dimensions, sometimes padded, and the length of its buffer in elements.
    pub fn layout(&mut self, sizes: &[usize]) -> (View, usize) {
        let (mut strides, mut stride) = (vec![0; sizes.len()], 1);
        for d in self.order(sizes.len()) {
            strides[d] = isize::try_from(stride).unwrap();
            let padding = if self.one_in(4) { self.below(3) } else { 0 };
            stride *= sizes[d] + padding;
        }
        (View { offset: 0, sizes: sizes.to_vec(), strides }, stride)
    }
}

/// The slots of a view's elements, in row-major order of the indices.
pub fn slots(view: &View) -> Vec<usize> {
    let mut slots = vec![view.offset.cast_signed()];
    for (size, stride) in view.sizes.iter().zip(&view.strides) {
        slots =
            slots.iter().flat_map(|slot| (0..size.cast_signed()).map(move |i| slot + i * stride)).collect();
    }
    slots.into_iter().map(isize::cast_unsigned).collect()
}

/// An `f32` array of a task.
pub fn floats(view: &View) -> Array {
    Array { ty: Type::F32, view: view.clone() }
}

/// Runs a task.
pub fn run_task(task: &Task, read: &[Slice], written: &mut [SliceMut]) -> Result<(), KernelError> {
    let mut scratch = Scratch::default();
    let mut tick = |_| true;
    run(task, read, written, &mut Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None })
}

/// Runs a task of floats with one result, whose buffer has `length` elements, and returns this; elements that the task does not
/// write are 7.
pub fn floats_of(task: &Task, read: &[&[f32]], length: usize) -> Vec<f32> {
    let mut out = vec![7.0; length];
    let read: Vec<Slice> = read.iter().map(|elements| Slice::F32(elements)).collect();
    run_task(task, &read, &mut [SliceMut::F32(&mut out)]).unwrap();
    out
}

/// Whether a result has the expected bits; for an expected NaN, those of the canonical NaN.
pub fn same(found: f32, expected: f32) -> bool {
    if expected.is_nan() {
        found.to_bits() == f32::NAN.to_bits()
    } else {
        found.to_bits() == expected.to_bits()
    }
}
