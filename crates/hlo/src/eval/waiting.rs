//! Blocked devices: what a device waits for, and its call path.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use smallvec::SmallVec;

use super::values::{EvalError, RUN};
use crate::module::{InstructionId, Module};
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, OpError};

/// A call stack: per call, the calling instruction, and the ordinal of this call among the calls of that instruction.
pub type Path = SmallVec<[(InstructionId, u64); 4]>;

/// The wait of a device, shared with the code that runs it; `None` while it is not blocked.
pub(super) type WaitSlot = Rc<RefCell<Option<Waiting>>>;

/// The wait of a device.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    pub at: Option<(ComputationId, InstructionId)>,
    /// The event it waits for; `None` for a future of the embedder.
    pub event: Option<Message>,
    /// Whether another device, not the host, can end the wait.
    pub waits_on_device: bool,
}

impl Waiting {
    /// The name of the instruction that waits, else its opcode.
    pub fn name(&self, module: &Module) -> String {
        let instruction = self.at.and_then(|(computation, id)| module.get(computation)?.get(id));
        instruction.map_or_else(String::new, |instruction| instruction.display_name().to_owned())
    }

    /// A message that names the instruction and the event it waits for.
    pub fn message(&self, module: &Module) -> Message {
        let event = self.event.clone().unwrap_or_else(|| Message::ops("wait-future"));
        Message::ops("wait-for").with("name", self.name(module)).with("what", event)
    }

    /// The error of a run that would wait forever.
    pub fn error(self, module: &Module) -> EvalError {
        let instruction = self.at.and_then(|(computation, id)| module.get(computation)?.get(id));
        let op = instruction.and_then(|i| i.op).map_or(RUN, |op| op.meta().opcode);
        let message = Message::ops("waiting").with("waits", self.message(module));
        let error = OpError::new(op, "waiting", message).with_hint(Message::ops("wait-hint-async"));
        EvalError { at: self.at, error: Box::new(error) }
    }
}

/// A device that contributed to an answer, with its call path and instruction.
#[derive(Clone)]
pub(super) struct Participant {
    pub device: usize,
    pub path: Path,
    pub at: (ComputationId, InstructionId),
}

struct WakeFlag(AtomicBool);

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls a future as long as it makes progress. `None` if it waits for an external event.
pub(super) fn poll_until_blocked<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let woken = Arc::new(WakeFlag(AtomicBool::new(false)));
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
