//! What can be done about a cause, as buttons: to try again, to load the page anew.

use yew::prelude::*;

use crate::app::context::use_say;
use crate::cause::{Cause, Remedy};

/// Properties of [`Remedies`].
#[derive(Clone, PartialEq, Properties)]
pub struct RemediesProps {
    /// What went wrong.
    pub cause: Cause,
    /// What the buttons' ids start with.
    pub id: AttrValue,
    /// Does the same once more.
    pub retry: Callback<()>,
}

/// The buttons; nothing where nothing helps.
#[component]
pub fn Remedies(props: &RemediesProps) -> Html {
    let context = use_say();
    let buttons = props.cause.remedies().iter().map(|remedy| match remedy {
        Remedy::Retry => {
            let retry = props.retry.reform(|_: MouseEvent| ());
            let id = format!("{}-again", props.id);
            html! { <button type="button" class="btn small" {id} onclick={retry}>{context.say("retry")}</button> }
        }
        Remedy::Reload => {
            // It fails only where the page is not shown any more.
            let reload = |_: MouseEvent| drop(gloo::utils::window().location().reload());
            let id = format!("{}-reload", props.id);
            html! { <button type="button" class="btn small" {id} onclick={reload}>{context.say("reload")}</button> }
        }
    });
    html! { <div class="row wrap">{for buttons}</div> }
}
