//! The calls from the entry computation to the selected instruction, as buttons that select the calling instructions.

use yew::prelude::*;

use crate::app::context::Context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{Details, InstructionPath};

/// The breadcrumb; in the entry computation only its name.
pub fn breadcrumb(context: &Context, details: &Details, dispatch: &Callback<Action>) -> Html {
    let steps = details.path.iter().enumerate().map(|(number, crumb)| {
        let path = details.path[..number].iter().map(|before| before.call).collect();
        let instruction = InstructionPath { at: crumb.call.at, calls: path };
        let onclick = dispatch.reform(move |_: MouseEvent| Action::Select(instruction.clone()));
        html! {
            <li key={number}>
                <span class="dim">{&crumb.computation}</span>{" › "}
                <button class="as-link" {onclick}>{&crumb.name}</button>{" › "}
            </li>
        }
    });
    html! {
        <nav class="crumbs" id="program-path" aria-label={context.text(&Message::program("program-path"))}>
            <ol>{for steps}<li aria-current="true">{&details.computation}</li></ol>
        </nav>
    }
}
