//! The pointer: one highlighted cell in every view, clicks, drags, the wheel.
//!
//! The tests do not know where cells are drawn: a highlight is found as the pixels that changed in a view's upper
//! canvas.

use harness::input::Point;
use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, wait_for_link, wait_for_spec};

pub const TESTS: &[Test] = harness::tests![
    hovering_highlights_the_same_cell_in_grid_and_strip,
    every_cell_of_the_grid_highlights_its_slot: IN_CHROME,
    a_key_moves_on_from_the_hovered_cell,
    clicks_step_and_pin,
    chips_are_dragged,
    chips_move_by_their_buttons: IN_FIREFOX,
    a_large_grid_zooms_and_pans,
    the_scrub_bar_steps: IN_CHROME,
];

const PADDED: &str = "#v1/f32[2,3]{0,1}+padded[3,5]=zero";

/// Stores the content of the upper canvases of grid and strip.
#[track_caller]
pub fn remember(page: &Page, views: &[&str]) {
    for view in views {
        page.run(&format!(
            "const canvas = document.querySelector('{view} .stack canvas:nth-of-type(2)');
             (window[Symbol.for('e2e.marks')] ??= {{}})['{view}'] =
                canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        ));
    }
}

/// The centre of the change in a view's upper canvas since then, and its width and height; `None` if nothing changed.
#[track_caller]
pub fn changed(page: &Page, view: &str) -> Option<(Point, (f64, f64))> {
    let found: Option<[f64; 4]> = page.eval(&format!(
        "(() => {{
            const canvas = document.querySelector('{view} .stack canvas:nth-of-type(2)');
            const before = window[Symbol.for('e2e.marks')]['{view}'];
            const now = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
            for (let i = 0; i < now.length; i += 4) {{
                if (now[i] === before[i] && now[i + 1] === before[i + 1] && now[i + 3] === before[i + 3]) continue;
                const x = i / 4 % canvas.width, y = Math.floor(i / 4 / canvas.width);
                [left, top, right, bottom] =
                    [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
            }}
            if (right < 0) return null;
            const box = canvas.getBoundingClientRect();
            return [box.left + (left + right) / 2, box.top + (top + bottom) / 2, right - left, bottom - top];
        }})()"
    ));
    found.map(|[x, y, width, height]| ((x, y), (width, height)))
}

/// The slot and the index in the inspector.
#[track_caller]
fn inspected(page: &Page) -> (i64, Vec<i64>) {
    let numbers = |text: String| -> Vec<i64> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    };
    let index: String =
        page.with_element("#inspector", "(list) => list.querySelectorAll('dd')[0].textContent");
    let slot: String =
        page.with_element("#inspector", "(list) => list.querySelectorAll('dd')[2].textContent");
    (numbers(slot)[0], numbers(index))
}

/// Moves the pointer and waits until the page has painted.
#[track_caller]
pub fn point(page: &Page, at: Point) {
    page.hover_at(at);
    page.wait_two_frames();
}

fn hovering_highlights_the_same_cell_in_grid_and_strip(page: &Page) {
    open(page, PADDED);
    let views = ["#grid", "#strip"];
    let away = (3.0, 3.0);
    point(page, away);
    remember(page, &views);
    let (left, top, width, height) = page.bounds("#grid");
    let start = (left + width * 0.5, top + height * 0.6);
    point(page, start);
    let (slot, index) = inspected(page);
    assert_eq!(slot, index[0] + 3 * index[1], "the inspector speaks of the hovered cell");
    assert_ne!(slot, 0);
    assert!(page.text("#formula").ends_with(&format!("= {slot}")));
    let (in_grid, (side, _)) = changed(page, "#grid").expect("the grid lights the cell");
    assert!((in_grid.0 - start.0).abs() <= side / 2.0 && (in_grid.1 - start.1).abs() <= side / 2.0);
    let (in_strip, (width, _)) = changed(page, "#strip").expect("the strip lights the slot");
    assert!(width < 80.0, "one slot is lit, not {width} pixels");
    point(page, away);
    assert_eq!((changed(page, "#grid"), changed(page, "#strip")), (None, None), "leaving restores");
    assert_eq!(inspected(page).0, 0, "the inspector is back at the step");
    point(page, in_strip);
    assert_eq!(inspected(page), (slot, index), "the strip leads to the same cell");
    let (again, _) = changed(page, "#grid").expect("the grid lights the slot's cell");
    assert!((again.0 - in_grid.0).abs() <= 1.0 && (again.1 - in_grid.1).abs() <= 1.0);
}

fn every_cell_of_the_grid_highlights_its_slot(page: &Page) {
    open(page, PADDED);
    point(page, (3.0, 3.0));
    remember(page, &["#grid"]);
    // Along the strip: its slots in order are the columns of the grid from top to bottom.
    let (left, top, width, _) = page.bounds("#strip");
    let mut points = std::collections::BTreeMap::new();
    let mut x = left + 4.0;
    while x < left + width && points.len() < 15 {
        point(page, (x, top + 24.0));
        if let Some((point, _)) = changed(page, "#grid") {
            let (slot, index) = inspected(page);
            assert_eq!(slot, index[0] + 3 * index[1]);
            points.insert(slot, point);
        }
        x += 13.0;
    }
    let slots: Vec<i64> = points.keys().copied().collect();
    assert!(slots.len() >= 14, "slots {slots:?}");
    for (slot, (x, y)) in &points {
        for (other, (x1, y1)) in points.range(slot + 1..) {
            assert_eq!(slot / 3 == other / 3, (x - x1).abs() < 4.0, "{slot} and {other} by column");
            assert_eq!(slot % 3 == other % 3, (y - y1).abs() < 4.0, "{slot} and {other} by row");
        }
    }
}

fn a_key_moves_on_from_the_hovered_cell(page: &Page) {
    open(page, PADDED);
    let (left, top, width, height) = page.bounds("#grid");
    let rest = (left + width * 0.5, top + height * 0.6);
    point(page, rest);
    let (hovered, _) = inspected(page);
    assert!(hovered > 2, "the pointer is not near the cursor");
    for slot in 1..=2 {
        page.key("]");
        page.wait_two_frames();
        assert_eq!(inspected(page).0, slot, "what is explained is the cell that the key moved to");
        assert!(page.text("#formula").ends_with(&format!("= {slot}")));
    }
    point(page, (rest.0 + 2.0, rest.1));
    assert_eq!(inspected(page).0, hovered, "the pointer hovers again once it moves");
}

fn clicks_step_and_pin(page: &Page) {
    open(page, PADDED);
    page.click("#grid");
    let (first, _) = inspected(page);
    wait_for_link(page, &format!("f32[2,3]{{0,1}}+padded[3,5]=zero;at={first}"));
    page.click_holding("Shift", "#strip");
    let (second, _) = inspected(page);
    assert_ne!(first, second);
    wait_for_link(page, &format!("f32[2,3]{{0,1}}+padded[3,5]=zero;at={second};pins={second}"));
    page.click_holding("Shift", "#grid");
    wait_for_link(page, &format!("f32[2,3]{{0,1}}+padded[3,5]=zero;at={first};pins={second}.{first}"));
    page.click_holding("Shift", "#grid");
    wait_for_link(page, &format!("f32[2,3]{{0,1}}+padded[3,5]=zero;at={first};pins={second}"));
    page.key("Escape");
    wait_for_link(page, &format!("f32[2,3]{{0,1}}+padded[3,5]=zero;at={first}"));
}

fn chips_are_dragged(page: &Page) {
    open(page, "#v1/f32[2,3,4]{2,1,0}");
    if page.is_firefox() {
        // Headless Firefox starts no drag from a driver's pointer: the page gets synthetic drag events.
        page.run(
            "const data = new DataTransfer();
             const chip = (position) => document.querySelector(`.chip[data-position='${position}']`);
             const send = (name, point) => chip(point).dispatchEvent(
                 new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: data }));
             const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
             send('dragstart', 0);
             await frame();
             if (data.getData('text/plain') === '') throw new Error('Firefox drags only what carries data');
             send('dragenter', 2);
             await frame();
             if (send('dragover', 2)) throw new Error('a chip must take what is dragged over it');
             await frame();
             const bars = [...document.querySelectorAll('.order li')].map((each) => each.className);
             if (bars.join() !== ',,insert-after') throw new Error(`the bar shows where it is inserted: ${bars}`);
             send('drop', 2);
             send('dragend', 0);",
        );
    } else {
        page.drag(".chip[data-position='0'] b", ".chip[data-position='2'] b");
    }
    wait_for_spec(page, "f32[2,3,4]{1,0,2}");
    page.wait_two_frames();
    assert_eq!(page.count(".chip.dragged, .insert-before, .insert-after"), 0, "nothing stays marked");
    page.click("#undo");
    wait_for_spec(page, "f32[2,3,4]{2,1,0}");
}

fn chips_move_by_their_buttons(page: &Page) {
    open(page, "#v1/f32[2,3,4]{2,1,0}");
    page.click(".chip[data-dimension='2'] .nudge:last-child");
    wait_for_spec(page, "f32[2,3,4]{1,2,0}");
    page.click(".chip[data-dimension='0'] .nudge:first-child");
    wait_for_spec(page, "f32[2,3,4]{1,0,2}");
    assert!(
        page.with_element::<bool>(
            ".chip[data-position='0'] .nudge:first-child",
            "(button) => button.disabled"
        )
    );
}

fn a_large_grid_zooms_and_pans(page: &Page) {
    open(page, "#v1/f32[256,256]{0,1};v=iota");
    let middle = page.centre("#grid");
    for _ in 0..4 {
        page.wheel("#grid", "Control", 0, -240);
        page.wait_two_frames();
    }
    point(page, middle);
    let (_, before) = inspected(page);
    page.wheel("#grid", "Control", 0, -240);
    page.wait_two_frames();
    let middle = page.centre("#grid");
    point(page, middle);
    let (_, zoomed) = inspected(page);
    let far = before.iter().zip(&zoomed).map(|(a, b)| (a - b).abs()).max();
    assert!(far <= Some(1), "zooming keeps {before:?} under the pointer, not {zoomed:?}");
    assert_eq!(page.count("#grid.pans"), 1, "what does not fit can be moved");
    // The grid follows the pointer; the press is not a click.
    let link: String = page.eval("location.hash");
    let to = (middle.0 - 120.0, middle.1 - 70.0);
    page.drag_between(middle, to);
    point(page, to);
    assert_eq!(inspected(page).1, zoomed, "the cell came along");
    assert_eq!(page.eval::<String>("location.hash"), link);
    point(page, middle);
    let (_, there) = inspected(page);
    assert!(there[0] > zoomed[0] && there[1] > zoomed[1], "{there:?} is beyond {zoomed:?}");
    // The minimap moves to the corners.
    let (left, top, ..) = page.bounds(".minimap");
    page.click_at((left + 3.0, top + 3.0));
    let (left, top, ..) = page.bounds("#grid");
    point(page, (left + 60.0, top + 60.0));
    let (_, corner) = inspected(page);
    assert!(corner.iter().all(|e| *e < 8), "{corner:?}");
    // A step pans to its cell.
    page.run("location.hash += ';at=65535'");
    page.wait_for("document.querySelector('#spoken').textContent.includes('slot 65535')");
    page.wait_two_frames();
    let (left, top, width, height) = page.bounds("#grid");
    point(page, (left + width - 20.0, top + height - 20.0));
    assert_eq!(inspected(page).1, [255, 255]);
}

fn the_scrub_bar_steps(page: &Page) {
    open(page, PADDED);
    let (left, top, width, height) = page.bounds("#scrub");
    let y = top + height / 2.0;
    page.drag_between((left + 8.0, y), (left + width - 2.0, y));
    page.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 14')");
    page.run("document.querySelector('#scrub').focus();");
    page.key("Home");
    page.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 0')");
}
