//! Runs the user's functions in isolation: in a worker within a frame of an opaque origin, `static/sandbox.html`,
//! with a separate content security policy.
//!
//! Invariant: the frame gets one message port and nothing else of this page. A reply counts only if it answers the
//! current call and has the requested shape, or is an error. After a timeout the frame is removed with everything
//! that runs in it, and the next call creates another.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use gloo::timers::future::TimeoutFuture;
use js_sys::{Array, ArrayBuffer, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlIFrameElement, MessageChannel, MessageEvent, MessagePort};

use crate::array::{ArrayShape, Literal, Shape};
use crate::hlo::Host;
use crate::i18n::{Language, Message};
use crate::state::experiment::typed_arrays;
use crate::worker::site::files;

/// The frame's page.
const FRAME_PAGE: &str = "sandbox.html";

/// The time limit of a call in milliseconds.
pub const CALL_TIMEOUT_MS: u32 = 2_000;

/// The time limit of loading the frame in milliseconds.
const LOAD_TIMEOUT_MS: u32 = 10_000;

/// Maximum number of bytes of arrays that a call may allocate: 256 MiB.
const MAX_CALL_BYTES: f64 = 268_435_456.0;

/// Maximum number of characters of an error that are displayed.
const MAX_ERROR_CHARS: usize = 300;

/// A frame in the page; dropping it removes it.
struct Frame {
    element: HtmlIFrameElement,
    port: MessagePort,
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.port.close();
        self.element.remove();
    }
}

/// The number of running calls, in all sandboxes of a run.
pub type PendingCalls = Rc<Cell<usize>>;

/// Runs functions, one call at a time; dropping it terminates them.
struct Sandbox {
    language: Language,
    frame: RefCell<Option<Rc<Frame>>>,
    last_call_id: Cell<u32>,
}

/// A host with these functions, each the body of a JavaScript function of `output` and `inputs`. `language` is that
/// of errors. The frame is created at the first call.
pub fn host<'a>(
    language: Language,
    functions: impl Iterator<Item = (&'a String, &'a String)>,
    pending_calls: &PendingCalls,
) -> Host {
    let sandbox = Rc::new(Sandbox { language, frame: RefCell::default(), last_call_id: Cell::new(0) });
    functions.fold(Host::default(), |host, (name, code)| {
        let (sandbox, code, pending_calls) = (sandbox.clone(), code.clone(), pending_calls.clone());
        host.custom_call_async(name, move |inputs, shape| {
            // Counted before the first poll, so that the run is not mistaken for a deadlock.
            pending_calls.set(pending_calls.get() + 1);
            let (sandbox, code, pending_calls) = (sandbox.clone(), code.clone(), pending_calls.clone());
            async move {
                let reply = sandbox.call(&code, &inputs, &shape).await;
                pending_calls.set(pending_calls.get() - 1);
                reply.map_err(|message| message.localize(sandbox.language))
            }
        })
    })
}

fn broken_frame(_: JsValue) -> Message {
    Message::ops("sandbox-failed")
}

fn set(object: &Object, key: &str, value: &JsValue) {
    // This cannot fail for a plain object.
    let _ = Reflect::set(object, &key.into(), value);
}

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Waits for a promise; returns `None` after `limit_ms`.
async fn with_timeout(limit_ms: u32, promise: Promise) -> Option<Result<JsValue, JsValue>> {
    let mut reply = JsFuture::from(promise);
    let mut timer = TimeoutFuture::new(limit_ms);
    poll_fn(|context| match Pin::new(&mut reply).poll(context) {
        Poll::Ready(reply) => Poll::Ready(Some(reply)),
        Poll::Pending => Pin::new(&mut timer).poll(context).map(|()| None),
    })
    .await
}

/// A promise; `with_resolve` receives the function that resolves it.
fn new_promise(with_resolve: impl FnOnce(&Function)) -> Promise {
    let mut with_resolve = Some(with_resolve);
    Promise::new(&mut |resolve, _| {
        if let Some(with_resolve) = with_resolve.take() {
            with_resolve(&resolve);
        }
    })
}

/// A listener on a port; dropping it removes it, so that a reply after the cancellation of a run is ignored.
struct PortListener {
    port: MessagePort,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for PortListener {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
    }
}

impl Sandbox {
    async fn frame(&self) -> Result<Rc<Frame>, Message> {
        if let Some(frame) = self.frame.borrow().clone() {
            return Ok(frame);
        }
        let document = gloo::utils::document();
        let element = document.create_element("iframe").map_err(broken_frame)?;
        let element: HtmlIFrameElement = element.unchecked_into();
        for (name, value) in [
            ("sandbox", "allow-scripts"),
            ("hidden", ""),
            ("title", "sandbox"),
            ("src", files::address(FRAME_PAGE).as_str()),
            ("allow", ""),
        ] {
            element.set_attribute(name, value).map_err(broken_frame)?;
        }
        let loaded = new_promise(|resolve| element.set_onload(Some(resolve)));
        let body = document.body().ok_or_else(|| Message::ops("sandbox-failed"))?;
        body.append_child(&element).map_err(broken_frame)?;
        let channel = MessageChannel::new().map_err(broken_frame)?;
        let frame = Rc::new(Frame { element, port: channel.port1() });
        with_timeout(LOAD_TIMEOUT_MS, loaded)
            .await
            .ok_or_else(|| Message::ops("sandbox-failed"))?
            .map_err(broken_frame)?;
        frame.element.set_onload(None);
        let window = frame.element.content_window().ok_or_else(|| Message::ops("sandbox-failed"))?;
        // `*`, because an opaque origin cannot be a target origin; only this window receives the port.
        let ports = Array::of1(&channel.port2());
        window.post_message_with_transfer(&JsValue::NULL, "*", &ports).map_err(broken_frame)?;
        *self.frame.borrow_mut() = Some(frame.clone());
        Ok(frame)
    }

    async fn call(&self, code: &str, inputs: &[Literal], shape: &Shape) -> Result<Literal, Message> {
        let frame = self.frame().await?;
        let id = self.last_call_id.get() + 1;
        self.last_call_id.set(id);
        let zeros = Literal::zeros(shape).map_err(|error| error.message)?;
        let job = Object::new();
        set(&job, "id", &id.into());
        set(&job, "code", &code.into());
        set(&job, "most", &MAX_CALL_BYTES.into());
        set(&job, "inputs", &inputs.iter().map(to_js).collect::<Array>());
        set(&job, "output", &to_js(&zeros));
        let mut resolve_reply: Option<Function> = None;
        let reply = new_promise(|resolve| resolve_reply = Some(resolve.clone()));
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            // A late reply to an earlier call is ignored.
            if get(&event.data(), "id") == id
                && let Some(resolve_reply) = &resolve_reply
            {
                let _ = resolve_reply.call1(&JsValue::NULL, &event.data());
            }
        });
        frame.port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let listener = PortListener { port: frame.port.clone(), _on_message: on_message };
        frame.port.post_message(&job).map_err(broken_frame)?;
        let reply = with_timeout(CALL_TIMEOUT_MS, reply).await;
        drop(listener);
        let Some(reply) = reply else {
            self.frame.borrow_mut().take();
            return Err(Message::ops("sandbox-time").with("seconds", i64::from(CALL_TIMEOUT_MS / 1_000)));
        };
        parse_reply(&reply.map_err(broken_frame)?, shape)
    }
}

/// A value for the frame: arrays as objects, tuples as lists, tokens as null.
fn to_js(literal: &Literal) -> JsValue {
    match literal {
        Literal::Token => JsValue::NULL,
        Literal::Tuple(elements) => elements.iter().map(to_js).collect::<Array>().into(),
        Literal::Array(array) => {
            let typed = typed_arrays::to_typed_array(array);
            let shape: &ArrayShape = array.shape();
            let out = Object::new();
            set(&out, "type", &shape.element_type.to_string().into());
            let sizes = shape.dimensions.iter().map(|size| JsValue::from(u32::try_from(*size).unwrap_or(0)));
            set(&out, "shape", &sizes.collect::<Array>());
            set(&out, "kind", &typed.class.into());
            let length = u32::try_from(typed_arrays::element_count(shape).unwrap_or(0)).unwrap_or(0);
            set(&out, "length", &length.into());
            set(&out, "buffer", &Uint8Array::from(&typed.bytes[..]).buffer());
            out.into()
        }
    }
}

/// Parses the frame's reply as a value of this shape.
fn parse_reply(reply: &JsValue, shape: &Shape) -> Result<Literal, Message> {
    if let Some(error) = get(reply, "error").as_string() {
        let error = error.strip_prefix("Uncaught ").unwrap_or(&error);
        let message = Message::ops("sandbox-error")
            .with("why", error.chars().take(MAX_ERROR_CHARS).collect::<String>());
        let line = get(reply, "line").as_f64().unwrap_or(0.0);
        return Err(if line > 0.0 {
            Message::ops("sandbox-line").with("line", line.to_string()).with("why", message)
        } else {
            message
        });
    }
    let shape_error = || Message::ops("sandbox-shape").with("shape", shape.human_string());
    let buffers = get(reply, "buffers").dyn_into::<Array>().map_err(|_| shape_error())?;
    let arrays = typed_arrays::arrays_in(shape);
    if usize::try_from(buffers.length()).ok() != Some(arrays.len()) {
        return Err(shape_error());
    }
    let mut bytes = Vec::new();
    for (buffer, array) in buffers.iter().zip(arrays) {
        let buffer = buffer.dyn_into::<ArrayBuffer>().map_err(|_| shape_error())?;
        let expected_bytes = typed_arrays::element_count(array)
            .and_then(|n| n.checked_mul(typed_arrays::typed_array_class(array.element_type).1));
        // Checked before anything is copied.
        if usize::try_from(buffer.byte_length()).ok() != expected_bytes {
            return Err(shape_error());
        }
        bytes.push(Uint8Array::new(&buffer).to_vec());
    }
    typed_arrays::literal_from_arrays(shape, &mut bytes.into_iter()).ok_or_else(shape_error)
}
