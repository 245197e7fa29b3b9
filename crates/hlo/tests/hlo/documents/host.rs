//! Sections with host or devices (replicas, functions, the infeed), and random numbers.

use xla_array::{ArrayLiteral, Value};
use xla_hlo::{Host, SimulatedDevices};

use super::*;

#[test]
fn cross_replica_sum() {
    assert_result(&["f32[2] {1, 2.5}"], "f32[2] {1, 2.5}", |b, x| b.cross_replica_sum(x[0]));
    let module =
        build("sum", Current, |b| b.cross_replica_sum(b.parameter(0, &shape("f32[2]"), "operand")?));
    let arguments = ["f32[2] {1.0, 2.5}", "f32[2] {3.0, 5.1}"].map(|text| vec![literal(text)]);
    let sums = SimulatedDevices::new(&module, 2).run(&arguments).unwrap();
    assert_eq!(sums.iter().map(Literal::to_string).collect::<Vec<_>>(), ["{4, 7.6}", "{4, 7.6}"]);
    assert_eq!(violated_rule(V2017, &["(f32[2])"], |b, x| b.cross_replica_sum(x[0])), "operand-array");
}

#[test]
fn custom_call() {
    let (x, y) = ("f32[2] {1, 2}", "f32[2,3] {{10,20,30},{40,50,60}}");
    let module = build("example", Current, |b| {
        let arguments = [b.constant_literal(literal(x))?, b.constant_literal(literal(y))?];
        b.custom_call("myfunc", &arguments, &shape("f32[3,3]"))
    });
    let expected = [literal(x), literal(y)];
    let host = Host::default().custom_call("myfunc", move |arguments, shape| {
        assert_eq!(arguments, expected);
        let cell = |i: usize, index: &[i64]| match arguments[i].as_array().and_then(|array| array.get(index))
        {
            Some(Value::Float(x)) => x,
            _ => f64::NAN,
        };
        // z[0][0] = x[1] + y[1][0];
        let z = |_, index: &[i64]| {
            Value::Float(if index == [0, 0] { cell(0, &[1]) + cell(1, &[1, 0]) } else { 0.0 })
        };
        let shape = shape.as_array().ok_or("the result must be an array")?.clone();
        Ok(ArrayLiteral::from_fn(shape, z).map_err(|error| error.rule)?.into())
    });
    let z = Evaluator::new(&module).host(&host).run(&[]).unwrap();
    assert_eq!(z.to_string(), "{ { 42, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }");
}

/// A loop that reads one infeed item per iteration, while the last item is positive.
fn infeed_loop(b: &ComputationBuilder, edition: Edition, init: Op) -> Built {
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
    for edition in [Current, V2017] {
        let ordered = ComputationBuilder::with_edition("ordered", edition);
        let first = infeed_loop(&ordered, edition, ordered.constant_r0(1).unwrap()).unwrap();
        infeed_loop(&ordered, edition, first).unwrap();
        let module = ordered.build().unwrap();
        // The first loop reads two items; the second has no iteration.
        let host = Host::default();
        for item in ["s32[] 3", "s32[] -1", "s32[] 9"] {
            host.infeed().push(literal(item));
        }
        let result = Evaluator::new(&module).edition(edition).host(&host).run(&[]).unwrap();
        assert_eq!((result.to_string().as_str(), host.infeed().len()), ("-1", 1));
        let empty = Evaluator::new(&module).edition(edition).run(&[]).unwrap_err();
        assert_eq!(empty.error.rule, "waiting");
        let unordered = ComputationBuilder::with_edition("unordered", edition);
        let init = unordered.constant_r0(1).unwrap();
        let both = [init, init].map(|init| infeed_loop(&unordered, edition, init).unwrap());
        unordered.tuple(&both).unwrap();
        assert_eq!(unordered.build().unwrap_err().rule, "hlo-infeed-order");
        // An empty tuple reads nothing.
        let empty = ComputationBuilder::with_edition("empty", edition);
        for _ in 0..2 {
            empty.infeed(&shape("()"), "").unwrap();
        }
        assert!(empty.build().is_ok());
    }
    assert_eq!(violated_rule(V2017, &[], |b, _| b.infeed(&shape("(s32[], (s32[]))"), "")), "infeed-2");
    let Shape::Array(mut without_layout) = shape("s32[2]") else { panic!() };
    without_layout.layout = None;
    assert_eq!(
        violated_rule(V2017, &[], |b, _| b.infeed(&without_layout.clone().into(), "")),
        "infeed-layout"
    );
}

fn floats(literal: &Literal) -> Vec<f64> {
    let values = literal.as_array().unwrap().values().map(|v| v.convert(ElementType::F64));
    values.map(|v| if let Value::Float(x) = v { x } else { panic!() }).collect()
}

#[test]
fn random_numbers() {
    let mean = |module: &Module| {
        let found = floats(&run(module, Current, &[]));
        found.iter().sum::<f64>() / f64::from(u32::try_from(found.len()).unwrap())
    };
    let module =
        build("bernoulli", Current, |b| b.rng_bernoulli(b.constant_r0(0.25_f32)?, &shape("u32[10000]")));
    assert!(floats(&run(&module, Current, &[])).iter().all(|x| [0.0, 1.0].contains(x)));
    assert!((mean(&module) - 0.25).abs() < 0.03);
    let module = build("normal", Current, |b| {
        b.rng_normal(b.constant_r0(3.0_f32)?, b.constant_r0(0.5_f32)?, &shape("f32[10000]"))
    });
    assert!((mean(&module) - 3.0).abs() < 0.05);
    let module = build("uniform", Current, |b| {
        b.rng_uniform(b.constant_r0(-2.0_f32)?, b.constant_r0(4.0_f32)?, &shape("f32[10000]"))
    });
    assert!(floats(&run(&module, Current, &[])).iter().all(|x| (-2.0..4.0).contains(x)));
    assert!((mean(&module) - 1.0).abs() < 0.1);
    let of_s32 = |b: &ComputationBuilder, x: &[Op]| b.rng_bernoulli(x[0], &shape("s32[3]"));
    assert_eq!(violated_rule(Current, &["f32[]"], of_s32), "rng-bernoulli-2");
    assert_eq!(violated_rule(Current, &["f32[1]"], of_s32), "rng-bernoulli-1");
}
