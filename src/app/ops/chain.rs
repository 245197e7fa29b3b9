//! The chain of the experiment's instructions, the selected one, and a button for the next op.

use std::collections::BTreeSet;
use std::rc::Rc;

use yew::prelude::*;

use super::attributes::SharedModule;
use super::next_op::NextOp;
use crate::app::components::window::{use_window, window_bar};
use crate::app::context::use_app_context;
use crate::hlo::InstructionId;
use crate::i18n::Message;
use crate::state::experiment::Experiment;
use crate::state::experiment::session::Action;
use crate::state::handoff::FROM_LAYOUT;

/// Properties of [`Chain`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChainProps {
    /// The experiment whose instructions are shown.
    pub experiment: Rc<Experiment>,
    /// The parsed module of the experiment.
    pub module: SharedModule,
    /// The selected instruction.
    pub focus: InstructionId,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The instructions as a chain of buttons, and a button for the next op.
#[component]
pub fn Chain(props: &ChainProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let Some(entry) = props.module.0.entry_computation() else { return Html::default() };
    let parameters: BTreeSet<InstructionId> = entry.parameters.iter().copied().collect();
    let instructions: Vec<_> = entry.iter().filter(|(id, _)| !parameters.contains(id)).collect();
    let window = use_window(instructions.len(), instructions.iter().position(|(id, _)| *id == props.focus));
    let chips = instructions[window.range.clone()].iter().map(|(id, instruction)| {
        let (dispatch, id) = (props.dispatch.clone(), *id);
        let onclick = Callback::from(move |_: MouseEvent| dispatch.emit(Action::SelectInstruction(id)));
        let is_selected = id == props.focus;
        html! {
            <li key={id.0}>
                <button class="btn small link" {onclick} aria-pressed={is_selected.to_string()}>
                    {&instruction.opcode}{" "}<span class="dim">{&instruction.name}</span>
                </button>
            </li>
        }
    });
    // An array of the Layout screen to which no op is applied yet.
    let is_from_layout = instructions.is_empty() && props.module.0.name == FROM_LAYOUT;
    let is_choosing = use_state_eq(|| false);
    let toggle = |on: bool| {
        let state = is_choosing.setter();
        move || state.set(on)
    };
    let (set_open, set_closed) = (toggle(true), toggle(false));
    let open = Callback::from(move |_: MouseEvent| set_open());
    let close = Callback::from(move |()| set_closed());
    html! {
        <div class="chain">
            if instructions.len() > 1 {
                {window_bar(&context, "steps", text("chain-window"), &window)}
                <ol aria-label={text("chain")} start={window.range.start.to_string()}>{for chips}</ol>
            }
            if is_from_layout { <p id="from-layout">{text("chain-from-layout")}</p> }
            <button class={classes!("btn", "small", is_from_layout.then_some("primary"))} id="append" onclick={open} aria-haspopup="dialog">{text("chain-append")}</button>
            if *is_choosing {
                <NextOp experiment={props.experiment.clone()} module={props.module.clone()}
                    dispatch={props.dispatch.clone()} {close} />
            }
        </div>
    }
}
