//! Jumps and links: what they step to is scrolled into the view of the grid, of memory and of the window; what of a large
//! array is in view is said.

use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, quoted, wait_for_spoken};

pub const TESTS: &[Test] = harness::tests![
    a_link_shows_its_cell_in_every_picture: IN_CHROME,
    going_to_an_index_shows_it_in_every_picture: IN_FIREFOX,
    a_jump_to_another_slice_moves_its_slider: IN_FIREFOX,
    the_page_stays_where_one_clicks: IN_CHROME,
    fitting_shows_all_columns: IN_CHROME,
];

const TILED: &str = "#v1/bf16[16,256]{1,0:T(8,128)(2,1)}";

/// Waits until the cell of the cursor is inside its grid, its slot inside the strip, and both inside the window, above the
/// player.
#[track_caller]
fn wait_until_in_view(page: &Page) {
    page.wait_for(
        "(() => {
            const box = (selector) => document.querySelector(selector).getBoundingClientRect();
            const inside = (inner, outer) => inner.width > 0 && inner.left >= outer.left - 1 && inner.right <= outer.right + 1
                && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
            const window = { left: 0, top: 0, right: innerWidth, bottom: box('.player').top };
            const [cell, slot] = [box('#grid-cell'), box('#strip-slot')];
            return inside(cell, box('#grid')) && inside(slot, box('#strip')) && inside(cell, window) && inside(slot, window);
        })()",
    );
}

/// Sets the size of the window and waits until the page has it: a jump is shown in the size that it finds.
#[track_caller]
fn resize(page: &Page, width: u32, height: u32) {
    page.viewport(width, height);
    page.wait_for(&format!("innerWidth === {width} && innerHeight === {height}"));
    page.wait_two_frames();
}

fn a_link_shows_its_cell_in_every_picture(page: &Page) {
    for (width, height) in [(1440, 900), (1280, 800), (390, 844)] {
        resize(page, width, height);
        open(page, &format!("{TILED};at=3077"));
        wait_for_spoken(page, "index 9, 130, value coq, slot 3077");
        wait_until_in_view(page);
        // A link that arrives later, from the top of the page.
        page.run(&format!("scrollTo(0, 0); location.hash = {};", quoted(&format!("{TILED};at=2050"))));
        page.wait_for("document.querySelector('#spoken').textContent.includes('slot 2050')");
        wait_until_in_view(page);
    }
}

fn going_to_an_index_shows_it_in_every_picture(page: &Page) {
    for (width, height) in [(1440, 900), (1280, 800), (390, 844)] {
        resize(page, width, height);
        open(page, TILED);
        page.key("g");
        page.wait_for("document.activeElement?.id === 'goto-target'");
        page.type_text("9,130");
        page.key("Enter");
        wait_for_spoken(page, "index 9, 130, value coq, slot 3077");
        wait_until_in_view(page);
        let cell = page.centre("#grid-cell");
        let (left, _, wide, _) = page.bounds("#grid");
        let middle = left + wide / 2.0;
        assert!((cell.0 - middle).abs() < wide / 4.0, "column 130 is at {}, the middle at {middle}", cell.0);
    }
}

fn a_jump_to_another_slice_moves_its_slider(page: &Page) {
    open(page, "#v1/f32[100,90,80]{2,1,0};at=12345");
    assert_eq!(page.value("#slider-2"), "25", "the link is to (1, 64, 25)");
    page.key("g");
    page.wait_for("document.activeElement?.id === 'goto-target'");
    page.type_text("99,3,70");
    page.key("Enter");
    page.wait_for("document.querySelector('#slider-2').value === '70'");
}

fn the_page_stays_where_one_clicks(page: &Page) {
    page.viewport(390, 844);
    open(page, &format!("{TILED};at=3077"));
    wait_until_in_view(page);
    page.run("scrollTo(0, document.querySelector('#strip').getBoundingClientRect().bottom + scrollY - 700);");
    page.wait_two_frames();
    let before: f64 = page.eval("scrollY");
    page.click("#strip");
    page.wait_for("!document.querySelector('#spoken').textContent.includes('slot 3077')");
    page.wait_two_frames();
    assert!((page.eval::<f64>("scrollY") - before).abs() < 0.5, "the page moved");
}

fn fitting_shows_all_columns(page: &Page) {
    open(page, TILED);
    let part = page.text(".visible-parts");
    assert!(part.starts_with("columns 0–") && part.ends_with(" of 256"), "{part}");
    page.click("#zoom-fit");
    page.wait_for("!document.querySelector('.visible-parts')");
    assert_eq!(page.count("#grid.pans"), 0);
    page.click("#zoom-in");
    page.wait_for("document.querySelector('.visible-parts')?.textContent.endsWith('of 256')");
}
