//! The frame of an embed: a title, the link to the full app, and one panel.

use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::app::link;

/// Properties of [`Frame`].
#[derive(Clone, PartialEq, Properties)]
pub struct FrameProps {
    /// The title of the document.
    pub title: AttrValue,
    /// The link of the current state.
    pub fragment: AttrValue,
    /// The embedded panel.
    pub children: Html,
}

/// An embed without its player.
#[component]
pub fn Frame(props: &FrameProps) -> Html {
    let context = use_app_context();
    use_effect_with(props.title.clone(), |title| {
        gloo::utils::document().set_title(&format!("{title}: XLA Playground"));
    });
    html! {
        <>
            <header class="frame-top">
                <h1>{&props.title}</h1>
                <a id="open-full" href={link::full_url(&props.fragment)} target="_blank" rel="noopener">
                    {context.text_of_key("open-full")}{" "}<span aria-hidden="true">{"↗"}</span>
                </a>
            </header>
            <main class="embed">{props.children.clone()}</main>
        </>
    }
}
