//! Attributes.

use super::Parser;
use crate::ast::{Attr, Named};
use crate::lexer::Kind;
use xla_messages::diagnostic::Span;

impl<'s> Parser<'s> {
    /// `{name = value, unit}`.
    pub(super) fn dict(&mut self) -> Option<Vec<Named<'s>>> {
        self.expect('{')?;
        self.list('}', |parser| {
            let token = parser.lexer.peek();
            if !matches!(token.kind, Kind::Word | Kind::String) {
                return parser.expected("}");
            }
            parser.lexer.bump();
            let name = parser.lexer.text(token.span).trim_matches('"');
            let value = if parser.eat('=') { parser.attr()? } else { Attr::Word("true") };
            Some(Named { name, value })
        })
    }

    /// Parses a value, and the type after it.
    pub(super) fn attr(&mut self) -> Option<Attr<'s>> {
        self.nested(|parser| {
            let token = parser.lexer.peek();
            let start = token.span.start;
            let text = parser.lexer.text(token.span);
            match token.kind {
                Kind::Number => {
                    parser.lexer.bump();
                    if parser.eat(':') {
                        parser.ty()?;
                    }
                    Some(Attr::Word(text))
                }
                Kind::String => {
                    parser.lexer.bump();
                    if parser.eat(':') {
                        parser.ty()?;
                    }
                    Some(Attr::String(text.get(1..text.len().saturating_sub(1)).unwrap_or_default()))
                }
                Kind::Symbol => Some(Attr::Symbol(parser.symbol()?)),
                Kind::Punct('[') => {
                    parser.lexer.bump();
                    Some(Attr::List(parser.list(']', Self::attr)?))
                }
                Kind::Punct('{') => Some(Attr::Dict(parser.dict()?)),
                Kind::Punct('<') => parser.raw(start),
                Kind::Punct('(') => {
                    parser.types()?;
                    if !parser.eat_kind(Kind::Arrow) {
                        return parser.expected("->");
                    }
                    Some(Attr::Function(parser.types()?))
                }
                Kind::Hash | Kind::Bang => {
                    parser.lexer.bump();
                    parser.suffix(start)
                }
                Kind::Word => parser.word(text, start),
                _ => parser.expected("an attribute"),
            }
        })
    }

    fn word(&mut self, text: &'s str, start: usize) -> Option<Attr<'s>> {
        match text {
            "tensor" | "tuple" => {
                self.ty()?;
                return Some(Attr::Text(self.lexer.text(Span::new(start, self.lexer.offset))));
            }
            _ => {}
        }
        self.lexer.bump();
        match text {
            "dense" | "dense_resource" if self.kind() == Kind::Punct('<') => {
                let Some(span) = self.lexer.balanced() else { return self.expected(">") };
                let body = self.lexer.text(Span::new(span.start + 1, span.end - 1));
                self.expect(':')?;
                let ty = self.ty()?;
                Some(if text == "dense" { Attr::Dense(body, ty) } else { Attr::Resource(body, ty) })
            }
            "array" if self.eat('<') => {
                self.lexer.bump();
                if self.eat('>') {
                    return Some(Attr::List(Vec::new()));
                }
                self.expect(':')?;
                Some(Attr::List(self.list('>', Self::attr)?))
            }
            "loc" => {
                self.lexer.balanced()?;
                Some(Attr::Text(self.lexer.text(Span::new(start, self.lexer.offset))))
            }
            _ if self.kind() == Kind::Punct('<') => self.suffix(start),
            _ => Some(Attr::Word(text)),
        }
    }

    /// The bracket after a name, if there is one.
    fn suffix(&mut self, start: usize) -> Option<Attr<'s>> {
        let end = self.lexer.offset;
        let adjacent = self.lexer.source.get(end..).is_some_and(|rest| rest.starts_with('<'));
        if adjacent { self.raw(start) } else { Some(Attr::Text(self.lexer.text(Span::new(start, end)))) }
    }

    /// A bracket as written, from `start` on.
    fn raw(&mut self, start: usize) -> Option<Attr<'s>> {
        if self.lexer.balanced().is_none() {
            return self.expected(">");
        }
        Some(Attr::Text(self.lexer.text(Span::new(start, self.lexer.offset))))
    }
}
