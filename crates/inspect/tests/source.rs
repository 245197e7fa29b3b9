//! Source locations of programs that JAX printed, and costs by them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use xla_hlo::Module;
use xla_inspect::performance::Performance;
use xla_inspect::performance::cost::Cost;
use xla_inspect::source::Sources;
use xla_inspect::source::groups::{GroupBy, GroupKey, groups};

fn sample(name: &str) -> Module {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hlo-samples");
    let text = std::fs::read_to_string(format!("{folder}/{name}.hlo")).expect("a sample");
    xla_hlo::parse(&text).into_module().expect("a program")
}

#[test]
fn stacks_lead_from_an_instruction_to_its_callers() {
    let module = sample("attention_block.compiled");
    let sources = Sources::of(&module);
    assert!(sources.files().iter().any(|file| file == "models.py"));
    // Line 44 is in `_ln`, which `attention_block` calls in line 47.
    let ids = module.computations.iter().zip(0..).flat_map(|(computation, id)| {
        computation.iter().map(move |(at, _)| (xla_ops::ComputationId(id), at))
    });
    let stack = ids
        .map(|at| sources.stack(at))
        .find(|stack| stack.first().is_some_and(|location| location.line == 44))
        .expect("a stack");
    let function = |n: usize| stack[n].function.map(|function| sources.functions()[function].as_str());
    assert_eq!((function(0), function(1)), (Some("_ln"), Some("attention_block")));
    assert_eq!(stack[1].line, 47);
}

#[test]
fn lines_of_a_file_lead_to_their_instructions() {
    let module = sample("attention_block.compiled");
    let sources = Sources::of(&module);
    let files = sources.files_named("C:\\work\\models.py");
    assert_eq!(files.len(), 1);
    assert!(sources.files_named("another.py").is_empty());
    let lines = sources.lines(&module, &files);
    for (line, instructions) in &lines {
        for at in instructions {
            assert!(
                sources
                    .stack(*at)
                    .iter()
                    .any(|location| location.file == files[0] && location.contains(*line))
            );
        }
    }
    // The layer norm and the heads.
    assert!(lines.contains_key(&44) && lines.contains_key(&48), "{:?}", lines.keys());
    // In the caller's file, instructions belong to the call.
    let caller = sources.lines(&module, &sources.files_named("gen.py"));
    assert!(caller.values().map(Vec::len).sum::<usize>() > 0);
}

#[test]
fn costs_of_groups_add_up_to_the_program() {
    for name in ["attention_block", "convnet_grad", "mlp_train_step", "rnn_scan", "softmax_2d"] {
        for kind in ["lowered", "compiled"] {
            let module = sample(&format!("{name}.{kind}"));
            let performance = Performance::of(&module);
            let sources = Sources::of(&module);
            let by =
                [GroupBy::File, GroupBy::Line, GroupBy::Function, GroupBy::OpName(1), GroupBy::OpName(3)];
            for by in by {
                let found = groups(&module, &sources, &performance.costs, &performance.roles, by);
                let sum = found.iter().fold(Cost::default(), |sum, group| sum.plus(group.cost));
                assert_eq!(sum, performance.costs.total(), "{name}.{kind} {by:?}");
                assert!(found.is_sorted_by_key(|group| std::cmp::Reverse(group.cost.flops)));
            }
        }
    }
}

#[test]
fn metadata_without_tables_has_file_and_line() {
    let text = "HloModule m
ENTRY e {
  x = f32[8] parameter(0), metadata={op_name=\"x\"}
  y = f32[8] negate(x), metadata={op_name=\"jit(f)/neg\" source_file=\"/a/net.py\" source_line=7}
  ROOT z = f32[8] add(y, y), metadata={op_name=\"jit(f)/add\" source_file=\"/b/net.py\" source_line=9}
}";
    let module = xla_hlo::parse(text).into_module().expect("a program");
    let (sources, performance) = (Sources::of(&module), Performance::of(&module));
    assert_eq!(sources.files(), ["/a/net.py", "/b/net.py"]);
    assert_eq!(sources.files_named("b/net.py"), [1]);
    assert_eq!(sources.files_named("net.py"), [0, 1]);
    let found = groups(&module, &sources, &performance.costs, &performance.roles, GroupBy::Line);
    let summary: Vec<_> =
        found.iter().map(|group| (group.key.clone(), group.cost.flops, group.cost.bytes())).collect();
    // Of equal FLOPs, the group with more bytes is first.
    assert_eq!(
        summary,
        [(GroupKey::Line(1, 9), 8, 96), (GroupKey::Line(0, 7), 8, 64), (GroupKey::Unknown, 0, 0)]
    );
}
