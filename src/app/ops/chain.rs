//! The chain of the experiment's instructions, the selected one, and a choice of the next op.

use std::collections::BTreeSet;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::attributes::SharedModule;
use crate::app::components::window::{use_window, window_bar};
use crate::app::context::use_app_context;
use crate::hlo::InstructionId;
use crate::i18n::Message;
use crate::ops::{self, Category, OpDef};
use crate::state::experiment::preset;
use crate::state::experiment::session::Action;

/// Properties of [`Chain`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChainProps {
    /// The module.
    pub module: SharedModule,
    /// The selected instruction.
    pub focus: InstructionId,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The chain.
#[component]
pub fn Chain(props: &ChainProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::engine(key));
    let Some(entry) = props.module.0.entry_computation() else { return Html::default() };
    let parameters: BTreeSet<InstructionId> = entry.parameters.iter().copied().collect();
    let steps: Vec<_> = entry.iter().filter(|(id, _)| !parameters.contains(id)).collect();
    let window = use_window(steps.len(), steps.iter().position(|(id, _)| *id == props.focus));
    let chips = steps[window.range.clone()].iter().map(|(id, instruction)| {
        let (dispatch, id) = (props.dispatch.clone(), *id);
        let onclick = Callback::from(move |_: MouseEvent| dispatch.emit(Action::SelectInstruction(id)));
        let here = id == props.focus;
        html! {
            <li key={id.0}>
                <button class="btn small link" {onclick} aria-pressed={here.to_string()}>
                    {&instruction.opcode}{" "}<span class="dim">{&instruction.name}</span>
                </button>
            </li>
        }
    });
    let onchange = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: Event| {
            let select: HtmlSelectElement = event.target_unchecked_into();
            let chosen = preset::all().find(|preset| preset.meta.opcode == select.value());
            select.set_value("");
            if let Some(preset) = chosen {
                dispatch.emit(Action::Append(Box::new(preset.experiment())));
            }
        })
    };
    // Every op whose first operand is an array can follow.
    let mut next: Vec<_> = ops::all()
        .map(OpDef::meta)
        .filter(|meta| !meta.operands.fixed.is_empty() && !meta.examples.is_empty())
        .filter(|meta| !matches!(meta.category, Category::Source | Category::Tuple))
        .collect();
    next.sort_by_key(|meta| meta.title.to_lowercase());
    let next = next.into_iter().map(|meta| html! { <option value={meta.opcode}>{meta.title}</option> });
    html! {
        <div class="chain">
            if steps.len() > 1 {
                {window_bar(&context, "steps", text("chain-window"), &window)}
                <ol aria-label={text("chain")} start={window.range.start.to_string()}>{for chips}</ol>
            }
            <select class="btn small" id="append" {onchange} aria-label={text("chain-append")}>
                <option value="" selected=true>{text("chain-append")}</option>
                {for next}
            </select>
        </div>
    }
}
