//! The values of a computation in memory: which buffers each instruction's value consists of, and how long they are live.

use std::collections::{BTreeMap, BTreeSet};

use xla_array::Shape;
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

use super::bytes::Bytes;
use super::roles::Role;
use super::synchronous_opcode;
use super::work::is_element_wise;

/// The maximum number of nodes per computation; beyond it a tuple is one buffer.
const MAX_NODES: usize = 1 << 22;

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A parameter of the program.
    Parameter,
    /// A constant.
    Constant,
    /// Memory of the caller: the parameter of a computation that is called.
    Callers,
    /// A temporary value, or the program's result.
    Temporary,
}

/// A value: a buffer, or a tuple of values with smaller numbers.
struct Node {
    /// The elements of a tuple; `None` for a buffer.
    elements: Option<Vec<usize>>,
    /// The instruction that makes the buffer.
    at: InstructionId,
    kind: Kind,
    bytes: u64,
    /// The index of the last instruction that reads it.
    last: usize,
}

/// The values of a computation.
pub(super) struct Values {
    nodes: Vec<Node>,
    /// The node of each instruction's value.
    of: Vec<usize>,
    /// Per instruction, the bytes of its result that have the memory of an operand.
    reused: Vec<u64>,
    /// Whether the copies that loops need are instructions, as in a module with a schedule.
    has_copies: bool,
}

impl Values {
    /// The values of a computation.
    pub(super) fn of(module: &Module, id: ComputationId, role: Role, callees: &mut Callees) -> Self {
        let Some(computation) = module.get(id) else {
            return Self { nodes: Vec::new(), of: Vec::new(), reused: Vec::new(), has_copies: true };
        };
        let count = computation.instructions.len();
        let mut values = Self {
            nodes: Vec::new(),
            of: Vec::with_capacity(count),
            reused: vec![0; count],
            has_copies: is_scheduled(module),
        };
        for (at, instruction) in computation.iter() {
            let node = values.value_of(module, at, instruction, module.entry == Some(id), callees);
            values.of.push(node);
            if !forwards(instruction) {
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
            let (last, Some(elements)) = (node.last, node.elements.take()) else { continue };
            for element in &elements {
                if let Some(element) = values.nodes.get_mut(*element) {
                    element.last = element.last.max(last);
                }
            }
            if let Some(node) = values.nodes.get_mut(number) {
                node.elements = Some(elements);
            }
        }
        if role == Role::Called {
            callees.passed.insert(id, values.passed(computation));
        }
        values.place_result(computation, role);
        values.reuse_operands(module, computation, callees);
        values
    }

    /// The node of an instruction's value.
    fn value_of(
        &mut self,
        module: &Module,
        at: InstructionId,
        instruction: &Instruction,
        is_entry: bool,
        callees: &Callees,
    ) -> usize {
        let operand = |number: usize| {
            instruction.operands.get(number).and_then(|operand| self.of.get(operand.index())).copied()
        };
        let forwarded = match instruction.opcode.as_str() {
            "tuple" => {
                let elements: Vec<usize> = (0..instruction.operands.len()).filter_map(operand).collect();
                return self.push(Node {
                    elements: Some(elements),
                    at,
                    kind: Kind::Temporary,
                    bytes: 0,
                    last: at.index(),
                });
            }
            "get-tuple-element" => match instruction.attrs.get("index") {
                Some(AttrValue::Int(index)) => operand(0).map(|tuple| self.element(tuple, *index)),
                _ => None,
            },
            "call" => return self.result_of_call(at, instruction, callees),
            "while" if self.has_copies => operand(0),
            "while" => operand(0).map(|state| self.state(module, instruction, state, at)),
            opcode if opcode.ends_with("-done") => operand(0).map(|state| match synchronous_opcode(opcode) {
                "copy" | "send" | "recv" => self.element(state, 0),
                "all-reduce" => state,
                _ => self.element(state, 1),
            }),
            _ if forwards(instruction) => operand(0),
            _ => None,
        };
        if let Some(node) = forwarded {
            return node;
        }
        let kind = match instruction.opcode.as_str() {
            "parameter" if is_entry => Kind::Parameter,
            "parameter" => Kind::Callers,
            "constant" => Kind::Constant,
            _ => Kind::Temporary,
        };
        self.allocate(&instruction.shape, at, kind)
    }

    /// The value of a call: the operands that the function returns, and new buffers for the rest.
    fn result_of_call(&mut self, at: InstructionId, instruction: &Instruction, callees: &Callees) -> usize {
        let passed = match instruction.attrs.get("to_apply") {
            Some(AttrValue::Computation(id)) => callees.passed.get(id).map_or(&[][..], Vec::as_slice),
            _ => &[],
        };
        let operand_of = |values: &Self, index: usize| {
            let passed = (*passed.get(index)?)?;
            let operand = *values.of.get(instruction.operands.get(passed.parameter)?.index())?;
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
        self.push(Node { elements: Some(elements), at, kind: Kind::Temporary, bytes: 0, last: at.index() })
    }

    /// The parameters that a function returns, for each element of its result.
    fn passed(&self, computation: &Computation) -> Vec<Option<Passed>> {
        let mut origins: BTreeMap<usize, Passed> = BTreeMap::new();
        for (parameter, at) in computation.parameters.iter().enumerate() {
            let Some(node) = self.of.get(at.index()) else { continue };
            origins.insert(*node, Passed { parameter, element: None });
            let elements = self.nodes.get(*node).and_then(|node| node.elements.as_ref());
            for (element, node) in elements.into_iter().flatten().enumerate() {
                origins.insert(*node, Passed { parameter, element: Some(element) });
            }
        }
        let Some(root) = computation.root.and_then(|root| self.of.get(root.index())) else {
            return Vec::new();
        };
        let elements = self.nodes.get(*root).and_then(|node| node.elements.as_deref());
        elements.unwrap_or(std::slice::from_ref(root)).iter().map(|node| origins.get(node).copied()).collect()
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// New buffers for a shape. The parser bounds the depth of tuples.
    fn allocate(&mut self, shape: &Shape, at: InstructionId, kind: Kind) -> usize {
        let bytes = match shape {
            Shape::Tuple(parts) if self.nodes.len().saturating_add(parts.leaves()) <= MAX_NODES => {
                let elements = parts.iter().map(|part| self.allocate(part, at, kind)).collect();
                return self.push(Node { elements: Some(elements), at, kind, bytes: 0, last: at.index() });
            }
            Shape::Array(array) => Bytes::of_array(array).memory,
            Shape::Buffer(array) => Bytes::of_array(array).memory,
            _ => 0,
        };
        self.push(Node { elements: None, at, kind, bytes, last: at.index() })
    }

    /// The element of a tuple; the value itself if it is one buffer.
    fn element(&self, tuple: usize, index: i64) -> usize {
        let elements = self.nodes.get(tuple).and_then(|node| node.elements.as_ref());
        let element = elements.and_then(|elements| elements.get(usize::try_from(index).ok()?));
        element.copied().unwrap_or(tuple)
    }

    /// The state of a loop: the initial value, with new buffers for the parameters and constants that the body replaces.
    fn state(
        &mut self,
        module: &Module,
        instruction: &Instruction,
        value: usize,
        at: InstructionId,
    ) -> usize {
        let Some(elements) = self.nodes.get(value).and_then(|node| node.elements.clone()) else {
            return self.writable(value, at);
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
        let elements = elements
            .into_iter()
            .enumerate()
            .map(|(index, element)| if is_replaced(index) { self.writable(element, at) } else { element });
        let elements = elements.collect();
        self.push(Node { elements: Some(elements), at, kind: Kind::Temporary, bytes: 0, last: at.index() })
    }

    /// The same value with new buffers in place of parameters and constants, which a loop cannot overwrite.
    fn writable(&mut self, value: usize, at: InstructionId) -> usize {
        let Some(node) = self.nodes.get(value) else { return value };
        match &node.elements {
            None if matches!(node.kind, Kind::Parameter | Kind::Constant) => {
                let bytes = node.bytes;
                self.push(Node { elements: None, at, kind: Kind::Temporary, bytes, last: at.index() })
            }
            None => value,
            Some(_) if self.nodes.len() >= MAX_NODES => value,
            Some(elements) => {
                let elements =
                    elements.clone().into_iter().map(|element| self.writable(element, at)).collect();
                self.push(Node {
                    elements: Some(elements),
                    at,
                    kind: Kind::Temporary,
                    bytes: 0,
                    last: at.index(),
                })
            }
        }
    }

    fn read(&mut self, operand: InstructionId, by: usize) {
        let node = self.of.get(operand.index()).and_then(|node| self.nodes.get_mut(*node));
        if let Some(node) = node {
            node.last = node.last.max(by);
        }
    }

    /// The result of a computation that is called has memory of the caller: that of the caller's result, or for the body
    /// of a loop that of the previous state, if the latter is no longer read when the new state is made.
    fn place_result(&mut self, computation: &Computation, role: Role) {
        let node_of = |id: Option<InstructionId>| id.and_then(|id| self.of.get(id.index())).copied();
        let (Some(result), parameter) =
            (node_of(computation.root), node_of(computation.parameters.first().copied()))
        else {
            return;
        };
        let is_loop = role == Role::LoopBody;
        if !is_loop && !matches!(role, Role::Branch | Role::Called) {
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
            let is_placed = !is_loop || old_node.is_some_and(|old| old.last <= node.at.index());
            if node.kind == Kind::Temporary
                && is_placed
                && let Some(node) = self.nodes.get_mut(new)
            {
                node.kind = Kind::Callers;
            }
        }
    }

    /// Finds results that XLA writes to the memory of an operand whose last use it is.
    fn reuse_operands(&mut self, module: &Module, computation: &Computation, callees: &mut Callees) {
        for (at, instruction) in computation.iter() {
            let Some(result) = self.of.get(at.index()).and_then(|node| self.nodes.get(*node)) else {
                continue;
            };
            if result.at != at {
                continue;
            }
            // The operands whose memory is free: of a sort by number, since its results are in the order of its operands, of
            // other ops how many there are of a size.
            let is_sort = instruction.opcode == "sort";
            let mut free: BTreeMap<(usize, u64), usize> = BTreeMap::new();
            for (number, operand) in instruction.operands.iter().enumerate() {
                let Some(node) = self.of.get(operand.index()) else { continue };
                let is_last_use = |node: &Node| node.last == at.index() && node.at != at;
                let bytes = self.nodes.get(*node).filter(|node| is_last_use(node)).and_then(temporary_bytes);
                if let Some(bytes) = bytes.filter(|_| callees.can_share(module, instruction, number)) {
                    *free.entry((if is_sort { number } else { 0 }, bytes)).or_default() += 1;
                }
            }
            if free.is_empty() {
                continue;
            }
            let whole = [self.of.get(at.index()).copied().unwrap_or_default()];
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

    /// The buffers that are live throughout: their instruction, bytes and kind.
    pub(super) fn permanent(&self) -> impl Iterator<Item = (InstructionId, u64, Kind)> {
        let is_permanent = |node: &&Node| matches!(node.kind, Kind::Parameter | Kind::Constant);
        let buffers = self.nodes.iter().filter(|node| node.elements.is_none());
        buffers.filter(is_permanent).map(|node| (node.at, node.bytes, node.kind))
    }

    /// The temporary buffers in the order of their instructions: the first and the last one, and the bytes.
    pub(super) fn temporary(&self) -> impl Iterator<Item = (InstructionId, usize, u64)> {
        self.nodes.iter().filter_map(|node| Some((node.at, node.last, temporary_bytes(node)?)))
    }

    /// The bytes of an instruction's result that have the memory of an operand.
    pub(super) fn reused_bytes(&self, at: InstructionId) -> u64 {
        self.reused.get(at.index()).copied().unwrap_or_default()
    }
}

/// The bytes of a temporary buffer.
fn temporary_bytes(node: &Node) -> Option<u64> {
    (node.elements.is_none() && node.kind == Kind::Temporary).then_some(node.bytes)
}

/// Whether an instruction's value consists of the buffers of its operands.
fn forwards(instruction: &Instruction) -> bool {
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
struct Passed {
    parameter: usize,
    element: Option<usize>,
}

/// What callers need of the computations that they call. Which ops may write their result to the memory of an operand: element-wise ops, sorts, dynamic updates and scatters, and
/// fusions of them, read an element before they write it.
#[derive(Default)]
pub(super) struct Callees {
    /// Per fused computation, whether each parameter may be overwritten.
    fusions: BTreeMap<ComputationId, Vec<bool>>,
    /// Per function, the origin of each element of its result, or of its result.
    passed: BTreeMap<ComputationId, Vec<Option<Passed>>>,
}

impl Callees {
    /// Whether the result may have the memory of this operand.
    fn can_share(&mut self, module: &Module, instruction: &Instruction, number: usize) -> bool {
        match instruction.opcode.as_str() {
            "dynamic-update-slice" | "scatter" => number == 0,
            "sort" => true,
            "fusion" => {
                let Some(AttrValue::Computation(id)) = instruction.attrs.get("calls") else { return false };
                let Some(fused) = module.get(*id) else { return false };
                let parameters = self.fusions.entry(*id).or_insert_with(|| overwritable(fused));
                parameters.get(number).copied().unwrap_or(false)
            }
            opcode => is_element_wise(opcode),
        }
    }
}

/// Whether a fusion may overwrite each of its parameters.
fn overwritable(fused: &Computation) -> Vec<bool> {
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
