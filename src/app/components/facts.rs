//! Properties of the array on one line, and the cache lines touched along each dimension.

use yew::prelude::*;

use crate::app::canvas::SharedArray;
use crate::app::context::{Context, dimension_class, grouped, use_app_context};
use crate::app::layout::extras::compression;
use crate::array::cost::{CacheLines, padding_waste};
use crate::array::layout_util::NamedOrder;
use crate::array::shape_util::{documented_true_rank, true_rank};
use crate::array::{Dims, Layout, Shape};
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::handoff;
use crate::view::caption::caption;

/// XLA's document on shapes and layouts.
const DOCUMENT: &str = "https://openxla.org/xla/shapes";

/// Properties of [`Caption`].
#[derive(Clone, PartialEq, Properties)]
pub struct CaptionProps {
    /// The array to describe.
    pub array: SharedArray,
    /// The values of its elements.
    pub values: ValueRule,
    /// The layout that it is compared with.
    pub compared: Option<Layout>,
}

/// The caption of the picture and the facts, with links to the Ops screen and to XLA's document.
#[component]
pub fn Caption(props: &CaptionProps) -> Html {
    let context = use_app_context();
    let array = &props.array.0;
    html! {
        <>
            {sentences(&context, &props.array)}
            <div class="facts-line">
                {facts(&context, &props.array)}
                <span class="row">
                    <a id="run-an-op" href={format!("#{}", handoff::to_ops(array.shape(), props.compared.as_ref(), &props.values, compression()))}>{context.text_of_key("run-an-op")}</a>
                <a id="document" href={DOCUMENT} title={context.text_of_key("document-of-screen")} rel="noreferrer">
                    {context.text_of_key("document-shapes")}
                </a>
                </span>
            </div>
        </>
    }
}

/// The caption of the picture.
pub fn sentences(context: &Context, array: &SharedArray) -> Html {
    let sentences = caption(array.0.shape(), array.0.memory_map());
    let sentences = sentences.iter().map(|sentence| html! { <span>{context.text(sentence)}</span> });
    html! { <p class="caption-line" id="caption">{for sentences}</p> }
}

/// Elements, slots, bytes, padding, rank and the name of the dimension order.
pub fn facts(context: &Context, array: &SharedArray) -> Html {
    let (map, shape) = (array.0.memory_map(), array.0.shape());
    let rank = shape.rank();
    // XLA's documentation counts sizes above 1, its code sizes other than 1: they differ for size 0.
    let array_shape = Shape::Array(shape.clone());
    let documented = documented_true_rank(&array_shape).unwrap_or(rank);
    let implemented = true_rank(&array_shape).unwrap_or(rank);
    let percent = map.padding_slots().saturating_mul(100) / map.slot_count().max(1);
    let fact = |id: &'static str, key: &'static str, number: i64, formatted: String| {
        let unit = context.text(&Message::new(key).with("count", number));
        html! { <span {id}><b>{formatted}</b>{" "}{unit}</span> }
    };
    let order = NamedOrder::of_array(shape).map(|order| order.message(rank));
    let true_rank = Message::new("true-rank").with("rank", documented);
    let ranks = html! {
        <span id="fact-rank">{context.text_of_key("rank")}{" "}<b>{rank}</b>{", "}{context.text(&true_rank)}
            if documented != implemented {
                {" "}<abbr title={context.text(&Message::new("true-rank-differs").with("rank", implemented))}>
                    {format!("({implemented})")}
                </abbr>
            }
        </span>
    };
    html! {
        <div class="facts" id="facts">
            {fact("fact-elements", "fact-elements", map.elements(), grouped(map.elements()))}
            {fact("fact-slots", "fact-slots", map.slot_count(), grouped(map.slot_count()))}
            {fact("fact-bytes", "fact-bytes", map.bytes(), grouped(map.bytes()))}
            {fact("fact-padding", "fact-padding", percent, format!("{percent} %"))}
            {ranks}
            if let Some(order) = order { <span id="fact-order">{context.text(&order)}</span> }
        </div>
    }
}

/// Properties of [`Cost`].
#[derive(Clone, PartialEq, Properties)]
pub struct CostProps {
    /// The array to describe.
    pub array: SharedArray,
    /// Bytes per cache line.
    pub line_bytes: i64,
}

/// The cache lines touched by iterating along each dimension.
#[component]
pub fn Cost(props: &CostProps) -> Html {
    let context = use_app_context();
    let costs = use_memo((props.array.clone(), props.line_bytes), |(array, line_bytes)| {
        let map = array.0.memory_map();
        let start = Dims::from_elem(0, map.rank());
        (0..map.rank())
            .map(|d| {
                (map.sizes()[d], CacheLines::new(map, *line_bytes).and_then(|lines| lines.walk(d, &start)))
            })
            .collect::<Vec<_>>()
    });
    let map = props.array.0.memory_map();
    let rows = costs.iter().enumerate().map(|(d, (steps, lines))| {
        let sentence = match lines {
            Some(lines) => Message::new("walk-lines").with("count", *lines).with("lines", grouped(*lines)),
            None => Message::new("walk-not-counted"),
        };
        let sentence = sentence.with("steps", grouped(*steps));
        html! {
            <>
                <dt>{context.text_of_key("walk-along")}{" "}<b class={dimension_class(d)}>{format!("d{d}")}</b></dt>
                <dd>{context.text(&sentence)}</dd>
            </>
        }
    });
    let waste = padding_waste(map).excess_bytes;
    let wasted = Message::new("wasted-of").with("waste", grouped(waste)).with("bytes", grouped(map.bytes()));
    html! {
        <section aria-labelledby="h-cost">
            <h2 id="h-cost">{context.text_of_key("cost")}</h2>
            <dl class="kv" id="cost">
                {for rows}
                <dt>{context.text_of_key("wasted")}</dt><dd>{context.text(&wasted)}</dd>
            </dl>
        </section>
    }
}
