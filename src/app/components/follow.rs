//! Scrolls the page after a jump or an arriving link, so that the cell is visible both in the grid and in memory.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use web_sys::{DomRect, HtmlInputElement};
use yew::prelude::*;

/// The elements at the cell of the cursor, in the order of their importance.
const CELLS: [&str; 2] = ["grid-cell", "strip-slot"];

/// The frames in which the page is scrolled after a jump, about a sixth of a second.
const FRAMES: u32 = 10;

/// Space between a cell and the edge of the window, in pixels.
const MARGIN: f64 = 16.0;

thread_local! {
    /// Whether the cursor was moved in a picture, where the user is looking already.
    static IS_IN_PICTURE: Cell<bool> = const { Cell::new(false) };
}

/// Notes that the cursor is about to be moved in a picture: the page stays where it is.
pub fn moves_in_picture() {
    IS_IN_PICTURE.set(true);
}

/// Follows the cursor, once its pictures have a size.
#[hook]
pub fn use_page_follows(cursor: Option<i64>, is_ready: bool) {
    // A link without a step opens at slot 0, at the top of the page.
    let before = use_mut_ref(|| 0_i64);
    use_effect_with((cursor, is_ready), move |(cursor, is_ready)| {
        let jump = cursor.filter(|_| *is_ready).is_some_and(|slot| {
            let is_step = (before.replace(slot) - slot).abs() <= 1;
            !(IS_IN_PICTURE.replace(false) || is_step || is_sliding())
        });
        let frames = Frames::default();
        if jump {
            scroll_in_frames(FRAMES, &frames);
        }
        move || frames.borrow_mut().clear()
    });
}

/// The requested frames; dropping one cancels it.
type Frames = Rc<RefCell<Vec<AnimationFrame>>>;

/// Scrolls in each of the next frames: pictures that are panned, a dialog that closes and a page that opens take some of
/// them until every cell is at its place.
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

/// Whether a slider has the focus: the page must not move while one drags it.
fn is_sliding() -> bool {
    let focused = gloo::utils::document().active_element();
    let input = focused.and_then(|element| wasm_bindgen::JsCast::dyn_into::<HtmlInputElement>(element).ok());
    input.is_some_and(|input| input.type_() == "range")
}

/// Scrolls as little as needed to show the cells of all pictures, or that of the first if they do not fit together.
fn scroll() {
    let document = gloo::utils::document();
    let rect = |id: &str| document.get_element_by_id(id).map(|element| element.get_bounding_client_rect());
    let cells: Vec<DomRect> = CELLS.iter().filter_map(|id| rect(id)).collect();
    let Some(first) = cells.first() else { return };
    let window = gloo::utils::window();
    let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0);
    // The player covers the bottom of the window.
    let player = document.query_selector(".player").ok().flatten();
    let bottom = player.map_or(height, |player| player.get_bounding_client_rect().top().min(height)) - MARGIN;
    let (mut from, mut to) = (first.top(), first.bottom());
    for cell in &cells[1..] {
        let (top, end) = (from.min(cell.top()), to.max(cell.bottom()));
        if end - top <= bottom - MARGIN {
            (from, to) = (top, end);
        }
    }
    let by = if from < MARGIN {
        from - MARGIN
    } else if to > bottom {
        (to - bottom).min(from - MARGIN)
    } else {
        return;
    };
    window.scroll_by_with_x_and_y(0.0, by);
}
