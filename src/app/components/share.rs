//! The link, and what is seen as SVG, PNG and text.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement, Url};
use yew::prelude::*;

use super::dialogs::Modal;
use super::grid_panel::SharedArray;
use crate::app::canvas::paint::paint;
use crate::app::context::use_say;
use crate::app::link;
use crate::i18n::Message;
use crate::state::document::Document;
use crate::state::permalink;
use crate::view::export;
use crate::view::svg::svg;

/// Properties of [`Share`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShareProps {
    /// The array; none where the shape has none.
    pub array: Option<SharedArray>,
    /// The document.
    pub document: Rc<Document>,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The dialog.
#[component]
pub fn Share(props: &ShareProps) -> Html {
    let context = use_say();
    let said = use_state_eq(|| None::<&'static str>);
    let field = use_node_ref();
    let fragment = permalink::write(&props.document);
    let address = link::address(&fragment);
    let copied = {
        let said = said.clone();
        move |key: &'static str| {
            said.set(Some(key));
            let said = said.clone();
            Timeout::new(4_000, move || said.set(None)).forget();
        }
    };
    let copy_link = {
        let (address, copied, field) = (address.clone(), copied.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = field.cast::<HtmlInputElement>() {
                input.select();
            }
            copy(&address, copied.clone());
        })
    };
    let text = props.array.as_ref().map(|array| export::strip_text(&array.0));
    let copy_text = {
        let (text, copied) = (text.clone().unwrap_or_default(), copied.clone());
        Callback::from(move |_: MouseEvent| copy(&text, copied.clone()))
    };
    let picture = {
        let (array, document, context) = (props.array.clone(), props.document.clone(), context.clone());
        move || {
            array.as_ref().map(|array| {
                let line = context.say("cache-line");
                export::picture(&array.0, &document, &line)
            })
        }
    };
    let save_svg = {
        let (picture, context, document) = (picture.clone(), context.clone(), props.document.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(scene) = picture() {
                let title = document.shape.to_string();
                let about = context.say("picture-of");
                download("array.svg", "image/svg+xml", &svg(&scene, &context.theme(), &title, &about));
            }
        })
    };
    let save_png = {
        let (picture, context) = (picture.clone(), context.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(scene) = picture() {
                let document = gloo::utils::document();
                let Ok(canvas) = document.create_element("canvas") else { return };
                let canvas: HtmlCanvasElement = canvas.unchecked_into();
                if paint(&canvas, &export::with_ground(scene), &context.theme()).is_ok() {
                    let done = Closure::once_into_js(|blob: Option<Blob>| {
                        if let Some(blob) = blob {
                            save("array.png", &blob);
                        }
                    });
                    // It fails only for canvases with foreign content, which ours never has.
                    let _ = canvas.to_blob(done.unchecked_ref());
                }
            }
        })
    };
    let long = address.len() > permalink::LONG;
    let save_link = {
        let fragment = fragment.clone();
        Callback::from(move |_: MouseEvent| download("array.xla-playground.txt", "text/plain", &fragment))
    };
    let length = Message::new("link-length").with("characters", address.chars().count());
    html! {
        <Modal id="share-dialog" title={context.say("share")} close={props.close.clone()}>
            <label for="link">{context.say("link-label")}</label>
            <div class="row">
                <input id="link" class="text mono" ref={field} type="text" readonly=true value={address} />
                <button class="btn primary" id="copy-link" onclick={copy_link}>{context.say("copy")}</button>
            </div>
            <p class="dim">{context.tell(&length)}{" "}{context.say("link-restores")}</p>
            if long {
                <p>{context.say("link-long")}{" "}
                    <button class="btn small" onclick={save_link}>{context.say("save-file")}</button>
                </p>
            }
            <h3>{context.say("export")}</h3>
            <div class="row wrap">
                <button class="btn" id="save-svg" onclick={save_svg} disabled={props.array.is_none()}>{"SVG"}</button>
                <button class="btn" id="save-png" onclick={save_png} disabled={props.array.is_none()}>{"PNG"}</button>
                <button class="btn" id="copy-text" onclick={copy_text} disabled={props.array.is_none()}>
                    {context.say("copy-text")}
                </button>
            </div>
            if let Some(text) = text {
                <pre class="strip-text" id="strip-text" tabindex="0" aria-label={context.say("strip-text")}>{text}</pre>
            }
            <p role="status" class="good">{(*said).map(|key| context.say(key))}</p>
        </Modal>
    }
}

/// Puts text on the clipboard and tells how it went.
fn copy(text: &str, told: impl Fn(&'static str) + 'static) {
    let navigator = gloo::utils::window().navigator();
    // Without a secure context there is no clipboard at all.
    let there = js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|c| !c.is_undefined());
    if !there {
        told("copy-by-hand");
        return;
    }
    let promise = navigator.clipboard().write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        let done = wasm_bindgen_futures::JsFuture::from(promise).await;
        told(if done.is_ok() { "copied" } else { "copy-by-hand" });
    });
}

fn download(name: &str, kind: &str, content: &str) {
    let parts = js_sys::Array::of1(&content.into());
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

fn save(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    if let Ok(anchor) = gloo::utils::document().create_element("a") {
        let anchor: HtmlAnchorElement = anchor.unchecked_into();
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    // The browser reads the blob after the click has been dealt with.
    Timeout::new(10_000, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
}
