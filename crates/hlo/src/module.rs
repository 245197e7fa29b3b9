//! A module as data: computations in source order, callees first, each with its instructions.
//!
//! Invariants: an [`InstructionId`] is an index within its computation, a [`ComputationId`] within the module; operands
//! and callees have smaller ids, so that there are no cycles; every name is unique in its scope.

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::locations::{Locations, SourceLocation, SourceMetadata, fields};
use xla_array::Shape;
use xla_messages::bug::OrBug as _;
use xla_messages::diagnostic::Span;
use xla_messages::escape;
use xla_ops::{Attrs, ComputationId, OpContext, OpDef, Signature};

/// Maximum nesting depth of operands, bodies and calls: parser and evaluator recurse on it.
pub const MAX_NESTING_DEPTH: usize = 64;

/// Attributes that any instruction may have, and that do not affect its value.
const ANNOTATIONS: &[&str] = &[
    "metadata",
    "sharding",
    "frontend_attributes",
    "backend_config",
    "control-predecessors",
    "parameter_replication",
    "statistics",
    "origin",
    "result_accuracy",
];

/// Whether an attribute is an annotation, which does not affect the value.
pub(crate) fn is_annotation(name: &str) -> bool {
    ANNOTATIONS.contains(&name)
}

/// The index of an instruction in its computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstructionId(pub u32);

impl InstructionId {
    /// The id of the instruction at an index. More than 2^32 instructions do not fit in memory.
    pub(crate) fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).or_bug(u32::MAX, "more than 2^32 instructions"))
    }

    /// The id as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The id of the computation at an index of the module. More than 2^32 computations do not fit in memory.
pub(crate) fn computation_id(index: usize) -> ComputationId {
    ComputationId(u32::try_from(index).or_bug(u32::MAX, "more than 2^32 computations"))
}

/// The spans of the parts of an instruction in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionSpans {
    /// The whole instruction, including `ROOT`.
    pub whole: Span,
    /// The name; empty if it has none.
    pub name: Span,
    /// The shape; if none is written, empty and before the opcode.
    pub shape: Span,
    /// The span of the opcode.
    pub opcode: Span,
    /// The span of each operand.
    pub operands: Vec<Span>,
    /// The value of each attribute, by name.
    pub attrs: Vec<(&'static str, Span)>,
}

/// An instruction of a computation, with its shape, operands and attributes.
#[derive(Clone)]
pub struct Instruction {
    /// Its name, without `%`; empty for one nested in the operands of another.
    pub name: String,
    /// Its opcode as written.
    pub opcode: String,
    /// Its op; `None` for an unknown opcode.
    pub op: Option<&'static dyn OpDef>,
    /// The shape of its value, with layouts.
    pub shape: Shape,
    /// Whether the shape is unreliable because of an earlier error.
    pub is_invalid: bool,
    /// The instructions whose values it reads.
    pub operands: SmallVec<[InstructionId; 3]>,
    /// Its typed attributes.
    pub attrs: Attrs,
    /// Attributes that do not affect the value (`metadata`, `sharding`, …), and all attributes of an unknown opcode:
    /// names and texts, in source order.
    pub annotations: Vec<(String, String)>,
    /// The spans of its parts in the source.
    pub spans: InstructionSpans,
}

impl std::fmt::Debug for Instruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {} {}{:?} {:?}", self.name, self.shape, self.opcode, self.operands, self.attrs)
    }
}

impl Instruction {
    /// Its name, or its opcode if it has none.
    pub fn display_name(&self) -> &str {
        if self.name.is_empty() { &self.opcode } else { &self.name }
    }

    /// Its name, or its id, such as `#3`, if it has none: unique in its computation.
    pub fn unique_name(&self, id: InstructionId) -> String {
        if self.name.is_empty() { format!("#{}", id.0) } else { self.name.clone() }
    }

    /// The span of the value of an attribute.
    pub fn attribute_span(&self, name: &str) -> Option<Span> {
        self.spans.attrs.iter().find(|(other, _)| *other == name).map(|(_, span)| *span)
    }

    /// The span of the argument that some ops have instead of operands, e.g. the literal of a constant.
    pub fn argument_span(&self) -> Option<Span> {
        self.attribute_span(self.op?.meta().inline_attr.as_ref()?.name)
    }

    /// The text of an annotation, by name.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str())
    }

    /// The source location in its metadata; [`Module::source_locations`] resolves it.
    pub fn source_metadata(&self) -> SourceMetadata {
        self.annotation("metadata").map(SourceMetadata::parse).unwrap_or_default()
    }

    /// The unescaped `op_name` of its metadata: its name in the program it was compiled from.
    pub fn op_name(&self) -> Option<String> {
        let text = fields(self.annotation("metadata")?).remove("op_name")?;
        let bytes = escape::c::unescape(text.get(1..text.len().checked_sub(1)?)?).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A computation: its instructions, parameters and root.
#[derive(Clone, Debug)]
pub struct Computation {
    /// Its name, without `%`; empty for a body written within an attribute.
    pub name: String,
    /// Its instructions; operands precede their users.
    pub instructions: Vec<Instruction>,
    /// The instruction whose value is the result; `None` only if there are no instructions.
    pub root: Option<InstructionId>,
    /// The instruction of each parameter, by parameter number.
    pub parameters: Vec<InstructionId>,
    /// Depth of its call tree; 1 if it calls nothing.
    pub depth: usize,
    /// Attributes after its closing brace (`execution_thread="…"`): names and texts.
    pub annotations: Vec<(String, String)>,
    /// Its span in the source.
    pub span: Span,
    /// The signature, cached because every caller compares it.
    pub(super) signature: OnceLock<Option<Signature>>,
}

impl Computation {
    /// The instruction with this id.
    pub fn get(&self, id: InstructionId) -> Option<&Instruction> {
        self.instructions.get(id.index())
    }

    /// The id of the instruction with this name.
    pub fn find(&self, name: &str) -> Option<InstructionId> {
        let index = self.instructions.iter().position(|i| !name.is_empty() && i.name == name)?;
        Some(InstructionId::from_index(index))
    }

    /// Every instruction with its id, in order.
    pub fn iter(&self) -> impl Iterator<Item = (InstructionId, &Instruction)> {
        (0..).map(InstructionId).zip(&self.instructions)
    }

    /// The instruction whose value is the result.
    pub fn root_instruction(&self) -> Option<&Instruction> {
        self.get(self.root?)
    }

    /// The shapes of parameters and result. Cached on the first call, so the computation must be complete.
    pub fn signature(&self) -> Option<&Signature> {
        let signature = || {
            let shapes = self.parameters.iter().filter_map(|id| Some(self.get(*id)?.shape.clone()));
            Some(Signature { parameters: shapes.collect(), result: self.root_instruction()?.shape.clone() })
        };
        self.signature.get_or_init(signature).as_ref()
    }
}

/// The `entry_computation_layout`: shapes and layouts of parameters and result.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryLayout {
    /// The shape of each parameter.
    pub parameters: Vec<Shape>,
    /// The shape of the result.
    pub result: Shape,
}

/// An HLO module: its computations, the attributes of its header, and source locations.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The name after `HloModule`.
    pub name: String,
    /// The attributes of the header except `entry_computation_layout`: names and texts, in source order.
    pub header: Vec<(String, String)>,
    /// The number of header attributes before `entry_computation_layout`.
    pub entry_layout_at: usize,
    /// The `entry_computation_layout`, if it is written.
    pub entry_layout: Option<EntryLayout>,
    /// The text of the tables of source locations.
    pub tables: String,
    /// The tables of source locations.
    pub locations: Locations,
    /// The computations, callees before callers.
    pub computations: Vec<Computation>,
    /// The entry computation.
    pub entry: Option<ComputationId>,
}

impl Module {
    /// The source locations of an instruction: its own, then those of the callers. Empty if unknown.
    ///
    /// ```
    /// let text = "HloModule m
    /// FileNames
    /// 1 \"a.py\"
    /// FunctionNames
    /// 1 \"f\"
    /// FileLocations
    /// 1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=5 end_column=9}
    /// StackFrames
    /// 1 {file_location_id=1 parent_frame_id=1}
    /// ENTRY e { x = f32[] parameter(0) ROOT y = negate(x), metadata={op_name=\"neg\" stack_frame_id=1} }";
    /// let module = xla_hlo::parse(text).into_module().unwrap();
    /// let source = module.entry_computation().and_then(|e| e.root_instruction()).unwrap().source_metadata();
    /// let found = module.source_locations(&source)[0];
    /// assert_eq!((found.file, found.function, found.line), ("a.py", "f", 3));
    /// ```
    pub fn source_locations<'a>(&'a self, source: &'a SourceMetadata) -> Vec<SourceLocation<'a>> {
        self.locations.of_metadata(source)
    }

    /// The number of replicas that the header states (`replica_count`), 1 by default.
    pub fn replicas(&self) -> usize {
        self.header_count("replica_count")
    }

    /// The number of partitions of each replica that the header states (`num_partitions`), 1 by default.
    pub fn partitions(&self) -> usize {
        self.header_count("num_partitions")
    }

    fn header_count(&self, name: &str) -> usize {
        let stated = self.header.iter().find(|(other, _)| other == name);
        stated.and_then(|(_, count)| count.parse().ok()).unwrap_or(1).max(1)
    }

    /// The computation with this id.
    pub fn get(&self, id: ComputationId) -> Option<&Computation> {
        self.computations.get(id.0 as usize)
    }

    /// The id of the computation with this name.
    pub fn find(&self, name: &str) -> Option<ComputationId> {
        let index = self.computations.iter().position(|c| !name.is_empty() && c.name == name)?;
        Some(computation_id(index))
    }

    /// The entry computation.
    pub fn entry_computation(&self) -> Option<&Computation> {
        self.get(self.entry?)
    }

    /// The `entry_computation_layout`: the written one, else the shapes of the entry's parameters and root.
    pub fn interface(&self) -> Option<EntryLayout> {
        self.entry_layout.clone().or_else(|| {
            let Signature { parameters, result } = self.entry_computation()?.signature()?.clone();
            Some(EntryLayout { parameters, result })
        })
    }

    /// The context for shape inference of an instruction. `operands` are the shapes of its operands (see
    /// [`Module::operand_shapes`]), `written` is the shape written before the opcode. `None` for an unknown opcode.
    pub fn infer<'a>(
        &'a self,
        instruction: &'a Instruction,
        operands: &'a [&'a Shape],
        written: Option<&'a Shape>,
        edition: xla_array::Edition,
    ) -> Option<OpContext<'a>> {
        let meta = instruction.op?.meta();
        Some(OpContext { meta, operands, attrs: &instruction.attrs, written, computations: self, edition })
    }

    /// The shapes of an instruction's operands.
    pub fn operand_shapes<'a>(computation: &'a Computation, instruction: &Instruction) -> Vec<&'a Shape> {
        instruction.operands.iter().filter_map(|id| Some(&computation.get(*id)?.shape)).collect()
    }
}
