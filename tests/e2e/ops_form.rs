//! The form of the Ops screen: the edition, the parameters, and how the program runs.

use harness::{Page, Test};

use xla_playground::state::experiment::{Experiment, link};

use crate::app::{IN_CHROME, IN_FIREFOX, choose_option, open_run, quoted};

pub const TESTS: &[Test] = harness::tests![
    how_it_runs_folds_and_stays_open_for_the_visit: IN_FIREFOX,
    how_it_runs_is_said_where_it_is_folded: IN_CHROME,
    the_edition_is_in_view_where_it_rejects_a_program: IN_FIREFOX,
    an_attribute_keeps_what_was_typed_with_its_error: IN_CHROME,
    a_number_that_is_rejected_stays_in_its_table: IN_FIREFOX,
    each_field_has_its_own_error: IN_CHROME,
    a_broadcast_is_inserted_at_the_operand: IN_FIREFOX,
    a_computation_is_edited_in_the_text: IN_CHROME,
    a_constant_of_a_loop_is_a_field_and_its_iterations_are_played: IN_FIREFOX,
    keys_undo_edits_in_their_field,
    another_type_of_one_operand_is_followed_by_the_other: IN_CHROME,
    values_of_another_count_offer_their_shape: IN_CHROME,
    equal_paddings_say_so: IN_FIREFOX,
    start_indices_take_the_form_of_the_edition: IN_CHROME,
    an_op_is_found_as_it_was_left: IN_FIREFOX,
    numbers_typed_before_the_next_rendering_are_all_kept: IN_CHROME,
    nothing_covers_the_fix_of_an_operand: IN_CHROME,
    an_error_by_a_shape_stands_at_the_attribute_too: IN_FIREFOX,
    the_text_stays_in_its_place_while_one_types,
];

#[track_caller]
fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for(
        "document.querySelector('#op-title') && document.querySelector('#result-shape, #run-failed')",
    );
    page.wait_two_frames();
}

fn how_it_runs_folds_and_stays_open_for_the_visit(page: &Page) {
    open(page, "#ops1/@dot");
    assert_eq!(page.count("#run[open]"), 0);
    page.with_element::<()>("#run > summary", "(summary) => summary.focus()");
    page.key("Enter");
    page.wait_for(
        "document.querySelector('#run[open]') && document.querySelector('#kernels').checkVisibility()",
    );
    page.assert_accessible();
    // Another op, and the page loaded again.
    open(page, "#ops1/@pad");
    page.wait_for("document.querySelector('#run[open]')");
    page.reload();
    page.wait_for("document.querySelector('#run[open]')");
    page.with_element::<()>("#run > summary", "(summary) => summary.focus()");
    page.key("Enter");
    page.wait_for("document.querySelector('#run:not([open])')");
    // The toggle event, which saves the choice, comes after the attribute has changed.
    page.wait_two_frames();
    page.reload();
    page.wait_for("document.querySelector('#run:not([open])')");
}

fn how_it_runs_is_said_where_it_is_folded(page: &Page) {
    open(page, "#ops1/@dot");
    assert_eq!(page.text("#run > summary"), "Run settings");
    open_run(page);
    choose_option(page, "#kernels", "kernels-off");
    page.wait_for_text("#run > summary", "Run settings\nreference evaluator only");
    page.click("#run > summary");
    page.wait_for_text("#run > summary", "Run settings\nreference evaluator only");
}

fn the_edition_is_in_view_where_it_rejects_a_program(page: &Page) {
    page.viewport(1280, 800);
    open(page, "#ops1/@iota");
    choose_option(page, "#edition", "2017");
    page.wait_for("document.querySelector('#edition').getAttribute('aria-invalid') === 'true'");
    assert_eq!(page.attribute("#edition", "aria-describedby").as_deref(), Some("edition-refused"));
    assert!(page.with_element::<bool>(
        "#edition-refused",
        "(each) => each.checkVisibility() && each.getBoundingClientRect().bottom < innerHeight / 2"
    ));
    page.assert_accessible();
    // The error in the text leads back to the edition that has the op.
    page.with_element::<()>(
        "#hlo-problems",
        "(list) => [...list.querySelectorAll('.fix')].find((each) => each.textContent === 'Use current XLA').click()",
    );
    page.wait_for("document.querySelector('#edition').value === 'now'");
    page.wait_for("!document.querySelector('#edition-refused, #hlo-problems .problem')");
}

/// The field shows this text, with an error that has this part.
#[track_caller]
fn points_at(page: &Page, field: &str, text: &str, part: &str) {
    page.wait_for(&format!("document.querySelector('{field}').getAttribute('aria-invalid') === 'true'"));
    assert_eq!(page.value(field), text);
    let problem = page.attribute(field, "aria-describedby").expect("the error is named");
    let said = page.text(&format!("[id='{problem}']"));
    assert!(!said.is_empty() && said.contains(part), "{field}: {said}");
}

/// The field shows this text without an error.
#[track_caller]
fn is_fine(page: &Page, field: &str, text: &str) {
    page.wait_for(&format!(
        "(field => field.getAttribute('aria-invalid') === 'false' && field.value === {})(document.querySelector('{field}'))",
        quoted(text)
    ));
    assert_eq!(page.attribute(field, "aria-describedby"), None);
    assert_eq!(page.text(&format!("{field}-problem")), "");
}

#[track_caller]
fn enter(page: &Page, field: &str, text: &str) {
    page.type_into(field, text);
    page.key("Enter");
}

fn an_attribute_keeps_what_was_typed_with_its_error(page: &Page) {
    open(page, "#ops1/@transpose");
    let before = page.value("#attr-dimensions");
    enter(page, "#attr-dimensions", "{0,");
    points_at(page, "#attr-dimensions", "{0,", "");
    page.assert_accessible();
    // Typing another text that is wrong replaces the first one, though it has no end.
    enter(page, "#attr-dimensions", "{0,0}");
    points_at(page, "#attr-dimensions", "{0,0}", "0");
    enter(page, "#attr-dimensions", &before);
    is_fine(page, "#attr-dimensions", &before);
    assert_eq!(page.count("#hlo-problems .problem"), 0);
    // A fix is at the field too.
    enter(page, "#attr-dimensions", "{9,9}");
    points_at(page, "#attr-dimensions", "{9,9}", "");
    page.click("#attr-dimensions-problem .fix");
    page.wait_for("!document.querySelector('#hlo-problems .problem')");
}

fn a_number_that_is_rejected_stays_in_its_table(page: &Page) {
    open(page, "#ops1/@reduce-window");
    let cell = "#attr-window-0-0";
    page.type_into(cell, "-3");
    points_at(page, cell, "-3", "");
    assert!(page.is_focused(cell), "the table stays while its numbers cannot be read");
    page.type_into(cell, "1");
    page.wait_for("!document.querySelector('#hlo-problems .problem')");
    page.wait_for(&format!("document.querySelector('{cell}').getAttribute('aria-invalid') === 'false'"));
    assert_eq!(page.value(cell), "1");
    page.wait_for("document.querySelector('#attr-window').value.startsWith('{size=1x3')");
}

fn each_field_has_its_own_error(page: &Page) {
    open(page, "#ops1/@dot");
    let (lhs, rhs) = ("#attr-lhs_contracting_dims", "#attr-rhs_contracting_dims");
    enter(page, lhs, "{x");
    points_at(page, lhs, "{x", "");
    is_fine(page, rhs, "{0}");
    enter(page, rhs, "{y");
    page.wait_for(&format!("document.querySelector('{rhs}').value === '{{y'"));
    enter(page, lhs, "{1}");
    is_fine(page, lhs, "{1}");
    points_at(page, rhs, "{y", "");
    enter(page, rhs, "{0}");
    is_fine(page, rhs, "{0}");
    assert_eq!(page.count("#hlo-problems .problem, .stale"), 0);
}

const SUM: &str = "HloModule m\n\nENTRY e {\n  x = s32[2,3] parameter(0)\n  y = s32[2,3] parameter(1)\n  ROOT r = s32[2,3] add(x, y)\n}\n";

fn a_broadcast_is_inserted_at_the_operand(page: &Page) {
    open(page, &format!("#{}", link::write(&Experiment::from_text(SUM)).trim_start_matches('#')));
    enter(page, "#array-1-shape", "s32[1,3]");
    points_at(page, "#array-1-shape", "s32[1,3]", "Insert broadcast");
    is_fine(page, "#array-0-shape", "s32[2,3]{1,0}");
    page.assert_accessible();
    page.with_element::<()>(
        "#array-1-shape-problem",
        "(problem) => [...problem.querySelectorAll('.fix')].find((fix) => fix.textContent === 'Insert broadcast').click()",
    );
    page.wait_for("document.querySelector('#hlo').value.includes('broadcast(')");
    page.wait_for("document.querySelector('#result-shape').textContent.startsWith('s32[2,3]') && !document.querySelector('.stale')");
}

fn a_computation_is_edited_in_the_text(page: &Page) {
    open(page, "#ops1/@while");
    page.click("#attr-body");
    page.wait_for("document.activeElement.id === 'hlo'");
    let caret = "(field) => { if (field.selectionStart !== field.selectionEnd) throw new Error('typing would replace the line');
        return field.value.slice(field.selectionStart).split('\\n')[0]; }";
    let line: String = page.with_element("#hlo", caret);
    assert!(line.contains("parameter(0)"), "{line}");
    assert_eq!(page.attribute("#attr-body", "aria-label").unwrap(), "Edit in the HLO text: body");
    let from: usize = page.with_element("#hlo", "(field) => field.selectionStart");
    page.click("#attr-condition");
    page.wait_for(&format!("document.querySelector('#hlo').selectionStart !== {from}"));
}

fn a_constant_of_a_loop_is_a_field_and_its_iterations_are_played(page: &Page) {
    open(page, "#ops1/@while");
    let limit: String = page.eval("document.querySelector('.constant input').id");
    let limit = format!("#{limit}");
    enter(page, &limit, "9x");
    points_at(page, &limit, "9x", "");
    enter(page, &limit, "20");
    page.wait_for(
        "document.querySelector('#result-value').textContent === '32' && !document.querySelector('.stale')",
    );
    page.wait_for_text("#iteration-said", "after 0 of 5 iterations");
    // The player plays them; the key does too.
    page.click("#play");
    page.wait_for_text("#iteration-said", "after 5 of 5 iterations");
    page.wait_for_text("#play", "Play");
    page.assert_accessible();
    // While the text has an error, the iterations are previous ones.
    enter(page, &limit, "9x");
    page.wait_for("document.querySelector('.iterations .stale')");
    enter(page, &limit, "20");
    page.wait_for("!document.querySelector('.iterations .stale')");
}

fn values_of_another_count_offer_their_shape(page: &Page) {
    open(page, "#ops1/@negate");
    choose_option(page, "#array-0-values", "typed");
    enter(page, "#array-0-typed", "{1,2,3,4,5}");
    page.wait_for("document.querySelector('#array-0-problem .hints .fix')");
    let fix = page.text("#array-0-problem .hints .fix");
    assert!(fix.starts_with("make ") && fix.ends_with("[5]"), "{fix}");
    page.click("#array-0-problem .hints .fix");
    page.wait_for("document.querySelector('#result-shape').textContent.includes('[5]') && !document.querySelector('.stale')");
    page.wait_for("!document.querySelector('#unreadable')");
    // Typed values come back after others.
    let before = page.value("#array-0-typed");
    choose_option(page, "#array-0-values", "random");
    page.wait_for("!document.querySelector('#array-0-typed')");
    choose_option(page, "#array-0-values", "typed");
    page.wait_for("document.querySelector('#array-0-typed')");
    assert_eq!(page.value("#array-0-typed"), before);
    // Where the program does not take the shape yet, only that is reported.
    open(page, "#ops1/@pad");
    choose_option(page, "#array-0-values", "typed");
    enter(page, "#array-0-typed", "7, 8, 9");
    page.wait_for("document.querySelector('#array-0-problem .hints .fix')");
    page.click("#array-0-problem .hints .fix");
    page.wait_for(
        "document.querySelector('#hlo-problems .problem') && !document.querySelector('#unreadable')",
    );
    assert_eq!(page.count("#run-failed"), 0);
}

fn keys_undo_edits_in_their_field(page: &Page) {
    open(page, "#ops1/@pad");
    let before = page.value("#array-0-shape");
    for mistake in ["s32[3", "s32[3,4,5,6"] {
        enter(page, "#array-0-shape", mistake);
        page.wait_for(&format!(
            "document.querySelector('#array-0-shape-problem, .problem') && document.querySelector('#array-0-shape').value === '{mistake}'"
        ));
    }
    // What is typed and has not taken effect yet is undone by the browser.
    page.type_text("]");
    page.key("Control+z");
    page.wait_for("document.querySelector('#array-0-shape').value !== 's32[3,4,5,6]'");
    assert!(page.count("#redo:disabled") == 1, "nothing else was undone");
    enter(page, "#array-0-shape", "s32[3,4,5,6");
    page.key("Control+z");
    page.wait_for_value("#array-0-shape", "s32[3");
    page.key("Control+z");
    page.wait_for_value("#array-0-shape", &before);
    assert_eq!(page.count(".problem"), 0);
    page.key("Control+Shift+z");
    page.key("Control+Shift+z");
    page.wait_for_value("#array-0-shape", "s32[3,4,5,6");
    // Leaving the field is not an edit.
    page.key("Tab");
    page.click("#undo");
    page.wait_for_value("#array-0-shape", "s32[3");
}

fn another_type_of_one_operand_is_followed_by_the_other(page: &Page) {
    open(page, "#ops1/@pad");
    enter(page, "#array-0-shape", "f32[2,3]");
    page.wait_for("document.querySelector('#array-1-shape-problem .fix')");
    assert_eq!(page.text("#array-1-shape-problem .fix"), "make padding value f32[]");
    page.click("#array-1-shape-problem .fix");
    page.wait_for("document.querySelector('#result-shape').textContent.startsWith('f32[')");
    assert_eq!(page.count(".problem"), 0);
    // A reducer, too, and then the initial value.
    open(page, "#ops1/@reduce");
    enter(page, "#array-0-shape", "f32[2,3]");
    page.wait_for("document.querySelector('.fix')");
    for fix in ["make to_apply f32[]", "make init f32[]"] {
        page.wait_for(&format!(
            "[...document.querySelectorAll('.fix')].some((each) => each.textContent === '{fix}')"
        ));
        page.run(&format!(
            "[...document.querySelectorAll('.fix')].find((each) => each.textContent === '{fix}').click()"
        ));
    }
    page.wait_for("document.querySelector('#result-shape').textContent.startsWith('f32[')");
    assert_eq!(page.count(".problem"), 0);
    // So is an initial value alone.
    open(page, "#ops1/@reduce-window");
    enter(page, "#array-1-shape", "s32[]");
    page.wait_for("document.querySelector('#array-1-shape-problem .fix')");
    page.click("#array-1-shape-problem .fix");
    page.wait_for("!document.querySelector('#array-1-shape-problem .fix')");
    assert_eq!(page.count(".problem"), 0);
}

/// Windows over six numbers.
fn windows(size: i64, stride: i64) -> String {
    let text = format!(
        "HloModule m\n\nENTRY e {{\n  x = s32[6] constant({{1,2,3,4,5,6}})\n  z = s32[] constant(0)\n  \
         ROOT r = reduce-window(x, z), window={{size={size} stride={stride}}}, to_apply={{ a = s32[] parameter(0) \
         b = s32[] parameter(1) ROOT c = add(a, b) }}\n}}\n"
    );
    format!("#{}", link::write(&Experiment::from_text(text)).trim_start_matches('#'))
}

fn equal_paddings_say_so(page: &Page) {
    open(page, &windows(2, 2));
    assert_eq!(page.count("#padding-same[aria-pressed=false]"), 1, "one of the two is pressed");
    assert_eq!(page.count("#padding-valid[aria-pressed=true]"), 1);
    assert_eq!(
        page.text("#padding-alike"),
        "No difference here: the windows cover the whole operand, so that SAME adds no padding."
    );
    assert_eq!(page.count("#stride-one"), 1);
    page.click("#stride-one");
    page.wait_for("!document.querySelector('#padding-alike, #stride-one')");
    assert!(page.text("#padding-rule").starts_with("SAME: one window per stride"));
    page.wait_for("document.querySelector('#padding-same').getAttribute('aria-pressed') === 'true'");
    page.wait_for("document.querySelector('#skipped-padding')?.textContent === 'padding: skipped'");
    open(page, &windows(3, 1));
    page.wait_for("!document.querySelector('#padding-alike')");
    assert_eq!(page.count("#padding-same[aria-pressed=false]"), 1);
    assert_eq!(page.count("#padding-valid[aria-pressed=true]"), 1);
}

fn start_indices_take_the_form_of_the_edition(page: &Page) {
    open(page, "#ops1/@dynamic-slice.1");
    enter(page, "#array-1-typed", "3");
    enter(page, "#array-2-typed", "2");
    let result = |page: &Page, text: &str| {
        page.wait_for(&format!(
            "document.querySelector('#result-value').textContent.replace(/\\s/g, '') === '{text}' && !document.querySelector('.stale')"
        ));
    };
    result(page, "{{7,8},{10,11}}");
    choose_option(page, "#edition", "2017");
    // What happens out of bounds is one choice away: the indices wrap.
    result(page, "{{11,9},{2,0}}");
    assert_eq!(page.value("#array-1-typed"), "{3, 2}");
    assert_eq!(page.count("#hlo-problems .problem, #array-2"), 1, "two operands and their result");
    page.wait_for_text(
        "#edition-note",
        "XLA 2017 takes the start indices in one vector: i, j became start, with the same values.",
    );
    page.assert_accessible();
    choose_option(page, "#edition", "now");
    result(page, "{{7,8},{10,11}}");
    assert_eq!(page.value("#array-2-typed"), "2");
}

fn numbers_typed_before_the_next_rendering_are_all_kept(page: &Page) {
    open(page, "#ops1/@pad");
    page.run(
        "const fields = document.querySelectorAll('table.numbers input');
         [0, 0, 1, 0, 0, 1].forEach((number, at) => {
             fields[at].value = number;
             fields[at].dispatchEvent(new InputEvent('input', { bubbles: true }));
         });",
    );
    page.wait_for("document.querySelector('#hlo').value.includes('padding=0_0_1x0_0_1')");
}

fn an_op_is_found_as_it_was_left(page: &Page) {
    page.viewport(1280, 800);
    open(page, "#ops1/@pad");
    assert_eq!(page.count("#restart"), 0);
    let example = page.value("#hlo");
    enter(page, "#attr-padding", "2_1x0_0");
    page.wait_for("document.querySelector('#restart')");
    page.wait_for(
        "document.querySelector('#presets').selectedOptions[0].textContent.startsWith('Edited: 1. ')",
    );
    choose_option(page, "#edition", "2017");
    let left = page.value("#hlo");
    page.click(".op[title='dot']");
    page.wait_for("document.querySelector('#op-title code').textContent === 'dot'");
    assert_eq!(page.value("#edition"), "2017");
    // Also by the way over another screen.
    page.click(".screen:nth-child(1)");
    page.wait_for("document.querySelector('#spec')");
    page.click(".screen:nth-child(2)");
    page.wait_for("document.querySelector('.op[title=\\'pad\\']')");
    page.click(".op[title='pad']");
    page.wait_for("document.querySelector('#op-title code')?.textContent === 'pad'");
    assert_eq!(page.value("#hlo"), left);
    page.assert_accessible();
    page.click("#restart");
    page.wait_for("!document.querySelector('#restart')");
    assert_eq!(page.value("#hlo"), example);
}

fn nothing_covers_the_fix_of_an_operand(page: &Page) {
    page.viewport(1280, 800);
    open(page, "#ops1/@pad");
    enter(page, "#array-0-typed", "{7, 8, 9, 1}");
    page.wait_for("document.querySelector('#array-0-problem .fix')");
    let is_on_top = "(fix) => { const box = fix.getBoundingClientRect();
        return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === fix; }";
    assert!(page.with_element::<bool>("#array-0-problem .fix", is_on_top));
    page.click("#array-0-problem .fix");
    page.wait_for("!document.querySelector('#array-0-problem .fix')");
}

fn an_error_by_a_shape_stands_at_the_attribute_too(page: &Page) {
    open(page, "#ops1/@pad");
    let attribute = page.value("#attr-padding");
    enter(page, "#array-0-shape", "s32[2,2,2]");
    points_at(page, "#array-0-shape", "s32[2,2,2]", "entries");
    page.wait_for("document.querySelector('#attr-padding').getAttribute('aria-invalid') === 'true'");
    assert!(page.text("#attr-padding-problem").contains("entries"));
    assert_eq!(page.value("#attr-padding"), attribute);
}

fn the_text_stays_in_its_place_while_one_types(page: &Page) {
    page.viewport(1280, 800);
    open(page, "#ops1/@pad");
    page.with_element::<()>("#hlo", "(text) => { text.scrollIntoView({ block: 'center' }); text.focus(); }");
    page.wait_two_frames();
    let top = |page: &Page| page.with_element::<f64>("#hlo", "(text) => text.getBoundingClientRect().top");
    let before = top(page);
    let retype = |page: &Page, from: &str, to: &str| {
        page.with_element::<()>(
            "#hlo",
            &format!(
                "(text) => {{ text.value = text.value.replace({}, {});
                    text.dispatchEvent(new InputEvent('input', {{ bubbles: true }})); }}",
                quoted(from),
                quoted(to)
            ),
        );
    };
    // An error, and a result that is taller.
    retype(page, "parameter(0)", "parametr(0)");
    page.wait_for("document.querySelector('#hlo-problems .problem') && document.querySelector('.stale')");
    page.wait_two_frames();
    assert!((top(page) - before).abs() < 2.0, "{} {before}", top(page));
    retype(page, "parametr(0)", "parameter(0)");
    retype(page, "padding=1_1x2_2", "padding=6_6x2_2");
    page.wait_for("document.querySelector('#result-shape').textContent.startsWith('s32[14,7]')");
    page.wait_two_frames();
    assert!((top(page) - before).abs() < 2.0, "{} {before}", top(page));
}
