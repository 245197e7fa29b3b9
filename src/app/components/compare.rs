//! Two layouts of one array side by side: the same cells are highlighted in both, and lines connect the slots of each
//! element.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::cell_panel::{lines_html, words};
use super::grid_panel::GridPanel;
use super::strip_panel::StripPanel;
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::components::remedies::remedies;
use crate::app::components::size::use_width;
use crate::app::context::{grouped, use_app_context};
use crate::app::link;
use crate::array::cost::MoveCount;
use crate::array::{ArrayShape, Layout, text};
use crate::cause::{Cause, Part};
use crate::i18n::Message;
use crate::state::document::{Document, check};
use crate::state::session::Action;
use crate::view::formula;
use crate::view::highlights::SlotHighlights;
use crate::view::layout_connectors;
use crate::worker::counting::client::count_moves;

/// Maximum number of elements of an array whose moves are counted on the page; a worker counts those of larger arrays.
const MAX_ELEMENTS_COUNTED_ON_PAGE: i64 = 1 << 18;

/// Properties of [`SecondGrid`] and [`SecondStrip`].
#[derive(Clone, PartialEq, Properties)]
pub struct ComparePanelProps {
    /// The array in the document's layout.
    pub array: SharedArray,
    /// The same array in the compared layout.
    pub other: SharedArray,
    /// The view settings.
    pub document: Rc<Document>,
    /// The highlighted slots of the first layout.
    pub highlights: SlotHighlights,
    /// Reports the slot of the first layout under the pointer.
    pub hover: Callback<Option<i64>>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The slot of `to` that holds the element in slot `slot` of `from`.
pub fn translate_slot(from: &SharedArray, to: &SharedArray, slot: i64) -> Option<i64> {
    let (kind, index) = from.0.slot_content(slot);
    (kind == crate::array::memory::SlotKind::Element).then(|| to.0.memory_map().slot(&index)).flatten()
}

/// The highlights translated to the compared layout, and the translation of its slots back to the first layout.
struct ComparedHighlights {
    highlights: SlotHighlights,
    hover: Callback<Option<i64>>,
    translate_back: Callback<i64, Option<i64>>,
}

impl ComparedHighlights {
    fn new(props: &ComparePanelProps) -> Self {
        let (array, other) = (props.array.clone(), props.other.clone());
        let to_other = |slot: i64| translate_slot(&array, &other, slot);
        let highlights = SlotHighlights {
            cursor: props.highlights.cursor.and_then(to_other),
            hover: props.highlights.hover.and_then(to_other),
            pins: props.highlights.pins.iter().filter_map(|s| to_other(*s)).collect(),
        };
        let translate_back = Callback::from(move |slot: i64| translate_slot(&other, &array, slot));
        let hover = {
            let (hover, translate_back) = (props.hover.clone(), translate_back.clone());
            Callback::from(move |slot: Option<i64>| hover.emit(slot.and_then(|s| translate_back.emit(s))))
        };
        Self { highlights, hover, translate_back }
    }
}

/// The array in the compared layout as a grid, with a field for that layout.
#[component]
pub fn SecondGrid(props: &ComparePanelProps) -> Html {
    let context = use_app_context();
    let ComparedHighlights { highlights, hover, translate_back } = ComparedHighlights::new(props);
    html! {
        <>
        <LayoutChange array={props.array.clone()} other={props.other.clone()} cursor={props.highlights.cursor.zip(highlights.cursor)} />
        <section id="compare" aria-labelledby="h-compare">
            <div class="head">
                <h2 id="h-compare">{"B · "}{context.text_of_key("second-layout")}</h2>
                <div class="tools">
                    <LayoutField array={props.array.0.shape().clone()} other={props.other.0.shape().layout.clone()}
                        dispatch={props.dispatch.clone()} />
                </div>
            </div>
            <GridPanel id="grid-b" array={props.other.clone()} document={props.document.clone()} {highlights} {hover}
                dispatch={props.dispatch.clone()} translate={translate_back} />
        </section>
        </>
    }
}

/// Memory in the compared layout below that of the first, with lines between them and the number of moved elements.
#[component]
pub fn SecondStrip(props: &ComparePanelProps) -> Html {
    let context = use_app_context();
    let ComparedHighlights { highlights, hover, translate_back } = ComparedHighlights::new(props);
    let view = &props.document.view;
    html! {
        <>
            <Connectors array={props.array.clone()} other={props.other.clone()} highlights={props.highlights.clone()} />
            <h2 class="second" id="h-memory-second">{"B · "}{context.text_of_key("memory")}</h2>
            <StripPanel id="strip-b" label={context.text_of_key("memory-second")} array={props.other.clone()} prefers_one_row=true
                line_bytes={view.line_bytes} slot_text={view.slot_text} {highlights} {hover}
                dispatch={props.dispatch.clone()} translate={translate_back} />
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LayoutChangeProps {
    array: SharedArray,
    other: SharedArray,
    /// The slot of the current cell in each layout, if it is an element.
    cursor: Option<(i64, i64)>,
}

/// The cost of the change of layout, and the slot of the current cell in each layout with its formula.
#[component]
fn LayoutChange(props: &LayoutChangeProps) -> Html {
    let context = use_app_context();
    let cell = props.cursor.map(|(from, to)| {
        let slot_change = Message::new("slot-goes").with("from", grouped(from)).with("to", grouped(to));
        let words = words(&context);
        let sum = |name: &'static str, array: &SharedArray, slot: i64| {
            let (_, index) = array.0.slot_content(slot);
            let tiles = array.0.shape().layout.as_ref().map(|layout| layout.tiles.to_vec()).unwrap_or_default();
            let line = formula::slot_sum(array.0.memory_map(), &tiles, &index, &words)?;
            Some(html! { <div><b>{name}</b>{lines_html(&[line])}</div> })
        };
        html! {
            <>
                <p class="moves" id="slot-goes">{context.text(&slot_change)}</p>
                <div class="formula sums" id="sums">{sum("A", &props.array, from)}{sum("B", &props.other, to)}</div>
            </>
        }
    });
    html! {
        <div class="verdict" id="verdict">
            <Moves array={props.array.clone()} other={props.other.clone()} />
            {cell}
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LayoutFieldProps {
    array: ArrayShape,
    other: Option<Layout>,
    dispatch: Callback<Action>,
}

/// The compared layout as text, parsed like the spec bar.
#[component]
fn LayoutField(props: &LayoutFieldProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let problem = use_state_eq(|| None::<Message>);
    let layout_text = props.other.as_ref().map(ToString::to_string).unwrap_or_default();
    {
        let (node, layout_text) = (node.clone(), layout_text.clone());
        use_effect_with(layout_text, move |layout_text| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(layout_text);
            }
        });
    }
    let onchange = {
        let (array, dispatch, problem) = (props.array.clone(), props.dispatch.clone(), problem.clone());
        Callback::from(move |event: Event| {
            let typed = event.target_unchecked_into::<HtmlInputElement>().value();
            match read_layout(&array, &typed) {
                Ok(layout) => {
                    problem.set(None);
                    dispatch.emit(Action::SetComparedLayout(Some(layout)));
                }
                Err(message) => problem.set(Some(message)),
            }
        })
    };
    let close = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::SetComparedLayout(None)))
    };
    html! {
        <>
            <label class="sr-only" for="layout-b">{context.text_of_key("second-layout")}</label>
            <input id="layout-b" class="text mono" ref={node} type="text" value={layout_text} {onchange} spellcheck="false"
                autocomplete="off" aria-invalid={problem.is_some().to_string()} aria-describedby="layout-b-problem" />
            <button class="btn icon small" id="compare-close" onclick={close} aria-label={context.text_of_key("compare-end")}
                title={context.text_of_key("compare-end")}>{"×"}</button>
            <p class="error-line" id="layout-b-problem" aria-live="polite">{problem.as_ref().map(|m| context.text(m))}</p>
        </>
    }
}

/// Parses `{0,1:T(2,2)}`, optionally followed by 2017 padding, as a layout of the array.
fn read_layout(array: &ArrayShape, typed: &str) -> Result<Layout, Message> {
    let typed = typed.trim();
    let braces = if typed.starts_with('{') { typed.to_owned() } else { format!("{{{typed}}}") };
    let sizes: Vec<String> = array.dimensions.iter().map(i64::to_string).collect();
    let parsed = text::parse(&format!("{}[{}]{braces}", array.element_type, sizes.join(",")));
    if let Some(problem) = parsed.diagnostics.into_iter().next() {
        return Err(problem.message);
    }
    let shape = parsed.shape.ok_or_else(|| Message::new("layout-unreadable"))?;
    check(&shape)?;
    let layout = shape.as_array().and_then(|a| a.layout.clone());
    layout.ok_or_else(|| Message::new("layout-unreadable"))
}

#[derive(Clone, PartialEq, Properties)]
struct MovesProps {
    array: SharedArray,
    other: SharedArray,
}

/// The number of elements and bytes that a change of layout moves.
#[component]
fn Moves(props: &MovesProps) -> Html {
    let context = use_app_context();
    let result = use_state_eq(|| None::<Result<(i64, i64), Cause>>);
    let attempt = use_state_eq(|| 0_u32);
    // A frame of an opaque origin has no worker to count many elements.
    let can_count =
        props.array.0.memory_map().elements() <= MAX_ELEMENTS_COUNTED_ON_PAGE || !link::has_opaque_origin();
    {
        let result = result.clone();
        use_effect_with((props.array.clone(), props.other.clone(), *attempt), move |(array, other, _)| {
            let is_small = array.0.memory_map().elements() <= MAX_ELEMENTS_COUNTED_ON_PAGE;
            let job = if is_small {
                let mut count = MoveCount::new(array.0.memory_map(), other.0.memory_map());
                if let Some(count) = count.as_mut() {
                    count.step(MAX_ELEMENTS_COUNTED_ON_PAGE);
                    result.set(Some(Ok((count.moved(), count.bytes_moved()))));
                }
                None
            } else if !can_count {
                None
            } else {
                result.set(None);
                let result = result.clone();
                Some(count_moves(array.0.shape(), other.0.shape(), move |found| result.set(Some(found))))
            };
            move || drop(job)
        });
    }
    let message = match &*result {
        None => context.text_of_key("counting-moves"),
        Some(Err(cause)) => {
            context.text(&Message::new("not-counted").with("cause", cause.message(Part::Worker)))
        }
        Some(Ok((0, _))) => context.text_of_key("nothing-moves"),
        Some(Ok((moved, bytes))) => context.text(
            &Message::new("moves")
                .with("count", *moved)
                .with("shown", grouped(*moved))
                .with("elements", grouped(props.array.0.memory_map().elements()))
                .with("bytes", grouped(*bytes)),
        ),
    };
    let cause = result.as_ref().and_then(|result| result.as_ref().err()).cloned();
    let retry = Callback::from(move |()| attempt.set(*attempt + 1));
    html! {
        if can_count {
            <p class="moves" id="moves" aria-live="polite" data-cause={cause.as_ref().map(Cause::name)}>{message}</p>
            if let Some(cause) = cause { {remedies(&context, &cause, "moves", &retry)} }
        }
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ConnectorsProps {
    array: SharedArray,
    other: SharedArray,
    highlights: SlotHighlights,
}

/// A line from each slot of the upper strip to the slot that holds its element in the lower strip.
#[component]
fn Connectors(props: &ConnectorsProps) -> Html {
    let frame = use_node_ref();
    let width = use_width(frame.clone());
    let base = use_memo((props.array.clone(), props.other.clone(), width), |(array, other, width)| {
        SharedScene(Rc::new(layout_connectors::scene(&array.0, &other.0, *width)))
    });
    // The element is rendered even without a picture, so that its width is observed.
    let is_drawn = width > 0.0;
    let overlay = use_memo(
        (props.array.clone(), props.other.clone(), width, props.highlights.clone()),
        |(array, other, width, highlights)| {
            SharedScene(Rc::new(layout_connectors::overlay(&array.0, &other.0, *width, highlights)))
        },
    );
    html! {
        <div class="connectors" ref={frame} aria-hidden="true">
            if is_drawn { <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} /> }
        </div>
    }
}
