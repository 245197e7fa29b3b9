//! For every op: changing an input cell outside of an output cell's provenance never changes that output. The output of
//! a data movement equals its single source; the products of a contraction sum to the output.
//!
//! Each worked example of each op runs on its own values and on random ones, which include NaN, infinities and -0.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use test_support::Random;
use xla_array::index::multi_index;
use xla_array::{ArrayLiteral, Class, Literal, Value};
use xla_hlo::{Evaluator, Limits, Module, parse};
use xla_ops::{Category, CellAt, OpMeta, Role};

const MODULE_HEADER: &str = "HloModule m\nENTRY e {\n";
/// The number of sets of random arguments for each example.
const RANDOM_ARGUMENT_SETS: usize = 3;
/// The maximum number of output cells per set of arguments, and of changed input cells for each of them.
const MAX_SAMPLED_CELLS: usize = 12;

/// A loop whose number of iterations is a parameter, and a conditional.
const LOOP: &str = "n = s32[] constant(3) v = f32[2] constant({1, 2}) w = f32[2,2] constant({{1, 2}, {3, 4}})
    t = tuple(n, v, w)
    l = while(t), condition={
      a = (s32[], f32[2], f32[2,2]) parameter(0) i = get-tuple-element(a), index=0
      z = s32[] constant(0) ROOT c = compare(i, z), direction=GT },
    body={
      b = (s32[], f32[2], f32[2,2]) parameter(0) i = get-tuple-element(b), index=0 one = s32[] constant(1)
      next = subtract(i, one) x = get-tuple-element(b), index=1 y = get-tuple-element(b), index=2
      r = f32[2] reverse(x), dimensions={0} ROOT u = tuple(next, r, y) }
    p = pred[] constant(true)
    ROOT r = conditional(p, l, l), true_computation={
      a = (s32[], f32[2], f32[2,2]) parameter(0) ROOT o = get-tuple-element(a), index=1 },
    false_computation={
      a = (s32[], f32[2], f32[2,2]) parameter(0) y = get-tuple-element(a), index=2
      s = f32[1,2] slice(y), slice={[1:2], [0:2]} ROOT o = f32[2] reshape(s) }";

/// A random value of a class; floats include NaN, infinities and -0.
fn random_value(random: &mut Random, class: Class) -> Value {
    const FLOATS: [f64; 12] =
        [-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 7.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let integer = |n: usize| i64::try_from(n).unwrap() - 2;
    match class {
        Class::Boolean => Value::Pred(random.below(2) == 1),
        Class::Float => Value::Float(FLOATS[random.below(FLOATS.len())]),
        Class::Complex => Value::Complex(FLOATS[random.below(9)], FLOATS[random.below(9)]),
        Class::Signed | Class::Unsigned => Value::Int(integer(random.below(8))),
    }
}

/// A literal of the same shape with random elements.
fn random_literal(random: &mut Random, like: &Literal) -> Literal {
    match like {
        Literal::Array(array) => {
            let (shape, class) = (array.shape().clone(), array.element_type().class());
            let element = |_, _: &[i64]| random_value(random, class).convert(array.element_type());
            ArrayLiteral::from_fn(shape, element).unwrap().into()
        }
        Literal::Tuple(elements) => {
            Literal::Tuple(elements.iter().map(|e| random_literal(random, e)).collect())
        }
        Literal::Token => Literal::Token,
    }
}

/// Up to `max` random items of a list.
fn sample<T: Clone>(random: &mut Random, items: &[T], max: usize) -> Vec<T> {
    if items.len() <= max {
        return items.to_vec();
    }
    (0..max).map(|_| items[random.below(items.len())].clone()).collect()
}

/// An example with its constants replaced by parameters, and their values as arguments.
fn with_parameters(meta: &OpMeta, example: &str) -> (Module, Vec<Literal>) {
    let original = parse(&format!("{MODULE_HEADER}{example}\n}}")).module;
    let (mut text, mut arguments) = (String::from(MODULE_HEADER), Vec::new());
    for (_, instruction) in original.entry_computation().unwrap().iter() {
        let span = instruction.spans.whole;
        if let Some(xla_ops::AttrValue::Literal(literal)) = instruction.attrs.get("literal") {
            writeln!(text, "{} = {} parameter({})", instruction.name, instruction.shape, arguments.len())
                .unwrap();
            arguments.push((**literal).clone());
        } else {
            writeln!(text, "{}", &example[span.start - MODULE_HEADER.len()..span.end - MODULE_HEADER.len()])
                .unwrap();
        }
    }
    text.push('}');
    let module = parse(&text).into_module().unwrap_or_else(|d| panic!("{}: {d} in {text}", meta.opcode));
    (module, arguments)
}

/// Every cell of a value.
fn cells(literal: &Literal) -> Vec<CellAt> {
    match literal {
        Literal::Array(array) => {
            let sizes = &array.shape().dimensions;
            (0..sizes.iter().product()).map(|number| CellAt::array(&multi_index(number, sizes))).collect()
        }
        Literal::Tuple(elements) => {
            let within =
                |(i, e)| cells(e).into_iter().map(move |cell: CellAt| cell.in_tuple(i)).collect::<Vec<_>>();
            elements.iter().enumerate().flat_map(within).collect()
        }
        Literal::Token => Vec::new(),
    }
}

fn array_mut<'a>(literal: &'a mut Literal, path: &[usize]) -> &'a mut ArrayLiteral {
    match (literal, path) {
        (Literal::Array(array), []) => array,
        (Literal::Tuple(elements), [first, rest @ ..]) => array_mut(&mut elements[*first], rest),
        (other, path) => panic!("{other} has no {path:?}"),
    }
}

fn value(literal: &Literal, cell: &CellAt) -> Value {
    array_mut(&mut literal.clone(), &cell.path).get(&cell.index).unwrap()
}

fn evaluator(module: &Module) -> Evaluator<'_> {
    Evaluator::new(module).limits(Limits { steps: 30_000, bytes: 64 << 20 })
}

fn run(module: &Module, arguments: &[Literal]) -> Option<Literal> {
    evaluator(module).run(arguments).ok()
}

/// Checks one set of arguments. Returns the number of changes that were checked; `None` if the module does not run.
fn check_arguments(
    meta: &OpMeta,
    module: &Module,
    arguments: &[Literal],
    random: &mut Random,
) -> Option<usize> {
    let root = module.entry_computation()?.root?;
    let mut evaluator = evaluator(module);
    let outcome = evaluator.run_with_values(arguments).ok()?;
    let mut tracer = evaluator.tracer(&outcome);
    let result = run(module, arguments)?;
    let mut checked = 0;
    for cell in sample(random, &cells(&result), MAX_SAMPLED_CELLS) {
        let Ok(sources) = tracer.origins(root, &cell) else { continue };
        let inside: BTreeSet<(usize, &CellAt)> = sources.iter().map(|s| (s.operand, &s.cell)).collect();
        let before = value(&result, &cell);
        for (number, argument) in arguments.iter().enumerate() {
            let outside: Vec<CellAt> =
                cells(argument).into_iter().filter(|cell| !inside.contains(&(number, cell))).collect();
            for changed in sample(random, &outside, MAX_SAMPLED_CELLS) {
                let mut other = arguments.to_vec();
                let array = array_mut(&mut other[number], &changed.path);
                let replacement =
                    random_value(random, array.element_type().class()).convert(array.element_type());
                array.set(&changed.index, replacement).unwrap();
                let Some(after) = run(module, &other) else { continue };
                let after = value(&after, &cell);
                assert!(
                    before.same(after),
                    "{}: {cell:?} is {before:?}, but {after:?} once cell {changed:?} of argument {number} is {replacement:?}; \
                     its sources are {inside:?} of {arguments:?}",
                    meta.opcode,
                );
                checked += 1;
            }
        }
    }
    Some(checked)
}

#[test]
fn cells_outside_of_the_provenance_do_not_affect_a_cell() {
    let mut random = Random::new(11);
    let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
    // Provenance across devices is tested in `replicas.rs`.
    for meta in xla_ops::all().map(xla_ops::OpDef::meta).filter(|meta| meta.category != Category::Host) {
        // A dynamic size is not a cell of the array, and only `SimulatedDevices` traces channels.
        let is_traced = |hlo: &str| !hlo.contains("set-dimension-size") && !hlo.contains("recv");
        for example in meta.examples.iter().filter(|example| is_traced(example.hlo)) {
            let (module, arguments) = with_parameters(meta, example.hlo);
            let original = check_arguments(meta, &module, &arguments, &mut random);
            *checked.entry(meta.opcode).or_default() += original.unwrap_or(0);
            for _ in 0..RANDOM_ARGUMENT_SETS {
                let others: Vec<Literal> = arguments.iter().map(|a| random_literal(&mut random, a)).collect();
                *checked.entry(meta.opcode).or_default() +=
                    check_arguments(meta, &module, &others, &mut random).unwrap_or(0);
            }
        }
    }
    let meta = xla_ops::find("while").unwrap().meta();
    let (module, arguments) = with_parameters(meta, LOOP);
    for count in 0..=4 {
        for branch in [true, false] {
            let mut others: Vec<Literal> = arguments.iter().map(|a| random_literal(&mut random, a)).collect();
            array_mut(&mut others[0], &[]).set(&[], Value::Int(count)).unwrap();
            array_mut(&mut others[3], &[]).set(&[], Value::Pred(branch)).unwrap();
            let changes = check_arguments(meta, &module, &others, &mut random);
            assert!(changes.is_some_and(|changes| changes > 0));
            *checked.entry(meta.opcode).or_default() += changes.unwrap_or(0);
        }
    }
    let unchecked: Vec<_> =
        checked.iter().filter(|(_, count)| **count == 0).map(|(opcode, _)| *opcode).collect();
    println!(
        "{} ops, {} changes; nothing to change in {unchecked:?}",
        checked.len(),
        checked.values().sum::<usize>()
    );
    assert!(checked.values().sum::<usize>() > 10_000);
    // Ops that read all cells of their operands, or have no parameter.
    assert!(unchecked.len() < 40, "{unchecked:?}");
}

#[test]
fn moved_elements_equal_their_single_source() {
    let mut random = Random::new(12);
    let mut moving_opcodes = BTreeSet::new();
    for meta in xla_ops::all().map(xla_ops::OpDef::meta).filter(|meta| meta.category == Category::Movement) {
        for example in meta.examples {
            let (module, arguments) = with_parameters(meta, example.hlo);
            for set in 0..=RANDOM_ARGUMENT_SETS {
                let arguments: Vec<Literal> = if set == 0 {
                    arguments.clone()
                } else {
                    arguments.iter().map(|a| random_literal(&mut random, a)).collect()
                };
                let mut evaluator = evaluator(&module);
                let Ok(outcome) = evaluator.run_with_values(&arguments) else { continue };
                let mut tracer = evaluator.tracer(&outcome);
                let root = module.entry_computation().unwrap().root.unwrap();
                let result = outcome.values.get(root).unwrap().to_literal();
                for cell in cells(&result) {
                    let sources = tracer.origins(root, &cell).unwrap();
                    let moved: Vec<_> =
                        sources.iter().filter(|s| !matches!(s.role, Role::Start | Role::Choice)).collect();
                    let [source] = moved.as_slice() else { continue };
                    let from = value(&arguments[source.operand], &source.cell);
                    let to = value(&result, &cell);
                    assert!(from.same(to), "{}: {cell:?} is {to:?}, its source {from:?}", meta.opcode);
                    moving_opcodes.insert(meta.opcode);
                }
            }
        }
    }
    println!("{moving_opcodes:?}");
    assert!(moving_opcodes.len() >= 12, "{moving_opcodes:?}");
}

/// Contractions and reductions of small integers, whose products and sums are exact.
#[test]
fn sources_sum_to_the_value() {
    let mut random = Random::new(13);
    for text in [
        "x = f32[2,3,4] parameter(0) y = f32[4,2,5] parameter(1)
         ROOT r = dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}",
        "x = s32[6] parameter(0) y = s32[6,2] parameter(1)
         ROOT r = dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        "x = f32[1,2,5,5] parameter(0) y = f32[3,2,2,3] parameter(1) ROOT r = convolution(x, y),
         window={size=2x3 stride=2x1 pad=1_0x-1_2 lhs_dilate=1x2 rhs_dilate=2x1}, dim_labels=bf01_oi01->bf01",
        "x = f32[3,4,2] parameter(0) y = f32[] parameter(1) ROOT r = reduce(x, y), dimensions={0,2}, to_apply={
         a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        "x = s32[3,4] parameter(0) y = s32[] parameter(1) ROOT r = reduce-window(x, y),
         window={size=2x2 stride=1x2 pad=1_0x0_1}, to_apply={ a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }",
    ] {
        let module = parse(&format!("{MODULE_HEADER}{text} }}")).into_module().unwrap();
        let entry = module.entry_computation().unwrap();
        for _ in 0..4 {
            let arguments: Vec<Literal> = entry
                .parameters
                .iter()
                .map(|id| {
                    let shape = entry.get(*id).unwrap().shape.as_array().unwrap().clone();
                    let element = |_, _: &[i64]| Value::Int(i64::try_from(random.below(9)).unwrap() - 4);
                    ArrayLiteral::from_fn(shape, element).unwrap().into()
                })
                .collect();
            let mut evaluator = evaluator(&module);
            let outcome = evaluator.run_with_values(&arguments).unwrap();
            let mut tracer = evaluator.tracer(&outcome);
            let result = outcome.values.get(entry.root.unwrap()).unwrap().to_literal();
            for cell in cells(&result) {
                let sources = tracer.sources(entry.root.unwrap(), &cell).unwrap();
                let source_value = |s: &xla_ops::Source| match value(&arguments[s.operand], &s.cell) {
                    Value::Float(x) => x,
                    #[allow(clippy::cast_precision_loss, reason = "whole numbers below ten")]
                    Value::Int(n) => n as f64,
                    other => panic!("{other:?}"),
                };
                let sum: f64 = if sources.iter().all(|s| matches!(s.role, Role::Lhs | Role::Rhs)) {
                    sources.chunks(2).map(|pair| pair.iter().map(source_value).product::<f64>()).fold(0.0, |sum, x| sum + x)
                } else {
                    sources.iter().map(source_value).fold(0.0, |sum, x| sum + x)
                };
                assert!(value(&result, &cell).same(Value::Float(sum).convert(result.as_array().unwrap().element_type())), "{text} {cell:?}");
            }
        }
    }
}
