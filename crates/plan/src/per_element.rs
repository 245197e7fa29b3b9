//! Runs the semantics of ops element by element, on the buffers of a run.

use smallvec::SmallVec;
use xla_array::index::Indices;
use xla_array::literal::Buffer;
use xla_array::{ElementType, Value};
use xla_kernels::View;
use xla_messages::bug::OrBug as _;
use xla_ops::{OpError, Read, Role};

use crate::array::Array;
use crate::memory::Memory;
use crate::meter::Meter;

/// Computes the element of each result at an index.
pub type ElementSemantics<'f> = &'f dyn Fn(&[i64], &mut dyn Read, &mut [Value]);

/// Steps that are accumulated before they are charged to the meter.
const CHARGE_INTERVAL_STEPS: u64 = 1 << 12;

/// Reads operands from their buffers, and charges the reads to the meter.
struct OperandReader<'a, 'o> {
    operands: SmallVec<[(ElementType, &'a Buffer, &'a View); 4]>,
    meter: &'a mut Meter<'o>,
    uncharged_steps: u64,
    stopped: Option<OpError>,
}

/// The offset of the element at an index.
fn element_offset(view: &View, index: &[i64]) -> usize {
    let offsets = index.iter().zip(&view.strides).map(|(i, stride)| i * *stride as i64);
    usize::try_from(view.offset.cast_signed() as i64 + offsets.sum::<i64>()).unwrap_or(usize::MAX)
}

impl OperandReader<'_, '_> {
    fn charge(&mut self) -> bool {
        let steps = std::mem::take(&mut self.uncharged_steps);
        if self.stopped.is_none() {
            self.stopped = self.meter.spend(steps).err();
        }
        self.stopped.is_none()
    }
}

impl Read for OperandReader<'_, '_> {
    fn get(&mut self, operand: usize, index: &[i64], _: Role) -> Value {
        self.uncharged_steps += 1;
        let value = self.operands.get(operand).and_then(|(element_type, buffer, view)| {
            let is_inside =
                index.iter().zip(&view.sizes).all(|(i, size)| usize::try_from(*i).is_ok_and(|i| i < *size));
            buffer
                .get(*element_type, element_offset(view, index))
                .filter(|_| is_inside && index.len() == view.rank())
        });
        value.or_bug(Value::Int(0), "semantics read outside of an operand")
    }

    fn charge_steps(&mut self, steps: u64) -> bool {
        self.uncharged_steps = self.uncharged_steps.saturating_add(steps);
        self.uncharged_steps < CHARGE_INTERVAL_STEPS || self.charge()
    }
}

/// Computes arrays of equal sizes element by element, into `buffers`, which were taken from `memory`.
///
/// # Errors
///
/// `budget-steps` if the step limit is exceeded; `cancelled` if the observer cancels the run.
pub fn compute_per_element(
    memory: &Memory,
    reads: &[Array],
    writes: &[Array],
    buffers: &mut [Buffer],
    meter: &mut Meter,
    semantics: ElementSemantics,
) -> Result<(), OpError> {
    let Some(first) = writes.first() else { return Ok(()) };
    let operands =
        reads.iter().map(|Array { shape, view, value }| (shape.element_type, memory.buffer(*value), view));
    let mut read = OperandReader { operands: operands.collect(), meter, uncharged_steps: 0, stopped: None };
    let mut indices = Indices::row_major(&first.shape.dimensions);
    let mut results: SmallVec<[Value; 2]> = writes.iter().map(|_| Value::Int(0)).collect();
    while let Some(index) = indices.advance() {
        semantics(index, &mut read, &mut results);
        read.charge_steps(1);
        if let Some(error) = read.stopped {
            return Err(error);
        }
        for ((array, buffer), value) in writes.iter().zip(&mut *buffers).zip(&results) {
            buffer.set(array.shape.element_type, element_offset(&array.view, index), *value);
        }
    }
    read.charge();
    read.stopped.map_or(Ok(()), Err)
}
