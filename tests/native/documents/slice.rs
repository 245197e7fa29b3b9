//! "Slice" (rows 218 and 219).

use xla_playground::hlo::{ComputationBuilder, Evaluator};

use super::{both, fixed, is};

#[test]
fn a_limit_is_strictly_greater_than_its_start_in_2017() {
    let empty = "a = s32[5] constant({0, 1, 2, 3, 4}) ROOT r = s32[0] slice(a), slice={[2:2]}";
    assert_eq!(both(empty), [is("s32[0] {}"), Err("slice-2017")]);
}

#[test]
fn slices_have_no_strides_in_2017() {
    let strided = "a = s32[5] constant({0, 1, 2, 3, 4}) ROOT r = slice(a), slice={[0:5:2]}";
    assert_eq!(both(strided)[1], Err("result-missing"));
    let strided = strided.replace("slice(a)", "s32[3] slice(a)");
    assert_eq!(both(&strided), [is("s32[3] {0, 2, 4}"), Err("slice-2017")]);
    assert_eq!(fixed(&strided), Err("result-differs"));
}

/// Row 219: `Slice(operand, start_indices, limit_indices)` has no strides; current XLA's strides are another method.
#[test]
fn the_builders_slice_takes_starts_and_limits() {
    let b = ComputationBuilder::new("a");
    b.slice(b.constant_r1(&[0.0_f32, 1.0, 2.0, 3.0, 4.0]).unwrap(), &[2], &[4]).unwrap();
    assert_eq!(Evaluator::new(&b.build().unwrap()).run(&[]).unwrap().to_string(), "{2, 3}");

    let b = ComputationBuilder::new("b");
    let rows: [&[f32]; 4] = [&[0.0, 1.0, 2.0], &[3.0, 4.0, 5.0], &[6.0, 7.0, 8.0], &[9.0, 10.0, 11.0]];
    b.slice(b.constant_r2(&rows).unwrap(), &[2, 1], &[4, 3]).unwrap();
    assert_eq!(Evaluator::new(&b.build().unwrap()).run(&[]).unwrap().to_string(), "{ { 7, 8 }, { 10, 11 } }");

    let b = ComputationBuilder::new("strided");
    b.strided_slice(b.constant_r1(&[0, 1, 2, 3, 4]).unwrap(), &[0], &[5], &[2]).unwrap();
    assert_eq!(Evaluator::new(&b.build().unwrap()).run(&[]).unwrap().to_string(), "{0, 2, 4}");
}
