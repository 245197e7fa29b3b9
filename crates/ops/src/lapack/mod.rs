//! Routines of LAPACK and BLAS that JAX calls on the CPU, as targets of `custom-call`: `lapack_sgeqrf_ffi` and its like.
//!
//! A routine computes a matrix at a time, in 64 bits, by LAPACK's algorithm with its signs and the thresholds of the element
//! type, so that the results are those of LAPACK but for rounding. Options are in the `backend_config`, or, in programs of JAX
//! before 0.4.36, in leading scalar operands. Read `matrix` next, then `householder`.

mod call;
mod eigen;
mod eigenvectors;
mod householder;
mod matrix;
mod meter;
mod precision;
mod routine;
mod schur;
mod schur_complex;
mod schur_form;
mod schur_real;
mod solve;
mod svd;

use super::blocks::{BlockwiseOp, Write, blockwise};
use super::elementwise::complex::Complex;
use super::{OpContext, OpError, Read, Semantics};
use call::{Call, Results};
use precision::Precision;
use routine::Routine;
use xla_array::{ArrayShape, Class, Dims, Shape};
use xla_messages::i18n::Message;

/// Whether the target of a custom call is a routine of LAPACK that is implemented, such as `lapack_sgeqrf_ffi`.
pub fn is_lapack(target: &str) -> bool {
    Routine::of(target).is_some()
}

/// The semantics of a call of a routine. `config` is the text of the `backend_config`.
pub(super) fn bind(cx: &OpContext, target: &str, config: Option<&str>) -> Result<Semantics, OpError> {
    let call = RoutineCall::of(cx, target, config).ok_or_else(|| {
        let shapes: Vec<String> = cx.operands.iter().map(ToString::to_string).collect();
        let message = Message::ops("op-lapack-shapes").with("name", target).with("shapes", shapes.join(", "));
        cx.error("custom-call-lapack", message)
    })?;
    blockwise(cx, call)
}

/// A call of a routine.
struct RoutineCall {
    routine: Routine,
    call: Call,
}

impl RoutineCall {
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
        let (config, matrix_operand) = (config.unwrap_or_default().to_owned(), routine.matrix_operand());
        let call = Call { config, operands, results, first, matrix_operand, batch, is_complex, precision };
        let call = Self { routine, call };
        call.has_valid_shapes().then_some(call)
    }

    fn has_valid_shapes(&self) -> bool {
        let operands = self.routine.operand_sizes(&self.call);
        let results = self.routine.result_sizes(&self.call);
        let (Some(operands), Some(results)) = (operands, results) else { return false };
        let call = &self.call;
        call.operands.len() == call.first + operands.len()
            && operands.iter().enumerate().all(|(i, sizes)| call.is_batch_of(call.operand(i), sizes))
            && results.len() <= call.results.len()
            && results.iter().enumerate().all(|(i, sizes)| call.is_batch_of(call.results.get(i), sizes))
            && call.operands[..call.first].iter().all(|operand| operand.dimensions.is_empty())
    }
}

impl BlockwiseOp for RoutineCall {
    fn sizes(&self) -> Dims {
        self.call.batch.clone()
    }

    fn block_of(&self, _: usize, index: &[i64]) -> Dims {
        // Work arrays have no batch.
        index
            .get(..self.call.batch.len())
            .map_or_else(|| self.call.batch.iter().map(|_| 0).collect(), Into::into)
    }

    fn cost(&self) -> u64 {
        let [rows, columns] = self.call.sizes().map(|size| size as u64);
        rows.saturating_mul(columns).saturating_mul(rows.min(columns).max(1))
    }

    fn scratch_bytes(&self) -> u64 {
        let [rows, columns] = self.call.sizes().map(|size| size as u64);
        let size = rows.max(columns);
        size.saturating_mul(size).saturating_mul(6 * size_of::<Complex>() as u64)
    }

    fn compute(&self, block: &[i64], _: Option<usize>, read: &mut dyn Read, write: &mut Write) {
        let mut results = Results { shapes: &self.call.results, block, write };
        self.routine.compute(&self.call, block, read, &mut results);
    }
}
