//! The input of every explanation, a position with its text and module, and its output.

use crate::instruction_at::InstructionAt;
use crate::text::token_context::TokenContext;
use xla_array::{Dims, Shape};
use xla_hlo::lexer::{Lexer, TokenKind};
use xla_hlo::module::{Computation, Instruction, Module};
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;

/// A link of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoverLink {
    /// To the Layout screen, with the text of this shape.
    Layout(String),
    /// To this instruction.
    Instruction(InstructionAt),
    /// To the definition at this span.
    Definition(Span),
}

/// The explanation of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The explained text.
    pub span: Span,
    /// The kind of the token.
    pub title: Message,
    /// Its meaning at this position, one sentence each.
    pub sentences: Vec<Message>,
    /// Links.
    pub links: Vec<HoverLink>,
}

impl Hover {
    pub(super) fn new(span: Span, title: Message) -> Self {
        Self { span, title, sentences: Vec::new(), links: Vec::new() }
    }

    #[must_use]
    pub(super) fn say(mut self, sentence: Message) -> Self {
        self.sentences.push(sentence);
        self
    }

    #[must_use]
    pub(super) fn say_all(mut self, sentences: impl IntoIterator<Item = Message>) -> Self {
        self.sentences.extend(sentences);
        self
    }

    #[must_use]
    pub(super) fn link(mut self, links: impl IntoIterator<Item = HoverLink>) -> Self {
        self.links.extend(links);
        self
    }
}

/// The text, its module, and the cursor.
pub(super) struct Context<'t> {
    pub text: &'t str,
    pub module: &'t Module,
    pub cursor: TokenContext<'t>,
}

impl<'t> Context<'t> {
    pub fn instruction(&self) -> Option<(&'t Computation, &'t Instruction)> {
        self.cursor.instruction(self.module)
    }

    pub fn source(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The shape of an operand, and its name.
    pub fn operand(&self, index: usize) -> Option<(&'t str, &'t Shape)> {
        let (computation, instruction) = self.instruction()?;
        let operand = computation.get(*instruction.operands.get(index)?)?;
        Some((operand.display_name(), &operand.shape))
    }
}

/// Sizes as text, as in `2 × 3`.
pub(super) fn product(sizes: &[i64]) -> String {
    joined(sizes, " × ")
}

/// Numbers as text, separated.
pub(super) fn joined<T: ToString>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// The integers in the text.
pub(super) fn integers(text: &str) -> Dims {
    let mut lexer = Lexer::new(text);
    let mut integers = Dims::new();
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::Int => integers.extend(lexer.text(token.span).parse::<i64>().ok()),
            TokenKind::End => return integers,
            _ => {}
        }
    }
}

/// The sizes of an array shape.
pub(super) fn sizes_of(shape: &Shape) -> Option<&[i64]> {
    Some(&shape.as_array()?.dimensions)
}
