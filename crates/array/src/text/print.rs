//! Prints shapes as XLA does, with a suffix for the padding of XLA 2017.
//!
//! `Display` prints everything: XLA's text, then ` padded[3,5]=zero` after an array that has such padding (`=invalid` is
//! omitted). [`Shape::xla_text`] omits the suffix: it is `HumanStringWithLayout`. [`Shape::human_string`] omits the layout too.

use std::fmt::{self, Display, Formatter, Write};

use crate::{ArrayShape, Dynamic, Layout, Padding, PaddingValue, Shape, Tile, TileDim};

/// How much of a shape is printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    WithoutLayout,
    WithLayout,
    WithPadding,
}

impl Shape {
    /// As XLA prints it with its layout, without the padding of 2017 (`HumanStringWithLayout`).
    pub fn xla_text(&self) -> String {
        Printed(self, Detail::WithLayout).to_string()
    }

    /// As XLA prints it without layouts (`HumanString`).
    pub fn human_string(&self) -> String {
        Printed(self, Detail::WithoutLayout).to_string()
    }
}

impl ArrayShape {
    /// As XLA prints it with its layout, without the padding of 2017 (`HumanStringWithLayout`).
    pub fn xla_text(&self) -> String {
        Printed(self, Detail::WithLayout).to_string()
    }

    /// As XLA prints it without its layout (`HumanString`).
    pub fn human_string(&self) -> String {
        Printed(self, Detail::WithoutLayout).to_string()
    }
}

impl Layout {
    /// The braces alone, as `{1,0:T(8,128)}`, without the padding of 2017.
    pub fn xla_text(&self) -> String {
        Printed(self, Detail::WithLayout).to_string()
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        shape(f, self, Detail::WithPadding)
    }
}

impl Display for ArrayShape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        array(f, self, Detail::WithPadding)
    }
}

impl Display for Layout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        braces(f, self)?;
        self.padding.as_ref().map_or(Ok(()), |p| padding(f, p))
    }
}

impl Display for Padding {
    /// As `padded[3,5]=zero`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("padded[")?;
        list(f, &self.dimensions)?;
        f.write_char(']')?;
        if self.value == PaddingValue::Invalid { Ok(()) } else { write!(f, "={}", self.value.word()) }
    }
}

impl Display for TileDim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => write!(f, "{size}"),
            Self::Combine => f.write_char('*'),
        }
    }
}

impl Display for Tile {
    /// As `(8,128)`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        list(f, &self.0)?;
        f.write_char(')')
    }
}

struct Printed<T>(T, Detail);

impl Display for Printed<&Shape> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        shape(f, self.0, self.1)
    }
}

impl Display for Printed<&ArrayShape> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        array(f, self.0, self.1)
    }
}

impl Display for Printed<&Layout> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        braces(f, self.0)
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, entries: &[T]) -> fmt::Result {
    for (i, entry) in entries.iter().enumerate() {
        if i > 0 {
            f.write_char(',')?;
        }
        entry.fmt(f)?;
    }
    Ok(())
}

fn shape(f: &mut Formatter<'_>, shape: &Shape, detail: Detail) -> fmt::Result {
    match shape {
        Shape::Array(of) => array(f, of, detail),
        Shape::Token => f.write_str("token[]"),
        Shape::Opaque => f.write_str("opaque[]"),
        Shape::Buffer(of) => {
            f.write_str("b(")?;
            array(f, of, detail)?;
            f.write_char(')')
        }
        Shape::Tuple(elements) => {
            f.write_char('(')?;
            for (i, element) in elements.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                    if i % 5 == 0 {
                        write!(f, "/*index={i}*/")?;
                    }
                }
                self::shape(f, element, detail)?;
            }
            f.write_char(')')
        }
    }
}

fn array(f: &mut Formatter<'_>, shape: &ArrayShape, detail: Detail) -> fmt::Result {
    write!(f, "{}[", shape.element_type)?;
    for (d, size) in shape.dimensions.iter().enumerate() {
        if d > 0 {
            f.write_char(',')?;
        }
        match shape.dynamic_of(d) {
            Dynamic::Static => write!(f, "{size}")?,
            Dynamic::Bounded => write!(f, "<={size}")?,
            Dynamic::Unbounded => f.write_char('?')?,
        }
    }
    f.write_char(']')?;
    let Some(layout) = shape.layout.as_ref().filter(|_| detail >= Detail::WithLayout) else { return Ok(()) };
    // Empty braces would not be read as a layout.
    if !(layout.minor_to_major.is_empty() && layout.has_only_order()) {
        braces(f, layout)?;
    }
    match &layout.padding {
        Some(of) if detail == Detail::WithPadding => padding(f, of),
        _ => Ok(()),
    }
}

fn padding(f: &mut Formatter<'_>, padding: &Padding) -> fmt::Result {
    write!(f, " {padding}")
}

/// `{minor_to_major:properties}`; a property of its default value is not printed.
fn braces(f: &mut Formatter<'_>, layout: &Layout) -> fmt::Result {
    f.write_char('{')?;
    list(f, &layout.minor_to_major)?;
    if !layout.has_only_order() {
        properties(f, layout)?;
    }
    f.write_char('}')
}

fn properties(f: &mut Formatter<'_>, layout: &Layout) -> fmt::Result {
    let Layout { tail_padding_alignment, element_size_in_bits, memory_space, .. } = layout;
    f.write_char(':')?;
    if !layout.tiles.is_empty() {
        f.write_char('T')?;
        layout.tiles.iter().try_for_each(|tile| tile.fmt(f))?;
    }
    if *tail_padding_alignment != 1 {
        write!(f, "L({tail_padding_alignment})")?;
    }
    if let Some(index_type) = layout.index_type {
        write!(f, "#({index_type})")?;
    }
    if let Some(pointer_type) = layout.pointer_type {
        write!(f, "*({pointer_type})")?;
    }
    if *element_size_in_bits != 0 {
        write!(f, "E({element_size_in_bits})")?;
    }
    if *memory_space != 0 {
        write!(f, "S({memory_space})")?;
    }
    if !layout.split_configs.is_empty() {
        f.write_str("SC")?;
        for split in &layout.split_configs {
            write!(f, "({}:", split.dimension)?;
            list(f, &split.indices)?;
            f.write_char(')')?;
        }
    }
    if let Some(of) = &layout.physical_shape {
        write!(f, "P({})", of.xla_text())?;
    }
    if layout.dynamic_shape_metadata_prefix_bytes != 0 {
        write!(f, "M({})", layout.dynamic_shape_metadata_prefix_bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{ArrayShape, ElementType, Layout, PaddingValue, Shape};

    #[test]
    fn padding_follows_the_text_of_xla_and_can_be_omitted() {
        let array = ArrayShape::new(ElementType::F32, [2, 3])
            .with_layout(Layout::ascending(2).padded([3, 5], PaddingValue::Zero));
        assert_eq!(array.to_string(), "f32[2,3]{0,1} padded[3,5]=zero");
        assert_eq!(array.xla_text(), "f32[2,3]{0,1}");
        assert_eq!(array.human_string(), "f32[2,3]");
        assert_eq!(Shape::tuple([array.into()]).xla_text(), "(f32[2,3]{0,1})");
        let unset = Layout::descending(2).tiled([8, 128]).padded([4, 4], PaddingValue::Invalid);
        assert_eq!(unset.to_string(), "{1,0:T(8,128)} padded[4,4]");
        assert_eq!(unset.xla_text(), "{1,0:T(8,128)}");
    }

    #[test]
    fn a_tuple_counts_every_fifth_element() {
        let tuple =
            Shape::Tuple((0..6).map(|n| ArrayShape::new(ElementType::S32, vec![n; 1]).into()).collect());
        let text = "(s32[0]{0}, s32[1]{0}, s32[2]{0}, s32[3]{0}, s32[4]{0}, /*index=5*/s32[5]{0})";
        assert_eq!(tuple.to_string(), text);
    }
}
