//! The page header: title, examples, language, theme, help and sharing.

use yew::prelude::*;

use super::select::Select;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::app::prefs::{Preferences, ThemeChoice};
use crate::i18n::Language;
use crate::state::screens::{SCREENS, Screen};

/// The dialogs of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// The list of examples.
    Examples,
    /// The link and the export formats.
    Share,
    /// Shortcuts and preferences.
    Help,
    /// "Go to" a slot or an index.
    GoTo,
}

/// The open dialog, and callbacks that open and close one.
#[derive(Clone)]
pub struct Dialogs {
    /// The open dialog.
    pub dialog: UseStateHandle<Option<Dialog>>,
    /// Opens a dialog.
    pub open: Callback<Dialog>,
    /// Closes the open dialog.
    pub close: Callback<()>,
}

/// The dialogs of a page, all initially closed.
#[hook]
pub fn use_dialogs() -> Dialogs {
    let dialog = use_state_eq(|| None::<Dialog>);
    let open = {
        let dialog = dialog.setter();
        use_callback((), move |which: Dialog, ()| dialog.set(Some(which)))
    };
    let close = {
        let dialog = dialog.setter();
        use_callback((), move |(), ()| dialog.set(None))
    };
    Dialogs { dialog, open, close }
}

/// Properties of [`Header`].
#[derive(Clone, PartialEq, Properties)]
pub struct HeaderProps {
    /// The current screen.
    pub screen: Screen,
    /// Opens a dialog.
    pub open: Callback<Dialog>,
    /// The dialog that is being loaded.
    #[prop_or_default]
    pub busy: Option<Dialog>,
}

/// The page header.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let context = use_app_context();
    let open = |dialog: Dialog| {
        let open = props.open.clone();
        Callback::from(move |_: MouseEvent| open.emit(dialog))
    };
    let busy = |dialog: Dialog| (props.busy == Some(dialog)).then_some("true");
    let languages: Vec<(AttrValue, AttrValue)> =
        Language::all().map(|l| (l.tag().into(), l.name().into())).collect();
    let choose_language = {
        let context = context.clone();
        Callback::from(move |tag: AttrValue| {
            let language = Some(tag.to_string());
            context.set_preferences.emit(Preferences { language, ..context.preferences.clone() });
        })
    };
    let toggle_theme = {
        let context = context.clone();
        Callback::from(move |_: MouseEvent| {
            let theme = if context.is_dark { ThemeChoice::Light } else { ThemeChoice::Dark };
            context.set_preferences.emit(Preferences { theme, ..context.preferences.clone() });
        })
    };
    let tab = |screen: &Screen| {
        let is_current = *screen == props.screen;
        // Another screen opens in the state in which this tab left it, by default in its initial state.
        let stored_link = (!is_current).then(|| link::stored_screen_link(screen.bundle)).flatten();
        let href = format!("#{}", stored_link.as_deref().unwrap_or(screen.fragment));
        let onclick = {
            // Only the Ops screen has another page at its link, the gallery.
            let stays = is_current && props.screen.is_landing;
            Callback::from(move |event: MouseEvent| {
                if stays {
                    event.prevent_default();
                }
            })
        };
        html! {
            <a class="screen" {href} {onclick} aria-current={is_current.then_some("page")}>
                <b>{context.text_of_key(screen.title)}</b><small>{context.text_of_key(screen.tagline)}</small>
            </a>
        }
    };
    let theme_label = context.text_of_key(if context.is_dark { "theme-to-light" } else { "theme-to-dark" });
    html! {
        <header class="top">
            <h1 class="brand">{"XLA Playground"}</h1>
            <nav class="screens" aria-label={context.text_of_key("screens")}>
                {for SCREENS.iter().map(tab)}
            </nav>
            <div class="end">
                if props.screen.is_landing {
                    <button class="btn" id="examples" onclick={open(Dialog::Examples)} aria-busy={busy(Dialog::Examples)}>{context.text_of_key("examples")}</button>
                }
                <Select id="language" label={context.text_of_key("language")} hide_label=true options={languages}
                    value={context.language.tag()} onchange={choose_language} />
                <button class="btn icon" id="theme" onclick={toggle_theme} aria-label={theme_label.clone()}
                    title={theme_label}>
                    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
                        <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />
                        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
                    </svg>
                </button>
                <button class="btn icon" id="help" onclick={open(Dialog::Help)} aria-busy={busy(Dialog::Help)} aria-label={context.text_of_key("help")}
                    title={context.text_of_key("help")}>{"?"}</button>
                <button class="btn primary" id="share" onclick={open(Dialog::Share)} aria-busy={busy(Dialog::Share)}>{context.text_of_key("share")}</button>
            </div>
        </header>
    }
}
