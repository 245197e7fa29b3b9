//! Limits on the cost of parsing: memory is at most about ten times the source.
//!
//! Parsing is linear in the source except for three things, each with a budget: values that are larger in memory than
//! in the source, signatures that every call compares, and source that is scanned again after an error. Parsing stops
//! with an error when a budget is exceeded.

use xla_array::{Shape, literal};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;

/// Maximum number of instructions of a module, including nested ones; together they take about two gigabytes.
pub const MAX_INSTRUCTIONS: usize = 1 << 22;
/// The memory of one array of a literal, in instructions: it is charged as this many.
const LITERAL_WEIGHT_INSTRUCTIONS: usize = 3;
/// Maximum number of operands of one instruction.
pub const MAX_OPERANDS: usize = 1 << 18;
/// Maximum number of operands, attributes and list entries of a module, together.
pub const MAX_ENTRIES: usize = 1 << 25;
/// Maximum number of leaves of all tuples of a module together. Tuples are shared, but comparing, printing and running them
/// visits their leaves.
pub const MAX_MODULE_LEAVES: usize = 1 << 22;
/// The number of leaves that one leaf of a written tuple shape counts for: unlike inferred shapes, it is not shared.
const WRITTEN_LEAF_WEIGHT: usize = 4;
/// Maximum repeated work, in units of one compared leaf of a signature or 8 bytes that are scanned again.
const MAX_WORK: usize = 1 << 23;
/// Maximum number of names that are compared to suggest the nearest one.
const MAX_COMPARED_NAMES: usize = 1 << 18;

/// The amounts used so far.
#[derive(Debug, Default)]
pub(super) struct Budget {
    instructions: usize,
    entries: usize,
    leaves: usize,
    constant_cells: i64,
    work: usize,
    compared_names: usize,
}

/// A limit that the source exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    /// A count and its limit; the name selects the variant of the message.
    Parts(&'static str, usize),
    /// The total number of literal cells.
    LiteralCells(i64),
    /// The total number of tuple leaves.
    Leaves,
}

impl Exceeded {
    /// The error, at the span of the source that exceeds the limit.
    pub(super) fn diagnostic(self, span: Span) -> Diagnostic {
        match self {
            Self::Parts(what, limit) => {
                let message = Message::ops("hlo-too-many").with("what", what).with("limit", limit);
                Diagnostic::error(span, "hlo-too-long", message)
            }
            Self::LiteralCells(cells) => {
                let message =
                    Message::new("literal-too-large").with("cells", cells).with("limit", literal::MAX_SLOTS);
                let advice = Hint::advice(Message::new("limit-cells-hint"));
                Diagnostic::error(span, "literal-size", message).with_hint(advice)
            }
            Self::Leaves => {
                let message = Message::ops("hlo-leaves").with("limit", MAX_MODULE_LEAVES);
                let advice = Hint::advice(Message::ops("hlo-hint-leaves"));
                Diagnostic::error(span, "limit-module-leaves", message).with_hint(advice)
            }
        }
    }
}

impl Budget {
    /// Charges instructions to the limit on their number.
    pub(super) fn charge_instructions(&mut self, count: usize) -> Result<(), Exceeded> {
        add(
            &mut self.instructions,
            count,
            MAX_INSTRUCTIONS,
            Exceeded::Parts("instructions", MAX_INSTRUCTIONS),
        )
    }

    /// Charges the arrays of a literal of this shape.
    pub(super) fn charge_literal(&mut self, shape: &Shape) -> Result<(), Exceeded> {
        self.charge_instructions(LITERAL_WEIGHT_INSTRUCTIONS.saturating_mul(shape.leaves()))
    }

    /// Charges the memory of a literal of this shape: with padding it can be much larger than its source.
    pub(super) fn charge_constant(&mut self, shape: &Shape) -> Result<(), Exceeded> {
        self.constant_cells = self.constant_cells.saturating_add(literal::slots_of(shape));
        let is_within = self.constant_cells <= literal::MAX_SLOTS;
        if is_within { Ok(()) } else { Err(Exceeded::LiteralCells(self.constant_cells)) }
    }

    /// Charges an operand, attribute or list entry.
    pub(super) fn charge_list_item(&mut self) -> Result<(), Exceeded> {
        add(&mut self.entries, 1, MAX_ENTRIES, Exceeded::Parts("entries", MAX_ENTRIES))
    }

    /// Charges leaves of tuples.
    pub(super) fn charge_leaves(&mut self, leaves: usize) -> Result<(), Exceeded> {
        add(&mut self.leaves, leaves, MAX_MODULE_LEAVES, Exceeded::Leaves)
    }

    /// Charges the memory of a shape that is written in the source.
    pub(super) fn charge_written_shape(&mut self, shape: &Shape) -> Result<(), Exceeded> {
        if shape.as_tuple().is_none() {
            return Ok(());
        }
        self.charge_leaves(shape.leaves().saturating_mul(WRITTEN_LEAF_WEIGHT))
    }

    /// Charges leaves of signatures that are compared, or units of 8 bytes that are scanned again.
    pub(super) fn charge_work(&mut self, work: usize) -> Result<(), Exceeded> {
        add(&mut self.work, work, MAX_WORK, Exceeded::Parts("work", MAX_WORK))
    }

    /// Returns how many of `count` names may still be compared.
    pub(super) fn grant_comparisons(&mut self, count: usize) -> usize {
        let granted = count.min(MAX_COMPARED_NAMES - self.compared_names);
        self.compared_names += granted;
        granted
    }
}

/// Adds `count` to a sum and checks its limit.
fn add(sum: &mut usize, count: usize, limit: usize, exceeded: Exceeded) -> Result<(), Exceeded> {
    *sum = sum.saturating_add(count);
    if *sum <= limit { Ok(()) } else { Err(exceeded) }
}
