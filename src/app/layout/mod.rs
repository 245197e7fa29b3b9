//! The Layout screen: one array, its layout, and every slot of its memory. Read [`page`] first.

pub mod page;
