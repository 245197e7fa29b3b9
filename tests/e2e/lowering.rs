//! The builder's forms on the page: fields, buttons, what was lowered, and the go-to field's negative indices.

use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open as open_layout, quoted};

pub const TESTS: &[Test] = harness::tests![
    reshape_dimensions_transpose_first_on_the_page: IN_CHROME,
    named_padding_is_written_by_buttons: IN_FIREFOX,
    an_operand_of_another_size_is_broadcast_by_a_click: IN_CHROME,
    terminology_negative_index_in_the_go_to_field: IN_FIREFOX,
    indexing_the_screen_links_to_the_document: IN_CHROME,
];

fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for(
        "document.querySelector('#op-title') && document.querySelector('#result-shape, #run-failed')",
    );
    page.wait_two_frames();
}

fn set_field(page: &Page, selector: &str, text: &str) {
    let _: bool = page.eval(&format!(
        "(() => {{ const field = document.querySelector({}); field.value = {};
            field.dispatchEvent(new Event('input', {{ bubbles: true }}));
            field.dispatchEvent(new Event('change', {{ bubbles: true }})); return true; }})()",
        quoted(selector),
        quoted(text)
    ));
}

fn choose_2017(page: &Page) {
    set_field(page, "#edition", "2017");
    page.wait_two_frames();
}

fn wait_for_program(page: &Page, part: &str) {
    page.wait_for(&format!("document.querySelector('#hlo').value.includes({})", quoted(part)));
}

fn reshape_dimensions_transpose_first_on_the_page(page: &Page) {
    open(page, "#ops1/@Reshape.1");
    assert!(!page.eval::<bool>("!!document.querySelector('#builder-arguments')"));
    choose_2017(page);
    page.wait_for("document.querySelector('#builder-arguments')");
    set_field(page, "#argument-dimensions", "{1,x,z}");
    wait_for_program(page, "dimensions={1,2,0}");
    page.wait_for("document.querySelector('#lowered').textContent.includes('transposes the operand')");
    page.assert_accessible();
}

fn named_padding_is_written_by_buttons(page: &Page) {
    open(page, "#ops1/@Conv.0");
    assert_eq!(
        page.eval::<String>("document.querySelector('#padding-valid').getAttribute('aria-pressed')"),
        "true"
    );
    page.click("#padding-same");
    page.wait_for("document.querySelector('#padding-same').getAttribute('aria-pressed') === 'true'");
    wait_for_program(page, "pad=");
    page.assert_accessible();
}

fn an_operand_of_another_size_is_broadcast_by_a_click(page: &Page) {
    open(page, "#ops1/add");
    let text = "HloModule m\n\nENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[2] add(a, b)\n}\n";
    set_field(page, "#hlo", text);
    page.wait_for("document.querySelector('#fix')?.textContent.includes('Insert broadcast')");
    page.click("#fix");
    wait_for_program(page, "broadcast.1 = f32[2] broadcast(b), dimensions={}");
    page.wait_for("document.querySelector('#result-shape')");
}

fn terminology_negative_index_in_the_go_to_field(page: &Page) {
    open_layout(page, "#v1/f32[2,3]{1,0}");
    page.run("document.querySelector('#grid').focus();");
    page.key("g");
    page.wait_for("document.activeElement?.id === 'goto-target'");
    page.type_text("-1,-1");
    page.key("Enter");
    page.wait_for("!document.querySelector('#goto-dialog')");
    page.wait_for("document.querySelector('#spoken').textContent.includes('index 1, 2')");
}

fn indexing_the_screen_links_to_the_document(page: &Page) {
    for (locale, name) in [("en-US", "Shapes and layout"), ("zh-CN", "形状与布局")] {
        page.locale(locale);
        open_layout(page, "#v1/f32[2,3]");
        page.reload();
        page.wait_for(&format!(
            "document.querySelector('#document')?.textContent.trim() === {}",
            quoted(name)
        ));
        assert_eq!(page.attribute("#document", "href").as_deref(), Some("https://openxla.org/xla/shapes"));
    }
}
