//! Memory reports for the page: each buffer with its tile padding, and with changes that waste less.

use super::wire::{
    LayoutLink, MemoryReport, ReportBuffer, ReportChange, ReportKind, ReportSuggestion, TilePicture,
};
use crate::array::{ArrayShape, MemoryMap, Shape, TileDim};
use crate::inspect::report::suggest::{Change, Suggestion, suggestions};
use crate::inspect::report::{Buffer, Format, Report};
use crate::state::document::{Document, ValueRule};
use crate::state::permalink;

/// Maximum buffers that are shown.
const MAX_BUFFERS: usize = 100;

/// Maximum suggestions for a buffer.
const MAX_SUGGESTIONS: usize = 4;

/// Maximum characters of a label.
const MAX_LABEL_CHARS: usize = 300;

/// Maximum slots of an array that a link opens: the Layout screen draws as many without delay.
const MAX_LAYOUT_SLOTS: i64 = 1 << 20;

/// The report of the text for the page.
pub(super) fn wire(report: &Report) -> MemoryReport {
    let kind = match report.format {
        Format::BufferAssignment => ReportKind::BufferAssignment,
        Format::MemoryUsage => ReportKind::MemoryUsage,
        Format::OutOfMemory | Format::Unknown => ReportKind::OutOfMemory,
    };
    MemoryReport {
        kind,
        used: report.used,
        capacity: report.capacity,
        requested: report.requested,
        memory: report.buffers.iter().fold(0, |sum: u64, buffer| sum.saturating_add(buffer.memory())),
        padding: report.padding(),
        buffers: report.buffers.iter().take(MAX_BUFFERS).map(buffer).collect(),
        buffer_count: report.buffers.len(),
    }
}

fn buffer(buffer: &Buffer) -> ReportBuffer {
    let text = |text: &Option<String>| -> String {
        text.as_deref().unwrap_or_default().chars().take(MAX_LABEL_CHARS).collect()
    };
    let array = buffer.array.as_ref();
    let found = array.map(suggestions).unwrap_or_default();
    ReportBuffer {
        shape: buffer.shape_text.chars().take(MAX_LABEL_CHARS).collect(),
        memory: buffer.memory(),
        padding: buffer.padding(),
        label: text(&buffer.label),
        operator: text(&buffer.operator),
        line: buffer.line + 1,
        tiles: array.and_then(tiles),
        layout: array.map(layout_link),
        suggestions: found.iter().take(MAX_SUGGESTIONS).map(suggestion).collect(),
    }
}

fn suggestion(found: &Suggestion) -> ReportSuggestion {
    ReportSuggestion {
        change: match found.change {
            Change::Order(_) => ReportChange::Order,
            Change::Merge { dimension } => ReportChange::Merge(dimension),
            Change::Size { dimension, size } => ReportChange::Size(dimension, size),
        },
        shape: Shape::Array(found.array.clone()).to_string(),
        memory: found.bytes.memory,
        saved: found.saved,
        layout: layout_link(&found.array),
    }
}

/// The sizes of the two most minor dimensions, with and without the padding by the first tile.
fn tiles(array: &ArrayShape) -> Option<TilePicture> {
    let layout = array.layout.as_ref()?;
    let tile = layout.tiles.first()?;
    let mut tile_sizes = tile.0.iter().rev();
    let mut padded = |dimension: Option<&i64>| {
        let size = match dimension {
            Some(dimension) => *array.dimensions.get(usize::try_from(*dimension).ok()?)?,
            None => 1,
        };
        let tile = match tile_sizes.next() {
            Some(TileDim::Size(tile)) if *tile > 0 => *tile,
            _ => 1,
        };
        let padded = size.checked_add(tile - 1)? / tile * tile;
        Some((size, padded))
    };
    let columns = padded(layout.minor_to_major.first())?;
    let rows = padded(layout.minor_to_major.get(1))?;
    (rows.0 > 0 && columns.0 > 0).then_some(TilePicture { rows, columns })
}

/// The link that opens an array in the Layout screen: a smaller one, of which the largest dimensions are halved, if it has
/// too many slots.
fn layout_link(array: &ArrayShape) -> LayoutLink {
    let mut shown = array.clone();
    let is_large =
        |array: &ArrayShape| MemoryMap::new(array).is_ok_and(|map| map.slot_count() > MAX_LAYOUT_SLOTS);
    while is_large(&shown) {
        // Ends: halving the largest dimension makes each of them 1 at last.
        let Some(largest) = shown.dimensions.iter_mut().max().filter(|size| **size > 1) else { break };
        *largest /= 2;
    }
    let is_part = shown != *array;
    let document = Document { values: ValueRule::Iota, ..Document::with_shape(Shape::Array(shown)) };
    LayoutLink { fragment: permalink::write(&document), is_part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::report;

    const SAMPLE: &str = include_str!("../../../static/programs/out-of-memory.txt");

    #[test]
    fn the_sample_is_a_report_whose_first_buffer_wastes_the_most() {
        let found = wire(&report::detect(SAMPLE).unwrap());
        assert_eq!(found.kind, ReportKind::OutOfMemory);
        assert!(found.used > found.capacity, "{found:?}");
        let first = &found.buffers[0];
        assert_eq!(first.tiles, Some(TilePicture { rows: (4_194_304, 4_194_304), columns: (12, 128) }));
        assert!(first.padding * 10 > first.memory * 9, "the tiles waste more than 90 %");
        assert!(found.buffers.is_sorted_by(|a, b| a.padding >= b.padding));
        let order = first.suggestions.iter().find(|each| each.change == ReportChange::Order).unwrap();
        assert!(order.saved * 10 > first.memory * 8 && order.shape.contains("{0,1:"), "{order:?}");
    }

    #[test]
    fn an_array_that_is_too_large_for_the_layout_screen_opens_as_a_smaller_one() {
        let array = |text: &str| {
            let shape: Shape = text.parse().unwrap();
            shape.as_array().unwrap().clone()
        };
        let small = layout_link(&array("f32[3,5]{1,0:T(8,128)}"));
        assert!(!small.is_part && small.fragment.starts_with("v1/f32[3,5]"), "{small:?}");
        let large = layout_link(&array("f32[33554432,10]{1,0:T(8,128)}"));
        assert!(large.is_part && large.fragment.contains(",10]"), "{large:?}");
        let loaded = permalink::read(&large.fragment);
        assert_eq!(loaded.problems, []);
    }

    #[test]
    fn programs_are_no_reports() {
        let program = "HloModule m ENTRY e { ROOT x = f32[] parameter(0), metadata={op_name=\"Ran out of memory in \
                       memory space hbm. Used 2G of 1G hbm.\"} }";
        assert_eq!(report::detect(program), None);
        assert_eq!(report::detect("no report"), None);
    }
}
