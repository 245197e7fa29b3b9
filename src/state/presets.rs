//! Example arrays: those of XLA's documents, and layouts used in practice.

use Elements::{Iota, Letters, Typed};

use super::document::{Document, ValueRule};
use crate::array::text;

/// The group of a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// XLA's "Shapes and layout" page.
    XlaDocs,
    /// Images and matrices as frameworks and accelerators store them.
    RealWorld,
    /// Shapes with extreme sizes, ranks or layouts.
    EdgeCases,
}

/// The elements of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// a, b, c …, as in XLA's documents.
    Letters,
    /// 0, 1, 2 …
    Iota,
    /// These, as a literal.
    Typed(&'static str),
}

/// An example array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Key of its name in the catalogue.
    pub name: &'static str,
    /// The group in the list of examples.
    pub group: Group,
    /// The shape, as in the spec bar.
    pub spec: &'static str,
    /// The elements of the array.
    pub elements: Elements,
    /// The compared layout, as the braces of a shape; empty for none.
    pub compare: &'static str,
}

const fn preset(name: &'static str, group: Group, spec: &'static str, elements: Elements) -> Preset {
    Preset { name, group, spec, elements, compare: "" }
}

/// All presets, in display order.
pub const PRESETS: &[Preset] = &[
    preset("preset-row-major", Group::XlaDocs, "f32[2,3]{1,0}", Letters),
    preset("preset-column-major", Group::XlaDocs, "f32[2,3]{0,1}", Letters),
    preset("preset-padded", Group::XlaDocs, "f32[2,3]{0,1} padded[3,5]=zero", Letters),
    preset("preset-padded-row", Group::XlaDocs, "f32[2,3]{1,0} padded[3,5]=zero", Letters),
    preset(
        "preset-padded-equal",
        Group::XlaDocs,
        "f32[3,5]{0,1}",
        Typed("{{1,2,3,0,0},{4,5,6,0,0},{0,0,0,0,0}}"),
    ),
    preset("preset-tile", Group::XlaDocs, "f32[3,5]{1,0:T(2,2)}", Letters),
    preset("preset-nested-tile", Group::XlaDocs, "bf16[4,8]{1,0:T(2,4)(2,1)}", Iota),
    preset("preset-combine", Group::XlaDocs, "f32[2,3,4]{2,1,0:T(*,2,3)}", Letters),
    preset("preset-nhwc", Group::RealWorld, "f32[2,4,6,3]{3,2,1,0}", Iota),
    preset("preset-nchw", Group::RealWorld, "f32[2,3,4,6]{3,2,1,0}", Iota),
    Preset {
        name: "preset-nchw-as-nhwc",
        group: Group::RealWorld,
        spec: "f32[2,3,4,4]{3,2,1,0}",
        elements: Iota,
        compare: "{1,3,2,0}",
    },
    preset("preset-tpu", Group::RealWorld, "bf16[16,256]{1,0:T(8,128)(2,1)}", Iota),
    preset("preset-packed", Group::RealWorld, "s4[4,16]{1,0:E(4)}", Iota),
    preset("preset-lowest", Group::RealWorld, "f32[3,5]{1,0} padded[4,8]=lowest", Iota),
    Preset {
        name: "preset-transposed",
        group: Group::RealWorld,
        spec: "f32[4,6]{1,0}",
        elements: Letters,
        compare: "{0,1}",
    },
    preset(
        "preset-tuple",
        Group::EdgeCases,
        "(f32[2,3]{0,1}, s32[4]{0}, (pred[2,2]{1,0}, token[]))",
        Letters,
    ),
    preset("preset-rank-5", Group::EdgeCases, "f32[2,3,2,3,4]{4,3,2,1,0}", Iota),
    preset("preset-scalar", Group::EdgeCases, "f32[]", Iota),
    preset("preset-empty", Group::EdgeCases, "f32[0,3]{1,0}", Iota),
    preset("preset-million", Group::EdgeCases, "f32[1024,1024]{0,1}", Iota),
    preset("preset-sixteen-million", Group::EdgeCases, "f32[4096,4096]{1,0:T(8,128)}", Iota),
];

impl Preset {
    /// The document that the preset opens.
    pub fn document(&self) -> Document {
        let Some(shape) = text::parse(self.spec).shape else { return Document::default() };
        let mut document = Document::with_shape(shape);
        document.values = match self.elements {
            Letters => ValueRule::Letters,
            Iota => ValueRule::Iota,
            Typed(literal) => ValueRule::Text(literal.to_owned()),
        };
        if let Some(array) = document.array()
            && !self.compare.is_empty()
        {
            let sizes: Vec<String> = array.dimensions.iter().map(i64::to_string).collect();
            let other = format!("{}[{}]{}", array.element_type, sizes.join(","), self.compare);
            let parsed = text::parse(&other);
            document.compare = parsed.shape.and_then(|s| s.as_array().and_then(|a| a.layout.clone()));
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_opens_with_its_shape() {
        for preset in PRESETS {
            let parsed = text::parse(preset.spec);
            assert!(parsed.diagnostics.is_empty(), "{}: {:?}", preset.name, parsed.diagnostics);
            let mut document = preset.document();
            assert_eq!(document.normalize(), Ok(()), "{}", preset.name);
            assert_eq!(document.shape.to_string(), preset.spec, "{}", preset.name);
            assert_eq!(document.compare.is_some(), !preset.compare.is_empty(), "{}", preset.name);
        }
    }
}
