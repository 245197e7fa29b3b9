//! Scrolls the page after a jump or navigation, so that the cursor's cell is visible both in the grid and in memory.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use wasm_bindgen::JsCast;
use web_sys::{DomRect, HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// The ids of the elements that cover the cursor's cell in each picture, most important first.
const CELL_IDS: [&str; 2] = ["grid-cell", "strip-slot"];

/// The animation frames in which the page is scrolled after a jump, about a sixth of a second.
const SCROLL_FRAMES: u32 = 10;

/// Space between a cell and the edge of the window, in pixels.
const MARGIN: f64 = 16.0;

thread_local! {
    /// Whether the cursor was moved within a picture, which is then visible already.
    static IS_IN_PICTURE: Cell<bool> = const { Cell::new(false) };
}

/// The page does not scroll after the cursor's next move: it is within a picture, which is visible.
pub fn suppress_next_scroll() {
    IS_IN_PICTURE.set(true);
}

/// Scrolls the page to the cursor after a jump, once its pictures have a size.
#[hook]
pub fn use_page_scroll(cursor: Option<i64>, is_ready: bool) {
    // A link without a cursor opens at slot 0, with the page at its top.
    let before = use_mut_ref(|| 0_i64);
    use_effect_with((cursor, is_ready), move |(cursor, is_ready)| {
        let is_jump = cursor.filter(|_| *is_ready).is_some_and(|slot| {
            let is_step = (before.replace(slot) - slot).abs() <= 1;
            !(IS_IN_PICTURE.replace(false) || is_step || is_sliding())
        });
        let frames = Frames::default();
        if is_jump {
            scroll_in_frames(SCROLL_FRAMES, &frames);
        }
        move || frames.borrow_mut().clear()
    });
}

/// The requested frames; dropping one cancels it.
type Frames = Rc<RefCell<Vec<AnimationFrame>>>;

/// Scrolls in each of the next frames, because panning pictures, closing a dialog and opening a page take several frames
/// until every cell has its final position.
fn scroll_in_frames(count: u32, frames: &Frames) {
    let next = frames.clone();
    let frame = request_animation_frame(move |_| {
        scroll();
        if count > 1 {
            scroll_in_frames(count - 1, &next);
        }
    });
    frames.borrow_mut().push(frame);
}

/// Whether a slider has the focus: the page must not scroll while the user drags it.
fn is_sliding() -> bool {
    let focused = gloo::utils::document().active_element();
    let input = focused.and_then(|element| element.dyn_into::<HtmlInputElement>().ok());
    input.is_some_and(|input| input.type_() == "range")
}

/// Scrolls as little as needed to show the cells of all pictures, or that of the first if they do not fit together.
fn scroll() {
    let document = gloo::utils::document();
    let rect = |id: &str| document.get_element_by_id(id).map(|element| element.get_bounding_client_rect());
    let cells: Vec<DomRect> = CELL_IDS.iter().filter_map(|id| rect(id)).collect();
    let Some(first) = cells.first() else { return };
    let window = gloo::utils::window();
    let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0);
    // The player covers the bottom of the window.
    let player = document.query_selector(".player").ok().flatten();
    let bottom = player.map_or(height, |player| player.get_bounding_client_rect().top().min(height)) - MARGIN;
    let (mut cells_top, mut cells_bottom) = (first.top(), first.bottom());
    for cell in &cells[1..] {
        let union = (cells_top.min(cell.top()), cells_bottom.max(cell.bottom()));
        if union.1 - union.0 <= bottom - MARGIN {
            (cells_top, cells_bottom) = union;
        }
    }
    let by = if cells_top < MARGIN {
        cells_top - MARGIN
    } else if cells_bottom > bottom {
        (cells_bottom - bottom).min(cells_top - MARGIN)
    } else {
        return;
    };
    window.scroll_by_with_x_and_y(0.0, by);
}

/// Scrolls only a list, to its entry that matches the selector, unless that is visible. The list has to be a positioned element.
pub fn scroll_to_current(list: &NodeRef, selector: &str) {
    let Some(list) = list.cast::<HtmlElement>() else { return };
    let current = list.query_selector(selector).ok().flatten();
    let Some(current) = current.and_then(|current| current.dyn_into::<HtmlElement>().ok()) else { return };
    let (top, height) = (current.offset_top(), list.client_height());
    if !(list.scroll_top()..list.scroll_top() + height - current.offset_height()).contains(&top) {
        list.set_scroll_top(top - height / 2);
    }
}
