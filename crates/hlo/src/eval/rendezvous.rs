//! Rendezvous of devices: collectives, and the channels of `send` and `recv`.
//!
//! Invariant: the n-th arrival of a device at an instruction belongs to the n-th rendezvous there; a rendezvous ends
//! when every member has received the contributions.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::task::Poll;

use super::waiting::{Participant, Path, Waiting};
use crate::module::InstructionId;
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data};

type Location = (ComputationId, InstructionId);
/// An instruction, and the devices that meet there.
type Site = (Location, Rc<[usize]>);
/// A site, and the ordinal of the rendezvous there.
pub(super) type RendezvousId = (Site, u64);
/// The operands of a device, and its call path.
pub(super) type Contribution = (Data, Path);

#[derive(Default)]
struct OpenRendezvous {
    arrived: BTreeMap<usize, Contribution>,
    /// The contributions in the order of the members, once all have arrived.
    contributions: Option<Rc<[Contribution]>>,
    /// The number of members that have received them.
    receivers: usize,
}

/// The rendezvous and channels of a run.
#[derive(Default)]
pub(super) struct Rendezvous {
    open: BTreeMap<RendezvousId, OpenRendezvous>,
    /// The number of arrivals of each device at each site.
    arrivals: BTreeMap<(Site, usize), u64>,
    channels: BTreeMap<i64, VecDeque<(Participant, Data)>>,
    /// The number of events so far that a device may have waited for.
    pub events: u64,
}

impl Rendezvous {
    /// Records the arrival of a device at a rendezvous.
    pub fn arrive(
        &mut self,
        location: Location,
        members: &[usize],
        device: usize,
        contribution: Contribution,
    ) -> RendezvousId {
        let site: Site = (location, members.into());
        let arrivals = self.arrivals.entry((site.clone(), device)).or_default();
        let id = (site, *arrivals);
        *arrivals += 1;
        let rendezvous = self.open.entry(id.clone()).or_default();
        rendezvous.arrived.insert(device, contribution);
        if members.iter().all(|member| rendezvous.arrived.contains_key(member)) {
            self.events += 1;
            rendezvous.contributions =
                Some(members.iter().filter_map(|member| rendezvous.arrived.get(member).cloned()).collect());
        }
        id
    }

    /// The members that have not arrived.
    pub fn missing_members(&self, id: &RendezvousId) -> Vec<usize> {
        let arrived = self.open.get(id).map(|rendezvous| &rendezvous.arrived);
        let is_missing = |member: &usize| arrived.is_some_and(|arrived| !arrived.contains_key(member));
        id.0.1.iter().copied().filter(is_missing).collect()
    }

    /// The contributions of all members, once all have arrived.
    pub fn poll(&mut self, id: &RendezvousId) -> Poll<Rc<[Contribution]>> {
        let Some(rendezvous) = self.open.get_mut(id) else { return Poll::Pending };
        let Some(contributions) = rendezvous.contributions.clone() else { return Poll::Pending };
        rendezvous.receivers += 1;
        if rendezvous.receivers >= id.0.1.len() {
            self.open.remove(id);
        }
        Poll::Ready(contributions)
    }

    /// Sends an item to a channel.
    pub fn send(&mut self, channel: i64, participant: Participant, data: Data) {
        self.events += 1;
        self.channels.entry(channel).or_default().push_back((participant, data));
    }

    /// Takes the first item of a channel that this device sent, else the first item. `None` if the channel is empty and
    /// there is no other device.
    pub fn receive(
        &mut self,
        channel: i64,
        device: usize,
        is_single_device: bool,
    ) -> Poll<Option<(Data, Participant)>> {
        let queue = self.channels.entry(channel).or_default();
        let position = queue.iter().position(|(participant, _)| participant.device == device).unwrap_or(0);
        match queue.remove(position) {
            Some((participant, data)) => Poll::Ready(Some((data, participant))),
            None if is_single_device => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// The device that sent the first item that no device has received, and what it waits for.
    pub fn unreceived(&self) -> Option<(usize, Waiting)> {
        let first = |(channel, queue): (&i64, &VecDeque<(Participant, Data)>)| {
            Some((*channel, queue.front()?.0.clone()))
        };
        let (channel, participant) = self.channels.iter().find_map(first)?;
        let event = Some(Message::ops("wait-received").with("channel", channel));
        Some((participant.device, Waiting { at: Some(participant.at), event, waits_on_device: true }))
    }
}
