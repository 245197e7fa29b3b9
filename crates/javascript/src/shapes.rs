//! Shapes and layouts: their records, slots and indices, and pictures.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use xla_array::memory::SlotContents;
use xla_array::text::{MAX_TEXT_BYTES, Parsed, parse_printed, parse_spec};
use xla_array::values::ValueRule;
use xla_array::{ArrayShape, Layout, MemoryMap, Shape};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::i18n::Message;
use xla_view::array_view::ArrayView;
use xla_view::colour_map::ColourMap;
use xla_view::export::picture;
use xla_view::highlights::SlotHighlights;
use xla_view::options::{ColourBy, ViewOptions};
use xla_view::palette::Theme;
use xla_wire::LayoutReport;
use xla_wire::diagnostic_record::{DiagnosticRecord, ErrorKind, TextPositions};

use crate::record::{exception, to_object};

/// Maximum number of slots of an array in a picture, as on the Layout screen.
const MAX_PICTURE_SLOTS: i64 = 1 << 26;

/// A shape.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShapeRecord {
    /// In XLA's syntax, with the layout and 2017 padding.
    text: String,
    /// `"array"`, `"buffer"`, `"tuple"`, `"token"` or `"opaque"`.
    kind: &'static str,
    element_type: Option<&'static str>,
    /// Sizes; the bound of a bounded dimension, null for an unbounded one.
    dimensions: Vec<Option<i64>>,
    /// Whether every dimension is static.
    is_static: bool,
    element_count: Option<i64>,
    slot_count: Option<i64>,
    byte_size: Option<i64>,
    layout: Option<LayoutRecord>,
    /// The elements of a tuple.
    elements: Vec<ShapeRecord>,
}

/// A layout.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LayoutRecord {
    minor_to_major: Vec<i64>,
    /// Sizes of each tile, the outermost first; `"*"` combines a dimension with the next.
    tiles: Vec<String>,
    padded_dimensions: Option<Vec<i64>>,
    padding_value: Option<&'static str>,
    element_size_in_bits: i64,
    memory_space: i64,
    tail_padding_alignment: i64,
    /// The text of the Layout proto.
    proto: String,
}

impl LayoutRecord {
    fn of(layout: &Layout) -> Self {
        let padding = layout.padding.as_ref().filter(|padding| !padding.dimensions.is_empty());
        Self {
            minor_to_major: layout.minor_to_major.to_vec(),
            tiles: layout.tiles.iter().map(ToString::to_string).collect(),
            padded_dimensions: padding.map(|padding| padding.dimensions.to_vec()),
            padding_value: padding.map(|padding| padding.value.word()),
            element_size_in_bits: layout.element_size_in_bits,
            memory_space: layout.memory_space,
            tail_padding_alignment: layout.tail_padding_alignment,
            proto: layout.proto_text(),
        }
    }
}

impl ShapeRecord {
    fn without_array(shape: &Shape, kind: &'static str) -> Self {
        Self {
            text: shape.to_string(),
            kind,
            element_type: None,
            dimensions: Vec::new(),
            is_static: true,
            element_count: None,
            slot_count: None,
            byte_size: None,
            layout: None,
            elements: Vec::new(),
        }
    }

    fn array(array: &ArrayShape, text: String, kind: &'static str) -> Self {
        let map = MemoryMap::new(array).ok();
        let size = |size: &i64| Some(*size).filter(|size| *size != ArrayShape::UNBOUNDED);
        Self {
            text,
            kind,
            element_type: Some(array.element_type.name()),
            dimensions: array.dimensions.iter().map(size).collect(),
            is_static: array.is_static(),
            element_count: array.elements(),
            slot_count: map.as_ref().map(MemoryMap::slot_count),
            byte_size: map.as_ref().map(MemoryMap::bytes),
            layout: array.layout.as_ref().map(LayoutRecord::of),
            elements: Vec::new(),
        }
    }

    fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Array(array) => Self::array(array, shape.to_string(), "array"),
            Shape::Buffer(array) => Self::array(array, shape.to_string(), "buffer"),
            Shape::Tuple(elements) => Self {
                elements: elements.iter().map(Self::of).collect(),
                ..Self::without_array(shape, "tuple")
            },
            Shape::Token => Self::without_array(shape, "token"),
            Shape::Opaque => Self::without_array(shape, "opaque"),
        }
    }
}

/// Parses a shape; throws its first error. The printed shapes of large tuples exceed the length that is accepted as input.
fn parse_valid(text: &str) -> Result<(Parsed, Shape), JsValue> {
    let parsed = if text.len() > MAX_TEXT_BYTES { parse_printed(text) } else { parse_spec(text) };
    if let Some(shape) = parsed.valid().cloned() {
        return Ok((parsed, shape));
    }
    let empty = || Diagnostic::error(Span::default(), "text-empty", Message::terminal("text-empty"));
    let error = parsed.error().cloned().unwrap_or_else(empty);
    Err(exception(&DiagnosticRecord::of_text(&error, &TextPositions::new(text), None)))
}

/// The memory map of a shape that is one array.
fn memory_map(text: &str) -> Result<MemoryMap, JsValue> {
    let (parsed, shape) = parse_valid(text)?;
    let array = match &shape {
        Shape::Array(array) => array,
        Shape::Buffer(array) => array,
        _ => {
            let message = Message::terminal("cli-not-an-array");
            return Err(exception(&DiagnosticRecord::new(ErrorKind::Argument, "cli-not-an-array", &message)));
        }
    };
    MemoryMap::new(array).map_err(|violation| {
        exception(&DiagnosticRecord::of_text(
            &parsed.diagnose(text, violation),
            &TextPositions::new(text),
            None,
        ))
    })
}

/// The record of a shape. Throws if the text has an error.
#[wasm_bindgen(js_name = shapeRecord)]
pub fn shape_record(text: &str) -> Result<JsValue, JsValue> {
    parse_valid(text).map(|(_, shape)| to_object(&ShapeRecord::of(&shape)))
}

/// The memory layout of a shape, as `xla-playground layout --json` prints it. Throws if the text has an error.
#[wasm_bindgen(js_name = layoutReport)]
pub fn layout_report(text: &str, lists_all_slots: bool) -> Result<JsValue, JsValue> {
    parse_valid(text).map(|(_, shape)| to_object(&LayoutReport::of(&shape, lists_all_slots)))
}

/// The slot of an index; undefined if there is no such element.
#[wasm_bindgen(js_name = slotOfIndex)]
pub fn slot_of_index(text: &str, index: &[i64]) -> Result<Option<i64>, JsValue> {
    let map = memory_map(text)?;
    let is_element = index.iter().zip(map.sizes()).all(|(i, size)| i < size);
    Ok(map.slot(index).filter(|_| is_element))
}

/// The index of the element in a slot; null for padding, undefined outside the array.
#[wasm_bindgen(js_name = indexOfSlot)]
pub fn index_of_slot(text: &str, slot: i64) -> Result<JsValue, JsValue> {
    Ok(match memory_map(text)?.contents(slot) {
        Some(SlotContents::Element(index)) => to_object(&index.to_vec()),
        Some(SlotContents::Padding(_)) => JsValue::NULL,
        None => JsValue::UNDEFINED,
    })
}

/// The picture of an array as an SVG file: its grid above its memory. `values` is the text of its elements, or `"letters"` or
/// `"iota"`.
#[wasm_bindgen(js_name = svgOfShape)]
pub fn svg_of_shape(
    text: &str,
    values: &str,
    is_dark: bool,
    colours_values: bool,
) -> Result<String, JsValue> {
    let map = memory_map(text)?;
    if map.slot_count() > MAX_PICTURE_SLOTS {
        let message = Message::new("literal-too-large")
            .with("cells", map.slot_count())
            .with("limit", MAX_PICTURE_SLOTS);
        return Err(exception(&DiagnosticRecord::new(ErrorKind::Limit, "literal-size", &message)));
    }
    let (_, shape) = parse_valid(text)?;
    let rule = match values {
        "letters" => ValueRule::Letters,
        "iota" => ValueRule::Iota,
        other => ValueRule::Text(other.to_owned()),
    };
    let colour = if colours_values { ColourBy::Value } else { ColourBy::Slot };
    let view = match &shape {
        Shape::Array(array) => ArrayView::new(array, &rule, colour, ColourMap::Viridis),
        Shape::Buffer(array) => ArrayView::new(array, &rule, colour, ColourMap::Viridis),
        _ => None,
    };
    let Some(view) = view else {
        let message = Message::terminal("cli-unbounded");
        return Err(exception(&DiagnosticRecord::new(ErrorKind::Argument, "cli-unbounded", &message)));
    };
    let options = ViewOptions { colour, ..ViewOptions::default() };
    let cache_line_label = Message::terminal("cache-line").to_string();
    let scene = picture(&view, &options, &SlotHighlights::default(), &cache_line_label);
    let theme = if is_dark { Theme::dark() } else { Theme::light() };
    let description = Message::terminal("picture-of").to_string();
    Ok(xla_view::svg::svg(&scene, &theme, &shape.to_string(), &description))
}
