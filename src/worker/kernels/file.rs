//! The files of the kernel modules: loads and compiles one, or reports what the browser lacks for it.
//!
//! A module carries the fingerprint of the sources it was compiled from (`xtask/src/fingerprint.rs`); one whose
//! fingerprint differs from this build's belongs to another release.

use js_sys::{Array, Promise, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::cause::{Cause, Part};
use crate::hlo::eval::kernel::Build;
use crate::worker::site::{fetch, files};

/// The custom section that holds the fingerprint.
const SECTION: &str = "sources";

/// The fingerprint of the sources that this build's kernels were compiled from.
const FINGERPRINT: &str = env!("KERNEL_SOURCES");

/// Minimal modules with a SIMD and with a relaxed SIMD instruction, to probe the browser.
const SIMD: &[u8] = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7b\x03\x02\x01\0\x0a\x0a\x01\x08\0\
    \x41\0\xfd\x0f\xfd\x62\x0b";
const RELAXED_SIMD: &[u8] = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7b\x03\x02\x01\0\x0a\x0f\x01\x0d\0\
    \x41\x01\xfd\x0f\x41\x02\xfd\x0f\xfd\x80\x02\x0b";

/// The plain name of the file of the plans' module.
const PLANS: &str = "plans.wasm";

/// The plain name of a module's file.
pub fn name(build: Build) -> &'static str {
    match build {
        Build::Simd => "kernels-strict.wasm",
        Build::RelaxedSimd => "kernels-fast.wasm",
        Build::Scalar => "kernels-scalar.wasm",
    }
}

/// The text of an error, as the browser's console would show it.
pub fn text_of(error: &JsValue) -> String {
    let field = |name: &str| Reflect::get(error, &name.into()).ok().and_then(|field| field.as_string());
    // A thrown value need not be an `Error`: then it has no name.
    let (name, message) = (field("name").unwrap_or_default(), field("message"));
    message.or_else(|| error.as_string()).map_or_else(String::new, |message| format!("{name}: {message}"))
}

/// The feature of a build that the browser lacks, if any.
async fn missing_feature(build: Build) -> Option<Cause> {
    let probes = [(SIMD, Cause::NoSimd), (RELAXED_SIMD, Cause::NoRelaxedSimd)];
    let count = match build {
        Build::Scalar => 0,
        Build::Simd => 1,
        Build::RelaxedSimd => 2,
    };
    for (probe, cause) in probes.into_iter().take(count) {
        let probe: JsValue = Uint8Array::from(probe).into();
        let is_valid = WebAssembly::validate(&probe) == Ok(true);
        if !is_valid || settled(WebAssembly::compile(&probe)).await.is_err() {
            return Some(cause);
        }
    }
    None
}

async fn settled(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}

/// Whether a module belongs to this release. A module without a fingerprint (in tests) is accepted: its exports
/// decide.
fn is_same_release(module: &WebAssembly::Module) -> bool {
    let sections = WebAssembly::Module::custom_sections(module, SECTION);
    let fingerprint = sections.iter().next().map(|section| Uint8Array::new(&section).to_vec());
    fingerprint.is_none_or(|fingerprint| fingerprint == FINGERPRINT.as_bytes())
}

/// Loads and compiles a module.
///
/// # Errors
/// The feature that the browser lacks, why the file could not be loaded, or that it is damaged or of another release.
pub async fn compiled(build: Build) -> Result<WebAssembly::Module, Cause> {
    if let Some(cause) = missing_feature(build).await {
        return Err(cause);
    }
    let module = compiled_file(name(build)).await?;
    if is_same_release(&module) { Ok(module) } else { Err(Cause::ReleaseMismatch) }
}

/// Loads and compiles the module of plans, whose kernels are those of [`Build::Simd`].
///
/// # Errors
/// As for [`compiled`].
pub async fn compiled_plans() -> Result<WebAssembly::Module, Cause> {
    match missing_feature(Build::Simd).await {
        Some(cause) => Err(cause),
        None => compiled_file(PLANS).await,
    }
}

async fn compiled_file(name: &str) -> Result<WebAssembly::Module, Cause> {
    let bytes = fetch::bytes(&files::address(name)).await?;
    let bytes: JsValue = Uint8Array::from(bytes.as_slice()).into();
    let module = settled(WebAssembly::compile(&bytes)).await;
    let module = module.map_err(|error| Cause::of_error(Part::Kernels, &text_of(&error)))?;
    module.dyn_into().map_err(|_| Cause::Corrupt)
}

/// Instantiates a module.
///
/// # Errors
/// No memory for it, or unresolved imports.
pub async fn instantiate(
    module: &WebAssembly::Module,
    imports: &js_sys::Object,
) -> Result<WebAssembly::Instance, Cause> {
    let instance = settled(WebAssembly::instantiate_module(module, imports)).await;
    let instance = instance.map_err(|error| instantiation_cause(&error))?;
    instance.dyn_into().map_err(|_| Cause::ReleaseMismatch)
}

/// Like [`instantiate`], but synchronous, which browsers allow for large modules only in workers.
pub fn instantiate_sync(
    module: &WebAssembly::Module,
    imports: &js_sys::Object,
) -> Result<WebAssembly::Instance, Cause> {
    WebAssembly::Instance::new(module, imports).map_err(|error| instantiation_cause(&error))
}

fn instantiation_cause(error: &JsValue) -> Cause {
    let text = text_of(error);
    if text.starts_with("LinkError") || text.starts_with("TypeError") {
        return Cause::ReleaseMismatch;
    }
    Cause::of_error(Part::Kernels, &text)
}

/// Whether [`substitute`] may be available although this build failed for this cause.
pub fn has_substitute(requested: Build, cause: &Cause) -> bool {
    match cause {
        Cause::NoSimd | Cause::NoRelaxedSimd | Cause::Corrupt => requested != Build::Scalar,
        Cause::Status(_) | Cause::ReleaseMismatch | Cause::OutOfMemory(_) | Cause::Crashed(_) => {
            requested == Build::RelaxedSimd
        }
        _ => false,
    }
}

/// The build to try if `requested` is not available.
pub fn substitute(requested: Build) -> Build {
    if requested == Build::RelaxedSimd { Build::Simd } else { Build::Scalar }
}

/// The arguments of `memory.grow` in pages of 64 KiB, for a call that may throw.
pub fn pages(bytes: u64) -> Array {
    // More than the address space: growing fails.
    let pages = u32::try_from(bytes.div_ceil(1 << 16)).unwrap_or(u32::MAX);
    Array::of1(&pages.into())
}
