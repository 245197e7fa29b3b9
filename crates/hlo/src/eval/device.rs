//! A simulated device: its host, its position among the devices, and the answers it got from both.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::host::Host;
use super::memory::data_bytes;
use super::rendezvous::Rendezvous;
use super::waiting::{Participant, Path, WaitSlot};
use crate::module::InstructionId;
use xla_ops::{Data, DevicePosition};

/// One of the devices of a run, or the only one.
#[derive(Clone)]
pub(super) struct Device {
    pub host: Host,
    pub position: DevicePosition,
    pub rendezvous: Rc<RefCell<Rendezvous>>,
    pub waits: WaitSlot,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            host: Host::default(),
            position: DevicePosition::SINGLE,
            rendezvous: Rc::default(),
            waits: WaitSlot::default(),
        }
    }
}

impl Device {
    /// Clears the state of the previous run.
    pub fn reset(&self) {
        *self.waits.borrow_mut() = None;
        if self.position.is_single_device() {
            *self.rendezvous.borrow_mut() = Rendezvous::default();
        }
    }
}

/// An answer of the host or of other devices to a request of an op.
#[derive(Clone)]
pub(super) struct Answer {
    pub data: Data,
    /// The devices that contributed to it.
    pub participants: Vec<Participant>,
}

/// The answers of host and other devices in a run, by the call path and the instruction that made the request. A
/// trace replays them.
#[derive(Clone, Default)]
pub struct RecordedAnswers(Rc<BTreeMap<(Path, InstructionId), Answer>>);

impl std::fmt::Debug for RecordedAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RecordedAnswers({})", self.0.len())
    }
}

/// Maximum size of the recorded answers of one run, a quarter of the default memory limit.
const MAX_ANSWER_BYTES: u64 = 128 << 20;

/// Records the answers of a run.
#[derive(Default)]
pub(super) struct AnswerLog {
    pub answers: RecordedAnswers,
    bytes: u64,
}

impl AnswerLog {
    /// A log that replays the answers of an earlier run.
    pub fn replaying(answers: RecordedAnswers) -> Self {
        Self { answers, bytes: 0 }
    }

    /// Records an answer. Once the total exceeds [`MAX_ANSWER_BYTES`], answers are dropped: cells that depend on them cannot be
    /// traced.
    pub fn record(&mut self, path: &Path, id: InstructionId, data: &Data, participants: Vec<Participant>) {
        let path_bytes = (path.len() * size_of::<(InstructionId, u64)>()) as u64;
        self.bytes = self.bytes.saturating_add(data_bytes(data)).saturating_add(path_bytes);
        if self.bytes <= MAX_ANSWER_BYTES {
            let answer = Answer { data: data.clone(), participants };
            Rc::make_mut(&mut self.answers.0).insert((path.clone(), id), answer);
        }
    }

    /// The answer to an instruction.
    pub fn get(&self, path: &Path, id: InstructionId) -> Option<&Answer> {
        self.answers.0.get(&(path.clone(), id))
    }
}
