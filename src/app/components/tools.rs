//! Small tools in the panels' heads: presets, undo, colours, axes, cache lines.

use yew::prelude::*;

use super::select::Select;
use crate::app::canvas::SharedArray;
use crate::app::context::Context;
use crate::array::{ArrayShape, Layout};
use crate::i18n::Message;
use crate::state::document::{ColourBy, Document, SlotText};
use crate::state::presets::PRESETS;
use crate::state::session::{Action, Session};
use crate::view::axis_assignment::AxisAssignment;

/// The index of the preset that has a button: the example of XLA's documentation.
const EXAMPLE_PRESET: usize = 2;

/// Buttons for the orders and an example, undo and redo.
pub fn quick_buttons(context: &Context, session: &Session, dispatch: &Callback<Action>) -> Html {
    let rank = session.document().array().map_or(0, ArrayShape::rank);
    let button = |name: &'static str, title: String, disabled: bool, action: Callback<MouseEvent>| {
        html! {
            <button class="btn small" id={format!("quick-{name}")} onclick={action} {title} {disabled}>
                {context.text_of_key(name)}
            </button>
        }
    };
    let order = |name, layout: Layout, ascending| {
        let action = dispatch.reform(move |_| Action::SetOrder { ascending });
        button(name, layout.xla_text(), rank < 2, action)
    };
    let example = PRESETS.get(EXAMPLE_PRESET).map(|preset| {
        let action = dispatch.reform(|_| Action::Load(Box::new(preset.document())));
        button(preset.name, preset.spec.to_owned(), false, action)
    });
    html! {
        <div class="quick">
            <span class="caption">{context.text_of_key("quick-order")}</span>
            {order("preset-row-major", Layout::descending(rank), false)}
            {order("preset-column-major", Layout::ascending(rank), true)}
            <span class="gap"></span>
            <span class="row">
                <span class="caption">{context.text_of_key("quick-example")}</span>
                {example}
            </span>
            <span class="gap"></span>
            <span class="row">
                <button class="btn small" id="undo" disabled={!session.can_undo()} onclick={dispatch.reform(|_| Action::Undo)}>
                    {context.text_of_key("undo")}
                </button>
                <button class="btn small" id="redo" disabled={!session.can_redo()} onclick={dispatch.reform(|_| Action::Redo)}>
                    {context.text_of_key("redo")}
                </button>
            </span>
        </div>
    }
}

/// A choice: its id, the message key of its name, whether it is selected, and its action.
type ToggleChoice = (&'static str, &'static str, bool, Action);

/// A group of toggle buttons, of which one is pressed.
fn toggle(
    context: &Context,
    label: &'static str,
    choices: [ToggleChoice; 2],
    dispatch: &Callback<Action>,
) -> Html {
    let choices = choices.into_iter().map(|(id, name, on, action)| {
        let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
        html! {
            <button {id} class="tab" aria-pressed={on.to_string()} {onclick}>{context.text_of_key(name)}</button>
        }
    });
    html! { <div class="tabs" role="group" aria-label={context.text_of_key(label)}>{for choices}</div> }
}

/// The choices of colours and drawn dimensions, and the button for comparing.
pub fn view_tools(
    context: &Context,
    document: &Document,
    array: &SharedArray,
    is_comparison_loading: bool,
    dispatch: &Callback<Action>,
) -> Html {
    let by = document.view.colour;
    let colours = [
        ("by-slot", "by-slot", by == ColourBy::Slot, Action::SetColour(ColourBy::Slot)),
        ("by-value", "by-value", by == ColourBy::Value, Action::SetColour(ColourBy::Value)),
    ];
    let shape = array.0.shape();
    let rank = shape.rank();
    let axes = (rank > 2).then(|| {
        let assignment = AxisAssignment::new(array.0.memory_map().padded_sizes(), document.view.axes);
        let (rows, columns) = (assignment.rows.unwrap_or(0), assignment.columns.unwrap_or(1));
        let dims: Vec<(AttrValue, AttrValue)> =
            (0..rank).map(|d| (d.to_string().into(), format!("d{d}").into())).collect();
        // Choosing the dimension of the other axis swaps the two.
        let choose = |of_rows: bool| {
            let dispatch = dispatch.clone();
            Callback::from(move |value: AttrValue| {
                let Ok(d) = value.parse::<usize>() else { return };
                let (r, c) = if of_rows { (d, columns) } else { (rows, d) };
                let (r, c) = if r == c { (columns, rows) } else { (r, c) };
                dispatch.emit(Action::SetAxes(r, c));
            })
        };
        html! {
            <>
                <Select id="axis-rows" label={context.text_of_key("rows")} options={dims.clone()} value={rows.to_string()}
                    onchange={choose(true)} />
                <Select id="axis-columns" label={context.text_of_key("columns")} options={dims} value={columns.to_string()}
                    onchange={choose(false)} />
            </>
        }
    });
    let compare = {
        // The compared layout initially has the opposite order of dimensions; padding and tiles are the same.
        let descending = Layout::descending(rank);
        let current = shape.layout.clone().unwrap_or_else(|| descending.clone());
        let Layout { minor_to_major, .. } = if current.minor_to_major == descending.minor_to_major {
            Layout::ascending(rank)
        } else {
            descending
        };
        let other = Layout { minor_to_major, ..current };
        let action = Action::SetComparedLayout(document.compare.is_none().then_some(other));
        dispatch.reform(move |_: MouseEvent| action.clone())
    };
    html! {
        <div class="tools">
            {toggle(context, "coloured-by", colours, dispatch)}
            {axes}
            <button class="btn small" id="compare-toggle" onclick={compare}
                aria-busy={is_comparison_loading.then_some("true")}
                aria-pressed={document.compare.is_some().to_string()}>{context.text_of_key("compare")}</button>
        </div>
    }
}

/// The choices of the text in slots, and of the size of a cache line.
pub fn strip_tools(context: &Context, document: &Document, dispatch: &Callback<Action>) -> Html {
    let view = &document.view;
    let text = view.slot_text;
    let choices = [
        ("show-values", "values", text == SlotText::Value, Action::SetSlotText(SlotText::Value)),
        ("show-bytes", "bytes", text == SlotText::Bytes, Action::SetSlotText(SlotText::Bytes)),
    ];
    let lines: Vec<(AttrValue, AttrValue)> = ["32", "64", "128"]
        .into_iter()
        .map(|n| (n.into(), context.text(&Message::new("line-of").with("bytes", n))))
        .collect();
    let choose = dispatch.reform(|value: AttrValue| Action::SetLineBytes(value.parse().unwrap_or(64)));
    html! {
        <div class="tools">
            {toggle(context, "slots-show", choices, dispatch)}
            <Select id="line-bytes" label={context.text_of_key("cache-line")} options={lines}
                value={view.line_bytes.to_string()} onchange={choose} />
        </div>
    }
}
