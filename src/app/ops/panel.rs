//! One array of the experiment: its shape and values to edit where it is an operand, its grid with what is lit, and its
//! memory on request.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::draft_field::DraftField;
use super::values_editor::ValuesEditor;
use crate::app::canvas::SharedArray;
use crate::app::components::grid_canvas::{Chosen, GridCanvas, Overlay};
use crate::app::components::strip_panel::StripPanel;
use crate::app::context::use_say;
use crate::app::link;
use crate::array::values::Unreadable;
use crate::array::{Dims, Shape};
use crate::i18n::Message;
use crate::state::document::{SlotText, Values};
use crate::state::session::Action as LayoutAction;
use crate::view::array_view::ArrayView;
use crate::view::grid::Grid;
use crate::view::highlights::Highlights;
use crate::view::plan::Plan;
use crate::view::scene::Scene;
use crate::view::sources::{Lights, description, word};

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

/// Beside the cells of a grid, pixels.
const MARGIN_PIXELS: i64 = 44;

/// The widest panel, pixels.
const MAX_WIDTH_PIXELS: i64 = 720;

/// The most cells that are highlighted in memory.
const MAX_PINS: usize = 4_096;

/// A frame is smaller: operands and result are to be seen at once.
const EMBED: Room = Room { tallest: 240.0, largest: 40.0, cell: 40, least: 104 };

impl Overlay for Lights {
    fn scene(&self, grid: &Grid, _: &ArrayView) -> Scene {
        grid.lights(self)
    }
}

/// What a parameter holds, as it is set.
#[derive(Clone, PartialEq)]
pub struct Held {
    /// Its shape.
    pub shape: Shape,
    /// Its values.
    pub values: Values,
    /// What is wrong with typed ones.
    pub unreadable: Option<Unreadable>,
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
    pub held: Option<Held>,
    /// What is wrong with the program while it is edited: the shape that was typed stays in its field.
    #[prop_or_default]
    pub program_problem: Option<Message>,
    /// Whether it is the result of values or of a program of before.
    #[prop_or_default]
    pub is_stale: bool,
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
    pub window_counts: Dims,
    /// Tells where a window was dragged.
    pub slide: Callback<Dims>,
}

impl Room {
    /// How wide a panel is, pixels: as wide as its cells want to be, so that arrays are side by side where there is room.
    fn width(&self, props: &PanelProps, plan: &Plan, sizes: &Dims) -> i64 {
        let along = |d: Option<usize>| d.map_or(1, |d| sizes[d].max(1));
        let wanted = along(plan.columns)
            .saturating_mul(self.cell)
            .saturating_add(MARGIN_PIXELS)
            .saturating_mul(along(plan.facet_columns));
        // The field of typed values wants room beside the choice of a rule.
        let has_values = props.held.is_some() && props.array.0.shape().rank() > 0 && !link::is_embed();
        let typed = if has_values { MARGIN_PIXELS } else { 0 };
        wanted.clamp(self.least + typed, MAX_WIDTH_PIXELS)
    }
}

/// The sliders of the dimensions that are not drawn.
fn sliders(props: &PanelProps, plan: &Plan, sizes: &Dims, positions: &UseStateHandle<Dims>) -> Vec<Html> {
    let rank = props.array.0.shape().rank();
    let slider = |&d: &usize| {
        let positions = positions.clone();
        // A slider that was not moved shows the first index.
        let at = positions.get(d).copied().unwrap_or(0);
        let last = (sizes[d] - 1).max(0);
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
    };
    plan.sliders.iter().map(slider).collect()
}

/// The array's memory.
fn memory(props: &PanelProps, label: AttrValue) -> Html {
    let array = props.array.0.clone();
    let map = array.map();
    let slot = |index: &Dims| map.slot(index);
    let marks = Highlights {
        cursor: props.lights.cursor.as_ref().and_then(slot),
        hover: props.lights.hover.as_ref().and_then(slot),
        pins: props.lights.cells.iter().take(MAX_PINS).filter_map(|lit| slot(&lit.index)).collect(),
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
            if let LayoutAction::MoveCursor(slot) = action
                && let Some(index) = of_slot(slot)
            {
                choose.emit(index);
            }
        })
    };
    html! {
        <StripPanel id={format!("{}-strip", props.id)} {label} array={props.array.clone()}
            line_bytes=64 slot_text={SlotText::Value} tight=true {marks} hover={hover_slot} dispatch={step} />
    }
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
    let title =
        if props.is_stale { format!("{} ({})", props.title, tell("stale")) } else { props.title.to_string() };
    let label = Message::engine("panel-label").with("title", title).with("shape", shape.to_string());
    let heading = match props.set_shape.as_ref().filter(|_| !link::is_embed()) {
        Some(set) => {
            let value = props.shape.clone().unwrap_or_else(|| shape.to_string().into());
            let label = if props.is_whole_result { "result-shape-field" } else { "operand-shape" };
            html! {
                <DraftField id={format!("{}-shape", props.id)} class="text mono shape" {value} commit={set.clone()}
                    label={tell(label)} problem={props.program_problem.clone()} />
            }
        }
        None => html! { <code class="shape">{shape.to_string()}</code> },
    };
    let toggle = {
        let memory = memory.clone();
        Callback::from(move |_: MouseEvent| memory.set(!*memory))
    };
    let map = array.map();
    let lit = description(&props.lights.cells, |role| tell(word(role)).to_string());
    let lit_id = format!("{}-lit", props.id);
    let windows = props.lights.base.clone();
    // Where windows slide, the grid is that of the base area.
    let sizes: Dims =
        windows.as_ref().map_or_else(|| map.padded_sizes(), |windows| windows.area.sizes()).into();
    let plan = Plan::new(&sizes, None);
    let sliders = sliders(props, &plan, &sizes, &positions);
    let room = if link::is_embed() { EMBED } else { PAGE };
    let width = format!("width:{}px", room.width(props, &plan, &sizes));
    html! {
        <section class="panel" aria-label={context.tell(&label)} style={width}>
            <div class="panel-head">
                <h3>
                    {&props.title}{" "}<span class="dim">{&props.name}</span>
                    if props.is_stale { {" "}<span class="stale">{tell("stale")}</span> }
                </h3>
                {heading}
            </div>
            <GridCanvas<Lights> id={props.id.clone()} label={context.tell(&label)} array={props.array.clone()}
                positions={(*positions).clone()} tallest={room.tallest} largest={room.largest} lights={props.lights.clone()} legend=false
                cursor={props.lights.cursor.clone()} phrase={props.phrase.clone()} hover={props.hover.clone()} {choose} {windows}
                slide={props.slide.clone()} window_counts={props.window_counts.clone()} described={lit_id.clone()} />
            // What is drawn around cells, for who does not see it.
            <p class="sr-only" id={lit_id}>{lit}</p>
            {for sliders}
            <div class="panel-tools">
                if let Some(Held { shape, values, unreadable }) = props.held.clone().filter(|_| !link::is_embed()) {
                    <ValuesEditor id={props.id.clone()} name={props.name.clone()} {shape} {values}
                        change={props.set_values.clone()} {unreadable} />
                }
                // The memory of one element is that element.
                if map.cells() > 1 {
                    <button class="btn tiny" id={format!("{}-memory", props.id)} onclick={toggle}
                        aria-pressed={memory.to_string()}>{tell("show-memory")}</button>
                }
            </div>
            if *memory {
                {self::memory(props, tell("show-memory"))}
            }
        </section>
    }
}
