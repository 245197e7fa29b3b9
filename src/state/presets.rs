//! Arrays worth starting from: every example of the documents, and the layouts people meet.

use super::document::{Document, Values};
use crate::array::text;

/// Where a preset comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// "Shapes and layout".
    Documents,
    /// Images and matrices as frameworks and accelerators hold them.
    Practice,
    /// The ends of the range.
    Corners,
}

/// An array worth starting from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Key of its name in the catalogue.
    pub name: &'static str,
    /// Which group it stands in.
    pub group: Group,
    /// The shape as the spec bar takes it.
    pub spec: &'static str,
    /// Whether it is shown in letters, as the documents do, or in numbers.
    pub letters: bool,
    /// The layout it is compared with, as the braces of a shape; empty for none.
    pub compare: &'static str,
}

const fn preset(name: &'static str, group: Group, spec: &'static str, letters: bool) -> Preset {
    Preset { name, group, spec, letters, compare: "" }
}

/// All presets, in the order they are shown.
pub const PRESETS: &[Preset] = &[
    preset("preset-row-major", Group::Documents, "f32[2,3]{1,0}", true),
    preset("preset-column-major", Group::Documents, "f32[2,3]{0,1}", true),
    preset("preset-padded", Group::Documents, "f32[2,3]{0,1} padded[3,5]=zero", true),
    preset("preset-padded-row", Group::Documents, "f32[2,3]{1,0} padded[3,5]=zero", true),
    preset("preset-padded-equal", Group::Documents, "f32[3,5]{0,1}", true),
    preset("preset-tile", Group::Documents, "f32[3,5]{1,0:T(2,2)}", true),
    preset("preset-nested-tile", Group::Documents, "bf16[4,8]{1,0:T(2,4)(2,1)}", false),
    preset("preset-combine", Group::Documents, "f32[2,3,4]{2,1,0:T(*,2,3)}", true),
    preset("preset-nhwc", Group::Practice, "f32[2,4,6,3]{3,2,1,0}", false),
    preset("preset-nchw", Group::Practice, "f32[2,3,4,6]{3,2,1,0}", false),
    Preset {
        name: "preset-nchw-as-nhwc",
        group: Group::Practice,
        spec: "f32[2,3,4,4]{3,2,1,0}",
        letters: false,
        compare: "{1,3,2,0}",
    },
    preset("preset-tpu", Group::Practice, "bf16[16,256]{1,0:T(8,128)(2,1)}", false),
    preset("preset-packed", Group::Practice, "s4[4,16]{1,0:E(4)}", false),
    preset("preset-lowest", Group::Practice, "f32[3,5]{1,0} padded[4,8]=lowest", false),
    Preset {
        name: "preset-transposed",
        group: Group::Practice,
        spec: "f32[4,6]{1,0}",
        letters: true,
        compare: "{0,1}",
    },
    preset("preset-tuple", Group::Corners, "(f32[2,3]{0,1}, s32[4]{0}, (pred[2,2]{1,0}, token[]))", true),
    preset("preset-rank-5", Group::Corners, "f32[2,3,2,3,4]{4,3,2,1,0}", false),
    preset("preset-scalar", Group::Corners, "f32[]", false),
    preset("preset-empty", Group::Corners, "f32[0,3]{1,0}", false),
    preset("preset-million", Group::Corners, "f32[1024,1024]{0,1}", false),
    preset("preset-sixteen-million", Group::Corners, "f32[4096,4096]{1,0:T(8,128)}", false),
];

impl Preset {
    /// The document it opens.
    pub fn document(&self) -> Document {
        let Some(shape) = text::parse(self.spec).shape else { return Document::default() };
        let mut document = Document::of(shape);
        document.values = if self.letters { Values::Letters } else { Values::Iota };
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
    fn every_preset_opens_as_it_is_written() {
        for preset in PRESETS {
            let parsed = text::parse(preset.spec);
            assert!(parsed.diagnostics.is_empty(), "{}: {:?}", preset.name, parsed.diagnostics);
            let mut document = preset.document();
            assert_eq!(document.settle(), Ok(()), "{}", preset.name);
            assert_eq!(document.shape.to_string(), preset.spec, "{}", preset.name);
            assert_eq!(document.compare.is_some(), !preset.compare.is_empty(), "{}", preset.name);
        }
    }
}
