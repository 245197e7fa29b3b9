//! Cases of the operation semantics: results by HLO text and by the builder, and rejected input.
//!
//! A case with a module runs as HLO text; a case with a `ComputationBuilder` method runs by the builder, too, and so do all
//! rejected cases. Documented values hold in both editions, measured values in the current edition.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

use std::fmt::Write as _;
use std::fs;

use serde_json::Value as Json;
use xla_array::Edition::{self, Current, V2017};
use xla_array::{ArrayLiteral, ElementType, Literal, Shape, Value};
use xla_hlo::builder::{ConvConfig, Op, Padding};
use xla_hlo::{ComputationBuilder, Evaluator, Module, SimulatedDevices, parser::parse_edition};
use xla_ops::attrs::{PaddingDim, WindowDim};
use xla_ops::{AttrValue, Attrs, OpError};

/// Operations whose last bits are unspecified.
const TRANSCENDENTAL: &[&str] = &[
    "cbrt",
    "exponential",
    "exponential-minus-one",
    "log",
    "log-plus-one",
    "logistic",
    "rsqrt",
    "sqrt",
    "tanh",
];

/// The violated rule of each rejected case.
const RULES: &[(&str, &str)] = &[
    ("add different_types", "elementwise-same-type"),
    ("add incompatible_dims", "broadcasting-2"),
    ("add rank_without_broadcast_dims", "broadcasting-3"),
    ("add broadcast_dims_same_rank", "broadcasting-4"),
    ("add broadcast_dims_wrong_count", "broadcasting-5"),
    ("add broadcast_dims_negative", "broadcasting-6"),
    ("add broadcast_dims_too_large", "broadcasting-6"),
    ("add broadcast_dims_mismatch", "broadcasting-7"),
    ("add broadcast_dims_order", "broadcasting-8"),
    ("and float", "elementwise-type"),
    ("exponential integer", "elementwise-type"),
    ("abs unsigned", "elementwise-type"),
    ("concatenate scalar", "concatenate-2"),
    ("concatenate empty", "operand-count"),
    ("concatenate other_dim_differs", "concatenate-4"),
    ("collapse out_of_order", "collapse-2"),
    ("collapse gap", "collapse-2"),
    ("dot contract_mismatch", "dot-5"),
    ("dot rank3", "dot-rank"),
    ("dot scalar", "dot-rank"),
    ("transpose not_permutation", "transpose-1"),
    ("reshape count", "reshape-2"),
    ("reshape dims_not_permutation", "transpose-1"),
    ("reverse duplicate", "reverse-2"),
    ("reverse range", "reverse-1"),
    ("slice limit", "slice-3"),
    ("slice start_after_limit", "slice-3"),
    ("slice negative", "slice-3"),
    ("slice stride0", "slice-2"),
    ("pad rank", "pad-3"),
    ("pad type", "pad-2"),
    ("pad value_not_scalar", "pad-1"),
    ("pad interior_negative", "pad-4"),
    ("pad negative_result", "pad-5"),
    ("reduce range", "reduce-3"),
    ("reduce duplicate", "reduce-4"),
    ("select shapes", "select-3"),
    ("select pred_type", "select-1"),
    ("select branches", "select-2"),
    ("dynamic-slice too_large", "dynamic-slice-4"),
    ("dynamic-slice float_index", "dynamic-slice-2"),
    ("dynamic-slice index_count", "dynamic-slice-1"),
    ("dynamic-update-slice too_large", "dynamic-slice-4"),
    ("dynamic-update-slice rank", "dynamic-slice-4"),
    ("get-tuple-element range", "get-tuple-element-2"),
    ("get-tuple-element non_tuple", "get-tuple-element-1"),
    ("convolution features", "convolution-5"),
    ("convolution rank", "conv-rank"),
    ("reduce-window window_rank", "window-1"),
    ("reduce-window stride0", "window-3"),
    ("select-and-scatter source_shape", "select-and-scatter-4"),
];

fn cases() -> Vec<Json> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/op_cases.jsonl");
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn name(case: &Json) -> String {
    format!("{} {}", case["op"].as_str().unwrap(), case["name"].as_str().unwrap())
}

fn value(json: &Json) -> Value {
    match json {
        Json::Bool(truth) => Value::Pred(*truth),
        Json::Number(n) => n
            .as_i64()
            .map(Value::Int)
            .or(n.as_u64().map(Value::Uint))
            .unwrap_or_else(|| Value::Float(n.as_f64().unwrap())),
        Json::String(text) => Value::Float(text.parse().unwrap()),
        other => panic!("{other}"),
    }
}

/// The elements of nested lists, in order.
fn flat(json: &Json, out: &mut Vec<Value>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| flat(item, out)),
        item => out.push(value(item)),
    }
}

fn literal(json: &Json) -> Literal {
    let shape: Shape = json["shape"].as_str().unwrap().parse().unwrap();
    let mut values = Vec::new();
    flat(&json["value"], &mut values);
    ArrayLiteral::from_values(shape.as_array().unwrap().clone(), values).unwrap().into()
}

fn is_close(got: &Literal, want: &Literal, tolerance: f64) -> bool {
    match (got, want) {
        (Literal::Tuple(a), Literal::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b, tolerance))
        }
        (Literal::Array(a), Literal::Array(b)) => {
            let same = |(a, b): (Value, Value)| match (a, b) {
                (Value::Float(x), Value::Float(y)) => a.same(b) || (x - y).abs() <= tolerance * y.abs(),
                _ => a.same(b),
            };
            a.shape().human_string() == b.shape().human_string() && a.values().zip(b.values()).all(same)
        }
        _ => false,
    }
}

/// A list of numbers of a case; empty if it is missing.
fn ints(attrs: &Json, name: &str) -> Vec<i64> {
    let list = attrs.get(name).and_then(Json::as_array);
    list.map(|list| list.iter().map(|n| n.as_i64().unwrap()).collect()).unwrap_or_default()
}

fn lists(attrs: &Json, name: &str) -> Vec<Vec<i64>> {
    let list = attrs.get(name).and_then(Json::as_array).into_iter().flatten();
    list.map(|item| item.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect()).collect()
}

/// A computation of two `f32` scalars.
fn computation(opcode: &str) -> Module {
    let b = ComputationBuilder::new(opcode);
    let scalar: Shape = "f32[]".parse().unwrap();
    let (x, y) = (b.parameter(0, &scalar, "x").unwrap(), b.parameter(1, &scalar, "y").unwrap());
    match opcode {
        "ge" => b.ge(x, y, &[]),
        "gt" => b.gt(x, y, &[]),
        "max" => b.max(x, y, &[]),
        "madd" => b.add(b.mul(x, y, &[]).unwrap(), x, &[]),
        _ => b.add(x, y, &[]),
    }
    .unwrap();
    b.build().unwrap()
}

fn windows(attrs: &Json) -> Vec<WindowDim> {
    let or = |name: &str, d: usize, default| ints(attrs, name).get(d).copied().unwrap_or(default);
    let pads = lists(attrs, "padding");
    let dims = ints(attrs, "window_dimensions").into_iter().enumerate();
    dims.map(|(d, size)| WindowDim {
        size,
        stride: or("window_strides", d, 1),
        pad_low: pads.get(d).map_or(0, |pad| pad[0]),
        pad_high: pads.get(d).map_or(0, |pad| pad[1]),
        base_dilation: or("base_dilation", d, 1),
        window_dilation: or("window_dilation", d, 1),
        reversal: false,
    })
    .collect()
}

/// Adds the op of a case by its builder method; `None` if there is none.
#[allow(clippy::too_many_lines, reason = "a table: one line an operation")]
fn build(b: &ComputationBuilder, case: &Json, x: &[Op]) -> Option<Result<Op, OpError>> {
    let attrs = &case["attributes"];
    let named = |name: &str| attrs.get(name).and_then(Json::as_str);
    let dims = || ints(attrs, "broadcast_dimensions");
    let same = named("padding") == Some("SAME");
    Some(match case["op"].as_str().unwrap() {
        "broadcast" => b.broadcast(x[0], &ints(attrs, "broadcast_sizes")),
        "collapse" => b.collapse(x[0], &ints(attrs, "dimensions")),
        "concatenate" => b.concat_in_dim(x, attrs["dimension"].as_i64().unwrap()),
        "convert" => {
            b.convert_element_type(x[0], ElementType::from_name(named("new_element_type").unwrap()).unwrap())
        }
        "convolution" if same => b.conv(x[0], x[1], &[], Padding::Same),
        "convolution" => {
            let pair = |pad: &Vec<i64>| (pad[0], pad[1]);
            let reversal = attrs.get("window_reversal").and_then(Json::as_array).into_iter().flatten();
            let config = ConvConfig {
                window_strides: ints(attrs, "window_strides"),
                padding: lists(attrs, "padding").iter().map(pair).collect(),
                lhs_dilation: ints(attrs, "lhs_dilation"),
                rhs_dilation: ints(attrs, "rhs_dilation"),
                window_reversal: reversal.map(|r| r.as_bool().unwrap()).collect(),
                ..ConvConfig::default()
            };
            b.conv_general(x[0], x[1], &config)
        }
        "dot" if attrs.get("lhs_batch").is_some() => {
            let of = |name| ints(attrs, name);
            let contracting = [&of("lhs_contracting")[..], &of("rhs_contracting")];
            b.dot_general([x[0], x[1]], contracting, [&of("lhs_batch"), &of("rhs_batch")])
        }
        "dot" => b.dot(x[0], x[1]),
        "add" => b.add(x[0], x[1], &dims()),
        "subtract" => b.sub(x[0], x[1], &dims()),
        "multiply" => b.mul(x[0], x[1], &dims()),
        "divide" => b.div(x[0], x[1], &dims()),
        "remainder" => b.rem(x[0], x[1], &dims()),
        "maximum" => b.max(x[0], x[1], &dims()),
        "minimum" => b.min(x[0], x[1], &dims()),
        "power" => b.pow(x[0], x[1], &dims()),
        "and" => b.logical_and(x[0], x[1], &dims()),
        "or" => b.logical_or(x[0], x[1], &dims()),
        "compare" if attrs.get("type").is_none() => match named("direction").unwrap() {
            "EQ" => b.eq(x[0], x[1], &[]),
            "NE" => b.ne(x[0], x[1], &[]),
            "GE" => b.ge(x[0], x[1], &[]),
            "GT" => b.gt(x[0], x[1], &[]),
            "LE" => b.le(x[0], x[1], &[]),
            _ => b.lt(x[0], x[1], &[]),
        },
        "abs" => b.abs(x[0]),
        "ceil" => b.ceil(x[0]),
        "exponential" => b.exp(x[0]),
        "floor" => b.floor(x[0]),
        "is-finite" => b.is_finite(x[0]),
        "log" => b.log(x[0]),
        "not" => b.logical_not(x[0]),
        "negate" => b.neg(x[0]),
        "sign" => b.sign(x[0]),
        "tanh" => b.tanh(x[0]),
        "get-tuple-element" => b.get_tuple_element(x[0], attrs["index"].as_i64().unwrap()),
        "map" => b.map(x, &computation("madd"), &[]),
        "pad" => {
            let config = lists(attrs, "padding_config_low_high_interior");
            let dim = |d: &Vec<i64>| PaddingDim { low: d[0], high: d[1], interior: d[2] };
            b.pad(x[0], x[1], &config.iter().map(dim).collect::<Vec<_>>())
        }
        "reduce" => b.reduce(x[0], x[1], &computation("add"), &ints(attrs, "dimensions")),
        "reduce-window" => {
            let reducer =
                computation(if case["name"].as_str().unwrap().contains("max") { "max" } else { "add" });
            if named("padding").is_some() {
                let padding = if same { Padding::Same } else { Padding::Valid };
                let (sizes, strides) = (ints(attrs, "window_dimensions"), ints(attrs, "window_strides"));
                b.reduce_window(x[0], x[1], &reducer, &sizes, &strides, padding)
            } else {
                b.reduce_window_with_general_padding(x[0], x[1], &reducer, &windows(attrs))
            }
        }
        "reshape" => b.reshape_with_dimensions(x[0], &ints(attrs, "dimensions"), &ints(attrs, "new_sizes")),
        "reverse" => b.rev(x[0], &ints(attrs, "dimensions")),
        "select-and-scatter" => {
            let select = computation(named("select").unwrap_or("ge"));
            let (sizes, strides) = (ints(attrs, "window_dimensions"), ints(attrs, "window_strides"));
            let add = computation("add");
            b.select_and_scatter(x[0], &select, &sizes, &strides, Padding::Valid, x[1], x[2], &add)
        }
        "select" => b.select(x[0], x[1], x[2]),
        "slice" => {
            let of = |name| ints(attrs, name);
            b.strided_slice(x[0], &of("start"), &of("limit"), &of("stride"))
        }
        "dynamic-slice" => b.dynamic_slice(x[0], &x[1..], &ints(attrs, "size")),
        "dynamic-update-slice" => b.dynamic_update_slice(x[0], x[1], &x[2..]),
        "sort" if case["name"] == "f32_total_lt" => b.sort(x[0]),
        "transpose" => b.transpose(x[0], &ints(attrs, "permutation")),
        "clamp" => b.instruction("clamp", x, Attrs::new(), None),
        "iota" => {
            let shape: Shape = case["results"][0]["shape"].as_str().unwrap().parse().unwrap();
            let attrs = Attrs::new()
                .with("iota_dimension", AttrValue::Int(attrs["iota_dimension"].as_i64().unwrap()));
            b.instruction("iota", x, attrs, Some(&shape))
        }
        _ => return None,
    })
}

/// A builder with the operands of a case as parameters.
fn with_parameters<'a>(
    edition: Edition,
    shapes: impl Iterator<Item = &'a Json>,
) -> (ComputationBuilder, Vec<Op>) {
    let b = ComputationBuilder::with_edition("e", edition);
    let shapes: Vec<Shape> = shapes.map(|shape| shape.as_str().unwrap().parse().unwrap()).collect();
    let numbered = (0_i64..).zip(&shapes);
    let parameters = numbered.map(|(number, shape)| b.parameter(number, shape, "x").unwrap()).collect();
    (b, parameters)
}

fn module_by_text(case: &Json, edition: Edition) -> Option<Result<Module, String>> {
    let parsed = parse_edition(case.get("module")?.as_str().unwrap(), edition);
    Some(parsed.into_module().map_err(|d| d.to_string()))
}

fn module_by_builder(case: &Json, edition: Edition) -> Option<Result<Module, String>> {
    let shapes = case["operands"].as_array().unwrap().iter().map(|operand| &operand["shape"]);
    let (b, parameters) = with_parameters(edition, shapes);
    let built = build(&b, case, &parameters)?;
    Some(built.and_then(|_| b.build()).map_err(|e| e.to_string()))
}

/// Runs a sum over replicas, each with one operand. Returns a description of the first wrong result.
fn run_replicas(case: &Json, edition: Edition) -> Option<String> {
    let literals = |name: &str| case[name].as_array().unwrap().iter().map(literal);
    let arguments: Vec<Vec<Literal>> = literals("operands").map(|argument| vec![argument]).collect();
    let b = ComputationBuilder::with_edition("e", edition);
    let operand = b.parameter(0, &arguments[0][0].shape(), "operand").unwrap();
    b.cross_replica_sum(operand).unwrap();
    let module = b.build().unwrap();
    let got = SimulatedDevices::new(&module, arguments.len()).edition(edition).run(&arguments).unwrap();
    let mut both = got.iter().zip(literals("results"));
    both.find(|(got, want)| !is_close(got, want, 0.0)).map(|(got, want)| format!("{got} instead of {want}"))
}

/// Runs a case in an edition. Returns the number of modules (by text, by the builder), and a description of a wrong result.
fn run(case: &Json, edition: Edition) -> (usize, Option<String>) {
    if case["attributes"].get("replicas").is_some() {
        return (1, run_replicas(case, edition));
    }
    let literals =
        |name: &str| -> Vec<Literal> { case[name].as_array().unwrap().iter().map(literal).collect() };
    let arguments = literals("operands");
    let mut want = literals("results");
    let want = if want.len() == 1 { want.remove(0) } else { Literal::Tuple(want) };
    let tolerance = if TRANSCENDENTAL.contains(&case["op"].as_str().unwrap()) { 1e-6 } else { 0.0 };
    let modules: Vec<_> =
        module_by_text(case, edition).into_iter().chain(module_by_builder(case, edition)).collect();
    for module in &modules {
        let module = match module {
            Ok(module) => module,
            Err(error) => return (modules.len(), Some(error.clone())),
        };
        match Evaluator::new(module).edition(edition).run(&arguments) {
            Ok(got) if is_close(&got, &want, tolerance) => {}
            Ok(got) => return (modules.len(), Some(format!("{got} instead of {want} of {module}"))),
            Err(error) => return (modules.len(), Some(error.to_string())),
        }
    }
    (modules.len(), None)
}

#[test]
fn every_case_has_its_result() {
    let (mut count, mut runs, mut failures) = (0, 0, String::new());
    for case in cases().iter().filter(|case| case.get("error").is_none()) {
        count += 1;
        let editions: &[Edition] = match case["source"].as_str().unwrap() {
            // The cases of the documentation have a scalar per start index, which XLA 2017 does not support.
            "doc" if case["op"].as_str().unwrap().starts_with("dynamic-") => &[Current],
            "doc" | "rule" => &[Current, V2017],
            "2017" => &[V2017],
            _ => &[Current],
        };
        for edition in editions {
            let (modules, problem) = run(case, *edition);
            assert!(modules > 0, "{} has neither text nor a method", name(case));
            runs += modules;
            if let Some(problem) = problem {
                writeln!(failures, "{} {edition:?}: {problem}", name(case)).unwrap();
            }
        }
    }
    println!("{count} values; {runs} runs");
    assert_eq!(count, 157);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_invalid_case_is_rejected_by_its_rule() {
    let (mut count, mut failures) = (0, String::new());
    for case in cases().iter().filter(|case| case.get("error").is_some()) {
        count += 1;
        let editions: &[Edition] = match case["applies"].as_str().unwrap() {
            "both" => &[Current, V2017],
            "2017" => &[V2017],
            _ => &[Current],
        };
        for edition in editions {
            let (b, parameters) =
                with_parameters(*edition, case["operand_shapes"].as_array().unwrap().iter());
            let before = b.instructions();
            let built =
                build(&b, case, &parameters).unwrap_or_else(|| panic!("no method for {}", name(case)));
            let rule = match built {
                Ok(_) => "accepted",
                Err(error) => {
                    assert!(!error.message.to_string().is_empty());
                    error.rule
                }
            };
            assert_eq!(b.instructions(), before, "{} changed the builder", name(case));
            let expected = RULES.iter().find(|(of, _)| *of == name(case)).map(|(_, rule)| *rule);
            if expected != Some(rule) {
                writeln!(failures, "{} {edition:?}: {rule} instead of {expected:?}", name(case)).unwrap();
            }
        }
    }
    println!("{count} rejected cases");
    assert_eq!(count, 51);
    assert!(failures.is_empty(), "{failures}");
}

/// The sizes and the numbers of a literal; the documentation seldom states element types.
fn numbers(literal: &Literal) -> Vec<(Vec<i64>, Vec<f64>)> {
    match literal {
        Literal::Tuple(elements) => elements.iter().flat_map(numbers).collect(),
        Literal::Array(array) => {
            let number = |value| match value {
                Value::Float(x) => x,
                Value::Int(n) => n.to_string().parse().unwrap(),
                other => panic!("{other:?}"),
            };
            vec![(array.shape().dimensions.to_vec(), array.values().map(number).collect())]
        }
        Literal::Token => Vec::new(),
    }
}

/// Collapse is an example of `reshape`; adding a matrix and a vector is on XLA's "Broadcasting" page instead.
#[test]
fn every_example_of_the_operation_semantics_is_an_example_of_its_op() {
    let is_documented =
        |case: &Json| case["source"] == "doc" && case.get("module").is_some() && case["op"] != "add";
    let (mut checked, mut missing) = (0, Vec::new());
    for case in cases().iter().filter(|case| is_documented(case)) {
        let op = case["op"].as_str().unwrap();
        let meta = xla_ops::find(if op == "collapse" { "reshape" } else { op }).unwrap().meta();
        let results: Vec<Literal> = case["results"].as_array().unwrap().iter().map(literal).collect();
        let want = if let [one] = results.as_slice() { one.clone() } else { Literal::Tuple(results) };
        let matches =
            |example: &xla_ops::Example| numbers(&example.result.parse().unwrap()) == numbers(&want);
        if !meta.examples.iter().any(matches) {
            missing.push(format!("{} gives {want}", name(case)));
        }
        checked += 1;
    }
    assert!(missing.is_empty(), "in no example: {missing:#?}");
    assert!(checked > 25, "{checked}");
}
