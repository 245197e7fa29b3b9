//! The Yew app: one page that shows a [`Session`](crate::state::session::Session) and sends it actions.
//!
//! Components hold no logic about arrays: what is drawn comes from [`crate::view`], what changes from
//! [`crate::state`]. Read [`page`] first.

pub mod canvas;
pub mod components;
pub mod context;
pub mod keys;
pub mod link;
pub mod page;
pub mod prefs;

/// Mounts the app on the page's `#app`.
pub fn mount() {
    console_error_panic_hook::set_once();
    let Some(root) = gloo::utils::document().get_element_by_id("app") else {
        gloo::console::error!("the page has no #app to mount on");
        return;
    };
    // What stood there while the app loaded.
    root.set_inner_html("");
    yew::Renderer::<page::App>::with_root(root).render();
}
