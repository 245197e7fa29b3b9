//! The legend of the colours: a bar from the lowest to the highest value, with both as numbers.

use yew::prelude::*;

use crate::app::canvas::SharedArray;
use crate::app::context::use_app_context;
use crate::state::document::ColourBy;

/// Properties of [`Legend`].
#[derive(Clone, PartialEq, Properties)]
pub struct LegendProps {
    /// The array.
    pub array: SharedArray,
}

/// The bar.
#[component]
pub fn Legend(props: &LegendProps) -> Html {
    let context = use_app_context();
    let (colours, low, high) = props.array.0.legend();
    let stops: Vec<String> = colours.iter().map(ToString::to_string).collect();
    let style = format!("background:linear-gradient(90deg,{})", stops.join(","));
    let what = match props.array.0.colours_show() {
        ColourBy::Slot => context.text_of_key("word-slot"),
        ColourBy::Value => context.text_of_key("value"),
    };
    html! {
        <p class="legend">
            <span>{what}{" "}<b>{low}</b></span><i {style}></i><b>{high}</b>
        </p>
    }
}
