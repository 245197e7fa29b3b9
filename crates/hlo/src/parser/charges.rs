//! Charges the parsed source to the budget, and reports an exceeded limit.

use super::budget::{Exceeded, MAX_OPERANDS};
use super::state::Parser;
use xla_array::Shape;
use xla_messages::diagnostic::Span;

impl Parser<'_> {
    pub(super) fn charge_instruction(&mut self) {
        let charged = self.budget.charge_instructions(1);
        self.stop_if_exceeded(charged, None);
    }

    /// Charges the arrays of a literal of this shape.
    pub(super) fn charge_literal(&mut self, shape: &Shape) {
        let charged = self.budget.charge_literal(shape);
        self.stop_if_exceeded(charged, None);
    }

    /// Charges the memory of a literal of this shape and returns whether it is within the limit. Parsing continues if not.
    pub(super) fn charge_constant(&mut self, shape: &Shape, span: Span) -> bool {
        let charged = self.budget.charge_constant(shape);
        charged.map_err(|exceeded| self.report(exceeded.diagnostic(span))).is_ok()
    }

    /// Charges an operand of an instruction that has `count` operands so far.
    pub(super) fn charge_operand(&mut self, count: usize) {
        self.charge_list_item();
        let is_within = count < MAX_OPERANDS;
        let charged = if is_within { Ok(()) } else { Err(Exceeded::Parts("entries", MAX_OPERANDS)) };
        self.stop_if_exceeded(charged, None);
    }

    pub(super) fn charge_list_item(&mut self) {
        let charged = self.budget.charge_list_item();
        self.stop_if_exceeded(charged, None);
    }

    /// Charges leaves of tuples at `span` and returns whether they are within the limit.
    pub(super) fn charge_leaves(&mut self, leaves: usize, span: Span) -> bool {
        let charged = self.budget.charge_leaves(leaves);
        self.stop_if_exceeded(charged, Some(span))
    }

    /// Charges the memory of a shape that is written at `span` and returns whether it is within the limit.
    pub(super) fn charge_written_shape(&mut self, shape: &Shape, span: Span) -> bool {
        let charged = self.budget.charge_written_shape(shape);
        self.stop_if_exceeded(charged, Some(span))
    }

    pub(super) fn charge_work(&mut self, work: usize) {
        let charged = self.budget.charge_work(work);
        self.stop_if_exceeded(charged, None);
    }

    /// Returns whether a charge was within its limit. If not, reports it at `span`, by default at the next token, and stops
    /// parsing.
    fn stop_if_exceeded(&mut self, charged: Result<(), Exceeded>, span: Option<Span>) -> bool {
        let Err(exceeded) = charged else { return true };
        let span = span.unwrap_or_else(|| self.peek().span);
        self.report(exceeded.diagnostic(span));
        self.lexer.abort();
        false
    }
}
