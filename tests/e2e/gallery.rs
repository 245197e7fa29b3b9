//! The gallery, on which the Ops screen opens where no op was chosen.

use harness::{Emulation, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX};
use crate::ops_catalogue::open;

pub const TESTS: &[Test] = harness::tests![
    the_screen_opens_on_six_pictures: IN_FIREFOX,
    a_picture_walks_through_its_cells_while_pointed_at: IN_CHROME,
    the_gallery_has_one_column_on_a_phone: IN_CHROME,
    a_pasted_program_opens: IN_CHROME,
    the_gallery_is_accessible: IN_FIREFOX,
    the_lecture_is_in_the_language_of_the_page: IN_CHROME,
];

fn the_screen_opens_on_six_pictures(page: &Page) {
    for bare in ["#ops/", "#ops1"] {
        open(page, bare);
        assert_eq!(
            page.texts(".exhibit h3"),
            ["Pad", "ReduceWindow", "Conv", "Dot", "Gather", "While"],
            "{bare}"
        );
    }
    assert_eq!((page.count(".miniature"), page.count("#op-title"), page.count(".player")), (6, 0, 0));
    // Pictures of the examples themselves.
    assert_eq!(page.text(".exhibit:nth-child(4) .formula"), "out[0,1] = 1·6 + 2·8 = 22");
    let states: Vec<String> = page
        .eval("[...document.querySelectorAll('.exhibit:nth-child(6) text')].map((each) => each.textContent)");
    assert_eq!(states, ["1", "2", "4", "8", "16", "32", "64", "128"]);
    // The keys of the screen change nothing here.
    page.key("]");
    page.key("Control+z");
    assert_eq!(page.eval::<String>("location.hash"), "#ops1");
    page.click(".exhibit:nth-child(4) a");
    page.wait_for("document.querySelector('#op-title code')?.textContent === 'dot'");
    assert_eq!(page.count("#gallery"), 0);
    // Back leads to the gallery, and the name of the screen does too.
    page.run("history.back()");
    page.wait_for("document.querySelector('#gallery')");
    page.key("/");
    assert!(page.is_focused("#find-op"));
    page.type_text("pad");
    page.wait_for("document.querySelectorAll('.op').length < 9");
    page.click(".op[title='pad']");
    page.wait_for("document.querySelector('#op-title code')?.textContent === 'pad'");
    // The catalogue is the same one: it keeps its search.
    assert_eq!(page.value("#find-op"), "pad");
    page.click(".screen:nth-child(2)");
    page.wait_for("document.querySelector('#gallery')");
    page.click("#share");
    page.wait_for("document.querySelector('#link')?.value.endsWith('#ops/')");
    assert_eq!(page.count("#share-dialog .formats"), 0);
}

fn a_pasted_program_opens(page: &Page) {
    open(page, "#ops/");
    assert_eq!(page.count("#open-own-program:disabled"), 1);
    page.run(
        "const field = document.querySelector('#own-program');
         field.value = 'HloModule m\\nENTRY e {\\n  x = s32[2] constant({3, 4})\\n  ROOT y = s32[2] negate(x)\\n}';
         field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));",
    );
    page.wait_for("document.querySelector('#op-title code')?.textContent === 'negate'");
    page.wait_for("document.querySelector('#result-value')?.textContent.includes('-3')");
    // StableHLO is translated.
    page.run("history.back()");
    page.wait_for("document.querySelector('#own-program')");
    page.click("#own-program");
    page.type_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = stablehlo.cosine %x : tensor<2xf32> return %y : tensor<2xf32> }");
    page.key("Control+Enter");
    page.wait_for("document.querySelector('#op-title code')?.textContent === 'cosine'");
    // Text with a mistake opens, too, with its fix.
    page.run("history.back()");
    page.wait_for("document.querySelector('#own-program')");
    page.click("#own-program");
    page.type_text("ENTRY e { ROOT y = s32[2] iotaa(), iota_dimension=0 }");
    page.key("Control+Enter");
    page.wait_for("document.querySelector('.fix')");
}

fn a_picture_walks_through_its_cells_while_pointed_at(page: &Page) {
    open(page, "#ops/");
    let formula = ".exhibit:nth-child(4) .formula";
    let start = page.text(formula);
    page.hover(".exhibit:nth-child(4)", 20.0, 20.0);
    page.wait_for(&format!("document.querySelector('{formula}').textContent.startsWith('out[1,0]')"));
    // It ends where it began.
    page.wait_for(&format!("document.querySelector('{formula}').textContent === '{start}'"));
    page.emulate(Emulation { dark: false, reduced_motion: true });
    open(page, "#ops/");
    page.hover(".exhibit:nth-child(4)", 20.0, 20.0);
    page.wait_two_frames();
    assert_eq!(page.text(formula), start);
}

fn the_gallery_has_one_column_on_a_phone(page: &Page) {
    page.viewport(390, 844);
    open(page, "#ops/");
    let lefts: Vec<f64> = page.eval(
        "[...new Set([...document.querySelectorAll('.exhibit')].map((each) => each.getBoundingClientRect().left))]",
    );
    assert_eq!(lefts.len(), 1);
    assert!(page.eval::<u32>("document.documentElement.scrollWidth") <= 390);
    page.assert_accessible();
    // The choice of an op is above.
    page.viewport(320, 640);
    assert!(page.eval::<u32>("document.documentElement.scrollWidth") <= 320);
    assert!(page.eval::<bool>("document.querySelector('#choose-op').getBoundingClientRect().top < 300"));
}

fn the_gallery_is_accessible(page: &Page) {
    for dark in [false, true] {
        page.emulate(Emulation { dark, reduced_motion: false });
        open(page, "#ops/");
        page.assert_accessible();
    }
}

fn the_lecture_is_in_the_language_of_the_page(page: &Page) {
    for (locale, lang) in [("en-US", "en"), ("zh-CN", "zh-Hans")] {
        page.locale(locale);
        for is_in_help in [true, false] {
            open(page, "#ops/");
            if is_in_help {
                page.click("#help");
                page.wait_for("document.querySelector('#help-dialog #lecture-help')");
                page.click("#lecture-help");
            } else {
                page.click("#lecture");
            }
            page.wait_for("document.querySelectorAll('iframe').length === 3");
            assert_eq!(page.eval::<String>("document.documentElement.lang"), lang);
        }
        assert!(
            page.eval::<bool>("(async () => (await fetch(document.querySelector('.course a').href)).ok)()")
        );
        page.assert_accessible();
    }
}
