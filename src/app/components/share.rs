//! The share dialog: the link, and the array as SVG, PNG, text and Layout proto.

use std::rc::Rc;

use yew::prelude::*;

use super::embed_field::EmbedField;
use super::files::{copy, download, save_png};
use super::link_field::{LinkField, use_status};
use super::modal::Modal;
use super::page_export::{PageExport, Recording};
use crate::app::canvas::SharedArray;
use crate::app::context::use_app_context;
use crate::array::Layout;
use crate::snapshot::record;
use crate::state::document::Document;
use crate::state::permalink;
use crate::view::export;
use crate::view::highlights::SlotHighlights;
use crate::view::svg::svg;

/// Properties of [`Share`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShareProps {
    /// The array; `None` if the shape has none.
    pub array: Option<SharedArray>,
    /// The document to share.
    pub document: Rc<Document>,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The dialog with the link and the export formats.
#[component]
pub fn Share(props: &ShareProps) -> Html {
    let context = use_app_context();
    let (status, set_status) = use_status();
    let text = props.array.as_ref().map(|array| export::strip_text(&array.0));
    let copied = |text: String| {
        let set_status = set_status.clone();
        Callback::from(move |_: MouseEvent| {
            let set_status = set_status.clone();
            copy(&text, move |key| set_status.emit(key));
        })
    };
    let copy_text = copied(text.clone().unwrap_or_default());
    let layout = props.array.as_ref().and_then(|array| array.0.shape().layout.as_ref());
    let copy_proto = copied(layout.map(Layout::proto_text).unwrap_or_default());
    let picture = {
        let (array, document, context) = (props.array.clone(), props.document.clone(), context.clone());
        move || {
            array.as_ref().map(|array| {
                let line = context.text_of_key("cache-line");
                let pins = document.pins.clone();
                let highlights = SlotHighlights { cursor: Some(document.cursor), hover: None, pins };
                export::picture(&array.0, &document.view, &highlights, &line)
            })
        }
    };
    let save_svg = {
        let (picture, context, document) = (picture.clone(), context.clone(), props.document.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(scene) = picture() {
                let title = document.shape.to_string();
                let about = context.text_of_key("picture-of");
                download("array.svg", "image/svg+xml", &svg(&scene, &context.theme(), &title, &about));
            }
        })
    };
    let save_picture = {
        let (picture, context) = (picture.clone(), context.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(scene) = picture() {
                save_png("array.png", scene, &context.theme());
            }
        })
    };
    let record = props.array.is_some().then(|| {
        let document = props.document.clone();
        Callback::from(move |_| -> Recording {
            let document = document.clone();
            Box::pin(async move { record::array(&document, &document.shape.to_string()) })
        })
    });
    html! {
        <Modal id="share-dialog" title={context.text_of_key("share")} close={props.close.clone()}>
            <LinkField fragment={permalink::write(&props.document)} />
            <EmbedField fragment={permalink::write(&props.document)} title={props.document.shape.to_string()} height=480 />
            <PageExport fragment={permalink::write(&props.document)} file="array.html" {record} />
            <h3>{context.text_of_key("export")}</h3>
            <div class="row wrap">
                <button class="btn" id="save-svg" onclick={save_svg} disabled={props.array.is_none()}>{"SVG"}</button>
                <button class="btn" id="save-png" onclick={save_picture} disabled={props.array.is_none()}>{"PNG"}</button>
                <button class="btn" id="copy-text" onclick={copy_text} disabled={props.array.is_none()}>
                    {context.text_of_key("copy-text")}
                </button>
                <button class="btn" id="copy-proto" onclick={copy_proto} disabled={layout.is_none()}>
                    {context.text_of_key("copy-proto")}
                </button>
            </div>
            if let Some(text) = text {
                <pre class="strip-text" id="strip-text" tabindex="0" aria-label={context.text_of_key("strip-text")}>{text}</pre>
            }
            <p role="status" class="good">{status.map(|key| context.text_of_key(key))}</p>
        </Modal>
    }
}
