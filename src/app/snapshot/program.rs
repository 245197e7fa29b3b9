//! The instructions of a program, and the selected one: its operands, its result, and how the current cell was computed.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::embedding_page::use_embedding_page;
use super::shared::{SharedSnapshot, message, problem_notice, use_player_keys};
use super::shown::{Shown, ShownArray};
use crate::app::components::array_panel::ArrayPanel;
use crate::app::components::derivation_line::DerivationLine;
use crate::app::components::follow::scroll_to_current;
use crate::app::components::hover::use_hover;
use crate::app::components::player::{Player, PlayerLabels};
use crate::app::components::window::{WINDOW_SIZE, use_window, window_bar};
use crate::app::context::{Context, use_app_context};
use crate::array::Dims;
use crate::array::index::{multi_index, row_major_index};
use crate::i18n::Message;
use crate::snapshot::data::Entry;
use crate::snapshot::selection::{Position, SelectionRequest};
use crate::view::derivation::Derivation;
use crate::view::instruction_area::SelectedCell;
use crate::view::sources::{CellHighlights, HighlightedCell};

/// Properties of [`Program`].
#[derive(Clone, PartialEq, Properties)]
pub struct ProgramProps {
    /// The snapshot.
    pub snapshot: SharedSnapshot,
}

/// A cell of a shown array.
type Cell = (usize, Dims);

/// The program.
#[component]
pub fn Program(props: &ProgramProps) -> Html {
    let snapshot = &props.snapshot.0;
    let position = use_state_eq(|| snapshot.start_of(snapshot.selected));
    let selected = position.entry;
    let entries = &snapshot.entries;
    let window = use_window(entries.len(), Some(selected));
    let context = use_app_context();
    let select = {
        let (position, snapshot) = (position.clone(), snapshot.clone());
        Callback::from(move |number: usize| {
            if number != position.entry {
                position.set(snapshot.start_of(number));
            }
        })
    };
    let request = {
        let (position, snapshot) = (position.clone(), snapshot.clone());
        Callback::from(move |request: SelectionRequest| {
            let requested = snapshot.requested(&request, &position);
            let exists = requested.is_some();
            if let Some(requested) = requested {
                position.set(requested);
            }
            exists
        })
    };
    use_embedding_page(snapshot.selection(&position), request);
    let list = use_visible_entry(selected);
    let steps = entries.iter().enumerate().skip(window.range.start).take(window.range.len());
    let steps = steps.map(|(index, entry)| {
        let onclick = select.reform(move |_: MouseEvent| index);
        let current = (index == selected).then_some("true");
        html! {
            <li key={index}>
                <button class="snapshot-step" {onclick} aria-current={current} data-name={entry.name.clone()}><code>{text_of(entry)}</code></button>
            </li>
        }
    });
    let program = html! {
        if entries.len() > 1 {
            <nav class="snapshot-program" ref={list} aria-label={context.text(&Message::ops("snapshot-program"))}>
                if entries.len() > WINDOW_SIZE {
                    {window_bar(&context, "steps", context.text(&Message::ops("snapshot-program")), &window)}
                }
                <ol class="snapshot-steps" start={(window.range.start + 1).to_string()}>{for steps}</ol>
            </nav>
        }
    };
    let move_to = {
        let position = position.clone();
        Callback::from(move |to: Position| position.set(to))
    };
    html! {
        <Selected key={selected} snapshot={props.snapshot.clone()} position={(*position).clone()} {program} {select} {move_to} />
    }
}

/// Scrolls the list, and nothing around it, to the selected entry; returns the reference to the list.
#[hook]
fn use_visible_entry(selected: usize) -> NodeRef {
    let list = use_node_ref();
    let node = list.clone();
    use_effect_with(selected, move |_| scroll_to_current(&node, "[aria-current]"));
    list
}

/// The text of an instruction.
fn text_of(entry: &Entry) -> String {
    if entry.text.is_empty() { entry.name.clone() } else { entry.text.clone() }
}

/// Properties of [`Selected`].
#[derive(Clone, PartialEq, Properties)]
struct SelectedProps {
    snapshot: SharedSnapshot,
    position: Position,
    /// The instructions of the program.
    program: Html,
    /// Selects another entry.
    select: Callback<usize>,
    /// Selects another cell.
    move_to: Callback<Position>,
}

/// The selected instruction.
#[component]
fn Selected(props: &SelectedProps) -> Html {
    let context = use_app_context();
    let map = context.preferences.colour_map.colours();
    let number = props.position.entry;
    let shown = use_memo((props.snapshot.clone(), number, map), |(snapshot, number, map)| {
        Shown::new(snapshot, *number, *map)
    });
    let operand_arrays = shown.arrays.iter().take_while(|each| each.operand.is_some()).count();
    let first_result = || shown.arrays.iter().position(|each| each.operand.is_none() && each.array.is_some());
    let result = props.position.array.map(|array| operand_arrays + array).or_else(first_result);
    let result = result.filter(|i| shown.arrays.get(*i).is_some_and(|each| each.array.is_some()));
    let hover = use_hover::<Cell, _>(props.position.clone());
    let playing = use_state_eq(|| false);
    let memories = use_state_eq(BTreeSet::<String>::new);
    let sizes = result.map(|i| shown.arrays[i].sizes.clone()).unwrap_or_default();
    let cells = if result.is_some() { sizes.iter().product::<i64>() } else { 0 };
    let at = props.position.cell.clamp(0, (cells - 1).max(0));
    let move_to = {
        let position = props.position.clone();
        props.move_to.reform(move |cell: i64| Position { cell, ..position.clone() })
    };
    use_player_keys(at, cells, &move_to, &playing, &Callback::noop());
    let current: Option<Cell> = result.filter(|_| cells > 0).map(|i| (i, multi_index(at, &sizes)));
    let hovered_operand =
        hover.as_ref().filter(|(i, _)| shown.arrays.get(*i).is_some_and(|each| each.operand.is_some()));
    let cell = hover.as_ref().filter(|_| hovered_operand.is_none()).cloned().or(current.clone());
    let (marked, derivation) = match (hovered_operand, &cell) {
        (Some((i, index)), _) => (shown.uses(*i, index), None),
        (None, Some((i, index))) => (shown.sources(*i, index), shown.derivation(*i, index)),
        (None, None) => (vec![Vec::new(); shown.arrays.len()], None),
    };
    let screen_reader_text: AttrValue = derivation.as_ref().map(Derivation::text).unwrap_or_default().into();
    let panels = shown.arrays.iter().enumerate().map(|(i, each)| {
        let choose = {
            let (move_to, sizes) = (props.move_to.clone(), each.sizes.clone());
            // Cells of operands cannot be selected.
            let array = i.checked_sub(operand_arrays);
            Callback::from(move |index: Dims| {
                if array.is_some() {
                    move_to.emit(Position { entry: number, array, cell: row_major_index(&index, &sizes) });
                }
            })
        };
        let panel = PanelOf {
            context: &context,
            number: i,
            each,
            marked: &marked[i],
            current: &current,
            hover: &hover,
            memories: &memories,
            screen_reader_text: &screen_reader_text,
        };
        (each.operand, panel.html(choose))
    });
    let (operands, results): (Vec<_>, Vec<_>) = panels.partition(|(operand, _)| operand.is_some());
    let entry = props.snapshot.0.entries.get(number);
    let play = {
        let playing = playing.clone();
        Callback::from(move |on: bool| playing.set(on))
    };
    let has_operands = !operands.is_empty();
    let is_untraced = has_operands && shown.reads.is_none() && shown.problem.is_none() && !results.is_empty();
    html! {
        <>
            <main class={classes!("embed", "snapshot", (props.snapshot.0.entries.len() > 1).then_some("with-program"))}>
                {props.program.clone()}
                <div class="snapshot-stage">
                    {entry.map(|entry| heading(entry, &props.snapshot, &props.select)).unwrap_or_default()}
                    {shown.problem.map(|problem| problem_notice(&context.text(&message(problem)))).unwrap_or_default()}
                    <div class="flow">
                        if has_operands { <div class="operands">{for operands.into_iter().map(|(_, panel)| panel)}</div> }
                        <div class="outputs">
                            if has_operands { <div class="arrow" aria-hidden="true">{"→"}</div> }
                            <div class="results">{for results.into_iter().map(|(_, panel)| panel)}</div>
                        </div>
                    </div>
                    if let Some(derivation) = derivation {
                        <div class="working"><DerivationLine {derivation} out_of_range_starts={Vec::new()} winners={Vec::<SelectedCell>::new()} /></div>
                    }
                    if is_untraced { <p class="dim" id="snapshot-untraced">{context.text(&Message::ops("snapshot-untraced"))}</p> }
                </div>
            </main>
            <Player {cells} cursor={at} is_playing={*playing} {play} {move_to} labels={PlayerLabels::OUTPUTS} />
            <p class="sr-only" role="status" id="spoken">{screen_reader_text}</p>
        </>
    }
}

/// The instruction with its formula; its operands select theirs.
fn heading(entry: &Entry, SharedSnapshot(snapshot): &SharedSnapshot, select: &Callback<usize>) -> Html {
    let operands = entry.operands.iter().map(|operand| {
        let name = snapshot.entries.get(operand.entry).map(|entry| entry.name.clone()).unwrap_or_default();
        let number = operand.entry;
        let onclick = select.reform(move |_: MouseEvent| number);
        html! { <button class="btn tiny" {onclick}><span class="dim">{format!("{} ", operand.label)}</span>{name}</button> }
    });
    html! {
        <div class="snapshot-head">
            <h2><code>{text_of(entry)}</code></h2>
            if !entry.formula.is_empty() { <p class="formula">{&entry.formula}</p> }
            if snapshot.entries.len() > 1 && !entry.operands.is_empty() { <p class="row wrap">{for operands}</p> }
        </div>
    }
}

/// The panel of an array.
struct PanelOf<'a> {
    context: &'a Context,
    number: usize,
    each: &'a ShownArray,
    marked: &'a [HighlightedCell],
    /// The current cell of the result.
    current: &'a Option<Cell>,
    hover: &'a UseStateHandle<Option<Cell>>,
    /// The titles of the panels whose memory is shown.
    memories: &'a UseStateHandle<BTreeSet<String>>,
    screen_reader_text: &'a AttrValue,
}

impl PanelOf<'_> {
    fn html(&self, choose: Callback<Dims>) -> Html {
        let ShownArray { title, name, shape, array, operand, .. } = self.each;
        let number = self.number;
        let Some(array) = array else {
            return html! {
                <section class="panel none" key={number}>
                    <div class="panel-head"><h3>{title}{" "}<span class="dim">{name}</span></h3><code class="shape">{shape}</code></div>
                    <p class="dim">{self.context.text(&Message::ops("snapshot-omitted"))}</p>
                </section>
            };
        };
        let of_panel =
            |cell: &Option<Cell>| cell.as_ref().filter(|(i, _)| *i == number).map(|(_, index)| index.clone());
        let highlights = CellHighlights {
            cells: self.marked.to_vec(),
            cursor: of_panel(self.current),
            hover: of_panel(self.hover),
            ..CellHighlights::default()
        };
        let hover = {
            let hover = self.hover.clone();
            Callback::from(move |index: Option<Dims>| hover.set(index.map(|index| (number, index))))
        };
        let toggle_memory = {
            let (memories, title) = (self.memories.clone(), title.clone());
            Callback::from(move |()| {
                let mut shown = (*memories).clone();
                if !shown.remove(&title) {
                    shown.insert(title.clone());
                }
                memories.set(shown);
            })
        };
        let cell_description = match (operand, &highlights.cursor) {
            (None, Some(_)) => self.screen_reader_text.clone(),
            _ => self.context.text(&Message::ops("operand-no-cell")),
        };
        html! {
            <ArrayPanel key={number} id={format!("array-{number}")} title={title.clone()} name={name.clone()} array={array.clone()} {highlights}
                {cell_description} heading={html! { <code class="shape">{shape}</code> }} {toggle_memory}
                shows_memory={self.memories.contains(title)} {hover} {choose} window_counts={Dims::new()} on_drag={Callback::<Dims>::noop()} />
        }
    }
}
