//! The outline: computations as foldable nested groups, as a tree of which only the visible rows are drawn.
//!
//! The focus stays on the tree; arrows move the selection. Right, Enter and Left open, enter and leave a body.

use std::rc::Rc;

use yew::prelude::*;

use super::instruction_name::instruction_name;
use super::reading::{CHUNK_ROWS, Reading};
use super::source_mark::source_mark;
use super::virtual_list::VirtualList;
use crate::app::components::latest::{Latest, use_latest};
use crate::app::context::{Context, grouped, use_app_context};
use crate::app::keys;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{Call, Group, InstructionPath, OutlineRow, Query};

/// The height of a row, pixels; see the style sheet.
const ROW_HEIGHT: u32 = 24;

/// Maximum rows that are scrolled through: browsers limit the height of an element.
const MAX_ROWS: u64 = 500_000;

/// Maximum rows that are visited to find the groups around one.
const MAX_VISITED_ROWS: usize = 20_000;

/// Properties of [`OutlineTree`].
#[derive(Clone, PartialEq, Properties)]
pub struct OutlineTreeProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The selected instruction.
    pub selected: Option<InstructionPath>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The calls around a row, as far as the rows before it are loaded.
fn path_of(reading: &Reading, row: usize) -> Vec<Call> {
    let mut path = Vec::new();
    let Some(mut depth) = reading.row(row).map(|row| row.depth) else { return path };
    for before in (row.saturating_sub(MAX_VISITED_ROWS)..row).rev() {
        let Some(found) = reading.row(before) else { return Vec::new() };
        if found.depth < depth {
            depth = found.depth;
            if let Some(Group::Call(call)) = found.group.as_ref().map(|group| group.group) {
                path.push(call);
            }
        }
        if depth == 0 {
            break;
        }
    }
    path.reverse();
    path
}

/// The path to the instruction that a row selects: its own, or the root of a header's computation.
fn instruction_path(reading: &Reading, row: usize) -> Option<InstructionPath> {
    let found = reading.row(row)?;
    match (&found.instruction, &found.group) {
        (Some((at, _)), _) => Some(InstructionPath { at: *at, calls: path_of(reading, row) }),
        (None, Some(group)) => {
            let mut path = path_of(reading, row);
            if let Group::Call(call) = group.group {
                path.push(call);
            }
            Some(InstructionPath { at: group.root?, calls: path })
        }
        (None, None) => None,
    }
}

/// The tree.
#[component]
pub fn OutlineTree(props: &OutlineTreeProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let reading = props.reading.clone();
    let count = usize::try_from(reading.outline.total.min(MAX_ROWS)).unwrap_or(usize::MAX);
    let range = use_state_eq(|| (0_usize, 0_usize));
    {
        let ask = props.ask.clone();
        let version = reading.outline.version;
        // A query that was asked before another text is opened is dropped: the same rows are asked for again.
        let opened = reading.answer();
        let missing: Vec<usize> = (range.0 / CHUNK_ROWS..range.1.div_ceil(CHUNK_ROWS))
            .filter(|chunk| reading.row(chunk * CHUNK_ROWS).is_none() && chunk * CHUNK_ROWS < count)
            .collect();
        use_effect_with((opened, version, missing), move |(.., missing)| {
            for chunk in missing {
                ask.emit(Query::Outline { start: chunk * CHUNK_ROWS, count: CHUNK_ROWS });
            }
        });
    }
    let selected_at = props.selected.as_ref().map(|selected| selected.at);
    let revealed = reading.revealed.and_then(|(row, _)| usize::try_from(row).ok());
    let selected_row = revealed.filter(|row| reading.row(*row).is_none_or(|row| row.at() == selected_at));
    // Keys that follow one another fast act on the row that the last one selected, before it is revealed.
    let selected_row =
        selected_row.or_else(|| reading.nearest_row(selected_at?, revealed.unwrap_or_default()));
    let latest_row = use_latest(selected_row);
    let onkeydown = {
        let (reading, props) = (reading.clone(), props.clone());
        Callback::from(move |event: KeyboardEvent| {
            let action = key_action(&reading, &props, &latest_row, count, &keys::name(&event));
            if let Some(act) = action {
                event.prevent_default();
                act();
            }
        })
    };
    let row = {
        let (reading, ask, dispatch) = (reading.clone(), props.ask.clone(), props.dispatch.clone());
        let context = context.clone();
        let root_mark = text("program-root");
        let fold_labels = (text("program-open-body"), text("program-fold-body"));
        Callback::from(move |number: usize| {
            let Some(found) = reading.row(number) else {
                return html! { <div class="outline-row loading" key={number} aria-hidden="true"></div> };
            };
            let is_selected = match selected_row {
                Some(selected) => selected == number,
                None => found.instruction.as_ref().is_some_and(|(at, _)| Some(*at) == selected_at),
            };
            let onclick = {
                let (reading, dispatch) = (reading.clone(), dispatch.clone());
                Callback::from(move |_: MouseEvent| {
                    if let Some(instruction) = instruction_path(&reading, number) {
                        dispatch.emit(Action::Select(instruction));
                    }
                })
            };
            let fold = fold_button(found, &ask, &fold_labels);
            let is_open = found.group.as_ref().map(|group| group.is_open.to_string());
            let (position, count) = found.siblings.unzip();
            html! {
                <div class={classes!("outline-row", is_selected.then_some("selected"))} key={number} id={format!("row-{number}")} role="treeitem"
                    aria-level={(found.depth + 1).to_string()} aria-selected={is_selected.to_string()} aria-expanded={is_open}
                    aria-posinset={position.map(|position| position.to_string())}
                    aria-setsize={count.map(|count| count.to_string())}
                    style={format!("padding-left:{}px", 6 + 14 * found.depth.min(12))} {onclick}>
                    <span class="sr-only">{spoken_row(&context, found, &root_mark)}</span>
                    {fold}<span class="row-parts" aria-hidden="true">{row_content(found, &root_mark)}</span>
                </div>
            }
        })
    };
    let on_range = {
        let range = range.clone();
        use_callback((), move |to: (usize, usize), ()| range.set(to))
    };
    let active = selected_row.map(|row| AttrValue::from(format!("row-{row}")));
    // The selected row is in the document only while it is visible, and has no key before it is loaded.
    let active = active.filter(|_| {
        selected_row.is_some_and(|row| (range.0..range.1).contains(&row) && reading.row(row).is_some())
    });
    let reveal = reading.revealed.and_then(|(row, times)| Some((usize::try_from(row).ok()?, times)));
    html! {
        <VirtualList id="outline" class="outline" label={text("program-outline")} role="tree" {active} {count} row_height={ROW_HEIGHT}
            {reveal} {row} {on_range} {onkeydown} />
    }
}

/// A row for screen readers: what its parts are is seen from their places and colours.
fn spoken_row(context: &Context, row: &OutlineRow, root_mark: &AttrValue) -> String {
    let mut parts = Vec::new();
    if let Some((_, instruction)) = &row.instruction {
        parts.extend([instruction.name.clone(), instruction.opcode.clone()]);
        parts.extend(instruction.is_root.then(|| root_mark.to_string()));
        parts.push(instruction.shape.clone());
    }
    if let Some(group) = &row.group {
        if row.instruction.is_none() {
            parts.extend(Some(group.attribute.clone()).filter(|attribute| !attribute.is_empty()));
            parts.push(group.name.clone());
        }
        parts.push(context.text(&Message::program("program-size").with("count", group.size)).to_string());
    }
    parts.extend(row.source.as_ref().map(|source| source.location.clone()));
    parts.join(", ")
}

/// The button that opens or folds the group of a row.
fn fold_button(row: &OutlineRow, ask: &Callback<Query>, (open, fold): &(AttrValue, AttrValue)) -> Html {
    let Some(group) = &row.group else { return html! { <i class="no-fold"></i> } };
    let (to, is_open) = (group.group, !group.is_open);
    let onclick = {
        let ask = ask.clone();
        Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            ask.emit(Query::Fold { group: to, is_open });
        })
    };
    let label = if group.is_open { fold } else { open };
    // The tree has keys for this, and is one stop of the Tab key.
    html! {
        <button class={classes!("fold", group.is_open.then_some("open"))} tabindex="-1" aria-hidden="true" title={label} {onclick}>{"▸"}</button>
    }
}

fn row_content(row: &OutlineRow, root_mark: &AttrValue) -> Html {
    let size = row.group.as_ref().map(|group| {
        html! { <span class="size">{grouped(i64::try_from(group.size).unwrap_or(i64::MAX))}</span> }
    });
    match (&row.instruction, &row.group) {
        (Some((_, instruction)), _) => html! {
            <>
                {instruction_name(&instruction.name)}<span class="opcode">{&instruction.opcode}</span>
                if instruction.is_root { <span class="mark">{root_mark}</span> }
                <span class="shape">{&instruction.shape}</span>{size}
                {row.source.as_ref().map(source_mark).unwrap_or_default()}
            </>
        },
        (None, Some(group)) => html! {
            <>
                if !group.attribute.is_empty() { <span class="opcode">{&group.attribute}</span> }
                <span class="name computation">{&group.name}</span>{size}
            </>
        },
        (None, None) => Html::default(),
    }
}

/// The action of a key in the tree; `None` if the key has none.
fn key_action(
    reading: &Rc<Reading>,
    props: &OutlineTreeProps,
    selected: &Latest<Option<usize>>,
    count: usize,
    key: &str,
) -> Option<Box<dyn FnOnce()>> {
    let (dispatch, ask) = (props.dispatch.clone(), props.ask.clone());
    let go_to = |mut to: usize, step: isize| -> Option<Box<dyn FnOnce()>> {
        // A header's instruction is in another row, so headers are skipped.
        while reading.row(to).is_some_and(|row| row.instruction.is_none()) {
            to = to.checked_add_signed(step).filter(|to| *to < count)?;
        }
        let instruction = instruction_path(reading, to)?;
        let dispatch = dispatch.clone();
        let selected = selected.clone();
        Some(Box::new(move || {
            selected.set(Some(to));
            dispatch.emit(Action::Select(instruction));
        }))
    };
    let row = selected.get().unwrap_or(0);
    let last = count.saturating_sub(1);
    let group = reading.row(row).and_then(|row| row.group.clone());
    match key {
        "ArrowDown" => go_to((row + 1).min(last), 1),
        "ArrowUp" => go_to(row.saturating_sub(1), -1),
        "PageDown" => go_to((row + 20).min(last), 1),
        "PageUp" => go_to(row.saturating_sub(20), -1),
        "Home" => go_to(0, 1),
        "End" => go_to(last, -1),
        "ArrowRight" => match group {
            Some(group) if !group.is_open => {
                Some(Box::new(move || ask.emit(Query::Fold { group: group.group, is_open: true })))
            }
            Some(_) => go_to(row + 1, 1),
            None => None,
        },
        "ArrowLeft" => match group {
            Some(group) if group.is_open && matches!(group.group, Group::Call(_)) => {
                Some(Box::new(move || ask.emit(Query::Fold { group: group.group, is_open: false })))
            }
            _ => leave(reading, row, dispatch),
        },
        "Enter" => {
            let group = group?;
            let mut path = path_of(reading, row);
            if let Group::Call(call) = group.group {
                path.push(call);
            }
            let instruction = InstructionPath { at: group.root?, calls: path };
            Some(Box::new(move || dispatch.emit(Action::Select(instruction))))
        }
        "Backspace" => leave(reading, row, dispatch),
        _ => None,
    }
}

/// Selects the call of the innermost body around a row.
fn leave(reading: &Reading, row: usize, dispatch: Callback<Action>) -> Option<Box<dyn FnOnce()>> {
    let mut path = path_of(reading, row);
    let call = path.pop()?;
    Some(Box::new(move || dispatch.emit(Action::Select(InstructionPath { at: call.at, calls: path }))))
}
