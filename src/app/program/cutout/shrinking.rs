//! The form that reduces the program while a property holds.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::props::CutViewProps;
use crate::app::context::use_app_context;
use crate::app::program::compare::second::{Second, use_second};
use crate::app::program::running::job_of;
use crate::app::program::tasks::TaskStatus;
use crate::i18n::Message;
use crate::worker::program::wire::{Property, ShrinkTask, TaskRequest};

/// The default tolerance of differences in ulps.
const DEFAULT_ULPS: u64 = 4;

/// Properties of [`ShrinkForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShrinkFormProps {
    /// The view.
    pub view: CutViewProps,
}

/// The form.
#[component]
pub fn ShrinkForm(props: &ShrinkFormProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let ShrinkFormProps { view } = props;
    let chosen = use_state_eq(|| "nan");
    let ulps = use_state_eq(|| DEFAULT_ULPS);
    let other = match use_second(&view.session) {
        Second::Text(text) => Some(text),
        _ => None,
    };
    let set_ulps = {
        let ulps = ulps.setter();
        Callback::from(move |event: Event| {
            if let Ok(value) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
                ulps.set(value);
            }
        })
    };
    // The other text is filled in when the task starts.
    let properties = [
        (Property::Nan, "program-shrink-nan"),
        (Property::Infinity, "program-shrink-inf"),
        (Property::Error, "program-shrink-error"),
        (Property::Differs { text: String::new(), ulps: *ulps }, "program-shrink-differs"),
        (Property::Kernels { ulps: *ulps }, "program-shrink-kernels"),
    ];
    let choices = properties.iter().map(|(property, key)| {
        let name = property_name(property);
        let id = format!("shrink-{name}");
        let disabled = name == "differs" && other.is_none();
        let onchange = {
            let chosen = chosen.setter();
            Callback::from(move |_: Event| chosen.set(name))
        };
        html! {
            <label for={id.clone()} class="choice">
                <input type="radio" name="shrink-property" {id} checked={*chosen == name} {disabled} {onchange} />
                <span>{text(key)}if disabled { <span class="dim">{" "}{text("program-shrink-needs-other")}</span> }</span>
            </label>
        }
    });
    let onsubmit = {
        let (start, session, source) =
            (view.task.start.clone(), view.session.clone(), view.reading.text.clone());
        let (language, other) = (context.language.tag(), other.clone());
        let property = properties.iter().find(|(property, _)| property_name(property) == *chosen);
        let property = property.map(|(property, _)| property.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let property = match (property.clone(), &other) {
                (Some(Property::Differs { ulps, .. }), Some(other)) => {
                    Property::Differs { text: other.text().to_string(), ulps }
                }
                (Some(Property::Differs { .. }) | None, _) => return,
                (Some(property), _) => property,
            };
            start
                .emit(TaskRequest::Shrink(ShrinkTask { job: job_of(&source, &session, language), property }));
        })
    };
    let has_tolerance = matches!(*chosen, "differs" | "kernels");
    let is_running = view.task.task.status == TaskStatus::Running;
    let can_start = !is_running && (*chosen != "differs" || other.is_some());
    html! {
        <form class="cut-form" {onsubmit} aria-labelledby="h-shrink">
            <h2 id="h-shrink">{text("program-shrink")}</h2>
            <p class="dim">{text("program-shrink-about")}</p>
            <fieldset class="choices"><legend>{text("program-shrink-while")}</legend>{for choices}</fieldset>
            if has_tolerance {
                <div class="row wrap">
                    <label for="shrink-ulps">{text("program-compare-ulps")}</label>
                    <input type="number" class="step" id="shrink-ulps" min="0" step="1" value={ulps.to_string()} onchange={set_ulps} />
                </div>
            }
            <button class="btn primary" id="shrink-start" type="submit" disabled={!can_start}>{text("program-shrink-start")}</button>
        </form>
    }
}

/// The name of a property in the form.
fn property_name(property: &Property) -> &'static str {
    match property {
        Property::Nan => "nan",
        Property::Infinity => "inf",
        Property::Error => "error",
        Property::Differs { .. } => "differs",
        Property::Kernels { .. } => "kernels",
    }
}
