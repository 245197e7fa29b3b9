//! Comma-separated numbers in brackets: sizes, `minor_to_major`, tiles, padded sizes, split positions.

use super::cursor::Parser;
use super::diagnostics::{insert_message, remove_message, write_message};
use super::lexer::{Kind, Token, likely_integers};
use crate::ElementType;
use xla_messages::diagnostic::{Edit, Hint, Span};
use xla_messages::i18n::Message;

/// The suggested replacement for a number beyond 64 bits, except in sizes: 1 is valid wherever a number is.
pub(super) const TOO_BIG_REPLACEMENT: i64 = 1;

/// The suggested replacement for a size beyond 64 bits: large, but small enough to multiply with other sizes.
const TOO_BIG_SIZE_REPLACEMENT: i64 = 1024;

/// Where a list occurs, which determines its entries and its closing bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// Sizes: `[2,<=3,?]`.
    Dimensions,
    /// `minor_to_major`: `{1,0`, which ends at `}` or before the `:` of properties.
    Order,
    /// `(8,*,128)`.
    Tile,
    /// Padded sizes: `[3,5]` after `padded`, our notation for the `padded_dimensions` of a 2017 layout.
    Padded,
    /// Split positions: `2,4)` after the colon of a split.
    Split,
}

impl ListKind {
    fn closing_bracket(self) -> char {
        match self {
            Self::Dimensions | Self::Padded => ']',
            Self::Order => '}',
            Self::Tile | Self::Split => ')',
        }
    }

    /// The number that replaces one beyond 64 bits.
    fn too_big_replacement(self) -> i64 {
        if self == Self::Dimensions { TOO_BIG_SIZE_REPLACEMENT } else { TOO_BIG_REPLACEMENT }
    }

    /// Whether it is in a property of a layout, where XLA tolerates a missing closing bracket.
    fn is_in_property(self) -> bool {
        matches!(self, Self::Tile | Self::Split)
    }
}

/// An entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Int(i64),
    /// `<=n`.
    AtMost(i64),
    /// `?`.
    Unbounded,
    /// `*`.
    Star,
}

/// How a list ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListEnd {
    /// By its bracket, or by a substitute for it.
    Closed,
    /// [`ListKind::Order`] only: before the colon, or before a property whose colon is missing.
    BeforeProperties,
}

/// Whether an earlier hint already inserts the closing bracket, if that is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingClose {
    Unreported,
    Reported,
}

/// What was found where an opening bracket was expected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Yes,
    /// Another kind of bracket, which was reported; its closing bracket.
    Wrong(char),
    No,
}

impl Opened {
    /// The bracket that closes a wrong opening bracket; it is accepted without a second report.
    pub fn close_of_wrong_open(self) -> Option<char> {
        if let Self::Wrong(close) = self { Some(close) } else { None }
    }
}

impl Parser<'_> {
    /// Consumes the bracket `want`, or another kind of bracket instead.
    pub fn open(&mut self, want: char, close: char) -> Opened {
        let Kind::Punct(found) = self.kind() else { return Opened::No };
        let closing = match found {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            _ => return Opened::No,
        };
        let token = self.bump();
        if found == want {
            return Opened::Yes;
        }
        let mut edits = vec![Edit { span: token.span, text: want.to_string() }];
        if let Some(end) = self.find(Kind::Punct(closing)) {
            edits.push(Edit { span: end, text: close.to_string() });
        }
        let message =
            Message::new("text-bracket").with("found", found.to_string()).with("token", want.to_string());
        let hint = Hint { message: write_message(&format!("{want}…{close}")), edits };
        self.diagnostics.error(token.span, "text-bracket", message, vec![hint]);
        Opened::Wrong(closing)
    }

    /// Reads the entries and the closing bracket, with the cursor after the opening one. `close_of_wrong_open`
    /// ([`Opened::close_of_wrong_open`]) closes the list too, without a report.
    pub fn list(
        &mut self,
        kind: ListKind,
        close_of_wrong_open: Option<char>,
        missing_close: MissingClose,
    ) -> (Vec<(Entry, Span)>, ListEnd) {
        let mut entries: Vec<(Entry, Span)> = Vec::new();
        // A comma that no entry follows yet.
        let mut comma: Option<Token> = None;
        loop {
            let token = self.peek();
            let is_after_entry = comma.is_none() && !entries.is_empty();
            match token.kind {
                Kind::Punct(c) if c == kind.closing_bracket() || Some(c) == close_of_wrong_open => {
                    self.report_comma(comma);
                    self.bump();
                    return (entries, ListEnd::Closed);
                }
                Kind::Punct(':') if kind == ListKind::Order => {
                    self.report_comma(comma);
                    return (entries, ListEnd::BeforeProperties);
                }
                _ if kind == ListKind::Order && self.at_property() => {
                    self.report_comma(comma);
                    return (entries, ListEnd::BeforeProperties);
                }
                Kind::Punct(',') => {
                    if is_after_entry {
                        comma = Some(token);
                    } else {
                        self.report_comma(Some(token));
                    }
                    self.bump();
                }
                _ if self.ends_without_bracket(kind) => {
                    self.report_missing_list_close(kind, comma, missing_close);
                    return (entries, ListEnd::Closed);
                }
                Kind::Punct(c @ (']' | '}' | ')'))
                    if kind != ListKind::Order || !self.finds_closing_brace() =>
                {
                    let message = Message::new("text-bracket")
                        .with("found", c.to_string())
                        .with("token", kind.closing_bracket().to_string());
                    let close = kind.closing_bracket().to_string();
                    let hint = Hint::replace(write_message(&close), token.span, close);
                    self.diagnostics.error(token.span, "text-bracket", message, vec![hint]);
                    self.bump();
                    return (entries, ListEnd::Closed);
                }
                _ if is_after_entry && self.at_separator() => {
                    let message = Message::new("text-unexpected").with("text", self.quote(token.span));
                    let hint = Hint::replace(write_message(","), token.span, ",");
                    self.diagnostics.error(token.span, "text-unexpected", message, vec![hint]);
                    self.bump();
                    comma = Some(token);
                }
                _ => {
                    if self.at_entry(kind) {
                        if is_after_entry {
                            self.report_missing(",", Span::at(self.prev_token_end));
                        }
                        self.entry(kind, &mut entries);
                        comma = None;
                    } else if kind == ListKind::Dimensions
                        && !is_after_entry
                        && matches!(token.kind, Kind::Word)
                    {
                        // A symbolic size, as in `f32[N,3]`.
                        let message = Message::new("text-number").with("text", self.quote(token.span));
                        let hint = Hint::replace(write_message("1"), token.span, "1");
                        self.diagnostics.error(token.span, "text-number", message, vec![hint]);
                        self.bump();
                        entries.push((Entry::Int(1), token.span));
                        comma = None;
                    } else {
                        self.skip_unexpected();
                    }
                }
            }
        }
    }

    fn at_entry(&self, kind: ListKind) -> bool {
        match self.kind() {
            Kind::Int(_) | Kind::TooBig | Kind::BadNumber => true,
            Kind::LessEqual | Kind::Punct('?' | '<' | '≤') => kind == ListKind::Dimensions,
            Kind::Punct('*') => kind == ListKind::Tile,
            _ => false,
        }
    }

    /// Whether a token between two numbers was probably meant as a comma.
    fn at_separator(&self) -> bool {
        let is_before_number = matches!(self.ahead(1).kind, Kind::Int(_) | Kind::TooBig | Kind::BadNumber);
        let is_separator = match self.kind() {
            Kind::Punct(c) => matches!(c, ';' | '×' | '*' | '/' | '|' | '.' | ':'),
            Kind::Word => matches!(&*self.word(), "x" | "X" | "by"),
            _ => false,
        };
        is_before_number && is_separator
    }

    /// Whether the next token belongs to the text after the list, so that its closing bracket is missing.
    fn ends_without_bracket(&self, kind: ListKind) -> bool {
        if kind == ListKind::Order && self.kind() != Kind::End && self.finds_closing_brace() {
            return false;
        }
        match self.kind() {
            Kind::End => true,
            Kind::Word => {
                let word = self.word();
                let begins_shape = ElementType::from_name(&word).is_some()
                    || matches!(&*word, "token" | "opaque")
                    || &*word == "b" && self.ahead(1).kind == Kind::Punct('(');
                begins_shape || self.at_padding() || kind.is_in_property() && self.at_property()
            }
            Kind::Punct('}' | '#' | '(') => kind.is_in_property(),
            Kind::Punct('*') => kind.is_in_property() && self.ahead(1).kind == Kind::Punct('('),
            Kind::Punct('{') => matches!(kind, ListKind::Dimensions | ListKind::Padded),
            Kind::Punct('=') => kind == ListKind::Padded,
            Kind::Punct(')') => self.paren_depth > 0,
            _ => false,
        }
    }

    /// Reports the missing closing bracket; an open comma may belong to the tuple around the shape, and is then unread.
    fn report_missing_list_close(
        &mut self,
        kind: ListKind,
        comma: Option<Token>,
        missing_close: MissingClose,
    ) {
        let in_tuple = self.paren_depth > 0 && matches!(self.kind(), Kind::Word) && !self.at_padding();
        let close = kind.closing_bracket().to_string();
        let mut span = Span::at(self.prev_token_end);
        if let Some(comma) = comma {
            if in_tuple && !kind.is_in_property() {
                // The comma separates two elements of the tuple: the bracket is missing before it.
                self.unread(comma);
                span = Span::at(self.prev_token_end);
            } else {
                span = comma.span;
            }
        }
        if missing_close == MissingClose::Reported {
            return;
        }
        let message = Message::new("text-missing").with("token", close.clone());
        let hint = Hint::replace(insert_message(&close), span, close);
        if kind.is_in_property() {
            self.diagnostics.recoverable(span, "text-missing", message, vec![hint]);
        } else {
            self.diagnostics.error(span, "text-missing", message, vec![hint]);
        }
    }

    /// Reports an extra comma: no entry follows it, or none precedes it.
    fn report_comma(&mut self, comma: Option<Token>) {
        if let Some(comma) = comma {
            let hint = Hint::replace(remove_message(","), comma.span, "");
            self.diagnostics.error(comma.span, "text-comma", Message::new("text-comma"), vec![hint]);
        }
    }

    /// Reads one entry; some mistakes are read as several, as `2x3`.
    fn entry(&mut self, kind: ListKind, entries: &mut Vec<(Entry, Span)>) {
        let token = self.bump();
        match token.kind {
            Kind::Punct('?') => entries.push((Entry::Unbounded, token.span)),
            Kind::Punct('*') => entries.push((Entry::Star, token.span)),
            Kind::LessEqual | Kind::Punct(_) => self.bound(token, entries),
            _ => {
                for n in self.repaired_numbers(token, kind.too_big_replacement()) {
                    entries.push((Entry::Int(n), token.span));
                }
            }
        }
    }

    /// The bound after `<=`, or after a misspelling of it.
    fn bound(&mut self, at_most: Token, entries: &mut Vec<(Entry, Span)>) {
        if at_most.kind != Kind::LessEqual {
            let is_spaced = self.kind() == Kind::Punct('=');
            let span = if is_spaced { at_most.span.join(self.bump().span) } else { at_most.span };
            let message = Message::new("text-unexpected").with("text", self.quote(span));
            self.diagnostics.error(
                span,
                "text-unexpected",
                message,
                vec![Hint::replace(write_message("<="), span, "<=")],
            );
        }
        match self.kind() {
            Kind::Int(_) | Kind::TooBig | Kind::BadNumber => {
                let token = self.bump();
                for n in self
                    .repaired_numbers(token, ListKind::Dimensions.too_big_replacement())
                    .into_iter()
                    .take(1)
                {
                    entries.push((Entry::AtMost(n), at_most.span.join(token.span)));
                }
            }
            _ => {
                let insertion = Hint::replace(insert_message("1"), Span::at(at_most.span.end), "1");
                let removal = Hint::replace(remove_message(self.quote(at_most.span)), at_most.span, "");
                let is_unbounded = self.kind() == Kind::Punct('?');
                let hints = if is_unbounded { vec![removal] } else { vec![insertion, removal] };
                self.diagnostics.error(at_most.span, "text-bound", Message::new("text-bound"), hints);
                if !is_unbounded {
                    entries.push((Entry::AtMost(1), at_most.span));
                }
            }
        }
    }

    /// The number of a token. A mistake is reported, and the numbers that it most likely means are returned: `2x3` means two, and
    /// `too_big_replacement` replaces a number beyond 64 bits.
    pub fn repaired_numbers(&mut self, token: Token, too_big_replacement: i64) -> Vec<i64> {
        let text = self.text.get(token.span.range()).unwrap_or_default();
        match token.kind {
            Kind::Int(n) => vec![n],
            Kind::TooBig => {
                let n = too_big_replacement;
                let message = Message::new("text-int64").with("text", self.quote(token.span));
                let hint = Hint::replace(write_message(&n.to_string()), token.span, n.to_string());
                self.diagnostics.error(token.span, "text-int64", message, vec![hint]);
                vec![n]
            }
            _ => {
                let numbers = likely_integers(text);
                let listed = numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                let message = Message::new("text-number").with("text", self.quote(token.span));
                let hint = Hint::replace(write_message(&listed), token.span, listed);
                self.diagnostics.error(token.span, "text-number", message, vec![hint]);
                numbers
            }
        }
    }
}
