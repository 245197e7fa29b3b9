//! The controls in an array's panel on the Ops screen: fields for its shape and values, and the link to the Layout screen.

use yew::prelude::*;

use super::draft_field::DraftField;
use super::values_editor::ValuesEditor;
use crate::app::canvas::SharedArray;
use crate::app::context::{Context, use_app_context};
use crate::app::link;
use crate::array::Shape;
use crate::array::values::ValuesError;
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::experiment::session::{Action, FieldState};
use crate::state::handoff::{self, LayoutLink};

/// A parameter's settings.
#[derive(Clone, PartialEq)]
pub struct ParameterSettings {
    /// The shape of the parameter.
    pub shape: Shape,
    /// The values of the parameter.
    pub values: ValueRule,
    /// The error of typed values.
    pub values_error: Option<ValuesError>,
}

/// The editable parts of an array's panel. An embed has none.
pub struct PanelFields<'a> {
    /// The prefix of element ids.
    pub id: &'a str,
    /// The name of the instruction that has this value.
    pub name: &'a str,
    /// The array that the panel shows.
    pub array: &'a SharedArray,
    /// Sets its shape; `None` if that cannot be edited.
    pub set_shape: Option<Callback<String>>,
    /// Its current shape, if it can be edited: the displayed array may be an earlier one.
    pub shape: Option<String>,
    /// Whether it is the whole result, not an element of a tuple.
    pub is_whole_result: bool,
    /// Its values, if they can be edited.
    pub settings: Option<ParameterSettings>,
    /// The entered text of its shape while the program has errors, and the error.
    pub shape_state: FieldState,
    /// Sets its values.
    pub set_values: Callback<ValueRule>,
    /// Dispatches fixes.
    pub dispatch: &'a Callback<Action>,
}

impl PanelFields<'_> {
    /// Its shape: a field if it can be edited.
    pub fn heading(&self, context: &Context) -> Html {
        let shape = self.array.0.shape().to_string();
        match self.set_shape.as_ref().filter(|_| !link::is_embed()) {
            Some(set) => {
                let value = self.shape.clone().unwrap_or(shape);
                let label = if self.is_whole_result { "result-shape-field" } else { "operand-shape" };
                let label = context.text(&Message::ops(label));
                html! {
                    <DraftField id={format!("{}-shape", self.id)} class="text mono shape" {value} commit={set.clone()}
                        {label} state={self.shape_state.clone()} dispatch={self.dispatch.clone()} />
                }
            }
            None => html! { <code class="shape">{shape}</code> },
        }
    }

    /// The fields of its values.
    pub fn fields(&self) -> Option<Html> {
        let ParameterSettings { shape, values, values_error } =
            self.settings.clone().filter(|_| !link::is_embed())?;
        Some(html! {
            <ValuesEditor id={self.id.to_owned()} name={self.name.to_owned()} {shape} {values}
                change={self.set_values.clone()} {values_error} set_shape={self.set_shape.clone()} />
        })
    }

    /// The link to the Layout screen.
    pub fn buttons(&self) -> Html {
        if link::is_embed() {
            return Html::default();
        }
        html! {
            <OpenInLayout id={self.id.to_owned()} array={self.array.clone()}
                values={self.settings.as_ref().map(|settings| settings.values.clone())} />
        }
    }
}

#[derive(Clone, PartialEq, Properties)]
struct OpenInLayoutProps {
    id: AttrValue,
    array: SharedArray,
    values: Option<ValueRule>,
}

/// The link that opens the array in the Layout screen.
#[component]
fn OpenInLayout(props: &OpenInLayoutProps) -> Html {
    let context = use_app_context();
    let LayoutLink { fragment, has_values } = handoff::to_layout(&props.array.0, props.values.as_ref());
    let title = (!has_values).then(|| context.text(&Message::ops("open-in-layout-iota")));
    html! {
        <a class="btn tiny" id={format!("{}-layout", props.id)} href={format!("#{fragment}")} {title}>
            {context.text(&Message::ops("open-in-layout"))}
        </a>
    }
}
