//! Memory over the run of a program: the live bytes at each instruction in schedule order, and the peak.
//!
//! The order is that of the text, which is the schedule if the module says `is_scheduled=true`, and one possible schedule
//! otherwise. A value is live from the instruction that defines it to its last use. Parameters and constants of the program
//! are live throughout, its result from its definition to the end. Buffers that XLA shares count once: those of bitcasts,
//! tuples, the state of a loop, and of element-wise ops and dynamic updates whose operand is not used afterwards. The sum
//! has no fragmentation or alignment.

use super::values::{Callees, Kind, Values, is_scheduled};
use super::{InstructionRef, computations};
use xla_hlo::{Computation, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// The live bytes of a computation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Per instruction, the bytes that are live while it is executed, including those of the computations that it calls. For
    /// a computation other than the entry, the caller's live bytes are not included.
    pub live: Vec<u64>,
    /// The instruction at the peak.
    pub peak: Option<InstructionId>,
}

impl Timeline {
    /// The bytes at the peak.
    pub fn peak_bytes(&self) -> u64 {
        self.peak.and_then(|at| self.live.get(at.index())).copied().unwrap_or_default()
    }
}

/// A value that is live at the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveValue {
    /// The instruction that defines it.
    pub at: InstructionRef,
    /// Its bytes in memory; of a tuple, those of its live elements.
    pub bytes: u64,
    /// Whether it is live throughout: a parameter of the program or a constant.
    pub is_permanent: bool,
}

/// The peak of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// The bytes that are live.
    pub bytes: u64,
    /// The instruction at the peak in the entry computation, then those in the computations that it calls.
    pub path: Vec<InstructionRef>,
    /// The values that are live, those with the most bytes first.
    pub values: Vec<LiveValue>,
}

/// The memory of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Whether the module states its schedule.
    pub is_scheduled: bool,
    /// The bytes of parameters of the program.
    pub parameter_bytes: u64,
    /// The bytes of constants, which are live throughout.
    pub constant_bytes: u64,
    /// By computation; empty for those whose values are not in memory.
    pub timelines: Vec<Timeline>,
    /// The peak.
    pub peak: Peak,
}

/// A value of a computation with its live range.
struct Buffer {
    at: InstructionId,
    last: usize,
    bytes: u64,
    /// The bytes whose memory an operand shares while the instruction is executed.
    reused: u64,
}

/// The live memory of a module over its run.
pub fn memory(module: &Module, roles: &super::roles::ComputationRoles) -> Memory {
    let mut memory = Memory { is_scheduled: is_scheduled(module), ..Memory::default() };
    let mut permanent = Vec::new();
    let mut buffers_by_computation: Vec<Vec<Buffer>> = Vec::new();
    let mut callees = Callees::default();
    for (id, computation) in computations(module) {
        if !roles.role(id).materializes_values() {
            memory.timelines.push(Timeline::default());
            buffers_by_computation.push(Vec::new());
            continue;
        }
        let values = Values::of(module, id, roles.role(id), &mut callees);
        for (at, bytes, kind) in values.permanent() {
            match kind {
                Kind::Parameter => memory.parameter_bytes = memory.parameter_bytes.saturating_add(bytes),
                _ => memory.constant_bytes = memory.constant_bytes.saturating_add(bytes),
            }
            permanent.push(LiveValue { at: (id, at), bytes, is_permanent: true });
        }
        let buffer = |(at, last, bytes)| Buffer { at, last, bytes, reused: values.reused_bytes(at) };
        let buffers: Vec<Buffer> = values.temporary().map(buffer).collect();
        memory.timelines.push(timeline(computation, &buffers, &values, &memory.timelines));
        buffers_by_computation.push(buffers);
    }
    let baseline = memory.parameter_bytes.saturating_add(memory.constant_bytes);
    if let Some(timeline) = module.entry.and_then(|entry| memory.timelines.get_mut(entry.0 as usize)) {
        for live in &mut timeline.live {
            *live = live.saturating_add(baseline);
        }
    }
    memory.peak = peak(module, &memory, &buffers_by_computation, permanent);
    memory
}

/// The live bytes at each instruction.
fn timeline(
    computation: &Computation,
    buffers: &[Buffer],
    values: &Values,
    callees: &[Timeline],
) -> Timeline {
    let count = computation.instructions.len();
    // Changes of the live bytes: added before an instruction, removed after it.
    let (mut added, mut removed) = (vec![0_u64; count], vec![0_u64; count]);
    for buffer in buffers {
        if let Some(added) = added.get_mut(buffer.at.index()) {
            *added = added.saturating_add(buffer.bytes);
        }
        if let Some(removed) = removed.get_mut(buffer.last) {
            *removed = removed.saturating_add(buffer.bytes);
        }
    }
    let mut timeline = Timeline::default();
    let mut live = 0_u64;
    for (((at, instruction), added), removed) in computation.iter().zip(added).zip(removed) {
        live = live.saturating_add(added);
        // In place: the result has the memory of an operand whose last use this is.
        let shared = values.reused_bytes(at).min(live);
        let during =
            (live - shared).saturating_add(nested_peak(instruction, callees).map_or(0, |nested| nested.1));
        timeline.live.push(during);
        if timeline.peak.is_none() || during > timeline.peak_bytes() {
            timeline.peak = Some(at);
        }
        live = live.saturating_sub(removed);
    }
    timeline
}

/// The called computation with the largest peak, and its bytes.
fn nested_peak(instruction: &xla_hlo::Instruction, callees: &[Timeline]) -> Option<(ComputationId, u64)> {
    if !matches!(instruction.opcode.as_str(), "while" | "conditional" | "call" | "async-start") {
        return None;
    }
    let called = instruction.attrs.iter().filter_map(|(_, value)| match value {
        AttrValue::Computation(id) => Some(std::slice::from_ref(id)),
        AttrValue::Computations(ids) => Some(ids.as_slice()),
        _ => None,
    });
    let peaks = called.flatten().filter_map(|id| Some((*id, callees.get(id.0 as usize)?.peak_bytes())));
    // The first of several equal ones.
    peaks.reduce(|max, other| if other.1 > max.1 { other } else { max })
}

/// The peak, with the values that are live in the computations on the path to it.
fn peak(
    module: &Module,
    memory: &Memory,
    buffers_by_computation: &[Vec<Buffer>],
    permanent: Vec<LiveValue>,
) -> Peak {
    let mut peak = Peak { values: permanent, ..Peak::default() };
    let mut next = module.entry;
    while let Some(id) = next.take() {
        let index = id.0 as usize;
        let (Some(timeline), Some(buffers)) =
            (memory.timelines.get(index), buffers_by_computation.get(index))
        else {
            break;
        };
        let Some(at) = timeline.peak else { break };
        if module.entry == Some(id) {
            peak.bytes = timeline.peak_bytes();
        }
        peak.path.push((id, at));
        let mut live: Vec<LiveValue> = Vec::new();
        // Buffers are in the order of their instructions, so that the elements of a tuple are adjacent.
        for buffer in buffers.iter().filter(|buffer| buffer.at <= at && buffer.last >= at.index()) {
            let bytes = buffer.bytes - if buffer.at == at { buffer.reused.min(buffer.bytes) } else { 0 };
            match live.last_mut().filter(|value| value.at == (id, buffer.at)) {
                Some(value) => value.bytes = value.bytes.saturating_add(bytes),
                None => live.push(LiveValue { at: (id, buffer.at), bytes, is_permanent: false }),
            }
        }
        peak.values.extend(live.into_iter().filter(|value| value.bytes > 0));
        // Callees precede their callers, so that the loop terminates.
        let called = super::instruction(module, (id, at)).and_then(|i| nested_peak(i, &memory.timelines));
        next = called.map(|(called, _)| called).filter(|called| *called < id);
    }
    peak.values.sort_by_key(|value| (std::cmp::Reverse(value.bytes), value.at));
    peak
}
