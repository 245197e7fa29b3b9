//! The device groups of a collective: all forms of `replica_groups`, and what the numbers in them identify.
//!
//! Source: `CollectiveOpGroupMode`, `CheckReplicaGroups` and `IotaReplicaGroupList` of XLA.

use super::super::{AttrSpec, AttrValue, DevicePosition, OpContext, OpError, OpPart};
use super::mesh::{self, MAX_DEVICES, transposed_iota};
use crate::AttrKind;
use xla_messages::i18n::Message;

/// What the numbers in groups identify, XLA's `CollectiveOpGroupMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Replicas; a group has the devices of one partition.
    Replicas,
    /// Partitions of one replica.
    Partitions,
    /// Replicas; a group has the devices of all their partitions.
    ReplicasAndPartitions,
    /// Devices of any replica and partition.
    Devices,
}

/// An op's rules for its groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupRules {
    /// Whether the op has the attribute `use_global_device_ids`.
    pub has_global_ids: bool,
    /// Whether all groups must have the same size.
    pub is_uniform: bool,
}

/// The device groups of an instruction.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    mode: Mode,
    /// Empty for one group of all devices.
    groups: Vec<Vec<usize>>,
}

pub(super) const REPLICA_GROUPS: AttrSpec =
    AttrSpec::optional("replica_groups", AttrKind::IntLists, "attr-replica-groups").current_only();
pub(super) const CHANNEL_ID: AttrSpec =
    AttrSpec::optional("channel_id", AttrKind::Int, "attr-channel").current_only();
pub(super) const CONSTRAIN_LAYOUT: AttrSpec =
    AttrSpec::optional("constrain_layout", AttrKind::Bool, "attr-constrain-layout").current_only();
pub(super) const USE_GLOBAL_DEVICE_IDS: AttrSpec =
    AttrSpec::optional("use_global_device_ids", AttrKind::Bool, "attr-global-ids").current_only();

/// XLA parses it, but derives the mode from the channel and `use_global_device_ids`.
pub(super) const GROUP_MODE: AttrSpec = AttrSpec::optional(
    "mode",
    AttrKind::Keyword(&["cross_replica", "cross_partition", "cross_replica_and_partition", "flattened_id"]),
    "attr-group-mode",
)
.current_only();

/// Parses an iota list, `[2,4]<=[8]` or `[4,2]<=[2,4]T(1,0)`: an iota of the sizes after `<=`, transposed by the
/// permutation after `T`, and reshaped to the sizes before `<=`.
fn parse_iota_groups(text: &str) -> Option<Vec<Vec<i64>>> {
    let (rows, iota) = text.split_once("<=")?;
    let list = |text: &str| -> Option<Vec<usize>> {
        let list = text.trim().strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
        list.split(',').map(|n| n.trim().parse().ok()).collect()
    };
    let (sizes, order) = match iota.split_once('T') {
        Some((sizes, order)) => (list(sizes)?, Some(list(order)?)),
        None => (list(iota)?, None),
    };
    let order = order.unwrap_or_else(|| (0..sizes.len()).collect());
    let rows = list(rows)?;
    let [count, size] = rows[..] else { return None };
    let numbers = transposed_iota(&sizes, &order)?;
    if count.checked_mul(size)? != numbers.len() {
        return None;
    }
    let to_signed = |row: &[usize]| row.iter().map(|n| i64::try_from(*n).ok()).collect();
    numbers.chunks(size).map(to_signed).collect()
}

/// The groups in a value of `replica_groups`, in each of its forms; `None` if it is malformed.
pub fn replica_groups(value: &AttrValue) -> Option<Vec<Vec<i64>>> {
    if let AttrValue::IntLists(lists) = value {
        return Some(lists.iter().map(|group| group.to_vec()).collect());
    }
    let text = value.to_string();
    if text.starts_with("mesh") { mesh::parse_mesh_groups(&text) } else { parse_iota_groups(&text) }
}

/// The groups as they are written.
fn written_groups(cx: &OpContext) -> Result<Vec<Vec<i64>>, OpError> {
    match cx.attrs.get("replica_groups") {
        None => Ok(Vec::new()),
        Some(value) => replica_groups(value).ok_or_else(|| {
            let message = Message::ops("op-groups-iota").with("found", value.to_string());
            cx.error("collective-1", message).at_attr("replica_groups")
        }),
    }
}

/// Checks that `use_global_device_ids` comes with a channel: `collective-3`.
pub(super) fn check_channel(cx: &OpContext) -> Result<(), OpError> {
    if cx.flag("use_global_device_ids") && cx.attrs.get("channel_id").is_none() {
        let message = Message::ops("op-global-ids");
        let error = cx.error("collective-3", message).at_attr("use_global_device_ids");
        return Err(error.with_fix(OpPart::Attr("use_global_device_ids"), "false"));
    }
    Ok(())
}

impl Groups {
    /// The groups of an instruction. Rules `collective-1` to `-5`.
    pub fn from_attrs(cx: &OpContext, rules: GroupRules) -> Result<Self, OpError> {
        let GroupRules { has_global_ids, is_uniform } = rules;
        check_channel(cx)?;
        let written = written_groups(cx)?;
        let violation = |rule, message| Err(cx.error(rule, message).at_attr("replica_groups"));
        let mut listed = Vec::new();
        for group in &written {
            if group.is_empty() {
                return violation("collective-1", Message::ops("op-groups-empty"));
            }
            for number in group {
                match usize::try_from(*number).ok().filter(|number| *number < MAX_DEVICES) {
                    Some(number) => listed.push(number),
                    None => {
                        return violation(
                            "collective-1",
                            Message::ops("op-groups-number").with("number", *number),
                        );
                    }
                }
            }
        }
        listed.sort_unstable();
        if let Some(pair) = listed.windows(2).find(|pair| pair[0] == pair[1]) {
            return violation("collective-2", Message::ops("op-groups-twice").with("number", pair[0]));
        }
        if let Some((number, _)) = listed.iter().enumerate().find(|(i, number)| i != *number) {
            return violation("collective-4", Message::ops("op-groups-missing").with("number", number));
        }
        if is_uniform && written.iter().any(|group| group.len() != written[0].len()) {
            return violation("collective-5", Message::ops("op-groups-sizes"));
        }
        let groups =
            written.iter().map(|group| group.iter().filter_map(|n| usize::try_from(*n).ok()).collect());
        Ok(Self { mode: mode(cx, has_global_ids), groups: groups.collect() })
    }

    /// Checks that the groups are lists of device numbers, which is all that XLA requires of some ops: `collective-1`.
    pub fn check_syntax(cx: &OpContext) -> Result<(), OpError> {
        written_groups(cx).map(|_| ())
    }

    /// One group of all devices, whatever `replica_groups` says.
    pub fn all(cx: &OpContext) -> Self {
        Self { mode: mode(cx, false), groups: Vec::new() }
    }

    /// The group size; `None` if it depends on the number of devices.
    pub fn size(&self) -> Option<usize> {
        let size = self.groups.first().map(Vec::len);
        size.filter(|_| self.mode != Mode::ReplicasAndPartitions)
    }

    /// The number of replicas, partitions or devices, whichever the groups list.
    fn count(&self, device: DevicePosition) -> usize {
        match self.mode {
            Mode::Replicas | Mode::ReplicasAndPartitions => device.replicas,
            Mode::Partitions => device.partitions,
            Mode::Devices => device.replicas * device.partitions,
        }
    }

    /// The replica, partition or device number of a device, whichever the groups list.
    pub fn number(&self, device: DevicePosition) -> usize {
        match self.mode {
            Mode::Replicas | Mode::ReplicasAndPartitions => device.replica,
            Mode::Partitions => device.partition,
            Mode::Devices => device.number(),
        }
    }

    /// Checks that the groups list all replicas, partitions or devices; else returns how many they list, and how many
    /// there are.
    pub fn check_complete(&self, device: DevicePosition) -> Result<(), (usize, usize)> {
        let (listed, count) = (self.groups.iter().map(Vec::len).sum(), self.count(device));
        if listed == 0 || listed == count { Ok(()) } else { Err((listed, count)) }
    }

    /// The device numbers of the group of a device, in order.
    pub fn members(&self, device: DevicePosition) -> Vec<usize> {
        let id = self.number(device);
        let all_ids = || (0..self.count(device)).collect();
        let group = self.groups.iter().find(|group| group.contains(&id)).cloned().unwrap_or_else(all_ids);
        let devices = |number: usize| -> Vec<usize> {
            match self.mode {
                Mode::Replicas => vec![number * device.partitions + device.partition],
                Mode::Partitions => vec![device.replica * device.partitions + number],
                Mode::ReplicasAndPartitions => {
                    (0..device.partitions).map(|partition| number * device.partitions + partition).collect()
                }
                Mode::Devices => vec![number],
            }
        };
        group.into_iter().flat_map(devices).collect()
    }
}

fn mode(cx: &OpContext, has_global_ids: bool) -> Mode {
    match (cx.attrs.get("channel_id").is_some(), has_global_ids) {
        (false, _) => Mode::Replicas,
        (true, false) => Mode::Partitions,
        (true, true) if cx.flag("use_global_device_ids") => Mode::Devices,
        (true, true) => Mode::ReplicasAndPartitions,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_iota_groups;

    #[test]
    fn short_forms_are_rows_of_a_transposed_iota() {
        assert_eq!(parse_iota_groups("[2,4]<=[8]"), Some(vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]]));
        let columns = vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        assert_eq!(parse_iota_groups("[4,2]<=[2,4]T(1,0)"), Some(columns));
        assert_eq!(parse_iota_groups("[2,2]<=[2,1,2]T(2,1,0)"), Some(vec![vec![0, 2], vec![1, 3]]));
        for broken in ["[2,4]<=[7]", "[2,4]<=[2,4]T(1,1)", "[8]<=[8]", "[0,4]<=[0]", "2,4<=8", "[2,4]"] {
            assert_eq!(parse_iota_groups(broken), None, "{broken}");
        }
    }
}
