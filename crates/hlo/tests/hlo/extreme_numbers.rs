//! Every number of every example of every op, replaced by extreme numbers: nothing panics, and modules that violate
//! XLA's rules are rejected. Tests run with overflow checks, so arithmetic overflow panics.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use xla_array::Edition;
use xla_hlo::eval::kernel::InProcess;
use xla_hlo::parser::parse_edition;
use xla_hlo::{Evaluator, Limits, SimulatedDevices, parse};
use xla_messages::diagnostic::Severity;

const EXTREMES: [i64; 6] = [i64::MAX, i64::MIN, -1, 0, 1 << 32, 100_000];

/// The integers in attributes, shapes and literals of the text, but not the digits of names.
fn integers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while is_digit(at) {
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        // `3x3` and `1_1` join numbers, `f32` and `p_1` are words.
        let before = start.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let is_list_item = matches!(before, b'x' | b'_') && start >= 2 && is_digit(start - 2);
        let is_word = before.is_ascii_alphabetic() || matches!(before, b'_' | b'.' | b'%');
        let is_fraction = bytes.get(at) == Some(&b'.');
        if (is_list_item || !is_word) && !is_fraction {
            let start = if before == b'-' { start - 1 } else { start };
            found.push(start..at);
        }
    }
    found
}

/// Parses a module in each edition; evaluates and round-trips it if it is valid and takes no parameters. Returns whether a run
/// finished.
fn parse_and_run(text: &str) -> bool {
    let limits = Limits { steps: 2_000, bytes: 1 << 19 };
    let mut has_run = false;
    for edition in [Edition::Current, Edition::V2017] {
        let parsed = parse_edition(text, edition);
        let Ok(module) = parsed.into_module() else { continue };
        let parameters = module.entry_computation().map_or(0, |entry| entry.parameters.len());
        if parameters > 0 {
            continue;
        }
        has_run |= Evaluator::new(&module).edition(edition).limits(limits).run(&[]).is_ok();
        let kernels = Rc::new(InProcess::default());
        let _ = Evaluator::new(&module).edition(edition).limits(limits).kernels(kernels, 0).run(&[]);
        let printed = module.to_string();
        assert_eq!(parse_edition(&printed, edition).module.to_string(), printed, "{text}");
    }
    has_run
}

#[test]
fn extreme_numbers_in_examples_never_panic() {
    let mut panics = Vec::new();
    let (mut mutants, mut runs) = (0, 0);
    for op in xla_ops::all() {
        for example in op.meta().examples {
            let text = format!("HloModule m\nENTRY e {{\n{}\n}}", example.hlo);
            for at in integers(&text) {
                for extreme in EXTREMES {
                    let mut mutant = text.clone();
                    mutant.replace_range(at.clone(), &extreme.to_string());
                    mutants += 1;
                    match catch_unwind(AssertUnwindSafe(|| parse_and_run(&mutant))) {
                        Ok(has_run) => runs += usize::from(has_run),
                        Err(_) => panics.push(mutant),
                    }
                }
            }
        }
    }
    assert!(mutants > 3_000, "{mutants}");
    assert!(runs > 100, "only {runs} of {mutants} were valid and ran");
    assert!(
        panics.is_empty(),
        "{} of {mutants}, e.g.\n{}",
        panics.len(),
        panics[..panics.len().min(5)].join("\n\n")
    );
}

/// Modules that must be rejected for any extreme number `N`.
const REJECTED: &[&str] = &[
    "x = f32[3] parameter(0) ROOT r = f32[3] reduce-precision(x), exponent_bits=N, mantissa_bits=10",
    "x = f32[3] parameter(0) ROOT r = f32[3] reduce-precision(x), exponent_bits=5, mantissa_bits=N",
    "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,N}}",
    "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute(x), source_target_pairs={{N,0}}",
    "x = f32[2] parameter(0) ROOT r = f32[2] all-gather(x), replica_groups={{0,N}}, dimensions={0}",
    "x = f32[2] parameter(0) ROOT r = f32[2] all-gather(x), replica_groups=[N,1]<=[N], dimensions={0}",
    "x = f32[2] parameter(0) ROOT r = f32[2] all-gather(x), dimensions={N}",
    "x = f32[2] parameter(0) ROOT r = f32[2] all-to-all(x), dimensions={N}",
    "x = f32[2] parameter(0) ROOT r = f32[4] concatenate(x, x), dimensions={N}",
    "x = f32[2] parameter(0) ROOT r = f32[2] transpose(x), dimensions={N}",
    "x = f32[2] parameter(0) ROOT r = f32[2,2] broadcast(x), dimensions={N}",
    "x = f32[2] parameter(0) ROOT r = f32[2] reverse(x), dimensions={N}",
    "x = f32[2] parameter(0) ROOT r = s32[] get-dimension-size(x), dimensions={N}",
    "ROOT r = f32[2] iota(), iota_dimension=N",
    "x = (f32[2]) parameter(0) ROOT r = f32[2] get-tuple-element(x), index=N",
    "ROOT r = f32[2] parameter(N)",
    "x = f32[2] parameter(0) ROOT r = f32[2] slice(x), slice={[0:N]}",
    "x = f32[2] parameter(0) ROOT r = f32[2] slice(x), slice={[N:2]}",
    "x = f32[2] parameter(0) i = s32[] parameter(1) ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={N}",
    "x = f32[2,2] parameter(0) ROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={N}, rhs_contracting_dims={0}",
    "x = f32[2,2] parameter(0) ROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={N}",
    "x = f32[2] parameter(0) ROOT r = (f32[1], s32[1]) topk(x), k=N, largest=true",
    "x = f32[1,4,1] parameter(0) k = f32[2,1,1] parameter(1) ROOT r = f32[1,3,1] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f, feature_group_count=N",
    "x = f32[1,4,1] parameter(0) k = f32[2,1,1] parameter(1) ROOT r = f32[1,3,1] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f, batch_group_count=N",
    "x = f32[1,4,1] parameter(0) k = f32[2,1,1] parameter(1) ROOT r = f32[1,3,1] convolution(x, k), window={size=N}, dim_labels=b0f_0io->b0f",
    "x = c64[4] parameter(0) ROOT r = c64[4] fft(x), fft_type=FFT, fft_length={N}",
    "x = f32[2] parameter(0) z = f32[] parameter(1) ROOT r = f32[2] pad(x, z), padding=0_0_N",
    "x = f32[2] parameter(0) i = s32[1] parameter(1) ROOT r = f32[1] gather(x, i), offset_dims={N}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=0, slice_sizes={1}",
    "x = f32[2] parameter(0) i = s32[1] parameter(1) ROOT r = f32[1] gather(x, i), offset_dims={0}, collapsed_slice_dims={}, start_index_map={N}, index_vector_dim=0, slice_sizes={1}",
    "x = f32[2] parameter(0) i = s32[1] parameter(1) ROOT r = f32[1] gather(x, i), offset_dims={0}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=N, slice_sizes={1}",
    "x = f32[2] parameter(0) i = s32[1] parameter(1) ROOT r = f32[1] gather(x, i), offset_dims={0}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=0, slice_sizes={N}",
];

#[test]
fn extreme_numbers_are_rejected_by_rules() {
    for template in REJECTED {
        for extreme in [i64::MAX, i64::MIN, -1, 1 << 32] {
            let text = format!("HloModule m\nENTRY e {{ {} }}", template.replace('N', &extreme.to_string()));
            let parsed = parse(&text);
            let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
            assert!(error.is_some(), "{text}");
        }
    }
}

#[test]
fn fixes_for_reduce_precision_and_source_target_pairs_apply_cleanly() {
    for text in [
        "x = f32[3] parameter(0) ROOT r = f32[3] reduce-precision(x), exponent_bits=9223372036854775807, mantissa_bits=10",
        "x = f32[3] parameter(0) ROOT r = f32[3] reduce-precision(x), exponent_bits=5, mantissa_bits=4294967296",
        "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,70000}}",
    ] {
        let text = format!("HloModule m\nENTRY e {{ {text} }}");
        let parsed = parse(&text);
        let [error] = parsed.diagnostics.as_slice() else { panic!("{:?}", parsed.diagnostics) };
        let fixed = error.hints.iter().find_map(|hint| hint.apply(&text)).unwrap();
        assert!(parse(&fixed).diagnostics.is_empty(), "{fixed}");
    }
}

/// A source–target pair that names a missing device used to give zeros.
#[test]
fn a_pair_with_a_missing_device_is_rejected_before_the_run() {
    for (op, is_rejected_by_replica_count) in [
        ("ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2}}", [true, true, false]),
        ("ROOT r = f32[2] collective-permute(x), source_target_pairs={{2,0}}", [true, true, false]),
        (
            "s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{2,0}}
             ROOT r = f32[2] collective-permute-done(s)",
            [true, true, false],
        ),
        ("ROOT r = f32[2] collective-permute(x), source_target_pairs={}", [false, false, false]),
    ] {
        let text = format!("HloModule m\nENTRY e {{ x = f32[2] constant({{1, 2}}) {op} }}");
        let module = parse(&text).into_module().unwrap();
        for (replicas, is_rejected) in (1..=3).zip(is_rejected_by_replica_count) {
            let error = SimulatedDevices::new(&module, replicas).run(&vec![Vec::new(); replicas]).err();
            assert_eq!(error.is_some(), is_rejected, "{replicas}: {text}");
            if let Some(error) = error {
                assert_eq!(error.error.error.rule, "replicas", "{error}");
                assert!(!error.error.error.hints.is_empty(), "{error}");
            }
        }
    }
}
