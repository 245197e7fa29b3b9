//! The rows of the outline as text.

use xla_hlo::Module;
use xla_ops::ComputationId;

use super::{Folds, Group, Outline};
use crate::calls::{Call, InstructionRef, Role};
use crate::shortened::shortened;

/// Maximum number of characters of a name, an opcode or a shape.
const MAX_TEXT_CHARS: usize = 200;

/// A row of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of groups around it.
    pub depth: u32,
    /// The instruction; `None` for the header of a computation.
    pub instruction: Option<InstructionRow>,
    /// The group that the row opens and folds: the computation of a header, or that of an instruction that calls exactly
    /// one. Several computations of an instruction have a header each.
    pub group: Option<GroupRow>,
}

/// The instruction of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionRow {
    /// The instruction.
    pub id: InstructionRef,
    /// Its name; empty if it is written within the operands of another.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// Its shape with the layout.
    pub shape: String,
    /// Whether its value is the result of its computation.
    pub is_root: bool,
    /// The number of computations it calls.
    pub called: u32,
}

/// The foldable group of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRow {
    /// The group.
    pub group: Group,
    /// Its computation.
    pub computation: ComputationId,
    /// The name of the computation; empty if it is written within the attribute.
    pub name: String,
    /// The attribute that names it, with the index of a branch; `None` for a root.
    pub attribute: Option<(&'static str, Option<u32>)>,
    /// Its role for the calling instruction; `None` for a root.
    pub role: Option<Role>,
    /// Whether it is the entry computation.
    pub is_entry: bool,
    /// Whether it is open.
    pub is_open: bool,
    /// The number of its instructions.
    pub instructions: u64,
    /// The number of its instructions and those of everything it calls, one copy per call; saturates.
    pub total_instructions: u64,
    /// The number of calls of it in the module.
    pub callers: u64,
}

/// The position of a row among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Siblings {
    /// The position; the first is 1.
    pub position: usize,
    /// The number of siblings, with the row itself.
    pub count: usize,
}

impl Outline {
    /// The position of a row among its siblings: the instructions of a computation, the computations that an instruction calls, or
    /// the roots of the call graph.
    pub fn siblings(&self, row: &Row) -> Option<Siblings> {
        let (index, count) = match (&row.instruction, row.group.as_ref().map(|group| group.group)) {
            (Some(instruction), _) => {
                let body = self.body(instruction.id.0)?;
                (*body.positions.get(instruction.id.1.index())? as usize, body.order.len())
            }
            (None, Some(Group::Root(root))) => {
                let roots = self.calls.roots();
                (roots.iter().position(|each| *each == root)?, roots.len())
            }
            (None, Some(Group::Call(site))) => {
                let calls = self.calls.calls_by((site.caller, site.instruction));
                (calls.iter().position(|call| call.site == site)?, calls.len())
            }
            (None, None) => return None,
        };
        Some(Siblings { position: index + 1, count })
    }

    pub(super) fn instruction_row(&self, module: &Module, id: InstructionRef) -> Option<InstructionRow> {
        let computation = module.get(id.0)?;
        let instruction = computation.get(id.1)?;
        Some(InstructionRow {
            id,
            name: shortened(&instruction.name, MAX_TEXT_CHARS),
            opcode: shortened(&instruction.opcode, MAX_TEXT_CHARS),
            shape: shortened(&instruction.shape, MAX_TEXT_CHARS),
            is_root: computation.root == Some(id.1),
            called: crate::calls::index32(self.calls.calls_by(id).len()),
        })
    }

    pub(super) fn call_row(&self, module: &Module, folds: &Folds, call: &Call) -> Option<GroupRow> {
        let row = self.group_row(module, folds, Group::Call(call.site), call.callee)?;
        Some(GroupRow { attribute: Some((call.attribute, call.index)), role: Some(call.role), ..row })
    }

    pub(super) fn group_row(
        &self,
        module: &Module,
        folds: &Folds,
        group: Group,
        id: ComputationId,
    ) -> Option<GroupRow> {
        let computation = module.get(id)?;
        Some(GroupRow {
            group,
            computation: id,
            name: shortened(&computation.name, MAX_TEXT_CHARS),
            attribute: None,
            role: None,
            is_entry: module.entry == Some(id),
            is_open: folds.is_open(group),
            instructions: computation.instructions.len() as u64,
            total_instructions: self.totals.get(id.0 as usize).copied().unwrap_or(0),
            callers: self.calls.callers(id).len() as u64,
        })
    }
}
