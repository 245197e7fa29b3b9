//! The dialogs of the Ops screen: the link with export formats, and help.

use gloo::timers::future::TimeoutFuture;
use yew::prelude::*;

use super::copy_as::{CopyAs, ExportInput};
use super::running::RunValues;
use crate::app::components::embed_field::EmbedField;
use crate::app::components::help::Help;
use crate::app::components::link_field::{LinkField, use_status};
use crate::app::components::modal::Modal;
use crate::app::components::page_export::{PageExport, Recording};
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::snapshot::record::{Bounds, Recorder};

/// Cells that are recorded before the page responds to events again.
const CELLS_PER_STEP: usize = 64;

/// Properties of [`OpsShare`].
#[derive(Clone, PartialEq, Properties)]
pub struct OpsShareProps {
    /// The fragment of the link.
    pub fragment: AttrValue,
    /// The title of an embed.
    pub title: AttrValue,
    /// The experiment to export.
    pub input: ExportInput,
    /// Whether the text has errors, so that the experiment is the last valid one.
    pub has_invalid_text: bool,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The link, and the experiment in other formats.
#[component]
pub fn OpsShare(props: &OpsShareProps) -> Html {
    let context = use_app_context();
    let (status, set_status) = use_status();
    let record = props.input.values.clone().map(|RunValues { finished, focus }| {
        let (title, cursor) = (props.title.to_string(), props.input.experiment.cursor);
        Callback::from(move |language| {
            let shown_first = (Some(focus), cursor);
            let mut recorder = Recorder::new(&finished, &title, shown_first, language, Bounds::PAGE);
            let recording: Recording = Box::pin(async move {
                while recorder.step(CELLS_PER_STEP) {
                    TimeoutFuture::new(0).await;
                }
                Some(recorder.finish())
            });
            recording
        })
    });
    html! {
        <Modal id="share-dialog" title={context.text_of_key("share")} close={props.close.clone()}>
            if props.has_invalid_text {
                <p class="error-line" id="share-last-valid">{context.text(&Message::ops("share-last-valid"))}</p>
            }
            <LinkField fragment={props.fragment.clone()} />
            <EmbedField fragment={props.fragment.clone()} title={props.title.clone()} height=560 />
            <PageExport fragment={props.fragment.clone()} file="experiment.html" record={record} />
            <CopyAs input={props.input.clone()} report={set_status} />
            <p role="status" class="good">{status.map(|key| context.text(&outcome_message(key)))}</p>
        </Modal>
    }
}

/// Messages on copying belong to the core catalogue, those on exporting to the Ops screen's.
fn outcome_message(key: &'static str) -> Message {
    if key.starts_with("export-") { Message::ops(key) } else { Message::new(key) }
}

/// Shortcuts, with the message keys of their descriptions.
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
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let keys: Vec<_> = KEYS.iter().map(|(keys, key)| (*keys, text(key))).collect();
    let notes: Vec<_> =
        ["ops-help-cells", "ops-help-back", "ops-help-text", "ops-help-values", "ops-help-private"]
            .into_iter()
            .map(text)
            .collect();
    html! { <Help {keys} {notes} close={props.close.clone()} /> }
}
