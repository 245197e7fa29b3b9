//! `StableHLO` text, as `jax.jit(f).lower(*args).as_text()` prints it, read as an HLO module.
//!
//! - `lexer`, `ast`, `parser`: MLIR text, in custom and generic form, → syntax tree; never fails.
//! - `translate`: syntax tree → HLO text, with the span of the op that each line comes from.
//! - [`print()`]: HLO module → `StableHLO` text in generic form.
//! - [`parse`]: the HLO text is parsed by [`xla_hlo`], whose diagnostics and spans are put back to the source.
//!
//! Source: the `StableHLO` specification and the assembly formats of its ops.

#![allow(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "a line of HLO is assembled of short texts; writing into one text would hide its form"
)]

mod ast;
mod lexer;
mod parser;
mod print;
mod translate;
mod translation;

pub use print::print;
pub use translation::Translation;
use xla_array::Edition;
use xla_hlo::Parsed;
use xla_hlo::module::InstructionSpans;
use xla_hlo::parser::MAX_TEXT_BYTES;
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;

/// The languages in which a program is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// HLO text, as XLA prints it.
    Hlo,
    /// `StableHLO` in MLIR text.
    StableHlo,
}

/// The dialect of the text, by its first words that are no comment. Other dialects of MLIR count as `StableHLO`, whose parser names
/// them.
///
/// ```
/// use xla_stablehlo::{Dialect, dialect};
///
/// assert_eq!(dialect("module @jit_f { }"), Dialect::StableHlo);
/// assert_eq!(dialect("%0 = stablehlo.add %a, %b : tensor<f32>"), Dialect::StableHlo);
/// assert_eq!(dialect("HloModule m ENTRY e { x = f32[] parameter(0) }"), Dialect::Hlo);
/// ```
pub fn dialect(text: &str) -> Dialect {
    use lexer::Kind::{Hash, Punct, String, Symbol, Value, Word};
    let mut lexer = lexer::Lexer::new(text, 0);
    let first = lexer.bump();
    let second = lexer.peek();
    // An op with its dialect, not a name of HLO, which is followed by a shape or a computation.
    let is_op = |lexer: &lexer::Lexer<'_>, token: lexer::Token| match token.kind {
        String | Word => lexer.text(token.span).contains('.'),
        _ => false,
    };
    let is_stable = match (first.kind, lexer.text(first.span)) {
        (Word, "module") => {
            matches!(second.kind, Symbol | Punct('{')) || lexer.text(second.span) == "attributes"
        }
        (Word, word) if word.starts_with("func.") || word == "builtin.module" => true,
        (Word, _) if is_op(&lexer, first) => {
            second.kind == Symbol || matches!(lexer.text(second.span), "public" | "private" | "attributes")
        }
        (String, _) => is_op(&lexer, first),
        (Hash, _) => second.kind == Punct('='),
        (Value, _) => {
            if lexer.bump().kind == Punct(':') {
                lexer.bump();
                lexer.bump();
            }
            let op = lexer.bump();
            // `%x = f32[2] …` is HLO.
            is_op(&lexer, op) && lexer.peek().kind != Punct('[')
        }
        _ => false,
    };
    if is_stable { Dialect::StableHlo } else { Dialect::Hlo }
}

/// Translates `StableHLO` text to HLO text.
///
/// ```
/// let text = "func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
///   %0 = stablehlo.negate %arg0 : tensor<2xf32>
///   return %0 : tensor<2xf32>
/// }";
/// let translation = xla_stablehlo::translate(text);
/// assert!(translation.diagnostics.is_empty());
/// assert!(translation.hlo.contains("f32[2]{0} negate(arg0)"), "{}", translation.hlo);
/// ```
pub fn translate(source: &str) -> Translation {
    if source.len() > MAX_TEXT_BYTES {
        let message = Message::ops("text-too-long").with("bytes", source.len()).with("limit", MAX_TEXT_BYTES);
        let error = Diagnostic::error(Span::new(0, source.len()), "hlo-too-long", message);
        return Translation { diagnostics: vec![error], ..Translation::default() };
    }
    let (module, errors) = parser::parse(source);
    if !errors.is_empty() {
        return Translation { diagnostics: errors, ..Translation::default() };
    }
    translate::module(&module, source)
}

/// Parses `StableHLO` text in an edition: XLA 2017 has none.
pub fn parse_edition(source: &str, edition: Edition) -> Parsed {
    if edition == Edition::Current {
        return parse(source);
    }
    let first = lexer::Lexer::new(source, 0).bump().span;
    let mut error = Diagnostic::error(first, "stablehlo-edition", Message::stablehlo("stablehlo-edition"));
    error.hints.push(Hint::advice(Message::stablehlo("stablehlo-hint-edition")));
    Parsed { diagnostics: vec![error], ..Parsed::default() }
}

/// Parses `StableHLO` text: the module it translates to, with the spans of the `StableHLO` text.
///
/// Errors of the rules of ops are reported at the op of the `StableHLO` text.
pub fn parse(source: &str) -> Parsed {
    let translation = translate(source);
    if !translation.diagnostics.is_empty() {
        return Parsed { diagnostics: translation.diagnostics, ..Parsed::default() };
    }
    let mut parsed = xla_hlo::parse(&translation.hlo);
    for diagnostic in &mut parsed.diagnostics {
        diagnostic.span = translation.origin(diagnostic.span.start);
        for hint in &mut diagnostic.hints {
            *hint = Hint::advice(hint.message.clone());
        }
    }
    parsed.diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    for computation in &mut parsed.module.computations {
        computation.span = translation.origin(computation.span.start);
        for instruction in &mut computation.instructions {
            let at = translation.origin(instruction.spans.whole.start);
            let operands = vec![at; instruction.spans.operands.len()];
            let attrs = instruction.spans.attrs.iter().map(|(name, _)| (*name, at)).collect();
            instruction.spans =
                InstructionSpans { whole: at, name: at, shape: at, opcode: at, operands, attrs };
        }
    }
    parsed
}
