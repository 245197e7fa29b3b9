//! Two layouts of one array side by side: the same cell highlighted in both, lines between the strips, and the number
//! of moves.

use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, wait_for_link, wait_for_spoken};
use crate::pointer::{changed, point, remember};

pub const TESTS: &[Test] = harness::tests![
    one_cell_is_highlighted_in_both: IN_FIREFOX,
    moved_elements_are_counted: IN_CHROME,
    nothing_moves_where_the_order_does_not_matter: IN_FIREFOX,
    a_million_elements_are_counted_by_the_worker: IN_CHROME,
    the_second_layout_is_written_and_corrected: IN_FIREFOX,
];

/// The numbers in the sentence about moves.
#[track_caller]
fn moved(page: &Page) -> Vec<u64> {
    let text: String = page.with_element("#moves", "(line) => line.textContent.replace(/\\u202f/g, '')");
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn one_cell_is_highlighted_in_both(page: &Page) {
    open(page, "#v1/f32[4,6]{1,0};v=iota");
    page.click("#compare-toggle");
    page.wait_for("document.querySelector('#compare')");
    wait_for_link(page, "f32[4,6]{1,0};v=iota;with={0,1}");
    assert_eq!(page.value("#layout-b"), "{0,1}");
    // The lines are painted: 24 elements are few enough to draw each.
    page.wait_for(
        "(() => { const canvas = document.querySelector('.connectors canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return data.filter((value, i) => i % 4 === 3 && value > 0).length > 500; })()",
    );
    page.wait_two_frames();
    let views = ["#grid", "#strip", "#grid-b", "#strip-b", ".connectors"];
    point(page, (3.0, 3.0));
    remember(page, &views);
    let (left, top, width, height) = page.bounds("#grid");
    point(page, (left + width * 0.6, top + height * 0.6));
    let lit: Vec<bool> = views.iter().map(|view| changed(page, view).is_some()).collect();
    assert_eq!(lit, [true; 5], "{views:?}");
    let said = page.text("#inspector");
    // The same cell in the other grid.
    point(page, (3.0, 3.0));
    let (left, top, width, height) = page.bounds("#grid-b");
    point(page, (left + width * 0.6, top + height * 0.6));
    assert!(changed(page, "#grid").is_some() && changed(page, "#strip").is_some());
    assert_eq!(page.text("#inspector"), said);
    // A click there selects the slot of the first layout.
    page.click("#strip-b");
    page.wait_two_frames();
    let hash: String = page.eval("location.hash");
    assert!(hash.contains(";at="), "{hash}");
    page.click("#compare-close");
    page.wait_for("!document.querySelector('#compare')");
}

fn moved_elements_are_counted(page: &Page) {
    open(page, "#v1/f32[4,6]{1,0};with={0,1};at=7");
    // The verdict is first, then both layouts by their names, each coloured by its own slots.
    page.wait_for("document.querySelector('#sums')");
    assert_eq!(page.text("#sums").split_whitespace().collect::<String>(), "Aslot=1·6+1·1=7Bslot=1·1+1·4=5");
    let heads = page.texts("#h-grid, #h-compare, #h-memory, #h-memory-second");
    assert!(heads.iter().map(|head| &head[..2]).eq(["A ", "B ", "A ", "B "]), "{heads:?}");
    assert!(page.bounds("#verdict").1 < page.bounds("#grid").1);
    assert_eq!(page.texts(".legend b"), ["0", "23", "0", "23"]);
    page.wait_for("document.querySelector('#moves').textContent.includes('24')");
    let moves =
        (0..4).flat_map(|r| (0..6).map(move |c| (r, c))).filter(|(r, c)| r * 6 + c != c * 4 + r).count();
    let moves = u64::try_from(moves).expect("a count");
    assert_eq!(moved(page), [moves, 24, moves * 4]);
}

fn nothing_moves_where_the_order_does_not_matter(page: &Page) {
    open(page, "#v1/f32[1,6]{1,0};with={0,1}");
    page.wait_for("document.querySelector('#moves').textContent === 'Bitcast: nothing moves.'");
    open(page, "#v1/f32[4,6]{1,0};with={1,0}");
    page.wait_for("document.querySelector('#moves').textContent === 'Bitcast: nothing moves.'");
}

fn a_million_elements_are_counted_by_the_worker(page: &Page) {
    open(page, "#v1/f32[1024,1024]{1,0};v=iota;with={0,1}");
    page.wait_for("/\\d/.test(document.querySelector('#moves').textContent)");
    // The diagonal does not move.
    assert_eq!(moved(page), [1_048_576 - 1_024, 1_048_576, (1_048_576 - 1_024) * 4]);
    let worker: Vec<String> = page.eval(
        "performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => name.includes('worker'))",
    );
    assert!(!worker.is_empty(), "the worker's script was not loaded");
    // Another layout while counting: the result is that of the newer one.
    page.type_into("#layout-b", "{1,0}");
    page.key("Enter");
    page.wait_for("document.querySelector('#moves').textContent === 'Bitcast: nothing moves.'");
}

fn the_second_layout_is_written_and_corrected(page: &Page) {
    open(page, "#v1/f32[4,6]{1,0};v=iota;with={0,1};at=5");
    page.type_into("#layout-b", "{0,0}");
    page.key("Enter");
    page.wait_for("document.querySelector('#layout-b-problem').innerText.includes('twice')");
    assert_eq!(page.attribute("#layout-b", "aria-invalid").as_deref(), Some("true"));
    page.type_into("#layout-b", "{1,0:T(2,2)}");
    page.key("Enter");
    wait_for_link(page, "f32[4,6]{1,0};v=iota;with={1,0:T(2,2)};at=5");
    wait_for_spoken(page, "index 0, 5, value 5, slot 5");
    let second: String = page.with_element(
        "#strip-b",
        "(view) => document.getElementById(view.getAttribute('aria-activedescendant')).textContent.trim()",
    );
    assert_eq!(second, "index 0, 5, value 5, slot 9");
}
