//! An op's metadata and an entry of the documentation, comparable as Yew properties.

use crate::documents::Entry;
use crate::ops::OpMeta;

/// An op's metadata, compared by its opcode.
#[derive(Clone, Copy)]
pub struct Meta(pub &'static OpMeta);

impl PartialEq for Meta {
    fn eq(&self, other: &Self) -> bool {
        self.0.opcode == other.0.opcode
    }
}

/// An entry of the documentation, compared by its name.
#[derive(Clone, Copy)]
pub struct EntryRef(pub &'static Entry);

impl PartialEq for EntryRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
