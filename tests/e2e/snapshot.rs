//! Exported pages: one file, opened from the disk, without a server.

use std::fs;
use std::path::PathBuf;

use harness::{Download, Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, open_dialog};
use crate::{ops_catalogue, program};

pub const TESTS: &[Test] = harness::tests![
    an_op_is_exported_and_steps_through_its_cells,
    a_program_shows_each_instruction: IN_CHROME,
    the_list_shows_the_selected_instruction: IN_FIREFOX,
    an_array_is_exported_with_its_padding: IN_FIREFOX,
    names_of_instructions_stay_text: IN_CHROME,
    a_damaged_file_says_so: IN_FIREFOX,
    nothing_is_wrong_in_an_exported_page: IN_CHROME,
    the_program_screen_exports_a_page_and_a_folder_for_jax: IN_FIREFOX,
];

const DOT: &str = "#ops1/HloModule+m%0AENTRY+e+{%0A++a+=+f32[2,3]{0,1}+parameter(0)%0A++b+=+f32[3,2]+parameter(1)%0A\
    ++ROOT+p+=+f32[2,2]+dot(a,+b),+lhs_contracting_dims={1},+rhs_contracting_dims={0}%0A}";

/// A program of three instructions: `x`, its negation `n`, and the transpose `t` of that.
pub const CHAIN: &str = "#ops1/HloModule+m%0AENTRY+e+{%0A++x+=+f32[2,3]+parameter(0)%0A++n+=+f32[2,3]+negate(x)%0A\
    ++ROOT+t+=+f32[3,2]+transpose(n),+dimensions={1,0}%0A}";

/// Exports the state of a link.
#[track_caller]
pub fn exported(page: &Page, link: &str) -> Download {
    if link.starts_with("#ops") {
        ops_catalogue::open(page, link);
    } else {
        open(page, link);
    }
    open_dialog(page, "#share");
    let file = page.save("#export-page");
    page.wait_for_text("#page-status", "Saved.");
    assert_eq!(file.media_type, "text/html");
    file
}

/// A file of this test, removed at its end.
struct OnDisk(PathBuf);

impl Drop for OnDisk {
    fn drop(&mut self) {
        // What remains in the folder of temporary files harms nobody.
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens text as a page from the disk, where nothing but the page itself can be loaded.
#[track_caller]
fn open_from_disk(page: &Page, name: &str, html: &str) -> OnDisk {
    let path =
        std::env::temp_dir().join(format!("xla-{name}-{}-{}.html", std::process::id(), page.is_firefox()));
    fs::write(&path, html).unwrap();
    page.visit(&format!("file://{}", path.display()));
    page.wait_for("document.querySelector('main.embed')");
    // The harness reports every request beyond the site: the page itself is the only one. What is damaged is in the console.
    let problems = page.take_problems();
    let is_expected = |problem: &String| problem.contains("file:") || name == "damaged";
    assert!(problems.iter().all(is_expected), "{problems:?}");
    OnDisk(path)
}

fn an_op_is_exported_and_steps_through_its_cells(page: &Page) {
    let file = exported(page, DOT);
    assert_eq!(file.name, "experiment.html");
    let html = file.text();
    assert!(html.contains("default-src 'none'") && !html.contains("src=\""), "the page loads nothing");
    let _file = open_from_disk(page, "dot", &html);
    // Parameters are iota: [[0,1,2],[3,4,5]] times [[0,1],[2,3],[4,5]].
    page.wait_for_text("#working", "out[0,0] = 0·0 + 1·2 + 2·4 = 10");
    page.click("#next");
    page.wait_for_text("#working", "out[0,1] = 0·1 + 1·3 + 2·5 = 13");
    assert_eq!(page.text("#made-from"), "depends on 6 cells");
    assert!(
        page.text("#array-0-lit").contains("[0,0] (1), [0,1] (3), [0,2] (5)"),
        "{}",
        page.text("#array-0-lit")
    );
    // A resting pointer shows its cell only until keys or the player choose another.
    let (left, top, width, height) = page.bounds("#array-2 canvas");
    page.hover_at((left + width * 0.4, top + height * 0.75));
    page.wait_for("document.querySelector('#working').innerText.startsWith('out[1,')");
    page.run("document.querySelector('#next').click()");
    page.wait_for_text("#working", "out[1,0] = 3·0 + 4·2 + 5·4 = 28");
    page.run("document.querySelector('#previous').click()");
    page.wait_for_text("#working", "out[0,1] = 0·1 + 1·3 + 2·5 = 13");
    page.click("#array-0-memory");
    page.wait_for("document.querySelector('#array-0-strip')");
    assert!(page.attribute("#open-full", "href").is_some_and(|link| link.starts_with(&page.site().origin())));
}

fn a_program_shows_each_instruction(page: &Page) {
    let html = exported(page, CHAIN).text();
    let _file = open_from_disk(page, "chain", &html);
    assert_eq!(page.count(".snapshot-step"), 3);
    page.wait_for("document.querySelector('#working').innerText.startsWith('out[0,0] = ')");
    page.click(".snapshot-step[data-name=n]");
    page.wait_for_text(".snapshot-head h2", "n = f32[2,3]{1,0} negate(x)");
    page.click("#next");
    page.wait_for("document.querySelector('#working').innerText.startsWith('out[0,1] = ')");
    assert!(page.text("#working").ends_with("= -1"), "{}", page.text("#working"));
    page.click(".snapshot-step[data-name=x]");
    page.wait_for("document.querySelectorAll('.operands').length === 0");
    assert_eq!(page.count(".results .panel"), 1);
}

fn the_list_shows_the_selected_instruction(page: &Page) {
    // A chain of 40 negations: the root is far below the first.
    let steps: String = (1..40).map(|n| format!("++x{n}+=+f32[2]+negate(x{})%0A", n - 1)).collect();
    let link = format!(
        "#ops1/HloModule+m%0AENTRY+e+{{%0A++x0+=+f32[2]+parameter(0)%0A{steps}++ROOT+r+=+f32[2]+negate(x39)%0A}}"
    );
    let html = exported(page, &link).text();
    let _file = open_from_disk(page, "list", &html);
    page.wait_for("document.querySelector('.snapshot-step[aria-current][data-name=r]')");
    let is_visible = "((list, entry) => entry.top >= list.top && entry.bottom <= list.bottom)(
        document.querySelector('.snapshot-program').getBoundingClientRect(),
        document.querySelector('.snapshot-step[aria-current]').getBoundingClientRect())";
    page.wait_for(is_visible);
    assert_eq!(page.eval::<f64>("scrollY"), 0.0, "only the list scrolls");
}

fn an_array_is_exported_with_its_padding(page: &Page) {
    let file = exported(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero;at=3");
    assert_eq!(file.name, "array.html");
    let _file = open_from_disk(page, "array", &file.text());
    assert_eq!(page.text("h1"), "f32[2,3]{0,1} padded[3,5]=zero");
    page.wait_for("document.querySelector('#formula').innerText.includes('= 3')");
    page.click("#next");
    page.wait_for("document.querySelector('#formula').innerText.includes('= 4')");
    assert!(page.text("#caption").contains("9 of 15 slots are padding"));
}

fn names_of_instructions_stay_text(page: &Page) {
    // Names of instructions come from links: none of them becomes markup.
    let link = DOT.replace("+a+=", "+a.b_c-d+=").replace("dot(a,", "dot(a.b_c-d,");
    let html = exported(page, &link).text();
    assert!(html.contains("<title>Dot</title>"), "the op's name is the title");
    let _file = open_from_disk(page, "names", &html);
    page.wait_for("document.querySelector('.snapshot-step')");
    assert_eq!(page.eval::<usize>("document.querySelectorAll('#app script').length"), 0);
}

fn a_damaged_file_says_so(page: &Page) {
    let html = exported(page, DOT).text();
    let (before, rest) = html.split_once("id=\"snapshot\">\"").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    let damaged = format!("{before}id=\"snapshot\">\"AAAA\"{after}");
    let _file = open_from_disk(page, "damaged", &damaged);
    page.wait_for_text(
        "#snapshot-damaged",
        "This file was written by another version of XLA Playground. Export it again.",
    );
}

fn nothing_is_wrong_in_an_exported_page(page: &Page) {
    let html = exported(page, CHAIN).text();
    let _file = open_from_disk(page, "axe", &html);
    page.wait_for("document.querySelector('#working')");
    page.assert_accessible();
    page.viewport(390, 800);
    page.wait_two_frames();
    assert!(page.eval::<bool>("document.documentElement.scrollWidth <= 390"), "nothing scrolls sideways");
    page.assert_accessible();
}

fn the_program_screen_exports_a_page_and_a_folder_for_jax(page: &Page) {
    program::open(page, "#program1/@softmax");
    page.click("#share");
    page.wait_for("document.querySelector('#share-dialog[open]')");
    page.assert_accessible();
    let archive = page.save("#export-jax");
    page.wait_for_text("#export-outcome", &format!("Saved as {}.", archive.name));
    assert!(archive.name.ends_with("-jax.zip") && archive.bytes.starts_with(b"PK"), "{}", archive.name);
    let contains = |part: &str| archive.bytes.windows(part.len()).any(|window| window == part.as_bytes());
    assert!(contains("/run.py") && contains("stablehlo.exponential"));
    let file = page.save("#export-page");
    page.wait_for_text("#export-outcome", &format!("Saved as {}.", file.name));
    let html = file.text();
    let _file = open_from_disk(page, "program", &html);
    page.wait_for("document.querySelector('#working')?.textContent.includes('=')");
}
