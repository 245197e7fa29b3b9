//! Files of the site, fetched by a page or a worker: within a time limit, and with the cause where they do not come.

use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, ReadableStreamDefaultReader, RequestInit, Response, Window, WorkerGlobalScope,
};

use crate::cause::Cause;

/// Seconds without any progress after which a request is given up.
pub const STALL_SECONDS: u32 = 10;

/// How a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The whole file.
    Get,
    /// Whether it is there, past every cache.
    Head,
}

/// A promise did not end in time, or was rejected.
enum Failed {
    Late,
    Rejected,
}

/// Waits for a promise, for so many seconds.
async fn within(promise: Promise, seconds: u32) -> Result<JsValue, Failed> {
    let (mark, mut timer): (JsValue, _) = (Object::new().into(), None);
    let late = Promise::new(&mut |resolve, _| {
        let mark = mark.clone();
        // What a promise's resolve function returns says nothing.
        let end = move || drop(resolve.call1(&JsValue::UNDEFINED, &mark));
        timer = Some(gloo::timers::callback::Timeout::new(seconds * 1_000, end));
    });
    let ended = JsFuture::from(Promise::race(&js_sys::Array::of2(&promise, &late))).await;
    drop(timer);
    match ended {
        Ok(value) if Object::is(&value, &mark) => Err(Failed::Late),
        Ok(value) => Ok(value),
        Err(_) => Err(Failed::Rejected),
    }
}

/// Whether the browser says that it is offline.
fn is_offline() -> bool {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    let online = navigator.and_then(|navigator| Reflect::get(&navigator, &"onLine".into()));
    online.is_ok_and(|online| online == JsValue::FALSE)
}

fn cause(failed: &Failed) -> Cause {
    match failed {
        Failed::Late => Cause::TimedOut(STALL_SECONDS),
        Failed::Rejected if is_offline() => Cause::Offline,
        Failed::Rejected => Cause::Unreachable,
    }
}

fn fetch(address: &str, init: &RequestInit) -> Option<Promise> {
    let global = js_sys::global();
    if let Some(scope) = global.dyn_ref::<WorkerGlobalScope>() {
        return Some(scope.fetch_with_str_and_init(address, init));
    }
    Some(global.dyn_ref::<Window>()?.fetch_with_str_and_init(address, init))
}

/// The response to a request, with the controller that gives the request up. Errors: no response in time, or one that is no success.
async fn begun(address: &str, method: Method) -> Result<(Response, Option<AbortController>), Cause> {
    let (init, abort) = (RequestInit::new(), AbortController::new().ok());
    if let Some(abort) = &abort {
        init.set_signal(Some(&abort.signal()));
    }
    if method == Method::Head {
        init.set_method("HEAD");
        // Not by its setter, which would need another feature of the bindings.
        let _ = Reflect::set(&init, &"cache".into(), &"no-store".into());
    }
    let asked = fetch(address, &init).ok_or(Cause::Unreachable)?;
    let answered = within(asked, STALL_SECONDS).await;
    if let (Err(Failed::Late), Some(abort)) = (&answered, &abort) {
        abort.abort();
    }
    let response: Response =
        answered.map_err(|failed| cause(&failed))?.dyn_into().map_err(|_| Cause::Unreachable)?;
    if response.ok() { Ok((response, abort)) } else { Err(Cause::Status(response.status())) }
}

/// Asks for a file and answers the response. Errors: as of [`bytes`].
pub async fn response(address: &str, method: Method) -> Result<Response, Cause> {
    begun(address, method).await.map(|(response, _)| response)
}

/// The bytes of a file. Errors: no response or no further part of it in time, a connection that breaks, a status that is no success.
pub async fn bytes(address: &str) -> Result<Vec<u8>, Cause> {
    let (response, abort) = begun(address, Method::Get).await?;
    let Some(stream) = response.body() else { return Ok(Vec::new()) };
    let reader: ReadableStreamDefaultReader =
        stream.get_reader().dyn_into().map_err(|_| Cause::Unreachable)?;
    let mut bytes = Vec::new();
    loop {
        let part = within(reader.read(), STALL_SECONDS).await;
        if let (Err(Failed::Late), Some(abort)) = (&part, &abort) {
            abort.abort();
        }
        let part = part.map_err(|failed| cause(&failed))?;
        let get = |name: &str| Reflect::get(&part, &name.into()).unwrap_or(JsValue::UNDEFINED);
        if get("done").is_truthy() {
            return Ok(bytes);
        }
        let part: Uint8Array = get("value").dyn_into().map_err(|_| Cause::Unreachable)?;
        let start = bytes.len();
        bytes.resize(start + part.length() as usize, 0);
        part.copy_to(bytes.get_mut(start..).unwrap_or_default());
    }
}
