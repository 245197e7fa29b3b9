//! *Shapes and layout*, "Padding".

use xla_playground::state::document::{Document, ValueRule};
use xla_playground::state::presets::PRESETS;
use xla_playground::view::array_view::ArrayView;
use xla_playground::view::colour_map::ColourMap;
use xla_playground::view::inspect::SlotProperties;

fn preset(name: &str) -> Document {
    PRESETS.iter().find(|preset| preset.name == name).unwrap().document()
}

/// The content of memory, slot by slot: the bits, in hexadecimal.
fn memory(document: &Document) -> Vec<String> {
    let array = document.array().unwrap();
    let view = ArrayView::new(array, &document.values, document.view.colour, ColourMap::Viridis).unwrap();
    (0..view.memory_map().slot_count()).map(|slot| SlotProperties::new(&view, slot).unwrap().hex).collect()
}

/// Row 32: "the padded array is equivalent to the array a b c 0 0 / d e f 0 0 / 0 0 0 0 0 with the same order".
#[test]
fn padding_equals_an_array_with_zeros_in_the_same_order() {
    let padded =
        Document { values: ValueRule::Text("{{1,2,3},{4,5,6}}".to_owned()), ..preset("preset-padded") };
    let equal = preset("preset-padded-equal");
    let layouts = [&padded, &equal].map(|document| document.array().unwrap().layout.clone().unwrap());
    assert_eq!(layouts[0].minor_to_major, layouts[1].minor_to_major);
    assert!(layouts[1].padding.is_none());
    let contents = [&padded, &equal].map(memory);
    assert_eq!(contents[0], contents[1]);
    assert_eq!(contents[0].iter().filter(|bits| *bits == "0x00000000").count(), 9);
}
