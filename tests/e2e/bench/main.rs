//! Measures the built site against its goals: `bench [--browser chrome|firefox] [--screen
//! layout|ops|program|kernels|memory|sweep] [--only PART]`. A missed goal or a performance cliff exits with code 1.

#[path = "../../../crates/kernels/benches/cases/mod.rs"]
mod cases;
mod kernels;
#[path = "../layers.rs"]
mod layers;
mod module;
mod ops;
mod program;
mod state;
mod sweep;
mod sweep_series;

use std::error::Error;
use std::process::ExitCode;

use harness::measure::{self, Metric, Samples};
use harness::{Browser, Emulation, Kind, Page, Site};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints; returns whether every goal is met.
fn run() -> Result<bool, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: cargo xtask bench [--browser chrome|firefox] [--screen layout|ops|program|kernels|memory|sweep] [--only PART]";
    let (mut kind, mut screen, mut only) = (Kind::Chrome, None, None);
    for pair in arguments.chunks(2) {
        match pair.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--browser", name] => kind = Kind::from_name(name)?,
            ["--screen", name @ ("layout" | "ops" | "program" | "kernels" | "memory" | "sweep")] => {
                screen = Some(name.to_owned());
            }
            ["--only", part] => only = Some(part.to_owned()),
            _ => return Err(usage.into()),
        }
    }
    let is_wanted = |name: &str| screen.as_deref().is_none_or(|screen| screen == name);
    if std::env::var_os("BENCH_STATE").is_some() {
        for metric in state::measure_all() {
            println!("{metric}");
        }
        return Ok(true);
    }
    let site = Site::serve(&harness::site(), "/some/where/")?;
    let browser = Browser::start(kind)?;
    let mut measures = Vec::new();
    if is_wanted("layout") {
        measures.extend(measure_layout(&browser, &site)?);
    }
    if is_wanted("ops") {
        let page = open_page(&browser, &site)?;
        measures.extend(ops::measure_all(&page));
        page.close()?;
        measures.extend(state::measure_all());
    }
    if is_wanted("program") {
        let page = open_page(&browser, &site)?;
        measures.extend(program::measure_all(&page));
        page.close()?;
    }
    if is_wanted("kernels") || is_wanted("memory") || screen.as_deref() == Some("sweep") {
        let page = open_page(&browser, &site)?;
        if is_wanted("kernels") {
            kernels::print(&page);
        }
        if is_wanted("memory") {
            kernels::print_memory(&page);
        }
        let has_no_cliffs = screen.as_deref() != Some("sweep") || sweep::run(&page, only.as_deref());
        page.close()?;
        if measures.is_empty() {
            return Ok(has_no_cliffs);
        }
    }
    println!("\n{} in {kind}, headless, software rendering\n", site.url());
    println!("{}", measure::heading());
    for metric in &measures {
        println!("{metric}");
    }
    let missed = measures.iter().filter(|metric| !metric.is_met()).count();
    println!("\n{} of {} goals met", measures.len() - missed, measures.len());
    Ok(missed == 0)
}

/// True if the inspector shows another cell than at the last true evaluation: grid, strip, formula and inspector
/// change in one update.
const ANOTHER_CELL: &str = "((text) => text !== window.lastCell && (window.lastCell = text, true))\
    (document.querySelector('#inspector').textContent)";

/// True if the order of the chips differs from that at the last true evaluation.
const ANOTHER_ORDER: &str = "((text) => text !== window.lastOrder && (window.lastOrder = text, true))\
    ([...document.querySelectorAll('.chip b')].map((chip) => chip.textContent).join())";

fn open_page<'a>(browser: &'a Browser, site: &'a Site) -> Result<Page<'a>, Box<dyn Error>> {
    let page = browser.page(site)?;
    page.emulate(Emulation::default());
    page.viewport(1280, 800);
    Ok(page)
}

/// Every measurement of the Layout screen, in the order of the goals.
fn measure_layout(browser: &Browser, site: &Site) -> Result<Vec<Metric>, Box<dyn Error>> {
    let mut measures = vec![Metric {
        name: "1: first painted frame of the app, empty cache, no throttle".to_owned(),
        samples: measure::startup_times(browser, site, "", 10)?,
        goals: vec![(95, 1500.0)],
    }];
    let page = open_page(browser, site)?;
    for (side, goal) in [(64, 33.0), (256, 50.0)] {
        measures.push(hover(&page, side, goal));
    }
    measures.push(scrub(&page));
    measures.extend(move_and_zoom(&page));
    measures.extend(new_order(&page));
    page.close()?;
    Ok(measures)
}

fn open(page: &Page, side: u32) {
    page.goto(&format!("#v1/f32[{side},{side}]{{1,0}};v=iota"));
    page.wait_for("['#grid', '#strip'].every((of) => document.querySelector(of + ' canvas')?.width > 100)");
    page.wait_two_frames();
}

/// Goal 3: hovering cells of a grid updates all views of the cell.
fn hover(page: &Page, side: u32, goal: f64) -> Metric {
    open(page, side);
    Metric {
        name: format!("3: hover to highlight in all views, {} cells", side * side),
        samples: hover_over(page, page.bounds("#grid"), ANOTHER_CELL),
        goals: vec![(95, goal)],
    }
}

/// Hovers cells of a grid, until `shown` each time. A square grid leaves the end of a wide panel free, and begins after its row numbers.
fn hover_over(page: &Page, (left, top, width, height): (f64, f64, f64, f64), shown: &str) -> Samples {
    let points: Vec<(f64, f64)> = (0..80)
        .map(|step| {
            let at = f64::from(step) / 80.0;
            (left + width * (0.2 + 0.5 * at), top + height * (0.2 + 0.6 * ((at * 5.0) % 1.0)))
        })
        .collect();
    page.hover_to_paint(&points, shown)
}

/// Goal 4: dragging the scrub bar from end to end.
fn scrub(page: &Page) -> Metric {
    open(page, 128);
    Metric {
        name: "4: frames while scrubbing, 16384 cells".to_owned(),
        samples: scrubbed(page),
        goals: vec![(50, 20.0), (95, 100.0)],
    }
}

/// The frames while the scrub bar is dragged.
fn scrubbed(page: &Page) -> Samples {
    let (left, top, width, height) = page.bounds("#scrub");
    let y = top + height / 2.0;
    let ends = [(left + 10.0, y), (left + width - 10.0, y), (left + width / 3.0, y)];
    page.frames(|page| page.drag_along(&ends, 60))
}

/// Goal 4: zooming a million cells with the wheel and panning them.
fn move_and_zoom(page: &Page) -> Vec<Metric> {
    open(page, 1024);
    let zoomed = page.frames(|page| {
        for step in 0..24 {
            page.wheel("#grid", "Control", 0, if step < 16 { -120 } else { 120 });
        }
    });
    let (left, top, width, height) = page.bounds("#grid");
    let at = |x: f64, y: f64| (left + width * x, top + height * y);
    let panned = page.frames(|page| page.drag_along(&[at(0.8, 0.8), at(0.2, 0.3), at(0.7, 0.6)], 60));
    let measure = |name: &str, samples| Metric {
        name: format!("4: frames while {name}, 1048576 cells"),
        samples,
        goals: vec![(50, 20.0), (95, 100.0)],
    };
    vec![measure("zooming", zoomed), measure("panning", panned)]
}

/// Goal 5: moving a dimension in `minor_to_major` recolours a million cells.
fn new_order(page: &Page) -> Vec<Metric> {
    open(page, 1024);
    let reorder = |page: &Page, _: usize| page.click("[data-position='0'] .nudge:last-child");
    let mut picture = None;
    let tasks = page.long_tasks(|page| {
        page.eval::<bool>(ANOTHER_ORDER);
        picture = Some(page.input_to_paint("click", ANOTHER_ORDER, 20, reorder));
    });
    let mut measures = vec![Metric {
        name: "5: new minor_to_major to its picture, 1048576 cells".to_owned(),
        samples: picture.unwrap_or_default(),
        goals: vec![(95, 100.0)],
    }];
    // Firefox does not report long tasks.
    if let Some(tasks) = tasks {
        let longest = tasks.percentile(100).unwrap_or(0.0);
        measures.push(Metric {
            name: "5: longest main-thread task of these over 50 ms (0: none)".to_owned(),
            samples: Samples::new(vec![longest]),
            goals: vec![(100, 50.0)],
        });
    }
    measures
}
