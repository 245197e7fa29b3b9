//! Converts keyboard events to plain keys, and listens for the page's shortcuts.

use std::cell::RefCell;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, EventTarget, InputEvent, KeyboardEvent};

use crate::interaction::keys::{Command, Key, Target, command};

/// Elements that accept text; sliders and checkboxes do not. The editor is in a shadow tree: its host gets the events.
const FIELDS: &str = "input:not([type=range]):not([type=checkbox]), textarea, dialog, .editor-host";

/// Elements whose typing is not undone by the page.
const SEARCHES: &str = "input[type=search], dialog, .editor-host";

thread_local! {
    /// The field with typing that has not taken effect yet.
    static TYPING: RefCell<Option<EventTarget>> = const { RefCell::new(None) };
}

/// Elements that handle Space.
const CONTROLS: &str = "button, input, summary, a";

/// A property of an event that is text. Extensions and autofill dispatch plain events without it, which `web_sys` cannot read:
/// the result is empty then.
fn text_property(event: &Event, name: &str) -> String {
    js_sys::Reflect::get(event, &name.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
}

/// The name of the key of an event; empty if it has none.
pub fn name(event: &KeyboardEvent) -> String {
    text_property(event, "key")
}

/// How an event changes a field; empty if it does not say.
pub fn input_type(event: &InputEvent) -> String {
    text_property(event, "inputType")
}

/// The key of an event.
pub fn key(event: &KeyboardEvent) -> Key {
    Key {
        name: name(event),
        ctrl: event.ctrl_key(),
        meta: event.meta_key(),
        alt: event.alt_key(),
        shift: event.shift_key(),
    }
}

/// The focused element.
fn target(event: &KeyboardEvent) -> Target {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        // A key event without a target element belongs to the page.
        return Target::default();
    };
    let is_in = |selector: &str| element.closest(selector).is_ok_and(|found| found.is_some());
    let captures_slash = is_in(FIELDS);
    let is_typing = TYPING.with_borrow(|typing| *typing == event.target());
    Target {
        captures_keys: captures_slash || is_in("select"),
        captures_undo: is_typing || is_in(SEARCHES),
        captures_slash,
        captures_space: is_in(CONTROLS),
    }
}

/// Listens for the page's shortcuts; dropping it stops listening.
pub struct PageKeys {
    listener: Closure<dyn Fn(KeyboardEvent)>,
}

/// The events of [`PageKeys`]: keys, and what begins and ends typing. One listener for all is less code; a command that moves the
/// focus calls it while it runs.
const EVENTS: [&str; 4] = ["keydown", "input", "change", "focusout"];

impl PageKeys {
    /// Calls `perform` with each command; `letter_keys_enabled` makes single letters shortcuts. If `perform` returns true,
    /// the browser's default action is prevented.
    pub fn listen(letter_keys_enabled: bool, perform: impl Fn(Command) -> bool + 'static) -> Self {
        let listener = Closure::<dyn Fn(KeyboardEvent)>::new(move |event: KeyboardEvent| {
            let kind = event.type_();
            if kind != EVENTS[0] {
                TYPING.set(event.target().filter(|_| kind == EVENTS[1]));
                return;
            }
            let key = key(&event);
            // It applies what was typed, also where that is what it was before.
            if key.name == "Enter" {
                TYPING.set(None);
            }
            if command(&key, target(&event), letter_keys_enabled).is_some_and(&perform) {
                event.prevent_default();
            }
        });
        let document = gloo::utils::document();
        for name in EVENTS {
            // This cannot fail for a valid event name.
            let _ = document.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
        }
        Self { listener }
    }
}

impl Drop for PageKeys {
    fn drop(&mut self) {
        let document = gloo::utils::document();
        for name in EVENTS {
            let _ =
                document.remove_event_listener_with_callback(name, self.listener.as_ref().unchecked_ref());
        }
    }
}
