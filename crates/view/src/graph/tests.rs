use super::parts::{BACK_EDGE_DROP, bottom_middle};
use super::*;
use std::fmt::Write as _;

fn module(text: &str) -> Module {
    let parsed = xla_hlo::parse(text);
    assert!(parsed.error().is_none(), "{:?}", parsed.diagnostics);
    parsed.module
}

fn graph(text: &str) -> Option<Graph> {
    let module = module(text);
    let root = module.entry_computation().unwrap().root.unwrap();
    Graph::new(&module, root)
}

fn node<'a>(subgraph: &'a Subgraph, name: &str) -> &'a Node {
    subgraph.nodes.iter().find(|node| node.name == name).unwrap_or_else(|| panic!("no node {name}"))
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

fn contains(outer: Rect, inner: Rect) -> bool {
    let ends = |f: Rect| (f.x + f.width, f.y + f.height);
    let (outer_end, inner_end) = (ends(outer), ends(inner));
    outer.x <= inner.x && outer.y <= inner.y && inner_end.0 <= outer_end.0 && inner_end.1 <= outer_end.1
}

/// Checks that nothing overlaps, that everything is inside its container, and that edges point down to their users.
fn check(subgraph: &Subgraph, outer: Rect) {
    for (i, node) in subgraph.nodes.iter().enumerate() {
        assert!(contains(outer, node.rect), "{} is outside", node.name);
        assert!(contains(node.rect, node.label_rect));
        for other in &subgraph.nodes[..i] {
            assert!(!overlap(node.rect, other.rect), "{} overlaps {}", node.name, other.name);
        }
        for (j, called) in node.called.iter().enumerate() {
            assert!(contains(node.rect, called.rect) && !overlap(node.label_rect, called.rect));
            assert!(node.called[..j].iter().all(|other| !overlap(other.rect, called.rect)));
            check(&called.subgraph, called.rect);
        }
    }
    for edge in &subgraph.edges {
        assert!(edge.points.windows(2).all(|pair| pair[0].y < pair[1].y), "{edge:?}");
        let end = edge.end().unwrap();
        assert!(subgraph.nodes.iter().any(|node| {
            node.rect.y == end.y && (node.rect.x..node.rect.x + node.rect.width).contains(&end.x)
        }));
    }
}

fn check_all(graph: &Graph) {
    check(&graph.entry, Rect { x: 0, y: 0, width: graph.width, height: graph.height });
}

const LOOP: &str = "HloModule m
below { a = s32[] parameter(0) ten = s32[] constant(10) ROOT c = pred[] compare(a, ten), direction=LT }
step { b = s32[] parameter(0) one = s32[] constant(1) ROOT d = s32[] add(b, one) }
ENTRY e { n = s32[] parameter(0) ROOT w = s32[] while(n), body=step, condition=below }";

#[test]
fn a_chain_that_calls_nothing_has_no_graph() {
    let chain = "x = f32[2] parameter(0) one = f32[2] constant({1, 1}) y = f32[2] add(x, one)
        z = f32[2] multiply(y, y) ROOT r = f32[2] negate(z)";
    assert_eq!(graph(&format!("HloModule m ENTRY e {{ {chain} }}")), None);
    // Two instructions use the same value, or one uses a value other than the previous one.
    let branch = chain.replace("negate(z)", "subtract(z, y)");
    assert!(graph(&format!("HloModule m ENTRY e {{ {branch} }}")).is_some());
    let unused = chain.replace("multiply(y, y)", "multiply(x, x)");
    assert!(graph(&format!("HloModule m ENTRY e {{ {unused} }}")).is_some());
}

#[test]
fn operands_are_in_their_order_above_their_users() {
    for (first, second) in [("a", "b"), ("b", "a")] {
        let text = format!(
            "HloModule m ENTRY e {{ x = f32[2] parameter(0) a = f32[2] negate(x) b = f32[2] abs(x)
            ROOT s = f32[2] subtract({first}, {second}) }}"
        );
        let graph = graph(&text).unwrap();
        check_all(&graph);
        let [x, s] = ["x", "s"].map(|name| node(&graph.entry, name));
        let [first, second] = [first, second].map(|name| node(&graph.entry, name));
        assert!(first.rect.x < second.rect.x && first.rect.y == second.rect.y, "{text}");
        assert!(x.rect.y < first.rect.y && first.rect.y < s.rect.y);
        let ends: Vec<(Option<usize>, i32)> = graph
            .entry
            .edges
            .iter()
            .filter(|edge| edge.end().unwrap().y == s.rect.y)
            .map(|edge| (edge.operand_index, edge.end().unwrap().x))
            .collect();
        assert_eq!(ends.iter().map(|end| end.0).collect::<Vec<_>>(), [Some(0), Some(1)]);
        assert!(ends[0].1 < ends[1].1, "the first operand is on the left");
        let sides: Vec<bool> = graph.entry.edges.iter().map(Edge::is_from_right).collect();
        assert!(sides.contains(&true) && sides.contains(&false), "{sides:?}");
        assert!(s.is_root && s.operands.len() == 2);
    }
}

#[test]
fn a_loop_has_its_condition_its_body_and_the_back_edge() {
    let graph = graph(LOOP).unwrap();
    check_all(&graph);
    let w = node(&graph.entry, "w");
    let labels: Vec<String> = w.called.iter().map(CalledComputation::label).collect();
    assert_eq!(labels, ["condition: below", "body: step"]);
    let [condition, body] = [0, 1].map(|i| w.called[i].rect);
    let arrows = w.loop_arrows.as_ref().unwrap();
    assert_eq!((arrows.condition, arrows.body), (condition, body));
    let [enter, back] = arrows.paths();
    assert!(enter.starts_with(&format!("M{} ", condition.x + condition.width)), "{enter}");
    assert!(enter.contains(&format!("H{}M", body.x)), "{enter}");
    let low = bottom_middle(body).y.max(bottom_middle(condition).y) + BACK_EDGE_DROP;
    assert!(
        back.starts_with(&format!("M{} {}V{low}", bottom_middle(body).x, bottom_middle(body).y)),
        "{back}"
    );
    assert!(low < w.rect.y + w.rect.height && graph.has_loop());
    assert_eq!(node(&w.called[1].subgraph, "d").operands, ["b", "one"]);
    // A call of a computation of the same shape is not a loop.
    let call = LOOP.replace("while(n), body=step, condition=below", "call(n), to_apply=step");
    let call = self::graph(&call).unwrap();
    assert!(!call.has_loop());
    assert_eq!(node(&call.entry, "w").called[0].label(), "to_apply: step");
}

#[test]
fn branches_are_numbered_and_bodies_without_a_name_have_their_attribute() {
    let branches: String = (0..8).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "b{i} {{ x = f32[] parameter(0) ROOT r = f32[] negate(x) }}");
        text
    });
    let names = (0..8).map(|i| format!("b{i}")).collect::<Vec<_>>().join(", ");
    let values = ["x"; 8].join(", ");
    let text = format!(
        "HloModule m\n{branches} ENTRY e {{ i = s32[] parameter(0) x = f32[] parameter(1)
        ROOT c = f32[] conditional(i, {values}), branch_computations={{{names}}} }}"
    );
    let graph = graph(&text).unwrap();
    check_all(&graph);
    let c = node(&graph.entry, "c");
    assert_eq!((c.called.len(), c.hidden_computations), (MAX_CALLED, 8 - MAX_CALLED));
    assert_eq!(c.called[2].label(), "branch_computations[2]: b2");
    let map = self::graph(
        "HloModule m ENTRY e { x = f32[3] parameter(0)
        ROOT r = f32[3] map(x), dimensions={0}, to_apply={ a = f32[] parameter(0) ROOT s = f32[] multiply(a, a) } }",
    );
    assert_eq!(map.unwrap().entry.nodes[1].called[0].label(), "to_apply");
}

#[test]
fn a_large_program_shows_the_part_around_the_selected_instruction() {
    let mut text = "HloModule m ENTRY e {\n x0 = f32[] parameter(0)\n x1 = f32[] negate(x0)\n".to_owned();
    for i in 2..5_000 {
        let _ = writeln!(text, "x{i} = f32[] add(x{}, x{})", i - 1, i / 2);
    }
    text += "ROOT r = f32[] negate(x4999) }";
    let module = module(&text);
    for at in [0, 2_500, 5_000] {
        let graph = Graph::new(&module, InstructionId(at)).unwrap();
        check_all(&graph);
        let subgraph = &graph.entry;
        assert_eq!((subgraph.nodes.len(), subgraph.instruction_count), (MAX_ENTRY_NODES, 5_001));
        assert!(subgraph.nodes.iter().any(|node| node.id == InstructionId(at)));
        // Operands that are not drawn have stubs; the first part has all operands.
        assert_eq!(subgraph.edges.iter().any(|edge| edge.is_operand_hidden), at > 0);
    }
}

fn count(subgraph: &Subgraph) -> usize {
    let called = subgraph.nodes.iter().flat_map(|node| &node.called);
    subgraph.nodes.len() + called.map(|called| count(&called.subgraph)).sum::<usize>()
}

#[test]
fn nested_programs_are_bounded_too() {
    // Every computation calls the previous one twice.
    let mut text = "HloModule m\nf0 { x = f32[] parameter(0) ROOT r = f32[] negate(x) }\n".to_owned();
    for i in 1..12 {
        let _ = writeln!(
            text,
            "f{i} {{ x = f32[] parameter(0) y = f32[] call(x), to_apply=f{} ROOT z = f32[] call(y), to_apply=f{} }}",
            i - 1,
            i - 1
        );
    }
    text += "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=f11 }";
    let graph = graph(&text).unwrap();
    check_all(&graph);
    assert!(count(&graph.entry) <= MAX_NODES);
}
