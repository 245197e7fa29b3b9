//! Windows, paddings, slices, and the dimension labels of a convolution.

use super::context::{Context, Hover, joined, sizes_of};
use super::described;
use xla_hlo::lexer::TokenKind;
use xla_messages::i18n::Message;
use xla_ops::AttrValue;
use xla_ops::attrs::{DimLabel, WindowDim};

/// Maximum number of dimensions that are described one by one.
const MAX_DESCRIBED_DIMENSIONS: usize = 8;

/// Explains a field of a window, or the window as a whole.
pub(super) fn hover_window(context: &Context) -> Option<Hover> {
    let (_, instruction) = context.instruction()?;
    let Some(AttrValue::Window(window)) = instruction.attrs.get("window") else { return None };
    let cursor = &context.cursor;
    let field = match (cursor.token.kind, cursor.previous) {
        (TokenKind::AttrName, _) => Some(cursor.word),
        (TokenKind::Punct(_), _) => None,
        (_, Some(before)) if before.kind == TokenKind::AttrName => Some(context.source(before.span)),
        _ => None,
    };
    let Some(field) = field.filter(|_| !cursor.enclosing.is_empty()) else {
        let hover = described::whole(context, "window")?;
        return Some(
            hover.say_all(window.iter().take(MAX_DESCRIBED_DIMENSIONS).enumerate().map(whole_dimension)),
        );
    };
    let key = match field {
        "size" => "inspect-window-size",
        "stride" => "inspect-window-stride",
        "pad" => "inspect-window-pad",
        "lhs_dilate" => "inspect-window-lhs-dilate",
        "rhs_dilate" => "inspect-window-rhs-dilate",
        "rhs_reversal" => "inspect-window-reversal",
        _ => return None,
    };
    let span = cursor.previous.filter(|before| before.kind == TokenKind::AttrName);
    let span = span.map_or(cursor.token.span, |before| before.span.join(cursor.token.span));
    let hover = Hover::new(span, Message::inspect("inspect-window-field").with("name", field));
    let describe = |(d, dimension): (usize, &WindowDim)| {
        let number = match field {
            "size" => dimension.size,
            "stride" => dimension.stride,
            "lhs_dilate" => dimension.base_dilation,
            "rhs_dilate" => dimension.window_dilation,
            "rhs_reversal" => i64::from(dimension.reversal),
            _ => {
                let message = Message::inspect("inspect-window-dimension-pad").with("dimension", d);
                return message.with("low", dimension.pad_low).with("high", dimension.pad_high);
            }
        };
        Message::inspect("inspect-window-dimension").with("dimension", d).with("number", number)
    };
    let dimensions: Vec<Message> =
        window.iter().take(MAX_DESCRIBED_DIMENSIONS).enumerate().map(describe).collect();
    Some(hover.say(Message::inspect(key)).say_all(dimensions))
}

/// One dimension of a window in one sentence.
fn whole_dimension((d, dimension): (usize, &WindowDim)) -> Message {
    Message::inspect("inspect-window-whole")
        .with("dimension", d)
        .with("size", dimension.size)
        .with("stride", dimension.stride)
        .with("low", dimension.pad_low)
        .with("high", dimension.pad_high)
}

/// Explains a padding configuration.
pub(super) fn padding(context: &Context) -> Option<Hover> {
    let (_, instruction) = context.instruction()?;
    let Some(AttrValue::Padding(padding)) = instruction.attrs.get("padding") else { return None };
    let hover = described::whole(context, "padding")?;
    Some(hover.say_all(padding.iter().take(MAX_DESCRIBED_DIMENSIONS).enumerate().map(|(d, dimension)| {
        Message::inspect("inspect-pad-dimension")
            .with("dimension", d)
            .with("low", dimension.low)
            .with("high", dimension.high)
            .with("interior", dimension.interior)
    })))
}

/// Explains the range of one dimension of a slice.
pub(super) fn slice(context: &Context) -> Option<Hover> {
    let (_, instruction) = context.instruction()?;
    let Some(AttrValue::Slice(ranges)) = instruction.attrs.get("slice") else { return None };
    let hover = described::whole(context, "slice")?;
    let brackets = &context.cursor.enclosing;
    let is_bracket = context.cursor.token.kind == TokenKind::Punct('[');
    let inner = brackets.last().is_some_and(|bracket| bracket.open == '[') || is_bracket;
    let d = brackets.iter().rev().find(|bracket| bracket.open == '{').map(|bracket| bracket.index);
    let shown: Vec<usize> = match d.filter(|_| inner) {
        Some(d) => vec![d],
        None => (0..ranges.len().min(MAX_DESCRIBED_DIMENSIONS)).collect(),
    };
    let size = |d: usize| sizes_of(context.operand(0)?.1)?.get(d).copied();
    let sentences: Vec<Message> = shown
        .into_iter()
        .filter_map(|d| {
            let range = ranges.get(d)?;
            let message = Message::inspect("inspect-slice-dimension").with("dimension", d);
            let message = message.with("start", range.start).with("limit", range.limit);
            Some(message.with("stride", range.stride).with("size", size(d)?))
        })
        .collect();
    Some(hover.say_all(sentences))
}

/// Explains the labels of a convolution's dimensions.
pub(super) fn dim_labels(context: &Context) -> Option<Hover> {
    let (_, instruction) = context.instruction()?;
    let Some(AttrValue::DimLabels(labels)) = instruction.attrs.get("dim_labels") else { return None };
    let hover = described::whole(context, "dim_labels")?;
    let [lhs, rhs, out] = &labels.0;
    let position = |labels: &[DimLabel], label: DimLabel| labels.iter().position(|l| *l == label);
    let spatial = |labels: &[DimLabel]| {
        let numbered = (0..=9_u8).filter_map(|n| position(labels, DimLabel::Spatial(n)));
        let numbered: Vec<usize> = numbered.collect();
        if numbered.is_empty() { "–".to_owned() } else { joined(&numbered, ", ") }
    };
    let say = |key, labels: &[DimLabel], first: DimLabel, second: DimLabel| {
        Some(
            Message::inspect(key)
                .with("labels", joined(labels, ""))
                .with("first", position(labels, first)?)
                .with("second", position(labels, second)?)
                .with("spatial", spatial(labels)),
        )
    };
    let sentences = [
        say("inspect-labels-lhs", lhs, DimLabel::Batch, DimLabel::Feature),
        say("inspect-labels-rhs", rhs, DimLabel::Input, DimLabel::Output),
        say("inspect-labels-out", out, DimLabel::Batch, DimLabel::Feature),
    ];
    Some(hover.say_all(sentences.into_iter().flatten()))
}
