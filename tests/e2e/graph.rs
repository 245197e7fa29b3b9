//! The graph of the program on the Ops screen.

use harness::{Condition, Emulation, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};
use crate::ops_catalogue::open;

pub const TESTS: &[Test] = harness::tests![
    a_loop_is_drawn_with_its_condition_and_body: Condition::Smoke,
    the_graph_is_used_by_keyboard: IN_FIREFOX,
    a_chain_that_calls_nothing_has_no_graph: IN_FIREFOX,
    a_large_program_shows_the_part_around_the_selected_instruction: IN_CHROME,
    the_graph_is_accessible_and_scrolls_in_its_own_box: IN_FIREFOX,
];

/// Replaces the program.
#[track_caller]
fn set_program(page: &Page, text: &str) {
    let text = quoted(text);
    page.run(&format!(
        "const field = document.querySelector('#hlo'); field.value = {text};
         field.dispatchEvent(new Event('input', {{ bubbles: true }}));
         field.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ));
}

/// The instructions of the entry computation in the graph: what each button reads, without the shape.
fn entry(page: &Page) -> Vec<String> {
    page.eval(
        "[...document.querySelectorAll('.graph-plane > ol > li > button > span:first-child')].map((each) => each.textContent)",
    )
}

/// The texts in the picture.
fn svg_texts(page: &Page, selector: &str) -> Vec<String> {
    page.eval(&format!(
        "[...document.querySelectorAll({})].map((each) => each.textContent.trim())",
        quoted(selector)
    ))
}

fn a_loop_is_drawn_with_its_condition_and_body(page: &Page) {
    open(page, "#ops1/@while");
    let labels: Vec<String> = page.eval(
        "[...document.querySelectorAll('.graph-plane ol ol')].map((each) => each.getAttribute('aria-label'))",
    );
    assert_eq!(labels.len(), 2, "{labels:?}");
    assert!(labels[0].starts_with("condition") && labels[1].starts_with("body"), "{labels:?}");
    assert_eq!(svg_texts(page, ".graph-label"), labels);
    // Into the body, and back to the condition.
    assert_eq!(page.count(".graph-loop"), 2);
    let entry = entry(page);
    assert!(entry.iter().any(|text| text.starts_with("ROOT while")), "{entry:?}");
    // The body's buttons are below the loop's own and within its box.
    let is_within: bool = page.eval(
        "(() => { const box = document.querySelector('.graph-call').getBoundingClientRect();
            return [...document.querySelectorAll('.graph-node.called')].every((each) => {
                const own = each.getBoundingClientRect();
                return own.left >= box.left && own.right <= box.right && own.top > box.top && own.bottom <= box.bottom;
            }); })()",
    );
    assert!(is_within && page.count(".graph-node.called") >= 4);
}

fn the_graph_is_used_by_keyboard(page: &Page) {
    open(page, "#ops1/@while");
    // A called instruction is selected in the text.
    page.run("document.querySelector('.graph-plane ol[aria-label^=body] > li:last-child > button').focus();");
    page.key("Enter");
    page.wait_for("document.activeElement.id === 'hlo'");
    let selected: String = page.eval(
        "(() => { const field = document.querySelector('#hlo');
            return field.value.slice(field.selectionStart, field.selectionEnd); })()",
    );
    let name = page.text(".graph-plane ol[aria-label^=body] > li:last-child > button .dim:last-child");
    assert!(selected.contains("ROOT") && selected.contains(&format!("{name} =")), "{selected}: {name}");
    // An instruction of the entry computation becomes the selected one.
    set_program(
        page,
        "HloModule m\nENTRY e {\n  x = f32[2] constant({1, 2})\n  a = f32[2] negate(x)\n  b = f32[2] exponential(x)\n  \
         ROOT s = f32[2] subtract(b, a)\n}\n",
    );
    page.wait_for("document.querySelector('#op-title code').textContent === 'subtract'");
    assert_eq!(entry(page), ["constant x", "negate a", "exponential b", "ROOT subtract s"]);
    assert_eq!(svg_texts(page, ".graph-number"), ["0", "1"]);
    // b is the first operand, so it is on the left.
    let middle = |name: &str| page.centre(&format!(".graph-plane > ol > li:nth-child({name}) > button")).0;
    assert!(middle("3") < middle("2"), "operands are in their order");
    page.run("document.querySelector('.graph-plane > ol > li:nth-child(2) > button').focus();");
    page.key("Enter");
    page.wait_for("document.querySelector('#op-title code').textContent === 'negate'");
    assert!(page.is_focused(".graph-node[aria-pressed=true]"));
    assert_eq!(page.count(".graph-node[aria-pressed=true]"), 1);
}

fn a_chain_that_calls_nothing_has_no_graph(page: &Page) {
    open(page, "#ops1/@transpose");
    assert_eq!(page.count("#graph"), 0);
    set_program(
        page,
        "HloModule m\nENTRY e {\n  x = f32[2] constant({1, 2})\n  a = f32[2] negate(x)\n  ROOT s = f32[2] subtract(a, a)\n}\n",
    );
    page.wait_for("document.querySelector('#op-title code').textContent === 'subtract'");
    assert_eq!(page.count("#graph"), 0);
    // A computation that is called is drawn, also the one line of a reduction.
    open(page, "#ops1/@reduce");
    assert_eq!(page.count(".graph-plane ol ol"), 1);
    assert!(svg_texts(page, ".graph-label")[0].starts_with("to_apply"));
}

fn a_large_program_shows_the_part_around_the_selected_instruction(page: &Page) {
    open(page, "#ops1/@transpose");
    let sums: Vec<String> =
        (2..3_000).map(|i| format!("  x{i} = f32[] add(x{}, x{})\n", i - 1, i / 2)).collect();
    let text = format!(
        "HloModule m\nENTRY e {{\n  x0 = f32[] constant(1)\n  x1 = f32[] negate(x0)\n{}  ROOT r = f32[] negate(x2999)\n}}\n",
        sums.concat()
    );
    set_program(page, &text);
    page.wait_for("document.querySelector('#graph-part')");
    assert_eq!(page.text("#graph-part"), "40 of 3001 instructions, those nearest to the selected one");
    assert!(entry(page).contains(&"ROOT negate r".to_owned()));
    // Selecting another one moves the part, and the selected one is in view.
    let before = entry(page);
    let name = before[0].clone();
    page.run("document.querySelector('.graph-plane > ol > li > button').click();");
    page.wait_for("document.querySelector('.graph-node[aria-pressed=true]')");
    page.wait_for(&format!(
        "document.querySelector('.graph-node[aria-pressed=true] > span').textContent === {}",
        quoted(&name)
    ));
    let after = entry(page);
    assert!(after.len() == 40 && after != before && after.contains(&name), "{after:?}");
    page.wait_for(
        "((own, box) => own.left >= box.left && own.right <= box.right && own.top >= box.top && own.bottom <= box.bottom)(
            document.querySelector('.graph-node[aria-pressed=true]').getBoundingClientRect(),
            document.querySelector('.graph').getBoundingClientRect())",
    );
}

fn the_graph_is_accessible_and_scrolls_in_its_own_box(page: &Page) {
    page.viewport(390, 844);
    for (dark, locale, title) in [(false, "en-US", "Graph of the program"), (true, "zh-CN", "程序图")] {
        page.locale(locale);
        page.emulate(Emulation { dark, reduced_motion: false });
        open(page, "#ops1/@while");
        // The language is that of the browser when the page is loaded.
        page.reload();
        page.wait_for(&format!("document.querySelector('#h-graph')?.textContent === {}", quoted(title)));
        page.assert_accessible();
        assert!(page.eval::<u32>("document.documentElement.scrollWidth") <= 390);
        assert!(page.eval::<bool>(
            "((box) => box.scrollWidth > box.clientWidth && box.clientWidth <= 390)(document.querySelector('.graph'))"
        ));
        // Every button is wide and high enough to be hit.
        assert!(page.eval::<bool>(
            "[...document.querySelectorAll('.graph-node')].every((each) => each.offsetWidth >= 24 && each.offsetHeight >= 24)"
        ));
    }
}
