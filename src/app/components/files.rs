//! Copies text to the clipboard and offers files for download.

use gloo::timers::callback::Timeout;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

use crate::app::canvas::paint::paint;
use crate::view::export;
use crate::view::palette::Theme;
use crate::view::scene::Scene;

/// Copies text to the clipboard and reports the outcome by a message key.
pub fn copy(text: &str, report: impl Fn(&'static str) + 'static) {
    let navigator = gloo::utils::window().navigator();
    // Outside secure contexts, browsers provide no clipboard.
    let has_clipboard =
        js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|c| !c.is_undefined());
    if !has_clipboard {
        report("copy-by-hand");
        return;
    }
    let promise = navigator.clipboard().write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        let result = wasm_bindgen_futures::JsFuture::from(promise).await;
        report(if result.is_ok() { "copied" } else { "copy-by-hand" });
    });
}

/// Offers text as a file.
pub fn download(name: &str, kind: &str, content: &str) {
    let parts = js_sys::Array::of1(&content.into());
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

/// Offers the bytes of a worker, a `Uint8Array`, as a file.
pub fn save_bytes(name: &str, bytes: &JsValue) {
    if let Ok(blob) = Blob::new_with_u8_array_sequence(&js_sys::Array::of1(bytes)) {
        save(name, &blob);
    }
}

/// Offers bytes as a file.
pub fn save(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    if let Ok(anchor) = gloo::utils::document().create_element("a") {
        let anchor: HtmlAnchorElement = anchor.unchecked_into();
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    // The browser reads the blob after the click, so its URL is revoked later.
    Timeout::new(10_000, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
}

/// Offers a picture as a PNG file.
pub fn save_png(name: &'static str, scene: Scene, theme: &Theme) {
    let Ok(canvas) = gloo::utils::document().create_element("canvas") else { return };
    let canvas: HtmlCanvasElement = canvas.unchecked_into();
    if paint(&canvas, &export::with_background(scene), theme).is_ok() {
        let done = Closure::once_into_js(move |blob: Option<Blob>| {
            if let Some(blob) = blob {
                save(name, &blob);
            }
        });
        // This fails only for a canvas with content of another origin.
        let _ = canvas.to_blob(done.unchecked_ref());
    }
}
