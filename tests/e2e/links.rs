//! The address bar contains the document: it follows edits, undoes them, restores, and tolerates damaged links.

use harness::{Page, Test};

use crate::app::{
    IN_CHROME, IN_FIREFOX, choose_option, open, open_dialog, paste, spoken, wait_for_link, wait_for_spec,
    wait_for_spoken,
};

pub const TESTS: &[Test] = harness::tests![
    the_address_follows_edits_and_the_history_undoes_them: IN_FIREFOX,
    steps_replace_the_address: IN_CHROME,
    a_reload_restores_everything,
    a_pasted_address_opens: IN_FIREFOX,
    an_address_encoded_on_its_way_opens: IN_CHROME,
    a_damaged_link_says_so_and_loads_the_rest: IN_CHROME,
    the_shared_link_opens_the_same: IN_FIREFOX,
    screens_hand_arrays_to_each_other_and_are_found_as_left: IN_FIREFOX,
];

fn the_address_follows_edits_and_the_history_undoes_them(page: &Page) {
    open(page, "");
    page.click("#quick-preset-row-major");
    wait_for_link(page, "f32[2,3]{1,0}+padded[3,5]=zero");
    page.type_into("#padded-0", "4");
    page.key("Enter");
    wait_for_link(page, "f32[2,3]{1,0}+padded[4,5]=zero");
    paste(page, "f32[9]{0}");
    page.key("Enter");
    wait_for_link(page, "f32[9]{0}");
    page.history(-1);
    wait_for_spec(page, "f32[2,3]{1,0} padded[4,5]=zero");
    page.history(-1);
    wait_for_spec(page, "f32[2,3]{1,0} padded[3,5]=zero");
    page.history(-1);
    wait_for_spec(page, "f32[2,3]{0,1} padded[3,5]=zero");
    page.history(2);
    wait_for_spec(page, "f32[2,3]{1,0} padded[4,5]=zero");
    page.click("#undo");
    wait_for_spec(page, "f32[2,3]{0,1} padded[3,5]=zero");
    page.click("#redo");
    wait_for_spec(page, "f32[2,3]{1,0} padded[4,5]=zero");
    wait_for_link(page, "f32[2,3]{1,0}+padded[4,5]=zero");
}

fn steps_replace_the_address(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}");
    let entries: usize = page.eval("history.length");
    for slot in 1..4 {
        page.click("#next");
        wait_for_link(page, &format!("f32[2,3]{{0,1}};at={slot}"));
    }
    page.click("#by-value");
    page.click("#show-bytes");
    wait_for_link(page, "f32[2,3]{0,1};by=value;show=bytes;at=3");
    assert_eq!(page.eval::<usize>("history.length"), entries, "steps make no entries of the history");
}

fn a_reload_restores_everything(page: &Page) {
    open(page, "");
    let link = "f32[2,3,4]{0,2,1};v=random.7;with={2,1,0};axes=0.2;by=value;line=128;at=9;pins=3.4";
    open(page, &format!("#v1/{link}"));
    wait_for_spec(page, "f32[2,3,4]{0,2,1}");
    let before = spoken(page);
    page.reload();
    wait_for_link(page, link);
    assert_eq!(page.value("#spec"), "f32[2,3,4]{0,2,1}");
    assert_eq!((page.value("#values"), page.value("#seed")), ("random".into(), "7".into()));
    assert_eq!((page.value("#axis-rows"), page.value("#axis-columns")), ("0".into(), "2".into()));
    assert_eq!((page.value("#line-bytes"), page.value("#layout-b")), ("128".into(), "{2,1,0}".into()));
    assert_eq!(page.attribute("#by-value", "aria-pressed").as_deref(), Some("true"));
    assert_eq!(spoken(page), before);
    assert!(before.ends_with("slot 9"), "{before}");
}

fn screens_hand_arrays_to_each_other_and_are_found_as_left(page: &Page) {
    open(page, "#v1/s32[2,3]{0,1};v=iota;at=4");
    page.click("#run-an-op");
    page.wait_for("document.querySelector('#result-value')?.textContent === '{ { 0, 1, 2 }, { 3, 4, 5 } }'");
    assert_eq!(page.value("#array-0-shape"), "s32[2,3]{0,1}");
    assert!(page.text("#from-layout").starts_with("This is your array of the Layout screen"));
    choose_option(page, "#array-0-values", "typed");
    page.wait_for("document.querySelector('#array-0-typed')");
    page.type_into("#array-0-typed", "5, 4, 3, 2, 1, 0");
    page.key("Enter");
    page.wait_for("document.querySelector('#result-value').textContent === '{ { 5, 4, 3 }, { 2, 1, 0 } }'");
    // The arrays are drawn: nothing moves from under the pointer.
    page.wait_two_frames();
    page.click("#array-0-memory");
    page.wait_for("document.querySelector('#array-0-strip canvas')");
    page.wait_two_frames();
    let program = |page: &Page| page.eval::<String>("location.hash");
    let left = program(page);
    page.click("#array-0-layout");
    wait_for_spec(page, "s32[2,3]{0,1}");
    assert_eq!(page.value("#values"), "typed", "the values of the array");
    page.click("#quick-preset-row-major");
    wait_for_spec(page, "s32[2,3]{1,0}");
    page.click(".screen:nth-child(2)");
    page.wait_for("document.querySelector('#array-0-strip canvas')");
    page.wait_two_frames();
    assert_eq!(program(page), left);
    page.click(".screen:nth-child(1)");
    wait_for_spec(page, "s32[2,3]{1,0}");
    // Undo survives the visit to the other screen.
    page.click("#undo");
    wait_for_spec(page, "s32[2,3]{0,1}");
    page.click("#redo");
    wait_for_spec(page, "s32[2,3]{1,0}");
    // An array from another screen replaces this one, and undo brings it back.
    page.goto("#ops1/@dot");
    page.wait_for("document.querySelector('#array-0-layout')");
    page.click("#array-0-layout");
    page.wait_for("document.querySelector('#spec') && !document.querySelector('#undo').disabled");
    wait_for_spec(page, "s32[2,2]{1,0}");
    page.click("#undo");
    wait_for_spec(page, "s32[2,3]{1,0}");
}

fn a_pasted_address_opens(page: &Page) {
    open(page, "");
    page.run("location.hash = '#v1/s32[4]{0};v=iota;at=2';");
    wait_for_spoken(page, "index 2, value 2, slot 2");
    assert_eq!(page.value("#spec"), "s32[4]{0}");
}

fn an_address_encoded_on_its_way_opens(page: &Page) {
    open(page, "#v1/f32%5B2%2C3%5D%7B0%2C1%7D%20padded%5B3%2C5%5D%3Dzero;at%3D7");
    wait_for_spec(page, "f32[2,3]{0,1} padded[3,5]=zero");
    wait_for_spoken(page, "index 1, 2, value f, slot 7");
    open(page, "#v1%2Ff32%5B9%5D%7B0%7D%3Bat%3D7");
    wait_for_spec(page, "f32[9]{0}");
    assert_eq!(page.count("#link-problems"), 0);
}

fn a_damaged_link_says_so_and_loads_the_rest(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1};at=4;colour=blue;pins=99");
    let notice = page.text("#link-problems");
    assert!(
        notice.contains("could not be read") && notice.contains("colour=blue") && notice.contains("pins=99"),
        "{notice}"
    );
    assert_eq!(page.value("#spec"), "f32[2,3]{0,1}");
    wait_for_spoken(page, "index 0, 2, value c, slot 4");
    assert_eq!(page.attribute("#link-problems", "role").as_deref(), Some("alert"));
    page.click("#link-problems button");
    page.wait_for("!document.querySelector('#link-problems')");
    for (link, said) in [
        ("#v1/f32[2,3]{0,0}", "dimension 0 twice"),
        ("#v9/f32[2,3]", "version v9"),
        ("#v1z/AAAA", "damaged"),
        ("#nonsense", "no version"),
    ] {
        open(page, link);
        page.wait_for(&format!("document.querySelector('#link-problems')?.innerText.includes({said:?})"));
        assert_eq!(page.value("#spec"), "f32[2,3]{1,0}", "{link}");
    }
    open(page, "#v1/f32[2]{0}");
    page.wait_for("!document.querySelector('#link-problems')");
}

fn the_shared_link_opens_the_same(page: &Page) {
    open(page, "#v1/f32[2,2]{1,0};v=typed.1,+-2.5,+nan,+inf;at=3");
    open_dialog(page, "#share");
    let link = page.value("#link");
    assert!(link.starts_with(&page.site().url()) && !link.contains(['{', '[', ' ', '"', '<', '>']), "{link}");
    let other = page.browser().page(page.site()).expect("a second page");
    open(&other, link.strip_prefix(&page.site().url()).expect("an address of the site"));
    assert_eq!(spoken(&other), "index 1, 1, value inf, slot 3");
    assert_eq!(other.value("#typed"), "1, -2.5, nan, inf");
    assert_eq!(other.take_problems(), Vec::<String>::new());
    other.close().expect("the second page closes");
}
