//! Scroll anchoring for a field: while the user types in it, the page is scrolled to compensate for content above that grows
//! or shrinks, such as a result of another shape.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The animation frames in which a field is anchored after each keystroke: about a second, in which a run finishes.
const ANCHORED_FRAMES: u32 = 60;

/// The position of a field in pixels: its top in the window, and the scroll offset of the page.
#[derive(Clone, Copy)]
struct Position {
    top: f64,
    scroll_y: f64,
}

impl Position {
    fn measure(node: &NodeRef) -> Option<Self> {
        let top = node.cast::<HtmlElement>()?.get_bounding_client_rect().top();
        Some(Self { top, scroll_y: gloo::utils::window().scroll_y().ok()? })
    }

    /// The scroll distance that restores the field's position in the window; 0 if it only moved by the user's scrolling.
    fn correction(self, before: Self) -> f64 {
        let (moved, scrolled) = (self.top - before.top, self.scroll_y - before.scroll_y);
        if (moved + scrolled).abs() < 1.0 { 0.0 } else { moved }
    }
}

/// The state of an anchor: the requested frame, and the number of remaining frames; 0 if no frame is requested.
#[derive(Default)]
struct Anchor {
    frame: Option<AnimationFrame>,
    remaining: u32,
}

fn anchor(node: NodeRef, before: Position, state: &Rc<RefCell<Anchor>>) {
    let next = state.clone();
    let frame = request_animation_frame(move |_| {
        // Without the focus in the field, the user scrolls on purpose.
        let is_focused =
            node.cast::<Element>().is_some_and(|node| gloo::utils::document().active_element() == Some(node));
        let correction = Position::measure(&node)
            .filter(|_| is_focused)
            .map_or(0.0, |position| position.correction(before));
        if correction != 0.0 {
            gloo::utils::window().scroll_by_with_x_and_y(0.0, correction);
        }
        let remaining = next.borrow().remaining.saturating_sub(1);
        // A removed or unfocused field is released until the next keystroke.
        let position = Position::measure(&node).filter(|_| is_focused && remaining > 0);
        next.borrow_mut().remaining = if position.is_some() { remaining } else { 0 };
        if let Some(position) = position {
            anchor(node, position, &next);
        }
    });
    state.borrow_mut().frame = Some(frame);
}

/// A callback that anchors the field of this node; to be called before each change by typing.
#[hook]
pub fn use_scroll_anchor(node: &NodeRef) -> Callback<()> {
    let state = use_mut_ref(Anchor::default);
    let node = node.clone();
    Callback::from(move |()| {
        let Some(position) = Position::measure(&node) else { return };
        let is_anchored = std::mem::replace(&mut state.borrow_mut().remaining, ANCHORED_FRAMES) > 0;
        if !is_anchored {
            anchor(node.clone(), position, &state);
        }
    })
}
