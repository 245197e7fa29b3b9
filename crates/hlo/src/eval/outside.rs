//! What an evaluator asks the world outside, and what it keeps of the answers.
//!
//! Invariant: an answer is kept with the path of the call and the instruction that asked; a trace, which runs
//! computations again, is answered from there, so that it takes nothing out of a queue a second time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use smallvec::SmallVec;

use super::evaluate::Evaluator;
use super::host::Host;
use super::meetings::{Brought, Meetings};
use super::memory::{PER_VALUE, data_bytes};
use super::values::{EvalError, Values};
use crate::module::{InstructionId, Module};
use xla_array::{Shape, shape_util};
use xla_messages::i18n::Message;
use xla_ops::{
    Body, Caller, CellAt, ComputationId, Data, Later, OpError, Place, Request, Run as _, Source, World,
};

/// The calls around a computation's run: the instruction that calls, and which of its calls it is.
pub(super) type Path = SmallVec<[(InstructionId, u64); 4]>;

/// What is waited for.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    pub at: Option<(ComputationId, InstructionId)>,
    /// What for.
    pub what: Option<Message>,
    /// Whether other devices can end it, rather than whoever runs them.
    pub is_for_devices: bool,
}

impl Waiting {
    /// The name of the instruction that waits, else its opcode.
    pub fn name(&self, module: &Module) -> String {
        let instruction = self.at.and_then(|(computation, id)| module.get(computation)?.get(id));
        match instruction {
            Some(i) if i.name.is_empty() => i.opcode.clone(),
            Some(i) => i.name.clone(),
            None => String::new(),
        }
    }

    /// That it waits, in words.
    pub fn message(&self, module: &Module) -> Message {
        let what = self.what.clone().unwrap_or_else(|| Message::engine("wait-future"));
        Message::engine("wait-for").with("name", self.name(module)).with("what", what)
    }

    /// That it would be waited for ever.
    pub fn error(self, module: &Module) -> EvalError {
        let instruction = self.at.and_then(|(computation, id)| module.get(computation)?.get(id));
        let op = instruction.and_then(|i| i.op).map_or("call", |op| op.meta().opcode);
        let message = Message::engine("waiting").with("waits", self.message(module));
        let error = OpError::new(op, "waiting", message).advise(Message::engine("wait-hint-async"));
        EvalError { at: self.at, error: Box::new(error) }
    }
}

/// A device that took part in an answer: the run and the instruction it stood at.
#[derive(Clone)]
pub(super) struct Party {
    pub device: usize,
    pub path: Path,
    pub at: (ComputationId, InstructionId),
}

/// What is kept of an answer.
#[derive(Clone)]
pub(super) struct Kept {
    data: Data,
    /// The devices it came from.
    parties: Vec<Party>,
}

/// All that the world outside answered in a run, so that another evaluator can trace what came of it.
#[derive(Clone, Default)]
pub struct Answers(Rc<BTreeMap<(Path, InstructionId), Kept>>);

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Answers({})", self.0.len())
    }
}

/// The world outside of one evaluator.
pub(super) struct Outside {
    pub host: Host,
    pub place: Place,
    pub meetings: Rc<RefCell<Meetings>>,
    pub waits: Rc<RefCell<Option<Waiting>>>,
    /// The path of what is running.
    pub path: Path,
    pub kept: Answers,
    /// Bytes that are kept.
    kept_bytes: u64,
    /// Whether this is a trace.
    pub replays: bool,
    /// The path of a run whose values are wanted, and these.
    pub wanted: Option<(Path, Option<Values>)>,
    /// Cells of other devices that were met in a trace: where, at which instruction there, and which operand's.
    pub elsewhere: Vec<(Party, Source)>,
}

impl Default for Outside {
    fn default() -> Self {
        Self {
            host: Host::default(),
            place: Place::ALONE,
            meetings: Rc::default(),
            waits: Rc::default(),
            path: Path::new(),
            kept: Answers::default(),
            kept_bytes: 0,
            replays: false,
            wanted: None,
            elsewhere: Vec::new(),
        }
    }
}

/// The bytes that a function takes for an element it works on.
const PER_ELEMENT: u64 = 32;

fn elements(data: &Data) -> u64 {
    match data {
        Data::Array(array) => array.map().elements().unsigned_abs(),
        Data::Tuple(parts) => parts.iter().map(elements).fold(0, u64::saturating_add),
        Data::Token => 0,
    }
}

/// The most bytes that are kept for traces.
const MOST_KEPT: u64 = 128 << 20;

impl Outside {
    /// Forgets the run before.
    pub fn begin(&mut self) {
        self.path.clear();
        self.kept = Answers::default();
        self.kept_bytes = 0;
        self.replays = false;
        *self.waits.borrow_mut() = None;
        if self.place.is_alone() {
            *self.meetings.borrow_mut() = Meetings::default();
        }
    }

    fn keep(&mut self, id: InstructionId, data: &Data, parties: Vec<Party>) {
        let path = (self.path.len() * size_of::<(InstructionId, u64)>()) as u64;
        self.kept_bytes = self.kept_bytes.saturating_add(data_bytes(data)).saturating_add(path);
        // Values too large to keep can be computed with, but not traced.
        if self.kept_bytes <= MOST_KEPT {
            let kept = Kept { data: data.clone(), parties };
            Rc::make_mut(&mut self.kept.0).insert((self.path.clone(), id), kept);
        }
    }

    /// Keeps the values of a run if they are wanted.
    pub fn keep_frame(&mut self, values: &Values) {
        if let Some((path, slot)) = &mut self.wanted
            && *path == self.path
            && slot.is_none()
        {
            *slot = Some(values.clone());
        }
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a future as far as it comes by itself. `None` where it waits for something else.
pub(super) fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(woken.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
        if !woken.0.swap(false, Ordering::Relaxed) {
            return None;
        }
    }
}

impl Evaluator<'_> {
    fn failed(&self, rule: &'static str, message: Message) -> OpError {
        let instruction = self.module.get(self.meter.frame.computation);
        let op = instruction.and_then(|c| c.get(self.meter.instruction)).and_then(|i| i.op);
        OpError::new(op.map_or("call", |op| op.meta().opcode), rule, message)
    }

    fn wait(&self, what: Message, is_for_devices: bool) {
        let at = Some((self.meter.frame.computation, self.meter.instruction));
        *self.outside.waits.borrow_mut() = Some(Waiting { at, what: Some(what), is_for_devices });
    }

    /// An item that has the shape wanted.
    fn fitting(&self, item: Data, shape: &Shape) -> Result<Data, OpError> {
        let found = item.shape();
        if shape_util::compatible(&found, shape) {
            return Ok(item);
        }
        let message = Message::engine("outside-shape")
            .with("expected", shape.human_string())
            .with("found", found.human_string());
        Err(self.failed("outside-shape", message))
    }

    async fn answer(&mut self, request: Request<'_>) -> Result<(Data, Vec<Party>), OpError> {
        let host = self.outside.host.clone();
        let data = match request {
            Request::Infeed(shape) => {
                self.wait(Message::engine("wait-infeed").with("shape", shape.human_string()), false);
                let item = poll_fn(|context| host.infeed().poll(context)).await;
                self.fitting(item.into(), shape)?
            }
            Request::Outfeed(data) => {
                self.hold_for_run(data_bytes(data))?;
                host.outfeed().push(data.to_literal());
                Data::Token
            }
            Request::Custom { target, operands, shape } => {
                self.wait(Message::engine("wait-custom").with("name", target), false);
                // The copies, and the elements one by one where the function takes them so.
                let elements = operands.iter().map(elements).fold(0, u64::saturating_add);
                let bytes = operands.iter().map(data_bytes).fold(0, u64::saturating_add);
                self.hold(bytes.saturating_add(elements.saturating_mul(PER_ELEMENT)))?;
                self.spend(elements.saturating_mul(1 + u64::from(elements.max(1).ilog2())))?;
                let literals = operands.iter().map(Data::to_literal).collect();
                let said = match host.call(target, literals, shape) {
                    Some(answer) => answer.await,
                    None => Err(format!("no function {target}")),
                };
                let value = said.map_err(|why| {
                    let message = Message::engine("custom-failed").with("name", target).with("why", why);
                    self.failed("custom-call-failed", message)
                })?;
                self.fitting(value.into(), shape)?
            }
            Request::Meet { members, operands } => return self.meet(members, operands).await,
            Request::Send { channel, to_host: true, data } => {
                self.hold_for_run(data_bytes(data))?;
                host.sent(channel).push(data.to_literal());
                Data::Token
            }
            Request::Receive { channel, from_host: true, shape } => {
                self.wait(Message::engine("wait-receive").with("channel", channel), false);
                let queue = host.channel(channel);
                let item = poll_fn(|context| queue.poll(context)).await;
                self.fitting(item.into(), shape)?
            }
            Request::Send { channel, data, .. } => {
                self.hold_for_run(PER_VALUE)?;
                let at = (self.meter.frame.computation, self.meter.instruction);
                let party =
                    Party { device: self.outside.place.device(), path: self.outside.path.clone(), at };
                self.outside.meetings.borrow_mut().send(channel, party, data.clone());
                Data::Token
            }
            Request::Receive { channel, shape, .. } => {
                self.wait(Message::engine("wait-receive").with("channel", channel), true);
                let (meetings, device) = (self.outside.meetings.clone(), self.outside.place.device());
                // Nobody else can send.
                let is_alone = self.outside.place.is_alone();
                let item = poll_fn(|_| meetings.borrow_mut().receive(channel, device, is_alone)).await;
                let Some((item, party)) = item else {
                    let error = self.outside.waits.borrow_mut().take().unwrap_or_default().error(self.module);
                    return Err(*error.error);
                };
                return Ok((self.fitting(item, shape)?, vec![party]));
            }
        };
        Ok((data, Vec::new()))
    }

    async fn meet(&mut self, members: &[usize], operands: &[Data]) -> Result<(Data, Vec<Party>), OpError> {
        let device = self.outside.place.device();
        let brought = (Data::Tuple(operands.into()), self.outside.path.clone());
        let at = (self.meter.frame.computation, self.meter.instruction);
        let meetings = self.outside.meetings.clone();
        let key = meetings.borrow_mut().arrive(at, members, device, brought);
        let shown = |device: &usize| device.to_string();
        let absent: Vec<String> = meetings.borrow().absent(&key).iter().map(shown).collect();
        let what = Message::engine("wait-meet").with("count", absent.len());
        self.wait(what.with("devices", absent.join(", ")), true);
        let parties = poll_fn(|_| meetings.borrow_mut().poll(&key)).await;
        let data = parties.iter().map(|(data, _)| data.clone()).collect();
        let party =
            |(device, (_, path)): (&usize, &Brought)| Party { device: *device, path: path.clone(), at };
        Ok((Data::Tuple(data), members.iter().zip(parties.iter()).map(party).collect()))
    }

    async fn within<T>(&mut self, nth: u64, inner: impl AsyncFnOnce(&mut Self) -> T) -> T {
        let (frame, instruction) = (self.meter.frame, self.meter.instruction);
        self.outside.path.push((instruction, nth));
        let result = inner(self).await;
        self.outside.path.pop();
        (self.meter.frame, self.meter.instruction) = (frame, instruction);
        result
    }

    async fn call_now(
        &mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &[Data],
    ) -> Result<Data, OpError> {
        let values = self.within(nth, async |this| this.frame(computation, arguments).await).await?;
        let root = self.module.get(computation).and_then(|computation| computation.root);
        Ok(root.and_then(|root| values.get(root)).cloned().unwrap_or(Data::Token))
    }
}

impl World for Evaluator<'_> {
    fn place(&self) -> Place {
        self.outside.place
    }

    fn targets(&self) -> Vec<String> {
        self.outside.host.targets()
    }

    fn custom_sources(&self, target: &str, operands: &[Data], cell: &CellAt) -> Option<Vec<Source>> {
        self.outside.host.sources(target, operands, cell)
    }
}

impl Caller for Evaluator<'_> {
    fn call<'a>(
        &'a mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &'a [Data],
    ) -> Later<'a, Data> {
        Box::pin(self.call_now(nth, computation, arguments))
    }

    fn trace<'a>(
        &'a mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &'a [Data],
        cell: &'a CellAt,
    ) -> Later<'a, Vec<Source>> {
        Box::pin(self.within(nth, async move |this| this.trace_call(computation, arguments, cell).await))
    }

    fn ask<'a>(&'a mut self, request: Request<'a>) -> Later<'a, Data> {
        Box::pin(async move {
            let id = self.meter.instruction;
            if self.outside.replays {
                let kept = self.outside.kept.0.get(&(self.outside.path.clone(), id));
                let data = kept.map(|kept| kept.data.clone());
                return data.ok_or_else(|| self.failed("trace-outside", Message::engine("trace-outside")));
            }
            self.spend(1)?;
            let (data, parties) = self.answer(request).await?;
            *self.outside.waits.borrow_mut() = None;
            self.outside.keep(id, &data, parties);
            Ok(data)
        })
    }

    fn perform<'a>(&'a mut self, body: &'a Body, shape: &'a Shape, operands: &'a [Data]) -> Later<'a, Data> {
        Box::pin(self.value(body, shape, operands))
    }

    fn perform_sources<'a>(
        &'a mut self,
        body: &'a Body,
        shape: &'a Shape,
        operands: &'a [Data],
        cell: &'a CellAt,
    ) -> Later<'a, Vec<Source>> {
        Box::pin(self.body_sources(body, shape, operands, cell))
    }

    fn elsewhere(&mut self, party: usize, source: Source) {
        let kept = self.outside.kept.0.get(&(self.outside.path.clone(), self.meter.instruction));
        if let Some(party) = kept.and_then(|kept| kept.parties.get(party)).cloned() {
            self.outside.elsewhere.push((party, source));
        }
    }
}
