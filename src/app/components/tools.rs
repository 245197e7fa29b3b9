//! Small tools in the panels' heads: presets, undo, colours, axes, cache lines, tuple elements.

use std::rc::Rc;

use yew::prelude::*;

use super::select::Select;
use super::window::{use_window, window_bar};
use crate::app::canvas::SharedArray;
use crate::app::context::{Context, use_app_context};
use crate::array::Layout;
use crate::i18n::Message;
use crate::state::document::{ColourBy, Document, SlotText};
use crate::state::presets::PRESETS;
use crate::state::session::{Action, Session};
use crate::view::plan::Plan;

/// The number of presets with a button, the first ones of XLA's documentation.
const QUICK: usize = 3;

/// Buttons for the first presets, undo and redo.
pub fn quick(context: &Context, session: &Session, dispatch: &Callback<Action>) -> Html {
    let presets = PRESETS.iter().take(QUICK).map(|preset| {
        let onclick = dispatch.reform(|_: MouseEvent| Action::Load(Box::new(preset.document())));
        html! {
            <button class="btn small" id={format!("quick-{}", preset.name)} {onclick} title={preset.spec}>
                {context.text_of_key(preset.name)}
            </button>
        }
    });
    html! {
        <div class="quick">
            <label class="caption" for="spec">{context.text_of_key("spec-label")}</label>
            <span class="spacer"></span>
            <span class="caption">{context.text_of_key("from-the-documents")}</span>
            {for presets}
            <span class="gap"></span>
            <button class="btn small" id="undo" disabled={!session.can_undo()} onclick={dispatch.reform(|_| Action::Undo)}>
                {context.text_of_key("undo")}
            </button>
            <button class="btn small" id="redo" disabled={!session.can_redo()} onclick={dispatch.reform(|_| Action::Redo)}>
                {context.text_of_key("redo")}
            </button>
        </div>
    }
}

/// One of a few choices: its id, its key, whether it is on, and what it does.
type ToggleChoice = (&'static str, &'static str, bool, Action);

/// Toggle buttons, one of which is pressed.
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
        let plan = Plan::new(array.0.map().padded_sizes(), document.view.axes);
        let (rows, columns) = (plan.rows.unwrap_or(0), plan.columns.unwrap_or(1));
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
        // The default is the opposite dimension order.
        let own = shape.layout.as_ref().map(|l| l.minor_to_major.clone());
        let descending = Layout::descending(rank);
        let other = if own.as_ref() == Some(&descending.minor_to_major) {
            Layout::ascending(rank)
        } else {
            descending
        };
        let action = Action::SetComparedLayout(document.compare.is_none().then_some(other));
        dispatch.reform(move |_: MouseEvent| action.clone())
    };
    html! {
        <div class="tools">
            {toggle(context, "coloured-by", colours, dispatch)}
            {axes}
            <button class="btn small" id="compare-toggle" onclick={compare}
                aria-pressed={document.compare.is_some().to_string()}>{context.text_of_key("compare")}</button>
        </div>
    }
}

/// The choices of what slots show, and of the cache line's size.
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

/// Properties of [`TupleTabs`].
#[derive(Clone, PartialEq, Properties)]
pub struct TupleTabsProps {
    /// The document.
    pub document: Rc<Document>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The tabs for the arrays of a tuple; nothing for a single array.
#[component]
pub fn TupleTabs(props: &TupleTabsProps) -> Html {
    let context = use_app_context();
    let leaves = props.document.leaves();
    let window = use_window(leaves.len(), Some(props.document.leaf));
    if leaves.first().is_none_or(|(path, _)| path.is_empty()) {
        return Html::default();
    }
    let shown = leaves.iter().enumerate().skip(window.range.start).take(window.range.len());
    let tabs = shown.map(|(i, (path, array))| {
        let dispatch = props.dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| dispatch.emit(Action::SelectLeaf(i)));
        let path: Vec<String> = path.iter().map(usize::to_string).collect();
        html! {
            <button class="leaf" id={format!("leaf-{i}")} aria-pressed={(i == props.document.leaf).to_string()}
                {onclick}><span class="dim">{format!("{{{}}}", path.join(","))}</span>{" "}<code>{array.to_string()}</code>
            </button>
        }
    });
    html! {
        <>
            {window_bar(&context, "leaves", context.text_of_key("tuple-elements"), &window)}
            <div class="leaves" role="group" aria-label={context.text_of_key("tuple-elements")}>{for tabs}</div>
        </>
    }
}
