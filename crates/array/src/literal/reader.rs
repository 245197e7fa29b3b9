//! Reads the elements of an array from XLA's text form or from user-entered text, and recovers from errors.
//!
//! Every group must have as many entries as its dimension's size, and values are nested as deep as the rank. Elements
//! that cannot be read stay zero. Only the first [`MAX_DIAGNOSTICS`] diagnostics are reported.

use super::super::value::parse::{Syntax, number};
use super::super::value::text::Exactness;
use super::super::{ArrayShape, Dims, ElementType, Value};
use super::lexer::{Lexer, Token};
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Span};
use xla_messages::i18n::Message;

/// The maximum number of errors, and of warnings, that are reported for a literal.
pub(super) const MAX_DIAGNOSTICS: usize = 20;
/// The maximum number of missing values that a fix fills in.
const MAX_FILLED_VALUES: i64 = 16;

/// A source being read.
pub(super) struct Reader<'a> {
    pub lexer: Lexer<'a>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the source elides values.
    pub elided: bool,
}

/// An open bracket.
struct Group {
    open: Span,
    close: char,
    count: i64,
    /// The end of the last entry within the dimension's size.
    last_kept: usize,
    /// The end of the last entry.
    last: usize,
    /// The start of the first entry beyond the dimension's size.
    first_extra: Option<usize>,
    /// Whether insufficiently nested or elided values were reported: once per group, which suppresses the check of its count.
    is_reported: bool,
}

impl Group {
    /// Counts an entry.
    fn enter(&mut self, start: usize, size: i64) {
        if self.count >= size {
            self.first_extra.get_or_insert(start);
        }
        self.count = self.count.saturating_add(1);
    }

    /// Records the end of the entry.
    fn leave(&mut self, end: usize) {
        self.last = end;
        if self.first_extra.is_none() {
            self.last_kept = end;
        }
    }
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a str, start: usize, syntax: Syntax) -> Self {
        Self { lexer: Lexer::new(source, start, syntax), diagnostics: Vec::new(), elided: false }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        // Counted per severity, so that warnings do not suppress errors.
        let same = self.diagnostics.iter().filter(|other| other.severity == diagnostic.severity).count();
        if same < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn expected(&mut self, what: &str, span: Span) {
        let message = Message::new("literal-expected").with("expected", what);
        self.report(Diagnostic::error(span, "literal-syntax", message));
    }

    /// Reports elided values: `{...}`.
    pub fn elide(&mut self, span: Span) {
        self.elided = true;
        let warning = Diagnostic {
            severity: xla_messages::diagnostic::Severity::Warning,
            ..Diagnostic::error(span, "literal-elided", Message::new("literal-elided"))
        };
        self.report(warning.with_hint(Hint::advice(Message::new("literal-hint-full-dump"))));
    }

    /// Reads the elements of an array in nested groups up to the end of the outermost group. Calls `set` with each one,
    /// including those whose index is out of bounds.
    pub fn array(&mut self, shape: &ArrayShape, set: &mut dyn FnMut(&[i64], Value)) {
        let sizes: Dims = shape.dimensions.clone();
        let element_type = shape.element_type;
        if sizes.is_empty() {
            return self.scalar(element_type, set);
        }
        let (first, span) = self.lexer.peek();
        if !self.opens_group(first, element_type) {
            // XLA's parser counts elements only within braces.
            if self.lexer.syntax == Syntax::Hlo && first == Token::Word && sizes.iter().all(|size| *size == 1)
            {
                let index: Dims = sizes.iter().map(|_| 0).collect();
                return self.scalar(element_type, &mut |_, value| set(&index, value));
            }
            if first == Token::Word || matches!(first, Token::Open(_)) {
                self.lexer.next();
                let _ = self.value(element_type, first, span);
                self.too_shallow(0, sizes.len(), span.join(Span::at(self.lexer.at)));
            } else {
                self.expected("{", span);
            }
            return;
        }
        let mut groups: Vec<Group> = Vec::new();
        loop {
            let (token, span) = self.lexer.next();
            let depth = groups.len();
            match token {
                Token::Comma => {}
                Token::Open(_) if self.opens_group(token, element_type) => {
                    let Token::Open(bracket) = token else { continue };
                    if let Some(parent) = groups.last_mut() {
                        parent.enter(span.start, sizes[depth - 1]);
                    }
                    if depth < sizes.len() {
                        groups.push(Group {
                            open: span,
                            close: closing(bracket),
                            count: 0,
                            last_kept: span.end,
                            last: span.end,
                            first_extra: None,
                            is_reported: false,
                        });
                    } else {
                        self.too_deep(sizes.len(), span);
                        self.skip_group();
                        groups[depth - 1].leave(self.lexer.at);
                    }
                }
                Token::Word | Token::Open(_) => {
                    groups[depth - 1].enter(span.start, sizes[depth - 1]);
                    let value = self.value(element_type, token, span);
                    let end = self.lexer.at;
                    groups[depth - 1].leave(end);
                    if depth == sizes.len() {
                        let index: Dims = groups.iter().map(|group| group.count - 1).collect();
                        // If the index is out of bounds, the group's count is reported.
                        if let Some(value) = value {
                            set(&index, value);
                        }
                    } else if !std::mem::replace(&mut groups[depth - 1].is_reported, true) {
                        self.too_shallow(depth, sizes.len(), Span::new(span.start, end));
                    }
                }
                Token::Dots => {
                    // An array without elements has none to elide.
                    if !sizes.contains(&0) {
                        self.elide(span);
                    }
                    groups[depth - 1].is_reported = true;
                }
                Token::Close(bracket) => {
                    let Some(group) = groups.pop() else { return };
                    if group.close != bracket {
                        // The bracket closes an outer group.
                        self.lexer.at = span.start;
                        groups.push(group);
                        return self.unclosed(&groups, span.start);
                    }
                    // After elided values the counts of outer groups may be short too.
                    if !group.is_reported && !self.elided {
                        self.check_count(&group, depth - 1, &sizes, element_type, span);
                    }
                    match groups.last_mut() {
                        Some(parent) => parent.leave(span.end),
                        None => return,
                    }
                }
                Token::End => return self.unclosed(&groups, span.start),
            }
        }
    }

    fn scalar(&mut self, element_type: ElementType, set: &mut dyn FnMut(&[i64], Value)) {
        let (token, span) = self.lexer.next();
        match token {
            Token::Open(_) if self.opens_group(token, element_type) => {
                if self.lexer.peek().0 == Token::Dots {
                    let (_, dots) = self.lexer.next();
                    self.skip_group();
                    return self.elide(dots);
                }
                self.too_deep(0, span);
                self.skip_group();
            }
            Token::Word | Token::Open(_) => {
                if let Some(value) = self.value(element_type, token, span) {
                    set(&[], value);
                }
            }
            Token::Comma | Token::Dots | Token::Close(_) | Token::End => {
                self.lexer.at = span.start;
                let example = zero_text(element_type, 0);
                let message = Message::new("literal-value-expected").with("example", example);
                self.report(Diagnostic::error(span, "literal-syntax", message));
            }
        }
    }

    /// Whether a token opens a group, not a complex number.
    fn opens_group(&self, token: Token, element_type: ElementType) -> bool {
        match token {
            Token::Open('(') => self.lexer.syntax == Syntax::UserInput && !element_type.is_complex(),
            Token::Open(_) => true,
            _ => false,
        }
    }

    /// Reads one element after its first token; `None` after an error.
    pub fn value(&mut self, element_type: ElementType, token: Token, span: Span) -> Option<Value> {
        let syntax = self.lexer.syntax;
        let Some(part) = element_type.component() else {
            if token != Token::Word {
                let message = Message::new("literal-parens-for-real").with("type", element_type.name());
                self.report(Diagnostic::error(span, "literal-complex", message));
                self.skip_group();
                return None;
            }
            let (value, diagnostic) = number(element_type, self.lexer.text(span), span, syntax);
            let is_read =
                diagnostic.as_ref().is_none_or(|d| d.severity != xla_messages::diagnostic::Severity::Error);
            if let Some(diagnostic) = diagnostic {
                self.report(diagnostic);
            }
            return is_read.then_some(value);
        };
        if token == Token::Word {
            return self.complex_word(element_type, part, span);
        }
        let mut parts = [0.0; 2];
        for (i, value) in parts.iter_mut().enumerate() {
            let (mut token, mut part_span) = self.lexer.next();
            if i == 1 && token == Token::Comma {
                (token, part_span) = self.lexer.next();
            }
            if token != Token::Word {
                self.lexer.at = part_span.start;
                return self.not_complex(element_type, span.join(part_span));
            }
            if let Some(Value::Float(read)) = self.value(part, Token::Word, part_span) {
                *value = read;
            }
        }
        let (token, close) = self.lexer.next();
        if token != Token::Close(')') {
            self.lexer.at = close.start;
            return self.not_complex(element_type, span.join(close));
        }
        Some(Value::Complex(parts[0], parts[1]))
    }

    fn not_complex(&mut self, element_type: ElementType, span: Span) -> Option<Value> {
        let message = Message::new("literal-complex-parts").with("type", element_type.name());
        self.report(Diagnostic::error(span, "literal-complex", message));
        None
    }

    /// A complex number without parentheses, which only user-entered text may have: `1`, `2i`, `1+2i`.
    fn complex_word(&mut self, element_type: ElementType, part: ElementType, span: Span) -> Option<Value> {
        let word = self.lexer.text(span);
        if self.lexer.syntax == Syntax::Hlo {
            let message = Message::new("literal-complex-parts").with("type", element_type.name());
            let fixed = format!("({word}, 0)");
            let hint = Message::new("literal-hint-write").with("text", fixed.as_str());
            let error = Diagnostic::error(span, "literal-complex", message);
            self.report(error.with_hint(Hint::replace(hint, span, fixed)));
            return None;
        }
        let (re, im) = match word.strip_suffix(['i', 'j', 'I', 'J']) {
            Some(head) => {
                let bytes = head.as_bytes();
                let is_sign =
                    |i: &usize| matches!(bytes[*i], b'+' | b'-') && !matches!(bytes[*i - 1], b'e' | b'E');
                // Without a sign in between, all of it is the imaginary part.
                let split = (1..head.len()).rev().find(is_sign).unwrap_or(0);
                let (re, im) = head.split_at(split);
                let im = if matches!(im, "" | "+" | "-") { format!("{im}1") } else { im.to_owned() };
                (if re.is_empty() { "0" } else { re }, im)
            }
            None => (word, "0".to_owned()),
        };
        let mut parts = [0.0; 2];
        for (value, text) in parts.iter_mut().zip([re, &im]) {
            let (read, diagnostic) = number(part, text, span, Syntax::UserInput);
            if let Some(diagnostic) = diagnostic {
                self.report(Diagnostic { hints: Vec::new(), ..diagnostic });
                return None;
            }
            if let Value::Float(read) = read {
                *value = read;
            }
        }
        Some(Value::Complex(parts[0], parts[1]))
    }

    /// Skips to the end of the group that was just opened.
    pub fn skip_group(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.lexer.next().0 {
                Token::Open(_) => depth += 1,
                Token::Close(_) => depth -= 1,
                Token::End => return,
                Token::Comma | Token::Dots | Token::Word => {}
            }
        }
    }

    fn too_deep(&mut self, rank: usize, span: Span) {
        let message = Message::new("literal-too-deep").with("rank", rank);
        self.report(Diagnostic::error(span, "literal-nesting", message));
    }

    fn too_shallow(&mut self, depth: usize, rank: usize, span: Span) {
        let message = Message::new("literal-too-shallow").with("depth", depth).with("rank", rank);
        self.report(Diagnostic::error(span, "literal-nesting", message));
    }

    pub fn unclosed_at(&mut self, open: Span, closers: String, end: usize) {
        let message = Message::new("literal-unclosed").with("open", self.lexer.text(open));
        let hint = Hint::replace(Message::new("literal-hint-close"), Span::at(end), closers);
        self.report(Diagnostic::error(open, "literal-unclosed", message).with_hint(hint));
    }

    fn unclosed(&mut self, groups: &[Group], end: usize) {
        let Some(innermost) = groups.last() else { return };
        let closers = groups.iter().rev().map(|group| group.close).collect();
        self.unclosed_at(innermost.open, closers, end);
    }

    fn check_count(
        &mut self,
        group: &Group,
        dimension: usize,
        sizes: &[i64],
        element_type: ElementType,
        close: Span,
    ) {
        let size = sizes[dimension];
        let counted = |key| {
            Message::new(key).with("found", group.count).with("dimension", dimension).with("size", size)
        };
        if let Some(first) = group.first_extra {
            let span = Span::new(first, group.last);
            let edits = vec![Edit { span: Span::new(group.last_kept, group.last), text: String::new() }];
            let hint = Hint { message: Message::new("literal-hint-remove"), edits };
            self.report(
                Diagnostic::error(span, "literal-count", counted("literal-too-many")).with_hint(hint),
            );
        } else if group.count < size {
            let mut error = Diagnostic::error(close, "literal-count", counted("literal-too-few"));
            if dimension + 1 == sizes.len() && size - group.count <= MAX_FILLED_VALUES {
                let zero = zero_text(element_type, sizes.len());
                error = error.with_hint(fill(group.last_kept, group.count, size - group.count, &zero));
            }
            self.report(error);
        }
    }
}

/// A fix that inserts `missing` zeros at byte `offset`, after `count` values.
pub(super) fn fill(offset: usize, count: i64, missing: i64, zero: &str) -> Hint {
    let mut text = String::new();
    for i in 0..missing.min(MAX_FILLED_VALUES) {
        text.push_str(if count == 0 && i == 0 { "" } else { ", " });
        text.push_str(zero);
    }
    Hint::replace(Message::new("literal-hint-fill").with("text", zero), Span::at(offset), text)
}

/// The text of a zero of a type, to fill a group that is too short.
pub(super) fn zero_text(element_type: ElementType, rank: usize) -> String {
    match Value::from_bits(element_type, 0) {
        Value::Pred(_) if rank > 0 => "0".to_owned(),
        value => value.text(element_type, Exactness::RoundTrip),
    }
}
