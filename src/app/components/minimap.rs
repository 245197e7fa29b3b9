//! A minimap of the grid with the visible part; a click moves there.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::canvas::stack::position_of;
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::context::use_app_context;
use crate::view::grid::Grid;
use crate::view::scene::{Ink, Rect, Scene, Stroke};

/// The longer side in pixels.
const SIDE: f64 = 120.0;

/// Properties of [`Minimap`].
#[derive(Clone, PartialEq, Properties)]
pub struct MinimapProps {
    /// The array that the map shows.
    pub array: SharedArray,
    /// The grid that it shows.
    pub grid: Grid,
    /// Centres a point of the grid, given as fractions of width and height.
    pub pan_to: Callback<(f64, f64)>,
}

/// A small map of the whole grid.
#[component]
pub fn Minimap(props: &MinimapProps) -> Html {
    let context = use_app_context();
    let (world_w, world_h) = props.grid.content_size();
    let scale = SIDE / world_w.max(world_h).max(1.0);
    let (w, h) = ((world_w * scale).max(8.0), (world_h * scale).max(8.0));
    let base = use_memo((props.array.clone(), props.grid.assignment.clone()), |(array, assignment)| {
        let (sizes, tile_padding) = (array.0.memory_map().padded_sizes(), array.0.tile_padding());
        let mut whole = Grid::overview(sizes, &tile_padding, assignment.clone(), w, h);
        whole.height = h;
        let mut scene = whole.scene(&array.0);
        (scene.width, scene.height) = (w, h);
        SharedScene(Rc::new(scene))
    });
    let overlay = use_memo(props.grid.clone(), |grid| {
        let mut scene = Scene::new(w, h);
        let rect = Rect::new(
            grid.offset.0 * scale,
            grid.offset.1 * scale,
            (grid.width * scale).min(w),
            (grid.height * scale).min(h),
        );
        scene.outline(rect.grown(-1.0), 0.0, Stroke::solid(Ink::Background, 4.0));
        scene.outline(rect.grown(-1.0), 0.0, Stroke::solid(Ink::Select, 2.0));
        SharedScene(Rc::new(scene))
    });
    let node = use_node_ref();
    let move_to = {
        let (pan_to, node) = (props.pan_to.clone(), node.clone());
        move |event: &PointerEvent| {
            let p = position_of(event, &node);
            pan_to.emit((p.x / w, p.y / h));
        }
    };
    let onpointerdown = {
        let move_to = move_to.clone();
        Callback::from(move |event: PointerEvent| move_to(&event))
    };
    let onpointermove = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            move_to(&event);
        }
    });
    html! {
        <div class="minimap" role="img" ref={node} aria-label={context.text_of_key("minimap")} {onpointerdown} {onpointermove}>
            <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
        </div>
    }
}
