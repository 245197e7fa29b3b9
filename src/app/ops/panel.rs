//! One array of the experiment: its shape and values to edit where it is an operand, its grid with what is lit, and its
//! memory on request.

use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::components::grid_canvas::{Chosen, GridCanvas, Overlay, SharedArray};
use crate::app::components::select::use_chosen;
use crate::app::components::strip_panel::StripPanel;
use crate::app::context::use_say;
use crate::app::link;
use crate::array::Dims;
use crate::i18n::Message;
use crate::state::document::{SlotText, Values};
use crate::state::experiment::typed;
use crate::state::session::Action as LayoutAction;
use crate::state::values::ValueSource;
use crate::view::array_view::ArrayView;
use crate::view::grid::Grid;
use crate::view::marks::Marks;
use crate::view::plan::Plan;
use crate::view::scene::Scene;
use crate::view::sources::{Lights, told, word};

/// How much room a panel takes, pixels.
struct Room {
    /// The tallest its grid gets.
    tallest: f64,
    /// The largest a cell gets.
    largest: f64,
    /// What a cell wants.
    cell: i64,
    /// What a panel of one cell wants.
    least: i64,
}

const PAGE: Room = Room { tallest: 380.0, largest: 46.0, cell: 46, least: 132 };

/// A frame is smaller: operands and result are to be seen at once.
const EMBED: Room = Room { tallest: 240.0, largest: 40.0, cell: 40, least: 104 };

impl Overlay for Lights {
    fn scene(&self, grid: &Grid, _: &ArrayView) -> Scene {
        grid.lights(self)
    }
}

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct PanelProps {
    /// The start of every id.
    pub id: AttrValue,
    /// What the array is for the op: `operand`, `lhs`, `out`.
    pub title: AttrValue,
    /// The name of the instruction whose value it is.
    pub name: AttrValue,
    /// The array.
    pub array: SharedArray,
    /// What is lit.
    pub lights: Lights,
    /// What a screen reader says of the cell stepped to.
    pub phrase: AttrValue,
    /// Its shape can be edited.
    #[prop_or_default]
    pub set_shape: Option<Callback<String>>,
    /// Whether it is a result that is no part of a tuple.
    pub is_whole_result: bool,
    /// What its elements hold, where they can be edited.
    #[prop_or_default]
    pub values: Option<Values>,
    /// Sets what its elements hold.
    #[prop_or_default]
    pub set_values: Callback<Values>,
    /// Its shape as it is set, where it can be edited: the array may be one of before.
    #[prop_or_default]
    pub shape: Option<AttrValue>,
    /// Tells the cell under the pointer.
    pub hover: Callback<Option<Dims>>,
    /// Tells the cell that was chosen.
    pub choose: Callback<Dims>,
    /// How many windows slide over it in each dimension of what counts them.
    pub window_sizes: Dims,
    /// Tells where a window was dragged.
    pub slide: Callback<Dims>,
}

/// The panel.
#[component]
pub fn Panel(props: &PanelProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let memory = use_state_eq(|| false);
    let positions = use_state_eq(Dims::new);
    let array = props.array.0.clone();
    let shape = array.shape().clone();
    let choose = {
        let (choose, cursor) = (props.choose.clone(), props.lights.cursor.clone());
        Callback::from(move |chosen: Chosen| match chosen {
            Chosen::Step(index, _) => choose.emit(index),
            Chosen::Pin(_) => {
                if let Some(index) = &cursor {
                    choose.emit(index.clone());
                }
            }
        })
    };
    let label = Message::engine("panel-label")
        .with("title", props.title.to_string())
        .with("shape", shape.to_string());
    let heading = match props.set_shape.as_ref().filter(|_| !link::is_embed()) {
        Some(set) => {
            let onchange =
                set.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().value());
            let value = props.shape.clone().unwrap_or_else(|| shape.to_string().into());
            let label = if props.is_whole_result { "result-shape-field" } else { "operand-shape" };
            html! {
                <input class="text mono shape" id={format!("{}-shape", props.id)} {value} {onchange}
                    spellcheck="false" autocomplete="off" aria-label={tell(label)} title={tell(label)} />
            }
        }
        None => html! { <code class="shape">{shape.to_string()}</code> },
    };
    let problem = use_memo((props.values.clone(), shape.clone()), |(values, shape)| match values {
        Some(values @ Values::Typed(_)) => ValueSource::new(values, shape).1.map(|d| d.message),
        _ => None,
    });
    let current = use_memo(props.array.clone(), |array| current_text(&array.0));
    let toggle = {
        let memory = memory.clone();
        Callback::from(move |_: MouseEvent| memory.set(!*memory))
    };
    let map = array.map();
    let slot = |index: &Dims| map.slot(index);
    let marks = Marks {
        cursor: props.lights.cursor.as_ref().and_then(slot),
        hover: props.lights.hover.as_ref().and_then(slot),
        pins: props.lights.cells.iter().take(4_096).filter_map(|lit| slot(&lit.index)).collect(),
    };
    let of_slot = {
        let array = array.clone();
        move |slot: i64| {
            let (kind, index) = array.at(slot);
            (kind == crate::array::memory::CellKind::Element).then_some(index)
        }
    };
    let hover_slot = {
        let (hover, of_slot) = (props.hover.clone(), of_slot.clone());
        Callback::from(move |slot: Option<i64>| hover.emit(slot.and_then(&of_slot)))
    };
    let step = {
        let choose = props.choose.clone();
        Callback::from(move |action: LayoutAction| {
            if let LayoutAction::Cursor(slot) = action
                && let Some(index) = of_slot(slot)
            {
                choose.emit(index);
            }
        })
    };
    let lit = told(&props.lights.cells, |role| tell(word(role)).to_string());
    let lit_id = format!("{}-lit", props.id);
    let windows = props.lights.base.clone();
    // Where windows slide, the grid is that of the base area.
    let sizes: Dims =
        windows.as_ref().map_or_else(|| map.padded_sizes(), |windows| windows.area.sizes()).into();
    let plan = Plan::new(&sizes, None);
    let sliders = plan.sliders.iter().map(|&d| {
        let positions = positions.clone();
        let at = positions.get(d).copied().unwrap_or(0);
        let (rank, last) = (shape.rank(), (sizes[d] - 1).max(0));
        let oninput = Callback::from(move |event: InputEvent| {
            let Ok(to) = event.target_unchecked_into::<HtmlInputElement>().value().parse() else { return };
            let mut next = (*positions).clone();
            next.resize(rank, 0);
            next[d] = to;
            positions.set(next);
        });
        let id = format!("{}-slider-{d}", props.id);
        html! {
            <span class="field row slider" key={d}>
                <label for={id.clone()} class={format!("d d{}", d % 6)}>{format!("d{d} = {at}")}</label>
                <input type="range" {id} min="0" max={last.to_string()} value={at.to_string()} {oninput} />
            </span>
        }
    });
    // As wide as its cells want to be, so that arrays stand beside one another where there is room.
    let along = |d: Option<usize>| d.map_or(1, |d| sizes[d].max(1));
    let room = if link::is_embed() { EMBED } else { PAGE };
    let wanted = along(plan.columns)
        .saturating_mul(room.cell)
        .saturating_add(44)
        .saturating_mul(along(plan.facet_columns));
    // What its elements are typed as wants room beside the choice of a rule.
    let typed = if props.values.is_some() && shape.rank() > 0 && !link::is_embed() { 44 } else { 0 };
    let width = format!("width:{}px", wanted.clamp(room.least + typed, 720));
    html! {
        <section class="panel" aria-label={context.tell(&label)} style={width}>
            <div class="panel-head">
                <h3>{&props.title}{" "}<span class="dim">{&props.name}</span></h3>
                {heading}
            </div>
            <GridCanvas<Lights> id={props.id.clone()} label={context.tell(&label)} array={props.array.clone()}
                positions={(*positions).clone()} tallest={room.tallest} largest={room.largest} lights={props.lights.clone()} legend=false
                cursor={props.lights.cursor.clone()} phrase={props.phrase.clone()} hover={props.hover.clone()} {choose} {windows}
                slide={props.slide.clone()} window_sizes={props.window_sizes.clone()} described={lit_id.clone()} />
            // What is drawn around cells, for who does not see it.
            <p class="sr-only" id={lit_id}>{lit}</p>
            {for sliders}
            <div class="panel-tools">
                if let Some(values) = props.values.as_ref().filter(|_| !link::is_embed()) {
                    <ValuesEditor id={props.id.clone()} values={values.clone()} change={props.set_values.clone()}
                        problem={(*problem).clone()} current={(*current).clone()} />
                }
                // The memory of one element is that element.
                if map.cells() > 1 {
                    <button class="btn tiny" id={format!("{}-memory", props.id)} onclick={toggle}
                        aria-pressed={memory.to_string()}>{tell("show-memory")}</button>
                }
            </div>
            if *memory {
                <StripPanel id={format!("{}-strip", props.id)} label={tell("show-memory")} array={props.array.clone()}
                    line_bytes=64 slot_text={SlotText::Value} tight=true {marks} hover={hover_slot} dispatch={step} />
            }
        </section>
    }
}

/// The first so many elements as they would be typed, to start from.
const TYPED: i64 = 256;

fn current_text(array: &ArrayView) -> AttrValue {
    let element_type = array.shape().element_type;
    let shown = array.map().elements().min(TYPED);
    let exact = crate::array::value::text::Exactness::RoundTrip;
    let texts: Vec<String> = (0..shown).map(|n| array.value(n).text(element_type, exact)).collect();
    texts.join(", ").into()
}

#[derive(Clone, PartialEq, Properties)]
struct ValuesEditorProps {
    id: AttrValue,
    values: Values,
    change: Callback<Values>,
    problem: Option<Message>,
    current: AttrValue,
}

/// What the elements hold: by a rule, or typed.
#[component]
fn ValuesEditor(props: &ValuesEditorProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    // Typed values that cannot be taken: they stay in the field.
    let refused = use_state_eq(|| None::<Message>);
    let kind = match &props.values {
        Values::Letters | Values::Iota => "iota",
        Values::Random(_) => "random",
        Values::Typed(_) => "typed",
    };
    let node = use_chosen(kind.to_owned());
    let onchange = {
        let (change, current) = (props.change.clone(), props.current.clone());
        Callback::from(move |event: Event| {
            change.emit(match event.target_unchecked_into::<HtmlSelectElement>().value().as_str() {
                "random" => Values::Random(1),
                "typed" => Values::Typed(current.to_string()),
                _ => Values::Iota,
            });
        })
    };
    let option = |value: &'static str, key: &'static str| {
        html! { <option {value} selected={value == kind}>{tell(key)}</option> }
    };
    let more = match &props.values {
        Values::Random(seed) => {
            let (change, next) = (props.change.clone(), seed.wrapping_add(1));
            let onclick = Callback::from(move |_: MouseEvent| change.emit(Values::Random(next)));
            html! { <button class="btn tiny" id={format!("{}-reseed", props.id)} {onclick}>{tell("values-again")}</button> }
        }
        Values::Typed(text) => {
            let onchange = {
                let (change, refused) = (props.change.clone(), refused.clone());
                Callback::from(move |event: Event| {
                    match typed(event.target_unchecked_into::<HtmlTextAreaElement>().value()) {
                        Ok(values) => {
                            refused.set(None);
                            change.emit(values);
                        }
                        Err(message) => refused.set(Some(message)),
                    }
                })
            };
            html! {
                <textarea class="text" id={format!("{}-typed", props.id)} rows="1" {onchange} value={text.clone()}
                    spellcheck="false" aria-label={tell("values-typed")} aria-invalid={props.problem.is_some().to_string()} />
            }
        }
        Values::Letters | Values::Iota => Html::default(),
    };
    html! {
        <div class="values">
            <select class="btn tiny" id={format!("{}-values", props.id)} ref={node} {onchange} aria-label={tell("values-of")}>
                {option("typed", "values-typed")}{option("iota", "values-iota")}{option("random", "values-random")}
            </select>
            {more}
            if let Some(problem) = refused.as_ref().or(props.problem.as_ref()) { <p class="error-line">{context.tell(problem)}</p> }
        </div>
    }
}
