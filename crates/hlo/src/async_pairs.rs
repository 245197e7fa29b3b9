//! Checks start/done chains: asynchronous ops, and transfers through channels.
//!
//! Rules: `hlo-async-operand`, `hlo-async-thread`, `hlo-async-callers`, `hlo-single-user`, `hlo-channel`. Source:
//! `CreateInstruction` of XLA's parser; `VerifyAsynchronousInstructionPairs` and `VerifyChannels` of its verifier.

use std::collections::BTreeMap;

use super::module::{Computation, Instruction, InstructionId, Module};
use xla_messages::diagnostic::Diagnostic;
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, ComputationId};

/// Maximum number of diagnostics of these rules; more would be noise.
const MAX_DIAGNOSTICS: usize = 200;

/// Opcodes whose `-start` and `-done` are opcodes of their own, not sugar for `async-start` with a computation.
const NATIVE_OPCODES: [&str; 4] = ["all-gather", "all-reduce", "collective-permute", "copy"];

/// The role of an instruction in an asynchronous op, with the wrapped opcode, or `async`, which can wrap any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role<'a> {
    Start(&'a str),
    Update(&'a str),
    Done(&'a str),
    /// A start or done of a [`NATIVE_OPCODES`] op or of a transfer.
    NativeStart(&'a str),
    NativeDone(&'a str),
    None,
}

impl<'a> Role<'a> {
    fn from_opcode(opcode: &'a str) -> Self {
        match opcode {
            "send" | "recv" => return Self::NativeStart(opcode),
            "send-done" => return Self::NativeDone("send"),
            "recv-done" => return Self::NativeDone("recv"),
            _ => {}
        }
        let is_native = |wrapped: &str| NATIVE_OPCODES.contains(&wrapped);
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

/// The opcode of the root of the computation that an `async-start` calls.
fn wrapped<'m>(module: &'m Module, start: &Instruction) -> Option<&'m str> {
    let Some(AttrValue::Computation(id)) = start.attrs.get("calls") else { return None };
    module.get(*id)?.root_instruction().map(|root| root.opcode.as_str())
}

/// The asynchronous start, update and done instructions of a computation, and how they are chained.
struct AsyncChains<'c> {
    computation: &'c Computation,
    roles: Vec<Role<'c>>,
    /// Per instruction, the start of the chain of an update or done.
    starts: Vec<Option<InstructionId>>,
}

impl<'c> AsyncChains<'c> {
    /// Finds the start of each update and done. `None` if no instruction is part of a pair.
    fn find(computation: &'c Computation) -> Option<Self> {
        let roles: Vec<Role> =
            computation.instructions.iter().map(|i| Role::from_opcode(&i.opcode)).collect();
        if roles.iter().all(|role| *role == Role::None) {
            return None;
        }
        // Operands precede their users, so the start of the previous update is known.
        let mut starts: Vec<Option<InstructionId>> = Vec::with_capacity(roles.len());
        for (instruction, role) in computation.instructions.iter().zip(&roles) {
            let operand =
                instruction.operands.first().filter(|_| matches!(role, Role::Update(_) | Role::Done(_)));
            starts.push(operand.and_then(|operand| match roles.get(operand.index())? {
                Role::Start(_) => Some(*operand),
                Role::Update(_) => starts.get(operand.index()).copied().flatten(),
                _ => None,
            }));
        }
        Some(Self { computation, roles, starts })
    }

    fn role(&self, id: InstructionId) -> Role<'c> {
        self.roles.get(id.index()).copied().unwrap_or(Role::None)
    }

    /// The start of the chain that an update or done belongs to.
    fn start_of(&self, id: InstructionId) -> Option<&'c Instruction> {
        self.computation.get((*self.starts.get(id.index())?)?)
    }
}

fn thread(instruction: &Instruction) -> Option<&AttrValue> {
    instruction.attrs.get("async_execution_thread")
}

/// Checks an update or a done of a wrapped op against the start of its chain.
fn check_chain(
    module: &Module,
    chains: &AsyncChains,
    id: InstructionId,
    instruction: &Instruction,
    wrapped_opcode: &str,
) -> Option<Diagnostic> {
    let Some(start) = chains.start_of(id) else {
        let message = Message::ops("hlo-async-operand").with("opcode", instruction.opcode.as_str());
        return Some(Diagnostic::error(instruction.spans.whole, "hlo-async-operand", message));
    };
    let start_opcode = start.opcode.trim_end_matches("-start");
    let is_same_op = wrapped_opcode == start_opcode
        || wrapped_opcode == "async"
        || start_opcode == "async" && wrapped(module, start).is_none_or(|opcode| opcode == wrapped_opcode);
    let callee = |i: &Instruction| i.attrs.get("calls").cloned();
    let is_same_callee = callee(instruction).is_none_or(|id| Some(id) == callee(start));
    if !is_same_op || !is_same_callee {
        let message = Message::ops("hlo-async-other")
            .with("opcode", instruction.opcode.as_str())
            .with("start", start.name.as_str());
        return Some(Diagnostic::error(instruction.spans.opcode, "hlo-async-operand", message));
    }
    let main = AttrValue::String("main".to_owned());
    let found = thread(instruction)?;
    let expected = thread(start).unwrap_or(&main);
    (found != expected).then(|| {
        let message = Message::ops("hlo-async-thread")
            .with("found", found.to_string())
            .with("expected", expected.to_string());
        let span = instruction.attribute_span("async_execution_thread").unwrap_or(instruction.spans.whole);
        Diagnostic::error(span, "hlo-async-thread", message)
    })
}

/// Checks that a start or update has exactly one user, and that it is an allowed one.
fn check_user(
    instruction: &Instruction,
    users: &[InstructionId],
    allows: impl Fn(InstructionId) -> bool,
) -> Option<Diagnostic> {
    let is_valid = matches!(users, [user] if allows(*user));
    (!is_valid).then(|| {
        let message = Message::ops("hlo-single-user").with("name", instruction.name.as_str());
        Diagnostic::error(instruction.spans.whole, "hlo-single-user", message)
    })
}

/// The users of each instruction.
fn users(computation: &Computation) -> Vec<Vec<InstructionId>> {
    let mut users = vec![Vec::new(); computation.instructions.len()];
    for (id, instruction) in computation.iter() {
        for operand in &instruction.operands {
            let operand_users: &mut Vec<InstructionId> = &mut users[operand.index()];
            if operand_users.last() != Some(&id) {
                operand_users.push(id);
            }
        }
    }
    users
}

fn check_instruction(
    module: &Module,
    chains: &AsyncChains,
    id: InstructionId,
    users: &[InstructionId],
) -> Option<Diagnostic> {
    let computation = chains.computation;
    let instruction = computation.get(id).filter(|i| !i.is_invalid && i.op.is_some())?;
    let is_root = computation.root == Some(id);
    let continues_chain = |user| matches!(chains.role(user), Role::Update(_) | Role::Done(_));
    match chains.role(id) {
        Role::Start(_) => check_user(instruction, users, continues_chain),
        Role::Update(of) => check_chain(module, chains, id, instruction, of)
            .or_else(|| check_user(instruction, users, continues_chain)),
        Role::Done(of) => check_chain(module, chains, id, instruction, of),
        // A transfer may be the only instruction of a computation that an asynchronous op calls.
        Role::NativeStart("send" | "recv") if is_root && users.is_empty() => None,
        Role::NativeStart(of @ ("send" | "recv")) => check_user(instruction, users, |user| {
            chains.role(user) == Role::NativeDone(of)
                || computation.get(user).is_some_and(|user| user.opcode == "tuple")
        }),
        Role::NativeStart(of) if of != "all-gather" => {
            check_user(instruction, users, |user| chains.role(user) == Role::NativeDone(of))
        }
        Role::NativeDone(of) if of != "all-gather" => {
            let operand_id = *instruction.operands.first()?;
            let operand = computation.get(operand_id)?;
            let is_transfer = matches!(of, "send" | "recv");
            let is_valid = chains.role(operand_id) == Role::NativeStart(of)
                || is_transfer && operand.opcode == "get-tuple-element";
            if !is_valid {
                let message = Message::ops("hlo-async-operand").with("opcode", instruction.opcode.as_str());
                return Some(Diagnostic::error(instruction.spans.whole, "hlo-async-operand", message));
            }
            let is_same = |name: &str| instruction.attrs.get(name) == operand.attrs.get(name);
            let is_same_channel = !is_transfer
                || operand.opcode == "get-tuple-element"
                || is_same("channel_id")
                    && flag(instruction, "is_host_transfer") == flag(operand, "is_host_transfer");
            (!is_same_channel).then(|| {
                let message = Message::ops("hlo-channel").with("name", operand.name.as_str());
                Diagnostic::error(instruction.spans.whole, "hlo-channel", message)
            })
        }
        // XLA does not verify an `all-gather-start`.
        Role::NativeStart(_) | Role::NativeDone(_) | Role::None => None,
    }
}

fn flag(instruction: &Instruction, name: &str) -> bool {
    instruction.attrs.get(name) == Some(&AttrValue::Bool(true))
}

/// Checks every start, update and done of a module.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut callers: BTreeMap<ComputationId, usize> = BTreeMap::new();
    for computation in &module.computations {
        let Some(chains) = AsyncChains::find(computation) else { continue };
        let users = users(computation);
        for (id, instruction) in computation.iter() {
            if diagnostics.len() >= MAX_DIAGNOSTICS {
                return diagnostics;
            }
            diagnostics.extend(check_instruction(module, &chains, id, &users[id.index()]));
            let Some(AttrValue::Computation(callee)) = instruction.attrs.get("calls") else { continue };
            if instruction.opcode == "async-start" {
                let count = callers.entry(*callee).or_default();
                *count += 1;
                if *count > 1 {
                    let message = Message::ops("hlo-async-callers");
                    diagnostics.push(Diagnostic::error(
                        instruction.spans.whole,
                        "hlo-async-callers",
                        message,
                    ));
                }
            }
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

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
        let chains = AsyncChains::find(parsed.module.entry_computation().unwrap()).unwrap();
        let start = Some(InstructionId(1));
        assert!(chains.starts[4..].iter().all(|found| *found == start));
        assert_eq!((chains.starts.len(), chains.starts[3]), (UPDATES as usize + 5, Some(InstructionId(2))));
        let error = crate::parse(&text("abs-done")).error().cloned().unwrap();
        assert_eq!(error.rule, "hlo-async-operand");
    }
}
