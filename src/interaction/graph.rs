//! Pointer, wheel and keys on the graph of a program: pan, zoom, pinch, and steps along the edges.
//!
//! A [`Camera`] is the part of the graph in view. Positions on the screen are CSS pixels from the top left of the view,
//! those in the graph pixels of its layout.

use super::keys::Key;
use crate::view::pixels::clamped;

/// The zoom factor of one key press or button.
pub const ZOOM_STEP: f64 = 1.5;

/// Wheel pixels that double or halve the zoom, and those of a pinch on a touchpad, which the browser reports as a wheel.
const WHEEL_PIXELS_PER_DOUBLING: f64 = 240.0;
const PINCH_PIXELS_PER_DOUBLING: f64 = 60.0;

/// The bounds of the scale.
const MIN_SCALE: f64 = 1.0 / 1024.0;
const MAX_SCALE: f64 = 4.0;

/// The scale below which a graph that fits is not shown as a whole at first: its texts could not be read.
const MIN_READABLE_SCALE: f64 = 0.6;

/// The margin around a graph that fits, and around what is brought into view, pixels of the screen.
const MARGIN: f64 = 24.0;

/// Pixels that a pointer must move before a press becomes a drag.
const DRAG_THRESHOLD: f64 = 4.0;

/// The part of a view that an arrow key pans by.
const PAN_PART: f64 = 0.2;

/// A rectangle of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// The left edge.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Area {
    /// Whether another one is within this one.
    pub fn contains(&self, other: &Self) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.x + other.width <= self.x + self.width
            && other.y + other.height <= self.y + self.height
    }

    /// The area, extended on each side by a part of its size.
    #[must_use]
    pub fn grown(&self, part: f64) -> Self {
        let (dx, dy) = (self.width * part, self.height * part);
        Self { x: self.x - dx, y: self.y - dy, width: self.width + 2.0 * dx, height: self.height + 2.0 * dy }
    }

    /// The part of this area within another one.
    #[must_use]
    pub fn clipped(&self, to: &Self) -> Self {
        let (x, y) = (self.x.max(to.x), self.y.max(to.y));
        let right = (self.x + self.width).min(to.x + to.width);
        let bottom = (self.y + self.height).min(to.y + to.height);
        Self { x, y, width: (right - x).max(0.0), height: (bottom - y).max(0.0) }
    }
}

/// The sizes of the graph and of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Width and height of the graph.
    pub graph: (f64, f64),
    /// Width and height of the view.
    pub view: (f64, f64),
}

/// The part of the graph in view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point of the graph at the left edge of the view.
    pub x: f64,
    /// The point at its top.
    pub y: f64,
    /// Pixels of the view per pixel of the graph.
    pub scale: f64,
}

impl Camera {
    /// The whole graph, as large as it fits and at most in its own size.
    pub fn fitting(sizes: &Sizes) -> Self {
        let part = |view: f64, graph: f64| (view - 2.0 * MARGIN).max(1.0) / graph.max(1.0);
        let scale = part(sizes.view.0, sizes.graph.0).min(part(sizes.view.1, sizes.graph.1));
        let scale = clamped(scale, MIN_SCALE, 1.0);
        Self { x: 0.0, y: 0.0, scale }.within(sizes)
    }

    /// What is shown first: the whole graph if it is readable, else the surroundings of `target`.
    pub fn first(sizes: &Sizes, target: Option<Area>) -> Self {
        let whole = Self::fitting(sizes);
        if whole.scale >= MIN_READABLE_SCALE {
            return whole;
        }
        let near = Self { x: 0.0, y: 0.0, scale: 1.0 };
        near.centred(sizes, target.unwrap_or_default()).filled(sizes)
    }

    /// The camera, moved so that the view has no more than a margin outside of the graph: its middle if it fits.
    fn filled(self, sizes: &Sizes) -> Self {
        let margin = MARGIN / self.scale;
        let along = |at: f64, view: f64, graph: f64| {
            let room = view / self.scale;
            if graph + 2.0 * margin <= room {
                (graph - room) / 2.0
            } else {
                clamped(at, -margin, graph + margin - room)
            }
        };
        Self {
            x: along(self.x, sizes.view.0, sizes.graph.0),
            y: along(self.y, sizes.view.1, sizes.graph.1),
            ..self
        }
    }

    /// The visible part of the graph.
    pub fn area(&self, sizes: &Sizes) -> Area {
        let (width, height) = (sizes.view.0 / self.scale, sizes.view.1 / self.scale);
        Area { x: self.x, y: self.y, width, height }
    }

    /// The camera, moved so that the graph stays in view: its middle if it fits, else its edges are at most in the middle
    /// of the view.
    #[must_use]
    fn within(self, sizes: &Sizes) -> Self {
        let along = |at: f64, view: f64, graph: f64| {
            let room = view / self.scale;
            if graph <= room { (graph - room) / 2.0 } else { clamped(at, -room / 2.0, graph - room / 2.0) }
        };
        Self {
            x: along(self.x, sizes.view.0, sizes.graph.0),
            y: along(self.y, sizes.view.1, sizes.graph.1),
            ..self
        }
    }

    /// The camera after a drag of the graph by pixels of the screen.
    #[must_use]
    pub fn panned(self, sizes: &Sizes, dx: f64, dy: f64) -> Self {
        Self { x: self.x - dx / self.scale, y: self.y - dy / self.scale, ..self }.within(sizes)
    }

    /// The camera after a zoom that keeps the graph's point at a position of the view.
    #[must_use]
    pub fn zoomed(self, sizes: &Sizes, factor: f64, (x, y): (f64, f64)) -> Self {
        let min = Self::fitting(sizes).scale.min(1.0) * 0.5;
        let scale = clamped(self.scale * factor, min.max(MIN_SCALE), MAX_SCALE);
        let point = (self.x + x / self.scale, self.y + y / self.scale);
        Self { x: point.0 - x / scale, y: point.1 - y / scale, scale }.within(sizes)
    }

    /// Like [`Self::zoomed`], around the middle of the view.
    #[must_use]
    pub fn zoomed_at_middle(self, sizes: &Sizes, factor: f64) -> Self {
        self.zoomed(sizes, factor, (sizes.view.0 / 2.0, sizes.view.1 / 2.0))
    }

    /// The camera with an area in the middle of the view.
    #[must_use]
    pub fn centred(self, sizes: &Sizes, area: Area) -> Self {
        let (width, height) = (sizes.view.0 / self.scale, sizes.view.1 / self.scale);
        // Of an area that is larger than the view, the start is shown.
        let start = |at: f64, size: f64, room: f64| {
            if size > room { at - MARGIN / self.scale } else { at + (size - room) / 2.0 }
        };
        Self { x: start(area.x, area.width, width), y: start(area.y, area.height, height), ..self }
            .within(sizes)
    }

    /// The camera with an area in view: unchanged if it is, and near enough to read it.
    #[must_use]
    pub fn revealing(self, sizes: &Sizes, area: Area) -> Self {
        let readable = Self { scale: self.scale.max(MIN_READABLE_SCALE), ..self };
        let margin = MARGIN / readable.scale;
        // Of a call that is larger than the view, the label at its top.
        let (width, height) = (sizes.view.0 / self.scale, sizes.view.1 / self.scale);
        let label = Area {
            x: area.x - margin,
            y: area.y - margin,
            width: (area.width + 2.0 * margin).min(width),
            height: (area.height + 2.0 * margin).min(height),
        };
        if readable == self && self.area(sizes).contains(&label) {
            return self;
        }
        readable.centred(sizes, area)
    }
}

/// The zoom factor of a wheel event of `dy` pixels.
pub fn wheel_factor(dy: f64, is_pinch: bool) -> f64 {
    let per_doubling = if is_pinch { PINCH_PIXELS_PER_DOUBLING } else { WHEEL_PIXELS_PER_DOUBLING };
    clamped(2_f64.powf(-dy / per_doubling), 0.25, 4.0)
}

/// What the pointers on the view do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gesture {
    /// The pointers that are down, at most two, by their ids and positions.
    down: Vec<(i32, (f64, f64))>,
    /// Whether a press has become a drag or a pinch.
    has_moved: bool,
}

/// An effect of a pointer event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// Pan by pixels of the screen.
    Pan(f64, f64),
    /// Zoom by a factor around a position.
    Zoom(f64, (f64, f64)),
    /// Click at a position.
    Click((f64, f64)),
}

impl Gesture {
    /// A pointer goes down; a third one is ignored.
    pub fn press(&mut self, id: i32, at: (f64, f64)) {
        if self.down.is_empty() {
            self.has_moved = false;
        }
        if self.down.len() < 2 && !self.down.iter().any(|(other, _)| *other == id) {
            self.down.push((id, at));
            self.has_moved |= self.down.len() == 2;
        }
    }

    /// Whether the graph is dragged or pinched.
    pub fn is_dragging(&self) -> bool {
        self.has_moved && !self.down.is_empty()
    }

    /// A pointer moves.
    pub fn move_to(&mut self, id: i32, at: (f64, f64)) -> Vec<Effect> {
        let Some(number) = self.down.iter().position(|(other, _)| *other == id) else { return Vec::new() };
        let from = self.down[number].1;
        let (dx, dy) = (at.0 - from.0, at.1 - from.1);
        if !self.has_moved && dx.hypot(dy) < DRAG_THRESHOLD {
            return Vec::new();
        }
        self.has_moved = true;
        self.down[number].1 = at;
        let Some((_, other)) = self.down.get(1 - number).filter(|_| self.down.len() == 2) else {
            return vec![Effect::Pan(dx, dy)];
        };
        let distance = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1).max(1.0);
        let middle = (at.0.midpoint(other.0), at.1.midpoint(other.1));
        vec![
            Effect::Pan(dx / 2.0, dy / 2.0),
            Effect::Zoom(distance(at, *other) / distance(from, *other), middle),
        ]
    }

    /// A pointer goes up.
    pub fn release(&mut self, id: i32, at: (f64, f64)) -> Option<Effect> {
        let number = self.down.iter().position(|(other, _)| *other == id)?;
        self.down.remove(number);
        (!self.has_moved && self.down.is_empty()).then_some(Effect::Click(at))
    }

    /// A pointer is cancelled.
    pub fn cancel(&mut self, id: i32) {
        self.has_moved = true;
        self.down.retain(|(other, _)| *other != id);
    }
}

/// A command of a key on the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Go to an operand, by its number.
    Operand(usize),
    /// Go to the first user.
    User,
    /// Go to the next node of the rank, or the previous one.
    Sibling {
        /// Whether it is the next one.
        is_next: bool,
    },
    /// Open the bodies of the node in place, or fold them.
    Toggle,
    /// Draw the first body of the node alone.
    Enter,
    /// Draw the computation that calls the drawn one.
    Leave,
    /// Pan by parts of the view.
    Pan(f64, f64),
    /// Zoom by a factor.
    Zoom(f64),
    /// Show the whole graph.
    Fit,
}

/// The command of a key, if any.
pub fn command(key: &Key) -> Option<Command> {
    if key.ctrl || key.meta || key.alt {
        return None;
    }
    if let Some(digit) = key.name.chars().next().and_then(|c| c.to_digit(10)).filter(|_| key.name.len() == 1)
    {
        return usize::try_from(digit).ok().map(Command::Operand);
    }
    Some(match (key.name.as_str(), key.shift) {
        ("ArrowUp", true) => Command::Pan(0.0, PAN_PART),
        ("ArrowDown", true) => Command::Pan(0.0, -PAN_PART),
        ("ArrowLeft", true) => Command::Pan(PAN_PART, 0.0),
        ("ArrowRight", true) => Command::Pan(-PAN_PART, 0.0),
        ("ArrowUp", false) => Command::Operand(0),
        ("ArrowDown", false) => Command::User,
        ("ArrowLeft", false) => Command::Sibling { is_next: false },
        ("ArrowRight", false) => Command::Sibling { is_next: true },
        ("PageUp", _) => Command::Pan(0.0, 0.9),
        ("PageDown", _) => Command::Pan(0.0, -0.9),
        ("Enter", false) => Command::Toggle,
        ("Enter", true) => Command::Enter,
        ("Backspace", _) => Command::Leave,
        ("+" | "=", _) => Command::Zoom(ZOOM_STEP),
        ("-" | "_", _) => Command::Zoom(1.0 / ZOOM_STEP),
        ("f" | "F", _) => Command::Fit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { graph: (10_000.0, 50_000.0), view: (1_000.0, 700.0) };

    #[test]
    fn a_small_graph_is_shown_as_a_whole_and_a_large_one_around_its_target() {
        let small = Sizes { graph: (600.0, 800.0), ..SIZES };
        let first = Camera::first(&small, None);
        assert!(first.scale < 1.0 && first.area(&small).height >= 800.0);
        let target = Area { x: 4_000.0, y: 20_000.0, width: 100.0, height: 40.0 };
        let near = Camera::first(&SIZES, Some(target));
        assert!((near.scale - 1.0).abs() < f64::EPSILON && near.area(&SIZES).contains(&target));
        assert!(Camera::fitting(&SIZES).area(&SIZES).height >= 50_000.0);
        // The last row is at the bottom of the view, not in its middle.
        let last = Camera::first(&SIZES, Some(Area { y: 49_960.0, ..target }));
        assert!((last.y + 700.0 - 50_000.0 - MARGIN).abs() < 1e-9);
    }

    #[test]
    fn zoom_keeps_the_point_under_the_pointer() {
        let camera = Camera { x: 3_000.0, y: 9_000.0, scale: 1.0 };
        let zoomed = camera.zoomed(&SIZES, 2.0, (250.0, 100.0));
        assert_eq!((zoomed.x + 250.0 / 2.0, zoomed.y + 100.0 / 2.0), (3_250.0, 9_100.0));
        // It ends at the bounds.
        assert!(camera.zoomed(&SIZES, 1e9, (0.0, 0.0)).scale <= MAX_SCALE);
        assert!(camera.zoomed(&SIZES, 1e-9, (0.0, 0.0)).scale >= MIN_SCALE);
    }

    #[test]
    fn the_graph_never_leaves_the_view() {
        let camera = Camera { x: 0.0, y: 0.0, scale: 1.0 };
        let far = camera.panned(&SIZES, 1e9, -1e9);
        assert_eq!((far.x, far.y), (-500.0, 50_000.0 - 350.0));
        let right = camera.panned(&SIZES, -30.0, 0.0);
        assert_eq!((right.x, right.y), (30.0, 0.0));
    }

    #[test]
    fn what_is_in_view_stays_where_it_is() {
        let camera = Camera { x: 3_000.0, y: 9_000.0, scale: 1.0 };
        let inside = Area { x: 3_300.0, y: 9_300.0, width: 100.0, height: 40.0 };
        assert_eq!(camera.revealing(&SIZES, inside), camera);
        let outside = Area { y: 30_000.0, ..inside };
        assert!(camera.revealing(&SIZES, outside).area(&SIZES).contains(&outside));
        // From far away it is brought near.
        let far = Camera { scale: 0.05, ..camera };
        let near = far.revealing(&SIZES, inside);
        assert!(near.scale >= MIN_READABLE_SCALE && near.area(&SIZES).contains(&inside));
    }

    #[test]
    fn a_press_is_a_click_a_drag_or_a_pinch() {
        let mut gesture = Gesture::default();
        gesture.press(1, (10.0, 10.0));
        assert_eq!(gesture.move_to(1, (11.0, 10.0)), []);
        assert_eq!(gesture.release(1, (11.0, 10.0)), Some(Effect::Click((11.0, 10.0))));
        gesture.press(1, (10.0, 10.0));
        assert_eq!(gesture.move_to(1, (30.0, 10.0)), [Effect::Pan(20.0, 0.0)]);
        assert_eq!(gesture.release(1, (30.0, 10.0)), None);
        gesture.press(1, (0.0, 0.0));
        gesture.press(2, (100.0, 0.0));
        let effects = gesture.move_to(2, (200.0, 0.0));
        assert_eq!(effects, [Effect::Pan(50.0, 0.0), Effect::Zoom(2.0, (100.0, 0.0))]);
        assert_eq!((gesture.release(2, (200.0, 0.0)), gesture.release(1, (0.0, 0.0))), (None, None));
        assert!(!gesture.is_dragging());
    }

    #[test]
    fn keys_walk_pan_and_zoom() {
        let key = |name: &str, shift: bool| Key { name: name.to_owned(), shift, ..Key::default() };
        assert_eq!(command(&key("ArrowUp", false)), Some(Command::Operand(0)));
        assert_eq!(command(&key("3", false)), Some(Command::Operand(3)));
        assert_eq!(command(&key("ArrowUp", true)), Some(Command::Pan(0.0, PAN_PART)));
        assert_eq!(command(&key("-", false)), Some(Command::Zoom(1.0 / ZOOM_STEP)));
        assert_eq!(command(&key("x", false)), None);
        assert_eq!(command(&Key { ctrl: true, ..key("f", false) }), None);
    }
}
