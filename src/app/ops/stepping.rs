//! Keyboard shortcuts of the Ops screen for stepping through output cells and within one, and scrolling after a step.

use wasm_bindgen::JsValue;
use yew::prelude::*;

use super::catalogue;
use super::pictures::CellStep;
use super::stage::CellOnScreen;
use crate::app::components::header::Dialog;
use crate::app::components::latest::use_latest;
use crate::app::context::Context;
use crate::app::keys::PageKeys;
use crate::interaction::keys::Command;
use crate::state::experiment::session::Action;

/// The state of the player and of the steps within the cell.
#[derive(Clone)]
pub struct Stepping {
    /// The current output cell, or the current iteration of a loop.
    pub cursor: i64,
    /// The number of output cells or iterations.
    pub cells: i64,
    /// Moves to a cell or an iteration.
    pub move_to: Callback<i64>,
    /// The current output cell.
    pub result: i64,
    /// The number of steps within the cell.
    pub steps: i64,
    /// The current step.
    pub step: CellStep,
}

/// The width in pixels up to which operands and result are one column.
const NARROW_PIXELS: f64 = 820.0;

/// Space between the result and the sticky elements at the window's edges, in pixels.
const MARGIN_PIXELS: f64 = 8.0;

/// Scrolls to the result after each step, so that neither the derivation nor the player covers it.
#[hook]
fn use_result_in_view(cursor: i64, step: i64) {
    let is_first = use_mut_ref(|| true);
    use_effect_with((cursor, step), move |_| {
        if !is_first.replace(false) {
            let _ = scroll_to_result();
        }
    });
}

fn scroll_to_result() -> Option<()> {
    let window = gloo::utils::window();
    let size = |value: Result<JsValue, JsValue>| value.ok()?.as_f64();
    let document = gloo::utils::document();
    let rect = |selector| Some(document.query_selector(selector).ok()??.get_bounding_client_rect());
    let is_narrow = size(window.inner_width())? <= NARROW_PIXELS;
    let player = size(window.inner_height())? - rect(".player")?.height();
    let (result, end) = if is_narrow {
        (rect(".results .panel")?, player)
    } else {
        // The derivation sticks to the player; the result must end above it.
        let end = rect(".working").map_or(player, |working| working.top().min(player));
        (rect(".results .panel:has(.lit) .canvas-grid").or_else(|| rect(".results .canvas-grid"))?, end)
    };
    let margin = if is_narrow { 0.0 } else { MARGIN_PIXELS };
    let (top, hidden) = (result.top() - margin, result.bottom() + margin - end);
    let distance = if hidden > 0.0 { hidden.min(top) } else { top.min(0.0) };
    if distance != 0.0 {
        window.scroll_by_with_x_and_y(0.0, distance);
    }
    Some(())
}

/// Performs the page's shortcuts, and keeps the result in view.
#[hook]
pub fn use_keys(
    context: &Context,
    dispatch: &Callback<Action>,
    stepping: &Stepping,
    playing: &UseStateHandle<bool>,
    pinned: &UseStateHandle<Option<CellOnScreen>>,
    dialog: &UseStateHandle<Option<Dialog>>,
) {
    use_result_in_view(stepping.result, stepping.step.current);
    let letter_keys = context.preferences.letter_keys;
    let (dispatch, playing, pinned, dialog) =
        (dispatch.clone(), playing.clone(), pinned.clone(), dialog.clone());
    let Stepping { cells, move_to, steps: step_count, step: CellStep { move_to: move_to_step, .. }, .. } =
        stepping.clone();
    let position = use_latest((stepping.cursor, stepping.step.current));
    let dependencies =
        (letter_keys, stepping.cursor, cells, *playing, stepping.step.current, step_count, move_to);
    use_effect_with(dependencies, move |(letter_keys, _, cells, is_playing, .., move_to)| {
        let (letter_keys, last, is_playing) = (*letter_keys, (*cells - 1).max(0), *is_playing);
        let move_to = {
            let (move_to, position) = (move_to.clone(), position.clone());
            move |by: i64| {
                let to = (position.get().0 + by).clamp(0, last);
                position.set((to, 0));
                move_to.emit(to);
            }
        };
        let keys = PageKeys::listen(letter_keys, move |command| {
            match command {
                Command::Step(by) => move_to(by),
                // Steps within the cell, and past its ends to the adjacent cell.
                Command::StepSource(by) => {
                    let (cursor, step) = position.get();
                    match step.checked_add(by).filter(|to| (0..=step_count).contains(to)) {
                        Some(to) => {
                            position.set((cursor, to));
                            move_to_step.emit(to);
                        }
                        None => move_to(by),
                    }
                }
                // A single cell cannot be played.
                Command::TogglePlayback => playing.set(!is_playing && last > 0),
                Command::Undo => dispatch.emit(Action::Undo),
                Command::Redo => dispatch.emit(Action::Redo),
                Command::Share => dialog.set(Some(Dialog::Share)),
                Command::Help => dialog.set(Some(Dialog::Help)),
                Command::FocusSearch => catalogue::focus_search(),
                Command::ClearHighlights => pinned.set(None),
                Command::GoTo | Command::ShowTiles | Command::ShowPadding | Command::ShowFormula => {
                    return false;
                }
            }
            // Escape must still reach an open dialog.
            command != Command::ClearHighlights
        });
        move || drop(keys)
    });
}
