//! Replicas side by side: the values and the host state of each, with the source cells of the selected cell highlighted in
//! all of them.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::canvas::SharedArray;
use crate::app::components::grid_canvas::{CellAction, GridCanvas};
use crate::app::components::select::use_select_value;
use crate::app::context::use_app_context;
use crate::array::index::row_major_index;
use crate::array::{ArrayLiteral, Dims};
use crate::hlo::{DeviceSource, InstructionId};
use crate::i18n::Message;
use crate::ops::{CellAt, Data, Source};
use crate::state::document::ColourBy;
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::{REPLICA_STEP, replica_argument};
use crate::state::experiment::run::devices::HostState;
use crate::state::experiment::run::{FinishedRun, leaves};
use crate::state::experiment::session::Action;
use crate::state::experiment::state::{Environment, MAX_REPLICAS};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::view::sources::{CellHighlights, HighlightedCell, operand_highlights};

/// Properties of [`Replicas`].
#[derive(Clone, PartialEq, Properties)]
pub struct ReplicasProps {
    /// The experiment with its replicas.
    pub experiment: Rc<Experiment>,
    /// The parsed module of the experiment.
    pub module: super::super::attributes::SharedModule,
    /// The values of the selected replica.
    pub finished: Option<FinishedRun>,
    /// The host state of each replica.
    pub host_states: Option<Vec<HostState>>,
    /// The selected instruction.
    pub focus: InstructionId,
    /// The highlighted cell of its value.
    pub at: Option<CellAt>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// An array of a replica.
#[derive(Clone, PartialEq)]
struct ReplicaArray {
    name: String,
    /// Its parameter; `None` for the result.
    parameter: Option<usize>,
    path: Vec<usize>,
    array: SharedArray,
}

/// The number of replicas, and a card for each.
#[component]
pub fn Replicas(props: &ReplicasProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let environment = props.experiment.environment.clone();
    let onchange = {
        let (dispatch, environment) = (props.dispatch.clone(), environment.clone());
        Callback::from(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().value();
            let Ok(replicas) = chosen.parse::<usize>() else { return };
            let selected_replica = environment.selected_replica.min(replicas.saturating_sub(1));
            let next = Environment { replicas, selected_replica, ..environment.clone() };
            dispatch.emit(Action::SetEnvironment(Box::new(next)));
        })
    };
    let chosen = use_select_value(environment.replicas.to_string());
    let options = (1..=MAX_REPLICAS).map(|count| {
        html! { <option value={count.to_string()} selected={count == environment.replicas}>{count}</option> }
    });
    // The source cells on all replicas.
    let sources: Vec<DeviceSource> = props
        .finished
        .as_ref()
        .zip(props.at.as_ref())
        .and_then(|(finished, at)| finished.origins_on_all_replicas(props.focus, at))
        .unwrap_or_default();
    let others = sources.iter().filter(|source| source.device != environment.selected_replica).count();
    let cards = (0..environment.replicas).map(|device| {
        let sources_of_replica = sources.iter().filter(|source| source.device == device).map(|source| source.source.clone());
        let host_state = props.host_states.as_ref().and_then(|host_states| host_states.get(device)).cloned();
        html! {
            <Card key={device} {device} experiment={props.experiment.clone()} module={props.module.clone()} finished={props.finished.clone()}
                focus={props.focus} sources={sources_of_replica.collect::<Vec<Source>>()} {host_state} at={props.at.clone()} dispatch={props.dispatch.clone()} />
        }
    });
    let rule = Message::ops("replicas-rule").with("step", REPLICA_STEP);
    let crossed = Message::ops("replicas-crossed").with("count", others);
    html! {
        <div class="world-part" id="replicas">
            <h3>{text("replicas")}</h3>
            <div class="row wrap">
                <label for="replica-count">{text("replicas-count")}</label>
                <select class="btn small" id="replica-count" ref={chosen} {onchange}>{for options}</select>
                if environment.replicas > 1 { <span class="dim">{context.text(&rule)}</span> }
            </div>
            if environment.replicas > 1 {
                <div class="cards" style={format!("--columns:{}", environment.replicas.min(MAX_CARDS_PER_ROW))}>{for cards}</div>
                if props.finished.is_some() { <p id="crossed">{context.text(&crossed)}</p> }
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CardProps {
    device: usize,
    experiment: Rc<Experiment>,
    module: super::super::attributes::SharedModule,
    finished: Option<FinishedRun>,
    focus: InstructionId,
    sources: Vec<Source>,
    /// Its host state, once the run has ended.
    host_state: Option<HostState>,
    at: Option<CellAt>,
    dispatch: Callback<Action>,
}

/// The arrays of a replica: the parameters that the instruction depends on, and the instruction's value.
fn replica_arrays(props: &CardProps, map: ColourMap) -> Vec<ReplicaArray> {
    let view = |array: std::sync::Arc<ArrayLiteral>| {
        SharedArray(Rc::new(ArrayView::from_literal(array, ColourBy::Value, map).without_value_colours()))
    };
    let Some(entry) = props.module.0.entry_computation() else { return Vec::new() };
    let numbers: Vec<usize> = match &props.finished {
        Some(finished) => {
            finished.parameter_dependencies(props.focus).into_iter().map(|(number, _)| number).collect()
        }
        None => (0..entry.parameters.len()).collect(),
    };
    let parameters = numbers.into_iter().filter_map(|number| {
        let instruction = entry.get(*entry.parameters.get(number)?)?;
        let literal = replica_argument(&props.experiment, &instruction.shape, props.device, number).ok()?;
        Some((instruction.name.clone(), Some(number), Data::from(literal)))
    });
    let result = props
        .finished
        .as_ref()
        .and_then(|finished| finished.value_on_replica(props.device, props.focus).cloned());
    let result = result.map(|data| ("out".to_owned(), None, data));
    parameters
        .chain(result)
        .flat_map(|(name, parameter, data)| {
            let replica_array = move |(path, array): (Vec<usize>, std::sync::Arc<ArrayLiteral>)| {
                let part = path.iter().fold(name.clone(), |name, i| name + "." + &i.to_string());
                ReplicaArray { name: part, parameter, path, array: view(array) }
            };
            leaves(&data).into_iter().map(replica_array).collect::<Vec<_>>()
        })
        .collect()
}

/// Maximum number of arrays displayed per replica.
const MAX_ARRAYS: usize = 8;

/// Maximum number of cards next to each other.
const MAX_CARDS_PER_ROW: usize = 4;

/// Maximum height of a replica's grid, and maximum side of its cells.
const MAX_GRID_PIXELS: f64 = 150.0;
const MAX_CELL_PIXELS: f64 = 40.0;

#[component]
fn Card(props: &CardProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let map = context.preferences.colour_map.colours();
    let key = (props.experiment.clone(), props.finished.clone(), props.focus, props.device, map);
    let arrays = use_memo(key, |_| replica_arrays(props, map));
    let is_selected = props.experiment.environment.selected_replica == props.device;
    let title = Message::ops("replica").with("number", props.device);
    let select_replica = {
        let device = props.device;
        props.dispatch.reform(move |_: MouseEvent| Action::SelectReplica(device))
    };
    let has_own_values =
        props.experiment.environment.values.keys().any(|(replica, _)| *replica == props.device);
    let reset = {
        let (device, mut next) = (props.device, props.experiment.environment.clone());
        next.values.retain(|(replica, _), _| *replica != device);
        props.dispatch.reform(move |_: MouseEvent| Action::SetEnvironment(Box::new(next.clone())))
    };
    // The result comes last and is always displayed.
    let omitted = arrays.len().saturating_sub(MAX_ARRAYS);
    let first = arrays.len().saturating_sub(1).min(MAX_ARRAYS - 1);
    let is_shown = |number: usize| number < first || number + 1 == arrays.len();
    let grids = arrays.iter().enumerate().filter(|(number, _)| is_shown(*number)).map(|(number, each)| {
        let cells: Vec<HighlightedCell> = match each.parameter {
            // Cells on several replicas have no single evaluation order.
            Some(parameter) => operand_highlights(&props.sources, parameter, &each.path)
                .into_iter()
                .map(|cell| HighlightedCell { order: 0, ..cell })
                .collect(),
            None => Vec::new(),
        };
        let is_at = |at: &&CellAt| is_selected && each.parameter.is_none() && at.path.as_slice() == each.path.as_slice();
        let cursor: Option<Dims> = props.at.as_ref().filter(is_at).map(|at| at.index.clone());
        let shape = each.array.0.shape();
        let label = Message::ops("replica-array")
            .with("number", props.device)
            .with("name", each.name.as_str())
            .with("shape", shape.human_string());
        let cell_description = match &cursor {
            Some(index) => context.text(&Message::ops("operand-cell")
                .with("index", index.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
                .with("value", each.array.0.label(index, 24))),
            None => context.text(&Message::ops("replica-lit").with("count", cells.len())),
        };
        let choose = {
            let (dispatch, device, is_result) = (props.dispatch.clone(), props.device, each.parameter.is_none());
            let sizes = shape.dimensions.clone();
            Callback::from(move |action: CellAction| {
                dispatch.emit(Action::SelectReplica(device));
                if let CellAction::MoveCursor { index, .. } = action && is_result {
                    dispatch.emit(Action::MoveCursor(row_major_index(&index, &sizes)));
                }
            })
        };
        let highlights = CellHighlights { cells, cursor: cursor.clone(), ..CellHighlights::default() };
        html! {
            <div key={number}>
                <h4>{&each.name}{" "}<code class="dim">{shape.human_string()}</code></h4>
                <GridCanvas<CellHighlights> id={format!("replica-{}-{number}", props.device)} label={context.text(&label)}
                    array={each.array.clone()} max_height={MAX_GRID_PIXELS} max_cell_px={MAX_CELL_PIXELS} {highlights} has_legend=false {cursor} {cell_description}
                    hover={Callback::noop()} {choose} />
            </div>
        }
    });
    html! {
        <section class={classes!("card", is_selected.then_some("here"))} aria-label={context.text(&title)}>
            <div class="row wrap">
                <button class="btn small" id={format!("replica-{}", props.device)} onclick={select_replica} aria-pressed={is_selected.to_string()}>
                    {context.text(&title)}
                </button>
            </div>
            {for grids}
            if omitted > 0 {
                <p class="dim">{context.text(&Message::ops("replica-more").with("count", omitted))}</p>
            }
            if has_own_values {
                <button class="btn tiny" id={format!("replica-{}-reset", props.device)} onclick={reset}>{text("replica-reset")}</button>
            }
            if props.finished.is_none() {
                if let Some(host_state) = &props.host_state {
                    <p class={classes!(if host_state.waits_for.is_some() { "waits" } else { "dim" })}>
                        {host_state.waits_for.as_ref().map_or_else(|| text("replica-finished"), |waits| context.text(waits))}
                    </p>
                }
            }
        </section>
    }
}
