//! The uses of operand cells: an inverse of provenance, from tracing all output cells in batches.
//!
//! Invariant: results are available only when every output cell was traced, so that they are complete.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::leaves::leaves;
use xla_array::ArrayLiteral;
use xla_array::index::multi_index;
use xla_hlo::EvalError;
use xla_ops::{CellAt, Data, Source};

/// Cost of the first batch, in reads: small enough not to delay the page.
pub(crate) const FIRST_BATCH_READS: usize = 1 << 13;

/// Maximum number of an instruction's output cells whose uses are traced, to limit time and memory.
const MAX_OUTPUT_CELLS: usize = 1 << 20;

/// Maximum cost of tracing all output cells, in reads: two per cell on average.
const MAX_READS: usize = 2 * MAX_OUTPUT_CELLS;

/// The number of operands to which an op's semantics are bound ([`OpDef::bind`](xla_ops::OpDef::bind)) at the cost of one read.
const BOUND_OPERANDS_PER_READ: usize = 8;

/// The arrays whose cells are followed to the output cells of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsedArrays {
    /// The operands of the instruction.
    Operands,
    /// The parameters, through all instructions between.
    Parameters,
}

/// The output cells that use a cell, by number of the operand or parameter, and cell.
type Uses = BTreeMap<(usize, CellAt), Vec<CellAt>>;

/// The uses of the operands of an instruction, or of the parameters.
pub(crate) enum UseIndex {
    /// Not all output cells are traced.
    InProgress(UseTracing),
    /// All output cells are traced.
    Complete(Uses),
    /// There are too many cells, or tracing failed.
    Unavailable,
}

/// The state of tracing the output cells of an instruction.
pub(crate) struct UseTracing {
    arrays: Vec<(Vec<usize>, Arc<ArrayLiteral>)>,
    /// The next output cell: its array and its linear index.
    next: (usize, i64),
    /// Cost so far, in reads.
    reads: usize,
    uses: Uses,
}

/// The result of tracing a batch of output cells.
enum Batch {
    /// Further cells remain.
    Partial,
    /// All cells are traced.
    Done,
    /// The cells have too many sources.
    TooManyReads,
}

impl UseTracing {
    /// The next output cell.
    fn next_cell(&mut self) -> Option<CellAt> {
        loop {
            let (path, array) = self.arrays.get(self.next.0)?;
            if self.next.1 < array.memory_map().elements() {
                let index = multi_index(self.next.1, &array.shape().dimensions);
                self.next.1 += 1;
                return Some(CellAt { path: path.iter().copied().collect(), index });
            }
            self.next = (self.next.0 + 1, 0);
        }
    }
}

impl UseIndex {
    /// An empty index for the value of an instruction.
    pub fn new(value: Option<&Data>) -> Self {
        let arrays = value.map(leaves).unwrap_or_default();
        let cells: i64 = arrays.iter().map(|(_, array)| array.memory_map().elements()).sum();
        if usize::try_from(cells).map_or(true, |cells| cells > MAX_OUTPUT_CELLS) {
            return Self::Unavailable;
        }
        Self::InProgress(UseTracing { arrays, next: (0, 0), reads: 0, uses: Uses::new() })
    }

    /// Traces further output cells, at a cost of about `reads` reads. `operands` is the number of operands of the
    /// instruction, `sources_of` returns the sources of an output cell.
    pub fn trace_batch(
        &mut self,
        reads: usize,
        operands: usize,
        sources_of: &mut dyn FnMut(&CellAt) -> Result<Vec<Source>, EvalError>,
    ) {
        let Self::InProgress(tracing) = self else { return };
        match tracing.trace_batch(reads, operands, sources_of) {
            Ok(Batch::Partial) => {}
            Ok(Batch::Done) => *self = Self::Complete(std::mem::take(&mut tracing.uses)),
            Ok(Batch::TooManyReads) | Err(_) => *self = Self::Unavailable,
        }
    }
}

impl UseTracing {
    fn trace_batch(
        &mut self,
        reads: usize,
        operands: usize,
        sources_of: &mut dyn FnMut(&CellAt) -> Result<Vec<Source>, EvalError>,
    ) -> Result<Batch, EvalError> {
        let batch_end = self.reads.saturating_add(reads);
        while self.reads < batch_end {
            let Some(cell) = self.next_cell() else { return Ok(Batch::Done) };
            let sources = sources_of(&cell)?;
            // A query has a cost even if it reads nothing, because it binds the op's semantics to
            // all operands.
            self.reads += sources.len() + 1 + operands / BOUND_OPERANDS_PER_READ;
            if self.reads > MAX_READS {
                return Ok(Batch::TooManyReads);
            }
            for source in sources {
                let cells = self.uses.entry((source.operand, source.cell)).or_default();
                if cells.last() != Some(&cell) {
                    cells.push(cell.clone());
                }
            }
        }
        Ok(Batch::Partial)
    }
}
