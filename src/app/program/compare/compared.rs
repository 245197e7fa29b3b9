//! The state of a comparison of two programs, from the query worker's answers.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::worker::program::wire::{CompareAnswer, CompareRow, CompareSummary, Counts, Rejection, Shown};

/// Rows of one query.
pub const CHUNK_ROWS: usize = 64;

/// The outcome of matching two programs.
#[derive(Clone, Debug, PartialEq)]
pub enum Matched {
    /// A summary of their differences.
    Summary(Rc<CompareSummary>),
    /// One of them cannot be read.
    Rejected(Rc<Rejection>),
}

/// The newest comparison, as far as the query worker has answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// The id of the comparison.
    pub id: u32,
    /// Its outcome; `None` before there is one.
    pub matched: Option<Matched>,
    /// The kinds of the loaded rows.
    pub shown: Shown,
    /// The number of shown rows; `None` before it is known.
    pub total: Option<usize>,
    /// The result of the last search for a difference, and the number of searches so far, so that equal results differ.
    pub sought: Option<(Option<usize>, u32)>,
    rows: Rc<BTreeMap<usize, Rc<Vec<CompareRow>>>>,
    /// The differences of the steps of a series, by number; `None` for a step that has none because its text has errors.
    pub steps: Rc<BTreeMap<u32, Option<Counts>>>,
}

impl Compared {
    /// A row, if it has been loaded.
    pub fn row(&self, row: usize) -> Option<&CompareRow> {
        self.rows.get(&(row / CHUNK_ROWS))?.get(row % CHUNK_ROWS)
    }

    /// The comparison updated by an answer.
    #[must_use]
    pub fn with_answer(&self, answer: CompareAnswer) -> Self {
        let mut next = self.clone();
        match answer {
            CompareAnswer::Opened(id, summary) => {
                next = Self {
                    id,
                    matched: Some(Matched::Summary(Rc::new(*summary))),
                    steps: next.steps,
                    ..Self::default()
                };
            }
            CompareAnswer::Rejected(id, rejection) => {
                next = Self {
                    id,
                    matched: Some(Matched::Rejected(Rc::new(rejection))),
                    steps: next.steps,
                    ..Self::default()
                };
            }
            CompareAnswer::Rows { id, shown, start, rows, total } => {
                if id == next.id {
                    if next.shown != shown || next.total.is_none() {
                        (next.shown, next.rows) = (shown, Rc::default());
                    }
                    next.total = Some(total);
                    Rc::make_mut(&mut next.rows).insert(start / CHUNK_ROWS, Rc::new(rows));
                }
            }
            CompareAnswer::Sought(id, row) => {
                if id == next.id {
                    let times = next.sought.map_or(0, |(_, times)| times.wrapping_add(1));
                    next.sought = Some((row, times));
                }
            }
            CompareAnswer::Counted(step, counts) => {
                Rc::make_mut(&mut next.steps).insert(step, counts);
            }
        }
        next
    }
}
