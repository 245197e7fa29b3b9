//! A ranked list as a table: its first rows, and the others on request.

use yew::prelude::*;

use crate::app::context::{grouped, use_app_context};
use crate::i18n::Message;

/// Rows that are shown initially.
const FIRST_ROWS: usize = 12;

/// Properties of [`Ranked`].
#[derive(Clone, PartialEq, Properties)]
pub struct RankedProps {
    /// Id of the section.
    pub id: AttrValue,
    /// The title.
    pub title: AttrValue,
    /// A note about all rows.
    #[prop_or_default]
    pub note: Html,
    /// The headings of the columns.
    pub head: Vec<AttrValue>,
    /// The number of columns with numbers, which come first.
    #[prop_or_default]
    pub numbers: usize,
    /// The cells of each row.
    pub rows: Vec<Html>,
    /// The total number of rows, which may be more.
    pub total: usize,
}

/// The list.
#[component]
pub fn Ranked(props: &RankedProps) -> Html {
    let context = use_app_context();
    let shows_all = use_state_eq(|| false);
    let shown = if *shows_all { props.rows.len() } else { FIRST_ROWS.min(props.rows.len()) };
    let onclick = {
        let shows_all = shows_all.setter();
        Callback::from(move |_: MouseEvent| shows_all.set(true))
    };
    let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let rest = props.total.saturating_sub(props.rows.len());
    let heading = format!("h-{}", props.id);
    let head = props.head.iter().enumerate().map(|(column, head)| {
        let class = (column < props.numbers).then_some("num");
        html! { <th scope="col" {class}>{head}</th> }
    });
    html! {
        <section class="ranked" id={&props.id} tabindex="-1" aria-labelledby={heading.clone()}>
            <h3 id={heading}>{&props.title}if props.total > 0 { <span class="dim">{" "}{number(props.total)}</span> }</h3>
            {props.note.clone()}
            if !props.rows.is_empty() {
                <table>
                    <thead><tr>{for head}</tr></thead>
                    <tbody>{for props.rows[..shown].iter().enumerate().map(|(number, row)| html! { <tr key={number}>{row.clone()}</tr> })}</tbody>
                </table>
            }
            if shown < props.rows.len() {
                <button class="btn small" {onclick}>{context.text(&Message::program("costs-more").with("count", props.rows.len() - shown))}</button>
            } else if rest > 0 {
                <p class="dim">{context.text(&Message::program("costs-rest").with("count", number(rest)))}</p>
            }
        </section>
    }
}
