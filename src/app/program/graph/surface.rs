//! The picture of the graph: handles panning, zooming, selection, and navigation along the edges.
//!
//! The loaded window is one canvas that is larger than the view; the camera moves and stretches it, and the query worker is
//! asked for another window before it ends. The selected node is an option of a listbox with one option, so that screen
//! readers pass the arrow keys on and magnifiers follow it.

use std::rc::Rc;

use web_sys::{Element, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::camera::{Move, Shot};
use super::describe::description;
use super::drawing::{Loaded, Picture, to_area};
use super::tools::enter_computation;
use crate::app::canvas::stack::position_of;
use crate::app::canvas::{SceneStack, SharedScene};
use crate::app::components::size::use_size;
use crate::app::components::wheel::use_wheel;
use crate::app::context::{Context, use_app_context};
use crate::app::keys;
use crate::app::program::neighbourhood::bytes_text;
use crate::app::program::view_props::ViewProps;
use crate::array::decimal::shortest;
use crate::i18n::Message;
use crate::interaction::graph::{self as interaction, Command, Effect, Gesture};
use crate::state::program::session::Action;
use crate::view::module_graph::{self, Part};
use crate::worker::program::graph_walk::{path_of, target};
use crate::worker::program::wire::graph::{Node, Query};
use crate::worker::program::wire::{self, Details, InstructionPath};

/// Properties of [`Surface`].
#[derive(Clone, PartialEq, Properties)]
pub struct SurfaceProps {
    /// The properties of the view.
    pub view: ViewProps,
    /// The drawing.
    pub picture: Picture,
    /// The camera.
    pub shot: UseReducerHandle<Shot>,
    /// The selected instruction.
    pub details: Option<Rc<Details>>,
}

/// The part under the pointer, and the position of the pointer in the view.
#[derive(Clone, Copy, PartialEq)]
struct Hovered {
    part: Part,
    at: (f64, f64),
}

impl SurfaceProps {
    /// The loaded window if it is of the drawing.
    fn loaded(&self) -> Option<&Rc<Loaded>> {
        let version = self.picture.drawing.as_ref()?.version;
        self.picture.loaded.as_ref().filter(|loaded| loaded.window.version == version)
    }

    /// The part at a position of the view.
    fn part_at(&self, (x, y): (f64, f64)) -> Option<Part> {
        let (loaded, camera) = (self.loaded()?, self.shot.camera?);
        let viewport = &loaded.viewport;
        let (x, y) = (camera.x + x / camera.scale, camera.y + y / camera.scale);
        let (x, y) = ((x - viewport.x) * viewport.scale, (y - viewport.y) * viewport.scale);
        module_graph::part_at(&loaded.view, viewport, x, y)
    }

    fn node(&self, (frame, id): module_graph::NodeRef) -> Option<&Node> {
        self.loaded()?.window.nodes.iter().find(|node| node.frame == frame && node.instruction == id.0)
    }

    /// The path to the instruction of a node.
    fn instruction_path(&self, node: &Node) -> Option<InstructionPath> {
        let (loaded, drawing) = (self.loaded()?, self.picture.drawing.as_ref()?);
        let mut path: Vec<_> = drawing.path.iter().map(|crumb| crumb.call).collect();
        path.extend(loaded.window.path_of(node.frame));
        Some(InstructionPath { at: loaded.window.at(node)?, calls: path })
    }

    /// The node of the selected instruction.
    fn selected(&self) -> Option<&Node> {
        let (loaded, drawing) = (self.loaded()?, self.picture.drawing.as_ref()?);
        let at = self.view.selected.as_ref()?.at;
        let details = self.details.as_ref();
        let path = details.map_or_else(Vec::new, |details| path_of(details));
        loaded.window.node(at, path.get(drawing.path.len()..).unwrap_or_default())
    }

    fn select(&self, instruction: Option<InstructionPath>) {
        if let Some(instruction) = instruction {
            self.view.dispatch.emit(Action::Select(instruction));
        }
    }

    /// Opens the bodies of a node in place, or folds them.
    fn toggle(&self, node: &Node) {
        let is_open = !node.bodies.iter().any(|body| body.is_open);
        for body in &node.bodies {
            self.view.ask.emit(wire::Query::Graph(Query::Fold { call: body.call, is_open }));
        }
    }

    /// Draws the last body of a node alone: of a loop, that is the body and not the condition.
    fn enter(&self, node: &Node) {
        let (Some(body), Some(instruction)) = (node.bodies.last(), self.instruction_path(node)) else {
            return;
        };
        let mut path = instruction.calls;
        path.push(body.call);
        let details = self.details.iter();
        let called = details.flat_map(|details| &details.called).find(|called| called.call == body.call);
        let root = called.and_then(|called| called.root);
        enter_computation(&self.view, path.clone(), root.map(|at| InstructionPath { at, calls: path }));
    }

    /// Draws the computation that calls the drawn one.
    fn leave(&self) {
        let Some(drawing) = &self.picture.drawing else { return };
        if let Some((last, before)) = drawing.path.split_last() {
            let path: Vec<_> = before.iter().map(|crumb| crumb.call).collect();
            enter_computation(
                &self.view,
                path.clone(),
                Some(InstructionPath { at: last.call.at, calls: path }),
            );
        }
    }

    fn perform(&self, command: Command) {
        let moves = self.shot.dispatcher();
        match command {
            Command::Pan(dx, dy) => moves.dispatch(Move::PanByPart(dx, dy)),
            Command::Zoom(factor) => moves.dispatch(Move::Zoom(factor, None)),
            Command::Fit => moves.dispatch(Move::Fit),
            Command::Leave => self.leave(),
            Command::Toggle => self.selected().into_iter().for_each(|node| self.toggle(node)),
            Command::Enter => self.selected().into_iter().for_each(|node| self.enter(node)),
            walk => {
                let window = self.loaded().map(|loaded| &loaded.window);
                self.select(self.details.as_ref().and_then(|details| target(walk, details, window)));
            }
        }
    }
}

/// The listeners of the surface, and the part under the pointer.
struct Listeners {
    onpointerdown: Callback<PointerEvent>,
    onpointermove: Callback<PointerEvent>,
    onpointerup: Callback<PointerEvent>,
    onpointercancel: Callback<PointerEvent>,
    onpointerleave: Callback<PointerEvent>,
    ondblclick: Callback<MouseEvent>,
    onkeydown: Callback<KeyboardEvent>,
    hovered: Option<Hovered>,
}

#[hook]
fn use_listeners(props: &SurfaceProps, node: &NodeRef) -> Listeners {
    let gesture = use_mut_ref(Gesture::default);
    let hovered = use_state_eq(|| None::<Hovered>);
    let position = {
        let node = node.clone();
        move |event: &MouseEvent| {
            let at = position_of(event, &node);
            (at.x, at.y)
        }
    };
    let onpointerdown = {
        let (gesture, node, position) = (gesture.clone(), node.clone(), position.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                gesture.borrow_mut().press(event.pointer_id(), position(&event));
                if let Some(element) = node.cast::<Element>() {
                    // This fails only for a pointer that no longer exists.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
            }
        })
    };
    let perform = {
        let moves = props.shot.dispatcher();
        let props = props.clone();
        move |effect: Effect| match effect {
            Effect::Pan(dx, dy) => moves.dispatch(Move::Pan(dx, dy)),
            Effect::Zoom(factor, at) => moves.dispatch(Move::Zoom(factor, Some(at))),
            Effect::Click(at) => match props.part_at(at) {
                Some(Part::Fold(node)) => props.node(node).into_iter().for_each(|node| props.toggle(node)),
                Some(Part::Node(node)) => {
                    props.select(props.node(node).and_then(|node| props.instruction_path(node)));
                }
                Some(Part::Segment(_)) | None => {}
            },
        }
    };
    let onpointermove = {
        let (gesture, position, perform) = (gesture.clone(), position.clone(), perform.clone());
        let (props, hovered) = (props.clone(), hovered.clone());
        Callback::from(move |event: PointerEvent| {
            let at = position(&event);
            let effects = gesture.borrow_mut().move_to(event.pointer_id(), at);
            effects.into_iter().for_each(&perform);
            let is_dragging = gesture.borrow().is_dragging();
            let part = if is_dragging { None } else { props.part_at(at) };
            hovered.set(part.map(|part| Hovered { part, at }));
        })
    };
    let onpointerup = {
        let (gesture, position) = (gesture.clone(), position.clone());
        Callback::from(move |event: PointerEvent| {
            let effect = gesture.borrow_mut().release(event.pointer_id(), position(&event));
            effect.into_iter().for_each(&perform);
        })
    };
    let onpointercancel =
        Callback::from(move |event: PointerEvent| gesture.borrow_mut().cancel(event.pointer_id()));
    let onpointerleave = {
        let hovered = hovered.setter();
        Callback::from(move |_: PointerEvent| hovered.set(None))
    };
    let ondblclick = {
        let props = props.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(Part::Node(node)) = props.part_at(position(&event)) {
                props.node(node).into_iter().for_each(|node| props.toggle(node));
            }
        })
    };
    let onkeydown = {
        let props = props.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(command) = interaction::command(&keys::key(&event)) {
                event.prevent_default();
                event.stop_propagation();
                props.perform(command);
            }
        })
    };
    use_wheel_zoom(props, node);
    Listeners {
        onpointerdown,
        onpointermove,
        onpointerup,
        onpointercancel,
        onpointerleave,
        ondblclick,
        onkeydown,
        hovered: *hovered,
    }
}

/// Zooms by wheel around the pointer, and pans sideways by wheel with Shift.
#[hook]
fn use_wheel_zoom(props: &SurfaceProps, node: &NodeRef) {
    let (moves, surface) = (props.shot.dispatcher(), node.clone());
    let onwheel = Callback::from(move |event: WheelEvent| {
        event.prevent_default();
        let at = position_of(&event, &surface);
        if event.shift_key() {
            moves.dispatch(Move::Pan(-event.delta_x() - event.delta_y(), 0.0));
        } else {
            let factor = interaction::wheel_factor(event.delta_y(), event.ctrl_key());
            moves.dispatch(Move::Zoom(factor, Some((at.x, at.y))));
        }
    });
    use_wheel(node.clone(), onwheel);
}

/// The graph.
#[component]
pub fn Surface(props: &SurfaceProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let size = use_size(node.clone());
    {
        let moves = props.shot.dispatcher();
        use_effect_with(size, move |size| moves.dispatch(Move::Resize(*size)));
    }
    let listeners = use_listeners(props, &node);
    let hovered = listeners.hovered;
    let selected = props.selected().map(|node| (node.frame, crate::hlo::InstructionId(node.instruction)));
    let shown = props.picture.loaded.clone();
    let part = hovered.map(|hovered| hovered.part);
    let overlay = {
        let key = shown.as_ref().map(|shown| Rc::as_ptr(shown).addr());
        use_memo((key, selected, part), |(_, selected, part)| {
            let shown = shown.as_ref()?;
            let scene = module_graph::overlay(&shown.view, &shown.viewport, *selected, *part);
            Some(SharedScene(Rc::new(scene)))
        })
    };
    let plane = shown.as_ref().zip((*overlay).clone()).zip(props.shot.camera).map(|((shown, overlay), camera)| {
        let viewport = &shown.viewport;
        let (x, y) = ((viewport.x - camera.x) * camera.scale, (viewport.y - camera.y) * camera.scale);
        let scale = camera.scale / viewport.scale;
        let style = format!("transform:translate({}px,{}px) scale({})", shortest(x), shortest(y), shortest(scale));
        html! { <div class="graph-plane" {style}><SceneStack base={shown.scene.clone()} {overlay} /></div> }
    });
    let option = props.selected().zip(props.shot.camera).map(|(node, camera)| {
        let area = to_area(node.area);
        let px = |at: f64, from: f64| shortest((at - from) * camera.scale);
        format!(
            "left:{}px;top:{}px;width:{}px;height:{}px",
            px(area.x, camera.x),
            px(area.y, camera.y),
            shortest(area.width * camera.scale),
            shortest(area.height * camera.scale)
        )
    });
    let label = context.text(&Message::program("graph-of").with(
        "name",
        props.picture.drawing.as_ref().map(|drawing| drawing.name.clone()).unwrap_or_default(),
    ));
    let Listeners {
        onpointerdown,
        onpointermove,
        onpointerup,
        onpointercancel,
        onpointerleave,
        ondblclick,
        onkeydown,
        ..
    } = listeners;
    let is_on_node = part.is_some_and(|part| part.node().is_some());
    let version = props.loaded().map(|loaded| loaded.window.version.to_string());
    html! {
        <div class={classes!("graph-surface", is_on_node.then_some("on-node"))} id="graph-surface" role="listbox" tabindex="0" ref={node} aria-label={label}
            aria-describedby="graph-keys" aria-activedescendant="graph-node" data-version={version}
            {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onpointerleave} {ondblclick} {onkeydown}>
            {plane}
            <div role="option" id="graph-node" class="graph-option" aria-selected="true" style={option}>
                <span class="sr-only">{props.details.as_ref().map(|details| description(&context, details))}</span>
            </div>
            {hovered.and_then(|hovered| tooltip(&context, props, hovered))}
        </div>
    }
}

/// Describes the part under the pointer: the picture may be too small to read.
fn tooltip(context: &Context, props: &SurfaceProps, hovered: Hovered) -> Option<Html> {
    let loaded = props.loaded()?;
    let lines: Vec<String> = match hovered.part {
        Part::Fold(node) => {
            let node = props.node(node)?;
            let is_open = node.bodies.iter().any(|body| body.is_open);
            let key = if is_open { "program-fold-body" } else { "program-open-body" };
            let bodies = node.bodies.iter().map(|body| format!("{} ({})", body.label, body.size));
            std::iter::once(context.text(&Message::program(key)).to_string()).chain(bodies).collect()
        }
        Part::Node(node) => {
            let node = props.node(node)?;
            vec![format!("{} {}", node.opcode, node.name), node.shape.clone()]
        }
        Part::Segment(index) => {
            let segment = loaded.window.segments.get(index)?;
            let node = |id: u32| {
                loaded.window.nodes.iter().find(|node| node.frame == segment.frame && node.instruction == id)
            };
            let from = node(segment.from);
            let name = |node: Option<&Node>| node.map_or("…", |node| node.name.as_str()).to_owned();
            let to = match segment.to {
                Some((user, number)) => format!("{} [{number}]", name(node(user))),
                None => "…".to_owned(),
            };
            let shape = from.map(|node| node.shape.clone()).unwrap_or_default();
            let bytes = segment.bytes.map(bytes_text).unwrap_or_default();
            vec![format!("{} → {to}", name(from)), format!("{shape} {bytes}")]
        }
    };
    let (x, y) = hovered.at;
    // On the side of the pointer where there is more room.
    let horizontal = if x > props.shot.sizes.view.0 / 2.0 { "right" } else { "left" };
    let offset = if horizontal == "left" { x + 14.0 } else { props.shot.sizes.view.0 - x + 14.0 };
    let style = format!("{horizontal}:{}px;top:{}px", shortest(offset), shortest(y + 14.0));
    Some(html! {
        <div class="graph-tooltip" {style} aria-hidden="true">{for lines.iter().map(|line| html! { <div>{line}</div> })}</div>
    })
}
