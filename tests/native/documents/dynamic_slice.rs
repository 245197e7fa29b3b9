//! "`DynamicSlice`" (rows 222 and 223).

use super::{Current, V2017, both, is};
use xla_playground::ops::{self, Formula};

#[test]
fn starts_wrap_modulo_the_size_in_2017() {
    let text = "a = s32[8] constant({0,1,2,3,4,5,6,7}) s = s32[1] constant({6})
        ROOT r = s32[4] dynamic-slice(a, s), dynamic_slice_sizes={4}";
    assert_eq!(both(text), [is("s32[4] {4, 5, 6, 7}"), is("s32[4] {6, 7, 0, 1}")]);
}

#[test]
fn the_formula_is_that_of_the_edition() {
    let meta = ops::find("dynamic-slice").unwrap().meta();
    assert_eq!(meta.formula_in(V2017), Formula::Symbols("out[i] = operand[(start + i) mod size]"));
    assert_eq!(
        meta.formula_in(Current),
        Formula::Symbols("out[i] = operand[clamp(0, start, size - slice size) + i]")
    );
}

#[test]
fn size_indices_are_strictly_greater_than_zero_in_2017() {
    let text = "a = s32[3] constant({0,1,2}) s = s32[1] constant({0})
        ROOT r = s32[0] dynamic-slice(a, s), dynamic_slice_sizes={0}";
    assert_eq!(both(text), [is("s32[0] {}"), Err("dynamic-slice-2017")]);
}
