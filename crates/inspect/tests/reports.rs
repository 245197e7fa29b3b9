//! Pasted memory reports, and suggestions for padded shapes.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use xla_array::{ArrayShape, ElementType, Layout};
use xla_inspect::performance::bytes::Bytes;
use xla_inspect::report::suggest::{Change, suggestions};
use xla_inspect::report::{Format, Report, Use, parse};

const TPU: &str = include_str!("data/reports/tpu_hbm.txt");
const GPU: &str = include_str!("data/reports/gpu.txt");
const ASSIGNMENT: &str = include_str!("data/reports/assignment.txt");
const USAGE: &str = include_str!("data/reports/usage.txt");

#[test]
fn an_error_of_the_tpu_compiler_is_ranked_by_waste() {
    let report = parse(TPU);
    assert_eq!(report.format, Format::OutOfMemory);
    assert_eq!((report.used, report.capacity), (Some(21_056_077_169), Some(16_621_523_436)));
    let summary: Vec<_> = report
        .buffers
        .iter()
        .map(|buffer| (buffer.memory(), buffer.padding(), buffer.usage, buffer.line))
        .collect();
    assert_eq!(
        summary,
        [
            (16 << 30, (16 << 30) - 33_554_432 * 40, Use::Temporary, 19),
            // The stated size is twice that of the shape.
            (2 << 30, 1 << 30, Use::Temporary, 28),
            (256 << 20, 0, Use::Temporary, 37),
            (64 << 20, 0, Use::Constant, 44),
        ]
    );
    let first = &report.buffers[0];
    assert_eq!(first.computed, Some(Bytes { data: 33_554_432 * 40, memory: 16 << 30 }));
    assert_eq!(first.operator.as_deref(), Some("op_type=\"OneHot\" op_name=\"jit(train_step)/one_hot\""));
    assert!(first.label.as_deref().is_some_and(|label| label.starts_with("%iota.4 = ")));
    assert!(report.totals.contains(&("HLO temp".to_owned(), 21_056_077_169)));
    // As a vector it would have tiles of one dimension.
    let merged = suggestions(first.array.as_ref().expect("an array"));
    let merged = merged.iter().find(|suggestion| matches!(suggestion.change, Change::Merge { .. }));
    assert_eq!(
        merged.map(|merged| merged.bytes),
        Some(Bytes { data: 33_554_432 * 40, memory: 33_554_432 * 40 })
    );
    // More than 90 % of the first buffer is padding, which another order avoids.
    assert!(first.padding() * 10 > first.memory() * 9);
    let found = suggestions(first.array.as_ref().expect("an array"));
    let order = found.iter().find(|suggestion| matches!(suggestion.change, Change::Order(_)));
    let order = order.expect("an order");
    assert_eq!(order.change, Change::Order([0, 1].into_iter().collect()));
    assert!(order.saved > first.padding() / 10 * 9);
}

#[test]
fn an_error_of_the_gpu_runtime_is_read() {
    let report = parse(GPU);
    assert_eq!((report.format, report.requested), (Format::OutOfMemory, Some(12_884_901_888)));
    let summary: Vec<_> = report
        .buffers
        .iter()
        .map(|buffer| (buffer.stated, buffer.shape_text.as_str(), buffer.array.is_some(), buffer.usage))
        .collect();
    assert_eq!(
        summary,
        [
            (4 << 30, "f32[8192,131072]", true, Use::Unknown),
            (5 << 28, "f32[2560,131072]", true, Use::Parameter),
            (1 << 29, "(f32[64,1024,1024], f32[64,1024,1024])", false, Use::Unknown),
        ]
    );
    assert_eq!(report.totals.len(), 7);
    assert_eq!(report.totals[3], ("preallocated temp allocation".to_owned(), 12 << 30));
}

#[test]
fn a_list_on_one_line_is_read() {
    let report = parse(
        "Largest program allocations in vmem:
  1. Size: 36.00M  Shape: f8e4m3fn[2,2048,9,4,256]  Tag: scratch operand
  2. Size: 1.00M  Shape: f32[512,512]{1,0:T(8,128)}",
    );
    let summary: Vec<_> = report
        .buffers
        .iter()
        .map(|buffer| (buffer.stated, buffer.shape_text.as_str(), buffer.label.as_deref()))
        .collect();
    assert_eq!(
        summary,
        [
            (36 << 20, "f8e4m3fn[2,2048,9,4,256]", Some("scratch operand")),
            (1 << 20, "f32[512,512]{1,0:T(8,128)}", None),
        ]
    );
    assert!(
        report
            .buffers
            .iter()
            .all(|buffer| buffer.computed.is_some_and(|computed| computed.memory == buffer.stated))
    );
}

#[test]
fn a_buffer_assignment_has_allocations_with_values() {
    let report = parse(ASSIGNMENT);
    assert_eq!(report.format, Format::BufferAssignment);
    assert_eq!(report.allocations.len(), 11);
    assert_eq!((report.allocations[0].usage, report.allocations[0].bytes), (Use::Parameter, 8192));
    assert_eq!(report.allocations[10].usage, Use::Temporary);
    let temporary: Vec<_> = report
        .buffers
        .iter()
        .filter(|buffer| buffer.usage == Use::Temporary)
        .map(|buffer| (buffer.label.as_deref(), buffer.stated, buffer.allocation))
        .collect();
    assert_eq!(
        temporary,
        [
            (Some("ynn_fusion"), 4096, Some((10, 0))),
            (Some("wrapped_tanh"), 4096, Some((10, 0))),
            (Some("wrapped_reduce-window"), 128, Some((10, 4096))),
        ]
    );
    for buffer in &report.buffers {
        assert_eq!(buffer.computed.map(|computed| computed.memory), Some(buffer.stated), "{buffer:?}");
    }
}

#[test]
fn a_memory_usage_report_is_read() {
    let report = parse(USAGE);
    assert_eq!((report.format, report.used), (Format::MemoryUsage, Some(14556)));
    let shared = report.buffers.iter().find(|buffer| buffer.values == 2).expect("a shared buffer");
    assert_eq!(
        (shared.stated, shared.shape_text.as_str(), shared.array.is_some()),
        (4096, "2×f32[64,16]", true)
    );
}

#[test]
fn other_texts_have_no_buffers() {
    for text in [
        "",
        "HloModule m\nENTRY e { ROOT x = f32[2] parameter(0) }",
        "Size: many\nShape: f32[",
        "allocation x: size y\n value: <",
    ] {
        assert_eq!((parse(text).format, parse(text).buffers.len()), (Format::Unknown, 0), "{text}");
    }
}

#[test]
fn damaged_reports_do_not_fail() {
    // Every text cut at every position, and with every line removed or doubled.
    for text in [TPU, GPU, ASSIGNMENT, USAGE] {
        let check = |text: &str| {
            let report: Report = parse(text);
            assert!(report.buffers.is_sorted_by_key(|buffer| std::cmp::Reverse(buffer.padding())));
        };
        for (at, _) in text.char_indices().step_by(7) {
            check(&text[..at]);
            check(&text[at..]);
        }
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let (before, after) = lines.split_at(at);
            check(&[before, &after[1..]].concat().join("\n"));
            check(&[before, &[lines[at]], after].concat().join("\n"));
        }
    }
}

fn padded(sizes: &[i64], order: &[i64]) -> ArrayShape {
    let layout = Layout::new(order.iter().copied()).tiled([8, 128]);
    ArrayShape::new(ElementType::F32, sizes.iter().copied()).with_layout(layout)
}

#[test]
fn suggestions_save_what_they_say() {
    for array in [
        padded(&[1024, 4], &[1, 0]),
        padded(&[3, 100, 2, 5], &[3, 2, 1, 0]),
        padded(&[1, 1, 7], &[0, 1, 2]),
        padded(&[64, 130], &[1, 0]),
    ] {
        let now = Bytes::of_array(&array);
        let found = suggestions(&array);
        assert!(!found.is_empty(), "{array:?}");
        assert!(found.is_sorted_by_key(|suggestion| std::cmp::Reverse(suggestion.saved)));
        for suggestion in &found {
            assert_eq!(suggestion.bytes, Bytes::of_array(&suggestion.array));
            assert_eq!(suggestion.saved, now.memory - suggestion.bytes.memory, "{suggestion:?}");
            match &suggestion.change {
                Change::Order(order) => {
                    assert_eq!(suggestion.array.dimensions, array.dimensions);
                    assert_eq!(
                        suggestion.array.layout.as_ref().map(|layout| &layout.minor_to_major),
                        Some(order)
                    );
                    assert!(suggestion.saved > 0);
                }
                Change::Merge { .. } => assert_eq!(suggestion.array.elements(), array.elements()),
                Change::Size { dimension, size } => {
                    assert_eq!(suggestion.array.dimensions[*dimension], *size);
                }
            }
        }
    }
    assert!(suggestions(&padded(&[8, 128], &[1, 0])).is_empty());
    assert!(suggestions(&ArrayShape::new(ElementType::F32, [3, 5])).is_empty());
}

#[test]
fn the_best_order_has_the_least_padding_of_all() {
    let array = padded(&[3, 100, 2, 260], &[0, 2, 1, 3]);
    let mut least = u64::MAX;
    let all = [0_i64, 1, 2, 3];
    for a in all {
        for b in all {
            for c in all {
                for d in all {
                    if [a, b, c, d].iter().collect::<std::collections::BTreeSet<_>>().len() == 4 {
                        least = least.min(Bytes::of_array(&padded(&[3, 100, 2, 260], &[a, b, c, d])).memory);
                    }
                }
            }
        }
    }
    let orders =
        suggestions(&array).into_iter().filter(|suggestion| matches!(suggestion.change, Change::Order(_)));
    assert_eq!(orders.map(|suggestion| suggestion.bytes.memory).min(), Some(least));
}

#[test]
fn a_larger_size_may_use_padding() {
    let found = suggestions(&padded(&[64, 130], &[1, 0]));
    let sizes: Vec<_> = found
        .iter()
        .filter_map(|suggestion| match suggestion.change {
            Change::Size { dimension, size } => Some((dimension, size, suggestion.saved)),
            _ => None,
        })
        .collect();
    // 128 columns need half the memory, 256 as much as 130.
    assert_eq!(sizes[0], (1, 128, 64 * 128 * 4));
    assert!(sizes.contains(&(1, 256, 0)), "{sizes:?}");
}
