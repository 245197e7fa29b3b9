//! The picture of what a grid shows: colours, padding, tiles, values, numbers. Only what is visible is drawn.

use super::{CELL_WITH_SLOTS, CELL_WITH_VALUES, Grid, LABELS, digits};
use crate::array_view::ArrayView;
use crate::pixels::{index_at, px};
use crate::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};
use xla_array::Dims;

impl Grid {
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
        if array.hides_value_colours() && self.shows_values((c0, c1), (r0, r1)) {
            let rect = Rect::new(
                left + px(c0) * self.cell,
                top + px(r0) * self.cell,
                px((real_columns - c0).max(0)) * self.cell,
                px((real_rows - r0).max(0)) * self.cell,
            );
            scene.fill(rect, 0.0, Ink::Surface);
        } else {
            self.raster(scene, array, &base, (left, top), (c0, real_columns), (r0, real_rows));
        }
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
            scene.items.push(Item::Hatch { rect });
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
        scene.items.push(Item::Raster { rect, columns, rows, rgba });
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

    /// Whether values are written in so many visible cells.
    fn shows_values(&self, (c0, c1): (i64, i64), (r0, r1): (i64, i64)) -> bool {
        let visible = usize::try_from((c1 - c0).saturating_mul(r1 - r0)).unwrap_or(usize::MAX);
        self.cell >= CELL_WITH_VALUES && visible <= LABELS
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
        if !self.shows_values((c0, c1), (r0, r1)) {
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
                let (ink, soft) = if real && array.hides_value_colours() {
                    (Ink::Strong, Ink::Faint)
                } else if real {
                    let colour = array.colour(&index, slot);
                    (Ink::On(colour), Ink::OnSoft(colour))
                } else {
                    (Ink::Soft, Ink::Faint)
                };
                let room = index_at((inner - 3.0) / 4.96).max(1);
                let text = array.label(&index, usize::try_from(room).unwrap_or(1));
                let size = fit_text(&text, inner - 3.0, (self.cell * 0.36).min(24.0));
                let with_slot = self.cell >= CELL_WITH_SLOTS;
                let middle = Rect { y: rect.y - if with_slot { self.cell * 0.06 } else { 0.0 }, ..rect };
                scene.centred(middle, text, size, true, ink);
                if with_slot {
                    let at = (rect.x + rect.w - 4.0, rect.y + rect.h - (self.cell * 0.11).clamp(5.0, 9.0));
                    scene.label(at, slot.to_string(), 11.0, Anchor::End, soft);
                }
            }
        }
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
