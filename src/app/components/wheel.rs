//! Turns of the wheel that may be kept from scrolling the page. The framework listens to the wheel passively, so this
//! listens itself.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, WheelEvent};
use yew::prelude::*;

/// Calls `turned` for each turn over the element; it may prevent the event's default.
#[hook]
pub fn use_wheel(node: NodeRef, turned: Callback<WheelEvent>) {
    // The callback changes with what is shown; the listener stays and asks for the present one.
    let present = use_mut_ref(|| turned.clone());
    *present.borrow_mut() = turned;
    // The element may come and go with what is shown, so this looks after every rendering.
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
