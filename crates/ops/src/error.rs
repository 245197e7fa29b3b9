//! Errors of an instruction: the rule it violates, the invalid part, and fixes that can be applied.

use std::fmt;

use xla_messages::i18n::Message;

/// The part of an instruction that is invalid, or that a fix replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpPart {
    /// All of it.
    Instruction,
    /// The opcode in the text.
    Opcode,
    /// The shape before the opcode.
    Result,
    /// The operand with this index.
    Operand(usize),
    /// The shape of an operand, where it is a parameter.
    OperandShape(usize),
    /// The operand with this index, by an instruction before it that converts it; the replacement is the shape of that.
    Converted(usize),
    /// The value of an attribute.
    Attr(&'static str),
    /// An attribute with its name and the preceding comma.
    WholeAttr(&'static str),
    /// From the opcode to the end. In a replacement, `$0` … `$9` stand for the text of operands, and `$name` for that
    /// of an attribute's value.
    Operation,
}

/// A suggestion of how to fix an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpHint {
    /// What to change.
    pub message: Message,
    /// The part to replace, and the replacement; `None` for a suggestion without a fix.
    pub fix: Option<(OpPart, String)>,
}

/// A rule that an instruction violates, or a limit that its run exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpError {
    /// The opcode of the op that reports the error.
    pub op: &'static str,
    /// The identifier of the rule, e.g. `transpose-1`.
    pub rule: &'static str,
    /// What is wrong.
    pub message: Message,
    /// The invalid part.
    pub at: OpPart,
    /// Suggestions, the likeliest first.
    pub hints: Vec<OpHint>,
}

impl OpError {
    /// An error of the whole instruction, without suggestions.
    pub fn new(op: &'static str, rule: &'static str, message: Message) -> Self {
        Self { op, rule, message, at: OpPart::Instruction, hints: Vec::new() }
    }

    /// Sets the invalid part.
    #[must_use]
    pub fn at(mut self, at: OpPart) -> Self {
        self.at = at;
        self
    }

    /// Sets the invalid part to an attribute.
    #[must_use]
    pub fn at_attr(self, name: &'static str) -> Self {
        self.at(OpPart::Attr(name))
    }

    /// Sets the invalid part to an operand.
    #[must_use]
    pub fn at_operand(self, number: usize) -> Self {
        self.at(OpPart::Operand(number))
    }

    /// Adds the fix that writes `text` at a part of the instruction.
    #[must_use]
    pub fn with_fix(mut self, at: OpPart, text: impl Into<String>) -> Self {
        let text = text.into();
        let shown = match &at {
            OpPart::Attr(name) => format!("{name}={text}"),
            _ => text.clone(),
        };
        let message = Message::ops("op-hint-write").with("text", shown);
        self.hints.push(OpHint { message, fix: Some((at, text)) });
        self
    }

    /// Adds a fix described by `message`, which writes `text` at a part of the instruction.
    #[must_use]
    pub fn with_described_fix(mut self, message: Message, at: OpPart, text: impl Into<String>) -> Self {
        self.hints.push(OpHint { message, fix: Some((at, text.into())) });
        self
    }

    /// Adds a suggestion without a fix.
    #[must_use]
    pub fn with_hint(mut self, message: Message) -> Self {
        self.hints.push(OpHint { message, fix: None });
        self
    }
}

impl fmt::Display for OpError {
    /// The opcode, the message and the rule, in English.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.op, self.message, self.rule)
    }
}

impl std::error::Error for OpError {}
