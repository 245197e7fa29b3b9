//! The invariants of any link: everything that the page does when it opens one, and when everything is exported.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::{Duration, Instant};

use xla_playground::array::Dims;
use xla_playground::array::cost::{CacheLines, padding_waste};
use xla_playground::array::index::multi_index;
use xla_playground::hlo::export::export;
use xla_playground::hlo::{Frame, InstructionId, Limits, Module, Observer};
use xla_playground::i18n::{Language, Message};
use xla_playground::ops::{self, CellAt, Data};
use xla_playground::state::document::{ColourBy, Document};
use xla_playground::state::experiment::arguments::arguments;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::run::devices::run_without_functions;
use xla_playground::state::experiment::run::{FinishedRun, leaves};
use xla_playground::state::experiment::session::Session as Experiments;
use xla_playground::state::experiment::{Experiment, link as experiments};
use xla_playground::state::permalink;
use xla_playground::state::session::Session;
use xla_playground::state::speed::{link as setups, report, task};
use xla_playground::view::array_view::ArrayView;
use xla_playground::view::axis_assignment::AxisAssignment;
use xla_playground::view::colour_map::ColourMap;
use xla_playground::view::formula::{self, Words};
use xla_playground::view::grid::Grid;
use xla_playground::view::highlights::SlotHighlights;
use xla_playground::view::inspect::SlotProperties;
use xla_playground::view::op_picture::OpPicture;
use xla_playground::view::palette::Theme;
use xla_playground::view::strip::{MIN_SLOT_SIDE, Strip, overview};
use xla_playground::view::{cell_steps, derivation, export as pictures, gif, layout_connectors, svg, tikz};

/// The page's limits for runs on the page, with and without host, and their time limit.
const PAGE_LIMITS: Limits = Limits { steps: 100_000, bytes: 1 << 18 };
const HOST_LIMITS: Limits = Limits { steps: 400_000, bytes: 1 << 21 };
const RUN_TIMEOUT: Duration = Duration::from_millis(60);

/// Opens a link on its screen.
pub fn open(link: &str) {
    let fragment = link.trim_start_matches('#');
    let fragment = fragment.strip_prefix("embed/").unwrap_or(fragment);
    if experiments::is_own_link(fragment) {
        ops_screen(fragment);
    } else if setups::is_own_link(fragment) {
        speed_screen(fragment);
    } else {
        layout_screen(fragment);
    }
}

fn check_problems(problems: &[Message]) {
    for problem in problems {
        assert!(!problem.localize(Language::ENGLISH).is_empty());
    }
}

fn layout_screen(fragment: &str) {
    let loaded = permalink::read(fragment);
    check_problems(&loaded.problems);
    let written = permalink::write(&loaded.document);
    let again = permalink::read(&written);
    assert!(again.problems.is_empty(), "{:?} in the link that was written, {written}", again.problems);
    assert_eq!(again.document, loaded.document, "{written}");
    let session = Session::new(loaded.document);
    let document = session.document();
    check_problems(&session.parsed().diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>());
    let Some(shape) = document.array() else { return };
    let new = |shape| ArrayView::new(shape, &document.values, document.view.colour, ColourMap::Viridis);
    let Some(array) = new(shape) else { return };
    layout_panels(&array, document);
    if let Some(layout) = &document.compare
        && let Some(other) = new(&shape.clone().with_layout(layout.clone()))
    {
        layout_panels(&other, document);
        layout_connectors::strips(&array, &other, 960.0);
        layout_connectors::scene(&array, &other, 960.0);
    }
}

fn layout_panels(array: &ArrayView, document: &Document) {
    let view = &document.view;
    grid(array, view.axes, &view.slider_indices);
    for row in [0, i64::MAX] {
        Strip::new(array, 390.0, MIN_SLOT_SIDE, view.line_bytes, 8, row).scene(array, view.slot_text, "line");
    }
    overview(array, 900.0, 24.0);
    array.legend();
    array.padding_text();
    padding_waste(array.memory_map());
    let start = Dims::from_elem(0, array.memory_map().rank());
    for d in 0..array.memory_map().rank() {
        CacheLines::new(array.memory_map(), view.line_bytes).and_then(|lines| lines.walk(d, &start));
    }
    let word = || "w".to_owned();
    let words =
        Words { slot: word(), index: word(), stride: word(), tile: word(), physical: word(), within: word() };
    let tiles = array.shape().layout.as_ref().map(|layout| layout.tiles.to_vec()).unwrap_or_default();
    if let Some(properties) = SlotProperties::new(array, document.cursor) {
        check_problems(&[properties.description()]);
        formula::forward(array.memory_map(), &tiles, &properties.index, &words);
        formula::backward(array.memory_map(), &tiles, properties.slot, &words);
    }
    let highlights =
        SlotHighlights { cursor: Some(document.cursor), hover: None, pins: document.pins.clone() };
    let scene = pictures::picture(array, &document.view, &highlights, "line");
    svg::svg(&pictures::with_background(scene), &Theme::light(), "title", "about");
    pictures::strip_text(array);
}

fn grid(array: &ArrayView, axes: Option<(usize, usize)>, positions: &[i64]) {
    let sizes = array.memory_map().padded_sizes();
    for (width, height) in [(960.0, 720.0), (120.0, 120.0)] {
        let grid = Grid::fitted(sizes, AxisAssignment::new(sizes, axes), positions, width, height);
        grid.scene(array);
        grid.overlay(array, &SlotHighlights { cursor: Some(0), hover: None, pins: vec![1] });
    }
}

/// Cancels a run after a time, like the page.
struct Patience(Instant);

impl Observer for Patience {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        self.progress(0)
    }

    fn progress(&mut self, _: u64) -> ControlFlow<()> {
        if self.0.elapsed() < RUN_TIMEOUT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn wants_all(&self) -> bool {
        false
    }
}

fn ops_screen(fragment: &str) {
    let loaded = experiments::read(fragment);
    check_problems(&loaded.problems);
    let written = experiments::write(&loaded.experiment);
    if written.len() < 1 << 20 {
        let again = experiments::read(&written);
        assert!(again.problems.is_empty(), "{:?} in the link that was written", again.problems);
        assert_eq!(again.experiment, loaded.experiment, "{written}");
    }
    let session = Experiments::new(loaded.experiment);
    for diagnostic in session.diagnostics().iter().take(20) {
        assert!(!diagnostic.render(session.text(), Language::ENGLISH).is_empty());
    }
    let (experiment, module) = (session.experiment(), session.module());
    let Some((focus, _)) = session.focus() else { return };
    let needs = Needs::new(module);
    let finished = if needs.requires_simulation() {
        if !needs.functions.is_empty() {
            return;
        }
        let Ok(run) = run_without_functions(experiment, module, HOST_LIMITS) else { return };
        let device = experiment.environment.selected_replica.min(run.replicas().saturating_sub(1));
        FinishedRun::from_replica(experiment, module, Rc::new(run), device)
    } else {
        FinishedRun::run_observed(experiment, module, PAGE_LIMITS, &mut Patience(Instant::now())).ok()
    };
    programs(experiment, module);
    if let Some(finished) = finished {
        ops_panels(&finished, focus, experiment);
    }
}

fn programs(experiment: &Experiment, module: &Module) {
    let Ok(arguments) = arguments(experiment, module) else { return };
    for language in [ops::Language::Rust, ops::Language::Jax, ops::Language::NumPy] {
        // A program, or why there is none.
        let _ = export(module, &arguments, language, experiment.edition);
    }
}

fn ops_panels(finished: &FinishedRun, focus: InstructionId, experiment: &Experiment) {
    let results = finished.value(focus).map(leaves).unwrap_or_default();
    for (path, literal) in results.iter().take(4) {
        let array = ArrayView::from_literal(literal.clone(), ColourBy::Value, ColourMap::Viridis)
            .without_value_colours();
        grid(&array, None, &[]);
        let sizes = &array.shape().dimensions;
        let count = array.memory_map().elements();
        if count == 0 {
            continue;
        }
        let index = multi_index(experiment.cursor.clamp(0, count - 1), sizes);
        let cell = CellAt { path: path.iter().copied().collect(), index };
        if let Ok((sources, applied)) = finished.sources_and_calls(focus, &cell) {
            if let Some(working) = derivation::derivation(finished, focus, &cell, &sources) {
                working.text();
            }
            cell_steps::steps(finished, focus, &sources, &applied, Some(0));
        }
        // The parameters' cells, or why they are too many.
        let _ = finished.origins(focus, &cell);
        finished.base_area(focus);
    }
    let Some(picture) = OpPicture::new(finished, focus, experiment.leaf, ColourMap::Cividis) else { return };
    let cell = experiment.cursor.clamp(0, (picture.cell_count() - 1).max(0));
    picture.svg(cell, Language::ENGLISH, &Theme::dark(), "about");
    if picture.total_cells() <= tikz::MAX_CELLS {
        tikz::tikz(&picture, cell, Language::ENGLISH, &Theme::light());
    }
    let frame = picture.frame(0, Language::ENGLISH);
    gif::fits(frame.width, frame.height, picture.cell_count());
}

fn speed_screen(fragment: &str) {
    let loaded = setups::read(fragment);
    check_problems(&loaded.problems);
    let setup = loaded.setup;
    let again = setups::read(&setups::write(&setup));
    assert!(again.problems.is_empty() && again.setup == setup, "{again:?}");
    report::setup_line(&setup, Language::ENGLISH);
    setup.shapes();
    setup.bytes();
    setup.steps();
    setup.sweep();
    setup.orders();
    if setup.problem().is_none() {
        task::hlo(&setup, None);
    }
}
