//! The picture of a module's graph.

use xla_hlo::{InstructionId, Module};
use xla_inspect::calls::CallGraph;
use xla_inspect::graph::view::{Source, view};
use xla_inspect::graph::{Density, Graph, View};
use xla_inspect::outline::Folds;
use xla_view::module_graph::{Kind, Part, Viewport, density_scene, edge_width, overlay, part_at, scene};
use xla_view::palette::Theme;
use xla_view::scene::{Ink, Item, Scene};
use xla_view::svg::svg;

const TEXT: &str = "HloModule m
below { a = s32[] parameter(0) ten = s32[] constant(10) ROOT c = pred[] compare(a, ten), direction=LT }
step { b = s32[] parameter(0) one = s32[] constant(1) ROOT d = s32[] add(b, one) }
ENTRY e { n = s32[] parameter(0) k = s32[] negate(n) ROOT w = s32[] while(k), body=step, condition=below }";

struct Drawing {
    graph: Graph,
    view: View,
    viewport: Viewport,
}

fn draw(folds: &Folds, scale: f64) -> Drawing {
    draw_text(TEXT, folds, scale)
}

fn draw_text(text: &str, folds: &Folds, scale: f64) -> Drawing {
    let module: Module = xla_hlo::parse(text).into_module().unwrap();
    let calls = CallGraph::new(&module);
    let graph = Graph::new(&module, &calls, module.entry.unwrap(), folds);
    let whole = Viewport::whole(graph.size());
    let viewport = Viewport { scale, width: whole.width * scale, height: whole.height * scale, ..whole };
    let source = Source { module: &module, calls: &calls, folds };
    let view = view(&graph, source, viewport.window(), 100);
    Drawing { graph, view, viewport }
}

fn texts(scene: &Scene) -> Vec<&str> {
    let labels =
        scene.items.iter().filter_map(|item| if let Item::Label(label) = item { Some(label) } else { None });
    labels.map(|label| label.text.as_str()).collect()
}

#[test]
fn nodes_show_opcode_name_shape_and_constants() {
    let drawing = draw(&Folds::all_open(), 1.0);
    let picture = scene(&drawing.view, &drawing.viewport);
    let texts = texts(&picture);
    for text in ["ROOT while", "w", "s32[]", "body: step", "condition: below", "1: 10", "ROOT add"] {
        assert!(texts.contains(&text), "{text} in {texts:?}");
    }
    let markup = svg(&picture, &Theme::light(), "graph", "");
    let document = roxmltree::Document::parse(&markup).unwrap();
    assert!(document.descendants().any(|node| node.text() == Some("body: step")));
    // Every box and text is inside the picture.
    for item in &picture.items {
        if let Item::Label(label) = item {
            assert!((0.0..picture.width).contains(&label.x) && (0.0..picture.height).contains(&label.y));
        }
    }
    // Folded, a call shows none of it.
    let drawing = draw(&Folds::all_folded(), 1.0);
    let picture = scene(&drawing.view, &drawing.viewport);
    assert!(!self::texts(&picture).contains(&"body: step"));
}

#[test]
fn small_scales_omit_texts() {
    let has_text = |scale| {
        let drawing = draw(&Folds::all_open(), scale);
        !texts(&scene(&drawing.view, &drawing.viewport)).is_empty()
    };
    assert!(has_text(0.6) && !has_text(0.3) && !has_text(0.05));
}

#[test]
fn the_innermost_node_is_hit_and_highlighted_with_its_edges() {
    let drawing = draw(&Folds::all_open(), 2.0);
    let step = drawing.view.nodes.iter().find(|node| node.name == "d").unwrap();
    let middle = |rect: xla_inspect::graph::Rect| {
        (2.0 * f64::from(rect.x + rect.width / 2), 2.0 * f64::from(rect.y + rect.height / 2))
    };
    let (x, y) = middle(step.rect);
    let hit = part_at(&drawing.view, &drawing.viewport, x, y);
    assert_eq!(hit, Some(Part::Node((step.frame, step.id))));
    assert_eq!(part_at(&drawing.view, &drawing.viewport, -5.0, -5.0), None);
    let entry = drawing.view.nodes.iter().find(|node| node.name == "k").unwrap();
    let selected = overlay(&drawing.view, &drawing.viewport, Some((entry.frame, entry.id)), None);
    let curves = selected.items.iter().filter(|item| matches!(item, Item::Curve { .. } | Item::Path { .. }));
    // The edges from n and to w, each with its head.
    assert_eq!(curves.count(), 4);
    let hovered = overlay(&drawing.view, &drawing.viewport, None, hit);
    let is_hover =
        |item: &Item| matches!(item, Item::Box { stroke: Some(stroke), .. } if stroke.ink == Ink::Hover);
    assert_eq!(hovered.items.iter().filter(|item| is_hover(item)).count(), 1);
    let unknown = Some((0, InstructionId(99)));
    assert_eq!(overlay(&drawing.view, &drawing.viewport, unknown, None).items, []);
}

#[test]
fn labels_of_edges_that_end_side_by_side_do_not_cover_each_other() {
    let text = "HloModule m
ENTRY e { p = f32[100,100] parameter(0) q = f32[100,100] negate(p) ROOT r = f32[100,100] clamp(p, q, p) }";
    let drawing = draw_text(text, &Folds::all_open(), 1.0);
    let root = drawing.view.nodes.iter().find(|node| node.name == "r").unwrap();
    let selected = overlay(&drawing.view, &drawing.viewport, Some((root.frame, root.id)), None);
    let grounds = selected.items.iter().filter_map(|item| match item {
        Item::Box { rect, fill: Some(Ink::Background), .. } => Some(*rect),
        _ => None,
    });
    let grounds: Vec<_> = grounds.collect();
    assert_eq!(grounds.len(), 3);
    for (index, a) in grounds.iter().enumerate() {
        for b in &grounds[..index] {
            let is_apart =
                a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h - 0.2 || b.y >= a.y + a.h - 0.2;
            assert!(is_apart, "{a:?} covers {b:?}");
        }
    }
}

#[test]
fn edges_and_marks_of_calls_are_hit() {
    let drawing = draw(&Folds::all_open(), 2.0);
    let at =
        |x: i32, y: i32| part_at(&drawing.view, &drawing.viewport, 2.0 * f64::from(x), 2.0 * f64::from(y));
    let call = drawing.view.nodes.iter().find(|node| !node.groups.is_empty()).unwrap();
    assert_eq!(at(call.rect.right() - 5, call.rect.y + 5), Some(Part::Fold((call.frame, call.id))));
    assert_eq!(at(call.rect.x + 5, call.rect.y + 5), Some(Part::Node((call.frame, call.id))));
    for (index, segment) in (0..).zip(&drawing.view.segments) {
        let ([from, ..], [.., to]) = (&segment.points[..], &segment.points[..]) else { panic!("no points") };
        // The middle of a segment is on it, or on one that crosses it there.
        let hit = at(i32::midpoint(from.x, to.x), i32::midpoint(from.y, to.y));
        if segment.points.len() == 2 {
            assert!(matches!(hit, Some(Part::Segment(_))), "{index}: {hit:?}");
        }
    }
    // A hovered edge is drawn with all of its parts.
    let whole = overlay(&drawing.view, &drawing.viewport, None, Some(Part::Segment(0)));
    assert!(!whole.items.is_empty());
}

#[test]
fn edges_widen_with_the_logarithm_of_their_bytes() {
    let width = |bytes| edge_width(Some(bytes));
    assert!((width(0) - 1.0).abs() < 1e-9 && (width(1 << 10) - 1.0).abs() < 1e-9);
    assert!((width(1 << 20) - 4.0).abs() < 1e-9);
    assert!((width(u64::MAX) - 7.0).abs() < 1e-9 && (edge_width(None) - 1.0).abs() < 1e-9);
}

#[test]
fn kinds_have_distinct_colours_and_overviews_cover_every_node() {
    let mut marks: Vec<Ink> = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| kind.tint().is_some()) {
        assert!(!marks.contains(&kind.mark()));
        marks.push(kind.mark());
    }
    assert_eq!(Kind::new(None), Kind::Unknown);
    let drawing = draw(&Folds::all_folded(), 1.0);
    let density = Density::new(&drawing.graph, 1, 8);
    let picture = density_scene(&density, &drawing.viewport);
    assert_eq!(picture.items.len(), density.counts.iter().filter(|count| **count > 0).count());
}
