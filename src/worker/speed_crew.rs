//! Several workers that share a dot by its rows: each has an instance of the kernels of its own with the whole right
//! operand; rows and results go to and fro as buffers that are handed over, not copied.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Float32Array, Function, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::client::LOADER;
use super::kernels::Module;
use super::speed_messages::{RowsReply, RowsRequest, header, read};
use super::speed_timing::shares;
use crate::hlo::kernel::Mode;
use crate::state::speed::Setup;
use crate::state::speed::task::task;

/// The name by which a measuring worker asks for one of this kind.
pub const NAME: &str = "measure-rows";

/// Milliseconds in which a worker starts, or makes a dot ready.
const PATIENCE: u32 = 10_000;

/// A worker, and who waits for its next word.
struct Member {
    worker: Worker,
    waits: Rc<RefCell<Option<Function>>>,
    /// Rows and result, while they are here.
    buffers: RefCell<Option<(Float32Array, Float32Array)>>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Member {
    /// Starts a worker.
    fn start() -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(NAME);
        let worker = Worker::new_with_options(LOADER, &options).ok()?;
        let waits: Rc<RefCell<Option<Function>>> = Rc::default();
        let answer = {
            let waits = waits.clone();
            move |data: &JsValue| {
                if let Some(waits) = waits.borrow_mut().take() {
                    // What a promise's resolve function answers says nothing.
                    let _ = waits.call1(&JsValue::UNDEFINED, data);
                }
            }
        };
        let message = {
            let answer = answer.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| answer(&event.data()))
        };
        let error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            answer(&JsValue::UNDEFINED);
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Some(Self { worker, waits, buffers: RefCell::default(), _message: message, _error: error })
    }

    /// The worker's next word.
    fn next(&self) -> Promise {
        Promise::new(&mut |resolve, _| *self.waits.borrow_mut() = Some(resolve))
    }

    /// Asks with buffers beside, which are handed over where so wanted.
    fn ask(&self, request: &RowsRequest, beside: &[&Float32Array], are_handed: bool) -> Option<Promise> {
        let (message, handed) = (Array::of1(&header(request).into()), Array::new());
        for array in beside {
            message.push(array);
            if are_handed {
                handed.push(&array.buffer());
            }
        }
        let next = self.next();
        self.worker.post_message_with_transfer(&message, &handed).ok()?;
        Some(next)
    }
}

/// A word that is waited for so many milliseconds and no longer: a browser may never start a worker, nor say so.
async fn in_time(word: Promise, patience: u32) -> Option<JsValue> {
    let mut timer = None;
    let late = Promise::new(&mut |resolve, _| {
        // What a promise's resolve function answers says nothing.
        let end = move || drop(resolve.call0(&JsValue::UNDEFINED));
        timer = Some(gloo::timers::callback::Timeout::new(patience, end));
    });
    let heard = JsFuture::from(Promise::race(&Array::of2(&word, &late))).await.ok();
    drop(timer);
    heard
}

/// What a worker said.
fn heard(data: &JsValue) -> Option<(RowsReply, Array)> {
    let parts: Array = data.clone().dyn_into().ok()?;
    Some((read(&parts.get(0).as_string()?)?, parts))
}

/// Multiply-adds in a millisecond of one worker, at the very least.
const SLOWEST: u64 = 50_000;

/// The most milliseconds that a dot is waited for.
const LONGEST: u32 = 3_600_000;

/// Workers with a dot.
pub struct Crew {
    members: Vec<Member>,
    /// Milliseconds after which a worker that does its rows is given up.
    patience: u32,
}

impl Crew {
    /// So many workers with shares of the rows of a dot; `None` where they cannot be had.
    pub async fn of(count: u32, setup: &Setup, values: Vec<Vec<f32>>) -> Option<Self> {
        let [m, k, n] = *setup.sizes.as_slice() else { return None };
        let (m, k, n) = (u32::try_from(m).ok()?, u32::try_from(k).ok()?, u32::try_from(n).ok()?);
        let members: Vec<Member> = (0..count).map(|_| Member::start()).collect::<Option<_>>()?;
        let greetings: Vec<Promise> = members.iter().map(Member::next).collect();
        for greeting in greetings {
            let (reply, _) = heard(&in_time(greeting, PATIENCE).await?)?;
            (reply == RowsReply::Ready).then_some(())?;
        }
        let (lhs, rhs) = (values.first()?, Float32Array::from(values.get(1)?.as_slice()));
        let mut first = 0;
        let mut ready = Vec::new();
        for (member, rows) in members.iter().zip(shares(m, count)) {
            let request = RowsRequest::Prepare { sizes: [rows, k, n] };
            ready.push(member.ask(&request, &[&rhs], false)?);
            let (from, to) = (first as usize * k as usize, (first + rows) as usize * k as usize);
            let own = Float32Array::from(lhs.get(from..to)?);
            *member.buffers.borrow_mut() = Some((own, Float32Array::new_with_length(rows.checked_mul(n)?)));
            first += rows;
        }
        for answer in ready {
            let (reply, _) = heard(&in_time(answer, PATIENCE).await?)?;
            (reply == RowsReply::Prepared(true)).then_some(())?;
        }
        let longest = u32::try_from(setup.steps() / SLOWEST).unwrap_or(LONGEST).min(LONGEST);
        Some(Self { members, patience: PATIENCE.saturating_add(longest) })
    }

    /// Does the dot once: every worker its rows. Says whether all did.
    pub async fn once(&self) -> bool {
        self.all().await.is_some()
    }

    async fn all(&self) -> Option<()> {
        let mut answers = Vec::new();
        for member in &self.members {
            let (rows, out) = member.buffers.borrow_mut().take()?;
            answers.push(member.ask(&RowsRequest::Go, &[&rows, &out], true)?);
        }
        for (member, answer) in self.members.iter().zip(answers) {
            let (reply, parts) = heard(&in_time(answer, self.patience).await?)?;
            (reply == RowsReply::Went(true)).then_some(())?;
            *member.buffers.borrow_mut() =
                Some((parts.get(1).dyn_into().ok()?, parts.get(2).dyn_into().ok()?));
        }
        Some(())
    }
}

fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// Whether this worker was started to do rows.
pub fn is_asked_for() -> bool {
    scope().is_some_and(|scope| scope.name() == NAME)
}

thread_local! {
    /// The instance, the handle of its dot and the cells of its buffers.
    static DOT: RefCell<Option<(Module, u32, [usize; 3])>> = const { RefCell::new(None) };
}

/// Takes requests from now on.
pub fn serve() {
    let Some(scope) = scope() else { return };
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let parts: Array = event.data().unchecked_into();
        let request = parts.get(0).as_string().and_then(|text| read::<RowsRequest>(&text));
        match request {
            Some(RowsRequest::Prepare { sizes }) => spawn_local(async move {
                let is_ready = prepare(sizes, &parts).await.is_some();
                send(RowsReply::Prepared(is_ready), &[]);
            }),
            Some(RowsRequest::Go) => {
                let went = go(&parts);
                let beside = went.as_ref().map(|(rows, out)| vec![rows, out]).unwrap_or_default();
                send(RowsReply::Went(went.is_some()), &beside);
            }
            None => send(RowsReply::Went(false), &[]),
        }
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
    send(RowsReply::Ready, &[]);
}

async fn prepare(sizes: [u32; 3], parts: &Array) -> Option<()> {
    let module = Module::load(Mode::Strict).await.ok()?;
    let setup = Setup { sizes: sizes.map(u64::from).to_vec(), ..Setup::default() };
    let prepared = task(&setup, None)?;
    let cells = [*prepared.read.first()?, *prepared.read.get(1)?, prepared.written];
    let handle = module.prepared(&prepared.task, cells.into_iter()).ok()?;
    let rhs: Float32Array = parts.get(1).dyn_into().ok()?;
    let memory = module.floats(handle, 1, cells[1])?;
    (memory.length() == rhs.length()).then(|| memory.set(&rhs, 0))?;
    DOT.set(Some((module, handle, cells)));
    Some(())
}

/// Does the rows beside a request, and answers rows and result.
fn go(parts: &Array) -> Option<(Float32Array, Float32Array)> {
    let (rows, out) =
        (parts.get(1).dyn_into::<Float32Array>().ok()?, parts.get(2).dyn_into::<Float32Array>().ok()?);
    DOT.with_borrow(|dot| {
        let (module, handle, [from, _, to]) = dot.as_ref()?;
        let memory = module.floats(*handle, 0, *from)?;
        (memory.length() == rows.length()).then(|| memory.set(&rows, 0))?;
        module.once(*handle).then_some(())?;
        let result = module.floats(*handle, 2, *to)?;
        (result.length() == out.length()).then(|| out.set(&result, 0))
    })?;
    Some((rows, out))
}

fn send(reply: RowsReply, beside: &[&Float32Array]) {
    let Some(scope) = scope() else { return };
    let (message, handed) = (Array::of1(&header(reply).into()), Array::new());
    for array in beside {
        message.push(array);
        handed.push(&array.buffer());
    }
    if let Err(error) = scope.post_message_with_transfer(&message, &handed) {
        wasm_bindgen::throw_val(error);
    }
}
