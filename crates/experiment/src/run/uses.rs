//! Where the cells of an operand went: all output cells are asked where they came from, some at a time.
//!
//! Invariant: an answer is given only when every output cell was asked, so that counts are exact.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::leaves::leaves;
use xla_array::ArrayLiteral;
use xla_array::index::index_of;
use xla_hlo::EvalError;
use xla_ops::{CellAt, Data, Source};

/// Cells read, and output cells asked, before the page waits no longer.
pub(crate) const READS_AT_ONCE: usize = 1 << 13;

/// The most cells read in all.
const MAX_READS: usize = 1 << 20;

/// The operands whose binding takes as long as reading one cell.
const OPERANDS_A_READ: usize = 8;

/// Output cells by the operand and the cell of it that they came from.
type Uses = BTreeMap<(usize, CellAt), Vec<CellAt>>;

/// How far the asking is.
pub(crate) enum Counting {
    /// Not all have been asked.
    Under(Asking),
    /// All have.
    Known(Uses),
    /// There are too many.
    TooMany,
}

/// Output cells that are still to be asked.
pub(crate) struct Asking {
    arrays: Vec<(Vec<usize>, Arc<ArrayLiteral>)>,
    /// The array and the element of it that is next.
    next: (usize, i64),
    reads: usize,
    uses: Uses,
}

impl Asking {
    /// The next output cell.
    fn cell(&mut self) -> Option<CellAt> {
        loop {
            let (path, array) = self.arrays.get(self.next.0)?;
            if self.next.1 < array.map().elements() {
                let index = index_of(self.next.1, &array.shape().dimensions);
                self.next.1 += 1;
                return Some(CellAt { path: path.iter().copied().collect(), index });
            }
            self.next = (self.next.0 + 1, 0);
        }
    }
}

impl Counting {
    /// Of a value.
    pub fn new(value: Option<&Data>) -> Self {
        let arrays = value.map(leaves).unwrap_or_default();
        let cells: i64 = arrays.iter().map(|(_, array)| array.map().elements()).sum();
        if usize::try_from(cells).map_or(true, |cells| cells > MAX_READS) {
            return Self::TooMany;
        }
        Self::Under(Asking { arrays, next: (0, 0), reads: 0, uses: Uses::new() })
    }

    /// Traces further output cells until they have read `reads` cells. `operands` is the number of the
    /// instruction's operands, `sources_of` gives the sources of an output cell.
    pub fn step(
        &mut self,
        reads: usize,
        operands: usize,
        sources_of: &mut dyn FnMut(&CellAt) -> Result<Vec<Source>, EvalError>,
    ) {
        let Self::Under(asking) = self else { return };
        match asking.step(reads, operands, sources_of) {
            Ok(Some(false)) => {}
            Ok(Some(true)) => *self = Self::Known(std::mem::take(&mut asking.uses)),
            Ok(None) | Err(_) => *self = Self::TooMany,
        }
    }
}

impl Asking {
    /// Asks more cells: whether all have been asked, or `None` where they read too much.
    fn step(
        &mut self,
        reads: usize,
        operands: usize,
        sources_of: &mut dyn FnMut(&CellAt) -> Result<Vec<Source>, EvalError>,
    ) -> Result<Option<bool>, EvalError> {
        let most = self.reads.saturating_add(reads);
        while self.reads < most {
            let Some(cell) = self.cell() else { return Ok(Some(true)) };
            let sources = sources_of(&cell)?;
            // Asking counts, also where nothing was read: it binds every operand.
            self.reads += sources.len() + 1 + operands / OPERANDS_A_READ;
            if self.reads > 2 * MAX_READS {
                return Ok(None);
            }
            for source in sources {
                let cells = self.uses.entry((source.operand, source.cell)).or_default();
                if cells.last() != Some(&cell) {
                    cells.push(cell.clone());
                }
            }
        }
        Ok(Some(false))
    }
}
