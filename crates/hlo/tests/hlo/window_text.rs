//! Windows in HLO text: rules of each edition, suggested fixes, and printing.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use xla_array::Edition;
use xla_hlo::parse;
use xla_hlo::parser::parse_edition;

const ADD: &str = "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";

/// The rule of the first diagnostic.
fn rule(text: &str, edition: Edition) -> Option<&'static str> {
    let parsed = parse_edition(text, edition);
    parsed.diagnostics.first().map(|d| d.rule)
}

#[test]
fn windows_of_2017_have_no_dilation_or_negative_padding() {
    let reduce = |window: &str| {
        format!(
            "HloModule m {ADD} ENTRY e {{ x = s32[5] parameter(0) i = s32[] parameter(1)
             ROOT r = reduce-window(x, i), window={{size=2 {window}}}, to_apply=add }}"
        )
    };
    for (window, expected) in [
        ("stride=2", None),
        ("pad=1_0", None),
        ("pad=-1_0", Some("window-2017")),
        ("lhs_dilate=2", Some("window-2017")),
        ("rhs_dilate=2", Some("window-2017")),
    ] {
        assert_eq!(rule(&reduce(window), Edition::V2017), expected, "{window}");
        assert_eq!(rule(&reduce(window), Edition::Current), None, "{window}");
    }
    let convolution = |shapes: [&str; 2], attributes: &str| {
        let [x, w] = shapes;
        format!(
            "HloModule m ENTRY e {{ x = s32[{x}] parameter(0) w = s32[{w}] parameter(1)
             ROOT r = convolution(x, w), {attributes} }}"
        )
    };
    let shapes_1d = ["1,2,5", "2,2,3"];
    for (shapes, attributes, expected) in [
        (shapes_1d, "window={size=3 pad=-1_0 lhs_dilate=2}, dim_labels=bf0_oi0->bf0", None),
        (shapes_1d, "window={size=3 rhs_reversal=1}, dim_labels=bf0_oi0->bf0", Some("convolution-2017")),
        (["3,4", "2,4"], "dim_labels=bf_oi->bf", Some("convolution-2017")),
        (
            ["1,2,5", "2,1,3"],
            "window={size=3}, dim_labels=bf0_oi0->bf0, feature_group_count=2",
            Some("edition-attribute"),
        ),
    ] {
        assert_eq!(rule(&convolution(shapes, attributes), Edition::V2017), expected, "{attributes}");
        assert_eq!(rule(&convolution(shapes, attributes), Edition::Current), None, "{attributes}");
    }
}

#[test]
fn fixes_of_windows_remove_their_errors() {
    let convolution = "x = s32[1,1,3] parameter(0) w = s32[1,1,2] parameter(1)
        ROOT r = convolution(x, w), dim_labels=bf0_oi0->bf0, window=";
    let reduce =
        "x = s32[3] parameter(0) i = s32[] parameter(1) ROOT r = reduce-window(x, i), to_apply=add, window=";
    for (before, window, expected) in [
        (convolution, "{}", "window-1"),
        (convolution, "{size=2x2}", "window-1"),
        (convolution, "{size=0}", "window-2"),
        (convolution, "{size=2 stride=0}", "window-3"),
        (convolution, "{size=2 lhs_dilate=-1}", "window-4"),
        (convolution, "{size=2 rhs_dilate=0}", "window-5"),
        (convolution, "{size=2 pad=-3_-2}", "window-6"),
        (convolution, "{size=2 pad=2_-9}", "window-6"),
        (convolution, "{size=3}", "convolution-7"),
        (convolution, "{size=2}, feature_group_count=0", "convolution-2"),
        (convolution, "{size=2}, batch_group_count=2", "convolution-6"),
        (reduce, "{size=1x1}", "window-1"),
        (reduce, "{size=-1}", "window-2"),
    ] {
        let text = format!("HloModule m {ADD} ENTRY e {{ {before}{window} }}");
        let parsed = parse(&text);
        assert_eq!(parsed.diagnostics.iter().map(|d| d.rule).collect::<Vec<_>>(), [expected], "{window}");
        let edit = &parsed.diagnostics[0].hints[0].edits[0];
        let fixed = format!("{}{}{}", &text[..edit.span.start], edit.text, &text[edit.span.end..]);
        assert!(parse(&fixed).diagnostics.is_empty(), "{fixed}: {:?}", parse(&fixed).diagnostics);
    }
}

#[test]
fn malformed_windows_are_rejected() {
    for window in
        ["{stride=2}", "{size=2 size=2}", "{size=2 stride=1x1}", "{size=2 pad=1}", "{size=2", "{size}"]
    {
        let text = format!(
            "HloModule m {ADD} ENTRY e {{ x = s32[5] parameter(0) i = s32[] parameter(1)
             ROOT r = reduce-window(x, i), window={window}, to_apply=add }}"
        );
        assert!(parse(&text).error().is_some(), "{window}");
    }
}

/// Whether a field of a window has its default value, which XLA does not print.
fn is_default(field: &str) -> bool {
    let (name, parts) = field.split_once('=').unwrap();
    let default = match name {
        "size" => return false,
        "pad" => "0_0",
        "rhs_reversal" => "0",
        _ => "1",
    };
    parts.split('x').all(|part| part == default)
}

#[test]
fn windows_and_labels_of_golden_cases_print_canonically() {
    let mut count = 0;
    for file in ["convolution", "reduce_window", "select_and_scatter"] {
        let path = format!("{}/../../tests/data/goldens/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            if case.get("error").is_some() {
                continue;
            }
            let hlo = case["hlo"].as_str().unwrap();
            let printed = parse(hlo).module.to_string();
            let between = |text: &str, from: &str, to: &[char]| {
                let rest = text.split_once(from)?.1;
                Some(rest[..rest.find(to)?].to_owned())
            };
            let printed_fields = |text: &str| -> Vec<String> {
                let window = between(text, "window={", &['}']).unwrap_or_default();
                window.split_whitespace().filter(|field| !is_default(field)).map(str::to_owned).collect()
            };
            let fields = between(&printed, "window={", &['}']).unwrap_or_default();
            assert_eq!(fields.split_whitespace().collect::<Vec<_>>(), printed_fields(hlo), "{printed}");
            let labels = |text: &str| between(text, "dim_labels=", &[',', '\n']);
            assert_eq!(labels(&printed), labels(hlo));
            assert_eq!(parse(&printed).module.to_string(), printed);
            count += 1;
        }
    }
    assert_eq!(count, 58 + 75 + 36);
}
