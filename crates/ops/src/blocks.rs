//! Ops that compute their results in blocks: transforms, factorizations, statistics.
//!
//! Invariant: a block reads operands only through [`Read`], so the same computation yields its values and their
//! sources. Read `cholesky` for the simplest such op.

use std::collections::BTreeSet;

use super::data::Data;
use super::error::OpError;
use super::infer::OpContext;
use super::provenance::{CellAt, Source};
use super::read::Read;
use super::readers::{MAX_TRACED_CELLS, RunMeter, SourceRecorder, ValueReader};
use super::semantics::{EagerOp, Run, Semantics};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Dims, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Receives the cells of a block: the index of the result, the index in it, the value.
pub(super) type Write<'a> = dyn FnMut(usize, &[i64], Value) + 'a;

/// An op that is evaluated in blocks.
pub(super) trait BlockwiseOp: Send + Sync {
    /// The number of blocks along each dimension.
    fn sizes(&self) -> Dims;

    /// The block of a cell of a result.
    fn block_of(&self, result: usize, index: &[i64]) -> Dims;

    /// The cost of a block in evaluator steps, including reads.
    fn cost(&self) -> u64;

    /// The bytes of the scratch buffers of a block, without the results.
    fn scratch_bytes(&self) -> u64;

    /// Computes a block: its cells of all results, or only those of one result. Steps in addition to reads are charged
    /// to the reader, which returns whether to continue.
    fn compute(&self, block: &[i64], only_result: Option<usize>, read: &mut dyn Read, write: &mut Write);
}

struct Blockwise<B> {
    shapes: Vec<ArrayShape>,
    is_tuple: bool,
    op: &'static str,
    blocks: B,
}

/// The semantics of an op that is computed in blocks.
pub(super) fn blockwise(cx: &OpContext, blocks: impl BlockwiseOp + 'static) -> Result<Semantics, OpError> {
    let written = cx.require_result_shape()?;
    let shapes = match written {
        Shape::Tuple(elements) => elements.iter().filter_map(Shape::as_array).cloned().collect(),
        other => other.as_array().cloned().into_iter().collect(),
    };
    let is_tuple = matches!(written, Shape::Tuple(_));
    Ok(Semantics::Eager(Box::new(Blockwise { shapes, is_tuple, op: cx.meta.opcode, blocks })))
}

impl<B: BlockwiseOp> EagerOp for Blockwise<B> {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let zeros = |shape: &ArrayShape| {
            ArrayLiteral::zeros(shape.clone()).map_err(|e| OpError::new(self.op, e.rule, e.message))
        };
        let mut results = self.shapes.iter().map(zeros).collect::<Result<Vec<_>, _>>()?;
        let sizes = self.blocks.sizes();
        if !sizes.contains(&0) {
            let blocks = sizes.iter().fold(1_u64, |count, size| count.saturating_mul(size.unsigned_abs()));
            run.check_budget(self.blocks.cost().saturating_mul(blocks))?;
            run.reserve_bytes(self.blocks.scratch_bytes())?;
        }
        let mut indices = Indices::row_major(&sizes);
        while let Some(block) = indices.advance() {
            let mut write = |result: usize, index: &[i64], value: Value| {
                if let Some(array) = results.get_mut(result) {
                    array.set(index, value);
                }
            };
            let mut meter = RunMeter(run);
            let mut read = ValueReader::metered(operands, &mut meter);
            self.blocks.compute(block, None, &mut read, &mut write);
            read.count_cell()?;
            read.charge_pending()?;
        }
        let mut results = results.into_iter().map(Data::from);
        Ok(if self.is_tuple {
            Data::Tuple(results.collect())
        } else {
            results.next().or_bug(Data::Token, "an op without a result")
        })
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        run.spend(self.blocks.cost())?;
        run.reserve_bytes(self.blocks.scratch_bytes())?;
        let result = cell.result();
        let block = self.blocks.block_of(result, &cell.index);
        let mut recorder = SourceRecorder::new(operands, MAX_TRACED_CELLS);
        self.blocks.compute(&block, Some(result), &mut recorder, &mut |_, _, _| ());
        if recorder.steps() > MAX_TRACED_CELLS as u64 {
            let message = Message::ops("trace-steps").with("limit", MAX_TRACED_CELLS);
            return Err(OpError::new(self.op, "trace-limit", message));
        }
        let mut seen = BTreeSet::new();
        let mut sources = recorder.into_sources();
        sources.retain(|source| seen.insert((source.operand, source.cell.clone())));
        Ok(sources)
    }
}

/// The index of a cell: the coordinates of its block, then `index` within the block.
pub(super) fn block_index(block: &[i64], index: &[i64]) -> Dims {
    block.iter().chain(index).copied().collect()
}
