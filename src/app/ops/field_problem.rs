//! The error at a field of the form, with its fixes: the same for shapes and for every kind of attribute.

use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::diagnostic::Diagnostic;
use crate::state::experiment::session::Action;

/// Properties of [`FieldProblem`].
#[derive(Clone, PartialEq, Properties)]
pub struct FieldProblemProps {
    /// The id of the field.
    pub field: AttrValue,
    /// The error of the field, if there is one.
    pub problem: Option<Diagnostic>,
    /// The instruction that it is in, if it is not the one that the form shows.
    pub place: Option<String>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The id of the error, if there is one, for `aria-describedby` of the field.
pub fn described_by(field: &str, problem: Option<&Diagnostic>) -> Option<String> {
    problem.map(|_| problem_id(field))
}

fn problem_id(field: &str) -> String {
    format!("{field}-problem")
}

/// The height of the player, which covers the bottom of the window.
const PLAYER_PIXELS: f64 = 56.0;

/// The error. The element is always rendered, so that screen readers announce new content.
#[component]
pub fn FieldProblem(props: &FieldProblemProps) -> Html {
    let context = use_app_context();
    {
        // Errors of the whole text, which appear above, may push the field out of the window.
        let field = props.field.clone();
        use_effect_with(props.problem.clone(), move |problem| {
            if problem.is_some() {
                keep_in_view(&field);
            }
        });
    }
    let fixes = props.problem.iter().flat_map(|problem| &problem.hints).map(|hint| {
        if hint.edits.is_empty() {
            return html! { <span class="advice">{context.text(&hint.message)}</span> };
        }
        let fix = hint.clone();
        let onclick = props.dispatch.reform(move |_: MouseEvent| Action::ApplyHint(fix.clone()));
        html! { <button type="button" class="fix" {onclick}>{context.text(&hint.message)}</button> }
    });
    html! {
        <div class="field-problem" id={problem_id(&props.field)} role="status">
            if let Some(problem) = &props.problem {
                <p class="error-line">
                    if let Some(place) = &props.place { <code>{place}</code>{": "} }
                    {context.text(&problem.message)}
                </p>
                if !problem.hints.is_empty() { <p class="hints">{for fixes}</p> }
            }
        </div>
    }
}

/// Scrolls to the field and its error, if the field has the focus and one of them is not in view.
fn keep_in_view(field: &str) {
    let document = gloo::utils::document();
    let Some(element) = document.active_element().filter(|element| element.id() == field) else { return };
    let Some(error) = document.get_element_by_id(&problem_id(field)) else { return };
    let height = document.document_element().map_or(0, |root| root.client_height());
    let (top, bottom) = (element.get_bounding_client_rect().top(), error.get_bounding_client_rect().bottom());
    if bottom > f64::from(height) - PLAYER_PIXELS {
        error.scroll_into_view_with_bool(false);
    } else if top < 0.0 {
        element.scroll_into_view();
    }
}
