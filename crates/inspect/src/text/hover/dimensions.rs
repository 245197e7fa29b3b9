//! Dimension numbers and sizes: the dimension that an entry names, and the effect of the op on it.

use super::context::{Context, Hover, sizes_of};
use super::described;
use xla_array::Shape;
use xla_hlo::lexer::TokenKind;
use xla_hlo::module::Instruction;
use xla_messages::i18n::Message;
use xla_ops::{AttrSpec, AttrValue, DimensionsOf};

/// Whether an attribute has a size per dimension instead of dimension numbers.
pub(super) fn is_sizes(name: &str) -> bool {
    matches!(name, "slice_sizes" | "dynamic_slice_sizes" | "fft_length")
}

/// The integers of an attribute of an instruction.
fn entries<'i>(instruction: &'i Instruction, name: &str) -> &'i [i64] {
    match instruction.attrs.get(name) {
        Some(AttrValue::Ints(entries)) => entries,
        Some(AttrValue::Int(entry)) => std::slice::from_ref(entry),
        _ => &[],
    }
}

/// The array that an attribute's numbers are dimensions of, in words, and its sizes.
fn array<'c>(context: &'c Context, of: DimensionsOf) -> Option<(Message, &'c [i64])> {
    let (_, instruction) = context.instruction()?;
    let count = instruction.operands.len();
    let index = match of {
        DimensionsOf::Operand(index) => index,
        DimensionsOf::ScatterIndices => count / 2,
        DimensionsOf::LastOperand => count.checked_sub(1)?,
        DimensionsOf::Result => {
            let shape = match &instruction.shape {
                Shape::Tuple(elements) => elements.first()?,
                shape => shape,
            };
            return Some((Message::inspect("inspect-result"), sizes_of(shape)?));
        }
    };
    let (name, shape) = context.operand(index)?;
    let role = instruction.op?.meta().operands.label(index, count);
    Some((Message::inspect("inspect-operand-named").with("role", role).with("name", name), sizes_of(shape)?))
}

/// Explains a number in the list of an attribute.
pub(super) fn hover_value(context: &Context, spec: &AttrSpec) -> Option<Hover> {
    let cursor = &context.cursor;
    if cursor.token.kind != TokenKind::Int {
        return described::whole(context, spec.name);
    }
    let number: i64 = cursor.word.parse().ok()?;
    let index =
        cursor.enclosing.last().filter(|bracket| bracket.open == '{').map_or(0, |bracket| bracket.index);
    let (_, instruction) = context.instruction()?;
    let title = Message::inspect("inspect-attribute-value").with("name", spec.name);
    let mut hover = Hover::new(cursor.token.span, title);
    if let Some(of) = spec.dimensions_of
        && let Some((array, sizes)) = array(context, of)
    {
        let size = usize::try_from(number).ok().and_then(|d| sizes.get(d));
        hover = match size {
            Some(size) => hover.say(
                Message::inspect("inspect-dimension-of")
                    .with("dimension", number)
                    .with("array", array)
                    .with("size", *size),
            ),
            None if spec.name == "index_vector_dim" && usize::try_from(number) == Ok(sizes.len()) => {
                hover.say(Message::inspect("inspect-index-vector-scalar"))
            }
            None => hover.say(
                Message::inspect("inspect-dimension-range").with("array", array).with("rank", sizes.len()),
            ),
        };
    }
    let meaning = meaning(context, instruction, spec.name, index, number);
    Some(hover.say_all(meaning).say(Message::ops(spec.description)))
}

/// The effect of entry `index` of an attribute, whose value is `number`.
fn meaning(
    context: &Context,
    instruction: &Instruction,
    name: &str,
    index: usize,
    number: i64,
) -> Option<Message> {
    let paired = |other: &str| entries(instruction, other).get(index).copied();
    let pair = |key, other: &str| Some(Message::inspect(key).with("other", paired(other)?));
    let operand_size = |dimension: usize| sizes_of(context.operand(0)?.1)?.get(dimension).copied();
    let between = |key| Message::inspect(key).with("index", index).with("number", number);
    match (&*instruction.opcode, name) {
        (_, "lhs_contracting_dims") => pair("inspect-contracting-lhs", "rhs_contracting_dims"),
        (_, "rhs_contracting_dims") => pair("inspect-contracting-rhs", "lhs_contracting_dims"),
        (_, "lhs_batch_dims") => pair("inspect-batch-lhs", "rhs_batch_dims"),
        (_, "rhs_batch_dims") => pair("inspect-batch-rhs", "lhs_batch_dims"),
        (_, "operand_batching_dims") => pair("inspect-batching-operand", "start_indices_batching_dims"),
        (_, "start_indices_batching_dims") => pair("inspect-batching-indices", "operand_batching_dims"),
        (_, "input_batching_dims") => pair("inspect-batching-operand", "scatter_indices_batching_dims"),
        (_, "scatter_indices_batching_dims") => pair("inspect-batching-indices", "input_batching_dims"),
        ("broadcast", "dimensions") => Some(between("inspect-broadcast-entry")),
        ("transpose", "dimensions") => Some(between("inspect-transpose-entry")),
        ("reduce", "dimensions") => Some(between("inspect-reduce-entry")),
        (_, "start_index_map" | "scatter_dims_to_operand_dims") => Some(between("inspect-index-map-entry")),
        (_, "offset_dims") => {
            let omitted = ["collapsed_slice_dims", "operand_batching_dims"];
            window_dimension("inspect-offset-entry", instruction, context, omitted, index)
        }
        (_, "update_window_dims") => {
            let omitted = ["inserted_window_dims", "input_batching_dims"];
            window_dimension("inspect-update-window-entry", instruction, context, omitted, index)
        }
        (_, "slice_sizes" | "dynamic_slice_sizes") => {
            let message = between("inspect-slice-size-entry");
            Some(message.with("size", operand_size(index)?))
        }
        _ => None,
    }
}

/// The operand dimension that entry `index` of the window's dimensions runs along: those that are not omitted, in order.
fn window_dimension(
    key: &'static str,
    instruction: &Instruction,
    context: &Context,
    omitted: [&str; 2],
    index: usize,
) -> Option<Message> {
    let rank = i64::try_from(sizes_of(context.operand(0)?.1)?.len()).ok()?;
    let is_omitted = |d: &i64| omitted.iter().any(|name| entries(instruction, name).contains(d));
    let dimension = (0..rank).filter(|d| !is_omitted(d)).nth(index)?;
    Some(Message::inspect(key).with("dimension", dimension))
}
