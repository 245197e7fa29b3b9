//! The array as a grid of cells: layout, hit testing, and the picture of the visible part.
//!
//! Two dimensions are rows and columns; others repeat the grid as facets (one 2-D slice each) or are fixed by a slider.
//!
//! Content coordinates are pixels from the top left of the whole grid at the current cell size; the viewport is the
//! visible part. The cost depends on visible cells only; a large array is one raster of at most a viewport's pixels.

mod axes;
pub mod base_area;
pub mod edges;
mod picture;

use super::array_view::ArrayView;
use super::axis_assignment::AxisAssignment;
use super::highlights::{Highlight, SlotHighlights};
use super::pixels::{clamped, count_px, index_at, px};
use super::scene::{Rect, Scene};
use xla_array::Dims;
use xla_array::memory::SlotKind;

pub use picture::fit_text;

/// Bound on the side of a cell when zooming in, pixels.
const CELL_MAX_PX: f64 = 144.0;
/// Bound on the side of a cell when zooming out, pixels.
const CELL_MIN_PX: f64 = 0.02;

/// Minimum width and height of the whole grid: the cells of an array such as `f32[100000,2]` are square, so that it would be
/// invisible with all its rows in view, pixels.
const GRID_MIN_PX: f64 = 8.0;
/// The side of a cell if there is enough space, pixels.
pub const CELL_COMFORTABLE_PX: f64 = 72.0;
/// Minimum side of a cell, in pixels, for row and column numbers.
const CELL_WITH_HEADERS_PX: f64 = 14.0;
/// Minimum side of a cell, in pixels, for its value.
const CELL_WITH_VALUES_PX: f64 = 22.0;
/// Minimum side of a cell, in pixels, for its slot number.
const CELL_WITH_SLOTS_PX: f64 = 34.0;
/// Bound on the labels of a picture: a canvas draws about a thousand per frame.
const MAX_LABELS: usize = 1_200;
/// The cells of tile padding along a dimension that are drawn even if the array has fewer.
const MIN_DRAWN_PADDING: i64 = 2;
/// Space between facets, pixels.
const FACET_GAP: f64 = 16.0;
/// Margin around the grid, so that outlines at its edge are not clipped, pixels.
const MARGIN: f64 = 6.0;
/// Width of a digit of the row and column numbers, pixels.
const DIGIT_WIDTH: f64 = 7.5;
/// Height of the column numbers, pixels.
const COLUMN_NUMBERS_HEIGHT: f64 = 22.0;
/// Height of a facet's title, pixels.
const FACET_TITLE_HEIGHT: f64 = 20.0;

/// The grid of one array at one size and position.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The assignment of dimensions to axes.
    pub assignment: AxisAssignment,
    /// Width of the viewport, pixels.
    pub width: f64,
    /// Height of the viewport, pixels.
    pub height: f64,
    /// Side of a cell, pixels.
    pub cell: f64,
    /// Scroll offset of the viewport to the right and down, pixels.
    pub offset: (f64, f64),
    /// Bound on the height of the viewport, which grows when zooming into a flat grid, pixels.
    max_height: f64,
    /// Whether axes and titles are omitted.
    omits_axes: bool,
    sizes: Dims,
    /// Per dimension, the number of cells past the last one by which tiles pad the array; none if it is empty.
    tile_padding: Dims,
    /// Per dimension, the index to show if it is on a slider.
    slider_indices: Dims,
}

fn digits(n: i64) -> f64 {
    count_px(n.max(0).to_string().len())
}

impl Grid {
    /// The grid of an array of these padded sizes, fitted into `width` and at most `height`.
    pub fn fitted(
        sizes: &[i64],
        assignment: AxisAssignment,
        slider_indices: &[i64],
        width: f64,
        height: f64,
    ) -> Self {
        Self::fitted_to(sizes, assignment, slider_indices, (width, height), CELL_COMFORTABLE_PX)
    }

    /// Like [`Grid::fitted`], with cells of at most `max_cell` pixels.
    pub fn fitted_to(
        sizes: &[i64],
        assignment: AxisAssignment,
        slider_indices: &[i64],
        (width, height): (f64, f64),
        max_cell: f64,
    ) -> Self {
        let mut grid = Self {
            assignment,
            width,
            height,
            cell: max_cell,
            offset: (0.0, 0.0),
            max_height: height,
            omits_axes: false,
            sizes: sizes.into(),
            tile_padding: Dims::new(),
            slider_indices: Dims::new(),
        };
        grid.set_slider_indices(slider_indices);
        grid.fit(max_cell, None);
        grid
    }

    /// Like [`Grid::fitted_to`], but surrounded by its tile padding ([`ArrayView::tile_padding`]), and with the rows and
    /// columns of facets exchanged if cells are larger then.
    pub fn fitted_facets(
        sizes: &[i64],
        tile_padding: &[i64],
        assignment: AxisAssignment,
        space: (f64, f64),
        max_cell: f64,
    ) -> Self {
        let mut grid = Self::fitted_to(sizes, assignment, &[], space, max_cell);
        grid.tile_padding = tile_padding.into();
        grid.fit(max_cell, None);
        let mut transposed = grid.clone();
        std::mem::swap(&mut transposed.assignment.facet_columns, &mut transposed.assignment.facet_rows);
        transposed.fit(max_cell, None);
        let is_better = transposed.cell > grid.cell || grid.overflows() && !transposed.overflows();
        if grid.assignment.facet_rows.is_some() && is_better { transposed } else { grid }
    }

    /// A small picture of all cells and of the tile padding, without axes and titles.
    pub fn overview(
        sizes: &[i64],
        tile_padding: &[i64],
        assignment: AxisAssignment,
        width: f64,
        height: f64,
    ) -> Self {
        let mut grid = Self::fitted(sizes, assignment, &[], width, height);
        grid.tile_padding = tile_padding.into();
        grid.omits_axes = true;
        grid.fit(CELL_COMFORTABLE_PX, Some(0.0));
        grid
    }

    /// The grid with all cells in view, however small they are, as long as it is visible.
    #[must_use]
    pub fn zoomed_out(&self) -> Self {
        let mut grid = Self { offset: (0.0, 0.0), height: self.max_height, ..self.clone() };
        grid.fit(CELL_COMFORTABLE_PX, Some(GRID_MIN_PX));
        grid
    }

    /// Shows these indices of the dimensions on sliders; missing ones are 0.
    pub fn set_slider_indices(&mut self, slider_indices: &[i64]) {
        self.slider_indices =
            (0..self.sizes.len()).map(|d| slider_indices.get(d).copied().unwrap_or(0)).collect();
    }

    /// Chooses the side of a cell, at most `max_cell` pixels, so that all cells are in view and the grid is at least
    /// `min_extent` pixels wide and high. Without `min_extent`, a minimum keeps the values of small grids readable and the cells
    /// of larger ones visible; the user then pans.
    fn fit(&mut self, max_cell: f64, min_extent: Option<f64>) {
        let (facet_columns, facet_rows) = self.facet_counts();
        let (columns, rows) = self.drawn_counts();
        // The size of headers depends on the cell size; a few iterations converge.
        for _ in 0..4 {
            let fitting_cell = |total: f64, header: f64, facets: i64, cells: i64| {
                let fixed = header * px(facets) + FACET_GAP * px(facets - 1) + 2.0 * MARGIN;
                (total - fixed) / px((cells * facets).max(1))
            };
            let by_width = fitting_cell(self.width, self.left(), facet_columns.max(1), columns);
            let by_height = fitting_cell(self.max_height, self.top(), facet_rows.max(1), rows);
            let narrow = columns.saturating_mul(facet_columns).min(rows.saturating_mul(facet_rows)).max(1);
            let visible = |extent: f64| (extent / px(narrow)).max(CELL_MIN_PX);
            let min_cell = match columns.saturating_mul(rows).saturating_mul(facet_columns * facet_rows) {
                _ if let Some(extent) = min_extent => visible(extent),
                ..=1_024 => CELL_WITH_VALUES_PX,
                1_025..=65_536 => clamped(by_width.max(by_height), CELL_MIN_PX, 8.0),
                _ => visible(GRID_MIN_PX),
            };
            self.cell = clamped(by_width.min(by_height), min_cell, max_cell.max(min_cell));
        }
        self.height = self.content_size().1.min(self.max_height);
    }

    /// Width and height of the whole grid, pixels.
    pub fn content_size(&self) -> (f64, f64) {
        let (facet_columns, facet_rows) = self.facet_counts();
        let (w, h) = self.facet_size();
        (
            w * px(facet_columns) + FACET_GAP * px((facet_columns - 1).max(0)) + 2.0 * MARGIN,
            h * px(facet_rows) + FACET_GAP * px((facet_rows - 1).max(0)) + 2.0 * MARGIN,
        )
    }

    /// Whether the grid is larger than the viewport.
    pub fn overflows(&self) -> bool {
        let (w, h) = self.content_size();
        w > self.width + 1.0 || h > self.height + 1.0
    }

    /// Scrolls the viewport within the grid.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        let (w, h) = self.content_size();
        let clamp = |offset: f64, content: f64, view: f64| clamped(offset, 0.0, (content - view).max(0.0));
        self.offset = (clamp(self.offset.0 + dx, w, self.width), clamp(self.offset.1 + dy, h, self.height));
    }

    /// Multiplies the cell size, keeping the content at (`x`, `y`) in place.
    pub fn zoom(&mut self, factor: f64, x: f64, y: f64) {
        let (w, h) = self.content_size();
        // Axes do not scale with the cells. In a single facet, the cell at the point is kept in place exactly.
        let is_single = self.facet_counts() == (1, 1);
        let start = self.origin(0, 0);
        let cell = ((x - start.0) / self.cell, (y - start.1) / self.cell);
        let relative = ((self.offset.0 + x) / w.max(1.0), (self.offset.1 + y) / h.max(1.0));
        self.cell = clamped(self.cell * factor, self.zoomed_out().cell, CELL_MAX_PX.max(self.cell));
        let (w, h) = self.content_size();
        self.height = h.min(self.max_height);
        self.offset = (0.0, 0.0);
        if is_single {
            let start = self.origin(0, 0);
            self.pan(start.0 + cell.0 * self.cell - x, start.1 + cell.1 * self.cell - y);
        } else {
            self.pan(relative.0 * w - x, relative.1 * h - y);
        }
    }

    /// Scrolls as little as possible to show a cell.
    pub fn reveal(&mut self, index: &[i64]) {
        let Some(rect) = self.rect(index) else { return };
        let scroll = |start: f64, size: f64, view: f64, header: f64| {
            if start < header {
                start - header
            } else if start + size > view - MARGIN {
                start + size - view + MARGIN
            } else {
                0.0
            }
        };
        let dx = scroll(rect.x, rect.w, self.width, self.left() + MARGIN);
        let dy = scroll(rect.y, rect.h, self.height, self.top() + MARGIN);
        self.pan(dx, dy);
    }

    /// Scrolls a cell that is not in view to its middle.
    pub fn centre(&mut self, index: &[i64]) {
        let Some(rect) = self.rect(index) else { return };
        let (x, y) = (self.left() + MARGIN, self.top() + MARGIN);
        let is_within = rect.x >= x - 0.5
            && rect.y >= y - 0.5
            && rect.x + rect.w <= self.width + 0.5
            && rect.y + rect.h <= self.height + 0.5;
        if !is_within {
            let centre = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
            self.pan(centre.0 - f64::midpoint(x, self.width), centre.1 - f64::midpoint(y, self.height));
        }
    }

    fn size(&self, d: Option<usize>) -> i64 {
        d.and_then(|d| self.sizes.get(d)).copied().unwrap_or(1)
    }

    /// Columns and rows of one facet.
    pub fn cell_counts(&self) -> (i64, i64) {
        (self.size(self.assignment.columns), self.size(self.assignment.rows))
    }

    /// The number of cells of tile padding that are drawn along a dimension: all, if they do not dominate the picture.
    fn drawn_padding(&self, d: Option<usize>) -> i64 {
        let padding = d.and_then(|d| self.tile_padding.get(d)).copied().unwrap_or(0);
        padding.min((self.size(d) / 4).max(MIN_DRAWN_PADDING))
    }

    /// Columns and rows of one facet, with those of the tile padding that is drawn.
    fn drawn_counts(&self) -> (i64, i64) {
        let (columns, rows) = self.cell_counts();
        (
            columns + self.drawn_padding(self.assignment.columns),
            rows + self.drawn_padding(self.assignment.rows),
        )
    }

    /// Columns and rows of facets.
    pub fn facet_counts(&self) -> (i64, i64) {
        (self.size(self.assignment.facet_columns), self.size(self.assignment.facet_rows))
    }

    /// Width and height of one facet with its headers.
    fn facet_size(&self) -> (f64, f64) {
        let (columns, rows) = self.drawn_counts();
        // A scalar or an empty grid has the size of one cell.
        (self.left() + px(columns.max(1)) * self.cell, self.top() + px(rows.max(1)) * self.cell)
    }

    /// Top left corner of the cells of a facet, in viewport coordinates.
    fn origin(&self, facet_column: i64, facet_row: i64) -> (f64, f64) {
        let (w, h) = self.facet_size();
        (
            MARGIN + px(facet_column) * (w + FACET_GAP) + self.left() - self.offset.0,
            MARGIN + px(facet_row) * (h + FACET_GAP) + self.top() - self.offset.1,
        )
    }

    /// The index of the cell at a point of the viewport.
    pub fn hit(&self, x: f64, y: f64) -> Option<Dims> {
        let (w, h) = self.facet_size();
        let (facet_columns, facet_rows) = self.facet_counts();
        let facet_column = index_at((x + self.offset.0 - MARGIN) / (w + FACET_GAP));
        let facet_row = index_at((y + self.offset.1 - MARGIN) / (h + FACET_GAP));
        if !(0..facet_columns).contains(&facet_column) || !(0..facet_rows).contains(&facet_row) {
            return None;
        }
        let (left, top) = self.origin(facet_column, facet_row);
        // Axes cover the cells beneath them.
        let corner = self.corner_of((left, top));
        if x < corner.0 || y < corner.1 {
            return None;
        }
        let (column, row) = (index_at((x - left) / self.cell), index_at((y - top) / self.cell));
        let (columns, rows) = self.cell_counts();
        if !(0..columns).contains(&column) || !(0..rows).contains(&row) {
            return None;
        }
        Some(self.index(facet_column, facet_row, column, row))
    }

    fn index(&self, facet_column: i64, facet_row: i64, column: i64, row: i64) -> Dims {
        let mut index = self.slider_indices.clone();
        let axes = [
            (self.assignment.facet_columns, facet_column),
            (self.assignment.facet_rows, facet_row),
            (self.assignment.columns, column),
            (self.assignment.rows, row),
        ];
        for (d, value) in axes {
            if let Some(d) = d {
                index[d] = value;
            }
        }
        index
    }

    /// The rectangle of a cell in the viewport; `None` if a slider shows another index.
    pub fn rect(&self, index: &[i64]) -> Option<Rect> {
        if index.len() != self.sizes.len()
            || self.assignment.sliders.iter().any(|d| index[*d] != self.slider_indices[*d])
        {
            return None;
        }
        let coordinate = |d: Option<usize>| d.map_or(0, |d| index[d]);
        let (left, top) =
            self.origin(coordinate(self.assignment.facet_columns), coordinate(self.assignment.facet_rows));
        let (column, row) = (px(coordinate(self.assignment.columns)), px(coordinate(self.assignment.rows)));
        Some(Rect::new(left + column * self.cell, top + row * self.cell, self.cell, self.cell))
    }

    /// The highlights, to be drawn over the picture.
    pub fn overlay(&self, array: &ArrayView, highlights: &SlotHighlights) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let mut index = Dims::from_elem(0, self.sizes.len());
        for (slot, highlight) in highlights.iter() {
            if array.memory_map().index_of(slot, &mut index) == SlotKind::UnindexedPadding {
                continue;
            }
            // The ring around a small cell overlaps the axes, so the cursor's numbers are drawn as well.
            if highlight == Highlight::Cursor {
                self.cursor_numbers(&mut scene, &index);
            }
            if let Some(rect) = self.visible_rect(&index) {
                highlight.outline(&mut scene, rect, self.cell);
            }
        }
        scene
    }
}
