//! The text form of shapes against XLA itself: what its HLO parser accepts, prints and rejects.
//!
//! `tests/data/layout_text.jsonl` are the golden cases of the project, `layout_text_more.jsonl` further texts put
//! to the same parser (that of JAX 0.10.2); where we differ on purpose the row says why in `deviation`.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use serde_json::Value;
use xla_array::text::{Parsed, parse};
use xla_array::{PaddingValue, Shape, Tile, TileDim};
use xla_messages::diagnostic::{Diagnostic, Severity};

fn rows(jsonl: &str) -> Vec<Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'v>(row: &'v Value, field: &str) -> Option<&'v str> {
    row[field].as_str()
}

/// Whether XLA's parser rejects text for this reason: it leaves most rules of layouts to its verifier.
fn rejected_by_parser(diagnostic: &Diagnostic) -> bool {
    let left_to_verifier = match diagnostic.rule {
        "shape-3" | "layout-3" | "layout-4" | "layout-9" | "layout-11" | "layout-12" | "layout-13"
        | "layout-slots" => true,
        // `#` and `*` are printed, `P` is rejected; a tile of size 0 is printed, a negative one rejected.
        "layout-8" => !diagnostic.hints[0].message.to_string().contains("P("),
        "layout-10" => !diagnostic.message.to_string().contains('-'),
        _ => false,
    };
    diagnostic.severity == Severity::Error && !left_to_verifier
}

/// How many rows of `jsonl` agree with XLA, by "printed" and "rejected"; lists the others.
fn agreement(jsonl: &str) -> (usize, usize, Vec<String>) {
    let (mut printed, mut rejected, mut wrong) = (0, 0, Vec::new());
    for row in rows(jsonl) {
        let source = text(&row, "text").unwrap();
        let parsed = parse(source);
        let rejection = parsed.diagnostics.iter().find(|d| rejected_by_parser(d));
        let agrees = if let Some(expected) = text(&row, "printed") {
            printed += 1;
            rejection.is_none() && parsed.shape.as_ref().map(Shape::xla_text).as_deref() == Some(expected)
        } else {
            rejected += 1;
            rejection.is_some()
        };
        let deviates = row.get("deviation").is_some();
        if agrees == deviates {
            let name = text(&row, "name").unwrap();
            let shape = parsed.shape.map(|s| s.xla_text());
            wrong.push(format!(
                "{name} {source:?} → {shape:?} {:?}, deviation: {deviates}",
                rejection.map(|d| d.rule)
            ));
        }
    }
    (printed, rejected, wrong)
}

#[test]
fn every_golden_text_is_printed_or_rejected_as_xla_does() {
    let (printed, rejected, wrong) = agreement(include_str!("../../../../tests/data/layout_text.jsonl"));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((printed, rejected), (73, 16));
}

#[test]
fn every_further_text_is_printed_or_rejected_as_xla_does() {
    let (printed, rejected, wrong) = agreement(include_str!("../../../../tests/data/layout_text_more.jsonl"));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(printed > 200 && rejected > 200, "{printed} {rejected}");
}

#[test]
fn our_caret_is_at_or_before_that_of_xla() {
    let mut compared = 0;
    for row in rows(include_str!("../../../../tests/data/layout_text.jsonl")) {
        // "was parsing 4:26: …" counts columns from 1; the text begins after "  ROOT p0 = ".
        let offset = text(&row, "error").and_then(|e| e.split("was parsing 4:").nth(1)?.split(':').next());
        let Some(offset) = offset.map(|column| column.parse::<usize>().unwrap() - 13) else { continue };
        let source = text(&row, "text").unwrap();
        let parsed = parse(source);
        let error = parsed.error().unwrap();
        assert!(error.span.start <= offset, "{source}: {offset} {error:?}");
        assert!(!error.hints.is_empty() && error.span.end <= source.len(), "{source}");
        compared += 1;
    }
    assert_eq!(compared, 15);
}

#[test]
fn the_texts_of_the_layout_cases_are_read_into_their_fields() {
    let mut checked = 0;
    for row in rows(include_str!("../../../../tests/data/layouts.jsonl")) {
        let numbers = |field: &str| -> Vec<i64> {
            row[field].as_array().map(|a| a.iter().filter_map(Value::as_i64).collect()).unwrap_or_default()
        };
        // The cases with padding have no text in XLA; they use our suffix.
        let source = text(&row, "text").map_or_else(
            || {
                let list = |field| numbers(field).iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                format!(
                    "{}[{}]{{{}}} padded[{}]={}",
                    text(&row, "element_type").unwrap(),
                    list("dimensions"),
                    list("minor_to_major"),
                    list("padded_dimensions"),
                    text(&row, "padding_value").unwrap()
                )
            },
            str::to_owned,
        );
        let parsed = parse(&source);
        assert_eq!(parsed.diagnostics, [], "{source}");
        let shape = parsed.shape.unwrap();
        let array = shape.as_array().unwrap();
        let layout = array.layout.as_ref().unwrap();
        assert_eq!(Some(array.element_type.name()), text(&row, "element_type"));
        assert_eq!(array.dimensions.to_vec(), numbers("dimensions"), "{source}");
        assert_eq!(layout.minor_to_major.to_vec(), numbers("minor_to_major"), "{source}");
        let padding = layout.padding.as_ref();
        assert_eq!(padding.map(|p| p.dimensions.to_vec()).unwrap_or_default(), numbers("padded_dimensions"));
        assert_eq!(padding.map(|p| p.value), text(&row, "padding_value").and_then(PaddingValue::from_word));
        let tiles: Vec<Vec<Option<i64>>> = row["tiles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tile| tile.as_array().unwrap().iter().map(Value::as_i64).collect())
            .collect();
        let size = |d: &TileDim| if let TileDim::Size(n) = d { Some(*n) } else { None };
        let ours: Vec<Vec<Option<i64>>> =
            layout.tiles.iter().map(|Tile(sizes)| sizes.iter().map(size).collect()).collect();
        assert_eq!(ours, tiles, "{source}");
        assert_eq!(Some(layout.element_size_in_bits), row["element_size_in_bits"].as_i64());
        assert_eq!(Some(layout.tail_padding_alignment), row["tail_padding_alignment"].as_i64());
        if text(&row, "text").is_some() {
            assert_eq!(shape.to_string(), source);
        } else {
            assert_eq!(
                parse(&shape.to_string()),
                Parsed { spans: parse(&shape.to_string()).spans, shape: Some(shape), diagnostics: vec![] }
            );
        }
        checked += 1;
    }
    assert_eq!(checked, 29);
}
