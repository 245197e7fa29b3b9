//! Bar charts with horizontal bars, each with the spread of its samples and a ceiling. In narrow charts, labels are above
//! the bars.

use super::{TEXT_PX, ceiling_stroke, drawable, legend, text_width, tick_label, tick_step};
use crate::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};

/// A bar with the spread of its samples and its ceiling.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The name next to the bar, or above it.
    pub label: String,
    /// Its value; `None` if there is none.
    pub value: Option<f64>,
    /// The lower and the upper end of the box drawn over the bar's end, and the tick beyond it.
    pub spread: Option<[f64; 3]>,
    /// The upper bound on its value.
    pub ceiling: Option<f64>,
    /// The text next to it, or instead of it.
    pub text: String,
}

/// A bar chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
    /// The name of the ceilings.
    pub ceiling_label: String,
    /// The name of the spread.
    pub spread_label: String,
}

/// Width in pixels below which labels are above their bars.
const NARROW_PX: f64 = 520.0;

/// Thickness of a bar, in pixels.
const BAR_PX: f64 = 18.0;

/// Thickness of the box of a spread, in pixels.
const SPREAD_PX: f64 = 8.0;

/// The positions of a chart.
struct BarLayout {
    is_narrow: bool,
    width: f64,
    /// Left and right edge of the bars.
    left: f64,
    right: f64,
    /// Upper edge of the first row, and the height of a row.
    top: f64,
    pitch: f64,
    /// Height of a row above its bar.
    above: f64,
    /// Pixels per unit.
    scale: f64,
}

impl BarLayout {
    fn x(&self, value: f64) -> f64 {
        self.left + drawable(value) * self.scale
    }

    fn bar_top(&self, index: usize) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a few bars")]
        let row = self.top + self.pitch * index as f64;
        row + self.above
    }
}

impl Bars {
    /// The positions, if the first row starts at `top`.
    fn layout(&self, width: f64, top: f64) -> BarLayout {
        let is_narrow = width < NARROW_PX;
        let labels = self.bars.iter().map(|bar| text_width(&bar.label)).fold(0.0, f64::max);
        let numbers = self.bars.iter().filter(|bar| bar.value.is_some());
        let numbers = numbers.map(|bar| text_width(&bar.text)).fold(0.0, f64::max);
        // Numbers have a separate column; in narrow charts they are next to the label or below it.
        let above = match (is_narrow, labels + numbers + 12.0 <= width) {
            (false, _) => 5.0,
            (true, true) => 20.0,
            (true, false) => 36.0,
        };
        let left = if is_narrow { 0.0 } else { labels.min(width * 0.4) + 12.0 };
        let right = if is_narrow { width - 4.0 } else { (width - numbers - 12.0).max(left + 40.0) };
        let values = self.bars.iter().flat_map(|bar| {
            bar.value.into_iter().chain(bar.ceiling).chain(bar.spread.into_iter().flatten()).map(drawable)
        });
        let max = values.fold(0.0, f64::max).max(1e-9) * 1.02;
        let pitch = BAR_PX + above + if is_narrow { 4.0 } else { 5.0 };
        BarLayout { is_narrow, width, left, right, top, pitch, above, scale: (right - left).max(1.0) / max }
    }

    /// The legend of the marks; returns its lower end.
    fn legend(&self, scene: &mut Scene) -> f64 {
        let mut top = 0.0;
        if self.bars.iter().any(|bar| bar.ceiling.is_some()) {
            top = legend(scene, [self.ceiling_label.as_str()], top);
        }
        if self.bars.iter().any(|bar| bar.spread.is_some()) {
            spread_mark(scene, [0.0, 14.0, 22.0], top + 9.0);
            scene.label((28.0, top + 9.0), self.spread_label.clone(), TEXT_PX, Anchor::Start, Ink::Soft);
            top += 18.0;
        }
        if top > 0.0 { top + 6.0 } else { top }
    }

    /// The picture, `width` pixels wide.
    pub fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, 0.0);
        let top = self.legend(&mut scene);
        let layout = self.layout(width, top);
        #[allow(clippy::cast_precision_loss, reason = "a few bars")]
        let bottom = top + layout.pitch * self.bars.len() as f64;
        axis(&mut scene, &layout, bottom);
        for (index, bar) in self.bars.iter().enumerate() {
            draw_bar(&mut scene, &layout, index, bar);
        }
        scene.height = bottom + 22.0;
        scene
    }
}

/// The ticks and their lines.
fn axis(scene: &mut Scene, layout: &BarLayout, bottom: f64) {
    let span = layout.right - layout.left;
    let step = tick_step(span / layout.scale, if layout.is_narrow { 4.0 } else { 8.0 });
    let ticks = (0..20).map(|i| f64::from(i) * step).take_while(|x| x * layout.scale <= span);
    for value in ticks {
        let x = layout.x(value);
        scene.line((x, layout.top), (x, bottom + 4.0), Stroke::solid(Ink::Line, 1.0));
        let anchor = if value == 0.0 {
            Anchor::Start
        } else if x + 14.0 > layout.width {
            Anchor::End
        } else {
            Anchor::Middle
        };
        scene.label((x, bottom + 13.0), tick_label(value, step), TEXT_PX, anchor, Ink::Faint);
    }
}

/// The box from lower to upper end, and the tick beyond.
fn spread_mark(scene: &mut Scene, [low, high, tick]: [f64; 3], middle: f64) {
    let stroke = Stroke::solid(Ink::Strong, 1.5);
    scene.line((high, middle), (tick, middle), stroke);
    scene.line((tick, middle - SPREAD_PX / 2.0), (tick, middle + SPREAD_PX / 2.0), stroke);
    let rect = Rect::new(low, middle - SPREAD_PX / 2.0, (high - low).max(1.0), SPREAD_PX);
    scene.fill(rect, 0.0, Ink::Background);
    scene.outline(rect, 0.0, stroke);
}

/// A row: bar, spread, ceiling, label and number.
fn draw_bar(scene: &mut Scene, layout: &BarLayout, index: usize, bar: &Bar) {
    let y = layout.bar_top(index);
    let middle = y + BAR_PX / 2.0;
    if let Some(value) = bar.value {
        let length = (layout.x(value) - layout.left).max(1.5);
        scene.fill(Rect::new(layout.left, y, length, BAR_PX), 2.0, Ink::Dimension(0));
    }
    if let Some(spread) = bar.spread {
        spread_mark(scene, spread.map(|value| layout.x(value)), middle);
    }
    if let Some(ceiling) = bar.ceiling {
        let x = layout.x(ceiling);
        scene.line((x, y - 4.0), (x, y + BAR_PX + 4.0), ceiling_stroke(0));
    }
    // Clear the background, so that texts stay readable over grid lines.
    let mut text = |(x, y): (f64, f64), text: &str, bold: bool, anchor: Anchor, ink: Ink| {
        let w = text_width(text).min(layout.width);
        let left = if anchor == Anchor::End { (x - w).max(0.0) } else { x };
        let rect = Rect::new(left, y - 8.0, w.min(layout.width - left), 16.0);
        scene.fill(rect, 0.0, Ink::Background);
        let text = text.to_owned();
        scene.items.push(Item::Label(Label { x, y, text, size: TEXT_PX, bold, anchor, ink }));
    };
    if layout.is_narrow {
        text((0.0, y - layout.above + 10.0), &bar.label, false, Anchor::Start, Ink::Strong);
    } else {
        text((layout.left - 10.0, middle), &bar.label, false, Anchor::End, Ink::Strong);
    }
    match (bar.value, layout.is_narrow) {
        (None, _) => text((layout.left + 4.0, middle), &bar.text, false, Anchor::Start, Ink::Soft),
        (_, true) => text((layout.width, y - 10.0), &bar.text, true, Anchor::End, Ink::Strong),
        (_, false) => text((layout.right + 10.0, middle), &bar.text, true, Anchor::Start, Ink::Strong),
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
            spread: value.map(|v| [0.8 * v, 1.1 * v, 1.2 * v]),
            ceiling: value.map(|_| ceiling),
            text: value.map_or("skipped".to_owned(), |v| format!("{v:.1} GB/s  ×2.0")),
        };
        let label = |text: &str| text.to_owned();
        Bars {
            bars: values.iter().map(bar).collect(),
            ceiling_label: label("ceiling"),
            spread_label: label("quartiles"),
        }
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
        for width in [200.0, 280.0, 320.0, 700.0, 1200.0] {
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
                        Item::Box { rect, .. } => {
                            assert!(rect.x >= 0.0 && rect.x + rect.w <= width + 0.5, "{width} {rect:?}");
                        }
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
    fn a_text_never_overlaps_another_text_or_a_bar() {
        let overlap = |a: &Rect, b: &Rect| {
            a.x < b.x + b.w - 0.1 && b.x < a.x + a.w - 0.1 && a.y < b.y + b.h - 0.1 && b.y < a.y + a.h - 0.1
        };
        for width in [200.0, 320.0, 700.0] {
            let scene = bars(&[Some(10.0), Some(40.0), Some(39.0)], 41.0).scene(width);
            let rects: Vec<Rect> = scene
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Label(label) if label.ink == Ink::Strong => {
                        let w = text_width(&label.text);
                        let x = if label.anchor == Anchor::End { label.x - w } else { label.x };
                        Some(Rect::new(x, label.y - 6.0, w, 12.0))
                    }
                    Item::Box { rect, fill: Some(Ink::Dimension(0)), .. } => Some(*rect),
                    _ => None,
                })
                .collect();
            assert_eq!(rects.len(), 9);
            for (i, a) in rects.iter().enumerate() {
                assert!(rects[..i].iter().all(|b| !overlap(a, b)), "{width}: {a:?} in {rects:?}");
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
        let empty = Bars { bars: vec![], ceiling_label: String::new(), spread_label: String::new() };
        assert!(empty.scene(0.0).height > 0.0);
    }
}
