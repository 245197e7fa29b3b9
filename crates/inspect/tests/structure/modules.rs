//! Generated modules: random ones, wide, deep and nested ones, and adversarial ones.

use std::fmt::Write as _;

use test_support::Random;
use xla_hlo::{Computation, Module};
use xla_messages::diagnostic::Severity;
use xla_ops::{AttrValue, ComputationId};

/// Parses text without errors.
pub fn module(text: &str) -> Module {
    let parsed = xla_hlo::parse(text);
    let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    assert!(error.is_none(), "{error:?}");
    parsed.module
}

/// The instructions of a computation, each using random ones before it; `callees` are computations with one parameter.
fn body(text: &mut String, random: &mut Random, count: usize, callees: usize) {
    text.push_str("  v0 = f32[4]{0} parameter(0)\n");
    for i in 1..count.max(2) {
        // Near operands, and sometimes far ones.
        let mut operand = || if random.one_in(6) { random.below(i) } else { i - 1 - random.below(i.min(5)) };
        let (a, b) = (operand(), operand());
        let root = if i + 1 == count.max(2) { "ROOT " } else { "" };
        let _ = match random.below(if callees > 0 { 6 } else { 4 }) {
            0 => writeln!(text, "  {root}v{i} = f32[4]{{0}} negate(v{a})"),
            1 => writeln!(text, "  {root}v{i} = f32[4]{{0}} constant({{1, 2, 3, 4}})"),
            4 => {
                let called = random.below(callees);
                writeln!(text, "  {root}v{i} = f32[4]{{0}} call(v{a}), to_apply=fn{called}")
            }
            5 => {
                let branches = [random.below(callees), random.below(callees)];
                let _ = writeln!(text, "  p{i} = s32[] constant(0)");
                writeln!(
                    text,
                    "  {root}v{i} = f32[4]{{0}} conditional(p{i}, v{a}, v{b}), branch_computations={{fn{}, fn{}}}",
                    branches[0], branches[1]
                )
            }
            _ => writeln!(text, "  {root}v{i} = f32[4]{{0}} add(v{a}, v{b})"),
        };
    }
}

/// A random module of up to `computations` computations with up to `instructions` instructions each.
pub fn random(seed: u64, computations: usize, instructions: usize) -> Module {
    let mut random = Random::new(seed);
    let mut text = "HloModule m\n".to_owned();
    let count = random.below(computations);
    for i in 0..count {
        let _ = writeln!(text, "fn{i} {{");
        let size = random.count(instructions);
        body(&mut text, &mut random, size, i);
        text.push_str("}\n");
    }
    text.push_str("ENTRY e {\n");
    let size = random.count(instructions);
    body(&mut text, &mut random, size, count);
    module(&(text + "}\n"))
}

/// `count` instructions in layers of `width`, each using two of the layer before.
pub fn layers(count: usize, width: usize) -> Module {
    let mut random = Random::new(7);
    let mut text = "HloModule m\nENTRY e {\n".to_owned();
    for i in 0..count {
        let row = i / width;
        let _ = if row == 0 {
            writeln!(text, "v{i} = f32[128,256]{{1,0}} parameter({i})")
        } else {
            let mut operand = || {
                let column = (i % width + random.below(5)).saturating_sub(2).min(width - 1);
                (row - 1) * width + column
            };
            let (a, b) = (operand(), operand());
            writeln!(
                text,
                "v{i} = f32[128,256]{{1,0}} add(v{a}, v{b}), metadata={{op_name=\"jit(f)/layer{row}/add\"}}"
            )
        };
    }
    module(&(text + "}\n"))
}

/// One chain of `count` instructions.
pub fn chain(count: usize) -> Module {
    let mut text = "HloModule m\nENTRY e {\nv0 = f32[8]{0} parameter(0)\n".to_owned();
    for i in 1..count {
        let _ = writeln!(text, "v{i} = f32[8]{{0}} negate(v{})", i - 1);
    }
    module(&(text + "}\n"))
}

/// `count` users of one value, and an instruction that uses them all.
pub fn star(count: usize) -> Module {
    let mut text = "HloModule m\nENTRY e {\nv0 = f32[8]{0} parameter(0)\n".to_owned();
    for i in 1..=count {
        let _ = writeln!(text, "v{i} = f32[8]{{0}} negate(v0)");
    }
    let operands: Vec<String> = (1..=count).map(|i| format!("v{i}")).collect();
    let shapes = vec!["f32[8]{0}"; count].join(", ");
    let _ = writeln!(text, "ROOT t = ({shapes}) tuple({})", operands.join(", "));
    module(&(text + "}\n"))
}

/// A chain in which every instruction also uses the parameter and a value far before it.
pub fn long_edges(count: usize) -> Module {
    let mut text =
        "HloModule m\nENTRY e {\nv0 = f32[8]{0} parameter(0)\nv1 = f32[8]{0} negate(v0)\n".to_owned();
    for i in 2..count {
        let _ = writeln!(text, "v{i} = f32[8]{{0}} clamp(v{}, v0, v{})", i - 1, i / 2);
    }
    module(&(text + "}\n"))
}

/// `count` computations, each calling the previous one `calls` times. Not parsed as a whole: the parser reports nesting as
/// deep as this.
pub fn nested(count: usize, calls: usize) -> Module {
    let mut text = "HloModule m\nfn0 { x = f32[] parameter(0) ROOT r = f32[] negate(x) }\n".to_owned();
    text.push_str("fn1 { v0 = f32[] parameter(0)\n");
    for call in 1..=calls {
        let _ = writeln!(text, "v{call} = f32[] call(v{}), to_apply=fn0", call - 1);
    }
    text.push_str("}\nENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=fn1 }");
    let mut module = module(&text);
    let mut entry = module.computations.pop().unwrap();
    let step = module.computations.pop().unwrap();
    let set_callee = |computation: &mut Computation, callee: usize| {
        let callee = ComputationId(u32::try_from(callee).unwrap());
        let calls = computation.instructions.iter_mut().filter(|i| i.opcode == "call");
        calls.for_each(|i| i.attrs.set("to_apply", AttrValue::Computation(callee)));
    };
    for i in 1..count {
        let mut step = step.clone();
        step.name = format!("fn{i}");
        set_callee(&mut step, i - 1);
        module.computations.push(step);
    }
    set_callee(&mut entry, count - 1);
    module.entry = Some(ComputationId(u32::try_from(count).unwrap()));
    module.computations.push(entry);
    module
}

/// `fusions` computations of `size` instructions, called by as many fusions in a random order.
pub fn fusions(fusions: usize, size: usize) -> Module {
    let mut text = "HloModule m\n".to_owned();
    let mut random = Random::new(3);
    for i in 0..fusions {
        let _ = writeln!(text, "fused.{i} {{");
        body(&mut text, &mut random, size, 0);
        text.push_str("}\n");
    }
    text.push_str("ENTRY e {\nv0 = f32[4]{0} parameter(0)\n");
    for i in 0..fusions {
        let operand = (i + 1).saturating_sub(1 + random.below(3));
        let _ = writeln!(text, "v{} = f32[4]{{0}} fusion(v{operand}), kind=kLoop, calls=fused.{i}", i + 1);
    }
    module(&(text + "}\n"))
}

/// Many small random modules.
pub fn samples() -> impl Iterator<Item = Module> {
    (0..60).map(|seed| random(seed, 7, 30))
}

#[cfg(test)]
#[test]
fn generated_modules_have_the_size_that_they_are_asked_for() {
    let instructions =
        |module: &Module| module.computations.iter().map(|c| c.instructions.len()).sum::<usize>();
    assert_eq!(instructions(&layers(100, 10)), 100);
    assert_eq!(instructions(&chain(100)), 100);
    assert_eq!(instructions(&star(100)), 102);
    assert_eq!(instructions(&long_edges(100)), 100);
    assert_eq!(instructions(&nested(100, 2)), 2 + 99 * 3 + 2);
    assert!(instructions(&fusions(10, 9)) >= 100);
    let calls: usize =
        samples().map(|module| xla_inspect::calls::CallGraph::new(&module).calls().len()).sum();
    assert!(calls > 500, "{calls}");
}
