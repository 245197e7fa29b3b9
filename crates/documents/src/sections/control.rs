//! Call, `GetTupleElement`, Map, Tuple and While: ops on computations and tuples.

use super::computations::ADD;
use crate::entry::{Entry, Section, argument};
use crate::example::{example, undocumented};

/// `x²`, elementwise.
const SQUARE: &str = "square {
  x = f32[3] parameter(0)
  ROOT y = f32[3] multiply(x, x)
}";

/// A computation without parameters.
const ANSWER: &str = "answer {
  ROOT value = s32[] constant(42)
}";

/// The section `Call` of the 2017 Operation Semantics.
pub const CALL: Section = Section {
    name: "Call",
    builder_method: Some("Call"),
    entries: &[Entry {
        name: "Call",
        opcode: "call",
        signatures: &["Call(computation, args...)"],
        arguments: &[
            argument("computation", "Computation", "argument-call-computation"),
            argument("args", "sequence of N ComputationDataHandle s", "argument-call-args"),
        ],
        text: "entry-call",
        current_docs_anchor: Some("call"),
        search_words: &["function", "subroutine", "invoke"],
        examples: &[
            example(
                "Call(square, x)",
                "example-call-square",
                "x = f32[3] parameter(0)
                 ROOT y = f32[3] call(x), to_apply=square",
                &[&["{1, 2, 3}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[3] {1, 4, 9}"),
            )
            .with_computations(&[SQUARE]),
            example(
                "Call(answer)",
                "example-call-without-arguments",
                "ROOT value = s32[] call(), to_apply=answer",
                &[],
                undocumented!(reason: "reason-docs-have-no-example", "s32[] 42"),
            )
            .with_computations(&[ANSWER]),
        ],
        ..Entry::EMPTY
    }],
};

/// `v` and `s` of the 2017 documentation's example of Tuple and `GetTupleElement`; the values are ours.
const VECTOR_AND_SCALAR: &[&[&str]] = &[&["{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}", "5"]];

/// The section `GetTupleElement` of the 2017 Operation Semantics.
pub const GET_TUPLE_ELEMENT: Section = Section {
    name: "GetTupleElement",
    builder_method: Some("GetTupleElement"),
    entries: &[Entry {
        name: "GetTupleElement",
        opcode: "get-tuple-element",
        signatures: &["GetTupleElement(tuple, index)"],
        arguments: &[
            argument("tuple", "ComputationDataHandle", "argument-element-tuple"),
            argument("index", "int64", "argument-element-index"),
        ],
        text: "entry-get-tuple-element",
        current_docs_anchor: Some("gettupleelement"),
        search_words: &["std::get", "unpack", "destructure"],
        examples: &[
            example(
                "gettupleelement(t, 1)",
                "example-element-scalar",
                "v = f32[10] parameter(0)
                 s = s32[] parameter(1)
                 t = (f32[10], s32[]) tuple(v, s)
                 ROOT element_1 = s32[] get-tuple-element(t), index=1",
                VECTOR_AND_SCALAR,
                undocumented!(reason: "reason-shape-only", "s32[] 5"),
            ),
            example(
                "gettupleelement(t, 0)",
                "example-element-vector",
                "v = f32[10] parameter(0)
                 s = s32[] parameter(1)
                 t = (f32[10], s32[]) tuple(v, s)
                 ROOT element_0 = f32[10] get-tuple-element(t), index=0",
                VECTOR_AND_SCALAR,
                undocumented!(reason: "reason-docs-have-no-example", "f32[10] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// `a * b + a`.
const MULTIPLY_ADD: &str = "multiply_add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  product = f32[] multiply(a, b)
  ROOT sum = f32[] add(product, a)
}";

/// `(elem1 + elem2 + elem3) * par1`.
const SCALED_SUM: &str = "computation {
  elem1 = f32[] parameter(0)
  elem2 = f32[] parameter(1)
  elem3 = f32[] parameter(2)
  par1 = f32[] parameter(3)
  partial_sum = f32[] add(elem1, elem2)
  sum = f32[] add(partial_sum, elem3)
  ROOT scaled = f32[] multiply(sum, par1)
}";

/// `elem1` times the sum of the static array `par1`.
const SCALED_BY_ARRAY_SUM: &str = "computation {
  elem1 = f32[] parameter(0)
  par1 = f32[3] parameter(1)
  zero = f32[] constant(0)
  total = f32[] reduce(par1, zero), dimensions={0}, to_apply=add
  ROOT scaled = f32[] multiply(elem1, total)
}";

/// `index < 2`: the condition of a loop that maps [`SCALED_BY_ARRAY_SUM`] over two elements.
const INDEX_UNDER_2: &str = "condition {
  state = (s32[], f32[2], f32[2], f32[3]) parameter(0)
  index = s32[] get-tuple-element(state), index=0
  count = s32[] constant(2)
  ROOT continues = pred[] compare(index, count), direction=LT
}";

/// The body of that loop: maps element `index` by a call.
const MAP_ELEMENT: &str = "body {
  state = (s32[], f32[2], f32[2], f32[3]) parameter(0)
  index = s32[] get-tuple-element(state), index=0
  mapped = f32[2] get-tuple-element(state), index=1
  op1 = f32[2] get-tuple-element(state), index=2
  par1 = f32[3] get-tuple-element(state), index=3
  start = s32[1] reshape(index)
  element = f32[1] dynamic-slice(op1, start), dynamic_slice_sizes={1}
  elem1 = f32[] reshape(element)
  elem_out = f32[] call(elem1, par1), to_apply=computation
  cell = f32[1] reshape(elem_out)
  next_mapped = f32[2] dynamic-update-slice(mapped, cell, start)
  one = s32[] constant(1)
  next = s32[] add(index, one)
  ROOT out = (s32[], f32[2], f32[2], f32[3]) tuple(next, next_mapped, op1, par1)
}";

/// The section `Map` of the 2017 Operation Semantics.
pub const MAP: Section = Section {
    name: "Map",
    builder_method: Some("Map"),
    entries: &[Entry {
        name: "Map",
        opcode: "map",
        other_opcodes: &["while", "get-tuple-element"],
        signatures: &["Map(operands..., computation)"],
        arguments: &[
            argument("operands", "sequence of N ComputationDataHandle s", "argument-map-operands"),
            argument("computation", "Computation", "argument-map-computation"),
            argument("static_operands", "sequence of M ComputationDataHandle s", "argument-map-static"),
        ],
        text: "entry-map",
        current_docs_anchor: Some("map"),
        search_words: &["apply", "vectorize", "vmap", "elementwise function"],
        examples: &[
            example(
                "Map(op1, op2, computation)",
                "example-map-two",
                "op1 = f32[2] parameter(0)
                 op2 = f32[2] parameter(1)
                 ROOT mapped = f32[2] map(op1, op2), dimensions={0}, to_apply=multiply_add",
                &[&["{1, 2}", "{3, 4}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[2] {4, 10}"),
            )
            .with_computations(&[MULTIPLY_ADD]),
            example(
                "Map(op1, op2, op3, computation, par1)",
                "example-map-static",
                "op1 = f32[2] parameter(0)
                 op2 = f32[2] parameter(1)
                 op3 = f32[2] parameter(2)
                 par1 = f32[] parameter(3)
                 ROOT mapped = f32[2] map(op1, op2, op3, par1), dimensions={0}, to_apply=computation",
                &[&["{1, 2}", "{3, 4}", "{5, 6}", "10"]],
                undocumented!(reason: "reason-docs-give-no-values", "f32[2] {90, 120}"),
            )
            .with_computations(&[SCALED_SUM]),
            example(
                "Map(op1, computation, par1)",
                "example-map-static-array",
                "op1 = f32[2] parameter(0)
                 par1 = f32[3] parameter(1)
                 zero = s32[] constant(0)
                 empty = f32[2] constant({0, 0})
                 init = (s32[], f32[2], f32[2], f32[3]) tuple(zero, empty, op1, par1)
                 loop = (s32[], f32[2], f32[2], f32[3]) while(init), condition=condition, body=body
                 ROOT mapped = f32[2] get-tuple-element(loop), index=1",
                &[&["{1, 2}", "{1, 10, 100}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[2] {111, 222}"),
            )
            .with_computations(&[ADD, SCALED_BY_ARRAY_SUM, INDEX_UNDER_2, MAP_ELEMENT]),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `Tuple` of the 2017 Operation Semantics.
pub const TUPLE: Section = Section {
    name: "Tuple",
    builder_method: Some("Tuple"),
    entries: &[Entry {
        name: "Tuple",
        opcode: "tuple",
        signatures: &["Tuple(elements...)"],
        arguments: &[argument(
            "elements",
            "sequence of N ComputationDataHandle s",
            "argument-tuple-elements",
        )],
        text: "entry-tuple",
        current_docs_anchor: Some("tuple"),
        search_words: &["std::tuple", "struct", "pack"],
        examples: &[example(
            "tuple(v, s)",
            "example-tuple",
            "v = f32[10] parameter(0)
             s = s32[] parameter(1)
             ROOT t = (f32[10], s32[]) tuple(v, s)",
            VECTOR_AND_SCALAR,
            undocumented!(reason: "reason-shape-only", "(f32[10], s32[]) ({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 5)"),
        )],
        ..Entry::EMPTY
    }],
};

/// `iteration < 1000`: the condition in the 2017 documentation's example of While.
const UNDER_1000: &str = "condition {
  result = (s32[], f32[10]) parameter(0)
  iteration = s32[] get-tuple-element(result), index=0
  limit = s32[] constant(1000)
  ROOT continues = pred[] compare(iteration, limit), direction=LT
}";

/// Adds a constant vector: the body in that example.
const ADD_CONSTANT: &str = "body {
  result = (s32[], f32[10]) parameter(0)
  old_iteration = s32[] get-tuple-element(result), index=0
  one = s32[] constant(1)
  iteration = s32[] add(old_iteration, one)
  old_vector = f32[10] get-tuple-element(result), index=1
  constant_vector = f32[10] constant({1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
  new_vector = f32[10] add(old_vector, constant_vector)
  ROOT next = (s32[], f32[10]) tuple(iteration, new_vector)
}";

/// `value < 0`: false for the example's initial value, so that the body never runs.
const IS_NEGATIVE: &str = "condition {
  value = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT continues = pred[] compare(value, zero), direction=LT
}";

/// Doubles the value.
const DOUBLE: &str = "body {
  value = s32[] parameter(0)
  ROOT next = s32[] add(value, value)
}";

/// `value < 100`.
const UNDER_100: &str = "condition {
  value = s32[] parameter(0)
  limit = s32[] constant(100)
  ROOT continues = pred[] compare(value, limit), direction=LT
}";

/// The section `While` of the 2017 Operation Semantics.
pub const WHILE: Section = Section {
    name: "While",
    builder_method: Some("While"),
    entries: &[Entry {
        name: "While",
        opcode: "while",
        signatures: &["While(condition, body, init)"],
        arguments: &[
            argument("condition", "Computation", "argument-while-condition"),
            argument("body", "Computation", "argument-while-body"),
            argument("init", "T", "argument-while-init"),
        ],
        text: "entry-while",
        current_docs_anchor: Some("while"),
        search_words: &["loop", "for", "fori_loop", "while_loop", "iterate"],
        examples: &[
            example(
                "While(condition, body, {0, zero_vector[10]})",
                "example-while-documents",
                "zero = s32[] parameter(0)
                 zero_vector = f32[10] parameter(1)
                 init = (s32[], f32[10]) tuple(zero, zero_vector)
                 ROOT result = (s32[], f32[10]) while(init), condition=condition, body=body",
                &[&["0", "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"]],
                undocumented!(reason: "reason-docs-give-no-values",
                    "(s32[], f32[10]) (1000, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000})"
                ),
            )
            .with_computations(&[UNDER_1000, ADD_CONSTANT]),
            example(
                "While(condition, body, 1)",
                "example-while-scalar",
                "init = s32[] parameter(0)
                 ROOT result = s32[] while(init), condition=condition, body=body",
                &[&["1"]],
                undocumented!(reason: "reason-docs-have-no-example", "s32[] 128"),
            )
            .with_computations(&[UNDER_100, DOUBLE]),
            example(
                "While(condition, body, 7)",
                "example-while-never",
                "init = s32[] parameter(0)
                 ROOT result = s32[] while(init), condition=condition, body=body",
                &[&["7"]],
                undocumented!(reason: "reason-docs-have-no-example", "s32[] 7"),
            )
            .with_computations(&[IS_NEGATIVE, DOUBLE]),
        ],
        ..Entry::EMPTY
    }],
};
