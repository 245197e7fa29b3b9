//! The tokens of HLO text.
//!
//! Blanks and comments separate; line ends mean nothing. A name followed at once by `=` is the name of an attribute,
//! which is why `x=f32[]` is not an instruction. Shapes and literals have lexers of their own, in
//! [`crate::array`]; the parser hands them the place.

use crate::diagnostic::Span;

/// What a token is; its text is that of its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name: letters, digits, `_`, `.`, `-`; perhaps with `%` before it.
    Name,
    /// A name followed at once by `=`, which belongs to it.
    AttrName,
    /// `-?[0-9]+`.
    Int,
    /// A number with a point or an exponent.
    Float,
    /// `2x3`.
    Sizes,
    /// `1_2x0_0_1`.
    Padding,
    /// `bf01_oi01->bf01`.
    DimLabels,
    /// Text in quotation marks.
    String,
    /// `->`.
    Arrow,
    /// Any other character.
    Mark(char),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands; an attribute's name without its `=`.
    pub span: Span,
}

/// Cuts a text into tokens, one at a time.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    /// The text.
    pub source: &'a str,
    /// Where the next token is looked for.
    pub at: usize,
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text.
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.source.get(span.range()).unwrap_or_default()
    }

    /// Goes on to the next token.
    pub fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let rest = &rest[blanks..];
            let comment = if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                0
            };
            self.at += blanks + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// The next token, which is not taken.
    pub fn peek(&self) -> Token {
        self.clone().next()
    }

    /// Takes the next token.
    #[allow(clippy::should_implement_trait, reason = "the end is a token, not the end of an iterator")]
    pub fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Token { kind: Kind::End, span: Span::at(start) };
        };
        let (kind, length) = scan(rest, first);
        self.at = start + length;
        let span = Span::new(start, self.at);
        if kind == Kind::Name && self.rest().starts_with('=') && first != '%' {
            self.at += 1;
            return Token { kind: Kind::AttrName, span };
        }
        Token { kind, span }
    }
}

fn run(bytes: &[u8], keep: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| keep(**b)).count()
}

fn scan(rest: &str, first: char) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    if first == '"' || first == '\'' {
        return (Kind::String, string(rest, first));
    }
    if rest.starts_with("->") {
        return (Kind::Arrow, 2);
    }
    if let Some(length) = dim_labels(bytes) {
        return (Kind::DimLabels, length);
    }
    let sign = usize::from(first == '-');
    if bytes.get(sign).is_some_and(u8::is_ascii_digit) {
        return number(bytes, sign);
    }
    if first == '%' {
        return match run(&bytes[1..], is_name) {
            0 => (Kind::Mark('%'), 1),
            length => (Kind::Name, length + 1),
        };
    }
    if first.is_ascii_alphabetic() || first == '_' {
        // `a->b` is a name, an arrow, a name.
        let length = (1..bytes.len()).find(|i| !is_name(bytes[*i]) || rest[*i..].starts_with("->"));
        return (Kind::Name, length.unwrap_or(bytes.len()));
    }
    if sign == 1 && (rest.starts_with("-inf") || rest.starts_with("-nan")) {
        return (Kind::Float, 4);
    }
    (Kind::Mark(first), first.len_utf8())
}

/// The length of a text in quotation marks, to the end of the text where it does not close.
fn string(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    rest.len()
}

/// A number, or a list of numbers joined by `x` and `_`.
fn number(bytes: &[u8], sign: usize) -> (Kind, usize) {
    let digits = |at: usize| run(bytes.get(at..).unwrap_or_default(), |b| b.is_ascii_digit());
    let mut at = sign + digits(sign);
    let mut kind = Kind::Int;
    // Sizes and padding: `2x3`, `1_-2_0x0_0`.
    loop {
        let separator = bytes.get(at).copied();
        let minus = usize::from(bytes.get(at + 1) == Some(&b'-'));
        let length = digits(at + 1 + minus);
        match separator {
            Some(b'x') if length > 0 && (minus == 0 || kind == Kind::Padding) => {
                if kind == Kind::Int {
                    kind = Kind::Sizes;
                }
            }
            Some(b'_') if length > 0 => kind = Kind::Padding,
            _ => break,
        }
        at += 1 + minus + length;
    }
    if kind != Kind::Int {
        return (kind, at);
    }
    if bytes.get(at) == Some(&b'.') {
        at += 1 + digits(at + 1);
        kind = Kind::Float;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let length = digits(at + 1 + signed);
        if length > 0 {
            (kind, at) = (Kind::Float, at + 1 + signed + length);
        }
    }
    (kind, at)
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

    fn kinds(source: &str) -> Vec<Kind> {
        let mut lexer = Lexer::new(source);
        let mut found = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return found;
            }
            found.push(token.kind);
        }
    }

    #[test]
    fn tokens_are_those_of_xla() {
        use Kind::{Arrow, AttrName, DimLabels, Float, Int, Mark, Name, Padding, Sizes, String};
        assert_eq!(kinds("ROOT %a.b-1 = add(x)"), [Name, Name, Mark('='), Name, Mark('('), Name, Mark(')')]);
        assert_eq!(kinds("%a=x x=1"), [Name, Mark('='), Name, AttrName, Int]);
        assert_eq!(kinds("2x3 1_-2x0_0_1 -3 1.5e-3 1e5 -inf"), [Sizes, Padding, Int, Float, Float, Float]);
        assert_eq!(
            kinds("bf01_oi01->bf01 01bf_01io->01bf (p)->f32"),
            [DimLabels, DimLabels, Mark('('), Name, Mark(')'), Arrow, Name]
        );
        assert_eq!(kinds("/*i=5*/ \"a\\\"b\" // c\n'x'"), [String, String]);
        assert_eq!(kinds("a->b \"open"), [Name, Arrow, Name, String]);
    }
}
