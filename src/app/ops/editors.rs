//! An editor per kind of attribute. It edits an [`ops::AttrValue`](crate::ops::AttrValue) and emits its text; no
//! editor depends on an op.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::latest::use_latest;
use crate::app::components::select::BareSelect;
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::ops::AttrValue as OpAttrValue;
use crate::ops::attrs::{PaddingDim, SliceDim, WindowDim};

/// A column of a table of numbers: the message key of its name, and its lowest value.
pub type Column = (&'static str, i64);

/// Maximum number of dimensions that are edited in separate fields.
const MAX_EDITED_DIMENSIONS: usize = 16;

/// Maximum number of columns of a table with a row per dimension; tables with more are transposed.
const MAX_COLUMNS: usize = 4;

/// Properties of [`NumberTable`].
#[derive(Clone, PartialEq, Properties)]
pub struct NumberTableProps {
    /// The prefix of element ids.
    pub id: AttrValue,
    /// One row per dimension.
    pub rows: Vec<Vec<i64>>,
    /// Whether the program has these rows. Otherwise the typed text is invalid, and these are the last valid rows.
    pub is_current: bool,
    /// The id of the program's error at the attribute, if there is one.
    pub problem: Option<AttrValue>,
    /// The columns of the table.
    pub columns: Vec<Column>,
    /// Whether the rows are the dimensions of the operand, which have colours, rather than an independent numbering.
    pub rows_are_dimensions: bool,
    /// Reports the rows after a change.
    pub change: Callback<Vec<Vec<i64>>>,
}

/// A table of numbers per dimension.
#[component]
pub fn NumberTable(props: &NumberTableProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    // Numbers that follow one another fast go into several fields before the next rendering.
    let latest_rows = use_latest(props.rows.clone());
    // The field edited last, and its text.
    let typed = use_state_eq(|| None::<((usize, usize), String)>);
    {
        // Drops the typed text once the program contains it without an error, or contains something else.
        let typed = typed.clone();
        let key = (props.rows.clone(), props.is_current, props.problem.is_some());
        use_effect_with(key, move |(rows, is_current, has_problem)| {
            let is_applied = typed.as_ref().is_some_and(|((d, c), text)| {
                rows.get(*d).and_then(|row| row.get(*c)).copied() == text.trim().parse().ok()
            });
            if *is_current && !(is_applied && *has_problem) {
                typed.set(None);
            }
        });
    }
    let invalid = typed.as_ref().filter(|(_, text)| text.trim().parse::<i64>().is_err());
    let problem_id = format!("{}-number-problem", props.id);
    let problem =
        invalid.map(|(_, typed)| Message::ops("attribute-not-number").with("typed", typed.as_str()));
    let cell = |d: usize, c: usize, value: i64| {
        let (key, min) = props.columns[c];
        let (change, latest_rows) = (props.change.clone(), latest_rows.clone());
        let typed_text = typed.as_ref().filter(|(at, _)| *at == (d, c)).map(|(_, text)| text.clone());
        let described = typed_text.as_ref().and_then(|_| match invalid {
            Some(_) => Some(problem_id.clone().into()),
            None => props.problem.clone(),
        });
        let typed = typed.setter();
        let oninput = Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            typed.set(Some(((d, c), text.clone())));
            let Ok(number) = text.trim().parse::<i64>() else { return };
            let mut rows = latest_rows.get();
            if let Some(cell) = rows.get_mut(d).and_then(|row| row.get_mut(c)) {
                *cell = number;
            }
            latest_rows.set(rows.clone());
            change.emit(rows);
        });
        let label = Message::ops("attribute-cell").with("dimension", d).with("name", Message::ops(key));
        html! {
            <td>
                <input class="step" type="number" id={format!("{}-{d}-{c}", props.id)} value={typed_text.unwrap_or_else(|| value.to_string())}
                    min={min.to_string()} aria-label={context.text(&label)} {oninput} aria-invalid={described.is_some().to_string()}
                    aria-describedby={described} />
            </td>
        }
    };
    let dimension = |d: usize, scope: &'static str| {
        if props.rows_are_dimensions {
            html! {
                <th {scope}><span class={format!("d d{}", d % 6)}><i class="swatch"></i>{format!("d{d}")}</span></th>
            }
        } else {
            html! { <th {scope} class="counted">{d}</th> }
        }
    };
    let value = |d: usize, c: usize| props.rows[d].get(c).copied().unwrap_or(0);
    // A transposed table has a column per dimension.
    let is_transposed = props.columns.len() > MAX_COLUMNS;
    let (head, rows): (Vec<Html>, Vec<Html>) = if is_transposed {
        let row = |(c, (key, _)): (usize, &Column)| {
            let cells = (0..props.rows.len()).map(|d| cell(d, c, value(d, c)));
            html! { <tr><th scope="row" class="field-name">{text(key)}</th>{for cells}</tr> }
        };
        let head = (0..props.rows.len()).map(|d| dimension(d, "col"));
        (head.collect(), props.columns.iter().enumerate().map(row).collect())
    } else {
        let row = |d: usize| {
            let cells = (0..props.columns.len()).map(|c| cell(d, c, value(d, c)));
            html! { <tr>{dimension(d, "row")}{for cells}</tr> }
        };
        let head = props.columns.iter().map(|(key, _)| html! { <th scope="col">{text(key)}</th> });
        (head.collect(), (0..props.rows.len()).map(row).collect())
    };
    html! {
        <div class="scrolls" tabindex="0" role="group" aria-label={text("attribute-numbers")}>
            <table class="dims numbers"><thead><tr><td></td>{for head}</tr></thead><tbody>{for rows}</tbody></table>
            if let Some(problem) = problem { <p class="error-line" id={problem_id.clone()}>{context.text(&problem)}</p> }
        </div>
    }
}

/// Rows, columns, and the conversion of rows to text.
pub type Table = (Vec<Vec<i64>>, Vec<Column>, fn(&[Vec<i64>]) -> String);

/// The table for an attribute; `None` if it does not consist of numbers per dimension.
pub fn table(value: &OpAttrValue) -> Option<Table> {
    let dimensions = match value {
        OpAttrValue::Padding(dims) => dims.len(),
        OpAttrValue::Slice(dims) => dims.len(),
        OpAttrValue::Window(dims) => dims.len(),
        _ => 0,
    };
    match value {
        // With more dimensions the text is easier to edit.
        _ if dimensions > MAX_EDITED_DIMENSIONS => None,
        OpAttrValue::Padding(dims) => Some((
            dims.iter().map(|d| vec![d.low, d.high, d.interior]).collect(),
            vec![("padding-low", i64::MIN), ("padding-high", i64::MIN), ("padding-interior", 0)],
            |rows| {
                let dim = |row: &Vec<i64>| PaddingDim {
                    low: cell_of(row, 0),
                    high: cell_of(row, 1),
                    interior: cell_of(row, 2),
                };
                OpAttrValue::Padding(rows.iter().map(dim).collect()).to_string()
            },
        )),
        OpAttrValue::Slice(dims) => Some((
            dims.iter().map(|d| vec![d.start, d.limit, d.stride]).collect(),
            vec![("slice-start", 0), ("slice-limit", 0), ("slice-stride", 1)],
            |rows| {
                let dim = |row: &Vec<i64>| SliceDim {
                    start: cell_of(row, 0),
                    limit: cell_of(row, 1),
                    stride: cell_of(row, 2),
                };
                OpAttrValue::Slice(rows.iter().map(dim).collect()).to_string()
            },
        )),
        OpAttrValue::Window(dims) => Some((
            dims.iter()
                .map(|d| {
                    let reversal = i64::from(d.reversal);
                    vec![
                        d.size,
                        d.stride,
                        d.pad_low,
                        d.pad_high,
                        d.base_dilation,
                        d.window_dilation,
                        reversal,
                    ]
                })
                .collect(),
            vec![
                ("window-size", 1),
                ("window-stride", 1),
                ("padding-low", i64::MIN),
                ("padding-high", i64::MIN),
                ("window-base-dilation", 1),
                ("window-dilation", 1),
                ("window-reversal", 0),
            ],
            |rows| {
                let dim = |row: &Vec<i64>| WindowDim {
                    size: cell_of(row, 0),
                    stride: cell_of(row, 1),
                    pad_low: cell_of(row, 2),
                    pad_high: cell_of(row, 3),
                    base_dilation: cell_of(row, 4),
                    window_dilation: cell_of(row, 5),
                    reversal: cell_of(row, 6) != 0,
                };
                OpAttrValue::Window(rows.iter().map(dim).collect()).to_string()
            },
        )),
        _ => None,
    }
}

fn cell_of(row: &[i64], column: usize) -> i64 {
    row.get(column).copied().unwrap_or(0)
}

/// Properties of [`Permutation`].
#[derive(Clone, PartialEq, Properties)]
pub struct PermutationProps {
    /// The prefix of element ids.
    pub id: AttrValue,
    /// The permutation that is edited.
    pub order: Vec<i64>,
    /// Reports the permutation after a change.
    pub change: Callback<Vec<i64>>,
}

/// A permutation of dimensions as chips that can be dragged or moved by buttons.
#[component]
pub fn Permutation(props: &PermutationProps) -> Html {
    let context = use_app_context();
    let dragged = use_state_eq(|| None::<usize>);
    let move_dimension = {
        let (change, order) = (props.change.clone(), props.order.clone());
        move |from: usize, to: usize| {
            let mut order = order.clone();
            if from < order.len() && to < order.len() && from != to {
                let dimension = order.remove(from);
                order.insert(to, dimension);
                change.emit(order);
            }
        }
    };
    let chips = props.order.iter().enumerate().map(|(i, d)| {
        let ondragstart = {
            let dragged = dragged.clone();
            Callback::from(move |event: DragEvent| {
                if let Some(data) = event.data_transfer() {
                    // Firefox does not start a drag without data.
                    let _ = data.set_data("text/plain", "dimension");
                }
                dragged.set(Some(i));
            })
        };
        let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
        let ondrop = {
            let (dragged, move_dimension) = (dragged.clone(), move_dimension.clone());
            Callback::from(move |event: DragEvent| {
                event.prevent_default();
                if let Some(from) = *dragged {
                    move_dimension(from, i);
                }
                dragged.set(None);
            })
        };
        let nudge = |to: Option<usize>, key: &'static str, sign: &'static str| {
            let move_dimension = move_dimension.clone();
            let onclick = Callback::from(move |_: MouseEvent| {
                if let Some(to) = to {
                    move_dimension(i, to);
                }
            });
            let label = context.text(&Message::ops(key).with("dimension", *d));
            let is_disabled = to.is_none_or(|to| to >= props.order.len());
            html! { <button class="nudge" {onclick} disabled={is_disabled} aria-label={label.clone()} title={label}>{sign}</button> }
        };
        html! {
            <li class={format!("chip c{}", d.rem_euclid(6))} draggable="true" {ondragstart} {ondragover} {ondrop}
                key={*d} id={format!("{}-chip-{d}", props.id)}>
                <b>{format!("d{d}")}</b>
                <span class="nudges">
                    {nudge(i.checked_sub(1), "move-earlier", "‹")}{nudge(Some(i + 1), "move-later", "›")}
                </span>
            </li>
        }
    });
    html! { <ul class="chips plain">{for chips}</ul> }
}

/// The numbers, if they are a permutation of at least two dimensions.
pub fn as_permutation(value: &OpAttrValue) -> Option<Vec<i64>> {
    let OpAttrValue::Ints(order) = value else { return None };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let is_permutation =
        (2..=MAX_EDITED_DIMENSIONS).contains(&order.len()) && sorted.iter().zip(0..).all(|(d, i)| *d == i);
    is_permutation.then(|| order.to_vec())
}

/// A choice among texts, which include `current`.
pub fn choice(
    context: &Context,
    id: &str,
    options: &[(String, String)],
    current: &str,
    label: &Message,
    (commit, problem): (&Callback<String>, Option<String>),
) -> Html {
    let text = |(value, name): &(String, String)| (value.clone().into(), name.clone().into());
    let options: Vec<(AttrValue, AttrValue)> = options.iter().map(text).collect();
    let onchange = commit.reform(|value: AttrValue| value.to_string());
    html! {
        <BareSelect id={id.to_owned()} label={context.text(label)} {options} value={current.to_owned()}
            problem={problem.map(AttrValue::from)} {onchange} />
    }
}
