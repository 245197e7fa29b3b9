//! The legend of the colours: a bar from the lowest to the highest finite value, with both as numbers, and the colours of NaN and
//! the infinities that the array has.

use yew::prelude::*;

use crate::app::canvas::SharedArray;
use crate::app::context::Context;
use crate::state::document::ColourBy;

/// The colour bar with the lowest and the highest value.
pub fn legend(context: &Context, array: &SharedArray) -> Html {
    let bar = array.0.legend().map(|(colours, low, high)| {
        let stops: Vec<String> = colours.iter().map(ToString::to_string).collect();
        let style = format!("background:linear-gradient(90deg,{})", stops.join(","));
        html! { <><b>{low}</b><i {style}></i><b>{high}</b></> }
    });
    let encoded_property = match array.0.colour_by() {
        ColourBy::Slot => context.text_of_key("word-slot"),
        ColourBy::Value => context.text_of_key("value"),
    };
    let non_finite = array.0.non_finite().map(|(name, colour)| {
        html! { <span class="non-finite"><i style={format!("background:{colour}")}></i><b>{name}</b></span> }
    });
    html! {
        <p class="legend">
            <span>{encoded_property}</span>{bar}
            {for non_finite}
        </p>
    }
}
