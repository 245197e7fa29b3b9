//! The values of a computation in memory: the buffers of each instruction's value, and their live ranges.

use std::collections::{BTreeMap, BTreeSet};

use xla_array::Shape;
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

use super::bytes::Bytes;
use super::roles::ComputationRole;
use super::synchronous_opcode;
use super::work::is_element_wise;

/// Maximum number of nodes per computation. Beyond it, a tuple is treated as one buffer.
const MAX_NODES: usize = 1 << 22;

/// The kind of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A parameter of the program.
    Parameter,
    /// A constant.
    Constant,
    /// Memory of the caller: a parameter of a called computation, or its result.
    Caller,
    /// A temporary value, or the program's result.
    Temporary,
}

/// A value: a buffer, or a tuple of nodes with smaller indices.
struct Node {
    /// The elements of a tuple; `None` for a buffer.
    elements: Option<Vec<usize>>,
    /// The instruction that defines the buffer.
    at: InstructionId,
    kind: Kind,
    bytes: u64,
    /// The index of the last instruction that reads it.
    last_use: usize,
}

/// The values of a computation.
pub(super) struct Values {
    nodes: Vec<Node>,
    /// The node of each instruction's value.
    instruction_nodes: Vec<usize>,
    /// Per instruction, the bytes of its result that reuse the memory of an operand.
    reused: Vec<u64>,
    /// Whether the copies of loop states are instructions already, as in a scheduled module.
    has_copies: bool,
}

impl Values {
    /// The values of a computation.
    pub(super) fn of(
        module: &Module,
        id: ComputationId,
        role: ComputationRole,
        callees: &mut Callees,
    ) -> Self {
        let Some(computation) = module.get(id) else {
            return Self {
                nodes: Vec::new(),
                instruction_nodes: Vec::new(),
                reused: Vec::new(),
                has_copies: true,
            };
        };
        let count = computation.instructions.len();
        let mut values = Self {
            nodes: Vec::new(),
            instruction_nodes: Vec::with_capacity(count),
            reused: vec![0; count],
            has_copies: is_scheduled(module),
        };
        for (at, instruction) in computation.iter() {
            let node = values.add_value(module, at, instruction, module.entry == Some(id), callees);
            values.instruction_nodes.push(node);
            if !is_forwarding(instruction) {
                for operand in &instruction.operands {
                    values.read(*operand, at.index());
                }
            }
        }
        if let Some(root) = computation.root {
            values.read(root, count.saturating_sub(1));
        }
        // A use of a tuple is a use of its elements, whose numbers are smaller.
        for number in (0..values.nodes.len()).rev() {
            let Some(node) = values.nodes.get_mut(number) else { continue };
            let (last, Some(elements)) = (node.last_use, node.elements.take()) else { continue };
            for element in &elements {
                if let Some(element) = values.nodes.get_mut(*element) {
                    element.last_use = element.last_use.max(last);
                }
            }
            if let Some(node) = values.nodes.get_mut(number) {
                node.elements = Some(elements);
            }
        }
        if role == ComputationRole::Called {
            callees.forwarded.insert(id, values.forwarded_parameters(computation));
        }
        values.place_result_in_caller(computation, role);
        values.reuse_operands(module, computation, callees);
        values
    }

    /// Adds the value of an instruction; returns its node.
    fn add_value(
        &mut self,
        module: &Module,
        at: InstructionId,
        instruction: &Instruction,
        is_entry: bool,
        callees: &Callees,
    ) -> usize {
        let operand = |number: usize| {
            instruction
                .operands
                .get(number)
                .and_then(|operand| self.instruction_nodes.get(operand.index()))
                .copied()
        };
        let forwarded = match instruction.opcode.as_str() {
            "tuple" => {
                let elements: Vec<usize> = (0..instruction.operands.len()).filter_map(operand).collect();
                return self.push_tuple(elements, at, Kind::Temporary);
            }
            "get-tuple-element" => match instruction.attrs.get("index") {
                Some(AttrValue::Int(index)) => operand(0).map(|tuple| self.element(tuple, *index)),
                _ => None,
            },
            "call" => return self.add_call_result(at, instruction, callees),
            "while" if self.has_copies => operand(0),
            "while" => operand(0).map(|state| self.add_loop_state(module, instruction, state, at)),
            opcode if opcode.ends_with("-done") => operand(0).map(|state| match synchronous_opcode(opcode) {
                "copy" | "send" | "recv" => self.element(state, 0),
                "all-reduce" => state,
                _ => self.element(state, 1),
            }),
            _ if is_forwarding(instruction) => operand(0),
            _ => None,
        };
        if let Some(node) = forwarded {
            return node;
        }
        let kind = match instruction.opcode.as_str() {
            "parameter" if is_entry => Kind::Parameter,
            "parameter" => Kind::Caller,
            "constant" => Kind::Constant,
            _ => Kind::Temporary,
        };
        self.allocate(&instruction.shape, at, kind)
    }

    /// Adds the value of a call: the operands that the function returns, and new buffers for its other results.
    fn add_call_result(&mut self, at: InstructionId, instruction: &Instruction, callees: &Callees) -> usize {
        let passed = match instruction.attrs.get("to_apply") {
            Some(AttrValue::Computation(id)) => callees.forwarded.get(id).map_or(&[][..], Vec::as_slice),
            _ => &[],
        };
        let operand_of = |values: &Self, index: usize| {
            let passed = (*passed.get(index)?)?;
            let operand =
                *values.instruction_nodes.get(instruction.operands.get(passed.parameter)?.index())?;
            let Some(element) = passed.element else { return Some(operand) };
            values.nodes.get(operand)?.elements.as_ref()?.get(element).copied()
        };
        let Shape::Tuple(parts) = &instruction.shape else {
            let operand = operand_of(self, 0);
            return operand.unwrap_or_else(|| self.allocate(&instruction.shape, at, Kind::Temporary));
        };
        let mut elements = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let operand = operand_of(self, index);
            elements.push(operand.unwrap_or_else(|| self.allocate(part, at, Kind::Temporary)));
        }
        self.push_tuple(elements, at, Kind::Temporary)
    }

    /// Per element of a function's result, the parameter that it is; `None` for a computed element.
    fn forwarded_parameters(&self, computation: &Computation) -> Vec<Option<ForwardedParameter>> {
        let mut origins: BTreeMap<usize, ForwardedParameter> = BTreeMap::new();
        for (parameter, at) in computation.parameters.iter().enumerate() {
            let Some(node) = self.instruction_nodes.get(at.index()) else { continue };
            origins.insert(*node, ForwardedParameter { parameter, element: None });
            let elements = self.nodes.get(*node).and_then(|node| node.elements.as_ref());
            for (element, node) in elements.into_iter().flatten().enumerate() {
                origins.insert(*node, ForwardedParameter { parameter, element: Some(element) });
            }
        }
        let Some(root) = computation.root.and_then(|root| self.instruction_nodes.get(root.index())) else {
            return Vec::new();
        };
        let elements = self.nodes.get(*root).and_then(|node| node.elements.as_deref());
        elements.unwrap_or(std::slice::from_ref(root)).iter().map(|node| origins.get(node).copied()).collect()
    }

    /// Adds a tuple of nodes, which has no bytes of its own.
    fn push_tuple(&mut self, elements: Vec<usize>, at: InstructionId, kind: Kind) -> usize {
        self.push(Node { elements: Some(elements), at, kind, bytes: 0, last_use: at.index() })
    }

    /// Adds a buffer.
    fn push_buffer(&mut self, bytes: u64, at: InstructionId, kind: Kind) -> usize {
        self.push(Node { elements: None, at, kind, bytes, last_use: at.index() })
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds buffers for a shape; returns its node. The parser bounds the depth of tuples.
    fn allocate(&mut self, shape: &Shape, at: InstructionId, kind: Kind) -> usize {
        let bytes = match shape {
            Shape::Tuple(parts) if self.nodes.len().saturating_add(parts.leaves()) <= MAX_NODES => {
                let elements = parts.iter().map(|part| self.allocate(part, at, kind)).collect();
                return self.push_tuple(elements, at, kind);
            }
            Shape::Array(array) => Bytes::of_array(array).memory,
            Shape::Buffer(array) => Bytes::of_array(array).memory,
            _ => 0,
        };
        self.push_buffer(bytes, at, kind)
    }

    /// The element of a tuple; the value itself if it is one buffer.
    fn element(&self, tuple: usize, index: i64) -> usize {
        let elements = self.nodes.get(tuple).and_then(|node| node.elements.as_ref());
        let element = elements.and_then(|elements| elements.get(usize::try_from(index).ok()?));
        element.copied().unwrap_or(tuple)
    }

    /// Adds the state of a loop: the initial value, with new buffers for parameters and constants that the body replaces.
    fn add_loop_state(
        &mut self,
        module: &Module,
        instruction: &Instruction,
        value: usize,
        at: InstructionId,
    ) -> usize {
        let Some(elements) = self.nodes.get(value).and_then(|node| node.elements.clone()) else {
            return self.add_writable(value, at);
        };
        let body = match instruction.attrs.get("body") {
            Some(AttrValue::Computation(id)) => module.get(*id),
            _ => None,
        };
        let is_replaced = |index: usize| {
            let passed = || {
                let body = body?;
                let element = body.get(*body.root_instruction()?.operands.get(index)?)?;
                let of_parameter = element.operands.first() == body.parameters.first();
                let Some(AttrValue::Int(from)) = element.attrs.get("index") else { return None };
                let is_same = usize::try_from(*from) == Ok(index);
                Some(element.opcode == "get-tuple-element" && of_parameter && is_same)
            };
            passed() != Some(true)
        };
        let elements = elements.into_iter().enumerate().map(|(index, element)| {
            if is_replaced(index) { self.add_writable(element, at) } else { element }
        });
        let elements = elements.collect();
        self.push_tuple(elements, at, Kind::Temporary)
    }

    /// Adds a copy of a value, with new buffers in place of parameters and constants, which a loop cannot overwrite.
    fn add_writable(&mut self, value: usize, at: InstructionId) -> usize {
        let Some(node) = self.nodes.get(value) else { return value };
        match &node.elements {
            None if matches!(node.kind, Kind::Parameter | Kind::Constant) => {
                let bytes = node.bytes;
                self.push_buffer(bytes, at, Kind::Temporary)
            }
            None => value,
            Some(_) if self.nodes.len() >= MAX_NODES => value,
            Some(elements) => {
                let elements =
                    elements.clone().into_iter().map(|element| self.add_writable(element, at)).collect();
                self.push_tuple(elements, at, Kind::Temporary)
            }
        }
    }

    /// Extends the live range of an operand to the instruction with the index `by`.
    fn read(&mut self, operand: InstructionId, by: usize) {
        let node = self.instruction_nodes.get(operand.index()).and_then(|node| self.nodes.get_mut(*node));
        if let Some(node) = node {
            node.last_use = node.last_use.max(by);
        }
    }

    /// Places the result of a called computation in the caller's memory: in that of the caller's result, or for the body of a loop
    /// in that of the previous state, if it is no longer read when the new state is written.
    fn place_result_in_caller(&mut self, computation: &Computation, role: ComputationRole) {
        let node_of =
            |id: Option<InstructionId>| id.and_then(|id| self.instruction_nodes.get(id.index())).copied();
        let (Some(result), parameter) =
            (node_of(computation.root), node_of(computation.parameters.first().copied()))
        else {
            return;
        };
        let is_loop = role == ComputationRole::LoopBody;
        if !is_loop && !matches!(role, ComputationRole::Branch | ComputationRole::Called) {
            return;
        }
        let mut pending = vec![(result, parameter)];
        let mut visited = 0;
        while let Some((new, old)) = pending.pop() {
            visited += 1;
            if visited > self.nodes.len() {
                return;
            }
            let old_node = old.and_then(|old| self.nodes.get(old));
            let Some(node) = self.nodes.get(new) else { continue };
            if let Some(elements) = &node.elements {
                let olds = old_node.and_then(|node| node.elements.as_ref());
                let old_of = |index: usize| olds.and_then(|olds| olds.get(index)).copied();
                pending.extend(elements.iter().enumerate().map(|(index, new)| (*new, old_of(index))));
                continue;
            }
            let is_placed = !is_loop || old_node.is_some_and(|old| old.last_use <= node.at.index());
            if node.kind == Kind::Temporary
                && is_placed
                && let Some(node) = self.nodes.get_mut(new)
            {
                node.kind = Kind::Caller;
            }
        }
    }

    /// Finds results that XLA writes to the memory of an operand whose last use is the instruction.
    fn reuse_operands(&mut self, module: &Module, computation: &Computation, callees: &mut Callees) {
        for (at, instruction) in computation.iter() {
            let Some(result) = self.instruction_nodes.get(at.index()).and_then(|node| self.nodes.get(*node))
            else {
                continue;
            };
            if result.at != at {
                continue;
            }
            // The number of operands whose memory can be reused, by their bytes. A sort's are also keyed by their number: each of
            // its results can only reuse the operand at the same position.
            let is_sort = instruction.opcode == "sort";
            let mut free: BTreeMap<(usize, u64), usize> = BTreeMap::new();
            for (number, operand) in instruction.operands.iter().enumerate() {
                let Some(node) = self.instruction_nodes.get(operand.index()) else { continue };
                let is_last_use = |node: &Node| node.last_use == at.index() && node.at != at;
                let bytes = self.nodes.get(*node).filter(|node| is_last_use(node)).and_then(temporary_bytes);
                if let Some(bytes) = bytes.filter(|_| callees.can_share(module, instruction, number)) {
                    *free.entry((if is_sort { number } else { 0 }, bytes)).or_default() += 1;
                }
            }
            if free.is_empty() {
                continue;
            }
            let whole = [self.instruction_nodes.get(at.index()).copied().unwrap_or_default()];
            let results = result.elements.as_deref().unwrap_or(&whole);
            let mut reused = 0_u64;
            for (index, node) in results.iter().enumerate() {
                let Some(bytes) = self.nodes.get(*node).and_then(temporary_bytes) else { continue };
                let count = free.get_mut(&(if is_sort { index } else { 0 }, bytes));
                if let Some(count) = count.filter(|count| **count > 0) {
                    *count -= 1;
                    reused = reused.saturating_add(bytes);
                }
            }
            if let Some(slot) = self.reused.get_mut(at.index()) {
                *slot = reused;
            }
        }
    }

    /// The buffers that are live throughout the program: their instruction, bytes and kind.
    pub(super) fn permanent(&self) -> impl Iterator<Item = (InstructionId, u64, Kind)> {
        let is_permanent = |node: &&Node| matches!(node.kind, Kind::Parameter | Kind::Constant);
        let buffers = self.nodes.iter().filter(|node| node.elements.is_none());
        buffers.filter(is_permanent).map(|node| (node.at, node.bytes, node.kind))
    }

    /// The temporary buffers in the order of their instructions: the defining instruction, the last use, and the bytes.
    pub(super) fn temporary(&self) -> impl Iterator<Item = (InstructionId, usize, u64)> {
        self.nodes.iter().filter_map(|node| Some((node.at, node.last_use, temporary_bytes(node)?)))
    }

    /// The bytes of an instruction's result that reuse the memory of an operand.
    pub(super) fn reused_bytes(&self, at: InstructionId) -> u64 {
        self.reused.get(at.index()).copied().unwrap_or_default()
    }
}

/// The bytes of a temporary buffer.
fn temporary_bytes(node: &Node) -> Option<u64> {
    (node.elements.is_none() && node.kind == Kind::Temporary).then_some(node.bytes)
}

/// Whether an instruction's value consists of its operands' buffers.
fn is_forwarding(instruction: &Instruction) -> bool {
    matches!(
        instruction.opcode.as_str(),
        "tuple" | "get-tuple-element" | "bitcast" | "opt-barrier" | "add-dependency" | "domain"
    ) || instruction.opcode.ends_with("-update")
}

/// Whether the order of the module's instructions is a schedule.
pub(super) fn is_scheduled(module: &Module) -> bool {
    module.header.iter().any(|(name, text)| name == "is_scheduled" && text == "true")
}

/// A parameter that a function returns: its number, and the index of the element if it is a tuple.
#[derive(Clone, Copy)]
struct ForwardedParameter {
    parameter: usize,
    element: Option<usize>,
}

/// Summaries of called computations for their callers.
#[derive(Default)]
pub(super) struct Callees {
    /// Per fused computation, whether each parameter may be overwritten.
    fusions: BTreeMap<ComputationId, Vec<bool>>,
    /// Per function, the parameter that each element of its result is; a result that is not a tuple counts as one element.
    forwarded: BTreeMap<ComputationId, Vec<Option<ForwardedParameter>>>,
}

impl Callees {
    /// Whether the result may reuse the memory of this operand: element-wise ops, sorts, dynamic updates, scatters, and fusions of
    /// them read each element before they write it.
    fn can_share(&mut self, module: &Module, instruction: &Instruction, number: usize) -> bool {
        match instruction.opcode.as_str() {
            "dynamic-update-slice" | "scatter" => number == 0,
            "sort" => true,
            "fusion" => {
                let Some(AttrValue::Computation(id)) = instruction.attrs.get("calls") else { return false };
                let Some(fused) = module.get(*id) else { return false };
                let parameters = self.fusions.entry(*id).or_insert_with(|| overwritable_parameters(fused));
                parameters.get(number).copied().unwrap_or(false)
            }
            opcode => is_element_wise(opcode),
        }
    }
}

/// Whether a fusion may overwrite each of its parameters.
fn overwritable_parameters(fused: &Computation) -> Vec<bool> {
    let is_update = |root: &&Instruction| matches!(root.opcode.as_str(), "dynamic-update-slice" | "scatter");
    let updated = fused.root_instruction().filter(is_update);
    let updated = updated.and_then(|root| root.operands.first().copied());
    let is_element_wise = fused.instructions.iter().all(|instruction| {
        matches!(instruction.opcode.as_str(), "parameter" | "constant" | "iota" | "broadcast")
            || is_element_wise(&instruction.opcode)
    });
    // A broadcast reads elements after others have been written.
    let broadcasts = fused.instructions.iter().filter(|instruction| instruction.opcode == "broadcast");
    let repeated: BTreeSet<InstructionId> =
        broadcasts.filter_map(|broadcast| broadcast.operands.first().copied()).collect();
    let is_overwritable = |parameter: &InstructionId| {
        updated == Some(*parameter) || is_element_wise && !repeated.contains(parameter)
    };
    fused.parameters.iter().map(is_overwritable).collect()
}
