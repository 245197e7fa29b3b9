//! The wire types of the Program screen's workers.

use serde::{Deserialize, Serialize};

pub use crate::state::program::parts::{Argument, At};
use crate::worker::channel::Service;
use crate::worker::evaluation::wire::Failure;

/// The service that reads a program and answers queries about its text and structure.
pub enum Reading {}

impl Service for Reading {
    const NAME: &'static str = "program-read";
    type Request = Query;
    type Progress = ();
    type Reply = Answer;
}

/// The service that runs a program and answers queries about its values.
pub enum Running {}

impl Service for Running {
    const NAME: &'static str = "program-run";
    type Request = RunRequest;
    type Progress = RunProgress;
    type Reply = RunReply;
}

/// A query to the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    /// Reads a text, which replaces the one before.
    Open {
        /// The text: HLO or `StableHLO`.
        text: String,
        /// The tag of the language of diagnostics.
        language: String,
    },
    /// A page of the instructions of a computation.
    Outline {
        /// The computation.
        computation: u32,
        /// The position of the first row.
        start: usize,
        /// The number of rows.
        count: usize,
    },
    /// An instruction with its neighbours.
    Details(At),
    /// The instruction at a byte of the text.
    Locate(usize),
    /// Instructions whose name, opcode or source name contains a text.
    Find {
        /// The text.
        needle: String,
        /// The maximum number of results.
        limit: usize,
    },
}

/// The reader's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// To [`Query::Open`].
    Opened(Box<Opened>),
    /// To [`Query::Outline`]: the position of the first row, and the rows.
    Outline {
        /// The computation.
        computation: u32,
        /// The position of the first row.
        start: usize,
        /// The rows.
        rows: Vec<Row>,
    },
    /// To [`Query::Details`]; `None` if there is no such instruction.
    Details(Option<Box<Details>>),
    /// To [`Query::Locate`].
    Located(Option<At>),
    /// To [`Query::Find`].
    Found {
        /// The first results, in the order of the text.
        rows: Vec<FoundRow>,
        /// The number of all results.
        total: usize,
    },
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
    /// The computations, by id; empty if nothing could be read.
    pub computations: Vec<ComputationRow>,
    /// The id of the entry computation.
    pub entry: Option<u32>,
    /// The parameters of the entry computation.
    pub parameters: Vec<Parameter>,
    /// The first diagnostics, in the order of the text.
    pub problems: Vec<Problem>,
    /// The number of errors.
    pub error_count: usize,
    /// The number of all diagnostics.
    pub problem_count: usize,
}

/// A computation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputationRow {
    /// Its name; empty for an inline body.
    pub name: String,
    /// Its number of instructions.
    pub size: usize,
    /// The id of its root.
    pub root: Option<u32>,
    /// The first instruction that calls it.
    pub caller: Option<At>,
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
}

/// A diagnostic of the text, in the reader's language.
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
    /// The label of the rule.
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
    /// The bodies that it calls.
    pub called: Vec<Called>,
    /// The bytes of its value.
    pub bytes: i64,
}

/// A body that an instruction calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// The attribute that names it.
    pub attribute: String,
    /// Its id.
    pub computation: u32,
    /// Its name.
    pub name: String,
    /// Its number of instructions.
    pub size: usize,
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
    pub at: At,
    /// The instruction as in a list.
    pub row: Row,
    /// The bytes of the text that it is written in.
    pub span: (usize, usize),
    /// Its whole shape with its layout.
    pub shape: String,
    /// Its operands.
    pub operands: Vec<Row>,
    /// The first instructions of the computation that read it.
    pub users: Vec<Row>,
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

/// A request to the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunRequest {
    /// Runs a program, which replaces the one before.
    Run(Job),
    /// The value of an instruction.
    Value(ValueQuery),
    /// The operand cells that a cell of an instruction of the entry computation was computed from.
    Sources {
        /// The instruction.
        at: At,
        /// The path through tuples.
        path: Vec<usize>,
        /// The index of the cell.
        cell: Vec<i64>,
    },
}

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The text.
    pub text: String,
    /// The values of the parameters; random for those beyond the end of the list.
    pub arguments: Vec<Argument>,
    /// The seed of random arguments, and of the random number generators of the program.
    pub seed: u32,
    /// The tag of the language of messages.
    pub language: String,
}

/// The part of a value that the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueQuery {
    /// The instruction.
    pub at: At,
    /// The execution of the instruction, from 0: bodies run several times.
    pub execution: u64,
    /// The element of the tuple, by its position among the arrays of the value.
    pub leaf: usize,
    /// The index of the first cell; empty for the first cell of the array.
    pub start: Vec<i64>,
}

/// The progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunProgress {
    /// Steps done.
    pub steps: u64,
    /// The running instruction of the entry computation.
    pub instruction: u32,
    /// Its name.
    pub name: String,
}

/// The runner's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RunReply {
    /// A run finished.
    Ran(Ran),
    /// A run or a query failed.
    Failed(Failure),
    /// A value.
    Value(Box<ValuePage>),
    /// The source cells of a cell.
    Sources(Vec<SourceCell>),
}

/// A finished run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Steps of the evaluator.
    pub steps: u64,
    /// Milliseconds, without reading the text.
    pub milliseconds: u64,
    /// Whether the values of the entry computation are kept; others are computed again when they are shown.
    pub keeps_values: bool,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValuePage {
    /// The query.
    pub query: ValueQuery,
    /// The number of times that the instruction was executed in the run.
    pub executions: u64,
    /// The arrays of the value: the path through tuples, and the shape.
    pub leaves: Vec<(Vec<usize>, String)>,
    /// What computed the value, if it is known: the name of a kernel, or `None` for the reference evaluator.
    pub kernel: Option<String>,
    /// The shown part of the array; `None` for a value without arrays.
    pub window: Option<Window>,
    /// The statistics of the array.
    pub statistics: Option<Statistics>,
}

/// A part of an array. Its cells are the buffer sent with the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// The index of its first cell in the array.
    pub start: Vec<i64>,
    /// The shape of the part, of the rank of the array.
    pub shape: String,
    /// The sizes of the whole array.
    pub sizes: Vec<i64>,
    /// The smallest and largest finite value of the whole array.
    pub range: (f64, f64),
}

/// Statistics of an array.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The number of elements.
    pub count: u64,
    /// The number of NaNs.
    pub nan: u64,
    /// The number of infinities.
    pub infinite: u64,
    /// The number of zeros.
    pub zero: u64,
    /// The smallest finite value as text.
    pub min: String,
    /// The largest finite value as text.
    pub max: String,
    /// The mean of the finite values as text.
    pub mean: String,
    /// Their standard deviation as text.
    pub deviation: String,
    /// Counts of the finite values in bins of equal width from the smallest to the largest.
    pub bins: Vec<u64>,
}

/// A source of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCell {
    /// The number of the operand.
    pub operand: usize,
    /// The path through the tuple of the operand.
    pub path: Vec<usize>,
    /// The index of the cell.
    pub index: Vec<i64>,
    /// Its value as text, if it is known.
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::channel::frame::Body;

    #[test]
    fn requests_round_trip_and_garbage_is_refused() {
        let queries = [
            Query::Open { text: "a\n\"é".to_owned(), language: "en".to_owned() },
            Query::Outline { computation: 1, start: 2, count: usize::MAX },
            Query::Details(At { computation: u32::MAX, instruction: 0 }),
            Query::Locate(7),
            Query::Find { needle: "dot".to_owned(), limit: 3 },
        ];
        for query in queries {
            assert_eq!(Query::from_text(&query.to_text().unwrap()), Some(query));
        }
        let job = Job {
            text: "t".to_owned(),
            arguments: vec![
                Argument::Random,
                Argument::Typed("{1}".to_owned()),
            ],
            seed: 7,
            language: "zh-Hans".to_owned(),
        };
        let request = RunRequest::Run(job);
        assert_eq!(RunRequest::from_text(&request.to_text().unwrap()), Some(request));
        for garbage in ["", "[]", "{}", "null", "7"] {
            assert!(Query::from_text(garbage).is_none() && RunRequest::from_text(garbage).is_none());
        }
    }
}
