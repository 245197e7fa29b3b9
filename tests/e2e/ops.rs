//! The Ops screen: stepping, forms, diagnostics, chains and links. `ops_catalogue` covers every op.

use std::rc::Rc;

use harness::{Condition, Page, Test};
use xla_playground::hlo::{Limits, parse};
use xla_playground::ops::CellAt;
use xla_playground::state::experiment::preset;
use xla_playground::state::experiment::run::{FinishedRun, UsedArrays};

use crate::app::{IN_CHROME, IN_FIREFOX, active_text, choose_option, quoted};

pub const TESTS: &[Test] = harness::tests![
    stepping_shows_how_each_cell_is_computed: Condition::Smoke,
    an_operand_cell_shows_its_uses: IN_CHROME,
    a_chosen_operand_cell_moves_to_an_output_cell_that_uses_it: IN_FIREFOX,
    the_value_of_a_cell_is_typed,
    the_array_of_the_layout_screen_is_used: IN_CHROME,
    a_form_changes_the_text_and_the_result: Condition::Smoke,
    errors_are_reported_with_a_fix: IN_FIREFOX,
    a_chain_walks_back_to_its_parameters: IN_CHROME,
    only_ops_that_take_the_result_are_offered_next: IN_CHROME,
    the_layout_of_the_result_is_chosen: IN_FIREFOX,
    the_result_stays_in_view_on_a_phone: IN_CHROME,
    the_result_is_above_its_working_at_every_step: IN_CHROME,
    operands_take_other_values_and_shapes: IN_CHROME,
    the_address_restores_everything: IN_FIREFOX,
    screens_are_a_click_apart: IN_FIREFOX,
];

/// Opens an address of this screen and waits until it has run.
#[track_caller]
fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for(
        "document.querySelector('#gallery')
         || document.querySelector('#op-title') && document.querySelector('#result-shape, #run-failed')",
    );
    page.wait_two_frames();
}

#[track_caller]
fn wait_for_result(page: &Page, result: &str) {
    page.wait_for(&format!("document.querySelector('#result-value')?.textContent === {}", quoted(result)));
}

fn stepping_shows_how_each_cell_is_computed(page: &Page) {
    open(page, "#ops1/@dot");
    assert_eq!(page.text("#working"), "out[0,0] = 1·5 + 2·7 = 19");
    assert_eq!(page.text("#made-from"), "depends on 4 cells");
    page.click("#next");
    page.wait_for("document.querySelector('#working').textContent === 'out[0,1] = 1·6 + 2·8 = 22'");
    page.key("]");
    page.wait_for("document.querySelector('#working').textContent === 'out[1,0] = 3·5 + 4·7 = 43'");
    page.key("[");
    page.wait_for("document.querySelector('#working').textContent === 'out[0,1] = 1·6 + 2·8 = 22'");
    // The arrow keys move in the result's grid, which announces the cell.
    page.run("document.querySelector('#array-2').focus();");
    page.key("ArrowDown");
    page.wait_for("document.querySelector('#working').textContent === 'out[1,1] = 3·6 + 4·8 = 50'");
    assert_eq!(active_text(page, "#array-2"), "out[1,1] = 3·6 + 4·8 = 50");
    page.wait_for("location.hash.length > 5");
    open(page, "#ops1/@reduce-window");
    assert_eq!(page.text("#working"), "out[0,0] = max(-inf, 1, 2, 3, 7, 8, 9) = 9");
}

fn an_operand_cell_shows_its_uses(page: &Page) {
    open(page, "#ops1/@transpose");
    page.run("document.querySelector('#array-0').focus();");
    page.key("ArrowRight");
    page.wait_for("document.querySelector('#note')?.textContent.includes('1 output cell')");
    page.key("Escape");
    page.wait_for("!document.querySelector('#note')");
    // A broadcast scalar is copied to every cell.
    let preset = preset::all().find(|preset| preset.meta.opcode == "broadcast").unwrap();
    let experiment = preset.experiment();
    let module = Rc::new(parse(&experiment.text).into_module().unwrap());
    let root = module.entry_computation().unwrap().root.unwrap();
    let finished = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
    let operand = module.entry_computation().unwrap().get(root).unwrap().operands[0];
    let rank = finished.value(operand).unwrap().as_array().unwrap().shape().rank();
    let uses = finished.uses(root, UsedArrays::Operands, 0, &CellAt::array(&vec![0; rank])).unwrap().len();
    open(page, "#ops1/@broadcast");
    page.run("document.querySelector('#array-0').focus();");
    page.key("Home");
    page.wait_for(&format!(
        "document.querySelector('#note')?.textContent.includes('Used by {uses} output cell')"
    ));
}

fn a_chosen_operand_cell_moves_to_an_output_cell_that_uses_it(page: &Page) {
    // Transposed: the cell in the second column is in the second row of the result.
    open(page, "#ops1/@transpose");
    let before = page.text("#working");
    page.run("document.querySelector('#array-0').focus();");
    page.key("Home");
    page.key("ArrowRight");
    page.wait_for("document.querySelector('#working').textContent.startsWith('out[1,0] = ')");
    assert!(before.starts_with("out[0,0] = "), "{before}");
    // The explanation stays while the pointer is on an operand.
    page.key("Escape");
    page.wait_for("!document.querySelector('#note')");
    assert!(page.text("#working").starts_with("out[1,0] = "));
}

fn the_value_of_a_cell_is_typed(page: &Page) {
    open(page, "#ops1/@transpose");
    page.run("document.querySelector('#array-0').focus();");
    page.key("Home");
    page.key("ArrowRight");
    page.wait_for("document.querySelector('#type-hint')");
    page.key("Enter");
    page.wait_for("document.activeElement.id === 'array-0-typed'");
    let selected = "(() => { const field = document.activeElement;
        return field.value.slice(field.selectionStart, field.selectionEnd); })()";
    let cell: String = page.eval(selected);
    page.key("4");
    page.key("2");
    page.key("Enter");
    page.wait_for("document.querySelector('#working').textContent.includes('42')");
    assert!(page.text("#working").starts_with("out[1,0] = "), "the cell that had {cell}");
    // A rule becomes typed values.
    choose_option(page, "#array-0-values", "iota");
    page.wait_for("!document.querySelector('#array-0-typed')");
    page.run("document.querySelector('#array-0').focus();");
    page.key("Enter");
    page.wait_for("document.activeElement.id === 'array-0-typed'");
    assert_eq!(page.eval::<String>(selected), "1");
}

fn the_array_of_the_layout_screen_is_used(page: &Page) {
    page.goto("#v1/s32[2,4]{0,1};v=typed.8 7 6 5 4 3 2 1");
    page.wait_for("document.querySelector('#grid canvas')");
    open(page, "#ops1/@reverse");
    page.wait_for_text("#use-layout-array", "Use s32[2,4]{0,1} from Layout");
    page.click("#use-layout-array");
    page.wait_for("document.querySelector('#hlo').value.includes('s32[2,4]{0,1} parameter(0)')");
    page.wait_for("document.querySelector('#result-value').textContent.includes('8')");
    assert_eq!(page.count("#use-layout-array"), 0, "it is in use");
    page.click("#undo");
    page.wait_for("document.querySelector('#use-layout-array')");
    // Not offered where it does not fit: an operand of rank 2 is not a condition.
    open(page, "#ops1/@fft");
    page.wait_for("document.querySelector('#presets, #result-value')");
    assert_eq!(page.count("#use-layout-array"), 0);
}

fn a_form_changes_the_text_and_the_result(page: &Page) {
    open(page, "#ops1/@reduce-window");
    page.type_into("#attr-window-1-1", "2");
    page.wait_for("document.querySelector('#hlo').value.includes('stride=2x2')");
    page.wait_for("document.querySelector('#result-shape').textContent.startsWith('f32[2,2]')");
    page.click("#undo");
    page.wait_for("document.querySelector('#hlo').value.includes('stride=2x3')");
    page.run(
        "const select = document.querySelector('#attr-to_apply');
         select.value = [...select.options].find((option) => option.textContent === 'Add').value;
         select.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    page.wait_for("document.querySelector('#working').textContent.includes('-inf + 1 + 2 + 3')");
}

fn errors_are_reported_with_a_fix(page: &Page) {
    open(page, "#ops1/@transpose");
    let before = page.text("#result-value");
    page.type_into("#attr-dimensions", "{0}");
    page.key("Enter");
    page.wait_for("document.querySelector('.problem .rule')?.lastChild.textContent.startsWith('transpose')");
    assert_eq!(page.text("#result-value"), before, "the last good result stays");
    assert_eq!(page.attribute("#hlo", "aria-invalid").as_deref(), Some("true"));
    page.click("#fix");
    page.wait_for("!document.querySelector('.problem')");
    page.click("#hlo");
    page.key("Control+a");
    page.run("document.execCommand('insertText', false, 'HloModule m ENTRY e { ROOT i = s32[5] iota(), iota_dimension=0 }');");
    wait_for_result(page, "{0, 1, 2, 3, 4}");
}

fn a_chain_walks_back_to_its_parameters(page: &Page) {
    open(page, "#ops1/@transpose");
    page.click("#append");
    page.click("#next-ops [data-op=negate]");
    page.wait_for("document.querySelectorAll('.chain .link').length === 2");
    page.wait_for("document.querySelector('#op-title code').textContent === 'negate'");
    page.wait_for("document.querySelector('#note').textContent.includes('1 input cell')");
    // And a cell of the parameter leads to the result, through the whole chain.
    page.run("document.querySelector('#array-0').focus();");
    page.key("Home");
    page.key("ArrowRight");
    page.wait_for("document.querySelector('#note').textContent === 'Used by 1 output cell: out[1,0]'");
    page.wait_for("document.querySelector('#working').textContent.startsWith('out[1,0] = ')");
    page.key("Escape");
    page.click(".chain li:first-child .link");
    page.wait_for("document.querySelector('#op-title code').textContent === 'transpose'");
    page.click("#undo");
    page.wait_for("document.querySelectorAll('.chain .link').length === 0");
}

fn only_ops_that_take_the_result_are_offered_next(page: &Page) {
    // max pooling of f32[4,6] gives f32[2,2].
    open(page, "#ops1/@reduce-window");
    page.click("#append");
    page.wait_for("document.querySelector('#next-ops')");
    page.assert_accessible();
    let names: Vec<String> =
        page.eval("[...document.querySelectorAll('.next-op')].map((each) => each.innerText.split('\\n')[0])");
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    assert!(names.len() > 90 && distinct.len() == names.len(), "{names:?}");
    // One of another type is greyed, says why, and does nothing.
    assert_eq!(page.attribute("[data-op=and]", "aria-disabled").as_deref(), Some("true"));
    assert!(page.text("#why-and").contains("f32"), "{}", page.text("#why-and"));
    let before: String = page.eval("location.hash");
    page.click("[data-op=and]");
    page.wait_two_frames();
    assert_eq!((page.eval::<String>("location.hash"), page.count("#append-dialog")), (before, 1));
    // Missing operands are made: a matrix of two columns.
    page.type_into("#find-next", "dot");
    page.click("#next-ops [data-op=dot]");
    page.wait_for("document.querySelector('#op-title code').textContent === 'dot'");
    page.wait_for("document.querySelector('#result-shape').textContent === 'f32[2,2]{1,0}'");
    assert_eq!(
        (page.count("#append-dialog"), page.count(".problem"), page.count(".operands .panel")),
        (0, 0, 4)
    );
    page.click("#append");
    page.click("#next-ops [data-op=pad]");
    page.wait_for("document.querySelector('#result-shape').textContent === 'f32[4,4]{1,0}'");
    assert_eq!(page.count(".problem"), 0);
}

fn the_result_stays_in_view_on_a_phone(page: &Page) {
    page.viewport(390, 844);
    open(page, "#ops1/@reduce-window");
    let sticky: Vec<String> = page.eval(
        "[...document.querySelectorAll('body *')].filter((each) => getComputedStyle(each).position === 'sticky'
             && each.offsetWidth > 0).map((each) => each.className)",
    );
    assert_eq!(sticky, ["player"]);
    page.click("#next");
    page.wait_for("document.querySelector('#working').textContent.startsWith('out[0,1]')");
    page.wait_for(
        "(result => result.top >= 0 && result.bottom <= document.querySelector('.player').getBoundingClientRect().top + 1)(
             document.querySelector('.results .panel').getBoundingClientRect())",
    );
}

fn the_result_is_above_its_working_at_every_step(page: &Page) {
    let in_view = "(result => result.top >= 0 && result.bottom <= document.querySelector('.working').getBoundingClientRect().top + 1)(
         document.querySelector('.results .canvas-grid').getBoundingClientRect())";
    for (width, height) in [(1440, 900), (1280, 800)] {
        page.viewport(width, height);
        for op in ["select-and-scatter", "scatter", "dynamic-update-slice", "clamp", "reduce-window"] {
            open(page, &format!("#ops1/@{op}"));
            page.wait_for(in_view);
            page.click("#next");
            page.wait_for("document.querySelector('#scrub').value === '1'");
            page.wait_for(in_view);
        }
    }
}

fn the_layout_of_the_result_is_chosen(page: &Page) {
    open(page, "#ops1/@dot");
    page.type_into("#array-2-shape", "s32[2,2]{0,1}");
    page.key("Enter");
    page.wait_for("document.querySelector('#result-shape').textContent === 's32[2,2]{0,1}'");
    page.wait_for("document.querySelector('#hlo').value.includes('r = s32[2,2]{0,1} dot(a, b)')");
    // The same values in column-major order.
    wait_for_result(page, "{ { 19, 22 }, { 43, 50 } }");
    page.click("#next");
    page.wait_for("document.querySelector('#working').textContent.startsWith('out[0,1] = ')");
    // Sizes follow from the operands: others are corrected.
    page.type_into("#array-2-shape", "s32[3,3]{1,0}");
    page.key("Enter");
    page.wait_for("document.querySelector('#array-2-shape').value.startsWith('s32[2,2]')");
    wait_for_result(page, "{ { 19, 22 }, { 43, 50 } }");
}

fn operands_take_other_values_and_shapes(page: &Page) {
    open(page, "#ops1/@reverse");
    page.type_into("#array-0-shape", "s32[4]");
    page.key("Enter");
    choose_option(page, "#array-0-values", "iota");
    page.type_into("#attr-dimensions", "{0}");
    page.key("Enter");
    wait_for_result(page, "{3, 2, 1, 0}");
    page.click("#array-0-memory");
    page.wait_for("document.querySelector('#array-0-strip canvas')");
    choose_option(page, "#array-0-values", "typed");
    page.type_into("#array-0-typed", "7, 8, nine");
    // What is typed is not applied yet, and the field says so.
    page.wait_for("document.querySelector('#array-0-typed-pending')");
    assert_eq!(page.count(".values .error-line"), 0);
    page.key("Tab");
    page.wait_for(
        "document.querySelector('.values .error-line') && !document.querySelector('#array-0-typed-pending')",
    );
}

fn the_address_restores_everything(page: &Page) {
    open(page, "#ops1/@select-and-scatter");
    page.click("#next");
    page.type_into("#attr-window-0-1", "1");
    page.wait_for(
        "document.querySelector('#hlo').value.includes('stride=1x3') || document.querySelector('.problem')",
    );
    page.wait_two_frames();
    let hash: String = page.eval("location.hash");
    let (text, working) = (page.value("#hlo"), page.text("#op-title"));
    open(page, "#ops/");
    open(page, &hash);
    assert_eq!((page.text("#op-title"), page.count("#link-problems")), (working, 0));
    let restored = page.value("#hlo");
    assert!(restored == text || page.count(".problem") == 0, "{restored}");
    page.click("#share");
    page.wait_for(&format!(
        "document.querySelector('#link').value.endsWith({})",
        quoted(hash.split('/').next_back().unwrap_or_default())
    ));
}

fn screens_are_a_click_apart(page: &Page) {
    open(page, "#ops/");
    page.click(".screen:first-child");
    page.wait_for("document.querySelector('#spec')");
    page.click(".screen:last-child");
    page.wait_for("document.querySelector('main.speed')");
    page.click(".screen:nth-child(2)");
    page.wait_for("document.querySelector('#gallery')");
    assert_eq!(page.attribute(".screen:nth-child(2)", "aria-current").as_deref(), Some("page"));
}
