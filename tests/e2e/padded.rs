//! The main task: from the landing page to the padded column-major array of XLA's documentation, and through its
//! fifteen slots.

use harness::{Page, Test};

use crate::app::{
    IN_CHROME, IN_FIREFOX, active_text, choose_option, fact, open, paste, spoken, strip_text, wait_for_link,
    wait_for_spec, wait_for_spoken,
};

pub const TESTS: &[Test] = harness::tests![
    one_click_from_landing: IN_CHROME,
    one_pasted_line_from_landing: IN_FIREFOX,
    the_player_steps_through_every_slot: IN_CHROME
];

const SPEC: &str = "f32[2,3]{0,1} padded[3,5]=zero";
const STRIP: &str = "a d 0 b e 0 c f 0 0 0 0 0 0 0";

fn one_click_from_landing(page: &Page) {
    open(page, "");
    assert_eq!(page.value("#spec"), SPEC, "a first visit shows it");
    assert!(page.text("#caption").contains("9 of 15 slots are padding"));
    assert_eq!(page.texts(".screen b"), ["Layout", "Ops", "Program", "Speed"]);
    page.click("#quick-preset-row-major");
    wait_for_spec(page, "f32[2,3]{1,0} padded[3,5]=zero");
    page.click("#quick-preset-padded");
    wait_for_spec(page, SPEC);
    assert_eq!(strip_text(page), STRIP);
    assert_eq!(
        (fact(page, "slots"), fact(page, "elements"), fact(page, "bytes")),
        ("15".into(), "6".into(), "60".into())
    );
}

fn one_pasted_line_from_landing(page: &Page) {
    open(page, "#v1/f32[2,3]{1,0}");
    paste(page, SPEC);
    page.wait_for("document.querySelector('#fact-slots b').textContent === '15'");
    page.key("Enter");
    wait_for_link(page, "f32[2,3]{0,1}+padded[3,5]=zero");
    assert_eq!(strip_text(page), STRIP);
}

/// The announcement, the inspector and both active descendants, for each slot in turn, and back.
fn the_player_steps_through_every_slot(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    let letters = ["a", "d", "", "b", "e", "", "c", "f", "", "", "", "", "", "", ""];
    let mut phrases = Vec::new();
    for (slot, letter) in letters.into_iter().enumerate() {
        let (row, column) = (slot % 3, slot / 3);
        let phrase = if letter.is_empty() {
            format!("index {row}, {column}, padding, value 0, slot {slot}")
        } else {
            format!("index {row}, {column}, value {letter}, slot {slot}")
        };
        wait_for_spoken(page, &phrase);
        assert_eq!(
            (active_text(page, "#grid"), active_text(page, "#strip")),
            (phrase.clone(), phrase.clone())
        );
        let inspector = page.text("#inspector");
        assert!(inspector.contains(&format!("({row}, {column})")), "{inspector}");
        assert!(inspector.contains(if letter.is_empty() { "padding" } else { "element" }), "{inspector}");
        assert!(inspector.contains(&format!("bytes {}–{}", slot * 4, slot * 4 + 3)), "{inspector}");
        let formula = page.text("#formula");
        assert!(formula.ends_with(&format!("= {row}·1 + {column}·3 = {slot}")), "{formula}");
        assert_eq!(page.value("#scrub"), slot.to_string());
        phrases.push(phrase);
        if slot < 14 {
            page.click("#next");
        }
    }
    assert!(page.with_element::<bool>("#next", "(button) => button.disabled"), "memory ends at slot 14");
    for phrase in phrases.iter().rev().skip(1).take(3) {
        page.click("#previous");
        wait_for_spoken(page, phrase);
    }
    // From the end, playing starts over and stops at the end.
    choose_option(page, "#speed", "60");
    page.click("#play");
    wait_for_spoken(page, &phrases[14]);
    page.wait_for("document.querySelector('#play').getAttribute('aria-pressed') === 'false'");
    page.click("#play");
    page.wait_for("document.querySelector('#play').getAttribute('aria-pressed') === 'true'");
    assert_ne!(spoken(page), phrases[14], "it begins again");
}
