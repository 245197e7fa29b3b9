//! The search for instructions by name, opcode or source: a field with a list of the instructions found, in which arrows choose.

use gloo::timers::callback::Timeout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::instruction_name::instruction_name;
use super::reading::Found;
use crate::app::components::latest::use_latest;
use crate::app::components::scrolling::scroll_to_nearest;
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{FoundRow, InstructionKey, InstructionPath};

/// Milliseconds after the last key until the program is searched.
const TYPING_PAUSE_MS: u32 = 40;

/// Properties of [`Search`].
#[derive(Clone, PartialEq, Properties)]
pub struct SearchProps {
    /// The newest results.
    pub found: Option<std::rc::Rc<Found>>,
    /// Searches; an empty text ends the search.
    pub search: Callback<String>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

fn key_of(row: &FoundRow) -> InstructionKey {
    InstructionKey { computation: row.computation, instruction: row.row.instruction }
}

/// The id of the option with a number.
fn option_id(number: usize) -> String {
    format!("program-found-{number}")
}

/// The field and its results.
#[component]
pub fn Search(props: &SearchProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let timer = use_mut_ref(|| None::<Timeout>);
    let field = use_node_ref();
    let oninput = {
        let (search, timer) = (props.search.clone(), timer.clone());
        Callback::from(move |event: InputEvent| {
            let needle = event.target_unchecked_into::<HtmlInputElement>().value();
            let search = search.clone();
            *timer.borrow_mut() = Some(Timeout::new(TYPING_PAUSE_MS, move || search.emit(needle)));
        })
    };
    let select = {
        let (dispatch, search, field) = (props.dispatch.clone(), props.search.clone(), field.clone());
        move |at: InstructionKey| {
            dispatch.emit(Action::Select(InstructionPath { at, calls: Vec::new() }));
            if let Some(input) = field.cast::<HtmlInputElement>() {
                input.set_value("");
            }
            search.emit(String::new());
        }
    };
    // Another search begins at its first result.
    let needle = props.found.as_ref().map(|found| found.needle.clone()).unwrap_or_default();
    let active = use_state_eq(|| (String::new(), 0_usize));
    let rows = props.found.as_ref().map_or(&[][..], |found| &found.rows);
    let last = rows.len().saturating_sub(1);
    let chosen = if active.0 == needle { active.1.min(last) } else { 0 };
    use_effect_with(chosen, |chosen| {
        let option = gloo::utils::document().get_element_by_id(&option_id(*chosen));
        option.iter().for_each(scroll_to_nearest);
    });
    let latest = use_latest(chosen);
    let onkeydown = {
        let (select, search, field) = (select.clone(), props.search.clone(), field.clone());
        let found: Vec<_> = rows.iter().map(key_of).collect();
        let active = active.setter();
        Callback::from(move |event: KeyboardEvent| {
            let chosen = latest.get();
            let choose = |to: usize| {
                event.prevent_default();
                latest.set(to);
                active.set((needle.clone(), to));
            };
            match (keys::name(&event).as_str(), found.get(chosen)) {
                ("Enter", Some(at)) => {
                    event.prevent_default();
                    select(*at);
                }
                ("ArrowDown", Some(_)) => choose((chosen + 1).min(last)),
                ("ArrowUp", Some(_)) => choose(chosen.saturating_sub(1)),
                ("Escape", _) => {
                    if let Some(input) = field.cast::<HtmlInputElement>() {
                        input.set_value("");
                    }
                    search.emit(String::new());
                }
                _ => {}
            }
        })
    };
    let is_open = props.found.is_some();
    let results = props.found.as_ref().map(|found| {
        let options = found.rows.iter().enumerate().map(|(number, row)| {
            let (select, at) = (select.clone(), key_of(row));
            let onclick = Callback::from(move |_: MouseEvent| select(at));
            html! {
                <li key={number} role="option" id={option_id(number)} aria-selected={(number == chosen).to_string()} {onclick}>
                    {instruction_name(&row.row.name)}<span class="opcode">{&row.row.opcode}</span>
                    <span class="shape">{&row.row.shape}</span><span class="dim">{&row.parent}</span>
                </li>
            }
        });
        let count = Message::program("program-found").with("count", found.total);
        html! {
            <div class="found" id="program-found">
                <p class="dim" role="status">{context.text(&count)}</p>
                <ul role="listbox" id="program-found-list" aria-label={text("program-search-results")}>{for options}</ul>
            </div>
        }
    });
    let active_option = (!rows.is_empty()).then(|| option_id(chosen));
    html! {
        <div class="search">
            <input type="search" class="text" id="program-search" ref={field} {oninput} {onkeydown} autocomplete="off" spellcheck="false"
                placeholder={text("program-search")} aria-label={text("program-search")} role="combobox" aria-autocomplete="list"
                aria-expanded={is_open.to_string()} aria-controls={is_open.then_some("program-found-list")} aria-activedescendant={active_option} />
            {results.unwrap_or_default()}
        </div>
    }
}
