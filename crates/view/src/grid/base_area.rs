//! The picture of a base area: the operand dilated and padded, with cropped elements struck through, and the windows as
//! frames over it.
//!
//! A *cell* of the area is an index in its grid, in which the first position of the area is 0. [`Area::cell`] and
//! [`Area::element`] convert between cells and indices of the operand.

use std::rc::Rc;

use super::axes::Tick;
use super::picture::MIN_CHAR_WIDTH;
use super::{CELL_WITH_VALUES_PX, Grid, MAX_LABELS, fit_text};
use crate::array_view::ArrayView;
use crate::pixels::count_at;
use crate::scene::{Ink, Item, Rect, Scene, Stroke};
use xla_array::Dims;
use xla_messages::bug::OrBug as _;
use xla_ops::BaseArea;
use xla_ops::base_area::BaseCell;

/// Bound on the cells of an area; of a larger one only the operand is drawn.
const MAX_CELLS: i64 = 1 << 14;

/// Bound on the frames of one box; a box in more facets is not framed.
const MAX_FRAMES: usize = 4_096;

/// The first and the last cell of a box along one dimension, and the step between its cells.
pub(crate) type Span = (i64, i64, i64);

/// A base area with the coordinates of its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    base: BaseArea,
    /// The first position of each dimension.
    first: Dims,
    /// The number of cells of each dimension.
    sizes: Dims,
    /// The value of padding and holes, as text; empty if they are skipped.
    fill: String,
}

/// The windows over an area.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// The area that the windows are in.
    pub area: Rc<Area>,
    /// The indices of the windows; the first one can be dragged.
    pub indices: Vec<Dims>,
}

impl Area {
    /// The area of a base, with the text of its fill; `None` if it is empty or too large.
    pub fn new(base: BaseArea, fill: String) -> Option<Self> {
        let extents: Vec<(i64, i64)> = base.axes.iter().map(xla_ops::BaseAxis::position_range).collect();
        let first: Dims = extents.iter().map(|(first, _)| *first).collect();
        let sizes: Dims = extents.iter().map(|(first, last)| last.saturating_sub(*first)).collect();
        let cells = sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size))?;
        let is_drawable = !sizes.is_empty() && (1..=MAX_CELLS).contains(&cells);
        is_drawable.then_some(Self { base, first, sizes, fill })
    }

    /// The base area that is drawn.
    pub fn base(&self) -> &BaseArea {
        &self.base
    }

    /// The number of cells of each dimension.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// Whether it has cells of padding or holes that the windows skip.
    pub fn skips_cells(&self) -> bool {
        self.fill.is_empty() && self.base.axes.iter().zip(&self.sizes).any(|(axis, cells)| *cells > axis.size)
    }

    /// The cell of an element.
    pub fn cell(&self, index: &[i64]) -> Dims {
        let axes = self.base.axes.iter().zip(&self.first).zip(index);
        axes.map(|((axis, first), x)| x * axis.window.base_dilation - first).collect()
    }

    /// The content of a cell along each dimension.
    fn axis_cells(&self, cell: &[i64]) -> Vec<BaseCell> {
        let axes = self.base.axes.iter().zip(&self.first).zip(cell);
        axes.map(|((axis, first), p)| axis.content(p + first)).collect()
    }

    /// The element at a cell, even if it is cropped.
    pub fn element(&self, cell: &[i64]) -> Option<Dims> {
        let coordinate = |content: BaseCell| {
            if let BaseCell::Element { index, .. } = content { Some(index) } else { None }
        };
        self.axis_cells(cell).into_iter().map(coordinate).collect()
    }

    /// Whether negative padding crops a cell.
    fn is_cropped(axis_cells: &[BaseCell]) -> bool {
        axis_cells.iter().any(|content| {
            matches!(content, BaseCell::CroppedHole | BaseCell::Element { is_read: false, .. })
        })
    }

    /// The first and the last cell of a window along one dimension, and the step between its cells.
    fn span(&self, d: usize, window: &[i64]) -> Span {
        let axis = &self.base.axes[d];
        let step = axis.window.window_dilation.max(1);
        let first = axis.start(window).saturating_sub(self.first[d]);
        (first, first.saturating_add((axis.window.size - 1).max(0).saturating_mul(step)), step)
    }

    /// The first and the last position of a window, in positions of the dilated base; the window may begin and end in the padding.
    pub fn range(&self, window: &[i64]) -> [Dims; 2] {
        let ends = self.first.iter().enumerate().map(|(d, origin)| {
            let (first, last, _) = self.span(d, window);
            (first.saturating_add(*origin), last.saturating_add(*origin))
        });
        let (first, last) = ends.unzip();
        [first, last]
    }

    /// Whether a cell is within a window, including its holes.
    pub fn covers(&self, window: &[i64], cell: &[i64]) -> bool {
        cell.iter().enumerate().all(|(d, p)| {
            let (first, last, _) = self.span(d, window);
            (first..=last).contains(p)
        })
    }

    /// The first and the last cell of the part of a window that is in the area.
    pub fn corners(&self, window: &[i64]) -> [Dims; 2] {
        let ends = self.sizes.iter().enumerate().map(|(d, size)| {
            let (first, last, _) = self.span(d, window);
            (first.clamp(0, size - 1), last.clamp(0, size - 1))
        });
        let (first, last) = ends.unzip();
        [first, last]
    }

    /// The index of the window closest to `window` dragged by the distance between two cells; `sizes` are the numbers of
    /// windows.
    pub fn dragged_window(&self, window: &[i64], from: &[i64], to: &[i64], sizes: &[i64]) -> Dims {
        let start = self.base.start(window);
        let target: Dims = start.iter().zip(from).zip(to).map(|((s, from), to)| s + to - from).collect();
        self.base.closest_window(&target, window, sizes)
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
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let cell = self.index(facet_column, facet_row, column, row);
                let Some(rect) = self.rect(&cell).filter(|rect| rect.intersection(view).is_some()) else {
                    continue;
                };
                labels += 1;
                self.area_cell(&mut scene, area, array, (&cell, rect), labels <= MAX_LABELS);
            }
            let start = self.origin(facet_column, facet_row);
            self.area_headers(&mut scene, area, start);
            if self.assignment.has_facets() {
                let axis_cells = area.axis_cells(&self.index(facet_column, facet_row, 0, 0));
                let dimensions =
                    [self.assignment.facet_rows, self.assignment.facet_columns].into_iter().flatten();
                let parts = dimensions.map(|d| match axis_cells.get(d) {
                    Some(BaseCell::Element { index, .. }) => (d, Some(*index)),
                    _ => (d, None),
                });
                self.title(&mut scene, start, &parts.collect::<Vec<_>>());
            }
        }
        self.edge_cues(&mut scene);
        scene
    }

    /// Draws the indices of elements, but not of padding and holes.
    fn area_headers(&self, scene: &mut Scene, area: &Area, start: (f64, f64)) {
        let ticks = |d: Option<usize>, step: i64| {
            d.into_iter().flat_map(move |d| {
                let (axis, first) = (&area.base.axes[d], area.first[d]);
                (0..area.sizes[d]).filter_map(move |cell| match axis.content(cell + first) {
                    BaseCell::Element { index, is_read } if index % step == 0 => Some(Tick {
                        position: cell,
                        number: index,
                        ink: if is_read { Ink::Dimension(d) } else { Ink::Faint },
                    }),
                    _ => None,
                })
            })
        };
        let (columns, _) = self.cell_counts();
        let columns = ticks(self.assignment.columns, self.column_step(columns));
        self.axes(scene, start, columns, ticks(self.assignment.rows, self.row_step()));
    }

    fn area_cell(
        &self,
        scene: &mut Scene,
        area: &Area,
        array: &ArrayView,
        (cell, rect): (&[i64], Rect),
        has_label: bool,
    ) {
        let is_cropped = Area::is_cropped(&area.axis_cells(cell));
        let element = area.element(cell);
        let inner = rect.grown(if self.cell >= 6.0 { -1.0 } else { 0.0 });
        let has_label = has_label && self.cell >= CELL_WITH_VALUES_PX;
        match &element {
            Some(index) if array.hides_value_colours() && self.cell >= CELL_WITH_VALUES_PX => {
                scene.fill(inner, 0.0, Ink::Surface);
                if has_label {
                    let max_chars = count_at((inner.w - 3.0) / MIN_CHAR_WIDTH);
                    let text = array.fitting_label(index, max_chars);
                    let size = fit_text(&text, inner.w - 3.0, (self.cell * 0.36).min(24.0));
                    let ink = if is_cropped { Ink::Faint } else { Ink::Strong };
                    scene.centred_label(inner, text, size, !is_cropped, ink);
                }
            }
            Some(index) => {
                let slot = array.memory_map().slot(index).or_bug(0, "an element without a slot");
                scene.fill(inner, 0.0, Ink::Exact(array.colour(index, slot)));
            }
            None => {
                scene.items.push(Item::Hatch { rect: inner });
                let dash = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([3.0, 3.0]) };
                scene.outline(inner.grown(-0.5), 0.0, dash);
                if has_label && !area.fill.is_empty() && !is_cropped {
                    let size = fit_text(&area.fill, inner.w - 3.0, (self.cell * 0.3).min(18.0));
                    scene.centred_label(inner, area.fill.clone(), size, false, Ink::Soft);
                }
            }
        }
        if is_cropped {
            let (right, bottom) = (inner.x + inner.w, inner.y + inner.h);
            let stroke = Stroke::solid(Ink::Soft, 1.5);
            scene.line((inner.x + 3.0, bottom - 3.0), (right - 3.0, inner.y + 3.0), stroke);
            scene.line((inner.x + 3.0, inner.y + 3.0), (right - 3.0, bottom - 3.0), stroke);
        }
    }

    /// Draws the windows as frames, one in each facet they cover; the cells of a dilated window are dotted.
    pub(crate) fn window_frames(&self, scene: &mut Scene, windows: &Windows) {
        let area = &windows.area;
        for (index, window) in windows.indices.iter().enumerate().rev() {
            let spans: Vec<Span> = (0..area.sizes.len()).map(|d| area.span(d, window)).collect();
            let (width, dash) = if index == 0 { (3.0, None) } else { (2.0, Some([6.0, 3.0])) };
            if index == 0 && self.drawn_axes().any(|d| spans[d].2 > 1) {
                self.for_each_facet_corner(&spans, |corner| self.window_cells(scene, &spans, corner));
            }
            self.frame(scene, &spans, Stroke { ink: Ink::Select, width, dash });
        }
    }

    /// The dimensions along rows and columns.
    fn drawn_axes(&self) -> impl Iterator<Item = usize> {
        [self.assignment.rows, self.assignment.columns].into_iter().flatten()
    }

    /// Calls `f` with the first cell of a box in each facet that it covers.
    fn for_each_facet_corner(&self, spans: &[Span], mut f: impl FnMut(&[i64])) {
        let is_drawn = |d: usize| self.drawn_axes().any(|axis| axis == d);
        let corners = spans.iter().zip(&self.sizes).enumerate().map(|(d, ((first, last, step), size))| {
            if is_drawn(d) {
                return vec![*first];
            }
            (0..*size).filter(|p| p >= first && p <= last && (p - first) % step == 0).collect()
        });
        let corners: Vec<Vec<i64>> = corners.collect();
        let count = corners.iter().map(Vec::len).fold(1, usize::saturating_mul);
        if count > MAX_FRAMES {
            return;
        }
        xla_array::index::for_each_combination(&corners, |corner| {
            f(corner);
            true
        });
    }

    /// Draws a box of cells as frames, one in each facet that it covers.
    pub(crate) fn frame(&self, scene: &mut Scene, spans: &[Span], stroke: Stroke) {
        self.for_each_facet_corner(spans, |corner| {
            let mut end: Dims = corner.into();
            for d in self.drawn_axes() {
                end[d] = spans[d].1;
            }
            let (Some(a), Some(b)) = (self.rect(corner), self.rect(&end)) else { return };
            let frame = Rect::new(a.x, a.y, b.x + b.w - a.x, b.y + b.h - a.y);
            // The halo is narrow: at the edge of the cell above are its numbers.
            scene.outline(frame, 4.0, Stroke::solid(Ink::Background, stroke.width + 1.5));
            scene.outline(frame, 4.0, stroke);
        });
    }

    /// Outlines the cells of a dilated window.
    fn window_cells(&self, scene: &mut Scene, spans: &[Span], corner: &[i64]) {
        let cells = |d: Option<usize>| -> Vec<Option<i64>> {
            let Some((first, last, step)) = d.map(|d| spans[d]) else { return vec![None] };
            // A dilation beyond `usize` leaves only the first element of a window in the area.
            let step = usize::try_from(step).unwrap_or(usize::MAX);
            (first..=last).step_by(step).map(Some).collect()
        };
        for row in cells(self.assignment.rows) {
            for column in cells(self.assignment.columns) {
                let mut cell: Dims = corner.into();
                for (d, p) in [(self.assignment.rows, row), (self.assignment.columns, column)] {
                    if let (Some(d), Some(p)) = (d, p) {
                        cell[d] = p;
                    }
                }
                if let Some(rect) = self.rect(&cell) {
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
    use crate::axis_assignment::AxisAssignment;
    use xla_ops::BaseAxis;
    use xla_ops::attrs::WindowDim;

    fn area(windows: &[(i64, WindowDim)], fill: &str) -> Area {
        let axes = windows.iter().enumerate().map(|(d, (size, w))| BaseAxis::sliding(*size, *w, d)).collect();
        Area::new(BaseArea { operand: 0, axes, window_index_operand: None, fill: None }, fill.to_owned())
            .unwrap()
    }

    fn view(sizes: &[i64]) -> ArrayView {
        let shape = xla_array::ArrayShape::new(xla_array::ElementType::S32, sizes.iter().copied());
        let literal = xla_array::ArrayLiteral::from_fn(shape, |n, _| xla_array::Value::Int(n + 1)).unwrap();
        let map = crate::colour_map::ColourMap::Viridis;
        ArrayView::from_literal(literal.into(), crate::options::ColourBy::Value, map).without_value_colours()
    }

    fn grid(area: &Area) -> Grid {
        Grid::fitted(area.sizes(), AxisAssignment::new(area.sizes(), None), &[], 600.0, 400.0)
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
        assert_eq!(texts(&scene), ["0", "1", "0", "2", "0", "3", "0", "1", "2"]);
        let svg = crate::svg::svg(&scene, &crate::palette::Theme::light(), "base", "a base area");
        assert_eq!(svg.matches("<text").count(), 9);
    }

    #[test]
    fn cells_and_elements_round_trip() {
        let window = WindowDim { pad_low: 2, pad_high: 1, base_dilation: 3, ..PLAIN };
        let area = area(&[(4, window), (2, PLAIN)], "");
        for index in [[0, 0], [3, 1], [2, 0]] {
            assert_eq!(area.element(&area.cell(&index)).as_deref(), Some(index.as_slice()));
        }
        assert_eq!(area.element(&[1, 0]), None);
    }

    #[test]
    fn the_frame_of_a_window_covers_its_cells() {
        let window = WindowDim { size: 2, stride: 2, pad_low: 1, pad_high: 1, window_dilation: 2, ..PLAIN };
        let area = Rc::new(area(&[(5, window), (5, window)], ""));
        let grid = grid(&area);
        let windows = Windows { area: area.clone(), indices: vec![[1, 0].as_slice().into()] };
        let mut scene = Scene::new(1.0, 1.0);
        grid.window_frames(&mut scene, &windows);
        let boxes: Vec<Rect> = scene
            .items
            .iter()
            .filter_map(|i| if let Item::Box { rect, .. } = i { Some(*rect) } else { None })
            .collect();
        assert_eq!(boxes.len(), 4 + 2, "the four cells of the window, and its frame on a halo");
        let (first, last) = (grid.rect(&[2, 0]).unwrap(), grid.rect(&[4, 2]).unwrap());
        assert_eq!(
            boxes[5],
            Rect::new(first.x, first.y, last.x + last.w - first.x, last.y + last.h - first.y)
        );
        assert!(area.covers(&[1, 0], &[3, 1]) && !area.covers(&[1, 0], &[1, 1]));
        assert_eq!(area.dragged_window(&[1, 0], &[3, 1], &[1, 3], &[3, 3])[..], [0, 1]);
    }

    #[test]
    fn an_area_that_is_too_large_is_not_drawn() {
        let window = WindowDim { pad_low: 1 << 40, ..PLAIN };
        let axes = vec![BaseAxis::sliding(3, window, 0)];
        assert_eq!(
            Area::new(BaseArea { operand: 0, axes, window_index_operand: None, fill: None }, String::new()),
            None
        );
    }
}
