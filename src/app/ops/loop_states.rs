//! The iterations of a loop: a table of the carried values around the current iteration, which the player moves.

use yew::prelude::*;

use super::loop_play::{LoopPlay, as_cell};
use crate::app::components::player::PlayerLabels;
use crate::app::context::{Context, grouped};
use crate::array::Shape;
use crate::i18n::Message;
use crate::state::experiment::run::iterations::LoopRecord;
use crate::state::experiment::run::summary::MAX_SUMMARIES;
use crate::view::table_rows::visible_rows;

/// The labels of the player for iterations.
pub const ITERATIONS: PlayerLabels = PlayerLabels {
    previous: || Message::ops("iteration-previous"),
    next: || Message::ops("iteration-next"),
    scrub_bar: || Message::ops("iteration"),
    position: |number, count| Message::ops("iteration-of").with("number", number).with("count", count),
    single_cell: None,
};

/// The titles of the columns: the elements of a tuple, or the value.
fn titles(shape: Option<&Shape>, columns: usize) -> Vec<String> {
    match shape {
        Some(Shape::Tuple(_)) => (0..columns).map(|i| format!("out.{i}")).collect(),
        _ => vec!["out".to_owned(); columns],
    }
}

/// The rows of the table.
fn rows(iterations: &LoopRecord, current: usize, move_to: &Callback<i64>) -> Html {
    let row = |(i, state): (usize, &Vec<String>)| {
        let previous = i.checked_sub(1).and_then(|i| iterations.states.get(i));
        let cells = state.iter().enumerate().map(|(c, text)| {
            let is_unchanged = previous.is_some_and(|previous| previous.get(c) == Some(text));
            html! { <td class={classes!("mono", is_unchanged.then_some("dim"))}>{text}</td> }
        });
        html! {
            <tr key={i} aria-current={(i == current).then_some("step")} onclick={move_to.reform(move |_: MouseEvent| as_cell(i))}>
                <th scope="row">{format_number(i)}</th>{for cells}
            </tr>
        }
    };
    let (range, has_gap) = visible_rows(current, iterations.states.len());
    let columns = iterations.states.first().map_or(0, Vec::len) + 1;
    let states = || iterations.states.iter().enumerate();
    html! {
        <>
            {for states().skip(range.start).take(range.len()).map(row)}
            if has_gap { <tr class="gap" aria-hidden="true"><td colspan={columns.to_string()}>{"⋮"}</td></tr> }
            {for states().skip(iterations.count()).filter(|_| has_gap).map(row)}
        </>
    }
}

fn format_number(n: usize) -> String {
    grouped(as_cell(n))
}

/// The table; nothing if the instruction is not a loop. `shape` is that of the loop; `is_stale` means that the program was
/// edited since.
pub fn loop_states(
    context: &Context,
    play: Option<&LoopPlay>,
    shape: Option<&Shape>,
    is_stale: bool,
) -> Html {
    let text = |key: &'static str| context.text(&Message::ops(key));
    let Some(play) = play else { return Html::default() };
    let Some(iterations) = &play.iterations else {
        return html! {
            <section class="iterations" aria-labelledby="h-iterations">
                <h2 id="h-iterations">{text("iterations")}</h2>
                <p class="dim" id="iterations-call">{text("iterations-call")}</p>
            </section>
        };
    };
    let (current, count) = (play.current, iterations.count());
    let key = if iterations.is_truncated { "iteration-of-more" } else { "iteration-of" };
    let status = Message::ops(key).with("number", format_number(current)).with("count", format_number(count));
    let columns = iterations.states.first().map_or(0, Vec::len);
    let head = titles(shape, columns).into_iter().map(|title| html! { <th scope="col">{title}</th> });
    let end = if iterations.is_infinite { "iterations-endless" } else { "iterations-cut" };
    html! {
        <section class={classes!("iterations", is_stale.then_some("old"))} aria-labelledby="h-iterations" aria-busy={play.is_busy.to_string()}>
            <div class="row wrap">
                <h2 id="h-iterations">{text("iterations")}</h2>
                <output class="mono" id="iteration-said" for="scrub">{context.text(&status)}</output>
                if is_stale { <span class="stale">{text("stale")}</span> }
            </div>
            if iterations.is_truncated { <p id="iterations-cut">{text(end)}</p> }
            <div class="scrolls" tabindex="0" role="group" aria-label={text("iterations")}>
                <table class="states" id="states">
                    <thead><tr><th scope="col">{text("iteration")}</th>{for head}</tr></thead>
                    <tbody>{rows(iterations, current, &play.move_to)}</tbody>
                </table>
            </div>
            if columns == MAX_SUMMARIES { <p class="dim">{context.text(&Message::ops("iterations-first").with("count", MAX_SUMMARIES))}</p> }
        </section>
    }
}
