//! Keeps the focus on the page: if the focused control disappears or is disabled, the focus moves to what is around it, instead of
//! being lost to the document, where a screen reader says nothing and keys have no effect.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, FocusOptions, HtmlElement, MutationObserver, MutationObserverInit};
use yew::prelude::*;

thread_local! {
    /// The element that got the focus last because the one that had it disappeared.
    static STAND_IN: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Whether the focus is lost, or only kept by an element around the one that had it.
pub fn is_focus_kept() -> bool {
    let Some(active) = gloo::utils::document().active_element() else { return true };
    active.tag_name() == "BODY" || STAND_IN.with_borrow(|stand_in| stand_in.as_ref() == Some(&active))
}

/// Observes the document until it is dropped.
struct Keeper {
    observer: MutationObserver,
    _callback: Closure<dyn FnMut()>,
    _listeners: [EventListener; 2],
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// The element that has the focus, with everything around it, the innermost first.
type Path = Rc<RefCell<Vec<Element>>>;

impl Keeper {
    fn new(homes: &'static [&'static str]) -> Option<Self> {
        let document = gloo::utils::document();
        let path = Path::default();
        let listener = {
            let path = path.clone();
            EventListener::new(&document, "focusin", move |event| {
                let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
                *path.borrow_mut() =
                    std::iter::successors(target, |element| element.parent_element()).collect();
            })
        };
        // Who uses the stand-in has found it: the focus stays there.
        let on_key = EventListener::new(&document, "keydown", |_| STAND_IN.set(None));
        let mut lost_path = Vec::new();
        let callback = Closure::<dyn FnMut()>::new(move || {
            let active = gloo::utils::document().active_element();
            let is_stand_in = STAND_IN.with_borrow(|stand_in| stand_in.is_some() && *stand_in == active);
            // A nearer home may appear later: the picture of a value is replaced by that of another.
            if !is_stand_in {
                if !is_lost(&path.borrow(), active.as_ref()) {
                    return;
                }
                lost_path.clone_from(&path.borrow());
            }
            if let Some(home) = home_of(&lost_path, homes).filter(|home| active.as_ref() != Some(home)) {
                STAND_IN.set(Some(home.clone().into()));
                let options = FocusOptions::new();
                options.set_prevent_scroll(true);
                // This fails only for an element that cannot have the focus.
                let _ = home.focus_with_options(&options);
            }
        });
        let observer = MutationObserver::new(callback.as_ref().unchecked_ref()).ok()?;
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_subtree(true);
        options.set_attribute_filter(&js_sys::Array::of1(&"disabled".into()));
        observer.observe_with_options(&document, &options).ok()?;
        Some(Self { observer, _callback: callback, _listeners: [listener, on_key] })
    }
}

/// Whether the element at the start of the path has lost the focus because it disappeared or was disabled.
fn is_lost(path: &[Element], active: Option<&Element>) -> bool {
    path.first().is_some_and(|focused| {
        (!focused.is_connected() || focused.matches(":disabled").unwrap_or(false))
            && active.is_none_or(|active| active.tag_name() == "BODY" || active == focused)
    })
}

/// Where the focus goes from a path: to the first home in the nearest element around its start.
fn home_of(path: &[Element], homes: &[&str]) -> Option<HtmlElement> {
    let around = path.iter().skip(1).filter(|element| element.is_connected());
    let mut found = around.flat_map(|element| homes.iter().map(move |home| element.query_selector(home)));
    found.find_map(|found| found.ok().flatten()?.dyn_into().ok())
}

/// Keeps the focus: a lost one moves to the first of these selectors that is found in the nearest element around.
#[hook]
pub fn use_focus_keeper(homes: &'static [&'static str]) {
    use_effect_with((), move |()| {
        let keeper = Keeper::new(homes);
        move || drop(keeper)
    });
}
