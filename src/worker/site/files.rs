//! The files of this release. Their names carry a content hash, so that page, worker and kernels of two releases
//! never mix: the file of another release is missing, not different.
//!
//! The build writes the manifest (`xtask/src/assets.rs`) into the page and into the first line of the worker's
//! loader, both as the global `xlaPlayground`. Without it, as in a test's page, every file has its plain name.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// The script that starts a worker. It loads the worker's wasm itself, which avoids a blob URL.
pub const LOADER: &str = "worker_loader.js";

/// The string at a path in the manifest.
fn manifest_entry(path: &[&str]) -> Option<String> {
    let manifest = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground")).ok()?;
    let value =
        path.iter().try_fold(manifest, |value, key| Reflect::get(&value, &JsValue::from_str(key)).ok());
    value?.as_string()
}

/// The address of a file by its plain name, relative to this page or worker.
pub fn address(name: &str) -> String {
    manifest_entry(&["files", name, "name"]).unwrap_or_else(|| format!("./{name}"))
}

/// The id of the release that this page or worker belongs to, if the build assigned one. Page and worker compare
/// theirs; they differ only if a host serves one file for another.
pub fn release() -> Option<String> {
    manifest_entry(&["release"])
}
