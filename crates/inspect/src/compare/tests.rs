//! Planted differences are found, and nothing else is.

use super::*;
use xla_hlo::{InstructionId, Module, PrintOptions, parse};

const BASE: &str = "
    add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = add(p, q) }
    fused { a = f32[4,8] parameter(0) b = f32[4,8] parameter(1) m = multiply(a, b) n = negate(m)
      ROOT k = tanh(n) }
    ENTRY e {
      x = f32[4,8] parameter(0)
      w = f32[8,8] parameter(1)
      d = f32[4,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      z = f32[] constant(0)
      c = f32[] constant(2.5)
      cb = f32[4,8] broadcast(c), dimensions={}
      f = f32[4,8] fusion(d, cb), kind=kLoop, calls=fused
      e1 = exponential(f)
      e2 = exponential(d)
      sum = add(e1, e2)
      r = f32[4] reduce(sum, z), dimensions={1}, to_apply=add
      t = f32[8,4] transpose(sum), dimensions={1,0}
      ROOT out = tuple(r, t)
    }";

fn module(text: &str) -> Module {
    parse(&format!("HloModule m {text}")).into_module().unwrap()
}

fn name(module: &Module, at: Option<InstructionAt>) -> String {
    let node = at.and_then(|p| module.get(p.computation)?.get(p.instruction));
    node.map(|i| i.name.clone()).unwrap_or_default()
}

/// The differences after a replacement in the text: kind, names in both modules, parts.
#[track_caller]
fn planted(from: &str, to: &str) -> Vec<(ChangeKind, String, String, Vec<String>)> {
    assert!(BASE.contains(from), "{from}");
    let (a, b) = (module(BASE), module(&BASE.replacen(from, to, 1)));
    let describe =
        |c: &Change| (c.kind, name(&a, c.a), name(&b, c.b), c.details.iter().map(Detail::property).collect());
    diff(&a, &b).changes.iter().map(describe).collect()
}

#[track_caller]
fn assert_planted(from: &str, to: &str, expected: &[(ChangeKind, &str, &str, &[&str])]) {
    let owned = |(kind, a, b, parts): &(ChangeKind, &str, &str, &[&str])| {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        (*kind, (*a).to_owned(), (*b).to_owned(), parts)
    };
    assert_eq!(planted(from, to), expected.iter().map(owned).collect::<Vec<_>>());
}

#[test]
fn a_module_equals_itself() {
    let a = module(BASE);
    let found = diff(&a, &a);
    assert!(found.changes.is_empty() && found.is_equivalent());
    assert_eq!((found.matched, found.unchanged), (21, 21));
}

#[test]
fn one_change_is_one_difference() {
    use ChangeKind::Changed;
    assert_planted(
        "r = f32[4] reduce(sum, z)",
        "r = f32[4] reduce(e1, z)",
        &[(Changed, "r", "r", &["operand 0"])],
    );
    assert_planted("e2 = exponential(d)", "e2 = tanh(d)", &[(Changed, "e2", "e2", &["opcode"])]);
    assert_planted("constant(2.5)", "constant(2.75)", &[(Changed, "c", "c", &["literal="])]);
    assert_planted("n = negate(m)", "n = abs(m)", &[(Changed, "n", "n", &["opcode"])]);
    assert_planted("ROOT s = add(p, q)", "ROOT s = maximum(p, q)", &[(Changed, "s", "s", &["opcode"])]);
    assert_planted(
        "sum = add(e1, e2)",
        "sum = add(e2, e1)",
        &[(Changed, "sum", "sum", &["operand 0", "operand 1"])],
    );
    assert_planted("kind=kLoop", "kind=kOutput", &[(Changed, "f", "f", &["kind="])]);
}

#[test]
fn a_contraction_of_other_dimensions_is_an_attribute() {
    assert_planted(
        "rhs_contracting_dims={0}",
        "rhs_contracting_dims={1}",
        &[(ChangeKind::Changed, "d", "d", &["rhs_contracting_dims="])],
    );
}

#[test]
fn layouts_annotations_and_names_rank_below_operations() {
    use ChangeKind::{AnnotationsChanged, LayoutChanged, Renamed};
    assert_planted(
        "t = f32[8,4] transpose(sum)",
        "t = f32[8,4]{0,1} transpose(sum)",
        &[(LayoutChanged, "t", "t", &["layout"]), (LayoutChanged, "out", "out", &["layout"])],
    );
    assert_planted(
        "dimensions={1,0}",
        "dimensions={1,0}, metadata={op_name=\"t\"}",
        &[(AnnotationsChanged, "t", "t", &["metadata"])],
    );
    assert_planted("ROOT k = tanh(n)", "ROOT k.7 = tanh(n)", &[(Renamed, "k", "k.7", &["name"])]);
}

#[test]
fn inserted_and_deleted_instructions_change_only_their_users() {
    use ChangeKind::{Changed, Deleted, Inserted};
    assert_planted(
        "e1 = exponential(f)",
        "cp = f32[4,8] copy(f) e1 = exponential(cp)",
        &[(Changed, "e1", "e1", &["operand 0"]), (Inserted, "", "cp", &[])],
    );
    assert_planted(
        "ROOT k = tanh(n)",
        "h = tanh(n) ROOT k2 = negate(h)",
        &[(Inserted, "", "k2", &[]), (ChangeKind::Renamed, "k", "h", &["name"])],
    );
    assert_planted(
        "m = multiply(a, b) n = negate(m)",
        "n = multiply(a, b)",
        &[
            (Changed, "k", "k", &["operand 0"]),
            (Deleted, "n", "", &[]),
            (ChangeKind::Renamed, "m", "n", &["name"]),
        ],
    );
}

#[test]
fn an_instruction_that_moves_into_a_fusion_is_recognized() {
    let a = module(BASE);
    let text = BASE
        .replace("e1 = exponential(f)", "")
        .replace("add(e1, e2)", "add(f, e2)")
        .replace("ROOT k = tanh(n)", "k = tanh(n) ROOT e1 = exponential(k)");
    let b = module(&text);
    let found = diff(&a, &b);
    let moved: Vec<_> = found.changes.iter().filter(|c| c.kind == ChangeKind::Moved).collect();
    assert_eq!(moved.len(), 1, "{:?}", found.changes);
    assert_eq!((name(&a, moved[0].a), name(&b, moved[0].b)), ("e1".to_owned(), "e1".to_owned()));
    assert!(
        !found.counts().contains_key(&ChangeKind::Deleted)
            && !found.counts().contains_key(&ChangeKind::Inserted)
    );
}

#[test]
fn computations_are_inserted_and_deleted_as_a_whole() {
    let a = module(BASE);
    let text = BASE.replace("f = f32[4,8] fusion(d, cb), kind=kLoop, calls=fused", "f = multiply(d, cb)");
    let b = module(&text[text.find("ENTRY").unwrap()..].replace(
        ", to_apply=add",
        ", to_apply={ p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = add(p, q) }",
    ));
    let found = diff(&a, &b);
    assert_eq!(found.deleted_computations, [a.find("fused").unwrap()]);
    assert!(found.inserted_computations.is_empty());
    let found = diff(&b, &a);
    assert_eq!(found.inserted_computations, [a.find("fused").unwrap()]);
}

/// The module with other names, printed in another order where that is possible.
fn renamed(module: &Module) -> Module {
    let mut renamed = module.clone();
    for (c, computation) in renamed.computations.iter_mut().enumerate() {
        computation.name = format!("region_{}", c * 7 % 100);
        for (i, instruction) in computation.instructions.iter_mut().enumerate() {
            instruction.name = format!("{}.{}", instruction.opcode, (i * 31 + c) % 1000);
        }
    }
    parse(&renamed.text(PrintOptions::LONG)).into_module().unwrap()
}

fn samples() -> Vec<(String, Module)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hlo-samples");
    let mut samples = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "hlo") {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut sample = parse(&text).into_module().unwrap();
            for instruction in sample.computations.iter_mut().flat_map(|c| &mut c.instructions) {
                // They have names.
                instruction.annotations.retain(|(name, _)| name != "control-predecessors");
            }
            samples.push((path.display().to_string(), sample));
        }
    }
    samples.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(samples.len() >= 30);
    samples
}

#[test]
fn renamed_samples_are_equivalent() {
    for (file, sample) in samples() {
        let found = diff(&sample, &renamed(&sample));
        assert!(found.is_equivalent(), "{file}: {:?}", found.groups);
        let total: usize = sample.computations.iter().map(|c| c.instructions.len()).sum();
        assert_eq!(found.matched, total, "{file}");
    }
}

#[test]
fn a_planted_opcode_is_found_in_every_renamed_sample() {
    let mut planted = 0;
    for (file, sample) in samples() {
        let mut changed = renamed(&sample);
        for (from, to) in [("add", "subtract"), ("multiply", "divide"), ("exponential", "tanh")] {
            let before = changed.clone();
            let entries = changed.computations.iter_mut().rev().flat_map(|c| &mut c.instructions);
            let Some(instruction) = entries.into_iter().find(|i| i.opcode == from) else { continue };
            instruction.opcode = to.to_owned();
            instruction.op = xla_ops::find(to);
            let planted_name = instruction.name.clone();
            let found = diff(&sample, &changed);
            let major: Vec<_> = found.changes.iter().filter(|c| c.kind < ChangeKind::LayoutChanged).collect();
            assert_eq!(major.len(), 1, "{file} {from}: {major:?}");
            assert_eq!(name(&changed, major[0].b), planted_name, "{file}");
            assert_eq!(major[0].details[0], Detail::Opcode);
            changed = before;
            planted += 1;
        }
    }
    assert!(planted > 30, "{planted}");
}

#[test]
fn large_modules_are_compared_without_a_quadratic_step() {
    use std::fmt::Write as _;
    // A wide layer of equal operations and long chains: both have large groups of equal hashes.
    let program = |chain: usize, opcode_of: &dyn Fn(usize) -> &'static str| {
        let mut text = String::from("ENTRY e { x = f32[8] parameter(0) ");
        for i in 0..chain {
            let opcode = opcode_of(i);
            let operand = if i % 100 == 0 { "x".to_owned() } else { format!("v{}", i - 1) };
            write!(text, "v{i} = f32[8] {opcode}({operand}) ").unwrap();
        }
        let ends: Vec<String> = (99..chain).step_by(100).map(|i| format!("v{i}")).collect();
        write!(text, "ROOT t = tuple({}) }}", ends.join(", ")).unwrap();
        module(&text)
    };
    let opcodes = ["negate", "tanh", "exponential"];
    let a = program(20_000, &|i| opcodes[i % 3]);
    let b = program(20_000, &|i| if i == 12_345 { "abs" } else { opcodes[i % 3] });
    let found = diff(&a, &b);
    let changes: Vec<_> = found.changes.iter().map(|c| (c.kind, name(&a, c.a))).collect();
    assert_eq!(changes, [(ChangeKind::Changed, "v12345".to_owned())]);
    assert_eq!(found.groups[0].changes, [0]);
    let first = changes.first().map(|_| found.changes[0].a.unwrap().instruction);
    assert_eq!(first, Some(InstructionId(12_346)));
}

/// The texts of the first change in both modules, and the pieces of the first that are marked.
fn both_texts(a: &str, b: &str) -> ([String; 2], Vec<(String, written::Mark)>) {
    let (a, b) = (module(a), module(b));
    let found = diff(&a, &b);
    let change = &found.changes[0];
    let pieces = [(change.a, 0), (change.b, 1)]
        .map(|(at, side)| written::written([&a, &b], &found.matching, at.unwrap(), Some(change), side));
    let marked = pieces[0].iter().filter(|piece| piece.mark != written::Mark::Same);
    let marked = marked.map(|piece| (piece.text.clone(), piece.mark)).collect();
    (pieces.map(|pieces| pieces.into_iter().map(|piece| piece.text).collect()), marked)
}

#[test]
fn different_operands_of_one_name_have_the_names_of_their_matches() {
    // The definitions of a and b are exchanged, so that each is matched with the other.
    let text = |a: &str, b: &str| {
        format!(
            "ENTRY e {{ x = f32[2] parameter(0) {a} = negate(x) {b} = exponential(x) ROOT r = subtract(a, b) }}"
        )
    };
    let (texts, marked) = both_texts(&text("a", "b"), &text("b", "a"));
    assert_eq!(
        texts,
        ["r = f32[2]{0} subtract(a (→ b), b (→ a))", "r = f32[2]{0} subtract(a (← b), b (← a))"]
    );
    assert_eq!(marked[0], ("a".to_owned(), written::Mark::Different));
    assert_eq!(marked[1], ("(→ b)".to_owned(), written::Mark::Counterpart));
    // Names that differ say enough.
    let swapped =
        "ENTRY e { x = f32[2] parameter(0) a = negate(x) b = exponential(x) ROOT r = subtract(b, a) }";
    let (texts, _) = both_texts(&text("a", "b"), swapped);
    assert_eq!(texts, ["r = f32[2]{0} subtract(a, b)", "r = f32[2]{0} subtract(b, a)"]);
}

#[test]
fn renamed_operands_are_marked() {
    let text = |a: &str, b: &str, shape: &str| {
        format!(
            "ENTRY e {{ x = f32[2] parameter(0) {a} = negate(x) {b} = exponential(x) ROOT r = {shape} subtract({a}, {b}) }}"
        )
    };
    let (texts, marked) = both_texts(&text("a", "b", "f32[2]{0}"), &text("b", "a", "f32[2]{0:T(8)}"));
    assert!(texts[0].contains("(a, b)") && texts[1].contains("(b, a)"), "{texts:?}");
    for operand in ["a", "b"] {
        assert!(marked.contains(&(operand.to_owned(), written::Mark::Renamed)), "{marked:?}");
    }
}
