//! Properties of the builder: a failed method changes nothing, called computations are added once, names are valid, and
//! a built module equals the parsed one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use proptest::prelude::*;
use xla_array::index::Indices;
use xla_array::{Edition, ElementType, Literal, Shape};
use xla_hlo::builder::Op;
use xla_hlo::{ComputationBuilder, Evaluator, Module, parse};
use xla_messages::i18n::Language;
use xla_ops::{AttrValue, Attrs, OpError};

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

fn add() -> Module {
    let b = ComputationBuilder::new("add");
    let [x, y] = [(0, "x"), (1, "y")].map(|(n, name)| b.parameter(n, &shape("f32[]"), name).unwrap());
    b.add(x, y, &[]).unwrap();
    b.build().unwrap()
}

#[test]
fn values_of_another_builder_are_rejected() {
    let (a, b) = (ComputationBuilder::new("a"), ComputationBuilder::new("b"));
    let x = a.parameter(0, &shape("f32[2]"), "x").unwrap();
    b.parameter(0, &shape("f32[2]"), "x").unwrap();
    assert_eq!(b.neg(x).unwrap_err().rule, "builder-operand");
    assert_eq!(b.add(x, x, &[]).unwrap_err().rule, "builder-operand");
    assert_eq!(b.shape(x).unwrap_err().rule, "builder-operand");
    assert_eq!(b.build_with_root(x).unwrap_err().rule, "builder-operand");
}

#[test]
fn attributes_must_be_those_of_the_op() {
    let b = ComputationBuilder::new("e");
    let x = b.parameter(0, &shape("f32[2,2]"), "x").unwrap();
    let rule = |opcode: &str, attrs: Attrs| b.instruction(opcode, &[x], attrs, None).unwrap_err().rule;
    let one = AttrValue::Int(1);
    assert_eq!(rule("transpose", Attrs::new().with("dimensions", one.clone())), "builder-attribute");
    assert_eq!(rule("transpose", Attrs::new().with("dimension", one)), "builder-attribute");
    assert_eq!(rule("transpose", Attrs::new()), "attribute-missing");
    assert_eq!(
        rule("compare", Attrs::new().with("direction", AttrValue::Keyword("XX"))),
        "builder-attribute"
    );
    assert_eq!(rule("nothing", Attrs::new()), "hlo-opcode");
    assert_eq!(b.instructions(), 1);
}

#[test]
fn a_failed_method_leaves_the_builder_unchanged() {
    let b = ComputationBuilder::new("e");
    let x = b.parameter(0, &shape("c64[2,3]"), "x").unwrap();
    let y = b.parameter(1, &shape("c64[3]"), "y").unwrap();
    // The broadcast of `y` must be removed again.
    assert_eq!(b.rem(x, y, &[1]).unwrap_err().rule, "elementwise-type");
    assert_eq!(b.reshape_with_dimensions(x, &[1, 0], &[7]).unwrap_err().rule, "reshape-2");
    assert_eq!(b.call(&add(), &[x, y]).unwrap_err().rule, "call-2");
    assert_eq!(b.instructions(), 2);
    assert_eq!(b.build().unwrap().computations.len(), 1);
}

#[test]
fn a_computation_called_twice_is_imported_once() {
    let b = ComputationBuilder::new("add");
    let x = b.parameter(0, &shape("f32[4]"), "x").unwrap();
    let zero = b.constant_r0(0.0_f32).unwrap();
    b.reduce(x, zero, &add(), &[0]).unwrap();
    b.reduce(x, zero, &add(), &[0]).unwrap();
    let module = b.build().unwrap();
    // The entry has the same name.
    let names: Vec<&str> = module.computations.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["add", "add.1"]);
    assert_eq!(module.entry_computation().unwrap().name, "add.1");
    assert_eq!(parse(&module.to_string()).diagnostics, []);
}

#[test]
fn names_are_valid_and_unique() {
    let b = ComputationBuilder::new("f32");
    for (number, name) in (0..).zip(["x", "x", "add.5", "2 x", "ROOT"]) {
        b.parameter(number, &shape("f32[]"), name).unwrap();
    }
    let sum = b.parameter(5, &shape("f32[]"), "").unwrap();
    b.add(sum, sum, &[]).unwrap();
    let module = b.build().unwrap();
    let read = parse(&module.to_string());
    assert_eq!(read.diagnostics, [], "{module}");
    assert_eq!(read.module.entry_computation().unwrap().parameters.len(), 6);
}

#[test]
fn nested_calls_are_limited_like_nested_text() {
    let mut callee = add();
    let mut levels = 1;
    let error = loop {
        let b = ComputationBuilder::new("level");
        let [x, y] = [(0, "x"), (1, "y")].map(|(n, name)| b.parameter(n, &shape("f32[]"), name).unwrap());
        match b.call(&callee, &[x, y]) {
            Ok(_) => callee = b.build().unwrap(),
            Err(error) => break error,
        }
        levels += 1;
        assert_eq!(callee.computations.len(), levels);
    };
    assert_eq!((error.rule, levels), ("hlo-depth", 64));
    assert_eq!(parse(&callee.to_string()).diagnostics, []);
}

#[test]
fn an_incomplete_module_is_not_built() {
    assert_eq!(ComputationBuilder::new("e").build().unwrap_err().rule, "hlo-empty");
    let b = ComputationBuilder::new("e");
    b.parameter(1, &shape("f32[]"), "y").unwrap();
    assert_eq!(b.build().unwrap_err().rule, "hlo-parameters");
    let b = ComputationBuilder::new("e");
    assert_eq!(b.parameter(-1, &shape("f32[]"), "y").unwrap_err().rule, "parameter-1");
    assert_eq!(b.computation(&Module::default()).unwrap_err().rule, "hlo-entry");
    let x = b.parameter(0, &shape("f32[]"), "x").unwrap();
    b.neg(x).unwrap();
    let module = b.build_with_root(x).unwrap();
    let one: Literal = "f32[] 1".parse().unwrap();
    assert_eq!(Evaluator::new(&module).run(std::slice::from_ref(&one)).unwrap(), one);
}

#[test]
fn every_error_is_translated() {
    let b = ComputationBuilder::with_edition("e", Edition::V2017);
    let [m, v, c] = [(0, "f32[2,3]"), (1, "f32[3]"), (2, "s32[2,2,2]")]
        .map(|(n, s)| b.parameter(n, &shape(s), "x").unwrap());
    let errors: Vec<OpError> = [
        b.add(m, v, &[]),
        b.add(m, v, &[0]),
        b.add(m, v, &[0, 1]),
        b.add(m, m, &[0]),
        b.add(m, b.transpose(m, &[1, 0]).unwrap(), &[]),
        b.mul(b.convert_element_type(m, ElementType::S32).unwrap(), c, &[1, 1]),
        b.collapse(c, &[0, 2]),
        b.dot(c, c),
        b.conv(m, m, &[], xla_hlo::builder::Padding::Valid),
        b.slice(v, &[0], &[]),
        b.min_value(ElementType::C64),
        b.rng_bernoulli(v, &shape("u32[2]")),
        b.instruction("negate", &[m], Attrs::new().with("x", AttrValue::Int(1)), None),
    ]
    .into_iter()
    .map(Result::unwrap_err)
    .collect();
    for error in &errors {
        for language in Language::all() {
            let text = error.message.localize(language);
            assert!(text != error.message.key && !text.contains('$'), "{}: {text}", error.rule);
        }
    }
    assert!(errors.iter().filter(|error| !error.hints.is_empty()).count() >= 6);
}

proptest! {
    /// Each element of the difference of two broadcast operands is that of the broadcasting rule.
    #[test]
    fn broadcasting_follows_its_rule(
        sizes in prop::collection::vec(1_i64..4, 0..4),
        ones in prop::collection::vec(any::<bool>(), 8),
        has_dimension in prop::collection::vec(any::<bool>(), 4),
    ) {
        let large: Vec<i64> = sizes.iter().zip(&ones).map(|(n, one)| if *one { 1 } else { *n }).collect();
        let dimensions: Vec<i64> = (0_i64..).zip(&sizes).zip(&has_dimension).filter(|(_, k)| **k).map(|((d, _), _)| d).collect();
        let at = |d: &i64| usize::try_from(*d).unwrap();
        let small: Vec<i64> =
            dimensions.iter().map(|d| if ones[4 + at(d)] { 1 } else { sizes[at(d)] }).collect();
        let b = ComputationBuilder::new("e");
        let counted = |sizes: &[i64], factor: i32| -> Op {
            let count = sizes.iter().product::<i64>();
            let flat: Vec<i32> = (0..i32::try_from(count).unwrap()).map(|n| n * factor).collect();
            b.reshape(b.constant_r1(&flat).unwrap(), sizes).unwrap()
        };
        let (x, y) = (counted(&large, 1), counted(&small, 1000));
        let same_rank = small.len() == large.len();
        b.sub(x, y, if same_rank { &[] } else { &dimensions }).unwrap();
        let result = Evaluator::new(&b.build().unwrap()).run(&[]).unwrap();
        let result = result.as_array().unwrap();
        let number = |sizes: &[i64], index: &[i64]| {
            sizes.iter().zip(index).fold(0, |n, (size, i)| n * size + if *size == 1 { 0 } else { *i })
        };
        let mut indices = Indices::row_major(&result.shape().dimensions);
        for value in result.values() {
            let index = indices.advance().unwrap();
            let small_index: Vec<i64> = dimensions.iter().map(|d| index[at(d)]).collect();
            let expected = number(&large, index) - 1000 * number(&small, &small_index);
            prop_assert!(value.same(xla_array::Value::Int(expected)), "{value:?} instead of {expected}");
        }
    }
}
