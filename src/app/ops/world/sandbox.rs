//! Runs the visitor's functions where they can do no harm: in a worker within a frame of an opaque origin, which is
//! `static/sandbox.html` with a policy of its own.
//!
//! Invariant: the frame gets one message port and nothing else of this page; what comes back over it is the answer to
//! the call under way, of the shape that was asked for, or an error. A call that takes too long costs the frame its
//! place: it is taken away with all that runs in it, and the next call makes another.

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
const PAGE: &str = "sandbox.html";

/// How long a call may take, milliseconds.
pub const LIMIT: u32 = 2_000;

/// How long the frame may take to load, milliseconds.
const LOADING: u32 = 10_000;

/// The arrays a call may allocate, bytes.
const MAX_CALL_BYTES: f64 = 268_435_456.0;

/// The longest text of an error that is shown, characters.
const MAX_ERROR_CHARS: usize = 300;

/// A frame that is in the page; dropping it takes it away.
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

/// How many calls are under way, in all sandboxes of a run.
pub type UnderWay = Rc<Cell<usize>>;

/// Runs functions, one call after the other; dropping it ends what runs.
struct Sandbox {
    language: Language,
    frame: RefCell<Option<Rc<Frame>>>,
    calls: Cell<u32>,
}

/// A host with these functions, each the body of a JavaScript function of `output` and `inputs`; errors are told in a
/// language. Its frame is made when it first calls one.
pub fn host<'a>(
    language: Language,
    functions: impl Iterator<Item = (&'a String, &'a String)>,
    under_way: &UnderWay,
) -> Host {
    let sandbox = Rc::new(Sandbox { language, frame: RefCell::default(), calls: Cell::new(0) });
    functions.fold(Host::default(), |host, (name, code)| {
        let (sandbox, code, under_way) = (sandbox.clone(), code.clone(), under_way.clone());
        host.custom_call_async(name, move |inputs, shape| {
            // From here on, so that whoever polls the run knows that it does not wait for ever.
            under_way.set(under_way.get() + 1);
            let (sandbox, code, under_way) = (sandbox.clone(), code.clone(), under_way.clone());
            async move {
                let answer = sandbox.call(&code, &inputs, &shape).await;
                under_way.set(under_way.get() - 1);
                answer.map_err(|message| message.say(sandbox.language))
            }
        })
    })
}

fn failed(_: JsValue) -> Message {
    Message::engine("sandbox-failed")
}

fn set(object: &Object, key: &str, value: &JsValue) {
    // Of a plain object it cannot fail.
    let _ = Reflect::set(object, &key.into(), value);
}

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Waits for a promise for so long; `None` where it takes longer.
async fn within(limit: u32, promise: Promise) -> Option<Result<JsValue, JsValue>> {
    let mut answer = JsFuture::from(promise);
    let mut timer = TimeoutFuture::new(limit);
    poll_fn(|context| match Pin::new(&mut answer).poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending => Pin::new(&mut timer).poll(context).map(|()| None),
    })
    .await
}

/// The next event of a kind that something tells.
fn next(on: impl FnOnce(&Function)) -> Promise {
    let mut on = Some(on);
    Promise::new(&mut |resolve, _| {
        if let Some(on) = on.take() {
            on(&resolve);
        }
    })
}

/// A listener to a port; dropping it ends it, also where a run is given up in the middle of a call: an answer that is
/// already under way then finds no listener.
struct Listening {
    port: MessagePort,
    _heard: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for Listening {
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
        let element = document.create_element("iframe").map_err(failed)?;
        let element: HtmlIFrameElement = element.unchecked_into();
        for (name, value) in [
            ("sandbox", "allow-scripts"),
            ("hidden", ""),
            ("title", "sandbox"),
            ("src", files::address(PAGE).as_str()),
            ("allow", ""),
        ] {
            element.set_attribute(name, value).map_err(failed)?;
        }
        let loaded = next(|resolve| element.set_onload(Some(resolve)));
        let body = document.body().ok_or_else(|| Message::engine("sandbox-failed"))?;
        body.append_child(&element).map_err(failed)?;
        let channel = MessageChannel::new().map_err(failed)?;
        let frame = Rc::new(Frame { element, port: channel.port1() });
        within(LOADING, loaded).await.ok_or_else(|| Message::engine("sandbox-failed"))?.map_err(failed)?;
        frame.element.set_onload(None);
        let window = frame.element.content_window().ok_or_else(|| Message::engine("sandbox-failed"))?;
        // An opaque origin has no name that a message could be addressed to; the port goes to this window only.
        let ports = Array::of1(&channel.port2());
        window.post_message_with_transfer(&JsValue::NULL, "*", &ports).map_err(failed)?;
        *self.frame.borrow_mut() = Some(frame.clone());
        Ok(frame)
    }

    async fn call(&self, code: &str, inputs: &[Literal], shape: &Shape) -> Result<Literal, Message> {
        let frame = self.frame().await?;
        let id = self.calls.get() + 1;
        self.calls.set(id);
        let zeros = Literal::zeros(shape).map_err(|error| error.message)?;
        let job = Object::new();
        set(&job, "id", &id.into());
        set(&job, "code", &code.into());
        set(&job, "most", &MAX_CALL_BYTES.into());
        set(&job, "inputs", &inputs.iter().map(packed).collect::<Array>());
        set(&job, "output", &packed(&zeros));
        let mut told: Option<Function> = None;
        let answer = next(|resolve| told = Some(resolve.clone()));
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            // What an earlier call left behind is none of ours.
            if get(&event.data(), "id") == id
                && let Some(told) = &told
            {
                let _ = told.call1(&JsValue::NULL, &event.data());
            }
        });
        frame.port.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        let listening = Listening { port: frame.port.clone(), _heard: heard };
        frame.port.post_message(&job).map_err(failed)?;
        let answer = within(LIMIT, answer).await;
        drop(listening);
        let Some(answer) = answer else {
            self.frame.borrow_mut().take();
            return Err(Message::engine("sandbox-time").with("seconds", i64::from(LIMIT / 1_000)));
        };
        read(&answer.map_err(failed)?, shape)
    }
}

/// A value as the frame gets it: arrays as objects, tuples as lists, tokens as null.
fn packed(literal: &Literal) -> JsValue {
    match literal {
        Literal::Token => JsValue::NULL,
        Literal::Tuple(elements) => elements.iter().map(packed).collect::<Array>().into(),
        Literal::Array(array) => {
            let typed = typed_arrays::typed(array);
            let shape: &ArrayShape = array.shape();
            let out = Object::new();
            set(&out, "type", &shape.element_type.to_string().into());
            let sizes = shape.dimensions.iter().map(|size| JsValue::from(u32::try_from(*size).unwrap_or(0)));
            set(&out, "shape", &sizes.collect::<Array>());
            set(&out, "kind", &typed.class.into());
            let length = u32::try_from(typed_arrays::length(shape).unwrap_or(0)).unwrap_or(0);
            set(&out, "length", &length.into());
            set(&out, "buffer", &Uint8Array::from(&typed.bytes[..]).buffer());
            out.into()
        }
    }
}

/// What the frame answered, held against the shape.
fn read(answer: &JsValue, shape: &Shape) -> Result<Literal, Message> {
    if let Some(error) = get(answer, "error").as_string() {
        let error = error.strip_prefix("Uncaught ").unwrap_or(&error);
        let message = Message::engine("sandbox-error")
            .with("why", error.chars().take(MAX_ERROR_CHARS).collect::<String>());
        let line = get(answer, "line").as_f64().unwrap_or(0.0);
        return Err(if line > 0.0 {
            Message::engine("sandbox-line").with("line", line.to_string()).with("why", message)
        } else {
            message
        });
    }
    let wrong = || Message::engine("sandbox-shape").with("shape", shape.human_string());
    let buffers = get(answer, "buffers").dyn_into::<Array>().map_err(|_| wrong())?;
    let wanted = typed_arrays::arrays_of(shape);
    if usize::try_from(buffers.length()).ok() != Some(wanted.len()) {
        return Err(wrong());
    }
    let mut bytes = Vec::new();
    for (buffer, array) in buffers.iter().zip(wanted) {
        let buffer = buffer.dyn_into::<ArrayBuffer>().map_err(|_| wrong())?;
        let most = typed_arrays::length(array)
            .and_then(|n| n.checked_mul(typed_arrays::class_of(array.element_type).1));
        // Before anything is copied.
        if usize::try_from(buffer.byte_length()).ok() != most {
            return Err(wrong());
        }
        bytes.push(Uint8Array::new(&buffer).to_vec());
    }
    typed_arrays::assembled(shape, &mut bytes.into_iter()).ok_or_else(wrong)
}
