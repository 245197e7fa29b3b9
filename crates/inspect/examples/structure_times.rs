//! Prints how long the structure of large generated modules takes: `cargo run --release -p xla-inspect --example
//! structure_times`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a measurement may panic")]

#[path = "../tests/structure/modules.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod modules;

use std::time::Instant;

use xla_hlo::{InstructionId, Module};
use xla_inspect::calls::CallGraph;
use xla_inspect::flow::{Flow, Neighbourhood, Reach};
use xla_inspect::graph::view::{Source, view};
use xla_inspect::graph::{Graph, Rect};
use xla_inspect::outline::{Folds, Outline, Unfolded};
use xla_inspect::search::{Query, Search, SearchIndex};

/// The number of instructions of each module.
const COUNT: usize = 50_000;
/// The number of runs of which the shortest counts.
const REPEATS: usize = 5;

/// The result of `run`, and the shortest of its durations in milliseconds: other programs disturb the others.
fn timed<R>(run: impl Fn() -> R) -> (R, f64) {
    let mut shortest = f64::INFINITY;
    let mut result = None;
    for _ in 0..REPEATS {
        let start = Instant::now();
        result = Some(run());
        shortest = shortest.min(start.elapsed().as_secs_f64() * 1e3);
    }
    (result.unwrap(), shortest)
}

fn measure(name: &str, module: &Module) {
    let (outline, outline_time) = timed(|| Outline::new(module));
    let folds = Folds::all_open();
    let (rows, page_time) = timed(|| {
        let unfolded = Unfolded::new(&outline, &folds);
        unfolded.page(module, unfolded.total() / 2, 60).rows.len()
    });
    let (flow, flow_time) = timed(|| Flow::new(module));
    let entry = module.entry.unwrap();
    let computation = module.get(entry).unwrap();
    let center = InstructionId(u32::try_from(computation.instructions.len() / 2).unwrap());
    let users = flow.computation_users(entry).unwrap();
    let (around, around_time) = timed(|| {
        Neighbourhood::new(computation, users, center, Reach::default()).unwrap().instructions.len()
    });
    let calls = CallGraph::new(module);
    let (graph, graph_time) = timed(|| Graph::new(module, &calls, entry, &folds));
    let (width, height) = graph.size();
    let window = Rect { x: width / 2, y: height / 2, width: 1_600, height: 1_000 };
    let source = Source { module, calls: &calls, folds: &folds };
    let (visible, view_time) = timed(|| view(&graph, source, window, 2_000));
    let (index, index_time) = timed(|| SearchIndex::new(module));
    let (hits, search_time) = timed(|| {
        let mut search = Search::new(&index, Query::parse("f32[ v4"));
        search.advance(usize::MAX);
        search.hits(module, 0, 50);
        search.count()
    });
    println!(
        "{name:>10}: outline {outline_time:.1} ms, page of {rows} {page_time:.2} ms, flow {flow_time:.1} ms, \
         neighbourhood of {around} {around_time:.2} ms, graph {graph_time:.0} ms ({} nodes, {width} x {height} px, {} \
         stubs), view of {} nodes and {} segments {view_time:.2} ms, index {index_time:.0} ms, search \
         of {hits} {search_time:.1} ms",
        graph.node_count(),
        graph.stub_count(),
        visible.nodes.len(),
        visible.segments.len(),
    );
}

fn main() {
    measure("layers 20", &modules::layers(COUNT, 20));
    measure("layers 1k", &modules::layers(COUNT, 1_000));
    measure("chain", &modules::chain(COUNT));
    measure("star", &modules::star(COUNT));
    measure("long edges", &modules::long_edges(COUNT));
    measure("random", &modules::random(11, 1, COUNT));
    measure("fusions", &modules::fusions(COUNT / 11, 10));
    measure("nested", &modules::nested(10_000, 1));
}
