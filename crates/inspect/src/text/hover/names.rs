//! Names: instructions, computations, parameters, and opcodes.

use super::context::{Context, Hover, HoverLink};
use super::{described, shape};
use crate::instruction_at::InstructionAt;
use xla_array::Shape;
use xla_hlo::lexer::TokenKind;
use xla_hlo::module::{Computation, Instruction};
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Formula, OpDef};

/// Explains a name that is not the value of an attribute.
pub(super) fn hover_name(context: &Context) -> Option<Hover> {
    let cursor = &context.cursor;
    let span = cursor.token.span;
    let name = cursor.word.trim_start_matches('%');
    if let Some((computation, instruction)) = context.instruction() {
        if span == instruction.spans.opcode {
            return Some(opcode(context, instruction.op, cursor.instruction));
        }
        if span == instruction.spans.name {
            return Some(definition(context, computation, instruction));
        }
        if let Some(id) = computation.find(name) {
            return Some(operand(context, computation, computation.get(id)?));
        }
    }
    if context.text.as_bytes().get(span.end) == Some(&b'(')
        && let Some(op) = xla_ops::find(cursor.word)
    {
        return Some(opcode(context, Some(op), None));
    }
    if cursor.token.kind == TokenKind::ParamName {
        let hover = Hover::new(span, Message::inspect("inspect-signature-parameter"));
        return Some(hover.say(Message::inspect("inspect-signature-parameter-text")));
    }
    if cursor.previous.is_some_and(|before| context.source(before.span) == "HloModule") {
        let hover = Hover::new(span, Message::inspect("inspect-module-name"));
        let count = context.module.computations.iter().map(|c| c.instructions.len()).sum::<usize>();
        let sentence = Message::inspect("inspect-module-name-text");
        return Some(hover.say(
            sentence.with("computations", context.module.computations.len()).with("instructions", count),
        ));
    }
    hover_computation(context)
}

/// Explains the name of a computation at the cursor.
pub(super) fn hover_computation(context: &Context) -> Option<Hover> {
    let name = context.cursor.word.trim_start_matches('%');
    let id = context.module.find(name)?;
    let computation = context.module.get(id)?;
    let title = Message::inspect("inspect-computation").with("name", name);
    let mut hover = Hover::new(context.cursor.token.span, title);
    if let Some(signature) = computation.signature() {
        let parameters: Vec<String> = signature.parameters.iter().map(Shape::human_string).collect();
        hover = hover.say(
            Message::inspect("inspect-computation-signature")
                .with("parameters", parameters.join(", "))
                .with("result", signature.result.human_string()),
        );
    }
    hover = hover.say(
        Message::inspect("inspect-computation-size").with("instructions", computation.instructions.len()),
    );
    let root = computation.root_instruction().filter(|root| root.op.is_some());
    if let Some(root) = root.filter(|_| computation.instructions.len() <= computation.parameters.len() + 1) {
        hover = hover.say(Message::inspect("inspect-computation-single").with("op", root.opcode.as_str()));
    }
    hover = hover.say(caller_count(context, id));
    let start = computation.span.start;
    Some(hover.link([HoverLink::Definition(Span::at(start))]))
}

/// The number of calls of a computation.
fn caller_count(context: &Context, id: ComputationId) -> Message {
    if context.module.entry == Some(id) {
        return Message::inspect("inspect-computation-entry");
    }
    let instructions = context.module.computations.iter().flat_map(|c| &c.instructions);
    let count = instructions.filter(|i| i.attrs.computations().any(|callee| callee == id)).count();
    Message::inspect("inspect-computation-callers").with("count", count)
}

/// Explains an opcode.
pub(super) fn opcode(
    context: &Context,
    op: Option<&'static dyn OpDef>,
    instruction: Option<InstructionAt>,
) -> Hover {
    let span = context.cursor.token.span;
    let Some(op) = op else {
        let hover = Hover::new(span, Message::inspect("inspect-opcode-unknown"));
        return hover
            .say(Message::inspect("inspect-opcode-unknown-text").with("opcode", context.cursor.word));
    };
    let meta = op.meta();
    let title = Message::inspect("inspect-opcode").with("title", meta.title);
    let mut hover = Hover::new(span, title).say(Message::ops(meta.summary));
    hover = hover.say(match meta.formula {
        Formula::Symbols(text) => Message::inspect("inspect-formula").with("formula", text),
        Formula::Words(key) => Message::inspect("inspect-formula").with("formula", Message::ops(key)),
    });
    let required = meta.attrs.iter().filter(|spec| spec.required).map(|spec| spec.name);
    let required: Vec<&str> = required.collect();
    if !required.is_empty() {
        hover = hover.say(Message::inspect("inspect-opcode-required").with("names", required.join(", ")));
    }
    hover.link(instruction.map(HoverLink::Instruction))
}

/// Explains the name at the definition of an instruction.
fn definition(context: &Context, computation: &Computation, instruction: &Instruction) -> Hover {
    let title = Message::inspect("inspect-instruction").with("name", instruction.name.as_str());
    let hover = Hover::new(context.cursor.token.span, title);
    describe_value(context, hover, computation, instruction)
        .link(context.cursor.instruction.map(HoverLink::Instruction))
}

/// Adds sentences on an instruction's value: opcode, shape, uses, name in the source.
fn describe_value(
    context: &Context,
    hover: Hover,
    computation: &Computation,
    instruction: &Instruction,
) -> Hover {
    let computed = Message::inspect("inspect-instruction-shape")
        .with("op", instruction.opcode.as_str())
        .with("shape", instruction.shape.xla_text());
    let mut hover = hover.say(computed).say_all(shape::describe(&instruction.shape));
    let id = computation.find(&instruction.name);
    let users = computation.instructions.iter().filter(|user| user.operands.iter().any(|o| Some(*o) == id));
    hover = hover.say(Message::inspect("inspect-instruction-users").with("count", users.count()));
    if computation.root == id && id.is_some() {
        hover = hover.say(Message::inspect("inspect-instruction-root"));
    }
    if let Some(name) = instruction.op_name() {
        hover = hover.say(Message::inspect("inspect-op-name").with("name", name));
    }
    let source = instruction.source_metadata();
    if let Some(location) = context.module.source_locations(&source).first() {
        hover = hover.say(
            Message::inspect("inspect-source")
                .with("file", location.file)
                .with("line", i64::from(location.line)),
        );
    }
    hover
}

/// Explains an operand.
fn operand(context: &Context, computation: &Computation, instruction: &Instruction) -> Hover {
    let cursor = &context.cursor;
    let title = Message::inspect("inspect-operand").with("name", instruction.name.as_str());
    let mut hover = Hover::new(cursor.token.span, title);
    if let (Some(bracket), Some((_, user))) = (cursor.enclosing.last(), context.instruction())
        && let Some(op) = user.op.filter(|_| bracket.name == Some(user.opcode.as_str()))
    {
        let role = op.meta().operands.label(bracket.index, user.operands.len());
        let role = Message::inspect("inspect-operand-role").with("role", role);
        hover = hover.say(role.with("op", user.opcode.as_str()).with("number", bracket.index));
    }
    let definition = HoverLink::Definition(instruction.spans.name);
    describe_value(context, hover, computation, instruction).link([definition])
}

/// Explains the number of a parameter.
pub(super) fn parameter_number(context: &Context) -> Option<Hover> {
    let (computation, instruction) = context.instruction()?;
    let number = context.cursor.word.parse::<usize>().ok()?;
    let hover = Hover::new(context.cursor.token.span, Message::inspect("inspect-parameter-number"));
    let sentence = Message::inspect("inspect-parameter-number-text")
        .with("number", number)
        .with("count", computation.parameters.len())
        .with("shape", instruction.shape.human_string());
    let sharding = instruction.annotation("sharding").map(|_| described::common_attribute("sharding"));
    Some(hover.say(sentence).say_all(sharding.flatten()))
}
