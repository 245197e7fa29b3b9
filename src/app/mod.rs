//! The Yew app: each screen ([`crate::state::screens`]) shows a session ([`crate::state`]) and sends it actions. The Layout screen
//! is [`layout`], the Ops screen [`ops`], the Speed screen [`speed`]; each is a bundle of its own, so that none waits for another's
//! code.
//!
//! Components hold no logic about arrays: what is drawn comes from [`crate::view`], what changes from [`crate::state`], what
//! pointer and keys mean from [`crate::interaction`]. Read [`layout::page`] first.

mod broke;
pub mod canvas;
pub mod components;
pub mod context;
pub mod keys;
pub mod layout;
pub mod link;
pub mod linked;
pub mod ops;
pub mod prefs;
pub mod shell;
pub mod speed;

/// Mounts a screen on the page's `#app`.
pub fn mount<C: yew::BaseComponent<Properties: Default>>() {
    if let Some(root) = root() {
        yew::Renderer::<C>::with_root(root).render();
    }
}

/// The element to mount on, emptied of what stood there while the app loaded.
fn root() -> Option<web_sys::Element> {
    broke::watch();
    let root = gloo::utils::document().get_element_by_id("app");
    match &root {
        Some(root) => root.set_inner_html(""),
        None => gloo::console::error!("the page has no #app to mount on"),
    }
    root
}
