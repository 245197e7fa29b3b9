//! Large experiments run in the worker: progress, cancellation, edits meanwhile, and a crash of the worker.

use harness::{Condition, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted, slowdown};

pub const TESTS: &[Test] = harness::tests![
    a_large_dot_shows_progress_and_is_cancelled_at_once: Condition::Alone,
    a_run_in_the_worker_gives_values_and_their_sources: IN_CHROME,
    a_loop_without_end_is_edited_into_one_with_an_end: IN_FIREFOX,
    the_newest_of_several_runs_is_shown: IN_CHROME,
    a_worker_that_cannot_be_loaded_is_reported_and_replaced: IN_FIREFOX,
    a_crashed_worker_is_reported_and_replaced: IN_CHROME,
    a_worker_of_another_version_is_rejected: IN_FIREFOX,
    the_page_responds_while_the_worker_runs: Condition::Alone,
];

/// A dot that takes long on any machine, and one that only exceeds the page's limits.
const LONG_DOT: &str = "HloModule m\n\nENTRY e {\n  a = f32[512,512] parameter(0)\n  \
    b = f32[512,512] parameter(1)\n  ROOT long = f32[512,512] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
const SHORT_DOT: &str = "HloModule m\n\nENTRY e {\n  a = s32[48,48] parameter(0)\n  \
    b = s32[48,48] parameter(1)\n  ROOT short = s32[48,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
const ENDLESS: &str = "HloModule m\n\nENTRY e {\n  n = s32[] parameter(0)\n  ROOT w = s32[] while(n),\n    \
    condition={ a = s32[] parameter(0) ROOT c = pred[] constant(true) },\n    \
    body={ b = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(b, one) }\n}\n";

/// Opens the Ops screen with kernels off: large ops take long, and no worker is started early.
#[track_caller]
fn start(page: &Page) {
    page.goto("");
    page.run("localStorage.setItem('xla-playground.preferences', '{\"kernels\":\"Off\"}')");
    page.goto("?#ops1/@negate");
}

#[track_caller]
fn open(page: &Page, text: &str) {
    start(page);
    write(page, text);
}

/// Writes another experiment's link into the address bar.
#[track_caller]
fn write(page: &Page, text: &str) {
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(text)));
    let name = quoted(text.split("ROOT ").nth(1).unwrap().split(' ').next().unwrap());
    page.wait_for(&format!("document.querySelector('#hlo').value.includes({name})"));
}

/// Performs an input and returns the milliseconds until `shown` holds in a painted frame.
#[track_caller]
fn time_to(page: &Page, act: &str, shown: &str) -> f64 {
    page.eval(&format!(
        "(async () => {{
            const started = performance.now();
            {act};
            while (!({shown})) await new Promise((done) => requestAnimationFrame(done));
            return performance.now() - started;
        }})()"
    ))
}

fn a_large_dot_shows_progress_and_is_cancelled_at_once(page: &Page) {
    open(page, LONG_DOT);
    page.wait_for("document.querySelector('#run-progress')");
    page.wait_for("/long: [^ ]+ steps/.test(document.querySelector('#run-at')?.textContent)");
    page.wait_for("document.querySelector('#run-progress').value >= 0");
    assert_eq!(page.count("#run-failed, #result-shape"), 0, "nothing of it is there yet");
    assert_eq!(page.count(".operands .panel"), 2, "the operands can be seen and set all the same");
    let before = slowdown(page);
    let took = time_to(
        page,
        "document.querySelector('#run-cancel').click()",
        "document.querySelector('#run-stopped') && !document.querySelector('#running')",
    );
    let factor = before.max(slowdown(page));
    assert!(took < 250.0 * factor, "{took:.0} ms to cancel (× {factor:.1})");
    // By keyboard too.
    page.click("#run-again");
    page.wait_for("document.querySelector('#run-progress')");
    page.run("document.querySelector('#stage').focus();");
    page.key("Escape");
    page.wait_for("document.querySelector('#run-stopped')");
    assert!(page.axe().is_empty(), "{:?}", page.axe());
}

fn a_run_in_the_worker_gives_values_and_their_sources(page: &Page) {
    open(page, SHORT_DOT);
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
    assert_eq!(page.count("#running, #run-failed, #as-of-before"), 0);
    let steps: String = page.eval("document.querySelector('#result-steps').textContent.replace(/\\D/g, '')");
    assert!(steps.parse::<u64>().unwrap() > 2 * 48 * 48 * 48, "it is too much for the page: {steps}");
    // Row 0 of iota times column 0: the sum of i · 48 i.
    let expected: i64 = (0..48).map(|i| i * 48 * i).sum();
    assert!(page.text("#working").ends_with(&format!("= {expected}")), "{}", page.text("#working"));
    assert_eq!(page.text("#made-from"), "depends on 96 cells");
    // The uses of an operand's cell are found by tracing all cells of the result, in chunks.
    page.hover("#array-0", 40.0, 40.0);
    page.wait_for("/48/.test(document.querySelector('#note')?.textContent)");
}

fn a_loop_without_end_is_edited_into_one_with_an_end(page: &Page) {
    open(page, ENDLESS);
    page.wait_for("document.querySelector('#running')");
    let ended = ENDLESS
        .replace(
            "ROOT c = pred[] constant(true)",
            "k = s32[] constant(9) ROOT c = pred[] compare(a, k), direction=LT",
        )
        .replace("parameter(0)\n  ROOT w", "constant(3)\n  ROOT w");
    page.run(&format!(
        "const field = document.querySelector('#hlo');
         field.value = {};
         field.dispatchEvent(new Event('input', {{ bubbles: true }}));
         field.dispatchEvent(new Event('change', {{ bubbles: true }}));",
        quoted(&ended)
    ));
    page.wait_for_text("#result-value", "9");
    assert_eq!(page.count("#running, #as-of-before"), 0);
    // And back, while the last valid result stays.
    page.click("#undo");
    page.wait_for("document.querySelector('#running')");
    assert_eq!(page.text("#result-value"), "9");
    assert_eq!(page.count("#as-of-before"), 1);
    page.click("#run-cancel");
    page.wait_for("document.querySelector('#run-stopped')");
    assert_eq!(page.text("#result-value"), "9");
    page.click("#redo");
    page.wait_for("!document.querySelector('#run-stopped') && !document.querySelector('#as-of-before')");
    assert_eq!(page.text("#result-value"), "9");
}

fn the_newest_of_several_runs_is_shown(page: &Page) {
    open(page, LONG_DOT);
    page.wait_for("document.querySelector('#running')");
    write(page, ENDLESS);
    write(page, LONG_DOT);
    write(page, SHORT_DOT);
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
    let expected: i64 = (0..48).map(|i| i * 48 * i).sum();
    assert!(page.text("#working").ends_with(&format!("= {expected}")));
    assert_eq!(page.count("#running, #run-died, #run-stopped"), 0);
}

fn a_worker_that_cannot_be_loaded_is_reported_and_replaced(page: &Page) {
    start(page);
    // The next worker's file is missing.
    page.run(
        "const Real = window.Worker;
         window.Worker = function (address, options) {
             window.Worker = Real;
             return new Real('./missing.js', options);
         };",
    );
    write(page, SHORT_DOT);
    page.wait_for("document.querySelector('#run-died')");
    let problems = page.take_problems();
    assert!(problems.iter().all(|problem| problem.contains("missing.js")), "{problems:?}");
    assert!(page.value("#hlo").contains("short"), "what was typed is there");
    page.click("#run-again");
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
    assert_eq!(page.count("#run-died"), 0);
}

/// The browser ends the worker in the middle of a job, as if out of memory: the page only receives an event.
fn a_crashed_worker_is_reported_and_replaced(page: &Page) {
    start(page);
    page.run(
        "const Real = window.Worker;
         window.Worker = function (address, options) {
             window.Worker = Real;
             return window.doomed = new Real(address, options);
         };",
    );
    write(page, LONG_DOT);
    page.wait_for("/steps/.test(document.querySelector('#run-at')?.textContent)");
    page.run("window.doomed.terminate(); window.doomed.dispatchEvent(new ErrorEvent('error', { cancelable: true }));");
    page.wait_for("document.querySelector('#run-died')");
    assert_eq!(page.count("#running"), 0);
    assert!(page.value("#hlo").contains("long"), "what was typed is there");
    write(page, SHORT_DOT);
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
    assert_eq!(page.count("#run-died"), 0);
}

fn a_worker_of_another_version_is_rejected(page: &Page) {
    start(page);
    page.run(
        "const Real = window.Worker;
         window.Worker = function (address, options) {
             window.Worker = Real;
             const worker = new Real(address, options);
             setTimeout(() => worker.dispatchEvent(new MessageEvent('message',
                 { data: ['{\"protocol\":99,\"body\":\"Ready\"}'] })));
             return worker;
         };",
    );
    write(page, SHORT_DOT);
    page.wait_for("document.querySelector('#run-other-version')");
    assert!(page.value("#hlo").contains("short"), "what was typed is there");
}

fn the_page_responds_while_the_worker_runs(page: &Page) {
    open(page, ENDLESS);
    page.wait_for("document.querySelector('#running')");
    let before = slowdown(page);
    let frames = page.frames(|page| {
        for _ in 0..10 {
            page.key("Tab");
        }
        page.wait_for("/steps/.test(document.querySelector('#run-at')?.textContent)");
    });
    // A debug build on a busy machine: the benchmark holds the release build to 50 ms.
    let longest = frames.percentile(100).unwrap_or(f64::MAX);
    let factor = before.max(slowdown(page));
    assert!(longest < 1_000.0 * factor, "{longest:.0} ms without a frame (× {factor:.1})");
    let took = time_to(
        page,
        "document.querySelector('#run-cancel').click()",
        "document.querySelector('#run-stopped')",
    );
    assert!(took < 5_000.0 * factor, "{took:.0} ms to cancel (× {factor:.1})");
}
