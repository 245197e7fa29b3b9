//! HLO text → module and diagnostics. Never fails: what cannot be read is told, and reading goes on at the next
//! instruction.
//!
//! Recursive descent over [`Lexer`]. Opcodes, operands and attributes come from the ops' [`OpMeta`](crate::ops::OpMeta);
//! there is nothing about any op in here. `computation` reads headers and bodies, `instruction` one instruction,
//! `attribute` the values of attributes, `shape` finds where a shape ends.

mod attribute;
mod computation;
mod instruction;
mod shape;

pub(super) use attribute::is_annotation;

use super::lexer::{Kind, Lexer, Token};
use super::module::Module;
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Edit, Hint, Severity, Span};
use crate::i18n::Message;
use crate::ops::{At, OpError};

/// The longest text that is read, in bytes: 32 MiB.
pub const LONGEST: usize = 32 << 20;
/// How deep operands, bodies and calls may be nested.
pub const DEEPEST: usize = 64;
/// Diagnostics kept of one text; what follows so many is noise.
const MOST: usize = 200;

/// What was read of a text.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The module as far as it could be read. Where there are errors it may be inspected and printed, not run.
    pub module: Module,
    /// What is wrong, by place in the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The first error; `None` where the module can be run.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }

    /// The module, if nothing is wrong with it (warnings apart), else the first error.
    pub fn into_module(self) -> Result<Module, Box<Diagnostic>> {
        match self.error() {
            Some(error) => Err(Box::new(error.clone())),
            None => Ok(self.module),
        }
    }
}

/// Reads a module by the rules of today's XLA.
///
/// ```
/// let parsed = xla_playground::hlo::parse("HloModule m  ENTRY e { x = f32[2,3] parameter(0) ROOT y = negate(x) }");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.module.entry_computation().and_then(|e| e.root_instruction()).map(|r| r.shape.to_string()),
///            Some("f32[2,3]{1,0}".to_owned()));
/// ```
pub fn parse(source: &str) -> Parsed {
    parse_as(source, Edition::Now)
}

/// Reads a module by the rules of an edition.
pub fn parse_as(source: &str, edition: Edition) -> Parsed {
    if source.len() > LONGEST {
        let message = Message::engine("text-too-long").with("bytes", source.len()).with("limit", LONGEST);
        let diagnostic = Diagnostic::error(Span::new(0, source.len()), "hlo-too-long", message);
        return Parsed { module: Module::default(), diagnostics: vec![diagnostic] };
    }
    let mut parser = Parser {
        lexer: Lexer::new(source),
        module: Module::default(),
        diagnostics: Vec::new(),
        depth: 0,
        edition,
    };
    parser.module();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|d| d.span.start);
    Parsed { module: parser.module, diagnostics }
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    module: Module,
    diagnostics: Vec<Diagnostic>,
    /// How many bodies and operand lists are open.
    depth: usize,
    edition: Edition,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token {
        self.lexer.peek()
    }

    fn kind(&self) -> Kind {
        self.peek().kind
    }

    fn bump(&mut self) -> Token {
        self.lexer.next()
    }

    fn text(&self, span: Span) -> &'s str {
        self.lexer.text(span)
    }

    /// Takes the mark if it comes next.
    fn eat(&mut self, mark: char) -> bool {
        let is = self.kind() == Kind::Mark(mark);
        if is {
            self.bump();
        }
        is
    }

    /// Takes the word if it comes next.
    fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let is = token.kind == Kind::Name && self.text(token.span) == word;
        if is {
            self.bump();
        }
        is
    }

    fn tell(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST {
            self.diagnostics.push(diagnostic);
        }
    }

    fn error(&mut self, span: Span, rule: &'static str, message: Message) {
        self.tell(Diagnostic::error(span, rule, message));
    }

    /// That something else should stand at the next token.
    fn expected(&mut self, what: &str) {
        let token = self.peek();
        let found = self.text(token.span).chars().take(40).collect::<String>();
        let message = Message::engine("hlo-expected").with("expected", what).with("found", found);
        self.error(token.span, "hlo-syntax", message);
    }

    /// Takes the mark; tells where it is missing, with the edit that inserts it.
    fn expect(&mut self, mark: char) -> bool {
        let is = self.eat(mark);
        if !is {
            let token = self.peek();
            let found = self.text(token.span).chars().take(40).collect::<String>();
            let message =
                Message::engine("hlo-expected").with("expected", mark.to_string()).with("found", found);
            let hint = Message::engine("op-hint-write").with("text", mark.to_string());
            let error = Diagnostic::error(token.span, "hlo-syntax", message);
            self.tell(error.hint(Hint::replace(hint, Span::at(token.span.start), mark.to_string())));
        }
        is
    }

    /// Whether a token is the first of its line.
    fn begins_line(&self, token: Token) -> bool {
        let before = self.lexer.source.get(..token.span.start).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim_end().is_empty()
    }

    /// Skips the group whose opening bracket was just taken.
    fn skip_group(&mut self) {
        let mut open = 1_usize;
        while open > 0 {
            match self.bump().kind {
                Kind::Mark('(' | '[' | '{') => open += 1,
                Kind::Mark(')' | ']' | '}') => open -= 1,
                Kind::End => return,
                _ => {}
            }
        }
    }

    /// Skips the value of an attribute, whatever it is; gives its text. It ends before a comma or a closing bracket
    /// of whatever is around it, and before a new line.
    fn raw_value(&mut self) -> Span {
        let start = self.peek().span.start;
        let mut end = start;
        loop {
            let token = self.peek();
            let ends = match token.kind {
                Kind::Mark(',' | ')' | ']' | '}') | Kind::End => true,
                _ => end > start && self.begins_line(token),
            };
            if ends {
                return Span::new(start, end);
            }
            self.bump();
            if matches!(token.kind, Kind::Mark('(' | '[' | '{')) {
                self.skip_group();
            }
            end = self.lexer.at;
        }
    }

    /// Whether a token looks like the start of an instruction or the end of a body: it begins a line, and is a name
    /// before `=`, `ROOT`, `ENTRY` or `}`.
    fn begins_instruction(&self, token: Token) -> bool {
        match token.kind {
            Kind::Mark('}') => self.begins_line(token),
            Kind::Name | Kind::AttrName if self.begins_line(token) => {
                let mut ahead = Lexer { source: self.lexer.source, at: token.span.start };
                ahead.next();
                ahead.peek().kind == Kind::Mark('=')
                    || token.kind == Kind::AttrName && ahead.peek().kind == Kind::Name
                    || matches!(self.text(token.span), "ROOT" | "ENTRY")
            }
            _ => false,
        }
    }

    /// Goes to what looks like the start of an instruction or the end of a body.
    fn recover(&mut self) {
        while self.kind() != Kind::End && !self.begins_instruction(self.peek()) {
            self.bump();
        }
    }

    /// Skips the parentheses that were opened, but not what looks like the next instruction.
    fn skip_operands(&mut self) {
        let mut open = 1_usize;
        while open > 0 && self.kind() != Kind::End && !self.begins_instruction(self.peek()) {
            match self.bump().kind {
                Kind::Mark('(' | '[' | '{') => open += 1,
                Kind::Mark(')' | ']' | '}') => open -= 1,
                _ => {}
            }
        }
    }

    /// Tells what an op's rules say, at the parts of the instruction they speak of.
    fn tell_op(&mut self, error: OpError, spans: &super::module::InstructionSpans) {
        let span_of = |at: &At| match at {
            At::Instruction => spans.whole,
            At::Result if spans.shape.start < spans.shape.end => spans.shape,
            At::Result | At::Opcode => spans.opcode,
            At::Operand(i) => spans.operands.get(*i).copied().unwrap_or(spans.whole),
            At::Attr(name) => {
                spans.attrs.iter().find(|(n, _)| n == name).map_or(spans.whole, |(_, span)| *span)
            }
        };
        let has_place = |at: &At| match at {
            At::Attr(name) => spans.attrs.iter().any(|(n, _)| n == name),
            At::Result => spans.shape.start < spans.shape.end,
            At::Operand(i) => spans.operands.get(*i).is_some(),
            At::Opcode | At::Instruction => true,
        };
        let mut diagnostic = Diagnostic::error(span_of(&error.at), error.rule, error.message);
        for hint in error.hints {
            let edits = match hint.fix {
                Some((at, text)) if has_place(&at) => vec![Edit { span: span_of(&at), text }],
                _ => Vec::new(),
            };
            diagnostic = diagnostic.hint(Hint { message: hint.message, edits });
        }
        self.tell(diagnostic);
    }
}

#[cfg(test)]
mod tests;
