//! Unsupported input: other dialects, XLA 2017, ops that HLO lacks. Each is an error that names it and gives advice.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use xla_array::Edition;
use xla_messages::diagnostic::Diagnostic;
use xla_stablehlo::{Dialect, dialect, parse, parse_edition, print};

/// The first error of the text, which must be reported at `at`.
fn error(text: &str, at: &str) -> Diagnostic {
    let parsed = parse(text);
    let error = parsed.error().cloned().unwrap();
    assert_eq!(&text[error.span.range()], at, "{error}");
    error
}

/// A function with one op.
fn function_with(op: &str) -> String {
    format!(
        "func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {{\n  {op}\n  return %0 : tensor<2xf32>\n}}"
    )
}

#[test]
fn other_dialects_are_named() {
    for (text, at) in [
        (function_with("%0 = arith.addf %arg0, %arg0 : tensor<2xf32>"), "arith.addf"),
        (
            function_with("%0 = linalg.generic {indexing_maps = [#map]} ins(%arg0 : tensor<2xf32>) {"),
            "linalg.generic",
        ),
        (
            function_with(
                "%0 = \"tosa.add\"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
            ),
            "\"tosa.add\"",
        ),
        ("llvm.func @f(%arg0: i32) { llvm.return }".to_owned(), "llvm.func"),
        ("tt.func public @kernel(%arg0: !tt.ptr<f32>) { tt.return }".to_owned(), "tt.func"),
        ("%0 = vhlo.add_v1 %a, %b : !vhlo.tensor_v1<2x!vhlo.f32_v1>".to_owned(), "vhlo.add_v1"),
        ("\"tfl.add\"(%0, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>".to_owned(), "\"tfl.add\""),
    ] {
        assert_eq!(dialect(&text), Dialect::StableHlo, "{text}");
        let error = error(&text, at);
        assert_eq!((error.rule, error.hints.len()), ("stablehlo-dialect", 1), "{text}");
        assert_eq!(parse(&text).diagnostics.len(), 1, "{text}");
    }
}

#[test]
fn hlo_is_not_taken_for_another_dialect() {
    for text in [
        "HloModule m",
        "ENTRY e.1 { ROOT x.2 = f32[] parameter(0) }",
        "%x.1 = f32[2]{0} parameter(0)",
        "x.1 = f32[] constant(1)",
        "add.1 { x = f32[] parameter(0) }",
        "%add.1 (x: f32[]) -> f32[] {",
        "",
    ] {
        assert_eq!(dialect(text), Dialect::Hlo, "{text}");
    }
}

#[test]
fn xla_2017_has_no_stablehlo() {
    let text = function_with("%0 = stablehlo.negate %arg0 : tensor<2xf32>");
    assert!(parse_edition(&text, Edition::Current).error().is_none());
    let parsed = parse_edition(&text, Edition::V2017);
    assert_eq!(parsed.error().map(|error| (error.rule, error.hints.len())), Some(("stablehlo-edition", 1)));
}

#[test]
fn ops_without_a_counterpart_say_what_to_do() {
    for (op, at) in [
        (
            "%0 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) : (tensor<2xf32>) -> tensor<2xf32>",
            "stablehlo.custom_call",
        ),
        (
            "%0 = stablehlo.dynamic_reshape %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>",
            "stablehlo.dynamic_reshape",
        ),
        (
            "%0 = stablehlo.uniform_dequantize %arg0 : (tensor<2xf32>) -> tensor<2xf32>",
            "stablehlo.uniform_dequantize",
        ),
    ] {
        let text = function_with(op);
        assert_eq!(error(&text, at).hints.len(), 1, "{op}");
    }
}

#[test]
fn what_cannot_be_read_is_the_only_error() {
    for (op, at) in [
        (
            "%0 = \"stablehlo.async_start\"(%arg0) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>",
            "!stablehlo.future",
        ),
        ("%0 = sdy.all_gather [{}] %arg0 out_sharding=<@m, [{}]> : tensor<2xf32>", "sdy.all_gather"),
        (
            "%0 = stablehlo.negate %arg0 : tensor<2x!quant.uniform<i8:f32, 2.0>>",
            "2x!quant.uniform<i8:f32, 2.0>",
        ),
    ] {
        let text = function_with(op);
        error(&text, at);
        assert_eq!(parse(&text).diagnostics.len(), 1, "{op}");
    }
}

#[test]
fn what_stablehlo_lacks_is_named_when_printing() {
    let text = "ENTRY e { t = token[] after-all() ROOT r = (f32[2], token[]) infeed(t) }";
    let parsed = xla_hlo::parse(text);
    assert!(parsed.error().is_none(), "{:?}", parsed.diagnostics);
    let errors = print(&parsed.module).unwrap_err();
    assert_eq!(errors.iter().map(|error| &text[error.span.range()]).collect::<Vec<_>>(), ["infeed"]);
}
