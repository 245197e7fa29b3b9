//! The button that applies the shown op to the array of the Layout screen.

use std::rc::Rc;

use yew::prelude::*;

use super::attributes::SharedModule;
use super::meta::Meta;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::array::Shape;
use crate::hlo;
use crate::i18n::Message;
use crate::ops;
use crate::state::experiment::session::Action;
use crate::state::experiment::{Experiment, link as permalink, next};
use crate::state::handoff::{self, FROM_LAYOUT};
use crate::state::{permalink as layout_link, screens};

/// Properties of [`UseLayoutArray`].
#[derive(Clone, PartialEq, Properties)]
pub struct UseLayoutArrayProps {
    /// The metadata of the op.
    pub meta: Meta,
    /// The module of the current experiment.
    pub module: SharedModule,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The array that the Layout screen showed when it was left, as an experiment without an op.
fn layout_array() -> Option<Experiment> {
    let read = layout_link::read(&link::stored_screen_link(screens::LAYOUT.bundle)?);
    let document = Some(read.document).filter(|_| read.problems.is_empty())?;
    let Shape::Array(array) = document.shape else { return None };
    Some(permalink::read(&handoff::to_ops(&array, None, &document.values, None)).experiment)
}

/// The button; nothing if there is no such array, if the op does not accept it, or if the experiment has it already.
#[component]
pub fn UseLayoutArray(props: &UseLayoutArrayProps) -> Html {
    let context = use_app_context();
    let array = use_memo((), |()| layout_array());
    let applied = use_memo((props.meta, array.clone()), |(meta, array)| {
        let experiment = (**array).as_ref()?;
        let module = hlo::parse(&experiment.text).into_module().ok()?;
        let shape = module.entry_computation()?.root_instruction()?.shape.to_string();
        let applied = next::apply_op(experiment, &module, ops::find(meta.0.opcode)?).ok()?;
        Some((Rc::new(applied), shape))
    });
    let applied = (*applied).as_ref().filter(|_| props.module.0.name != FROM_LAYOUT);
    let Some((experiment, shape)) = applied else { return Html::default() };
    let experiment = experiment.clone();
    let onclick = props.dispatch.reform(move |_: MouseEvent| Action::Load(Box::new((*experiment).clone())));
    let label = Message::ops("use-layout-array").with("shape", shape.as_str());
    html! { <button class="btn small" id="use-layout-array" {onclick}>{context.text(&label)}</button> }
}
