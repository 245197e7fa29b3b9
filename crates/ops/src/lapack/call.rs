//! What a routine reads and writes: the operands, options and results of its call.

use super::super::blocks::{Write, block_index};
use super::super::elementwise::complex::Complex;
use super::super::field::Field as _;
use super::super::{Read, Role};
use super::matrix::Matrix;
use super::precision::Precision;
use xla_array::{ArrayShape, Class, Dims, Value};

/// The operands and results of a call of a routine.
pub(super) struct Call {
    pub config: String,
    pub operands: Vec<ArrayShape>,
    pub results: Vec<ArrayShape>,
    /// The operands before this one are options.
    pub first: usize,
    /// The number of the matrix among the operands that are no options.
    pub matrix_operand: usize,
    pub batch: Dims,
    pub is_complex: bool,
    pub precision: Precision,
}

/// The last two sizes of a shape.
pub(super) fn matrix_sizes(shape: &ArrayShape) -> [usize; 2] {
    match shape.dimensions[..] {
        [.., rows, columns] => [rows, columns].map(|size| usize::try_from(size).unwrap_or(0)),
        _ => [0, 0],
    }
}

fn number(i: usize) -> i64 {
    i64::try_from(i).unwrap_or(i64::MAX)
}

impl Call {
    pub fn operand(&self, i: usize) -> Option<&ArrayShape> {
        self.operands.get(self.first + i)
    }

    /// Whether a shape is that of a batch of arrays of these sizes.
    pub fn is_batch_of(&self, shape: Option<&ArrayShape>, sizes: &[usize]) -> bool {
        let sizes: Vec<i64> = sizes.iter().map(|size| number(*size)).collect();
        shape.is_some_and(|shape| shape.dimensions[..] == block_index(&self.batch, &sizes)[..])
    }

    /// The sizes of the matrix.
    pub fn sizes(&self) -> [usize; 2] {
        self.operand(self.matrix_operand).map_or([0, 0], matrix_sizes)
    }

    /// An option: a number, or the letter with this code. `position` is that of its scalar operand.
    pub fn option(&self, name: &str, position: usize, read: &mut dyn Read) -> Option<i64> {
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
    pub fn is_letter(&self, name: &str, letter: char, position: usize, read: &mut dyn Read) -> bool {
        let value = self.option(name, position, read);
        if position < self.first {
            value.is_some_and(|value| value != 0)
        } else {
            value == Some(i64::from(u32::from(letter)))
        }
    }

    /// The cells of a matrix of an operand.
    pub fn matrix(&self, operand: usize, block: &[i64], read: &mut dyn Read) -> Matrix {
        let [rows, columns] = self.operand(operand).map_or([0, 0], matrix_sizes);
        Matrix::of(rows, columns, |row, column| {
            let index = block_index(block, &[number(row), number(column)]);
            Complex::from_value(read.get(self.first + operand, &index, Role::Value))
        })
    }

    /// The cells of a vector of an operand.
    pub fn vector(&self, operand: usize, block: &[i64], read: &mut dyn Read) -> Vec<Value> {
        let size = self.operand(operand).and_then(|shape| shape.dimensions.last().copied()).unwrap_or(0);
        let cell = |i| read.get(self.first + operand, &block_index(block, &[i]), Role::Value);
        (0..size).map(cell).collect()
    }

    pub fn numbers(&self, operand: usize, block: &[i64], read: &mut dyn Read) -> Vec<Complex> {
        self.vector(operand, block, read).into_iter().map(Complex::from_value).collect()
    }
}

/// Writes the results of one matrix.
pub(super) struct Results<'a, 'w> {
    pub shapes: &'a [ArrayShape],
    pub block: &'a [i64],
    pub write: &'a mut Write<'w>,
}

impl Results<'_, '_> {
    pub fn number(&mut self, result: usize, index: &[usize], x: Complex) {
        let Some(shape) = self.shapes.get(result) else { return };
        let is_complex = shape.element_type.class() == Class::Complex;
        let value = if is_complex { x.to_value() } else { Value::Float(x.0) };
        self.value(result, index, value);
    }

    pub fn value(&mut self, result: usize, index: &[usize], value: Value) {
        let index: Dims = self.block.iter().copied().chain(index.iter().map(|i| number(*i))).collect();
        (self.write)(result, &index, value);
    }

    pub fn matrix(&mut self, result: usize, matrix: &Matrix) {
        let [rows, columns] = self.shapes.get(result).map_or([0, 0], matrix_sizes);
        for row in 0..rows.min(matrix.rows) {
            for column in 0..columns.min(matrix.columns) {
                self.number(result, &[row, column], matrix[(row, column)]);
            }
        }
    }

    pub fn vector(&mut self, result: usize, values: &[Complex]) {
        for (i, value) in values.iter().enumerate() {
            self.number(result, &[i], *value);
        }
    }

    pub fn reals(&mut self, result: usize, values: &[f64]) {
        for (i, value) in values.iter().enumerate() {
            self.number(result, &[i], Complex(*value, 0.0));
        }
    }

    pub fn integers(&mut self, result: usize, values: &[i64]) {
        for (i, value) in values.iter().enumerate() {
            self.value(result, &[i], Value::Int(*value));
        }
    }

    pub fn integer(&mut self, result: usize, value: i64) {
        self.value(result, &[], Value::Int(value));
    }
}
