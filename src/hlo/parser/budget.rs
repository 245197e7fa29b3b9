//! Bounds of what one text may cost, so that no text of [`super::LONGEST`] bytes takes more than seconds or more than
//! about a gigabyte, however it is built.
//!
//! Parsing is linear in the text but for three things, each with a budget: values that are larger in memory than in the
//! text, signatures that every call looks at, and parts that are lexed again after an error. What exceeds a budget is
//! an error, and reading stops there.

use super::Parser;
use crate::array::Shape;
use crate::diagnostic::Diagnostic;
use crate::i18n::Message;

/// The most instructions of a module, those without a name included: half a million. An array of a literal takes as much
/// memory as [`LITERAL_WEIGHT`] of them.
pub const MAX_INSTRUCTIONS: usize = 1 << 19;
const LITERAL_WEIGHT: usize = 3;
/// The most operands of one instruction.
pub const MAX_OPERANDS: usize = 1 << 18;
/// The most operands, attributes and list entries of a module, together.
pub const MAX_ENTRIES: usize = 1 << 21;
/// The most arrays within the tuples of all instructions' shapes.
pub const MAX_LEAVES: usize = 1 << 19;
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
    work: usize,
    compared: usize,
}

/// The arrays, tokens and so on that a shape contains; a tuple counts as one more.
pub(super) fn leaves(shape: &Shape) -> usize {
    match shape {
        Shape::Tuple(elements) => 1 + elements.iter().map(leaves).sum::<usize>(),
        _ => 1,
    }
}

impl Parser<'_> {
    pub(super) fn charge_instruction(&mut self) {
        self.charge_instructions(1);
    }

    /// Charges a literal of this shape.
    pub(super) fn charge_literal(&mut self, shape: &Shape) {
        self.charge_instructions(LITERAL_WEIGHT * leaves(shape));
    }

    fn charge_instructions(&mut self, count: usize) {
        self.budget.instructions += count;
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

    /// Charges the leaves of a shape that is kept.
    pub(super) fn charge_shape(&mut self, shape: &Shape) {
        if let Shape::Tuple(_) = shape {
            self.budget.leaves += leaves(shape);
            if self.budget.leaves > MAX_LEAVES {
                self.exceeded("leaves", MAX_LEAVES);
            }
        }
    }

    pub(super) fn charge_work(&mut self, work: usize) {
        self.budget.work = self.budget.work.saturating_add(work);
        if self.budget.work > MAX_WORK {
            self.exceeded("leaves", MAX_LEAVES);
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
