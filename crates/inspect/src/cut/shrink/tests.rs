//! Planted failures in generated programs are reduced to programs from which nothing can be removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::parts::operations;
use super::*;
use crate::compare::values::compare_values;
use crate::cut::tests::{Random, random_value};
use crate::cut::{CutOptions, Program, Results, cut};
use crate::values::{Recorder, Tolerance};
use xla_array::Literal;
use xla_hlo::{EvalError, Evaluator, InstructionId, Module, parse};
use xla_ops::Data;

fn run(program: &Program) -> (Result<Literal, EvalError>, Recorder<'_>) {
    let mut recorder = Recorder::new(&program.module);
    let arguments: Vec<Literal> = program.known_arguments().unwrap().iter().map(Data::to_literal).collect();
    let result = Evaluator::new(&program.module).observer(&mut recorder).run(&arguments);
    (result, recorder)
}

fn makes_nan(program: &Program) -> Option<Values> {
    let (_, recorder) = run(program);
    recorder.numerics.first_computed_nan.is_some().then_some(recorder.values)
}

fn makes_infinity(program: &Program) -> Option<Values> {
    let (_, recorder) = run(program);
    recorder.numerics.first_computed_infinity.is_some().then_some(recorder.values)
}

fn fails(program: &Program) -> Option<Values> {
    let (result, recorder) = run(program);
    result.is_err_and(|error| error.error.rule == "custom-call-target").then_some(recorder.values)
}

/// Whether an instruction differs from values by name, of operands that do not.
fn differs(program: &Program, expected: &BTreeMap<String, Data>) -> Option<Values> {
    let values = run(program).1.values;
    let entry = program.module.entry_computation().unwrap();
    let pairs: Vec<_> = entry.iter().map(|(id, _)| (id, id)).collect();
    let found = compare_values(entry, &pairs, &Tolerance::new(4), |id, _| {
        let (found, expected) = (values[id.index()].clone()?, expected.get(&entry.get(id)?.name)?);
        // A program of other sizes cannot be compared.
        expected.matches_shape(&found.shape()).then(|| (found, expected.clone()))
    });
    let is_computed = |id: InstructionId| {
        let opcode = &entry.get(id).unwrap().opcode;
        !matches!(opcode.as_str(), "parameter" | "constant")
    };
    let is_found = found.origins().any(|origin| is_computed(origin.a));
    is_found.then_some(values)
}

const OPCODES: &[&str] = &["tanh", "negate", "abs", "cosine", "add", "subtract", "multiply", "maximum"];

/// A program of `count` random operations on finite numbers; `planted` comes in the middle, on the value `{x}`.
fn generate(random: &mut Random, count: usize, planted: &[&str]) -> String {
    let (rows, columns) = (2 + random.below(5), 8);
    let shape = format!("f32[{rows},{columns}]");
    let mut text = format!(
        "HloModule m
        add {{ p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = add(p, q) }}
        f {{ p = {shape} parameter(0) u = {shape} tanh(p) ROOT v = {shape} add(u, p) }}
        cond {{ p = (s32[], {shape}) parameter(0) i = s32[] get-tuple-element(p), index=0
          n = s32[] constant(2) ROOT l = pred[] compare(i, n), direction=LT }}
        body {{ p = (s32[], {shape}) parameter(0) i = s32[] get-tuple-element(p), index=0
          w = {shape} get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
          y = {shape} cosine(w) ROOT t = (s32[], {shape}) tuple(j, y) }}
        ENTRY e {{ v0 = {shape} parameter(0) v1 = {shape} parameter(1) zero = f32[] constant(0)\n"
    );
    let mut names = vec!["v0".to_owned(), "v1".to_owned()];
    for i in 2..count {
        let pick = |random: &mut Random, names: &[String]| {
            // Mostly recent values, so that chains are long.
            let back = random.below(names.len().min(6)) + 1;
            names[names.len() - back].clone()
        };
        let (x, y) = (pick(random, &names), pick(random, &names));
        if i == count / 2 {
            for line in planted {
                writeln!(text, "{}", line.replace("{x}", &x).replace("{s}", &shape)).unwrap();
            }
            names.push("planted".to_owned());
        }
        let name = format!("v{i}");
        match random.below(12) {
            0 => writeln!(text, "{name} = {shape} call({x}), to_apply=f").unwrap(),
            1 => writeln!(
                text,
                "r{i} = f32[{columns}] reduce({x}, zero), dimensions={{0}}, to_apply=add
                {name} = {shape} broadcast(r{i}), dimensions={{1}}"
            )
            .unwrap(),
            2 => writeln!(
                text,
                "i{i} = s32[] constant(0) t{i} = (s32[], {shape}) tuple(i{i}, {x})
                w{i} = (s32[], {shape}) while(t{i}), condition=cond, body=body
                {name} = {shape} get-tuple-element(w{i}), index=1"
            )
            .unwrap(),
            _ => {
                let opcode = OPCODES[random.below(OPCODES.len())];
                let second =
                    if opcode.len() >= 3 && matches!(opcode, "add" | "subtract" | "multiply" | "maximum") {
                        format!(", {y}")
                    } else {
                        String::new()
                    };
                // Kept small, so that nothing overflows by itself.
                writeln!(text, "a{i} = {shape} {opcode}({x}{second}) {name} = {shape} tanh(a{i})").unwrap();
            }
        }
        names.push(name);
    }
    writeln!(
        text,
        "ROOT out = ({shape}, {shape}, {shape}) tuple(planted, {}, v0) }}",
        names[names.len() - 1]
    )
    .unwrap();
    text
}

fn program(text: &str, random: &mut Random) -> Program {
    let module: Module = parse(text).into_module().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let parameters = module.interface().unwrap().parameters;
    let argument = |shape| Some(Data::from(random_value(shape, random)));
    Program { arguments: parameters.iter().map(argument).collect(), module }
}

/// Checks that no operation can be replaced by its value or by one of its operands.
#[track_caller]
fn assert_minimal(search: &Shrinker, holds: &dyn Fn(&Program) -> Option<Values>) {
    let program = search.program();
    let text = program.module.to_string();
    let values = holds(program).unwrap_or_else(|| panic!("the property is lost:\n{text}"));
    let entry = program.module.entry.unwrap();
    for id in operations(program) {
        let kept: BTreeSet<InstructionId> =
            operations(program).into_iter().filter(|other| *other != id).collect();
        let options = CutOptions { max_constant_elements: 0, keeps_annotations: true };
        let value = |id: InstructionId| {
            let shape = &program.module.entry_computation()?.get(id)?.shape;
            values[id.index()].clone().or_else(|| Literal::zeros(shape).ok().map(Data::from))
        };
        let smaller = cut(&program.module, entry, &kept, &Results::Used, &options, value);
        if let Ok(smaller) = smaller
            && smaller.program.arguments.iter().all(Option::is_some)
        {
            assert!(holds(&smaller.program).is_none(), "removable {id:?}:\n{text}");
        }
        for with in bypass::operands(program, id) {
            let smaller = bypass::bypassed(program, id, with).unwrap();
            assert!(holds(&smaller).is_none(), "bypassable {id:?}:\n{text}");
        }
    }
}

#[track_caller]
fn assert_shrinks(
    text: &str,
    random: &mut Random,
    expected: usize,
    holds: &dyn Fn(&Program) -> Option<Values>,
) {
    let program = program(text, random);
    let search = shrink(program, None, ShrinkOptions::default(), holds);
    assert_eq!(search.end(), Some(End::Minimal), "{text}");
    assert_minimal(&search, holds);
    let progress = search.progress();
    let reduced = search.program().module.to_string();
    assert!(progress.instructions <= expected, "{reduced}");
    assert!(progress.original_instructions > 30 && progress.tries < 800, "{progress:?}\n{reduced}");
}

#[test]
fn twenty_planted_failures_are_reduced_to_a_minimum() {
    let mut random = Random(2024);
    let nan = ["m = {s} abs({x}) n = {s} negate(m) k = {s} log(n) planted = {s} add(k, k)"];
    let infinity = ["k = f32[] constant(1e20) b = {s} broadcast(k), dimensions={} c = {s} multiply(b, b)
        planted = {s} minimum(c, {x})"];
    let error = [
        "c = {s} cosine({x}) k = {s} custom-call(c), custom_call_target=\"missing\" planted = {s} negate(k)",
    ];
    for case in 0..5 {
        let count = 20 + 8 * case;
        // Of a negative number.
        assert_shrinks(&generate(&mut random, count, &nan), &mut random, 1, &makes_nan);
        assert_shrinks(&generate(&mut random, count, &infinity), &mut random, 1, &makes_infinity);
        assert_shrinks(&generate(&mut random, count, &error), &mut random, 1, &fails);
        let text = generate(&mut random, count, &["b = {s} negate({x}) planted = {s} cosine(b)"]);
        let program = program(&text.replace("cosine(b)", "tanh(b)"), &mut Random(case as u64));
        let reference = run(&program).1.values;
        let entry = program.module.entry_computation().unwrap();
        let named = entry.instructions.iter().zip(reference);
        let expected: BTreeMap<String, Data> =
            named.filter_map(|(instruction, value)| Some((instruction.name.clone(), value?))).collect();
        assert_shrinks(&text, &mut Random(case as u64), 1, &|program| differs(program, &expected));
    }
}

#[test]
fn a_property_of_two_instructions_needs_both() {
    let mut random = Random(5);
    for seed in 0..4 {
        let text =
            generate(&mut random, 24 + seed, &["b = {s} sine({x}) c = {s} cosine(b) planted = {s} sine(c)"]);
        // Two sines, one of which depends on the other.
        let holds = |program: &Program| {
            let entry = program.module.entry_computation()?;
            let values = run(program).1.values;
            let sines: Vec<_> = entry.iter().filter(|(_, i)| i.opcode == "sine").map(|(id, _)| id).collect();
            let depends = |of: InstructionId, on: InstructionId| {
                let mut worklist = vec![of];
                while let Some(id) = worklist.pop() {
                    if id == on {
                        return true;
                    }
                    worklist.extend(entry.get(id).unwrap().operands.iter().copied());
                }
                false
            };
            let is_found = sines.iter().any(|a| sines.iter().any(|b| a != b && depends(*a, *b)));
            is_found.then_some(values)
        };
        assert_shrinks(&text, &mut random, 2, &holds);
    }
}

#[test]
fn failures_within_calls_and_loops_are_inlined() {
    let text = "HloModule m
        g { p = f32[8] parameter(0) a = f32[8] abs(p) n = f32[8] negate(a) ROOT l = f32[8] log(n) }
        f { p = f32[8] parameter(0) c = f32[8] cosine(p) ROOT r = f32[8] call(c), to_apply=g }
        cond { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0
          n = s32[] constant(3) ROOT l = pred[] compare(i, n), direction=LT }
        body { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0
          w = f32[8] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
          y = f32[8] call(w), to_apply=f ROOT t = (s32[], f32[8]) tuple(j, y) }
        ENTRY e { x = f32[8] parameter(0) z = s32[] constant(0) s = (s32[], f32[8]) tuple(z, x)
          u = (s32[], f32[8]) while(s), condition=cond, body=body
          r = f32[8] get-tuple-element(u), index=1 ROOT o = f32[8] sine(r) }";
    let search = shrink(program(text, &mut Random(3)), None, ShrinkOptions::default(), makes_nan);
    let reduced = search.program().module.to_string();
    assert_eq!((search.end(), search.progress().instructions), (Some(End::Minimal), 1), "{reduced}");
    assert_eq!(search.program().module.computations.len(), 1, "{reduced}");
    // The dimension is as small as it can be.
    assert!(reduced.contains("f32[1]{0} log("), "{reduced}");
    assert_minimal(&search, &makes_nan);
}

#[test]
fn a_search_stops_and_goes_on() {
    let mut random = Random(11);
    let text = generate(&mut random, 30, &["m = {s} abs({x}) n = {s} negate(m) planted = {s} log(n)"]);
    let original = program(&text, &mut random);
    let mut search =
        Shrinker::new(original, None, ShrinkOptions { max_tries: 7, ..ShrinkOptions::default() });
    let first = search.next_candidate().unwrap().module.to_string();
    // The same candidate until it is answered.
    assert_eq!(search.next_candidate().unwrap().module.to_string(), first);
    while let Some(candidate) = search.next_candidate() {
        match makes_nan(candidate) {
            Some(values) => search.keep(values),
            None => search.reject(),
        }
    }
    assert_eq!((search.end(), search.progress().tries), (Some(End::OutOfTries), 7));
    // The smallest program has the property.
    assert!(makes_nan(search.program()).is_some());
    assert!(search.progress().instructions < search.progress().original_instructions);
}

#[test]
fn what_is_not_reproduced_is_not_shrunk() {
    let original = program("HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = abs(x) }", &mut Random(1));
    let text = original.module.to_string();
    let search = shrink(original, None, ShrinkOptions::default(), makes_nan);
    assert_eq!((search.end(), search.program().module.to_string()), (Some(End::NotReproduced), text));
}

#[test]
fn the_failing_instruction_is_tried_first() {
    let mut random = Random(19);
    let text = generate(&mut random, 60, &["m = {s} abs({x}) n = {s} negate(m) planted = {s} log(n)"]);
    let original = program(&text, &mut random);
    let focus = original.module.entry_computation().unwrap().find("planted").unwrap();
    let search = shrink(original, Some(focus), ShrinkOptions::default(), makes_nan);
    assert_eq!(search.progress().instructions, 1);
    assert!(search.progress().tries < 20, "{:?}", search.progress());
}
