//! The cues at the edges of a view beyond which the grid continues, and the visible part of a grid.

use smallvec::smallvec;

use super::{FACET_GAP, Grid, MARGIN};
use crate::pixels::{index_at, px};
use crate::scene::{Ink, Item, Rect, Scene, Stroke};

/// Width of the shade at an edge, pixels.
const SHADE: f64 = 24.0;
/// Steps in which the shade fades.
const SHADE_STEPS: i64 = 4;
/// Minimum side of a view with shades, pixels.
const MIN_SHADED_VIEW: f64 = 96.0;

/// An axis of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The columns of the grid.
    Columns,
    /// The rows of the grid.
    Rows,
    /// The facets along a dimension.
    Facets(usize),
}

/// The visible part of an axis that is longer than the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisiblePart {
    /// The partly visible axis.
    pub axis: Axis,
    /// The first visible index.
    pub first: i64,
    /// The last visible index.
    pub last: i64,
    /// The number of indices.
    pub count: i64,
}

impl Grid {
    /// Draws a shade with an arrow at each edge beyond which the grid continues.
    pub(super) fn edge_cues(&self, scene: &mut Scene) {
        let (w, h) = self.content_size();
        let is_single = self.facet_counts() == (1, 1);
        let (x0, y0) = if is_single { (MARGIN + self.left(), MARGIN + self.top()) } else { (0.0, 0.0) };
        let view = Rect::new(x0, y0, self.width - x0, self.height - y0);
        let continues_before = |offset: f64| offset > MARGIN;
        let continues_after = |offset: f64, view: f64, content: f64| offset + view < content - MARGIN;
        if view.w >= MIN_SHADED_VIEW {
            let (left, right) =
                (continues_before(self.offset.0), continues_after(self.offset.0, self.width, w));
            let edge = |x: f64, width: f64| Rect::new(x, view.y, width, view.h);
            let middle = view.y + view.h / 2.0;
            if left {
                shade(scene, |width| edge(view.x, width));
                arrow(scene, (view.x + 10.0, middle), (-1.0, 0.0));
            }
            if right {
                shade(scene, |width| edge(self.width - width, width));
                arrow(scene, (self.width - 10.0, middle), (1.0, 0.0));
            }
        }
        if view.h >= MIN_SHADED_VIEW {
            let (above, below) =
                (continues_before(self.offset.1), continues_after(self.offset.1, self.height, h));
            let edge = |y: f64, height: f64| Rect::new(view.x, y, view.w, height);
            let middle = view.x + view.w / 2.0;
            if above {
                shade(scene, |height| edge(view.y, height));
                arrow(scene, (middle, view.y + 10.0), (0.0, -1.0));
            }
            if below {
                shade(scene, |height| edge(self.height - height, height));
                arrow(scene, (middle, self.height - 10.0), (0.0, 1.0));
            }
        }
    }

    /// The visible parts of the axes that are longer than the view, columns first.
    pub fn visible_parts(&self) -> Vec<VisiblePart> {
        let ((w, h), (facet_w, facet_h)) = (self.content_size(), self.facet_size());
        let ((columns, rows), (facet_columns, facet_rows)) = (self.cell_counts(), self.facet_counts());
        let start = self.origin(0, 0);
        let corner = self.corner_of(start);
        let part = |axis, start: f64, pitch: f64, (from, to): (f64, f64), count: i64| {
            // A row, column or facet counts as visible if at least half of it is.
            let first = index_at((from - start) / pitch + 0.5).clamp(0, (count - 1).max(0));
            let last = index_at((to - start) / pitch - 0.5).clamp(first, (count - 1).max(first));
            VisiblePart { axis, first, last, count }
        };
        let mut parts = Vec::new();
        if w > self.width + 1.0 {
            parts.push(match self.assignment.facet_columns.filter(|_| facet_columns > 1) {
                Some(d) => {
                    let first = start.0 - self.left();
                    part(Axis::Facets(d), first, facet_w + FACET_GAP, (0.0, self.width), facet_columns)
                }
                None => part(Axis::Columns, start.0, self.cell, (corner.0, self.width), columns),
            });
        }
        if h > self.height + 1.0 {
            parts.push(match self.assignment.facet_rows.filter(|_| facet_rows > 1) {
                Some(d) => {
                    let first = start.1 - self.top();
                    part(Axis::Facets(d), first, facet_h + FACET_GAP, (0.0, self.height), facet_rows)
                }
                None => part(Axis::Rows, start.1, self.cell, (corner.1, self.height), rows),
            });
        }
        parts
    }
}

/// A shade that fades away from an edge; `strip` is the rectangle of a width at the edge.
fn shade(scene: &mut Scene, strip: impl Fn(f64) -> Rect) {
    for step in 1..=SHADE_STEPS {
        scene.fill(strip(SHADE * px(step) / px(SHADE_STEPS)), 0.0, Ink::Shade);
    }
}

/// An arrow head on a halo, pointing in a direction.
fn arrow(scene: &mut Scene, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
    let back = |side: f64| (x - 4.0 * dx - 6.0 * dy * side, y - 4.0 * dy - 6.0 * dx * side);
    let tip = (x + 3.0 * dx, y + 3.0 * dy);
    for (ink, width) in [(Ink::Background, 6.0), (Ink::Strong, 2.5)] {
        let points = smallvec![back(1.0), tip, back(-1.0)];
        scene.items.push(Item::Path { points, stroke: Stroke::solid(ink, width) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array_view::ArrayView;
    use crate::axis_assignment::AxisAssignment;
    use crate::colour_map::ColourMap;
    use crate::options::ColourBy;
    use xla_array::text;
    use xla_array::values::ValueRule;

    fn grid(sizes: &[i64], width: f64, height: f64) -> Grid {
        Grid::fitted(sizes, AxisAssignment::new(sizes, None), &[], width, height)
    }

    #[test]
    fn edges_have_cues_if_the_grid_continues() {
        let sizes = [16, 256];
        let shape = text::parse("s32[16,256]").valid().unwrap().as_array().unwrap().clone();
        let array = ArrayView::new(&shape, &ValueRule::Iota, ColourBy::Slot, ColourMap::Viridis).unwrap();
        let mut grid = grid(&sizes, 680.0, 300.0);
        let shades = |grid: &Grid| {
            let scene = grid.scene(&array);
            let shades = scene.items.iter().filter_map(|item| match item {
                Item::Box { rect, fill: Some(Ink::Shade), .. } => Some(rect.x > 340.0),
                _ => None,
            });
            let shades: Vec<bool> = shades.collect();
            (shades.contains(&false), shades.contains(&true))
        };
        let parts = |grid: &Grid| {
            grid.visible_parts().iter().map(|p| (p.axis, p.first, p.last, p.count)).collect::<Vec<_>>()
        };
        assert_eq!(shades(&grid), (false, true));
        let [(Axis::Columns, 0, last, 256)] = parts(&grid)[..] else { panic!("{:?}", parts(&grid)) };
        assert!((60..100).contains(&last), "{last}");
        grid.centre(&[9, 130]);
        assert_eq!(shades(&grid), (true, true));
        grid.pan(1e9, 0.0);
        assert_eq!(shades(&grid), (true, false));
        assert_eq!(parts(&grid)[0].2, 255);
        let zoomed_out = grid.zoomed_out();
        assert_eq!(
            (shades(&zoomed_out), parts(&zoomed_out).len()),
            ((false, false), 0),
            "everything is in view"
        );
    }

    #[test]
    fn a_jump_centres_a_cell_unless_it_is_in_view() {
        let sizes = [16, 256];
        let mut grid = grid(&sizes, 680.0, 300.0);
        grid.centre(&[9, 130]);
        let rect = grid.rect(&[9, 130]).unwrap();
        let middle = (MARGIN + grid.left() + grid.width) / 2.0;
        assert!((rect.x + rect.w / 2.0 - middle).abs() < 1.0, "{rect:?}");
        let before = grid.clone();
        grid.centre(&[2, 140]);
        assert_eq!(grid, before);
    }
}
