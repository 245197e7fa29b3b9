//! The Program screen: two programs compared, instructions cut out, programs reduced.

use std::fmt::Write as _;

use harness::{Emulation, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, choose_option};
use crate::languages::choose;
use crate::program::{READY, paste};

pub const TESTS: &[Test] = harness::tests![
    a_wrong_transpose_is_found_beside_its_right_version,
    a_swapped_gather_index_is_found_by_keyboard: IN_CHROME,
    a_folder_of_dumps_is_compared_pass_by_pass,
    a_nan_is_reduced_and_opens_as_a_program: IN_CHROME,
    instructions_are_cut_out_with_their_values: IN_FIREFOX,
    hostile_texts_are_rejected: IN_CHROME,
    comparing_and_cutting_break_no_rule_of_accessibility: IN_CHROME,
];

const MATCHED: &str = "document.querySelector('.compare-view')?.dataset.compare === 'matched'";

/// Products around a transpose of a square matrix, whose order no shape decides.
const RIGHT: &str = "HloModule right

ENTRY e {
  x = f32[4,4] parameter(0)
  k = f32[4,4] parameter(1)
  t = f32[4,4] transpose(k), dimensions={1,0}
  s = f32[4,4] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[4,4] exponential(s)
  ROOT y = f32[4,4] add(e, x)
}
";

const GATHER: &str = "HloModule gather

ENTRY e {
  x = f32[4,4] parameter(0)
  i = s32[2,2] constant({{0, 1}, {2, 3}})
  g = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}
  ROOT y = f32[2] negate(g)
}
";

const NAN: &str = "HloModule planted

ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] negate(x)
  b = f32[8] cosine(a)
  c = f32[8] log(a)
  d = f32[8] add(b, c)
  ROOT y = f32[8] multiply(d, d)
}
";

fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Opens a program in a view.
#[track_caller]
fn open(page: &Page, text: &str, fields: &str) {
    page.goto(&format!("#program1/t.{}{fields}", encoded(text)));
    page.wait_for(READY);
}

#[track_caller]
fn wait_for_different(page: &Page, count: usize) {
    page.wait_for(&format!("document.querySelector('#value-differences')?.dataset.different === '{count}'"));
}

fn a_wrong_transpose_is_found_beside_its_right_version(page: &Page) {
    open(page, &RIGHT.replace("{1,0}", "{0,1}"), "");
    page.click("#view-compare");
    page.wait_for("document.querySelector('#compare-paste')");
    paste(page, "#compare-paste", RIGHT);
    page.wait_for(MATCHED);
    assert!(page.text("#compare-summary").starts_with("1 difference;"), "{}", page.text("#compare-summary"));
    // The transpose is selected, with what differs in it marked.
    page.wait_for("document.querySelector('#compare-pair')?.dataset.kind === 'changed'");
    assert_eq!(page.texts("#compare-pair mark"), ["dimensions={0,1}", "dimensions={1,0}"]);
    page.click("#compare-run");
    wait_for_different(page, 4);
    assert_eq!(page.attribute("#first-difference", "data-name").as_deref(), Some("t"));
    // The comparison is in the link.
    page.wait_for("location.hash.includes(';with=')");
    page.reload();
    page.wait_for(MATCHED);
    page.click("#compare-run");
    wait_for_different(page, 4);
    // It leads to the instruction in the text.
    page.run("document.querySelector('#first-difference-show').click()");
    page.wait_for("document.querySelector('.line.selected')?.textContent.includes('transpose(k)')");
}

fn a_swapped_gather_index_is_found_by_keyboard(page: &Page) {
    let wrong = GATHER.replace("start_index_map={0,1}", "start_index_map={1,0}");
    open(page, &wrong, &format!(";view=compare;with=t.{}", encoded(GATHER)));
    page.wait_for(MATCHED);
    page.wait_for("document.querySelector('#compare-list')");
    page.wait_for("document.querySelector('#compare-pair mark')");
    assert_eq!(page.texts("#compare-pair mark"), ["start_index_map={1,0}", "start_index_map={0,1}"]);
    // Rows without a difference are skipped by the brackets.
    page.run("document.querySelector('#show-same').click()");
    page.wait_for("document.querySelectorAll('.compare-row').length === 5");
    page.run("document.querySelector('#compare-list').focus()");
    page.key("Home");
    page.wait_for("document.querySelector('.compare-row.selected')?.id === 'compare-row-0'");
    page.key("]");
    page.wait_for("document.querySelector('.compare-row.selected')?.textContent.includes('gather(')");
    assert_eq!(
        page.attribute("#compare-list", "aria-activedescendant"),
        page.attribute(".compare-row.selected", "id")
    );
    page.run("document.querySelector('#compare-run').focus()");
    page.key("Enter");
    wait_for_different(page, 2);
    assert_eq!(page.attribute("#first-difference", "data-name").as_deref(), Some("g"));
}

fn a_folder_of_dumps_is_compared_pass_by_pass(page: &Page) {
    open(page, RIGHT, "");
    page.click("#view-compare");
    page.wait_for("document.querySelector('#compare-file')");
    let copied =
        RIGHT.replace("e = f32[4,4] exponential(s)", "z = f32[4,4] copy(s)\n  e = f32[4,4] exponential(z)");
    let files = [
        ("module_0001.f.0002.p.after_dce.before_end.txt", RIGHT.to_owned()),
        ("module_0001.f.before_optimizations.txt", copied.clone()),
        ("module_0001.f.0001.p.after_start.before_dce.txt", copied),
        ("notes.txt", "no program".to_owned()),
    ];
    let files = serde_json::to_string(&files).expect("plain texts");
    page.run(&format!(
        "const data = new DataTransfer();
         for (const [name, text] of {files}) data.items.add(new File([text], name, {{ type: 'text/plain' }}));
         const input = document.querySelector('#compare-file');
         input.files = data.files;
         input.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ));
    page.wait_for(MATCHED);
    page.wait_for("document.querySelectorAll('#passes .count').length > 0");
    let passes = page.texts("#passes .pass b");
    assert_eq!(passes, ["start", "dce"]);
    assert_eq!(page.text("#compare-summary"), "The programs are the same.");
    // The slider leads to the pass that removed the copy.
    page.run(
        "const slider = document.querySelector('#series-slider'); slider.value = '2';
         slider.dispatchEvent(new InputEvent('input', { bubbles: true }));",
    );
    page.wait_for("document.querySelector('#pass-2')?.getAttribute('aria-current') === 'step'");
    page.wait_for("document.querySelector('.compare-row.deleted')?.textContent.includes('copy(s)')");
    page.assert_accessible();
    page.click("#series-open");
    page.wait_for(READY);
}

fn a_nan_is_reduced_and_opens_as_a_program(page: &Page) {
    open(page, NAN, ";v0=iota;view=cut");
    page.wait_for("document.querySelector('#shrink-start')");
    page.click("#shrink-start");
    page.wait_for("document.querySelector('#result-text')?.textContent.includes('log(')");
    assert!(
        page.text("#cut-summary").starts_with("Minimal: 1 of 5 instructions"),
        "{}",
        page.text("#cut-summary")
    );
    page.click("#result-open");
    page.wait_for("document.querySelector('#first-nan')");
    page.wait_for("!document.querySelector('.code-lines')?.textContent.includes('cosine')");
    // Back returns to the whole program.
    page.history(-1);
    page.wait_for("document.querySelector('#shrink-start')");
    page.wait_for("location.hash.includes('cosine')");
}

fn instructions_are_cut_out_with_their_values(page: &Page) {
    open(page, NAN, ";v0=iota;at=0.3;view=cut");
    page.wait_for("document.querySelector('#cut-names')?.value === 'c'");
    page.click("#cut-start");
    page.wait_for("document.querySelector('#result-text')?.textContent.includes('log(a)')");
    assert!(!page.text("#result-text").contains("negate"));
    // With what it depends on, it begins at the parameter.
    choose_option(page, "#cut-depth", "4294967295");
    page.click("#cut-start");
    page.wait_for("document.querySelector('#result-text')?.textContent.includes('negate(x)')");
    page.click("#result-open");
    page.wait_for("document.querySelector('#first-nan, #first-infinity')");
    page.wait_for("document.querySelector('.line.selected')?.textContent.includes('tuple(a, c)')");
    // An unknown name is an error with the name.
    page.history(-1);
    // The name of the selected instruction is there when the program has been read.
    page.wait_for("document.querySelector('#cut-names')?.value === 'c'");
    page.run(
        "const field = document.querySelector('#cut-names'); field.value = '<img src=x>';
         field.dispatchEvent(new InputEvent('input', { bubbles: true }));",
    );
    page.click("#cut-start");
    page.wait_for("document.querySelector('#cut-failure')?.textContent.includes('<img')");
}

fn hostile_texts_are_rejected(page: &Page) {
    open(page, RIGHT, ";view=compare");
    paste(page, "#compare-paste", "<img src=x onerror=alert(1)> & garbage");
    page.wait_for("document.querySelector('#compare-refused')");
    assert_eq!(page.count(".compare-view img"), 0);
    page.click("#compare-end");
    // A large text is matched off the page, and only the visible rows are in the document.
    let mut large = String::from(
        "HloModule large\n\nENTRY e {\n  x0 = f32[4,4] parameter(0)\n  k = f32[4,4] parameter(1)\n",
    );
    for number in 1..20_000 {
        let root = if number == 19_999 { "ROOT " } else { "" };
        let _ = writeln!(large, "  {root}x{number} = f32[4,4] negate(x{})", number - 1);
    }
    large.push_str("}\n");
    paste(page, "#compare-paste", &large);
    page.wait_for(MATCHED);
    page.wait_for("document.querySelectorAll('.compare-row:not(.loading)').length > 5");
    assert!(page.count(".compare-row") < 100);
    // Programs with other results are compared as far as they correspond.
    page.click("#compare-run");
    page.wait_for("document.querySelector('#value-differences, #compare-failure')");
    // Who ends a comparison by mistake returns to it.
    page.click("#compare-end");
    page.click("#compare-resume");
    page.wait_for(MATCHED);
}

fn comparing_and_cutting_break_no_rule_of_accessibility(page: &Page) {
    for dark in [true, false] {
        page.emulate(Emulation { dark, ..Emulation::default() });
        open(page, RIGHT, ";view=compare");
        page.wait_for("document.querySelector('#compare-chooser')");
        page.assert_accessible();
        let wrong = RIGHT.replace("{1,0}", "{0,1}").replace(" e = ", " f = ").replace("add(e,", "add(f,");
        paste(page, "#compare-paste", &wrong);
        page.wait_for(MATCHED);
        page.click("#compare-run");
        wait_for_different(page, 4);
        page.assert_accessible();
        open(page, NAN, ";v0=iota;view=cut");
        page.wait_for("document.querySelector('#shrink-start')");
        page.click("#shrink-start");
        page.wait_for("document.querySelector('#result-text')");
        page.assert_accessible();
    }
    page.viewport(390, 844);
    choose(page, "zh-Hans");
    page.wait_for("document.querySelector('#h-shrink')?.textContent.startsWith('缩减')");
    page.wait_for("document.documentElement.scrollWidth <= 390");
    open(page, RIGHT, &format!(";view=compare;with=t.{}", encoded(GATHER)));
    page.wait_for(MATCHED);
    page.wait_for("document.documentElement.scrollWidth <= 390");
    page.click("#compare-run");
    // Other parameters: the sentence names them.
    page.wait_for("document.querySelector('#compare-failure')?.textContent.includes('2')");
    page.assert_accessible();
}
