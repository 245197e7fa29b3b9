//! The axes of a grid, which stay in view while its cells are panned, and the titles of facets.

use super::{
    CELL_WITH_HEADERS_PX, COLUMN_NUMBERS_HEIGHT, DIGIT_WIDTH, FACET_GAP, FACET_TITLE_HEIGHT, Grid, MARGIN,
    digits,
};
use crate::pixels::{clamped, count_px, px};
use crate::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};

/// Bound on the facets that have axes even if their cells are too small for a number each.
const MAX_FACETS_WITH_AXES: i64 = 6;
/// Font size of the numbers, pixels.
const NUMBER_SIZE: f64 = 12.0;
/// Height that a row number needs, pixels.
const ROW_NUMBER_HEIGHT: f64 = 15.0;
/// Width of a character of a facet's title, pixels.
const TITLE_CHAR_WIDTH: f64 = 7.4;
/// Space between the title of a facet and the next one, pixels.
const TITLE_GAP: f64 = 6.0;
/// Extent of the ring around a small cursor cell into the axes, pixels.
const CURSOR_RING_PX: f64 = 9.5;
/// Height of the framed number of the cursor, pixels.
const PILL_HEIGHT: f64 = 17.0;

/// A number on an axis.
pub(super) struct Tick {
    /// The column or row that it labels.
    pub position: i64,
    /// The number that is drawn.
    pub number: i64,
    /// The colour of the number.
    pub ink: Ink,
}

impl Grid {
    pub(super) fn has_axes(&self) -> bool {
        let (facet_columns, facet_rows) = self.facet_counts();
        let is_readable = self.cell >= CELL_WITH_HEADERS_PX
            || facet_columns.saturating_mul(facet_rows) <= MAX_FACETS_WITH_AXES;
        !self.omits_axes && is_readable && self.assignment.columns.is_some()
    }

    /// Width of the row numbers.
    pub(super) fn left(&self) -> f64 {
        if self.has_axes() && self.assignment.rows.is_some() {
            14.0 + DIGIT_WIDTH * digits(self.size(self.assignment.rows) - 1)
        } else {
            0.0
        }
    }

    /// Height of the facet's title and the column numbers.
    pub(super) fn top(&self) -> f64 {
        let title = if self.assignment.has_facets() && !self.omits_axes { FACET_TITLE_HEIGHT } else { 0.0 };
        title + if self.has_axes() { COLUMN_NUMBERS_HEIGHT } else { 0.0 }
    }

    /// The corner of the visible cells of the facet whose cells start at `start`: axes stay in view, over the cells,
    /// until the last cell leaves it.
    pub(super) fn corner_of(&self, start: (f64, f64)) -> (f64, f64) {
        let (columns, rows) = self.cell_counts();
        let stick = |start: f64, header: f64, cells: i64| {
            if header <= 0.0 {
                return start;
            }
            let end = start + px(cells.max(1)) * self.cell;
            start.max((MARGIN + header).min(end))
        };
        (stick(start.0, self.left(), columns), stick(start.1, self.top(), rows))
    }

    /// The top left corner of the visible cells of the facet that contains an index; axes cover the area left of it and above.
    pub fn corner(&self, index: &[i64]) -> (f64, f64) {
        let coordinate = |d: Option<usize>| d.and_then(|d| index.get(d).copied()).unwrap_or(0);
        self.corner_of(
            self.origin(coordinate(self.assignment.facet_columns), coordinate(self.assignment.facet_rows)),
        )
    }

    /// The visible part of a cell; `None` if axes cover it, or if it is outside the view.
    pub(crate) fn visible_rect(&self, index: &[i64]) -> Option<Rect> {
        let (x, y) = self.corner(index);
        let uncovered = Rect::new(x, y, self.width - x, self.height - y).grown(0.5);
        let view_with_margin = Rect::new(0.0, 0.0, self.width, self.height).grown(12.0);
        let rect = self.rect(index).filter(|rect| rect.intersection(view_with_margin).is_some())?;
        if rect.x + 0.5 >= x && rect.y + 0.5 >= y { Some(rect) } else { rect.intersection(uncovered) }
    }

    /// Draws the axes of the facet whose cells start at `start`, over the cells.
    pub(super) fn axes(
        &self,
        scene: &mut Scene,
        start: (f64, f64),
        columns: impl Iterator<Item = Tick>,
        rows: impl Iterator<Item = Tick>,
    ) {
        let corner = self.corner_of(start);
        self.bands(scene, start, corner);
        if !self.has_axes() {
            return;
        }
        for Tick { position, number, ink } in columns {
            let (x, text) = (start.0 + (px(position) + 0.5) * self.cell, number.to_string());
            let half = DIGIT_WIDTH * count_px(text.len()) / 2.0;
            let is_whole = corner.1 >= COLUMN_NUMBERS_HEIGHT && x - half >= 0.0 && x + half <= self.width;
            if x >= corner.0 && is_whole {
                scene.label((x, corner.1 - 11.0), text, NUMBER_SIZE, Anchor::Middle, ink);
            }
        }
        for Tick { position, number, ink } in rows {
            let y = start.1 + (px(position) + 0.5) * self.cell;
            let is_whole = corner.0 >= self.left() && y - 7.0 >= 0.0 && y + 7.0 <= self.height;
            if y >= corner.1 && is_whole {
                scene.label((corner.0 - 9.0, y), number.to_string(), NUMBER_SIZE, Anchor::End, ink);
            }
        }
    }

    /// The background of axes that cover cells.
    fn bands(&self, scene: &mut Scene, start: (f64, f64), corner: (f64, f64)) {
        let (columns, rows) = self.cell_counts();
        let (left, top) = (corner.0 - self.left() - MARGIN, corner.1 - self.top() - MARGIN);
        let right = (start.0 + px(columns) * self.cell + 1.0).min(self.width);
        let bottom = (start.1 + px(rows) * self.cell + 1.0).min(self.height);
        if corner.0 > start.0 && right > left && bottom > top {
            scene.fill(Rect::new(left, top, corner.0 - left, bottom - top), 0.0, Ink::Background);
        }
        if corner.1 > start.1 && right > left && bottom > top {
            scene.fill(Rect::new(left, top, right - left, corner.1 - top), 0.0, Ink::Background);
        }
    }

    /// The interval at which columns are numbered.
    pub(super) fn column_step(&self, last: i64) -> i64 {
        min_tick_interval(digits(last) * DIGIT_WIDTH + 6.0, self.cell)
    }

    /// The interval at which rows are numbered.
    pub(super) fn row_step(&self) -> i64 {
        min_tick_interval(ROW_NUMBER_HEIGHT, self.cell)
    }

    /// Draws the title of the facet whose cells start at `start`, as far as it fits: a dimension and its index each.
    pub(super) fn title(&self, scene: &mut Scene, start: (f64, f64), parts: &[(usize, Option<i64>)]) {
        let corner = self.corner_of(start);
        let next = start.0 + self.facet_size().0 + FACET_GAP;
        let room = (next - TITLE_GAP).min(self.width) - corner.0;
        let y = corner.1 - self.top() + 9.0;
        if y < 0.0 || y > self.height {
            return;
        }
        let mut x = corner.0;
        for (d, text, width) in fitting_title(parts, room) {
            scene.label((x, y), text, NUMBER_SIZE, Anchor::Start, Ink::Dimension(d));
            x += width;
        }
    }

    /// Draws the numbers of the cursor's row and column on axes that do not number every row and column.
    pub(super) fn cursor_numbers(&self, scene: &mut Scene, index: &[i64]) {
        let Some(rect) = self.visible_rect(index).filter(|_| self.has_axes()) else { return };
        let (corner, whole) = (self.corner(index), self.rect(index).unwrap_or(rect));
        let width = |d: usize| DIGIT_WIDTH * digits(index[d]) + 8.0;
        // The tick labels next to the cursor's number would overlap it.
        let neighbours = |at: i64, step: i64| [at.div_euclid(step) * step, (at.div_euclid(step) + 1) * step];
        if let Some(d) = self.assignment.columns {
            let (step, x) = (self.column_step(self.size(Some(d))), rect.x + rect.w / 2.0);
            // Next to an axis, the number may be at the centre of the whole cell, part of which is covered.
            let at_x = whole.x + whole.w / 2.0;
            let pill_x = x.max(corner.0 - 1.0 + width(d) / 2.0);
            if step > 1 {
                for at in neighbours(index[d], step) {
                    let (label_width, distance) = (DIGIT_WIDTH * digits(at), px(at - index[d]) * self.cell);
                    if (at_x + distance - pill_x).abs() < f64::midpoint(label_width, width(d)) {
                        let covered = Rect::new(
                            at_x + distance - label_width / 2.0,
                            corner.1 - 18.0,
                            label_width,
                            15.0,
                        );
                        scene.fill(covered.grown(0.5), 0.0, Ink::Background);
                    }
                }
                self.pill(
                    scene,
                    (d, index[d]),
                    (pill_x, corner.1 - CURSOR_RING_PX - PILL_HEIGHT / 2.0),
                    width(d),
                );
            }
        }
        if let Some(d) = self.assignment.rows {
            let (step, y) = (self.row_step(), rect.y + rect.h / 2.0);
            let at_y = whole.y + whole.h / 2.0;
            let pill_y = y.max(corner.1 - 1.0 + PILL_HEIGHT / 2.0);
            if step > 1 {
                for at in neighbours(index[d], step) {
                    let (label_width, distance) = (DIGIT_WIDTH * digits(at), px(at - index[d]) * self.cell);
                    if (at_y + distance - pill_y).abs() < ROW_NUMBER_HEIGHT {
                        let covered =
                            Rect::new(corner.0 - 9.0 - label_width, at_y + distance - 7.0, label_width, 14.0);
                        scene.fill(covered.grown(0.5), 0.0, Ink::Background);
                    }
                }
                self.pill(
                    scene,
                    (d, index[d]),
                    (corner.0 - CURSOR_RING_PX - width(d) / 2.0, pill_y),
                    width(d),
                );
            }
        }
    }

    /// Draws a number in a frame.
    fn pill(&self, scene: &mut Scene, (d, number): (usize, i64), (x, y): (f64, f64), width: f64) {
        let x = clamped(x, width / 2.0 + 1.0, (self.width - width / 2.0 - 1.0).max(width / 2.0 + 1.0));
        let (background, stroke) = (Some(Ink::Background), Some(Stroke::solid(Ink::Select, 1.5)));
        let rect = Rect::new(x - width / 2.0, y - PILL_HEIGHT / 2.0, width, PILL_HEIGHT);
        scene.items.push(Item::Box { rect, radius: 3.0, fill: background, stroke });
        scene.centred_label(rect, number.to_string(), NUMBER_SIZE, true, Ink::Dimension(d));
    }
}

/// Writes a dimension, and its index if one is fixed.
type TitlePart = fn(usize, Option<i64>) -> String;

/// The parts of a facet's title with their widths, in the longest form that fits: `d0 = 3`, `d0=3` or `3`; empty if
/// none does.
fn fitting_title(parts: &[(usize, Option<i64>)], room: f64) -> Vec<(usize, String, f64)> {
    let forms: [(TitlePart, f64); 3] = [
        (|d, index| index.map_or_else(|| format!("d{d}"), |index| format!("d{d} = {index}")), 14.0),
        (|d, index| index.map_or_else(|| format!("d{d}"), |index| format!("d{d}={index}")), 8.0),
        (|_, index| index.map_or_else(String::new, |index| index.to_string()), 6.0),
    ];
    for (form, gap) in forms {
        let texts = parts.iter().map(|(d, index)| {
            let text = form(*d, *index);
            let width = TITLE_CHAR_WIDTH * count_px(text.len()) + gap;
            (*d, text, width)
        });
        let texts: Vec<_> = texts.collect();
        if texts.iter().map(|(.., width)| width).sum::<f64>() - gap <= room {
            return texts;
        }
    }
    Vec::new()
}

/// The minimum interval of 1, 2, 5, 10 … at which numbers that are `width` pixels wide do not overlap.
fn min_tick_interval(width: f64, cell: f64) -> i64 {
    let mut step = 1;
    while px(step) * cell < width {
        step = match step.to_string().as_bytes()[0] {
            b'2' => step / 2 * 5,
            _ => step * 2,
        };
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array_view::ArrayView;
    use crate::axis_assignment::AxisAssignment;
    use crate::colour_map::ColourMap;
    use crate::highlights::SlotHighlights;
    use crate::options::ColourBy;
    use crate::scene::Label;
    use xla_array::text;
    use xla_array::values::ValueRule;

    fn view(sizes: &[i64]) -> ArrayView {
        let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
        let shape = text::parse(&format!("s32[{}]", sizes.join(",")));
        let shape = shape.valid().unwrap().as_array().unwrap().clone();
        ArrayView::new(&shape, &ValueRule::Iota, ColourBy::Slot, ColourMap::Viridis).unwrap()
    }

    fn grid(sizes: &[i64], width: f64, height: f64) -> Grid {
        Grid::fitted(sizes, AxisAssignment::new(sizes, None), &[], width, height)
    }

    fn labels(scene: &Scene) -> Vec<Label> {
        let label = |item: &Item| if let Item::Label(label) = item { Some(label.clone()) } else { None };
        scene.items.iter().filter_map(label).collect()
    }

    /// The numbers in the colour of a dimension, each with its position.
    fn numbers(scene: &Scene, d: usize) -> Vec<(i64, f64, f64)> {
        let labels = labels(scene).into_iter().filter(|label| label.ink == Ink::Dimension(d));
        labels.map(|label| (label.text.parse().unwrap(), label.x, label.y)).collect()
    }

    #[test]
    fn axes_stay_at_the_edge_while_cells_are_panned() {
        let sizes = [200, 300];
        let array = view(&sizes);
        let mut grid = grid(&sizes, 600.0, 400.0);
        grid.zoom(20.0, 300.0, 200.0);
        for (dx, dy) in [(0.0, 0.0), (700.0, 900.0), (55.5, 33.3), (1e6, 1e6)] {
            grid.pan(dx, dy);
            let scene = grid.scene(&array);
            let (rows, columns) = (numbers(&scene, 0), numbers(&scene, 1));
            assert!(rows.len() > 3 && columns.len() > 3, "{rows:?} {columns:?}");
            for (row, x, y) in rows {
                let rect = grid.rect(&[row, 0]).unwrap();
                assert!((rect.y + rect.h / 2.0 - y).abs() < 1e-6, "row {row} is named beside it");
                assert!(x > 0.0 && x < MARGIN + grid.left() && y >= 7.0 && y <= grid.height - 7.0);
            }
            for (column, x, y) in columns {
                let rect = grid.rect(&[0, column]).unwrap();
                assert!((rect.x + rect.w / 2.0 - x).abs() < 1e-6, "column {column} is named above it");
                assert!(y > 0.0 && y < MARGIN + grid.top());
                assert!(
                    x - 4.0 * digits(column) >= 0.0 && x + 3.7 * digits(column) <= grid.width,
                    "{x} is cut"
                );
            }
        }
        // Cells under an axis can be neither hit nor marked.
        assert_eq!(grid.hit(2.0, 200.0), None);
        let under_axis = |column: &i64| {
            let rect = grid.rect(&[190, *column]).unwrap();
            rect.x <= 2.0 && 2.0 < rect.x + rect.w
        };
        let column = (0..300).find(under_axis).unwrap();
        let covered = SlotHighlights { cursor: Some(190 * 300 + column), hover: None, pins: Vec::new() };
        assert!(grid.overlay(&array, &covered).items.is_empty());
    }

    #[test]
    fn small_cells_are_numbered_at_round_intervals() {
        let sizes = [256, 256];
        let array = view(&sizes);
        let mut grid = grid(&sizes, 600.0, 400.0);
        for (zoom, step) in [(1.0, 10), (4.0, 2), (5.0, 1)] {
            grid.zoom(zoom, 0.0, 0.0);
            let rows: Vec<i64> = numbers(&grid.scene(&array), 0).iter().map(|(row, ..)| *row).collect();
            assert_eq!(rows[1] - rows[0], step, "{rows:?} at {} pixels", grid.cell);
            assert!(rows.windows(2).all(|pair| pair[1] - pair[0] == step));
        }
        assert_eq!(
            [min_tick_interval(30.0, 1.0), min_tick_interval(30.0, 0.1), min_tick_interval(6.0, 1.0)],
            [50, 500, 10]
        );
    }

    #[test]
    fn the_numbers_of_the_cursor_cover_neither_its_cell_nor_each_other() {
        for (sizes, slots) in [
            (&[1000, 1000][..], [0, 1, 1000, 1001, 5005, 999_999]),
            (&[8, 224, 224, 3], [0, 3, 672, 675, 6_750, 150_527]),
        ] {
            let (array, grid) = (view(sizes), grid(sizes, 600.0, 400.0));
            for slot in slots {
                let overlay = grid
                    .overlay(&array, &SlotHighlights { cursor: Some(slot), hover: None, pins: Vec::new() });
                let framed = |is_number: bool| {
                    let items = overlay.items.iter().filter_map(move |item| match item {
                        Item::Box { rect, fill, stroke: Some(stroke), .. } => {
                            (fill.is_some() == is_number).then(|| rect.grown(stroke.width / 2.0))
                        }
                        _ => None,
                    });
                    items.collect::<Vec<Rect>>()
                };
                let (numbers, rings) = (framed(true), framed(false));
                assert!(numbers.len() == 2 && !rings.is_empty(), "{sizes:?} {slot}: {numbers:?} {rings:?}");
                let are_disjoint =
                    |a: Rect, b: Rect| a.intersection(b).is_none_or(|both| both.w.min(both.h) < 0.6);
                assert!(are_disjoint(numbers[0], numbers[1]), "{sizes:?} {slot}: {numbers:?}");
                for ring in rings {
                    let is_free = numbers.iter().all(|number| are_disjoint(*number, ring));
                    assert!(is_free, "{sizes:?} {slot}: {numbers:?} {ring:?}");
                }
            }
        }
    }

    #[test]
    fn the_cursor_is_numbered_where_the_axes_are_not() {
        let array = view(&[1000, 1000]);
        let grid = grid(&[1000, 1000], 600.0, 400.0);
        let highlights = SlotHighlights { cursor: Some(123_456), hover: None, pins: Vec::new() };
        let overlay = grid.overlay(&array, &highlights);
        let texts: Vec<String> = labels(&overlay).into_iter().map(|label| label.text).collect();
        assert_eq!(texts, ["456", "123"]);
        let outline = overlay.items.iter().find_map(|item| match item {
            Item::Box { rect, fill: None, .. } => Some(*rect),
            _ => None,
        });
        assert!(outline.is_some_and(|rect| rect.w >= 10.0), "a cell of half a pixel has a ring");
    }

    #[test]
    fn titles_of_facets_are_elided_to_fit() {
        let text = |room: f64| {
            let parts = fitting_title(&[(0, Some(12)), (3, Some(4))], room);
            parts.into_iter().map(|(_, text, _)| text).collect::<Vec<_>>().join("|")
        };
        assert_eq!(text(200.0), "d0 = 12|d3 = 4");
        assert_eq!(text(80.0), "d0=12|d3=4");
        assert_eq!(text(40.0), "12|4");
        assert_eq!(text(10.0), "");
        for sizes in [[8, 3, 30, 30], [16, 2, 4, 100], [3, 3, 2, 2]] {
            let grid = grid(&sizes, 500.0, 300.0);
            let titles: Vec<Label> = labels(&grid.scene(&view(&sizes)))
                .into_iter()
                .filter(|label| label.anchor == Anchor::Start)
                .collect();
            for (k, title) in titles.iter().enumerate() {
                let end = title.x + TITLE_CHAR_WIDTH * count_px(title.text.len());
                assert!(end <= grid.width + 1e-6, "{sizes:?}: {title:?} is cut");
                let in_same_row = titles[k + 1..].iter().filter(|other| (other.y - title.y).abs() < 1.0);
                for other in in_same_row {
                    assert!(
                        other.x >= end || other.x < title.x,
                        "{sizes:?}: {title:?} and {other:?} overprint"
                    );
                }
            }
        }
    }
}
