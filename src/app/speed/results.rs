//! The results of a measurement: the chart, a table, and the table as text to copy.

use std::rc::Rc;

use yew::prelude::*;

use super::charts;
use super::measuring::machine;
use crate::app::components::files::copy;
use crate::app::components::link_field::use_status;
use crate::app::components::size::use_width;
use crate::app::context::use_app_context;
use crate::app::link as address;
use crate::i18n::Message;
use crate::state::speed::report;
use crate::state::speed::results::Results;
use crate::state::speed::{View, link};
use crate::view::svg::svg;

/// Properties of [`ResultsView`].
#[derive(Clone, PartialEq, Properties)]
pub struct ResultsViewProps {
    /// The results of a measurement.
    pub results: Rc<Results>,
    /// Whether they are the example, not the visitor's own.
    #[prop_or_default]
    pub is_example: bool,
}

/// The chart and the table.
#[component]
pub fn ResultsView(props: &ResultsViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::speed(key));
    let results = &props.results;
    let node = use_node_ref();
    let width = use_width(node.clone());
    let (status, set_status) = use_status();
    let title = report::setup_line(&results.setup, context.language);
    let about = match results.setup.view {
        View::Implementations => "speed-chart-implementations",
        View::Sizes => "speed-chart-sizes",
        View::Layouts => "speed-chart-layouts",
    };
    let picture = (width > 0.0 && !results.cases.is_empty()).then(|| {
        let scene = charts::scene(results, context.language, width);
        Html::from_html_unchecked(svg(&scene, &context.theme(), &title, &text(about)).into())
    });
    let copy_text = {
        let (results, language) = (results.clone(), context.language);
        Callback::from(move |_: MouseEvent| {
            let set_status = set_status.clone();
            let address = address::full_url(&link::write(&results.setup));
            copy(&report::markdown(&results, &machine(), &address, language), move |key| {
                set_status.emit(key);
            });
        })
    };
    let rows = charts::in_order(results).into_iter().map(|case| {
        let [name, numbers @ .., by] = report::fields(results, case, context.language);
        let cells = numbers.into_iter().enumerate().map(|(i, text)| {
            let rate = (i + 1 == report::RATE_COLUMN).then_some("rate");
            html! { <td class={classes!("num", rate)}>{text}</td> }
        });
        html! {
            <tr>
                <th scope="row">{name}</th>
                if case.kernel.is_err() {
                    <td colspan={(report::COLUMNS - 1).to_string()} class="dim">{by}</td>
                } else {
                    {for cells}
                    <td><code>{by}</code></td>
                }
            </tr>
        }
    });
    let [first, numbers @ .., last] = report::columns(results, context.language);
    let (chart, figures) =
        if props.is_example { ("example-chart", "example-figures") } else { ("chart", "figures") };
    let above = report::above_ceiling(results, context.language);
    html! {
        <>
            <h3 class="measured">{title.clone()}</h3>
            <div class="chart" ref={node} id={chart}>{picture}</div>
            if let Some(above) = above { <p class="above-ceiling">{context.text(&above)}</p> }
            if !results.cases.is_empty() {
                <div class="scrolls" tabindex="0" role="region" aria-label={text("speed-results")}>
                    <table class="states figures" id={figures}>
                        <thead><tr>
                            <th scope="col">{first}</th>
                            {for numbers.into_iter().map(|title| html! { <th scope="col" class="num">{title}</th> })}
                            <th scope="col">{last}</th>
                        </tr></thead>
                        <tbody>{for rows}</tbody>
                    </table>
                </div>
                if !props.is_example {
                    <div class="row wrap">
                        <button class="btn" id="copy-results" onclick={copy_text}>{text("speed-copy")}</button>
                        <span class="good" role="status">{status.map(|key| context.text_of_key(key))}</span>
                    </div>
                }
                <p class="dim how">{text("speed-how")}</p>
            }
        </>
    }
}
