//! Compiling takes time and memory linear in the program, or is rejected: programs whose calls double at every level, and long
//! programs. The tests count steps and bytes, not time.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fmt::Write as _;

use xla_hlo::{Module, parse};
use xla_plan::{Options, Plan, Reason};

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// A program whose levels each call the level below twice, on values of this shape.
fn doubling(levels: usize, shape: &str, innermost: &str) -> Module {
    let mut text = format!("HloModule m\n{innermost}\n");
    for level in 1..=levels {
        let below = level - 1;
        writeln!(
            text,
            "g{level} {{ p = {shape} parameter(0) a = {shape} call(p), to_apply=g{below}
            ROOT b = {shape} call(a), to_apply=g{below} }}"
        )
        .unwrap();
    }
    module(&format!(
        "{text} ENTRY e {{ p = {shape} parameter(0) ROOT r = {shape} call(p), to_apply=g{levels} }}"
    ))
}

#[test]
fn doubling_calls_are_rejected() {
    let endless = "no { p = f32[2] parameter(0) ROOT c = pred[] constant(false) }
        same { p = f32[2] parameter(0) ROOT q = f32[2] copy(p) }
        g0 { p = f32[2] parameter(0) ROOT w = f32[2] while(p), condition=no, body=same }";
    let steps = "g0 { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }";
    let no_steps = "g0 { ROOT p = f32[2] parameter(0) }";
    let unused = "g0 { ROOT p = f32[2] parameter(0) n = f32[2] negate(p) }";
    for innermost in [endless, steps, no_steps, unused] {
        let rejected = Plan::compile(&doubling(40, "f32[2]", innermost), Options::default()).err().unwrap();
        assert_eq!(rejected.reason, Reason::Length, "{innermost}");
        assert!(Plan::compile(&doubling(10, "f32[2]", innermost), Options::default()).is_ok(), "{innermost}");
    }
    // Tuples are counted by their elements.
    let shape = format!("({})", vec!["f32[]"; 500].join(","));
    let innermost = format!("g0 {{ ROOT p = {shape} parameter(0) }}");
    let rejected = Plan::compile(&doubling(10, &shape, &innermost), Options::default()).err().unwrap();
    assert_eq!(rejected.reason, Reason::Length);
}

#[test]
fn doubling_calls_on_scalars_become_one_step_or_are_rejected() {
    let negate = "g0 { p = f32[] parameter(0) ROOT n = f32[] negate(p) }";
    let plan = Plan::compile(&doubling(9, "f32[]", negate), Options::default()).unwrap();
    assert_eq!(plan.step_counts(), (1, 0));
    let rejected = Plan::compile(&doubling(40, "f32[]", negate), Options::default()).err().unwrap();
    assert_eq!(rejected.reason, Reason::Length);
}

#[test]
fn long_programs_have_plans() {
    // 50,000 instructions, four in each fusion.
    let mut text = "HloModule m\n".to_owned();
    let mut entry = "ENTRY e { x0 = f32[2] parameter(0)\n".to_owned();
    for i in 0..10_000 {
        writeln!(
            text,
            "fused{i} {{ p = f32[2] parameter(0) a = f32[2] negate(p) b = f32[2] add(a, p) ROOT c = f32[2] multiply(a, b) }}"
        )
        .unwrap();
        let next = i + 1;
        writeln!(entry, "x{next} = f32[2] fusion(x{i}), kind=kLoop, calls=fused{i}").unwrap();
    }
    let plan = Plan::compile(&module(&format!("{text}{entry}}}")), Options::default()).unwrap();
    assert_eq!(plan.step_counts(), (30_000, 0));
}

#[test]
fn a_constant_is_stored_once_and_counted() {
    let numbers = vec!["1"; 1000].join(",");
    let mut text = format!(
        "HloModule m g {{ p = f32[1000] parameter(0) k = f32[1000] constant({{{numbers}}})
        t = (f32[1000], f32[]) constant(({{{numbers}}}, 2)) u = f32[1000] get-tuple-element(t), index=0
        a = f32[1000] add(p, k) ROOT r = f32[1000] add(a, u) }}
        ENTRY e {{ x0 = f32[1000] parameter(0)\n"
    );
    for i in 0..100 {
        let next = i + 1;
        writeln!(text, "x{next} = f32[1000] call(x{i}), to_apply=g").unwrap();
    }
    let plan = Plan::compile(&module(&(text + "}")), Options::default()).unwrap();
    // The array, the tuple of the array and a scalar, and two buffers for the values.
    assert_eq!(plan.bytes(), 4 * (1000 + 1001 + 2 * 1000));
}

#[test]
fn values_that_are_live_at_the_same_time_have_separate_buffers() {
    let count = 10_000;
    let mut text = "HloModule m ENTRY e { x = f32[9] parameter(0)\n".to_owned();
    let mut elements = Vec::new();
    for i in 0..count {
        writeln!(text, "y{i} = f32[9] add(x, x)").unwrap();
        elements.push(format!("y{i}"));
    }
    let (shapes, elements) = (vec!["f32[9]"; count].join(","), elements.join(","));
    let plan = Plan::compile(
        &module(&format!("{text} ROOT t = ({shapes}) tuple({elements}) }}")),
        Options::default(),
    )
    .unwrap();
    assert_eq!(plan.bytes(), 4 * 9 * 10_000);
}
