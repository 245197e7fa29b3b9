//! Features of shapes that XLA 2017 did not have, and the nearest shape of 2017.

use super::{ArrayShape, Dynamic, ElementType, Layout, Shape};

/// A feature of shapes that XLA 2017 did not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewerFeature {
    /// An element type.
    Type(ElementType),
    /// `token[]`.
    Token,
    /// `b(shape)`.
    Buffer,
    /// A dynamic size: `<=n` or `?`.
    Dynamic,
    /// A property of the layout, by its letter: tiles are `T`.
    Property(&'static str),
}

impl Layout {
    /// The first property that 2017 did not have.
    fn first_newer_feature(&self) -> Option<NewerFeature> {
        let properties = [
            ("T", !self.tiles.is_empty()),
            ("L", self.tail_padding_alignment != 1),
            ("#", self.index_type.is_some()),
            ("*", self.pointer_type.is_some()),
            ("E", self.element_size_in_bits != 0),
            ("S", self.memory_space != 0),
            ("SC", !self.split_configs.is_empty()),
            ("P", self.physical_shape.is_some()),
            ("M", self.dynamic_shape_metadata_prefix_bytes != 0),
        ];
        properties
            .iter()
            .find(|(_, is_present)| *is_present)
            .map(|(letter, _)| NewerFeature::Property(letter))
    }
}

impl ArrayShape {
    /// The first feature that 2017 did not have.
    pub fn first_newer_feature(&self) -> Option<NewerFeature> {
        let is_newer = self.element_type.since() > super::Edition::V2017;
        is_newer
            .then_some(NewerFeature::Type(self.element_type))
            .or((!self.is_static()).then_some(NewerFeature::Dynamic))
            .or_else(|| self.layout.as_ref()?.first_newer_feature())
    }
}

impl Shape {
    /// The first feature that 2017 did not have, in source order; `None` if 2017 had them all.
    ///
    /// ```
    /// use xla_array::{ElementType, Shape, newer::NewerFeature};
    /// let newer = |text: &str| text.parse::<Shape>().map(|shape| shape.first_newer_feature());
    /// assert_eq!(newer("(f32[2,3]{0,1}, pred[])")?, None);
    /// assert_eq!(newer("(f32[2], bf16[3])")?, Some(NewerFeature::Type(ElementType::BF16)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_newer_feature(&self) -> Option<NewerFeature> {
        match self {
            Self::Array(array) => array.first_newer_feature(),
            Self::Tuple(elements) => elements.iter().find_map(Self::first_newer_feature),
            Self::Token => Some(NewerFeature::Token),
            Self::Buffer(_) => Some(NewerFeature::Buffer),
            Self::Opaque => None,
        }
    }

    /// The nearest shape of 2017: wider element types, static sizes, no property of the layout but its order and
    /// padding. `None` if there is none.
    pub fn in_2017(&self) -> Option<Self> {
        match self {
            Self::Array(array) => {
                let mut older = array.clone();
                older.element_type = array.element_type.in_2017()?;
                if older.dynamic.contains(&Dynamic::Unbounded) {
                    return None;
                }
                older.dynamic.clear();
                if let Some(layout) = &mut older.layout {
                    let plain = Layout::new(layout.minor_to_major.iter().copied());
                    *layout = Layout { padding: layout.padding.take(), ..plain };
                }
                Some(Self::Array(older))
            }
            Self::Tuple(elements) => {
                elements.iter().map(Self::in_2017).collect::<Option<_>>().map(Self::Tuple)
            }
            Self::Opaque => Some(Self::Opaque),
            Self::Token | Self::Buffer(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_features_are_found_and_replaced() {
        for (text, newer, older) in [
            ("f32[2,3]{0,1}", None, "f32[2,3]{0,1}"),
            ("bf16[2]{0}", Some(NewerFeature::Type(ElementType::BF16)), "f32[2]{0}"),
            ("u4[2]{0}", Some(NewerFeature::Type(ElementType::U4)), "u8[2]{0}"),
            ("f32[<=5,3]{1,0}", Some(NewerFeature::Dynamic), "f32[5,3]{1,0}"),
            ("f32[2,3]{0,1:T(2,2)S(1)}", Some(NewerFeature::Property("T")), "f32[2,3]{0,1}"),
            ("(f32[2]{0}, s8[3]{0:E(4)})", Some(NewerFeature::Property("E")), "(f32[2]{0}, s8[3]{0})"),
        ] {
            let shape: Shape = text.parse().unwrap();
            assert_eq!(shape.first_newer_feature(), newer, "{text}");
            assert_eq!(shape.in_2017().map(|shape| shape.to_string()).as_deref(), Some(older));
        }
        for (text, newer) in [
            ("token[]", NewerFeature::Token),
            ("c64[2]", NewerFeature::Type(ElementType::C64)),
            ("f32[?]", NewerFeature::Dynamic),
        ] {
            let shape: Shape = text.parse().unwrap();
            assert_eq!((shape.first_newer_feature(), shape.in_2017()), (Some(newer), None), "{text}");
        }
    }

    #[test]
    fn xla_2017_has_twelve_element_types() {
        let first = ElementType::ALL.iter().filter(|t| t.since() == crate::Edition::V2017);
        let names: Vec<&str> = first.map(|t| t.name()).collect();
        let expected = ["pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"];
        assert_eq!(names, expected);
    }
}
