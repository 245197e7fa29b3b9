//! Modules as programs in other languages: golden texts, and the output for ops that a language lacks.
//!
//! Python is not required: its programs are compared as text. Those of every example of every op returned the
//! example's result in JAX 0.10 and `NumPy` 2.4. Programs in Rust are compiled and run: see `exported.rs`.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeSet;

use xla_playground::array::{Edition, Literal};
use xla_playground::hlo::export::{ExportError, Exported, export};
use xla_playground::hlo::parse;
use xla_playground::ops::Language::{self, Jax, NumPy, Rust};
use xla_playground::state::experiment::arguments::arguments;
use xla_playground::state::experiment::preset;

fn exported(text: &str, arguments: &[&str], language: Language) -> Exported {
    let module = parse(text).into_module().unwrap();
    let arguments: Vec<Literal> = arguments.iter().map(|text| text.parse().unwrap()).collect();
    export(&module, &arguments, language, Edition::Current).unwrap()
}

const POOL: &str = "HloModule pool

add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }

ENTRY pool {
  x = f32[4,6] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[2,2] reduce-window(x, zero), window={size=2x3 stride=2x3}, to_apply=add
}
";

const X: &str = "f32[4,6] {{1,2,3,4,5,6},{0,0,0,0,0,0},{1,1,1,1,1,1},{-1,inf,nan,2.5,0.1,1e30}}";

#[test]
fn a_program_in_jax_is_complete() {
    let text = exported(POOL, &[X], Jax).text;
    let expected = "\
# pool in JAX, from HLO.

import jax.numpy as jnp
import numpy as np
from jax import lax


def add(x, y):
    return lax.add(x, y)


def pool(x_2):
    zero = jnp.array(0, jnp.float32)
    return lax.reduce_window(x_2, zero, lax.add, (2, 3), (2, 3), ((0, 0), (0, 0)))


x_2 = jnp.array([[1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [-1, np.inf, np.nan, 2.5, 0.1, 1e+30]], jnp.float32)
result = pool(x_2)
print(result)
";
    assert_eq!(text, expected);
}

#[test]
fn numpy_has_windows_without_padding() {
    let text = exported(POOL, &[X], NumPy).text;
    let line = "    return np.add.reduce(np.lib.stride_tricks.sliding_window_view(x_2, (2, 3))[::2, ::3], axis=(-2, -1), \
                dtype=np.float32, initial=zero)\n";
    assert!(text.contains(line), "{text}");
    let padded = POOL.replace("stride=2x3", "stride=2x3 pad=0_0x0_3").replace("f32[2,2]", "f32[2,3]");
    assert_eq!(exported(&padded, &[X], NumPy).unsupported, ["reduce-window"]);
    let larger = POOL.replace("size=2x3", "size=5x3").replace("f32[2,2]", "f32[0,2]");
    assert_eq!(exported(&larger, &[X], NumPy).unsupported, ["reduce-window"]);
}

#[test]
fn windows_go_in_the_order_of_the_kernel_in_jax() {
    let text = "HloModule m
ENTRY e { x = f32[1,1,4,6] parameter(0) k = f32[1,1,3,2] parameter(1)
ROOT r = convolution(x, k), window={size=2x3 stride=1x2 pad=0_0x1_1}, dim_labels=bf10_oi10->bf01 }";
    let zeros = |shape: &str| Literal::zeros(&shape.parse().unwrap()).unwrap().to_string();
    let arguments = ["f32[1,1,4,6]", "f32[1,1,3,2]"].map(|shape| format!("{shape} {}", zeros(shape)));
    let jax = exported(text, &[&arguments[0], &arguments[1]], Jax).text;
    let call = "lax.conv_general_dilated(x, k, (2, 1), ((1, 1), (0, 0)), (1, 1), (1, 1), \
                dimension_numbers=(\"NC10\", \"OI10\", \"NC01\")";
    assert!(jax.contains(call), "{jax}");
}

#[test]
fn loops_and_branches_are_calls_of_functions() {
    let text = "HloModule m
below { n = s64[] parameter(0) limit = s64[] constant(9) ROOT p = pred[] compare(n, limit), direction=LT }
double { n = s64[] parameter(0) ROOT d = s64[] add(n, n) }
ENTRY e { one = s64[] constant(1) ROOT w = s64[] while(one), condition=below, body=double }";
    let jax = exported(text, &[], Jax).text;
    assert!(
        jax.contains("import jax\n") && jax.contains("\njax.config.update(\"jax_enable_x64\", True)\n"),
        "{jax}"
    );
    assert!(jax.contains("    return lax.while_loop(below, double, one)\n"), "{jax}");
    let numpy = exported(text, &[], NumPy).text;
    assert!(
        numpy.contains("def while_loop(condition, body, value):\n    while condition(value):\n"),
        "{numpy}"
    );
    let rust = exported(text, &[], Rust).text;
    assert!(rust.contains("    let w = b.while_(&below()?, &double()?, one)?;\n"), "{rust}");
}

#[test]
fn ops_that_a_language_lacks_are_hlo_comments_and_raise() {
    let text = "HloModule m
ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] custom-call(x), custom_call_target=\"f\" }";
    for language in [Jax, NumPy] {
        let Exported { text, unsupported } = exported(text, &["f32[2] {1, 2}"], language);
        assert_eq!(unsupported, ["custom-call"]);
        let raised = "    # r = f32[2]{0} custom-call(x), custom_call_target=\"f\"\n    \
                      raise NotImplementedError(\"custom-call\")\n";
        assert!(text.contains(raised), "{text}");
    }
    let rust = exported(text, &["f32[2] {1, 2}"], Rust);
    assert!(rust.unsupported.is_empty());
    assert!(rust.text.contains("AttrValue::String(\"f\".to_owned())"), "{}", rust.text);
}

#[test]
fn oversized_and_invalid_modules_are_rejected() {
    let module = parse("HloModule m\nENTRY e { ROOT x = f32[200,200] parameter(0) }").into_module().unwrap();
    let large = Literal::zeros(&"f32[200,200]".parse().unwrap()).unwrap();
    assert_eq!(export(&module, &[large], Jax, Edition::Current), Err(ExportError::TooLarge));
    let unknown = parse("HloModule m\nENTRY e { ROOT x = f32[2] no-such-op() }").module;
    assert_eq!(export(&unknown, &[], Jax, Edition::Current), Err(ExportError::InvalidModule));
}

/// Ops with an example that cannot be written in JAX with the same values; `NumPy` has none of them either.
const NOT_IN_JAX: &str = "\
    after-all all-gather all-gather-done all-gather-start all-reduce all-reduce-done \
    all-reduce-start all-to-all async-done async-start async-update batch-norm-grad \
    batch-norm-inference batch-norm-training bitcast-convert collective-broadcast \
    collective-permute collective-permute-done collective-permute-start compare copy-done \
    copy-start custom-call dynamic-reshape infeed outfeed partition-id ragged-all-to-all \
    ragged-dot recv recv-done reduce-scatter replica-id rng rng-get-and-update-state scaled-dot \
    scan select-and-scatter send send-done set-dimension-size sort stochastic-convert topk";

/// Ops with an example that can be written in JAX only.
const NOT_IN_NUMPY: &str = "\
    cholesky complex convert convolution count-leading-zeros divide dynamic-update-slice erf \
    gather map mulhi pad popcnt reduce-precision reduce-window rng-bit-generator \
    round-nearest-afz scatter shift-right-logical sign triangular-solve";

#[test]
fn every_example_of_a_supported_op_has_a_program() {
    let mut without = [BTreeSet::new(), BTreeSet::new()];
    for preset in preset::all() {
        let experiment = preset.experiment();
        let module = parse(&experiment.text).into_module().unwrap();
        let arguments = arguments(&experiment, &module).unwrap();
        let of = |language| export(&module, &arguments, language, Edition::Current).unwrap();
        assert!(of(Rust).unsupported.is_empty(), "{}", preset.meta.opcode);
        for (without, language) in without.iter_mut().zip([Jax, NumPy]) {
            without.extend(of(language).unsupported);
        }
    }
    let [jax, numpy] = without;
    let said =
        |opcodes: Vec<&String>| opcodes.iter().map(|opcode| opcode.as_str()).collect::<Vec<_>>().join(" ");
    assert!(jax.is_subset(&numpy));
    assert_eq!(said(jax.iter().collect()), NOT_IN_JAX);
    assert_eq!(said(numpy.difference(&jax).collect()), NOT_IN_NUMPY);
}
