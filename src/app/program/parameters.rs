//! The values of the parameters: random with a seed, in order, typed, or from files.

use gloo::timers::callback::Timeout;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::array_files::file_button;
use super::reading::Reading;
use crate::app::components::select::BareSelect;
use crate::app::context::{Context, grouped, use_app_context};
use crate::escape::name_list;
use crate::i18n::Message;
use crate::state::program::session::{Action, Session};
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::wire::{Argument, FileArgument, Parameter, Query};

/// Maximum parameters that are listed.
const MAX_LISTED: usize = 64;

/// Milliseconds after the last key until typed values are set.
const TYPING_PAUSE_MS: u32 = 300;

/// Properties of [`TypedValue`].
#[derive(Clone, PartialEq, Properties)]
struct TypedValueProps {
    number: usize,
    name: AttrValue,
    value: AttrValue,
    dispatch: Callback<Action>,
}

/// The field of a typed value.
#[component]
fn TypedValue(props: &TypedValueProps) -> Html {
    let context = use_app_context();
    let timer = use_mut_ref(|| None::<Timeout>);
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with(props.value.clone(), move |value| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>()
                && area.value() != **value
            {
                area.set_value(value);
            }
        });
    }
    let oninput = {
        let (dispatch, number) = (props.dispatch.clone(), props.number);
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            let dispatch = dispatch.clone();
            let set = move || dispatch.emit(Action::SetArgument(number, Argument::Text(typed)));
            *timer.borrow_mut() = Some(Timeout::new(TYPING_PAUSE_MS, set));
        })
    };
    let label = Message::program("program-values-of").with("name", props.name.as_str());
    html! {
        <textarea class="text" id={format!("argument-text-{}", props.number)} ref={node} rows="2" {oninput} spellcheck="false" autocomplete="off"
            placeholder="{1, 2, 3}" aria-label={context.text(&label)} />
    }
}

/// The state that the section is rendered from.
pub struct Arguments<'a> {
    /// The program, with the files that were assigned.
    pub reading: &'a Reading,
    /// The session, with the values.
    pub session: &'a Session,
    /// Why the run failed.
    pub failure: Option<&'a Failure>,
    /// Dispatches actions.
    pub dispatch: &'a Callback<Action>,
    /// Asks the query worker.
    pub ask: &'a Callback<Query>,
}

impl Arguments<'_> {
    /// The problem of a parameter's argument, if it has one.
    fn problem(&self, context: &Context, number: usize, argument: &Argument) -> Option<AttrValue> {
        if let Argument::File(FileArgument { file, number: None, .. }) = argument {
            let message = Message::program("program-file-again").with("file", file.as_str());
            return Some(context.text(&message));
        }
        let failed = self.failure.filter(|failure| failure.parameter == Some(number));
        let failed = failed.map(|failure| failure.message.clone());
        let assigned = || {
            let problems = self.reading.assigned.iter().flat_map(|(_, assigned)| &assigned.problems);
            problems
                .filter(|problem| problem.parameter == Some(number))
                .map(|p| p.message.clone())
                .next_back()
        };
        failed.or_else(assigned).map(AttrValue::from)
    }

    fn row(&self, context: &Context, number: usize, parameter: &Parameter, argument: &Argument) -> Html {
        let text = |key: &'static str| context.text(&Message::program(key));
        let mut options = vec![
            ("random".into(), text("program-random")),
            ("iota".into(), text("program-iota")),
            ("typed".into(), text("program-typed")),
        ];
        let (value, typed, file) = match argument {
            Argument::Random => ("random", None, None),
            Argument::Iota => ("iota", None, None),
            Argument::Text(typed) => ("typed", Some(typed.clone()), None),
            Argument::File(file) => ("file", None, Some(file.name())),
        };
        if file.is_some() {
            options.push(("file".into(), text("program-from-file")));
        }
        let onchange = {
            let (dispatch, ask) = (self.dispatch.clone(), self.ask.clone());
            let (argument, seed) = (argument.clone(), self.session.seed);
            let typed_before = self.session.replaced_texts.get(&number).cloned();
            Callback::from(move |chosen: AttrValue| match (&*chosen, &typed_before) {
                ("typed", Some(text)) => {
                    dispatch.emit(Action::SetArgument(number, Argument::Text(text.clone())));
                }
                // Typing starts from the values that the parameter has.
                ("typed", None) => ask.emit(Query::WriteOut { number, argument: argument.clone(), seed }),
                ("iota", _) => dispatch.emit(Action::SetArgument(number, Argument::Iota)),
                _ => dispatch.emit(Action::SetArgument(number, Argument::Random)),
            })
        };
        let label = Message::program("program-values-of").with("name", parameter.name.as_str());
        let problem = self.problem(context, number, argument);
        let problem_id = problem.is_some().then(|| AttrValue::from(format!("argument-problem-{number}")));
        html! {
            <li key={number}>
                <span class="parameter"><b>{&parameter.name}</b>{" "}<code class="dim">{&parameter.shape}</code></span>
                <span class="row argument">
                    <BareSelect id={format!("argument-{number}")} label={context.text(&label)} {options} {value} problem={problem_id.clone()} {onchange} />
                    {file_button(context, Some((number, &parameter.name)), self.ask)}
                </span>
                if let Some(value) = typed {
                    <TypedValue {number} name={parameter.name.clone()} {value} dispatch={self.dispatch.clone()} />
                }
                if let Some(max) = parameter.max_start_index.filter(|_| *argument == Argument::Random) {
                    <p class="dim start-indices">{context.text(&Message::program("program-random-starts").with("max", grouped(max)))}</p>
                }
                if let Some(file) = file { <code class="argument-file">{file}</code> }
                if let Some(problem) = problem { <p class="error-line" role="alert" id={problem_id}>{problem}</p> }
            </li>
        }
    }

    /// Notes on the files that were chosen last.
    fn notes(&self, context: &Context) -> Html {
        let assigned = self.reading.assigned.iter().map(|(file, assigned)| {
            let done = (!assigned.parameters.is_empty()).then(|| {
                let message = Message::program("program-file-assigned")
                    .with("file", file.as_str())
                    .with("names", name_list(&assigned.parameters));
                html! { <p>{context.text(&message)}</p> }
            });
            let problems = assigned.problems.iter().filter(|problem| problem.parameter.is_none());
            let problems = problems.map(|problem| html! { <p class="error-line">{&problem.message}</p> });
            html! { <>{done.unwrap_or_default()}{for problems}</> }
        });
        let has_files = self.session.arguments.iter().any(|argument| matches!(argument, Argument::File(_)));
        html! {
            <div class="file-notes dim" role="status" id="file-notes">
                {for assigned}
                if has_files { <p id="files-unlinked">{context.text(&Message::program("program-file-unlinked"))}</p> }
            </div>
        }
    }

    /// The parameters in a foldable section.
    pub fn view(&self, context: &Context) -> Html {
        let text = |key: &'static str| context.text(&Message::program(key));
        let Some(opened) = &self.reading.opened else { return Html::default() };
        if opened.parameters.is_empty() {
            return html! { <p class="dim">{text("program-no-parameters")}</p> };
        }
        let random = Argument::Random;
        let argument = |number: usize| self.session.arguments.get(number).unwrap_or(&random);
        let listed = || opened.parameters.iter().take(MAX_LISTED).enumerate();
        let rows = listed().map(|(number, each)| self.row(context, number, each, argument(number)));
        let has_problem = listed()
            .any(|(number, _)| self.problem(context, number, argument(number)).is_some())
            || !self.reading.assigned.is_empty();
        let set_seed = {
            let dispatch = self.dispatch.clone();
            Callback::from(move |event: Event| {
                let input: HtmlInputElement = event.target_unchecked_into();
                if let Ok(seed) = input.value().parse() {
                    dispatch.emit(Action::SetSeed(seed));
                }
            })
        };
        let more = opened.parameters.len().saturating_sub(MAX_LISTED);
        let is_random = |number: &usize| matches!(argument(*number), Argument::Random);
        let random = (0..opened.parameters.len()).filter(is_random).count();
        let are_all_random = random == opened.parameters.len();
        let key = if are_all_random { "program-random-seed" } else { "program-some-random-seed" };
        let seed = Message::program(key).with("seed", self.session.seed.to_string());
        let count = Message::program("program-parameters").with("count", opened.parameters.len());
        html! {
            <details class="parameters" id="program-parameters" open={has_problem}>
                <summary>
                    {context.text(&count)}
                    if random > 0 { <span class="dim">{" · "}{context.text(&seed)}</span> }
                </summary>
                <div class="row wrap from-files">
                    {file_button(context, None, self.ask)}
                    <span class="dim">{text("program-drop-arrays")}</span>
                </div>
                <p class="dim">{text("program-arrays-by-name")}</p>
                {self.notes(context)}
                <p class="field row">
                    <label for="program-seed">{text("program-seed")}</label>
                    <input type="number" class="step" id="program-seed" min="0" max="4294967295" value={self.session.seed.to_string()} onchange={set_seed} />
                </p>
                <ul>{for rows}</ul>
                if more > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", more))}</p> }
            </details>
        }
    }
}
