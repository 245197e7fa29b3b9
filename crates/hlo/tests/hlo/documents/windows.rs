//! Sections with windows: convolutions, `ReduceWindow`, `SelectAndScatter`.

use super::*;

const X: &str = "f32[1,1,4,4] {{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}}";
const W: &str = "f32[1,1,2,2] {{{{1,2},{3,4}}}}";

#[test]
fn conv() {
    let valid = "f32[1,1,3,3] {{{{44,54,64},{84,94,104},{124,134,144}}}}";
    assert_result(&[X, W], valid, |b, x| b.conv(x[0], x[1], &[1, 1], Padding::Valid));
    let same = "f32[1,1,4,4] {{{{44,54,64,28},{84,94,104,44},{124,134,144,60},{41,44,47,16}}}}";
    assert_result(&[X, W], same, |b, x| b.conv(x[0], x[1], &[1, 1], Padding::Same));
}

#[test]
fn conv_with_general_padding() {
    let conv = |strides: [i64; 2], padding: [(i64, i64); 2], lhs: [i64; 2], rhs: [i64; 2], want: &str| {
        assert_result(&[X, W], want, |b, x| {
            b.conv_with_general_padding(x[0], x[1], &strides, &padding, &lhs, &rhs)
        });
    };
    let (one, none) = ([1, 1], [(0, 0), (0, 0)]);
    conv([2, 2], none, one, one, "f32[1,1,2,2] {{{{44,64},{124,144}}}}");
    let padded = "f32[1,1,4,4] {{{{11,18,25,12},{44,54,64,28},{84,94,104,44},{124,134,144,60}}}}";
    conv(one, [(1, 0), (0, 1)], one, one, padded);
    conv(one, [(-1, 0), (0, -1)], one, one, "f32[1,1,2,2] {{{{84,94},{124,134}}}}");
    conv(one, none, one, [2, 2], "f32[1,1,2,2] {{{{78,88},{118,128}}}}");
    let dilated = "f32[1,1,6,6] {{{{1,4,2,6,3,8},{15,24,18,28,21,32},{5,12,6,14,7,16},{27,40,30,44,33,48},
                                   {9,20,10,22,11,24},{39,56,42,60,45,64}}}}";
    conv(one, none, [2, 2], one, dilated);
    // Any number of spatial dimensions; in 2017 at least one.
    assert_result(&["f32[1,1,3] {{{1,2,3}}}", "f32[1,1,2] {{{1,10}}}"], "f32[1,1,2] {{{21,32}}}", |b, x| {
        b.conv_with_general_padding(x[0], x[1], &[], &[], &[], &[])
    });
    let flat = ["f32[4,4]", "f32[2,2]"];
    let general =
        |b: &ComputationBuilder, x: &[Op]| b.conv_with_general_padding(x[0], x[1], &[], &[], &[], &[]);
    assert_eq!(violated_rule(V2017, &flat, general), "conv-rank");
    let short =
        |b: &ComputationBuilder, x: &[Op]| b.conv_with_general_padding(x[0], x[1], &[1], &[], &[], &[]);
    assert_eq!(violated_rule(Current, &["f32[1,1,4,4]", "f32[1,1,2,2]"], short), "window-lengths");
}

#[test]
fn reduce_window() {
    let max = binary("max", "f32[]", |b, y, x| b.max(y, x, &[]));
    let rows = "{{1,2,3,4,5,6},{7,8,9,10,11,12},{13,14,15,16,17,18},{19,20,21,22,23,24}}";
    let input = format!("f32[4,6] {rows}");
    assert_result(&[&input, "f32[] -inf"], "f32[2,2] {{9,12},{21,24}}", |b, x| {
        b.reduce_window(x[0], x[1], &max, &[2, 3], &[2, 3], Padding::Valid)
    });
    let want = "f32[3,4] {{9,10,11,12},{15,16,17,18},{21,22,23,24}}";
    assert_result(&[&input, "f32[] -inf"], want, |b, x| {
        b.reduce_window(x[0], x[1], &max, &[2, 3], &[], Padding::Valid)
    });
    assert_result(&["f32[5] {1,2,3,4,5}", "f32[] 0"], "f32[5] {3,6,9,12,9}", |b, x| {
        b.reduce_window(x[0], x[1], &add_of("f32[]"), &[3], &[1], Padding::Same)
    });
    // The initial value is used once per window, not once per padding cell.
    let dim = WindowDim { size: 3, pad_low: 1, pad_high: 1, ..WindowDim::default() };
    assert_result(&["f32[5] {10,11,12,13,14}", "f32[] 1"], "f32[5] {22,34,37,40,28}", |b, x| {
        b.reduce_window_with_general_padding(x[0], x[1], &add_of("f32[]"), &[dim])
    });
}

#[test]
fn select_and_scatter() {
    let ge = binary("ge", "f32[]", |b, x, y| b.ge(x, y, &[]));
    let example = |operand: &str, strides: [i64; 2], want: &str| {
        let operands = [operand, "f32[2,2] {{2,6},{3,1}}", "f32[] 0"];
        assert_result(&operands, want, |b, x| {
            let add = add_of("f32[]");
            b.select_and_scatter(x[0], &ge, &[2, 3], &strides, Padding::Valid, x[1], x[2], &add)
        });
    };
    example(
        "f32[4,6] {{7,2,5,3,10,2},{3,8,9,3,4,2},{1,5,7,5,6,1},{0,6,2,7,2,8}}",
        [2, 3],
        "f32[4,6] {{0,0,0,0,6,0},{0,0,2,0,0,0},{0,0,3,0,0,0},{0,0,0,0,0,1}}",
    );
    example(
        "f32[4,5] {{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}}",
        [2, 2],
        "f32[4,5] {{0,0,0,0,0},{0,0,8,0,0},{0,0,3,0,0},{0,0,0,1,0}}",
    );
}
