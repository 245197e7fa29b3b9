//! The context of a byte in the text: its token, the brackets around it, and the instruction it belongs to.
//!
//! The token and the brackets come from the text alone, so they exist while the text has mistakes; computation and
//! instruction come from the module, as far as it could be read.

use crate::instruction_at::InstructionAt;
use xla_array::ElementType;
use xla_hlo::InstructionId;
use xla_hlo::lexer::{Lexer, Token, TokenKind};
use xla_hlo::module::{Computation, Instruction, Module};
use xla_messages::diagnostic::Span;
use xla_ops::ComputationId;

/// A bracket around the byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosing<'t> {
    /// The bracket.
    pub open: char,
    /// The name before it: of the attribute or field whose value it begins, or the opcode.
    pub name: Option<&'t str>,
    /// The number of commas between the bracket and the byte.
    pub index: usize,
    /// Its offset.
    pub start: usize,
}

/// The token at a byte and what surrounds it.
#[derive(Clone, Debug)]
pub(super) struct TokenContext<'t> {
    /// The token at the byte.
    pub token: Token,
    /// Its text.
    pub word: &'t str,
    /// The token before it in the statement.
    pub previous: Option<Token>,
    /// The brackets around it, the outermost first.
    pub enclosing: Vec<Enclosing<'t>>,
    /// The opcode of its statement, if that is before the byte.
    pub opcode: Option<&'t str>,
    /// The attributes of its statement before the byte.
    pub attributes: Vec<&'t str>,
    /// The attribute whose value contains it: its name, and the start of the value.
    pub attribute: Option<(&'t str, usize)>,
    /// The array shape that contains it.
    pub array: Option<Span>,
    /// Where its statement begins.
    pub statement: usize,
    /// The innermost instruction around it.
    pub instruction: Option<InstructionAt>,
}

/// Maximum number of lines above the byte that are searched for the start of a statement that the parser could not
/// read.
const MAX_STATEMENT_LINES: usize = 64;

/// The innermost computation at a byte.
pub(super) fn computation_at(module: &Module, offset: usize) -> Option<ComputationId> {
    let with_ids = (0..).map(ComputationId).zip(&module.computations);
    let around = with_ids.filter(|(_, c)| c.span.start <= offset && offset <= c.span.end);
    around.min_by_key(|(_, c)| c.span.end - c.span.start).map(|(id, _)| id)
}

/// The instructions around a byte, the outermost first.
fn instructions_at(module: &Module, computation: ComputationId, offset: usize) -> Vec<(InstructionId, Span)> {
    let Some(computation) = module.get(computation) else { return Vec::new() };
    let contains = |span: Span| span.start <= offset && offset <= span.end;
    let around = computation.iter().filter(|(_, instruction)| contains(instruction.spans.whole));
    let mut found: Vec<(InstructionId, Span)> = around.map(|(id, i)| (id, i.spans.whole)).collect();
    found.sort_by_key(|(_, span)| (span.start, usize::MAX - span.end));
    found
}

/// The start of the statement around a byte by its lines.
fn statement_by_lines(text: &str, offset: usize) -> usize {
    let mut start = line_start(text, offset);
    for _ in 0..MAX_STATEMENT_LINES {
        let line = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default().trim_start();
        let first = line.split_whitespace().next().unwrap_or_default();
        let begins = line.contains(" = ")
            || matches!(
                first,
                "ENTRY" | "HloModule" | "FileNames" | "FunctionNames" | "FileLocations" | "StackFrames" | "}"
            )
            || line.trim_end().ends_with('{') && !line.contains('=');
        if begins || start == 0 {
            break;
        }
        start = line_start(text, start - 1);
    }
    start
}

fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// The end of the array shape whose element type is a token that ends at `end`, as in `f32[2]{0:T(8)}`.
fn array_end(source: &str, end: usize) -> Option<usize> {
    let mut lexer = Lexer::starting_at(source, end);
    if source.as_bytes().get(end) != Some(&b'[') {
        return None;
    }
    loop {
        match lexer.next().kind {
            TokenKind::Punct(']') => break,
            TokenKind::Punct('{' | '(' | ')' | '}') | TokenKind::End => return None,
            _ => {}
        }
    }
    let sizes_end = lexer.offset;
    if source.as_bytes().get(sizes_end) != Some(&b'{') {
        return Some(sizes_end);
    }
    lexer.next();
    if !matches!(lexer.peek().kind, TokenKind::Int | TokenKind::Punct(':' | '}')) {
        return Some(sizes_end);
    }
    let mut depth = 1_usize;
    while depth > 0 {
        match lexer.next().kind {
            TokenKind::Punct('{') => depth += 1,
            TokenKind::Punct('}') => depth -= 1,
            TokenKind::End => return Some(sizes_end),
            _ => {}
        }
    }
    Some(lexer.offset)
}

impl<'t> TokenContext<'t> {
    /// The context of a byte; `None` between tokens.
    pub fn find(text: &'t str, module: &Module, offset: usize) -> Option<Self> {
        let cursor = Self::near(text, module, offset);
        (cursor.token.span.start <= offset && offset < cursor.token.span.end).then_some(cursor)
    }

    /// The context of the token that contains or follows a byte, which may be the end.
    pub fn near(text: &'t str, module: &Module, offset: usize) -> Self {
        let computation = computation_at(module, offset);
        let around = computation.map(|id| instructions_at(module, id, offset)).unwrap_or_default();
        let line = line_start(text, offset);
        // Tables and headers are long statements; instructions outside of them begin their lines.
        let statement =
            around.first().map_or_else(|| statement_by_lines(text, offset), |(_, span)| span.start);
        let statement = if around.is_empty() { statement.min(line) } else { statement };
        let instruction = computation
            .zip(around.last())
            .map(|(computation, (id, _))| InstructionAt { computation, instruction: *id });
        let mut lexer = Lexer::starting_at(text, text.floor_char_boundary(statement));
        let mut enclosing: Vec<Enclosing<'t>> = Vec::new();
        let mut attribute: Option<(&'t str, usize, usize)> = None;
        let mut array: Option<Span> = None;
        let mut opcode = None;
        let mut attributes = Vec::new();
        let mut previous: Option<Token> = None;
        loop {
            let token = lexer.next();
            let word = lexer.text(token.span);
            if array.is_none_or(|span| span.end <= token.span.start) {
                let begins_array = token.kind == TokenKind::Name && ElementType::from_name(word).is_some();
                let end = begins_array.then(|| array_end(text, token.span.end)).flatten();
                array = end.map(|end| Span::new(token.span.start, end));
            }
            if let (TokenKind::Punct('}' | ')' | ']'), true) = (token.kind, token.span.end <= offset) {
                enclosing.pop();
            }
            if attribute.is_some_and(|(_, _, depth)| {
                enclosing.len() < depth || enclosing.len() == depth && token.kind == TokenKind::Punct(',')
            }) {
                attribute = None;
            }
            if token.span.end > offset || token.kind == TokenKind::End {
                return Self {
                    token,
                    word,
                    previous,
                    enclosing,
                    opcode,
                    attributes,
                    attribute: attribute.map(|(name, start, _)| (name, start)),
                    array: array.filter(|span| span.start <= token.span.start && token.span.end <= span.end),
                    statement,
                    instruction,
                };
            }
            match token.kind {
                TokenKind::Punct(open @ ('{' | '(' | '[')) => {
                    let is_named = |before: &Token| {
                        matches!(before.kind, TokenKind::AttrName)
                            || before.kind == TokenKind::Name && before.span.end == token.span.start
                    };
                    let name = previous.filter(is_named).map(|before| lexer.text(before.span));
                    if open == '(' && enclosing.is_empty() && attribute.is_none() && opcode.is_none() {
                        opcode = name;
                    }
                    enclosing.push(Enclosing { open, name, index: 0, start: token.span.start });
                }
                TokenKind::Punct(',') => {
                    if let Some(bracket) = enclosing.last_mut() {
                        bracket.index += 1;
                    }
                }
                TokenKind::AttrName if attribute.is_none() => {
                    attribute = Some((word, lexer.offset, enclosing.len()));
                    attributes.push(word);
                }
                _ => {}
            }
            previous = Some(token);
        }
    }

    /// The value of the attribute around the byte: up to the comma or the bracket that ends it.
    pub fn attribute_value(&self, text: &'t str) -> Option<(&'t str, Span)> {
        let (name, start) = self.attribute?;
        let mut lexer = Lexer::starting_at(text, start);
        let mut depth = 0_usize;
        let mut span = Span::new(lexer.peek().span.start, lexer.peek().span.start);
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::End => break,
                TokenKind::Punct(',' | '}' | ')' | ']') if depth == 0 => break,
                TokenKind::Punct('{' | '(' | '[') => depth += 1,
                TokenKind::Punct('}' | ')' | ']') => depth -= 1,
                // The order of an iota, as in `[2,4]<=[4,2]T(1,0)`, belongs to the value; other names do not.
                TokenKind::Name if depth == 0 && span.start < span.end && span.end != token.span.start => {
                    break;
                }
                TokenKind::AttrName if depth == 0 && span.start < span.end => break,
                _ => {}
            }
            span = span.join(token.span);
        }
        Some((name, span))
    }

    /// The computation and the instruction around the byte.
    pub fn instruction<'m>(&self, module: &'m Module) -> Option<(&'m Computation, &'m Instruction)> {
        self.instruction?.of(module)
    }
}
