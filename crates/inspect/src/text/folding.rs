//! The foldable ranges of the text. They are found by brackets alone, so that text with errors can be folded.

use xla_hlo::lexer::{Lexer, Token, TokenKind};
use xla_messages::diagnostic::{Span, sort_by_span};

/// The kind of a foldable range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoldKind {
    /// The body of a computation.
    Computation,
    /// The tables of source locations.
    Tables,
    /// `metadata={…}`.
    Metadata,
    /// `backend_config=…` in braces.
    BackendConfig,
    /// `frontend_attributes={…}`.
    FrontendAttributes,
    /// The literal of a constant.
    Constant,
    /// Any other long value of an attribute, such as `entry_computation_layout`.
    Value,
}

impl FoldKind {
    /// Whether an editor folds it when the text is opened.
    pub fn is_initially_folded(self) -> bool {
        matches!(self, Self::Tables | Self::Metadata | Self::BackendConfig | Self::FrontendAttributes)
    }
}

/// A foldable range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Its kind.
    pub kind: FoldKind,
    /// The content between its brackets; of the tables, from the end of their first line to their end.
    pub span: Span,
}

/// Minimum length of a value or literal that can be folded.
const MIN_VALUE_BYTES: usize = 120;
/// The keyword that begins the tables, and the one that begins the last.
const TABLES: [&str; 4] = ["FileNames", "FunctionNames", "FileLocations", "StackFrames"];

/// The foldable ranges of the text, sorted by position.
///
/// ```
/// use xla_inspect::text::{FoldKind, folds};
///
/// let text = "HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0), metadata={op_name=\"x\"}\n}";
/// assert_eq!(folds(text).iter().map(|fold| fold.kind).collect::<Vec<_>>(), [FoldKind::Computation, FoldKind::Metadata]);
/// ```
pub fn folds(text: &str) -> Vec<Fold> {
    let mut lexer = Lexer::new(text);
    let mut folds = Vec::new();
    // The kind and the content's start of every open bracket.
    let mut open: Vec<(Option<FoldKind>, usize)> = Vec::new();
    let mut tables: Option<Span> = None;
    let mut before: [Option<Token>; 2] = [None; 2];
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::End => break,
            TokenKind::Punct('{' | '(' | '[') => {
                let kind = fold_kind(&lexer, before, token, open.len());
                open.push((kind, token.span.end));
            }
            TokenKind::Punct('}' | ')' | ']') => {
                if let Some((Some(kind), start)) = open.pop() {
                    let span = Span::new(start, token.span.start);
                    let is_short = span.end - span.start < MIN_VALUE_BYTES;
                    let is_value = matches!(kind, FoldKind::Constant | FoldKind::Value);
                    if span.start < span.end && !(is_value && is_short) {
                        folds.push(Fold { kind, span });
                    }
                }
            }
            _ => {}
        }
        if open.is_empty() {
            tables = match (tables, token.kind) {
                (None, TokenKind::Name) if lexer.text(token.span) == TABLES[0] => Some(token.span),
                (Some(span), TokenKind::Name) if TABLES.contains(&lexer.text(token.span)) => {
                    Some(span.join(token.span))
                }
                (Some(span), TokenKind::Int | TokenKind::String | TokenKind::Punct('}')) => {
                    Some(span.join(token.span))
                }
                (Some(span), _) => {
                    push_tables(&mut folds, text, span);
                    None
                }
                (None, _) => None,
            };
        }
        before = [before[1], Some(token)];
    }
    if let Some(span) = tables {
        push_tables(&mut folds, text, span);
    }
    sort_by_span(&mut folds, |fold| fold.span);
    folds
}

/// Tables fold from the end of their first line, so that it stays visible.
fn push_tables(folds: &mut Vec<Fold>, text: &str, span: Span) {
    let start = span.start + TABLES[0].len();
    if text.get(start..span.end).is_some_and(|rest| !rest.is_empty()) {
        folds.push(Fold { kind: FoldKind::Tables, span: Span::new(start, span.end) });
    }
}

/// The kind of the range that an opening bracket begins. `depth` is the number of brackets that are open.
fn fold_kind(lexer: &Lexer, before: [Option<Token>; 2], bracket: Token, depth: usize) -> Option<FoldKind> {
    let previous = before[1]?;
    let word = lexer.text(previous.span);
    match (previous.kind, bracket.kind) {
        (TokenKind::AttrName, TokenKind::Punct('{')) => Some(match word {
            "metadata" => FoldKind::Metadata,
            "backend_config" => FoldKind::BackendConfig,
            "frontend_attributes" => FoldKind::FrontendAttributes,
            _ => FoldKind::Value,
        }),
        (TokenKind::Name, TokenKind::Punct('(')) if word == "constant" => Some(FoldKind::Constant),
        (_, TokenKind::Punct('{')) if depth == 0 => {
            // After a size, a number or a colon in the brace makes it a layout.
            let mut ahead = Lexer::starting_at(lexer.source, bracket.span.end);
            let is_layout = previous.kind == TokenKind::Punct(']')
                && matches!(ahead.next().kind, TokenKind::Int | TokenKind::Punct(':' | '}'));
            (!is_layout && previous.kind != TokenKind::Int).then_some(FoldKind::Computation)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(FoldKind, &str)> {
        folds(text).into_iter().map(|fold| (fold.kind, &text[fold.span.range()])).collect()
    }

    #[test]
    fn parts_are_found_by_their_brackets() {
        let values = "1, ".repeat(60);
        let text = format!(
            "HloModule m, is_scheduled=true\n\nFileNames\n1 \"a.py\"\n\nFileLocations\n1 {{line=1}}\n\n\
             %f (p: f32[2]) -> f32[2]{{0}} {{\n x = f32[2]{{0:T(128)}} parameter(0)\n}}\n\n\
             ENTRY e {{\n c = s32[60] constant({{{values}}}), metadata={{op_name=\"}}\"}}, backend_config={{\"a\":{{}}}}\n}}"
        );
        let kinds: Vec<FoldKind> = found(&text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(
            kinds,
            [
                FoldKind::Tables,
                FoldKind::Computation,
                FoldKind::Computation,
                FoldKind::Constant,
                FoldKind::Metadata,
                FoldKind::BackendConfig,
            ]
        );
        let tables = found(&text)[0].1;
        assert!(tables.starts_with("\n1 ") && tables.ends_with('}'), "{tables:?}");
        assert_eq!(found(&text)[4].1, "op_name=\"}\"");
        assert!(found(&text)[2].1.starts_with("\n c = "));
        assert!(FoldKind::Metadata.is_initially_folded() && !FoldKind::Computation.is_initially_folded());
    }

    #[test]
    fn unbalanced_brackets_are_harmless() {
        assert_eq!(found("}}}"), []);
        assert_eq!(found("e { x = f32[] parameter(0"), []);
        assert_eq!(found(&"{".repeat(100_000)), []);
        let nested = format!("a=b={}{}", "{".repeat(200_000), "}".repeat(200_000));
        assert_eq!(folds(&nested).len(), 1);
    }
}
