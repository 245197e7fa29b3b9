//! Bar charts with horizontal bars. In narrow charts, labels are above the bars.

use super::{Ceiling, TEXT_PX, ceiling_stroke, drawable, legend, text_width, tick_label, tick_step};
use crate::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// Its value; `None` if there is none.
    pub value: Option<f64>,
    /// The text at its end, or in its place.
    pub text: String,
}

/// A bar chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
    /// Lines across all bars.
    pub ceilings: Vec<Ceiling>,
    /// The unit of all values.
    pub unit: String,
}

/// Width in pixels below which labels are above their bars.
const NARROW_PX: f64 = 520.0;

/// Thickness of a bar, in pixels.
const BAR_PX: f64 = 18.0;

impl Bars {
    /// The picture, `width` pixels wide.
    #[allow(clippy::cast_precision_loss, reason = "a few ticks")]
    pub fn scene(&self, width: f64) -> Scene {
        let is_narrow = width < NARROW_PX;
        let labels = self.bars.iter().map(|bar| text_width(&bar.label)).fold(0.0, f64::max);
        let left = if is_narrow { 0.0 } else { labels.min(width * 0.4) + 12.0 };
        let numbers = self.bars.iter().filter(|bar| bar.value.is_some());
        let right = numbers.map(|bar| text_width(&bar.text)).fold(0.0, f64::max) + 8.0;
        let pitch = if is_narrow { BAR_PX + 24.0 } else { BAR_PX + 10.0 };
        let largest = self.bars.iter().filter_map(|bar| bar.value).map(drawable).fold(0.0, f64::max);
        let ceilings: Vec<f64> = self.ceilings.iter().map(|ceiling| drawable(ceiling.value)).collect();
        let max = ceilings.iter().copied().fold(largest, f64::max).max(1e-9) * 1.02;
        // Numbers are at the ends of bars, so the longest bar must leave space for its number; ceilings need not.
        let plot_width = (width - left - 2.0).max(40.0);
        let max_scale = if largest > 0.0 { (plot_width - right).max(20.0) / largest } else { f64::MAX };
        let scale = (plot_width / max).min(max_scale);
        let mut scene = Scene::new(width, 0.0);
        let top =
            legend(&mut scene, &self.ceilings, &self.unit, 0.0) + if ceilings.is_empty() { 0.0 } else { 6.0 };
        let bottom = top + pitch * self.bars.len() as f64;
        let step = tick_step(plot_width / scale, if is_narrow { 4.0 } else { 8.0 });
        let ticks = (0..20).map(|i| f64::from(i) * step).take_while(|x| x * scale <= plot_width);
        for value in ticks {
            let x = left + value * scale;
            scene.line((x, top), (x, bottom + 4.0), Stroke::solid(Ink::Line, 1.0));
            let anchor = if value == 0.0 {
                Anchor::Start
            } else if x + 14.0 > width {
                Anchor::End
            } else {
                Anchor::Middle
            };
            scene.label((x, bottom + 13.0), tick_label(value, step), TEXT_PX, anchor, Ink::Faint);
        }
        let bar_top = |number: usize| top + pitch * number as f64 + if is_narrow { 20.0 } else { 5.0 };
        let length = |bar: &Bar| bar.value.map_or(0.0, |value| drawable(value) * scale);
        for (number, bar) in self.bars.iter().enumerate().filter(|(_, bar)| bar.value.is_some()) {
            scene.fill(
                Rect::new(left, bar_top(number), length(bar).max(1.5), BAR_PX),
                2.0,
                Ink::Dimension(0),
            );
        }
        for (number, value) in ceilings.iter().enumerate() {
            let x = left + value * scale;
            scene.line((x, top), (x, bottom + 4.0), ceiling_stroke(number));
        }
        for (number, bar) in self.bars.iter().enumerate() {
            let y = bar_top(number);
            let middle = y + BAR_PX / 2.0;
            let label_position = if is_narrow { (0.0, y - 10.0) } else { (left - 10.0, middle) };
            let anchor = if is_narrow { Anchor::Start } else { Anchor::End };
            // Clear the background, so that label and number stay readable over grid lines.
            if is_narrow {
                scene.fill(
                    Rect::new(0.0, y - 18.0, text_width(&bar.label).min(width), 16.0),
                    0.0,
                    Ink::Ground,
                );
            }
            scene.label(label_position, bar.label.clone(), TEXT_PX, anchor, Ink::Strong);
            let (ink, x) = if bar.value.is_some() {
                (Ink::Strong, left + length(bar) + 6.0)
            } else {
                (Ink::Soft, left + 4.0)
            };
            let background =
                Rect::new(x - 2.0, y, (text_width(&bar.text) + 4.0).min(width - x + 2.0), BAR_PX);
            scene.fill(background, 0.0, Ink::Ground);
            scene.items.push(Item::Label(Label {
                x,
                y: middle,
                text: bar.text.clone(),
                size: TEXT_PX,
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
    fn lengths_are_proportional_and_everything_is_inside() {
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
                            assert!(label.x + text_width(&label.text) <= width + 1.0, "{width} {label:?}");
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
    fn invalid_values_have_no_bar() {
        let scene =
            bars(&[Some(f64::NAN), Some(-1.0), Some(f64::INFINITY), Some(0.0)], f64::NAN).scene(600.0);
        assert!(lengths(&scene).iter().all(|w| *w < 2.0));
        let text = svg(&scene, &Theme::light(), "t", "d");
        assert!(!text.contains("\"NaN") && !text.contains("\"inf"), "{text}");
        assert!(Bars { bars: vec![], ceilings: vec![], unit: String::new() }.scene(0.0).height > 0.0);
    }
}
