//! The syntax of annotations, which are stored as text but rejected where XLA's parser rejects them.
//!
//! An [`AnnotationReader`] reads one value without its instruction; [`Parser::check_annotation`] has the checks that depend on the
//! instruction. Unknown fields are accepted, like unknown attributes, since XLA may have added them. `sharding` has its own module.

use super::state::Parser;
use crate::lexer::{Lexer, Token, TokenKind};
use xla_array::Shape;
use xla_messages::diagnostic::{Diagnostic, Span};

/// Fields of `metadata` whose values are strings.
const STRING_FIELDS: [&str; 5] =
    ["op_type", "op_name", "source_file", "deduplicated_name", "scheduling_name"];
/// Fields of `metadata` whose values are numbers.
const NUMBER_FIELDS: [&str; 6] = [
    "source_line",
    "source_end_line",
    "source_column",
    "source_end_column",
    "stack_frame_id",
    "size_of_generated_code_in_bytes",
];

/// Reads the tokens of a value; each method returns `None` on a syntax error.
pub(super) struct AnnotationReader<'s> {
    lexer: Lexer<'s>,
    /// The end of the value.
    end: usize,
}

impl<'s> AnnotationReader<'s> {
    pub fn new(source: &'s str, value: Span) -> Self {
        Self { lexer: Lexer::starting_at(source, value.start), end: value.end }
    }

    /// A second reader at the same token, to look ahead.
    pub fn lookahead(&self) -> Self {
        Self { lexer: self.lexer.clone(), end: self.end }
    }

    pub fn peek(&self) -> Token {
        let token = self.lexer.peek();
        if token.span.start < self.end {
            token
        } else {
            Token { kind: TokenKind::End, span: Span::at(self.end) }
        }
    }

    pub fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.lexer.next();
        }
        token
    }

    pub fn text(&self, token: Token) -> &'s str {
        self.lexer.text(token.span)
    }

    /// Whether the next token is this punctuation character.
    pub fn is_at(&self, punct: char) -> bool {
        self.peek().kind == TokenKind::Punct(punct)
    }

    pub fn eat(&mut self, punct: char) -> bool {
        let matched = self.is_at(punct);
        if matched {
            self.next();
        }
        matched
    }

    pub fn expect(&mut self, punct: char) -> Option<()> {
        self.eat(punct).then_some(())
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let matched = token.kind == TokenKind::Name && self.text(token) == word;
        if matched {
            self.next();
        }
        matched
    }

    pub fn expect_end(&self) -> Option<()> {
        (self.peek().kind == TokenKind::End).then_some(())
    }

    /// The name of a field, with its `=`.
    pub fn field(&mut self) -> Option<&'s str> {
        let token = self.next();
        (token.kind == TokenKind::AttrName).then(|| self.text(token))
    }

    pub fn int(&mut self) -> Option<i64> {
        let token = self.next();
        if token.kind == TokenKind::Int { self.text(token).parse().ok() } else { None }
    }

    fn number(&mut self) -> Option<()> {
        matches!(self.next().kind, TokenKind::Int | TokenKind::Float).then_some(())
    }

    pub fn string(&mut self) -> Option<&'s str> {
        let token = self.next();
        let text = self.text(token);
        (token.kind == TokenKind::String)
            .then(|| text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
    }

    /// Reads comma-separated items in brackets, and returns their number.
    pub fn list(
        &mut self,
        [open, close]: [char; 2],
        item: &mut dyn FnMut(&mut Self) -> Option<()>,
    ) -> Option<usize> {
        self.expect(open)?;
        let mut count = 0;
        if self.eat(close) {
            return Some(count);
        }
        loop {
            item(self)?;
            count += 1;
            if !self.eat(',') {
                break;
            }
        }
        self.expect(close).map(|()| count)
    }

    fn ints(&mut self, brackets: [char; 2]) -> Option<usize> {
        self.list(brackets, &mut |reader| reader.int().map(|_| ()))
    }

    /// A string, or a dictionary in braces, whose content is skipped.
    fn string_or_dictionary(&mut self) -> Option<()> {
        if !self.is_at('{') {
            return self.string().map(|_| ());
        }
        let mut depth = 0_usize;
        loop {
            match self.next().kind {
                TokenKind::Punct('{') => depth += 1,
                TokenKind::Punct('}') if depth == 1 => return Some(()),
                TokenKind::Punct('}') => depth -= 1,
                TokenKind::End => return None,
                _ => {}
            }
        }
    }

    /// `{op_name="x" source_line=3 …}`: no duplicate fields; commas are optional.
    pub fn metadata(&mut self) -> Option<()> {
        self.expect('{')?;
        let mut seen: Vec<&str> = Vec::new();
        while !self.eat('}') {
            self.eat(',');
            let name = self.field()?;
            if seen.contains(&name) {
                return None;
            }
            seen.push(name);
            if STRING_FIELDS.contains(&name) {
                self.string()?;
            } else if NUMBER_FIELDS.contains(&name) {
                i32::try_from(self.int()?).ok()?;
            } else if name == "profile_type" {
                self.ints(['{', '}'])?;
            } else if self.is_at('{') {
                self.string_or_dictionary()?;
            } else {
                self.next();
            }
        }
        Some(())
    }

    /// `{a="b",c={"d":1}}`.
    pub fn frontend_attributes(&mut self) -> Option<()> {
        self.list(['{', '}'], &mut |reader| {
            reader.field()?;
            reader.string_or_dictionary()
        })
        .map(|_| ())
    }

    /// `{visualizing_index=1,a=33,b=4.5}`.
    fn statistics(&mut self) -> Option<()> {
        self.expect('{')?;
        if self.eat('}') {
            return Some(());
        }
        self.field()?;
        self.int()?;
        while self.eat(',') {
            self.field()?;
            self.number()?;
        }
        self.expect('}')
    }

    fn bools(&mut self) -> Option<usize> {
        self.list(['{', '}'], &mut |reader| {
            (reader.eat_word("true") || reader.eat_word("false")).then_some(())
        })
    }

    /// `{"name" {0,1}}`.
    fn original_array(&mut self) -> Option<()> {
        self.expect('{')?;
        if self.peek().kind == TokenKind::String {
            self.next();
            if self.is_at('{') {
                self.ints(['{', '}'])?;
            }
        }
        self.expect('}')
    }

    /// `{({"a"}, ({"b"}, {"c" {0}}))}` or `{[synthetic_call]}`.
    fn origin(&mut self) -> Option<()> {
        self.expect('{')?;
        if self.eat('[') {
            return (self.eat_word("synthetic_call") && self.eat(']') && self.eat('}')).then_some(());
        }
        let mut open = 0_usize;
        while !self.eat('}') {
            if self.eat('(') {
                open += 1;
            } else if self.eat(')') {
                open = open.checked_sub(1)?;
            } else if self.is_at('{') {
                self.original_array()?;
            } else if open == 0 || !self.eat(',') {
                return None;
            }
        }
        Some(())
    }

    /// `{mode=highest}` or `{tolerance={rtol=0.5,atol=1,ulps=2}}`.
    fn accuracy(&mut self) -> Option<()> {
        self.expect('{')?;
        match self.field()? {
            "mode" => {
                let is_mode = ["default", "high", "highest"].iter().any(|word| self.eat_word(word));
                is_mode.then_some(())?;
            }
            "tolerance" => {
                self.list(['{', '}'], &mut |reader| {
                    let name = reader.field()?;
                    matches!(name, "rtol" | "atol" | "ulps").then_some(())?;
                    reader.number()
                })?;
            }
            _ => return None,
        }
        self.expect('}')
    }

    /// Checks a non-empty list of names in braces.
    fn name_list(&mut self) -> Option<()> {
        let count = self
            .list(['{', '}'], &mut |reader| reader.next().kind.is_name().then_some(()))
            .filter(|n| *n > 0);
        count.map(|_| ())
    }

    /// `{kind="sharding", entry={…}, exit={…}}`.
    pub fn domain(&mut self) -> Option<()> {
        self.expect('{')?;
        let mut seen: Vec<&str> = Vec::new();
        while !self.eat('}') {
            self.eat(',');
            let name = self.field()?;
            match name {
                "kind" => (self.string()? == "sharding").then_some(())?,
                "entry" | "exit" => self.sharding()?,
                _ => return None,
            }
            seen.push(name);
        }
        seen.sort_unstable();
        (seen == ["entry", "exit", "kind"]).then_some(())
    }

    /// `{0,1}`: the position of an element within tuples.
    fn shape_index(&mut self) -> Option<()> {
        self.ints(['{', '}']).map(|_| ())
    }

    /// `{ {0}: (1, {}, may-alias) }`, the kind only with `has_kind`.
    pub fn aliases(&mut self, has_kind: bool) -> Option<()> {
        let mut alias = |reader: &mut Self| {
            reader.shape_index()?;
            reader.expect(':')?;
            reader.expect('(')?;
            reader.int()?;
            reader.expect(',')?;
            reader.shape_index()?;
            if has_kind && reader.eat(',') {
                (reader.eat_word("may-alias") || reader.eat_word("must-alias")).then_some(())?;
            }
            reader.expect(')')
        };
        self.list(['{', '}'], &mut alias).map(|_| ())
    }

    /// `{ (0, {}), (1, {0}) }`.
    pub fn donors(&mut self) -> Option<()> {
        let mut donor = |reader: &mut Self| {
            reader.expect('(')?;
            reader.int()?;
            reader.expect(',')?;
            reader.shape_index()?;
            reader.expect(')')
        };
        self.list(['{', '}'], &mut donor).map(|_| ())
    }

    /// `true`, or `{true,false}`.
    pub fn bool_or_bools(&mut self) -> Option<()> {
        if self.is_at('{') {
            return self.bools().map(|_| ());
        }
        (self.eat_word("true") || self.eat_word("false")).then_some(())
    }
}

/// An example of a valid value, for messages.
fn example(name: &str) -> &'static str {
    match name {
        "metadata" => "{op_name=\"…\" source_file=\"…\" source_line=1}",
        "frontend_attributes" => "{name=\"…\",other={\"key\":1}}",
        "backend_config" => "\"…\", {\"key\":1}",
        "statistics" => "{visualizing_index=0,name=1.5}",
        "origin" => "{\"name\" {0}}",
        "result_accuracy" => "{mode=highest}, {tolerance={rtol=0.5}}",
        "control-predecessors" => "{a, b}",
        "domain" => "{kind=\"sharding\", entry={…}, exit={…}}",
        "input_output_alias" => "{ {0}: (0, {}, may-alias) }",
        "output_to_operand_aliasing" => "{{0}: (1, {})}",
        "buffer_donor" => "{ (0, {}) }",
        "parameter_replication"
        | "allow_spmd_sharding_propagation_to_parameters"
        | "allow_spmd_sharding_propagation_to_output" => "{true,false}",
        _ => "{devices=[2,1]<=[2]}, {replicated}",
    }
}

impl Parser<'_> {
    /// Reports an annotation whose value XLA's parser rejects. `shape` is the shape of the instruction.
    pub(super) fn check_annotation(&mut self, name: &str, value: Span, shape: Option<&Shape>) {
        let mut reader = AnnotationReader::new(self.lexer.source, value);
        let parsed = match name {
            "metadata" => reader.metadata(),
            "frontend_attributes" => reader.frontend_attributes(),
            "backend_config" => reader.string_or_dictionary(),
            "statistics" => reader.statistics(),
            "parameter_replication" => {
                let leaves = shape.map(Shape::leaves);
                reader.bools().filter(|count| leaves.is_none_or(|leaves| leaves == *count)).map(|_| ())
            }
            "origin" => reader.origin(),
            "result_accuracy" => reader.accuracy(),
            "control-predecessors" => reader.name_list(),
            "sharding" => reader.sharding(),
            "domain" => reader.domain(),
            "input_output_alias" => reader.aliases(true),
            "output_to_operand_aliasing" => reader.aliases(false),
            "buffer_donor" => reader.donors(),
            "allow_spmd_sharding_propagation_to_parameters" | "allow_spmd_sharding_propagation_to_output" => {
                reader.bool_or_bools()
            }
            _ => return,
        };
        if parsed.and_then(|()| reader.expect_end()).is_none() {
            let message = self.expected_message(example(name), value);
            let error = Diagnostic::error(value, "hlo-attribute-value", message);
            self.report(self.with_straight_quotes(error, value));
        }
    }
}
