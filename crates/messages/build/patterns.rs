//! Fluent's messages as compiled patterns. Syntax that the program does not support is an error of the build.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey};
use fluent_syntax::{parser, unicode};

use super::compiled::{ARGUMENT, DEFAULT, END, NAME_END, SELECT, VARIANT};

/// The messages of one catalogue in one language, by key.
pub type CompiledMessages = BTreeMap<String, CompiledMessage>;

/// One compiled message.
#[derive(Default)]
pub struct CompiledMessage {
    /// Text with marks, in the format of `compiled.rs`.
    pub pattern: String,
    /// The names of the arguments it uses.
    pub arguments: BTreeSet<String>,
}

/// Compiles a catalogue. Fails with the key of the first message that cannot be parsed, or has unsupported syntax.
pub fn compile(source: &str) -> Result<CompiledMessages, String> {
    let resource = parser::parse(source).map_err(|(_, errors)| format!("{errors:?}"))?;
    let mut messages = CompiledMessages::new();
    for entry in resource.body {
        let message = match entry {
            Entry::Message(message) => message,
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => continue,
            Entry::Term(term) => return Err(format!("-{}: terms are not supported", term.id.name)),
            Entry::Junk { content } => return Err(format!("not a message: {content}")),
        };
        let key = message.id.name;
        let value = message.value.filter(|_| message.attributes.is_empty());
        let value = value.ok_or_else(|| format!("{key}: a message has a value and no attributes"))?;
        let mut message = CompiledMessage::default();
        message.add_pattern(&value).map_err(|error| format!("{key}: {error}"))?;
        if messages.insert(key.to_owned(), message).is_some() {
            return Err(format!("duplicate key {key}"));
        }
    }
    Ok(messages)
}

impl CompiledMessage {
    fn add_pattern(&mut self, pattern: &Pattern<&str>) -> Result<(), String> {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => self.add_text(value)?,
                PatternElement::Placeable { expression } => self.add_expression(expression)?,
            }
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str) -> Result<(), String> {
        if text.chars().any(|c| c.is_control() && c != '\n') {
            return Err(format!("control character in {text:?}"));
        }
        self.pattern.push_str(text);
        Ok(())
    }

    fn add_name(&mut self, mark: char, name: &str) {
        self.pattern.push(mark);
        self.pattern.push_str(name);
        self.pattern.push(NAME_END);
    }

    fn add_expression(&mut self, expression: &Expression<&str>) -> Result<(), String> {
        match expression {
            Expression::Inline(InlineExpression::VariableReference { id }) => {
                self.add_name(ARGUMENT, id.name);
                self.arguments.insert(id.name.to_owned());
                Ok(())
            }
            Expression::Inline(InlineExpression::StringLiteral { value }) => {
                self.add_text(&unicode::unescape_unicode_to_string(value))
            }
            Expression::Inline(InlineExpression::Placeable { expression }) => self.add_expression(expression),
            Expression::Select { selector: InlineExpression::VariableReference { id }, variants } => {
                self.add_name(SELECT, id.name);
                self.arguments.insert(id.name.to_owned());
                self.add_variants(variants)
            }
            _ => {
                Err("only arguments, texts in quotes and selections by an argument are supported".to_owned())
            }
        }
    }

    /// Adds the variants of a selection. The default must come last, so that the first matching variant is the one that Fluent
    /// selects.
    fn add_variants(&mut self, variants: &[Variant<&str>]) -> Result<(), String> {
        let Some((default, others)) = variants.split_last().filter(|(last, _)| last.default) else {
            return Err("the default variant must come last".to_owned());
        };
        for variant in others {
            let key = match &variant.key {
                VariantKey::Identifier { name } => name,
                VariantKey::NumberLiteral { value } => {
                    value.parse::<i64>().map_err(|_| format!("[{value}] is not an integer"))?;
                    value
                }
            };
            self.add_name(VARIANT, key);
            self.add_pattern(&variant.value)?;
        }
        self.pattern.push(DEFAULT);
        self.add_pattern(&default.value)?;
        self.pattern.push(END);
        Ok(())
    }
}
