//! "Dot" (rows 100 and 101).

use super::{V2017, both, fixed, gives, is, rejected};
use xla_playground::array::Shape;
use xla_playground::hlo::ComputationBuilder;

const OPERANDS: &str = "v = s32[2] constant({10, 1}) a = s32[2,2] constant({{1,2},{3,4}})
    b = s32[2,2] constant({{5,6},{7,8}}) ROOT r = ";

#[test]
fn dot_without_dimension_numbers_follows_the_documents_table_in_2017() {
    for (instruction, result) in [
        ("dot(v, v)", "s32[] 101"),
        ("dot(a, v)", "s32[2] {12, 34}"),
        ("dot(a, b)", "s32[2,2] { { 19, 22 }, { 43, 50 } }"),
        (
            "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            "s32[2,2] { { 19, 22 }, { 43, 50 } }",
        ),
    ] {
        assert_eq!(gives(V2017, &format!("{OPERANDS}{instruction}")), is(result), "{instruction}");
    }
    let [now, _] = both(&format!("{OPERANDS}dot(v, v)"));
    assert_eq!(now, is("s32[2,2] { { 100, 10 }, { 10, 1 } }"));
}

#[test]
fn dot_takes_the_ranks_of_the_table_only_in_2017() {
    let batch =
        "x = f32[2,2,2] parameter(0) ROOT r = dot(x, x), lhs_contracting_dims={2}, rhs_contracting_dims={1}";
    assert_eq!(rejected(batch).rule, "dot-2017");
    assert_eq!(rejected("x = f32[] parameter(0) ROOT r = dot(x, x)").rule, "dot-2017");
    let batched = format!("{OPERANDS}dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}");
    assert_eq!(rejected(&batched).rule, "edition-attribute");
    let other = format!("{OPERANDS}dot(a, b), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}");
    assert_eq!(rejected(&other).rule, "dot-2017");
    assert_eq!(fixed(&other), is("s32[2,2] { { 19, 22 }, { 43, 50 } }"));
    let b = ComputationBuilder::with_edition("e", V2017);
    let x = b.parameter(0, &"f32[2,2,2]".parse::<Shape>().unwrap(), "x").unwrap();
    assert_eq!(b.dot_general([x, x], [&[2], &[1]], [&[], &[]]).unwrap_err().rule, "dot-2017");
}
