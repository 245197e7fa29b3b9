//! An overview of a graph of any size: the number of nodes in each cell of a coarse grid.

use super::Graph;
use super::geometry::Rect;
use super::layout::MARGIN_PIXELS;

/// The number of nodes in each cell of a grid over a graph, or a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Density {
    /// The number of columns.
    pub columns: u32,
    /// The number of rows.
    pub rows: u32,
    /// The nodes whose middle is in each cell, row by row, without those within open computations.
    pub counts: Vec<u32>,
    /// The smallest rectangle that contains the nodes of each cell, if there are any.
    pub extents: Vec<Option<Rect>>,
}

impl Density {
    /// The nodes of a graph in a grid of `columns` by `rows` cells over all of it.
    pub fn new(graph: &Graph, columns: u32, rows: u32) -> Self {
        let (width, height) = graph.size();
        Self::in_window(graph, Rect { x: 0, y: 0, width, height }, columns, rows)
    }

    /// The nodes that intersect a rectangle, in a grid over the rectangle. A node whose middle is outside counts in the nearest
    /// cell.
    pub fn in_window(graph: &Graph, window: Rect, columns: u32, rows: u32) -> Self {
        let (columns, rows) = (columns.clamp(1, 1 << 10), rows.clamp(1, 1 << 10));
        let cells = columns as usize * rows as usize;
        let mut density = Self { columns, rows, counts: vec![0; cells], extents: vec![None; cells] };
        let Some(layout) = graph.layouts.get(&graph.root) else { return density };
        let cell = |position: i32, start: i32, size: i32, cells: u32| {
            let offset = (i64::from(position) - i64::from(start)).max(0);
            let index = offset * i64::from(cells) / i64::from(size.max(1));
            usize::try_from(index.min(i64::from(cells) - 1)).unwrap_or(0)
        };
        for node in (0..).take(layout.selection.nodes.len()) {
            let rect = layout.rect(node).moved(MARGIN_PIXELS, MARGIN_PIXELS);
            if !rect.intersects(window) {
                continue;
            }
            let (x, y) = (rect.x + rect.width / 2, rect.y + rect.height / 2);
            let row = cell(y, window.y, window.height, rows);
            let cell_index = row * columns as usize + cell(x, window.x, window.width, columns);
            density.counts[cell_index] += 1;
            density.extents[cell_index] =
                Some(density.extents[cell_index].map_or(rect, |other| union(other, rect)));
        }
        density
    }
}

fn union(a: Rect, b: Rect) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect { x, y, width: a.right().max(b.right()) - x, height: a.bottom().max(b.bottom()) - y }
}
