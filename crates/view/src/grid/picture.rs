//! The picture of the visible part of a grid: colours, padding, tiles, values, row and column numbers.

use super::axes::Tick;
use super::{CELL_WITH_SLOTS_PX, CELL_WITH_VALUES_PX, Grid, MAX_LABELS};
use crate::array_view::ArrayView;
use crate::pixels::{clamped, count_at, count_px, index_at, px};
use crate::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};
use xla_array::Dims;

impl Grid {
    /// The picture of the visible part, without highlights.
    pub fn scene(&self, array: &ArrayView) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let (facet_columns, facet_rows) = self.facet_counts();
        for facet_row in 0..facet_rows {
            for facet_column in 0..facet_columns {
                self.facet(&mut scene, array, facet_column, facet_row);
            }
        }
        self.edge_cues(&mut scene);
        scene
    }

    /// The range of visible indices along an axis whose first cell starts at `start`; its end is exclusive.
    fn visible(&self, start: f64, count: i64, view: f64) -> (i64, i64) {
        let first = index_at(-start / self.cell).clamp(0, count);
        let last = index_at((view - start) / self.cell).saturating_add(1).clamp(first, count);
        (first, last)
    }

    fn facet(&self, scene: &mut Scene, array: &ArrayView, facet_column: i64, facet_row: i64) {
        let (left, top) = self.origin(facet_column, facet_row);
        let (columns, rows) = self.cell_counts();
        let (c0, c1) = self.visible(left, columns, self.width);
        let (r0, r1) = self.visible(top, rows, self.height);
        self.draw_tile_padding(scene, (left, top));
        if c0 != c1 && r0 != r1 {
            self.facet_cells(scene, array, (facet_column, facet_row), (c0, c1), (r0, r1));
            self.headers(scene, array, (left, top), (c0, c1), (r0, r1));
        }
        if self.assignment.has_facets() && !self.omits_axes {
            let parts =
                [(self.assignment.facet_rows, facet_row), (self.assignment.facet_columns, facet_column)];
            let parts: Vec<_> = parts.iter().filter_map(|(d, index)| Some(((*d)?, Some(*index)))).collect();
            self.title(scene, (left, top), &parts);
        }
    }

    /// The rectangle of ranges of columns and rows of a facet whose cells start at `left`, `top`.
    fn block(&self, (left, top): (f64, f64), columns: (i64, i64), rows: (i64, i64)) -> Rect {
        let side = |(first, end): (i64, i64)| px(end - first) * self.cell;
        Rect::new(left + px(columns.0) * self.cell, top + px(rows.0) * self.cell, side(columns), side(rows))
    }

    /// Draws the padding that completes the tiles as a hatched margin of a facet, with its number of columns and rows.
    fn draw_tile_padding(&self, scene: &mut Scene, (left, top): (f64, f64)) {
        let ((columns, rows), (drawn_columns, drawn_rows)) = (self.cell_counts(), self.drawn_counts());
        let area = |columns, rows| self.block((left, top), columns, rows);
        let count = |d: Option<usize>| d.and_then(|d| self.tile_padding.get(d)).copied().unwrap_or(0);
        let view = Rect::new(0.0, 0.0, self.width, self.height);
        let margins = [
            (area((columns, drawn_columns), (0, drawn_rows)), count(self.assignment.columns)),
            (area((0, columns), (rows, drawn_rows)), count(self.assignment.rows)),
        ];
        for (rect, count) in margins.into_iter().filter(|(_, count)| *count > 0) {
            let Some(rect) = rect.intersection(view) else { continue };
            scene.items.push(Item::Hatch { rect });
            let text = format!("+{count}");
            let size = fit_text(&text, rect.w - 4.0, 12.0);
            if rect.h >= size && rect.w >= size * DIGIT_WIDTH_EM * count_px(text.len()) {
                scene.centred_label(rect, text, size, false, Ink::Soft);
            }
        }
    }

    fn facet_cells(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        (facet_column, facet_row): (i64, i64),
        (c0, c1): (i64, i64),
        (r0, r1): (i64, i64),
    ) {
        let (left, top) = self.origin(facet_column, facet_row);
        let base = self.index(facet_column, facet_row, 0, 0);
        let sizes = array.memory_map().sizes();
        let is_in_padding = |d: Option<usize>| d.is_some_and(|d| base[d] >= sizes[d]);
        let is_all_padding = is_in_padding(self.assignment.facet_columns)
            || is_in_padding(self.assignment.facet_rows)
            || self.assignment.sliders.iter().any(|d| base[*d] >= sizes[*d]);
        let element_end = |d: Option<usize>, end: i64| {
            if is_all_padding { 0 } else { d.map_or(end, |d| sizes[d].min(end)) }
        };
        let (element_columns, element_rows) =
            (element_end(self.assignment.columns, c1), element_end(self.assignment.rows, r1));
        if array.hides_value_colours() && self.shows_values((c0, c1), (r0, r1)) {
            let rect = self.block((left, top), (c0, element_columns.max(c0)), (r0, element_rows.max(r0)));
            scene.fill(rect, 0.0, Ink::Surface);
        } else {
            self.raster(scene, array, &base, (left, top), (c0, element_columns), (r0, element_rows));
        }
        let (element_columns, element_rows) = (element_columns.max(c0), element_rows.max(r0));
        let area = |columns, rows| self.block((left, top), columns, rows);
        let padding =
            [area((element_columns, c1), (r0, r1)), area((c0, element_columns), (element_rows, r1))];
        for rect in padding.into_iter().filter(|r| r.w > 0.0 && r.h > 0.0) {
            scene.items.push(Item::Hatch { rect });
        }
        self.gaps(scene, (left, top), (c0, c1), (r0, r1));
        self.tile_lines(scene, array, (left, top), (c0, c1), (r0, r1));
        self.cells(scene, array, &base, (left, top), (c0, c1, element_columns), (r0, r1, element_rows));
    }

    /// The row and column numbers, over the cells, in steps where cells are small.
    fn headers(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        start: (f64, f64),
        (c0, c1): (i64, i64),
        (r0, r1): (i64, i64),
    ) {
        let sizes = array.memory_map().sizes();
        let ticks = |d: Option<usize>, (first, last): (i64, i64), step: i64| {
            let from = first.div_euclid(step).saturating_mul(step);
            let stride = usize::try_from(step).unwrap_or(usize::MAX);
            d.into_iter().flat_map(move |d| {
                (from..last).step_by(stride).map(move |at| {
                    let ink = if at < sizes[d] { Ink::Dimension(d) } else { Ink::Faint };
                    Tick { position: at, number: at, ink }
                })
            })
        };
        let columns = ticks(self.assignment.columns, (c0, c1), self.column_step(c1));
        self.axes(scene, start, columns, ticks(self.assignment.rows, (r0, r1), self.row_step()));
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
        let rgba = array.raster(base, (self.assignment.rows, &rows), (self.assignment.columns, &columns));
        let rect = self.block((left, top), (c0, c1), (r0, r1));
        let (columns, rows) = (columns.len(), rows.len());
        scene.items.push(Item::Raster { rect, columns, rows, rgba });
    }

    /// Lines in the background colour between cells.
    fn gaps(&self, scene: &mut Scene, (left, top): (f64, f64), (c0, c1): (i64, i64), (r0, r1): (i64, i64)) {
        let gap = match self.cell {
            c if c >= 24.0 => 2.0,
            c if c >= 8.0 => 1.0,
            _ => return,
        };
        let stroke = Stroke::solid(Ink::Background, gap);
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
        let edges = |d: Option<usize>, start: i64, end: i64| -> Vec<i64> {
            let Some(tile) = d.and_then(|d| array.tile_edge(d)) else { return Vec::new() };
            if px(tile) * self.cell < 6.0 {
                return Vec::new();
            }
            (start..=end).filter(|i| i % tile == 0 && *i > 0).collect()
        };
        for column in edges(self.assignment.columns, c0, c1) {
            let x = left + px(column) * self.cell;
            scene.line((x, y0), (x, y1), stroke);
        }
        for row in edges(self.assignment.rows, r0, r1) {
            let y = top + px(row) * self.cell;
            scene.line((x0, y), (x1, y), stroke);
        }
    }

    /// Whether values are written, given the visible columns and rows.
    fn shows_values(&self, (c0, c1): (i64, i64), (r0, r1): (i64, i64)) -> bool {
        let visible = usize::try_from((c1 - c0).saturating_mul(r1 - r0)).unwrap_or(usize::MAX);
        self.cell >= CELL_WITH_VALUES_PX && visible <= MAX_LABELS
    }

    /// Draws values, slot numbers, and the dashed outlines of padding cells.
    fn cells(
        &self,
        scene: &mut Scene,
        array: &ArrayView,
        base: &Dims,
        (left, top): (f64, f64),
        (c0, c1, element_columns): (i64, i64, i64),
        (r0, r1, element_rows): (i64, i64, i64),
    ) {
        if !self.shows_values((c0, c1), (r0, r1)) {
            return;
        }
        let inner_side = self.cell - 2.0;
        let mut index = base.clone();
        for row in r0..r1 {
            for column in c0..c1 {
                if let Some(d) = self.assignment.rows {
                    index[d] = row;
                }
                if let Some(d) = self.assignment.columns {
                    index[d] = column;
                }
                let Some(slot) = array.memory_map().slot(&index) else { continue };
                let rect = Rect::new(
                    left + px(column) * self.cell + 1.0,
                    top + px(row) * self.cell + 1.0,
                    inner_side,
                    inner_side,
                );
                let is_element = row < element_rows && column < element_columns;
                if !is_element {
                    let dash = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([3.0, 3.0]) };
                    scene.outline(rect.grown(-0.5), 0.0, dash);
                }
                let (ink, soft) = if is_element && array.hides_value_colours() {
                    (Ink::Strong, Ink::Faint)
                } else if is_element {
                    let colour = array.colour(&index, slot);
                    (Ink::On(colour), Ink::OnSoft(colour))
                } else {
                    (Ink::Soft, Ink::Faint)
                };
                let max_chars = count_at((inner_side - 3.0) / MIN_CHAR_WIDTH);
                let text = array.fitting_label(&index, max_chars);
                let size =
                    fit_text(&text, inner_side - 3.0, (self.cell * 0.36).min((self.cell * 0.21).max(24.0)));
                let has_slot_number = self.cell >= CELL_WITH_SLOTS_PX;
                let middle =
                    Rect { y: rect.y - if has_slot_number { self.cell * 0.06 } else { 0.0 }, ..rect };
                scene.centred_label(middle, text, size, true, ink);
                if has_slot_number {
                    let position =
                        (rect.x + rect.w - 4.0, rect.y + rect.h - clamped(self.cell * 0.11, 5.0, 9.0));
                    scene.label(position, slot.to_string(), 11.0, Anchor::End, soft);
                }
            }
        }
    }
}

/// Width of a digit, as a fraction of the font size.
const DIGIT_WIDTH_EM: f64 = 0.62;
/// Minimum font size of values, pixels.
const MIN_FONT_SIZE: f64 = 8.0;
/// Width of a character at the minimum font size, pixels.
pub(super) const MIN_CHAR_WIDTH: f64 = DIGIT_WIDTH_EM * MIN_FONT_SIZE;

/// The font size at which `text` fits in `width`, at most `size`.
pub fn fit_text(text: &str, width: f64, size: f64) -> f64 {
    let chars = count_px(text.chars().count().max(1));
    size.min(width / (DIGIT_WIDTH_EM * chars)).max(MIN_FONT_SIZE)
}

/// The sampled indices of `first..last`: all, or one per pixel if cells are smaller.
fn samples(first: i64, last: i64, cell: f64) -> Vec<i64> {
    if cell >= 1.0 {
        return (first..last).collect();
    }
    let pixels = index_at((px(last - first) * cell).ceil()).max(1);
    (0..pixels).map(|p| first + (p * (last - first)) / pixels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis_assignment::AxisAssignment;
    use crate::colour_map::ColourMap;
    use crate::options::ColourBy;
    use xla_array::Shape;
    use xla_array::values::ValueRule;

    fn view(shape: &str) -> ArrayView {
        let shape: Shape = shape.parse().unwrap();
        let shape = shape.as_array().unwrap();
        ArrayView::new(shape, &ValueRule::Iota, ColourBy::Slot, ColourMap::Viridis).unwrap()
    }

    fn grid(array: &ArrayView) -> Grid {
        let sizes = array.memory_map().padded_sizes();
        let assignment = AxisAssignment::new(sizes, None);
        Grid::fitted_facets(sizes, &array.tile_padding(), assignment, (800.0, 600.0), 40.0)
    }

    fn hatches(scene: &Scene) -> Vec<Rect> {
        let hatch = |item: &Item| if let Item::Hatch { rect } = item { Some(*rect) } else { None };
        scene.items.iter().filter_map(hatch).collect()
    }

    #[test]
    fn tile_padding_is_a_hatched_margin_with_its_size() {
        let array = view("f32[6,7]{1,0:T(4,4)}");
        assert_eq!(array.tile_padding()[..], [2, 1]);
        let grid = grid(&array);
        let scene = grid.scene(&array);
        let (left, top) = grid.origin(0, 0);
        let right = Rect::new(left + 7.0 * grid.cell, top, grid.cell, 8.0 * grid.cell);
        let below = Rect::new(left, top + 6.0 * grid.cell, 7.0 * grid.cell, 2.0 * grid.cell);
        assert_eq!(hatches(&scene), [right, below]);
        let is_label = |text: &str| {
            scene.items.iter().any(|item| matches!(item, Item::Label(label) if label.text == text))
        };
        assert!(is_label("+1") && is_label("+2"));
        assert_eq!(grid.hit(right.x + 1.0, right.y + 1.0), None, "the margin has no cells");
    }

    #[test]
    fn tile_padding_does_not_dominate() {
        let array = view("f32[10,8]{1,0:T(8,128)}");
        assert_eq!(array.tile_padding()[..], [6, 120]);
        assert_eq!(grid(&array).drawn_counts(), (10, 12), "at most a quarter more, but two");
    }

    #[test]
    fn arrays_without_tiles_have_no_margin() {
        for shape in ["f32[6,7]{1,0}", "f32[8,8]{1,0:T(4,4)}", "f32[]", "f32[0,7]{1,0:T(4,4)}"] {
            let array = view(shape);
            assert_eq!(hatches(&grid(&array).scene(&array)), [], "{shape}");
        }
    }
}
