//! Large arrays: they open fast, and zooming reaches the numbers.

use harness::{Condition, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, fact, open, slowdown, wait_for_spoken};

pub const TESTS: &[Test] = harness::tests![
    sixteen_million_elements_draw_within_two_seconds: Condition::Alone,
    zooming_reaches_the_numbers: IN_FIREFOX,
    zoom_buttons_stay_under_the_pointer: IN_CHROME,
    a_flat_array_can_be_read: IN_CHROME
];

/// Opens a link and returns the milliseconds until its grid is painted.
#[track_caller]
fn time_to_open(page: &Page, link: &str, elements: &str) -> f64 {
    page.eval(&format!(
        "(async () => {{
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            const started = performance.now();
            location.hash = '{link}';
            while (document.querySelector('#fact-elements b').textContent.replace(/\\u202f/g, '') !== '{elements}')
                await frame();
            await frame();
            await new Promise((done) => {{
                const painted = new MessageChannel();
                painted.port1.onmessage = done;
                painted.port2.postMessage(null);
            }});
            return performance.now() - started;
        }})()"
    ))
}

/// The number of pixels of the grid in black or white ink, which no colour map contains.
#[track_caller]
fn ink(page: &Page) -> usize {
    page.wait_two_frames();
    page.eval(
        "(() => { const canvas = document.querySelector('#grid .stack canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < data.length; i += 4)
                if (data[i + 3] === 255 && data[i] === data[i + 1] && data[i] === data[i + 2] && data[i] < 6) count += 1;
            return count; })()",
    )
}

fn sixteen_million_elements_draw_within_two_seconds(page: &Page) {
    open(page, "");
    for link in ["#v1/f32[4096,4096]{1,0};v=iota", "#v1/f32[4096,4096]{1,0:T(8,128)};v=iota"] {
        open(page, "#v1/f32[2,3]{1,0}");
        let before = slowdown(page);
        let time = time_to_open(page, link, "16777216");
        let factor = before.max(slowdown(page));
        assert!(time < 2_000.0 * factor, "{link}: {time:.0} ms (× {factor:.1})");
        assert_eq!(fact(page, "bytes"), "67108864");
    }
    page.key("g");
    page.wait_for("document.activeElement?.id === 'goto-target'");
    page.type_text("4095,4095");
    page.key("Enter");
    wait_for_spoken(page, "index 4095, 4095, value 16777215, slot 16777215");
}

fn zooming_reaches_the_numbers(page: &Page) {
    open(page, "#v1/f32[4096,4096]{1,0};v=iota;at=16777215");
    assert_eq!(ink(page), 0, "no labels on cells smaller than a pixel");
    assert_eq!(page.count(".minimap"), 0, "all of it is in view");
    page.run("document.querySelector('#grid').focus();");
    for _ in 0..20 {
        page.key("+");
    }
    page.key("ArrowLeft");
    page.key("ArrowRight");
    wait_for_spoken(page, "index 4095, 4095, value 16777215, slot 16777215");
    assert!(ink(page) > 200, "labels are painted");
    assert_eq!(page.count(".minimap"), 1);
    for _ in 0..20 {
        page.key("-");
    }
    assert_eq!(ink(page), 0);
}

/// Zooming in makes the grid higher and adds the minimap: quick clicks must all hit the button.
fn zoom_buttons_stay_under_the_pointer(page: &Page) {
    for (width, height) in [(1280, 900), (390, 844)] {
        page.viewport(width, height);
        open(page, "#v1/f32[8,224,224,3]{3,2,1,0}");
        page.wait_for("document.querySelector('#zoom-in')");
        let button_bounds = |page: &Page| page.bounds("#zoom-in");
        let (scrolled, before) = (page.eval::<f64>("scrollY"), button_bounds(page));
        for _ in 0..4 {
            page.run("document.querySelector('#zoom-in').click();");
            page.wait_two_frames();
            assert_eq!(button_bounds(page), before, "{width} pixels wide: the button stays");
            assert!(
                (page.eval::<f64>("scrollY") - scrolled).abs() < 0.5,
                "{width} pixels wide: the page stays"
            );
        }
        page.wait_for("document.querySelector('.minimap')");
        assert_eq!(button_bounds(page), before);
    }
}

/// A wide, flat grid: zoomed in, it uses the height that it needs.
fn a_flat_array_can_be_read(page: &Page) {
    open(page, "#v1/f32[20,200000]{1,0};v=iota");
    let (.., before) = page.bounds("#grid");
    page.run("document.querySelector('#grid').focus();");
    for _ in 0..24 {
        page.key("+");
    }
    page.wait_two_frames();
    let (.., after) = page.bounds("#grid");
    assert!(after > 250.0 && after > before, "{before} → {after} pixels high");
}
