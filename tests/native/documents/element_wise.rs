//! "Element-wise binary arithmetic operations" and "Element-wise unary functions" (rows 110, 118, 138).

use super::{Current, V2017, both, is};
use xla_playground::ops;

#[test]
fn logical_operations_begin_with_pred_and_take_nothing_else_in_2017() {
    for opcode in ["and", "or", "not"] {
        let first = &ops::find(opcode).unwrap().meta().examples[0];
        assert!(first.result.starts_with("pred"), "{opcode}");
        assert!(both(first.hlo).iter().all(Result::is_ok), "{opcode}");
    }
    let text = "a = u8[2] constant({12, 1}) b = u8[2] constant({10, 0}) ROOT r = or(a, b)";
    assert_eq!(both(text), [is("u8[2] {14, 1}"), Err("elementwise-type")]);
}

#[test]
fn the_rule_about_types_names_them() {
    let of = |opcode: &str, edition| ops::find(opcode).unwrap().element_types(edition).unwrap();
    assert_eq!(of("or", V2017), "pred");
    assert_eq!(of("or", Current), "pred, s1 … s64, u1 … u64");
    assert_eq!(of("exponential", V2017), "f16 … f64");
    assert_eq!(of("exponential", Current), "f4 … f64, bf16, c64, c128");
}

#[test]
fn a_nan_beside_a_number_is_ignored_in_2017() {
    let text = "a = f32[2] constant({1, nan}) b = f32[2] constant({nan, 0}) ROOT r = maximum(a, b)";
    assert_eq!(both(text), [is("f32[2] {nan, nan}"), is("f32[2] {1, 0}")]);
}
