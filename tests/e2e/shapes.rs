//! Every kind of shape is displayed without an error and with the right facts.

use harness::{Page, Test};

use crate::app::{
    IN_CHROME, IN_FIREFOX, choose_option, fact, open, open_dialog, spoken, strip_text, wait_for_spoken,
};
use crate::languages::choose;

pub const TESTS: &[Test] = harness::tests![
    facts_of_every_kind_of_array: IN_CHROME,
    a_tuple_shows_its_arrays_one_by_one: IN_FIREFOX,
    shapes_without_arrays: IN_CHROME,
    sliders_show_the_outer_dimensions: IN_FIREFOX,
    axes_are_chosen: IN_CHROME,
    every_example_opens: IN_FIREFOX,
    values_are_shown_as_chosen: IN_CHROME,
    nothing_is_cut_off_on_a_phone,
];

fn facts_of_every_kind_of_array(page: &Page) {
    let cases = [
        ("f32[]", "1", "1", "4", "0 %"),
        ("f32[0,3]{1,0}", "0", "0", "0", "0 %"),
        ("f32[2,3,2,3,4]{4,3,2,1,0}", "144", "144", "576", "0 %"),
        ("s4[7]{0:E(4)}", "7", "7", "4", "0 %"),
        ("bf16[16,256]{1,0:T(8,128)(2,1)}", "4096", "4096", "8192", "0 %"),
        ("f32[10,200]{1,0:T(8,128)}", "2000", "4096", "16384", "51 %"),
        ("f32[2,3]{0,1}+padded[3,5]=zero", "6", "15", "60", "60 %"),
        ("f32[5]{0:T(2)L(4)}", "5", "8", "32", "37 %"),
        ("c128[2,2]{1,0}", "4", "4", "64", "0 %"),
        ("pred[3]{0:E(1)}", "3", "3", "1", "0 %"),
        ("f32[<=8,3]{1,0}", "24", "24", "96", "0 %"),
    ];
    open(page, "");
    for (shape, elements, slots, bytes, padding) in cases {
        open(page, &format!("#v1/{shape}"));
        let spec = shape.replace('+', " ");
        page.wait_for(&format!("document.querySelector('#spec').value === '{spec}'"));
        let facts = ["elements", "slots", "bytes", "padding"].map(|id| fact(page, id));
        assert_eq!(facts, [elements, slots, bytes, padding], "{shape}");
        assert_eq!(page.count("#link-problems") + page.count(".problem"), 0, "{shape}");
    }
    open(page, "#v1/f32[0,3]{1,0}");
    page.wait_for("document.querySelector('#grid').innerText.includes('no elements')");
    assert_eq!(page.count("#strip"), 0, "it takes no memory");
    open(page, "#v1/f32[]");
    wait_for_spoken(page, "value a, slot 0");
}

fn a_tuple_shows_its_arrays_one_by_one(page: &Page) {
    open(page, "#v1/(f32[2,3]{0,1},+s32[4]{0},+(pred[2,2]{1,0},+token[]));v=iota");
    assert_eq!(page.texts(".leaf code"), ["f32[2,3]{0,1}", "s32[4]{0}", "pred[2,2]{1,0}"]);
    assert_eq!(page.texts(".leaf .dim"), ["{0}", "{1}", "{2,0}"]);
    assert_eq!(strip_text(page), "0 3 1 4 2 5");
    page.click("#leaf-1");
    page.wait_for("document.querySelector('#leaf-1').getAttribute('aria-pressed') === 'true'");
    assert_eq!((strip_text(page), fact(page, "bytes")), ("0 1 2 3".into(), "16".into()));
    // An edit changes this array only.
    page.type_into("#size-0", "6");
    page.key("Enter");
    page.wait_for(
        "document.querySelector('#spec').value === '(f32[2,3]{0,1}, s32[6]{0}, (pred[2,2]{1,0}, token[]))'",
    );
}

fn shapes_without_arrays(page: &Page) {
    for shape in ["token[]", "()", "opaque[]", "(token[],+())"] {
        open(page, &format!("#v1/{shape}"));
        page.wait_for("document.querySelector('#no-array')");
        assert_eq!(page.count("#grid") + page.count("#link-problems"), 0, "{shape}");
        assert!(page.with_element::<bool>("#play", "(button) => button.disabled"), "{shape}");
        open_dialog(page, "#share");
        page.wait_for("document.querySelector('#link').value.includes('v1/')");
        page.key("Escape");
        page.wait_for("!document.querySelector('dialog')");
    }
    open(page, "#v1/b(f32[2,3]{1,0})");
    wait_for_spoken(page, "index 0, 0, value a, slot 0");
}

fn sliders_show_the_outer_dimensions(page: &Page) {
    open(page, "#v1/f32[5,2,3,2,3]{4,3,2,1,0};v=iota;axes=3.4");
    assert_eq!(page.count("input[id^='slider-']"), 1, "two dimensions are the grid, two the facets");
    page.run("document.querySelector('#slider-0').focus();");
    page.key("ArrowRight");
    page.key("ArrowRight");
    wait_for_spoken(page, "index 2, 0, 0, 0, 0, value 72, slot 72");
    page.run("document.querySelector('#grid').focus();");
    for (key, phrase) in [
        ("PageDown", "index 2, 0, 1, 0, 0, value 78, slot 78"),
        ("ArrowDown", "index 2, 0, 1, 1, 0, value 81, slot 81"),
        ("End", "index 2, 0, 1, 1, 2, value 83, slot 83"),
    ] {
        page.key(key);
        wait_for_spoken(page, phrase);
    }
    // A step beyond the displayed page moves the slider.
    page.run("location.hash = location.hash.replace(/at=\\d+/, 'at=0');");
    wait_for_spoken(page, "index 0, 0, 0, 0, 0, value 0, slot 0");
}

fn axes_are_chosen(page: &Page) {
    open(page, "#v1/f32[2,3,4]{2,1,0}");
    assert_eq!((page.value("#axis-rows"), page.value("#axis-columns")), ("1".into(), "2".into()));
    choose_option(page, "#axis-rows", "2");
    page.wait_for("document.querySelector('#axis-columns').value === '1' && document.querySelector('#axis-rows').value === '2'");
    let counts = ["aria-rowcount", "aria-colcount"].map(|name| page.attribute("#grid", name));
    assert_eq!(counts, [Some("4".to_owned()), Some("3".to_owned())]);
}

fn every_example_opens(page: &Page) {
    open(page, "");
    open_dialog(page, "#examples");
    let ids: Vec<String> = page.eval("[...document.querySelectorAll('.example')].map((each) => each.id)");
    assert!(ids.len() >= 20, "{ids:?}");
    page.key("Escape");
    for id in ids {
        page.wait_for("!document.querySelector('dialog')");
        open_dialog(page, "#examples");
        let spec: String =
            page.with_element(&format!("#{id} code"), "(code) => code.textContent.split(' · ')[0]");
        page.click(&format!("#{id}"));
        page.wait_for(&format!("document.querySelector('#spec').value === '{spec}'"));
        page.wait_two_frames();
        assert_eq!(page.count(".problem"), 0, "{id}");
    }
}

fn values_are_shown_as_chosen(page: &Page) {
    open(page, "#v1/s32[2,3]{0,1}");
    let choose = |kind: &str| {
        page.run(&format!(
            "const list = document.querySelector('#values'); list.value = '{kind}';
             list.dispatchEvent(new Event('change', {{ bubbles: true }}));"
        ));
        page.wait_two_frames();
    };
    choose("iota");
    assert_eq!(strip_text(page), "0 3 1 4 2 5");
    choose("random");
    let random = strip_text(page);
    page.type_into("#seed", "2");
    page.key("Enter");
    page.wait_for("location.hash.includes('random.2')");
    assert_ne!(strip_text(page), random);
    choose("typed");
    page.type_into("#typed", "{ { 1, 2, 3 }, { -4, 5, 6 } }");
    page.key("Tab");
    page.wait_for("location.hash.includes('typed')");
    // Their reader is loaded first.
    wait_for_spoken(page, "index 0, 0, value 1, slot 0");
    assert_eq!(strip_text(page), "1 -4 2 5 3 6");
    assert!(spoken(page).contains("value 1"));
}

/// No element reaches beyond the window, not even within a part that scrolls sideways without showing it; only the text in the
/// field of the shape does.
fn nothing_is_cut_off_on_a_phone(page: &Page) {
    page.viewport(390, 844);
    for shape in
        ["f32[2,3]{1,0}", "f32[2,3,2,2,2,2,2,2,3,2]{9,8,7,6,5,4,3,2,1,0}", "f32[8,224,224,3]{3,2,1,0}"]
    {
        open(page, &format!("#v1/{shape}"));
        for language in ["zh-Hans", "en"] {
            choose(page, language);
            page.wait_two_frames();
            let beyond: Vec<String> = page.eval(
                "[...document.querySelectorAll('#app *')]
                    .filter((element) => !element.closest('.specline, .sr-only, canvas'))
                    .map((element) => [element, element.getBoundingClientRect()])
                    .filter(([, box]) => box.width > 0 && box.right > document.documentElement.clientWidth + 0.5)
                    .map(([element, box]) => `${element.tagName}#${element.id} to ${box.right}`)",
            );
            assert!(beyond.is_empty(), "{shape} {language}: {beyond:?}");
            assert!(page.eval::<bool>(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            ));
        }
    }
}
