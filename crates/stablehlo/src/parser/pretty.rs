//! The custom forms of ops, which MLIR prints by default.
//!
//! Most are a list of operands, words and `name = value`, in any order, and a type ([`Parser::free_form`]); `generic_attribute_name` gives the
//! attributes their names in the generic form. The others have a function each.

use super::Parser;
use crate::ast::{Argument, Attr, Named, Op, Region, Type, Use};
use crate::lexer::Kind;
use xla_messages::diagnostic::Span;

/// Attributes whose names differ between the forms: the op (empty for any), the name in the custom form, and in the generic form.
const RENAMED_ATTRIBUTES: [(&str, &str, &str); 17] = [
    ("iota", "dim", "iota_dimension"),
    ("dynamic_iota", "dim", "iota_dimension"),
    ("transpose", "dims", "permutation"),
    ("reverse", "dims", "dimensions"),
    ("broadcast", "sizes", "broadcast_sizes"),
    ("dynamic_slice", "sizes", "slice_sizes"),
    ("rng", "distribution", "rng_distribution"),
    ("rng_bit_generator", "algorithm", "rng_algorithm"),
    ("fft", "type", "fft_type"),
    ("fft", "length", "fft_length"),
    ("", "dims", "broadcast_dimensions"),
    ("", "dim", "dimension"),
    ("", "low", "edge_padding_low"),
    ("", "high", "edge_padding_high"),
    ("", "interior", "interior_padding"),
    ("", "precision", "precision_config"),
    ("", "config", "einsum_config"),
];

/// The name in the generic form of an attribute of the custom form.
fn generic_attribute_name<'s>(op: &str, name: &'s str) -> &'s str {
    let op = op.split_once('.').map_or(op, |(_, op)| op);
    let found =
        RENAMED_ATTRIBUTES.iter().find(|(of, custom, _)| *custom == name && (of.is_empty() || *of == op));
    found.map_or(name, |(_, _, generic)| generic)
}

impl<'s> Parser<'s> {
    pub(super) fn pretty(&mut self, op: &mut Op<'s>) -> Option<()> {
        match op.name {
            "builtin.module" => self.pretty_module(op),
            "func.func" => self.function(op),
            "sdy.mesh" => {
                let name = self.symbol()?;
                Self::add(op, "sym_name", Attr::Symbol(name));
                self.expect('=')?;
                let mesh = self.attr()?;
                Self::add(op, "mesh", mesh);
                if self.kind() == Kind::Punct('{') {
                    let more = self.nested(Self::dict)?;
                    op.attrs.extend(more);
                }
                Some(())
            }
            "sdy.manual_computation" | "sdy.named_computation" => self.sharded_computation(op),
            _ if op.is("while") => self.pretty_while(op),
            _ if op.is("reduce") => self.pretty_reduce(op),
            _ if op.is("constant") => {
                if self.kind() == Kind::Punct('{') {
                    op.attrs = self.nested(Self::dict)?;
                }
                let value = self.attr()?;
                if let Attr::Dense(_, ty) | Attr::Resource(_, ty) = &value {
                    op.types = vec![ty.clone()];
                }
                Self::add(op, "value", value);
                Some(())
            }
            _ => self.free_form(op),
        }
    }

    fn pretty_module(&mut self, op: &mut Op<'s>) -> Option<()> {
        if self.kind() == Kind::Symbol {
            let name = self.symbol()?;
            Self::add(op, "sym_name", Attr::Symbol(name));
        }
        if self.eat_word("attributes") {
            let attrs = self.nested(Self::dict)?;
            op.attrs.extend(attrs);
        }
        op.regions.push(self.region()?);
        Some(())
    }

    fn function(&mut self, op: &mut Op<'s>) -> Option<()> {
        for visibility in ["public", "private", "nested"] {
            if self.eat_word(visibility) {
                Self::add(op, "sym_visibility", Attr::String(visibility));
            }
        }
        let name = self.symbol()?;
        Self::add(op, "sym_name", Attr::Symbol(name));
        self.expect('(')?;
        // A declaration has types only.
        let arguments = self.list(')', |parser| {
            if parser.kind() == Kind::Value {
                return parser.argument().map(Some);
            }
            parser.ty()?;
            if parser.kind() == Kind::Punct('{') {
                parser.nested(Self::dict)?;
            }
            Some(None)
        })?;
        let arguments = arguments.into_iter().flatten().collect();
        let mut results = Vec::new();
        if self.eat_kind(Kind::Arrow) {
            let result = |parser: &mut Self| {
                let ty = parser.ty()?;
                if parser.kind() == Kind::Punct('{') {
                    parser.nested(Self::dict)?;
                }
                parser.location();
                Some(ty)
            };
            results = if self.eat('(') { self.list(')', result)? } else { vec![self.ty()?] };
        }
        Self::add(op, "function_type", Attr::Function(results));
        if self.eat_word("attributes") {
            self.nested(Self::dict)?;
        }
        // A declaration has no body.
        if !self.eat('{') {
            return Some(());
        }
        let ops = self.block()?;
        op.regions.push(Region { arguments, ops });
        Some(())
    }

    /// `(%0) in_shardings=[…] out_shardings=[…] manual_axes={"i"} (%arg1: t) {…} : (t) -> t`; a named computation has its name
    /// first, and shardings only if it is sharded.
    fn sharded_computation(&mut self, op: &mut Op<'s>) -> Option<()> {
        if self.kind() == Kind::Punct('<') {
            let name = self.attr()?;
            Self::add(op, "name", name);
        }
        self.expect('(')?;
        op.operands = self.list(')', Self::value)?;
        for name in ["in_shardings", "out_shardings", "manual_axes"] {
            if self.eat_word(name) {
                self.expect('=')?;
                let value = self.attr()?;
                Self::add(op, name, value);
            }
        }
        self.expect('(')?;
        let arguments = self.list(')', Self::argument)?;
        self.expect('{')?;
        let ops = self.block()?;
        op.regions.push(Region { arguments, ops });
        if self.kind() == Kind::Punct('{') {
            let more = self.nested(Self::dict)?;
            op.attrs.extend(more);
        }
        self.expect(':')?;
        self.signature(op)
    }

    /// `(%iterArg = %0, …) : t, … cond {…} do {…}`.
    fn pretty_while(&mut self, op: &mut Op<'s>) -> Option<()> {
        self.expect('(')?;
        let pairs = self.list(')', |parser| {
            let name = parser.value()?;
            parser.expect('=')?;
            Some((name, parser.value()?))
        })?;
        op.operands = pairs.iter().map(|(_, initial)| *initial).collect();
        if !pairs.is_empty() {
            self.expect(':')?;
            op.types = vec![self.ty()?];
            while self.eat(',') {
                op.types.push(self.ty()?);
            }
        }
        if self.eat_word("attributes") {
            op.attrs = self.nested(Self::dict)?;
        }
        let arguments: Vec<Argument<'s>> =
            pairs.iter().zip(&op.types).map(|((name, _), ty)| argument(*name, ty.clone())).collect();
        for word in ["cond", "do"] {
            if !self.eat_word(word) {
                return self.expected(word);
            }
            self.expect('{')?;
            let ops = self.block()?;
            op.regions.push(Region { arguments: arguments.clone(), ops });
        }
        Some(())
    }

    /// `(%0 init: %1), … applies stablehlo.add across dimensions = [0] : …`, or with `reducer(…) (…) {…}`.
    fn pretty_reduce(&mut self, op: &mut Op<'s>) -> Option<()> {
        let (mut operands, mut initials) = (Vec::new(), Vec::new());
        while self.eat('(') {
            operands.push(self.value()?);
            if !self.eat_word("init") {
                return self.expected("init:");
            }
            self.expect(':')?;
            initials.push(self.value()?);
            self.expect(')')?;
            self.eat(',');
        }
        op.operands = [operands, initials].concat();
        if self.eat_word("applies") {
            let token = self.lexer.bump();
            Self::add(op, "applies", Attr::Word(self.lexer.text(token.span)));
        }
        self.eat_word("across");
        if !self.eat_word("dimensions") {
            return self.expected("across dimensions = [0]");
        }
        self.expect('=')?;
        let dimensions = self.attr()?;
        Self::add(op, "dimensions", dimensions);
        if self.kind() == Kind::Punct('{') {
            let more = self.nested(Self::dict)?;
            op.attrs.extend(more);
        }
        self.expect(':')?;
        self.signature(op)?;
        op.location = self.location();
        if self.eat_word("reducer") {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            while self.eat('(') {
                let pair = self.list(')', Self::argument)?;
                let [first, second] = &pair[..] else {
                    return self.expected("(%a: tensor<f32>, %b: tensor<f32>)");
                };
                left.push(first.clone());
                right.push(second.clone());
            }
            self.expect('{')?;
            let ops = self.block()?;
            op.regions.push(Region { arguments: [left, right].concat(), ops });
        }
        Some(())
    }

    /// Operands, words, values and attributes in any order, up to the colon before the types.
    fn free_form(&mut self, op: &mut Op<'s>) -> Option<()> {
        let mut open = 0_usize;
        let mut is_joined = true;
        loop {
            let token = self.lexer.peek();
            let text = self.lexer.text(token.span);
            let gap = self.lexer.source.get(self.lexer.offset..token.span.start).unwrap_or_default();
            if !is_joined && open == 0 && gap.contains('\n') && token.kind != Kind::Punct(':') {
                return Some(());
            }
            is_joined = false;
            match token.kind {
                Kind::Value => {
                    let value = self.value()?;
                    op.operands.push(value);
                    if self.kind() == Kind::Punct('[') {
                        self.ranges(op)?;
                    }
                }
                Kind::Punct(',') => {
                    self.lexer.bump();
                    is_joined = true;
                }
                Kind::Punct('(') => {
                    self.lexer.bump();
                    open += 1;
                }
                Kind::Punct(')') if open > 0 => {
                    self.lexer.bump();
                    open -= 1;
                }
                Kind::Punct('{') => {
                    let more = self.nested(Self::dict)?;
                    op.attrs.extend(more);
                }
                // An op without operands and types, `return`.
                Kind::Punct('}') if open == 0 => return Some(()),
                Kind::Punct('<') => {
                    let value = self.attr()?;
                    Self::add(op, "sharding", value);
                }
                Kind::Punct(':') => {
                    self.lexer.bump();
                    return self.signature(op);
                }
                Kind::Symbol => {
                    let symbol = Attr::Symbol(self.symbol()?);
                    let name = if op.is("custom_call") { "call_target_name" } else { "callee" };
                    Self::add(op, name, symbol);
                }
                Kind::String => {
                    let value = self.attr()?;
                    Self::add(op, "name", value);
                }
                Kind::Word if text == "loc" => return Some(()),
                Kind::Word => {
                    self.lexer.bump();
                    self.word_attribute(op, text)?;
                    is_joined = self.kind() == Kind::Punct(',');
                }
                _ => return self.expected(":"),
            }
        }
    }

    /// Adds the attribute that a word begins: `name = value`, or a bare word, which is a comparison's direction or type.
    fn word_attribute(&mut self, op: &mut Op<'s>, word: &'s str) -> Option<()> {
        if !self.eat('=') {
            let is_first = op.attr("comparison_direction").is_none();
            Self::add(op, if is_first { "comparison_direction" } else { "compare_type" }, Attr::Word(word));
            return Some(());
        }
        if word == "dim_numbers" {
            let start = self.lexer.peek().span.start;
            for separator in ["x", "->", ""] {
                self.lexer.balanced()?;
                if separator == "x" && !self.eat_word("x") || separator == "->" && !self.eat_kind(Kind::Arrow)
                {
                    return self.expected(separator);
                }
            }
            let text = self.lexer.text(Span::new(start, self.lexer.offset));
            Self::add(op, "dimension_numbers", Attr::Text(text));
            return Some(());
        }
        // The colon after a number is that of the op's type.
        let token = self.lexer.peek();
        let value = if token.kind == Kind::Number {
            self.lexer.bump();
            Attr::Word(self.lexer.text(token.span))
        } else {
            self.attr()?
        };
        if word == "window" {
            let Attr::Dict(fields) = value else { return self.expected("{stride = [1, 1]}") };
            for Named { name, value } in fields {
                let generic = match name {
                    "stride" => "window_strides",
                    "pad" => "padding",
                    "lhs_dilate" => "lhs_dilation",
                    "rhs_dilate" => "rhs_dilation",
                    _ => "window_reversal",
                };
                Self::add(op, generic, value);
            }
            return Some(());
        }
        if self.eat_word("x") {
            let second = self.attr()?;
            Self::add(op, word, Attr::List(vec![value, second]));
            return Some(());
        }
        if word == "format" {
            return self.format(op, &value);
        }
        Self::add(op, generic_attribute_name(op.name, word), value);
        Some(())
    }

    /// `e5m10`.
    fn format(&mut self, op: &mut Op<'s>, value: &Attr<'s>) -> Option<()> {
        let Attr::Word(text) = value else { return self.expected("e5m10") };
        let Some((exponent, mantissa)) = text.strip_prefix('e').and_then(|rest| rest.split_once('m')) else {
            return self.expected("e5m10");
        };
        Self::add(op, "exponent_bits", Attr::Word(exponent));
        Self::add(op, "mantissa_bits", Attr::Word(mantissa));
        Some(())
    }

    /// `[0:4, 1:3:2]` of a slice, `[0]` of an element of a tuple.
    fn ranges(&mut self, op: &mut Op<'s>) -> Option<()> {
        self.expect('[')?;
        let ranges = self.list(']', |parser| {
            let mut numbers = Vec::new();
            loop {
                let token = parser.lexer.peek();
                if token.kind != Kind::Number {
                    return parser.expected("0");
                }
                parser.lexer.bump();
                numbers.push(parser.lexer.text(token.span));
                if !parser.eat(':') {
                    return Some(numbers);
                }
            }
        })?;
        if op.is("get_tuple_element") {
            let index = ranges.first().and_then(|range| range.first()).copied().unwrap_or("0");
            Self::add(op, "index", Attr::Word(index));
            return Some(());
        }
        for (at, name) in ["start_indices", "limit_indices", "strides"].into_iter().enumerate() {
            let part = |range: &Vec<&'s str>| Attr::Word(range.get(at).copied().unwrap_or("1"));
            Self::add(op, name, Attr::List(ranges.iter().map(part).collect()));
        }
        Some(())
    }
}

fn argument(name: Use<'_>, ty: Type) -> Argument<'_> {
    Argument { name: name.name, ty, attrs: Vec::new(), location: None, span: name.span }
}
