//! The parser: text → [`Module`] and diagnostics. It never fails, and recurses at most [`MAX_NESTING_DEPTH`] deep.
//!
//! - `types` and `attribute`: types and attributes.
//! - `pretty`: the custom form of each op, read into the attributes of the generic form.
//! - this file: modules, functions, regions, and the generic form.

mod attribute;
mod pretty;
mod types;

use crate::ast::{Argument, Attr, Function, Module, Named, Op, Region, Type, Use};
use crate::lexer::{Kind, Lexer, Token};
use xla_hlo::parser::MAX_NESTING_DEPTH;
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;

/// Maximum number of syntax errors, after which parsing stops.
const MAX_ERRORS: usize = 20;

/// Parses a module.
pub fn parse(source: &str) -> (Module<'_>, Vec<Diagnostic>) {
    let lexer = Lexer::new(source, 0);
    let mut parser =
        Parser { lexer, module: Module::default(), diagnostics: Vec::new(), depth: 0, is_stopped: false };
    parser.top_level();
    (parser.module, parser.diagnostics)
}

/// Parses the axes of a mesh: `"a"=2` in its brackets.
fn axes(text: &str) -> Vec<(&str, i64)> {
    let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(axes, _)| axes);
    let axis = |part| {
        let (name, size) = str::split_once(part, '=')?;
        Some((name.trim().trim_matches('"'), size.trim().parse().ok()?))
    };
    inner.split(',').filter_map(axis).collect()
}

pub(crate) struct Parser<'s> {
    pub(crate) lexer: Lexer<'s>,
    module: Module<'s>,
    diagnostics: Vec<Diagnostic>,
    /// Number of open regions, attributes and types.
    depth: usize,
    /// Whether an error made the rest of the text meaningless, such as an op of another dialect.
    is_stopped: bool,
}

impl<'s> Parser<'s> {
    /// A parser of a fragment of the text, for tests; errors are dropped.
    #[cfg(test)]
    pub(crate) fn for_fragment(text: &'s str) -> Self {
        Self {
            lexer: Lexer::new(text, 0),
            module: Module::default(),
            diagnostics: Vec::new(),
            depth: 0,
            is_stopped: false,
        }
    }

    fn kind(&self) -> Kind {
        self.lexer.peek().kind
    }

    fn text(&self, token: Token) -> &'s str {
        self.lexer.text(token.span)
    }

    pub(crate) fn eat(&mut self, punct: char) -> bool {
        let matched = self.kind() == Kind::Punct(punct);
        if matched {
            self.lexer.bump();
        }
        matched
    }

    fn eat_kind(&mut self, kind: Kind) -> bool {
        let matched = self.kind() == kind;
        if matched {
            self.lexer.bump();
        }
        matched
    }

    fn at_word(&self, word: &str) -> bool {
        let token = self.lexer.peek();
        token.kind == Kind::Word && self.text(token) == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let matched = self.at_word(word);
        if matched {
            self.lexer.bump();
        }
        matched
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.is_stopped {
            return;
        }
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() >= MAX_ERRORS {
            self.lexer.offset = self.lexer.source.len();
        }
    }

    /// Reports that `what` was expected at the next token; returns `None`.
    fn expected<T>(&mut self, what: &str) -> Option<T> {
        let token = self.lexer.peek();
        let error = if token.kind == Kind::End {
            Message::stablehlo("stablehlo-expected-end").with("expected", what)
        } else {
            let found: String = self.text(token).chars().take(40).collect();
            Message::stablehlo("stablehlo-expected").with("expected", what).with("found", found)
        };
        self.report(Diagnostic::error(token.span, "stablehlo-syntax", error));
        None
    }

    /// Consumes this character; if it is missing, reports it with the edit that inserts it.
    fn expect(&mut self, punct: char) -> Option<()> {
        if self.eat(punct) {
            return Some(());
        }
        let known = self.diagnostics.len();
        let missing: Option<()> = self.expected(&punct.to_string());
        let at = Span::at(self.lexer.offset.min(self.lexer.source.len()));
        if let Some(error) = self.diagnostics.get_mut(known) {
            let message = Message::stablehlo("stablehlo-hint-write").with("text", punct.to_string());
            error.hints.push(Hint::replace(message, at, punct.to_string()));
        }
        missing
    }

    /// Parses one nesting level deeper; reports an error at the depth limit.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_NESTING_DEPTH {
            let span = self.lexer.peek().span;
            let message = Message::stablehlo("stablehlo-too-deep").with("limit", MAX_NESTING_DEPTH);
            self.report(Diagnostic::error(span, "stablehlo-too-deep", message));
            self.lexer.offset = self.lexer.source.len();
            return None;
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Parses items separated by commas up to a closing bracket, which is consumed.
    fn list<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(',')?;
            }
            items.push(item(self)?);
        }
        Some(items)
    }

    fn symbol(&mut self) -> Option<&'s str> {
        if self.kind() != Kind::Symbol {
            return self.expected("@name");
        }
        let token = self.lexer.bump();
        Some(self.text(token).trim_start_matches('@').trim_matches('"'))
    }

    /// The text within `loc(…)`, if one follows.
    fn location(&mut self) -> Option<&'s str> {
        if !self.eat_word("loc") {
            return None;
        }
        let span = self.lexer.balanced()?;
        self.lexer.source.get(span.start + 1..span.end - 1)
    }

    fn top_level(&mut self) {
        loop {
            let token = self.lexer.peek();
            match token.kind {
                Kind::End => return,
                Kind::Hash | Kind::Bang => {
                    self.lexer.bump();
                    if self.expect('=').is_some() {
                        let start = self.lexer.peek().span.start;
                        if !self.eat_word("loc") {
                            self.lexer.bump();
                        }
                        if matches!(self.kind(), Kind::Punct('<' | '(' | '[' | '{')) {
                            self.lexer.balanced();
                        }
                        let text = self.lexer.text(Span::new(start, self.lexer.offset));
                        self.module.aliases.push((self.lexer.text(token.span), text));
                    }
                }
                Kind::Punct('{') => self.resources(),
                Kind::Punct('}') => {
                    self.lexer.bump();
                    self.location();
                }
                _ => {
                    let op = self.op();
                    self.function_or_module(op, token.span);
                }
            }
        }
    }

    /// `{-# dialect_resources: {builtin: {name: "0x…"}} #-}`: every string after a name and a colon, at any depth.
    fn resources(&mut self) {
        let mut ahead = self.lexer.clone();
        let Some(span) = ahead.balanced() else {
            self.lexer.offset = self.lexer.source.len();
            return;
        };
        let mut name = None;
        while self.lexer.offset < span.end {
            let token = self.lexer.bump();
            match token.kind {
                Kind::Word => name = Some(self.text(token)),
                Kind::String => {
                    if let Some(name) = name.take() {
                        self.module.resources.push((name, self.text(token).trim_matches('"')));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the declaration of a top-level op to the module; after an error, continues at the next line.
    fn function_or_module(&mut self, op: Option<Op<'s>>, start: Span) {
        let Some(op) = op else {
            self.skip_line(start.start);
            return;
        };
        self.declare(op);
    }

    fn declare(&mut self, op: Op<'s>) {
        let name = match op.attr("sym_name") {
            Some(Attr::String(name) | Attr::Symbol(name)) => *name,
            _ => "",
        };
        match op.name {
            "builtin.module" => {
                self.module.name = name;
                self.module.attrs.extend(op.attrs);
                for inner in op.regions.into_iter().flat_map(|region| region.ops) {
                    self.declare(inner);
                }
            }
            "sdy.mesh" => {
                if let Some(Attr::Text(text)) = op.attr("mesh") {
                    self.module.meshes.push((name, axes(text)));
                }
            }
            "func.func" => {
                let is_public = !matches!(op.attr("sym_visibility"), Some(Attr::String("private")));
                let result_count = match op.attr("function_type") {
                    Some(Attr::Function(results)) => results.len(),
                    _ => 0,
                };
                let arg_attrs = match op.attr("arg_attrs") {
                    Some(Attr::List(items)) => items.clone(),
                    _ => Vec::new(),
                };
                let span = op.span;
                let mut body = op.regions.into_iter().next().unwrap_or_default();
                for (argument, attrs) in body.arguments.iter_mut().zip(arg_attrs) {
                    if let Attr::Dict(attrs) = attrs {
                        argument.attrs.extend(attrs);
                    }
                }
                self.module.functions.push(Function { name, is_public, span, body, result_count });
            }
            _ => {}
        }
    }

    /// Skips to the line after the last one read, at least one after `start`.
    fn skip_line(&mut self, start: usize) {
        let from = self.lexer.offset.max(start);
        let rest = self.lexer.source.get(from..).unwrap_or_default();
        self.lexer.offset = rest.find('\n').map_or(self.lexer.source.len(), |end| from + end + 1);
    }

    /// Parses an op, in either form.
    fn op(&mut self) -> Option<Op<'s>> {
        let mut results = Vec::new();
        while self.kind() == Kind::Value {
            let token = self.lexer.bump();
            let mut count = 1;
            if self.eat(':') {
                let number = self.lexer.bump();
                let Some(written) = self.text(number).parse().ok().filter(|count| *count < 1 << 16) else {
                    return self.expected("2");
                };
                count = written;
            }
            results.push((self.text(token), count));
            if !self.eat(',') {
                self.expect('=')?;
                break;
            }
        }
        let token = self.lexer.peek();
        let mut op = Op {
            name: self.text(token),
            span: token.span,
            results,
            operands: Vec::new(),
            attrs: Vec::new(),
            regions: Vec::new(),
            types: Vec::new(),
            location: None,
        };
        match token.kind {
            Kind::String => {
                self.lexer.bump();
                op.name = op.name.trim_matches('"');
                self.check_dialect(&op)?;
                self.generic_form(&mut op)?;
            }
            Kind::Word => {
                self.lexer.bump();
                op.name = match op.name {
                    "module" => "builtin.module",
                    "call" => "func.call",
                    "return" => "func.return",
                    name => name,
                };
                self.check_dialect(&op)?;
                self.pretty(&mut op)?;
            }
            _ => return self.expected("stablehlo.add"),
        }
        op.location = self.location().or(op.location);
        Some(op)
    }

    /// Rejects an op of an unsupported dialect and stops: the parser does not know where its custom form ends.
    fn check_dialect(&mut self, op: &Op<'s>) -> Option<()> {
        const SUPPORTED_SDY_OPS: [&str; 6] =
            ["mesh", "sharding_constraint", "reshard", "manual_computation", "named_computation", "return"];
        let Some((dialect, name)) = op.name.split_once('.') else { return Some(()) };
        if matches!(dialect, "stablehlo" | "mhlo" | "chlo" | "func" | "builtin") {
            return Some(());
        }
        if dialect == "sdy" {
            if SUPPORTED_SDY_OPS.contains(&name) {
                return Some(());
            }
            let message = Message::stablehlo("stablehlo-unsupported").with("op", op.name);
            self.report(Diagnostic::error(op.span, "stablehlo-op", message));
            self.stop();
            return None;
        }
        let message = Message::stablehlo("stablehlo-dialect").with("op", op.name).with("dialect", dialect);
        let advice =
            if dialect.starts_with("vhlo") { "stablehlo-hint-vhlo" } else { "stablehlo-hint-dialect" };
        let mut error = Diagnostic::error(op.span, "stablehlo-dialect", message);
        error.hints.push(Hint::advice(Message::stablehlo(advice)));
        self.report(error);
        self.stop();
        None
    }

    /// Ends the parse, and suppresses the errors that this would cause.
    fn stop(&mut self) {
        self.is_stopped = true;
        self.lexer.offset = self.lexer.source.len();
    }

    fn value(&mut self) -> Option<Use<'s>> {
        if self.kind() != Kind::Value {
            return self.expected("%0");
        }
        let token = self.lexer.bump();
        let mut index = 0;
        let mut end = token.span.end;
        if self.lexer.source.get(end..).is_some_and(|rest| rest.starts_with('#')) {
            self.lexer.offset += 1;
            let number = self.lexer.bump();
            end = number.span.end;
            index = self.text(number).parse().ok()?;
        }
        Some(Use { name: self.text(token), index, span: Span::new(token.span.start, end) })
    }

    /// `(%0, %1) <{…}> ({…}) {…} : (…) -> …`.
    fn generic_form(&mut self, op: &mut Op<'s>) -> Option<()> {
        self.expect('(')?;
        op.operands = self.list(')', Self::value)?;
        if self.eat('<') {
            op.attrs = self.nested(Self::dict)?;
            self.expect('>')?;
        }
        if self.eat('(') {
            op.regions = self.list(')', Self::region)?;
        }
        if self.kind() == Kind::Punct('{') {
            let more = self.nested(Self::dict)?;
            op.attrs.extend(more);
        }
        self.expect(':')?;
        self.signature(op)
    }

    /// A region in braces, with its block's label and arguments if it has any.
    fn region(&mut self) -> Option<Region<'s>> {
        self.expect('{')?;
        let mut arguments = Vec::new();
        if self.eat_kind(Kind::Block) {
            if self.eat('(') {
                arguments = self.list(')', Self::argument)?;
            }
            self.expect(':')?;
        }
        Some(Region { arguments, ops: self.block()? })
    }

    /// Ops up to the closing brace, which is consumed.
    fn block(&mut self) -> Option<Vec<Op<'s>>> {
        self.nested(|parser| {
            let mut ops = Vec::new();
            while !parser.eat('}') {
                if matches!(parser.kind(), Kind::End | Kind::Block) {
                    return parser.expected("}");
                }
                let start = parser.lexer.peek().span.start;
                match parser.op() {
                    Some(op) => ops.push(op),
                    None => parser.skip_line(start),
                }
            }
            Some(ops)
        })
    }

    /// `%arg0: tensor<f32> {…} loc("x")`.
    fn argument(&mut self) -> Option<Argument<'s>> {
        let value = self.value()?;
        self.expect(':')?;
        let ty = self.ty()?;
        let attrs = if self.kind() == Kind::Punct('{') { self.nested(Self::dict)? } else { Vec::new() };
        let location = self.location();
        Some(Argument { name: value.name, ty, attrs, location, span: value.span })
    }

    /// The types after the colon: `(…) -> …`, or a list whose last type is the result's.
    fn signature(&mut self, op: &mut Op<'s>) -> Option<()> {
        let mut types = if self.eat('(') { self.list(')', Self::ty)? } else { vec![self.ty()?] };
        while self.eat(',') {
            types.push(self.ty()?);
        }
        if self.eat_kind(Kind::Arrow) {
            op.types = if self.eat('(') { self.list(')', Self::ty)? } else { vec![self.ty()?] };
            return Some(());
        }
        let count: usize = op.results.iter().map(|(_, count)| count).sum();
        op.types = match count {
            0 => Vec::new(),
            1 => types.pop().into_iter().collect(),
            _ => types,
        };
        Some(())
    }

    /// Adds an attribute.
    fn add(op: &mut Op<'s>, name: &'s str, value: Attr<'s>) {
        op.attrs.push(Named { name, value });
    }

    pub(crate) fn types(&mut self) -> Option<Vec<Type>> {
        if self.eat('(') { self.list(')', Self::ty) } else { Some(vec![self.ty()?]) }
    }
}
