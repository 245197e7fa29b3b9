//! The wire types of the query worker.

use serde::{Deserialize, Serialize};

use super::compare::{CompareAnswer, CompareQuery};
use super::parts::Crumb;
use super::report::MemoryReport;
use super::{costs, graph};
use crate::state::program::references::{Argument, Call, InstructionKey, InstructionPath};
use crate::worker::channel::Service;
use crate::worker::program::editing;

/// The service that reads a program and answers queries about its text and structure.
pub enum Queries {}

impl Service for Queries {
    const NAME: &'static str = "program-read";
    type Request = Query;
    type Progress = ();
    type Reply = Answer;
}

/// A query to the query worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    /// Reads text, which replaces the one before.
    Open {
        /// The text: HLO or `StableHLO`. On the channel it is empty, and the text a buffer.
        text: String,
        /// The tag of the language of diagnostics.
        language: String,
    },
    /// A range of rows of the outline.
    Outline {
        /// The index of the first row.
        start: usize,
        /// The number of rows.
        count: usize,
    },
    /// Opens or folds a group of the outline.
    Fold {
        /// The group.
        group: Group,
        /// Whether it is opened.
        is_open: bool,
    },
    /// Opens or folds all groups but that of the entry computation.
    FoldAll {
        /// Whether they are opened.
        is_open: bool,
    },
    /// Opens the groups around an instruction and tells its row.
    Reveal(InstructionPath),
    /// An instruction with its neighbours.
    Details(InstructionPath),
    /// The instruction at the first of these bytes of the text at which there is one.
    Locate(Vec<usize>),
    /// The files and lines that instructions come from.
    Sources,
    /// The instructions of a line of a file.
    SourceLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u32,
    },
    /// Assigns a file, which is sent with the query, to parameters.
    Assign(FileRequest),
    /// Writes out the values of a parameter, as a start for typing.
    WriteOut {
        /// The index of the parameter.
        number: usize,
        /// What its values are now.
        argument: Argument,
        /// The seed of random values.
        seed: u32,
    },
    /// A request of the editor.
    Editing(editing::Request),
    /// Instructions whose name, opcode or source name contains a string.
    Find {
        /// The text.
        needle: String,
        /// The maximum number of results.
        limit: usize,
    },
    /// A query of the graph view.
    Graph(graph::Query),
    /// A query of the costs view.
    Costs(costs::Query),
    /// A query about two programs.
    Compare(CompareQuery),
}

/// The query worker's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// To [`Query::Open`].
    Opened(Box<Opened>),
    /// To [`Query::Outline`].
    Outline {
        /// The state of the outline.
        outline: OutlineState,
        /// The index of the first row.
        start: usize,
        /// The rows.
        rows: Vec<OutlineRow>,
    },
    /// To [`Query::Fold`] and [`Query::FoldAll`].
    Folded(OutlineState),
    /// To [`Query::Reveal`]: the row; `None` if there is no such instruction.
    Revealed(OutlineState, Option<u64>),
    /// To [`Query::Details`]; `None` if there is no such instruction.
    Details(Option<Box<Details>>),
    /// To [`Query::Locate`].
    Located(Option<InstructionKey>),
    /// To [`Query::Sources`].
    Sources(SourceIndex),
    /// To [`Query::SourceLine`]: the first instructions, and their total number.
    SourceLine(Vec<FoundRow>, usize),
    /// To [`Query::Assign`].
    Assigned(AssignedArguments),
    /// To [`Query::WriteOut`]: the index of the parameter, and its values; empty if there are too many, or none can be computed.
    WrittenOut(usize, String),
    /// To [`Query::Editing`]: the id of the request, and the answer.
    Editing(u32, editing::Reply),
    /// To [`Query::Find`].
    Found {
        /// The first results, in the order of the text.
        rows: Vec<FoundRow>,
        /// The number of all results.
        total: usize,
    },
    /// To [`Query::Graph`].
    Graph(graph::Answer),
    /// To [`Query::Costs`].
    Costs(costs::Answer),
    /// To [`Query::Compare`].
    Compare(CompareAnswer),
}

/// A program that was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Whether the text is `StableHLO`.
    pub is_stablehlo: bool,
    /// The name of the module.
    pub name: String,
    /// The number of instructions of all computations.
    pub instruction_count: usize,
    /// The number of computations.
    pub computation_count: usize,
    /// The root of the entry computation.
    pub root: Option<InstructionKey>,
    /// The state of the outline.
    pub outline: OutlineState,
    /// The parameters of the entry computation.
    pub parameters: Vec<Parameter>,
    /// The first diagnostics, in the order of the text.
    pub problems: Vec<Problem>,
    /// The number of errors.
    pub error_count: usize,
    /// The number of all diagnostics.
    pub problem_count: usize,
    /// The memory report that the text is, if it is no program.
    pub report: Option<Box<MemoryReport>>,
    /// Whether instructions have source locations.
    pub has_sources: bool,
    /// The devices that the program is for.
    pub devices: DeviceCounts,
    /// An estimate of the operations of a run on one device; 0 if the program cannot run, or is not small enough to start unasked.
    pub operations: u64,
}

/// The devices that a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCounts {
    /// The number that the module states, replicas times partitions, at most the limit.
    pub declared: u32,
    /// The partitions of each replica: several devices are a multiple of them.
    pub partitions: u32,
    /// Whether an instruction depends on the device, or exchanges data with others.
    pub is_distributed: bool,
}

impl DeviceCounts {
    /// One device, of which nothing depends.
    pub const SINGLE: Self = Self { declared: 1, partitions: 1, is_distributed: false };

    /// Whether a run on several devices can differ from a run on one.
    pub fn concerns_several(&self) -> bool {
        self.is_distributed || self.declared > 1
    }
}

impl Default for DeviceCounts {
    fn default() -> Self {
        Self::SINGLE
    }
}

/// The state of the outline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineState {
    /// Changes with the folds: rows of another version have other numbers.
    pub version: u32,
    /// The number of rows.
    pub total: u64,
}

/// A group of rows of the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Group {
    /// A computation at the top.
    Root(u32),
    /// The body of a call.
    Call(Call),
}

/// A row of the outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineRow {
    /// The number of groups around it.
    pub depth: u32,
    /// The instruction; `None` for the header of a computation.
    pub instruction: Option<(InstructionKey, Row)>,
    /// The group that the row opens.
    pub group: Option<GroupRow>,
    /// The source line of the instruction.
    pub source: Option<SourceMark>,
    /// The position among the siblings, the first is 1, and their number.
    pub siblings: Option<(usize, usize)>,
}

impl OutlineRow {
    /// The ids of the instruction.
    pub fn at(&self) -> Option<InstructionKey> {
        self.instruction.as_ref().map(|(at, _)| *at)
    }
}

/// The mark of a source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceMark {
    /// Its number, in the order in which instructions name lines.
    pub number: u32,
    /// The name of the file, and the line.
    pub location: String,
}

/// The files and lines that instructions come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndex {
    /// The files, in the order in which instructions name them.
    pub files: Vec<SourceIndexFile>,
}

/// A file that instructions come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndexFile {
    /// Its path.
    pub name: String,
    /// The number of instructions, of each line counted once.
    pub instructions: usize,
    /// Its lines with instructions, ascending.
    pub lines: Vec<SourceIndexLine>,
}

/// A line that instructions come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndexLine {
    /// The line, from 1.
    pub line: u32,
    /// The number of instructions.
    pub instructions: usize,
    /// The number of its mark, if it is the innermost line of an instruction.
    pub mark: Option<u32>,
}

/// The group that a row of the outline opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// The group.
    pub group: Group,
    /// The name of its computation.
    pub name: String,
    /// The attribute that names it; empty for a computation at the top.
    pub attribute: String,
    /// Whether it is open.
    pub is_open: bool,
    /// The number of its instructions, with those of everything it calls.
    pub size: u64,
    /// The root of its computation.
    pub root: Option<InstructionKey>,
}

/// A parameter of the entry computation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: String,
    /// The number of its elements, with those of all elements of a tuple.
    pub elements: i64,
    /// The largest start index in bounds, if its elements are start indices: random ones are drawn from 0 on.
    pub max_start_index: Option<i64>,
}

/// A file that the user chose for arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRequest {
    /// Its name.
    pub file: String,
    /// Its number among those of the tab.
    pub number: u32,
    /// The parameter that it was chosen for; `None` for all.
    pub parameter: Option<usize>,
    /// The tag of the language of problems.
    pub language: String,
}

/// The arguments that a file has for parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignedArguments {
    /// The arguments by the numbers of their parameters.
    pub arguments: Vec<(usize, Argument)>,
    /// The names of these parameters.
    pub parameters: Vec<String>,
    /// What could not be used.
    pub problems: Vec<ArgumentProblem>,
}

/// What is wrong with an argument, in the language of the query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentProblem {
    /// The parameter, if it is about one.
    pub parameter: Option<usize>,
    /// The sentence.
    pub message: String,
}

/// A diagnostic of the text, in the language of the query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Whether it is an error; else it is a warning.
    pub is_error: bool,
    /// The bytes of the text that it is about.
    pub span: (usize, usize),
    /// The 1-based line.
    pub line: usize,
    /// The sentence.
    pub message: String,
    /// The identifier of the rule.
    pub rule: String,
    /// Suggestions.
    pub hints: Vec<WireHint>,
}

/// A suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireHint {
    /// The sentence.
    pub message: String,
    /// The bytes to replace and their replacements, ascending and disjoint; none for advice.
    pub edits: Vec<((usize, usize), String)>,
}

/// An instruction in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its id.
    pub instruction: u32,
    /// Its name; `#` and its position if it has none.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// Its shape with its layout, shortened.
    pub shape: String,
    /// Whether its value is the result of its computation.
    pub is_root: bool,
    /// The number of bodies that it calls.
    pub called: u32,
}

/// A body that an instruction calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// The call.
    pub call: Call,
    /// The attribute that names the body.
    pub attribute: String,
    /// The name of the body.
    pub name: String,
    /// Its number of instructions.
    pub size: usize,
    /// Its root.
    pub root: Option<InstructionKey>,
}

/// The use of a value: an edge of the data flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The instruction at the other end.
    pub row: Row,
    /// The position among the operands of the user.
    pub number: u32,
    /// The shape of the value.
    pub shape: String,
    /// Its layout; empty if it has none.
    pub layout: String,
    /// The bytes that are read, if they are known.
    pub bytes: Option<u64>,
}

/// A result of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRow {
    /// The computation.
    pub computation: u32,
    /// The name of the computation.
    pub parent: String,
    /// The instruction.
    pub row: Row,
}

/// An instruction with its neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// The instruction.
    pub at: InstructionKey,
    /// The way to it, the outermost call first.
    pub path: Vec<Crumb>,
    /// The name of its computation.
    pub computation: String,
    /// The number of instructions of its computation.
    pub count: u32,
    /// The instruction as in a list.
    pub row: Row,
    /// The bytes of the text that it is written in.
    pub span: (usize, usize),
    /// Its whole shape with its layout.
    pub shape: String,
    /// The bytes of the elements of its value, if they are known.
    pub bytes: Option<u64>,
    /// The bytes of its arrays in memory, with padding; 0 if a layout is invalid.
    pub padded_bytes: u64,
    /// The bodies that it calls.
    pub called: Vec<Called>,
    /// Its first operands.
    pub operands: Vec<Edge>,
    /// The number of its operands.
    pub operand_count: usize,
    /// The first instructions of the computation that read it.
    pub users: Vec<Edge>,
    /// The number of instructions that read it.
    pub user_count: usize,
    /// Its attributes with their values as text.
    pub attributes: Vec<(String, String)>,
    /// Attributes that do not affect its value.
    pub annotations: Vec<(String, String)>,
    /// Its name in the program that XLA compiled.
    pub op_name: Option<String>,
    /// Where it comes from in that program: files and lines, the innermost first.
    pub source: Vec<SourceLine>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The file.
    pub file: String,
    /// The function; empty if it is unknown.
    pub function: String,
    /// The line, from 1.
    pub line: u32,
}
