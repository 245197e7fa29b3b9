//! The element-wise sections, and broadcasting.

use super::*;

#[test]
fn element_wise_binary_arithmetic() {
    let m = "s32[2,3] {{1,2,3},{4,5,6}}";
    assert_result(&[m, "s32[] 7"], "s32[2,3] {{8,9,10},{11,12,13}}", |b, x| b.add(x[0], x[1], &[]));
    assert_result(&[m, "s32[3] {7,8,9}"], "s32[2,3] {{8,10,12},{11,13,15}}", |b, x| b.add(x[0], x[1], &[1]));
    // The left operand may be the one of lower rank; the order of the operands is preserved.
    assert_result(&["s32[2] {10,20}", m], "s32[2,3] {{9,8,7},{16,15,14}}", |b, x| b.sub(x[0], x[1], &[0]));
    let (rows, columns) = ("s32[3,1] {{1},{2},{3}}", "s32[1,2] {{10,20}}");
    assert_result(&[rows, columns], "s32[3,2] {{10,20},{20,40},{30,60}}", |b, x| b.mul(x[0], x[1], &[]));
    assert_result(
        &["s32[2,1] {{1},{2}}", "s32[2,1,2] {{{10,20}},{{30,40}}}"],
        "s32[2,1,2] {{{11,21}},{{32,42}}}",
        |b, x| b.add(x[0], x[1], &[0, 1]),
    );
    assert_result(&["s32[1] {5}", "s32[2,0] {{},{}}"], "s32[2,0] {{},{}}", |b, x| b.add(x[0], x[1], &[1]));
    assert_result(&["f32[2] {-7, 7}", "f32[] 4"], "f32[2] {-3, 3}", |b, x| b.rem(x[0], x[1], &[]));
    assert_result_in(&[Current], &["f32[] nan", "f32[] 1"], "f32[] nan", |b, x| b.max(x[0], x[1], &[]));
    assert_result_in(&[V2017], &["f32[] nan", "f32[] 1"], "f32[] 1", |b, x| b.min(x[0], x[1], &[]));
    assert_result(&["pred[2] {1, 1}", "pred[2] {1, 0}"], "pred[2] {1, 0}", |b, x| {
        b.logical_and(x[0], x[1], &[])
    });
    assert_eq!(
        violated_rule(V2017, &["s32[2]", "s32[2]"], |b, x| b.logical_or(x[0], x[1], &[])),
        "elementwise-type"
    );
}

#[test]
fn the_broadcasting_hint_suggests_dimensions() {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &shape("f32[4,3]"), "x").unwrap();
    let y = b.parameter(1, &shape("f32[3]"), "y").unwrap();
    let error = b.add(x, y, &[]).unwrap_err();
    assert_eq!(error.rule, "broadcasting-3");
    assert_eq!(error.hints[0].fix.as_ref().map(|fix| fix.1.as_str()), Some("{1}"));
    assert!(b.add(x, y, &[1]).is_ok());
}

#[test]
fn element_wise_comparison() {
    let m = "s32[2,2] {{1,2},{3,4}}";
    assert_result(&[m, "s32[2] {1,4}"], "pred[2,2] {{1,0},{0,1}}", |b, x| b.eq(x[0], x[1], &[1]));
    assert_result(&[m, "s32[2] {1,4}"], "pred[2,2] {{1,0},{1,1}}", |b, x| b.ge(x[1], x[0], &[0]));
    assert_result(&["f32[] nan", "f32[] nan"], "pred[] true", |b, x| b.ne(x[0], x[1], &[]));
    assert_result(&["f32[] nan", "f32[] nan"], "pred[] false", |b, x| b.le(x[0], x[1], &[]));
}

#[test]
fn element_wise_unary_functions() {
    let x = "f32[4] {-1.5, 0, 2.25, inf}";
    assert_result(&[x], "f32[4] {1.5, 0, 2.25, inf}", |b, x| b.abs(x[0]));
    assert_result(&[x], "f32[4] {-1, 0, 3, inf}", |b, x| b.ceil(x[0]));
    assert_result(&[x], "f32[4] {-2, 0, 2, inf}", |b, x| b.floor(x[0]));
    assert_result(&[x], "pred[4] {1, 1, 1, 0}", |b, x| b.is_finite(x[0]));
    assert_result(&[x], "f32[4] {-1, 0, 1, 1}", |b, x| b.sign(x[0]));
    assert_result(&["f32[] 0"], "f32[] 1", |b, x| b.exp(x[0]));
    assert_result(&["f32[] 0"], "f32[] -inf", |b, x| b.log(x[0]));
    assert_result(&["f32[] inf"], "f32[] 1", |b, x| b.tanh(x[0]));
    assert_result(&["pred[2] {1, 0}"], "pred[2] {0, 1}", |b, x| b.logical_not(x[0]));
    assert_result(&["s32[] 3"], "s32[] -3", |b, x| b.neg(x[0]));
}
