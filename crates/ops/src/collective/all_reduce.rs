//! `all-reduce`: see [`AllReduce`].

use super::groups::{
    CHANNEL_ID, CONSTRAIN_LAYOUT, GROUP_MODE, GroupRules, Groups, REPLICA_GROUPS, USE_GLOBAL_DEVICE_IDS,
};
use super::{Collective, GroupSize, check_reducers, one_or_tuple, reduce_members, tuple_if_written};
use crate::{
    AttrKind, AttrSpec, Attrs, Category, Change, EditionExample, Effect, Example, ExampleOutcome, Formula,
    History, HostExample, OpContext, OpDef, OpError, OpMeta, Operands, Rule, Semantics,
};
use xla_array::{Edition, Shape};
use xla_messages::i18n::Message;

/// Reduces the arrays of all devices of the group element by element, in the order of the group;
/// every device gets the result.
///
/// `CrossReplicaSum` with any computation as reducer: two replicas with (1.0, 2.5) and (3.0, 5.1) both get (4.0, 7.6).
/// Several operands are reduced separately; the result is a tuple. Source: XLA's operation semantics,
/// `CrossReplicaSum`; `ShapeInference::InferAllReduceShape`.
pub struct AllReduce;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: Some(Formula::Symbols("out[i] = operand_of_device_0[i] + operand_of_device_1[i] + …")),
    v2017: "then-all-reduce",
    current: "now-all-reduce",
    example: EditionExample {
        title: "difference-all-reduce",
        hlo: "x = f32[2] constant({1, 2.5}) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply={
              a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = maximum(a, b) }",
        v2017: ExampleOutcome::Error("all-reduce-2017"),
        current: ExampleOutcome::Value("f32[2] {1, 2.5}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "all-reduce",
    // The title of 2017, under which users of either edition find it.
    title: "CrossReplicaSum",
    search_terms: &[],
    sections: &["CrossReplicaSum", "AllReduce"],
    category: Category::Collective,
    history: History::changed(&CHANGE),
    summary: "op-all-reduce",
    formula: Formula::Symbols("out[i] = reduce(operand_of_device_0[i], operand_of_device_1[i], …)"),
    operands: Operands::variadic_in_current(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        CHANNEL_ID,
        REPLICA_GROUPS,
        CONSTRAIN_LAYOUT,
        USE_GLOBAL_DEVICE_IDS,
        GROUP_MODE,
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-reducer"),
    ],
    rules: &[
        Rule {
            identifier: "collective-1",
            description: "rule-groups",
            violated_by: "x = f32[2] parameter(0) ROOT r = all-reduce(x), replica_groups={{-1}}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "collective-2",
            description: "rule-groups-once",
            violated_by:
                "x = f32[2] parameter(0) ROOT r = all-reduce(x), replica_groups={{0,1},{1}}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "collective-3",
            description: "rule-global-ids",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = all-reduce(x), replica_groups={{0,1}}, use_global_device_ids=true, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "collective-4",
            description: "rule-groups-all",
            violated_by: "x = f32[2] parameter(0) ROOT r = all-reduce(x), replica_groups={{0,2}}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "collective-8",
            description: "rule-reducer-parameters",
            violated_by: "x = f32[2] parameter(0) ROOT r = all-reduce(x), replica_groups={}, to_apply={
                        a = f32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            identifier: "collective-9",
            description: "rule-reducer-types",
            violated_by: "x = s32[2] parameter(0) ROOT r = all-reduce(x), replica_groups={}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ],
    examples: &[Example {
        title: "shows-one-replica",
        hlo: "x = f32[2] constant({1, 2.5}) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply={
              a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        result: "f32[2] {1, 2.5}",
    }],
};

/// The example of the Operation Semantics with its two replicas; pairs of replicas; a deadlock.
static HOST_EXAMPLES: &[HostExample] = &[
    HostExample {
        title: "shows-sum-of-two",
        hlo: "HloModule two_replicas

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }

ENTRY documents {
  x = f32[2] parameter(0)
  ROOT sum = f32[2] all-reduce(x), replica_groups={}, to_apply=add
}
",
        values: &[&["{1.0, 2.5}"], &["{3.0, 5.1}"]],
        infeed: &[],
        functions: &[],
        replicas: 2,
        results: &["f32[2] {4, 7.6}", "f32[2] {4, 7.6}"],
    },
    HostExample {
        // Replica r, without values of its own, has those of replica 0 plus 10 r.
        title: "shows-sum-of-pairs",
        hlo: "HloModule four_replicas_in_pairs

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }

ENTRY pairs {
  x = f32[3] parameter(0)
  ROOT sum = f32[3] all-reduce(x), replica_groups={{0,2},{1,3}}, to_apply=add
}
",
        values: &[&["{1, 2, 3}"]],
        infeed: &[],
        functions: &[],
        replicas: 4,
        results: &[
            "f32[3] {22, 24, 26}",
            "f32[3] {42, 44, 46}",
            "f32[3] {22, 24, 26}",
            "f32[3] {42, 44, 46}",
        ],
    },
    HostExample {
        title: "shows-waits-for-ever",
        hlo: "HloModule one_waits_for_ever

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
meet { x = f32[2] parameter(0) ROOT sum = f32[2] all-reduce(x), replica_groups={}, to_apply=add }
pass { x = f32[2] parameter(0) ROOT same = f32[2] copy(x) }

ENTRY waits {
  x = f32[2] parameter(0)
  me = u32[] replica-id()
  one = u32[] constant(1)
  first = pred[] compare(me, one), direction=LT
  ROOT sum = f32[2] conditional(first, x, x), true_computation=meet, false_computation=pass
}
",
        values: &[&["{1, 2}"]],
        infeed: &[],
        functions: &[],
        replicas: 2,
        results: &[],
    },
];

impl OpDef for AllReduce {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn requires_written_shape(&self) -> bool {
        true
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let arrays = cx.arrays()?;
        Groups::from_attrs(cx, GroupRules { has_global_ids: true, is_uniform: false })?;
        check_reducers(cx)?;
        let reducer = cx.computations.single_binary_op(cx.computation("to_apply")?).map(|op| op.opcode);
        if cx.edition == Edition::V2017 && reducer != Some("add") {
            let error = cx.error("all-reduce-2017", Message::ops("op-all-reduce-2017"));
            return Err(error.at_attr("to_apply"));
        }
        let shapes = arrays.iter().map(|a| cx.result(a.element_type, a.dimensions.iter().copied()));
        Ok(tuple_if_written(cx, one_or_tuple(shapes.collect::<Result<_, _>>()?)))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (inputs, region) = (cx.operands.len(), cx.region("to_apply")?);
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: true, is_uniform: false })?;
        Collective::semantics(cx, groups, GroupSize::Any, move |operand, position, out, read| {
            reduce_members(&region, inputs, operand, position, out, read)
        })
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == GROUP_MODE.name || cx.is_false(name)
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Rendezvous
    }

    fn host_examples(&self) -> &'static [HostExample] {
        HOST_EXAMPLES
    }
}
