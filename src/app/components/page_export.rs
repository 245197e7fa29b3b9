//! "Export as one page": an array or a program with its values as one HTML file that contains everything it needs.

use std::pin::Pin;

use yew::prelude::*;

use super::files::download;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::cause::{Cause, Part};
use crate::i18n::{Language, Message};
use crate::snapshot::Snapshot;
use crate::snapshot::page::page;
use crate::worker::site::{fetch, files};

/// The template in the site.
const TEMPLATE: &str = "snapshot.html";

/// A snapshot that is being recorded; `None` if there is nothing to record. The screen records it: so the Layout screen links no
/// evaluator.
pub type Recording = Pin<Box<dyn Future<Output = Option<Snapshot>>>>;

/// Properties of [`PageExport`].
#[derive(Clone, PartialEq, Properties)]
pub struct PageExportProps {
    /// The link of the exported state.
    pub fragment: AttrValue,
    /// The name of the file.
    pub file: AttrValue,
    /// Starts to record, in the language of the page; `None` if there is nothing to record.
    pub record: Option<Callback<Language, Recording>>,
}

/// The state of an export.
#[derive(Clone, Debug, PartialEq)]
enum Progress {
    Idle,
    Working,
    Saved,
    Failed(Message),
}

/// The button, with its description and the outcome of the export.
#[component]
pub fn PageExport(props: &PageExportProps) -> Html {
    let context = use_app_context();
    let progress = use_state_eq(|| Progress::Idle);
    let onclick = props.record.clone().map(|record| {
        let (progress, props, language) = (progress.clone(), props.clone(), context.language);
        Callback::from(move |_: MouseEvent| {
            if *progress == Progress::Working {
                return;
            }
            progress.set(Progress::Working);
            let (progress, props, record) = (progress.clone(), props.clone(), record.clone());
            wasm_bindgen_futures::spawn_local(async move {
                progress.set(match exported(&props, &record, language).await {
                    Ok(html) => {
                        download(&props.file, "text/html", &html);
                        Progress::Saved
                    }
                    Err(message) => Progress::Failed(message),
                });
            });
        })
    });
    let status = match &*progress {
        Progress::Idle => None,
        Progress::Working => Some(Message::new("page-export-working")),
        Progress::Saved => Some(Message::new("page-export-saved")),
        Progress::Failed(message) => Some(message.clone()),
    };
    let class = if matches!(*progress, Progress::Failed(_)) { "bad" } else { "good" };
    html! {
        <>
            <p class="row wrap page-export">
                <button class="btn" id="export-page" disabled={onclick.is_none()} {onclick} aria-describedby="about-page">
                    {context.text_of_key("page-export")}
                </button>
                <span class="dim" id="about-page">{context.text_of_key("page-export-about")}</span>
            </p>
            <p role="status" {class} id="page-status">{status.map(|message| context.text(&message))}</p>
        </>
    }
}

/// The template of exported pages, or why it could not be loaded.
pub async fn template() -> Result<String, Message> {
    let failed = |cause: Cause| cause.message(Part::OnDemandCode);
    let template = fetch::bytes(&files::address(TEMPLATE)).await.map_err(failed)?;
    String::from_utf8(template).map_err(|_| failed(Cause::Corrupt))
}

/// The page, or why there is none.
async fn exported(
    props: &PageExportProps,
    record: &Callback<Language, Recording>,
    language: Language,
) -> Result<String, Message> {
    let template = template().await?;
    let recorded = record.emit(language).await;
    let mut snapshot = recorded.ok_or_else(|| Message::new("page-export-nothing"))?;
    snapshot.link = link::full_url(&props.fragment);
    page(&template, &snapshot).ok_or_else(|| Cause::Corrupt.message(Part::OnDemandCode))
}
