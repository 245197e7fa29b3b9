//! The wire types that several views share.

use serde::{Deserialize, Serialize};

use crate::state::program::references::Call;

/// A step of the way from the entry computation to an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crumb {
    /// The name of the computation.
    pub computation: String,
    /// The call that leads on.
    pub call: Call,
    /// The name of the calling instruction.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
}
