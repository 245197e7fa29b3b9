//! Short links that request much work: opening one natively does everything that the page does. The end-to-end tests
//! measure the page with the same corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod corpus;

use std::rc::Rc;
use std::time::{Duration, Instant};

use corpus::{Bomb, MAX_LINK_CHARS, of_layout, of_ops, of_speed};
use xla_playground::array::index::multi_index;
use xla_playground::hlo::Limits;
use xla_playground::i18n::Message;
use xla_playground::ops::CellAt;
use xla_playground::state::document::Document;
use xla_playground::state::experiment::link;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::run::devices::run_without_functions;
use xla_playground::state::experiment::run::iterations::iterations;
use xla_playground::state::experiment::run::summary::element_summaries;
use xla_playground::state::experiment::run::{FinishedRun, UsedArrays, leaves};
use xla_playground::state::experiment::session::{Action, Session};
use xla_playground::state::permalink::{
    self, FREE_UNPACKED_BYTES, MAX_COMPRESSION_RATIO, MAX_PROBLEMS, MAX_QUOTED_CHARS,
};
use xla_playground::state::session::Session as LayoutSession;
use xla_playground::state::speed::link as speed_link;
use xla_playground::view::array_view::ArrayView;
use xla_playground::view::cell_steps::steps;
use xla_playground::view::colour_map::ColourMap;
use xla_playground::view::derivation::derivation;

/// A hang, on the slowest machine and without optimization; not a performance limit.
const HANG: Duration = Duration::from_mins(1);

/// The page's limits for runs on the page.
const PAGE_LIMITS: Limits = Limits { steps: 100_000, bytes: 1 << 18 };

#[track_caller]
fn in_time(name: &str, what: &str, work: impl FnOnce()) {
    let started = Instant::now();
    work();
    assert!(started.elapsed() < HANG, "{name}: {what} took {:?}", started.elapsed());
}

/// The messages about a link are short, for any link.
#[track_caller]
fn is_short(name: &str, problems: &[Message]) {
    assert!(problems.len() <= MAX_PROBLEMS + 1, "{name}: {} problems", problems.len());
    for problem in problems {
        let message = problem.to_string();
        assert!(
            message.chars().count() < 8 * MAX_QUOTED_CHARS,
            "{name}: {} characters: {message:.300}",
            message.len()
        );
    }
}

/// Everything that the Ops screen does with a link.
fn open(name: &str, fragment: &str) {
    let loaded = link::read(fragment);
    is_short(name, &loaded.problems);
    let packed = fragment.len();
    assert!(
        loaded.experiment.text.len() <= packed * MAX_COMPRESSION_RATIO + FREE_UNPACKED_BYTES,
        "{name}: {}",
        loaded.experiment.text.len()
    );
    let mut session = Session::new(loaded.experiment);
    let experiment = session.experiment().clone();
    let module = session.module().clone();
    let needs = Needs::new(&module);
    let (focus, _) = session.focus().unwrap();
    let finished = if !session.invalid_fields().is_empty() || !needs.functions.is_empty() {
        None
    } else if needs.requires_simulation() {
        let run = run_without_functions(&experiment, &module, PAGE_LIMITS).ok();
        run.and_then(|run| FinishedRun::from_replica(&experiment, &module, Rc::new(run), 0))
    } else {
        FinishedRun::run(&experiment, &module, PAGE_LIMITS).ok()
    };
    let over = std::cell::Cell::new(0);
    let is_over = || over.replace(over.get() + 1) > 20;
    let _ = iterations(&experiment, &module, focus, (PAGE_LIMITS, &is_over), element_summaries);
    if let Some(finished) = &finished
        && let Some((path, array)) = finished.value(focus).map(leaves).unwrap_or_default().into_iter().next()
        && array.memory_map().elements() > 0
    {
        let cell =
            CellAt { path: path.into_iter().collect(), index: multi_index(0, &array.shape().dimensions) };
        if let Ok((sources, applied)) = finished.sources_and_calls(focus, &cell) {
            let _ = derivation(finished, focus, &cell, &sources);
            let _ = steps(finished, focus, &sources, &applied, None);
        }
        let _ = finished.origins(focus, &cell);
        finished.parameter_dependencies(focus);
        finished.base_area(focus);
        finished.start_tracing_uses(focus, UsedArrays::Operands);
    }
    session.apply(Action::MoveCursor(1));
    session.apply(Action::Type(format!("{} ", session.text())));
    session.apply(Action::Undo);
    let again = link::read(&link::write(session.experiment()));
    assert_eq!(again.problems, [], "{name}: the page reads its own link");
    assert_eq!(again.experiment.text, session.experiment().text, "{name}");
}

fn all(bombs: Vec<Bomb>, open: impl Fn(&str, &str)) {
    for Bomb { name, link } in bombs {
        // If a link ends the process, it is the last one printed.
        eprintln!("{name}");
        assert!(link.len() <= MAX_LINK_CHARS, "{name} has {} characters", link.len());
        in_time(name, "to open", || open(name, &link));
    }
}

#[test]
fn links_of_the_ops_screen_open() {
    all(of_ops(), open);
}

#[test]
fn links_of_the_layout_screen_open() {
    all(of_layout(), |name, fragment| {
        let loaded = permalink::read(fragment);
        is_short(name, &loaded.problems);
        let document: Document = loaded.document;
        if let Some(array) = document.array() {
            let view =
                ArrayView::new(array, &document.values, document.view.colour, ColourMap::Viridis).unwrap();
            let _ = view.label(&multi_index(0, &array.dimensions), 9);
        }
        let session = LayoutSession::new(document);
        let again = permalink::read(&permalink::write(session.document()));
        assert_eq!(again.problems, [], "{name}: the page reads its own link");
    });
}

#[test]
fn links_of_the_speed_screen_open() {
    all(of_speed(), |name, fragment| {
        let loaded = speed_link::read(fragment);
        is_short(name, &loaded.problems);
        assert!(loaded.setup.has_valid_sizes(), "{name}");
        let _ = loaded.setup.problem();
    });
}

#[test]
fn messages_about_long_links_are_short_and_longer_links_are_rejected() {
    for length in [80_000, 1 << 20, (1 << 20) + 100, 3 << 20] {
        let long = "x".repeat(length);
        for fragment in [
            format!("v1/f32[2];{long}"),
            format!("v1/{long}"),
            format!("v9{long}/f32[2]"),
            format!("v1/f32[2]{}", ";x".repeat(length / 2)),
            long.clone(),
            format!("v1/f32[2];v={long}"),
        ] {
            is_short("layout", &permalink::read(&fragment).problems);
        }
        for fragment in [
            format!("ops1/x;{long}"),
            format!("ops9{long}/x"),
            format!("ops1/@{long}"),
            format!("ops1/x{}", ";x".repeat(length / 2)),
        ] {
            let problems = link::read(&fragment).problems;
            assert!(!problems.is_empty());
            is_short("ops", &problems);
        }
        for fragment in [
            format!("speed1/{long}"),
            format!("speed{long}"),
            format!("speed1/dot/{}", "x/".repeat(length / 2)),
        ] {
            let problems = speed_link::read(&fragment).problems;
            assert_eq!(problems.len(), 1, "a setup is short: it is rejected as a whole");
            assert_eq!(problems[0].key, "link-too-long");
            is_short("speed", &problems);
        }
    }
    let rejected = link::read(&format!("ops1/{}", "x".repeat(1 << 20)));
    assert_eq!(rejected.problems[0].key, "link-too-long");
}

#[test]
fn text_that_compresses_too_well_is_written_uncompressed() {
    let text = format!("HloModule m ENTRY e {{ ROOT x = f32[2] parameter(0) }}{}", " ".repeat(300_000));
    let experiment = xla_playground::state::experiment::Experiment::from_text(text);
    let link = link::write(&experiment);
    let loaded = link::read(&link);
    assert_eq!((loaded.problems, loaded.experiment), (vec![], experiment));
}
