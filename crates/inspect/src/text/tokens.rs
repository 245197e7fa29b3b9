//! Syntax highlighting, one line at a time.
//!
//! A line needs only the [`LineState`] at its start, so an editor tokenizes the lines that it shows and never the whole text. The
//! classes follow from the syntax alone: no list of opcodes is linked, and text with errors keeps its colours. Only block comments
//! and, rarely, strings span several lines.

use xla_array::ElementType;
use xla_hlo::lexer::{Lexer, Token, TokenKind, is_reserved};
use xla_messages::diagnostic::Span;

/// The class of a token, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenClass {
    /// `HloModule`, `ENTRY`, `ROOT`, table names, sharding keywords.
    Keyword,
    /// An element type, `token`, `opaque`.
    Type,
    /// A layout: the braces after the sizes and their content.
    Layout,
    /// A number, `true`, `inf`, dimension labels.
    Number,
    /// A quoted string.
    String,
    /// A comment.
    Comment,
    /// The name at the definition of an instruction or a computation.
    Definition,
    /// Any other name: an operand, a called computation, a word of an attribute.
    Name,
    /// An opcode.
    Opcode,
    /// The name of an attribute or of a field.
    Attribute,
    /// Brackets and other punctuation.
    Punctuation,
}

impl TokenClass {
    /// All classes, in the order of their discriminants.
    pub const ALL: [Self; 11] = [
        Self::Keyword,
        Self::Type,
        Self::Layout,
        Self::Number,
        Self::String,
        Self::Comment,
        Self::Definition,
        Self::Name,
        Self::Opcode,
        Self::Attribute,
        Self::Punctuation,
    ];

    /// The name in style sheets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::Type => "type",
            Self::Layout => "layout",
            Self::Number => "number",
            Self::String => "string",
            Self::Comment => "comment",
            Self::Definition => "definition",
            Self::Name => "name",
            Self::Opcode => "opcode",
            Self::Attribute => "attribute",
            Self::Punctuation => "punctuation",
        }
    }
}

/// The unclosed construct at the start of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineState {
    /// Nothing.
    #[default]
    Code,
    /// A block comment.
    Comment,
    /// A string.
    String {
        /// Whether its quotation punctuation is `'`.
        is_single_quoted: bool,
        /// The number of its lines so far.
        lines: u8,
    },
}

/// Maximum number of lines of a string; a longer one is taken for a missing quotation punctuation, as in the lexer.
const MAX_STRING_LINES: u8 = 16;
/// Maximum number of bytes of a line that are highlighted: longer lines are those of large constants.
const MAX_HIGHLIGHTED_BYTES: usize = 16 << 10;
/// Attributes that a reader of the program rarely needs, whose braces an editor collapses.
const COLLAPSED_ATTRIBUTES: [&str; 4] = ["metadata", "backend_config", "frontend_attributes", "origin"];

impl LineState {
    /// The state as a number, for a cache outside of Rust.
    pub fn to_code(self) -> u32 {
        match self {
            Self::Code => 0,
            Self::Comment => 1,
            Self::String { is_single_quoted, lines } => {
                2 + 2 * u32::from(lines) + u32::from(is_single_quoted)
            }
        }
    }

    /// The state of a number; unknown numbers are [`Self::Code`].
    pub fn from_code(code: u32) -> Self {
        match code {
            1 => Self::Comment,
            2.. => match u8::try_from((code - 2) / 2) {
                Ok(lines) => Self::String { is_single_quoted: code % 2 == 1, lines },
                Err(_) => Self::Code,
            },
            _ => Self::Code,
        }
    }
}

/// A line, highlighted. Spans are bytes of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTokens {
    /// Its tokens, ascending and disjoint.
    pub tokens: Vec<(Span, TokenClass)>,
    /// Values that an editor collapses (`{…}` of `metadata={…}`): the braces and their content.
    pub collapsed: Vec<Span>,
    /// The state at the start of the next line.
    pub next: LineState,
}

/// Highlights a line without its line break.
///
/// ```
/// use xla_inspect::text::{LineState, TokenClass, highlight};
///
/// let line = highlight("  ROOT y = f32[2]{0} negate(x)", LineState::Code);
/// let classes: Vec<_> = line.tokens.iter().map(|(_, class)| *class).collect();
/// assert_eq!(classes[..2], [TokenClass::Keyword, TokenClass::Definition]);
/// assert!(classes.contains(&TokenClass::Opcode));
/// ```
pub fn highlight(line: &str, state: LineState) -> LineTokens {
    let full_line = line;
    let line = full_line.get(..full_line.floor_char_boundary(MAX_HIGHLIGHTED_BYTES)).unwrap_or(full_line);
    let mut out = LineTokens::default();
    let mut start = 0;
    match state {
        LineState::Comment => {
            let Some(end) = full_line.find("*/") else {
                out.tokens.push((Span::new(0, line.len()), TokenClass::Comment));
                out.next = LineState::Comment;
                return out;
            };
            start = (end + 2).min(line.len());
            out.tokens.push((Span::new(0, start), TokenClass::Comment));
        }
        LineState::String { is_single_quoted, lines }
            if !looks_like_code(line) && lines < MAX_STRING_LINES =>
        {
            let quote = if is_single_quoted { b'\'' } else { b'"' };
            let Some(end) = closing_quote(line, quote) else {
                out.tokens.push((Span::new(0, line.len()), TokenClass::String));
                out.next = LineState::String { is_single_quoted, lines: lines + 1 };
                return out;
            };
            start = end + 1;
            out.tokens.push((Span::new(0, start), TokenClass::String));
        }
        LineState::Code | LineState::String { .. } => {}
    }
    Tokenizer { lexer: Lexer::starting_at(line, start), out, previous: None, brackets: Vec::new() }.run()
}

/// Whether a line is an instruction or ends a body, so that no string continues on it.
fn looks_like_code(line: &str) -> bool {
    line.contains(" = ") || line.starts_with("ENTRY ") || line.trim_end() == "}"
}

/// The offset of the first quotation punctuation that no backslash escapes.
fn closing_quote(line: &str, quote: u8) -> Option<usize> {
    let mut is_escaped = false;
    line.bytes().position(|byte| {
        let is_end = !is_escaped && byte == quote;
        is_escaped = !is_escaped && byte == b'\\';
        is_end
    })
}

/// An open bracket of a line.
struct Bracket {
    start: usize,
    is_layout: bool,
    is_collapsed: bool,
}

struct Tokenizer<'l> {
    lexer: Lexer<'l>,
    out: LineTokens,
    previous: Option<Token>,
    brackets: Vec<Bracket>,
}

impl Tokenizer<'_> {
    fn run(mut self) -> LineTokens {
        loop {
            let from = self.lexer.offset;
            let unclosed = self.lexer.unclosed_comment();
            let token = self.lexer.peek();
            self.comments(from, unclosed.unwrap_or(token.span.start));
            if let Some(at) = unclosed {
                let end = self.lexer.source.len();
                self.push(Span::new(at, end), TokenClass::Comment);
                // A line comment does not continue on the next line.
                if self.lexer.source.get(at..).is_some_and(|rest| rest.starts_with("/*")) {
                    self.out.next = LineState::Comment;
                }
                return self.out;
            }
            if token.kind == TokenKind::End {
                return self.out;
            }
            self.lexer.next();
            let class = self.class(token);
            self.push(token.span, class);
            if token.kind == TokenKind::OpenString {
                let is_single_quoted = self.lexer.text(token.span).starts_with('\'');
                self.out.next = LineState::String { is_single_quoted, lines: 1 };
            }
            self.previous = Some(token);
        }
    }

    fn push(&mut self, span: Span, class: TokenClass) {
        if span.start < span.end {
            self.out.tokens.push((span, class));
        }
    }

    /// Adds the comments between two tokens.
    fn comments(&mut self, from: usize, to: usize) {
        let between = self.lexer.source.get(from..to).unwrap_or_default();
        if let Some(at) = between.find('/') {
            let span =
                Span::new(from + at, from + at + between.get(at..).unwrap_or_default().trim_end().len());
            self.push(span, TokenClass::Comment);
        }
    }

    fn byte_at(&self, offset: usize) -> Option<u8> {
        self.lexer.source.as_bytes().get(offset).copied()
    }

    /// The first byte from `offset` on that is not a space.
    fn byte_after(&self, offset: usize) -> Option<u8> {
        self.lexer.source.as_bytes().get(offset..)?.iter().copied().find(|byte| *byte != b' ')
    }

    fn class(&mut self, token: Token) -> TokenClass {
        let in_layout = self.brackets.last().is_some_and(|bracket| bracket.is_layout);
        let class = match token.kind {
            TokenKind::Punct(punctuation) => {
                if self.bracket(token, punctuation) || in_layout {
                    TokenClass::Layout
                } else {
                    TokenClass::Punctuation
                }
            }
            TokenKind::Arrow | TokenKind::End => TokenClass::Punctuation,
            TokenKind::String | TokenKind::OpenString => TokenClass::String,
            TokenKind::AttrName => TokenClass::Attribute,
            _ if in_layout => TokenClass::Layout,
            TokenKind::Int
            | TokenKind::Float
            | TokenKind::Sizes
            | TokenKind::Padding
            | TokenKind::DimLabels => TokenClass::Number,
            TokenKind::ParamName => TokenClass::Definition,
            TokenKind::Name => self.name(token),
        };
        if in_layout && class != TokenClass::String { TokenClass::Layout } else { class }
    }

    /// Opens or closes a bracket; returns whether it belongs to a layout.
    fn bracket(&mut self, token: Token, punctuation: char) -> bool {
        let previous = self.previous;
        match punctuation {
            '{' | '(' | '[' => {
                let in_layout = self.brackets.last().is_some_and(|bracket| bracket.is_layout);
                let follows_sizes = punctuation == '{'
                    && previous.is_some_and(|before| {
                        before.kind == TokenKind::Punct(']') && before.span.end == token.span.start
                    });
                let is_collapsed = punctuation == '{'
                    && previous.is_some_and(|before| {
                        before.kind == TokenKind::AttrName
                            && COLLAPSED_ATTRIBUTES.contains(&self.lexer.text(before.span))
                    });
                let bracket =
                    Bracket { start: token.span.start, is_layout: in_layout || follows_sizes, is_collapsed };
                let belongs_to_layout = bracket.is_layout;
                self.brackets.push(bracket);
                belongs_to_layout
            }
            '}' | ')' | ']' => {
                let Some(bracket) = self.brackets.pop() else { return false };
                if bracket.is_collapsed && token.span.end > bracket.start + 2 {
                    self.out.collapsed.push(Span::new(bracket.start, token.span.end));
                }
                bracket.is_layout
            }
            _ => false,
        }
    }

    fn name(&self, token: Token) -> TokenClass {
        let word = self.lexer.text(token.span);
        let end = token.span.end;
        if is_reserved(word) {
            return match word {
                "true" | "false" | "inf" | "nan" => TokenClass::Number,
                "token" | "opaque" => TokenClass::Type,
                word if ElementType::from_name(word).is_some() => TokenClass::Type,
                _ => TokenClass::Keyword,
            };
        }
        let previous = self.previous.map(|before| self.lexer.text(before.span));
        let is_first = matches!(previous, None | Some("ROOT" | "ENTRY" | "HloModule"));
        match self.byte_after(end) {
            Some(b'=' | b'(' | b'{') if is_first => TokenClass::Definition,
            _ if previous == Some("HloModule") => TokenClass::Definition,
            _ if self.byte_at(end) == Some(b'(') && !word.starts_with('%') => TokenClass::Opcode,
            _ => TokenClass::Name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes of a line, each with its text.
    fn classes(line: &str) -> Vec<(&str, &'static str)> {
        let found = highlight(line, LineState::Code);
        found.tokens.iter().map(|(span, class)| (&line[span.range()], class.name())).collect()
    }

    #[test]
    fn an_instruction_has_the_classes_of_its_parts() {
        let line = "  ROOT %r.1 = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} add(%x, /*i=1*/y), metadata={op_name=\"a\"} // end";
        let found = classes(line);
        for expected in [
            ("ROOT", "keyword"),
            ("%r.1", "definition"),
            ("bf16", "type"),
            ("8", "number"),
            ("T", "layout"),
            ("128", "layout"),
            ("add", "opcode"),
            ("%x", "name"),
            ("/*i=1*/", "comment"),
            ("metadata", "attribute"),
            ("op_name", "attribute"),
            ("\"a\"", "string"),
            ("// end", "comment"),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
        let collapsed = highlight(line, LineState::Code).collapsed;
        assert_eq!(collapsed.iter().map(|span| &line[span.range()]).collect::<Vec<_>>(), ["{op_name=\"a\"}"]);
    }

    #[test]
    fn headers_name_what_they_define() {
        assert!(classes("HloModule jit_f, is_scheduled=true").contains(&("jit_f", "definition")));
        assert!(classes("ENTRY %main (p: f32[2]) -> f32[2] {").contains(&("%main", "definition")));
        assert!(classes("region {").contains(&("region", "definition")));
        let parameter = classes("%r (a: f32[]) -> f32[] {");
        assert!(parameter.contains(&("a", "definition")) && parameter.contains(&("->", "punctuation")));
        assert!(classes("c = f32[2]{0} constant({nan, -1.5})").contains(&("nan", "number")));
        assert!(classes("x = f32[2] all-reduce(y), to_apply=%sum").contains(&("%sum", "name")));
    }

    #[test]
    fn comments_and_strings_continue_on_the_next_line() {
        let first = highlight("x /* a \" b", LineState::Code);
        assert_eq!(first.next, LineState::Comment);
        let second = highlight("c */ y = f32[] add(x, x)", first.next);
        assert_eq!(second.tokens[0], (Span::new(0, 4), TokenClass::Comment));
        assert_eq!(second.next, LineState::Code);
        assert_eq!(highlight("no end", LineState::Comment).next, LineState::Comment);
        let open = highlight("backend_config=\"{", LineState::Code);
        assert_eq!(open.next, LineState::String { is_single_quoted: false, lines: 1 });
        let rest = highlight("  k: \\\"v\\\"}\", x", open.next);
        assert_eq!((rest.tokens[0].1, rest.next), (TokenClass::String, LineState::Code));
        assert!(rest.tokens.len() > 1);
        // A missing quotation punctuation colours one line, not the rest of the text.
        assert_eq!(highlight("  y = f32[] add(x, x)", open.next).tokens[0].1, TokenClass::Definition);
        assert_eq!(highlight("a // \"b", LineState::Code).next, LineState::Code);
        for state in [LineState::Code, LineState::Comment, open.next] {
            assert_eq!(LineState::from_code(state.to_code()), state);
        }
        assert_eq!(LineState::from_code(u32::MAX), LineState::Code);
    }

    #[test]
    fn tokens_are_ascending_and_within_the_line() {
        let long = format!("c = f32[9] constant({{{}}})", "1.5, ".repeat(20_000));
        for line in ["", "é", "{{{", "}})]", "'", "/*", "*/", "\"\\", "a=b={c", "é\u{a0}\"x", &long] {
            for state in [LineState::Code, LineState::Comment, LineState::from_code(3)] {
                let found = highlight(line, state);
                let mut end = 0;
                for (span, _) in &found.tokens {
                    assert!(span.start >= end && span.end <= line.len(), "{line:?} {found:?}");
                    assert!(line.get(span.range()).is_some());
                    end = span.end;
                }
                assert!(end <= MAX_HIGHLIGHTED_BYTES);
            }
        }
    }
}
