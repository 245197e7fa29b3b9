//! Two stacked canvases: the picture, repainted when it changes, and the highlighted cells, repainted when they move.

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::SharedScene;
use super::paint::paint;
use crate::app::context::use_app_context;
use crate::array::decimal::shortest;

/// The pointer in a picture, in CSS pixels from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerPosition {
    /// The distance from the left edge.
    pub x: f64,
    /// The distance from the top edge.
    pub y: f64,
    /// Whether Shift was pressed.
    pub shift: bool,
}

/// The position of the pointer in an element. Yew delegates events, so the event's current target is not the element.
pub fn position_of(event: &MouseEvent, element: &NodeRef) -> PointerPosition {
    let rect = element.cast::<web_sys::Element>().map(|e| e.get_bounding_client_rect());
    let (left, top) = rect.map_or((0.0, 0.0), |r| (r.left(), r.top()));
    PointerPosition {
        x: f64::from(event.client_x()) - left,
        y: f64::from(event.client_y()) - top,
        shift: event.shift_key(),
    }
}

/// Properties of [`SceneStack`].
#[derive(Clone, PartialEq, Properties)]
pub struct SceneStackProps {
    /// The picture without highlights.
    pub base: SharedScene,
    /// The highlighted cells.
    pub overlay: SharedScene,
}

/// Paints one layer when its scene or the theme changes.
#[component]
fn Layer(props: &LayerProps) -> Html {
    let node = use_node_ref();
    let context = use_app_context();
    {
        let (node, scene) = (node.clone(), props.scene.clone());
        use_effect_with((scene, context.is_dark), move |(scene, is_dark)| {
            let theme = if *is_dark {
                crate::view::palette::Theme::dark()
            } else {
                crate::view::palette::Theme::light()
            };
            if let Some(canvas) = node.cast::<HtmlCanvasElement>()
                && let Err(error) = paint(&canvas, &scene.0, &theme)
            {
                gloo::console::error!("painting failed", error);
            }
        });
    }
    html! { <canvas ref={node} class="layer" aria-hidden="true" /> }
}

#[derive(Clone, PartialEq, Properties)]
struct LayerProps {
    scene: SharedScene,
}

/// The picture with the highlighted cells above it.
#[component]
pub fn SceneStack(props: &SceneStackProps) -> Html {
    let size = format!("width:{}px;height:{}px", shortest(props.base.0.width), shortest(props.base.0.height));
    html! {
        <div class="stack" style={size}>
            <Layer scene={props.base.clone()} />
            <Layer scene={props.overlay.clone()} />
        </div>
    }
}
