//! Requests of ops that call computations, use the host, or exchange data with other devices.
//!
//! Invariant: an answer is recorded by the call path and the instruction that requested it. A provenance replay, which reruns
//! computations, takes its answers from the record: it neither consumes queue items nor waits for other devices.

use std::future::poll_fn;

use super::{Interpreter, no_value};
use crate::eval::memory::{VALUE_BYTES, data_bytes};
use crate::eval::rendezvous::Contribution;
use crate::eval::waiting::{Participant, Waiting};
use xla_array::{Shape, shape_util};
use xla_messages::i18n::Message;
use xla_ops::{
    CellAt, ComputationId, Data, DevicePosition, Environment, OpError, OpFuture, Request, Run as _,
    Semantics, Source, SuspendingRun,
};

/// Estimated bytes per element while a host function converts its operands, e.g. to JavaScript values.
const HOST_BYTES_PER_ELEMENT: u64 = 32;

fn element_count(data: &Data) -> u64 {
    match data {
        Data::Array(array) => array.memory_map().elements().unsigned_abs(),
        Data::Tuple(elements) => elements.iter().map(element_count).fold(0, u64::saturating_add),
        Data::Token => 0,
    }
}

impl Interpreter<'_> {
    /// Builds an error of the running instruction.
    fn op_error(&self, rule: &'static str, message: Message) -> OpError {
        OpError::new(self.opcode(), rule, message)
    }

    /// Records what this device is about to wait for, for a deadlock's diagnostic. The caller awaits; the record is cleared when
    /// the request is answered.
    fn set_waiting(&self, event: Message, waits_on_device: bool) {
        let at = Some(self.position());
        *self.device.waits.borrow_mut() = Some(Waiting { at, event: Some(event), waits_on_device });
    }

    /// Checks that data from outside the program has the requested shape.
    fn check_shape(&self, item: Data, shape: &Shape) -> Result<Data, OpError> {
        let item_shape = item.shape();
        if shape_util::compatible(&item_shape, shape) {
            return Ok(item);
        }
        let message = Message::ops("outside-shape")
            .with("expected", shape.human_string())
            .with("found", item_shape.human_string());
        Err(self.op_error("outside-shape", message))
    }

    /// Answers a request of the running instruction; also returns the devices that took part.
    async fn answer(&mut self, request: Request<'_>) -> Result<(Data, Vec<Participant>), OpError> {
        let host = self.device.host.clone();
        let data = match request {
            Request::Infeed(shape) => {
                self.set_waiting(Message::ops("wait-infeed").with("shape", shape.human_string()), false);
                let item = poll_fn(|context| host.infeed().poll(context)).await;
                self.check_shape(item.into(), shape)?
            }
            Request::Outfeed(data) => {
                // The queue keeps the data after the instruction ends.
                self.reserve_for_run(data_bytes(data))?;
                host.outfeed().push(data.to_literal());
                Data::Token
            }
            Request::Custom { target, operands, shape } => {
                self.set_waiting(Message::ops("wait-custom").with("name", target), false);
                // The function gets copies, which it may convert element by element.
                let elements = operands.iter().map(element_count).fold(0, u64::saturating_add);
                let bytes = operands.iter().map(data_bytes).fold(0, u64::saturating_add);
                self.reserve_bytes(bytes.saturating_add(elements.saturating_mul(HOST_BYTES_PER_ELEMENT)))?;
                // Charges n log n steps, as the function may sort: TopK does.
                self.spend(elements.saturating_mul(1 + u64::from(elements.max(1).ilog2())))?;
                let literals = operands.iter().map(Data::to_literal).collect();
                let result = match host.call(target, literals, shape) {
                    Some(answer) => answer.await,
                    None => Err(format!("no function {target}")),
                };
                let value = result.map_err(|why| {
                    let message = Message::ops("custom-failed").with("name", target).with("why", why);
                    self.op_error("custom-call-failed", message)
                })?;
                self.check_shape(value.into(), shape)?
            }
            Request::Rendezvous { members, operands } => return self.rendezvous(members, operands).await,
            Request::Send { channel, to_host: true, data } => {
                self.reserve_for_run(data_bytes(data))?;
                host.send_queue(channel).push(data.to_literal());
                Data::Token
            }
            Request::Receive { channel, from_host: true, shape } => {
                self.set_waiting(Message::ops("wait-receive").with("channel", channel), false);
                let queue = host.recv_queue(channel);
                let item = poll_fn(|context| queue.poll(context)).await;
                self.check_shape(item.into(), shape)?
            }
            Request::Send { channel, data, .. } => {
                self.reserve_for_run(VALUE_BYTES)?;
                let at = self.position();
                let participant =
                    Participant { device: self.device.position.number(), path: self.calls.path.clone(), at };
                self.device.rendezvous.borrow_mut().send(channel, participant, data.clone());
                Data::Token
            }
            Request::Receive { channel, shape, .. } => {
                self.set_waiting(Message::ops("wait-receive").with("channel", channel), true);
                let (rendezvous, device) = (self.device.rendezvous.clone(), self.device.position.number());
                // A single device has no other sender to wait for.
                let is_single_device = self.device.position.is_single_device();
                let item =
                    poll_fn(|_| rendezvous.borrow_mut().receive(channel, device, is_single_device)).await;
                let Some((item, participant)) = item else {
                    let error =
                        self.device.waits.borrow_mut().take().unwrap_or_default().error(self.program.module);
                    return Err(*error.error);
                };
                return Ok((self.check_shape(item, shape)?, vec![participant]));
            }
        };
        Ok((data, Vec::new()))
    }

    /// Exchanges operands with the other members of a collective.
    async fn rendezvous(
        &mut self,
        members: &[usize],
        operands: &[Data],
    ) -> Result<(Data, Vec<Participant>), OpError> {
        let device = self.device.position.number();
        let contribution = (Data::Tuple(operands.into()), self.calls.path.clone());
        let at = self.position();
        let rendezvous = self.device.rendezvous.clone();
        let key = rendezvous.borrow_mut().arrive(at, members, device, contribution);
        let absent: Vec<String> =
            rendezvous.borrow().missing_members(&key).iter().map(usize::to_string).collect();
        let event = Message::ops("wait-meet").with("count", absent.len());
        self.set_waiting(event.with("devices", absent.join(", ")), true);
        let contributions = poll_fn(|_| rendezvous.borrow_mut().poll(&key)).await;
        let data = contributions.iter().map(|(data, _)| data.clone()).collect();
        let participant = |(device, (_, path)): (&usize, &Contribution)| Participant {
            device: *device,
            path: path.clone(),
            at,
        };
        Ok((Data::Tuple(data), members.iter().zip(contributions.iter()).map(participant).collect()))
    }

    /// Runs `body` with call number `nth` of the running instruction on the call path, then restores the running frame and
    /// instruction.
    async fn with_call_path<T>(&mut self, nth: u64, body: impl AsyncFnOnce(&mut Self) -> T) -> T {
        let (frame, instruction) = (self.budget.meter.frame, self.budget.meter.instruction);
        self.calls.path.push((instruction, nth));
        let result = body(self).await;
        self.calls.path.pop();
        (self.budget.meter.frame, self.budget.meter.instruction) = (frame, instruction);
        result
    }

    async fn call_computation(
        &mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &[Data],
    ) -> Result<Data, OpError> {
        let values =
            self.with_call_path(nth, async |this| this.run_computation(computation, arguments).await).await?;
        let root = self.program.module.get(computation).and_then(|computation| computation.root);
        root.and_then(|root| values.get(root)).cloned().ok_or_else(no_value)
    }
}

impl Environment for Interpreter<'_> {
    fn device_position(&self) -> DevicePosition {
        self.device.position
    }

    fn custom_call_targets(&self) -> Vec<String> {
        self.device.host.targets()
    }

    fn custom_sources(&self, target: &str, operands: &[Data], cell: &CellAt) -> Option<Vec<Source>> {
        self.device.host.sources(target, operands, cell)
    }
}

impl SuspendingRun for Interpreter<'_> {
    fn call<'a>(
        &'a mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &'a [Data],
    ) -> OpFuture<'a, Data> {
        Box::pin(self.call_computation(nth, computation, arguments))
    }

    fn trace<'a>(
        &'a mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &'a [Data],
        cell: &'a CellAt,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(
            self.with_call_path(nth, async move |this| this.trace_call(computation, arguments, cell).await),
        )
    }

    fn request<'a>(&'a mut self, request: Request<'a>) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let id = self.budget.meter.instruction;
            if self.trace.is_active {
                let recorded = self.answers.get(&self.calls.path, id);
                let data = recorded.map(|answer| answer.data.clone());
                return data.ok_or_else(|| self.op_error("trace-outside", Message::ops("trace-outside")));
            }
            self.spend(1)?;
            let (data, participants) = self.answer(request).await?;
            *self.device.waits.borrow_mut() = None;
            self.answers.record(&self.calls.path, id, &data, participants);
            Ok(data)
        })
    }

    fn evaluate_semantics<'a>(
        &'a mut self,
        semantics: &'a Semantics,
        shape: &'a Shape,
        operands: &'a [Data],
    ) -> OpFuture<'a, Data> {
        Box::pin(self.semantics_value(semantics, shape, operands))
    }

    fn trace_semantics<'a>(
        &'a mut self,
        semantics: &'a Semantics,
        shape: &'a Shape,
        operands: &'a [Data],
        cell: &'a CellAt,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(self.semantics_sources(semantics, shape, operands, cell))
    }

    fn add_remote_source(&mut self, member: usize, source: Source) {
        let recorded = self.answers.get(&self.calls.path, self.budget.meter.instruction);
        if let Some(participant) = recorded.and_then(|answer| answer.participants.get(member)).cloned() {
            self.trace.remote_cells.push((participant, source));
        }
    }
}
