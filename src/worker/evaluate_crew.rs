//! Several workers for one large dot or convolution of an evaluation: each has an instance of the kernels of its own and
//! does a share ([`super::evaluate_shares`]); cells go to and fro as memory that is handed over.
//!
//! The workers are started when a task first is large enough, and kept. A task waits for their start no longer than it
//! would take alone, and one that does not answer as it should loses its share to the worker that asked. They end with
//! it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use super::evaluate_service::send as send_page;
use super::evaluate_shares::{MOST, Share, shares, workers};
use super::kernels::{Module, Renewed, copied_out, taken};
use super::member::{self, Member, in_time, is_called};
use super::messages::{Reply, ShareReply, ShareRequest, header, read as read_header};
use crate::array::literal::Buffer;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, Mode, Refusal, SharedRun};
use crate::kernels::Task;

/// The name by which an evaluating worker asks for one of this kind.
pub const NAME: &str = "evaluate-share";

/// Multiply-adds that a slow machine does in a millisecond.
const PER_MS: u64 = 10_000_000;

/// Milliseconds that are waited for workers to start, by all tasks together: they may never be there.
const PATIENCE: u32 = 2_000;

/// Milliseconds that a share is waited for: so many, with those that a very slow machine takes for multiply-adds, and
/// never more than so many.
const SILENCE: u32 = 10_000;
const SLOWEST: u64 = 100_000;
const LONGEST: u32 = 3_600_000;

/// Asks for a share of what these buffers hold.
fn ask(member: &Member, share: &Share, read: &[&Buffer], mode: Mode) -> Option<Promise> {
    let request = ShareRequest {
        is_fast: mode == Mode::Fast,
        words: share.task.to_words()?,
        read: share.read.iter().map(std::ops::Range::len).collect(),
        written: share.written.len(),
    };
    let (message, handed) = (Array::of1(&header(&request).into()), Array::new());
    for (buffer, range) in read.iter().zip(&share.read) {
        let cells = taken(buffer, range);
        message.push(&cells);
        handed.push(&cells);
    }
    member.ask(&message, &handed)
}

/// What a worker said.
fn heard(data: &JsValue) -> Option<(ShareReply, Array)> {
    let parts: Array = data.clone().dyn_into().ok()?;
    Some((read_header(&parts.get(0).as_string()?).ok()?, parts))
}

thread_local! {
    /// The workers that were started. Those of which nothing came are ended and not started again.
    static CREW: RefCell<Vec<Rc<Member>>> = const { RefCell::new(Vec::new()) };
    static STARTED: Cell<usize> = const { Cell::new(0) };
    static PATIENCE_LEFT: Cell<u32> = const { Cell::new(PATIENCE) };
}

/// Workers that can run at the same time.
fn cores() -> usize {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    let cores = navigator.and_then(|navigator| Reflect::get(&navigator, &"hardwareConcurrency".into()));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let cores = cores.ok().and_then(|cores| cores.as_f64()).map_or(1, |cores| cores as usize);
    cores.clamp(1, MOST)
}

/// So many workers, if they are there within some milliseconds; else those that are.
async fn crew(count: usize, patience: u64) -> Vec<Rc<Member>> {
    if STARTED.get() < count {
        send_page(&Reply::Starts(true), Vec::new());
        for _ in STARTED.replace(count)..count {
            if let Some(member) = Member::start(NAME) {
                CREW.with_borrow_mut(|crew| crew.push(Rc::new(member)));
            }
        }
        send_page(&Reply::Starts(false), Vec::new());
    }
    let all: Vec<Rc<Member>> = CREW.with_borrow(|crew| crew.iter().take(count).cloned().collect());
    let left = PATIENCE_LEFT.get();
    if left > 0 && all.iter().any(|member| !member.is_ready()) {
        let greetings: Array = all.iter().map(|member| member.greeting()).collect();
        let milliseconds = u32::try_from(patience).unwrap_or(left).min(left);
        let started = js_sys::Date::now();
        // Whether they came or not, each knows whether it is there.
        in_time(Promise::all(&greetings), milliseconds).await;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some milliseconds")]
        let waited = (js_sys::Date::now() - started).max(0.0) as u32;
        PATIENCE_LEFT.set(left.saturating_sub(waited));
    }
    all.into_iter().filter(|member| member.is_ready()).collect()
}

/// Ends a worker that did not answer as it should.
fn dismiss(member: &Rc<Member>) {
    CREW.with_borrow_mut(|crew| crew.retain(|other| !Rc::ptr_eq(other, member)));
}

/// A module whose large tasks are shared with further workers.
pub struct Sharing(pub Rc<Renewed>);

impl Sharing {
    async fn share(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
    ) -> Result<(String, u32), Refusal> {
        let alone = |written: &mut [&mut Buffer]| {
            self.0.run(task, read, written, &mut |_| true).map(|name| (name, 1))
        };
        let wanted = workers(task, cores()).saturating_sub(1);
        let members = crew(wanted, task.steps() / PER_MS).await;
        let Some(shares) = shares(task, members.len() + 1) else { return alone(written) };
        let ([own, others @ ..], [out]) = (shares.as_slice(), &mut *written) else { return alone(written) };
        let asked = others.iter().zip(&members);
        let asked: Vec<_> = asked.map(|(share, member)| ask(member, share, read, self.mode())).collect();
        let name = self.0.run_share(own, read, out)?;
        let mut count = 1;
        let longest = u32::try_from(task.steps() / SLOWEST).unwrap_or(LONGEST);
        let patience = SILENCE.saturating_add(longest).min(LONGEST);
        for ((share, member), answer) in others.iter().zip(&members).zip(asked) {
            if went(share, answer, patience, out).await.is_some() {
                count += 1;
            } else {
                dismiss(member);
                self.0.run_share(share, read, out)?;
            }
        }
        Ok((name, count))
    }
}

/// Waits for a share and puts it where it belongs.
async fn went(share: &Share, answer: Option<Promise>, patience: u32, out: &mut Buffer) -> Option<()> {
    let (reply, parts) = heard(&in_time(answer?, patience).await?)?;
    (reply == ShareReply::Went(true)).then_some(())?;
    let cells: ArrayBuffer = parts.get(1).dyn_into().ok()?;
    let bytes = share.written.len().checked_mul(share.task.types().1.first()?.bytes())?;
    (u32::try_from(bytes) == Ok(cells.byte_length())).then(|| copied_out(&cells, 0, out, &share.written))
}

impl Kernels for Sharing {
    fn mode(&self) -> Mode {
        self.0.mode()
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal> {
        self.0.run(task, read, written, tick)
    }

    fn replaced_build(&self) -> Option<(Build, Cause)> {
        self.0.replaced_build()
    }

    fn is_shared(&self, task: &Task) -> bool {
        // The others would need SIMD as well.
        self.0.module().build() != Build::Scalar && workers(task, cores()) > 1
    }

    fn run_shared<'a>(
        &'a self,
        task: &'a Task,
        read: &'a [&'a Buffer],
        written: &'a mut [&'a mut Buffer],
    ) -> SharedRun<'a> {
        Box::pin(self.share(task, read, written))
    }
}

/// Whether this worker was started to do shares.
pub fn is_asked_for() -> bool {
    is_called(NAME)
}

thread_local! {
    /// The module that was asked for last.
    static MODULE: RefCell<Option<Rc<Module>>> = const { RefCell::new(None) };
}

/// Takes requests from now on.
pub fn serve() {
    member::serve(|parts: Array| {
        spawn_local(async move {
            let cells = answer(&parts).await;
            send(ShareReply::Went(cells.is_some()), cells.as_ref());
        });
    });
    member::say_hello();
}

async fn module(build: Build) -> Option<Rc<Module>> {
    if let Some(module) = MODULE.with_borrow(Clone::clone).filter(|module| module.build() == build) {
        return Some(module);
    }
    let module = Rc::new(Module::load(build).await.ok()?);
    MODULE.set(Some(module.clone()));
    Some(module)
}

/// Does the share that a message asks for.
async fn answer(parts: &Array) -> Option<ArrayBuffer> {
    let request: ShareRequest = read_header(&parts.get(0).as_string()?).ok()?;
    let module = module(if request.is_fast { Build::Fast } else { Build::Strict }).await?;
    let task = Task::from_words(&request.words)?;
    let cells = request.read.iter().copied().chain([request.written]);
    let handle = module.prepared(&task, cells).ok()?;
    let result = done(&module, handle, &task, &request, parts);
    module.dispose(handle);
    result
}

fn done(
    module: &Module,
    handle: u32,
    task: &Task,
    request: &ShareRequest,
    parts: &Array,
) -> Option<ArrayBuffer> {
    let (types, written) = task.types();
    let bytes = |ty: &crate::kernels::Type, cells: usize| u32::try_from(cells.checked_mul(ty.bytes())?).ok();
    for (number, (ty, cells)) in types.iter().zip(&request.read).enumerate() {
        let from: ArrayBuffer = parts.get(u32::try_from(number + 1).ok()?).dyn_into().ok()?;
        let length = bytes(ty, *cells)?;
        (from.byte_length() == length).then_some(())?;
        module.bytes(handle, number, length)?.set(&Uint8Array::new(&from), 0);
    }
    if module.once(handle).is_err() {
        // The instance may have crashed: the next share gets another.
        MODULE.take();
        return None;
    }
    let length = bytes(written.first()?, request.written)?;
    Some(module.bytes(handle, types.len(), length)?.slice(0, length).buffer())
}

fn send(reply: ShareReply, cells: Option<&ArrayBuffer>) {
    let handed: Array = cells.into_iter().collect();
    let message = Array::of1(&header(&reply).into()).concat(&handed);
    member::say(&message, &handed);
}
