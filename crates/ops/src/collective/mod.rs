//! The ops in which devices meet: each brings its operands, and computes its own result from those of all.
//!
//! Invariant: a cell of the result reads the operands of all through [`Read`], those of member `m` behind those of the
//! members before it; so value and provenance, across devices too, come from one body. With one device every
//! collective is what XLA gives for one. Read `all_reduce` for an op, `groups` for who takes part.

mod all_gather;
mod all_reduce;
mod all_to_all;
mod broadcast;
mod groups;
mod ids;
mod permute;
mod ragged;
mod reduce_scatter;

pub use all_gather::AllGather;
pub use all_reduce::AllReduce;
pub use all_to_all::AllToAll;
pub use broadcast::CollectiveBroadcast;
pub use ids::{PartitionId, ReplicaId};
pub use permute::CollectivePermute;
pub use ragged::RaggedAllToAll;
pub use reduce_scatter::ReduceScatter;

use std::sync::Arc;

use groups::Groups;

use super::body::{Caller, Calls, OpFuture};
use super::read::{CellsFn, Read};
use super::readers::Recording;
use super::{
    Body, CellAt, Data, DevicePosition, Environment, OpContext, OpError, Region, Request, Role, Source,
};
use xla_array::{ArrayShape, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The position of a device in its group.
#[derive(Clone, Copy)]
struct Stand {
    /// Its place in the group.
    position: usize,
    /// The members of the group.
    members: usize,
    /// Its own number.
    number: usize,
}

/// One cell of result `k`.
type Meet = dyn Fn(usize, Stand, &[i64], &mut dyn Read) -> Value + Send + Sync;

/// The required size of a group.
#[derive(Clone, Copy)]
enum Needs {
    Any,
    Exactly(i64),
    /// A number that divides this one.
    DivisorOf(i64),
}

impl Needs {
    fn takes(self, members: i64) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(count) => members == count,
            Self::DivisorOf(size) => size % members.max(1) == 0,
        }
    }
}

/// A collective.
struct Collective {
    op: &'static str,
    groups: Groups,
    needs: Needs,
    /// The number of devices that must run at least, because attributes name them.
    devices: usize,
    /// The number of operands of each device.
    inputs: usize,
    shapes: Vec<ArrayShape>,
    is_tuple: bool,
    cell: Arc<Meet>,
}

impl Collective {
    /// The body of an instruction whose written shape is final.
    fn body(
        cx: &OpContext,
        groups: Groups,
        needs: Needs,
        cell: impl Fn(usize, Stand, &[i64], &mut dyn Read) -> Value + Send + Sync + 'static,
    ) -> Result<Body, OpError> {
        Self::body_on(cx, groups, needs, 0, cell)
    }

    /// The same of one whose attributes name the devices below `devices`.
    fn body_on(
        cx: &OpContext,
        groups: Groups,
        needs: Needs,
        devices: usize,
        cell: impl Fn(usize, Stand, &[i64], &mut dyn Read) -> Value + Send + Sync + 'static,
    ) -> Result<Body, OpError> {
        let result = cx.written_shape()?;
        let shapes = match result {
            Shape::Tuple(elements) => elements.iter().filter_map(Shape::as_array).cloned().collect(),
            other => other.as_array().cloned().into_iter().collect(),
        };
        Ok(Body::Calls(Box::new(Self {
            op: cx.meta.opcode,
            groups,
            needs,
            devices,
            inputs: cx.operands.len(),
            shapes,
            is_tuple: matches!(result, Shape::Tuple(_)),
            cell: Arc::new(cell),
        })))
    }

    /// The operands of all members in a row.
    async fn meet(&self, operands: &[Data], run: &mut dyn Caller) -> Result<(Vec<Data>, Stand), OpError> {
        let place = run.place();
        self.check_devices(place)?;
        let members = self.groups.members(place);
        // No position of its own would be that of another device, and the result a plausible wrong number.
        let position = members.iter().position(|device| *device == place.device());
        let position = position.ok_or_else(|| {
            let message = Message::engine("op-groups-missing").with("number", self.groups.number(place));
            OpError::new(self.op, "replicas", message).at_attr("replica_groups")
        })?;
        let met = run.ask(Request::Rendezvous { members: &members, operands }).await?;
        let members_operands =
            met.as_tuple().or_bug(&[], "a rendezvous returns a tuple of every member's operands");
        let tuples = members_operands.iter().map(|operands| operands.as_tuple());
        let all: Vec<Data> =
            tuples.flat_map(|tuple| tuple.or_bug(&[], "a tuple of operands").to_vec()).collect();
        Ok((all, Stand { position, members: members.len(), number: self.groups.number(place) }))
    }
}

impl Calls for Collective {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn Caller) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let (all, stand) = self.meet(operands, run).await?;
            let mut results = Vec::new();
            for (k, shape) in self.shapes.iter().enumerate() {
                let cell = self.cell.clone();
                let body: CellsFn = Box::new(move |out, read, results| {
                    if let Some(result) = results.first_mut() {
                        *result = cell(k, stand, out, read);
                    }
                });
                results.extend(run.cells(&[shape], &all, &body)?.into_iter().map(Data::from));
            }
            match results.pop() {
                Some(one) if !self.is_tuple => Ok(one),
                last => Ok(Data::Tuple(results.into_iter().chain(last).collect())),
            }
        })
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn Caller,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async move {
            let (all, stand) = self.meet(operands, run).await?;
            let mut recording = Recording::new(&all, 1 << 20);
            let k = cell.result();
            (self.cell)(k, stand, &cell.index, &mut recording);
            let mut own = Vec::new();
            let inputs = self.inputs.max(1);
            for source in recording.into_sources() {
                let member = source.operand / inputs;
                let source = Source { operand: source.operand % inputs, ..source };
                if member == stand.position {
                    own.push(source);
                } else {
                    run.add_remote_source(member, source);
                }
            }
            Ok(own)
        })
    }

    fn admit(&self, world: &dyn Environment) -> Result<(), OpError> {
        self.check_devices(world.place())
    }
}

impl Collective {
    /// Checks groups, shapes and pairs against the devices of the run.
    fn check_devices(&self, place: DevicePosition) -> Result<(), OpError> {
        if let Err((named, count)) = self.groups.fit(place) {
            let message = Message::engine("op-groups-devices").with("named", named).with("count", count);
            return Err(OpError::new(self.op, "replicas", message).at_attr("replica_groups"));
        }
        let count = self.groups.members(place).len();
        if self.devices > count {
            let message =
                Message::engine("op-permute-devices").with("number", self.devices - 1).with("count", count);
            let advice = Message::engine("op-hint-permute-devices").with("last", count.saturating_sub(1));
            let error = OpError::new(self.op, "replicas", message).at_attr("source_target_pairs");
            return Err(error.advise(advice));
        }
        let members = i64::try_from(self.groups.members(place).len())
            .or_bug(1, "a group of more than i64::MAX devices");
        match self.needs {
            needs if needs.takes(members) => Ok(()),
            Needs::Any => Ok(()),
            Needs::Exactly(count) => {
                let message = Message::engine("op-group-size").with("needs", count).with("found", members);
                Err(OpError::new(self.op, "replicas", message))
            }
            Needs::DivisorOf(size) => {
                let message = Message::engine("op-group-divides").with("size", size).with("found", members);
                Err(OpError::new(self.op, "replicas", message))
            }
        }
    }
}

/// The results, one for each operand, as a shape: the only one, or a tuple.
fn one_or_tuple(mut shapes: Vec<Shape>) -> Shape {
    match shapes.pop() {
        Some(one) if shapes.is_empty() => one,
        last => Shape::Tuple(shapes.into_iter().chain(last).collect()),
    }
}

/// The result shapes when each operand's size along `d` changes. Label: `collective-7` if one has no such
/// dimension.
fn resized(cx: &OpContext, d: usize, size: impl Fn(i64) -> i64) -> Result<Shape, OpError> {
    let of = |array: &&ArrayShape| {
        let mut sizes = array.dimensions.clone();
        let along = sizes.get_mut(d);
        let along = along.ok_or_else(|| {
            cx.out_of_range("collective-7", "dimensions", cx.ints("dimensions")[0], array.rank())
        })?;
        *along = size(*along);
        cx.result(array.element_type, sizes)
    };
    Ok(one_or_tuple(cx.arrays()?.iter().map(of).collect::<Result<_, _>>()?))
}

/// The dimension an op works along: `dimensions` names exactly one. Labels: `collective-6` for the count,
/// `collective-7` for the range.
fn one_dimension(cx: &OpContext, rank: usize) -> Result<usize, OpError> {
    match cx.ints("dimensions") {
        [d] => {
            let in_range = usize::try_from(*d).ok().filter(|d| *d < rank);
            in_range.ok_or_else(|| cx.out_of_range("collective-7", "dimensions", *d, rank))
        }
        other => {
            let message = Message::engine("op-one-dimension").with("found", other.len());
            Err(cx.error("collective-6", message).at_attr("dimensions"))
        }
    }
}

/// Checks that the computation reduces scalars of each operand's type: `collective-8` and `collective-9`.
fn check_fold(cx: &OpContext) -> Result<(), OpError> {
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

/// Folds the same cell of operand `k` of every member, in their order.
fn fold(region: &Region, inputs: usize, k: usize, stand: Stand, index: &[i64], read: &mut dyn Read) -> Value {
    let mut result = [read.get(k, index, Role::Value)];
    for member in 1..stand.members {
        let next = read.get(member * inputs + k, index, Role::Value);
        if !read.apply(region, &[result[0], next], &mut result) {
            break;
        }
    }
    result[0]
}
