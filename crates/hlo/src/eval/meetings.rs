//! Where devices meet: collectives, and the channels of `send` and `recv`.
//!
//! Invariant: the n-th arrival of a device at an instruction is for the n-th meeting there; a meeting is over when
//! everyone has taken what was brought.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::task::Poll;

use super::outside::{Party, Path, Waiting};
use crate::module::InstructionId;
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data};

type At = (ComputationId, InstructionId);
/// An instruction, and the devices that meet there.
type Place = (At, Rc<[usize]>);
/// A meeting, and which of those at its place it is.
pub(super) type Key = (Place, u64);
/// What a device brings, and the path of the run it comes from.
pub(super) type Brought = (Data, Path);

#[derive(Default)]
struct Meeting {
    arrived: BTreeMap<usize, Brought>,
    /// What all brought, once they have, in the order of the members.
    all: Option<Rc<[Brought]>>,
    /// How many have taken it.
    taken: usize,
}

/// The meetings of a run.
#[derive(Default)]
pub(super) struct Meetings {
    open: BTreeMap<Key, Meeting>,
    rounds: BTreeMap<(Place, usize), u64>,
    channels: BTreeMap<i64, VecDeque<(Party, Data)>>,
    /// Changes whenever something happened that somebody may wait for.
    pub events: u64,
}

impl Meetings {
    /// A device comes to a meeting.
    pub fn arrive(&mut self, at: At, members: &[usize], device: usize, brought: Brought) -> Key {
        let place: Place = (at, members.into());
        let round = self.rounds.entry((place.clone(), device)).or_default();
        let key = (place, *round);
        *round += 1;
        let meeting = self.open.entry(key.clone()).or_default();
        meeting.arrived.insert(device, brought);
        if members.iter().all(|member| meeting.arrived.contains_key(member)) {
            self.events += 1;
            meeting.all =
                Some(members.iter().filter_map(|member| meeting.arrived.get(member).cloned()).collect());
        }
        key
    }

    /// Who is still to come.
    pub fn absent(&self, key: &Key) -> Vec<usize> {
        let arrived = self.open.get(key).map(|meeting| &meeting.arrived);
        let absent = |member: &usize| arrived.is_some_and(|arrived| !arrived.contains_key(member));
        key.0.1.iter().copied().filter(absent).collect()
    }

    /// What all have brought, once they have.
    pub fn poll(&mut self, key: &Key) -> Poll<Rc<[Brought]>> {
        let Some(meeting) = self.open.get_mut(key) else { return Poll::Pending };
        let Some(all) = meeting.all.clone() else { return Poll::Pending };
        meeting.taken += 1;
        if meeting.taken >= key.0.1.len() {
            self.open.remove(key);
        }
        Poll::Ready(all)
    }

    /// Puts an item into a channel.
    pub fn send(&mut self, channel: i64, party: Party, data: Data) {
        self.events += 1;
        self.channels.entry(channel).or_default().push_back((party, data));
    }

    /// Takes the first item of a channel, the first of its own if there is one; `None` where there is none and the
    /// device is alone.
    pub fn receive(&mut self, channel: i64, device: usize, is_alone: bool) -> Poll<Option<(Data, Party)>> {
        let queue = self.channels.entry(channel).or_default();
        let own = queue.iter().position(|(party, _)| party.device == device).unwrap_or(0);
        match queue.remove(own) {
            Some((party, data)) => Poll::Ready(Some((data, party))),
            None if is_alone => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// An item that nobody received.
    pub fn unreceived(&self) -> Option<(usize, Waiting)> {
        let first =
            |(channel, queue): (&i64, &VecDeque<(Party, Data)>)| Some((*channel, queue.front()?.0.clone()));
        let (channel, party) = self.channels.iter().find_map(first)?;
        let what = Some(Message::engine("wait-received").with("channel", channel));
        Some((party.device, Waiting { at: Some(party.at), what, is_for_devices: true }))
    }
}
