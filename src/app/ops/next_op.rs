//! The dialog of ops to append: those that accept the result as operand, then the others, each with the reason.

use std::rc::Rc;

use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use super::attributes::SharedModule;
use super::lists;
use crate::app::components::modal::Modal;
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::experiment::Experiment;
use crate::state::experiment::next::{self, next_ops};
use crate::state::experiment::session::Action;

/// Properties of [`NextOp`].
#[derive(Clone, PartialEq, Properties)]
pub struct NextOpProps {
    /// The experiment to extend.
    pub experiment: Rc<Experiment>,
    /// The parsed module of the experiment.
    pub module: SharedModule,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The dialog of ops that can be appended.
#[component]
pub fn NextOp(props: &NextOpProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let search = use_state_eq(String::new);
    let candidates = use_memo((props.experiment.clone(), props.module.clone()), |(experiment, module)| {
        next_ops(experiment, &module.0)
    });
    let oninput = {
        let search = search.clone();
        Callback::from(move |event: InputEvent| {
            search.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let item = |next: &next::NextOp| {
        let meta = next.meta;
        // The documents use one name for ops that HLO distinguishes.
        let is_shared = candidates.iter().filter(|other| other.meta.title == meta.title).count() > 1;
        let onclick = match &next.outcome {
            Ok(experiment) => {
                let (dispatch, close, experiment) =
                    (props.dispatch.clone(), props.close.clone(), experiment.clone());
                Callback::from(move |_: MouseEvent| {
                    dispatch.emit(Action::Load(Box::new(experiment.clone())));
                    close.emit(());
                })
            }
            Err(_) => Callback::noop(),
        };
        let why_id = format!("why-{}", meta.opcode);
        let reason = next.outcome.as_ref().err();
        html! {
            <li key={meta.opcode}>
                <button class="next-op" {onclick} data-op={meta.opcode} aria-disabled={reason.is_some().to_string()}
                    aria-describedby={reason.map(|_| why_id.clone())}>
                    <b>{meta.title}</b>
                    if is_shared { {" "}<code class="dim">{meta.opcode}</code> }
                    if let Some(reason) = reason { <small id={why_id}>{context.text(reason)}</small> }
                </button>
            </li>
        }
    };
    let mut found: Vec<&next::NextOp> =
        candidates.iter().filter(|next| lists::matches_search(next.meta, &search, &context)).collect();
    let rank = |next: &next::NextOp| {
        let names = [next.meta.title, next.meta.opcode];
        lists::name_match_rank(names, lists::searched_names(next.meta), &search)
    };
    if !search.trim().is_empty() {
        // Enter appends the first op.
        found.sort_by_key(|next| rank(next));
    }
    let (applicable, mut others): (Vec<&next::NextOp>, Vec<&next::NextOp>) =
        found.into_iter().partition(|next| next.outcome.is_ok());
    if !search.trim().is_empty() {
        // Of the ops that cannot be applied, those that are asked for by name say why.
        others.retain(|next| rank(next) < lists::NO_NAME_MATCH);
    }
    let onkeydown = {
        let first = applicable.first().and_then(|next| next.outcome.clone().ok());
        let (dispatch, close, is_searched) =
            (props.dispatch.clone(), props.close.clone(), !search.trim().is_empty());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(experiment) = first.as_ref().filter(|_| is_searched && keys::name(&event) == "Enter")
            {
                event.prevent_default();
                dispatch.emit(Action::Load(Box::new(experiment.clone())));
                close.emit(());
            }
        })
    };
    let root = props.module.0.entry_computation().and_then(|entry| entry.root_instruction());
    let shape = root.map(|root| root.shape.human_string()).unwrap_or_default();
    let title = context.text(&Message::ops("chain-choose").with("shape", shape.clone()));
    html! {
        <Modal id="append-dialog" {title} close={props.close.clone()}>
            <input class="text" id="find-next" type="search" placeholder={text("find-op")} aria-label={text("find-op")}
                value={(*search).clone()} {oninput} {onkeydown} autocomplete="off" spellcheck="false" autofocus=true />
            <ul class="next-ops" id="next-ops">{for applicable.iter().map(|next| item(next))}</ul>
            if !others.is_empty() {
                <h3>{context.text(&Message::ops("chain-rejected").with("shape", shape))}</h3>
                <ul class="next-ops" id="refused-ops">{for others.iter().map(|next| item(next))}</ul>
            }
            if applicable.is_empty() && others.is_empty() { <p class="dim">{text("no-such-op")}</p> }
        </Modal>
    }
}
