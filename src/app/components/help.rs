//! Help: shortcuts, how to read the picture, and preferences.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::modal::Modal;
use super::select::Select;
use crate::app::context::{Context, use_app_context};
use crate::app::prefs::{ColourMapChoice, Preferences};

/// Properties of [`Help`].
#[derive(Clone, PartialEq, Properties)]
pub struct HelpProps {
    /// Shortcuts and their descriptions.
    pub keys: Vec<(&'static str, AttrValue)>,
    /// How to read the picture.
    pub notes: Vec<AttrValue>,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The link to the lecture in the language of the page.
pub fn lecture_link(context: &Context, id: &'static str) -> Html {
    let tag = context.language.tag();
    let href = if tag == "zh-Hans" { "demo/lecture.zh-Hans.html" } else { "demo/lecture.html" };
    html! { <a class="lecture" {id} {href}>{context.text_of_key("lecture")}</a> }
}

/// Shortcuts, how to read the picture, and preferences.
#[component]
pub fn Help(props: &HelpProps) -> Html {
    let context = use_app_context();
    let keys = props.keys.iter().map(|(keys, does)| {
        html! { <><dt><kbd>{*keys}</kbd></dt><dd>{does}</dd></> }
    });
    let toggle_letters = {
        let context = context.clone();
        Callback::from(move |event: Event| {
            let letter_keys = event.target_unchecked_into::<HtmlInputElement>().checked();
            context.set_preferences.emit(Preferences { letter_keys, ..context.preferences.clone() });
        })
    };
    let maps = vec![
        ("viridis".into(), context.text_of_key("map-viridis")),
        ("cividis".into(), context.text_of_key("map-cividis")),
    ];
    let choose_map = {
        let context = context.clone();
        Callback::from(move |value: AttrValue| {
            let colour_map =
                if value == "cividis" { ColourMapChoice::Cividis } else { ColourMapChoice::Viridis };
            context.set_preferences.emit(Preferences { colour_map, ..context.preferences.clone() });
        })
    };
    let map = if context.preferences.colour_map == ColourMapChoice::Cividis { "cividis" } else { "viridis" };
    html! {
        <Modal id="help-dialog" title={context.text_of_key("help")} close={props.close.clone()}>
            <h3>{context.text_of_key("help-reading")}</h3>
            <ul class="notes">{for props.notes.iter().map(|note| html! { <li>{note}</li> })}</ul>
            <p>{lecture_link(&context, "lecture-help")}</p>
            <h3>{context.text_of_key("keys")}</h3>
            <dl class="keys">{for keys}</dl>
            <h3>{context.text_of_key("preferences")}</h3>
            <div class="fields">
                <span class="field row">
                    <label for="letter-keys">{context.text_of_key("letter-keys")}</label>
                    <input type="checkbox" id="letter-keys" checked={context.preferences.letter_keys}
                        onchange={toggle_letters} />
                </span>
                <Select id="value-map" label={context.text_of_key("value-map")} options={maps} value={map}
                    onchange={choose_map} />
            </div>
        </Modal>
    }
}
