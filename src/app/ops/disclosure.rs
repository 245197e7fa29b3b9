//! A section that folds. Whether it is open is kept for the visit.

use web_sys::Element;
use yew::prelude::*;

use crate::app::link;

/// Properties of [`Disclosure`].
#[derive(Clone, PartialEq, Properties)]
pub struct DisclosureProps {
    /// The id of the element, by which the visit keeps whether it is open.
    pub id: AttrValue,
    /// The heading.
    pub title: AttrValue,
    /// What is set inside, after the heading; may be empty.
    pub summary: AttrValue,
    /// Whether something inside needs attention. The section opens when this begins, and may be folded again.
    #[prop_or_default]
    pub needs_attention: bool,
    /// The content.
    pub children: Html,
}

/// The section.
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
            // Opening by the page is no choice of the user.
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
                if !props.summary.is_empty() { <span class="fold-summary">{format!("· {}", props.summary)}</span> }
            </summary>
            <div class="fold-content">{props.children.clone()}</div>
        </details>
    }
}
