//! The array as a grid of cells: where each cell is drawn, what lies under a point, and the picture of what is visible.
//!
//! World coordinates are pixels from the top left of the whole grid at the present cell size; the viewport is the
//! part that shows. Only visible cells cost anything: 16 M elements are one raster of at most a viewport's pixels.

use super::array_view::ArrayView;
use super::marks::Marks;
use super::plan::Plan;
use super::scene::{Anchor, Ink, Rect, Scene, Stroke};
use crate::array::Dims;
use crate::array::memory::CellKind;

/// Largest and smallest side of a cell that zooming reaches, pixels.
pub const CELL_MAX: f64 = 96.0;
const CELL_MIN: f64 = 0.02;
/// What a cell grows to where there is room.
const CELL_COMFORTABLE: f64 = 72.0;
/// From here on cells have a gap and row and column numbers.
const CELL_WITH_HEADERS: f64 = 14.0;
/// From here on cells show values.
const CELL_WITH_VALUES: f64 = 22.0;
/// From here on cells show their slot number too.
const CELL_WITH_SLOTS: f64 = 40.0;
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
    sizes: Dims,
    /// The index shown where a dimension is on a slider.
    positions: Dims,
}

/// An index as a coordinate. Sizes are far below 2^53, where doubles hold every integer.
#[allow(clippy::cast_precision_loss, reason = "sizes here are at most 2^26")]
pub fn px(n: i64) -> f64 {
    n as f64
}

/// The index at a coordinate.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, which is what a coordinate far outside needs"
)]
pub fn index_at(x: f64) -> i64 {
    x.floor() as i64
}

fn digits(n: i64) -> f64 {
    px(i64::try_from(n.max(0).to_string().len()).unwrap_or(1))
}

impl Grid {
    /// The grid of an array of these (padded) sizes, fitted into `width` and at most `height`.
    pub fn fitted(sizes: &[i64], plan: Plan, positions: &[i64], width: f64, height: f64) -> Self {
        let positions = (0..sizes.len()).map(|d| positions.get(d).copied().unwrap_or(0)).collect();
        let mut grid = Self {
            plan,
            width,
            height,
            cell: CELL_COMFORTABLE,
            offset: (0.0, 0.0),
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
            grid.cell = by_width.min(by_height).clamp(least, CELL_COMFORTABLE);
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
            Self::fitted(&self.sizes, self.plan.clone(), &self.positions, self.width, self.height).cell;
        self.cell = (self.cell * factor).clamp(smallest.min(CELL_COMFORTABLE), CELL_MAX);
        let (w, h) = self.world();
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

    /// The picture of what is visible, without the lit cells.
    pub fn scene(&self, array: &ArrayView) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let (facet_columns, facet_rows) = self.facets();
        for facet_row in 0..facet_rows {
            for facet_column in 0..facet_columns {
                self.facet(&mut scene, array, facet_column, facet_row);
            }
        }
        scene
    }

    /// First and last + 1 visible index along one axis whose first cell starts at `start`.
    fn visible(&self, start: f64, count: i64, view: f64) -> (i64, i64) {
        let first = index_at(-start / self.cell).clamp(0, count);
        let last = index_at((view - start) / self.cell).saturating_add(1).clamp(first, count);
        (first, last)
    }

    fn facet(&self, scene: &mut Scene, array: &ArrayView, facet_column: i64, facet_row: i64) {
        let (left, top) = self.origin(facet_column, facet_row);
        let (columns, rows) = self.counts();
        let (c0, c1) = self.visible(left, columns, self.width);
        let (r0, r1) = self.visible(top, rows, self.height);
        if self.plan.has_facets() {
            self.facet_title(scene, left, top, facet_column, facet_row);
        }
        if c0 == c1 || r0 == r1 {
            return;
        }
        self.headers(scene, array, (left, top), (c0, c1), (r0, r1));
        let base = self.index(facet_column, facet_row, 0, 0);
        let drawn = array.map().sizes();
        let outside = |d: Option<usize>| d.is_some_and(|d| base[d] >= drawn[d]);
        let all_padding = outside(self.plan.facet_columns)
            || outside(self.plan.facet_rows)
            || self.plan.sliders.iter().any(|d| base[*d] >= drawn[*d]);
        let real = |d: Option<usize>, last: i64| {
            if all_padding { 0 } else { d.map_or(last, |d| drawn[d].min(last)) }
        };
        let (real_columns, real_rows) = (real(self.plan.columns, c1), real(self.plan.rows, r1));
        self.raster(scene, array, &base, (left, top), (c0, real_columns), (r0, real_rows));
        let (real_columns, real_rows) = (real_columns.max(c0), real_rows.max(r0));
        let area = |c: (i64, i64), r: (i64, i64)| {
            Rect::new(
                left + px(c.0) * self.cell,
                top + px(r.0) * self.cell,
                px(c.1 - c.0) * self.cell,
                px(r.1 - r.0) * self.cell,
            )
        };
        let padding = [area((real_columns, c1), (r0, r1)), area((c0, real_columns), (real_rows, r1))];
        for rect in padding.into_iter().filter(|r| r.w > 0.0 && r.h > 0.0) {
            scene.items.push(super::scene::Item::Hatch { rect });
        }
        self.gaps(scene, (left, top), (c0, c1), (r0, r1));
        self.tile_lines(scene, array, (left, top), (c0, c1), (r0, r1));
        self.cells(scene, array, &base, (left, top), (c0, c1, real_columns), (r0, r1, real_rows));
    }

    fn facet_title(&self, scene: &mut Scene, left: f64, top: f64, facet_column: i64, facet_row: i64) {
        let mut x = left;
        let y = top - self.top() + 9.0;
        for (d, index) in [(self.plan.facet_rows, facet_row), (self.plan.facet_columns, facet_column)] {
            if let Some(d) = d {
                let text = format!("d{d} = {index}");
                let width = 7.4 * px(i64::try_from(text.len()).unwrap_or(0)) + 14.0;
                scene.label((x, y), text, 12.0, Anchor::Start, Ink::Dimension(d));
                x += width;
            }
        }
    }

    fn headers(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        (left, top): (f64, f64),
        (c0, c1): (i64, i64),
        (r0, r1): (i64, i64),
    ) {
        if !self.has_headers() {
            return;
        }
        let ink = |d: usize, i: i64| {
            if i < array.map().sizes()[d] { Ink::Dimension(d) } else { Ink::Faint }
        };
        if let Some(d) = self.plan.columns {
            // Long numbers in narrow cells: every second, fifth … one.
            let step = step_for(digits(c1) * 7.5 + 6.0, self.cell);
            for column in (c0..c1).filter(|c| c % step == 0) {
                let x = left + (px(column) + 0.5) * self.cell;
                scene.label((x, top - 11.0), column.to_string(), 12.0, Anchor::Middle, ink(d, column));
            }
        }
        if let Some(d) = self.plan.rows {
            for row in r0..r1 {
                let y = top + (px(row) + 0.5) * self.cell;
                scene.label((left - 9.0, y), row.to_string(), 12.0, Anchor::End, ink(d, row));
            }
        }
    }

    fn raster(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        base: &Dims,
        (left, top): (f64, f64),
        (c0, c1): (i64, i64),
        (r0, r1): (i64, i64),
    ) {
        if c1 <= c0 || r1 <= r0 {
            return;
        }
        let columns = samples(c0, c1, self.cell);
        let rows = samples(r0, r1, self.cell);
        let rgba = array.raster(base, (self.plan.rows, &rows), (self.plan.columns, &columns));
        let rect = Rect::new(
            left + px(c0) * self.cell,
            top + px(r0) * self.cell,
            px(c1 - c0) * self.cell,
            px(r1 - r0) * self.cell,
        );
        let (columns, rows) = (columns.len(), rows.len());
        scene.items.push(super::scene::Item::Raster { rect, columns, rows, rgba });
    }

    /// Lines of the ground's colour between cells.
    fn gaps(&self, scene: &mut Scene, (left, top): (f64, f64), (c0, c1): (i64, i64), (r0, r1): (i64, i64)) {
        let gap = match self.cell {
            c if c >= 24.0 => 2.0,
            c if c >= 8.0 => 1.0,
            _ => return,
        };
        let stroke = Stroke::solid(Ink::Ground, gap);
        let (x0, x1) = (left + px(c0) * self.cell - gap, left + px(c1) * self.cell + gap);
        let (y0, y1) = (top + px(r0) * self.cell - gap, top + px(r1) * self.cell + gap);
        for column in c0..=c1 {
            let x = left + px(column) * self.cell;
            scene.line((x, y0), (x, y1), stroke);
        }
        for row in r0..=r1 {
            let y = top + px(row) * self.cell;
            scene.line((x0, y), (x1, y), stroke);
        }
    }

    /// The edges of the outermost tiles.
    fn tile_lines(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        (left, top): (f64, f64),
        (c0, c1): (i64, i64),
        (r0, r1): (i64, i64),
    ) {
        let stroke =
            Stroke { ink: Ink::LineStrong, width: if self.cell >= 20.0 { 2.0 } else { 1.0 }, dash: None };
        let (x0, x1) = (left + px(c0) * self.cell, left + px(c1) * self.cell);
        let (y0, y1) = (top + px(r0) * self.cell, top + px(r1) * self.cell);
        let edges = |d: Option<usize>, from: i64, to: i64| -> Vec<i64> {
            let Some(tile) = d.and_then(|d| array.tile_edge(d)) else { return Vec::new() };
            if px(tile) * self.cell < 6.0 {
                return Vec::new();
            }
            (from..=to).filter(|i| i % tile == 0 && *i > 0).collect()
        };
        for column in edges(self.plan.columns, c0, c1) {
            let x = left + px(column) * self.cell;
            scene.line((x, y0), (x, y1), stroke);
        }
        for row in edges(self.plan.rows, r0, r1) {
            let y = top + px(row) * self.cell;
            scene.line((x0, y), (x1, y), stroke);
        }
    }

    /// Values, slot numbers, and the dashed edge of padding cells.
    fn cells(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        base: &Dims,
        (left, top): (f64, f64),
        (c0, c1, real_columns): (i64, i64, i64),
        (r0, r1, real_rows): (i64, i64, i64),
    ) {
        let visible = usize::try_from((c1 - c0).saturating_mul(r1 - r0)).unwrap_or(usize::MAX);
        if self.cell < CELL_WITH_VALUES || visible > LABELS {
            return;
        }
        let inner = self.cell - 2.0;
        let mut index = base.clone();
        for row in r0..r1 {
            for column in c0..c1 {
                if let Some(d) = self.plan.rows {
                    index[d] = row;
                }
                if let Some(d) = self.plan.columns {
                    index[d] = column;
                }
                let Some(slot) = array.map().slot(&index) else { continue };
                let rect = Rect::new(
                    left + px(column) * self.cell + 1.0,
                    top + px(row) * self.cell + 1.0,
                    inner,
                    inner,
                );
                let real = row < real_rows && column < real_columns;
                if !real {
                    let dash = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([3.0, 3.0]) };
                    scene.outline(rect.grown(-0.5), 0.0, dash);
                }
                let (ink, soft) = if real {
                    let colour = array.colour(&index, slot);
                    (Ink::On(colour), Ink::OnSoft(colour))
                } else {
                    (Ink::Soft, Ink::Faint)
                };
                let room = index_at((inner - 3.0) / 4.96).max(1);
                let text = array.label(&index, usize::try_from(room).unwrap_or(1));
                let size = fit_text(&text, inner - 3.0, (self.cell * 0.36).min(24.0));
                let with_slot = self.cell >= CELL_WITH_SLOTS;
                let middle = Rect { y: rect.y - if with_slot { 2.0 } else { 0.0 }, ..rect };
                scene.centred(middle, text, size, true, ink);
                if with_slot {
                    let at = (rect.x + rect.w - 5.0, rect.y + rect.h - 9.0);
                    scene.label(at, slot.to_string(), 11.0, Anchor::End, soft);
                }
            }
        }
    }

    /// The lit cells, drawn over the picture.
    pub fn overlay(&self, array: &ArrayView, marks: &Marks) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let clip = Rect::new(0.0, 0.0, self.width, self.height).grown(12.0);
        let mut index = Dims::from_elem(0, self.sizes.len());
        for (slot, mark) in marks.iter() {
            if array.map().index_of(slot, &mut index) == CellKind::TilePadding {
                continue;
            }
            if let Some(rect) = self.rect(&index).filter(|r| r.meet(clip).is_some()) {
                mark.outline(&mut scene, rect, self.cell);
            }
        }
        scene
    }
}

/// The size at which `text` fits into `width`, at most `size`; digits are about 0.62 em wide.
pub fn fit_text(text: &str, width: f64, size: f64) -> f64 {
    let letters = px(i64::try_from(text.chars().count().max(1)).unwrap_or(1));
    size.min(width / (0.62 * letters)).max(8.0)
}

/// 1, 2, 5, 10 …: the smallest step at which numbers `width` pixels wide fit.
fn step_for(width: f64, cell: f64) -> i64 {
    let mut step = 1;
    while px(step) * cell < width {
        step = match step.to_string().as_bytes()[0] {
            b'2' => step / 2 * 5,
            _ => step * 2,
        };
    }
    step
}

/// The indices whose colours stand for `first..last`: each one, or one a pixel where cells are smaller.
fn samples(first: i64, last: i64, cell: f64) -> Vec<i64> {
    if cell >= 1.0 {
        return (first..last).collect();
    }
    let pixels = index_at((px(last - first) * cell).ceil()).max(1);
    (0..pixels).map(|p| first + (p * (last - first)) / pixels).collect()
}
