//! `CrossReplicaSum`, `CustomCall` and Infeed: ops that need a host or other devices.

use super::computations::ADD;
use crate::entry::{Entry, Section, argument};
use crate::example::{documented, example, undocumented};
use xla_array::Edition;

/// `taken < limit`, where the limit differs between replicas: it comes from the infeed.
const UNTIL_LIMIT: &str = "condition {
  state = (s32[], s32[], f32[2]) parameter(0)
  taken = s32[] get-tuple-element(state), index=0
  limit = s32[] get-tuple-element(state), index=1
  ROOT continues = pred[] compare(taken, limit), direction=LT
}";

/// One sum across the replicas.
const ONE_SUM: &str = "body {
  state = (s32[], s32[], f32[2]) parameter(0)
  taken = s32[] get-tuple-element(state), index=0
  limit = s32[] get-tuple-element(state), index=1
  operand = f32[2] get-tuple-element(state), index=2
  one = s32[] constant(1)
  next = s32[] add(taken, one)
  sum = f32[2] all-reduce(operand), to_apply=add
  ROOT out = (s32[], s32[], f32[2]) tuple(next, limit, sum)
}";

/// The section `CrossReplicaSum` of the 2017 Operation Semantics.
pub const CROSS_REPLICA_SUM: Section = Section {
    name: "CrossReplicaSum",
    builder_method: Some("CrossReplicaSum"),
    entries: &[Entry {
        name: "CrossReplicaSum",
        opcode: "all-reduce",
        signatures: &["CrossReplicaSum(operand)"],
        arguments: &[argument("operand", "ComputationDataHandle", "argument-replica-operand")],
        text: "entry-cross-replica-sum",
        current_docs_anchor: Some("crossreplicasum"),
        search_words: &["allreduce", "all-reduce", "psum", "gradient averaging", "data parallel", "nccl"],
        examples: &[
            example(
                "CrossReplicaSum(operand)",
                "example-replicas-sum",
                "operand = f32[2] parameter(0)
                 ROOT sum = f32[2] all-reduce(operand), to_apply=add",
                &[],
                documented!("f32[2] {4, 7.6}", "f32[2] {4, 7.6}"),
            )
            .with_computations(&[ADD])
            .on_replicas(&[&["{1.0, 2.5}"], &["{3.0, 5.1}"]]),
            example(
                "while (condition on infeed) { CrossReplicaSum(operand) }",
                "example-replicas-deadlock",
                "operand = f32[2] parameter(0)
                 start = token[] after-all()
                 fed = (s32[2], token[]) infeed(start)
                 limits = s32[2] get-tuple-element(fed), index=0
                 replica = u32[] replica-id()
                 own = s32[1] dynamic-slice(limits, replica), dynamic_slice_sizes={1}
                 limit = s32[] reshape(own)
                 zero = s32[] constant(0)
                 init = (s32[], s32[], f32[2]) tuple(zero, limit, operand)
                 loop = (s32[], s32[], f32[2]) while(init), condition=condition, body=body
                 ROOT sum = f32[2] get-tuple-element(loop), index=2",
                &[],
                undocumented!(reason: "reason-deadlock"),
            )
            .with_computations(&[ADD, UNTIL_LIMIT, ONE_SUM])
            .on_replicas(&[&["{1.0, 2.5}"], &["{3.0, 5.1}"]])
            .with_infeed(&["{1, 2}"])
            .for_edition(Edition::Current),
        ],
        ..Entry::EMPTY
    }],
};

/// `myfunc` of the documentation in JavaScript. It gives the formula of its first cell only.
const MYFUNC: &str = "// z[0][0] = x[1] + y[1][0], and the other cells by the same rule
const [x, y] = inputs;
const [rows, columns] = output.shape;
for (let i = 0; i < rows; i++) {
  const row = (i + 1) % 2;
  for (let j = 0; j < columns; j++) {
    output.data[i * columns + j] = x.data[row] + y.data[row * 3 + j];
  }
}";

/// The section `CustomCall` of the 2017 Operation Semantics.
pub const CUSTOM_CALL: Section = Section {
    name: "CustomCall",
    builder_method: Some("CustomCall"),
    entries: &[Entry {
        name: "CustomCall",
        opcode: "custom-call",
        signatures: &[
            "CustomCall(target_name, args..., shape)",
            "extern \"C\" void target_name(void* out, void** in);",
        ],
        arguments: &[
            argument("target_name", "string", "argument-custom-target"),
            argument("args", "sequence of N ComputationDataHandle s", "argument-custom-args"),
            argument("shape", "Shape", "argument-custom-shape"),
        ],
        text: "entry-custom-call",
        current_docs_anchor: Some("customcall"),
        search_words: &["foreign function", "ffi", "extern", "pure_callback", "plugin"],
        examples: &[example(
            "CustomCall(\"myfunc\", {x, y}, f32[3x3])",
            "example-custom-myfunc",
            "x = f32[2] parameter(0)
             y = f32[2,3] parameter(1)
             ROOT z = f32[3,3] custom-call(x, y), custom_call_target=\"myfunc\"",
            &[&["{1, 2}", "{{10, 20, 30}, {40, 50, 60}}"]],
            undocumented!(reason: "reason-one-cell", "f32[3,3] {{42, 52, 62}, {11, 21, 31}, {42, 52, 62}}"),
        )
        .with_functions(&[("myfunc", MYFUNC)])],
        ..Entry::EMPTY
    }],
};

/// The loop conditions of the documentation's two loops: they count to different numbers.
const FIRST_CONDITION: &str = "first_condition {
  state = (s32[], f32[2], token[]) parameter(0)
  iteration = s32[] get-tuple-element(state), index=0
  limit = s32[] constant(2)
  ROOT continues = pred[] compare(iteration, limit), direction=LT
}";

const SECOND_CONDITION: &str = "second_condition {
  state = (s32[], f32[2], token[]) parameter(0)
  iteration = s32[] get-tuple-element(state), index=0
  limit = s32[] constant(3)
  ROOT continues = pred[] compare(iteration, limit), direction=LT
}";

/// Adds one item of the infeed.
const ADD_ITEM: &str = "add_item {
  state = (s32[], f32[2], token[]) parameter(0)
  iteration = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(iteration, one)
  before = token[] get-tuple-element(state), index=2
  fed = (f32[2], token[]) infeed(before)
  item = f32[2] get-tuple-element(fed), index=0
  after = token[] get-tuple-element(fed), index=1
  total = f32[2] get-tuple-element(state), index=1
  sum = f32[2] add(total, item)
  ROOT out = (s32[], f32[2], token[]) tuple(next, sum, after)
}";

/// Infeed. Its order is one of tokens, which current XLA has.
pub const INFEED: Section = Section {
    name: "Infeed",
    builder_method: Some("Infeed"),
    entries: &[Entry {
        name: "Infeed",
        opcode: "infeed",
        signatures: &["Infeed(shape)"],
        arguments: &[argument("shape", "Shape", "argument-infeed-shape")],
        text: "entry-infeed",
        current_docs_anchor: Some("infeed"),
        search_words: &["queue", "input pipeline", "feed", "stream", "dequeue"],
        examples: &[
            example(
                "Infeed(f32[3])",
                "example-infeed-one",
                "start = token[] after-all()
                 fed = (f32[3], token[]) infeed(start)
                 ROOT item = f32[3] get-tuple-element(fed), index=0",
                &[],
                undocumented!(reason: "reason-docs-have-no-example", "f32[3] {1, 2, 3}"),
            )
            .with_infeed(&["{1, 2, 3}", "{4, 5, 6}"])
            .for_edition(Edition::Current),
            example(
                "result2 = while (condition, init = result1) { Infeed(shape) }",
                "example-infeed-two-loops",
                "iteration = s32[] parameter(0)
                 zeros = f32[2] parameter(1)
                 start = token[] after-all()
                 init_value = (s32[], f32[2], token[]) tuple(iteration, zeros, start)
                 result1 = (s32[], f32[2], token[]) while(init_value), condition=first_condition, body=add_item
                 result2 = (s32[], f32[2], token[]) while(result1), condition=second_condition, body=add_item
                 ROOT sum = f32[2] get-tuple-element(result2), index=1",
                &[&["0", "{0, 0}"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[2] {111, 222}"),
            )
            .with_computations(&[FIRST_CONDITION, SECOND_CONDITION, ADD_ITEM])
            .with_infeed(&["{1, 2}", "{10, 20}", "{100, 200}", "{1000, 2000}"])
            .for_edition(Edition::Current),
            example(
                "Infeed(())",
                "example-infeed-empty",
                "start = token[] after-all()
                 fed = ((), token[]) infeed(start)
                 nothing = () get-tuple-element(fed), index=0
                 then = token[] get-tuple-element(fed), index=1
                 next = (s32[], token[]) infeed(then)
                 ROOT item = s32[] get-tuple-element(next), index=0",
                &[],
                undocumented!(reason: "reason-docs-give-no-values", "s32[] 7"),
            )
            .with_infeed(&["7"])
            .for_edition(Edition::Current),
        ],
        ..Entry::EMPTY
    }],
};
