//! The Program screen with 50,000 instructions against its goals.

use harness::Page;
use harness::measure::{Metric, Samples};

use crate::layers::layers;

const INSTRUCTIONS: usize = 50_000;

/// How often opening is measured.
const TIMES: usize = 5;

/// The status of the screen after a program has been read.
const READY: &str = "document.querySelector('main.programs')?.dataset.status === 'ready'";

/// Whether the graph is drawn.
const DRAWN: &str = "document.querySelector('#graph-surface')?.dataset.version && document.querySelector('.graph-plane canvas')";

/// Every measurement of this screen.
pub fn measure_all(page: &Page) -> Vec<Metric> {
    page.goto("#program/");
    page.run(&format!("window.text = {}", serde_json::Value::from(layers(INSTRUCTIONS))));
    let metric = |name: &str, samples, goals: &[(usize, f64)]| Metric {
        name: format!("Program, {name}, {INSTRUCTIONS} instructions"),
        samples,
        goals: goals.to_vec(),
    };
    let opened = Samples::new((0..TIMES).map(|_| open(page)).collect());
    let mut metrics = vec![metric("from the file to its outline", opened, &[(100, 3000.0)])];
    let mut pause = Samples::default();
    let tasks = page.long_tasks(|page| {
        pause = page.longest_pause(|page| {
            open(page);
            page.run("document.querySelector('#view-graph').click()");
            page.wait_for(DRAWN);
        });
    });
    // What other processes take is in the pause, too; Firefox reports no tasks.
    match tasks {
        Some(tasks) => {
            let longest = Samples::new(vec![tasks.percentile(100).unwrap_or(0.0)]);
            metrics.push(metric("longest task over 50 ms (0: none)", longest, &[(100, 50.0)]));
        }
        None => metrics.push(metric("longest pause of the page", pause, &[(100, 50.0)])),
    }
    let frame_goals = [(50, 20.0), (95, 100.0)];
    let zoomed = page.frames(|page| {
        for step in 0..24 {
            page.wheel("#graph-surface", "Control", 0, if step < 12 { 120 } else { -120 });
        }
    });
    metrics.push(metric("frames while zooming the graph", zoomed, &frame_goals));
    let centre = page.centre("#graph-surface");
    let to = |x: f64, y: f64| (centre.0 + x, centre.1 + y);
    let panned = page.frames(|page| page.drag_along(&[centre, to(-200.0, -150.0), to(150.0, 100.0)], 60));
    metrics.push(metric("frames while panning the graph", panned, &frame_goals));
    metrics.push(metric("from a key to the found instructions", search(page), &[(95, 100.0)]));
    metrics
}

/// Opens the program; returns the milliseconds until its outline is shown.
fn open(page: &Page) -> f64 {
    page.run("document.querySelector('#program-close')?.click()");
    page.wait_for("document.querySelector('#program-paste')");
    page.run(
        "const data = new DataTransfer();
         data.items.add(new File([window.text], 'layers.hlo'));
         window.opened = performance.now();
         document.querySelector('main.programs').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
    );
    page.wait_for(&format!("{READY} && document.querySelector('.outline-row:not(.loading)') && ((window.opened = performance.now() - window.opened), true)"));
    page.eval("window.opened")
}

/// Searches for instructions by name.
fn search(page: &Page) -> Samples {
    page.run("document.querySelector('#view-read').click()");
    page.wait_for("document.querySelector('#program-search')");
    page.run("window.needle = 'none'");
    let shown = "document.querySelector('#program-found')?.textContent.includes(window.needle)";
    page.input_to_paint("input", shown, 20, |page, step| {
        page.run(&format!(
            "window.needle = 'x{}';
             const field = document.querySelector('#program-search');
             field.value = window.needle;
             field.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));",
            40_101 + 7 * step
        ));
    })
}
