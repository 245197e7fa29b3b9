//! Pointer, wheel and keys on the graph of a program: pan, zoom, pinch, and steps along the edges.
//!
//! A [`Camera`] maps the graph to the view. Positions in the view are CSS pixels from its top left, those in the graph are pixels
//! of its layout.

use super::keys::Key;
use crate::view::pixels::clamped;

/// The zoom factor of a key press or a click on a button.
pub const ZOOM_STEP: f64 = 1.5;

/// Wheel pixels that double or halve the scale.
const WHEEL_PIXELS_PER_DOUBLING: f64 = 240.0;

/// Wheel pixels that double or halve the scale in a touchpad's pinch, which browsers report as a wheel with fewer pixels.
const PINCH_PIXELS_PER_DOUBLING: f64 = 60.0;

/// The bounds of the scale, in pixels of the view per pixel of the graph.
const MIN_SCALE: f64 = 1.0 / 1024.0;
const MAX_SCALE: f64 = 4.0;

/// Minimum scale at which labels are readable. A graph that only fits at a smaller one is not shown as a whole initially.
const MIN_READABLE_SCALE: f64 = 0.6;

/// The margin around a graph that fits and around a revealed node, in pixels of the view.
const MARGIN_PIXELS: f64 = 24.0;

/// Pixels that a pointer must move before a press becomes a drag.
const DRAG_THRESHOLD_PIXELS: f64 = 4.0;

/// The fraction of the view by which an arrow key with Shift pans.
const PAN_FRACTION: f64 = 0.2;

/// The fraction of the view by which a page key pans: the rest stays visible for orientation.
const PAGE_FRACTION: f64 = 0.9;

/// Bounds of the zoom factor of one wheel event, since some mice report hundreds of pixels at once.
const WHEEL_FACTOR_BOUNDS: [f64; 2] = [0.25, 4.0];

/// Minimum scale relative to that of the whole graph, so that it can be seen with space around it.
const MIN_SCALE_RELATIVE_TO_FIT: f64 = 0.5;

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
    /// Whether this area contains all of another one.
    pub fn contains(&self, other: &Self) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.x + other.width <= self.x + self.width
            && other.y + other.height <= self.y + self.height
    }

    /// The area, extended on each side by a fraction of its size.
    #[must_use]
    pub fn expanded(&self, fraction: f64) -> Self {
        let (dx, dy) = (self.width * fraction, self.height * fraction);
        Self { x: self.x - dx, y: self.y - dy, width: self.width + 2.0 * dx, height: self.height + 2.0 * dy }
    }

    /// The intersection with another area, with a size of zero if there is none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = (self.x + self.width).min(other.x + other.width);
        let bottom = (self.y + self.height).min(other.y + other.height);
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

/// The position and the scale at which the graph is viewed.
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
    /// Shows the whole graph, at a scale of at most 1.
    pub fn fitting(sizes: &Sizes) -> Self {
        let scale_to_fit = |view: f64, graph: f64| (view - 2.0 * MARGIN_PIXELS).max(1.0) / graph.max(1.0);
        let scale = scale_to_fit(sizes.view.0, sizes.graph.0).min(scale_to_fit(sizes.view.1, sizes.graph.1));
        let scale = clamped(scale, MIN_SCALE, 1.0);
        Self { x: 0.0, y: 0.0, scale }.clamped_to_middle(sizes)
    }

    /// The initial camera: the whole graph if its labels are readable, else `target` and its surroundings.
    pub fn initial(sizes: &Sizes, target: Option<Area>) -> Self {
        let whole = Self::fitting(sizes);
        if whole.scale >= MIN_READABLE_SCALE {
            return whole;
        }
        let unscaled = Self { x: 0.0, y: 0.0, scale: 1.0 };
        unscaled.centred(sizes, target.unwrap_or_default()).clamped_to_graph(sizes)
    }

    /// The camera, moved so that no more than a margin outside of the graph is in view. A graph that fits is centred.
    fn clamped_to_graph(self, sizes: &Sizes) -> Self {
        let margin = MARGIN_PIXELS / self.scale;
        let clamp_axis = |position: f64, view: f64, graph: f64| {
            let visible = view / self.scale;
            if graph + 2.0 * margin <= visible {
                (graph - visible) / 2.0
            } else {
                clamped(position, -margin, graph + margin - visible)
            }
        };
        Self {
            x: clamp_axis(self.x, sizes.view.0, sizes.graph.0),
            y: clamp_axis(self.y, sizes.view.1, sizes.graph.1),
            ..self
        }
    }

    /// The visible part of the graph.
    pub fn area(&self, sizes: &Sizes) -> Area {
        let (width, height) = (sizes.view.0 / self.scale, sizes.view.1 / self.scale);
        Area { x: self.x, y: self.y, width, height }
    }

    /// The camera, moved so that no edge of the graph passes the middle of the view. A graph that fits is centred.
    #[must_use]
    fn clamped_to_middle(self, sizes: &Sizes) -> Self {
        let clamp_axis = |position: f64, view: f64, graph: f64| {
            let visible = view / self.scale;
            if graph <= visible {
                (graph - visible) / 2.0
            } else {
                clamped(position, -visible / 2.0, graph - visible / 2.0)
            }
        };
        Self {
            x: clamp_axis(self.x, sizes.view.0, sizes.graph.0),
            y: clamp_axis(self.y, sizes.view.1, sizes.graph.1),
            ..self
        }
    }

    /// The camera after a drag by pixels of the view.
    #[must_use]
    pub fn panned(self, sizes: &Sizes, dx: f64, dy: f64) -> Self {
        Self { x: self.x - dx / self.scale, y: self.y - dy / self.scale, ..self }.clamped_to_middle(sizes)
    }

    /// The camera after a zoom around a position of the view. The point of the graph there stays in place unless the camera is clamped.
    #[must_use]
    pub fn zoomed(self, sizes: &Sizes, factor: f64, (x, y): (f64, f64)) -> Self {
        let min = Self::fitting(sizes).scale.min(1.0) * MIN_SCALE_RELATIVE_TO_FIT;
        let scale = clamped(self.scale * factor, min.max(MIN_SCALE), MAX_SCALE);
        let point = (self.x + x / self.scale, self.y + y / self.scale);
        Self { x: point.0 - x / scale, y: point.1 - y / scale, scale }.clamped_to_middle(sizes)
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
        // An area that is larger than the view is shown from its start.
        let start = |edge: f64, size: f64, visible: f64| {
            if size > visible { edge - MARGIN_PIXELS / self.scale } else { edge + (size - visible) / 2.0 }
        };
        Self { x: start(area.x, area.width, width), y: start(area.y, area.height, height), ..self }
            .clamped_to_middle(sizes)
    }

    /// The camera with an area in view at a readable scale; unchanged if it is already.
    #[must_use]
    pub fn revealing(self, sizes: &Sizes, area: Area) -> Self {
        let readable = Self { scale: self.scale.max(MIN_READABLE_SCALE), ..self };
        let margin = MARGIN_PIXELS / readable.scale;
        // An expanded node that is larger than the view has its label at the top, which must be visible.
        let (width, height) = (sizes.view.0 / self.scale, sizes.view.1 / self.scale);
        let visible_area = Area {
            x: area.x - margin,
            y: area.y - margin,
            width: (area.width + 2.0 * margin).min(width),
            height: (area.height + 2.0 * margin).min(height),
        };
        if readable == self && self.area(sizes).contains(&visible_area) {
            return self;
        }
        readable.centred(sizes, area)
    }
}

/// The zoom factor of a wheel event of `dy` pixels.
pub fn wheel_factor(dy: f64, is_pinch: bool) -> f64 {
    let per_doubling = if is_pinch { PINCH_PIXELS_PER_DOUBLING } else { WHEEL_PIXELS_PER_DOUBLING };
    clamped(2_f64.powf(-dy / per_doubling), WHEEL_FACTOR_BOUNDS[0], WHEEL_FACTOR_BOUNDS[1])
}

/// The gesture of the pointers on the view: a click, a drag or a pinch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gesture {
    /// The ids and positions of the pointers that are down, at most two.
    pointers: Vec<(i32, (f64, f64))>,
    /// Whether a press has become a drag or a pinch.
    has_moved: bool,
}

/// An effect of a pointer event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// Pan by pixels of the view.
    Pan(f64, f64),
    /// Zoom by a factor around a position of the view.
    Zoom(f64, (f64, f64)),
    /// Click at a position of the view.
    Click((f64, f64)),
}

impl Gesture {
    /// A pointer goes down; a third one is ignored.
    pub fn press(&mut self, id: i32, at: (f64, f64)) {
        if self.pointers.is_empty() {
            self.has_moved = false;
        }
        if self.pointers.len() < 2 && !self.pointers.iter().any(|(other, _)| *other == id) {
            self.pointers.push((id, at));
            self.has_moved |= self.pointers.len() == 2;
        }
    }

    /// Whether the graph is dragged or pinched.
    pub fn is_dragging(&self) -> bool {
        self.has_moved && !self.pointers.is_empty()
    }

    /// A pointer moves.
    pub fn move_to(&mut self, id: i32, at: (f64, f64)) -> Vec<Effect> {
        let Some(index) = self.pointers.iter().position(|(other, _)| *other == id) else { return Vec::new() };
        let from = self.pointers[index].1;
        let (dx, dy) = (at.0 - from.0, at.1 - from.1);
        if !self.has_moved && dx.hypot(dy) < DRAG_THRESHOLD_PIXELS {
            return Vec::new();
        }
        self.has_moved = true;
        self.pointers[index].1 = at;
        let Some((_, other)) = self.pointers.get(1 - index).filter(|_| self.pointers.len() == 2) else {
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
        let index = self.pointers.iter().position(|(other, _)| *other == id)?;
        self.pointers.remove(index);
        (!self.has_moved && self.pointers.is_empty()).then_some(Effect::Click(at))
    }

    /// A pointer is cancelled.
    pub fn cancel(&mut self, id: i32) {
        self.has_moved = true;
        self.pointers.retain(|(other, _)| *other != id);
    }
}

/// A keyboard command of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Go against the data flow: into the last open body, else to the first operand, else out of the body to its caller.
    Up,
    /// Go along the data flow: to the first user, else out of the body to its caller.
    Down,
    /// Go to an operand, by its index.
    Operand(usize),
    /// Go to the next or the previous node of the same layer.
    Sibling {
        /// Whether to go to the next one.
        is_next: bool,
    },
    /// Open the bodies of the node in place, or fold them.
    Toggle,
    /// Draw the first body of the node alone.
    Enter,
    /// Draw the computation that calls the drawn one.
    Leave,
    /// Pan by fractions of the view.
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
        ("ArrowUp", true) => Command::Pan(0.0, PAN_FRACTION),
        ("ArrowDown", true) => Command::Pan(0.0, -PAN_FRACTION),
        ("ArrowLeft", true) => Command::Pan(PAN_FRACTION, 0.0),
        ("ArrowRight", true) => Command::Pan(-PAN_FRACTION, 0.0),
        ("ArrowUp", false) => Command::Up,
        ("ArrowDown", false) => Command::Down,
        ("ArrowLeft", false) => Command::Sibling { is_next: false },
        ("ArrowRight", false) => Command::Sibling { is_next: true },
        ("PageUp", _) => Command::Pan(0.0, PAGE_FRACTION),
        ("PageDown", _) => Command::Pan(0.0, -PAGE_FRACTION),
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
        let first = Camera::initial(&small, None);
        assert!(first.scale < 1.0 && first.area(&small).height >= 800.0);
        let target = Area { x: 4_000.0, y: 20_000.0, width: 100.0, height: 40.0 };
        let near = Camera::initial(&SIZES, Some(target));
        assert!((near.scale - 1.0).abs() < f64::EPSILON && near.area(&SIZES).contains(&target));
        assert!(Camera::fitting(&SIZES).area(&SIZES).height >= 50_000.0);
        // The last row is at the bottom of the view, not in its middle.
        let last = Camera::initial(&SIZES, Some(Area { y: 49_960.0, ..target }));
        assert!((last.y + 700.0 - 50_000.0 - MARGIN_PIXELS).abs() < 1e-9);
    }

    #[test]
    fn zoom_keeps_the_point_under_the_pointer() {
        let camera = Camera { x: 3_000.0, y: 9_000.0, scale: 1.0 };
        let zoomed = camera.zoomed(&SIZES, 2.0, (250.0, 100.0));
        assert_eq!((zoomed.x + 250.0 / 2.0, zoomed.y + 100.0 / 2.0), (3_250.0, 9_100.0));
        // The scale is clamped.
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
    fn revealing_a_visible_area_moves_nothing() {
        let camera = Camera { x: 3_000.0, y: 9_000.0, scale: 1.0 };
        let inside = Area { x: 3_300.0, y: 9_300.0, width: 100.0, height: 40.0 };
        assert_eq!(camera.revealing(&SIZES, inside), camera);
        let outside = Area { y: 30_000.0, ..inside };
        assert!(camera.revealing(&SIZES, outside).area(&SIZES).contains(&outside));
        // A scale that is too small to read is increased.
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
    fn keys_navigate_pan_and_zoom() {
        let key = |name: &str, shift: bool| Key { name: name.to_owned(), shift, ..Key::default() };
        assert_eq!(command(&key("ArrowUp", false)), Some(Command::Up));
        assert_eq!(command(&key("3", false)), Some(Command::Operand(3)));
        assert_eq!(command(&key("ArrowUp", true)), Some(Command::Pan(0.0, PAN_FRACTION)));
        assert_eq!(command(&key("-", false)), Some(Command::Zoom(1.0 / ZOOM_STEP)));
        assert_eq!(command(&key("x", false)), None);
        assert_eq!(command(&Key { ctrl: true, ..key("f", false) }), None);
    }
}
