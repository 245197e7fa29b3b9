//! The costs view: the totals, memory over time, and the ranked lists, padding first if most bytes are padding, with the selected
//! instruction beside them.

use yew::prelude::*;

use super::amounts::format_count;
use super::chart::Chart;
use super::lists::Lists;
use super::report::{Report, use_report};
use crate::app::components::skip_link::focus;
use crate::app::context::{Context, use_app_context};
use crate::app::program::neighbourhood::bytes_text;
use crate::app::program::selected_part::selected_part;
use crate::app::program::view_props::ViewProps;
use crate::i18n::Message;

/// The totals.
fn totals(context: &Context, report: &Report) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let figure = |id: &'static str, key: &'static str, value: String| {
        html! { <div><dt>{text(key)}</dt><dd {id}>{value}</dd></div> }
    };
    // A total leads to the list that ranks its parts: the focus scrolls it into view.
    let ranked = |id: &'static str, key: &'static str, value: String, list: &'static str| {
        let label = context.text(
            &Message::program("costs-show-list")
                .with("value", value.as_str())
                .with("what", text(key).to_string()),
        );
        let onclick = Callback::from(move |_: MouseEvent| focus(list));
        html! { <div><dt>{text(key)}</dt><dd {id}><button class="as-link" {onclick} aria-label={label}>{value}</button></dd></div> }
    };
    let Some(totals) = &report.totals else { return Html::default() };
    let notes = [
        (totals.unknown_instructions, "costs-unknown-instructions"),
        (totals.unknown_loops, "costs-unknown-loops"),
    ];
    let notes = notes.into_iter().filter(|(count, _)| *count > 0).map(|(count, key)| {
        html! { <p class="dim">{context.text(&Message::program(key).with("count", format_count(count)))}</p> }
    });
    html! {
        <>
            <dl class="figures-of" id="costs-totals">
                {ranked("costs-flop-total", "costs-flops", format_count(totals.flops), "costs-most-flops")}
                if totals.transcendentals > 0 { {figure("costs-transcendental-total", "costs-transcendentals", format_count(totals.transcendentals))} }
                {ranked("costs-read-total", "costs-bytes-read", bytes_text(totals.bytes_read), "costs-expensive")}
                {ranked("costs-written-total", "costs-bytes-written", bytes_text(totals.bytes_written), "costs-expensive")}
                if let Some(intensity) = totals.intensity { {figure("costs-intensity", "costs-intensity", format!("{intensity:.2}"))} }
                if let Some(memory) = &report.memory { {ranked("costs-peak", "costs-peak", bytes_text(memory.peak_bytes), "costs-live")} }
                if let Some(padding) = &report.padding {
                    {ranked("costs-padding-total", "costs-padding-total", bytes_text(padding.wasted_bytes()), "costs-padding")}
                }
            </dl>
            {for notes}
        </>
    }
}

/// The view.
#[component]
pub fn CostsView(props: &ViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let report = use_report(props);
    let selected = props.selected.as_ref().map(|selected| selected.at);
    let lists = Lists { context: &context, dispatch: &props.dispatch, selected };
    let entry = props.reading.opened.as_ref().and_then(|opened| opened.root).map(|root| root.computation);
    let of_entry = selected.filter(|at| Some(at.computation) == entry).map(|at| at.instruction);
    let memory = report.memory.as_ref().zip(entry).map(|(memory, computation)| {
        let order = if memory.is_scheduled { "costs-scheduled" } else { "costs-unscheduled" };
        html! {
            <>
                <section class="ranked" aria-labelledby="h-costs-memory">
                    <h3 id="h-costs-memory">{text("costs-memory")}</h3>
                    <p class="dim">{text(order)}</p>
                    <Chart memory={memory.clone()} {computation} selected={of_entry} dispatch={props.dispatch.clone()} />
                </section>
                {lists.live(memory)}
            </>
        }
    });
    let padding = || report.padding.as_ref().map(|padding| lists.padding(padding));
    // The main cost comes first.
    let is_padding_first = report.padding.as_ref().is_some_and(|padding| padding.is_excessive());
    html! {
        <div class="costs-view" data-complete={report.is_complete().to_string()} aria-busy={(!report.is_complete()).to_string()}>
            <div class="costs-report">
                if !report.is_complete() { <p class="dim" role="status">{text("costs-computing")}</p> }
                {totals(&context, &report)}
                if is_padding_first { {padding()} }
                {memory}
                {report.movements.as_ref().map(|movements| lists.movements(movements))}
                if !is_padding_first { {padding()} }
                {report.totals.as_ref().map(|totals| lists.expensive(totals))}
            </div>
            {selected_part(&context, props.reading.details_of(selected), true, &props.dispatch)}
        </div>
    }
}
