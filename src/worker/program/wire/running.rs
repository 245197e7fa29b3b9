//! The wire types of the runner.

use serde::{Deserialize, Serialize};

use super::tracing::{Timeline, Trace, TraceQuery};
use super::window::Window;
use crate::state::program::references::{Argument, CellRequest, InstructionKey};
use crate::worker::channel::Service;
use crate::worker::evaluation::wire::Failure;

/// The service that runs a program and answers queries about its values.
pub enum Running {}

impl Service for Running {
    const NAME: &'static str = "program-run";
    type Request = RunRequest;
    type Progress = RunProgress;
    type Reply = RunReply;
}

/// A request to the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunRequest {
    /// Runs a program, which replaces the one before.
    Run(Job),
    /// The value of an instruction.
    Value(ValueQuery),
    /// The value of an instruction as a file.
    Save(ValueQuery, SaveFormat),
    /// The operand cells that a cell was computed from.
    Sources(TraceQuery),
    /// The cells that a cell was computed from, back to the parameters, in pictures.
    TraceBack(TraceQuery),
    /// The cells that are computed from a cell, in pictures.
    TraceOn(TraceQuery),
    /// The executions of an instruction.
    Timeline {
        /// The instruction.
        at: InstructionKey,
        /// The array of its value, by position.
        leaf: usize,
        /// The device, from 0.
        device: u32,
    },
}

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The text. On the channel it is empty, and the text a buffer.
    pub text: String,
    /// The values of the parameters; random for those beyond the end of the list.
    pub arguments: Vec<Argument>,
    /// The seed of random arguments, and of the random number generators of the program.
    pub seed: u32,
    /// The number of simulated devices, from 1. Tasks run programs on one.
    pub devices: u32,
    /// The numbers of the files of the arguments, which are sent with the job.
    pub files: Vec<u32>,
    /// The tag of the language of messages.
    pub language: String,
}

/// The format of a file that a value is saved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SaveFormat {
    /// The shown array, as `numpy.save` writes it.
    Npy,
    /// All arrays of the value, as `numpy.savez` writes them.
    Npz,
    /// The value in the form of `eval --json`.
    Json,
}

/// The part of a value that the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueQuery {
    /// The instruction.
    pub at: InstructionKey,
    /// The execution of the instruction, from 0: bodies run several times.
    pub execution: u64,
    /// The device, from 0.
    pub device: u32,
    /// The element of the tuple, by its position among the arrays of the value.
    pub leaf: usize,
    /// The index of the first cell; empty for the first cell of the array.
    pub start: Vec<i64>,
    /// The cell that the part is to have, which decides on the array and on the first cell.
    pub cell: Option<CellRequest>,
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
    /// A trace.
    Trace(Box<Trace>),
    /// A timeline.
    Timeline(Timeline),
    /// The name of a file, whose content is the buffer sent with the frame.
    Saved(String),
}

/// A finished run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Steps that the evaluator or the plan took.
    pub steps: u64,
    /// The duration in milliseconds, without reading the text.
    pub milliseconds: u64,
    /// Whether the values of the entry computation are kept; others are computed again when they are shown.
    pub keeps_values: bool,
    /// Whether the program ran as a plan.
    pub is_planned: bool,
    /// The number of workers that have executed a plan.
    pub workers: usize,
    /// Whether the evaluator ran a program that is large enough for a plan, because plans run one device only.
    pub is_slower_on_devices: bool,
    /// The numeric events of each device.
    pub events: Vec<NumericEvents>,
}

/// Where a run on one device had special values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumericEvents {
    /// The first NaN.
    pub first_nan: Option<Event>,
    /// The first infinity that an instruction computed. Nearly every program is given one: the initial value of a maximum.
    pub first_computed_infinity: Option<Event>,
    /// The instruction with the largest growth in magnitude.
    pub largest_growth: Option<Growth>,
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
    /// The index in the array of the cell that was asked for; `None` if the value has no such cell.
    pub cell: Option<Vec<i64>>,
    /// The statistics of the array.
    pub statistics: Option<Statistics>,
}

/// Statistics of an array.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The number of elements.
    pub elements: u64,
    /// The number of NaNs.
    pub nans: u64,
    /// The number of infinities.
    pub infinities: u64,
    /// The number of zeros.
    pub zeros: u64,
    /// The number of subnormal numbers.
    pub subnormals: u64,
    /// The smallest finite value as text; empty if there is none.
    pub min: String,
    /// The largest finite value as text.
    pub max: String,
    /// The mean of the finite values as text.
    pub mean: String,
    /// The lower edge of the first bin and the upper edge of the last, as text.
    pub edges: (String, String),
    /// The number of finite values in bins of equal width.
    pub bins: Vec<u64>,
}

/// The instruction at which a run first had a NaN, or an infinity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The instruction.
    pub at: InstructionKey,
    /// Its name.
    pub name: String,
    /// Whether the instruction did not create it: it is a parameter or a constant, or has an operand with such an element.
    pub is_inherited: bool,
    /// The execution of the instruction, from 0.
    pub execution: u64,
}

/// The instruction whose result exceeds its operands by the largest factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// The instruction.
    pub at: InstructionKey,
    /// Its name.
    pub name: String,
    /// The factor by which its result exceeds its operands, as text.
    pub ratio: String,
    /// The execution of the instruction, from 0.
    pub execution: u64,
}

/// A source of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCell {
    /// The device, from 0.
    pub device: u32,
    /// The execution of the operand on it, from 0.
    pub execution: u64,
    /// The index of the operand.
    pub operand: usize,
    /// The path through the tuple of the operand.
    pub path: Vec<usize>,
    /// The index of the cell.
    pub index: Vec<i64>,
    /// Its value as text, if it is known.
    pub value: String,
}
