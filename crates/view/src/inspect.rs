//! The properties of one memory slot: index, value, bits and address, and their description for screen readers.

use super::array_view::{ArrayView, UNKNOWN};
use xla_array::Dims;
use xla_array::memory::SlotKind;
use xla_array::value::fields::{Field, fields, hex};
use xla_array::value::text::Exactness;
use xla_messages::i18n::Message;

/// The properties of one slot.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotProperties {
    /// The position of the slot in memory.
    pub slot: i64,
    /// An element, padding of the array, or tile padding.
    pub kind: SlotKind,
    /// Its index; empty for tile padding.
    pub index: Dims,
    /// The exact value of the element or padding, as text.
    pub value: String,
    /// The letter shown instead of the value, if any.
    pub letter: Option<String>,
    /// The bits in hexadecimal; empty for padding with unknown content.
    pub hex: String,
    /// The bits by field, most significant first.
    pub fields: Vec<Field>,
    /// The offset of its first byte.
    pub byte: i64,
    /// The offset of its last byte.
    pub last_byte: i64,
    /// The first bit in the first byte; 0 unless elements are packed.
    pub bit: i64,
}

impl SlotProperties {
    /// The properties of a slot; `None` outside memory.
    pub fn new(array: &ArrayView, slot: i64) -> Option<Self> {
        let map = array.memory_map();
        let (byte, bit) = map.byte_address(slot)?;
        let (kind, index) = array.slot_content(slot);
        let element_type = map.element_type();
        let mut properties = Self {
            slot,
            kind,
            index: if kind == SlotKind::UnindexedPadding { Dims::new() } else { index },
            value: array.padding_text(),
            letter: None,
            hex: String::new(),
            fields: Vec::new(),
            byte,
            last_byte: byte + (bit + map.bits_per_slot() - 1) / 8,
            bit,
        };
        let value = if kind == SlotKind::Element && !array.has_values() {
            UNKNOWN.clone_into(&mut properties.value);
            None
        } else if kind == SlotKind::Element {
            let number = array.row_major_index(&properties.index);
            properties.letter = array.shows_letters().then(|| super::array_view::letter_label(number));
            Some(array.value(number))
        } else {
            array.padding_rule().and_then(|rule| xla_array::value::Value::of_padding(rule, element_type))
        };
        if let Some(value) = value {
            properties.value = value.text(element_type, Exactness::RoundTrip);
            properties.hex = hex(element_type, value);
            properties.fields = fields(element_type, value);
        }
        Some(properties)
    }

    /// The index as text, e.g. `0, 2`; empty if there is none.
    pub fn index_text(&self) -> String {
        self.index.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
    }

    /// A description of the cell for screen readers: index, value, slot, and whether it is padding.
    pub fn description(&self) -> Message {
        let value = self.letter.clone().unwrap_or_else(|| self.value.clone());
        let key = match (self.kind, self.index.is_empty()) {
            (SlotKind::UnindexedPadding, _) => {
                return Message::new("phrase-tile-padding").with("slot", self.slot);
            }
            (SlotKind::Element, true) => return Message::new("phrase-scalar").with("value", value),
            (SlotKind::Element, false) => Message::new("phrase-element"),
            (SlotKind::IndexedPadding, _) if self.value.is_empty() => {
                let unset = Message::new("phrase-padding-unset").with("index", self.index_text());
                return unset.with("slot", self.slot);
            }
            (SlotKind::IndexedPadding, _) => Message::new("phrase-padding"),
        };
        key.with("index", self.index_text()).with("value", value).with("slot", self.slot)
    }
}
