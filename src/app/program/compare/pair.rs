//! One row of the comparison: what changed, and both instructions in full.

use yew::prelude::*;

use super::list::{kind_key, kind_name, pieces, sign};
use crate::app::context::Context;
use crate::i18n::Message;
use crate::worker::program::wire::{CompareRow, CompareSide, InstructionPath, Mark};

/// Maximum characters of an instruction.
const MAX_CHARS: usize = 4_000;

/// The row. `show` selects an instruction of the program that is open; the first program is that one unless it is a dump of a
/// series.
pub fn pair(context: &Context, row: &CompareRow, show: Option<&Callback<InstructionPath>>) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let side = |side: &CompareSide, key: &'static str| {
        html! { <div class="pair-side"><h3>{text(key)}</h3><code>{pieces(side, MAX_CHARS)}</code></div> }
    };
    let parts = row.parts.join(", ");
    let mut pieces = row.sides.iter().flatten().flat_map(|side| &side.pieces);
    let has_counterparts = pieces.any(|(_, mark)| *mark == Mark::Counterpart);
    let lead = row.sides[0].as_ref().zip(show).map(|(first, show)| {
        let instruction = InstructionPath { at: first.at, calls: Vec::new() };
        let onclick = show.reform(move |_: MouseEvent| instruction.clone());
        html! { <button class="btn small" id="compare-show" {onclick}>{text("program-compare-show")}</button> }
    });
    html! {
        <div class={classes!("pair", kind_name(row.kind))} id="compare-pair" data-kind={kind_name(row.kind)}>
            <p class="pair-kind">
                <span class="sign" aria-hidden="true">{sign(row.kind)}</span><b>{text(kind_key(row.kind))}</b>
                if !parts.is_empty() { {": "}<code>{parts}</code> }
            </p>
            {for row.sides[0].as_ref().map(|first| side(first, "program-compare-first"))}
            {for row.sides[1].as_ref().map(|second| side(second, "program-compare-second"))}
            if has_counterparts { <p class="dim" id="compare-counterparts">{text("program-compare-counterparts")}</p> }
            {lead.unwrap_or_default()}
        </div>
    }
}
