//! Where the published documents describe an op. The links lead out of the page only when they are followed.

use yew::prelude::*;

use super::meta::Meta;
use crate::app::context::use_say;
use crate::i18n::Message;
use crate::ops;

/// Properties of [`Sections`].
#[derive(Clone, PartialEq, Properties)]
pub struct SectionsProps {
    /// The op.
    pub meta: Meta,
}

/// The sections of the Operation Semantics that an op stands in; nothing where there is none.
#[component]
pub fn Sections(props: &SectionsProps) -> Html {
    let context = use_say();
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
            <span class="dim">{context.tell(&Message::engine("op-sections"))}</span>
            <ul>{for links}</ul>
        </div>
    }
}
