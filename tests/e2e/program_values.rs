//! The Program screen: arguments from files, traced cells, iterations, source files and reports of memory.

use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};
use crate::program::{READY, open, paste, wait_for_run, wait_for_selected, wait_for_value};

pub const TESTS: &[Test] = harness::tests![
    arguments_come_from_files_and_values_go_to_files,
    a_cell_is_traced_and_a_loop_is_stepped_through: IN_CHROME,
    the_sources_of_a_cell_are_there_again_after_back_and_forward: IN_CHROME,
    followed_cells_lead_back: IN_FIREFOX,
    the_parameters_of_a_cell_are_named_and_marked: IN_FIREFOX,
    keys_lose_neither_values_nor_focus,
    a_memory_report_leads_to_layouts_that_waste_less: IN_FIREFOX,
    lines_of_the_text_are_walked_by_keyboard: IN_FIREFOX,
    a_source_file_is_shown_beside_its_instructions: IN_CHROME,
];

/// Drops a file on an element.
#[track_caller]
fn drop_file(page: &Page, selector: &str, name: &str, bytes: &str) {
    page.run(&format!(
        "const data = new DataTransfer();
         data.items.add(new File([{bytes}], {}));
         document.querySelector({}).dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));",
        quoted(name),
        quoted(selector)
    ));
}

/// A `.npy` file of 100 floats 0, 1, 2 …, as an expression of the page.
const HUNDRED_FLOATS: &str = "(() => {
    const header = \"{'descr': '<f4', 'fortran_order': False, 'shape': (100,), }\\n\";
    const bytes = new Uint8Array(10 + header.length + 400);
    bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
    bytes.set(new TextEncoder().encode(header), 10);
    bytes.set(new Uint8Array(Float32Array.from({ length: 100 }, (_, i) => i).buffer), 10 + header.length);
    return bytes;
})()";

/// Chooses the first cell of the root of the sample "softmax", and waits for its sources.
#[track_caller]
fn choose_cell_of_softmax(page: &Page) {
    page.goto("#program1/");
    page.wait_for("document.querySelector('#sample-softmax')");
    page.click("#sample-softmax");
    wait_for_run(page, "done");
    wait_for_value(page, "broadcast_multiply_fusion");
    page.wait_for("document.querySelector('#program-grid')");
    page.run("document.querySelector('#program-grid').focus()");
    page.key("ArrowRight");
    page.wait_for("document.querySelectorAll('#program-sources button').length === 2");
}

fn the_sources_of_a_cell_are_there_again_after_back_and_forward(page: &Page) {
    choose_cell_of_softmax(page);
    page.wait_for("location.hash.includes(';cell=')");
    for _ in 0..3 {
        page.run("history.back()");
        page.wait_for("document.querySelector('#sample-softmax')");
        page.run("history.forward()");
        wait_for_value(page, "broadcast_multiply_fusion");
        page.wait_for("document.querySelectorAll('#program-sources button').length === 2");
    }
}

fn followed_cells_lead_back(page: &Page) {
    choose_cell_of_softmax(page);
    assert_eq!(page.count("#program-trail-back"), 0);
    let follow = |expected: &str| {
        page.wait_for("document.querySelectorAll('#program-sources button').length > 0");
        page.run("document.querySelector('#program-sources button').click()");
        page.wait_for_text("#program-trail-back", expected);
    };
    follow("← Back to broadcast_multiply_fusion[0,1]");
    wait_for_value(page, "subtract_exponential_fusion");
    page.wait_for("document.activeElement.id === 'program-grid'");
    follow("← Back to subtract_exponential_fusion[0,1]");
    page.click("#program-trail-back");
    wait_for_value(page, "subtract_exponential_fusion");
    page.wait_for_text("#program-trail-back", "← Back to broadcast_multiply_fusion[0,1]");
    page.click("#program-trail-back");
    wait_for_value(page, "broadcast_multiply_fusion");
    page.wait_for("document.querySelector('#program-cell code')?.textContent.startsWith('[0,1] = ')");
    assert_eq!(page.count("#program-trail-back"), 0);
    // Both ways back are the same: the browser's Back leads to what was there before the first step, its Forward along the cells.
    page.history(1);
    wait_for_value(page, "subtract_exponential_fusion");
    page.history(-2);
    page.wait_for("document.querySelector('#sample-softmax')");
}

fn the_parameters_of_a_cell_are_named_and_marked(page: &Page) {
    choose_cell_of_softmax(page);
    // A row of the parameter.
    page.wait_for_text("#trace-parameters li", "x.1 [0:1,0:16], 16 cells");
    page.click("#trace-parameters button");
    wait_for_value(page, "x.1");
    page.wait_for_text(
        "#program-marks",
        "Marked: [0:1,0:16], 16 cells, sources of broadcast_multiply_fusion[0,1]",
    );
    // Another cell has other sources.
    page.wait_for("document.activeElement.id === 'program-grid'");
    page.key("ArrowDown");
    page.wait_for("!document.querySelector('#program-marks')");
    page.click("#program-trail-back");
    wait_for_value(page, "broadcast_multiply_fusion");
}

fn keys_lose_neither_values_nor_focus(page: &Page) {
    choose_cell_of_softmax(page);
    page.wait_for("document.title === 'jit_softmax_2d: XLA Playground'");
    page.wait_for(
        "document.querySelector('#program-spoken').textContent.includes('[0,1] = ')
            && document.querySelector('#program-spoken').textContent.includes('subtract_exponential_fusion[0,1] = ')",
    );
    // Neither ends a finished run, nor starts another one, within the grid.
    let status = page.text("#program-status");
    for key in ["Escape", "Space"] {
        page.key(key);
        page.wait_two_frames();
        assert_eq!(page.text("#program-status"), status, "{key}");
        assert_eq!(page.count("#program-sources button"), 2, "{key}");
        assert!(page.is_focused("#program-grid"), "{key}");
    }
    // The focus stays near controls that disappear.
    for (selector, home) in [
        ("#program-sources button", "program-grid"),
        ("#step-back", ""),
        ("#program-path button, #program-bodies button", ""),
        ("#program-close", "program-paste"),
    ] {
        page.wait_for(&format!("document.querySelector('{selector}')"));
        page.with_element::<()>(selector, "(control) => control.focus()");
        page.key("Enter");
        page.wait_for(&format!("document.activeElement !== document.body && ('{home}' === '' || document.activeElement.id === '{home}')"));
        page.wait_two_frames();
        assert!(!page.eval::<bool>("document.activeElement === document.body"), "{selector}");
    }
}

fn arguments_come_from_files_and_values_go_to_files(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let text =
        "HloModule files\n\nENTRY e {\n  x = f32[100]{0} parameter(0)\n  ROOT y = f32[100]{0} negate(x)\n}\n";
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    wait_for_run(page, "done");
    drop_file(page, ".value-pane", "weights.npy", HUNDRED_FLOATS);
    page.wait_for("document.querySelector('.argument-file')?.textContent === 'weights.npy'");
    wait_for_run(page, "done");
    page.wait_for("document.querySelector('[data-statistic=program-min] dd')?.textContent === '-99'");
    assert!(page.text("#file-notes").contains("not in the link"));
    page.assert_accessible();
    // A damaged file is rejected at its parameter.
    drop_file(page, ".value-pane", "weights.npy", &format!("{HUNDRED_FLOATS}.slice(0, 200)"));
    page.wait_for("document.querySelector('#argument-problem-0')?.textContent.includes('bytes')");
    // After a reload the link has the name of the file only, and nothing runs on other values.
    page.wait_for("location.hash.includes('file.weights.npy')");
    page.reload();
    page.wait_for(READY);
    page.wait_for("document.querySelector('#argument-problem-0')?.textContent.includes('weights.npy')");
    drop_file(page, ".value-pane", "weights.npy", HUNDRED_FLOATS);
    page.wait_for("document.querySelector('[data-statistic=program-min] dd')?.textContent === '-99'");
    // The value is offered as a file.
    page.run(
        "window.saved = []; const make = URL.createObjectURL;
         URL.createObjectURL = (blob) => { window.saved.push(blob.size); return make.call(URL, blob); };",
    );
    page.click("#save-npy");
    page.wait_for("window.saved.length === 1 && window.saved[0] > 400");
}

fn a_cell_is_traced_and_a_loop_is_stepped_through(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    let text = "HloModule steps\n\nc {\n  p = (s32[], f32[2]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  \
                n = s32[] constant(5)\n  ROOT t = pred[] compare(i, n), direction=LT\n}\n\nb {\n  \
                q = (s32[], f32[2]) parameter(0)\n  j = s32[] get-tuple-element(q), index=0\n  \
                v = f32[2] get-tuple-element(q), index=1\n  k = f32[2] constant({1e20, 2})\n  w = f32[2] multiply(v, k)\n  \
                one = s32[] constant(1)\n  m = s32[] add(j, one)\n  ROOT r = (s32[], f32[2]) tuple(m, w)\n}\n\nENTRY e {\n  \
                z = s32[] constant(0)\n  a = f32[2] constant({3, 4})\n  s = (s32[], f32[2]) tuple(z, a)\n  \
                ROOT u = (s32[], f32[2]) while(s), condition=c, body=b\n}\n";
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    wait_for_run(page, "done");
    // 3e20 is finite, 3e40 is not: the second iteration.
    page.wait_for("document.querySelector('#first-infinity')?.textContent.includes('2')");
    page.click("#first-infinity");
    wait_for_value(page, "w");
    page.wait_for_text("#program-trail-back", "← Back to u");
    page.wait_for("document.querySelector('#program-execution')?.value === '1'");
    page.wait_for("document.querySelector('#program-cell code')?.textContent === '[0] = inf'");
    // The chain of the cell leads to the parameter of the body, and on to its root.
    page.wait_for("document.querySelector('#trace-back [data-name=q]')");
    page.wait_for("document.querySelector('#trace-on [data-name=r]')");
    page.assert_accessible();
    page.click("#show-timeline");
    page.wait_for("document.querySelector('#timeline text')?.textContent === '∞'");
    // The cell of a trace is chosen in its own value, and stays chosen in the iteration before.
    page.click("#trace-back [data-name=v] .trace-name");
    wait_for_value(page, "v");
    page.wait_for("document.querySelector('#program-cell code')?.textContent.startsWith('[0] = 3e')");
    page.click("#execution-back");
    page.wait_for("document.querySelector('#program-cell code')?.textContent === '[0] = 3'");
    assert_eq!(page.eval::<String>("document.querySelector('#program-execution').value"), "0");
    page.key("]");
    wait_for_value(page, "k");
}

fn a_memory_report_leads_to_layouts_that_waste_less(page: &Page) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#sample-out-of-memory')");
    page.click("#sample-out-of-memory");
    page.wait_for("document.querySelector('#memory-report')");
    assert!(page.text("#report-need").contains("GB"));
    assert!(page.text(".buffer h3").contains("f32[4194304,12]"));
    // A report is no program: there is nothing to draw, count, compare or cut.
    assert_eq!((page.count(".view-tabs"), page.count("[role=tabpanel]")), (0, 0));
    page.assert_accessible();
    page.viewport(390, 844);
    page.wait_for("document.documentElement.scrollWidth <= 390");
    page.click("#buffer-0-suggestion-0");
    page.wait_for("document.querySelector('#spec')");
}

fn a_source_file_is_shown_beside_its_instructions(page: &Page) {
    open(page, "#program1/@scan");
    page.wait_for("document.querySelector('.outline-row .source-mark')");
    page.run("document.querySelector('#source-section').open = true");
    page.wait_for("document.querySelector('#source-lines button')");
    page.run("document.querySelector('#source-lines button').click()");
    page.wait_for("document.querySelector('#source-instructions button')");
    let text = "'# a line\\n'.repeat(400)";
    drop_file(page, "#source-view", "models.py", text);
    page.wait_for("document.querySelector('#source-lines .code')?.textContent === '# a line'");
    page.assert_accessible();
    page.run("document.querySelector('#source-instructions button').click()");
    page.wait_for("document.querySelector('#source-instructions [aria-pressed=true]')");
}

fn lines_of_the_text_are_walked_by_keyboard(page: &Page) {
    open(page, "#program1/@softmax");
    wait_for_selected(page, "broadcast_multiply_fusion");
    let line = "document.querySelector('#' + document.querySelector('#program-lines').getAttribute('aria-activedescendant'))";
    page.wait_for(&format!("{line}?.ariaSelected === 'true'"));
    page.run("document.querySelector('#program-lines').focus()");
    page.key("Home");
    page.wait_for(&format!("{line}?.ariaPosInSet === '1' && {line}.textContent.includes('HloModule')"));
    let target = format!("{line}?.textContent.includes('reduce_max.5 = ') ?? false");
    page.key("PageDown");
    for _ in 0..50 {
        page.key("ArrowDown");
        page.wait_two_frames();
        if page.eval(&target) {
            break;
        }
    }
    page.wait_for(&target);
    page.key("Enter");
    wait_for_selected(page, "reduce_max.5");
    page.wait_for(&format!("{line}?.ariaSelected === 'true'"));
}
