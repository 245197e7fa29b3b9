//! Rejected forms, and the spans of diagnostics.

use super::{program, run};
use xla_array::Edition::{Current, V2017};
use xla_hlo::lower;
use xla_hlo::parser::parse_edition;
use xla_messages::diagnostic::Severity;

#[test]
fn dynamic_slice_takes_one_vector_of_starts() {
    let text = program(
        "",
        &["f32[4,4]", "s32[]", "s32[]"],
        "f32[2,2] dynamic-slice(a, b, c), dynamic_slice_sizes={2,2}",
    );
    assert!(parse_edition(&text, Current).diagnostics.is_empty());
    let parsed = parse_edition(&text, V2017);
    let error = parsed.error().unwrap();
    assert_eq!(error.rule, "dynamic-slice-2017");
    let fixed = error.hints[0].apply(&text).unwrap();
    let parsed = parse_edition(&fixed, V2017);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{fixed}", parsed.diagnostics);
    assert_eq!(parsed.module.entry_computation().unwrap().instructions.len(), 7, "{fixed}");
    let text = program("", &["f32[4]", "f32[2]", "s32[]"], "f32[4] dynamic-update-slice(a, b, c)");
    let fixed = parse_edition(&text, V2017).error().unwrap().hints[0].apply(&text).unwrap();
    assert_eq!(run(&fixed, V2017, &["f32[4] {0,1,2,3}", "f32[2] {8, 9}", "s32[] 1"]), "{0, 8, 9, 3}");
}

#[test]
fn the_written_shape_must_match_the_lowered_form() {
    let text = program("", &["f32[2]", "f32[]"], "f32[3] add(a, b)");
    for edition in [Current, V2017] {
        let parsed = parse_edition(&text, edition);
        let error = parsed.diagnostics.iter().find(|d| d.rule == "result-differs").unwrap();
        assert_eq!(error.severity, Severity::Error);
        assert!(error.hints[0].apply(&text).unwrap().contains("f32[2] add"));
    }
    // A wrong result shape does not prevent lowering.
    assert!(lower(&text, V2017).text.contains("broadcast.1"));
}

#[test]
fn a_text_with_errors_is_not_lowered() {
    let text = program("", &["f32[2]", "f32[]"], "f32[2] add(a, b), broadcast_dimensions=");
    assert_eq!(lower(&text, V2017).text, text);
    let text = program("", &["f32[2]", "f32[]"], "f32[2] add(a, nothing)");
    assert_eq!(lower(&text, V2017).text, text);
    let text = program("", &["f32[2]", "f32[]"], "f32[2] add(a, b)");
    assert_eq!(lower(&text, Current).text, text);
}

#[test]
fn diagnostics_after_a_form_have_spans_of_the_source() {
    let text = "HloModule m\n\nENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[] parameter(1)\n  \
        c = f32[2] add(a, b)\n  ROOT r = f32[2] negate(c), unknown=1\n}\n";
    let parsed = parse_edition(text, V2017);
    let warning = parsed.diagnostics.iter().find(|d| d.severity == Severity::Warning).unwrap();
    assert_eq!(&text[warning.span.range()], "unknown=1");
    let names: Vec<&str> = parsed
        .module
        .entry_computation()
        .unwrap()
        .instructions
        .iter()
        .map(|i| &text[i.spans.whole.range()])
        .collect();
    assert_eq!(names[3], "c = f32[2] add(a, b)");
    assert_eq!(names[4], "ROOT r = f32[2] negate(c), unknown=1");
}

#[test]
fn redundant_arguments_are_rejected() {
    let text = program("", &["f32[2]"], "f32[3,2] broadcast(a), dimensions={1}, broadcast_sizes={3}");
    for edition in [Current, V2017] {
        let parsed = parse_edition(&text, edition);
        let fixed = parsed.error().unwrap().hints[0].apply(&text).unwrap();
        assert!(parse_edition(&fixed, edition).diagnostics.is_empty(), "{fixed}");
    }
}
