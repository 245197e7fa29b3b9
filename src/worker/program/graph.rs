//! The graph view: one drawing at a time, laid out in steps, so that other queries need not wait for a large one.
//!
//! A drawing is of one computation; bodies are opened in place, or drawn alone. The newest drawings are kept, since the
//! breadcrumb leads back to them.

use super::graph_window::{area, window};
use super::ids::{reference, site};
use super::loaded::Loaded;
use super::wire::graph::{Answer, Drawing, Query};
use super::wire::{Call, InstructionPath};
use crate::hlo::InstructionId;
use crate::inspect::calls::CallSite;
use crate::inspect::graph::view::Source;
use crate::inspect::graph::{Builder, Graph};
use crate::inspect::outline::{Folds, Group};
use crate::ops::ComputationId;

/// Nodes and edges that one step of a layout visits: about 100 ms on a slow machine.
const STEP_ITEMS: usize = 150_000;

/// Maximum nodes of a drawing in which a body is opened to show an instruction of it; in a larger one the body is drawn
/// alone.
const MAX_NODES_TO_OPEN: usize = 1_500;

/// Maximum drawings that are kept.
const MAX_KEPT: usize = 3;

/// A finished drawing.
struct Drawn {
    computation: ComputationId,
    folds: Folds,
    version: u32,
    graph: Graph,
}

/// An instruction to show: the calls that lead to it from the drawn computation, and its id.
type Target = (Vec<CallSite>, InstructionId);

/// The state of the view.
#[derive(Default)]
pub struct State {
    /// The open bodies.
    folds: Folds,
    /// The calls that lead to the drawn computation.
    path: Vec<CallSite>,
    /// The drawn computation; `None` before the first query.
    computation: Option<ComputationId>,
    /// The version of the newest layout.
    version: u32,
    /// The layout of the drawing that is not finished.
    builder: Option<Builder>,
    /// The finished drawings, the newest last.
    drawn: Vec<Drawn>,
    /// The instruction that the drawing must show.
    target: Option<Target>,
}

impl State {
    /// Answers a query.
    pub fn answer(&mut self, loaded: Loaded<'_>, query: Query) -> Answer {
        match query {
            Query::Show(selected) => self.show(loaded, &selected),
            Query::Enter(path) => self.enter(loaded, &path),
            Query::Fold { call, is_open } => {
                self.folds.set_open(Group::Call(site(call)), is_open);
                self.target = Some((self.path_below(loaded, call), site(call).instruction));
                self.restart(loaded);
            }
            Query::FoldAll => {
                self.folds = Folds::all_folded();
                self.restart(loaded);
            }
            Query::Continue => {}
            Query::Window { version, area, cells } => {
                let found = self.drawn.iter().find(|drawn| drawn.version == version);
                let source = |folds| Source { module: loaded.module, calls: loaded.outline.calls(), folds };
                let found = found.map(|drawn| window(&drawn.graph, source(&drawn.folds), area, cells));
                // The page asks again for a drawing that it no longer has.
                let mut found = found.unwrap_or_default();
                (found.version, found.area) = (version, area);
                return Answer::Window(Box::new(found));
            }
        }
        self.advance(loaded)
    }

    /// The calls that lead from the drawn computation to that of a call, as far as they are known from open bodies.
    fn path_below(&self, loaded: Loaded<'_>, call: Call) -> Vec<CallSite> {
        let path = loaded.path(&InstructionPath { at: call.at, calls: Vec::new() });
        path.strip_prefix(&self.path[..]).map(<[CallSite]>::to_vec).unwrap_or_default()
    }

    fn drawing(&self) -> Option<&Drawn> {
        let computation = self.computation?;
        self.drawn.iter().find(|drawn| drawn.computation == computation && drawn.folds == self.folds)
    }

    fn show(&mut self, loaded: Loaded<'_>, selected: &InstructionPath) {
        let (computation, instruction) = reference(selected.at);
        let path = loaded.path(selected);
        if self.computation.is_none() {
            let entry = loaded.module.entry.filter(|_| !path.is_empty());
            self.computation = Some(entry.unwrap_or(computation));
        }
        let root = self.computation;
        let below = path.strip_prefix(&self.path[..]).filter(|below| match below.first() {
            Some(first) => Some(first.caller) == root,
            None => Some(computation) == root,
        });
        if let Some(below) = below {
            let closed = below.iter().copied().map(Group::Call).filter(|group| !self.folds.is_open(*group));
            let closed: Vec<Group> = closed.collect();
            let size = |id: ComputationId| loaded.module.get(id).map_or(0, |c| c.instructions.len());
            let drawn = self.drawing().map_or_else(|| root.map_or(0, size), |d| d.graph.node_count());
            if closed.is_empty() || drawn + size(computation) <= MAX_NODES_TO_OPEN {
                for group in &closed {
                    self.folds.set_open(*group, true);
                }
                self.target = Some((below.to_vec(), instruction));
                if !closed.is_empty() || self.drawing().is_none() {
                    self.restart(loaded);
                }
                return;
            }
        }
        (self.path, self.computation) = (path, Some(computation));
        self.target = Some((Vec::new(), instruction));
        self.restart(loaded);
    }

    fn enter(&mut self, loaded: Loaded<'_>, path: &[Call]) {
        let path: Vec<CallSite> = path.iter().copied().map(site).collect();
        let calls = loaded.outline.calls();
        let callee = match path.last() {
            Some(last) => calls.get(*last).map(|call| call.callee),
            None => loaded.module.entry,
        };
        if let Some(callee) = callee.filter(|_| path.is_empty() || calls.is_path(&path)) {
            // Back at a caller, the call is shown; in a body, its result.
            let from = self.path.strip_prefix(&path[..]).and_then(|below| below.first());
            let root = loaded.module.get(callee).and_then(|body| body.root);
            self.target = from.map(|from| from.instruction).or(root).map(|id| (Vec::new(), id));
            (self.path, self.computation) = (path, Some(callee));
            self.restart(loaded);
        }
    }

    /// Starts the layout of the drawing, unless it is kept.
    fn restart(&mut self, loaded: Loaded<'_>) {
        self.builder = None;
        let Some(computation) = self.computation else { return };
        let kept = |drawn: &Drawn| drawn.computation == computation && drawn.folds == self.folds;
        if let Some(at) = self.drawn.iter().position(kept) {
            let newest = self.drawn.remove(at);
            self.drawn.push(newest);
            return;
        }
        let source = Source { module: loaded.module, calls: loaded.outline.calls(), folds: &self.folds };
        self.builder = Some(Builder::new(source, computation));
    }

    /// Continues the layout; describes the drawing once it is finished.
    fn advance(&mut self, loaded: Loaded<'_>) -> Answer {
        if let (Some(mut builder), Some(computation)) = (self.builder.take(), self.computation) {
            let source = Source { module: loaded.module, calls: loaded.outline.calls(), folds: &self.folds };
            if !builder.advance(source, STEP_ITEMS) {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
                let percent = (builder.progress() * 100.0) as u32;
                self.builder = Some(builder);
                return Answer::LayingOut(percent);
            }
            self.version = self.version.wrapping_add(1);
            let (folds, version) = (self.folds.clone(), self.version);
            self.drawn.push(Drawn { computation, folds, version, graph: builder.into_graph() });
            let excess = self.drawn.len().saturating_sub(MAX_KEPT);
            self.drawn.drain(..excess);
        }
        let target = self.drawing().and_then(|drawn| {
            let (path, instruction) = self.target.as_ref()?;
            drawn.graph.rect_of(path, *instruction).map(area)
        });
        Answer::Drawn(Box::new(self.described(loaded)), target)
    }

    fn described(&self, loaded: Loaded<'_>) -> Drawing {
        let Some(drawn) = self.drawing() else { return Drawing::default() };
        let body = loaded.module.get(drawn.computation);
        Drawing {
            version: drawn.version,
            computation: drawn.computation.0,
            name: body.map(|body| body.name.clone()).unwrap_or_default(),
            path: loaded.crumbs(&self.path),
            size: drawn.graph.size(),
            nodes: drawn.graph.node_count(),
            has_open: drawn.folds != Folds::all_folded(),
            has_oversized: drawn.graph.has_oversized_groups(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::queries::Program;
    use super::super::wire::graph::{self, Area};
    use super::super::wire::{self, InstructionKey};
    use super::*;
    use crate::i18n::Language;

    const SCAN: &str = include_str!("../../../static/programs/scan.hlo");

    fn ask(program: &mut Program, query: Query) -> Answer {
        match program.answer(wire::Query::Graph(query)) {
            wire::Answer::Graph(answer) => answer,
            other => panic!("an answer of another kind: {other:?}"),
        }
    }

    /// The finished drawing after a query, and the box of its target.
    fn drawn(program: &mut Program, query: Query) -> (Drawing, Option<Area>) {
        let mut answer = ask(program, query);
        while let Answer::LayingOut(percent) = answer {
            assert!(percent <= 100);
            answer = ask(program, Query::Continue);
        }
        match answer {
            Answer::Drawn(drawing, target) => (*drawing, target),
            other => panic!("no drawing: {other:?}"),
        }
    }

    fn window_of(program: &mut Program, drawing: &Drawing, area: Area) -> graph::Window {
        let query = Query::Window { version: drawing.version, area, cells: (8, 8) };
        match ask(program, query) {
            Answer::Window(window) => *window,
            other => panic!("no window: {other:?}"),
        }
    }

    fn whole(drawing: &Drawing) -> Area {
        Area { x: 0, y: 0, width: drawing.size.0, height: drawing.size.1 }
    }

    fn opened(text: &str) -> (Program, InstructionKey) {
        let (program, opened) = Program::open(text.to_owned(), Language::ENGLISH);
        (program, opened.root.unwrap())
    }

    #[test]
    fn a_body_is_opened_in_place_and_drawn_alone() {
        let (mut program, root) = opened(SCAN);
        let (entry, target) =
            drawn(&mut program, Query::Show(InstructionPath { at: root, calls: Vec::new() }));
        let window = window_of(&mut program, &entry, whole(&entry));
        assert!(window.nodes.len() > 3 && window.segments.len() > 3 && window.overview.is_none());
        assert_eq!(window.nodes.iter().find(|node| node.is_root).map(|node| node.area), target);
        let body = window.nodes.iter().flat_map(|node| &node.bodies).max_by_key(|body| body.size).unwrap();
        let query = Query::Fold { call: body.call, is_open: true };
        let (open, target) = drawn(&mut program, query);
        assert!(open.version != entry.version && open.nodes > entry.nodes && target.is_some());
        let inner = window_of(&mut program, &open, whole(&open));
        let frame = inner.frames.iter().position(|frame| frame.computation == body.computation).unwrap();
        assert_eq!(inner.path_of(u32::try_from(frame).unwrap()), [body.call]);
        // Alone.
        let (alone, _) = drawn(&mut program, Query::Enter(vec![body.call]));
        assert_eq!((alone.computation, alone.path.len()), (body.computation, 1));
        // Back at the caller, which is kept as it was.
        let (back, target) = drawn(&mut program, Query::Enter(Vec::new()));
        assert_eq!((back.version, target.is_some()), (open.version, true));
        // What an earlier version showed is gone with its folds only.
        let (folded, _) = drawn(&mut program, Query::FoldAll);
        assert_eq!(folded.version, entry.version);
    }

    #[test]
    fn an_instruction_of_a_body_is_shown_in_its_caller_or_alone_if_that_is_large() {
        let (mut program, root) = opened(SCAN);
        let (entry, _) = drawn(&mut program, Query::Show(InstructionPath { at: root, calls: Vec::new() }));
        let window = window_of(&mut program, &entry, whole(&entry));
        let body = window.nodes.iter().flat_map(|node| &node.bodies).max_by_key(|body| body.size).unwrap();
        let inner = InstructionKey { computation: body.computation, instruction: 1 };
        let (open, target) =
            drawn(&mut program, Query::Show(InstructionPath { at: inner, calls: Vec::new() }));
        assert_eq!((open.computation, open.has_open, target.is_some()), (entry.computation, true, true));

        let mut text = String::from(
            "HloModule m\nb {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\nENTRY e {\n  x0 = f32[] parameter(0)\n",
        );
        for number in 1..3_000 {
            let op = if number == 1_500 { "call" } else { "negate" };
            let to_apply = if number == 1_500 { ", to_apply=b" } else { "" };
            let root = if number == 2_999 { "ROOT " } else { "" };
            let _ = writeln!(text, "  {root}x{number} = f32[] {op}(x{}){to_apply}", number - 1);
        }
        text.push_str("}\n");
        let (mut program, root) = opened(&text);
        let (entry, _) = drawn(&mut program, Query::Show(InstructionPath { at: root, calls: Vec::new() }));
        // Too many nodes for a picture: an overview.
        let window = window_of(&mut program, &entry, whole(&entry));
        let overview = window.overview.unwrap();
        assert_eq!(overview.cells.iter().map(|(count, _)| *count).sum::<u32>(), 3_000);
        assert!(window.nodes.is_empty());
        let inner = InstructionKey { computation: 0, instruction: 1 };
        let (alone, target) =
            drawn(&mut program, Query::Show(InstructionPath { at: inner, calls: Vec::new() }));
        assert_eq!((alone.computation, alone.path.len(), target.is_some()), (0, 1, true));
    }

    #[test]
    fn queries_about_what_does_not_exist_draw_nothing() {
        let (mut program, _) = Program::open(String::new(), Language::ENGLISH);
        let nowhere = InstructionKey { computation: 9, instruction: 9 };
        let (drawing, target) =
            drawn(&mut program, Query::Show(InstructionPath { at: nowhere, calls: Vec::new() }));
        assert_eq!((drawing.nodes, target), (0, None));
        let call = Call { at: nowhere, callee_index: 3 };
        drawn(&mut program, Query::Enter(vec![call]));
        drawn(&mut program, Query::Fold { call, is_open: true });
        let area = Area { x: i32::MIN, y: i32::MAX, width: i32::MAX, height: -1 };
        let window = window_of(&mut program, &Drawing { version: 77, ..Drawing::default() }, area);
        assert_eq!((window.version, window.nodes.len()), (77, 0));
    }
}
