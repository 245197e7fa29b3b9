//! A scrub bar for the steps within an output cell: calls, products or reads, in evaluation order.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::view::cell_steps::{StepKind, Steps};

/// Properties of [`CellStepBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct CellStepBarProps {
    /// The steps of the selected cell.
    pub steps: Rc<Steps>,
    /// The current step, from 1; 0 for the whole cell.
    pub current: i64,
    /// Moves to a step.
    pub move_to: Callback<i64>,
}

fn kind_key(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Call => "inner-application",
        StepKind::Product => "inner-product",
        StepKind::Read => "inner-read",
    }
}

/// A slider over the steps of a cell, with buttons for the previous and the next step.
#[component]
pub fn CellStepBar(props: &CellStepBarProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let (current, count) = (props.current, i64::try_from(props.steps.steps.len()).unwrap_or(i64::MAX));
    let kind = Message::ops(kind_key(props.steps.kind));
    let status = match usize::try_from(current - 1).ok().and_then(|i| props.steps.steps.get(i)) {
        Some(step) => Message::ops("inner-step")
            .with("what", kind)
            .with("number", current)
            .with("count", count)
            .with("text", step.text.as_str()),
        None => Message::ops("inner-whole").with("what", kind).with("count", count),
    };
    let status = context.text(&status);
    let node = use_node_ref();
    {
        // Sets the property: the `value` attribute is only the initial value.
        let node = node.clone();
        use_effect_with((current, count), move |(current, _)| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(&current.to_string());
            }
        });
    }
    let on_move = |step: i64| {
        let (move_to, step) = (props.move_to.clone(), step.clamp(0, count));
        Callback::from(move |_: MouseEvent| move_to.emit(step))
    };
    let oninput = props.move_to.reform(|event: InputEvent| {
        event.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(0)
    });
    html! {
        <div class="inner" role="group" aria-label={text("inner")}>
            <button class="btn tiny" id="inner-previous" onclick={on_move(current - 1)} disabled={current == 0}
                aria-label={text("inner-previous")} title={text("inner-previous")}>{"‹"}</button>
            <input type="range" id="inner" ref={node} min="0" max={count.to_string()} {oninput}
                aria-label={text("inner")} aria-valuetext={status.clone()} />
            <button class="btn tiny" id="inner-next" onclick={on_move(current + 1)} disabled={current == count}
                aria-label={text("inner-next")} title={text("inner-next")}>{"›"}</button>
            <output class="mono" id="inner-status" for="inner">{status}</output>
        </div>
    }
}
