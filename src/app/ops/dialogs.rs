//! What opens over the Ops screen: the link with the formats to copy or save, and help.

use yew::prelude::*;

use super::copy_as::{CopyAs, Subject};
use crate::app::components::embed_field::EmbedField;
use crate::app::components::help::Help;
use crate::app::components::link_field::{LinkField, use_said};
use crate::app::components::modal::Modal;
use crate::app::context::use_say;
use crate::i18n::Message;

/// Properties of [`OpsShare`].
#[derive(Clone, PartialEq, Properties)]
pub struct OpsShareProps {
    /// The fragment of the link.
    pub fragment: AttrValue,
    /// What an embed of it is called.
    pub title: AttrValue,
    /// What is exported.
    pub subject: Subject,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The link, and the experiment in other formats.
#[component]
pub fn OpsShare(props: &OpsShareProps) -> Html {
    let context = use_say();
    let (said, tell) = use_said();
    html! {
        <Modal id="share-dialog" title={context.say("share")} close={props.close.clone()}>
            <LinkField fragment={props.fragment.clone()} />
            <EmbedField fragment={props.fragment.clone()} title={props.title.clone()} height=560 />
            <CopyAs subject={props.subject.clone()} {tell} />
            <p role="status" class="good">{said.map(|key| context.tell(&status(key)))}</p>
        </Modal>
    }
}

/// What is said of a copy is a sentence of every screen, of an export one of this screen.
fn status(key: &'static str) -> Message {
    if key.starts_with("export-") { Message::engine(key) } else { Message::new(key) }
}

/// Keys and what they do here.
const KEYS: &[(&str, &str)] = &[
    ("↑ ↓ ← →  Home End PgUp PgDn", "ops-key-arrows"),
    ("[  ]", "ops-key-step"),
    (",  .", "ops-key-within"),
    ("Space", "ops-key-play"),
    ("Enter  Esc", "ops-key-pin"),
    ("/", "ops-key-find"),
    ("+  −", "ops-key-zoom"),
    ("Ctrl+Z  Ctrl+Shift+Z", "ops-key-undo"),
    ("s  e", "ops-key-share"),
    ("?", "ops-key-help"),
];

/// Properties of [`OpsHelp`].
#[derive(Clone, PartialEq, Properties)]
pub struct OpsHelpProps {
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The help of the Ops screen.
#[component]
pub fn OpsHelp(props: &OpsHelpProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let keys: Vec<_> = KEYS.iter().map(|(keys, key)| (*keys, tell(key))).collect();
    let notes: Vec<_> =
        ["ops-help-cells", "ops-help-back", "ops-help-text", "ops-help-values", "ops-help-private"]
            .into_iter()
            .map(tell)
            .collect();
    html! { <Help {keys} {notes} close={props.close.clone()} /> }
}
