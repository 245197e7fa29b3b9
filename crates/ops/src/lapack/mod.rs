//! Routines of LAPACK and BLAS that JAX calls on the CPU, as targets of `custom-call`: `lapack_sgeqrf_ffi` and its like.
//!
//! A routine computes a matrix at a time, in 64 bits, by LAPACK's algorithm with its signs and the thresholds of the element
//! type, so that the results are those of LAPACK but for rounding. Options are in the `backend_config`, or, in programs of JAX
//! before 0.4.36, in leading scalar operands. Read `matrix` next, then `householder`.

mod eigen;
mod eigenvectors;
mod householder;
mod matrix;
mod meter;
mod routine;
mod schur;
mod schur_complex;
mod schur_real;
mod solve;
mod svd;

use super::blocks::{BlockwiseOp, Write, block_index, blockwise};
use super::elementwise::complex::Complex;
use super::field::Field as _;
use super::{OpContext, OpError, Read, Role, Semantics};
use matrix::Matrix;
use routine::Routine;
use xla_array::{ArrayShape, Class, Dims, Shape, Value};
use xla_messages::i18n::Message;

/// The floating-point type that thresholds are for.
#[derive(Clone, Copy, Debug)]
struct Precision {
    /// Half the distance from 1 to the next number.
    epsilon: f64,
    /// The smallest number whose reciprocal does not overflow.
    minimum: f64,
}

impl Precision {
    const SINGLE: Self = Self { epsilon: f32::EPSILON as f64 / 2.0, minimum: f32::MIN_POSITIVE as f64 };
    const DOUBLE: Self = Self { epsilon: f64::EPSILON / 2.0, minimum: f64::MIN_POSITIVE };

    fn ulp(self) -> f64 {
        2.0 * self.epsilon
    }

    /// The bound below which an element of a matrix of this size is 0.
    #[allow(clippy::cast_precision_loss, reason = "a size of an array")]
    fn small(self, size: usize) -> f64 {
        self.minimum * (size as f64 / self.ulp())
    }
}

/// Whether the target of a custom call is a routine of LAPACK that is implemented, such as `lapack_sgeqrf_ffi`.
pub fn is_lapack(target: &str) -> bool {
    Routine::of(target).is_some()
}

/// The semantics of a call of a routine. `config` is the text of the `backend_config`.
pub(super) fn bind(cx: &OpContext, target: &str, config: Option<&str>) -> Result<Semantics, OpError> {
    let call = Call::of(cx, target, config).ok_or_else(|| {
        let shapes: Vec<String> = cx.operands.iter().map(ToString::to_string).collect();
        let message = Message::ops("op-lapack-shapes").with("name", target).with("shapes", shapes.join(", "));
        cx.error("custom-call-lapack", message)
    })?;
    blockwise(cx, call)
}

/// A call of a routine.
struct Call {
    routine: Routine,
    config: String,
    operands: Vec<ArrayShape>,
    results: Vec<ArrayShape>,
    /// The operands before this one are options.
    first: usize,
    batch: Dims,
    is_complex: bool,
    precision: Precision,
}

/// The last two sizes of a shape.
fn matrix_sizes(shape: &ArrayShape) -> [usize; 2] {
    match shape.dimensions[..] {
        [.., rows, columns] => [rows, columns].map(|size| usize::try_from(size).unwrap_or(0)),
        _ => [0, 0],
    }
}

fn number(i: usize) -> i64 {
    i64::try_from(i).unwrap_or(i64::MAX)
}

impl Call {
    /// The call, if the shapes are those that the routine has.
    fn of(cx: &OpContext, target: &str, config: Option<&str>) -> Option<Self> {
        let routine = Routine::of(target)?;
        let operands: Vec<ArrayShape> = cx.arrays().ok()?.into_iter().cloned().collect();
        let results: Vec<ArrayShape> = match cx.written? {
            Shape::Tuple(elements) => elements.iter().filter_map(Shape::as_array).cloned().collect(),
            other => vec![other.as_array()?.clone()],
        };
        let first = operands.iter().position(|operand| !operand.dimensions.is_empty())?;
        let matrix = operands.get(first + routine.matrix_operand())?;
        let batch = matrix.dimensions.get(..matrix.rank().checked_sub(2)?)?.into();
        let element = matrix.element_type;
        let is_complex = element.class() == Class::Complex;
        let bits = element.component().unwrap_or(element).bits();
        let precision = if bits == 64 { Precision::DOUBLE } else { Precision::SINGLE };
        let config = config.unwrap_or_default().to_owned();
        let call = Self { routine, config, operands, results, first, batch, is_complex, precision };
        call.has_valid_shapes().then_some(call)
    }

    fn operand(&self, i: usize) -> Option<&ArrayShape> {
        self.operands.get(self.first + i)
    }

    /// Whether a shape is that of a batch of arrays of these sizes.
    fn is_batch_of(&self, shape: Option<&ArrayShape>, sizes: &[usize]) -> bool {
        let sizes: Vec<i64> = sizes.iter().map(|size| number(*size)).collect();
        shape.is_some_and(|shape| shape.dimensions[..] == block_index(&self.batch, &sizes)[..])
    }

    fn has_valid_shapes(&self) -> bool {
        let operands = self.routine.operand_sizes(self);
        let results = self.routine.result_sizes(self);
        let (Some(operands), Some(results)) = (operands, results) else { return false };
        self.operands.len() == self.first + operands.len()
            && operands.iter().enumerate().all(|(i, sizes)| self.is_batch_of(self.operand(i), sizes))
            && results.len() <= self.results.len()
            && results.iter().enumerate().all(|(i, sizes)| self.is_batch_of(self.results.get(i), sizes))
            && self.operands[..self.first].iter().all(|operand| operand.dimensions.is_empty())
    }

    /// The sizes of the matrix.
    fn sizes(&self) -> [usize; 2] {
        self.operand(self.routine.matrix_operand()).map_or([0, 0], matrix_sizes)
    }

    /// An option: a number, or the letter with this code. `position` is that of its scalar operand.
    fn option(&self, name: &str, position: usize, read: &mut dyn Read) -> Option<i64> {
        if position < self.first {
            return match read.get(position, &[], Role::Value) {
                Value::Int(x) => Some(x),
                Value::Uint(x) => i64::try_from(x).ok(),
                Value::Pred(x) => Some(i64::from(x)),
                _ => None,
            };
        }
        let mut fields = self.config.split(['{', '}', ',']);
        let value = fields.find_map(|field| {
            let (key, value) = field.split_once('=')?;
            (key.trim().trim_matches('"') == name).then_some(value)
        })?;
        match value.split(':').next()?.trim() {
            "true" => Some(1),
            "false" => Some(0),
            number => number.parse().ok(),
        }
    }

    /// Whether an option is a letter, or not 0 where options are scalar operands.
    fn is_letter(&self, name: &str, letter: char, position: usize, read: &mut dyn Read) -> bool {
        let value = self.option(name, position, read);
        if position < self.first {
            value.is_some_and(|value| value != 0)
        } else {
            value == Some(i64::from(u32::from(letter)))
        }
    }

    /// The cells of a matrix of an operand.
    fn matrix(&self, operand: usize, block: &[i64], read: &mut dyn Read) -> Matrix {
        let [rows, columns] = self.operand(operand).map_or([0, 0], matrix_sizes);
        Matrix::of(rows, columns, |row, column| {
            let index = block_index(block, &[number(row), number(column)]);
            Complex::from_value(read.get(self.first + operand, &index, Role::Value))
        })
    }

    /// The cells of a vector of an operand.
    fn vector(&self, operand: usize, block: &[i64], read: &mut dyn Read) -> Vec<Value> {
        let size = self.operand(operand).and_then(|shape| shape.dimensions.last().copied()).unwrap_or(0);
        let cell = |i| read.get(self.first + operand, &block_index(block, &[i]), Role::Value);
        (0..size).map(cell).collect()
    }

    fn numbers(&self, operand: usize, block: &[i64], read: &mut dyn Read) -> Vec<Complex> {
        self.vector(operand, block, read).into_iter().map(Complex::from_value).collect()
    }
}

/// Writes the results of one matrix.
struct Results<'a, 'w> {
    shapes: &'a [ArrayShape],
    block: &'a [i64],
    write: &'a mut Write<'w>,
}

impl Results<'_, '_> {
    fn number(&mut self, result: usize, index: &[usize], x: Complex) {
        let Some(shape) = self.shapes.get(result) else { return };
        let is_complex = shape.element_type.class() == Class::Complex;
        let value = if is_complex { x.to_value() } else { Value::Float(x.0) };
        self.value(result, index, value);
    }

    fn value(&mut self, result: usize, index: &[usize], value: Value) {
        let index: Dims = self.block.iter().copied().chain(index.iter().map(|i| number(*i))).collect();
        (self.write)(result, &index, value);
    }

    fn matrix(&mut self, result: usize, matrix: &Matrix) {
        let [rows, columns] = self.shapes.get(result).map_or([0, 0], matrix_sizes);
        for row in 0..rows.min(matrix.rows) {
            for column in 0..columns.min(matrix.columns) {
                self.number(result, &[row, column], matrix[(row, column)]);
            }
        }
    }

    fn vector(&mut self, result: usize, values: &[Complex]) {
        for (i, value) in values.iter().enumerate() {
            self.number(result, &[i], *value);
        }
    }

    fn reals(&mut self, result: usize, values: &[f64]) {
        for (i, value) in values.iter().enumerate() {
            self.number(result, &[i], Complex(*value, 0.0));
        }
    }

    fn integers(&mut self, result: usize, values: &[i64]) {
        for (i, value) in values.iter().enumerate() {
            self.value(result, &[i], Value::Int(*value));
        }
    }

    fn integer(&mut self, result: usize, value: i64) {
        self.value(result, &[], Value::Int(value));
    }
}

impl BlockwiseOp for Call {
    fn sizes(&self) -> Dims {
        self.batch.clone()
    }

    fn block_of(&self, _: usize, index: &[i64]) -> Dims {
        // Work arrays have no batch.
        index.get(..self.batch.len()).map_or_else(|| self.batch.iter().map(|_| 0).collect(), Into::into)
    }

    fn cost(&self) -> u64 {
        let [rows, columns] = self.sizes().map(|size| size as u64);
        rows.saturating_mul(columns).saturating_mul(rows.min(columns).max(1))
    }

    fn scratch_bytes(&self) -> u64 {
        let [rows, columns] = self.sizes().map(|size| size as u64);
        let size = rows.max(columns);
        size.saturating_mul(size).saturating_mul(6 * size_of::<Complex>() as u64)
    }

    fn compute(&self, block: &[i64], _: Option<usize>, read: &mut dyn Read, write: &mut Write) {
        let mut results = Results { shapes: &self.results, block, write };
        self.routine.compute(self, block, read, &mut results);
    }
}
