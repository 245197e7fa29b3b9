//! The pictures of the Ops screen: windows over their base area, steps within a cell, moves in memory, the iterations
//! of a loop, and the difference between the editions.

use harness::{Emulation, Page, Test};
use xla_playground::state::experiment::{Experiment, link};
use xla_playground::view::axis_assignment::AxisAssignment;
use xla_playground::view::grid::Grid;

use crate::app::{IN_CHROME, IN_FIREFOX, choose_option};

pub const TESTS: &[Test] = harness::tests![
    dragging_the_window_scrubs,
    the_window_chosen_from_is_dragged_too: IN_FIREFOX,
    steps_within_a_cell_say_each_application: IN_CHROME,
    keys_step_within_a_cell: IN_FIREFOX,
    a_loop_shows_its_carried_values: IN_CHROME,
    a_key_moves_on_from_the_hovered_output: IN_CHROME,
    a_clamped_index_is_said_in_the_working: IN_CHROME,
    the_winner_of_a_window_is_marked: IN_FIREFOX,
    moves_in_memory_are_described: IN_FIREFOX,
    the_example_of_both_editions_opens_with_their_comparison: IN_FIREFOX,
    the_other_edition_is_compared_cell_by_cell: IN_CHROME,
    an_edition_rejects_what_came_later_and_offers_what_there_was: IN_FIREFOX,
    the_catalogue_is_a_select_on_narrow_pages: IN_FIREFOX,
    narrow_pages_do_not_scroll_sideways: IN_CHROME,
    no_violation_in_light: IN_CHROME,
    no_violation_in_dark: IN_FIREFOX,
];

#[track_caller]
fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for(
        "document.querySelector('#op-title') && document.querySelector('#result-shape, #run-failed')",
    );
    page.wait_two_frames();
}

/// The address of the text.
fn address(text: &str) -> String {
    format!("#{}", link::write(&Experiment::from_text(text)).trim_start_matches('#'))
}

/// The centre of a cell of a displayed grid whose base area has these sizes.
#[track_caller]
fn middle(page: &Page, grid: &str, sizes: &[i64], index: &[i64]) -> (f64, f64) {
    page.run(&format!("document.querySelector('{grid}').scrollIntoView({{ block: 'center' }});"));
    page.wait_two_frames();
    let (left, top, ..) = page.bounds(grid);
    let width: f64 = page.with_element(grid, "(each) => each.parentElement.clientWidth");
    // The greatest height of a grid and size of its cells on the page.
    let drawn =
        Grid::fitted_to(sizes, AxisAssignment::new(sizes, None), &[], (width.max(120.0), 380.0), 46.0);
    let rect = drawn.rect(index).unwrap();
    (left + rect.x + rect.w / 2.0, top + rect.y + rect.h / 2.0)
}

#[track_caller]
fn wait_for_cell(page: &Page, cell: &str) {
    page.wait_for(&format!("document.querySelector('#working').textContent.startsWith('out[{cell}] = ')"));
}

#[track_caller]
fn text_is(page: &Page, selector: &str, expected: &str) {
    page.wait_for(&format!(
        "document.querySelector('{selector}')?.textContent.trim() === {}",
        crate::app::quoted(expected)
    ));
}

fn dragging_the_window_scrubs(page: &Page) {
    // Windows of 2 by 3, adjacent: the window follows the pointer in whole strides.
    open(page, "#ops1/@reduce-window");
    wait_for_cell(page, "0,0");
    let from = middle(page, "#array-0", &[4, 6], &[1, 1]);
    let to = middle(page, "#array-0", &[4, 6], &[1, 4]);
    page.drag_between(from, to);
    wait_for_cell(page, "0,1");
    let from = middle(page, "#array-0", &[4, 6], &[0, 3]);
    let to = middle(page, "#array-0", &[4, 6], &[3, 0]);
    page.drag_between(from, to);
    wait_for_cell(page, "1,0");
    assert_eq!(page.text("#scrub + output"), "output 2 / 3");
    // A finger on the window drags it; elsewhere it scrolls the page.
    let touch: Vec<String> = page.eval(
        "['#array-0', '#array-0 .window-handle'].map((each) => getComputedStyle(document.querySelector(each)).touchAction)",
    );
    assert_eq!(touch, ["pan-y", "none"]);
    let handle: [f64; 2] =
        page.with_element("#array-0 .window-handle", "(each) => [each.offsetWidth, each.offsetHeight]");
    let cells: [f64; 2] =
        page.with_element("#array-0", "(each) => [each.offsetWidth / 6, each.offsetHeight / 4]");
    assert!(handle[0] > 2.0 * cells[0] && handle[1] > 1.5 * cells[1], "{handle:?} {cells:?}");
    // Over padding too, where the window covers no element.
    open(
        page,
        &address(
            "HloModule m ENTRY e { x = s32[3] constant({1,2,3}) z = s32[] constant(0)
             ROOT r = reduce-window(x, z), window={size=2 pad=1_1 rhs_dilate=2}, to_apply={
               a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) } }",
        ),
    );
    wait_for_cell(page, "0");
    assert_eq!(page.text("#working"), "out[0] = 0 + 2 = 2");
    let from = middle(page, "#array-0", &[5], &[0]);
    let to = middle(page, "#array-0", &[5], &[2]);
    page.drag_between(from, to);
    wait_for_cell(page, "2");
}

fn the_window_chosen_from_is_dragged_too(page: &Page) {
    open(page, "#ops1/@select-and-scatter");
    let from = middle(page, "#array-0", &[4, 6], &[0, 0]);
    let to = middle(page, "#array-0", &[4, 6], &[0, 3]);
    page.drag_between(from, to);
    // The window on the right selected 10, which gets the 6 of the source.
    wait_for_cell(page, "0,4");
    assert!(page.text("#working").ends_with("= 6"), "{}", page.text("#working"));
}

fn steps_within_a_cell_say_each_application(page: &Page) {
    open(page, "#ops1/@reduce-window");
    text_is(page, "#inner-status", "inside this cell: 6 applications");
    for (index, (a, b)) in [("-inf", 1), ("1", 2), ("2", 3), ("3", 7), ("7", 8), ("8", 9)].iter().enumerate()
    {
        page.click("#inner-next");
        let expected = format!("application {} of 6: max({a}, {b}) = {b}", index + 1);
        text_is(page, "#inner-status", &expected);
    }
    assert!(page.with_element::<bool>("#inner-next", "(each) => each.disabled"));
    // Another cell starts at its first step.
    page.click("#next");
    text_is(page, "#inner-status", "inside this cell: 6 applications");
    open(page, "#ops1/@sort");
    page.click("#inner-next");
    page.wait_for("/^application 1 of [0-9]+: .* = (true|false)$/.test(document.querySelector('#inner-status').textContent)");
    open(page, "#ops1/@dot");
    page.click("#inner-next");
    page.click("#inner-next");
    text_is(page, "#inner-status", "product 2 of 2: lhs[0,1] · rhs[1,0] = 2 · 7");
    // The link has the step.
    page.wait_two_frames();
    page.reload();
    text_is(page, "#inner-status", "product 2 of 2: lhs[0,1] · rhs[1,0] = 2 · 7");
}

fn keys_step_within_a_cell(page: &Page) {
    open(page, "#ops1/@dot");
    page.key(".");
    text_is(page, "#inner-status", "product 1 of 2: lhs[0,0] · rhs[0,0] = 1 · 5");
    page.key(".");
    page.wait_for("document.querySelector('#inner-status').textContent.startsWith('product 2')");
    page.key(",");
    page.wait_for("document.querySelector('#inner-status').textContent.startsWith('product 1')");
    page.key(".");
    page.wait_for("document.querySelector('#inner-status').textContent.startsWith('product 2')");
    // After the last step comes the next cell.
    page.key(".");
    wait_for_cell(page, "0,1");
}

fn a_loop_shows_its_carried_values(page: &Page) {
    open(page, "#ops1/@while.1");
    assert_eq!(page.texts("#states tr[aria-current] td"), ["0", "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"]);
    page.click("#next");
    page.wait_for("document.querySelector('#states tr[aria-current] td').textContent === '1'");
    page.run(
        "const range = document.querySelector('#scrub'); range.value = 700;
         range.dispatchEvent(new Event('input', { bubbles: true }));",
    );
    page.wait_for("document.querySelector('#states tr[aria-current] td').textContent === '700'");
    assert!(page.text("#iteration-said").starts_with("after 700 of "));
    // A click on a row moves to its iteration.
    page.click("#states tbody tr:first-child");
    page.wait_for("document.querySelector('#states tr[aria-current] td').textContent === '697'");
    // The result is always the last row.
    page.click("#states tbody tr:last-child");
    page.wait_for(
        "document.querySelector('#next').disabled
            && document.querySelector('#states tbody tr:last-child').hasAttribute('aria-current')",
    );
    // A number that is carried alone: its iterations are played.
    open(page, "#ops1/@while");
    assert_eq!(page.texts("#states thead th:not(:first-child)"), ["out"]);
    page.wait_for(
        "document.querySelector('#states tbody tr:last-child td').textContent
            === document.querySelector('#result-value').textContent",
    );
    assert!(!page.with_element::<bool>("#play", "(each) => each.disabled"));
    page.assert_accessible();
    // A call is no loop.
    open(
        page,
        &address(
            "HloModule m ENTRY e { n = s32[] constant(1)
             ROOT r = call(n), to_apply={ b = s32[] parameter(0) ROOT d = add(b, b) } }",
        ),
    );
    page.wait_for("document.querySelector('#play').disabled && !document.querySelector('#states')");
    assert_eq!(
        page.attribute("#play", "title").as_deref(),
        Some("The result has one cell: there is nothing to play.")
    );
    // Loops without an end: one that counts, and one whose value comes back.
    for (start, step, said) in [
        (1, "one", "The loop had not ended here: its condition was still true."),
        (0, "b", "This loop never ends: the carried values repeat, and its condition stays true."),
    ] {
        let text = format!(
            "HloModule m ENTRY e {{ n = s32[] constant({start}) ROOT r = while(n),
             condition={{ a = s32[] parameter(0) ROOT c = pred[] constant(true) }},
             body={{ b = s32[] parameter(0) one = s32[] constant(1) ROOT d = add(b, {step}) }} }}"
        );
        // The loop itself runs on in the worker, without a result.
        page.goto(&address(&text));
        page.wait_for("document.querySelector('#iterations-cut')");
        text_is(page, "#iterations-cut", said);
        assert_eq!(page.text("#states tr[aria-current] td"), start.to_string());
        assert!(page.text("#iteration-said").starts_with("after 0 of at least "));
    }
}

fn the_winner_of_a_window_is_marked(page: &Page) {
    open(page, "#ops1/@select-and-scatter");
    // The window of out[0,0] selects 9 at [1,2].
    text_is(page, "#winners", "✓ selected in its window: [1,2] of [0:2,0:3]");
    page.wait_for("document.querySelector('#array-0-lit').textContent.endsWith('selected: [1,2]')");
    // Without a selection nothing is marked.
    open(page, "#ops1/@reduce-window");
    assert_eq!(page.count("#winners"), 0);
}

fn a_key_moves_on_from_the_hovered_output(page: &Page) {
    open(page, "#ops1/@reduce-window");
    wait_for_cell(page, "0,0");
    let rest = middle(page, "#array-2", &[2, 2], &[1, 1]);
    page.hover_at(rest);
    wait_for_cell(page, "1,1");
    page.key("]");
    wait_for_cell(page, "0,1");
    page.hover_at((rest.0 + 2.0, rest.1));
    wait_for_cell(page, "1,1");
}

fn a_clamped_index_is_said_in_the_working(page: &Page) {
    open(page, "#ops1/@gather.2");
    text_is(page, "#clamped", "The start index -1 in d0 is out of range: 0 is used.");
    page.click("#next");
    page.wait_for("!document.querySelector('#clamped')");
    open(page, "#ops1/@dynamic-slice.3");
    text_is(page, "#clamped", "The start index 4 in d0 is out of range: 3 is used.");
    // The slice that the cell is copied from is framed, and named.
    page.wait_for(
        "document.querySelector('#copied-slice').textContent.includes('copied from the slice [3:5]')",
    );
    page.assert_accessible();
    // In 2017 nothing is clamped.
    open(page, "#ops1/@DynamicSlice.2");
    text_is(
        page,
        "#clamped",
        "The slice from 4 runs past the end of d0: XLA 2017 wraps indices around, modulo 5.",
    );
}

fn moves_in_memory_are_described(page: &Page) {
    let x = "x = s32[2,3] constant({{1,2,3},{4,5,6}})";
    open(page, &address(&format!("HloModule m ENTRY e {{ {x} ROOT r = s32[3,2] reshape(x) }}")));
    text_is(page, "#moving", "bitcast: nothing moves");
    open(
        page,
        &address(&format!(
            "HloModule m ENTRY e {{ {x} ROOT r = s32[3,2]{{1,0}} transpose(x), dimensions={{1,0}} }}"
        )),
    );
    text_is(page, "#moving", "4 of 6 elements move to another slot");
    page.click("#moving-show");
    page.wait_for(
        "document.querySelector('#moving-from canvas') && document.querySelector('.moving .connectors canvas')",
    );
    // The strips follow the step: out[0,1] is 4, in slot 3 before and in slot 1 now.
    page.click("#next");
    page.wait_for(
        "document.querySelector('#moving-from-slot').textContent.includes('slot 3')
            && document.querySelector('#moving-to-slot').textContent.includes('slot 1')",
    );
    open(page, "#ops1/@dot");
    assert_eq!(page.count("#moving"), 0, "a product moves nothing");
}

fn choose_2017(page: &Page) {
    choose_option(page, "#edition", "2017");
}

fn an_edition_rejects_what_came_later_and_offers_what_there_was(page: &Page) {
    open(page, "#ops1/@iota");
    text_is(page, "#edition-since", "Not available in XLA 2017. Use a constant.");
    choose_2017(page);
    text_is(page, "#edition-refused", "XLA 2017 rejects this: iota is not available in XLA 2017");
    assert_eq!(page.value("#edition"), "2017");
    page.click("#fix");
    page.wait_for("!document.querySelector('#edition-refused')");
    page.wait_for(
        "document.querySelector('#result-value').textContent.replace(/\\s/g, '') === '{{0,1,2},{0,1,2}}'",
    );
    assert_eq!(page.value("#edition"), "2017");
    // The example of a difference, and the formula of each edition.
    open(page, "#ops1/@dynamic-slice.2017");
    text_is(page, ".rules .formula", "out[i] = operand[clamp(0, start, size - slice size) + i]");
    text_is(page, "#result-value", "{4, 5, 6, 7}");
    choose_2017(page);
    text_is(page, ".rules .formula", "out[i] = operand[(start + i) mod size]");
    text_is(page, "#result-value", "{6, 7, 0, 1}");
    assert_eq!(page.count("#edition-change dd"), 3);
    page.click("#use-current");
    text_is(page, "#result-value", "{4, 5, 6, 7}");
    assert_eq!(page.count("#use-current"), 0);
}

fn the_example_of_both_editions_opens_with_their_comparison(page: &Page) {
    open(page, "#ops1/@dynamic-slice");
    page.wait_for("document.querySelector('#compare-editions:not(:checked)')");
    assert_eq!(page.count("#editions-said"), 0);
    open(page, "#ops1/@dynamic-slice.2017");
    page.wait_for("document.querySelector('#compare-editions').checked");
    page.wait_for(
        "document.querySelector('#editions-said').textContent.startsWith('The editions differ in')",
    );
}

fn the_other_edition_is_compared_cell_by_cell(page: &Page) {
    let text = "HloModule m ENTRY e { x = f32[3] constant({nan,2,3}) y = f32[3] constant({1,1,4})
                ROOT r = maximum(x, y) }";
    open(page, &address(text));
    page.click("#compare-editions");
    text_is(page, "#editions-said", "The editions differ in 1 of 3 cells, marked by a corner.");
    assert_eq!(page.texts("#editions-cells li"), ["out[0]: 1"]);
    choose_2017(page);
    page.wait_for("document.querySelector('#editions-cells li')?.textContent === 'out[0]: nan'");
    page.wait_for("document.querySelector('#result-value').textContent === '{1, 2, 4}'");
    // What the other edition writes differently is rewritten for both.
    open(page, "#ops1/@dynamic-slice");
    page.click("#compare-editions");
    text_is(
        page,
        "#editions-said",
        "XLA 2017 does not accept this program, whatever its values: XLA 2017 takes all start indices in one vector",
    );
    text_is(page, "#editions-on", "Join the start indices to one vector");
    page.click("#editions-on");
    page.wait_for(
        "document.querySelector('#editions-said').textContent.startsWith('The editions agree here')
            && !document.querySelector('#editions-on')",
    );
    assert_eq!(page.value("#edition"), "now");
    // Where nothing rewrites it, the example of the other edition shows the difference.
    let text = "HloModule m ENTRY e { x = s32[1,1,2] constant({{{1,2}}}) y = s32[1,2,1] constant({{{3},{4}}})
                ROOT r = dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }";
    open(page, &address(text));
    page.click("#compare-editions");
    text_is(page, "#editions-on", "Show the example of XLA 2017");
    page.click("#editions-on");
    page.wait_for("document.querySelector('#edition').value === '2017'");
    page.wait_for(
        "document.querySelector('#result-value').textContent.replace(/\\s/g, '') === '{{19,22},{43,50}}'",
    );
    // The link has the comparison.
    page.wait_two_frames();
    page.reload();
    page.wait_for("document.querySelector('#compare-editions')?.checked");
    open(page, "#ops1/@transpose");
    page.wait_for("!document.querySelector('#compare-editions').checked");
}

fn the_catalogue_is_a_select_on_narrow_pages(page: &Page) {
    page.viewport(320, 640);
    open(page, "#ops1/@dot");
    let is_visible = |selector: &str| page.with_element::<bool>(selector, "(each) => each.checkVisibility()");
    assert!(is_visible("#choose-op") && is_visible("#find-op") && !is_visible(".catalogue .groups"));
    page.type_into("#find-op", "max pool");
    page.wait_for("document.querySelector('.catalogue .op').textContent.startsWith('ReduceWindow')");
    assert!(is_visible(".catalogue .op"), "matches follow the search");
    choose_option(page, "#choose-op", "pad");
    page.wait_for("document.querySelector('#op-title code').textContent === 'pad'");
    assert_eq!(page.value("#choose-op"), "pad");
}

fn narrow_pages_do_not_scroll_sideways(page: &Page) {
    page.viewport(320, 640);
    for op in [
        "dot",
        "reduce-window.4",
        "select-and-scatter",
        "convolution.6",
        "while",
        "sort",
        "gather",
        "pad",
        "dynamic-slice.2017",
    ] {
        open(page, &format!("#ops1/@{op}"));
        let wide: Vec<String> = page.eval(
            "document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
                .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
                .map((each) => each.outerHTML.slice(0, 90))",
        );
        assert_eq!(wide, Vec::<String>::new(), "{op}");
    }
}

#[track_caller]
fn audit(page: &Page) {
    for op in ["reduce-window.4", "select-and-scatter", "convolution", "while", "transpose"] {
        open(page, &format!("#ops1/@{op}"));
        if page.count("#editions-said") == 0 {
            page.click("#compare-editions");
        }
        page.wait_for("document.querySelector('#editions-said').textContent !== ''");
        if page.count("#moving-show[aria-pressed=false]") > 0 {
            page.click("#moving-show");
        }
        page.wait_two_frames();
        page.assert_accessible();
    }
}

fn no_violation_in_light(page: &Page) {
    audit(page);
}

fn no_violation_in_dark(page: &Page) {
    page.emulate(Emulation { dark: true, reduced_motion: true });
    audit(page);
}
