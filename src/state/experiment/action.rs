//! The actions that change an editing session.

use super::super::document::ValueRule;
use super::Experiment;
use super::state::Environment;
use crate::array::Edition;
use crate::diagnostic::Hint;
use crate::hlo::InstructionId;
use crate::ops::ComputationId;

/// A change requested by the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Replaces the text while typing; takes effect if it is valid.
    Type(String),
    /// Ends the typing: it becomes one undo step.
    CommitText,
    /// Applies a fix to the text.
    ApplyHint(Hint),
    /// Loads an experiment exactly: a link, or the present one extended.
    Load(Box<Experiment>),
    /// Opens an op or an entry of the documentation by its name: its saved experiment, or its first example.
    Open(String),
    /// Loads an example, in the chosen edition if that supports it.
    Example(Box<Experiment>),
    /// Discards the edits of the opened example.
    Restart,
    /// Sets the text of an attribute of the selected instruction; an empty text removes it.
    SetAttribute(&'static str, String),
    /// Sets the literal of a constant of a computation that the form's instruction calls.
    SetConstant(ComputationId, InstructionId, String),
    /// Sets the shape of an instruction of the entry computation.
    SetShape(InstructionId, String),
    /// Sets the values of a parameter, by its index.
    SetValues(usize, ValueRule),
    /// Selects an instruction.
    SelectInstruction(InstructionId),
    /// Selects an array of the result.
    SelectLeaf(usize),
    /// Moves the cursor to an output cell.
    MoveCursor(i64),
    /// Moves to a step within the output cell, from 1; 0 for the whole cell.
    MoveWithinCell(i64),
    /// Shows or hides the memory of a panel, by its title.
    ToggleMemory(String),
    /// Compares the result with that of the other edition, or ends this.
    CompareEditions(bool),
    /// Sets the edition of XLA.
    SetEdition(Edition),
    /// Sets the seed of the random number generator.
    SetSeed(u64),
    /// Sets the host and devices.
    SetEnvironment(Box<Environment>),
    /// Selects a replica.
    SelectReplica(usize),
    /// Undoes the last edit.
    Undo,
    /// Redoes the last undone edit.
    Redo,
}
