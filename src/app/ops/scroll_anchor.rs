//! Keeps a field in its place of the window while one types in it: what grows or shrinks above, as a result of another
//! shape, is scrolled by as much.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use web_sys::{Element, HtmlElement};
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

    /// How far to scroll so that the field is where it was. Scrolling alone is what the visitor wanted.
    fn shift(self, before: Self) -> f64 {
        let (moved, scrolled) = (self.top - before.top, self.scrolled - before.scrolled);
        if (moved + scrolled).abs() < 1.0 { 0.0 } else { moved }
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
        // A visitor who leaves the field scrolls on purpose.
        let is_focused =
            node.cast::<Element>().is_some_and(|node| gloo::utils::document().active_element() == Some(node));
        let shift = Place::of(&node).filter(|_| is_focused).map_or(0.0, |now| now.shift(before));
        if shift != 0.0 {
            gloo::utils::window().scroll_by_with_x_and_y(0.0, shift);
        }
        let left = next.borrow().left.saturating_sub(1);
        // A field that is gone or left is no longer watched; it is watched again at the next keystroke.
        let place = Place::of(&node).filter(|_| is_focused && left > 0);
        next.borrow_mut().left = if place.is_some() { left } else { 0 };
        if let Some(place) = place {
            watch(node, place, &next);
        }
    });
    state.borrow_mut().frame = Some(frame);
}

/// Called before each change by typing, keeps the field of this node in its place.
#[hook]
pub fn use_scroll_anchor(node: &NodeRef) -> Callback<()> {
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
