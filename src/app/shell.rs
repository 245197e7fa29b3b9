//! Provides preferences, theme and language to a screen.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::prelude::*;

use super::context::Context;
use super::prefs::{OtherTabs, Preferences, system_dark};
use super::translation::use_language;
use crate::i18n::Domain;

/// Properties of [`Shell`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShellProps {
    /// The message domains of the screen.
    pub domains: &'static [Domain],
    /// The content of the current screen.
    pub children: Html,
}

/// Provides the context to the screen.
#[component]
pub fn Shell(props: &ShellProps) -> Html {
    let preferences = use_state_eq(Preferences::load);
    // Its changes re-render; `is_dark` queries the system itself.
    let prefers_dark = use_state_eq(|| system_dark().is_some_and(|q| q.matches()));
    {
        let prefers_dark = prefers_dark.clone();
        use_effect_with((), move |()| {
            let query = system_dark();
            let listener = Closure::<dyn FnMut()>::new(move || {
                prefers_dark.set(system_dark().is_some_and(|q| q.matches()));
            });
            if let Some(query) = &query {
                query.set_onchange(Some(listener.as_ref().unchecked_ref()));
            }
            move || {
                if let Some(query) = query {
                    query.set_onchange(None);
                }
                drop(listener);
            }
        });
    }
    {
        let preferences = preferences.clone();
        use_effect_with((), move |()| {
            let tabs = OtherTabs::listen(move |changed| preferences.set(changed));
            move || drop(tabs)
        });
    }
    let set_preferences = {
        let preferences = preferences.clone();
        Callback::from(move |new: Preferences| {
            new.save(&preferences);
            preferences.set(new);
        })
    };
    let is_dark = preferences.is_dark();
    let (language, problem) = use_language(props.domains, preferences.language());
    use_effect_with((is_dark, language.tag()), move |(is_dark, tag)| {
        if let Some(root) = gloo::utils::document().document_element() {
            let _ = root.set_attribute("data-theme", if *is_dark { "dark" } else { "light" });
            let _ = root.set_attribute("lang", tag);
        }
    });
    let context = Context { preferences: (*preferences).clone(), language, is_dark, set_preferences };
    let problem = problem.map(|problem| {
        html! { <p class="notice" role="alert" id="language-problem">{context.text(&problem)}</p> }
    });
    html! { <ContextProvider<Context> {context}>{problem}{props.children.clone()}</ContextProvider<Context>> }
}
