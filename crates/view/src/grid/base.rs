//! The picture of a base area: the operand dilated and padded, with cropped elements struck through, and the windows as
//! frames over it.
//!
//! A *place* is an index in the grid of the area, which starts at the area's first position. [`Area::place`] and
//! [`Area::element`] convert between places and indices of the operand.

use std::rc::Rc;

use super::picture::{MIN_CHAR_WIDTH, TITLE_CHAR_WIDTH};
use super::{CELL_WITH_VALUES_PX, Grid, MAX_LABELS, fit_text};
use crate::array_view::ArrayView;
use crate::pixels::{index_at, px};
use crate::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};
use xla_array::Dims;
use xla_ops::Base;
use xla_ops::base::At;

/// Bound on the places of an area; of a larger one only the operand is drawn.
const MAX_PLACES: i64 = 1 << 14;

/// The coordinates of a base area in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    base: Base,
    /// The first position of each dimension.
    first: Dims,
    /// The number of places of each dimension.
    sizes: Dims,
    /// The value of padding and holes, as text; empty if they are skipped.
    fill: String,
}

/// An area with windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// The area.
    pub area: Rc<Area>,
    /// The indices of the windows; the first one can be dragged.
    pub at: Vec<Dims>,
}

impl Area {
    /// The area of a base, with the text of its fill; `None` if it is empty or too large.
    pub fn new(base: Base, fill: String) -> Option<Self> {
        let extents: Vec<(i64, i64)> = base.axes.iter().map(xla_ops::BaseAxis::extent).collect();
        let first: Dims = extents.iter().map(|(first, _)| *first).collect();
        let sizes: Dims = extents.iter().map(|(first, last)| last.saturating_sub(*first)).collect();
        let places = sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size))?;
        let is_drawable = !sizes.is_empty() && (1..=MAX_PLACES).contains(&places);
        is_drawable.then_some(Self { base, first, sizes, fill })
    }

    /// The base.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// The number of places of each dimension.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// The place of an element.
    pub fn place(&self, index: &[i64]) -> Dims {
        let axes = self.base.axes.iter().zip(&self.first).zip(index);
        axes.map(|((axis, first), x)| x * axis.window.base_dilation - first).collect()
    }

    fn at(&self, place: &[i64]) -> Vec<At> {
        let axes = self.base.axes.iter().zip(&self.first).zip(place);
        axes.map(|((axis, first), p)| axis.at(p + first)).collect()
    }

    /// The element at a place, even if it is cropped.
    pub fn element(&self, place: &[i64]) -> Option<Dims> {
        let coordinate = |at: At| if let At::Element { index, .. } = at { Some(index) } else { None };
        self.at(place).into_iter().map(coordinate).collect()
    }

    /// Whether negative padding crops a place.
    fn is_cropped(found: &[At]) -> bool {
        found.iter().any(|at| matches!(at, At::Cropped | At::Element { kept: false, .. }))
    }

    /// The places of a window in one dimension: first, last, and the step between its cells.
    fn span(&self, d: usize, window: &[i64]) -> (i64, i64, i64) {
        let axis = &self.base.axes[d];
        let step = axis.window.window_dilation.max(1);
        let first = axis.start(window).saturating_sub(self.first[d]);
        (first, first.saturating_add((axis.window.size - 1).max(0).saturating_mul(step)), step)
    }

    /// Whether a place is within a window, including its holes.
    pub fn covers(&self, window: &[i64], place: &[i64]) -> bool {
        place.iter().enumerate().all(|(d, p)| {
            let (first, last, _) = self.span(d, window);
            (first..=last).contains(p)
        })
    }

    /// The window nearest to `window` dragged from one place to another; `sizes` are the numbers of windows.
    pub fn dragged(&self, window: &[i64], from: &[i64], to: &[i64], sizes: &[i64]) -> Dims {
        let start = self.base.start(window);
        let target: Dims = start.iter().zip(from).zip(to).map(|((s, from), to)| s + to - from).collect();
        self.base.nearest(&target, window, sizes)
    }
}

impl Grid {
    /// The picture of an area.
    pub fn area_scene(&self, area: &Area, array: &ArrayView) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let view = Rect::new(0.0, 0.0, self.width, self.height);
        let (facet_columns, facet_rows) = self.facet_counts();
        let (columns, rows) = self.cell_counts();
        let mut labels = 0;
        for (facet_row, facet_column) in
            (0..facet_rows).flat_map(|row| (0..facet_columns).map(move |column| (row, column)))
        {
            let (left, top) = self.origin(facet_column, facet_row);
            if self.plan.has_facets() {
                let title = self.index(facet_column, facet_row, 0, 0);
                self.area_title(&mut scene, area, (left, top), &title);
            }
            self.area_headers(&mut scene, area, (left, top));
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let place = self.index(facet_column, facet_row, column, row);
                let Some(rect) = self.rect(&place).filter(|rect| rect.meet(view).is_some()) else { continue };
                labels += 1;
                self.area_cell(&mut scene, area, array, (&place, rect), labels <= MAX_LABELS);
            }
        }
        scene
    }

    fn area_title(&self, scene: &mut Scene, area: &Area, (left, top): (f64, f64), place: &[i64]) {
        let mut x = left;
        for d in [self.plan.facet_rows, self.plan.facet_columns].into_iter().flatten() {
            let text = match area.at(place).get(d) {
                Some(At::Element { index, .. }) => format!("d{d} = {index}"),
                _ => format!("d{d}"),
            };
            let width = TITLE_CHAR_WIDTH * px(i64::try_from(text.len()).unwrap_or(0)) + 14.0;
            scene.label((x, top - self.top() + 9.0), text, 12.0, Anchor::Start, Ink::Dimension(d));
            x += width;
        }
    }

    /// Draws the indices of elements, but not of padding and holes.
    fn area_headers(&self, scene: &mut Scene, area: &Area, (left, top): (f64, f64)) {
        if !self.has_headers() {
            return;
        }
        let elements = |d: usize| {
            let (axis, first) = (&area.base.axes[d], area.first[d]);
            (0..area.sizes[d]).filter_map(move |place| match axis.at(place + first) {
                At::Element { index, kept } => Some((place, index, kept)),
                _ => None,
            })
        };
        let ink = |d: usize, kept: bool| if kept { Ink::Dimension(d) } else { Ink::Faint };
        if let Some(d) = self.plan.columns {
            for (place, index, kept) in elements(d) {
                let x = left + (px(place) + 0.5) * self.cell;
                scene.label((x, top - 11.0), index.to_string(), 12.0, Anchor::Middle, ink(d, kept));
            }
        }
        if let Some(d) = self.plan.rows {
            for (place, index, kept) in elements(d) {
                let y = top + (px(place) + 0.5) * self.cell;
                scene.label((left - 9.0, y), index.to_string(), 12.0, Anchor::End, ink(d, kept));
            }
        }
    }

    fn area_cell(
        &self,
        scene: &mut Scene,
        area: &Area,
        array: &ArrayView,
        (place, rect): (&[i64], Rect),
        labelled: bool,
    ) {
        let found = area.at(place);
        let cropped = Area::is_cropped(&found);
        let element = area.element(place);
        let inner = rect.grown(if self.cell >= 6.0 { -1.0 } else { 0.0 });
        let labelled = labelled && self.cell >= CELL_WITH_VALUES_PX;
        match &element {
            Some(index) if array.hides_value_colours() && self.cell >= CELL_WITH_VALUES_PX => {
                scene.fill(inner, 0.0, Ink::Surface);
                if labelled {
                    let max_chars = index_at((inner.w - 3.0) / MIN_CHAR_WIDTH).max(1);
                    let text = array.label(index, usize::try_from(max_chars).unwrap_or(1));
                    let size = fit_text(&text, inner.w - 3.0, (self.cell * 0.36).min(24.0));
                    let ink = if cropped { Ink::Faint } else { Ink::Strong };
                    scene.centred(inner, text, size, !cropped, ink);
                }
            }
            Some(index) => {
                let slot = array.map().slot(index).unwrap_or(0);
                scene.fill(inner, 0.0, Ink::Exact(array.colour(index, slot)));
            }
            None => {
                scene.items.push(Item::Hatch { rect: inner });
                let dash = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([3.0, 3.0]) };
                scene.outline(inner.grown(-0.5), 0.0, dash);
                if labelled && !area.fill.is_empty() && !cropped {
                    let size = fit_text(&area.fill, inner.w - 3.0, (self.cell * 0.3).min(18.0));
                    scene.centred(inner, area.fill.clone(), size, false, Ink::Soft);
                }
            }
        }
        if cropped {
            let (right, bottom) = (inner.x + inner.w, inner.y + inner.h);
            let stroke = Stroke::solid(Ink::Soft, 1.5);
            scene.line((inner.x + 3.0, bottom - 3.0), (right - 3.0, inner.y + 3.0), stroke);
            scene.line((inner.x + 3.0, inner.y + 3.0), (right - 3.0, bottom - 3.0), stroke);
        }
    }

    /// Draws the windows as frames, one in each facet they cover; the cells of a dilated window are dotted.
    pub(crate) fn frames(&self, scene: &mut Scene, windows: &Windows) {
        let area = &windows.area;
        for (number, window) in windows.at.iter().enumerate().rev() {
            let spans: Vec<(i64, i64, i64)> = (0..area.sizes.len()).map(|d| area.span(d, window)).collect();
            let flat = [self.plan.rows, self.plan.columns];
            let across: Vec<Vec<i64>> = spans
                .iter()
                .enumerate()
                .map(|(d, (first, last, step))| {
                    if flat.contains(&Some(d)) {
                        return vec![*first];
                    }
                    let cells =
                        (0..area.sizes[d]).filter(|p| p >= first && p <= last && (p - first) % step == 0);
                    cells.collect()
                })
                .collect();
            xla_array::index::for_each_combination(&across, |corner| {
                let mut end: Dims = corner.into();
                for d in flat.into_iter().flatten() {
                    end[d] = spans[d].1;
                }
                let (Some(a), Some(b)) = (self.rect(corner), self.rect(&end)) else { return true };
                let frame = Rect::new(a.x, a.y, b.x + b.w - a.x, b.y + b.h - a.y);
                if number == 0 && flat.into_iter().flatten().any(|d| spans[d].2 > 1) {
                    self.window_cells(scene, &spans, corner);
                }
                let (width, dash) = if number == 0 { (3.0, None) } else { (2.0, Some([6.0, 3.0])) };
                scene.outline(frame.grown(1.0), 4.0, Stroke::solid(Ink::Ground, width + 3.0));
                scene.outline(frame.grown(1.0), 4.0, Stroke { ink: Ink::Select, width, dash });
                true
            });
        }
    }

    /// Outlines the cells of a dilated window.
    fn window_cells(&self, scene: &mut Scene, spans: &[(i64, i64, i64)], corner: &[i64]) {
        let places = |d: Option<usize>| -> Vec<Option<i64>> {
            let Some((first, last, step)) = d.map(|d| spans[d]) else { return vec![None] };
            let step = usize::try_from(step).unwrap_or(usize::MAX);
            (first..=last).step_by(step).map(Some).collect()
        };
        for row in places(self.plan.rows) {
            for column in places(self.plan.columns) {
                let mut place: Dims = corner.into();
                for (d, p) in [(self.plan.rows, row), (self.plan.columns, column)] {
                    if let (Some(d), Some(p)) = (d, p) {
                        place[d] = p;
                    }
                }
                if let Some(rect) = self.rect(&place) {
                    let stroke = Stroke { ink: Ink::Select, width: 1.5, dash: Some([2.0, 2.0]) };
                    scene.outline(rect.grown(-3.0), 2.0, stroke);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use xla_ops::BaseAxis;
    use xla_ops::attrs::WindowDim;

    fn area(windows: &[(i64, WindowDim)], fill: &str) -> Area {
        let axes = windows.iter().enumerate().map(|(d, (size, w))| BaseAxis::sliding(*size, *w, d)).collect();
        Area::new(Base { operand: 0, axes, counted_by: None, fill: None }, fill.to_owned()).unwrap()
    }

    fn view(sizes: &[i64]) -> ArrayView {
        let shape = xla_array::ArrayShape::new(xla_array::ElementType::S32, sizes.iter().copied());
        let literal = xla_array::ArrayLiteral::from_fn(shape, |n, _| xla_array::Value::Int(n + 1)).unwrap();
        let map = crate::colour_map::ColourMap::Viridis;
        ArrayView::from_literal(literal.into(), crate::options::ColourBy::Value, map).without_value_colours()
    }

    fn grid(area: &Area) -> Grid {
        Grid::fitted(area.sizes(), Plan::new(area.sizes(), None), &[], 600.0, 400.0)
    }

    const PLAIN: WindowDim = WindowDim {
        size: 1,
        stride: 1,
        pad_low: 0,
        pad_high: 0,
        base_dilation: 1,
        window_dilation: 1,
        reversal: false,
    };

    fn texts(scene: &Scene) -> Vec<&str> {
        fn text(item: &Item) -> Option<&str> {
            if let Item::Label(label) = item { Some(&label.text) } else { None }
        }
        scene.items.iter().filter_map(text).collect()
    }

    #[test]
    fn padding_holes_and_cropped_cells_are_drawn_differently() {
        // 1 2 3, dilated, with one cell of low padding and the last element cropped.
        let window = WindowDim { pad_low: 1, pad_high: -1, base_dilation: 2, ..PLAIN };
        let area = area(&[(3, window)], "0");
        assert_eq!(area.sizes(), [6]);
        let scene = grid(&area).area_scene(&area, &view(&[3]));
        let hatched = scene.items.iter().filter(|item| matches!(item, Item::Hatch { .. })).count();
        let struck = scene.items.iter().filter(|item| matches!(item, Item::Path { .. })).count();
        assert_eq!((hatched, struck), (3, 2), "one before, two holes; two strokes through the last");
        assert_eq!(texts(&scene), ["0", "1", "2", "0", "1", "0", "2", "0", "3"]);
        let svg = crate::svg::svg(&scene, &crate::palette::Theme::light(), "base", "a base area");
        assert_eq!(svg.matches("<text").count(), 9);
    }

    #[test]
    fn places_and_elements_round_trip() {
        let window = WindowDim { pad_low: 2, pad_high: 1, base_dilation: 3, ..PLAIN };
        let area = area(&[(4, window), (2, PLAIN)], "");
        for index in [[0, 0], [3, 1], [2, 0]] {
            assert_eq!(area.element(&area.place(&index)).as_deref(), Some(index.as_slice()));
        }
        assert_eq!(area.element(&[1, 0]), None);
    }

    #[test]
    fn the_frame_of_a_window_covers_its_cells() {
        let window = WindowDim { size: 2, stride: 2, pad_low: 1, pad_high: 1, window_dilation: 2, ..PLAIN };
        let area = Rc::new(area(&[(5, window), (5, window)], ""));
        let grid = grid(&area);
        let windows = Windows { area: area.clone(), at: vec![[1, 0].as_slice().into()] };
        let mut scene = Scene::new(1.0, 1.0);
        grid.frames(&mut scene, &windows);
        let boxes: Vec<Rect> = scene
            .items
            .iter()
            .filter_map(|i| if let Item::Box { rect, .. } = i { Some(*rect) } else { None })
            .collect();
        assert_eq!(boxes.len(), 4 + 2, "the four cells of the window, and its frame on a halo");
        let (first, last) = (grid.rect(&[2, 0]).unwrap(), grid.rect(&[4, 2]).unwrap());
        assert_eq!(
            boxes[5],
            Rect::new(first.x, first.y, last.x + last.w - first.x, last.y + last.h - first.y).grown(1.0)
        );
        assert!(area.covers(&[1, 0], &[3, 1]) && !area.covers(&[1, 0], &[1, 1]));
        assert_eq!(area.dragged(&[1, 0], &[3, 1], &[1, 3], &[3, 3])[..], [0, 1]);
    }

    #[test]
    fn an_area_that_is_too_large_is_not_drawn() {
        let window = WindowDim { pad_low: 1 << 40, ..PLAIN };
        let axes = vec![BaseAxis::sliding(3, window, 0)];
        assert_eq!(Area::new(Base { operand: 0, axes, counted_by: None, fill: None }, String::new()), None);
    }
}
