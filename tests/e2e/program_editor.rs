//! The editor of the Program screen: loaded on demand, explains, completes and repairs; the plain field does the same.

use harness::{Page, Test};

use crate::app::{IN_CHROME, quoted};
use crate::program::wait_for_selected;

pub const TESTS: &[Test] = harness::tests![
    the_editor_explains_completes_and_repairs,
    typing_in_the_editor_is_only_typing,
    a_typed_opcode_is_completed_before_its_operands,
    a_long_program_is_edited_in_a_box_on_narrow_pages: IN_CHROME,
    an_edit_keeps_the_place_in_the_text: IN_CHROME,
    the_plain_field_explains_and_completes,
    typing_in_the_plain_field_is_only_typing,
];

const TEXT: &str = "HloModule m\n\nENTRY e {\n  x = f32[100,130]{1,0:T(8,128)} parameter(0), metadata={op_name=\"data\"}\n  ROOT y = f32[100,130]{1,0:T(8,128)} negaate(x)\n}\n";

/// Opens a text with a number of errors, and its editor.
#[track_caller]
fn open(page: &Page, text: &str, errors: usize) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    page.run(&format!(
        "const field = document.querySelector('#program-paste');
         field.value = {};
         field.dispatchEvent(new InputEvent('input', {{ bubbles: true, inputType: 'insertFromPaste' }}));
         const data = new DataTransfer();
         data.setData('text/plain', field.value);
         field.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}));",
        quoted(text)
    ));
    page.wait_for(&format!("document.querySelector('#program-problems')?.dataset.errors === '{errors}'"));
    page.click("#edit-text");
}

/// An expression in the editor's own tree.
fn within(expression: &str) -> String {
    format!("(root => {expression})(document.querySelector('#program-editor')?.shadowRoot)")
}

/// The candidates are those of the text as it is typed, not as it was read before.
fn a_typed_opcode_is_completed_before_its_operands(page: &Page) {
    open(page, "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] ad(x, x)\n}\n", 1);
    page.wait_for(&within("root?.querySelectorAll('.cm-lintRange-error').length === 1"));
    page.run(&within("root.querySelector('.cm-content').focus()"));
    let caret = within("root.querySelector('.cm-lintRange-error').firstChild");
    page.run(&format!(
        "let word = {caret}; while (word.firstChild) word = word.firstChild; getSelection().setBaseAndExtent(word, 0, word, word.length);"
    ));
    page.type_text("subt");
    page.wait_for(&within(
        "root.querySelector('.cm-tooltip-autocomplete li[aria-selected]')?.textContent.startsWith('subtract(')",
    ));
    page.wait_for(&within("root.querySelector('.cm-hover') === null"));
    // The list takes no key in its first 75 ms, so that a key meant for the text chooses nothing.
    page.run("await new Promise((done) => setTimeout(done, 150))");
    page.key("Enter");
    page.wait_for(&within("root.querySelector('.cm-content').textContent.includes('f32[2] subtract(x, x)')"));
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '0'");
    // A letter that is taken back at once leaves the text that was read.
    page.type_text("q");
    page.key("Backspace");
    page.key("Control+Space");
    page.wait_for(&within(
        "root.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('subtract(')",
    ));
}

fn the_editor_explains_completes_and_repairs(page: &Page) {
    open(page, TEXT, 1);
    page.wait_for(&within("root?.querySelectorAll('.cm-line').length === 7"));
    page.wait_for(&within("root.querySelectorAll('.cm-lintRange-error').length === 1"));
    // Metadata is collapsed, tokens are coloured, and the editor is a named text field.
    assert!(page.eval::<bool>(&within("root.querySelector('.cm-foldPlaceholder') !== null")));
    assert_eq!(page.eval::<String>(&within("root.querySelector('.tok-keyword').textContent")), "HloModule");
    assert!(
        page.eval::<bool>(&within("root.querySelector('.cm-content[role=textbox]').ariaLabel.length > 0"))
    );
    page.assert_accessible();
    // The caret is asked about by keyboard.
    page.run(&within("root.querySelector('.cm-content').focus()"));
    page.run(&within(
        "{ const line = root.querySelectorAll('.cm-line')[0]; getSelection().collapse(line.querySelector('.tok-keyword').firstChild, 3); }",
    ));
    page.run(&within(
        "root.querySelector('.cm-content').dispatchEvent(new KeyboardEvent('keydown', { key: 'i', keyCode: 73, ctrlKey: true, bubbles: true, cancelable: true }))",
    ));
    page.wait_for(&within("root.querySelector('.cm-hover')?.textContent.includes('Begins the module')"));
    // The fix of the panel below changes the text of the editor.
    page.click("#program-fix");
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '0'");
    page.wait_for(&within("root.querySelector('.cm-content').textContent.includes('negate(x)')"));
    page.wait_for(&within("root.querySelectorAll('.cm-lintRange-error').length === 0"));
}

fn typing_in_the_editor_is_only_typing(page: &Page) {
    let text = "HloModule m\n\nENTRY e {\n  a = f32[] constant(1)\n  b = f32[] constant(2)\n  ROOT r = f32[] add(a, b)\n}\n";
    open(page, &text.replace("ROOT r = f32[] add", "ROOT r = f32[] ad"), 1);
    page.click("#program-fix");
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '0'");
    page.wait_for(&within("root?.querySelectorAll('.cm-line').length === 8"));
    page.run(&within("root.querySelector('.cm-content').focus()"));
    page.key("Control+Home");
    for key in ["ArrowDown", "ArrowDown", "ArrowDown", "End", "ArrowLeft"] {
        page.key(key);
    }
    // After each pause the text is read, and the caret stays where it is: the selected instruction is that at the caret.
    let typed = |content: &str| {
        within(&format!("root.querySelector('.cm-content').textContent.includes({})", quoted(content)))
    };
    for (letter, content) in [("2", "constant(12)"), ("3", "constant(123)"), ("4", "constant(1234)")] {
        page.type_text(letter);
        page.wait_for(&typed(content));
        let value = &content[9..content.len() - 1];
        page.wait_for(&format!(
            "document.querySelector('[data-statistic=program-max] dd')?.textContent.replace(/\\D/g, '') === '{value}'"
        ));
        page.wait_for("document.querySelector('#program-selected')?.dataset.name === 'a'");
    }
    // Letters are no shortcuts here.
    page.key("End");
    page.type_text(" // es?/g");
    page.wait_for(&typed("constant(1234) // es?/g"));
    page.wait_two_frames();
    assert_eq!(page.count("dialog"), 0);
    assert!(page.eval::<bool>("document.activeElement.id === 'program-editor'"));
}

fn a_long_program_is_edited_in_a_box_on_narrow_pages(page: &Page) {
    page.viewport(390, 844);
    page.goto("#program1/@attention");
    page.wait_for("document.querySelector('#program-selected')");
    page.click("#edit-text");
    page.wait_for(&within("root?.querySelector('.cm-line')"));
    page.wait_two_frames();
    let (_, top, _, height) = page.bounds("#program-editor");
    assert!(height < 600.0 && top < 600.0, "{height} pixels from {top}");
}

/// In the editor, in the plain field, and between them: the instruction that is edited stays selected.
fn an_edit_keeps_the_place_in_the_text(page: &Page) {
    let instructions: String = (1..=80).map(|number| format!("  a{number} = f32[2] add(x, x)\n")).collect();
    open(
        page,
        &format!(
            "HloModule m\n\nENTRY e {{\n  x = f32[2] parameter(0)\n{instructions}  ROOT y = f32[2] negate(x)\n}}\n"
        ),
        0,
    );
    page.click("#edit-text");
    // Lines count from 0: `a1` is in line 4.
    page.wait_for("document.querySelector('#program-line-73')");
    page.click("#program-line-73");
    wait_for_selected(page, "a70");
    page.click("#edit-text");
    page.wait_for(&within("root?.querySelector('.cm-activeLine')?.textContent.includes('a70')"));
    page.run(&within("root.querySelector('.cm-content').focus()"));
    page.key("End");
    let annotation = |text: &str| format!(", metadata={{op_name=\"{text}\"}}");
    let is_described = |text: &str| {
        format!(
            "[...document.querySelectorAll('.structure-pane dd')].some((each) => each.textContent === '{text}')"
        )
    };
    page.type_text(&annotation("first"));
    page.wait_for(&is_described("first"));
    wait_for_selected(page, "a70");
    // The plain field is at the same line.
    page.click("#plain-text");
    let line = "(field => field?.value.slice(0, field.selectionStart).split('\\n').length - 1)(document.querySelector('#program-field'))";
    page.wait_for(&format!("{line} === 73"));
    assert!(page.eval::<f64>("document.querySelector('#program-field').scrollTop") > 100.0);
    page.run("document.querySelector('#program-field').focus()");
    page.key("ArrowUp");
    wait_for_selected(page, "a69");
    page.key("End");
    page.type_text(&annotation("second"));
    page.wait_for(&is_described("second"));
    wait_for_selected(page, "a69");
    page.click("#edit-text");
    page.wait_for("document.querySelector('#program-line-72.selected')");
    // Where the user has scrolled away from the selected instruction, the editor begins there.
    page.run("document.querySelector('#program-lines').scrollTop = 0");
    page.wait_for("document.querySelector('#program-line-0') && !document.querySelector('#program-line-72')");
    page.click("#edit-text");
    let line = within("Number(root?.querySelector('.cm-lineNumbers .cm-activeLineGutter')?.textContent)");
    page.wait_for(&format!("{line} > 1 && {line} < 40"));
    wait_for_selected(page, "a69");
}

fn the_plain_field_explains_and_completes(page: &Page) {
    open(page, TEXT, 1);
    page.click("#plain-text");
    page.wait_for("document.querySelector('#program-field')?.value.includes('negaate')");
    let ask_at = |text: &str| {
        page.run(&format!(
            "const field = document.querySelector('#program-field');
             field.focus();
             const at = field.value.indexOf({});
             field.setSelectionRange(at, at);
             field.dispatchEvent(new KeyboardEvent('keyup', {{ key: 'ArrowRight', bubbles: true }}));",
            quoted(text)
        ));
    };
    ask_at("(8,128)");
    page.wait_for("document.querySelector('#token-help')?.textContent.includes('padded from 100 to 104')");
    assert!(page.attribute("#token-help a", "href").is_some_and(|link| link.contains("f32")));
    ask_at("x)\n}");
    page.wait_for("document.querySelector('#token-candidates button')?.textContent === 'x'");
    page.assert_accessible();
    // A candidate replaces the word around the caret, up to the bracket that follows it. The browser's own undo takes it back.
    ask_at("aate(x)");
    let negate = "[...document.querySelectorAll('#token-candidates button')].find((each) => each.textContent === 'negate(')";
    page.wait_for(negate);
    page.run(&format!("{negate}.click()"));
    page.wait_for("document.querySelector('#program-field').value.includes('} negate(x)\\n')");
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '0'");
    page.key("Control+z");
    page.wait_for("document.querySelector('#program-field').value.includes('} negaate(x)\\n')");
    page.wait_for("document.querySelector('#program-problems')?.dataset.errors === '1'");
}

/// Letters that are typed while the page reads the ones before stay where they were typed.
fn typing_in_the_plain_field_is_only_typing(page: &Page) {
    page.goto("#program1/@resnet18");
    page.wait_for(
        "document.querySelector('#edit-text:enabled') && document.querySelector('#program-line-0')",
    );
    page.click("#edit-text");
    page.click("#plain-text");
    page.wait_for("document.querySelector('#program-field')?.value.includes('reshape(sub.4)')");
    page.run(
        "const field = document.querySelector('#program-field');
         const at = field.value.indexOf('(sub.4)');
         field.focus();
         field.setSelectionRange(at, at);",
    );
    for letter in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        page.type_text(letter);
        // The pause until the text is read, and a part of reading it.
        page.run("await new Promise((done) => setTimeout(done, 320))");
    }
    let typed = "document.querySelector('#program-field').value.includes('reshapeabcdefgh(sub.4)')";
    assert!(page.eval::<bool>(typed), "letters were lost");
    page.wait_for("document.querySelector('#program-problems')?.textContent.includes('reshapeabcdefgh')");
    assert!(page.eval::<bool>(typed), "letters were lost");
}
