//! The instructions of the experiment one after the other, which of them is looked at, and what follows the last.

use std::collections::BTreeSet;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::attributes::SharedModule;
use crate::app::components::window::{WindowBar, use_window};
use crate::app::context::use_say;
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
    /// The instruction that is looked at.
    pub focus: InstructionId,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
}

/// The chain.
#[component]
pub fn Chain(props: &ChainProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
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
    // Whatever takes an array first can follow.
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
                <WindowBar id="steps" label={tell("chain-window")} window={window.clone()} />
                <ol aria-label={tell("chain")} start={window.range.start.to_string()}>{for chips}</ol>
            }
            <select class="btn small" id="append" {onchange} aria-label={tell("chain-append")}>
                <option value="" selected=true>{tell("chain-append")}</option>
                {for next}
            </select>
        </div>
    }
}
