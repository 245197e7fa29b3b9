//! The text and its module, as answers to queries. Independent of workers.

use std::rc::Rc;

use super::argument_files::OpenFile;
use super::arguments::{parameters, written_out};
use super::assigning;
use super::compare::Comparisons;
use super::costs;
use super::devices::device_counts;
use super::editing;
use super::graph;
use super::ids::{at, call, reference, root, site};
use super::loaded::Loaded;
use super::located::InstructionSpans;
use super::memory_report;
use super::parsing::parse;
use super::search_index::Index;
use super::source_marks::Marks;
use super::wire::{
    Answer, AssignedArguments, FileRequest, FoundRow, Group, GroupRow, InstructionPath, Opened, OutlineRow,
    OutlineState, Problem, Query, WireHint,
};
use super::workload::operations;
use crate::diagnostic::{Diagnostic, LineIndex, Severity, Span};
use crate::hlo::{Module, Parsed};
use crate::i18n::Language;
use crate::inspect::flow::Flow;
use crate::inspect::outline::{self, Folds, Outline, Unfolded};
use crate::inspect::report;
use crate::inspect::search::{self, Search};
use crate::ops::ComputationId;
use crate::stablehlo::{Dialect, dialect};

/// Maximum diagnostics that are sent.
const MAX_PROBLEMS: usize = 50;

/// Maximum instructions that are searched for a source location.
const MAX_SOURCE_LOOKUPS: usize = 2_000;

/// Maximum rows of one answer.
const MAX_ROWS: usize = 2_000;

/// A program: its text, and the module as far as the text could be read.
pub struct Program {
    pub(super) text: String,
    pub(super) module: Module,
    pub(super) outline: Outline,
    pub(super) flow: Flow,
    folds: Folds,
    /// The number of changes of the folds.
    version: u32,
    search_index: Index,
    /// Comparisons end when another text is read.
    comparisons: Comparisons,
    /// Built when the source lines are first shown.
    marks: Option<Rc<Marks>>,
    /// Built by the first query for a position in the text.
    instruction_spans: Option<InstructionSpans>,
    /// The language of sentences.
    language: Language,
    views: Views,
}

/// The state of the views between queries.
#[derive(Default)]
struct Views {
    graph: graph::State,
    costs: costs::State,
}

impl Default for Program {
    fn default() -> Self {
        Self::new(String::new(), Module::default(), Language::ENGLISH)
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

/// Converts a group to the core's type.
fn core_group(group: Group) -> outline::Group {
    match group {
        Group::Root(computation) => outline::Group::Root(ComputationId(computation)),
        Group::Call(call) => outline::Group::Call(site(call)),
    }
}

fn wire_group(group: outline::Group) -> Group {
    match group {
        outline::Group::Root(computation) => Group::Root(computation.0),
        outline::Group::Call(site) => Group::Call(call(site)),
    }
}

impl Program {
    fn new(text: String, module: Module, language: Language) -> Self {
        let outline = Outline::new(&module);
        let folds = outline.initial_folds();
        Self {
            text,
            flow: Flow::new(&module),
            module,
            outline,
            folds,
            version: 0,
            search_index: Index::default(),
            comparisons: Comparisons::default(),
            marks: None,
            instruction_spans: None,
            language,
            views: Views::default(),
        }
    }

    /// The parts of the program that the views answer their queries from.
    pub(super) fn loaded(&self) -> Loaded<'_> {
        Loaded { module: &self.module, outline: &self.outline, language: self.language }
    }

    /// Reads text and describes it, with diagnostics in a language.
    pub fn open(text: String, language: Language) -> (Self, Opened) {
        let report = if dialect(&text) == Dialect::Hlo { report::detect(&text) } else { None };
        if let Some(report) = report {
            let report = Some(Box::new(memory_report::wire(&report)));
            let program = Self::new(text, Module::default(), language);
            return (program, Opened { report, ..Opened::default() });
        }
        let (dialect, Parsed { module, diagnostics }) = parse(&text);
        let lines = LineIndex::new(&text);
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        // Errors first, so that warnings do not displace them from the bounded list.
        let by_severity =
            |is_error: bool| diagnostics.iter().filter(move |d| (d.severity == Severity::Error) == is_error);
        let shown = by_severity(true).chain(by_severity(false)).take(MAX_PROBLEMS);
        let mut opened = Opened {
            is_stablehlo: dialect == Dialect::StableHlo,
            name: module.name.clone(),
            instruction_count: module.computations.iter().map(|c| c.instructions.len()).sum(),
            computation_count: module.computations.len(),
            root: module.entry.and_then(|entry| root(&module, entry)),
            outline: OutlineState::default(),
            parameters: parameters(&module),
            problems: shown.map(|d| problem(d, &lines, language)).collect(),
            error_count: errors,
            problem_count: diagnostics.len(),
            report: None,
            has_sources: false,
            devices: device_counts(&module),
            operations: 0,
        };
        if errors == 0 && opened.is_small(1) {
            opened.operations = operations(&module);
        }
        let program = Self::new(text, module, language);
        opened.outline = program.state();
        opened.has_sources = program.has_sources();
        (program, opened)
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
            Query::Outline { start, count } => {
                Answer::Outline { outline: self.state(), start, rows: self.rows(start, count) }
            }
            Query::Fold { group, is_open } => {
                self.folds.set_open(core_group(group), is_open);
                self.folds_changed()
            }
            Query::FoldAll { is_open } => {
                self.folds = if is_open { Folds::all_open() } else { self.outline.initial_folds() };
                self.folds_changed()
            }
            Query::Reveal(instruction) => {
                let row = self.reveal(&instruction);
                Answer::Revealed(self.state(), row)
            }
            Query::Details(instruction) => Answer::Details(self.details(&instruction).map(Box::new)),
            Query::Locate(offsets) => {
                let instruction_spans =
                    self.instruction_spans.get_or_insert_with(|| InstructionSpans::new(&self.module));
                // A caret after an instruction's last letter is at that instruction.
                let touched = |offset: usize| {
                    let before = || instruction_spans.innermost(offset.checked_sub(1)?);
                    instruction_spans.innermost(offset).or_else(before)
                };
                Answer::Located(offsets.into_iter().find_map(touched))
            }
            Query::Sources => Answer::Sources(self.source_index()),
            Query::SourceLine { file, line } => {
                let (rows, total) = self.source_line(&file, line);
                Answer::SourceLine(rows, total)
            }
            // Without the file: the worker assigns it by `Program::assign`.
            Query::Assign(request) => Answer::Assigned(self.assign(&request, None)),
            Query::WriteOut { number, argument, seed } => {
                Answer::WrittenOut(number, written_out(&self.module, number, &argument, seed))
            }
            Query::Editing(request) => {
                Answer::Editing(request.id, editing::answer(&self.text, &self.module, request))
            }
            Query::Find { needle, limit } => self.find(&needle, limit),
            Query::Graph(query) => {
                let loaded = Loaded { module: &self.module, outline: &self.outline, language: self.language };
                Answer::Graph(self.views.graph.answer(loaded, query))
            }
            Query::Costs(query) => {
                let loaded = Loaded { module: &self.module, outline: &self.outline, language: self.language };
                Answer::Costs(self.views.costs.answer(loaded, query))
            }
            Query::Compare(query) => Answer::Compare(self.comparisons.answer(&self.module, query)),
        }
    }

    /// Whether the first instructions with metadata have source locations.
    fn has_sources(&self) -> bool {
        let instructions = self.module.computations.iter().flat_map(|computation| &computation.instructions);
        instructions
            .take(MAX_SOURCE_LOOKUPS)
            .any(|instruction| !self.module.source_locations(&instruction.source_metadata()).is_empty())
    }

    /// The marks of the source lines.
    pub(super) fn marks(&mut self) -> Rc<Marks> {
        self.marks.get_or_insert_with(|| Rc::new(Marks::new(&self.module))).clone()
    }

    /// Assigns the arrays of a file to parameters.
    pub fn assign(&self, request: &FileRequest, file: Option<OpenFile>) -> AssignedArguments {
        let language = Language::for_tag(&request.language).unwrap_or(Language::ENGLISH);
        assigning::assign(&self.module, request, file, language)
    }

    fn unfolded(&self) -> Unfolded<'_> {
        Unfolded::new(&self.outline, &self.folds)
    }

    fn state(&self) -> OutlineState {
        OutlineState { version: self.version, total: self.unfolded().total() }
    }

    fn folds_changed(&mut self) -> Answer {
        self.version = self.version.wrapping_add(1);
        Answer::Folded(self.state())
    }

    fn rows(&mut self, start: usize, count: usize) -> Vec<OutlineRow> {
        let marks = self.marks();
        let page = self.unfolded().page(&self.module, start as u64, count.min(MAX_ROWS));
        let rows = page.rows.into_iter().map(|row| OutlineRow {
            depth: row.depth,
            siblings: self.outline.siblings(&row).map(|siblings| (siblings.position, siblings.count)),
            source: row.instruction.as_ref().and_then(|found| marks.mark(found.id)),
            instruction: row.instruction.and_then(|found| Some((at(found.id), self.row(found.id)?))),
            group: row.group.map(|group| {
                let index = |index: Option<u32>| index.map(|index| format!("[{index}]")).unwrap_or_default();
                GroupRow {
                    group: wire_group(group.group),
                    name: group.name,
                    attribute: group
                        .attribute
                        .map(|(name, found)| format!("{name}{}", index(found)))
                        .unwrap_or_default(),
                    is_open: group.is_open,
                    size: group.total_instructions,
                    root: root(&self.module, group.computation),
                }
            }),
        });
        rows.collect()
    }

    /// Opens the groups around an instruction; returns its row.
    fn reveal(&mut self, instruction: &InstructionPath) -> Option<u64> {
        let target = reference(instruction.at);
        let path = self.loaded().path(instruction);
        let groups = self.outline.groups_around(target, &path)?;
        for group in groups {
            if !self.folds.is_open(group) {
                self.folds.set_open(group, true);
                self.version = self.version.wrapping_add(1);
            }
        }
        self.unfolded().row_number(target, &path)
    }

    /// Indexes some further instructions for searches to come; returns whether there is nothing left to do.
    pub fn index_ahead(&mut self) -> bool {
        self.search_index.advance(&self.module)
    }

    /// Searches the instructions, the best hits first.
    fn find(&mut self, needle: &str, limit: usize) -> Answer {
        let index = self.search_index.complete(&self.module);
        let query = search::Query::parse(needle.trim().trim_start_matches('%'));
        let mut search = Search::new(index, query);
        search.advance(usize::MAX);
        let total = search.count();
        let hits = search.hits(&self.module, 0, limit.min(MAX_ROWS));
        let rows = hits.into_iter().filter_map(|hit| {
            let parent = self.module.get(hit.id.0)?.name.clone();
            Some(FoundRow { computation: hit.id.0.0, parent, row: self.row(hit.id)? })
        });
        Answer::Found { rows: rows.collect(), total }
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::{Call, Details, InstructionKey};
    use super::*;

    const SCAN: &str = include_str!("../../../static/programs/scan.hlo");

    fn instruction(at: InstructionKey) -> InstructionPath {
        InstructionPath { at, calls: Vec::new() }
    }

    #[test]
    fn a_search_finds_the_same_before_and_after_it_is_indexed_ahead() {
        let found = |steps: usize| {
            let mut program = Program::default();
            program.answer(Query::Open { text: SCAN.to_owned(), language: "en".to_owned() });
            let is_done = (0..steps).map(|_| program.index_ahead()).last();
            match program.find("tanh", 10) {
                Answer::Found { rows, total } => (rows.len(), total, is_done),
                other => panic!("no hits: {other:?}"),
            }
        };
        let (rows, total, _) = found(0);
        assert!(rows > 0);
        assert_eq!(found(3), (rows, total, Some(true)));
    }

    fn details_of(program: &mut Program, instruction: InstructionPath) -> Details {
        match program.answer(Query::Details(instruction)) {
            Answer::Details(Some(details)) => *details,
            other => panic!("no details: {other:?}"),
        }
    }

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
            assert!(opened.root.is_some() && opened.instruction_count > 10);
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
        let Answer::Located(Some(at)) = program.answer(Query::Locate(vec![offset])) else {
            panic!("the op is an instruction");
        };
        let Answer::Details(Some(details)) = program.answer(Query::Details(instruction(at))) else {
            panic!("no details")
        };
        assert_eq!(details.row.opcode, "negate");
        assert!(stable[details.span.0..details.span.1].contains("stablehlo.negate"));
        let (_, end) = details.span;
        assert_eq!(program.answer(Query::Locate(vec![0, end])), Answer::Located(Some(at)));
    }

    #[test]
    fn an_instruction_names_operands_users_bodies_and_source() {
        let (mut program, _) = opened(SCAN);
        let Answer::Found { rows, total } =
            program.answer(Query::Find { needle: "while".to_owned(), limit: 99 })
        else {
            panic!("an answer of another kind")
        };
        let found = rows.iter().find(|found| found.row.opcode == "while").unwrap();
        assert!(total >= 1);
        let at = InstructionKey { computation: found.computation, instruction: found.row.instruction };
        let details = details_of(&mut program, instruction(at));
        let names: Vec<&str> = details.called.iter().map(|called| called.attribute.as_str()).collect();
        assert_eq!(names, ["condition", "body"]);
        assert!(!details.operands.is_empty());
        assert!(details.source.iter().any(|line| line.file == "models.py" && line.line > 0));
        assert!(SCAN[details.span.0..details.span.1].contains("while("));
        // The root of the body knows the way to it.
        let inner = details_of(&mut program, instruction(details.called[1].root.unwrap()));
        let names: Vec<&str> = inner.path.iter().map(|crumb| crumb.name.as_str()).collect();
        assert_eq!(names.last(), Some(&found.row.name.as_str()));
        assert_eq!(inner.computation, details.called[1].name);
    }

    #[test]
    fn groups_fold_and_open_around_what_is_revealed() {
        let (mut program, opened) = opened(SCAN);
        let total = opened.outline.total;
        let Answer::Outline { rows, .. } = program.answer(Query::Outline { start: 0, count: 999 }) else {
            panic!("an answer of another kind")
        };
        assert_eq!(rows.len() as u64, total);
        let groups = rows.iter().filter_map(|row| row.group.as_ref());
        let group = groups.into_iter().find(|group| matches!(group.group, Group::Call(_)));
        let inner = group.and_then(|group| group.root).unwrap();
        let Answer::Revealed(state, Some(row)) = program.answer(Query::Reveal(instruction(inner))) else {
            panic!("an instruction of a body is shown")
        };
        assert!(state.version > opened.outline.version && state.total > total);
        let Answer::Outline { rows, .. } =
            program.answer(Query::Outline { start: usize::try_from(row).unwrap(), count: 1 })
        else {
            panic!("an answer of another kind")
        };
        assert_eq!(rows[0].instruction.as_ref().map(|(at, _)| *at), Some(inner));
        let Answer::Folded(state) = program.answer(Query::FoldAll { is_open: false }) else {
            panic!("an answer of another kind")
        };
        assert_eq!(state.total, total);
    }

    #[test]
    fn queries_about_what_does_not_exist_have_empty_answers() {
        let (mut program, _) = opened("");
        let nowhere = instruction(InstructionKey { computation: 9, instruction: 9 });
        assert_eq!(program.answer(Query::Details(nowhere.clone())), Answer::Details(None));
        assert!(matches!(program.answer(Query::Reveal(nowhere.clone())), Answer::Revealed(_, None)));
        let call = Call { at: nowhere.at, callee_index: 7 };
        program.answer(Query::Fold { group: Group::Call(call), is_open: true });
        assert_eq!(program.answer(Query::Locate(vec![usize::MAX])), Answer::Located(None));
        let outline = Query::Outline { start: usize::MAX, count: usize::MAX };
        assert!(matches!(program.answer(outline), Answer::Outline { rows, .. } if rows.is_empty()));
        let find = Query::Find { needle: " % ".to_owned(), limit: usize::MAX };
        assert_eq!(program.answer(find), Answer::Found { rows: vec![], total: 0 });
    }
}
