//! Dimensions counted from the end, and by letter.

use super::{ADD, assert_lowered, program};
use xla_array::Edition::{Current, V2017};
use xla_hlo::parser::parse_edition;
use xla_hlo::{ComputationBuilder, lower};

#[test]
fn terminology_dimension_minus_one_is_the_last() {
    let text = program("", &["f32[2,3]"], "reverse(a), dimensions={-1}");
    assert_lowered("builder-dimension", &text, |b, x| b.rev(x[0], &[1]));
    let text = program("", &["f32[2,3]", "f32[2,3]"], "concatenate(a, b), dimensions={-2}");
    assert_lowered("builder-dimension", &text, |b, x| b.concat_in_dim(&[x[0], x[1]], 0));
    let text = program("", &["f32[4,2,3]"], "collapse(a), dimensions={-2,-1}");
    assert_lowered("builder-collapse", &text, |b, x| b.collapse(x[0], &[1, 2]));
    let text = program("", &["f32[4,2,3]"], "transpose(a), dimensions={-1,0,1}");
    assert_lowered("builder-dimension", &text, |b, x| b.transpose(x[0], &[2, 0, 1]));
}

#[test]
fn terminology_letters_of_dimensions() {
    let text = program(ADD, &["f32[4,2,3]", "f32[]"], "reduce(a, b), dimensions={y,x}, to_apply=add");
    assert_lowered("builder-dimension", &text, |b, x| {
        let add = ComputationBuilder::with_edition("add", b.edition());
        let scalar = "f32[]".parse().unwrap();
        add.add(add.parameter(0, &scalar, "x")?, add.parameter(1, &scalar, "y")?, &[])?;
        b.reduce(x[0], x[1], &add.build()?, &[1, 2])
    });
    let text = program("", &["f32[3]"], "f32[2,3] broadcast(a), dimensions={x}");
    assert!(lower(&text, V2017).text.contains("dimensions={1}"));
    let text = program("", &["f32[2,3,4,5]"], "reverse(a), dimensions={p,z}");
    assert!(lower(&text, V2017).text.contains("dimensions={0,1}"));
}

#[test]
fn dimensions_that_do_not_exist_are_rejected() {
    for dimensions in ["{-3}", "{z}", "{q}"] {
        let text = program("", &["f32[2,3]"], &format!("reverse(a), dimensions={dimensions}"));
        for edition in [Current, V2017] {
            assert!(parse_edition(&text, edition).error().is_some(), "{dimensions}");
        }
    }
    // The documents name no dimensions of rank 5.
    let text = program("", &["f32[1,2,3,4,5]"], "reverse(a), dimensions={x}");
    assert!(parse_edition(&text, V2017).error().is_some());
}
