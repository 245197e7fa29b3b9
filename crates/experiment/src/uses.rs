//! Where the cells of an operand went: all output cells are asked where they came from, some at a time.
//!
//! Invariant: an answer is given only when every output cell was asked, so that counts are exact.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::run::{Ran, index_of, leaves};
use xla_array::ArrayLiteral;
use xla_hlo::InstructionId;
use xla_ops::{CellAt, Data};

/// Cells read, and output cells asked, before the page waits no longer.
pub(crate) const READS_AT_ONCE: usize = 1 << 13;

/// The most cells read in all.
const MOST_READS: usize = 1 << 20;

/// Binding so many operands takes as long as reading one cell.
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
        if usize::try_from(cells).map_or(true, |cells| cells > MOST_READS) {
            return Self::TooMany;
        }
        Self::Under(Asking { arrays, next: (0, 0), reads: 0, uses: Uses::new() })
    }

    /// Asks more cells, as long as these read no more than `reads`.
    pub fn step(&mut self, ran: &Ran, id: InstructionId, reads: usize) {
        let Self::Under(asking) = self else { return };
        let most = asking.reads.saturating_add(reads);
        let entry = ran.module().entry_computation();
        let operands = entry.and_then(|entry| entry.get(id)).map_or(0, |i| i.operands.len());
        let asked = ran.ask_sources(id, |sources_of| {
            while asking.reads < most {
                let Some(cell) = asking.cell() else { return Ok(Some(true)) };
                let sources = sources_of(&cell)?;
                // Asking counts, also where nothing was read: it binds every operand.
                asking.reads += sources.len() + 1 + operands / OPERANDS_A_READ;
                if asking.reads > 2 * MOST_READS {
                    return Ok(None);
                }
                for source in sources {
                    let made = asking.uses.entry((source.operand, source.cell)).or_default();
                    if made.last() != Some(&cell) {
                        made.push(cell.clone());
                    }
                }
            }
            Ok(Some(false))
        });
        match asked {
            Ok(Some(false)) => {}
            Ok(Some(true)) => *self = Self::Known(std::mem::take(&mut asking.uses)),
            Ok(None) | Err(_) => *self = Self::TooMany,
        }
    }
}
