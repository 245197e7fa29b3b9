//! Fetches files of the site in a page or a worker, with a timeout, and reports the cause of a failure.

use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, ReadableStreamDefaultReader, RequestInit, Response, Window, WorkerGlobalScope,
};

use crate::cause::Cause;

/// Seconds without progress after which a request is aborted.
pub const STALL_SECONDS: u32 = 10;

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Fetches the whole file.
    Get,
    /// Checks that the file exists, bypassing every cache.
    Head,
}

/// A promise was not resolved in time, or was rejected.
enum PromiseError {
    TimedOut,
    Rejected,
}

/// Waits for a promise, for at most `seconds`.
async fn with_timeout(promise: Promise, seconds: u32) -> Result<JsValue, PromiseError> {
    let (sentinel, mut timer): (JsValue, _) = (Object::new().into(), None);
    let late = Promise::new(&mut |resolve, _| {
        let sentinel = sentinel.clone();
        // `resolve` returns undefined.
        let end = move || drop(resolve.call1(&JsValue::UNDEFINED, &sentinel));
        timer = Some(gloo::timers::callback::Timeout::new(seconds * 1_000, end));
    });
    let ended = JsFuture::from(Promise::race(&js_sys::Array::of2(&promise, &late))).await;
    drop(timer);
    match ended {
        Ok(value) if Object::is(&value, &sentinel) => Err(PromiseError::TimedOut),
        Ok(value) => Ok(value),
        Err(_) => Err(PromiseError::Rejected),
    }
}

/// Whether the browser reports that it is offline.
fn is_offline() -> bool {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    let online = navigator.and_then(|navigator| Reflect::get(&navigator, &"onLine".into()));
    online.is_ok_and(|online| online == JsValue::FALSE)
}

fn cause(failed: &PromiseError) -> Cause {
    match failed {
        PromiseError::TimedOut => Cause::TimedOut(STALL_SECONDS),
        PromiseError::Rejected if is_offline() => Cause::Offline,
        PromiseError::Rejected => Cause::Unreachable,
    }
}

fn fetch(address: &str, init: &RequestInit) -> Option<Promise> {
    let global = js_sys::global();
    if let Some(scope) = global.dyn_ref::<WorkerGlobalScope>() {
        return Some(scope.fetch_with_str_and_init(address, init));
    }
    Some(global.dyn_ref::<Window>()?.fetch_with_str_and_init(address, init))
}

/// The response to a request, and the controller that aborts it.
///
/// # Errors
/// No response in time, or a status other than success.
async fn send_request(address: &str, method: Method) -> Result<(Response, Option<AbortController>), Cause> {
    let (init, abort) = (RequestInit::new(), AbortController::new().ok());
    if let Some(abort) = &abort {
        init.set_signal(Some(&abort.signal()));
    }
    if method == Method::Head {
        init.set_method("HEAD");
        // web-sys puts its setter behind one more feature.
        let _ = Reflect::set(&init, &"cache".into(), &"no-store".into());
    }
    let request = fetch(address, &init).ok_or(Cause::Unreachable)?;
    let settled = with_timeout(request, STALL_SECONDS).await;
    if let (Err(PromiseError::TimedOut), Some(abort)) = (&settled, &abort) {
        abort.abort();
    }
    let response: Response =
        settled.map_err(|failed| cause(&failed))?.dyn_into().map_err(|_| Cause::Unreachable)?;
    if response.ok() { Ok((response, abort)) } else { Err(Cause::Status(response.status())) }
}

/// Requests a file and returns the response. Errors as in [`bytes`].
pub async fn response(address: &str, method: Method) -> Result<Response, Cause> {
    send_request(address, method).await.map(|(response, _)| response)
}

/// The bytes of a file.
///
/// # Errors
/// No response, or no further chunk of it, in time; a broken connection; a status other than success.
pub async fn bytes(address: &str) -> Result<Vec<u8>, Cause> {
    let (response, abort) = send_request(address, Method::Get).await?;
    let Some(stream) = response.body() else { return Ok(Vec::new()) };
    let reader: ReadableStreamDefaultReader =
        stream.get_reader().dyn_into().map_err(|_| Cause::Unreachable)?;
    let mut bytes = Vec::new();
    loop {
        let chunk = with_timeout(reader.read(), STALL_SECONDS).await;
        if let (Err(PromiseError::TimedOut), Some(abort)) = (&chunk, &abort) {
            abort.abort();
        }
        let chunk = chunk.map_err(|failed| cause(&failed))?;
        let get = |name: &str| Reflect::get(&chunk, &name.into()).unwrap_or(JsValue::UNDEFINED);
        if get("done").is_truthy() {
            return Ok(bytes);
        }
        let chunk: Uint8Array = get("value").dyn_into().map_err(|_| Cause::Unreachable)?;
        let start = bytes.len();
        bytes.resize(start + chunk.length() as usize, 0);
        // `resize` has made room for the chunk.
        chunk.copy_to(&mut bytes[start..]);
    }
}
