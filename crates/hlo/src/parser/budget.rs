//! Bounds of what one text may cost, so that no text of [`super::MAX_TEXT_BYTES`] bytes takes more than seconds or more than
//! about a gigabyte, however it is built.
//!
//! Parsing is linear in the text but for three things, each with a budget: values that are larger in memory than in the
//! text, signatures that every call looks at, and parts that are lexed again after an error. What exceeds a budget is
//! an error, and reading stops there.

use super::Parser;
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

impl Parser<'_> {
    pub(super) fn charge_instruction(&mut self) {
        self.charge_instructions(1);
    }

    /// Charges the text of a literal of this shape.
    pub(super) fn charge_literal(&mut self, shape: &Shape) {
        self.charge_instructions(LITERAL_WEIGHT.saturating_mul(shape.leaves()));
    }

    /// Charges the memory of a literal of this shape, read at `span`, and says whether it may be kept: padding takes
    /// memory that no text pays for.
    pub(super) fn charge_constant(&mut self, shape: &Shape, span: Span) -> bool {
        self.budget.constant_cells = self.budget.constant_cells.saturating_add(literal::cells_of(shape));
        if self.budget.constant_cells <= literal::MAX_CELLS {
            return true;
        }
        let message = Message::new("literal-too-large")
            .with("cells", self.budget.constant_cells)
            .with("limit", literal::MAX_CELLS);
        let advice = Hint::advice(Message::new("limit-cells-hint"));
        self.tell(Diagnostic::error(span, "literal-size", message).hint(advice));
        false
    }

    fn charge_instructions(&mut self, count: usize) {
        self.budget.instructions = self.budget.instructions.saturating_add(count);
        if self.budget.instructions > MAX_INSTRUCTIONS {
            self.exceeded("instructions", MAX_INSTRUCTIONS);
        }
    }

    /// Charges the operand after `count` others of one instruction.
    pub(super) fn charge_operand(&mut self, count: usize) {
        self.charge_entry();
        if count >= MAX_OPERANDS {
            self.exceeded("entries", MAX_OPERANDS);
        }
    }

    pub(super) fn charge_entry(&mut self) {
        self.budget.entries += 1;
        if self.budget.entries > MAX_ENTRIES {
            self.exceeded("entries", MAX_ENTRIES);
        }
    }

    /// Charges leaves of tuples at `span`, and says whether they are within the limit.
    pub(super) fn charge_leaves(&mut self, leaves: usize, span: Span) -> bool {
        self.budget.leaves = self.budget.leaves.saturating_add(leaves);
        if self.budget.leaves <= MAX_MODULE_LEAVES {
            return true;
        }
        let message = Message::engine("hlo-leaves").with("limit", MAX_MODULE_LEAVES);
        let advice = Hint::advice(Message::engine("hlo-hint-leaves"));
        self.tell(Diagnostic::error(span, "limit-module-leaves", message).hint(advice));
        self.lexer.stop();
        false
    }

    /// Charges the memory of a shape that is written at `span` and kept, and says whether it is within the limit.
    pub(super) fn charge_written(&mut self, shape: &Shape, span: Span) -> bool {
        if shape.as_tuple().is_none() {
            return true;
        }
        self.charge_leaves(shape.leaves().saturating_mul(WRITTEN_LEAF_WEIGHT), span)
    }

    pub(super) fn charge_work(&mut self, work: usize) {
        self.budget.work = self.budget.work.saturating_add(work);
        if self.budget.work > MAX_WORK {
            self.exceeded("work", MAX_WORK);
        }
    }

    /// How many of `count` names may be compared.
    pub(super) fn compared(&mut self, count: usize) -> usize {
        let granted = count.min(MAX_COMPARED - self.budget.compared);
        self.budget.compared += granted;
        granted
    }

    fn exceeded(&mut self, what: &'static str, limit: usize) {
        let span = self.peek().span;
        let message = Message::engine("hlo-too-many").with("what", what).with("limit", limit);
        self.tell(Diagnostic::error(span, "hlo-too-long", message));
        self.lexer.stop();
    }
}
