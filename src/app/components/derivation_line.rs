//! The derivation of the highlighted output cell: the formula with its numbers, each in the colour of its role.

use yew::prelude::*;

use crate::app::context::{Context, use_app_context};
use crate::array::Dims;
use crate::i18n::Message;
use crate::ops::Role;
use crate::view::derivation::{Derivation, Part, index_text};
use crate::view::instruction_area::SelectedCell;
use crate::view::out_of_range::{OutOfRangeEffect, OutOfRangeStart};
use crate::view::scene::Ink;
use crate::view::sources::{role_message, slice_text, stroke};

/// Properties of [`DerivationLine`].
#[derive(Clone, PartialEq, Properties)]
pub struct DerivationLineProps {
    /// How the cell is computed.
    pub derivation: Derivation,
    /// The start indices out of range.
    pub out_of_range_starts: Vec<OutOfRangeStart>,
    /// The cells that were selected in their windows.
    pub winners: Vec<SelectedCell>,
    /// The parts of the slice that the cell is copied from, which are framed in its operand: first and last indices.
    #[prop_or_default]
    pub slice: Vec<[Dims; 2]>,
    /// Whether the windows skip padding or holes.
    #[prop_or_default]
    pub skips_padding: bool,
}

/// The CSS class of a role, which has the colour of its outline.
pub fn role_class(role: Role) -> String {
    match stroke(role).ink {
        Ink::Dimension(d) => format!("d d{}", d % 6),
        _ => "dim".to_owned(),
    }
}

/// The arithmetic, each number in the colour of its role.
pub fn parts(context: &Context, derivation: &Derivation) -> Html {
    let parts = derivation.parts.iter().map(|part| match part {
        Part::Plain(text) => html! { <span>{text}</span> },
        Part::Read { text, role, .. } => html! { <b class={role_class(*role)}>{text}</b> },
        Part::Omitted(count) => {
            let more = Message::ops("working-more").with("count", *count);
            html! { <span class="dim">{context.text(&more)}</span> }
        }
        Part::Result(text) => html! { <b class="result">{text}</b> },
    });
    html! { <>{for parts}</> }
}

/// Maximum number of cells that the line names.
const MAX_NAMED_CELLS: usize = 6;

/// The selected cells, each with its window: `[1,2] of [0:2,0:3]`.
fn list_winners(context: &Context, winners: &[SelectedCell]) -> String {
    let name = |winner: &SelectedCell| {
        let message = Message::ops("winner-of-window")
            .with("cell", index_text(&winner.cell))
            .with("window", slice_text(std::slice::from_ref(&winner.window)));
        context.text(&message).to_string()
    };
    let named: Vec<String> = winners.iter().take(MAX_NAMED_CELLS).map(name).collect();
    let more = if winners.len() > MAX_NAMED_CELLS { ", …" } else { "" };
    named.join(", ") + more
}

/// How XLA handles a start index out of range.
fn out_of_range_start(start: &OutOfRangeStart) -> Message {
    let message = match start.effect {
        OutOfRangeEffect::Clamped(used) => Message::ops("working-clamped").with("used", used),
        OutOfRangeEffect::Wraps(size) => Message::ops("working-wraps").with("size", size),
        OutOfRangeEffect::WrapsUnsigned(read, size) => {
            Message::ops("working-wraps-unsigned").with("read", read.to_string()).with("size", size)
        }
        OutOfRangeEffect::Truncated => Message::ops("working-cut"),
        OutOfRangeEffect::Dropped => Message::ops("working-dropped"),
    };
    message.with("given", start.given).with("dimension", start.dimension)
}

/// The line, with a legend of its roles.
#[component]
pub fn DerivationLine(props: &DerivationLineProps) -> Html {
    let context = use_app_context();
    let count = context.text(&Message::ops("made-from").with("count", props.derivation.reads));
    let outside = props
        .out_of_range_starts
        .iter()
        .map(|start| html! { <span>{context.text(&out_of_range_start(start))}</span> });
    let roles = props.derivation.roles.iter().map(|role| {
        html! { <li><i class={classes!("swatch", role_class(*role))}></i>{context.text(&role_message(*role, &props.derivation.update_label))}</li> }
    });
    html! {
        <>
            <p class="formula" id="working">{parts(&context, &props.derivation)}</p>
            if !props.out_of_range_starts.is_empty() { <p class="clamped" id="clamped">{for outside}</p> }
            <ul class="roles">
                <li id="made-from">{count}</li>
                {for roles}
                if props.skips_padding {
                    <li id="skipped-padding"><i class="swatch hatched"></i>{context.text(&Message::ops("legend-skipped-padding"))}</li>
                }
                if !props.winners.is_empty() {
                    <li id="winners"><b class="d d2" aria-hidden="true">{"✓ "}</b>
                        {context.text(&Message::ops("role-winner").with("cells", list_winners(&context, &props.winners)))}</li>
                }
                if !props.slice.is_empty() {
                    <li id="copied-slice"><i class="swatch framed"></i>
                        {context.text(&Message::ops("role-slice").with("ranges", slice_text(&props.slice)))}</li>
                }
            </ul>
        </>
    }
}
