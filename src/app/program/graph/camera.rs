//! The camera of the graph as state of a component.

use std::rc::Rc;

use yew::prelude::*;

use crate::interaction::graph::{Area, Camera, Sizes};

/// The camera, once there is a drawing and a view to show it in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shot {
    /// The camera.
    pub camera: Option<Camera>,
    /// The sizes of drawing and view.
    pub sizes: Sizes,
    /// The area that the first camera shows.
    target: Option<Area>,
}

/// A change of the camera.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// The drawing of another computation is shown, with this target.
    Draw((i32, i32), Option<Area>),
    /// The computation is drawn with other folds.
    Redraw((i32, i32), Option<Area>),
    /// The view has this size.
    Resize((f64, f64)),
    /// Brings an area into view.
    Reveal(Area),
    /// Pans by pixels of the screen.
    Pan(f64, f64),
    /// Pans by fractions of the view.
    PanByPart(f64, f64),
    /// Zooms by a factor around a position, or the middle of the view.
    Zoom(f64, Option<(f64, f64)>),
    /// Shows the whole graph.
    Fit,
}

impl Reducible for Shot {
    type Action = Move;

    fn reduce(self: Rc<Self>, change: Move) -> Rc<Self> {
        let mut next = *self;
        let is_drawn = |sizes: &Sizes| sizes.view.0 > 0.0 && sizes.view.1 > 0.0 && sizes.graph.0 > 0.0;
        match change {
            Move::Draw((width, height), target) => {
                next.sizes.graph = (f64::from(width), f64::from(height));
                next.target = target;
                next.camera = is_drawn(&next.sizes).then(|| Camera::initial(&next.sizes, target));
            }
            Move::Redraw((width, height), target) => {
                next.sizes.graph = (f64::from(width), f64::from(height));
                next.camera = next.camera.map(|camera| match target {
                    Some(target) => camera.revealing(&next.sizes, target),
                    None => camera.panned(&next.sizes, 0.0, 0.0),
                });
            }
            Move::Resize(view) => {
                next.sizes.view = view;
                if !is_drawn(&next.sizes) {
                    next.camera = None;
                } else if let Some(camera) = next.camera {
                    next.camera = Some(camera.panned(&next.sizes, 0.0, 0.0));
                } else {
                    next.camera = Some(Camera::initial(&next.sizes, next.target));
                }
            }
            other => {
                let Some(camera) = next.camera else { return self };
                let (sizes, view) = (&next.sizes, next.sizes.view);
                next.camera = Some(match other {
                    Move::Reveal(area) => camera.revealing(sizes, area),
                    Move::Pan(dx, dy) => camera.panned(sizes, dx, dy),
                    Move::PanByPart(dx, dy) => camera.panned(sizes, dx * view.0, dy * view.1),
                    Move::Zoom(factor, Some(at)) => camera.zoomed(sizes, factor, at),
                    Move::Zoom(factor, None) => camera.zoomed_at_middle(sizes, factor),
                    _ => Camera::fitting(sizes),
                });
            }
        }
        Rc::new(next)
    }
}
