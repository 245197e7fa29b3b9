//! The form that cuts instructions out.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::props::CutViewProps;
use crate::app::components::select::BareSelect;
use crate::app::context::use_app_context;
use crate::app::program::running::job_of;
use crate::app::program::tasks::TaskStatus;
use crate::i18n::Message;
use crate::worker::program::wire::{CutTask, TaskRequest};

/// The numbers of levels of operands that the form offers; the last is all of them.
const DEPTHS: [u32; 4] = [0, 1, 3, u32::MAX];

/// The default bound on the elements of a constant.
const MAX_CONSTANT_ELEMENTS: u32 = 16;

/// Properties of [`CutForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct CutFormProps {
    /// The view.
    pub view: CutViewProps,
}

/// Splits the names in a field, which commas or white space separate.
fn split_names(text: &str) -> Vec<String> {
    let names = text.split(|c: char| c == ',' || c.is_whitespace());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The form.
#[component]
pub fn CutForm(props: &CutFormProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let CutFormProps { view } = props;
    let at = view.selected.as_ref().map(|selected| selected.at);
    let details = view.reading.details_of(at).cloned();
    let selected = details.as_ref().map(|details| details.row.name.clone()).unwrap_or_default();
    let typed = use_state_eq(String::new);
    {
        // The field follows the selection.
        let typed = typed.setter();
        use_effect_with(selected.clone(), move |selected| typed.set(selected.clone()));
    }
    let depth = use_state_eq(|| DEPTHS[0]);
    let constants = use_state_eq(|| MAX_CONSTANT_ELEMENTS);
    let oninput = {
        let typed = typed.setter();
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let options = DEPTHS.map(|depth| {
        let label = match depth {
            0 => text("program-cut-alone"),
            u32::MAX => text("program-cut-all-operands"),
            depth => context.text(&Message::program("program-cut-levels").with("count", i64::from(depth))),
        };
        (AttrValue::from(depth.to_string()), label)
    });
    let set_depth = {
        let depth = depth.setter();
        Callback::from(move |chosen: AttrValue| depth.set(chosen.parse().unwrap_or(0)))
    };
    let set_constants = {
        let constants = constants.setter();
        Callback::from(move |event: Event| {
            if let Ok(value) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
                constants.set(value);
            }
        })
    };
    let names = split_names(&typed);
    let can_cut = !names.is_empty() && at.is_some();
    let onsubmit = {
        let (start, session, source) =
            (view.task.start.clone(), view.session.clone(), view.reading.text.clone());
        let (depth, constants, language) = (*depth, *constants, context.language.tag());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Some(within) = at.filter(|_| !names.is_empty()) else { return };
            start.emit(TaskRequest::Cut(CutTask {
                job: job_of(&source, &session, language),
                within,
                names: names.clone(),
                depth,
                max_constant_elements: constants,
            }));
        })
    };
    let is_running = view.task.task.status == TaskStatus::Running;
    let computation = details.as_ref().map(|details| details.computation.clone());
    html! {
        <form class="cut-form" {onsubmit} aria-labelledby="h-cut">
            <h2 id="h-cut">{text("program-cut")}</h2>
            <p class="dim">{text("program-cut-about")}</p>
            <label for="cut-names">{text("program-cut-names")}</label>
            <input class="text mono" id="cut-names" type="text" value={(*typed).clone()} {oninput} autocomplete="off" spellcheck="false" />
            if let Some(computation) = computation {
                <p class="dim">{context.text(&Message::program("program-cut-within").with("name", computation))}</p>
            }
            <div class="row wrap">
                <span>{text("program-cut-operands")}</span>
                <BareSelect id="cut-depth" label={text("program-cut-operands")} options={options.to_vec()} value={depth.to_string()} onchange={set_depth} />
            </div>
            <div class="row wrap">
                <label for="cut-constants">{text("program-cut-constants")}</label>
                <input type="number" class="step" id="cut-constants" min="0" step="1" value={constants.to_string()} onchange={set_constants} />
            </div>
            <button class="btn primary" id="cut-start" type="submit" disabled={!can_cut || is_running}>{text("program-cut")}</button>
        </form>
    }
}
