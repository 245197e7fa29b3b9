//! *Operation Semantics*, "`ReduceWindow`".

use xla_playground::array::{Class, ElementType, Literal};
use xla_playground::hlo::builder::Padding;
use xla_playground::hlo::{ComputationBuilder, Evaluator};

/// Row 179: `LiteralUtil::MinValue(F32)`, the initial value of the example, as a literal and in the builder.
#[test]
fn min_value_starts_the_example() {
    let scalar = "f32[]".parse().unwrap();
    let max = ComputationBuilder::new("max");
    let (y, x) = (max.parameter(0, &scalar, "y").unwrap(), max.parameter(1, &scalar, "x").unwrap());
    max.max(y, x, &[]).unwrap();
    let max = max.build().unwrap();
    let b = ComputationBuilder::new("reduce_window_2x3");
    let input = b.parameter(0, &"f32[4,6]".parse().unwrap(), "input").unwrap();
    let init = b.constant_literal(Literal::min_value(ElementType::F32).unwrap()).unwrap();
    b.reduce_window(input, init, &max, &[2, 3], &[2, 3], Padding::Valid).unwrap();
    let argument = "f32[4,6] {{-1,-2,-3,-4,-5,-6},{-7,-8,-9,-9,-9,-9},{1,2,3,4,5,6},{7,8,9,9,9,10}}";
    let result = Evaluator::new(&b.build().unwrap()).run(&[argument.parse().unwrap()]).unwrap();
    assert_eq!(result.to_string(), "{ { -1, -4 }, { 9, 10 } }");
}

/// Row 179: every type has its lowest and highest value, except complex types, which have no order.
#[test]
fn min_value_and_max_value_are_those_of_the_element_type() {
    for (name, low, high) in [
        ("pred", "false", "true"),
        ("s4", "-8", "7"),
        ("s32", "-2147483648", "2147483647"),
        ("s64", "-9223372036854775808", "9223372036854775807"),
        ("u8", "0", "255"),
        ("u64", "0", "18446744073709551615"),
        ("bf16", "-inf", "inf"),
        ("f64", "-inf", "inf"),
        ("f8e4m3fn", "-448", "448"),
    ] {
        let element_type = ElementType::from_name(name).unwrap();
        let b = ComputationBuilder::new("bounds");
        let bounds = [b.min_value(element_type).unwrap(), b.max_value(element_type).unwrap()];
        b.tuple(&bounds).unwrap();
        let result = Evaluator::new(&b.build().unwrap()).run(&[]).unwrap();
        assert_eq!(result.to_string(), format!("( {low}, {high} )"), "{name}");
    }
    for element_type in ElementType::ALL {
        let has_order = element_type.class() != Class::Complex;
        assert_eq!(Literal::min_value(*element_type).is_some(), has_order, "{element_type}");
        assert_eq!(Literal::max_value(*element_type).is_some(), has_order, "{element_type}");
    }
    let rejected = ComputationBuilder::new("c").min_value(ElementType::C64).unwrap_err();
    assert_eq!(rejected.rule, "builder-order");
}

/// Row 185: "Copy as Rust" prints the document's call. `exported.rs` compiles and runs these programs and compares them
/// with what is exported.
#[test]
fn copied_rust_calls_the_methods_of_the_document() {
    for (program, call) in [
        (
            include_str!("../exported/reduce_window.rs"),
            "b.reduce_window(x_2, i, &region()?, &[2, 3], &[2, 3], Padding::Valid)?;",
        ),
        (
            include_str!("../exported/reduce_window_same.rs"),
            "b.reduce_window(x, i, &region()?, &[3], &[1], Padding::Same)?;",
        ),
        (include_str!("../exported/convolution.rs"), "b.conv(x, w, &[1, 1], Padding::Valid)?;"),
        (include_str!("../exported/convolution_same.rs"), "b.conv(x, w, &[1, 1], Padding::Same)?;"),
        (
            include_str!("../exported/convolution_padding.rs"),
            "b.conv_with_general_padding(x, w, &[1, 1], &[(1, 0), (0, 1)], &[], &[])?;",
        ),
        (
            include_str!("../exported/select_and_scatter.rs"),
            "b.select_and_scatter(x, &region()?, &[2, 3], &[2, 3], Padding::Valid, s, i, &region_2()?)?;",
        ),
    ] {
        assert!(program.contains(call), "{call} is not in\n{program}");
        assert!(!program.contains("b.instruction("), "{program}");
    }
    // What no named padding expresses has the general method.
    let dilated = include_str!("../exported/reduce_window_dilated.rs");
    assert!(
        dilated.contains("b.reduce_window_with_general_padding(x, i, &region()?, &[WindowDim {"),
        "{dilated}"
    );
    let groups = include_str!("../exported/convolution_groups.rs");
    assert!(groups.contains("ConvConfig { feature_group_count: 2, ..ConvConfig::default() }"), "{groups}");
}
