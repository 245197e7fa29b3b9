//! What can be taken along: SVG, PNG, text, and the link as a file where it is long.

use harness::{Download, Page, Test};

use crate::app::{open, quoted};

pub const TESTS: &[Test] = harness::tests![
    the_svg_is_well_formed_and_labelled,
    the_png_is_a_picture,
    text_is_copied,
    a_long_link_becomes_a_file
];

#[track_caller]
fn download(page: &Page, button: &str) -> Download {
    page.catch_downloads();
    page.click(button);
    page.wait_for("window[Symbol.for('e2e.downloads')].length === 1");
    page.take_downloads().remove(0)
}

fn the_svg_is_well_formed_and_labelled(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero;at=7");
    page.click("#share");
    let file = download(page, "#save-svg");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("array.svg", "image/svg+xml"));
    let svg = String::from_utf8(file.bytes).expect("UTF-8");
    assert!(!svg.contains("<script") && !svg.contains("href=\"http"));
    let labels: Vec<String> = page.eval(&format!(
        "(() => {{
            const parsed = new DOMParser().parseFromString({}, 'image/svg+xml');
            if (parsed.querySelector('parsererror')) throw new Error(parsed.documentElement.textContent);
            return [parsed.querySelector('title').textContent, ...[...parsed.querySelectorAll('text')].map((each) => each.textContent)];
        }})()",
        quoted(&svg)
    ));
    assert_eq!(labels[0], "f32[2,3]{0,1} padded[3,5]=zero");
    for letter in ["a", "b", "c", "d", "e", "f"] {
        let times = labels.iter().filter(|label| *label == letter).count();
        assert_eq!(times, 2, "{letter} stands in grid and strip");
    }
    assert!(labels.iter().filter(|label| *label == "0").count() >= 18, "nine padding cells in each");
}

fn the_png_is_a_picture(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    page.click("#share");
    let file = download(page, "#save-png");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("array.png", "image/png"));
    assert!(file.bytes.starts_with(b"\x89PNG\r\n\x1a\n") && file.bytes.len() > 2_000);
    let number = |at: usize| u32::from_be_bytes(file.bytes[at..at + 4].try_into().expect("four bytes"));
    assert!(number(16) >= 600 && number(20) >= 200, "{} by {}", number(16), number(20));
}

fn text_is_copied(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]");
    page.click("#share");
    assert_eq!(page.text("#strip-text"), "a d . b e . c f . . . . . . .");
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };");
    page.click("#copy-text");
    page.wait_for("window.copied === 'a d . b e . c f . . . . . . .'");
    page.wait_for(
        "document.querySelector('#share-dialog .sheet > .good:last-child').innerText === 'Copied.'",
    );
    page.click("#copy-link");
    page.wait_for("window.copied === document.querySelector('#link').value");
    // Where the browser refuses, the page says so.
    page.run("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));");
    page.click("#copy-text");
    page.wait_for(
        "document.querySelector('#share-dialog .sheet > .good:last-child').innerText.includes('by hand')",
    );
}

fn a_long_link_becomes_a_file(page: &Page) {
    open(page, "#v1/f32[64,64]{1,0};v=typed.1");
    page.run(
        "const field = document.querySelector('#typed');
         field.value = Array.from({ length: 4096 }, (_, i) => (i * 2654435761 % 4294967296) / 1e6).join(', ');
         field.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    page.wait_for("location.hash.length > 8000");
    page.click("#share");
    let file = download(page, "#share-dialog .btn.small");
    assert_eq!(String::from_utf8(file.bytes).expect("UTF-8"), page.eval::<String>("location.hash.slice(1)"));
}
