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

/// The start of the chain to which an update or done belongs.
fn start_of<'c>(computation: &'c Computation, instruction: &'c Instruction) -> Option<&'c Instruction> {
    let mut at = instruction;
    loop {
        at = computation.get(*at.operands.first()?)?;
        match Part::of(&at.opcode) {
            Part::Start(_) => return Some(at),
            Part::Update(_) => {}
            _ => return None,
        }
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
    computation: &Computation,
    instruction: &Instruction,
    of: &str,
) -> Option<Diagnostic> {
    let Some(start) = start_of(computation, instruction) else {
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
    computation: &Computation,
    instruction: &Instruction,
    users: &[InstructionId],
    allows: impl Fn(&str) -> bool,
) -> Option<Diagnostic> {
    let is_valid = match users {
        [user] => computation.get(*user).is_none_or(|user| allows(&user.opcode)),
        _ => false,
    };
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
    computation: &Computation,
    id: InstructionId,
    users: &[InstructionId],
) -> Option<Diagnostic> {
    let instruction = computation.get(id).filter(|i| !i.is_broken && i.op.is_some())?;
    let operand = || computation.get(*instruction.operands.first()?);
    let is_root = computation.root == Some(id);
    match Part::of(&instruction.opcode) {
        Part::Start(_) => check_user(computation, instruction, users, |opcode| {
            matches!(Part::of(opcode), Part::Update(_) | Part::Done(_))
        }),
        Part::Update(of) => check_chain(module, computation, instruction, of).or_else(|| {
            check_user(computation, instruction, users, |opcode| {
                matches!(Part::of(opcode), Part::Update(_) | Part::Done(_))
            })
        }),
        Part::Done(of) => check_chain(module, computation, instruction, of),
        // A transfer may be the only instruction of a computation that an asynchronous op calls.
        Part::NativeStart("send" | "recv") if is_root && users.is_empty() => None,
        Part::NativeStart(of @ ("send" | "recv")) => check_user(computation, instruction, users, |opcode| {
            opcode == "tuple" || Part::of(opcode) == Part::NativeDone(of)
        }),
        Part::NativeStart(of) if of != "all-gather" => {
            check_user(computation, instruction, users, |opcode| Part::of(opcode) == Part::NativeDone(of))
        }
        Part::NativeDone(of) if of != "all-gather" => {
            let operand = operand()?;
            let is_transfer = matches!(of, "send" | "recv");
            let is_valid = Part::of(&operand.opcode) == Part::NativeStart(of)
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
        let begins = |i: &Instruction| Part::of(&i.opcode) != Part::None;
        if !computation.instructions.iter().any(begins) {
            continue;
        }
        let users = users(computation);
        for (id, instruction) in computation.iter() {
            if diagnostics.len() >= MAX_DIAGNOSTICS {
                return diagnostics;
            }
            diagnostics.extend(check_instruction(module, computation, id, &users[id.index()]));
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
