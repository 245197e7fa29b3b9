//! The options and results of cutting out a program.

use std::collections::{BTreeMap, BTreeSet};

use xla_hlo::{InstructionId, Module};
use xla_messages::diagnostic::Diagnostic;
use xla_ops::Data;

/// Options of a cut-out.
#[derive(Clone, Debug, PartialEq)]
pub struct CutOptions {
    /// Captured values with at most this many elements become constants; 0 makes all of them parameters. Captured
    /// constants of any size stay constants.
    pub max_constant_elements: i64,
    /// Whether annotations and the tables of source locations are kept.
    pub keeps_annotations: bool,
}

impl Default for CutOptions {
    fn default() -> Self {
        Self { max_constant_elements: 16, keeps_annotations: true }
    }
}

/// A program with its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module, without errors.
    pub module: Module,
    /// The argument of each parameter of the entry computation; `None` if its value is not known.
    pub arguments: Vec<Option<Data>>,
}

impl Program {
    /// The arguments, if all of them are known.
    pub fn known_arguments(&self) -> Option<Vec<Data>> {
        self.arguments.iter().cloned().collect()
    }
}

/// A program that was cut out, and where its instructions come from.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The program.
    pub program: Program,
    /// For each instruction of the entry computation, the one that it was cut from or whose value it captures; `None` for
    /// the tuple of the results.
    pub origins: Vec<Option<InstructionId>>,
}

impl Cut {
    /// The instructions of the entry computation by the instructions they were cut from.
    pub fn by_origin(&self) -> BTreeMap<InstructionId, InstructionId> {
        let pairs = (0..).map(InstructionId).zip(&self.origins);
        pairs.filter_map(|(id, origin)| Some(((*origin)?, id))).collect()
    }
}

/// Why a selection cannot be cut out.
#[derive(Clone, Debug, PartialEq)]
pub enum CutError {
    /// There is no such computation, or nothing of it is selected.
    Nothing,
    /// The program is not valid: an instruction needs others that are not selected. With its text.
    Invalid(Box<Diagnostic>, String),
}

/// The instructions whose values are the results of a cut-out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// The selected instructions that others use, and those that nothing uses.
    Used,
    /// These, as far as they are selected, and those that nothing selected uses.
    Selected(BTreeSet<InstructionId>),
}
