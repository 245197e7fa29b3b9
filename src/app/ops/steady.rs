//! Keeps a field in its place of the window while one types in it: what grows or shrinks above, as a result of another
//! shape, is scrolled by as much.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use web_sys::HtmlElement;
use yew::prelude::*;

/// The frames that are watched after each letter: about a second, in which a run ends.
const FRAMES: u32 = 60;

/// Where a field is, in pixels: its top in the window, and how far the page is scrolled.
#[derive(Clone, Copy)]
struct Place {
    top: f64,
    scrolled: f64,
}

impl Place {
    fn of(node: &NodeRef) -> Option<Self> {
        let top = node.cast::<HtmlElement>()?.get_bounding_client_rect().top();
        Some(Self { top, scrolled: gloo::utils::window().scroll_y().ok()? })
    }

    /// How far to scroll so that the field is where it was; `None` if the visitor has scrolled. What the browser itself scrolls,
    /// to anchor what is in view, leaves the field in its place.
    fn shift(self, before: Self) -> Option<f64> {
        let (moved, scrolled) = (self.top - before.top, self.scrolled - before.scrolled);
        let is_moved = moved.abs() >= 1.0;
        (!is_moved || scrolled.abs() < 1.0).then_some(if is_moved { moved } else { 0.0 })
    }
}

/// What watches a field: the next frame, and the frames left; 0 if no frame is requested.
#[derive(Default)]
struct Watch {
    frame: Option<AnimationFrame>,
    left: u32,
}

fn watch(node: NodeRef, before: Place, state: &Rc<RefCell<Watch>>) {
    let next = state.clone();
    let frame = request_animation_frame(move |_| {
        let shift = Place::of(&node).and_then(|now| now.shift(before));
        if let Some(shift) = shift.filter(|shift| *shift != 0.0) {
            gloo::utils::window().scroll_by_with_x_and_y(0.0, shift);
        }
        let left = next.borrow().left.saturating_sub(1);
        // A field that is gone, or that the visitor scrolls away from, is watched again at the next keystroke.
        let place = Place::of(&node).filter(|_| left > 0 && shift.is_some());
        next.borrow_mut().left = if place.is_some() { left } else { 0 };
        if let Some(place) = place {
            watch(node, place, &next);
        }
    });
    state.borrow_mut().frame = Some(frame);
}

/// Called before each change by typing, keeps the field of this node in its place.
#[hook]
pub fn use_steady(node: &NodeRef) -> Callback<()> {
    let state = use_mut_ref(Watch::default);
    let node = node.clone();
    Callback::from(move |()| {
        let Some(place) = Place::of(&node) else { return };
        let is_watched = std::mem::replace(&mut state.borrow_mut().left, FRAMES) > 0;
        if !is_watched {
            watch(node.clone(), place, &state);
        }
    })
}
