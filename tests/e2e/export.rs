//! Exports: SVG, PNG, text, and a long link as a file.

use harness::{Condition, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, open_dialog};

pub const TESTS: &[Test] = harness::tests![
    the_svg_is_well_formed_and_labelled: IN_CHROME,
    the_png_is_a_picture: Condition::Smoke,
    text_is_copied,
    a_long_link_becomes_a_file: IN_FIREFOX
];

fn the_svg_is_well_formed_and_labelled(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero;at=7");
    open_dialog(page, "#share");
    let file = page.save("#save-svg");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("array.svg", "image/svg+xml"));
    let svg = file.text();
    assert!(!svg.contains("<script") && !svg.contains("href=\"http"));
    let labels = page.svg_texts(&svg);
    assert_eq!(labels[0], "f32[2,3]{0,1} padded[3,5]=zero");
    for letter in ["a", "b", "c", "d", "e", "f"] {
        let times = labels.iter().filter(|label| *label == letter).count();
        assert_eq!(times, 2, "{letter} is in the grid and in the strip");
    }
    assert!(labels.iter().filter(|label| *label == "0").count() >= 18, "nine padding cells in each");
}

fn the_png_is_a_picture(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    open_dialog(page, "#share");
    let file = page.save("#save-png");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("array.png", "image/png"));
    let (width, height) = file.png_size();
    assert!(file.bytes.len() > 2_000 && width >= 600 && height >= 200, "{width} by {height}");
}

fn text_is_copied(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]");
    open_dialog(page, "#share");
    assert_eq!(page.text("#strip-text"), "a d . b e . c f . . . . . . .");
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };");
    page.click("#copy-text");
    page.wait_for("window.copied === 'a d . b e . c f . . . . . . .'");
    page.wait_for(
        "document.querySelector('#share-dialog .sheet > .good:last-child').innerText === 'Copied.'",
    );
    page.click("#copy-proto");
    page.wait_for("window.copied === 'minor_to_major: [0, 1]\\npadded_dimensions: [3, 5]\\n'");
    page.click("#copy-link");
    page.wait_for("window.copied === document.querySelector('#link').value");
    // If the browser refuses, the page reports it.
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
         field.dispatchEvent(new Event('input', { bubbles: true }));",
    );
    page.wait_for("location.hash.length > 8000");
    open_dialog(page, "#share");
    let file = page.save("#share-dialog .btn.small");
    assert_eq!(file.text(), page.eval::<String>("location.hash.slice(1)"));
}
