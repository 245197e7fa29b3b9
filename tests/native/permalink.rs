//! Links: every document round trips, also through programs that change links; a damaged link never panics, reports
//! its problems and loads what could be read; links of every version load forever.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use xla_playground::array::{ArrayShape, ElementType, Layout, PaddingValue};
use xla_playground::state::document::{ColourBy, Document, SlotText, ValueRule, ViewOptions};
use xla_playground::state::permalink::{Loaded, read, write};
use xla_playground::state::presets::PRESETS;

fn problems(loaded: &Loaded) -> Vec<String> {
    loaded.problems.iter().map(ToString::to_string).collect()
}

/// Percent-encodes every byte except `kept` ones and letters, digits, `-._~`, in upper or lower case.
fn percent_encoded(link: &str, kept: &[u8], capital: bool) -> String {
    let mut out = String::new();
    for byte in link.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte) {
            out.push(char::from(byte));
        } else if capital {
            write!(out, "%{byte:02X}").unwrap();
        } else {
            write!(out, "%{byte:02x}").unwrap();
        }
    }
    out
}

/// The characters that the URL standard leaves in a fragment, without those that programs take for the end of a link.
fn is_kept(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/?%[]{}".contains(c)
}

proptest! {
    #![proptest_config(Config { cases: 10_000, ..Config::default() })]

    #[test]
    fn every_document_survives_its_link(document in crate::random::document(), way in 0..4_usize) {
        let link = write(&document);
        prop_assert!(link.chars().all(is_kept), "{link}");
        let changed = match way {
            // Chat programs encode brackets; others encode the whole link, percent signs included.
            0 => percent_encoded(&link, b"%+/;=,:", true),
            1 => percent_encoded(&link, b"%+/", false),
            2 => percent_encoded(&link, b"", true),
            _ => percent_encoded(&link, b"", false),
        };
        for way in [link.clone(), format!("#{changed}")] {
            let loaded = read(&way);
            prop_assert_eq!(problems(&loaded), Vec::<String>::new(), "{}", way);
            prop_assert_eq!(&loaded.document, &document, "{}", way);
        }
    }
}

/// The fields of a link's plain form, without defaults.
fn reading(document: &Document) -> String {
    let mut out = format!("shape {}\n", document.shape);
    let mut line = |name: &str, value: String| writeln!(out, "{name} {value}").unwrap();
    if document.leaf != 0 {
        line("leaf", document.leaf.to_string());
    }
    match &document.values {
        ValueRule::Letters => {}
        ValueRule::Iota => line("values", "iota".to_owned()),
        ValueRule::Random(seed) => line("values", format!("random {seed}")),
        ValueRule::Text(text) => line("values", format!("typed {text:?}")),
    }
    if let Some(layout) = &document.compare {
        line("compare", layout.to_string());
    }
    let ViewOptions { axes, slider_indices, colour, slot_text, line_bytes } = &document.view;
    if let Some((rows, columns)) = axes {
        line("axes", format!("{rows} {columns}"));
    }
    if !slider_indices.is_empty() {
        line("positions", format!("{:?}", slider_indices.as_slice()));
    }
    if *colour == ColourBy::Value {
        line("colour", "value".to_owned());
    }
    if *slot_text == SlotText::Bytes {
        line("slots", "bytes".to_owned());
    }
    if *line_bytes != 64 {
        line("line", line_bytes.to_string());
    }
    if document.cursor != 0 {
        line("cursor", document.cursor.to_string());
    }
    if !document.pins.is_empty() {
        line("pins", format!("{:?}", document.pins));
    }
    out
}

/// A file of links, each followed by its expected document, indented.
fn kept_links(file: &str) -> Vec<(String, String)> {
    let mut kept: Vec<(String, String)> = Vec::new();
    for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        match line.strip_prefix("  ") {
            Some(expected) => writeln!(kept.last_mut().unwrap().1, "{expected}").unwrap(),
            None => kept.push((line.to_owned(), String::new())),
        }
    }
    kept
}

#[test]
fn links_of_version_1_load_for_ever() {
    let kept = kept_links(include_str!("../data/links_v1.txt"));
    assert!(kept.len() >= 20, "{}", kept.len());
    for (link, expected) in kept {
        let loaded = read(&link);
        assert_eq!(problems(&loaded), Vec::<String>::new(), "{link}");
        assert_eq!(reading(&loaded.document), expected, "{link}");
    }
}

#[test]
fn the_link_of_the_documents_example_can_be_read_by_people() {
    let padded = PRESETS.iter().find(|p| p.name == "preset-padded").unwrap().document();
    assert_eq!(write(&padded), "v1/f32[2,3]{0,1}+padded[3,5]=zero");
    assert_eq!(padded, Document::first_visit());
    assert_eq!(write(&Document::default()), "v1/f32[2,3]{1,0}");
    for preset in PRESETS {
        let mut document = preset.document();
        document.normalize().unwrap();
        let link = write(&document);
        assert!(link.len() <= 120 && link.starts_with("v1/"), "{link}");
        assert_eq!(read(&link), Loaded { document, problems: Vec::new() });
    }
}

#[test]
fn an_empty_link_is_the_opening_document_and_only_long_links_are_compressed() {
    for empty in ["", "#"] {
        assert_eq!(read(empty), Loaded { document: Document::first_visit(), problems: Vec::new() });
    }
    let typed = |text: String| Document { values: ValueRule::Text(text), ..Document::default() };
    let (short, long) = (typed("1, 2, 3".into()), typed("1, 2, 3, ".repeat(400)));
    assert!(write(&short).starts_with("v1/"));
    let link = write(&long);
    assert!(link.starts_with("v1z/") && link.len() < 200, "{link}");
    assert_eq!(read(&link).document, long);
}

proptest! {
    #[test]
    fn one_padded_array_takes_less_than_60_characters(
        element_type in select(ElementType::ALL),
        sizes in prop::collection::vec(1_i64..=400, 0..=3),
        by in prop::collection::vec(1_i64..=6, 3),
        order in Just(vec![0_i64, 1, 2]).prop_shuffle(),
        value in select(&PaddingValue::ALL[..]),
    ) {
        prop_assume!(element_type.name().len() <= 6);
        let order = order.into_iter().filter(|d| usize::try_from(*d).unwrap() < sizes.len());
        let padded = sizes.iter().zip(by).map(|(size, by)| size + by);
        let layout = if sizes.is_empty() { Layout::new([]) } else { Layout::new(order).padded(padded, value) };
        let mut document = Document::with_shape(ArrayShape::new(element_type, sizes.clone()).with_layout(layout).into());
        prop_assume!(document.normalize().is_ok());
        let link = write(&document);
        prop_assert!(link.len() < 60, "{} characters: {link}", link.len());
    }

    /// A fragment without problems was read to its last field: written again it is the same.
    #[test]
    fn unreadable_fields_are_reported(document in crate::random::document(), damage in damage()) {
        let link = write(&document);
        let damaged = damage.of(&link);
        // Cut to nothing, it is the landing page.
        prop_assume!(!damaged.trim_start_matches('#').is_empty());
        let loaded = read(&damaged);
        let mut normalized = loaded.document.clone();
        prop_assert!(normalized.normalize().is_ok());
        prop_assert_eq!(&normalized, &loaded.document, "what is loaded is normalized");
        if loaded.problems.is_empty() {
            let again = read(&write(&loaded.document));
            prop_assert_eq!(&again.document, &loaded.document);
            if let Some(packed) = damaged.strip_prefix("v1z/") {
                // The checksum of the compressed text detects any change.
                prop_assert!(loaded.document == document, "{} taken for {}", packed, link);
            } else if loaded.document != document {
                // A readable link has no checksum: it must then be a complete link of another document.
                prop_assert!(fields(&damaged) >= fields(&write(&loaded.document)), "{damaged}");
            }
        } else {
            prop_assert!(damaged != link);
        }
    }

    #[test]
    fn any_link_is_read_without_panic(text in ".{0,200}", version in select(vec!["", "v1/", "v1z/", "v9/"])) {
        let loaded = read(&format!("{version}{text}"));
        prop_assert!(loaded.document.array().is_some() || loaded.document.leaves().is_empty());
        if version == "v9/" {
            prop_assert!(!loaded.problems.is_empty());
        }
    }
}

/// The number of fields of a readable link.
fn fields(link: &str) -> usize {
    link.split(';').filter(|field| !field.is_empty()).count()
}

/// Damage to links on their way.
#[derive(Clone, Debug)]
enum Damage {
    Cut(usize),
    Change(usize, char),
    Drop(usize),
    Insert(usize, char),
}

fn damage() -> impl Strategy<Value = Damage> {
    let c = || prop_oneof![3 => prop::char::range('!', '~'), 1 => any::<char>()];
    prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        (any::<usize>(), c()).prop_map(|(at, c)| Damage::Change(at, c)),
        any::<usize>().prop_map(Damage::Drop),
        (any::<usize>(), c()).prop_map(|(at, c)| Damage::Insert(at, c)),
    ]
}

impl Damage {
    fn of(&self, link: &str) -> String {
        let mut chars: Vec<char> = link.chars().collect();
        let wrapped = |at: usize| at % chars.len();
        match *self {
            Self::Cut(at) => chars.truncate(wrapped(at)),
            Self::Change(at, c) => {
                let at = wrapped(at);
                chars[at] = c;
            }
            Self::Drop(at) => {
                chars.remove(wrapped(at));
            }
            Self::Insert(at, c) => chars.insert(wrapped(at), c),
        }
        chars.into_iter().collect()
    }
}

#[test]
fn problems_are_reported_and_the_rest_is_loaded() {
    let cases = [
        (
            "v1/f32[2,3]{0,1};at=4;nonsense=1;pins=1.2",
            "nonsense",
            "shape f32[2,3]{0,1}\ncursor 4\npins [1, 2]\n",
        ),
        ("v1/f32[2,3]{0,1};at=99", "at=99", "shape f32[2,3]{0,1}\ncursor 5\n"),
        ("v1/f32[2,3]{0,1};pins=1.77", "pins=1.77", "shape f32[2,3]{0,1}\npins [1]\n"),
        ("v1/f32[2,3]{0,1};axes=0.9;at=1", "axes=0.9", "shape f32[2,3]{0,1}\ncursor 1\n"),
        ("v1/f32[2,3]{0,1};pos=7", "pos=7", "shape f32[2,3]{0,1}\npositions [1]\n"),
        ("v1/f32[2,3]{0,1};i=3", "i=3", "shape f32[2,3]{0,1}\n"),
        ("v1/f32[2,3]{0,1};line=48", "line=48", "shape f32[2,3]{0,1}\n"),
        ("v1/f32[2,3]{0,1};v=random.x", "v=random.x", "shape f32[2,3]{0,1}\n"),
        ("v1/f32[2,3]{0,1};with={0,0}", "with={0,0}", "shape f32[2,3]{0,1}\n"),
        ("v1/f32[2,3]{0,1};at=1;at=2", "at=2", "shape f32[2,3]{0,1}\ncursor 1\n"),
        ("v1/f32[2,3]{0,0};v=iota", "dimension 0 twice", "shape f32[2,3]{1,0}\nvalues iota\n"),
        ("v1/f32[100000,100000];v=iota", "67108864", "shape f32[2,3]{1,0}\nvalues iota\n"),
        ("v2/f32[2,3]{0,1}", "version v2", "shape f32[2,3]{1,0}\n"),
        ("f32[2,3]{0,1}", "no version", "shape f32[2,3]{1,0}\n"),
        ("v1z/!!!!", "damaged", "shape f32[2,3]{1,0}\n"),
    ];
    for (link, problem, expected) in cases {
        let loaded = read(link);
        assert!(problems(&loaded).iter().any(|p| p.contains(problem)), "{link}: {:?}", problems(&loaded));
        assert_eq!(reading(&loaded.document), expected, "{link}");
    }
}

#[test]
fn a_truncated_compressed_link_loads_its_start() {
    let typed: String = (0..400).map(|n| (n * n % 97).to_string() + ", ").collect();
    let spec = "f32[20,20]{0,1} padded[24,32]=one".parse().unwrap();
    let document = Document { values: ValueRule::Text(typed.clone()), ..Document::with_shape(spec) };
    let link = write(&document);
    assert!(link.starts_with("v1z/"));
    let loaded = read(&link[..link.len() * 3 / 4]);
    assert_eq!(problems(&loaded), ["The compressed part of the link is damaged."]);
    assert_eq!(loaded.document.shape, document.shape);
    let ValueRule::Text(read) = &loaded.document.values else { panic!("{:?}", loaded.document.values) };
    assert!(typed.starts_with(read.trim_end_matches('\u{fffd}')) && read.len() > 100, "{read}");
}

#[test]
fn the_longest_shape_that_can_be_written_survives_its_link() {
    let leaves = vec!["pred[1,1]"; 6_500].join(",");
    let document = Document::with_shape(format!("({leaves})").parse().unwrap());
    let loaded = read(&write(&document));
    assert_eq!(problems(&loaded), [""; 0]);
    assert_eq!(loaded.document.shape, document.shape);
}

#[test]
fn a_bomb_is_rejected() {
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b'7'; 9 << 20], 1);
    let link = format!("v1z/{}", URL_SAFE_NO_PAD.encode(bomb));
    let loaded = read(&link);
    assert!(
        problems(&loaded).iter().any(|p| p.contains("decompresses to more than")),
        "{:?}",
        problems(&loaded)
    );
    assert_eq!(loaded.document, Document::default());
    let endless = format!("v1/f32[{}", "9".repeat(2 << 20));
    assert_eq!(problems(&read(&endless)).len(), 1);
}
