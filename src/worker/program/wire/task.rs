//! The wire types of tasks: runs of programs other than the one that is shown.

use serde::{Deserialize, Serialize};

use super::running::Job;
use crate::state::program::references::{Argument, FileArgument, InstructionKey};
use crate::worker::channel::Service;
use crate::worker::evaluation::wire::Failure;

/// The service that performs tasks, one at a time. It keeps nothing between them.
pub enum Tasks {}

impl Service for Tasks {
    const NAME: &'static str = "program-task";
    type Request = TaskRequest;
    type Progress = TaskProgress;
    type Reply = TaskReply;
}

/// A task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskRequest {
    /// Compares the values of two programs.
    Compare(CompareTask),
    /// Cuts instructions out.
    Cut(CutTask),
    /// Reduces a program.
    Shrink(ShrinkTask),
    /// Exports a program with its values.
    Export(ExportTask),
}

impl TaskRequest {
    /// The program, its arguments, and the language of messages.
    pub fn job(&self) -> &Job {
        match self {
            Self::Compare(task) => &task.job,
            Self::Cut(task) => &task.job,
            Self::Shrink(task) => &task.job,
            Self::Export(task) => &task.job,
        }
    }
}

/// What the values of a program are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComparedWith {
    /// Those of another program, by its text.
    Program(String),
    /// The arrays of an archive, by the names of the instructions.
    Archive(FileArgument),
}

/// A program to run, and what its values are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareTask {
    /// The program. Its files include that of an archive.
    pub job: Job,
    /// The other values.
    pub other: ComparedWith,
    /// The distance up to which elements are equal, in ulps.
    pub ulps: u64,
    /// The absolute difference up to which floats are equal.
    pub absolute: f64,
}

/// Instructions to cut out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutTask {
    /// The program.
    pub job: Job,
    /// The computation, by an instruction of it.
    pub within: InstructionKey,
    /// The names of the instructions.
    pub names: Vec<String>,
    /// How many levels of operands are cut out, too.
    pub depth: u32,
    /// Captured values with at most this many elements become constants.
    pub max_constant_elements: u32,
}

/// A program to reduce.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShrinkTask {
    /// The program.
    pub job: Job,
    /// What the program must keep.
    pub property: Property,
}

/// A program to export with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportTask {
    /// The program.
    pub job: Job,
    /// The format of the file.
    pub format: ExportFormat,
}

/// The format of an exported program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// A page of its own.
    Page {
        /// The template of the site.
        template: String,
        /// The link of the program, which the page shows.
        link: String,
        /// The instruction that it shows first, if that is one of the entry computation.
        selected: Option<InstructionKey>,
    },
    /// An archive with a script that runs the program with JAX.
    Jax,
}

/// A property of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Property {
    /// It computes a NaN from values without one.
    Nan,
    /// It computes an infinity from finite values.
    Infinity,
    /// It fails by the rule by which the whole program fails.
    Error,
    /// An instruction computes another value than in another program.
    Differs {
        /// The text of the other program.
        text: String,
        /// The distance up to which elements are equal, in ulps.
        ulps: u64,
    },
    /// An instruction computes another value with fast kernels than with the reference evaluator.
    Kernels {
        /// The distance up to which elements are equal, in ulps.
        ulps: u64,
    },
}

/// The progress of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskProgress {
    /// A program runs.
    Run {
        /// Whether it is the second one.
        is_second: bool,
        /// Steps done.
        steps: u64,
        /// The name of the running instruction.
        name: String,
    },
    /// A program is being reduced.
    Shrink {
        /// Candidates so far.
        tries: usize,
        /// The number of instructions that are left.
        instructions: usize,
        /// The number of instructions of the whole program.
        original: usize,
        /// The smallest program so far, if it is another one than in the last report.
        smallest: Option<Box<ResultProgram>>,
    },
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskReply {
    /// Of [`TaskRequest::Compare`].
    Compared(Box<ValueDifferences>),
    /// Of [`TaskRequest::Cut`], with the failure of the run that was to provide the values.
    Cut(Box<ResultProgram>, Option<Failure>),
    /// Of [`TaskRequest::Shrink`].
    Shrunk(Box<Shrunk>),
    /// Of [`TaskRequest::Export`]. The content of the file is the buffer sent with the frame.
    Exported {
        /// The name of the file.
        name: String,
        /// Whether it has all values.
        is_complete: bool,
    },
    /// It failed.
    Failed(Failure),
}

/// Where the values of two programs differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueDifferences {
    /// Number of instructions whose values were compared.
    pub compared: usize,
    /// Number of instructions without a counterpart.
    pub missing: usize,
    /// The first arrays of an archive that belong to no instruction.
    pub unknown: Vec<String>,
    /// Number of instructions that differ.
    pub different: usize,
    /// The first of them, in the order of the data flow.
    pub list: Vec<DifferentValue>,
    /// The position in the list of the instruction with the largest difference.
    pub largest: Option<usize>,
}

/// An instruction whose values differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferentValue {
    /// The instruction of each program.
    pub at: [InstructionKey; 2],
    /// Their names.
    pub names: [String; 2],
    /// The opcode in the first program.
    pub opcode: String,
    /// Whether no operand differs.
    pub is_origin: bool,
    /// Number of elements.
    pub elements: u64,
    /// Number of elements that differ by more than the tolerance; 0 if the shapes differ.
    pub beyond: u64,
    /// The first element that differs by more than the tolerance.
    pub first: Option<DifferentElement>,
    /// The most distant finite elements.
    pub largest: Option<DifferentElement>,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferentElement {
    /// The path through tuples and the index: `1[0,2]`.
    pub position: String,
    /// The values as text.
    pub values: [String; 2],
    /// The distance; `None` for truth values, and if one is NaN.
    pub distance: Option<Distance>,
}

/// The distance of two elements, in the unit of their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Distance {
    /// The difference of two integers.
    Integer(u64),
    /// Units in the last place between two floats or complex numbers.
    Ulps(u64),
}

impl Distance {
    /// The number, whatever its unit.
    pub fn number(self) -> u64 {
        match self {
            Self::Integer(number) | Self::Ulps(number) => number,
        }
    }
}

/// A program that a task made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultProgram {
    /// Its text.
    pub text: String,
    /// The values of its parameters.
    pub arguments: Vec<Argument>,
    /// The number of instructions that compute something.
    pub operations: usize,
    /// The number of parameters whose values were not recorded.
    pub unknown_arguments: usize,
    /// The number of parameters whose values are too long to be written out.
    pub long_arguments: usize,
}

impl ResultProgram {
    /// The text with the values of the parameters as comments.
    pub fn with_comments(&self) -> String {
        let mut out = String::new();
        for (number, argument) in self.arguments.iter().enumerate() {
            if let Argument::Text(value) = argument {
                for piece in ["// parameter ", &number.to_string(), ": ", value, "\n"] {
                    out.push_str(piece);
                }
            }
        }
        out + &self.text
    }
}

/// How a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShrinkEnd {
    /// The program is minimal.
    Minimal,
    /// The tries ran out.
    OutOfTries,
}

/// A reduced program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shrunk {
    /// The program.
    pub program: ResultProgram,
    /// The number of instructions of the whole program that compute something.
    pub original: usize,
    /// Number of candidates.
    pub tries: usize,
    /// How it ended.
    pub end: ShrinkEnd,
}
