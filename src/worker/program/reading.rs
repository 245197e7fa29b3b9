//! A text and its module, as answers to queries. Independent of workers.

use super::details::{self, details, row};
use super::wire::{
    Answer, At, ComputationRow, FoundRow, Opened, Parameter, Problem, Query, Row, WireHint,
};
use crate::array::Shape;
use crate::diagnostic::{Diagnostic, LineIndex, Severity, Span};
use crate::hlo::{InstructionId, Module, Parsed};
use crate::i18n::Language;
use crate::ops::{AttrValue, ComputationId};
use crate::stablehlo::{self, Dialect, dialect};

/// Maximum diagnostics that are sent.
const MAX_PROBLEMS: usize = 50;

/// Maximum computations that are listed.
const MAX_COMPUTATIONS: usize = 1 << 16;

/// Maximum rows of one answer.
const MAX_ROWS: usize = 2_000;

/// A program: its text, and the module as far as the text could be read.
#[derive(Default)]
pub struct Program {
    text: String,
    module: Module,
}

/// Parses a text, in whichever dialect it is written.
pub fn parse(text: &str) -> (Dialect, Parsed) {
    match dialect(text) {
        Dialect::Hlo => (Dialect::Hlo, crate::hlo::parse(text)),
        Dialect::StableHlo => (Dialect::StableHlo, stablehlo::parse(text)),
    }
}

/// The number of elements of a shape, with those of all elements of a tuple.
fn elements(shape: &Shape) -> i64 {
    match shape {
        Shape::Array(array) => array.elements().unwrap_or(i64::MAX),
        Shape::Buffer(array) => array.elements().unwrap_or(i64::MAX),
        Shape::Tuple(parts) => parts.iter().map(elements).fold(0, i64::saturating_add),
        Shape::Token | Shape::Opaque => 0,
    }
}

/// A diagnostic in a language.
fn problem(diagnostic: &Diagnostic, lines: &LineIndex, language: Language) -> Problem {
    let bytes = |span: Span| (span.start, span.end);
    let hints = diagnostic.hints.iter().map(|hint| WireHint {
        message: hint.message.localize(language),
        edits: hint.edits.iter().map(|edit| (bytes(edit.span), edit.text.clone())).collect(),
    });
    Problem {
        is_error: diagnostic.severity == Severity::Error,
        span: bytes(diagnostic.span),
        line: lines.position(diagnostic.span.start).0,
        message: diagnostic.message.localize(language),
        rule: diagnostic.rule.to_owned(),
        hints: hints.collect(),
    }
}

/// The computations of a module, each with its first caller.
fn computations(module: &Module) -> Vec<ComputationRow> {
    let count = module.computations.len().min(MAX_COMPUTATIONS);
    let mut rows: Vec<ComputationRow> = module.computations[..count]
        .iter()
        .map(|computation| ComputationRow {
            name: computation.name.clone(),
            size: computation.instructions.len(),
            root: computation.root.map(|root| root.0),
            caller: None,
        })
        .collect();
    for (id, computation) in (0_u32..).zip(&module.computations) {
        for (instruction, called) in computation.iter() {
            for (_, value) in called.attrs.iter() {
                let ids: &[ComputationId] = match value {
                    AttrValue::Computation(id) => std::slice::from_ref(id),
                    AttrValue::Computations(ids) => ids,
                    _ => continue,
                };
                for body in ids {
                    if let Some(row) = rows.get_mut(body.0 as usize)
                        && row.caller.is_none()
                    {
                        row.caller = Some(At { computation: id, instruction: instruction.0 });
                    }
                }
            }
        }
    }
    rows
}

impl Program {
    /// Reads a text and describes it, with diagnostics in a language.
    pub fn open(text: String, language: Language) -> (Self, Opened) {
        let (dialect, Parsed { module, diagnostics }) = parse(&text);
        let lines = LineIndex::new(&text);
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        // Errors first: warnings must not hide them.
        let by_severity = |is_error: bool| {
            diagnostics.iter().filter(move |d| (d.severity == Severity::Error) == is_error)
        };
        let shown = by_severity(true).chain(by_severity(false)).take(MAX_PROBLEMS);
        let entry = module.entry_computation();
        let parameters = entry.into_iter().flat_map(|entry| {
            entry.parameters.iter().filter_map(|id| {
                let instruction = entry.get(*id)?;
                Some(Parameter {
                    name: details::name(*id, instruction),
                    shape: instruction.shape.to_string(),
                    elements: elements(&instruction.shape),
                })
            })
        });
        let opened = Opened {
            is_stablehlo: dialect == Dialect::StableHlo,
            name: module.name.clone(),
            instruction_count: module.computations.iter().map(|c| c.instructions.len()).sum(),
            computations: computations(&module),
            entry: module.entry.map(|entry| entry.0),
            parameters: parameters.collect(),
            problems: shown.map(|d| problem(d, &lines, language)).collect(),
            error_count: errors,
            problem_count: diagnostics.len(),
        };
        (Self { text, module }, opened)
    }

    /// Answers a query. [`Query::Open`] replaces this program.
    pub fn answer(&mut self, query: Query) -> Answer {
        match query {
            Query::Open { text, language } => {
                let language = Language::for_tag(&language).unwrap_or(Language::ENGLISH);
                let (program, opened) = Self::open(text, language);
                *self = program;
                Answer::Opened(Box::new(opened))
            }
            Query::Outline { computation, start, count } => {
                Answer::Outline { computation, start, rows: self.outline(computation, start, count) }
            }
            Query::Details(at) => Answer::Details(details(&self.module, &self.text, at).map(Box::new)),
            Query::Locate(offset) => Answer::Located(self.locate(offset)),
            Query::Find { needle, limit } => self.find(&needle, limit),
        }
    }

    fn outline(&self, computation: u32, start: usize, count: usize) -> Vec<Row> {
        let Some(computation) = self.module.get(ComputationId(computation)) else { return Vec::new() };
        computation
            .iter()
            .skip(start)
            .take(count.min(MAX_ROWS))
            .map(|(id, instruction)| row(&self.module, computation, id, instruction))
            .collect()
    }

    /// The innermost instruction that is written at a byte of the text.
    fn locate(&self, offset: usize) -> Option<At> {
        let mut best: Option<(usize, At)> = None;
        for (id, computation) in (0_u32..).zip(&self.module.computations) {
            for (instruction, candidate) in computation.iter() {
                let Span { start, end } = candidate.spans.whole;
                let length = end - start;
                if (start..end).contains(&offset) && best.is_none_or(|(shortest, _)| length < shortest) {
                    best = Some((length, At { computation: id, instruction: instruction.0 }));
                }
            }
        }
        best.map(|(_, at)| at)
    }

    fn find(&self, needle: &str, limit: usize) -> Answer {
        let needle = needle.trim().trim_start_matches('%').to_lowercase();
        let mut rows = Vec::new();
        let mut total = 0;
        if needle.is_empty() {
            return Answer::Found { rows, total };
        }
        let contains = |text: &str| text.to_lowercase().contains(&needle);
        // The entry comes last in the text, but first for the reader.
        let entry = self.module.entry.map(|entry| entry.0);
        let ids = (0_u32..).zip(&self.module.computations);
        let (own, others): (Vec<_>, Vec<_>) = ids.partition(|(id, _)| Some(*id) == entry);
        for (id, computation) in own.into_iter().chain(others) {
            for (instruction, candidate) in computation.iter() {
                let is_found = contains(&candidate.name)
                    || contains(&candidate.opcode)
                    || candidate.annotation("metadata").is_some_and(contains);
                if !is_found {
                    continue;
                }
                total += 1;
                if rows.len() < limit.min(MAX_ROWS) {
                    let row = row(&self.module, computation, instruction, candidate);
                    rows.push(FoundRow { computation: id, parent: computation.name.clone(), row });
                }
            }
        }
        Answer::Found { rows, total }
    }

    /// The instruction with these ids.
    pub fn has(&self, at: At) -> bool {
        let computation = self.module.get(ComputationId(at.computation));
        computation.is_some_and(|c| c.get(InstructionId(at.instruction)).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCAN: &str = include_str!("../../../static/programs/scan.hlo");

    fn opened(text: &str) -> (Program, Opened) {
        Program::open(text.to_owned(), Language::ENGLISH)
    }

    #[test]
    fn every_sample_of_the_site_is_read_without_errors() {
        for text in [
            SCAN,
            include_str!("../../../static/programs/softmax.hlo"),
            include_str!("../../../static/programs/attention.hlo"),
            include_str!("../../../static/programs/convnet-gradient.hlo"),
            include_str!("../../../static/programs/tpu.hlo"),
        ] {
            let (_, opened) = opened(text);
            assert_eq!(opened.error_count, 0, "{:?}", opened.problems);
            assert!(opened.entry.is_some() && opened.instruction_count > 10);
        }
    }

    #[test]
    fn an_error_has_its_line_and_a_fix_that_repairs_the_text() {
        let text = "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\n";
        let (_, opened) = opened(text);
        assert_eq!((opened.error_count, opened.problems[0].line), (1, 5));
        let hint = opened.problems[0].hints.iter().find(|hint| !hint.edits.is_empty()).unwrap();
        let mut repaired = text.to_owned();
        for ((start, end), replacement) in hint.edits.iter().rev() {
            repaired.replace_range(*start..*end, replacement);
        }
        assert_eq!(self::opened(&repaired).1.error_count, 0, "{repaired}");
    }

    #[test]
    fn the_text_is_found_by_its_content() {
        let stable = "func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %arg0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}";
        let (mut program, opened) = opened(stable);
        assert!(opened.is_stablehlo && opened.error_count == 0);
        let offset = stable.find("stablehlo").unwrap();
        let Answer::Located(Some(at)) = program.answer(Query::Locate(offset)) else {
            panic!("the op is an instruction");
        };
        let Answer::Details(Some(details)) = program.answer(Query::Details(at)) else { panic!("no details") };
        assert_eq!(details.row.opcode, "negate");
        assert_eq!(&stable[details.span.0..details.span.1].trim()[..2], "%0");
    }

    #[test]
    fn an_instruction_names_operands_users_bodies_and_source() {
        let (mut program, opened) = opened(SCAN);
        let entry = opened.entry.unwrap();
        let Answer::Found { rows, total } =
            program.answer(Query::Find { needle: "while".to_owned(), limit: 5 })
        else {
            panic!("an answer of another kind")
        };
        assert!(total >= 1);
        let found = rows.iter().find(|found| found.row.opcode == "while").unwrap();
        assert_eq!(found.computation, entry);
        let names: Vec<&str> = found.row.called.iter().map(|called| called.attribute.as_str()).collect();
        assert_eq!(names, ["condition", "body"]);
        let body = found.row.called[1].computation;
        let caller = opened.computations[body as usize].caller;
        assert_eq!(caller, Some(At { computation: entry, instruction: found.row.instruction }));
        let at = At { computation: entry, instruction: found.row.instruction };
        let Answer::Details(Some(details)) = program.answer(Query::Details(at)) else { panic!("no details") };
        assert!(!details.operands.is_empty() && details.user_count > 0);
        assert!(details.source.iter().any(|line| line.file.ends_with(".py") && line.line > 0));
        assert!(SCAN[details.span.0..details.span.1].contains("while("));
        assert!(program.has(at) && !program.has(At { computation: u32::MAX, instruction: 0 }));
    }

    #[test]
    fn queries_about_what_does_not_exist_have_empty_answers() {
        let (mut program, _) = opened("");
        let nowhere = At { computation: 9, instruction: 9 };
        assert_eq!(program.answer(Query::Details(nowhere)), Answer::Details(None));
        assert_eq!(program.answer(Query::Locate(usize::MAX)), Answer::Located(None));
        let outline = Query::Outline { computation: 9, start: usize::MAX, count: usize::MAX };
        assert!(matches!(program.answer(outline), Answer::Outline { rows, .. } if rows.is_empty()));
        let find = Query::Find { needle: " % ".to_owned(), limit: usize::MAX };
        assert_eq!(program.answer(find), Answer::Found { rows: vec![], total: 0 });
    }
}
