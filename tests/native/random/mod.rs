//! Random shapes and documents that the page can show, for the tests of links and sessions.

#![allow(dead_code, reason = "each test takes what it needs")]

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use xla_playground::array::{
    ArrayShape, Dynamic, ElementType, Layout, PaddingValue, Shape, SplitConfig, Tile, TileDim,
};
use xla_playground::state::document::{ColourBy, Document, LINE_BYTES, SlotText, ValueRule, ViewOptions};

/// Sizes of rank 0 to 6, small enough that any padding or tiles here stay within the page's limit.
pub fn sizes() -> impl Strategy<Value = Vec<i64>> {
    (0..=6_usize).prop_flat_map(|rank| {
        let most = [1_i64, 2_000, 40, 10, 6, 4, 3][rank];
        vec(prop_oneof![1 => Just(0), 3 => Just(1), 16 => 1..=most], rank)
    })
}

/// A tile of one to three sizes, which may be `*`.
pub fn tile() -> impl Strategy<Value = Tile> {
    let size = prop_oneof![1 => Just(TileDim::Combine), 5 => (1_i64..=4).prop_map(TileDim::Size)];
    (vec(size, 0..=2), 1_i64..=9)
        .prop_map(|(sizes, last)| Tile(sizes.into_iter().chain([TileDim::Size(last)]).collect()))
}

/// A valid layout of an array of these sizes: padding or tiles, and the other properties.
pub fn layout(sizes: Vec<i64>) -> BoxedStrategy<Layout> {
    let order: Vec<i64> = (0..).take(sizes.len()).collect();
    let form = prop_oneof![
        2 => Just((Vec::new(), Vec::new())),
        3 => vec(0_i64..=3, sizes.len()).prop_map(|by| (by, Vec::new())),
        3 => vec(tile(), 1..=2).prop_map(|tiles| (Vec::new(), tiles)),
    ];
    let rarely = |most: i64| prop_oneof![5 => Just(0_i64), 1 => 1..=most];
    let properties =
        (rarely(9), prop_oneof![5 => Just(0_i64), 1 => select(vec![1, 2, 4, 8, 16, 32])], rarely(5));
    let rest = (select(&PaddingValue::ALL[..]), rarely(64), prop::bool::weighted(0.1));
    (Just(order).prop_shuffle(), form, properties, rest)
        .prop_map(move |(order, (by, tiles), (tail, bits, space), (value, prefix, split))| {
            let most_major = order.last().copied();
            let mut layout = Layout::new(order);
            if by.iter().any(|by| *by > 0) {
                layout = layout.padded(sizes.iter().zip(by).map(|(size, by)| size + by), value);
            }
            layout.tiles = tiles.into_iter().collect();
            (layout.tail_padding_alignment, layout.element_size_in_bits) = (tail.max(1), bits);
            (layout.memory_space, layout.dynamic_shape_metadata_prefix_bytes) = (space, prefix);
            let size = most_major.and_then(|d| sizes.get(usize::try_from(d).ok()?));
            if split && size.is_some_and(|size| *size > 1) {
                layout.split_configs.push(SplitConfig { dimension: 0, indices: [1].into_iter().collect() });
            }
            layout
        })
        .boxed()
}

/// A valid array: any element type, rank and layout, sometimes with bounded dynamic dimensions.
pub fn array() -> BoxedStrategy<ArrayShape> {
    let dynamic = prop::bool::weighted(0.1);
    (select(ElementType::ALL), sizes(), dynamic)
        .prop_flat_map(|(element_type, sizes, dynamic)| {
            let mut array = ArrayShape::new(element_type, sizes.iter().copied());
            if dynamic && !sizes.is_empty() {
                array.dynamic = std::iter::repeat_n(Dynamic::Static, sizes.len()).collect();
                array.dynamic[sizes.len() - 1] = Dynamic::Bounded;
            }
            layout(sizes).prop_map(move |layout| array.clone().with_layout(layout))
        })
        .boxed()
}

/// A valid shape: mostly an array, otherwise nested tuples of everything.
pub fn shape() -> BoxedStrategy<Shape> {
    let leaf = || {
        prop_oneof![
            12 => array().prop_map(Shape::Array),
            1 => array().prop_map(|array| Shape::Buffer(Box::new(array))),
            1 => Just(Shape::Token),
            1 => Just(Shape::Opaque),
        ]
    };
    let tuple = leaf().prop_recursive(3, 10, 7, |inner| vec(inner, 0..7).prop_map(Shape::tuple));
    prop_oneof![3 => leaf(), 1 => tuple].boxed()
}

/// Text as users type and paste it: digits, and characters that need escaping in a link.
pub fn typed() -> impl Strategy<Value = String> {
    let pieces: Vec<String> = "; % + # \" < > ` | \\ ^ & = / ? . , { } ( ) 1 -2.5 nan 𝄞 形状 🙂 é %3B %25 %"
        .split(' ')
        .map(str::to_owned)
        .chain(["\n", "\r\n", "\t", " ", "\u{a0}", "\u{0}", ";v=iota"].map(str::to_owned))
        .collect();
    let piece = prop_oneof![6 => select(pieces), 1 => any::<char>().prop_map(String::from)];
    prop_oneof![
        4 => vec(piece, 0..24).prop_map(|pieces| pieces.concat()),
        1 => vec(-99_i32..99, 40..120)
            .prop_map(|numbers| numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")),
    ]
}

/// Any kind of values.
pub fn values() -> BoxedStrategy<ValueRule> {
    prop_oneof![
        Just(ValueRule::Letters),
        Just(ValueRule::Iota),
        any::<u32>().prop_map(ValueRule::Random),
        typed().prop_map(ValueRule::Text),
    ]
    .boxed()
}

fn view() -> BoxedStrategy<ViewOptions> {
    (
        option::of((0_usize..6, 0_usize..6)),
        vec(0_i64..8, 0..6),
        any::<(bool, bool)>(),
        select(&LINE_BYTES[..]),
    )
        .prop_map(|(axes, slider_indices, (by_value, bytes), line_bytes)| ViewOptions {
            axes,
            slider_indices: slider_indices.into_iter().collect(),
            colour: if by_value { ColourBy::Value } else { ColourBy::Slot },
            slot_text: if bytes { SlotText::Bytes } else { SlotText::Value },
            line_bytes,
        })
        .boxed()
}

/// Any document, normalized.
pub fn document() -> BoxedStrategy<Document> {
    let selection = (0_usize..7, prop_oneof![Just(0_i64), 0_i64..3_000], vec(0_i64..400, 0..4));
    (shape(), values(), view(), selection, any::<bool>())
        .prop_flat_map(|(shape, values, view, (leaf, cursor, pins), compared)| {
            let document = Document { leaf, values, view, cursor, pins, ..Document::with_shape(shape) };
            let mut normalized = document.clone();
            let sizes =
                normalized.normalize().ok().and_then(|()| normalized.array().map(|a| a.dimensions.to_vec()));
            let other = match sizes.filter(|_| compared) {
                Some(sizes) => layout(sizes).prop_map(Some).boxed(),
                None => Just(None).boxed(),
            };
            (Just(document), other)
        })
        .prop_filter_map("a shape the page can show", |(mut document, compare)| {
            document.compare = compare;
            document.normalize().is_ok().then_some(document)
        })
        .boxed()
}
