//! Buttons that may remedy a cause: retry, reload the page.

use yew::prelude::*;

use crate::app::context::Context;
use crate::cause::{Cause, Remedy};

/// A button for each remedy of a cause. `id` is the prefix of their ids; `retry` repeats the failed action.
pub fn remedies(context: &Context, cause: &Cause, id: &str, retry: &Callback<()>) -> Html {
    let buttons = cause.remedies().iter().map(|remedy| match remedy {
        Remedy::Retry => {
            let retry = retry.reform(|_: MouseEvent| ());
            let id = format!("{id}-again");
            html! { <button type="button" class="btn small" {id} onclick={retry}>{context.text_of_key("retry")}</button> }
        }
        Remedy::Reload => {
            // This fails only for a page that is being closed.
            let reload = |_: MouseEvent| drop(gloo::utils::window().location().reload());
            let id = format!("{id}-reload");
            html! { <button type="button" class="btn small" {id} onclick={reload}>{context.text_of_key("reload")}</button> }
        }
    });
    html! { <div class="row wrap">{for buttons}</div> }
}
