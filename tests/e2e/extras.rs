//! What the landing page loads when it is first asked for: dialogs, the comparison, the arrays of a tuple.

use harness::{Page, Reply, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, wait_for_spoken};
use crate::causes::{has_cause, in_both_languages};

pub const TESTS: &[Test] = harness::tests![
    nothing_of_it_is_loaded_until_it_is_asked_for: IN_FIREFOX,
    every_opener_loads_it: IN_CHROME,
    typed_values_load_it: IN_CHROME,
    a_link_that_shows_it_waits_for_it,
    its_failure_is_reported_and_tried_again: IN_FIREFOX,
    a_damaged_file_is_reported,
];

/// The name of the file.
const FILE: &str = "extras.wasm";

/// How many times the page has asked for the file.
#[track_caller]
fn requests(page: &Page) -> usize {
    page.eval(
        "performance.getEntriesByType('resource').filter((one) => one.name.includes('/extras-')).length",
    )
}

fn nothing_of_it_is_loaded_until_it_is_asked_for(page: &Page) {
    open(page, "");
    page.click("#next");
    page.click("#by-value");
    page.click("#undo");
    page.wait_two_frames();
    assert_eq!(requests(page), 0);
    // While it is on its way, the button says so.
    page.site().reply_with(FILE, Reply::Hang);
    page.click("#share");
    page.wait_for("document.querySelector('#share').getAttribute('aria-busy') === 'true'");
    assert_eq!(page.count("dialog") + page.count("[aria-busy='true']:not(#share)"), 0);
    page.site().reset_replies();
    page.reload();
    page.click("#share");
    page.wait_for("document.querySelector('#share-dialog')?.open");
    assert_eq!(page.attribute("#share", "aria-busy"), None);
    page.key("Escape");
    page.wait_for("!document.querySelector('dialog')");
    page.click("#help");
    page.wait_for("document.querySelector('#help-dialog')?.open");
    assert_eq!(requests(page), 1, "once");
    page.take_problems();
}

fn typed_values_load_it(page: &Page) {
    open(page, "#v1/f32[2,3]{1,0};v=iota");
    assert_eq!(requests(page), 0);
    page.with_element::<()>(
        "#values",
        "(select) => { select.value = 'typed'; select.dispatchEvent(new Event('change', { bubbles: true })); }",
    );
    page.wait_for("document.querySelector('#typed')");
    page.type_into("#typed", "{ { 41, 2, 3 }, { 4, 5, 6 } }");
    // Each key takes effect, without Enter or leaving the field.
    wait_for_spoken(page, "index 0, 0, value 41, slot 0");
    page.key("Tab");
    assert_eq!(requests(page), 1);
    // A link with typed values shows them at once.
    page.reload();
    wait_for_spoken(page, "index 0, 0, value 41, slot 0");
    assert_eq!(page.text("#values-problem"), "");
}

fn every_opener_loads_it(page: &Page) {
    for opener in ["#examples", "#help", "#share", "#goto"] {
        page.goto("");
        open(page, "#v1/f32[2,3]{1,0};v=iota");
        page.click(opener);
        page.wait_for("document.querySelector('dialog')?.open");
        assert!(
            page.eval::<bool>("document.querySelector('dialog').contains(document.activeElement)"),
            "{opener}"
        );
        assert_eq!(requests(page), 1, "{opener}");
        page.key("Escape");
        page.wait_for("!document.querySelector('dialog')");
        page.wait_for(&format!("document.activeElement?.matches('{opener}')"));
    }
    page.goto("");
    open(page, "#v1/f32[2,3]{1,0};v=iota");
    page.click("#compare-toggle");
    page.wait_for("document.querySelector('#moves') && document.querySelector('#grid-b')");
    assert_eq!(page.attribute("#compare-toggle", "aria-busy"), None);
}

fn a_link_that_shows_it_waits_for_it(page: &Page) {
    // Each query is a document of its own: a link to an embed would reload the page by itself, at any time.
    for (link, shown) in [
        ("?array#v1/f32[2,3]{1,0};v=iota;with={0,1}", "#grid-b"),
        ("?embed#embed/v1/f32[2,3]{1,0};v=iota;with={0,1}", "#grid-b"),
        ("?tuple#v1/(f32[2],s32[3]);i=1", "#leaf-1"),
    ] {
        page.site().reply_with(FILE, Reply::Hold);
        page.visit(&format!("{}{link}", page.site().url()));
        page.wait_for("document.querySelector('#grid') || document.querySelector('#boot-percent')?.textContent === '100 %'");
        // Both come at once: nothing moves when the second grid arrives.
        page.run(&format!(
            "window.cameTogether = null;
            const look = () => {{
                if (window.cameTogether === null && document.querySelector('#grid')) {{
                    window.cameTogether = Boolean(document.querySelector('{shown}'));
                }}
            }};
            look();
            new MutationObserver(look).observe(document, {{ childList: true, subtree: true }});"
        ));
        page.site().reset_replies();
        page.wait_for("window.cameTogether !== null");
        assert!(page.eval::<bool>("window.cameTogether"), "{link}");
    }
}

fn its_failure_is_reported_and_tried_again(page: &Page) {
    page.site().reply_with(FILE, Reply::Status(404));
    open(page, "#v1/f32[2,3]{1,0};v=iota");
    page.click("#help");
    page.wait_for("document.querySelector('#extras-problem')");
    assert!(has_cause(page, "#extras-problem", "status"));
    assert_eq!(page.attribute("#help", "aria-busy"), None);
    in_both_languages(page, "#extras-problem", "could not be loaded", "无法加载");
    page.assert_accessible();
    page.click("#extras-close");
    page.wait_for("!document.querySelector('#extras-problem')");
    page.click("#share");
    page.wait_for("document.querySelector('#extras-problem')");
    page.site().reset_replies();
    page.click("#extras-again");
    page.wait_for("document.querySelector('#share-dialog')?.open");
    assert_eq!(page.count("#extras-problem"), 0);
    page.take_problems();
}

fn a_damaged_file_is_reported(page: &Page) {
    page.site().reply_with(FILE, Reply::Content(b"\0asm\x01\0\0\0\x07".to_vec()));
    open(page, "#v1/f32[2,3]{1,0};v=iota;with={0,1}");
    page.wait_for("document.querySelector('#extras-problem')");
    assert!(has_cause(page, "#extras-problem", "damaged"));
    assert_eq!(page.count("#grid-b"), 0);
    page.site().reset_replies();
    // The same button as for a missing file.
    page.click("#extras-again");
    page.wait_for("document.querySelector('#grid-b')");
    assert_eq!(page.count("#extras-problem"), 0);
    page.take_problems();
}
