//! Invariants of layered drawings: no overlaps, edges that point down, and windows that equal a filter of the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use test_support::Random;
use xla_hlo::{InstructionId, Module};
use xla_inspect::calls::CallGraph;
use xla_inspect::flow::{Neighbourhood, Reach, Users};
use xla_inspect::graph::view::{Source, view};
use xla_inspect::graph::{Density, Graph, Node, Rect, Segment, View};
use xla_inspect::outline::{Folds, Group};

use crate::modules;

/// A module with a drawing of its entry computation.
struct Drawing {
    module: Module,
    calls: CallGraph,
    folds: Folds,
    graph: Graph,
}

impl Drawing {
    fn new(module: Module, folds: Folds) -> Self {
        let calls = CallGraph::new(&module);
        let graph = Graph::new(&module, &calls, module.entry.unwrap(), &folds);
        Self { module, calls, folds, graph }
    }

    fn view(&self, window: Rect) -> View {
        let source = Source { module: &self.module, calls: &self.calls, folds: &self.folds };
        view(&self.graph, source, window, usize::MAX)
    }

    fn whole(&self) -> View {
        let (width, height) = self.graph.size();
        self.view(Rect { x: 0, y: 0, width, height })
    }
}

fn contains(outer: Rect, inner: Rect) -> bool {
    outer.x <= inner.x
        && outer.y <= inner.y
        && inner.x + inner.width <= outer.x + outer.width
        && inner.y + inner.height <= outer.y + outer.height
}

fn overlaps(a: Rect, b: Rect) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/// Checks that no two rectangles overlap, by sweeping over their top edges.
fn check_disjoint(rects: &[Rect]) {
    let mut sorted = rects.to_vec();
    sorted.sort_by_key(|rect| (rect.y, rect.x));
    let mut rows: Vec<Rect> = Vec::new();
    for rect in sorted {
        rows.retain(|other| other.y + other.height > rect.y);
        assert!(rows.iter().all(|other| !overlaps(*other, rect)), "{rect:?} overlaps");
        rows.push(rect);
    }
}

/// Checks a whole drawing; returns it.
fn check(drawing: &Drawing) -> View {
    let whole = drawing.whole();
    assert!(!whole.is_truncated);
    for (index, frame) in (0..).zip(&whole.frames) {
        let nodes: Vec<&Node> = whole.nodes.iter().filter(|node| node.frame == index).collect();
        let rects: Vec<Rect> = nodes.iter().map(|node| node.rect).collect();
        assert!(rects.iter().all(|rect| contains(frame.rect, *rect)));
        check_disjoint(&rects);
        if let Some((caller, site)) = frame.caller {
            let is_caller = |node: &&Node| node.frame == caller && node.id == site.instruction;
            let node = whole.nodes.iter().find(is_caller).unwrap();
            assert!(contains(node.rect, frame.rect));
        }
        // Every instruction is a node or attached, and every use is drawn in one of the ways.
        let body = drawing.module.get(frame.computation).unwrap();
        let by_id: BTreeMap<InstructionId, &Node> = nodes.iter().map(|node| (node.id, *node)).collect();
        let segments: Vec<&Segment> = whole.segments.iter().filter(|s| s.frame == index).collect();
        let routed: BTreeSet<_> = segments.iter().filter_map(|s| s.to.map(|to| (s.from, to))).collect();
        let mut far_users: BTreeMap<InstructionId, usize> = BTreeMap::new();
        for node in &nodes {
            let attached: BTreeSet<u32> = node.attached.iter().map(|a| a.number).collect();
            let (mut far, mut more_attached) = (0, 0);
            for (index, operand) in (0..).zip(&body.get(node.id).unwrap().operands) {
                if routed.contains(&(*operand, (node.id, index))) {
                    let from = by_id[operand].rect;
                    assert!(from.y + from.height <= node.rect.y, "an edge points up");
                } else if by_id.contains_key(operand) {
                    far += 1;
                    *far_users.entry(*operand).or_insert(0) += 1;
                } else if !attached.contains(&index) {
                    more_attached += 1;
                }
            }
            assert_eq!(node.far_operands.len() + node.more_operands, far);
            assert_eq!(node.more_attached, more_attached);
        }
        for node in &nodes {
            assert_eq!(node.more_users, far_users.get(&node.id).copied().unwrap_or(0));
        }
        for segment in segments {
            assert!(segment.points.windows(2).all(|pair| pair[0].y < pair[1].y), "{segment:?}");
            let end = segment.points.last().unwrap();
            if let Some((user, _)) = segment.to {
                let rect = by_id[&user].rect;
                assert!(end.y == rect.y && (rect.x..=rect.x + rect.width).contains(&end.x));
            }
        }
    }
    whole
}

fn random_folds(calls: &CallGraph, random: &mut Random) -> Folds {
    let mut folds = Folds::all_folded();
    for call in calls.calls() {
        folds.set_open(Group::Call(call.site), random.one_in(2));
    }
    folds
}

/// A view without the indices of frames, which depend on what is visible.
fn plain(view: &View) -> (Vec<String>, Vec<String>, Vec<String>) {
    let path = |mut frame: u32| {
        let mut path = Vec::new();
        while let Some((caller, site)) = view.frames[frame as usize].caller {
            path.push(site);
            frame = caller;
        }
        path
    };
    let mut frames: Vec<_> =
        (0..).zip(&view.frames).map(|(i, f)| format!("{:?} {:?}", path(i), f.rect)).collect();
    let node = |n: &Node| format!("{:?} {:?}", path(n.frame), Node { frame: 0, ..n.clone() });
    let mut nodes: Vec<_> = view.nodes.iter().map(node).collect();
    let segment = |s: &Segment| format!("{:?} {:?}", path(s.frame), Segment { frame: 0, ..s.clone() });
    let mut segments: Vec<_> = view.segments.iter().map(segment).collect();
    frames.sort();
    nodes.sort();
    segments.sort();
    (frames, nodes, segments)
}

fn bounds(segment: &Segment) -> Rect {
    let xs = segment.points.iter().map(|p| p.x);
    let ys = segment.points.iter().map(|p| p.y);
    let (x, y) = (xs.clone().min().unwrap(), ys.clone().min().unwrap());
    Rect { x, y, width: xs.max().unwrap() - x, height: ys.max().unwrap() - y }
}

#[test]
fn drawings_of_random_modules_are_valid_and_windows_equal_a_filter() {
    let mut random = Random::new(5);
    let (mut frame_count, mut attached) = (0, 0);
    for module in modules::samples() {
        let calls = CallGraph::new(&module);
        let folds = random_folds(&calls, &mut random);
        let drawing = Drawing::new(module, folds);
        if drawing.whole().nodes.len() > 1_500 {
            continue;
        }
        let whole = check(&drawing);
        frame_count += whole.frames.len();
        attached += whole.nodes.iter().map(|node| node.attached.len()).sum::<usize>();
        let (width, height) = drawing.graph.size();
        let size = |all: i32| usize::try_from(all).unwrap();
        for _ in 0..8 {
            let mut at = |all: i32| i32::try_from(random.below(size(all))).unwrap();
            let window = Rect { x: at(width), y: at(height), width: at(width) / 2, height: at(height) / 2 };
            let mut expected = whole.clone();
            expected.nodes.retain(|node| node.rect.intersects(window));
            expected.segments.retain(|segment| bounds(segment).intersects(window));
            // The whole is always listed.
            let is_visible =
                |frame: &u32| *frame == 0 || whole.frames[*frame as usize].rect.intersects(window);
            let visible: Vec<u32> = (0..).take(whole.frames.len()).filter(is_visible).collect();
            let found = plain(&drawing.view(window));
            let (frames, nodes, segments) = plain(&expected);
            assert_eq!((&found.1, &found.2), (&nodes, &segments));
            assert_eq!(found.0.len(), visible.len());
            assert!(found.0.iter().all(|frame| frames.contains(frame)));
        }
        assert_eq!(drawing.whole(), Drawing::new(drawing.module.clone(), drawing.folds.clone()).whole());
    }
    assert!(frame_count > 150 && attached > 50, "{frame_count} {attached}");
}

#[test]
fn large_and_adversarial_modules_are_drawn_within_bounds() {
    let fold = Folds::all_folded;
    let mut random = Random::new(9);
    let modules = [
        modules::layers(50_000, 20),
        modules::layers(10_000, 1_000),
        modules::chain(10_000),
        modules::star(10_000),
        modules::long_edges(10_000),
        modules::random(11, 1, 3_000),
        modules::fusions(4_000, 10),
    ];
    for module in modules {
        let drawing = Drawing::new(module, fold());
        let instructions = drawing.module.entry_computation().unwrap().instructions.len();
        let whole = check(&drawing);
        let uses: usize =
            drawing.module.entry_computation().unwrap().instructions.iter().map(|i| i.operands.len()).sum();
        // A segment per use, and at most 20,000 and four per instruction for those that pass ranks.
        assert!(whole.segments.len() <= uses + 20_000 + 4 * instructions);
        let (width, height) = drawing.graph.size();
        for _ in 0..6 {
            let x = i32::try_from(random.below(usize::try_from(width).unwrap())).unwrap();
            let y = i32::try_from(random.below(usize::try_from(height).unwrap())).unwrap();
            let window = Rect { x, y, width: 1_500, height: 900 };
            let part = drawing.view(window);
            let nodes = whole.nodes.iter().filter(|node| node.rect.intersects(window));
            assert!(part.nodes.iter().eq(nodes));
            let segments = whole.segments.iter().filter(|segment| bounds(segment).intersects(window));
            assert!(part.segments.iter().eq(segments));
        }
    }
}

#[test]
fn deeply_nested_and_doubling_groups_are_bounded() {
    let drawing = Drawing::new(modules::nested(10_000, 1), Folds::all_open());
    let whole = drawing.whole();
    assert_eq!((whole.frames.len(), whole.nodes.len()), (10_001, 20_002));
    // 2^40 frames: the largest are drawn folded, and a window is cut off.
    let drawing = Drawing::new(modules::nested(40, 2), Folds::all_open());
    assert!(drawing.graph.has_oversized_groups());
    let (width, height) = drawing.graph.size();
    let source = Source { module: &drawing.module, calls: &drawing.calls, folds: &drawing.folds };
    let part = view(&drawing.graph, source, Rect { x: 0, y: 0, width, height }, 500);
    assert!(part.is_truncated || part.nodes.len() < 500);
    assert!(part.nodes.len() <= 500 && part.frames.len() <= 501);
}

#[test]
fn constants_are_attached_to_their_users() {
    let module = modules::module(
        "HloModule m ENTRY e {
          x = f32[4]{0} parameter(0)
          zero = f32[] constant(0)
          zeros = f32[4]{0} broadcast(zero), dimensions={}
          large = f32[64]{0} iota(), iota_dimension=0
          b = f32[64]{0} negate(large)
          m = f32[4]{0} maximum(x, zeros)
          ROOT n = f32[4]{0} minimum(m, zeros)
        }",
    );
    let drawing = Drawing::new(module, Folds::all_folded());
    let whole = check(&drawing);
    let names: BTreeSet<&str> = whole.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["x", "large", "b", "m", "n"]));
    let attached = |name| {
        let node = whole.nodes.iter().find(|node| node.name == name).unwrap();
        node.attached.iter().map(|a| (a.number, a.label.clone())).collect::<Vec<_>>()
    };
    assert_eq!(attached("m"), [(1, "broadcast(0)".to_owned())]);
    assert_eq!(attached("n"), [(1, "broadcast(0)".to_owned())]);
    let id = |name| drawing.module.entry_computation().unwrap().find(name).unwrap();
    let rect = |name| whole.nodes.iter().find(|node| node.name == name).unwrap().rect;
    assert_eq!(drawing.graph.rect_of(&[], id("zeros")), Some(rect("m")));
    assert_eq!(drawing.graph.rect_of(&[], id("b")), Some(rect("b")));
    assert_eq!(drawing.graph.rect_of(&[], InstructionId(99)), None);
}

#[test]
fn boxes_of_nested_instructions_are_found_by_their_path() {
    let drawing = Drawing::new(modules::nested(4, 2), Folds::all_open());
    let whole = check(&drawing);
    let mut found = 0;
    for node in &whole.nodes {
        let (mut path, mut frame) = (Vec::new(), node.frame);
        while let Some((caller, site)) = whole.frames[frame as usize].caller {
            path.push(site);
            frame = caller;
        }
        path.reverse();
        assert_eq!(drawing.graph.rect_of(&path, node.id), Some(node.rect));
        found += 1;
        if let [_, rest @ ..] = &path[..] {
            assert_eq!(drawing.graph.rect_of(rest, node.id).filter(|rect| *rect == node.rect), None);
        }
    }
    assert_eq!(found, 2 + 3 * (1 + 2 + 4) + 2 * 8);
}

#[test]
fn a_neighbourhood_is_drawn_with_its_markers() {
    let module = modules::layers(2_000, 20);
    let calls = CallGraph::new(&module);
    let entry = module.entry.unwrap();
    let computation = module.get(entry).unwrap();
    let users = Users::new(computation);
    let center = InstructionId(1_010);
    let around = Neighbourhood::new(computation, &users, center, Reach::default()).unwrap();
    let folds = Folds::all_folded();
    let graph = Graph::from_neighbourhood(&module, &calls, entry, &around, &folds);
    let (width, height) = graph.size();
    let source = Source { module: &module, calls: &calls, folds: &folds };
    let view = view(&graph, source, Rect { x: 0, y: 0, width, height }, 1_000);
    assert_eq!(view.nodes.len(), around.instructions.len());
    for neighbour in &around.instructions {
        let node = view.nodes.iter().find(|node| node.id == neighbour.id).unwrap();
        assert_eq!((node.more_operands, node.more_users), (neighbour.more_operands, neighbour.more_users));
    }
    let edges: usize = view.segments.iter().filter(|segment| segment.to.is_some()).count();
    assert_eq!(edges, around.edges.len());
}

#[test]
fn a_small_edit_moves_little() {
    // An instruction is inserted in the middle of a drawing of 600 nodes.
    let text = |extra: &str| {
        let mut text = "HloModule m\nENTRY e {\n".to_owned();
        let mut random = Random::new(13);
        for i in 0..600_usize {
            if i < 12 {
                let _ = writeln!(text, "v{i} = f32[8]{{0}} parameter({i})");
                continue;
            }
            let mut operand = || (i - 12).saturating_sub(4) / 12 * 12 + (i + random.below(3)) % 12;
            let (a, b) = (operand().min(i - 1), operand().min(i - 1));
            let _ = writeln!(text, "v{i} = f32[8]{{0}} add(v{a}, v{b})");
            if i == 300 {
                text += extra;
            }
        }
        text + "}\n"
    };
    let positions = |extra: &str| -> BTreeMap<String, Rect> {
        let drawing = Drawing::new(modules::module(&text(extra)), Folds::all_folded());
        drawing.whole().nodes.into_iter().map(|node| (node.name, node.rect)).collect()
    };
    let (before, after) = (positions(""), positions("extra = f32[8]{0} negate(v300)\n"));
    assert_eq!(after.len(), before.len() + 1);
    let same_rank = before.iter().filter(|(name, rect)| after[*name].y == rect.y).count();
    assert_eq!(same_rank, before.len());
    let near = before.iter().filter(|(name, rect)| (after[*name].x - rect.x).abs() <= 400).count();
    assert!(near * 10 >= before.len() * 9, "{near} of {}", before.len());
}

#[test]
fn densities_count_every_node_once() {
    let drawing = Drawing::new(modules::layers(3_000, 30), Folds::all_folded());
    for (columns, rows) in [(1, 1), (7, 40), (2_000, 0)] {
        let density = Density::new(&drawing.graph, columns, rows);
        assert_eq!(density.counts.iter().sum::<u32>(), 3_000);
        assert_eq!(density.counts.len(), density.columns as usize * density.rows as usize);
        let extents = density.extents.iter().zip(&density.counts);
        assert!(extents.clone().all(|(extent, count)| extent.is_some() == (*count > 0)));
    }
}
