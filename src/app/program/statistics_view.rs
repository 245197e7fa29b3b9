//! The statistics of a value: a line of numbers and a histogram.

use yew::prelude::*;

use crate::app::context::{Context, grouped};
use crate::i18n::Message;
use crate::worker::program::wire::{CellTarget, Statistics};

/// The size of the histogram, pixels.
const WIDTH: f64 = 288.0;
const HEIGHT: f64 = 44.0;

fn number(count: u64) -> String {
    grouped(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The bars; the tallest fills the height, and one that is not empty is visible.
#[allow(clippy::cast_precision_loss, reason = "heights in pixels")]
fn bars(bins: &[u64]) -> Html {
    let max = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = WIDTH / bins.len().max(1) as f64;
    let bar = |(index, count): (usize, &u64)| {
        let height = if *count == 0 { 0.0 } else { (*count as f64 / max * HEIGHT).max(1.5) };
        html! {
            <rect key={index} x={format!("{:.2}", index as f64 * width)} y={format!("{:.2}", HEIGHT - height)}
                width={format!("{:.2}", (width - 1.0).max(0.5))} height={format!("{height:.2}")} />
        }
    };
    bins.iter().enumerate().map(bar).collect()
}

/// The statistics. Buttons show the first NaN and the first infinity.
pub fn statistics(context: &Context, found: &Statistics, show: &Callback<CellTarget>) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let pair = |key: &'static str, value: String| {
        html! { <div data-statistic={key}><dt>{text(key)}</dt><dd>{value}</dd></div> }
    };
    let count = |key: &'static str, count: u64| (count > 0).then(|| pair(key, number(count)));
    let non_finite = |key: &'static str, count: u64, target: CellTarget| {
        let label = format!("{}: {}", text(key), text("program-show-first"));
        let onclick = show.reform(move |_: MouseEvent| target.clone());
        (count > 0).then(|| html! {
            <div class="bad" data-statistic={key}>
                <dt>{text(key)}</dt>
                <dd>{number(count)}<button class="btn tiny" aria-label={label} {onclick}>{text("program-show-first")}</button></dd>
            </div>
        })
    };
    let histogram_label = Message::program("program-histogram")
        .with("low", found.edges.0.as_str())
        .with("high", found.edges.1.as_str());
    html! {
        <div class="statistics" id="program-statistics">
            <dl>
                if !found.min.is_empty() {
                    {pair("program-min", found.min.clone())}
                    {pair("program-mean", found.mean.clone())}
                    {pair("program-max", found.max.clone())}
                }
                {for non_finite("program-nans", found.nans, CellTarget::FirstNan)}
                {for non_finite("program-infinities", found.infinities, CellTarget::FirstInfinity)}
                {for count("program-zeros", found.zeros)}
                {for count("program-subnormals", found.subnormals)}
                {pair("program-elements", number(found.elements))}
            </dl>
            if !found.bins.is_empty() {
                <figure>
                    <svg class="bars" viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" role="img"
                        aria-label={context.text(&histogram_label)}>{bars(&found.bins)}</svg>
                    <figcaption aria-hidden="true"><span>{&found.edges.0}</span><span>{&found.edges.1}</span></figcaption>
                </figure>
            }
        </div>
    }
}
