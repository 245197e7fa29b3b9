//! Every state of the Layout screen passes axe-core in light, dark and narrow; names and roles are right.

use harness::{Emulation, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, active_text, open, paste};

pub const TESTS: &[Test] = harness::tests![
    no_violation_in_light: IN_CHROME,
    no_violation_in_dark: IN_FIREFOX,
    no_violation_at_320_pixels: IN_CHROME,
    nothing_scrolls_sideways_at_320_pixels,
    cells_have_one_phrase: IN_FIREFOX,
    drags_have_a_button_alternative: IN_CHROME,
    motion_can_be_reduced,
];

/// Audits every state of the screen.
#[track_caller]
fn audit(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero;pins=4");
    page.assert_accessible();
    for opener in ["#examples", "#help", "#share", "#goto"] {
        page.click(opener);
        page.wait_for("document.querySelector('dialog')?.open");
        page.assert_accessible();
        page.key("Escape");
        page.wait_for("!document.querySelector('dialog')");
    }
    paste(page, "f32[2,3]{0,0}");
    page.wait_for("document.querySelector('.problem')");
    page.assert_accessible();
    for link in [
        "#v1/f32[4,6]{1,0};with={0,1}",
        "#v1/f32[2,3]{0,1};nonsense=1",
        "#v1/f32[2,3,2,3,4]{4,3,2,1,0};v=typed.1",
        "#v1/(f32[2,3]{0,1},+s32[4]{0},+token[])",
        "#v1/f32[512,512]{1,0:T(8,128)};v=random.1;by=value",
        "#v1/f32[0,3]{1,0}",
        "#v1/f32[]",
        "#v1/token[]",
    ] {
        open(page, link);
        page.wait_two_frames();
        page.assert_accessible();
    }
}

fn no_violation_in_light(page: &Page) {
    audit(page);
}

fn no_violation_in_dark(page: &Page) {
    page.emulate(Emulation { dark: true, reduced_motion: false });
    audit(page);
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("dark"));
}

fn no_violation_at_320_pixels(page: &Page) {
    page.viewport(320, 640);
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    page.assert_accessible();
    open(page, "#v1/f32[4,6]{1,0};with={0,1}");
    page.wait_two_frames();
    page.assert_accessible();
}

fn nothing_scrolls_sideways_at_320_pixels(page: &Page) {
    page.viewport(320, 640);
    for locale in ["en-US", "zh-CN"] {
        page.locale(locale);
        open(page, "");
        page.reload();
        for link in [
            "#v1/f32[2,3]{0,1}+padded[3,5]=zero",
            "#v1/f32[4,6]{1,0};with={0,1}",
            "#v1/f32[2,3,2,3,4]{4,3,2,1,0};v=typed.1",
            "#v1/(f32[2,3]{0,1},+s32[4]{0},+token[])",
            "#v1/bf16[16,256]{1,0:T(8,128)(2,1)};v=iota",
            "#v1/c128[1024,1024]{1,0};v=random.1",
            "#v1/f32[2,3]{0,0};nonsense=1",
        ] {
            open(page, link);
            page.wait_two_frames();
            fits(page, link);
        }
        for opener in ["#examples", "#help", "#share", "#goto"] {
            page.click(opener);
            page.wait_for("document.querySelector('dialog')?.open");
            fits(page, opener);
            let inner: bool =
                page.with_element("dialog", "(dialog) => dialog.scrollWidth <= dialog.clientWidth");
            assert!(inner, "{opener} scrolls sideways");
            page.key("Escape");
            page.wait_for("!document.querySelector('dialog')");
        }
        paste(page, "f32[2,3]{0,0} padded[33333333,55555555]=nonsense and a long text behind it");
        page.wait_for("document.querySelector('.problem')");
        fits(page, "an error");
    }
}

#[track_caller]
fn fits(page: &Page, state: &str) {
    let wide: Vec<String> = page.eval(
        "document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
            .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
            .map((each) => each.outerHTML.slice(0, 90))",
    );
    let width: u32 = page.eval("document.documentElement.scrollWidth");
    assert!(width <= 320, "{state}: {width} pixels wide: {wide:#?}");
}

/// A cell is described by one phrase with index, value, slot and "padding", through standard roles.
fn cells_have_one_phrase(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero;at=8");
    for (view, role, phrase) in [
        ("#grid", "gridcell", "index 2, 2, padding, value 0, slot 8"),
        ("#strip", "option", "index 2, 2, padding, value 0, slot 8"),
    ] {
        assert_eq!(active_text(page, view), phrase);
        let found: String = page.with_element(
            view,
            "(view) => document.getElementById(view.getAttribute('aria-activedescendant')).getAttribute('role')",
        );
        assert_eq!(found, role);
        assert!(page.attribute(view, "aria-label").is_some_and(|label| !label.is_empty()));
    }
    let grid =
        ["role", "aria-rowcount", "aria-colcount", "tabindex"].map(|name| page.attribute("#grid", name));
    assert_eq!(grid, ["grid", "3", "5", "0"].map(|value| Some(value.to_owned())));
    let set_position = ["aria-setsize", "aria-posinset"].map(|name| page.attribute("#strip-slot", name));
    assert_eq!(set_position, ["15", "9"].map(|value| Some(value.to_owned())));
    assert_eq!(page.attribute("#spoken", "role").as_deref(), Some("status"));
    open(page, "#v1/f32[3,5]{1,0:T(2,2)};at=9");
    page.wait_for("document.querySelector('#strip-slot').textContent.trim() === 'tile padding, slot 9'");
}

/// Every drag has an alternative by buttons of at least 24 pixels (WCAG 2.5.7 and 2.5.8).
fn drags_have_a_button_alternative(page: &Page) {
    open(page, "#v1/f32[2,3,4]{2,1,0}");
    let small: Vec<String> = page.eval(
        "[...document.querySelectorAll('button, select, input')]
            .filter((each) => each.checkVisibility() && !each.closest('.sr-only'))
            .filter((each) => { const box = each.getBoundingClientRect(); return box.width < 24 || box.height < 24; })
            .filter((each) => !each.matches('input[type=range], input[type=checkbox]'))
            .map((each) => each.outerHTML.slice(0, 120))",
    );
    assert_eq!(small, Vec::<String>::new());
    assert_eq!(page.count(".chip .nudge"), 6);
}

fn motion_can_be_reduced(page: &Page) {
    page.emulate(Emulation { dark: false, reduced_motion: true });
    open(page, "");
    let moving: Vec<String> = page.eval(
        "[...document.querySelectorAll('*')].filter((each) => {
            const style = getComputedStyle(each);
            return style.transitionDuration.split(',').some((time) => parseFloat(time) > 0.01)
                || style.animationDuration.split(',').some((time) => parseFloat(time) > 0.01);
        }).map((each) => each.outerHTML.slice(0, 90))",
    );
    assert_eq!(moving, Vec::<String>::new());
}
