//! The documents' own way into the Ops screen: their entries in the catalogue, and what the page says of one.

use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, choose_option};
use crate::ops_catalogue::open;

pub const TESTS: &[Test] = harness::tests![
    an_entry_is_described_under_its_own_name: IN_CHROME,
    the_examples_of_an_entry_come_first: IN_FIREFOX,
    the_catalogue_follows_the_documents: IN_FIREFOX,
];

fn an_entry_is_described_under_its_own_name(page: &Page) {
    open(page, "#ops1/@Collapse.2");
    assert_eq!(page.text("#op-title"), "Collapse reshape");
    assert_eq!(page.texts("#entry-signatures code"), ["Collapse(operand, dimensions)"]);
    assert!(page.text("#entry-text").contains("{1,2}") || page.text("#entry-text").contains("(1, 2)"));
    let links: Vec<String> = page.eval(
        "[...document.querySelectorAll('.about .sections a')].map((each) => each.getAttribute('href'))",
    );
    assert!(links.iter().any(|link| link.ends_with("/operation_semantics.md#collapse")), "{links:?}");
    assert!(links.contains(&"https://openxla.org/xla/operation_semantics#collapse".to_owned()), "{links:?}");
    page.click("#entry-arguments summary");
    assert_eq!(page.texts("#entry-arguments dt code"), ["operand", "dimensions"]);
    page.assert_accessible();
    // Another op forgets the entry.
    open(page, "#ops1/@pad");
    assert_eq!(page.count("#entry-text"), 0);
}

fn the_examples_of_an_entry_come_first(page: &Page) {
    open(page, "#ops1/@Reshape");
    assert_eq!(page.value("#presets"), "Reshape.0");
    assert_eq!(page.attribute("#presets optgroup", "label").as_deref(), Some("From the documents: Reshape"));
    // An edited value leaves the example selected; a chosen example replaces it.
    choose_option(page, "#presets", "Reshape.1");
    page.wait_for("document.querySelector('#presets').value === 'Reshape.1'");
    // An op that is opened by its opcode offers them after its own.
    open(page, "#ops1/@reshape");
    assert_eq!(page.value("#presets"), "0");
    assert_eq!(page.attribute("#presets optgroup", "label").as_deref(), Some("More examples"));
}

fn the_catalogue_follows_the_documents(page: &Page) {
    open(page, "#ops/");
    page.click("#by-documents");
    page.wait_for("document.querySelector('#by-documents').getAttribute('aria-pressed') === 'true'");
    let names: Vec<String> =
        page.eval("[...document.querySelectorAll('.op')].map((each) => each.getAttribute('title'))");
    assert_eq!(page.texts(".exhibit h3"), ["Pad", "ReduceWindow", "Conv", "Dot", "While"]);
    let count = format!("the {} operations of the 2017 document", names.len());
    assert!(page.text(".gallery-more").contains(&count));
    assert_eq!(names[..4], ["Broadcast", "Call", "Collapse", "Concatenate"]);
    assert_eq!(names.last().map(String::as_str), Some("While"));
    for name in ["ConvWithGeneralPadding", "RngBernoulli", "CrossReplicaSum", "Rev", "Eq", "Lt", "LogicalNot"]
    {
        assert!(names.iter().any(|other| other == name), "{name}");
    }
    // What the document does not have is found under all operations.
    page.type_into("#find-op", "gather");
    page.wait_for("document.querySelector('#find-in-all')");
    page.click("#find-in-all");
    page.wait_for("document.querySelector('.op[title=gather]')");
    assert_eq!(page.count("#find-in-all"), 0);
    page.click("#by-documents");
    page.wait_for("document.querySelector('#find-in-all')");
    // Buttons above the field keep their own Enter, and the search knows other names.
    page.type_into("#find-op", "atrous");
    page.wait_for("document.querySelectorAll('.op').length < 4");
    page.click(".op[title='ConvWithGeneralPadding']");
    page.wait_for("document.querySelector('#op-title').textContent.startsWith('ConvWithGeneralPadding')");
    assert_eq!(page.attribute(".op[aria-current]", "title").as_deref(), Some("ConvWithGeneralPadding"));
    // It is computed with current XLA until one changes the edition.
    assert_eq!(page.value("#edition"), "now");
    page.click("#use-2017");
    page.wait_for(
        "document.querySelector('#edition').value === '2017' && !document.querySelector('#use-2017')",
    );
    assert!(page.is_focused("#edition"));
    // The chosen order outlasts the screen, although the entry belongs to the document.
    page.click("#all-ops");
    page.wait_for("document.querySelector('#all-ops').getAttribute('aria-pressed') === 'true'");
    page.reload();
    page.wait_for("document.querySelector('#op-title')?.textContent.startsWith('ConvWithGeneralPadding')");
    assert_eq!(page.attribute("#all-ops", "aria-pressed").as_deref(), Some("true"));
}
