//! Links to XLA's documentation of an op.

use yew::prelude::*;

use super::meta::Meta;
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::ops;

/// Properties of [`Sections`].
#[derive(Clone, PartialEq, Properties)]
pub struct SectionsProps {
    /// The op.
    pub meta: Meta,
}

/// The sections of XLA's Operation Semantics that describe an op, if any.
#[component]
pub fn Sections(props: &SectionsProps) -> Html {
    let context = use_app_context();
    let sections = props.meta.0.sections;
    if sections.is_empty() {
        return Html::default();
    }
    let links = sections.iter().map(|section| {
        html! {
            <li key={*section}>
                <a href={ops::section_address(section)} target="_blank" rel="noopener noreferrer">{*section}</a>
            </li>
        }
    });
    html! {
        <div class="sections">
            <span class="dim">{context.text(&Message::engine("op-sections"))}</span>
            <ul>{for links}</ul>
        </div>
    }
}
