//! An array without a program: its grid, its memory, and the formulas between index and slot.

use std::rc::Rc;

use yew::prelude::*;

use super::embedding_page::use_embedding_page;
use super::shared::{SharedSnapshot, message, problem_notice, use_player_keys};
use super::shown::view_of;
use crate::app::canvas::SharedArray;
use crate::app::components::cell_panel::CellPanel;
use crate::app::components::facts::{facts, sentences};
use crate::app::components::grid_panel::GridPanel;
use crate::app::components::hover::use_hover;
use crate::app::components::player::{Player, PlayerLabels};
use crate::app::components::strip_panel::StripPanel;
use crate::app::context::use_app_context;
use crate::array::SlotKind;
use crate::snapshot::data::{Array, SnapshotError};
use crate::snapshot::selection::{Position, Selection, SelectionRequest};
use crate::state::document::Document;
use crate::state::session::{Action, Session};
use crate::view::highlights::SlotHighlights;

/// Properties of [`ArrayAlone`].
#[derive(Clone, PartialEq, Properties)]
pub struct ArrayAloneProps {
    /// The snapshot.
    pub snapshot: SharedSnapshot,
}

/// The session after an action.
struct State(Session);

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut session = self.0.clone();
        session.apply(action);
        Rc::new(Self(session))
    }
}

/// The selection by the index of a slot.
fn selection_of_slot(array: Option<&SharedArray>, slot: i64) -> Selection {
    let index = array.and_then(|array| match array.0.slot_content(slot) {
        (SlotKind::Element, index) => Some(index.to_vec()),
        _ => None,
    });
    Selection { instruction: String::new(), path: Vec::new(), index }
}

/// Moves to the slot of a requested index.
fn slot_request(
    SharedSnapshot(snapshot): &SharedSnapshot,
    array: Option<&SharedArray>,
    move_to: &Callback<i64>,
) -> Callback<SelectionRequest, bool> {
    let (snapshot, array, move_to) = (snapshot.clone(), array.cloned(), move_to.clone());
    Callback::from(move |request: SelectionRequest| {
        let exists = snapshot.requested(&request, &Position::default()).is_some();
        let index = request.index.filter(|_| exists);
        let slot = index.zip(array.as_ref()).and_then(|(index, array)| array.0.memory_map().slot(&index));
        if let Some(slot) = slot {
            move_to.emit(slot);
        }
        exists
    })
}

/// The array.
#[component]
pub fn ArrayAlone(props: &ArrayAloneProps) -> Html {
    let context = use_app_context();
    let recorded = props.snapshot.0.entries.first().and_then(|entry| entry.arrays.first());
    let map = context.preferences.colour_map.colours();
    let array = use_memo((props.snapshot.clone(), map), |(snapshot, map)| {
        snapshot.0.entries.first().and_then(|entry| view_of(&snapshot.0, entry.arrays.first()?, *map))
    });
    let state = {
        let document = recorded
            .and_then(Array::shape)
            .map(|shape| Document { cursor: props.snapshot.0.cursor, ..Document::with_shape(shape.into()) });
        use_reducer(move || State(Session::new(document.unwrap_or_default())))
    };
    let playing = use_state_eq(|| false);
    let document = Rc::new(state.0.document().clone());
    let cells = (*array).as_ref().map_or(0, |array| array.0.memory_map().slot_count());
    let cursor = document.cursor;
    let hover = use_hover::<i64, _>(cursor);
    let dispatch = {
        let dispatcher = state.dispatcher();
        Callback::from(move |action| dispatcher.dispatch(action))
    };
    let move_to = dispatch.reform(Action::MoveCursor);
    use_embedding_page(
        selection_of_slot((*array).as_ref(), cursor),
        slot_request(&props.snapshot, (*array).as_ref(), &move_to),
    );
    use_player_keys(cursor, cells, &move_to, &playing, &dispatch.reform(|()| Action::ClearPins));
    let Some(array) = (*array).clone() else {
        return html! { <main class="embed">{problem_notice(&context.text(&message(SnapshotError::Entry(0))))}</main> };
    };
    let highlights = SlotHighlights {
        cursor: (cells > 0).then_some(cursor),
        hover: hover.filter(|slot| *slot < cells),
        pins: document.pins.clone(),
    };
    let focus = highlights.focus();
    let set_hover = {
        let hover = hover.clone();
        Callback::from(move |slot: Option<i64>| hover.set(slot))
    };
    let play = {
        let playing = playing.clone();
        Callback::from(move |on: bool| playing.set(on))
    };
    html! {
        <>
            <main class="embed snapshot">
                <div class="told">
                    {sentences(&context, &array)}
                    <div class="facts-line">{facts(&context, &array)}</div>
                </div>
                <div class="pictures">
                    <section aria-labelledby="h-grid">
                        <div class="head"><h2 id="h-grid">{context.text_of_key("array")}</h2></div>
                        <GridPanel id="grid" array={array.clone()} document={document.clone()}
                            highlights={highlights.clone()} hover={set_hover.clone()} dispatch={dispatch.clone()} />
                    </section>
                    <section aria-labelledby="h-memory">
                        <div class="head"><h2 id="h-memory">{context.text_of_key("memory")}</h2></div>
                        <StripPanel id="strip" label={context.text_of_key("memory")} array={array.clone()}
                            line_bytes={document.view.line_bytes} slot_text={document.view.slot_text} {highlights}
                            hover={set_hover} dispatch={dispatch.clone()} />
                    </section>
                </div>
                <CellPanel array={array.clone()} slot={focus} line_bytes={document.view.line_bytes} />
            </main>
            <Player {cells} {cursor} is_playing={*playing} {play} {move_to} labels={PlayerLabels::SLOTS} />
        </>
    }
}
