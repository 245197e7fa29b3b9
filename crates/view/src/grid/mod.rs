//! The array as a grid of cells: where each cell is drawn, what lies under a point, and the picture of what is visible.
//!
//! World coordinates are pixels from the top left of the whole grid at the present cell size; the viewport is the
//! part that shows. Only visible cells cost anything: 16 M elements are one raster of at most a viewport's pixels.

pub mod base;
mod picture;

use super::array_view::ArrayView;
use super::highlights::Highlights;
use super::pixels::{index_at, px};
use super::plan::Plan;
use super::scene::{Rect, Scene};
use xla_array::Dims;
use xla_array::memory::SlotKind;

pub use picture::fit_text;

/// Largest and smallest side of a cell that zooming reaches, pixels.
pub const CELL_MAX: f64 = 96.0;
const CELL_MIN: f64 = 0.02;
/// What a cell grows to where there is room.
pub const CELL_COMFORTABLE: f64 = 72.0;
/// From here on cells have a gap and row and column numbers.
const CELL_WITH_HEADERS: f64 = 14.0;
/// From here on cells show values.
const CELL_WITH_VALUES: f64 = 22.0;
/// From here on cells show their slot number too.
const CELL_WITH_SLOTS: f64 = 34.0;
/// The most values written at once: a canvas draws about a thousand labels a frame.
const LABELS: usize = 1_200;
/// Between two facets.
const FACET_GAP: f64 = 24.0;
/// Air around the whole grid, so that outlines at its edge are not cut.
const MARGIN: f64 = 6.0;

/// The grid of one array at one size and place.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Which dimension is drawn where.
    pub plan: Plan,
    /// Visible width, pixels.
    pub width: f64,
    /// Visible height, pixels.
    pub height: f64,
    /// Side of a cell, pixels.
    pub cell: f64,
    /// How far the viewport is moved to the right and down, pixels.
    pub offset: (f64, f64),
    /// The most height it may take: zooming into a flat grid makes it grow.
    room: f64,
    sizes: Dims,
    /// The index shown where a dimension is on a slider.
    positions: Dims,
}

fn digits(n: i64) -> f64 {
    px(i64::try_from(n.max(0).to_string().len()).unwrap_or(1))
}

impl Grid {
    /// The grid of an array of these (padded) sizes, fitted into `width` and at most `height`.
    pub fn fitted(sizes: &[i64], plan: Plan, positions: &[i64], width: f64, height: f64) -> Self {
        Self::fitted_to(sizes, plan, positions, (width, height), CELL_COMFORTABLE)
    }

    /// The same with cells of at most `largest` pixels.
    pub fn fitted_to(
        sizes: &[i64],
        plan: Plan,
        positions: &[i64],
        (width, height): (f64, f64),
        largest: f64,
    ) -> Self {
        let positions = (0..sizes.len()).map(|d| positions.get(d).copied().unwrap_or(0)).collect();
        let mut grid = Self {
            plan,
            width,
            height,
            cell: largest,
            offset: (0.0, 0.0),
            room: height,
            sizes: sizes.into(),
            positions,
        };
        // Headers take room that depends on the cell size: a few rounds settle it.
        for _ in 0..4 {
            let (facet_columns, facet_rows) = grid.facets();
            let (columns, rows) = grid.counts();
            let room = |total: f64, one: f64, facets: i64, cells: i64| {
                let taken = one * px(facets) + FACET_GAP * px(facets - 1) + 2.0 * MARGIN;
                (total - taken) / px((cells * facets).max(1))
            };
            let by_width = room(width, grid.left(), facet_columns.max(1), columns);
            let by_height = room(height, grid.top(), facet_rows.max(1), rows);
            // Few cells stay readable and large ones stay visible, even where that means to pan.
            let least = match columns.saturating_mul(rows).saturating_mul(facet_columns * facet_rows) {
                ..=1_024 => CELL_WITH_VALUES,
                1_025..=65_536 => by_width.max(by_height).clamp(CELL_MIN, 8.0),
                _ => CELL_MIN,
            };
            grid.cell = by_width.min(by_height).clamp(least, largest.max(least));
        }
        grid.height = grid.world().1.min(height);
        grid
    }

    /// Size of the whole grid, pixels.
    pub fn world(&self) -> (f64, f64) {
        let (facet_columns, facet_rows) = self.facets();
        let (w, h) = self.block();
        (
            w * px(facet_columns) + FACET_GAP * px((facet_columns - 1).max(0)) + 2.0 * MARGIN,
            h * px(facet_rows) + FACET_GAP * px((facet_rows - 1).max(0)) + 2.0 * MARGIN,
        )
    }

    /// Whether the whole grid is larger than what shows.
    pub fn overflows(&self) -> bool {
        let (w, h) = self.world();
        w > self.width + 1.0 || h > self.height + 1.0
    }

    /// Moves the viewport, staying on the grid.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        let (w, h) = self.world();
        let keep = |at: f64, world: f64, view: f64| at.clamp(0.0, (world - view).max(0.0));
        self.offset = (keep(self.offset.0 + dx, w, self.width), keep(self.offset.1 + dy, h, self.height));
    }

    /// Multiplies the cell size, keeping what lies under (`x`, `y`) in its place.
    pub fn zoom(&mut self, factor: f64, x: f64, y: f64) {
        let (w, h) = self.world();
        let at = ((self.offset.0 + x) / w.max(1.0), (self.offset.1 + y) / h.max(1.0));
        let smallest =
            Self::fitted(&self.sizes, self.plan.clone(), &self.positions, self.width, self.room).cell;
        self.cell = (self.cell * factor).clamp(smallest.min(CELL_COMFORTABLE), CELL_MAX);
        let (w, h) = self.world();
        self.height = h.min(self.room);
        self.offset = (0.0, 0.0);
        self.pan(at.0 * w - x, at.1 * h - y);
    }

    /// Moves the viewport as little as needed to show a cell.
    pub fn reveal(&mut self, index: &[i64]) {
        let Some(rect) = self.rect(index) else { return };
        let need = |at: f64, size: f64, view: f64, before: f64| {
            if at < before {
                at - before
            } else if at + size > view - MARGIN {
                at + size - view + MARGIN
            } else {
                0.0
            }
        };
        let dx = need(rect.x, rect.w, self.width, self.left() + MARGIN);
        let dy = need(rect.y, rect.h, self.height, self.top() + MARGIN);
        self.pan(dx, dy);
    }

    fn size(&self, d: Option<usize>) -> i64 {
        d.and_then(|d| self.sizes.get(d)).copied().unwrap_or(1)
    }

    /// Columns and rows of one grid.
    pub fn counts(&self) -> (i64, i64) {
        (self.size(self.plan.columns), self.size(self.plan.rows))
    }

    /// Grids beside one another and below one another.
    pub fn facets(&self) -> (i64, i64) {
        (self.size(self.plan.facet_columns), self.size(self.plan.facet_rows))
    }

    fn has_headers(&self) -> bool {
        self.cell >= CELL_WITH_HEADERS && self.plan.columns.is_some()
    }

    /// Width of the row numbers.
    fn left(&self) -> f64 {
        if self.has_headers() && self.plan.rows.is_some() {
            14.0 + 7.5 * digits(self.size(self.plan.rows) - 1)
        } else {
            0.0
        }
    }

    /// Height of the facet's title and the column numbers.
    fn top(&self) -> f64 {
        self.title() + if self.has_headers() { 22.0 } else { 0.0 }
    }

    fn title(&self) -> f64 {
        if self.plan.has_facets() { 20.0 } else { 0.0 }
    }

    /// One grid with its headers.
    fn block(&self) -> (f64, f64) {
        let (columns, rows) = self.counts();
        // A scalar or an empty grid still takes the room of a cell.
        (self.left() + px(columns.max(1)) * self.cell, self.top() + px(rows.max(1)) * self.cell)
    }

    /// Top left corner of the cells of a facet, in the viewport.
    fn origin(&self, facet_column: i64, facet_row: i64) -> (f64, f64) {
        let (w, h) = self.block();
        (
            MARGIN + px(facet_column) * (w + FACET_GAP) + self.left() - self.offset.0,
            MARGIN + px(facet_row) * (h + FACET_GAP) + self.top() - self.offset.1,
        )
    }

    /// The index of the cell under a point of the viewport.
    pub fn hit(&self, x: f64, y: f64) -> Option<Dims> {
        let (w, h) = self.block();
        let (facet_columns, facet_rows) = self.facets();
        let facet_column = index_at((x + self.offset.0 - MARGIN) / (w + FACET_GAP));
        let facet_row = index_at((y + self.offset.1 - MARGIN) / (h + FACET_GAP));
        if !(0..facet_columns).contains(&facet_column) || !(0..facet_rows).contains(&facet_row) {
            return None;
        }
        let (left, top) = self.origin(facet_column, facet_row);
        let (column, row) = (index_at((x - left) / self.cell), index_at((y - top) / self.cell));
        let (columns, rows) = self.counts();
        if !(0..columns).contains(&column) || !(0..rows).contains(&row) {
            return None;
        }
        Some(self.index(facet_column, facet_row, column, row))
    }

    fn index(&self, facet_column: i64, facet_row: i64, column: i64, row: i64) -> Dims {
        let mut index = self.positions.clone();
        let places = [
            (self.plan.facet_columns, facet_column),
            (self.plan.facet_rows, facet_row),
            (self.plan.columns, column),
            (self.plan.rows, row),
        ];
        for (d, value) in places {
            if let Some(d) = d {
                index[d] = value;
            }
        }
        index
    }

    /// Where a cell is drawn in the viewport; `None` where its slider shows another index.
    pub fn rect(&self, index: &[i64]) -> Option<Rect> {
        if index.len() != self.sizes.len()
            || self.plan.sliders.iter().any(|d| index[*d] != self.positions[*d])
        {
            return None;
        }
        let at = |d: Option<usize>| d.map_or(0, |d| index[d]);
        let (left, top) = self.origin(at(self.plan.facet_columns), at(self.plan.facet_rows));
        let (column, row) = (px(at(self.plan.columns)), px(at(self.plan.rows)));
        Some(Rect::new(left + column * self.cell, top + row * self.cell, self.cell, self.cell))
    }

    /// The lit cells, drawn over the picture.
    pub fn overlay(&self, array: &ArrayView, marks: &Highlights) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let clip = Rect::new(0.0, 0.0, self.width, self.height).grown(12.0);
        let mut index = Dims::from_elem(0, self.sizes.len());
        for (slot, mark) in marks.iter() {
            if array.map().index_of(slot, &mut index) == SlotKind::Unindexed {
                continue;
            }
            if let Some(rect) = self.rect(&index).filter(|r| r.meet(clip).is_some()) {
                mark.outline(&mut scene, rect, self.cell);
            }
        }
        scene
    }
}
