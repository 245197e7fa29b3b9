//! Marks of source lines, so that the instructions of a line are recognized.

use std::collections::BTreeMap;

use super::wire::SourceMark;
use crate::hlo::{InstructionId, Module};
use crate::inspect::source::Sources;
use crate::ops::ComputationId;

/// The marks of source lines, numbered in the order in which instructions name them.
pub struct Marks {
    sources: Sources,
    numbers: BTreeMap<(usize, u32), u32>,
}

impl Marks {
    /// The marks of a module.
    pub fn new(module: &Module) -> Self {
        let sources = Sources::of(module);
        let mut numbers = BTreeMap::new();
        for (id, computation) in (0..).map(ComputationId).zip(&module.computations) {
            for (instruction, _) in computation.iter() {
                if let Some(location) =
                    sources.innermost((id, instruction)).filter(|location| location.line > 0)
                {
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    numbers.entry((location.file, location.line)).or_insert(next);
                }
            }
        }
        Self { sources, numbers }
    }

    /// The source locations.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The number of the mark of a line of a file.
    pub fn number(&self, file: usize, line: u32) -> Option<u32> {
        self.numbers.get(&(file, line)).copied()
    }

    /// The mark of an instruction.
    pub fn mark(&self, id: (ComputationId, InstructionId)) -> Option<SourceMark> {
        let location = self.sources.innermost(id)?;
        let number = *self.numbers.get(&(location.file, location.line))?;
        let file = self.sources.files().get(location.file)?;
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        Some(SourceMark { number, location: format!("{name}:{}", location.line) })
    }
}
