//! The gallery, which the screen shows if no op is selected: six ops, each with a picture of its first example.
//!
//! Hovering a picture steps through its output cells once, unless the user prefers reduced motion.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::lists::{self, Order};
use super::op_opener::OpOpener;
use super::paste_program::PasteProgram;
use crate::app::components::derivation_line::{parts, role_class};
use crate::app::components::help::lecture_link;
use crate::app::components::link_field::LinkField;
use crate::app::components::modal::Modal;
use crate::app::context::use_app_context;
use crate::app::prefs::reduced_motion;
use crate::documents;
use crate::i18n::Message;
use crate::ops::{self, OpDef};
use crate::state::experiment::link;
use crate::state::experiment::session::Action;
use crate::state::experiment::{Experiment, preset};
use crate::view::miniature::{Miniature, Snapshot, Table};

/// The opcodes, with the message keys of their descriptions, and the initially selected output cells.
const EXHIBITS: [(&str, &str, usize); 6] = [
    ("pad", "gallery-pad", 10),
    ("reduce-window", "gallery-reduce-window", 1),
    ("convolution", "gallery-convolution", 4),
    ("dot", "gallery-dot", 1),
    ("gather", "gallery-gather", 0),
    ("while", "gallery-while", 3),
];

/// Properties of [`Gallery`].
#[derive(Clone, PartialEq, Properties)]
pub struct GalleryProps {
    /// The order of the catalogue next to it; that of the documentation has fewer ops.
    pub order: Order,
    /// Opens the op that the user chooses.
    pub opener: OpOpener,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// Six ops, each with a picture of its first example.
#[component]
pub fn Gallery(props: &GalleryProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let (more, count) = match props.order {
        Order::Categories => ("gallery-more", ops::all().filter(|op| !op.meta().examples.is_empty()).count()),
        Order::Documentation => ("gallery-more-documents", documents::entries().count()),
    };
    let exhibits = EXHIBITS.iter().filter_map(|(opcode, key, start)| {
        let id = match props.order {
            Order::Categories => *opcode,
            Order::Documentation => documents::entries().find(|entry| entry.opcode == *opcode)?.name,
        };
        Some(html! { <Exhibit key={*opcode} opcode={*opcode} {id} description={text(key)} start={*start} /> })
    });
    html! {
        <section class="stage gallery" id="stage" tabindex="-1" aria-labelledby="gallery-title">
            <div class="gallery-head">
                <h2 id="gallery-title">{text("gallery-title")}</h2>
                <p>{text("gallery-lead")}</p>
                <PasteProgram dispatch={props.dispatch.clone()} />
            </div>
            <ul class="exhibits" id="gallery" onclick={props.opener.on_link_click()}>{for exhibits}</ul>
            <p class="gallery-more">
                <span>{context.text(&Message::ops(more).with("count", count))}</span>{" "}
                {lecture_link(&context, "lecture")}
            </p>
        </section>
    }
}

/// The dialog "Share" of the gallery: its link.
#[component]
pub fn ShareGallery(props: &ShareGalleryProps) -> Html {
    let context = use_app_context();
    html! {
        <Modal id="share-dialog" title={context.text_of_key("share")} close={props.close.clone()}>
            <LinkField fragment={link::write(&Experiment::empty())} />
        </Modal>
    }
}

/// Properties of [`ShareGallery`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShareGalleryProps {
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// Properties of [`Exhibit`].
#[derive(Clone, PartialEq, Properties)]
struct ExhibitProps {
    opcode: &'static str,
    /// The op, or the entry of the documentation, that it opens.
    id: &'static str,
    /// The description of the picture.
    description: AttrValue,
    /// The initially selected output cell.
    start: usize,
}

/// Milliseconds per output cell of the animation.
const STEP_MS: u32 = 550;

/// A picture with the name of its op and a description.
#[component]
fn Exhibit(props: &ExhibitProps) -> Html {
    let context = use_app_context();
    let picture = use_memo(props.opcode, |opcode| {
        let meta = ops::find(opcode).map(OpDef::meta)?;
        Miniature::new(&preset::for_op(meta).next()?.experiment())
    });
    let count = (*picture).as_ref().map_or(0, Miniature::selectable_count);
    // The selected output cell, and the remaining steps of the animation.
    let animation = use_state_eq(|| (props.start, 0_usize));
    {
        let setter = animation.setter();
        use_effect_with((*animation, count), move |((cell, remaining), count)| {
            let (cell, remaining, count) = (*cell, *remaining, (*count).max(1));
            let timer = (remaining > 0)
                .then(|| Timeout::new(STEP_MS, move || setter.set(((cell + 1) % count, remaining - 1))));
            move || drop(timer)
        });
    }
    let set_remaining = |steps: usize| {
        let (setter, cell) = (animation.setter(), animation.0);
        move || setter.set((cell, if reduced_motion() { 0 } else { steps }))
    };
    let (begin, end) = (set_remaining(count), set_remaining(0));
    let onmouseenter = Callback::from(move |_: MouseEvent| begin());
    let onmouseleave = Callback::from(move |_: MouseEvent| end());
    let Some(meta) = ops::find(props.opcode).map(OpDef::meta) else { return Html::default() };
    let snapshot = (*picture).as_ref().map(|picture| picture.select(animation.0));
    let caption = snapshot.as_ref().map(|snapshot| match &snapshot.derivation {
        Some(derivation) => parts(&context, derivation),
        None => context
            .text(
                &Message::ops("gallery-iteration")
                    .with("number", animation.0)
                    .with("count", count.max(1) - 1),
            )
            .into(),
    });
    let href = format!("#{}", lists::address(props.id));
    html! {
        <li class="exhibit" {onmouseenter} {onmouseleave}>
            <h3><a {href}>{meta.title}</a></h3>
            <p>{&props.description}</p>
            if let Some(snapshot) = &snapshot { {drawing(snapshot)} }
            <p class="formula">{caption}</p>
        </li>
    }
}

/// The side of a cell.
const CELL: usize = 26;
/// The space between arrays.
const GAP: usize = 14;
/// The space for the arrow before the result.
const ARROW: usize = 34;
/// Minimum width and height of a drawing, so that the cells of all pictures have the same size.
const MIN_SIZE: (usize, usize) = (356, 152);

/// The arrays side by side.
fn drawing(snapshot: &Snapshot) -> Html {
    // The states of a loop have arrows between them.
    let (is_loop, step) = match snapshot.derivation {
        Some(_) => (false, CELL),
        None => (true, CELL + GAP),
    };
    let width_of = |table: &Table| table.columns * step - (step - CELL);
    let rows_of = |table: &Table| table.cells.len().div_ceil(table.columns.max(1));
    let mut x = 0;
    let mut lefts = Vec::new();
    for (index, table) in snapshot.tables.iter().enumerate() {
        if index > 0 && !is_loop {
            x += if table.is_result { ARROW } else { GAP };
        }
        lefts.push(if is_loop { 0 } else { x });
        x = if is_loop { x.max(width_of(table)) } else { x + width_of(table) };
    }
    let rows = snapshot.tables.iter().map(rows_of);
    let height = if is_loop { rows.sum::<usize>() } else { rows.max().unwrap_or(1) } * CELL;
    let size = (MIN_SIZE.0.max(x + 2), MIN_SIZE.1.max(height + 2));
    let left = (size.0 - x) / 2;
    let mut height_above = 0;
    let tables = snapshot.tables.iter().zip(lefts).map(|(table, table_left)| {
        let table_height = rows_of(table) * CELL;
        let top = if is_loop { (size.1 - height) / 2 + height_above } else { (size.1 - table_height) / 2 };
        height_above += table_height;
        let arrow = (table.is_result && !is_loop && snapshot.tables.len() > 1)
            .then(|| arrow(left + table_left - ARROW + 7, size.1 / 2, ARROW - 14));
        let cells = table.cells.iter().enumerate().map(|(index, cell)| {
            let (row, column) = (index / table.columns, index % table.columns);
            let (x, y) = (left + table_left + column * step, top + row * CELL);
            let class = classes!(
                "cell",
                cell.role.map(role_class),
                cell.is_selected.then_some("selected"),
                cell.is_fill.then_some("fill"),
            );
            let inset = usize::from(cell.is_selected || cell.role.is_some());
            let edge = (CELL - 2 * inset).to_string();
            html! {
                <g {class}>
                    <rect x={(x + inset).to_string()} y={(y + inset).to_string()} width={edge.clone()} height={edge} />
                    <text class={(cell.text.chars().count() > 3).then_some("long")} x={(x + CELL / 2).to_string()}
                        y={(y + CELL / 2).to_string()}>{&cell.text}</text>
                    if is_loop && column > 0 { {self::arrow(x - GAP + 3, y + CELL / 2, GAP - 6)} }
                </g>
            }
        });
        html! { <>{arrow}{for cells}</> }
    });
    let tables: Vec<Html> = tables.collect();
    html! {
        <svg class="miniature" viewBox={format!("0 0 {} {}", size.0, size.1)} aria-hidden="true">{for tables}</svg>
    }
}

fn arrow(x: usize, y: usize, length: usize) -> Html {
    let head = 4;
    let end = x + length;
    let d = format!("M{x} {y}H{end}M{} {}L{end} {y}L{} {}", end - head, y - head, end - head, y + head);
    html! { <path class="arrow-line" {d} /> }
}
