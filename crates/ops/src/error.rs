//! What is wrong with an instruction: which rule, at which part of it, and a fix that can be applied.

use std::fmt;

use xla_messages::i18n::Message;

/// The part of an instruction that is wrong or to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// All of it.
    Instruction,
    /// The opcode.
    Opcode,
    /// The shape before the opcode.
    Result,
    /// An operand.
    Operand(usize),
    /// The value of an attribute.
    Attr(&'static str),
}

/// A way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpHint {
    /// The suggestion.
    pub message: Message,
    /// The part to replace and its replacement, if that is a fix.
    pub fix: Option<(At, String)>,
}

/// A rule that an instruction breaks, or a limit that running it meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpError {
    /// The opcode.
    pub op: &'static str,
    /// The rule's label, as `transpose-1`.
    pub rule: &'static str,
    /// The message.
    pub message: Message,
    /// Where.
    pub at: At,
    /// Ways out, the likeliest first.
    pub hints: Vec<OpHint>,
}

impl OpError {
    /// A broken rule, at the whole instruction and without hints.
    pub fn new(op: &'static str, rule: &'static str, message: Message) -> Self {
        Self { op, rule, message, at: At::Instruction, hints: Vec::new() }
    }

    /// The same at one part.
    #[must_use]
    pub fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// The same at an attribute.
    #[must_use]
    pub fn at_attr(self, name: &'static str) -> Self {
        self.at(At::Attr(name))
    }

    /// The same at an operand.
    #[must_use]
    pub fn at_operand(self, number: usize) -> Self {
        self.at(At::Operand(number))
    }

    /// With the advice to write `text` at a part of the instruction.
    #[must_use]
    pub fn write(mut self, at: At, text: impl Into<String>) -> Self {
        let text = text.into();
        let shown = match &at {
            At::Attr(name) => format!("{name}={text}"),
            _ => text.clone(),
        };
        let message = Message::engine("op-hint-write").with("text", shown);
        self.hints.push(OpHint { message, fix: Some((at, text)) });
        self
    }

    /// With advice in words.
    #[must_use]
    pub fn advise(mut self, message: Message) -> Self {
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
