//! Malformed values never run: the error is at its field, and an earlier result is marked as such.

use harness::{Page, Test};
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::{Experiment, link};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};

pub const TESTS: &[Test] = harness::tests![
    a_mistake_keeps_the_last_result_and_marks_it: IN_CHROME,
    a_link_with_a_mistake_shows_no_result: IN_FIREFOX,
    a_mistake_in_a_value_without_a_panel_has_a_field: IN_CHROME,
    a_queue_with_a_mistake_does_not_run: IN_FIREFOX,
    a_program_with_a_mistake_marks_the_result: IN_CHROME,
    the_layout_screen_shows_no_numbers_for_a_mistake: IN_FIREFOX,
    values_too_long_to_keep_mark_the_result: IN_CHROME,
];

const ADD: &str = "HloModule m\n\nENTRY e {\n  x = s32[2,2] parameter(0)\n  y = s32[2,2] parameter(1)\n  ROOT r = s32[2,2] add(x, y)\n}\n";

#[track_caller]
fn open(page: &Page, experiment: &Experiment) {
    page.goto(&format!("#{}", link::write(experiment)));
    page.wait_for("document.querySelector('#op-title')");
    page.wait_two_frames();
}

fn typed(texts: &[&str]) -> Vec<ValueRule> {
    texts.iter().map(|text| ValueRule::Text((*text).to_owned())).collect()
}

#[track_caller]
fn wait_for_result(page: &Page, result: &str) {
    page.wait_for(&format!("document.querySelector('#result-value')?.textContent === {}", quoted(result)));
}

/// The field keeps the typed text and displays its error.
#[track_caller]
fn points_at(page: &Page, field: &str, text: &str, said: &str) {
    assert_eq!(page.value(field), text);
    assert_eq!(page.attribute(field, "aria-invalid").as_deref(), Some("true"), "{field}");
    let problem = page.attribute(field, "aria-describedby").expect("the error is named");
    page.wait_for(&format!(
        "document.getElementById({})?.innerText.includes({})",
        quoted(&problem),
        quoted(said)
    ));
}

fn a_mistake_keeps_the_last_result_and_marks_it(page: &Page) {
    let values = typed(&["{{1, 2}, {3, 4}}", "{{10, 20}, {30, 40}}"]);
    open(page, &Experiment { values, ..Experiment::from_text(ADD) });
    wait_for_result(page, "{ { 11, 22 }, { 33, 44 } }");
    assert_eq!(page.count(".stale, #unreadable"), 0);
    for (text, said) in [
        ("{{1,2},{x}}", "x"),
        ("banana", "banana"),
        ("1, 2, 3", "3"),
        ("1, 2, 3, 4, 5", "5"),
        ("{{1, 2}, {3, 99999999999}}", "99999999999"),
        ("{{1, 2}, {3, 1.5}}", "1.5"),
        ("{...}", ""),
        ("", ""),
    ] {
        page.type_into("#array-0-typed", text);
        page.key("Tab");
        page.wait_for(
            "document.querySelector('#unreadable')?.innerText.startsWith('Result of the previous values')",
        );
        points_at(page, "#array-0-typed", text, said);
        assert_eq!(page.text("#result-value"), "{ { 11, 22 }, { 33, 44 } }", "{text}: the last result stays");
        assert!(page.count(".results .stale") == 1 && page.count(".flow.old") == 1, "{text}: and is marked");
        assert_eq!(page.attribute("#unreadable", "role").as_deref(), Some("alert"));
    }
    page.assert_accessible();
    // An error can be undone, and corrected.
    page.type_into("#array-0-typed", "{{1, 2}, {3, 5}}");
    page.key("Enter");
    wait_for_result(page, "{ { 11, 22 }, { 33, 45 } }");
    assert!(page.is_focused("#array-0-typed"));
    assert_eq!(page.count(".stale, #unreadable, .flow.old"), 0);
    page.type_into("#array-0-typed", "1, 2, 3");
    page.key("Tab");
    page.wait_for("document.querySelector('.values .fix')?.textContent === 'fill the rest with 0 (x)'");
    page.click(".values .fix");
    wait_for_result(page, "{ { 11, 22 }, { 33, 40 } }");
    page.click("#undo");
    page.click("#undo");
    wait_for_result(page, "{ { 11, 22 }, { 33, 45 } }");
}

fn a_link_with_a_mistake_shows_no_result(page: &Page) {
    let values = typed(&["{{1,2},{x}}"]);
    open(page, &Experiment { values, ..Experiment::from_text(ADD) });
    page.wait_for(
        "document.querySelector('#unreadable')?.innerText.startsWith('Nothing has run; fix lhs x')",
    );
    points_at(page, "#array-0-typed", "{{1,2},{x}}", "x");
    assert_eq!(page.count("#result-value, .results canvas, #working"), 0, "nothing is made up");
    page.assert_accessible();
    let hash: String = page.eval("location.hash");
    page.reload();
    page.wait_for("document.querySelector('#unreadable')");
    assert_eq!(page.eval::<String>("location.hash"), hash, "the text stays in the link");
    page.type_into("#array-0-typed", "{{1, 2}, {3, 4}}");
    page.key("Tab");
    wait_for_result(page, "{ { 1, 3 }, { 5, 7 } }");
}

fn a_mistake_in_a_value_without_a_panel_has_a_field(page: &Page) {
    let text = "HloModule m\n\nENTRY e {\n  x = (s32[2], s32[]) parameter(0)\n  ROOT g = get-tuple-element(x), index=0\n}\n";
    open(page, &Experiment { values: typed(&["( {1, 2} )"]), ..Experiment::from_text(text) });
    page.wait_for("document.querySelector('#unreadable-0-typed')");
    points_at(page, "#unreadable-0-typed", "( {1, 2} )", "");
    assert_eq!(page.count("#result-value"), 0);
    page.type_into("#unreadable-0-typed", "( {1, 2}, 3 )");
    page.key("Tab");
    wait_for_result(page, "{1, 2}");
}

fn a_queue_with_a_mistake_does_not_run(page: &Page) {
    let text =
        "HloModule m\n\nENTRY e {\n  t = token[] after-all()\n  ROOT i = (s32[], token[]) infeed(t)\n}\n";
    open(page, &Experiment::from_text(text));
    page.wait_for("document.querySelector('#op-title')");
    page.wait_two_frames();
    if page.count("#feed-0") == 0 {
        page.click("#feed-add");
        page.wait_for("document.querySelector('#feed-0')");
    }
    page.type_into("#feed-0", "one");
    page.key("Tab");
    page.wait_for("document.querySelector('#unreadable')");
    points_at(page, "#feed-0", "one", "");
}

fn a_program_with_a_mistake_marks_the_result(page: &Page) {
    page.goto("#ops1/@transpose");
    page.wait_for("document.querySelector('#result-value')");
    let before = page.text("#result-value");
    page.type_into("#attr-dimensions", "{0,x}");
    page.key("Tab");
    page.wait_for("document.querySelector('#result-behind')");
    points_at(page, "#attr-dimensions", "{0,x}", "");
    assert_eq!(page.text("#result-value"), before);
    assert_eq!(page.count(".results .stale"), 1);
    page.click("#undo");
    page.wait_for("!document.querySelector('#result-behind, .stale')");
    page.type_into("#array-0-shape", "f32[2,");
    page.key("Tab");
    page.wait_for("document.querySelector('#result-behind')");
    points_at(page, "#array-0-shape", "f32[2,", "");
}

fn the_layout_screen_shows_no_numbers_for_a_mistake(page: &Page) {
    crate::app::open(page, "#v1/s32[2,2]{1,0};v=typed.1,2,x,4;by=value");
    points_at(page, "#typed", "1,2,x,4", "x");
    crate::app::wait_for_spoken(page, "index 0, 0, value ?, slot 0");
    assert_eq!(crate::app::strip_text(page), "? ? ? ?");
}

fn values_too_long_to_keep_mark_the_result(page: &Page) {
    let values = typed(&["{{1, 2}, {3, 4}}", "{{10, 20}, {30, 40}}"]);
    open(page, &Experiment { values, ..Experiment::from_text(ADD) });
    wait_for_result(page, "{ { 11, 22 }, { 33, 44 } }");
    let length: usize = page.eval(
        "(() => { const field = document.querySelector('#array-0-typed');
            field.value = '1, '.repeat(100000);
            field.dispatchEvent(new Event('change', { bubbles: true }));
            return field.value.length; })()",
    );
    page.wait_for(
        "document.querySelector('#unreadable')?.innerText.startsWith('Result of the previous values')",
    );
    assert!(page.count(".results .stale") == 1 && page.count(".flow.old") == 1);
    assert_eq!(page.value("#array-0-typed").len(), length, "what was typed stays in its field");
    assert_eq!(page.attribute("#array-0-typed", "aria-invalid").as_deref(), Some("true"));
    // Shorter values are accepted.
    page.type_into("#array-0-typed", "{{1, 2}, {3, 5}}");
    page.key("Tab");
    wait_for_result(page, "{ { 11, 22 }, { 33, 45 } }");
    assert_eq!(page.count(".stale, #unreadable, .flow.old"), 0);
}
