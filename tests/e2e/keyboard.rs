//! The main task by keyboard alone, from the first press of Tab.

use harness::{Condition, Page, Test};

use crate::app::{
    IN_CHROME, IN_FIREFOX, active_text, open, open_dialog, quoted, tab_to, wait_for_link, wait_for_spec,
    wait_for_spoken,
};

pub const TESTS: &[Test] = harness::tests![
    the_whole_job: Condition::Smoke,
    moves_in_the_grid_and_in_memory: IN_CHROME,
    keys_of_the_page: IN_FIREFOX,
    letters_are_letters_while_typing: IN_CHROME,
    letters_can_be_turned_off: IN_FIREFOX,
    keys_pressed_at_once_each_move_on: IN_CHROME,
    the_link_follows_keys_of_a_busy_page: IN_CHROME,
    dialogs_give_the_focus_back,
    events_of_extensions_are_no_errors: IN_CHROME,
];

fn the_whole_job(page: &Page) {
    open(page, "");
    page.key("Tab");
    assert!(page.is_focused(".skip"), "the first stop skips to the array");
    tab_to(page, "#spec");
    page.key("Control+a");
    page.type_text("f32[2,3]");
    page.key("Enter");
    wait_for_spec(page, "f32[2,3]{1,0}");
    // The order of dimensions, on a chip.
    tab_to(page, ".chip[data-position='0']");
    let moved: String = page.with_element(".chip[data-position='0']", "(chip) => chip.dataset.dimension");
    assert_eq!(moved, "1");
    page.key("Alt+ArrowRight");
    wait_for_spec(page, "f32[2,3]{0,1}");
    page.wait_for(
        "document.activeElement.dataset.dimension === '1' && document.activeElement.dataset.position === '1'",
    );
    page.key("Alt+ArrowLeft");
    wait_for_spec(page, "f32[2,3]{1,0}");
    page.key("Alt+End");
    wait_for_spec(page, "f32[2,3]{0,1}");
    // Padding, in the form.
    page.key("p");
    assert!(page.is_focused("#padded-0"));
    for (field, size, spec) in [
        ("#padded-0", "3", "f32[2,3]{0,1} padded[3,3]=zero"),
        ("#padded-1", "5", "f32[2,3]{0,1} padded[3,5]=zero"),
    ] {
        if !page.is_focused(field) {
            tab_to(page, field);
        }
        page.key("Control+a");
        page.type_text(size);
        page.key("Enter");
        wait_for_spec(page, spec);
        assert!(page.is_focused(field), "the focus stays in the field");
    }
    // Through memory.
    tab_to(page, "#grid");
    for (slot, letter) in [(1, "d"), (3, "b"), (4, "e"), (6, "c"), (7, "f")] {
        while !active_text(page, "#grid").ends_with(&format!("slot {slot}")) {
            page.key(".");
            page.wait_two_frames();
        }
        assert!(active_text(page, "#grid").contains(&format!("value {letter}")), "slot {slot}");
    }
    wait_for_link(page, "f32[2,3]{0,1}+padded[3,5]=zero;at=7");
    page.key("Control+z");
    wait_for_spec(page, "f32[2,3]{0,1} padded[3,3]=zero");
    page.key("Control+Shift+z");
    wait_for_spec(page, "f32[2,3]{0,1} padded[3,5]=zero");
}

fn moves_in_the_grid_and_in_memory(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    tab_to(page, "#grid");
    let grid = [
        ("ArrowRight", "index 0, 1, value b, slot 3"),
        ("ArrowDown", "index 1, 1, value e, slot 4"),
        ("ArrowDown", "index 2, 1, padding, value 0, slot 5"),
        ("ArrowDown", "index 2, 1, padding, value 0, slot 5"),
        ("End", "index 2, 4, padding, value 0, slot 14"),
        ("Home", "index 2, 0, padding, value 0, slot 2"),
        ("Control+Home", "index 0, 0, value a, slot 0"),
        ("Control+End", "index 2, 4, padding, value 0, slot 14"),
        ("PageUp", "index 0, 4, padding, value 0, slot 12"),
        ("ArrowLeft", "index 0, 3, padding, value 0, slot 9"),
        (",", "index 2, 2, padding, value 0, slot 8"),
        (",", "index 1, 2, value f, slot 7"),
    ];
    for (key, phrase) in grid {
        page.key(key);
        wait_for_spoken(page, phrase);
        assert_eq!(active_text(page, "#grid"), phrase);
    }
    page.key("Enter");
    wait_for_link(page, "f32[2,3]{0,1}+padded[3,5]=zero;at=7;pins=7");
    tab_to(page, "#strip");
    let strip = [
        ("Home", "index 0, 0, value a, slot 0"),
        ("ArrowRight", "index 1, 0, value d, slot 1"),
        (".", "index 2, 0, padding, value 0, slot 2"),
        ("ArrowLeft", "index 1, 0, value d, slot 1"),
        ("End", "index 2, 4, padding, value 0, slot 14"),
        ("ArrowRight", "index 2, 4, padding, value 0, slot 14"),
    ];
    for (key, phrase) in strip {
        page.key(key);
        wait_for_spoken(page, phrase);
        assert_eq!(active_text(page, "#strip"), phrase);
    }
    page.key("Shift+Enter");
    wait_for_link(page, "f32[2,3]{0,1}+padded[3,5]=zero;at=14;pins=7.14");
    page.key("Escape");
    wait_for_link(page, "f32[2,3]{0,1}+padded[3,5]=zero;at=14");
    page.key("Shift+Tab");
    page.wait_two_frames();
    assert!(!page.is_focused("#strip"), "the strip lets the focus go");
}

fn keys_of_the_page(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    tab_to(page, "#grid");
    for (typed, spoken) in [
        ("7", "index 1, 2, value f, slot 7"),
        ("0,1", "index 0, 1, value b, slot 3"),
        ("0x20", "index 2, 2, padding, value 0, slot 8"),
    ] {
        page.key("g");
        page.wait_for("document.querySelector('#goto-dialog')?.open");
        page.wait_for("document.activeElement?.id === 'goto-target'");
        page.type_text(typed);
        page.key("Enter");
        page.wait_for("!document.querySelector('#goto-dialog')");
        wait_for_spoken(page, spoken);
        page.wait_for("document.activeElement?.id === 'grid'");
    }
    // From the button, too, keys step on from the cell.
    page.click("#goto");
    page.wait_for("document.activeElement?.id === 'goto-target'");
    page.type_text("3");
    page.key("Enter");
    page.wait_for("document.activeElement?.id === 'grid'");
    page.key("ArrowDown");
    wait_for_spoken(page, "index 1, 1, value e, slot 4");
    page.key("g");
    page.wait_for("document.activeElement?.id === 'goto-target'");
    page.type_text("15");
    page.key("Enter");
    page.wait_for("document.querySelector('#goto-problem').textContent.includes('the last slot is 14')");
    page.key("Escape");
    page.wait_for("!document.querySelector('#goto-dialog')");
    page.key("Space");
    page.wait_for("document.querySelector('#play').getAttribute('aria-pressed') === 'true'");
    wait_for_spoken(page, "index 0, 3, padding, value 0, slot 9");
    page.key("Space");
    page.wait_for("document.querySelector('#play').getAttribute('aria-pressed') === 'false'");
    for (key, focused) in [("t", "#tiles"), ("p", "#padded-0")] {
        page.run("document.querySelector('#grid').focus();");
        page.key(key);
        assert!(page.is_focused(focused), "{key} focuses {focused}");
    }
    page.run("document.querySelector('#grid').focus();");
    page.key("f");
    let seen: bool = page.with_element(
        "#h-forward",
        "(heading) => { const { top, bottom } = heading.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }",
    );
    assert!(seen, "f brings the formula into view");
}

fn letters_are_letters_while_typing(page: &Page) {
    open(page, "");
    page.click("#spec");
    page.key("Control+a");
    page.type_text("gtpfse?,. x");
    assert_eq!(page.value("#spec"), "gtpfse?,. x");
    assert_eq!(page.count("dialog"), 0);
    assert!(page.is_focused("#spec"));
    page.wait_for("document.querySelector('#spec').getAttribute('aria-invalid') === 'true'");
    wait_for_spoken(page, "index 0, 0, value a, slot 0");
}

fn letters_can_be_turned_off(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero");
    open_dialog(page, "#help");
    page.click("#letter-keys");
    page.key("Escape");
    page.wait_for("!document.querySelector('#help-dialog')");
    tab_to(page, "#grid");
    page.type_text("g?s.");
    page.wait_two_frames();
    assert_eq!(page.count("dialog"), 0);
    wait_for_spoken(page, "index 0, 0, value a, slot 0");
    page.key("ArrowRight");
    wait_for_spoken(page, "index 0, 1, value b, slot 3");
}

fn dialogs_give_the_focus_back(page: &Page) {
    open(page, "");
    for (opener, dialog, key) in [
        ("#examples", "#examples-dialog", ""),
        ("#help", "#help-dialog", "?"),
        ("#share", "#share-dialog", "s"),
        ("#goto", "#goto-dialog", "g"),
    ] {
        page.run(&format!("document.querySelector('{opener}').focus();"));
        page.key("Enter");
        page.wait_for(&format!("document.querySelector('{dialog}')?.open"));
        let inside: bool =
            page.eval(&format!("document.querySelector('{dialog}').contains(document.activeElement)"));
        assert!(inside, "the focus moves into {dialog}");
        // At most as many presses as there are tab stops; after the last one browsers go on to their own buttons.
        let stops: usize = page.eval(&format!(
            "(() => {{ const stops = '{dialog} :is(button, input, select, [tabindex]):not(:disabled)';
                document.querySelector(stops).focus();
                return document.querySelectorAll(stops).length; }})()"
        ));
        for met in 1..stops {
            page.key("Tab");
            let inside: bool =
                page.eval(&format!("document.querySelector('{dialog}').contains(document.activeElement)"));
            assert!(inside, "the focus stays in {dialog}: stop {met} of {stops}");
        }
        page.key("Escape");
        page.wait_for(&format!("!document.querySelector('{dialog}')"));
        page.wait_for(&format!("document.activeElement?.matches('{opener}')"));
        if !key.is_empty() {
            page.run("document.querySelector('#grid').focus();");
            page.key(key);
            page.wait_for(&format!("document.querySelector('{dialog}')?.open"));
            page.key("Escape");
            page.wait_for(&format!("!document.querySelector('{dialog}')"));
            page.wait_for("document.activeElement?.id === 'grid'");
        }
    }
}

/// Autofill and extensions dispatch plain events, without a key or an input type.
fn events_of_extensions_are_no_errors(page: &Page) {
    let dispatch = "for (const element of document.querySelectorAll('body, input, textarea, select, [tabindex]')) {
        for (const type of ['keydown', 'keyup', 'input']) element.dispatchEvent(new Event(type, { bubbles: true }));
    }";
    for (link, ready) in [("", "#spec"), ("#ops1/@Add.0", "#hlo"), ("#program/", "#program-paste")] {
        page.goto(link);
        page.wait_for(&format!("document.querySelector('{ready}')"));
        page.wait_two_frames();
        page.run(dispatch);
        page.wait_two_frames();
        assert_eq!(page.count("#broke"), 0, "{link}");
    }
    // Nothing was opened or lost.
    page.wait_for("document.querySelector('#program-paste').value === ''");
}

/// Presses a key several times in one task of the page, as a browser does that was busy meanwhile.
fn press_at_once(page: &Page, target: &str, key: &str, times: u32) {
    page.run(&format!(
        "const target = document.querySelector({});
         target.focus();
         for (let time = 0; time < {times}; time += 1)
             target.dispatchEvent(new KeyboardEvent('keydown', {{ key: {}, bubbles: true, cancelable: true }}));",
        quoted(target),
        quoted(key)
    ));
}

/// Presses come while the page is busy: between a rendering and its effects, too.
fn the_link_follows_keys_of_a_busy_page(page: &Page) {
    page.goto("#program1/@softmax");
    page.wait_for("document.querySelector('#program-grid')");
    page.run("document.querySelector('#program-grid').focus()");
    for column in [7, 3, 6, 2, 5] {
        page.run(&format!(
            "const real = Element.prototype.setAttribute;
             // A rendering that takes longer than a frame leaves its effects to a later task.
             Element.prototype.setAttribute = function (...given) {{
                 const end = performance.now() + 4;
                 while (performance.now() < end);
                 return real.apply(this, given);
             }};
             const press = (key) => document.querySelector('#program-grid').dispatchEvent(
                 new KeyboardEvent('keydown', {{ key, bubbles: true, cancelable: true }}));
             press('Home');
             for (let at = 0; at < {column}; at++) {{
                 await new Promise((done) => setTimeout(done, 7 * at));
                 press('ArrowRight');
             }}
             Element.prototype.setAttribute = real;",
        ));
        page.wait_for(&format!(
            "document.querySelector('#program-cell code')?.textContent.startsWith('[0,{column}] = ')"
        ));
        page.wait_for(&format!("location.hash.includes(';cell=0,{column}')"));
    }
}

fn keys_pressed_at_once_each_move_on(page: &Page) {
    open(page, "#v1/f32[4,6]{1,0}");
    press_at_once(page, "#grid", "]", 3);
    page.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 3')");
    press_at_once(page, "#grid", "ArrowDown", 2);
    page.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 15')");
    press_at_once(page, "#strip", "ArrowRight", 3);
    page.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 18')");
    page.goto("#ops1/@reduce-window");
    page.wait_for("document.querySelector('#working')?.textContent.startsWith('out[0,0] = ')");
    press_at_once(page, "#stage", "]", 3);
    page.wait_for("document.querySelector('#working').textContent.startsWith('out[1,1] = ')");
    page.goto("#program1/@softmax");
    page.wait_for("document.querySelector('.outline-row.selected')");
    press_at_once(page, "#outline", "Home", 1);
    page.wait_for("document.querySelector('#program-selected')?.dataset.name === 'x.1'");
    press_at_once(page, "#outline", "ArrowDown", 4);
    page.wait_for("document.querySelector('#program-selected')?.dataset.name === 'reduce_divide_fusion'");
    press_at_once(page, "#program-lines", "Home", 1);
    press_at_once(page, "#program-lines", "ArrowDown", 3);
    page.wait_for("document.querySelector('#program-lines .at-cursor')?.id === 'program-line-3'");
}
