//! Bar and line charts of rates, as [`Scene`]s.
//!
//! Invariant: every quantity has a label, and no two items differ by colour alone. Negative and non-finite values are
//! drawn as 0.

pub mod bars;
pub mod lines;

use super::scene::{Ink, Scene, Stroke};

/// Font size of a chart, in pixels.
const TEXT_PX: f64 = 12.0;

/// Upper bound on the width of the text in the charts' monospaced font, where CJK characters have twice the width.
#[allow(clippy::cast_precision_loss, reason = "a few characters")]
fn text_width(text: &str) -> f64 {
    let columns: usize = text.chars().map(|c| if c < '\u{2e80}' { 1 } else { 2 }).sum();
    columns as f64 * TEXT_PX * 0.61
}

/// The value to draw for a number: 0 if it is negative or not finite.
fn drawable(x: f64) -> f64 {
    if x.is_finite() { x.max(0.0) } else { 0.0 }
}

/// The minimum step of 1, 2 or 5 times a power of ten so that `max_steps` steps reach `max`.
fn tick_step(max: f64, max_steps: f64) -> f64 {
    let min_step = (max / max_steps).max(1e-9);
    let power = 10f64.powf(min_step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= min_step).unwrap_or(min_step)
}

/// The text of a tick, with as many decimals as its step needs.
fn tick_label(x: f64, step: f64) -> String {
    let decimals = if step >= 1.0 { 0 } else { usize::from(step < 0.1) + usize::from(step < 0.01) + 1 };
    format!("{x:.decimals$}")
}

/// The stroke of the line that marks a ceiling (a peak rate); `index` is its position in the legend.
fn ceiling_stroke(index: usize) -> Stroke {
    let dash = if index == 0 { [6.0, 4.0] } else { [2.0, 3.0] };
    Stroke { ink: Ink::Strong, width: 1.5, dash: Some(dash) }
}

/// A rate or ratio with three significant digits, but at most four decimals.
pub fn format_rate(x: f64) -> String {
    let decimals = if x >= 100.0 {
        0
    } else if x >= 10.0 {
        1
    } else if x >= 1.0 {
        2
    } else if x >= 0.1 {
        3
    } else {
        4
    };
    format!("{x:.decimals$}")
}

/// Draws the legend of the ceilings, one line each, from `y` down; returns the `y` below it.
fn legend<'a>(scene: &mut Scene, ceilings: impl IntoIterator<Item = &'a str>, y: f64) -> f64 {
    let mut y = y;
    for (index, label) in ceilings.into_iter().enumerate() {
        scene.line((0.0, y + 9.0), (22.0, y + 9.0), ceiling_stroke(index));
        scene.label((28.0, y + 9.0), label.to_owned(), TEXT_PX, super::scene::Anchor::Start, Ink::Soft);
        y += 18.0;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tick_steps_are_round_and_at_most_five_fit() {
        for max in [0.03, 0.9, 7.0, 61.0, 4000.0] {
            let step = tick_step(max, 5.0);
            assert!((2.0..=5.0).contains(&(max / step).floor()) || max / step >= 1.9, "{max}: {step}");
            assert!(max / step <= 5.0 + 1e-9, "{max}: {step}");
        }
        assert_eq!(
            (tick_label(0.5, 0.1), tick_label(20.0, 20.0), tick_label(0.02, 0.02)),
            ("0.5".into(), "20".into(), "0.02".into())
        );
    }
}
