//! Pictures as SVG, compared with the files in `tests/data/svg`; `UPDATE_GOLDEN=1 cargo test -p xla-view --test view`
//! rewrites those. Every picture must be well-formed, have an accessible name, and have no external references.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

use std::path::PathBuf;

use roxmltree::{Document, Node};
use smallvec::smallvec;
use xla_view::colour_map::ColourMap;
use xla_view::palette::{Theme, dash};
use xla_view::scene::{Anchor, Ink, Item, Rect, Rgb, Scene, Stroke};
use xla_view::svg::{MAX_SHAPES, svg};

/// The memory strip of `f32[2,3]{0,1}` padded to `[3,5]`, as on XLA's "Shapes and layout" page.
fn strip() -> Scene {
    let mut scene = Scene::new(736.0, 88.0);
    for (slot, value) in "ad0be0cf0000000".chars().enumerate() {
        let column = f64::from(u8::try_from(slot).unwrap());
        let rect = Rect::new(8.0 + 48.0 * column, 8.0, 46.0, 46.0);
        let middle = rect.x + rect.w / 2.0;
        if value == '0' {
            scene.items.push(Item::Hatch { rect });
            let edge = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([3.0, 2.0]) };
            scene.outline(rect.grown(-0.5), 4.0, edge);
            scene.centred_label(rect, "0", 17.0, true, Ink::Faint);
        } else {
            let rgb = ColourMap::Batlow.colour(f32::from(u8::try_from(slot).unwrap()) / 14.0);
            scene.fill(rect, 4.0, Ink::Exact(rgb));
            scene.centred_label(rect, value, 17.0, true, Ink::On(rgb));
        }
        scene.label((middle, 64.0), slot.to_string(), 11.0, Anchor::Middle, Ink::Faint);
    }
    let selected = Rect::new(296.0, 8.0, 46.0, 46.0);
    scene.outline(selected.grown(1.0), 4.0, Stroke::solid(Ink::Background, 2.0));
    scene.outline(selected.grown(3.0), 6.0, Stroke::solid(Ink::Select, 2.0));
    scene.line((8.0, 76.0), (726.0, 76.0), Stroke::solid(Ink::LineStrong, 3.0));
    scene
}

/// Every dimension's colour and line style, the anchors, and texts that must be escaped.
fn dimensions() -> Scene {
    let mut scene = Scene::new(320.0, 240.0);
    for d in 0..8_u8 {
        let (y, ink) = (16.0 + 24.0 * f64::from(d), Ink::Dimension(d.into()));
        scene.label((8.0, y), format!("d{d}"), 14.0, Anchor::Start, ink);
        scene.line((40.0, y), (200.0, y), Stroke { ink, width: 2.0, dash: dash(d.into()) });
    }
    scene.items.push(Item::Path {
        points: smallvec![(210.0, 16.0), (230.333_3, 16.0), (230.333_3, 60.0)],
        stroke: Stroke::solid(Ink::Hover, 1.5),
    });
    scene.items.push(Item::Curve {
        points: [(210.0, 80.0), (250.0, 80.0), (250.0, 160.0), (300.0, 160.0)],
        stroke: Stroke::solid(Ink::Soft, 1.0),
    });
    scene.label((312.0, 208.0), "a < b && c > \"d\"", 12.0, Anchor::End, Ink::Strong);
    scene.label((8.0, 226.0), "1·1  + 2·3 = 维", 12.0, Anchor::Start, Ink::Strong);
    scene.label((312.0, 226.0), "27", 11.0, Anchor::End, Ink::OnSoft(Rgb::WHITE));
    scene
}

/// A raster with one row in runs, one row of single pixels, holes and translucent ones.
fn small_raster() -> Scene {
    let mut scene = Scene::new(40.0, 30.0);
    let pixel = |column: u8, row: u8| match (column, row) {
        (0..3, 0) => [68, 1, 84, 255],
        (_, 0) => [253, 231, 37, 255],
        (c, 1) => [c * 40, 255 - c * 40, 128, 255],
        (2 | 3, _) => [0, 0, 0, 0],
        _ => [10, 20, 30, 128],
    };
    let rgba = (0..3).flat_map(|row| (0..7).flat_map(move |column| pixel(column, row))).collect();
    let rect = Rect::new(4.0, 4.0, 32.0, 22.0);
    scene.items.push(Item::Raster { rect, columns: 7, rows: 3, rgba });
    scene
}

/// A raster with one pixel more than can be written as shapes.
fn large_raster() -> Scene {
    let mut scene = Scene::new(200.0, 20.0);
    let columns = MAX_SHAPES + 1;
    let table = ColourMap::Viridis.table();
    let pixel = |i: usize| {
        let Rgb([r, g, b]) = table[i * 256 / columns];
        [r, g, b, 255]
    };
    let rgba = (0..columns).flat_map(pixel).collect();
    scene.items.push(Item::Raster { rect: Rect::new(0.0, 0.0, 200.0, 20.0), columns, rows: 1, rgba });
    scene
}

fn pictures() -> Vec<(&'static str, String)> {
    let (light, dark) = (Theme::light(), Theme::dark());
    let (title, description) = ("f32[2,3]{0,1} padded[3,5]=0", "15 slots, 9 of them padding");
    vec![
        ("empty", svg(&Scene::default(), &light, "", "")),
        ("strip-light", svg(&strip(), &light, title, description)),
        ("strip-dark", svg(&strip(), &dark, title, description)),
        ("dimensions-light", svg(&dimensions(), &light, "Dimensions <0…7>", "A & B")),
        ("dimensions-dark", svg(&dimensions(), &dark, "Dimensions <0…7>", "A & B")),
        ("raster-small", svg(&small_raster(), &light, "f32[3,7]", "21 cells")),
        ("raster-large", svg(&large_raster(), &light, "f32[4097]", "4097 cells")),
    ]
}

#[test]
fn pictures_are_the_golden_ones() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/svg");
    for (name, text) in pictures() {
        let path = folder.join(format!("{name}.svg"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(golden == text, "{name}.svg differs; if that is meant, UPDATE_GOLDEN=1 rewrites it:\n{text}");
    }
}

fn child<'a>(document: &'a Document<'_>, name: &str) -> Node<'a, 'a> {
    document.root_element().children().find(|n| n.has_tag_name(name)).expect(name)
}

#[test]
fn pictures_are_well_formed_and_self_contained() {
    let allowed = ["svg", "title", "desc", "defs", "pattern", "rect", "path", "g", "image", "text"];
    for (name, text) in pictures() {
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(document.root_element().attribute("role"), Some("img"));
        for node in document.descendants().filter(Node::is_element) {
            assert!(allowed.contains(&node.tag_name().name()), "{name}: {node:?}");
            for attribute in node.attributes() {
                let value = attribute.value();
                assert!(!attribute.name().starts_with("on"), "{name}: {attribute:?}");
                assert!(!value.contains("NaN") && !value.contains("inf"), "{name}: {attribute:?}");
                if attribute.name() == "href" {
                    assert!(value.starts_with("data:image/png;base64,"), "{name}: {value}");
                }
                if let Some(id) = value.strip_prefix("url(#").and_then(|v| v.strip_suffix(')')) {
                    let target = document.descendants().find(|n| n.attribute("id") == Some(id));
                    assert!(target.is_some_and(|n| n.has_tag_name("pattern")), "{name}: {value}");
                } else {
                    assert!(!value.contains("url("), "{name}: {value}");
                }
            }
        }
    }
}

#[test]
fn texts_round_trip() {
    let text = svg(&dimensions(), &Theme::light(), "Dimensions <0…7>", "A & B");
    let document = Document::parse(&text).unwrap();
    assert_eq!(child(&document, "title").text(), Some("Dimensions <0…7>"));
    assert_eq!(child(&document, "desc").text(), Some("A & B"));
    let labels: Vec<_> = document.descendants().filter(|n| n.has_tag_name("text")).collect();
    assert_eq!(labels.len(), 11);
    assert_eq!(labels[8].text(), Some("a < b && c > \"d\""));
    let space = |n: Node<'_, '_>| n.attribute(("http://www.w3.org/XML/1998/namespace", "space")).is_some();
    assert_eq!(labels.iter().map(|n| space(*n)).position(|kept| kept), Some(9));
}

#[test]
fn runs_of_equal_pixels_are_one_shape() {
    let text = svg(&small_raster(), &Theme::light(), "", "");
    let document = Document::parse(&text).unwrap();
    let shapes: Vec<_> = child(&document, "g").children().filter(|n| n.has_tag_name("rect")).collect();
    assert_eq!(shapes.len(), 2 + 7 + 2);
    assert_eq!(shapes[0].attribute("fill"), Some("#440154"));
    assert_eq!(shapes[9].attribute("fill-opacity"), Some("0.5"));
    let number = |i: usize, name: &str| shapes[i].attribute(name).unwrap().parse::<f64>().unwrap();
    assert!((number(0, "x") + number(0, "width") - number(1, "x")).abs() < 1e-9);
    assert!((number(1, "x") + number(1, "width") - 36.0).abs() < 1e-9);
}
