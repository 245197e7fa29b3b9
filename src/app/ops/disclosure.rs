//! A disclosure: a section that can be opened and closed. The tab stores whether it is open.

use web_sys::Element;
use yew::prelude::*;

use crate::app::link;

/// Properties of [`Disclosure`].
#[derive(Clone, PartialEq, Properties)]
pub struct DisclosureProps {
    /// The id of the element, under which the tab stores whether it is open.
    pub id: AttrValue,
    /// The heading, which opens and closes the section.
    pub title: AttrValue,
    /// A summary of the content, after the heading; may be empty.
    pub summary: AttrValue,
    /// Whether the content needs attention. The section opens when this becomes true; the user may close it again.
    #[prop_or_default]
    pub needs_attention: bool,
    /// The content of the open section.
    pub children: Html,
}

/// A section that can be opened and closed.
#[component]
pub fn Disclosure(props: &DisclosureProps) -> Html {
    let open = {
        let (id, needs_attention) = (props.id.clone(), props.needs_attention);
        use_state_eq(move || needs_attention || link::is_section_stored_open(&id))
    };
    {
        let open = open.setter();
        use_effect_with(props.needs_attention, move |needs_attention| {
            if *needs_attention {
                open.set(true);
            }
        });
    }
    let ontoggle = {
        let (open, id) = (open.clone(), props.id.clone());
        Callback::from(move |event: Event| {
            let is_open = event.target_unchecked_into::<Element>().has_attribute("open");
            // Only a change by the user is stored.
            if is_open != *open {
                link::store_section_open(&id, is_open);
                open.set(is_open);
            }
        })
    };
    html! {
        <details class="fold" id={props.id.clone()} open={*open} {ontoggle}>
            <summary>
                <h2>{&props.title}</h2>{" "}
                if !props.summary.is_empty() { <span class="fold-summary">{&props.summary}</span> }
            </summary>
            <div class="fold-content">{props.children.clone()}</div>
        </details>
    }
}
