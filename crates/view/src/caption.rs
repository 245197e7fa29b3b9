//! The caption of an array's picture: the order of its elements in memory, and its padding.

use xla_array::ArrayShape;
use xla_array::layout_util::NamedOrder;
use xla_array::memory::MemoryMap;
use xla_messages::i18n::Message;

/// A message about the order and, if there is padding, one about that.
pub fn caption(shape: &ArrayShape, map: &MemoryMap) -> Vec<Message> {
    let mut messages = vec![order(shape, map)];
    let padding = map.padding_slots();
    if padding > 0 {
        let message = Message::new("caption-padding");
        messages.push(message.with("padding", padding).with("slots", map.slot_count()));
    }
    messages
}

fn order(shape: &ArrayShape, map: &MemoryMap) -> Message {
    if map.elements() == 0 {
        return Message::new("caption-empty");
    }
    if let Some((tile, inner_tiles)) = shape.layout.as_ref().and_then(|layout| layout.tiles.split_first()) {
        let tile = tile.to_string();
        if inner_tiles.is_empty() {
            return Message::new("caption-tiled").with("tile", tile);
        }
        let inner: Vec<String> = inner_tiles.iter().map(ToString::to_string).collect();
        return Message::new("caption-tiles").with("tile", tile).with("inner", inner.join(", "));
    }
    let [minor, .., major] = map.minor_to_major() else {
        return Message::new(if map.rank() == 0 { "caption-scalar" } else { "caption-vector" });
    };
    let key = match NamedOrder::of_array(shape) {
        Some(NamedOrder::Dim0Major) if map.rank() == 2 => "caption-rows",
        Some(NamedOrder::Dim0Minor) if map.rank() == 2 => "caption-columns",
        _ => "caption-order",
    };
    let message = Message::new(key).with("minor", format!("d{minor}"));
    if key == "caption-order" { message.with("major", format!("d{major}")) } else { message }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;
    use xla_array::Shape;
    use xla_messages::i18n::Language;

    fn caption_text(text: &str) -> String {
        let shape: Shape = text.parse().unwrap();
        let array = shape.as_array().unwrap();
        let sentences = caption(array, &MemoryMap::new(array).unwrap());
        sentences.iter().map(|sentence| sentence.localize(Language::ENGLISH)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_kind_of_layout_has_a_caption() {
        for (shape, sentences) in [
            ("f32[]", "A scalar is one element without dimensions."),
            ("f32[0,3]{1,0}", "One of the sizes is 0: there are no elements, and no memory."),
            ("f32[5]{0}", "Elements lie in memory one after another."),
            ("f32[2,3]{1,0}", "Memory runs along the rows: d1 changes fastest from slot to slot."),
            (
                "f32[2,3]{0,1} padded[3,5]=zero",
                "Memory runs down the columns: d0 changes fastest from slot to slot. \
                 9 of 15 slots are padding (hatched): they hold no element.",
            ),
            ("f32[2,3,4]{1,2,0}", "From slot to slot, d1 changes fastest and d0 slowest."),
            (
                "bf16[8,256]{1,0:T(8,128)(2,1)}",
                "Memory holds the tiles of (8,128) one after another, each divided into tiles of (2,1).",
            ),
            (
                "f32[3,5]{1,0:T(2,2)}",
                "Memory holds the tiles of (2,2) one after another. \
                 9 of 24 slots are padding (hatched): they hold no element.",
            ),
        ] {
            assert_eq!(caption_text(shape), sentences, "{shape}");
        }
    }
}
