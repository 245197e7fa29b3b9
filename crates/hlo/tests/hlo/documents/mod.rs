//! Every example of XLA's operation semantics of 2017, section by section, through the builder.
//!
//! The same examples are in the files of the ops, and `registry.rs` runs them as HLO text. If a published example contradicts
//! the documented rule (Collapse), the rule is expected.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

use xla_array::Edition::{self, Current, V2017};
use xla_array::{ElementType, Literal, Shape};
use xla_hlo::builder::{Op, Padding};
use xla_hlo::{ComputationBuilder, Evaluator, Module, parser::parse_edition};
use xla_ops::OpError;
use xla_ops::attrs::{PaddingDim, WindowDim};

mod element_wise;
mod host;
mod windows;

const V: &str = "f32[4,2,3] {{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},
                             {{30,31,32},{35,36,37}},{{40,41,42},{45,46,47}}}";
const B: &str = "f32[4,3] {{0,1,2},{3,4,5},{6,7,8},{9,10,11}}";

type Built = Result<Op, OpError>;

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

fn literal(text: &str) -> Literal {
    text.parse().unwrap()
}

fn build(name: &str, edition: Edition, body: impl FnOnce(&ComputationBuilder) -> Built) -> Module {
    let b = ComputationBuilder::with_edition(name, edition);
    body(&b).unwrap();
    b.build().unwrap()
}

/// A computation of two parameters of this shape.
fn binary(name: &str, t: &str, body: impl FnOnce(&ComputationBuilder, Op, Op) -> Built) -> Module {
    build(name, Current, |b| {
        let (x, y) = (b.parameter(0, &shape(t), "x")?, b.parameter(1, &shape(t), "y")?);
        body(b, x, y)
    })
}

fn add_of(t: &str) -> Module {
    binary("add", t, |b, x, y| b.add(x, y, &[]))
}

fn run(module: &Module, edition: Edition, arguments: &[Literal]) -> Literal {
    Evaluator::new(module).edition(edition).run(arguments).unwrap_or_else(|e| panic!("{e}: {module}"))
}

/// Checks that the built computation, and its text parsed again, have the result `want` in these editions.
fn assert_result_in(
    editions: &[Edition],
    operands: &[&str],
    want: &str,
    body: impl Fn(&ComputationBuilder, &[Op]) -> Built,
) {
    for edition in editions {
        let module = build("example", *edition, |b| {
            let operands: Vec<Op> =
                operands.iter().map(|text| b.constant_literal(literal(text))).collect::<Result<_, _>>()?;
            body(b, &operands)
        });
        let parsed = parse_edition(&module.to_string(), *edition).into_module().unwrap();
        assert_eq!(parsed.to_string(), module.to_string());
        for module in [module, parsed] {
            let (got, want) = (run(&module, *edition, &[]), literal(want));
            assert_eq!(got.shape().human_string(), want.shape().human_string(), "{edition:?}");
            assert_eq!(got.to_string(), want.to_string(), "{edition:?}");
        }
    }
}

fn assert_result(operands: &[&str], want: &str, body: impl Fn(&ComputationBuilder, &[Op]) -> Built) {
    assert_result_in(&[Current, V2017], operands, want, body);
}

/// The rule that the built computation violates.
fn violated_rule(
    edition: Edition,
    operands: &[&str],
    body: impl Fn(&ComputationBuilder, &[Op]) -> Built,
) -> &'static str {
    let b = ComputationBuilder::with_edition("example", edition);
    let numbered = (0_i64..).zip(operands);
    let operands: Vec<Op> = numbered.map(|(i, text)| b.parameter(i, &shape(text), "x").unwrap()).collect();
    body(&b, &operands).unwrap_err().rule
}

#[test]
fn broadcast() {
    assert_result(&["f32[] 2"], "f32[2,3] {{2,2,2},{2,2,2}}", |b, x| b.broadcast(x[0], &[2, 3]));
}

#[test]
fn call() {
    let f = build("f", Current, |b| {
        let (x, y) = (b.parameter(0, &shape("f32[2]"), "x")?, b.parameter(1, &shape("s32[]"), "y")?);
        b.add(x, b.convert_element_type(y, ElementType::F32)?, &[])
    });
    assert_result(&["f32[2] {1, 2}", "s32[] 3"], "f32[2] {4, 5}", |b, x| b.call(&f, x));
    assert_eq!(violated_rule(Current, &["f32[2]"], |b, x| b.call(&f, x)), "call-1");
    assert_eq!(violated_rule(Current, &["s32[]", "f32[2]"], |b, x| b.call(&f, x)), "call-2");
    let five = build("five", Current, |b| b.constant_r0(5));
    assert_result(&[], "s32[] 5", |b, _| b.call(&five, &[]));
}

#[test]
fn collapse() {
    let flat = "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}";
    assert_result(&[V], flat, |b, x| b.collapse(x[0], &[0, 1, 2]));
    // The page swaps these two results.
    let v01 =
        "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,42},{45,46,47}}";
    assert_result(&[V], v01, |b, x| b.collapse(x[0], &[0, 1]));
    let v12 = "f32[4,6] {{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},{40,41,42,45,46,47}}";
    assert_result(&[V], v12, |b, x| b.collapse(x[0], &[1, 2]));
    assert_result(&["f32[2] {1, 2}"], "f32[2] {1, 2}", |b, x| b.collapse(x[0], &[]));
    for (dimensions, rule) in [([1, 0], "collapse-2"), ([0, 2], "collapse-2"), ([2, 3], "collapse-1")] {
        assert_eq!(violated_rule(Current, &["f32[4,2,3]"], |b, x| b.collapse(x[0], &dimensions)), rule);
    }
}

#[test]
fn concatenate() {
    let three = ["f32[2] {2, 3}", "f32[2] {4, 5}", "f32[2] {6, 7}"];
    assert_result(&three, "f32[6] {2,3,4,5,6,7}", |b, x| b.concat_in_dim(x, 0));
    let (a, b) = ("f32[3,2] {{1,2},{3,4},{5,6}}", "f32[1,2] {{7,8}}");
    assert_result(&[a, b], "f32[4,2] {{1,2},{3,4},{5,6},{7,8}}", |b, x| b.concat_in_dim(x, 0));
}

#[test]
fn convert_element_type() {
    assert_result(&["s32[3] {0, 1, 2}"], "f32[3] {0, 1, 2}", |b, x| {
        b.convert_element_type(x[0], ElementType::F32)
    });
    assert_eq!(
        violated_rule(Current, &["(s32[3])"], |b, x| b.convert_element_type(x[0], ElementType::F32)),
        "operand-array"
    );
}

#[test]
fn dot() {
    assert_result(&["f32[3] {1,2,3}", "f32[3] {4,5,6}"], "f32[] 32", |b, x| b.dot(x[0], x[1]));
    assert_result(&["f32[2,3] {{1,2,3},{4,5,6}}", "f32[3] {1,10,100}"], "f32[2] {321, 654}", |b, x| {
        b.dot(x[0], x[1])
    });
    let square = ["f32[2,2] {{1,2},{3,4}}", "f32[2,2] {{5,6},{7,8}}"];
    assert_result(&square, "f32[2,2] {{19,22},{43,50}}", |b, x| b.dot(x[0], x[1]));
    assert_result(&["f32[2] {1,10}", "f32[2,3] {{1,2,3},{4,5,6}}"], "f32[3] {41,52,63}", |b, x| {
        b.dot(x[0], x[1])
    });
    assert_eq!(violated_rule(Current, &["f32[2,3,4]", "f32[4]"], |b, x| b.dot(x[0], x[1])), "dot-rank");
}

#[test]
fn tuples() {
    let (v, s) = ("f32[10] {0,1,2,3,4,5,6,7,8,9}", "s32[] 5");
    assert_result(&[v, s], "(f32[10], s32[]) ({0,1,2,3,4,5,6,7,8,9}, 5)", ComputationBuilder::tuple);
    assert_result(&[v, s], s, |b, x| b.get_tuple_element(b.tuple(x)?, 1));
}

#[test]
fn map() {
    let madd = binary("madd", "f32[]", |b, x, y| b.add(b.mul(x, y, &[])?, x, &[]));
    assert_result(&["f32[2] {1, 2}", "f32[2] {3, 4}"], "f32[2] {4, 10}", |b, x| b.map(x, &madd, &[]));
    // Static operands: a scalar, and an array.
    assert_result(&["f32[2,2] {{1,2},{3,4}}", "f32[] 10"], "f32[2,2] {{11,22},{33,44}}", |b, x| {
        b.map(&x[..1], &madd, &x[1..])
    });
    let dot = build("scaled_sum", Current, |b| {
        let (x, v) = (b.parameter(0, &shape("f32[]"), "x")?, b.parameter(1, &shape("f32[3]"), "v")?);
        let sum = b.reduce(v, b.constant_r0(0.0_f32)?, &add_of("f32[]"), &[0])?;
        b.mul(x, sum, &[])
    });
    assert_result(&["f32[2,2] {{1,2},{3,4}}", "f32[3] {1,2,3}"], "f32[2,2] {{6,12},{18,24}}", |b, x| {
        b.map(&x[..1], &dot, &x[1..])
    });
    assert_result(&["f32[0] {}", "f32[3] {1,2,3}"], "f32[0] {}", |b, x| b.map(&x[..1], &dot, &x[1..]));
    assert_eq!(violated_rule(Current, &["f32[2]", "f32[3]"], |b, x| b.map(x, &madd, &[])), "map-1");
}

#[test]
fn pad() {
    let config = [PaddingDim { low: 1, high: 2, interior: 0 }, PaddingDim { low: 0, high: 0, interior: 1 }];
    let want = "s32[5,5] {{0,0,0,0,0},{1,0,2,0,3},{4,0,5,0,6},{0,0,0,0,0},{0,0,0,0,0}}";
    assert_result(&["s32[2,3] {{1,2,3},{4,5,6}}", "s32[] 0"], want, |b, x| b.pad(x[0], x[1], &config));
    let none = [PaddingDim::default(); 2];
    assert_result(&[B, "f32[] 0"], B, |b, x| b.pad(x[0], x[1], &none));
}

#[test]
fn reduce() {
    let sum = |operand: &str, dimensions: &[i64], want: &str| {
        assert_result(&[operand, "f32[] 0"], want, |b, x| b.reduce(x[0], x[1], &add_of("f32[]"), dimensions));
    };
    sum("f32[4] {10,11,12,13}", &[0], "f32[] 46");
    let matrix = "f32[2,3] {{1,2,3},{4,5,6}}";
    sum(matrix, &[0], "f32[3] {5,7,9}");
    sum(matrix, &[1], "f32[2] {6,15}");
    let cube = "f32[4,2,3] {{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}}";
    sum(cube, &[0], "f32[2,3] {{4,8,12},{16,20,24}}");
    sum(cube, &[2], "f32[4,2] {{6,15},{6,15},{6,15},{6,15}}");
    sum(cube, &[0, 1], "f32[3] {20,28,36}");
    sum(cube, &[0, 1, 2], "f32[] 84");
}

#[test]
fn reshape() {
    let check = |dimensions: &[i64], sizes: &[i64], want: &str| {
        assert_result(&[V], want, |b, x| b.reshape_with_dimensions(x[0], dimensions, sizes));
    };
    let flat = "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}";
    check(&[0, 1, 2], &[24], flat);
    assert_result(&[V], flat, |b, x| b.reshape(x[0], &[24]));
    let rows =
        "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,42},{45,46,47}}";
    check(&[0, 1, 2], &[8, 3], rows);
    let flat = "f32[24] {10,20,30,40,11,21,31,41,12,22,32,42,15,25,35,45,16,26,36,46,17,27,37,47}";
    check(&[1, 2, 0], &[24], flat);
    let rows =
        "f32[8,3] {{10,20,30},{40,11,21},{31,41,12},{22,32,42},{15,25,35},{45,16,26},{36,46,17},{27,37,47}}";
    check(&[1, 2, 0], &[8, 3], rows);
    let pairs = "f32[2,6,2] {{{10,20},{30,40},{11,21},{31,41},{12,22},{32,42}},
                             {{15,25},{35,45},{16,26},{36,46},{17,27},{37,47}}}";
    check(&[1, 2, 0], &[2, 6, 2], pairs);
    assert_result(&["f32[1,1] {{5}}"], "f32[] 5", |b, x| b.reshape_with_dimensions(x[0], &[0, 1], &[]));
    assert_result(&["f32[] 5"], "f32[1,1] {{5}}", |b, x| b.reshape_with_dimensions(x[0], &[], &[1, 1]));
}

#[test]
fn rev() {
    assert_result(&["s32[2,3] {{1,2,3},{4,5,6}}"], "s32[2,3] {{6,5,4},{3,2,1}}", |b, x| b.rev(x[0], &[0, 1]));
}

#[test]
fn select() {
    let (v1, v2) = ("s32[4] {1,2,3,4}", "s32[4] {100,200,300,400}");
    assert_result(&["pred[4] {1,0,0,1}", v1, v2], "s32[4] {1,200,300,4}", |b, x| b.select(x[0], x[1], x[2]));
    assert_result(&["pred[] true", v1, v2], v1, |b, x| b.select(x[0], x[1], x[2]));
    let tuples = |b: &ComputationBuilder, x: &[Op]| {
        let (t, u) = (b.tuple(&[x[1], x[2]])?, b.tuple(&[x[2], x[1]])?);
        b.select(x[0], t, u)
    };
    let swapped = "(s32[4], s32[4]) ({100,200,300,400}, {1,2,3,4})";
    assert_result_in(&[V2017], &["pred[] false", v1, v2], swapped, tuples);
    assert_eq!(violated_rule(Current, &["pred[]", "s32[4]", "s32[4]"], tuples), "operand-array");
}

#[test]
fn slice() {
    assert_result(&["f32[5] {0,1,2,3,4}"], "f32[2] {2,3}", |b, x| b.slice(x[0], &[2], &[4]));
    assert_result(&[B], "f32[2,2] {{7,8},{10,11}}", |b, x| b.slice(x[0], &[2, 1], &[4, 3]));
    let a = ["f32[5] {0,1,2,3,4}"];
    assert_result_in(&[Current], &a, "f32[3] {0,2,4}", |b, x| b.strided_slice(x[0], &[0], &[5], &[2]));
    assert_eq!(
        violated_rule(V2017, &["f32[5]"], |b, x| b.strided_slice(x[0], &[0], &[5], &[2])),
        "slice-2017"
    );
    assert_eq!(violated_rule(Current, &["f32[5]"], |b, x| b.slice(x[0], &[1], &[2, 3])), "slice-1");
}

#[test]
fn dynamic_slice() {
    let a = "f32[5] {0,1,2,3,4}";
    assert_result(&[a, "s32[1] {2}"], "f32[2] {2,3}", |b, x| b.dynamic_slice(x[0], &x[1..], &[2]));
    assert_result(&[B, "s32[2] {2,1}"], "f32[2,2] {{7,8},{10,11}}", |b, x| {
        b.dynamic_slice(x[0], &x[1..], &[2, 2])
    });
    let scalars = [B, "s32[] 2", "s32[] 1"];
    assert_result_in(&[Current], &scalars, "f32[2,2] {{7,8},{10,11}}", |b, x| {
        b.dynamic_slice(x[0], &x[1..], &[2, 2])
    });
}

#[test]
fn dynamic_update_slice() {
    let operands = ["f32[5] {0,1,2,3,4}", "f32[2] {5,6}", "s32[1] {2}"];
    assert_result(&operands, "f32[5] {0,1,5,6,4}", |b, x| b.dynamic_update_slice(x[0], x[1], &x[2..]));
    let operands = [B, "f32[3,2] {{12,13},{14,15},{16,17}}", "s32[2] {1,1}"];
    let want = "f32[4,3] {{0,1,2},{3,12,13},{6,14,15},{9,16,17}}";
    assert_result(&operands, want, |b, x| b.dynamic_update_slice(x[0], x[1], &x[2..]));
}

#[test]
fn sort() {
    assert_result(&["f32[7] {3,nan,-1,0,-0.0,inf,2}"], "f32[7] {-1,-0.0,0,2,3,inf,nan}", |b, x| b.sort(x[0]));
    assert_result(&["s32[2,3] {{3,1,2},{9,8,7}}"], "s32[2,3] {{1,2,3},{7,8,9}}", |b, x| b.sort(x[0]));
    assert_result(&["s32[] 4"], "s32[] 4", |b, x| b.sort(x[0]));
}

#[test]
fn transpose() {
    let want = "f32[2,3,4] {{{10,20,30,40},{11,21,31,41},{12,22,32,42}},{{15,25,35,45},{16,26,36,46},{17,27,37,47}}}";
    assert_result(&[V], want, |b, x| b.transpose(x[0], &[1, 2, 0]));
    // "This is the same as Reshape(operand, permutation, Permute(permutation, operand.shape.dimensions))."
    assert_result(&[V], want, |b, x| b.reshape_with_dimensions(x[0], &[1, 2, 0], &[2, 3, 4]));
}

#[test]
fn while_() {
    let state = shape("(s32[], f32[10])");
    let condition = build("condition", Current, |b| {
        let n = b.get_tuple_element(b.parameter(0, &state, "result")?, 0)?;
        b.lt(n, b.constant_r0(1000)?, &[])
    });
    let body = build("body", Current, |b| {
        let result = b.parameter(0, &state, "result")?;
        let iteration = b.add(b.get_tuple_element(result, 0)?, b.constant_r0(1)?, &[])?;
        let constant_vector = b.broadcast(b.constant_r0(1.0_f32)?, &[10])?;
        let new_vector = b.add(b.get_tuple_element(result, 1)?, constant_vector, &[])?;
        b.tuple(&[iteration, new_vector])
    });
    let want = "(s32[], f32[10]) (1000, {1000,1000,1000,1000,1000,1000,1000,1000,1000,1000})";
    assert_result(&["(s32[], f32[10]) (0, {0,0,0,0,0,0,0,0,0,0})"], want, |b, x| {
        b.while_(&condition, &body, x[0])
    });
    // XLA 2017 does not support nested loops.
    let nested = build("nested", Current, |b| b.while_(&condition, &body, b.parameter(0, &state, "init")?));
    let outer_loop = |b: &ComputationBuilder, x: &[Op]| b.while_(&condition, &nested, x[0]);
    assert_eq!(violated_rule(V2017, &["(s32[], f32[10])"], outer_loop), "while-nested");
    assert_result_in(&[Current], &["(s32[], f32[10]) (0, {0,0,0,0,0,0,0,0,0,0})"], want, outer_loop);
}
