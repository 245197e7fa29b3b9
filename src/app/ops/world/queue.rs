//! The infeed's queue, to fill and to watch drain, and what was put out.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_say;
use crate::array::value::text::Exactness;
use crate::array::{Literal, Shape};
use crate::i18n::Message;
use crate::state::document::Values;
use crate::state::experiment::outside_run::Left;
use crate::state::experiment::run::argument;
use crate::state::experiment::world::{MOST_ITEMS, Needs, World, item};

/// Properties of [`Queue`].
#[derive(Clone, PartialEq, Properties)]
pub struct QueueProps {
    /// What the module takes out of it.
    pub needs: Needs,
    /// What is in it.
    pub world: World,
    /// What the last run left.
    pub left: Option<Left>,
    /// Changes it.
    pub change: Callback<World>,
}

/// A literal in one line.
pub fn line(literal: &Literal) -> String {
    literal.text(Exactness::Xla).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The queue and the box.
#[component]
pub fn Queue(props: &QueueProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let world = &props.world;
    let taken = props.left.as_ref().map_or(0, |left| left.taken);
    let items = world.infeed.iter().enumerate().map(|(number, text)| {
        let with = |change: &dyn Fn(&mut Vec<String>)| {
            let mut next = world.clone();
            change(&mut next.infeed);
            next
        };
        let (change, base) = (props.change.clone(), world.clone());
        let onchange = Callback::from(move |event: Event| {
            let mut next = base.clone();
            if let Some(item) = next.infeed.get_mut(number) {
                *item = event.target_unchecked_into::<HtmlInputElement>().value();
            }
            change.emit(next);
        });
        let without = with(&|items| drop(items.remove(number)));
        let remove = props.change.reform(move |_: MouseEvent| without.clone());
        let is_taken = number < taken;
        let label = Message::engine("queue-item").with("number", number);
        let problem = props.needs.item(number).and_then(|shape| item(shape, text).1);
        let said = if is_taken { "queue-taken" } else { "queue-left" };
        let named = Message::engine("queue-remove").with("number", number);
        html! {
            <li key={number} class={classes!(is_taken.then_some("taken"))}>
                <input class="text mono" id={format!("feed-{number}")} value={text.clone()} {onchange} spellcheck="false"
                    autocomplete="off" aria-label={context.tell(&label)} aria-invalid={problem.is_some().to_string()} />
                <span class="dim">{tell(said)}</span>
                <button class="btn tiny" onclick={remove} aria-label={context.tell(&named)} title={context.tell(&named)}>{"×"}</button>
                if let Some(problem) = problem { <p class="error-line">{context.tell(&problem.message)}</p> }
            </li>
        }
    });
    let add = {
        let (change, mut next) = (props.change.clone(), world.clone());
        let wanted = props.needs.item(world.infeed.len());
        let literal = wanted.and_then(|shape| argument(shape, &Values::Iota).0);
        next.infeed.push(literal.map(|literal| line(&literal)).unwrap_or_default());
        Callback::from(move |_: MouseEvent| change.emit(next.clone()))
    };
    let mut shapes: Vec<String> = props.needs.items.iter().map(Shape::human_string).collect();
    shapes.dedup();
    let wants = Message::engine("queue-wants").with("shapes", shapes.join(", "));
    let outfed = props.left.as_ref().map(|left| left.outfed.clone()).unwrap_or_default();
    let stops = props.left.as_ref().is_some_and(|left| left.wants_item);
    html! {
        <>
            if !props.needs.items.is_empty() {
                <div class="world-part" id="queue">
                    <h3>{tell("queue")}</h3>
                    <p class="dim">
                        {context.tell(&wants)}
                        if props.needs.devices { {" "}{tell("queue-each")} }
                    </p>
                    <ol class="queue" start="0">{for items}</ol>
                    if world.infeed.is_empty() { <p>{tell("queue-empty")}</p> }
                    if stops { <p class="waits" id="queue-waits">{tell("queue-stops")}</p> }
                    <button class="btn small" id="feed-add" onclick={add} disabled={world.infeed.len() >= MOST_ITEMS}>
                        {tell("queue-add")}
                    </button>
                </div>
            }
            if props.needs.outfeed {
                <div class="world-part" id="outfed">
                    <h3>{tell("outfed")}</h3>
                    if outfed.is_empty() { <p class="dim">{tell("outfed-none")}</p> }
                    <ol class="queue" start="0">{for outfed.iter().map(|literal| html! { <li><code>{line(literal)}</code></li> })}</ol>
                </div>
            }
        </>
    }
}
