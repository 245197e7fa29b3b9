//! Pointer, wheel and keys on a grid: hover, select, pan, zoom, and drag a window.

use super::keys::Key;
use crate::array::{Dims, MemoryMap};
use crate::view::axis_assignment::AxisAssignment;
use crate::view::grid::Grid;
use crate::view::grid::base_area::Windows;
use crate::view::pixels::clamped;

/// The zoom factor of one key press.
pub const ZOOM_STEP: f64 = 1.5;

/// Wheel pixels that double or halve the zoom.
const WHEEL_PIXELS_PER_DOUBLING: f64 = 240.0;

/// Pixels that the pointer must move before a press becomes a drag.
const DRAG_THRESHOLD_PIXELS: f64 = 4.0;

/// A drag beyond the grid is clamped to this distance from its edge, in pixels.
const EDGE_PIXELS: f64 = 8.0;

/// Rows per page of a grid without facets.
const PAGE_ROWS: i64 = 10;

/// The pointer on a grid, in CSS pixels from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    /// The distance from the left edge.
    pub x: f64,
    /// The distance from the top edge.
    pub y: f64,
    /// Whether Shift is pressed.
    pub shift: bool,
    /// Whether the main button is down.
    pub is_down: bool,
}

/// The grid under the pointer.
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    /// The grid: of the base area if windows slide over it, otherwise of the array.
    pub grid: &'a Grid,
    /// The windows that slide over it.
    pub windows: Option<&'a Windows>,
    /// The number of windows along each dimension.
    pub window_counts: &'a Dims,
}

/// An effect of a pointer event.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Highlight the element under the pointer, if any.
    Hover(Option<Dims>),
    /// Remember whether the pointer is on the first window.
    SetOverWindow(bool),
    /// Capture the pointer: a drag has begun.
    Capture,
    /// Show this grid, which was panned.
    SetGrid(Box<Grid>),
    /// Move the first window to an index.
    MoveWindow(Dims),
    /// Select an element; keep the others selected if the flag is set.
    Select(Dims, bool),
}

/// The object that the pointer drags.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Drag {
    /// Nothing is dragged.
    #[default]
    None,
    /// The viewport, which pans.
    Viewport {
        /// The last position of the pointer.
        from: (f64, f64),
        /// Whether the threshold was exceeded.
        has_moved: bool,
    },
    /// The first window.
    Window {
        /// The cell under the pointer at the start of the press.
        from: Dims,
        /// The index of the window at the start of the press.
        window: Dims,
        /// Whether the pointer has left that cell.
        has_moved: bool,
    },
}

impl Surface<'_> {
    fn hit(&self, pointer: Pointer) -> Option<Dims> {
        self.grid.hit(pointer.x, pointer.y)
    }

    /// The cell under the pointer, clamped to the grid: a drag may leave it.
    fn hit_clamped(&self, pointer: Pointer) -> Option<Dims> {
        let clamp = |x: f64, size: f64| clamped(x, EDGE_PIXELS, (size - EDGE_PIXELS).max(EDGE_PIXELS));
        let (x, y) = (clamp(pointer.x, self.grid.width), clamp(pointer.y, self.grid.height));
        self.hit(pointer).or_else(|| self.grid.hit(x, y))
    }

    /// The element under the pointer.
    fn element(&self, pointer: Pointer) -> Option<Dims> {
        let index = self.hit(pointer)?;
        match self.windows {
            Some(windows) => windows.area.element(&index),
            None => Some(index),
        }
    }

    /// The cell under the pointer and the index of the first window, if the pointer is on that.
    fn window_under(&self, pointer: Pointer) -> Option<(Dims, Dims)> {
        let windows = self.windows?;
        let (window, index) = (windows.indices.first()?, self.hit(pointer)?);
        windows.area.covers(window, &index).then(|| (index, window.clone()))
    }
}

impl Drag {
    /// Handles a press of the main button.
    pub fn press(surface: Surface, pointer: Pointer) -> Self {
        match surface.window_under(pointer) {
            Some((from, window)) => Self::Window { from, window, has_moved: false },
            None => Self::Viewport { from: (pointer.x, pointer.y), has_moved: false },
        }
    }

    /// Handles a move of the pointer.
    pub fn move_to(&mut self, surface: Surface, pointer: Pointer) -> Vec<Effect> {
        match self {
            Self::Window { from, window, has_moved } if pointer.is_down => {
                let (Some(windows), Some(to)) = (surface.windows, surface.hit_clamped(pointer)) else {
                    return Vec::new();
                };
                if to == *from && !*has_moved {
                    return Vec::new();
                }
                let mut effects = Vec::new();
                if !std::mem::replace(has_moved, true) {
                    // The pointer is on the window now, not on an element.
                    effects.extend([Effect::Capture, Effect::Hover(None)]);
                }
                effects.push(Effect::MoveWindow(windows.area.dragged_window(
                    window,
                    from,
                    &to,
                    surface.window_counts,
                )));
                effects
            }
            Self::Viewport { from, has_moved } if pointer.is_down && surface.grid.overflows() => {
                let (dx, dy) = (from.0 - pointer.x, from.1 - pointer.y);
                if !*has_moved && dx.abs() + dy.abs() <= DRAG_THRESHOLD_PIXELS {
                    return Vec::new();
                }
                let mut effects = Vec::new();
                if !std::mem::replace(has_moved, true) {
                    effects.push(Effect::Capture);
                }
                *from = (pointer.x, pointer.y);
                let mut next = surface.grid.clone();
                next.pan(dx, dy);
                effects.push(Effect::SetGrid(Box::new(next)));
                effects
            }
            _ => vec![
                Effect::SetOverWindow(surface.window_under(pointer).is_some()),
                Effect::Hover(surface.element(pointer)),
            ],
        }
    }

    /// Handles a release of the main button: a press that did not become a drag selects an element.
    pub fn release(&mut self, surface: Surface, pointer: Pointer) -> Option<Effect> {
        let has_moved = match std::mem::take(self) {
            Self::Viewport { has_moved, .. } | Self::Window { has_moved, .. } => has_moved,
            Self::None => false,
        };
        let index = surface.element(pointer).filter(|_| !has_moved)?;
        Some(Effect::Select(index, pointer.shift))
    }
}

/// A wheel event on a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// Pixels to scroll to the right.
    pub dx: f64,
    /// Pixels to scroll down.
    pub dy: f64,
    /// Whether the event zooms instead of panning.
    pub is_zoom: bool,
    /// The position of the pointer.
    pub position: (f64, f64),
}

/// The grid after a wheel event; `None` at the edge of the grid, so that the page scrolls instead.
pub fn wheel(grid: &Grid, wheel: Wheel) -> Option<Grid> {
    if !wheel.is_zoom && !grid.overflows() {
        return None;
    }
    let mut next = grid.clone();
    if wheel.is_zoom {
        // exp2 would link a table of 4 kB.
        let doublings = -wheel.dy / WHEEL_PIXELS_PER_DOUBLING;
        next.zoom((doublings * std::f64::consts::LN_2).exp(), wheel.position.0, wheel.position.1);
    } else {
        next.pan(wheel.dx, wheel.dy);
    }
    (next != *grid).then_some(next)
}

/// The grid zoomed about a cell in view, so that it stays there, otherwise about its centre. The grid is panned to show
/// the whole cell: a small one beside an axis would otherwise grow beneath it.
pub fn zoomed(grid: &Grid, factor: f64, cell: Option<&Dims>) -> Grid {
    let centre =
        cell.and_then(|cell| grid.rect(cell)).map(|rect| (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0));
    let in_view = centre.filter(|(x, y)| (0.0..=grid.width).contains(x) && (0.0..=grid.height).contains(y));
    let (x, y) = in_view.unwrap_or((grid.width / 2.0, grid.height / 2.0));
    let mut next = grid.clone();
    next.zoom(factor, x, y);
    if let Some(cell) = cell.filter(|_| in_view.is_some()) {
        next.reveal(cell);
    }
    next
}

/// The grid panned to centre a point, given as fractions of width and height.
pub fn centred(grid: &Grid, (x, y): (f64, f64)) -> Grid {
    let mut next = grid.clone();
    let ((width, height), (left, top)) = (next.content_size(), next.offset);
    next.pan(x * width - next.width / 2.0 - left, y * height - next.height / 2.0 - top);
    next
}

/// Whether a move of the cursor is a single step: to an adjacent slot, or to an adjacent cell along a dimension.
pub fn is_step(map: &MemoryMap, from: &[i64], to: &[i64]) -> bool {
    let distance: i64 = from.iter().zip(to).map(|(a, b)| (a - b).abs()).sum();
    let is_next_slot = || map.slot(from).zip(map.slot(to)).is_some_and(|(a, b)| (a - b).abs() == 1);
    from.len() == to.len() && (distance == 1 || is_next_slot())
}

/// The grid panned to show the cell of the cursor: as little as needed after a step, centred after a jump
/// unless it is in view.
pub fn follow_cursor(grid: &Grid, index: &[i64], is_step: bool) -> Grid {
    let mut next = grid.clone();
    if is_step {
        next.reveal(index);
    } else {
        next.centre(index);
    }
    next
}

/// A command of a key on a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Zoom by a factor.
    Zoom(f64),
    /// Pin the cell under the cursor.
    Pin {
        /// Whether to keep the other pins.
        keep_others: bool,
    },
    /// Step to an index.
    Step(Dims),
}

/// The command of a key on the grid of an array with these padded sizes, if any.
pub fn command(
    sizes: &[i64],
    assignment: &AxisAssignment,
    cursor: Option<&Dims>,
    key: &Key,
) -> Option<Command> {
    if key.alt || key.meta {
        return None;
    }
    match key.name.as_str() {
        "+" | "=" => Some(Command::Zoom(ZOOM_STEP)),
        "-" => Some(Command::Zoom(1.0 / ZOOM_STEP)),
        "Enter" => Some(Command::Pin { keep_others: key.shift }),
        name => step(sizes, assignment, cursor, name, key.ctrl).map(Command::Step),
    }
}

/// The index that a key moves the cursor to, clamped to the array.
fn step(
    sizes: &[i64],
    assignment: &AxisAssignment,
    cursor: Option<&Dims>,
    name: &str,
    ctrl: bool,
) -> Option<Dims> {
    // Without a cursor, the first step starts at the first cell.
    let mut index = cursor.cloned().unwrap_or_else(|| Dims::from_elem(0, sizes.len()));
    let mut add = |dimension: Option<usize>, by: i64| {
        if let Some(d) = dimension {
            index[d] = index[d].saturating_add(by).clamp(0, (sizes[d] - 1).max(0));
        }
    };
    let page = if assignment.has_facets() { 1 } else { PAGE_ROWS };
    match name {
        "ArrowLeft" => add(assignment.columns, -1),
        "ArrowRight" => add(assignment.columns, 1),
        "ArrowUp" => add(assignment.rows, -1),
        "ArrowDown" => add(assignment.rows, 1),
        "Home" | "End" => {
            let distance = if name == "Home" { i64::MIN } else { i64::MAX };
            add(assignment.columns, distance);
            if ctrl {
                add(assignment.rows, distance);
            }
        }
        "PageUp" => add(assignment.facet_columns.or(assignment.rows), -page),
        "PageDown" => add(assignment.facet_columns.or(assignment.rows), page),
        _ => return None,
    }
    Some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(sizes: &[i64], width: f64) -> Grid {
        Grid::fitted(sizes, AxisAssignment::new(sizes, None), &[], width, width)
    }

    fn at(grid: &Grid, index: &[i64]) -> Pointer {
        let rect = grid.rect(index).unwrap();
        Pointer { x: rect.x + rect.w / 2.0, y: rect.y + rect.h / 2.0, shift: false, is_down: true }
    }

    fn surface<'a>(grid: &'a Grid, none: &'a Dims) -> Surface<'a> {
        Surface { grid, windows: None, window_counts: none }
    }

    #[test]
    fn a_press_selects_and_a_drag_pans() {
        let (small, none) = (grid(&[3, 4], 400.0), Dims::new());
        let (small_surface, pointer) = (surface(&small, &none), at(&small, &[1, 2]));
        let mut drag = Drag::press(small_surface, pointer);
        assert_eq!(drag, Drag::Viewport { from: (pointer.x, pointer.y), has_moved: false });
        let released = drag.release(small_surface, Pointer { shift: true, ..pointer });
        assert_eq!(released, Some(Effect::Select(Dims::from_slice(&[1, 2]), true)));
        assert_eq!(drag, Drag::None);

        let large = zoomed(&grid(&[200, 200], 400.0), 8.0, None);
        assert!(large.overflows());
        let surface = surface(&large, &none);
        let pointer = Pointer { x: 200.0, y: 200.0, shift: false, is_down: true };
        let mut drag = Drag::press(surface, pointer);
        assert_eq!(drag.move_to(surface, Pointer { x: 202.0, ..pointer }), [], "below the threshold");
        let effects = drag.move_to(surface, Pointer { x: 190.0, ..pointer });
        let [Effect::Capture, Effect::SetGrid(panned)] = effects.as_slice() else { panic!("{effects:?}") };
        assert!((panned.offset.0 - large.offset.0 - 10.0).abs() < 1e-9);
        let effects = drag.move_to(surface, Pointer { x: 189.0, ..pointer });
        assert!(matches!(effects.as_slice(), [Effect::SetGrid(_)]), "captured once: {effects:?}");
        assert_eq!(drag.release(surface, pointer), None, "a drag selects nothing");
    }

    #[test]
    fn a_pointer_that_is_up_hovers() {
        let (grid, none) = (grid(&[3, 4], 400.0), Dims::new());
        let pointer = Pointer { is_down: false, ..at(&grid, &[2, 3]) };
        let effects = Drag::None.move_to(surface(&grid, &none), pointer);
        assert_eq!(effects, [Effect::SetOverWindow(false), Effect::Hover(Some(Dims::from_slice(&[2, 3])))]);
    }

    #[test]
    fn the_wheel_pans_to_the_edge_and_zooms() {
        let event = |dx, dy, is_zoom| Wheel { dx, dy, is_zoom, position: (100.0, 100.0) };
        let fitted = grid(&[200, 200], 400.0);
        let large = centred(&zoomed(&fitted, 8.0, None), (0.0, 0.0));
        assert_eq!(large.offset, (0.0, 0.0));
        assert!(wheel(&large, event(10.0, 0.0, false)).is_some_and(|next| next.offset.0 > 0.0));
        assert_eq!(wheel(&large, event(-10.0, -10.0, false)), None, "the page scrolls");
        assert!(wheel(&fitted, event(0.0, -240.0, true)).is_some_and(|next| next.cell > fitted.cell));
        let small = grid(&[3, 4], 400.0);
        assert_eq!(wheel(&small, event(0.0, 10.0, false)), None);
    }

    #[test]
    fn zooming_keeps_the_cell_of_the_cursor_in_place() {
        let fitted = grid(&[200, 200], 400.0);
        let cell = Dims::from_slice(&[150, 40]);
        let middle = |grid: &Grid| {
            grid.rect(&cell).map(|rect| (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0)).unwrap()
        };
        let large = zoomed(&fitted, 16.0, Some(&cell));
        let (before, after) = (middle(&fitted), middle(&large));
        assert!(
            (before.0 - after.0).abs() < 1e-6 && (before.1 - after.1).abs() < 1e-6,
            "{before:?} {after:?}"
        );
    }

    #[test]
    fn zooming_at_a_corner_stays_at_the_corner() {
        let fitted = grid(&[1000, 1000], 400.0);
        for factor in [4.0, 40.0] {
            let large = zoomed(&fitted, factor, Some(&Dims::from_slice(&[0, 0])));
            assert_eq!(large.offset, (0.0, 0.0), "nothing is before the first cell");
            let last = Dims::from_slice(&[999, 999]);
            let rect = zoomed(&fitted, factor, Some(&last)).rect(&last).unwrap();
            assert!(rect.x + rect.w <= 400.0 && rect.y + rect.h <= 400.0, "{rect:?}");
        }
    }

    #[test]
    fn steps_pan_as_little_as_needed_and_jumps_centre() {
        let shape = crate::array::text::parse("bf16[16,256]{1,0:T(8,128)(2,1)}");
        let map = MemoryMap::new(shape.valid().unwrap().as_array().unwrap()).unwrap();
        assert!(is_step(&map, &[3, 5], &[4, 5]) && is_step(&map, &[0, 0], &[1, 0]));
        assert!(is_step(&map, &[7, 127], &[0, 128]), "the next slot is in the next tile");
        assert!(!is_step(&map, &[0, 0], &[9, 130]) && !is_step(&map, &[9, 130], &[9, 130]));

        let fitted = grid(&[16, 256], 680.0);
        let jump = follow_cursor(&fitted, &[9, 130], false);
        let middle = |grid: &Grid, index: &[i64]| grid.rect(index).map(|rect| rect.x + rect.w / 2.0).unwrap();
        assert!((middle(&jump, &[9, 130]) - 340.0).abs() < 40.0);
        assert_eq!(follow_cursor(&jump, &[9, 140], false), jump, "what is in view stays");
        let (edge, beyond) = (jump.hit(679.0, 100.0).unwrap(), |by: i64| [9, by]);
        let step = follow_cursor(&jump, &beyond(edge[1] + 1), true);
        assert!((step.offset.0 - jump.offset.0) <= 2.0 * jump.cell + 6.0, "{:?}", step.offset);
        assert!(step.offset.0 > jump.offset.0);
    }

    #[test]
    fn keys_step_within_the_array() {
        let sizes = [5, 30];
        let assignment = AxisAssignment::new(&sizes, None);
        let press = |name: &str, cursor: &[i64], ctrl| {
            let key = Key { name: name.to_owned(), ctrl, ..Key::default() };
            command(&sizes, &assignment, Some(&Dims::from_slice(cursor)), &key)
        };
        let step = |index: &[i64]| Some(Command::Step(Dims::from_slice(index)));
        for (name, ctrl, from, to) in [
            ("ArrowLeft", false, [1, 1], [1, 0]),
            ("ArrowLeft", false, [1, 0], [1, 0]),
            ("ArrowDown", false, [4, 0], [4, 0]),
            ("ArrowUp", false, [4, 0], [3, 0]),
            ("End", false, [1, 1], [1, 29]),
            ("End", true, [1, 1], [4, 29]),
            ("Home", true, [3, 3], [0, 0]),
            ("PageDown", false, [0, 3], [4, 3]),
        ] {
            assert_eq!(press(name, &from, ctrl), step(&to), "{name}");
        }
        assert_eq!(press("Enter", &[0, 0], false), Some(Command::Pin { keep_others: false }));
        assert_eq!(press("+", &[0, 0], false), Some(Command::Zoom(ZOOM_STEP)));
        assert_eq!(press("x", &[0, 0], false), None);
        let alt = Key { name: "ArrowLeft".to_owned(), alt: true, ..Key::default() };
        assert_eq!(command(&sizes, &assignment, None, &alt), None);
    }
}
