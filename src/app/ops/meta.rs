//! An op's metadata as a property of components.

use crate::ops::OpMeta;

/// An op's metadata, compared by its opcode.
#[derive(Clone, Copy)]
pub struct Meta(pub &'static OpMeta);

impl PartialEq for Meta {
    fn eq(&self, other: &Self) -> bool {
        self.0.opcode == other.0.opcode
    }
}
