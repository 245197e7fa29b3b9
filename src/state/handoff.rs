//! Links that open an array of one screen in another: from Layout to Ops, and back.

use super::compression::Compression;
use super::document::{Document, ValueRule};
use super::permalink::{self, escape, pack_with};
use crate::array::value::text::Exactness;
use crate::array::{ArrayLiteral, ArrayShape, Layout, Shape};
use crate::view::array_view::ArrayView;

/// Maximum number of elements that a link carries as typed values: more make it too long to share.
const MAX_TYPED_ELEMENTS: usize = 4_096;

/// The name of the module of an array of the Layout screen.
pub const FROM_LAYOUT: &str = "from_layout";

/// The fragment that opens an array of the Layout screen on the Ops screen, as a parameter or, if it is compared with another layout,
/// copied into that.
///
/// Input HLO has no tiles or padding, which the compiler assigns: the arrays keep only the order of their dimensions. Without a
/// compression the link is readable at any length.
pub fn to_ops(
    array: &ArrayShape,
    compared: Option<&Layout>,
    values: &ValueRule,
    compression: Option<&Compression>,
) -> String {
    let row_major = Layout::descending(array.rank());
    let shape_in = |layout: &Layout| {
        let order = Layout::new(layout.minor_to_major.to_vec());
        ArrayShape::new(array.element_type, array.dimensions.clone()).with_layout(order)
    };
    let array_shape = shape_in(array.layout.as_ref().unwrap_or(&row_major));
    let instructions = match compared {
        Some(layout) => {
            format!("  a = {array_shape} parameter(0)\n  ROOT b = {} copy(a)\n", shape_in(layout))
        }
        None => format!("  ROOT a = {array_shape} parameter(0)\n"),
    };
    let text = format!("HloModule {FROM_LAYOUT}\n\nENTRY main {{\n{instructions}}}\n");
    let values = match values {
        // Letters are labels for 0, 1, 2 …, the default values of an operand.
        ValueRule::Letters | ValueRule::Iota => String::new(),
        ValueRule::Random(seed) => format!(";v0=random.{seed}"),
        ValueRule::Text(typed) => format!(";v0={}", escape(&format!("typed.{typed}"))),
    };
    pack_with("ops1", &format!("{}{values}", escape(&text)), compression)
}

/// A link that opens an array in the Layout screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutLink {
    /// The fragment of the link.
    pub fragment: String,
    /// Whether the link has the values of the array; if there are too many, it has 0, 1, 2 … instead.
    pub has_values: bool,
}

/// The fragment that opens an operand or a result in the Layout screen, with its values if these are given by a rule or
/// are few.
pub fn to_layout(array: &ArrayView, values: Option<&ValueRule>) -> LayoutLink {
    let shape = array.shape().clone();
    let is_few =
        usize::try_from(array.memory_map().elements()).is_ok_and(|count| count <= MAX_TYPED_ELEMENTS);
    let typed = || {
        let literal = ArrayLiteral::from_fn(shape.clone(), |number, _| array.value(number)).ok()?;
        Some(ValueRule::Text(literal.text(Exactness::RoundTrip)))
    };
    let values = match values {
        Some(values) => Some(values.clone()),
        None if is_few && array.has_values() => typed(),
        None => None,
    };
    let has_values = values.is_some();
    let document =
        Document { values: values.unwrap_or(ValueRule::Iota), ..Document::with_shape(Shape::Array(shape)) };
    LayoutLink { fragment: permalink::write(&document), has_values }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;
    use crate::state::compression::COMPRESSION;
    use crate::state::experiment;
    use crate::view::colour_map::ColourMap;
    use crate::view::options::ColourBy;

    fn array(text: &str) -> ArrayShape {
        let shape: Shape = text.parse().unwrap();
        shape.as_array().unwrap().clone()
    }

    #[test]
    fn the_ops_screen_reads_every_array_with_its_values() {
        for shape in [
            "f32[2,3]{0,1} padded[3,5]=zero",
            "bf16[16,256]{1,0:T(8,128)(2,1)}",
            "pred[]",
            "s4[2,0]{0,1}",
            "u8[3]",
        ] {
            for values in [ValueRule::Letters, ValueRule::Random(7), ValueRule::Text("{1; 2}".to_owned())] {
                let array = array(shape);
                let loaded = experiment::link::read(&to_ops(&array, None, &values, Some(&COMPRESSION)));
                assert_eq!(loaded.problems, [], "{shape}");
                let module = crate::hlo::parse(&loaded.experiment.text).into_module().unwrap();
                assert!(module.to_string().contains(&format!("{}[", array.element_type)), "{module}");
                let expected = if values == ValueRule::Letters { ValueRule::Iota } else { values };
                let given = loaded.experiment.values.first().cloned().unwrap_or(ValueRule::Iota);
                assert_eq!(given, expected, "{shape}");
            }
        }
    }

    #[test]
    fn the_array_is_copied_only_into_a_compared_layout() {
        let array = array("f32[4,6]{1,0}");
        let text = |compared: Option<&Layout>| {
            let link = to_ops(&array, compared, &ValueRule::Iota, Some(&COMPRESSION));
            experiment::link::read(&link).experiment.text
        };
        assert!(text(None).contains("ROOT a = f32[4,6]{1,0} parameter(0)"), "{}", text(None));
        let text = text(Some(&Layout::ascending(2)));
        assert!(text.contains("a = f32[4,6]{1,0} parameter(0)"), "{text}");
        assert!(text.contains("b = f32[4,6]{0,1} copy(a)"), "{text}");
    }

    #[test]
    fn the_layout_screen_gets_the_values_unless_they_are_too_many() {
        for (shape, is_whole) in [("f32[2,3]{0,1}", true), ("s32[]", true), ("f32[100,100]{1,0}", false)] {
            let array = array(shape);
            let typed =
                ArrayLiteral::from_fn(array.clone(), |number, _| crate::array::Value::Int(number)).unwrap();
            let values = ValueRule::Text(typed.text(Exactness::RoundTrip));
            let view = ArrayView::new(&array, &values, ColourBy::Slot, ColourMap::Viridis).unwrap();
            let link = to_layout(&view, None);
            let read = permalink::read(&link.fragment);
            assert_eq!((read.problems, link.has_values), (vec![], is_whole), "{shape}");
            let reread =
                ArrayView::new(&array, &read.document.values, ColourBy::Slot, ColourMap::Viridis).unwrap();
            let all = 0..view.memory_map().elements();
            assert!(
                all.clone().map(|number| view.value(number)).eq(all.map(|number| reread.value(number))),
                "{shape}"
            );
            // A rule is stored as such, regardless of the number of elements.
            let random = to_layout(&view, Some(&ValueRule::Random(3)));
            assert_eq!(permalink::read(&random.fragment).document.values, ValueRule::Random(3));
        }
    }
}
