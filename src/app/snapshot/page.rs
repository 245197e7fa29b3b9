//! The page: its title, and an array or a program.

use std::rc::Rc;

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use yew::prelude::*;

use super::array_alone::ArrayAlone;
use super::program::Program;
use super::shared::{SharedSnapshot, message, problem_notice};
use crate::app;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::i18n::Domain;
use crate::snapshot::Snapshot;
use crate::snapshot::data::SnapshotError;

/// Mounts the page. Its script has stored the bytes of the snapshot in `xlaPlayground.snapshot`.
pub fn mount() {
    link::mark_as_snapshot();
    let page = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground"));
    let bytes = page.and_then(|page| Reflect::get(&page, &JsValue::from_str("snapshot")));
    let bytes = bytes.ok().and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok()).map(|bytes| bytes.to_vec());
    let snapshot = Snapshot::from_bytes(&bytes.unwrap_or_default());
    let snapshot = snapshot.map(|snapshot| SharedSnapshot(Rc::new(snapshot)));
    app::mount(&[Domain::CORE, Domain::OPS], html! { <SnapshotPage {snapshot} /> });
}

/// Properties of [`SnapshotPage`].
#[derive(Clone, PartialEq, Properties)]
struct SnapshotPageProps {
    snapshot: Result<SharedSnapshot, SnapshotError>,
}

/// The page.
#[component]
fn SnapshotPage(props: &SnapshotPageProps) -> Html {
    let context = use_app_context();
    let SharedSnapshot(snapshot) = match &props.snapshot {
        Ok(snapshot) => snapshot,
        Err(error) => {
            return html! { <main class="embed">{problem_notice(&context.text(&message(*error)))}</main> };
        }
    };
    let is_array = snapshot.entries.iter().all(|entry| entry.opcode.is_empty());
    let shared = SharedSnapshot(snapshot.clone());
    let open = context.text_of_key("open-full");
    html! {
        <>
            <header class="frame-top">
                <h1>{&snapshot.title}</h1>
                if !snapshot.link.is_empty() {
                    <a id="open-full" href={snapshot.link.clone()} target="_blank" rel="noopener">{open}{" "}<span aria-hidden="true">{"↗"}</span></a>
                }
            </header>
            if is_array { <ArrayAlone snapshot={shared} /> } else { <Program snapshot={shared} /> }
        </>
    }
}
