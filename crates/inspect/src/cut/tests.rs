//! Cut-outs of the samples compute the same bits as the whole program.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use xla_array::literal::Equality;
use xla_array::values::ValueRule;
use xla_array::{Literal, Shape};
use xla_hlo::{Evaluator, InstructionId, Module, parse};
use xla_ops::{ComputationId, Data};

/// Numbers that look random and are the same in every run.
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

fn samples() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hlo-samples");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "hlo")).collect();
    files.sort();
    files
}

/// A value of a shape: small numbers, so that indices and loop counts stay in range.
pub(super) fn random_value(shape: &Shape, random: &mut Random) -> Literal {
    match shape {
        Shape::Array(array) => {
            let source = xla_array::values::ValueSource::new(
                &ValueRule::Random(u32::try_from(random.below(1000)).unwrap()),
                array,
            );
            let source = source.unwrap();
            let element = |i: i64, _: &[i64]| match source.value(i) {
                xla_array::Value::Int(n) => xla_array::Value::Int(n.rem_euclid(4)),
                xla_array::Value::Uint(n) => xla_array::Value::Uint(n % 4),
                other => other,
            };
            Literal::Array(xla_array::ArrayLiteral::from_fn(array.clone(), element).unwrap())
        }
        Shape::Tuple(elements) => {
            Literal::Tuple(elements.iter().map(|shape| random_value(shape, random)).collect())
        }
        other => panic!("{other:?}"),
    }
}

/// The values of the first call of each computation.
struct FirstCalls {
    calls: BTreeMap<ComputationId, u64>,
    values: BTreeMap<(ComputationId, InstructionId), Data>,
}

impl xla_hlo::Observer for FirstCalls {
    fn value(&mut self, frame: xla_hlo::Frame, id: InstructionId, value: &Data) -> std::ops::ControlFlow<()> {
        if *self.calls.entry(frame.computation).or_insert(frame.call) == frame.call {
            self.values.insert((frame.computation, id), value.clone());
        }
        std::ops::ControlFlow::Continue(())
    }
}

fn values_of(module: &Module, random: &mut Random) -> BTreeMap<(ComputationId, InstructionId), Data> {
    let parameters = module.interface().unwrap().parameters;
    let arguments: Vec<Literal> = parameters.iter().map(|shape| random_value(shape, random)).collect();
    let mut calls = FirstCalls { calls: BTreeMap::new(), values: BTreeMap::new() };
    Evaluator::new(module).observer(&mut calls).run(&arguments).unwrap();
    calls.values
}

#[test]
fn selections_of_all_samples_compute_the_same_bits() {
    let mut random = Random(7);
    let (mut cuts, mut compared) = (0, 0);
    let files = samples();
    assert!(files.len() >= 30);
    for file in files {
        let module = parse(&std::fs::read_to_string(&file).unwrap()).into_module().unwrap();
        let values = values_of(&module, &mut random);
        for (id, computation) in (0..).map(ComputationId).zip(&module.computations) {
            let known: Vec<InstructionId> =
                values.keys().filter(|(c, _)| *c == id).map(|(_, instruction)| *instruction).collect();
            if known.is_empty() {
                continue;
            }
            for keep in [1, 3, known.len()] {
                let selection: BTreeSet<InstructionId> =
                    (0..keep).map(|_| known[random.below(known.len())]).collect();
                let options = CutOptions {
                    max_constant_elements: i64::try_from(random.below(3) * 8).unwrap(),
                    keeps_annotations: random.below(2) == 0,
                };
                let value = |instruction| values.get(&(id, instruction)).cloned();
                let found = cut(&module, id, &selection, &Results::Used, &options, value);
                let found =
                    found.unwrap_or_else(|error| panic!("{} {selection:?} {error:?}", file.display()));
                let arguments: Vec<Literal> =
                    found.program.known_arguments().unwrap().iter().map(Data::to_literal).collect();
                let program = &found.program.module;
                let outcome = Evaluator::new(program).run_with_values(&arguments).unwrap();
                let entry = program.entry_computation().unwrap();
                for ((new, instruction), origin) in entry.iter().zip(&found.origins) {
                    let Some(origin) = *origin else {
                        assert_eq!(instruction.opcode, "tuple");
                        continue;
                    };
                    let (Some(after), Some(before)) = (outcome.values.get(new), values.get(&(id, origin)))
                    else {
                        continue;
                    };
                    assert!(after.equals(before, Equality::Bits), "{} {}", file.display(), instruction.name);
                    let original = computation.get(origin).unwrap();
                    assert_eq!(instruction.name, original.name, "{}", file.display());
                    if instruction.annotation("metadata").is_some() {
                        let sources = [instruction, original].map(xla_hlo::Instruction::source_metadata);
                        let found = program.source_locations(&sources[0]);
                        assert_eq!(found, module.source_locations(&sources[1]), "{}", instruction.name);
                    }
                    compared += 1;
                }
                let origins: BTreeSet<_> = found.origins.iter().flatten().copied().collect();
                assert!(selection.is_subset(&origins));
                cuts += 1;
            }
        }
    }
    assert!(cuts > 300 && compared > 3000, "{cuts} {compared}");
}

const TEXT: &str = "HloModule m, is_scheduled=true, replica_count=2
    f { p = f32[3] parameter(0) ROOT q = negate(p), metadata={op_name=\"n\"} }
    ENTRY e {
      a = f32[3] parameter(0)
      b = f32[64] parameter(1)
      c = f32[3] constant({1, 2, 3})
      d = f32[3] add(a, c), metadata={op_name=\"d\"}
      f.1 = f32[3] call(d), to_apply=f
      g = f32[64] exponential(b)
      h = f32[64] negate(g), control-predecessors={f.1, d}
      i = f32[3] multiply(f.1, c)
      ROOT t = (f32[3], f32[64]) tuple(i, h)
    }";

fn cut_text(names: &[&str], options: &CutOptions, knows_values: bool) -> (String, usize) {
    let module = parse(TEXT).into_module().unwrap();
    let entry = module.entry_computation().unwrap();
    let values = values_of(&module, &mut Random(1));
    let selection = names.iter().map(|name| entry.find(name).unwrap()).collect();
    let id = module.entry.unwrap();
    let value = |instruction| knows_values.then(|| values[&(id, instruction)].clone());
    let found = cut(&module, id, &selection, &Results::Used, options, value).unwrap();
    let text =
        found.program.module.text(xla_hlo::PrintOptions { percent: false, ..xla_hlo::PrintOptions::LONG });
    (text, found.program.arguments.len())
}

#[test]
fn captured_values_become_parameters_or_constants() {
    let (text, arguments) = cut_text(&["i", "h"], &CutOptions::default(), true);
    assert!(text.contains("f.1 = f32[3]{0} constant({"), "{text}");
    assert!(text.contains("c = f32[3]{0} constant({1, 2, 3})"));
    assert!(text.contains("g = f32[64]{0} parameter(0)"));
    assert!(text.contains("ROOT results = (f32[64]{0}, f32[3]{0}) tuple(h, i)"));
    assert!(text.contains("replica_count=2") && !text.contains("is_scheduled") && !text.contains("control"));
    assert_eq!(arguments, 1);
    let (text, arguments) = cut_text(&["i", "h"], &CutOptions::default(), false);
    assert!(text.contains("f.1 = f32[3]{0} parameter(0)") && text.contains("g = f32[64]{0} parameter(1)"));
    assert_eq!(arguments, 2);
}

#[test]
fn callees_annotations_and_control_dependences_are_kept() {
    let (text, _) = cut_text(&["d", "f.1", "h"], &CutOptions::default(), true);
    assert!(text.contains("op_name=\"n\"") && text.contains("op_name=\"d\""), "{text}");
    assert!(text.contains("control-predecessors={%d, %f.1}"), "{text}");
    let bare = CutOptions { keeps_annotations: false, ..CutOptions::default() };
    let (text, _) = cut_text(&["d", "f.1", "h"], &bare, true);
    assert!(!text.contains("metadata") && !text.contains("control") && text.contains("to_apply=f"), "{text}");
}

#[test]
fn nothing_selected_is_an_error() {
    let module = parse(TEXT).into_module().unwrap();
    let options = CutOptions::default();
    let cut = |id, ids: &[u32]| {
        let selection = ids.iter().map(|id| InstructionId(*id)).collect();
        cut(&module, id, &selection, &Results::Used, &options, |_| None)
    };
    assert_eq!(cut(ComputationId(9), &[0]).err(), Some(CutError::Nothing));
    assert_eq!(cut(ComputationId(1), &[]).err(), Some(CutError::Nothing));
    assert_eq!(cut(ComputationId(1), &[99]).err(), Some(CutError::Nothing));
}

#[test]
fn tokens_and_the_halves_of_pairs_are_cut_together() {
    let text = "HloModule m ENTRY e { x = f32[4] parameter(0) t = token[] after-all()
        i = ((f32[4]), token[]) infeed(t) s = (f32[4], f32[4], u32[]) copy-start(x)
        ROOT d = f32[4] copy-done(s) }";
    let module = parse(text).into_module().unwrap();
    let entry = module.entry_computation().unwrap();
    let selection = BTreeSet::from([entry.find("i").unwrap(), entry.find("d").unwrap()]);
    let found =
        cut(&module, module.entry.unwrap(), &selection, &Results::Used, &CutOptions::default(), |_| None);
    let text = found.unwrap().program.module.to_string();
    assert!(text.contains("after-all()") && text.contains("copy-start(x)"), "{text}");
}
