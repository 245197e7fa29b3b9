//! Rules of instructions that begin something which another one ends: asynchronous ops, transfers through channels.
//!
//! Labels: `hlo-async-operand`, `hlo-async-thread`, `hlo-async-callers`, `hlo-single-user`, `hlo-channel`. Source:
//! `CreateInstruction` of XLA's parser; `VerifyAsynchronousInstructionPairs` and `VerifyChannels` of its verifier.

use std::collections::BTreeMap;

use super::module::{Computation, Instruction, InstructionId, Module};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, ComputationId};

/// Bound on the diagnostics of these rules; more would be noise.
const MAX_DIAGNOSTICS: usize = 200;

/// Pairs of opcodes of which XLA has both, unlike those of a wrapped computation.
const NATIVE: [&str; 4] = ["all-gather", "all-reduce", "collective-permute", "copy"];

/// The role of an instruction in an asynchronous op, with the opcode it wraps; `async` for any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Start(&'a str),
    Update(&'a str),
    Done(&'a str),
    /// A start or done of a [`NATIVE`] op or of a transfer.
    NativeStart(&'a str),
    NativeDone(&'a str),
    None,
}

impl<'a> Part<'a> {
    fn of(opcode: &'a str) -> Self {
        match opcode {
            "send" | "recv" => return Self::NativeStart(opcode),
            "send-done" => return Self::NativeDone("send"),
            "recv-done" => return Self::NativeDone("recv"),
            _ => {}
        }
        let is_native = |wrapped: &str| NATIVE.contains(&wrapped);
        if let Some(wrapped) = opcode.strip_suffix("-start") {
            if is_native(wrapped) { Self::NativeStart(wrapped) } else { Self::Start(wrapped) }
        } else if let Some(wrapped) = opcode.strip_suffix("-done") {
            if is_native(wrapped) { Self::NativeDone(wrapped) } else { Self::Done(wrapped) }
        } else if let Some(wrapped) = opcode.strip_suffix("-update") {
            Self::Update(wrapped)
        } else {
            Self::None
        }
    }
}

/// The opcode that the computation of an `async-start` consists of.
fn wrapped<'m>(module: &'m Module, start: &Instruction) -> Option<&'m str> {
    let Some(AttrValue::Computation(id)) = start.attrs.get("calls") else { return None };
    module.get(*id)?.root_instruction().map(|root| root.opcode.as_str())
}

/// The instructions of a computation in their roles.
struct Pairs<'c> {
    computation: &'c Computation,
    parts: Vec<Part<'c>>,
    /// The start of the chain to which each update or done belongs.
    starts: Vec<Option<InstructionId>>,
}

impl<'c> Pairs<'c> {
    /// `None` if no instruction begins or ends something.
    fn of(computation: &'c Computation) -> Option<Self> {
        let parts: Vec<Part> = computation.instructions.iter().map(|i| Part::of(&i.opcode)).collect();
        if parts.iter().all(|part| *part == Part::None) {
            return None;
        }
        // Operands precede their users, so that the start of what an update continues is known.
        let mut starts: Vec<Option<InstructionId>> = Vec::with_capacity(parts.len());
        for (instruction, part) in computation.instructions.iter().zip(&parts) {
            let operand =
                instruction.operands.first().filter(|_| matches!(part, Part::Update(_) | Part::Done(_)));
            starts.push(operand.and_then(|operand| match parts.get(operand.index())? {
                Part::Start(_) => Some(*operand),
                Part::Update(_) => starts.get(operand.index()).copied().flatten(),
                _ => None,
            }));
        }
        Some(Self { computation, parts, starts })
    }

    fn part(&self, id: InstructionId) -> Part<'c> {
        self.parts.get(id.index()).copied().unwrap_or(Part::None)
    }

    fn start_of(&self, id: InstructionId) -> Option<&'c Instruction> {
        self.computation.get((*self.starts.get(id.index())?)?)
    }
}

fn thread(instruction: &Instruction) -> Option<&AttrValue> {
    instruction.attrs.get("async_execution_thread")
}

fn error(span: Span, rule: &'static str, message: Message) -> Diagnostic {
    Diagnostic::error(span, rule, message)
}

/// Checks an update or a done of a wrapped op against the start of its chain.
fn check_chain(
    module: &Module,
    pairs: &Pairs,
    id: InstructionId,
    instruction: &Instruction,
    of: &str,
) -> Option<Diagnostic> {
    let Some(start) = pairs.start_of(id) else {
        let message = Message::ops("hlo-async-operand").with("opcode", instruction.opcode.as_str());
        return Some(error(instruction.spans.whole, "hlo-async-operand", message));
    };
    let started = start.opcode.trim_end_matches("-start");
    let is_same = of == started
        || of == "async"
        || started == "async" && wrapped(module, start).is_none_or(|opcode| opcode == of);
    let callee = |i: &Instruction| i.attrs.get("calls").cloned();
    let same_callee = callee(instruction).is_none_or(|own| Some(own) == callee(start));
    if !is_same || !same_callee {
        let message = Message::ops("hlo-async-other")
            .with("opcode", instruction.opcode.as_str())
            .with("start", start.name.as_str());
        return Some(error(instruction.spans.opcode, "hlo-async-operand", message));
    }
    let main = AttrValue::String("main".to_owned());
    let own = thread(instruction)?;
    let begun = thread(start).unwrap_or(&main);
    (own != begun).then(|| {
        let message = Message::ops("hlo-async-thread")
            .with("found", own.to_string())
            .with("expected", begun.to_string());
        let span = instruction.attribute_span("async_execution_thread").unwrap_or(instruction.spans.whole);
        error(span, "hlo-async-thread", message)
    })
}

/// Checks that a start has one user, which continues or ends it.
fn check_user(
    instruction: &Instruction,
    users: &[InstructionId],
    allows: impl Fn(InstructionId) -> bool,
) -> Option<Diagnostic> {
    let is_valid = matches!(users, [user] if allows(*user));
    (!is_valid).then(|| {
        let message = Message::ops("hlo-single-user").with("name", instruction.name.as_str());
        error(instruction.spans.whole, "hlo-single-user", message)
    })
}

/// The users of each instruction.
fn users(computation: &Computation) -> Vec<Vec<InstructionId>> {
    let mut users = vec![Vec::new(); computation.instructions.len()];
    for (id, instruction) in computation.iter() {
        for operand in &instruction.operands {
            let of: &mut Vec<InstructionId> = &mut users[operand.index()];
            if of.last() != Some(&id) {
                of.push(id);
            }
        }
    }
    users
}

fn check_instruction(
    module: &Module,
    pairs: &Pairs,
    id: InstructionId,
    users: &[InstructionId],
) -> Option<Diagnostic> {
    let computation = pairs.computation;
    let instruction = computation.get(id).filter(|i| !i.is_broken && i.op.is_some())?;
    let is_root = computation.root == Some(id);
    let continues = |user| matches!(pairs.part(user), Part::Update(_) | Part::Done(_));
    match pairs.part(id) {
        Part::Start(_) => check_user(instruction, users, continues),
        Part::Update(of) => check_chain(module, pairs, id, instruction, of)
            .or_else(|| check_user(instruction, users, continues)),
        Part::Done(of) => check_chain(module, pairs, id, instruction, of),
        // A transfer may be the only instruction of a computation that an asynchronous op calls.
        Part::NativeStart("send" | "recv") if is_root && users.is_empty() => None,
        Part::NativeStart(of @ ("send" | "recv")) => check_user(instruction, users, |user| {
            pairs.part(user) == Part::NativeDone(of)
                || computation.get(user).is_some_and(|user| user.opcode == "tuple")
        }),
        Part::NativeStart(of) if of != "all-gather" => {
            check_user(instruction, users, |user| pairs.part(user) == Part::NativeDone(of))
        }
        Part::NativeDone(of) if of != "all-gather" => {
            let operand_id = *instruction.operands.first()?;
            let operand = computation.get(operand_id)?;
            let is_transfer = matches!(of, "send" | "recv");
            let is_valid = pairs.part(operand_id) == Part::NativeStart(of)
                || is_transfer && operand.opcode == "get-tuple-element";
            if !is_valid {
                let message = Message::ops("hlo-async-operand").with("opcode", instruction.opcode.as_str());
                return Some(error(instruction.spans.whole, "hlo-async-operand", message));
            }
            let same = |name: &str| instruction.attrs.get(name) == operand.attrs.get(name);
            let is_same = !is_transfer
                || operand.opcode == "get-tuple-element"
                || same("channel_id")
                    && flag(instruction, "is_host_transfer") == flag(operand, "is_host_transfer");
            (!is_same).then(|| {
                let message = Message::ops("hlo-channel").with("name", operand.name.as_str());
                error(instruction.spans.whole, "hlo-channel", message)
            })
        }
        // XLA does not verify an `all-gather-start`.
        Part::NativeStart(_) | Part::NativeDone(_) | Part::None => None,
    }
}

fn flag(instruction: &Instruction, name: &str) -> bool {
    instruction.attrs.get(name) == Some(&AttrValue::Bool(true))
}

/// Checks every instruction that begins or ends something.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut callers: BTreeMap<ComputationId, usize> = BTreeMap::new();
    for computation in &module.computations {
        let Some(pairs) = Pairs::of(computation) else { continue };
        let users = users(computation);
        for (id, instruction) in computation.iter() {
            if diagnostics.len() >= MAX_DIAGNOSTICS {
                return diagnostics;
            }
            diagnostics.extend(check_instruction(module, &pairs, id, &users[id.index()]));
            let Some(AttrValue::Computation(callee)) = instruction.attrs.get("calls") else { continue };
            if instruction.opcode == "async-start" {
                let count = callers.entry(*callee).or_default();
                *count += 1;
                if *count > 1 {
                    let message = Message::ops("hlo-async-callers");
                    diagnostics.push(error(instruction.spans.whole, "hlo-async-callers", message));
                }
            }
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn long_chains_of_updates_belong_to_their_start() {
        const UPDATES: u32 = 20_000;
        let shape = "((f32[4]), f32[4], s32[])";
        let mut text = format!(
            "HloModule m ENTRY e {{ x = f32[4] parameter(0) a = {shape} negate-start(x) other = {shape} abs-start(x)
            end = f32[4] abs-done(other) n0 = {shape} negate-update(a)\n"
        );
        for i in 1..UPDATES {
            let before = i - 1;
            text.extend(["n", &i.to_string(), " = ", shape, " negate-update(n", &before.to_string(), ")\n"]);
        }
        let last = UPDATES - 1;
        let text = |opcode: &str| text.clone() + &format!("ROOT d = f32[4] {opcode}(n{last}) }}");
        let parsed = crate::parse(&text("negate-done"));
        assert!(parsed.error().is_none(), "{:?}", parsed.diagnostics);
        let pairs = Pairs::of(parsed.module.entry_computation().unwrap()).unwrap();
        let start = Some(InstructionId(1));
        assert!(pairs.starts[4..].iter().all(|found| *found == start));
        assert_eq!((pairs.starts.len(), pairs.starts[3]), (UPDATES as usize + 5, Some(InstructionId(2))));
        let error = crate::parse(&text("abs-done")).error().cloned().unwrap();
        assert_eq!(error.rule, "hlo-async-operand");
    }
}
