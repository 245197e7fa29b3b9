//! The parts of a program that the views answer their queries from.

use super::ids::{at, call, find, reference, site};
use super::wire::{Crumb, InstructionPath};
use crate::hlo::Module;
use crate::i18n::Language;
use crate::inspect::calls::CallSite;
use crate::inspect::outline::Outline;

/// The parts of a program that a view answers its queries from.
#[derive(Clone, Copy)]
pub struct Loaded<'a> {
    /// The module, as far as the text could be read.
    pub module: &'a Module,
    /// Its outline, with the call graph.
    pub outline: &'a Outline,
    /// The language of sentences.
    pub language: Language,
}

impl Loaded<'_> {
    /// The calls that lead to an instruction: those of its path if they do, else the first ones.
    pub fn path(&self, instruction: &InstructionPath) -> Vec<CallSite> {
        let (target, _) = reference(instruction.at);
        let path: Vec<CallSite> = instruction.calls.iter().copied().map(site).collect();
        if self.outline.groups_around(reference(instruction.at), &path).is_some() {
            return path;
        }
        // A computation that nothing leads to is not shown in the outline.
        self.outline.calls().paths(target, 1).into_iter().next().unwrap_or_default()
    }

    /// The steps of a breadcrumb.
    pub fn crumbs(&self, path: &[CallSite]) -> Vec<Crumb> {
        let crumb = |site: &CallSite| {
            let (computation, instruction) = find(self.module, at(site.instruction_ref()))?;
            let (name, opcode) = (instruction.unique_name(site.instruction), instruction.opcode.clone());
            Some(Crumb { computation: computation.name.clone(), call: call(*site), name, opcode })
        };
        path.iter().filter_map(crumb).collect()
    }
}
