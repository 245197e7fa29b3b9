//! The buttons that save the shown value as a file.

use yew::prelude::*;

use crate::app::context::Context;
use crate::i18n::Message;
use crate::worker::program::wire::{SaveFormat, ValueQuery};

/// The formats, with their names and the ids of their buttons.
const FORMATS: [(SaveFormat, &str, &str); 3] = [
    (SaveFormat::Npy, ".npy", "save-npy"),
    (SaveFormat::Npz, ".npz", "save-npz"),
    (SaveFormat::Json, "JSON", "save-json"),
];

/// The buttons.
pub fn save_value(context: &Context, query: &ValueQuery, save: &Callback<(ValueQuery, SaveFormat)>) -> Html {
    let label = context.text(&Message::program("program-save-value"));
    let buttons = FORMATS.iter().map(|(format, name, id)| {
        let (query, format) = (query.clone(), *format);
        let onclick = save.reform(move |_: MouseEvent| (query.clone(), format));
        html! { <button class="btn tiny" id={*id} {onclick} key={*id} aria-label={format!("{label} {name}")}>{*name}</button> }
    });
    html! {
        <div class="row wrap save-value" id="save-value"><span class="dim">{&label}</span>{for buttons}</div>
    }
}
