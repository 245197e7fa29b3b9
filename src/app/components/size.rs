//! The size of an element, updated when it changes.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::request_animation_frame;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{DomRectReadOnly, Element, ResizeObserver, ResizeObserverEntry};
use yew::prelude::*;

/// The inner width of the element, in whole CSS pixels; 0 before layout.
#[hook]
pub fn use_width(node: NodeRef) -> f64 {
    use_measured(node, |rect| (rect.width().floor(), 0.0)).0
}

/// The inner width and height of the element, in whole CSS pixels; 0 before layout.
#[hook]
pub fn use_size(node: NodeRef) -> (f64, f64) {
    use_measured(node, |rect| (rect.width().floor(), rect.height().floor()))
}

#[hook]
fn use_measured(node: NodeRef, measure: fn(&DomRectReadOnly) -> (f64, f64)) -> (f64, f64) {
    let size = use_state_eq(|| (0.0, 0.0));
    {
        let size = size.clone();
        use_effect_with(node, move |node| {
            // Rendering is deferred: within the observer's callback it could change the observed size again.
            let frame = Rc::new(RefCell::new(None));
            let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
                if let Ok(entry) = entries.get(0).dyn_into::<ResizeObserverEntry>() {
                    let (size, new) = (size.clone(), measure(&entry.content_rect()));
                    *frame.borrow_mut() = Some(request_animation_frame(move |_| size.set(new)));
                }
            });
            let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, node.cast::<Element>()) {
                observer.observe(&element);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(callback);
            }
        });
    }
    *size
}
