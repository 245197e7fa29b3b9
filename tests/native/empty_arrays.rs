//! Every picture and export of empty arrays, scalars, and tuples of such: a table of shapes against a table of
//! pictures, through the library and through the terminal program.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

use xla_playground::array::cost::{CacheLines, MoveCount, padding_waste};
use xla_playground::array::value::text::Exactness;
use xla_playground::array::{ArrayLiteral, Layout, Literal, MemoryMap, Shape};
use xla_playground::hlo::{Limits, parse};
use xla_playground::i18n::Language;
use xla_playground::ops::Distribution;
use xla_playground::state::document::{ColourBy, Document, SlotText, ValueRule};
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::run::FinishedRun;
use xla_playground::state::session::{Action, Session};
use xla_playground::view::array_view::ArrayView;
use xla_playground::view::axis_assignment::AxisAssignment;
use xla_playground::view::colour_map::ColourMap;
use xla_playground::view::formula::{Words, backward, forward};
use xla_playground::view::gif::{Animation, fits};
use xla_playground::view::grid::Grid;
use xla_playground::view::highlights::SlotHighlights;
use xla_playground::view::histogram::Histogram;
use xla_playground::view::inspect::SlotProperties;
use xla_playground::view::op_picture::OpPicture;
use xla_playground::view::palette::Theme;
use xla_playground::view::scene::Scene;
use xla_playground::view::strip::{MIN_READABLE_SLOT_SIDE, MIN_SLOT_SIDE, Strip};
use xla_playground::view::svg::svg;
use xla_playground::view::tikz::tikz;
use xla_playground::view::{element_moves, export, layout_connectors as connectors, png, strip};

const SHAPES: &[&str] = &[
    "f32[]",
    "f32[0]",
    "f32[0,7]",
    "f32[7,0]",
    "f32[0,0]",
    "s4[0]{0:E(4)}",
    "pred[0]",
    "c64[0,3]",
    "f32[<=0]",
    "f32[<=0,3]",
    "f32[0,7]{0,1}",
    "f32[0,7]{1,0:T(8,128)(2,1)}",
    "f32[7,0]{1,0:T(*,8)}",
    "f32[0]{0:T(4)L(128)}",
    "f32[0]{0:L(8)}",
    "f32[0,3] padded[0,5]=zero",
    "f32[0,3] padded[2,5]=lowest",
    "f32[0] padded[4]=unknown",
    "f32[2,3,0,2,2,2,2,2,2,2,2,2]",
    "f32[0,1,1,1,1,1,1,1,1,1,1,1]",
    "f32[1000000000,0,0]",
    "pred[576460752303423488,0]",
    "pred[0,576460752303423488]",
    "pred[2,0,288230376151711744]",
    "(f32[], f32[0])",
    "(f32[0,7], (pred[0], token[]), s32[2])",
    "()",
    "token[]",
    "b(f32[0])",
];

fn svg_of(scene: &Scene) -> String {
    assert!(scene.width.is_finite() && scene.height.is_finite() && scene.height >= 0.0, "{scene:?}");
    let text = svg(scene, &Theme::light(), "title", "about");
    assert!(text.ends_with("</svg>\n") || text.ends_with("</svg>"), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf\""), "{text}");
    text
}

fn words() -> Words {
    let word = || "word".to_owned();
    Words { slot: word(), index: word(), stride: word(), tile: word(), physical: word(), within: word() }
}

/// The pages' facts on memory, cache lines and moved elements.
fn costs(map: &MemoryMap) {
    assert_eq!(padding_waste(map).padding_slots, map.slot_count() - map.elements());
    for bytes in [32, 64, 128] {
        let lines = CacheLines::new(map, bytes).unwrap();
        assert_eq!(lines.total() == 0, map.slot_count() == 0);
        for d in 0..=map.rank() {
            let origin = vec![0; map.rank()];
            assert!(lines.walk(d, &origin).is_none_or(|lines| lines >= 0));
            assert!(lines.average(d).is_none_or(|walks| walks.mean().is_none_or(f64::is_finite)));
        }
        assert_eq!(lines.lines_of_slot(0).is_some(), map.slot_count() > 0);
    }
    let mut count = MoveCount::new(map, map).unwrap();
    assert!(count.step(i64::MAX));
    assert_eq!((count.moved(), count.total()), (0, map.elements()));
}

/// Every picture of one array.
fn pictures(document: &Document, array: &ArrayView) {
    let map = array.memory_map();
    let slots = [i64::MIN, -1, 0, 1, map.slot_count() - 1, map.slot_count(), i64::MAX];
    let sizes = map.padded_sizes();
    for (width, height) in [(960.0, 720.0), (320.0, 40.0), (0.0, 0.0)] {
        for axes in [None, Some((1, 0)), Some((0, sizes.len().saturating_sub(1)))] {
            let mut grid = Grid::fitted(sizes, AxisAssignment::new(sizes, axes), &[], width, height);
            grid.zoom(3.0, 10.0, 10.0);
            grid.pan(50.0, -50.0);
            grid.reveal(&vec![0; sizes.len()]);
            grid.hit(20.0, 20.0);
            svg_of(&grid.scene(array));
            let pins = slots.to_vec();
            svg_of(&grid.overlay(array, &SlotHighlights { cursor: Some(0), hover: Some(1), pins }));
        }
        for (least, rows) in [(MIN_READABLE_SLOT_SIDE, 8), (MIN_SLOT_SIDE, 1), (MIN_READABLE_SLOT_SIDE, 0)] {
            for first in [0, 7, i64::MAX, i64::MIN] {
                let strip = Strip::new(array, width, least, 64, rows, first);
                for slot in slots {
                    assert!(strip.first_row_showing(slot) >= 0);
                    assert_eq!(strip.rect(slot).is_some(), strip.visible_slots().contains(&slot));
                }
                strip.hit(10.0, 10.0);
                for text in [SlotText::Value, SlotText::Bytes] {
                    svg_of(&strip.scene(array, text, "line"));
                }
                svg_of(&strip.overlay(&SlotHighlights {
                    cursor: Some(0),
                    hover: None,
                    pins: slots.to_vec(),
                }));
            }
        }
        svg_of(&strip::overview(array, width, height));
        svg_of(&connectors::scene(array, array, width));
        svg_of(&connectors::overlay(array, array, width, &SlotHighlights::default()));
        svg_of(&element_moves::scene(array, array, width, &[(0, 0)], &[(0, 0)]));
    }
    svg_of(&export::with_background(export::picture(
        array,
        &document.view,
        &SlotHighlights { cursor: Some(document.cursor), hover: None, pins: document.pins.clone() },
        "line",
    )));
    let legend = array.legend();
    // Without a finite value there is no scale of values.
    assert_eq!(legend.is_none(), array.colour_by() == ColourBy::Value && map.elements() == 0);
    if let Some((colours, low, high)) = legend {
        assert!(!colours.is_empty() && !low.is_empty() && !high.is_empty());
    }
    let text = export::strip_text(array);
    assert_eq!(text.is_empty(), map.slot_count() == 0, "{text:?}");
    let tiles = array.shape().layout.as_ref().map(|layout| layout.tiles.to_vec()).unwrap_or_default();
    for slot in slots {
        let inside = (0..map.slot_count()).contains(&slot);
        assert_eq!(SlotProperties::new(array, slot).is_some(), inside);
        if let Some(properties) = SlotProperties::new(array, slot) {
            let _ = properties.description();
        }
        backward(map, &tiles, slot, &words());
    }
    let origin = vec![0; map.rank()];
    assert_eq!(forward(map, &tiles, &origin, &words()).is_some(), map.slot(&origin).is_some());
    costs(map);
}

fn arrays(document: &Document) -> Vec<ArrayView> {
    let values = [ValueRule::Letters, ValueRule::Iota, ValueRule::Random(3), ValueRule::Text(String::new())];
    let leaves = document.leaves();
    let view = |array| {
        let colours = [ColourBy::Slot, ColourBy::Value];
        let views = colours.map(|colour| {
            values
                .iter()
                .map(move |values| ArrayView::new(array, values, colour, ColourMap::Viridis).unwrap())
        });
        views.into_iter().flatten()
    };
    leaves.into_iter().flat_map(|(_, array)| view(array)).collect()
}

#[test]
fn every_picture_of_every_empty_array() {
    for text in SHAPES {
        let shape: Shape = text.parse().unwrap_or_else(|d| panic!("{text}: {d}"));
        for leaf in 0..Document::with_shape(shape.clone()).leaves().len().max(1) {
            let mut document =
                Document { leaf, cursor: 5, pins: vec![0, 3], ..Document::with_shape(shape.clone()) };
            document.compare = document.array().map(|array| Layout::ascending(array.rank()));
            document.normalize().unwrap_or_else(|message| panic!("{text}: {message}"));
            if document.array().is_none() {
                continue;
            }
            for array in arrays(&document) {
                pictures(&document, &array);
            }
            // Every edit of the form.
            let mut session = Session::new(document);
            for action in [Action::AddDimension, Action::SetSize(0, 3), Action::RemoveDimension(0)] {
                let _ = session.apply(action);
            }
        }
    }
}

/// The pictures of instructions with empty operands and results.
#[test]
fn every_picture_of_an_op_on_an_empty_array() {
    for (text, about) in [
        ("x = f32[0] parameter(0) ROOT r = f32[0] negate(x)", "elementwise"),
        (
            "x = pred[576460752303423488,0] parameter(0) ROOT r = (pred[576460752303423488,0]) tuple(x)",
            "tuple",
        ),
        ("x = f32[1000000000,0,0] parameter(0) ROOT r = f32[0] reshape(x)", "reshape"),
        ("x = f32[0,7] parameter(0) ROOT r = f32[7,0] transpose(x), dimensions={1,0}", "transpose"),
        ("x = f32[] parameter(0) ROOT r = f32[0,3] broadcast(x), dimensions={}", "broadcast"),
        (
            "x = f32[0] parameter(0) y = f32[2] parameter(1) ROOT r = concatenate(x, y, x), dimensions={0}",
            "concatenate",
        ),
        ("ROOT r = f32[0,3] iota(), iota_dimension=1", "iota"),
        (
            "x = f32[0,2] parameter(0) ROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            "dot",
        ),
        (
            "x = f32[2,3,0,2,2,2,2,2,2,2,2,2] parameter(0) ROOT r = f32[2,3,0,2,2,2,2,2,2,2,2,2] abs(x)",
            "rank",
        ),
        ("ROOT r = () tuple()", "empty tuple"),
    ] {
        let experiment = Experiment::from_text(format!("HloModule m\nENTRY e {{ {text} }}"));
        let module =
            Rc::new(parse(&experiment.text).into_module().unwrap_or_else(|d| panic!("{about}: {d}")));
        let finished = FinishedRun::run(&experiment, &module, Limits::default())
            .unwrap_or_else(|e| panic!("{about}: {e}"));
        let focus = module.entry_computation().unwrap().root.unwrap();
        for leaf in [0, 1, 9] {
            let Some(picture) = OpPicture::new(&finished, focus, leaf, ColourMap::Viridis) else {
                assert_eq!(about, "empty tuple");
                continue;
            };
            for cell in [-1, 0, 1, picture.cell_count(), i64::MAX] {
                svg_of(&picture.scene(cell, Language::ENGLISH));
                let frame = picture.frame(cell, Language::ENGLISH);
                svg_of(&frame);
                assert!(!fits(frame.width, frame.height, 0) || picture.cell_count() == 0, "{about}");
                let drawing = tikz(&picture, cell, Language::ENGLISH, &Theme::light()).unwrap();
                assert!(drawing.contains("\\end{document}"), "{about}");
            }
        }
    }
}

#[test]
fn pixels_histograms_and_literals_of_empty_arrays() {
    for text in SHAPES {
        let shape: Shape = text.parse().unwrap();
        let Some(array) = shape.as_array() else { continue };
        let literal = ArrayLiteral::zeros(array.clone()).unwrap_or_else(|e| panic!("{text}: {e}"));
        for distribution in [Distribution::Uniform(0.0, 1.0), Distribution::Normal(0.0, 1.0)] {
            assert!(Histogram::new(&literal, distribution).is_none(), "{text}");
        }
        let said = Literal::Array(literal.clone()).text_with_shape(Exactness::RoundTrip);
        assert_eq!(
            said.parse::<Literal>().ok().map(|read| read.to_string()),
            Some(literal.to_string()),
            "{said}"
        );
        assert_eq!(literal.to_bytes().unwrap().is_empty(), literal.memory_map().slot_count() == 0, "{text}");
        let view = ArrayView::from_literal(Arc::new(literal), ColourBy::Value, ColourMap::Viridis);
        pictures(&Document::with_shape(shape.clone()), &view);
    }
    // A picture without pixels is rejected without a panic.
    let _ = png::png(0, 0, &[]);
    let _ = png::png(0, 3, &[]);
    let mut animation = Animation::new(0, 0, &Theme::light()).unwrap();
    let _ = animation.frame(&[], true);
    let _ = animation.finish();
}

#[test]
fn the_terminal_prints_and_draws_them() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_xla-playground"))
            .env("LC_ALL", "C")
            .args(args)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !said.contains("panicked") && output.status.code().is_some_and(|c| c == 0 || c == 2),
            "{args:?}: {said}"
        );
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    for text in SHAPES {
        let leaves = Document::with_shape(text.parse().unwrap()).leaves().len();
        for args in [&["layout", text][..], &["layout", text, "--all", "--json"]] {
            assert_eq!(run(args).0, 0, "{args:?}");
        }
        for leaf in 0..=leaves {
            let (code, out) = run(&["svg", text, "--array", &leaf.to_string()]);
            assert_eq!(
                (code, out.contains("</svg>")),
                if leaf < leaves { (0, true) } else { (2, false) },
                "{text}"
            );
        }
        for (command, at) in [("at", "0"), ("index", "0"), ("index", "0,0")] {
            run(&[command, text, at, "--json"]);
        }
    }
}
