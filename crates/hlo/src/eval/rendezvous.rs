//! Rendezvous of devices: collectives, and the channels of `send` and `recv`.
//!
//! Invariant: the n-th arrival of a device at an instruction is for the n-th rendezvous there; a rendezvous is over
//! when every member has taken the contributions.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::task::Poll;

use super::waiting::{Party, Path, Waiting};
use crate::module::InstructionId;
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data};

type At = (ComputationId, InstructionId);
/// An instruction, and the devices that take part there.
type Site = (At, Rc<[usize]>);
/// A site, and the number of the rendezvous there.
pub(super) type Key = (Site, u64);
/// The operands of a device, and the path of the run they come from.
pub(super) type Contribution = (Data, Path);

#[derive(Default)]
struct OpenRendezvous {
    arrived: BTreeMap<usize, Contribution>,
    /// The contributions of all members in their order, once all have arrived.
    all: Option<Rc<[Contribution]>>,
    /// How many members have taken them.
    taken: usize,
}

/// The rendezvous and channels of a run.
#[derive(Default)]
pub(super) struct Rendezvous {
    open: BTreeMap<Key, OpenRendezvous>,
    /// How often a device has arrived at a site.
    arrivals: BTreeMap<(Site, usize), u64>,
    channels: BTreeMap<i64, VecDeque<(Party, Data)>>,
    /// Counts events that a device may wait for.
    pub events: u64,
}

impl Rendezvous {
    /// A device arrives at a rendezvous.
    pub fn arrive(&mut self, at: At, members: &[usize], device: usize, contribution: Contribution) -> Key {
        let site: Site = (at, members.into());
        let arrivals = self.arrivals.entry((site.clone(), device)).or_default();
        let key = (site, *arrivals);
        *arrivals += 1;
        let rendezvous = self.open.entry(key.clone()).or_default();
        rendezvous.arrived.insert(device, contribution);
        if members.iter().all(|member| rendezvous.arrived.contains_key(member)) {
            self.events += 1;
            rendezvous.all =
                Some(members.iter().filter_map(|member| rendezvous.arrived.get(member).cloned()).collect());
        }
        key
    }

    /// The members that have not arrived.
    pub fn absent(&self, key: &Key) -> Vec<usize> {
        let arrived = self.open.get(key).map(|rendezvous| &rendezvous.arrived);
        let absent = |member: &usize| arrived.is_some_and(|arrived| !arrived.contains_key(member));
        key.0.1.iter().copied().filter(absent).collect()
    }

    /// The contributions of all members, once all have arrived.
    pub fn poll(&mut self, key: &Key) -> Poll<Rc<[Contribution]>> {
        let Some(rendezvous) = self.open.get_mut(key) else { return Poll::Pending };
        let Some(all) = rendezvous.all.clone() else { return Poll::Pending };
        rendezvous.taken += 1;
        if rendezvous.taken >= key.0.1.len() {
            self.open.remove(key);
        }
        Poll::Ready(all)
    }

    /// Puts an item into a channel.
    pub fn send(&mut self, channel: i64, party: Party, data: Data) {
        self.events += 1;
        self.channels.entry(channel).or_default().push_back((party, data));
    }

    /// Takes the first item of a channel, the first that this device sent if there is one; `None` where there is none
    /// and the device is alone.
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
