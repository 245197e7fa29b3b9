//! Bounds of what one text may cost, so that no text of [`super::MAX_TEXT_BYTES`] bytes takes more than seconds or more than
//! about a gigabyte, however it is built.
//!
//! Parsing is linear in the text but for three things, each with a budget: values that are larger in memory than in the
//! text, signatures that every call looks at, and parts that are lexed again after an error. What exceeds a budget is
//! an error, and reading stops there.

use xla_array::{Shape, literal};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;

/// The most instructions of a module, those without a name included: half a million. An array of a literal takes as much
/// memory as [`LITERAL_WEIGHT`] of them.
pub const MAX_INSTRUCTIONS: usize = 1 << 19;
const LITERAL_WEIGHT: usize = 3;
/// The most operands of one instruction.
pub const MAX_OPERANDS: usize = 1 << 18;
/// The most operands, attributes and list entries of a module, together.
pub const MAX_ENTRIES: usize = 1 << 21;
/// The most leaves that all tuples of a module have together. Tuples are shared, but comparing, printing and running
/// them visits their leaves.
pub const MAX_MODULE_LEAVES: usize = 1 << 22;
/// What a leaf of a tuple shape that is written in the text and kept counts as: it takes memory of its own, where an
/// inferred tuple shares its leaves.
const WRITTEN_LEAF_WEIGHT: usize = 4;
/// The most leaves of signatures that calls look at, and eighths of bytes that are lexed once more.
const MAX_WORK: usize = 1 << 23;
/// The most names that are compared to guess which one was meant.
const MAX_COMPARED: usize = 1 << 18;

/// What was used.
#[derive(Debug, Default)]
pub(super) struct Budget {
    instructions: usize,
    entries: usize,
    leaves: usize,
    constant_cells: i64,
    work: usize,
    compared: usize,
}

/// A bound that a text exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    /// Instructions, entries or work: the word by which the catalogue selects the sentence, and the limit.
    Parts(&'static str, usize),
    /// The cells of all literals, with their number.
    LiteralCells(i64),
    /// The leaves of all tuples.
    Leaves,
}

impl Exceeded {
    /// The error at the part of the text that exceeds the bound.
    pub(super) fn diagnostic(self, span: Span) -> Diagnostic {
        match self {
            Self::Parts(what, limit) => {
                let message = Message::engine("hlo-too-many").with("what", what).with("limit", limit);
                Diagnostic::error(span, "hlo-too-long", message)
            }
            Self::LiteralCells(cells) => {
                let message =
                    Message::new("literal-too-large").with("cells", cells).with("limit", literal::MAX_CELLS);
                let advice = Hint::advice(Message::new("limit-cells-hint"));
                Diagnostic::error(span, "literal-size", message).hint(advice)
            }
            Self::Leaves => {
                let message = Message::engine("hlo-leaves").with("limit", MAX_MODULE_LEAVES);
                let advice = Hint::advice(Message::engine("hlo-hint-leaves"));
                Diagnostic::error(span, "limit-module-leaves", message).hint(advice)
            }
        }
    }
}

impl Budget {
    /// Charges instructions.
    pub(super) fn charge_instructions(&mut self, count: usize) -> Result<(), Exceeded> {
        add(
            &mut self.instructions,
            count,
            MAX_INSTRUCTIONS,
            Exceeded::Parts("instructions", MAX_INSTRUCTIONS),
        )
    }

    /// Charges the text of a literal of this shape.
    pub(super) fn charge_literal(&mut self, shape: &Shape) -> Result<(), Exceeded> {
        self.charge_instructions(LITERAL_WEIGHT.saturating_mul(shape.leaves()))
    }

    /// Charges the memory of a literal of this shape: padding takes memory that no text pays for.
    pub(super) fn charge_constant(&mut self, shape: &Shape) -> Result<(), Exceeded> {
        self.constant_cells = self.constant_cells.saturating_add(literal::cells_of(shape));
        let is_within = self.constant_cells <= literal::MAX_CELLS;
        if is_within { Ok(()) } else { Err(Exceeded::LiteralCells(self.constant_cells)) }
    }

    /// Charges an operand, attribute or list entry.
    pub(super) fn charge_entry(&mut self) -> Result<(), Exceeded> {
        add(&mut self.entries, 1, MAX_ENTRIES, Exceeded::Parts("entries", MAX_ENTRIES))
    }

    /// Charges leaves of tuples.
    pub(super) fn charge_leaves(&mut self, leaves: usize) -> Result<(), Exceeded> {
        add(&mut self.leaves, leaves, MAX_MODULE_LEAVES, Exceeded::Leaves)
    }

    /// Charges the memory of a shape that is written and kept.
    pub(super) fn charge_written(&mut self, shape: &Shape) -> Result<(), Exceeded> {
        if shape.as_tuple().is_none() {
            return Ok(());
        }
        self.charge_leaves(shape.leaves().saturating_mul(WRITTEN_LEAF_WEIGHT))
    }

    /// Charges leaves of signatures that are compared, or eighths of bytes that are lexed once more.
    pub(super) fn charge_work(&mut self, work: usize) -> Result<(), Exceeded> {
        add(&mut self.work, work, MAX_WORK, Exceeded::Parts("work", MAX_WORK))
    }

    /// How many of `count` names may be compared.
    pub(super) fn grant_comparisons(&mut self, count: usize) -> usize {
        let granted = count.min(MAX_COMPARED - self.compared);
        self.compared += granted;
        granted
    }
}

/// Adds to a sum, which may not exceed its limit.
fn add(sum: &mut usize, count: usize, limit: usize, exceeded: Exceeded) -> Result<(), Exceeded> {
    *sum = sum.saturating_add(count);
    if *sum <= limit { Ok(()) } else { Err(exceeded) }
}
