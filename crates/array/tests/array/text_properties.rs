//! Properties of the text form: printed shapes parse back, and every error in a mutated text has a fix.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use xla_array::text::parse;
use xla_array::{
    ArrayShape, Dynamic, ElementType, Layout, Padding, PaddingValue, Shape, SplitConfig, Tile, TileDim,
    validate,
};
use xla_messages::diagnostic::{Severity, Span};

fn element_type() -> impl Strategy<Value = ElementType> {
    select(ElementType::ALL)
}

fn size() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0_i64..12, 1 => 12_i64..4000, 1 => Just(i64::from(u32::MAX))]
}

fn dimensions() -> impl Strategy<Value = Vec<(i64, Dynamic)>> {
    let dynamic =
        prop_oneof![8 => Just(Dynamic::Static), 1 => Just(Dynamic::Bounded), 1 => Just(Dynamic::Unbounded)];
    let unbounded = |(size, dynamic): (i64, Dynamic)| {
        (if dynamic == Dynamic::Unbounded { ArrayShape::UNBOUNDED } else { size }, dynamic)
    };
    vec((size(), dynamic).prop_map(unbounded), 0..6)
}

fn tile() -> impl Strategy<Value = Tile> {
    let dim = prop_oneof![5 => (1_i64..130).prop_map(TileDim::Size), 1 => Just(TileDim::Combine)];
    (vec(dim, 0..3), 1_i64..130)
        .prop_map(|(sizes, last)| Tile(sizes.into_iter().chain([TileDim::Size(last)]).collect()))
}

/// Any layout of this rank; with `sparse` also the properties of sparse arrays.
fn layout(rank: usize, sparse: bool) -> impl Strategy<Value = Layout> {
    let order = Just((0..i64::try_from(rank).unwrap()).collect::<Vec<_>>()).prop_shuffle();
    let split = (0_i64..3, vec(1_i64..9, 0..3))
        .prop_map(|(dimension, indices)| SplitConfig { dimension, indices: indices.into_iter().collect() });
    let padding = (vec(0_i64..20, rank), select(&PaddingValue::ALL[..]))
        .prop_map(|(sizes, value)| Padding { dimensions: sizes.into_iter().collect(), value });
    let integral = || select(ElementType::ALL).prop_filter("integral", |t: &ElementType| t.is_integral());
    let often = |chance: f64| prop::bool::weighted(chance);
    (
        (order, vec(tile(), 0..3), prop_oneof![4 => Just(1_i64), 1 => 2_i64..300]),
        (prop_oneof![4 => Just(0_i64), 1 => 1_i64..65], prop_oneof![4 => Just(0_i64), 1 => -128_i64..128]),
        (vec(split, 0..3), often(0.15), prop_oneof![6 => Just(0_i64), 1 => 1_i64..2048]),
        (proptest::option::of(padding), often(0.4)),
        (proptest::option::of(integral()), proptest::option::of(integral()), element_type(), often(0.2)),
    )
        .prop_map(
            move |(
                (order, tiles, tail),
                (bits, space),
                (splits, split, prefix),
                (padding, padded),
                other,
            )| {
                let mut layout = Layout::new(order);
                if padded {
                    layout.padding = padding.map(Box::new);
                } else {
                    layout.tiles = tiles.into_iter().collect();
                }
                layout.tail_padding_alignment = tail;
                layout.element_size_in_bits = bits;
                layout.memory_space = space;
                layout.dynamic_shape_metadata_prefix_bytes = prefix;
                if split {
                    layout.split_configs = splits.into_iter().collect();
                }
                if sparse {
                    (layout.index_type, layout.pointer_type) = (other.0, other.1);
                    layout.physical_shape =
                        other.3.then(|| Box::new(Shape::tuple([ArrayShape::new(other.2, [4]).into()])));
                }
                layout
            },
        )
}

fn array(sparse: bool) -> impl Strategy<Value = ArrayShape> {
    (element_type(), dimensions()).prop_flat_map(move |(element_type, dimensions)| {
        let mut array = ArrayShape::new(element_type, dimensions.iter().map(|(size, _)| *size));
        if dimensions.iter().any(|(_, dynamic)| *dynamic != Dynamic::Static) {
            array.dynamic = dimensions.iter().map(|(_, dynamic)| *dynamic).collect();
        }
        (Just(array), layout(dimensions.len(), sparse)).prop_map(|(array, layout)| array.with_layout(layout))
    })
}

fn shape(sparse: bool) -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        12 => array(sparse).prop_map(Shape::Array),
        1 => array(sparse).prop_map(|array| Shape::Buffer(Box::new(array))),
        1 => Just(Shape::Token),
        1 => Just(Shape::Opaque),
    ];
    leaf.prop_recursive(3, 12, 7, |inner| vec(inner, 0..7).prop_map(Shape::tuple))
}

/// Adapts padding to the sizes, so that most random shapes are valid.
fn with_fitting_padding(shape: Shape) -> Shape {
    match shape {
        Shape::Tuple(elements) => Shape::Tuple(elements.iter().cloned().map(with_fitting_padding).collect()),
        Shape::Array(mut array) => {
            let sizes = array.dimensions.clone();
            if let Some(layout) = &mut array.layout {
                if let Some(padding) = &mut layout.padding {
                    padding.dimensions.iter_mut().zip(&sizes).for_each(|(p, d)| *p = (*p).max(*d));
                }
                layout.split_configs.clear();
            }
            Shape::Array(array)
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_shapes_round_trip(shape in shape(true)) {
        let text = shape.to_string();
        let parsed = parse(&text);
        let unread: Vec<_> = parsed.diagnostics.iter().filter(|d| d.rule.starts_with("text-")).collect();
        prop_assert!(unread.is_empty(), "{text}: {unread:?}");
        prop_assert_eq!(parsed.shape.as_ref(), Some(&shape), "{}", text);
        prop_assert_eq!(parsed.valid().is_some(), validate::shape(&shape).is_ok());
        for array in &parsed.spans.arrays {
            prop_assert!(text.get(array.whole.range()).is_some());
            let word = text.get(array.element_type.range());
            prop_assert!(word.and_then(ElementType::from_name).is_some(), "{text}: {word:?}");
        }
    }

    #[test]
    fn properties_outside_the_braces_are_fixed_by_one_edit(array in array(false)) {
        let Shape::Array(array) = with_fitting_padding(array.into()) else { unreachable!() };
        let of = array.layout.clone().unwrap();
        let meant = Shape::from(array.clone()).to_string();
        let layout = of.xla_text();
        let (Some((order, properties)), true) = (layout.split_once(':'), parse(&meant).valid().is_some()) else {
            return Ok(());
        };
        let properties = properties.trim_end_matches('}');
        let by_default = Shape::from(array.clone().with_layout(Layout {
            minor_to_major: Layout::descending(array.rank()).minor_to_major,
            ..of
        }));
        let by_default = by_default.to_string();
        for (other, meant) in [
            (format!("{{{properties}}}"), &by_default),
            (properties.to_owned(), &by_default),
            (format!(":{properties}"), &by_default),
            (format!("{order}}}{properties}"), &meant),
            (format!("{order}}}:{properties}"), &meant),
        ] {
            // A scalar has no order before the properties.
            if other.starts_with("{}") {
                continue;
            }
            let text = Shape::from(array.clone()).to_string().replacen(&layout, &other, 1);
            let parsed = parse(&text);
            let fixed = parsed.error().and_then(|e| e.hints[0].apply(&text));
            prop_assert_eq!(fixed.as_ref(), Some(meant), "{}", text);
        }
    }

    #[test]
    fn any_text_parses_without_panic_and_with_spans_inside_it(text in "[fsbut0-9\\[\\](){},:*#TLESCPMD<=?x+~ a-z/-]{0,60}|\\PC{0,40}") {
        let parsed = parse(&text);
        prop_assert!(parsed.shape.is_some() || parsed.error().is_some());
        for diagnostic in &parsed.diagnostics {
            prop_assert!(text.get(diagnostic.span.range()).is_some(), "{text:?}: {diagnostic:?}");
            prop_assert!(!diagnostic.hints.is_empty(), "{text:?}: {diagnostic:?}");
            for hint in diagnostic.hints.iter().filter(|hint| !hint.edits.is_empty()) {
                prop_assert!(hint.apply(&text).is_some(), "{text:?}: {hint:?}");
            }
        }
    }
}

/// Applies one typical mistake.
fn mutate(text: &str, mut next: impl FnMut(usize) -> usize) -> String {
    const ALPHABET: &[u8] = b"[]{}(),:;*#?<=+-_.0123456789fsubTLESCPMDx aZ%";
    const NUMBERS: [&str; 12] = [
        "-1",
        "0",
        "1",
        "7",
        "9223372036854775807",
        "9223372036854775808",
        "-3",
        "+2",
        "1_000",
        "2x3",
        "1e3",
        "512",
    ];
    let mut bytes = text.as_bytes().to_vec();
    let at = next(bytes.len());
    let symbol = ALPHABET[next(ALPHABET.len())];
    match next(8) {
        0 | 1 => {
            bytes.remove(at);
        }
        2 => bytes.insert(at, symbol),
        3 => bytes[at] = symbol,
        4 if at + 1 < bytes.len() => bytes.swap(at, at + 1),
        5 => {
            let end = (at + 1 + next(6)).min(bytes.len());
            bytes.drain(at..end);
        }
        6 => {
            let end = (at + 1 + next(6)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => {
            let starts: Vec<usize> = (0..bytes.len())
                .filter(|i| bytes[*i].is_ascii_digit() && (*i == 0 || !bytes[*i - 1].is_ascii_alphanumeric()))
                .collect();
            if let Some(&start) = starts.get(next(starts.len().max(1))) {
                let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
                bytes.splice(start..start + digits, NUMBERS[next(NUMBERS.len())].bytes());
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Applies the first edit of the first error repeatedly until the text is valid.
fn apply_fixes(text: &str) -> Result<(String, usize), String> {
    let mut text = text.to_owned();
    for round in 0..12 {
        let parsed = parse(&text);
        if parsed.valid().is_some() {
            return Ok((text, round));
        }
        let fixed = parsed
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .find_map(|d| d.hints.iter().find_map(|hint| hint.apply(&text)));
        match fixed {
            Some(fixed) if fixed != text => text = fixed,
            _ => return Err(text),
        }
    }
    Err(text)
}

/// All generated errors have a hint, and at least 90 % an edit that leads to a valid text.
#[test]
fn every_mistake_has_a_hint_and_most_have_an_edit_that_fixes_it() {
    let mut runner = TestRunner::deterministic();
    let strategy = (shape(false).prop_map(with_fitting_padding), any::<u64>());
    let (mut texts, mut errors, mut hinted, mut fixed, mut fixed_by_one, mut max_edits) = (0, 0, 0, 0, 0, 0);
    let mut unfixed = Vec::new();
    while texts < 20_000 {
        let (shape, mut seed) = strategy.new_tree(&mut runner).unwrap().current();
        let valid = shape.to_string();
        if valid.len() > 400 || validate::shape(&shape).is_err() {
            continue;
        }
        for _ in 0..4 {
            let mutated = mutate(&valid, |n| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(seed >> 33).unwrap() % n
            });
            texts += 1;
            let parsed = parse(&mutated);
            let Some(_) = parsed.error() else { continue };
            errors += 1;
            hinted += usize::from(parsed.diagnostics.iter().all(|d| !d.hints.is_empty()));
            match apply_fixes(&mutated) {
                Ok((_, n)) => {
                    fixed += 1;
                    fixed_by_one += usize::from(n == 1);
                    max_edits = max_edits.max(n);
                }
                Err(remaining) => unfixed.push((mutated, remaining)),
            }
        }
    }
    // In tenths of a percent, rounded down.
    let permille = |n: usize| 1000 * n / errors;
    let percent = |n: usize| format!("{}.{}", permille(n) / 10, permille(n) % 10);
    println!(
        "{texts} texts, {errors} with an error: {} % have a hint, {} % are fixed by edits ({} % by one, {max_edits} at most)",
        percent(hinted),
        percent(fixed),
        percent(fixed_by_one)
    );
    for (mutated, remaining) in unfixed.iter().take(20) {
        println!("not fixed: {mutated}\n        remaining: {remaining}");
    }
    assert_eq!(hinted, errors);
    assert!(permille(fixed) >= 990, "{} %", percent(fixed));
}

#[test]
fn common_mistakes_get_the_intended_fix() {
    for (text, meant) in [
        ("float[2]", "f32[2]{0}"),
        ("F32[2,3]", "f32[2,3]{1,0}"),
        ("int32[2]", "s32[2]{0}"),
        ("bool[]", "pred[]"),
        ("f32[2,3", "f32[2,3]{1,0}"),
        ("f322,3]", "f32[2,3]{1,0}"),
        ("f32[2,3}", "f32[2,3]{1,0}"),
        ("f32(2,3)", "f32[2,3]{1,0}"),
        ("f32[2x3]", "f32[2,3]{1,0}"),
        ("2,3", "f32[2,3]{1,0}"),
        ("(2,3)", "(f32[2,3]{1,0})"),
        ("[2,3]{0,1}", "f32[2,3]{0,1}"),
        ("f32[-2]", "f32[2]{0}"),
        ("f32[+2]", "f32[2]{0}"),
        ("f32[1_000]", "f32[1000]{0}"),
        ("f32[2,3]{}", "f32[2,3]{1,0}"),
        ("f32[]{}", "f32[]"),
        ("f32[2,3]{1}", "f32[2,3]{1,0}"),
        ("f32[2,3,4]{0,0}", "f32[2,3,4]{0,2,1}"),
        ("f32[2,3]{-1,0}", "f32[2,3]{1,0}"),
        ("f32[]{0}", "f32[]"),
        ("f32[2,3]{:T(2)}", "f32[2,3]{1,0:T(2)}"),
        ("f32[2,3]{1,0T(2)}", "f32[2,3]{1,0:T(2)}"),
        ("f32[2,3]{T(2)}", "f32[2,3]{1,0:T(2)}"),
        ("f32[2]{0:T(8)T(4)}", "f32[2]{0:T(8)(4)}"),
        ("f32[2]{0:t(8)}", "f32[2]{0:T(8)}"),
        ("f32[2]{0:T8}", "f32[2]{0:T(8)}"),
        ("f32[2]{0:T[8]}", "f32[2]{0:T(8)}"),
        ("f32[2]{0:(8)}", "f32[2]{0:T(8)}"),
        ("f32[2]{0:T(8*128)}", "f32[2]{0:T(8,128)}"),
        ("f32[2]{0:S(1)T(8)}", "f32[2]{0:T(8)S(1)}"),
        ("f32[2]{0:T(0)}", "f32[2]{0:T(1)}"),
        ("f32[2]{0:T()}", "f32[2]{0}"),
        ("f32[2]{0:L(0)}", "f32[2]{0}"),
        ("f32[2]{0:#(u32)}", "f32[2]{0}"),
        ("f32[]{:L(-3)S(2)}", "f32[]{:S(2)}"),
        ("f32[2,3] padded[3]", "f32[2,3]{1,0} padded[3,3]"),
        ("f32[2,3] padded[3,2]=zero", "f32[2,3]{1,0} padded[3,3]=zero"),
        ("f32[2,3] paded[3,5]=zeros", "f32[2,3]{1,0} padded[3,5]=zero"),
        ("f32[2,3] padded(3,5) zero", "f32[2,3]{1,0} padded[3,5]=zero"),
        ("f32[2]{0:T(2)} padded[4]", "f32[2]{0:T(2)}"),
        ("f32[2,3]{0,1}{1,0}", "f32[2,3]{0,1}"),
        ("f32[2],s32[3]", "(f32[2]{0}, s32[3]{0})"),
        ("(f32[2] s32[3])", "(f32[2]{0}, s32[3]{0})"),
        ("(f32[2], s32[3]", "(f32[2]{0}, s32[3]{0})"),
        ("(f32[2, s32[3])", "(f32[2]{0}, s32[3]{0})"),
        ("(f32[2]{0, s32[3])", "(f32[2]{0}, s32[3]{0})"),
        ("token", "token[]"),
        ("token[2]", "token[]"),
        ("token]", "token[]"),
        ("(token[, f32[2])", "(token[], f32[2]{0})"),
        ("32[2,3]", "f32[2,3]{1,0}"),
        ("f32[2,3]0,1}", "f32[2,3]{0,1}"),
        ("f32[2]{0:T(8)4)}", "f32[2]{0:T(8)(4)}"),
        ("f32[2,3] padded3,5]=zero", "f32[2,3]{1,0} padded[3,5]=zero"),
        ("f32[2], s32[3])", "(f32[2]{0}, s32[3]{0})"),
        ("opaque[]{0}", "opaque[]"),
        ("b((f32[2]))", "(f32[2]{0})"),
        ("f32[9223372036854775807,2]", "f32[1024,2]{1,0}"),
        ("f32[<3]", "f32[<=3]{0}"),
        ("f32［2，3］", "f32[2,3]{1,0}"),
        ("bf16[16,256]T(8,128)(2,1)", "bf16[16,256]{1,0:T(8,128)(2,1)}"),
        ("(f32[2]:T(2), f32[2]{T(4)})", "(f32[2]{0:T(2)}, f32[2]{0:T(4)})"),
    ] {
        let fixed = apply_fixes(text).map(|(fixed, _)| parse(&fixed).shape.unwrap().to_string());
        assert_eq!(fixed.as_deref(), Ok(meant), "{text}");
    }
}

/// One fix, the first, leaves no error.
#[test]
fn a_layout_in_another_notation_is_fixed_by_one_edit() {
    let tiled = "bf16[16,256]{1,0:T(8,128)(2,1)}";
    for (text, meant) in [
        ("bf16[16,256]T(8,128)(2,1)", tiled),
        ("bf16[16,256] T(8,128)(2,1)", tiled),
        ("bf16[16,256]{T(8,128)(2,1)}", tiled),
        ("bf16[16,256]{T(8,128)(2,1)", tiled),
        ("bf16[16,256]:T(8,128)(2,1)", tiled),
        ("bf16[16,256]:T(8,128)(2,1)}", tiled),
        ("bf16[16,256]{1,0}T(8,128)(2,1)", tiled),
        ("bf16[16,256]{1,0}:T(8,128)(2,1)", tiled),
        ("bf16[16,256]{1,0} t(8,128)(2,1)", tiled),
        ("bf16[16,256]{1,0:T(8,128)(2,1)} row-major", tiled),
        ("bf16[16,256]T(8,128)(2,1) row-major", tiled),
        ("bf16[16,256]{1}T(8,128)T(2,1)", tiled),
        ("f32[3,5]{0,1:T(2,2)}S(1)", "f32[3,5]{0,1:T(2,2)S(1)}"),
        ("f32[3,5]S(1)T(2,2)", "f32[3,5]{1,0:T(2,2)S(1)}"),
        ("f32[3,5] column-major", "f32[3,5]{0,1}"),
        ("f32[3,5] row-major", "f32[3,5]{1,0}"),
        ("f32[3,5]{1,0} Column_Major", "f32[3,5]{0,1}"),
        ("f32[3,5] col major padded[4,6]=zero", "f32[3,5]{0,1} padded[4,6]=zero"),
        ("f32[2,3,4] column-major", "f32[2,3,4]{0,1,2}"),
        ("f32[] row-major", "f32[]"),
        ("f32[]T(8)", "f32[]{:T(8)}"),
        ("(f32[2,3]T(8), f32[4]{0})", "(f32[2,3]{1,0:T(8)}, f32[4]{0})"),
        ("(f32[2,3] column-major, f32[4])", "(f32[2,3]{0,1}, f32[4])"),
    ] {
        let errors = parse(text).diagnostics;
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert_eq!(errors[0].hints[0].apply(text).as_deref(), Some(meant), "{text}");
        assert!(parse(meant).valid().is_some(), "{text}");
    }
}

#[test]
fn words_without_their_brackets_are_split_between_full_width_characters() {
    for text in ["f３２2]", "f３２２]", "f32[2]{0:Ｔ８}", "f32[2]{0:Ｔ８)}", "f32[2]{0} ｐａｄｄｅｄ3]=zero"]
    {
        let parsed = parse(text);
        assert!(parsed.error().is_some(), "{text}");
        for diagnostic in &parsed.diagnostics {
            assert!(text.get(diagnostic.span.range()).is_some(), "{text}: {diagnostic:?}");
            assert!(diagnostic.hints.iter().all(|hint| hint.apply(text).is_some()), "{text}: {diagnostic:?}");
        }
        assert!(apply_fixes(text).is_ok(), "{text}");
    }
}

#[test]
fn spans_of_full_width_marks_are_inside_the_text() {
    for text in [
        "f32［2］｛0：T(2)｝",
        "0｛𠀀",
        "b（(f32[2], f32[3])）",
        "f32[2]｛：T(2)｝",
        "f32［2,3］｛｝",
        "f32[2]｛x",
    ] {
        let parsed = parse(text);
        for array in &parsed.spans.arrays {
            let spans = [
                Some(array.brackets),
                array.layout,
                array.opening_brace,
                array.colon,
                array.order(),
                Some(array.whole),
            ];
            for span in spans.into_iter().flatten() {
                assert!(text.get(span.range()).is_some(), "{text}: {span:?}");
            }
        }
        for diagnostic in &parsed.diagnostics {
            assert!(text.get(diagnostic.span.range()).is_some(), "{text}: {diagnostic:?}");
            assert!(diagnostic.hints.iter().all(|hint| hint.apply(text).is_some()), "{text}: {diagnostic:?}");
        }
    }
    let text = "f32［2］｛0：T(2)｝";
    let spans = parse(text).spans;
    let part = |span: Span| &text[span.range()];
    assert_eq!(part(spans.arrays[0].brackets), "［2］");
    assert_eq!(spans.arrays[0].colon.map(part), Some("："));
}

#[test]
fn a_long_text_and_a_deep_one_are_rejected() {
    let long = format!("({})", vec!["f32[1]"; 20_000].join(","));
    assert_eq!(parse(&long).error().unwrap().rule, "text-too-long");
    let deep = |n: usize| parse(&format!("{}{}", "(".repeat(n), ")".repeat(n)));
    assert!(deep(60).valid().is_some());
    assert_eq!(deep(30_000).error().unwrap().rule, "text-too-deep");
    // The longest text of the worst kinds is still read quickly.
    for piece in ["f322,", "/*", "(", "f32[", "1_0,", "T(", "padded[", "f32[2]{0:S(1)T(2)},", "٣"] {
        parse(&piece.repeat(64 * 1024 / piece.len()));
    }
}
