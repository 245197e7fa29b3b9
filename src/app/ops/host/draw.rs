//! Random numbers: the seed, a button to draw again, and a histogram with the expected distribution.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::hlo::InstructionId;
use crate::i18n::Message;
use crate::ops::{Data, Distribution};
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::session::Action;
use crate::view::histogram::Histogram;

/// Properties of [`Draw`].
#[derive(Clone, PartialEq, Properties)]
pub struct DrawProps {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The distribution of the selected instruction, if it draws random numbers.
    pub distribution: Option<Distribution>,
    /// The run that drew the numbers.
    pub finished: Option<FinishedRun>,
    /// The selected instruction.
    pub focus: InstructionId,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The size of the picture, in units of its view box.
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 110.0;

/// The seed and the histogram.
#[component]
pub fn Draw(props: &DrawProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let onchange = props.dispatch.clone();
    let seed = props.seed;
    let onchange = Callback::from(move |event: Event| {
        let typed = event.target_unchecked_into::<HtmlInputElement>();
        match typed.value().trim().parse() {
            Ok(seed) => onchange.emit(Action::SetSeed(seed)),
            Err(_) => typed.set_value(&seed.to_string()),
        }
    });
    let redraw = props.dispatch.reform(move |_: MouseEvent| Action::SetSeed(seed.wrapping_add(1)));
    let histogram = props.distribution.and_then(|distribution| {
        let value = props.finished.as_ref()?.value(props.focus).and_then(Data::as_array)?;
        Some((Histogram::new(value, distribution)?, distribution))
    });
    html! {
        <div class="world-part" id="draw">
            <h3>{text("draw")}</h3>
            <div class="row wrap">
                <label for="seed">{text("draw-seed")}</label>
                <input class="text mono" id="seed" value={seed.to_string()} {onchange} inputmode="numeric" autocomplete="off" />
                <button class="btn small" id="draw-again" onclick={redraw}>{text("draw-again")}</button>
            </div>
            <p class="dim">{text("draw-note")}</p>
            if let Some((histogram, distribution)) = histogram {
                {picture(&histogram)}
                <p id="drawn">{context.text(&summary(&histogram, distribution))}</p>
            }
        </div>
    }
}

fn summary(histogram: &Histogram, distribution: Distribution) -> Message {
    let (mean, deviation) = distribution.mean_and_deviation();
    Message::ops("draw-said")
        .with("count", i64::from(histogram.count))
        .with("mean", format_number(histogram.mean))
        .with("deviation", format_number(histogram.deviation))
        .with("wanted-mean", format_number(mean))
        .with("wanted-deviation", format_number(deviation))
}

fn format_number(x: f64) -> String {
    let text = format!("{x:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The bars, and the curve of the distribution above them.
fn picture(histogram: &Histogram) -> Html {
    let bars = u32::try_from(histogram.counts.len()).map_or(1.0, f64::from);
    let (width, scale) = (WIDTH / bars, HEIGHT / (histogram.max_count() * 1.05));
    let at = |bar: usize| width * u32::try_from(bar).map_or(0.0, f64::from);
    let rects = histogram.counts.iter().enumerate().map(|(bar, count)| {
        let height = f64::from(*count) * scale;
        html! {
            <rect x={format!("{:.2}", at(bar) + 0.5)} y={format!("{:.2}", HEIGHT - height)} width={format!("{:.2}", width - 1.0)}
                height={format!("{height:.2}")} />
        }
    });
    let points: Vec<String> = histogram
        .expected
        .iter()
        .enumerate()
        .map(|(bar, expected)| format!("{:.2},{:.2}", at(bar) + width / 2.0, HEIGHT - expected * scale))
        .collect();
    html! {
        <div class="histogram" aria-hidden="true">
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} id="histogram">
                {for rects}
                <polyline points={points.join(" ")} />
            </svg>
            <p class="ends"><span>{format_number(histogram.low)}</span><span>{format_number(histogram.high)}</span></p>
        </div>
    }
}
