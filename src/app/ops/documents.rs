//! An entry of the documentation on its op's page, and links to XLA's documentation.

use yew::prelude::*;

use super::meta::{EntryRef, Meta};
use crate::app::context::{Context, use_app_context};
use crate::documents::{self, Entry};
use crate::i18n::Message;
use crate::ops;

/// Properties of [`Sections`].
#[derive(Clone, PartialEq, Properties)]
pub struct SectionsProps {
    /// The metadata of the op.
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
        html! { <li key={*section}>{link(ops::section_address(section), (*section).to_owned())}</li> }
    });
    html! {
        <div class="sections">
            <span class="dim">{context.text(&Message::ops("op-sections"))}</span>
            <ul>{for links}</ul>
        </div>
    }
}

/// The entry's headings in the documentation of both editions.
pub fn headings(context: &Context, entry: &'static Entry) -> Html {
    let text = |key: &'static str| context.text(&Message::ops(key)).to_string();
    let in_2017 = entry.section().map(|heading| link(heading.address_2017(), text("entry-2017")));
    let today = entry.current_address().map(|address| link(address, text("entry-today")));
    html! {
        <div class="sections">
            <span class="dim">{text("op-sections")}</span>
            <ul>
                if let Some(in_2017) = in_2017 { <li>{in_2017}</li> }
                if let Some(today) = today { <li>{today}</li> }
            </ul>
        </div>
    }
}

/// The calls of an entry as the documentation prints them, what it does, and its arguments.
pub fn description(context: &Context, entry: &'static Entry) -> Html {
    let signatures = entry.signatures.iter().map(|signature| html! { <li><code>{*signature}</code></li> });
    let arguments = entry.arguments.iter().map(|argument| {
        html! {
            <>
                <dt><code>{argument.name}</code>{" "}<span class="dim">{argument.kind}</span></dt>
                <dd>{context.text(&argument.meaning())}</dd>
            </>
        }
    });
    html! {
        <>
            <ul class="signatures" id="entry-signatures">{for signatures}</ul>
            <p class="summary" id="entry-text">{context.text(&entry.text())}</p>
            if !entry.arguments.is_empty() {
                <details id="entry-arguments">
                    <summary>{context.text(&Message::ops("entry-arguments"))}</summary>
                    <dl class="arguments">{for arguments}</dl>
                </details>
            }
        </>
    }
}

/// The entries of an op, starting with `first`.
pub fn entries_of(opcode: &str, first: Option<EntryRef>) -> Vec<&'static Entry> {
    let others = documents::entries().filter(|entry| entry.opcode == opcode);
    let others = others.filter(|entry| first.is_none_or(|first| first.0.name != entry.name));
    first.map(|first| first.0).into_iter().chain(others).collect()
}

fn link(href: String, text: String) -> Html {
    html! { <a {href} target="_blank" rel="noopener noreferrer">{text}</a> }
}
