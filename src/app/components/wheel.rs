//! Wheel events that can be prevented from scrolling the page. Yew's listeners are passive, so this module adds its
//! own.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, WheelEvent};
use yew::prelude::*;

/// Calls `turned` for each wheel event on the element; it may prevent the event's default.
#[hook]
pub fn use_wheel(node: NodeRef, turned: Callback<WheelEvent>) {
    // The listener stays; it calls the latest callback.
    let present = use_mut_ref(|| turned.clone());
    *present.borrow_mut() = turned;
    // The element may be created and removed: the effect runs after every rendering.
    let attached = use_mut_ref(|| None::<(Element, EventListener)>);
    use_effect(move || {
        let element = node.cast::<Element>();
        let mut attached = attached.borrow_mut();
        if attached.as_ref().map(|(element, _)| element) != element.as_ref() {
            *attached = element.map(|element| {
                let options = EventListenerOptions::enable_prevent_default();
                let listener = EventListener::new_with_options(&element, "wheel", options, move |event| {
                    if let Some(event) = event.dyn_ref::<WheelEvent>() {
                        let turned = present.borrow().clone();
                        turned.emit(event.clone());
                    }
                });
                (element, listener)
            });
        }
    });
}
