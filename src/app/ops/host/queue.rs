//! The infeed queue, which can be edited and observed, and the outfeed.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::problems;
use crate::app::components::window::{use_window, window_bar};
use crate::app::context::use_app_context;
use crate::array::value::text::Exactness;
use crate::array::{Literal, Shape};
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::experiment::arguments::argument;
use crate::state::experiment::arguments::queue_item;
use crate::state::experiment::needs::Needs;
use crate::state::experiment::run::devices::HostState;
use crate::state::experiment::state::{Environment, MAX_QUEUE_ITEMS};

/// Properties of [`Queue`].
#[derive(Clone, PartialEq, Properties)]
pub struct QueueProps {
    /// The shapes that the module reads from the queue.
    pub needs: Needs,
    /// The environment with the items of the queue.
    pub environment: Environment,
    /// The host's state after the last run.
    pub final_state: Option<HostState>,
    /// Changes the queue.
    pub change: Callback<Environment>,
}

/// Maximum number of items whose shapes are displayed.
const MAX_DISPLAYED_SHAPES: usize = 16;

/// A literal on one line.
pub fn line(literal: &Literal) -> String {
    literal.text(Exactness::Xla).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The queue and the outfeed.
#[component]
pub fn Queue(props: &QueueProps) -> Html {
    let context = use_app_context();
    let label_of = |key: &'static str| context.text(&Message::ops(key));
    let environment = &props.environment;
    let read_count = props.final_state.as_ref().map_or(0, |final_state| final_state.infeed_items_read);
    // Only the first malformed item is displayed.
    let is_malformed = |(index, text): (usize, &String)| {
        props.needs.item(index).is_some_and(|shape| queue_item(shape, text).is_err())
    };
    let malformed_item = environment.infeed.iter().enumerate().position(is_malformed);
    let window = use_window(environment.infeed.len(), malformed_item);
    let range = window.range.clone();
    let items = environment.infeed.iter().enumerate().skip(range.start).take(range.len()).map(|(index, text)| {
        let with = |change: &dyn Fn(&mut Vec<String>)| {
            let mut next = environment.clone();
            change(&mut next.infeed);
            next
        };
        let (change, base) = (props.change.clone(), environment.clone());
        let onchange = Callback::from(move |event: Event| {
            let mut next = base.clone();
            if let Some(item) = next.infeed.get_mut(index) {
                *item = event.target_unchecked_into::<HtmlInputElement>().value();
            }
            change.emit(next);
        });
        let without = with(&|items| drop(items.remove(index)));
        let remove = props.change.reform(move |_: MouseEvent| without.clone());
        let is_read = index < read_count;
        let label = Message::ops("queue-item").with("number", index);
        let problem = props.needs.item(index).and_then(|shape| queue_item(shape, text).err()?.values_error());
        let problem_id = format!("feed-{index}-problem");
        let status = if is_read { "queue-taken" } else { "queue-left" };
        let remove_label = Message::ops("queue-remove").with("number", index);
        html! {
            <li key={index} class={classes!(is_read.then_some("taken"))}>
                <input class="text mono" id={format!("feed-{index}")} value={text.clone()} {onchange} spellcheck="false"
                    autocomplete="off" aria-label={context.text(&label)} aria-invalid={problem.is_some().to_string()}
                    aria-describedby={problem.as_ref().map(|_| problem_id.clone())} />
                <span class="dim">{label_of(status)}</span>
                <button class="btn tiny" onclick={remove} aria-label={context.text(&remove_label)} title={context.text(&remove_label)}>{"×"}</button>
                if let Some(problem) = problem {
                    <div class="field-problem" id={problem_id}>{problems::problem_list(&context, &problem, |_| Html::default())}</div>
                }
            </li>
        }
    });
    let add = {
        let (change, mut next) = (props.change.clone(), environment.clone());
        let next_shape = props.needs.item(environment.infeed.len());
        let literal = next_shape.and_then(|shape| argument(shape, &ValueRule::Iota).ok());
        next.infeed.push(literal.map(|literal| line(&literal)).unwrap_or_default());
        Callback::from(move |_: MouseEvent| change.emit(next.clone()))
    };
    let mut shapes: Vec<String> =
        props.needs.items.iter().take(MAX_DISPLAYED_SHAPES).map(Shape::human_string).collect();
    shapes.dedup();
    if props.needs.items.len() > MAX_DISPLAYED_SHAPES {
        shapes.push("…".to_owned());
    }
    let wants = Message::ops("queue-wants").with("shapes", shapes.join(", "));
    let outfeed_items =
        props.final_state.as_ref().map(|final_state| final_state.outfeed_items.clone()).unwrap_or_default();
    let outfeed_window = use_window(outfeed_items.len(), None);
    let is_blocked = props.final_state.as_ref().is_some_and(|final_state| final_state.is_waiting_for_item);
    html! {
        <>
            if !props.needs.items.is_empty() {
                <div class="world-part" id="queue">
                    <h3>{label_of("queue")}</h3>
                    <p class="dim">
                        {context.text(&wants)}
                        if props.needs.devices { {" "}{label_of("queue-each")} }
                    </p>
                    {window_bar(&context, "feed", label_of("queue-window"), &window)}
                    <ol class="queue" start={window.range.start.to_string()}
                        style={format!("counter-reset:item {}", i64::try_from(window.range.start).unwrap_or(0) - 1)}>{for items}</ol>
                    if environment.infeed.is_empty() { <p>{label_of("queue-empty")}</p> }
                    if is_blocked { <p class="waits" id="queue-waits">{label_of("queue-stops")}</p> }
                    <button class="btn small" id="feed-add" onclick={add} disabled={environment.infeed.len() >= MAX_QUEUE_ITEMS}>
                        {label_of("queue-add")}
                    </button>
                </div>
            }
            if props.needs.outfeed {
                <div class="world-part" id="outfeed">
                    <h3>{label_of("outfeed")}</h3>
                    if outfeed_items.is_empty() { <p class="dim">{label_of("outfeed-none")}</p> }
                    {window_bar(&context, "outfeed-items", label_of("outfeed"), &outfeed_window)}
                    <ol class="queue" start={outfeed_window.range.start.to_string()}
                        style={format!("counter-reset:item {}", i64::try_from(outfeed_window.range.start).unwrap_or(0) - 1)}>{for outfeed_items[outfeed_window.range.clone()].iter().map(|literal| html! { <li><code>{line(literal)}</code></li> })}</ol>
                </div>
            }
        </>
    }
}
