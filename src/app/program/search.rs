//! The search for instructions by name, opcode or source.

use gloo::timers::callback::Timeout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::instruction_name::instruction_name;
use super::reading::Found;
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{InstructionKey, InstructionPath};

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
    let key_of = |found: &Found, number: usize| {
        let row = found.rows.get(number)?;
        Some(InstructionKey { computation: row.computation, instruction: row.row.instruction })
    };
    let onkeydown = {
        let (select, search, field) = (select.clone(), props.search.clone(), field.clone());
        let first = props.found.as_ref().and_then(|found| key_of(found, 0));
        Callback::from(move |event: KeyboardEvent| match (keys::name(&event).as_str(), first) {
            ("Enter", Some(at)) => {
                event.prevent_default();
                select(at);
            }
            ("Escape", _) => {
                if let Some(input) = field.cast::<HtmlInputElement>() {
                    input.set_value("");
                }
                search.emit(String::new());
            }
            _ => {}
        })
    };
    let results = props.found.as_ref().map(|found| {
        let rows = found.rows.iter().enumerate().map(|(number, row)| {
            let select = select.clone();
            let at = InstructionKey { computation: row.computation, instruction: row.row.instruction };
            let onclick = Callback::from(move |_: MouseEvent| select(at));
            html! {
                <li key={number}><button {onclick}>
                    {instruction_name(&row.row.name)}<span class="opcode">{&row.row.opcode}</span>
                    <span class="shape">{&row.row.shape}</span><span class="dim">{&row.parent}</span>
                </button></li>
            }
        });
        let count = Message::program("program-found").with("count", found.total);
        html! {
            <div class="found" id="program-found">
                <p class="dim" role="status">{context.text(&count)}</p>
                <ul>{for rows}</ul>
            </div>
        }
    });
    html! {
        <div class="search">
            <input type="search" class="text" id="program-search" ref={field} {oninput} {onkeydown} autocomplete="off" spellcheck="false"
                placeholder={text("program-search")} aria-label={text("program-search")} />
            {results.unwrap_or_default()}
        </div>
    }
}
