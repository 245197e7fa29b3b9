//! A simulated device: its host, its position among the devices, and what host and devices answered it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::host::Host;
use super::memory::data_bytes;
use super::rendezvous::Rendezvous;
use super::waiting::{Party, Path, WaitSlot};
use crate::module::InstructionId;
use xla_ops::{Data, DevicePosition};

/// One of the devices of a run, or the only one.
#[derive(Clone)]
pub(super) struct Device {
    pub host: Host,
    pub place: DevicePosition,
    pub rendezvous: Rc<RefCell<Rendezvous>>,
    pub waits: WaitSlot,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            host: Host::default(),
            place: DevicePosition::ALONE,
            rendezvous: Rc::default(),
            waits: WaitSlot::default(),
        }
    }
}

impl Device {
    /// Forgets the run before.
    pub fn reset(&self) {
        *self.waits.borrow_mut() = None;
        if self.place.is_alone() {
            *self.rendezvous.borrow_mut() = Rendezvous::default();
        }
    }
}

/// An answer that a run got.
#[derive(Clone)]
pub(super) struct Answer {
    pub data: Data,
    /// The devices it came from.
    pub parties: Vec<Party>,
}

/// All answers of host and other devices in a run, by the call and the instruction that asked; a trace is answered
/// from here.
#[derive(Clone, Default)]
pub struct Answers(Rc<BTreeMap<(Path, InstructionId), Answer>>);

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Answers({})", self.0.len())
    }
}

/// The most bytes of answers that are recorded for traces.
const MAX_ANSWER_BYTES: u64 = 128 << 20;

/// Answers, recorded as they come.
#[derive(Default)]
pub(super) struct AnswerLog {
    pub answers: Answers,
    bytes: u64,
}

impl AnswerLog {
    /// Answers of an earlier run.
    pub fn of(answers: Answers) -> Self {
        Self { answers, bytes: 0 }
    }

    /// Records an answer. Answers beyond [`MAX_ANSWER_BYTES`] are not recorded: what depends on them cannot be
    /// traced.
    pub fn record(&mut self, path: &Path, id: InstructionId, data: &Data, parties: Vec<Party>) {
        let path_bytes = (path.len() * size_of::<(InstructionId, u64)>()) as u64;
        self.bytes = self.bytes.saturating_add(data_bytes(data)).saturating_add(path_bytes);
        if self.bytes <= MAX_ANSWER_BYTES {
            let answer = Answer { data: data.clone(), parties };
            Rc::make_mut(&mut self.answers.0).insert((path.clone(), id), answer);
        }
    }

    /// The answer to an instruction.
    pub fn get(&self, path: &Path, id: InstructionId) -> Option<&Answer> {
        self.answers.0.get(&(path.clone(), id))
    }
}
