//! `replica-id` and `partition-id`: see [`ReplicaId`] and [`PartitionId`].

use crate::semantics::{OpFuture, SuspendingOp, SuspendingRun};
use crate::{
    Attrs, Category, CellAt, Data, DevicePosition, Example, Formula, History, HostExample, HostSetup,
    OpContext, OpDef, OpError, OpMeta, Operands, Semantics, Source,
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
    search_terms: &[],
    sections: &["ReplicaId"],
    category: Category::Source,
    history: History::NEWER,
    summary: "op-replica-id",
    formula: Formula::Words("formula-replica-id"),
    operands: Operands::exactly(&[]),
    inline_attr: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-one-replica",
        hlo: "ROOT r = u32[] replica-id()",
        result: "u32[] 0",
    }],
};

static PARTITION: OpMeta = OpMeta {
    opcode: "partition-id",
    title: "PartitionId",
    search_terms: &[],
    sections: &["PartitionID"],
    category: Category::Source,
    history: History::NEWER,
    summary: "op-partition-id",
    formula: Formula::Words("formula-partition-id"),
    operands: Operands::exactly(&[]),
    inline_attr: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-one-partition",
        hlo: "ROOT r = u32[] partition-id()",
        result: "u32[] 0",
    }],
};

struct Id {
    opcode: &'static str,
    number: fn(DevicePosition) -> usize,
}

impl SuspendingOp for Id {
    fn evaluate<'a>(&'a self, _: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        let number =
            u64::try_from((self.number)(run.device_position())).or_bug(u64::MAX, "a usize is wider than u64");
        Box::pin(async move {
            let scalar = ArrayLiteral::filled(ArrayShape::new(ElementType::U32, []), Value::Uint(number));
            scalar.map(Data::from).map_err(|e| OpError::new(self.opcode, e.rule, e.message))
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        _: &'a CellAt,
        _: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// An example on three replicas.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-three-ids",
    hlo: "HloModule three_replicas

ENTRY together {
  ROOT id = u32[] replica-id()
}
",
    values: &[],
    infeed: &[],
    functions: &[],
    replicas: 3,
    results: &["u32[] 0", "u32[] 1", "u32[] 2"],
}];

impl OpDef for ReplicaId {
    fn meta(&self) -> &'static OpMeta {
        &REPLICA
    }

    fn host_examples(&self) -> &'static [HostExample] {
        HOST_EXAMPLES
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.result(ElementType::U32, [])
    }

    fn host_setup(&self, _: &Attrs, _: &Shape) -> HostSetup {
        HostSetup::Devices
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Suspending(Box::new(Id { opcode: cx.meta.opcode, number: |device| device.replica })))
    }
}

impl OpDef for PartitionId {
    fn meta(&self) -> &'static OpMeta {
        &PARTITION
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.result(ElementType::U32, [])
    }

    fn host_setup(&self, _: &Attrs, _: &Shape) -> HostSetup {
        HostSetup::Devices
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Suspending(Box::new(Id { opcode: cx.meta.opcode, number: |device| device.partition })))
    }
}
