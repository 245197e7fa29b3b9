//! The Speed screen: its measurements, cancellation, link and accessibility.

use harness::{Condition, Emulation, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, slowdown, with_cores};
use crate::languages::choose;

pub const TESTS: &[Test] = harness::tests![
    a_small_dot_is_measured_in_every_way: Condition::Smoke,
    the_example_is_shown_until_the_visitor_has_measured: IN_CHROME,
    a_transpose_is_measured_over_layouts_and_sizes: IN_CHROME,
    measuring_stops_at_once: Condition::Alone,
    links_restore_and_follow_the_setup: IN_FIREFOX,
    setups_beyond_the_limits_are_fixed: IN_CHROME,
    a_worker_that_cannot_be_loaded_is_reported_and_replaced: IN_CHROME,
    a_worker_that_hangs_while_starting_others_is_replaced: IN_FIREFOX,
    an_embed_measures_only_when_asked: IN_CHROME,
    no_accessibility_rule_is_violated: IN_FIREFOX,
];

#[track_caller]
fn open(page: &Page, link: &str) {
    page.goto(link);
    page.wait_for("document.querySelector('#measure')");
}

/// Waits until the measurement has ended; a debug build on a busy machine is slow.
#[track_caller]
fn wait_until_done(page: &Page) {
    for _ in 0..12 {
        let ended = page.try_eval::<bool>(
            "new Promise((done) => {
                const end = performance.now() + 8000;
                const look = () => {
                    const standing = document.querySelector('.standing')?.dataset.standing;
                    if (standing !== 'running') done(true);
                    else if (performance.now() > end) done(false);
                    else setTimeout(look, 100);
                };
                look();
            })",
        );
        if matches!(ended, Ok(true)) {
            break;
        }
    }
    assert_eq!(page.attribute(".standing", "data-standing").as_deref(), Some("done"));
}

/// The names of the measured rows, with their rates.
#[track_caller]
fn rates(page: &Page) -> Vec<(String, f64)> {
    page.eval(
        "[...document.querySelectorAll('#figures tbody tr')].filter((row) => row.querySelector('.rate'))
            .map((row) => [row.querySelector('th').textContent, Number(row.querySelector('.rate').textContent)])",
    )
}

fn a_small_dot_is_measured_in_every_way(page: &Page) {
    with_cores(page, 2);
    open(page, "#speed1/dot/48x32x40");
    assert_eq!(page.count("#chart, #figures"), 0, "nothing is measured by itself");
    page.click("#measure");
    wait_until_done(page);
    let rates = rates(page);
    let names: Vec<&str> = rates.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.starts_with(&["Reference", "Scalar", "SIMD (strict)"]), "{names:?}");
    assert!(rates.iter().all(|(_, rate)| *rate > 0.0), "{rates:?}");
    // Measured or omitted with a reason: a browser may not start as many workers as there are cores.
    let rows = page.texts("#figures tbody th");
    assert!(rows.iter().any(|name| name.ends_with("workers")), "{rows:?}");
    assert_eq!(page.text("#figures tbody tr:nth-child(3) code"), "dot f32");
    let bars: usize = page.eval("document.querySelectorAll('#chart svg rect[rx]').length");
    assert_eq!(bars, names.len(), "a bar a row");
    let labels: String = page.with_element("#chart svg", "(svg) => svg.textContent");
    assert!(labels.contains("registers only"), "the ceiling has a label: {labels}");
    assert!(page.text("#standing").starts_with("Fastest"));
    assert_ranked_by_median(page);
}

/// The row with the lowest median is the fastest, each row has its ceiling, and a row above it is named as noise.
#[track_caller]
fn assert_ranked_by_median(page: &Page) {
    let rows: Vec<(String, f64, String, f64)> = page.eval(
        "[...document.querySelectorAll('#figures tbody tr')].filter((row) => row.querySelector('.rate'))
            .map((row) => [...row.children].map((cell) => cell.textContent))
            .map((cells) => [cells[0], Number(cells[1]), cells[6], parseFloat(cells[7].replace('<', ''))])",
    );
    let lowest = rows.iter().map(|row| row.1).fold(f64::MAX, f64::min);
    for (name, median, verdict, ceiling) in &rows {
        if verdict == "fastest" {
            assert!(*median <= lowest, "{rows:?}");
            assert!(page.text("#standing").contains(name.as_str()), "{rows:?}");
        }
        assert!(*ceiling > 0.0, "{rows:?}");
        let is_named =
            page.count(".above-ceiling") == 1 && page.text(".above-ceiling").contains(name.as_str());
        assert!(*ceiling <= 100.0 || is_named, "noise is named: {rows:?}");
    }
    assert_eq!(rows.iter().filter(|row| row.2 == "fastest").count(), 1, "{rows:?}");
}

fn the_example_is_shown_until_the_visitor_has_measured(page: &Page) {
    open(page, "#speed/");
    for view in ["#view-ways", "#view-sizes", "#view-layouts"] {
        page.click(view);
        page.wait_for("document.querySelector('#example-chart svg')");
        assert!(page.text("#example").starts_with("Example from another machine"));
        assert!(page.count("#example-figures tbody tr") >= 4, "{view}");
        assert_eq!(page.count("#figures, #copy-results"), 0, "it is not offered as the visitor's own");
        let omitted = page.count("#example-figures td[colspan]");
        assert_eq!(omitted, 0, "{view}: every row of the example was measured");
        page.assert_accessible();
    }
    page.viewport(320, 640);
    page.wait_for("document.documentElement.scrollWidth <= 320");
    page.assert_accessible();
    page.click("#view-ways");
    page.wait_for("document.querySelector('#example-chart svg')");
    page.click("#measure");
    page.wait_for(
        "document.querySelector('#figures') && !document.querySelector('#example, #example-figures')",
    );
    wait_until_done(page);
    let omitted = page.texts("#figures td[colspan]");
    // A browser may not start as many workers as there are cores, or have no relaxed SIMD.
    assert!(omitted.iter().all(|why| why.contains("workers") || why.contains("relaxed SIMD")), "{omitted:?}");
    assert_eq!(page.count("#example"), 0);
}

fn a_transpose_is_measured_over_layouts_and_sizes(page: &Page) {
    open(page, "#speed1/transpose/24x20x16/to=2.0.1/layouts");
    page.click("#measure");
    wait_until_done(page);
    let layouts = rates(page);
    assert_eq!(layouts.len(), 6);
    assert!(layouts.iter().all(|(_, rate)| *rate > 0.0), "{layouts:?}");
    assert!(layouts.is_sorted_by(|a, b| a.1 >= b.1 * 0.99), "the fastest first: {layouts:?}");
    assert!(layouts.iter().any(|(name, _)| name == "{2,1,0} row-major"), "{layouts:?}");
    // Results of another view stay.
    page.click("#view-ways");
    page.wait_for("document.querySelector('#example')");
    page.click("#view-layouts");
    page.wait_for("document.querySelectorAll('#figures tbody tr').length === 6");
    open(page, "#speed1/transpose/16x16x16x16/to=3.2.1.0/sizes");
    page.click("#measure");
    wait_until_done(page);
    let sizes = rates(page);
    assert!(sizes.len() >= 4 && sizes.iter().all(|(_, rate)| *rate > 0.0), "{sizes:?}");
    assert!(page.count("#chart svg path") > 3, "lines and axes");
}

fn measuring_stops_at_once(page: &Page) {
    open(page, "#speed1/dot/2048x2048x2048");
    page.click("#measure");
    page.wait_for("document.querySelectorAll('#figures tbody tr').length >= 1");
    let before = slowdown(page);
    let took: f64 = page.eval(
        "(async () => {
            const started = performance.now();
            document.querySelector('#stop').click();
            while (document.querySelector('.standing').dataset.standing !== 'stopped')
                await new Promise((done) => requestAnimationFrame(done));
            return performance.now() - started;
        })()",
    );
    let factor = before.max(slowdown(page));
    assert!(took < 250.0 * factor, "{took:.0} ms to stop (× {factor:.1})");
    assert_eq!(page.count("#stop"), 0);
    assert!(page.is_focused("#measure"), "the focus is not lost");
    // By keyboard too.
    page.run("document.querySelector('#stage').focus();");
    page.key("Space");
    page.wait_for("document.querySelector('.standing').dataset.standing === 'running'");
    page.key("Escape");
    page.wait_for("document.querySelector('.standing').dataset.standing === 'stopped'");
}

fn links_restore_and_follow_the_setup(page: &Page) {
    open(page, "#speed1/reduce-sum/8x16x4/over=0.2");
    assert_eq!([0, 1, 2].map(|i| page.value(&format!("#size-{i}"))), ["8", "16", "4"]);
    let over: Vec<bool> =
        page.eval("[...document.querySelectorAll('fieldset input')].map((box) => box.checked)");
    assert_eq!(over, [true, false, true]);
    page.click("#over-1");
    page.wait_for("location.hash === '#speed1/reduce-sum/8x16x4/over=0.1.2'");
    page.click("#view-layouts");
    page.wait_for("location.hash.endsWith('/layouts')");
    page.history(-1);
    page.wait_for("location.hash === '#speed1/reduce-sum/8x16x4/over=0.1.2'");
    page.wait_for("document.querySelector('#view-ways').getAttribute('aria-pressed') === 'true'");
    page.run("location.hash = '#speed1/dot/<b>/7x7x7';");
    page.wait_for("document.querySelector('#link-problems')");
    assert_eq!(page.value("#op"), "dot");
    // The screens link to each other.
    page.click("nav.screens a[href='#ops/']");
    page.wait_for("document.querySelector('main.ops')");
    page.click("nav.screens .screen:nth-child(4)");
    page.wait_for("document.querySelector('main.speed')");
}

fn setups_beyond_the_limits_are_fixed(page: &Page) {
    open(page, "#speed1/dot/9000x9000x9000");
    page.wait_for("document.querySelector('#too-much')");
    assert!(page.eval::<bool>("document.querySelector('#measure').disabled"));
    page.assert_accessible();
    page.click("#too-much-fix");
    page.wait_for("!document.querySelector('#too-much') && !document.querySelector('#measure').disabled");
    page.run(
        "const field = document.querySelector('#size-0');
         field.value = '-3';
         field.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    page.wait_for("document.querySelector('#size-fix')");
    assert!(page.eval::<bool>("document.querySelector('#measure').disabled"));
    page.click("#size-fix");
    page.wait_for("document.querySelector('#size-0').value === '1' && !document.querySelector('#size-fix')");
    page.wait_for("location.hash.startsWith('#speed1/dot/1x')");
}

fn a_worker_that_cannot_be_loaded_is_reported_and_replaced(page: &Page) {
    open(page, "#speed1/dot/8x8x8");
    page.run(
        "const Real = window.Worker;
         window.Worker = function (address, options) {
             window.Worker = Real;
             return new Real('./missing.js', options);
         };",
    );
    page.click("#measure");
    page.wait_for("document.querySelector('.standing').dataset.standing === 'died'");
    let problems = page.take_problems();
    assert!(problems.iter().all(|problem| problem.contains("missing.js")), "{problems:?}");
    page.click("#measure");
    wait_until_done(page);
}

fn a_worker_that_hangs_while_starting_others_is_replaced(page: &Page) {
    with_cores(page, 2);
    open(page, "#speed1/dot/16x8x8");
    page.hang_next_worker_after("starting-workers");
    page.click("#measure");
    wait_until_done(page);
    let left_out = page.text("#figures tbody tr:last-child");
    assert!(left_out.contains("did not start"), "{left_out}");
    assert!(rates(page).len() >= 3, "all else is measured");
    // The next measurement is not affected.
    page.click("#measure");
    wait_until_done(page);
}

fn an_embed_measures_only_when_asked(page: &Page) {
    page.goto("#embed/speed1/add/64x64");
    page.wait_for("document.querySelector('main.embed #measure')");
    assert!(page.text(".frame-top h1").contains("f32[64,64]"));
    assert_eq!(page.count("#figures, #running"), 0);
    page.assert_accessible();
}

/// Measurements take seconds, so that each is made once and examined in every theme and language.
fn no_accessibility_rule_is_violated(page: &Page) {
    let themes = [false, true].map(|dark| Emulation { dark, reduced_motion: false });
    open(page, "#speed1/reduce-max/32x32/over=0");
    for theme in themes {
        page.emulate(theme);
        page.wait_two_frames();
        page.assert_accessible();
    }
    page.click("#measure");
    wait_until_done(page);
    for theme in themes {
        page.emulate(theme);
        page.wait_two_frames();
        page.assert_accessible();
        for opener in ["#help", "#share"] {
            page.click(opener);
            page.wait_for("document.querySelector('dialog')?.open");
            page.assert_accessible();
            page.key("Escape");
            page.wait_for("!document.querySelector('dialog')");
        }
    }
    page.viewport(320, 640);
    for link in ["#speed1/dot/16x16x16", "#speed1/add/8x8x8x8/layouts", "#speed1/convolution/1x8x4x4x3"] {
        open(page, link);
        page.click("#measure");
        wait_until_done(page);
        for language in ["zh-Hans", "en"] {
            choose(page, language);
            assert!(page.count("#figures tbody tr") > 0, "{link}: the results stay");
            let wide: u32 = page.eval("document.documentElement.scrollWidth");
            assert!(wide <= 320, "{link} {language}: {wide} pixels wide");
            page.assert_accessible();
        }
    }
}
