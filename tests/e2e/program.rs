//! The Program screen: opening, structure, values, links, and responsiveness.

use std::fmt::Write as _;

use harness::{Condition, Emulation, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, choose_option, quoted, slowdown};
use crate::languages::choose;

pub const TESTS: &[Test] = harness::tests![
    a_sample_opens_and_runs: Condition::Smoke,
    values_are_those_of_xla: IN_CHROME,
    a_called_computation_is_entered_and_left: IN_CHROME,
    the_outline_is_used_by_keyboard,
    an_error_is_repaired_by_its_fix: IN_CHROME,
    a_pasted_stablehlo_program_runs: IN_FIREFOX,
    a_large_program_is_pasted_without_blocking_the_page: Condition::Alone,
    the_ops_screen_offers_to_open_large_programs_here: Condition::Alone,
    a_run_is_cancelled_at_once: Condition::Alone,
    a_large_program_runs_as_a_plan: IN_CHROME,
    links_restore_program_selection_and_arguments,
    the_first_nan_is_found: IN_CHROME,
    no_accessibility_rule_is_violated: IN_CHROME,
    the_screen_is_translated_and_fits_a_phone: IN_FIREFOX,
];

/// Whether the query worker has read the program.
pub const READY: &str = "document.querySelector('main.programs')?.dataset.status === 'ready'";

/// Opens a link and waits until the query worker has read the program.
#[track_caller]
pub fn open(page: &Page, link: &str) {
    page.goto(link);
    page.wait_for(READY);
}

/// Pastes text into a field, as the browser does it: the event first, then the insertion unless it is prevented.
#[track_caller]
pub fn paste(page: &Page, selector: &str, text: &str) {
    page.run(&format!(
        "const field = document.querySelector({});
         field.focus();
         const data = new DataTransfer();
         data.setData('text/plain', {});
         const event = new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }});
         if (field.dispatchEvent(event)) {{
             field.value = {};
             field.dispatchEvent(new InputEvent('input', {{ bubbles: true, inputType: 'insertFromPaste' }}));
         }}",
        quoted(selector),
        quoted(text),
        quoted(text)
    ));
}

#[track_caller]
pub fn wait_for_run(page: &Page, status: &str) {
    page.wait_for(&format!("document.querySelector('.run-status')?.dataset.run === '{status}'"));
}

/// Waits for the value of an instruction.
#[track_caller]
pub fn wait_for_value(page: &Page, name: &str) {
    page.wait_for(&format!("document.querySelector('#program-value')?.dataset.name === {}", quoted(name)));
}

#[track_caller]
pub fn wait_for_selected(page: &Page, name: &str) {
    page.wait_for(&format!("document.querySelector('#program-selected')?.dataset.name === {}", quoted(name)));
}

/// A program of `count` instructions, each of which uses the previous one.
fn chain(instructions: usize) -> String {
    let mut text = String::from("HloModule chain\n\nENTRY main {\n  x0 = f32[8,16]{1,0} parameter(0)\n");
    for number in 1..instructions {
        let metadata = "metadata={op_name=\"jit(chain)/negate\" source_file=\"chain.py\" source_line=7}";
        let root = if number + 1 == instructions { "ROOT " } else { "" };
        let _ = writeln!(text, "  {root}x{number} = f32[8,16]{{1,0}} negate(x{}), {metadata}", number - 1);
    }
    text.push_str("}\n");
    text
}

/// A product that is large enough for a plan, with a sum of its rows.
pub const LARGE: &str = "HloModule large

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }

ENTRY main {
  x = f32[64,2048]{1,0} iota(), iota_dimension=0
  one = f32[] constant(1)
  w = f32[2048,256]{1,0} broadcast(one), dimensions={}
  product = f32[64,256]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  ROOT sums = f32[64]{0} reduce(product, zero), dimensions={1}, to_apply=add
}
";

fn a_large_program_runs_as_a_plan(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    paste(page, "#program-paste", LARGE);
    page.wait_for(READY);
    wait_for_run(page, "done");
    page.wait_for("document.querySelector('.run-status').dataset.planned === ''");
    wait_for_value(page, "sums");
    // A value that the run has overwritten: the row's number times 2048.
    page.run(
        "[...document.querySelectorAll('.outline-row')].find((row) => row.textContent.includes('product')).click()",
    );
    wait_for_value(page, "product");
    assert_eq!(page.text("[data-statistic=program-max] dd"), "129024");
}

fn a_sample_opens_and_runs(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#sample-softmax')");
    page.click("#sample-softmax");
    page.wait_for(READY);
    assert_eq!(page.text("#program-name"), "jit_softmax_2d");
    wait_for_run(page, "done");
    wait_for_value(page, "broadcast_multiply_fusion");
    assert_eq!(page.text("[data-statistic=program-elements] dd"), "128");
    // Another instruction shows another value.
    page.run(
        "[...document.querySelectorAll('.outline-row')].find((row) => row.textContent.includes('wrapped_reduce')).click()",
    );
    wait_for_value(page, "wrapped_reduce");
    assert_eq!(page.text("[data-statistic=program-elements] dd"), "8");
    // The text marks its line.
    page.wait_for("document.querySelector('.line.selected')?.textContent.includes('%wrapped_reduce =')");
    page.run("history.back()");
    page.wait_for("document.querySelector('#sample-softmax')");
}

fn values_are_those_of_xla(page: &Page) {
    let known: serde_json::Value =
        serde_json::from_str(include_str!("../data/hlo-samples/softmax_2d.io.json")).expect("valid JSON");
    let input = known["inputs"][0]["value"].to_string().replace('[', "{").replace(']', "}");
    let typed = input.replace('{', "%7B").replace('}', "%7D");
    open(page, &format!("#program1/@softmax;v0=typed.{typed}"));
    wait_for_run(page, "done");
    wait_for_value(page, "broadcast_multiply_fusion");
    page.wait_for("document.querySelector('#program-grid')");
    page.run("document.querySelector('#program-grid').focus()");
    for (keys, row, column) in [("ArrowRight", 0, 1), ("ArrowDown", 1, 1), ("End", 1, 15)] {
        page.key(keys);
        page.wait_for(&format!(
            "document.querySelector('#program-cell code')?.textContent.startsWith('[{row},{column}] = ')"
        ));
        let shown = page.text("#program-cell code");
        let value: f64 = shown.split(" = ").nth(1).and_then(|value| value.parse().ok()).expect("a number");
        let expected = known["outputs"][0]["value"][row][column].as_f64().expect("a number");
        assert!((value - expected).abs() <= 1e-5 * expected.abs(), "{shown} is not {expected}");
    }
    // The quotient is computed from a numerator of its cell and the sum of its row.
    page.wait_for("document.querySelectorAll('#program-sources button').length === 2");
    let sources = page.texts("#program-sources button");
    assert!(sources[0].starts_with("subtract_exponential_fusion[1,15] = "), "{sources:?}");
    assert!(sources[1].starts_with("reduce_divide_fusion[1] = "), "{sources:?}");
    // A source leads to its instruction.
    page.run("document.querySelectorAll('#program-sources button')[1].click()");
    wait_for_value(page, "reduce_divide_fusion");
    // Back returns from the jump, not from the program.
    page.run("history.back()");
    wait_for_value(page, "broadcast_multiply_fusion");
}

fn a_called_computation_is_entered_and_left(page: &Page) {
    open(page, "#program1/@softmax");
    wait_for_selected(page, "broadcast_multiply_fusion");
    assert_eq!(page.texts("#program-path li"), ["main.3"]);
    page.click("#program-bodies button");
    wait_for_selected(page, "multiply.1");
    let path = page.texts("#program-path li");
    assert_eq!(path.len(), 2, "{path:?}");
    assert!(path[1].contains("fused_computation"), "{path:?}");
    // The value of an instruction of a body is computed again.
    wait_for_value(page, "multiply.1");
    assert_eq!(page.text("[data-statistic=program-elements] dd"), "128");
    // Its operands are above it, its users below.
    let neighbours = page.texts(".flow-plane li b");
    assert_eq!(neighbours, ["param_0", "broadcast.4"]);
    page.click("#program-path button");
    wait_for_selected(page, "broadcast_multiply_fusion");
    page.wait_for("document.querySelectorAll('#program-path li').length === 1");
}

fn the_outline_is_used_by_keyboard(page: &Page) {
    open(page, "#program1/@softmax");
    wait_for_selected(page, "broadcast_multiply_fusion");
    page.wait_for("document.querySelector('#outline').getAttribute('aria-activedescendant')");
    page.run("document.querySelector('#outline').focus()");
    page.key("Enter");
    wait_for_selected(page, "multiply.1");
    page.wait_for("document.querySelector('.outline-row.selected')?.textContent.includes('multiply.1')");
    page.key("ArrowUp");
    page.wait_for("document.querySelector('#program-selected').dataset.name !== 'multiply.1'");
    page.key("Backspace");
    wait_for_selected(page, "broadcast_multiply_fusion");
    page.key("Home");
    wait_for_selected(page, "x.1");
    // Keys that follow one another fast each move on from the row before.
    for _ in 0..4 {
        page.key("ArrowDown");
    }
    wait_for_selected(page, "reduce_divide_fusion");
    // The slash leads to the search, and Enter to its first result.
    page.key("/");
    page.wait_for("document.activeElement.id === 'program-search'");
    page.type_text("maximum");
    page.wait_for("document.querySelectorAll('#program-found li').length === 1");
    page.key("Enter");
    wait_for_selected(page, "reduce_max.5");
    assert!(page.texts("#program-path li").len() > 2, "the way to a nested body");
    // Of several results, arrows choose one.
    page.key("/");
    page.type_text("reduce");
    page.wait_for(
        "document.querySelectorAll('#program-found li').length > 1
            && [...document.querySelectorAll('#program-found li')].every((each) => each.textContent.includes('reduce'))",
    );
    page.key("ArrowDown");
    page.wait_for("document.querySelector('#program-found-1').ariaSelected === 'true'");
    assert_eq!(
        page.attribute("#program-search", "aria-activedescendant").as_deref(),
        Some("program-found-1")
    );
    let second = page.attribute("#program-found-1 .name", "title").expect("a name");
    page.key("Enter");
    wait_for_selected(page, &second);
}

fn an_error_is_repaired_by_its_fix(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let text = "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negaate(x)\n}\n";
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '1'");
    let problem = page.text("#program-problems .problem");
    assert!(problem.contains("Line 5") && problem.contains("negaate"), "{problem}");
    assert!(page.eval::<bool>("document.querySelector('#program-run').disabled"));
    assert_eq!(page.count(".line.wrong"), 1);
    page.assert_accessible();
    page.click("#program-fix");
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '0'");
    wait_for_value(page, "y");
    assert!(page.text(".code-lines").contains("negate(x)"));
    // The text can be edited, too.
    page.click("#edit-text");
    page.click("#plain-text");
    page.wait_for("document.querySelector('#program-field')");
    page.run(
        "const field = document.querySelector('#program-field');
         field.value = field.value.replace('negate', 'cosine');
         field.dispatchEvent(new InputEvent('input', { bubbles: true }));",
    );
    page.wait_for("document.querySelector('#program-selected .here small')?.textContent === 'cosine'");
}

fn a_pasted_stablehlo_program_runs(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  %y = stablehlo.cosine %x : tensor<3xf32>\n  return %y : tensor<3xf32>\n}\n";
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    assert!(page.text(".program-bar").contains("StableHLO"));
    wait_for_run(page, "done");
    page.wait_for("document.querySelector('[data-statistic=program-elements] dd')?.textContent === '3'");
    page.wait_for("document.querySelector('.line.selected')?.textContent.includes('stablehlo.cosine')");
}

/// Fails if each of three attempts has a task above 100 ms, twice the goal, which the benchmarks hold. Tasks are measured by the
/// clock: other processes extend them.
#[track_caller]
fn assert_responsive(page: &Page, prepare: impl Fn(&Page), during: impl Fn(&Page)) {
    let mut worst = Vec::new();
    for _ in 0..3 {
        prepare(page);
        let before = slowdown(page);
        let Some(tasks) = page.long_tasks(|page| during(page)) else { return };
        let limit = 100.0 * before.max(slowdown(page));
        match tasks.percentile(100) {
            Some(task) if task > limit => worst.push((task, limit)),
            _ => return,
        }
    }
    panic!("tasks and limits in ms: {worst:?}");
}

fn a_large_program_is_pasted_without_blocking_the_page(page: &Page) {
    let text = chain(2_400);
    let prepare = |page: &Page| {
        page.goto("#ops/");
        page.goto("#program/");
        page.wait_for("document.querySelector('#program-paste')");
    };
    assert_responsive(page, prepare, |page| {
        paste(page, "#program-paste", &text);
        page.wait_for(READY);
        page.wait_for("document.querySelectorAll('.outline-row:not(.loading)').length > 10");
        wait_for_run(page, "done");
    });
    assert!(page.text(".program-bar").contains("2400"));
    // Only the visible rows are in the document.
    assert!(page.count(".line") < 200 && page.count(".outline-row") < 200);
    // The link has only the key of the text; this tab restores it.
    page.wait_for("location.hash.startsWith('#program1/!')");
    page.reload();
    page.wait_for(READY);
    assert_eq!(page.text("#program-name"), "chain");
}

fn the_ops_screen_offers_to_open_large_programs_here(page: &Page) {
    let text = chain(2_400);
    let prepare = |page: &Page| {
        page.goto("#ops/");
        page.goto("#ops1/@abs");
        page.wait_for("document.querySelector('#hlo')");
        // The first run of the op has ended.
        page.wait_for("document.querySelector('#result-value')");
    };
    assert_responsive(page, prepare, |page| {
        paste(page, "#hlo", &text);
        page.wait_for("document.querySelector('#open-large-program')");
    });
    page.assert_accessible();
    page.click("#open-large-program");
    page.wait_for(READY);
    assert_eq!(page.text("#program-name"), "chain");
    // The shown program is offered, too, with its values.
    page.goto("#ops1/@while");
    page.wait_for("document.querySelector('#open-in-program')");
    // The result of the op may move it while the pointer is on its way.
    page.run("document.querySelector('#open-in-program').click()");
    page.wait_for(READY);
    wait_for_run(page, "done");
    assert!(page.url().contains("#program1/"));
}

fn a_run_is_cancelled_at_once(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let endless = "HloModule m\nc { x = s32[] parameter(0) ROOT t = pred[] constant(true) }\n\
                   b { x = s32[] parameter(0) ROOT y = s32[] negate(x) }\n\
                   ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=c, body=b }";
    paste(page, "#program-paste", endless);
    page.wait_for(READY);
    wait_for_run(page, "running");
    // It says how far it is.
    page.wait_for("document.querySelector('.run-status .dim')?.textContent.includes('steps')");
    let limit = 100.0 * slowdown(page);
    let took: f64 = page.eval(
        "new Promise((done) => {
            const started = performance.now();
            const look = () => document.querySelector('.run-status').dataset.run === 'cancelled'
                ? done(performance.now() - started) : requestAnimationFrame(look);
            document.querySelector('#program-cancel').click();
            look();
        })",
    );
    assert!(took <= limit, "{took} ms");
    // It can run again, and be cancelled by key.
    page.click("#program-run");
    wait_for_run(page, "running");
    page.key("Escape");
    wait_for_run(page, "cancelled");
}

fn links_restore_program_selection_and_arguments(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let text = "HloModule two\n\nENTRY e {\n  x = s32[3] parameter(0)\n  y = s32[3] negate(x)\n  ROOT z = s32[3] abs(y)\n}\n";
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    wait_for_run(page, "done");
    page.wait_for("document.querySelector('[data-statistic=program-min] dd')");
    let had = page.text("[data-statistic=program-min] dd");
    page.run("document.querySelector('#program-parameters').open = true");
    choose_option(page, "#argument-0", "typed");
    // Typing starts from the values that the parameter had.
    page.wait_for(
        "/^\\{-?\\d+, *-?\\d+, *-?\\d+\\}$/.test(document.querySelector('#argument-text-0')?.value ?? '')",
    );
    page.wait_for_text("[data-statistic=program-min] dd", &had);
    // Text that is no value is an error, and nothing runs on it.
    page.run(
        "const field = document.querySelector('#argument-text-0'); field.value = '{4, 5}';
         field.dispatchEvent(new InputEvent('input', { bubbles: true }));",
    );
    wait_for_run(page, "failed");
    page.wait_for("document.querySelector('#program-failure')");
    page.run(
        "const field = document.querySelector('#argument-text-0'); field.value = '{4, 5, 6}';
         field.dispatchEvent(new InputEvent('input', { bubbles: true }));",
    );
    wait_for_run(page, "done");
    page.run("[...document.querySelectorAll('.outline-row')].find((row) => row.textContent.includes('negate')).click()");
    wait_for_value(page, "y");
    page.wait_for("document.querySelector('[data-statistic=program-min] dd')?.textContent === '-6'");
    page.wait_for("location.hash.includes(';at=')");
    // So is the chosen cell.
    page.wait_for("document.querySelector('#program-grid')");
    page.run("document.querySelector('#program-grid').focus()");
    page.key("ArrowRight");
    page.key("ArrowRight");
    let cell = "[2] = -6";
    page.wait_for_text("#program-cell code", cell);
    page.wait_for("location.hash.includes(';cell=2;')");
    let link = page.url();
    page.goto("#ops/");
    page.wait_for("document.querySelector('.gallery')");
    page.visit(&link);
    page.wait_for(READY);
    wait_for_value(page, "y");
    assert_eq!(page.text("[data-statistic=program-min] dd"), "-6");
    assert_eq!(page.text("#program-name"), "two");
    page.wait_for_text("#program-cell code", cell);
}

fn the_first_nan_is_found(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let text = "HloModule planted\n\nENTRY e {\n  x = f32[4] parameter(0)\n  zero = f32[4] subtract(x, x)\n  \
                infinite = f32[4] log(zero)\n  bad = f32[4] multiply(zero, infinite)\n  ROOT z = f32[4] add(bad, x)\n}\n";
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    wait_for_run(page, "done");
    page.wait_for("document.querySelector('#first-nan')");
    assert_eq!(page.text("#first-nan"), "First NaN: bad");
    assert_eq!(page.text("#first-infinity"), "First inf: infinite");
    page.click("#first-nan");
    wait_for_value(page, "bad");
    page.wait_for("document.querySelector('#program-cell code')?.textContent === '[0] = nan'");
    assert!(page.text("[data-statistic=program-nans] dd").starts_with('4'));
    // After another cell, the count's button leads back to the first.
    page.run("document.querySelector('#program-grid').focus()");
    page.key("ArrowRight");
    page.wait_for("document.querySelector('#program-cell code').textContent === '[1] = nan'");
    page.click("[data-statistic=program-nans] button");
    page.wait_for("document.querySelector('#program-cell code').textContent === '[0] = nan'");
    // The sources of its cell stay, however often it is asked for.
    for _ in 0..2 {
        page.wait_for("document.querySelectorAll('#program-sources button').length === 2");
        page.click("#first-nan");
        page.wait_two_frames();
    }
    page.wait_for("document.querySelectorAll('#program-sources button').length === 2");
    // Another screen by a link of this one, and back by the tab.
    page.click("#view-costs");
    page.wait_for("document.querySelector('.costs-view')?.dataset.complete === 'true'");
    page.goto("#program1/@tpu;view=costs");
    page.wait_for("document.querySelector('.costs-view a[href^=\"#v1\"]')");
    page.click(".costs-view a[href^='#v1']");
    page.wait_for("document.querySelector('#spec')");
    page.click(".screen:nth-child(3)");
    page.wait_for("location.hash.startsWith('#program1/@tpu') && document.querySelector('.costs-view')");
}

fn no_accessibility_rule_is_violated(page: &Page) {
    for dark in [true, false] {
        page.emulate(Emulation { dark, ..Emulation::default() });
        page.goto("#program/");
        page.wait_for("document.querySelector('#sample-scan')");
        page.assert_accessible();
        open(page, "#program1/@scan");
        wait_for_run(page, "done");
        page.wait_for("document.querySelector('#program-value')");
        page.run("document.querySelector('#open-all').click()");
        page.wait_for("document.querySelectorAll('.outline-row[aria-level=\"3\"]').length > 0");
        page.assert_accessible();
        page.run("document.querySelector('#program-search').value = 'while';
                  document.querySelector('#program-search').dispatchEvent(new InputEvent('input', { bubbles: true }));");
        page.wait_for("document.querySelector('#program-found')");
        page.assert_accessible();
    }
}

fn the_screen_is_translated_and_fits_a_phone(page: &Page) {
    page.viewport(390, 844);
    open(page, "#program1/@attention");
    wait_for_run(page, "done");
    page.wait_for("document.documentElement.scrollWidth <= 390");
    choose(page, "zh-Hans");
    page.wait_for("document.querySelector('#h-values')?.textContent === '值'");
    page.wait_for(READY);
    page.assert_accessible();
    page.viewport(320, 640);
    page.wait_for("document.documentElement.scrollWidth <= 320");
}
