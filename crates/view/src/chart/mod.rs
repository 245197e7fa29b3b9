//! Charts of rates: bars beside one another, and lines over sizes. Plain data in, a [`Scene`] out.
//!
//! Invariant: whatever is told by a place or a length is told by a label too, and no two things differ by colour alone.
//! Numbers that are no numbers, or below 0, are drawn as nothing.

pub mod bars;
pub mod lines;

use super::scene::{Ink, Scene, Stroke};

/// The size of a chart's text.
const TEXT: f64 = 12.0;

/// How wide a text of the charts' font is at most: its characters are equally wide, but those of Chinese are twice that.
#[allow(clippy::cast_precision_loss, reason = "a few characters")]
fn width_of(text: &str) -> f64 {
    let columns: usize = text.chars().map(|c| if c < '\u{2e80}' { 1 } else { 2 }).sum();
    columns as f64 * TEXT * 0.61
}

/// A number that can be drawn.
fn sound(x: f64) -> f64 {
    if x.is_finite() { x.max(0.0) } else { 0.0 }
}

/// A step between ticks, 1, 2 or 5 times a power of ten, so that at most about `count` of them reach `most`.
fn step(most: f64, count: f64) -> f64 {
    let rough = (most / count).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough).unwrap_or(rough)
}

/// A tick's number, without more decimals than its step has.
fn tick(x: f64, step: f64) -> String {
    let decimals = if step >= 1.0 { 0 } else { usize::from(step < 0.1) + usize::from(step < 0.01) + 1 };
    format!("{x:.decimals$}")
}

/// The stroke of a limit's line.
fn limit_stroke(number: usize) -> Stroke {
    let dash = if number == 0 { [6.0, 4.0] } else { [2.0, 3.0] };
    Stroke { ink: Ink::Strong, width: 1.5, dash: Some(dash) }
}

/// A number with three digits, or more where it is large.
pub fn short(x: f64) -> String {
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

/// A limit of the machine, drawn as a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// What it is.
    pub label: String,
    /// Where.
    pub value: f64,
}

/// The legend of the ceilings, a line each, from `y` on; answers where it ends.
fn legend(scene: &mut Scene, ceilings: &[Ceiling], unit: &str, y: f64) -> f64 {
    let mut y = y;
    for (number, ceiling) in ceilings.iter().enumerate() {
        scene.line((0.0, y + 9.0), (22.0, y + 9.0), limit_stroke(number));
        let text = format!("{} {} · {}", short(ceiling.value), unit, ceiling.label);
        scene.label((28.0, y + 9.0), text, TEXT, super::scene::Anchor::Start, Ink::Soft);
        y += 18.0;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for most in [0.03, 0.9, 7.0, 61.0, 4000.0] {
            let step = step(most, 5.0);
            assert!((2.0..=5.0).contains(&(most / step).floor()) || most / step >= 1.9, "{most}: {step}");
            assert!(most / step <= 5.0 + 1e-9, "{most}: {step}");
        }
        assert_eq!(
            (tick(0.5, 0.1), tick(20.0, 20.0), tick(0.02, 0.02)),
            ("0.5".into(), "20".into(), "0.02".into())
        );
    }
}
