//! The toolbar of the graph view: the drawn computation, search, zoom and folds.

use yew::prelude::*;

use super::camera::{Move, Shot};
use super::drawing::Picture;
use crate::app::context::{Context, grouped};
use crate::app::program::search::Search;
use crate::app::program::view_props::ViewProps;
use crate::i18n::Message;
use crate::interaction::graph::ZOOM_STEP;
use crate::worker::program::wire::graph::Drawing;
use crate::worker::program::wire::{self, Call, InstructionPath};

/// Draws the computation that a path of calls leads to, and selects `instruction`.
pub fn enter_computation(props: &ViewProps, path: Vec<Call>, instruction: Option<InstructionPath>) {
    props.ask.emit(wire::Query::Graph(wire::graph::Query::Enter(path)));
    if let Some(instruction) = instruction {
        props.dispatch.emit(crate::state::program::session::Action::Select(instruction));
    }
}

/// The calls that lead to the drawn computation, each as a button that draws its caller.
fn crumbs(context: &Context, drawing: &Drawing, props: &ViewProps) -> Html {
    let steps = drawing.path.iter().enumerate().map(|(number, crumb)| {
        let path: Vec<Call> = drawing.path[..number].iter().map(|before| before.call).collect();
        let instruction = InstructionPath { at: crumb.call.at, calls: path.clone() };
        let props = props.clone();
        let onclick = Callback::from(move |_: MouseEvent| enter_computation(&props, path.clone(), Some(instruction.clone())));
        html! {
            <li key={number}><button class="as-link" {onclick}>{&crumb.computation}{" / "}{&crumb.name}</button>{" › "}</li>
        }
    });
    html! {
        <nav class="crumbs" id="graph-path" aria-label={context.text(&Message::program("graph-of").with("name", drawing.name.as_str()))}>
            <ol>{for steps}<li aria-current="true">{&drawing.name}</li></ol>
        </nav>
    }
}

/// The toolbar.
pub fn tools(context: &Context, props: &ViewProps, picture: &Picture, shot: &UseReducerHandle<Shot>) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let zoom = |id: &'static str, sign: Option<&'static str>, key: &'static str, to: Move| {
        let (dispatcher, label) = (shot.dispatcher(), context.text_of_key(key));
        let onclick = Callback::from(move |_: MouseEvent| dispatcher.dispatch(to));
        let shown = sign.map_or_else(|| label.clone(), AttrValue::Static);
        html! { <button class="btn tiny" {id} aria-label={label.clone()} title={label} {onclick}>{shown}</button> }
    };
    let drawing = picture.drawing.as_deref();
    let status = match (picture.percent, drawing) {
        (Some(percent), _) => {
            context.text(&Message::program("graph-laying-out").with("percent", i64::from(percent)))
        }
        (None, Some(drawing)) => {
            let count = grouped(i64::try_from(drawing.nodes).unwrap_or(i64::MAX));
            context.text(&Message::program("graph-nodes").with("count", count))
        }
        (None, None) => AttrValue::default(),
    };
    let fold_all = props.ask.reform(|_: MouseEvent| wire::Query::Graph(wire::graph::Query::FoldAll));
    html! {
        <div class="graph-bar">
            if let Some(drawing) = drawing { {crumbs(context, drawing, props)} }
            <Search found={props.reading.found.clone()} search={props.search.clone()} dispatch={props.dispatch.clone()} />
            <span class="row">
                {zoom("graph-zoom-out", Some("−"), "zoom-out", Move::Zoom(1.0 / ZOOM_STEP, None))}
                {zoom("graph-zoom-in", Some("+"), "zoom-in", Move::Zoom(ZOOM_STEP, None))}
                {zoom("graph-fit", None, "zoom-fit", Move::Fit)}
                <button class="btn tiny" id="graph-fold-all" onclick={fold_all}
                    disabled={!drawing.is_some_and(|drawing| drawing.has_open)}>{text("program-fold-all")}</button>
            </span>
            <span class="dim end" role="status" id="graph-status">{status}
                if drawing.is_some_and(|drawing| drawing.has_oversized) { {" · "}{text("graph-oversized")} }
            </span>
        </div>
    }
}
