//! The files of this release. Their names carry a content hash, so that page, worker and kernels of two releases never
//! mix: a file of another release is missing, not different.
//!
//! The build writes the manifest (`xtask/src/assets.rs`): the page has it inline and the worker's loader in its first line, both as the
//! global `xlaPlayground`. Without it, as in a test's page, every file has its plain name.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// The script that starts a worker; it loads the worker's wasm itself, so no blob is needed.
pub const LOADER: &str = "worker_loader.js";

/// The value at a path below the manifest.
fn at(path: &[&str]) -> Option<String> {
    let manifest = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground")).ok()?;
    let found =
        path.iter().try_fold(manifest, |value, key| Reflect::get(&value, &JsValue::from_str(key)).ok());
    found?.as_string()
}

/// The address of a file by its plain name, relative to this page or worker.
pub fn address(name: &str) -> String {
    at(&["files", name, "name"]).unwrap_or_else(|| format!("./{name}"))
}

/// The id of the release that this page or worker belongs to, where the build gave one. Page and worker compare theirs: a host that
/// serves one file for another is the only way in which they can differ.
pub fn release() -> Option<String> {
    at(&["release"])
}
