//! The text in a plain field, with a panel below it about the token at the caret: its meaning, its definition, and the
//! candidates for completion.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement};
use yew::prelude::*;

use super::handle::link_label;
use super::props::{EditorProps, TYPING_PAUSE_MS, offset_of, position_of};
use super::requests;
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::editing::{Candidate, Hover, Position, Question, Reply, WireHoverLink};
use crate::worker::program::wire::{InstructionPath, Query};

/// Maximum candidates that are shown.
const MAX_CANDIDATES: usize = 12;

/// Converts a number of UTF-16 units from the start of the text to an offset in bytes.
fn bytes_of_units(text: &str, units: u32) -> usize {
    let mut counted = 0;
    let found = text.char_indices().find(|(_, c)| {
        let is_reached = counted >= units;
        counted += u32::try_from(c.len_utf16()).unwrap_or(1);
        is_reached
    });
    found.map_or(text.len(), |(at, _)| at)
}

/// Moves the caret of the field to a byte of its text.
fn set_caret(area: &HtmlTextAreaElement, text: &str, offset: usize) {
    let units = text.get(..offset).unwrap_or_default().encode_utf16().count();
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    // It fails only for fields without a selection.
    let _ = area.set_selection_range(units, units);
}

/// The byte of the text at which the caret is, if the user is in the field.
fn caret(area: &HtmlTextAreaElement, text: &str) -> Option<usize> {
    let focused = web_sys::window()?.document()?.active_element()?;
    let units =
        area.selection_start().ok().flatten().filter(|_| focused == *area.unchecked_ref::<Element>())?;
    Some(bytes_of_units(text, units))
}

/// Moves the caret to a byte of the text, and scrolls there.
fn reveal(area: &HtmlTextAreaElement, source: &SourceText, offset: usize) {
    set_caret(area, source.text(), offset);
    // Lines are not wrapped: all are equally high.
    let line = f64::from(u32::try_from(source.line_of(offset)).unwrap_or(u32::MAX));
    let count = f64::from(u32::try_from(source.line_count()).unwrap_or(u32::MAX));
    let top = f64::from(area.scroll_height()) * line / count - f64::from(area.client_height()) / 2.0;
    #[allow(clippy::cast_possible_truncation, reason = "pixels")]
    area.set_scroll_top(top.max(0.0) as i32);
}

/// The field with its panel.
#[component]
pub fn PlainEditor(props: &EditorProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let timer = use_mut_ref(|| None::<Timeout>);
    let hover = use_state_eq(|| None::<Hover>);
    let candidates = use_state_eq(|| (0_usize, 0_usize, Vec::<Candidate>::new()));
    let source = &props.reading.text;
    {
        // Setting the value moves the caret, so it is only set if it differs.
        let node = node.clone();
        use_effect_with(source.clone(), move |source| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>()
                && area.value() != **source.text()
            {
                area.set_value(source.text());
            }
        });
    }
    {
        let (node, source) = (node.clone(), source.clone());
        let start_line = use_mut_ref(|| props.start_line);
        use_effect_with(props.selected, move |selected| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            if caret(&area, source.text()).is_some() {
                return;
            }
            let start = start_line.take().map(|line| source.line_start(line));
            if let Some(offset) = start.or(selected.map(|(start, _)| start)) {
                reveal(&area, &source, offset);
            }
        });
    }
    let oninput = {
        let (dispatch, timer) = (props.dispatch.clone(), timer.clone());
        Callback::from(move |event: InputEvent| {
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            let dispatch = dispatch.clone();
            let read = move || {
                let text = SourceText::new(area.value());
                let caret = caret(&area, text.text());
                dispatch.emit(Action::Edit(text, caret));
            };
            timer.replace(Some(Timeout::new(TYPING_PAUSE_MS, read)));
        })
    };
    let look = {
        let (node, ask, source, language) =
            (node.clone(), props.ask.clone(), source.clone(), context.language);
        let (hover, candidates) = (hover.clone(), candidates.clone());
        Callback::from(move |()| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            // The panel is about the text that the query worker has.
            let Some(units) =
                area.selection_start().ok().flatten().filter(|_| area.value() == **source.text())
            else {
                return;
            };
            let offset = bytes_of_units(source.text(), units);
            ask.emit(Query::Locate(vec![offset]));
            let at = position_of(&source, offset);
            let hover = hover.clone();
            requests::ask(&ask, language, Question::Hover(at), move |reply| {
                hover.set(if let Reply::Hover(found) = reply { Some(found) } else { None });
            });
            let (candidates, source) = (candidates.clone(), source.clone());
            requests::ask(&ask, language, Question::Completion(at), move |reply| {
                candidates.set(match reply {
                    Reply::Completion { from, candidates } => (offset_of(&source, from), offset, candidates),
                    _ => (0, 0, Vec::new()),
                });
            });
        })
    };
    let go_to = {
        let (node, source) = (node.clone(), source.clone());
        Callback::from(move |at: Position| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>() {
                reveal(&area, &source, offset_of(&source, at));
                // It fails only for what cannot have the focus.
                let _ = area.focus();
            }
        })
    };
    let link = |link: &WireHoverLink| {
        let label = context.text(&link_label(link));
        match link {
            WireHoverLink::Layout(fragment) => {
                html! { <a class="btn tiny" href={format!("#{fragment}")}>{label}</a> }
            }
            WireHoverLink::Instruction(at) => {
                let (dispatch, at) = (props.dispatch.clone(), *at);
                let onclick = Callback::from(move |_: MouseEvent| {
                    dispatch.emit(Action::Select(InstructionPath { at, calls: Vec::new() }));
                });
                html! { <button class="btn tiny" {onclick}>{label}</button> }
            }
            WireHoverLink::Definition(at) => {
                let at = *at;
                let onclick = go_to.reform(move |_: MouseEvent| at);
                html! { <button class="btn tiny" {onclick}>{label}</button> }
            }
        }
    };
    let offer = |candidate: &Candidate| {
        let (node, source, dispatch) = (node.clone(), source.clone(), props.dispatch.clone());
        let (from, to, inserted) = (candidates.0, candidates.1, candidate.text.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let (Some(before), Some(after)) = (source.text().get(..from), source.text().get(to..)) else {
                return;
            };
            let text = format!("{before}{inserted}{after}");
            if let Some(area) = node.cast::<HtmlTextAreaElement>() {
                area.set_value(&text);
                set_caret(&area, &text, from + inserted.len());
                // It fails only for what cannot have the focus.
                let _ = area.focus();
            }
            dispatch.emit(Action::Edit(SourceText::new(text), Some(from + inserted.len())));
        });
        html! {
            <li key={candidate.text.clone()}>
                <button class="btn tiny mono" {onclick} title={candidate.description.clone()}>{&candidate.text}</button>
                <span class="dim">{&candidate.detail}</span>
            </li>
        }
    };
    let has_errors = props.reading.has_errors();
    let text = |key: &'static str| context.text(&Message::program(key));
    html! {
        <div class="plain-editor">
            <textarea class={classes!("text", "hlo", "fill", has_errors.then_some("bad"))} id="program-field" ref={node.clone()} {oninput}
                onkeyup={look.reform(|_: KeyboardEvent| ())} onclick={look.reform(|_: MouseEvent| ())}
                spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" aria-label={text("program-text")}
                aria-invalid={has_errors.to_string()} aria-describedby="program-problems" />
            <div class="text-help" id="program-help">
                if let Some(found) = &*hover {
                    <section aria-live="polite" id="token-help" aria-label={text("program-token-help")}>
                        <h3>{&found.title}</h3>
                        {for found.sentences.iter().map(|sentence| html! { <p>{sentence}</p> })}
                        <p class="row wrap">{for found.links.iter().map(link)}</p>
                    </section>
                }
                if !candidates.2.is_empty() {
                    <section id="token-candidates" aria-label={text("editor-completions")}>
                        <ul>{for candidates.2.iter().take(MAX_CANDIDATES).map(offer)}</ul>
                    </section>
                }
            </div>
        </div>
    }
}
