//! "`DynamicUpdateSlice`" (rows 226 to 228).

use super::{Current, V2017, both, is};
use xla_playground::ops;

#[test]
fn an_update_past_the_end_is_cut_off_in_2017() {
    let text = "a = s32[5] constant({0,1,2,3,4}) u = s32[3] constant({7,8,9}) s = s32[1] constant({3})
        ROOT r = s32[5] dynamic-update-slice(a, u, s)";
    assert_eq!(both(text), [is("s32[5] {0, 1, 7, 8, 9}"), is("s32[5] {0, 1, 2, 7, 8}")]);
}

#[test]
fn the_formula_is_that_of_the_edition() {
    let meta = ops::find("dynamic-update-slice").unwrap().meta();
    assert_ne!(meta.formula_in(V2017), meta.formula_in(Current));
}

#[test]
fn update_dimensions_are_strictly_greater_than_zero_in_2017() {
    let text = "a = s32[3] constant({0,1,2}) u = s32[0] constant({}) s = s32[1] constant({0})
        ROOT r = s32[3] dynamic-update-slice(a, u, s)";
    assert_eq!(both(text), [is("s32[3] {0, 1, 2}"), Err("dynamic-slice-2017")]);
}
