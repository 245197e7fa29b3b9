//! The lexer of MLIR text, on demand. Every position it holds is a character boundary.

use xla_messages::diagnostic::Span;

/// The kind of a token; its span has the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `%0`, without what follows `#`.
    Value,
    /// `@main`, `@"my op"`.
    Symbol,
    /// `^bb0`.
    Block,
    /// `stablehlo.add`, `tensor`, `loc`.
    Word,
    /// `#loc1`, `#stablehlo.dot`.
    Hash,
    /// `!stablehlo.token`.
    Bang,
    /// `-1`, `1.5e-3`, `0x7F`.
    Number,
    /// A quoted string, closed or not.
    String,
    /// `->`.
    Arrow,
    /// Any other character.
    Punct(char),
    /// The end of the source.
    End,
}

/// A token of MLIR text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What the token is.
    pub kind: Kind,
    /// Its position in the source.
    pub span: Span,
}

/// A lexer, positioned in the source.
#[derive(Clone, Debug)]
pub struct Lexer<'s> {
    /// The whole source text.
    pub source: &'s str,
    /// The byte offset from which the next token is scanned.
    pub offset: usize,
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-')
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// The length of a prefix of characters.
fn prefix(text: &str, accepts: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accepts(c)).unwrap_or(text.len())
}

/// The length of a string from its quotation mark on, up to the end of the text if it is not closed.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn number(text: &str) -> usize {
    let sign = usize::from(text.starts_with('-'));
    let rest = text.get(sign..).unwrap_or_default();
    if let Some(digits) = rest.strip_prefix("0x") {
        let length = prefix(digits, |c| c.is_ascii_hexdigit());
        if length > 0 {
            return sign + 2 + length;
        }
    }
    let digit = |c: char| c.is_ascii_digit();
    let mut length = prefix(rest, digit);
    if let Some(fraction) = rest.get(length..).and_then(|rest| rest.strip_prefix('.')) {
        length += 1 + prefix(fraction, digit);
    }
    let tail = rest.get(length..).unwrap_or_default();
    if let Some(exponent) = tail.strip_prefix(['e', 'E']) {
        let signed = usize::from(exponent.starts_with(['+', '-']));
        let digits = prefix(exponent.get(signed..).unwrap_or_default(), digit);
        if digits > 0 {
            length += 1 + signed + digits;
        }
    }
    sign + length
}

impl<'s> Lexer<'s> {
    /// A lexer at an offset.
    pub fn new(source: &'s str, offset: usize) -> Self {
        Self { source, offset }
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'s str {
        self.source.get(span.range()).unwrap_or_default()
    }

    fn rest(&self, offset: usize) -> &'s str {
        self.source.get(offset..).unwrap_or_default()
    }

    fn start(&self) -> usize {
        let mut offset = self.offset;
        loop {
            let rest = self.rest(offset);
            offset += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']).len();
            if !self.rest(offset).starts_with("//") {
                return offset;
            }
            offset += prefix(self.rest(offset), |c| c != '\n');
        }
    }

    /// The next token, without consuming it.
    pub fn peek(&self) -> Token {
        let start = self.start();
        let rest = self.rest(start);
        let mut chars = rest.chars();
        let Some(first) = chars.next() else {
            return Token { kind: Kind::End, span: Span::at(self.source.len()) };
        };
        let second = chars.next().unwrap_or(' ');
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let (kind, length) = match first {
            '-' if second == '>' => (Kind::Arrow, 2),
            '-' if second.is_ascii_digit() => (Kind::Number, number(rest)),
            '"' => (Kind::String, string(rest)),
            '%' => (Kind::Value, 1 + prefix(after, is_name_char)),
            '^' => (Kind::Block, 1 + prefix(after, is_name_char)),
            '@' if second == '"' => (Kind::Symbol, 1 + string(after)),
            '@' => (Kind::Symbol, 1 + prefix(after, is_name_char)),
            '#' if second.is_ascii_alphabetic() => (Kind::Hash, 1 + prefix(after, is_word_char)),
            '!' if second.is_ascii_alphabetic() => (Kind::Bang, 1 + prefix(after, is_word_char)),
            c if c.is_ascii_digit() => (Kind::Number, number(rest)),
            c if c.is_ascii_alphabetic() || c == '_' => (Kind::Word, prefix(rest, is_word_char)),
            c => (Kind::Punct(c), c.len_utf8()),
        };
        Token { kind, span: Span::new(start, start + length) }
    }

    /// Consumes the next token.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        self.offset = token.span.end;
        token
    }

    /// Consumes a bracketed group; returns its span, with the brackets. `None` if it is not closed.
    pub fn balanced(&mut self) -> Option<Span> {
        let first = self.bump();
        let mut depth = 1_usize;
        while depth > 0 {
            match self.bump().kind {
                Kind::Punct('(' | '[' | '{' | '<') => depth += 1,
                Kind::Punct(')' | ']' | '}' | '>') => depth -= 1,
                Kind::End => return None,
                _ => {}
            }
        }
        Some(Span::new(first.span.start, self.offset))
    }
}
