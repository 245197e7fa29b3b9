//! The files of the kernels' modules: which there are, whether the browser can run them, and the compiled module of one.
//!
//! A module carries the fingerprint of the sources it was compiled from (`xtask/src/fingerprint.rs`); one with another fingerprint
//! than this build's belongs to another release.

use js_sys::{Array, Promise, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::cause::{Cause, Part};
use crate::hlo::eval::kernel::Build;
use crate::worker::site::{fetch, files};

/// The custom section with the fingerprint.
const SECTION: &str = "sources";

/// What this build's kernels were compiled from.
const FINGERPRINT: &str = env!("KERNEL_SOURCES");

/// The least modules with a SIMD and with a relaxed SIMD instruction.
const SIMD: &[u8] = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7b\x03\x02\x01\0\x0a\x0a\x01\x08\0\
    \x41\0\xfd\x0f\xfd\x62\x0b";
const RELAXED_SIMD: &[u8] = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7b\x03\x02\x01\0\x0a\x0f\x01\x0d\0\
    \x41\x01\xfd\x0f\x41\x02\xfd\x0f\xfd\x80\x02\x0b";

/// The plain name of a module's file.
pub fn name(build: Build) -> &'static str {
    match build {
        Build::Strict => "kernels-strict.wasm",
        Build::Fast => "kernels-fast.wasm",
        Build::Scalar => "kernels-scalar.wasm",
    }
}

/// The text of an error, as the browser's console would show it.
pub fn text_of(error: &JsValue) -> String {
    let field = |name: &str| Reflect::get(error, &name.into()).ok().and_then(|field| field.as_string());
    let (name, message) = (field("name").unwrap_or_default(), field("message"));
    message.or_else(|| error.as_string()).map_or_else(String::new, |message| format!("{name}: {message}"))
}

/// What the browser lacks for a module, as it reports.
async fn lacks(build: Build) -> Option<Cause> {
    let wanted = [(SIMD, Cause::NoSimd), (RELAXED_SIMD, Cause::NoRelaxedSimd)];
    let count = match build {
        Build::Scalar => 0,
        Build::Strict => 1,
        Build::Fast => 2,
    };
    for (probe, cause) in wanted.into_iter().take(count) {
        let probe: JsValue = Uint8Array::from(probe).into();
        let is_valid = WebAssembly::validate(&probe) == Ok(true);
        if !is_valid || waited(WebAssembly::compile(&probe)).await.is_err() {
            return Some(cause);
        }
    }
    None
}

async fn waited(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}

/// Whether a module belongs to this release. One without a fingerprint is none of the build, and is judged by its exports.
fn is_ours(module: &WebAssembly::Module) -> bool {
    let sections = WebAssembly::Module::custom_sections(module, SECTION);
    let told = sections.iter().next().map(|section| Uint8Array::new(&section).to_vec());
    told.is_none_or(|told| told == FINGERPRINT.as_bytes())
}

/// Loads and compiles a module. Errors: what the browser lacks, why the file was not loaded, or what it is instead.
pub async fn compiled(build: Build) -> Result<WebAssembly::Module, Cause> {
    if let Some(cause) = lacks(build).await {
        return Err(cause);
    }
    let bytes = fetch::bytes(&files::address(name(build))).await?;
    let bytes: JsValue = Uint8Array::from(bytes.as_slice()).into();
    let module = waited(WebAssembly::compile(&bytes)).await;
    let module = module.map_err(|error| Cause::of_error(Part::Kernels, &text_of(&error)))?;
    let module: WebAssembly::Module = module.dyn_into().map_err(|_| Cause::Damaged)?;
    if is_ours(&module) { Ok(module) } else { Err(Cause::OtherRelease) }
}

/// Starts an instance. Errors: no memory for it, or imports that it does not get.
pub async fn started(
    module: &WebAssembly::Module,
    imports: &js_sys::Object,
) -> Result<WebAssembly::Instance, Cause> {
    let instance = waited(WebAssembly::instantiate_module(module, imports)).await;
    let instance = instance.map_err(|error| cause_of_start(&error))?;
    instance.dyn_into().map_err(|_| Cause::OtherRelease)
}

/// The same at once, in a worker, of a module that ran before.
pub fn started_again(
    module: &WebAssembly::Module,
    imports: &js_sys::Object,
) -> Result<WebAssembly::Instance, Cause> {
    WebAssembly::Instance::new(module, imports).map_err(|error| cause_of_start(&error))
}

fn cause_of_start(error: &JsValue) -> Cause {
    let text = text_of(error);
    if text.starts_with("LinkError") || text.starts_with("TypeError") {
        return Cause::OtherRelease;
    }
    Cause::of_error(Part::Kernels, &text)
}

/// Whether another module may run where this one does not, for this cause.
pub fn has_substitute(requested: Build, cause: &Cause) -> bool {
    match cause {
        Cause::NoSimd | Cause::NoRelaxedSimd | Cause::Damaged => requested != Build::Scalar,
        Cause::Status(_) | Cause::OtherRelease | Cause::OutOfMemory(_) | Cause::Trapped(_) => {
            requested == Build::Fast
        }
        _ => false,
    }
}

/// The module that is tried in place of another.
pub fn substitute(requested: Build) -> Build {
    if requested == Build::Fast { Build::Strict } else { Build::Scalar }
}

/// The arguments of `memory.grow`, for a call that may throw.
pub fn pages(bytes: u64) -> Array {
    let pages = u32::try_from(bytes.div_ceil(1 << 16)).unwrap_or(u32::MAX);
    Array::of1(&pages.into())
}
