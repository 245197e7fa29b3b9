//! *Shapes and layout*, "Layout".

use serde_json::{Value, json};
use xla_playground::array::text::{parse_layout_proto, parse_spec};
use xla_playground::array::{Layout, PaddingValue};
use xla_playground::diagnostic::Severity;

use super::{terminal, terminal_json};

const PADDED: &str = "minor_to_major: [0, 1]\npadded_dimensions: [3, 5]\npadding_value: ZERO_PAD\n";

/// Row 17: the Layout proto's text, with the fields as the document names them, out and in again.
#[test]
fn the_layout_proto_is_printed_and_read() {
    let shape = "f32[2,3]{0,1} padded[3,5]=zero";
    assert_eq!(terminal(&["layout", "--proto", shape]), (0, PADDED.to_owned(), String::new()));
    // A shape may be given with that text, also as the document's lists and as protobuf prints repeated fields.
    let repeated =
        "minor_to_major: 0 minor_to_major: 1 padded_dimensions: 3 padded_dimensions: 5 padding_value: 1";
    for proto in [
        PADDED.to_owned(),
        repeated.to_owned(),
        format!("layout {{\n{PADDED}}}"),
        format!("Layout < {repeated} >"),
    ] {
        let spec = format!("f32[2,3] {proto}");
        let (code, out, err) = terminal(&["layout", &spec]);
        assert_eq!((code, err.as_str(), out.lines().next()), (0, "", Some(shape)), "{spec}");
        assert_eq!(terminal(&["index", &spec, "1,2"]).1, "7\n");
        assert_eq!(terminal_json(&["layout", &spec, "--json"]), terminal_json(&["layout", shape, "--json"]));
    }
    for (spec, proto) in [
        (
            "bf16[16,256]{1,0:T(8,128)(2,1)E(16)S(1)}",
            "minor_to_major: [1, 0]\ntiles { dimensions: [8, 128] }\n",
        ),
        ("f32[8]{0:T(*,4)L(8)SC(0:2,4)M(16)}", "tiles { dimensions: [-9223372036854775808, 4] }\n"),
        ("f32[]", ""),
    ] {
        let (_, printed, _) = terminal(&["layout", "--proto", spec]);
        assert!(printed.contains(proto), "{printed}");
        let layout = parse_spec(spec).valid().unwrap().as_array().unwrap().layout.clone().unwrap();
        let read = parse_layout_proto(&printed);
        assert_eq!((read.layout, read.diagnostics), (layout, vec![]), "{printed}");
    }
    assert_eq!(terminal(&["layout", "--proto", "(f32[2])"]).0, 2);
}

/// Row 17: reading never fails; each mistake is reported with a fix that leads to a layout without it.
#[test]
fn mistakes_in_the_proto_are_reported_with_fixes() {
    for (text, rule, fixed) in [
        ("minor_to_major: [0, 1", "text-missing", "{0,1}"),
        ("minor_to_major = [0, 1]", "text-unexpected", "{0,1}"),
        ("minor_to_major [0, 1] padding: 3", "text-proto-field", "{0,1}"),
        ("layout { minor_to_major: [0, 1]", "text-missing", "{0,1}"),
        ("minor_to_major: [0 1]", "text-missing", "{0,1}"),
        (
            "minor_to_major: [0, 1] padded_dimensions: [3, 5] padding_value: zero",
            "text-padding-value",
            "{0,1} padded[3,5]=zero",
        ),
        ("minor_to_major: [0, 1] padding_value: 9", "text-padding-value", ""),
        ("minor_to_major: [0, 1] tiles { size: 8 dimensions: 8 }", "text-proto-field", "{0,1:T(8)}"),
        ("minor_to_major: [0, 1] ] }", "text-unexpected", "{0,1}"),
    ] {
        let first = parse_layout_proto(text);
        assert_eq!(first.diagnostics.first().map(|d| d.rule), Some(rule), "{text}: {:?}", first.diagnostics);
        let mut repaired = text.to_owned();
        for _ in 0..4 {
            let Some(error) = parse_layout_proto(&repaired).diagnostics.into_iter().next() else { break };
            assert_eq!(error.severity, Severity::Error);
            repaired = error.hints[0].apply(&repaired).unwrap();
        }
        let last = parse_layout_proto(&repaired);
        assert_eq!(last.diagnostics, [], "{text} became {repaired}");
        if !fixed.is_empty() {
            assert_eq!(last.layout.to_string(), fixed, "{text} became {repaired}");
        }
    }
    // In a shape the rules of layouts hold, and the only required field is required.
    for (spec, rule) in [
        ("f32[2,3] padded_dimensions: [3, 5]", "text-missing"),
        ("f32[2,3] minor_to_major: [0, 0]", "layout-4"),
        ("f32[2,3] minor_to_major: [0, 1] padded_dimensions: [3]", "layout-5"),
        ("f32[2,x] minor_to_major: [0, 1]", "text-number"),
    ] {
        let parsed = parse_spec(spec);
        let error = parsed.error().unwrap_or_else(|| panic!("{spec}"));
        assert_eq!(error.rule, rule, "{spec}");
        let repaired = error.hints[0].apply(spec).unwrap();
        assert_ne!(parse_spec(&repaired).error().map(|e| e.rule), Some(rule), "{spec} became {repaired}");
        let (code, _, err) = terminal(&["layout", spec]);
        assert!(code == 2 && err.contains(rule) && err.contains("hint: "), "{err}");
    }
    // No text makes it fail: every beginning, and every text with one character changed.
    let text = format!("layout {{ {PADDED} tiles {{ dimensions: 8 }} split_configs < dimension: 0 >}}");
    for end in 0..=text.len() {
        parse_layout_proto(&text[..end]);
        for mark in ["{", "]", ":", "\"", "é", "99999999999999999999"] {
            parse_layout_proto(&format!("{}{mark}{}", &text[..end], &text[end..]));
            parse_spec(&format!("f32[2,3] {}{mark}{}", &text[..end], &text[end..]));
        }
    }
}

/// Row 17: every padding value has its name of the enum.
#[test]
fn padding_values_have_the_names_of_the_enum() {
    for value in PaddingValue::ALL {
        let layout = Layout::ascending(2).padded([3, 5], value);
        let text = layout.proto_text();
        assert_eq!(text.contains("padding_value"), value != PaddingValue::Invalid);
        assert_eq!(parse_layout_proto(&text).layout, layout);
    }
}

/// Row 19: machine output says what padding holds.
#[test]
fn json_has_the_padding_value() {
    let value = |spec: &str| -> Value { terminal_json(&["layout", spec, "--json"])["padding_value"].clone() };
    assert_eq!(value("f32[2,3]{0,1} padded[3,5]=zero"), json!("zero"));
    assert_eq!(value("f32[2,3]{0,1} padded[3,5]=lowest"), json!("lowest"));
    // Not set is said as such; without padding there is no value.
    assert_eq!(value("f32[2,3]{0,1} padded[3,5]"), json!("invalid"));
    assert_eq!(value("f32[2,3]{0,1}"), json!(null));
}
