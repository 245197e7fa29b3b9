//! The wire types of the costs view.

use serde::{Deserialize, Serialize};

use crate::state::program::references::InstructionKey;

/// A query of the costs view. There are several, so that other queries need not wait for all of the costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    /// Operations and bytes of the program, and the most expensive instructions.
    Totals,
    /// The live bytes over the program's time.
    Memory,
    /// Copies and transposes, and what forced each.
    Movements,
    /// The padding of tiled layouts.
    Padding,
}

impl Query {
    /// All queries, in the order they are asked.
    pub const ALL: [Self; 4] = [Self::Totals, Self::Padding, Self::Memory, Self::Movements];
}

/// The answer to a query of the costs view. Lists have a bounded number of rows; those with the most bytes come first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// To [`Query::Totals`].
    Totals(Totals),
    /// To [`Query::Memory`].
    Memory(Memory),
    /// To [`Query::Movements`].
    Movements(Movements),
    /// To [`Query::Padding`].
    Padding(Padding),
}

/// An instruction in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The instruction.
    pub at: InstructionKey,
    /// Its name; `#` and its position if it has none.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
}

/// The costs of the program; loops count once per iteration, if the trip count is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Arithmetic operations, as XLA counts them.
    pub flops: u64,
    /// Evaluations of transcendental functions.
    pub transcendentals: u64,
    /// Bytes read from memory.
    pub bytes_read: u64,
    /// Bytes written to memory.
    pub bytes_written: u64,
    /// FLOPs per byte; `None` if no memory is accessed.
    pub intensity: Option<f64>,
    /// Custom calls, whose cost is unknown.
    pub unknown_instructions: u64,
    /// Loops that count as one iteration.
    pub unknown_loops: u64,
    /// The instructions with the most memory traffic.
    pub by_bytes: Vec<Expensive>,
    /// The instructions with the most operations.
    pub by_flops: Vec<Expensive>,
}

/// The cost of an instruction in all of its executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expensive {
    /// The instruction.
    pub instruction: Named,
    /// Its shape.
    pub shape: String,
    /// Arithmetic operations.
    pub flops: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// How often it is executed.
    pub executions: u64,
}

/// The live bytes over the program's time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Whether the text states its schedule; else its order is assumed.
    pub is_scheduled: bool,
    /// The bytes of the parameters, which are live throughout.
    pub parameter_bytes: u64,
    /// The bytes of the constants, which are live throughout.
    pub constant_bytes: u64,
    /// The bytes at the peak.
    pub peak_bytes: u64,
    /// The number of instructions of the entry computation.
    pub instructions: usize,
    /// The steps of the entry computation; in a long program each is the largest of some.
    pub timeline: Vec<Step>,
    /// The instruction at the peak, then those in the computations that it calls.
    pub path: Vec<Named>,
    /// The values that are live at the peak.
    pub values: Vec<LiveValue>,
    /// The number of all of them.
    pub value_count: usize,
}

/// A step of the entry computation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The instruction.
    pub instruction: u32,
    /// Its name.
    pub name: String,
    /// The bytes that are live while it is executed.
    pub bytes: u64,
}

/// A value that is live at the peak.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveValue {
    /// The instruction that makes it.
    pub instruction: Named,
    /// Its shape.
    pub shape: String,
    /// Its bytes.
    pub bytes: u64,
    /// Whether it is live throughout.
    pub is_permanent: bool,
}

/// Copies and transposes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movements {
    /// Those that move bytes.
    pub moving: Vec<Moving>,
    /// The number of all that do.
    pub moving_count: usize,
    /// The bytes that all of them read and write.
    pub moving_bytes: u64,
    /// Bitcasts, and reshapes, transposes and copies whose layouts make them one.
    pub free: Vec<Free>,
    /// The number of all of those.
    pub free_count: usize,
}

/// An instruction that moves bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moving {
    /// The instruction.
    pub instruction: Named,
    /// The shape that it reads.
    pub from: String,
    /// The shape that it writes.
    pub to: String,
    /// The fragment of a link that shows the written array on the Layout screen.
    pub layout: Option<String>,
    /// Whether it changes the order of dimensions in memory.
    pub changes_order: bool,
    /// The bytes that all executions read and write.
    pub bytes: u64,
    /// How often it is executed.
    pub executions: u64,
    /// What determines the layout that it reads.
    pub source: Chain,
    /// What requires the layout that it writes.
    pub demand: Chain,
}

/// An instruction that moves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Free {
    /// The instruction.
    pub instruction: Named,
    /// The shape that it reads.
    pub from: String,
    /// The shape that it writes.
    pub to: String,
}

/// The instructions from a copy to what determines its layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The reason, in the language of the query.
    pub reason: String,
    /// The first instructions, from the neighbour of the copy on, and the last one.
    pub path: Vec<Named>,
    /// The number of those between them.
    pub omitted: usize,
}

/// The padding of tiled layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Padding {
    /// The padded shapes, those with the most bytes of padding first.
    pub shapes: Vec<Padded>,
    /// The number of all of them.
    pub shape_count: usize,
    /// The bytes of the elements of all values.
    pub data_bytes: u64,
    /// The bytes of all values in memory.
    pub memory_bytes: u64,
}

impl Padding {
    /// The bytes of padding.
    pub fn wasted_bytes(&self) -> u64 {
        self.memory_bytes.saturating_sub(self.data_bytes)
    }

    /// Whether more than half of the bytes of all values are padding, which makes it the main cost of the program.
    pub fn is_excessive(&self) -> bool {
        self.wasted_bytes() > self.memory_bytes / 2
    }
}

/// A padded shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Padded {
    /// The first instruction with such a value.
    pub first: Named,
    /// The shape.
    pub shape: String,
    /// The fragment of a link that shows it on the Layout screen.
    pub layout: String,
    /// The number of values of this shape.
    pub count: u64,
    /// The bytes of the elements of one value.
    pub data_bytes: u64,
    /// The bytes of one value in memory.
    pub memory_bytes: u64,
    /// An order of the dimensions that saves the most: its shape, the link to it, and the bytes it saves per value.
    pub better: Option<(String, String, u64)>,
}
