//! Line charts over sizes, on a logarithmic axis. Each line has its own dash pattern and marker, and an entry in the
//! legend.

use super::{TEXT_PX, ceiling_stroke, drawable, legend, text_width, tick_label, tick_step};
use crate::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The size that was measured.
    pub size: f64,
    /// The measured value.
    pub value: f64,
    /// The ends of its error bar.
    pub spread: (f64, f64),
}

/// A line with markers.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub label: String,
    /// Its points, sorted by size.
    pub points: Vec<Point>,
}

/// A line chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// The lines with markers.
    pub series: Vec<Series>,
    /// Lines without markers, each a name and `(size, value)` points.
    pub ceilings: Vec<(String, Vec<(f64, f64)>)>,
    /// The sizes on the axis, including those not measured yet.
    pub sizes: Vec<f64>,
    /// The unit of values.
    pub unit: String,
    /// The label of the size axis.
    pub axis: String,
}

/// The dash patterns of the lines, in order.
const DASHES: [Option<[f64; 2]>; 3] = [Some([2.0, 3.0]), None, Some([8.0, 3.0])];

/// Height of the plot area, in pixels.
const PLOT_HEIGHT_PX: f64 = 260.0;
/// Width left of the plot area, for the labels of ticks, in pixels.
const LEFT_PX: f64 = 44.0;

/// Draws the marker of a series: a square, a filled square, a disc.
fn marker(scene: &mut Scene, index: usize, (x, y): (f64, f64)) {
    let ink = Ink::Dimension(index);
    let square = Rect::new(x - 3.5, y - 3.5, 7.0, 7.0);
    match index {
        0 => {
            scene.fill(square, 0.0, Ink::Background);
            scene.outline(square, 0.0, Stroke::solid(ink, 1.5));
        }
        1 => scene.fill(square, 0.0, ink),
        _ => scene.fill(square, 3.5, ink),
    }
}

impl Lines {
    /// The picture, `width` pixels wide.
    pub fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, 0.0);
        let mut top = 0.0;
        for (index, series) in self.series.iter().enumerate() {
            let stroke =
                Stroke { ink: Ink::Dimension(index), width: 2.0, dash: DASHES[index % DASHES.len()] };
            scene.line((0.0, top + 9.0), (22.0, top + 9.0), stroke);
            marker(&mut scene, index, (11.0, top + 9.0));
            scene.label((28.0, top + 9.0), series.label.clone(), TEXT_PX, Anchor::Start, Ink::Strong);
            top += 18.0;
        }
        top = legend(&mut scene, self.ceilings.iter().map(|(label, _)| label.as_str()), top) + 14.0;
        let (bottom, right) = (top + PLOT_HEIGHT_PX, width - 14.0);
        let points = self.series.iter().flat_map(|series| &series.points);
        let values = points.flat_map(|point| [point.value, point.spread.0, point.spread.1]).map(drawable);
        let ceilings = self.ceilings.iter().flat_map(|(_, points)| points.iter().map(|p| drawable(p.1)));
        let max = values.chain(ceilings).fold(0.0, f64::max).max(1e-9) * 1.05;
        let (first, last) = self
            .sizes
            .iter()
            .fold((f64::MAX, 1.0_f64), |(low, high), size| (low.min(size.max(1.0)), high.max(*size)));
        let span = (last / first).log2().max(1e-9);
        let x = |size: f64| {
            LEFT_PX + 8.0 + ((size.max(1.0) / first).log2() / span).clamp(0.0, 1.0) * (right - LEFT_PX - 8.0)
        };
        let y = |value: f64| bottom - drawable(value) / max * PLOT_HEIGHT_PX;
        let step = tick_step(max, 5.0);
        for value in (0..20).map(|i| f64::from(i) * step).take_while(|value| *value <= max) {
            scene.line((LEFT_PX, y(value)), (width, y(value)), Stroke::solid(Ink::Line, 1.0));
            scene.label((LEFT_PX - 6.0, y(value)), tick_label(value, step), TEXT_PX, Anchor::End, Ink::Faint);
        }
        scene.label((0.0, top - 14.0 + 4.0), self.unit.clone(), TEXT_PX, Anchor::Start, Ink::Faint);
        for size in &self.sizes {
            scene.line((x(*size), bottom), (x(*size), bottom + 4.0), Stroke::solid(Ink::LineStrong, 1.0));
            let text = format!("{size:.0}");
            if self
                .sizes
                .iter()
                .take_while(|other| *other < size)
                .all(|other| x(*size) - x(*other) > text_width(&text))
            {
                scene.label((x(*size), bottom + 14.0), text, TEXT_PX, Anchor::Middle, Ink::Faint);
            }
        }
        scene.label((right, bottom + 31.0), self.axis.clone(), TEXT_PX, Anchor::End, Ink::Faint);
        for (index, (_, ceiling)) in self.ceilings.iter().enumerate().filter(|(_, c)| c.1.len() > 1) {
            let points = ceiling.iter().map(|(size, value)| (x(*size), y(*value))).collect();
            scene.items.push(Item::Path { points, stroke: ceiling_stroke(index) });
        }
        for (index, series) in self.series.iter().enumerate() {
            let points: Vec<(f64, f64)> =
                series.points.iter().map(|point| (x(point.size), y(point.value))).collect();
            for point in &series.points {
                let (x, ends) = (x(point.size), point.spread);
                let stroke = Stroke::solid(Ink::Dimension(index), 1.5);
                scene.line((x, y(ends.0)), (x, y(ends.1)), stroke);
            }
            let stroke =
                Stroke { ink: Ink::Dimension(index), width: 2.0, dash: DASHES[index % DASHES.len()] };
            if points.len() > 1 {
                scene.items.push(Item::Path { points: points.iter().copied().collect(), stroke });
            }
            for point in points {
                marker(&mut scene, index, point);
            }
        }
        scene.height = bottom + 40.0;
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Lines {
        let series = |label: &str, factor: f64| Series {
            label: label.to_owned(),
            points: [(16.0, factor), (32.0, 2.0 * factor), (64.0, 3.0 * factor)]
                .map(|(size, value)| Point { size, value, spread: (0.9 * value, 1.1 * value) })
                .to_vec(),
        };
        Lines {
            series: vec![series("Scalar", 1.0), series("SIMD (strict)", 4.0), series("SIMD (fast)", 5.0)],
            ceilings: vec![("fused".to_owned(), vec![(16.0, 20.0), (64.0, 21.0)])],
            sizes: vec![16.0, 32.0, 64.0],
            unit: "GFLOP/s".to_owned(),
            axis: "size".to_owned(),
        }
    }

    #[test]
    fn doubling_sizes_are_equidistant() {
        for width in [280.0, 900.0] {
            let scene = lines().scene(width);
            let paths: Vec<_> = scene
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Path { points, .. } if points.len() == 3 => Some(points),
                    _ => None,
                })
                .collect();
            assert_eq!(paths.len(), 3);
            for points in paths {
                assert!((points[1].0 - points[0].0 - (points[2].0 - points[1].0)).abs() < 1e-6);
                assert!(
                    points
                        .iter()
                        .all(|p| (0.0..=width).contains(&p.0) && (0.0..=scene.height).contains(&p.1))
                );
                assert!(points[0].1 > points[2].1, "more is higher");
            }
        }
    }

    #[test]
    fn charts_without_valid_values_are_drawn() {
        let empty = Lines { series: vec![], ceilings: vec![], sizes: vec![], ..lines() };
        assert!(empty.scene(0.0).height > 0.0);
        let mut broken = lines();
        let point = |size, value| Point { size, value, spread: (value, f64::NAN) };
        broken.series[0].points = vec![point(f64::NAN, f64::NAN), point(0.0, -3.0)];
        let text = crate::svg::svg(&broken.scene(400.0), &crate::palette::Theme::light(), "t", "d");
        assert!(!text.contains("NaN"), "{text}");
    }
}
