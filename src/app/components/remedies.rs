//! Buttons that may remedy a cause: retry, reload the page.

use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::cause::{Cause, Remedy};

/// Properties of [`Remedies`].
#[derive(Clone, PartialEq, Properties)]
pub struct RemediesProps {
    /// The cause.
    pub cause: Cause,
    /// The prefix of the buttons' ids.
    pub id: AttrValue,
    /// Retries.
    pub retry: Callback<()>,
}

/// The buttons; nothing if none would help.
#[component]
pub fn Remedies(props: &RemediesProps) -> Html {
    let context = use_app_context();
    let buttons = props.cause.remedies().iter().map(|remedy| match remedy {
        Remedy::Retry => {
            let retry = props.retry.reform(|_: MouseEvent| ());
            let id = format!("{}-again", props.id);
            html! { <button type="button" class="btn small" {id} onclick={retry}>{context.text_of_key("retry")}</button> }
        }
        Remedy::Reload => {
            // It fails only for a page that is being closed.
            let reload = |_: MouseEvent| drop(gloo::utils::window().location().reload());
            let id = format!("{}-reload", props.id);
            html! { <button type="button" class="btn small" {id} onclick={reload}>{context.text_of_key("reload")}</button> }
        }
    });
    html! { <div class="row wrap">{for buttons}</div> }
}
