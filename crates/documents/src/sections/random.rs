//! `RngBernoulli`, `RngNormal` and `RngUniform`.

use crate::entry::{Entry, Section, argument};
use crate::example::{example, undocumented};

/// The section `RngBernoulli` of the 2017 Operation Semantics.
pub const BERNOULLI: Section = Section {
    name: "RngBernoulli",
    builder_method: Some("RngBernoulli"),
    entries: &[Entry {
        name: "RngBernoulli",
        opcode: "rng",
        other_opcodes: &["compare", "convert"],
        signatures: &["RngBernoulli(mean, shape)"],
        arguments: &[
            argument("mean", "ComputationDataHandle", "argument-bernoulli-mean"),
            argument("shape", "Shape", "argument-bernoulli-shape"),
        ],
        text: "entry-rng-bernoulli",
        search_words: &["random", "coin", "dropout", "mask", "probability"],
        examples: &[
            example(
                "RngBernoulli(0.25, u32[8])",
                "example-bernoulli",
                "mean = f32[] parameter(0)
                 zero = f32[] constant(0)
                 one = f32[] constant(1)
                 uniform = f32[8] rng(zero, one), distribution=rng_uniform
                 means = f32[8] broadcast(mean), dimensions={}
                 less = pred[8] compare(uniform, means), direction=LT
                 ROOT drawn = u32[8] convert(less)",
                &[&["0.25"]],
                undocumented!(reason: "reason-random"),
            ),
            example(
                "RngBernoulli(1, u32[4])",
                "example-bernoulli-certain",
                "mean = f32[] parameter(0)
                 zero = f32[] constant(0)
                 one = f32[] constant(1)
                 uniform = f32[4] rng(zero, one), distribution=rng_uniform
                 means = f32[4] broadcast(mean), dimensions={}
                 less = pred[4] compare(uniform, means), direction=LT
                 ROOT drawn = u32[4] convert(less)",
                &[&["1"]],
                undocumented!(reason: "reason-docs-have-no-example", "u32[4] {1, 1, 1, 1}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `RngNormal` of the 2017 Operation Semantics.
pub const NORMAL: Section = Section {
    name: "RngNormal",
    builder_method: Some("RngNormal"),
    entries: &[Entry {
        name: "RngNormal",
        opcode: "rng",
        signatures: &["RngNormal(mean, sigma, shape)"],
        arguments: &[
            argument("mu", "ComputationDataHandle", "argument-normal-mu"),
            argument("sigma", "ComputationDataHandle", "argument-normal-sigma"),
            argument("shape", "Shape", "argument-normal-shape"),
        ],
        text: "entry-rng-normal",
        current_docs_anchor: Some("rngnormal"),
        search_words: &["random", "gaussian", "normal distribution", "noise", "initializer"],
        examples: &[
            example(
                "RngNormal(0, 1, f32[8])",
                "example-normal",
                "mu = f32[] parameter(0)
                 sigma = f32[] parameter(1)
                 ROOT drawn = f32[8] rng(mu, sigma), distribution=rng_normal",
                &[&["0", "1"]],
                undocumented!(reason: "reason-random"),
            ),
            example(
                "RngNormal(2.5, 0, f32[3])",
                "example-normal-certain",
                "mu = f32[] parameter(0)
                 sigma = f32[] parameter(1)
                 ROOT drawn = f32[3] rng(mu, sigma), distribution=rng_normal",
                &[&["2.5", "0"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[3] {2.5, 2.5, 2.5}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `RngUniform` of the 2017 Operation Semantics.
pub const UNIFORM: Section = Section {
    name: "RngUniform",
    builder_method: Some("RngUniform"),
    entries: &[Entry {
        name: "RngUniform",
        opcode: "rng",
        signatures: &["RngUniform(a, b, shape)"],
        arguments: &[
            argument("a", "ComputationDataHandle", "argument-uniform-a"),
            argument("b", "ComputationDataHandle", "argument-uniform-b"),
            argument("shape", "Shape", "argument-uniform-shape"),
        ],
        text: "entry-rng-uniform",
        current_docs_anchor: Some("rnguniform"),
        search_words: &["random", "uniform distribution", "dice", "initializer"],
        examples: &[
            example(
                "RngUniform(0, 1, f32[8])",
                "example-uniform",
                "a = f32[] parameter(0)
                 b = f32[] parameter(1)
                 ROOT drawn = f32[8] rng(a, b), distribution=rng_uniform",
                &[&["0", "1"]],
                undocumented!(reason: "reason-random"),
            ),
            example(
                "RngUniform(1, 7, s32[8])",
                "example-uniform-dice",
                "a = s32[] parameter(0)
                 b = s32[] parameter(1)
                 ROOT drawn = s32[8] rng(a, b), distribution=rng_uniform",
                &[&["1", "7"]],
                undocumented!(reason: "reason-random"),
            ),
        ],
        ..Entry::EMPTY
    }],
};
