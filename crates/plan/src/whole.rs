//! Ops that compute their result as a whole: their operands as literals, and the services of a run they use.

use xla_array::literal::LiteralTemplate;
use xla_array::{ArrayLiteral, ArrayShape, Value};
use xla_hlo::eval::kernel::slice_mut;
use xla_hlo::eval::random::RandomNumbers;
use xla_kernels::scratch::Scratch;
use xla_kernels::task::Move;
use xla_kernels::{Context, Slice, SliceMut, Task, View};
use xla_ops::read::ElementTupleFn;
use xla_ops::readers::ValueReader;
use xla_ops::tasks::copy_type;
use xla_ops::{Data, OpError, RandomPosition, Run};

use crate::array::{Array, ValueTree, dense_view};
use crate::memory::Memory;
use crate::meter::Meter;
use xla_array::index::Indices;
use xla_array::literal::LiteralError;
use xla_messages::i18n::Message;

/// The error of a literal that could not be created, as an error of `op`.
pub fn literal_error(op: &'static str, error: LiteralError) -> OpError {
    OpError::new(op, error.rule, error.message)
}

/// Copies elements from a view to another of the same sizes.
pub fn copy_elements(from: (Slice, &View), to: (SliceMut, &View), array: &ArrayShape) -> Result<(), OpError> {
    let ((source, from), (destination, to)) = (from, to);
    let parts = vec![(from.clone(), to.clone())];
    let task = Task::Move(Move { ty: copy_type(array.element_type), parts, has_fill: false });
    let mut scratch = Scratch::default();
    let mut context = Context { scratch: &mut scratch, tick: &mut |_| true, packed_operand: None };
    let ran = xla_kernels::run(&task, &[source], &mut [destination], &mut context);
    ran.map_err(|_| OpError::new("copy", "literal-relayout", Message::ops("literal-other-sizes")))
}

/// A copy of an array as a literal.
pub fn array_literal(memory: &Memory, array: &Array, op: &'static str) -> Result<ArrayLiteral, OpError> {
    let error = |error| literal_error(op, error);
    let shape = (*array.shape).clone();
    let zero = Value::from_bits(shape.element_type, 0);
    let mut literal = LiteralTemplate::new(shape).map_err(error)?.filled(zero).map_err(error)?;
    if let Some((dense, _)) = dense_view(&array.shape) {
        let from = (memory.elements(array), &array.view);
        copy_elements(from, (slice_mut(literal.buffer_mut()), &dense), &array.shape)?;
    }
    Ok(literal)
}

/// A copy of a value.
pub fn copy_value(memory: &Memory, tree: &ValueTree, op: &'static str) -> Result<Data, OpError> {
    Ok(match tree {
        ValueTree::Array(array) => array_literal(memory, array, op)?.into(),
        ValueTree::Tuple(elements) => Data::Tuple(
            elements.iter().map(|element| copy_value(memory, element, op)).collect::<Result<_, _>>()?,
        ),
        ValueTree::Token => Data::Token,
    })
}

/// Appends the arrays of a value, depth first.
pub fn push_arrays<'d>(data: &'d Data, arrays: &mut Vec<&'d ArrayLiteral>) {
    match data {
        Data::Array(array) => arrays.push(array),
        Data::Tuple(elements) => elements.iter().for_each(|element| push_arrays(element, arrays)),
        Data::Token => {}
    }
}

/// The services of a run that an op uses: budget and random numbers.
pub struct Services<'a, 'o> {
    pub meter: &'a mut Meter<'o>,
    pub random: &'a mut RandomNumbers,
    pub opcode: &'static str,
}

impl Run for Services<'_, '_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.meter.spend(steps)
    }

    fn check_budget(&self, steps: u64) -> Result<(), OpError> {
        self.meter.check_budget(steps)
    }

    fn reserve_bytes(&mut self, bytes: u64) -> Result<(), OpError> {
        self.meter.reserve(bytes, self.opcode)
    }

    fn compute_elements(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        body: &ElementTupleFn,
    ) -> Result<Vec<ArrayLiteral>, OpError> {
        let mut arrays = Vec::new();
        for shape in shapes {
            let error = |error| literal_error(self.opcode, error);
            let template = LiteralTemplate::new((*shape).clone()).map_err(error)?;
            self.meter.reserve(template.held_bytes(), self.opcode)?;
            arrays.push(template.filled(Value::from_bits(shape.element_type, 0)).map_err(error)?);
        }
        let Some(sizes) = shapes.first().map(|shape| shape.dimensions.clone()) else { return Ok(arrays) };
        let mut results = vec![Value::Int(0); arrays.len()];
        let mut indices = Indices::row_major(&sizes);
        let mut read = ValueReader::metered(operands, self.meter);
        while let Some(index) = indices.advance() {
            body(index, &mut read, &mut results);
            read.count_cell()?;
            for (array, value) in arrays.iter_mut().zip(&results) {
                array.set(index, *value);
            }
        }
        read.charge_pending()?;
        Ok(arrays)
    }

    fn draw(&mut self) -> (u64, u64) {
        self.random.draw()
    }

    fn advance(&mut self, delta: u64) -> u128 {
        self.random.advance(delta)
    }

    fn random_position(&self) -> RandomPosition {
        self.random.position
    }

    fn rewind(&mut self, to: RandomPosition) {
        self.random.position = to;
    }
}
