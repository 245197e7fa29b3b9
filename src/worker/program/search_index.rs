//! The search index of a program, built ahead in steps, so that the first search is as fast as the others.

use crate::hlo::Module;
use crate::inspect::search::{IndexBuilder, SearchIndex};

/// Instructions that one step indexes: about 10 ms, for which a query may have to wait.
const STEP_INSTRUCTIONS: usize = 2_000;

/// Maximum instructions of a program that is indexed ahead: the index of a larger one takes much memory, perhaps for nothing.
const MAX_INSTRUCTIONS_AHEAD: usize = 200_000;

/// The index of one program.
#[derive(Default)]
pub(super) struct Index {
    builder: Option<IndexBuilder>,
    finished: Option<SearchIndex>,
}

impl Index {
    /// Indexes some further instructions; returns whether there is nothing left to do ahead.
    pub fn advance(&mut self, module: &Module) -> bool {
        if self.finished.is_some() {
            return true;
        }
        if self.builder.is_none() {
            let instructions = module.computations.iter().map(|each| each.instructions.len()).sum::<usize>();
            if instructions > MAX_INSTRUCTIONS_AHEAD {
                return true;
            }
        }
        let builder = self.builder.get_or_insert_with(|| IndexBuilder::new(module));
        let is_complete = builder.advance(module, STEP_INSTRUCTIONS);
        if is_complete {
            self.finished = self.builder.take().map(IndexBuilder::finish);
        }
        is_complete
    }

    /// The index of all instructions.
    pub fn complete(&mut self, module: &Module) -> &SearchIndex {
        self.finished.get_or_insert_with(|| match self.builder.take() {
            Some(mut builder) => {
                builder.advance(module, usize::MAX);
                builder.finish()
            }
            None => SearchIndex::new(module),
        })
    }
}
