//! Collective ops: the devices of a group exchange their operands, and each computes its own result from those of all.
//!
//! Invariant: a result cell reads the operands of all members through [`Read`]: operand `k` of member `m` has the
//! number `m · operand count + k`. So values and provenance, also across devices, come from one function. Read
//! `all_reduce` for an op, `groups` for device groups.

mod all_gather;
mod all_reduce;
mod all_to_all;
mod broadcast;
mod groups;
mod ids;
mod mesh;
mod permute;
mod ragged;
mod reduce_scatter;

pub use all_gather::AllGather;
pub use all_reduce::AllReduce;
pub use all_to_all::AllToAll;
pub use broadcast::CollectiveBroadcast;
pub use groups::replica_groups;
pub use ids::{PartitionId, ReplicaId};
pub use permute::CollectivePermute;
pub use ragged::RaggedAllToAll;
pub use reduce_scatter::ReduceScatter;

use std::sync::Arc;

use groups::Groups;

use super::read::{ElementTupleFn, Read};
use super::readers::SourceRecorder;
use super::semantics::{OpFuture, SuspendingOp, SuspendingRun};
use super::{
    CellAt, Data, DevicePosition, Environment, OpContext, OpError, Region, Request, Role, Semantics, Source,
};
use xla_array::{ArrayShape, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The position of a device in its group.
#[derive(Clone, Copy)]
struct GroupPosition {
    /// Its position in the group.
    in_group: usize,
    /// The number of devices in the group.
    group_size: usize,
    /// Its replica, partition or device number, whichever the groups list.
    id: usize,
}

/// Computes an element of the result for an operand, which is given by its index, from the operands of all members.
type CollectiveElementFn = dyn Fn(usize, GroupPosition, &[i64], &mut dyn Read) -> Value + Send + Sync;

/// The required size of a group.
#[derive(Clone, Copy)]
enum GroupSize {
    Any,
    Exactly(i64),
    /// A number that divides this one.
    DivisorOf(i64),
}

impl GroupSize {
    fn allows(self, members: i64) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(count) => members == count,
            Self::DivisorOf(size) => size % members.max(1) == 0,
        }
    }
}

/// The semantics of a collective op: each device waits for all others of its group.
struct Collective {
    op: &'static str,
    groups: Groups,
    group_size: GroupSize,
    /// The minimum number of devices: one more than the largest device number in an attribute.
    min_devices: usize,
    /// The number of operands of each device.
    operand_count: usize,
    shapes: Vec<ArrayShape>,
    is_tuple: bool,
    element: Arc<CollectiveElementFn>,
}

impl Collective {
    /// The semantics of an instruction whose written shape is final.
    fn semantics(
        cx: &OpContext,
        groups: Groups,
        group_size: GroupSize,
        element: impl Fn(usize, GroupPosition, &[i64], &mut dyn Read) -> Value + Send + Sync + 'static,
    ) -> Result<Semantics, OpError> {
        Self::semantics_with_min_devices(cx, groups, group_size, 0, element)
    }

    /// Like [`Collective::semantics`], with attributes that name device numbers below `min_devices`.
    fn semantics_with_min_devices(
        cx: &OpContext,
        groups: Groups,
        group_size: GroupSize,
        min_devices: usize,
        element: impl Fn(usize, GroupPosition, &[i64], &mut dyn Read) -> Value + Send + Sync + 'static,
    ) -> Result<Semantics, OpError> {
        let result = cx.require_result_shape()?;
        let shapes = match result {
            Shape::Tuple(elements) => elements.iter().filter_map(Shape::as_array).cloned().collect(),
            other => other.as_array().cloned().into_iter().collect(),
        };
        Ok(Semantics::Suspending(Box::new(Self {
            op: cx.meta.opcode,
            groups,
            group_size,
            min_devices,
            operand_count: cx.operands.len(),
            shapes,
            is_tuple: matches!(result, Shape::Tuple(_)),
            element: Arc::new(element),
        })))
    }

    /// Waits for all members of the group. Returns their operands, in the order of members, and the position of this
    /// device.
    async fn rendezvous(
        &self,
        operands: &[Data],
        run: &mut dyn SuspendingRun,
    ) -> Result<(Vec<Data>, GroupPosition), OpError> {
        let device = run.device_position();
        self.check_devices(device)?;
        let members = self.groups.members(device);
        // With an arbitrary position, the result would be that of another device: wrong, but plausible.
        let in_group = members.iter().position(|member| *member == device.number());
        let in_group = in_group.ok_or_else(|| {
            let message = Message::ops("op-groups-missing").with("number", self.groups.number(device));
            OpError::new(self.op, "replicas", message).at_attr("replica_groups")
        })?;
        let response = run.request(Request::Rendezvous { members: &members, operands }).await?;
        let response_tuple = response.as_tuple().or_bug(&[], "a rendezvous response that is not a tuple");
        let tuples = response_tuple.iter().map(|operands| operands.as_tuple());
        let member_operands: Vec<Data> =
            tuples.flat_map(|tuple| tuple.or_bug(&[], "a tuple of operands").to_vec()).collect();
        Ok((
            member_operands,
            GroupPosition { in_group, group_size: members.len(), id: self.groups.number(device) },
        ))
    }
}

impl SuspendingOp for Collective {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let (member_operands, position) = self.rendezvous(operands, run).await?;
            let mut results = Vec::new();
            for (operand, shape) in self.shapes.iter().enumerate() {
                let element = self.element.clone();
                let semantics: ElementTupleFn = Box::new(move |out, read, results| {
                    if let Some(result) = results.first_mut() {
                        *result = element(operand, position, out, read);
                    }
                });
                results.extend(
                    run.compute_elements(&[shape], &member_operands, &semantics)?.into_iter().map(Data::from),
                );
            }
            match results.pop() {
                Some(single) if !self.is_tuple => Ok(single),
                last => Ok(Data::Tuple(results.into_iter().chain(last).collect())),
            }
        })
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async move {
            let (member_operands, position) = self.rendezvous(operands, run).await?;
            let mut recorder = SourceRecorder::new(&member_operands, 1 << 20);
            let operand = cell.result();
            (self.element)(operand, position, &cell.index, &mut recorder);
            let mut local = Vec::new();
            let inputs = self.operand_count.max(1);
            for source in recorder.into_sources() {
                let member = source.operand / inputs;
                let source = Source { operand: source.operand % inputs, ..source };
                if member == position.in_group {
                    local.push(source);
                } else {
                    run.add_remote_source(member, source);
                }
            }
            Ok(local)
        })
    }

    fn check_environment(&self, environment: &dyn Environment) -> Result<(), OpError> {
        self.check_devices(environment.device_position())
    }
}

impl Collective {
    /// Checks groups, shapes and pairs against the devices of the run.
    fn check_devices(&self, device: DevicePosition) -> Result<(), OpError> {
        if let Err((named, count)) = self.groups.check_complete(device) {
            let message = Message::ops("op-groups-devices").with("named", named).with("count", count);
            return Err(OpError::new(self.op, "replicas", message).at_attr("replica_groups"));
        }
        let count = self.groups.members(device).len();
        if self.min_devices > count {
            let message =
                Message::ops("op-permute-devices").with("number", self.min_devices - 1).with("count", count);
            let advice = Message::ops("op-hint-permute-devices").with("last", count.saturating_sub(1));
            let error = OpError::new(self.op, "replicas", message).at_attr("source_target_pairs");
            return Err(error.with_hint(advice));
        }
        let members = i64::try_from(self.groups.members(device).len())
            .or_bug(1, "a group of more than i64::MAX devices");
        match self.group_size {
            group_size if group_size.allows(members) => Ok(()),
            GroupSize::Any => Ok(()),
            GroupSize::Exactly(count) => {
                let message = Message::ops("op-group-size").with("needs", count).with("found", members);
                Err(OpError::new(self.op, "replicas", message))
            }
            GroupSize::DivisorOf(size) => {
                let message = Message::ops("op-group-divides").with("size", size).with("found", members);
                Err(OpError::new(self.op, "replicas", message))
            }
        }
    }
}

/// The shape of an op with these results: a single one, or a tuple.
fn one_or_tuple(mut shapes: Vec<Shape>) -> Shape {
    match shapes.pop() {
        Some(one) if shapes.is_empty() => one,
        last => Shape::Tuple(shapes.into_iter().chain(last).collect()),
    }
}

/// The result of an instruction, as a tuple of one array if its written shape is one: XLA accepts both for a single operand.
fn tuple_if_written(cx: &OpContext, result: Shape) -> Shape {
    match cx.written.and_then(Shape::as_tuple) {
        Some([_]) if cx.operands.len() == 1 => Shape::tuple([result]),
        _ => result,
    }
}

/// The result shape if each operand's size in dimension `d` changes to `size(old)`. Rule: `collective-7` if an operand
/// has no such dimension.
fn resize_dimension(cx: &OpContext, d: usize, size: impl Fn(i64) -> i64) -> Result<Shape, OpError> {
    let resize = |array: &&ArrayShape| {
        let mut sizes = array.dimensions.clone();
        let size_of_d = sizes.get_mut(d);
        let size_of_d = size_of_d.ok_or_else(|| {
            cx.out_of_range("collective-7", "dimensions", cx.ints("dimensions")[0], array.rank())
        })?;
        *size_of_d = size(*size_of_d);
        cx.result(array.element_type, sizes)
    };
    Ok(one_or_tuple(cx.arrays()?.iter().map(resize).collect::<Result<_, _>>()?))
}

/// The only entry of `dimensions`. Rules: `collective-6` for the count, `collective-7` for the range.
fn one_dimension(cx: &OpContext, rank: usize) -> Result<usize, OpError> {
    match cx.ints("dimensions") {
        [d] => {
            let in_range = usize::try_from(*d).ok().filter(|d| *d < rank);
            in_range.ok_or_else(|| cx.out_of_range("collective-7", "dimensions", *d, rank))
        }
        other => {
            let message = Message::ops("op-one-dimension").with("found", other.len());
            Err(cx.error("collective-6", message).at_attr("dimensions"))
        }
    }
}

/// Checks that the reducer takes and returns scalars of each operand's type: `collective-8` and `collective-9`.
fn check_reducers(cx: &OpContext) -> Result<(), OpError> {
    for array in cx.arrays()? {
        super::reduce::check_reducer(
            cx,
            "to_apply",
            &[array.element_type],
            ["collective-8", "collective-9"],
        )?;
    }
    Ok(())
}

/// Reduces the elements at `index` of an operand of every member, in the order of members. `operand_count` is the
/// number of operands of each.
fn reduce_members(
    region: &Region,
    operand_count: usize,
    operand: usize,
    position: GroupPosition,
    index: &[i64],
    read: &mut dyn Read,
) -> Value {
    let mut result = [read.get(operand, index, Role::Value)];
    for member in 1..position.group_size {
        let next = read.get(member * operand_count + operand, index, Role::Value);
        if !read.apply(region, &[result[0], next], &mut result) {
            break;
        }
    }
    result[0]
}
