//! Steps from the shown value to the previous or next instruction.

use crate::state::program::session::Action;
use crate::state::program::stepping::{Step, step};
use crate::worker::program::wire::{Details, InstructionPath};

/// The path to an instruction that is shown.
pub fn instruction_path(details: &Details) -> InstructionPath {
    InstructionPath { at: details.at, calls: details.path.iter().map(|crumb| crumb.call).collect() }
}

/// Selects the next instruction, or the previous one if `is_back`; `None` at either end.
pub fn step_action(details: &Details, execution: u64, executions: u64, is_back: bool) -> Option<Action> {
    let from = Step { at: details.at, execution };
    let Step { at, execution } = step(from, details.count, executions, is_back)?;
    Some(Action::SelectExecution(InstructionPath { at, ..instruction_path(details) }, execution))
}
