//! The graph view: its bar, the picture, and the selected instruction.

use yew::prelude::*;

use super::camera::Shot;
use super::drawing::use_drawing;
use super::surface::Surface;
use super::tools::tools;
use crate::app::context::{Context, use_app_context};
use crate::app::program::selected_part::selected_part;
use crate::app::program::view_props::ViewProps;
use crate::i18n::Message;
use crate::view::module_graph::Kind;

/// The message key of a kind of op, and the class of its colour.
fn kind(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Data => ("graph-kind-data", "none"),
        Kind::Contraction => ("graph-kind-contraction", "k1"),
        Kind::Reduction => ("graph-kind-reduction", "k3"),
        Kind::Movement => ("graph-kind-movement", "k2"),
        Kind::Elementwise => ("graph-kind-elementwise", "k0"),
        Kind::Call => ("graph-kind-call", "k4"),
        Kind::Communication => ("graph-kind-communication", "k5"),
        Kind::Unknown => ("graph-kind-unknown", "none"),
    }
}

fn legend(context: &Context) -> Html {
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Unknown).map(|each| {
        let (key, class) = kind(each);
        html! { <li class={class}>{context.text(&Message::program(key))}</li> }
    });
    html! {
        <div class="graph-legend">
            <ul>{for kinds}</ul>
            <p class="dim" id="graph-keys">{context.text(&Message::program("graph-keys"))}</p>
        </div>
    }
}

/// The view.
#[component]
pub fn GraphView(props: &ViewProps) -> Html {
    let context = use_app_context();
    let shot = use_reducer_eq(Shot::default);
    let picture = use_drawing(props, &shot);
    let at = props.selected.as_ref().map(|selected| selected.at);
    let shown = props.reading.details_of(at).cloned();
    html! {
        <div class="graph-view">
            {tools(&context, props, &picture, &shot)}
            <div class="graph-stage">
                <Surface view={props.clone()} {picture} shot={shot.clone()} details={shown.clone()} />
                {legend(&context)}
            </div>
            {selected_part(&context, shown.as_ref(), true, &props.dispatch)}
        </div>
    }
}
