//! Wheel events that can be prevented from scrolling the page. Yew's listeners are passive, so this module adds its
//! own.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, WheelEvent};
use yew::prelude::*;

/// Calls `onwheel` for each wheel event on the element; it may prevent the event's default action.
#[hook]
pub fn use_wheel(node: NodeRef, onwheel: Callback<WheelEvent>) {
    // The listener is attached once, and calls the latest callback.
    let latest = use_mut_ref(|| onwheel.clone());
    *latest.borrow_mut() = onwheel;
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
                        let onwheel = latest.borrow().clone();
                        onwheel.emit(event.clone());
                    }
                });
                (element, listener)
            });
        }
    });
}
