//! Array shapes with their layouts, and tuple shapes.

use super::context::{Context, Hover, HoverLink, joined, product};
use xla_array::text::{ArraySpans, Property, parse_embedded};
use xla_array::value::fields::{FieldKind, fields};
use xla_array::{ArrayShape, Dynamic, ElementType, Layout, MemoryMap, Shape, TileDim, Value};
use xla_hlo::lexer::TokenKind;
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;

/// Explains the part of an array shape at the cursor.
pub(super) fn hover_array(context: &Context, array: Span) -> Option<Hover> {
    let text = context.source(array);
    let parsed = parse_embedded(text);
    let shape = parsed.shape?;
    let spans = parsed.spans.arrays.first()?;
    let offset = context.cursor.token.span.start - array.start;
    let hover = hover_part(shape.as_array()?, spans, offset)?;
    let span = Span::new(hover.span.start + array.start, hover.span.end + array.start);
    Some(Hover { span, ..hover }.link([HoverLink::Layout(text.to_owned())]))
}

/// Whether a span contains a byte.
fn contains(span: Span, at: usize) -> bool {
    span.start <= at && at < span.end
}

/// Explains the part at a byte of an array's text.
fn hover_part(array: &ArrayShape, spans: &ArraySpans, at: usize) -> Option<Hover> {
    let index_of = |spans: &[Span]| spans.iter().position(|span| contains(*span, at));
    if contains(spans.element_type, at) {
        let title = Message::inspect("inspect-element-type").with("type", array.element_type.name());
        let hover = Hover::new(spans.element_type, title).say(describe_element_type(array.element_type));
        return Some(hover.say_all(summary(array)));
    }
    if let Some(d) = index_of(&spans.dimensions) {
        return Some(dimension(array, d, *spans.dimensions.get(d)?));
    }
    if let Some(position) = index_of(&spans.minor_to_major) {
        return order_entry(array, position, *spans.minor_to_major.get(position)?);
    }
    if let Some(t) = spans.tiles.iter().position(|(span, _)| contains(*span, at)) {
        return tile(array, t, spans.tiles.get(t)?.0);
    }
    if let Some((property, span)) = spans.properties.iter().find(|(_, span)| contains(*span, at)) {
        if *property == Property::Tiles {
            return tile(array, 0, spans.tiles.first()?.0);
        }
        return Some(hover_property(array, *property, *span));
    }
    if let Some(span) = spans.padding.filter(|span| contains(*span, at)) {
        let hover = Hover::new(span, Message::inspect("inspect-padding-2017"));
        return Some(hover.say(Message::inspect("inspect-padding-2017-text")).say_all(memory(array)));
    }
    if let Some(span) = spans.layout.filter(|span| contains(*span, at)) {
        let hover = Hover::new(span, Message::inspect("inspect-layout"));
        return Some(hover.say_all(layout(array)).say_all(memory(array)));
    }
    let title = Message::inspect("inspect-array");
    Some(Hover::new(spans.whole, title).say_all(summary(array)).say_all(memory(array)))
}

/// A description of an element type.
fn describe_element_type(of: ElementType) -> Message {
    let part = of.component().unwrap_or(of);
    let width = |kind| {
        let of_part = fields(part, Value::from_f64(part, 0.0));
        of_part.iter().find(|field| field.kind == kind).map_or(0_usize, |field| usize::from(field.width))
    };
    let key = if of.is_complex() {
        "inspect-type-complex"
    } else if of == ElementType::Pred {
        "inspect-type-pred"
    } else if of.is_floating() {
        "inspect-type-float"
    } else if of.is_signed() {
        "inspect-type-signed"
    } else {
        "inspect-type-unsigned"
    };
    Message::inspect(key)
        .with("type", of.name())
        .with("bits", usize::from(of.bits()))
        .with("part", part.name())
        .with("exponent", width(FieldKind::Exponent))
        .with("mantissa", width(FieldKind::Mantissa))
}

/// Elements and rank.
pub(super) fn summary(array: &ArrayShape) -> Vec<Message> {
    if array.rank() == 0 {
        return vec![Message::inspect("inspect-scalar").with("type", array.element_type.name())];
    }
    let Some(elements) = array.elements() else {
        return vec![Message::inspect("inspect-array-unbounded").with("rank", array.rank())];
    };
    let message = Message::inspect("inspect-array-sizes").with("sizes", product(&array.dimensions));
    vec![message.with("elements", elements).with("type", array.element_type.name())]
}

/// Order, tiles and other properties of the layout.
fn layout(array: &ArrayShape) -> Vec<Message> {
    let Some(layout) = &array.layout else { return Vec::new() };
    let mut sentences: Vec<Message> = order(layout).into_iter().collect();
    for (t, _) in layout.tiles.iter().enumerate() {
        sentences.extend(tile_text(array, t));
    }
    let number = |key, name, value: i64| Message::inspect(key).with(name, value);
    if layout.element_size_in_bits > 0 {
        sentences.push(number("inspect-element-size", "bits", layout.element_size_in_bits));
    }
    if layout.memory_space > 0 {
        sentences.push(memory_space(layout.memory_space));
    }
    if layout.tail_padding_alignment > 1 {
        sentences.push(number("inspect-tail-alignment", "slots", layout.tail_padding_alignment));
    }
    sentences
}

/// The order of the dimensions in memory; `None` for fewer than two.
fn order(layout: &Layout) -> Option<Message> {
    let order = &layout.minor_to_major;
    let (first, last) = (order.first()?, order.last()?);
    if order.len() < 2 {
        return None;
    }
    let rank = order.len();
    let key =
        if *layout == Layout::descending(rank) || order[..] == Layout::descending(rank).minor_to_major[..] {
            "inspect-order-row-major"
        } else if order[..] == Layout::ascending(rank).minor_to_major[..] {
            "inspect-order-column-major"
        } else {
            "inspect-order"
        };
    Some(Message::inspect(key).with("minor", *first).with("major", *last).with("order", joined(order, ", ")))
}

/// Bytes, and how many of them are padding.
pub(super) fn memory(array: &ArrayShape) -> Option<Message> {
    let map = MemoryMap::new(array).ok()?;
    let padding = map.padding_slots();
    let message = Message::inspect(if padding == 0 { "inspect-bytes" } else { "inspect-bytes-padded" });
    let message = message.with("bytes", map.bytes());
    if padding == 0 {
        return Some(message);
    }
    let percent = (i128::from(padding) * 100 / i128::from(map.slot_count().max(1))).to_string();
    let wasted = i128::from(padding) * i128::from(map.bits_per_slot()) / 8;
    Some(message.with("padding", wasted.to_string()).with("percent", percent))
}

fn dimension(array: &ArrayShape, d: usize, span: Span) -> Hover {
    let hover = Hover::new(span, Message::inspect("inspect-dimension").with("dimension", d));
    let size = array.dimensions.get(d).copied().unwrap_or_default();
    let key = match array.dynamic_of(d) {
        Dynamic::Static => "inspect-dimension-size",
        Dynamic::Bounded => "inspect-dimension-bounded",
        Dynamic::Unbounded => "inspect-dimension-unbounded",
    };
    let hover = hover.say(Message::inspect(key).with("dimension", d).with("size", size));
    let Ok(map) = MemoryMap::new(array) else { return hover };
    if let Some(bytes) = map.byte_strides().and_then(|strides| strides.get(d).copied()) {
        return hover.say(Message::inspect("inspect-dimension-stride").with("bytes", bytes));
    }
    hover.say_all(memory(array).filter(|_| map.padding_slots() > 0))
}

fn order_entry(array: &ArrayShape, position: usize, span: Span) -> Option<Hover> {
    let layout = array.layout.as_ref()?;
    let dimension = *layout.minor_to_major.get(position)?;
    let size = usize::try_from(dimension).ok().and_then(|d| array.dimensions.get(d)).copied();
    let rank = layout.minor_to_major.len();
    let key = match position {
        _ if rank == 1 => "inspect-order-only",
        0 => "inspect-order-minor",
        _ if position + 1 == rank => "inspect-order-major",
        _ => "inspect-order-between",
    };
    let sentence = Message::inspect(key)
        .with("dimension", dimension)
        .with("size", size.unwrap_or_default())
        .with("position", position);
    let hover = Hover::new(span, Message::inspect("inspect-order-title")).say(sentence);
    Some(hover.say_all(order(layout)).say_all(memory(array)))
}

/// The sizes of a tile as written.
fn tile_sizes(layout: &Layout, t: usize) -> Option<String> {
    let sizes = layout.tiles.get(t)?.0.iter().map(|size| match size {
        TileDim::Size(size) => size.to_string(),
        TileDim::Combine => "*".to_owned(),
    });
    Some(sizes.collect::<Vec<_>>().join(" × "))
}

/// A description of a tile.
fn tile_text(array: &ArrayShape, t: usize) -> Option<Message> {
    let layout = array.layout.as_ref()?;
    let sizes = tile_sizes(layout, t)?;
    if t > 0 {
        let outer = tile_sizes(layout, t - 1)?;
        return Some(Message::inspect("inspect-tile-inner").with("sizes", sizes).with("outer", outer));
    }
    let rank = layout.tiles.first()?.0.len().min(layout.minor_to_major.len());
    // The tiled dimensions, major to minor as the sizes of the tile.
    let mut dimensions: Vec<i64> = layout.minor_to_major.iter().take(rank).copied().collect();
    dimensions.reverse();
    let message = Message::inspect("inspect-tile-outer").with("sizes", sizes).with("count", dimensions.len());
    Some(message.with("dimensions", joined(&dimensions, ", ")))
}

fn tile(array: &ArrayShape, t: usize, span: Span) -> Option<Hover> {
    let layout = array.layout.as_ref()?;
    let hover = Hover::new(span, Message::inspect("inspect-tile")).say(tile_text(array, t)?);
    let tile = layout.tiles.get(t)?;
    let hover = if tile.0.contains(&TileDim::Combine) {
        hover.say(Message::inspect("inspect-tile-combine"))
    } else {
        hover
    };
    // How the first tile rounds the dimensions up.
    let rank = layout.minor_to_major.len();
    let rounded = tile.0.iter().rev().zip(&layout.minor_to_major).filter_map(|(size, dimension)| {
        let TileDim::Size(size) = size else { return None };
        let length = *array.dimensions.get(usize::try_from(*dimension).ok()?)?;
        let padded = length.checked_add(size - 1)? / size * size;
        let message = Message::inspect("inspect-tile-rounds").with("dimension", *dimension);
        (t == 0 && rank > 0 && padded > length).then(|| message.with("size", length).with("padded", padded))
    });
    let rounded: Vec<Message> = rounded.collect();
    Some(hover.say_all(rounded).say_all(memory(array)))
}

fn memory_space(space: i64) -> Message {
    let key = match space {
        0 => "inspect-memory-space-default",
        1 => "inspect-memory-space-fast",
        5 => "inspect-memory-space-host",
        _ => "inspect-memory-space",
    };
    Message::inspect(key).with("space", space)
}

fn hover_property(array: &ArrayShape, property: Property, span: Span) -> Hover {
    let layout = array.layout.clone().unwrap_or_else(|| Layout::descending(array.rank()));
    let (title, sentence) = match property {
        Property::ElementSize => (
            "inspect-element-size-title",
            Message::inspect("inspect-element-size").with("bits", layout.element_size_in_bits),
        ),
        Property::MemorySpace => ("inspect-memory-space-title", memory_space(layout.memory_space)),
        Property::TailPaddingAlignment => (
            "inspect-tail-alignment-title",
            Message::inspect("inspect-tail-alignment").with("slots", layout.tail_padding_alignment),
        ),
        Property::Splits => ("inspect-splits-title", Message::inspect("inspect-splits")),
        Property::MetadataPrefix => (
            "inspect-metadata-prefix-title",
            Message::inspect("inspect-metadata-prefix")
                .with("bytes", layout.dynamic_shape_metadata_prefix_bytes),
        ),
        Property::Tiles
        | Property::DimLevelTypes
        | Property::IndexType
        | Property::PointerType
        | Property::PhysicalShape => ("inspect-sparse-title", Message::inspect("inspect-sparse")),
    };
    Hover::new(span, Message::inspect(title)).say(sentence).say_all(memory(array))
}

/// Explains the parenthesis of a tuple shape: that of the instruction, since operands rarely have written ones.
pub(super) fn hover_tuple(context: &Context) -> Option<Hover> {
    let cursor = &context.cursor;
    if !matches!(cursor.token.kind, TokenKind::Punct('(' | ')')) {
        return None;
    }
    let (_, instruction) = context.instruction()?;
    let span = instruction.spans.shape;
    let is_within = span.start <= cursor.token.span.start && cursor.token.span.end <= span.end;
    let Shape::Tuple(elements) = &instruction.shape else { return None };
    let hover = Hover::new(span, Message::inspect("inspect-tuple"));
    let sentence = Message::inspect("inspect-tuple-elements").with("count", elements.len());
    let link = HoverLink::Layout(context.source(span).to_owned());
    is_within.then(|| hover.say(sentence).say_all(tuple_bytes(&instruction.shape)).link([link]))
}

/// Maximum number of arrays of a tuple whose bytes are summed.
const MAX_SUMMED_ARRAYS: usize = 10_000;

/// The bytes of all arrays of a tuple.
pub(super) fn tuple_bytes(shape: &Shape) -> Option<Message> {
    if shape.leaves() > MAX_SUMMED_ARRAYS {
        return None;
    }
    let mut remaining = vec![shape];
    let mut bytes = 0_i64;
    while let Some(shape) = remaining.pop() {
        match shape {
            Shape::Tuple(elements) => remaining.extend(elements.iter()),
            Shape::Array(array) => bytes = bytes.checked_add(MemoryMap::new(array).ok()?.bytes())?,
            Shape::Buffer(array) => bytes = bytes.checked_add(MemoryMap::new(array).ok()?.bytes())?,
            Shape::Token | Shape::Opaque => {}
        }
    }
    Some(Message::inspect("inspect-bytes").with("bytes", bytes))
}

/// A description of the shape of a value.
pub(super) fn describe(shape: &Shape) -> Vec<Message> {
    match shape {
        Shape::Array(array) => summary(array).into_iter().chain(memory(array)).collect(),
        Shape::Tuple(elements) => {
            let sentence = Message::inspect("inspect-tuple-elements").with("count", elements.len());
            std::iter::once(sentence).chain(tuple_bytes(shape)).collect()
        }
        Shape::Token => vec![Message::inspect("inspect-word-token")],
        Shape::Opaque => vec![Message::inspect("inspect-word-opaque")],
        Shape::Buffer(array) => summary(array),
    }
}
