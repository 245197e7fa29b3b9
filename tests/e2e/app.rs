//! Helpers for the tests of the Layout screen: opening a document, and reading the page's status.

use harness::{Condition, Kind, Page, Reply};

use crate::causes::site_file;

/// The condition of tests of our own code rather than the browser's: text, values, links, attributes. Half of them
/// run in each browser, so that both are busy to the end.
pub const IN_CHROME: Condition = Condition::OneBrowser(Kind::Chrome, OWN_CODE);
/// Like [`IN_CHROME`], in Firefox.
pub const IN_FIREFOX: Condition = Condition::OneBrowser(Kind::Firefox, OWN_CODE);

/// Why these tests need only one browser.
const OWN_CODE: &str = "what it checks is computed by our own code, which WebAssembly runs alike in every browser; input, \
    layout, storage, navigation, workers and errors of the browser are tested in each";

/// Opens an address and waits until the array is drawn.
#[track_caller]
pub fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for("document.querySelector('#grid canvas, #no-array, .pictures .nothing')");
    page.wait_two_frames();
}

/// Opens a dialog by its button, and waits until it is there.
#[track_caller]
pub fn open_dialog(page: &Page, opener: &str) {
    page.click(opener);
    page.wait_for("document.querySelector('dialog')?.open");
}

/// Chooses an option of a list, as a user does.
#[track_caller]
pub fn choose_option(page: &Page, selector: &str, value: &str) {
    page.with_element::<()>(
        selector,
        &format!(
            "(select) => {{ select.value = '{value}'; select.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"
        ),
    );
}

/// Opens the Run section of the Ops screen, unless it is open.
#[track_caller]
pub fn open_run(page: &Page) {
    page.wait_for("document.querySelector('#run')");
    if page.count("#run[open]") == 0 {
        page.click("#run > summary");
        page.wait_for("document.querySelector('#run[open]')");
    }
}

/// How many times slower the page is now than on an idle machine, at least 1, measured by a fixed piece of work: time
/// limits are multiplied by it.
pub fn slowdown(page: &Page) -> f64 {
    const USUAL_MS: f64 = 120.0;
    let took_ms: f64 = page.eval(
        "(() => { const started = performance.now(); let x = 1;
            for (let i = 0; i < 4e7; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; }
            return x === 0 ? 0 : performance.now() - started; })()",
    );
    (took_ms / USUAL_MS).max(1.0)
}

/// Makes the workers that the page starts from now on see a machine with `cores` logical processors.
pub fn with_cores(page: &Page, cores: u32) {
    page.site().reply_with("worker_loader.js", Reply::Content(loader_with_cores(cores)));
}

/// The workers' script on a machine with `cores` logical processors.
pub fn loader_with_cores(cores: u32) -> Vec<u8> {
    let pretend = format!(
        "Object.defineProperty(WorkerNavigator.prototype, 'hardwareConcurrency', {{ get: () => {cores} }});\n"
    );
    [pretend.into_bytes(), site_file("worker_loader.js")].concat()
}

/// The screen reader's text of the focused cell: the element that `aria-activedescendant` names.
#[track_caller]
pub fn active_text(page: &Page, selector: &str) -> String {
    page.with_element(
        selector,
        "(element) => document.getElementById(element.getAttribute('aria-activedescendant')).textContent.trim()",
    )
}

/// The last announcement to screen readers.
#[track_caller]
pub fn spoken(page: &Page) -> String {
    page.with_element("#spoken", "(element) => element.textContent.trim()")
}

/// Waits until the page announces `phrase` for the current cell.
#[track_caller]
pub fn wait_for_spoken(page: &Page, phrase: &str) {
    page.wait_for(&format!("document.querySelector('#spoken').textContent.trim() === {}", quoted(phrase)));
}

/// Waits until the spec bar contains `spec`.
#[track_caller]
pub fn wait_for_spec(page: &Page, spec: &str) {
    page.wait_for(&format!("document.querySelector('#spec').value === {}", quoted(spec)));
}

/// Waits until the fragment of the URL is `fragment`, percent-decoded.
#[track_caller]
pub fn wait_for_link(page: &Page, fragment: &str) {
    page.wait_for(&format!("decodeURIComponent(location.hash) === {}", quoted(&format!("#v1/{fragment}"))));
}

/// Pastes a line into the spec bar: all of it in one input event.
#[track_caller]
pub fn paste(page: &Page, line: &str) {
    page.click("#spec");
    page.key("Control+a");
    page.run(&format!("document.execCommand('insertText', false, {});", quoted(line)));
}

/// The text of memory from the Share dialog, which is closed again.
#[track_caller]
pub fn strip_text(page: &Page) -> String {
    page.click("#share");
    page.wait_for("document.querySelector('#share-dialog')?.open");
    let text = page.text("#strip-text");
    page.key("Escape");
    page.wait_for("!document.querySelector('#share-dialog')");
    text
}

/// The number in a fact, such as `15` in "15 slots".
#[track_caller]
pub fn fact(page: &Page, id: &str) -> String {
    page.with_element(&format!("#fact-{id} b"), "(element) => element.textContent.replace(/\\u202f/g, '')")
}

/// Presses Tab until a matching element has the focus; returns the number of presses.
#[track_caller]
pub fn tab_to(page: &Page, selector: &str) -> usize {
    for presses in 1..80 {
        page.key("Tab");
        if page.is_focused(selector) {
            return presses;
        }
    }
    panic!("80 presses of Tab do not reach {selector}");
}

/// A JavaScript string literal.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
