//! Both programs as one aligned list, of which only the visible rows are drawn. The focus stays on the list; arrows move from
//! difference to difference.

use std::rc::Rc;

use yew::prelude::*;

use super::compared::{CHUNK_ROWS, Compared};
use crate::app::components::latest::use_latest;
use crate::app::context::{Context, grouped, use_app_context};
use crate::app::keys;
use crate::app::program::virtual_list::VirtualList;
use crate::i18n::Message;
use crate::worker::program::wire::{
    CompareQuery, CompareRow, CompareSide, CompareSummary, Kind, Mark, Query, Shown,
};

/// The height of a row, pixels; see the style sheet.
const ROW_HEIGHT: u32 = 44;

/// Maximum characters of an instruction in the list.
const MAX_CHARS: usize = 300;

/// The sign of a kind in the list, so that kinds do not differ by colour alone.
pub fn sign(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::Changed) => "≠",
        Some(Kind::Deleted) => "−",
        Some(Kind::Inserted) => "+",
        Some(Kind::Moved) => "→",
        Some(Kind::LayoutChanged) => "▦",
        Some(Kind::AnnotationsChanged) => "@",
        Some(Kind::Renamed) => "ab",
        Some(Kind::Reordered) => "⇅",
        None => "=",
    }
}

/// The name of a kind in class names.
pub fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::Changed) => "changed",
        Some(Kind::Deleted) => "deleted",
        Some(Kind::Inserted) => "inserted",
        Some(Kind::Moved) => "moved",
        Some(Kind::LayoutChanged) => "layout",
        Some(Kind::AnnotationsChanged) => "annotations",
        Some(Kind::Renamed) => "renamed",
        Some(Kind::Reordered) => "reordered",
        None => "same",
    }
}

/// The message key of a kind.
pub fn kind_key(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::Changed) => "program-compare-changed",
        Some(Kind::Deleted) => "program-compare-deleted",
        Some(Kind::Inserted) => "program-compare-inserted",
        Some(Kind::Moved) => "program-compare-moved",
        Some(Kind::LayoutChanged) => "program-compare-layout",
        Some(Kind::AnnotationsChanged) => "program-compare-annotations",
        Some(Kind::Renamed) => "program-compare-renamed",
        Some(Kind::Reordered) => "program-compare-reordered",
        None => "program-compare-unchanged",
    }
}

/// The text of an instruction with its differences marked; at most `max_chars` characters.
pub fn pieces(side: &CompareSide, max_chars: usize) -> Html {
    let mut remaining = max_chars;
    let mut drawn = Vec::new();
    for (text, mark) in &side.pieces {
        let end = text.char_indices().nth(remaining).map_or(text.len(), |(end, _)| end);
        let shown = text.get(..end).unwrap_or_default().to_owned();
        remaining = remaining.saturating_sub(shown.chars().count());
        let is_cut = end < text.len();
        drawn.push(match mark {
            Mark::Same => html! { {shown} },
            Mark::Renamed => html! { <span class="renamed">{shown}</span> },
            Mark::Different => html! { <mark>{shown}</mark> },
            Mark::Counterpart => html! { <span class="counterpart">{shown}</span> },
        });
        if is_cut {
            drawn.push(html! { {"…"} });
            break;
        }
    }
    html! { <>{for drawn}</> }
}

/// Properties of [`AlignedList`].
#[derive(Clone, PartialEq, Properties)]
pub struct AlignedListProps {
    /// The comparison.
    pub compared: Rc<Compared>,
    /// The summary of the differences.
    pub summary: Rc<CompareSummary>,
    /// The kinds of rows that are shown.
    pub shown: Shown,
    /// The selected row.
    pub selected: usize,
    /// Selects a row.
    pub select: Callback<usize>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The row that an arrow key selects: the next one in a direction that is not a header.
pub fn next_row(compared: &Compared, from: usize, step: isize, count: usize) -> Option<usize> {
    let mut to = from;
    loop {
        to = to.checked_add_signed(step).filter(|to| *to < count)?;
        if !compared.row(to).is_some_and(|row| row.is_header && row.kind.is_none()) {
            return Some(to);
        }
    }
}

/// The list.
#[component]
pub fn AlignedList(props: &AlignedListProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let AlignedListProps { compared, shown, select, .. } = props;
    let is_current = compared.shown == *shown && compared.total.is_some();
    let count = compared.total.filter(|_| is_current).unwrap_or(0);
    let range = use_state_eq(|| (0_usize, 0_usize));
    {
        let ask = props.ask.clone();
        let (id, shown) = (compared.id, *shown);
        let chunks = range.0 / CHUNK_ROWS..range.1.max(1).div_ceil(CHUNK_ROWS);
        let is_missing = |chunk: &usize| {
            !is_current || (chunk * CHUNK_ROWS < count && compared.row(chunk * CHUNK_ROWS).is_none())
        };
        let missing: Vec<usize> = chunks.filter(is_missing).collect();
        use_effect_with((id, shown, missing), move |(id, shown, missing)| {
            for chunk in missing {
                let start = chunk * CHUNK_ROWS;
                let rows = CompareQuery::Rows { id: *id, shown: *shown, start, count: CHUNK_ROWS };
                ask.emit(Query::Compare(rows));
            }
        });
    }
    let selected = props.selected;
    let latest_row = use_latest(selected);
    let onkeydown = {
        let (compared, select) = (compared.clone(), select.clone());
        Callback::from(move |event: KeyboardEvent| {
            let (last, selected) = (count.saturating_sub(1), latest_row.get());
            let to = match keys::name(&event).as_str() {
                "ArrowDown" => next_row(&compared, selected, 1, count),
                "ArrowUp" => next_row(&compared, selected, -1, count),
                "PageDown" => Some((selected + 8).min(last)),
                "PageUp" => Some(selected.saturating_sub(8)),
                "Home" => Some(0),
                "End" => Some(last),
                _ => return,
            };
            event.prevent_default();
            if let Some(to) = to {
                latest_row.set(to);
                select.emit(to);
            }
        })
    };
    let row = {
        let (context, compared, select) = (context.clone(), compared.clone(), select.clone());
        Callback::from(move |number: usize| {
            let Some(row) = compared.row(number) else {
                return html! { <div class="compare-row loading" key={number} aria-hidden="true"></div> };
            };
            let onclick = select.reform(move |_: MouseEvent| number);
            aligned_row(&context, number, row, number == selected, &onclick)
        })
    };
    let on_range = {
        let range = range.clone();
        use_callback((), move |to: (usize, usize), ()| range.set(to))
    };
    let is_visible = (range.0..range.1).contains(&selected) && selected < count;
    let active = is_visible.then(|| AttrValue::from(format!("compare-row-{selected}")));
    // The list says its own steps; those of the buttons and keys elsewhere are said here.
    let is_focused =
        gloo::utils::document().active_element().is_some_and(|active| active.id() == "compare-list");
    let spoken = compared.row(selected).filter(|_| !is_focused).map(|row| spoken_row(&context, row));
    html! {
        <>
            <p class="sr-only" role="status" id="compare-spoken">{spoken}</p>
            <div class="compare-names" aria-hidden="true">
                <span>{side_name(&context, &props.summary, 0)}</span><span>{side_name(&context, &props.summary, 1)}</span>
            </div>
            if is_current && count == 0 {
                <p class="compare-none" id="compare-none">{text("program-compare-none-shown")}</p>
            } else {
                <VirtualList id="compare-list" class="compare-list" label={text("program-compare-list")} role="listbox" {active} {count}
                    row_height={ROW_HEIGHT} reveal={Some((selected, 0))} {row} {on_range} {onkeydown} />
            }
        </>
    }
}

/// The first or the second program, before its part of a row.
fn side_label(context: &Context, side: usize) -> String {
    let key = if side == 0 { "program-compare-first" } else { "program-compare-second" };
    format!("{}: ", context.text(&Message::program(key)))
}

/// The kind of a row. In a computation that only one program has, the instructions have no kind of their own.
fn kind_of_row(row: &CompareRow) -> Option<Kind> {
    row.kind.or(match &row.sides {
        _ if row.is_header => None,
        [Some(_), None] => Some(Kind::Deleted),
        [None, Some(_)] => Some(Kind::Inserted),
        _ => None,
    })
}

/// The selected row as text, for screen readers.
fn spoken_row(context: &Context, row: &CompareRow) -> String {
    let kind = context.text(&Message::program(kind_key(kind_of_row(row))));
    let side = |(number, side): (usize, &Option<CompareSide>)| {
        let text: String = side.as_ref()?.pieces.iter().map(|(text, _)| text.as_str()).collect();
        Some(format!("{}{text}", side_label(context, number)))
    };
    let sides = row.sides.iter().enumerate().filter_map(side);
    std::iter::once(kind.to_string()).chain(sides).collect::<Vec<_>>().join("; ")
}

/// The name of a program and its size.
fn side_name(context: &Context, summary: &CompareSummary, side: usize) -> Html {
    let count = grouped(i64::try_from(summary.instructions[side]).unwrap_or(i64::MAX));
    let key = if side == 0 { "program-compare-first" } else { "program-compare-second" };
    html! { <><b>{context.text(&Message::program(key))}</b>{" "}<code>{&summary.names[side]}</code>{" "}<span class="dim">{count}</span></> }
}

fn aligned_row(
    context: &Context,
    number: usize,
    row: &CompareRow,
    is_selected: bool,
    onclick: &Callback<MouseEvent>,
) -> Html {
    let side = |side: usize| match &row.sides[side] {
        Some(shown) => html! {
            <code class="side"><span class="sr-only">{side_label(context, side)}</span>{pieces(shown, MAX_CHARS)}</code>
        },
        None => html! { <span class="side none" aria-hidden="true"></span> },
    };
    // The same text twice says nothing.
    let is_header = row.is_header && row.kind.is_none();
    let row_kind = kind_of_row(row);
    let kind = context.text(&Message::program(kind_key(row_kind)));
    let class = classes!(
        "compare-row",
        kind_name(row_kind),
        is_selected.then_some("selected"),
        row.is_header.then_some("header")
    );
    html! {
        <div {class} key={number} id={format!("compare-row-{number}")} role="option" aria-selected={is_selected.to_string()} {onclick}>
            if is_header {
                {side(1)}
            } else {
                <span class="sign" title={kind.clone()}><span aria-hidden="true">{sign(row_kind)}</span><span class="sr-only">{kind}</span></span>
                {side(0)}{side(1)}
            }
        </div>
    }
}
