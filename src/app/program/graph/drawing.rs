//! The drawing and its loaded window: requests the part that the camera shows from the query worker, and keeps its answers.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::camera::{Move, Shot};
use crate::app::canvas::SharedScene;
use crate::app::program::answers::use_answers;
use crate::app::program::view_props::ViewProps;
use crate::inspect::graph::View;
use crate::interaction::graph::{Area, Camera};
use crate::view::module_graph::{self, Viewport};
use crate::worker::program::graph_window::{overview, picture};
use crate::worker::program::wire::graph::{self, Answer, Drawing, Query, Window};
use crate::worker::program::wire::{self};

/// How far the loaded window extends beyond the view on each side, as a fraction of the view, so that panning shows no gaps.
const OVERSCAN: f64 = 0.3;

/// Milliseconds after the last zoom until the window is drawn in the new scale; until then its picture is stretched.
const SETTLE_MS: u32 = 90;

/// The size of a cell of an overview, pixels of the screen.
const OVERVIEW_CELL: f64 = 14.0;

/// A loaded window.
#[derive(Clone)]
pub struct Loaded {
    /// The query worker's answer.
    pub window: Window,
    /// The same, converted for drawing.
    pub view: View,
    /// The mapping from the graph to the picture.
    pub viewport: Viewport,
    /// The picture without highlights.
    pub scene: SharedScene,
}

/// The drawing.
#[derive(Clone, Default)]
pub struct Picture {
    /// The drawing; `None` before the first one.
    pub drawing: Option<Rc<Drawing>>,
    /// The progress of the next layout, percent.
    pub percent: Option<u32>,
    /// The window that was loaded last, of this drawing or an earlier one.
    pub loaded: Option<Rc<Loaded>>,
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        fn same<T>(a: Option<&Rc<T>>, b: Option<&Rc<T>>) -> bool {
            a.map(Rc::as_ptr) == b.map(Rc::as_ptr)
        }
        self.percent == other.percent
            && same(self.drawing.as_ref(), other.drawing.as_ref())
            && same(self.loaded.as_ref(), other.loaded.as_ref())
    }
}

/// A change of the picture.
pub enum Change {
    /// Another program is shown.
    Forget,
    /// The progress of a layout, percent.
    LayingOut(u32),
    /// A drawing is finished.
    Drawn(Box<Drawing>),
    /// A window arrives, to be drawn in this scale.
    Loaded(Box<Window>, f64),
}

impl Reducible for Picture {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            Change::Forget => return Rc::default(),
            Change::LayingOut(percent) => next.percent = Some(percent),
            Change::Drawn(drawing) => {
                next.percent = None;
                if next.drawing.as_deref() != Some(&*drawing) {
                    next.drawing = Some(Rc::new(*drawing));
                }
            }
            Change::Loaded(window, scale) => {
                let is_current =
                    next.drawing.as_ref().is_some_and(|drawing| drawing.version == window.version);
                if is_current {
                    next.loaded = Some(Rc::new(load(*window, scale)));
                }
            }
        }
        Rc::new(next)
    }
}

fn load(window: Window, scale: f64) -> Loaded {
    let at = to_area(window.area);
    let viewport = Viewport {
        x: at.x,
        y: at.y,
        width: (at.width * scale).max(1.0),
        height: (at.height * scale).max(1.0),
        scale,
    };
    let view = picture(&window);
    let scene = match &window.overview {
        Some(found) => module_graph::density_scene(&overview(found), &viewport),
        None => module_graph::scene(&view, &viewport),
    };
    Loaded { window, view, viewport, scene: SharedScene(Rc::new(scene)) }
}

/// A rectangle of the drawing.
pub fn to_area(area: graph::Area) -> Area {
    Area {
        x: f64::from(area.x),
        y: f64::from(area.y),
        width: f64::from(area.width),
        height: f64::from(area.height),
    }
}

/// The smallest rectangle of whole pixels that contains an area.
#[allow(clippy::cast_possible_truncation, reason = "within a drawing")]
fn from_area(area: &Area) -> graph::Area {
    let (x, y) = (area.x.floor(), area.y.floor());
    graph::Area {
        x: x as i32,
        y: y as i32,
        width: (area.x + area.width - x).ceil() as i32,
        height: (area.y + area.height - y).ceil() as i32,
    }
}

/// The area to load for a camera, and the part of it that is visible.
fn areas(shot: &Shot, camera: &Camera) -> (Area, Area) {
    let whole = Area { x: 0.0, y: 0.0, width: shot.sizes.graph.0, height: shot.sizes.graph.1 };
    let visible = camera.area(&shot.sizes);
    (visible.expanded(OVERSCAN).intersection(&whole), visible.intersection(&whole))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of cells")]
fn cells(area: &Area, scale: f64) -> (u32, u32) {
    let count = |size: f64| (size * scale / OVERVIEW_CELL).ceil().max(1.0) as u32;
    (count(area.width), count(area.height))
}

/// The drawing that shows the selected instruction.
#[hook]
pub fn use_drawing(props: &ViewProps, shot: &UseReducerHandle<Shot>) -> Picture {
    let picture = use_reducer_eq(Picture::default);
    // The area and the scale of the newest query of a window.
    let asked = use_mut_ref(|| None::<(u32, graph::Area, f64)>);
    // The version and the computation of the newest drawing.
    let last = use_mut_ref(|| None::<(u32, u32)>);
    let opened = props.reading.answer();
    {
        // The versions of another text begin anew.
        let (dispatcher, asked, last) = (picture.dispatcher(), asked.clone(), last.clone());
        use_effect_with(opened.clone(), move |_| {
            asked.take();
            last.take();
            dispatcher.dispatch(Change::Forget);
        });
    }
    {
        let (dispatcher, ask, moves) = (picture.dispatcher(), props.ask.clone(), shot.dispatcher());
        let asked = asked.clone();
        let on_answer = use_callback(ask, move |answer: wire::Answer, ask| {
            let wire::Answer::Graph(answer) = answer else { return };
            match answer {
                Answer::LayingOut(percent) => {
                    dispatcher.dispatch(Change::LayingOut(percent));
                    ask.emit(wire::Query::Graph(Query::Continue));
                }
                Answer::Drawn(drawing, target) => {
                    let target = target.map(to_area);
                    let shown = last.replace(Some((drawing.version, drawing.computation)));
                    moves.dispatch(match (shown, target) {
                        (Some((version, _)), Some(target)) if version == drawing.version => {
                            Move::Reveal(target)
                        }
                        (Some((version, _)), None) if version == drawing.version => Move::Pan(0.0, 0.0),
                        (Some((_, computation)), _) if computation == drawing.computation => {
                            Move::Redraw(drawing.size, target)
                        }
                        _ => Move::Draw(drawing.size, target),
                    });
                    dispatcher.dispatch(Change::Drawn(drawing));
                }
                Answer::Window(window) => {
                    let scale = asked
                        .borrow()
                        .filter(|(version, area, _)| (*version, *area) == (window.version, window.area));
                    if let Some((.., scale)) = scale {
                        dispatcher.dispatch(Change::Loaded(window, scale));
                    }
                }
            }
        });
        use_answers(&props.answers, on_answer);
    }
    {
        let ask = props.ask.clone();
        use_effect_with((props.selected.clone(), opened), move |(selected, opened)| {
            if let Some(instruction) = selected.clone().filter(|_| opened.is_known()) {
                ask.emit(wire::Query::Graph(Query::Show(instruction)));
            }
        });
    }
    {
        let (ask, loaded) = (props.ask.clone(), picture.loaded.clone());
        let version = picture.drawing.as_ref().map(|drawing| drawing.version);
        let timer = use_mut_ref(|| None::<Timeout>);
        let loaded_version = loaded.as_ref().map(|loaded| loaded.window.version);
        use_effect_with((**shot, version, loaded_version), move |(shot, version, _)| {
            let (Some(camera), Some(version)) = (shot.camera, *version) else { return };
            let (wanted, needed) = areas(shot, &camera);
            let query = {
                let scale = camera.scale;
                move || {
                    let area = from_area(&wanted);
                    if asked.replace(Some((version, area, scale))) != Some((version, area, scale)) {
                        let cells = cells(&wanted, scale);
                        ask.emit(wire::Query::Graph(Query::Window { version, area, cells }));
                    }
                }
            };
            let current = loaded.as_ref().filter(|loaded| loaded.window.version == version);
            let is_covered = current.is_some_and(|loaded| to_area(loaded.window.area).contains(&needed));
            let has_scale =
                current.is_some_and(|loaded| (loaded.viewport.scale / camera.scale - 1.0).abs() < 1e-6);
            match (is_covered, has_scale) {
                (true, true) => drop(timer.take()),
                (true, false) => {
                    timer.replace(Some(Timeout::new(SETTLE_MS, query)));
                }
                (false, _) => {
                    timer.take();
                    query();
                }
            }
        });
    }
    (*picture).clone()
}
