//! The tokens of HLO text.
//!
//! Blanks and comments separate; line ends mean nothing. A name followed at once by `=` is the name of an attribute,
//! which is why `x=f32[]` is not an instruction. A byte order mark before the text is skipped. Shapes and literals have
//! lexers of their own, in [`xla_array`], which share `array::scan` with this one; the parser hands them the place.

use std::cell::Cell;

use xla_array::ElementType;
use xla_array::scan::{self, Number};
use xla_messages::diagnostic::{Span, byte_order_mark};

/// What a token is; its text is that of its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name: letters, digits, `_`, `.`, `-`; perhaps with `%` before it.
    Name,
    /// A name followed at once by `=`, which belongs to it.
    AttrName,
    /// A name followed at once by `:`, which belongs to it: a parameter of a signature.
    ParamName,
    /// `-?[0-9]+`.
    Int,
    /// A number with a point or an exponent, `inf`, `nan`, `nan(0x1)`.
    Float,
    /// `2x3`.
    Sizes,
    /// `1_2x0_0_1`.
    Padding,
    /// `bf01_oi01->bf01`.
    DimLabels,
    /// Text in quotation marks.
    String,
    /// Text whose quotation mark is not closed, up to the end of its line.
    OpenString,
    /// `->`.
    Arrow,
    /// Any other character.
    Punct(char),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands; the name of an attribute or a parameter without what belongs to it.
    pub span: Span,
}

/// Cuts a text into tokens, one at a time.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    /// The text.
    pub source: &'a str,
    /// Where the next token is looked for.
    pub offset: usize,
    /// The token that was looked at last: the place it was looked for, itself, and where it ends.
    cached: Cell<(usize, Token, usize)>,
    /// Whether every further token is the end.
    is_stopped: bool,
}

/// Words that are no names unless `%` stands before them. Those of shardings are not among them: that they are words
/// of the grammar only there is what a reader would expect.
const WORDS: [&str; 11] = [
    "HloModule",
    "ENTRY",
    "ROOT",
    "true",
    "false",
    "inf",
    "nan",
    "FileNames",
    "FunctionNames",
    "FileLocations",
    "StackFrames",
];

/// Whether a word stands for something else than a name: a type, a truth value, a word of the grammar.
pub fn is_reserved(word: &str) -> bool {
    WORDS.contains(&word) || matches!(word, "token" | "opaque") || ElementType::from_name(word).is_some()
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text.
    pub fn new(source: &'a str) -> Self {
        Self::starting_at(source, byte_order_mark(source))
    }

    /// A lexer at a byte of a text.
    pub fn starting_at(source: &'a str, offset: usize) -> Self {
        // No place is beyond the greatest, so nothing was looked at yet.
        let nothing = (usize::MAX, Token { kind: TokenKind::End, span: Span::default() }, 0);
        Self { source, offset, cached: Cell::new(nothing), is_stopped: false }
    }

    /// Makes every further token the end of the text.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.cached.set((usize::MAX, Token { kind: TokenKind::End, span: Span::default() }, 0));
    }

    /// Whether [`Self::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.offset..).unwrap_or_default()
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.source.get(span.range()).unwrap_or_default()
    }

    /// Goes on to the next token.
    pub fn skip_blanks(&mut self) {
        self.offset += scan::blanks(self.rest(), scan::is_blank).length;
    }

    /// Where a comment begins that takes all of the rest because it is never closed.
    pub fn unclosed_comment(&self) -> Option<usize> {
        scan::blanks(self.rest(), scan::is_blank).unclosed.map(|at| self.offset + at)
    }

    /// The next token, which is not taken.
    pub fn peek(&self) -> Token {
        self.scan_next().0
    }

    /// Takes the next token.
    #[allow(clippy::should_implement_trait, reason = "the end is a token, not the end of an iterator")]
    pub fn next(&mut self) -> Token {
        let (token, end) = self.scan_next();
        self.offset = end;
        token
    }

    /// The next token, and where what belongs to it ends. A parser looks at most tokens several times.
    fn scan_next(&self) -> (Token, usize) {
        let (at, token, end) = self.cached.get();
        if at == self.offset {
            return (token, end);
        }
        let (token, end) = self.token();
        self.cached.set((self.offset, token, end));
        (token, end)
    }

    fn token(&self) -> (Token, usize) {
        if self.is_stopped {
            return (Token { kind: TokenKind::End, span: Span::at(self.offset) }, self.offset);
        }
        let start = self.offset + scan::blanks(self.rest(), scan::is_blank).length;
        let rest = self.source.get(start..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            return (Token { kind: TokenKind::End, span: Span::at(start) }, start);
        };
        let (kind, length) = scan(rest, first);
        let token = |kind, length| Token { kind, span: Span::new(start, start + length) };
        if kind != TokenKind::Name || first == '%' {
            return (token(kind, length), start + length);
        }
        match rest.as_bytes().get(length) {
            Some(b'=') => (token(TokenKind::AttrName, length), start + length + 1),
            Some(b':') => (token(TokenKind::ParamName, length), start + length + 1),
            // Only now: `inf=` is the name of an attribute.
            _ => match scan::number(rest) {
                Some((Number::Special, length)) => (token(TokenKind::Float, length), start + length),
                _ => (token(kind, length), start + length),
            },
        }
    }
}

fn run(bytes: &[u8], keep: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| keep(**b)).count()
}

fn scan(rest: &str, first: char) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    if first == '"' || first == '\'' {
        return string(rest, first);
    }
    if rest.starts_with("->") {
        return (TokenKind::Arrow, 2);
    }
    if first == '-' || first.is_ascii_digit() {
        return number(rest);
    }
    if let Some(length) = dim_labels(bytes) {
        return (TokenKind::DimLabels, length);
    }
    if first == '%' {
        let begins = bytes.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        return if begins {
            (TokenKind::Name, 1 + run(&bytes[1..], is_name))
        } else {
            (TokenKind::Punct('%'), 1)
        };
    }
    if first.is_ascii_alphabetic() || first == '_' {
        // `a->b` is a name, an arrow, a name.
        let length = (1..bytes.len()).find(|i| !is_name(bytes[*i]) || rest[*i..].starts_with("->"));
        return (TokenKind::Name, length.unwrap_or(bytes.len()));
    }
    (TokenKind::Punct(first), first.len_utf8())
}

/// How many lines a text in quotation marks may take, and how many bytes beyond its first line.
const MAX_STRING_LINES: usize = 16;
const MAX_STRING_BYTES: usize = 4096;

/// A text in quotation marks. XLA writes line ends as escapes and also reads them raw. One mark too few shall not take
/// the rest of the module, so a text that does not close on its line may only go on where this is what was meant
/// ([`goes_on`]); else it ends with its line.
fn string(rest: &str, quote: char) -> (TokenKind, usize) {
    let mut is_escaped = false;
    let mut line_end: Option<usize> = None;
    let mut lines = 1;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => {
                let first = *line_end.get_or_insert(at);
                lines += usize::from(c == '\n' || !rest[at..].starts_with("\r\n"));
                // Neither XLA nor C escapes a line end.
                if is_escaped || lines > MAX_STRING_LINES || at - first > MAX_STRING_BYTES {
                    break;
                }
            }
            c if !is_escaped && c == quote => {
                return match line_end {
                    Some(first) if !goes_on(&rest[first..at], &rest[at + 1..]) => {
                        (TokenKind::OpenString, first)
                    }
                    _ => (TokenKind::String, at + 1),
                };
            }
            c => is_escaped = !is_escaped && c == '\\',
        }
    }
    (TokenKind::OpenString, line_end.unwrap_or(rest.len()))
}

/// Whether a text in quotation marks goes on over the end of its line: no line of it, `inside`, looks like an
/// instruction or the end of a body, and something that can stand behind a text follows, `behind`.
fn goes_on(inside: &str, behind: &str) -> bool {
    let next = behind.trim_start_matches([' ', '\t']).chars().next();
    let is_code = |line: &str| line.contains(" = ") || line.starts_with("ENTRY ");
    // A brace alone ends a body, unless the mark that closes the text follows it.
    let is_end = inside.rsplit(['\n', '\r']).skip(1).any(|line| line == "}");
    next.is_none_or(|c| matches!(c, ',' | '}' | ')' | '\n' | '\r'))
        && !is_end
        && !inside.split(['\n', '\r']).any(is_code)
}

/// What begins with a digit or `-`. XLA tries, in this order: a float, labels, sizes, padding, an integer.
fn number(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let plain = match scan::number(rest) {
        Some((Number::Float | Number::Special, length)) => return (TokenKind::Float, length),
        Some((Number::Int, length)) => length,
        None => return (TokenKind::Punct('-'), 1),
    };
    if let Some(length) = dim_labels(bytes) {
        return (TokenKind::DimLabels, length);
    }
    let digits = |at: usize| run(bytes.get(at..).unwrap_or_default(), |b| b.is_ascii_digit());
    let mut at = plain;
    let mut kind = TokenKind::Int;
    // Sizes and padding: `2x3`, `1_-2_0x0_0`.
    loop {
        let minus = usize::from(bytes.get(at + 1) == Some(&b'-'));
        let length = digits(at + 1 + minus);
        match bytes.get(at) {
            Some(b'x') if length > 0 && (minus == 0 || kind == TokenKind::Padding) => {
                if kind == TokenKind::Int {
                    kind = TokenKind::Sizes;
                }
            }
            Some(b'_') if length > 0 => kind = TokenKind::Padding,
            _ => return (kind, at),
        }
        at += 1 + minus + length;
    }
}

/// The length of `lhs_rhs->out`, if that is what stands here.
fn dim_labels(bytes: &[u8]) -> Option<usize> {
    let lhs = run(bytes, |b| b.is_ascii_digit() || matches!(b, b'b' | b'f' | b'?'));
    if lhs < 2 || bytes.get(lhs) != Some(&b'_') {
        return None;
    }
    let rhs = run(&bytes[lhs + 1..], |b| b.is_ascii_digit() || matches!(b, b'i' | b'o' | b'?'));
    let arrow = lhs + 1 + rhs;
    if rhs < 2 || bytes.get(arrow..arrow + 2) != Some(b"->") {
        return None;
    }
    let out = run(&bytes[arrow + 2..], |b| b.is_ascii_digit() || matches!(b, b'b' | b'f' | b'?'));
    (out >= 2).then_some(arrow + 2 + out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(source);
        let mut found = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == TokenKind::End {
                return found;
            }
            found.push(token.kind);
        }
    }

    #[test]
    fn a_text_over_several_lines_ends_where_it_closes_and_else_with_its_first_line() {
        use TokenKind::{AttrName, Name, OpenString, Punct, String};
        assert_eq!(kinds("\"a\n b\r\nc\", x"), [String, Punct(','), Name]);
        assert_eq!(kinds("\"{\n  \\\"k\\\": 1\n}\"}"), [String, Punct('}')]);
        for open in ["\"a\nx = f()\n\"", "\"a\n}\n\"", "\"a\n\"x", "\"a\\\n\"", "\"a\n"] {
            assert_eq!(kinds(open)[0], OpenString, "{open:?}");
        }
        let long = format!("\"{}\"", "a\n".repeat(MAX_STRING_LINES));
        assert_eq!(kinds(&long)[..2], [OpenString, Name]);
        assert_eq!(kinds("\u{feff}x=\u{feff}"), [AttrName, Punct('\u{feff}')]);
    }

    #[test]
    fn a_stopped_lexer_is_at_the_end() {
        let mut lexer = Lexer::new("a b");
        lexer.next();
        assert_eq!(lexer.peek().kind, TokenKind::Name);
        lexer.stop();
        assert_eq!((lexer.peek().kind, lexer.next().kind), (TokenKind::End, TokenKind::End));
    }

    #[test]
    fn tokens_are_those_of_xla() {
        use TokenKind::{
            Arrow, AttrName, DimLabels, Float, Int, Name, OpenString, Padding, ParamName, Punct, Sizes,
            String,
        };
        assert_eq!(
            kinds("ROOT %a.b-1 = add(x)"),
            [Name, Name, Punct('='), Name, Punct('('), Name, Punct(')')]
        );
        assert_eq!(kinds("%a=x x=1"), [Name, Punct('='), Name, AttrName, Int]);
        assert_eq!(kinds("2x3 1_-2x0_0_1 -3 1.5e-3 1e5 -inf"), [Sizes, Padding, Int, Float, Float, Float]);
        assert_eq!(
            kinds("bf01_oi01->bf01 01bf_01io->01bf (p)->f32"),
            [DimLabels, DimLabels, Punct('('), Name, Punct(')'), Arrow, Name]
        );
        assert_eq!(kinds("/*i=5*/ \"a\\\"b\" // c\n'x'"), [String, String]);
        assert_eq!(kinds("a->b \"open\nx"), [Name, Arrow, Name, OpenString, Name]);
        assert_eq!(
            kinds("inf nan -nan(0x1) inf=x info nan.1"),
            [Float, Float, Float, AttrName, Name, Name, Name]
        );
        assert_eq!(kinds("(x: f32, %y: s8) {1:2}")[..4], [Punct('('), ParamName, Name, Punct(',')]);
        assert_eq!(kinds("%1 %_a %-b"), [Punct('%'), Int, Name, Punct('%'), Punct('-'), Name]);
        assert_eq!(
            kinds("- -x 01?_io0->bf0 1b 0_0"),
            [Punct('-'), Punct('-'), Name, DimLabels, Int, Name, Padding]
        );
        assert_eq!(kinds("'a\\'b' \u{a0}x"), [String, Punct('\u{a0}'), Name]);
        assert_eq!(Lexer::new("/* a */ /* b").unclosed_comment(), Some(8));
        assert!(is_reserved("bf16") && is_reserved("ROOT") && !is_reserved("add") && !is_reserved("%f32"));
    }
}
