//! The lexer of HLO text.
//!
//! Whitespace and comments separate tokens; line breaks are whitespace. A name immediately followed by `=` is an
//! attribute name, which is why `x=f32[]` is not an instruction. A byte order mark at the start is skipped. Shapes and
//! literals have their own lexers in [`xla_array`], which share `array::scan` with this one.

use std::cell::Cell;

use xla_array::ElementType;
use xla_array::scan::{self, Number};
use xla_messages::bug::OrBug as _;
use xla_messages::diagnostic::{Span, byte_order_mark_len};

/// The kind of a token; its span has the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name: letters, digits, `_`, `.`, `-`, optionally prefixed by `%`.
    Name,
    /// A name immediately followed by `=`, which is consumed with it.
    AttrName,
    /// A name immediately followed by `:`, which is consumed with it: a parameter of a signature.
    ParamName,
    /// `-?[0-9]+`.
    Int,
    /// A number with a decimal point or an exponent, `inf`, `nan`, `nan(0x1)`.
    Float,
    /// `2x3`.
    Sizes,
    /// `1_2x0_0_1`.
    Padding,
    /// `bf01_oi01->bf01`.
    DimLabels,
    /// A quoted string.
    String,
    /// An unterminated string, up to the end of its line.
    OpenString,
    /// `->`.
    Arrow,
    /// Any other character.
    Punct(char),
    /// The end of the source.
    End,
}

impl TokenKind {
    /// Whether it is a name; like in XLA, the colon of a parameter may follow any name.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Name | Self::ParamName)
    }
}

/// A token of HLO text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What the token is.
    pub kind: TokenKind,
    /// Its position; for [`TokenKind::AttrName`] and [`TokenKind::ParamName`] without the `=` or `:`.
    pub span: Span,
}

/// Splits HLO text into tokens, on demand.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    /// The source text.
    pub source: &'a str,
    /// The byte offset from which the next token is scanned.
    pub offset: usize,
    /// The last scanned token: the offset it was scanned from, the token, and the offset after it.
    cached: Cell<(usize, Token, usize)>,
    /// Whether every further token is [`TokenKind::End`].
    is_aborted: bool,
}

/// The cache before the first token: no token starts at this offset.
const NOT_CACHED: (usize, Token, usize) =
    (usize::MAX, Token { kind: TokenKind::End, span: Span { start: 0, end: 0 } }, 0);

/// Words that are names only with a leading `%`.
const RESERVED_WORDS: [&str; 19] = [
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
    "maximal",
    "replicated",
    "manual",
    "last_tile_dim_replicate",
    "shard_as",
    "shard_like",
    "unknown",
    "unreduced",
];

/// Whether a word is not a name: a type, a Boolean, or a keyword.
pub fn is_reserved(word: &str) -> bool {
    RESERVED_WORDS.contains(&word)
        || matches!(word, "token" | "opaque")
        || ElementType::from_name(word).is_some()
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of the source, after a byte order mark.
    pub fn new(source: &'a str) -> Self {
        Self::starting_at(source, byte_order_mark_len(source))
    }

    /// A lexer at a byte offset.
    pub fn starting_at(source: &'a str, offset: usize) -> Self {
        Self { source, offset, cached: Cell::new(NOT_CACHED), is_aborted: false }
    }

    /// Makes every further token [`TokenKind::End`], because the limit of diagnostics or a budget is exceeded.
    pub fn abort(&mut self) {
        self.is_aborted = true;
        self.cached.set(NOT_CACHED);
    }

    /// Whether [`Self::abort`] was called.
    pub fn is_aborted(&self) -> bool {
        self.is_aborted
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.offset..).or_bug("", "the offset is within a character")
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.source.get(span.range()).or_bug("", "a span that the lexer did not return")
    }

    /// Skips whitespace and comments.
    pub fn skip_trivia(&mut self) {
        self.offset += scan::trivia(self.rest(), scan::is_whitespace).length;
    }

    /// The offset of an unterminated comment before the end of the source.
    pub fn unclosed_comment(&self) -> Option<usize> {
        scan::trivia(self.rest(), scan::is_whitespace).unclosed.map(|at| self.offset + at)
    }

    /// The next token, without consuming it.
    pub fn peek(&self) -> Token {
        self.scan_next().0
    }

    /// Consumes the next token.
    #[allow(clippy::should_implement_trait, reason = "not an iterator: the end is a token, too")]
    pub fn next(&mut self) -> Token {
        let (token, end) = self.scan_next();
        self.offset = end;
        token
    }

    /// The next token, and the offset after it. Cached, because the parser peeks at most tokens several times.
    fn scan_next(&self) -> (Token, usize) {
        let (offset, token, end) = self.cached.get();
        if offset == self.offset {
            return (token, end);
        }
        let (token, end) = self.scan_token();
        self.cached.set((self.offset, token, end));
        (token, end)
    }

    fn scan_token(&self) -> (Token, usize) {
        if self.is_aborted {
            return (Token { kind: TokenKind::End, span: Span::at(self.offset) }, self.offset);
        }
        let start = self.offset + scan::trivia(self.rest(), scan::is_whitespace).length;
        let rest = self.source.get(start..).or_bug("", "trivia ends within a character");
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
            // Checked last, because `inf=` is an attribute name.
            _ => match scan::number(rest) {
                Some((Number::Special, length)) => (token(TokenKind::Float, length), start + length),
                _ => (token(kind, length), start + length),
            },
        }
    }
}

fn prefix_length(bytes: &[u8], accepts: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| accepts(**b)).count()
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
        let is_name = bytes.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        return if is_name {
            (TokenKind::Name, 1 + prefix_length(&bytes[1..], is_name_byte))
        } else {
            (TokenKind::Punct('%'), 1)
        };
    }
    if first.is_ascii_alphabetic() || first == '_' {
        // `a->b` is a name, an arrow and a name.
        let length = (1..bytes.len()).find(|i| !is_name_byte(bytes[*i]) || rest[*i..].starts_with("->"));
        return (TokenKind::Name, length.unwrap_or(bytes.len()));
    }
    (TokenKind::Punct(first), first.len_utf8())
}

/// Maximum number of lines of a string: in a longer one, a quotation mark is probably missing.
const MAX_STRING_LINES: usize = 16;
/// Maximum length of a string after its first line, for the same reason.
const MAX_CONTINUED_STRING_BYTES: usize = 4096;

/// Scans a string. XLA escapes line breaks but also reads them raw. A missing quotation mark must not swallow the rest
/// of the module, so a string continues on the next line only if that looks intended ([`is_continued`]).
fn string(rest: &str, quote: char) -> (TokenKind, usize) {
    let mut is_escaped = false;
    let mut line_end: Option<usize> = None;
    let mut lines = 1;
    for (offset, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => {
                let first = *line_end.get_or_insert(offset);
                lines += usize::from(c == '\n' || !rest[offset..].starts_with("\r\n"));
                // Neither XLA nor C allows a backslash before a line break.
                if is_escaped || lines > MAX_STRING_LINES || offset - first > MAX_CONTINUED_STRING_BYTES {
                    break;
                }
            }
            c if !is_escaped && c == quote => {
                return match line_end {
                    Some(first) if !is_continued(&rest[first..offset], &rest[offset + 1..]) => {
                        (TokenKind::OpenString, first)
                    }
                    _ => (TokenKind::String, offset + 1),
                };
            }
            c => is_escaped = !is_escaped && c == '\\',
        }
    }
    (TokenKind::OpenString, line_end.unwrap_or(rest.len()))
}

/// Whether a string spans several lines on purpose: no line of its `content` looks like an instruction or the end of a
/// body, and the source `after` it begins like the source after a string.
fn is_continued(content: &str, after: &str) -> bool {
    let next = after.trim_start_matches([' ', '\t']).chars().next();
    let is_code = |line: &str| line.contains(" = ") || line.starts_with("ENTRY ");
    // A line that is only a brace ends a body. The last line is exempt: the closing quotation mark follows it.
    let ends_body = content.rsplit(['\n', '\r']).skip(1).any(|line| line == "}");
    next.is_none_or(|c| matches!(c, ',' | '}' | ')' | '\n' | '\r'))
        && !ends_body
        && !content.split(['\n', '\r']).any(is_code)
}

/// Scans a token that begins with a digit or `-`, in XLA's order: float, dimension labels, sizes, padding, integer.
fn number(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let integer_length = match scan::number(rest) {
        Some((Number::Float | Number::Special, length)) => return (TokenKind::Float, length),
        Some((Number::Int, length)) => length,
        None => return (TokenKind::Punct('-'), 1),
    };
    if let Some(length) = dim_labels(bytes) {
        return (TokenKind::DimLabels, length);
    }
    // At the end of the source there are no digits.
    let digits = |start: usize| prefix_length(bytes.get(start..).unwrap_or_default(), |b| b.is_ascii_digit());
    let mut end = integer_length;
    let mut kind = TokenKind::Int;
    // Sizes and padding: `2x3`, `1_-2_0x0_0`.
    loop {
        let minus = usize::from(bytes.get(end + 1) == Some(&b'-'));
        let length = digits(end + 1 + minus);
        match bytes.get(end) {
            Some(b'x') if length > 0 && (minus == 0 || kind == TokenKind::Padding) => {
                if kind == TokenKind::Int {
                    kind = TokenKind::Sizes;
                }
            }
            Some(b'_') if length > 0 => kind = TokenKind::Padding,
            _ => return (kind, end),
        }
        end += 1 + minus + length;
    }
}

/// The length of the dimension labels, `lhs_rhs->out`, at the start of the bytes; `None` if there are none.
fn dim_labels(bytes: &[u8]) -> Option<usize> {
    let lhs = prefix_length(bytes, |b| b.is_ascii_digit() || matches!(b, b'b' | b'f' | b'?'));
    if lhs < 2 || bytes.get(lhs) != Some(&b'_') {
        return None;
    }
    let rhs = prefix_length(&bytes[lhs + 1..], |b| b.is_ascii_digit() || matches!(b, b'i' | b'o' | b'?'));
    let arrow = lhs + 1 + rhs;
    if rhs < 2 || bytes.get(arrow..arrow + 2) != Some(b"->") {
        return None;
    }
    let out = prefix_length(&bytes[arrow + 2..], |b| b.is_ascii_digit() || matches!(b, b'b' | b'f' | b'?'));
    (out >= 2).then_some(arrow + 2 + out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(source);
        let mut kinds = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == TokenKind::End {
                return kinds;
            }
            kinds.push(token.kind);
        }
    }

    #[test]
    fn an_unterminated_string_ends_with_its_first_line() {
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
        lexer.abort();
        assert_eq!((lexer.peek().kind, lexer.next().kind), (TokenKind::End, TokenKind::End));
    }

    #[test]
    fn tokens_match_those_of_xla() {
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
