//! Horizontal bars: a label, a bar, its number. Where there is little room the label stands over the bar.

use super::{Ceiling, TEXT, legend, limit_stroke, sound, step, tick, width_of};
use crate::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// How long; `None` where there is nothing to show.
    pub value: Option<f64>,
    /// What stands at its end, or in its place.
    pub text: String,
}

/// A chart of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// From top to bottom.
    pub bars: Vec<Bar>,
    /// Lines across all of them.
    pub ceilings: Vec<Ceiling>,
    /// What is counted.
    pub unit: String,
}

/// Below this width labels stand over their bars.
const NARROW: f64 = 520.0;

const THICK: f64 = 18.0;

impl Bars {
    /// The picture, so many pixels wide.
    #[allow(clippy::cast_precision_loss, reason = "a few ticks")]
    pub fn scene(&self, width: f64) -> Scene {
        let is_narrow = width < NARROW;
        let labels = self.bars.iter().map(|bar| width_of(&bar.label)).fold(0.0, f64::max);
        let left = if is_narrow { 0.0 } else { labels.min(width * 0.4) + 12.0 };
        let numbers = self.bars.iter().filter(|bar| bar.value.is_some());
        let right = numbers.map(|bar| width_of(&bar.text)).fold(0.0, f64::max) + 8.0;
        let pitch = if is_narrow { THICK + 24.0 } else { THICK + 10.0 };
        let largest = self.bars.iter().filter_map(|bar| bar.value).map(sound).fold(0.0, f64::max);
        let ceilings: Vec<f64> = self.ceilings.iter().map(|ceiling| sound(ceiling.value)).collect();
        let most = ceilings.iter().copied().fold(largest, f64::max).max(1e-9) * 1.02;
        // A number stands behind its bar: the longest bar must leave it room, a ceiling need not.
        let room = (width - left - 2.0).max(40.0);
        let fits = if largest > 0.0 { (room - right).max(20.0) / largest } else { f64::MAX };
        let scale = (room / most).min(fits);
        let mut scene = Scene::new(width, 0.0);
        let top =
            legend(&mut scene, &self.ceilings, &self.unit, 0.0) + if ceilings.is_empty() { 0.0 } else { 6.0 };
        let bottom = top + pitch * self.bars.len() as f64;
        let step = step(room / scale, if is_narrow { 4.0 } else { 8.0 });
        let ticks = (0..20).map(|i| f64::from(i) * step).take_while(|x| x * scale <= room);
        for at in ticks {
            let x = left + at * scale;
            scene.line((x, top), (x, bottom + 4.0), Stroke::solid(Ink::Line, 1.0));
            let anchor = if at == 0.0 {
                Anchor::Start
            } else if x + 14.0 > width {
                Anchor::End
            } else {
                Anchor::Middle
            };
            scene.label((x, bottom + 13.0), tick(at, step), TEXT, anchor, Ink::Faint);
        }
        let place = |number: usize| top + pitch * number as f64 + if is_narrow { 20.0 } else { 5.0 };
        let length = |bar: &Bar| bar.value.map_or(0.0, |value| sound(value) * scale);
        for (number, bar) in self.bars.iter().enumerate().filter(|(_, bar)| bar.value.is_some()) {
            scene.fill(Rect::new(left, place(number), length(bar).max(1.5), THICK), 2.0, Ink::Dimension(0));
        }
        for (number, value) in ceilings.iter().enumerate() {
            let x = left + value * scale;
            scene.line((x, top), (x, bottom + 4.0), limit_stroke(number));
        }
        for (number, bar) in self.bars.iter().enumerate() {
            let y = place(number);
            let middle = y + THICK / 2.0;
            let at = if is_narrow { (0.0, y - 10.0) } else { (left - 10.0, middle) };
            let anchor = if is_narrow { Anchor::Start } else { Anchor::End };
            // Label and number stay readable where a line runs behind them.
            if is_narrow {
                scene.fill(Rect::new(0.0, y - 18.0, width_of(&bar.label).min(width), 16.0), 0.0, Ink::Ground);
            }
            scene.label(at, bar.label.clone(), TEXT, anchor, Ink::Strong);
            let (ink, x) = if bar.value.is_some() {
                (Ink::Strong, left + length(bar) + 6.0)
            } else {
                (Ink::Soft, left + 4.0)
            };
            let behind = Rect::new(x - 2.0, y, (width_of(&bar.text) + 4.0).min(width - x + 2.0), THICK);
            scene.fill(behind, 0.0, Ink::Ground);
            scene.items.push(Item::Label(Label {
                x,
                y: middle,
                text: bar.text.clone(),
                size: TEXT,
                bold: bar.value.is_some(),
                anchor: Anchor::Start,
                ink,
            }));
        }
        scene.height = bottom + 22.0;
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Theme;
    use crate::svg::svg;

    fn bars(values: &[Option<f64>], ceiling: f64) -> Bars {
        let bar = |value: &Option<f64>| Bar {
            label: "SIMD (strict)".to_owned(),
            value: *value,
            text: value.map_or("skipped".to_owned(), |v| format!("{v:.1} GB/s  ×2.0")),
        };
        let ceilings = vec![Ceiling { label: "copy".to_owned(), value: ceiling }];
        Bars { bars: values.iter().map(bar).collect(), ceilings, unit: "GB/s".to_owned() }
    }

    fn lengths(scene: &Scene) -> Vec<f64> {
        let filled = scene.items.iter().filter_map(|item| match item {
            Item::Box { rect, fill: Some(Ink::Dimension(0)), .. } => Some(rect.w),
            _ => None,
        });
        filled.collect()
    }

    #[test]
    fn lengths_say_the_numbers_and_all_stays_inside() {
        for width in [280.0, 320.0, 700.0, 1200.0] {
            for ceiling in [1.0, 40.0, 4000.0] {
                let scene = bars(&[Some(10.0), Some(40.0), None, Some(20.0)], ceiling).scene(width);
                let lengths = lengths(&scene);
                assert_eq!(lengths.len(), 3);
                if ceiling < 100.0 {
                    assert!((lengths[1] / lengths[0] - 4.0).abs() < 1e-6, "{lengths:?}");
                    assert!((lengths[1] / lengths[2] - 2.0).abs() < 1e-6, "{lengths:?}");
                }
                for item in &scene.items {
                    match item {
                        Item::Label(label) if label.anchor == Anchor::Start && label.bold => {
                            assert!(label.x + width_of(&label.text) <= width + 1.0, "{width} {label:?}");
                        }
                        Item::Box { rect, .. } => assert!(rect.x + rect.w <= width + 0.5, "{width} {rect:?}"),
                        Item::Path { points, .. } => {
                            assert!(points.iter().all(|p| p.0 <= width), "{points:?}");
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_no_bar() {
        let scene =
            bars(&[Some(f64::NAN), Some(-1.0), Some(f64::INFINITY), Some(0.0)], f64::NAN).scene(600.0);
        assert!(lengths(&scene).iter().all(|w| *w < 2.0));
        let text = svg(&scene, &Theme::light(), "t", "d");
        assert!(!text.contains("\"NaN") && !text.contains("\"inf"), "{text}");
        assert!(Bars { bars: vec![], ceilings: vec![], unit: String::new() }.scene(0.0).height > 0.0);
    }
}
