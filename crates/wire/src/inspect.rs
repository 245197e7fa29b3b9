//! The JSON of `inspect`: the cost of a program, or the buffers of a memory report.

use serde::Serialize;

use xla_array::Shape;
use xla_hlo::Module;
use xla_inspect::performance::chain::{Chain, DataMovement, Reason};
use xla_inspect::performance::movement::Movement;
use xla_inspect::performance::{InstructionRef, Performance, instruction};
use xla_inspect::report::suggest::{Change, suggestions};
use xla_inspect::report::{Buffer, Report};
use xla_inspect::source::Sources;
use xla_inspect::source::groups::{Group, GroupBy, GroupKey, groups};

/// The cost of a program. `copies`, `padding`, `values` and `sources` are sorted, largest first.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramReport {
    /// The name of the module.
    pub module: String,
    /// Arithmetic operations, as XLA counts them, with loops multiplied by their trip counts.
    pub flops: u64,
    /// Evaluations of transcendental functions.
    pub transcendentals: u64,
    /// Bytes read from memory.
    pub bytes_read: u64,
    /// Bytes written to memory.
    pub bytes_written: u64,
    /// Arithmetic intensity: FLOPs per byte; null if no memory is accessed.
    pub intensity: Option<f64>,
    /// Instructions of unknown cost (custom calls).
    pub unknown_instructions: u64,
    /// Loops that count as one iteration because their trip count is unknown.
    pub unknown_loops: u64,
    /// Instructions that only move bytes: copies, transposes, reshapes, `bitcast-convert`s, and fusions of these.
    pub copies: Vec<CopyReport>,
    /// The total number of copies; `copies` may list fewer.
    pub copy_count: usize,
    /// The bytes that all copies read and write.
    pub copy_bytes: u64,
    /// Shapes padded to whole tiles.
    pub padding: Vec<PaddingReport>,
    /// The bytes of padding of all values.
    pub padding_bytes: u64,
    /// Live memory.
    pub memory: PeakReport,
    /// Instructions by source location.
    pub sources: Vec<SourceReport>,
}

/// A copy, transpose, reshape or `bitcast-convert`, or a fusion of these.
#[derive(Clone, Debug, Serialize)]
pub struct CopyReport {
    /// The computation.
    pub computation: String,
    /// The instruction.
    pub instruction: String,
    /// Its opcode.
    pub opcode: String,
    /// Whether it changes the order of dimensions in memory.
    pub changes_order: bool,
    /// The bytes that all executions read and write.
    pub bytes: u64,
    /// The number of its executions.
    pub executions: u64,
    /// The instructions that determine the layout it reads.
    pub source: ChainReport,
    /// The instructions that require the layout it writes.
    pub demand: ChainReport,
}

/// A chain of instructions to the one that determines a layout.
#[derive(Clone, Debug, Serialize)]
pub struct ChainReport {
    /// The instructions, from the copy's neighbour on.
    pub path: Vec<String>,
    /// `entry-parameter`, `entry-result`, `loop-state`, `branch`, `call`, `constant`, `operand`, `result`, `movement` or
    /// `unknown`.
    pub reason: &'static str,
    /// The index of the parameter or operand.
    pub number: Option<usize>,
    /// The opcode of the last instruction.
    pub opcode: Option<String>,
}

/// A shape padded to whole tiles.
#[derive(Clone, Debug, Serialize)]
pub struct PaddingReport {
    /// In XLA's syntax.
    pub shape: String,
    /// The number of values of this shape.
    pub count: u64,
    /// The bytes of the elements of one value.
    pub data_bytes: u64,
    /// The bytes of one value in memory.
    pub memory_bytes: u64,
    /// The first instruction with such a value.
    pub instruction: String,
    /// The suggestion that saves the most by changing only the order of dimensions; null if there is none.
    pub suggestion: Option<SuggestionReport>,
}

/// A layout or size that wastes less.
#[derive(Clone, Debug, Serialize)]
pub struct SuggestionReport {
    /// `order` (permutes dimensions), `merge` (merges two) or `size` (changes a size).
    pub change: &'static str,
    /// The changed shape.
    pub shape: String,
    /// Its bytes in memory.
    pub memory_bytes: u64,
    /// The bytes that it saves.
    pub saved_bytes: u64,
}

/// The peak of live memory.
#[derive(Clone, Debug, Serialize)]
pub struct PeakReport {
    /// Whether the module is scheduled (`is_scheduled=true`); otherwise text order is assumed.
    pub is_scheduled: bool,
    /// The bytes at the peak.
    pub peak_bytes: u64,
    /// The instruction at the peak, then those in the computations that it calls.
    pub path: Vec<String>,
    /// The values that are live at the peak.
    pub values: Vec<ValueReport>,
    /// The live bytes at each instruction of the entry computation.
    pub timeline: Vec<u64>,
}

/// A value that is live at the peak.
#[derive(Clone, Debug, Serialize)]
pub struct ValueReport {
    /// The instruction that defines it.
    pub instruction: String,
    /// Its shape.
    pub shape: String,
    /// The bytes that are live.
    pub bytes: u64,
}

/// The instructions of a source location.
#[derive(Clone, Debug, Serialize)]
pub struct SourceReport {
    /// The file; null if it is unknown, or if groups are by `op_name`.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// The function.
    pub function: Option<String>,
    /// A prefix of `op_name`.
    pub op_name: Option<String>,
    /// The number of instructions.
    pub instructions: usize,
    /// Their FLOPs.
    pub flops: u64,
    /// Their evaluations of transcendental functions.
    pub transcendentals: u64,
    /// The bytes that they access.
    pub bytes: u64,
}

/// The name of an instruction; its opcode if it has none.
fn name(module: &Module, at: InstructionRef) -> String {
    instruction(module, at).map_or_else(String::new, |found| found.display_name().to_owned())
}

impl ChainReport {
    fn of(module: &Module, chain: &Chain) -> Self {
        let (reason, number) = match chain.reason {
            Reason::EntryParameter(number) => ("entry-parameter", Some(number)),
            Reason::EntryResult => ("entry-result", None),
            Reason::LoopState => ("loop-state", None),
            Reason::Branch => ("branch", None),
            Reason::Call => ("call", None),
            Reason::Constant => ("constant", None),
            Reason::Operand(number) => ("operand", Some(number)),
            Reason::Result => ("result", None),
            Reason::Movement => ("movement", None),
            Reason::Unknown => ("unknown", None),
        };
        let last = chain.path.last().and_then(|at| instruction(module, *at));
        Self {
            path: chain.path.iter().map(|at| name(module, *at)).collect(),
            reason,
            number,
            opcode: last.map(|instruction| instruction.opcode.clone()),
        }
    }
}

impl CopyReport {
    fn of(module: &Module, copy: &DataMovement) -> Self {
        Self {
            computation: module.get(copy.at.0).map_or_else(String::new, |c| c.name.clone()),
            instruction: name(module, copy.at),
            opcode: instruction(module, copy.at).map_or_else(String::new, |i| i.opcode.clone()),
            changes_order: matches!(copy.movement, Movement::Relayout { .. }),
            bytes: copy.bytes(),
            executions: copy.executions,
            source: ChainReport::of(module, &copy.source),
            demand: ChainReport::of(module, &copy.demand),
        }
    }
}

/// The suggestions for an array, at most `limit`.
fn suggestions_for(array: &xla_array::ArrayShape, limit: usize) -> Vec<SuggestionReport> {
    let report = |suggestion: xla_inspect::report::suggest::Suggestion| SuggestionReport {
        change: match suggestion.change {
            Change::Order(_) => "order",
            Change::Merge { .. } => "merge",
            Change::Size { .. } => "size",
        },
        shape: Shape::Array(suggestion.array).to_string(),
        memory_bytes: suggestion.bytes.memory,
        saved_bytes: suggestion.saved,
    };
    suggestions(array).into_iter().take(limit).map(report).collect()
}

impl SourceReport {
    fn of(sources: &Sources, group: &Group) -> Self {
        let file = |index: usize| sources.files().get(index).cloned();
        let (file, line, function, op_name) = match &group.key {
            GroupKey::File(index) => (file(*index), None, None, None),
            GroupKey::Line(index, line) => (file(*index), Some(*line), None, None),
            GroupKey::Function(index, function) => {
                (file(*index), None, sources.functions().get(*function).cloned(), None)
            }
            GroupKey::OpName(name) => (None, None, None, Some(name.clone())),
            GroupKey::Unknown => (None, None, None, None),
        };
        Self {
            file,
            line,
            function,
            op_name,
            instructions: group.instructions.len(),
            flops: group.cost.flops,
            transcendentals: group.cost.transcendentals,
            bytes: group.cost.bytes(),
        }
    }
}

impl ProgramReport {
    /// The report of a module, with at most `limit` entries in each list.
    pub fn of(module: &Module, by: GroupBy, limit: usize) -> Self {
        let (performance, sources) = (Performance::of(module), Sources::of(module));
        let total = performance.costs.total();
        let padded = performance.padding.shapes.iter().take(limit).map(|shape| PaddingReport {
            shape: Shape::Array(shape.array.clone()).to_string(),
            count: shape.count,
            data_bytes: shape.bytes.data,
            memory_bytes: shape.bytes.memory,
            instruction: name(module, shape.first),
            suggestion: suggestions_for(&shape.array, usize::MAX)
                .into_iter()
                .find(|suggestion| suggestion.change == "order"),
        });
        let peak = &performance.memory.peak;
        let values = peak.values.iter().take(limit).map(|value| ValueReport {
            instruction: name(module, value.at),
            shape: instruction(module, value.at).map_or_else(String::new, |i| i.shape.to_string()),
            bytes: value.bytes,
        });
        let timeline = module.entry.and_then(|entry| performance.memory.timelines.get(entry.0 as usize));
        let source_groups = groups(module, &sources, &performance.costs, &performance.roles, by);
        Self {
            module: module.name.clone(),
            flops: total.flops,
            transcendentals: total.transcendentals,
            bytes_read: total.bytes_read,
            bytes_written: total.bytes_written,
            intensity: total.intensity(),
            unknown_instructions: total.unknown,
            unknown_loops: total.unknown_loops,
            copies: performance.copies.iter().take(limit).map(|copy| CopyReport::of(module, copy)).collect(),
            copy_count: performance.copies.len(),
            copy_bytes: performance.copies.iter().fold(0, |sum: u64, copy| sum.saturating_add(copy.bytes())),
            padding: padded.collect(),
            padding_bytes: performance.padding.total.padding(),
            memory: PeakReport {
                is_scheduled: performance.memory.is_scheduled,
                peak_bytes: peak.bytes,
                path: peak.path.iter().map(|at| name(module, *at)).collect(),
                values: values.collect(),
                timeline: timeline.map(|timeline| timeline.live.clone()).unwrap_or_default(),
            },
            sources: source_groups
                .iter()
                .take(limit)
                .map(|group| SourceReport::of(&sources, group))
                .collect(),
        }
    }
}

/// A memory report.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryReport {
    /// The bytes that the program needs.
    pub used_bytes: Option<u64>,
    /// The bytes that are available.
    pub capacity_bytes: Option<u64>,
    /// The bytes of the allocation that failed.
    pub requested_bytes: Option<u64>,
    /// The bytes of padding of all buffers.
    pub padding_bytes: u64,
    /// The buffers, those with the most padding first.
    pub buffers: Vec<BufferReport>,
    /// The total number of buffers; `buffers` may list fewer.
    pub buffer_count: usize,
}

/// A buffer of a memory report.
#[derive(Clone, Debug, Serialize)]
pub struct BufferReport {
    /// The shape as written.
    pub shape: String,
    /// The bytes in memory.
    pub memory_bytes: u64,
    /// The bytes of padding.
    pub padding_bytes: u64,
    /// The name of the instruction, as the report prints it.
    pub label: Option<String>,
    /// The operator, as the report prints it: `op_type` and `op_name`.
    pub operator: Option<String>,
    /// The line of the report, from 1.
    pub line: usize,
    /// Layouts and sizes that waste less.
    pub suggestions: Vec<SuggestionReport>,
}

/// Maximum number of suggestions for a buffer.
const MAX_SUGGESTIONS: usize = 3;

impl BufferReport {
    fn of(buffer: &Buffer) -> Self {
        Self {
            shape: buffer.shape_text.clone(),
            memory_bytes: buffer.memory(),
            padding_bytes: buffer.padding(),
            label: buffer.label.clone(),
            operator: buffer.operator.clone(),
            line: buffer.line + 1,
            suggestions: buffer
                .array
                .as_ref()
                .map(|array| suggestions_for(array, MAX_SUGGESTIONS))
                .unwrap_or_default(),
        }
    }
}

impl MemoryReport {
    /// The serializable form of a memory report, with at most `limit` buffers.
    pub fn of(report: &Report, limit: usize) -> Self {
        Self {
            used_bytes: report.used,
            capacity_bytes: report.capacity,
            requested_bytes: report.requested,
            padding_bytes: report.padding(),
            buffers: report.buffers.iter().take(limit).map(BufferReport::of).collect(),
            buffer_count: report.buffers.len(),
        }
    }
}
