//! Compares the structure of two texts, and answers queries about the result. Independent of workers.

use super::ids::{at, root};
use super::parsing::parse;
use super::wire::{
    CompareAnswer, CompareQuery, CompareRow, CompareSide, CompareSummary, Counts, Kind, Mark, Rejection,
    Shown,
};
use crate::diagnostic::{LineIndex, Severity};
use crate::hlo::{Module, Parsed};
use crate::i18n::{Language, Message};
use crate::inspect::compare::aligned::{Aligned, AlignedRow};
use crate::inspect::compare::written::{self, written};
use crate::inspect::compare::{ChangeKind, Detail, Diff, InstructionAt, diff};
use crate::ops::ComputationId;

/// Maximum rows of one answer.
const MAX_ROWS: usize = 1_000;

/// Two compared modules.
struct Comparison {
    id: u32,
    modules: [Module; 2],
    diff: Diff,
    aligned: Aligned,
    /// The kinds of rows of the last query, and the numbers of these rows.
    filtered: (Shown, Vec<u32>),
}

/// The newest comparison, and the last text parsed for a count.
#[derive(Default)]
pub struct Comparisons {
    newest: Option<Comparison>,
    counted: Option<(String, Option<Module>)>,
}

/// Converts a kind of change to the wire type.
pub(super) fn wire_kind(kind: ChangeKind) -> Kind {
    match kind {
        ChangeKind::Changed => Kind::Changed,
        ChangeKind::Deleted => Kind::Deleted,
        ChangeKind::Inserted => Kind::Inserted,
        ChangeKind::Moved => Kind::Moved,
        ChangeKind::LayoutChanged => Kind::LayoutChanged,
        ChangeKind::AnnotationsChanged => Kind::AnnotationsChanged,
        ChangeKind::Renamed => Kind::Renamed,
        ChangeKind::Reordered => Kind::Reordered,
    }
}

/// The module of the text, or its first error.
fn module(text: &str, is_second: bool, language: Language) -> Result<Module, Rejection> {
    let (_, Parsed { module, diagnostics }) = parse(text);
    let rejection =
        |line: usize, message: &Message| Rejection { is_second, line, message: message.localize(language) };
    if let Some(error) = diagnostics.iter().find(|d| d.severity == Severity::Error) {
        return Err(rejection(LineIndex::new(text).position(error.span.start).0, &error.message));
    }
    if module.entry.is_none() {
        return Err(rejection(1, &Message::program("program-no-entry")));
    }
    Ok(module)
}

fn counts(diff: &Diff) -> Counts {
    let mut counts = Counts::default();
    for (kind, count) in diff.counts() {
        counts[wire_kind(kind).index()] = count;
    }
    counts
}

impl Comparisons {
    /// Answers a query; `open` is the module of the program that is open.
    pub fn answer(&mut self, open: &Module, query: CompareQuery) -> CompareAnswer {
        match query {
            CompareQuery::Open { id, first, second, language } => {
                let language = Language::for_tag(&language).unwrap_or(Language::ENGLISH);
                let first = match first {
                    Some(text) => module(&text, false, language),
                    None => Ok(open.clone()),
                };
                match first.and_then(|first| Ok([first, module(&second, true, language)?])) {
                    Ok(modules) => CompareAnswer::Opened(id, Box::new(self.open(id, modules))),
                    Err(rejection) => {
                        self.newest = None;
                        CompareAnswer::Rejected(id, rejection)
                    }
                }
            }
            CompareQuery::Rows { id, shown, start, count } => {
                let found = self.newest.as_mut().filter(|comparison| comparison.id == id);
                let (rows, total) = found.map(|found| found.rows(shown, start, count)).unwrap_or_default();
                CompareAnswer::Rows { id, shown, start, rows, total }
            }
            CompareQuery::Seek { id, shown, from, is_forward } => {
                let found = self.newest.as_mut().filter(|comparison| comparison.id == id);
                CompareAnswer::Sought(id, found.and_then(|found| found.seek(shown, from, is_forward)))
            }
            CompareQuery::Count { id, first, second } => {
                CompareAnswer::Counted(id, self.count(&first, &second))
            }
        }
    }

    fn open(&mut self, id: u32, modules: [Module; 2]) -> CompareSummary {
        let [a, b] = &modules;
        let diff = diff(a, b);
        let aligned = Aligned::new(&diff, a, b);
        let size = |module: &Module| module.computations.iter().map(|c| c.instructions.len()).sum();
        let summary = CompareSummary {
            names: [a.name.clone(), b.name.clone()],
            instructions: [size(a), size(b)],
            counts: counts(&diff),
            unchanged: diff.unchanged,
            one_sided_computations: [diff.deleted_computations.len(), diff.inserted_computations.len()],
            is_equivalent: diff.is_equivalent(),
        };
        let filtered = (Shown(0), Vec::new());
        self.newest = Some(Comparison { id, modules, diff, aligned, filtered });
        summary
    }

    /// The differences of two texts. In a series, each text is compared with the one before and the one after it, so the last one
    /// is kept.
    fn count(&mut self, first: &str, second: &str) -> Option<Counts> {
        let parsed = |text: &str| module(text, false, Language::ENGLISH).ok();
        let kept = self.counted.take().filter(|(text, _)| text == first);
        let first = kept.map_or_else(|| parsed(first), |(_, module)| module);
        let (_, second) = self.counted.insert((second.to_owned(), parsed(second)));
        Some(counts(&diff(first.as_ref()?, second.as_ref()?)))
    }
}

impl Comparison {
    /// Finds the rows of these kinds.
    fn filter(&mut self, shown: Shown) {
        if self.filtered.0 != shown {
            let is_shown = |kind: Option<ChangeKind>| shown.has(kind.map(wire_kind));
            self.filtered = (shown, self.aligned.filtered(is_shown));
        }
    }

    /// The next shown row with a difference.
    fn seek(&mut self, shown: Shown, from: usize, is_forward: bool) -> Option<usize> {
        self.filter(shown);
        let numbers = &self.filtered.1;
        let is_different = |row: &usize| {
            let number = numbers.get(*row).map(|number| *number as usize);
            number.and_then(|number| self.aligned.kinds.get(number)).is_some_and(Option::is_some)
        };
        if is_forward {
            (from.saturating_add(1)..numbers.len()).find(is_different)
        } else {
            (0..from.min(numbers.len())).rev().find(is_different)
        }
    }

    fn rows(&mut self, shown: Shown, start: usize, count: usize) -> (Vec<CompareRow>, usize) {
        self.filter(shown);
        let numbers = &self.filtered.1;
        let end = start.saturating_add(count.min(MAX_ROWS)).min(numbers.len());
        let rows = numbers.get(start.min(end)..end).unwrap_or_default();
        (rows.iter().filter_map(|number| self.row(*number as usize)).collect(), numbers.len())
    }

    fn row(&self, number: usize) -> Option<CompareRow> {
        let kind = self.aligned.kinds.get(number)?.map(wire_kind);
        let [a, b] = &self.modules;
        Some(match *self.aligned.rows.get(number)? {
            AlignedRow::Computation(first, second) => {
                let header = |module: &Module, id: Option<ComputationId>| {
                    let id = id?;
                    let name = module.get(id)?.name.clone();
                    let pieces = vec![(name.clone(), Mark::Same)];
                    Some(CompareSide { at: root(module, id)?, name, pieces })
                };
                let sides = [header(a, first), header(b, second)];
                CompareRow { is_header: true, kind, parts: Vec::new(), sides }
            }
            AlignedRow::Instruction { a: first, b: second, change } => {
                let change = change.and_then(|index| self.diff.changes.get(index));
                let side = |module: &Module, found: Option<InstructionAt>, side: usize| {
                    let InstructionAt { computation, instruction } = found?;
                    let instruction_node = module.get(computation)?.get(instruction)?;
                    let mark = |mark: written::Mark| match mark {
                        written::Mark::Same => Mark::Same,
                        written::Mark::Renamed => Mark::Renamed,
                        written::Mark::Different => Mark::Different,
                        written::Mark::Counterpart => Mark::Counterpart,
                    };
                    let pieces = written([a, b], &self.diff.matching, found?, change, side);
                    let pieces = pieces.into_iter().map(|piece| (piece.text, mark(piece.mark))).collect();
                    Some(CompareSide {
                        at: at((computation, instruction)),
                        name: instruction_node.unique_name(instruction),
                        pieces,
                    })
                };
                let parts =
                    change.map(|c| c.details.iter().map(Detail::property).collect()).unwrap_or_default();
                let sides = [side(a, first, 0), side(b, second, 1)];
                CompareRow { is_header: false, kind, parts, sides }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = "HloModule m

ENTRY e {
  x = f32[3,3] parameter(0)
  t = f32[3,3] transpose(x), dimensions={1,0}
  ROOT d = f32[3,3] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
";

    fn open(first: &str, second: &str) -> (Comparisons, CompareAnswer) {
        let (_, Parsed { module, .. }) = parse(first);
        let mut comparisons = Comparisons::default();
        let query =
            CompareQuery::Open { id: 1, first: None, second: second.to_owned(), language: "en".to_owned() };
        let answer = comparisons.answer(&module, query);
        (comparisons, answer)
    }

    fn rows(comparisons: &mut Comparisons, shown: Shown) -> Vec<CompareRow> {
        let query = CompareQuery::Rows { id: 1, shown, start: 0, count: usize::MAX };
        match comparisons.answer(&Module::default(), query) {
            CompareAnswer::Rows { rows, total, .. } if rows.len() == total => rows,
            other => panic!("no rows: {other:?}"),
        }
    }

    #[test]
    fn a_wrong_transpose_is_the_only_difference() {
        let wrong = RIGHT.replace("{1,0}", "{0,1}").replace("t =", "t.1 =").replace("dot(t,", "dot(t.1,");
        let (mut comparisons, answer) = open(RIGHT, &wrong);
        let CompareAnswer::Opened(1, summary) = answer else { panic!("{answer:?}") };
        assert_eq!((summary.counts, summary.unchanged), ([1, 0, 0, 0, 0, 0, 0, 0], 2));
        assert!(!summary.is_equivalent);
        let shown = rows(&mut comparisons, Shown::default());
        assert_eq!(shown.len(), 2);
        assert!(shown[0].is_header && shown[0].kind.is_none());
        assert_eq!(
            (shown[1].kind, shown[1].parts.as_slice()),
            (Some(Kind::Changed), &["dimensions=".to_owned(), "name".to_owned()][..])
        );
        let marked = |side: usize| -> Vec<(&str, Mark)> {
            let pieces = &shown[1].sides[side].as_ref().unwrap().pieces;
            pieces
                .iter()
                .filter(|(_, mark)| *mark != Mark::Same)
                .map(|(text, mark)| (text.as_str(), *mark))
                .collect()
        };
        assert_eq!(marked(0), [("t", Mark::Renamed), ("dimensions={1,0}", Mark::Different)]);
        assert_eq!(marked(1), [("t.1", Mark::Renamed), ("dimensions={0,1}", Mark::Different)]);
        let all = Shown(u16::MAX);
        assert_eq!(rows(&mut comparisons, all).len(), 4);
        for (from, is_forward, expected) in
            [(0, true, Some(2)), (2, true, None), (usize::MAX, false, Some(2))]
        {
            let query = CompareQuery::Seek { id: 1, shown: all, from, is_forward };
            assert_eq!(comparisons.answer(&Module::default(), query), CompareAnswer::Sought(1, expected));
        }
    }

    #[test]
    fn a_text_with_errors_is_rejected_with_its_line() {
        let (_, answer) = open(RIGHT, &RIGHT.replace("f32[3,3] dot", "f32[3,4] dot"));
        let CompareAnswer::Rejected(1, rejection) = answer else { panic!("{answer:?}") };
        assert!(rejection.is_second && rejection.line == 6 && !rejection.message.is_empty(), "{rejection:?}");
        for text in ["", "<script>", "HloModule m"] {
            assert!(matches!(open(RIGHT, text).1, CompareAnswer::Rejected(..)), "{text}");
        }
    }

    #[test]
    fn the_steps_of_a_series_are_counted() {
        let mut comparisons = Comparisons::default();
        let mut count = |first: &str, second: &str| {
            let query = CompareQuery::Count { id: 7, first: first.to_owned(), second: second.to_owned() };
            match comparisons.answer(&Module::default(), query) {
                CompareAnswer::Counted(7, counts) => counts,
                other => panic!("no counts: {other:?}"),
            }
        };
        let wrong = RIGHT.replace("{1,0}", "{0,1}");
        assert_eq!(count(RIGHT, RIGHT), Some(Counts::default()));
        assert_eq!(count(RIGHT, &wrong), Some([1, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(count(&wrong, "nonsense"), None);
        assert_eq!(count("nonsense", RIGHT), None);
    }
}
