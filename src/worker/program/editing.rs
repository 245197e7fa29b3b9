//! Answers the requests of the text editor from the text and its module. Independent of workers.
//!
//! The page numbers its requests, because a reply applies to one position and may arrive after the text has
//! changed. Everything here is for HLO
//! text; `StableHLO` is highlighted and diagnosed, but not explained.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Edit;
use crate::hlo::Module;
use crate::i18n::{Language, Message};
use crate::inspect::text::{
    self, CandidateKind, FoldKind, HoverLink, Lines, TextPosition, complete, definition, folds, format, hover,
};
use crate::stablehlo::{Dialect, dialect};
use crate::state::document::Document;
use crate::state::permalink;
use crate::state::program::references::InstructionKey;

/// A position: line and UTF-16 column, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// UTF-16 code units before it in its line.
    pub column: usize,
}

/// A request of the text editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The id of the request.
    pub id: u32,
    /// The tag of the language of the answer.
    pub language: String,
    /// The question.
    pub question: Question,
}

/// A question of the text editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// The meaning of a token.
    Hover(Position),
    /// The candidates for completion.
    Completion(Position),
    /// The definition of a name.
    Definition(Position),
    /// The edits that rename the entity at a position.
    Rename(Position, String),
    /// The edits that format the text.
    Formatting,
    /// The regions that can be folded.
    FoldingRanges,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// Nothing is known.
    Nothing,
    /// To [`Question::Hover`].
    Hover(Hover),
    /// To [`Question::Completion`].
    Completion {
        /// The start of the word that a candidate replaces.
        from: Position,
        /// Its end.
        to: Position,
        /// The candidates, best first.
        candidates: Vec<Candidate>,
    },
    /// To [`Question::Definition`].
    Definition(Position),
    /// To [`Question::Rename`] and [`Question::Formatting`].
    Edits(Vec<TextEdit>),
    /// The question cannot be answered, for this reason.
    Rejected(String),
    /// To [`Question::FoldingRanges`]: start, end, and whether it is initially folded.
    FoldingRanges(Vec<(Position, Position, bool)>),
}

/// A replacement of the text between two positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// Its start.
    pub from: Position,
    /// Its end.
    pub to: Position,
    /// The replacement.
    pub text: String,
}

/// An explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hover {
    /// The start of the explained text.
    pub from: Position,
    /// Its end.
    pub to: Position,
    /// What it is.
    pub title: String,
    /// What it means.
    pub sentences: Vec<String>,
    /// Links to related information.
    pub links: Vec<WireHoverLink>,
}

/// A link to information that is related to a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WireHoverLink {
    /// The fragment of a link to the Layout screen.
    Layout(String),
    /// An instruction, which the Structure pane shows with its op.
    Instruction(InstructionKey),
    /// A definition.
    Definition(Position),
}

/// A completion candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The text that is shown.
    pub text: String,
    /// What replaces the word: the text, without a bracket or sign that follows already.
    pub replacement: String,
    /// The name of its kind.
    pub kind: String,
    /// Its shape or title.
    pub detail: String,
    /// What it means; may be empty.
    pub description: String,
}

fn to_wire_position(position: TextPosition) -> Position {
    Position { line: position.line, column: position.column }
}

fn offset(lines: &Lines, position: Position) -> usize {
    lines.offset(TextPosition { line: position.line, column: position.column })
}

fn to_wire_hover(found: text::Hover, lines: &Lines, language: Language) -> Hover {
    let range = lines.range(found.span);
    let link = |link: HoverLink| match link {
        HoverLink::Layout(shape) => {
            Some(WireHoverLink::Layout(permalink::write(&Document::with_shape(shape.parse().ok()?))))
        }
        HoverLink::Instruction(at) => Some(WireHoverLink::Instruction(InstructionKey {
            computation: at.computation.0,
            instruction: at.instruction.0,
        })),
        HoverLink::Definition(span) => {
            Some(WireHoverLink::Definition(to_wire_position(lines.position(span.start))))
        }
    };
    Hover {
        from: to_wire_position(range.start),
        to: to_wire_position(range.end),
        title: found.title.localize(language),
        sentences: found.sentences.iter().map(|sentence| sentence.localize(language)).collect(),
        links: found.links.into_iter().filter_map(link).collect(),
    }
}

fn to_text_edits(edits: Vec<Edit>, lines: &Lines) -> Reply {
    let edits = edits.into_iter().map(|edit| {
        let range = lines.range(edit.span);
        TextEdit { from: to_wire_position(range.start), to: to_wire_position(range.end), text: edit.text }
    });
    Reply::Edits(edits.collect())
}

const fn kind_name(kind: CandidateKind) -> &'static str {
    match kind {
        CandidateKind::Opcode => "function",
        CandidateKind::Required | CandidateKind::Attribute => "property",
        CandidateKind::Instruction => "variable",
        CandidateKind::Computation => "method",
        CandidateKind::Word => "keyword",
        CandidateKind::Type => "type",
    }
}

/// Answers a request about `source`, which was parsed as `module`.
pub fn answer(source: &str, module: &Module, request: Request) -> Reply {
    let language = Language::for_tag(&request.language).unwrap_or(Language::ENGLISH);
    let lines = Lines::new(source);
    if dialect(source) != Dialect::Hlo {
        return Reply::Nothing;
    }
    let known = match request.question {
        Question::Hover(at) => hover(source, module, offset(&lines, at))
            .map(|found| Reply::Hover(to_wire_hover(found, &lines, language))),
        Question::Completion(at) => complete(source, module, offset(&lines, at)).map(|found| {
            let candidates = found.candidates.iter().map(|candidate| Candidate {
                text: candidate.text.clone(),
                replacement: found.replacement(source, candidate).to_owned(),
                kind: kind_name(candidate.kind).to_owned(),
                detail: candidate.detail.clone(),
                description: candidate
                    .description
                    .as_ref()
                    .map(|description| description.localize(language))
                    .unwrap_or_default(),
            });
            Reply::Completion {
                from: to_wire_position(lines.position(found.span.start)),
                to: to_wire_position(lines.position(found.span.end)),
                candidates: candidates.collect(),
            }
        }),
        Question::Definition(at) => definition(source, module, offset(&lines, at))
            .map(|span| Reply::Definition(to_wire_position(lines.position(span.start)))),
        Question::Rename(at, new) => Some(match text::rename(source, module, offset(&lines, at), &new) {
            Ok(edits) => to_text_edits(edits, &lines),
            Err(reason) => Reply::Rejected(reason.localize(language)),
        }),
        Question::Formatting => Some(match format(source) {
            Ok(formatted) => {
                let span = crate::diagnostic::Span::new(0, source.len());
                to_text_edits(vec![Edit { span, text: formatted.text }], &lines)
            }
            Err(error) => Reply::Rejected(
                Message::inspect("inspect-format-errors").with("error", error.message).localize(language),
            ),
        }),
        Question::FoldingRanges => {
            let multiline = folds(source).into_iter().filter_map(|fold| {
                let range = lines.range(fold.span);
                // Annotations within a line are collapsed by the editor itself.
                (range.start.line < range.end.line).then(|| {
                    (
                        to_wire_position(range.start),
                        to_wire_position(range.end),
                        fold.kind == FoldKind::Tables,
                    )
                })
            });
            Some(Reply::FoldingRanges(multiline.collect()))
        }
    };
    known.unwrap_or(Reply::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "HloModule m // é\n\nENTRY e {\n  x = f32[2,3]{0,1} parameter(0)\n  ROOT y = f32[2,3]{0,1} negate(x)\n}\n";

    fn ask(question: Question) -> Reply {
        let module = crate::hlo::parse(TEXT).module;
        answer(TEXT, &module, Request { id: 1, language: "en".to_owned(), question })
    }

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn questions_are_answered_by_line_and_column() {
        let Reply::Hover(found) = ask(Question::Hover(at(3, 6))) else { panic!("no explanation") };
        assert_eq!((found.from, found.to), (at(3, 6), at(3, 9)));
        assert!(
            matches!(&found.links[..], [WireHoverLink::Layout(fragment)] if fragment.contains("f32")),
            "{found:?}"
        );
        assert_eq!(ask(Question::Definition(at(4, 32))), Reply::Definition(at(3, 2)));
        let Reply::Completion { from, to, candidates } = ask(Question::Completion(at(4, 33))) else {
            panic!("no candidates")
        };
        assert_eq!((from, to, candidates[0].text.as_str()), (at(4, 32), at(4, 33), "x"));
        let Reply::Edits(edits) = ask(Question::Rename(at(3, 2), "in".to_owned())) else {
            panic!("no edits")
        };
        assert_eq!(edits.iter().map(|edit| edit.from).collect::<Vec<_>>(), [at(3, 2), at(4, 32)]);
        assert!(matches!(ask(Question::Rename(at(3, 2), "y".to_owned())), Reply::Rejected(_)));
        assert_eq!(ask(Question::FoldingRanges), Reply::FoldingRanges(vec![(at(2, 9), at(5, 0), false)]));
        assert!(matches!(ask(Question::Formatting), Reply::Edits(edits) if edits.len() == 1));
        assert_eq!(ask(Question::Hover(at(1, 0))), Reply::Nothing);
    }

    #[test]
    fn stablehlo_is_not_explained() {
        let text = "module @m {\n}\n";
        let request =
            Request { id: 1, language: "en".to_owned(), question: Question::Hover(Position::default()) };
        assert_eq!(answer(text, &Module::default(), request), Reply::Nothing);
    }
}
