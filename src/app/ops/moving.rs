//! How an op that copies elements moves them in memory: a summary, and on request the memory strips of operand and result with
//! connecting lines.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::components::size::use_width;
use crate::app::components::strip_panel::StripPanel;
use crate::app::context::{grouped, use_app_context};
use crate::array::Dims;
use crate::array::index::multi_index;
use crate::hlo::InstructionId;
use crate::i18n::Message;
use crate::ops::CellAt;
use crate::state::document::SlotText;
use crate::state::experiment::run::FinishedRun;
use crate::view::element_moves::{self, MoveSummary};
use crate::view::highlights::SlotHighlights;
use crate::view::scene::Scene;

/// Maximum number of elements of a result whose sources are looked up.
const MAX_TRACED_ELEMENTS: i64 = 4_096;

/// Properties of [`ElementMoves`].
#[derive(Clone, PartialEq, Properties)]
pub struct ElementMovesProps {
    /// The run with the moved elements.
    pub finished: FinishedRun,
    /// The instruction that moves elements.
    pub focus: InstructionId,
    /// Its operands; all are arrays.
    pub operands: Vec<SharedArray>,
    /// The result of the instruction.
    pub result: SharedArray,
    /// The tuple path of the displayed array in the result.
    pub path: Vec<usize>,
    /// The index of the selected cell of the result.
    pub cursor: Option<Dims>,
    /// Selects another cell.
    pub select: Callback<Dims>,
}

/// A copy of an operand's element to the result.
struct Move {
    operand: usize,
    /// Its slot in the operand.
    from_slot: i64,
    /// Its slot in the result.
    to_slot: i64,
}

/// All moves and their summary; `None` if there are too many.
fn find_moves(props: &ElementMovesProps) -> Option<(MoveSummary, Vec<Move>)> {
    let result = &props.result.0;
    if result.memory_map().elements() > MAX_TRACED_ELEMENTS {
        return None;
    }
    let sizes = &result.shape().dimensions;
    let indices = (0..result.memory_map().elements()).map(|number| multi_index(number, sizes));
    let mut moves = Vec::new();
    let arrays: Vec<_> = props.operands.iter().map(|array| &*array.0).collect();
    let sources = |index: &Dims| {
        let cell = CellAt { path: props.path.iter().copied().collect(), index: index.clone() };
        let sources = props.finished.sources(props.focus, &cell).ok()?;
        if let Some(source) = element_moves::copied_source(&sources)
            && let Some(from_slot) =
                arrays.get(source.operand).and_then(|array| array.memory_map().slot(&source.cell.index))
            && let Some(to_slot) = result.memory_map().slot(index)
        {
            moves.push(Move { operand: source.operand, from_slot, to_slot });
        }
        Some(sources)
    };
    let summary = element_moves::summarize_moves(&arrays, result, indices, sources)?;
    Some((summary, moves))
}

/// The summary and the picture.
#[component]
pub fn ElementMoves(props: &ElementMovesProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let is_open = use_state_eq(|| false);
    let moves = {
        let props = props.clone();
        let key = (props.finished.clone(), props.focus, props.result.clone(), props.path.clone());
        use_memo(key, move |_| find_moves(&props).map(Rc::new))
    };
    let Some((summary, moves)) = moves.as_deref() else {
        return html! { <p class="dim" id="moving">{text("moving-large")}</p> };
    };
    let statement = if summary.is_bitcast {
        Message::ops("moving-nothing")
    } else if summary.filled == 0 && summary.copied < summary.total {
        Message::ops("moving-copies").with("all", grouped(summary.total)).with("from", summary.copied)
    } else {
        Message::ops("moving-some")
            .with("moved", grouped(summary.moved))
            .with("count", summary.moved)
            .with("all", grouped(summary.total))
            .with("filled", grouped(summary.filled))
            .with("new", summary.filled)
    };
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let slot = props.cursor.as_ref().and_then(|index| props.result.0.memory_map().slot(index));
    // The operand that the current element was copied from, by default the first.
    let operand =
        slot.and_then(|slot| moves.iter().find(|each| each.to_slot == slot)).map_or(0, |each| each.operand);
    let moves_from_operand = moves.iter().filter(|each| each.operand == operand);
    let slots: Rc<Vec<(i64, i64)>> =
        Rc::new(moves_from_operand.map(|each| (each.from_slot, each.to_slot)).collect());
    let from_slot = slots.iter().find(|(_, to)| Some(*to) == slot).map(|(from, _)| *from);
    // Moving the cursor of a strip selects the cell of the result that was copied from or to its slot.
    let on_cursor_move = |strip_slot: fn(&(i64, i64)) -> i64| {
        let (select, result, slots) = (props.select.clone(), props.result.clone(), slots.clone());
        Callback::from(move |action: crate::state::session::Action| {
            let crate::state::session::Action::MoveCursor(slot) = action else { return };
            // An operand's slot may be copied several times; the first copy is selected.
            if let Some((_, to)) = slots.iter().find(|pair| strip_slot(pair) == slot) {
                select.emit(result.0.slot_content(*to).1);
            }
        })
    };
    html! {
        <section class="moving">
            <div class="row wrap">
                <p id="moving" class={classes!(summary.is_bitcast.then_some("good"))}>{context.text(&statement)}</p>
                <button class="btn tiny" id="moving-show" onclick={toggle} aria-pressed={is_open.to_string()}>
                    {text("moving-show")}
                </button>
            </div>
            if let (true, Some(source)) = (*is_open, props.operands.get(operand)) {
                <StripPanel id="moving-from" label={text("moving-from")} array={source.clone()} line_bytes=64
                    slot_text={SlotText::Value} prefers_one_row=true highlights={SlotHighlights { cursor: from_slot, ..SlotHighlights::default() }}
                    hover={Callback::noop()} dispatch={on_cursor_move(|(from, _)| *from)} />
                <Connectors from={source.clone()} to={props.result.clone()} slots={slots.clone()} current={from_slot.zip(slot)} />
                <StripPanel id="moving-to" label={text("moving-to")} array={props.result.clone()} line_bytes=64
                    slot_text={SlotText::Value} prefers_one_row=true highlights={SlotHighlights { cursor: slot, ..SlotHighlights::default() }}
                    hover={Callback::noop()} dispatch={on_cursor_move(|(_, to)| *to)} />
            }
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ConnectorsProps {
    from: SharedArray,
    to: SharedArray,
    /// The slots in the operand and in the result of each copied element.
    slots: Rc<Vec<(i64, i64)>>,
    /// Those of the selected cell.
    current: Option<(i64, i64)>,
}

/// A line from each slot of the upper strip to each slot of the lower strip that holds its element.
#[component]
fn Connectors(props: &ConnectorsProps) -> Html {
    let frame = use_node_ref();
    let width = use_width(frame.clone());
    let is_drawn = width > 0.0 && element_moves::strips(&props.from.0, &props.to.0, width).is_some();
    let base = use_memo(
        (props.from.clone(), props.to.clone(), width, props.slots.clone()),
        |(from, to, width, slots)| {
            SharedScene(Rc::new(element_moves::scene(&from.0, &to.0, *width, slots, &[])))
        },
    );
    let overlay = use_memo(
        (props.from.clone(), props.to.clone(), width, props.current),
        |(from, to, width, current)| {
            let current: Vec<(i64, i64)> = current.iter().copied().collect();
            let scene: Scene = element_moves::scene(&from.0, &to.0, *width, &[], &current);
            SharedScene(Rc::new(scene))
        },
    );
    html! {
        <div class="connectors" ref={frame} aria-hidden="true">
            if is_drawn { <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} /> }
        </div>
    }
}
