//! Sections that need a world outside: replicas, functions, the infeed, random numbers.

use super::*;

#[test]
fn cross_replica_sum() {
    // One replica; two of them are in the tests of replicas.
    gives(&["f32[2] {1, 2.5}"], "f32[2] {1, 2.5}", |b, x| b.cross_replica_sum(x[0]));
    assert_eq!(refused(V2017, &["(f32[2])"], |b, x| b.cross_replica_sum(x[0])), "operand-array");
}

#[test]
fn custom_call() {
    let (x, y) = ("f32[2] {1, 2}", "f32[2,3] {{10,20,30},{40,50,60}}");
    let module = build("example", Now, |b| {
        let arguments = [b.constant_literal(literal(x))?, b.constant_literal(literal(y))?];
        b.custom_call("myfunc", &arguments, &shape("f32[3,3]"))
    });
    let text = module.to_string();
    assert!(text.contains("custom_call_target=\"myfunc\"") && text.contains("->f32[3,3]{1,0}"), "{text}");
}

/// A loop that reads the infeed once an iteration, as long as what it read is positive.
fn reading_loop(b: &ComputationBuilder, edition: Edition, init: Op) -> Built {
    let condition =
        build("condition", edition, |b| b.gt(b.parameter(0, &shape("s32[]"), "n")?, b.constant_r0(0)?, &[]));
    let body = build("body", edition, |b| {
        b.parameter(0, &shape("s32[]"), "n")?;
        b.infeed(&shape("s32[]"), "")
    });
    b.while_(&condition, &body, init)
}

#[test]
fn infeed() {
    for edition in [Now, V2017] {
        let ordered = ComputationBuilder::with_edition("ordered", edition);
        let first = reading_loop(&ordered, edition, ordered.constant_r0(1).unwrap()).unwrap();
        reading_loop(&ordered, edition, first).unwrap();
        assert!(ordered.build().is_ok());
        let unordered = ComputationBuilder::with_edition("unordered", edition);
        let init = unordered.constant_r0(1).unwrap();
        let both = [init, init].map(|init| reading_loop(&unordered, edition, init).unwrap());
        unordered.tuple(&both).unwrap();
        assert_eq!(unordered.build().unwrap_err().rule, "infeed-order");
        // An empty tuple reads nothing.
        let nothing = ComputationBuilder::with_edition("nothing", edition);
        for _ in 0..2 {
            nothing.infeed(&shape("()"), "").unwrap();
        }
        assert!(nothing.build().is_ok());
    }
    assert_eq!(refused(V2017, &[], |b, _| b.infeed(&shape("(s32[], (s32[]))"), "")), "infeed-nested");
    let Shape::Array(mut bare) = shape("s32[2]") else { panic!() };
    bare.layout = None;
    assert_eq!(refused(V2017, &[], |b, _| b.infeed(&bare.clone().into(), "")), "infeed-layout");
}

fn floats(literal: &Literal) -> Vec<f64> {
    let values = literal.as_array().unwrap().values().map(|v| v.convert(ElementType::F64));
    values.map(|v| if let xla_playground::array::Value::Float(x) = v { x } else { panic!() }).collect()
}

#[test]
fn random_numbers() {
    let mean = |module: &Module| {
        let found = floats(&run(module, Now, &[]));
        found.iter().sum::<f64>() / f64::from(u32::try_from(found.len()).unwrap())
    };
    let module = build("bernoulli", Now, |b| b.rng_bernoulli(b.constant_r0(0.25_f32)?, &shape("u32[10000]")));
    assert!(floats(&run(&module, Now, &[])).iter().all(|x| [0.0, 1.0].contains(x)));
    assert!((mean(&module) - 0.25).abs() < 0.03);
    let module = build("normal", Now, |b| {
        b.rng_normal(b.constant_r0(3.0_f32)?, b.constant_r0(0.5_f32)?, &shape("f32[10000]"))
    });
    assert!((mean(&module) - 3.0).abs() < 0.05);
    let module = build("uniform", Now, |b| {
        b.rng_uniform(b.constant_r0(-2.0_f32)?, b.constant_r0(4.0_f32)?, &shape("f32[10000]"))
    });
    assert!(floats(&run(&module, Now, &[])).iter().all(|x| (-2.0..4.0).contains(x)));
    assert!((mean(&module) - 1.0).abs() < 0.1);
    let of_s32 = |b: &ComputationBuilder, x: &[Op]| b.rng_bernoulli(x[0], &shape("s32[3]"));
    assert_eq!(refused(Now, &["f32[]"], of_s32), "rng-bernoulli-2");
    assert_eq!(refused(Now, &["f32[1]"], of_s32), "rng-bernoulli-1");
}
