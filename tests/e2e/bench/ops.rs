//! The Ops screen against the same goals, and its responsiveness while the worker is busy.

use harness::Page;
use harness::measure::{Metric, Samples};

use crate::{hover_over, scrubbed};

/// True if the formula with numbers differs from that at the last true evaluation: grids, formula and announcement
/// change in one update.
const ANOTHER_WORKING: &str = "((text) => text !== window.lastWorking && (window.lastWorking = text, true))\
    (document.querySelector('#working')?.textContent)";

/// Every measurement of this screen, in the order of the goals.
pub fn measure_all(page: &Page) -> Vec<Metric> {
    let mut measures = vec![hover(page, 64, 33.0), hover(page, 256, 50.0), scrub(page)];
    measures.extend(move_and_zoom(page));
    measures.extend(busy(page, "a dot of 1024^3 runs", &dot(1024)));
    measures.extend(busy(page, "an endless while runs", ENDLESS));
    measures.extend(large(page));
    measures
}

fn sum(side: u32) -> String {
    format!(
        "HloModule m\n\nENTRY e {{\n  a = f32[{side},{side}] parameter(0)\n  b = f32[{side},{side}] parameter(1)\n  \
         ROOT r = f32[{side},{side}] add(a, b)\n}}\n"
    )
}

fn dot(side: u32) -> String {
    sum(side).replace("add(a, b)", "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}")
}

const ENDLESS: &str = "HloModule m\n\nENTRY e {\n  n = s32[] parameter(0)\n  ROOT w = s32[] while(n),\n    \
    condition={ a = s32[] parameter(0) ROOT c = pred[] constant(true) },\n    \
    body={ b = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(b, one) }\n}\n";

/// Opens another experiment in the current page, so that loading is not measured.
fn write(page: &Page, text: &str) {
    let text = serde_json::Value::from(text);
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({text});"));
}

/// Opens a sum of two square arrays, and waits for its values.
fn open(page: &Page, side: u32) {
    page.goto("#ops1/@negate");
    write(page, &sum(side));
    page.wait_for(&format!(
        "document.querySelector('#result-shape')?.textContent.startsWith('f32[{side},{side}]')
            && document.querySelector('#array-2 canvas')?.width > 100"
    ));
    page.wait_two_frames();
}

/// Goal 3: hovering cells of the result updates all views of the cell.
fn hover(page: &Page, side: u32, goal: f64) -> Metric {
    open(page, side);
    page.run("document.querySelector('#array-2').scrollIntoView({ block: 'center', behavior: 'instant' });");
    page.wait_two_frames();
    let (left, top, width, height) = page.bounds("#array-2");
    // The square grid is as wide as it is high.
    let bounds = (left, top, width.min(height), height);
    Metric {
        name: format!("3: Ops, hover to highlight in all views, {} cells", side * side),
        samples: hover_over(page, bounds, ANOTHER_WORKING),
        goals: vec![(95, goal)],
    }
}

/// Goal 4: dragging the scrub bar from end to end.
fn scrub(page: &Page) -> Metric {
    open(page, 128);
    Metric {
        name: "4: Ops, frames while scrubbing, 16384 cells".to_owned(),
        samples: scrubbed(page),
        goals: vec![(50, 20.0), (95, 100.0)],
    }
}

/// Goal 4: zooming a million cells with the wheel and panning them.
fn move_and_zoom(page: &Page) -> Vec<Metric> {
    open(page, 1024);
    page.run("document.querySelector('#array-2').scrollIntoView({ block: 'center', behavior: 'instant' });");
    page.wait_two_frames();
    let zoomed = page.frames(|page| {
        for step in 0..24 {
            page.wheel("#array-2", "Control", 0, if step < 16 { -120 } else { 120 });
        }
    });
    let (left, top, width, height) = page.bounds("#array-2");
    let at = |x: f64, y: f64| (left + width.min(height) * x, top + height * y);
    let panned = page.frames(|page| page.drag_along(&[at(0.8, 0.8), at(0.2, 0.3), at(0.7, 0.6)], 60));
    let measure = |name: &str, samples| Metric {
        name: format!("4: Ops, frames while {name}, 1048576 cells"),
        samples,
        goals: vec![(50, 20.0), (95, 100.0)],
    };
    vec![measure("zooming", zoomed), measure("panning", panned)]
}

/// The longest task of the main thread over 50 ms during an action; `None` if the browser does not report them.
fn longest(page: &Page, name: String, during: impl FnOnce(&Page)) -> Option<Metric> {
    let tasks = page.long_tasks(during)?;
    let samples = Samples::new(vec![tasks.percentile(100).unwrap_or(0.0)]);
    Some(Metric { name, samples, goals: vec![(100, 50.0)] })
}

/// Milliseconds after which a browser has ended a terminated worker that computes: Chromium grants it two seconds.
/// Without this pause several of them would compete for the cores.
const WORKER_END_MS: u32 = 2_500;

/// Endless or very long runs: the page stays responsive, and cancels them immediately.
fn busy(page: &Page, what: &str, text: &str) -> Vec<Metric> {
    open(page, 64);
    // By the reference evaluator, which is slow; kernels would finish immediately.
    page.run("localStorage.setItem('xla-playground.preferences', '{\"kernels\":\"Off\"}')");
    page.reload();
    // Loading is not measured.
    page.wait_for("document.querySelector('#result-shape')");
    page.run("await new Promise((done) => setTimeout(done, 500));");
    page.wait_two_frames();
    let mut cancelled = Vec::new();
    let tasks = longest(page, format!("Ops, longest main-thread task over 50 ms while {what}"), |page| {
        write(page, text);
        for _ in 0..10 {
            page.wait_for("document.querySelector('#run-progress')");
            page.run("await new Promise((done) => setTimeout(done, 300));");
            cancelled.push(page.eval(
                "(async () => {
                    const started = performance.now();
                    document.querySelector('#run-cancel').click();
                    while (!document.querySelector('#run-stopped'))
                        await new Promise((done) => requestAnimationFrame(done));
                    return performance.now() - started;
                })()",
            ));
            page.run(&format!("await new Promise((done) => setTimeout(done, {WORKER_END_MS}));"));
            page.click("#run-again");
        }
    });
    let cancel = Metric {
        name: format!("Ops, cancel while {what}"),
        samples: Samples::new(cancelled),
        goals: vec![(100, 250.0)],
    };
    tasks.into_iter().chain([cancel]).collect()
}

/// A million cells each: operands and result come from the worker, are drawn, and are stepped through.
fn large(page: &Page) -> Option<Metric> {
    open(page, 64);
    longest(page, "Ops, longest main-thread task over 50 ms, 1048576 cells".to_owned(), |page| {
        write(page, &sum(1024));
        page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('f32[1024,1024]')");
        page.click("#next");
        page.hover("#array-2", 60.0, 60.0);
        page.hover("#array-0", 60.0, 60.0);
        page.click("#undo");
        page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('f32[64,64]')");
    })
}
