//! `replica-id` and `partition-id`: see [`ReplicaId`] and [`PartitionId`].

use crate::body::{Caller, Calls, OpFuture};
use crate::{
    Attrs, Body, Category, CellAt, Data, DevicePosition, Example, HostNeeds, OpContext, OpDef, OpError,
    OpMeta, Operands, Source,
};
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Shape, Value};
use xla_messages::bug::OrBug as _;

/// The number of the current replica; 0 if there is only one.
///
/// Source: `ReplicaId` of `XlaBuilder`.
pub struct ReplicaId;

/// The number of the current partition; 0 if there is only one.
///
/// Source: `HloOpcode::kPartitionId` of XLA.
pub struct PartitionId;

static REPLICA: OpMeta = OpMeta {
    opcode: "replica-id",
    title: "ReplicaId",
    names: &[],
    sections: &["ReplicaId"],
    category: Category::Source,
    summary: "op-replica-id",
    formula: "out = number of the replica",
    operands: Operands::exactly(&[]),
    argument: None,
    attrs: &[],
    rules: &[],
    examples: &[Example { hlo: "ROOT r = u32[] replica-id()", result: "u32[] 0" }],
};

static PARTITION: OpMeta = OpMeta {
    opcode: "partition-id",
    title: "PartitionId",
    names: &[],
    sections: &[],
    category: Category::Source,
    summary: "op-partition-id",
    formula: "out = number of the partition",
    operands: Operands::exactly(&[]),
    argument: None,
    attrs: &[],
    rules: &[],
    examples: &[Example { hlo: "ROOT r = u32[] partition-id()", result: "u32[] 0" }],
};

struct Id(fn(DevicePosition) -> usize);

impl Calls for Id {
    fn evaluate<'a>(&'a self, _: &'a [Data], run: &'a mut dyn Caller) -> OpFuture<'a, Data> {
        let number = u64::try_from((self.0)(run.place())).or_bug(u64::MAX, "a usize is wider than u64");
        Box::pin(async move {
            let scalar = ArrayLiteral::filled(ArrayShape::new(ElementType::U32, []), Value::Uint(number));
            scalar.map(Data::from).map_err(|e| OpError::new("replica-id", e.rule, e.message))
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        _: &'a CellAt,
        _: &'a mut dyn Caller,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

impl OpDef for ReplicaId {
    fn meta(&self) -> &'static OpMeta {
        &REPLICA
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.result(ElementType::U32, [])
    }

    fn host_needs(&self, _: &Attrs, _: &Shape) -> HostNeeds {
        HostNeeds::Devices
    }

    fn bind(&self, _: &OpContext) -> Result<Body, OpError> {
        Ok(Body::Calls(Box::new(Id(|place| place.replica))))
    }
}

impl OpDef for PartitionId {
    fn meta(&self) -> &'static OpMeta {
        &PARTITION
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.result(ElementType::U32, [])
    }

    fn host_needs(&self, _: &Attrs, _: &Shape) -> HostNeeds {
        HostNeeds::Devices
    }

    fn bind(&self, _: &OpContext) -> Result<Body, OpError> {
        Ok(Body::Calls(Box::new(Id(|place| place.partition))))
    }
}
