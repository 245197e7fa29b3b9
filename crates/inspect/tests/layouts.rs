//! Movement, the chains that force copies, and padding, on programs whose answers are known.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use xla_hlo::Module;
use xla_inspect::performance::bytes::{Bytes, Sizes};
use xla_inspect::performance::chain::{DataMovement, Reason, copies, opcode_at_end};
use xla_inspect::performance::cost::{Costs, Iterations};
use xla_inspect::performance::memory::memory;
use xla_inspect::performance::movement::{Movement, movement, operands_and_result};
use xla_inspect::performance::padding::padding;
use xla_inspect::performance::roles::ComputationRoles;

fn module_of(text: &str) -> Module {
    xla_hlo::parse(text).into_module().unwrap_or_else(|error| panic!("{error:?}"))
}

/// The movement of the root of an entry computation with these lines.
fn root_movement(lines: &str) -> Movement {
    let module = module_of(&format!("HloModule m\nENTRY e {{ {lines} }}"));
    let entry = module.entry.expect("an entry");
    let root = module.get(entry).and_then(|e| e.root).expect("a root");
    movement(&module, &Sizes::of(&module), (entry, root))
}

fn copies_of(text: &str) -> (Module, Vec<DataMovement>) {
    let module = module_of(text);
    let found = copies(&module, &Sizes::of(&module), &ComputationRoles::of(&module));
    (module, found)
}

#[test]
fn movement_depends_on_the_layouts_that_are_given() {
    let relayout = |bytes| Movement::Relayout { read: bytes, written: bytes };
    for (lines, expected) in [
        (
            "x = f32[3,5]{1,0} parameter(0) ROOT y = f32[5,3]{0,1} transpose(x), dimensions={1,0}",
            Movement::Free,
        ),
        (
            "x = f32[3,5]{1,0} parameter(0) ROOT y = f32[5,3]{1,0} transpose(x), dimensions={1,0}",
            relayout(60),
        ),
        // Without layouts, both are row-major.
        ("x = f32[3,5] parameter(0) ROOT y = f32[5,3] transpose(x), dimensions={1,0}", relayout(60)),
        ("x = f32[1,5] parameter(0) ROOT y = f32[5,1] transpose(x), dimensions={1,0}", Movement::Free),
        ("x = f32[3,5] parameter(0) ROOT y = f32[15] reshape(x)", Movement::Free),
        ("x = f32[3,5]{0,1} parameter(0) ROOT y = f32[15] reshape(x)", relayout(60)),
        ("x = f32[3,5] parameter(0) ROOT y = f32[15] bitcast(x)", Movement::Free),
        ("x = f32[3,5]{1,0} parameter(0) ROOT y = f32[3,5]{0,1} copy(x)", relayout(60)),
        ("x = f32[3,5] parameter(0) ROOT y = f32[3,5] copy(x)", Movement::Copies { read: 60, written: 60 }),
        ("x = f32[3,5] parameter(0) ROOT y = s32[3,5] bitcast-convert(x)", Movement::Free),
        ("x = f32[3,5] parameter(0) ROOT y = u8[3,5,4]{2,1,0} bitcast-convert(x)", Movement::Free),
        (
            "x = f32[3,5] parameter(0) ROOT y = u8[3,5,4]{1,2,0} bitcast-convert(x)",
            Movement::Relayout { read: 60, written: 60 },
        ),
        (
            "x = f32[5] parameter(0) ROOT y = f32[3,5] broadcast(x), dimensions={1}",
            Movement::Copies { read: 20, written: 60 },
        ),
        (
            "x = f32[9] parameter(0) ROOT y = f32[2] slice(x), slice={[3:5]}",
            Movement::Copies { read: 8, written: 8 },
        ),
        (
            "x = f32[2] parameter(0) y = f32[3] parameter(1) ROOT z = f32[5] concatenate(x, y), dimensions={0}",
            Movement::Copies { read: 20, written: 20 },
        ),
        ("x = f32[2] parameter(0) ROOT y = f32[2] negate(x)", Movement::Computes),
        // Tiles: the same sizes are stored with their padding.
        ("x = f32[3,5]{1,0:T(8,128)} parameter(0) ROOT y = f32[3,5]{0,1:T(8,128)} copy(x)", relayout(4096)),
        (
            "x = f32[4,8,128]{2,1,0:T(8,128)} parameter(0) ROOT y = f32[32,128]{1,0:T(8,128)} reshape(x)",
            Movement::Free,
        ),
        (
            "x = f32[4,8,128]{2,1,0:T(8,128)} parameter(0) ROOT y = f32[4,1024]{1,0:T(8,128)} reshape(x)",
            Movement::Relayout { read: 16384, written: 32768 },
        ),
    ] {
        assert_eq!(root_movement(lines), expected, "{lines}");
    }
}

#[test]
fn layouts_are_given_for_operands_and_result() {
    let module = module_of(
        "HloModule m\nENTRY e { x = f32[3,5] parameter(0) ROOT y = f32[5,3]{0,1} transpose(x), dimensions={1,0} }",
    );
    let entry = module.entry.expect("an entry");
    let root = module.get(entry).and_then(|e| e.root).expect("a root");
    let (operands, result) = operands_and_result(&module, (entry, root)).expect("an instruction");
    let order =
        |array: &xla_array::ArrayShape| array.layout.as_ref().map(|layout| layout.minor_to_major.to_vec());
    assert_eq!((operands.len(), operands[0].len(), result.len()), (1, 1, 1));
    assert_eq!(order(&operands[0][0].array), Some(vec![1, 0]));
    assert_eq!(order(&result[0].array), Some(vec![0, 1]));
    assert_eq!(result[0].bytes, Bytes { data: 60, memory: 60 });
}

#[test]
fn a_copy_is_explained_by_both_ends() {
    let (module, found) = copies_of(
        "HloModule m, entry_computation_layout={(f32[64,32]{1,0}, f32[32,16]{1,0})->f32[64,16]{1,0}}
        ENTRY e {
          x = f32[64,32]{1,0} parameter(0)
          w = f32[32,16]{1,0} parameter(1)
          n = f32[64,32]{1,0} negate(x)
          c = f32[64,32]{0,1} copy(n)
          t = f32[64,32]{0,1} tanh(c)
          a = f32[64,32]{0,1} add(t, c)
          d = f32[64,16]{0,1} dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          ROOT r = f32[64,16]{1,0} copy(d)
        }",
    );
    let summary: Vec<_> = found
        .iter()
        .map(|copy| {
            let name = |at: &xla_inspect::performance::InstructionRef| {
                module.get(at.0).and_then(|c| c.get(at.1)).expect("an instruction").name.clone()
            };
            let path = |chain: &xla_inspect::performance::chain::Chain| {
                chain.path.iter().map(name).collect::<Vec<_>>().join(" ")
            };
            (
                name(&copy.at),
                copy.bytes(),
                path(&copy.source),
                copy.source.reason,
                path(&copy.demand),
                copy.demand.reason,
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            ("c".into(), 16384, "n x".into(), Reason::EntryParameter(0), "a d".into(), Reason::Operand(0)),
            ("r".into(), 8192, "d".into(), Reason::Result, String::new(), Reason::EntryResult),
        ]
    );
    assert_eq!(opcode_at_end(&module, &found[0].demand), Some("dot"));
}

#[test]
fn a_copy_in_a_loop_counts_every_iteration() {
    let (_, found) = copies_of(
        "HloModule m
        cond { s = (s32[], f32[8,4]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(12)
               ROOT p = pred[] compare(i, n), direction=LT }
        body { s = (s32[], f32[8,4]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1)
               j = s32[] add(i, one) v = f32[8,4]{1,0} get-tuple-element(s), index=1
               c = f32[8,4]{0,1} copy(v) q = f32[8,4]{0,1} custom-call(c), custom_call_target=\"solve\"
               b = f32[8,4]{1,0} copy(q) ROOT t = (s32[], f32[8,4]{1,0}) tuple(j, b) }
        ENTRY e { z = s32[] constant(0) x = f32[8,4]{1,0} parameter(0) t = (s32[], f32[8,4]{1,0}) tuple(z, x)
                  ROOT w = (s32[], f32[8,4]{1,0}) while(t), condition=cond, body=body }",
    );
    let summary: Vec<_> = found
        .iter()
        .map(|copy| (copy.executions, copy.bytes(), copy.source.reason, copy.demand.reason))
        .collect();
    assert_eq!(
        summary,
        [
            (12, 12 * 256, Reason::LoopState, Reason::Operand(0)),
            (12, 12 * 256, Reason::Result, Reason::LoopState),
        ]
    );
}

#[test]
fn fusions_that_only_move_data_are_listed() {
    let (_, found) = copies_of(
        "HloModule m
        f { p = f32[64,32]{1,0} parameter(0) ROOT t = f32[32,64]{1,0} transpose(p), dimensions={1,0} }
        g { p = f32[64,32]{1,0} parameter(0) t = f32[32,64]{1,0} transpose(p), dimensions={1,0} ROOT n = f32[32,64]{1,0} negate(t) }
        ENTRY e { x = f32[64,32]{1,0} parameter(0) a = f32[32,64]{1,0} fusion(x), kind=kLoop, calls=f
                  b = f32[32,64]{1,0} fusion(x), kind=kLoop, calls=g ROOT r = f32[32,64]{1,0} add(a, b) }",
    );
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].bytes(), found[0].demand.reason), (16384, Reason::EntryResult));
}

#[test]
fn a_layout_that_wastes_most_of_its_memory_is_found() {
    let module = module_of(
        "HloModule m
        ENTRY e {
          x = bf16[1024,8]{1,0:T(8,128)(2,1)} parameter(0)
          a = bf16[1024,8]{1,0:T(8,128)(2,1)} negate(x)
          t = (bf16[1024,8]{1,0:T(8,128)(2,1)}, f32[128,128]{1,0:T(8,128)}) custom-call(a), custom_call_target=\"f\"
          g = f32[128,128]{1,0:T(8,128)} get-tuple-element(t), index=1
          ROOT r = f32[128,4]{1,0:T(8,128)} slice(g), slice={[0:128], [0:4]}
        }",
    );
    let padding = padding(&module, &ComputationRoles::of(&module));
    let summary: Vec<_> =
        padding.shapes.iter().map(|shape| (shape.count, shape.bytes.data, shape.bytes.memory)).collect();
    assert_eq!(summary, [(3, 16384, 262_144), (1, 2048, 65536)]);
    assert!(padding.shapes[0].bytes.padding() * 10 > padding.shapes[0].bytes.memory * 9);
    assert_eq!(padding.total, Bytes { data: 3 * 16384 + 65536 + 2048, memory: 3 * 262_144 + 2 * 65536 });
}

/// A program of `layers` layers with a copy each, all of which lead to one dot.
fn long_program(layers: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("HloModule long\nENTRY e {\n  x0 = f32[16,16]{1,0} parameter(0)\n");
    for i in 0..layers {
        let _ = writeln!(
            text,
            "  a{i} = f32[16,16]{{1,0}} add(x{i}, x{i})\n  k{i} = f32[16,16]{{0,1}} copy(a{i})\n  t{i} = f32[16,16]{{0,1}} tanh(k{i})\n  b{i} = f32[16,16]{{1,0}} copy(t{i})\n  x{} = f32[16,16]{{1,0}} multiply(b{i}, a{i})",
            i + 1
        );
    }
    let _ = writeln!(
        text,
        "  ROOT d = f32[16,16]{{1,0}} dot(x{layers}, x0), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}"
    );
    text
}

#[test]
fn work_grows_linearly_with_the_program() {
    let seconds = |layers| {
        let module = module_of(&long_program(layers));
        let start = std::time::Instant::now();
        let (sizes, roles) = (Sizes::of(&module), ComputationRoles::of(&module));
        let cost = Costs::of(&module, Iterations::Known).total();
        let found = copies(&module, &sizes, &roles);
        let memory = memory(&module, &roles);
        assert_eq!(found.len(), 2 * layers);
        assert_eq!(cost.transcendentals, 256 * layers as u64);
        assert_eq!(memory.peak.bytes, 4 * 1024);
        padding(&module, &roles);
        start.elapsed().as_secs_f64()
    };
    let (short, long) = (seconds(1000), seconds(10_000));
    println!("5,000 instructions: {short:.3} s, 50,000: {long:.3} s");
    // Ten times the work takes far less than the hundred times of a quadratic step.
    assert!(long < short * 40.0 + 0.5, "{short} {long}");
}

#[test]
fn nested_fusions_are_analysed_once() {
    use std::fmt::Write as _;
    // Each level calls the one below twice: 2^40 paths.
    let mut text =
        String::from("HloModule m\nlevel0 { a = f32[4] parameter(0) ROOT n = f32[4] negate(a) }\n");
    for level in 1..=40 {
        let _ = writeln!(
            text,
            "level{level} {{ a = f32[4] parameter(0) x = f32[4] fusion(a), kind=kLoop, calls=level{0} y = f32[4] fusion(a), kind=kLoop, calls=level{0} ROOT z = f32[4] add(x, y) }}",
            level - 1
        );
    }
    text.push_str("ENTRY e { x = f32[4] parameter(0) ROOT r = f32[4] fusion(x), kind=kLoop, calls=level40 }");
    let module = module_of(&text);
    let cost = Costs::of(&module, Iterations::Known).total();
    // 2^40 negations, and as many additions but one.
    assert_eq!(cost.flops, 4 * ((1 << 40) + (1 << 40) - 1));
    // Each fusion reads its operand for itself.
    assert_eq!(cost.bytes_read, 16 << 40);
}
