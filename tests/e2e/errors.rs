//! Errors of the spec: message, position, rule, and a clickable fix; the last valid picture stays.

use harness::{Page, Test};

use crate::app::{
    IN_CHROME, IN_FIREFOX, choose_option, fact, open, paste, strip_text, wait_for_link, wait_for_spec,
};

pub const TESTS: &[Test] = harness::tests![
    a_repeated_dimension_is_marked_and_fixed: IN_CHROME,
    in_chinese_too: IN_FIREFOX,
    over_the_limit_is_rejected_with_a_way_out: IN_CHROME,
    a_rejected_form_edit_says_why: IN_FIREFOX,
    errors_in_tiles_and_values_are_reported: IN_CHROME,
];

fn a_repeated_dimension_is_marked_and_fixed(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}");
    paste(page, "f32[2,3]{0,0}");
    page.wait_for("document.querySelector('.problem .error-line')");
    let said = page.text(".problem .error-line");
    assert!(said.contains("lists dimension 0 twice"), "{said}");
    assert_eq!(
        page.with_element::<String>(".problem .rule", "(rule) => rule.lastChild.textContent"),
        "layout-4"
    );
    let carets: String = page.with_element(".problem .caret", "(element) => element.textContent");
    assert_eq!(carets, format!("{}^", " ".repeat("f32[2,3]{0,".len())));
    assert_eq!(page.attribute("#spec", "aria-invalid").as_deref(), Some("true"));
    assert_eq!(page.attribute("#spec", "aria-describedby").as_deref(), Some("spec-errors"));
    // The caret is below the wrong character.
    let under: (f64, f64) = page.eval(
        "(() => { const range = document.createRange(); const text = document.querySelector('.problem .caret').firstChild;
            range.setStart(text, text.length - 1); range.setEnd(text, text.length);
            const caret = range.getBoundingClientRect();
            const walker = document.createTreeWalker(document.querySelector('.specline .paint'), NodeFilter.SHOW_TEXT);
            let left = 11, node;
            while ((node = walker.nextNode()) && node.length <= left) left -= node.length;
            range.setStart(node, left); range.setEnd(node, left + 1);
            return [caret.left, range.getBoundingClientRect().left]; })()",
    );
    assert!((under.0 - under.1).abs() < 2.0, "the caret is {} pixels off", under.0 - under.1);
    assert_eq!(strip_text(page), "a d b e c f", "the last good picture stays");
    assert_eq!(page.value("#spec"), "f32[2,3]{0,0}");
    page.click("#fix");
    wait_for_spec(page, "f32[2,3]{0,1}");
    page.wait_for("!document.querySelector('.problem')");
    assert_eq!(page.attribute("#spec", "aria-invalid").as_deref(), Some("false"));
}

fn in_chinese_too(page: &Page) {
    page.locale("zh-CN");
    open(page, "#v1/f32[2,3]{0,1}");
    paste(page, "f32[2,3]{0,0}");
    page.wait_for("document.querySelector('.problem .error-line')");
    let said = page.text(".problem .error-line");
    assert!(said.contains("minor_to_major") && said.contains('维'), "{said}");
    let fix = page.text("#fix");
    assert!(fix.contains("f32[2,3]{0,1}") && !fix.contains("write"), "{fix}");
    page.click("#fix");
    wait_for_spec(page, "f32[2,3]{0,1}");
}

fn over_the_limit_is_rejected_with_a_way_out(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1};at=3");
    paste(page, "f32[100000,100000]");
    page.wait_for("document.querySelector('.problem .error-line')");
    let said = page.text(".problem .error-line");
    assert!(said.contains("10000000000") && said.contains("67108864"), "{said}");
    assert_eq!((fact(page, "slots"), strip_text(page)), ("6".into(), "a d b e c f".into()));
    wait_for_link(page, "f32[2,3]{0,1};at=3");
    page.click("#fix");
    page.wait_for("!document.querySelector('.problem')");
    let slots: i64 = fact(page, "slots").parse().expect("a number");
    assert!((1 << 25..=1 << 26).contains(&slots), "{slots} slots");
    page.click("#undo");
    wait_for_spec(page, "f32[2,3]{0,1}");
}

fn a_rejected_form_edit_says_why(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}");
    page.type_into("#padded-1", "2");
    page.key("Enter");
    page.wait_for("document.querySelector('#refusal')?.innerText.includes('cannot be padded to 2')");
    assert_eq!(page.value("#spec"), "f32[2,3]{0,1}");
    assert_eq!(page.attribute("#refusal", "role").as_deref(), Some("alert"));
    assert_eq!(page.value("#padded-1"), "3", "the field shows what holds");
    page.type_into("#padded-1", "5");
    page.key("Enter");
    wait_for_spec(page, "f32[2,3]{0,1} padded[2,5]=zero");
    assert_eq!(page.count("#refusal"), 0);
}

fn errors_in_tiles_and_values_are_reported(page: &Page) {
    open(page, "#v1/f32[4,6]{1,0}");
    page.type_into("#tiles", "(2,x)");
    page.key("Enter");
    page.wait_for("document.querySelector('#tiles-problem').innerText !== ''");
    assert_eq!(page.attribute("#tiles", "aria-invalid").as_deref(), Some("true"));
    page.type_into("#tiles", "(2,2)");
    page.key("Enter");
    wait_for_spec(page, "f32[4,6]{1,0:T(2,2)}");
    assert_eq!(page.text("#tiles-problem"), "");
    choose_option(page, "#values", "typed");
    page.wait_for("document.querySelector('#typed')");
    page.type_into("#typed", "1, 2, zwei");
    page.key("Tab");
    page.wait_for("document.querySelector('#values-problem').innerText.includes('zwei')");
    page.type_into("#typed", "1, 2, 3");
    page.key("Tab");
    page.wait_for("document.querySelector('#values-problem').innerText.includes('24')");
}
